//! Modules of SPIR-V, by LLVM's own back end. In: a module as the front end leaves it. Out: its words; the module is of no use
//! afterwards.

use oxcl_ir::Module;

use crate::bridge::{self, Heard, Text};
use crate::machine::CodegenError;

/// The extensions that modules may use: those that our own reader knows.
const EXTENSIONS: [&str; 12] = [
    "SPV_EXT_shader_atomic_float16_add",
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float_min_max",
    "SPV_INTEL_subgroups",
    "SPV_KHR_bit_instructions",
    "SPV_KHR_expect_assume",
    "SPV_KHR_integer_dot_product",
    "SPV_KHR_linkonce_odr",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_shader_clock",
    "SPV_KHR_subgroup_rotate",
    "SPV_KHR_uniform_group_instructions",
];

/// `module` as SPIR-V for addresses of so many bits. Each further attempt for the same module has the back end's own functions at
/// other addresses: it keeps labels by these, also when the functions are gone.
///
/// # Errors
/// LLVM's back end has no SPIR-V for something in it, or failed.
pub fn spirv(module: &Module<'_>, bits: u32, attempt: usize) -> Result<Vec<u8>, CodegenError> {
    let triple = if bits == 32 { "spirv32-unknown-unknown" } else { "spirv64-unknown-unknown" };
    let extensions = EXTENSIONS.map(Text::new);
    let mut heard = Heard::default();
    // SAFETY: the module is valid and this thread's; the texts live until the call returns; both sinks get the `Heard` of `user`.
    let outcome = unsafe {
        bridge::oxcl_spirv(
            module.as_mut_ptr(),
            Text::new(triple),
            extensions.as_ptr(),
            extensions.len(),
            attempt,
            bridge::hear_bytes,
            bridge::hear_message,
            heard.user(),
        )
    };
    CodegenError::check(outcome, "code generation", &heard)?;
    Ok(heard.bytes)
}
