//! The digits of floating-point numbers as printf writes them, exactly rounded, in no locale.
//!
//! In: a number that is finite and not negative. Out: its digits in one of the four styles of C's printf.

/// How a number is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `%f`
    Fixed,
    /// `%e`
    Exponent,
    /// `%g`
    General,
    /// `%a`, without the `0x`.
    Hexadecimal,
}

/// The digits of `value`. `keep_point`: the `#` flag.
pub(crate) fn digits(value: f64, style: Style, precision: Option<usize>, keep_point: bool) -> String {
    match style {
        Style::Fixed => fixed(value, precision.unwrap_or(6), keep_point),
        Style::Exponent => exponent(value, precision.unwrap_or(6), keep_point),
        Style::General => general(value, precision.unwrap_or(6).max(1), keep_point),
        Style::Hexadecimal => hexadecimal(value, precision, keep_point),
    }
}

fn fixed(value: f64, precision: usize, keep_point: bool) -> String {
    let point = if keep_point && precision == 0 { "." } else { "" };
    format!("{value:.precision$}{point}")
}

/// The digits before the exponent, and the exponent.
fn scientific(value: f64, precision: usize) -> (String, i32) {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.to_owned(), exponent.parse().unwrap_or(0))
}

fn with_exponent(digits: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

fn exponent(value: f64, precision: usize, keep_point: bool) -> String {
    let (mut digits, exponent) = scientific(value, precision);
    if keep_point && precision == 0 {
        digits.push('.');
    }
    with_exponent(&digits, exponent)
}

fn general(value: f64, precision: usize, keep_point: bool) -> String {
    let (digits, exponent) = scientific(value, precision - 1);
    // The style depends on the exponent after rounding.
    let is_fixed = exponent >= -4 && usize::try_from(exponent).unwrap_or(0) < precision;
    let mut text = if is_fixed {
        let places = i64::try_from(precision).unwrap_or(i64::MAX) - 1 - i64::from(exponent);
        format!("{value:.*}", usize::try_from(places).unwrap_or(0))
    } else {
        digits
    };
    if keep_point {
        if !text.contains('.') {
            text.push('.');
        }
    } else if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    if is_fixed { text } else { with_exponent(&text, exponent) }
}

/// Bits of a double's fraction.
const FRACTION_BITS: usize = 52;

fn hexadecimal(value: f64, precision: Option<usize>, keep_point: bool) -> String {
    let bits = value.to_bits();
    let fraction = bits & ((1 << FRACTION_BITS) - 1);
    let biased = i32::try_from(bits >> FRACTION_BITS & 0x7ff).unwrap_or(0);
    let (mut lead, mut exponent) = if biased == 0 { (0, -1022) } else { (1, biased - 1023) };
    if value == 0.0 {
        exponent = 0;
    }
    let most = FRACTION_BITS / 4;
    let mut digits = format!("{fraction:013x}");
    match precision {
        None => digits.truncate(digits.trim_end_matches('0').len()),
        Some(places) if places < most => {
            // Round to even at the last digit kept.
            let cut = 4 * (most - places);
            let whole = (lead << FRACTION_BITS) | fraction;
            let (kept, rest, half) = (whole >> cut, whole & ((1 << cut) - 1), 1_u64 << (cut - 1));
            let up = rest > half || (rest == half && kept & 1 == 1);
            let rounded = kept + u64::from(up);
            lead = rounded >> (4 * places);
            let mask = (1_u64 << (4 * places)) - 1;
            digits = if places == 0 { String::new() } else { format!("{:0places$x}", rounded & mask) };
        }
        Some(places) => digits.push_str(&"0".repeat(places - most)),
    }
    let point = if digits.is_empty() && !keep_point { "" } else { "." };
    format!("{lead:x}{point}{digits}p{exponent:+}")
}

/// The number with these bits of a half.
pub(crate) fn of_half(bits: u64) -> f64 {
    let fraction = (bits & 0x3ff) as f64;
    let magnitude = match bits >> 10 & 0x1f {
        0 => fraction * (-24_f64).exp2(),
        0x1f if fraction == 0.0 => f64::INFINITY,
        0x1f => f64::NAN,
        exponent => (1024.0 + fraction) * (exponent as f64 - 25.0).exp2(),
    };
    if bits & 0x8000 == 0 { magnitude } else { -magnitude }
}
