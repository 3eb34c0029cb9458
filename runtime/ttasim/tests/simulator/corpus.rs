//! Machine files of other projects, where a checkout is at hand: `OXCL_ADF_DIRS` names folders, separated by colons. On
//! every machine that loads, random programs run without a hazard and alike in both engines; for every machine that can be
//! compiled for, random functions are scheduled.
#![expect(clippy::print_stderr, reason = "the figures are what a person runs this test for")]

use crate::differential::compare;
use crate::schedule;
use oxcl_tta::adf::read;
use oxcl_tta::validate::{Severity, compile_obstacles, validate};
use std::path::{Path, PathBuf};

fn machine_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            machine_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "adf") {
            found.push(path);
        }
    }
}

#[test]
fn random_programs_run_on_every_machine_file() {
    let Some(folders) = std::env::var_os("OXCL_ADF_DIRS") else {
        eprintln!("not run: OXCL_ADF_DIRS names no folders with machine files");
        return;
    };
    let mut files = Vec::new();
    std::env::split_paths(&folders).for_each(|folder| machine_files(&folder, &mut files));
    files.sort();
    let mut ran = 0;
    for file in &files {
        let text =
            String::from_utf8_lossy(&std::fs::read(file).expect("a listed file can be read")).into_owned();
        let Ok(loaded) = read(&text) else { continue };
        if validate(&loaded.machine).iter().any(|f| f.severity == Severity::Error) {
            continue;
        }
        let cycles: u64 = (0..2).map(|seed| compare(&loaded.machine, seed, 1)).sum();
        eprintln!("{}: {cycles} cycles", file.display());
        // The scheduler takes constants as they come; taking them apart for narrow immediates is done before it.
        let narrow = validate(&loaded.machine).iter().any(|f| f.message.contains("widest immediate"));
        if compile_obstacles(&loaded.machine).is_empty() && !narrow {
            let scheduled: u64 = (0..4).filter_map(|seed| schedule::compare(&loaded.machine, seed)).sum();
            eprintln!("{}: {scheduled} cycles of scheduled code", file.display());
        }
        ran += 1;
    }
    eprintln!("{ran} of {} machines", files.len());
}
