//! Makes a source smaller for as long as a test of its user's still says yes.
//!
//! In: a text for which the test says yes. Out: a text for which it says yes too, of which nothing that is tried here can
//! be taken away. Steps are: lines, blocks and statements, groups in parentheses, tokens, shorter tokens, letters of
//! comments and literals, blanks. The test may say anything about texts that are no program any more; only its answer counts.

mod tokens;

use std::collections::HashSet;
use std::ops::Range;

use tokens::{is_number, tokens};

/// Something to try: a text without a part, or with a part replaced.
type Edit = (Range<usize>, String);

/// Reduces a text. `holds` is the test; `better` hears of every smaller text for which it holds.
///
/// # Errors
/// What `holds` and `better` fail with.
pub(crate) fn reduce<E>(
    text: &str,
    holds: &mut dyn FnMut(&str) -> Result<bool, E>,
    better: &mut dyn FnMut(&str) -> Result<(), E>,
) -> Result<String, E> {
    let mut state = State { best: text.to_owned(), tried: HashSet::new(), holds, better };
    loop {
        let before = state.best.clone();
        state.chunks(&lines)?;
        state.edits(&blocks)?;
        state.edits(&statements)?;
        state.edits(&groups)?;
        state.chunks(&token_ranges)?;
        state.edits(&shorter)?;
        state.chunks(&letters)?;
        state.edits(&blanks)?;
        if state.best == before {
            return Ok(state.best);
        }
    }
}

struct State<'a, E> {
    best: String,
    tried: HashSet<String>,
    holds: &'a mut dyn FnMut(&str) -> Result<bool, E>,
    better: &'a mut dyn FnMut(&str) -> Result<(), E>,
}

impl<E> State<'_, E> {
    fn accepts(&mut self, candidate: String) -> Result<bool, E> {
        if candidate == self.best || !self.tried.insert(candidate.clone()) {
            return Ok(false);
        }
        if !(self.holds)(&candidate)? {
            return Ok(false);
        }
        (self.better)(&candidate)?;
        self.best = candidate;
        Ok(true)
    }

    /// Takes runs of neighbours away: half of all at first, then smaller runs down to one.
    fn chunks(&mut self, parts: &dyn Fn(&str) -> Vec<Range<usize>>) -> Result<(), E> {
        let mut length = parts(&self.best).len().div_ceil(2).max(1);
        loop {
            let mut at = 0;
            loop {
                let parts = parts(&self.best);
                if at >= parts.len() {
                    break;
                }
                let last = (at + length).min(parts.len()) - 1;
                let candidate = without(&self.best, parts[at].start..parts[last].end, "");
                if !self.accepts(candidate)? {
                    at += length;
                }
            }
            if length == 1 {
                return Ok(());
            }
            length = length.div_ceil(2);
        }
    }

    /// Tries edits one at a time, those of the largest parts first.
    fn edits(&mut self, find: &dyn Fn(&str) -> Vec<Edit>) -> Result<(), E> {
        let mut at = 0;
        loop {
            let mut edits = find(&self.best);
            edits.retain(|(range, by)| by.len() <= range.len());
            edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.len()));
            let Some((range, by)) = edits.get(at).cloned() else {
                return Ok(());
            };
            let candidate = without(&self.best, range, &by);
            if !self.accepts(candidate)? {
                at += 1;
            }
        }
    }
}

fn without(text: &str, range: Range<usize>, by: &str) -> String {
    format!("{}{by}{}", &text[..range.start], &text[range.end..])
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let range = start..start + line.len();
            start = range.end;
            range
        })
        .collect()
}

fn token_ranges(text: &str) -> Vec<Range<usize>> {
    tokens(text)
}

/// The letters of comments, literals and lines for the preprocessor, which are one token each.
fn letters(text: &str) -> Vec<Range<usize>> {
    let inside =
        |token: &Range<usize>| text[token.clone()].starts_with(['"', '\'', '/', '#']) && token.len() > 1;
    let of_token = |token: Range<usize>| {
        let letters = text[token.clone()].char_indices();
        letters.map(move |(at, letter)| token.start + at..token.start + at + letter.len_utf8())
    };
    tokens(text).into_iter().filter(inside).flat_map(of_token).collect()
}

/// Blanks between tokens: away, or one.
fn blanks(text: &str) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    let mut from = 0;
    for to in tokens(text).into_iter().chain(std::iter::once(text.len()..text.len())) {
        if from < to.start {
            edits.push((from..to.start, String::new()));
            if &text[from..to.start] != "\n" {
                edits.push((from..to.start, "\n".into()));
            }
        }
        from = to.end;
    }
    edits
}

/// Pairs of brackets of a kind, by their tokens' places.
fn pairs(text: &str, tokens: &[Range<usize>], open: &str, close: &str) -> Vec<(usize, usize)> {
    let mut stack = Vec::new();
    let mut pairs = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        if &text[token.clone()] == open {
            stack.push(index);
        } else if &text[token.clone()] == close {
            pairs.extend(stack.pop().map(|start| (start, index)));
        }
    }
    pairs
}

/// A block in braces: without what is in it, without its braces, or without it and what leads to it.
fn blocks(text: &str) -> Vec<Edit> {
    let tokens = tokens(text);
    let mut edits: Vec<Edit> = Vec::new();
    for (open, close) in pairs(text, &tokens, "{", "}") {
        edits.push((tokens[open].end..tokens[close].start, String::new()));
        let inside = &text[tokens[open].end..tokens[close].start];
        edits.push((tokens[open].start..tokens[close].end, inside.to_owned()));
        let start = leads(text, &tokens, open);
        edits.push((tokens[start].start..tokens[close].end, String::new()));
        edits.push((tokens[start].start..tokens[close].end, ";".into()));
        // What leads to the block goes, the block stays.
        if start < open {
            edits.push((tokens[start].start..tokens[open].start, String::new()));
        }
    }
    edits
}

/// The first token of what a brace at `open` belongs to.
fn leads(text: &str, tokens: &[Range<usize>], open: usize) -> usize {
    let mut depth = 0;
    for index in (0..open).rev() {
        match &text[tokens[index].clone()] {
            ")" => depth += 1,
            "(" => depth -= 1,
            ";" | "{" | "}" if depth == 0 => return index + 1,
            _ => {}
        }
    }
    0
}

/// Statements that end with a semicolon.
fn statements(text: &str) -> Vec<Edit> {
    let tokens = tokens(text);
    let mut edits: Vec<Edit> = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        if &text[token.clone()] == ";" {
            let start = leads(text, &tokens, index);
            edits.push((tokens[start].start..token.end, String::new()));
        }
    }
    edits
}

/// Groups in parentheses or brackets: away, empty, or a number.
fn groups(text: &str) -> Vec<Edit> {
    let tokens = tokens(text);
    let mut edits: Vec<Edit> = Vec::new();
    for (open, close) in pairs(text, &tokens, "(", ")").into_iter().chain(pairs(text, &tokens, "[", "]")) {
        let whole = tokens[open].start..tokens[close].end;
        edits.push((whole.clone(), String::new()));
        edits.push((whole, "0".into()));
        edits.push((tokens[open].end..tokens[close].start, String::new()));
        edits.push((tokens[open].end..tokens[close].start, "0".into()));
        // With the name before it, as a call has one.
        if open > 0 {
            edits.push((tokens[open - 1].start..tokens[close].end, "0".into()));
        }
    }
    edits
}

/// Numbers that are shorter, and names that are numbers.
fn shorter(text: &str) -> Vec<Edit> {
    let mut edits: Vec<Edit> = Vec::new();
    for token in tokens(text) {
        let word = &text[token.clone()];
        if is_number(word) {
            if word != "0" && word != "1" {
                edits.push((token.clone(), "0".into()));
                edits.push((token, "1".into()));
            }
        } else if word.starts_with(|c: char| c.is_alphabetic() || c == '_') {
            edits.push((token, "0".into()));
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::reduce;

    fn reduced(text: &str, holds: impl Fn(&str) -> bool) -> String {
        let mut last = text.len();
        let mut holds = |candidate: &str| Ok::<_, ()>(holds(candidate));
        let result = reduce(text, &mut holds, &mut |better: &str| {
            assert!(better.len() <= last, "it grew");
            last = better.len();
            Ok(())
        });
        result.unwrap()
    }

    #[test]
    fn what_matters_stays() {
        let text = "// a comment\nkernel void k(global int *p) {\n  int a = 1;\n  for (int i = 0; i < 8; i++) {\n    p[i] = a; barrier(1);\n  }\n}\n";
        assert_eq!(reduced(text, |t| t.contains("barrier")).trim(), "barrier");
        let small = reduced(text, |t| {
            t.contains("for (") && t.contains("p[") && t.matches('{').count() == t.matches('}').count()
        });
        assert!(small.len() < 20, "{small}");
    }

    #[test]
    fn a_text_that_cannot_shrink_stays() {
        assert_eq!(reduced("int x;", |t| t == "int x;"), "int x;");
        assert_eq!(reduced("", |_| true), "");
    }

    #[test]
    fn broken_texts_and_other_alphabets_do_no_harm() {
        let text = "\"open { ) } ( /* ü * unclosed [ 0x é";
        assert_eq!(reduced(text, |t| t.contains('ü')).trim(), "ü");
    }
}
