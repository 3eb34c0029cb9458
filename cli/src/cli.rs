//! The command line: global options, the commands, and the way from arguments to an exit code.

use crate::argv;
use crate::cmd;
use crate::error::CliError;
use crate::exit::{Exit, Outcome};
use crate::interrupt;
use crate::ui::{ColorChoice, Ui};
use clap::{Args, CommandFactory as _, Parser, Subcommand};

/// OpenCL C kernel compiler and runtime
#[derive(Debug, Parser)]
#[command(name = "oxcl", version, propagate_version = true, arg_required_else_help = true, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "Exit codes: 0 ok, 1 negative answer, 2 usage, 3 source rejected, 4 bad file, 5 device, \
6 file I/O, 70 internal, 130 interrupted";

/// Options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
struct Global {
    /// Print the result as one JSON object, and messages as JSON lines
    #[arg(long, global = true)]
    json: bool,
    /// Print how long each stage took
    #[arg(long, global = true)]
    time: bool,
    /// Say more about what is done
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    verbose: bool,
    /// Say nothing but results and errors
    #[arg(short, long, global = true)]
    quiet: bool,
    /// When messages have colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", hide_possible_values = false)]
    color: ColorChoice,
}

#[derive(Debug, Subcommand)]
enum Command {
    #[cfg(feature = "compiler")]
    Compile(Box<cmd::compile::CompileArgs>),
    Run(Box<cmd::run::RunArgs>),
    New(cmd::new::NewArgs),
    #[cfg(feature = "mpi")]
    Node(cmd::node::NodeArgs),
    #[cfg(feature = "compiler")]
    Serve(cmd::serve::ServeArgs),
    Devices(cmd::devices::DevicesArgs),
    Icd(cmd::icd::IcdArgs),
    Doctor(cmd::doctor::DoctorArgs),
    Check(cmd::check::CheckArgs),
    Reduce(cmd::reduce::ReduceArgs),
    Inspect(cmd::inspect::InspectArgs),
    Sim(Box<cmd::sim::SimArgs>),
    #[command(subcommand)]
    Tta(cmd::tta::TtaArgs),
    #[command(subcommand)]
    Gen(cmd::generate::GenerateArgs),
    #[command(subcommand)]
    Bench(cmd::bench::BenchArgs),
    #[command(subcommand)]
    Cache(cmd::cache::CacheArgs),
}

/// Parses the process's arguments and runs the command.
pub(crate) fn run() -> Exit {
    let meant = |error| argv::with_meant(error, std::env::args_os(), &Cli::command());
    let cli = match Cli::try_parse_from(argv::prepare(std::env::args_os())).map_err(meant) {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && argv::asks_for_json() => {
            Ui::new(true, false, false, false, ColorChoice::Never).usage(&error);
            return Exit::Usage;
        }
        Err(error) => {
            // Help that nobody reads is no failure.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Ok };
        }
    };
    let global = cli.global;
    let mut ui = Ui::new(global.json, global.quiet, global.verbose, global.time, global.color);
    interrupt::install(ui.interruption());
    match cli.command.run(&mut ui) {
        Ok(Outcome::Ok) => Exit::Ok,
        Ok(Outcome::Negative) => Exit::Negative,
        Err(error) => {
            ui.error(&error);
            error.exit()
        }
    }
}

impl Command {
    fn run(self, ui: &mut Ui) -> Result<Outcome, CliError> {
        match self {
            #[cfg(feature = "compiler")]
            Command::Compile(args) => cmd::compile::run(&args, ui),
            Command::Run(args) => cmd::run::run(&args, ui),
            Command::New(args) => cmd::new::run(&args, ui),
            #[cfg(feature = "mpi")]
            Command::Node(args) => cmd::node::run(&args),
            #[cfg(feature = "compiler")]
            Command::Serve(args) => cmd::serve::run(&args),
            Command::Devices(args) => cmd::devices::run(&args, ui),
            Command::Icd(args) => cmd::icd::run(&args, ui),
            Command::Doctor(args) => cmd::doctor::run(&args, ui),
            Command::Check(args) => cmd::check::run(&args, ui),
            Command::Reduce(args) => cmd::reduce::run(&args, ui),
            Command::Inspect(args) => cmd::inspect::run(&args, ui),
            Command::Sim(args) => cmd::sim::run(&args, ui),
            Command::Tta(args) => cmd::tta::run(&args, ui),
            Command::Gen(args) => cmd::generate::run(&args, ui),
            Command::Bench(args) => cmd::bench::run(&args, ui),
            Command::Cache(args) => cmd::cache::run(&args, ui),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Cli;
    use clap::CommandFactory as _;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }
}
