//! `clGetKernelSubGroupInfo` and its twin of the extension: the size of a kernel's sub-groups is one number, which the compiler
//! has chosen and the archive says; all else follows from it and from local sizes.

use crate::args::{Memory, Out};
use crate::cl;
use crate::device::{self, Device};
use crate::handle::Handle;
use crate::info::Reply;
use crate::kernel::Kernel;
use crate::kernel_info::work_group_limit;
use crate::status::{Answer, Status, ensure, refuse};
use crate::types::Uint;
use oxcl_runtime::SUB_GROUP_SIZES;

/// The most sub-groups of a work-group on a device.
pub(crate) fn most(max_work_group_size: u64) -> Uint {
    max_work_group_size.div_ceil(u64::from(SUB_GROUP_SIZES[0])) as Uint
}

/// The sizes that kernels may ask for.
pub(crate) fn sizes() -> [usize; SUB_GROUP_SIZES.len()] {
    SUB_GROUP_SIZES.map(|size| size as usize)
}

/// `clGetKernelSubGroupInfo`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn info(
    kernel: Handle<Kernel>,
    device: Handle<Device>,
    name: Uint,
    input_size: usize,
    input: Memory,
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
    let whole = all[place].whole();
    // CL_INVALID_OPERATION if there are no sub-groups (5.9.3): of another compiler's code nobody knows them.
    let of_kernel = on_device.sub_group_size(whole.is_narrow()).ok_or(Status(cl::INVALID_OPERATION))?;
    let of_kernel = of_kernel as usize;
    let limit = work_group_limit(on_device, whole.info.max_work_group_size);
    let reply = Reply::new(size, value, size_ret);
    match name {
        cl::KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE => {
            items(input, input_size)?;
            reply.value(of_kernel)
        }
        cl::KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE => reply.value(items(input, input_size)?.div_ceil(of_kernel)),
        cl::KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT => {
            // CL_INVALID_VALUE if the input is NULL or has another size (5.9.3).
            ensure(input_size == size_of::<usize>(), cl::INVALID_VALUE)?;
            let count = input.read::<usize>().ok_or(Status(cl::INVALID_VALUE))?;
            let required = on_device.record().reqd_wg_size;
            let local = if required == [0; 3] {
                // Whole sub-groups in a row; where that is too much there is no such size, and all are 0.
                let whole = count.checked_mul(of_kernel).filter(|items| *items <= limit as usize);
                whole.filter(|items| *items > 0).map_or([0; 3], |items| [items, 1, 1])
            } else {
                let required = required.map(|size| size as usize);
                let has = required.iter().product::<usize>().div_ceil(of_kernel);
                if has == count { required } else { [0; 3] }
            };
            let dimensions = if value.is_null() { 3 } else { (size / size_of::<usize>()).clamp(1, 3) };
            reply.slice(&local[..dimensions])
        }
        cl::KERNEL_MAX_NUM_SUB_GROUPS => reply.value((limit as usize).div_ceil(of_kernel)),
        // OpenCL C has no attribute for it: 0 (5.9.3).
        cl::KERNEL_COMPILE_NUM_SUB_GROUPS => reply.value(0_usize),
        cl::KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL => reply.value(on_device.required_sub_group_size() as usize),
        // CL_INVALID_VALUE if param_name is none of the supported values (5.9.3).
        _ => refuse(cl::INVALID_VALUE),
    }
}

/// The work-items of a group of the size that the caller gives: one to three numbers.
fn items(input: Memory, bytes: usize) -> Result<usize, Status> {
    let count = bytes / size_of::<usize>();
    // CL_INVALID_VALUE if the input is NULL or has another size (5.9.3).
    ensure((1..=3).contains(&count) && bytes.is_multiple_of(size_of::<usize>()), cl::INVALID_VALUE)?;
    let bytes = input.copy(bytes).ok_or(Status(cl::INVALID_VALUE))?;
    let sizes = bytes.chunks_exact(size_of::<usize>()).map(|chunk| {
        let mut number = [0; size_of::<usize>()];
        number.copy_from_slice(chunk);
        usize::from_ne_bytes(number)
    });
    sizes.into_iter().try_fold(1_usize, usize::checked_mul).ok_or(Status(cl::INVALID_VALUE))
}
