//! Places operations: in every cycle those that are ready, the longest way to the end first.
//!
//! Of the units that can do an operation, and the two orders of operands that may be exchanged, the way is taken that needs the
//! fewest moves.

use super::super::mir::{Node, Operand, Predicate, Register};
use super::{HORIZON, Input, Scheduler, Undo, Value};
use crate::model::{Guard, GuardSource, UnitId};
use crate::program::Destination;
use crate::schedule::ScheduleError;
use crate::schedule::table::Number;
use std::rc::Rc;

/// What a block ends with: where the jump goes.
#[derive(Debug, Clone, Copy)]
pub(in crate::schedule) enum Target {
    Number(Number),
    Operand(Operand),
}

/// In which order operations are placed. Which one gives the shortest block depends on what the block is short of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::schedule) enum Order {
    /// Cycle by cycle, the longest way to the end first.
    Cycle,
    /// The longest way to the end first, each as early as it fits, of so many operations from the first in the code on that is
    /// not placed.
    Operation(usize),
    /// Cycle by cycle, the fewest moves first.
    Cost,
}

/// A way to start an operation: unit, operation, operands exchanged.
type Way = (UnitId, u16, bool);

/// Which input goes to operand `k`.
pub(super) fn exchanged(info: &crate::ops::OpInfo, k: u16, swapped: bool) -> u16 {
    match info.swap {
        Some((a, b)) if swapped && k == a => b,
        Some((a, b)) if swapped && k == b => a,
        _ => k,
    }
}

impl Scheduler<'_> {
    fn mark(&self) -> (usize, usize) {
        (self.table.mark(), self.log.len())
    }

    pub(super) fn marked(&self) -> (usize, usize) {
        self.mark()
    }

    pub(super) fn undo(&mut self, mark: (usize, usize)) {
        self.table.undo(mark.0);
        while self.log.len() > mark.1 {
            match self.log.pop() {
                Some(Undo::Value(value, was)) => self.values[value] = was,
                Some(Undo::Latched(port, place)) => drop(self.latches[port].remove(place)),
                Some(Undo::LatchUsed(port, place, was)) => {
                    self.latches[port][place].last_use = was;
                    self.shared -= 1;
                }
                Some(Undo::Temporary(which)) => drop(self.temporaries[which].pop()),
                Some(Undo::Top(register, was)) => self.tops[register] = was,
                Some(Undo::AddressRead(was)) => self.address_read = was,
                None => {}
            }
        }
    }

    pub(super) fn change(&mut self, value: usize, change: impl FnOnce(&mut Value)) {
        self.log.push(Undo::Value(value, self.values[value]));
        change(&mut self.values[value]);
    }

    pub(super) fn note_read(&mut self, value: usize, cycle: i64) {
        self.change(value, |v| v.last_read = v.last_read.max(cycle));
    }

    /// Places every operation of the block.
    pub(in crate::schedule) fn run(&mut self, order: Order) -> Result<(), ScheduleError> {
        match order {
            Order::Operation(width) => self.by_operation(width)?,
            Order::Cycle | Order::Cost => self.by_cycle(order)?,
        }
        let waiting: Vec<usize> = (0..self.values.len())
            .filter(|v| self.values[*v].live_out && self.values[*v].written.is_none())
            .collect();
        for value in waiting {
            if !self.write_back(value, None, None) {
                return Err(ScheduleError::stuck("the move of a result to its register"));
            }
        }
        self.eliminated += self.values.iter().filter(|v| v.written.is_none()).count();
        Ok(())
    }

    /// A node is placed: what it kept waiting may go on.
    fn placed(&mut self, number: usize, cycle: i64, ready: &mut Vec<usize>) {
        for edge in std::mem::take(&mut self.work[number].successors) {
            let work = &mut self.work[edge.to];
            work.earliest = work.earliest.max(cycle + edge.cycles);
            work.waits -= 1;
            if work.waits == 0 {
                ready.push(edge.to);
            }
        }
    }

    fn first_ready(&self) -> Vec<usize> {
        (0..self.work.len()).filter(|n| self.work[*n].waits == 0).collect()
    }

    fn stuck_with(&self, number: usize) -> ScheduleError {
        ScheduleError::stuck(self.nodes[number].op.map_or("a copy", |op| op.info().name))
    }

    /// Operation by operation, of `width` from the first in the code on that is not placed the longest way to the end first, each
    /// in the first cycle that it fits in.
    fn by_operation(&mut self, width: usize) -> Result<(), ScheduleError> {
        self.frugal = true;
        let mut ready = self.first_ready();
        while !ready.is_empty() {
            ready.sort_by_key(|n| (std::cmp::Reverse(self.work[*n].height), *n));
            // What comes first in the code of all that is left is ready.
            let first = ready.iter().copied().min().unwrap_or(0);
            let mut found = None;
            for (at, &number) in ready.iter().enumerate() {
                if number >= first.saturating_add(width) || (self.reserves && !self.has_room(number)) {
                    continue;
                }
                let start = self.earliest(number);
                for cycle in start..=start.max(self.table.last()) + self.patience {
                    if self.table.has_bus(cycle) && self.place(number, cycle)?.is_some() {
                        found = Some((at, cycle));
                        break;
                    }
                }
                if found.is_some() || !self.reserves {
                    break;
                }
            }
            let Some((at, cycle)) = found else { return Err(self.stuck_with(ready[0])) };
            let number = ready.remove(at);
            self.placed(number, cycle, &mut ready);
        }
        Ok(())
    }

    /// Cycle by cycle: of what is ready the longest way to the end first, or what needs the fewest moves.
    fn by_cycle(&mut self, order: Order) -> Result<(), ScheduleError> {
        let mut ready = self.first_ready();
        let (mut cycle, mut last_success) = (0, 0);
        while !ready.is_empty() {
            ready.sort_by_key(|n| (std::cmp::Reverse(self.work[*n].height), *n));
            let mut candidates: Vec<usize> =
                ready.iter().copied().filter(|n| self.earliest(*n) <= cycle).collect();
            if order == Order::Cost {
                let mut costs: Vec<(usize, usize)> = Vec::new();
                for (rank, number) in candidates.iter().enumerate() {
                    costs.push((self.cost(*number, cycle)?.unwrap_or(usize::MAX), rank));
                }
                costs.sort_unstable();
                candidates = costs.into_iter().map(|(_, rank)| candidates[rank]).collect();
            }
            let before = ready.len();
            let mut progress = false;
            for number in candidates {
                if self.place(number, cycle)?.is_none() {
                    continue;
                }
                progress = true;
                last_success = cycle;
                ready.retain(|n| *n != number);
                self.placed(number, cycle, &mut ready);
                if order == Order::Cost {
                    // What it has left in ports may make others cheaper.
                    break;
                }
            }
            let opened = ready.len() > before.saturating_sub(1) && progress;
            if !(opened || (progress && order == Order::Cost)) {
                cycle += 1;
            }
            if cycle > last_success + self.patience {
                return Err(self.stuck_with(ready[0]));
            }
        }
        Ok(())
    }

    /// How many moves a node would need in a cycle.
    fn cost(&mut self, number: usize, cycle: i64) -> Result<Option<usize>, ScheduleError> {
        if self.nodes[number].op.is_none() {
            return Ok(Some(1));
        }
        let mark = self.mark();
        let cost = self.start_cheapest(number, cycle)?;
        self.undo(mark);
        Ok(cost)
    }

    /// When every input of a node can be there at the earliest.
    fn earliest(&self, number: usize) -> i64 {
        let work = &self.work[number];
        let inputs = work.inputs.iter().filter_map(|i| match i {
            Input::Value(v) => Some(self.values[*v]),
            Input::Number(_) | Input::ReturnAddress => None,
        });
        let there = |v: Value| match (v.arrival, v.written) {
            (Some((_, arrival)), _) => arrival,
            (None, Some(written)) => written + 1,
            (None, None) => 0,
        };
        // Memory order came in through the edges; an edge from a definition says no more than that the definition is placed.
        let order =
            if self.nodes[number].op.is_some_and(|op| !op.info().is_pure()) { work.earliest } else { 0 };
        inputs.map(there).max().unwrap_or(0).max(order).max(0)
    }

    /// Places a node with its trigger in `cycle`, if it fits.
    fn place(&mut self, number: usize, cycle: i64) -> Result<Option<()>, ScheduleError> {
        let mark = self.mark();
        let fits = if self.nodes[number].op.is_none() {
            self.copy(number, cycle)
        } else {
            self.start_cheapest(number, cycle)?.is_some()
        };
        if fits {
            self.done(number);
            return Ok(Some(()));
        }
        self.undo(mark);
        Ok(None)
    }

    /// Starts a node in `cycle` in the cheapest way, and gives the number of moves; where there is none, what was tried last is to
    /// be taken back.
    fn start_cheapest(&mut self, number: usize, cycle: i64) -> Result<Option<usize>, ScheduleError> {
        let mark = self.mark();
        let Some(op) = self.nodes[number].op else { return Ok(None) };
        let info = op.info();
        let offers = Rc::clone(&self.work[number].offers);
        if offers.is_empty() {
            return Err(ScheduleError::NoUnit { operation: info.name.to_owned() });
        }
        let numbers = self.work[number].inputs.iter().any(|i| matches!(i, Input::Number(_)));
        for slack in 0..=if numbers { 3 } else { 0 } {
            let mut best: Option<((usize, usize), Way)> = None;
            // Whether the best way is the one that stands in the tables.
            let mut stands = false;
            for (unit, operation) in offers.iter() {
                for swapped in [false, true] {
                    if swapped && info.swap.is_none() {
                        continue;
                    }
                    self.undo(mark);
                    stands = false;
                    let before = self.table.count;
                    if self.start(number, cycle, (*unit, *operation), slack, swapped) {
                        let cost = self.table.count - before;
                        let key = (cost, usize::MAX - self.kept(number, *unit, *operation, swapped));
                        if best.is_none_or(|b| key < b.0) {
                            best = Some((key, (*unit, *operation, swapped)));
                            stands = true;
                        }
                    }
                }
            }
            if let Some(((cost, _), (unit, operation, swapped))) = best {
                if !stands {
                    self.undo(mark);
                }
                let started = stands || self.start(number, cycle, (unit, operation), slack, swapped);
                return Ok(started.then_some(cost));
            }
        }
        Ok(None)
    }

    /// How many further operations want what a way leaves in ports that do not trigger.
    fn kept(&self, number: usize, unit: UnitId, operation: u16, swapped: bool) -> usize {
        let Some(info) = self.nodes[number].op.map(crate::ops::Op::info) else { return 0 };
        let facts = &self.machine.units[unit.index()];
        let found = &facts.operations[usize::from(operation)];
        let wanted = |k: u16| {
            let port = found.port_of(k)?;
            if Some(port) == facts.trigger() || !facts.ports[usize::from(port)].registered {
                return None;
            }
            match self.work[number].inputs[usize::from(exchanged(info, k, swapped)) - 1] {
                Input::Value(value) => Some(self.values[value].readers),
                // A long constant is worth keeping, a short one is cheap to bring again.
                Input::Number(_) => Some(1),
                Input::ReturnAddress => None,
            }
        };
        (1..=info.inputs).filter_map(wanted).sum()
    }

    /// The units that a node can go to.
    pub(super) fn find_offers(&self, node: &Node) -> Vec<(UnitId, u16)> {
        let Some(op) = node.op else { return Vec::new() };
        let space = node.memory.as_ref().map(|m| m.space);
        let all = self.machine.offering(op.info().name);
        all.filter(|(unit, _)| {
            space.is_none() || !op.info().is_memory() || self.machine.units[unit.index()].space == space
        })
        .collect()
    }

    /// A node is placed: its reads no longer wait, and nothing of it is taken back any more.
    fn done(&mut self, number: usize) {
        self.work[number].placed = true;
        let work = &self.work[number];
        let mut read: Vec<usize> = work
            .inputs
            .iter()
            .filter_map(|i| match i {
                Input::Value(v) => Some(*v),
                Input::Number(_) | Input::ReturnAddress => None,
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
        self.table.settle();
    }

    /// The guard of a predicate, and from which cycle on it may be used; moves the value to its register if need be.
    fn guard(&mut self, value: usize, inverted: bool) -> Option<(Guard, i64)> {
        if self.values[value].written.is_none() && !self.write_back(value, None, None) {
            return None;
        }
        let Value { register, written, .. } = self.values[value];
        let latency = i64::from(self.machine.register_guard_latency(register.file));
        let source = GuardSource::Register { file: register.file, index: register.index };
        Some((Guard::If { source, inverted }, written? + latency))
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
        self.rename(output, cycle, Some(number));
        let Register { file, index } = self.values[output].register;
        if !self.free(output, cycle, Some(number))
            || !self.feed(input, cycle, Destination::Register { file, index }, guard, true)
        {
            return false;
        }
        self.change(output, |v| v.written = Some(cycle));
        true
    }

    /// Starts a node's operation in `cycle` on a unit, its operands at least `slack` cycles apart from each other, the two that
    /// may be exchanged exchanged or not.
    fn start(
        &mut self,
        number: usize,
        cycle: i64,
        (unit, operation): (UnitId, u16),
        slack: i64,
        swapped: bool,
    ) -> bool {
        let Some(op) = self.nodes[number].op else { return false };
        let info = op.info();
        let machine = self.machine;
        let facts = &machine.units[unit.index()];
        let found = &facts.operations[usize::from(operation)];
        let Some(trigger) = facts.trigger() else { return false };
        // What triggers is moved in this cycle.
        if !self.table.has_bus(cycle) || !self.table.occupy(unit, operation, cycle) {
            return false;
        }
        let mut guard = Guard::Always;
        let mut guarded = None;
        if let Some((value, inverted)) = self.work[number].predicate {
            let Some((found, from)) = self.guard(value, inverted) else { return false };
            guarded = Some((value, found, from));
            if !info.is_pure() {
                if cycle < from {
                    return false;
                }
                guard = found;
                self.note_read(value, cycle);
            }
        }
        // The trigger has one cycle to be moved in, the others have several: it goes first. Only where operands come one after
        // the other through one immediate register the order of time is the only one.
        let triggers = |k: u16| found.port_of(k) == Some(trigger);
        let order = [slack == 0, slack != 0].into_iter();
        let order = order.flat_map(|first| (1..=info.inputs).filter(move |k| triggers(*k) == first));
        let mut ahead = slack * (i64::from(info.inputs) - 1);
        for k in order {
            let Some(port) = found.port_of(k) else { return false };
            let which = exchanged(info, k, swapped);
            let input = self.work[number].inputs[usize::from(which) - 1];
            let write = port == trigger;
            let latest = if facts.ports[usize::from(port)].registered { cycle - ahead } else { cycle };
            ahead = (ahead - slack).max(0);
            let guard = if write { guard } else { Guard::Always };
            if !self.operand(input, cycle, latest, (unit, port), write.then_some(operation), guard) {
                return false;
            }
        }
        (info.inputs + 1..=info.inputs + info.outputs).enumerate().all(|(position, k)| {
            let (Some(port), Some(latency)) = (found.port_of(k), found.latency_of(k)) else { return false };
            let output = self.work[number].outputs[position];
            self.result(number, output, (unit, port), cycle + i64::from(latency), guarded)
        })
    }

    /// Notes a result that reaches its port; sees to it that neither what is there nor it is lost.
    fn result(
        &mut self,
        number: usize,
        output: usize,
        port: (UnitId, u16),
        arrives: i64,
        guarded: Option<(usize, Guard, i64)>,
    ) -> bool {
        if self.reserves && !self.reserve(output, arrives, number) {
            return false;
        }
        if !self.displace(number, port, arrives) || !self.table.arrive(port, arrives, output) {
            return false;
        }
        self.change(output, |v| v.arrival = Some((port, arrives)));
        if let Some((value, found, from)) = guarded {
            return self.merge(output, value, found, from.max(arrives), number);
        }
        if !self.options.eliminate {
            let limit = self.table.arrival_after(port, arrives).map(|next| next - 1);
            return self.write_back(output, limit, Some(number));
        }
        // What guards must be in its register: the sooner the better.
        if self.machine.register_files[self.values[output].register.file.index()].width == 1 {
            let mark = self.mark();
            let limit = self.table.arrival_after(port, arrives).map(|next| next - 1);
            if self.write_back(output, limit, Some(number)) {
                return true;
            }
            self.undo(mark);
        }
        // A result that arrives before one that is on its way already goes to its register in between.
        let Value { readers, live_out, .. } = self.values[output];
        match self.table.arrival_after(port, arrives) {
            Some(next) if readers > 0 || live_out => self.write_back(output, Some(next - 1), Some(number)),
            _ => true,
        }
    }

    /// Moves the value that a port still shows to its register, if anyone but node `number` will want it.
    fn displace(&mut self, number: usize, port: (UnitId, u16), arrives: i64) -> bool {
        let Some(last) = self.table.arrival_before(port, arrives) else { return true };
        let value = last.value;
        let own = self.work[number].inputs.iter().filter(|i| **i == Input::Value(value)).count();
        let Value { readers, live_out, written, arrival, .. } = self.values[value];
        arrival.is_none()
            || written.is_some()
            || (readers <= own && !live_out)
            || self.write_back(value, Some(arrives - 1), None)
    }

    /// Puts a jump to a known place into a cycle before anything else is placed; [`Self::reserved_holds`] says afterwards
    /// whether its condition comes in time.
    pub(in crate::schedule) fn reserve_jump(
        &mut self,
        number: Number,
        predicate: Option<Predicate>,
        cycle: i64,
    ) -> bool {
        let control = self.machine.control_unit();
        let unit = &self.machine.units[control.index()];
        let Some(operation) = unit.operation("jump") else { return false };
        let Some(port) = unit.operations[usize::from(operation)].port_of(1) else { return false };
        let destination = Destination::Port { unit: control, port, operation: Some(operation) };
        let guard = predicate.map_or(Guard::Always, |p| Guard::If {
            source: GuardSource::Register { file: p.register.file, index: p.register.index },
            inverted: p.inverted,
        });
        // Not by way of a temporary register: what else needs it is not known yet.
        self.table.transport(cycle, number, destination, guard)
            || self.long_constant(number, cycle, destination, guard)
    }

    /// Whether everything else fits around a jump that was put into `cycle` first.
    pub(in crate::schedule) fn reserved_holds(&mut self, predicate: Option<Predicate>, cycle: i64) -> bool {
        let ready = predicate.is_none_or(|p| {
            let value = self.value_in(p.register);
            let latency = i64::from(self.machine.register_guard_latency(p.register.file));
            let written = self.values[value].written;
            written.is_some_and(|w| w + latency <= cycle)
        });
        ready && self.table.last() <= cycle + i64::from(self.machine.control.delay_slots)
    }

    /// Places a jump, call or return; nothing may happen after its delay slots. Gives its cycle.
    pub(in crate::schedule) fn jump(
        &mut self,
        name: &str,
        target: Target,
        predicate: Option<Predicate>,
        not_before: i64,
        addresses: &mut crate::schedule::Addresses<'_>,
    ) -> Result<i64, ScheduleError> {
        let control = self.machine.control_unit();
        let unit = &self.machine.units[control.index()];
        let found = unit.operation(name).and_then(|o| Some((o, unit.operations[usize::from(o)].port_of(1)?)));
        let Some((operation, port)) = found else {
            return Err(ScheduleError::NoUnit { operation: name.to_owned() });
        };
        let destination = Destination::Port { unit: control, port, operation: Some(operation) };
        let (mut guard, mut from) = (Guard::Always, 0);
        if let Some(Predicate { register, inverted }) = predicate {
            let value = self.value_in(register);
            let Some((found, ready)) = self.guard(value, inverted) else {
                return Err(ScheduleError::stuck("the condition of a branch"));
            };
            (guard, from) = (found, ready);
        }
        let input = match target {
            Target::Number(number) => Input::Number(number),
            Target::Operand(Operand::Register(register)) => Input::Value(self.value_in(register)),
            Target::Operand(Operand::Symbol { symbol, addend }) => {
                Input::Number(addresses.symbol(symbol, addend))
            }
            Target::Operand(Operand::Constant(c)) => Input::Number(Number { value: u64::from(c), tag: None }),
            Target::Operand(Operand::ReturnAddress) => Input::ReturnAddress,
        };
        let slots = i64::from(self.machine.control.delay_slots);
        // A call writes the return address at the end of the cycle that triggers it, not behind its delay slots.
        let read = if name == "call" { self.address_read.unwrap_or(0) } else { 0 };
        let start = from.max(not_before).max(self.table.last() - slots).max(read).max(0);
        for cycle in start..start + HORIZON {
            let mark = self.mark();
            // Whatever the address needs comes to lie before the jump, so nothing new ends up behind its delay slots.
            if self.feed(input, cycle, destination, guard, true) {
                return Ok(cycle);
            }
            self.undo(mark);
        }
        Err(ScheduleError::stuck(name))
    }
}
