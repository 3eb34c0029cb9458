//! Runs the fuzz target `read_archive` of the test suite under cargo-fuzz.
#![no_main]

#[path = "../../src/fuzz/archive.rs"]
mod archive;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| archive::read_archive(bytes));
