//! What can be wrong with an image or with a command's pixels.

use oxcl_driver::image::ImageFormat;

use super::ImageRegion;
use crate::buffer::BufferError;
use crate::error::{Coded, ErrorCode};

/// An image cannot be had, or a command names pixels that it does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// A format that there is not, or that does not fit.
    #[error(
        "an image cannot have channels of order {:#x} and type {:#x}",
        format.channel_order,
        format.channel_type
    )]
    Format {
        /// The format.
        format: ImageFormat,
    },
    /// A size that is 0 or too large.
    #[error("an image cannot have {}x{}x{} pixels and {array_size} elements", size[0], size[1], size[2])]
    Size {
        /// Width, height, depth.
        size: [u64; 3],
        /// Elements of an array.
        array_size: u64,
    },
    /// Pitches that do not hold the rows.
    #[error(
        "a row pitch of {row} and a slice pitch of {slice} bytes do not hold {rows} rows of {row_bytes} bytes"
    )]
    Pitch {
        /// Bytes from row to row, as given.
        row: u64,
        /// Bytes from slice to slice, as given.
        slice: u64,
        /// Bytes of a row.
        row_bytes: u64,
        /// Rows of a slice.
        rows: u64,
    },
    /// Levels of a mipmap that the image cannot have.
    #[error("an image of this kind and pitches cannot have a mipmap of {levels} levels")]
    Levels {
        /// The levels.
        levels: u32,
    },
    /// A level that an image does not have.
    #[error("an image of {levels} levels has no level {level}")]
    Level {
        /// The level, counted from 0.
        level: u32,
        /// How many there are.
        levels: u32,
    },
    /// A buffer is smaller than the image in it.
    #[error("an image of {needed} bytes does not fit a buffer of {bytes}")]
    BufferTooSmall {
        /// Bytes of the image.
        needed: u64,
        /// Bytes of the buffer.
        bytes: u64,
    },
    /// A region that is empty, or not in the image.
    #[error(
        "the region of {}x{}x{} pixels from {},{},{} on does not lie in an image of {}x{}x{}",
        region.size[0], region.size[1], region.size[2],
        region.origin[0], region.origin[1], region.origin[2],
        size[0], size[1], size[2]
    )]
    Region {
        /// The region.
        region: ImageRegion,
        /// The image's size.
        size: [u64; 3],
    },
    /// Images between which pixels are copied have different formats.
    #[error("pixels are copied between images of one format only")]
    OtherFormat,
    /// A copy within an image overlaps itself.
    #[error("the pixels that are read and those that are written overlap")]
    Overlap,
    /// Its memory.
    #[error(transparent)]
    Buffer(#[from] BufferError),
}

impl Coded for ImageError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Format { .. } => ErrorCode("OX0580"),
            Self::Size { .. } => ErrorCode("OX0581"),
            Self::Pitch { .. } => ErrorCode("OX0582"),
            Self::BufferTooSmall { .. } => ErrorCode("OX0583"),
            Self::Region { .. } => ErrorCode("OX0584"),
            Self::OtherFormat => ErrorCode("OX0585"),
            Self::Overlap => ErrorCode("OX0586"),
            Self::Levels { .. } => ErrorCode("OX0587"),
            Self::Level { .. } => ErrorCode("OX0588"),
            Self::Buffer(error) => error.code(),
        }
    }
}
