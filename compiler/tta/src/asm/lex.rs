//! Words of assembly text, each with its line.

use super::{AsmError, AsmProblem};

/// A word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A name.
    Name(String),
    /// A number: its bits, and how many bits a hexadecimal or binary literal has; `None` for a decimal one.
    Number(u64, Option<u32>),
    /// A quoted text.
    Text(Vec<u8>),
    /// `...`
    Empty,
    /// `->`
    Arrow,
    /// Any other mark.
    Mark(char),
}

impl Token {
    /// The word as a message names it.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Name(name) => format!("'{name}'"),
            Self::Number(value, None) => format!("'{}'", value.cast_signed()),
            Self::Number(value, Some(_)) => format!("'{value:#x}'"),
            Self::Text(_) => "a quoted text".to_owned(),
            Self::Empty => "'...'".to_owned(),
            Self::Arrow => "'->'".to_owned(),
            Self::Mark(mark) => format!("'{mark}'"),
        }
    }
}

/// A word and its line.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    pub(super) token: Token,
    pub(super) line: usize,
}

/// Splits `text` into words.
pub(super) fn lex(text: &str) -> Result<Vec<Spot>, AsmError> {
    let mut words = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line_number = number + 1;
        let fail = |problem| AsmError { line: line_number, problem };
        let characters: Vec<char> = line.chars().collect();
        let mut at = 0;
        while let Some(&c) = characters.get(at) {
            let next = characters.get(at + 1).copied();
            let token = match c {
                '#' => break,
                c if c.is_whitespace() => {
                    at += 1;
                    continue;
                }
                '.' => match dots(&characters, at) {
                    Some(end) => {
                        at = end;
                        Token::Empty
                    }
                    None => {
                        at += 1;
                        Token::Mark('.')
                    }
                },
                '-' if next == Some('>') => {
                    at += 2;
                    Token::Arrow
                }
                '-' | '0'..='9' => {
                    let end = (at + 1..characters.len())
                        .find(|i| !characters[*i].is_ascii_alphanumeric())
                        .unwrap_or(characters.len());
                    let word: String = characters[at..end].iter().collect();
                    at = end;
                    number_token(&word).ok_or_else(|| fail(AsmProblem::Number { text: word }))?
                }
                'a'..='z' | 'A'..='Z' | '_' | '$' => {
                    let end = (at + 1..characters.len())
                        .find(|i| !(characters[*i].is_ascii_alphanumeric() || "_$".contains(characters[*i])))
                        .unwrap_or(characters.len());
                    let name = characters[at..end].iter().collect();
                    at = end;
                    Token::Name(name)
                }
                '"' => {
                    let (bytes, end) = quoted(&characters, at + 1)
                        .ok_or_else(|| fail(AsmProblem::Character { found: '"' }))?;
                    at = end;
                    Token::Text(bytes)
                }
                ':' | ';' | ',' | '?' | '!' | '[' | ']' | '{' | '}' | '=' | '+' => {
                    at += 1;
                    Token::Mark(c)
                }
                found => return Err(fail(AsmProblem::Character { found })),
            };
            words.push(Spot { token, line: line_number });
        }
    }
    Ok(words)
}

/// The end of three dots, which blanks may part, if they begin here.
fn dots(characters: &[char], from: usize) -> Option<usize> {
    let mut at = from;
    for count in 0..3 {
        if count > 0 {
            while characters.get(at).is_some_and(|c| *c == ' ' || *c == '\t') {
                at += 1;
            }
        }
        if characters.get(at) != Some(&'.') {
            return None;
        }
        at += 1;
    }
    Some(at)
}

fn number_token(word: &str) -> Option<Token> {
    let (negative, digits) = word.strip_prefix('-').map_or((false, word), |rest| (true, rest));
    let based = |prefix: &str, radix: u32, bits: usize| {
        let text = digits.strip_prefix(prefix)?;
        let value = u64::from_str_radix(text, radix).ok()?;
        Some(Token::Number(value, u32::try_from(text.len() * bits).ok()))
    };
    if let Some(found) = based("0x", 16, 4).or_else(|| based("0b", 2, 1)) {
        return (!negative).then_some(found);
    }
    let value: u64 = digits.parse().ok()?;
    if !negative {
        return Some(Token::Number(value, None));
    }
    (value <= 1 << 63).then(|| Token::Number(value.wrapping_neg(), None))
}

fn quoted(characters: &[char], from: usize) -> Option<(Vec<u8>, usize)> {
    let mut bytes = Vec::new();
    let mut at = from;
    loop {
        match *characters.get(at)? {
            '"' => return Some((bytes, at + 1)),
            '\\' => {
                at += 1;
                bytes.push(match *characters.get(at)? {
                    'n' => b'\n',
                    't' => b'\t',
                    '0' => 0,
                    other => u8::try_from(other).ok()?,
                });
            }
            other => {
                let mut buffer = [0; 4];
                bytes.extend_from_slice(other.encode_utf8(&mut buffer).as_bytes());
            }
        }
        at += 1;
    }
}
