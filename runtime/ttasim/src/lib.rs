//! A cycle-accurate simulator of transport-triggered processors.
//!
//! A [`System`] holds one or more cores, each a machine with a program, and the memories that they share or have for
//! themselves. It executes them in lock step, with one of two engines: the strict one ends at the first hazard with the cycle,
//! the instruction and the unit; the fast one takes it that there are none. For a program without hazards both compute the
//! same state in the same cycle and count the same.

pub mod debug;
mod effect;
mod fast;
mod fault;
mod layout;
mod memory;
pub mod report;
mod strict;
mod system;

pub use fault::{Fault, FaultKind, LoadError};
pub use memory::{AccessError, Memory};
pub use system::{CoreSetup, Counts, Engine, Stop, System};
