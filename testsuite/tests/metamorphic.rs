//! File tests with code put in that never runs, and with statements written otherwise, do what they did.
//!
//! `make test` rewrites some files, which change with nothing; `OXCL_PROGRAMS=N` rewrites that many, `OXCL_SEED=N` begins
//! elsewhere.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use oxcl_testsuite::directive::{Kind, parse};
use oxcl_testsuite::{filetest, metamorphic};

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "cl") {
            found.push(path);
        }
    }
}

/// Whether a file runs, and what it prints and where it must fail does not depend on how it is written.
fn is_suitable(text: &str) -> bool {
    parse(text).is_ok_and(|test| test.kinds.contains(&Kind::Run) && test.fails_with.is_none())
}

#[test]
fn rewritten_file_tests_do_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    files.retain(|path| is_suitable(&std::fs::read_to_string(path).unwrap()));
    assert!(files.len() > 50, "{} files", files.len());
    let folder = tempfile::tempdir().unwrap();
    let first = from_environment("OXCL_SEED").unwrap_or(1);
    let count = from_environment("OXCL_PROGRAMS").unwrap_or(16);
    let failures = Mutex::new(Vec::new());
    let next = AtomicU64::new(first);
    let check = |seed: u64| {
        // Far apart, so that few take from every folder.
        let file = &files[usize::try_from(seed * 37).unwrap() % files.len()];
        let text = metamorphic::rewritten(&std::fs::read_to_string(file).unwrap(), seed);
        let path = folder.path().join(format!("{seed}.cl"));
        std::fs::write(&path, &text).unwrap();
        if let Err(failure) = filetest::check(&path, &mut |_, _| ()) {
            let failure = format!("OXCL_SEED={seed} OXCL_PROGRAMS=1, {}: {failure}\n{text}", file.display());
            failures.lock().unwrap().push(failure);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            scope.spawn(|| {
                // Relaxed: who checks what is all that it says.
                while let seed = next.fetch_add(1, Ordering::Relaxed)
                    && seed < first + count
                {
                    check(seed);
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
}
