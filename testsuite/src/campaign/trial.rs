//! A program in the form that a worker takes: text, options, launches, and what their buffers must hold.

use std::fmt::Write as _;

use oxcl_oracle::{Argument, Case, Launch as OracleLaunch, Program, Scalar};
use serde::{Deserialize, Serialize};

use super::engine::Configuration;
use crate::opencl::{Launch, Value};

/// One program to try.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Trial {
    /// OpenCL C.
    pub source: String,
    /// Build options.
    pub options: String,
    /// It has 64-bit floats.
    pub doubles: bool,
    /// It has generic pointers.
    pub generic: bool,
    /// It asks which memory generic pointers lead to.
    pub asks_spaces: bool,
    /// Launches, one after another.
    pub launches: Vec<Launch>,
    /// For each launch what its buffers hold afterwards.
    pub expected: Vec<Vec<Vec<u8>>>,
}

/// A trial and the way to run it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Order {
    /// What to run.
    pub(super) trial: Trial,
    /// In which ways.
    pub(super) configurations: Vec<Configuration>,
}

/// What came of a trial in one configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verdict {
    /// Every byte is as the oracle says.
    Same,
    /// The configuration does not take such programs, for a reason that is listed.
    NotFor(String),
    /// The program is not built, or its launch fails.
    Rejected(String),
    /// Bytes differ.
    Wrong(String),
    /// The process that ran it ended.
    Crashed(String),
    /// It did not end.
    Hung,
}

impl Verdict {
    /// Whether it shows a bug.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        !matches!(self, Self::Same | Self::NotFor(_))
    }

    /// Whether both fail in one way: for shrinking, which must not slide to another bug.
    #[must_use]
    pub fn is_like(&self, other: &Self) -> bool {
        let code = |text: &str| text.split(']').next().and_then(|t| t.rsplit('[').next()).map(str::to_owned);
        match (self, other) {
            (Self::Rejected(a), Self::Rejected(b)) => code(a) == code(b),
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }

    /// One line for people.
    #[must_use]
    pub fn line(&self) -> String {
        match self {
            Self::Same => "same".to_owned(),
            Self::NotFor(why) => format!("not for this: {why}"),
            Self::Rejected(why) => format!("rejected: {why}"),
            Self::Wrong(why) => format!("wrong: {why}"),
            Self::Crashed(why) => format!("crashed: {why}"),
            Self::Hung => "does not end".to_owned(),
        }
    }
}

fn sizes(sizes: &[u32]) -> Vec<usize> {
    sizes.iter().map(|size| *size as usize).collect()
}

fn launch(program: &Program, launch: &OracleLaunch) -> Launch {
    let value = |argument: &Argument| match argument {
        Argument::Buffer(scalar, values) => {
            Value::Buffer(values.iter().flat_map(|bits| scalar.store(*bits)).collect())
        }
        Argument::Value(scalar, values) => {
            let mut bytes: Vec<u8> = values.iter().flat_map(|bits| scalar.store(*bits)).collect();
            // A vector of three takes the room of four.
            if values.len() == 3 {
                bytes.resize(4 * scalar.size(), 0);
            }
            Value::Value(bytes)
        }
        Argument::Local(bytes) => Value::Local(*bytes as usize),
    };
    let mut offset = sizes(&launch.offset);
    offset.resize(launch.global.len(), 0);
    Launch {
        kernel: program.functions[launch.kernel].name.clone(),
        global: sizes(&launch.global),
        local: sizes(&launch.local),
        offset,
        args: launch.arguments.iter().map(value).collect(),
    }
}

impl Trial {
    /// The trial of a case.
    #[must_use]
    pub fn of(case: &Case) -> Self {
        let program = &case.program;
        Self {
            source: program.text(),
            options: program.options(),
            doubles: program.has_doubles(),
            generic: program.generic,
            asks_spaces: program.asks_spaces(),
            launches: program.launches.iter().map(|l| launch(program, l)).collect(),
            expected: case.outcome.buffers.clone(),
        }
    }
}

fn list(scalar: Scalar, bytes: &[u8]) -> String {
    let one = |chunk: &[u8]| {
        let bits = scalar.load(chunk);
        if scalar.is_signed() { (bits as i64).to_string() } else { bits.to_string() }
    };
    let numbers: Vec<String> = bytes.chunks(scalar.size()).map(one).collect();
    match numbers.split_first() {
        Some((first, rest)) if rest.len() > 3 && rest.iter().all(|number| number == first) => {
            format!("all:{first}:{}", numbers.len())
        }
        _ => format!("[{}]", numbers.join(",")),
    }
}

/// A case as a file test, with a first line that says where it comes from.
#[must_use]
pub fn file_test(case: &Case, origin: &str) -> String {
    let program = &case.program;
    let mut text = String::new();
    for line in origin.lines() {
        // A word and a colon would be a directive.
        let _ = writeln!(text, "// {}", line.replace(": ", " - "));
    }
    let _ = writeln!(text, "// test: run\n// width: any\n// options: {}", program.options());
    if program.has_doubles() {
        text.push_str("// bits: 64, has 64-bit floats\n");
    } else if program.asks_spaces() {
        text.push_str("// bits: 64, processors do not say where their memories lie\n");
    }
    if program.generic {
        text.push_str("// memories: one\n");
    }
    let join = |sizes: &[u32]| sizes.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    for (launch, buffers) in program.launches.iter().zip(&case.outcome.buffers) {
        let kernel = &program.functions[launch.kernel];
        let mut arguments = Vec::new();
        let mut expected = Vec::new();
        let mut buffers = buffers.iter();
        for (name, argument) in kernel.parameter_names().iter().zip(&launch.arguments) {
            match argument {
                Argument::Buffer(scalar, values) => {
                    let before: Vec<u8> = values.iter().flat_map(|bits| scalar.store(*bits)).collect();
                    arguments.push(format!("{name}={}", list(*scalar, &before)));
                    if let Some(after) = buffers.next().filter(|after| **after != before) {
                        let after = list(*scalar, after);
                        // An expectation knows its length from the buffer.
                        let after = match after.strip_prefix("all:") {
                            Some(rest) => format!("all:{}", rest.split(':').next().unwrap_or_default()),
                            None => after,
                        };
                        expected.push(format!("{name}={after}"));
                    }
                }
                Argument::Value(scalar, values) => {
                    let values: Vec<String> = values
                        .iter()
                        .map(|bits| list(*scalar, &scalar.store(*bits)).trim_matches(['[', ']']).to_owned())
                        .collect();
                    let value =
                        if let [one] = &values[..] { one.clone() } else { format!("({})", values.join(",")) };
                    arguments.push(format!("{name}={value}"));
                }
                Argument::Local(bytes) => arguments.push(format!("{name}=local:{bytes}")),
            }
        }
        let _ = write!(
            text,
            "// run: {} global={} local={}",
            kernel.name,
            join(&launch.global),
            join(&launch.local)
        );
        if !launch.offset.is_empty() {
            let _ = write!(text, " offset={}", join(&launch.offset));
        }
        let _ = write!(text, " ({})", arguments.join(", "));
        if !expected.is_empty() {
            let _ = write!(text, " -> {}", expected.join(", "));
        }
        text.push('\n');
    }
    text.push_str(&program.text());
    text
}
