//! What kernels have taken with earlier programs of this process that were made of the same.
//!
//! In: what tells a kernel apart from all others. Out: the count that all watches of it have in common, also after their programs
//! went away. Where there are very many kernels the counts that nobody has are forgotten.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use oxcl_driver::program::LaunchShape;
use oxcl_driver::watch::Spent;

use crate::cache::Key;

/// Kernels that are remembered, at most.
const MOST: usize = 4096;

/// What tells a kernel apart, or its function for launches of a shape: what its program is made of, its name, the shape.
pub(super) type Which = (Key, String, Option<LaunchShape>);

/// The counts.
#[derive(Default)]
pub(super) struct Earlier(Mutex<BTreeMap<Which, Arc<Spent>>>);

impl Earlier {
    /// The count of a kernel.
    pub(super) fn of(&self, which: Which) -> Arc<Spent> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(spent) = known.get(&which) {
            return Arc::clone(spent);
        }
        if known.len() >= MOST {
            known.retain(|_, spent| Arc::strong_count(spent) > 1);
        }
        let spent = Arc::new(Spent::default());
        if known.len() < MOST {
            known.insert(which, Arc::clone(&spent));
        }
        spent
    }
}
