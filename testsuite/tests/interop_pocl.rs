//! Interoperation with PoCL: our archives load and run there, and PoCL's are read here. Each job runs in a process of its
//! own with an empty cache, so that what PoCL unpacks can be compared with what was in the archive.
//!
//! Any PoCL that the ICD loader finds is taken (`OCL_ICD_VENDORS` chooses); archives are written in its version, for the
//! device that it names. Without PoCL the tests say that they were not run; with `OXCL_REQUIRE_POCL=1` they fail.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use oxcl_binary::archive::slots::{ANY_SIZE, Code, PoclSlot};
use oxcl_binary::archive::{
    AccessQualifier, AddressQualifier, Archive, Arg, ArgKind, BinaryType, File, Kernel, Version,
};
use oxcl_binary::hash;
use oxcl_testsuite::interop::{Case, cases, run_here};
use oxcl_testsuite::opencl::{Answer, Job, Program, run_in_child};
use tempfile::TempDir;

const CLIENT: &str = env!("CARGO_BIN_EXE_oxcl-opencl-client");

/// PoCL as found on this machine.
struct Pocl {
    device: String,
    version: Version,
}

impl Pocl {
    /// Asks the ICD loader; on `None` the test has been reported as not run.
    fn find(test: &str) -> Option<Pocl> {
        let cache = TempDir::new().expect("a temporary directory");
        let job = Job {
            platform: "PoCL".to_owned(),
            program: None,
            options: String::new(),
            launches: Vec::new(),
            want_binary: false,
        };
        let found = run_in_child(Path::new(CLIENT), &[("POCL_CACHE_DIR", cache.path())], &job);
        match found {
            Ok(answer) => {
                let device = hash::device_string_of(&answer.device_version)
                    .expect("PoCL names its device in CL_DEVICE_VERSION")
                    .to_owned();
                let version = hash::version_of(&device);
                Some(Pocl { device, version })
            }
            Err(error) if std::env::var_os("OXCL_REQUIRE_POCL").is_some() => {
                panic!("OXCL_REQUIRE_POCL is set, and {error}")
            }
            Err(error) => {
                // Past the capture of test output: a test that was not run must be seen.
                let line = format!("NOT RUN: {test}: no PoCL: {}\n", error.to_string().trim());
                std::io::stderr().write_all(line.as_bytes()).expect("standard error");
                None
            }
        }
    }

    fn run(&self, case: &Case, program: Program, extra: &[(&str, &Path)]) -> (TempDir, Answer) {
        let cache = TempDir::new().expect("a temporary directory");
        let job = Job {
            platform: "PoCL".to_owned(),
            // PoCL tells of arguments only if asked at build time, also for binaries.
            options: "-cl-kernel-arg-info".to_owned(),
            launches: case.launches.iter().map(|(launch, _)| launch.clone()).collect(),
            // PoCL 3.1 aborts when it is asked for the binary of a program that came without `program.bc`.
            want_binary: matches!(program, Program::Source(_)),
            program: Some(program),
        };
        let mut environment = vec![("POCL_CACHE_DIR", cache.path())];
        environment.extend(extra);
        let answer = run_in_child(Path::new(CLIENT), &environment, &job)
            .unwrap_or_else(|error| panic!("{}: {error}", case.name));
        (cache, answer)
    }
}

/// Compares the buffers of every launch with what they should hold.
fn check_results(case: &Case, results: &[Vec<Vec<u8>>]) {
    assert_eq!(results.len(), case.launches.len());
    for (index, ((launch, expected), found)) in case.launches.iter().zip(results).enumerate() {
        for (buffer, (expected, found)) in expected.iter().zip(found).enumerate() {
            let wrong = expected.iter().zip(found).position(|(a, b)| a != b);
            assert!(
                wrong.is_none() && expected.len() == found.len(),
                "{}, launch {index} of {}, buffer {buffer}: differs first at byte {wrong:?}",
                case.name,
                launch.kernel,
            );
        }
    }
}

/// The files below a directory, by their path from there.
fn files_below(root: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, directory: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(directory).expect("a directory of the cache") {
            let path: PathBuf = entry.expect("an entry of the cache").path();
            if path.is_dir() {
                walk(root, &path, files);
            } else {
                let name = path.strip_prefix(root).expect("below the root");
                let data = fs::read(&path).expect("a file of the cache");
                files.insert(format!("/{}", name.display()), data);
            }
        }
    }
    let mut files = BTreeMap::new();
    walk(root, root, &mut files);
    files
}

/// PoCL's cache holds the archive's files, byte for byte, and no code beside them: it ran ours and compiled nothing.
fn check_cache(case: &Case, cache: &Path, archive: &Archive) {
    let mut found = files_below(&cache.join(&archive.build_hash));
    for file in archive.files() {
        let unpacked = found.remove(&file.path);
        assert!(unpacked.as_deref() == Some(&file.data), "{}: {} differs", case.name, file.path);
    }
    // What PoCL keeps for itself is no code.
    let others: Vec<&String> = found
        .keys()
        .filter(|path| !path.ends_with("/last_accessed") && !path.ends_with("/build.log"))
        .collect();
    assert!(others.is_empty(), "{}: PoCL made {others:?}", case.name);
}

/// The launch interface as a C program sees it, for the containers' and the interface's own sake.
const MODEL: &str = r#"
#include <stddef.h>
#include <stdint.h>
#include <string.h>
struct context {
  size_t num_groups[3], global_offset[3], local_size[3];
  uint8_t *printf_buffer;
  uint32_t *printf_position;
  uint32_t printf_capacity;
#if VERSION > 9
  uint8_t *globals;
#endif
  uint32_t work_dim;
};
#define ITEMS(d, i) for (size_t i = 0; i < c->local_size[d]; i++)
#define ENTRY(name) void _pocl_kernel_##name##_workgroup(void **args, struct context *c, size_t gx, size_t gy, size_t gz)
#define POINTER(type, i) (*(type **)args[i])

ENTRY(ids) {
  size_t group[3] = {gx, gy, gz}, id[3], size[3];
  for (int d = 0; d < 3; d++) size[d] = c->num_groups[d] * c->local_size[d];
  ITEMS(2, z) ITEMS(1, y) ITEMS(0, x) {
    size_t local[3] = {x, y, z};
    for (int d = 0; d < 3; d++) id[d] = group[d] * c->local_size[d] + local[d];
    uint64_t *mine = POINTER(uint64_t, 0) + ((id[2] * size[1] + id[1]) * size[0] + id[0]) * 22;
    for (int d = 0; d < 3; d++) {
      uint64_t facts[7] = {id[d] + c->global_offset[d], local[d], group[d], c->local_size[d],
                           c->num_groups[d], size[d], c->global_offset[d]};
      memcpy(mine + d * 7, facts, sizeof facts);
    }
    mine[21] = c->work_dim;
  }
}

ENTRY(exchange) {
  int *in = POINTER(int, 0), *out = POINTER(int, 1), *turned = POINTER(int, 2);
  int *doubled = POINTER(int, 4), *tail = POINTER(int, 5);
  size_t n = c->local_size[0], start = gx * n;
  *tail = (int)gx * 1000;
  ITEMS(0, i) { turned[i] = in[start + i]; doubled[i] = in[start + i] * 2; }
  ITEMS(0, i) out[start + i] = turned[n - 1 - i] + doubled[(i + 1) % n] + *tail + *(int *)args[3];
}
"#;

/// The archive of a C model of one kernel.
fn model(pocl: &Pocl, kernel: &str, args: Vec<Arg>, local_sizes: Vec<u64>) -> Archive {
    let directory = TempDir::new().expect("a temporary directory");
    let (source, object) = (directory.path().join("model.c"), directory.path().join("model.so"));
    fs::write(&source, MODEL).expect("the model's source");
    let relocatable = directory.path().join("model.o");
    let compile = |options: &[&str], from: &Path, to: &Path| {
        let status = Command::new("cc").args(options).arg("-o").args([to, from]).status();
        assert!(status.expect("a C compiler").success());
    };
    let version = format!("-DVERSION={}", pocl.version);
    compile(&["-c", "-fPIC", "-O1", &version], &source, &relocatable);
    compile(&["-shared"], &relocatable, &object);
    let mut kernel = Kernel {
        name: kernel.to_owned(),
        args,
        local_sizes,
        reqd_wg_size: [0; 3],
        attributes: String::new(),
        has_arg_metadata: Kernel::ALL_ARG_METADATA,
        work_group: None,
        sub_groups: None,
        reqd_sub_group_size: None,
        files: Vec::new(),
    };
    kernel.add_object(Code::First, ANY_SIZE, &fs::read(&object).expect("the model's object"));
    if pocl.version == Version::V12 {
        kernel.add_relocatable(ANY_SIZE, &fs::read(&relocatable).expect("the model's object"));
    }
    Archive {
        version: pocl.version,
        device_id: hash::device_id(&pocl.device),
        flush_denorms: false,
        program_scope_bytes: (pocl.version > Version::V9).then_some(0),
        binary_type: BinaryType::Executable,
        build_hash: String::new(),
        root: vec![vec![File { path: "/oxcl.meta".to_owned(), data: b"{}\n".to_vec() }]],
        kernels: vec![kernel],
    }
}

fn arg(name: &str, type_name: &str, address: AddressQualifier, size: u32) -> Arg {
    let kind = if address == AddressQualifier::Private { ArgKind::Value } else { ArgKind::Pointer };
    Arg {
        name: name.to_owned(),
        type_name: type_name.to_owned(),
        address,
        access: AccessQualifier::None,
        type_qualifier: 0,
        kind,
        size,
    }
}

#[test]
fn pocl_runs_the_launch_interface_written_in_c() {
    let Some(pocl) = Pocl::find("pocl_runs_the_launch_interface_written_in_c") else {
        return;
    };
    let global = |name, type_name| arg(name, type_name, AddressQualifier::Global, 8);
    let exchange = vec![
        global("in", "int*"),
        global("out", "int*"),
        arg("turned", "int*", AddressQualifier::Local, 8),
        arg("bias", "int", AddressQualifier::Private, 4),
    ];
    let models = [
        ("ids", model(&pocl, "ids", vec![global("out", "ulong*")], Vec::new())),
        ("locals", model(&pocl, "exchange", exchange, vec![256, 4])),
    ];
    for (name, mut archive) in models {
        let case = cases().into_iter().find(|case| case.name == name).expect("a case");
        let binary = archive.seal().expect("an archive");
        let (cache, answer) = pocl.run(&case, Program::Binary(binary), &[]);
        check_results(&case, &answer.launches);
        check_cache(&case, cache.path(), &archive);
        let names: Vec<&str> = answer.kernels[0].args.iter().map(|(name, _, _)| name.as_str()).collect();
        let given: Vec<&str> = archive.kernels[0].args.iter().map(|a| a.name.as_str()).collect();
        assert_eq!(names, given);
    }
}

#[test]
fn archives_of_pocl_are_read_written_back_and_run_here() {
    let Some(pocl) = Pocl::find("archives_of_pocl_are_read_written_back_and_run_here") else {
        return;
    };
    for case in cases() {
        let special = [("POCL_BINARY_SPECIALIZE_WG", Path::new("0-0-0,8-1-1-goffs0"))];
        let source = Program::Source(case.source.to_owned());
        let (_cache, answer) = pocl.run(&case, source, &special);
        check_results(&case, &answer.launches);
        let bytes = answer.binary.expect("a binary was asked for");
        let archive = Archive::read(&bytes).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        assert!(archive.write().as_deref() == Ok(&bytes), "{}: not written back", case.name);

        // PoCL 3.1 writes version 9, 4.0 to 7.1 version 11, later ones version 12.
        assert_eq!(archive.version == Version::V9, pocl.version == Version::V9);
        assert_eq!(archive.device_id, hash::device_id(&pocl.device));
        assert_eq!(archive.binary_type, BinaryType::Executable);
        for (launch, _) in &case.launches {
            let kernel = archive.kernel(&launch.kernel).expect("the kernel's record");
            assert_eq!(kernel.args.len(), launch.args.len());
            let object = kernel.object(Code::First, ANY_SIZE).expect("the generic code");
            assert!(object.data.starts_with(b"\x7fELF"));
            // PoCL leaves out the sizes asked for by `POCL_BINARY_SPECIALIZE_WG` where the kernel requires one.
            if kernel.reqd_wg_size == ANY_SIZE {
                let slot = PoclSlot { local_size: [8, 1, 1], zero_offset: true, small_grid: false };
                assert!(kernel.pocl_object(slot) != Some(object), "{}", case.name);
            }
        }
        for device in ["cpu", "basic"] {
            let results = run_here(device, &bytes, &case);
            let results = results.unwrap_or_else(|e| panic!("{} on {device}: {e}", case.name));
            check_results(&case, &results);
        }
        // The same bytes go back into PoCL, which has an empty cache again.
        let (_cache, again) = pocl.run(&case, Program::Binary(bytes), &[]);
        check_results(&case, &again.launches);
    }
}
