//! The largest errors: of functions of one float over all of them (or every N-th), of other functions over drawn inputs, of
//! functions of one half over all of them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::functions::{Compiled, Element, Entry, Function, Made};
use crate::support::cases::{Shape, error, inputs};
use crate::support::half_cases;
use crate::support::random::Random;
use crate::support::reference::{Inputs, References};

/// What was found of one function.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Found {
    /// The largest error, in units of the last place.
    pub(crate) largest: f64,
    /// Bits of the input that it is of.
    pub(crate) input: u64,
    /// An input at which widths 1, 8 and 16 do not give the same bits.
    pub(crate) differs: Option<u32>,
}

/// How many inputs are looked at between two looks at the counter.
const BLOCK: usize = 1 << 14;

/// The widths that are compared.
const COMPARED: [usize; 3] = [1, 8, 16];

type Wide = unsafe extern "C" fn(*const f32, *mut f64, u64);

/// Functions of one float against double precision.
pub(crate) struct Floats {
    judges: Made,
    pub(crate) step: u32,
    pub(crate) threads: usize,
}

impl Floats {
    pub(crate) fn new(step: u32, threads: usize) -> Self {
        Self { judges: Made::new(include_str!("wide.c"), &["-lm"]), step, threads }
    }

    /// Every `step`-th float, at widths 1, 8 and 16.
    pub(crate) fn largest(&self, compiled: &Compiled, function: &Function) -> Found {
        // SAFETY: all functions of the file with this prefix have this type.
        let exact = unsafe { self.judges.function::<Wide>(&format!("wide_{}", function.judge())) };
        let exact = exact.unwrap_or_else(|| panic!("nothing judges {}", function.name));
        let entries = COMPARED.map(|width| compiled.entry(function, width));
        let count = (1_u64 << 32).div_ceil(u64::from(self.step));
        let (next, all) = (AtomicU64::new(0), Mutex::new(Found::default()));
        std::thread::scope(|scope| {
            for _ in 0..self.threads {
                scope.spawn(|| {
                    let mut found = Found::default();
                    // Relaxed: a counter of blocks, nothing is published by it.
                    while let first = next.fetch_add(BLOCK as u64, Ordering::Relaxed)
                        && first < count
                    {
                        self.block(exact, entries, first, &mut found);
                    }
                    let mut all = all.lock().unwrap();
                    if found.largest > all.largest {
                        (all.largest, all.input) = (found.largest, found.input);
                    }
                    all.differs = all.differs.or(found.differs);
                });
            }
        });
        all.into_inner().unwrap()
    }

    fn block(&self, exact: Wide, entries: [Entry; 3], first: u64, found: &mut Found) {
        // Those behind the last come from the beginning again.
        let bits = |index: usize| (first as u32).wrapping_add(index as u32).wrapping_mul(self.step);
        let x: Vec<f32> = (0..BLOCK).map(|index| f32::from_bits(bits(index))).collect();
        let mut wide = vec![0.0_f64; BLOCK];
        // SAFETY: both arrays hold `BLOCK` elements.
        unsafe { exact(x.as_ptr(), wide.as_mut_ptr(), BLOCK as u64) };
        let results = entries.map(|entry| {
            let mut out = vec![0.0_f32; BLOCK];
            let (from, to) = (x.as_ptr().cast(), out.as_mut_ptr().cast());
            // SAFETY: a function of one value reads `x` alone; both arrays hold `BLOCK` elements, a multiple of the width.
            unsafe { entry(from, from, from, x.as_ptr().cast(), to, BLOCK as u64) };
            out
        });
        for index in 0..BLOCK {
            let [narrow, eight, sixteen] = [0, 1, 2].map(|width: usize| results[width][index]);
            let same = |other: f32| narrow.to_bits() == other.to_bits() || narrow.is_nan() && other.is_nan();
            if !(same(eight) && same(sixteen)) {
                found.differs.get_or_insert(bits(index));
            }
            let off = off(f64::from(narrow), wide[index]);
            if off > found.largest {
                (found.largest, found.input) = (off, u64::from(bits(index)));
            }
        }
    }
}

/// `error` of a float, with a short way for ordinary values.
fn off(got: f64, exact: f64) -> f64 {
    let exponent = (exact.to_bits() >> 52 & 0x7ff) as i64 - 1023;
    if got.is_finite() && (-126..127).contains(&exponent) {
        let scale = f64::from_bits(((1023 + 23 - exponent) as u64) << 52);
        return ((got - exact) * scale).abs();
    }
    error(got, exact, 0.0, true)
}

/// Drawn inputs against quadruple precision.
pub(crate) struct Drawn {
    references: References,
    pub(crate) samples: usize,
}

impl Drawn {
    pub(crate) fn new(samples: usize) -> Self {
        Self { references: References::new(), samples: samples.next_multiple_of(48) }
    }

    /// Functions of floats and doubles; nothing of those that quadruple precision has no function for.
    pub(crate) fn largest(&self, compiled: &Compiled, function: &Function, single: bool) -> Option<Found> {
        if !function.is_case {
            return None;
        }
        let case = (function.name, function.shape, function.low, function.high);
        let inputs = inputs(case, self.samples, single, &mut Random::new(6));
        let (high, low) = self.references.values(function.name, &inputs);
        let out = evaluate(compiled.entry(function, 1), &inputs, |value| bytes_of(value, single));
        let mut found = Found::default();
        for (index, chunk) in out.chunks(if single { 4 } else { 8 }).enumerate() {
            let mut value = [0; 8];
            value[..chunk.len()].copy_from_slice(chunk);
            let bits = u64::from_le_bytes(value);
            let got = if single { f64::from(f32::from_bits(bits as u32)) } else { f64::from_bits(bits) };
            let off = error(got, high[index], low[index], single);
            if off > found.largest {
                (found.largest, found.input) = (off, inputs.x[index].to_bits());
            }
        }
        Some(found)
    }

    /// Functions of halves: all of them where there is one, else as many drawn ones.
    pub(crate) fn largest_of_half(&self, compiled: &Compiled, function: &Function) -> Option<Found> {
        if !function.is_case {
            return None;
        }
        let mut random = Random::new(16);
        let x: Vec<u16> = (0..=u16::MAX).collect();
        let mut draw = || x.iter().map(|_| random.bits() as u16).collect::<Vec<u16>>();
        let (y, z) = (draw(), draw());
        let n: Vec<i32> = draw().iter().map(|&bits| i32::from(bits % 64) - 32).collect();
        let values = |bits: &[u16]| bits.iter().map(|&bits| half_cases::value_of(bits)).collect();
        let inputs = Inputs { x: values(&x), y: values(&y), z: values(&z), n };
        let (high, low) = self.references.values(function.name, &inputs);
        let mut out = vec![0_u16; x.len()];
        let [from, second, third] = [&x, &y, &z].map(|values| values.as_ptr().cast());
        let entry = compiled.entry(function, 1);
        // SAFETY: all arrays hold as many elements.
        unsafe { entry(from, second, third, inputs.n.as_ptr(), out.as_mut_ptr().cast(), x.len() as u64) };
        let mut found = Found::default();
        for (index, &got) in out.iter().enumerate() {
            let off = half_cases::error(got, high[index], low[index]);
            if off > found.largest {
                (found.largest, found.input) = (off, u64::from(x[index]));
            }
        }
        Some(found)
    }
}

/// A value as the bytes of a float or a double.
pub(crate) fn bytes_of(value: f64, single: bool) -> Vec<u8> {
    if single { (value as f32).to_le_bytes().to_vec() } else { value.to_le_bytes().to_vec() }
}

/// The bytes of the results.
fn evaluate(entry: Entry, inputs: &Inputs, bytes: impl Fn(f64) -> Vec<u8>) -> Vec<u8> {
    let [x, y, z] = [&inputs.x, &inputs.y, &inputs.z]
        .map(|values| values.iter().flat_map(|&value| bytes(value)).collect::<Vec<u8>>());
    let mut out = vec![0_u8; x.len()];
    let count = inputs.x.len() as u64;
    // SAFETY: all arrays hold `count` elements.
    unsafe { entry(x.as_ptr(), y.as_ptr(), z.as_ptr(), inputs.n.as_ptr(), out.as_mut_ptr(), count) };
    out
}

/// Whether all floats can be tried.
pub(crate) fn is_exhaustive(function: &Function, element: Element) -> bool {
    element == Element::Float && function.shape == Shape::One
}
