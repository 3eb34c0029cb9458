//! Commands that map buffers, and unmap and migrate all memory objects.

use oxcl_runtime::{MapAccess, Mapping, Migration, QueueError};

use crate::args::{In, Memory, Out, list as listed};
use crate::cl;
use crate::command::{conclude, publish, wait_list};
use crate::context;
use crate::event::Event;
use crate::handle::{Handle, Shared};
use crate::mem::{Kept, Mem};
use crate::queue::Queue;
use crate::report;
use crate::shortage;
use crate::status::{Answer, Status, ensure};
use crate::transfer::{both, host_may, object_of, run};
use crate::types::{Bitfield, Uint};

/// What the application does with mapped bytes: CL_INVALID_VALUE if the flags are not valid (5.5.3).
pub(crate) fn access(flags: Bitfield) -> Answer<MapAccess> {
    let known = cl::MAP_READ | cl::MAP_WRITE | cl::MAP_WRITE_INVALIDATE_REGION;
    ensure(flags != 0 && flags & !known == 0, cl::INVALID_VALUE)?;
    // What is overwritten is neither read nor kept.
    let discards = flags & cl::MAP_WRITE_INVALIDATE_REGION != 0;
    ensure(!discards || flags == cl::MAP_WRITE_INVALIDATE_REGION, cl::INVALID_VALUE)?;
    Ok(match flags {
        cl::MAP_READ => MapAccess::Read,
        _ if discards => MapAccess::Discard,
        _ => MapAccess::ReadWrite,
    })
}

/// `clEnqueueMapBuffer`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn map(
    queue: Handle<Queue>,
    object: Handle<Mem>,
    blocking: Uint,
    flags: Bitfield,
    offset: usize,
    size: usize,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer<Memory> {
    let (queue, object) = both(queue, object)?;
    let access = access_to(&object, flags)?;
    let waits = wait_list(&queue.context, waits, list)?;
    // CL_INVALID_VALUE if the size is 0 or the bytes are not in the buffer (5.2.5).
    ensure(size > 0, cl::INVALID_VALUE)?;
    let kept = Kept::prepare(std::iter::once(&object))?;
    let mapping = queue.runtime.map(&object.buffer, access, offset as u64, size as u64, &waits);
    begin(&queue, (&object, kept), cl::COMMAND_MAP_BUFFER, blocking != 0, mapping, event)
}

/// What the application does with mapped bytes: CL_INVALID_OPERATION if the host may not read or write what it maps for that
/// (5.2.5, 5.3.6).
pub(crate) fn access_to(object: &Mem, flags: Bitfield) -> Answer<MapAccess> {
    let access = access(flags)?;
    let reads = if flags & cl::MAP_READ != 0 { cl::MEM_HOST_WRITE_ONLY } else { 0 };
    let writes = if flags & !cl::MAP_READ != 0 { cl::MEM_HOST_READ_ONLY } else { 0 };
    host_may(object, reads | writes)?;
    Ok(access)
}

/// The rest of a command that maps, once it is enqueued.
pub(crate) fn begin(
    queue: &Shared<Queue>,
    (object, kept): (&Shared<Mem>, Kept),
    command: Uint,
    blocking: bool,
    mapping: Result<Mapping, QueueError>,
    event: Out<Handle<Event>>,
) -> Answer<Memory> {
    let mapping = mapping.inspect_err(|error| shortage::refused(&queue.context, error))?;
    let (mapped, done) = (Memory(mapping.pointer().cast()), mapping.event().clone());
    kept.until(&done, std::iter::once(object));
    report::watch(queue, &done);
    let outcome = if blocking { done.wait() } else { Ok(()) };
    // The application gets no pointer from a call that fails, so it could not unmap either.
    publish(queue, command, done, event)?;
    // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if the call blocks and an event that it waits for failed (5.2.5).
    outcome.map_err(|cause| {
        report::tell(&queue.context, Some(queue), &cause);
        Status(cl::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    })?;
    object.mappings().push(mapping);
    Ok(mapped)
}

/// `clEnqueueUnmapMemObject`.
pub(crate) fn unmap(
    queue: Handle<Queue>,
    object: Handle<Mem>,
    mapped: Memory,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let (queue, object) = object_of(queue, object)?;
    let waits = wait_list(&queue.context, waits, list)?;
    let kept = Kept::prepare(std::iter::once(&object))?;
    let mut mappings = object.mappings();
    // CL_INVALID_VALUE if mapped_ptr is not a pointer that mapping this object returned (5.5.4).
    let found = mappings.iter().position(|mapping| mapping.pointer().cast() == mapped.0);
    let mapping = mappings.remove(found.ok_or(Status(cl::INVALID_VALUE))?);
    drop(mappings);
    let enqueued = queue.runtime.unmap(&mapping, &waits);
    match &enqueued {
        Ok(event) => kept.until(event, std::iter::once(&object)),
        Err(_) => object.mappings().push(mapping),
    }
    conclude(&queue, cl::COMMAND_UNMAP_MEM_OBJECT, false, enqueued, event)
}

/// Where migration leads: CL_INVALID_VALUE if the flags are none of those there are (5.5.5).
pub(crate) fn direction(flags: Bitfield) -> Answer<Migration> {
    let known = cl::MIGRATE_MEM_OBJECT_HOST | cl::MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    ensure(flags & !known == 0, cl::INVALID_VALUE)?;
    Ok(match flags {
        _ if flags & cl::MIGRATE_MEM_OBJECT_HOST != 0 => Migration::ToHost,
        cl::MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED => Migration::ToDeviceUndefined,
        _ => Migration::ToDevice,
    })
}

/// `clEnqueueMigrateMemObjects`.
pub(crate) fn migrate(
    queue: Handle<Queue>,
    count: Uint,
    objects: In<Handle<Mem>>,
    flags: Bitfield,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let queue = queue.get()?;
    // CL_INVALID_VALUE if there are no objects (5.5.5).
    let handles = listed(count, objects).filter(|all| !all.is_empty()).ok_or(Status(cl::INVALID_VALUE))?;
    let mut all: Vec<Shared<Mem>> = Vec::with_capacity(handles.len());
    for handle in handles {
        let object = handle.get()?;
        context::same(&queue.context, &object.context)?;
        all.push(object);
    }
    let to = direction(flags)?;
    let waits = wait_list(&queue.context, waits, list)?;
    let buffers: Vec<_> = all.iter().map(|object| object.buffer.clone()).collect();
    let enqueue = || queue.runtime.migrate(&buffers, to, &waits);
    let kept: Vec<&Shared<Mem>> = all.iter().collect();
    run(&queue, cl::COMMAND_MIGRATE_MEM_OBJECTS, false, &kept, enqueue, event)
}
