//! What LLVM's SPIR-V back end writes as something else than OpenCL C means by it, in other words.
//!
//! In: a module as the front end leaves it. Out: the same, where `any` and `all` of integers are bits (the back end has
//! instructions on truth values for them), where the numbers of channel types are OpenCL's (it has SPIR-V's), where the fourth
//! size of a volume is 0 (it leaves that open), where conversions that change no bit are left out (it writes
//! instructions that must change the width), where unsigned integers saturate by a comparison (it takes them for signed), and where integers are cut to narrower types by OpenCL C's functions
//! (it forgets that they are cut where they are made wider later on, and gives wide values to operations on narrower ones).

use oxcl_ir::{Builder, Function, IntPredicate, Module, Opcode, TypeKind, Value};
use std::cmp::Ordering;

/// What OpenCL's numbers of channel types begin with, where SPIR-V's begin with 0. (Orders are asked of a function, by its name in
/// OpenCL C.)
const FIRST_TYPE: i64 = 0x10D0;

/// Rewrites the module.
pub(super) fn run(module: &Module<'_>) {
    for function in Function::all(module).into_iter().filter(|function| function.is_declaration()) {
        let name = function.value().name();
        let rewrite: fn(Value<'_>) = if name.starts_with("_Z3any") {
            |call| votes(call, Opcode::LLVMOr)
        } else if name.starts_with("_Z3all") {
            |call| votes(call, Opcode::LLVMAnd)
        } else if name.starts_with("_Z27get_image_channel_data_type") {
            counted_from_type
        } else if name.starts_with("_Z13get_image_dim") {
            ended_by_zero
        } else if changes_nothing(&name) {
            as_it_is
        } else if saturates_unsigned(&name) {
            at_most
        } else {
            continue;
        };
        function.value().users().into_iter().filter(|user| user.is(Opcode::LLVMCall)).for_each(rewrite);
    }
    for function in Function::all(module) {
        function.instructions().into_iter().for_each(|instruction| converted(module, instruction));
    }
}

/// An integer that is cut to a narrower type of OpenCL C, by OpenCL C's function for that.
fn converted<'c>(module: &Module<'c>, cut: Value<'c>) {
    if !cut.is(Opcode::LLVMTrunc) {
        return;
    }
    let (from, to) = (cut.operand(0).ty(), cut.ty());
    let names = |bits: u32| {
        [(8, "uchar", 'h'), (16, "ushort", 't'), (32, "uint", 'j'), (64, "ulong", 'm')]
            .into_iter()
            .find(|name| name.0 == bits)
    };
    let name_of = |ty: oxcl_ir::Type<'_>| match ty.scalar().kind() {
        TypeKind::Int(bits) => names(bits),
        _ => None,
    };
    let lanes = match to.kind() {
        TypeKind::Vector(lanes) => Some(lanes),
        _ => None,
    };
    let (Some((_, _, from_letter)), Some((_, to_name, _))) = (name_of(from), name_of(to)) else { return };
    let (count, given) = match lanes {
        None => (String::new(), from_letter.to_string()),
        Some(lanes @ (2 | 3 | 4 | 8 | 16)) => (lanes.to_string(), format!("Dv{lanes}_{from_letter}")),
        Some(_) => return,
    };
    let plain = format!("convert_{to_name}{count}");
    let name = format!("_Z{}{plain}{given}", plain.len());
    let function = Function::find(module, &name)
        .unwrap_or_else(|| Function::add(module, &name, to.types().function(to, &[from])));
    let result = Builder::before(cut).call(function, &[cut.operand(0)], "");
    cut.replace_uses_with(result);
    cut.erase();
}

/// Whether a function's name is that of a conversion without saturation: of numbers of one width it only changes how they are called.
fn changes_nothing(name: &str) -> bool {
    let plain = name.trim_start_matches("_Z").trim_start_matches(|digit: char| digit.is_ascii_digit());
    plain.starts_with("convert_") && !plain.contains("_sat")
}

/// What a conversion between numbers of one LLVM type gives: its argument.
fn as_it_is(call: Value<'_>) {
    if let [given] = call.arguments()[..]
        && given.ty() == call.ty()
    {
        call.replace_uses_with(given);
        call.erase();
    }
}

/// Whether a function's name is that of a conversion of unsigned integers that saturates.
fn saturates_unsigned(name: &str) -> bool {
    name.contains("convert_") && name.contains("_sat") && name.ends_with(['h', 't', 'j', 'm'])
}

/// An unsigned integer, or the greatest that the result's type has if that is less.
fn at_most(call: Value<'_>) {
    let (Some(&given), builder) = (call.arguments().first(), Builder::before(call)) else { return };
    let (TypeKind::Int(from), TypeKind::Int(to)) = (given.ty().scalar().kind(), call.ty().scalar().kind())
    else {
        return;
    };
    let is_signed = call.callee().is_some_and(|callee| !callee.name().contains("convert_u"));
    let bits = to - u32::from(is_signed);
    let mut least = given;
    if bits < from {
        let greatest = given.ty().int(i64::MAX >> (63 - bits));
        let exceeds = builder.compare(IntPredicate::LLVMIntUGT, given, greatest, "");
        least = builder.select(exceeds, greatest, given, "");
    }
    let result = match to.cmp(&from) {
        Ordering::Less => builder.cast(Opcode::LLVMTrunc, least, call.ty(), ""),
        Ordering::Equal => least,
        Ordering::Greater => builder.cast(Opcode::LLVMZExt, least, call.ty(), ""),
    };
    call.replace_uses_with(result);
    call.erase();
}

/// The highest bits of all elements joined, as 0 or 1.
fn votes(call: Value<'_>, join: Opcode) {
    let (Some(&given), builder) = (call.arguments().first(), Builder::before(call)) else { return };
    let types = builder.types();
    let joined = match given.ty().kind() {
        TypeKind::Vector(lanes) => {
            let lane = |lane: u32| builder.extract_lane(given, types.i32().int(i64::from(lane)), "");
            (1..lanes).fold(lane(0), |sum, next| builder.binary(join, sum, lane(next), ""))
        }
        _ => given,
    };
    let is_set = builder.compare(IntPredicate::LLVMIntSLT, joined, joined.ty().zero(), "");
    let number = builder.cast(Opcode::LLVMZExt, is_set, call.ty(), "");
    call.replace_uses_with(number);
    call.erase();
}

/// Four sizes that a call gives, of which the last is 0.
fn ended_by_zero(call: Value<'_>) {
    let (Some(next), TypeKind::Vector(4)) = (call.next(), call.ty().kind()) else { return };
    let builder = Builder::before(next);
    let types = builder.types();
    let ended = builder.insert_lane(call, types.i32().zero(), types.i32().int(3), "");
    call.replace_uses_with(ended);
    ended.set_operand(0, call);
}

/// What a call gives, counted from the first of OpenCL's numbers.
fn counted_from_type(call: Value<'_>) {
    let Some(next) = call.next() else { return };
    let sum = Builder::before(next).add(call, call.ty().int(FIRST_TYPE), "");
    call.replace_uses_with(sum);
    sum.set_operand(0, call);
}
