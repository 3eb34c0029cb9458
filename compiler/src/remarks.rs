//! Remarks on plans as text, with the words of the source that they are about.
//!
//! In: what the work-group compiler remarks of a kernel, and the sources. Out: for each kernel the plan's first line, then one line a
//! remark, in the order of the source, as compilers write places: `k.cl:6:10: load a[i * m]: gather; 17.4 cycles, 50 %`. What a
//! place says is looked up in the sources of the request; of other files only the place is shown.

use std::fmt::Write as _;

use oxcl_workgroup::{Formed, REMARK_ON_KERNEL, Remark};

use crate::request::SourceFile;

/// The longest piece of source that is shown.
const LONGEST: usize = 60;

/// The remarks on one kernel.
pub(crate) fn text(sources: &[SourceFile], formed: &Formed) -> String {
    // Writing to a string cannot fail.
    let mut text = String::new();
    let _ = writeln!(text, "{}", formed.plan_report.lines().next().unwrap_or_default());
    let declined = formed.remarks.iter().any(|remark| remark.subject == REMARK_ON_KERNEL);
    if formed.width == 1 && !formed.remarks.is_empty() && !declined {
        text.push_str("  one work-item at a time takes least, by the costs; with vectors it would be:\n");
    }
    for remark in &formed.remarks {
        text.push_str(&line(sources, remark));
    }
    text
}

fn line(sources: &[SourceFile], remark: &Remark) -> String {
    let Remark { location, subject, became, tenths, percent, help } = remark;
    let mut text = String::from("  ");
    let mut words = String::new();
    if let Some(at) = location {
        let source = source(sources, &at.file);
        let name = source.map_or(at.file.as_str(), |source| source.name.as_str());
        let _ = write!(text, "{name}:{}:", at.line);
        if at.column != 0 {
            let _ = write!(text, "{}:", at.column);
        }
        text.push(' ');
        let of_line = source.and_then(|source| source.text.lines().nth(at.line as usize - 1));
        let found = of_line.and_then(|line| expression(line, at.column, subject));
        words = found.map(|words| format!(" {}", shortened(&words))).unwrap_or_default();
    }
    // A call is shown with its function's name.
    let subject = if words.is_empty() { subject } else { subject.split(" of ").next().unwrap_or(subject) };
    let _ = write!(text, "{subject}{words}: {became}");
    if *tenths > 0 {
        // What ends so says what the cycles are of.
        let separator =
            if became.ends_with("a round takes") || became.ends_with("which take") { "" } else { ";" };
        let _ = write!(text, "{separator} {}.{} cycles, {percent} %", tenths / 10, tenths % 10);
    }
    text.push('\n');
    if let Some(help) = help {
        let _ = writeln!(text, "    help: {help}");
    }
    text
}

/// The source that the front end calls by this path, which it may have made a whole one.
fn source<'s>(sources: &'s [SourceFile], path: &str) -> Option<&'s SourceFile> {
    if path.is_empty() {
        return sources.first();
    }
    sources.iter().find(|source| {
        let name = source.name.trim_start_matches("./");
        path == source.name || path.strip_suffix(name).is_some_and(|rest| rest.ends_with('/'))
    })
}

fn shortened(words: &str) -> String {
    if words.chars().count() <= LONGEST {
        return words.to_owned();
    }
    let kept: String = words.chars().take(LONGEST).collect();
    format!("{kept}...")
}

/// The piece of a line that a column points into: an access or call with all that belongs to it, the head of a loop or branch;
/// none where the column points to an operator.
fn expression(line: &str, column: u32, subject: &str) -> Option<String> {
    let at = usize::try_from(column).ok()?.checked_sub(1)?;
    let bytes = line.as_bytes();
    let first = *bytes.get(at)?;
    if matches!(subject, "branch" | "loop") {
        let rest = line.get(at..)?;
        let word = &rest[..word_end(rest.as_bytes(), 0)];
        return match word {
            "for" | "while" | "if" | "do" | "switch" => {
                Some(rest[..postfix_end(rest.as_bytes(), word.len())].trim().to_owned())
            }
            _ => Some(line.trim().trim_end_matches([' ', '{']).to_owned()),
        };
    }
    if subject == "division" {
        return None;
    }
    // What is stored to stands in front of the operator.
    if subject == "store" && matches!(first, b'=' | b'+' | b'-' | b'/' | b'%' | b'&' | b'|' | b'^') {
        let before = line.get(..at)?;
        let begin = before.rfind([';', '{', '}', ',']).map_or(0, |end| end + 1);
        return Some(before[begin..].trim().to_owned()).filter(|words| !words.is_empty());
    }
    let start = if first == b'*' { at + 1 } else { at };
    if !bytes.get(start).is_some_and(|byte| is_word(*byte)) {
        return None;
    }
    let end = postfix_end(bytes, word_end(bytes, start));
    line.get(postfix_start(bytes, at)..end).map(str::to_owned)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn word_end(bytes: &[u8], from: usize) -> usize {
    from + bytes[from..].iter().take_while(|byte| is_word(**byte)).count()
}

/// Where what begins before `at` ends: subscripts, arguments and members included.
fn postfix_end(bytes: &[u8], mut at: usize) -> usize {
    loop {
        let blanks = bytes[at..].iter().take_while(|byte| **byte == b' ').count();
        match bytes.get(at + blanks) {
            Some(b'[' | b'(') => at = bracket_end(bytes, at + blanks),
            Some(b'.') if blanks == 0 => at = word_end(bytes, at + 1),
            Some(b'-') if blanks == 0 && bytes.get(at + 1) == Some(&b'>') => at = word_end(bytes, at + 2),
            _ => return at,
        }
    }
}

/// Behind the bracket that closes the one at `at`; the end of the line where none does.
fn bracket_end(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0_usize;
    for (number, byte) in bytes.iter().enumerate().skip(at) {
        match byte {
            b'[' | b'(' => depth += 1,
            b']' | b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return number + 1;
        }
    }
    bytes.len()
}

/// Where what a member belongs to begins.
fn postfix_start(bytes: &[u8], at: usize) -> usize {
    let operator =
        match (at.checked_sub(1).map(|last| bytes[last]), at.checked_sub(2).map(|last| bytes[last])) {
            (Some(b'.'), _) => 1,
            (Some(b'>'), Some(b'-')) => 2,
            _ => return at,
        };
    let mut start = at - operator;
    while start > 0 && matches!(bytes[start - 1], b']' | b')') {
        let mut depth = 0_usize;
        while start > 0 {
            start -= 1;
            match bytes[start] {
                b']' | b')' => depth += 1,
                b'[' | b'(' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    while start > 0 && is_word(bytes[start - 1]) {
        start -= 1;
    }
    postfix_start(bytes, start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_at_a_column_are_found() {
        for (line, at, subject, wanted) in [
            ("  s += a[i * m + j] * b[j];", "a[", "load", Some("a[i * m + j]")),
            ("  s += a[i * m + j] * b[j];", "b[", "load", Some("b[j]")),
            ("  s += a[i] * b[j];", "+=", "load", None),
            ("  v = 1; s[k] += a[i];", "+=", "store", Some("s[k]")),
            ("  v = p[i].at[k].x + 1;", "x +", "load", Some("p[i].at[k].x")),
            ("  v = q->next->x;", "x;", "load", Some("q->next->x")),
            ("  *p = v;", "*p", "store", Some("*p")),
            ("  v = vload4(i, a + b[i]);", "vload4", "call of vload4", Some("vload4(i, a + b[i])")),
            ("  v = a[i +", "a[", "load", Some("a[i +")),
            (
                "  for (int j = 0; j < (n); ++j) s += a[j];",
                "for",
                "loop",
                Some("for (int j = 0; j < (n); ++j)"),
            ),
            ("  if (v & 1) w = 2;", "& 1", "branch", Some("if (v & 1) w = 2;")),
            ("  v = w / x;", "/ x", "division", None),
        ] {
            let column = line.find(at).unwrap() as u32 + 1;
            assert_eq!(expression(line, column, subject).as_deref(), wanted, "{line}");
        }
        assert_eq!(expression("x", 7, "load"), None);
        assert_eq!(expression("x", 0, "load"), None);
    }
}
