//! The value syntax of `--arg` and `--expect`, before a parameter gives it a type: numbers, lists, files and generators.

use crate::data::HostData;
use crate::data::element::{Element, Scalar};
use crate::data::file::{DataError, FileSource, Format};
use crate::data::generate;
use crate::data::image::{self, PIXEL};
use crate::data::number::{self, Number, NumberError};
use oxcl_runtime::Sampler;
use thiserror::Error;

/// One value as it was written.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `5`, `-1.5`, `1,2,3,4`.
    Numbers(Vec<Number>),
    /// `hex:00ff`: bytes as they lie in memory, for structures.
    Hex(Vec<u8>),
    /// `@FILE` or `@FILE:float4`.
    File(FileSource),
    /// `zeros:float:1024`.
    Zeros(Element, usize),
    /// `random:float:1024:SEED`.
    Random(Element, usize, u64),
    /// `range:int:1024`.
    Range(Element, usize),
    /// `local:BYTES`.
    Local(usize),
    /// `image:FILE.png` or `image:FILE.png:TYPE`: a picture's pixels.
    Picture(FileSource, Element),
    /// `image:WIDTHxHEIGHT` or `image:WIDTHxHEIGHT:TYPE`: pixels that are all 0.
    Blank(u32, u32, Element),
    /// `sampler:WORDS`.
    Sampler(Sampler),
}

/// The most bytes that a generator makes.
const LIMIT: usize = 1 << 36;

/// Why a text is no value.
#[derive(Debug, Clone, PartialEq, Error)]
#[expect(missing_docs, reason = "the line above a variant says what it is about")]
pub enum SyntaxError {
    /// A number is malformed.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// The word before the colon is unknown.
    #[error("`{text}` begins with `{word}:`, which is no kind of value")]
    Kind { text: String, word: String, nearest: Option<&'static str> },
    /// A generator with other parts than it needs.
    #[error("`{text}` is not of the form {form}")]
    Form { text: String, form: &'static str },
    /// The type of a generator is unknown.
    #[error("`{name}` in `{text}` is no OpenCL scalar or vector type")]
    ElementType { text: String, name: String, meant: Option<Element> },
    /// A word of a sampler is unknown.
    #[error("`{word}` in `{text}` says nothing of a sampler")]
    Sampler { text: String, word: String, meant: Option<&'static str> },
    /// The buffer would be too large.
    #[error("`{text}` asks for more than 64 GiB")]
    TooLarge { text: String },
    /// Nothing after the `=`.
    #[error("the value is empty")]
    Empty,
}

impl SyntaxError {
    /// What to write instead.
    pub fn help(&self) -> String {
        match self {
            SyntaxError::Kind { nearest: Some(word), .. } => format!("did you mean `{word}:`?"),
            SyntaxError::Form { form, .. } => format!("for example: {}", example_of(form)),
            SyntaxError::ElementType { meant: Some(meant), .. } => format!("did you mean `{meant}`?"),
            SyntaxError::Sampler { meant: Some(meant), .. } => format!("did you mean `{meant}`?"),
            SyntaxError::Sampler { meant: None, .. } => format!("for example: {}", example_of(SAMPLER)),
            _ => FORMS.to_owned(),
        }
    }
}

const FORMS: &str = "a value is a number, a list 1,2,3,4, @FILE (.npy, .png, else raw, with :TYPE after it), \
zeros:TYPE:COUNT, random:TYPE:COUNT:SEED, range:TYPE:COUNT, local:BYTES, hex:BYTES, image:FILE.png, image:WIDTHxHEIGHT \
or sampler:WORDS";

const ZEROS: &str = "zeros:TYPE:COUNT";
const RANDOM: &str = "random:TYPE:COUNT:SEED";
const RANGE: &str = "range:TYPE:COUNT";
const LOCAL: &str = "local:BYTES";
const HEX: &str = "hex:BYTES";
const IMAGE: &str = "image:WIDTHxHEIGHT:TYPE";
const SAMPLER: &str = "sampler:WORDS";

fn example_of(form: &'static str) -> &'static str {
    match form {
        ZEROS => "zeros:float:1024",
        RANDOM => "random:float:1024:1",
        RANGE => "range:int:1024",
        LOCAL => "local:1024",
        IMAGE => "image:photo.png, or image:640x480:float4",
        SAMPLER => {
            "sampler:clamp_to_edge+linear (also normalised, none, clamp, repeat, mirrored_repeat, nearest)"
        }
        _ => "hex:0000803f (two digits a byte)",
    }
}

impl Value {
    /// Reads a value.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(SyntaxError::Empty);
        }
        if let Some(file) = text.strip_prefix('@') {
            return if file.is_empty() {
                Err(SyntaxError::Empty)
            } else {
                Ok(Value::File(FileSource::parse(file)))
            };
        }
        let Some((word, rest)) = text.split_once(':') else {
            let numbers = text.split(',').map(number::parse).collect::<Result<_, _>>()?;
            return Ok(Value::Numbers(numbers));
        };
        let form = |form| SyntaxError::Form { text: text.to_owned(), form };
        let parts: Vec<&str> = rest.split(':').collect();
        let no_type = |name: &str| SyntaxError::ElementType {
            text: text.to_owned(),
            name: name.to_owned(),
            meant: Element::meant(name),
        };
        let sized = |name: &str, count: &str, shape: &'static str| -> Result<(Element, usize), SyntaxError> {
            let element = Element::parse(name).ok_or_else(|| no_type(name))?;
            let count: usize = count.parse().map_err(|_| form(shape))?;
            match count.checked_mul(element.size()) {
                Some(bytes) if bytes <= LIMIT => Ok((element, count)),
                _ => Err(SyntaxError::TooLarge { text: text.to_owned() }),
            }
        };
        match (word, parts.as_slice()) {
            ("zeros", [name, count]) => sized(name, count, ZEROS).map(|(e, n)| Value::Zeros(e, n)),
            ("zeros", _) => Err(form(ZEROS)),
            ("range", [name, count]) => sized(name, count, RANGE).map(|(e, n)| Value::Range(e, n)),
            ("range", _) => Err(form(RANGE)),
            ("random", [name, count, seed]) => {
                let (element, count) = sized(name, count, RANDOM)?;
                let seed = seed.parse().map_err(|_| form(RANDOM))?;
                Ok(Value::Random(element, count, seed))
            }
            ("random", _) => Err(form(RANDOM)),
            ("local", [bytes]) => match bytes.parse() {
                Ok(bytes) if bytes <= LIMIT => Ok(Value::Local(bytes)),
                Ok(_) => Err(SyntaxError::TooLarge { text: text.to_owned() }),
                Err(_) => Err(form(LOCAL)),
            },
            ("local", _) => Err(form(LOCAL)),
            ("image", _) => {
                let (what, element) = match rest.rsplit_once(':') {
                    Some((what, name)) => (what, Element::parse(name).ok_or_else(|| no_type(name))?),
                    None => (rest, PIXEL),
                };
                if let Some((width, height)) = what.split_once('x')
                    && let (Ok(width), Ok(height)) = (width.parse::<u32>(), height.parse::<u32>())
                {
                    let pixels = u64::from(width).checked_mul(height.into());
                    let bytes = pixels.and_then(|pixels| pixels.checked_mul(element.size() as u64));
                    return match bytes {
                        Some(bytes) if bytes <= LIMIT as u64 => Ok(Value::Blank(width, height, element)),
                        _ => Err(SyntaxError::TooLarge { text: text.to_owned() }),
                    };
                }
                let source = FileSource::parse(what);
                if source.format == Format::Png {
                    Ok(Value::Picture(source, element))
                } else {
                    Err(form(IMAGE))
                }
            }
            ("sampler", [words]) => {
                image::sampler(words).map(Value::Sampler).map_err(|word| SyntaxError::Sampler {
                    text: text.to_owned(),
                    meant: crate::nearest::nearest(&word, image::SAMPLER_WORDS),
                    word,
                })
            }
            ("sampler", _) => Err(form(SAMPLER)),
            ("hex", [digits]) => hex(digits).map(Value::Hex).ok_or_else(|| form(HEX)),
            (word, _) => Err(SyntaxError::Kind {
                text: text.to_owned(),
                word: word.to_owned(),
                nearest: crate::nearest::nearest(
                    word,
                    ["zeros", "random", "range", "local", "hex", "image", "sampler"],
                ),
            }),
        }
    }

    /// The buffer that the value makes where elements of type `want` are needed (`None`: whatever it is); `None` for a
    /// local size, which is no data.
    pub fn data(&self, want: Option<Element>) -> Result<Option<HostData>, BufferError> {
        Ok(Some(match self {
            Value::Numbers(numbers) => {
                let element = want.ok_or(BufferError::UntypedList)?;
                let lanes = usize::from(element.lanes);
                if !numbers.len().is_multiple_of(lanes) {
                    return Err(BufferError::RaggedList { have: numbers.len(), element });
                }
                let mut bytes = Vec::new();
                for (index, chunk) in numbers.chunks(lanes).enumerate() {
                    for number in chunk {
                        number.encode(element.scalar, &mut bytes)?;
                    }
                    bytes.resize((index + 1) * element.size(), 0);
                }
                HostData::new(element, bytes)
            }
            Value::Hex(bytes) => {
                let element = want.unwrap_or(Element::scalar(Scalar::UChar));
                HostData::new(element, bytes.clone())
            }
            Value::File(source) => source.load(want)?,
            Value::Zeros(element, count) => generate::zeros(*element, *count),
            Value::Random(element, count, seed) => generate::random(*element, *count, *seed),
            Value::Range(element, count) => generate::range(*element, *count),
            Value::Picture(source, element) => source.load(Some(*element))?,
            Value::Blank(width, height, element) => generate::blank(*element, *width, *height),
            Value::Local(_) | Value::Sampler(_) => return Ok(None),
        }))
    }
}

/// Why a value makes no buffer.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the line above a variant says what it is about")]
pub enum BufferError {
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] DataError),
    /// A number does not fit.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// Numbers that nothing gives a type.
    #[error("a list of numbers needs a parameter of known element type")]
    UntypedList,
    /// Not a whole number of vectors.
    #[error("{have} numbers are no whole number of {element} elements")]
    RaggedList { have: usize, element: Element },
}

fn hex(digits: &str) -> Option<Vec<u8>> {
    if digits.is_empty() || !digits.len().is_multiple_of(2) || !digits.is_ascii() {
        return None;
    }
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::element::Scalar;

    const FLOAT: Element = Element::scalar(Scalar::Float);

    #[test]
    fn every_form_parses() {
        assert_eq!(Value::parse("zeros:float:1024"), Ok(Value::Zeros(FLOAT, 1024)));
        assert_eq!(Value::parse("random:float:8:42"), Ok(Value::Random(FLOAT, 8, 42)));
        assert_eq!(Value::parse("range:int:8"), Ok(Value::Range(Element::scalar(Scalar::Int), 8)));
        assert_eq!(Value::parse("local:64"), Ok(Value::Local(64)));
        assert_eq!(Value::parse("hex:00fF"), Ok(Value::Hex(vec![0, 255])));
        assert_eq!(Value::parse("image:a.png"), Ok(Value::Picture(FileSource::parse("a.png"), PIXEL)));
        assert_eq!(Value::parse("image:4x3:float"), Ok(Value::Blank(4, 3, FLOAT)));
        assert!(Value::parse("image:a.npy").is_err() && Value::parse("sampler:soft").is_err());
        assert!(matches!(Value::parse("sampler:clamp+linear"), Ok(Value::Sampler(s)) if s.linear));
        assert_eq!(Value::parse("@a.npy"), Ok(Value::File(FileSource::parse("a.npy"))));
        let list = Value::parse("1,-2.5,0x10,inf").map(|v| v.data(Some(FLOAT)).ok().flatten());
        let want: Vec<u8> = [1.0, -2.5, 16.0, f32::INFINITY].iter().flat_map(|v| v.to_le_bytes()).collect();
        assert_eq!(list, Ok(Some(HostData::new(FLOAT, want))));
    }

    #[test]
    fn wrong_forms_say_what_to_write() {
        let error = |text: &str| match Value::parse(text) {
            Ok(value) => format!("{value:?}"),
            Err(e) => format!("{e}; {}", e.help()),
        };
        assert_eq!(
            error("zeros:float"),
            "`zeros:float` is not of the form zeros:TYPE:COUNT; for example: zeros:float:1024"
        );
        assert_eq!(
            error("zero:float:8"),
            "`zero:float:8` begins with `zero:`, which is no kind of value; did you mean `zeros:`?"
        );
        assert_eq!(
            error("zeros:flaot:8"),
            "`flaot` in `zeros:flaot:8` is no OpenCL scalar or vector type; did you mean `float`?"
        );
        assert!(error("image:4x4:uchra4").ends_with("did you mean `uchar4`?"));
        assert!(error("range:vector:8").contains("; a value is a number, a list"));
        assert_eq!(
            error("sampler:linear+clamp_to_egde"),
            "`clamp_to_egde` in `sampler:linear+clamp_to_egde` says nothing of a sampler; did you mean `clamp_to_edge`?"
        );
        assert!(error("sampler:soft").contains("; for example: sampler:clamp_to_edge+linear"));
        assert!(
            error("zeros:float:99999999999999").starts_with("`zeros:float:99999999999999` asks for more")
        );
        assert!(error("zeros:float:-1").starts_with("`zeros:float:-1` is not of the form"));
        assert!(error("1,,2").starts_with("`` is not a number"));
        assert!(error("").starts_with("the value is empty"));
        assert!(error("hex:0").starts_with("`hex:0` is not of the form hex:BYTES"));
        assert!(error("hex:é").starts_with("`hex:é` is not"));
    }

    #[test]
    fn lists_pad_vectors_of_three() {
        let want = Element { scalar: Scalar::UChar, lanes: 3 };
        let data = Value::parse("1,2,3,4,5,6").map(|v| v.data(Some(want)).ok().flatten());
        assert_eq!(data, Ok(Some(HostData::new(want, vec![1, 2, 3, 0, 4, 5, 6, 0]))));
    }
}
