//! Runs the fuzz target `read_unit` of the test suite under cargo-fuzz.
#![no_main]

#[path = "../../src/fuzz/unit.rs"]
mod unit;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| unit::read_unit(bytes));
