//! Everything that tests across crates: file tests and their snapshots, differential runs, interoperation.

pub mod campaign;
pub mod cross;
pub mod directive;
pub mod filetest;
pub mod fuzz;
pub mod interop;
mod known;
pub mod metamorphic;
pub mod opencl;
pub mod picture;
pub mod processors;
pub mod render;
pub mod value;
