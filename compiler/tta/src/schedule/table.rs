//! Full reservation tables of a block: what every bus, port, unit and immediate register does in every cycle.
//!
//! Every change is logged, so that an operation that does not fit can be taken back as a whole: [`Table::mark`] before,
//! [`Table::undo`] after. The table knows nothing of the order of operations; it only says what fits. Where all buses that a
//! move could take are taken, a move that is there already makes room if it can take another.

use super::wires::{Buses, Wires};
use crate::check::assign;
use crate::model::{BusId, Direction, FileId, FilePort, Guard, ImmediateUnitId, Machine, UnitId};
use crate::program::{Destination, LongImmediate, Move, Source, exclusive};

/// A number as code carries it: a constant, or the widest that an address can become, with what it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Number {
    /// The value, or all ones in as many bits as the address may have.
    pub(super) value: u64,
    /// The position in the function's list of addresses.
    pub(super) tag: Option<u32>,
}

/// What a move carries: a source and, if that is a number, which.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Supply {
    pub(super) source: Source,
    pub(super) tag: Option<u32>,
}

impl From<Source> for Supply {
    fn from(source: Source) -> Self {
        Self { source, tag: None }
    }
}

impl From<Number> for Supply {
    fn from(number: Number) -> Self {
        Self { source: Source::Constant(number.value), tag: number.tag }
    }
}

/// A result at an output port: when it arrives, when it is last read, and whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrival {
    pub(super) cycle: i64,
    pub(super) last_read: i64,
    pub(super) value: usize,
}

/// A long immediate in its register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Held {
    number: Number,
    from: i64,
    last_read: i64,
}

/// What one instruction does.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) moves: Vec<Move>,
    /// What the moves' constants stand for.
    pub(super) tags: Vec<Option<u32>>,
    pub(super) immediates: Vec<LongImmediate>,
    pub(super) long_tags: Vec<Option<u32>>,
    used: Buses,
}

/// A set of cycles.
#[derive(Debug, Default, Clone)]
struct Cycles {
    words: Vec<u64>,
}

impl Cycles {
    /// Whether a cycle was not in the set yet.
    fn insert(&mut self, cycle: i64) -> bool {
        let Ok(cycle) = usize::try_from(cycle) else { return false };
        if self.words.len() <= cycle / 64 {
            self.words.resize(cycle / 64 + 1, 0);
        }
        let (word, bit) = (&mut self.words[cycle / 64], 1 << (cycle % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    fn remove(&mut self, cycle: i64) {
        if let Ok(cycle) = usize::try_from(cycle)
            && let Some(word) = self.words.get_mut(cycle / 64)
        {
            *word &= !(1 << (cycle % 64));
        }
    }

    /// The last one; -1 if there is none.
    fn last(&self) -> i64 {
        let word = self.words.iter().rposition(|word| *word != 0);
        word.map_or(-1, |at| {
            i64::try_from(at * 64 + 63).unwrap_or(i64::MAX) - i64::from(self.words[at].leading_zeros())
        })
    }
}

/// How to take a change back.
#[derive(Debug)]
enum Undo {
    Move { cycle: usize },
    Bus { cycle: usize, position: usize, was: BusId },
    Long { cycle: i64, unit: ImmediateUnitId, index: u32, position: usize },
    LongRead { unit: ImmediateUnitId, index: u32, position: usize, was: i64 },
    Arrival { port: (UnitId, u16), position: usize },
    ArrivalRead { port: (UnitId, u16), position: usize, was: i64 },
    Busy { resource: usize, cycle: i64 },
}

/// The tables of a block.
#[derive(Debug)]
pub(super) struct Table<'m> {
    machine: &'m Machine,
    wires: &'m Wires,
    pub(super) rows: Vec<Row>,
    /// By port, in the order of time.
    arrivals: Vec<Vec<Arrival>>,
    /// By immediate register, in the order of time.
    longs: Vec<Vec<Held>>,
    /// By resource.
    busy: Vec<Cycles>,
    log: Vec<Undo>,
    /// Moves and long immediates placed.
    pub(super) count: usize,
}

impl<'m> Table<'m> {
    pub(super) fn new(machine: &'m Machine, wires: &'m Wires) -> Self {
        Self {
            machine,
            wires,
            rows: Vec::new(),
            arrivals: vec![Vec::new(); wires.port_count()],
            longs: vec![Vec::new(); wires.immediate_count()],
            busy: vec![Cycles::default(); wires.resource_count()],
            log: Vec::new(),
            count: 0,
        }
    }

    /// A point to come back to.
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Nothing that has happened so far will be taken back.
    pub(super) fn settle(&mut self) {
        self.log.clear();
    }

    /// Takes back everything since `mark`.
    pub(super) fn undo(&mut self, mark: usize) {
        while self.log.len() > mark {
            match self.log.pop() {
                Some(Undo::Move { cycle }) => {
                    let row = &mut self.rows[cycle];
                    row.tags.pop();
                    if let Some(gone) = row.moves.pop() {
                        row.used &= !(1 << gone.bus.0);
                    }
                    self.count -= 1;
                }
                Some(Undo::Bus { cycle, position, was }) => {
                    let row = &mut self.rows[cycle];
                    row.used &= !(1 << row.moves[position].bus.0);
                    row.used |= 1 << was.0;
                    row.moves[position].bus = was;
                }
                Some(Undo::Long { cycle, unit, index, position }) => {
                    if let Some(row) = usize::try_from(cycle).ok().and_then(|c| self.rows.get_mut(c)) {
                        row.immediates.pop();
                        row.long_tags.pop();
                    }
                    self.longs[self.wires.immediate_number(unit, index)].remove(position);
                    self.count -= 1;
                }
                Some(Undo::LongRead { unit, index, position, was }) => {
                    self.longs[self.wires.immediate_number(unit, index)][position].last_read = was;
                }
                Some(Undo::Arrival { port, position }) => {
                    self.arrivals_at(port).remove(position);
                }
                Some(Undo::ArrivalRead { port, position, was }) => {
                    self.arrivals_at(port)[position].last_read = was;
                }
                Some(Undo::Busy { resource, cycle }) => self.busy[resource].remove(cycle),
                None => {}
            }
        }
    }

    fn arrivals_at(&mut self, port: (UnitId, u16)) -> &mut Vec<Arrival> {
        &mut self.arrivals[self.wires.port_number(port.0, port.1)]
    }

    fn row(&mut self, cycle: i64) -> Option<usize> {
        let cycle = usize::try_from(cycle).ok()?;
        if self.rows.len() <= cycle {
            self.rows.resize_with(cycle + 1, Row::default);
        }
        Some(cycle)
    }

    /// Whether any bus connects `source` with `destination`.
    pub(super) fn connected(&self, source: Source, destination: Destination) -> bool {
        self.wires.between(self.machine, source, destination, Guard::Always) != 0
    }

    /// The buses that read a register file.
    pub(super) fn buses_from(&self, file: FileId) -> Buses {
        self.wires.file_output(file)
    }

    /// Whether any bus is free in a cycle.
    pub(super) fn has_bus(&self, cycle: i64) -> bool {
        let row = usize::try_from(cycle).ok().and_then(|c| self.rows.get(c));
        row.is_none_or(|row| row.used != self.wires.every())
    }

    /// Whether a number reaches a destination without a stop in a register.
    pub(super) fn reaches(&self, number: Number, destination: Destination) -> bool {
        let mut immediates = self.machine.immediate_units();
        self.connected(Source::Constant(number.value), destination)
            || immediates.any(|(unit, _)| {
                self.wires.holds(self.machine, unit, number.value, 0)
                    && self.connected(Source::Immediate { unit, index: 0 }, destination)
            })
    }

    /// Whether a bus from some immediate unit to a destination is free in a cycle.
    pub(super) fn brings_long(&self, cycle: i64, destination: Destination, guard: Guard) -> bool {
        let used = usize::try_from(cycle).ok().and_then(|c| self.rows.get(c)).map_or(0, |row| row.used);
        self.machine.immediate_units().any(|(unit, _)| {
            let source = Source::Immediate { unit, index: 0 };
            self.wires.between(self.machine, source, destination, guard) & !used != 0
        })
    }

    /// How early the first bus comes in the order of trying that is free in a cycle and connects `source` with `destination`.
    pub(super) fn rank(&self, cycle: i64, source: Source, destination: Destination) -> Option<usize> {
        let used = usize::try_from(cycle).ok().and_then(|c| self.rows.get(c)).map_or(0, |row| row.used);
        let buses = self.wires.between(self.machine, source, destination, Guard::Always) & !used;
        self.wires.rank(buses)
    }

    /// Puts a move into a cycle, on the first bus that bears it.
    pub(super) fn transport(
        &mut self,
        cycle: i64,
        supply: impl Into<Supply>,
        destination: Destination,
        guard: Guard,
    ) -> bool {
        let supply = supply.into();
        let candidates = self.wires.between(self.machine, supply.source, destination, guard);
        if candidates == 0 {
            return false;
        }
        let Some(row) = self.row(cycle) else { return false };
        let wires = self.wires;
        let new = |bus| Move { bus, guard, source: supply.source, destination, producer: None };
        for bus in wires.list(candidates & !self.rows[row].used) {
            if self.fits(row, &new(bus)) {
                self.push(row, new(bus), supply.tag);
                return true;
            }
        }
        // Another move may take another bus.
        let mark = self.mark();
        for bus in wires.list(candidates & self.rows[row].used) {
            let Some(position) = self.rows[row].moves.iter().position(|m| m.bus == bus) else { continue };
            let old = self.rows[row].moves[position];
            let others = wires.between(self.machine, old.source, old.destination, old.guard);
            for other in wires.list(others & !self.rows[row].used) {
                let moved = Move { bus: other, ..old };
                self.rebus(row, position, other);
                if self.fits_beside(row, &moved, position) && self.fits(row, &new(bus)) {
                    self.push(row, new(bus), supply.tag);
                    return true;
                }
                self.undo(mark);
            }
        }
        false
    }

    fn push(&mut self, row: usize, new: Move, tag: Option<u32>) {
        let here = &mut self.rows[row];
        here.used |= 1 << new.bus.0;
        here.moves.push(new);
        here.tags.push(tag);
        self.count += 1;
        self.log.push(Undo::Move { cycle: row });
    }

    fn rebus(&mut self, row: usize, position: usize, bus: BusId) {
        let here = &mut self.rows[row];
        let was = here.moves[position].bus;
        here.used &= !(1 << was.0);
        here.used |= 1 << bus.0;
        here.moves[position].bus = bus;
        self.log.push(Undo::Bus { cycle: row, position, was });
    }

    fn fits(&self, row: usize, new: &Move) -> bool {
        self.fits_beside(row, new, usize::MAX)
    }

    /// Whether a move finds its ports free beside all moves of its row but the one at `except`, which it replaces.
    fn fits_beside(&self, row: usize, new: &Move, except: usize) -> bool {
        let here = &self.rows[row];
        let others = || here.moves.iter().enumerate().filter(|(p, _)| *p != except).map(|(_, m)| m);
        for other in others() {
            let same = match (other.destination, new.destination) {
                (
                    Destination::Port { unit, port, .. },
                    Destination::Port { unit: new_unit, port: new_port, .. },
                ) => unit == new_unit && port == new_port,
                (a, b) => a == b,
            };
            if same && !exclusive(other.guard, new.guard) {
                return false;
            }
        }
        if let Source::Register { file, .. } = new.source
            && !self.reads_fit(row, file, new, except)
        {
            return false;
        }
        if let Source::Immediate { unit, .. } = new.source {
            let access = |m: &Move| match m.source {
                Source::Immediate { unit: u, index } if u == unit => Some((m.bus, (index, m.guard))),
                _ => None,
            };
            let ports = &self.machine.immediate_units[unit.index()].ports;
            if !self.accesses_fit(row, ports, new, except, Direction::Output, access) {
                return false;
            }
        }
        if let Destination::Register { file, .. } = new.destination
            && !self.writes_fit(row, file, new, except)
        {
            return false;
        }
        self.template_fits(row, new.bus)
    }

    fn reads_fit(&self, row: usize, file: FileId, new: &Move, except: usize) -> bool {
        let access = |m: &Move| match m.source {
            Source::Register { file: f, index } if f == file => Some((m.bus, (index, m.guard))),
            _ => None,
        };
        self.accesses_fit(row, self.file_ports(file), new, except, Direction::Output, access)
    }

    fn writes_fit(&self, row: usize, file: FileId, new: &Move, except: usize) -> bool {
        let access = |m: &Move| match m.destination {
            Destination::Register { file: f, index } if f == file => Some((m.bus, (index, m.guard))),
            _ => None,
        };
        self.accesses_fit(row, self.file_ports(file), new, except, Direction::Input, access)
    }

    fn file_ports(&self, file: FileId) -> &[FilePort] {
        &self.machine.register_files[file.index()].ports
    }

    /// Whether the accesses of a row's moves and of a further one find ports, each its own.
    fn accesses_fit(
        &self,
        row: usize,
        ports: &[FilePort],
        new: &Move,
        except: usize,
        way: Direction,
        access: impl Fn(&Move) -> Option<(BusId, (u32, Guard))>,
    ) -> bool {
        let moves = self.rows[row].moves.iter().enumerate().filter(|(p, _)| *p != except);
        let mut others = moves.filter_map(|(_, m)| access(m));
        let Some(first) = others.next() else { return true };
        let mut accesses = vec![first];
        accesses.extend(others);
        accesses.extend(access(new));
        accesses.len() <= 1 || assign(self.machine, ports, &accesses, way)
    }

    /// Whether the row's long immediate leaves the bus of a further move free.
    fn template_fits(&self, row: usize, bus: BusId) -> bool {
        let here = &self.rows[row];
        let used = here.used | 1 << bus.0;
        here.immediates.iter().all(|i| self.wires.holds(self.machine, i.unit, i.value, used))
    }

    /// Brings a number into an immediate register that holds it in `cycle`, and does so at least `ahead` cycles before it
    /// must; gives the register.
    pub(super) fn long(&mut self, cycle: i64, number: Number, ahead: i64) -> Option<Source> {
        let machine = self.machine;
        for (id, unit) in machine.immediate_units() {
            for index in 0..unit.size {
                let held = &mut self.longs[self.wires.immediate_number(id, index)];
                let Some(position) = held.partition_point(|h| h.from <= cycle).checked_sub(1) else {
                    continue;
                };
                if held[position].number == number {
                    let was = held[position].last_read;
                    held[position].last_read = was.max(cycle);
                    self.log.push(Undo::LongRead { unit: id, index, position, was });
                    return Some(Source::Immediate { unit: id, index });
                }
            }
        }
        for (id, unit) in machine.immediate_units() {
            let latency = i64::from(unit.latency);
            for index in 0..unit.size {
                let held = &self.longs[self.wires.immediate_number(id, index)];
                // What is held is in the order of time: what comes before must have been read for the last time.
                let before = held.partition_point(|h| h.from <= cycle).checked_sub(1).map(|b| held[b]);
                if before.is_some_and(|h| h.last_read >= cycle) {
                    continue;
                }
                let earliest = before.map_or(0, |h| h.last_read.max(h.from) + 1 - latency).max(0);
                for at in (earliest.max(cycle - latency - 8)..=cycle - latency - ahead).rev() {
                    if self.place_long(at, id, index, number) {
                        let new = Held { number, from: at + latency, last_read: cycle };
                        let held = &mut self.longs[self.wires.immediate_number(id, index)];
                        let position = held.partition_point(|h| h.from < new.from);
                        held.insert(position, new);
                        self.log.push(Undo::Long { cycle: at, unit: id, index, position });
                        return Some(Source::Immediate { unit: id, index });
                    }
                }
            }
        }
        None
    }

    fn place_long(&mut self, cycle: i64, unit: ImmediateUnitId, index: u32, number: Number) -> bool {
        let Some(row) = self.row(cycle) else { return false };
        if !self.rows[row].immediates.is_empty() {
            return false;
        }
        if !self.wires.holds(self.machine, unit, number.value, self.rows[row].used) {
            return false;
        }
        self.rows[row].immediates.push(LongImmediate { unit, index, value: number.value });
        self.rows[row].long_tags.push(number.tag);
        self.count += 1;
        true
    }

    /// The last result that reaches a port before `cycle`.
    pub(super) fn arrival_before(&self, port: (UnitId, u16), cycle: i64) -> Option<Arrival> {
        let all = &self.arrivals[self.wires.port_number(port.0, port.1)];
        all.iter().rev().find(|a| a.cycle < cycle).copied()
    }

    /// The first result that reaches a port after `cycle`.
    pub(super) fn arrival_after(&self, port: (UnitId, u16), cycle: i64) -> Option<i64> {
        let all = &self.arrivals[self.wires.port_number(port.0, port.1)];
        // What is asked for is near the end of the list mostly.
        let later = all.iter().rev().take_while(|a| a.cycle > cycle);
        later.last().map(|a| a.cycle)
    }

    /// Whether a result that arrived at `arrived` is still at its port in `cycle`.
    pub(super) fn shows(&self, port: (UnitId, u16), arrived: i64, cycle: i64) -> bool {
        cycle >= arrived && self.arrival_after(port, arrived).is_none_or(|next| next > cycle)
    }

    /// Notes the result of `value`; false if the one before is read later or another arrives in the same cycle.
    pub(super) fn arrive(&mut self, port: (UnitId, u16), cycle: i64, value: usize) -> bool {
        let list = self.arrivals_at(port);
        let position = list.iter().take_while(|a| a.cycle < cycle).count();
        if list.get(position).is_some_and(|a| a.cycle == cycle)
            || position.checked_sub(1).is_some_and(|before| list[before].last_read >= cycle)
        {
            return false;
        }
        list.insert(position, Arrival { cycle, last_read: cycle - 1, value });
        self.log.push(Undo::Arrival { port, position });
        true
    }

    /// Notes that a result is read.
    pub(super) fn read(&mut self, port: (UnitId, u16), arrived: i64, cycle: i64) {
        let list = self.arrivals_at(port);
        if let Some(position) = list.iter().position(|a| a.cycle == arrived) {
            let was = list[position].last_read;
            list[position].last_read = was.max(cycle);
            self.log.push(Undo::ArrivalRead { port, position, was });
        }
    }

    /// Takes the resources of an operation that is triggered in `cycle`.
    pub(super) fn occupy(&mut self, unit: UnitId, operation: u16, cycle: i64) -> bool {
        let wires = self.wires;
        for hold in wires.holds_resources(unit, operation) {
            for ahead in hold.start..hold.start + hold.cycles {
                let (resource, cycle) = (wires.resource_number(unit, hold.resource), cycle + ahead);
                if !self.busy[resource].insert(cycle) {
                    return false;
                }
                self.log.push(Undo::Busy { resource, cycle });
            }
        }
        true
    }

    /// The last cycle in which anything happens or arrives.
    pub(super) fn last(&self) -> i64 {
        let used = |r: &Row| !r.moves.is_empty() || !r.immediates.is_empty();
        let row = self.rows.iter().rposition(used).map_or(-1, |r| i64::try_from(r).unwrap_or(i64::MAX));
        let arrival = self.arrivals.iter().flatten().map(|a| a.cycle - 1).max().unwrap_or(-1);
        let busy = self.busy.iter().map(Cycles::last).max().unwrap_or(-1);
        row.max(arrival).max(busy)
    }
}
