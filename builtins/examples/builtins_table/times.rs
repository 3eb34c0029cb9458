//! Nanoseconds an element: of our functions at every width, over arrays that fit the nearest cache, and of what stands beside them,
//! which is libmvec's at the machine's width, or for half the function of float.
//!
//! What is compared is timed in turns, so that the processor's clock and its other users are the same for all.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use crate::errors::bytes_of;
use crate::functions::{Compiled, Element, Entry, Function, Made};
use crate::support::WIDTHS;
use crate::support::cases::Shape;
use crate::support::random::Random;

/// A multiple of every width.
const COUNT: usize = 48 * 20;

/// How long a turn takes at least. Short ones find a time in which nothing else runs.
const TURN: Duration = Duration::from_micros(100);

/// A line of the cache: no vector of an array that begins with one lies across two.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Line([u8; 64]);

/// The bytes in whole lines, the last filled with zeros.
fn lines(bytes: &[u8]) -> Vec<Line> {
    let line = |part: &[u8]| {
        let mut line = Line([0; 64]);
        line.0[..part.len()].copy_from_slice(part);
        line
    };
    bytes.chunks(64).map(line).collect()
}

/// Arrays that times are taken over, as bytes; every element in the range that the function is for.
struct Arrays {
    x: Vec<Line>,
    y: Vec<Line>,
    z: Vec<Line>,
    n: Vec<i32>,
    r: Vec<Line>,
}

impl Arrays {
    fn new(function: &Function, element: Element) -> Self {
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
            lines(&bytes)
        };
        let (x, y, z) = (array(low, high), array(low, high), array(low, high));
        let n = (0..COUNT).map(|_| random.below(7) as i32 - 3).map(|n| if n == 0 { 4 } else { n }).collect();
        Self { x, y, z, n, r: lines(&vec![0; COUNT * element.bytes()]) }
    }

    /// How long so many calls take.
    fn run(&mut self, entry: Entry, repeat: u32) -> Duration {
        let start = Instant::now();
        for _ in 0..repeat {
            let [x, y, z] = [&self.x, &self.y, &self.z].map(|array| array.as_ptr().cast());
            // SAFETY: all arrays hold `COUNT` elements, a multiple of every width.
            unsafe { entry(x, y, z, self.n.as_ptr(), self.r.as_mut_ptr().cast(), COUNT as u64) };
        }
        start.elapsed()
    }
}

/// What is timed: a function over arrays of elements, and how often that takes long enough to be measured.
struct Timed {
    entry: Entry,
    element: Element,
    repeat: u32,
    best: f64,
}

/// Times of a function at every width, and of what stands beside it: the best of some turns, in nanoseconds an element.
pub(crate) fn times(
    compiled: &Compiled,
    function: &Function,
    element: Element,
    beside: Option<(Entry, Element)>,
    runs: u32,
) -> (Vec<f64>, Option<f64>) {
    let ours = WIDTHS.iter().map(|&width| (compiled.entry(function, width), element));
    let mut arrays = Element::ALL.map(|element| (element, Arrays::new(function, element)));
    let mut run = |timed: &Timed| {
        let (_, arrays) =
            arrays.iter_mut().find(|(element, _)| *element == timed.element).expect("all are there");
        arrays.run(timed.entry, timed.repeat)
    };
    let mut all: Vec<Timed> = ours
        .chain(beside)
        .map(|(entry, element)| Timed { entry, element, repeat: 1, best: f64::INFINITY })
        .collect();
    for timed in &mut all {
        while run(timed) < TURN {
            timed.repeat *= 2;
        }
    }
    for _ in 0..runs {
        for timed in &mut all {
            let took = run(timed).as_secs_f64() * 1e9 / f64::from(timed.repeat) / COUNT as f64;
            timed.best = timed.best.min(took);
        }
    }
    let mut found: Vec<f64> = all.iter().map(|timed| timed.best).collect();
    let beside = beside.and_then(|_| found.pop());
    (found, beside)
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

    /// libmvec's function, where there is one.
    pub(crate) fn entry(&self, function: &Function, element: Element) -> Option<Entry> {
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
        unsafe { self.made.function::<Entry>(&name) }
    }
}
