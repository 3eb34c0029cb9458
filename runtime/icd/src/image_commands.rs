//! Commands that read, write, copy, fill and map images.

use crate::args::{In, Memory, Out};
use crate::cl;
use crate::command::wait_list;
use crate::context;
use crate::event::Event;
use crate::handle::{Handle, Shared};
use crate::image::image_of;
use crate::map;
use crate::mem::{Kept, Mem};
use crate::queue::Queue;
use crate::rect::three;
use crate::status::{Answer, Status, ensure};
use crate::transfer::{host_may, object_of, run};
use crate::types::{Bitfield, Uint};
use oxcl_runtime::{Image, ImagePlace, ImageRegion};

/// The queue and the image of a command: CL_INVALID_OPERATION if the queue's device has no images (5.3.3 to 5.3.7).
fn both(queue: Handle<Queue>, object: Handle<Mem>) -> Answer<(Shared<Queue>, Shared<Mem>)> {
    let (queue, object) = object_of(queue, object)?;
    image_of(&object)?;
    ensure(queue.device.whole().info.has_images, cl::INVALID_OPERATION)?;
    Ok((queue, object))
}

/// Pitches of the host's memory. Images without slices have none between them, whatever is given.
fn pitches(image: &Image, row: usize, slice: usize) -> [u64; 2] {
    [row as u64, if has_slices(image) { slice as u64 } else { 0 }]
}

fn has_slices(image: &Image) -> bool {
    image.description().kind.has_slices()
}

/// Pixels that a command names: CL_INVALID_VALUE where origin or region are NULL (5.3.3).
fn region(image: &Image, origin: In<usize>, size: In<usize>) -> Answer<ImageRegion> {
    Ok(place(image, origin)?.region(three(size)?))
}

/// Where pixels begin that a command names: CL_INVALID_VALUE where origin is NULL (5.3.3). The number behind an image's coordinates is the
/// level of its mipmap, if it has one, and the fourth for volumes and arrays of planes (cl_khr_mipmap_image, additions to 5.3);
/// CL_INVALID_MIP_LEVEL where no level can have it.
fn place(image: &Image, origin: In<usize>) -> Answer<ImagePlace> {
    let description = image.description();
    if description.level_count() == 1 {
        return Ok(ImagePlace { origin: three(origin)?, level: 0 });
    }
    let kind = description.kind;
    let coordinates = kind.dimensions() + usize::from(kind.is_array());
    let numbers = origin.take(coordinates.max(2) + 1).ok_or(Status(cl::INVALID_VALUE))?;
    let at = |d: usize| if d == coordinates { 0 } else { numbers[d] as u64 };
    let level = Uint::try_from(numbers[coordinates]).map_err(|_| Status(cl::INVALID_MIP_LEVEL))?;
    Ok(ImagePlace { origin: std::array::from_fn(at), level })
}

/// `clEnqueueReadImage`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn read(
    queue: Handle<Queue>,
    object: Handle<Mem>,
    blocking: Uint,
    origin: In<usize>,
    size: In<usize>,
    row: usize,
    slice: usize,
    host: Memory,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let (queue, object) = both(queue, object)?;
    let image = image_of(&object)?;
    host_may(&object, cl::MEM_HOST_WRITE_ONLY)?;
    let waits = wait_list(&queue.context, waits, list)?;
    // CL_INVALID_VALUE if ptr is NULL, the region is not in the image, or pitches are too small (5.3.3).
    ensure(!host.is_null(), cl::INVALID_VALUE)?;
    let (region, pitch) = (region(image, origin, size)?, pitches(image, row, slice));
    // SAFETY: the application keeps the memory and leaves it alone until the command has ended (5.3.3).
    let enqueue = || unsafe { queue.runtime.read_image_to(image, &region, host.0.cast(), pitch, &waits) };
    run(&queue, cl::COMMAND_READ_IMAGE, blocking != 0, &[&object], enqueue, event)
}

/// `clEnqueueWriteImage`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn write(
    queue: Handle<Queue>,
    object: Handle<Mem>,
    blocking: Uint,
    origin: In<usize>,
    size: In<usize>,
    row: usize,
    slice: usize,
    host: Memory,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let (queue, object) = both(queue, object)?;
    let image = image_of(&object)?;
    host_may(&object, cl::MEM_HOST_READ_ONLY)?;
    let waits = wait_list(&queue.context, waits, list)?;
    // CL_INVALID_VALUE if ptr is NULL, the region is not in the image, or pitches are too small (5.3.3).
    ensure(!host.is_null(), cl::INVALID_VALUE)?;
    let (region, pitch) = (region(image, origin, size)?, pitches(image, row, slice));
    // SAFETY: the application keeps the memory and leaves it alone until the command has ended (5.3.3).
    let enqueue = || unsafe { queue.runtime.write_image_from(image, &region, host.0.cast(), pitch, &waits) };
    run(&queue, cl::COMMAND_WRITE_IMAGE, blocking != 0, &[&object], enqueue, event)
}

/// `clEnqueueCopyImage`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn copy(
    queue: Handle<Queue>,
    from: Handle<Mem>,
    to: Handle<Mem>,
    from_origin: In<usize>,
    to_origin: In<usize>,
    size: In<usize>,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let (queue, from) = both(queue, from)?;
    let to = to.get()?;
    context::same(&queue.context, &to.context)?;
    let (source, target) = (image_of(&from)?, image_of(&to)?);
    let waits = wait_list(&queue.context, waits, list)?;
    // CL_INVALID_VALUE if a region is not in its image; CL_IMAGE_FORMAT_MISMATCH, CL_MEM_COPY_OVERLAP (5.3.4).
    let (from_place, to_place) = (place(source, from_origin)?, place(target, to_origin)?);
    let size = three(size)?;
    let enqueue = || queue.runtime.copy_image(source, target, from_place, to_place, size, &waits);
    run(&queue, cl::COMMAND_COPY_IMAGE, false, &[&from, &to], enqueue, event)
}

/// `clEnqueueCopyImageToBuffer`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn copy_to_buffer(
    queue: Handle<Queue>,
    from: Handle<Mem>,
    to: Handle<Mem>,
    origin: In<usize>,
    size: In<usize>,
    offset: usize,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let (queue, from) = both(queue, from)?;
    let to = to.get()?;
    context::same(&queue.context, &to.context)?;
    // CL_INVALID_MEM_OBJECT if the destination is no buffer; CL_INVALID_VALUE if the region is not in the image or its bytes
    // not in the buffer (5.3.5).
    ensure(to.image.is_none(), cl::INVALID_MEM_OBJECT)?;
    let waits = wait_list(&queue.context, waits, list)?;
    let source = image_of(&from)?;
    let region = region(source, origin, size)?;
    let enqueue = || queue.runtime.copy_image_to_buffer(source, &region, &to.buffer, offset as u64, &waits);
    run(&queue, cl::COMMAND_COPY_IMAGE_TO_BUFFER, false, &[&from, &to], enqueue, event)
}

/// `clEnqueueCopyBufferToImage`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn copy_from_buffer(
    queue: Handle<Queue>,
    from: Handle<Mem>,
    to: Handle<Mem>,
    offset: usize,
    origin: In<usize>,
    size: In<usize>,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let (queue, to) = both(queue, to)?;
    let from = from.get()?;
    context::same(&queue.context, &from.context)?;
    // CL_INVALID_MEM_OBJECT if the source is no buffer; CL_INVALID_VALUE if the region is not in the image or its bytes not in
    // the buffer (5.3.5).
    ensure(from.image.is_none(), cl::INVALID_MEM_OBJECT)?;
    let waits = wait_list(&queue.context, waits, list)?;
    let target = image_of(&to)?;
    let region = region(target, origin, size)?;
    let enqueue = || queue.runtime.copy_buffer_to_image(&from.buffer, offset as u64, target, &region, &waits);
    run(&queue, cl::COMMAND_COPY_BUFFER_TO_IMAGE, false, &[&from, &to], enqueue, event)
}

/// `clEnqueueFillImage`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn fill(
    queue: Handle<Queue>,
    object: Handle<Mem>,
    colour: Memory,
    origin: In<usize>,
    size: In<usize>,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let (queue, object) = both(queue, object)?;
    let image = image_of(&object)?;
    let waits = wait_list(&queue.context, waits, list)?;
    // CL_INVALID_VALUE if fill_color is NULL, or the region is not in the image (5.3.3). A depth is one number.
    let count = if image.is_depth() { 1 } else { 4 };
    let bytes = colour.copy(4 * count).ok_or(Status(cl::INVALID_VALUE))?;
    let mut channels = [0_u32; 4];
    for (channel, bytes) in channels.iter_mut().zip(bytes.chunks_exact(4)) {
        *channel = u32::from_ne_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    let region = region(image, origin, size)?;
    let enqueue = || queue.runtime.fill_image(image, channels, &region, &waits);
    run(&queue, cl::COMMAND_FILL_IMAGE, false, &[&object], enqueue, event)
}

/// `clEnqueueMapImage`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn map(
    queue: Handle<Queue>,
    object: Handle<Mem>,
    blocking: Uint,
    flags: Bitfield,
    origin: In<usize>,
    size: In<usize>,
    row: Out<usize>,
    slice: Out<usize>,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer<Memory> {
    let (queue, object) = both(queue, object)?;
    let image = image_of(&object)?;
    let access = map::access_to(&object, flags)?;
    let waits = wait_list(&queue.context, waits, list)?;
    let region = region(image, origin, size)?;
    // CL_INVALID_VALUE if there is no place for a pitch that the image has, or the region is not in the image (5.3.6).
    ensure(!row.is_null() && (!slice.is_null() || !has_slices(image)), cl::INVALID_VALUE)?;
    let kept = Kept::prepare(std::iter::once(&object))?;
    let mapping = queue.runtime.map_image(image, access, &region, &waits);
    let mapped = map::begin(&queue, (&object, kept), cl::COMMAND_MAP_IMAGE, blocking != 0, mapping, event)?;
    // Those of the level that is mapped.
    let (_, level) = image.description().level(region.level);
    row.set(level.row_pitch as usize);
    slice.set(if has_slices(image) { level.slice_pitch as usize } else { 0 });
    Ok(mapped)
}
