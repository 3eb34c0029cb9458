//! What `form` tells about kernels: facts, regions, errors.

use crate::harness::{form_only, options};
use oxcl_binary::meta::Access;

#[test]
fn tells_reads_from_writes_and_bounds_what_all_work_items_access() {
    let source = "constant int table[4] = {1, 2, 3, 4};
    kernel void facts(global const float *a, global float *b, global int *c, float v, local int *t, global int *unused) {
        int i = get_global_id(0);
        b[2 * i + 1] = a[i + 3] * v;
        if (i > 5) c[i] += table[i & 3];
        t[get_local_id(0)] = i; }";
    let formed = form_only(source, "facts", &options(1)).expect("the kernel forms");
    let access: Vec<Access> = formed.facts.args.iter().map(|arg| arg.access).collect();
    assert_eq!(
        access,
        [Access::Read, Access::Write, Access::ReadWrite, Access::None, Access::Write, Access::None]
    );
    assert!(!formed.facts.opaque && !formed.facts.globals && !formed.facts.printf && !formed.facts.barrier);
    let [a] = formed.facts.args[0].bounds.as_slice() else { panic!("one bound for a") };
    assert_eq!((a.constant, a.global, a.bytes, a.line), (12, [4, 0, 0], 4, 4));
    let [b] = formed.facts.args[1].bounds.as_slice() else { panic!("one bound for b") };
    assert_eq!((b.constant, b.global, b.bytes), (4, [8, 0, 0], 4));
    assert!(formed.facts.args[2].bounds.is_empty());
    let [t] = formed.facts.args[4].bounds.as_slice() else { panic!("one bound for t") };
    assert_eq!((t.local, t.bytes), ([4, 0, 0], 4));
}

#[test]
fn sees_pointers_that_no_argument_names() {
    let source = "typedef struct node { global struct node *next; int v; } node;
    kernel void walk(global node *list, global int *out) { out[0] = list->next->v; }";
    let formed = form_only(source, "walk", &options(1)).expect("the kernel forms");
    assert!(formed.facts.opaque);
}

#[test]
fn reports_regions() {
    let source = "kernel void reduce(global const float *in, global float *out, local float *t) {
        size_t l = get_local_id(0);
        t[l] = in[get_global_id(0)];
        for (size_t s = get_local_size(0) / 2; s > 0; s >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (l < s) t[l] += t[l + s];
        }
        float keep = in[l] * 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l == 0) out[get_group_id(0)] = t[0] + keep; }";
    let formed = form_only(source, "reduce", &options(1)).expect("the kernel forms");
    let report = &formed.regions_report;
    assert!(report.starts_with("kernel reduce: "), "{report}");
    assert!(report.contains("2 barriers, regular, width 1"), "{report}");
    assert!(report.contains("group branch: "), "{report}");
    assert!(report.contains("scratch: 4 bytes for each work-item"), "{report}");
    assert_eq!(formed.scratch_per_item, 4);
}

#[test]
fn refuses_recursion_with_the_line() {
    let source = "int f(int n);
    int g(int n) { return f(n - 1) + 1; }
    int f(int n) { return n > 0 ? g(n) : 0; }
    kernel void call(global int *x) { x[0] = f(3); }";
    let error = form_only(source, "call", &options(1)).expect_err("recursion is refused");
    assert_eq!(error.code(), "OX0302");
    assert!(error.line().is_some());
}

#[test]
fn names_a_kernel_that_is_not_there() {
    let error = form_only("kernel void a(int x) {}", "b", &options(1)).expect_err("there is no b");
    assert_eq!((error.code(), error.to_string()), ("OX0301", "there is no kernel 'b'".to_owned()));
}
