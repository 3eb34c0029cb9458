//! Makes integer division safe: OpenCL leaves `x / 0` and `MIN / -1` without a value, but the host must live, and CPUs
//! trap. A divisor that would trap is replaced by 1. A power of two, `1 << k`, never does: dividing by it is a shift.
//!
//! In and out: any function. A constant divisor needs no guard.

use crate::workitem::range_of_any;
use oxcl_ir::range::Ranges;
use oxcl_ir::{Builder, Function, IntPredicate, Opcode, TypeKind, Value};

/// Guards every division of a function. Where all work-items divide by one number they still do.
pub fn guard(function: Function<'_>) {
    for (instruction, may_be_minus) in unguarded(function) {
        if is_safe(instruction.operand(1), may_be_minus) || shift(instruction) {
            continue;
        }
        let b = Builder::before(instruction);
        let divisor = b.freeze(instruction.operand(1), "divisor");
        let (zero, one) = (divisor.ty().zero(), divisor.ty().int(1));
        let is_zero = b.compare(IntPredicate::LLVMIntEQ, divisor, zero, "is.zero");
        if !may_be_minus {
            instruction.set_operand(1, b.select(is_zero, one, divisor, "safe"));
            continue;
        }
        // What is divided by -1 changes its sign; the lowest number has none to change to, and stays.
        let is_minus = b.compare(IntPredicate::LLVMIntEQ, divisor, divisor.ty().int(-1), "is.minus");
        let safe = b.select(b.or(is_zero, is_minus, ""), one, divisor, "safe");
        let dividend = instruction.operand(0);
        let name = instruction.name();
        let (opcode, by_minus) = match instruction.opcode() {
            Some(Opcode::LLVMSDiv) => {
                (Opcode::LLVMSDiv, b.binary(Opcode::LLVMSub, zero, dividend, "negated"))
            }
            _ => (Opcode::LLVMSRem, zero),
        };
        let divided = b.binary(opcode, dividend, safe, &name);
        instruction.replace_uses_with(b.select(is_minus, by_minus, divided, &name));
        instruction.erase();
    }
}

/// The divisions by what may be 0 or -1, and whether it may be negative. All are found before any is rewritten: ranges are of
/// the function as it is.
fn unguarded(function: Function<'_>) -> Vec<(Value<'_>, bool)> {
    let ranges = Ranges::new(&range_of_any);
    let mut found = Vec::new();
    for instruction in function.instructions() {
        let signed = match instruction.opcode() {
            Some(Opcode::LLVMSDiv | Opcode::LLVMSRem) => true,
            Some(Opcode::LLVMUDiv | Opcode::LLVMURem) => false,
            _ => continue,
        };
        let divisor = instruction.operand(1);
        let least = ranges.of(divisor).map_or(i128::MIN, |range| range.low);
        let may_be_minus = signed && least < 0;
        if least <= 0 && (may_be_minus || !has_a_bit(divisor)) {
            found.push((instruction, may_be_minus));
        }
    }
    found
}

/// Whether a number has a bit that a constant gives it.
fn has_a_bit(value: Value<'_>) -> bool {
    match value.opcode() {
        Some(Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMFreeze) => has_a_bit(value.operand(0)),
        Some(Opcode::LLVMOr) => (0..2).any(|side| value.operand(side).as_int().is_some_and(|bits| bits != 0)),
        _ => false,
    }
}

/// Divides by `1 << k` without a sign by a shift, or keeps the bits below; gives whether it was such a division.
fn shift(division: Value<'_>) -> bool {
    let divisor = division.operand(1);
    let one = |value: Value<'_>| value.as_int() == Some(1);
    let power = divisor.is(Opcode::LLVMShl) && one(divisor.operand(0)) && divisor.ty().is_scalar();
    let unsigned = matches!(division.opcode(), Some(Opcode::LLVMUDiv | Opcode::LLVMURem));
    if !power || !unsigned {
        return false;
    }
    let (b, dividend) = (Builder::before(division), division.operand(0));
    let made = if division.is(Opcode::LLVMUDiv) {
        b.binary(Opcode::LLVMLShr, dividend, divisor.operand(1), &division.name())
    } else {
        b.and(dividend, b.binary(Opcode::LLVMSub, divisor, divisor.ty().int(1), ""), &division.name())
    };
    division.replace_uses_with(made);
    division.erase();
    true
}

/// A constant, in every lane, that is neither 0 nor, where it may be negative, -1.
fn is_safe(divisor: Value<'_>, may_be_minus: bool) -> bool {
    let fine = |value: i64| value != 0 && !(may_be_minus && value == -1);
    match divisor.ty().kind() {
        TypeKind::Vector(lanes) => {
            (0..lanes).all(|lane| divisor.constant_element(lane).and_then(Value::as_int).is_some_and(fine))
        }
        _ => divisor.as_int().is_some_and(fine),
    }
}
