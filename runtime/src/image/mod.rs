//! Images: memory in rows with a format and a shape, so that everything that holds for buffers holds for images, on every device.
//!
//! Sizes, pitches and regions are checked here, by the rules that the specification gives; commands on images become rectangles
//! of bytes (`queue/images.rs`).

use oxcl_driver::HostSpan;
use oxcl_driver::image::{ImageDescription, ImageFormat, ImageKind, order};
use oxcl_driver::rect::RectSide;
use oxcl_scheduler::{Access, BANDS, Touch};

use crate::buffer::Buffer;

mod colour;
mod error;

pub use error::ImageError;

/// Most pixels of a row and rows of a plane: `CL_DEVICE_IMAGE2D_MAX_WIDTH` and the like.
pub const MAX_PLANE: u64 = 16384;
/// Most pixels in any direction of a volume.
pub const MAX_VOLUME: u64 = 2048;
/// Most elements of an array.
pub const MAX_ELEMENTS: u64 = 2048;
/// Most levels of a mipmap: those of the largest image. A level behind one of a single pixel has a single pixel too.
pub const MAX_LEVELS: u32 = MAX_PLANE.ilog2() + 1;
/// Most pixels of an image that is a buffer's content.
pub const MAX_IN_BUFFER: u64 = 1 << 27;

/// What an image is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageShape {
    /// What it is addressed by.
    pub kind: ImageKind,
    /// Its format.
    pub format: ImageFormat,
    /// Width, height, depth. What the image does not have is not looked at.
    pub size: [u64; 3],
    /// Elements of an array image; others have one.
    pub array_size: u64,
    /// Bytes from row to row; 0: as few as can be.
    pub row_pitch: u64,
    /// Bytes from slice to slice, or from element to element; 0: as few as can be.
    pub slice_pitch: u64,
    /// Levels of its mipmap (`cl_khr_mipmap_image`); 0 and 1: it has none.
    pub levels: u32,
}

impl ImageShape {
    /// A plane of pixels, one row behind the other.
    #[must_use]
    pub fn plane(format: ImageFormat, width: u64, height: u64) -> Self {
        let size = [width, height, 1];
        Self {
            kind: ImageKind::Image2d,
            format,
            size,
            array_size: 1,
            row_pitch: 0,
            slice_pitch: 0,
            levels: 0,
        }
    }

    /// The shape with everything that follows from it.
    ///
    /// # Errors
    /// It is none that an image can have.
    pub fn describe(&self) -> Result<ImageDescription, ImageError> {
        let Self { kind, format, .. } = *self;
        // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if the values of the format are not valid.
        let element_size = format.element_size().ok_or(ImageError::Format { format })?;
        let limits = match kind {
            ImageKind::Image3d => [MAX_VOLUME; 3],
            ImageKind::Image1dBuffer => [MAX_IN_BUFFER, 1, 1],
            _ => [MAX_PLANE, MAX_PLANE, 1],
        };
        let has = |d: usize| d < kind.dimensions();
        let size: [u64; 3] = std::array::from_fn(|d| if has(d) { self.size[d] } else { 1 });
        let array_size = if kind.is_array() { self.array_size } else { 1 };
        // CL_INVALID_IMAGE_SIZE if a size is 0 or more than the device has.
        let fits = (0..3).all(|d| size[d] > 0 && size[d] <= limits[d])
            && array_size > 0
            && array_size <= MAX_ELEMENTS;
        if !fits {
            return Err(ImageError::Size { size, array_size });
        }
        let row_bytes = size[0] * element_size;
        let row_pitch = if self.row_pitch == 0 { row_bytes } else { self.row_pitch };
        // CL_INVALID_IMAGE_DESCRIPTOR if a row pitch is less than a row, or no multiple of a pixel.
        let pitches =
            ImageError::Pitch { row: self.row_pitch, slice: self.slice_pitch, row_bytes, rows: size[1] };
        if row_pitch < row_bytes || !row_pitch.is_multiple_of(element_size) {
            return Err(pitches);
        }
        let plane = row_pitch.checked_mul(size[1]).ok_or(pitches.clone())?;
        let slice_pitch = if self.slice_pitch == 0 || !kind.has_slices() { plane } else { self.slice_pitch };
        // CL_INVALID_IMAGE_DESCRIPTOR if a slice pitch is less than the rows of a slice, or no multiple of the row pitch.
        if slice_pitch < plane || !slice_pitch.is_multiple_of(row_pitch) {
            return Err(pitches);
        }
        // CL_INVALID_IMAGE_DESCRIPTOR if the number of levels is not valid: images of a buffer's content have no mipmap, and behind
        // the rows of one that is packed the next level begins. Depth images may have one: the extension's restrictions say that they
        // cannot, but it has functions for it, and Khronos' tests make such images.
        let has_mipmap = self.levels > 1;
        let packed = row_pitch == row_bytes && slice_pitch == plane;
        let can_have = kind != ImageKind::Image1dBuffer && packed;
        if self.levels > MAX_LEVELS || (has_mipmap && !can_have) {
            return Err(ImageError::Levels { levels: self.levels });
        }
        let slices = size[2] * array_size;
        // CL_INVALID_IMAGE_SIZE: kernels have 32 bits for pitches.
        let addressed =
            u32::try_from(row_pitch).is_ok() && (slices == 1 || u32::try_from(slice_pitch).is_ok());
        if !addressed {
            return Err(ImageError::Size { size, array_size });
        }
        let levels = self.levels;
        Ok(ImageDescription { kind, format, size, array_size, element_size, row_pitch, slice_pitch, levels })
    }
}

/// An image. Clones are the same.
#[derive(Debug, Clone)]
pub struct Image {
    buffer: Buffer,
    description: ImageDescription,
}

/// Pixels of an image: where they begin, and how many there are, in each direction. For images of one dimension the second
/// number of an array is the element, for planes the third is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageRegion {
    /// The first pixel.
    pub origin: [u64; 3],
    /// Pixels.
    pub size: [u64; 3],
    /// The level of the mipmap that they are of; 0 is the image itself.
    pub level: u32,
}

/// Where pixels of an image begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImagePlace {
    /// The first pixel.
    pub origin: [u64; 3],
    /// The level of the mipmap that it is of; 0 is the image itself.
    pub level: u32,
}

impl ImagePlace {
    /// The region of so many pixels from here on.
    #[must_use]
    pub fn region(self, size: [u64; 3]) -> ImageRegion {
        ImageRegion { origin: self.origin, size, level: self.level }
    }
}

impl ImageRegion {
    /// Where it begins.
    #[must_use]
    pub fn place(&self) -> ImagePlace {
        ImagePlace { origin: self.origin, level: self.level }
    }
}

/// A side of a command that moves pixels: bytes in rows and slices.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side {
    pub(crate) at: RectSide,
    /// Past the last byte.
    pub(crate) end: u64,
}

impl Side {
    /// The side of `size` bytes, rows and slices.
    pub(crate) fn new(at: RectSide, size: [u64; 3]) -> Option<Self> {
        let rows = (size[1] - 1).checked_mul(at.row_pitch)?;
        let slices = (size[2] - 1).checked_mul(at.slice_pitch)?;
        let end = at.offset.checked_add(slices)?.checked_add(rows)?.checked_add(size[0])?;
        Some(Self { at, end })
    }

    /// What is done to `size` bytes, rows and slices of a buffer: all between the first and the last byte, but only in the columns that the
    /// rows are in where others could be beside them.
    pub(crate) fn touch(&self, buffer: &Buffer, size: [u64; 3], access: Access) -> Touch {
        let RectSide { offset, row_pitch, slice_pitch } = self.at;
        let [bytes, rows, slices] = size;
        let whole = buffer.touch(offset, self.end - offset, access);
        // A row by itself has others beside it only where there are some in columns.
        let is_one = rows == 1 && slices == 1;
        if bytes >= row_pitch || (slices > 1 && !slice_pitch.is_multiple_of(row_pitch)) {
            return whole;
        }
        let first = offset % row_pitch;
        if first + bytes > row_pitch || !buffer.storage().has_columns(row_pitch, buffer.origin(), !is_one) {
            return whole;
        }
        let band = |column: u64| u128::from(column) * u128::from(BANDS) / u128::from(row_pitch);
        let (low, high) = (band(first), band(first + bytes - 1));
        let bands = (low..=high).fold(0, |bands, band| bands | 1 << band);
        Touch { bands, ..whole }
    }
}

impl Image {
    /// The image that an argument of a launch is.
    pub(crate) fn given(buffer: &Buffer, description: &ImageDescription) -> Self {
        Self { buffer: buffer.clone(), description: *description }
    }

    /// What is done to a region; all of the image where it does not lie in it.
    pub(crate) fn touch(&self, region: &ImageRegion, access: Access) -> Touch {
        match self.side(region) {
            Ok(side) => side.touch(&self.buffer, self.bytes_of(region.size), access),
            Err(_) => self.buffer.touch(0, self.buffer.size(), access),
        }
    }

    /// An image of pixels that are all 0.
    ///
    /// # Errors
    /// The shape is none that an image can have, or no memory can have it.
    pub fn new(shape: &ImageShape) -> Result<Self, ImageError> {
        let description = shape.describe()?;
        Ok(Self { buffer: Buffer::zeroed(description.bytes_of_all())?, description })
    }

    /// An image over memory of the host program.
    ///
    /// # Errors
    /// As for [`Self::new`], and where the memory is too small.
    ///
    /// # Safety
    /// As for [`Buffer::over`].
    pub unsafe fn over(span: HostSpan, shape: &ImageShape) -> Result<Self, ImageError> {
        let description = shape.describe()?;
        // SAFETY: the caller's promise.
        let buffer = unsafe { Buffer::over(span) }?;
        Self::within(&buffer, description)
    }

    /// An image whose pixels are a buffer's content.
    ///
    /// # Errors
    /// The shape is none that an image can have, or the buffer is too small for it.
    pub fn in_buffer(buffer: &Buffer, shape: &ImageShape) -> Result<Self, ImageError> {
        Self::within(buffer, shape.describe()?)
    }

    /// The same pixels with another order of channels, as many and as large.
    ///
    /// # Errors
    /// The format has pixels of another size.
    pub fn with_format(&self, format: ImageFormat) -> Result<Self, ImageError> {
        let description = ImageDescription { format, ..self.description };
        // CL_INVALID_IMAGE_FORMAT_DESCRIPTOR if the formats are not compatible.
        if format.element_size() != Some(description.element_size) {
            return Err(ImageError::Format { format });
        }
        Ok(Self { buffer: self.buffer.clone(), description })
    }

    fn within(buffer: &Buffer, description: ImageDescription) -> Result<Self, ImageError> {
        // CL_INVALID_IMAGE_SIZE if the buffer is smaller than the image's rows.
        let needed = description.bytes_of_all();
        if needed > buffer.size() {
            return Err(ImageError::BufferTooSmall { needed, bytes: buffer.size() });
        }
        Ok(Self { buffer: buffer.part(0, needed)?, description })
    }

    /// Format, sizes and pitches.
    #[must_use]
    pub fn description(&self) -> &ImageDescription {
        &self.description
    }

    /// Its memory.
    #[must_use]
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Whether it is a depth image, for which kernels have types of their own.
    #[must_use]
    pub fn is_depth(&self) -> bool {
        self.description.format.channel_order == order::DEPTH
    }

    /// All pixels of the image itself: of the first level of a mipmap.
    #[must_use]
    pub fn whole(&self) -> ImageRegion {
        self.whole_level(0)
    }

    /// All pixels of a level of its mipmap.
    #[must_use]
    pub fn whole_level(&self, level: u32) -> ImageRegion {
        let described = self.description.level(level).1;
        let [width, height, depth] = described.size;
        let elements = described.array_size;
        let size = match described.kind {
            ImageKind::Image1d | ImageKind::Image1dBuffer => [width, 1, 1],
            ImageKind::Image1dArray => [width, elements, 1],
            ImageKind::Image2d => [width, height, 1],
            ImageKind::Image2dArray => [width, height, elements],
            ImageKind::Image3d => [width, height, depth],
        };
        ImageRegion { origin: [0; 3], size, level }
    }

    /// The bytes that a colour is in the image's format. `colour` has four channels of 32 bits, as `clEnqueueFillImage` takes
    /// them: floats, or integers where the format has integers; a depth is one float.
    #[must_use]
    pub fn pixel(&self, colour: [u32; 4]) -> Vec<u8> {
        colour::pixel(self.description.format, colour)
    }

    /// Bytes from row to row and from slice to slice of what a region's second and third number count.
    #[must_use]
    pub fn pitches(&self) -> [u64; 2] {
        self.level_pitches(0)
    }

    /// The same in a level of its mipmap.
    #[must_use]
    pub fn level_pitches(&self, level: u32) -> [u64; 2] {
        let ImageDescription { kind, row_pitch, slice_pitch, .. } = self.description.level(level).1;
        // The rows of an array of rows are its elements.
        if kind == ImageKind::Image1dArray { [slice_pitch, slice_pitch] } else { [row_pitch, slice_pitch] }
    }

    /// Whether the region lies in the image.
    ///
    /// # Errors
    /// It is empty, or does not.
    pub fn check(&self, region: &ImageRegion) -> Result<(), ImageError> {
        // CL_INVALID_MIP_LEVEL if the image has no such level.
        let levels = self.description.level_count();
        if region.level >= levels {
            return Err(ImageError::Level { level: region.level, levels });
        }
        let whole = self.whole_level(region.level).size;
        let inside = (0..3).all(|d| {
            let end = region.origin[d].checked_add(region.size[d]);
            region.size[d] > 0 && end.is_some_and(|end| end <= whole[d])
        });
        // CL_INVALID_VALUE if the region is not in the image, or has no pixels.
        if inside { Ok(()) } else { Err(ImageError::Region { region: *region, size: whole }) }
    }

    /// Bytes, rows and slices of a region.
    pub(crate) fn bytes_of(&self, size: [u64; 3]) -> [u64; 3] {
        [size[0] * self.description.element_size, size[1], size[2]]
    }

    /// A region as a side of a command.
    pub(crate) fn side(&self, region: &ImageRegion) -> Result<Side, ImageError> {
        self.check(region)?;
        let (start, _) = self.description.level(region.level);
        let [row_pitch, slice_pitch] = self.level_pitches(region.level);
        let [x, y, z] = region.origin;
        let offset = start + x * self.description.element_size + y * row_pitch + z * slice_pitch;
        let side = Side::new(RectSide { offset, row_pitch, slice_pitch }, self.bytes_of(region.size));
        side.ok_or(ImageError::Region { region: *region, size: self.whole_level(region.level).size })
    }

    /// The host's side of a command on a region, with pitches as its user gives them.
    pub(crate) fn host_side(&self, size: [u64; 3], [row, slice]: [u64; 2]) -> Result<Side, ImageError> {
        let bytes = self.bytes_of(size);
        let row_pitch = if row == 0 { bytes[0] } else { row };
        let pitches = ImageError::Pitch { row, slice, row_bytes: bytes[0], rows: size[1] };
        if row_pitch < bytes[0] {
            return Err(pitches);
        }
        // The rows of an array of rows are its elements: the slice pitch is between them.
        let (row_pitch, least) = if self.description.kind == ImageKind::Image1dArray {
            let pitch = if slice == 0 { row_pitch } else { slice };
            (pitch, row_pitch)
        } else {
            (row_pitch, row_pitch.checked_mul(size[1]).ok_or(pitches.clone())?)
        };
        // CL_INVALID_VALUE if a slice pitch is less than its rows.
        if slice != 0 && slice < least {
            return Err(pitches);
        }
        let slice_pitch = if slice == 0 { row_pitch.saturating_mul(size[1]) } else { slice };
        Side::new(RectSide { offset: 0, row_pitch, slice_pitch }, bytes).ok_or(pitches)
    }
}

#[cfg(test)]
mod tests;
