//! Whether a program will need a compiler at all. A program whose builds all came from the cache the last time most
//! likely needs none this time: none is started ahead of need then.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use oxcl_binary::hash::{Sha256, hex};

use super::store::Cache;

/// The folder of marks inside a cache's.
pub(super) const FOLDER: &str = "programs";

/// The mark of the program that runs here.
#[derive(Debug)]
pub(crate) struct HostMark {
    path: PathBuf,
    /// This process has had a hit or a miss already.
    told: AtomicBool,
}

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
        Self { path, told: AtomicBool::new(false) }
    }

    /// Whether the last run needed no compiler.
    pub(crate) fn is_set(&self) -> bool {
        self.path.exists()
    }

    /// A build came from the cache.
    pub(crate) fn hit(&self) {
        // Relaxed: the flag guards nothing but itself.
        if !self.told.swap(true, Ordering::Relaxed) && !self.is_set() {
            // Without the mark it is only slower.
            let _ = self.path.parent().map(fs::create_dir_all);
            let _ = fs::write(&self.path, b"");
        }
    }

    /// A build needed a compiler.
    pub(crate) fn missed(&self) {
        // Relaxed: as above.
        self.told.store(true, Ordering::Relaxed);
        let _ = fs::remove_file(&self.path);
    }
}
