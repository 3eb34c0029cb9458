//! Memory for task records. Each thread keeps a short list of free records; lists travel between threads in batches,
//! because the thread that makes tasks is seldom the one that frees them. Records are never given back to the system:
//! the process keeps as many as it once needed at the same time. A record that is free is a task that holds nothing: what
//! is the same for most tasks need not be written anew, nor fetched from the processor that used it last.

#[cfg(loom)]
pub(crate) use boxed::{allocate, free};
#[cfg(not(loom))]
pub(crate) use pooled::{allocate, free, hold_at_fork};

/// Loom's objects live no longer than one execution of the model, so its records are not kept.
#[cfg(loom)]
mod boxed {
    use std::ptr::NonNull;

    use crate::task::Task;

    /// A record that holds nothing.
    pub(crate) fn allocate() -> Option<NonNull<Task>> {
        Some(NonNull::from(Box::leak(Box::new(Task::blank()))))
    }

    /// Clears a task and frees its record.
    ///
    /// # Safety
    /// The record came from [`allocate`], and nobody uses it any more.
    pub(crate) unsafe fn free(task: NonNull<Task>) {
        // SAFETY: the caller's promise.
        let mut task = unsafe { Box::from_raw(task.as_ptr()) };
        task.clear();
    }
}

#[cfg(not(loom))]
mod pooled {
    use std::alloc::{Layout, alloc};
    use std::cell::RefCell;
    use std::ptr::NonNull;

    use crate::faults;
    use crate::shim::{Mutex, Ordering, lock};
    use crate::task::{Task, TaskPtr};

    /// Records that travel together.
    const BATCH: usize = 64;

    /// A list of free records, linked as ready tasks are, and its length.
    #[derive(Default)]
    struct List {
        first: Option<TaskPtr>,
        length: usize,
    }

    impl List {
        fn push(&mut self, record: TaskPtr) {
            let first = self.first.map_or(std::ptr::null_mut(), TaskPtr::as_ptr);
            // SAFETY: the record holds a task, and is this list's.
            unsafe { record.get() }.ready_next.store(first, Ordering::Relaxed);
            self.first = Some(record);
            self.length += 1;
        }

        fn pop(&mut self) -> Option<TaskPtr> {
            let record = self.first?;
            // SAFETY: as above.
            self.first = TaskPtr::new(unsafe { record.get() }.ready_next.load(Ordering::Relaxed));
            // Who makes tasks in a row finds the next record's first lines here, wherever it was used last.
            if let Some(next) = self.first {
                next.prefetch();
            }
            self.length -= 1;
            Some(record)
        }
    }

    /// Has the list of all threads taken around every fork of the program's.
    pub(crate) fn hold_at_fork() {
        let hold = || -> Box<dyn std::any::Any> { Box::new(lock(&SHARED)) };
        crate::fork::hold(&[crate::fork::ForkLock { rank: 100, hold, in_child: None }]);
    }

    /// What every thread can draw on.
    static SHARED: Mutex<Vec<List>> = Mutex::new(Vec::new());

    /// A thread's records; the second list is full or empty.
    #[derive(Default)]
    struct Local {
        current: List,
        spare: List,
    }

    impl Drop for Local {
        fn drop(&mut self) {
            let mut shared = lock(&SHARED);
            for list in [std::mem::take(&mut self.current), std::mem::take(&mut self.spare)] {
                if list.length > 0 {
                    share(&mut shared, list);
                }
            }
        }
    }

    /// Adds records for all threads. Where the list of lists cannot grow, one of the lists does.
    fn share(shared: &mut Vec<List>, list: List) {
        let mut list = list;
        if faults::reserve(shared, 1).is_ok() || shared.is_empty() {
            // There is room for one since the first batch was made.
            shared.push(list);
        } else if let Some(last) = shared.last_mut() {
            while let Some(record) = list.pop() {
                last.push(record);
            }
        }
    }

    thread_local! {
        static LOCAL: RefCell<Local> = RefCell::default();
    }

    /// A batch of fresh records.
    fn grow() -> Option<List> {
        lock(&SHARED).try_reserve(1).ok()?;
        let layout = Layout::array::<Task>(BATCH).ok()?;
        // SAFETY: the layout is not empty.
        let block = NonNull::new(unsafe { alloc(layout) })?;
        let mut list = List::default();
        for i in (0..BATCH).rev() {
            // SAFETY: the block holds `BATCH` records.
            let record = unsafe { block.cast::<Task>().add(i) };
            // SAFETY: the record is as large and aligned as a task, and nothing is there yet.
            unsafe { record.write(Task::blank()) };
            TaskPtr::new(record.as_ptr()).into_iter().for_each(|record| list.push(record));
        }
        Some(list)
    }

    impl Local {
        fn take(&mut self) -> Option<TaskPtr> {
            if let Some(record) = self.current.pop() {
                return Some(record);
            }
            if self.spare.length > 0 {
                std::mem::swap(&mut self.current, &mut self.spare);
            } else {
                let shared = lock(&SHARED).pop();
                self.current = match shared {
                    Some(list) => list,
                    None => grow()?,
                };
            }
            self.current.pop()
        }

        fn give(&mut self, record: TaskPtr) {
            if self.current.length >= BATCH {
                std::mem::swap(&mut self.current, &mut self.spare);
                if self.current.length > 0 {
                    let full = std::mem::take(&mut self.current);
                    share(&mut lock(&SHARED), full);
                }
            }
            self.current.push(record);
        }
    }

    /// A record that holds nothing, and is the caller's alone; `None` where memory is short.
    pub(crate) fn allocate() -> Option<NonNull<Task>> {
        // Any of them may be the first of a batch, so tests refuse any.
        if crate::faults::refuse_allocation() {
            return None;
        }
        let local = LOCAL.try_with(|local| local.borrow_mut().take());
        NonNull::new(local.unwrap_or_else(|_| Local::default().take())?.as_ptr())
    }

    /// Clears a task and frees its record.
    ///
    /// # Safety
    /// The record came from [`allocate`], and nobody uses it any more.
    pub(crate) unsafe fn free(task: NonNull<Task>) {
        let mut task = task;
        // SAFETY: the caller's promise.
        unsafe { task.as_mut() }.clear();
        let Some(record) = TaskPtr::new(task.as_ptr()) else { return };
        if LOCAL.try_with(|local| local.borrow_mut().give(record)).is_err() {
            // The thread is ending: its list is gone.
            Local::default().give(record);
        }
    }
}
