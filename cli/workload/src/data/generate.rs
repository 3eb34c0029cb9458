//! Generated data: zeros, ranges, and pseudo-random numbers that are the same on every machine and in every version.
//!
//! The random generator is counter-based: lane `i` of a buffer with seed `s` is `mix(s + (i + 1) * 0x9E3779B97F4A7C15)`
//! in 64-bit arithmetic, where `mix` is the finaliser of SplitMix64:
//!
//! ```text
//! z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
//! z = (z ^ (z >> 27)) * 0x94D049BB133111EB
//! z =  z ^ (z >> 31)
//! ```
//!
//! An integer lane takes the low bits of it. A floating-point lane takes the high p bits divided by 2^p, which lies in
//! 0 <= x < 1 and is exact: p is 24 for `float`, 53 for `double`, 11 for `half`. docs/cli.md promises this for ever.

use super::HostData;
use super::element::{Element, Scalar};
use super::half;

/// The `index`th 64-bit number of the stream with `seed`.
pub fn random_u64(seed: u64, index: u64) -> u64 {
    let mut z = seed.wrapping_add(index.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// `count` elements of zeros.
pub fn zeros(element: Element, count: usize) -> HostData {
    HostData::new(element, vec![0; count * element.size()])
}

/// A picture of zeros, so wide and high.
pub fn blank(element: Element, width: u32, height: u32) -> HostData {
    HostData { picture: Some((width, height)), ..zeros(element, width as usize * height as usize) }
}

/// `count` elements of random lanes.
pub fn random(element: Element, count: usize, seed: u64) -> HostData {
    lanes(element, count, |index, out| {
        let bits = random_u64(seed, index);
        match element.scalar {
            Scalar::Half => {
                out.extend_from_slice(&half::from_f64((bits >> 53) as f64 / 2048.0).to_le_bytes());
            }
            Scalar::Float => out.extend_from_slice(&((bits >> 40) as f32 / 16_777_216.0).to_le_bytes()),
            Scalar::Double => {
                out.extend_from_slice(&((bits >> 11) as f64 / 9_007_199_254_740_992.0).to_le_bytes());
            }
            integer => out.extend_from_slice(&bits.to_le_bytes()[..integer.size()]),
        }
    })
}

/// 0, 1, 2, ... over all lanes; integers wrap round, floats are rounded to their type.
pub fn range(element: Element, count: usize) -> HostData {
    lanes(element, count, |index, out| match element.scalar {
        Scalar::Half => out.extend_from_slice(&half::from_f64(index as f64).to_le_bytes()),
        Scalar::Float => out.extend_from_slice(&(index as f32).to_le_bytes()),
        Scalar::Double => out.extend_from_slice(&(index as f64).to_le_bytes()),
        integer => out.extend_from_slice(&index.to_le_bytes()[..integer.size()]),
    })
}

/// Elements whose lanes `write` makes, in order; the padding lane of three-lane vectors is zero and takes no index.
fn lanes(element: Element, count: usize, mut write: impl FnMut(u64, &mut Vec<u8>)) -> HostData {
    let mut bytes = Vec::with_capacity(count * element.size());
    let mut index = 0;
    for end in 1..=count {
        for _ in 0..element.lanes {
            write(index, &mut bytes);
            index += 1;
        }
        bytes.resize(end * element.size(), 0);
    }
    HostData::new(element, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_random_stream_never_changes() {
        // The first three outputs of SplitMix64 seeded with 0, as published with the generator.
        assert_eq!(random_u64(0, 0), 0xE220_A839_7B1D_CDAF);
        assert_eq!(random_u64(0, 1), 0x6E78_9E6A_A1B9_65F4);
        assert_eq!(random_u64(0, 2), 0x06C4_5D18_8009_454F);
        let floats = random(Element::scalar(Scalar::Float), 2, 0);
        assert_eq!(
            floats.bytes,
            [0xE220A8 as f32 / 16777216.0, 0x6E789E as f32 / 16777216.0].map(f32::to_le_bytes).concat()
        );
        let bytes = random(Element::scalar(Scalar::UChar), 2, 0);
        assert_eq!(bytes.bytes, [0xAF, 0xF4]);
    }

    #[test]
    fn padding_lanes_take_no_number() {
        let data = range(Element { scalar: Scalar::UShort, lanes: 3 }, 2);
        assert_eq!(data.bytes, [0u16, 1, 2, 0, 3, 4, 5, 0].map(u16::to_le_bytes).concat());
        assert_eq!(data.lanes().count(), 6);
    }

    #[test]
    fn ranges_wrap() {
        let data = range(Element::scalar(Scalar::UChar), 300);
        assert_eq!((data.bytes[255], data.bytes[256], data.len()), (255, 0, 300));
    }
}
