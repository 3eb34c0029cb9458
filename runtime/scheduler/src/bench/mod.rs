//! The task-scheduling benchmarks: the six of the out-of-order execution thesis in the shape of its test programs, and
//! the launch latency, the cost of an enqueue, and the cost of an empty work-group. They run on any [`Platform`]:
//! [`Functions`] measures the scheduler alone, the command line's platform compiled kernels through the whole runtime.
//!
//! Every figure is the best of several runs. The runs of different numbers of workers are interleaved, so that a change
//! in the machine's load meets all of them. Results of the kernels are checked.

mod functions;
mod platform;
mod programs;

use std::fmt;
use std::time::Duration;

pub use self::functions::{Bound, Functions, Memory};
pub use self::platform::{ELEMENTS, EMPTY_ITEMS, Platform, Work};
use crate::scheduler::StartError;
use crate::{EnqueueError, available_processors};

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Benchmark {
    /// Launch one small kernel and wait for it: the round trip.
    Latency,
    /// A serial chain of one-item kernels in an in-order queue.
    InOrder,
    /// The same in two out-of-order queues, linked by events.
    OutOfOrder,
    /// Batches of parallel kernels of unequal work; every kernel waits for the whole batch before.
    KernelImbalance,
    /// Serial kernels whose work-groups have unequal work.
    WorkGroupImbalance,
    /// Both imbalances at once.
    Both,
    /// Independent kernels that read one READ_ONLY buffer, in one in-order queue.
    InOrderParallelReadOnly,
    /// The same with a READ_WRITE buffer.
    InOrderParallelReadWrite,
    /// Enqueueing alone.
    Enqueue,
    /// A launch of 16,384 empty work-groups.
    EmptyGroups,
}

impl Benchmark {
    /// All of them, in the order in which they are run.
    pub const ALL: [Benchmark; 10] = [
        Benchmark::Latency,
        Benchmark::InOrder,
        Benchmark::OutOfOrder,
        Benchmark::KernelImbalance,
        Benchmark::WorkGroupImbalance,
        Benchmark::Both,
        Benchmark::InOrderParallelReadOnly,
        Benchmark::InOrderParallelReadWrite,
        Benchmark::Enqueue,
        Benchmark::EmptyGroups,
    ];

    /// The name, as the OpenCL client prints it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Benchmark::Latency => "launch+finish",
            Benchmark::InOrder => "in-order",
            Benchmark::OutOfOrder => "out-of-order",
            Benchmark::KernelImbalance => "kernel-imbalance",
            Benchmark::WorkGroupImbalance => "wg-imbalance",
            Benchmark::Both => "both",
            Benchmark::InOrderParallelReadOnly => "in-order-par-ro",
            Benchmark::InOrderParallelReadWrite => "in-order-par-rw",
            Benchmark::Enqueue => "enqueue",
            Benchmark::EmptyGroups => "empty-groups",
        }
    }

    /// The benchmark of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Benchmark> {
        Benchmark::ALL.into_iter().find(|benchmark| benchmark.name() == name)
    }
}

/// What to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The benchmarks, in order.
    pub benchmarks: Vec<Benchmark>,
    /// Numbers of workers, in order. Speed-ups are over 1, if that is among them.
    pub workers: Vec<usize>,
    /// Length of the chains; the other lengths follow from it.
    pub n: u64,
    /// Runs of which the best counts.
    pub runs: u32,
}

impl Default for Plan {
    fn default() -> Plan {
        let workers = (1..=available_processors()).collect();
        Plan { benchmarks: Benchmark::ALL.to_vec(), workers, n: 10_000, runs: 5 }
    }
}

/// What was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Measure {
    /// Time for each kernel (for each batch of `kernel-imbalance` and `both`), and the speed-up over one worker.
    PerKernel {
        /// Microseconds.
        us: f64,
        /// Time with one worker over this time, where one worker was measured.
        speedup: Option<f64>,
    },
    /// Percentiles of a round trip within the run with the lowest median.
    RoundTrip {
        /// The median in microseconds.
        p50_us: f64,
        /// Of 100 round trips 99 take no longer, in microseconds.
        p99_us: f64,
    },
    /// Time for each command, in microseconds.
    PerCommand {
        /// Microseconds.
        us: f64,
    },
    /// Time for each work-group, in nanoseconds.
    PerGroup {
        /// Nanoseconds.
        ns: f64,
    },
}

/// One figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// Which benchmark.
    pub benchmark: Benchmark,
    /// Threads that may execute, the waiting one included.
    pub workers: usize,
    /// Kernels in the chain, parallel kernels, or work-groups, by the benchmark.
    pub n: u64,
    /// The figure.
    pub measure: Measure,
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<18} workers={:<3} n={:<8}", self.benchmark.name(), self.workers, self.n)?;
        match self.measure {
            Measure::PerKernel { us, speedup: Some(speedup) } => {
                write!(f, "{us:9.3} us/kernel {speedup:6.2}x")
            }
            Measure::PerKernel { us, speedup: None } => write!(f, "{us:9.3} us/kernel"),
            Measure::RoundTrip { p50_us, p99_us } => write!(f, "{p50_us:9.3} us p50 {p99_us:9.3} us p99"),
            Measure::PerCommand { us } => write!(f, "{us:9.3} us/command"),
            Measure::PerGroup { ns } => write!(f, "{ns:9.3} ns/group"),
        }
    }
}

/// Why a benchmark could not be run.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The workers could not be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A command could not be enqueued.
    #[error(transparent)]
    Enqueue(#[from] EnqueueError),
    /// The platform refused something, for a reason of its own.
    #[error(transparent)]
    Platform(Box<dyn std::error::Error + Send + Sync>),
    /// The kernels' results are wrong.
    #[error("benchmark '{benchmark}' computed {found} instead of {expected}")]
    WrongResult {
        /// Its name.
        benchmark: &'static str,
        /// What came out.
        found: u64,
        /// What should have.
        expected: u64,
    },
}

/// One run's result: a time, with what it counts for, or percentiles.
#[derive(Debug, Clone, Copy)]
enum Sample {
    Total(Duration),
    RoundTrip { p50: Duration, p99: Duration },
}

impl Sample {
    /// Of two runs the one that counts.
    fn better(self, other: Sample) -> Sample {
        match (self, other) {
            (Sample::Total(a), Sample::Total(b)) => Sample::Total(a.min(b)),
            (Sample::RoundTrip { p50: a, .. }, Sample::RoundTrip { p50: b, .. }) => {
                if b < a {
                    other
                } else {
                    self
                }
            }
            (first, _) => first,
        }
    }
}

/// The pause before each run: longer than the workers of the platform before it sleep lightly. Their waking up would be
/// measured, and no application has a pool of workers for each number of them.
const QUIET: Duration = if cfg!(test) { Duration::ZERO } else { Duration::from_millis(15) };

/// Numbers of parallel kernels or work-groups that the imbalance benchmarks go through.
const WIDTHS: [u64; 5] = [1, 4, 16, 64, 256];

/// Runs the plan on platforms that `start` makes for numbers of workers; hands out each figure as soon as it is known.
pub fn run<P: Platform>(
    plan: &Plan,
    start: impl Fn(usize) -> Result<P, BenchError>,
    mut each: impl FnMut(Figure),
) -> Result<(), BenchError> {
    let platforms = plan.workers.iter().map(|workers| start(*workers)).collect::<Result<Vec<P>, _>>()?;
    for &benchmark in &plan.benchmarks {
        let sizes: Vec<u64> = match benchmark {
            Benchmark::KernelImbalance | Benchmark::WorkGroupImbalance | Benchmark::Both => WIDTHS.to_vec(),
            Benchmark::EmptyGroups => vec![16_384],
            Benchmark::Latency | Benchmark::Enqueue => vec![10 * plan.n],
            Benchmark::InOrderParallelReadOnly | Benchmark::InOrderParallelReadWrite => vec![plan.n / 5],
            Benchmark::InOrder | Benchmark::OutOfOrder => vec![plan.n / 10, plan.n],
        };
        for size in sizes {
            let size = size.max(1);
            let prepare = |platform| programs::prepare(platform, benchmark, size);
            let prepared = platforms.iter().map(prepare).collect::<Result<Vec<_>, _>>()?;
            let mut best: Vec<Option<Sample>> = vec![None; platforms.len()];
            for _ in 0..plan.runs.max(1) {
                for ((platform, prepared), best) in platforms.iter().zip(&prepared).zip(&mut best) {
                    // The workers of the platform before look for work for a while, and sleep lightly then.
                    std::thread::sleep(QUIET);
                    // Its own have slept since: where the system wakes them, and when, is not what is measured.
                    programs::run(platform, prepared, benchmark, size, (plan.n / 10).max(1))?;
                    let sample = programs::run(platform, prepared, benchmark, size, plan.n)?;
                    *best = Some(best.map_or(sample, |before| before.better(sample)));
                }
            }
            let alone = plan.workers.iter().position(|&workers| workers == 1).and_then(|index| best[index]);
            for (&workers, best) in plan.workers.iter().zip(best) {
                if let Some(sample) = best {
                    each(Figure {
                        benchmark,
                        workers,
                        n: size,
                        measure: measure(benchmark, size, plan.n, sample, alone),
                    });
                }
            }
        }
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn measure(benchmark: Benchmark, size: u64, n: u64, sample: Sample, alone: Option<Sample>) -> Measure {
    match sample {
        Sample::RoundTrip { p50, p99 } => {
            Measure::RoundTrip { p50_us: p50.as_secs_f64() * 1e6, p99_us: p99.as_secs_f64() * 1e6 }
        }
        Sample::Total(total) => {
            let count = programs::divisor(benchmark, size, n) as f64;
            match benchmark {
                Benchmark::Enqueue => Measure::PerCommand { us: total.as_secs_f64() * 1e6 / count },
                Benchmark::EmptyGroups => Measure::PerGroup { ns: total.as_secs_f64() * 1e9 / count },
                _ => {
                    let speedup = match alone {
                        Some(Sample::Total(one)) => Some(one.as_secs_f64() / total.as_secs_f64()),
                        _ => None,
                    };
                    Measure::PerKernel { us: total.as_secs_f64() * 1e6 / count, speedup }
                }
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn every_benchmark_runs_and_its_results_are_right() {
        let plan = Plan { workers: vec![1, 2], n: 100, runs: 1, ..Plan::default() };
        let mut names = Vec::new();
        run(&plan, Functions::start, |figure| {
            names.push(figure.benchmark.name());
            assert!(!figure.to_string().is_empty());
        })
        .unwrap();
        for benchmark in Benchmark::ALL {
            assert!(names.contains(&benchmark.name()));
            assert_eq!(Benchmark::from_name(benchmark.name()), Some(benchmark));
        }
    }
}
