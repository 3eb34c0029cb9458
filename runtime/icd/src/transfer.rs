//! Commands that read, write, copy and fill buffers.

use crate::args::{In, Memory, Out};
use crate::cl;
use crate::command::{conclude, wait_list};
use crate::context;
use crate::event::Event;
use crate::handle::{Handle, Shared};
use crate::mem::{Kept, Mem};
use crate::queue::Queue;
use crate::status::{Answer, Status, ensure, refuse};
use crate::types::{Bitfield, Uint};

/// The queue and the buffer of a command: CL_INVALID_MEM_OBJECT if the object is no buffer (5.2.2 to 5.2.5).
pub(crate) fn both(queue: Handle<Queue>, object: Handle<Mem>) -> Answer<(Shared<Queue>, Shared<Mem>)> {
    let (queue, object) = object_of(queue, object)?;
    ensure(object.image.is_none(), cl::INVALID_MEM_OBJECT)?;
    Ok((queue, object))
}

/// The queue and the object of a command.
pub(crate) fn object_of(queue: Handle<Queue>, object: Handle<Mem>) -> Answer<(Shared<Queue>, Shared<Mem>)> {
    // CL_INVALID_COMMAND_QUEUE, CL_INVALID_MEM_OBJECT if either is not valid; CL_INVALID_CONTEXT if they are of
    // different contexts (5.2.2 to 5.2.4).
    let (queue, object) = (queue.get()?, object.get()?);
    context::same(&queue.context, &object.context)?;
    Ok((queue, object))
}

/// CL_INVALID_OPERATION if the host may not do that with the buffer (5.2.2).
pub(crate) fn host_may(object: &Mem, forbidden: Bitfield) -> Answer {
    ensure(object.flags & (forbidden | cl::MEM_HOST_NO_ACCESS) == 0, cl::INVALID_OPERATION)
}

/// Enqueues what `enqueue` makes, keeps the objects as long as needed, gives the event, and waits where asked.
pub(crate) fn run(
    queue: &Shared<Queue>,
    command: Uint,
    blocking: bool,
    objects: &[&Shared<Mem>],
    enqueue: impl FnOnce() -> Result<oxcl_runtime::Event, oxcl_runtime::QueueError>,
    event: Out<Handle<Event>>,
) -> Answer {
    let kept = Kept::prepare(objects.iter().copied())?;
    let enqueued = enqueue();
    if let Ok(event) = &enqueued {
        kept.until(event, objects.iter().copied());
    }
    conclude(queue, command, blocking, enqueued, event)
}

/// `clEnqueueReadBuffer`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn read(
    queue: Handle<Queue>,
    object: Handle<Mem>,
    blocking: Uint,
    offset: usize,
    size: usize,
    host: Memory,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let (queue, object) = both(queue, object)?;
    host_may(&object, cl::MEM_HOST_WRITE_ONLY)?;
    let waits = wait_list(&queue.context, waits, list)?;
    // CL_INVALID_VALUE if ptr is NULL, the size is 0, or the bytes are not in the buffer (5.2.2).
    let Some(span) = host.span(size).filter(|_| size > 0) else { return refuse(cl::INVALID_VALUE) };
    // SAFETY: the application keeps the memory and leaves it alone until the command has ended (5.2.2).
    let enqueue = || unsafe { queue.runtime.read_to(&object.buffer, offset as u64, span, &waits) };
    run(&queue, cl::COMMAND_READ_BUFFER, blocking != 0, &[&object], enqueue, event)
}

/// `clEnqueueWriteBuffer`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn write(
    queue: Handle<Queue>,
    object: Handle<Mem>,
    blocking: Uint,
    offset: usize,
    size: usize,
    host: Memory,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let (queue, object) = both(queue, object)?;
    host_may(&object, cl::MEM_HOST_READ_ONLY)?;
    let waits = wait_list(&queue.context, waits, list)?;
    // CL_INVALID_VALUE if ptr is NULL, the size is 0, or the bytes are not in the buffer (5.2.2).
    let Some(span) = host.span(size).filter(|_| size > 0) else { return refuse(cl::INVALID_VALUE) };
    // SAFETY: the application keeps the memory and leaves it alone until the command has ended (5.2.2).
    let enqueue = || unsafe { queue.runtime.write_from(&object.buffer, offset as u64, span, &waits) };
    run(&queue, cl::COMMAND_WRITE_BUFFER, blocking != 0, &[&object], enqueue, event)
}

/// `clEnqueueCopyBuffer`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn copy(
    queue: Handle<Queue>,
    from: Handle<Mem>,
    to: Handle<Mem>,
    from_offset: usize,
    to_offset: usize,
    size: usize,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let (queue, from) = both(queue, from)?;
    let to = to.get()?;
    context::same(&queue.context, &to.context)?;
    ensure(to.image.is_none(), cl::INVALID_MEM_OBJECT)?;
    let waits = wait_list(&queue.context, waits, list)?;
    // CL_INVALID_VALUE if the size is 0 or bytes are not in their buffer, CL_MEM_COPY_OVERLAP if they overlap (5.2.4).
    ensure(size > 0, cl::INVALID_VALUE)?;
    let (at, onto) = (from_offset as u64, to_offset as u64);
    let enqueue = || queue.runtime.copy(&from.buffer, at, &to.buffer, onto, size as u64, &waits);
    run(&queue, cl::COMMAND_COPY_BUFFER, false, &[&from, &to], enqueue, event)
}

/// `clEnqueueFillBuffer`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn fill(
    queue: Handle<Queue>,
    object: Handle<Mem>,
    pattern: Memory,
    pattern_size: usize,
    offset: usize,
    size: usize,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let (queue, object) = both(queue, object)?;
    let waits = wait_list(&queue.context, waits, list)?;
    // CL_INVALID_VALUE if the pattern is NULL or has none of the sizes allowed, if offset or size are no multiples of
    // it, or if the bytes are not in the buffer (5.2.3).
    ensure(pattern_size <= 128, cl::INVALID_VALUE)?;
    let pattern = pattern.copy(pattern_size).ok_or(Status(cl::INVALID_VALUE))?;
    let enqueue = || queue.runtime.fill(&object.buffer, &pattern, offset as u64, size as u64, &waits);
    run(&queue, cl::COMMAND_FILL_BUFFER, false, &[&object], enqueue, event)
}
