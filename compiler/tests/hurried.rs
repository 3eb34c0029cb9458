//! Mathematics that is called, in its vector forms where a loop allows: all in code made in a hurry, in full quality what
//! would keep loops narrow. The calls' code is in the shared object, and in the one that others link.

use oxcl_binary::archive::{Archive, Kernel};
use oxcl_binary::pipe::Kernels;
use oxcl_compiler::{BuildOptions, Devices, Emit, Quality, Request, SourceFile, compile};

const SOURCE: &str = "kernel void k(global float *a, global double *b) {
  size_t i = get_global_id(0);
  a[i] = exp(a[i]) + sin(a[i]);
  b[i] = pow(b[i], 3.5) + tgamma(b[i]);
}
kernel void v(global float4 *a) { size_t i = get_global_id(0); a[i] = erf(a[i]); }
";

fn request(cpu: &str) -> Request<'static> {
    let sources = vec![SourceFile { name: "k.cl".into(), text: SOURCE.into() }];
    Request { cpus: vec![cpu.to_owned()], quality: Quality::First, ..Request::new(sources) }
}

fn assembly(request: &Request<'_>, kernel: &str) -> String {
    let compiled = compile(request, Emit::Assembly, Some(kernel)).unwrap_or_else(|e| panic!("{e}"));
    String::from_utf8(compiled.bytes).unwrap()
}

fn calls(assembly: &str) -> Vec<&str> {
    let mut calls: Vec<&str> =
        assembly.lines().filter_map(|line| line.trim().strip_prefix("callq\t")).collect();
    calls.retain(|name| name.starts_with("_Z"));
    calls.sort_unstable();
    calls.dedup();
    calls
}

#[test]
fn loops_call_vector_forms() {
    let text = assembly(&request("x86-64-v4"), "k");
    let found = calls(&text);
    // Eight doubles fill a register; the rest of a group goes one by one.
    for symbol in ["_Z3expDv8_f", "_Z3sinDv8_f", "_Z3powDv8_dS_", "_Z6tgammaDv8_d", "_Z3expf", "_Z6tgammad"] {
        assert!(found.contains(&symbol), "{symbol} is not in {found:?}");
    }
    let text = assembly(&request("x86-64-v3"), "v");
    assert!(calls(&text).contains(&"_Z3erfDv4_f"), "{:?}", calls(&text));
}

#[test]
fn processors_without_a_level_and_the_reference_get_bodies() {
    assert!(calls(&assembly(&request("x86-64"), "v")).iter().all(|name| !name.contains("Dv16")));
    let both = Request { devices: Devices { cpu: true, reference: true }, ..request("x86-64-v2") };
    let compiled = compile(&both, Emit::Archive, None).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(Archive::read(&compiled.bytes).unwrap().kernels.len(), 2);
    let plain = Request { options: BuildOptions::parse("-cl-opt-disable").unwrap(), ..request("x86-64-v2") };
    assert!(compile(&plain, Emit::Archive, None).is_ok());
}

#[test]
fn archives_hold_what_is_called() {
    for cpu in ["x86-64-v2", "x86-64-v3", "x86-64-v4"] {
        let one = compile(&request(cpu), Emit::Archive, None).unwrap_or_else(|e| panic!("{e}"));
        let again = compile(&request(cpu), Emit::Archive, None).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(one.bytes, again.bytes, "{cpu}");
        assert_eq!(one.quality, Quality::First);
        let archive = Archive::read(&one.bytes).unwrap();
        let files = || archive.kernels.iter().flat_map(|kernel| &kernel.files);
        assert!(files().any(|file| file.path.ends_with(".so")));
        assert!(files().all(|file| !file.path.ends_with(".so.o")), "an object for PoCL");
    }
}

#[test]
fn full_code_calls_what_would_keep_loops_narrow() {
    let mut full = request("x86-64-v4");
    full.sources[0].text = "kernel void k(global float *a, global double *b) {
      size_t i = get_global_id(0);
      a[i] = exp(a[i]) + sin(a[i]);
    }"
    .into();
    full.quality = Quality::Full;
    let text = assembly(&full, "k");
    let found = calls(&text);
    assert!(found.contains(&"_Z3sinDv16_f"), "{found:?}");
    assert!(found.iter().all(|name| !name.starts_with("_Z3exp")), "{found:?}");
    let compiled = compile(&full, Emit::Archive, None).unwrap_or_else(|e| panic!("{e}"));
    let archive = Archive::read(&compiled.bytes).unwrap();
    let whole = archive.kernels[0].files.iter().find(|file| file.path.ends_with(".so.o")).unwrap();
    assert!(whole.data.windows(12).any(|name| name == b"_Z3sinDv16_f"), "the object is not whole");
}

#[test]
fn objects_hold_several_kernels_whoever_makes_them() {
    let mut source = String::new();
    for kernel in 0..19 {
        source.push_str(&format!(
            "kernel void k{kernel}(global int *a) {{ a[get_global_id(0)] *= {kernel}; }}\n"
        ));
    }
    let mut request = request("x86-64-v3");
    request.sources[0].text = source;
    let made = |kernels: Kernels| {
        let request = Request { kernels, ..request.clone() };
        let compiled = compile(&request, Emit::Archive, None).unwrap_or_else(|e| panic!("{e}"));
        Archive::read(&compiled.bytes).unwrap().kernels
    };
    let whole = made(Kernels::All);
    for of in [2, 3, 5] {
        let mut parts: Vec<_> = (0..of).flat_map(|index| made(Kernels::Share { index, of })).collect();
        parts.sort_by_key(|kernel| whole.iter().position(|other| other.name == kernel.name));
        assert_eq!(parts, whole, "made by {of} compilers");
    }
    let code = |kernel: &Kernel| {
        kernel.files.iter().find(|file| file.path.ends_with(".so")).map(|file| file.data.clone())
    };
    let mut objects: Vec<_> = whole.iter().map(code).collect();
    objects.sort();
    objects.dedup();
    assert_eq!(objects.len(), 3);
}

#[test]
fn loops_between_barriers_are_widened() {
    let mut request = request("x86-64-v4");
    request.sources[0].text = "kernel void k(global float *a, local float *b) {
      size_t i = get_local_id(0);
      b[i] = a[get_global_id(0)];
      barrier(CLK_LOCAL_MEM_FENCE);
      a[get_global_id(0)] = b[i] * b[i];
    }"
    .into();
    let text = assembly(&request, "k");
    assert!(text.contains("vmulps\t%ymm") && !text.contains("%zmm"), "{text}");
}

#[test]
fn what_is_done_to_a_private_array_one_element_after_the_other_is_done_at_once() {
    let mut request = request("x86-64-v4");
    request.sources[0].text = "kernel void k(global const float *a, global float *b, int n) {
      local float part[16];
      size_t i = get_local_id(0);
      float c[4] = {0, 0, 0, 0};
      for (int r = 0; r < n; r++) {
        part[i & 15] = a[get_global_id(0) + r];
        barrier(CLK_LOCAL_MEM_FENCE);
        c[0] += part[0]; c[1] += part[1]; c[2] += part[2]; c[3] += part[3];
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      vstore4((float4)(c[0], c[1], c[2], c[3]), get_global_id(0), b);
    }"
    .into();
    let text = assembly(&request, "k");
    assert!(text.contains("vaddps\t") && !text.contains("vaddss\t"), "{text}");
}
