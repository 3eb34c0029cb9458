//! The least number of instructions that a block could take: what a schedule is measured against, and what no schedule beats.
//!
//! In: a block's operations and values before anything is placed. What is taken as given are the operations and the registers,
//! and that nothing reaches from one block into another. The largest of:
//!
//! - the longest way from operation to operation, through results with the shortest latency of any unit, stops where no bus joins
//!   any unit that gives a value with any that takes it (see `distance.rs`), guards, memory that must be accessed in order,
//!   the jump's condition, the jump and its delay slots (`path.rs`);
//! - moves over buses, for sets of buses that moves are confined to: one to each trigger, one for each operand that no port can
//!   still hold (`sharing.rs`), one for each result that must be in a register, one for each stop, and the slots that long
//!   immediates take from buses (`demand.rs`);
//! - operations over the units that have them, and what a unit's resources are held for;
//! - registers read and written over the ports of their file.
//!
//! The last three with what must come before the first and after the last of them (`interval.rs`). Wherever a choice is open
//! (unit, order of operands, way of a value) the cheapest is counted for each place by itself, so a bound holds for every
//! combination of choices.

mod demand;
mod distance;
mod interval;
mod path;
mod sharing;

use super::Scheduler;
use super::place::Target;
use crate::model::{Machine, SpaceId};
use crate::ops::Op;
use crate::schedule::mir::{Predicate, Terminator};
use crate::schedule::wires::{Buses, Wires};
use distance::Distances;
use path::Paths;
use std::collections::HashMap;
use std::rc::Rc;

/// A jump at the end of a block: operation, condition, where to.
pub(in crate::schedule) type Jump = (&'static str, Option<Predicate>, Target);

/// Works bounds out for the blocks of a machine's code.
#[derive(Debug)]
pub(in crate::schedule) struct Limits<'a> {
    machine: &'a Machine,
    wires: &'a Wires,
    distances: Distances,
    /// What is known of operations that were met; looked up only.
    facts: HashMap<(Op, Option<SpaceId>), Rc<Facts>>,
}

/// What all units together offer for an operation.
#[derive(Debug, Default)]
struct Facts {
    /// The units, a bit each.
    units: u64,
    /// For each input the buses to the ports that it can go to.
    operands: Vec<Buses>,
    /// The buses to trigger ports and those to others.
    triggers: Buses,
    others: Buses,
    /// For each input whether it can go to a port that triggers, and whether to another.
    can_trigger: Vec<bool>,
    can_stay: Vec<bool>,
    /// For each result latencies, and the buses from the ports that it then is at.
    results: Vec<Vec<(i64, Buses)>>,
    /// For each unit the resources that it holds, and for how long.
    resources: Vec<(usize, Vec<(String, i64)>)>,
}

impl<'a> Limits<'a> {
    pub(in crate::schedule) fn new(machine: &'a Machine, wires: &'a Wires) -> Self {
        Self { machine, wires, distances: Distances::new(machine, wires), facts: HashMap::new() }
    }

    /// The bound of a block, in instructions; asked for before anything of it is placed.
    pub(in crate::schedule) fn bound(
        &mut self,
        scheduler: &Scheduler<'_>,
        terminator: &Terminator,
        exits: &[Jump],
    ) -> u32 {
        let halt = i64::from(*terminator == Terminator::Halt);
        let paths = Paths::new(self, scheduler, exits);
        let moves = self.moves(scheduler, &paths, exits);
        let all = [
            halt,
            paths.length(),
            interval::least_length(&moves),
            self.units(scheduler, &paths),
            self.ports(scheduler, &paths),
        ];
        u32::try_from(all.into_iter().max().unwrap_or(0)).unwrap_or(u32::MAX)
    }

    fn facts(&mut self, scheduler: &Scheduler<'_>, number: usize) -> Option<Rc<Facts>> {
        let node = &scheduler.nodes[number];
        let key = (node.op?, node.memory.as_ref().map(|m| m.space));
        if let Some(known) = self.facts.get(&key) {
            return Some(Rc::clone(known));
        }
        let made = Rc::new(self.make_facts(scheduler, number, key.0));
        self.facts.insert(key, Rc::clone(&made));
        Some(made)
    }

    fn make_facts(&self, scheduler: &Scheduler<'_>, number: usize, op: Op) -> Facts {
        let info = op.info();
        let inputs = usize::from(info.inputs);
        let mut facts = Facts {
            operands: vec![0; inputs],
            can_trigger: vec![false; inputs],
            can_stay: vec![false; inputs],
            results: vec![Vec::new(); usize::from(info.outputs)],
            ..Facts::default()
        };
        for (unit, operation) in scheduler.work[number].offers.iter().copied() {
            let unit_facts = &self.machine.units[unit.index()];
            let operation = &unit_facts.operations[usize::from(operation)];
            facts.units |= 1_u64.checked_shl(u32::from(unit.0)).unwrap_or(0);
            for k in 1..=info.inputs {
                let Some(port) = operation.port_of(k) else { continue };
                let into = self.wires.port(unit, port).0;
                let triggers = unit_facts.trigger() == Some(port);
                *(if triggers { &mut facts.triggers } else { &mut facts.others }) |= into;
                let exchanged = info.swap.filter(|(a, b)| k == *a || k == *b).map(|(a, b)| a + b - k);
                for k in [Some(k), exchanged].into_iter().flatten() {
                    let at = usize::from(k) - 1;
                    facts.operands[at] |= into;
                    *(if triggers { &mut facts.can_trigger[at] } else { &mut facts.can_stay[at] }) = true;
                }
            }
            for (result, k) in facts.results.iter_mut().zip(info.inputs + 1..) {
                if let (Some(port), Some(latency)) = (operation.port_of(k), operation.latency_of(k)) {
                    result.push((i64::from(latency), self.wires.port(unit, port).1));
                }
            }
            let held = operation.resources.iter().map(|r| (r.name.clone(), i64::from(r.cycles)));
            facts.resources.push((unit.index(), held.collect()));
        }
        facts
    }
}
