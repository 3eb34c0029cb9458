//! Images as kernels see them: a format, a shape, and how coordinates find pixels. An image is memory in rows, so
//! drivers with [`crate::capability::Features::IMAGES`] allocate and move it as they do buffers; a kernel's argument is the
//! address of its descriptions, one for each level of a mipmap, which [`ImageDescription::data`] makes once it is known where the
//! pixels are.

use oxcl_binary::abi::ImageData;
use oxcl_binary::known::{FEW_PIXELS, ImageWords};

mod sampler;

pub use sampler::{Addressing, Mip, SamplerDescription};

/// Orders of channels, with OpenCL's numbers (`cl_channel_order`).
pub mod order {
    #![expect(missing_docs, reason = "the specification's names")]
    pub const R: u32 = 0x10b0;
    pub const A: u32 = 0x10b1;
    pub const RG: u32 = 0x10b2;
    pub const RA: u32 = 0x10b3;
    pub const RGB: u32 = 0x10b4;
    pub const RGBA: u32 = 0x10b5;
    pub const BGRA: u32 = 0x10b6;
    pub const ARGB: u32 = 0x10b7;
    pub const INTENSITY: u32 = 0x10b8;
    pub const LUMINANCE: u32 = 0x10b9;
    pub const RX: u32 = 0x10ba;
    pub const RGX: u32 = 0x10bb;
    pub const RGBX: u32 = 0x10bc;
    pub const DEPTH: u32 = 0x10bd;
    pub const SRGB: u32 = 0x10bf;
    pub const SRGBX: u32 = 0x10c0;
    pub const SRGBA: u32 = 0x10c1;
    pub const SBGRA: u32 = 0x10c2;
    pub const ABGR: u32 = 0x10c3;
}

/// Types of channels, with OpenCL's numbers (`cl_channel_type`).
pub mod channel {
    #![expect(missing_docs, reason = "the specification's names")]
    pub const SNORM_INT8: u32 = 0x10d0;
    pub const SNORM_INT16: u32 = 0x10d1;
    pub const UNORM_INT8: u32 = 0x10d2;
    pub const UNORM_INT16: u32 = 0x10d3;
    pub const UNORM_SHORT_565: u32 = 0x10d4;
    pub const UNORM_SHORT_555: u32 = 0x10d5;
    pub const UNORM_INT_101010: u32 = 0x10d6;
    pub const SIGNED_INT8: u32 = 0x10d7;
    pub const SIGNED_INT16: u32 = 0x10d8;
    pub const SIGNED_INT32: u32 = 0x10d9;
    pub const UNSIGNED_INT8: u32 = 0x10da;
    pub const UNSIGNED_INT16: u32 = 0x10db;
    pub const UNSIGNED_INT32: u32 = 0x10dc;
    pub const HALF_FLOAT: u32 = 0x10dd;
    pub const FLOAT: u32 = 0x10de;
    pub const UNORM_INT_101010_2: u32 = 0x10e0;
}

/// Channel order and type with OpenCL's numbers, which the compiler's image code also reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageFormat {
    /// One of [`order`].
    pub channel_order: u32,
    /// One of [`channel`].
    pub channel_type: u32,
}

/// What a kernel does with an image of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageUse {
    /// Reads.
    Read,
    /// Writes, or reads in one kernel and writes in another.
    Write,
    /// Reads and writes in one kernel.
    ReadAndWrite,
}

/// The types that the orders of one, two and four channels have.
const COMMON: [u32; 12] = [
    channel::UNORM_INT8,
    channel::UNORM_INT16,
    channel::SNORM_INT8,
    channel::SNORM_INT16,
    channel::SIGNED_INT8,
    channel::SIGNED_INT16,
    channel::SIGNED_INT32,
    channel::UNSIGNED_INT8,
    channel::UNSIGNED_INT16,
    channel::UNSIGNED_INT32,
    channel::HALF_FLOAT,
    channel::FLOAT,
];

/// Those of grey images.
const GREY: [u32; 6] = [
    channel::UNORM_INT8,
    channel::UNORM_INT16,
    channel::SNORM_INT8,
    channel::SNORM_INT16,
    channel::HALF_FLOAT,
    channel::FLOAT,
];

/// Those of four bytes in another order than red, green, blue, alpha.
const BYTES: [u32; 4] =
    [channel::UNORM_INT8, channel::SNORM_INT8, channel::SIGNED_INT8, channel::UNSIGNED_INT8];

/// Those of three channels in one number.
const PACKED: [u32; 3] = [channel::UNORM_SHORT_565, channel::UNORM_SHORT_555, channel::UNORM_INT_101010];

/// All formats, order by order, with the types of each.
const FORMATS: [(u32, &[u32]); 15] = [
    (order::RGBA, &COMMON),
    (order::RGBA, &[channel::UNORM_INT_101010_2]),
    (order::BGRA, &BYTES),
    (order::R, &COMMON),
    (order::RG, &COMMON),
    (order::DEPTH, &[channel::UNORM_INT16, channel::FLOAT]),
    (order::SRGBA, &[channel::UNORM_INT8]),
    (order::SBGRA, &[channel::UNORM_INT8]),
    (order::A, &COMMON),
    (order::RA, &COMMON),
    (order::INTENSITY, &GREY),
    (order::LUMINANCE, &GREY),
    (order::ARGB, &BYTES),
    (order::ABGR, &BYTES),
    (order::RGB, &PACKED),
];

impl ImageFormat {
    /// All formats that images of a kind can have for a use.
    pub fn all(kind: ImageKind, usage: ImageUse) -> impl Iterator<Item = ImageFormat> {
        let each = FORMATS.iter().flat_map(|(channel_order, types)| {
            let format =
                |channel_type: &u32| Self { channel_order: *channel_order, channel_type: *channel_type };
            types.iter().map(format)
        });
        each.filter(move |format| match format.channel_order {
            order::DEPTH => matches!(kind, ImageKind::Image2d | ImageKind::Image2dArray),
            // Kernels convert from the scale of sRGB, not to it.
            order::SRGBA | order::SBGRA => usage == ImageUse::Read && kind != ImageKind::Image1dBuffer,
            _ => true,
        })
    }

    /// Whether images of a kind can have the format for a use.
    #[must_use]
    pub fn is_supported(self, kind: ImageKind, usage: ImageUse) -> bool {
        Self::all(kind, usage).any(|format| format == self)
    }

    /// Whether all channels are in one number.
    #[must_use]
    pub fn is_packed(self) -> bool {
        PACKED.contains(&self.channel_type) || self.channel_type == channel::UNORM_INT_101010_2
    }

    /// Number of channels in memory: values of the type that a pixel has.
    #[must_use]
    pub fn channels(self) -> u32 {
        match self.channel_order {
            order::RG | order::RA | order::RGX => 2,
            order::RGB | order::RGBX | order::SRGB => 3,
            order::RGBA
            | order::BGRA
            | order::ARGB
            | order::ABGR
            | order::SRGBX
            | order::SRGBA
            | order::SBGRA => 4,
            _ => 1,
        }
    }

    /// Bytes of a pixel; none where the type is not known.
    #[must_use]
    pub fn element_size(self) -> Option<u64> {
        let each = match self.channel_type {
            channel::UNORM_SHORT_565 | channel::UNORM_SHORT_555 => return Some(2),
            channel::UNORM_INT_101010 | channel::UNORM_INT_101010_2 => return Some(4),
            channel::SNORM_INT8 | channel::UNORM_INT8 | channel::SIGNED_INT8 | channel::UNSIGNED_INT8 => 1,
            channel::SNORM_INT16
            | channel::UNORM_INT16
            | channel::SIGNED_INT16
            | channel::UNSIGNED_INT16
            | channel::HALF_FLOAT => 2,
            channel::SIGNED_INT32 | channel::UNSIGNED_INT32 | channel::FLOAT => 4,
            _ => return None,
        };
        Some(each * u64::from(self.channels()))
    }
}

/// What an image is addressed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageKind {
    /// A row.
    Image1d,
    /// A row that is a buffer's content.
    Image1dBuffer,
    /// Rows.
    Image1dArray,
    /// A plane.
    Image2d,
    /// Planes.
    Image2dArray,
    /// A volume.
    Image3d,
}

impl ImageKind {
    /// All of them.
    pub const ALL: [ImageKind; 6] = [
        Self::Image1d,
        Self::Image1dBuffer,
        Self::Image1dArray,
        Self::Image2d,
        Self::Image2dArray,
        Self::Image3d,
    ];

    /// The type of a kernel's parameter that takes images of this kind; depth images have another.
    #[must_use]
    pub fn type_name(self, is_depth: bool) -> &'static str {
        match self {
            Self::Image1d => "image1d_t",
            Self::Image1dBuffer => "image1d_buffer_t",
            Self::Image1dArray => "image1d_array_t",
            Self::Image2d if is_depth => "image2d_depth_t",
            Self::Image2dArray if is_depth => "image2d_array_depth_t",
            Self::Image2d => "image2d_t",
            Self::Image2dArray => "image2d_array_t",
            Self::Image3d => "image3d_t",
        }
    }

    /// The kind that parameters of a type take, and whether they take depth images of it; none where the type has another name,
    /// which a program may give it. Archives have the name alone, or with an access qualifier before it.
    #[must_use]
    pub fn of_type_name(type_name: &str) -> Option<(Self, bool)> {
        let name = type_name.rsplit(' ').next().unwrap_or(type_name);
        let all = Self::ALL.into_iter().flat_map(|kind| [(kind, false), (kind, true)]);
        all.into_iter().find(|(kind, is_depth)| kind.type_name(*is_depth) == name)
    }

    /// Whether it has elements, each an image of its own.
    #[must_use]
    pub fn is_array(self) -> bool {
        matches!(self, Self::Image1dArray | Self::Image2dArray)
    }

    /// Whether it has slices or elements, and so a pitch between them.
    #[must_use]
    pub fn has_slices(self) -> bool {
        self.is_array() || self == Self::Image3d
    }

    /// Number of dimensions of an image or of an array's element.
    #[must_use]
    pub fn dimensions(self) -> usize {
        match self {
            Self::Image1d | Self::Image1dBuffer | Self::Image1dArray => 1,
            Self::Image2d | Self::Image2dArray => 2,
            Self::Image3d => 3,
        }
    }
}

/// An image's shape. Every number fits the 32 bits that kernels have for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageDescription {
    /// What it is addressed by.
    pub kind: ImageKind,
    /// Its format.
    pub format: ImageFormat,
    /// Width, height, depth; 1 where the image has fewer dimensions.
    pub size: [u64; 3],
    /// Elements of an array image; 1 otherwise.
    pub array_size: u64,
    /// Bytes of one pixel.
    pub element_size: u64,
    /// Bytes from one row to the next.
    pub row_pitch: u64,
    /// Bytes from one slice or array element to the next.
    pub slice_pitch: u64,
    /// Levels of its mipmap, as its maker gave them; of 0 and of 1 there is the image alone.
    pub levels: u32,
}

impl ImageDescription {
    /// How many levels there are.
    #[must_use]
    pub fn level_count(&self) -> u32 {
        self.levels.max(1)
    }

    /// A level of the mipmap: what it is as an image, and where its bytes begin. Each has half the pixels of the one before in each
    /// direction, but one at least, and lies behind it, with no bytes between its rows; array elements stay as many. The first one is
    /// the image.
    #[must_use]
    pub fn level(&self, level: u32) -> (u64, Self) {
        let mut start = 0_u64;
        let mut found = *self;
        for _ in 0..level {
            start = start.saturating_add(found.bytes());
            found.size = found.size.map(|size| (size / 2).max(1));
            found.row_pitch = found.size[0] * found.element_size;
            found.slice_pitch = found.row_pitch * found.size[1];
        }
        (start, found)
    }

    /// Bytes of all rows, without those of further levels.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.slice_pitch.saturating_mul(self.size[2] * self.array_size)
    }

    /// Bytes of all levels.
    #[must_use]
    pub fn bytes_of_all(&self) -> u64 {
        let (start, last) = self.level(self.level_count() - 1);
        start.saturating_add(last.bytes())
    }

    /// What of [`Self::data`] says how pixels are read.
    #[must_use]
    pub fn words(&self) -> ImageWords {
        let word = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let channels = if self.format.is_packed() { 1 } else { self.format.channels() };
        ImageWords {
            order: self.format.channel_order,
            channel_type: self.format.channel_type,
            channels,
            element_size: word(self.element_size / u64::from(channels)),
        }
    }

    /// What code is made for of an image: how pixels are read, and whether numbers of 32 bits are enough to say which.
    #[must_use]
    pub fn known_value(&self) -> Option<u64> {
        // Sizes of pixels are powers of two. This is asked at every launch.
        let whole = (self.row_pitch | self.slice_pitch) & self.element_size.wrapping_sub(1) == 0;
        let few = whole && self.bytes_of_all() < 1 << 31;
        Some(self.words().value()? | if few { FEW_PIXELS } else { 0 })
    }

    /// What kernels read, where the pixels are at `data`: a description for each level.
    pub fn data(&self, data: *mut u8) -> impl Iterator<Item = ImageData> {
        (0..self.level_count()).map(move |level| {
            let (start, level) = self.level(level);
            level.of_level(data.wrapping_add(usize::try_from(start).unwrap_or(usize::MAX)))
        })
    }

    /// What kernels read of one level, whose pixels are at `data`. Sizes that the image does not have are 0, as its queries have them.
    fn of_level(&self, data: *mut u8) -> ImageData {
        let word = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let ImageWords { order, channel_type, channels, element_size } = self.words();
        let dimensions = self.kind.dimensions();
        let size = |d: usize| if d < dimensions { word(self.size[d]) } else { 0 };
        ImageData {
            data,
            width: size(0),
            height: size(1),
            depth: size(2),
            array_size: if self.kind.is_array() { word(self.array_size) } else { 0 },
            row_pitch: word(self.row_pitch),
            slice_pitch: word(self.slice_pitch),
            levels: self.levels,
            samples: 0,
            order,
            channel_type,
            channels,
            element_size,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_have_the_sizes_of_their_channels() {
        let size = |channel_order, channel_type| ImageFormat { channel_order, channel_type }.element_size();
        assert_eq!(size(order::RGBA, channel::FLOAT), Some(16));
        assert_eq!(size(order::RA, channel::HALF_FLOAT), Some(4));
        assert_eq!(size(order::RGB, channel::UNORM_SHORT_565), Some(2));
        assert_eq!(size(order::RGBA, channel::UNORM_INT_101010_2), Some(4));
        assert_eq!(size(order::R, 7), None);
        for kind in ImageKind::ALL {
            for format in ImageFormat::all(kind, ImageUse::Read) {
                let bytes = format.element_size().unwrap();
                assert!(bytes.is_power_of_two() && bytes <= 16, "{format:?}");
            }
        }
    }

    #[test]
    fn kernels_are_told_of_elements_and_what_there_is() {
        let describe = |channel_order, channel_type| {
            let format = ImageFormat { channel_order, channel_type };
            let element_size = format.element_size().unwrap();
            let (size, row_pitch, slice_pitch) = ([3, 2, 1], 64, 128);
            ImageDescription {
                kind: ImageKind::Image2d,
                format,
                size,
                array_size: 1,
                element_size,
                row_pitch,
                slice_pitch,
                levels: 0,
            }
        };
        let first = |image: ImageDescription| image.data(std::ptr::null_mut()).next().unwrap();
        let data = first(describe(order::RGBA, channel::UNORM_INT16));
        assert_eq!((data.channels, data.element_size), (4, 2));
        assert_eq!((data.width, data.height, data.depth, data.array_size), (3, 2, 0, 0));
        let packed = first(describe(order::RGB, channel::UNORM_SHORT_565));
        assert_eq!((packed.channels, packed.element_size), (1, 2));
    }

    #[test]
    fn images_of_2_gib_are_not_small() {
        let of = |rows: u64, row_pitch: u64, levels: u32| {
            let image = ImageDescription {
                kind: ImageKind::Image2d,
                format: ImageFormat { channel_order: order::RGBA, channel_type: channel::FLOAT },
                size: [1 << 14, rows, 1],
                array_size: 1,
                element_size: 16,
                row_pitch,
                slice_pitch: rows * row_pitch,
                levels,
            };
            image.known_value().unwrap() & FEW_PIXELS != 0
        };
        assert!(of((1 << 13) - 1, 1 << 18, 0));
        assert!(!of(1 << 13, 1 << 18, 0));
        // With its second level it has too many.
        assert!(of((1 << 13) - 8, 1 << 18, 1));
        assert!(!of((1 << 13) - 8, 1 << 18, 2));
        // A pitch that is no number of pixels.
        assert!(!of(4, (1 << 18) + 8, 0));
    }

    #[test]
    fn depth_and_srgb_are_for_what_kernels_can_do_with_them() {
        let depth = ImageFormat { channel_order: order::DEPTH, channel_type: channel::FLOAT };
        assert!(depth.is_supported(ImageKind::Image2d, ImageUse::ReadAndWrite));
        assert!(!depth.is_supported(ImageKind::Image3d, ImageUse::Read));
        let srgb = ImageFormat { channel_order: order::SRGBA, channel_type: channel::UNORM_INT8 };
        assert!(srgb.is_supported(ImageKind::Image3d, ImageUse::Read));
        assert!(!srgb.is_supported(ImageKind::Image2d, ImageUse::Write));
    }

    #[test]
    fn levels_lie_behind_each_other_and_halve() {
        let format = ImageFormat { channel_order: order::R, channel_type: channel::FLOAT };
        let image = ImageDescription {
            kind: ImageKind::Image2dArray,
            format,
            size: [9, 2, 1],
            array_size: 3,
            element_size: 4,
            row_pitch: 36,
            slice_pitch: 72,
            levels: 4,
        };
        let of = |level| {
            let (start, image) = image.level(level);
            (start, image.size, image.array_size, image.row_pitch, image.slice_pitch)
        };
        assert_eq!(of(0), (0, [9, 2, 1], 3, 36, 72));
        assert_eq!(of(1), (216, [4, 1, 1], 3, 16, 16));
        assert_eq!(of(2), (264, [2, 1, 1], 3, 8, 8));
        assert_eq!(of(3), (288, [1, 1, 1], 3, 4, 4));
        assert_eq!(image.bytes_of_all(), 300);
        let mut pixels = [0_u8; 300];
        let told: Vec<ImageData> = image.data(pixels.as_mut_ptr()).collect();
        assert_eq!(told.len(), 4);
        assert_eq!((told[2].width, told[2].height, told[2].array_size, told[2].levels), (2, 1, 3, 4));
        assert_eq!(told[2].data.addr() - told[0].data.addr(), 264);
        let alone = ImageDescription { levels: 0, ..image };
        assert_eq!((alone.bytes_of_all(), alone.data(pixels.as_mut_ptr()).count()), (216, 1));
    }
}
