//! `oxcl run`: one kernel on data from the command line, or whole workloads.

use super::build_args::BuildArgs;
use super::{run_kernel, run_workload};
use crate::error::CliError;
use crate::exit::Outcome;
use crate::sizes::{self, Sizes};
use crate::trace;
use crate::ui::Ui;
use clap::Args;
use oxcl_workload::device::{self, Device};
use std::path::{Path, PathBuf};

/// Run a kernel, or workload files
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, override_usage = "oxcl run FILE KERNEL --global SIZES [OPTIONS] [-- BUILD_OPTIONS]\n       oxcl run WORKLOAD.toml... [OPTIONS]")]
pub(crate) struct RunArgs {
    /// OpenCL C or a pocl-binary, or a workload (.toml)
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The kernel; may be left out where there is one. After a workload: more workloads
    #[arg(value_name = "KERNEL")]
    pub(crate) rest: Vec<String>,
    /// The device: cpu, basic, ref, discrete or ttasim:MACHINE.adf [default: cpu]; for a workload, that of every queue
    #[arg(long, value_name = "DEVICE", value_parser = device::parse)]
    pub(crate) device: Option<Device>,
    /// Global size: X, X,Y or X,Y,Z
    #[arg(short, long, value_name = "SIZES", value_parser = sizes::parse)]
    pub(crate) global: Option<Sizes>,
    /// Local size; the runtime's choice where it is left out
    #[arg(short, long, value_name = "SIZES", value_parser = sizes::parse)]
    pub(crate) local: Option<Sizes>,
    /// Global offset
    #[arg(long, value_name = "SIZES", value_parser = sizes::parse_offset)]
    pub(crate) offset: Option<Sizes>,
    /// A parameter's value: NAME is its name or position; VALUE a number, a list 1,2,3,4, @FILE (.npy, .png, else raw
    /// with :TYPE after it), zeros:TYPE:COUNT, random:TYPE:COUNT:SEED, range:TYPE:COUNT, local:BYTES or hex:BYTES
    #[arg(short, long = "arg", value_name = "NAME=VALUE", allow_hyphen_values = true)]
    pub(crate) args: Vec<String>,
    /// Save a buffer: .npy, .png (:WIDTHxHEIGHT after it where the size is not known), else raw bytes
    #[arg(short, long, value_name = "NAME=FILE")]
    pub(crate) save: Vec<String>,
    /// Print elements of a buffer: NAME, NAME[3] or NAME[0..8]
    #[arg(short, long, value_name = "NAME[A..B]")]
    pub(crate) print: Vec<String>,
    /// Compare a buffer; exit code 1 where it differs
    #[arg(short, long, value_name = "NAME=VALUE")]
    pub(crate) expect: Vec<String>,
    /// Agree where |got - want| <= T * max(1, |want|)
    #[arg(long, value_name = "T", default_value_t = 0.0, allow_negative_numbers = true)]
    pub(crate) tolerance: f64,
    /// Run so many times, and report the best and the median time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) repeat: u32,
    /// Write a timeline of commands and compiler stages, for Chrome and Perfetto; a picture of the commands where FILE is an .svg
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
    /// Say what commands and workers did
    #[arg(long)]
    pub(crate) stats: bool,
    /// Compile sources even if the cache has the result, and do not keep it there
    #[arg(long)]
    pub(crate) no_cache: bool,
    #[command(flatten)]
    pub(crate) build: BuildArgs,
}

const EXAMPLES: &str = "Examples:
  oxcl run scale.cl scale --global 1024 --arg in=range:float:1024 --arg out=zeros:float:1024 --arg k=3 --print 'out[0..8]'
  oxcl run blur.cl blur -g 640,480 -a src=@photo.png -a dst=zeros:float4:307200 -s dst=blurred.png -DRADIUS=3
  oxcl run sum.poclbin sum -g 4096 -l 256 -a x=@x.npy -a tile=local:1024 -a y=zeros:float:16 -e y=@y.npy --tolerance 1e-5
  oxcl run testsuite/workloads/mandelbrot/mandelbrot.toml";

/// Runs a kernel or workloads, by the file's extension.
pub(crate) fn run(args: &RunArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    // Where the system refuses the handlers, a kernel's fault ends the process as it would without them.
    let _ = oxcl_runtime::catch_faults();
    if args.trace.is_none() && !args.stats {
        return execute(args, ui);
    }
    trace::start()?;
    let outcome = execute(args, ui);
    // What failed is worth looking at too; its error comes before any of ours.
    let written = args.trace.as_deref().map_or(Ok(()), trace::write);
    if args.stats {
        trace::stats(ui);
    }
    outcome.and_then(|outcome| written.map(|()| outcome))
}

fn execute(args: &RunArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let toml = |path: &Path| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
    if !toml(&args.file) {
        return run_kernel::run(args, ui);
    }
    if let Some(stray) = args.rest.iter().find(|name| !toml(Path::new(name))) {
        return Err(CliError::usage_with_help(
            format!("`{stray}` is no workload"),
            "after a workload only more workloads (.toml) can follow",
        ));
    }
    let only_kernel = [
        ("--global", args.global.is_some()),
        ("--local", args.local.is_some()),
        ("--offset", args.offset.is_some()),
        ("--arg", !args.args.is_empty()),
        ("--save", !args.save.is_empty()),
        ("--print", !args.print.is_empty()),
        ("--expect", !args.expect.is_empty()),
        ("--tolerance", args.tolerance != 0.0),
        ("build options", !args.build.options().is_empty()),
        ("--width", args.build.width.is_some()),
        ("--plan", args.build.plan.is_some()),
    ];
    if let Some((option, _)) = only_kernel.iter().find(|(_, given)| *given) {
        return Err(CliError::usage_with_help(
            format!("{option} does not go with a workload"),
            "say it in the workload file: docs/workloads.md",
        ));
    }
    let files: Vec<PathBuf> =
        std::iter::once(args.file.clone()).chain(args.rest.iter().map(PathBuf::from)).collect();
    run_workload::run(&files, args, ui)
}
