//! One `#[test]` for each file under `testsuite/filetests/ir/`, so that they run in parallel and can be picked by name.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn main() {
    let own = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let root = own.parent().expect("it lies in the testsuite").join("filetests/ir");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let mut code = String::new();
    for file in &files {
        let shown =
            file.strip_prefix(&root).expect("inside the folder").with_extension("").display().to_string();
        let name: String = shown.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let _ = writeln!(code, "#[test]\nfn {name}() {{ check({:?}); }}", file.display().to_string());
    }
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("files.rs"), code).expect("OUT_DIR is writable");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder).expect("readable folder") {
        let path = entry.expect("readable entry").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "ll") {
            files.push(path);
        }
    }
}
