//! Memory for the first compilation of a process, mapped at once.
//!
//! A compilation takes two to three megabytes of heap. Page by page, each fault costs more than the page's share of the
//! work done in it: mapping them together takes a tenth of a cold compilation's time away. Later compilations find the
//! memory there, because the heap is told not to give it back.

use std::sync::Once;

/// How far the heap grows at a time.
const GROWTH: usize = 8 << 20;

/// How much of that is mapped at once: what compiling a small kernel uses.
const MAPPED: usize = 3 << 20;

/// Grows the C library's heap and maps its pages, the first time that it is called. Changes how `malloc` of the whole
/// process grows and shrinks; for programs whose business is compiling. Does nothing where it cannot help: on threads
/// beside the main one, which have heaps of their own, and with other C libraries.
pub fn reserve_heap() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        reserve();
    });
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn reserve() {
    // SAFETY: takes no argument.
    let thread = unsafe { libc::gettid() };
    // SAFETY: takes no argument.
    let process = unsafe { libc::getpid() };
    if thread != process {
        return;
    }
    for (parameter, value) in
        [(libc::M_TOP_PAD, GROWTH), (libc::M_TRIM_THRESHOLD, 1 << 30), (libc::M_MMAP_THRESHOLD, 32 << 20)]
    {
        // SAFETY: a parameter of this C library's and a value in its range.
        unsafe { libc::mallopt(parameter, libc::c_int::try_from(value).unwrap_or(libc::c_int::MAX)) };
    }
    // More than the heap can have at its end now, so that it grows.
    // SAFETY: any size may be asked for.
    let probe = unsafe { libc::malloc(256 << 10) };
    // SAFETY: the pointer is from `malloc`, or null, and not used any more.
    unsafe { libc::free(probe) };
    // SAFETY: an increment of 0 changes nothing.
    let end = unsafe { libc::sbrk(0) }.addr();
    let begin = end.saturating_sub(GROWTH).next_multiple_of(4096);
    if !(end.saturating_sub(2 * GROWTH)..end).contains(&probe.addr()) {
        return;
    }
    let address = std::ptr::with_exposed_provenance_mut(begin);
    // What fails is only slower: the result is of no interest.
    // SAFETY: the range lies in the heap, which has just grown by more; mapping pages changes no contents.
    unsafe { libc::madvise(address, MAPPED, libc::MADV_POPULATE_WRITE) };
}

#[cfg(test)]
mod tests {
    use super::reserve_heap;

    #[test]
    fn memory_stays_usable() {
        let before = vec![7_u8; 100_000];
        reserve_heap();
        reserve_heap();
        let after = vec![1_u8; 10_000_000];
        assert_eq!(before.iter().map(|b| usize::from(*b)).sum::<usize>(), 700_000);
        assert_eq!(after.iter().map(|b| usize::from(*b)).sum::<usize>(), 10_000_000);
    }
}
