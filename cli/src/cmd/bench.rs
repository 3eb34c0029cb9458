//! `oxcl bench`: measurements of the runtime on this machine.

use super::bench_memory::{self, MemoryArgs};
use crate::error::CliError;
use crate::exit::Outcome;
use crate::tasks::{Compiled, Kernels};
use crate::ui::Ui;
use crate::ui::chart::{Chart, Series};
use crate::ui::progress::Progress;
use clap::{Args, Subcommand};
use oxcl_runtime::{Coded as _, Program};
use oxcl_scheduler::bench::{self, Benchmark, Figure, Functions, Measure, Plan};
use oxcl_workload::device::{self, Device};
use oxcl_workload::nearest::nearest;
use serde_json::{Value as Json, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Measure the runtime
#[derive(Debug, Subcommand)]
pub(crate) enum BenchArgs {
    #[cfg(feature = "compiler")]
    FuzzTta(super::bench_fuzz_tta::FuzzArgs),
    #[cfg(feature = "compiler")]
    Images(super::bench_images::ImagesArgs),
    Machine(super::bench_machine::MachineArgs),
    Memory(MemoryArgs),
    #[cfg(feature = "mpi")]
    Nodes(super::bench_nodes::NodesArgs),
    #[cfg(feature = "compiler")]
    Scaling(super::bench_scaling::ScalingArgs),
    Tasks(TasksArgs),
    #[cfg(feature = "compiler")]
    Tta(super::bench_tta::TtaBenchArgs),
    #[cfg(feature = "compiler")]
    Width(super::bench_width::WidthArgs),
}

/// Measure the scheduler: chains, imbalanced kernels and work-groups, parallel in-order queues
///
/// The kernels are compiled OpenCL C and go through the whole runtime. With --json each figure is an object on a line
/// of its own.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct TasksArgs {
    /// Measure with 1 to N workers, the waiting thread included; with several numbers, as in 1,16: with so many only [default: as many
    /// as there are CPUs]
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=1024))]
    workers: Vec<u64>,
    /// Draw the figures into this folder, as SVG
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
    /// Length of the chains [default: 10000; 1000 on simulated processors]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u64).range(10..))]
    n: Option<u64>,
    /// Runs of which the best counts [default: 5; 2 on simulated processors, which need the same cycles each time]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// Cycles that the largest piece of work takes at most on a simulated processor, if one element does not take more
    #[arg(long, value_name = "CYCLES", default_value_t = PIECE, value_parser = clap::value_parser!(u64).range(1..))]
    piece: u64,
    /// Only this benchmark; may be given several times
    #[arg(long, value_name = "NAME", value_parser = benchmark)]
    only: Vec<Benchmark>,
    /// The device: cpu, basic, ref, discrete or ttasim:MACHINE.adf
    #[arg(long, value_name = "DEVICE", default_value = "cpu", value_parser = device::parse, conflicts_with = "functions")]
    device: Device,
    /// Take the compiled kernels from this archive
    #[arg(long, value_name = "FILE", conflicts_with = "functions")]
    kernels: Option<PathBuf>,
    /// Instead of kernels run functions of this program, so that nothing but the scheduler is measured
    #[arg(long)]
    functions: bool,
    #[cfg(feature = "compiler")]
    #[command(flatten)]
    emit: EmitArgs,
}

/// Making the archive, for a machine without the compiler
#[cfg(feature = "compiler")]
#[derive(Debug, Args)]
struct EmitArgs {
    /// Write the compiled kernels to this archive and measure nothing
    #[arg(long, value_name = "FILE", conflicts_with_all = ["kernels", "functions", "plot"])]
    emit_kernels: Option<PathBuf>,
    /// CPUs to make the archive for, in LLVM's names [default: this machine's]
    #[arg(long, value_name = "CPU", value_delimiter = ',', requires = "emit_kernels")]
    cpu: Vec<String>,
}

/// At the speed of the simulator this is as many times what it takes to hand a kernel over as the work on the host's processor.
const PIECE: u64 = 20_000;

const EXAMPLES: &str = "Examples:
  oxcl bench tasks --workers 4 --plot plots
  oxcl bench tasks --kernels tasks.poclbin --json";

fn benchmark(name: &str) -> Result<Benchmark, String> {
    Benchmark::from_name(name).ok_or_else(|| {
        let names: Vec<_> = Benchmark::ALL.iter().map(|benchmark| benchmark.name()).collect();
        match nearest(name, names.iter().copied()) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("there are {}", names.join(", ")),
        }
    })
}

/// Measures.
pub(crate) fn run(args: &BenchArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    match args {
        #[cfg(feature = "compiler")]
        BenchArgs::FuzzTta(args) => super::bench_fuzz_tta::run(args, ui),
        #[cfg(feature = "compiler")]
        BenchArgs::Images(args) => super::bench_images::run(args, ui, image_kernels),
        BenchArgs::Machine(args) => super::bench_machine::run(args, ui),
        BenchArgs::Memory(args) => bench_memory::run(args, ui, memory_kernels),
        #[cfg(feature = "mpi")]
        BenchArgs::Nodes(args) => super::bench_nodes::run(args, ui, node_kernels),
        #[cfg(feature = "compiler")]
        BenchArgs::Scaling(args) => super::bench_scaling::run(args, ui, scaling_kernels),
        BenchArgs::Tasks(args) => tasks(args, ui),
        #[cfg(feature = "compiler")]
        BenchArgs::Tta(args) => super::bench_tta::run(args, ui),
        #[cfg(feature = "compiler")]
        BenchArgs::Width(args) => super::bench_width::run(args, ui),
    }
}

/// How many workers are measured: as many as are wanted, else one for each processor.
pub(super) fn workers(wanted: Option<u64>) -> usize {
    let processors = oxcl_runtime::allowed_processors().len().max(1);
    wanted.map_or(processors, |workers| usize::try_from(workers).unwrap_or(1))
}

fn tasks(args: &TasksArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    #[cfg(feature = "compiler")]
    if let Some(path) = &args.emit.emit_kernels {
        let archive = compile(crate::tasks::SOURCE, &args.emit.cpu, args.device, ui)?;
        oxcl_workload::data::file::write_whole(path, &archive)
            .map_err(|source| CliError::Write { path: path.clone(), source })?;
        ui.note(&format!("wrote {}", path.display()));
        return Ok(Outcome::Ok);
    }
    let (n, runs) = if matches!(args.device, Device::Processor(_)) { (1000, 2) } else { (10_000, 5) };
    let mut plan = Plan { n: args.n.unwrap_or(n), runs: args.runs.unwrap_or(runs), ..Plan::default() };
    let count = |workers: &u64| usize::try_from(*workers).unwrap_or(1);
    match &args.workers[..] {
        [] => {}
        [most] => plan.workers = (1..=count(most)).collect(),
        some => plan.workers = some.iter().map(count).collect(),
    }
    if !args.only.is_empty() {
        plan.benchmarks.clone_from(&args.only);
    }
    let kernels =
        if args.functions { None } else { Some(kernels(args.kernels.as_deref(), args.device, ui)?) };
    let mut figures = Vec::new();
    let mut written = Ok(());
    let progress = Progress::new(ui);
    // Counted in benchmarks: those before the one that a figure is of are done.
    let all = plan.benchmarks.len() as u64;
    progress.part("measuring, benchmarks", 0, all);
    let each = |figure: Figure| {
        let line = if ui.json { format!("{}\n", as_json(&figure)) } else { format!("{figure}\n") };
        // Whoever has closed the output gets no more lines; the measurements cannot be broken off.
        if written.is_ok() {
            written = ui.result(&line);
        }
        let done = plan.benchmarks.iter().position(|benchmark| *benchmark == figure.benchmark);
        progress.part("measuring, benchmarks", done.unwrap_or(0) as u64, all);
        figures.push(figure);
    };
    let result = match &kernels {
        Some(kernels) => {
            bench::run(&plan, |workers| Compiled::start(workers, args.device, kernels, args.piece), each)
        }
        None => bench::run(&plan, Functions::start, each),
    };
    drop(progress);
    result.map_err(|error| CliError::Device { message: error.to_string(), help: None })?;
    written?;
    if let Some(folder) = &args.plot {
        plot(folder, &figures, ui)?;
    }
    Ok(Outcome::Ok)
}

/// The benchmarks' kernels: from an archive, or compiled here.
fn kernels(archive: Option<&Path>, device: Device, ui: &mut Ui) -> Result<Kernels, CliError> {
    let (path, contents) = match archive {
        Some(path) => {
            let contents = fs::read(path);
            let contents = contents.map_err(|source| CliError::Read { path: path.to_owned(), source })?;
            (path.to_owned(), contents)
        }
        None => (PathBuf::from("the benchmarks' kernels"), task_kernels(device, ui)?),
    };
    let program = Program::from_archive(&contents).and_then(|program| Kernels::of(&program));
    program.map_err(|error| CliError::File {
        path,
        reason: format!("{error} [{}]", error.code()),
        help: Some("make one where the compiler is: oxcl bench tasks --emit-kernels FILE".to_owned()),
    })
}

#[cfg(feature = "compiler")]
fn compile(source: &str, cpus: &[String], device: Device, ui: &mut Ui) -> Result<Vec<u8>, CliError> {
    use oxcl_compiler::{Emit, Request, SourceFile};
    let source = SourceFile { name: "kernels.cl".to_owned(), text: source.to_owned() };
    let mut request = Request::new(vec![source]);
    request.devices = crate::build::devices(&[device]);
    request.machines = crate::build::machines(&[device], ui)?;
    request.cpus = cpus.to_vec();
    Ok(crate::build::compile(&request, Emit::Archive, None, ui)?.bytes)
}

#[cfg(feature = "compiler")]
fn image_kernels(
    local_sizes: &[[u64; 3]],
    known: &[oxcl_runtime::KnownOf],
    ui: &mut Ui,
) -> Result<Vec<u8>, CliError> {
    compile_for(crate::images::SOURCE, local_sizes, known, ui)
}

#[cfg(feature = "compiler")]
fn scaling_kernels(local_sizes: &[[u64; 3]], ui: &mut Ui) -> Result<Vec<u8>, CliError> {
    compile_for(crate::scaling::SOURCE, local_sizes, &[], ui)
}

/// Kernels with functions for the launches that they get, as a program that runs long has them made.
#[cfg(feature = "compiler")]
fn compile_for(
    source: &str,
    local_sizes: &[[u64; 3]],
    known: &[oxcl_runtime::KnownOf],
    ui: &mut Ui,
) -> Result<Vec<u8>, CliError> {
    use oxcl_compiler::{Emit, Request, SourceFile};
    let (name, text) = ("kernels.cl".to_owned(), source.to_owned());
    let mut request = Request::new(vec![SourceFile { name, text }]);
    request.local_sizes = local_sizes.to_vec();
    request.known = known.to_vec();
    Ok(crate::build::compile(&request, Emit::Archive, None, ui)?.bytes)
}

#[cfg(feature = "compiler")]
fn task_kernels(device: Device, ui: &mut Ui) -> Result<Vec<u8>, CliError> {
    compile(crate::tasks::SOURCE, &[], device, ui)
}

#[cfg(feature = "compiler")]
fn memory_kernels(ui: &mut Ui) -> Result<Vec<u8>, CliError> {
    compile(crate::memory::SOURCE, &[], Device::Cpu, ui)
}

#[cfg(all(feature = "mpi", feature = "compiler"))]
fn node_kernels(ui: &mut Ui) -> Result<Vec<u8>, CliError> {
    compile(crate::nodes::SOURCE, &[], Device::Cpu, ui)
}

#[cfg(all(feature = "mpi", not(feature = "compiler")))]
fn node_kernels(_ui: &mut Ui) -> Result<Vec<u8>, CliError> {
    Err(CliError::usage_with_help(
        "this oxcl was built without the compiler and has no kernels to run",
        "give it an archive (--kernels FILE): oxcl compile cli/src/nodes/kernels.cl, where the compiler is",
    ))
}

#[cfg(not(feature = "compiler"))]
fn task_kernels(_device: Device, _ui: &mut Ui) -> Result<Vec<u8>, CliError> {
    Err(CliError::usage_with_help(
        "this oxcl was built without the compiler and has no kernels to run",
        "give it an archive (--kernels FILE), or measure the scheduler alone (--functions)",
    ))
}

#[cfg(not(feature = "compiler"))]
fn memory_kernels(_ui: &mut Ui) -> Result<Vec<u8>, CliError> {
    Err(CliError::usage_with_help(
        "this oxcl was built without the compiler and has no kernels to run",
        "measure the allocator alone (--only allocator)",
    ))
}

/// A figure rounded to what it is worth.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

fn as_json(figure: &Figure) -> Json {
    let mut object = json!({
        "bench": figure.benchmark.name(),
        "workers": figure.workers,
        "n": figure.n,
    });
    match figure.measure {
        Measure::PerKernel { us, speedup } => {
            object["us_per_kernel"] = json!(rounded(us));
            if let Some(speedup) = speedup {
                object["speedup"] = json!(rounded(speedup));
            }
        }
        Measure::RoundTrip { p50_us, p99_us } => {
            object["p50_us"] = json!(rounded(p50_us));
            object["p99_us"] = json!(rounded(p99_us));
        }
        Measure::PerCommand { us } => object["us_per_command"] = json!(rounded(us)),
        Measure::PerGroup { ns } => object["ns_per_group"] = json!(rounded(ns)),
    }
    object
}

/// What a figure is drawn as: the curve's name where the benchmark has several, and the value.
fn values(measure: Measure, by_width: bool) -> Vec<(&'static str, f64)> {
    match measure {
        // Over the numbers of parallel kernels only the speed-up compares.
        Measure::PerKernel { speedup: Some(speedup), .. } if by_width => vec![("", speedup)],
        Measure::PerKernel { us, .. } => vec![("", us)],
        Measure::RoundTrip { p50_us, p99_us } => vec![("p50", p50_us), ("p99", p99_us)],
        Measure::PerCommand { us } => vec![("", us)],
        Measure::PerGroup { ns } => vec![("", ns)],
    }
}

fn plot(folder: &Path, figures: &[Figure], ui: &mut Ui) -> Result<(), CliError> {
    fs::create_dir_all(folder).map_err(|source| CliError::Write { path: folder.to_owned(), source })?;
    let benchmarks: BTreeSet<Benchmark> = figures.iter().map(|figure| figure.benchmark).collect();
    for benchmark in benchmarks {
        let path = folder.join(format!("{}.svg", benchmark.name().replace('+', "-")));
        let own: Vec<&Figure> = figures.iter().filter(|figure| figure.benchmark == benchmark).collect();
        fs::write(&path, chart(benchmark, &own).to_string())
            .map_err(|source| CliError::Write { path: path.clone(), source })?;
        ui.note(&format!("wrote {}", path.display()));
    }
    Ok(())
}

/// Benchmarks that go through numbers of parallel kernels or groups are drawn over those, a curve for each number of
/// workers; the others over the numbers of workers, a curve for each length.
fn chart(benchmark: Benchmark, figures: &[&Figure]) -> Chart {
    let by_width =
        matches!(benchmark, Benchmark::KernelImbalance | Benchmark::WorkGroupImbalance | Benchmark::Both);
    let mut series: Vec<Series> = Vec::new();
    for figure in figures {
        for (curve, y) in values(figure.measure, by_width) {
            let (x, name) = if by_width {
                (figure.n, format!("{} workers", figure.workers))
            } else {
                (figure.workers as u64, format!("{curve} n = {}", figure.n).trim_start().to_owned())
            };
            match series.iter_mut().find(|series| series.name == name) {
                Some(series) => series.points.push((x as f64, y)),
                None => series.push(Series { name, points: vec![(x as f64, y)] }),
            }
        }
    }
    let y_label = match figures.first().map(|figure| figure.measure) {
        Some(Measure::PerKernel { speedup: Some(_), .. }) if by_width => "speed-up over one worker",
        Some(Measure::PerCommand { .. }) => "microseconds per command",
        Some(Measure::PerGroup { .. }) => "nanoseconds per work-group",
        Some(Measure::RoundTrip { .. }) => "microseconds",
        _ => "microseconds per kernel",
    };
    let x_label = match benchmark {
        Benchmark::WorkGroupImbalance => "work-groups",
        _ if by_width => "parallel kernels",
        _ => "workers",
    };
    Chart {
        title: benchmark.name().to_owned(),
        x_label: x_label.to_owned(),
        y_label: y_label.to_owned(),
        logarithmic_x: by_width,
        series,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_objects_with_the_names_that_scripts_read() {
        let figure = |benchmark, measure| Figure { benchmark, workers: 2, n: 100, measure };
        let chain = figure(Benchmark::InOrder, Measure::PerKernel { us: 0.123_456, speedup: Some(1.5) });
        assert_eq!(
            as_json(&chain),
            json!({"bench": "in-order", "workers": 2, "n": 100, "us_per_kernel": 0.1235, "speedup": 1.5})
        );
        let trip = figure(Benchmark::Latency, Measure::RoundTrip { p50_us: 0.25, p99_us: 3.0 });
        assert_eq!(
            as_json(&trip),
            json!({"bench": "launch+finish", "workers": 2, "n": 100, "p50_us": 0.25, "p99_us": 3.0})
        );
        let empty = figure(Benchmark::EmptyGroups, Measure::PerGroup { ns: 2.0 });
        assert_eq!(
            as_json(&empty),
            json!({"bench": "empty-groups", "workers": 2, "n": 100, "ns_per_group": 2.0})
        );
    }

    #[test]
    fn imbalance_is_drawn_over_the_width() {
        let figures: Vec<Figure> = [(1, 1), (1, 4), (2, 1), (2, 4)]
            .into_iter()
            .map(|(workers, n)| Figure {
                benchmark: Benchmark::Both,
                workers,
                n,
                measure: Measure::PerKernel { us: 1.0, speedup: Some(workers as f64) },
            })
            .collect();
        let chart = chart(Benchmark::Both, &figures.iter().collect::<Vec<_>>());
        assert_eq!(chart.series.len(), 2);
        assert_eq!(chart.series[1].points, [(1.0, 2.0), (4.0, 2.0)]);
    }
}
