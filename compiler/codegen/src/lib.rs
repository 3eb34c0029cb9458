//! Objects and shared objects for host CPUs.
//!
//! ```text
//! CpuTarget -> Machine ─┐
//! module of work-group functions ─ retarget ─ optimise ─ emit -> object ─ link_shared -> shared object ─ disassemble
//! ```
//!
//! LLVM and lld are reached through a small bridge in C++ (`bridge/`), which guards every step: their failures are
//! errors here. No process is started and no file written.

mod architecture;
mod bridge;
mod disasm;
mod emit;
mod heap;
mod link;
mod machine;
mod memory_file;
mod optimise;
mod spirv;
mod stubs;
mod target;
mod warm_up;

pub use architecture::Architecture;
pub use disasm::{DisasmError, Row, disassemble};
pub use emit::Output;
pub use heap::reserve_heap;
pub use link::{Library, LinkError, link_relocatable, link_shared, link_with};
pub use machine::{CodegenError, Level, Machine};
pub use optimise::Passes;
pub use spirv::spirv;
pub use target::{CpuTarget, UnknownCpu};
pub use warm_up::WarmUp;
