//! Architecture definition files: XML text to [`Machine`] and back.
//!
//! In: the text of an ADF as OpenASIP writes it. Out: a [`Machine`] in which every name is resolved, or an error with the
//! line and column of what is wrong. What we do not support is refused by name; what a machine can do without is
//! ignored and named in [`Loaded::ignored`]. Whether the machine makes sense is [`crate::validate`]'s question.

mod dom;
mod read;
mod units;
mod write;

use crate::model::Machine;

pub use write::write;

/// A place in a file, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The column, in bytes.
    pub column: usize,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a file is not a machine that we can load.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {problem}")]
pub struct AdfError {
    /// Where.
    pub place: Place,
    /// What.
    pub problem: AdfProblem,
}

/// What is wrong at a place of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AdfProblem {
    /// The text is no well-formed XML.
    #[error("not well-formed XML: {message}")]
    Xml {
        /// What the XML reader says.
        message: String,
    },
    /// The root element is another than `<adf>`.
    #[error("the root element is '<{found}>', not '<adf>'")]
    NotAdf {
        /// The tag found.
        found: String,
    },
    /// An element that no ADF has in this place.
    #[error("'<{child}>' is not known inside '<{parent}>'")]
    UnknownElement {
        /// The element around it.
        parent: String,
        /// The element.
        child: String,
    },
    /// An element lacks a part.
    #[error("'<{parent}>' lacks '<{child}>'")]
    MissingElement {
        /// The element.
        parent: String,
        /// What it lacks.
        child: &'static str,
    },
    /// An element lacks its name.
    #[error("'<{element}>' has no name")]
    MissingName {
        /// The element.
        element: String,
    },
    /// A number that is none, or is out of range.
    #[error("'{text}' in '<{element}>' is not a number in range")]
    BadNumber {
        /// The element.
        element: String,
        /// What stands there.
        text: String,
    },
    /// A word that is not among those allowed.
    #[error("'{text}' in '<{element}>' is not one of {allowed}")]
    BadWord {
        /// The element.
        element: String,
        /// What stands there.
        text: String,
        /// What may stand there.
        allowed: &'static str,
    },
    /// A name that nothing has.
    #[error("there is no {what} named '{name}'")]
    UnknownName {
        /// The kind of thing.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// Two things of one kind share a name.
    #[error("there are two things of kind {what} named '{name}'")]
    Duplicate {
        /// The kind of thing.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A feature that we do not support.
    #[error("{feature} is not supported{}", .reason.map(|r| format!(": {r}")).unwrap_or_default())]
    Unsupported {
        /// The feature.
        feature: String,
        /// Why, where there is more to say.
        reason: Option<&'static str>,
    },
    /// A contradiction inside an element.
    #[error("{message}")]
    Contradiction {
        /// What contradicts what.
        message: String,
    },
    /// More things of a kind than an index can name.
    #[error("the machine has more than 65535 things of kind {what}")]
    TooMany {
        /// The kind of thing.
        what: &'static str,
    },
}

/// A machine that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// The machine.
    pub machine: Machine,
    /// Parts of the file that were left out because nothing here needs them, each with its place.
    pub ignored: Vec<(Place, String)>,
}

/// Reads the text of an ADF.
///
/// # Errors
/// The first thing in the file that is malformed, contradictory or not supported.
pub fn read(text: &str) -> Result<Loaded, AdfError> {
    read::machine(&dom::parse(text)?)
}
