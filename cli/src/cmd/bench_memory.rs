//! `oxcl bench memory`: the allocator, moving between memories, and running with more than fits.

use crate::error::CliError;
use crate::exit::Outcome;
use crate::memory::{HELD, Moves, Order, Small, copy_bandwidth, least_moves, told};
use crate::ui::Ui;
use crate::ui::chart::{Chart, Series};
use crate::ui::progress::Progress;
use clap::{Args, ValueEnum};
use oxcl_memory::bench::{
    Allocator, FirstFit, Tight, Wasteful, allocate_and_free, fragmentations, fragmentations_recorded,
    reclaim_structures,
};
use oxcl_runtime::Program;
use serde_json::{Value as Json, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Measure the memory manager: allocator, migration, and running with more than the device holds
///
/// Migration and oversubscription run on device `discrete`, whose memory is a block of the host's that bytes are really
/// copied into and out of. A program's bound is the time of the bytes that must move, whoever decides what leaves, at the
/// speed of a plain copy, and of its kernels. With --json each figure is an object on a line of its own.
#[derive(Debug, Args)]
#[command(after_help = "Example: oxcl bench memory --only oversubscription --factor 4 --plot plots")]
pub(crate) struct MemoryArgs {
    /// Only this part; may be given several times
    #[arg(long, value_name = "PART", value_enum)]
    only: Vec<Part>,
    /// Memory of the device, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=65536))]
    memory: u64,
    /// Buffers of a program, over the memory; may be given several times
    #[arg(long, value_name = "TIMES", default_values_t = [1.0, 1.5, 2.0, 4.0], value_parser = factor)]
    factor: Vec<f64>,
    /// Runs of which the best counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Draw the figures into this folder, as SVG
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
}

/// A part of the measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Speed and fragmentation of the allocator, and structures for the order of reclaim
    Allocator,
    /// Host to device, back, and device to device
    Migration,
    /// Programs over more memory than there is
    Oversubscription,
}

fn factor(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    if (0.125..=64.0).contains(&value) { Ok(value) } else { Err("it goes from 0.125 to 64".to_owned()) }
}

/// A figure: as an object, as a line, and what is drawn of it (chart, curve, place, value).
struct Figure {
    json: Json,
    line: String,
    drawn: Option<(&'static str, String, f64, f64)>,
}

/// Measures.
pub(super) fn run(
    args: &MemoryArgs,
    ui: &mut Ui,
    compile: impl FnOnce(&mut Ui) -> Result<Vec<u8>, CliError>,
) -> Result<Outcome, CliError> {
    let wanted = |part| args.only.is_empty() || args.only.contains(&part);
    let mut figures = Vec::new();
    let progress = Progress::new(ui);
    let mut tell = |figure: Figure, ui: &mut Ui| {
        let line = if ui.json { figure.json.to_string() } else { figure.line.clone() };
        let told = ui.result(&format!("{line}\n"));
        figures.push(figure);
        told
    };
    if wanted(Part::Allocator) {
        allocator(&progress, |figure| tell(figure, ui))?;
    }
    let (migrates, oversubscribes) = (wanted(Part::Migration), wanted(Part::Oversubscription));
    if migrates || oversubscribes {
        let program = Program::from_archive(&compile(ui)?);
        let device = |message: String| CliError::Device { message, help: None };
        let small = program.map_err(told).and_then(|program| Small::new(args.memory << 20, &program));
        let small = small.map_err(device)?;
        if migrates {
            progress.step("measuring migrations");
            migration(&small, copy_bandwidth(small.size(), small.size()), args.runs, |figure| {
                tell(figure, ui)
            })?;
        }
        if oversubscribes {
            // As large as the largest program, so that the caches help as little as they help that.
            let largest = args.factor.iter().copied().fold(1.0, f64::max);
            let total = (largest * (args.memory << 20) as f64) as u64;
            let bandwidth = copy_bandwidth(small.size(), total.min(1 << 30));
            oversubscription(&small, bandwidth, args, &progress, |figure| tell(figure, ui))?;
            if let Some(folder) = &args.plot {
                write(folder, "memory-timeline.svg", &small.timeline().map_err(device)?.to_string(), ui)?;
            }
        }
    }
    drop(progress);
    if let Some(folder) = &args.plot {
        plot(folder, &figures, ui)?;
    }
    Ok(Outcome::Ok)
}

fn rounded(value: f64, digits: i32) -> f64 {
    let unit = 10f64.powi(digits);
    (value * unit).round() / unit
}

fn allocator(
    progress: &Progress,
    mut tell: impl FnMut(Figure) -> Result<(), CliError>,
) -> Result<(), CliError> {
    const LIVE: [usize; 4] = [100, 1000, 10_000, 100_000];
    const OBJECTS: [u32; 2] = [100, 10_000];
    let fragmenting: [Fragmenting; 3] = [
        ("bufalloc-tight", shares::<Tight>),
        ("bufalloc-wasteful", shares::<Wasteful>),
        ("first-fit", shares::<FirstFit>),
    ];
    let all = (LIVE.len() + fragmenting.len() + OBJECTS.len()) as u64;
    let mut parts = 0..;
    let mut next = || progress.part("measuring the allocators", parts.next().unwrap_or(all), all);
    for live in LIVE {
        next();
        let speeds = [
            ("bufalloc-tight", allocate_and_free::<Tight>(live, 200_000)),
            ("bufalloc-wasteful", allocate_and_free::<Wasteful>(live, 200_000)),
            ("first-fit", allocate_and_free::<FirstFit>(live, 2000)),
        ];
        for (name, ns) in speeds {
            tell(Figure {
                json: json!({"bench": "alloc-free", "allocator": name, "live": live, "ns": rounded(ns, 1)}),
                line: format!("alloc-free        {name:18} {live:>6} live {ns:>10.1} ns"),
                drawn: (name != "first-fit").then(|| ("alloc-free", name.to_owned(), live as f64, ns)),
            })?;
        }
    }
    for (name, shares) in fragmenting {
        next();
        for (trace, share) in shares() {
            tell(Figure {
                json: json!({
                    "bench": "fragmentation", "allocator": name, "trace": trace, "fragmentation": rounded(share, 4),
                }),
                line: format!("fragmentation     {name:18} {trace:>11} {:>10.1} %", share * 100.0),
                drawn: None,
            })?;
        }
    }
    for objects in OBJECTS {
        next();
        for structure in reclaim_structures(objects) {
            let (name, ns) = (structure.name, structure.ns);
            tell(Figure {
                json: json!({
                    "bench": "reclaim-order", "structure": name, "objects": objects, "exact": structure.exact,
                    "ns": rounded(ns, 1),
                }),
                line: format!("reclaim-order     {name:18} {objects:>6} objs {ns:>10.1} ns"),
                drawn: None,
            })?;
        }
    }
    Ok(())
}

/// What is lost on each trace.
type Shares = Vec<(&'static str, f64)>;
/// An allocator, and what measures it.
type Fragmenting = (&'static str, fn() -> Shares);

/// The same of one allocator.
fn shares<A: Allocator>() -> Shares {
    fragmentations::<A>(8).into_iter().chain(fragmentations_recorded::<A>(8)).collect()
}

fn migration(
    small: &Small,
    bandwidth: f64,
    runs: u32,
    mut tell: impl FnMut(Figure) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let bound = small.size() as f64 / bandwidth;
    let all = small.migrations(runs.max(5)).map_err(|message| CliError::Device { message, help: None })?;
    for (name, seconds) in all {
        tell(Figure {
            json: json!({
                "bench": "migration", "path": name, "bytes": small.size(), "seconds": rounded(seconds, 6),
                "bound_seconds": rounded(bound, 6),
            }),
            line: format!(
                "migration         {name:18} {:>6} KiB {:>10.3} ms, a plain copy {:.3} ms",
                small.size() >> 10,
                seconds * 1e3,
                bound * 1e3
            ),
            drawn: None,
        })?;
    }
    Ok(())
}

fn oversubscription(
    small: &Small,
    bandwidth: f64,
    args: &MemoryArgs,
    progress: &Progress,
    mut tell: impl FnMut(Figure) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let device = |message: String| CliError::Device { message, help: None };
    let compute = small.compute().map_err(device)?;
    let all = Order::ALL.len() * args.factor.len() * args.runs as usize;
    let mut done = 0;
    for order in Order::ALL {
        for &factor in &args.factor {
            let count = ((factor * HELD as f64).round() as usize).max(1);
            let commands = order.uses(count);
            let Moves { into, out } = least_moves(&commands, HELD);
            let must = (into + out) * small.size();
            let bound = must as f64 / bandwidth + compute * commands.len() as f64;
            let mut best: Option<crate::memory::Ran> = None;
            let mut right = true;
            for _ in 0..args.runs {
                progress.part("measuring with too little memory", done, all as u64);
                done += 1;
                let ran = small.run(order, count).map_err(device)?;
                right &= ran.right;
                if best.is_none_or(|best| ran.seconds < best.seconds) {
                    best = Some(ran);
                }
            }
            let Some(best) = best else { continue };
            let seconds = best.seconds;
            tell(Figure {
                json: json!({
                    "bench": "oversubscription", "order": order.name(), "factor": factor, "ok": right,
                    "seconds": rounded(seconds, 6), "bound_seconds": rounded(bound, 6), "bytes_that_must_move": must,
                    "paged_out": best.paged_out, "paged_in": best.paged_in,
                }),
                line: format!(
                    "oversubscription  {:8} {factor:>5} times memory {:>9.1} ms, bound {:>9.1} ms, {:.2} times{}",
                    order.name(),
                    seconds * 1e3,
                    bound * 1e3,
                    seconds / bound,
                    if right { "" } else { ", WRONG BYTES" }
                ),
                drawn: Some(("oversubscription", order.name().to_owned(), factor, seconds * 1e3)),
            })?;
            tell(Figure {
                json: json!({
                    "bench": "oversubscription-bound", "order": order.name(), "factor": factor,
                    "bound_seconds": rounded(bound, 6), "bandwidth": rounded(bandwidth, 0),
                    "compute_seconds": rounded(compute * commands.len() as f64, 6),
                }),
                line: format!(
                    "                  copies at {:.1} GB/s, kernels {:.1} ms; paged out {} MiB, in {} MiB",
                    bandwidth / 1e9,
                    compute * commands.len() as f64 * 1e3,
                    best.paged_out >> 20,
                    best.paged_in >> 20
                ),
                drawn: Some(("oversubscription", format!("{} bound", order.name()), factor, bound * 1e3)),
            })?;
        }
    }
    Ok(())
}

fn write(folder: &Path, name: &str, text: &str, ui: &mut Ui) -> Result<(), CliError> {
    fs::create_dir_all(folder).map_err(|source| CliError::Write { path: folder.to_owned(), source })?;
    let path = folder.join(name);
    fs::write(&path, text).map_err(|source| CliError::Write { path: path.clone(), source })?;
    ui.note(&format!("wrote {}", path.display()));
    Ok(())
}

fn plot(folder: &Path, figures: &[Figure], ui: &mut Ui) -> Result<(), CliError> {
    let charts = [
        ("alloc-free", "allocate and free", "live chunks", "nanoseconds", true),
        ("oversubscription", "more than the device holds", "times its memory", "milliseconds", false),
    ];
    for (name, title, x_label, y_label, logarithmic_x) in charts {
        let mut series: Vec<Series> = Vec::new();
        for (_, curve, x, y) in figures.iter().filter_map(|f| f.drawn.as_ref()).filter(|d| d.0 == name) {
            match series.iter_mut().find(|series| series.name == *curve) {
                Some(series) => series.points.push((*x, *y)),
                None => series.push(Series { name: curve.clone(), points: vec![(*x, *y)] }),
            }
        }
        if series.is_empty() {
            continue;
        }
        let (title, x_label, y_label) = (title.to_owned(), x_label.to_owned(), y_label.to_owned());
        let chart = Chart { title, x_label, y_label, logarithmic_x, series };
        write(folder, &format!("memory-{name}.svg"), &chart.to_string(), ui)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_checked() {
        assert_eq!(factor("1.5"), Ok(1.5));
        for text in ["", "x", "0", "-1", "100", "nan"] {
            assert!(factor(text).is_err(), "{text}");
        }
    }
}
