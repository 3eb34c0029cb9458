//! Exit codes. docs/errors.md lists them for scripts; they never change meaning.

use std::process::ExitCode;

/// How a run of the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// Done, or the reader of our output went away.
    Ok = 0,
    /// The answer is no: a mismatch, findings, no device.
    Negative = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// The kernel source was rejected.
    Source = 3,
    /// A file is malformed, or not for this machine.
    File = 4,
    /// The device refused or failed.
    Device = 5,
    /// A file cannot be read or written.
    Io = 6,
    /// A fault of ours.
    Internal = 70,
    /// Interrupted from the keyboard.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

/// How a command that did its work ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All is well.
    Ok,
    /// The answer is no.
    Negative,
}
