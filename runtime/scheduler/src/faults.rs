//! Failing allocations on purpose, for tests: the `n`th allocation that the calling thread makes on behalf of the
//! scheduler is refused. Outside the tests nothing is ever refused.

use std::sync::Arc;

/// Whether the allocation that is about to be made must fail.
#[cfg(not(all(test, not(loom))))]
#[inline(always)]
pub(crate) fn refuse_allocation() -> bool {
    false
}

#[cfg(all(test, not(loom)))]
pub(crate) use armed::{refuse_after, refuse_allocation};

#[cfg(all(test, not(loom)))]
mod armed {
    use std::cell::Cell;

    thread_local! {
        static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
    }

    /// Refuses the allocation after the next `count`, once; `None` refuses none. Whether the last order was carried out.
    pub(crate) fn refuse_after(count: Option<u64>) -> bool {
        LEFT.replace(count).is_none()
    }

    pub(crate) fn refuse_allocation() -> bool {
        match LEFT.get() {
            None => false,
            Some(0) => {
                LEFT.set(None);
                true
            }
            Some(n) => {
                LEFT.set(Some(n - 1));
                false
            }
        }
    }
}

/// Makes room in a vector, or says that there is none.
pub(crate) fn reserve<T>(vector: &mut Vec<T>, more: usize) -> Result<(), crate::queue::EnqueueError> {
    if vector.capacity() - vector.len() >= more {
        return Ok(());
    }
    if refuse_allocation() {
        return Err(crate::queue::EnqueueError::OutOfHostMemory);
    }
    vector.try_reserve(more).map_err(|_| crate::queue::EnqueueError::OutOfHostMemory)
}

/// Puts a value into a box, or gives it back where there is no memory.
///
/// # Errors
/// The value.
pub fn try_box<T>(value: T) -> Result<Box<T>, T> {
    if const { size_of::<T>() == 0 } {
        // Takes no memory.
        return Ok(Box::new(value));
    }
    if refuse_allocation() {
        return Err(value);
    }
    // SAFETY: the layout is not empty.
    let place = unsafe { std::alloc::alloc(std::alloc::Layout::new::<T>()) }.cast::<T>();
    if place.is_null() {
        return Err(value);
    }
    // SAFETY: the place is as large and aligned as the value, and nothing is there yet.
    unsafe { place.write(value) };
    // SAFETY: the place was allocated as boxes are, holds a value, and has no other owner.
    Ok(unsafe { Box::from_raw(place) })
}

/// Puts a value behind a counted reference, or gives it back where there is no memory. The standard library has no such
/// function: as much memory is asked for and given back first, which the C library's allocator keeps for this thread's
/// next request of that size.
pub(crate) fn try_arc<T>(value: T) -> Result<Arc<T>, T> {
    /// What is allocated.
    #[repr(C)]
    struct Counted<T> {
        counts: [usize; 2],
        value: T,
    }
    let layout = std::alloc::Layout::new::<Counted<T>>();
    if refuse_allocation() {
        return Err(value);
    }
    // SAFETY: the layout is not empty.
    let place = unsafe { std::alloc::alloc(layout) };
    if std::hint::black_box(place).is_null() {
        return Err(value);
    }
    // SAFETY: just allocated with this layout, and used by nobody.
    unsafe { std::alloc::dealloc(place, layout) };
    Ok(Arc::new(value))
}
