//! The compiler linked in: options, compiling and checking sources, and the compiler's messages on the terminal.

use crate::error::CliError;
use crate::exit::Exit;
use crate::kept;
use crate::program::How;
use crate::ui::Ui;
use crate::ui::progress::Progress;
use oxcl_compiler::{
    CompileError, Compiled, Devices, Emit, Fault, IlFile, PlanText, Request, SourceFile, Stage, Told,
    is_spirv,
};
use oxcl_frontend::{
    Bits, BuildOptions, Colour, CompileErrorKind, Diagnostics, OptionError, Severity, Source, render,
};
use oxcl_ir::Context;
use oxcl_tta::model::Machine;
use oxcl_workload::device::Device;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Reads build options.
pub(crate) fn options(arguments: &[String]) -> Result<BuildOptions, CliError> {
    BuildOptions::from_arguments(arguments.iter().cloned())
        .map_err(|e: OptionError| CliError::usage(e.to_string()))
}

/// Splits build options that are written in one text.
pub(crate) fn split_options(text: &str) -> Result<Vec<String>, String> {
    BuildOptions::parse(text).map(|options| options.to_arguments()).map_err(|e| e.to_string())
}

/// What an archive must hold for these devices.
pub(crate) fn devices(devices: &[Device]) -> Devices {
    let cpu = |device: &Device| !matches!(device, Device::Ref | Device::Processor(_));
    Devices { cpu: devices.iter().any(cpu), reference: devices.contains(&Device::Ref) }
}

/// The machines of the simulated processors among these devices, each once.
pub(crate) fn machines(devices: &[Device], ui: &mut Ui) -> Result<Vec<Machine>, CliError> {
    let mut machines = Vec::new();
    for device in devices {
        if let Device::Processor(processor) = device {
            let machine = crate::cmd::tta::load_machine(processor.path(), ui)?.machine;
            if !machines.contains(&machine) {
                machines.push(machine);
            }
        }
    }
    Ok(machines)
}

/// What the environment says of work-items at a time.
pub(crate) fn preferred_width() -> Result<Option<u32>, CliError> {
    const NAME: &str = "OXCL_WIDTH";
    let Some(value) = std::env::var_os(NAME).filter(|value| !value.is_empty()) else { return Ok(None) };
    let text = value.to_string_lossy();
    let width = text.trim().parse().ok().filter(|width: &u32| width.is_power_of_two() && *width <= 64);
    width.map(Some).ok_or_else(|| {
        CliError::usage_with_help(format!("{NAME} is '{text}'"), "it is a power of two up to 64, or not set")
    })
}

/// The CPU to make code for by the environment, where none is named.
pub(crate) fn preferred_cpu() -> Vec<String> {
    std::env::var("OXCL_CPU").ok().filter(|name| !name.is_empty()).into_iter().collect()
}

/// Reads a plan.
pub(crate) fn plan(path: &Path) -> Result<PlanText, CliError> {
    let text = fs::read_to_string(path).map_err(|source| CliError::Read { path: path.to_owned(), source })?;
    PlanText::read(&text).map_err(|error| CliError::File {
        path: path.to_owned(),
        reason: format!("it is no plan: {error}"),
        help: Some("oxcl compile --emit plan prints one".to_owned()),
    })
}

/// What the compiler made, or the cache had.
#[derive(Debug)]
pub(crate) struct Built {
    /// The archive, or what one stage gives.
    pub(crate) bytes: Vec<u8>,
    /// Stages and their times.
    pub(crate) stages: Vec<(String, Duration)>,
    /// The kernels' names, of what was compiled here.
    pub(crate) kernels: Vec<String>,
    /// It was in the cache.
    pub(crate) cached: bool,
}

impl Built {
    /// What was compiled here.
    pub(crate) fn new(compiled: Compiled) -> Self {
        let stages = stages(&compiled);
        Self { bytes: compiled.bytes, stages, kernels: compiled.kernels, cached: false }
    }
}

/// A source's text.
pub(crate) fn text(path: &Path, name: String, bytes: Vec<u8>) -> Result<SourceFile, CliError> {
    let text = String::from_utf8(bytes).map_err(|error| CliError::File {
        path: path.to_owned(),
        reason: format!("it is no text: byte {} is not UTF-8", error.utf8_error().valid_up_to()),
        help: None,
    })?;
    Ok(SourceFile { name, text })
}

/// Files, read by `read`, by what they are: texts, and modules of SPIR-V.
pub(crate) fn divided(
    files: &[PathBuf],
    read: impl Fn(&Path) -> Result<(String, Vec<u8>), CliError>,
) -> Result<(Vec<SourceFile>, Vec<IlFile>), CliError> {
    let (mut sources, mut il) = (Vec::new(), Vec::new());
    for path in files {
        let (name, bytes) = read(path)?;
        if is_spirv(&bytes) {
            il.push(IlFile { name, bytes, constants: Vec::new() });
        } else {
            sources.push(text(path, name, bytes)?);
        }
    }
    Ok((sources, il))
}

/// Compiles one source for this machine, if it is not in the cache.
pub(crate) fn for_here(
    path: &Path,
    contents: Vec<u8>,
    how: How<'_>,
    on: &[Device],
    ui: &mut Ui,
) -> Result<Built, CliError> {
    let name = path.display().to_string();
    let mut request = Request::new(Vec::new());
    if is_spirv(&contents) {
        request.il.push(IlFile { name, bytes: contents, constants: Vec::new() });
    } else {
        request.sources.push(text(path, name, contents)?);
    }
    request.options = options(how.options)?;
    request.devices = devices(on);
    request.machines = machines(on, ui)?;
    request.width = how.width;
    request.local_sizes = how.local_sizes.to_vec();
    request.preferred_width = preferred_width()?;
    request.cpus = preferred_cpu();
    request.plan = how.plan.map(plan).transpose()?;
    kept::archive(&request, how.options, how.cache, ui)
}

/// Compiles, and shows what the compiler has to say.
pub(crate) fn compile(
    request: &Request<'_>,
    emit: Emit,
    kernel: Option<&str>,
    ui: &mut Ui,
) -> Result<Compiled, CliError> {
    let (progress, text) = compiling(&request.sources, ui);
    let text = format!("{text}, pieces of code");
    let hear = |done, all| progress.part(&text, done, all);
    let compiled =
        oxcl_compiler::compile(&Request { told: Told::new(&hear), ..request.clone() }, emit, kernel);
    drop(progress);
    match compiled {
        Ok(compiled) => {
            show(&compiled.diagnostics, ui);
            Ok(compiled)
        }
        Err(error) => Err(failed(&request.sources, &error, ui)),
    }
}

/// A line of progress, and what it says.
pub(crate) fn compiling(sources: &[SourceFile], ui: &Ui) -> (Progress, String) {
    let progress = Progress::new(ui);
    let names: Vec<&str> = sources.iter().map(|source| source.name.as_str()).collect();
    let text = format!("compiling {}", names.join(", "));
    progress.step(&text);
    (progress, text)
}

/// Runs one stage alone on a text.
pub(crate) fn alone(
    request: &Request<'_>,
    stage: Stage,
    kernel: Option<&str>,
    ui: &mut Ui,
) -> Result<String, CliError> {
    let _progress = compiling(&request.sources, ui);
    oxcl_compiler::run_alone(request, stage, kernel).map_err(|error| failed(&request.sources, &error, ui))
}

/// The stages of a compilation.
fn stages(compiled: &Compiled) -> Vec<(String, Duration)> {
    compiled.timings.stages().map(|(name, time)| (name.to_owned(), time)).collect()
}

/// Shows a compiler's messages, and the error that it ended with.
pub(crate) fn failed(sources: &[SourceFile], error: &CompileError, ui: &mut Ui) -> CliError {
    if let Some(diagnostics) = error.diagnostics() {
        show(diagnostics, ui);
        if error.fault() == Fault::Source {
            return CliError::Source { errors: diagnostics.error_count(), code: error.code() };
        }
    }
    let exit = match error.fault() {
        Fault::Source => Exit::Source,
        Fault::Request => Exit::Usage,
        Fault::Internal => Exit::Internal,
    };
    let place = match (error.line(), sources) {
        (Some(line), [only]) => format!("{}:{line}: ", only.name),
        (Some(line), _) => format!("line {line}: "),
        (None, _) => String::new(),
    };
    CliError::Compile { message: format!("{place}{error} [{}]", error.code()), help: error.advice(), exit }
}

/// Shows a compiler's messages: text for people, under `--json` one line each.
pub(crate) fn show(diagnostics: &Diagnostics, ui: &mut Ui) {
    if diagnostics.is_empty() {
        return;
    }
    if ui.json {
        for item in &diagnostics.items {
            ui.json_message("diagnostic", item);
        }
        return;
    }
    let colour = if ui.color { Colour::Always } else { Colour::Never };
    let rejects = diagnostics.items.iter().any(|d| d.severity >= Severity::Error);
    if !ui.quiet || rejects {
        ui.message(&render(diagnostics, colour));
    }
}

/// Parses a source and shows what clang says about it; the number of findings.
pub(crate) fn check(path: &Path, text: &str, options: &BuildOptions, ui: &mut Ui) -> Result<usize, CliError> {
    let context = Context::create();
    let name = path.display().to_string();
    let source = Source { name: &name, text };
    match oxcl_frontend::compile(&context, &source, options, &[], Bits::Bits64) {
        Ok(compiled) => {
            show(&compiled.diagnostics, ui);
            Ok(compiled.diagnostics.warning_count())
        }
        Err(error) => {
            show(&error.diagnostics, ui);
            match error.kind {
                CompileErrorKind::Rejected => Ok(error.diagnostics.error_count().max(1)),
                CompileErrorKind::Crashed => {
                    Err(CliError::Internal { message: format!("clang failed on '{name}'") })
                }
            }
        }
    }
}
