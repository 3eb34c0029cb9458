//! If-conversion: what a branch goes around becomes operations under its condition.
//!
//! In: a tidy function. Out: one that computes the same with fewer branches. A block that only a branch reaches, and that goes
//! on where the branch's other way leads too, is moved to before the branch: operations without effects happen in any case, as
//! far as nobody on the other way sees their results; loads, stores and the rest happen under the condition. The same for two
//! such blocks that meet again. What stays, and why, is a matter of cost: see [`Shape`].

use super::shape::Shape;
use super::tidy::{self, Values, before_node, before_terminator, live_out};
use super::{Block, Class, Condition, FIXED, Function, Input, Node, Terminator, Value};
use std::collections::{BTreeMap, BTreeSet};

/// How often the function is gone through; what is nested deeper stays.
const ROUNDS: usize = 12;
/// The most operations of a block that others are moved into.
const LONGEST: usize = 320;

/// Converts what pays.
pub fn convert(function: &mut Function, shape: &Shape) {
    for _ in 0..ROUNDS {
        if !round(function, shape) {
            break;
        }
        tidy::tidy(function);
    }
}

/// The ways from a branch that can be moved before it, and where they meet.
struct Ways {
    condition: Condition,
    /// Where the condition holds, and where it does not.
    sides: [Option<usize>; 2],
    meet: usize,
}

fn round(function: &mut Function, shape: &Shape) -> bool {
    let mut entries = vec![0_usize; function.blocks.len()];
    entries[0] = 1;
    for to in function.blocks.iter().flat_map(|b| b.terminator.successors()) {
        entries[to] += 1;
    }
    let live_in = live_in(function);
    let mut touched: BTreeSet<usize> = BTreeSet::new();
    let mut changed = false;
    for number in 0..function.blocks.len() {
        let Some(ways) = ways(function, &entries, number) else { continue };
        let mut all: Vec<usize> = ways.sides.iter().flatten().copied().collect();
        all.push(number);
        if all.iter().any(|b| touched.contains(b)) || !pays(function, shape, number, &ways) {
            continue;
        }
        // What the other way reads must stay as it is.
        let seen = [ways.sides[1].unwrap_or(ways.meet), ways.meet];
        let mut merged = Vec::new();
        let mut whole = true;
        for (at, side) in ways.sides.iter().enumerate() {
            let Some(side) = side else { continue };
            let nodes = function.blocks[*side].nodes.clone();
            let inverted = ways.condition.inverted ^ (at == 1);
            let condition = Condition { value: ways.condition.value, inverted };
            match under(function, &nodes, condition, &live_in[seen[at]]) {
                Some(nodes) => merged.extend(nodes),
                None => whole = false,
            }
        }
        if !whole {
            continue;
        }
        let block = &mut function.blocks[number];
        block.nodes.append(&mut merged);
        block.terminator = Terminator::Jump(ways.meet);
        touched.extend(all);
        changed = true;
    }
    changed
}

fn live_in(function: &Function) -> Vec<Values> {
    let out = live_out(function);
    let before = |(block, mut live): (&Block, Values)| {
        before_terminator(&block.terminator, &mut live);
        for node in block.nodes.iter().rev() {
            before_node(node, &mut live);
        }
        live
    };
    function.blocks.iter().zip(out).map(before).collect()
}

fn ways(function: &Function, entries: &[usize], number: usize) -> Option<Ways> {
    let Terminator::Branch { condition, taken, otherwise } = function.blocks[number].terminator else {
        return None;
    };
    let after = |block: usize| match function.blocks[block].terminator {
        Terminator::Jump(to) if entries[block] == 1 && block != number && to != block => Some(to),
        _ => None,
    };
    let (sides, meet) = match (after(taken), after(otherwise)) {
        (Some(a), Some(b)) if a == b => ([Some(taken), Some(otherwise)], a),
        (Some(a), _) if a == otherwise => ([Some(taken), None], otherwise),
        (_, Some(b)) if b == taken => ([None, Some(otherwise)], taken),
        _ => return None,
    };
    // A loop back to the branch itself is none of these.
    (taken != otherwise && meet != number).then_some(Ways { condition, sides, meet })
}

/// Whether the ways take less time together, in any case, than one of them and the branches.
fn pays(function: &Function, shape: &Shape, number: usize, ways: &Ways) -> bool {
    let nodes = |side: &Option<usize>| side.map_or(&[][..], |s| function.blocks[s].nodes.as_slice());
    let [first, second] = [nodes(&ways.sides[0]), nodes(&ways.sides[1])];
    let own = &function.blocks[number].nodes;
    if own.len() + first.len() + second.len() > LONGEST {
        return false;
    }
    for side in [first, second] {
        let nested = side.iter().any(|n| n.condition.is_some() && has_effects(n));
        if bits_of(function, side) + 1 + u32::from(nested) > shape.bits {
            return false;
        }
    }
    let both = shape.length(first.iter().chain(second));
    let apart = shape.length(first.iter()) + shape.length(second.iter());
    let jumps = if ways.sides.iter().all(Option::is_some) { 3 } else { 2 };
    both <= apart / 2 + jumps * (shape.slots + 2) / 2
}

/// How many bits operations of a block need at once.
fn bits_of(function: &Function, nodes: &[Node]) -> u32 {
    let mut live: BTreeSet<Value> = BTreeSet::new();
    let mut most = 0;
    for node in nodes.iter().rev() {
        for output in &node.outputs {
            live.remove(output);
        }
        live.extend(node.reads().filter(|v| function.classes[v.0 as usize] == Class::Bit));
        most = most.max(live.len());
    }
    u32::try_from(most).unwrap_or(u32::MAX)
}

fn has_effects(node: &Node) -> bool {
    node.op.is_some_and(|op| !op.info().is_pure())
}

/// Operations of a block as they happen if a condition holds; `seen` is what keeps its value otherwise.
fn under(function: &mut Function, nodes: &[Node], condition: Condition, seen: &Values) -> Option<Vec<Node>> {
    let mut out = Vec::with_capacity(nodes.len() + 4);
    let mut names: BTreeMap<Value, Value> = BTreeMap::new();
    // Values are seen if they were there before this round; what it makes is its own.
    let seen = |v: Value, known: usize| (v.0 as usize) < known && seen.has(v);
    let known = function.classes.len();
    for (at, original) in nodes.iter().enumerate() {
        let mut node = original.clone();
        for input in &mut node.inputs {
            if let Input::Value(value) = input
                && let Some(name) = names.get(value)
            {
                *value = *name;
            }
        }
        if let Some(own) = &mut node.condition
            && let Some(name) = names.get(&own.value)
        {
            own.value = *name;
        }
        if node.outputs.contains(&condition.value) || node.outputs.len() > 1 {
            return None;
        }
        let output = node.outputs.first().copied();
        if has_effects(&node) {
            node.condition = Some(match node.condition {
                Some(own) => both(function, condition, own, &mut out),
                None => condition,
            });
            if let Some(value) = output {
                if let Some(name) = names.get(&value) {
                    if original.condition.is_some() {
                        node.outputs[0] = *name;
                    } else {
                        names.remove(&value);
                    }
                } else if !seen(value, known) && original.condition.is_none() {
                    // Nobody wants to keep what it held.
                    out.push(Node::copy(Input::Constant(0), value));
                }
            }
            out.push(node);
            continue;
        }
        let Some(value) = output else {
            out.push(node);
            continue;
        };
        if !seen(value, known) {
            out.push(node);
            continue;
        }
        let later = nodes[at + 1..].iter().any(|n| n.reads().any(|v| v == value));
        if original.condition.is_none() && (!later || value.0 < FIXED) {
            names.remove(&value);
            node.condition = Some(condition);
            out.push(node);
            continue;
        }
        let class = function.classes[value.0 as usize];
        let name = match (original.condition, names.get(&value)) {
            (Some(_), Some(name)) => *name,
            (Some(_), None) => {
                let name = function.value(class);
                out.push(Node::copy(Input::Value(value), name));
                name
            }
            (None, _) => function.value(class),
        };
        names.insert(value, name);
        node.outputs[0] = name;
        out.push(node);
    }
    for (value, name) in names {
        out.push(Node { condition: Some(condition), ..Node::copy(Input::Value(name), value) });
    }
    Some(out)
}

/// A condition that holds if two do.
fn both(function: &mut Function, outer: Condition, inner: Condition, out: &mut Vec<Node>) -> Condition {
    let bit = function.value(Class::Bit);
    out.push(Node::copy(Input::Constant(u32::from(inner.inverted)), bit));
    out.push(Node { condition: Some(outer), ..Node::copy(Input::Value(inner.value), bit) });
    Condition { value: bit, inverted: inner.inverted }
}
