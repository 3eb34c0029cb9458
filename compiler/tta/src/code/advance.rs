//! Operations from behind a branch move to before it, where its delay slots have room for them.
//!
//! In: a tidy function. Out: one that computes the same. Only operations without effects move, and only what nobody on the
//! branch's other way reads is overwritten. What moves is what the block's end waits for: most of all the comparisons of
//! branches that follow each other.

use super::shape::Shape;
use super::tidy::{Values, before_node, before_terminator, live_out};
use super::{Class, Condition, Function, Input, Node, Terminator, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Moves what pays.
pub fn advance(function: &mut Function, shape: &Shape) {
    let mut entries = vec![0_usize; function.blocks.len()];
    entries[0] = 1;
    for to in function.blocks.iter().flat_map(|b| b.terminator.successors()) {
        entries[to] += 1;
    }
    let mut live_in: Vec<Values> = Vec::with_capacity(function.blocks.len());
    for (block, mut live) in function.blocks.iter().zip(live_out(function)) {
        before_terminator(&block.terminator, &mut live);
        for node in block.nodes.iter().rev() {
            before_node(node, &mut live);
        }
        live_in.push(live);
    }
    for number in 0..function.blocks.len() {
        let Terminator::Branch { condition, taken, otherwise } = function.blocks[number].terminator else {
            continue;
        };
        if taken == otherwise {
            continue;
        }
        let ways = [(taken, otherwise), (otherwise, taken)];
        let open: Vec<_> = ways.into_iter().filter(|(to, _)| entries[*to] == 1 && *to != number).collect();
        // What fits into the delay slots, about, is shared among the ways.
        let mut room = shape.buses * shape.slots * 2 / 5;
        let mut bits = shape.bits.saturating_sub(2);
        for (left, (to, other)) in (1..=open.len() as u32).rev().zip(open.iter().copied()) {
            let most = (room / left, bits.div_ceil(left));
            let moved = take(function, shape, to, &live_in[other], condition, most);
            room -= u32::try_from(moved.len()).unwrap_or(u32::MAX).min(room);
            let is_bit = |n: &&Node| n.outputs.iter().any(|o| function.classes[o.0 as usize] == Class::Bit);
            bits -= u32::try_from(moved.iter().filter(is_bit).count()).unwrap_or(u32::MAX).min(bits);
            // What was read at the block's beginning only may now be read before it; what it made lives there.
            for node in moved.iter().rev() {
                for output in &node.outputs {
                    live_in[to].insert(*output);
                }
            }
            function.blocks[number].nodes.extend(moved);
        }
    }
}

/// Takes operations out of a block that can be done before the branch to it.
fn take(
    function: &mut Function,
    shape: &Shape,
    block: usize,
    seen: &Values,
    condition: Condition,
    (most, mut bits): (u32, u32),
) -> Vec<Node> {
    let heights = heights(function, shape, block);
    let nodes = &function.blocks[block].nodes;
    let mut made: BTreeMap<Value, usize> = BTreeMap::new();
    let mut read: BTreeSet<Value> = BTreeSet::new();
    // Candidates with their depth: everything that they read is there before the block, or made by another candidate.
    let mut depths: Vec<Option<u32>> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let pure = node.op.is_some_and(|op| op.info().is_pure()) && node.condition.is_none();
        let mut depth = pure.then_some(0);
        for input in &node.inputs {
            match input {
                Input::Value(v) => {
                    if let Some(maker) = made.get(v) {
                        let before = depths[*maker].map(|d| d + shape.latency(&nodes[*maker]));
                        depth = depth.zip(before).map(|(a, b)| a.max(b));
                    }
                }
                Input::ReturnAddress => depth = None,
                _ => {}
            }
        }
        let [output] = node.outputs[..] else {
            read.extend(node.reads());
            made.extend(node.outputs.iter().map(|o| (*o, depths.len())));
            depths.push(None);
            continue;
        };
        let taken = made.contains_key(&output) || read.contains(&output) || seen.has(output);
        let again = nodes.iter().filter(|n| n.outputs.contains(&output)).count() > 1;
        if taken || again || output.0 < super::FIXED || output == condition.value {
            depth = None;
        }
        read.extend(node.reads());
        made.insert(output, depths.len());
        depths.push(depth.filter(|d| *d < shape.slots));
    }
    let longest = heights.iter().copied().max().unwrap_or(0);
    let mut order: Vec<usize> = (0..nodes.len()).filter(|n| depths[*n].is_some()).collect();
    order.sort_by_key(|n| (std::cmp::Reverse(heights[*n]), *n));
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    for number in order {
        if chosen.len() >= most as usize || heights[number] + 2 * shape.slots < longest {
            break;
        }
        let bit = nodes[number].outputs.iter().any(|o| function.classes[o.0 as usize] == Class::Bit);
        if bit && bits == 0 {
            continue;
        }
        // Longer ways come first, so what it reads has been decided on.
        let makers = nodes[number].inputs.iter().filter_map(|i| match i {
            Input::Value(v) => made.get(v).copied(),
            _ => None,
        });
        if makers.into_iter().all(|m| m >= number || chosen.contains(&m)) {
            bits -= u32::from(bit);
            chosen.insert(number);
        }
    }
    let (mut moved, mut kept) = (Vec::new(), Vec::new());
    for (number, node) in std::mem::take(&mut function.blocks[block].nodes).into_iter().enumerate() {
        if chosen.contains(&number) { moved.push(node) } else { kept.push(node) }
    }
    function.blocks[block].nodes = kept;
    moved
}

/// How long the way from each operation of a block to its end is.
fn heights(function: &Function, shape: &Shape, block: usize) -> Vec<u32> {
    let block = &function.blocks[block];
    let mut waiting: BTreeMap<Value, u32> = BTreeMap::new();
    for value in block.terminator.reads() {
        waiting.insert(value, shape.slots + 2);
    }
    let mut heights = vec![0; block.nodes.len()];
    for (number, node) in block.nodes.iter().enumerate().rev() {
        let after = node.outputs.iter().filter_map(|o| waiting.get(o).copied()).max().unwrap_or(0);
        heights[number] = after + shape.latency(node);
        for value in node.reads() {
            let entry = waiting.entry(value).or_default();
            *entry = heights[number].max(*entry);
        }
    }
    heights
}
