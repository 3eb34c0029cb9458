//! Whatever the library reports has a test: the list of extensions and optional features in `runtime/icd/src/reported.rs`
//! against the tests in which each is used.
//!
//! What belongs to the language is asked for, by its macro, in a file test that runs
//! (`#ifndef NAME`, `#error`, `#endif`). What belongs to the interface is in [`OF_THE_INTERFACE`], with the C client that
//! asks whether it is reported and uses it. And the table by which the front end defines macros says the same as the list.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Extensions without a macro in OpenCL C: the client under `runtime/icd/tests/c`, and a word of the extension's own in it.
const OF_THE_INTERFACE: [(&str, &str, &str); 17] = [
    ("cl_arm_printf", "extensions.c", "CL_PRINTF_CALLBACK_ARM"),
    ("cl_ext_buffer_device_address", "extensions.c", "clSetKernelArgDevicePointerEXT"),
    ("cl_intel_spirv_subgroups", "extensions.c", "SPV_INTEL_subgroups"),
    ("cl_intel_unified_shared_memory", "extensions.c", "clSharedMemAllocINTEL"),
    ("cl_khr_create_command_queue", "extensions.c", "clCreateCommandQueueWithPropertiesKHR"),
    ("cl_khr_device_uuid", "extensions.c", "CL_DEVICE_UUID_KHR"),
    ("cl_khr_extended_versioning", "extensions.c", "CL_DEVICE_EXTENSIONS_WITH_VERSION"),
    ("cl_khr_icd", "extensions.c", "clIcdGetPlatformIDsKHR"),
    ("cl_khr_initialize_memory", "initialize_memory.c", "CL_CONTEXT_MEMORY_INITIALIZE_KHR"),
    ("cl_khr_il_program", "il.c", "clCreateProgramWithIL"),
    ("cl_khr_image2d_from_buffer", "images.c", "CL_IMAGE_BUFFER"),
    ("cl_khr_priority_hints", "extensions.c", "CL_QUEUE_PRIORITY_KHR"),
    ("cl_khr_spirv_linkonce_odr", "extensions.c", "SPV_KHR_linkonce_odr"),
    ("cl_khr_spirv_no_integer_wrap_decoration", "extensions.c", "SPV_KHR_no_integer_wrap_decoration"),
    ("cl_khr_spirv_queries", "extensions.c", "CL_DEVICE_SPIRV_CAPABILITIES_KHR"),
    ("cl_khr_suggested_local_work_size", "extensions.c", "clGetKernelSuggestedLocalWorkSizeKHR"),
    ("cl_khr_throttle_hints", "extensions.c", "CL_QUEUE_THROTTLE_KHR"),
];

/// Extensions that kernels see by their macros and that are not reported: Khronos' suite refuses names of `cl_khr_` that its
/// own list does not have.
const BY_MACRO_ALONE: [&str; 2] =
    ["cl_khr_async_work_group_copy_fence", "cl_khr_work_group_uniform_arithmetic"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the testsuite lies in the workspace").to_owned()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The strings between `from` and the next line that ends a list.
fn list(source: &str, from: &str) -> BTreeSet<String> {
    let (_, rest) = source.split_once(from).unwrap_or_else(|| panic!("no {from}"));
    let (body, _) = rest.split_once("\n];").expect("a list ends");
    let names = body.split('"').skip(1).step_by(2).map(str::to_owned);
    names.filter(|name| name.starts_with("cl_") || name.starts_with("__opencl_c_")).collect()
}

/// Extensions and features that the library reports.
fn reported() -> BTreeSet<String> {
    let source = read("runtime/icd/src/reported.rs");
    let mut all = list(&source, "const DEVICE_EXTENSIONS: &[Named] = &[");
    all.extend(list(&source, "const C_FEATURES: &[Named] = &["));
    assert!(all.len() >= 75, "the list was not understood: {all:?}");
    all
}

/// What the front end defines macros of.
fn defined() -> BTreeSet<String> {
    list(&read("compiler/frontend/src/features.rs"), "const FEATURES: &[Feature] = &[")
}

#[test]
fn what_belongs_to_the_language_has_a_file_test() {
    let folder = root().join("testsuite/filetests/run");
    let tests: Vec<String> = fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "cl"))
        .map(|path| fs::read_to_string(path).expect("readable test"))
        .filter(|test| test.contains("// run:"))
        .collect();
    let in_a_client = |name: &str| OF_THE_INTERFACE.iter().any(|(of, ..)| *of == name);
    for name in reported().union(&defined()).filter(|name| !in_a_client(name)) {
        let asks = format!("#ifndef {name}\n#error\n#endif\n");
        assert!(tests.iter().any(|test| test.contains(&asks)), "no file test asks for {name}");
    }
}

#[test]
fn what_belongs_to_the_interface_is_used_by_a_client() {
    let reported = reported();
    for (name, client, word) in OF_THE_INTERFACE {
        assert!(reported.contains(name), "{name} is not reported any more");
        let text = read(&format!("runtime/icd/tests/c/{client}"));
        assert!(text.contains(word), "{client} has no {word}");
        let asked = |file: &str| {
            read(&format!("runtime/icd/tests/c/{file}")).contains(&format!("reported(\"{name}\")"))
        };
        assert!(asked(client) || asked("extensions.c"), "{client} does not ask whether {name} is reported");
    }
}

#[test]
fn the_page_of_conformance_lists_what_is_reported() {
    let page = read("docs/conformance.md");
    let (_, rest) = page.split_once("### What is reported").expect("the page has a list");
    let (body, _) = rest.split_once("By their macros alone").expect("the list ends");
    let is_name = |word: &&str| word.starts_with("cl_") || word.starts_with("__opencl_c_");
    let listed: BTreeSet<String> = body.split('`').filter(is_name).map(str::to_owned).collect();
    assert_eq!(listed, reported());
}

#[test]
fn macros_and_reports_agree() {
    let (mut reported, mut defined) = (reported(), defined());
    for name in BY_MACRO_ALONE {
        assert!(defined.remove(name), "{name} is not defined any more");
        assert!(!reported.contains(name), "{name} is reported");
    }
    for (name, ..) in OF_THE_INTERFACE {
        // One has a macro as well.
        if !defined.contains(name) {
            reported.remove(name);
        }
    }
    assert_eq!(reported, defined);
    let narrow = |path: &str| {
        let source = read(path);
        let (_, rest) = source.split_once("const WIDE_ONLY: [").expect("a list");
        let mut names = list(rest, "= [");
        names.retain(|name| defined.contains(name));
        names
    };
    let mut not_reported = narrow("runtime/icd/src/reported.rs");
    // Generic pointers compile for 32-bit devices, whose memories may be one; which memory a pointer leads to they cannot say.
    assert!(not_reported.remove("__opencl_c_generic_address_space"));
    assert_eq!(not_reported, narrow("compiler/frontend/src/features.rs"));
}
