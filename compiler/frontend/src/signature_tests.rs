//! Tests of `signature.rs`.

use oxcl_ir::Context;

use super::{KernelSignature, kernels};
use crate::{Bits, BuildOptions, LinkError, Source, compile, link};

fn signatures(text: &str, options: &str) -> Vec<KernelSignature> {
    let context = Context::create();
    let options = BuildOptions::parse(options).unwrap();
    match compile(&context, &Source { name: "s.cl", text }, &options, &[], Bits::Bits64) {
        Ok(compiled) => kernels(&compiled.module),
        Err(error) => panic!("{}", error.diagnostics),
    }
}

#[test]
fn parameters_are_described_in_the_words_of_the_api() {
    let text = "struct S { int a; float4 b; };
typedef struct { double d[3]; } T;
typedef unsigned int number;
kernel void k(global const float * restrict a, global volatile uint4 *b, constant int *c, local float *d,
              struct S s, T t, unsigned int n, number m, float3 v, uchar x, global struct S *g, long z,
              global unsigned char *u) {}
";
    let mut shown = String::new();
    for kernel in signatures(text, "") {
        for arg in kernel.args {
            shown.push_str(&format!(
                "{}: {} {:?} {:?} qualifiers {} size {}\n",
                arg.name, arg.type_name, arg.kind, arg.address, arg.type_qualifier, arg.size
            ));
        }
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn attributes_are_listed() {
    let text = "kernel __attribute__((reqd_work_group_size(8, 4, 1))) __attribute__((vec_type_hint(uint4))) void b(void) {}
kernel __attribute__((work_group_size_hint(64, 1, 1))) __attribute__((intel_reqd_sub_group_size(16))) void a(void) {}
kernel void c(void) { b(); }
void helper(void) {}";
    let found = signatures(text, "");
    let shown: Vec<String> = found.iter().map(|k| format!("{}: {}", k.name, k.attributes())).collect();
    assert_eq!(
        shown,
        [
            "a: work_group_size_hint(64,1,1) intel_reqd_sub_group_size(16)",
            "b: vec_type_hint(uint4) reqd_work_group_size(8,4,1)",
            "c: "
        ]
    );
    assert_eq!(found[1].reqd_work_group_size, Some([8, 4, 1]));
}

#[test]
fn linking_joins_kernels_and_refuses_duplicates() {
    let context = Context::create();
    let make = |text: &str| {
        compile(&context, &Source { name: "l.cl", text }, &BuildOptions::default(), &[], Bits::Bits64)
            .unwrap()
            .module
    };
    let one = "int helper(int x); kernel void one(global int *p) { *p = helper(*p); }";
    let two = "int helper(int x) { return x + 1; } kernel void two(global int *p) { *p = 2; }";
    let linked = link(vec![make(one), make(two)]).unwrap();
    linked.verify().unwrap();
    let names: Vec<String> = kernels(&linked).into_iter().map(|k| k.name).collect();
    assert_eq!(names, ["one", "two"]);
    let again = link(vec![linked, make(two)]).expect_err("defined twice");
    assert_eq!(again, LinkError::Duplicate { symbols: vec!["helper".into(), "two".into()] });
    assert_eq!(again.to_string(), "defined more than once: 'helper', 'two'; rename it, or make it static");
    assert_eq!(link(vec![]).err(), Some(LinkError::Empty));
}
