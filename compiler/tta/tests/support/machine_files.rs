//! Finds the machine files of other projects: `OXCL_ADF_DIRS` names folders, separated by colons, that are looked through
//! with what is below them. Without the variable a test says that it did not run.
#![expect(clippy::print_stderr, reason = "a test that did not run says so")]

use std::path::{Path, PathBuf};

/// All of them, in order; `None` without the variable.
///
/// # Panics
/// The folders hold no machine file.
pub(crate) fn machine_files() -> Option<Vec<PathBuf>> {
    let Some(folders) = std::env::var_os("OXCL_ADF_DIRS") else {
        eprintln!("not run: OXCL_ADF_DIRS names no folders with machine files");
        return None;
    };
    let mut files = Vec::new();
    std::env::split_paths(&folders).for_each(|folder| look_through(&folder, &mut files));
    files.sort();
    assert!(!files.is_empty(), "OXCL_ADF_DIRS names no machine file");
    Some(files)
}

fn look_through(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|e| e.path()) {
        if path.is_dir() {
            look_through(&path, found);
        } else if path.extension().is_some_and(|e| e == "adf") {
            found.push(path);
        }
    }
}
