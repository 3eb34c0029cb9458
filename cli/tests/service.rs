//! The compile service as a host sees it: `oxcl serve` behind the runtime's `Service`, in good times and when it fails.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use oxcl_runtime::{
    BuildFault, BuildRequest, BuildTarget, CompilerService as _, Program, Service, ServiceOptions,
};

const SCALE: &str = "kernel void scale(global float *x, float a) { x[get_global_id(0)] *= a; }";

fn options(arguments: &[&str]) -> ServiceOptions {
    ServiceOptions {
        compiler: Some(PathBuf::from(env!("CARGO_BIN_EXE_oxcl"))),
        servers: 2,
        timeout: Duration::from_secs(60),
        memory: 4 << 30,
        arguments: arguments.iter().map(|&a| a.to_owned()).collect(),
    }
}

fn request(text: &str) -> BuildRequest {
    BuildRequest::new("program.cl", text, BuildTarget::Cpu)
}

#[test]
fn a_program_is_built_from_source_and_options() {
    let service = Service::new(options(&[]));
    service.prewarm();
    let mut wanted = request("kernel void NAME(global int *x) { int unused; x[0] = 1; }");
    wanted.options = "-DNAME=one -Wall".to_owned();
    let built = service.build(&wanted).unwrap();
    let program = Program::from_archive(&built.archive).unwrap();
    assert_eq!(program.kernel_names().collect::<Vec<_>>(), ["one"]);
    assert!(built.log.contains("unused variable"), "{}", built.log);
    // The same server again: the same bytes.
    assert_eq!(service.build(&wanted).unwrap().archive, built.archive);
}

#[test]
fn what_is_wrong_is_told_and_the_next_build_works() {
    let service = Service::new(options(&[]));
    let error = service.build(&request("kernel void bad(global int *x) { y = 1; }")).unwrap_err();
    assert_eq!(error.fault, BuildFault::Source);
    assert!(error.log.contains("program.cl:1:") && error.log.contains("'y'"), "{}", error.log);
    let mut wanted = request(SCALE);
    wanted.options = "-cl-nonsense".to_owned();
    let error = service.build(&wanted).unwrap_err();
    assert_eq!(error.fault, BuildFault::Options);
    assert!(error.message.contains("-cl-nonsense"), "{}", error.message);
    service.build(&request(SCALE)).unwrap();
}

#[test]
fn a_compiler_that_fails_costs_one_build() {
    for fault in ["abort@2", "segv@2", "kill@2", "garbage@2", "half@2"] {
        let service = Service::new(options(&["--fault", fault]));
        service.build(&request(SCALE)).unwrap();
        let error = service.build(&request(SCALE)).unwrap_err();
        assert_eq!(error.fault, BuildFault::Crashed, "{fault}");
        let repro = error.repro.expect("a folder");
        assert!(error.log.contains(repro.to_str().unwrap()), "{}", error.log);
        assert_eq!(std::fs::read_to_string(repro.join("source-0-program.cl")).unwrap(), SCALE);
        assert!(repro.join("job").is_file() && repro.join("options").is_file());
        std::fs::remove_dir_all(repro).unwrap();
        service.build(&request(SCALE)).unwrap_or_else(|error| panic!("{fault}: {error}"));
    }
}

#[test]
fn a_build_that_takes_too_long_is_ended() {
    let mut slow = options(&["--fault", "hang@2"]);
    slow.timeout = Duration::from_secs(2);
    slow.servers = 1;
    let service = Service::new(slow);
    service.build(&request(SCALE)).unwrap();
    let begin = Instant::now();
    let error = service.build(&request(SCALE)).unwrap_err();
    assert_eq!(error.fault, BuildFault::TimedOut);
    assert!(error.log.contains("OXCL_BUILD_TIMEOUT"), "{}", error.log);
    assert!(begin.elapsed() < Duration::from_secs(20));
    service.build(&request(SCALE)).unwrap();
}

#[test]
fn a_compiler_that_takes_all_memory_is_ended() {
    let mut greedy = options(&["--fault", "memory@1"]);
    greedy.memory = 512 << 20;
    let error = Service::new(greedy).build(&request(SCALE)).unwrap_err();
    assert_eq!(error.fault, BuildFault::Crashed);
    assert!(error.log.contains("memory"), "{}", error.log);
}

#[test]
fn without_a_compiler_there_is_an_error() {
    let mut nowhere = options(&[]);
    nowhere.compiler = Some(PathBuf::from("/nowhere/oxcl"));
    let error = Service::new(nowhere).build(&request(SCALE)).unwrap_err();
    assert_eq!(error.fault, BuildFault::Unavailable);
    assert!(error.message.contains("/nowhere/oxcl"), "{}", error.message);
}
