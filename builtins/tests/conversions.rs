//! Explicit conversions between all types, with every rounding mode and saturation, against exact arithmetic.
//!
//! Every conversion runs at width 1 and at one other width; the other widths take turns.

mod support;

use support::random::Random;
use support::{Program, WIDTHS, load, store, vector};

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Integer { bits: u32, signed: bool },
    Single,
    Double,
}

const TYPES: [(&str, Kind); 10] = [
    ("char", Kind::Integer { bits: 8, signed: true }),
    ("uchar", Kind::Integer { bits: 8, signed: false }),
    ("short", Kind::Integer { bits: 16, signed: true }),
    ("ushort", Kind::Integer { bits: 16, signed: false }),
    ("int", Kind::Integer { bits: 32, signed: true }),
    ("uint", Kind::Integer { bits: 32, signed: false }),
    ("long", Kind::Integer { bits: 64, signed: true }),
    ("ulong", Kind::Integer { bits: 64, signed: false }),
    ("float", Kind::Single),
    ("double", Kind::Double),
];

#[derive(Clone, Copy, PartialEq)]
enum Mode {
    Default,
    Nearest,
    Zero,
    Up,
    Down,
}

const MODES: [(&str, Mode); 5] = [
    ("", Mode::Default),
    ("_rte", Mode::Nearest),
    ("_rtz", Mode::Zero),
    ("_rtp", Mode::Up),
    ("_rtn", Mode::Down),
];

/// The exact value of an input.
#[derive(Clone, Copy)]
enum Exact {
    Integer(i128),
    Floating(f64),
}

impl Kind {
    fn bytes(self) -> usize {
        match self {
            Kind::Integer { bits, .. } => (bits / 8) as usize,
            Kind::Single => 4,
            Kind::Double => 8,
        }
    }

    fn exact(self, pattern: u64) -> Exact {
        match self {
            Kind::Integer { bits, signed } => {
                let shift = 64 - bits;
                let shifted = pattern << shift;
                let signed_value = i128::from(shifted.cast_signed() >> shift);
                Exact::Integer(if signed { signed_value } else { i128::from(shifted >> shift) })
            }
            Kind::Single => Exact::Floating(f64::from(f32::from_bits(pattern as u32))),
            Kind::Double => Exact::Floating(f64::from_bits(pattern)),
        }
    }

    fn limits(self) -> (i128, i128) {
        match self {
            Kind::Integer { bits, signed: true } => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            Kind::Integer { bits, signed: false } => (0, (1 << bits) - 1),
            Kind::Single | Kind::Double => (i128::MIN, i128::MAX),
        }
    }

    /// A pattern: integers near the edges, floating values of all sizes, many with fractions, some special.
    fn sample(self, random: &mut Random) -> u64 {
        let special =
            [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-320, -1e-320, f64::INFINITY, f64::NAN, 3.5e38];
        let floating = match random.below(5) {
            0 => special[random.below(special.len() as u64) as usize],
            1 => random.integer().cast_signed() as f64,
            2 => (random.integer().cast_signed() as f64) * 0.25,
            3 => f64::from_bits(random.bits()),
            _ => (random.unit() - 0.5) * 600.0,
        };
        match self {
            Kind::Integer { .. } => random.integer(),
            Kind::Single => u64::from((floating as f32).to_bits()),
            Kind::Double => floating.to_bits(),
        }
    }
}

fn rounded(x: f64, mode: Mode) -> f64 {
    match mode {
        Mode::Default | Mode::Zero => x.trunc(),
        Mode::Nearest => x.round_ties_even(),
        Mode::Up => x.ceil(),
        Mode::Down => x.floor(),
    }
}

/// Moves a value rounded to nearest to the neighbour that the mode wants. `above`: the rounded value is larger than
/// the exact one.
fn directed<F>(
    nearest: F,
    above: bool,
    below: bool,
    negative: bool,
    mode: Mode,
    down: fn(F) -> F,
    up: fn(F) -> F,
) -> F {
    let wants_down = mode == Mode::Down || (mode == Mode::Zero && !negative);
    let wants_up = mode == Mode::Up || (mode == Mode::Zero && negative);
    if above && wants_down {
        down(nearest)
    } else if below && wants_up {
        up(nearest)
    } else {
        nearest
    }
}

/// The bit pattern of the result; `None` where the specification leaves it open.
fn expected(from: Exact, to: Kind, saturate: bool, mode: Mode) -> Option<u64> {
    match (to, from) {
        (Kind::Integer { bits, .. }, _) => {
            let (low, high) = to.limits();
            let value = match from {
                Exact::Integer(x) if saturate => x.clamp(low, high),
                Exact::Integer(x) => x,
                Exact::Floating(x) if saturate => (rounded(x, mode) as i128).clamp(low, high),
                Exact::Floating(x) => {
                    let value = rounded(x, mode);
                    let inside = value >= low as f64 && (value as i128) <= high && value.is_finite();
                    return inside.then(|| value as i128 as u64 & (u64::MAX >> (64 - bits)));
                }
            };
            Some(value as u64 & (u64::MAX >> (64 - bits)))
        }
        (Kind::Single, Exact::Integer(x)) => {
            let nearest = x as f32;
            let back = nearest as i128;
            let result = directed(nearest, back > x, back < x, x < 0, mode, f32::next_down, f32::next_up);
            Some(u64::from(result.to_bits()))
        }
        (Kind::Single, Exact::Floating(x)) => {
            let nearest = x as f32;
            let back = f64::from(nearest);
            let result = directed(nearest, back > x, back < x, x < 0.0, mode, f32::next_down, f32::next_up);
            Some(u64::from(result.to_bits()))
        }
        (Kind::Double, Exact::Integer(x)) => {
            let nearest = x as f64;
            let back = nearest as i128;
            let result = directed(nearest, back > x, back < x, x < 0, mode, f64::next_down, f64::next_up);
            Some(result.to_bits())
        }
        (Kind::Double, Exact::Floating(x)) => Some(x.to_bits()),
    }
}

fn is_nan(pattern: u64, kind: Kind) -> bool {
    match kind.exact(pattern) {
        Exact::Floating(x) => x.is_nan(),
        Exact::Integer(_) => false,
    }
}

/// Every conversion with the widths it is tested at.
fn cases() -> Vec<(usize, usize, bool, usize, [usize; 2])> {
    let mut all = Vec::new();
    for (to, (_, kind)) in TYPES.iter().enumerate() {
        for from in 0..TYPES.len() {
            for saturate in [false, true] {
                for mode in 0..MODES.len() {
                    if saturate && !matches!(kind, Kind::Integer { .. }) {
                        continue;
                    }
                    let turn = WIDTHS[1 + all.len() % (WIDTHS.len() - 1)];
                    all.push((to, from, saturate, mode, [1, turn]));
                }
            }
        }
    }
    all
}

const COUNT: usize = 48 * 12;

type Entry = unsafe extern "C" fn(*const u8, *mut u8, u64);

#[test]
fn conversions_round_and_saturate_as_asked() {
    let mut source = String::new();
    for (to, from, saturate, mode, widths) in cases() {
        for width in widths {
            let (from, to) = (TYPES[from].0, TYPES[to].0);
            let suffix = format!("{}{}", if saturate { "_sat" } else { "" }, MODES[mode].0);
            let call = format!("convert_{}{suffix}({})", vector(to, width), load(width, "a"));
            source.push_str(&format!(
                "void {from}_{to}{suffix}_{width}(const global {from} *a, global {to} *r, ulong count) \
                 {{ for (ulong i = 0; i < count; i += {width}) {{ {} }} }}\n",
                store(width, &call, "r")
            ));
        }
    }
    let program = Program::new(&source, "native");
    let mut random = Random::new(2);
    for (to, from, saturate, mode, widths) in cases() {
        let ((from_name, from), (to_name, to)) = (TYPES[from], TYPES[to]);
        let suffix = format!("{}{}", if saturate { "_sat" } else { "" }, MODES[mode].0);
        let inputs: Vec<u64> = (0..COUNT).map(|_| from.sample(&mut random)).collect();
        let memory: Vec<u8> =
            inputs.iter().flat_map(|input| input.to_le_bytes()[..from.bytes()].to_vec()).collect();
        for width in widths {
            let mut out = vec![0xcc_u8; COUNT * to.bytes()];
            let name = format!("{from_name}_{to_name}{suffix}_{width}");
            // SAFETY: `Entry` is the type that the source gives it.
            let entry = unsafe { program.function::<Entry>(&name) };
            // SAFETY: both arrays hold COUNT elements of the function's types.
            unsafe { entry(memory.as_ptr(), out.as_mut_ptr(), COUNT as u64) };
            for (input, got) in inputs.iter().zip(out.chunks(to.bytes())) {
                let mut whole = [0; 8];
                whole[..got.len()].copy_from_slice(got);
                let got = u64::from_le_bytes(whole);
                let Some(expected) = expected(from.exact(*input), to, saturate, MODES[mode].1) else {
                    continue;
                };
                if is_nan(got, to) && is_nan(expected, to) {
                    continue;
                }
                assert_eq!(got, expected, "{name} of {input:#x}: {got:#x}, not {expected:#x}");
            }
        }
    }
}
