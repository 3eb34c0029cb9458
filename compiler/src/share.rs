//! Dividing a program's kernels among several compilers that do not talk to each other: each is told which of how many
//! it is, sees the same module, and so comes to the same division.

use std::cmp::Reverse;
use std::collections::HashMap;

use oxcl_binary::pipe::{Kernels, hurried_objects};
use oxcl_frontend::{KERNEL_BODY_PREFIX, KernelSignature};
use oxcl_ir::{Block, Function, Module};

use crate::error::CompileError;
use crate::native::Native;

/// What making one more kernel costs beside its instructions, in instructions. This and the following were fitted to the
/// time that some kernels take.
const FIXED_COST: usize = 100;
/// What a loop costs more: it is unrolled and vectorised.
const LOOP_COST: usize = 300;
/// What a barrier costs more: a loop over the work-items begins behind it.
const BARRIER_COST: usize = 250;
/// What a call of mathematics that stays one costs more: the loop around it is widened, and its object linked.
const NATIVE_COST: usize = 100;
/// What barriers begin with.
const BARRIERS: [&str; 2] = ["_Z7barrier", "_Z18work_group_barrier"];

/// Keeps the kernels that are wanted, and says of each which object it is in. That follows from the program alone, as the
/// division does: kernels of an object are not divided.
pub(crate) fn retain(
    module: &Module<'_>,
    wanted: &Kernels,
    signatures: &mut Vec<KernelSignature>,
    native: Option<Native>,
    is_hurried: bool,
) -> Result<Vec<usize>, CompileError> {
    let count = signatures.len();
    let costs: Vec<usize> = if is_hurried || matches!(wanted, Kernels::Share { .. }) {
        signatures.iter().map(|s| cost(module, &s.name, native)).collect()
    } else {
        Vec::new()
    };
    let objects = if is_hurried { hurried_objects(count) } else { count };
    let mut object_of = if is_hurried { divide(&costs, objects) } else { (0..count).collect() };
    match wanted {
        Kernels::All => {}
        Kernels::Specialised(name) | Kernels::One(name) => {
            let known = signatures.iter().map(|signature| signature.name.clone()).collect();
            signatures.retain(|signature| signature.name == *name);
            if signatures.is_empty() {
                return Err(CompileError::UnknownKernel { name: name.clone(), known });
            }
            object_of = vec![0; signatures.len()];
        }
        Kernels::Share { index, of } => {
            let mut totals = vec![0_usize; objects];
            for (object, cost) in object_of.iter().zip(&costs) {
                totals[*object] += cost;
            }
            let division = divide(&totals, *of as usize);
            let mut objects = object_of.iter();
            let is_ours = |object: usize| division[object] == *index as usize;
            signatures.retain(|_| objects.next().is_some_and(|object| is_ours(*object)));
            object_of.retain(|object| is_ours(*object));
        }
    }
    Ok(object_of)
}

/// Which of `parts` each piece falls to: the most expensive first, always to the part with the least so far.
fn divide(costs: &[usize], parts: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by_key(|&piece| (Reverse(costs[piece]), piece));
    let mut loads = vec![0_usize; parts.max(1)];
    let mut division = vec![0; costs.len()];
    for piece in order {
        let part = (0..loads.len()).min_by_key(|&part| (loads[part], part)).unwrap_or(0);
        division[piece] = part;
        loads[part] += costs[piece];
    }
    division
}

/// What a kernel reaches, each function as often as it is called: inlining makes that many of it.
fn cost(module: &Module<'_>, kernel: &str, native: Option<Native>) -> usize {
    let body = Function::find(module, &format!("{KERNEL_BODY_PREFIX}{kernel}"))
        .or_else(|| Function::find(module, kernel));
    let mut waiting: Vec<Function<'_>> = body.into_iter().collect();
    let mut total = FIXED_COST;
    let mut visits = 0;
    while let Some(function) = waiting.pop() {
        visits += 1;
        // Enough to know that it is large; also ends recursion, which a later stage refuses.
        if visits > 2000 {
            break;
        }
        let instructions = function.instructions();
        total += instructions.len();
        total += loops(function) * LOOP_COST;
        for callee in instructions.iter().filter_map(|instruction| instruction.callee()) {
            if !callee.is_declaration() {
                waiting.push(callee);
            } else if BARRIERS.iter().any(|barrier| callee.name().starts_with(barrier)) {
                total += BARRIER_COST;
            } else if native.is_some_and(|native| native.has(&callee.name())) {
                total += NATIVE_COST;
            }
        }
    }
    total
}

/// Branches back: to a block that stands earlier, as the front end writes loops.
fn loops(function: Function<'_>) -> usize {
    let blocks = function.blocks();
    let places: HashMap<_, _> = blocks.iter().enumerate().map(|(place, block)| (*block, place)).collect();
    let back = |(place, block): (usize, &Block<'_>)| {
        block.successors().iter().filter(|next| places.get(next).is_some_and(|to| *to <= place)).count()
    };
    blocks.iter().enumerate().map(back).sum()
}

#[cfg(test)]
mod tests {
    use super::divide;

    #[test]
    fn loads_are_even_and_every_piece_has_a_part() {
        assert_eq!(divide(&[5, 9, 1, 4, 2], 2), [1, 0, 1, 1, 0]);
        assert_eq!(divide(&[3, 3, 3], 1), [0, 0, 0]);
        assert_eq!(divide(&[7], 4), [0]);
        assert!(divide(&[], 3).is_empty());
    }
}
