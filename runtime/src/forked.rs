//! The process's locks that `fork` must not find taken by other threads: see [`oxcl_scheduler::fork`].

use oxcl_driver::account;
use oxcl_scheduler::fork::{self, ForkLock};

use crate::{cache, context, exclusion, mapped, shared};

/// Has all locks of the runtime taken around every later `fork`, so that a child can use what is its own. Called once, by
/// a library within a program that it does not know, with none of them held.
pub fn survive_forks() {
    fork::hold_scheduler();
    oxcl_driver_cpu::hold_at_fork();
    fork::hold(&[
        ForkLock { rank: 9, hold: || Box::new(cache::this_cpu().len()), in_child: None },
        ForkLock { rank: 10, hold: || Box::new(context::lock()), in_child: None },
        ForkLock { rank: 50, hold: || Box::new(shared::registry()), in_child: None },
        ForkLock { rank: 51, hold: || Box::new(mapped::lock()), in_child: None },
        ForkLock { rank: 52, hold: || Box::new(exclusion::lock()), in_child: Some(exclusion::mend_in_child) },
        ForkLock { rank: 80, hold: || Box::new(account::hold_at_fork()), in_child: Some(mend_account) },
    ]);
}

/// A child has its own account.
fn mend_account(held: &mut dyn std::any::Any) {
    if let Some(state) = held.downcast_mut::<std::sync::MutexGuard<'static, account::State>>() {
        account::mend_in_child(state);
    }
}
