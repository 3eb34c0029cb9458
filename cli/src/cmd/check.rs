//! `oxcl check`: are sources and workload files good, as far as that can be told without running them?

use super::build_args::BuildArgs;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::ui::Ui;
use crate::ui::progress::Progress;

use clap::Args;
use std::fs;
use std::path::{Path, PathBuf};

/// Check sources and workloads without running them
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  oxcl check blur.cl -DRADIUS=3\n  oxcl check blur.toml")]
pub(crate) struct CheckArgs {
    /// OpenCL C, or workloads (.toml)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    build: BuildArgs,
}

/// Checks every file; exit code 1 if one has findings, warnings included.
pub(crate) fn run(args: &CheckArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let mut findings = 0;
    let progress = Progress::new(ui);
    for (done, path) in args.files.iter().enumerate() {
        progress.part("checking files", done as u64, args.files.len() as u64);
        let text =
            fs::read_to_string(path).map_err(|source| CliError::Read { path: path.clone(), source })?;
        if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) {
            if let Err(error) = oxcl_workload::resolve(path, &text) {
                ui.error(&error.into());
                findings += 1;
            }
        } else {
            findings += source(path, &text, &args.build, ui)?;
        }
    }
    drop(progress);
    if ui.json {
        ui.json("check", &serde_json::json!({ "findings": findings }))?;
    }
    Ok(if findings == 0 { Outcome::Ok } else { Outcome::Negative })
}

#[cfg(feature = "compiler")]
fn source(path: &Path, text: &str, build: &BuildArgs, ui: &mut Ui) -> Result<usize, CliError> {
    crate::build::check(path, text, &crate::build::options(&build.options())?, ui)
}

#[cfg(not(feature = "compiler"))]
fn source(path: &Path, _text: &str, _build: &BuildArgs, _ui: &mut Ui) -> Result<usize, CliError> {
    Err(CliError::File {
        path: path.to_owned(),
        reason: "this oxcl was built without the compiler".to_owned(),
        help: None,
    })
}
