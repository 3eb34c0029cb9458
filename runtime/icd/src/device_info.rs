//! `clGetDeviceInfo`: every query of OpenCL 3.0, and those of the extensions that we report.

use crate::cl;
use crate::device::Device;
use crate::handle::{Handle, Live};
use crate::host::{self, Host};
use crate::info::Reply;
use crate::names;
use crate::partition;
use crate::platform;
use crate::reported;
use crate::status::{Answer, refuse};
use crate::sub_group;
use crate::svm;
use crate::types::{NameVersion, Uint};
use oxcl_runtime::DeviceInfo;

/// The profile of everything but small simulated processors.
const FULL_PROFILE: &str = "FULL_PROFILE";

/// Work-group sizes that are multiples of this fill the vector registers.
pub(crate) fn preferred_multiple() -> usize {
    Host::get().vector as usize / 4
}

/// The largest single allocation: all of the memory, as nothing here needs a part of it for itself.
pub(crate) fn max_allocation() -> u64 {
    Host::get().memory
}

/// Answers one query.
pub(crate) fn get(device: &Live<Device>, name: Uint, reply: Reply) -> Answer {
    if device.whole().info.machine.is_some()
        && let Some(answer) = processor(device, name, reply)
    {
        return answer;
    }
    match name {
        cl::DEVICE_TYPE => reply.value(device.whole().kind()),
        cl::DEVICE_VENDOR_ID => reply.value(reported::VENDOR_ID),
        cl::DEVICE_MAX_COMPUTE_UNITS => reply.value(device.units as Uint),
        cl::DEVICE_MAX_CLOCK_FREQUENCY => reply.value(host::clock()),
        cl::DEVICE_ADDRESS_BITS => reply.value(device.whole().info.address_bits),
        cl::DEVICE_AVAILABLE | cl::DEVICE_COMPILER_AVAILABLE | cl::DEVICE_LINKER_AVAILABLE => {
            reply.bool(true)
        }
        cl::DEVICE_ENDIAN_LITTLE => reply.bool(cfg!(target_endian = "little")),
        cl::DEVICE_EXECUTION_CAPABILITIES => {
            let native = if device.whole().is_narrow() { 0 } else { cl::EXEC_NATIVE_KERNEL };
            reply.value(cl::EXEC_KERNEL | native)
        }
        cl::DEVICE_QUEUE_ON_HOST_PROPERTIES => {
            reply.value(cl::QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::QUEUE_PROFILING_ENABLE)
        }
        cl::DEVICE_NAME => reply.text(&device.whole().info.processor),
        cl::DEVICE_VENDOR => reply.text(names::vendor()),
        cl::DRIVER_VERSION => match &device.whole().info.machine {
            // Clients keep binaries by this text: another machine of the same name must not be given them.
            Some(machine) => {
                let digest = machine.digest.get(..16).unwrap_or(&machine.digest);
                reply.text(&format!("{} {digest}", reported::DRIVER_VERSION))
            }
            None => reply.text(reported::DRIVER_VERSION),
        },
        cl::DEVICE_PROFILE => reply.text(FULL_PROFILE),
        cl::DEVICE_VERSION => reply.text(reported::device_version(device.whole().is_narrow())),
        cl::DEVICE_NUMERIC_VERSION => {
            reply.value(reported::device_numeric_version(device.whole().is_narrow()))
        }
        cl::DEVICE_OPENCL_C_VERSION => reply.text(reported::C_VERSION),
        cl::DEVICE_OPENCL_C_NUMERIC_VERSION_KHR => reply.value(reported::C_NUMERIC_VERSION),
        cl::DEVICE_EXTENSIONS => reply.text(&reported::extension_names(&extensions(device))),
        cl::DEVICE_EXTENSIONS_WITH_VERSION => named(reply, &extensions(device)),
        cl::DEVICE_OPENCL_C_ALL_VERSIONS => named(reply, &reported::c_versions(device.whole().is_narrow())),
        cl::DEVICE_OPENCL_C_FEATURES => named(reply, &reported::features(device.whole().is_narrow())),
        cl::DEVICE_PLATFORM => reply.value(platform::root()?.platform.handle()),
        // No submission was made: the form with nothing in it.
        cl::DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => reply.text("v0000-01-01-00"),
        cl::DEVICE_REFERENCE_COUNT => {
            reply.value(if device.parent.is_some() { device.references() } else { 1_u32 })
        }
        _ => limits(device, name, reply),
    }
}

fn extensions(device: &Live<Device>) -> Vec<reported::Named> {
    let whole = device.whole();
    let embedded = whole.info.machine.is_some() && profile(&whole.info) != FULL_PROFILE;
    reported::extensions(whole.is_narrow(), whole.shares_memory(), embedded)
}

fn named(reply: Reply, all: &[reported::Named]) -> Answer {
    let all: Vec<NameVersion> = reported::with_versions(all);
    reply.slice(&all)
}

/// Sizes of work-groups, memory and registers.
fn limits(device: &Live<Device>, name: Uint, reply: Reply) -> Answer {
    let host = Host::get();
    let info = &device.whole().info;
    let group = info.max_work_group_size as usize;
    match name {
        cl::DEVICE_MAX_WORK_ITEM_DIMENSIONS => reply.value(3_u32),
        cl::DEVICE_MAX_WORK_ITEM_SIZES => reply.slice(&[group; 3]),
        cl::DEVICE_MAX_WORK_GROUP_SIZE => reply.value(group),
        cl::DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => reply.value(preferred_multiple()),
        // The compiler vectorises across work-items: scalars serve best.
        cl::DEVICE_PREFERRED_VECTOR_WIDTH_CHAR
        | cl::DEVICE_PREFERRED_VECTOR_WIDTH_SHORT
        | cl::DEVICE_PREFERRED_VECTOR_WIDTH_INT
        | cl::DEVICE_PREFERRED_VECTOR_WIDTH_LONG
        | cl::DEVICE_PREFERRED_VECTOR_WIDTH_HALF
        | cl::DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
        | cl::DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE => reply.value(1_u32),
        cl::DEVICE_NATIVE_VECTOR_WIDTH_CHAR => reply.value(host.vector),
        cl::DEVICE_NATIVE_VECTOR_WIDTH_SHORT | cl::DEVICE_NATIVE_VECTOR_WIDTH_HALF => {
            reply.value(host.vector / 2)
        }
        cl::DEVICE_NATIVE_VECTOR_WIDTH_INT | cl::DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => {
            reply.value(host.vector / 4)
        }
        cl::DEVICE_NATIVE_VECTOR_WIDTH_LONG | cl::DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => {
            reply.value(host.vector / 8)
        }
        cl::DEVICE_SINGLE_FP_CONFIG => reply.value(
            cl::FP_DENORM
                | cl::FP_INF_NAN
                | cl::FP_ROUND_TO_NEAREST
                | cl::FP_ROUND_TO_ZERO
                | cl::FP_ROUND_TO_INF
                | cl::FP_FMA
                | cl::FP_CORRECTLY_ROUNDED_DIVIDE_SQRT,
        ),
        cl::DEVICE_DOUBLE_FP_CONFIG if device.whole().is_narrow() => reply.value(0_u64),
        cl::DEVICE_GLOBAL_MEM_SIZE | cl::DEVICE_MAX_MEM_ALLOC_SIZE | cl::DEVICE_MAX_CONSTANT_BUFFER_SIZE
            if info.own_memory =>
        {
            reply.value(info.global_memory)
        }
        cl::DEVICE_HOST_UNIFIED_MEMORY if info.own_memory => reply.bool(false),
        cl::DEVICE_DOUBLE_FP_CONFIG | cl::DEVICE_HALF_FP_CONFIG => reply.value(
            cl::FP_DENORM
                | cl::FP_INF_NAN
                | cl::FP_ROUND_TO_NEAREST
                | cl::FP_ROUND_TO_ZERO
                | cl::FP_ROUND_TO_INF
                | cl::FP_FMA,
        ),
        cl::DEVICE_GLOBAL_MEM_SIZE => reply.value(host.memory),
        cl::DEVICE_MAX_MEM_ALLOC_SIZE => reply.value(max_allocation()),
        cl::DEVICE_GLOBAL_MEM_CACHE_TYPE => {
            reply.value(if host.cache > 0 { cl::READ_WRITE_CACHE } else { cl::NONE })
        }
        cl::DEVICE_GLOBAL_MEM_CACHELINE_SIZE => reply.value(host.line),
        cl::DEVICE_GLOBAL_MEM_CACHE_SIZE => reply.value(host.cache),
        // Constant memory is global memory.
        cl::DEVICE_MAX_CONSTANT_BUFFER_SIZE => reply.value(max_allocation()),
        cl::DEVICE_MAX_CONSTANT_ARGS => reply.value(MAX_PARAMETERS),
        cl::DEVICE_MAX_PARAMETER_SIZE => reply.value(MAX_PARAMETERS as usize * 8),
        cl::DEVICE_LOCAL_MEM_TYPE => reply.value(cl::GLOBAL),
        cl::DEVICE_LOCAL_MEM_SIZE => reply.value(info.local_memory),
        cl::DEVICE_ERROR_CORRECTION_SUPPORT => reply.bool(false),
        cl::DEVICE_HOST_UNIFIED_MEMORY | cl::DEVICE_PREFERRED_INTEROP_USER_SYNC => reply.bool(true),
        // In bits and in bytes: the widest type is a vector of 16 longs.
        cl::DEVICE_MEM_BASE_ADDR_ALIGN => reply.value(1024_u32),
        cl::DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => reply.value(128_u32),
        cl::DEVICE_PROFILING_TIMER_RESOLUTION => reply.value(1_usize),
        cl::DEVICE_PRINTF_BUFFER_SIZE => reply.value(info.printf_buffer as usize),
        _ => optional(device, name, reply),
    }
}

/// What a simulated processor answers otherwise than the host's: it is scalar, without caches or doubles, with the memory of
/// its machine. `None` for what is the same.
fn processor(device: &Live<Device>, name: Uint, reply: Reply) -> Option<Answer> {
    Some(match name {
        cl::DEVICE_PROFILE => reply.text(profile(&device.whole().info)),
        // As in timelines, where a cycle is a microsecond.
        cl::DEVICE_MAX_CLOCK_FREQUENCY => reply.value(1_u32),
        cl::DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => reply.value(1_usize),
        cl::DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE | cl::DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => {
            reply.value(0_u32)
        }
        cl::DEVICE_NATIVE_VECTOR_WIDTH_CHAR
        | cl::DEVICE_NATIVE_VECTOR_WIDTH_SHORT
        | cl::DEVICE_NATIVE_VECTOR_WIDTH_INT
        | cl::DEVICE_NATIVE_VECTOR_WIDTH_LONG
        | cl::DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => reply.value(1_u32),
        cl::DEVICE_GLOBAL_MEM_CACHE_TYPE => reply.value(cl::NONE),
        cl::DEVICE_GLOBAL_MEM_CACHELINE_SIZE => reply.value(0_u32),
        cl::DEVICE_GLOBAL_MEM_CACHE_SIZE => reply.value(0_u64),
        cl::DEVICE_MAX_PARAMETER_SIZE => reply.value(1024_usize),
        _ => return None,
    })
}

/// The profile whose least sizes a device has.
fn profile(info: &DeviceInfo) -> &'static str {
    let full =
        info.global_memory >= 32 << 20 && info.local_memory >= 32 << 10 && info.printf_buffer >= 1 << 20;
    if full { FULL_PROFILE } else { "EMBEDDED_PROFILE" }
}

/// Kernel parameters that a launch takes: as many as a kernel can have.
const MAX_PARAMETERS: Uint = 512;

/// Images that a kernel may take of each kind of access, and samplers.
const MAX_IMAGES: Uint = 128;
const MAX_SAMPLERS: Uint = 16;

/// Orders and scopes of atomics: all of them, as devices share the host's coherent memory or execute alone.
const ATOMICS: u64 = cl::DEVICE_ATOMIC_ORDER_RELAXED
    | cl::DEVICE_ATOMIC_ORDER_ACQ_REL
    | cl::DEVICE_ATOMIC_ORDER_SEQ_CST
    | cl::DEVICE_ATOMIC_SCOPE_WORK_GROUP
    | cl::DEVICE_ATOMIC_SCOPE_DEVICE
    | cl::DEVICE_ATOMIC_SCOPE_ALL_DEVICES;

/// Features that OpenCL 3.0 leaves to the device: what is absent is answered as the specification asks.
fn optional(device: &Live<Device>, name: Uint, reply: Reply) -> Answer {
    let has_images = device.whole().info.has_images;
    let image_size = |size: u64| reply.value(if has_images { size as usize } else { 0 });
    match name {
        // Images and samplers. Rows may begin at any pixel.
        cl::DEVICE_IMAGE_SUPPORT => reply.bool(has_images),
        cl::DEVICE_MAX_READ_IMAGE_ARGS
        | cl::DEVICE_MAX_WRITE_IMAGE_ARGS
        | cl::DEVICE_MAX_READ_WRITE_IMAGE_ARGS => reply.value(if has_images { MAX_IMAGES } else { 0 }),
        cl::DEVICE_MAX_SAMPLERS => reply.value(if has_images { MAX_SAMPLERS } else { 0 }),
        cl::DEVICE_IMAGE_PITCH_ALIGNMENT | cl::DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => {
            reply.value(Uint::from(has_images))
        }
        cl::DEVICE_IMAGE2D_MAX_WIDTH | cl::DEVICE_IMAGE2D_MAX_HEIGHT => image_size(oxcl_runtime::MAX_PLANE),
        cl::DEVICE_IMAGE3D_MAX_WIDTH | cl::DEVICE_IMAGE3D_MAX_HEIGHT | cl::DEVICE_IMAGE3D_MAX_DEPTH => {
            image_size(oxcl_runtime::MAX_VOLUME)
        }
        cl::DEVICE_IMAGE_MAX_BUFFER_SIZE => image_size(oxcl_runtime::MAX_IN_BUFFER),
        cl::DEVICE_IMAGE_MAX_ARRAY_SIZE => image_size(oxcl_runtime::MAX_ELEMENTS),
        // Pipes and device-side enqueue.
        cl::DEVICE_PIPE_SUPPORT => reply.bool(false),
        cl::DEVICE_MAX_PIPE_ARGS
        | cl::DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS
        | cl::DEVICE_PIPE_MAX_PACKET_SIZE
        | cl::DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE
        | cl::DEVICE_QUEUE_ON_DEVICE_MAX_SIZE
        | cl::DEVICE_MAX_ON_DEVICE_QUEUES
        | cl::DEVICE_MAX_ON_DEVICE_EVENTS => reply.value(0_u32),
        cl::DEVICE_QUEUE_ON_DEVICE_PROPERTIES | cl::DEVICE_DEVICE_ENQUEUE_CAPABILITIES => reply.value(0_u64),
        // Variables at program scope: those of processors take a part of their small memories.
        cl::DEVICE_MAX_GLOBAL_VARIABLE_SIZE | cl::DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => {
            reply.value(if device.whole().is_narrow() { 64_usize << 10 } else { 16 << 20 })
        }
        // Sub-groups and work-group functions.
        cl::DEVICE_MAX_NUM_SUB_GROUPS => {
            reply.value(sub_group::most(device.whole().info.max_work_group_size))
        }
        // cl_intel_required_subgroup_size.
        cl::DEVICE_SUB_GROUP_SIZES_INTEL => reply.slice(&sub_group::sizes()),
        cl::DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => reply.bool(false),
        cl::DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT => reply.bool(true),
        cl::DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT => reply.bool(true),
        cl::DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => reply.bool(!device.whole().is_narrow()),
        // Intermediate languages and built-in kernels.
        cl::DEVICE_IL_VERSION => reply.text(&reported::il_names(device.whole().is_narrow())),
        cl::DEVICE_ILS_WITH_VERSION => named(reply, reported::ils(device.whole().is_narrow())),
        cl::DEVICE_BUILT_IN_KERNELS => reply.text(""),
        cl::DEVICE_BUILT_IN_KERNELS_WITH_VERSION => reply.bytes(&[]),
        // Atomics: 0 means the natural alignment.
        cl::DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
        | cl::DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
        | cl::DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => reply.value(0_u32),
        cl::DEVICE_ATOMIC_MEMORY_CAPABILITIES => reply.value(ATOMICS),
        cl::DEVICE_ATOMIC_FENCE_CAPABILITIES => reply.value(ATOMICS | cl::DEVICE_ATOMIC_SCOPE_WORK_ITEM),
        cl::DEVICE_SVM_CAPABILITIES => {
            reply.value(if device.whole().shares_memory() { svm::CAPABILITIES } else { 0 })
        }
        _ => extended(device, name, reply),
    }
}

/// Partition, and what extensions ask.
fn extended(device: &Live<Device>, name: Uint, reply: Reply) -> Answer {
    let host = Host::get();
    match name {
        cl::DEVICE_PARENT_DEVICE => {
            reply.value(device.parent.as_ref().map_or(Handle::NULL, |parent| parent.handle()))
        }
        cl::DEVICE_PARTITION_MAX_SUB_DEVICES => reply.value(device.units as Uint),
        cl::DEVICE_PARTITION_PROPERTIES => reply.slice(&partition::properties(device)),
        cl::DEVICE_PARTITION_AFFINITY_DOMAIN => reply.value(partition::affinity_domains(device)),
        cl::DEVICE_PARTITION_TYPE => reply.slice(&device.partition),
        // cl_khr_device_uuid.
        cl::DEVICE_UUID => reply.bytes(&host.uuid),
        cl::DRIVER_UUID => {
            let mut uuid = *b"oxcl............";
            for (place, byte) in uuid[4..].iter_mut().zip(env!("CARGO_PKG_VERSION").bytes()) {
                *place = byte;
            }
            reply.bytes(&uuid)
        }
        cl::DEVICE_LUID_VALID => reply.bool(false),
        cl::DEVICE_LUID => reply.bytes(&[0; 8]),
        cl::DEVICE_NODE_MASK => reply.value(1_u32),
        // cl_khr_spirv_queries: names are pointers, numbers the specification's.
        cl::DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS => {
            reply.slice(&reported::il_texts(oxcl_runtime::IL_INSTRUCTION_SETS, device.whole().is_narrow()))
        }
        cl::DEVICE_SPIRV_EXTENSIONS => {
            reply.slice(&reported::il_texts(oxcl_runtime::IL_EXTENSIONS, device.whole().is_narrow()))
        }
        cl::DEVICE_SPIRV_CAPABILITIES => reply.slice(&reported::il_capabilities(device.whole().is_narrow())),
        // cl_khr_integer_dot_product: of vectors and of packed bytes; no form is an operation of its own on every processor.
        cl::DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES => reply.value(3_u64),
        cl::DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_8BIT
        | cl::DEVICE_INTEGER_DOT_PRODUCT_ACCELERATION_PACKED => reply.slice(&[0_u32; 6]),
        // cl_khr_kernel_clock: the device's and the group's.
        cl::DEVICE_KERNEL_CLOCK_CAPABILITIES => {
            reply.value(if device.whole().is_narrow() { 0_u64 } else { 3 })
        }
        // cl_ext_float_atomics: loads and stores, sums, extremes, in global (the low half) and local memory.
        cl::DEVICE_SINGLE_FP_ATOMIC_CAPABILITIES
        | cl::DEVICE_DOUBLE_FP_ATOMIC_CAPABILITIES
        | cl::DEVICE_HALF_FP_ATOMIC_CAPABILITIES => {
            reply.value(if device.whole().is_narrow() { 0_u64 } else { 0x0007_0007 })
        }
        // cl_intel_unified_shared_memory: device and host are one, and atomics work everywhere.
        cl::DEVICE_HOST_MEM_CAPABILITIES_INTEL
        | cl::DEVICE_DEVICE_MEM_CAPABILITIES_INTEL
        | cl::DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
        | cl::DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL
        | cl::DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL => reply.value(if device.whole().shares_memory() {
            cl::UNIFIED_SHARED_MEMORY_ACCESS_INTEL
                | cl::UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL
                | cl::UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL
                | cl::UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL
        } else {
            0
        }),
        // CL_INVALID_VALUE if param_name is none of the supported values (4.2).
        _ => refuse(cl::INVALID_VALUE),
    }
}
