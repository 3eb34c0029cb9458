//! What the kernels of `oxcl bench images` give, one pixel after the other and in double precision.

use super::{Inputs, WEIGHTS, Work, deep, wide};

/// How far a result is from what it should be, at most: in steps of a byte, or, of floats, in thousandths.
pub(super) fn distance(work: Work, inputs: &Inputs, result: &[u8]) -> f64 {
    let side = inputs.side as usize;
    let rows = |width: usize, pixel: &dyn Fn(usize, usize) -> [f64; 4]| {
        let pixels = result.chunks_exact(4).enumerate();
        let far = pixels.map(|(at, found)| {
            let wanted = pixel(at % width, at / width);
            let far = found.iter().zip(wanted).map(|(&found, wanted)| {
                (f64::from(found) - (255.0 * wanted.clamp(0.0, 1.0)).round_ties_even()).abs()
            });
            far.fold(0.0, f64::max)
        });
        far.fold(0.0, f64::max)
    };
    match work {
        Work::Convolution => rows(side, &|x, y| convolved(inputs, x, y)),
        Work::Resize => {
            let wide = wide(inputs.side) as usize;
            let step = inputs.side as f64 / wide as f64;
            rows(wide, &|x, y| {
                let at = |of: usize| Between::new((of as f64 + 0.5) * step - 0.5, side);
                mixed(&|x, y| colour(inputs, x, y), at(x), at(y))
            })
        }
        Work::Gather => rows(side, &|x, y| {
            let at = 2 * (y * side + x);
            let inside = |place: i32| place.clamp(0, side as i32 - 1) as usize;
            colour(inputs, inside(inputs.places[at]), inside(inputs.places[at + 1]))
        }),
        Work::Format => rows(side, &|x, y| {
            let at = 4 * (y * side + x);
            let [red, green, blue, alpha] =
                [0, 1, 2, 3].map(|channel| f64::from(inputs.shorts[at + channel]) / 65535.0);
            [blue, green, red, alpha]
        }),
        Work::Volume => {
            let side = deep(inputs.side) as usize;
            let far = result.chunks_exact(4).enumerate().map(|(at, found)| {
                let found = found.try_into().map_or(f32::NAN, f32::from_le_bytes);
                let wanted = turned(inputs, at % side, at / side % side, at / side / side);
                let far = 1000.0 * (f64::from(found) - wanted).abs();
                // What is no number is as far as can be.
                if far.is_nan() { f64::INFINITY } else { far }
            });
            far.fold(0.0, f64::max)
        }
    }
}

/// A pixel of the picture.
fn colour(inputs: &Inputs, x: usize, y: usize) -> [f64; 4] {
    let at = 4 * (y * inputs.side as usize + x);
    [0, 1, 2, 3].map(|channel| f64::from(inputs.picture[at + channel]) / 255.0)
}

fn convolved(inputs: &Inputs, x: usize, y: usize) -> [f64; 4] {
    let last = inputs.side as usize - 1;
    let mut sum = [0.0; 4];
    for (number, weight) in WEIGHTS.iter().enumerate() {
        // One less than the place, which may be past both ends.
        let near = |at: usize, by: usize| (at + by).saturating_sub(1).min(last);
        let pixel = colour(inputs, near(x, number % 3), near(y, number / 3));
        sum.iter_mut().zip(pixel).for_each(|(sum, pixel)| *sum += f64::from(*weight) * pixel);
    }
    sum
}

/// Two neighbours that a place is between, those at the edge for what is outside, and how far it is from the first.
#[derive(Clone, Copy)]
struct Between {
    first: usize,
    second: usize,
    part: f64,
}

impl Between {
    fn new(at: f64, size: usize) -> Self {
        let first = at.floor();
        let inside = |index: f64| index.clamp(0.0, (size - 1) as f64) as usize;
        Self { first: inside(first), second: inside(first + 1.0), part: at - first }
    }

    fn mix<const N: usize>(self, of: impl Fn(usize) -> [f64; N]) -> [f64; N] {
        let (first, second) = (of(self.first), of(self.second));
        std::array::from_fn(|channel| first[channel] * (1.0 - self.part) + second[channel] * self.part)
    }
}

fn mixed<const N: usize>(pixel: &dyn Fn(usize, usize) -> [f64; N], x: Between, y: Between) -> [f64; N] {
    y.mix(|y| x.mix(|x| pixel(x, y)))
}

fn turned(inputs: &Inputs, x: usize, y: usize, z: usize) -> f64 {
    let side = deep(inputs.side) as usize;
    let [a, b, c] = [x, y, z].map(|of| (of as f64 + 0.5) / side as f64 - 0.5);
    let places = [0.8 * a - 0.6 * b, 0.6 * a + 0.8 * b, c];
    let [x, y, z] = places.map(|place| Between::new((place + 0.5) * side as f64 - 0.5, side));
    let [value] = z.mix(|z| mixed(&|x, y| [f64::from(inputs.volume[(z * side + y) * side + x])], x, y));
    value
}
