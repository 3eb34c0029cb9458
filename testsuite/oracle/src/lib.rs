//! A second oracle: random programs of OpenCL C, and what the specification says that they compute.
//!
//! Nothing here knows a compiler: this crate uses no other. A program is a tree ([`Program`]) that is made from a seed
//! ([`generate`]), written as OpenCL C ([`Program::text`]) and evaluated ([`evaluate`]). The evaluator refuses whatever
//! has no defined result, so that each program that is left must do the same everywhere.

#![forbid(unsafe_code)]

mod ast;
mod evaluate;
mod features;
mod generate;
mod half;
mod mend;
mod print;
mod random;
mod shrink;
mod types;
mod walk;

pub use ast::{Argument, Function, Global, Launch, Program};
pub use evaluate::{Outcome, Refusal, evaluate};
pub use features::{feature_names, feature_table, features};
pub use random::Random;
pub use shrink::shrink;
pub use types::{Scalar, Space, Struct, Type};

/// A program and what its launches leave in their buffers.
#[derive(Debug, Clone)]
pub struct Case {
    /// The program.
    pub program: Program,
    /// What came of it.
    pub outcome: Outcome,
}

/// The legal program of a seed. Drafts that cannot be made legal are left out for the next one of the same seed.
#[must_use]
pub fn generate(seed: u64) -> Case {
    let mut attempt = 0_u64;
    loop {
        let draft_seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(attempt);
        let mut random = Random::new(!draft_seed);
        if let Some((program, outcome)) = mend::settle(generate::draft(draft_seed), &mut random) {
            return Case { program, outcome };
        }
        attempt += 1;
    }
}
