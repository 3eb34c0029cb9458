//! Buffers as text: the range of `--print` and the line it makes.

use super::HostData;
use super::number;
use std::fmt::Write as _;
use std::ops::Range;
use thiserror::Error;

/// `NAME`, `NAME[3]`, `NAME[0..8]`, `NAME[..8]` or `NAME[8..]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slice {
    /// The parameter's name or position, or the buffer's name.
    pub name: String,
    /// First element.
    pub start: usize,
    /// One past the last element; `None`: to the end.
    pub end: Option<usize>,
}

/// Why a slice cannot be shown.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the line above a variant says what it is about")]
pub enum SliceError {
    /// Not the syntax.
    #[error("`{text}` is not of the form NAME, NAME[3] or NAME[0..8]")]
    Syntax { text: String },
    /// The range runs backwards.
    #[error("`{text}` ends before it begins")]
    Backwards { text: String },
    /// The buffer is smaller.
    #[error("`{name}` has {have} elements, and {name}[{start}..{end}] was asked for")]
    Beyond { name: String, have: usize, start: usize, end: usize },
}

impl Slice {
    /// Reads the argument of `--print`.
    pub fn parse(text: &str) -> Result<Self, SliceError> {
        let syntax = || SliceError::Syntax { text: text.to_owned() };
        let (name, range) = match text.split_once('[') {
            None => (text, None),
            Some((name, rest)) => (name, Some(rest.strip_suffix(']').ok_or_else(syntax)?)),
        };
        if name.is_empty() {
            return Err(syntax());
        }
        let name = name.to_owned();
        let index = |t: &str| t.trim().parse::<usize>().map_err(|_| syntax());
        let Some(range) = range else {
            return Ok(Self { name, start: 0, end: None });
        };
        let slice = match range.split_once("..") {
            None => {
                let start = index(range)?;
                Self { name, start, end: start.checked_add(1) }
            }
            Some((first, last)) => Self {
                name,
                start: if first.trim().is_empty() { 0 } else { index(first)? },
                end: if last.trim().is_empty() { None } else { Some(index(last)?) },
            },
        };
        if slice.end.is_some_and(|end| end < slice.start) {
            return Err(SliceError::Backwards { text: text.to_owned() });
        }
        Ok(slice)
    }

    /// The elements it names in a buffer of `have` elements.
    pub fn range(&self, have: usize) -> Result<Range<usize>, SliceError> {
        let end = self.end.unwrap_or(have);
        if end > have || self.start > have {
            let end = end.max(self.start);
            return Err(SliceError::Beyond { name: self.name.clone(), have, start: self.start, end });
        }
        Ok(self.start..end)
    }
}

/// The elements as text, separated by spaces; vectors in parentheses.
pub fn elements(data: &HostData, range: Range<usize>) -> String {
    let element = data.element;
    let size = element.size();
    let mut out = String::new();
    for bytes in data.bytes.chunks_exact(size).take(range.end).skip(range.start) {
        if !out.is_empty() {
            out.push(' ');
        }
        if element.lanes == 1 {
            out.push_str(&number::text(bytes, element.scalar));
            continue;
        }
        for lane in 0..usize::from(element.lanes) {
            let at = lane * element.scalar.size();
            let text = number::text(&bytes[at..at + element.scalar.size()], element.scalar);
            let before = if lane == 0 { "(" } else { "," };
            // Writing to a string cannot fail.
            let _ = write!(out, "{before}{text}");
        }
        out.push(')');
    }
    out
}

/// The elements as JSON: numbers, or arrays of them for vectors; what JSON has no number for is a string.
pub fn json(data: &HostData, range: Range<usize>) -> serde_json::Value {
    let element = data.element;
    let lane = |bytes: &[u8]| -> serde_json::Value {
        let text = number::text(bytes, element.scalar);
        serde_json::from_str::<serde_json::Number>(&text)
            .map_or(serde_json::Value::String(text), serde_json::Value::Number)
    };
    data.bytes
        .chunks_exact(element.size())
        .take(range.end)
        .skip(range.start)
        .map(|bytes| {
            if element.lanes == 1 {
                return lane(bytes);
            }
            bytes.chunks_exact(element.scalar.size()).take(usize::from(element.lanes)).map(lane).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::element::{Element, Scalar};
    use super::super::generate;
    use super::*;

    #[test]
    fn slices_parse() {
        let ok = |text: &str| Slice::parse(text).map(|s| (s.name, s.start, s.end));
        assert_eq!(ok("out"), Ok(("out".into(), 0, None)));
        assert_eq!(ok("out[3]"), Ok(("out".into(), 3, Some(4))));
        assert_eq!(ok("0[0..8]"), Ok(("0".into(), 0, Some(8))));
        assert_eq!(ok("o[..2]"), Ok(("o".into(), 0, Some(2))));
        assert_eq!(ok("o[2..]"), Ok(("o".into(), 2, None)));
        assert!(ok("o[]").is_err());
        for wrong in ["", "[0..8]", "o[0..8", "o[a]", "o[3..1]", "o[-1]"] {
            assert!(Slice::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn slices_beyond_the_end_are_errors() -> Result<(), SliceError> {
        let error = Slice::parse("out[0..9]")?.range(8).map_err(|e| e.to_string());
        assert_eq!(error, Err("`out` has 8 elements, and out[0..9] was asked for".into()));
        assert_eq!(Slice::parse("out[8..]")?.range(8), Ok(8..8));
        assert!(Slice::parse("out[9..]")?.range(8).is_err());
        Ok(())
    }

    #[test]
    fn vectors_show_without_padding() {
        let data = generate::range(Element { scalar: Scalar::Float, lanes: 3 }, 3);
        assert_eq!(elements(&data, 1..3), "(3,4,5) (6,7,8)");
        assert_eq!(json(&data, 0..1).to_string(), "[[0,1,2]]");
    }

    #[test]
    fn json_has_no_number_for_nan() {
        let data = HostData::new(Element::scalar(Scalar::Float), f32::NAN.to_le_bytes().to_vec());
        assert_eq!(json(&data, 0..1).to_string(), "[\"nan\"]");
    }
}
