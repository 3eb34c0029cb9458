//! `oxcl gen`: completions for a shell, and the manual page, from the same definition that parses the command line.

use crate::cli::Cli;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::ui::Ui;
use clap::{CommandFactory as _, Subcommand};
use clap_complete::Shell;
use oxcl_workload::nearest::nearest;

/// Write completions or manual pages to standard output
#[derive(Debug, Subcommand)]
pub(crate) enum GenerateArgs {
    /// Completions for a shell
    #[command(
        after_help = "Example: oxcl gen completions bash > ~/.local/share/bash-completion/completions/oxcl"
    )]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// The manual page of oxcl or of one command
    #[command(after_help = "Example: oxcl gen man run | man -l -")]
    Man {
        /// A command; without one, the program
        command: Option<String>,
    },
}

/// Writes it.
pub(crate) fn run(args: &GenerateArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let mut command = Cli::command();
    let mut text = Vec::new();
    match args {
        GenerateArgs::Completions { shell } => {
            clap_complete::generate(*shell, &mut command, "oxcl", &mut text);
        }
        GenerateArgs::Man { command: None } => render(command, &mut text)?,
        GenerateArgs::Man { command: Some(name) } => {
            command.build();
            let found = command.find_subcommand(name).cloned();
            let found = found.ok_or_else(|| {
                let message = format!("there is no command called `{name}`");
                match nearest(name, command.get_subcommands().map(clap::Command::get_name)) {
                    Some(near) => CliError::usage_with_help(message, format!("did you mean `{near}`?")),
                    None => CliError::usage(message),
                }
            })?;
            render(found.display_name(format!("oxcl-{name}")), &mut text)?;
        }
    }
    ui.result_bytes(&text)?;
    Ok(Outcome::Ok)
}

fn render(command: clap::Command, text: &mut Vec<u8>) -> Result<(), CliError> {
    clap_mangen::Man::new(command)
        .render(text)
        .map_err(|e| CliError::Internal { message: format!("the manual page cannot be made: {e}") })
}
