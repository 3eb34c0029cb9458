//! Commands on shared virtual memory.

use crate::args::{In, Memory, Out, list as listed};
use crate::cl;
use crate::command::{conclude, wait_list};
use crate::event::Event;
use crate::handle::{Handle, Shared};
use crate::map::{access, direction};
use crate::queue::Queue;
use crate::status::{Answer, Status, ensure};
use crate::svm::FreeNotify;
use crate::types::{Bitfield, Uint, UserData};

use oxcl_runtime::SharedMemory;

/// The queue, whose device shares memory with the host.
pub(crate) fn with_shared_memory(queue: Handle<Queue>) -> Answer<Shared<Queue>> {
    let queue = queue.get()?;
    // CL_INVALID_OPERATION if the device of the queue does not support SVM (5.6.1).
    ensure(queue.device.whole().shares_memory(), cl::INVALID_OPERATION)?;
    Ok(queue)
}

/// `clEnqueueSVMFree`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn free(
    queue: Handle<Queue>,
    count: Uint,
    pointers: In<Memory>,
    notify: FreeNotify,
    data: UserData,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let queue = with_shared_memory(queue)?;
    // CL_INVALID_VALUE if there is a count without pointers or pointers without a count (5.6.1).
    let pointers = listed(count, pointers).ok_or(Status(cl::INVALID_VALUE))?;
    let waits = wait_list(&queue.context, waits, list)?;
    let kept = queue.clone();
    let work = move || {
        match notify {
            Some(call) => {
                let mut pointers = pointers.clone();
                // SAFETY: the application gave the function for this call.
                unsafe { call(kept.handle(), pointers.len() as Uint, pointers.as_mut_ptr(), data) };
            }
            None => pointers.iter().for_each(|pointer| {
                kept.context.release_memory(pointer.0.cast_const().cast());
            }),
        }
        Ok(())
    };
    let enqueued = queue.runtime.call("free shared memory", work, Vec::new(), &waits);
    conclude(&queue, cl::COMMAND_SVM_FREE, false, enqueued, event)
}

/// `clEnqueueSVMMemcpy`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn copy(
    queue: Handle<Queue>,
    blocking: Uint,
    to: Memory,
    from: Memory,
    size: usize,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    copy_as(cl::COMMAND_SVM_MEMCPY, queue, blocking, [to, from], size, waits, list, event)
}

/// A copy under either of its names.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn copy_as(
    command: Uint,
    queue: Handle<Queue>,
    blocking: Uint,
    [to, from]: [Memory; 2],
    size: usize,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let queue = with_shared_memory(queue)?;
    let waits = wait_list(&queue.context, waits, list)?;
    // Nothing to copy is nothing to check (5.6.1, since 3.0).
    if size == 0 {
        return conclude(&queue, command, blocking != 0, queue.runtime.hold(&[], false, &waits), event);
    }
    // CL_INVALID_VALUE if a pointer is NULL, CL_MEM_COPY_OVERLAP if the bytes overlap (5.6.1).
    ensure(!to.is_null() && !from.is_null(), cl::INVALID_VALUE)?;
    let (onto, source) = (to.0.cast(), from.0.cast_const().cast());
    // SAFETY: the application keeps both sides until the command has ended (5.6.1).
    let enqueued = unsafe { queue.runtime.copy_memory(onto, source, size as u64, &waits) };
    conclude(&queue, command, blocking != 0, enqueued, event)
}

/// `clEnqueueSVMMemFill`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn fill(
    queue: Handle<Queue>,
    to: Memory,
    pattern: Memory,
    pattern_size: usize,
    size: usize,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    fill_as(cl::COMMAND_SVM_MEMFILL, queue, to, (pattern, pattern_size), size, waits, list, event)
}

/// A fill under either of its names.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn fill_as(
    command: Uint,
    queue: Handle<Queue>,
    to: Memory,
    (pattern, pattern_size): (Memory, usize),
    size: usize,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let queue = with_shared_memory(queue)?;
    let waits = wait_list(&queue.context, waits, list)?;
    // CL_INVALID_VALUE if a pointer is NULL, the pattern has none of the sizes allowed, or address and size are no
    // multiples of it (5.6.1).
    ensure(!to.is_null() && pattern_size <= 128, cl::INVALID_VALUE)?;
    let pattern = pattern.copy(pattern_size).ok_or(Status(cl::INVALID_VALUE))?;
    // SAFETY: the application keeps the memory until the command has ended (5.6.1).
    let enqueued = unsafe { queue.runtime.fill_memory(to.0.cast(), &pattern, size as u64, &waits) };
    conclude(&queue, command, false, enqueued, event)
}

/// `clEnqueueSVMMap`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn map(
    queue: Handle<Queue>,
    blocking: Uint,
    flags: Bitfield,
    pointer: Memory,
    size: usize,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let queue = with_shared_memory(queue)?;
    let waits = wait_list(&queue.context, waits, list)?;
    // CL_INVALID_VALUE if the pointer is NULL, the size 0, or the flags are not valid (5.6.1).
    ensure(!pointer.is_null() && size > 0, cl::INVALID_VALUE)?;
    let access = access(flags)?;
    let enqueued = if SharedMemory::find(pointer.0.cast_const().cast()).is_some() {
        queue.runtime.map_memory(pointer.0.cast(), size as u64, access, &waits)
    } else {
        // Fine-grained system memory: the command only takes its place.
        queue.runtime.call("map memory", || Ok(()), Vec::new(), &waits)
    };
    conclude(&queue, cl::COMMAND_SVM_MAP, blocking != 0, enqueued, event)
}

/// `clEnqueueSVMUnmap`.
pub(crate) fn unmap(
    queue: Handle<Queue>,
    pointer: Memory,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let queue = with_shared_memory(queue)?;
    let waits = wait_list(&queue.context, waits, list)?;
    // CL_INVALID_VALUE if the pointer is NULL (5.6.1).
    ensure(!pointer.is_null(), cl::INVALID_VALUE)?;
    let enqueued = if SharedMemory::find(pointer.0.cast_const().cast()).is_some() {
        queue.runtime.unmap_memory(pointer.0.cast(), &waits)
    } else {
        queue.runtime.call("unmap memory", || Ok(()), Vec::new(), &waits)
    };
    conclude(&queue, cl::COMMAND_SVM_UNMAP, false, enqueued, event)
}

/// `clEnqueueSVMMigrateMem`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn migrate(
    queue: Handle<Queue>,
    count: Uint,
    pointers: In<Memory>,
    sizes: In<usize>,
    flags: Bitfield,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let queue = with_shared_memory(queue)?;
    // CL_INVALID_VALUE if there are no pointers (5.6.1).
    let pointers = listed(count, pointers).filter(|all| !all.is_empty()).ok_or(Status(cl::INVALID_VALUE))?;
    direction(flags)?;
    let sizes = sizes.take(pointers.len()).unwrap_or_else(|| vec![0; pointers.len()]);
    for (pointer, size) in pointers.iter().zip(sizes) {
        // CL_INVALID_VALUE if bytes are not all of one piece of shared memory (5.6.1).
        let (memory, offset) =
            SharedMemory::find(pointer.0.cast_const().cast()).ok_or(Status(cl::INVALID_VALUE))?;
        ensure(size as u64 <= memory.size() - offset, cl::INVALID_VALUE)?;
    }
    let waits = wait_list(&queue.context, waits, list)?;
    // Host and device share the memory: nothing moves.
    let enqueued = queue.runtime.hold(&[], false, &waits);
    conclude(&queue, cl::COMMAND_SVM_MIGRATE_MEM, false, enqueued, event)
}
