//! Tests of `compile.rs`: what clang accepts, rejects and says.

use oxcl_ir::Context;

use super::{
    Bits, CompileError, CompileErrorKind, EXTRA_HEADERS, Source, VirtualHeader, compile, extra_header,
};
use crate::{BuildOptions, Colour, render};

const VECTOR_ADD: &str = "kernel void add(global const float *a, global const float *b, global float *c) {
  size_t i = get_global_id(0);
  c[i] = a[i] + b[i];
}
";

fn reject(text: &str, options: &str) -> CompileError {
    let context = Context::create();
    let options = BuildOptions::parse(options).unwrap();
    compile(&context, &Source { name: "bad.cl", text }, &options, &[], Bits::Bits64)
        .expect_err("this source is wrong")
}

fn shown(text: &str, options: &str) -> String {
    render(&reject(text, options).diagnostics, Colour::Never)
}

fn accept(text: &str, options: &str) -> String {
    let context = Context::create();
    let options = BuildOptions::parse(options).unwrap();
    let source = Source { name: "good.cl", text };
    match compile(&context, &source, &options, &[], Bits::Bits64) {
        Ok(compiled) => {
            compiled.module.verify().unwrap();
            compiled.module.print_to_string().to_string()
        }
        Err(error) => panic!("{}", error.diagnostics),
    }
}

#[test]
fn a_kernel_becomes_a_spir64_module_with_locations() {
    let ir = accept(VECTOR_ADD, "");
    assert!(ir.contains("target triple = \"spir64-unknown-unknown\""), "{ir}");
    assert!(ir.contains("define dso_local spir_kernel void @add("), "{ir}");
    assert!(ir.contains("call spir_func i64 @_Z13get_global_idj(i32 noundef 0)"), "{ir}");
    assert!(ir.contains("emissionKind: NoDebug"), "{ir}");
}

#[test]
fn headers_come_from_memory_and_from_files() {
    let folder = std::env::temp_dir().join(format!("oxcl-frontend-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("real.h"), "#define REAL 1\n").unwrap();
    let context = Context::create();
    let options = BuildOptions::parse(&format!("-I '{}'", folder.display())).unwrap();
    let text = "#include \"deep/virtual.h\"\n#include \"real.h\"\nkernel void k(global int *p) { *p = REAL + VIRTUAL; }";
    let headers = [VirtualHeader { name: "deep/virtual.h", text: "#define VIRTUAL 2" }];
    let compiled = compile(&context, &Source { name: "", text }, &options, &headers, Bits::Bits32)
        .map_err(|e| e.diagnostics.to_string());
    std::fs::remove_dir_all(&folder).unwrap();
    let ir = compiled.unwrap().module.print_to_string().to_string();
    assert!(ir.contains("store i32 3"), "{ir}");
    assert!(ir.contains("target triple = \"spir-unknown-unknown\""), "{ir}");
}

/// Reading the declarations of extensions takes longer than a small program does: only where it may name their functions.
#[test]
fn extensions_are_declared_where_they_may_be_named() {
    let count = |text: &str, options: &str| {
        let options = BuildOptions::parse(options).unwrap();
        extra_header(&Source { name: "", text }, &options, &[], Bits::Bits64).len() / 2
    };
    let plain = "kernel void k(global int *p) { *p = 1; }";
    assert_eq!((count(plain, ""), count(plain, "-I /nowhere -D N=1")), (0, 0));
    let all = EXTRA_HEADERS.len();
    assert_eq!(count(&format!("#include \"a.h\"\n{plain}"), "-I /nowhere"), all);
    assert_eq!(count(&format!("#inc\\\nlude \"a.h\"\n{plain}"), "-I /nowhere"), all);
    assert_eq!(count(plain, "-D SHUFFLE=intel_sub_group_shuffle"), 1);
    assert_eq!(count("kernel void k(global int *p) { *p = work_group_reduce_add(1); }", ""), 1);
}

#[test]
fn user_code_sees_opencl_macros_and_not_spir_ones() {
    let macros = "#if defined(__SPIR__) || defined(__SPIR64__) || defined(__SPIR32__)
#error spir
#endif
#if !defined(__OPENCL_VERSION__) || !defined(__ENDIAN_LITTLE__) || __OPENCL_C_VERSION__ != 120 || __OPENCL_VERSION__ != 310
#error opencl
#endif
#if !defined(cl_khr_fp16) || !defined(cl_khr_fp64) || !defined(cl_khr_byte_addressable_store) || !defined(cl_khr_global_int32_base_atomics)
#error extension
#endif
#if defined(cl_khr_subgroups) || !defined(__IMAGE_SUPPORT__)
#error unsupported
#endif
kernel void k(global double *p) { *p = 1.0; }";
    accept(macros, "");
    let newer = "#if __OPENCL_C_VERSION__ != 300 || !defined(__opencl_c_generic_address_space) || !defined(__opencl_c_fp64)
#error features
#endif
#ifndef __opencl_c_images
#error images
#endif
#ifndef __opencl_c_int64
#error int64
#endif
void set(int *p) { *p = 1; }
kernel void k(global int *p) { local int l; set(p); set(&l); }";
    accept(newer, "-cl-std=CL3.0");
    // What clang does not know: its 3.0 with the macros of 3.1, and no warning about them.
    let newest = newer
        .replace("__OPENCL_C_VERSION__ != 300", "__OPENCL_C_VERSION__ != 310 || CL_VERSION_3_1 != 310")
        .replace("#endif\nvoid", "#endif\n#if !defined(cl_khr_subgroup_rotate) || !defined(__opencl_c_subgroups)\n#error 3.1\n#endif\nvoid");
    accept(&newest, "-cl-std=CL3.1 -Werror");
    accept("void set(int *p) { *p = 1; } kernel void k(global int *p) { set(p); }", "-cl-std=CL2.0");
    accept(
        "void set(int *p) { *p = 1; } kernel void k(global int *p) { int i; set(&i); *p = i; }",
        "-cl-std=CL1.0",
    );
}

#[test]
fn diagnostics_show_the_source() {
    insta::assert_snapshot!(shown(
        "#define TWICE(x) ((x) + undefined)
kernel void k(global int *p, float f) {
\tp[0] = TWICE(1);
  p[1] = f +;
  int unused = 3 // note
  p.x = 4;
  foo(p);
}
",
        "-Wall"
    ));
}

#[test]
fn diagnostics_show_includes_and_multibyte_text() {
    let context = Context::create();
    let source = Source {
        name: "dir/main.cl",
        text: "#include \"a.h\"\n/* \u{e4}\u{f6}\u{fc} */ int f(void) { return xyz; }\n",
    };
    let headers = [
        VirtualHeader { name: "a.h", text: "#include \"b.h\"\n" },
        VirtualHeader { name: "b.h", text: "int broken(;\n" },
    ];
    let error =
        compile(&context, &source, &BuildOptions::default(), &headers, Bits::Bits64).expect_err("wrong");
    insta::assert_snapshot!(error.diagnostics.to_string());
    insta::assert_snapshot!(serde_json::to_string_pretty(&error.diagnostics.items[1]).unwrap());
    insta::assert_snapshot!(error.to_string());
}

#[test]
fn warnings_are_kept_or_made_errors() {
    let text = "kernel void k(global int *p) { int x; *p = x; if (*p = 3) *p = 4; }";
    let context = Context::create();
    let source = Source { name: "warn.cl", text };
    let compiled =
        |options: &str| compile(&context, &source, &BuildOptions::parse(options).unwrap(), &[], Bits::Bits64);
    assert!(compiled("").unwrap().diagnostics.warning_count() > 0);
    assert!(compiled("-w").unwrap().diagnostics.is_empty());
    insta::assert_snapshot!(compiled("-Werror").expect_err("made an error").diagnostics.to_string());
}

#[test]
fn hostile_sources_are_rejected_not_fatal() {
    let deep = format!("kernel void k(global int *p) {{ *p = {}1{}; }}", "(".repeat(5000), ")".repeat(5000));
    let endless = format!("int f(int x) {{ return {}x; }}", "-(".repeat(100_000));
    for text in ["#include \"missing.h\"", "}{", "#error stop", &deep, &endless, "kernel int k() {}"] {
        reject(text, "");
    }
    reject("kernel void k(global half *p) { *p = 1.0h; }", "");
    accept("", "");
}

#[test]
fn a_stack_overflow_in_clang_is_an_error() {
    let text = format!("int f(int x) {{ return {}x; }}", "~".repeat(1_000_000));
    let error = reject(&text, "");
    assert_eq!(error.kind, CompileErrorKind::Crashed, "{error}");
}

#[test]
fn only_loops_with_a_hint_must_not_be_unrolled() {
    let kernel = |hint: &str| {
        format!("kernel void k(global int *p, int n) {{ {hint}\n for (int i = 0; i < n; i++) p[i] = i; }}")
    };
    let plain = accept(&kernel(""), "");
    assert!(plain.contains("llvm.loop") && !plain.contains("llvm.loop.unroll"), "{plain}");
    let hinted = accept(&kernel("__attribute__((opencl_unroll_hint(1)))"), "");
    assert!(hinted.contains("llvm.loop.unroll.disable"), "{hinted}");
}

#[test]
fn what_came_later_names_the_option_that_has_it() {
    let sources = [
        ("work_group_reduce_add", "kernel void f(global int *x) { *x = work_group_reduce_add(*x); }"),
        ("work_group_all", "kernel void f(global int *x) { *x = work_group_all(*x); }"),
        ("work_group_barrier", "kernel void f(global int *x) { work_group_barrier(CLK_LOCAL_MEM_FENCE); }"),
        ("get_global_linear_id", "kernel void f(global int *x) { *x = get_global_linear_id(); }"),
        ("atomic_work_item_fence", "kernel void f(global int *x) { atomic_work_item_fence(1, 1, 1); }"),
    ];
    for (name, text) in sources {
        for options in ["", "-cl-std=CL1.1", "-cl-std=CL1.2"] {
            let message = shown(text, options);
            assert!(message.contains(&format!("undeclared identifier '{name}'")), "{message}");
            assert!(message.contains(&format!("note: '{name}' came with OpenCL C 2.0")), "{message}");
            assert!(message.contains("-cl-std=CL2.0 has it"), "{message}");
        }
    }
    for (_, text) in &sources[..4] {
        accept(text, "-cl-std=CL2.0");
        accept(text, "-cl-std=CL3.0");
    }
    // Nobody is told so of other names, nor in a version that has the functions.
    let wrong = "kernel void f(global int *x) { *x = work_group_wrong(*x) + atomic_loads(*x); }";
    assert!(!shown(wrong, "").contains("came with") && !shown(wrong, "-cl-std=CL2.0").contains("came with"));
}
