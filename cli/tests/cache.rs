//! The cache as the compile service uses it: hits and misses, damage, many processes at once, its size, and `oxcl cache`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use common::Sandbox;
use oxcl_runtime::{
    BuildRequest, BuildTarget, Built, Cache, CompilerService as _, Program, Service, ServiceOptions,
};

const SCALE: &str = "kernel void scale(global float *x, float a) { x[get_global_id(0)] *= a; }";

/// A service as a new process would have it.
fn service(folder: &Path) -> Service {
    Service::new(ServiceOptions {
        compiler: Some(PathBuf::from(env!("CARGO_BIN_EXE_oxcl"))),
        cache: Some(Cache::at(folder, 1 << 30)),
        servers: 2,
        timeout: Duration::from_secs(60),
        memory: 4 << 30,
        arguments: Vec::new(),
        ..ServiceOptions::from_environment()
    })
}

fn request(text: &str) -> BuildRequest {
    BuildRequest::new("program.cl", text, BuildTarget::Cpu)
}

fn build(folder: &Path, request: &BuildRequest) -> Built {
    let built = service(folder).build(request).unwrap();
    Program::from_archive(&built.archive).unwrap();
    built
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            found.extend(files(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

#[test]
fn a_hit_has_the_same_bytes_and_starts_no_server() {
    let folder = tempfile::tempdir().unwrap();
    let wanted =
        request("kernel void f(global int *x) { int unused; x[0] = 1; }\nkernel void g(global int *x) {}");
    let mut loud = wanted.clone();
    loud.options = "-Wall".to_owned();
    let first = build(folder.path(), &loud);
    assert!(!first.cached && first.log.contains("unused"), "{}", first.log);
    let again = service(folder.path());
    again.prewarm();
    let second = again.build(&loud).unwrap();
    assert!(second.cached && second.archive == first.archive && second.log == first.log);
    // Other options, other text, another target: other results.
    assert!(!build(folder.path(), &wanted).cached);
    let mut both = loud.clone();
    both.target = BuildTarget::Both;
    assert!(!build(folder.path(), &both).cached);
    assert!(build(folder.path(), &loud).cached);
    // The program needed no compiler the last time, so none is started ahead of need, nor for the hit.
    let later = service(folder.path());
    later.prewarm();
    assert!(later.build(&loud).unwrap().cached);
    std::thread::sleep(Duration::from_millis(50));
    assert!(later.idle_processes().is_empty());
}

#[test]
fn the_texts_of_included_files_count_and_so_do_files_that_are_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let include = tempfile::tempdir().unwrap();
    let (first, second) = (include.path().join("a"), include.path().join("b"));
    fs::create_dir(&first).unwrap();
    fs::create_dir(&second).unwrap();
    let mut wanted = request("#include \"value.h\"\nkernel void f(global int *x) { x[0] = VALUE; }");
    wanted.options = format!("-I{} -I{}", first.display(), second.display());
    fs::write(second.join("value.h"), "#define VALUE 1").unwrap();
    let one = build(folder.path(), &wanted);
    assert!(!one.cached);
    assert!(build(folder.path(), &wanted).cached);

    fs::write(second.join("value.h"), "#define VALUE 2").unwrap();
    let two = build(folder.path(), &wanted);
    assert!(!two.cached && two.archive != one.archive);
    assert!(build(folder.path(), &wanted).cached);

    // The same text again, written later: what counts is what it says.
    fs::write(second.join("value.h"), "#define VALUE 1").unwrap();
    let back = build(folder.path(), &wanted);
    assert!(back.cached && back.archive == one.archive);

    // A file that the compiler looked for in vain appears, with an include of its own.
    fs::write(first.join("value.h"), "#include \"more.h\"").unwrap();
    fs::write(first.join("more.h"), "#define VALUE 3").unwrap();
    let three = build(folder.path(), &wanted);
    assert!(!three.cached && three.archive != one.archive);
    assert!(build(folder.path(), &wanted).cached);
    fs::write(first.join("more.h"), "#define VALUE 4").unwrap();
    assert!(!build(folder.path(), &wanted).cached);
    fs::write(first.join("more.h"), "#define VALUE 3").unwrap();
    assert!(build(folder.path(), &wanted).archive == three.archive);

    // And goes again.
    fs::remove_file(first.join("value.h")).unwrap();
    assert!(build(folder.path(), &wanted).archive == one.archive);
}

#[test]
fn what_asks_for_the_time_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let wanted =
        request("constant char when[] = __TIME__; kernel void f(global char *x) { x[0] = when[0]; }");
    assert!(!build(folder.path(), &wanted).cached);
    assert!(!build(folder.path(), &wanted).cached);
}

#[test]
fn damage_is_a_miss_and_is_repaired() {
    let folder = tempfile::tempdir().unwrap();
    let whole = build(folder.path(), &request(SCALE)).archive;
    let cache = Cache::at(folder.path(), 1 << 30);
    let mut heard = Vec::new();
    assert!(cache.verify(&mut |done, all| heard.push((done, all))).unwrap().is_empty());
    // How far it is, for who waits.
    let all = cache.info().unwrap().files;
    assert_eq!(heard, (0..all).map(|done| (done, all)).collect::<Vec<_>>());
    assert!(all > 0);
    let damages: [fn(&mut Vec<u8>); 4] = [
        |bytes| bytes.truncate(bytes.len() / 2),
        |bytes| bytes.clear(),
        |bytes| {
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
        },
        |bytes| bytes.push(0),
    ];
    for damage in damages {
        for path in files(folder.path()) {
            let mut bytes = fs::read(&path).unwrap();
            if bytes.is_empty() {
                continue; // A mark or a stamp, which holds nothing.
            }
            damage(&mut bytes);
            fs::write(&path, bytes).unwrap();
        }
        assert!(!cache.verify(&mut |_, _| {}).unwrap().is_empty());
        let repaired = build(folder.path(), &request(SCALE));
        assert!(!repaired.cached && repaired.archive == whole);
        assert!(cache.verify(&mut |_, _| {}).unwrap().is_empty());
        assert!(build(folder.path(), &request(SCALE)).cached);
    }
}

#[test]
fn a_folder_that_cannot_be_used_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let closed = folder.path().join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o500)).unwrap();
    for place in [file.as_path(), Path::new("/proc/nothing/here"), &closed] {
        build(place, &request(SCALE));
    }
}

#[test]
fn what_was_not_used_for_longest_goes_first() {
    let folder = tempfile::tempdir().unwrap();
    for index in 0..4 {
        build(folder.path(), &request(&format!("kernel void k{index}(global int *x) {{ x[0] = {index}; }}")));
    }
    let roomy = Cache::at(folder.path(), 1 << 30);
    let before = roomy.info().unwrap();
    // Ages: k0 is the oldest.
    let now = std::time::SystemTime::now();
    for row in roomy.list(&mut |_, _| {}).unwrap() {
        let path = folder.path().join(&row.key[..2]).join(&row.key[2..]);
        let index = row.what.strip_prefix("program: k").and_then(|n| n.parse::<u64>().ok());
        let age = index.map_or(0, |index| 10_000 - 1000 * index);
        fs::File::open(path).unwrap().set_modified(now - Duration::from_secs(age)).unwrap();
    }
    let tight = Cache::at(folder.path(), before.bytes / 2);
    tight.tidy();
    let after = tight.info().unwrap();
    assert!(after.bytes <= before.bytes / 2 && after.files >= 1, "{after:?}");
    let left: BTreeSet<String> =
        tight.list(&mut |_, _| {}).unwrap().into_iter().map(|row| row.what).collect();
    assert!(left.contains("program: k3") && !left.contains("program: k0"), "{left:?}");
    roomy.tidy();
    assert_eq!(roomy.info().unwrap().files, after.files);
}

/// Not a test of its own: what the processes of the next one do.
#[test]
fn child() {
    let Some(folder) = std::env::var_os("OXCL_TEST_FOLDER") else { return };
    let own = std::env::var("OXCL_TEST_NUMBER").unwrap();
    let service = service(Path::new(&folder));
    for text in [SCALE.to_owned(), format!("kernel void own{own}(global int *x) {{ x[0] = {own}; }}")] {
        let built = service.build(&request(&text)).unwrap();
        Program::from_archive(&built.archive).unwrap();
    }
}

/// How many processes the next test starts; more by hand.
fn processes() -> usize {
    std::env::var("OXCL_TEST_PROCESSES").ok().and_then(|n| n.parse().ok()).unwrap_or(8)
}

#[test]
fn many_processes_build_into_one_empty_cache() {
    let folder = tempfile::tempdir().unwrap();
    let mut children = Vec::new();
    for number in 0..processes() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "child"]).env("OXCL_TEST_FOLDER", folder.path());
        // Two of each.
        command.env("OXCL_TEST_NUMBER", (number / 2).to_string());
        command.stdout(std::process::Stdio::null());
        children.push(command.spawn().unwrap());
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let cache = Cache::at(folder.path(), 1 << 30);
    assert!(cache.verify(&mut |_, _| {}).unwrap().is_empty());
    let programs =
        cache.list(&mut |_, _| {}).unwrap().into_iter().filter(|row| row.what.starts_with("program")).count();
    assert_eq!(programs, 1 + processes().div_ceil(2));
    assert!(fs::read_dir(folder.path().join("claims")).unwrap().next().is_none(), "claims are left");
    assert!(build(folder.path(), &request(SCALE)).cached);
}

#[test]
fn the_command_shows_checks_and_clears() {
    let sandbox = Sandbox::new();
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let mut command = sandbox.command(words);
        command.env_remove("OXCL_CACHE").env("OXCL_CACHE_DIR", folder.path());
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    assert!(run(&["cache", "info"]).1.contains("files   0"));
    build(folder.path(), &request(SCALE));
    let (code, text) = run(&["cache", "list"]);
    assert!(code == Some(0) && text.contains("program: scale"), "{text}");
    assert_eq!(run(&["cache", "verify"]), (Some(0), "0 damaged\n".to_owned()));
    let (code, text) = run(&["cache", "stats"]);
    assert!(code == Some(0) && text.contains("results                           1\n"), "{text}");
    let program = files(folder.path()).into_iter().max_by_key(|path| path.metadata().unwrap().len()).unwrap();
    fs::write(&program, "half").unwrap();
    let json: serde_json::Value = serde_json::from_str(&run(&["cache", "stats", "--json"]).1).unwrap();
    assert_eq!((json["data"]["results"].as_u64(), json["data"]["damaged"].as_u64()), (Some(0), Some(1)));
    let pruned = run(&["cache", "prune"]);
    assert_eq!(pruned, (Some(0), "removed 1 files, 0.0 MiB\n".to_owned()));
    assert_eq!(run(&["cache", "verify"]), (Some(0), "0 damaged\n".to_owned()));
    assert_eq!(run(&["cache", "prune"]).1, "removed 0 files, 0.0 MiB\n");
    build(folder.path(), &request(SCALE));
    fs::write(&program, "half").unwrap();
    let (code, text) = run(&["cache", "verify"]);
    assert!(code == Some(1) && text.contains("not whole"), "{text}");
    let (code, text) = run(&["cache", "clear"]);
    assert!(code == Some(0) && text.starts_with("removed "), "{text}");
    assert!(run(&["cache", "info"]).1.contains("files   0"));
    let off = sandbox.command(&["cache", "info"]).output().unwrap();
    assert!(String::from_utf8(off.stdout).unwrap().contains("there is no cache"));
}
