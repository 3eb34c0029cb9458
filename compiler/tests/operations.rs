//! The mathematics asks what the processor does in one operation, and the compiler answers for each processor of an archive.

use oxcl_compiler::{Devices, Emit, Quality, Request, SourceFile, compile};

fn assembly(cpu: &str) -> String {
    assembly_of(
        cpu,
        "kernel void k(global float *a) { size_t i = get_global_id(0); a[i] = powr(a[i], 1.5f); }",
    )
}

fn assembly_of(cpu: &str, text: &str) -> String {
    let sources = vec![SourceFile { name: "k.cl".into(), text: text.into() }];
    let request = Request { cpus: vec![cpu.to_owned()], quality: Quality::Full, ..Request::new(sources) };
    let compiled = compile(&request, Emit::Assembly, Some("k")).unwrap_or_else(|e| panic!("{e}"));
    let text = String::from_utf8(compiled.bytes).unwrap();
    assert!(!text.contains("oxcl_has"), "{text}");
    text
}

#[test]
fn exact_products_are_fused_where_that_is_one_operation() {
    // The error of a product is x * y - product.
    let with = assembly("x86-64-v3");
    assert!(with.contains("vfmsub"), "{with}");
    let without = assembly("x86-64-v2");
    assert!(!without.contains("fma"), "{without}");
}

#[test]
fn products_with_powers_of_two_are_one_operation_with_avx_512() {
    let with = assembly("x86-64-v4");
    assert!(with.contains("vscalefps"), "{with}");
    let without = assembly("x86-64-v3");
    assert!(!without.contains("scalef") && !without.contains("ldexp"), "{without}");
}

#[test]
fn ordinary_values_are_told_by_their_class_with_avx_512() {
    let half = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\nkernel void k(global half16 *a) { a[0] = log(a[0]); }";
    assert!(assembly_of("x86-64-v4", half).contains("vfpclassps"));
    assert!(!assembly_of("x86-64-v3", half).contains("fpclass"));
}

#[test]
fn halves_that_are_stored_are_converted_on_the_way() {
    let text = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n\
                kernel void k(global half16 *a, global const float16 *b) { a[0] = convert_half16(b[0]); }";
    let stored = assembly_of("sapphirerapids", text);
    let line = stored.lines().find(|line| line.contains("vcvtps2ph")).unwrap_or_else(|| panic!("{stored}"));
    assert!(line.contains("vcvtps2ph\t$4, ") && line.ends_with(')'), "{line}");
}

#[test]
fn the_reference_executor_has_its_answer() {
    let text = "kernel void k(global float *a) { a[0] = pow(a[0], a[1]); }";
    let sources = vec![SourceFile { name: "k.cl".into(), text: text.into() }];
    let request = Request { devices: Devices { cpu: false, reference: true }, ..Request::new(sources) };
    assert!(compile(&request, Emit::Archive, None).is_ok());
}

#[test]
fn native_reciprocals_are_estimates_of_each_level() {
    let recip = "kernel void k(global float *a) { size_t i = get_global_id(0); a[i] = native_recip(a[i]); }";
    let found = |cpu: &str| {
        let text = assembly_of(cpu, recip);
        ["vrcp14ps", "vrcpps", "divps"].map(|operation| text.contains(operation))
    };
    assert_eq!(found("x86-64-v4"), [true, false, false]);
    assert_eq!(found("x86-64-v3"), [false, true, false]);
    assert_eq!(found("x86-64-v2"), [false, false, true]);
}
