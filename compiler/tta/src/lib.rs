//! Transport-triggered processors: what they are made of, what their operations mean, how their programs are written
//! down and scheduled.
//!
//! [`adf`] reads a machine description into a [`model::Machine`]; [`validate`] judges it in a processor designer's
//! words; [`ops`] gives every operation its meaning; [`draw`] and [`show`] present a machine. Nothing here knows LLVM, and
//! nothing here runs a program: that is the simulator's crate.

pub mod adf;
pub mod allocate;
pub mod asm;
pub mod check;
pub mod code;
pub mod compile;
pub mod compose;
pub mod device_main;
pub mod draw;
pub mod image;
pub mod interpret;
pub mod lift;
pub mod link;
pub mod machine_ir;
pub mod model;
pub mod ops;
pub mod program;
pub mod sample;
pub mod schedule;
pub mod show;
pub mod twin;
pub mod unit;
pub mod validate;
