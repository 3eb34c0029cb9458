//! Runs the fuzz target `read_bitcode` of the test suite under cargo-fuzz.
#![no_main]

#[path = "../../src/fuzz/bitcode.rs"]
mod bitcode;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| bitcode::read_bitcode(bytes));
