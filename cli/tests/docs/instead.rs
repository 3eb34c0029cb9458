//! What is done with commands that are not run as they stand on a page: shorter ones in their place, and those that a script or
//! another test runs. A row that no page needs is an error.

use std::path::PathBuf;
use std::process::Command;

use crate::place::Place;

/// What stands for a command.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Instead {
    /// This is run: the same with smaller numbers, or in a place where it changes nothing.
    Run(&'static str),
    /// A script or a test of the repository runs it, and has this text.
    There(&'static str, &'static str),
}

use Instead::{Run, There};

/// Whole commands. `$REPOSITORY` is this one.
pub(crate) const INSTEAD: &[(&str, Instead)] = &[
    // Installing: in a folder, or in the bare systems of `make dist-test`.
    (
        "make install PREFIX=/usr",
        Run("make -o build install PREFIX=/usr DESTDIR=$PWD/installed && ls installed/usr/bin/oxcl"),
    ),
    (
        "tar xf oxcl-*-x86_64-linux-gnu.tar.xz && cd oxcl-*-x86_64-linux-gnu",
        There("testsuite/dist.sh", "tar xf oxcl-*-x86_64-linux-gnu.tar.xz && cd oxcl-*-x86_64-linux-gnu &&"),
    ),
    (
        "./install ~/oxcl && export OCL_ICD_VENDORS=~/oxcl/etc/OpenCL/vendors",
        There("testsuite/dist.sh", "./install ~/oxcl && export OCL_ICD_VENDORS=~/oxcl/etc/OpenCL/vendors &&"),
    ),
    ("sudo ./install", There("testsuite/dist.sh", "cd /opt/oxcl && ./install\"")),
    ("sudo apt install -y ./oxcl_*.deb", There("testsuite/dist.sh", "\"apt install -y ./oxcl_*.deb\"")),
    (
        "python3 -m venv e && e/bin/pip install oxcl-*.whl pyopencl && e/bin/python -m oxcl doctor",
        There(
            "testsuite/dist.sh",
            "\"python3 -m venv e && e/bin/pip install oxcl-*.whl pyopencl && e/bin/python -m oxcl doctor\"",
        ),
    ),
    (
        "pip install oxcl-*.whl pyopencl",
        There("testsuite/dist.sh", "e/bin/pip install oxcl-*.whl pyopencl &&"),
    ),
    (
        "python mandelbrot.py",
        There("testsuite/dist.sh", "cd examples/pyopencl && ../../e/bin/python mandelbrot.py\""),
    ),
    // What `make build` leaves is here what the tests have built.
    ("make build", Run("make -n build")),
    // Everything would be built anew; then root's rights and the mirrors of Debian and Ubuntu are needed.
    ("make dist", Run("make -n dist")),
    (
        "make dist-test ROOTS=\"target/dist/bookworm target/dist/trixie target/dist/noble\"",
        Run("make -n dist-test ROOTS=\"target/dist/bookworm target/dist/trixie target/dist/noble\""),
    ),
    ("make demo", Run("make -o build demo")),
    ("make test", There(".ci/run", "\nmake test\n")),
    (
        "make test-runtime",
        Run(
            "cargo build --quiet --locked --manifest-path $REPOSITORY/Cargo.toml --target-dir $REPOSITORY/target/runtime-only -p oxcl --no-default-features && mkdir -p target/runtime-only && ln -s $REPOSITORY/target/runtime-only/debug target/runtime-only/release",
        ),
    ),
    ("make random-calls", Run("make -o build random-calls PROGRAMS=2")),
    ("make random-calls SEED=17 PROGRAMS=1000", Run("make -o build random-calls SEED=17 PROGRAMS=2")),
    (
        "make random-calls PROGRAMS=600s OXCL_DEVICES=\"cpu basic discrete:16M\"",
        Run("make -o build random-calls PROGRAMS=1s OXCL_DEVICES=\"cpu basic discrete:16M\""),
    ),
    ("make long-life", Run("make -o build long-life COMMANDS=20000 SECONDS=0")),
    ("make long-life COMMANDS=1000000 SECONDS=60", Run("make -o build long-life COMMANDS=20000 SECONDS=0")),
    // A driver of one's own: the page's blocks are a program in the tests of the documentation.
    ("cargo new toy-driver && cd toy-driver", Run("cargo new --quiet toy-driver && cd toy-driver")),
    (
        "cargo add oxcl-driver --path PATH_TO_OXCL/runtime/driver",
        Run("cd toy-driver && cargo add --offline oxcl-driver --path $REPOSITORY/runtime/driver"),
    ),
    (
        "cargo add oxcl-runtime --path PATH_TO_OXCL/runtime",
        Run("cd toy-driver && cargo add --offline oxcl-runtime --path $REPOSITORY/runtime"),
    ),
    (
        "cargo run -- doubling.poclbin",
        There("runtime/src/lib.rs", "include_str!(\"../../docs/add-a-driver.md\")"),
    ),
    // Some program, under our loader file and PoCL's.
    (
        "OCL_ICD_VENDORS=/etc/OpenCL/vendors/oxcl.icd ./program",
        Run(
            "cc -O2 -o program $REPOSITORY/testsuite/examples/opencl-c/matrix.c -lOpenCL -lm && OCL_ICD_VENDORS=$OCL_ICD_VENDORS/oxcl.icd ./program",
        ),
    ),
    // Measurements and tests with other numbers.
    (
        "oxcl bench tasks --kernels tasks.poclbin",
        Run("oxcl bench tasks --kernels tasks.poclbin --workers 1 -n 50 --runs 1 --only in-order"),
    ),
    (
        "OXCL_BLESS=1 cargo test -p oxcl-irtest",
        Run("OXCL_BLESS=1 cargo test -p oxcl-irtest --test files -- uniform_"),
    ),
    (
        "OXCL_AARCH64=all cargo test -p oxcl-testsuite --test aarch64",
        Run("OXCL_AARCH64=all OXCL_AARCH64_FILES=reverse cargo test -p oxcl-testsuite --test aarch64"),
    ),
    (
        "OXCL_PROGRAMS=20000 cargo test -p oxcl-ir --test uniformity",
        Run("OXCL_PROGRAMS=10 cargo test -p oxcl-ir --test uniformity"),
    ),
    (
        "OXCL_PROGRAMS=3000 cargo test -p oxcl-testsuite --test fuzz_corpus",
        Run("OXCL_PROGRAMS=5 cargo test -p oxcl-testsuite --test fuzz_corpus"),
    ),
    (
        "OXCL_PROGRAMS=10000 cargo test -p oxcl-runtime --test programs -- --nocapture",
        // Where the newest program of the test was built with MPI, the `oxcl` beside it need not be, and a job whose nodes never begin
        // does not end.
        Run("OXCL_PROGRAMS=20 cargo test -p oxcl-runtime --test programs -- --nocapture --skip over_ranks"),
    ),
    (
        "OXCL_PROGRAMS=10000 cargo test -p oxcl-testsuite --test random_images -- --nocapture",
        Run("OXCL_PROGRAMS=20 cargo test -p oxcl-testsuite --test random_images -- --nocapture"),
    ),
    (
        "OXCL_TEST_BUILDS=1000 cargo test -p oxcl --test service_host killing -- --nocapture",
        Run("OXCL_TEST_BUILDS=20 cargo test -p oxcl --test service_host killing -- --nocapture"),
    ),
    (
        "OXCL_TEST_PROCESSES=64 cargo test -p oxcl --test cache many_processes",
        Run("OXCL_TEST_PROCESSES=3 cargo test -p oxcl --test cache many_processes"),
    ),
    (
        "OXCL_TEST_PROCESSES=1000 cargo test -p oxcl --test cache many_processes",
        Run("OXCL_TEST_PROCESSES=4 cargo test -p oxcl --test cache many_processes"),
    ),
    (
        "OXCL_TEST_PROCESSES=1000 cargo test -p oxcl-icd --test c_programs many_ranks",
        Run("OXCL_TEST_PROCESSES=4 cargo test -p oxcl-icd --test c_programs many_ranks"),
    ),
    // The same programs as they were built with the tests.
    ("cargo build --release -p oxcl-testsuite --bin oxcl-campaign", Run("target/release/oxcl-campaign help")),
    (
        "target/release/oxcl-campaign run --seed 1 --count 10000 --on cpu,ref,tta --failures found --shrink 2000",
        Run(
            "target/release/oxcl-campaign run --seed 1 --count 1 --on cpu,ref,tta --failures found --shrink 20",
        ),
    ),
    ("target/release/oxcl-campaign features 1000", Run("target/release/oxcl-campaign features 20")),
    (
        "target/release/oxcl-campaign run --count 500 --on cpu,wide --cpu x86-64-v3",
        Run("target/release/oxcl-campaign run --count 1 --on cpu,wide --cpu x86-64-v3"),
    ),
    (
        "target/release/oxcl-campaign run --count 2000 --peer PoCL --vendors FOLDER",
        Run("target/release/oxcl-campaign run --count 1 --peer oxcl --vendors $OCL_ICD_VENDORS"),
    ),
    (
        "cargo run --release -p oxcl-example-embedding -- smooth.poclbin",
        Run("$BUILT/oxcl-example-embedding smooth.poclbin"),
    ),
    ("cargo run --release -p oxcl-example-opencl3", Run("$BUILT/oxcl-example-opencl3")),
    (
        "OCL_ICD_VENDORS=$PWD/vendors cargo run --release -p oxcl-example-opencl3",
        Run("OCL_ICD_VENDORS=$PWD/vendors $BUILT/oxcl-example-opencl3"),
    ),
    (
        "cargo run --release -p oxcl-builtins --example builtins_table > builtins.md",
        Run(
            "$BUILT/examples/builtins_table --step 100003 --samples 48 --runs 1 --only sin > builtins.md && \
             grep '^| .sin. | 4 |' builtins.md",
        ),
    ),
    ("clinfo -l", Run("clinfo -l | grep 'Platform #0: oxcl'")),
    ("target/clients/random_calls one 17", Run("target/clients/random_calls one 17 2>&1 | tail -5")),
];

/// The same command with the program of a test in place of `cargo test`: cargo would build the workspace anew, as other features
/// are chosen where a package is built alone.
pub(crate) fn with_built_tests(line: &str, place: &Place) -> String {
    let Some((before, after)) = line.split_once("cargo test ") else { return line.to_owned() };
    let (cargo, own) = after.split_once(" -- ").unwrap_or((after, ""));
    let words: Vec<&str> = cargo.split_whitespace().collect();
    let value = |name: &str| words.iter().position(|word| *word == name).map(|at| words[at + 1]);
    let (package, test) = (value("-p").unwrap(), value("--test").unwrap());
    let filter = words.iter().skip(4).copied().collect::<Vec<_>>().join(" ");
    assert_eq!(
        (words[0], words[2]),
        ("-p", "--test"),
        "`{line}`: the tests of the pages read this order only"
    );
    let program = built_test(package, test, place);
    format!("{before}{} {filter} {own}", program.display())
}

/// The program of a test as cargo has left it: the newest that was made of this source, which must not be older than that.
fn built_test(package: &str, test: &str, place: &Place) -> PathBuf {
    let repository = &place.repository;
    let folder = package_folder(package, place);
    let source = folder.join(format!("tests/{test}.rs"));
    let source = if source.exists() { source } else { folder.join(format!("tests/{test}/main.rs")) };
    let named = source.strip_prefix(repository).unwrap().display().to_string();
    let time = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).ok();
    let programs = std::fs::read_dir(place.built.join("deps")).unwrap().map(|entry| entry.unwrap().path());
    let of_this_source = |path: &PathBuf| {
        let listing = std::fs::read_to_string(path.with_extension("d")).unwrap_or_default();
        listing.contains(&named)
    };
    let begins = format!("{test}-");
    let newest = programs
        .filter(|path| path.extension().is_none())
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(&begins))
        .filter(of_this_source)
        .max_by_key(time);
    let program =
        newest.unwrap_or_else(|| panic!("{package}'s {test} is not built: cargo test --workspace --no-run"));
    assert!(
        time(&program) >= time(&source),
        "{} is newer than its program: cargo test --workspace --no-run",
        source.display()
    );
    program
}

/// The folder of a package of the workspace.
fn package_folder(package: &str, place: &Place) -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["pkgid", "--offline", "-p", package])
        .current_dir(&place.repository)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let path = said.trim().strip_prefix("path+file://").and_then(|rest| rest.split('#').next());
    PathBuf::from(path.unwrap_or_else(|| panic!("there is no package {package} here")))
}
