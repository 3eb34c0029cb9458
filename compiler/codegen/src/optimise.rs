//! LLVM's passes over a module of work-group functions.
//!
//! In: a module retargeted by [`Machine::retarget`], all builtins linked in. Out: the same functions, optimised, the
//! loops vectorised; what `exports` does not name is internal and may be gone.

use inkwell::module::Module;

use crate::bridge::{self, Heard, Pipeline, Text};
use crate::machine::{CodegenError, Level, Machine};

/// What the passes may do.
#[derive(Debug, Clone, Copy, Default)]
pub struct Passes<'a> {
    /// Symbols that others call; everything else becomes internal. Empty: everything stays as it is.
    pub exports: &'a [&'a str],
    /// Leave the loop and superword vectorisers out.
    pub no_vectorisers: bool,
    /// At [`Level::Quick`]: loops go through the vectoriser all the same.
    pub widen: bool,
    /// The module is a whole program whose calls are dear: inline whatever does not make it large.
    pub whole_program: bool,
    /// In a whole program, pointers of OpenCL's generic address space get the space that they come from, where that is known.
    pub generic: bool,
}

impl Machine {
    /// Runs the passes of the machine's level.
    ///
    /// # Errors
    /// The module is not valid IR (checked in debug builds), or LLVM failed.
    pub fn optimise(&self, module: &Module<'_>, passes: &Passes<'_>) -> Result<(), CodegenError> {
        let exports: Vec<Text> = passes.exports.iter().map(|name| Text::new(name)).collect();
        let pipeline = Pipeline {
            level: self.level.number(),
            vectorise: u32::from(self.level >= Level::O2 && !passes.no_vectorisers),
            verify: u32::from(cfg!(debug_assertions)),
            widen: u32::from(passes.widen),
            whole_program: u32::from(passes.whole_program),
            generic: u32::from(passes.generic),
            exports: exports.as_ptr(),
            export_count: exports.len(),
        };
        let mut heard = Heard::default();
        // SAFETY: module and machine are valid and this thread's; the pipeline lives until the call returns; the sink
        // gets the `Heard` of `user`.
        let outcome = unsafe {
            bridge::oxcl_optimise(
                module.as_mut_ptr(),
                self.raw(),
                &pipeline,
                bridge::hear_message,
                heard.user(),
            )
        };
        CodegenError::check(outcome, "optimisation", &heard)
    }
}
