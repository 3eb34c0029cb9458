//! Machine files of other projects, where a checkout is at hand: `OXCL_ADF_DIRS` names folders, separated by colons.
//!
//! Every file must load, or be refused for a reason that names a place in it; and what loads must survive being written
//! and read again. Without the variable the test says that it did not run.
#![expect(clippy::print_stderr, reason = "the verdict on each file is what a person runs this test for")]

use oxcl_tta::adf::{AdfProblem, read, write};
use oxcl_tta::validate::{Severity, compile_obstacles, validate};

#[path = "support/machine_files.rs"]
mod machine_files;

#[test]
fn every_machine_loads_or_is_refused_by_name() {
    let Some(files) = machine_files::machine_files() else { return };
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
