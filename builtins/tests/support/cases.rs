//! The functions of the mathematics with their parameters; inputs for them; and how far results are off.

use oxcl_builtins::catalog::{Accuracy, find};

use super::random::Random;
use super::reference::Inputs;

/// Parameters of a function.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Shape {
    One,
    Two,
    Three,
    /// A value and an integer.
    WithInteger,
}

/// A function, its parameters, and the range that most of its inputs come from.
pub(crate) type Case = (&'static str, Shape, f64, f64);

pub(crate) const CASES: [Case; 56] = [
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
pub(crate) const CORNERS: [f64; 48] = [
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

pub(crate) fn inputs(case: Case, count: usize, single: bool, random: &mut Random) -> Inputs {
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
pub(crate) fn error(got: f64, high: f64, low: f64, single: bool) -> f64 {
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

pub(crate) fn limit(name: &str, single: bool) -> f64 {
    match find(name).unwrap().accuracy {
        Accuracy::Exact => 0.5,
        Accuracy::Ulp { single: limit, .. } if single => limit,
        Accuracy::Ulp { double: limit, .. } => limit,
        Accuracy::Unbounded => f64::INFINITY,
    }
}

/// Whether a value is an angle in half turns that must come out as it is: a multiple of a quarter.
pub(crate) fn is_part_of_turn(name: &str, high: f64, low: f64) -> bool {
    let is_angle = matches!(name, "acospi" | "asinpi" | "atan2pi" | "atanpi");
    is_angle && high != 0.0 && (high * 4.0).fract() == 0.0 && low.abs() < 1e-30
}
