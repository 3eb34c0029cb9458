//! One of many processes that want the same result makes it; the others wait for it, but not long.
//!
//! This saves work and nothing depends on it: whoever cannot see how the work goes, or has waited long enough, does it
//! himself. A claim is a symbolic link to the name of its owner, which is no file: it is created in one step, by one process
//! only, so an owner that is killed at any moment leaves no claim without a name. Its owner removes it; that of an owner who
//! is gone is found by his process id and when that process began where it was made on this machine, by its age elsewhere.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::key::Key;
use super::store::{Cache, Stored, temporary_name};

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
    let own = owner();
    let until = Instant::now() + PATIENCE;
    let mut pause = FIRST_PAUSE;
    loop {
        match create(&path, &own) {
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
        if is_abandoned(&path, &own) {
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
    fs::symlink_metadata(&path).ok()?;
    // The old one is there until the new one is.
    let new = cache.folder().join(FOLDER).join(temporary_name());
    symlink(owner(), &new).ok()?;
    if fs::rename(&new, &path).is_err() {
        let _ = fs::remove_file(&new);
        return None;
    }
    Some(Claimed { path })
}

/// Claims the making of what `key` stands for, if nobody is at it and there is no result.
pub(super) fn claim_at_once(cache: &Cache, key: &Key) -> Option<Claimed> {
    let path = cache.folder().join(FOLDER).join(key.name());
    let own = owner();
    if is_abandoned(&path, &own) {
        // Somebody else may have been faster; the next step tells.
        let _ = fs::remove_file(&path);
    }
    create(&path, &own).ok()?;
    Some(Claimed { path }).filter(|_| cache.find(key).is_none())
}

fn create(path: &Path, owner: &str) -> io::Result<()> {
    match symlink(owner, path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            fs::create_dir_all(path.parent().ok_or(io::ErrorKind::InvalidInput)?)?;
            symlink(owner, path)
        }
        other => other,
    }
}

/// This process, when it began, and the boot of the machine that it runs on.
fn owner() -> String {
    let process = std::process::id();
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    format!("{process} {} {}", began(&process.to_string()).unwrap_or_default(), boot.trim())
}

/// When a process of this machine began, in ticks since the machine did (proc(5)): another one may have its number later.
fn began(process: &str) -> Option<String> {
    let text = fs::read_to_string(Path::new("/proc").join(process).join("stat")).ok()?;
    // The name before it may have anything in it.
    text.rsplit_once(')')?.1.split_whitespace().nth(19).map(str::to_owned)
}

/// Whether whoever made a claim is gone, as far as the process `own` can tell.
fn is_abandoned(path: &Path, own: &str) -> bool {
    let Ok(data) = fs::symlink_metadata(path) else { return false };
    let age = data.modified().ok().and_then(|time| SystemTime::now().duration_since(time).ok());
    if age.is_some_and(|age| age > FORGOTTEN) {
        return true;
    }
    let Ok(owner) = fs::read_link(path) else { return false };
    let mut words = owner.to_str().unwrap_or_default().split(' ');
    let (Some(process), Some(begin), Some(boot)) = (words.next(), words.next(), words.next()) else {
        return false;
    };
    let local = !boot.is_empty() && own.rsplit(' ').next() == Some(boot);
    local && began(process).is_none_or(|now| now != begin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// A process may be killed between any two steps, so what others see in between is what it may leave.
    #[test]
    fn whoever_sees_a_claim_sees_whose_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("claims").join("key");
        let (stop, own) = (AtomicBool::new(false), owner());
        let seen = thread::scope(|scope| {
            let looks = scope.spawn(|| {
                let mut seen = 0;
                while !stop.load(Ordering::Relaxed) {
                    match fs::read_link(&path) {
                        Ok(text) => {
                            assert_eq!(text.to_str().unwrap().split(' ').count(), 3);
                            seen += 1;
                        }
                        Err(error) => assert_eq!(error.kind(), io::ErrorKind::NotFound),
                    }
                    assert!(!is_abandoned(&path, &own));
                }
                seen
            });
            for _ in 0..2000 {
                create(&path, &own).unwrap();
                assert_eq!(create(&path, &own).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
                drop(Claimed { path: path.clone() });
            }
            stop.store(true, Ordering::Relaxed);
            looks.join().unwrap()
        });
        assert!(seen > 0);
    }

    #[test]
    fn a_claim_whose_owner_is_gone_is_abandoned() {
        let folder = tempfile::tempdir().unwrap();
        let own = owner();
        let claimed_by = |owner: &str| {
            let path = folder.path().join("key");
            symlink(owner, &path).unwrap();
            let abandoned = is_abandoned(&path, &own);
            fs::remove_file(&path).unwrap();
            abandoned
        };
        assert!(!claimed_by(&own));
        let [process, begin, boot] = Vec::from_iter(own.split(' '))[..] else { panic!("{own}") };
        // Another process had this one's number.
        assert!(claimed_by(&format!("{process} {begin}1 {boot}")));
        // Nobody has it: there are fewer.
        assert!(claimed_by(&format!("{} {begin} {boot}", i32::MAX)));
        // What another machine does nobody can see, nor what is no claim.
        assert!(!claimed_by(&format!("{} {begin} elsewhere", i32::MAX)));
        assert!(!claimed_by("nobody"));
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(!is_abandoned(&file, &own));
    }
}
