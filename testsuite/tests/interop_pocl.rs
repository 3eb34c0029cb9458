//! Interoperation with PoCL: our archives load and run there, and PoCL's are read here. Each job runs in a process of its
//! own with an empty cache, so that what PoCL unpacks can be compared with what was in the archive.
//!
//! Any PoCL that the ICD loader finds is taken (`OCL_ICD_VENDORS` chooses); archives are written in its version, for the
//! device that it names. Without PoCL the tests say that they were not run; with `OXCL_REQUIRE_POCL=1` they fail.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use oxcl_binary::archive::slots::{ANY_SIZE, Code, PoclSlot};
use oxcl_binary::archive::{Archive, BinaryType, Version};
use oxcl_binary::hash;
use oxcl_compiler::{DeviceId, Devices, Emit, Request, SourceFile, compile};
use oxcl_testsuite::interop::{Case, cases, run_here};
use oxcl_testsuite::opencl::{Answer, Job, Launch, Program, run_in_child};
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

/// Compiles a case for the device that PoCL names, with specialised functions for these local sizes, to run `width`
/// work-items at a time.
fn compiled(pocl: &Pocl, case: &Case, local_sizes: Vec<[u64; 3]>, width: u32) -> Vec<u8> {
    let source = SourceFile { name: format!("{}.cl", case.name), text: case.source.to_owned() };
    let mut request = Request::new(vec![source]);
    request.device_id = DeviceId::OfString(pocl.device.clone());
    request.devices = Devices { cpu: true, reference: true };
    request.local_sizes = local_sizes;
    request.width = Some(width);
    let compiled = compile(&request, Emit::Archive, None);
    compiled.unwrap_or_else(|e| panic!("{}: {e}", case.name)).bytes
}

/// The local size of a launch in three dimensions.
fn local_size(launch: &Launch) -> [u64; 3] {
    let mut size = [1; 3];
    for (size, &items) in size.iter_mut().zip(&launch.local) {
        *size = items as u64;
    }
    size
}

fn pocl_runs_our_archive(pocl: &Pocl, case: &Case, binary: &[u8]) {
    let archive = Archive::read(binary).expect("our own archive");
    assert_eq!(archive.version, pocl.version);
    let (cache, answer) = pocl.run(case, Program::Binary(binary.to_vec()), &[]);
    check_results(case, &answer.launches);
    check_cache(case, cache.path(), &archive);
    for told in &answer.kernels {
        let kernel = archive.kernel(&told.name).expect("the kernel's record");
        let size = told.reqd_wg_size.map(|items| items as u64);
        assert_eq!(size, kernel.reqd_wg_size);
        // (PoCL reads the attributes, and tells them of programs from source only.)
        let args: Vec<(&str, &str, u32)> =
            told.args.iter().map(|(n, t, address)| (n.as_str(), t.as_str(), *address)).collect();
        let record: Vec<(&str, &str, u32)> =
            kernel.args.iter().map(|a| (&*a.name, &*a.type_name, a.address as u32)).collect();
        assert_eq!(args, record, "{}", told.name);
    }
}

#[test]
fn pocl_runs_our_archives() {
    let Some(pocl) = Pocl::find("pocl_runs_our_archives") else {
        return;
    };
    for case in cases() {
        let binary = compiled(&pocl, &case, Vec::new(), 1);
        pocl_runs_our_archive(&pocl, &case, &binary);
        for device in ["cpu", "basic"] {
            let results = run_here(device, &binary, &case);
            let results = results.unwrap_or_else(|e| panic!("{} on {device}: {e}", case.name));
            check_results(&case, &results);
        }
    }
}

#[test]
fn pocl_runs_our_specialised_functions() {
    let Some(pocl) = Pocl::find("pocl_runs_our_specialised_functions") else {
        return;
    };
    for case in cases() {
        let mut sizes: Vec<[u64; 3]> = case.launches.iter().map(|(launch, _)| local_size(launch)).collect();
        sizes.sort_unstable();
        sizes.dedup();
        pocl_runs_our_archive(&pocl, &case, &compiled(&pocl, &case, sizes, 1));
    }
}

#[test]
fn pocl_runs_our_functions_of_16_items_at_a_time() {
    let Some(pocl) = Pocl::find("pocl_runs_our_functions_of_16_items_at_a_time") else {
        return;
    };
    for case in cases() {
        let binary = compiled(&pocl, &case, Vec::new(), 16);
        pocl_runs_our_archive(&pocl, &case, &binary);
        let results = run_here("cpu", &binary, &case);
        check_results(&case, &results.unwrap_or_else(|e| panic!("{}: {e}", case.name)));
    }
}
