//! `oxcl run` and `oxcl compile` with the cache: what they find there, what they leave there, and what they leave alone.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::path::PathBuf;
use std::time::Duration;

use common::{Ran, Sandbox, words};
use oxcl_runtime::{BuildRequest, BuildTarget, Cache, CompilerService as _, Service, ServiceOptions};

const SCALE: &str =
    "kernel void scale(global float *x, float a) { int unused; x[get_global_id(0)] *= a * BY; }";
const RUN: &str = "run scale.cl -g 4 -a x=1,2,3,4 -a a=2 -p x -DBY=1";

/// A folder with a source in it, and a cache of its own.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("scale.cl", SCALE);
    sandbox
}

fn cache(sandbox: &Sandbox) -> Cache {
    Cache::at(&sandbox.path().join("cache"), 1 << 30)
}

/// How many files are kept.
fn kept(sandbox: &Sandbox) -> u64 {
    cache(sandbox).info().unwrap().files
}

fn run(sandbox: &Sandbox, line: &str) -> Ran {
    let mut command = sandbox.command(&words(line));
    command.env_remove("OXCL_CACHE").env("OXCL_CACHE_DIR", sandbox.path().join("cache"));
    sandbox.finished(command.output().unwrap())
}

/// Runs `-v` and says whether the program came from the cache.
fn hits(sandbox: &Sandbox, line: &str) -> bool {
    let ran = run(sandbox, &format!("{line} -v"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.err.contains("taken from the cache")
}

#[test]
fn what_was_run_once_is_found_again() {
    let sandbox = sandbox();
    assert!(!hits(&sandbox, RUN));
    assert!(hits(&sandbox, RUN));
    let ran = run(&sandbox, RUN);
    assert_eq!((ran.out.as_str(), ran.code), ("x[0..4]: 2 4 6 8\n", Some(0)));
    // Other options, another device, another text: other programs.
    let other = RUN.replace("-DBY=1", "-DBY=3");
    assert!(!hits(&sandbox, &other));
    assert_eq!(run(&sandbox, &other).out, "x[0..4]: 6 12 18 24\n");
    assert!(!hits(&sandbox, &format!("{RUN} --device ref")));
    assert!(hits(&sandbox, &format!("{RUN} --device basic")), "cpu and basic share their code");
    sandbox.write("scale.cl", SCALE.replace("a * BY", "a + BY"));
    assert!(!hits(&sandbox, RUN));
    assert_eq!(run(&sandbox, RUN).out, "x[0..4]: 3 6 9 12\n");
}

#[test]
fn messages_are_shown_again() {
    let sandbox = sandbox();
    let line = format!("{RUN} -Wall");
    let first = run(&sandbox, &line);
    assert!(first.err.contains("unused"), "{}", first.err);
    assert!(hits(&sandbox, &line));
    assert!(run(&sandbox, &line).err.contains("unused"));
    assert!(!run(&sandbox, &format!("{line} -q")).err.contains("unused"));
    let json = run(&sandbox, &format!("{line} --json"));
    assert!(json.err.contains("\"kind\":\"diagnostic\"") && json.err.contains("unused"), "{}", json.err);
}

#[test]
fn compiling_gives_the_same_bytes_with_and_without_it() {
    let sandbox = sandbox();
    let line = |name: &str, more: &str| format!("compile scale.cl -DBY=1 -o {name} --json {more}");
    let first = run(&sandbox, &line("first", ""));
    assert!(first.out.contains("\"cached\":false"), "{}", first.out);
    let second = run(&sandbox, &line("second", ""));
    assert!(
        second.out.contains("\"cached\":true") && second.out.contains("\"name\":\"scale\""),
        "{}",
        second.out
    );
    let without = run(&sandbox, &line("without", "--no-cache"));
    assert!(without.out.contains("\"cached\":false"), "{}", without.out);
    assert_eq!(sandbox.read("first"), sandbox.read("second"));
    assert_eq!(sandbox.read("first"), sandbox.read("without"));
    // The runner finds what the compiler left.
    assert!(hits(&sandbox, RUN));
}

#[test]
fn included_files_count() {
    let sandbox = sandbox();
    sandbox.write("scale.cl", SCALE.replace("kernel", "#include \"by.h\"\nkernel"));
    sandbox.write("by.h", "#define BY 1");
    let line = RUN.replace(" -DBY=1", "");
    assert!(!hits(&sandbox, &line));
    assert!(hits(&sandbox, &line));
    sandbox.write("by.h", "#define BY 2");
    assert!(!hits(&sandbox, &line));
    assert_eq!(run(&sandbox, &line).out, "x[0..4]: 4 8 12 16\n");
    // Another folder with the same source and another header.
    sandbox.write("sub/scale.cl", sandbox.read("scale.cl"));
    sandbox.write("sub/by.h", "#define BY 4");
    assert_eq!(run(&sandbox, &line.replace("scale.cl", "sub/scale.cl")).out, "x[0..4]: 8 16 24 32\n");
}

#[test]
fn it_can_be_left_alone() {
    let sandbox = sandbox();
    assert!(!hits(&sandbox, &format!("{RUN} --no-cache")));
    let off =
        sandbox.command(&words(RUN)).env("OXCL_CACHE_DIR", sandbox.path().join("cache")).output().unwrap();
    assert!(off.status.success(), "the sandbox itself says OXCL_CACHE=off");
    for line in [
        "compile scale.cl -DBY=1 --emit llvm",
        "compile scale.cl -DBY=1 -o out --device-id 7",
        "compile scale.cl -DBY=1 -o out --width 4",
    ] {
        assert_eq!(run(&sandbox, line).code, Some(0), "{line}");
    }
    assert!(!sandbox.path().join("cache").exists());
    assert_eq!(
        run(&sandbox, &RUN.replace("-DBY=1", "-DBY=")).code,
        Some(3),
        "a program that does not compile"
    );
    assert!(!sandbox.path().join("cache").exists());
}

#[test]
fn the_library_finds_what_the_command_line_left() {
    let sandbox = sandbox();
    assert_eq!(run(&sandbox, "compile scale.cl -DBY=1 -w -o out").code, Some(0));
    assert!(kept(&sandbox) > 0);
    let service = Service::new(ServiceOptions {
        compiler: Some(PathBuf::from(env!("CARGO_BIN_EXE_oxcl"))),
        cache: Some(cache(&sandbox)),
        servers: 1,
        timeout: Duration::from_secs(60),
        memory: 4 << 30,
        arguments: Vec::new(),
        ..ServiceOptions::from_environment()
    });
    let mut request = BuildRequest::new("scale.cl", SCALE, BuildTarget::Cpu);
    request.options = "-DBY=1 -w".to_owned();
    let built = service.build(&request).unwrap();
    assert!(built.cached && built.archive == sandbox.read("out"));
}

#[test]
fn what_the_environment_says_of_the_width_is_kept_apart() {
    let sandbox = sandbox();
    let line = words("compile scale.cl -DBY=1 -w -v -o out");
    let compiled = |width: &str| {
        let mut command = sandbox.command(&line);
        command.env_remove("OXCL_CACHE").env("OXCL_CACHE_DIR", sandbox.path().join("cache"));
        let ran = sandbox.finished(command.env("OXCL_WIDTH", width).output().unwrap());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        (ran.err.contains("taken from the cache"), sandbox.read("out"))
    };
    let (hit, wide) = compiled("8");
    assert!(!hit && compiled("8").0);
    assert!(!compiled("4").0 && !compiled("").0);
    for (width, cached) in [(8, true), (16, false)] {
        let service = Service::new(ServiceOptions {
            compiler: Some(PathBuf::from(env!("CARGO_BIN_EXE_oxcl"))),
            cache: Some(cache(&sandbox)),
            servers: 1,
            timeout: Duration::from_secs(60),
            memory: 4 << 30,
            width,
            arguments: Vec::new(),
            ..ServiceOptions::from_environment()
        });
        let mut request = BuildRequest::new("scale.cl", SCALE, BuildTarget::Cpu);
        request.options = "-DBY=1 -w".to_owned();
        let built = service.build(&request).unwrap();
        assert_eq!(built.cached, cached, "width {width}");
        assert_eq!(built.archive == wide, cached, "width {width}");
        sandbox.write("built", &built.archive);
        let inspected = run(&sandbox, "inspect built --json").out;
        assert!(inspected.contains(&format!("\"width\":{width},")), "width {width}: {inspected}");
    }
}
