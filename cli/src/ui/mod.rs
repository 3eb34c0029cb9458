//! The terminal: results on standard output, everything else on standard error, colour only where wanted. The only
//! place that prints.

pub(crate) mod chart;
pub(crate) mod progress;
pub(crate) mod table;
pub(crate) mod timeline;

use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::interrupt;
use clap::ValueEnum;
use serde::Serialize;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;
use std::time::Duration;

/// When messages have colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set; always with CLICOLOR_FORCE
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How the user wants to be talked to.
#[derive(Debug)]
pub(crate) struct Ui {
    /// Results are one JSON object, messages are JSON lines.
    pub(crate) json: bool,
    /// No notes and no progress.
    pub(crate) quiet: bool,
    /// Notes on what is done.
    pub(crate) verbose: bool,
    /// Times of the stages.
    pub(crate) time: bool,
    /// Messages have colour.
    pub(crate) color: bool,
}

impl Ui {
    /// Settles colour for messages, which go to standard error.
    pub(crate) fn new(json: bool, quiet: bool, verbose: bool, time: bool, color: ColorChoice) -> Self {
        let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
        let color = match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if set("NO_COLOR") => false,
            ColorChoice::Auto if set("CLICOLOR_FORCE") => true,
            ColorChoice::Auto => io::stderr().is_terminal(),
        };
        Self { json, quiet, verbose, time, color: color && !json }
    }

    /// Writes a result; `text` ends with a newline.
    pub(crate) fn result(&mut self, text: &str) -> Result<(), CliError> {
        self.result_bytes(text.as_bytes())
    }

    /// Writes a result that may be no text.
    pub(crate) fn result_bytes(&mut self, bytes: &[u8]) -> Result<(), CliError> {
        if interrupt::is_progress_shown() {
            // It may stand on the same terminal, and comes back below.
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
        let mut out = io::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush()).map_err(|source| match source.kind() {
            io::ErrorKind::BrokenPipe => CliError::ClosedPipe,
            _ => CliError::Write { path: Path::new("standard output").to_owned(), source },
        })
    }

    /// Writes the one object of `--json`.
    pub(crate) fn json(&mut self, kind: &str, data: &impl Serialize) -> Result<(), CliError> {
        let mut text = object(kind, data)?;
        text.push('\n');
        self.result(&text)
    }

    /// A line of JSON for standard error.
    pub(crate) fn json_message(&mut self, kind: &str, data: &impl Serialize) {
        if let Ok(line) = object(kind, data) {
            self.message(&line);
        }
    }

    /// Something that the user might want to know.
    pub(crate) fn note(&mut self, text: &str) {
        if !self.quiet && !self.json {
            self.message(text);
        }
    }

    /// Something that only a curious user wants to know.
    pub(crate) fn detail(&mut self, text: &str) {
        if self.verbose && !self.json {
            self.message(text);
        }
    }

    /// Lines for standard error as they are; whoever has closed it wants none.
    pub(crate) fn message(&mut self, text: &str) {
        let clear = if interrupt::is_progress_shown() { "\r\x1b[K" } else { "" };
        let _ = writeln!(io::stderr().lock(), "{clear}{}", text.trim_end_matches('\n'));
    }

    /// The line of JSON that tells why a command failed.
    fn json_failure(&mut self, exit: Exit, code: &str, message: &str, help: Option<&str>) {
        if let Ok(line) = failure(exit, code, message, help) {
            self.message(&line);
        }
    }

    /// Says what the command line's parser found.
    pub(crate) fn usage(&mut self, error: &clap::Error) {
        let text = error.render().to_string();
        let mut paragraphs = text.trim().split("\n\n").map(str::trim);
        let message = paragraphs.next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message).replace('\n', " ");
        let tip = paragraphs.find_map(|paragraph| paragraph.strip_prefix("tip: "));
        self.json_failure(Exit::Usage, error::USAGE, &message, tip);
    }

    /// What is said when the process is interrupted.
    pub(crate) fn interruption(&self) -> String {
        const MESSAGE: &str = "interrupted";
        match (self.json, self.quiet) {
            // Of these words there is always an object.
            (true, _) => {
                failure(Exit::Interrupted, error::INTERRUPTED, MESSAGE, None).unwrap_or_default() + "\n"
            }
            (false, true) => String::new(),
            (false, false) => format!("{} {MESSAGE}\n", self.paint("1;31", "oxcl:")),
        }
    }

    /// Says why a command failed.
    pub(crate) fn error(&mut self, error: &CliError) {
        if matches!(error, CliError::ClosedPipe) {
            return;
        }
        if self.json {
            let text = error.text();
            self.json_failure(error.exit(), error.code(), &text, error.help().as_deref());
            return;
        }
        let text = error.text();
        let help = error.help().map(|h| format!("\n{} {h}", self.paint("1;36", "help:"))).unwrap_or_default();
        let label = self.paint("1;31", "oxcl:");
        self.message(&format!("{label} {text}{help}"));
    }

    /// The times of stages, for `--time`.
    pub(crate) fn times(&mut self, stages: &[(String, Duration)]) {
        if !self.time || self.json {
            return;
        }
        let mut table = table::Table::new(&["stage", "time"]).right(1);
        for (name, spent) in stages {
            table.row(vec![name.clone(), table::duration(*spent)]);
        }
        let total = stages.iter().map(|(_, spent)| *spent).sum();
        table.row(vec!["total".to_owned(), table::duration(total)]);
        self.message(&table.to_string());
    }

    fn paint(&self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// A fault of ours as JSON.
pub(crate) fn fault(message: &str, help: &str) -> Option<String> {
    failure(Exit::Internal, error::INTERNAL, message, Some(help)).ok()
}

/// An error as JSON: the exit code, the code of what the message names as the cause, or else of the command's failure, the message,
/// and what can be done.
fn failure(exit: Exit, code: &str, message: &str, help: Option<&str>) -> Result<String, CliError> {
    let data = serde_json::json!({
        "exit": exit as u8,
        "code": code_of(message).unwrap_or(code),
        "message": message,
        "help": help,
    });
    object("error", &data)
}

/// The code that stands in brackets in a message, as `docs/errors.md` says that it does; the last one names the cause.
fn code_of(message: &str) -> Option<&str> {
    let (_, rest) = message.rsplit_once("[OX")?;
    let digits = rest.get(..4)?;
    let end = message.len() - rest.len() + 4;
    (rest[4..].starts_with(']') && digits.bytes().all(|digit| digit.is_ascii_digit()))
        .then(|| &message[end - 6..end])
}

fn object(kind: &str, data: &impl Serialize) -> Result<String, CliError> {
    #[derive(Serialize)]
    struct Object<'a, T> {
        schema: u32,
        kind: &'a str,
        data: &'a T,
    }
    serde_json::to_string(&Object { schema: 1, kind, data })
        .map_err(|e| CliError::Internal { message: format!("the result cannot be written as JSON: {e}") })
}

#[cfg(test)]
mod tests {
    use super::code_of;

    #[test]
    fn codes_are_found_in_messages() {
        assert_eq!(code_of("no device [OX0501]"), Some("OX0501"));
        assert_eq!(code_of("a [OX0710]: b [OX0201]"), Some("OX0201"));
        for none in ["", "[OX]", "[OX05", "[OX05ab]", "OX0501", "[OX0501"] {
            assert_eq!(code_of(none), None, "{none}");
        }
    }
}
