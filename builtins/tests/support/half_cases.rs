//! The functions of half with their parameters and limits, and how far results are off.

/// A function, how many halves and then integers it takes, and its limit in units of the last place (OpenCL C 3.0, table of the
/// relative error for half; a half for what is exact or correctly rounded).
pub(crate) type Case = (&'static str, usize, usize, f64);

pub(crate) const CASES: [Case; 57] = [
    ("acos", 1, 0, 2.0),
    ("acosh", 1, 0, 2.0),
    ("acospi", 1, 0, 2.0),
    ("asin", 1, 0, 2.0),
    ("asinh", 1, 0, 2.0),
    ("asinpi", 1, 0, 2.0),
    ("atan", 1, 0, 2.0),
    ("atan2", 2, 0, 2.0),
    ("atan2pi", 2, 0, 2.0),
    ("atanh", 1, 0, 2.0),
    ("atanpi", 1, 0, 2.0),
    ("cbrt", 1, 0, 2.0),
    ("ceil", 1, 0, 0.5),
    ("copysign", 2, 0, 0.5),
    ("cos", 1, 0, 2.0),
    ("cosh", 1, 0, 2.0),
    ("cospi", 1, 0, 2.0),
    ("erf", 1, 0, 4.0),
    ("erfc", 1, 0, 4.0),
    ("exp", 1, 0, 2.0),
    ("exp10", 1, 0, 2.0),
    ("exp2", 1, 0, 2.0),
    ("expm1", 1, 0, 2.0),
    ("fabs", 1, 0, 0.5),
    ("fdim", 2, 0, 0.5),
    ("floor", 1, 0, 0.5),
    ("fma", 3, 0, 0.5),
    ("fmax", 2, 0, 0.5),
    ("fmin", 2, 0, 0.5),
    ("fmod", 2, 0, 0.5),
    ("hypot", 2, 0, 2.0),
    ("ldexp", 1, 1, 0.5),
    ("log", 1, 0, 2.0),
    ("log10", 1, 0, 2.0),
    ("log1p", 1, 0, 2.0),
    ("log2", 1, 0, 2.0),
    ("logb", 1, 0, 0.5),
    ("maxmag", 2, 0, 0.5),
    ("minmag", 2, 0, 0.5),
    ("pow", 2, 0, 4.0),
    ("pown", 1, 1, 4.0),
    ("powr", 2, 0, 4.0),
    ("remainder", 2, 0, 0.5),
    ("rint", 1, 0, 0.5),
    ("rootn", 1, 1, 4.0),
    ("round", 1, 0, 0.5),
    ("rsqrt", 1, 0, 1.0),
    ("sin", 1, 0, 2.0),
    ("sinh", 1, 0, 2.0),
    ("sinpi", 1, 0, 2.0),
    ("sqrt", 1, 0, 0.5),
    ("tan", 1, 0, 2.0),
    ("tanh", 1, 0, 2.0),
    ("tanpi", 1, 0, 2.0),
    ("tgamma", 1, 0, 4.0),
    ("trunc", 1, 0, 0.5),
    // No limit is set for it.
    ("lgamma", 1, 0, f64::INFINITY),
];

pub(crate) fn value_of(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let fraction = f64::from(bits & 0x3ff);
    match i32::from(bits >> 10 & 0x1f) {
        0 => sign * fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN.copysign(sign),
        exponent => sign * (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    }
}

/// How far `got` is from the exact value, in units of the last place there. An infinity counts as 2^16.
pub(crate) fn error(got: u16, high: f64, low: f64) -> f64 {
    let got = value_of(got);
    if high.is_nan() || got.is_nan() {
        return if high.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let finite = |value: f64| value.clamp(-65536.0, 65536.0);
    if high.is_infinite() || got.is_infinite() && high.abs() >= 65520.0 {
        return if got == finite(high) * f64::INFINITY { 0.0 } else { f64::INFINITY };
    }
    let exponent = if high == 0.0 { -14 } else { high.abs().log2().floor().clamp(-14.0, 15.0) as i32 };
    ((finite(got) - high) - low).abs() * 2_f64.powi(10 - exponent)
}
