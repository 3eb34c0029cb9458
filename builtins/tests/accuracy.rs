//! The mathematics against quadruple precision: every function within its limit, in both types; the same bits at every
//! width; special values as asked. Two longer runs are left to whoever changes a function: `largest_errors` takes thirty
//! times the inputs and prints the largest errors, `every_float` goes through all inputs of functions of one `float`.

mod support;

use support::cases::{CASES, Case, Shape, error, inputs, is_part_of_turn, limit};
use support::random::Random;
use support::reference::{Inputs, References};
use support::{Program, WIDTHS, load, store};

fn function(case: Case, single: bool, width: usize) -> String {
    let (name, shape, ..) = case;
    let element = if single { "float" } else { "double" };
    let arguments = match shape {
        Shape::One => load(width, "x"),
        Shape::Two => format!("{}, {}", load(width, "x"), load(width, "y")),
        Shape::Three => format!("{}, {}, {}", load(width, "x"), load(width, "y"), load(width, "z")),
        Shape::WithInteger => format!("{}, {}", load(width, "x"), load(width, "n")),
    };
    format!(
        "void {name}_{element}_{width}(const global {element} *x, const global {element} *y, const global {element} *z, \
         const global int *n, global {element} *r, ulong count) {{ for (ulong i = 0; i < count; i += {width}) {{ {} }} }}\n",
        store(width, &format!("{name}({arguments})"), "r")
    )
}

type Entry = unsafe extern "C" fn(*const u8, *const u8, *const u8, *const i32, *mut u8, u64);

/// The results as bit patterns.
fn results(program: &Program, case: Case, single: bool, width: usize, inputs: &Inputs) -> Vec<u64> {
    let element = if single { "float" } else { "double" };
    let bytes = |values: &[f64]| -> Vec<u8> {
        let one =
            |x: &f64| if single { (*x as f32).to_le_bytes().to_vec() } else { x.to_le_bytes().to_vec() };
        values.iter().flat_map(one).collect()
    };
    let (x, y, z) = (bytes(&inputs.x), bytes(&inputs.y), bytes(&inputs.z));
    let mut out = vec![0xcc_u8; x.len()];
    // SAFETY: `Entry` is the type that `function` gives it.
    let entry = unsafe { program.function::<Entry>(&format!("{}_{element}_{width}", case.0)) };
    let count = inputs.x.len() as u64;
    // SAFETY: all arrays hold `count` elements, a multiple of every width.
    unsafe { entry(x.as_ptr(), y.as_ptr(), z.as_ptr(), inputs.n.as_ptr(), out.as_mut_ptr(), count) };
    let whole = |chunk: &[u8]| {
        let mut value = [0; 8];
        value[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(value)
    };
    out.chunks(if single { 4 } else { 8 }).map(whole).collect()
}

fn value_of(bits: u64, single: bool) -> f64 {
    if single { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) }
}

/// Checks all functions on one kind of machine; gives the largest errors.
fn check(processor: &str, widths: &[usize], count: usize, seed: u64) -> Vec<(&'static str, [f64; 2])> {
    let mut source = String::new();
    for case in CASES {
        for single in [true, false] {
            for &width in widths {
                source.push_str(&function(case, single, width));
            }
        }
    }
    let program = Program::new(&source, processor);
    let references = References::new();
    let mut random = Random::new(seed);
    let mut table = Vec::new();
    let mut wrong = Vec::new();
    for case in CASES {
        let mut largest = [0.0, 0.0];
        for (single, largest) in [true, false].into_iter().zip(&mut largest) {
            let inputs = inputs(case, count, single, &mut random);
            let (high, low) = references.values(case.0, &inputs);
            let first = results(&program, case, single, widths[0], &inputs);
            let describe = |index: usize| {
                let (x, y, n) = (inputs.x[index], inputs.y[index], inputs.n[index]);
                let bits = if single { 32 } else { 64 };
                format!("{} ({bits} bits) of x = {x:e}, y = {y:e}, n = {n}", case.0)
            };
            for (index, &bits) in first.iter().enumerate() {
                let got = value_of(bits, single);
                let off = error(got, high[index], low[index], single);
                *largest = f64::max(*largest, off);
                let inexact = is_part_of_turn(case.0, high[index], low[index]) && got != high[index];
                if (inexact || off > limit(case.0, single)) && wrong.len() < 40 {
                    wrong.push(format!("{}: {got:e}, not {:e}: {off} units", describe(index), high[index]));
                }
            }
            for &width in &widths[1..] {
                let wide = results(&program, case, single, width, &inputs);
                let differs = first.iter().zip(&wide).position(|(&narrow, &wide)| {
                    narrow != wide && !(value_of(narrow, single).is_nan() && value_of(wide, single).is_nan())
                });
                if let Some(index) = differs {
                    wrong.push(format!("{} differs at width {width}", describe(index)));
                }
            }
        }
        table.push((case.0, largest));
    }
    assert!(wrong.is_empty(), "on {processor}:\n{}", wrong.join("\n"));
    table
}

/// Multiples of every width; the corners in pairs, and as many again.
const COUNT: usize = 48 * 100;

#[test]
fn functions_are_accurate_at_every_width_on_this_machine() {
    check("native", &WIDTHS, COUNT, 4);
}

#[test]
fn functions_are_accurate_without_fused_multiply_add() {
    check("x86-64", &[1, 4], COUNT, 5);
}

#[test]
fn functions_are_accurate_before_avx512() {
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        check("x86-64-v3", &WIDTHS, COUNT, 8);
    }
}

#[test]
#[ignore = "minutes; run it when a function or its polynomial changes"]
#[expect(clippy::print_stdout, reason = "the table is what one runs it for")]
fn largest_errors() {
    let table = check("native", &WIDTHS, 48 * 3_000, 6);
    println!("{:<12} {:>9} {:>9}   largest error and limit, units in the last place", "", "float", "double");
    for (name, [single, double]) in table {
        println!("{name:<12} {single:>9.3} {double:>9.3}   {} {}", limit(name, true), limit(name, false));
    }
}

/// A function and its value.
type Judged = (&'static str, fn(f64) -> f64);

/// Functions of one value that the standard library has for `f64`, exact enough to judge a `float` by.
const SINGLE: [Judged; 20] = [
    ("acos", f64::acos),
    ("asin", f64::asin),
    ("asinh", f64::asinh),
    ("atan", f64::atan),
    ("cbrt", f64::cbrt),
    ("cos", f64::cos),
    ("cosh", f64::cosh),
    ("exp", f64::exp),
    ("exp2", f64::exp2),
    ("expm1", f64::exp_m1),
    ("log", f64::ln),
    ("log10", f64::log10),
    ("log1p", f64::ln_1p),
    ("log2", f64::log2),
    ("rsqrt", |x| 1.0 / x.sqrt()),
    ("sin", f64::sin),
    ("sinh", f64::sinh),
    ("sqrt", f64::sqrt),
    ("tan", f64::tan),
    ("tanh", f64::tanh),
];

#[test]
#[ignore = "half an hour: all 2^32 inputs of each function"]
fn every_float() {
    const BLOCK: usize = 1 << 16;
    let cases = SINGLE.map(|(name, exact)| ((name, Shape::One, 0.0, 0.0), exact));
    let source: String = cases.iter().map(|(case, _)| function(*case, true, 16)).collect();
    let program = Program::new(&source, "native");
    for (case, exact) in cases {
        for first in (0..=u32::MAX).step_by(BLOCK) {
            let x: Vec<f64> =
                (0..BLOCK as u32).map(|offset| f64::from(f32::from_bits(first + offset))).collect();
            let unused = vec![0.0; BLOCK];
            let inputs = Inputs { y: unused.clone(), z: unused, n: vec![0; BLOCK], x };
            for (&x, bits) in inputs.x.iter().zip(results(&program, case, true, 16, &inputs)) {
                let (got, high) = (value_of(bits, true), exact(x));
                let off = error(got, high, 0.0, true);
                assert!(
                    off <= limit(case.0, true),
                    "{} of {x:e}: {got:e}, not {high:e}: {off} units",
                    case.0
                );
            }
        }
    }
}
