//! Gives a value another register when its own is not free yet, so that what a register happened to be chosen for before does not
//! order what has nothing to do with each other.
//!
//! Only values that begin and end in the block and that no condition ties to what their register held before. The new register
//! is one that the function writes anyway, that nobody needs after the block, and whose last value in the block has no readers
//! left: so nothing else waits for it.

use super::place::exchanged;
use super::{Input, Scheduler, Undo};
use crate::model::FileId;
use crate::ops::Op;
use crate::program::{Destination, Source};
use crate::schedule::mir::Register;
use crate::schedule::wires::Wires;

impl Scheduler<'_> {
    /// Sees to it that a value which arrives at its port in `arrives` has a register to go to, so that it never keeps the port
    /// from others for good; false if there is none yet. The first operation of the code that is not placed always finds
    /// its own register free: whoever reads what that held before is placed, and nothing else has been given it.
    pub(super) fn reserve(&mut self, value: usize, arrives: i64, own: usize) -> bool {
        let wanted = self.values[value].readers > 0 || self.values[value].live_out;
        if !wanted || self.free(value, arrives, Some(own)) {
            return true;
        }
        self.rename(value, arrives, Some(own));
        self.free(value, i64::MAX, Some(own))
    }

    /// Sees to it that the register of a value that is about to be written is free in `cycle`, if another one is and its own
    /// is not.
    pub(super) fn rename(&mut self, value: usize, cycle: i64, own: Option<usize>) {
        if self.values[value].fixed || !self.options.rename || self.free(value, cycle, own) {
            return;
        }
        let file = self.values[value].register.file;
        // The one that has been free for the shortest time, so that others stay for what comes earlier.
        let mut best: Option<((bool, bool, i64), Register)> = None;
        for register in &self.pool {
            if !self.alike(*register, value) || !self.idle(*register) {
                continue;
            }
            let Some(from) = self.free_behind(self.top(*register), own) else { continue };
            let fits = from <= cycle;
            let key = (fits, register.file == file, if fits { from } else { -from });
            if best.is_none_or(|(found, _)| key > found) {
                best = Some((key, *register));
            }
        }
        match best {
            Some(((true, ..), register)) => self.give(value, register),
            // None is free by then: the first that will be, if its own comes later.
            Some(((false, _, from), register))
                if self.free_from(value, own).is_none_or(|own| own > -from) =>
            {
                self.give(value, register);
            }
            _ => {}
        }
    }

    /// Whether the results of an operation have registers to go to, however late.
    pub(super) fn has_room(&self, number: usize) -> bool {
        self.work[number].outputs.iter().all(|output| {
            let value = &self.values[*output];
            (value.readers == 0 && !value.live_out)
                || self.free_from(*output, Some(number)).is_some()
                || (!value.fixed
                    && self.options.rename
                    && self.pool.iter().any(|r| self.alike(*r, *output) && self.idle(*r)))
        })
    }

    /// Notes who reads each value, and over which buses.
    pub(super) fn note_wanted(&mut self, wires: &Wires) {
        self.wanted = vec![Vec::new(); self.values.len()];
        for (number, work) in self.work.iter().enumerate() {
            for (k, input) in (1..).zip(&work.inputs) {
                let Input::Value(value) = *input else { continue };
                let mut to = 0;
                for (unit, operation) in work.offers.iter() {
                    let found = &self.machine.units[unit.index()].operations[usize::from(*operation)];
                    let Some(info) = self.nodes[number].op.map(Op::info) else { continue };
                    for port in [k, exchanged(info, k, true)].into_iter().filter_map(|k| found.port_of(k)) {
                        to |= wires.port(*unit, port).0;
                    }
                }
                if self.nodes[number].op.is_none() {
                    let files = work.outputs.iter().map(|o| self.values[*o].register.file);
                    to = files.map(|file| wires.file_input(file)).fold(0, |a, b| a | b);
                }
                self.wanted[value].push((number, to));
            }
        }
    }

    /// How many of those that a value still has to be brought to no bus joins with a register file.
    fn missed(&self, value: usize, file: FileId) -> usize {
        let Some(wanted) = self.wanted.get(value) else { return 0 };
        let out = self.table.buses_from(file);
        wanted.iter().filter(|(number, to)| !self.work[*number].placed && to & out == 0).count()
    }

    /// Chooses the register that a result is about to be moved to in `cycle`: of those that it may have one that most readers can
    /// be reached from, and that a bus leads to which joins the least, so that those that join much stay free for others.
    pub(super) fn nearest(&mut self, value: usize, source: Source, cycle: i64, own: Option<usize>) {
        if self.values[value].fixed || !self.options.rename {
            return;
        }
        let Register { file, index } = self.values[value].register;
        if self.machine.register_files[file.index()].width < 32 {
            return self.rename(value, cycle, own);
        }
        let rank = |s: &Self, r: Register| {
            let rank = s.table.rank(cycle, source, Destination::Register { file: r.file, index: r.index })?;
            Some((s.missed(value, r.file), rank))
        };
        let mut best = rank(self, Register { file, index }).filter(|_| self.free(value, cycle, own));
        let mut tried: Vec<FileId> = vec![file];
        if best.is_none() {
            tried.clear();
        }
        let mut chosen = None;
        for at in 0..self.pool.len() {
            let register = self.pool[at];
            if tried.contains(&register.file) || !self.alike(register, value) || !self.idle(register) {
                continue;
            }
            let Some(found) = rank(self, register) else { continue };
            if best.is_some_and(|b| b <= found) {
                continue;
            }
            let mark = self.marked();
            self.give(value, register);
            let free = self.free(value, cycle, own);
            self.undo(mark);
            if free {
                (best, chosen) = (Some(found), Some(register));
                tried.push(register.file);
            }
        }
        match chosen {
            Some(register) => self.give(value, register),
            None => self.rename(value, cycle, own),
        }
    }

    /// Whether a register could take the place of a value's: another one, as wide.
    fn alike(&self, register: Register, value: usize) -> bool {
        let was = self.values[value].register;
        let files = &self.machine.register_files;
        let (own, other) = (&files[was.file.index()], &files[register.file.index()]);
        // What guards look at stays in its file.
        register != was && (register.file == was.file || (own.width >= 32 && other.width >= 32))
    }

    /// Whether all that a register holds in the block is placed and read.
    fn idle(&self, register: Register) -> bool {
        self.top(register).is_none_or(|last| {
            let last = &self.values[last];
            !last.live_out && last.readers == 0 && (last.arrival.is_some() || last.written.is_some())
        })
    }

    fn give(&mut self, value: usize, register: Register) {
        let (was, previous, next) = {
            let v = &self.values[value];
            (v.register, v.previous, v.next)
        };
        if let Some(previous) = previous {
            self.change(previous, |v| v.next = next);
        }
        match next {
            Some(next) => self.change(next, |v| v.previous = previous),
            None => self.set_top(was, previous),
        }
        let last = self.top(register);
        if let Some(last) = last {
            self.change(last, |v| v.next = Some(value));
        }
        self.change(value, |v| (v.register, v.previous, v.next) = (register, last, None));
        self.set_top(register, Some(value));
    }

    /// The last value of a register.
    fn top(&self, register: Register) -> Option<usize> {
        self.tops[self.wires.register_number(register)]
    }

    fn set_top(&mut self, register: Register, value: Option<usize>) {
        let at = self.wires.register_number(register);
        self.log.push(Undo::Top(at, self.tops[at]));
        self.tops[at] = value;
    }
}
