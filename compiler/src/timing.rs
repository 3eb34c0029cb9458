//! How long each stage took. Stages are few and named by constants; a stage that runs once a kernel adds up.

use std::time::{Duration, Instant};

/// Mapping memory for what follows; once in a process.
pub const MEMORY: &str = "memory";
/// Clang.
pub const FRONTEND: &str = "frontend";
/// Linking the builtins that the kernels reach.
pub const BUILTINS: &str = "builtins";
/// Forming work-group functions, or the reference executor's functions.
pub const WORK_GROUP: &str = "work-group";
/// LLVM's optimiser.
pub const OPTIMISE: &str = "optimise";
/// LLVM's code generator.
pub const EMIT: &str = "emit";
/// Registers and schedules for transport-triggered processors.
pub const SCHEDULE: &str = "schedule";
/// Linking objects.
pub const LINK: &str = "link";
/// Writing the archive.
pub const PACK: &str = "pack";

/// Time by stage, in the order in which the stages first ran.
#[derive(Debug, Clone, Default)]
pub struct Timings {
    stages: Vec<(&'static str, Duration)>,
}

impl Timings {
    /// Runs `work` and adds its time to `stage`.
    pub fn measure<T>(&mut self, stage: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        let spent = start.elapsed();
        match self.stages.iter_mut().find(|(name, _)| *name == stage) {
            Some((_, sum)) => *sum += spent,
            None => self.stages.push((stage, spent)),
        }
        result
    }

    /// The stages and their times.
    pub fn stages(&self) -> impl Iterator<Item = (&'static str, Duration)> + '_ {
        self.stages.iter().copied()
    }

    /// The sum.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.stages.iter().map(|(_, spent)| *spent).sum()
    }
}
