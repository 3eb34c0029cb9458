//! Shows diagnostics to a person: message, place, the source line with what is meant underlined, the fix, the notes.
//!
//! Columns are counted in characters and tabs are widened, so the underline stands below its text; characters of
//! double width are not known here.

use crate::diagnostics::{Diagnostic, Diagnostics, FixIt, Location, Severity};

/// Whether terminal colours are put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Text only.
    Never,
    /// ANSI escapes around the labels.
    Always,
}

const TAB: &str = "    ";
const RESET: &str = "\x1b[0m";
const BLUE: &str = "\x1b[1;34m";
const GREEN: &str = "\x1b[1;32m";

fn severity_colour(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "\x1b[1;36m",
        Severity::Remark => BLUE,
        Severity::Warning => "\x1b[1;33m",
        Severity::Error | Severity::Fatal => "\x1b[1;31m",
    }
}

/// The text of all messages, each followed by an empty line, and a last line that counts them.
#[must_use]
pub fn render(diagnostics: &Diagnostics, colour: Colour) -> String {
    let mut out = String::new();
    for diagnostic in &diagnostics.items {
        out.push_str(&render_one(diagnostic, colour));
        out.push('\n');
    }
    let counts: Vec<String> =
        [(diagnostics.error_count(), "error"), (diagnostics.warning_count(), "warning")]
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}{}", if count == 1 { "" } else { "s" }))
            .collect();
    if !counts.is_empty() {
        out.push_str(&counts.join(" and "));
        out.push('\n');
    }
    out
}

/// The text of one message and its notes.
#[must_use]
pub fn render_one(diagnostic: &Diagnostic, colour: Colour) -> String {
    let mut painter = Painter { out: String::new(), colour };
    painter.message(diagnostic);
    for note in &diagnostic.notes {
        painter.message(note);
    }
    painter.out
}

struct Painter {
    out: String,
    colour: Colour,
}

impl Painter {
    fn paint(&mut self, colour: &str, text: &str) {
        match self.colour {
            Colour::Never => self.out.push_str(text),
            Colour::Always => {
                self.out.push_str(colour);
                self.out.push_str(text);
                self.out.push_str(RESET);
            }
        }
    }

    fn message(&mut self, diagnostic: &Diagnostic) {
        let colour = severity_colour(diagnostic.severity);
        self.paint(colour, diagnostic.severity.word());
        self.out.push_str(": ");
        self.out.push_str(&diagnostic.message);
        if let Some(option) = diagnostic.option.as_deref().filter(|option| !option.is_empty()) {
            self.out.push_str(&format!(" [-W{option}]"));
        }
        self.out.push('\n');
        let Some(location) = &diagnostic.location else { return };
        let number = location.position.line.to_string();
        let gutter = " ".repeat(number.len());
        self.out.push_str(&gutter);
        self.paint(BLUE, "-->");
        let place = format!(" {}:{}:{}\n", location.file, location.position.line, location.position.column);
        self.out.push_str(&place);
        if location.source_line.trim().is_empty() {
            return;
        }
        let line = Line::new(&location.source_line);
        self.gutter(&gutter, "");
        self.gutter(&number, &line.shown);
        self.out.push_str(&gutter);
        self.paint(BLUE, " | ");
        self.paint(colour, &underline(&line, location));
        self.out.push('\n');
        self.fixes(&gutter, &number, location, &diagnostic.fix_its);
    }

    fn gutter(&mut self, label: &str, text: &str) {
        if text.is_empty() {
            self.paint(BLUE, &format!("{label} |"));
        } else {
            self.paint(BLUE, &format!("{label} | "));
            self.out.push_str(text);
        }
        self.out.push('\n');
    }

    /// Shows the line with all changes made, and says in words what they are.
    fn fixes(&mut self, gutter: &str, number: &str, location: &Location, fixes: &[FixIt]) {
        let here = location.position.line;
        let column = |at: u32| at.saturating_sub(1) as usize;
        let mut mended = location.source_line.clone();
        let mut advice = Vec::new();
        let mut in_order: Vec<&FixIt> = fixes.iter().collect();
        in_order.sort_by_key(|fix| fix.span.begin.offset);
        // From the end of the line, so that the columns before stay right.
        for fix in in_order.into_iter().rev() {
            let range = column(fix.span.begin.column)..column(fix.span.end.column);
            let one_line = fix.span.begin.line == here && fix.span.end.line == here;
            let (Some(old), true) = (location.source_line.get(range.clone()), one_line) else { return };
            advice.push(match (old.is_empty(), fix.text.is_empty()) {
                (true, _) => format!("add '{}'", fix.text),
                (false, true) => format!("remove '{old}'"),
                (false, false) => format!("write '{}' instead of '{old}'", fix.text),
            });
            if mended.get(range.clone()).is_none() {
                return;
            }
            mended.replace_range(range, &fix.text);
        }
        if advice.is_empty() {
            return;
        }
        advice.reverse();
        self.out.push_str(gutter);
        self.paint(BLUE, " = ");
        self.paint(GREEN, "help");
        self.out.push_str(&format!(": {}\n", advice.join(", ")));
        let mended = Line::new(&mended);
        self.gutter(gutter, "");
        self.gutter(number, &mended.shown);
    }
}

/// A source line as shown, with the column at which each of its bytes stands.
struct Line {
    shown: String,
    columns: Vec<usize>,
}

impl Line {
    fn new(text: &str) -> Self {
        let mut shown = String::new();
        let mut columns = Vec::with_capacity(text.len() + 1);
        let mut column = 0;
        for character in text.chars() {
            columns.extend(std::iter::repeat_n(column, character.len_utf8()));
            if character == '\t' {
                shown.push_str(TAB);
                column += TAB.len();
            } else {
                shown.push(if character.is_control() { ' ' } else { character });
                column += 1;
            }
        }
        columns.push(column);
        shown.truncate(shown.trim_end().len());
        Self { shown, columns }
    }

    /// The column of the byte at `column - 1`; behind the end: the end.
    fn column(&self, column: u32) -> usize {
        let byte = (column.saturating_sub(1) as usize).min(self.columns.len() - 1);
        self.columns[byte]
    }

    fn end(&self) -> usize {
        self.columns[self.columns.len() - 1]
    }
}

fn underline(line: &Line, location: &Location) -> String {
    let mut marks = vec![' '; line.end() + 1];
    let here = location.position.line;
    for span in &location.spans {
        // A span of several lines is shown as far as it lies in this one.
        let from = if span.begin.line == here {
            line.column(span.begin.column)
        } else if span.begin.line < here {
            0
        } else {
            continue;
        };
        let to = if span.end.line == here {
            line.column(span.end.column)
        } else if span.end.line > here {
            line.end()
        } else {
            continue;
        };
        for mark in marks.iter_mut().take(to).skip(from) {
            *mark = '~';
        }
    }
    marks[line.column(location.position.column)] = '^';
    let text: String = marks.into_iter().collect();
    text.trim_end().to_owned()
}
