//! The file tests by way of SPIR-V: `--emit spirv` and back gives what the source gives. Files that LLVM's back end makes no
//! module of, or a wrong one, are listed with the reason; a file that is listed must fail.
//!
//! `OXCL_SPIRV_FILES` restricts it to files whose names have that in them.
//!
//! And random programs: each gives a module that our reader takes, however many others the process has made before it.
//! `OXCL_PROGRAMS` says how many.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use oxcl_spirv::{Addresses, Source, ir};
use oxcl_testsuite::campaign::{Trial, spirv_of};
use oxcl_testsuite::filetest::{ByWay, check_by_way_of_spirv};

/// Files and reasons.
fn listed(folder: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder.join("not_by_way_of_spirv.txt")).expect("the list");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let pairs = lines.map(|line| line.split_once(": ").unwrap_or_else(|| panic!("no reason: {line}")));
    pairs.map(|(file, reason)| (file.to_owned(), reason.to_owned())).collect()
}

#[test]
fn file_tests_run_the_same_by_way_of_spirv() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests/run");
    let listed = listed(folder.parent().unwrap_or(&folder));
    let wanted = std::env::var("OXCL_SPIRV_FILES").unwrap_or_default();
    let mut files: Vec<PathBuf> =
        fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| {
        let runs = || fs::read_to_string(path).is_ok_and(|text| text.contains("// run:"));
        path.extension().is_some_and(|ending| ending == "cl")
            && path.to_string_lossy().contains(&wanted)
            && runs()
    });
    files.sort();
    assert!(!files.is_empty());
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            std::thread::Builder::new()
                .stack_size(64 << 20)
                .spawn_scoped(scope, || {
                    while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                        let message = match (check_by_way_of_spirv(path), listed.get(&name)) {
                            (Ok(ByWay::Same), None) | (Ok(ByWay::NoModule(_)) | Err(_), Some(_)) => continue,
                            (Ok(ByWay::Same), Some(reason)) => {
                                format!("{name} is listed ({reason}), but runs")
                            }
                            (Ok(ByWay::NoModule(message)) | Err(message), None) => {
                                format!("{name}: {message}")
                            }
                        };
                        wrong.lock().expect("no panic while it is held").push(message);
                    }
                })
                .expect("a thread");
        }
    });
    let mut wrong = wrong.into_inner().expect("no panic while it was held");
    wrong.sort();
    assert!(wrong.is_empty(), "{} of {} files:\n{}", wrong.len(), files.len(), wrong.join("\n"));
    if wanted.is_empty() {
        assert!(listed.len() * 4 < files.len(), "most files go this way");
    }
}

/// LLVM's back end keeps labels of blocks from one module to the next. What it has in another order each time is left.
#[test]
fn modules_are_right_however_many_came_before() {
    let count = std::env::var("OXCL_PROGRAMS").ok().and_then(|count| count.parse().ok()).unwrap_or(60_u64);
    let programs: Vec<(u64, Trial)> =
        (1..=count).map(|seed| (seed, Trial::of(&oxcl_oracle::generate(seed)))).collect();
    for round in ["first", "second"] {
        for (seed, trial) in &programs {
            let module = spirv_of(trial).unwrap_or_else(|why| panic!("{round} round, seed {seed}: {why:?}"));
            let source = Source { name: "random.spv", bytes: &module, constants: &[] };
            let read = ir(&source, Addresses::Bits64);
            assert!(read.is_ok(), "{round} round, seed {seed}: {read:?}");
        }
    }
}
