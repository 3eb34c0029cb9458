//! IEEE binary16 on the host, which Rust's stable library lacks: exact widening, and narrowing that rounds to nearest,
//! ties to even.

/// The value of a binary16 bit pattern.
pub fn to_f64(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f64::from(bits & 0x3ff);
    match exponent {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        e => sign * (1024.0 + fraction) * 2f64.powi(e - 25),
    }
}

/// The binary16 nearest to a value; finite values from 65520 on become infinities.
pub fn from_f64(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if value.is_nan() {
        return 0x7e00;
    }
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    // The step between neighbours is 2^(e-10); subnormals share that of the least normal exponent, -14.
    let exponent = if magnitude < 2f64.powi(-14) { -14 } else { magnitude.log2().floor() as i32 };
    // log2 may round up next to a power of two; the scaled value then lies below 1024 and needs the finer step.
    let exponent = if exponent > -14 && magnitude < 2f64.powi(exponent) { exponent - 1 } else { exponent };
    let scaled = (magnitude * 2f64.powi(10 - exponent)).round_ties_even() as u16;
    // A normal number has its leading 1 at bit 10, which adds one to the exponent field; so does a carry.
    sign | (((exponent + 14) as u16) << 10).wrapping_add(scaled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_reads_back() {
        for bits in 0..=u16::MAX {
            let value = to_f64(bits);
            if value.is_nan() {
                assert!(to_f64(from_f64(value)).is_nan());
            } else {
                assert_eq!(from_f64(value), bits, "{value}");
            }
        }
    }

    #[test]
    fn ties_go_to_even() {
        assert_eq!(from_f64(2049.0), from_f64(2048.0));
        assert_eq!(from_f64(2051.0), from_f64(2052.0));
        assert_eq!(from_f64(2f64.powi(-25)), 0);
        assert_eq!(from_f64(2f64.powi(-25) * 1.01), 1);
        assert_eq!(from_f64(65519.9), 0x7bff);
    }
}
