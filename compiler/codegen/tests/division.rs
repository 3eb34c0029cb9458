//! Divisions that may be inexact (`-cl-fast-relaxed-math`) on processors of every level that this machine can play, in
//! vectors of every width: within the 2.5 ulp that OpenCL allows, for operands from 2^-62 to 2^62.

use std::io::Write;

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use oxcl_codegen::{CpuTarget, Level, Machine, Output, Passes, link_shared};

type Divide = unsafe extern "C" fn(*const f32, *const f32, *mut f32, u64);

const WIDTHS: [usize; 5] = [1, 2, 4, 8, 16];
const ALLOWED_ULP: f64 = 2.5;

/// Divides arrays `width` elements at a time; at 1 the loop vectoriser chooses the width.
fn text(width: usize) -> String {
    let ty = if width == 1 { "float".to_owned() } else { format!("<{width} x float>") };
    format!(
        "define void @divide{width}(ptr noalias %a, ptr noalias %b, ptr noalias %out, i64 %n) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %pa = getelementptr float, ptr %a, i64 %i
  %pb = getelementptr float, ptr %b, i64 %i
  %po = getelementptr float, ptr %out, i64 %i
  %x = load {ty}, ptr %pa, align 4
  %y = load {ty}, ptr %pb, align 4
  %q = fdiv fast {ty} %x, %y
  store {ty} %q, ptr %po, align 4
  %next = add i64 %i, {width}
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"
    )
}

fn emitted(target: &CpuTarget, widths: &[usize], output: Output) -> Vec<u8> {
    let names: Vec<String> = widths.iter().map(|width| format!("divide{width}")).collect();
    let exports: Vec<&str> = names.iter().map(String::as_str).collect();
    let context = Context::create();
    let source: String = widths.iter().map(|&width| text(width)).collect();
    let buffer = MemoryBuffer::create_from_memory_range_copy(format!("{source}\0").as_bytes(), "test");
    let module = context.create_module_from_ir(buffer).unwrap();
    let machine = Machine::new(target, Level::O3).unwrap();
    machine.retarget(&module);
    machine.optimise(&module, &Passes { exports: &exports, ..Passes::default() }).unwrap();
    machine.emit(&module, output).unwrap()
}

fn library(target: &CpuTarget) -> libloading::Library {
    let names: Vec<String> = WIDTHS.iter().map(|width| format!("divide{width}")).collect();
    let exports: Vec<&str> = names.iter().map(String::as_str).collect();
    let object = emitted(target, &WIDTHS, Output::Object);
    let image = link_shared(&[&object], &exports).unwrap();
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&image).unwrap();
    // SAFETY: the image was made by this test and runs nothing when loaded.
    unsafe { libloading::Library::new(file.path()) }.unwrap()
}

/// Pairs of operands: random signs and bits, exponents from -62 to 62; and those that were once seen to be furthest off.
fn operands() -> (Vec<f32>, Vec<f32>) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut number = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let bits = (state >> 32) as u32;
        let exponent = 127 - 62 + (state as u32 & 0xff) % 124;
        f32::from_bits(bits & 0x807f_ffff | exponent << 23)
    };
    let (mut a, mut b): (Vec<f32>, Vec<f32>) = (0..1 << 20).map(|_| (number(), number())).unzip();
    // -0x1.18ab7p+30 / 0x1.31efd6p-48, in every lane.
    for lane in 0..16 {
        a[lane] = f32::from_bits(0xce8c_55b8);
        b[lane] = f32::from_bits(0x2798_f7eb);
    }
    (a, b)
}

/// How far `quotient` is from `exact`, in units of the last place of a `float` at `exact`.
fn ulp(quotient: f32, exact: f64) -> f64 {
    let place = f64::from_bits((exact.abs().to_bits() >> 52).max(1) << 52) * 2f64.powi(-23);
    if quotient.is_nan() { f64::INFINITY } else { (f64::from(quotient) - exact).abs() / place }
}

#[test]
#[allow(clippy::print_stderr, reason = "says which processors this machine cannot play")]
fn inexact_divisions_stay_within_what_is_allowed() {
    let (a, b) = operands();
    let mut wrong = Vec::new();
    for name in ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "haswell", "host"] {
        let target = CpuTarget::named(name).unwrap();
        if !target.runs_here() {
            eprintln!("NOT RUN: {name} has what this machine lacks");
            continue;
        }
        let library = library(&target);
        for width in WIDTHS {
            // SAFETY: the function has this type.
            let divide = unsafe { library.get::<Divide>(format!("divide{width}").as_bytes()) }.unwrap();
            let mut quotients = vec![0.0; a.len()];
            // SAFETY: all three are arrays of as many elements, a multiple of every width.
            unsafe { divide(a.as_ptr(), b.as_ptr(), quotients.as_mut_ptr(), a.len() as u64) };
            let (mut worst, mut at) = (0.0, 0);
            for (i, &quotient) in quotients.iter().enumerate() {
                let exact = f64::from(a[i]) / f64::from(b[i]);
                // What is not a normal number may be flushed to zero.
                let far = ulp(quotient, exact);
                if exact.abs() >= f64::from(f32::MIN_POSITIVE)
                    && exact.abs() <= f64::from(f32::MAX)
                    && far > worst
                {
                    (worst, at) = (far, i);
                }
            }
            if worst > ALLOWED_ULP {
                wrong.push(format!("{name} x {width}: {:e} / {:e} is {worst:.3} ulp off", a[at], b[at]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A division from an estimate of `1 / y` that is off by `error`, refined `steps` times, as the code generator has it.
fn refined(x: f32, y: f32, error: f64, steps: u32, fused: bool) -> f32 {
    let fma = |a: f32, b: f32, c: f32| if fused { a.mul_add(b, c) } else { a * b + c };
    let mut estimate = ((1.0 + error) / f64::from(y)) as f32;
    for _ in 1..steps {
        estimate = fma(estimate, fma(-y, estimate, 1.0), estimate);
    }
    let quotient = x * estimate;
    fma(estimate, fma(-y, quotient, x), quotient)
}

/// What processors promise of their estimate.
const ESTIMATE: f64 = 1.5 / 4096.0;

#[test]
fn two_refinements_are_enough_for_any_processor_and_one_is_not() {
    let (a, b) = operands();
    for fused in [true, false] {
        let worst = |steps| {
            let far = |(&x, &y): (&f32, &f32)| {
                let exact = f64::from(x) / f64::from(y);
                let normal =
                    exact.abs() >= f64::from(f32::MIN_POSITIVE) && exact.abs() <= f64::from(f32::MAX);
                let far = |error| if normal { ulp(refined(x, y, error, steps, fused), exact) } else { 0.0 };
                far(ESTIMATE).max(far(-ESTIMATE))
            };
            a.iter().zip(&b).take(1 << 17).map(far).fold(0.0, f64::max)
        };
        let (one, two) = (worst(1), worst(2));
        assert!(one > ALLOWED_ULP && two <= ALLOWED_ULP, "fused {fused}: {one:.3} and {two:.3} ulp");
    }
}

#[test]
fn estimates_of_quotients_are_refined_twice_or_not_made() {
    let old = emitted(&CpuTarget::named("x86-64-v2").unwrap(), &[4], Output::Assembly);
    let old = String::from_utf8(old).unwrap();
    assert!(old.contains("divps") && !old.contains("rcpps"), "{old}");
    let target = CpuTarget::named("x86-64-v3").unwrap();
    for width in [4, 8] {
        let text = String::from_utf8(emitted(&target, &[width], Output::Assembly)).unwrap();
        let count =
            |words: &[&str]| text.lines().filter(|line| words.iter().any(|w| line.contains(w))).count();
        let estimates = count(&["vrcpps"]);
        let steps = count(&["vfmadd", "vfnmadd", "vfmsub", "vfnmsub"]);
        assert!(
            estimates > 0 && steps == 4 * estimates,
            "{estimates} estimates, {steps} fused operations:\n{text}"
        );
    }
}
