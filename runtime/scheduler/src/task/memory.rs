//! Memory for task records. Each thread keeps a short list of free records; lists travel between threads in batches,
//! because the thread that makes tasks is seldom the one that frees them. Records are never given back to the system:
//! the process keeps as many as it once needed at the same time.

#[cfg(loom)]
pub(crate) use boxed::{allocate, free};
#[cfg(not(loom))]
pub(crate) use pooled::{allocate, free};

/// Loom's objects live no longer than one execution of the model, so its records are not kept.
#[cfg(loom)]
mod boxed {
    use std::ptr::NonNull;

    use crate::task::Task;

    /// Moves a task into a record.
    pub(crate) fn allocate(task: Task) -> Option<NonNull<Task>> {
        Some(NonNull::from(Box::leak(Box::new(task))))
    }

    /// Drops a task and frees its record.
    ///
    /// # Safety
    /// The record came from [`allocate`], and nobody uses it any more.
    pub(crate) unsafe fn free(task: NonNull<Task>) {
        // SAFETY: the caller's promise.
        drop(unsafe { Box::from_raw(task.as_ptr()) });
    }
}

#[cfg(not(loom))]
mod pooled {
    use std::alloc::{Layout, alloc};
    use std::cell::RefCell;
    use std::ptr::NonNull;

    use crate::shim::{Mutex, lock};
    use crate::task::Task;

    /// Records that travel together.
    const BATCH: usize = 64;

    /// A free record: its first word links to the next.
    struct Free {
        next: Option<NonNull<Free>>,
    }

    /// A list of free records and its length.
    #[derive(Default)]
    struct List {
        first: Option<NonNull<Free>>,
        length: usize,
    }

    // SAFETY: free records belong to whoever has the list.
    unsafe impl Send for List {}

    impl List {
        fn push(&mut self, record: NonNull<Free>) {
            // SAFETY: the record is free and large enough (a task is larger than a pointer).
            unsafe { record.write(Free { next: self.first }) };
            self.first = Some(record);
            self.length += 1;
        }

        fn pop(&mut self) -> Option<NonNull<Free>> {
            let record = self.first?;
            // SAFETY: every record in the list was initialised by `push`.
            self.first = unsafe { record.as_ref() }.next;
            self.length -= 1;
            Some(record)
        }
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
                    shared.push(list);
                }
            }
        }
    }

    thread_local! {
        static LOCAL: RefCell<Local> = RefCell::default();
    }

    /// A batch of fresh records.
    fn grow() -> Option<List> {
        let layout = Layout::array::<Task>(BATCH).ok()?;
        if crate::faults::refuse_allocation() {
            return None;
        }
        // SAFETY: the layout is not empty.
        let block = NonNull::new(unsafe { alloc(layout) })?;
        let mut list = List::default();
        for i in (0..BATCH).rev() {
            // SAFETY: the block holds `BATCH` records.
            list.push(unsafe { block.cast::<Task>().add(i) }.cast());
        }
        Some(list)
    }

    impl Local {
        fn take(&mut self) -> Option<NonNull<Free>> {
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

        fn give(&mut self, record: NonNull<Free>) {
            if self.current.length >= BATCH {
                std::mem::swap(&mut self.current, &mut self.spare);
                if self.current.length > 0 {
                    let full = std::mem::take(&mut self.current);
                    lock(&SHARED).push(full);
                }
            }
            self.current.push(record);
        }
    }

    /// Moves a task into a record; `None` where memory is short.
    pub(crate) fn allocate(task: Task) -> Option<NonNull<Task>> {
        let local = LOCAL.try_with(|local| local.borrow_mut().take());
        let record = local.unwrap_or_else(|_| Local::default().take())?.cast::<Task>();
        // SAFETY: the record is free, and as large and aligned as a task.
        unsafe { record.write(task) };
        Some(record)
    }

    /// Drops a task and frees its record.
    ///
    /// # Safety
    /// The record came from [`allocate`], and nobody uses it any more.
    pub(crate) unsafe fn free(task: NonNull<Task>) {
        // SAFETY: the caller's promise.
        unsafe { std::ptr::drop_in_place(task.as_ptr()) };
        let record = task.cast::<Free>();
        if LOCAL.try_with(|local| local.borrow_mut().give(record)).is_err() {
            // The thread is ending: its list is gone.
            Local::default().give(record);
        }
    }
}
