//! `oxcl icd`: the file that makes the OpenCL loader find our library.

use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use crate::error::CliError;
use crate::exit::Outcome;
use crate::ui::Ui;

/// Write the file that tells the OpenCL loader where our library is
#[derive(Debug, Args)]
#[command(after_help = "Example: oxcl icd /etc/OpenCL/vendors/oxcl.icd")]
pub(crate) struct IcdArgs {
    /// The file to write; without it the line goes to standard output
    file: Option<PathBuf>,
    /// The library; without it the liboxcl.so that is installed or built with this program
    #[arg(long, value_name = "PATH")]
    library: Option<PathBuf>,
}

/// The library's file names: as it is installed, and as it is built.
const NAMES: [&str; 2] = ["liboxcl.so.1", "liboxcl.so"];
/// Where it is, from the program's folder: as `make install` and the tarball have it, as Debian has it, as it is built.
const FOLDERS: [&str; 3] = ["../lib", "../lib/x86_64-linux-gnu", "."];

/// Writes the file, or prints its line.
pub(crate) fn run(args: &IcdArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let library = match &args.library {
        Some(path) => absolute(path)?,
        None => beside_this_program()?,
    };
    let line = format!("{}\n", library.display());
    if let Some(file) = &args.file {
        std::fs::write(file, &line).map_err(|source| CliError::Write { path: file.clone(), source })?;
    }
    if ui.json {
        let file = args.file.as_ref().map(|file| file.display().to_string());
        ui.json("icd", &json!({ "library": library.display().to_string(), "file": file }))?;
    } else if args.file.is_none() {
        ui.result(&line)?;
    }
    Ok(Outcome::Ok)
}

fn absolute(path: &Path) -> Result<PathBuf, CliError> {
    path.canonicalize().map_err(|source| CliError::Read { path: path.to_owned(), source })
}

/// The library that was installed or built with this program.
fn beside_this_program() -> Result<PathBuf, CliError> {
    let program = std::env::current_exe().map_err(|source| CliError::Read { path: "oxcl".into(), source })?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let places: Vec<PathBuf> = FOLDERS
        .iter()
        .flat_map(|place| NAMES.iter().map(move |name| folder.join(place).join(name)))
        .collect();
    match places.iter().find(|place| place.is_file()) {
        Some(place) => absolute(place),
        None => {
            let source = std::io::Error::from(std::io::ErrorKind::NotFound);
            Err(CliError::Read { path: places[0].clone(), source })
        }
    }
}
