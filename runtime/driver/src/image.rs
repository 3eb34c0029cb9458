//! Images as drivers see them: a format, a size and an allocation. Filled in by drivers that have
//! [`crate::capability::Features::IMAGES`].

/// Channel order and type with OpenCL's numbers, which the compiler's image code also reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageFormat {
    /// `cl_channel_order`.
    pub channel_order: u32,
    /// `cl_channel_type`.
    pub channel_type: u32,
}

/// An image's shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageDescription {
    /// Its format.
    pub format: ImageFormat,
    /// Bytes of one element.
    pub element_size: u64,
    /// Width, height, depth; 1 where the image has fewer dimensions.
    pub size: [u64; 3],
    /// Elements of an array image; 1 otherwise.
    pub array_size: u64,
    /// Bytes from one row to the next.
    pub row_pitch: u64,
    /// Bytes from one slice or array element to the next.
    pub slice_pitch: u64,
}

/// A sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SamplerDescription {
    /// Coordinates run from 0 to 1.
    pub normalised: bool,
    /// `cl_addressing_mode`.
    pub addressing: u32,
    /// Neighbouring elements are interpolated.
    pub linear: bool,
}
