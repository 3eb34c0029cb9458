//! Colours to the bytes of a pixel, as kernels would write them.

use oxcl_driver::image::{ImageFormat, channel, order};

/// The bytes of a pixel of a format. The channels are the bits of floats, or integers where the format's are.
pub(super) fn pixel(format: ImageFormat, colour: [u32; 4]) -> Vec<u8> {
    let [r, g, b, a] = colour;
    let in_memory = match format.channel_order {
        order::BGRA | order::SBGRA => [b, g, r, a],
        order::ARGB => [a, r, g, b],
        order::ABGR => [a, b, g, r],
        order::RA => [r, a, g, b],
        order::A => [a, r, g, b],
        _ => colour,
    };
    let floats = in_memory.map(f32::from_bits);
    let count = format.channels() as usize;
    match format.channel_type {
        channel::UNORM_SHORT_565 => {
            let [r, g, b] = [unorm(floats[0], 31), unorm(floats[1], 63), unorm(floats[2], 31)];
            ((r << 11 | g << 5 | b) as u16).to_le_bytes().to_vec()
        }
        channel::UNORM_SHORT_555 => {
            let [r, g, b, _] = floats.map(|value| unorm(value, 31));
            ((r << 10 | g << 5 | b) as u16).to_le_bytes().to_vec()
        }
        channel::UNORM_INT_101010 => {
            let [r, g, b, _] = floats.map(|value| unorm(value, 1023));
            (r << 20 | g << 10 | b).to_le_bytes().to_vec()
        }
        channel::UNORM_INT_101010_2 => {
            let [r, g, b, _] = floats.map(|value| unorm(value, 1023));
            (r << 22 | g << 12 | b << 2 | unorm(floats[3], 3)).to_le_bytes().to_vec()
        }
        _ => {
            let is_srgb = matches!(format.channel_order, order::SRGBA | order::SBGRA);
            let each = in_memory.iter().take(count).enumerate();
            // The fourth channel is on a linear scale.
            each.flat_map(|(index, bits)| one(format.channel_type, *bits, is_srgb && index < 3)).collect()
        }
    }
}

/// The bytes of one channel.
fn one(channel_type: u32, bits: u32, is_srgb: bool) -> Vec<u8> {
    let value = f32::from_bits(bits);
    let signed = bits.cast_signed();
    match channel_type {
        channel::UNORM_INT8 if is_srgb => vec![unorm(to_srgb(value), 255) as u8],
        channel::UNORM_INT8 => vec![unorm(value, 255) as u8],
        channel::UNORM_INT16 => (unorm(value, 65535) as u16).to_le_bytes().to_vec(),
        channel::SNORM_INT8 => (snorm(value, 127) as i8).to_le_bytes().to_vec(),
        channel::SNORM_INT16 => (snorm(value, 32767) as i16).to_le_bytes().to_vec(),
        channel::SIGNED_INT8 => (signed.clamp(-128, 127) as i8).to_le_bytes().to_vec(),
        channel::SIGNED_INT16 => (signed.clamp(-32768, 32767) as i16).to_le_bytes().to_vec(),
        channel::UNSIGNED_INT8 => vec![bits.min(255) as u8],
        channel::UNSIGNED_INT16 => (bits.min(65535) as u16).to_le_bytes().to_vec(),
        channel::HALF_FLOAT => half(value).to_le_bytes().to_vec(),
        _ => bits.to_le_bytes().to_vec(),
    }
}

/// The nearest of 0 to `most`; what is no number is 0.
fn unorm(value: f32, most: u32) -> u32 {
    (value * most as f32).max(0.0).min(most as f32).round_ties_even() as u32
}

/// The nearest of -`most` - 1 to `most`; what is no number is 0.
fn snorm(value: f32, most: i32) -> i32 {
    if value.is_nan() {
        return 0;
    }
    (value * most as f32).max(-(most as f32) - 1.0).min(most as f32).round_ties_even() as i32
}

/// From a linear scale to that of sRGB.
fn to_srgb(value: f32) -> f32 {
    let value = f64::from(value).clamp(0.0, 1.0);
    let curved = if value < 0.003_130_8 { 12.92 * value } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
    if curved.is_nan() { 0.0 } else { curved as f32 }
}

/// The nearest half, ties to even.
fn half(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    // From here on it is rounded to infinity.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    // Below the smallest normal number, steps are of one size.
    if magnitude < 0x3880_0000 {
        let steps = f32::from_bits(magnitude) * 16_777_216.0;
        return sign | steps.round_ties_even() as u16;
    }
    let rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    sign | ((rounded >> 13) - (112 << 10)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_have_the_bytes_of_their_formats() {
        let colour = [1.0_f32, 0.5, -0.25, f32::NAN].map(f32::to_bits);
        let pixel =
            |channel_order, channel_type| super::pixel(ImageFormat { channel_order, channel_type }, colour);
        assert_eq!(pixel(order::RGBA, channel::UNORM_INT8), [255, 128, 0, 0]);
        assert_eq!(pixel(order::BGRA, channel::UNORM_INT8), [0, 128, 255, 0]);
        assert_eq!(pixel(order::ABGR, channel::SNORM_INT8), [0, (-32_i8) as u8, 64, 127]);
        assert_eq!(pixel(order::RA, channel::UNORM_INT8), [255, 0]);
        assert_eq!(pixel(order::RGB, channel::UNORM_SHORT_565), (31_u16 << 11 | 32 << 5).to_le_bytes());
        assert_eq!(pixel(order::SRGBA, channel::UNORM_INT8), [255, 188, 0, 0]);
        assert_eq!(pixel(order::RG, channel::HALF_FLOAT), [0, 0x3c, 0, 0x38]);
        assert_eq!(
            super::pixel(
                ImageFormat { channel_order: order::R, channel_type: channel::SIGNED_INT8 },
                [300; 4]
            ),
            [127]
        );
    }

    #[test]
    fn halves_are_the_nearest() {
        for (value, bits) in [
            (0.0_f32, 0),
            (65504.0, 0x7bff),
            (65520.0, 0x7c00),
            (6.1e-5, 0x3ff),
            (5.97e-8, 1),
            (2.9e-8, 0),
            (1.0009765, 0x3c01),
            (-2.0, 0xc000),
        ] {
            assert_eq!(half(value), bits, "{value}");
        }
    }
}
