//! Whether memory that the host program gave is still there: a pointer that went away is the caller's fault, and is named
//! instead of ending the process in the middle of a copy.

use oxcl_driver::{DriverError, HostSpan};

/// Whether all pages of a span are mapped. Memory that goes away later than this still faults.
pub(super) fn check(span: HostSpan) -> Result<(), DriverError> {
    // SAFETY: the call takes a number and returns one.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    let page = usize::try_from(page).unwrap_or(4096).max(1);
    let address = span.pointer() as usize;
    let length = usize::try_from(span.length()).unwrap_or(usize::MAX);
    if length == 0 {
        return Ok(());
    }
    let first = address - address % page;
    let end = address.saturating_add(length);
    // A part at a time, so that the answer fits a small array.
    let mut seen = [0_u8; 1024];
    let mut at = first;
    while at < end {
        let part = (end - at).div_ceil(page).min(seen.len()) * page;
        // SAFETY: the array has a byte for every page of the part; the call looks at no memory beyond it.
        let result = unsafe { libc::mincore(at as *mut libc::c_void, part, seen.as_mut_ptr()) };
        if result != 0 && std::io::Error::last_os_error().raw_os_error() == Some(libc::ENOMEM) {
            return Err(DriverError::HostMemoryGone { address: address as u64, bytes: span.length() });
        }
        at = at.saturating_add(part);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_gone_is_named() {
        let size = 3 << 20;
        let (read, private) = (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: a new mapping at an address of the system's choice.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), size, read, private, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        let pointer = std::ptr::NonNull::new(start.cast::<u8>()).unwrap();
        // SAFETY: nothing is copied.
        let span = unsafe { HostSpan::new(pointer, size as u64) };
        assert_eq!(check(span), Ok(()));
        assert_eq!(check(span.part(5, 100).unwrap()), Ok(()));
        // SAFETY: the second half of the mapping, which nobody uses.
        unsafe { libc::munmap(start.wrapping_byte_add(size / 2), size / 2) };
        assert_eq!(check(span.part(0, 1000).unwrap()), Ok(()));
        let error = check(span).unwrap_err();
        assert!(error.to_string().contains("caller"), "{error}");
        // SAFETY: the first half, likewise.
        unsafe { libc::munmap(start, size / 2) };
    }
}
