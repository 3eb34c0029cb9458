//! Modules of SPIR-V from anywhere: an error or a module, never anything else.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| oxcl_testsuite::fuzz::read_spirv(data));
