//! Unified shared memory (`cl_intel_unified_shared_memory`). Host and device share everything, so the kinds of it differ
//! in what they are called only.

use oxcl_runtime::{SharedKind, SharedMemory};

use crate::args::{In, Memory, Out};
use crate::cl;
use crate::context::Context;
use crate::device::Device;
use crate::device_info::max_allocation;
use crate::handle::{Handle, Weak};
use crate::info::Reply;
use crate::shortage;
use crate::status::{Answer, Status, ensure, refuse};
use crate::types::{Int, Property, Uint};

/// What is remembered beside the memory itself.
pub(crate) struct Allocation {
    start: usize,
    /// None for memory of the host.
    device: Option<Weak<Device>>,
    flags: Property,
}

fn alloc(
    context: Handle<Context>,
    device: Option<Handle<Device>>,
    kind: SharedKind,
    properties: In<Property>,
    size: usize,
    alignment: Uint,
) -> Answer<Memory> {
    let context = context.get()?;
    let device = match device {
        // Shared memory may be of no device in particular.
        Some(device) if device.is_null() && kind == SharedKind::UsmShared => None,
        Some(device) => {
            let device = device.get()?;
            // CL_INVALID_DEVICE if the device is not of the context.
            ensure(context.has(&device), cl::INVALID_DEVICE)?;
            Some(device.downgrade())
        }
        None => None,
    };
    // CL_INVALID_OPERATION if no device of the context supports it.
    ensure(context.shares_memory(), cl::INVALID_OPERATION)?;
    let mut flags = 0;
    for pair in properties.until(64, 2, |name| *name == 0).chunks_exact(2) {
        // CL_INVALID_PROPERTY if a property is none of those there are.
        ensure(pair[0] == Property::from(cl::MEM_ALLOC_FLAGS_INTEL), cl::INVALID_PROPERTY)?;
        flags = pair[1];
    }
    // CL_INVALID_VALUE if the alignment is no power of two; CL_INVALID_BUFFER_SIZE if the size is 0 or too large.
    ensure(alignment == 0 || alignment.is_power_of_two(), cl::INVALID_VALUE)?;
    ensure(size > 0 && size as u64 <= max_allocation(), cl::INVALID_BUFFER_SIZE)?;
    let memory = SharedMemory::allocate(kind, size as u64, u64::from(alignment))
        .map_err(|error| shortage::refused_buffer(&context, error))
        .map_err(|_| Status(cl::OUT_OF_RESOURCES))?;
    let start = memory.pointer() as usize;
    context.allocations.lock().push(Allocation { start, device, flags });
    Ok(Memory(memory.pointer().cast()))
}

fn report(errcode: Out<Int>, made: Answer<Memory>) -> Answer<Memory> {
    errcode.set(made.as_ref().err().map_or(cl::SUCCESS, |status| status.0));
    made
}

/// `clHostMemAllocINTEL`.
pub(crate) fn alloc_host(
    context: Handle<Context>,
    properties: In<Property>,
    size: usize,
    alignment: Uint,
    errcode: Out<Int>,
) -> Answer<Memory> {
    report(errcode, alloc(context, None, SharedKind::UsmHost, properties, size, alignment))
}

/// `clDeviceMemAllocINTEL`.
pub(crate) fn alloc_device(
    context: Handle<Context>,
    device: Handle<Device>,
    properties: In<Property>,
    size: usize,
    alignment: Uint,
    errcode: Out<Int>,
) -> Answer<Memory> {
    report(errcode, alloc(context, Some(device), SharedKind::UsmDevice, properties, size, alignment))
}

/// `clSharedMemAllocINTEL`.
pub(crate) fn alloc_shared(
    context: Handle<Context>,
    device: Handle<Device>,
    properties: In<Property>,
    size: usize,
    alignment: Uint,
    errcode: Out<Int>,
) -> Answer<Memory> {
    report(errcode, alloc(context, Some(device), SharedKind::UsmShared, properties, size, alignment))
}

/// `clMemFreeINTEL`: NULL is nothing to free.
pub(crate) fn free(context: Handle<Context>, pointer: Memory) -> Answer {
    let context = context.get()?;
    if pointer.is_null() {
        return Ok(());
    }
    // CL_INVALID_VALUE if the pointer is none that the context gave.
    ensure(context.allocations.forget(pointer.address()).is_some(), cl::INVALID_VALUE)?;
    context.release_memory(pointer.0.cast_const().cast());
    Ok(())
}

/// `clMemBlockingFreeINTEL`: after everything that was enqueued in the context.
pub(crate) fn blocking_free(context: Handle<Context>, pointer: Memory) -> Answer {
    for queue in context.get()?.all_queues()? {
        queue.finish()?;
    }
    free(context, pointer)
}

/// `clGetMemAllocInfoINTEL`.
pub(crate) fn get_info(
    context: Handle<Context>,
    pointer: Memory,
    name: Uint,
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
) -> Answer {
    let context = context.get()?;
    let reply = Reply::new(size, value, size_ret);
    let found = SharedMemory::find(pointer.0.cast_const().cast());
    let kind = found.as_ref().map_or(cl::MEM_TYPE_UNKNOWN_INTEL, |(memory, _)| match memory.kind() {
        SharedKind::UsmHost => cl::MEM_TYPE_HOST_INTEL,
        SharedKind::UsmDevice => cl::MEM_TYPE_DEVICE_INTEL,
        SharedKind::UsmShared => cl::MEM_TYPE_SHARED_INTEL,
        _ => cl::MEM_TYPE_UNKNOWN_INTEL,
    });
    let memory = found.map(|(memory, _)| memory).filter(|_| kind != cl::MEM_TYPE_UNKNOWN_INTEL);
    let start = memory.as_ref().map_or(0, |memory| memory.pointer() as usize);
    let known = context.allocations.lock();
    let facts = known.iter().find(|known| known.start == start);
    match name {
        cl::MEM_ALLOC_TYPE_INTEL => reply.value(kind),
        cl::MEM_ALLOC_BASE_PTR_INTEL => reply.value(start),
        cl::MEM_ALLOC_SIZE_INTEL => reply.value(memory.map_or(0, |memory| memory.size() as usize)),
        cl::MEM_ALLOC_DEVICE_INTEL => {
            let device = facts.and_then(|facts| facts.device.as_ref()?.upgrade());
            reply.value(device.map_or(Handle::NULL, |device| device.handle()))
        }
        cl::MEM_ALLOC_FLAGS_INTEL => reply.value(facts.map_or(0, |facts| facts.flags)),
        // CL_INVALID_VALUE if param_name is none of the supported values.
        _ => refuse(cl::INVALID_VALUE),
    }
}

/// The unified shared memory of a context.
#[derive(Default)]
pub(crate) struct Allocations(std::sync::Mutex<Vec<Allocation>>);

impl Allocations {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Allocation>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn forget(&self, start: usize) -> Option<Allocation> {
        let mut all = self.lock();
        let found = all.iter().position(|known| known.start == start)?;
        Some(all.swap_remove(found))
    }
}
