//! The device that a waiting thread of the host program asks for ends of commands, where there is one: its messages would come
//! to the thread by way of another one, and later.
//!
//! One device at most: those of all nodes are behind one transport. Nothing depends on it, as whoever else hears the messages
//! goes on to.

use std::sync::{Arc, Weak};

use oxcl_driver::Driver;

use super::Core;
use crate::shim::{AtomicBool, Mutex, Ordering, lock};

/// See the module's header.
#[derive(Debug)]
pub(super) struct Looker {
    /// There is, or was, such a device: before that nobody needs to look.
    used: AtomicBool,
    driver: Mutex<Option<Weak<dyn Driver>>>,
}

impl Looker {
    pub(super) fn new() -> Looker {
        Looker { used: AtomicBool::new(false), driver: Mutex::new(None) }
    }

    /// The device, if it is still there.
    pub(super) fn get(&self) -> Option<Arc<dyn Driver>> {
        // Relaxed: a queue's handle goes from thread to thread by other means, which order this before its use.
        if self.used.load(Ordering::Relaxed) { lock(&self.driver).as_ref()?.upgrade() } else { None }
    }
}

impl Core {
    /// There is a queue of this device.
    pub(crate) fn looks_with(&self, driver: &Arc<dyn Driver>) {
        if driver.can_look() && self.looker.get().is_none() {
            *lock(&self.looker.driver) = Some(Arc::downgrade(driver));
            self.looker.used.store(true, Ordering::Relaxed);
        }
    }
}
