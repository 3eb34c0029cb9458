//! The OpenCL C library: its functions as LLVM bitcode, made at build time from the OpenCL C sources in `src/cl`.
//!
//! The library comes in units, one module each, so that a program reads only what it uses:
//!
//! 1. collect the symbols that the program's module leaves undefined;
//! 2. [`units_for`] gives the units that define them (a symbol that none defines is not a function of the library);
//! 3. parse each unit lazily and link it into the program's module. Every function is `linkonce_odr`, so LLVM's linker
//!    takes over only those that the program reaches.
//!
//! Most units need no other. Where one does ([`Unit::calls_others`]: the mathematics of half is that of float), the same is done once
//! more. The functions use the calling convention `spir_func`, the data layout of
//! `spir64-unknown-unknown` or `spir-unknown-unknown`, and no attribute that names a machine: whoever compiles for a
//! device retargets them together with the program. Every function that has vector forms is one source for all widths,
//! and gives the same bits at each: replacing W calls by one of the [`vector_form`] is vectorising the call.
//!
//! What stays undefined: work-item functions and barriers, which the work-group pass lowers, and what asks
//! for operations of a processor and for small images ([`QUESTIONS`], [`MACHINE_OPERATIONS`]), which is answered once these are known. For the
//! reference executor alone, [`reference_work_items`] defines the work-item functions.
//!
//! This crate knows nothing of LLVM at run time: it hands out bytes.

pub mod catalog;
mod native;
mod symbols;
mod vector_form;

pub use catalog::catalogue;
pub use native::{NativeLevel, NativeObject, native_levels};
pub use symbols::{AddressBits, Unit, reference_work_items, symbols, unit_of, units, units_for};
pub use vector_form::vector_form;

/// A function `bool ()` that the library calls: whether a fused multiply-add is one operation of the machine. Results are the
/// same either way, but for products that underflow.
pub const HAS_FMA: &str = "oxcl_has_fma";

/// The same for a product with a power of two, and for a test of the class that a value is of. Results are the same either way.
pub const HAS_LDEXP: &str = "oxcl_has_ldexp";

/// The same for an estimate of a reciprocal square root. Results differ by less than the accuracy that is asked for.
pub const HAS_RSQRT_ESTIMATE: &str = "oxcl_has_rsqrt_estimate";

/// The same for arithmetic on half. Results are the same either way.
pub const HAS_HALF: &str = "oxcl_has_half";

/// The same for an estimate of a reciprocal square root that is good to 11 bits and takes subnormal values for zero, of float alone. Asked
/// where there is no better one.
pub const HAS_COARSE_RSQRT: &str = "oxcl_has_coarse_rsqrt";

/// A function `bool (image)`: whether code is made for images of less than 2^31 bytes alone. Answered where that is known of an
/// argument, and with no elsewhere.
pub const HAS_FEW_PIXELS: &str = "oxcl_has_few_pixels";

/// All questions.
pub const QUESTIONS: [&str; 6] =
    [HAS_FMA, HAS_LDEXP, HAS_RSQRT_ESTIMATE, HAS_HALF, HAS_COARSE_RSQRT, HAS_FEW_PIXELS];

/// An operation of a processor that the library calls by a name of ours, where it is told that there is one. It stays a call until
/// machine code is made.
#[derive(Debug, Clone, Copy)]
pub struct MachineOperation {
    /// What its mangled names begin with.
    pub prefix: &'static str,
    /// Of how many values of one type.
    arguments: usize,
    /// The element types that it is for, as they are mangled, and what the library asks before it calls it: all must be so.
    pub types: &'static [(&'static str, &'static [&'static str])],
}

/// All of them: an estimate of a reciprocal square root and a coarse one, the same of a reciprocal (processors that have the ones have the
/// others), a product with a power of two, and whether a value is zero, subnormal, negative, infinite or NaN.
pub const MACHINE_OPERATIONS: [MachineOperation; 6] = [
    MachineOperation {
        prefix: "_Z19oxcl_rsqrt_estimate",
        arguments: 1,
        types: &[
            ("f", &[HAS_RSQRT_ESTIMATE]),
            ("d", &[HAS_RSQRT_ESTIMATE]),
            ("Dh", &[HAS_RSQRT_ESTIMATE, HAS_HALF]),
        ],
    },
    MachineOperation { prefix: "_Z17oxcl_rsqrt_coarse", arguments: 1, types: &[("f", &[HAS_COARSE_RSQRT])] },
    MachineOperation {
        prefix: "_Z19oxcl_recip_estimate",
        arguments: 1,
        types: &[("f", &[HAS_RSQRT_ESTIMATE])],
    },
    MachineOperation { prefix: "_Z17oxcl_recip_coarse", arguments: 1, types: &[("f", &[HAS_COARSE_RSQRT])] },
    MachineOperation {
        prefix: "_Z10oxcl_scale",
        arguments: 2,
        types: &[("f", &[HAS_LDEXP]), ("d", &[HAS_LDEXP])],
    },
    MachineOperation {
        prefix: "_Z15oxcl_unordinary",
        arguments: 1,
        types: &[("f", &[HAS_LDEXP]), ("d", &[HAS_LDEXP]), ("Dh", &[HAS_RSQRT_ESTIMATE, HAS_HALF])],
    },
];

impl MachineOperation {
    /// The symbol for one of its element types and so many elements.
    pub fn symbol(&self, ty: &str, width: u32) -> String {
        let prefix = self.prefix;
        // A type that was named before is short, and those of scalars are no longer than that.
        match width {
            1 => format!("{prefix}{}", ty.repeat(self.arguments)),
            _ => format!("{prefix}Dv{width}_{ty}{}", "S_".repeat(self.arguments - 1)),
        }
    }
}
