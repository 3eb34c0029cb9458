//! Numbers as a user writes them and as memory holds them: text to bytes with a range check, bytes to text.

use super::element::Scalar;
use super::half;
use thiserror::Error;

/// A number before it has a type.
#[derive(Debug, Clone, Copy, PartialEq)]
#[expect(missing_docs, reason = "the line above a variant says what it is about")]
pub enum Number {
    /// An integer; `hex` says that it was written as a bit pattern.
    Int { value: i128, hex: bool },
    /// Anything with a point or an exponent, an infinity or NaN.
    Float(f64),
}

/// Why a number cannot be a value of a type.
#[derive(Debug, Clone, PartialEq, Error)]
#[expect(missing_docs, reason = "the line above a variant says what it is about")]
pub enum NumberError {
    /// The text is no number.
    #[error("`{text}` is not a number")]
    NotANumber { text: String },
    /// A fraction for an integer type.
    #[error("`{text}` is not an integer, and the type is {scalar}")]
    Fraction { text: String, scalar: &'static str },
    /// The value does not fit.
    #[error("{text} is out of range for {scalar} ({least} to {greatest})")]
    Range { text: String, scalar: &'static str, least: String, greatest: String },
}

/// Reads a decimal, hexadecimal or floating-point number, `inf`, `-inf` or `nan`.
pub fn parse(text: &str) -> Result<Number, NumberError> {
    let wrong = || NumberError::NotANumber { text: text.to_owned() };
    let trimmed = text.trim();
    let (negative, digits) = match trimmed.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, trimmed.strip_prefix('+').unwrap_or(trimmed)),
    };
    let sign = if negative { -1 } else { 1 };
    if let Some(hex) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        let value = u64::from_str_radix(hex, 16).map_err(|_| wrong())?;
        return Ok(Number::Int { value: sign * i128::from(value), hex: !negative });
    }
    match digits.to_ascii_lowercase().as_str() {
        "inf" | "infinity" => return Ok(Number::Float(f64::INFINITY * f64::from(sign as i8))),
        "nan" => return Ok(Number::Float(f64::NAN)),
        _ => {}
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Err(wrong());
    }
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        // 38 digits always fit; more would be out of every type's range anyway, as a floating-point number shows.
        if digits.len() <= 38 {
            let value: i128 = digits.parse().map_err(|_| wrong())?;
            return Ok(match (negative, value) {
                // An integer has no negative zero, and a float parameter may want one.
                (true, 0) => Number::Float(-0.0),
                _ => Number::Int { value: sign * value, hex: false },
            });
        }
    }
    // Kernel authors write `1.5f`.
    let digits = digits.strip_suffix(['f', 'F']).unwrap_or(digits);
    let value: f64 = digits.parse().map_err(|_| wrong())?;
    Ok(Number::Float(value * f64::from(sign as i8)))
}

impl Number {
    /// The value, rounded where a double has too few bits.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Int { value, .. } => value as f64,
            Number::Float(value) => value,
        }
    }

    fn text(self) -> String {
        match self {
            Number::Int { value, hex: true } => format!("{value:#x}"),
            Number::Int { value, hex: false } => value.to_string(),
            Number::Float(value) => float_text(value),
        }
    }

    /// Appends the number as a value of `scalar`.
    pub fn encode(self, scalar: Scalar, out: &mut Vec<u8>) -> Result<(), NumberError> {
        if scalar.is_float() {
            return encode_float(self.to_f64(), scalar, out).ok_or_else(|| self.range(scalar));
        }
        let (least, greatest) = scalar.range();
        let value = match self {
            Number::Int { value, .. } => value,
            // Only "-0" arrives here as a float and is an integer.
            Number::Float(value) if value == 0.0 && value.is_sign_negative() => 0,
            Number::Float(_) => {
                return Err(NumberError::Fraction { text: self.text(), scalar: scalar.name() });
            }
        };
        // A hexadecimal number is a bit pattern: 0xffffffff is the int -1.
        let pattern = matches!(self, Number::Int { hex: true, .. }) && value < 1i128 << (scalar.size() * 8);
        if !pattern && !(least..=greatest).contains(&value) {
            return Err(self.range(scalar));
        }
        out.extend_from_slice(&value.to_le_bytes()[..scalar.size()]);
        Ok(())
    }

    fn range(self, scalar: Scalar) -> NumberError {
        let (least, greatest) = match scalar {
            Scalar::Half => ("-65504".to_owned(), "65504".to_owned()),
            Scalar::Float => (float_text(f64::from(f32::MIN)), float_text(f64::from(f32::MAX))),
            Scalar::Double => (float_text(f64::MIN), float_text(f64::MAX)),
            integer => {
                let (least, greatest) = integer.range();
                (least.to_string(), greatest.to_string())
            }
        };
        NumberError::Range { text: self.text(), scalar: scalar.name(), least, greatest }
    }
}

/// Appends a float rounded to `scalar`; `None` where a finite value would become an infinity.
fn encode_float(value: f64, scalar: Scalar, out: &mut Vec<u8>) -> Option<()> {
    match scalar {
        Scalar::Half => {
            let bits = half::from_f64(value);
            if value.is_finite() && bits & 0x7fff == 0x7c00 {
                return None;
            }
            out.extend_from_slice(&bits.to_le_bytes());
        }
        Scalar::Float => {
            let narrow = value as f32;
            if value.is_finite() && narrow.is_infinite() {
                return None;
            }
            out.extend_from_slice(&narrow.to_le_bytes());
        }
        _ => out.extend_from_slice(&value.to_le_bytes()),
    }
    Some(())
}

fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    for (to, from) in out.iter_mut().zip(bytes) {
        *to = *from;
    }
    out
}

/// The value of one lane, integers exactly.
pub fn decode(bytes: &[u8], scalar: Scalar) -> Number {
    match scalar {
        Scalar::Half => Number::Float(half::to_f64(u16::from_le_bytes(array(bytes)))),
        Scalar::Float => Number::Float(f64::from(f32::from_le_bytes(array(bytes)))),
        Scalar::Double => Number::Float(f64::from_le_bytes(array(bytes))),
        integer => {
            let raw = i128::from(u64::from_le_bytes(array(bytes)));
            let (_, greatest) = integer.range();
            let value =
                if integer.is_signed() && raw > greatest { raw - (1 << (integer.size() * 8)) } else { raw };
            Number::Int { value, hex: false }
        }
    }
}

/// The text of one lane: the shortest that reads back as the same value.
pub fn text(bytes: &[u8], scalar: Scalar) -> String {
    match scalar {
        Scalar::Float => {
            let value = f32::from_le_bytes(array(bytes));
            let magnitude = value.abs();
            if magnitude != 0.0 && value.is_finite() && !(1e-5..1e16).contains(&magnitude) {
                format!("{value:e}")
            } else if value.is_nan() {
                "nan".to_owned()
            } else {
                value.to_string()
            }
        }
        _ => match decode(bytes, scalar) {
            Number::Int { value, .. } => value.to_string(),
            Number::Float(value) => float_text(value),
        },
    }
}

/// The text of a float: the shortest that reads back, with an exponent where plain digits would be long.
pub fn float_text(value: f64) -> String {
    let magnitude = value.abs();
    if value.is_nan() {
        "nan".to_owned()
    } else if magnitude != 0.0 && value.is_finite() && !(1e-5..1e16).contains(&magnitude) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str, scalar: Scalar) -> Result<Vec<u8>, NumberError> {
        let mut out = Vec::new();
        parse(text)?.encode(scalar, &mut out)?;
        Ok(out)
    }

    #[test]
    fn numbers_read_as_written() {
        assert_eq!(bytes("-5", Scalar::Int), Ok((-5i32).to_le_bytes().to_vec()));
        assert_eq!(bytes("0xffffffff", Scalar::Int), Ok(vec![255; 4]));
        assert_eq!(bytes("0xff", Scalar::Char), Ok(vec![255]));
        assert_eq!(bytes("18446744073709551615", Scalar::ULong), Ok(vec![255; 8]));
        assert_eq!(bytes("1.5f", Scalar::Float), Ok(1.5f32.to_le_bytes().to_vec()));
        assert_eq!(bytes("3", Scalar::Float), Ok(3f32.to_le_bytes().to_vec()));
        assert_eq!(bytes("-0", Scalar::Float), Ok((-0f32).to_le_bytes().to_vec()));
        assert_eq!(bytes("-0", Scalar::Int), Ok(vec![0; 4]));
        assert_eq!(bytes("-inf", Scalar::Double), Ok(f64::NEG_INFINITY.to_le_bytes().to_vec()));
        assert_eq!(bytes("1e-3", Scalar::Float), Ok(1e-3f32.to_le_bytes().to_vec()));
        assert_eq!(bytes(".5", Scalar::Half), Ok(0x3800u16.to_le_bytes().to_vec()));
    }

    #[test]
    fn wrong_numbers_say_why() {
        let text = |t, s| bytes(t, s).map_err(|e| e.to_string());
        assert_eq!(text("300", Scalar::UChar), Err("300 is out of range for uchar (0 to 255)".into()));
        assert_eq!(text("-1", Scalar::UInt), Err("-1 is out of range for uint (0 to 4294967295)".into()));
        assert_eq!(text("2.5", Scalar::Int), Err("`2.5` is not an integer, and the type is int".into()));
        assert_eq!(text("abc", Scalar::Int), Err("`abc` is not a number".into()));
        assert_eq!(text("0x1ff", Scalar::Char), Err("0x1ff is out of range for char (-128 to 127)".into()));
        assert!(text("1e39", Scalar::Float).is_err());
        for junk in ["", "-", "1.2.3", "--1", "0x", "1e", "e5", "f", "1_000", "nanx", "é"] {
            assert!(parse(junk).is_err(), "{junk}");
        }
    }

    #[test]
    fn text_reads_back() {
        for value in [0f32, -0.0, 1.0, 0.1, 1e-20, 3.4e38, 16777216.0, f32::INFINITY, -1.5e-7] {
            let shown = text(&value.to_le_bytes(), Scalar::Float);
            assert_eq!(bytes(&shown, Scalar::Float), Ok(value.to_le_bytes().to_vec()), "{shown}");
        }
        assert_eq!(text(&[0xfe], Scalar::Char), "-2");
        assert_eq!(text(&[0xfe], Scalar::UChar), "254");
        assert_eq!(text(&i64::MIN.to_le_bytes(), Scalar::Long), i64::MIN.to_string());
    }
}
