//! Loops of a kernel whose rounds wait for one another in a chain of float operations.
//!
//! In: a loop of a kernel, before emission. Out: whether the chain from one round to the next takes longer than everything else that a
//! round does. LLVM repeats the body of such a loop eight times where the number of rounds is not known before the program runs, and
//! runs what is left over in a loop of its own. The chain gains nothing by that. Where work-items go round as often as their
//! rows of a sparse matrix are long, there are two loops in place of one whose ends no branch predictor knows. A product by rows
//! of 1 to 63 numbers took 1.17 times as long.
//!
//! Sees sums and products of floats in one order, alone: other chains are shorter, or LLVM takes them apart.

use super::is_mostly_free;
use crate::plan::pressure::{inside, is_innermost};
use oxcl_ir::cfg::Cfg;
use oxcl_ir::{Opcode, Value};

/// What a processor does in the time of one float operation, at least: three operations in each of four cycles.
const BESIDE: usize = 12;

/// The operations that are looked at, at most, from one round to the next.
const LONGEST: usize = 8;

/// Whether the innermost loop with this header waits for a chain of float operations in each round.
pub(super) fn is_bound_by_chain(cfg: &Cfg<'_>, header: usize) -> bool {
    let Some(number) = cfg.innermost[header] else { return false };
    let around = &cfg.loops[number];
    if around.header != header || !is_innermost(cfg, number) {
        return false;
    }
    let mut work = 0;
    for instruction in inside(cfg, number) {
        match kind(instruction) {
            Kind::Free => {}
            Kind::Step | Kind::Other => work += 1,
            Kind::Unknown => return false,
        }
    }
    let longest = cfg.blocks[header].phis().into_iter().filter_map(|phi| {
        let incoming = phi.incoming();
        let mut nexts = incoming.iter().filter(|(_, from)| around.contains(cfg.number(*from)));
        let (next, _) = nexts.next()?;
        if nexts.next().is_some() { None } else { steps(*next, phi, LONGEST) }
    });
    longest.max().is_some_and(|longest| work <= longest * BESIDE)
}

/// What an instruction is to the chain.
enum Kind {
    /// Nothing that takes time of its own.
    Free,
    /// An operation that a chain is made of.
    Step,
    /// Something beside it.
    Other,
    /// Something that may take any time.
    Unknown,
}

fn kind(instruction: Value<'_>) -> Kind {
    match instruction.opcode() {
        _ if is_mostly_free(instruction) => Kind::Free,
        Some(Opcode::LLVMBitCast | Opcode::LLVMFreeze) => Kind::Free,
        Some(Opcode::LLVMFAdd | Opcode::LLVMFSub | Opcode::LLVMFMul) => Kind::Step,
        Some(Opcode::LLVMCall) => {
            let is_fused = instruction.callee().is_some_and(|callee| {
                ["llvm.fma.", "llvm.fmuladd."].iter().any(|name| callee.name().starts_with(name))
            });
            if is_fused { Kind::Step } else { Kind::Unknown }
        }
        _ => Kind::Other,
    }
}

/// The most operations of a chain from a PHI node to a value; none where the value does not come from it by such operations.
fn steps<'c>(value: Value<'c>, phi: Value<'c>, left: usize) -> Option<usize> {
    if value == phi {
        return Some(0);
    }
    if left == 0 || !value.is_instruction() || !matches!(kind(value), Kind::Step) {
        return None;
    }
    value
        .operands()
        .into_iter()
        .filter_map(|operand| steps(operand, phi, left - 1))
        .max()
        .map(|most| most + 1)
}
