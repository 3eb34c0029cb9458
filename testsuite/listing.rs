//! A part of build scripts: one `#[test]` for each file of a kind under a folder, so that they run in parallel and can be picked by
//! name. On exit: the tests in a file of `OUT_DIR`, each a call of `check` with the file's path.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes a test for each file under `root` that has `extension` to `code` in `OUT_DIR`.
pub(crate) fn write_tests(root: &Path, extension: &str, code: &str) {
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(root, extension, &mut files);
    files.sort();
    let mut text = String::new();
    for file in &files {
        let shown =
            file.strip_prefix(root).expect("inside the folder").with_extension("").display().to_string();
        let name: String = shown.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let _ = writeln!(text, "#[test]\nfn {name}() {{ check({:?}); }}", file.display().to_string());
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join(code), text).expect("OUT_DIR is writable");
}

fn collect(folder: &Path, extension: &str, files: &mut Vec<PathBuf>) {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder).expect("readable folder") {
        let path = entry.expect("readable entry").path();
        if path.is_dir() {
            collect(&path, extension, files);
        } else if path.extension().is_some_and(|own| own == extension) {
            files.push(path);
        }
    }
}
