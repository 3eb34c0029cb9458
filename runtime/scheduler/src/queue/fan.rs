//! Many commands that wait for one task: beyond the first they wait in groups, each behind a hidden task of its own, a
//! relay. When the task ends only the relays are told; a worker that takes a relay tells its group, so that several
//! workers share what would be a long walk for one, and run the first of the commands meanwhile.

use std::sync::Arc;

use super::enter::enter;
use super::plan::Planned;
use super::{EnqueueError, QueueShared};
use crate::release;
use crate::shim::Ordering;
use crate::task::group::Group;
use crate::task::{Executor, Fresh, Role, TaskPtr, TaskRef};

/// Commands that wait for the task itself: telling them takes a few microseconds. Few in tests, whose random programs
/// are small.
const DIRECT: u32 = if cfg!(loom) {
    1
} else if cfg!(test) {
    3
} else {
    64
};

/// Commands in a group. A worker executes a group in a row, and what comes after it retires only then, so it is small.
const GROUP: u32 = if cfg!(loom) {
    1
} else if cfg!(test) {
    2
} else {
    16
};

/// Where those who wait for one task wait.
#[derive(Debug, Default)]
pub(crate) struct Fan {
    /// The group that is being filled; before the first there is none.
    relay: Option<TaskRef>,
    /// Commands in it, or without groups.
    filled: u32,
    /// Groups so far.
    groups: usize,
}

impl Fan {
    /// What the next command waits for in place of `root`: `root` itself or a relay, which stays until the next call
    /// after [`Fan::count`]. Without `queue` there are no groups.
    pub(crate) fn target(
        &mut self,
        root: &TaskRef,
        queue: Option<&Arc<QueueShared>>,
    ) -> Result<TaskPtr, EnqueueError> {
        let state = root.state.load();
        if let Some(queue) = queue
            && self.filled >= if self.relay.is_none() { DIRECT } else { GROUP }
            && !state.is_executed()
            && !state.is_complete()
        {
            self.relay = Some(relay(root, queue)?);
            self.filled = 0;
            self.groups += 1;
            if self.groups < queue.core.workers {
                queue.core.expect_group();
            }
        }
        Ok(self.relay.as_ref().unwrap_or(root).ptr())
    }

    /// A command of this weight waits where [`Fan::target`] said.
    pub(crate) fn count(&mut self, weight: u8) {
        self.filled = self.filled.saturating_add(1);
        if let Some(relay) = &self.relay {
            relay.weight.fetch_max(weight, Ordering::Relaxed);
        }
    }
}

/// Makes a hidden task that waits for `root` and is executed by telling those who wait for it.
fn relay(root: &TaskRef, queue: &Arc<QueueShared>) -> Result<TaskRef, EnqueueError> {
    // It has the number of the task that it stands for: who compares numbers sees that one.
    let mut task = Fresh::new(Role::Join, root.id).ok_or(EnqueueError::OutOfHostMemory)?;
    task.executor = Executor::Relay;
    task.weight = crate::shim::AtomicU8::new(0);
    task.rare.group = Group::new(GROUP)?;
    task.pending = crate::shim::AtomicU32::new(2);
    task.queue = Arc::as_ptr(queue);
    task.queue_alive = crate::shim::UnsafeCell::new(Some(Arc::clone(queue)));
    let task = task.share(1);
    let at = task.clone().into_ptr();
    let satisfied = 1 + enter(at, &[Planned { task: root.ptr(), retired: false, depends: true }]);
    // Acquire and release as in `Released::arrive`.
    if task.pending.fetch_sub(satisfied, Ordering::AcqRel) == satisfied {
        // Nobody waits for it yet, so nothing follows from its end.
        release::end_unheard(at);
    }
    Ok(task)
}
