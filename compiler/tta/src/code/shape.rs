//! What a machine is like, as far as it decides which of two forms of a program is faster: latencies, widths, the price of a
//! branch. Estimates only; nothing that a program computes depends on them.

use super::{Node, Value};
use crate::allocate::Convention;
use crate::model::{Machine, UnitId};
use crate::ops::Op;
use std::collections::BTreeMap;

/// A machine in figures.
#[derive(Debug, Clone)]
pub struct Shape {
    latencies: BTreeMap<Op, u32>,
    units: BTreeMap<Op, Vec<UnitId>>,
    /// Moves a cycle.
    pub buses: u32,
    /// Instructions behind a jump that are executed all the same.
    pub slots: u32,
    /// Registers that guards test.
    pub bits: u32,
    /// Registers of 32 bits.
    pub words: u32,
}

impl Shape {
    /// Looks a machine over.
    #[must_use]
    pub fn of(machine: &Machine, convention: &Convention) -> Self {
        let mut latencies: BTreeMap<Op, u32> = BTreeMap::new();
        let mut units: BTreeMap<Op, Vec<UnitId>> = BTreeMap::new();
        for (number, unit) in (0_u16..).zip(&machine.units) {
            for operation in &unit.operations {
                let Some(op) = operation.op else { continue };
                let info = op.info();
                let outputs = info.inputs + 1..=info.inputs + info.outputs;
                let latency = outputs.filter_map(|k| operation.latency_of(k)).max().unwrap_or(1);
                let best = latencies.entry(op).or_insert(latency);
                *best = latency.min(*best);
                units.entry(op).or_default().push(UnitId(number));
            }
        }
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Self {
            latencies,
            units,
            buses: count(machine.buses.len()).max(1),
            slots: machine.control.delay_slots,
            bits: count(convention.bits.len()),
            words: count(convention.words.len()),
        }
    }

    /// Cycles until the result of a node can be read.
    #[must_use]
    pub fn latency(&self, node: &Node) -> u32 {
        node.op.map_or(1, |op| self.latencies.get(&op).copied().unwrap_or(1))
    }

    /// How many units have an operation.
    #[must_use]
    pub fn units(&self, op: Op) -> usize {
        self.units.get(&op).map_or(0, Vec::len)
    }

    /// Cycles that operations take, about, if nothing else is there to do.
    pub fn length<'a>(&self, nodes: impl Iterator<Item = &'a Node>) -> u32 {
        let mut ready: BTreeMap<Value, u32> = BTreeMap::new();
        let mut demand: BTreeMap<&[UnitId], u32> = BTreeMap::new();
        let (mut path, mut moves) = (0, 0);
        for node in nodes {
            let start = node.reads().filter_map(|v| ready.get(&v).copied()).max().unwrap_or(0);
            // A guard takes effect a cycle after what it looks at is in its register.
            let start = start + 2 * u32::from(node.condition.is_some_and(|c| ready.contains_key(&c.value)));
            let end = start + self.latency(node);
            path = path.max(end);
            for output in &node.outputs {
                ready.insert(*output, end);
            }
            moves += 2 * node.inputs.len() as u32 + node.outputs.len() as u32;
            if let Some(units) = node.op.and_then(|op| self.units.get(&op)) {
                *demand.entry(units.as_slice()).or_default() += 1;
            }
        }
        let busy = demand.iter().map(|(units, n)| n.div_ceil(units.len().max(1) as u32)).max().unwrap_or(0);
        path.max(busy).max(moves.div_ceil(2 * self.buses))
    }
}
