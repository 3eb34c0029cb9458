//! Images and samplers in `run` lines.
//!
//! `image/ORDER/TYPE/SIZE` and then what a buffer's value may be, in numbers as the type of channels has them in memory:
//! `image/rgba/unorm_int8/4x2:zeros:32`. ORDER and TYPE are OpenCL's names without their beginnings, in lower case; SIZE counts what
//! the parameter's type has: pixels of a row, rows, slices, elements. `/N` behind it makes a mipmap of N levels, whose pixels follow one level
//! after the other. `sampler:WORDS` takes `normalised`, `none`, `clamp_to_edge`,
//! `clamp`, `repeat`, `mirrored_repeat`, `nearest` `linear`, `mip_linear`, and `lod_min=NUMBER`
//! and `lod_max=NUMBER`, with `+` between them.

use oxcl_runtime::{Image, ImageFormat, ImageKind, ImageShape, Mip, Sampler, channel, order};

use crate::value::{Scalar, Value, parse_value};

/// An image's value, its kind not yet known.
#[derive(Debug, Clone)]
pub struct Picture {
    format: ImageFormat,
    size: Vec<u64>,
    levels: u32,
    pixels: Box<Value>,
}

const ORDERS: [(&str, u32); 15] = [
    ("r", order::R),
    ("a", order::A),
    ("rg", order::RG),
    ("ra", order::RA),
    ("rgb", order::RGB),
    ("rgbx", order::RGBX),
    ("rgba", order::RGBA),
    ("bgra", order::BGRA),
    ("argb", order::ARGB),
    ("abgr", order::ABGR),
    ("intensity", order::INTENSITY),
    ("luminance", order::LUMINANCE),
    ("depth", order::DEPTH),
    ("srgba", order::SRGBA),
    ("sbgra", order::SBGRA),
];

const TYPES: [(&str, u32, Scalar); 16] = [
    ("snorm_int8", channel::SNORM_INT8, Scalar::Char),
    ("snorm_int16", channel::SNORM_INT16, Scalar::Short),
    ("unorm_int8", channel::UNORM_INT8, Scalar::Uchar),
    ("unorm_int16", channel::UNORM_INT16, Scalar::Ushort),
    ("unorm_short_565", channel::UNORM_SHORT_565, Scalar::Ushort),
    ("unorm_short_555", channel::UNORM_SHORT_555, Scalar::Ushort),
    ("unorm_int_101010", channel::UNORM_INT_101010, Scalar::Uint),
    ("unorm_int_101010_2", channel::UNORM_INT_101010_2, Scalar::Uint),
    ("signed_int8", channel::SIGNED_INT8, Scalar::Char),
    ("signed_int16", channel::SIGNED_INT16, Scalar::Short),
    ("signed_int32", channel::SIGNED_INT32, Scalar::Int),
    ("unsigned_int8", channel::UNSIGNED_INT8, Scalar::Uchar),
    ("unsigned_int16", channel::UNSIGNED_INT16, Scalar::Ushort),
    ("unsigned_int32", channel::UNSIGNED_INT32, Scalar::Uint),
    ("half_float", channel::HALF_FLOAT, Scalar::Half),
    ("float", channel::FLOAT, Scalar::Float),
];

impl Picture {
    /// Reads what follows `image/`.
    ///
    /// # Errors
    /// It has not the form above.
    pub fn parse(text: &str) -> Result<Self, String> {
        let end = text.find([':', '[']).ok_or("an image needs pixels")?;
        let (head, pixels) = text.split_at(end);
        let mut words = head.split('/');
        let mut word = || words.next().ok_or_else(|| format!("'{head}' is not ORDER/TYPE/SIZE"));
        let (named_order, named_type, size) = (word()?, word()?, word()?);
        let found = ORDERS.iter().find(|(name, _)| *name == named_order);
        let (_, channel_order) = found.ok_or_else(|| format!("'{named_order}' is no order of channels"))?;
        let found = TYPES.iter().find(|(name, ..)| *name == named_type);
        let (_, channel_type, _) = found.ok_or_else(|| format!("'{named_type}' is no type of channels"))?;
        let number = |text: &str| text.parse().map_err(|_| format!("'{text}' is not a size"));
        let size = size.split('x').map(number).collect::<Result<Vec<u64>, String>>()?;
        let levels = match words.next() {
            Some(levels) => levels.parse().map_err(|_| format!("'{levels}' is not a number of levels"))?,
            None => 0,
        };
        let pixels = Box::new(parse_value(pixels.strip_prefix(':').unwrap_or(pixels))?);
        let format = ImageFormat { channel_order: *channel_order, channel_type: *channel_type };
        Ok(Self { format, size, levels, pixels })
    }

    /// The image for a parameter of a type, and the type of its numbers.
    ///
    /// # Errors
    /// The parameter takes no image, or the sizes are not those of its type.
    pub fn image(&self, type_name: &str) -> Result<(Scalar, Image), String> {
        let kind = ImageKind::ALL
            .into_iter()
            .find(|kind| [false, true].iter().any(|is_depth| kind.type_name(*is_depth) == type_name));
        let kind = kind.ok_or_else(|| format!("a parameter of type {type_name} takes no image"))?;
        let counts = kind.dimensions() + usize::from(kind.is_array());
        if self.size.len() != counts {
            return Err(format!("{type_name} has {counts} sizes, {} are given", self.size.len()));
        }
        let size = std::array::from_fn(|d| if d < kind.dimensions() { self.size[d] } else { 1 });
        let array_size = if kind.is_array() { self.size[counts - 1] } else { 1 };
        let &Self { format, levels, .. } = self;
        let shape = ImageShape { kind, format, size, array_size, row_pitch: 0, slice_pitch: 0, levels };
        let image = Image::new(&shape).map_err(|error| error.to_string())?;
        let scalar = TYPES.iter().find(|(_, known, _)| *known == self.format.channel_type);
        let scalar = scalar.map_or(Scalar::Uchar, |(.., scalar)| *scalar);
        let (_, bytes) = crate::value::to_bytes(&self.pixels, Some(scalar))?;
        if bytes.len() as u64 != image.buffer().size() {
            return Err(format!("the image has {} bytes, {} are given", image.buffer().size(), bytes.len()));
        }
        image.buffer().write(0, &bytes).map_err(|error| error.to_string())?;
        Ok((scalar, image))
    }
}

/// Reads the words of a sampler: those of workloads, and those on mipmaps.
///
/// # Errors
/// The word that says nothing of a sampler.
pub fn sampler(words: &str) -> Result<Sampler, String> {
    let mut mip = Mip::default();
    let mut others = Vec::new();
    for word in words.split('+') {
        let number = |text: &str| text.parse().map(f32::to_bits).map_err(|_| word.to_owned());
        match word.split_once('=') {
            Some(("lod_min", limit)) => mip.lowest = number(limit)?,
            Some(("lod_max", limit)) => mip.highest = number(limit)?,
            None if word == "mip_linear" => mip.linear = true,
            _ => others.push(word),
        }
    }
    Ok(Sampler { mip, ..oxcl_workload::data::image::sampler(&others.join("+"))? })
}
