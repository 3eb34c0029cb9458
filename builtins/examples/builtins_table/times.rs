//! Nanoseconds an element: of our functions at every width, over arrays that fit the nearest cache, and of libmvec's at the
//! machine's.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crate::errors::bytes_of;
use crate::functions::{Compiled, Element, Entry, Function, Made};
use crate::support::WIDTHS;
use crate::support::cases::Shape;
use crate::support::random::Random;

/// A multiple of every width.
const COUNT: usize = 48 * 20;

/// Arrays that times are taken over, as bytes; every element in the range that the function is for.
pub(crate) struct Arrays {
    x: Vec<u8>,
    y: Vec<u8>,
    z: Vec<u8>,
    n: Vec<i32>,
    r: Vec<u8>,
}

impl Arrays {
    pub(crate) fn new(function: &Function, element: Element) -> Self {
        let mut random = Random::new(9);
        let (low, high) = (function.timed_low, function.timed_high);
        let mut array = |low: f64, high: f64| {
            let mut bytes = Vec::new();
            for _ in 0..COUNT {
                let value = low + (high - low) * random.unit();
                match element {
                    Element::Half => bytes.extend(half_of(value).to_le_bytes()),
                    _ => bytes.extend(bytes_of(value, element == Element::Float)),
                }
            }
            bytes
        };
        let (x, y, z) = (array(low, high), array(low, high), array(low, high));
        let n = (0..COUNT).map(|_| random.below(7) as i32 - 3).map(|n| if n == 0 { 4 } else { n }).collect();
        Self { x, y, z, n, r: vec![0; COUNT * element.bytes()] }
    }

    /// The best of some runs, in nanoseconds an element.
    pub(crate) fn time(&mut self, entry: Entry, runs: u32) -> f64 {
        let mut repeat = 1_u32;
        let mut best = f64::INFINITY;
        let mut done = 0;
        while done < runs {
            let start = Instant::now();
            for _ in 0..repeat {
                let [x, y, z] = [&self.x, &self.y, &self.z].map(|array| array.as_ptr());
                // SAFETY: all arrays hold `COUNT` elements, a multiple of every width.
                unsafe { entry(x, y, z, self.n.as_ptr(), self.r.as_mut_ptr(), COUNT as u64) };
            }
            let took = start.elapsed();
            if took < Duration::from_micros(500) {
                repeat *= 2;
                continue;
            }
            done += 1;
            best = best.min(took.as_secs_f64() * 1e9 / f64::from(repeat) / COUNT as f64);
        }
        best
    }
}

/// A value of ordinary size as a half, cut off.
fn half_of(value: f64) -> u16 {
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i64 - 1023;
    let sign = (bits >> 48 & 0x8000) as u16;
    if exponent < -14 {
        return sign;
    }
    sign | ((exponent.min(15) + 15) as u16) << 10 | (bits >> 42 & 0x3ff) as u16
}

/// Times of a function at every width.
pub(crate) fn of_ours(compiled: &Compiled, function: &Function, element: Element, runs: u32) -> Vec<f64> {
    let mut arrays = Arrays::new(function, element);
    WIDTHS.iter().map(|&width| arrays.time(compiled.entry(function, width), runs)).collect()
}

/// libmvec's functions at the width of this machine's vectors.
pub(crate) struct Mvec {
    made: Made,
    bits: usize,
}

impl Mvec {
    pub(crate) fn new(functions: &[Function]) -> Self {
        let (bits, letter, flag) = if std::is_x86_feature_detected!("avx512dq") {
            (512, 'e', "-mavx512dq")
        } else if std::is_x86_feature_detected!("avx2") {
            (256, 'd', "-mavx2")
        } else {
            (128, 'b', "-msse4.2")
        };
        let mut source = String::from("#include <immintrin.h>\n");
        for function in functions {
            let Some((parameters, types, loads)) = (match function.shape {
                Shape::One => Some(("v", "(V)", "(L(x + i))")),
                Shape::Two => Some(("vv", "(V, V)", "(L(x + i), L(y + i))")),
                Shape::Three | Shape::WithInteger => None,
            }) else {
                continue;
            };
            for (element, suffix, short) in [("float", "f", "ps"), ("double", "", "pd")] {
                let width = bits / if element == "float" { 32 } else { 64 };
                let vector = format!("__m{bits}{}", if element == "float" { "" } else { "d" });
                let prefix = if bits == 128 { "_mm".to_owned() } else { format!("_mm{bits}") };
                let name = format!("_ZGV{letter}N{width}{parameters}_{}{suffix}", function.name);
                let types = types.replace('V', &vector);
                let loads = loads.replace('L', &format!("{prefix}_loadu_{short}"));
                // Weak: what libmvec does not have is null.
                writeln!(
                    source,
                    "__attribute__((weak)) {vector} {name}{types};\n\
                     void {0}_{element}(const {element} *x, const {element} *y, const {element} *z, const int *n, \
                     {element} *r, unsigned long count) {{ for (unsigned long i = 0; i < count; i += {width}) \
                     {prefix}_storeu_{short}(r + i, {name}{loads}); }}\n\
                     int has_{0}_{element}(void) {{ return {name} != 0; }}",
                    function.name
                )
                .expect("a string grows");
            }
        }
        Self { made: Made::new(&source, &[flag, "-Wl,--no-as-needed", "-lmvec", "-lm"]), bits }
    }

    /// How many elements a vector of this machine has.
    pub(crate) fn width(&self, element: Element) -> usize {
        self.bits / 8 / element.bytes().max(4)
    }

    /// The time of libmvec's function, where there is one.
    pub(crate) fn time(&self, function: &Function, element: Element, runs: u32) -> Option<f64> {
        if element == Element::Half {
            return None;
        }
        let name = format!("{}_{}", function.name, element.name());
        // SAFETY: the type that the source gives it.
        let has = unsafe { self.made.function::<unsafe extern "C" fn() -> i32>(&format!("has_{name}")) }?;
        // SAFETY: it only compares an address.
        if unsafe { has() } == 0 {
            return None;
        }
        // SAFETY: the type that the source gives it.
        let entry = unsafe { self.made.function::<Entry>(&name) }?;
        Some(Arrays::new(function, element).time(entry, runs))
    }
}
