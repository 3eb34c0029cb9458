//! Runs the fuzz target `read_spirv` of the test suite under cargo-fuzz.
#![no_main]

#[path = "../../src/fuzz/spirv.rs"]
mod spirv;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spirv::read_spirv(bytes));
