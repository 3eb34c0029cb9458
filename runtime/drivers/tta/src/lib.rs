//! Transport-triggered processors as OpenCL devices, over the simulator.
//!
//! A [`Platform`] is what one `OXCL_DEVICES` names: devices with a memory that all share and one simulator that runs all of them in
//! lock step. Each device runs a program that takes commands from slots in its memory and waits for the words of events that
//! other devices write, so that a chain of commands over several devices goes from one to the next without the host. Kernels come
//! as scheduled units out of archives; here they are placed, relocated and loaded.

mod device;
mod events;
mod launch;
mod machine_file;
mod map;
mod platform;
mod printing;
mod program;
mod simulation;
mod variables;

pub use device::TtaDriver;
pub use machine_file::{MachineError, MachineFile};
pub use map::{MapError, Plan, Region};
pub use oxcl_ttasim::Engine;
pub use platform::{Platform, PlatformError, Span};
pub use simulation::LinkTimes;
