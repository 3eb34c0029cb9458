//! `oxcl check`: is a workload file, or a source, good as far as that can be told without running it?

use crate::error::CliError;
use crate::exit::Outcome;
use crate::ui::Ui;
use crate::workload;
use clap::Args;
use std::fs;
use std::path::PathBuf;

/// Check a workload file without running it
#[derive(Debug, Args)]
#[command(after_help = "Example: oxcl check blur.toml")]
pub(crate) struct CheckArgs {
    /// A workload (.toml)
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Checks every file; exit code 1 if one has findings.
pub(crate) fn run(args: &CheckArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let mut outcome = Outcome::Ok;
    for path in &args.files {
        let text =
            fs::read_to_string(path).map_err(|source| CliError::Read { path: path.clone(), source })?;
        if let Err(error) = workload::resolve::resolve(path, &text) {
            ui.error(&error.into());
            outcome = Outcome::Negative;
        }
    }
    Ok(outcome)
}
