//! The machine code of the mathematics against its bitcode: every function, at every width that its level has, on special
//! values, subnormal ones and random ones, gives the bits that the body compiled into the caller gives.

mod support;

use oxcl_builtins::{NativeLevel, native_levels};
use support::random::Random;
use support::{Program, load, store};

/// Values at which functions have corners; for `float` rounded to it.
const CORNERS: [f64; 40] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.5,
    3.0,
    0.95,
    10.0,
    -33.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    1.1754943508222875e-38,
    1.0e-40,
    -1.0e-41,
    1.401298464324817e-45,
    3.4028234663852886e38,
    -3.4028234663852886e38,
    f64::MIN_POSITIVE,
    3.0e-310,
    5e-324,
    -5e-324,
    f64::MAX,
    f64::MIN,
    8388609.0,
    -16777216.0,
    4503599627370497.0,
    88.72,
    -103.9,
    -104.1,
    709.79,
    -745.2,
    0.9999999403953552,
    1.0000001192092896,
    1.0e30,
    6.381956970095103e238,
    -170.5,
];

/// Inputs of each function: a multiple of every width.
const COUNT: usize = CORNERS.len() * CORNERS.len() + 2400;

/// A function of scalars.
struct Function {
    symbol: &'static str,
    name: &'static str,
    /// `f`, `d`, `i` for each parameter.
    parameters: &'static str,
}

impl Function {
    fn of(symbol: &'static str) -> Option<Self> {
        let rest = symbol.strip_prefix("_Z")?;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (name, parameters) = rest[digits..].split_at(rest[..digits].parse().ok()?);
        (!parameters.contains("Dv")).then_some(Self { symbol, name, parameters })
    }

    fn element(&self) -> &'static str {
        if self.parameters.starts_with('f') { "float" } else { "double" }
    }

    /// OpenCL C that applies it to arrays.
    fn source(&self, width: u32) -> String {
        let width = width as usize;
        let (element, symbol) = (self.element(), self.symbol);
        let from = |(index, ty): (usize, char)| load(width, if ty == 'i' { "n" } else { ["x", "y"][index] });
        let arguments: Vec<String> = self.parameters.chars().enumerate().map(from).collect();
        format!(
            "void at_{width}{symbol}(const global {element} *x, const global {element} *y, const global int *n, \
             global {element} *r, ulong count) {{ for (ulong i = 0; i < count; i += {width}) {{ {} }} }}\n",
            store(width, &format!("{}({})", self.name, arguments.join(", ")), "r")
        )
    }

    /// The results as bit patterns; all that are not numbers are one.
    fn results(&self, program: &Program, width: u32, inputs: &Inputs) -> Vec<u64> {
        let single = self.element() == "float";
        let bytes = |values: &[f64]| -> Vec<u8> {
            let one =
                |x: &f64| if single { (*x as f32).to_le_bytes().to_vec() } else { x.to_le_bytes().to_vec() };
            values.iter().flat_map(one).collect()
        };
        let (x, y) = (bytes(&inputs.x), bytes(&inputs.y));
        let mut out = vec![0xcc_u8; x.len()];
        // SAFETY: `Entry` is the type that `source` gives it.
        let entry = unsafe { program.function::<Entry>(&format!("at_{width}{}", self.symbol)) };
        // SAFETY: all arrays hold `COUNT` elements, a multiple of every width.
        unsafe { entry(x.as_ptr(), y.as_ptr(), inputs.n.as_ptr(), out.as_mut_ptr(), COUNT as u64) };
        let whole = |chunk: &[u8]| {
            let mut value = [0; 8];
            value[..chunk.len()].copy_from_slice(chunk);
            let bits = u64::from_le_bytes(value);
            let nan =
                if single { f32::from_bits(bits as u32).is_nan() } else { f64::from_bits(bits).is_nan() };
            if nan { u64::MAX } else { bits }
        };
        out.chunks(if single { 4 } else { 8 }).map(whole).collect()
    }
}

type Entry = unsafe extern "C" fn(*const u8, *const u8, *const i32, *mut u8, u64);

struct Inputs {
    x: Vec<f64>,
    y: Vec<f64>,
    n: Vec<i32>,
}

fn inputs(random: &mut Random) -> Inputs {
    let mut all = Inputs { x: Vec::new(), y: Vec::new(), n: Vec::new() };
    for index in 0..COUNT {
        let value = |random: &mut Random| match random.below(5) {
            0 => f64::from(f32::from_bits(random.bits() as u32)),
            1 => f64::from_bits(random.bits()),
            2 => random.unit(),
            3 => random.unit() * 8.0 - 4.0,
            _ => random.unit() * 200.0 - 100.0,
        };
        let pair = (CORNERS.get(index % CORNERS.len()), CORNERS.get(index / CORNERS.len()));
        let (x, y) = match pair {
            (Some(x), Some(y)) => (*x, *y),
            _ => (value(random), value(random)),
        };
        all.x.push(x);
        all.y.push(y);
        let n = random.bits() as i32;
        all.n.push(if random.below(2) == 0 { n } else { n % 20 });
    }
    all
}

/// Whether this machine has all features of a level.
fn runs_here(level: &NativeLevel) -> bool {
    match level.cpu {
        "x86-64-v2" => is_x86_feature_detected!("sse4.2") && is_x86_feature_detected!("popcnt"),
        "x86-64-v3" => is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"),
        _ => is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl"),
    }
}

#[test]
fn machine_code_gives_the_bits_of_the_bodies() {
    let inputs = inputs(&mut Random::new(11));
    let mut compared = 0;
    for level in native_levels().iter().filter(|level| runs_here(level)) {
        let functions: Vec<Function> = level.symbols().filter_map(Function::of).collect();
        let narrow: String = functions.iter().map(|function| function.source(1)).collect();
        let mut all = narrow.clone();
        for function in &functions {
            let forms = level.wide_forms(function.symbol);
            assert!(!forms.is_empty(), "{} has no vector form", function.symbol);
            all.extend(forms.iter().map(|(width, _)| function.source(*width)));
        }
        let bodies = Program::new(&narrow, level.cpu);
        let calls = Program::calling(&all, level.cpu, Some(level));
        for function in &functions {
            let wanted = function.results(&bodies, 1, &inputs);
            let forms = level.wide_forms(function.symbol).into_iter().map(|(width, _)| width);
            for width in [1].into_iter().chain(forms) {
                let got = function.results(&calls, width, &inputs);
                let differs = wanted.iter().zip(&got).position(|(wanted, got)| wanted != got);
                if let Some(index) = differs {
                    let (x, y, n) = (inputs.x[index], inputs.y[index], inputs.n[index]);
                    panic!(
                        "{}, {}, width {width}: x = {x:e}, y = {y:e}, n = {n}: {:x}, not {:x}",
                        level.cpu, function.symbol, got[index], wanted[index]
                    );
                }
                compared += 1;
            }
        }
    }
    assert!(compared > 0, "this machine has none of the levels");
}
