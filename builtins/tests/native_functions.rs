//! The native functions against the standard library's of `f64`: within what their source says, the same bits at every width, infinite
//! and NaN where the accurate functions are.

mod support;

use support::random::Random;
use support::{Program, WIDTHS, load, store};

/// A function's name, its exact value, and how far from it a result may be: given the inputs and the exact value, with and without
/// fused operations.
type Case = (&'static str, fn(f64, f64) -> f64, fn(f64, f64, f64, bool) -> f64);

/// Two parts in 2^23 of a value.
fn two_units(value: f64) -> f64 {
    value.abs() * 2.0 * UNIT
}

const UNIT: f64 = 1.0 / 8_388_608.0;

/// Exponentials: below the smallest normal value there is nothing.
fn of_power(value: f64, fused: bool) -> f64 {
    let steps = if fused { 0.0 } else { value.log2().abs() };
    2f64.powf(-125.5).max(value * (3.0 + steps) * UNIT)
}

/// Sines and cosines; of large angles, whose turns a `float` does not hold, anything that is one.
fn of_circle(x: f64, fused: bool) -> f64 {
    if x.abs() > 4e6 {
        return 2.0;
    }
    4.0 * UNIT + x.abs() * if fused { 2f64.powi(-44) } else { UNIT }
}

const CASES: [Case; 12] = [
    ("native_sin", |x, _| x.sin(), |x, _, _, fused| of_circle(x, fused)),
    ("native_cos", |x, _| x.cos(), |x, _, _, fused| of_circle(x, fused)),
    (
        "native_tan",
        |x, _| x.tan(),
        |x, _, value, fused| {
            // Where the cosine is nearly nothing, its error is the result's.
            let near_pole = value.abs() > 1e3 || x.abs() > 4e6;
            if near_pole { f64::INFINITY } else { of_circle(x, fused) * 4.0 * (1.0 + value * value) }
        },
    ),
    ("native_exp", |x, _| x.exp(), |_, _, value, fused| of_power(value, fused)),
    ("native_exp2", |x, _| x.exp2(), |_, _, value, fused| of_power(value, fused)),
    ("native_exp10", |x, _| 10f64.powf(x), |_, _, value, fused| of_power(value, fused)),
    ("native_log", |x, _| x.ln(), |_, _, value, _| 2.0 * two_units(value)),
    ("native_log2", |x, _| x.log2(), |_, _, value, _| 2.0 * two_units(value)),
    ("native_log10", |x, _| x.log10(), |_, _, value, _| 2.0 * two_units(value)),
    (
        "native_powr",
        |x, y| x.powf(y),
        |x, y, value, fused| of_power(value, fused) + value * 4.0 * (y * x.log2()).abs() * UNIT,
    ),
    ("native_recip", |x, _| 1.0 / x, |_, _, value, _| two_units(value).max(1.2e-38)),
    (
        "native_divide",
        |x, y| x / y,
        |_, y, value, _| {
            // The reciprocal of a large number is subnormal, and that of a small one infinite.
            let ordinary = (-126.0..126.0).contains(&y.abs().log2());
            if ordinary { (2.0 * two_units(value)).max(1.2e-38) } else { f64::INFINITY }
        },
    ),
];

fn parameters(name: &str) -> usize {
    if ["native_powr", "native_divide"].contains(&name) { 2 } else { 1 }
}

fn source(name: &str, width: usize) -> String {
    let given: Vec<String> = ["x", "y"][..parameters(name)].iter().map(|array| load(width, array)).collect();
    format!(
        "void {name}_{width}(const global float *x, const global float *y, global float *r, ulong count) {{ \
         for (ulong i = 0; i < count; i += {width}) {{ {} }} }}\n",
        store(width, &format!("{name}({})", given.join(", ")), "r")
    )
}

/// Floats of every exponent and both signs, as many of moderate size, and corners; a multiple of every width.
fn inputs(random: &mut Random) -> Vec<f32> {
    let mut all = vec![0.0, -0.0, 1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40, -1e-40];
    for exponent in 1..255_u32 {
        for _ in 0..24 {
            let bits = random.below(1 << 24) as u32;
            all.push(f32::from_bits((bits >> 23) << 31 | exponent << 23 | (bits & 0x7f_ffff)));
        }
    }
    while all.len() < 12_000 || !all.len().is_multiple_of(48) {
        all.push((random.below(1 << 24) as f32 / 131_072.0) - 64.0);
    }
    all
}

type Entry = unsafe extern "C" fn(*const f32, *const f32, *mut f32, u64);

fn check(processor: &str, fused: bool, widths: &[usize]) {
    let all: String =
        CASES.iter().flat_map(|(name, ..)| widths.iter().map(move |&width| source(name, width))).collect();
    let program = Program::new(&all, processor);
    let mut random = Random::new(17);
    let mut wrong = Vec::new();
    for (name, exact, allowed) in CASES {
        let (x, y) = (inputs(&mut random), inputs(&mut random));
        let y: Vec<f32> = y.into_iter().rev().collect();
        let run = |width: usize| {
            let mut out = vec![0.0_f32; x.len()];
            // SAFETY: `Entry` is the type that `source` gives it.
            let entry = unsafe { program.function::<Entry>(&format!("{name}_{width}")) };
            // SAFETY: all arrays hold so many elements, a multiple of every width.
            unsafe { entry(x.as_ptr(), y.as_ptr(), out.as_mut_ptr(), x.len() as u64) };
            out
        };
        let first = run(widths[0]);
        for (index, &got) in first.iter().enumerate() {
            let (a, b, got) = (f64::from(x[index]), f64::from(y[index]), f64::from(got));
            // Subnormal values count as zero.
            let a = if a.abs() < f64::from(f32::MIN_POSITIVE) && name.contains("log") { 0.0 * a } else { a };
            let value = exact(a, b);
            let off = (got - value).abs();
            let overflows = value.abs() >= f64::from(f32::MAX) * (1.0 - 64.0 * UNIT);
            let good = match value {
                _ if value.is_nan() || name == "native_powr" && (a <= 0.0 || !b.is_finite()) => {
                    got.is_nan() || name == "native_powr" || name == "native_divide"
                }
                _ if allowed(a, b, value, fused).is_infinite() => true,
                _ if value.is_infinite() => got == value,
                _ if overflows => got.abs() > 3e38,
                _ => off <= allowed(a, b, value, fused),
            };
            if !good && wrong.len() < 40 {
                wrong.push(format!("{name}({a:e}, {b:e}): {got:e}, not {value:e}"));
            }
        }
        for &width in &widths[1..] {
            let same = |(one, other): (&f32, &f32)| {
                one.to_bits() == other.to_bits() || one.is_nan() && other.is_nan()
            };
            if !first.iter().zip(&run(width)).all(same) {
                wrong.push(format!("{name} differs at width {width}"));
            }
        }
    }
    assert!(wrong.is_empty(), "on {processor}:\n{}", wrong.join("\n"));
}

#[test]
fn native_functions_are_as_near_as_they_say_on_this_machine() {
    check("native", std::arch::is_x86_feature_detected!("fma"), &WIDTHS);
}

#[test]
fn native_functions_are_as_near_as_they_say_before_avx512() {
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        check("x86-64-v3", true, &WIDTHS);
    }
}

#[test]
fn native_functions_are_as_near_as_they_say_without_fused_operations() {
    check("x86-64", false, &[1, 4]);
}
