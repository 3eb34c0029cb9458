//! Looking up and keeping.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use oxcl_binary::pipe::{Done, Hello, Quality, Seen};

use super::entry::Entry;
use super::key::{Key, state_of};
use super::lock::{self, Claimed};
use super::place::place;

/// How many lists of paths may follow each other.
const MOST_STEPS: usize = 16;
/// An entry's last use is noted if the last note is older than this.
const USE_NOTED: Duration = Duration::from_secs(60);

/// A cache in a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
    limit: u64,
}

/// What was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The archive.
    pub archive: Vec<u8>,
    /// The build log.
    pub log: String,
    /// What the code is.
    pub quality: Quality,
    /// Processor time that making it took.
    pub processor: Duration,
}

impl Cache {
    /// The cache that the environment asks for (`OXCL_CACHE`, `OXCL_CACHE_DIR`, `OXCL_CACHE_SIZE`, `XDG_CACHE_HOME`,
    /// `HOME`); none where it says `off` or there is no place for one.
    #[must_use]
    pub fn from_environment() -> Option<Self> {
        place().map(|(folder, limit)| Self { folder, limit })
    }

    /// A cache in this folder with at most so many bytes.
    #[must_use]
    pub fn at(folder: &Path, limit: u64) -> Self {
        Self { folder: folder.to_owned(), limit }
    }

    /// Its folder, which may not exist yet.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many bytes it may have.
    #[must_use]
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// What was kept for this key, if it still holds.
    #[must_use]
    pub fn find(&self, key: &Key) -> Option<Stored> {
        let mut key = *key;
        for _ in 0..MOST_STEPS {
            match self.read(&key)? {
                Entry::Result(Done { archive, log, quality, processor, .. }) => {
                    self.note_use(&key);
                    return Some(Stored {
                        archive,
                        log,
                        quality,
                        processor: Duration::from_micros(processor),
                    });
                }
                Entry::Paths(paths) => {
                    let states: Vec<_> = paths.iter().map(|path| (path.as_str(), state_of(path))).collect();
                    key = key.with(&states);
                }
                Entry::Compiler(_) => return None,
            }
        }
        None
    }

    /// Keeps a result, if it is one to keep. Gives the bytes that it takes; 0 if it was not kept.
    pub fn keep(&self, key: &Key, done: &Done) -> u64 {
        if !done.repeatable {
            return 0;
        }
        let mut key = *key;
        let known = |path: &str| {
            let found = done.dependencies.iter().find(|one| one.path == path);
            // A path that mattered to an earlier result and not to this one.
            found.map_or_else(|| state_of(path), |one| one.seen)
        };
        let mut told: Vec<String> = Vec::new();
        for _ in 0..MOST_STEPS {
            let untold: Vec<String> =
                done.dependencies.iter().map(|one| one.path.clone()).filter(|p| !told.contains(p)).collect();
            if untold.is_empty() {
                return self.write(&key, &Entry::Result(done.clone())).unwrap_or(0);
            }
            // Where another result's list is, this one goes behind it.
            let paths = match self.read(&key) {
                Some(Entry::Paths(paths)) => paths,
                _ => {
                    if self.write(&key, &Entry::Paths(untold.clone())).is_err() {
                        return 0;
                    }
                    untold
                }
            };
            let states: Vec<(&str, Seen)> = paths.iter().map(|path| (path.as_str(), known(path))).collect();
            key = key.with(&states);
            told.extend(paths);
        }
        0
    }

    /// Takes over the claim on a result that this process makes for another one, which has ended: others that want it wait
    /// for this process now. The claim ends with the value.
    #[must_use]
    pub fn take_over(&self, key: &Key) -> Option<Claimed> {
        lock::take_over(self, key)
    }

    /// Claims the making of a result, if there is none and nobody is at it. The claim ends with the value.
    #[must_use]
    pub fn claim_at_once(&self, key: &Key) -> Option<Claimed> {
        lock::claim_at_once(self, key)
    }

    /// What is known of the compiler at this path, if it is still the same.
    pub(crate) fn compiler(&self, path: &Path) -> Option<Hello> {
        let Entry::Compiler(hello) = self.read(&compiler_key(path)?)? else { return None };
        hello.files.iter().all(same_file).then_some(hello)
    }

    /// Keeps what a compiler said of itself.
    pub(crate) fn keep_compiler(&self, path: &Path, hello: &Hello) {
        if let Some(key) = compiler_key(path) {
            // Asked again next time otherwise.
            let _ = self.write(&key, &Entry::Compiler(Hello { process: 0, ..hello.clone() }));
        }
    }

    pub(super) fn path_of(&self, key: &Key) -> PathBuf {
        let name = key.name();
        self.folder.join(&name[..2]).join(&name[2..])
    }

    fn read(&self, key: &Key) -> Option<Entry> {
        let bytes = fs::read(self.path_of(key)).ok()?;
        Entry::decode(&bytes, key)
    }

    /// Writes a file under another name first: under its own there is never a part of one.
    fn write(&self, key: &Key, entry: &Entry) -> io::Result<u64> {
        let path = self.path_of(key);
        let folder = path.parent().ok_or(io::ErrorKind::InvalidInput)?;
        let bytes = entry.encode(key);
        let temporary = folder.join(temporary_name());
        let mut file = match File::create_new(&temporary) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
                File::create_new(&temporary)?
            }
            other => other?,
        };
        let written = file.write_all(&bytes).and_then(|()| fs::rename(&temporary, &path));
        if written.is_err() {
            // What cannot be removed now is removed as too old later.
            let _ = fs::remove_file(&temporary);
        }
        written.map(|()| bytes.len() as u64)
    }

    /// The time of the last use is the file's own; whoever may not set it uses it all the same.
    fn note_use(&self, key: &Key) {
        let path = self.path_of(key);
        let Ok(file) = File::open(&path) else { return };
        let noted = file.metadata().and_then(|data| data.modified());
        let now = SystemTime::now();
        let old = noted.is_ok_and(|noted| now.duration_since(noted).is_ok_and(|age| age > USE_NOTED));
        if old {
            let _ = file.set_modified(now);
        }
    }
}

/// What temporary files begin with.
pub(super) const TEMPORARY: &str = "new-";

/// A name that nobody else uses: process and time keep machines and processes apart, the count threads.
pub(super) fn temporary_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    // Relaxed: only makes names different.
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{TEMPORARY}{}-{}-{count}", std::process::id(), since.as_nanos())
}

/// The key that a compiler's own words are kept under: its path, length and time.
fn compiler_key(path: &Path) -> Option<Key> {
    let data = path.metadata().ok()?;
    let mut hash = oxcl_binary::hash::Sha256::new();
    hash.part(b"compiler");
    hash.part(path.as_os_str().as_encoded_bytes());
    hash.part(&data.len().to_le_bytes());
    hash.part(&nanoseconds(&data).to_le_bytes());
    Some(Key { digest: hash.finish() })
}

fn same_file(file: &oxcl_binary::pipe::Library) -> bool {
    fs::metadata(&file.path)
        .is_ok_and(|data| data.len() == file.length && nanoseconds(&data) == file.modified)
}

fn nanoseconds(data: &fs::Metadata) -> u64 {
    let modified = data.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    modified.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(0))
}
