//! Numbers that no short immediate can be, kept in registers that nobody else needs.
//!
//! In: a function in its last form before registers are assigned. Out: one that computes the same, in which numbers and addresses
//! that are wanted often come from values which the entry sets. Only so many are kept as registers are left where most values
//! live at once, so nothing else loses its register for them; where a value finds none all the same, as across calls, allocation
//! puts the number back to where it is read.

use super::tidy::{before_node, before_terminator, live_out};
use super::{Class, Function, Input, Node, Value};
use crate::check::fits;
use crate::model::Machine;
use std::collections::BTreeMap;

/// One in so many registers is left alone beside those that live values take: the scheduler gives values others to be free.
const SPARE: usize = 4;

/// Keeps numbers for a machine with `words` registers.
pub fn keep(function: &mut Function, machine: &Machine, words: usize) {
    let Some(room) = (words - words / SPARE).checked_sub(most_alive(function)) else { return };
    let short = |value: u32| machine.buses.iter().any(|bus| fits(bus, u64::from(value)));
    let long = |input: &Input| match input {
        Input::Constant(value) => !short(*value),
        Input::Symbol { .. } => true,
        _ => false,
    };
    let mut wanted: BTreeMap<Input, u64> = BTreeMap::new();
    for block in &function.blocks {
        for input in block.nodes.iter().flat_map(|n| &n.inputs).filter(|i| long(i)) {
            let sum = wanted.entry(*input).or_default();
            *sum = sum.saturating_add(block.weight);
        }
    }
    // Setting it is as dear as wanting it once.
    let least = function.blocks.first().map_or(0, |b| b.weight).saturating_mul(2).max(2);
    let mut order: Vec<(u64, Input)> =
        wanted.into_iter().filter(|(_, sum)| *sum >= least).map(|(input, sum)| (sum, input)).collect();
    order.sort_by_key(|(sum, input)| (std::cmp::Reverse(*sum), *input));
    order.truncate(room);
    let mut kept: BTreeMap<Input, Value> = BTreeMap::new();
    for (_, input) in &order {
        kept.insert(*input, function.value(Class::Word));
    }
    for input in function.blocks.iter_mut().flat_map(|b| &mut b.nodes).flat_map(|n| &mut n.inputs) {
        if let Some(value) = kept.get(input) {
            *input = Input::Value(*value);
        }
    }
    if let Some(entry) = function.blocks.first_mut() {
        entry.nodes.splice(0..0, order.iter().map(|(_, input)| Node::copy(*input, kept[input])));
    }
}

/// The largest number of words that live at once.
fn most_alive(function: &Function) -> usize {
    let mut most = 0;
    for (block, mut live) in function.blocks.iter().zip(live_out(function)) {
        let count = |live: &super::tidy::Values| {
            live.iter().filter(|v| function.classes[v.0 as usize] == Class::Word).count()
        };
        before_terminator(&block.terminator, &mut live);
        most = most.max(count(&live));
        for node in block.nodes.iter().rev() {
            before_node(node, &mut live);
            most = most.max(count(&live));
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::super::{Block, FIXED, Function, Input, Node, Terminator, Value};
    use super::{Class, keep};
    use crate::compose::{compose, stock};
    use crate::ops::Op;

    #[test]
    fn what_a_loop_wants_is_set_before_it_while_there_is_room() {
        let machine = stock::plans().into_iter().find(|(n, _)| *n == "three_bus").map(|(_, p)| compose(&p));
        let machine = machine.expect("it is in stock");
        let (value, add) = (Value(FIXED), Op::named("add"));
        let node = |constant| Node {
            op: add,
            inputs: vec![Input::Value(value), Input::Constant(constant)],
            outputs: vec![value],
            condition: None,
            memory: None,
        };
        let entry = Block {
            nodes: vec![Node::copy(Input::Constant(1), value)],
            terminator: Terminator::Jump(1),
            weight: 1,
        };
        let nodes = vec![node(0x12345), node(0x54321), node(1), node(0x12345)];
        let repeat = Block { nodes, terminator: Terminator::Jump(1), weight: 9 };
        let classes = vec![Class::Word; FIXED as usize + 1];
        let function = Function { blocks: vec![entry, repeat], classes, ..Function::default() };
        let long = |words| {
            let mut kept = function.clone();
            keep(&mut kept, &machine, words);
            let inputs = |at: usize| kept.blocks[at].nodes.iter().flat_map(|n| n.inputs.clone());
            let count = |at| inputs(at).filter(|i| matches!(i, Input::Constant(c) if *c > 1)).count();
            (count(0), count(1))
        };
        assert_eq!(long(30), (2, 0));
        // The one that is wanted more often.
        assert_eq!(long(2), (1, 1));
        assert_eq!(long(1), (0, 3));
        assert_eq!(long(0), (0, 3));
    }
}
