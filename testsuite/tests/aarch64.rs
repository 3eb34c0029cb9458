//! The file tests on AArch64: NEON, and SVE of 256 and 512 bits, under an emulator. Every file runs on one of the levels, which its
//! name says, as does how many work-items run at a time; all of both with `OXCL_AARCH64=all`. Files that cannot run there are listed
//! with the reason; a file that is listed must fail in one of all ways.
//!
//! Without a cross-compiler and the emulator the test says that it was not run; with `OXCL_REQUIRE_AARCH64=1` it fails.
//! `OXCL_AARCH64_FILES` restricts it to files whose names have that in them.

#![expect(clippy::print_stdout, reason = "how many runs there were")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use oxcl_testsuite::cross::{LEVELS, Launcher, Level, Outcome, check};

/// W: the compiler's choice, and given ones.
const WIDTHS: [Option<u32>; 4] = [None, Some(4), Some(8), Some(16)];

/// Files and reasons.
fn listed(folder: &Path) -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder.join("not_on_aarch64.txt")).expect("the list");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let pairs = lines.map(|line| line.split_once(": ").unwrap_or_else(|| panic!("no reason: {line}")));
    pairs.map(|(file, reason)| (file.to_owned(), reason.to_owned())).collect()
}

/// The ways of a file.
fn ways(name: &str, all: bool) -> Vec<(Level, Option<u32>)> {
    let every: Vec<_> = LEVELS.iter().flat_map(|level| WIDTHS.map(move |width| (*level, width))).collect();
    let hash = name.bytes().fold(5381_usize, |hash, byte| hash.wrapping_mul(33) ^ usize::from(byte));
    if all { every } else { vec![every[hash % every.len()]] }
}

#[test]
fn file_tests_run_the_same_on_aarch64() {
    let launcher = match Launcher::build() {
        Ok(launcher) => launcher,
        Err(missing) if std::env::var_os("OXCL_REQUIRE_AARCH64").is_some() => panic!("{missing}"),
        Err(missing) => {
            // Past the capture of test output: a test that was not run must be seen.
            let line = format!("NOT RUN: file_tests_run_the_same_on_aarch64: {missing}\n");
            std::io::stderr().write_all(line.as_bytes()).expect("standard error");
            return;
        }
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests/run");
    let listed = listed(folder.parent().unwrap_or(&folder));
    let wanted = std::env::var("OXCL_AARCH64_FILES").unwrap_or_default();
    let all = std::env::var("OXCL_AARCH64").is_ok_and(|word| word == "all");
    let mut files: Vec<PathBuf> =
        fs::read_dir(&folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| {
        path.extension().is_some_and(|ending| ending == "cl") && path.to_string_lossy().contains(&wanted)
    });
    files.sort();
    assert!(!files.is_empty());
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    // Only ever added to; read when the threads have ended.
    let ran = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            std::thread::Builder::new()
                .stack_size(64 << 20)
                .spawn_scoped(scope, || {
                    while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                        let mut messages = Vec::new();
                        for (level, width) in ways(&name, all || listed.contains_key(&name)) {
                            let width_shown = width.map_or("chosen".to_owned(), |width| width.to_string());
                            match check(path, &launcher, level, width) {
                                Ok(Outcome::Same) => {
                                    ran.fetch_add(1, Ordering::Relaxed);
                                }
                                Ok(_) => {}
                                Err(message) => messages
                                    .push(format!("{name}: on {}, W {width_shown}: {message}", level.cpu)),
                            }
                        }
                        match listed.get(&name) {
                            None => {}
                            Some(reason) if messages.is_empty() => {
                                messages.push(format!("{name} is listed ({reason}), but runs"));
                            }
                            Some(_) => continue,
                        }
                        wrong.lock().expect("no panic while it is held").append(&mut messages);
                    }
                })
                .expect("a thread");
        }
    });
    let mut wrong = wrong.into_inner().expect("no panic while it was held");
    wrong.sort();
    let ran = ran.into_inner();
    println!("{ran} runs of {} files were the same", files.len());
    assert!(wrong.is_empty(), "{} of {} files:\n{}", wrong.len(), files.len(), wrong.join("\n"));
    if wanted.is_empty() {
        assert!(listed.len() * 10 < files.len() && ran * 10 > files.len() * 9, "most files run");
    }
}
