//! The `oxcl` program: parse, run the command, end with its exit code.

#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "help texts are documentation comments, and brackets in them are the user's syntax"
)]

mod arguments;
mod argv;
#[cfg(feature = "compiler")]
mod build;
mod cli;
mod cmd;
mod doctor;
mod error;
mod exit;
mod host;
#[cfg(feature = "compiler")]
mod images;
mod inspect;
mod interrupt;
#[cfg(feature = "compiler")]
mod kept;
mod launching;
mod memory;
#[cfg(feature = "mpi")]
mod nodes;
mod panic;
mod program;
mod propose;
mod reduce;
#[cfg(feature = "compiler")]
mod scaling;
#[cfg(feature = "compiler")]
mod serve;
mod sizes;
mod tasks;
#[cfg(feature = "compiler")]
mod together;
mod trace;
#[cfg(feature = "compiler")]
mod tta;
mod ui;
#[cfg(feature = "compiler")]
mod width;

use exit::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    panic::install();
    // The hook has told what happened.
    std::panic::catch_unwind(cli::run).unwrap_or(Exit::Internal).into()
}
