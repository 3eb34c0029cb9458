//! Machine files of other projects, where a checkout is at hand: `OXCL_ADF_DIRS` names folders, separated by colons.
//!
//! Every file must load, or be refused for a reason that names a place in it; and what loads must survive being written
//! and read again. Without the variable the test says that it did not run.
#![expect(clippy::print_stderr, reason = "the verdict on each file is what a person runs this test for")]

use oxcl_tta::adf::{AdfProblem, read, write};
use oxcl_tta::validate::{Severity, compile_obstacles, validate};
use std::path::{Path, PathBuf};

fn machine_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            machine_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "adf") {
            found.push(path);
        }
    }
}

#[test]
fn every_machine_loads_or_is_refused_by_name() {
    let Some(folders) = std::env::var_os("OXCL_ADF_DIRS") else {
        eprintln!("not run: OXCL_ADF_DIRS names no folders with machine files");
        return;
    };
    let mut files = Vec::new();
    for folder in std::env::split_paths(&folders) {
        machine_files(&folder, &mut files);
    }
    files.sort();
    assert!(!files.is_empty(), "OXCL_ADF_DIRS names no machine file");
    let (mut loaded, mut compilable) = (0, 0);
    for file in &files {
        let bytes = std::fs::read(file).expect("a listed file can be read");
        let text = String::from_utf8_lossy(&bytes);
        match read(&text) {
            Ok(found) => {
                loaded += 1;
                let again = read(&write(&found.machine)).expect("what we write, we read");
                assert_eq!(again.machine, found.machine, "{}", file.display());
                let obstacles = compile_obstacles(&found.machine);
                compilable += usize::from(obstacles.is_empty());
                for finding in validate(&found.machine) {
                    if finding.severity == Severity::Error {
                        eprintln!("{}: {}: {}", file.display(), finding.subject, finding.message);
                    }
                }
                eprintln!(
                    "{}: {}",
                    file.display(),
                    if obstacles.is_empty() {
                        "can be compiled for".to_owned()
                    } else {
                        obstacles.join("; ")
                    }
                );
            }
            Err(error) => {
                eprintln!("{}: refused: {error}", file.display());
                assert!(
                    !matches!(error.problem, AdfProblem::UnknownElement { .. } | AdfProblem::Xml { .. }),
                    "{}: {error}",
                    file.display()
                );
            }
        }
    }
    eprintln!("{} files, {loaded} loaded, {compilable} can be compiled for", files.len());
}
