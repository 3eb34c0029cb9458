//! `oxcl tta`: machine files and programs of transport-triggered processors.

use crate::error::CliError;
use crate::exit::Outcome;
use crate::ui::Ui;
use crate::ui::table::Table;
use clap::{Args, Subcommand};
use oxcl_tta::image::Image;
use oxcl_tta::show;
use oxcl_tta::validate::{Severity, compile_obstacles, validate};
use oxcl_tta::{adf, asm, draw, image};
use oxcl_workload::data::file::write_whole;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};

/// Look at transport-triggered machines, assemble and disassemble programs for them
#[derive(Debug, Subcommand)]
pub(crate) enum TtaArgs {
    Show(ShowArgs),
    Asm(AsmArgs),
    Disasm(DisasmArgs),
}

/// Show what a machine is made of and what is wrong with it
#[derive(Debug, Args)]
#[command(after_help = "Example: oxcl tta show minimal.adf --svg minimal.svg")]
pub(crate) struct ShowArgs {
    /// The machine (.adf)
    #[arg(value_name = "FILE.adf")]
    machine: PathBuf,
    /// Also draw the machine
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
}

/// Assemble a program for a machine
#[derive(Debug, Args)]
#[command(after_help = "Example: oxcl tta asm blink.tceasm --machine minimal.adf -o blink.ttaimg")]
pub(crate) struct AsmArgs {
    /// The program's text
    #[arg(value_name = "FILE")]
    text: PathBuf,
    /// The machine (.adf)
    #[arg(short, long, value_name = "FILE.adf")]
    machine: PathBuf,
    /// The image to write
    #[arg(short, long, value_name = "FILE.ttaimg")]
    output: PathBuf,
}

/// Print the program in an image as assembly text
#[derive(Debug, Args)]
#[command(after_help = "Example: oxcl tta disasm blink.ttaimg")]
pub(crate) struct DisasmArgs {
    /// The image (.ttaimg)
    #[arg(value_name = "FILE.ttaimg")]
    image: PathBuf,
    /// Write the image's machine here
    #[arg(long, value_name = "FILE.adf")]
    machine: Option<PathBuf>,
}

/// Runs a subcommand.
pub(crate) fn run(args: &TtaArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    match args {
        TtaArgs::Show(args) => show(args, ui),
        TtaArgs::Asm(args) => assemble(args, ui),
        TtaArgs::Disasm(args) => disassemble(args, ui),
    }
}

/// A file that is not what it should be.
pub(crate) fn bad_file(path: &Path, reason: &impl ToString, help: Option<&str>) -> CliError {
    CliError::File { path: path.to_owned(), reason: reason.to_string(), help: help.map(str::to_owned) }
}

fn read_text(path: &Path) -> Result<String, CliError> {
    let bytes = fs::read(path).map_err(|source| CliError::Read { path: path.to_owned(), source })?;
    String::from_utf8(bytes).map_err(|_| bad_file(path, &"it is not text", None))
}

/// Writes a file of a result.
pub(crate) fn write(path: &Path, contents: &[u8]) -> Result<(), CliError> {
    write_whole(path, contents).map_err(|source| CliError::Write { path: path.to_owned(), source })
}

/// Reads a machine.
pub(crate) fn load_machine(path: &Path, ui: &mut Ui) -> Result<adf::Loaded, CliError> {
    let loaded = adf::read(&read_text(path)?).map_err(|e| bad_file(path, &e, None))?;
    for (place, what) in &loaded.ignored {
        ui.detail(&format!("{}: {place}: {what} is left out", path.display()));
    }
    Ok(loaded)
}

/// Reads a program image.
pub(crate) fn load_image(path: &Path) -> Result<Image, CliError> {
    let bytes = fs::read(path).map_err(|source| CliError::Read { path: path.to_owned(), source })?;
    let help = "oxcl tta asm makes an image from assembly text and a machine";
    image::read(&bytes).map_err(|e| bad_file(path, &e, Some(help)))
}

/// Tables one below the other, each under its title.
pub(crate) fn print_tables(tables: &[show::Table]) -> String {
    let mut text = String::new();
    for table in tables {
        if !text.is_empty() {
            text.push('\n');
        }
        let mut printed = Table::new(&table.columns);
        for row in &table.rows {
            printed.row(row.clone());
        }
        text.push_str(&format!("{}\n{printed}", table.title));
    }
    text
}

fn show(args: &ShowArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let machine = load_machine(&args.machine, ui)?.machine;
    if let Some(path) = &args.svg {
        write(path, draw::draw(&machine).as_bytes())?;
    }
    let tables = show::tables(&machine);
    let findings = validate(&machine);
    let obstacles = compile_obstacles(&machine);
    let outcome = match findings.iter().any(|f| f.severity == Severity::Error) {
        true => Outcome::Negative,
        false => Outcome::Ok,
    };
    let severity = |s| if s == Severity::Error { "error" } else { "warning" };
    if ui.json {
        let findings: Vec<_> = findings
            .iter()
            .map(|f| {
                json!({
                    "severity": severity(f.severity),
                    "subject": f.subject,
                    "message": f.message,
                    "help": f.help,
                })
            })
            .collect();
        let digest: String = image::digest(&machine).iter().map(|b| format!("{b:02x}")).collect();
        ui.json(
            "tta.machine",
            &json!({ "digest": digest, "tables": tables, "findings": findings, "obstacles": obstacles }),
        )?;
        return Ok(outcome);
    }
    let mut text = print_tables(&tables);
    if !findings.is_empty() {
        text.push_str("\nfindings\n");
        for f in &findings {
            text.push_str(&format!("{}: {}: {}\n", severity(f.severity), f.subject, f.message));
            if let Some(help) = &f.help {
                text.push_str(&format!("  {help}\n"));
            }
        }
    }
    match obstacles.as_slice() {
        [] => text.push_str("\nprograms can be compiled for this machine\n"),
        all => {
            text.push_str("\nprograms cannot be compiled for this machine\n");
            all.iter().for_each(|o| text.push_str(&format!("  {o}\n")));
        }
    }
    ui.result(&text)?;
    Ok(outcome)
}

fn assemble(args: &AsmArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let machine = load_machine(&args.machine, ui)?.machine;
    let program =
        asm::parse(&machine, &read_text(&args.text)?).map_err(|e| bad_file(&args.text, &e, None))?;
    let data: usize = program.data.iter().map(|a| a.bytes.len()).sum();
    let instructions = program.instructions.len();
    write(&args.output, &image::write(&Image { machine: machine.into(), program }))?;
    if ui.json {
        let output = args.output.display().to_string();
        ui.json("tta.asm", &json!({ "output": output, "instructions": instructions, "data_bytes": data }))?;
    } else {
        let path = args.output.display();
        ui.result(&format!("{path}: {instructions} instructions, {data} bytes of data\n"))?;
    }
    Ok(Outcome::Ok)
}

fn disassemble(args: &DisasmArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let Image { machine, program } = load_image(&args.image)?;
    if let Some(path) = &args.machine {
        write(path, adf::write(&machine).as_bytes())?;
    }
    let text = asm::print(&machine, &program);
    if ui.json {
        ui.json("tta.disasm", &json!({ "text": text }))?;
    } else {
        ui.result(&text)?;
    }
    Ok(Outcome::Ok)
}
