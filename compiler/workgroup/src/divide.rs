//! Makes integer division safe: OpenCL leaves `x / 0` and `MIN / -1` without a value, but the host must live, and CPUs
//! trap. A divisor that would trap is replaced by 1.
//!
//! In and out: any function. A constant divisor needs no guard.

use oxcl_ir::{Builder, Function, IntPredicate, Opcode, TypeKind, Value};

/// Guards every division of a function.
pub fn guard(function: Function<'_>) {
    for instruction in function.instructions() {
        let signed = match instruction.opcode() {
            Some(Opcode::LLVMSDiv | Opcode::LLVMSRem) => true,
            Some(Opcode::LLVMUDiv | Opcode::LLVMURem) => false,
            _ => continue,
        };
        if is_safe(instruction.operand(1), signed) {
            continue;
        }
        let builder = Builder::before(instruction);
        let divisor = builder.freeze(instruction.operand(1), "divisor");
        let ty = divisor.ty();
        let one = ty.int(1);
        let mut traps = builder.compare(IntPredicate::LLVMIntEQ, divisor, ty.zero(), "is.zero");
        if signed {
            let TypeKind::Int(bits) = ty.scalar().kind() else { continue };
            let minimum = ty.int(1_i64.checked_shl(bits - 1).unwrap_or(i64::MIN));
            let dividend = builder.freeze(instruction.operand(0), "dividend");
            instruction.set_operand(0, dividend);
            let lowest = builder.compare(IntPredicate::LLVMIntEQ, dividend, minimum, "is.min");
            let minus_one = builder.compare(IntPredicate::LLVMIntEQ, divisor, ty.int(-1), "is.minus");
            let overflows = builder.and(lowest, minus_one, "overflows");
            traps = builder.or(traps, overflows, "traps");
        }
        let safe = builder.select(traps, one, divisor, "safe");
        instruction.set_operand(1, safe);
    }
}

/// A constant, in every lane, that is neither 0 nor, where signed, -1.
fn is_safe(divisor: Value<'_>, signed: bool) -> bool {
    let fine = |value: i64| value != 0 && !(signed && value == -1);
    match divisor.ty().kind() {
        TypeKind::Vector(lanes) => {
            (0..lanes).all(|lane| divisor.constant_element(lane).and_then(Value::as_int).is_some_and(fine))
        }
        _ => divisor.as_int().is_some_and(fine),
    }
}
