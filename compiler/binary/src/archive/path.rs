//! What a name inside an archive may look like. A reader unpacks these names into a directory, so everything that
//! could leave it, or that two files could disagree on, is refused on the way in and on the way out.

use std::collections::BTreeSet;

/// Longest path in bytes. PoCL copies paths into a buffer of fixed size behind its cache directory's own path.
pub(super) const MAX_PATH: usize = 1024;

/// Longest component of a path in bytes: what file systems take.
const MAX_COMPONENT: usize = 255;

/// Why a path is not allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PathFault {
    /// It does not begin with `/`.
    #[error("it does not begin with '/'")]
    NotRooted,
    /// It has an empty component: `//`, or `/` at the end.
    #[error("it has an empty component")]
    EmptyComponent,
    /// It has a component `.` or `..`.
    #[error("it has a component '.' or '..'")]
    Relative,
    /// It has a backslash, which some systems take for a separator.
    #[error("it has a backslash")]
    Backslash,
    /// It has a control character.
    #[error("it has a control character")]
    Control,
    /// It, or one of its components, is too long.
    #[error("it is longer than 1024 bytes, or has a component of more than 255")]
    TooLong,
    /// Another file of the archive has the same path.
    #[error("another file has this path")]
    Duplicate,
    /// Another file of the archive has the path of one of its directories, or the other way round.
    #[error("another file needs a directory of this name, or is where a directory is needed")]
    FileAndDirectory,
}

/// Checks one path by itself.
pub(super) fn check(path: &str) -> Result<(), PathFault> {
    if path.len() > MAX_PATH {
        return Err(PathFault::TooLong);
    }
    let Some(relative) = path.strip_prefix('/') else {
        return Err(PathFault::NotRooted);
    };
    if path.contains('\\') {
        return Err(PathFault::Backslash);
    }
    if path.chars().any(char::is_control) {
        return Err(PathFault::Control);
    }
    for component in relative.split('/') {
        match component {
            "" => return Err(PathFault::EmptyComponent),
            "." | ".." => return Err(PathFault::Relative),
            _ if component.len() > MAX_COMPONENT => return Err(PathFault::TooLong),
            _ => {}
        }
    }
    Ok(())
}

/// The paths met so far in one archive.
#[derive(Debug, Default)]
pub(super) struct Paths<'a> {
    files: BTreeSet<&'a str>,
    directories: BTreeSet<&'a str>,
}

impl<'a> Paths<'a> {
    /// Checks a path by itself and against those before it.
    pub(super) fn add(&mut self, path: &'a str) -> Result<(), PathFault> {
        check(path)?;
        if self.directories.contains(path) {
            return Err(PathFault::FileAndDirectory);
        }
        if !self.files.insert(path) {
            return Err(PathFault::Duplicate);
        }
        let mut directory = path;
        while let Some((parent, _)) = directory.rsplit_once('/') {
            if parent.is_empty() {
                break;
            }
            if self.files.contains(parent) {
                return Err(PathFault::FileAndDirectory);
            }
            // A directory that is known has had its own parents checked.
            if !self.directories.insert(parent) {
                break;
            }
            directory = parent;
        }
        Ok(())
    }
}

/// Whether a text may be a kernel's name: PoCL makes a directory and a symbol of it.
pub(super) fn is_kernel_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && !name.chars().any(|c| c == '/' || c == '\\' || c.is_control())
}

/// Whether a text may stand in the build hash's field: the name of a directory, relative, of at most 40 characters.
pub(super) fn is_build_hash(text: &str) -> bool {
    text.len() <= crate::hash::BUILD_HASH_LENGTH
        && text.split('/').all(|component| {
            !matches!(component, "" | "." | "..")
                && component.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
        })
}

#[cfg(test)]
mod tests {
    use super::{PathFault, Paths, check};

    #[test]
    fn paths_that_leave_the_directory_are_refused() {
        assert_eq!(check("/k/0-0-0/k.so"), Ok(()));
        assert_eq!(check("/..k/a..b"), Ok(()));
        assert_eq!(check("k/a"), Err(PathFault::NotRooted));
        assert_eq!(check(""), Err(PathFault::NotRooted));
        assert_eq!(check("//etc/passwd"), Err(PathFault::EmptyComponent));
        assert_eq!(check("/k/"), Err(PathFault::EmptyComponent));
        assert_eq!(check("/k/../../a"), Err(PathFault::Relative));
        assert_eq!(check("/.."), Err(PathFault::Relative));
        assert_eq!(check("/k/./a"), Err(PathFault::Relative));
        assert_eq!(check("/k\\..\\a"), Err(PathFault::Backslash));
        assert_eq!(check("/k\0/a"), Err(PathFault::Control));
        assert_eq!(check(&format!("/{}", "k".repeat(256))), Err(PathFault::TooLong));
        assert_eq!(check(&"/kk".repeat(400)), Err(PathFault::TooLong));
    }

    #[test]
    fn two_files_cannot_share_a_place() {
        let mut paths = Paths::default();
        assert_eq!(paths.add("/a/b"), Ok(()));
        assert_eq!(paths.add("/a/c"), Ok(()));
        assert_eq!(paths.add("/a/b"), Err(PathFault::Duplicate));
        assert_eq!(paths.add("/a"), Err(PathFault::FileAndDirectory));
        assert_eq!(paths.add("/a/b/c/d"), Err(PathFault::FileAndDirectory));
    }
}
