//! Sums in 64 bits that are cut to 32 again, in 32 bits: `int i; … i += get_local_size(0)`.
//!
//! `size_t` makes such a sum one of 64 bits: the counter is extended, added to, and cut. The low bits of sums, differences and
//! products follow from the operands' low bits, so the detour changes nothing, but it hides that neighbours' counters stay as far
//! apart as they are: an extension of a number that may wrap around is no linear function of the ids.
//!
//! In and out: a prepared kernel. Only sums that have a number of 32 bits in them which is computed in the kernel; ids that are
//! cut stay as they are, as index arithmetic is told by them ([`crate::indices`]).

use crate::indices::is_cut_id;
use oxcl_ir::{Builder, Function, Opcode, TypeKind, Value};

/// How deep a sum is followed.
const DEPTH: u32 = 4;

/// Rewrites the cuts of a kernel.
pub(crate) fn shorten(kernel: Function<'_>) {
    for cut in kernel.instructions() {
        if !cut.is(Opcode::LLVMTrunc) || cut.ty() != cut.types().i32() {
            continue;
        }
        let whole = cut.operand(0);
        if whole.ty() == cut.types().i64() && has_short(whole, DEPTH) {
            let short = in_32_bits(&Builder::before(cut), whole, DEPTH);
            cut.replace_uses_with(short);
        }
    }
}

/// Whether the low bits follow from the operands' low bits.
fn keeps_low_bits(value: Value<'_>) -> bool {
    matches!(value.opcode(), Some(Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul))
}

/// The number of 32 bits that a value extends.
fn extended(value: Value<'_>) -> Option<Value<'_>> {
    let extends = matches!(value.opcode(), Some(Opcode::LLVMSExt | Opcode::LLVMZExt));
    let narrow = extends.then(|| value.operand(0))?;
    (narrow.ty().kind() == TypeKind::Int(32)).then_some(narrow)
}

/// Whether a sum has a number in it that was extended, and is neither an argument nor an id.
fn has_short(value: Value<'_>, depth: u32) -> bool {
    let is_short = |value: Value<'_>| {
        extended(value).is_some_and(|narrow| narrow.is_instruction() && !is_cut_id(narrow))
    };
    depth > 0
        && keeps_low_bits(value)
        && value.operands().into_iter().any(|operand| is_short(operand) || has_short(operand, depth - 1))
}

fn in_32_bits<'c>(b: &Builder<'c>, value: Value<'c>, depth: u32) -> Value<'c> {
    let short = b.types().i32();
    if let Some(narrow) = extended(value) {
        return narrow;
    }
    match value.opcode() {
        Some(opcode) if depth > 0 && keeps_low_bits(value) => {
            let left = in_32_bits(b, value.operand(0), depth - 1);
            let right = in_32_bits(b, value.operand(1), depth - 1);
            b.binary(opcode, left, right, &value.name())
        }
        _ => b.cast(Opcode::LLVMTrunc, value, short, ""),
    }
}
