//! Comparisons that are decided by the floor of a sum.

use oxcl_ir::{Context, module as ir_module, read_module};

/// Whether `x < floor` is decided, for `x` made of `%a` and `%b` by the lines of `sum`.
fn is_decided(ty: &str, sum: &str, comparison: &str) -> bool {
    let context = Context::create();
    let text = format!(
        "declare {ty} @llvm.fma({ty}, {ty}, {ty})
declare {ty} @llvm.fmuladd({ty}, {ty}, {ty})
define i1 @f({ty} %a, {ty} %b) {{
{sum}
  %c = fcmp {comparison}
  ret i1 %c
}}
"
    )
    .replace("@llvm.fma(", &format!("@llvm.fma.{}(", suffix(ty)))
    .replace("@llvm.fmuladd(", &format!("@llvm.fmuladd.{}(", suffix(ty)));
    let module = read_module(&context, text.as_bytes(), "test").unwrap();
    ir_module::run_passes(&module, "function(fold-floors)").unwrap();
    ir_module::print(&module).contains("ret i1 false")
}

fn suffix(ty: &str) -> &str {
    if ty == "float" { "f32" } else { "f64" }
}

/// A floor that is exact in the text.
const LESS: &str = "olt float %x, 6.250000e-02";

#[test]
fn sums_of_squares_and_a_constant_have_a_floor() {
    let square = "  %s = fmul float %a, %a\n";
    for sum in [
        "  %x = fadd float %s, 6.250000e-02",
        "  %x = fadd float 5.000000e-01, %s",
        "  %t = fadd float %s, 6.250000e-02\n  %x = call float @llvm.fma(float %b, float %b, float %t)",
        "  %t = call float @llvm.fmuladd(float %b, float %b, float %s)\n  %x = fadd float %t, 6.250000e-02",
        "  %t = fadd float %s, 1.000000e+00\n  %u = fmul float %b, %b\n  %x = fadd float %u, %t",
    ] {
        assert!(is_decided("float", &format!("{square}{sum}"), LESS), "{sum}");
    }
    let sum = "  %s = fmul double %a, %a\n  %x = fadd double %s, 1.000000e+00";
    assert!(is_decided("double", sum, "olt double %x, 2.500000e-01"));
}

#[test]
fn other_sums_have_none() {
    let square = "  %s = fmul float %a, %a\n";
    for (sum, comparison) in [
        // The constant is below the floor, negative, or no number.
        ("  %x = fadd float %s, 3.125000e-02", LESS),
        ("  %x = fadd float %s, -1.000000e+00", LESS),
        ("  %x = fadd float %s, 0x7FF8000000000000", LESS),
        // What is added may be below zero.
        ("  %x = fadd float %b, 1.000000e+00", LESS),
        ("  %p = fmul float %a, %b\n  %x = fadd float %p, 1.000000e+00", LESS),
        (
            "  %t = fadd float %s, 1.000000e+00\n  %x = call float @llvm.fma(float %a, float %b, float %t)",
            LESS,
        ),
        // NaN is below everything here, and zero is no floor that says anything.
        ("  %x = fadd float %s, 1.000000e+00", "ult float %x, 6.250000e-02"),
        ("  %x = fadd float %s, 1.000000e+00", "ogt float %x, 6.250000e-02"),
        ("  %x = fadd float %s, 1.000000e+00", "olt float %x, 0.000000e+00"),
    ] {
        assert!(!is_decided("float", &format!("{square}{sum}"), comparison), "{sum}; {comparison}");
    }
}
