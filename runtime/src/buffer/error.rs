//! What can be wrong with a buffer or with a command's bytes.

use oxcl_driver::fault::OutOfResources;

use crate::error::{Coded, ErrorCode};

/// A buffer cannot be had, or a command names bytes that it does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BufferError {
    /// A buffer has at least one byte.
    #[error("a buffer of no bytes cannot be made")]
    ZeroSize,
    /// No memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfResources),
    /// An alignment is no power of two.
    #[error("an alignment of {0} bytes is no power of two")]
    Alignment(u64),
    /// An address that belongs to no shared memory.
    #[error("no shared memory contains the {bytes} bytes at address {address:#x}")]
    NotShared {
        /// First address.
        address: u64,
        /// Number of bytes.
        bytes: u64,
    },
    /// Two ranges of shared memory, which a command copies between, overlap.
    #[error("the {bytes} bytes at {from:#x} and those at {to:#x} overlap")]
    OverlapAt {
        /// First address of the source.
        from: u64,
        /// First address of the destination.
        to: u64,
        /// Number of bytes.
        bytes: u64,
    },
    /// The device that has the content did not give it back.
    #[error("the buffer's content cannot be brought back from its device: {0}")]
    Lost(std::sync::Arc<oxcl_driver::Failure>),
    /// A command reaches past the buffer's end.
    #[error("bytes {offset} to {} do not exist in a buffer of {size} bytes", offset.saturating_add(*bytes))]
    OutOfRange {
        /// First byte of the command.
        offset: u64,
        /// Number of bytes of the command.
        bytes: u64,
        /// Size of the buffer.
        size: u64,
    },
    /// Source and destination of a copy overlap.
    #[error("source bytes from {from} and destination bytes from {to} overlap: a copy of {bytes} bytes")]
    Overlap {
        /// First byte of the source.
        from: u64,
        /// First byte of the destination.
        to: u64,
        /// Number of bytes.
        bytes: u64,
    },
    /// A pattern has a size that is not allowed.
    #[error("a fill pattern has 1, 2, 4, 8, 16, 32, 64 or 128 bytes, not {0}")]
    PatternSize(usize),
    /// A rectangle without bytes.
    #[error("a region of {}x{}x{} has no bytes", size[0], size[1], size[2])]
    EmptyRegion {
        /// Bytes, rows, slices.
        size: [u64; 3],
    },
    /// A rectangle's pitches do not hold it.
    #[error(
        "a region of {}x{}x{} bytes does not fit a row pitch of {} and a slice pitch of {} bytes",
        size[0], size[1], size[2], pitch[0], pitch[1]
    )]
    Pitch {
        /// Bytes, rows, slices.
        size: [u64; 3],
        /// Row pitch and slice pitch.
        pitch: [u64; 2],
    },
    /// A fill does not begin or end at a multiple of its pattern.
    #[error("a fill from byte {offset} over {bytes} bytes is no whole number of {pattern}-byte patterns")]
    Unaligned {
        /// First byte of the fill.
        offset: u64,
        /// Number of bytes.
        bytes: u64,
        /// Size of the pattern.
        pattern: usize,
    },
}

impl Coded for BufferError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::ZeroSize => ErrorCode("OX0520"),
            Self::OutOfMemory(error) => error.code(),
            Self::OutOfRange { .. } => ErrorCode("OX0521"),
            Self::Overlap { .. } | Self::OverlapAt { .. } => ErrorCode("OX0522"),
            Self::PatternSize(_) => ErrorCode("OX0523"),
            Self::Unaligned { .. } => ErrorCode("OX0524"),
            Self::EmptyRegion { .. } => ErrorCode("OX0525"),
            Self::Pitch { .. } => ErrorCode("OX0526"),
            Self::Alignment(_) => ErrorCode("OX0527"),
            Self::NotShared { .. } => ErrorCode("OX0529"),
            Self::Lost(_) => ErrorCode("OX0516"),
        }
    }
}
