//! `oxcl sim`: runs program images on the cycle-accurate simulator.
//!
//! Each image is a core; all run in lock step. What the first core's program writes is the result; figures come with
//! `--stats`, pictures with `--heat`, one line a cycle with `--trace`, and a hand on the brake with `--debug`.

use super::sim_debug;
use super::tta::{load_image, print_tables, write};
use crate::error::CliError;
use crate::exit::Outcome;
use crate::ui::Ui;
use crate::ui::progress::Progress;
use crate::ui::table::figure;
use clap::{Args, ValueEnum};
use oxcl_tta::draw::draw_with_heat;
use oxcl_tta::image::Image;
use oxcl_ttasim::debug::{Debugger, Place, trace_line};
use oxcl_ttasim::report::report;
use oxcl_ttasim::{Engine, Fault, Stop, System};
use oxcl_workload::data::file::write_whole;
use serde_json::{Value as Json, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// How a run is simulated
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineChoice {
    /// Ends at the first hazard
    Strict,
    /// Takes it that there are none
    Fast,
}

impl From<EngineChoice> for Engine {
    fn from(choice: EngineChoice) -> Self {
        match choice {
            EngineChoice::Strict => Engine::Strict,
            EngineChoice::Fast => Engine::Fast,
        }
    }
}

/// Simulate programs of transport-triggered processors, cycle by cycle
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  oxcl sim blink.ttaimg --stats
  oxcl sim sort.ttaimg --dump table:16 --expect-stdout sorted.txt
  oxcl sim a.ttaimg b.ttaimg --engine fast
  oxcl sim loop.ttaimg --debug <<< 'break again; run; regs; quit'")]
pub(crate) struct SimArgs {
    /// Program images, one for each core
    #[arg(required = true, value_name = "FILE.ttaimg")]
    images: Vec<PathBuf>,
    /// The engine
    #[arg(long, value_name = "ENGINE", default_value = "strict")]
    engine: EngineChoice,
    /// Give up after this many cycles
    #[arg(long, value_name = "N", default_value_t = 10_000_000_000)]
    max_cycles: u64,
    /// What the programs read from their input
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Compare what the first core's program writes with this file; exit code 1 if it differs
    #[arg(long, value_name = "FILE")]
    expect_stdout: Option<PathBuf>,
    /// Print words of the first core's memory: SYMBOL:COUNT, or SPACE+ADDRESS:COUNT
    #[arg(long, value_name = "PLACE:COUNT")]
    dump: Vec<String>,
    /// Print how busy every part was
    #[arg(long)]
    stats: bool,
    /// Draw how busy every part of the first core was (.svg), or every bus in every instruction (.png)
    #[arg(long, value_name = "FILE")]
    heat: Vec<PathBuf>,
    /// Write a line for every cycle of every core, with the value on each bus
    #[arg(long, value_name = "FILE", conflicts_with = "debug")]
    trace: Option<PathBuf>,
    /// Take debugger commands from standard input; `help` lists them
    #[arg(long, conflicts_with = "json")]
    debug: bool,
}

/// Runs the simulation.
pub(crate) fn run(args: &SimArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let images = args.images.iter().map(|p| load_image(p).map(Arc::new)).collect::<Result<Vec<_>, _>>()?;
    let dumps = args.dump.iter().map(|d| Dump::parse(&images[0], d)).collect::<Result<Vec<_>, _>>()?;
    // Only the strict engine knows what the buses carry.
    let engine = if args.trace.is_some() { Engine::Strict } else { args.engine.into() };
    let mut system = System::with_own_memories(&images, engine).map_err(|e| CliError::File {
        path: args.images[0].clone(),
        reason: e.to_string(),
        help: None,
    })?;
    if let Some(path) = &args.input {
        let bytes = std::fs::read(path).map_err(|source| CliError::Read { path: path.clone(), source })?;
        (0..system.cores()).for_each(|core| system.add_input(core, &bytes));
    }
    if args.debug {
        return sim_debug::run(Debugger::new(system), args.max_cycles, ui);
    }

    let start = Instant::now();
    let mut output = Output { expected: args.expect_stdout.is_some(), collected: Vec::new() };
    let stop = match &args.trace {
        Some(path) => traced(&mut system, path, args.max_cycles, ui)?,
        None => simulate(&mut system, args.max_cycles, &mut output, ui)?,
    };
    output.take(&mut system, ui)?;
    let spent = start.elapsed();
    if stop == Stop::Limit {
        let at = system.program_counter(0);
        return Err(CliError::Device {
            message: format!(
                "the programs have not ended after {} cycles; core 0 is at instruction {at}",
                system.cycle()
            ),
            help: Some("--max-cycles gives them more, --debug shows where they are".to_owned()),
        });
    }
    let rate = system.cycle() as f64 / spent.as_secs_f64() / 1e6;
    if ui.time {
        ui.note(&format!("{} cycles at {} MHz", system.cycle(), figure(rate)));
    }
    pictures(&system, &args.heat)?;
    let reports: Vec<_> = (0..system.cores()).map(|core| report(&system, core)).collect();
    let same = expectation(args, &output)?;
    if ui.json {
        let dumped: Vec<Json> = dumps.iter().map(|d| d.json(&system)).collect();
        ui.json(
            "sim",
            &json!({
                "cycles": system.cycle(),
                "mhz": rate,
                "stdout": String::from_utf8_lossy(&output.collected),
                "as_expected": same,
                "dumps": dumped,
                "cores": reports,
            }),
        )?;
    } else {
        for dump in &dumps {
            ui.result(&dump.text(&system))?;
        }
        if args.stats {
            for core in &reports {
                let title = if reports.len() > 1 { format!("core {}\n", core.core) } else { String::new() };
                ui.result(&format!("{title}{}", print_tables(&core.tables())))?;
            }
        }
        if same == Some(false) {
            ui.message("oxcl: the program's output differs from what was expected");
        }
    }
    Ok(if same == Some(false) { Outcome::Negative } else { Outcome::Ok })
}

/// What the first core's program has written.
struct Output {
    /// It is to be compared, so it is kept and not printed.
    expected: bool,
    collected: Vec<u8>,
}

impl Output {
    fn take(&mut self, system: &mut System, ui: &mut Ui) -> Result<(), CliError> {
        let bytes = system.take_output(0);
        if self.expected || ui.json {
            self.collected.extend_from_slice(&bytes);
        } else if !bytes.is_empty() {
            ui.result_bytes(&bytes)?;
        }
        (1..system.cores()).for_each(|core| drop(system.take_output(core)));
        Ok(())
    }
}

/// The error for a run that ended with a fault.
pub(crate) fn fault_error(fault: &Fault) -> CliError {
    let help = fault.kind.is_hazard().then(|| "--trace writes what every bus carried up to there".to_owned());
    CliError::Device { message: fault.to_string(), help }
}

fn simulate(system: &mut System, max: u64, output: &mut Output, ui: &mut Ui) -> Result<Stop, CliError> {
    // In slices, so that what the program writes appears while it runs.
    const SLICE: u64 = 4_000_000;
    // When the program ends is its own secret, so there is no estimate.
    let progress = Progress::new(ui);
    loop {
        progress.step(&format!("simulating, {} million cycles done", system.cycle() / 1_000_000));
        let until = max.min(system.cycle() + SLICE);
        let outcome = system.run(until);
        output.take(system, ui)?;
        match outcome.map_err(|fault| fault_error(&fault))? {
            Stop::Limit if until < max => {}
            stop => return Ok(stop),
        }
    }
}

fn traced(system: &mut System, path: &Path, max: u64, ui: &Ui) -> Result<Stop, CliError> {
    let mut text = String::new();
    let mut outcome = Ok(Stop::Limit);
    let progress = Progress::new(ui);
    while system.cycle() < max {
        if system.cycle().is_multiple_of(100_000) {
            progress.step(&format!("simulating, {} thousand cycles done", system.cycle() / 1000));
        }
        if system.ended() {
            outcome = Ok(Stop::Ended);
            break;
        }
        let at: Vec<Option<usize>> = (0..system.cores())
            .map(|core| (!system.halted(core)).then(|| system.program_counter(core)))
            .collect();
        if let Err(fault) = system.step() {
            outcome = Err(fault_error(&fault));
            break;
        }
        for (core, at) in at.iter().enumerate() {
            if let Some(at) = at {
                text.push_str(&trace_line(system, core, *at));
                text.push('\n');
            }
        }
    }
    drop(progress);
    write(path, text.as_bytes())?;
    outcome
}

fn expectation(args: &SimArgs, output: &Output) -> Result<Option<bool>, CliError> {
    let Some(path) = &args.expect_stdout else { return Ok(None) };
    let wanted = std::fs::read(path).map_err(|source| CliError::Read { path: path.clone(), source })?;
    Ok(Some(wanted == output.collected))
}

/// Words of memory to be printed.
struct Dump {
    text: String,
    space: oxcl_tta::model::SpaceId,
    address: u64,
    count: usize,
}

impl Dump {
    fn parse(image: &Image, text: &str) -> Result<Self, CliError> {
        let bad = |message: String| {
            CliError::usage_with_help(message, "for example: --dump table:16, or --dump data+0x40:4")
        };
        let Some((place, count)) = text.rsplit_once(':') else {
            return Err(bad(format!("'{text}' does not say how many words")));
        };
        let count: usize = count.parse().map_err(|_| bad(format!("'{count}' is no number of words")))?;
        match Place::parse(image, place) {
            Some(Place::Memory { space, address, .. }) => {
                Ok(Self { text: place.to_owned(), space, address, count: count.min(1 << 24) })
            }
            _ => Err(bad(format!("'{place}' is no data symbol and no address"))),
        }
    }

    /// The words, as far as the memory goes.
    fn words(&self, system: &System) -> Vec<u32> {
        let memory = system.memory(0, self.space);
        let big = !system.image(0).machine.little_endian;
        let words = (0..self.count as u64).map(|k| {
            let mut bytes = [0; 4];
            memory.read(self.address + 4 * k, &mut bytes).ok()?;
            Some(if big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
        });
        words.map_while(|word| word).collect()
    }

    fn text(&self, system: &System) -> String {
        let words: Vec<String> = self.words(system).iter().map(|w| format!("{w:#010x}")).collect();
        format!("{}: {}\n", self.text, words.join(" "))
    }

    fn json(&self, system: &System) -> Json {
        json!({ "place": self.text, "address": self.address, "words": self.words(system) })
    }
}

fn pictures(system: &System, paths: &[PathBuf]) -> Result<(), CliError> {
    for path in paths {
        let contents = match path.extension().and_then(|e| e.to_str()) {
            Some("svg") => {
                let heat = report(system, 0).heat();
                draw_with_heat(&system.image(0).machine, Some(&heat)).into_bytes()
            }
            Some("png") => grid(system)?,
            _ => {
                return Err(CliError::usage_with_help(
                    format!("'{}' is neither .svg nor .png", path.display()),
                    "an .svg shows the machine, a .png every bus in every instruction",
                ));
            }
        };
        write_whole(path, &contents).map_err(|source| CliError::Write { path: path.clone(), source })?;
    }
    Ok(())
}

/// A picture of the first core's program: a row for each instruction, a column for each bus, the redder the more often a
/// move happened there; white where none did.
fn grid(system: &System) -> Result<Vec<u8>, CliError> {
    const CELL: (usize, usize) = (16, 4);
    let image = system.image(0);
    let counts = system.counts(0);
    let most = counts.executed.iter().copied().max().unwrap_or(0).max(1) as f64;
    // Larger programs than this are cut: a picture of them says nothing any more.
    let rows = image.program.instructions.len().min(4096);
    let width = image.machine.buses.len().max(1) * CELL.0;
    let mut pixels = vec![255u8; width * rows.max(1) * CELL.1 * 3];
    for (row, instruction) in image.program.instructions.iter().take(rows).enumerate() {
        for (position, m) in instruction.moves.iter().enumerate() {
            let happened = counts.executed[row] - counts.squashed[row][position];
            // From pale yellow to red on a scale of powers, so that rare moves are still seen.
            let heat = (1.0 + happened as f64).ln() / (1.0 + most).ln();
            let colour = [255, (230.0 * (1.0 - heat)) as u8, (180.0 * (1.0 - heat)) as u8];
            for y in row * CELL.1..(row + 1) * CELL.1 - 1 {
                for x in m.bus.index() * CELL.0..(m.bus.index() + 1) * CELL.0 - 1 {
                    let at = (y * width + x) * 3;
                    pixels[at..at + 3].copy_from_slice(&colour);
                }
            }
        }
    }
    let failed = |e: png::EncodingError| CliError::Internal { message: format!("the picture: {e}") };
    let size = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size(width), size(rows.max(1) * CELL.1));
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(failed)?;
    writer.write_image_data(&pixels).map_err(failed)?;
    writer.finish().map_err(failed)?;
    Ok(bytes)
}
