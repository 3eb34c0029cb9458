//! What tests of queues and memory share: the kernel that takes one step with every number of a buffer, contexts, bytes.
#![allow(dead_code, reason = "each test program uses its part of it")]

#[path = "../../drivers/cpu/tests/support/mod.rs"]
pub(crate) mod support;

use oxcl_runtime::{Context, ContextOptions, Kernel, Program};

/// `step`: three times a number, plus one.
pub(crate) fn step() -> Kernel {
    Program::from_archive(&support::step_archive()).unwrap().kernel("step").unwrap()
}

/// A context whose pool has two workers.
pub(crate) fn context() -> Context {
    Context::new(ContextOptions { workers: 2, ..ContextOptions::default() }).unwrap()
}

/// The numbers as a buffer holds them.
pub(crate) fn bytes(numbers: impl IntoIterator<Item = i32>) -> Vec<u8> {
    numbers.into_iter().flat_map(i32::to_le_bytes).collect()
}
