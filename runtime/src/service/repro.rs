//! What is kept of a build that the compiler failed in: a folder with the sources, the options, the reason, what the
//! compiler said, and the job as it went over the pipe (`oxcl serve < job` does it again).

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use oxcl_binary::pipe::{Job, Kind, Text, write_frame};

use super::environment::ReproFolder;

/// How many such folders are kept; the oldest go.
const KEPT: usize = 16;

/// Writes a folder; none where nothing can be written.
pub(super) fn keep(
    parents: &[ReproFolder],
    job: &Job,
    payload: &[u8],
    reason: &str,
    messages: &str,
) -> Option<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    // Relaxed: only makes names different.
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("{seconds:011}-{}-{count}", std::process::id());
    for ReproFolder { path: parent, named } in parents {
        // What is above it may be somebody else's as well: so it is looked at again once it is there.
        let may = || *named || is_ours(parent);
        if may()
            && DirBuilder::new().recursive(true).mode(0o700).create(parent).is_ok()
            && may()
            && let Ok(folder) = write(parent, &name, job, payload, reason, messages)
        {
            forget_old(parent);
            return Some(folder);
        }
    }
    None
}

/// Whether the folder, or nothing yet, is there, and it is this user's alone: others can make folders in `/tmp` beforehand.
fn is_ours(folder: &Path) -> bool {
    match fs::symlink_metadata(folder) {
        // SAFETY: takes nothing.
        Ok(data) => data.is_dir() && data.uid() == unsafe { libc::geteuid() } && data.mode() & 0o022 == 0,
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

fn write(
    parent: &Path,
    name: &str,
    job: &Job,
    payload: &[u8],
    reason: &str,
    messages: &str,
) -> io::Result<PathBuf> {
    let folder = parent.join(name);
    // Fails where it exists: nobody else's folder is written into.
    DirBuilder::new().mode(0o700).create(&folder)?;
    fs::write(folder.join("reason"), format!("{reason}\n"))?;
    fs::write(folder.join("options"), format!("{}\n", job.options))?;
    fs::write(folder.join("messages"), messages)?;
    for (kind, texts) in [("source", &job.sources), ("header", &job.headers)] {
        for (index, Text { name, text }) in texts.iter().enumerate() {
            fs::write(folder.join(format!("{kind}-{index}-{}", plain(name))), text)?;
        }
    }
    for (index, il) in job.il.iter().enumerate() {
        fs::write(folder.join(format!("module-{index}.spv")), &il.bytes)?;
    }
    for (index, input) in job.inputs.iter().enumerate() {
        fs::write(folder.join(format!("input-{index}.poclbin")), input)?;
    }
    let mut frame = Vec::new();
    write_frame(&mut frame, Kind::Job, payload).map_err(io::Error::other)?;
    fs::write(folder.join("job"), frame)?;
    Ok(folder)
}

/// The last part of a name with nothing in it that means something to a file system.
fn plain(name: &str) -> String {
    let last = name.rsplit('/').next().unwrap_or_default();
    let kept = last.chars().map(|c| if c.is_ascii_alphanumeric() || ".-_".contains(c) { c } else { '_' });
    kept.take(80).collect()
}

fn forget_old(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let mut names: Vec<_> = entries.filter_map(Result::ok).map(|entry| entry.file_name()).collect();
    // The folder may have other things in it: only what has a name of ours goes.
    names.retain(|name| name.to_str().is_some_and(is_name));
    names.sort();
    let surplus = names.len().saturating_sub(KEPT);
    for name in &names[..surplus] {
        // Another process may have been faster.
        let _ = fs::remove_dir_all(parent.join(name));
    }
}

/// Whether this is a name that [`keep`] gives: time, process, count.
fn is_name(name: &str) -> bool {
    let parts: Vec<&str> = name.split('-').collect();
    let digits = |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.len() == 3 && parts[0].len() == 11 && parts.iter().all(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_with_names_of_ours_go() {
        let parent = tempfile::tempdir().unwrap();
        let own = |count: usize| format!("{:011}-12-{count}", 1_700_000_000 + count);
        for name in ["0-thesis", "photos", "00001-2-3"] {
            fs::create_dir(parent.path().join(name)).unwrap();
        }
        (0..KEPT + 3).for_each(|count| fs::create_dir(parent.path().join(own(count))).unwrap());
        forget_old(parent.path());
        let left = fs::read_dir(parent.path()).unwrap().count();
        assert_eq!(left, KEPT + 3, "the others and the newest");
        assert!(parent.path().join("0-thesis").exists() && !parent.path().join(own(2)).exists());
    }

    #[test]
    fn a_folder_that_others_can_write_to_is_not_used() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("failed");
        assert!(is_ours(&folder), "it would be made");
        fs::create_dir(&folder).unwrap();
        for (mode, ours) in [(0o700, true), (0o755, true), (0o777, false), (0o770, false)] {
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(is_ours(&folder), ours, "{mode:o}");
        }
        let link = parent.path().join("link");
        symlink(parent.path(), &link).unwrap();
        assert!(!is_ours(&link));
    }

    #[test]
    fn names_stay_in_their_folder() {
        assert_eq!(plain("../../etc/passwd"), "passwd");
        assert_eq!(plain("a b\n.cl"), "a_b_.cl");
        assert_eq!(plain(".."), "..");
    }
}
