//! Whether a program will need a compiler at all. A program whose builds all came from the cache the last time most
//! likely needs none this time: none is started ahead of need then. One that needed one has most likely kept what it made: it is
//! seen at its first build whether it does again.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};

use oxcl_binary::hash::{Sha256, hex};

use super::store::Cache;

/// The folder of marks inside a cache's.
pub(super) const FOLDER: &str = "programs";

/// What is in the mark of a program that needed a compiler; other marks are empty.
const MISSED: &[u8] = b"missed";

/// What the last run of a program did, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LastRun {
    /// There was none, or it built nothing.
    Unknown,
    /// All came from the cache.
    Hit,
    /// It needed a compiler.
    Missed,
}

/// The mark of the program that runs here.
#[derive(Debug)]
pub(crate) struct HostMark {
    path: PathBuf,
    /// What this process has had: nothing, hits, or a miss.
    had: AtomicU8,
}

const NOTHING: u8 = 0;
const HITS: u8 = 1;
const A_MISS: u8 = 2;

impl HostMark {
    /// The mark of this process's program, in this cache.
    pub(crate) fn of(cache: &Cache) -> Self {
        let mut hash = Sha256::new();
        let program = std::env::current_exe().unwrap_or_default();
        hash.part(program.as_os_str().as_encoded_bytes());
        // What runs in an interpreter is told apart by its first argument.
        let first = std::env::args_os().nth(1).unwrap_or_default();
        hash.part(first.as_encoded_bytes());
        let path = cache.folder().join(FOLDER).join(hex(&hash.finish()));
        Self { path, had: AtomicU8::new(NOTHING) }
    }

    /// What the last run did.
    pub(crate) fn last_run(&self) -> LastRun {
        match fs::read(&self.path) {
            Ok(mark) if mark == MISSED => LastRun::Missed,
            Ok(_) => LastRun::Hit,
            Err(_) => LastRun::Unknown,
        }
    }

    /// A build came from the cache.
    pub(crate) fn hit(&self) {
        // Relaxed: the word guards nothing but itself.
        let first = self.had.compare_exchange(NOTHING, HITS, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if first && self.last_run() != LastRun::Hit {
            self.write(b"");
        }
    }

    /// A build needed a compiler.
    pub(crate) fn missed(&self) {
        // Relaxed: as above.
        if self.had.swap(A_MISS, Ordering::Relaxed) != A_MISS {
            self.write(MISSED);
        }
    }

    fn write(&self, mark: &[u8]) {
        // Without the mark it is only slower.
        let _ = self.path.parent().map(fs::create_dir_all);
        let _ = fs::write(&self.path, mark);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_run_knows_what_the_last_one_did() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path(), 1 << 20);
        let run = || HostMark::of(&cache);
        assert_eq!(run().last_run(), LastRun::Unknown);
        let first = run();
        first.missed();
        first.hit();
        assert_eq!(run().last_run(), LastRun::Missed);
        run().hit();
        assert_eq!(run().last_run(), LastRun::Hit);
        let changed = run();
        changed.hit();
        changed.missed();
        assert_eq!(run().last_run(), LastRun::Missed);
    }
}
