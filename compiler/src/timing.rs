//! How long each stage took; a stage that runs once a kernel adds up.

use std::time::{Duration, Instant};

use crate::stages::Stage;

/// Time by stage.
#[derive(Debug, Clone, Default)]
pub struct Timings {
    /// In the order of [`Stage::ALL`]; `None`: the stage did not run.
    stages: [Option<Duration>; Stage::ALL.len()],
}

impl Timings {
    /// Runs `work` and adds its time to `stage`.
    pub fn measure<T>(&mut self, stage: Stage, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        let spent = start.elapsed();
        *self.stages[stage as usize].get_or_insert_default() += spent;
        result
    }

    /// The stages that ran and their times, in the order of the pipeline.
    pub fn stages(&self) -> impl Iterator<Item = (&'static str, Duration)> + '_ {
        Stage::ALL.into_iter().zip(self.stages).filter_map(|(stage, spent)| Some((stage.name(), spent?)))
    }

    /// The sum.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.stages.iter().flatten().sum()
    }
}
