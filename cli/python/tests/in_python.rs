//! The package in an interpreter: `test_oxcl.py`, on the extension that was built with this test. Says `NOT RUN` where there is
//! no Python 3.9 or later with NumPy.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What cargo has built: libraries lie beside this program in `deps`, programs one folder up.
fn built(name: &str) -> PathBuf {
    let program = std::env::current_exe().expect("this program's path");
    let mut folders = program.ancestors().skip(1).take(2).map(|folder| folder.join(name));
    folders
        .find(|file| file.exists())
        .unwrap_or_else(|| panic!("{name} is not there: cargo build --workspace"))
}

/// An interpreter that can run the tests.
fn python() -> Option<&'static str> {
    let program = "import sys, numpy; sys.exit(sys.version_info < (3, 9))";
    let fits = |name: &&str| {
        Command::new(name).args(["-c", program]).output().is_ok_and(|output| output.status.success())
    };
    ["python3", "/usr/bin/python3"].into_iter().find(fits)
}

/// The package as a wheel has it, in a folder of its own.
struct Package {
    python: &'static str,
    folder: tempfile::TempDir,
}

impl Package {
    /// None where no interpreter can run it, which is said.
    #[expect(clippy::print_stdout, reason = "that nothing was tested must show")]
    fn new() -> Option<Self> {
        let Some(python) = python() else {
            println!("NOT RUN: there is no Python 3.9 or later with NumPy");
            return None;
        };
        let folder = tempfile::tempdir().expect("a folder");
        let package = folder.path().join("oxcl");
        std::fs::create_dir_all(package.join("bin")).expect("a folder");
        for entry in source().join("oxcl").read_dir().expect("the package's folder") {
            let entry = entry.expect("an entry");
            // What an interpreter made of the sources is not taken along.
            if entry.path().is_file() {
                symlink(entry.path(), package.join(entry.file_name())).expect("a link");
            }
        }
        symlink(built("liboxcl_python.so"), package.join("_oxcl.abi3.so")).expect("a link");
        Some(Self { python, folder })
    }

    /// What the interpreter says.
    fn run(&self, program: &Path, words: &[&str]) -> String {
        let output = Command::new(self.python)
            .arg("-B")
            .arg(program)
            .args(words)
            .env("PYTHONPATH", self.folder.path())
            .env("OXCL_COMPILER", built("oxcl"))
            .env("OXCL_CACHE_DIR", self.folder.path().join("cache"))
            .current_dir(self.folder.path())
            .output()
            .expect("an interpreter");
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(output.status.success(), "{}: {said}", program.display());
        said
    }
}

fn source() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn the_package_in_python() {
    let Some(package) = Package::new() else { return };
    let said = package.run(&source().join("tests/test_oxcl.py"), &["-v"]);
    assert!(said.contains("\nOK"), "{said}");
}

#[test]
fn examples() {
    let Some(package) = Package::new() else { return };
    let examples = source().join("../../testsuite/examples");
    let said = package.run(&examples.join("numpy/picture.py"), &[]);
    assert!(said.starts_with("edges.png: 1024x768 pixels"), "{said}");
    assert!(package.folder.path().join("edges.png").exists());
    let said = package.run(&examples.join("neural-network/digits.py"), &[]);
    assert!(said.contains("digits are read right"), "{said}");
}
