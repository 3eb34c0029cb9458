//! Which values cannot share a register.

use super::{Clobbers, Convention};
use crate::code::tidy::{before_node, before_terminator, live_out};
use crate::code::{Callee, FIXED, Function, Input, Terminator, Value};
use crate::schedule::mir::Register;
use std::collections::{BTreeSet, HashSet};

/// What colouring needs to know.
#[derive(Debug)]
pub(super) struct Graph {
    /// For each value those that it lives together with.
    pub(super) neighbours: Vec<Vec<Value>>,
    /// For each value the registers that it cannot have.
    pub(super) forbidden: Vec<BTreeSet<Register>>,
    /// For each value those that it is copied from or to.
    pub(super) copies: Vec<Vec<Value>>,
    /// For each value how much it costs to keep it in memory.
    pub(super) costs: Vec<u64>,
}

struct Maker<'a> {
    function: &'a Function,
    graph: Graph,
    /// Looked up only.
    pairs: HashSet<(u32, u32)>,
}

impl Maker<'_> {
    fn join(&mut self, a: Value, b: Value) {
        if a == b || self.function.classes[a.0 as usize] != self.function.classes[b.0 as usize] {
            return;
        }
        if self.pairs.insert((a.0.min(b.0), a.0.max(b.0))) {
            self.graph.neighbours[a.0 as usize].push(b);
            self.graph.neighbours[b.0 as usize].push(a);
        }
    }
}

/// Looks a function over.
pub(super) fn build(function: &Function, convention: &Convention, clobbers: &Clobbers) -> Graph {
    let count = function.classes.len();
    let graph = Graph {
        neighbours: vec![Vec::new(); count],
        forbidden: vec![BTreeSet::new(); count],
        copies: vec![Vec::new(); count],
        costs: vec![0; count],
    };
    let mut maker = Maker { function, graph, pairs: HashSet::new() };
    let everything: BTreeSet<Register> = convention.words.iter().chain(&convention.bits).copied().collect();
    let out = live_out(function);
    for (block, mut live) in function.blocks.iter().zip(out) {
        let weight = block.weight;
        if let Terminator::Call { callee, results, .. } = &block.terminator {
            let written = match callee {
                Callee::Symbol(symbol) => clobbers.get(&function.symbols[*symbol as usize].name),
                Callee::Value(_) => None,
            };
            let written = written.unwrap_or(&everything);
            for value in live.iter() {
                if !results.contains(&value) && value.0 >= FIXED {
                    maker.graph.forbidden[value.0 as usize].extend(written.iter().copied());
                }
            }
            for result in results {
                for value in live.iter() {
                    maker.join(*result, value);
                }
            }
        }
        for value in block.terminator.reads() {
            maker.graph.costs[value.0 as usize] += weight;
        }
        before_terminator(&block.terminator, &mut live);
        for node in block.nodes.iter().rev() {
            for output in &node.outputs {
                maker.graph.costs[output.0 as usize] += weight;
                let source = match (node.op, node.inputs.first()) {
                    (None, Some(Input::Value(source))) if node.condition.is_none() => Some(*source),
                    _ => None,
                };
                for value in live.iter() {
                    if Some(value) != source {
                        maker.join(*output, value);
                    }
                }
                for other in &node.outputs {
                    maker.join(*output, *other);
                }
                if let Some(source) = source {
                    maker.graph.copies[output.0 as usize].push(source);
                    maker.graph.copies[source.0 as usize].push(*output);
                }
            }
            for value in node.reads() {
                maker.graph.costs[value.0 as usize] += weight;
            }
            before_node(node, &mut live);
        }
    }
    maker.graph
}
