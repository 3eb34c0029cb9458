//! Tokens of C, as far as changing a text needs them: where each begins and ends. The test suite's `metamorphic.rs` has this file too.
//!
//! Any text has tokens: a comment or literal without an end goes to the end of its line or of the text.

use std::ops::Range;

/// The tokens of a text, without the blanks between them. A comment is one, and so is a line for the preprocessor with
/// those that continue it.
pub(super) fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let length = match first {
            _ if first.is_whitespace() => {
                at += first.len_utf8();
                continue;
            }
            '"' | '\'' => literal(&text[at..], first),
            '/' if text[at..].starts_with("//") => until(&text[at..], "\n"),
            '/' if text[at..].starts_with("/*") => {
                text[at..].find("*/").map_or(text.len() - at, |end| end + 2)
            }
            '#' => preprocessor(&text[at..]),
            _ if is_word(first) => run(&text[at..], |c| is_word(c) || c == '.'),
            _ => first.len_utf8(),
        };
        // A name does not go on behind a point; a number does.
        let length = if first.is_ascii_digit() || !is_word(first) {
            length
        } else {
            text[at..at + length].find('.').unwrap_or(length)
        };
        found.push(at..at + length);
        at += length;
    }
    found
}

/// Whether a token is a number.
pub(super) fn is_number(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn run(text: &str, of: impl Fn(char) -> bool) -> usize {
    text.find(|c| !of(c)).unwrap_or(text.len())
}

fn until(text: &str, end: &str) -> usize {
    text.find(end).unwrap_or(text.len())
}

fn preprocessor(text: &str) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        length += line.len();
        if !line.trim_end().ends_with('\\') {
            break;
        }
    }
    text[..length].trim_end_matches('\n').len()
}

fn literal(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::tokens;

    fn words(text: &str) -> Vec<&str> {
        tokens(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn every_sort() {
        assert_eq!(words("a.x += 1.5f; // end"), ["a", ".", "x", "+", "=", "1.5f", ";", "// end"]);
        assert_eq!(
            words("#define A \"b\\\"c\"\n'\\''/* x */y"),
            ["#define A \"b\\\"c\"", "'\\''", "/* x */", "y"]
        );
        assert_eq!(words("\"open\nx"), ["\"open", "x"]);
        assert_eq!(words("#define A \\\n b\nc"), ["#define A \\\n b", "c"]);
    }
}
