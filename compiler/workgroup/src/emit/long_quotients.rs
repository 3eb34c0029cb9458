//! Divisions of integers of 64 bits in lanes by a constant: a product, of which the high half is kept, and shifts.
//!
//! LLVM does the same for 32 bits and less, but takes vectors of 64 bits apart for it, as no machine has the high half of their
//! products. Here it is made of four products of 32 bits, which all machines have. The numbers to multiply by are those of Granlund and
//! Montgomery, "Division by invariant integers using multiplication" (1994): with `m` the least integer no less than `2^(64+s) / d`,
//! the quotient is the high half of `m n`, shifted by `s`, for all `n` if `m d - 2^(64+s)` is at most `2^s`.
//!
//! In: lanes, and a divisor that is the same for all and no power of two. Numbers with a sign are divided without, and get it back.

use super::quotients::divides;
use oxcl_ir::{Builder, Opcode, TypeKind, Value};

/// What a division of 64 bits divides by, if it can be made so.
pub(crate) fn long_divisor(division: Value<'_>) -> Option<i64> {
    if !divides(division) || !matches!(division.ty().kind(), TypeKind::Int(64)) {
        return None;
    }
    let divisor = division.operand(1).as_int()?;
    (divisor != 0 && !magnitude(division.opcode()?, divisor).is_power_of_two()).then_some(divisor)
}

fn is_signed(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::LLVMSDiv | Opcode::LLVMSRem)
}

fn magnitude(opcode: Opcode, divisor: i64) -> u64 {
    if is_signed(opcode) { divisor.unsigned_abs() } else { divisor.cast_unsigned() }
}

/// How to divide by a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reciprocal {
    multiplier: u64,
    shift: u32,
    /// The multiplier has a 65th bit.
    is_long: bool,
}

impl Reciprocal {
    /// Of a number that is no power of two.
    fn of(divisor: u64) -> Self {
        let wide = u128::from(divisor);
        for shift in 0..64 {
            let power = 1_u128 << (64 + shift);
            let multiplier = power / wide + 1;
            let Ok(short) = u64::try_from(multiplier) else { break };
            if multiplier * wide - power <= 1 << shift {
                return Reciprocal { multiplier: short, shift, is_long: false };
            }
        }
        let bits = 64 - divisor.leading_zeros();
        let above = ((1_u128 << bits) - wide) << 64;
        let multiplier = (above / wide + 1) as u64;
        Reciprocal { multiplier, shift: bits - 1, is_long: true }
    }
}

/// The quotients, or what is left, of a vector of lanes.
pub(super) fn divide<'c>(
    b: &Builder<'c>,
    opcode: Opcode,
    dividends: Value<'c>,
    divisor: i64,
    width: u32,
) -> Value<'c> {
    let number = |number: u64| b.splat(b.i64(number.cast_signed()), width, "");
    let signs = is_signed(opcode).then(|| b.binary(Opcode::LLVMAShr, dividends, number(63), "signs"));
    let negate_by = |value: Value<'c>, signs: Value<'c>| {
        b.binary(Opcode::LLVMSub, b.binary(Opcode::LLVMXor, value, signs, ""), signs, "")
    };
    let magnitudes = signs.map_or(dividends, |signs| negate_by(dividends, signs));
    let reciprocal = Reciprocal::of(magnitude(opcode, divisor));
    let product = high_half(b, magnitudes, reciprocal.multiplier, &number);
    let shifted = |value: Value<'c>, by: u32| match by {
        0 => value,
        by => b.binary(Opcode::LLVMLShr, value, number(u64::from(by)), ""),
    };
    let quotient = if reciprocal.is_long {
        // The product and the dividend together have 65 bits: half of their difference is added first.
        let half = shifted(b.binary(Opcode::LLVMSub, magnitudes, product, ""), 1);
        shifted(b.binary(Opcode::LLVMAdd, half, product, ""), reciprocal.shift)
    } else {
        shifted(product, reciprocal.shift)
    };
    let quotient = match signs {
        Some(signs) if divisor < 0 => {
            let others = b.binary(Opcode::LLVMXor, signs, number(u64::MAX), "");
            negate_by(quotient, others)
        }
        Some(signs) => negate_by(quotient, signs),
        None => quotient,
    };
    if matches!(opcode, Opcode::LLVMSDiv | Opcode::LLVMUDiv) {
        return quotient;
    }
    let whole = b.binary(Opcode::LLVMMul, quotient, number(divisor.cast_unsigned()), "");
    let rest = b.binary(Opcode::LLVMSub, dividends, whole, "rest");
    if signs.is_some() {
        return rest;
    }
    // It has these bits only, which LLVM does not see, and computes with fewer where it knows.
    let bits = u64::MAX >> divisor.cast_unsigned().leading_zeros();
    b.and(rest, number(bits), "")
}

/// The high half of the products with a number, by the halves of both.
fn high_half<'c>(
    b: &Builder<'c>,
    values: Value<'c>,
    by: u64,
    number: &impl Fn(u64) -> Value<'c>,
) -> Value<'c> {
    const LOW: u64 = 0xffff_ffff;
    let low = |value: Value<'c>| b.and(value, number(LOW), "");
    let high = |value: Value<'c>| b.binary(Opcode::LLVMLShr, value, number(32), "");
    let times = |value: Value<'c>, by: u64| b.binary(Opcode::LLVMMul, value, number(by), "");
    let add = |left: Value<'c>, right: Value<'c>| b.binary(Opcode::LLVMAdd, left, right, "");
    let (lower, upper) = (low(values), high(values));
    // No sum needs more than 64 bits: a product of 32 bits leaves room for two numbers of 32 bits.
    let middle = add(times(upper, by & LOW), high(times(lower, by & LOW)));
    let other = add(times(lower, by >> 32), low(middle));
    add(add(times(upper, by >> 32), high(middle)), high(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As [`divide`] computes it.
    fn quotient(dividend: u64, by: Reciprocal) -> u64 {
        let product = ((u128::from(dividend) * u128::from(by.multiplier)) >> 64) as u64;
        if by.is_long { (((dividend - product) >> 1) + product) >> by.shift } else { product >> by.shift }
    }

    #[test]
    fn reciprocals_divide() {
        let mut seed = 1_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed ^ (seed >> 29)) >> (seed >> 58)
        };
        let small = (3..2000).chain([7_u64 << 40, u64::MAX, u64::MAX - 1, (1 << 63) + 1, (1 << 63) - 1]);
        let drawn: Vec<u64> = (0..4000).map(|_| next()).collect();
        let divisors = small.chain(drawn).filter(|divisor| *divisor > 2 && !divisor.is_power_of_two());
        let mut long = 0;
        for divisor in divisors {
            let by = Reciprocal::of(divisor);
            long += u32::from(by.is_long);
            let multiple = (u64::MAX / divisor).wrapping_mul(divisor);
            let edges =
                [0, 1, divisor - 1, divisor, divisor.wrapping_add(1), multiple, multiple - 1, u64::MAX];
            for dividend in edges.into_iter().chain((0..16).map(|_| next())) {
                assert_eq!(quotient(dividend, by), dividend / divisor, "{dividend} / {divisor} by {by:?}");
            }
        }
        assert!(long > 100, "{long} with 65 bits");
    }
}
