//! Drivers for the host CPU: `cpu` (all cores), `basic` (one thread, in the caller) and `ref` (the reference
//! executor: one thread for each work-item).
//!
//! The way of a launch: [`KernelCode`] chooses an archive's machine code for this CPU, [`KernelCode::function`] loads
//! it, [`PreparedLaunch`] binds arguments and sizes, and [`CpuDriver::work`] makes it the scheduler's work, whose pieces
//! its threads execute. There are no other threads, but for those of the reference executor. A
//! kernel runs on a stack of ours in each thread.
//!
//! Nothing here checks what the specification asks the API to check (sizes, argument types): the runtime does, before
//! it calls. What only a driver can know (machine code that this CPU cannot run, memory that cannot be had, faults of
//! the kernel) is a typed error.

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
compile_error!("the CPU driver runs x86-64 code on Linux");

mod arguments;
mod discrete;
mod driver;
mod elf;
mod error;
mod faults;
mod features;
mod floating;
mod foreign;
mod geometry;
mod histories;
mod image;
mod launch;
mod loader;
mod memory;
mod needed;
mod nonlocal;
mod print;
mod reference;
mod stack;
mod variables;
mod watch;
mod work;
mod worker;

pub use arguments::Argument;
pub use discrete::{
    DiscreteArgument, DiscreteDriver, DiscreteLaunch, MIN_DISCRETE_MEMORY, MemoryCounters, PagingKind,
    PagingObserver, hold_at_fork,
};
pub use driver::CpuDriver;
pub use error::{Failure, Fault, FaultSignal, GroupRun, LoadError, OutOfResources, Resource};
pub use faults::{catch_faults, faults_are_caught};
pub use features::HostCpu;
pub use geometry::Geometry;
pub use launch::{EntryKind, KernelTraits, PreparedLaunch};
pub use loader::{Function, KernelCode, Target};
pub use memory::zeroed;
pub use variables::ProgramMemory;
pub use watch::{Heat, Watch};
pub use work::{KernelWork, Kind};
pub use worker::Worker;
