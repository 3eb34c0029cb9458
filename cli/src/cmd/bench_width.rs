//! `oxcl bench width`: kernels from seeds at every W, and how good the compiler's choice is.

use crate::error::CliError;
use crate::exit::Outcome;
use crate::launching;
use crate::ui::Ui;
use crate::ui::progress::Progress;
use crate::ui::table::Table;
use crate::width::generate::{FEATURES, Made, generate};
use crate::width::{Times, WIDTHS, measure};
use clap::Args;
use serde_json::json;
use std::time::Duration;

/// Time kernels from seeds at each number of work-items at a time, and compare the compiler's choice with the best
///
/// Every result is compared with that of one work-item at a time, byte by byte: the command fails where one differs. With --json
/// each kernel is an object on a line of its own, and the summary the last.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  oxcl bench width --count 40
  oxcl bench width --seed 17 --count 1 --show > k.cl && oxcl compile --remarks k.cl")]
pub(crate) struct WidthArgs {
    /// The first kernel's seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// How many kernels
    #[arg(long, value_name = "N", default_value_t = 200)]
    count: u64,
    /// Runs of which the best counts
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// The CPU to make code for, in LLVM's names [default: this machine's]
    #[arg(long, value_name = "NAME")]
    cpu: Option<String>,
    /// Print the kernels' sources and measure nothing; with --json what they run on too, for other programs that time them
    #[arg(long)]
    show: bool,
}

struct Row {
    seed: u64,
    made: Made,
    times: Times,
}

/// How good the choices of some kernels are.
struct Summary {
    count: usize,
    /// In how many the choice takes at most 1.1 times the best.
    good: usize,
    worst: f64,
    mean: f64,
}

impl Summary {
    fn of<'r>(rows: impl Iterator<Item = &'r Row>) -> Self {
        let ratios: Vec<f64> = rows.map(|row| row.times.ratio()).collect();
        let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
        Summary {
            count: ratios.len(),
            good: ratios.iter().filter(|ratio| **ratio <= 1.1).count(),
            worst: ratios.iter().copied().fold(1.0, f64::max),
            mean: (logarithms / ratios.len().max(1) as f64).exp(),
        }
    }

    fn cells(&self, name: &str) -> Vec<String> {
        let share = 100.0 * self.good as f64 / self.count.max(1) as f64;
        vec![
            name.to_owned(),
            self.count.to_string(),
            format!("{share:.0} %"),
            format!("{:.2}", self.mean),
            format!("{:.2}", self.worst),
        ]
    }
}

fn features(made: &Made) -> Vec<&'static str> {
    FEATURES.into_iter().zip(made.features).filter(|(_, has)| *has).map(|(name, _)| name).collect()
}

fn milliseconds(time: Duration) -> String {
    format!("{:.3}", time.as_secs_f64() * 1e3)
}

/// Measures.
pub(crate) fn run(args: &WidthArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let seeds = args.seed..args.seed.saturating_add(args.count);
    if args.show {
        for seed in seeds {
            let made = generate(seed);
            let shown = if ui.json {
                format!("{}\n", shown_as_json(seed, &made))
            } else {
                format!("// seed {seed}: {}\n{}", features(&made).join(", "), made.source)
            };
            ui.result(&shown)?;
        }
        return Ok(Outcome::Ok);
    }
    let device = launching::device(oxcl_workload::device::Device::Cpu)?;
    let mut rows = Vec::new();
    let progress = Progress::new(ui);
    for seed in seeds {
        progress.part("kernels", seed - args.seed, args.count);
        let made = generate(seed);
        let times = measure(&made, &device, args.runs, args.cpu.as_deref())?;
        let row = Row { seed, made, times };
        if ui.json {
            ui.result(&format!("{}\n", as_json(&row)))?;
        }
        rows.push(row);
    }
    let all = Summary::of(rows.iter());
    let wrong: Vec<&Row> = rows.iter().filter(|row| !row.times.wrong.is_empty()).collect();
    if ui.json {
        let summary = json!({
            "kernels": all.count, "within_1.1": all.good, "mean": all.mean, "worst": all.worst, "wrong": wrong.len(),
        });
        ui.result(&format!("{summary}\n"))?;
    } else {
        ui.result(&tables(&rows, &all))?;
    }
    for row in &wrong {
        ui.message(&format!(
            "seed {}: results differ at W = {:?}, 0 being the chosen one",
            row.seed, row.times.wrong
        ));
    }
    Ok(if wrong.is_empty() { Outcome::Ok } else { Outcome::Negative })
}

/// A kernel and what it runs on: whoever times it fills the buffers with numbers of the `type`, reals from 0.5 to 1.5, and `list`
/// with places below `items`.
fn shown_as_json(seed: u64, made: &Made) -> serde_json::Value {
    json!({
        "seed": seed,
        "features": features(made),
        "source": made.source,
        "global": made.global,
        "local": made.local,
        "type": made.type_name(),
        "items": made.items,
        "b_items": made.beyond,
        "values": made.values,
    })
}

fn tables(rows: &[Row], all: &Summary) -> String {
    let mut table =
        Table::new(&["seed", "W = 1", "4", "8", "16", "chosen", "W", "over best", "size", "what"]);
    for column in 0..=7 {
        table = table.right(column);
    }
    for row in rows {
        let Times { forced, chosen, width, .. } = &row.times;
        let mut cells = vec![row.seed.to_string()];
        cells.extend(forced.iter().map(|time| time.map_or_else(|| "-".to_owned(), milliseconds)));
        cells.extend([milliseconds(*chosen), width.to_string(), format!("{:.2}", row.times.ratio())]);
        cells.push(if row.made.is_large { "memory" } else { "cache" }.to_owned());
        cells.push(features(&row.made).join(", "));
        table.row(cells);
    }
    let mut summary = Table::new(&["kernels with", "number", "within 1.1", "mean", "worst"]);
    for column in 1..=4 {
        summary = summary.right(column);
    }
    for (number, feature) in FEATURES.into_iter().enumerate() {
        let with = rows.iter().filter(|row| row.made.features[number]);
        summary.row(Summary::of(with).cells(feature));
    }
    summary.row(all.cells("all"));
    format!("milliseconds of one launch, the best of all runs\n{table}\n{summary}")
}

fn as_json(row: &Row) -> serde_json::Value {
    let Times { forced, chosen, width, launches, .. } = &row.times;
    let seconds = |time: &Option<Duration>| time.map(|time| time.as_secs_f64());
    json!({
        "seed": row.seed,
        "features": features(&row.made),
        "size": if row.made.is_large { "memory" } else { "cache" },
        "widths": WIDTHS,
        "seconds": forced.iter().map(seconds).collect::<Vec<_>>(),
        "chosen_seconds": chosen.as_secs_f64(),
        "chosen_width": width,
        "over_best": row.times.ratio(),
        "launches": launches,
        "wrong": row.times.wrong,
    })
}
