//! The commands, one file each: arguments, and a `run` from them to an outcome.

pub(crate) mod bench;
#[cfg(feature = "compiler")]
mod bench_fuzz_tta;
#[cfg(feature = "compiler")]
mod bench_images;
mod bench_machine;
mod bench_memory;
#[cfg(feature = "mpi")]
mod bench_nodes;
#[cfg(feature = "compiler")]
mod bench_scaling;
#[cfg(feature = "compiler")]
mod bench_tta;
#[cfg(feature = "compiler")]
mod bench_width;
mod build_args;
pub(crate) mod cache;
pub(crate) mod check;
#[cfg(feature = "compiler")]
pub(crate) mod compile;
#[cfg(feature = "compiler")]
mod compile_tta;
pub(crate) mod devices;
pub(crate) mod doctor;
pub(crate) mod generate;
pub(crate) mod icd;
pub(crate) mod inspect;
pub(crate) mod new;
#[cfg(feature = "mpi")]
pub(crate) mod node;
pub(crate) mod reduce;
pub(crate) mod run;
mod run_kernel;
mod run_workload;
#[cfg(feature = "compiler")]
pub(crate) mod serve;
pub(crate) mod sim;
mod sim_debug;
pub(crate) mod tta;
