//! The moves of an operation: operands from the cheapest place, results to registers, detours where no bus connects.
//!
//! Each function changes the tables and says whether it has done what it was asked for; what a failed one has left behind is
//! taken back by whoever tried.

use super::{HORIZON, Input, Latch, OPERAND_WINDOW, Scheduler, Undo, Value};
use crate::model::{Guard, UnitId};
use crate::program::{Destination, Source};
use crate::schedule::mir::Register;
use crate::schedule::table::{Number, Supply};

impl Scheduler<'_> {
    /// Moves a result to its register under a guard.
    pub(super) fn merge(
        &mut self,
        output: usize,
        predicate: usize,
        guard: Guard,
        from: i64,
        number: usize,
    ) -> bool {
        let Some((port, arrives)) = self.values[output].arrival else { return false };
        let Register { file, index } = self.values[output].register;
        let source = Source::Port { unit: port.0, port: port.1 };
        let destination = Destination::Register { file, index };
        let direct = self.table.connected(source, destination);
        for cycle in from..from + OPERAND_WINDOW * 4 {
            let mark = self.marked();
            let moved = self.keep(output, cycle)
                && self.free(output, cycle, Some(number))
                && if direct {
                    self.show(port, arrives, cycle, destination, guard)
                } else {
                    // What was not triggered has no result that could be moved.
                    let pure = self.nodes[number].op.is_some_and(|op| op.info().is_pure());
                    let (first, at) = if pure { (Guard::Always, arrives) } else { (guard, from) };
                    let step = |s: &mut Self, at: i64, through: Destination| {
                        let moved = s.show(port, arrives, at, through, first);
                        if moved && first != Guard::Always {
                            s.note_read(predicate, at);
                        }
                        moved
                    };
                    self.detour(at, cycle, destination, guard, step)
                };
            if moved {
                self.note_read(predicate, cycle);
                // The port shows the new value only, so readers must go to the register.
                self.change(output, |v| (v.written, v.arrival) = (Some(cycle), None));
                return true;
            }
            self.undo(mark);
        }
        false
    }

    /// Moves the result that reached `port` in cycle `arrives` from there, if it is still there.
    pub(super) fn show(
        &mut self,
        port: (UnitId, u16),
        arrives: i64,
        cycle: i64,
        destination: Destination,
        guard: Guard,
    ) -> bool {
        let source = Source::Port { unit: port.0, port: port.1 };
        let moved =
            self.table.shows(port, arrives, cycle) && self.table.transport(cycle, source, destination, guard);
        if moved {
            self.table.read(port, arrives, cycle);
        }
        moved
    }

    /// Sees to it that an input port holds a value when its operation starts in `cycle`; moved there not after `latest`.
    pub(super) fn operand(
        &mut self,
        input: Input,
        cycle: i64,
        latest: i64,
        port: (UnitId, u16),
        operation: Option<u16>,
        guard: Guard,
    ) -> bool {
        let numbered = self.wires.port_number(port.0, port.1);
        let latches = &self.latches[numbered];
        let place = latches.partition_point(|l| l.write <= cycle);
        let before = place.checked_sub(1).map(|b| latches[b]);
        let last_use = before.map_or(-1, |b| b.last_use);
        let write = |scheduler: &mut Self, at: i64, key: Option<Input>| {
            let new = Latch { write: at, key, last_use: cycle };
            scheduler.latches[numbered].insert(place, new);
            scheduler.log.push(Undo::Latched(numbered, place));
        };
        let destination = Destination::Port { unit: port.0, port: port.1, operation };
        if operation.is_some() {
            if last_use >= cycle || !self.feed(input, cycle, destination, guard, true) {
                return false;
            }
            write(self, cycle, (guard == Guard::Always).then_some(input));
            return true;
        }
        let facts = &self.machine.units[port.0.index()].ports[usize::from(port.1)];
        if !facts.registered {
            return self.feed(input, cycle, destination, Guard::Always, true);
        }
        if self.options.share_operands
            && let Some(Latch { key, .. }) = before
            && key == Some(input)
        {
            self.latches[numbered][place - 1].last_use = last_use.max(cycle);
            self.log.push(Undo::LatchUsed(numbered, place - 1, last_use));
            self.shared += 1;
            return true;
        }
        // From the port, or from a register that holds the value anyway, in any of the cycles; else by way of its register.
        for needs_register in [false, true] {
            for at in ((last_use + 1).max(cycle - OPERAND_WINDOW).max(0)..=latest).rev() {
                let mark = self.marked();
                if self.feed(input, at, destination, Guard::Always, needs_register) {
                    write(self, at, Some(input));
                    return true;
                }
                self.undo(mark);
            }
            if !matches!(input, Input::Value(v) if self.values[v].written.is_none()) {
                break;
            }
        }
        false
    }

    /// Whether the register of `value` may be written in `cycle`, as far as the values before it go.
    pub(super) fn free(&self, value: usize, cycle: i64, own: Option<usize>) -> bool {
        self.free_from(value, own).is_some_and(|from| from <= cycle)
    }

    /// From which cycle on the register of `value` may be written, as far as the values before it go: none of them has readers
    /// left but node `own`, and none is read later or written as late.
    pub(super) fn free_from(&self, value: usize, own: Option<usize>) -> Option<i64> {
        self.free_behind(self.values[value].previous, own)
    }

    /// The same for a register whose last value so far is `before`.
    pub(super) fn free_behind(&self, mut before: Option<usize>, own: Option<usize>) -> Option<i64> {
        let mut from = i64::MIN;
        while let Some(number) = before {
            let Value { last_read, written, previous, readers, .. } = self.values[number];
            let work = own.map(|n| &self.work[n]);
            let mine = work.map_or(0, |w| {
                let inputs = w.inputs.iter().filter(|i| **i == Input::Value(number)).count();
                let guards = w.predicate.map_or(0, |(p, _)| {
                    let kept = w.outputs.iter().filter(|o| self.values[**o].previous == Some(number)).count();
                    usize::from(p == number) + kept
                });
                inputs + guards
            });
            if readers > mine {
                return None;
            }
            from = from.max(last_read);
            // A value that never reached the register leaves the one before it there.
            if let Some(written) = written {
                return Some(from.max(written + 1));
            }
            before = previous;
        }
        Some(from)
    }

    /// Sees to it that what the register of `value` held before is in it, before a guarded write in `cycle`.
    pub(super) fn keep(&mut self, value: usize, cycle: i64) -> bool {
        let Some(previous) = self.values[value].previous else { return true };
        self.values[previous].written.is_some_and(|w| w < cycle)
            || (self.values[previous].written.is_none() && self.write_back(previous, Some(cycle - 1), None))
    }

    /// Moves an input to a destination in `cycle`, from the cheapest place that has it.
    ///
    /// Without `needs_register` not from a register that does not hold it yet.
    pub(super) fn feed(
        &mut self,
        input: Input,
        cycle: i64,
        destination: Destination,
        guard: Guard,
        needs_register: bool,
    ) -> bool {
        match input {
            Input::Number(number) => self.constant(number, cycle, destination, guard),
            Input::ReturnAddress => self.return_address(cycle, destination, guard),
            Input::Value(value) => {
                let mark = self.marked();
                // A register narrower than a word may cut what the port shows.
                let file = &self.machine.register_files[self.values[value].register.file.index()];
                if self.options.bypass
                    && file.width >= 32
                    && let Some((port, arrives)) = self.values[value].arrival
                    && self.table.shows(port, arrives, cycle)
                {
                    let source = Source::Port { unit: port.0, port: port.1 };
                    if self.table.transport(cycle, source, destination, guard) {
                        self.table.read(port, arrives, cycle);
                        return true;
                    }
                }
                if self.values[value].written.is_none()
                    && (!needs_register || !self.write_back(value, Some(cycle - 1), None))
                {
                    self.undo(mark);
                    return false;
                }
                let Value { register: Register { file, index }, written, .. } = self.values[value];
                let source = Source::Register { file, index };
                if written.is_none_or(|w| w >= cycle) {
                    self.undo(mark);
                    return false;
                }
                if self.table.transport(cycle, source, destination, guard) {
                    self.note_read(value, cycle);
                    return true;
                }
                if self.table.connected(source, destination) {
                    self.undo(mark);
                    return false;
                }
                // No bus goes there: by way of a register of another file.
                let from = written.unwrap_or(-1) + 1;
                let step = |s: &mut Self, at: i64, through: Destination| {
                    let moved = s.table.transport(at, source, through, Guard::Always);
                    if moved {
                        s.note_read(value, at);
                    }
                    moved
                };
                self.detour(from, cycle, destination, guard, step)
            }
        }
    }

    /// Moves the address that the function returns to; it stays at its port until a call is triggered.
    fn return_address(&mut self, cycle: i64, destination: Destination, guard: Guard) -> bool {
        let unit = self.machine.control_unit();
        let Some(port) = self.machine.control.return_address else { return false };
        let source = Source::Port { unit, port };
        if self.table.transport(cycle, source, destination, guard) {
            self.note_address_read(cycle);
            return true;
        }
        let step = |s: &mut Self, at: i64, through: Destination| {
            let moved = s.table.transport(at, source, through, Guard::Always);
            if moved {
                s.note_address_read(at);
            }
            moved
        };
        self.detour(0, cycle, destination, guard, step)
    }

    fn note_address_read(&mut self, cycle: i64) {
        self.log.push(Undo::AddressRead(self.address_read));
        self.address_read = self.address_read.max(Some(cycle));
    }

    fn constant(&mut self, number: Number, cycle: i64, destination: Destination, guard: Guard) -> bool {
        if self.table.transport(cycle, number, destination, guard) {
            return true;
        }
        if self.long_constant(number, cycle, destination, guard) {
            return true;
        }
        // Where there is a direct way it is free in some other cycle; looking for others in this one takes long.
        if self.frugal && self.table.reaches(number, destination) {
            return false;
        }
        let step = |s: &mut Self, at: i64, through: Destination| {
            s.table.transport(at, number, through, Guard::Always)
                || s.long_constant(number, at, through, Guard::Always)
        };
        self.detour(0, cycle, destination, guard, step)
    }

    pub(super) fn long_constant(
        &mut self,
        number: Number,
        cycle: i64,
        destination: Destination,
        guard: Guard,
    ) -> bool {
        if !self.table.brings_long(cycle, destination, guard) {
            return false;
        }
        // Where an immediate can be read at once its template may need the very bus that the move does; then it comes earlier.
        let at_once = self.machine.immediate_units().any(|(_, unit)| unit.latency == 0);
        for ahead in 0..if at_once { 4 } else { 1 } {
            let mark = self.marked();
            if let Some(source) = self.table.long(cycle, number, ahead)
                && self.table.transport(cycle, Supply { source, tag: None }, destination, guard)
            {
                return true;
            }
            self.undo(mark);
        }
        false
    }

    /// Brings something to a destination by way of a temporary register: `step` moves it there in a cycle from `from` on, and it
    /// goes on in `cycle`.
    pub(super) fn detour(
        &mut self,
        from: i64,
        cycle: i64,
        destination: Destination,
        guard: Guard,
        step: impl Fn(&mut Self, i64, Destination) -> bool,
    ) -> bool {
        for which in 0..self.options.temporaries.len() {
            let Register { file, index } = self.options.temporaries[which];
            let onward = Source::Register { file, index };
            if !self.table.connected(onward, destination) {
                continue;
            }
            // What happens in this cycle and what happens before it do not stand in each other's way.
            let outer = self.marked();
            if !self.table.transport(cycle, onward, destination, guard) {
                self.undo(outer);
                continue;
            }
            let lowest = from.max(cycle - 2 * OPERAND_WINDOW).max(0);
            for at in (lowest..cycle).rev() {
                let taken = self.temporaries[which].iter().any(|(a, b)| at < *b && *a < cycle);
                if taken {
                    continue;
                }
                let mark = self.marked();
                if step(self, at, Destination::Register { file, index }) {
                    self.temporaries[which].push((at, cycle));
                    self.log.push(Undo::Temporary(which));
                    return true;
                }
                self.undo(mark);
            }
            self.undo(outer);
        }
        self.options.far && self.long_detour(from, cycle, destination, guard, step)
    }

    /// A detour by way of two temporary registers.
    fn long_detour(
        &mut self,
        from: i64,
        cycle: i64,
        destination: Destination,
        guard: Guard,
        step: impl Fn(&mut Self, i64, Destination) -> bool,
    ) -> bool {
        let lowest = from.max(cycle - 2 * OPERAND_WINDOW).max(0);
        let count = self.options.temporaries.len();
        let source = |r: Register| Source::Register { file: r.file, index: r.index };
        let place = |r: Register| Destination::Register { file: r.file, index: r.index };
        let taken = |s: &Self, which: usize, first: i64, last: i64| {
            s.temporaries[which].iter().any(|(a, b)| first < *b && *a < last)
        };
        for last in 0..count {
            let near = self.options.temporaries[last];
            let outer = self.marked();
            if !self.table.connected(source(near), destination)
                || !self.table.transport(cycle, source(near), destination, guard)
            {
                self.undo(outer);
                continue;
            }
            for first in (0..count).filter(|first| *first != last) {
                let remote = self.options.temporaries[first];
                if !self.table.connected(source(remote), place(near)) {
                    continue;
                }
                for middle in
                    (lowest + 1..cycle).rev().filter(|at| !taken(self, last, *at, cycle)).collect::<Vec<_>>()
                {
                    let inner = self.marked();
                    if !self.table.transport(middle, source(remote), place(near), Guard::Always) {
                        self.undo(inner);
                        continue;
                    }
                    for at in (lowest..middle).rev() {
                        if taken(self, first, at, middle) {
                            continue;
                        }
                        let mark = self.marked();
                        if step(self, at, place(remote)) {
                            for (which, range) in [(first, (at, middle)), (last, (middle, cycle))] {
                                self.temporaries[which].push(range);
                                self.log.push(Undo::Temporary(which));
                            }
                            return true;
                        }
                        self.undo(mark);
                    }
                    self.undo(inner);
                }
            }
            self.undo(outer);
        }
        false
    }

    /// Moves a result to its register as early as can be, not after `limit`. Reads by node `own`, which is being placed, do not count.
    pub(super) fn write_back(&mut self, value: usize, limit: Option<i64>, own: Option<usize>) -> bool {
        let Some((port, arrives)) = self.values[value].arrival else { return false };
        let source = Source::Port { unit: port.0, port: port.1 };
        self.nearest(value, source, arrives, own);
        let Register { file, index } = self.values[value].register;
        let destination = Destination::Register { file, index };
        let direct = self.table.connected(source, destination);
        let last = limit.unwrap_or(i64::MAX).min(arrives + HORIZON);
        let Some(from) = self.free_from(value, own) else { return false };
        for cycle in arrives.max(from)..=last {
            if direct {
                if !self.table.shows(port, arrives, cycle) {
                    return false;
                }
                if self.table.transport(cycle, source, destination, Guard::Always) {
                    self.table.read(port, arrives, cycle);
                    self.change(value, |v| v.written = Some(cycle));
                    return true;
                }
                continue;
            }
            let step = |s: &mut Self, at: i64, through: Destination| {
                let there =
                    s.table.shows(port, arrives, at) && s.table.transport(at, source, through, Guard::Always);
                if there {
                    s.table.read(port, arrives, at);
                }
                there
            };
            if self.detour(arrives, cycle, destination, Guard::Always, step) {
                self.change(value, |v| v.written = Some(cycle));
                return true;
            }
        }
        false
    }
}
