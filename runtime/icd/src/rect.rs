//! Commands that read, write and copy rectangles of buffers.

use oxcl_runtime::RectRegion;

use crate::args::{In, Memory, Out};
use crate::cl;
use crate::command::wait_list;
use crate::context;
use crate::event::Event;
use crate::handle::Handle;
use crate::kernel;
use crate::mem::Mem;
use crate::queue::Queue;
use crate::status::{Answer, Status, ensure};
use crate::transfer::{both, host_may, run};
use crate::types::Uint;

/// Three sizes: CL_INVALID_VALUE where they are NULL (5.2.2).
pub(crate) fn three(sizes: In<usize>) -> Answer<[u64; 3]> {
    kernel::sizes(3, sizes).ok_or(Status(cl::INVALID_VALUE))
}

fn region(
    size: In<usize>,
    [from_origin, to_origin]: [In<usize>; 2],
    [from_row, from_slice, to_row, to_slice]: [usize; 4],
) -> Answer<RectRegion> {
    Ok(RectRegion {
        size: three(size)?,
        from_origin: three(from_origin)?,
        from_pitch: [from_row as u64, from_slice as u64],
        to_origin: three(to_origin)?,
        to_pitch: [to_row as u64, to_slice as u64],
    })
}

/// `clEnqueueReadBufferRect`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn read(
    queue: Handle<Queue>,
    object: Handle<Mem>,
    blocking: Uint,
    origin: In<usize>,
    host_origin: In<usize>,
    size: In<usize>,
    row: usize,
    slice: usize,
    host_row: usize,
    host_slice: usize,
    host: Memory,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let (queue, object) = both(queue, object)?;
    host_may(&object, cl::MEM_HOST_WRITE_ONLY)?;
    let waits = wait_list(&queue.context, waits, list)?;
    // CL_INVALID_VALUE if ptr is NULL, the region is empty or not in the buffer, or pitches are too small (5.2.2).
    ensure(!host.is_null(), cl::INVALID_VALUE)?;
    let region = region(size, [origin, host_origin], [row, slice, host_row, host_slice])?;
    // SAFETY: the application keeps the memory and leaves it alone until the command has ended (5.2.2).
    let enqueue = || unsafe { queue.runtime.read_rect_to(&object.buffer, host.0.cast(), &region, &waits) };
    run(&queue, cl::COMMAND_READ_BUFFER_RECT, blocking != 0, &[&object], enqueue, event)
}

/// `clEnqueueWriteBufferRect`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn write(
    queue: Handle<Queue>,
    object: Handle<Mem>,
    blocking: Uint,
    origin: In<usize>,
    host_origin: In<usize>,
    size: In<usize>,
    row: usize,
    slice: usize,
    host_row: usize,
    host_slice: usize,
    host: Memory,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let (queue, object) = both(queue, object)?;
    host_may(&object, cl::MEM_HOST_READ_ONLY)?;
    let waits = wait_list(&queue.context, waits, list)?;
    // CL_INVALID_VALUE if ptr is NULL, the region is empty or not in the buffer, or pitches are too small (5.2.2).
    ensure(!host.is_null(), cl::INVALID_VALUE)?;
    let region = region(size, [host_origin, origin], [host_row, host_slice, row, slice])?;
    // SAFETY: the application keeps the memory and leaves it alone until the command has ended (5.2.2).
    let enqueue = || unsafe { queue.runtime.write_rect_from(&object.buffer, host.0.cast(), &region, &waits) };
    run(&queue, cl::COMMAND_WRITE_BUFFER_RECT, blocking != 0, &[&object], enqueue, event)
}

/// `clEnqueueCopyBufferRect`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn copy(
    queue: Handle<Queue>,
    from: Handle<Mem>,
    to: Handle<Mem>,
    from_origin: In<usize>,
    to_origin: In<usize>,
    size: In<usize>,
    from_row: usize,
    from_slice: usize,
    to_row: usize,
    to_slice: usize,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let (queue, from) = both(queue, from)?;
    let to = to.get()?;
    context::same(&queue.context, &to.context)?;
    ensure(to.image.is_none(), cl::INVALID_MEM_OBJECT)?;
    let waits = wait_list(&queue.context, waits, list)?;
    let region = region(size, [from_origin, to_origin], [from_row, from_slice, to_row, to_slice])?;
    // CL_INVALID_VALUE if both are the same buffer and the pitches differ (5.2.4).
    let same = from.buffer.is_same(&to.buffer);
    ensure(!same || (from_row == to_row && from_slice == to_slice), cl::INVALID_VALUE)?;
    let enqueue = || queue.runtime.copy_rect(&from.buffer, &to.buffer, &region, &waits);
    run(&queue, cl::COMMAND_COPY_BUFFER_RECT, false, &[&from, &to], enqueue, event)
}
