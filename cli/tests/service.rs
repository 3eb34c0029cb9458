//! The compile service as a host sees it: `oxcl serve` behind the runtime's `Service`, in good times and when it fails.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::time::{Duration, Instant};

use oxcl_binary::archive::slots::{ANY_SIZE, Code};
use oxcl_binary::archive::{Archive, BinaryType};
use oxcl_runtime::{
    BuildAction, BuildFault, BuildRequest, BuildTarget, CompilerService as _, Program, Service,
    ServiceOptions, Source,
};

const SCALE: &str = "kernel void scale(global float *x, float a) { x[get_global_id(0)] *= a; }";

fn options(arguments: &[&str]) -> ServiceOptions {
    ServiceOptions {
        compiler: Some(PathBuf::from(env!("CARGO_BIN_EXE_oxcl"))),
        cache: None,
        servers: 2,
        timeout: Duration::from_secs(60),
        memory: 4 << 30,
        arguments: arguments.iter().map(|&a| a.to_owned()).collect(),
        ..ServiceOptions::from_environment()
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

fn many_kernels() -> String {
    let mut text = String::from("global int counter = 5;\n");
    for index in 0..7 {
        text.push_str(&format!(
            "kernel void k{index}(global float *x, local float *l) {{
                size_t i = get_global_id(0);
                for (int n = 0; n < {index}; ++n) x[i] = sqrt(x[i]) + n;
                l[get_local_id(0)] = x[i];
                barrier(CLK_LOCAL_MEM_FENCE);
                x[i] = l[0] + counter++;
                if (i == 3) printf(\"%d\\n\", {index});
            }}\n"
        ));
    }
    text
}

#[test]
fn several_servers_make_the_bytes_that_one_makes() {
    let mut alone = options(&[]);
    alone.servers = 1;
    let mut wanted = request(&many_kernels());
    wanted.options = "-cl-std=CL3.0".to_owned();
    let whole = Service::new(alone).build(&wanted).unwrap();
    for servers in [2, 3, 9] {
        let mut several = options(&[]);
        several.servers = servers;
        let service = Service::new(several);
        let built = service.build(&wanted).unwrap();
        assert!(built.archive == whole.archive, "{servers} servers make other bytes");
        assert_eq!(service.idle_processes().len(), servers.min(many_kernels().matches("kernel").count()));
    }
    let program = Program::from_archive(&whole.archive).unwrap();
    assert_eq!(program.kernel_names().count(), 7);
}

#[test]
fn parts_are_compiled_apart_and_linked() {
    let service = Service::new(options(&[]));
    let mut helper = request("#include \"factor.h\"\nfloat times(float x) { return x * FACTOR; }");
    helper.action = BuildAction::Compile;
    helper.headers.push(Source { name: "factor.h".to_owned(), text: "#define FACTOR 3".to_owned() });
    helper.options = "-cl-std=CL3.0 -cl-denorms-are-zero".to_owned();
    let helper = service.build(&helper).unwrap().archive;
    let archive = Archive::read(&helper).unwrap();
    assert_eq!(archive.binary_type, BinaryType::CompiledObject);
    assert!(archive.file("/program.bc").is_some());

    let mut entry = request("float times(float x); kernel void f(global float *x) { x[0] = times(x[0]); }");
    entry.action = BuildAction::Compile;
    let entry = service.build(&entry).unwrap().archive;

    // A library of one part, linked with the other.
    let mut library = BuildRequest::link(BuildAction::Link, vec![helper.clone()], BuildTarget::Cpu);
    library.options = "-create-library -enable-link-options".to_owned();
    let library = service.build(&library).unwrap().archive;
    assert_eq!(Archive::read(&library).unwrap().binary_type, BinaryType::Library);

    for other in [helper, library] {
        let link = BuildRequest::link(BuildAction::Link, vec![entry.clone(), other], BuildTarget::Both);
        let built = service.build(&link).unwrap();
        let program = Program::from_archive(&built.archive).unwrap();
        assert_eq!(program.kernel_names().collect::<Vec<_>>(), ["f"]);
        let meta = program.meta().unwrap();
        assert_eq!((meta.cl_std.as_str(), program.archive().flush_denorms), ("CL3.0", true));
    }

    let alone = BuildRequest::link(BuildAction::Link, vec![entry.clone()], BuildTarget::Cpu);
    let error = service.build(&alone).unwrap_err();
    assert_eq!(error.fault, BuildFault::Source);
    assert!(error.message.contains("times"), "{}", error.message);
    let twice = BuildRequest::link(BuildAction::Link, vec![entry.clone(), entry.clone()], BuildTarget::Cpu);
    assert!(service.build(&twice).unwrap_err().message.contains("defined more than once: 'f'"));

    let mut wrong = BuildRequest::link(BuildAction::Link, vec![entry.clone()], BuildTarget::Cpu);
    wrong.options = "-DX".to_owned();
    assert_eq!(service.build(&wrong).unwrap_err().fault, BuildFault::Options);
    wrong.options = "-enable-link-options".to_owned();
    assert_eq!(service.build(&wrong).unwrap_err().fault, BuildFault::Options);
    let nothing = BuildRequest::link(BuildAction::Link, Vec::new(), BuildTarget::Cpu);
    assert_eq!(service.build(&nothing).unwrap_err().fault, BuildFault::Request);
    let junk = BuildRequest::link(BuildAction::Link, vec![b"junk".to_vec()], BuildTarget::Cpu);
    let error = service.build(&junk).unwrap_err();
    assert!(error.fault == BuildFault::Request && error.message.contains("OX0211"), "{}", error.message);
}

#[test]
fn a_kernel_is_specialised_alone() {
    let service = Service::new(options(&[]));
    let mut wanted = request(&many_kernels());
    wanted.options = "-cl-std=CL3.0".to_owned();
    wanted.local_sizes = vec![[64, 1, 1], [16, 4, 1]];
    let archive = Archive::read(&service.specialise(&wanted, "k3").unwrap().archive).unwrap();
    let names: Vec<_> = archive.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    assert_eq!(names, ["k3"]);
    let kernel = &archive.kernels[0];
    assert!(
        kernel.object(Code::First, [64, 1, 1]).is_some() && kernel.object(Code::First, [16, 4, 1]).is_some()
    );
    assert!(kernel.object(Code::First, ANY_SIZE).is_none());
    // Only this runtime reads it: nothing is there twice, for PoCL.
    assert_eq!(kernel.files.iter().filter(|file| file.path.contains(".so")).count(), 2);
    // The same functions as those that are made with the whole program.
    let whole = Archive::read(&service.build(&wanted).unwrap().archive).unwrap();
    let whole = whole.kernel("k3").unwrap();
    assert_eq!(whole.object(Code::First, [16, 4, 1]), kernel.object(Code::First, [16, 4, 1]));
    assert_eq!(service.specialise(&wanted, "none").unwrap_err().fault, BuildFault::Request);
}

#[test]
fn kernels_are_made_one_by_one_as_they_are_all_at_once() {
    let service = Service::new(options(&[]));
    let wanted = BuildRequest { options: "-cl-std=CL3.0".to_owned(), ..request(&many_kernels()) };
    let whole = Archive::read(&service.build(&wanted).unwrap().archive).unwrap();
    for kernel in &whole.kernels {
        let built = service.complete(&wanted, &kernel.name).unwrap();
        assert!(built.processor > Duration::ZERO);
        let one = Archive::read(&built.archive).unwrap();
        assert_eq!(one.kernels.len(), 1);
        assert_eq!(one.kernels[0].object(Code::First, ANY_SIZE), kernel.object(Code::First, ANY_SIZE));
        assert_eq!(one.kernels[0].meta().unwrap(), kernel.meta().unwrap());
    }
    assert_eq!(service.complete(&wanted, "none").unwrap_err().fault, BuildFault::Request);
    // Another program is another one, though a name is the same.
    let other = BuildRequest::new("other.cl", "kernel void k3(global char *x) { *x = 3; }", BuildTarget::Cpu);
    let one = Archive::read(&service.complete(&other, "k3").unwrap().archive).unwrap();
    assert_ne!(one.kernels[0].args, whole.kernel("k3").unwrap().args);
}

#[test]
fn functions_are_made_of_an_executable_binary_as_they_are_of_its_sources() {
    let service = Service::new(options(&[]));
    let mut wanted = request(&many_kernels());
    wanted.options = "-cl-std=CL3.0 -cl-denorms-are-zero".to_owned();
    let binary = service.build(&wanted).unwrap().archive;
    assert!(oxcl_runtime::has_module(&binary));
    let local_sizes = vec![[16, 4, 1]];
    let linked = BuildRequest::link(BuildAction::Link, vec![binary], BuildTarget::Cpu);
    // Only parts of it: to link it with others is refused as ever.
    assert_eq!(service.build(&linked).unwrap_err().fault, BuildFault::Request);
    let of_binary = service.specialise(&BuildRequest { local_sizes: local_sizes.clone(), ..linked }, "k3");
    let of_sources = service.specialise(&BuildRequest { local_sizes, ..wanted }, "k3");
    let [binary, sources] = [of_binary, of_sources].map(|built| {
        let archive = Archive::read(&built.unwrap().archive).unwrap();
        assert!(archive.flush_denorms);
        archive.kernels[0].object(Code::First, [16, 4, 1]).unwrap().clone()
    });
    assert_eq!(binary.data, sources.data);
}
