//! `oxcl compile --device ttasim:M.adf`: programs for transport-triggered processors.

use super::build_args::BuildArgs;
use super::tta::{load_machine, write};
use crate::build;
use crate::error::CliError;
use crate::exit::Outcome;
use crate::ui::Ui;
use oxcl_compiler::SourceFile;
use oxcl_compiler::tta::kernel::compile_kernel;
use oxcl_compiler::tta::{CRequest, Program, c_machine_ir, compile_c_program};
use oxcl_tta::image::{self, Image};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Compiles a program in C.
pub(super) fn run_c(
    machine: &Path,
    sources: Vec<SourceFile>,
    build_args: &BuildArgs,
    output: Option<&Path>,
    machine_ir: bool,
    ui: &mut Ui,
) -> Result<Outcome, CliError> {
    let loaded = load_machine(machine, ui)?.machine;
    let mut request = CRequest { sources, ..CRequest::default() };
    for option in build_args.options() {
        match (option.strip_prefix("-D"), option.strip_prefix("-I")) {
            (Some(definition), _) => request.macros.push(definition.to_owned()),
            (_, Some(folder)) => request.folders.push(folder.to_owned()),
            _ => return Err(CliError::usage(format!("programs in C take -D and -I only, not '{option}'"))),
        }
    }
    let (progress, _) = build::compiling(&request.sources, ui);
    let mut failed = |error| build::failed(&request.sources, &error, ui);
    if machine_ir {
        let (text, _) = c_machine_ir(&request, &loaded).map_err(failed)?;
        drop(progress);
        match output.filter(|path| *path != Path::new("-")) {
            Some(path) => write(path, text.as_bytes())?,
            None => ui.result_bytes(text.as_bytes())?,
        }
        return Ok(Outcome::Ok);
    }
    let Program { image: made, diagnostics, .. } =
        compile_c_program(&request, &loaded).map_err(&mut failed)?;
    drop(progress);
    build::show(&diagnostics, ui);
    finish(&made, &request.sources, output, ui)
}

/// Compiles a kernel to a program that runs its work-groups.
pub(super) fn run_kernel(
    machine: &Path,
    sources: &[SourceFile],
    build_args: &BuildArgs,
    kernel: Option<&str>,
    output: Option<&Path>,
    ui: &mut Ui,
) -> Result<Outcome, CliError> {
    let loaded = load_machine(machine, ui)?.machine;
    let options = build::options(&build_args.options())?;
    let (progress, _) = build::compiling(sources, ui);
    let made = compile_kernel(sources, &options, kernel, &loaded)
        .map_err(|error| build::failed(sources, &error, ui))?;
    drop(progress);
    build::show(&made.program.diagnostics, ui);
    finish(&made.program.image, sources, output, ui)
}

/// Writes an image and says so.
fn finish(
    made: &Image,
    sources: &[SourceFile],
    output: Option<&Path>,
    ui: &mut Ui,
) -> Result<Outcome, CliError> {
    let bytes = image::write(made);
    let first = sources.first().map_or("out", |s| s.name.as_str());
    let path = output.map_or_else(
        || PathBuf::from(Path::new(first).file_stem().unwrap_or_default()).with_extension("ttaimg"),
        Path::to_path_buf,
    );
    if path == Path::new("-") {
        ui.result_bytes(&bytes)?;
        return Ok(Outcome::Ok);
    }
    write(&path, &bytes)?;
    let instructions = made.program.instructions.len();
    if ui.json {
        let output = path.display().to_string();
        ui.json("compile", &json!({ "output": output, "bytes": bytes.len(), "instructions": instructions }))?;
    } else {
        ui.detail(&format!("wrote {} ({instructions} instructions)", path.display()));
    }
    Ok(Outcome::Ok)
}
