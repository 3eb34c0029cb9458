//! What goes wrong, as exceptions of `oxcl._errors`: with a message, a stable code and, where there is one, what to do.

use std::path::Path;

use oxcl_runtime::{BuildError, Coded as _, DeviceError, LoadError};
use oxcl_workload::host::Refused;
use oxcl_workload::problem::WorkloadError;
use pyo3::prelude::*;

/// The class of an exception.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A program was not built or cannot be loaded.
    Build,
    /// An argument does not fit its parameter.
    Argument,
    /// A device cannot be had, or a launch was refused or failed.
    Launch,
    /// A workload file, or its data.
    Workload,
}

/// How an argument does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// Too few or too many, or one of a name that nothing has.
    Arguments,
    /// A value that the parameter does not take.
    Value,
    /// Elements of another type.
    Type,
    /// Elements that do not lie one after another.
    Gaps,
    /// A read-only array where the kernel writes.
    ReadOnly,
    /// Vectors that are not aligned.
    Alignment,
    /// No elements, or no whole number of vectors.
    Size,
}

impl Misfit {
    fn code(self) -> &'static str {
        match self {
            Self::Arguments => "OX0901",
            Self::Value => "OX0902",
            Self::Type => "OX0903",
            Self::Gaps => "OX0904",
            Self::ReadOnly => "OX0905",
            Self::Alignment => "OX0906",
            Self::Size => "OX0907",
        }
    }
}

/// An exception that has not been raised yet; made where there is no interpreter at hand.
#[derive(Debug, Clone)]
pub(crate) struct Raised {
    class: Class,
    message: String,
    code: Option<String>,
    help: Option<String>,
    log: Option<String>,
}

impl Raised {
    /// An argument that does not fit; the message gets the code behind it.
    pub(crate) fn argument(misfit: Misfit, message: &str, help: Option<&str>) -> Self {
        let code = misfit.code();
        Self {
            class: Class::Argument,
            message: format!("{message} [{code}]"),
            code: Some(code.to_owned()),
            help: help.map(str::to_owned),
            log: None,
        }
    }

    /// A file that cannot be read.
    pub(crate) fn unreadable(class: Class, path: &Path, error: &std::io::Error) -> Self {
        let message = format!("cannot read '{}': {error}", path.display());
        Self { class, message, code: None, help: None, log: None }
    }
}

impl From<BuildError> for Raised {
    fn from(error: BuildError) -> Self {
        let code = error.code().to_string();
        let BuildError { message, log, .. } = error;
        // What is wrong with a source is in the log; the message alone would be a riddle.
        let mut text = log.trim_end().to_owned();
        if !text.contains(&code) {
            text.push_str(&format!("\n{message} [{code}]"));
        }
        Self { class: Class::Build, message: text, code: Some(code), help: None, log: Some(log) }
    }
}

impl From<LoadError> for Raised {
    fn from(error: LoadError) -> Self {
        let code = error.code().to_string();
        Self {
            class: Class::Build,
            message: format!("{error} [{code}]"),
            code: Some(code),
            help: None,
            log: None,
        }
    }
}

impl From<DeviceError> for Raised {
    fn from(error: DeviceError) -> Self {
        Refused::from(error).into()
    }
}

impl From<Refused> for Raised {
    fn from(error: Refused) -> Self {
        let Refused { message, help, code, .. } = error;
        let code = code.map(|code| code.to_string());
        Self { class: Class::Launch, message, code, help, log: None }
    }
}

impl From<WorkloadError> for Raised {
    fn from(error: WorkloadError) -> Self {
        let help = error.problem.help();
        Self { class: Class::Workload, message: error.to_string(), code: None, help, log: None }
    }
}

impl From<Raised> for PyErr {
    fn from(raised: Raised) -> Self {
        let Raised { class, message, code, help, log } = raised;
        let name = match class {
            Class::Build => "BuildError",
            Class::Argument => "ArgumentError",
            Class::Launch => "LaunchError",
            Class::Workload => "WorkloadError",
        };
        Python::attach(|py| {
            let class = py.import("oxcl._errors").and_then(|module| module.getattr(name));
            match class.and_then(|class| class.call1((message, code, help, log))) {
                Ok(exception) => Self::from_value(exception),
                Err(error) => error,
            }
        })
    }
}
