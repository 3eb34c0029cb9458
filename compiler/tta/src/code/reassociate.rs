//! Sums of an address, an index and an offset in the order that makes the index wait for less.
//!
//! In: a tidy function. LLVM adds the offset last, for its loads and stores do that at no cost; here it costs an operation after
//! the one that added the index. Out: the offset is added to whatever was there first, or disappears in the address of a
//! symbol.

use super::shape::Shape;
use super::{Function, Input, Node, Value};
use crate::ops::Op;
use std::collections::BTreeMap;

/// Turns `(a + b) + offset` into `(a + offset) + b` where `a` is there before `b`.
pub fn reassociate(function: &mut Function, shape: &Shape) {
    let Some(add) = Op::named("add") else { return };
    let mut readers: BTreeMap<Value, u32> = BTreeMap::new();
    let mut writers: BTreeMap<Value, u32> = BTreeMap::new();
    for block in &function.blocks {
        for value in block.terminator.reads() {
            *readers.entry(value).or_default() += 2;
        }
        for node in &block.nodes {
            for value in node.reads() {
                *readers.entry(value).or_default() += 1;
            }
            for value in &node.outputs {
                *writers.entry(*value).or_default() += 1;
            }
        }
    }
    let once = |v: Value, counts: &BTreeMap<Value, u32>| counts.get(&v) == Some(&1);
    for number in 0..function.blocks.len() {
        let nodes = std::mem::take(&mut function.blocks[number].nodes);
        let mut out: Vec<Node> = Vec::with_capacity(nodes.len());
        // Where in `out` a value was last written, and when it is there.
        let mut made: BTreeMap<Value, usize> = BTreeMap::new();
        let mut depth: BTreeMap<Value, u32> = BTreeMap::new();
        let mut sums: BTreeMap<(Value, u32), Value> = BTreeMap::new();
        for mut node in nodes {
            if let Some((part, offset)) = offset_sum(&node, add)
                && let Some(at) = made.get(&part).copied()
                && once(part, &writers)
                && out[at].condition.is_none()
                && let Some((position, base)) = early(&out[at], add, &depth)
                && unchanged(&out[at], at, &made)
            {
                let single = once(part, &readers);
                let mut inputs = out[at].inputs.clone();
                let shared = match base {
                    Input::Symbol { symbol, addend } => {
                        inputs[position] =
                            Input::Symbol { symbol, addend: addend.wrapping_add_unsigned(offset) };
                        true
                    }
                    Input::Value(value) if single || shape.units(add) > 2 => {
                        let sum = sums.get(&(value, offset)).copied().unwrap_or_else(|| {
                            let sum = function.value(super::Class::Word);
                            out.push(Node {
                                op: Some(add),
                                inputs: vec![base, Input::Constant(offset)],
                                outputs: vec![sum],
                                condition: None,
                                memory: None,
                            });
                            sums.insert((value, offset), sum);
                            sum
                        });
                        inputs[position] = Input::Value(sum);
                        true
                    }
                    _ => false,
                };
                if shared {
                    node.op = out[at].op;
                    node.inputs = inputs;
                }
            }
            let start =
                node.reads().filter_map(|v| depth.get(&v).copied()).max().unwrap_or(0) + shape.latency(&node);
            for output in &node.outputs {
                made.insert(*output, out.len());
                depth.insert(*output, start);
                sums.retain(|(value, _), _| value != output);
            }
            out.push(node);
        }
        function.blocks[number].nodes = out;
    }
}

/// The value and the number that a node adds.
fn offset_sum(node: &Node, add: Op) -> Option<(Value, u32)> {
    match (node.op, node.inputs.as_slice(), node.outputs.as_slice()) {
        (
            Some(op),
            [Input::Value(v), Input::Constant(c)] | [Input::Constant(c), Input::Value(v)],
            [output],
        ) if op == add && node.condition.is_none() && v != output => Some((*v, *c)),
        _ => None,
    }
}

/// The input of a sum that is there first, if another is there later.
fn early(node: &Node, add: Op, depth: &BTreeMap<Value, u32>) -> Option<(usize, Input)> {
    let name = node.op?.info().name;
    let when = |input: Input| match input {
        Input::Value(v) => depth.get(&v).copied().unwrap_or(0),
        _ => 0,
    };
    let [a, b] = node.inputs[..] else { return None };
    if node.op == Some(add) {
        match (a, b) {
            (Input::Symbol { .. }, _) => Some((0, a)),
            (_, Input::Symbol { .. }) => Some((1, b)),
            (Input::Value(_), Input::Value(_)) if when(a) < when(b) => Some((0, a)),
            (Input::Value(_), Input::Value(_)) if when(b) < when(a) => Some((1, b)),
            _ => None,
        }
    } else if matches!(name, "shl1add" | "shl2add" | "shl3add")
        && (matches!(b, Input::Symbol { .. }) || matches!(b, Input::Value(_)) && when(b) < when(a))
    {
        Some((1, b))
    } else {
        None
    }
}

/// Whether what a node reads is still what it was.
fn unchanged(node: &Node, at: usize, made: &BTreeMap<Value, usize>) -> bool {
    node.reads().all(|v| made.get(&v).is_none_or(|written| *written < at))
}
