//! Shared virtual memory. Host and device share everything, so all kinds of it are the same memory.

use oxcl_runtime::{SharedKind, SharedMemory};

use crate::args::Memory;
use crate::cl;
use crate::context::Context;
use crate::device_info::max_allocation;
use crate::handle::Handle;
use crate::queue::Queue;
use crate::shortage;
use crate::status::{Answer, ensure};
use crate::types::{Bitfield, Uint, UserData};

/// What is called to free memory in its turn.
pub(crate) type FreeNotify = Option<unsafe extern "C" fn(Handle<Queue>, Uint, *mut Memory, UserData)>;

/// `CL_DEVICE_SVM_CAPABILITIES`.
pub(crate) const CAPABILITIES: Bitfield = cl::DEVICE_SVM_COARSE_GRAIN_BUFFER
    | cl::DEVICE_SVM_FINE_GRAIN_BUFFER
    | cl::DEVICE_SVM_FINE_GRAIN_SYSTEM
    | cl::DEVICE_SVM_ATOMICS;

/// The largest alignment that is given: a large page's.
const MAX_ALIGNMENT: Uint = 2 << 20;

/// CL_INVALID_VALUE if an alignment is no power of two, or larger than any.
pub(crate) fn check_alignment(alignment: Uint) -> Answer {
    let is_one = alignment == 0 || (alignment.is_power_of_two() && alignment <= MAX_ALIGNMENT);
    ensure(is_one, cl::INVALID_VALUE)
}

/// `clSVMAlloc`.
pub(crate) fn alloc(
    context: Handle<Context>,
    flags: Bitfield,
    size: usize,
    alignment: Uint,
) -> Answer<Memory> {
    let context = context.get()?;
    // NULL if no device of the context has shared virtual memory (5.6.1).
    ensure(context.shares_memory(), cl::INVALID_OPERATION)?;
    // NULL if flags are not valid: at most one access, and atomics need fine grain (5.6.1).
    let access = flags & (cl::MEM_READ_WRITE | cl::MEM_WRITE_ONLY | cl::MEM_READ_ONLY);
    ensure(access.count_ones() <= 1, cl::INVALID_VALUE)?;
    let fine = flags & cl::MEM_SVM_FINE_GRAIN_BUFFER != 0;
    ensure(fine || flags & cl::MEM_SVM_ATOMICS == 0, cl::INVALID_VALUE)?;
    let grain = cl::MEM_SVM_FINE_GRAIN_BUFFER | cl::MEM_SVM_ATOMICS;
    ensure(flags & !access & !grain == 0, cl::INVALID_VALUE)?;
    // NULL if the size is 0 or more than a device can have in one piece (5.6.1).
    ensure(size > 0 && size as u64 <= max_allocation(), cl::INVALID_VALUE)?;
    // NULL if the alignment is no power of two, or not supported (5.6.1).
    check_alignment(alignment)?;
    let kind = if fine { SharedKind::SvmFine } else { SharedKind::SvmCoarse };
    let memory = SharedMemory::allocate(kind, size as u64, u64::from(alignment))
        .map_err(|error| shortage::refused_buffer(&context, error))?;
    Ok(Memory(memory.pointer().cast()))
}

/// `clSVMFree`: frees at once; what is no such memory, NULL among it, is left alone (5.6.1).
pub(crate) fn free(context: Handle<Context>, pointer: Memory) -> Answer {
    context.get()?.release_memory(pointer.0.cast_const().cast());
    Ok(())
}
