//! The cache as a whole: what is in it, whether it is sound, and keeping it below its size.

use std::fs::{self, DirEntry};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use oxcl_binary::archive::Archive;

use super::entry::{Entry, is_whole};
use super::key::Key;
use super::store::{Cache, TEMPORARY};
use super::{host, lock};

/// Temporary files, claims and marks that are older than this belong to nobody any more.
const LEFT_OVER: Duration = Duration::from_secs(3600);
/// Marks of programs that did not run for so long are removed.
const MARK_AGE: Duration = Duration::from_secs(90 * 24 * 3600);
/// Looked after at most so often, by all processes together.
const PERIOD: Duration = Duration::from_secs(30);
/// The file whose time says when that was last.
const STAMP: &str = "tidied";

/// The cache in figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheInfo {
    /// Its folder.
    pub folder: PathBuf,
    /// Files in it.
    pub files: u64,
    /// Bytes of these.
    pub bytes: u64,
    /// Bytes that it may have.
    pub limit: u64,
}

/// What is in the cache, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Programs and compiled objects.
    pub results: u64,
    /// Lists of included files.
    pub includes: u64,
    /// What compilers said of themselves.
    pub compilers: u64,
    /// Files of other versions.
    pub others: u64,
    /// Files that are not what they should be.
    pub damaged: u64,
    /// Files that are being written, or were left behind.
    pub temporary: u64,
    /// Bytes of all these.
    pub bytes: u64,
    /// The time of the use that is longest ago.
    pub oldest: Option<SystemTime>,
}

/// What was removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Files.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// One thing in the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheRow {
    /// Its key.
    pub key: String,
    /// Bytes on disk.
    pub bytes: u64,
    /// When it was last used.
    pub used: SystemTime,
    /// What it is.
    pub what: String,
}

/// Something in the cache that is not what it should be. It is never used, and a build replaces it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub reason: String,
}

/// Hears, before each file that is read, how many are done, and of how many.
pub type Told<'t> = &'t mut dyn FnMut(u64, u64);

/// A file of the cache.
struct Kept {
    path: PathBuf,
    key: Option<Key>,
    bytes: u64,
    used: SystemTime,
}

/// The files one after another, of each of which is told when it is its turn.
fn telling(files: Vec<Kept>, told: Told<'_>) -> impl Iterator<Item = Kept> {
    let all = files.len() as u64;
    (0..).zip(files).map(move |(done, file)| {
        told(done, all);
        file
    })
}

impl Cache {
    /// How much is in it.
    ///
    /// # Errors
    /// The folder is there and cannot be read.
    pub fn info(&self) -> io::Result<CacheInfo> {
        let files = self.files()?;
        Ok(CacheInfo {
            folder: self.folder().to_owned(),
            files: files.len() as u64,
            bytes: files.iter().map(|file| file.bytes).sum(),
            limit: self.limit(),
        })
    }

    /// What is in it, the last used first. Every file is read.
    ///
    /// # Errors
    /// The folder is there and cannot be read.
    pub fn list(&self, told: Told<'_>) -> io::Result<Vec<CacheRow>> {
        let mut files = self.files()?;
        files.sort_by(|a, b| (b.used, &b.path).cmp(&(a.used, &a.path)));
        Ok(telling(files, told)
            .filter_map(|file| {
                let key = file.key?;
                let bytes = fs::read(&file.path).ok()?;
                let what = match Entry::decode(&bytes, &key) {
                    Some(Entry::Result(done)) if done.kernels.is_empty() => "compiled object".to_owned(),
                    Some(Entry::Result(done)) => format!("program: {}", done.kernels.join(", ")),
                    Some(Entry::Paths(paths)) => format!("included files: {}", paths.join(", ")),
                    Some(Entry::Compiler(hello)) => {
                        let path = hello.files.first().map_or("", |file| file.path.as_str());
                        format!("compiler: {path}")
                    }
                    None if is_whole(&bytes, &key) => "of another version".to_owned(),
                    None => "damaged".to_owned(),
                };
                Some(CacheRow { key: key.name(), bytes: file.bytes, used: file.used, what })
            })
            .collect())
    }

    /// Everything in it that is not what it should be.
    ///
    /// # Errors
    /// The folder is there and cannot be read.
    pub fn verify(&self, told: Told<'_>) -> io::Result<Vec<Damage>> {
        let mut damages = Vec::new();
        for file in telling(self.files()?, told) {
            let Some(key) = file.key else { continue };
            let reason = match fs::read(&file.path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => error.to_string(),
                Ok(bytes) => match Entry::decode(&bytes, &key) {
                    // No version takes another's, and tidying removes them in time.
                    None if is_whole(&bytes, &key) => continue,
                    None => "it is not whole, or not what its name says".to_owned(),
                    Some(Entry::Result(done)) => match Archive::read(&done.archive) {
                        Err(error) => error.to_string(),
                        Ok(_) => continue,
                    },
                    Some(Entry::Paths(_) | Entry::Compiler(_)) => continue,
                },
            };
            damages.push(Damage { path: file.path, reason });
        }
        Ok(damages)
    }

    /// What is in it, in figures. Every file is read.
    ///
    /// # Errors
    /// The folder is there and cannot be read.
    pub fn stats(&self, told: Told<'_>) -> io::Result<CacheStats> {
        let mut stats = CacheStats::default();
        for file in telling(self.files()?, told) {
            stats.bytes += file.bytes;
            let count = match (&file.key, fs::read(&file.path)) {
                (None, _) | (_, Err(_)) => &mut stats.temporary,
                (Some(key), Ok(bytes)) => match Entry::decode(&bytes, key) {
                    Some(Entry::Result(_)) => &mut stats.results,
                    Some(Entry::Paths(_)) => &mut stats.includes,
                    Some(Entry::Compiler(_)) => &mut stats.compilers,
                    None if is_whole(&bytes, key) => &mut stats.others,
                    None => &mut stats.damaged,
                },
            };
            *count += 1;
            stats.oldest = Some(stats.oldest.map_or(file.used, |oldest| oldest.min(file.used)));
        }
        Ok(stats)
    }

    /// Removes what is of no use any more: damaged files, those of other versions, what was left behind, and what has not
    /// been used for longest while the cache is larger than it shall be.
    ///
    /// # Errors
    /// The folder is there and cannot be read, or something cannot be removed.
    pub fn prune(&self, told: Told<'_>) -> io::Result<Pruned> {
        let before = self.info()?;
        for file in telling(self.files()?, told) {
            let Some(key) = file.key else { continue };
            let useless = fs::read(&file.path).is_ok_and(|bytes| Entry::decode(&bytes, &key).is_none());
            if useless {
                match fs::remove_file(&file.path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    // Somebody else may have done it.
                    _ => {}
                }
            }
        }
        self.tidy();
        let after = self.info()?;
        Ok(Pruned {
            files: before.files.saturating_sub(after.files),
            bytes: before.bytes.saturating_sub(after.bytes),
        })
    }

    /// Removes everything; gives the number of files.
    ///
    /// # Errors
    /// Something cannot be removed.
    pub fn clear(&self) -> io::Result<u64> {
        let mut removed = 0;
        for file in self.files()? {
            match fs::remove_file(&file.path) {
                Ok(()) => removed += 1,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        for folder in [lock::FOLDER, host::FOLDER] {
            self.remove_old(folder, Duration::ZERO);
        }
        // Of no meaning without the rest.
        let _ = fs::remove_file(self.folder().join(STAMP));
        Ok(removed)
    }

    /// Whether nobody has looked after the cache for a while; who asks is to do it.
    #[must_use]
    pub fn wants_tidying(&self) -> bool {
        let stamp = self.folder().join(STAMP);
        let fresh = fs::metadata(&stamp)
            .and_then(|data| data.modified())
            .is_ok_and(|time| SystemTime::now().duration_since(time).is_ok_and(|age| age < PERIOD));
        // First, so that no two do it where one is enough.
        !fresh && fs::write(&stamp, b"").is_ok()
    }

    /// Removes what has not been used for longest until the cache is within its size, and what others left behind.
    /// What cannot be read or removed stays.
    pub fn tidy(&self) {
        let Ok(mut files) = self.files() else { return };
        let now = SystemTime::now();
        let mut total: u64 = files.iter().map(|file| file.bytes).sum();
        files.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
        // Below the limit by some, so that this is not to be done again at once.
        let goal = self.limit() / 10 * 9;
        let too_large = total > self.limit();
        for file in files {
            let left_over =
                file.key.is_none() && now.duration_since(file.used).is_ok_and(|age| age > LEFT_OVER);
            let evict = file.key.is_some() && too_large && total > goal;
            if (left_over || evict) && fs::remove_file(&file.path).is_ok() {
                total = total.saturating_sub(file.bytes);
            }
        }
        self.remove_old(lock::FOLDER, LEFT_OVER);
        self.remove_old(host::FOLDER, MARK_AGE);
    }

    fn remove_old(&self, folder: &str, age: Duration) {
        let Ok(entries) = fs::read_dir(self.folder().join(folder)) else { return };
        let now = SystemTime::now();
        for entry in entries.filter_map(Result::ok) {
            let old = entry
                .metadata()
                .and_then(|data| data.modified())
                .is_ok_and(|time| now.duration_since(time).map_or(age.is_zero(), |since| since >= age));
            if old {
                // Somebody else may have done it.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Every file that is an entry or was to become one, in no order. Files that are none of ours are not touched.
    fn files(&self) -> io::Result<Vec<Kept>> {
        let mut found = Vec::new();
        let folders = match fs::read_dir(self.folder()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
            other => other?,
        };
        for folder in folders.filter_map(Result::ok) {
            let name = folder.file_name().to_string_lossy().into_owned();
            if name.len() != 2 || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                continue;
            }
            // A folder that has gone meanwhile holds nothing.
            let Ok(entries) = fs::read_dir(folder.path()) else { continue };
            found.extend(entries.filter_map(Result::ok).filter_map(|entry| kept(&name, &entry)));
        }
        Ok(found)
    }
}

fn kept(folder: &str, entry: &DirEntry) -> Option<Kept> {
    let name = entry.file_name().to_string_lossy().into_owned();
    let key = parse(&format!("{folder}{name}"));
    if key.is_none() && !name.starts_with(TEMPORARY) {
        return None;
    }
    let data = entry.metadata().ok().filter(fs::Metadata::is_file)?;
    Some(Kept { path: entry.path(), key, bytes: data.len(), used: data.modified().ok()? })
}

/// The key of a file's name.
fn parse(name: &str) -> Option<Key> {
    if name.len() != 64 || !name.is_ascii() {
        return None;
    }
    let mut digest = [0; 32];
    for (byte, at) in digest.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(name.get(at..at + 2)?, 16).ok()?;
    }
    Some(Key { digest })
}
