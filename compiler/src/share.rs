//! Dividing a program's kernels among several compilers that do not talk to each other: each is told which of how many
//! it is, sees the same module, and so comes to the same division.

use std::cmp::Reverse;
use std::collections::HashMap;

use oxcl_binary::pipe::Kernels;
use oxcl_frontend::{KERNEL_BODY_PREFIX, KernelSignature};
use oxcl_ir::{Block, Function, Module};

use crate::error::CompileError;

/// What making one more kernel costs beside its instructions, in instructions. This and the following were fitted to the
/// time that some kernels take.
const FIXED_COST: usize = 100;
/// What a loop costs more: it is unrolled and vectorised.
const LOOP_COST: usize = 300;
/// What a barrier costs more: a loop over the work-items begins behind it.
const BARRIER_COST: usize = 250;
/// What barriers begin with.
const BARRIERS: [&str; 2] = ["_Z7barrier", "_Z18work_group_barrier"];

/// Keeps the kernels that are wanted.
pub(crate) fn retain(
    module: &Module<'_>,
    wanted: &Kernels,
    signatures: &mut Vec<KernelSignature>,
) -> Result<(), CompileError> {
    match wanted {
        Kernels::All => {}
        Kernels::Specialised(name) => {
            let known = signatures.iter().map(|signature| signature.name.clone()).collect();
            signatures.retain(|signature| signature.name == *name);
            if signatures.is_empty() {
                return Err(CompileError::UnknownKernel { name: name.clone(), known });
            }
        }
        Kernels::Share { index, of } => {
            let costs: Vec<usize> = signatures.iter().map(|s| cost(module, &s.name)).collect();
            let division = divide(&costs, *of as usize);
            let mut shares = division.into_iter();
            signatures.retain(|_| shares.next() == Some(*index as usize));
        }
    }
    Ok(())
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
fn cost(module: &Module<'_>, kernel: &str) -> usize {
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
