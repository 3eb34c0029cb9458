//! `oxcl doctor`: what is wrong with an installation, and the command that mends it.
//!
//! In: the system as files below a root, and this process's environment. Out: facts, which are listed, and findings, each
//! with a code that `docs/errors.md` explains. Nothing is changed; whether a folder can be written is found out by a file
//! that goes at once. The root is for looking at an installation that is not this system's, such as a container's; paths
//! in variables are never below it.

mod cache;
mod compiler;
mod limits;
mod loader;
mod probe;
mod problem;
mod processor;
mod system;
mod variables;

pub(crate) use probe::child as probe_child;
pub(crate) use problem::{Problem, Severity};
pub(crate) use system::System;

use serde::Serialize;

/// Something that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Finding {
    /// Its kind.
    #[serde(rename = "code")]
    pub(crate) problem: Problem,
    pub(crate) severity: Severity,
    /// What is wrong, and where.
    pub(crate) message: String,
    /// A command for a shell that mends it.
    pub(crate) mend: String,
}

/// Something that is as it may be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Fact {
    pub(crate) name: &'static str,
    pub(crate) value: String,
}

/// What was found.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    pub(crate) facts: Vec<Fact>,
    pub(crate) findings: Vec<Finding>,
}

impl Report {
    fn fact(&mut self, name: &'static str, value: impl Into<String>) {
        self.facts.push(Fact { name, value: value.into() });
    }

    fn find(&mut self, problem: Problem, message: impl Into<String>, mend: impl Into<String>) {
        let severity = problem.severity();
        self.findings.push(Finding { problem, severity, message: message.into(), mend: mend.into() });
    }
}

/// Looks at everything.
pub(crate) fn examine(system: &System) -> Report {
    let mut report = Report::default();
    report.fact("program", format!("{}, version {VERSION}", system.program.display()));
    let (library, vendors) = loader::examine(system, &mut report);
    compiler::examine(system, library.as_ref(), &mut report);
    variables::examine(system, &mut report);
    cache::examine(system, &mut report);
    limits::examine(system, &mut report);
    processor::examine(system, &mut report);
    // What files say is one thing, what the loader makes of them another; other systems' programs are not run.
    if system.is_this() {
        probe::examine(system, &vendors, &mut report);
    }
    report
}

/// This program's version; the library's is the same in a whole installation.
const VERSION: &str = env!("CARGO_PKG_VERSION");
