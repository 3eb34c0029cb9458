//! Index arithmetic on ids in 64 bits: so that `int i = get_global_id(0); a[i + 1]` costs nothing.
//!
//! `sext(a + b)` of a sum that cannot wrap is `sext(a) + sext(b)`: conversions move to the ids. Where every global id is less
//! than 2^31 cutting one to 32 bits loses nothing, which emission says by flags on the cut, so that the conversions cancel
//! out; what remains is a linear function of the induction variables, which LLVM's loop passes understand. What is written
//! here holds for any ids.
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
        if narrow.ty().kind() != TypeKind::Int(32) || is_cut_id(narrow) || !has_id(narrow, signed, DEPTH) {
            continue;
        }
        let wide = in_64_bits(&Builder::before(conversion), narrow, signed, DEPTH);
        conversion.replace_uses_with(wide);
    }
}

/// Whether the expression is an id plus, minus or times something without wrapping.
fn has_id(value: Value<'_>, signed: bool, depth: u32) -> bool {
    is_cut_id(value)
        || (depth > 0
            && is_exact(value, signed)
            && (0..value.operand_count()).any(|index| has_id(value.operand(index), signed, depth - 1)))
}

/// A 32-bit value that was cut from a 64-bit id.
pub(crate) fn is_cut_id(value: Value<'_>) -> bool {
    if !value.is(Opcode::LLVMTrunc) {
        return false;
    }
    let whole = value.operand(0);
    let is_id = matches!(Query::of(whole), Some(Query::GlobalId | Query::LocalId | Query::GroupId));
    is_id && whole.ty() == value.types().i64()
}

/// Arithmetic that does not wrap in the sense of the conversion, or whose result can be cut again.
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
        _ => !signed && is_id_plus_constant(value),
    }
}

/// An id plus a constant: less than 2^32 if the id is less than 2^31, for then the constant is too.
fn is_id_plus_constant(value: Value<'_>) -> bool {
    value.is(Opcode::LLVMAdd)
        && is_cut_id(value.operand(0))
        && value.operand(1).as_int().is_some_and(|constant| constant >= 0)
}

fn in_64_bits<'c>(b: &Builder<'c>, value: Value<'c>, signed: bool, depth: u32) -> Value<'c> {
    let extend = if signed { Opcode::LLVMSExt } else { Opcode::LLVMZExt };
    let long = b.types().i64();
    if depth == 0 || is_cut_id(value) || !is_exact(value, signed) || !has_id(value, signed, depth) {
        return b.cast(extend, value, long, "");
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
    if signed || value.no_unsigned_wrap() {
        return wide;
    }
    // In 32 bits the sum may wrap after all.
    b.cast(extend, b.cast(Opcode::LLVMTrunc, wide, b.types().i32(), ""), long, "")
}
