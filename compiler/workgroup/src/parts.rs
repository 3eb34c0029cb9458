//! Numbers that are put together again of their parts: `(i / w) * w + i % w`, and with shifts and masks `(i >> 3) * 8 + (i & 7)`.
//!
//! Kernels take an id apart into a row and a column, and then address by both. The sum is the id, which lanes have one behind
//! the other; of the parts nobody could tell.
//!
//! In and out: a kernel whose divisions are not guarded yet. A sum of a product and the rest becomes the number that was divided. What
//! OpenCL gives no value (a division by 0, a product that wraps around) has one then. Parts that nobody else uses are dead afterwards.

use oxcl_ir::{Function, Opcode, Value};

/// Rewrites the sums of a kernel.
pub(crate) fn join(kernel: Function<'_>) {
    for sum in kernel.instructions() {
        let adds = match sum.opcode() {
            Some(Opcode::LLVMAdd) => true,
            Some(Opcode::LLVMOr) => false,
            _ => continue,
        };
        let (a, b) = (sum.operand(0), sum.operand(1));
        if let Some(whole) = whole(a, b, adds).or_else(|| whole(b, a, adds)) {
            sum.replace_uses_with(whole);
        }
    }
}

/// The number that `high`, a multiple of a divisor, and `low`, the rest, are the parts of. `adds`: they are added; else their bits
/// are joined, which is the same where the divisor is a power of two.
fn whole<'c>(high: Value<'c>, low: Value<'c>, adds: bool) -> Option<Value<'c>> {
    by_bits(high, low).or_else(|| if adds { by_division(high, low) } else { None })
}

/// `(x / n) * n` and `x % n`.
fn by_division<'c>(high: Value<'c>, low: Value<'c>) -> Option<Value<'c>> {
    let rest = match low.opcode()? {
        Opcode::LLVMSRem => Opcode::LLVMSDiv,
        Opcode::LLVMURem => Opcode::LLVMUDiv,
        _ => return None,
    };
    let (number, divisor) = (low.operand(0), low.operand(1));
    let is_quotient =
        |value: Value<'c>| value.is(rest) && value.operand(0) == number && value.operand(1) == divisor;
    let is_product = high.is(Opcode::LLVMMul)
        && [(0, 1), (1, 0)].iter().any(|&(quotient, factor)| {
            is_quotient(high.operand(quotient)) && high.operand(factor) == divisor
        });
    is_product.then_some(number)
}

/// `(x >> k) << k` and `x & (2^k - 1)`, whichever way they are written.
fn by_bits<'c>(high: Value<'c>, low: Value<'c>) -> Option<Value<'c>> {
    let (number, bits) = low_bits(low)?;
    let quotient = match high.opcode()? {
        Opcode::LLVMShl if high.operand(1).as_int() == Some(bits) => high.operand(0),
        Opcode::LLVMMul if high.operand(1).as_int() == Some(1 << bits) => high.operand(0),
        Opcode::LLVMMul if high.operand(0).as_int() == Some(1 << bits) => high.operand(1),
        _ => return None,
    };
    let shifts = match quotient.opcode()? {
        Opcode::LLVMLShr | Opcode::LLVMAShr => quotient.operand(1).as_int() == Some(bits),
        Opcode::LLVMUDiv => quotient.operand(1).as_int() == Some(1 << bits),
        _ => false,
    };
    (shifts && quotient.operand(0) == number).then_some(number)
}

/// A number and how many of its low bits a value is.
fn low_bits(value: Value<'_>) -> Option<(Value<'_>, i64)> {
    let divisor = match value.opcode()? {
        Opcode::LLVMAnd => value.operand(1).as_int()?.checked_add(1)?,
        Opcode::LLVMURem => value.operand(1).as_int()?,
        _ => return None,
    };
    let is_power = divisor > 1 && divisor < 1 << 62 && divisor.cast_unsigned().is_power_of_two();
    is_power.then(|| (value.operand(0), i64::from(divisor.trailing_zeros())))
}
