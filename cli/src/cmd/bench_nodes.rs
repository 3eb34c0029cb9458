//! `oxcl bench nodes`: devices of other ranks beside MPI alone, in the same run. Rank 0 of a job whose others are nodes.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::error::CliError;
use crate::exit::Outcome;
use crate::nodes::{Bench, Told};
use crate::ui::Ui;

/// Measure devices of other ranks, beside messages of MPI alone
///
/// Results are held against the same kernels on this rank's `cpu`, byte for byte. Chains and copies need two nodes, the
/// last figures four. With --json each figure is an object on a line of its own.
#[derive(Debug, Args)]
#[command(after_help = "Example: OXCL_NUM_THREADS=1 mpirun -n 1 oxcl bench nodes : -n 4 oxcl node")]
pub(crate) struct NodesArgs {
    /// Only this part; may be given several times
    #[arg(long, value_name = "PART", value_enum)]
    only: Vec<Part>,
    /// Rows and columns of the matrices: a multiple of 512
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(512..=32768))]
    matrix: u64,
    /// Bodies: a multiple of 512
    #[arg(long, value_name = "N", default_value_t = 32768, value_parser = clap::value_parser!(u64).range(512..=1 << 20))]
    bodies: u64,
    /// Runs of which the best counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Take the compiled kernels from this archive, of cli/src/nodes/kernels.cl
    #[arg(long, value_name = "FILE")]
    kernels: Option<PathBuf>,
}

/// A part of the measurements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// A kernel is launched and waited for
    Launch,
    /// Kernels on two nodes in turn, each behind the one before
    Chain,
    /// 64 MiB from node to node
    Copy,
    /// A product of matrices over 1, 2 and 4 nodes
    Matrix,
    /// Bodies that attract each other, over 1, 2 and 4 nodes
    Bodies,
}

const LENGTH: usize = 1000;
const LARGE: u64 = 64 << 20;

fn failed(message: String) -> CliError {
    CliError::Device { message, help: None }
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Measures.
pub(super) fn run(
    args: &NodesArgs,
    ui: &mut Ui,
    compile: impl FnOnce(&mut Ui) -> Result<Vec<u8>, CliError>,
) -> Result<Outcome, CliError> {
    let wanted = |part| args.only.is_empty() || args.only.contains(&part);
    if !args.matrix.is_multiple_of(512) || !args.bodies.is_multiple_of(512) {
        return Err(CliError::usage("matrices and bodies are multiples of 512"));
    }
    let archive = match &args.kernels {
        Some(path) => std::fs::read(path).map_err(|source| CliError::Read { path: path.clone(), source })?,
        None => compile(ui)?,
    };
    let cluster = oxcl_runtime::cluster().map_err(|error| crate::launching::device_error(&error))?;
    let bench = Bench::new(&archive, &["mpi:*"], 2).map_err(failed)?;
    let needed = if wanted(Part::Chain) || wanted(Part::Copy) { 2 } else { 1 };
    if bench.devices() < needed {
        return Err(failed(format!("devices of nodes: {} are there, {needed} needed", bench.devices())));
    }
    let mut tell = |name: &str, value: f64, unit: &str, beside: Option<(f64, &str)>| {
        if ui.json {
            let (beside, what) = beside.unzip();
            return ui.result(&format!(
                "{}\n",
                json!({ "bench": name, "value": value, "unit": unit, "ratio": beside, "to": what })
            ));
        }
        let beside = beside.map_or_else(String::new, |(ratio, what)| format!("   {ratio:.2} of {what}"));
        ui.result(&format!("{name:64} {value:10.2} {unit}{beside}\n"))
    };
    let exchange = |one, other, bytes, turns: u32| -> Result<Duration, CliError> {
        let unmeasured = || failed("messages of MPI's could not be measured".to_owned());
        // The first turns make the connection. Nobody says anything else meanwhile, so that it must not take long: where ranks
        // share processors a turn may take milliseconds.
        cluster.exchange(one, other, bytes, 4).ok_or_else(unmeasured)?;
        let begin = Instant::now();
        let mut best = Duration::MAX;
        let mut left = turns;
        while left > 0 && begin.elapsed() < Duration::from_millis(500) {
            let some = left.min(200);
            best = best.min(cluster.exchange(one, other, bytes, some).ok_or_else(unmeasured)?);
            left -= some;
        }
        Ok(best)
    };
    let best = |what: &dyn Fn() -> Told<Duration>| -> Result<Duration, CliError> {
        let times = (0..args.runs).map(|_| what()).collect::<Told<Vec<_>>>().map_err(failed)?;
        Ok(times.into_iter().min().unwrap_or_default())
    };
    if wanted(Part::Launch) {
        let turn = micros(exchange(0, 1, 32, 10_000)?);
        tell("MPI: 32 bytes, host to node and back", turn, "us", None)?;
        let time = micros(best(&|| bench.launch_and_wait(0, 2000))?);
        tell("launch and wait on a node", time, "us", Some((time / (1.5 * turn + 1.0), "1.5 turns + 1 us")))?;
    }
    if wanted(Part::Chain) {
        let turn = micros(exchange(1, 2, 32, 10_000)?);
        tell("MPI: 32 bytes, node to node and back", turn, "us", None)?;
        let said = || {
            let said = cluster.said();
            [said.commands, said.ends]
        };
        for (moves, name) in
            [(false, "chain on two nodes, a kernel"), (true, "the same with a buffer that goes along")]
        {
            let runs = (0..args.runs).map(|_| bench.chain([0, 1], LENGTH, moves, &said));
            let runs = runs.collect::<Told<Vec<_>>>().map_err(failed)?;
            let Some(chain) = runs.iter().min_by_key(|chain| chain.each) else { continue };
            let time = micros(chain.each);
            tell(name, time, "us", Some((time / (0.75 * turn + 0.5), "0.75 turns + 0.5 us")))?;
            let [commands, ends] = chain.through_host;
            tell(
                "commands of a chain that the host gave to nodes after its begin",
                commands as f64,
                "",
                None,
            )?;
            tell("ends of commands of a chain that the host told of", ends as f64, "", None)?;
        }
    }
    if wanted(Part::Copy) {
        let alone = exchange(1, 2, LARGE, 4)? / 2;
        let speed = |time: Duration| LARGE as f64 / time.as_secs_f64() / 1e9;
        tell("MPI: 64 MiB, node to node", speed(alone), "GB/s", None)?;
        let time = best(&|| bench.copy([0, 1], LARGE, 6))?;
        tell(
            "64 MiB from node to node",
            speed(time),
            "GB/s",
            Some((alone.as_secs_f64() / time.as_secs_f64(), "MPI's")),
        )?;
    }
    let one = Bench::new(&archive, &["cpu"], 1).map_err(failed)?;
    type Program<'a> = &'a dyn Fn(&Bench, usize) -> Told<(Duration, Vec<Vec<u8>>)>;
    let programs: [(Part, &str, Program<'_>); 2] = [
        (Part::Matrix, "product of matrices", &|bench, devices| bench.product(args.matrix, devices)),
        (Part::Bodies, "bodies", &|bench, devices| bench.bodies(args.bodies, devices)),
    ];
    for (part, name, program) in programs {
        if !wanted(part) {
            continue;
        }
        let time = |bench: &Bench, devices: usize| -> Result<(Duration, Vec<Vec<u8>>), CliError> {
            let runs = (0..args.runs).map(|_| program(bench, devices)).collect::<Told<Vec<_>>>();
            let runs = runs.map_err(failed)?;
            runs.into_iter().min_by_key(|(time, _)| *time).ok_or_else(|| failed("no runs".to_owned()))
        };
        let (alone, want) = time(&one, 1)?;
        tell(&format!("{name}, cpu with one thread"), alone.as_secs_f64() * 1e3, "ms", None)?;
        for devices in [1, 2, 4] {
            if devices > bench.devices() {
                continue;
            }
            let (took, found) = time(&bench, devices)?;
            if found != want {
                return Err(failed(format!(
                    "{name}: {devices} nodes leave other bytes than the host's device"
                )));
            }
            let share = alone.as_secs_f64() / took.as_secs_f64() / devices as f64;
            let label = format!("{name}, {devices} {}", if devices == 1 { "node" } else { "nodes" });
            tell(&label, took.as_secs_f64() * 1e3, "ms", Some((share, "ideal")))?;
        }
    }
    Ok(Outcome::Ok)
}
