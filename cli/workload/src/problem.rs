//! What can be wrong with a workload file, each with the line and what to do.

use crate::data::file::DataError;
use crate::data::number::NumberError;
use crate::data::show::SliceError;
use crate::nearest::nearest;
use crate::param::{BindError, BindProblem};
use crate::value::BufferError;
use std::path::PathBuf;
use thiserror::Error;

/// A problem at a place of a file.
#[derive(Debug, Error)]
#[error("cannot use '{}'{}: {problem}", path.display(), At(*line))]
pub struct WorkloadError {
    /// The workload file.
    pub path: PathBuf,
    /// The line, from 1; 0 where the problem is nowhere in particular.
    pub line: usize,
    /// What is wrong.
    #[source]
    pub problem: Box<Problem>,
}

struct At(usize);

impl std::fmt::Display for At {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0 == 0 { Ok(()) } else { write!(f, ", line {}", self.0) }
    }
}

/// What is wrong.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the line above a variant says what it is about")]
pub enum Problem {
    /// Not TOML, or a value of the wrong type.
    #[error("{message}")]
    Toml { message: String },
    /// A key that does not exist there.
    #[error("unknown key `{key}`")]
    Key { key: String, valid: Vec<String> },
    /// A name that nothing has.
    #[error("there is no {what} called `{name}`")]
    Name { what: &'static str, name: String, valid: Vec<String> },
    /// None or several of keys that exclude one another.
    #[error("{what} needs exactly one of {keys}, and has {have}")]
    ExactlyOne { what: String, keys: &'static str, have: String },
    /// A key that another one makes meaningless.
    #[error("`{key}` does not go with {what}")]
    Misplaced { key: &'static str, what: &'static str },
    /// A key that must be there.
    #[error("{what} needs `{key}`")]
    Missing { what: String, key: &'static str },
    /// A word other than those that are possible.
    #[error("`{word}` is no {what}")]
    Word { what: &'static str, word: String, valid: Vec<String> },
    /// Two commands of the same name.
    #[error("two commands are called `{name}`")]
    Duplicate { name: String },
    /// Something that nothing uses.
    #[error("the {what} `{name}` is used by no command, output or expectation")]
    Unused { what: &'static str, name: String },
    /// Commands that wait for one another.
    #[error("commands wait for one another: {}", .names.join(" -> "))]
    Cycle { names: Vec<String> },
    /// `like` that leads back to itself.
    #[error("buffers are like one another: {}", .names.join(" -> "))]
    LikeCycle { names: Vec<String> },
    /// A size that is no size.
    #[error("`{key}` is a whole number or a list of one to three, {least} or more each")]
    Sizes { key: &'static str, least: u64 },
    /// Global and local size of different dimension.
    #[error("`{key}` has {have} dimensions, and `global` has {want}")]
    Dimensions { key: &'static str, have: usize, want: usize },
    /// An argument of a TOML type that means nothing.
    #[error("argument `{name}` is a number, a list of numbers, or a text: a buffer's name or a value")]
    ArgumentType { name: String },
    /// Numbers that are none.
    #[error("`{key}` is a number or a list of numbers")]
    Numbers { key: &'static str },
    /// A number that does not fit the type.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// A list that does not make whole vectors.
    #[error("{have} numbers are no whole number of {element} elements")]
    Ragged { have: usize, element: String },
    /// A formula that cannot be evaluated.
    #[error("`{key}`: {reason}")]
    Formula { key: &'static str, reason: String },
    /// A copy or fill beyond the end.
    #[error("`{buffer}` has {have} elements, and elements {start}..{end} are {done}")]
    Beyond { buffer: String, have: u64, start: u64, end: u64, done: &'static str },
    /// A copy between unlike buffers.
    #[error("`{from}` has elements of type {from_type}, `{to}` of type {to_type}")]
    CopyTypes { from: String, from_type: String, to: String, to_type: String },
    /// A fill with anything but one element.
    #[error("`value` must be one {element} element")]
    FillValue { element: String },
    /// A parameter without an argument.
    #[error("{what} lacks `{name}` ({type_name})")]
    Parameter { what: String, name: String, type_name: String },
    /// Numbers where a buffer is needed.
    #[error("parameter `{parameter}` points to a buffer: declare one under [buffers] and name it here")]
    Unnamed { parameter: String },
    /// An argument that does not fit its parameter.
    #[error(transparent)]
    Bind(BindError),
    /// Elements to print that do not exist.
    #[error(transparent)]
    Print(SliceError),
    /// What is expected cannot be had.
    #[error(transparent)]
    Expected(BufferError),
    /// What is expected is of another type.
    #[error("buffer `{buffer}` has elements of type {have}, and {want} are expected")]
    ExpectedType { buffer: String, want: String, have: String },
    /// A slice that is none.
    #[error("`{text}` is no range of elements")]
    Slice { text: String },
    /// A share outside of 0 to 1, or a negative tolerance.
    #[error("`{key}` is a number from 0 {to}")]
    Share { key: &'static str, to: &'static str },
    /// A buffer that would be too large.
    #[error("buffer `{name}` would take more than 64 GiB")]
    TooLarge { name: String },
    /// A data file that cannot be used.
    #[error(transparent)]
    Data(#[from] DataError),
}

impl Problem {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        let choose = |word: &str, valid: &[String]| match nearest(word, valid.iter().map(String::as_str)) {
            Some(near) => Some(format!("did you mean `{near}`?")),
            None if valid.is_empty() => None,
            None => Some(format!("valid here: {}", valid.join(", "))),
        };
        match self {
            Problem::Key { key, valid } => choose(key, valid),
            Problem::Name { name, valid, .. } => choose(name, valid),
            Problem::Word { word, valid, .. } => choose(word, valid),
            Problem::Duplicate { .. } => Some("give one of them a `name` of its own".to_owned()),
            Problem::Unused { .. } => Some("remove it, or give it to a command".to_owned()),
            Problem::Cycle { .. } => {
                Some("in an in-order queue a command also waits for the one before it in the file".to_owned())
            }
            Problem::Slice { .. } => Some("for example: print = \"0..8\"".to_owned()),
            Problem::Formula { .. } => Some(super::formula::HELP.to_owned()),
            Problem::Data(error) | Problem::Expected(BufferError::File(error)) => error.help(),
            Problem::Bind(error) => match &*error.problem {
                BindProblem::ElementType { want, .. } => Some(format!("give the buffer type = \"{want}\"")),
                _ => None,
            },
            _ => None,
        }
    }
}

impl WorkloadError {
    /// The error that the TOML reader reports, with an unknown key recognised as one.
    pub fn from_toml(path: PathBuf, text: &str, error: &toml::de::Error) -> Self {
        let line = error.span().map_or(0, |span| line_of(text, span.start));
        let message = error.message().trim().to_owned();
        let problem = unknown_key(&message).unwrap_or(Problem::Toml { message });
        Self { path, line, problem: Box::new(problem) }
    }
}

/// The line, from 1, that holds a byte.
pub fn line_of(text: &str, at: usize) -> usize {
    1 + text.as_bytes().iter().take(at).filter(|b| **b == b'\n').count()
}

/// Serde's words for an unknown field name it in backquotes, and after it the valid ones.
fn unknown_key(message: &str) -> Option<Problem> {
    let rest = message.strip_prefix("unknown field ")?;
    let mut words = rest.split('`').skip(1).step_by(2).map(str::to_owned);
    Some(Problem::Key { key: words.next()?, valid: words.collect() })
}
