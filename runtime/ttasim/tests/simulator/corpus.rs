//! Machine files of other projects, where a checkout is at hand: `OXCL_ADF_DIRS` names folders, separated by colons. On
//! every machine that loads, random programs run without a hazard and alike in both engines; for every machine that can be
//! compiled for, random functions are scheduled.
#![expect(clippy::print_stderr, reason = "the figures are what a person runs this test for")]

use crate::differential::compare;
use crate::machine_files::machine_files;
use crate::schedule;
use oxcl_tta::adf::read;
use oxcl_tta::validate::{Severity, compile_obstacles, validate};
#[test]
fn random_programs_run_on_every_machine_file() {
    let Some(files) = machine_files() else { return };
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
