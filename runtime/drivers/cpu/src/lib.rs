//! Drivers for the host CPU: `cpu` (all cores), `basic` (one thread, in the caller) and `ref` (the reference
//! executor: one thread for each work-item).
//!
//! The way of a launch, for all of them: [`KernelCode`] chooses an archive's machine code for this CPU,
//! [`KernelCode::function`] loads it, [`PreparedLaunch`] binds arguments and sizes, and the device makes work for the
//! scheduler of it ([`oxcl_driver::Driver::prepare_launch`]), whose pieces its threads execute. There are no other threads, but for those of the reference executor. A
//! kernel runs on a stack of ours in each thread.
//!
//! Nothing here checks what the specification asks the API to check (sizes, argument types): the runtime does, before
//! it calls. What only a driver can know (machine code that this CPU cannot run, memory that cannot be had, faults of
//! the kernel) is a typed error.

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
compile_error!("the CPU driver runs x86-64 code on Linux");

mod arguments;
mod current;
mod discrete;
mod driver;
mod elf;
mod faults;
mod features;
mod floating;
mod foreign;
mod histories;
mod image;
mod launch;
mod loader;
mod memory;
mod needed;
mod nonlocal;
mod print;
mod program;
mod reference;
mod stack;
mod variables;
mod work;
mod worker;

pub use arguments::Argument;
pub use discrete::{DiscreteDriver, MIN_DISCRETE_MEMORY, PagingKind, PagingObserver, hold_at_fork};
pub use driver::CpuDriver;
pub use faults::{catch_faults, faults_are_caught};
pub use features::HostCpu;
pub use launch::{KernelTraits, PreparedLaunch};
pub use loader::{Function, KernelCode, Target};
pub use work::{KernelWork, Kind};
