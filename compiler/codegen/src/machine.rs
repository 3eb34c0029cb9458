//! One LLVM target machine: what turns modules into code for one CPU at one optimisation level.
//!
//! The steps, in order, each on the same module: [`Machine::retarget`], [`Machine::optimise`], [`Machine::emit`].
//! LLVM's own failures (a crash, a fatal error, an instruction it cannot select) come back as errors.

use std::ptr::NonNull;

use inkwell::module::Module;

use crate::bridge::{self, Heard, MachineDescription, RawMachine, Text};
use crate::target::CpuTarget;

/// How hard LLVM works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Level {
    /// No optimisation; what the reference executor runs.
    O0,
    /// As fast as code of use can be made: instructions are selected and registers allocated well, loops stay as they
    /// are where nobody asks for more.
    Quick,
    /// A little.
    O1,
    /// More.
    O2,
    /// All.
    #[default]
    O3,
}

/// Why LLVM made no code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodegenError {
    /// LLVM knows no such machine.
    #[error("no code can be made for '{cpu}': {reason}")]
    NoMachine {
        /// The CPU.
        cpu: String,
        /// LLVM's words.
        reason: String,
    },
    /// LLVM refused the module.
    #[error("{stage}: {reason}")]
    Refused {
        /// What was being done.
        stage: &'static str,
        /// LLVM's words.
        reason: String,
    },
    /// LLVM crashed or met a fatal error. The module and its context must not be used any more.
    #[error("{stage}: LLVM gave up: {reason}")]
    Crashed {
        /// What was being done.
        stage: &'static str,
        /// LLVM's words.
        reason: String,
    },
}

impl Level {
    /// The bridge's number for it.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::O0 => 0,
            Self::Quick => 4,
            Self::O1 => 1,
            Self::O2 => 2,
            Self::O3 => 3,
        }
    }
}

impl CodegenError {
    pub(crate) fn check(outcome: u32, stage: &'static str, heard: &Heard) -> Result<(), Self> {
        match outcome {
            bridge::DONE => Ok(()),
            bridge::CRASHED => Err(Self::Crashed { stage, reason: heard.message() }),
            _ => Err(Self::Refused { stage, reason: heard.message() }),
        }
    }
}

/// A target machine. Making one takes about 0.2 ms; it can be used for any number of modules, one at a time.
#[derive(Debug)]
pub struct Machine {
    raw: NonNull<RawMachine>,
    vector_bits: u32,
    /// How many times 128 bits a register of SVE has, where that is known; else 0.
    vscale: u32,
    pub(crate) level: Level,
}

// SAFETY: LLVM's target machines are not tied to a thread; `Machine` is not `Sync`, so one thread at a time uses it.
unsafe impl Send for Machine {}

impl Machine {
    /// Makes a machine.
    ///
    /// # Errors
    /// LLVM refuses the CPU or its features.
    pub fn new(target: &CpuTarget, level: Level) -> Result<Self, CodegenError> {
        let vectors = (target.vector_bits(), target.sve_bits().unwrap_or(0) / 128);
        let triple = target.architecture().triple();
        Self::create(triple, target.cpu(), target.feature_string(), vectors, level)
    }

    /// Makes a machine for 32-bit RISC-V with these features, whose instructions are selected for
    /// [`Machine::tap`].
    ///
    /// # Errors
    /// LLVM refuses the features.
    pub fn riscv32(features: &str, level: Level) -> Result<Self, CodegenError> {
        Self::create("riscv32-unknown-elf", "generic-rv32", features, (0, 0), level)
    }

    fn create(
        triple: &str,
        cpu: &str,
        features: &str,
        (vector_bits, vscale): (u32, u32),
        level: Level,
    ) -> Result<Self, CodegenError> {
        let description = MachineDescription {
            triple: Text::new(triple),
            cpu: Text::new(cpu),
            features: Text::new(features),
            level: level.number(),
        };
        let mut heard = Heard::default();
        // SAFETY: the description and its texts live until the call returns; the sink gets the `Heard` of `user`.
        let raw = unsafe { bridge::oxcl_machine_new(&description, bridge::hear_message, heard.user()) };
        let raw = NonNull::new(raw)
            .ok_or_else(|| CodegenError::NoMachine { cpu: cpu.to_owned(), reason: heard.message() })?;
        Ok(Self { raw, vector_bits, vscale, level })
    }

    pub(crate) fn raw(&self) -> *mut RawMachine {
        self.raw.as_ptr()
    }

    /// The data layout of its modules, as LLVM writes it.
    #[must_use]
    pub fn data_layout(&self) -> String {
        let mut heard = Heard::default();
        // SAFETY: the machine is valid; the sink gets the `Heard` of `user`.
        unsafe { bridge::oxcl_machine_layout(self.raw(), bridge::hear_message, heard.user()) };
        heard.message()
    }

    /// Makes `module`, which is the front end's, one for this machine: triple, data layout, the C calling convention
    /// instead of SPIR's, and on every definition the CPU, its features, the vector width to prefer and the length of SVE
    /// registers.
    pub fn retarget(&self, module: &Module<'_>) {
        // SAFETY: module and machine are valid, and the module is used by this thread only (inkwell's are not `Sync`).
        unsafe { bridge::oxcl_retarget(module.as_mut_ptr(), self.raw(), self.vector_bits, self.vscale) };
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // SAFETY: the machine is valid and this was its only owner.
        unsafe { bridge::oxcl_machine_free(self.raw.as_ptr()) };
    }
}
