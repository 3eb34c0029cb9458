//! Values in `run` lines, and their bytes once the parameter's type is known.
//!
//! `[1,2,3]` a list; `(1,2)` a vector; `3` a scalar; `zeros:N`, `range:N`, `all:V:N`, `random:N:SEED` buffers of N
//! scalars; `local:BYTES`; `null`; images and samplers are in `picture.rs`. A scalar type before a list (`int[1,2]`) or before `:` (`int:zeros:4`) overrides the
//! parameter's own, which structures need.

use std::str::FromStr;

use oxcl_runtime::Sampler;
use oxcl_workload::data::half;

use crate::picture::{self, Picture};

/// A scalar type of OpenCL C, as far as data in tests needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// `char`
    Char,
    /// `uchar`
    Uchar,
    /// `short`
    Short,
    /// `ushort`
    Ushort,
    /// `int`
    Int,
    /// `uint`
    Uint,
    /// `long`
    Long,
    /// `ulong`
    Ulong,
    /// `half`
    Half,
    /// `float`
    Float,
    /// `double`
    Double,
}

impl FromStr for Scalar {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Ok(match name {
            "char" => Self::Char,
            "uchar" | "bool" => Self::Uchar,
            "short" => Self::Short,
            "ushort" => Self::Ushort,
            "int" => Self::Int,
            "uint" => Self::Uint,
            "long" => Self::Long,
            "ulong" => Self::Ulong,
            "half" => Self::Half,
            "float" => Self::Float,
            "double" => Self::Double,
            other => return Err(format!("'{other}' is not a scalar type")),
        })
    }
}

impl Scalar {
    /// Size in bytes.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Self::Char | Self::Uchar => 1,
            Self::Short | Self::Ushort | Self::Half => 2,
            Self::Int | Self::Uint | Self::Float => 4,
            Self::Long | Self::Ulong | Self::Double => 8,
        }
    }

    /// True for `half`, `float` and `double`.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Self::Half | Self::Float | Self::Double)
    }

    /// The bytes of one number written in decimal.
    ///
    /// # Errors
    /// The text is not a number of this type.
    pub fn bytes(self, text: &str) -> Result<Vec<u8>, String> {
        fn of<T: FromStr, const N: usize>(text: &str, bytes: fn(T) -> [u8; N]) -> Result<Vec<u8>, String> {
            text.parse()
                .map(|v| bytes(v).to_vec())
                .map_err(|_| format!("'{text}' is not a value of the type"))
        }
        match self {
            Self::Char => of(text, i8::to_le_bytes),
            Self::Uchar => of(text, u8::to_le_bytes),
            Self::Short => of(text, i16::to_le_bytes),
            Self::Ushort => of(text, u16::to_le_bytes),
            Self::Int => of(text, i32::to_le_bytes),
            Self::Uint => of(text, u32::to_le_bytes),
            Self::Long => of(text, i64::to_le_bytes),
            Self::Ulong => of(text, u64::to_le_bytes),
            Self::Half => of(text, |value: f64| half::from_f64(value).to_le_bytes()),
            Self::Float => of(text, f32::to_le_bytes),
            Self::Double => of(text, f64::to_le_bytes),
        }
    }

    /// A readable form of one little-endian number.
    #[must_use]
    pub fn show(self, bytes: &[u8]) -> String {
        let mut wide = [0u8; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(wide);
        match self {
            Self::Char => (bits as i8).to_string(),
            Self::Short => (bits as i16).to_string(),
            Self::Int => (bits as i32).to_string(),
            Self::Long => (bits as i64).to_string(),
            Self::Half => half::to_f64(bits as u16).to_string(),
            Self::Float => f32::from_bits(bits as u32).to_string(),
            Self::Double => f64::from_bits(bits).to_string(),
            Self::Uchar | Self::Ushort | Self::Uint | Self::Ulong => bits.to_string(),
        }
    }

    /// The element type of a parameter's type name: `float4*` and `float4` give `float`; structures give none.
    #[must_use]
    pub fn of_type_name(name: &str) -> Option<Self> {
        let base = name.trim_end_matches('*').trim();
        let base = base.trim_end_matches(|c: char| c.is_ascii_digit());
        base.parse().ok()
    }
}

/// An argument's value, not yet typed.
#[derive(Debug, Clone)]
pub enum Value {
    /// A by-value scalar.
    Scalar(String),
    /// A by-value vector.
    Vector(Vec<String>),
    /// A list: a buffer's contents, or a structure's words.
    List(Option<Scalar>, Vec<String>),
    /// So many scalars of one value.
    All(Option<Scalar>, String, usize),
    /// 0, 1, 2, …
    Range(Option<Scalar>, usize),
    /// Pseudo-random numbers: floats in [0, 1), integers in 0..100.
    Random(Option<Scalar>, usize, u64),
    /// Local memory of so many bytes.
    Local(usize),
    /// A null pointer.
    Null,
    /// An image.
    Image(Picture),
    /// A sampler.
    Sampler(Sampler),
}

/// What a buffer must hold after a run.
#[derive(Debug, Clone)]
pub enum Expected {
    /// These numbers.
    List(Vec<String>),
    /// This number everywhere.
    All(String),
}

/// Splits at commas that are inside no bracket; nothing for blank text.
#[must_use]
pub fn split_top_level(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0i32;
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        if c == ',' && depth == 0 {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn list(text: &str) -> Vec<String> {
    text.split(',').map(|n| n.trim().to_owned()).filter(|n| !n.is_empty()).collect()
}

fn count(text: Option<&str>) -> Result<usize, String> {
    let text = text.ok_or("a count is missing")?;
    text.parse().map_err(|_| format!("'{text}' is not a count"))
}

/// Parses an argument's value.
///
/// # Errors
/// The text follows none of the forms above.
pub fn parse_value(text: &str) -> Result<Value, String> {
    if let Some(image) = text.strip_prefix("image/") {
        return Picture::parse(image).map(Value::Image);
    }
    if let Some(words) = text.strip_prefix("sampler:") {
        return picture::sampler(words)
            .map(Value::Sampler)
            .map_err(|word| format!("'{word}' says nothing of a sampler"));
    }
    if let Some(inner) = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        return Ok(Value::Vector(list(inner)));
    }
    if let Some(open) = text.find('[') {
        let inner = text[open + 1..].strip_suffix(']').ok_or_else(|| format!("'{text}' lacks ']'"))?;
        let scalar = if open == 0 { None } else { Some(text[..open].parse()?) };
        return Ok(Value::List(scalar, list(inner)));
    }
    let mut words = text.split(':').peekable();
    let scalar = words.peek().and_then(|word| word.parse::<Scalar>().ok());
    if scalar.is_some() {
        words.next();
    }
    let value = match words.next() {
        Some("zeros") => Value::All(scalar, "0".into(), count(words.next())?),
        Some("all") => {
            let number = words.next().ok_or("all: needs a value and a count")?.to_owned();
            Value::All(scalar, number, count(words.next())?)
        }
        Some("range") => Value::Range(scalar, count(words.next())?),
        Some("random") => Value::Random(scalar, count(words.next())?, count(words.next())? as u64),
        Some("local") => Value::Local(count(words.next())?),
        Some("null") => Value::Null,
        Some(number) => Value::Scalar(number.to_owned()),
        None => return Err(format!("'{text}' is no value")),
    };
    match words.next() {
        Some(rest) => Err(format!("'{rest}' after the value in '{text}'")),
        None => Ok(value),
    }
}

/// Parses an expectation.
///
/// # Errors
/// The text is neither a list nor `all:V`.
pub fn parse_expected(text: &str) -> Result<Expected, String> {
    if let Some(number) = text.strip_prefix("all:") {
        return Ok(Expected::All(number.to_owned()));
    }
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
    inner.map(|t| Expected::List(list(t))).ok_or_else(|| format!("'{text}' is not a list"))
}

/// The bytes of a buffer or by-value argument, with the scalar type that was used.
///
/// # Errors
/// The type is neither given nor known from the parameter, or a number does not fit it.
pub fn to_bytes(value: &Value, of_parameter: Option<Scalar>) -> Result<(Scalar, Vec<u8>), String> {
    let pick = |own: Option<Scalar>| own.or(of_parameter).ok_or("the value needs a type in front".to_owned());
    let join = |scalar: Scalar, numbers: &mut dyn Iterator<Item = String>| {
        let mut bytes = Vec::new();
        for number in numbers {
            bytes.extend(scalar.bytes(&number)?);
        }
        Ok::<_, String>((scalar, bytes))
    };
    match value {
        Value::Scalar(number) => join(pick(None)?, &mut std::iter::once(number.clone())),
        Value::Vector(numbers) => join(pick(None)?, &mut numbers.iter().cloned()),
        Value::List(own, numbers) => join(pick(*own)?, &mut numbers.iter().cloned()),
        Value::All(own, number, n) => join(pick(*own)?, &mut std::iter::repeat_n(number.clone(), *n)),
        Value::Range(own, n) => join(pick(*own)?, &mut (0..*n).map(|i| i.to_string())),
        Value::Random(own, n, seed) => {
            let scalar = pick(*own)?;
            let mut random = SplitMix(*seed);
            let mut next = || {
                let bits = random.next();
                if scalar.is_float() {
                    ((bits >> 40) as f64 / (1u64 << 24) as f64).to_string()
                } else {
                    (bits % 100).to_string()
                }
            };
            join(scalar, &mut (0..*n).map(|_| next()))
        }
        Value::Local(_) | Value::Null | Value::Image(_) | Value::Sampler(_) => {
            Err("not a value with bytes".into())
        }
    }
}

/// The SplitMix64 generator: small, seedable, the same everywhere.
#[derive(Debug, Clone)]
pub struct SplitMix(pub u64);

impl SplitMix {
    /// The next 64 bits.
    #[expect(clippy::should_implement_trait, reason = "an endless generator, not an iterator")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
