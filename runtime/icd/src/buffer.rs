//! Making buffers and parts of buffers.

use oxcl_runtime::SharedMemory;

use crate::args::{In, Memory};
use crate::cl;
use crate::context::Context;
use crate::device_info::max_allocation;
use crate::handle::{Handle, Live, Shared};
use crate::mem::Mem;
use crate::shortage;
use crate::status::{Answer, Status, ensure, refuse};
use crate::types::{Bitfield, Property, Region, Uint};

pub(crate) const DEVICE_ACCESS: Bitfield = cl::MEM_READ_WRITE | cl::MEM_WRITE_ONLY | cl::MEM_READ_ONLY;
pub(crate) const HOST_ACCESS: Bitfield =
    cl::MEM_HOST_WRITE_ONLY | cl::MEM_HOST_READ_ONLY | cl::MEM_HOST_NO_ACCESS;
pub(crate) const HOST_POINTER: Bitfield =
    cl::MEM_USE_HOST_PTR | cl::MEM_ALLOC_HOST_PTR | cl::MEM_COPY_HOST_PTR;

/// At most one of the bits.
fn one_of(flags: Bitfield, mask: Bitfield) -> bool {
    (flags & mask).count_ones() <= 1
}

/// Flags that make sense: CL_INVALID_VALUE otherwise (5.2.1).
pub(crate) fn check_flags(flags: Bitfield, allowed: Bitfield) -> Answer {
    let compatible = one_of(flags, DEVICE_ACCESS) && one_of(flags, HOST_ACCESS);
    // The application's memory is either used in place, or copied from, or not there.
    let host = flags & HOST_POINTER;
    let host_fits = host & cl::MEM_USE_HOST_PTR == 0 || host == cl::MEM_USE_HOST_PTR;
    ensure(flags & !allowed == 0 && compatible && host_fits, cl::INVALID_VALUE)
}

/// `clCreateBuffer`.
pub(crate) fn create(
    context: Handle<Context>,
    flags: Bitfield,
    size: usize,
    host: Memory,
) -> Answer<Handle<Mem>> {
    Ok(Live::begin(make(&context.get()?, flags, size, host)?)?.give())
}

/// `clCreateBufferWithProperties`.
pub(crate) fn create_with_properties(
    context: Handle<Context>,
    properties: In<Property>,
    flags: Bitfield,
    size: usize,
    host: Memory,
) -> Answer<Handle<Mem>> {
    let context = context.get()?;
    let mut list = properties.until(64, 2, |name| *name == 0);
    let mut has_device_address = false;
    for (index, pair) in list.chunks_exact(2).enumerate() {
        let &[name, value] = pair else { continue };
        // CL_INVALID_PROPERTY if a name is not supported, a value not valid, or a name given twice (5.2.1).
        let again = list.chunks_exact(2).take(index).any(|earlier| earlier[0] == name);
        ensure(!again && name == cl::MEM_DEVICE_PRIVATE_ADDRESS_EXT && value <= 1, cl::INVALID_PROPERTY)?;
        has_device_address = value != 0;
    }
    let mut mem = make(&context, flags, size, host)?;
    if !properties.is_null() {
        list.push(0);
    }
    mem.properties = list;
    mem.has_device_address = has_device_address;
    Ok(Live::begin(mem)?.give())
}

fn make(context: &Shared<Context>, flags: Bitfield, size: usize, host: Memory) -> Answer<Mem> {
    check_flags(flags, DEVICE_ACCESS | HOST_ACCESS | HOST_POINTER)?;
    // CL_INVALID_BUFFER_SIZE if size is 0 or more than every device can have in one piece (5.2.1).
    ensure(size > 0 && size as u64 <= max_allocation(), cl::INVALID_BUFFER_SIZE)?;
    // CL_INVALID_HOST_PTR if the flags ask for the application's memory and there is none, or the other way round
    // (5.2.1).
    let wants_host = flags & (cl::MEM_USE_HOST_PTR | cl::MEM_COPY_HOST_PTR) != 0;
    ensure(wants_host != host.is_null(), cl::INVALID_HOST_PTR)?;
    // CL_INVALID_BUFFER_SIZE if the memory is shared virtual memory, and less than the buffer (5.2.1).
    if let Some((memory, offset)) = SharedMemory::find(host.0.cast_const().cast()) {
        ensure(size as u64 <= memory.size() - offset, cl::INVALID_BUFFER_SIZE)?;
    }
    let flags = if flags & DEVICE_ACCESS == 0 { flags | cl::MEM_READ_WRITE } else { flags };
    let span = host.span(size);
    let buffer = match span {
        Some(span) if flags & cl::MEM_USE_HOST_PTR != 0 => {
            // SAFETY: the application keeps the memory until the buffer and its commands are gone (5.2.1).
            unsafe { oxcl_runtime::Buffer::over(span) }?
        }
        Some(span) => {
            let refused = |error| shortage::refused_buffer(context, error);
            let buffer = oxcl_runtime::Buffer::zeroed(size as u64).map_err(refused)?;
            // SAFETY: the span is the application's promise of `size` bytes, for the length of this call.
            buffer.write(0, unsafe { std::slice::from_raw_parts(span.pointer(), size) }).map_err(refused)?;
            buffer
        }
        None => oxcl_runtime::Buffer::zeroed(size as u64)?,
    };
    let place = if flags & cl::MEM_USE_HOST_PTR != 0 { host } else { Memory::NULL };
    Ok(Mem::new(context.clone(), flags, place, buffer))
}

/// Whether what is made of an object may have these flags: it may not be used for more (5.2.1, 5.3.1).
pub(crate) fn compatible(parent: Bitfield, flags: Bitfield) -> bool {
    let wider = |whole, narrow: Bitfield| parent & whole != 0 && flags & narrow != 0;
    let access_fits = !wider(cl::MEM_WRITE_ONLY, cl::MEM_READ_WRITE | cl::MEM_READ_ONLY)
        && !wider(cl::MEM_READ_ONLY, cl::MEM_READ_WRITE | cl::MEM_WRITE_ONLY);
    let host_fits = !wider(cl::MEM_HOST_WRITE_ONLY, cl::MEM_HOST_READ_ONLY)
        && !wider(cl::MEM_HOST_READ_ONLY, cl::MEM_HOST_WRITE_ONLY)
        && !wider(cl::MEM_HOST_NO_ACCESS, cl::MEM_HOST_READ_ONLY | cl::MEM_HOST_WRITE_ONLY);
    access_fits && host_fits
}

/// `clCreateSubBuffer`.
pub(crate) fn create_sub(
    parent: Handle<Mem>,
    flags: Bitfield,
    kind: Uint,
    info: In<Region>,
) -> Answer<Handle<Mem>> {
    let parent = parent.get()?;
    // CL_INVALID_MEM_OBJECT if the buffer is a part itself, or none (5.2.1).
    ensure(parent.parent.is_none() && parent.image.is_none(), cl::INVALID_MEM_OBJECT)?;
    // CL_INVALID_VALUE if flags are not compatible with those of the whole, or are of the application's memory (5.2.1).
    check_flags(flags, DEVICE_ACCESS | HOST_ACCESS)?;
    ensure(compatible(parent.flags, flags), cl::INVALID_VALUE)?;
    // CL_INVALID_VALUE if the type is none of those there are, or there is no region (5.2.1).
    ensure(kind == cl::BUFFER_CREATE_TYPE_REGION, cl::INVALID_VALUE)?;
    let Some(Region { origin, size }) = info.get() else { return refuse(cl::INVALID_VALUE) };
    // CL_INVALID_BUFFER_SIZE if the size is 0 (5.2.1).
    ensure(size > 0, cl::INVALID_BUFFER_SIZE)?;
    // CL_INVALID_VALUE if the region is not in the buffer (5.2.1).
    let part = parent.buffer.part(origin as u64, size as u64).map_err(|_| Status(cl::INVALID_VALUE))?;
    // CL_MISALIGNED_SUB_BUFFER_OFFSET if no device of the context can begin there (5.2.1).
    ensure(origin.is_multiple_of(ALIGNMENT), cl::MISALIGNED_SUB_BUFFER_OFFSET)?;
    // What is not given is the whole's (5.2.1).
    let inherited = |mask: Bitfield| if flags & mask == 0 { parent.flags & mask } else { flags & mask };
    let flags = inherited(DEVICE_ACCESS) | inherited(HOST_ACCESS) | (parent.flags & HOST_POINTER);
    let host = match parent.host {
        Memory::NULL => Memory::NULL,
        whole => Memory(whole.0.wrapping_byte_add(origin)),
    };
    let mut mem = Mem::new(parent.context.clone(), flags, host, part);
    mem.has_device_address = parent.has_device_address;
    mem.parent = Some((parent, origin));
    Ok(Live::begin(mem)?.give())
}

/// Bytes that the beginning of a part is a multiple of: `CL_DEVICE_MEM_BASE_ADDR_ALIGN`.
const ALIGNMENT: usize = 128;
