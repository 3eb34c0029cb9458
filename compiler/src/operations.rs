//! Operations of a processor that the mathematics has two ways for.
//!
//! In: a module with its builtins linked, for one processor. Out: the same, in which the library's questions whether that has them
//! are answered. What follows folds the branches on it.

use oxcl_builtins::{HAS_FMA, HAS_LDEXP};
use oxcl_codegen::CpuTarget;
use oxcl_ir::{Function, Module, Opcode};

/// What a processor does in one operation.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Operations {
    /// A product and a sum, rounded once.
    fma: bool,
    /// A product with a power of two, rounded once.
    ldexp: bool,
}

impl Operations {
    /// Those of a processor.
    pub(crate) fn of(cpu: &CpuTarget) -> Self {
        let ldexp = ["avx512f", "avx512dq", "avx512vl"].iter().all(|feature| cpu.has(feature));
        Self { fma: cpu.has("fma"), ldexp }
    }

    /// Answers the questions.
    pub(crate) fn settle(self, module: &Module<'_>) {
        for (question, answer) in [(HAS_FMA, self.fma), (HAS_LDEXP, self.ldexp)] {
            let Some(question) = Function::find(module, question) else { continue };
            for user in question.value().users() {
                if user.is(Opcode::LLVMCall) {
                    user.replace_uses_with(user.ty().int(answer.into()));
                    user.erase();
                }
            }
        }
    }
}
