//! What the compile service takes from the environment, read once: the program may change its variables at any time after,
//! in any of its threads, and the C library's list of them must not be walked meanwhile.
//!
//! In: the environment of the calling thread. Out: values. A program with more rights than its user takes nothing from
//! variables that lead to files.

use std::ffi::{CString, OsString};
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

/// Names the compiler.
const COMPILER: &str = "OXCL_COMPILER";
/// Where builds are kept that the compiler failed in, if not in the user's cache.
const REPRO: &str = "OXCL_REPRO_DIR";

/// The values.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The compiler, where one is named.
    pub(super) compiler: Option<PathBuf>,
    /// Folders to look for programs in.
    pub(super) path: Vec<PathBuf>,
    /// Folders for builds that the compiler failed in, best first.
    pub(super) repro: Vec<ReproFolder>,
    /// All variables, for programs that are started.
    pub(super) variables: Vec<CString>,
}

/// A folder for builds that the compiler failed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReproFolder {
    pub(super) path: PathBuf,
    /// The user has named it; else it is used only where it belongs to this user alone.
    pub(super) named: bool,
}

/// Whether this process has more rights than the user who started it: then its environment is somebody else's words.
pub(crate) fn is_privileged() -> bool {
    // SAFETY: takes a number and gives one.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

impl Environment {
    pub(super) fn read() -> Self {
        Self::of(is_privileged(), |name| std::env::var_os(name), std::env::vars_os())
    }

    fn of(
        privileged: bool,
        variable: impl Fn(&str) -> Option<OsString>,
        all: impl Iterator<Item = (OsString, OsString)>,
    ) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty() && !privileged);
        let path = set("PATH").unwrap_or_default();
        let text = |(name, value): (OsString, OsString)| {
            let mut text = name.into_vec();
            text.push(b'=');
            text.extend(value.into_vec());
            CString::new(text).ok()
        };
        Self {
            compiler: set(COMPILER).map(PathBuf::from),
            path: std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect(),
            repro: repro(privileged, set),
            variables: all.filter_map(text).collect(),
        }
    }
}

fn repro(privileged: bool, set: impl Fn(&str) -> Option<OsString>) -> Vec<ReproFolder> {
    if privileged {
        return Vec::new();
    }
    if let Some(given) = set(REPRO) {
        return vec![ReproFolder { path: PathBuf::from(given), named: true }];
    }
    let absolute = |name: &str| set(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
    // SAFETY: takes nothing.
    let user = unsafe { libc::geteuid() };
    let temporary = absolute("TMPDIR").unwrap_or_else(|| PathBuf::from("/tmp"));
    let folders = cache.map(|cache| cache.join("oxcl/failed"));
    let folders = folders.into_iter().chain([temporary.join(format!("oxcl-failed-{user}"))]);
    folders.map(|path| ReproFolder { path, named: false }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(privileged: bool, variables: &[(&str, &str)]) -> Environment {
        let find = |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, v)| (*v).into());
        Environment::of(privileged, find, variables.iter().map(|(name, value)| (name.into(), value.into())))
    }

    const ALL: [(&str, &str); 4] =
        [("OXCL_COMPILER", "/a/oxcl"), ("OXCL_REPRO_DIR", "/b"), ("PATH", "/c:d:/e"), ("HOME", "/f")];

    #[test]
    fn variables_are_taken() {
        let read = environment(false, &ALL);
        assert_eq!(read.compiler, Some(PathBuf::from("/a/oxcl")));
        assert_eq!(read.path, [PathBuf::from("/c"), PathBuf::from("/e")]);
        assert_eq!(read.repro, [ReproFolder { path: "/b".into(), named: true }]);
        assert_eq!(read.variables[0].to_bytes(), b"OXCL_COMPILER=/a/oxcl");
        let read = environment(false, &ALL[2..]);
        assert_eq!(read.repro[0], ReproFolder { path: "/f/.cache/oxcl/failed".into(), named: false });
        assert_eq!((read.repro.len(), read.compiler), (2, None));
    }

    #[test]
    fn a_program_with_more_rights_than_its_user_goes_nowhere_that_the_user_names() {
        let read = environment(true, &ALL);
        assert_eq!((read.compiler, read.path.len(), read.repro.len()), (None, 0, 0));
    }
}
