//! Calls that LLVM's SPIR-V back end writes as something else than OpenCL C means by them, in other words.
//!
//! In: a module as the front end leaves it. Out: the same, where `any` and `all` of integers are bits (the back end has
//! instructions on truth values for them), where the numbers of channel types are OpenCL's (it has SPIR-V's), and where the fourth
//! size of a volume is 0 (it leaves that open).

use oxcl_ir::{Builder, Function, IntPredicate, Module, Opcode, TypeKind, Value};

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
        } else {
            continue;
        };
        function.value().users().into_iter().filter(|user| user.is(Opcode::LLVMCall)).for_each(rewrite);
    }
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
