//! Machine code from a module, in memory.

use inkwell::module::Module;

use crate::bridge::{self, Heard};
use crate::machine::{CodegenError, Machine};

/// What is emitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// A relocatable ELF object.
    Object,
    /// Assembly text.
    Assembly,
}

impl Machine {
    /// Emits `module`; its IR is changed by LLVM's code generator and is of no use for anything else afterwards.
    ///
    /// # Errors
    /// LLVM cannot select an instruction, or failed.
    pub fn emit(&self, module: &Module<'_>, output: Output) -> Result<Vec<u8>, CodegenError> {
        let mut heard = Heard::default();
        // SAFETY: module and machine are valid and this thread's; both sinks get the `Heard` of `user`.
        let outcome = unsafe {
            bridge::oxcl_emit(
                module.as_mut_ptr(),
                self.raw(),
                u32::from(output == Output::Assembly),
                bridge::hear_bytes,
                bridge::hear_message,
                heard.user(),
            )
        };
        CodegenError::check(outcome, "code generation", &heard)?;
        Ok(heard.bytes)
    }

    /// The machine IR of `module` before registers are assigned, and its data, as text; for machines of
    /// [`Machine::riscv32`]. The module is of no use afterwards.
    ///
    /// # Errors
    /// LLVM cannot select an instruction, or failed; an initial value that memory cannot hold.
    pub fn tap(&self, module: &Module<'_>) -> Result<String, CodegenError> {
        let mut heard = Heard::default();
        // SAFETY: module and machine are valid and this thread's; both sinks get the `Heard` of `user`.
        let outcome = unsafe {
            bridge::oxcl_tap(
                module.as_mut_ptr(),
                self.raw(),
                bridge::hear_bytes,
                bridge::hear_message,
                heard.user(),
            )
        };
        CodegenError::check(outcome, "code generation", &heard)?;
        Ok(String::from_utf8_lossy(&heard.bytes).into_owned())
    }
}
