//! `oxcl doctor`: what is wrong with this installation, and what mends it.

use crate::doctor::{self, Severity, System};
use crate::error::CliError;
use crate::exit::Outcome;
use crate::ui::Ui;
use crate::ui::progress::Progress;
use crate::ui::table::Table;
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Say what is wrong with this installation, and which command mends it
///
/// Looks at the OpenCL loader and the files that tell it where platforms are, the library and its compiler, the cache,
/// limits of processes and of control groups, the processor, and OXCL_* variables; and runs a first kernel.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit code 1 where something was found; docs/errors.md explains the codes.\n\nExamples:\n  \
    oxcl doctor\n  oxcl doctor --json\n  oxcl doctor --root /var/lib/machines/bookworm"
)]
pub(crate) struct DoctorArgs {
    /// Look at the system whose files are in this folder, and run nothing of it but its compiler
    #[arg(long, value_name = "FOLDER", default_value = "/", hide_default_value = true)]
    root: PathBuf,
    /// Ask the OpenCL loader, and print what it says (the part that runs in a process of its own)
    #[arg(long, hide = true)]
    probe: bool,
    /// The loader to ask
    #[arg(long, hide = true, default_value = "libOpenCL.so.1")]
    loader: PathBuf,
}

/// Looks; exit code 1 where something was found.
pub(crate) fn run(args: &DoctorArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    if args.probe {
        for line in doctor::probe_child(&args.loader) {
            ui.result(&format!("{line}\n"))?;
        }
        return Ok(Outcome::Ok);
    }
    if !args.root.is_dir() {
        let source = std::io::ErrorKind::NotADirectory.into();
        return Err(CliError::Read { path: args.root.clone(), source });
    }
    let progress = Progress::new(ui);
    progress.step("looking at the installation");
    let report = doctor::examine(&System::below(&args.root));
    drop(progress);
    let outcome = if report.findings.is_empty() { Outcome::Ok } else { Outcome::Negative };
    if ui.json {
        ui.json("doctor", &json!(report))?;
        return Ok(outcome);
    }
    let mut table = Table::new(&["looked at", "found"]);
    for fact in &report.facts {
        table.row(vec![fact.name.to_owned(), fact.value.clone()]);
    }
    ui.result(&table.to_string())?;
    for finding in &report.findings {
        let word = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        ui.result(&format!(
            "\n{word}: {} [{}]\n  mend: {}\n",
            finding.message,
            finding.problem.code(),
            finding.mend
        ))?;
    }
    ui.result(&match report.findings.len() {
        0 => "\nnothing is wrong\n".to_owned(),
        1 => "\n1 finding\n".to_owned(),
        count => format!("\n{count} findings\n"),
    })?;
    Ok(outcome)
}
