//! Which pages of a mapping have memory of their own. The system gives an anonymous page memory when it is first written; one
//! that was only read is the page of zeros, which all share.
//!
//! In: the process's `/proc/self/pagemap`, eight bytes for each page. Pages that were swapped out have no memory. Pages that
//! are shared with a child of `fork` count as none of ours.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// The page is in memory.
const PRESENT: u64 = 1 << 63;
/// Nobody else has it.
const EXCLUSIVE: u64 = 1 << 56;

/// Pages that are looked at at once.
const PAGES: usize = 4096;

/// Bytes of a page.
pub(super) fn page_size() -> usize {
    // SAFETY: the call takes a number and returns one.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096).max(1)
}

/// Bytes of a mapping of `bytes` bytes at `start`, a page's first address, that have memory; fewer where the system does
/// not say.
pub(super) fn bytes(map: &File, start: usize, bytes: usize) -> usize {
    let size = page_size();
    let (first, pages) = (start / size, bytes.div_ceil(size));
    let mut buffer = vec![0_u8; PAGES.min(pages) * 8];
    let (mut at, mut present) = (0, 0);
    while at < pages {
        let count = PAGES.min(pages - at);
        let part = &mut buffer[..count * 8];
        if map.read_exact_at(part, ((first + at) * 8) as u64).is_err() {
            break;
        }
        let (entries, _) = part.as_chunks::<8>();
        let is_ours =
            |entry: &&[u8; 8]| u64::from_ne_bytes(**entry) & (PRESENT | EXCLUSIVE) == PRESENT | EXCLUSIVE;
        present += entries.iter().filter(is_ours).count();
        at += count;
    }
    (present * size).min(bytes)
}
