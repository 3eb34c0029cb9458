//! LLVM's machines for CPUs.
//!
//! In: a CPU and how hard LLVM works. Out: the machine that optimises and emits for it, and the target that work-group
//! functions are formed for.

use oxcl_codegen::{Architecture, CpuTarget, Level, Machine};
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
        triple: cpu.architecture().triple().to_owned(),
        data_layout: machine.data_layout(),
        cpu: cpu.cpu().to_owned(),
        features: cpu.feature_string().to_owned(),
        vectors: vectors(cpu),
    };
    Ok(Cpu { machine, target, operations: Operations::of(cpu) })
}

/// What a CPU's vectors can do.
fn vectors(cpu: &CpuTarget) -> Vectors {
    let bits = cpu.vector_bits();
    match cpu.architecture() {
        Architecture::X86_64 => Vectors {
            bits,
            gathers: cpu.has("avx2"),
            scatters: cpu.has("avx512f"),
            masks: cpu.has("avx"),
            masks_bytes: cpu.has("avx512bw"),
        },
        // NEON has none of these. Code for lanes of 128 bits is NEON's wherever LLVM may choose.
        Architecture::Aarch64 => {
            let sve = cpu.sve_bits().is_some_and(|bits| bits > 128);
            Vectors { bits, gathers: sve, scatters: sve, masks: sve, masks_bytes: sve }
        }
    }
}
