//! PNG pictures as buffers of pixels and back.
//!
//! A picture of 8 or 16 bits, gray or colour, with or without alpha, becomes `uchar`, `ushort`, `half` or `float`
//! elements: one lane is a gray pixel, three are RGB, four RGBA (or, with a layout named, the samples one after
//! another). Floats run from 0 to 1. Nothing is lost silently: colour, alpha and depth that the type cannot hold are
//! errors, except that `gray` asks for luma.

use super::element::{Element, Scalar};
use super::half;
use super::{Extent, HostData};
use std::io::Cursor;
use thiserror::Error;

/// How many samples a pixel has in the buffer, where that is said and not taken from the type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One sample: gray; colour becomes luma.
    Gray,
    /// Red, green, blue.
    Rgb,
    /// Red, green, blue, alpha.
    Rgba,
}

impl Layout {
    /// Reads `gray`, `rgb` or `rgba`.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "gray" => Some(Layout::Gray),
            "rgb" => Some(Layout::Rgb),
            "rgba" => Some(Layout::Rgba),
            _ => None,
        }
    }

    fn samples(self) -> usize {
        match self {
            Layout::Gray => 1,
            Layout::Rgb => 3,
            Layout::Rgba => 4,
        }
    }
}

/// Why a picture and a buffer do not go together.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the line above a variant says what it is about")]
pub enum PictureError {
    /// The file is no valid PNG.
    #[error("it is not a valid PNG: {reason}")]
    Decode { reason: String },
    /// Encoding failed.
    #[error("the picture cannot be encoded: {reason}")]
    Encode { reason: String },
    /// Alpha, and the type has no place for it.
    #[error("the picture has an alpha channel, and {element} elements have no place for it")]
    Alpha { element: Element },
    /// Colour, and the type has one lane.
    #[error("the picture is in colour, and {element} elements hold gray")]
    Colour { element: Element },
    /// 16 bits into 8.
    #[error("the picture has 16 bits a sample, which {element} elements would cut off")]
    Depth { element: Element },
    /// No pixel type.
    #[error(
        "{element} elements hold no pixels (uchar, ushort, half and float do, and their vectors of 3 and 4 lanes)"
    )]
    ElementType { element: Element },
    /// A layout and a vector of other width.
    #[error("{element} elements have {lanes} lanes, and the layout has {samples} samples a pixel")]
    Layout { element: Element, lanes: u8, samples: usize },
    /// Nothing says how wide and high the picture is.
    #[error("nothing says how wide and high the picture is")]
    NoSize,
    /// The number of elements is not that of the pixels.
    #[error("{have} elements of type {element} are no picture of {width} x {height}")]
    Count { have: usize, element: Element, width: u32, height: u32 },
}

impl PictureError {
    /// What to do about it.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            PictureError::Alpha { .. } => {
                Some("remove the alpha channel, or let the kernel take four-lane elements such as uchar4")
            }
            PictureError::Colour { .. } => {
                Some("add ':gray' for its luma or ':rgb' for three samples a pixel, or take uchar4 or float4")
            }
            PictureError::Depth { .. } => Some("take ushort or float elements"),
            PictureError::Count { .. } | PictureError::NoSize => Some(
                "give the size: --save NAME=FILE.png:WIDTHxHEIGHT, or size = [WIDTH, HEIGHT] in a workload",
            ),
            _ => None,
        }
    }
}

/// The most memory that one picture may take while it is decoded.
const DECODE_LIMIT: usize = 2 << 30;

/// A decoded picture: samples widened to 16 bits, as many a pixel as the file has.
struct Decoded {
    width: u32,
    height: u32,
    samples: usize,
    sixteen: bool,
    data: Vec<u16>,
}

fn decode(file: &[u8]) -> Result<Decoded, PictureError> {
    let wrong = |e: png::DecodingError| PictureError::Decode { reason: e.to_string() };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(file), png::Limits { bytes: DECODE_LIMIT });
    // Palettes become RGB, transparency becomes alpha, 1 to 4 bits become 8.
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(wrong)?;
    let size = reader
        .output_buffer_size()
        .filter(|size| *size <= DECODE_LIMIT)
        .ok_or_else(|| PictureError::Decode { reason: "it is too large".to_owned() })?;
    let mut bytes = vec![0; size];
    let info = reader.next_frame(&mut bytes).map_err(wrong)?;
    // The end of the file matters too: a picture cut off after its last row is a truncated file.
    reader.finish().map_err(wrong)?;
    bytes.truncate(info.buffer_size());
    let sixteen = info.bit_depth == png::BitDepth::Sixteen;
    let data = if sixteen {
        bytes.chunks_exact(2).map(|b| u16::from_be_bytes([b[0], b[1]])).collect()
    } else {
        bytes.iter().map(|b| u16::from(*b)).collect()
    };
    Ok(Decoded { width: info.width, height: info.height, samples: info.color_type.samples(), sixteen, data })
}

/// Reads a PNG's contents as elements of a type.
pub fn read(file: &[u8], element: Element, layout: Option<Layout>) -> Result<HostData, PictureError> {
    let picture = decode(file)?;
    let samples = match (layout, element.lanes) {
        (None, 1) => 1,
        (None, 3) => 3,
        (None, 4) => 4,
        (None, _) => return Err(PictureError::ElementType { element }),
        (Some(layout), 1) => layout.samples(),
        (Some(layout), lanes) if layout.samples() == usize::from(lanes) => layout.samples(),
        (Some(layout), lanes) => {
            return Err(PictureError::Layout { element, lanes, samples: layout.samples() });
        }
    };
    if !matches!(element.scalar, Scalar::UChar | Scalar::UShort | Scalar::Half | Scalar::Float) {
        return Err(PictureError::ElementType { element });
    }
    let has_alpha = matches!(picture.samples, 2 | 4);
    if has_alpha && samples != 4 {
        return Err(PictureError::Alpha { element });
    }
    if picture.samples >= 3 && samples == 1 && layout != Some(Layout::Gray) {
        return Err(PictureError::Colour { element });
    }
    if picture.sixteen && element.scalar == Scalar::UChar {
        return Err(PictureError::Depth { element });
    }
    let opaque = if picture.sixteen { 65535 } else { 255 };
    let mut bytes =
        Vec::with_capacity(picture.data.len() / picture.samples * samples * element.scalar.size());
    for pixel in picture.data.chunks_exact(picture.samples) {
        let rgba = match *pixel {
            [gray] => [gray, gray, gray, opaque],
            [gray, alpha] => [gray, gray, gray, alpha],
            [r, g, b] => [r, g, b, opaque],
            [r, g, b, a] => [r, g, b, a],
            _ => [0; 4],
        };
        let luma;
        let out = if samples == 1 && picture.samples >= 3 {
            // The weights of ITU-R BT.601.
            let sum = 299 * u64::from(rgba[0]) + 587 * u64::from(rgba[1]) + 114 * u64::from(rgba[2]);
            luma = [((sum + 500) / 1000) as u16];
            &luma[..]
        } else {
            &rgba[..samples]
        };
        for sample in out {
            put_sample(*sample, picture.sixteen, element.scalar, &mut bytes);
        }
        if element.lanes == 3 {
            bytes.resize(bytes.len() + element.scalar.size(), 0);
        }
    }
    Ok(HostData { element, bytes, picture: Some((picture.width, picture.height)) })
}

fn put_sample(sample: u16, sixteen: bool, scalar: Scalar, out: &mut Vec<u8>) {
    let full = if sixteen { 65535.0 } else { 255.0 };
    match scalar {
        // 16 bits into uchar has been refused above.
        Scalar::UChar => out.push(sample as u8),
        Scalar::UShort => {
            let sample = if sixteen { sample } else { sample * 257 };
            out.extend_from_slice(&sample.to_le_bytes());
        }
        Scalar::Half => {
            out.extend_from_slice(&half::from_f64(f64::from(sample) / f64::from(full)).to_le_bytes());
        }
        _ => out.extend_from_slice(&(f32::from(sample) / full).to_le_bytes()),
    }
}

/// What a buffer is as a picture of `width` x `height`: gray, RGB or RGBA.
pub fn colour(data: Extent, width: u32, height: u32) -> Result<png::ColorType, PictureError> {
    let element = data.element;
    if !matches!(element.scalar, Scalar::UChar | Scalar::UShort | Scalar::Half | Scalar::Float) {
        return Err(PictureError::ElementType { element });
    }
    let pixels = width as usize * height as usize;
    match (pixels, usize::from(element.lanes) * data.count()) {
        (0, _) => None,
        (p, l) if l == p => Some(png::ColorType::Grayscale),
        (p, l) if l == 3 * p => Some(png::ColorType::Rgb),
        (p, l) if l == 4 * p => Some(png::ColorType::Rgba),
        _ => None,
    }
    // A vector is one pixel: four gray pixels in a float4 would be a misunderstanding.
    .filter(|colour| element.lanes == 1 || colour.samples() == usize::from(element.lanes))
    .ok_or(PictureError::Count { have: data.count(), element, width, height })
}

/// The PNG of a buffer as a picture of `width` x `height`: gray for one sample a pixel, RGB for three, RGBA for four.
/// Floats are clamped to 0..1 and become 8 bits.
pub fn write(data: &HostData, width: u32, height: u32) -> Result<Vec<u8>, PictureError> {
    let element = data.element;
    let colour = colour(data.extent(), width, height)?;
    let samples: Vec<u8> = match element.scalar {
        Scalar::UShort => data.lanes().flat_map(|l| [l[1], l[0]]).collect(),
        Scalar::UChar => data.lanes().map(|l| l[0]).collect(),
        Scalar::Half => {
            data.lanes().map(|l| eight_bits(half::to_f64(u16::from_le_bytes([l[0], l[1]])) as f32)).collect()
        }
        _ => data.lanes().map(|l| eight_bits(f32::from_le_bytes([l[0], l[1], l[2], l[3]]))).collect(),
    };
    let depth = if element.scalar == Scalar::UShort { png::BitDepth::Sixteen } else { png::BitDepth::Eight };
    let wrong = |e: png::EncodingError| PictureError::Encode { reason: e.to_string() };
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    let mut writer = encoder.write_header().map_err(wrong)?;
    writer.write_image_data(&samples).map_err(wrong)?;
    writer.finish().map_err(wrong)?;
    Ok(file)
}

/// A float of 0..1 as eight bits; NaN is black.
fn eight_bits(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::super::generate;
    use super::*;

    fn element(scalar: Scalar, lanes: u8) -> Element {
        Element { scalar, lanes }
    }

    #[test]
    fn what_is_written_reads_back() -> Result<(), PictureError> {
        for scalar in [Scalar::UChar, Scalar::UShort] {
            for lanes in [1, 3, 4] {
                let mut data = generate::random(element(scalar, lanes), 6, 7);
                let file = write(&data, 3, 2)?;
                data.picture = Some((3, 2));
                assert_eq!(read(&file, data.element, None)?, data);
            }
        }
        Ok(())
    }

    #[test]
    fn floats_run_from_0_to_1() -> Result<(), PictureError> {
        let gray = HostData::new(element(Scalar::UChar, 1), vec![0, 51, 255]);
        let file = write(&gray, 3, 1)?;
        let floats = read(&file, element(Scalar::Float, 4), None)?;
        let want: Vec<u8> = [0.0, 0.0, 0.0, 1.0, 0.2, 0.2, 0.2, 1.0, 1.0, 1.0, 1.0, 1.0f32]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect();
        assert_eq!(floats.bytes, want);
        let mut odd = HostData::new(element(Scalar::Float, 1), Vec::new());
        odd.bytes = [-1.0, f32::NAN, 7.0f32].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(read(&write(&odd, 3, 1)?, element(Scalar::UChar, 1), None)?.bytes, [0, 0, 255]);
        Ok(())
    }

    #[test]
    fn nothing_is_lost_silently() -> Result<(), PictureError> {
        let rgba = write(&HostData::new(element(Scalar::UChar, 4), vec![255, 0, 0, 9]), 1, 1)?;
        let rgb = write(&HostData::new(element(Scalar::UChar, 1), vec![255, 0, 0]), 1, 1)?;
        let deep = write(&HostData::new(element(Scalar::UShort, 1), vec![1, 2]), 1, 1)?;
        let gray = element(Scalar::UChar, 1);
        assert_eq!(read(&rgba, gray, None), Err(PictureError::Alpha { element: gray }));
        assert_eq!(read(&rgba, gray, Some(Layout::Rgb)), Err(PictureError::Alpha { element: gray }));
        assert_eq!(read(&rgba, gray, Some(Layout::Rgba))?.bytes, [255, 0, 0, 9]);
        assert_eq!(read(&rgb, gray, None), Err(PictureError::Colour { element: gray }));
        assert_eq!(read(&rgb, gray, Some(Layout::Gray))?.bytes, [76]);
        assert_eq!(read(&rgb, gray, Some(Layout::Rgb))?.bytes, [255, 0, 0]);
        assert_eq!(read(&rgb, element(Scalar::UChar, 3), None)?.bytes, [255, 0, 0, 0]);
        assert_eq!(read(&deep, gray, None), Err(PictureError::Depth { element: gray }));
        assert_eq!(read(&deep, element(Scalar::UShort, 1), None)?.bytes, [1, 2]);
        let ints = element(Scalar::Int, 1);
        assert_eq!(read(&rgb, ints, Some(Layout::Rgb)), Err(PictureError::ElementType { element: ints }));
        Ok(())
    }

    #[test]
    fn broken_files_are_errors() -> Result<(), PictureError> {
        let file = write(&generate::random(element(Scalar::UChar, 4), 64, 1), 8, 8)?;
        for end in 0..file.len() {
            assert!(read(&file[..end], element(Scalar::UChar, 4), None).is_err(), "{end} of {}", file.len());
        }
        Ok(())
    }

    #[test]
    fn counts_must_fit() {
        let data = generate::zeros(element(Scalar::UChar, 4), 4);
        assert!(write(&data, 4, 4).is_err());
        assert!(write(&data, 2, 2).is_ok());
        assert!(write(&generate::zeros(element(Scalar::UChar, 1), 0), 0, 0).is_err());
    }
}
