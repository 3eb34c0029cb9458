//! `oxcl bench scaling`: one launch on many workers, beside as many programs of one worker each at the same time.
//!
//! In: how many workers. Out: for each kernel the time of a launch with one worker, with all, and in each of as many programs at once. The
//! last says what the machine's processors do together when nothing has to be dealt out among them: clocks fall, and processors of virtual
//! machines share cores, so N of them may do less than N times as much as one. What the runtime loses is what lies between the two. All are
//! measured in turn, as the machine changes from second to second.

use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::error::CliError;
use crate::exit::Outcome;
use crate::scaling::{Launcher, Work, at_once};
use crate::ui::Ui;
use crate::ui::progress::Progress;
use crate::ui::table::Table;

/// Measure how launches scale: on all workers, on one, and in as many programs of one worker at once
///
/// Three kernels with much arithmetic. "at once" is what as many programs of one worker each do at the same time, beside one alone: the
/// machine's own scaling. "of that" is how much of it one launch on all workers reaches. Times are medians; results of one worker and of all
/// are compared, and the command fails where they differ. With --json each kernel is an object on a line of its own, with the best times too.
#[derive(Debug, Args)]
#[command(after_help = "Example: oxcl bench scaling --workers 16 --only bodies")]
pub(crate) struct ScalingArgs {
    /// Workers, the waiting thread included [default: as many as there are CPUs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    workers: Option<u64>,
    /// Rounds, in each of which all are measured
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Only this kernel; may be given several times
    #[arg(long, value_name = "NAME")]
    only: Vec<Work>,
}

/// Launches of one worker in a round; of all workers there are so many times as many, which take about as long.
const LAUNCHES: u32 = 4;

/// Times of launches.
#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    /// In microseconds.
    fn median(&mut self) -> f64 {
        self.0.sort_unstable();
        self.0.get(self.0.len() / 2).map_or(0.0, micros)
    }

    /// In microseconds.
    fn best(&self) -> f64 {
        self.0.iter().min().map_or(0.0, micros)
    }
}

fn micros(time: &Duration) -> f64 {
    (time.as_secs_f64() * 1e7).round() / 10.0
}

/// Measures.
pub(super) fn run(
    args: &ScalingArgs,
    ui: &mut Ui,
    compile: impl Fn(&[[u64; 3]], &mut Ui) -> Result<Vec<u8>, CliError>,
) -> Result<Outcome, CliError> {
    let workers = super::bench::workers(args.workers);
    let works = if args.only.is_empty() { Work::value_variants() } else { &args.only };
    let mut sizes: Vec<[u64; 3]> = works.iter().map(|work| work.local()).collect();
    sizes.dedup();
    let archive = compile(&sizes, ui)?;
    let progress = Progress::new(ui);
    let mut rows = Vec::new();
    for (done, &work) in works.iter().enumerate() {
        progress.part("kernels", done as u64, works.len() as u64);
        let row = measure(&archive, work, workers, args.rounds);
        rows.push(row.map_err(|message| CliError::Device { message, help: None })?);
    }
    drop(progress);
    if ui.json {
        for row in &rows {
            ui.result(&format!("{}\n", row.as_json()))?;
        }
    } else {
        ui.result(&table(&rows, workers))?;
    }
    let wrong: Vec<&str> = rows.iter().filter(|row| !row.same).map(|row| row.work.name()).collect();
    if wrong.is_empty() {
        return Ok(Outcome::Ok);
    }
    ui.message(&format!("results differ with the number of workers: {}", wrong.join(", ")));
    Ok(Outcome::Negative)
}

fn measure(archive: &[u8], work: Work, workers: usize, rounds: u32) -> Result<Figures, String> {
    let many = Launcher::new(archive, workers, work)?;
    let programs = (0..workers).map(|_| Launcher::new(archive, 1, work));
    let programs = programs.collect::<Result<Vec<_>, _>>()?;
    let one = &programs[0];
    let (mut alone, mut all, mut together) = (Times::default(), Times::default(), Times::default());
    // The first launches bring memory and code to where they are used.
    many.launch()?;
    at_once(&programs, 1)?;
    for _ in 0..rounds {
        for _ in 0..LAUNCHES {
            alone.0.push(one.launch()?);
        }
        for _ in 0..LAUNCHES as usize * workers {
            all.0.push(many.launch()?);
        }
        together.0.extend(at_once(&programs, LAUNCHES)?);
    }
    Ok(Figures {
        work,
        workers,
        alone: alone.median(),
        all: all.median(),
        at_once: together.median(),
        best_alone: alone.best(),
        best_all: all.best(),
        same: one.result()? == many.result()?,
    })
}

/// What is said of a kernel: times in microseconds.
struct Figures {
    work: Work,
    workers: usize,
    alone: f64,
    all: f64,
    at_once: f64,
    best_alone: f64,
    best_all: f64,
    /// One worker and all have left the same.
    same: bool,
}

impl Figures {
    fn speed_up(&self) -> f64 {
        self.alone / self.all
    }

    /// What the machine's processors do together beside one.
    fn machine(&self) -> f64 {
        self.workers as f64 * self.alone / self.at_once
    }

    /// How much of what the machine's processors do together one launch reaches.
    fn of_machine(&self) -> f64 {
        self.speed_up() / self.machine()
    }

    fn as_json(&self) -> serde_json::Value {
        let hundredths = |value: f64| (value * 100.0).round() / 100.0;
        json!({
            "bench": self.work.name(),
            "workers": self.workers,
            "us_alone": self.alone,
            "us": self.all,
            "us_at_once": self.at_once,
            "best_us_alone": self.best_alone,
            "best_us": self.best_all,
            "speedup": hundredths(self.speed_up()),
            "speedup_of_best": hundredths(self.best_alone / self.best_all),
            "speedup_at_once": hundredths(self.machine()),
            "of_machine": hundredths(self.of_machine()),
            "ok": self.same,
        })
    }
}

fn table(rows: &[Figures], workers: usize) -> String {
    let (all, at_once) = (format!("{workers} workers"), format!("{workers} at once"));
    let mut table = Table::new(&["us", "1 worker", &all, "speed-up", &at_once, "speed-up", "of that"]);
    for column in 1..=6 {
        table = table.right(column);
    }
    for row in rows {
        table.row(vec![
            row.work.name().to_owned(),
            format!("{:.1}", row.alone),
            format!("{:.1}", row.all),
            format!("{:.2} times", row.speed_up()),
            format!("{:.1}", row.at_once),
            format!("{:.2} times", row.machine()),
            format!("{:.2}", row.of_machine()),
        ]);
    }
    table.to_string()
}
