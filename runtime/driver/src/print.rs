//! What kernels print: records of a print buffer become text.
//!
//! In: the records, as `oxcl_binary::abi::PrintBlock` describes them, and a way to read the formats that they point to.
//! Out: the text that OpenCL C 3.0, section 6.15.14, asks for. A record that does not hold what its format takes ends
//! early; nothing is read beyond it, whatever the kernel wrote.

use std::borrow::Cow;

use oxcl_binary::abi::{PRINT_DOUBLES, PRINT_FLOATS, PRINT_FORMAT_POINTER, PRINT_SIZE_SHIFT};

use crate::print_float::{self, Style};

/// The text of `records`. `text_at` gives the bytes, without the terminating zero, that an address in the kernel's
/// constants leads to.
#[must_use]
pub fn text<'a>(records: &[u8], text_at: &dyn Fn(u64) -> Option<Cow<'a, [u8]>>) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = Reader(records);
    while let Some(word) = rest.number(4) {
        let word = u32::try_from(word).unwrap_or(u32::MAX);
        let size = (word >> PRINT_SIZE_SHIFT) as usize;
        let Some(body) = size.checked_sub(4).and_then(|size| rest.take(size)) else { break };
        // PoCL's records always have these flags too, but for formats that no constant holds.
        if word & (PRINT_DOUBLES | PRINT_FLOATS) == 0 {
            continue;
        }
        let mut arguments = Reader(body);
        let format = if word & PRINT_FORMAT_POINTER == 0 {
            arguments.string().map(Cow::Borrowed)
        } else {
            arguments.number(8).and_then(text_at)
        };
        if let Some(format) = format {
            record(&mut out, &format, &mut arguments, word & PRINT_FLOATS != 0);
        }
    }
    out
}

/// Takes bytes from the front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    /// An integer of so many bytes.
    fn number(&mut self, bytes: usize) -> Option<u64> {
        self.take(bytes).map(little_endian)
    }

    /// A string, without the zero at its end.
    fn string(&mut self) -> Option<&'a [u8]> {
        let end = self.0.iter().position(|byte| *byte == 0)?;
        let text = self.take(end + 1)?;
        Some(&text[..end])
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// How a number is laid out.
#[derive(Debug, Clone, Copy, Default)]
struct Layout {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// A conversion, as the format writes it.
#[derive(Debug, Clone, Copy)]
struct Conversion {
    layout: Layout,
    /// Elements of a vector; `None` for a scalar.
    vector: Option<usize>,
    /// Bytes of an element, where the format says it.
    size: Option<usize>,
    letter: u8,
}

/// Widths and precisions beyond this are cut off: no format that somebody reads has them.
const WIDEST: usize = 4096;

impl Conversion {
    /// Reads what follows a percent sign. `word`: the bytes of sizes.
    fn parse(format: &mut Reader<'_>, word: usize) -> Option<Conversion> {
        let mut layout = Layout::default();
        let peek = |format: &Reader<'_>| format.0.first().copied();
        while let Some(flag) = peek(format) {
            match flag {
                b'-' => layout.left = true,
                b'+' => layout.plus = true,
                b' ' => layout.space = true,
                b'#' => layout.alternative = true,
                b'0' => layout.zero = true,
                _ => break,
            }
            format.take(1);
        }
        let digits = |format: &mut Reader<'_>| {
            let mut number = 0_usize;
            while let Some(digit) = format.0.first().filter(|byte| byte.is_ascii_digit()) {
                number = (number * 10 + usize::from(digit - b'0')).min(WIDEST);
                format.take(1);
            }
            number
        };
        layout.width = digits(format);
        if peek(format) == Some(b'.') {
            format.take(1);
            layout.precision = Some(digits(format));
        }
        let vector = (peek(format) == Some(b'v')).then(|| {
            format.take(1);
            digits(format)
        });
        let mut lengths = Vec::new();
        while let Some(length) = peek(format).filter(|byte| b"hlzt".contains(byte)) {
            lengths.push(length);
            format.take(1);
        }
        let size = match lengths.as_slice() {
            b"hh" => Some(1),
            b"h" => Some(2),
            b"hl" => Some(4),
            b"l" => Some(8),
            // Sizes and distances.
            b"z" | b"t" => Some(word),
            _ => None,
        };
        let letter = peek(format)?;
        format.take(1);
        Some(Conversion { layout, vector, size, letter })
    }
}

/// Adds the text of one record, whose floating-point scalars are `floats`, as those of 32-bit devices are, or doubles. Stops where the record has no argument for a conversion.
fn record(out: &mut Vec<u8>, format: &[u8], arguments: &mut Reader<'_>, floats: bool) {
    let mut format = Reader(format);
    let word = if floats { 4 } else { 8 };
    while let Some(byte) = format.take(1) {
        if byte != b"%" {
            out.extend(byte);
            continue;
        }
        let Some(conversion) = Conversion::parse(&mut format, word) else { return };
        if conversion.letter == b'%' {
            out.push(b'%');
        } else if convert(out, &conversion, arguments, floats).is_none() {
            return;
        }
    }
}

/// Adds the text of one conversion.
fn convert(
    out: &mut Vec<u8>,
    conversion: &Conversion,
    arguments: &mut Reader<'_>,
    floats: bool,
) -> Option<()> {
    let is_float = b"fFeEgGaA".contains(&conversion.letter);
    let Some(count) = conversion.vector else {
        if conversion.letter == b's' {
            let text = arguments.string()?;
            let shown = &text[..text.len().min(conversion.layout.precision.unwrap_or(usize::MAX))];
            pad(out, &conversion.layout, b"", shown, false);
            return Some(());
        }
        let cell = arguments.number(8)?;
        if is_float && floats {
            let single = f32::from_bits((cell & u64::from(u32::MAX)) as u32);
            float(out, conversion, f64::from(single));
        } else if is_float {
            float(out, conversion, f64::from_bits(cell));
        } else {
            integer(out, conversion, cell, conversion.size.unwrap_or(4));
        }
        return Some(());
    };
    let size = conversion.size.unwrap_or(4);
    let room = if count == 3 { 4 } else { count };
    let elements = arguments.take((room * size).max(8))?;
    for (index, element) in elements.chunks_exact(size).take(count).enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let bits = little_endian(element);
        match (is_float, size) {
            (false, _) => integer(out, conversion, bits, size),
            (true, 8) => float(out, conversion, f64::from_bits(bits)),
            (true, 2) => float(out, conversion, print_float::of_half(bits)),
            (true, _) => {
                let single = f32::from_bits(u32::try_from(bits).unwrap_or_default());
                float(out, conversion, f64::from(single));
            }
        }
    }
    Some(())
}

/// Adds a sign or prefix and digits, filled up to the width; `zeros`: with zeros between the two.
fn pad(out: &mut Vec<u8>, layout: &Layout, prefix: &[u8], body: &[u8], zeros: bool) {
    let missing = layout.width.saturating_sub(prefix.len() + body.len());
    let fill = |out: &mut Vec<u8>, byte| out.resize(out.len() + missing, byte);
    if !layout.left && !zeros {
        fill(out, b' ');
    }
    out.extend_from_slice(prefix);
    if !layout.left && zeros {
        fill(out, b'0');
    }
    out.extend_from_slice(body);
    if layout.left {
        fill(out, b' ');
    }
}

/// The sign in front of a number that has one.
fn sign(layout: &Layout, negative: bool) -> &'static [u8] {
    match (negative, layout.plus, layout.space) {
        (true, ..) => b"-",
        (_, true, _) => b"+",
        (_, _, true) => b" ",
        _ => b"",
    }
}

fn integer(out: &mut Vec<u8>, conversion: &Conversion, cell: u64, size: usize) {
    let layout = &conversion.layout;
    let unused = 64 - 8 * u32::try_from(size).unwrap_or(8);
    let unsigned = cell << unused >> unused;
    let signed = (cell << unused).cast_signed() >> unused;
    let (mut prefix, mut digits) = match conversion.letter {
        b'd' | b'i' => (sign(layout, signed < 0), signed.unsigned_abs().to_string()),
        b'u' => (&b""[..], unsigned.to_string()),
        b'o' => (&b""[..], format!("{unsigned:o}")),
        b'x' => (&b"0x"[..], format!("{unsigned:x}")),
        b'X' => (&b"0X"[..], format!("{unsigned:X}")),
        b'p' => {
            pad(out, layout, b"0x", format!("{cell:x}").as_bytes(), false);
            return;
        }
        b'c' => {
            pad(out, layout, b"", &cell.to_le_bytes()[..1], false);
            return;
        }
        // No conversion of OpenCL C's.
        _ => return,
    };
    let is_hexadecimal = matches!(conversion.letter, b'x' | b'X');
    if is_hexadecimal && (!layout.alternative || unsigned == 0) {
        prefix = b"";
    }
    if layout.precision == Some(0) && digits == "0" {
        digits.clear();
    }
    let missing = layout.precision.unwrap_or(0).saturating_sub(digits.len());
    digits.insert_str(0, &"0".repeat(missing));
    if conversion.letter == b'o' && layout.alternative && !digits.starts_with('0') {
        digits.insert(0, '0');
    }
    pad(out, layout, prefix, digits.as_bytes(), layout.zero && layout.precision.is_none());
}

fn float(out: &mut Vec<u8>, conversion: &Conversion, value: f64) {
    let layout = &conversion.layout;
    let upper = conversion.letter.is_ascii_uppercase();
    let mut prefix = sign(layout, value.is_sign_negative()).to_vec();
    let magnitude = value.abs();
    let mut body = if magnitude.is_nan() {
        "nan".to_owned()
    } else if magnitude.is_infinite() {
        "inf".to_owned()
    } else {
        let style = match conversion.letter.to_ascii_lowercase() {
            b'e' => Style::Exponent,
            b'g' => Style::General,
            b'a' => Style::Hexadecimal,
            _ => Style::Fixed,
        };
        if style == Style::Hexadecimal {
            prefix.extend_from_slice(b"0x");
        }
        print_float::digits(magnitude, style, layout.precision, layout.alternative)
    };
    if upper {
        prefix.make_ascii_uppercase();
        body.make_ascii_uppercase();
    }
    pad(out, layout, &prefix, body.as_bytes(), layout.zero && magnitude.is_finite());
}

#[cfg(test)]
#[path = "print_tests.rs"]
mod tests;
