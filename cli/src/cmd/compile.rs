//! `oxcl compile`: OpenCL C to an archive, or to what one stage of the pipeline makes of it.

use super::build_args::BuildArgs;
use crate::build::{self, Built};
use crate::error::CliError;
use crate::exit::Outcome;
use crate::kept;
use crate::sizes::{self, Sizes};
use crate::ui::Ui;
use crate::ui::table::duration;
use clap::{Args, ValueEnum};
use oxcl_binary::archive::{Archive, Version};
use oxcl_compiler::{DeviceId, Devices, Emit, Quality, Request, SourceFile, Told};
use oxcl_workload::device::Device;
use serde_json::{Map, Value as Json, json};
use std::fs;
use std::io::{self, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

/// Compile OpenCL C to a pocl-binary
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, override_usage = "oxcl compile [OPTIONS] FILE.cl... [-o OUT] [-- BUILD_OPTIONS]")]
pub(crate) struct CompileArgs {
    /// OpenCL C; several files link into one program, - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The output; - is standard output. Without it: the first file's name with another extension, and texts on
    /// standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Devices to make code for: cpu and basic, which share theirs, ref, and ttasim:MACHINE.adf
    #[arg(long, value_name = "DEVICE", value_delimiter = ',', default_value = "cpu", value_parser = made_for)]
    device: Vec<MadeFor>,
    /// The language of the sources
    #[arg(long, value_name = "LANGUAGE", default_value = "cl")]
    lang: Language,
    /// CPUs to make code for, in LLVM's names: x86-64-v2, x86-64-v3, x86-64-v4, znver4, ...; of AArch64 armv8-a, armv8-a+sve256,
    /// neoverse-v1+sve256, ... [default: this machine's]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    cpu: Vec<String>,
    /// A local size to make a specialised function for, beside the one for all sizes; may be repeated
    #[arg(short, long, value_name = "X,Y,Z", value_parser = sizes::parse)]
    local: Vec<Sizes>,
    /// The PoCL that shall read the archive [default: 7.2, or what --hstr names]
    #[arg(long, value_name = "VERSION")]
    pocl_version: Option<PoclVersion>,
    /// The device id in the archive, decimal or 0x...
    #[arg(long, value_name = "NUMBER", value_parser = device_id, conflicts_with = "hstr")]
    device_id: Option<u64>,
    /// The device's hash string (clinfo shows it after "HSTR:"), from which its id is computed
    #[arg(long, value_name = "TEXT")]
    hstr: Option<String>,
    /// What to write
    #[arg(long, value_name = "STAGE", default_value = "poclbin")]
    emit: Stage,
    /// Say by line of the source what each loop, branch, access and call became, what it costs, and what would make it
    /// better: the same as --emit remarks
    #[arg(long, conflicts_with_all = ["emit", "only"])]
    remarks: bool,
    /// The kernel to look at, where a stage shows one
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Run one stage alone, on the text that the stage before it gives: one file of OpenCL C for frontend, of LLVM IR for the
    /// others
    #[arg(long, value_name = "STAGE", conflicts_with = "emit")]
    only: Option<Only>,
    /// Make the code that the OpenCL library runs until the better one is there
    #[arg(long, hide = true)]
    quick: bool,
    /// Compile even if the cache has the result, and do not keep it there
    #[arg(long)]
    no_cache: bool,
    #[command(flatten)]
    build: BuildArgs,
}

const EXAMPLES: &str = "Examples:
  oxcl compile scale.cl -o scale.poclbin
  oxcl compile blur.cl -o blur.poclbin --cpu x86-64-v2,x86-64-v3 --local 16,16 -DRADIUS=3 -cl-fast-relaxed-math
  oxcl compile scale.cl --device cpu,ref --pocl-version 3.1 -o scale.poclbin -- -cl-std=CL1.2
  oxcl compile scale.cl --emit regions
  oxcl compile scale.cl --emit workgroup -o scale.ll && oxcl compile scale.ll --only optimise";

/// What code is made for.
#[derive(Debug, Clone)]
enum MadeFor {
    /// A device of this machine.
    Device(Device),
    /// A transport-triggered processor, by its description.
    Processor(PathBuf),
}

impl MadeFor {
    fn processor(&self) -> Option<&Path> {
        match self {
            MadeFor::Processor(path) => Some(path),
            MadeFor::Device(_) => None,
        }
    }
}

fn made_for(text: &str) -> Result<MadeFor, String> {
    match text.strip_prefix("ttasim:") {
        Some(path) => Ok(MadeFor::Processor(path.into())),
        None => Device::of_name(text, Path::new(""))
            .map(MadeFor::Device)
            .ok_or_else(|| "devices are cpu, basic, ref and ttasim:MACHINE.adf".to_owned()),
    }
}

/// Languages of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Language {
    /// OpenCL C
    Cl,
    /// C: a whole program, for ttasim
    C,
}

/// Containers by the PoCL that introduced them.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum PoclVersion {
    /// PoCL 3.1: container version 9
    #[value(name = "3.1")]
    V31,
    /// PoCL 4.0 to 7.1: container version 11
    #[value(name = "4")]
    V4,
    /// PoCL 7.2: container version 12
    #[value(name = "7.2")]
    V72,
}

/// Stages that run alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Only {
    /// clang: OpenCL C to LLVM IR
    Frontend,
    /// Links the built-in functions
    Builtins,
    /// Forms the work-group function of a kernel
    WorkGroup,
    /// Optimises
    Optimise,
    /// Assembly
    Emit,
}

impl Only {
    fn stage(self) -> oxcl_compiler::Stage {
        match self {
            Only::Frontend => oxcl_compiler::Stage::FrontEnd,
            Only::Builtins => oxcl_compiler::Stage::Builtins,
            Only::WorkGroup => oxcl_compiler::Stage::WorkGroup,
            Only::Optimise => oxcl_compiler::Stage::Optimise,
            Only::Emit => oxcl_compiler::Stage::Emit,
        }
    }
}

impl CompileArgs {
    /// What to write.
    fn stage(&self) -> Stage {
        if self.remarks { Stage::Remarks } else { self.emit }
    }
}

/// Stages of the pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// LLVM IR of the program, built-in functions linked
    Llvm,
    /// The program as a module of SPIR-V, for any OpenCL platform
    Spirv,
    /// Each kernel as the work-group compiler takes it, and what its analyses say beside the lines
    Analysis,
    /// The regions between barriers of each kernel
    Regions,
    /// How many work-items of each kernel run at a time, why, and what its accesses, calls and blocks become
    Plan,
    /// By line of the source what each loop, branch, access and call became, what it costs, and what would make it better
    Remarks,
    /// LLVM IR of the work-group functions before it is optimised
    Workgroup,
    /// Assembly of one kernel
    Asm,
    /// The object of one kernel
    Obj,
    /// Machine IR, for ttasim
    Mir,
    /// The archive; for programs in C the image
    Poclbin,
    /// A program image that runs one kernel, for ttasim
    Ttaimg,
}

impl Stage {
    fn emit(self) -> Emit {
        match self {
            Stage::Llvm => Emit::Llvm,
            Stage::Spirv => Emit::Spirv,
            Stage::Analysis => Emit::Analysis,
            Stage::Regions => Emit::Regions,
            Stage::Plan => Emit::Plan,
            Stage::Remarks => Emit::Remarks,
            Stage::Workgroup => Emit::WorkGroup,
            Stage::Asm => Emit::Assembly,
            Stage::Obj => Emit::Object,
            Stage::Mir | Stage::Poclbin | Stage::Ttaimg => Emit::Archive,
        }
    }

    /// The extension of a file that holds it; `None`: it is text to look at.
    fn extension(self) -> Option<&'static str> {
        match self {
            Stage::Obj => Some("o"),
            Stage::Spirv => Some("spv"),
            Stage::Poclbin => Some("poclbin"),
            Stage::Ttaimg => Some("ttaimg"),
            Stage::Llvm
            | Stage::Analysis
            | Stage::Regions
            | Stage::Plan
            | Stage::Remarks
            | Stage::Workgroup
            | Stage::Asm
            | Stage::Mir => None,
        }
    }
}

fn device_id(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    parsed.map_err(|_| "it is not a number of 64 bits; for example 0x1234abcd".to_owned())
}

/// Where the result goes.
enum Target {
    StandardOutput,
    File(PathBuf),
}

/// Compiles it.
pub(crate) fn run(args: &CompileArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let processors: Vec<&Path> = args.device.iter().filter_map(MadeFor::processor).collect();
    let output = args.output.as_deref();
    let image = args.emit == Stage::Ttaimg
        || args.lang == Language::C
        || output.is_some_and(|path| path.extension().is_some_and(|ending| ending == "ttaimg"));
    if image {
        let [machine] = processors.as_slice() else {
            return Err(CliError::usage("images and programs in C are for one ttasim:MACHINE.adf"));
        };
        let sources: Vec<SourceFile> =
            args.files.iter().map(|path| source(path)).collect::<Result<_, _>>()?;
        if args.lang == Language::C {
            let mir = args.emit == Stage::Mir;
            return super::compile_tta::run_c(machine, sources, &args.build, output, mir, ui);
        }
        let kernel = args.kernel.as_deref();
        return super::compile_tta::run_kernel(machine, &sources, &args.build, kernel, output, ui);
    }
    if args.emit == Stage::Mir {
        return Err(CliError::usage_with_help(
            "--emit mir is for programs in C",
            "say --lang c, or look at the unit in an archive: oxcl inspect",
        ));
    }
    let target = target(args, ui)?;
    let made_for = devices(args);
    let machines = processors.iter().map(|path| Ok(super::tta::load_machine(path, ui)?.machine));
    let machines = machines.collect::<Result<Vec<_>, CliError>>()?;
    let words = args.build.options();
    let (sources, il) = build::divided(&args.files, source_bytes)?;
    let request = Request {
        sources,
        il,
        objects: Vec::new(),
        headers: Vec::new(),
        kernels: oxcl_compiler::Kernels::All,
        options: build::options(&words)?,
        devices: if made_for.is_empty() {
            Devices { cpu: false, reference: false }
        } else {
            build::devices(&made_for)
        },
        machines,
        cpus: if args.cpu.is_empty() { build::preferred_cpu() } else { args.cpu.clone() },
        local_sizes: args.local.iter().map(|sizes| sizes.padded(1)).collect(),
        known: Vec::new(),
        version: args.pocl_version.map(|version| match version {
            PoclVersion::V31 => Version::V9,
            PoclVersion::V4 => Version::V11,
            PoclVersion::V72 => Version::V12,
        }),
        device_id: match (&args.hstr, args.device_id) {
            (Some(text), _) => DeviceId::OfString(text.clone()),
            (None, Some(number)) => DeviceId::Number(number),
            (None, None) => DeviceId::OfTarget,
        },
        width: args.build.width,
        preferred_width: build::preferred_width()?,
        plan: args.build.plan.as_deref().map(build::plan).transpose()?,
        strict: false,
        quality: if args.quick { Quality::First } else { Quality::Full },
        told: Told::default(),
    };
    if let Some(only) = args.only {
        let text = build::alone(&request, only.stage(), args.kernel.as_deref(), ui)?;
        put(&target, text.as_bytes(), ui)?;
        return Ok(Outcome::Ok);
    }
    let compiled = match args.stage().emit() {
        Emit::Archive => kept::archive(&request, &words, !args.no_cache, ui)?,
        stage => Built::new(build::compile(&request, stage, args.kernel.as_deref(), ui)?),
    };
    put(&target, &compiled.bytes, ui)?;
    let archive = match args.stage() {
        Stage::Poclbin => Archive::read(&compiled.bytes).ok(),
        _ => None,
    };
    let stages = &compiled.stages;
    if ui.json {
        let times: Map<String, Json> =
            stages.iter().map(|(name, time)| (name.clone(), json!(time.as_nanos() as u64))).collect();
        let kernels = match &archive {
            Some(archive) => archive.kernels.iter().map(kernel_json).collect(),
            None => compiled.kernels.iter().map(|name| json!({ "name": name })).collect::<Vec<_>>(),
        };
        let output = match &target {
            Target::StandardOutput => "-".to_owned(),
            Target::File(path) => path.display().to_string(),
        };
        let data = json!({
            "output": output,
            "bytes": compiled.bytes.len(),
            "kernels": kernels,
            "cached": compiled.cached,
            "stages_ns": times,
        });
        ui.json("compile", &data)?;
        return Ok(Outcome::Ok);
    }
    for kernel in archive.iter().flat_map(|a| &a.kernels) {
        let args = kernel.args.iter().map(|a| format!("{} {}", a.type_name, a.name)).collect::<Vec<_>>();
        let local: u64 = kernel.local_sizes.iter().sum();
        ui.detail(&format!("{}({}): {local} bytes of local memory", kernel.name, args.join(", ")));
    }
    if let Target::File(path) = &target {
        let total = stages.iter().map(|(_, time)| *time).sum();
        ui.detail(&format!(
            "wrote {} ({} bytes) in {}",
            path.display(),
            compiled.bytes.len(),
            duration(total)
        ));
    }
    ui.times(stages);
    Ok(Outcome::Ok)
}

fn put(target: &Target, bytes: &[u8], ui: &mut Ui) -> Result<(), CliError> {
    match target {
        Target::StandardOutput => ui.result_bytes(bytes),
        Target::File(path) => oxcl_workload::data::file::write_whole(path, bytes)
            .map_err(|source| CliError::Write { path: path.clone(), source }),
    }
}

fn devices(args: &CompileArgs) -> Vec<Device> {
    args.device
        .iter()
        .filter_map(|d| match d {
            MadeFor::Device(device) => Some(*device),
            MadeFor::Processor(_) => None,
        })
        .collect()
}

fn kernel_json(kernel: &oxcl_binary::archive::Kernel) -> Json {
    json!({
        "name": kernel.name,
        "args": kernel.args.iter().map(|a| json!({ "name": a.name, "type": a.type_name })).collect::<Vec<_>>(),
        "local_bytes": kernel.local_sizes.iter().sum::<u64>(),
    })
}

fn target(args: &CompileArgs, ui: &Ui) -> Result<Target, CliError> {
    let extension = if args.only.is_some() { None } else { args.stage().extension() };
    let standard = match (&args.output, extension) {
        (Some(path), _) => path == Path::new("-"),
        (None, extension) => extension.is_none(),
    };
    if !standard {
        let path = args.output.clone().unwrap_or_else(|| {
            let stem = args.files.first().and_then(|f| f.file_stem()).filter(|stem| *stem != "-");
            PathBuf::from(stem.unwrap_or("out".as_ref())).with_extension(extension.unwrap_or("txt"))
        });
        return Ok(Target::File(path));
    }
    if ui.json {
        return Err(CliError::usage_with_help(
            "--json and the result cannot both go to standard output",
            "name a file: -o FILE",
        ));
    }
    if extension.is_some() && io::stdout().is_terminal() {
        return Err(CliError::usage_with_help(
            "the result is no text for a terminal",
            "name a file: -o FILE",
        ));
    }
    Ok(Target::StandardOutput)
}

fn source(path: &Path) -> Result<SourceFile, CliError> {
    let (name, bytes) = source_bytes(path)?;
    build::text(path, name, bytes)
}

/// A file's name and contents.
fn source_bytes(path: &Path) -> Result<(String, Vec<u8>), CliError> {
    let read_error = |source| CliError::Read { path: path.to_owned(), source };
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().lock().read_to_end(&mut bytes).map_err(read_error)?;
        return Ok(("<stdin>".to_owned(), bytes));
    }
    Ok((path.display().to_string(), fs::read(path).map_err(read_error)?))
}
