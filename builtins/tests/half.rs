//! The mathematics of half against quadruple precision: functions of one value for all of its 2^16, others for as many pairs; the
//! same bits at two widths.

mod support;

use support::random::Random;
use support::reference::{Inputs, References};
use support::{Program, load, store};

/// A function, how many halves and then integers it takes, and its limit in units of the last place (OpenCL C 3.0, table of the
/// relative error for half; a half for what is exact or correctly rounded).
type Case = (&'static str, usize, usize, f64);

const CASES: [Case; 57] = [
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

const COUNT: usize = 1 << 16;

fn value_of(bits: u16) -> f64 {
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
fn error(got: u16, high: f64, low: f64) -> f64 {
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

fn function(case: Case, width: usize) -> String {
    let (name, halves, integers, _) = case;
    let arguments: Vec<String> = ["x", "y", "z"][..halves]
        .iter()
        .chain(&["n"][..integers])
        .map(|pointer| load(width, pointer))
        .collect();
    format!(
        "void {name}_{width}(const global half *x, const global half *y, const global half *z, const global int *n, \
         global half *r, ulong count) {{ for (ulong i = 0; i < count; i += {width}) {{ {} }} }}\n",
        store(width, &format!("{name}({})", arguments.join(", ")), "r")
    )
}

type Entry = unsafe extern "C" fn(*const u16, *const u16, *const u16, *const i32, *mut u16, u64);

#[test]
fn functions_of_half_are_accurate() {
    const WIDTHS: [usize; 2] = [1, 8];
    let mut source = String::from("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
    for case in CASES {
        source.extend(WIDTHS.map(|width| function(case, width)));
    }
    let program = Program::new(&source, "native");
    let references = References::new();
    let mut random = Random::new(16);
    let x: Vec<u16> = (0..=u16::MAX).collect();
    let mut draw = || (0..COUNT).map(|_| random.bits() as u16).collect::<Vec<u16>>();
    let (y, z) = (draw(), draw());
    let n: Vec<i32> = draw().iter().map(|&bits| i32::from(bits % 64) - 32).collect();
    let values = |bits: &[u16]| bits.iter().map(|&bits| value_of(bits)).collect();
    let inputs = Inputs { x: values(&x), y: values(&y), z: values(&z), n: n.clone() };
    let mut wrong = Vec::new();
    for case in CASES {
        let (name, _, _, limit) = case;
        let results = WIDTHS.map(|width| {
            let mut out = vec![0_u16; COUNT];
            // SAFETY: `Entry` is the type that `function` gives it.
            let entry = unsafe { program.function::<Entry>(&format!("{name}_{width}")) };
            // SAFETY: all arrays hold `COUNT` elements, a multiple of every width.
            unsafe {
                entry(x.as_ptr(), y.as_ptr(), z.as_ptr(), n.as_ptr(), out.as_mut_ptr(), COUNT as u64);
            }
            out
        });
        let differs = |index: &usize| {
            let [one, other] = [&results[0], &results[1]].map(|results| results[*index]);
            one != other && !(value_of(one).is_nan() && value_of(other).is_nan())
        };
        wrong.extend(
            (0..COUNT).find(differs).map(|index| format!("{name} of {:#x} differs at width 8", x[index])),
        );
        if limit.is_infinite() {
            continue;
        }
        let (high, low) = references.values(name, &inputs);
        let off = |index: &usize| error(results[0][*index], high[*index], low[*index]) > limit;
        wrong.extend((0..COUNT).filter(off).take(3).map(|index| {
            let (x, y, n) = (inputs.x[index], inputs.y[index], inputs.n[index]);
            format!("{name} of {x:e}, {y:e}, {n}: {:e}, not {:e}", value_of(results[0][index]), high[index])
        }));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
