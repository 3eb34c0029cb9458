//! What the front end has to say about a source: structured, with the text it speaks of, so that a caller can show it
//! to a person ([`render`](crate::render)) or hand it on as data.
//!
//! Notes (clang's own, the chain of macros, the chain of includes) belong to the message they explain. Positions are
//! bytes: offset from 0, line and column from 1; lines are as `#line` presents them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How grave a message is, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Explains the message that it belongs to.
    Note,
    /// For information.
    Remark,
    /// The source compiles, but is suspect.
    Warning,
    /// The source is rejected.
    Error,
    /// The source is rejected and was not read to its end.
    Fatal,
}

impl Severity {
    /// The word that messages begin with.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Remark => "remark",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Fatal => "fatal error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// Bytes from the file's beginning.
    pub offset: u32,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

/// A piece of a file, `end` exclusive; empty where something is to be inserted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub begin: Position,
    /// The byte behind the last.
    pub end: Position,
}

/// Where a message points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    /// Name of the file, as the source was named or included.
    pub file: String,
    /// The caret.
    pub position: Position,
    /// The whole line that the caret is in, without its end.
    pub source_line: String,
    /// What is underlined, in the same file.
    pub spans: Vec<Span>,
}

/// A change that would mend the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixIt {
    /// What is replaced.
    pub span: Span,
    /// By what; may be empty.
    pub text: String,
}

/// One message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// How grave it is.
    pub severity: Severity,
    /// What is wrong, in clang's words.
    pub message: String,
    /// The warning's option without `-W`, if one controls it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub option: Option<String>,
    /// Where; `None` if it is about the compilation as a whole.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub location: Option<Location>,
    /// How to mend it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub fix_its: Vec<FixIt>,
    /// What explains it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub notes: Vec<Diagnostic>,
}

impl Diagnostic {
    /// A message without a place.
    #[must_use]
    pub fn new(severity: Severity, message: impl Into<String>) -> Self {
        Self {
            severity,
            message: message.into(),
            option: None,
            location: None,
            fix_its: Vec::new(),
            notes: Vec::new(),
        }
    }
}

/// All messages of one compilation, in the order in which clang met them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Diagnostics {
    /// The messages.
    pub items: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Nothing was said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// How many messages reject the source.
    #[must_use]
    pub fn error_count(&self) -> usize {
        self.items.iter().filter(|d| d.severity >= Severity::Error).count()
    }

    /// How many warnings there are.
    #[must_use]
    pub fn warning_count(&self) -> usize {
        self.items.iter().filter(|d| d.severity == Severity::Warning).count()
    }

    /// The first message that rejects the source.
    #[must_use]
    pub fn first_error(&self) -> Option<&Diagnostic> {
        self.items.iter().find(|d| d.severity >= Severity::Error)
    }

    /// Takes the next message in: a note joins the message before it.
    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        match self.items.last_mut() {
            Some(last) if diagnostic.severity == Severity::Note => last.notes.push(diagnostic),
            _ => self.items.push(diagnostic),
        }
    }
}

/// Plain text, without colour.
impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::render::render(self, crate::render::Colour::Never))
    }
}
