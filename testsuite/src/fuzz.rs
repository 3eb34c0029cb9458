//! Fuzz targets as plain functions: each takes any bytes and panics where a promise is broken. `testsuite/fuzz` runs
//! them under a fuzzer; the tests replay the corpus kept there on every toolchain.

mod archive;
mod bitcode;
mod object;
mod spirv;
mod unit;

pub use archive::read_archive;
pub use bitcode::read_bitcode;
pub use object::link_object;
pub use spirv::read_spirv;
pub use unit::read_unit;
