//! Where the commands of a page are run: a folder with what the repository and a build of it would have there.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Folders of the repository that commands of a page may name, and write to.
const FOLDERS: [&str; 3] = ["testsuite/workloads", "testsuite/custom_operation", "compiler/tta/machines"];

/// What `make` needs of it.
const OF_MAKE: [&str; 4] = ["Makefile", ".ci", "runtime", "testsuite/demo.sh"];

/// A kernel for pages that speak of one and show none.
const KERNEL: &str = "kernel void f(global const float *in, global float *out) { size_t i = get_global_id(0); out[i] = 2 * in[i]; }\n";

/// A folder for a page.
pub(crate) struct Place {
    folder: TempDir,
    /// Whose only loader file is ours: programs of OpenCL's see our platform alone.
    vendors: TempDir,
    pub(crate) repository: PathBuf,
    /// Where cargo has put programs; libraries are in `deps` there.
    pub(crate) built: PathBuf,
}

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// A copy of a folder, but for what its programs have written.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            if entry.file_name() != "out" {
                copy(&entry.path(), &target);
            }
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// An interpreter with NumPy.
fn python() -> PathBuf {
    let has_numpy = |name: &&str| {
        let output =
            Command::new(name).args(["-c", "import numpy, sys; print(sys.executable)"]).output().ok()?;
        output.status.success().then(|| PathBuf::from(String::from_utf8(output.stdout).unwrap().trim()))
    };
    let mut names = ["python3", "/usr/bin/python3"].iter();
    names.find_map(has_numpy).expect("a Python 3 with NumPy (.ci/setup test)")
}

impl Place {
    /// For a page with this text; the page of an example has the example's files.
    pub(crate) fn new(text: &str, example: Option<&Path>) -> Self {
        let program = Path::new(env!("CARGO_BIN_EXE_oxcl"));
        let built = program.parent().unwrap().to_owned();
        let place = Self {
            folder: tempfile::tempdir().unwrap(),
            vendors: tempfile::tempdir().unwrap(),
            repository: repository(),
            built,
        };
        if let Some(example) = example {
            copy(example, place.folder.path());
        }
        for needed in FOLDERS {
            if text.contains(needed) || text.contains("make demo") {
                copy(&place.repository.join(needed), &place.path(needed));
            }
        }
        if text.contains("make ") {
            fs::create_dir_all(place.path("testsuite")).unwrap();
            for needed in OF_MAKE {
                symlink(place.repository.join(needed), place.path(needed)).unwrap();
            }
        }
        fs::create_dir_all(place.path("target/release")).unwrap();
        // The program finds the library beside it, so it is here itself.
        let here = place.path("target/release/oxcl");
        fs::hard_link(program, &here).or_else(|_| fs::copy(program, &here).map(drop)).unwrap();
        let library = place.built.join("deps/liboxcl.so");
        symlink(&library, place.path("target/release/liboxcl.so")).unwrap();
        symlink(place.built.join("oxcl-campaign"), place.path("target/release/oxcl-campaign")).unwrap();
        fs::write(place.vendors.path().join("oxcl.icd"), format!("{}\n", library.display())).unwrap();
        fs::write(place.path("kernel.cl"), KERNEL).unwrap();
        if text.contains("\npython ") {
            place.python();
        }
        place
    }

    /// The Python package, as a wheel has it, and an interpreter.
    fn python(&self) {
        let package = self.path("package/oxcl");
        fs::create_dir_all(&package).unwrap();
        for entry in fs::read_dir(self.repository.join("cli/python/oxcl")).unwrap().map(Result::unwrap) {
            if entry.path().is_file() {
                symlink(entry.path(), package.join(entry.file_name())).unwrap();
            }
        }
        symlink(self.built.join("deps/liboxcl_python.so"), package.join("_oxcl.abi3.so")).unwrap();
        symlink(python(), self.path("target/release/python")).unwrap();
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A shell that runs a line here.
    pub(crate) fn shell(&self, line: &str) -> Command {
        let ours = self.path("target/release");
        let path = format!("{}:{}", ours.display(), std::env::var("PATH").unwrap_or_default());
        let mut shell = Command::new("bash");
        shell
            .args(["-c", &format!("set -o pipefail; {line}")])
            .current_dir(self.folder.path())
            .env("PATH", path)
            .env("OCL_ICD_VENDORS", self.vendors.path())
            .env("OXCL_COMPILER", ours.join("oxcl"))
            .env("OXCL_CACHE", "off")
            .env("POCL_CACHE_DIR", self.path("pocl-cache"))
            .env("PYTHONPATH", self.path("package"))
            .env("REPOSITORY", &self.repository)
            .env("BUILT", &self.built);
        shell
    }
}
