//! Pictures as images, and samplers by their words: what a kernel's parameters of these types take from a command line or a
//! workload.
//!
//! A pixel is an element: one lane is `CL_R` (or a depth, where the parameter takes one), two are `CL_RG`, four `CL_RGBA`. Bytes
//! and shorts run from 0 to 1, or from -1 to 1 where they have a sign; ints are integers, and halves and floats themselves.

use super::Extent;
use super::element::{Element, Scalar};
use oxcl_runtime::{
    Addressing, ImageDescription, ImageFormat, ImageKind, ImageShape, Sampler, channel, order,
};
use thiserror::Error;

/// What the pixels of an image are where its type is not said.
pub const PIXEL: Element = Element { scalar: Scalar::UChar, lanes: 4 };

/// Why data is no image for a parameter.
#[derive(Debug, Clone, PartialEq, Error)]
#[expect(missing_docs, reason = "the line above a variant says what it is about")]
pub enum ImageDataError {
    /// No format has such pixels.
    #[error("{element} elements are no pixels of an image")]
    Format { element: Element },
    /// Nothing says how wide and high it is.
    #[error("nothing says how wide and high the image is")]
    NoSize,
    /// Too few elements, or sizes that no image has.
    #[error("{have} elements are no image: {reason}")]
    Shape { have: usize, reason: String },
}

/// The kind of image that a parameter of a type takes, where a picture or a row can be one, and whether it is a depth.
#[must_use]
pub fn kind_of(type_name: &str) -> Option<(ImageKind, bool)> {
    ImageKind::of_type_name(type_name).filter(|(kind, _)| {
        matches!(kind, ImageKind::Image1d | ImageKind::Image1dBuffer | ImageKind::Image2d)
    })
}

/// Data as an image of a kind.
///
/// # Errors
/// It is none.
pub fn describe(data: Extent, kind: ImageKind, is_depth: bool) -> Result<ImageDescription, ImageDataError> {
    let element = data.element;
    let wrong = ImageDataError::Format { element };
    let channel_type = match element.scalar {
        Scalar::Char => channel::SNORM_INT8,
        Scalar::UChar => channel::UNORM_INT8,
        Scalar::Short => channel::SNORM_INT16,
        Scalar::UShort => channel::UNORM_INT16,
        Scalar::Int => channel::SIGNED_INT32,
        Scalar::UInt => channel::UNSIGNED_INT32,
        Scalar::Half => channel::HALF_FLOAT,
        Scalar::Float => channel::FLOAT,
        _ => return Err(wrong),
    };
    let channel_order = match element.lanes {
        1 if is_depth => order::DEPTH,
        1 => order::R,
        2 => order::RG,
        4 => order::RGBA,
        _ => return Err(wrong),
    };
    let count = data.count() as u64;
    let size = match (kind, data.picture) {
        (ImageKind::Image2d, Some((width, height))) => [width.into(), height.into(), 1],
        (ImageKind::Image2d, None) => return Err(ImageDataError::NoSize),
        _ => [count, 1, 1],
    };
    let format = ImageFormat { channel_order, channel_type };
    let shape = ImageShape { kind, format, size, array_size: 1, row_pitch: 0, slice_pitch: 0, levels: 0 };
    let not = |reason: String| ImageDataError::Shape { have: data.count(), reason };
    let description = shape.describe().map_err(|error| not(error.to_string()))?;
    if size[0] * size[1] > count {
        return Err(not(format!("{}x{} pixels are more", size[0], size[1])));
    }
    Ok(description)
}

/// The words of samplers.
pub const SAMPLER_WORDS: [&str; 8] =
    ["normalised", "none", "clamp_to_edge", "clamp", "repeat", "mirrored_repeat", "nearest", "linear"];

/// Reads words such as `normalised+repeat+linear`.
///
/// # Errors
/// The word that says nothing of a sampler.
pub fn sampler(words: &str) -> Result<Sampler, String> {
    let mut sampler = Sampler::new(false, Addressing::None, false);
    for word in words.split('+') {
        match word {
            "normalised" => sampler.normalised = true,
            "none" => sampler.addressing = Addressing::None,
            "clamp_to_edge" => sampler.addressing = Addressing::ClampToEdge,
            "clamp" => sampler.addressing = Addressing::Clamp,
            "repeat" => sampler.addressing = Addressing::Repeat,
            "mirrored_repeat" => sampler.addressing = Addressing::MirroredRepeat,
            "nearest" => sampler.linear = false,
            "linear" => sampler.linear = true,
            other => return Err(other.to_owned()),
        }
    }
    Ok(sampler)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_pixels() {
        let element = |scalar, lanes| Element { scalar, lanes };
        let extent = |element: Element, count: usize, picture| Extent {
            element,
            bytes: count * element.size(),
            picture,
        };
        let bytes = extent(element(Scalar::UChar, 4), 6, Some((3, 2)));
        let image = describe(bytes, ImageKind::Image2d, false).unwrap();
        assert_eq!((image.size, image.row_pitch), ([3, 2, 1], 12));
        assert_eq!(
            image.format,
            ImageFormat { channel_order: order::RGBA, channel_type: channel::UNORM_INT8 }
        );
        let depth = describe(extent(element(Scalar::Float, 1), 6, Some((6, 1))), ImageKind::Image2d, true);
        assert_eq!(depth.unwrap().format.channel_order, order::DEPTH);
        let three = element(Scalar::Float, 3);
        let error = describe(extent(three, 4, Some((2, 2))), ImageKind::Image2d, false);
        assert_eq!(error, Err(ImageDataError::Format { element: three }));
        assert_eq!(
            describe(extent(bytes.element, 6, None), ImageKind::Image2d, false),
            Err(ImageDataError::NoSize)
        );
        assert!(describe(extent(bytes.element, 5, Some((3, 2))), ImageKind::Image2d, false).is_err());
    }

    #[test]
    fn samplers_are_words() {
        let read = sampler("normalised+repeat+linear").unwrap();
        assert_eq!(read, Sampler::new(true, Addressing::Repeat, true));
        assert_eq!(sampler("clamp+soft"), Err("soft".to_owned()));
    }
}
