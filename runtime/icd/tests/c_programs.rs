//! C programs as clients: compiled by the system's compiler, run once under the system's OpenCL loader and once linked
//! to `liboxcl.so` directly.

#![allow(clippy::print_stderr, reason = "a test that the system does not bear says so")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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
    let (text, said) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}: {text}{said}", output.status);
}

fn client(name: &str) {
    client_with(name, &[]);
}

/// A C program of the tests, compiled under the loader and linked to a library.
fn compiled(name: &str, out: &Path, linked: &str) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c").join(name).with_extension("c");
    let mut compile = Command::new("cc");
    compile.args(["-std=gnu11", "-Wall", "-Werror", "-Wno-unused", "-O1", "-pthread", "-o"]);
    compile.arg(out).arg(&source).args(linked.split(' ')).arg("-lm");
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
fn images() {
    for devices in ["cpu", "basic", "discrete:16M"] {
        client_with("images", &[("OXCL_DEVICES", devices)]);
    }
}

#[test]
fn mipmaps() {
    for devices in ["cpu", "basic", "ref", "discrete:16M"] {
        client_with("mipmaps", &[("OXCL_DEVICES", devices)]);
    }
}

#[test]
fn extensions() {
    client("extensions");
}

#[test]
fn initialize_memory() {
    for devices in ["cpu", "basic", "ref", "discrete:16M"] {
        client_with("initialize_memory", &[("OXCL_DEVICES", devices)]);
    }
}

#[test]
fn contexts() {
    client("contexts");
}

#[test]
fn callback_thread() {
    client("callback_thread");
}

#[test]
fn library_signals() {
    client("library_signals");
}

#[test]
fn small_stack() {
    client("small_stack");
}

#[test]
fn shared_memory() {
    client("shared_memory");
}

#[test]
fn times() {
    client("times");
}

#[test]
fn command_times() {
    for device in ["cpu", "basic", "ref", "discrete:64M"] {
        client_with("command_times", &[("OXCL_DEVICES", device)]);
    }
}

#[test]
fn large_ids() {
    client("large_ids");
}

#[test]
fn failed_map() {
    client("failed_map");
}

#[test]
fn destructors() {
    client("destructors");
}

/// Host memory that runs out where callbacks are registered and called, and where threads wait.
#[test]
fn no_memory() {
    for devices in ["cpu", "basic", "cpu discrete:16M"] {
        client_with("no_memory", &[("OXCL_DEVICES", devices)]);
    }
}

#[test]
fn user_event_wait() {
    client_with("user_event_wait", &[("OXCL_NUM_THREADS", "2"), ("OXCL_DEVICES", "cpu")]);
}

#[test]
fn early_callbacks() {
    client("early_callbacks");
}

#[test]
fn idle_compilers() {
    client("idle_compilers");
    client_with("idle_compilers", &[("OXCL_IMPROVE", "off")]);
}

#[test]
fn stuck_build() {
    client("stuck_build");
}

#[test]
fn environment() {
    client("environment");
}

#[test]
fn fork_busy() {
    client("fork_busy");
}

#[test]
fn fork_loading() {
    client("fork_loading");
}

#[test]
fn mapped_pointer() {
    client("mapped_pointer");
}

#[test]
fn many_ranges() {
    client("many_ranges");
}

#[test]
fn many_contexts() {
    client("many_contexts");
}

#[test]
fn printf_null() {
    client("printf_null");
}

#[test]
fn svm_promises() {
    client("svm_promises");
    client_with("svm_promises", &[("OXCL_DEVICES", "discrete:64M")]);
}

#[test]
fn unified() {
    for device in ["cpu", "basic", "ref"] {
        client_with("unified", &[("OXCL_DEVICES", device), ("OXCL_TEST_SHARES", "1")]);
    }
    client_with("unified", &[("OXCL_DEVICES", "discrete:64M")]);
}

#[test]
fn link_devices() {
    client_with("link_devices", &[("OXCL_DEVICES", "cpu basic ref")]);
}

/// Modules and specialised constants are told apart by the cache as well, which is on here.
#[test]
fn il() {
    client_with("il", &[("OXCL_DEVICES", "cpu")]);
    client_with("il", &[("OXCL_DEVICES", "ref")]);
    let cache = tempfile::tempdir().expect("a folder");
    let folder = cache.path().to_str().expect("a path");
    for _ in 0..2 {
        client_with("il", &[("OXCL_DEVICES", "cpu"), ("OXCL_CACHE", "on"), ("OXCL_CACHE_DIR", folder)]);
    }
}

/// What anybody could have put beside a program, or above it, is not run.
#[test]
fn a_compiler_of_somebody_else() {
    let temp = tempfile::tempdir().expect("a folder");
    let place = |name: &str| temp.path().join(name);
    for name in ["lib", "world", "world/x", "world/bin"] {
        std::fs::create_dir(place(name)).expect("a folder");
    }
    let library = place("lib/liboxcl.so.1");
    std::fs::copy(folder().join("liboxcl.so"), &library).expect("a library");
    std::fs::write(place("lib/oxcl.icd"), format!("{}\n", library.display())).expect("a file");
    let script = format!("#!/bin/sh\ntouch {}\n", place("was-run").display());
    // In the parent of the program's folder, and beside it where everybody may write the file.
    for (name, mode) in [("world/oxcl", 0o755), ("world/x/oxcl", 0o777), ("world/bin/oxcl", 0o777)] {
        std::fs::write(place(name), &script).expect("a file");
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(place(name), permissions).expect("rights");
    }
    let program = place("world/x/prog");
    compiled("no_compiler", &program, "-lOpenCL");
    let mut command = Command::new(&program);
    command.env_clear().env("OXCL_CACHE", "off").env("OCL_ICD_VENDORS", place("lib"));
    run(&mut command);
    assert!(!place("was-run").exists());
}

/// A program that has its owner's rights takes neither code nor folders that its user names.
#[test]
fn a_program_with_more_rights_than_its_user() {
    use std::os::unix::fs::PermissionsExt as _;
    let user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    let possible = Command::new(user[0]).args(&user[1..]).arg("true").output();
    if !possible.is_ok_and(|output| output.status.success()) {
        eprintln!("not run: only the system's administrator can make such a program");
        return;
    }
    let temp = tempfile::tempdir().expect("a folder");
    let place = |name: &str| temp.path().join(name);
    let open = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("rights");
    };
    open(temp.path(), 0o755);
    for name in ["lib", "bin"] {
        std::fs::create_dir(place(name)).expect("a folder");
    }
    std::fs::create_dir(place("of-the-user")).expect("a folder");
    open(&place("of-the-user"), 0o777);
    std::fs::copy(compiler(), place("bin/oxcl")).expect("a program");
    std::fs::copy(folder().join("liboxcl.so"), place("lib/liboxcl.so.1")).expect("a library");
    std::os::unix::fs::symlink("liboxcl.so.1", place("lib/liboxcl.so")).expect("a link");
    let program = place("privileged");
    let lib = place("lib").display().to_string();
    compiled("privileged", &program, &format!("-L{lib} -loxcl -Wl,-rpath,{lib}"));
    open(&program, 0o4755);
    let theirs = |name: &str| place("of-the-user").join(name);
    let mut command = Command::new(user[0]);
    command.args(&user[1..]).arg(&program).env_remove("OXCL_CACHE").env("LEFT_ALONE", theirs("cache"));
    command.env("OXCL_CACHE_DIR", theirs("cache")).env("OXCL_REPRO_DIR", theirs("repro"));
    command.env("XDG_CACHE_HOME", theirs("xdg")).env("HOME", theirs("home"));
    let output = command.output().expect("a program that starts");
    if output.status.code() == Some(77) {
        eprintln!("not run: the folder's file system gives no rights");
        return;
    }
    assert!(output.status.success(), "{}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    assert_eq!(std::fs::read_dir(place("of-the-user")).expect("a folder").count(), 0);
}

#[test]
fn improve() {
    client("improve");
    client_with("improve", &[("OXCL_IMPROVE", "off")]);
}

#[test]
fn bounds() {
    for value in ["", "warn", "error", "off", "sometimes"] {
        client_with("bounds", &[("OXCL_BOUNDS", value)]);
    }
}

/// Programs see the names that the user chooses, and ours where the choice is none.
#[test]
fn names() {
    let long = "x".repeat(128);
    client_with("names", &[("WANT_NAME", "oxcl"), ("WANT_VENDOR", "oxcl")]);
    for (name, vendor, [want_name, want_vendor]) in [
        (" Some (R) Platform", "", ["Some (R) Platform", "oxcl"]),
        ("one\nline", "Some Vendor", ["oxcl", "Some Vendor"]),
        (&long, &long[1..], ["oxcl", &long[1..]]),
    ] {
        let chosen = [("OXCL_PLATFORM_NAME", name), ("OXCL_PLATFORM_VENDOR", vendor)];
        let wanted = [("WANT_NAME", want_name), ("WANT_VENDOR", want_vendor)];
        client_with("names", &[chosen, wanted].concat());
    }
}

/// Whether there is a compiler of the process of this number.
fn has_compiler(host: u32) -> bool {
    let option = format!("--host={host}\0");
    let all = std::fs::read_dir("/proc").expect("the list of processes").flatten();
    all.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok())
        .any(|words| String::from_utf8_lossy(&words).contains(&option))
}

/// Several kernels become hot while they run, and go on to compute the same.
#[test]
fn hot_kernels_of_several_kinds() {
    client("hot_kernels");
}

/// What a short program's kernels took says that better code pays; the program does not live to see it, but the next one
/// has it, and no compiler is left.
#[test]
fn hot_kernels_of_a_short_program() {
    hot_kernels("2");
}

/// The same where one of them still waits for the compiler when the program ends.
#[test]
fn hot_kernels_that_wait_for_a_compiler() {
    hot_kernels("1");
}

fn hot_kernels(compilers: &str) {
    let temp = tempfile::tempdir().expect("a folder");
    let vendors = vendors(temp.path(), &folder().join("liboxcl.so"));
    let program = temp.path().join("gemm");
    compiled("gemm", &program, "-lOpenCL");
    let run_once = || {
        let mut command = Command::new(&program);
        // A compiler with debug assertions takes longer, and so do its kernels to be hot.
        command.args(["passes", "6"]);
        command.env("OCL_ICD_VENDORS", &vendors).env("OXCL_COMPILER", compiler()).env("OXCL_LOG", "build");
        command.env("OXCL_CACHE_DIR", temp.path().join("cache")).env_remove("OXCL_CACHE");
        command.env("OXCL_COMPILERS", compilers);
        command.stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().expect("a program that starts");
        let host = child.id();
        let output = child.wait_with_output().expect("a program that ends");
        let begin = Instant::now();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{text}");
        while has_compiler(host) {
            assert!(begin.elapsed() < Duration::from_secs(15), "a compiler is left");
            std::thread::sleep(Duration::from_millis(20));
        }
        text
    };
    let first = run_once();
    assert!(first.contains("a program of 2 kernels in a hurry, in"), "{first}");
    for kernel in ["plain", "transposed"] {
        // They have barriers: the function for their local size is as good as the code for all.
        let for_all = format!("'{kernel}' is promoted: ");
        let for_one = format!("'{kernel}' for local size 16,4,1 is promoted: ");
        assert!(first.contains(&for_all) || first.contains(&for_one), "{first}");
    }
    // Functions for the local size may be left to those that follow.
    for _ in 0..5 {
        let next = run_once();
        assert!(next.contains("in a hurry, from the cache"), "{next}");
        assert!(
            !next.contains("'plain' is promoted") && !next.contains("'transposed' is promoted"),
            "{next}"
        );
        if !next.contains("is promoted") && !next.contains("is in use after") {
            return;
        }
    }
    panic!("kernels are promoted in every process");
}

/// A binary holds the module that better functions are made of: its kernels are promoted as those of sources are, and the next
/// process that uses the binary finds what was made.
#[test]
fn a_binary_gets_faster_when_it_is_used() {
    let temp = tempfile::tempdir().expect("a folder");
    let vendors = vendors(temp.path(), &folder().join("liboxcl.so"));
    let (program, kept) = (temp.path().join("binary"), temp.path().join("kept.bin"));
    compiled("binary", &program, "-lOpenCL -D_GNU_SOURCE");
    let run_once = |word: &str, improve: &str| {
        let mut command = Command::new(&program);
        command.arg(word).arg(&kept).env("OXCL_IMPROVE", improve).env("OXCL_LOG", "build");
        command.env("OCL_ICD_VENDORS", &vendors).env("OXCL_COMPILER", compiler());
        command.env("OXCL_CACHE_DIR", temp.path().join("cache")).env_remove("OXCL_CACHE");
        let output = command.output().expect("a program that starts");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{text}");
        text
    };
    let promoted = "'spin' for local size 64,1,1 is promoted: ";
    run_once("keep", "on");
    let text = run_once("use", "off");
    assert!(!text.contains("is promoted"), "{text}");
    let text = run_once("use", "on");
    assert!(text.contains(promoted) && !text.contains("'other'"), "{text}");
    // The compiler finishes it even if the process has ended meanwhile; later ones have it.
    for _ in 0..5 {
        let text = run_once("use", "on");
        if !text.contains("is promoted") {
            return;
        }
    }
    panic!("the function is made in every process");
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

/// A program of the tests that is linked to the library, in a folder of its own, with a cache of its own.
fn with_cache(name: &str, runs: &[(&str, &[&str])]) {
    let temp = tempfile::tempdir().expect("a folder");
    let library = folder().join("liboxcl.so");
    std::os::unix::fs::symlink(&library, temp.path().join("liboxcl.so.1")).expect("a link");
    std::fs::create_dir(temp.path().join("tmp")).expect("a folder");
    let program = temp.path().join(name);
    compiled(name, &program, &library.display().to_string());
    for (devices, words) in runs {
        let mut command = Command::new(&program);
        command.args(*words).env("LD_LIBRARY_PATH", temp.path()).env("OXCL_COMPILER", compiler());
        command.env_remove("OXCL_CACHE").env("OXCL_CACHE_DIR", temp.path().join("cache"));
        command.env("TMPDIR", temp.path().join("tmp")).env("OXCL_DEVICES", devices);
        run(&mut command);
    }
}

/// The first random programs of calls; `OXCL_PROGRAMS` says how many, `OXCL_SEED` which is the first.
#[test]
fn random_calls() {
    let count = std::env::var("OXCL_PROGRAMS").unwrap_or_else(|_| "60".to_owned());
    let seed = std::env::var("OXCL_SEED").unwrap_or_else(|_| "1".to_owned());
    let some = [seed.as_str(), count.as_str()];
    let series = ["series", seed.as_str(), count.as_str()];
    with_cache("random_calls", &[("cpu", &some), ("cpu basic discrete:16M", &some), ("cpu", &series)]);
}

/// What runs an hour by hand, for seconds.
#[test]
fn long_life() {
    let limited = ["20000", "0", "limit"];
    with_cache("long_life", &[("cpu", &["60000", "0"]), ("cpu discrete:16M", &limited)]);
}

#[test]
fn processors() {
    let machines = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../compiler/tta/machines");
    let word = |name: &str| format!("ttasim:{}", machines.join(name).with_extension("adf").display());
    client_with("processors", &[("OXCL_DEVICES", word("three_bus").as_str())]);
    let several = format!("cpu {} {}", word("three_bus"), word("wide_float"));
    client_with("processors", &[("OXCL_DEVICES", several.as_str())]);
}

/// Memory is counted: what the variable allows, on devices of the host's memory, and beside one with memory of its own.
#[test]
fn memory_that_the_variable_allows() {
    for devices in ["cpu", "basic", "cpu discrete:16M"] {
        client_with("memory", &[("OXCL_TEST_MIB", "96"), ("OXCL_MEMORY", "96"), ("OXCL_DEVICES", devices)]);
    }
}

/// Becomes a program in a group of no limit within a new control group of so many bytes of memory; both go with it.
const IN_GROUP: &str = r#"
if [ -d /sys/fs/cgroup/memory ]; then group=/sys/fs/cgroup/memory/oxcl-test-$$; file=memory.limit_in_bytes
else group=/sys/fs/cgroup/oxcl-test-$$; file=memory.max; fi
mkdir "$group" && mkdir "$group/inner" && echo $0 > "$group/$file" &&
sh -c 'echo $$ > "$0/cgroup.procs" && exec "$@"' "$group/inner" "$@" || result=$?
rmdir "$group/inner" "$group"
exit ${result:-0}
"#;

/// The same in a control group: a program that fills more than it has would be ended by the system.
#[test]
fn memory_of_a_control_group() {
    let bytes = (256_u64 << 20).to_string();
    let words = ["sh", "-c", IN_GROUP, bytes.as_str()];
    let possible = Command::new(words[0]).args(&words[1..]).arg("true").output();
    if !possible.is_ok_and(|output| output.status.success()) {
        eprintln!("not run: the system gives no control groups of one's own");
        return;
    }
    for devices in ["cpu", "cpu basic discrete:16M"] {
        let variables = [("OXCL_TEST_MIB", "256"), ("OXCL_TEST_IN_GROUP", "1"), ("OXCL_DEVICES", devices)];
        client_below("memory", &variables, &words);
    }
}
