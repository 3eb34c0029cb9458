//! The mathematics of half against quadruple precision: functions of one value for all of its 2^16, others for as many pairs; the
//! same bits at two widths.

mod support;

use support::half_cases::{CASES, Case, error, value_of};
use support::random::Random;
use support::reference::{Inputs, References};
use support::{Program, load, store};

const COUNT: usize = 1 << 16;

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

/// A value rounded to a half, ties to even, as the value of it.
fn rounded(value: f64) -> f64 {
    let exponent = (value.abs().to_bits() >> 52) as i32 - 1023;
    // The last place of normal halves, and of all subnormal ones.
    let place = 2f64.powi(exponent.max(-14) - 10);
    (value / place).round_ties_even() * place
}

/// What `rsqrt` makes of an estimate where processors have arithmetic on half (`half_math.inc`). Products of halves, and sums with
/// them, are exact in double before they are rounded.
fn rsqrt_of_estimate(x: f64, y: f64) -> f64 {
    let fused = |x: f64, y: f64, z: f64| rounded(x * y + z);
    let grown = y * 128.0;
    let product = rounded(x * grown);
    let error = fused(x, grown, -product);
    let missing = fused(-product, y, 128.0);
    let missing = fused(-error, y, missing);
    let step = fused(missing, 1.0 / 256.0, 9.0 / 16777216.0);
    fused(step, y, y)
}

/// Processors' estimates differ: the root is correctly rounded for any that is as good as is promised.
#[test]
fn reciprocal_roots_of_half_are_right_for_every_estimate() {
    let allowed = 1.0 / 2048.0 + 1.0 / 16384.0;
    let mut estimates = 0;
    for bits in 0x400..0x7c00_u16 {
        let x = value_of(bits);
        let exact = 1.0 / x.sqrt();
        let correct = rounded(exact);
        let place = correct / 1024.0;
        for y in (-4..=4).map(|steps| rounded(correct + f64::from(steps) * place / 2.0)) {
            if (y / exact - 1.0).abs() > allowed {
                continue;
            }
            estimates += 1;
            assert_eq!(rsqrt_of_estimate(x, y), correct, "of {x:e}, estimated as {y:e}");
        }
    }
    assert!(estimates > 0x7800, "only {estimates} estimates");
}
