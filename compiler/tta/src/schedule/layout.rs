//! Puts the blocks of a function in order, so that few ways need a jump.
//!
//! In: a function with blocks in any order, the entry first. Out: the same function in which a block that only one other
//! jumps to is part of that one, what continues after a call comes right behind it, and of two ways of a branch the one taken more
//! often comes next where it can. Blocks that nothing reaches are gone.

use super::mir::{Block, Function, Terminator};

/// The function with its blocks merged and in order, and which block each was.
pub(super) fn arrange(function: &Function) -> (Function, Vec<Option<usize>>) {
    let mut blocks = function.blocks.clone();
    merge(&mut blocks);
    let (order, detours) = order(&blocks);
    let mut place = vec![0; blocks.len()];
    for (position, block) in order.iter().enumerate() {
        if let Placed::Block(number) = block {
            place[*number] = position;
        }
    }
    let mut placed = Vec::with_capacity(order.len());
    let origin = |entry: &Placed| match entry {
        Placed::Block(number) => Some(*number),
        Placed::Jump { .. } => None,
    };
    let origins = order.iter().map(origin).collect();
    for entry in order {
        placed.push(match entry {
            Placed::Block(number) => {
                let mut block = std::mem::replace(&mut blocks[number], empty(0, 0));
                if detours.contains(&number) {
                    // The detour comes right behind the call.
                    if let Terminator::Call { next, .. } = &mut block.terminator {
                        *next = placed.len() + 1;
                    }
                } else {
                    retarget(&mut block.terminator, &place);
                }
                block
            }
            Placed::Jump { to, weight } => empty(place[to], weight),
        });
    }
    (Function { blocks: placed, ..function.clone() }, origins)
}

/// What stands at a place of the new order.
enum Placed {
    Block(usize),
    /// Nothing but a jump, behind a call whose continuation stands elsewhere.
    Jump {
        to: usize,
        weight: u64,
    },
}

fn empty(to: usize, weight: u64) -> Block {
    Block { nodes: Vec::new(), terminator: Terminator::Jump(to), weight }
}

fn retarget(terminator: &mut Terminator, place: &[usize]) {
    match terminator {
        Terminator::Jump(to) | Terminator::Call { next: to, .. } => *to = place[*to],
        Terminator::Branch { taken, otherwise, .. } => {
            (*taken, *otherwise) = (place[*taken], place[*otherwise]);
        }
        Terminator::Return { .. } | Terminator::Halt => {}
    }
}

/// Appends blocks to the only block that jumps to them.
fn merge(blocks: &mut [Block]) {
    let mut entries = vec![0usize; blocks.len()];
    if let Some(entry) = entries.first_mut() {
        *entry = 1;
    }
    let mut reached = vec![false; blocks.len()];
    let mut open = vec![0];
    while let Some(number) = open.pop() {
        if number >= blocks.len() || std::mem::replace(&mut reached[number], true) {
            continue;
        }
        for to in blocks[number].terminator.successors() {
            entries[to] += 1;
            open.push(to);
        }
    }
    for number in 0..blocks.len() {
        while let Terminator::Jump(to) = blocks[number].terminator {
            // A block that jumps to itself stays.
            if !reached[number] || entries[to] != 1 || to == number || to == 0 {
                break;
            }
            let gone = std::mem::replace(&mut blocks[to], empty(to, 0));
            entries[to] = 0;
            blocks[number].nodes.extend(gone.nodes);
            blocks[number].terminator = gone.terminator;
        }
    }
}

fn order(blocks: &[Block]) -> (Vec<Placed>, Vec<usize>) {
    let mut placed = vec![false; blocks.len()];
    let (mut order, mut detours) = (Vec::new(), Vec::new());
    // Ways that have not been taken yet, the last first.
    let mut open = vec![0];
    while let Some(start) = open.pop() {
        let mut next = Some(start);
        while let Some(number) = next.take() {
            if number >= blocks.len() || std::mem::replace(&mut placed[number], true) {
                continue;
            }
            order.push(Placed::Block(number));
            let weight = blocks[number].weight;
            next = match &blocks[number].terminator {
                Terminator::Call { next: to, .. } if placed[*to] => {
                    detours.push(number);
                    order.push(Placed::Jump { to: *to, weight });
                    None
                }
                Terminator::Call { next: to, .. } => Some(*to),
                Terminator::Jump(to) => (!placed[*to]).then_some(*to),
                Terminator::Branch { taken, otherwise, .. } => {
                    let (often, seldom) = if blocks[*taken].weight > blocks[*otherwise].weight {
                        (*taken, *otherwise)
                    } else {
                        (*otherwise, *taken)
                    };
                    if placed[often] {
                        Some(seldom)
                    } else {
                        open.push(seldom);
                        Some(often)
                    }
                }
                Terminator::Return { .. } | Terminator::Halt => None,
            };
        }
    }
    (order, detours)
}
