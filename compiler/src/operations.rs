//! Operations of a processor that the mathematics has two ways for.
//!
//! In: a module with its builtins linked, for one processor. Out: the same, in which the library's questions whether that has them
//! are answered, and arithmetic on half is of operations that it has. What follows folds the branches on it. An operation that the library calls by a
//! name of ours stays a call, which names its vector forms; code generation makes the operation of it.

use oxcl_builtins::{
    HAS_COARSE_RSQRT, HAS_FEW_PIXELS, HAS_FMA, HAS_HALF, HAS_LDEXP, HAS_RSQRT_ESTIMATE, MACHINE_OPERATIONS,
};
use oxcl_codegen::{Architecture, CpuTarget};
use oxcl_ir::module::lower_half;
use oxcl_ir::{Function, Module, Opcode, Value};

use crate::native::mark_pure;

/// The elements of the operations' vector forms.
const WIDTHS: [u32; 4] = [2, 4, 8, 16];

/// What a processor does in one operation.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Operations {
    /// A product and a sum, rounded once.
    fma: bool,
    /// A product with a power of two, rounded once.
    ldexp: bool,
    /// An estimate of a reciprocal square root.
    rsqrt: bool,
    /// A coarse one, of floats.
    coarse_rsqrt: bool,
    /// Conversions between half and float.
    half_conversions: bool,
    /// Arithmetic on half.
    half: bool,
}

impl Operations {
    /// Those of a processor.
    pub(crate) fn of(cpu: &CpuTarget) -> Self {
        let has = |features: &[&str]| features.iter().all(|feature| cpu.has(feature));
        if cpu.architecture() == Architecture::Aarch64 {
            // Fused operations and conversions are part of the architecture.
            return Self {
                fma: true,
                ldexp: false,
                rsqrt: false,
                coarse_rsqrt: false,
                half_conversions: true,
                half: cpu.has("fullfp16"),
            };
        }
        let rsqrt = has(&["avx512f", "avx512vl"]);
        Self {
            fma: cpu.has("fma"),
            ldexp: has(&["avx512f", "avx512dq", "avx512vl"]),
            rsqrt,
            // Without fused operations to divide is as fast.
            coarse_rsqrt: has(&["avx", "fma"]) && !rsqrt,
            half_conversions: cpu.has("f16c"),
            half: has(&["avx512fp16", "avx512vl"]),
        }
    }

    /// Those that give the same bits on every machine: for the reference executor, whose results others are held against.
    pub(crate) fn portable(self) -> Self {
        Self { rsqrt: false, coarse_rsqrt: false, ..self }
    }

    /// Answers the questions, and makes arithmetic on half of what the processor has.
    pub(crate) fn settle(self, module: &Module<'_>) {
        if !self.half {
            lower_half(module, self.half_conversions);
        }
        let answers = [
            (HAS_FMA, self.fma),
            (HAS_LDEXP, self.ldexp),
            (HAS_RSQRT_ESTIMATE, self.rsqrt),
            (HAS_HALF, self.half),
            (HAS_COARSE_RSQRT, self.coarse_rsqrt),
            // What was known of a kernel's images is in its code already.
            (HAS_FEW_PIXELS, false),
        ];
        for (question, answer) in answers {
            let Some(question) = Function::find(module, question) else { continue };
            replace_calls(question, |call| call.ty().int(answer.into()));
        }
        let forms = MACHINE_OPERATIONS
            .iter()
            .flat_map(|operation| operation.types.iter().map(move |ty| (operation, ty)));
        for (operation, &(ty, questions)) in forms {
            let symbol = |width: u32| operation.symbol(ty, width);
            if questions.iter().all(|&question| answers.contains(&(question, true))) {
                if let Some(scalar) = Function::find(module, &symbol(1)) {
                    mark_pure(scalar, &WIDTHS.map(|width| (width, symbol(width))));
                }
                continue;
            }
            // Calls are behind a branch that is not taken, and a module that is not optimised keeps them.
            let symbols = [1, 3].into_iter().chain(WIDTHS).map(symbol);
            for function in symbols.filter_map(|symbol| Function::find(module, &symbol)) {
                replace_calls(function, |call| call.ty().poison());
            }
        }
    }
}

/// Puts values in the places of a function's calls.
fn replace_calls<'c>(function: Function<'c>, value: impl Fn(Value<'c>) -> Value<'c>) {
    for user in function.value().users() {
        if user.is(Opcode::LLVMCall) {
            user.replace_uses_with(value(user));
            user.erase();
        }
    }
}
