//! `oxcl bench images`: kernels on images, beside the same on buffers.

use crate::error::CliError;
use crate::exit::Outcome;
use crate::images::{Inputs, Pictures, Ran, Work};
use crate::together;
use crate::ui::Ui;
use crate::ui::progress::Progress;
use crate::ui::table::Table;
use clap::Args;
use oxcl_runtime::{KnownOf, LaunchShape};
use oxcl_workload::nearest::nearest;
use serde_json::json;
use std::time::Duration;

/// Measure kernels on images: convolution, resizing, gathering, a volume and another format
///
/// Each runs on images and on buffers, with one worker and with all, by the code for its local size, formats and samplers that a program gets
/// for kernels that are hot. Results are compared with a scalar reference: the command fails where
/// one is further from it than a step of a byte, or than what floats that are mixed may differ by. With --json each kernel is an object on
/// a line of its own. `testsuite/peers/images.py` runs the same kernels on other OpenCL libraries.
#[derive(Debug, Args)]
#[command(after_help = "Example: oxcl bench images --only convolution --only format --workers 4")]
pub(crate) struct ImagesArgs {
    /// Workers, the waiting thread included [default: as many as there are CPUs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1024))]
    workers: Option<u64>,
    /// Width and height of the picture, a multiple of 16
    #[arg(long, value_name = "PIXELS", default_value_t = 1024, value_parser = side)]
    side: u64,
    /// Runs of which the best counts
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Run the code for any local size and format, as programs do before a kernel is hot
    #[arg(long)]
    any_format: bool,
    /// Measure also what as many programs of one worker do at the same time, each with its own images: the machine's own scaling
    #[arg(long)]
    at_once: bool,
    /// Only this kernel; may be given several times
    #[arg(long, value_name = "NAME", value_parser = work)]
    only: Vec<Work>,
}

fn side(text: &str) -> Result<u64, String> {
    let side: u64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
    let fits = (16..=8192).contains(&side) && side.is_multiple_of(16);
    if fits { Ok(side) } else { Err("it goes from 16 to 8192, in steps of 16".to_owned()) }
}

fn work(name: &str) -> Result<Work, String> {
    Work::from_name(name).ok_or_else(|| {
        let names: Vec<_> = Work::ALL.iter().map(|work| work.name()).collect();
        match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("there are {}", names.join(", ")),
        }
    })
}

/// A kernel's figures: on images and on buffers.
struct Row {
    work: Work,
    alone: [Ran; 2],
    all: [Ran; 2],
    /// On images, in each of as many programs at once as there are workers: the median.
    at_once: Option<Duration>,
}

impl Row {
    /// Whether all results are as near to the reference as bytes and floats are.
    fn is_right(&self) -> bool {
        self.alone.iter().chain(&self.all).all(|ran| ran.far <= 1.0)
    }

    fn ratio(&self) -> f64 {
        self.all[0].best.as_secs_f64() / self.all[1].best.as_secs_f64()
    }

    fn speed_up(&self) -> f64 {
        self.alone[0].best.as_secs_f64() / self.all[0].best.as_secs_f64()
    }

    /// What the machine's processors do together beside one, if that was measured.
    fn at_once(&self, workers: usize) -> Option<f64> {
        Some(workers as f64 * self.alone[0].best.as_secs_f64() / self.at_once?.as_secs_f64())
    }
}

fn micros(ran: &Ran) -> f64 {
    (ran.best.as_secs_f64() * 1e7).round() / 10.0
}

/// Measures.
pub(super) fn run(
    args: &ImagesArgs,
    ui: &mut Ui,
    compile: impl Fn(&[[u64; 3]], &[KnownOf], &mut Ui) -> Result<Vec<u8>, CliError>,
) -> Result<Outcome, CliError> {
    let failed = |message: String| CliError::Device { message, help: None };
    let mut archive = compile(&[], &[], ui)?;
    let workers = super::bench::workers(args.workers);
    let on = |workers| Pictures::new(&archive, workers, Inputs::new(args.side)).map_err(failed);
    let (mut alone, mut all) = (on(1)?, on(workers)?);
    let works = if args.only.is_empty() { &Work::ALL[..] } else { &args.only };
    let shapes = |work| -> Result<Shapes, String> { Ok([all.shape(work, true)?, all.shape(work, false)?]) };
    let shapes = works.iter().map(|&work| shapes(work)).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    if !args.any_format {
        archive = compile_for(&shapes, &compile, ui)?;
        [&mut alone, &mut all].into_iter().try_for_each(|on| on.take(&archive)).map_err(failed)?;
    }
    let progress = Progress::new(ui);
    let mut rows = Vec::new();
    for (done, (&work, [on_images, on_buffers])) in works.iter().zip(&shapes).enumerate() {
        progress.part("kernels", done as u64, works.len() as u64);
        let both = |pictures: &Pictures| -> Result<[Ran; 2], CliError> {
            let ran = |is_image, shape: &(String, LaunchShape)| {
                pictures.run(work, is_image, &shape.1, args.runs).map_err(failed)
            };
            Ok([ran(true, on_images)?, ran(false, on_buffers)?])
        };
        let at_once = if args.at_once {
            let times = at_once(&archive, workers, args, work, &on_images.1).map_err(failed)?;
            times.get(times.len() / 2).copied()
        } else {
            None
        };
        let row = Row { work, alone: both(&alone)?, all: both(&all)?, at_once };
        if ui.json {
            ui.result(&format!("{}\n", as_json(&row, workers)))?;
        }
        rows.push(row);
    }
    drop(progress);
    if !ui.json {
        ui.result(&table(&rows, workers))?;
    }
    let wrong: Vec<&str> = rows.iter().filter(|row| !row.is_right()).map(|row| row.work.name()).collect();
    if wrong.is_empty() {
        return Ok(Outcome::Ok);
    }
    ui.message(&format!("results are not those of the reference: {}", wrong.join(", ")));
    Ok(Outcome::Negative)
}

/// The times of a kernel on images in as many programs of one worker each as are said, in order.
fn at_once(
    archive: &[u8],
    programs: usize,
    args: &ImagesArgs,
    work: Work,
    shape: &LaunchShape,
) -> Result<Vec<Duration>, String> {
    let mut times = together::run(programs, args.runs, |member| {
        Pictures::new(archive, 1, Inputs::new(args.side))?.run_in(member, work, shape)
    })?;
    times.sort_unstable();
    Ok(times)
}

/// What a kernel's functions are for, on images and on buffers.
type Shapes = [(String, LaunchShape); 2];

/// The kernels with functions for the launches that they get, as a program that runs long has them made.
fn compile_for(
    shapes: &[Shapes],
    compile: impl Fn(&[[u64; 3]], &[KnownOf], &mut Ui) -> Result<Vec<u8>, CliError>,
    ui: &mut Ui,
) -> Result<Vec<u8>, CliError> {
    let mut sizes: Vec<[u64; 3]> = Vec::new();
    let mut known = Vec::new();
    for (kernel, shape) in shapes.iter().flatten() {
        if !sizes.contains(&shape.local) {
            sizes.push(shape.local);
        }
        if !shape.known.is_empty() {
            known.push(KnownOf { kernel: kernel.clone(), arguments: shape.known.clone() });
        }
    }
    compile(&sizes, &known, ui)
}

fn as_json(row: &Row, workers: usize) -> serde_json::Value {
    let Row { work, alone: [image_alone, buffer_alone], all: [image, buffer], .. } = row;
    json!({
        "bench": work.name(),
        "workers": workers,
        "image_us": micros(image),
        "buffer_us": micros(buffer),
        "image_us_alone": micros(image_alone),
        "buffer_us_alone": micros(buffer_alone),
        "image_speedup_at_once": row.at_once(workers).map(|times| (times * 100.0).round() / 100.0),
        "ok": row.is_right(),
    })
}

fn table(rows: &[Row], workers: usize) -> String {
    let on_all = format!("{workers} workers");
    let at_once = format!("{workers} at once");
    let mut names = vec!["us", "images", "buffers", "ratio", "images, 1 worker", &on_all];
    if rows.iter().any(|row| row.at_once.is_some()) {
        names.push(&at_once);
    }
    let mut table = (1..names.len()).fold(Table::new(&names), Table::right);
    for row in rows {
        let mut cells = vec![
            row.work.name().to_owned(),
            format!("{:.1}", micros(&row.all[0])),
            format!("{:.1}", micros(&row.all[1])),
            format!("{:.2}", row.ratio()),
            format!("{:.1}", micros(&row.alone[0])),
            format!("{:.2} times", row.speed_up()),
        ];
        cells.extend(row.at_once(workers).map(|times| format!("{times:.2} times")));
        table.row(cells);
    }
    table.to_string()
}
