//! The cache: whether it can be used, by whom, and what is in it.

use super::{Problem, Report, System};
use oxcl_runtime::Cache;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// Below so much free space a build's result is not sure to be kept.
const FREE: u64 = 16 << 20;

/// Looks at it.
pub(super) fn examine(system: &System, report: &mut Report) {
    if system.variable("OXCL_CACHE").is_some_and(|value| ["off", "0", "no", "false"].contains(&value.trim()))
    {
        report.fact("cache", "off, by OXCL_CACHE");
        return;
    }
    let Some(cache) = Cache::from_environment() else {
        report.find(
            Problem::CacheUnusable,
            "there is no cache: HOME and XDG_CACHE_HOME name no folder, or one that belongs to another user",
            "export OXCL_CACHE_DIR=/var/tmp/oxcl-cache-$(id -u)",
        );
        return;
    };
    let folder = cache.folder();
    let shown = folder.display();
    if let Err(error) = writable(folder) {
        let mend = match system.variable("OXCL_CACHE_DIR") {
            Some(_) => "unset OXCL_CACHE_DIR".to_owned(),
            None => format!("sudo chown -R $(id -u) {shown} && chmod -R u+rwX {shown}"),
        };
        report.find(
            Problem::CacheUnusable,
            format!("the cache cannot be written: {}: {error}", nearest(folder).display()),
            mend,
        );
        return;
    }
    // Only whoever owns a folder chooses who writes into it.
    if folder.metadata().is_ok_and(|data| data.mode() & 0o002 != 0) {
        report.find(
            Problem::CacheOpen,
            format!("everybody may write into the cache {shown}, and what is kept there is code that is run"),
            format!("chmod go-w {shown}"),
        );
    }
    let Ok(info) = cache.info() else { return };
    let size = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
    report.fact(
        "cache",
        format!("{shown}, {} files, {} of {}", info.files, size(info.bytes), size(info.limit)),
    );
    if info.bytes > info.limit {
        report.find(
            Problem::CacheFull,
            format!(
                "the cache {shown} has {}, and shall have {} at most",
                size(info.bytes),
                size(info.limit)
            ),
            format!("{} cache prune", system.program.display()),
        );
    }
    if let Some(free) = free(nearest(folder))
        && free < FREE
    {
        report.find(
            Problem::CacheFull,
            format!("the disk of the cache {shown} has {} left", size(free)),
            format!("{} cache clear", system.program.display()),
        );
    }
    if let Ok(damages) = cache.verify(&mut |_, _| {})
        && let Some(first) = damages.first()
    {
        report.find(
            Problem::CacheDamaged,
            format!(
                "{} of the cache's files are damaged, such as {}: {}",
                damages.len(),
                first.path.display(),
                first.reason
            ),
            format!("{} cache prune", system.program.display()),
        );
    }
}

/// The folder, or the nearest one above it that is there.
fn nearest(folder: &Path) -> &Path {
    folder.ancestors().find(|path| path.symlink_metadata().is_ok()).unwrap_or(folder)
}

/// Makes a file in the folder, or in the nearest one above, that goes at once.
pub(super) fn writable(folder: &Path) -> std::io::Result<()> {
    let place = nearest(folder);
    if !fs::metadata(place)?.is_dir() {
        return Err(std::io::ErrorKind::NotADirectory.into());
    }
    tempfile::tempfile_in(place).map(|_| ())
}

/// The bytes that this user may still write on a folder's disk.
fn free(folder: &Path) -> Option<u64> {
    use std::os::unix::ffi::OsStrExt as _;
    let path = std::ffi::CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: all bytes of the structure may be zero.
    let mut data: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path is a C string, and the structure is there to be written to.
    let failed = unsafe { libc::statvfs(path.as_ptr(), &raw mut data) };
    (failed == 0).then(|| data.f_bavail.saturating_mul(data.f_frsize))
}
