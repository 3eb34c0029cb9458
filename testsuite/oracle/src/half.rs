//! IEEE binary16: eleven bits, exponents from -14 to 15, subnormals below.

/// The number that a pattern stands for.
pub(crate) fn value(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let fraction = f64::from(bits & 0x3ff);
    match i32::from(bits >> 10 & 0x1f) {
        0 => sign * fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        exponent => sign * (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    }
}

/// The nearest half, the even one of two, if it is zero because the number is, or neither subnormal nor infinite.
pub(crate) fn rounded(number: f64) -> Option<u16> {
    let sign = if number.is_sign_negative() { 0x8000 } else { 0 };
    if number == 0.0 {
        return Some(sign);
    }
    if !number.is_normal() {
        return None;
    }
    // The number is `steps` times the distance of halves near it.
    let exponent = (number.to_bits() >> 52 & 0x7ff) as i32 - 1023;
    let steps = (number.abs() * 2_f64.powi(10 - exponent)).round_ties_even();
    let (steps, exponent) = if steps == 2048.0 { (1024.0, exponent + 1) } else { (steps, exponent) };
    (-14..=15).contains(&exponent).then(|| sign | ((exponent + 15) as u16) << 10 | (steps as u16 & 0x3ff))
}

#[cfg(test)]
mod tests {
    use super::{rounded, value};

    #[test]
    fn normal_numbers_are_their_own() {
        for bits in (0x0400..0x7c00).chain(0x8400..0xfc00).chain([0, 0x8000]) {
            assert_eq!(rounded(value(bits)), Some(bits));
        }
    }

    #[test]
    fn numbers_between_two_halves_go_to_the_nearer_or_even_one() {
        assert_eq!(rounded(2049.0), Some(0x6800));
        assert_eq!(rounded(2051.0), Some(0x6802));
        assert_eq!(rounded(2049.0001), Some(0x6801));
        assert_eq!(rounded(-65519.999), Some(0xfbff));
        assert_eq!(rounded(1.9999), Some(0x4000));
        for refused in [65520.0, -1e300, 3e-5, f64::INFINITY, f64::NAN] {
            assert_eq!(rounded(refused), None);
        }
    }
}
