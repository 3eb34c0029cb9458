//! Divisions of integers of at most 32 bits in lanes, by numbers that are not known when the kernel is compiled: CPUs divide no
//! vectors of integers, but vectors of floats and doubles.
//!
//! A quotient `x / d` that is no integer is at least `1 / d` away from the next one. Of numbers of 32 bits that is more than
//! `2^-32` of it, and a double's rounding is `2^-53`; of numbers of 16 bits it is more than `2^-16`, and a float's rounding is `2^-24`.
//! So the quotient, cut, is exact. Where all lanes divide by one number a product with its reciprocal will do, if that is a little too
//! large: by less than `2^-32` or `2^-16`, so that nothing reaches the next integer, and by more than what three roundings in any
//! direction take away, so that integers stay.
//!
//! In: lanes that do not trap: nobody divides by 0, nor the lowest number by -1. Numbers of more bits are divided lane by lane.

use super::lanes::Lanes;
use oxcl_ir::{Builder, Opcode, Type, TypeKind, Value};

/// `1 + 2^-50`, as a double's bits, and `1 + 2^-21`, as a float's.
const A_LITTLE_MORE: i64 = 0x3ff0_0000_0000_0004;
const A_LITTLE_MORE_FLOAT: i64 = 0x3f80_0004;

/// Whether an instruction divides integers.
pub(crate) fn divides(instruction: Value<'_>) -> bool {
    matches!(
        instruction.opcode(),
        Some(Opcode::LLVMSDiv | Opcode::LLVMUDiv | Opcode::LLVMSRem | Opcode::LLVMURem)
    )
}

/// The bits of the floating numbers that a division is made by, if it is of at most 32 bits and by no constant.
pub(crate) fn by_floating(division: Value<'_>) -> Option<u32> {
    let constant = || {
        let divisor = division.operand(1);
        divisor.as_int().is_some() || divisor.constant_element(0).is_some()
    };
    let bits = floating_bits(division.ty())?;
    (divides(division) && !constant()).then_some(bits)
}

/// The bits of the floating numbers whose quotients are exact for integers of a type, once they are cut.
fn floating_bits(integers: Type<'_>) -> Option<u32> {
    match integers.scalar().kind() {
        TypeKind::Int(2..=16) => Some(32),
        TypeKind::Int(17..=32) => Some(64),
        _ => None,
    }
}

/// The quotients, or what is left, of a vector of lanes; `divisor` is what all of `divisors` are, if they are all the same.
pub(super) fn divide<'c>(
    b: &Builder<'c>,
    opcode: Opcode,
    dividends: Value<'c>,
    divisors: Value<'c>,
    divisor: Option<Value<'c>>,
    width: u32,
) -> Value<'c> {
    let signed = matches!(opcode, Opcode::LLVMSDiv | Opcode::LLVMSRem);
    let (to, back) = match signed {
        true => (Opcode::LLVMSIToFP, Opcode::LLVMFPToSI),
        false => (Opcode::LLVMUIToFP, Opcode::LLVMFPToUI),
    };
    let (floating, more) = match floating_bits(dividends.ty()) {
        Some(32) => (b.types().float(), b.types().i32().int(A_LITTLE_MORE_FLOAT)),
        _ => (b.types().double(), b.i64(A_LITTLE_MORE)),
    };
    let vector = floating.vector(width);
    let from = b.cast(to, dividends, vector, "");
    let ratio = match divisor {
        Some(divisor) => {
            let one = b.cast(Opcode::LLVMUIToFP, b.types().i32().int(1), floating, "");
            let more = b.cast(Opcode::LLVMBitCast, more, floating, "");
            let inverse = b.binary(Opcode::LLVMFDiv, one, b.cast(to, divisor, floating, ""), "");
            let inverse = b.binary(Opcode::LLVMFMul, inverse, more, "inverse");
            b.binary(Opcode::LLVMFMul, from, b.splat(inverse, width, ""), "")
        }
        None => b.binary(Opcode::LLVMFDiv, from, b.cast(to, divisors, vector, ""), ""),
    };
    let quotient = b.cast(back, ratio, dividends.ty(), "quotient");
    if matches!(opcode, Opcode::LLVMSDiv | Opcode::LLVMUDiv) {
        return quotient;
    }
    let whole = b.binary(Opcode::LLVMMul, quotient, divisors, "");
    b.binary(Opcode::LLVMSub, dividends, whole, "rest")
}

/// The number that all lanes have.
pub(super) fn same_for_all<'c>(lanes: &Lanes<'c>) -> Option<Value<'c>> {
    match lanes {
        Lanes::One(value) if value.ty().is_scalar() => Some(*value),
        _ => None,
    }
}
