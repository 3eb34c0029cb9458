//! The least number of instructions that a block could take: what a schedule is measured against.
//!
//! The largest of: the longest way through operations with the machine's shortest latencies, to the last write of a register or
//! through the condition, the jump and its delay slots; operations of a kind over the units that can do them; moves of
//! operands over buses; reads and writes of registers that cannot be avoided over the ports of their file; the jump with its
//! delay slots. A schedule may be shorter where operands are shared.

use super::{Input, Scheduler};
use crate::model::{BusId, Direction, FileId, Machine, UnitId};
use crate::schedule::mir::Terminator;
use std::collections::{BTreeMap, BTreeSet};

impl Scheduler<'_> {
    /// The bound, in instructions; asked for before anything is placed. `jumps` is the number of jumps at the end.
    pub(in crate::schedule) fn bound(&self, terminator: &Terminator, jumps: usize) -> u32 {
        let slots = u64::from(self.machine.control.delay_slots);
        let path = self.work.iter().map(|w| w.height + 1).max().unwrap_or(0);
        let path = u64::try_from(path).unwrap_or(0);
        let branch = if jumps > 0 { slots + 1 } else { 0 };
        let buses = self.buses_bound(jumps);
        let halt = u64::from(matches!(terminator, Terminator::Halt));
        let all = [path, branch, buses, halt, self.units_bound(), self.ports_bound()];
        u32::try_from(all.into_iter().max().unwrap_or(0)).unwrap_or(u32::MAX)
    }

    /// Operands over the buses that reach their ports, for every set of buses.
    fn buses_bound(&self, jumps: usize) -> u64 {
        let mut demand: BTreeMap<Vec<BusId>, u64> = BTreeMap::new();
        for number in 0..self.work.len() {
            let offers = self.offers(number);
            let Some(info) = self.nodes[number].op.map(crate::ops::Op::info) else {
                // A copy takes a bus as well.
                let all = self.machine.buses().map(|(bus, _)| bus).collect();
                *demand.entry(all).or_default() += 1;
                continue;
            };
            for k in 1..=info.inputs {
                let exchanged = info.swap.filter(|(a, b)| k == *a || k == *b).map(|(a, b)| a + b - k);
                let mut reach: BTreeSet<BusId> = BTreeSet::new();
                for (unit, operation) in &offers {
                    let facts = &self.machine.units[unit.index()];
                    for k in [Some(k), exchanged].into_iter().flatten() {
                        let port = facts.operations[usize::from(*operation)].port_of(k);
                        let input = port.and_then(|p| facts.ports[usize::from(p)].input);
                        let joined = |bus: &BusId| self.machine.joins(input, *bus, Direction::Input);
                        reach.extend(self.machine.buses().map(|(bus, _)| bus).filter(joined));
                    }
                }
                *demand.entry(reach.into_iter().collect()).or_default() += 1;
            }
        }
        let everything = self.machine.buses().map(|(bus, _)| bus).collect();
        *demand.entry(everything).or_default() += jumps as u64;
        let over = |buses: &Vec<BusId>| {
            let within = demand.iter().filter(|(other, _)| other.iter().all(|b| buses.contains(b)));
            within.map(|(_, count)| count).sum::<u64>().div_ceil(buses.len().max(1) as u64)
        };
        demand.keys().map(over).max().unwrap_or(0)
    }

    fn units_bound(&self) -> u64 {
        let mut demand: BTreeMap<Vec<UnitId>, u64> = BTreeMap::new();
        for number in 0..self.work.len() {
            let offers = self.offers(number);
            let time = |(unit, operation): &(UnitId, u16)| {
                let operation = &self.machine.units[unit.index()].operations[usize::from(*operation)];
                operation.resources.iter().map(|r| u64::from(r.cycles)).max().unwrap_or(1).max(1)
            };
            let least = offers.iter().map(time).min().unwrap_or(0);
            *demand.entry(offers.iter().map(|(unit, _)| *unit).collect()).or_default() += least;
        }
        let over = |units: &Vec<UnitId>| {
            let within = demand.iter().filter(|(other, _)| other.iter().all(|u| units.contains(u)));
            within.map(|(_, count)| count).sum::<u64>().div_ceil(units.len().max(1) as u64)
        };
        demand.keys().map(over).max().unwrap_or(0)
    }

    fn ports_bound(&self) -> u64 {
        let mut reads: BTreeMap<FileId, BTreeSet<usize>> = BTreeMap::new();
        let mut writes: BTreeMap<FileId, u64> = BTreeMap::new();
        for input in self.work.iter().flat_map(|w| &w.inputs) {
            if let Input::Value(value) = input
                && self.values[*value].written.is_some()
            {
                reads.entry(self.values[*value].register.file).or_default().insert(*value);
            }
        }
        for value in self.values.iter().filter(|v| v.live_out && v.written.is_none()) {
            *writes.entry(value.register.file).or_default() += 1;
        }
        let read =
            reads.iter().map(|(f, v)| (v.len() as u64).div_ceil(ports(self.machine, *f, Direction::Output)));
        let write = writes.iter().map(|(f, n)| n.div_ceil(ports(self.machine, *f, Direction::Input)));
        read.chain(write).max().unwrap_or(0)
    }
}

/// The ports of a file in a direction, at least one.
fn ports(machine: &Machine, file: FileId, way: Direction) -> u64 {
    let sockets = machine.register_files[file.index()].ports.iter().filter_map(|p| p.socket);
    sockets.filter(|s| machine.sockets[s.index()].direction == way).count().max(1) as u64
}
