//! Unified shared memory (`cl_intel_unified_shared_memory`). Host and device share everything, so the kinds of it differ
//! in what they are called only.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

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
use crate::svm::check_alignment;
use crate::types::{Int, Property, Uint};

/// What the context knows of a piece.
#[derive(Clone)]
struct Allocation {
    size: usize,
    kind: SharedKind,
    /// None for memory of the host, and for shared memory of no device in particular.
    device: Option<Weak<Device>>,
    flags: Property,
}

/// The flags among the properties of a new piece.
fn flags_of(properties: In<Property>, kind: SharedKind) -> Answer<Property> {
    let known = cl::MEM_ALLOC_WRITE_COMBINED_INTEL
        | cl::MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL
        | cl::MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
    let placement = known & !cl::MEM_ALLOC_WRITE_COMBINED_INTEL;
    let mut flags = None;
    for pair in properties.until(64, 2, |name| *name == 0).chunks_exact(2) {
        let &[name, value] = pair else { continue };
        // CL_INVALID_PROPERTY if a property is none of those there are, is given twice, or has a value that is not valid.
        let is_new = name == Property::from(cl::MEM_ALLOC_FLAGS_INTEL) && flags.is_none();
        ensure(is_new && value & !known == 0, cl::INVALID_PROPERTY)?;
        // CL_INVALID_PROPERTY if what is no shared memory is placed, or shared memory in two places.
        let most = if kind == SharedKind::UsmShared { 1 } else { 0 };
        ensure((value & placement).count_ones() <= most, cl::INVALID_PROPERTY)?;
        flags = Some(value);
    }
    Ok(flags.unwrap_or(0))
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
            // CL_INVALID_OPERATION if the device does not support it.
            ensure(device.whole().shares_memory(), cl::INVALID_OPERATION)?;
            Some(device.downgrade())
        }
        None => None,
    };
    // CL_INVALID_OPERATION if no device of the context supports it.
    ensure(context.shares_memory(), cl::INVALID_OPERATION)?;
    check_alignment(alignment)?;
    let flags = flags_of(properties, kind)?;
    // CL_INVALID_BUFFER_SIZE if the size is 0 or too large.
    ensure(size > 0 && size as u64 <= max_allocation(), cl::INVALID_BUFFER_SIZE)?;
    let memory = SharedMemory::allocate(kind, size as u64, u64::from(alignment))
        .map_err(|error| shortage::refused_buffer(&context, error))
        .map_err(|_| Status(cl::OUT_OF_RESOURCES))?;
    let start = memory.pointer() as usize;
    context.allocations.lock().insert(start, Allocation { size, kind, device, flags });
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
    ensure(context.allocations.forget(pointer.address()), cl::INVALID_VALUE)?;
    context.release_memory(pointer.0.cast_const().cast());
    Ok(())
}

/// `clMemBlockingFreeINTEL`: after everything that was enqueued in the context.
pub(crate) fn blocking_free(context: Handle<Context>, pointer: Memory) -> Answer {
    let known = context.get()?;
    // As for `clMemFreeINTEL`, and there is nothing to wait for.
    ensure(pointer.is_null() || known.allocations.begins_at(pointer.address()), cl::INVALID_VALUE)?;
    for queue in known.all_queues()? {
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
    let found = context.allocations.around(pointer.address());
    let (start, facts) = found.map_or((0, None), |(start, facts)| (start, Some(facts)));
    match name {
        cl::MEM_ALLOC_TYPE_INTEL => reply.value(match facts.map(|facts| facts.kind) {
            Some(SharedKind::UsmHost) => cl::MEM_TYPE_HOST_INTEL,
            Some(SharedKind::UsmDevice) => cl::MEM_TYPE_DEVICE_INTEL,
            Some(SharedKind::UsmShared) => cl::MEM_TYPE_SHARED_INTEL,
            _ => cl::MEM_TYPE_UNKNOWN_INTEL,
        }),
        cl::MEM_ALLOC_BASE_PTR_INTEL => reply.value(start),
        cl::MEM_ALLOC_SIZE_INTEL => reply.value(facts.map_or(0, |facts| facts.size)),
        cl::MEM_ALLOC_DEVICE_INTEL => {
            let device = facts.and_then(|facts| facts.device?.upgrade());
            reply.value(device.map_or(Handle::NULL, |device| device.handle()))
        }
        cl::MEM_ALLOC_FLAGS_INTEL => reply.value(facts.map_or(0, |facts| facts.flags)),
        // CL_INVALID_VALUE if param_name is none of the supported values.
        _ => refuse(cl::INVALID_VALUE),
    }
}

/// CL_INVALID_VALUE if bytes begin in a piece of the context's and leave it; other memory is the program's own.
pub(crate) fn check_range(context: &Context, pointer: Memory, size: usize) -> Answer {
    ensure(!pointer.is_null(), cl::INVALID_VALUE)?;
    let fits = context.allocations.around(pointer.address()).is_none_or(|(start, facts)| {
        let offset = pointer.address() - start;
        size <= facts.size - offset
    });
    ensure(fits, cl::INVALID_VALUE)
}

/// The unified shared memory of a context, by where it begins.
#[derive(Default)]
pub(crate) struct Allocations(Mutex<BTreeMap<usize, Allocation>>);

impl Allocations {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, Allocation>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn begins_at(&self, start: usize) -> bool {
        self.lock().contains_key(&start)
    }

    /// The piece that an address is in, and where it begins.
    fn around(&self, address: usize) -> Option<(usize, Allocation)> {
        let known = self.lock();
        let (start, facts) = known.range(..=address).next_back()?;
        (address - start < facts.size).then(|| (*start, facts.clone()))
    }

    /// False where no piece begins there.
    pub(crate) fn forget(&self, start: usize) -> bool {
        let forgotten = self.lock().remove(&start);
        forgotten.is_some()
    }
}
