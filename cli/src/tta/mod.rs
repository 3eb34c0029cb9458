//! Measuring and testing the compiler for transport-triggered processors: published programs, random ones.

pub(crate) mod fuzz;
pub(crate) mod kernels;
pub(crate) mod measure;
pub(crate) mod suite;
