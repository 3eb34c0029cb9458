//! What kernels have taken with earlier programs of this process that were made of the same.
//!
//! In: what tells a kernel apart from all others. Out: the count that all watches of it have in common, also after their programs
//! went away. Where there are very many kernels the counts that nobody has are forgotten.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use oxcl_driver::watch::Spent;

use crate::cache::Key;

/// Kernels that are remembered, at most.
const MOST: usize = 4096;

/// The counts.
#[derive(Default)]
pub(super) struct Earlier(Mutex<HashMap<Key, Arc<Spent>>>);

impl Earlier {
    /// The count of a kernel.
    pub(super) fn of(&self, key: Key) -> Arc<Spent> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(spent) = known.get(&key) {
            return Arc::clone(spent);
        }
        if known.len() >= MOST {
            known.retain(|_, spent| Arc::strong_count(spent) > 1);
        }
        let spent = Arc::new(Spent::default());
        if known.len() < MOST {
            known.insert(key, Arc::clone(&spent));
        }
        spent
    }
}
