//! A kernel's shared object in memory.
//!
//! In: the bytes of a file. Out: [`Image`], which unloads when dropped. Looks the file over first (`elf`), then has the
//! system's loader map it: from an anonymous file in memory, or where that is not allowed from a private temporary
//! file. The system's loader knows libraries by the text of their path and hands out the old one when a path comes
//! again, so every load here has a path that no other has in the life of the process.

use std::ffi::{CString, c_void};
use std::io::Write as _;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LAZY, RTLD_LOCAL, RTLD_NOW};

use crate::elf;
use crate::error::LoadError;

/// A loaded shared object.
#[derive(Debug)]
pub(crate) struct Image {
    library: Library,
    start: usize,
    end: usize,
}

impl Image {
    /// Loads `bytes`, the file `path` of an archive, which must define the symbol `entry`.
    pub(crate) fn load(path: &str, bytes: &[u8], entry: &str) -> Result<Self, LoadError> {
        let object = elf::check(path, bytes, provided)?;
        let missing = || LoadError::MissingSymbol { path: path.to_owned(), symbol: entry.to_owned() };
        if !object.defines(entry) {
            return Err(missing());
        }
        let library = open(path, bytes)?;
        let mut image = Self { library, start: 0, end: 0 };
        let address = image.symbol(entry).ok_or_else(missing)?;
        image.start = base_of(address).ok_or_else(missing)?;
        image.end = image.start.saturating_add(usize::try_from(object.extent).unwrap_or(usize::MAX));
        Ok(image)
    }

    /// The address of a symbol that the object defines.
    pub(crate) fn symbol(&self, name: &str) -> Option<NonNull<c_void>> {
        // SAFETY: the symbol is only taken as an address here; its users say what is there.
        let symbol = unsafe { self.library.get::<*mut c_void>(name.as_bytes()) }.ok()?;
        NonNull::new(*symbol)
    }

    /// The first address of the object's memory, and the one past its last.
    pub(crate) fn range(&self) -> (usize, usize) {
        (self.start, self.end)
    }
}

/// The address at which the object that holds `address` begins.
fn base_of(address: NonNull<c_void>) -> Option<usize> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: `info` is a writable structure of the right type, and any address may be asked about.
    let found = unsafe { libc::dladdr(address.as_ptr(), &raw mut info) };
    (found != 0).then_some(info.dli_fbase as usize)
}

/// The libraries whose symbols a kernel may use.
fn libraries() -> &'static [Library] {
    static LIBRARIES: OnceLock<Vec<Library>> = OnceLock::new();
    LIBRARIES.get_or_init(|| {
        // Global: a kernel's object need not name the maths library to find its functions.
        let names = ["libc.so.6", "libm.so.6"];
        let open = |name: &&str| {
            let name = *name;
            // SAFETY: the C and maths libraries belong to the process already; their initialisers have run.
            unsafe { Library::open(Some(name), RTLD_LAZY | RTLD_GLOBAL) }.ok()
        };
        // Vector maths is found by those objects only that name its library.
        // SAFETY: the vector maths library is part of the C library and has no initialisers of its own.
        let vector = unsafe { Library::open(Some("libmvec.so.1"), RTLD_LAZY | RTLD_LOCAL) };
        names.iter().filter_map(open).chain(vector.ok()).collect()
    })
}

fn provided(symbol: &str) -> bool {
    // SAFETY: only whether the symbol exists is asked; it is neither called nor read.
    let has = |library: &Library| unsafe { library.get::<*mut c_void>(symbol.as_bytes()) }.is_ok();
    libraries().iter().any(has)
}

/// Has the system's loader map `bytes`.
fn open(path: &str, bytes: &[u8]) -> Result<Library, LoadError> {
    let mut attempts = Vec::new();
    match in_memory(bytes) {
        Ok(library) => return Ok(library),
        Err(error) => attempts.push(format!("from memory: {error}")),
    }
    for folder in folders() {
        match in_folder(&folder, bytes) {
            Ok(library) => return Ok(library),
            Err(error) => attempts.push(format!("from {}: {error}", folder.display())),
        }
    }
    Err(LoadError::Refused { path: path.to_owned(), attempts })
}

/// Where private temporary files are tried; one of them may be mounted so that nothing in it can be executed.
fn folders() -> Vec<PathBuf> {
    let mut folders = vec![std::env::temp_dir()];
    let more = [std::env::var_os("XDG_RUNTIME_DIR"), std::env::var_os("HOME"), Some("/dev/shm".into())];
    for folder in more.into_iter().flatten().map(PathBuf::from) {
        if folder.is_dir() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    // Relaxed: the number only has to differ from all others.
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn in_memory(bytes: &[u8]) -> Result<Library, String> {
    let name = CString::new("oxcl-kernel").map_err(|error| error.to_string())?;
    // SAFETY: the name is a C string; the call has no other requirement.
    let raw = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if raw < 0 {
        return Err(std::io::Error::last_os_error().to_string());
    }
    // SAFETY: the descriptor was made just now and belongs to nobody else.
    let descriptor = unsafe { OwnedFd::from_raw_fd(raw) };
    let mut file = std::fs::File::from(descriptor);
    file.write_all(bytes).map_err(|error| error.to_string())?;
    // Descriptor numbers come again; the path must not. So the load's number is spelled into it as a pattern of `.`
    // and empty components, which lead nowhere.
    let mut spelled = String::from("/proc/self/fd/");
    let mut number = next_number();
    while number > 0 {
        spelled.push_str(if number & 1 == 1 { "./" } else { "/" });
        number >>= 1;
    }
    spelled.push_str(&file.as_raw_fd().to_string());
    load_from(Path::new(&spelled))
}

fn in_folder(folder: &Path, bytes: &[u8]) -> Result<Library, String> {
    let prefix = format!(".oxcl-kernel-{}-", next_number());
    let file = tempfile::Builder::new().prefix(&prefix).suffix(".so").tempfile_in(folder);
    let mut file = file.map_err(|error| error.to_string())?;
    file.write_all(bytes).map_err(|error| error.to_string())?;
    file.flush().map_err(|error| error.to_string())?;
    load_from(file.path())
}

fn load_from(path: &Path) -> Result<Library, String> {
    // SAFETY: a kernel's object has no initialisers that matter to us: it is code that the user asked to run.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    library.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_libraries_provide_what_kernels_call() {
        assert!(
            provided("memcpy") && provided("aligned_alloc") && provided("sinf") && provided("__tls_get_addr")
        );
        assert!(!provided("pocl_flush_printf_buffer"));
    }
}
