//! The fast engine: programs decoded once into short steps over one array of words.
//!
//! In: a program that the machine can execute. It computes what the strict engine computes for every program without
//! hazards, counts what it counts, and sees memory faults; hazards it does not look for. `decode.rs` makes the steps,
//! `run.rs` executes them. Code compiled from whole blocks would take the place of [`decode::Step`] lists in
//! [`run::FastCore::execute`], block by block, and leave everything around it as it is.

mod decode;
mod run;

pub(crate) use decode::{Decoded, decode};
pub(crate) use run::{FastCore, address, widened};
