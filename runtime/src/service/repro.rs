//! What is kept of a build that the compiler failed in: a folder with the sources, the options, the reason, what the
//! compiler said, and the job as it went over the pipe (`oxcl serve < job` does it again).

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use oxcl_binary::pipe::{Job, Kind, Text, write_frame};

/// How many such folders are kept; the oldest go.
const KEPT: usize = 16;

/// Where they are, if not in the user's cache.
const VARIABLE: &str = "OXCL_REPRO_DIR";

/// Writes a folder; none where nothing can be written.
pub(super) fn keep(job: &Job, payload: &[u8], reason: &str, messages: &str) -> Option<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    // Relaxed: only makes names different.
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("{seconds:011}-{}-{count}", std::process::id());
    for parent in parents() {
        if let Ok(folder) = write(&parent, &name, job, payload, reason, messages) {
            forget_old(&parent);
            return Some(folder);
        }
    }
    None
}

fn parents() -> Vec<PathBuf> {
    if let Some(given) = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
        return vec![PathBuf::from(given)];
    }
    let cache =
        std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute()).or_else(
            || Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")).filter(|p| p.is_absolute()),
        );
    // SAFETY: takes nothing.
    let user = unsafe { libc::geteuid() };
    cache
        .map(|cache| cache.join("oxcl/failed"))
        .into_iter()
        .chain([std::env::temp_dir().join(format!("oxcl-failed-{user}"))])
        .collect()
}

fn write(
    parent: &Path,
    name: &str,
    job: &Job,
    payload: &[u8],
    reason: &str,
    messages: &str,
) -> io::Result<PathBuf> {
    DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
    let folder = parent.join(name);
    // Fails where it exists: nobody else's folder is written into.
    fs::create_dir(&folder)?;
    fs::write(folder.join("reason"), format!("{reason}\n"))?;
    fs::write(folder.join("options"), format!("{}\n", job.options))?;
    fs::write(folder.join("messages"), messages)?;
    for (kind, texts) in [("source", &job.sources), ("header", &job.headers)] {
        for (index, Text { name, text }) in texts.iter().enumerate() {
            fs::write(folder.join(format!("{kind}-{index}-{}", plain(name))), text)?;
        }
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
    names.sort();
    let surplus = names.len().saturating_sub(KEPT);
    for name in &names[..surplus] {
        // Another process may have been faster.
        let _ = fs::remove_dir_all(parent.join(name));
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn names_stay_in_their_folder() {
        assert_eq!(plain("../../etc/passwd"), "passwd");
        assert_eq!(plain("a b\n.cl"), "a_b_.cl");
        assert_eq!(plain(".."), "..");
    }
}
