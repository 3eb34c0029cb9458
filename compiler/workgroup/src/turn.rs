//! Lanes along columns: the kernel asks for dimension 1 where it asked for dimension 0, and the other way round, and emission
//! gives it the ids of a launch in the same way ([`crate::emit`]). So everything in between, which knows of lanes along
//! dimension 0 alone, serves both.
//!
//! In: a kernel of which work-items do not meet and share no local memory, and that names the dimensions that it asks for. Out: the
//! kernel turned. What is known of its parameters for launches has to be found out before. Decides nothing (see [`form_best`]).
//!
//! [`form_best`]: crate::form_best

use crate::collectives;
use crate::cut::Cut;
use crate::prepare::Prepared;
use crate::workitem::{Query, dimension};
use oxcl_ir::{Function, Opcode, Value};

/// Whether a kernel means the same turned.
pub(crate) fn is_possible(cut: &Cut<'_, '_>) -> bool {
    let kernel = cut.kernel.function;
    let others_ask = || {
        Function::all(cut.kernel.module).into_iter().any(|function| {
            function != kernel && !function.is_declaration() && function.instructions().into_iter().any(asks)
        })
    };
    cut.is_one_row() && kernel.instructions().into_iter().all(can_turn) && !others_ask()
}

fn asks(call: Value<'_>) -> bool {
    call.is(Opcode::LLVMCall) && (Query::of(call).is_some() || collectives::is_call(call))
}

fn can_turn(call: Value<'_>) -> bool {
    if !asks(call) {
        return true;
    }
    match Query::of(call) {
        Some(
            Query::GlobalId
            | Query::LocalId
            | Query::GroupId
            | Query::GroupCount
            | Query::LocalSize
            | Query::EnqueuedLocalSize
            | Query::GlobalSize
            | Query::GlobalOffset,
        ) => dimension(call).is_some(),
        Some(Query::Dimensions) => true,
        Some(
            Query::GlobalLinearId
            | Query::LocalLinearId
            | Query::PrintBlock
            | Query::MemoryRanges
            | Query::SubGroupLane
            | Query::SubGroupNumber,
        )
        | None => false,
    }
}

/// What stands for a dimension in a kernel that is turned, or in one that is not for what stands there.
pub(crate) fn turned(dimension: i64) -> i64 {
    match dimension {
        0 => 1,
        1 => 0,
        other => other,
    }
}

/// Turns a kernel as it was written.
pub(crate) fn turn(kernel: &mut Prepared<'_, '_>) {
    for call in kernel.function.instructions() {
        if !call.is(Opcode::LLVMCall) || Query::of(call).is_none() {
            continue;
        }
        if let Some(own) = dimension(call) {
            call.set_operand(0, call.operand(0).ty().int(turned(own)));
        }
    }
    kernel.turned = true;
}
