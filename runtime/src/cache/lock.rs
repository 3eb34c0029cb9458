//! One of many processes that want the same result makes it; the others wait for it, but not long.
//!
//! This saves work and nothing depends on it: whoever cannot see how the work goes, or has waited long enough, does it
//! himself. A claim is a file that is created by one process only. Its owner removes it; that of an owner who is gone is
//! found by his process id where it was made on this machine, by its age elsewhere.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::key::Key;
use super::store::{Cache, Stored};

/// How long somebody else's work is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// After this a claim says nothing any more.
const FORGOTTEN: Duration = Duration::from_secs(600);
const FIRST_PAUSE: Duration = Duration::from_millis(2);
const LONGEST_PAUSE: Duration = Duration::from_millis(40);

/// The folder of claims inside a cache's.
pub(super) const FOLDER: &str = "claims";

/// What came of wanting to make something.
pub(crate) enum Claim {
    /// It is ours to make. The claim ends with the value; without one there was none to be had.
    Make(Option<Claimed>),
    /// Somebody has made it meanwhile.
    Made(Stored),
}

/// A claim of this process.
#[derive(Debug)]
pub struct Claimed {
    path: PathBuf,
}

impl Drop for Claimed {
    fn drop(&mut self) {
        // It is forgotten after a while otherwise.
        let _ = fs::remove_file(&self.path);
    }
}

/// Claims the making of what `key` stands for, or waits for whoever did.
pub(crate) fn claim(cache: &Cache, key: &Key) -> Claim {
    let path = cache.folder().join(FOLDER).join(key.name());
    let until = Instant::now() + PATIENCE;
    let mut pause = FIRST_PAUSE;
    loop {
        match create(&path) {
            Ok(()) => {
                // The one before may have finished between the look-up and now.
                let claimed = Claimed { path };
                return match cache.find(key) {
                    Some(stored) => Claim::Made(stored),
                    None => Claim::Make(Some(claimed)),
                };
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(_) => return Claim::Make(None),
        }
        if is_abandoned(&path) {
            // Somebody else may have been faster; the next round tells.
            let _ = fs::remove_file(&path);
            continue;
        }
        if Instant::now() >= until {
            return Claim::Make(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(LONGEST_PAUSE);
        if let Some(stored) = cache.find(key) {
            return Claim::Made(stored);
        }
    }
}

/// Makes the claim on `key` this process's: of one that did the work for another, which has ended. None where there is no
/// claim, which keeps nobody from the work.
pub(super) fn take_over(cache: &Cache, key: &Key) -> Option<Claimed> {
    let path = cache.folder().join(FOLDER).join(key.name());
    let mut file = File::options().write(true).truncate(true).open(&path).ok()?;
    // Written at once: whoever reads it between the two finds no owner, and goes by its age.
    let _ = file.write_all(owner().as_bytes());
    Some(Claimed { path })
}

/// Claims the making of what `key` stands for, if nobody is at it and there is no result.
pub(super) fn claim_at_once(cache: &Cache, key: &Key) -> Option<Claimed> {
    let path = cache.folder().join(FOLDER).join(key.name());
    if is_abandoned(&path) {
        // Somebody else may have been faster; the next step tells.
        let _ = fs::remove_file(&path);
    }
    create(&path).ok()?;
    Some(Claimed { path }).filter(|_| cache.find(key).is_none())
}

fn create(path: &Path) -> io::Result<()> {
    let mut file = match File::create_new(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(path.parent().ok_or(io::ErrorKind::InvalidInput)?)?;
            File::create_new(path)?
        }
        other => other?,
    };
    // A claim without its owner's name is found by its age.
    let _ = file.write_all(owner().as_bytes());
    Ok(())
}

/// This process, and the boot of the machine that it runs on.
fn owner() -> String {
    format!("{} {}", std::process::id(), machine())
}

fn machine() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

fn is_abandoned(path: &Path) -> bool {
    let Ok(data) = fs::metadata(path) else { return false };
    let age = data.modified().ok().and_then(|time| SystemTime::now().duration_since(time).ok());
    if age.is_some_and(|age| age > FORGOTTEN) {
        return true;
    }
    let text = fs::read_to_string(path).unwrap_or_default();
    let Some((process, boot)) = text.split_once(' ') else { return false };
    let local = !boot.is_empty() && boot == machine();
    local && !Path::new("/proc").join(process).exists()
}
