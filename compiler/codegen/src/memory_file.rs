//! Files that exist in memory only, for a linker that takes files.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd};

/// A file in memory; it is gone when dropped.
#[derive(Debug)]
pub(crate) struct MemoryFile {
    file: File,
}

impl MemoryFile {
    /// A file that holds `data`. The name is for people who look at `/proc`.
    pub(crate) fn with(name: &CStr, data: &[u8]) -> io::Result<Self> {
        // SAFETY: the name is a C string; the call touches nothing else of ours.
        let descriptor = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is open and nobody else's.
        let mut file = unsafe { File::from_raw_fd(descriptor) };
        file.write_all(data)?;
        Ok(Self { file })
    }

    /// The path that opens it, in this process and as long as it lives.
    pub(crate) fn path(&self) -> String {
        format!("/proc/self/fd/{}", self.file.as_raw_fd())
    }
}
