//! C programs as clients: compiled by the system's compiler, run once under the system's OpenCL loader and once linked
//! to `liboxcl.so` directly.

#![allow(clippy::print_stderr, reason = "a test that the system does not bear says so")]

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

/// A C program of the tests, compiled under the loader and linked to a library.
fn compiled(name: &str, out: &Path, linked: &str) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(name).with_extension("c");
    let mut compile = Command::new("cc");
    compile.args(["-std=gnu11", "-Wall", "-Werror", "-Wno-unused", "-O1", "-pthread", "-o"]);
    compile.arg(out).arg(&source).args(linked.split(' '));
    run(&mut compile);
}

/// The folder of loader files that names the library, in a folder where linked programs find it too.
fn vendors(folder: &Path, library: &Path) -> PathBuf {
    let vendors = folder.join("vendors");
    std::fs::create_dir(&vendors).expect("a folder");
    std::fs::write(vendors.join("oxcl.icd"), format!("{}\n", library.display())).expect("a file");
    // The name that linked programs ask for.
    std::os::unix::fs::symlink(library, folder.join("liboxcl.so.1")).expect("a link");
    vendors
}

fn client_with(name: &str, environment: &[(&str, &str)]) {
    client_below(name, environment, &[]);
}

/// As `client_with`, with the program and its arguments behind the words of another one.
fn client_below(name: &str, environment: &[(&str, &str)], words: &[&str]) {
    let temp = tempfile::tempdir().expect("a folder");
    let library = folder().join("liboxcl.so");
    let vendors = vendors(temp.path(), &library);
    for (kind, linked) in [("loader", "-lOpenCL".to_owned()), ("direct", library.display().to_string())] {
        let program = temp.path().join(kind);
        compiled(name, &program, &linked);
        let mut command = match words {
            [] => Command::new(&program),
            [first, ..] => Command::new(first),
        };
        if let [_, rest @ ..] = words {
            command.args(rest).arg(&program);
        }
        command.env("OCL_ICD_VENDORS", &vendors).env("LD_LIBRARY_PATH", temp.path());
        command.env("OXCL_COMPILER", compiler()).env("OXCL_CACHE", "off");
        command.envs(environment.iter().copied());
        run(&mut command);
    }
}

/// Files as `make install` puts them, in an empty prefix: the library finds its compiler, the program its library, and
/// clients both, with nothing else said.
#[test]
fn installed_below_a_prefix() {
    let temp = tempfile::tempdir().expect("a folder");
    let place = |name: &str| temp.path().join(name);
    for name in ["bin", "lib", "etc"] {
        std::fs::create_dir(place(name)).expect("a folder");
    }
    std::fs::copy(compiler(), place("bin/oxcl")).expect("a program");
    std::fs::copy(folder().join("liboxcl.so"), place("lib/liboxcl.so.1")).expect("a library");
    std::os::unix::fs::symlink("liboxcl.so.1", place("lib/liboxcl.so")).expect("a link");

    let oxcl = |words: &[&str]| {
        let output = Command::new(place("bin/oxcl")).args(words).output().expect("a program");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).expect("text")
    };
    let line = oxcl(&["icd"]);
    let library = place("lib/liboxcl.so.1").canonicalize().expect("a library");
    assert_eq!(line, format!("{}\n", library.display()));
    let file = place("etc/oxcl.icd");
    assert_eq!(oxcl(&["icd", file.to_str().expect("a path")]), "");
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), line);

    let direct = format!("-L{} -loxcl", place("lib").display());
    for (kind, linked) in [("loader", "-lOpenCL"), ("direct", direct.as_str())] {
        let program = place(kind);
        compiled("rank", &program, linked);
        let mut command = Command::new(&program);
        command.env_clear().env("OXCL_CACHE", "off");
        command.env("OCL_ICD_VENDORS", place("etc")).env("LD_LIBRARY_PATH", place("lib"));
        run(&mut command);
    }
}

/// How many processes the next test starts; more by hand.
fn ranks() -> usize {
    std::env::var("OXCL_TEST_PROCESSES").ok().and_then(|n| n.parse().ok()).unwrap_or(16)
}

#[test]
fn many_ranks_start_at_once_with_one_cache() {
    let temp = tempfile::tempdir().expect("a folder");
    let vendors = vendors(temp.path(), &folder().join("liboxcl.so"));
    let program = temp.path().join("rank");
    compiled("rank", &program, "-lOpenCL");
    let mut children = Vec::new();
    for number in 0..ranks() {
        let mut command = Command::new(&program);
        command.env("OCL_ICD_VENDORS", &vendors).env("OXCL_COMPILER", compiler());
        command.env_remove("OXCL_CACHE").env("OXCL_CACHE_DIR", temp.path().join("cache"));
        if number % 2 == 0 {
            command.env("OXCL_TEST_LEAVES", "1");
        }
        command.stderr(std::process::Stdio::piped());
        children.push(command.spawn().expect("a process"));
    }
    for child in children {
        let output = child.wait_with_output().expect("its end");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {text}", output.status);
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
fn extensions() {
    client("extensions");
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

/// Puts a tree of control groups with a limit of one CPU's time in the place of the system's, for one program.
const LIMITED: &str = "mount -t tmpfs none /sys/fs/cgroup && mkdir /sys/fs/cgroup/cpu && cd /sys/fs/cgroup \
    && echo 100000 100000 > cpu.max && echo 100000 > cpu/cpu.cfs_quota_us && echo 100000 > cpu/cpu.cfs_period_us \
    && cd / && exec \"$@\"";

#[test]
fn a_limit_of_the_control_group() {
    let words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", LIMITED, "sh"];
    let possible = Command::new(words[0]).args(&words[1..]).arg("true").output();
    if !possible.is_ok_and(|output| output.status.success()) {
        eprintln!("not run: the system gives no mounts of one's own");
        return;
    }
    client_below("limits", &[("OXCL_TEST_ALLOWED", "1")], &words);
    client_below("limits", &[("OXCL_TEST_ALLOWED", "1"), ("OXCL_NUM_THREADS", "2")], &words);
}

#[test]
fn processors() {
    let machines = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../compiler/tta/machines");
    let word = |name: &str| format!("ttasim:{}", machines.join(name).with_extension("adf").display());
    client_with("processors", &[("OXCL_DEVICES", word("three_bus").as_str())]);
    let several = format!("cpu {} {}", word("three_bus"), word("wide_float"));
    client_with("processors", &[("OXCL_DEVICES", several.as_str())]);
}
