//! `oxcl inspect`: what is in an archive, a shared object, an object or a bitcode file.

use crate::error::CliError;
use crate::exit::Outcome;
use crate::inspect::{Contents, archive, files, listing};
use crate::ui::Ui;
use clap::Args;
use oxcl_binary::archive::Archive;
use std::path::{Path, PathBuf};

/// Show what is in an archive, a shared object, an object or a bitcode file
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct InspectArgs {
    /// The file: a pocl-binary, an ELF file, LLVM bitcode; `-` is standard input
    file: PathBuf,
    /// Show this kernel of an archive only
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Show this file of an archive as if it had been given by itself
    #[arg(long, value_name = "PATH", conflicts_with = "kernel")]
    member: Option<String>,
    /// List the machine code; of an archive that of each kernel's generic work-group function
    #[arg(long)]
    disasm: bool,
    /// Write the files of an archive into this folder, which must not exist
    #[arg(long, value_name = "FOLDER")]
    extract: Option<PathBuf>,
}

const EXAMPLES: &str = "Examples:
  oxcl inspect scale.poclbin
  oxcl inspect scale.poclbin --kernel scale --disasm
  oxcl inspect scale.poclbin --member /scale/0-0-0/scale.so --json
  oxcl inspect scale.poclbin --extract scale.d";

/// Shows it.
pub(crate) fn run(args: &InspectArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let bytes = files::read(&args.file)?;
    let contents = Contents::of(&args.file, bytes)?;
    let contents = match (&args.member, contents) {
        (Some(member), Contents::Archive(archive)) => select_member(&args.file, member, &archive)?,
        (Some(_), _) => return Err(not_an_archive("--member")),
        (None, contents) => contents,
    };
    if let Some(folder) = &args.extract {
        let Contents::Archive(archive) = &contents else {
            return Err(not_an_archive("--extract"));
        };
        files::extract(archive, folder)?;
        ui.note(&format!("{} files in '{}'", archive.files().count(), folder.display()));
    }
    if args.kernel.is_some() && !matches!(contents, Contents::Archive(_)) {
        return Err(not_an_archive("--kernel"));
    }
    if args.disasm {
        return listing::show(&args.file, &contents, args.kernel.as_deref(), ui);
    }
    let report = contents.report(&args.file, args.kernel.as_deref())?;
    if ui.json {
        ui.json("inspect", &report)?;
    } else {
        ui.result(&report.to_string())?;
    }
    Ok(Outcome::Ok)
}

fn not_an_archive(option: &str) -> CliError {
    CliError::usage_with_help(
        format!("{option} is for archives, and the file is none"),
        format!("leave {option} out"),
    )
}

fn select_member(path: &Path, member: &str, archive: &Archive) -> Result<Contents, CliError> {
    let wanted = archive.files().find(|file| file.path == member).cloned();
    let Some(file) = wanted else {
        let paths = archive.files().map(|file| file.path.as_str());
        let help = match oxcl_workload::nearest::nearest(member, paths) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("see its files: oxcl inspect {}", path.display()),
        };
        let message = format!("'{}' has no file '{member}'", path.display());
        return Err(CliError::usage_with_help(message, help));
    };
    Contents::of_member(path, file)
}

/// The kernel of this name, or every kernel.
pub(crate) fn chosen<'a>(
    path: &Path,
    archive: &'a Archive,
    kernel: Option<&str>,
) -> Result<Vec<&'a oxcl_binary::archive::Kernel>, CliError> {
    let Some(name) = kernel else {
        return Ok(archive.kernels.iter().collect());
    };
    archive
        .kernel(name)
        .map(|kernel| vec![kernel])
        .ok_or_else(|| archive::no_such_kernel(path, archive, name))
}
