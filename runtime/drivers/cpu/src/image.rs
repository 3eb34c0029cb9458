//! A kernel's shared object in memory.
//!
//! In: the bytes of a file. Out: [`Image`], which unloads when dropped. Looks the file over first (`elf`), then has the
//! system's loader map it: from an anonymous file in memory, or where that is not allowed from a private temporary
//! file. The system's loader knows libraries by the text of their path and hands out the old one when a path comes
//! again, so every load here has a path that no other has in the life of the process.
//!
//! The loader has locks of its own, which `fork` of glibc 2.36 leaves as they are: a child that was forked while another thread was
//! in the loader waits for that thread in its first load. So everything here that enters the loader holds one lock, which is
//! taken around forks ([`loader`]). What the host program has it do for itself is the host program's.

use std::ffi::{CString, OsString, c_void};
use std::io::Write as _;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LAZY, RTLD_LOCAL, RTLD_NOW};

use crate::elf;
use crate::needed;
use oxcl_driver::CodeError;

static LOADER: Mutex<()> = Mutex::new(());

/// Held by who is in the system's loader. No other lock is taken under it.
pub(crate) fn loader() -> MutexGuard<'static, ()> {
    LOADER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A loaded shared object.
#[derive(Debug)]
pub(crate) struct Image {
    /// `None` while it is dropped.
    library: Option<Library>,
    start: usize,
    end: usize,
}

impl Image {
    /// Loads `bytes`, the file `path` of an archive, which must define the symbol `entry`.
    pub(crate) fn load(path: &str, bytes: &[u8], entry: &str) -> Result<Self, CodeError> {
        let object = elf::check(path, bytes, |symbol| provided(symbol).is_some())?;
        let missing = || CodeError::MissingSymbol { path: path.to_owned(), symbol: entry.to_owned() };
        if !object.defines(entry) {
            return Err(missing());
        }
        let library = open(path, &needed::without_host_library(bytes))?;
        let mut image = Self { library: Some(library), start: 0, end: 0 };
        let address = image.symbol(entry).ok_or_else(missing)?;
        (image.start, image.end) = range_around(address.as_ptr() as usize).ok_or_else(missing)?;
        Ok(image)
    }

    /// The address of a symbol that the object defines.
    pub(crate) fn symbol(&self, name: &str) -> Option<NonNull<c_void>> {
        let library = self.library.as_ref()?;
        let _held = loader();
        // SAFETY: the symbol is only taken as an address here; its users say what is there.
        let symbol = unsafe { library.get::<*mut c_void>(name.as_bytes()) }.ok()?;
        NonNull::new(*symbol)
    }

    /// The first address of the object's memory, and the one past its last.
    pub(crate) fn range(&self) -> (usize, usize) {
        (self.start, self.end)
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        let _held = loader();
        drop(self.library.take());
    }
}

/// The memory of the loaded object that holds `address`: first address, and the one past its last.
pub(crate) fn range_around(address: usize) -> Option<(usize, usize)> {
    let mut search = Search { address, found: None };
    let _held = loader();
    // SAFETY: the callback has the type that the call wants, and the data is what it takes.
    unsafe { libc::dl_iterate_phdr(Some(look_at), (&raw mut search).cast()) };
    search.found
}

struct Search {
    address: usize,
    found: Option<(usize, usize)>,
}

/// # Safety
/// `info` describes a loaded object, and `data` is a [`Search`].
unsafe extern "C" fn look_at(info: *mut libc::dl_phdr_info, _size: usize, data: *mut c_void) -> i32 {
    // SAFETY: by the caller's promise.
    let search = unsafe { &mut *data.cast::<Search>() };
    // SAFETY: by the caller's promise.
    let info = unsafe { &*info };
    // SAFETY: the object's program headers are in memory as long as it is loaded.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let base = info.dlpi_addr as usize;
    let loads = || headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
    let start = loads().map(|header| base.wrapping_add(header.p_vaddr as usize)).min();
    let end = loads().map(|header| base.wrapping_add((header.p_vaddr + header.p_memsz) as usize)).max();
    if let (Some(start), Some(end)) = (start, end)
        && (start..end).contains(&search.address)
    {
        search.found = Some((start, end));
        return 1;
    }
    0
}

/// The C and maths libraries, whose symbols a kernel may use.
fn libraries() -> &'static [Library] {
    static LIBRARIES: OnceLock<Vec<Library>> = OnceLock::new();
    LIBRARIES.get_or_init(|| {
        let _held = loader();
        // Global: a kernel's object need not name the maths library to find its functions.
        let names = ["libc.so.6", "libm.so.6"];
        let open = |name: &&str| {
            let name = *name;
            // SAFETY: the C and maths libraries belong to the process already; their initialisers have run.
            unsafe { Library::open(Some(name), RTLD_LAZY | RTLD_GLOBAL) }.ok()
        };
        names.iter().filter_map(open).collect()
    })
}

/// The vector maths library, with its megabyte, for those kernels that ask for one of its functions. It is found by those objects
/// only that name it.
fn vector_library() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    let open = || {
        let _held = loader();
        // SAFETY: the vector maths library is part of the C library and has no initialisers of its own.
        unsafe { Library::open(Some("libmvec.so.1"), RTLD_LAZY | RTLD_LOCAL) }.ok()
    };
    LIBRARY.get_or_init(open).as_ref()
}

/// What the names of all functions of the vector maths library begin with (the vector function ABI of x86 and AArch64).
const VECTOR_PREFIX: &str = "_ZGV";

/// The address of a function of the C, maths or vector maths library.
pub(crate) fn provided(symbol: &str) -> Option<usize> {
    let vector = if symbol.starts_with(VECTOR_PREFIX) { vector_library() } else { None };
    let libraries = libraries();
    let _held = loader();
    libraries.iter().chain(vector).find_map(|library| {
        // SAFETY: the symbol is only taken as an address here.
        let address = unsafe { library.get::<*mut c_void>(symbol.as_bytes()) }.ok()?;
        Some(*address as usize)
    })
}

/// Has the system's loader map `bytes`.
fn open(path: &str, bytes: &[u8]) -> Result<Library, CodeError> {
    let mut attempts = Vec::new();
    match in_memory(bytes) {
        Ok(library) => return Ok(library),
        Err(error) => attempts.push(format!("from memory: {error}")),
    }
    for folder in folders() {
        match in_folder(folder, bytes) {
            Ok(library) => return Ok(library),
            Err(error) => attempts.push(format!("from {}: {error}", folder.display())),
        }
    }
    Err(CodeError::Refused { path: path.to_owned(), attempts })
}

/// Where private temporary files are tried; one of them may be mounted so that nothing in it can be executed. Read of the
/// environment once: the first time is when a driver is made, in the program's own thread.
pub(crate) fn folders() -> &'static [PathBuf] {
    static FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOLDERS.get_or_init(|| {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let named = [set("TMPDIR").or(Some("/tmp".into())), set("XDG_RUNTIME_DIR"), set("HOME")];
        let mut folders: Vec<PathBuf> = Vec::new();
        for folder in named.into_iter().flatten().chain([OsString::from("/dev/shm")]).map(PathBuf::from) {
            if folder.is_dir() && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
    })
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
    let _held = loader();
    // SAFETY: a kernel's object has no initialisers that matter to us: it is code that the user asked to run.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    library.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_loading_work_and_leave_no_file() {
        let (start, _) = range_around(provided("sinf").unwrap()).unwrap();
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let line = maps.lines().find(|line| line.starts_with(&format!("{start:x}-"))).unwrap();
        let bytes = std::fs::read(line.split_whitespace().last().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        for library in [in_memory(&bytes).unwrap(), in_folder(folder.path(), &bytes).unwrap()] {
            // SAFETY: only the symbol's address is taken.
            let own = unsafe { library.get::<*mut c_void>(b"sinf") }.unwrap();
            assert_ne!(Some(*own as usize), provided("sinf"), "a second copy of the maths library");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_libraries_provide_what_kernels_call() {
        for symbol in ["memcpy", "aligned_alloc", "sinf", "__tls_get_addr"] {
            assert!(provided(symbol).is_some(), "{symbol}");
        }
        assert!(provided("pocl_flush_printf_buffer").is_none());
    }
}
