//! Failing programs made smaller: every candidate is legal by the evaluator, and tried in a worker.

use oxcl_oracle::Case;

use super::engine::Configuration;
use super::pool::Worker;
use super::trial::{Trial, Verdict};

/// The smallest case found that fails as `verdict` says in this configuration.
pub fn shrink(
    case: &Case,
    configuration: Configuration,
    verdict: &Verdict,
    worker: &mut Worker,
    tries: u32,
) -> Case {
    oxcl_oracle::shrink(case, tries, &mut |candidate| {
        let found = worker.run(&Trial::of(candidate), &[configuration]);
        found.first().is_some_and(|found| found.is_failure() && found.is_like(verdict))
    })
}
