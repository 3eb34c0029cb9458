//! The order in which a function's blocks are translated.
//!
//! SPIR-V wants every block behind those that dominate it (section 2.16.1), so that values come before their uses. Khronos'
//! translator (`llvm-spirv`) writes blocks in whatever order LLVM had them, and platforms take that: AdaptiveCpp's kernels come so.
//! So where a value is used before its definition, blocks are taken in reverse postorder of the graph of control flow, in which
//! a block comes behind all that dominate it.
//!
//! In: a function's instructions. Out: the same in pieces: what stands before the first block, then the blocks. Whether what is
//! left is well formed is for who translates it: a value that is nowhere defined, or on another way, is an error there or in
//! LLVM's verifier.

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::Operand;
use rspirv::spirv::Op;

use crate::words::Instruction;

/// The pieces of a function in the order to translate them in, and whether that is another one than the module's.
pub(crate) fn pieces(body: &[Instruction]) -> (Vec<&[Instruction]>, bool) {
    let pieces: Vec<&[Instruction]> = body.chunk_by(|_, next| next.op != Op::Label).collect();
    if !is_used_early(body) {
        return (pieces, false);
    }
    let blocks: BTreeMap<u32, usize> =
        pieces.iter().enumerate().filter_map(|(at, piece)| Some((label(piece)?, at))).collect();
    let next: Vec<Vec<usize>> = pieces.iter().map(|piece| successors(piece, &blocks)).collect();
    let (mut order, mut seen) = (Vec::new(), BTreeSet::new());
    // The first piece is no block and leads nowhere, the second is the first block. Blocks that nothing reaches come last.
    for root in 0..pieces.len() {
        let from = order.len();
        postorder(root, &next, &mut seen, &mut order);
        order[from..].reverse();
    }
    (order.into_iter().map(|at| pieces[at]).collect(), true)
}

/// Is a value used before the instruction that gives it? PHI nodes may, so they do not count.
fn is_used_early(body: &[Instruction]) -> bool {
    let mut given: BTreeSet<u32> = body.iter().filter(|i| i.op != Op::Label).filter_map(|i| i.id).collect();
    body.iter().any(|i| {
        let is_early = i.op != Op::Phi
            && i.operands.iter().filter_map(Operand::id_ref_any).any(|id| given.contains(&id));
        if let Some(id) = i.id {
            given.remove(&id);
        }
        is_early
    })
}

fn label(piece: &[Instruction]) -> Option<u32> {
    piece.first().filter(|i| i.op == Op::Label).and_then(|i| i.id)
}

/// The blocks that a block's last instruction names.
fn successors(piece: &[Instruction], blocks: &BTreeMap<u32, usize>) -> Vec<usize> {
    let branches = [Op::Branch, Op::BranchConditional, Op::Switch];
    piece
        .iter()
        .filter(|i| branches.contains(&i.op))
        .flat_map(|i| i.operands.iter().filter_map(Operand::id_ref_any))
        .filter_map(|id| blocks.get(&id).copied())
        .collect()
}

/// Adds what is reached from a block and was not seen to the list, the block itself last. Without recursion: the graph is the
/// module's, and as deep as it likes.
fn postorder(root: usize, next: &[Vec<usize>], seen: &mut BTreeSet<usize>, order: &mut Vec<usize>) {
    if root >= next.len() || !seen.insert(root) {
        return;
    }
    let mut open = vec![(root, 0)];
    while let Some((block, at)) = open.pop() {
        match next[block].get(at) {
            Some(to) => {
                open.push((block, at + 1));
                if seen.insert(*to) {
                    open.push((*to, 0));
                }
            }
            None => order.push(block),
        }
    }
}
