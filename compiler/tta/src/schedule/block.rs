//! Schedules one block: every operation onto a unit and a cycle, every value onto a bus.
//!
//! List scheduling by critical path. An operation is placed as a whole: its operand moves, its trigger, and, only once
//! somebody cannot do without it, the move of its result to a register. A reader that can take the result from the port does
//! so; a value whose readers all did and that nobody needs later never reaches a register; an operand that its port still holds
//! is not moved again. What does not fit in a cycle is taken back and tried in the next.

mod moves;

use super::mir::{Block, Node, Operand, Predicate, Register};
use super::table::Table;
use super::{Options, ScheduleError};
use crate::model::{Guard, GuardSource, Machine, UnitId};
use crate::ops::Semantics;
use crate::program::Destination;
use std::collections::{BTreeMap, BTreeSet};

/// How many cycles after its earliest one an operation is tried in before we give up.
const HORIZON: i64 = 400;
/// How many cycles before its trigger an operand may be moved.
const OPERAND_WINDOW: i64 = 6;

/// An input: a value of the block, or a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Input {
    Value(usize),
    Constant(u32),
}

/// What a register holds from one definition to the next.
#[derive(Debug, Clone, Copy)]
struct Value {
    register: Register,
    /// The value that the register held before.
    previous: Option<usize>,
    /// Reads by operations that are not placed yet.
    readers: usize,
    /// Needed after the block.
    live_out: bool,
    /// The cycle of its move to the register; -1 for values from before the block.
    written: Option<i64>,
    /// The port that shows it, and from when.
    arrival: Option<((UnitId, u16), i64)>,
    /// The last cycle in which the register is read or guards with this value.
    last_read: i64,
}

/// What an input port holds from one write to the next.
#[derive(Debug, Clone, Copy)]
struct Latch {
    write: i64,
    key: Option<Input>,
    last_use: i64,
}

/// A node with its inputs and outputs as values.
#[derive(Debug)]
struct Work {
    inputs: Vec<Input>,
    outputs: Vec<usize>,
    predicate: Option<(usize, bool)>,
    successors: Vec<(usize, i64)>,
    waits: usize,
    earliest: i64,
    height: i64,
}

/// What a mistaken placement has changed beside the table.
#[derive(Debug)]
enum Undo {
    Value(usize, Value),
    Latches((UnitId, u16), Vec<Latch>),
    Temporary(usize),
}

/// The scheduler of a block.
pub(super) struct Scheduler<'a> {
    machine: &'a Machine,
    options: &'a Options,
    nodes: &'a [Node],
    pub(super) table: Table<'a>,
    work: Vec<Work>,
    values: Vec<Value>,
    finals: BTreeMap<Register, usize>,
    latches: BTreeMap<(UnitId, u16), Vec<Latch>>,
    temporaries: Vec<Vec<(i64, i64)>>,
    log: Vec<Undo>,
    /// Results that never needed a register.
    pub(super) eliminated: usize,
}

impl<'a> Scheduler<'a> {
    /// Sees what depends on what. `live_out` are the registers needed after the block.
    pub(super) fn new(
        machine: &'a Machine,
        options: &'a Options,
        block: &'a Block,
        live_out: &BTreeSet<Register>,
    ) -> Self {
        let mut scheduler = Self {
            machine,
            options,
            nodes: &block.nodes,
            table: Table::new(machine),
            work: Vec::new(),
            values: Vec::new(),
            finals: BTreeMap::new(),
            latches: BTreeMap::new(),
            temporaries: vec![Vec::new(); options.temporaries.len()],
            log: Vec::new(),
            eliminated: 0,
        };
        scheduler.dependences();
        for register in live_out {
            let last = scheduler.value_in(*register);
            scheduler.values[last].live_out = true;
        }
        scheduler
    }

    /// The value that a register holds after what has been seen so far.
    fn value_in(&mut self, register: Register) -> usize {
        if let Some(value) = self.finals.get(&register) {
            return *value;
        }
        self.values.push(Value {
            register,
            previous: None,
            readers: 0,
            live_out: false,
            written: Some(-1),
            arrival: None,
            last_read: -1,
        });
        self.finals.insert(register, self.values.len() - 1);
        self.values.len() - 1
    }

    fn dependences(&mut self) {
        let mut definer: BTreeMap<usize, usize> = BTreeMap::new();
        let mut readers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let (mut loads, mut last_store): (Vec<usize>, Option<usize>) = (Vec::new(), None);
        let mut edges: Vec<(usize, usize, i64)> = Vec::new();
        for (number, node) in self.nodes.iter().enumerate() {
            let mut inputs = Vec::new();
            for input in &node.inputs {
                inputs.push(match *input {
                    Operand::Register(register) => {
                        let value = self.value_in(register);
                        self.values[value].readers += 1;
                        edges.extend(definer.get(&value).map(|d| (*d, number, 1)));
                        readers.entry(value).or_default().push(number);
                        Input::Value(value)
                    }
                    Operand::Constant(constant) => Input::Constant(constant),
                });
            }
            let predicate = node.predicate.map(|p| {
                let value = self.value_in(p.register);
                self.values[value].readers += 1;
                edges.extend(definer.get(&value).map(|d| (*d, number, 1)));
                readers.entry(value).or_default().push(number);
                (value, p.inverted)
            });
            let mut outputs = Vec::new();
            for register in &node.outputs {
                let previous = self.value_in(*register);
                if node.predicate.is_some() {
                    // What stays if the predicate does not hold is read, in a way.
                    self.values[previous].readers += 1;
                }
                edges.extend(definer.get(&previous).map(|d| (*d, number, 1)));
                edges.extend(readers.get(&previous).into_iter().flatten().map(|r| (*r, number, 0)));
                self.finals.remove(register);
                let value = self.value_in(*register);
                let new = &mut self.values[value];
                (new.previous, new.written) = (Some(previous), None);
                definer.insert(value, number);
                outputs.push(value);
            }
            if let Some(info) = node.op.map(crate::ops::Op::info)
                && !info.is_pure()
            {
                if matches!(info.semantics, Semantics::Load(_)) {
                    edges.extend(last_store.map(|s| (s, number, 1)));
                    loads.push(number);
                } else {
                    edges.extend(last_store.map(|s| (s, number, 1)));
                    edges.extend(loads.drain(..).map(|l| (l, number, 0)));
                    last_store = Some(number);
                }
            }
            self.work.push(Work {
                inputs,
                outputs,
                predicate,
                successors: Vec::new(),
                waits: 0,
                earliest: 0,
                height: 0,
            });
        }
        for (from, to, latency) in edges {
            if from != to {
                self.work[from].successors.push((to, latency));
                self.work[to].waits += 1;
            }
        }
        for number in (0..self.work.len()).rev() {
            let own = self.latency(number);
            let below = self.work[number].successors.iter().map(|(s, _)| self.work[*s].height).max();
            self.work[number].height = own + below.unwrap_or(0);
        }
    }

    /// The shortest latency that any unit offers for a node.
    fn latency(&self, number: usize) -> i64 {
        let Some(op) = self.nodes[number].op else { return 1 };
        let info = op.info();
        let latencies = self.machine.offering(info.name).filter_map(|(unit, operation)| {
            let found = &self.machine.units[unit.index()].operations[usize::from(operation)];
            found.latency_of(info.inputs + 1)
        });
        latencies.min().map_or(1, i64::from)
    }

    fn mark(&self) -> (usize, usize) {
        (self.table.mark(), self.log.len())
    }

    fn undo(&mut self, mark: (usize, usize)) {
        self.table.undo(mark.0);
        while self.log.len() > mark.1 {
            match self.log.pop() {
                Some(Undo::Value(value, was)) => self.values[value] = was,
                Some(Undo::Latches(port, was)) => drop(self.latches.insert(port, was)),
                Some(Undo::Temporary(which)) => drop(self.temporaries[which].pop()),
                None => {}
            }
        }
    }

    fn change(&mut self, value: usize, change: impl FnOnce(&mut Value)) {
        self.log.push(Undo::Value(value, self.values[value]));
        change(&mut self.values[value]);
    }

    /// Places every operation of the block.
    pub(super) fn run(&mut self) -> Result<(), ScheduleError> {
        let mut ready: Vec<usize> = (0..self.work.len()).filter(|n| self.work[*n].waits == 0).collect();
        while !ready.is_empty() {
            // The longest way to the end first; of equals the one that comes first in the program.
            let best = (0..ready.len()).max_by_key(|i| (self.work[ready[*i]].height, usize::MAX - ready[*i]));
            let number = ready.swap_remove(best.unwrap_or(0));
            let cycle = self.place(number)?;
            for (successor, latency) in std::mem::take(&mut self.work[number].successors) {
                let work = &mut self.work[successor];
                work.earliest = work.earliest.max(cycle + latency);
                work.waits -= 1;
                if work.waits == 0 {
                    ready.push(successor);
                }
            }
        }
        let waiting: Vec<usize> = (0..self.values.len())
            .filter(|v| self.values[*v].live_out && self.values[*v].written.is_none())
            .collect();
        for value in waiting {
            if !self.write_back(value, None) {
                return Err(self.stuck("the move of a result to its register"));
            }
        }
        self.eliminated += self.values.iter().filter(|v| v.written.is_none()).count();
        Ok(())
    }

    fn stuck(&self, what: &str) -> ScheduleError {
        ScheduleError::NoPlace { what: what.to_owned() }
    }

    /// When every input of a node can be there at the earliest.
    fn earliest(&self, number: usize) -> i64 {
        let work = &self.work[number];
        let inputs = work.inputs.iter().filter_map(|i| match i {
            Input::Value(v) => Some(self.values[*v]),
            Input::Constant(_) => None,
        });
        let there = |v: Value| match (v.arrival, v.written) {
            (Some((_, arrival)), _) => arrival,
            (None, Some(written)) => written + 1,
            (None, None) => 0,
        };
        // Memory order and registers that are read before they are written came in through the edges, except that an edge
        // from a definition says no more than that the definition is placed.
        let order =
            if self.nodes[number].op.is_some_and(|op| !op.info().is_pure()) { work.earliest } else { 0 };
        inputs.map(there).max().unwrap_or(0).max(order).max(0)
    }

    /// Places a node; gives the cycle of its trigger.
    fn place(&mut self, number: usize) -> Result<i64, ScheduleError> {
        let start = self.earliest(number);
        let name = self.nodes[number].op.map_or("copy", |op| op.info().name);
        let offers: Vec<(UnitId, u16)> = self.machine.offering(name).collect();
        if offers.is_empty() && self.nodes[number].op.is_some() {
            return Err(ScheduleError::NoUnit { operation: name.to_owned() });
        }
        for cycle in start..start + HORIZON {
            if self.nodes[number].op.is_none() {
                let mark = self.mark();
                if self.copy(number, cycle) {
                    self.done(number);
                    return Ok(cycle);
                }
                self.undo(mark);
                continue;
            }
            for (unit, operation) in &offers {
                for slack in 0..=3 {
                    let mark = self.mark();
                    if self.start(number, cycle, *unit, *operation, slack) {
                        self.done(number);
                        return Ok(cycle);
                    }
                    self.undo(mark);
                }
            }
        }
        Err(self.stuck(name))
    }

    /// A node is placed: its reads no longer wait, and nothing of it is taken back any more.
    fn done(&mut self, number: usize) {
        let work = &self.work[number];
        let mut read: Vec<usize> = work
            .inputs
            .iter()
            .filter_map(|i| match i {
                Input::Value(v) => Some(*v),
                Input::Constant(_) => None,
            })
            .collect();
        if let Some((value, _)) = work.predicate {
            read.push(value);
            read.extend(work.outputs.iter().filter_map(|o| self.values[*o].previous));
        }
        for value in read {
            self.values[value].readers -= 1;
        }
        self.log.clear();
    }

    /// The guard of a predicate, and from which cycle on it may be used; moves the value to its register if need be.
    fn guard(&mut self, value: usize, inverted: bool) -> Option<(Guard, i64)> {
        if self.values[value].written.is_none() && !self.write_back(value, None) {
            return None;
        }
        let Value { register, written, .. } = self.values[value];
        let latency = i64::from(self.machine.register_guard_latency(register.file));
        let source = GuardSource::Register { file: register.file, index: register.index };
        Some((Guard::If { source, inverted }, written? + latency))
    }

    fn note_read(&mut self, value: usize, cycle: i64) {
        self.change(value, |v| v.last_read = v.last_read.max(cycle));
    }

    /// Whether the register of `value` may be written in `cycle`, as far as the value before it goes.
    fn free(&self, value: usize, cycle: i64) -> bool {
        let mut before = self.values[value].previous;
        while let Some(previous) = before {
            let Value { last_read, written, previous, .. } = self.values[previous];
            if last_read > cycle {
                return false;
            }
            // A value that never reached the register leaves the one before it there.
            if let Some(written) = written {
                return written < cycle;
            }
            before = previous;
        }
        true
    }

    fn copy(&mut self, number: usize, cycle: i64) -> bool {
        let (input, output) = (self.work[number].inputs[0], self.work[number].outputs[0]);
        let guard = match self.work[number].predicate {
            None => Guard::Always,
            Some((value, inverted)) => {
                let Some((guard, from)) = self.guard(value, inverted) else { return false };
                if cycle < from || !self.keep(output, cycle) {
                    return false;
                }
                self.note_read(value, cycle);
                guard
            }
        };
        let Register { file, index } = self.values[output].register;
        if !self.free(output, cycle) || !self.feed(input, cycle, Destination::Register { file, index }, guard)
        {
            return false;
        }
        self.change(output, |v| v.written = Some(cycle));
        true
    }

    /// Sees to it that what the register of `value` held before is in it, before a guarded write in `cycle`.
    fn keep(&mut self, value: usize, cycle: i64) -> bool {
        let Some(previous) = self.values[value].previous else { return true };
        self.values[previous].written.is_some_and(|w| w < cycle)
            || (self.values[previous].written.is_none() && self.write_back(previous, Some(cycle - 1)))
    }

    /// Starts a node's operation in `cycle` on `unit`, its operands at least `slack` cycles apart from each other.
    fn start(&mut self, number: usize, cycle: i64, unit: UnitId, operation: u16, slack: i64) -> bool {
        let Some(op) = self.nodes[number].op else { return false };
        let facts = &self.machine.units[unit.index()];
        let found = &facts.operations[usize::from(operation)];
        let Some(trigger) = facts.trigger() else { return false };
        if !self.table.occupy(unit, operation, cycle) {
            return false;
        }
        let mut guard = Guard::Always;
        let mut guarded = None;
        if let Some((value, inverted)) = self.work[number].predicate {
            let Some((found, from)) = self.guard(value, inverted) else { return false };
            guarded = Some((value, found, from));
            if !op.info().is_pure() {
                if cycle < from {
                    return false;
                }
                guard = found;
                self.note_read(value, cycle);
            }
        }
        // The trigger has one cycle to be moved in, the others have several: it goes first. Only where operands come one after
        // the other through one immediate register the order of time is the only one.
        let mut order: Vec<u16> = (1..=op.info().inputs).collect();
        order.sort_by_key(|k| (found.port_of(*k) == Some(trigger)) != (slack == 0));
        let mut ahead = slack * (i64::from(op.info().inputs) - 1);
        for k in order {
            let Some(port) = found.port_of(k) else { return false };
            let input = self.work[number].inputs[usize::from(k) - 1];
            let write = port == trigger;
            let which = write.then_some(operation);
            let latest = cycle - ahead;
            ahead = (ahead - slack).max(0);
            let guard = if write { guard } else { Guard::Always };
            if !self.operand(input, cycle, latest, (unit, port), which, guard) {
                return false;
            }
        }
        for (position, k) in (op.info().inputs + 1..=op.info().inputs + op.info().outputs).enumerate() {
            let (Some(port), Some(latency)) = (found.port_of(k), found.latency_of(k)) else { return false };
            let arrives = cycle + i64::from(latency);
            let output = self.work[number].outputs[position];
            if !self.displace(number, (unit, port), arrives) || !self.table.arrive((unit, port), arrives) {
                return false;
            }
            self.change(output, |v| v.arrival = Some(((unit, port), arrives)));
            if let Some((value, found, from)) = guarded
                && !self.merge(output, value, found, from.max(arrives))
            {
                return false;
            }
        }
        true
    }

    /// Moves the value that a port still shows to its register, if anyone but node `number` will want it.
    fn displace(&mut self, number: usize, port: (UnitId, u16), arrives: i64) -> bool {
        let Some(last) = self.table.last_arrival(port) else { return true };
        let shown = self.values.iter().position(|v| v.arrival == Some((port, last.cycle)));
        let Some(value) = shown else { return true };
        let own = self.work[number].inputs.iter().filter(|i| **i == Input::Value(value)).count();
        let Value { readers, live_out, written, .. } = self.values[value];
        written.is_some() || (readers <= own && !live_out) || self.write_back(value, Some(arrives - 1))
    }

    /// Places a jump to an address that is not known yet and stands for `placeholder`; nothing may happen after its delay slots.
    pub(super) fn jump(
        &mut self,
        placeholder: u32,
        predicate: Option<Predicate>,
        not_before: i64,
    ) -> Result<i64, ScheduleError> {
        let control = self.machine.control_unit();
        let unit = &self.machine.units[control.index()];
        let found =
            unit.operation("jump").and_then(|o| Some((o, unit.operations[usize::from(o)].port_of(1)?)));
        let Some((operation, port)) = found else {
            return Err(ScheduleError::NoUnit { operation: "jump".to_owned() });
        };
        let destination = Destination::Port { unit: control, port, operation: Some(operation) };
        let (mut guard, mut from) = (Guard::Always, 0);
        if let Some(Predicate { register, inverted }) = predicate {
            let value = self.value_in(register);
            let Some((found, ready)) = self.guard(value, inverted) else {
                return Err(self.stuck("the condition of a branch"));
            };
            (guard, from) = (found, ready);
        }
        let slots = i64::from(self.machine.control.delay_slots);
        let start = from.max(not_before).max(self.table.last() - slots).max(0);
        for cycle in start..start + HORIZON {
            let mark = self.mark();
            // A long immediate may come to lie before the jump only, so nothing new ends up behind its delay slots.
            if self.constant(placeholder, cycle, destination, guard) {
                return Ok(cycle);
            }
            self.undo(mark);
        }
        Err(self.stuck("jump"))
    }
}
