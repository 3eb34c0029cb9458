//! Splitting an option string into words as a shell would, the way back, and the nearest known word.
//!
//! Blanks separate. `'…'` keeps all, `"…"` keeps all but `\"` and `\\`, and `\` keeps the next character. Nothing is
//! expanded.

/// A quote that does not end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the build options end inside a quote that begins with {quote} at byte {offset}")]
pub struct QuoteError {
    /// The opening quote.
    pub quote: char,
    /// Where it is.
    pub offset: usize,
}

/// The words of `text`.
pub(crate) fn split(text: &str) -> Result<Vec<String>, QuoteError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut characters = text.char_indices();
    while let Some((offset, character)) = characters.next() {
        match character {
            ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c' => words.extend(word.take()),
            '\'' | '"' => {
                let into = word.get_or_insert_default();
                loop {
                    match characters.next() {
                        None => return Err(QuoteError { quote: character, offset }),
                        Some((_, end)) if end == character => break,
                        Some((_, '\\')) if character == '"' => match characters.next() {
                            None => return Err(QuoteError { quote: character, offset }),
                            Some((_, kept @ ('"' | '\\'))) => into.push(kept),
                            Some((_, other)) => into.extend(['\\', other]),
                        },
                        Some((_, kept)) => into.push(kept),
                    }
                }
            }
            '\\' => {
                let kept = characters.next().map_or('\\', |(_, next)| next);
                word.get_or_insert_default().push(kept);
            }
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    Ok(words)
}

/// One string whose words are `words`.
pub(crate) fn join(words: &[String]) -> String {
    let quoted: Vec<String> = words
        .iter()
        .map(|word| {
            let plain =
                !word.is_empty() && !word.contains(|c: char| c.is_whitespace() || "'\"\\".contains(c));
            if plain {
                word.clone()
            } else {
                format!("\"{}\"", word.replace('\\', "\\\\").replace('"', "\\\""))
            }
        })
        .collect();
    quoted.join(" ")
}

/// The one of `known` that is nearest to `word`, if any is near: at most a third of its letters differ.
pub(crate) fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|name| (distance(word, name), name))
        .filter(|(distance, name)| *distance * 3 <= name.len().max(3))
        .min()
        .map(|(_, name)| name)
}

/// Levenshtein's distance, in bytes.
fn distance(a: &str, b: &str) -> usize {
    let b = b.as_bytes();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = (diagonal + usize::from(x != *y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = cost;
        }
    }
    row[b.len()]
}
