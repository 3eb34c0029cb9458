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
    Feature { name, since: Standard::Cl10, kind: Kind::Extension }
}

const fn feature(name: &'static str) -> Feature {
    Feature { name, since: Standard::Cl30, kind: Kind::Feature }
}

/// What is on, sorted by name within its kind.
pub const FEATURES: &[Feature] = &[
    extension("cl_khr_byte_addressable_store"),
    extension("cl_khr_fp16"),
    extension("cl_khr_fp64"),
    extension("cl_khr_global_int32_base_atomics"),
    extension("cl_khr_global_int32_extended_atomics"),
    extension("cl_khr_int64_base_atomics"),
    extension("cl_khr_int64_extended_atomics"),
    extension("cl_khr_local_int32_base_atomics"),
    extension("cl_khr_local_int32_extended_atomics"),
    feature("__opencl_c_atomic_order_acq_rel"),
    feature("__opencl_c_atomic_order_seq_cst"),
    feature("__opencl_c_atomic_scope_all_devices"),
    feature("__opencl_c_atomic_scope_device"),
    feature("__opencl_c_fp64"),
    feature("__opencl_c_generic_address_space"),
    feature("__opencl_c_int64"),
    feature("__opencl_c_program_scope_global_variables"),
    feature("__opencl_c_work_group_collective_functions"),
];

/// What 32-bit devices do not have: 64-bit floats.
const WIDE_ONLY: [&str; 2] = ["cl_khr_fp64", "__opencl_c_fp64"];

/// What is on for devices whose addresses have so many bits.
pub fn features(bits: Bits) -> impl Iterator<Item = &'static Feature> {
    FEATURES.iter().filter(move |feature| bits == Bits::Bits64 || !WIDE_ONLY.contains(&feature.name))
}

/// What OpenCL C 2.0 has without asking, by the macros under which clang's header declares it.
const SINCE_2_0: [&str; 5] = [
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_work_group_collective_functions",
];

/// The macros that clang has to be told to define beside those of `-cl-ext`.
pub(crate) fn clang_macros(standard: Standard) -> impl Iterator<Item = String> {
    SINCE_2_0.iter().filter(move |_| standard == Standard::Cl20).map(|name| format!("-D{name}=1"))
}

/// The value of clang's `-cl-ext` for a version of the language: everything off but what the table has.
pub(crate) fn clang_extensions(standard: Standard, bits: Bits) -> String {
    let mut value = String::from("-all");
    for feature in features(bits) {
        // `__opencl_c_int64` is defined by the base header for every full-profile device; clang knows no switch.
        if standard >= feature.since && feature.name != "__opencl_c_int64" {
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
