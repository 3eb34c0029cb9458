//! The compiler linked in: options, checking of sources, and their messages on the terminal.

use crate::error::CliError;
use crate::ui::Ui;
use oxcl_frontend::{
    Bits, BuildOptions, Colour, CompileErrorKind, Diagnostics, OptionError, Severity, Source, compile, render,
};
use oxcl_ir::Context;
use std::path::Path;

/// Reads build options.
pub(crate) fn options(arguments: &[String]) -> Result<BuildOptions, CliError> {
    BuildOptions::from_arguments(arguments.iter().cloned()).map_err(|e| option_error(&e))
}

/// Splits build options that are written in one text.
pub(crate) fn split_options(text: &str) -> Result<Vec<String>, String> {
    BuildOptions::parse(text).map(|options| options.to_arguments()).map_err(|e| e.to_string())
}

fn option_error(error: &OptionError) -> CliError {
    CliError::usage(error.to_string())
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
    match compile(&context, &source, options, &[], Bits::Bits64) {
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
