//! The mathematics against quadruple precision: every function within its limit, in both types; the same bits at every
//! width; special values as asked. Two longer runs are left to whoever changes a function: `largest_errors` takes thirty
//! times the inputs and prints the largest errors, `every_float` goes through all inputs of functions of one `float`.

mod support;

use oxcl_builtins::catalog::{Accuracy, find};
use support::random::Random;
use support::reference::{Inputs, References};
use support::{Program, WIDTHS, load, store};

/// Parameters of a function.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    One,
    Two,
    Three,
    /// A value and an integer.
    WithInteger,
}

/// A function, its parameters, and the range that most of its inputs come from.
type Case = (&'static str, Shape, f64, f64);

const CASES: [Case; 56] = [
    ("acos", Shape::One, -1.0, 1.0),
    ("acosh", Shape::One, 1.0, 10.0),
    ("acospi", Shape::One, -1.0, 1.0),
    ("asin", Shape::One, -1.0, 1.0),
    ("asinh", Shape::One, -10.0, 10.0),
    ("asinpi", Shape::One, -1.0, 1.0),
    ("atan", Shape::One, -3.0, 3.0),
    ("atan2", Shape::Two, -3.0, 3.0),
    ("atan2pi", Shape::Two, -3.0, 3.0),
    ("atanh", Shape::One, -1.0, 1.0),
    ("atanpi", Shape::One, -3.0, 3.0),
    ("cbrt", Shape::One, -3.0, 3.0),
    ("ceil", Shape::One, -30.0, 30.0),
    ("copysign", Shape::Two, -30.0, 30.0),
    ("cos", Shape::One, -30.0, 30.0),
    ("cosh", Shape::One, -100.0, 100.0),
    ("cospi", Shape::One, -30.0, 30.0),
    ("erf", Shape::One, -5.0, 5.0),
    ("erfc", Shape::One, -6.0, 27.0),
    ("exp", Shape::One, -110.0, 100.0),
    ("exp10", Shape::One, -50.0, 40.0),
    ("exp2", Shape::One, -160.0, 130.0),
    ("expm1", Shape::One, -30.0, 90.0),
    ("fabs", Shape::One, -30.0, 30.0),
    ("fdim", Shape::Two, -3.0, 3.0),
    ("floor", Shape::One, -30.0, 30.0),
    ("fma", Shape::Three, -3.0, 3.0),
    ("fmax", Shape::Two, -3.0, 3.0),
    ("fmin", Shape::Two, -3.0, 3.0),
    ("fmod", Shape::Two, -30.0, 30.0),
    ("hypot", Shape::Two, -3.0, 3.0),
    ("ldexp", Shape::WithInteger, -3.0, 3.0),
    ("log", Shape::One, 0.0, 3.0),
    ("log10", Shape::One, 0.0, 3.0),
    ("log1p", Shape::One, -1.0, 3.0),
    ("log2", Shape::One, 0.0, 3.0),
    ("logb", Shape::One, -30.0, 30.0),
    ("maxmag", Shape::Two, -3.0, 3.0),
    ("minmag", Shape::Two, -3.0, 3.0),
    ("pow", Shape::Two, 0.0, 4.0),
    ("pown", Shape::WithInteger, 0.0, 2.0),
    ("powr", Shape::Two, 0.0, 4.0),
    ("remainder", Shape::Two, -30.0, 30.0),
    ("rint", Shape::One, -30.0, 30.0),
    ("rootn", Shape::WithInteger, 0.0, 4.0),
    ("round", Shape::One, -30.0, 30.0),
    ("rsqrt", Shape::One, 0.0, 3.0),
    ("sin", Shape::One, -30.0, 30.0),
    ("sinh", Shape::One, -100.0, 100.0),
    ("sinpi", Shape::One, -30.0, 30.0),
    ("sqrt", Shape::One, 0.0, 3.0),
    ("tan", Shape::One, -30.0, 30.0),
    ("tanh", Shape::One, -10.0, 10.0),
    ("tanpi", Shape::One, -30.0, 30.0),
    ("tgamma", Shape::One, -45.0, 36.0),
    ("trunc", Shape::One, -30.0, 30.0),
];

/// Values at which functions have corners. Those that do not fit a `float` become infinite or zero in it.
const CORNERS: [f64; 48] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -2.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.0,
    -3.0,
    10.0,
    33.0,
    -33.0,
    0.1,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1.1754943508222875e-38,
    1.401298464324817e-45,
    -1.401298464324817e-45,
    3.4028234663852886e38,
    -3.4028234663852886e38,
    f64::MIN_POSITIVE,
    5e-324,
    f64::MAX,
    f64::MIN,
    8388608.0,
    8388609.0,
    -8388609.0,
    16777216.0,
    4503599627370496.0,
    9007199254740991.0,
    88.72,
    88.73,
    -103.9,
    -104.1,
    709.78,
    709.79,
    -745.1,
    -745.2,
    0.9999999403953552,
    1.0000001192092896,
    0.7071067690849304,
    6.381956970095103e238,
    -170.5,
];

fn inputs(case: Case, count: usize, single: bool, random: &mut Random) -> Inputs {
    let (name, shape, low, high) = case;
    let value = |random: &mut Random| {
        let chosen = match random.below(8) {
            0..3 if single => f64::from(f32::from_bits(random.bits() as u32)),
            0..3 => f64::from_bits(random.bits()),
            3..7 => low + (high - low) * random.unit(),
            _ => {
                high * random.unit()
                    * 2_f64.powi(-(random.below(50) as i32))
                    * if random.below(2) == 0 { 1.0 } else { -1.0 }
            }
        };
        if single { f64::from(chosen as f32) } else { chosen }
    };
    let mut all = Inputs::default();
    for index in 0..count {
        let (mut x, mut y, z) = (value(random), value(random), value(random));
        if name.starts_with("pow") && shape == Shape::Two && random.below(2) == 0 {
            // A power of any size that is still finite.
            let largest = if single { 88.0 } else { 700.0 };
            y = (random.unit() * 2.0 - 1.0) * largest / x.abs().ln().abs().max(1e-30);
        }
        if index < CORNERS.len() * CORNERS.len() {
            x = CORNERS[index % CORNERS.len()];
            y = CORNERS[index / CORNERS.len()];
        }
        let n = match random.below(4) {
            0 => random.bits() as i32,
            1 => random.below(64) as i32 - 32,
            2 => random.below(2000) as i32 - 1000,
            _ => random.below(7) as i32 - 3,
        };
        all.x.push(if single { f64::from(x as f32) } else { x });
        all.y.push(if single { f64::from(y as f32) } else { y });
        all.z.push(z);
        all.n.push(n);
    }
    all
}

/// How far `got` is from the exact value, in units of the last place of the type there. A result just beyond the range
/// counts as the next value would.
fn error(got: f64, high: f64, low: f64, single: bool) -> f64 {
    let (digits, smallest, end) = if single { (24, -149, 128) } else { (53, -1074, 1024) };
    if high.is_nan() || got.is_nan() {
        return if high.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let overflows = |value: f64| if single { (value as f32).is_infinite() } else { value.is_infinite() };
    if got.is_infinite() && overflows(high) {
        return if (got > 0.0) == (high > 0.0) { 0.0 } else { f64::INFINITY };
    }
    if high.is_infinite() {
        return f64::INFINITY;
    }
    let exponent = if high == 0.0 { smallest } else { exponent_of(high) };
    let unit_exponent = (exponent + 1 - digits).max(smallest).min(end - digits);
    // In two steps, as the unit may be subnormal; everything scaled up first, so that nothing is lost.
    let scale =
        |value: f64| value * 2_f64.powi(-unit_exponent / 2) * 2_f64.powi(-unit_exponent - -unit_exponent / 2);
    let got = if got.is_infinite() { return error_beyond_end(got, high, digits, end) } else { got };
    ((scale(got) - scale(high)) - scale(low)).abs()
}

fn error_beyond_end(got: f64, high: f64, digits: i32, end: i32) -> f64 {
    let half_end = 2_f64.powi(end - 1).copysign(got);
    ((half_end - high / 2.0) / 2_f64.powi(end - 1 - digits)).abs()
}

fn exponent_of(x: f64) -> i32 {
    let field = (x.to_bits() >> 52 & 0x7ff) as i32;
    if field == 0 { 63 - x.abs().to_bits().leading_zeros() as i32 - 1074 } else { field - 1023 }
}

fn limit(name: &str, single: bool) -> f64 {
    match find(name).unwrap().accuracy {
        Accuracy::Exact => 0.5,
        Accuracy::Ulp { single: limit, .. } if single => limit,
        Accuracy::Ulp { double: limit, .. } => limit,
        Accuracy::Unbounded => f64::INFINITY,
    }
}

/// Whether a value is an angle in half turns that must come out as it is: a multiple of a quarter.
fn is_part_of_turn(name: &str, high: f64, low: f64) -> bool {
    let is_angle = matches!(name, "acospi" | "asinpi" | "atan2pi" | "atanpi");
    is_angle && high != 0.0 && (high * 4.0).fract() == 0.0 && low.abs() < 1e-30
}

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
