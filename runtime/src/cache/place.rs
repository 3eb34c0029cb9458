//! Where the cache is and how large it may be, from the environment.

use std::env;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::service::is_privileged;

/// `off`: there is no cache.
const SWITCH: &str = "OXCL_CACHE";
/// Its folder.
const FOLDER: &str = "OXCL_CACHE_DIR";
/// Its size in MiB.
const SIZE: &str = "OXCL_CACHE_SIZE";
/// MiB, if nothing else is said.
const DEFAULT_SIZE: u64 = 1024;

/// The folder and the size in bytes; none where there shall be no cache or can be none.
pub(super) fn place() -> Option<(PathBuf, u64)> {
    if env::var(SWITCH).is_ok_and(|value| ["off", "0", "no", "false"].contains(&value.trim())) {
        return None;
    }
    let size = env::var(SIZE).ok().and_then(|value| value.trim().parse().ok()).unwrap_or(DEFAULT_SIZE);
    Some((folder()?, size.saturating_mul(1 << 20)))
}

fn folder() -> Option<PathBuf> {
    // What is kept is code: a program with more rights than its user takes none that the user may have put somewhere.
    if is_privileged() {
        return None;
    }
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = set(FOLDER) {
        return std::path::absolute(folder).ok();
    }
    let user = set("XDG_CACHE_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| set("HOME").filter(|path| path.is_absolute()).map(|home| home.join(".cache")))?;
    let folder = user.join("oxcl");
    is_ours(&folder, &user).then_some(folder)
}

/// Whether the folder, or what it would be made in, belongs to us or to the system. A program that runs as another user
/// with somebody's `HOME` must neither run what is kept there nor leave files that their owner cannot remove.
fn is_ours(folder: &Path, user: &Path) -> bool {
    // SAFETY: takes nothing.
    let me = unsafe { libc::geteuid() };
    let nearest = folder.metadata().or_else(|_| user.metadata()).or_else(|_| {
        let parent = user.parent().unwrap_or(user);
        parent.metadata()
    });
    nearest.is_ok_and(|data| data.uid() == me || (data.uid() == 0 && me != 0 && folder.exists()))
}
