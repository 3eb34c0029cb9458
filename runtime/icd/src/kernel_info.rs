//! `clGetKernelInfo`, `clGetKernelArgInfo` and `clGetKernelWorkGroupInfo`.

use crate::args::{Memory, Out};
use crate::cl;
use crate::device::{self, Device};
use crate::device_info::preferred_multiple;
use crate::handle::Handle;
use crate::info::Reply;
use crate::kernel::{Arg, Kernel};
use crate::status::{Answer, Status, ensure, refuse};
use crate::types::Uint;

/// `clGetKernelInfo`.
pub(crate) fn get(
    kernel: Handle<Kernel>,
    name: Uint,
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
) -> Answer {
    let kernel = kernel.get()?;
    let record = kernel.any.record();
    let reply = Reply::new(size, value, size_ret);
    match name {
        cl::KERNEL_FUNCTION_NAME => reply.text(&record.name),
        cl::KERNEL_NUM_ARGS => reply.value(record.args.len() as Uint),
        cl::KERNEL_REFERENCE_COUNT => reply.value(kernel.references()),
        cl::KERNEL_CONTEXT => reply.value(kernel.program.context.handle()),
        cl::KERNEL_PROGRAM => reply.value(kernel.program.handle()),
        cl::KERNEL_ATTRIBUTES => reply.text(&record.attributes),
        // CL_INVALID_VALUE if param_name is none of the supported values (5.9.3).
        _ => refuse(cl::INVALID_VALUE),
    }
}

/// `clGetKernelArgInfo`.
pub(crate) fn get_arg(
    kernel: Handle<Kernel>,
    index: Uint,
    name: Uint,
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
) -> Answer {
    let kernel = kernel.get()?;
    let record = kernel.any.record();
    // CL_INVALID_ARG_INDEX if there is no such parameter (5.9.3).
    let arg = record.args.get(index as usize).ok_or(Status(cl::INVALID_ARG_INDEX))?;
    // CL_KERNEL_ARG_INFO_NOT_AVAILABLE if the archive does not say (5.9.3).
    ensure(record.has_arg_metadata != 0, cl::KERNEL_ARG_INFO_NOT_AVAILABLE)?;
    let reply = Reply::new(size, value, size_ret);
    match name {
        cl::KERNEL_ARG_ADDRESS_QUALIFIER => reply.value(arg.address as Uint),
        cl::KERNEL_ARG_ACCESS_QUALIFIER => reply.value(arg.access as Uint),
        cl::KERNEL_ARG_TYPE_NAME => reply.text(&arg.type_name),
        cl::KERNEL_ARG_TYPE_QUALIFIER => reply.value(arg.type_qualifier),
        cl::KERNEL_ARG_NAME => reply.text(&arg.name),
        // CL_INVALID_VALUE if param_name is none of the supported values (5.9.3).
        _ => refuse(cl::INVALID_VALUE),
    }
}

/// `CL_KERNEL_WORK_GROUP_SIZE`, where the device takes groups of `most` work-items.
pub(crate) fn work_group_limit(kernel: &oxcl_runtime::Kernel, most: u64) -> u64 {
    let own = kernel.record().work_group.map_or(0, |facts| u64::from(facts.max_size));
    if own == 0 { most } else { own.min(most) }
}

/// `clGetKernelWorkGroupInfo`.
pub(crate) fn get_work_group(
    kernel: Handle<Kernel>,
    device: Handle<Device>,
    name: Uint,
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
) -> Answer {
    let kernel = kernel.get()?;
    let all = &kernel.program.devices;
    // CL_INVALID_DEVICE if the device is not the kernel's, or is NULL and the kernel has several (5.9.3).
    let place = if device.is_null() {
        ensure(all.len() == 1, cl::INVALID_DEVICE)?;
        0
    } else {
        device::position(all, &*device.get()?)?
    };
    let on_device = kernel.variants[place].as_ref().ok_or(Status(cl::INVALID_DEVICE))?;
    let record = on_device.record();
    let facts = record.work_group;
    let reply = Reply::new(size, value, size_ret);
    match name {
        cl::KERNEL_WORK_GROUP_SIZE => {
            reply.value(work_group_limit(on_device, all[place].whole().info.max_work_group_size) as usize)
        }
        cl::KERNEL_COMPILE_WORK_GROUP_SIZE => reply.slice(&record.reqd_wg_size.map(|size| size as usize)),
        cl::KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => {
            let own = facts.map_or(0, |facts| facts.preferred_multiple as usize);
            reply.value(own.max(preferred_multiple()))
        }
        cl::KERNEL_LOCAL_MEM_SIZE => {
            // The kernel's own, and what its arguments ask for; those that are not set count nothing (5.9.3).
            let given: u64 = kernel
                .args()
                .iter()
                .map(|arg| if let Arg::Local(size) = arg { *size as u64 } else { 0 })
                .sum();
            reply.value(record.local_sizes.iter().sum::<u64>() + given)
        }
        cl::KERNEL_PRIVATE_MEM_SIZE => reply.value(facts.map_or(0, |facts| u64::from(facts.private_mem))),
        // cl_intel_required_subgroup_size: nothing is spilled to memory of the device's.
        cl::KERNEL_SPILL_MEM_SIZE_INTEL => reply.value(facts.map_or(0, |facts| u64::from(facts.spill_mem))),
        // CL_INVALID_VALUE for the global size, which is of custom devices and built-in kernels only; and if param_name
        // is none of the supported values (5.9.3).
        _ => refuse(cl::INVALID_VALUE),
    }
}
