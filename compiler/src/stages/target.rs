//! LLVM's machines for CPUs.
//!
//! In: a CPU and how hard LLVM works. Out: the machine that optimises and emits for it, and the target that work-group
//! functions are formed for.

use oxcl_codegen::{CpuTarget, Level, Machine, TRIPLE};
use oxcl_workgroup::{Target, Vectors};

use crate::error::CompileError;
use crate::operations::Operations;

/// One CPU to make code for.
pub(crate) struct Cpu {
    pub(crate) machine: Machine,
    pub(crate) target: Target,
    pub(crate) operations: Operations,
}

/// Runs the stage.
pub(crate) fn run(cpu: &CpuTarget, level: Level) -> Result<Cpu, CompileError> {
    let machine =
        Machine::new(cpu, level).map_err(|error| CompileError::Codegen { kernel: String::new(), error })?;
    let target = Target {
        triple: TRIPLE.to_owned(),
        data_layout: machine.data_layout(),
        cpu: cpu.cpu().to_owned(),
        features: cpu.feature_string().to_owned(),
        vectors: Vectors {
            bits: cpu.vector_bits(),
            gathers: cpu.has("avx2"),
            scatters: cpu.has("avx512f"),
            masks: cpu.has("avx"),
            masks_bytes: cpu.has("avx512bw"),
        },
    };
    Ok(Cpu { machine, target, operations: Operations::of(cpu) })
}
