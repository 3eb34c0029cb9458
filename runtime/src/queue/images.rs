//! Commands on images: rectangles of bytes in the images' memory.

use std::sync::Arc;

use oxcl_driver::HostSpan;
use oxcl_driver::rect::{Rect, RectSide};
use oxcl_scheduler::transfer::Movement;
use oxcl_scheduler::{Access, Event};

use super::transfers::{Keep, NO_HOST, host_span, source, target};
use super::{MapAccess, Mapping, Queue, QueueError};
use crate::buffer::Buffer;
use crate::image::{Image, ImageError, ImagePlace, ImageRegion, Side};
use crate::residence::Part;
use crate::storage::host_touches;

/// Bytes that a side reads.
fn read_part<'a>(buffer: &'a Buffer, side: &Side) -> Part<'a> {
    source(buffer, side.at.offset, side.end - side.at.offset)
}

/// Bytes that a side writes. Between the rows that stays as it is, so it is not simply overwritten.
fn write_part<'a>(buffer: &'a Buffer, side: &Side) -> Part<'a> {
    Part { access: Access::ReadWrite, ..target(buffer, side.at.offset, side.end - side.at.offset) }
}

fn shifted(side: &Side, origin: u64) -> RectSide {
    RectSide { offset: side.at.offset + origin, ..side.at }
}

/// Whether two regions of one image have a pixel in common.
fn overlap(from: [u64; 3], to: [u64; 3], size: [u64; 3]) -> bool {
    (0..3).all(|d| from[d].abs_diff(to[d]) < size[d])
}

impl Queue {
    /// Enqueues the reading of pixels into memory of the host program, with these pitches there; 0: as small as can be.
    ///
    /// # Errors
    /// The region does not lie in the image, pitches do not hold it, or there is no memory.
    ///
    /// # Safety
    /// The host's side of the region is valid for writing until the command has ended.
    pub unsafe fn read_image_to(
        &self,
        image: &Image,
        region: &ImageRegion,
        host: *mut u8,
        pitch: [u64; 2],
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let (from, to) = (image.side(region)?, image.host_side(region.size, pitch)?);
        let span = host_span(host, to.end)?;
        let touches = host_touches(span, 0, to.end, Access::ReadWrite);
        let size = image.bytes_of(region.size);
        let side = read_part(image.buffer(), &from);
        let touched = vec![from.touch(image.buffer(), size, Access::Read)];
        self.transfer_of(&[side], touched, touches, Keep::Nothing, waits, |at| {
            let (allocation, origin) = at[0].clone();
            let rect = Rect { size, from: shifted(&from, origin), to: to.at };
            Movement::ReadRect { from: allocation, to: span, rect }
        })
    }

    /// Enqueues the writing of pixels from memory of the host program, with these pitches there; 0: as small as can be.
    ///
    /// # Errors
    /// As for [`Self::read_image_to`].
    ///
    /// # Safety
    /// The host's side of the region is valid for reading, and nobody changes it, until the command has ended.
    pub unsafe fn write_image_from(
        &self,
        image: &Image,
        region: &ImageRegion,
        host: *mut u8,
        pitch: [u64; 2],
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let (to, from) = (image.side(region)?, image.host_side(region.size, pitch)?);
        let span = host_span(host, from.end)?;
        let touches = host_touches(span, 0, from.end, Access::Read);
        let size = image.bytes_of(region.size);
        let side = write_part(image.buffer(), &to);
        let touched = vec![to.touch(image.buffer(), size, Access::ReadWrite)];
        self.transfer_of(&[side], touched, touches, Keep::Nothing, waits, |at| {
            let (allocation, origin) = at[0].clone();
            let rect = Rect { size, from: from.at, to: shifted(&to, origin) };
            Movement::WriteRect { to: allocation, from: span, rect }
        })
    }

    /// Enqueues a copy of `size` pixels from one image to another of the same format, or within one, between any levels.
    ///
    /// # Errors
    /// Formats differ, a region does not lie in its image, the regions overlap, or there is no memory.
    pub fn copy_image(
        &self,
        from: &Image,
        to: &Image,
        from_place: ImagePlace,
        to_place: ImagePlace,
        size: [u64; 3],
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        // CL_IMAGE_FORMAT_MISMATCH if the images do not have the same format.
        if from.description().format != to.description().format {
            return Err(ImageError::OtherFormat.into());
        }
        let source = from.side(&from_place.region(size))?;
        let target = to.side(&to_place.region(size))?;
        // CL_MEM_COPY_OVERLAP if both are the same image and the regions overlap.
        let same = from.buffer().is_same(to.buffer()) && from.buffer().origin() == to.buffer().origin();
        if same && from_place.level == to_place.level && overlap(from_place.origin, to_place.origin, size) {
            return Err(ImageError::Overlap.into());
        }
        let size = from.bytes_of(size);
        self.copy_sides([from.buffer(), to.buffer()], [source, target], size, waits)
    }

    /// Enqueues a copy of pixels to a buffer's bytes from `offset` on, one row behind the other.
    ///
    /// # Errors
    /// The region does not lie in the image, the bytes not in the buffer, or there is no memory.
    pub fn copy_image_to_buffer(
        &self,
        from: &Image,
        region: &ImageRegion,
        to: &Buffer,
        offset: u64,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let (source, target) = (from.side(region)?, from.packed(region, to, offset)?);
        let size = from.bytes_of(region.size);
        self.copy_sides([from.buffer(), to], [source, target], size, waits)
    }

    /// Enqueues a copy of a buffer's bytes from `offset` on, one row behind the other, to pixels.
    ///
    /// # Errors
    /// As for [`Self::copy_image_to_buffer`].
    pub fn copy_buffer_to_image(
        &self,
        from: &Buffer,
        offset: u64,
        to: &Image,
        region: &ImageRegion,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let (source, target) = (to.packed(region, from, offset)?, to.side(region)?);
        let size = to.bytes_of(region.size);
        self.copy_sides([from, to.buffer()], [source, target], size, waits)
    }

    fn copy_sides(
        &self,
        [from, to]: [&Buffer; 2],
        [source, target]: [Side; 2],
        size: [u64; 3],
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let parts = [read_part(from, &source), write_part(to, &target)];
        let touched = vec![source.touch(from, size, Access::Read), target.touch(to, size, Access::ReadWrite)];
        self.transfer_of(&parts, touched, NO_HOST, Keep::Nothing, waits, |at| {
            let ((from, from_origin), (to, to_origin)) = (at[0].clone(), at[1].clone());
            let rect = Rect { size, from: shifted(&source, from_origin), to: shifted(&target, to_origin) };
            Movement::CopyRect { from, to, rect }
        })
    }

    /// Enqueues giving pixels a colour ([`Image::pixel`]).
    ///
    /// # Errors
    /// The region does not lie in the image, or there is no memory.
    pub fn fill_image(
        &self,
        image: &Image,
        colour: [u32; 4],
        region: &ImageRegion,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let to = image.side(region)?;
        let size = image.bytes_of(region.size);
        let pixel = image.pixel(colour);
        // One row, which is written again and again.
        let row: Arc<[u8]> = pixel.iter().copied().cycle().take(size[0] as usize).collect();
        let start = std::ptr::NonNull::from(&*row).cast();
        // SAFETY: the bytes live as long as the command, which keeps them, and are only read.
        let from = unsafe { HostSpan::new(start, size[0]) };
        let side = write_part(image.buffer(), &to);
        let touched = vec![to.touch(image.buffer(), size, Access::ReadWrite)];
        self.transfer_of(&[side], touched, NO_HOST, Keep::Data(row), waits, |at| {
            let (allocation, origin) = at[0].clone();
            let same = RectSide { offset: 0, row_pitch: 0, slice_pitch: 0 };
            let rect = Rect { size, from: same, to: shifted(&to, origin) };
            Movement::WriteRect { to: allocation, from, rect }
        })
    }

    /// Enqueues the mapping of pixels for the host, which finds them with the pitches of the image, or of its level.
    ///
    /// # Errors
    /// The region does not lie in the image, or there is no memory.
    pub fn map_image(
        &self,
        image: &Image,
        access: MapAccess,
        region: &ImageRegion,
        waits: &[Event],
    ) -> Result<Mapping, QueueError> {
        let side = image.side(region)?;
        // What is between the rows of a region is kept.
        let access = match access {
            MapAccess::Discard if *region != image.whole_level(region.level) => MapAccess::ReadWrite,
            access => access,
        };
        self.map(image.buffer(), access, side.at.offset, side.end - side.at.offset, waits)
    }
}

impl Image {
    /// A region's pixels in a buffer, one row behind the other.
    fn packed(&self, region: &ImageRegion, buffer: &Buffer, offset: u64) -> Result<Side, QueueError> {
        self.check(region)?;
        let size = self.bytes_of(region.size);
        let wrong = ImageError::Region { region: *region, size: self.whole_level(region.level).size };
        let slice_pitch = size[0].checked_mul(size[1]).ok_or(wrong.clone())?;
        let at = RectSide { offset, row_pitch: size[0], slice_pitch };
        let side = Side::new(at, size).ok_or(wrong)?;
        // CL_INVALID_VALUE if the bytes are not in the buffer.
        buffer.check(offset, side.end - offset)?;
        Ok(side)
    }
}
