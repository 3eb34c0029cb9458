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
mod data;
mod device;
mod doctor;
mod error;
mod exit;
mod inspect;
mod interrupt;
#[cfg(feature = "compiler")]
mod kept;
mod launching;
mod memory;
mod nearest;
mod panic;
mod param;
mod program;
mod propose;
mod reduce;
#[cfg(feature = "compiler")]
mod serve;
mod sizes;
mod tasks;
mod trace;
#[cfg(feature = "compiler")]
mod tta;
mod ui;
mod value;
#[cfg(feature = "compiler")]
mod width;
mod workload;

use exit::Exit;
use std::process::ExitCode;

fn main() -> ExitCode {
    panic::install();
    // The hook has told what happened.
    std::panic::catch_unwind(cli::run).unwrap_or(Exit::Internal).into()
}
