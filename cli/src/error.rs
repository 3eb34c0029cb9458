//! What a command can fail with, what is printed about it, and which exit code it means: the one mapping.

use crate::exit::Exit;
use oxcl_workload::data::file::DataError;
use oxcl_workload::host::{Fault, Refused};
use oxcl_workload::nearest::nearest_file;
use oxcl_workload::param::{BindError, BindProblem};
use oxcl_workload::problem::{Problem, WorkloadError};
use oxcl_workload::value::BufferError;
use std::error::Error;
use std::io;
use std::path::PathBuf;

/// The command line makes no sense: our own words, or its parser's.
pub(crate) const USAGE: &str = "OX0101";
/// The process was interrupted.
pub(crate) const INTERRUPTED: &str = "OX0110";
/// A fault of ours.
pub(crate) const INTERNAL: &str = "OX0199";
const UNREADABLE: &str = "OX0102";
const UNWRITABLE: &str = "OX0103";

/// A failed command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// The command line is understood and makes no sense.
    #[error("{message}")]
    Usage { message: String, help: Option<String> },
    /// The source was rejected; the messages have been shown.
    #[error("{}", rejected(*errors))]
    #[cfg_attr(not(feature = "compiler"), expect(dead_code, reason = "only the compiler rejects sources"))]
    Source { errors: usize, code: &'static str },
    /// The compiler refused for another reason than clang's; whose fault it is decides the exit code.
    #[error("{message}")]
    #[cfg_attr(not(feature = "compiler"), expect(dead_code, reason = "only the compiler rejects sources"))]
    Compile { message: String, help: Option<String>, exit: Exit },
    /// A file cannot be used for what it is.
    #[error("cannot use '{}': {reason}", path.display())]
    File { path: PathBuf, reason: String, help: Option<String> },
    /// A data file.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A workload file.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// A value that does not fit a parameter.
    #[error("{}", error)]
    Bind { error: BindError, option: String },
    /// The device or the launch.
    #[error("{message}")]
    Device { message: String, help: Option<String> },
    /// The code in an archive is not for this machine.
    #[error("{message}")]
    Code { message: String, help: Option<String> },
    /// A file cannot be read.
    #[error("cannot read '{}'", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A file cannot be written.
    #[error("cannot write '{}'", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// Our own fault.
    #[error("internal error: {message}")]
    Internal { message: String },
    /// Whoever read our output has gone; nobody is left to be told.
    #[error("the output was closed")]
    ClosedPipe,
}

impl From<Refused> for CliError {
    fn from(Refused { message, help, fault, .. }: Refused) -> Self {
        match fault {
            Fault::Usage => Self::Usage { message, help },
            Fault::Device => Self::Device { message, help },
            Fault::Code => Self::Code { message, help },
        }
    }
}

fn rejected(errors: usize) -> String {
    match errors {
        0 => "the source was rejected".to_owned(),
        1 => "the source was rejected with 1 error".to_owned(),
        n => format!("the source was rejected with {n} errors"),
    }
}

impl CliError {
    /// A command line that makes no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        CliError::Usage { message: message.into(), help: None }
    }

    /// A command line that makes no sense, and what would.
    pub(crate) fn usage_with_help(message: impl Into<String>, help: impl Into<String>) -> Self {
        CliError::Usage { message: message.into(), help: Some(help.into()) }
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            CliError::Usage { .. } => Exit::Usage,
            CliError::Source { .. } => Exit::Source,
            CliError::Compile { exit, .. } => *exit,
            CliError::File { .. } | CliError::Code { .. } => Exit::File,
            CliError::Data(error) => data_exit(error),
            CliError::Workload(error) => match &*error.problem {
                Problem::Data(error) | Problem::Expected(BufferError::File(error)) => data_exit(error),
                _ => Exit::File,
            },
            CliError::Bind { error, .. } => match &*error.problem {
                BindProblem::Buffer(BufferError::File(error)) => data_exit(error),
                _ => Exit::Usage,
            },
            CliError::Device { .. } => Exit::Device,
            CliError::Read { .. } | CliError::Write { .. } => Exit::Io,
            CliError::Internal { .. } => Exit::Internal,
            CliError::ClosedPipe => Exit::Ok,
        }
    }

    /// The code in `docs/errors.md`. One that stands in the message names the cause more closely.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            CliError::Usage { .. } => USAGE,
            CliError::Source { code, .. } => code,
            CliError::Data(error) => data_code(error),
            CliError::Workload(error) => match &*error.problem {
                Problem::Data(error) | Problem::Expected(BufferError::File(error)) => data_code(error),
                _ => "OX0107",
            },
            CliError::Bind { error, .. } => match &*error.problem {
                BindProblem::Buffer(BufferError::File(error)) => data_code(error),
                _ => "OX0108",
            },
            CliError::File { .. } | CliError::Code { .. } => "OX0104",
            CliError::Device { .. } => "OX0109",
            CliError::Read { .. } => UNREADABLE,
            // Nobody is told of a closed pipe.
            CliError::Write { .. } | CliError::ClosedPipe => UNWRITABLE,
            CliError::Compile { .. } | CliError::Internal { .. } => INTERNAL,
        }
    }

    /// What the user can do.
    pub(crate) fn help(&self) -> Option<String> {
        match self {
            CliError::Usage { help, .. }
            | CliError::Compile { help, .. }
            | CliError::File { help, .. }
            | CliError::Code { help, .. }
            | CliError::Device { help, .. } => help.clone(),
            CliError::Data(error) => error.help(),
            CliError::Workload(error) => error.problem.help(),
            CliError::Bind { error, option } => match &*error.problem {
                BindProblem::Buffer(BufferError::File(error)) => error.help(),
                _ if error.example.is_empty() => None,
                _ => Some(format!("for example: {option}{}", error.example)),
            },
            CliError::Read { path, source } if source.kind() == io::ErrorKind::NotFound => {
                nearest_file(path).map(|near| format!("did you mean '{}'?", near.display()))
            }
            CliError::Internal { .. } => Some(crate::panic::REPORT.to_owned()),
            _ => None,
        }
    }

    /// The message with the system's reason after it, on one line.
    pub(crate) fn text(&self) -> String {
        let mut text = self.to_string();
        let io = match self {
            CliError::Read { source, .. } | CliError::Write { source, .. } => Some(source),
            CliError::Data(error) => io_source(error),
            CliError::Workload(error) => match &*error.problem {
                Problem::Data(error) | Problem::Expected(BufferError::File(error)) => io_source(error),
                _ => None,
            },
            CliError::Bind { error, .. } => match &*error.problem {
                BindProblem::Buffer(BufferError::File(error)) => io_source(error),
                _ => None,
            },
            _ => None,
        };
        if let Some(io) = io {
            text.push_str(": ");
            text.push_str(&io.to_string());
        }
        text
    }
}

fn io_source(error: &DataError) -> Option<&io::Error> {
    error.source().and_then(|s| s.downcast_ref())
}

fn data_code(error: &DataError) -> &'static str {
    match error {
        DataError::Read { .. } => UNREADABLE,
        DataError::Write { .. } => UNWRITABLE,
        DataError::Npy { .. } | DataError::Picture { .. } => "OX0105",
        DataError::ElementType { .. } | DataError::Ragged { .. } | DataError::Untyped { .. } => "OX0106",
    }
}

fn data_exit(error: &DataError) -> Exit {
    match error {
        DataError::Read { .. } | DataError::Write { .. } => Exit::Io,
        DataError::Npy { .. }
        | DataError::Picture { .. }
        | DataError::ElementType { .. }
        | DataError::Ragged { .. }
        | DataError::Untyped { .. } => Exit::File,
    }
}
