//! C programs as clients: compiled by the system's compiler, run once under the system's OpenCL loader and once linked
//! to `liboxcl.so` directly.

use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    let test = std::env::current_exe().expect("a test program");
    test.parent().expect("a folder").to_owned()
}

/// The program `oxcl`, which compiles for the library: `cargo test --workspace` and `make test` build it.
fn compiler() -> PathBuf {
    let built = folder().join("../oxcl");
    assert!(built.exists(), "{} is not there: cargo build -p oxcl", built.display());
    built
}

fn run(program: &mut Command) {
    let output = program.output().expect("a program that starts");
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {text}", output.status);
}

fn client(name: &str) {
    client_with(name, &[]);
}

fn client_with(name: &str, environment: &[(&str, &str)]) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(name).with_extension("c");
    let temp = tempfile::tempdir().expect("a folder");
    let library = folder().join("liboxcl.so");
    let vendors = temp.path().join("vendors");
    std::fs::create_dir(&vendors).expect("a folder");
    std::fs::write(vendors.join("oxcl.icd"), format!("{}\n", library.display())).expect("a file");
    // The name that linked programs ask for.
    std::os::unix::fs::symlink(&library, temp.path().join("liboxcl.so.1")).expect("a link");
    for (kind, linked) in [("loader", "-lOpenCL".to_owned()), ("direct", library.display().to_string())] {
        let program = temp.path().join(kind);
        let mut compile = Command::new("cc");
        compile.args(["-std=gnu11", "-Wall", "-Werror", "-Wno-unused", "-O1", "-pthread", "-o"]);
        compile.arg(&program).arg(&source).arg(linked);
        run(&mut compile);
        let mut command = Command::new(&program);
        command.env("OCL_ICD_VENDORS", &vendors).env("LD_LIBRARY_PATH", temp.path());
        command.env("OXCL_COMPILER", compiler()).env("OXCL_CACHE", "off");
        command.envs(environment.iter().copied());
        run(&mut command);
    }
}

#[test]
fn objects() {
    client("objects");
}

#[test]
fn misuse() {
    client("misuse");
}

#[test]
fn processes() {
    client("processes");
}

#[test]
fn kernels() {
    client("kernels");
}

#[test]
fn contexts() {
    client("contexts");
}

#[test]
fn improve() {
    client("improve");
    client_with("improve", &[("OXCL_IMPROVE", "off")]);
}

#[test]
fn limits() {
    client("limits");
    client_with("limits", &[("OXCL_NUM_THREADS", "3")]);
    client_with("limits", &[("OXCL_NUM_THREADS", "2"), ("OXCL_PIN", "1")]);
}

#[test]
fn processors() {
    let machines = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../compiler/tta/machines");
    let word = |name: &str| format!("ttasim:{}", machines.join(name).with_extension("adf").display());
    client_with("processors", &[("OXCL_DEVICES", word("three_bus").as_str())]);
    let several = format!("cpu {} {}", word("three_bus"), word("wide_float"));
    client_with("processors", &[("OXCL_DEVICES", several.as_str())]);
}
