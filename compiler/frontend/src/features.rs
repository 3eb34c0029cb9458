//! The one table of OpenCL C extensions and optional features: what a kernel may use, which macros it sees.
//!
//! A row is here only when `builtins` defines what the row promises. Everything that is no row is off: clang declares
//! neither its functions nor its macro.

use crate::compile::Bits;
use crate::options::Standard;

/// An extension or an optional feature of OpenCL C.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Feature {
    /// The macro's name.
    pub name: &'static str,
    /// The first version of the language that has it.
    pub since: Standard,
    /// Extension or feature.
    pub kind: Kind,
    /// clang has no switch for it, only declarations under its macro.
    is_macro: bool,
}

/// Which of the two name spaces a feature is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `cl_khr_…`: listed in `CL_DEVICE_EXTENSIONS` too.
    Extension,
    /// `__opencl_c_…`: listed in `CL_DEVICE_OPENCL_C_FEATURES` too.
    Feature,
}

const fn extension(name: &'static str) -> Feature {
    Feature { name, since: Standard::Cl10, kind: Kind::Extension, is_macro: false }
}

const fn feature(name: &'static str) -> Feature {
    Feature { name, since: Standard::Cl30, kind: Kind::Feature, is_macro: false }
}

/// An extension that clang only knows by its macro.
const fn macro_extension(name: &'static str) -> Feature {
    Feature { is_macro: true, ..extension(name) }
}

/// A feature that clang only knows by its macro: one that belongs to an extension, and so to every version.
const fn macro_feature(name: &'static str) -> Feature {
    Feature { name, since: Standard::Cl10, kind: Kind::Feature, is_macro: true }
}

/// What is on, sorted by name within its kind.
pub const FEATURES: &[Feature] = &[
    macro_extension("cl_ext_float_atomics"),
    macro_extension("cl_intel_required_subgroup_size"),
    macro_extension("cl_intel_subgroup_local_block_io"),
    extension("cl_intel_subgroups"),
    macro_extension("cl_intel_subgroups_char"),
    macro_extension("cl_intel_subgroups_long"),
    extension("cl_intel_subgroups_short"),
    extension("cl_khr_3d_image_writes"),
    extension("cl_khr_byte_addressable_store"),
    extension("cl_khr_depth_images"),
    macro_extension("cl_khr_async_work_group_copy_fence"),
    macro_extension("cl_khr_expect_assume"),
    macro_extension("cl_khr_extended_async_copies"),
    macro_extension("cl_khr_extended_bit_ops"),
    extension("cl_khr_fp16"),
    extension("cl_khr_fp64"),
    extension("cl_khr_global_int32_base_atomics"),
    extension("cl_khr_global_int32_extended_atomics"),
    extension("cl_khr_int64_base_atomics"),
    extension("cl_khr_int64_extended_atomics"),
    macro_extension("cl_khr_image2d_from_buffer"),
    macro_extension("cl_khr_integer_dot_product"),
    macro_extension("cl_khr_kernel_clock"),
    extension("cl_khr_mipmap_image"),
    extension("cl_khr_mipmap_image_writes"),
    extension("cl_khr_local_int32_base_atomics"),
    extension("cl_khr_local_int32_extended_atomics"),
    macro_extension("cl_khr_subgroup_ballot"),
    macro_extension("cl_khr_subgroup_clustered_reduce"),
    macro_extension("cl_khr_subgroup_extended_types"),
    macro_extension("cl_khr_subgroup_non_uniform_arithmetic"),
    macro_extension("cl_khr_subgroup_non_uniform_vote"),
    macro_extension("cl_khr_subgroup_rotate"),
    macro_extension("cl_khr_subgroup_shuffle"),
    macro_extension("cl_khr_subgroup_shuffle_relative"),
    macro_extension("cl_khr_work_group_uniform_arithmetic"),
    feature("__opencl_c_3d_image_writes"),
    feature("__opencl_c_atomic_order_acq_rel"),
    feature("__opencl_c_atomic_order_seq_cst"),
    feature("__opencl_c_atomic_scope_all_devices"),
    feature("__opencl_c_atomic_scope_device"),
    macro_feature("__opencl_c_ext_fp16_global_atomic_add"),
    macro_feature("__opencl_c_ext_fp16_global_atomic_load_store"),
    macro_feature("__opencl_c_ext_fp16_global_atomic_min_max"),
    macro_feature("__opencl_c_ext_fp16_local_atomic_add"),
    macro_feature("__opencl_c_ext_fp16_local_atomic_load_store"),
    macro_feature("__opencl_c_ext_fp16_local_atomic_min_max"),
    macro_feature("__opencl_c_ext_fp32_global_atomic_add"),
    macro_feature("__opencl_c_ext_fp32_global_atomic_min_max"),
    macro_feature("__opencl_c_ext_fp32_local_atomic_add"),
    macro_feature("__opencl_c_ext_fp32_local_atomic_min_max"),
    macro_feature("__opencl_c_ext_fp64_global_atomic_add"),
    macro_feature("__opencl_c_ext_fp64_global_atomic_min_max"),
    macro_feature("__opencl_c_ext_fp64_local_atomic_add"),
    macro_feature("__opencl_c_ext_fp64_local_atomic_min_max"),
    feature("__opencl_c_fp64"),
    feature("__opencl_c_generic_address_space"),
    feature("__opencl_c_images"),
    feature("__opencl_c_int64"),
    macro_feature("__opencl_c_integer_dot_product_input_4x8bit"),
    macro_feature("__opencl_c_integer_dot_product_input_4x8bit_packed"),
    macro_feature("__opencl_c_kernel_clock_scope_device"),
    macro_feature("__opencl_c_kernel_clock_scope_work_group"),
    feature("__opencl_c_program_scope_global_variables"),
    feature("__opencl_c_read_write_images"),
    feature("__opencl_c_subgroups"),
    feature("__opencl_c_work_group_collective_functions"),
];

/// What 32-bit devices do not have: 64-bit floats, atomic operations on floats, a clock, images.
const WIDE_ONLY: [&str; 12] = [
    "cl_khr_fp64",
    "__opencl_c_fp64",
    "cl_ext_float_atomics",
    "cl_khr_kernel_clock",
    "cl_khr_3d_image_writes",
    "cl_khr_depth_images",
    "cl_khr_image2d_from_buffer",
    "cl_khr_mipmap_image",
    "cl_khr_mipmap_image_writes",
    "__opencl_c_images",
    "__opencl_c_3d_image_writes",
    "__opencl_c_read_write_images",
];

/// What the names of features begin with that 32-bit devices do not have.
const WIDE_ONLY_PREFIXES: [&str; 2] = ["__opencl_c_ext_fp", "__opencl_c_kernel_clock"];

/// Whether a name is among what only 64-bit devices have.
fn is_wide_only(name: &str) -> bool {
    WIDE_ONLY.contains(&name) || WIDE_ONLY_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// What is on for devices whose addresses have so many bits.
pub fn features(bits: Bits) -> impl Iterator<Item = &'static Feature> {
    FEATURES.iter().filter(move |feature| bits == Bits::Bits64 || !is_wide_only(feature.name))
}

/// Whether clang has a switch for what the table has under this name.
pub(crate) fn has_switch(name: &str) -> bool {
    FEATURES.iter().any(|feature| feature.name == name && !feature.is_macro)
}

/// What OpenCL C 2.0 has without asking, by the macros under which clang's header declares it.
const SINCE_2_0: [&str; 8] = [
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_work_group_collective_functions",
    "__opencl_c_images",
    "__opencl_c_3d_image_writes",
    "__opencl_c_read_write_images",
];

/// What makes OpenCL C 3.1 of clang's 3.0: what it adds is in the header anyway, as extensions of 3.0 that every device of ours has.
const SINCE_3_1: [&str; 3] = ["-U__OPENCL_C_VERSION__", "-D__OPENCL_C_VERSION__=310", "-DCL_VERSION_3_1=310"];

/// The macros that clang has to be told to define beside those of `-cl-ext`; `is_off` names what a program wants to be without.
pub(crate) fn clang_macros(standard: Standard, bits: Bits, is_off: impl Fn(&str) -> bool) -> Vec<String> {
    let of_2_0 = SINCE_2_0
        .iter()
        .copied()
        .filter(|name| standard == Standard::Cl20 && (bits == Bits::Bits64 || !is_wide_only(name)));
    let by_macro = features(bits).filter(|feature| feature.is_macro && !is_off(feature.name));
    let mut macros: Vec<String> =
        of_2_0.chain(by_macro.map(|feature| feature.name)).map(|name| format!("-D{name}=1")).collect();
    if standard == Standard::Cl31 {
        macros.extend(SINCE_3_1.map(str::to_owned));
    }
    macros
}

/// The value of clang's `-cl-ext` for a version of the language: everything off but what the table has.
pub(crate) fn clang_extensions(standard: Standard, bits: Bits) -> String {
    let mut value = String::from("-all");
    for feature in features(bits) {
        // `__opencl_c_int64` is defined by the base header for every full-profile device; clang knows no switch.
        if standard >= feature.since && feature.name != "__opencl_c_int64" && !feature.is_macro {
            value.push_str(",+");
            value.push_str(feature.name);
        }
    }
    if standard == Standard::Cl20 {
        // In OpenCL C 2.0 these are no options but part of the language.
        value.push_str(",+__opencl_c_generic_address_space,+__opencl_c_program_scope_global_variables");
    }
    value
}
