//! Floating-point operations on bit patterns, with one NaN.
//!
//! The host's arithmetic is IEEE 754 with rounding to nearest and subnormals kept; only which NaN comes out is left open
//! by it, so every result that is a NaN becomes the canonical one.

/// A number format whose bit patterns travel in 64-bit carriers.
pub(super) trait Format: Copy + PartialOrd {
    /// The number with these bits.
    fn of(bits: u64) -> Self;
    /// The bits of the number; the canonical pattern for a NaN.
    fn bits(self) -> u64;
    /// Whether it is no number.
    fn nan(self) -> bool;
}

impl Format for f32 {
    fn of(bits: u64) -> Self {
        f32::from_bits((bits & 0xffff_ffff) as u32)
    }

    fn bits(self) -> u64 {
        if self.is_nan() { 0x7fc0_0000 } else { u64::from(self.to_bits()) }
    }

    fn nan(self) -> bool {
        self.is_nan()
    }
}

impl Format for f64 {
    fn of(bits: u64) -> Self {
        f64::from_bits(bits)
    }

    fn bits(self) -> u64 {
        if self.is_nan() { 0x7ff8_0000_0000_0000 } else { self.to_bits() }
    }

    fn nan(self) -> bool {
        self.is_nan()
    }
}

/// Whether two numbers can be ordered.
pub(super) fn ordered<F: Format>(a: F, b: F) -> bool {
    !a.nan() && !b.nan()
}

/// The smaller, or the second if they cannot be ordered.
pub(super) fn min<F: Format>(a: F, b: F) -> F {
    if a < b { a } else { b }
}

/// The larger, or the second if they cannot be ordered.
pub(super) fn max<F: Format>(a: F, b: F) -> F {
    if a > b { a } else { b }
}

/// To a signed 32-bit integer, towards zero.
pub(super) fn to_i32(x: f32) -> u64 {
    let value = if x.is_nan() { i32::MAX } else { x as i32 };
    u64::from(value.cast_unsigned())
}

/// To an unsigned 32-bit integer, towards zero.
pub(super) fn to_u32(x: f32) -> u64 {
    u64::from(if x.is_nan() { u32::MAX } else { x as u32 })
}

/// To a signed 64-bit integer, towards zero.
pub(super) fn to_i64(x: f64) -> u64 {
    (if x.is_nan() { i64::MAX } else { x as i64 }).cast_unsigned()
}

/// To an unsigned 64-bit integer, towards zero.
pub(super) fn to_u64(x: f64) -> u64 {
    if x.is_nan() { u64::MAX } else { x as u64 }
}
