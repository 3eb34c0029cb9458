//! Everything that tests across crates: file tests and their snapshots, differential runs, interoperation.

pub mod directive;
pub mod filetest;
pub mod fuzz;
pub mod interop;
pub mod opencl;
pub mod processors;
pub mod random_kernel;
pub mod render;
pub mod value;
