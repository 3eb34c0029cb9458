//! Where the program `oxcl` is. In: what was read of the environment. Out: a path that exists.
//!
//! `OXCL_COMPILER` names it (never for programs that run with more rights than their user); else it lies beside this
//! library or in a folder `bin` there, or in the `bin` folder of the place where this library is installed, or in the Python package that was installed
//! with it, or beside the program; else `PATH` has it. What nobody named must belong to the system, to this user, or to whom the library belongs, and nobody else
//! may have written it: a program in `/tmp` does not run what others have put there.

use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::environment::Environment;

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
pub(super) fn locate(environment: &Environment) -> Result<PathBuf, LocateError> {
    if let Some(path) = &environment.compiler {
        return if is_program(path) { Ok(path.clone()) } else { Err(LocateError::NotThere(path.clone())) };
    }
    let sought = seek(library().as_deref(), std::env::current_exe().ok().as_deref(), &environment.path);
    sought.found.ok_or(LocateError::NotFound(sought.looked))
}

/// Where a compiler was looked for, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CompilerSearch {
    /// The program that is taken.
    pub found: Option<PathBuf>,
    /// Programs of the right name that are not taken, because others than the system, this user and the library's owner
    /// may have written them.
    pub refused: Vec<PathBuf>,
    /// The folders that were looked into, in their order.
    pub looked: Vec<String>,
}

/// Looks for the compiler of a library as the library itself does where `OXCL_COMPILER` names none: `program` is the one
/// that has loaded it, `path` the folders of `PATH`.
#[must_use]
pub fn seek(library: Option<&Path>, program: Option<&Path>, path: &[PathBuf]) -> CompilerSearch {
    // SAFETY: takes nothing.
    let user = unsafe { libc::geteuid() };
    let owner = library.and_then(|library| library.metadata().ok()).map(|data| data.uid());
    let beside = |file: &Path| {
        let folder = file.parent()?.to_owned();
        let up = folder.parent().unwrap_or(&folder).to_owned();
        Some((folder, up))
    };
    let mut folders = Vec::new();
    if let Some((folder, up)) = library.and_then(beside) {
        // `lib/x86_64-linux-gnu` and the like; Python's package, which has the program in a folder of its own; and Python's `site-packages`, where the library is in `pyopencl/.libs`.
        let further = up.parent().map(|further| [further.join("bin"), further.join("oxcl/bin")]);
        folders.extend([folder.clone(), folder.join("bin"), up.join("bin"), up]);
        folders.extend(further.into_iter().flatten());
    }
    if let Some((folder, up)) = program.and_then(beside) {
        folders.extend([folder, up.join("bin")]);
    }
    let trusted = folders.len();
    folders.extend(path.iter().cloned());
    let mut search = CompilerSearch::default();
    for (index, folder) in folders.iter().enumerate() {
        let candidate = folder.join(NAME);
        let known = |owner: u32| owner == 0 || owner == user;
        if is_program(&candidate) {
            if index >= trusted || is_trusted(&candidate, |by| known(by) || Some(by) == owner) {
                search.found = Some(candidate);
                return search;
            }
            search.refused.push(candidate);
        }
        let shown = folder.display().to_string();
        if !search.looked.contains(&shown) {
            search.looked.push(shown);
        }
    }
    search
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// Whether only trusted users can have written the file.
fn is_trusted(path: &Path, trusts: impl Fn(u32) -> bool) -> bool {
    path.metadata().is_ok_and(|data| trusts(data.uid()) && data.mode() & 0o002 == 0)
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
    use super::{is_program, is_trusted, library};
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    use std::path::Path;

    #[test]
    fn this_test_knows_its_own_file() {
        assert_eq!(library(), std::env::current_exe().ok().and_then(|path| path.canonicalize().ok()));
        assert!(is_program(Path::new("/bin/sh")) && !is_program(Path::new("/")));
    }

    #[test]
    fn what_others_may_have_written_is_not_run() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("oxcl");
        std::fs::write(&file, "#!/bin/sh\n").unwrap();
        let owner = file.metadata().unwrap().uid();
        for (mode, trusted) in [(0o755, true), (0o775, true), (0o777, false), (0o757, false)] {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(is_trusted(&file, |by| by == owner), trusted, "{mode:o}");
            assert!(!is_trusted(&file, |by| by == owner + 1), "{mode:o}");
        }
    }
}
