//! `clGetMemObjectInfo`.

use oxcl_runtime::SharedMemory;

use crate::args::{Memory, Out};
use crate::cl;
use crate::handle::Handle;
use crate::image::number_of;
use crate::info::Reply;
use crate::mem::Mem;
use crate::status::{Answer, ensure, refuse};
use crate::types::Uint;

/// `clGetMemObjectInfo`.
pub(crate) fn get(
    object: Handle<Mem>,
    name: Uint,
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
) -> Answer {
    let mem = object.get()?;
    let reply = Reply::new(size, value, size_ret);
    match name {
        cl::MEM_TYPE => {
            let image = mem.image.as_ref().map(|image| number_of(image.description().kind));
            reply.value(image.unwrap_or(cl::MEM_OBJECT_BUFFER))
        }
        cl::MEM_FLAGS => reply.value(mem.flags),
        cl::MEM_SIZE => reply.value(mem.size()),
        cl::MEM_HOST_PTR => reply.value(mem.host),
        cl::MEM_MAP_COUNT => reply.value(mem.mappings().len() as Uint),
        cl::MEM_REFERENCE_COUNT => reply.value(mem.references()),
        cl::MEM_CONTEXT => reply.value(mem.context.handle()),
        cl::MEM_ASSOCIATED_MEMOBJECT => {
            reply.value(mem.parent.as_ref().map_or(Handle::NULL, |(parent, _)| parent.handle()))
        }
        cl::MEM_OFFSET => reply.value(mem.parent.as_ref().map_or(0, |(_, origin)| *origin)),
        // Whether the buffer lies in shared virtual memory that it was given to use (5.5.6).
        cl::MEM_USES_SVM_POINTER => {
            reply.bool(!mem.host.is_null() && SharedMemory::find(mem.host.0.cast()).is_some())
        }
        cl::MEM_PROPERTIES => reply.slice(&mem.properties),
        cl::MEM_DEVICE_ADDRESS_EXT => {
            // CL_INVALID_OPERATION if the buffer was not made with an address (cl_ext_buffer_device_address).
            ensure(mem.has_device_address, cl::INVALID_OPERATION)?;
            let address = mem.buffer.host_address() as u64;
            reply.slice(&vec![address; mem.context.devices.len()])
        }
        // CL_INVALID_VALUE if param_name is none of the supported values (5.5.6).
        _ => refuse(cl::INVALID_VALUE),
    }
}
