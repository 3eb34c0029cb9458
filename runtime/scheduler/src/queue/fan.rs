//! Many commands that wait for one task: beyond the first they wait in a row, behind a hidden task of its own. When the
//! task ends the row is put on the workers' board, and each worker that has nothing else to do takes entries of it,
//! tells them, and runs them. So nobody walks, and those that take longest begin first.

use std::sync::Arc;

use super::enter::enter;
use super::plan::Planned;
use super::{EnqueueError, QueueShared};
use crate::release;
use crate::shim::Ordering;
use crate::task::{Executor, Fresh, Role, TaskPtr, TaskRef};

/// Commands that wait for the task itself: most tasks have no more, and then there is nothing to share.
const DIRECT: u32 = if cfg!(loom) {
    1
} else if cfg!(test) {
    3
} else {
    8
};

/// Where those who wait for one task wait.
#[derive(Debug, Default)]
pub(crate) struct Fan {
    row: Option<TaskRef>,
    /// Commands without the row.
    direct: u32,
    expected: Expected,
}

/// How many workers were told that there will be work.
#[derive(Debug, Default)]
pub(crate) struct Expected(u64);

impl Expected {
    /// So much work waits in `row`, whose commands can all begin at the same time.
    pub(crate) fn grow(&mut self, row: &TaskRef, queue: &QueueShared) {
        self.0 = queue.core.expect(row.rare.row.nanoseconds(), self.0);
    }
}

impl Fan {
    /// What the next command waits for in place of `root`: `root` itself or the row, which stays until the next call
    /// after [`Fan::count`]. Without `queue` there is no row.
    pub(crate) fn target(
        &mut self,
        root: &TaskRef,
        queue: Option<&Arc<QueueShared>>,
    ) -> Result<TaskPtr, EnqueueError> {
        if let Some(queue) = queue {
            if let Some(row) = &self.row {
                row.rare.row.reserve()?;
                self.expected.grow(row, queue);
            } else if self.direct >= DIRECT {
                let state = root.state.load();
                if !state.is_executed() && !state.is_complete() {
                    self.row = Some(row(root, queue)?);
                }
            }
        }
        Ok(self.row.as_ref().unwrap_or(root).ptr())
    }

    /// A command waits where [`Fan::target`] said.
    pub(crate) fn count(&mut self) {
        self.direct = self.direct.saturating_add(1);
    }
}

/// Lets the workers share the row of a hidden task, while nobody else sees it.
pub(super) fn share_row(task: &mut Fresh, queue: &Arc<QueueShared>) {
    task.executor = Executor::Row;
    task.finished = crate::shim::AtomicU64::new(0);
    task.queue = Arc::as_ptr(queue);
    task.queue_alive = crate::shim::UnsafeCell::new(Some(Arc::clone(queue)));
}

impl Drop for Fan {
    fn drop(&mut self) {
        if let Some(row) = &self.row {
            row.rare.row.seal();
        }
    }
}

/// Makes a hidden task with a row that waits for `root`.
fn row(root: &TaskRef, queue: &Arc<QueueShared>) -> Result<TaskRef, EnqueueError> {
    // It has the number of the task that it stands for: who compares numbers sees that one.
    let mut task = Fresh::new(Role::Join, root.id).ok_or(EnqueueError::OutOfHostMemory)?;
    task.rare_mut().row.reserve()?;
    task.pending = crate::shim::AtomicU32::new(2);
    share_row(&mut task, queue);
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
