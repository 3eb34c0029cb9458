//! Index arithmetic on ids in 64 bits: so that `int i = get_global_id(0); a[i + 1]` costs nothing.
//!
//! Relies on every global id being less than 2^31 (see the crate's documentation). Then cutting an id to 32 bits loses
//! nothing, and `sext(a + b)` of sums that cannot wrap is `sext(a) + sext(b)`: the conversions cancel out, and what
//! remains is a linear function of the induction variables, which shapes, bounds and LLVM's loop passes understand.
//!
//! In and out: a prepared kernel, work-item functions still called.

use crate::workitem::Query;
use oxcl_ir::{Builder, Function, Opcode, TypeKind, Value};

/// How deep an index expression is followed.
const DEPTH: u32 = 6;

/// Rewrites the widening conversions of a kernel.
pub(crate) fn widen(kernel: Function<'_>) {
    for conversion in kernel.instructions() {
        let signed = match conversion.opcode() {
            Some(Opcode::LLVMSExt) => true,
            Some(Opcode::LLVMZExt) => false,
            _ => continue,
        };
        if conversion.ty() != conversion.types().i64() {
            continue;
        }
        let narrow = conversion.operand(0);
        if narrow.ty().kind() != TypeKind::Int(32) || !has_id(narrow, signed, DEPTH) {
            continue;
        }
        let wide = in_64_bits(&Builder::before(conversion), narrow, signed, DEPTH);
        conversion.replace_uses_with(wide);
    }
}

/// Whether the expression is an id plus, minus or times something without wrapping.
fn has_id(value: Value<'_>, signed: bool, depth: u32) -> bool {
    cut_id(value).is_some()
        || (depth > 0
            && is_exact(value, signed)
            && (0..value.operand_count()).any(|index| has_id(value.operand(index), signed, depth - 1)))
}

/// The 64-bit id that a 32-bit value was cut from.
fn cut_id(value: Value<'_>) -> Option<Value<'_>> {
    if !value.is(Opcode::LLVMTrunc) {
        return None;
    }
    let whole = value.operand(0);
    let small = matches!(Query::of(whole), Some(Query::GlobalId | Query::LocalId | Query::GroupId));
    (small && whole.ty() == value.types().i64()).then_some(whole)
}

/// Arithmetic that does not wrap in the sense of the conversion.
fn is_exact(value: Value<'_>, signed: bool) -> bool {
    match value.opcode() {
        Some(Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul | Opcode::LLVMShl)
            if signed && value.no_signed_wrap() =>
        {
            true
        }
        Some(Opcode::LLVMAdd | Opcode::LLVMMul | Opcode::LLVMShl) if !signed && value.no_unsigned_wrap() => {
            true
        }
        // An id is less than 2^31; so is a constant that is not negative: their sum fits 32 bits without a sign.
        Some(Opcode::LLVMAdd) if !signed => {
            cut_id(value.operand(0)).is_some()
                && value.operand(1).as_int().is_some_and(|constant| constant >= 0)
        }
        _ => false,
    }
}

fn in_64_bits<'c>(b: &Builder<'c>, value: Value<'c>, signed: bool, depth: u32) -> Value<'c> {
    if let Some(id) = cut_id(value) {
        return id;
    }
    if depth == 0 || !is_exact(value, signed) || !has_id(value, signed, depth) {
        let opcode = if signed { Opcode::LLVMSExt } else { Opcode::LLVMZExt };
        return b.cast(opcode, value, b.types().i64(), "");
    }
    let Some(opcode) = value.opcode() else { return value };
    let left = in_64_bits(b, value.operand(0), signed, depth - 1);
    let right = in_64_bits(b, value.operand(1), signed, depth - 1);
    let wide = b.binary(opcode, left, right, &value.name());
    if signed {
        wide.set_no_signed_wrap()
    } else {
        wide.set_no_wrap()
    }
    wide
}
