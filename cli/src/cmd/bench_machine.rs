//! `oxcl bench machine`: what so many threads of this machine do beside one, whatever runs on them.
//!
//! In: how many threads. Out: the time of a fixed amount of arithmetic in registers and of a pass over two arrays, with one thread and
//! with all. Threads take the arithmetic in small pieces as they come, so threads that are slower, as they share a core with another or
//! with another machine's, take less of it: no scheduler gets more out of the machine. Nothing of oxcl's runtime is measured here.

use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use crate::error::CliError;
use crate::exit::Outcome;
use crate::ui::Ui;
use crate::ui::table::Table;

/// Measure the machine itself: what several threads do beside one
///
/// Plain arithmetic in registers, which threads take in small pieces, and a pass over memory, y = a x + y. What oxcl reaches with as many
/// workers is to be seen beside it: processors of virtual machines may share cores, and full ones are slower.
#[derive(Debug, Args)]
#[command(after_help = "Example: oxcl bench machine --workers 16 --json")]
pub(crate) struct MachineArgs {
    /// Threads, this one included [default: as many as there are CPUs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    workers: Option<u64>,
    /// Runs of which the best counts
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
}

/// Pieces of arithmetic for each thread, of some 20 microseconds each.
const PIECES: usize = 128;
/// Steps of a piece.
const STEPS: u32 = 10_000;
/// Floats in each array, for all threads together.
const FLOATS: usize = 1 << 24;

/// What was measured of one kind of work.
struct Figure {
    name: &'static str,
    alone: Duration,
    all: Duration,
}

impl Figure {
    fn speed_up(&self) -> f64 {
        self.alone.as_secs_f64() / self.all.as_secs_f64()
    }
}

/// Sums whose next value needs the one before: as many at once as hide that.
fn piece(start: f32) -> f32 {
    let mut sums = [[start; 8]; 4];
    for _ in 0..STEPS {
        for sum in sums.as_flattened_mut() {
            *sum = *sum * 0.999 + 0.001;
        }
        black_box(&mut sums);
    }
    sums.as_flattened().iter().sum()
}

/// The time from when `threads` threads, which exist, are told to begin until all have done `work`, the best of so many runs; `prepare`
/// comes before each.
fn best(threads: usize, runs: u32, prepare: impl Fn(), work: impl Fn(usize) + Sync) -> Duration {
    let once = || {
        prepare();
        let (ready, begin) = (AtomicUsize::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            let (ready, begin, work) = (&ready, &begin, &work);
            let others: Vec<_> = (1..threads)
                .map(|index| {
                    scope.spawn(move || {
                        ready.fetch_add(1, Ordering::Relaxed);
                        // Acquire pairs with the release below: nobody begins before `start`.
                        while !begin.load(Ordering::Acquire) {
                            spin_loop();
                        }
                        work(index);
                        Instant::now()
                    })
                })
                .collect();
            // Relaxed: it guards nothing but the time.
            while ready.load(Ordering::Relaxed) < threads - 1 {
                spin_loop();
            }
            let start = Instant::now();
            begin.store(true, Ordering::Release);
            work(0);
            let ends = others.into_iter().filter_map(|other| other.join().ok());
            ends.fold(Instant::now(), Instant::max) - start
        })
    };
    (0..runs).map(|_| once()).min().unwrap_or_default()
}

fn arithmetic(threads: usize, pieces: usize, runs: u32) -> Duration {
    let left = AtomicUsize::new(0);
    let take = || left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok();
    let work = |_| {
        // Relaxed: pieces depend on nothing.
        while take() {
            black_box(piece(black_box(1.0)));
        }
    };
    best(threads, runs, || left.store(pieces, Ordering::Relaxed), work)
}

/// A pass over two arrays, of which each thread has a part that it wrote first.
fn memory(threads: usize, runs: u32) -> Duration {
    let parts: Vec<Mutex<[Vec<f32>; 2]>> = std::iter::repeat_with(Mutex::default).take(threads).collect();
    let part = |index: usize| parts[index].lock().unwrap_or_else(PoisonError::into_inner);
    let fill = |index| *part(index) = [1.0, 2.0].map(|value| vec![value; FLOATS / threads]);
    best(threads, 1, || (), fill);
    let pass = |index| {
        let [x, y] = &mut *part(index);
        for (y, x) in y.iter_mut().zip(x) {
            *y += 0.001 * *x;
        }
        black_box(y);
    };
    best(threads, runs, || (), pass)
}

/// Measures.
pub(super) fn run(args: &MachineArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let threads = super::bench::workers(args.workers);
    let pieces = PIECES * threads;
    let figures = [
        Figure {
            name: "arithmetic",
            alone: arithmetic(1, pieces, args.runs),
            all: arithmetic(threads, pieces, args.runs),
        },
        Figure { name: "memory", alone: memory(1, args.runs), all: memory(threads, args.runs) },
    ];
    let micros = |time: Duration| (time.as_secs_f64() * 1e7).round() / 10.0;
    if ui.json {
        for figure in &figures {
            let line = json!({
                "bench": figure.name,
                "workers": threads,
                "us_alone": micros(figure.alone),
                "us": micros(figure.all),
                "speedup": (figure.speed_up() * 100.0).round() / 100.0,
            });
            ui.result(&format!("{line}\n"))?;
        }
        return Ok(Outcome::Ok);
    }
    let mut table = Table::new(&["us", "1 thread", &format!("{threads} threads"), "speed-up"]);
    for column in 1..=3 {
        table = table.right(column);
    }
    for figure in &figures {
        table.row(vec![
            figure.name.to_owned(),
            format!("{:.1}", micros(figure.alone)),
            format!("{:.1}", micros(figure.all)),
            format!("{:.2} times", figure.speed_up()),
        ]);
    }
    ui.result(&table.to_string())?;
    Ok(Outcome::Ok)
}
