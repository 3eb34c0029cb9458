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

/// The library's file name.
const NAME: &str = "liboxcl.so";

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

/// Where `make install` and a build put the library: in `../lib` of the program's folder, or in that folder.
fn beside_this_program() -> Result<PathBuf, CliError> {
    let program = std::env::current_exe().map_err(|source| CliError::Read { path: "oxcl".into(), source })?;
    let folder = program.parent().unwrap_or(Path::new("/"));
    let places = [folder.join("../lib").join(NAME), folder.join(NAME)];
    match places.iter().find(|place| place.is_file()) {
        Some(place) => absolute(place),
        None => {
            let source = std::io::Error::from(std::io::ErrorKind::NotFound);
            Err(CliError::Read { path: places[0].clone(), source })
        }
    }
}
