//! `oxcl compile --only STAGE` and `--emit analysis`: every stage on the text that the one before it gave, and what is said where
//! a stage is given something else.
#![cfg(feature = "compiler")]

mod common;

use common::Sandbox;

const SOURCE: &str = "kernel void k(global int *a, local int *t) {
  int l = get_local_id(0);
  t[l] = a[l];
  barrier(CLK_LOCAL_MEM_FENCE);
  a[l] = t[get_local_size(0) - 1 - l] + mad24(a[l], 2, 1);
}
";

/// What each stage leaves in its text, and what is gone from it.
const STAGES: [(&str, &str, &str); 5] = [
    ("frontend", "declare spir_func i32 @_Z5mad24iii", "oxcl_wg_k"),
    ("builtins", "call spir_func void @_Z7barrierj", "declare spir_func i32 @_Z5mad24iii"),
    ("work-group", "@oxcl_wg_k(", "call spir_func void @_Z7barrierj"),
    ("optimise", "@oxcl_wg_k(", "@__clang_ocl_kern_imp_k"),
    ("emit", "oxcl_wg_k:", "define "),
];

#[test]
fn stages_run_one_after_another_on_text() {
    let sandbox = Sandbox::new();
    sandbox.write("0.txt", SOURCE);
    for (number, (stage, has, lacks)) in STAGES.into_iter().enumerate() {
        let (from, to) = (format!("{number}.txt"), format!("{}.txt", number + 1));
        let ran = sandbox.run(&["compile", &from, "--only", stage, "-o", &to]);
        assert_eq!(ran.code, Some(0), "{stage}: {}", ran.err);
        let text = String::from_utf8(sandbox.read(&to)).unwrap();
        assert!(text.contains(has) && !text.contains(lacks), "{stage}:\n{text}");
    }
    // The same as in one go.
    let ran = sandbox.run(&["compile", "0.txt", "--emit", "asm", "-o", "whole.s"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(sandbox.read("whole.s") == sandbox.read("5.txt"), "the stages make other code than the pipeline");
}

#[test]
fn a_stage_writes_to_standard_output_and_reads_standard_input() {
    let sandbox = Sandbox::new();
    sandbox.write("k.cl", SOURCE);
    let ran = sandbox.run(&["compile", "k.cl", "--only", "frontend"]);
    assert!(ran.code == Some(0) && ran.out.contains("define dso_local spir_kernel void @k("), "{}", ran.out);
}

#[test]
fn analyses_stand_beside_the_lines_of_each_kernel() {
    let sandbox = Sandbox::new();
    sandbox
        .write("k.cl", format!("{SOURCE}kernel void second(global int *b) {{ b[get_global_id(0)] = 1; }}\n"));
    let ran = sandbox.run(&["compile", "k.cl", "--emit", "analysis"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    for wanted in [
        "; regions: kernel k: 2 regions, 1 barrier, regular",
        "; regions: kernel second: 1 region, 0 barriers, regular",
        "; access: %a read and written",
        "; shape: varying",
        "; bounds: 4 bytes at %b + 4*global0",
    ] {
        assert!(ran.out.contains(wanted), "no '{wanted}' in\n{}", ran.out);
    }
}

#[test]
fn what_a_stage_does_not_take_is_said() {
    let sandbox = Sandbox::new();
    sandbox.write("k.cl", SOURCE);
    sandbox.write("none.ll", "; nothing\n");
    sandbox.write(
        "broken.ll",
        "define i32 @f() {\n  %a = add i32 %b, 1\n  %b = add i32 %a, 1\n  ret i32 %a\n}\n",
    );
    sandbox.write("bitcode.ll", b"BC\xc0\xde\x35\x14\0\0\x05\0\0\0b\x0c");
    let names = "possible values: frontend, builtins, work-group, optimise, emit";
    for (line, code, said) in [
        ("k.cl --only nothing", 2, names),
        ("k.cl --only link", 2, names),
        (
            "k.cl --emit nothing",
            2,
            "possible values: llvm, spirv, analysis, regions, plan, remarks, workgroup, asm, obj",
        ),
        ("k.cl --only frontend --emit llvm", 2, "cannot be used with '--emit <STAGE>'"),
        ("k.cl k.cl --only frontend", 2, "a stage alone takes one file"),
        ("none.ll --only frontend", 3, "unknown type name"),
        ("k.cl --only builtins", 2, "the stage 'builtins' takes LLVM IR: k.cl:1:1: error"),
        ("k.cl --only work-group", 2, "the stage 'work-group' takes LLVM IR"),
        ("k.cl --only optimise", 2, "the stage 'optimise' takes LLVM IR"),
        ("k.cl --only emit", 2, "the stage 'emit' takes LLVM IR"),
        ("broken.ll --only emit", 2, "it is no valid IR"),
        ("none.ll --only work-group", 3, "there is no kernel"),
    ] {
        let mut words = vec!["compile"];
        words.extend(line.split(' '));
        let ran = sandbox.run(&words);
        assert!(ran.code == Some(code) && ran.err.contains(said), "{line}: {:?}\n{}", ran.code, ran.err);
    }
}

#[test]
fn what_is_made_for_processors_of_this_machine_is_not_shown_for_simulated_ones() {
    let sandbox = Sandbox::new();
    sandbox.write("k.cl", SOURCE);
    let machine = concat!("ttasim:", env!("CARGO_MANIFEST_DIR"), "/../compiler/tta/machines/three_bus.adf");
    for stage in ["regions", "plan", "workgroup", "asm"] {
        let ran = sandbox.run(&["compile", "k.cl", "--device", machine, "--emit", stage, "-o", "k.out"]);
        assert!(
            ran.code == Some(2) && ran.err.contains("OX0210") && ran.err.contains("--device"),
            "{}",
            ran.err
        );
        assert!(!sandbox.files().contains(&"k.out".to_owned()));
    }
}
