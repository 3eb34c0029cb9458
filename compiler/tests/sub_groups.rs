//! The code of kernels with sub-groups: what operations add to it does not grow with the size of sub-groups, for what a leader does is
//! there once.

use oxcl_compiler::{Emit, Request, SourceFile, compile};

/// Instructions of a kernel with so many pairs of reductions and ballots, in flow that is not the group's.
fn instructions(pairs: usize, size: u32) -> usize {
    let pair = "x += sub_group_non_uniform_reduce_add(x);\n    x ^= (int)sub_group_ballot(x & 2).x;\n    ";
    let text = format!(
        "__attribute__((intel_reqd_sub_group_size({size}))) kernel void k(global int *a) {{
  int x = a[get_global_id(0)];
  if (x & 1) {{
    {}
  }}
  a[get_global_id(0)] = x;
}}
",
        pair.repeat(pairs)
    );
    let sources = vec![SourceFile { name: "k.cl".to_owned(), text }];
    let mut request = Request { cpus: vec!["x86-64-v3".to_owned()], ..Request::new(sources) };
    request.options = oxcl_compiler::BuildOptions::parse("-cl-std=CL3.0").unwrap();
    let compiled = compile(&request, Emit::Assembly, None).unwrap_or_else(|e| panic!("{e}"));
    let text = String::from_utf8(compiled.bytes).unwrap();
    text.lines().filter(|line| line.starts_with('\t') && !line.trim_start().starts_with('.')).count()
}

#[test]
fn operations_add_as_much_code_at_any_size_of_sub_groups() {
    let added = |size: u32| (instructions(7, size) - instructions(1, size)) / 12;
    let (small, large) = (added(4), added(64));
    // Meetings take their part: each work-item goes on from where it was.
    assert!(small < 200 && large < small + small / 4, "{small} and {large} instructions an operation");
}
