//! Where the program `oxcl` is. In: nothing but the process. Out: a path that exists.
//!
//! `OXCL_COMPILER` names it (never for programs that run with more rights than their user); else it lies beside this
//! library, or in the `bin` folder of the place where this library is installed, or beside the program; else `PATH`
//! has it.

use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Names the program.
const VARIABLE: &str = "OXCL_COMPILER";
const NAME: &str = "oxcl";

/// There is no such program.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum LocateError {
    /// `OXCL_COMPILER` names none.
    #[error("there is no compiler: {VARIABLE} is '{}', which is no program", .0.display())]
    NotThere(PathBuf),
    /// It was not found.
    #[error("there is no compiler: no program '{NAME}' in {}; {VARIABLE} can name it", .0.join(", "))]
    NotFound(Vec<String>),
}

/// Finds the program.
pub(super) fn locate() -> Result<PathBuf, LocateError> {
    // SAFETY: takes a number and gives one.
    let privileged = unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
    if !privileged && let Some(given) = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
        let path = PathBuf::from(given);
        return if is_program(&path) { Ok(path) } else { Err(LocateError::NotThere(path)) };
    }
    let mut folders = Vec::new();
    let library = library();
    let program = std::env::current_exe().ok();
    for file in library.iter().chain(&program) {
        let Some(folder) = file.parent() else { continue };
        let up = folder.parent().unwrap_or(folder);
        folders.extend([folder.to_owned(), up.join("bin"), up.to_owned()]);
        if let Some(further) = up.parent() {
            // `lib/x86_64-linux-gnu` and the like.
            folders.push(further.join("bin"));
        }
    }
    if !privileged {
        let path = std::env::var_os("PATH").unwrap_or_default();
        folders.extend(std::env::split_paths(&path).filter(|folder| folder.is_absolute()));
    }
    let mut looked: Vec<String> = Vec::new();
    for folder in folders {
        let candidate = folder.join(NAME);
        if is_program(&candidate) {
            return Ok(candidate);
        }
        let shown = folder.display().to_string();
        if !looked.contains(&shown) {
            looked.push(shown);
        }
    }
    Err(LocateError::NotFound(looked))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// The file that this code was loaded from.
fn library() -> Option<PathBuf> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    let here: *const c_void = (library as fn() -> Option<PathBuf> as *const ()).cast();
    // SAFETY: any address may be asked about, and `info` is a structure to write to.
    let found = unsafe { libc::dladdr(here, &raw mut info) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: `dladdr` succeeded and gave a name, which lives as long as the library is loaded: longer than this call.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    // The program itself may be named by how it was started; where that is relative it says nothing.
    Path::new(OsStr::from_bytes(name.to_bytes())).canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::{is_program, library};
    use std::path::Path;

    #[test]
    fn this_test_knows_its_own_file() {
        assert_eq!(library(), std::env::current_exe().ok().and_then(|path| path.canonicalize().ok()));
        assert!(is_program(Path::new("/bin/sh")) && !is_program(Path::new("/")));
    }
}
