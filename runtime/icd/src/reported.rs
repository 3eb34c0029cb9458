//! What we say that we are: names, versions, extensions and features. Everything listed here works; what is not listed
//! is answered with the error that the specification has for absent features.

use std::ffi::CStr;

use crate::types::{NameVersion, Uint, version};

/// Name of the platform, and of its vendor, where the user chooses none (`names`).
pub(crate) const NAME: &str = "oxcl";
/// `CL_PLATFORM_VERSION`.
pub(crate) const PLATFORM_VERSION: &str = concat!("OpenCL 3.1 oxcl ", env!("CARGO_PKG_VERSION"));
/// The same as a number.
pub(crate) const PLATFORM_NUMERIC_VERSION: Uint = version(3, 1, 0);
/// `CL_DRIVER_VERSION`.
pub(crate) const DRIVER_VERSION: &str = env!("CARGO_PKG_VERSION");
/// `CL_DEVICE_OPENCL_C_VERSION`: the newest version that has no optional features to ask about.
pub(crate) const C_VERSION: &str = "OpenCL C 1.2 oxcl";
/// The same as a number.
pub(crate) const C_NUMERIC_VERSION: Uint = version(1, 2, 0);
/// A number for the vendor: none was given to us, so it is one that no bus knows.
pub(crate) const VENDOR_ID: Uint = 0x6f78;

/// A name and the version of what it names.
pub(crate) type Named = (&'static str, Uint);

const V1: Uint = version(1, 0, 0);

/// Extensions of the platform.
pub(crate) const PLATFORM_EXTENSIONS: &[Named] = &[("cl_khr_icd", V1), ("cl_khr_extended_versioning", V1)];

/// Extensions of every device.
pub(crate) const DEVICE_EXTENSIONS: &[Named] = &[
    ("cl_khr_3d_image_writes", V1),
    ("cl_khr_byte_addressable_store", V1),
    ("cl_khr_depth_images", V1),
    ("cl_khr_image2d_from_buffer", V1),
    ("cl_khr_mipmap_image", V1),
    ("cl_khr_mipmap_image_writes", V1),
    ("cl_khr_global_int32_base_atomics", V1),
    ("cl_khr_global_int32_extended_atomics", V1),
    ("cl_khr_local_int32_base_atomics", V1),
    ("cl_khr_local_int32_extended_atomics", V1),
    ("cl_khr_int64_base_atomics", V1),
    ("cl_khr_int64_extended_atomics", V1),
    ("cl_khr_fp16", V1),
    ("cl_khr_fp64", V1),
    ("cl_khr_expect_assume", V1),
    ("cl_khr_extended_async_copies", V1),
    ("cl_khr_extended_bit_ops", V1),
    ("cl_khr_initialize_memory", V1),
    ("cl_khr_integer_dot_product", version(2, 0, 0)),
    ("cl_khr_kernel_clock", V1),
    ("cl_khr_subgroup_ballot", V1),
    ("cl_khr_subgroup_clustered_reduce", V1),
    ("cl_khr_subgroup_extended_types", V1),
    ("cl_khr_subgroup_non_uniform_arithmetic", V1),
    ("cl_khr_subgroup_non_uniform_vote", V1),
    ("cl_khr_subgroup_rotate", V1),
    ("cl_khr_subgroup_shuffle", V1),
    ("cl_khr_subgroup_shuffle_relative", V1),
    ("cl_intel_required_subgroup_size", V1),
    ("cl_intel_subgroup_local_block_io", V1),
    ("cl_intel_subgroups", V1),
    ("cl_intel_subgroups_char", V1),
    ("cl_intel_subgroups_long", V1),
    ("cl_intel_subgroups_short", V1),
    ("cl_arm_printf", version(2, 0, 0)),
    ("cl_ext_float_atomics", V1),
    ("cl_khr_il_program", V1),
    ("cl_khr_spirv_linkonce_odr", V1),
    ("cl_khr_spirv_no_integer_wrap_decoration", V1),
    ("cl_khr_spirv_queries", V1),
    ("cl_intel_spirv_subgroups", V1),
    ("cl_khr_icd", V1),
    ("cl_khr_extended_versioning", V1),
    ("cl_khr_create_command_queue", V1),
    ("cl_khr_suggested_local_work_size", V1),
    ("cl_khr_device_uuid", V1),
    ("cl_khr_priority_hints", V1),
    ("cl_khr_throttle_hints", V1),
    ("cl_intel_unified_shared_memory", version(1, 2, 0)),
    ("cl_ext_buffer_device_address", version(1, 0, 2)),
];

/// Versions of OpenCL C that programs may ask for.
const C_VERSIONS: &[Named] = &[
    ("OpenCL C", version(1, 0, 0)),
    ("OpenCL C", version(1, 1, 0)),
    ("OpenCL C", version(1, 2, 0)),
    ("OpenCL C", version(3, 0, 0)),
    ("OpenCL C", version(3, 1, 0)),
];

/// `CL_DEVICE_VERSION`. OpenCL 3.1 asks for SPIR-V, which devices with addresses of 32 bits do not take: they are of 3.0.
pub(crate) fn device_version(narrow: bool) -> &'static str {
    if narrow { concat!("OpenCL 3.0 oxcl ", env!("CARGO_PKG_VERSION")) } else { PLATFORM_VERSION }
}

/// The same as a number.
pub(crate) fn device_numeric_version(narrow: bool) -> Uint {
    if narrow { version(3, 0, 0) } else { PLATFORM_NUMERIC_VERSION }
}

/// The versions of OpenCL C that a device takes: none that is newer than its own.
pub(crate) fn c_versions(narrow: bool) -> Vec<Named> {
    let own = device_numeric_version(narrow);
    C_VERSIONS.iter().filter(|(_, version)| *version <= own).copied().collect()
}

/// Optional features of OpenCL C 3.0.
pub(crate) const C_FEATURES: &[Named] = &[
    ("__opencl_c_3d_image_writes", version(3, 0, 0)),
    ("__opencl_c_atomic_order_acq_rel", version(3, 0, 0)),
    ("__opencl_c_atomic_order_seq_cst", version(3, 0, 0)),
    ("__opencl_c_atomic_scope_all_devices", version(3, 0, 0)),
    ("__opencl_c_atomic_scope_device", version(3, 0, 0)),
    ("__opencl_c_ext_fp16_global_atomic_add", V1),
    ("__opencl_c_ext_fp16_global_atomic_load_store", V1),
    ("__opencl_c_ext_fp16_global_atomic_min_max", V1),
    ("__opencl_c_ext_fp16_local_atomic_add", V1),
    ("__opencl_c_ext_fp16_local_atomic_load_store", V1),
    ("__opencl_c_ext_fp16_local_atomic_min_max", V1),
    ("__opencl_c_ext_fp32_global_atomic_add", V1),
    ("__opencl_c_ext_fp32_global_atomic_min_max", V1),
    ("__opencl_c_ext_fp32_local_atomic_add", V1),
    ("__opencl_c_ext_fp32_local_atomic_min_max", V1),
    ("__opencl_c_ext_fp64_global_atomic_add", V1),
    ("__opencl_c_ext_fp64_global_atomic_min_max", V1),
    ("__opencl_c_ext_fp64_local_atomic_add", V1),
    ("__opencl_c_ext_fp64_local_atomic_min_max", V1),
    ("__opencl_c_fp64", version(3, 0, 0)),
    ("__opencl_c_generic_address_space", version(3, 0, 0)),
    ("__opencl_c_images", version(3, 0, 0)),
    ("__opencl_c_int64", version(3, 0, 0)),
    ("__opencl_c_integer_dot_product_input_4x8bit", version(2, 0, 0)),
    ("__opencl_c_integer_dot_product_input_4x8bit_packed", version(2, 0, 0)),
    ("__opencl_c_kernel_clock_scope_device", V1),
    ("__opencl_c_kernel_clock_scope_work_group", V1),
    ("__opencl_c_program_scope_global_variables", version(3, 0, 0)),
    ("__opencl_c_read_write_images", version(3, 0, 0)),
    ("__opencl_c_subgroups", version(3, 0, 0)),
    ("__opencl_c_work_group_collective_functions", version(3, 0, 0)),
];

/// Intermediate languages that programs may come in, the newest version first.
const ILS: &[Named] = &[
    ("SPIR-V", version(1, 6, 0)),
    ("SPIR-V", version(1, 5, 0)),
    ("SPIR-V", version(1, 4, 0)),
    ("SPIR-V", version(1, 3, 0)),
    ("SPIR-V", version(1, 2, 0)),
    ("SPIR-V", version(1, 1, 0)),
    ("SPIR-V", version(1, 0, 0)),
];

/// Those of a device.
pub(crate) fn ils(narrow: bool) -> &'static [Named] {
    if narrow { &[] } else { ILS }
}

/// The same as one text: `SPIR-V_1.0`, with a blank between them.
pub(crate) fn il_names(narrow: bool) -> String {
    let name = |(name, number): &Named| format!("{name}_{}.{}", number >> 22, number >> 12 & 0x3FF);
    ils(narrow).iter().map(name).collect::<Vec<_>>().join(" ")
}

/// Names of what modules may ask for, as pointers to texts that stay.
pub(crate) fn il_texts(names: &'static [&'static CStr], narrow: bool) -> Vec<usize> {
    if narrow { Vec::new() } else { names.iter().map(|name| name.as_ptr().expose_provenance()).collect() }
}

/// Numbers of the capabilities that modules may declare.
pub(crate) fn il_capabilities(narrow: bool) -> Vec<Uint> {
    if narrow {
        Vec::new()
    } else {
        oxcl_runtime::IL_CAPABILITIES.iter().map(|(number, _)| *number).collect()
    }
}

/// What devices with addresses of 32 bits do not have.
const WIDE_ONLY: [&str; 19] = [
    "__opencl_c_3d_image_writes",
    "__opencl_c_fp64",
    "__opencl_c_generic_address_space",
    "__opencl_c_images",
    "__opencl_c_read_write_images",
    "cl_ext_float_atomics",
    "cl_khr_3d_image_writes",
    "cl_khr_depth_images",
    "cl_khr_il_program",
    "cl_khr_fp64",
    "cl_khr_image2d_from_buffer",
    "cl_intel_spirv_subgroups",
    "cl_khr_initialize_memory",
    "cl_khr_kernel_clock",
    "cl_khr_mipmap_image",
    "cl_khr_mipmap_image_writes",
    "cl_khr_spirv_linkonce_odr",
    "cl_khr_spirv_no_integer_wrap_decoration",
    "cl_khr_spirv_queries",
];

/// What the names of such features begin with.
const WIDE_ONLY_PREFIXES: [&str; 2] = ["__opencl_c_ext_fp", "__opencl_c_kernel_clock"];

/// What devices with memory of their own do not have.
const SHARED_ONLY: [&str; 2] = ["cl_ext_buffer_device_address", "cl_intel_unified_shared_memory"];

fn without_wide(all: &[Named], narrow: bool) -> Vec<Named> {
    let is_wide = |name: &str| {
        WIDE_ONLY.contains(&name) || WIDE_ONLY_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    };
    all.iter().filter(|(name, _)| !narrow || !is_wide(name)).copied().collect()
}

/// The extensions of a device that shares the host's memory or does not; one of the embedded profile says that it computes
/// with 64-bit integers.
pub(crate) fn extensions(narrow: bool, shares: bool, embedded: bool) -> Vec<Named> {
    let mut all = without_wide(DEVICE_EXTENSIONS, narrow);
    all.retain(|(name, _)| shares || !SHARED_ONLY.contains(name));
    if embedded {
        all.push(("cles_khr_int64", V1));
    }
    all
}

/// The optional features of OpenCL C of a device.
pub(crate) fn features(narrow: bool) -> Vec<Named> {
    without_wide(C_FEATURES, narrow)
}

/// The names with a blank between them.
pub(crate) fn extension_names(all: &[Named]) -> String {
    let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    names.join(" ")
}

/// The list as C reads it.
pub(crate) fn with_versions(all: &[Named]) -> Vec<NameVersion> {
    all.iter().map(|(name, version)| NameVersion::new(name, *version)).collect()
}
