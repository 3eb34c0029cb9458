//! The mathematics asks what the processor does in one operation, and the compiler answers for each processor of an archive.

use oxcl_compiler::{Devices, Emit, Quality, Request, SourceFile, compile};

fn assembly(cpu: &str) -> String {
    let text = "kernel void k(global float *a) { size_t i = get_global_id(0); a[i] = powr(a[i], 1.5f); }";
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
fn the_reference_executor_has_its_answer() {
    let text = "kernel void k(global float *a) { a[0] = pow(a[0], a[1]); }";
    let sources = vec![SourceFile { name: "k.cl".into(), text: text.into() }];
    let request = Request { devices: Devices { cpu: false, reference: true }, ..Request::new(sources) };
    assert!(compile(&request, Emit::Archive, None).is_ok());
}
