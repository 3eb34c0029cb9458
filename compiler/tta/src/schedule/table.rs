//! Full reservation tables of a block: what every bus, port, unit and immediate register does in every cycle.
//!
//! Every change is logged, so that an operation that does not fit can be taken back as a whole: [`Table::mark`] before,
//! [`Table::undo`] after. The table knows nothing of values or of the order of operations; it only says what fits.

use crate::check::{fits, problems};
use crate::model::{BusId, Direction, FilePort, Guard, ImmediateUnitId, Machine, SocketId, UnitId, mask};
use crate::program::{Destination, Instruction, LongImmediate, Move, Source};
use std::collections::BTreeMap;

/// A result at an output port: when it arrives and when it is last read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrival {
    pub(super) cycle: i64,
    pub(super) last_read: i64,
}

/// A long immediate in its register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Held {
    value: u64,
    from: i64,
    last_read: i64,
}

/// How to take a change back.
#[derive(Debug)]
enum Undo {
    Move { cycle: usize },
    Long { cycle: usize, unit: ImmediateUnitId, index: u32 },
    LongRead { unit: ImmediateUnitId, index: u32, position: usize, was: i64 },
    Arrival { port: (UnitId, u16) },
    ArrivalRead { port: (UnitId, u16), position: usize, was: i64 },
    Busy { key: (UnitId, String, i64) },
}

/// The tables of a block.
#[derive(Debug)]
pub(super) struct Table<'m> {
    machine: &'m Machine,
    pub(super) rows: Vec<Instruction>,
    arrivals: BTreeMap<(UnitId, u16), Vec<Arrival>>,
    longs: BTreeMap<(ImmediateUnitId, u32), Vec<Held>>,
    busy: BTreeMap<(UnitId, String, i64), ()>,
    log: Vec<Undo>,
}

impl<'m> Table<'m> {
    pub(super) fn new(machine: &'m Machine) -> Self {
        Self {
            machine,
            rows: Vec::new(),
            arrivals: BTreeMap::new(),
            longs: BTreeMap::new(),
            busy: BTreeMap::new(),
            log: Vec::new(),
        }
    }

    /// A point to come back to.
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Takes back everything since `mark`.
    pub(super) fn undo(&mut self, mark: usize) {
        while self.log.len() > mark {
            match self.log.pop() {
                Some(Undo::Move { cycle }) => drop(self.rows[cycle].moves.pop()),
                Some(Undo::Long { cycle, unit, index }) => {
                    self.rows[cycle].immediates.pop();
                    if let Some(held) = self.longs.get_mut(&(unit, index)) {
                        held.pop();
                    }
                }
                Some(Undo::LongRead { unit, index, position, was }) => {
                    self.longs.entry((unit, index)).and_modify(|h| h[position].last_read = was);
                }
                Some(Undo::Arrival { port }) => {
                    if let Some(arrivals) = self.arrivals.get_mut(&port) {
                        arrivals.pop();
                    }
                }
                Some(Undo::ArrivalRead { port, position, was }) => {
                    self.arrivals.entry(port).and_modify(|a| a[position].last_read = was);
                }
                Some(Undo::Busy { key }) => drop(self.busy.remove(&key)),
                None => {}
            }
        }
    }

    fn row(&mut self, cycle: i64) -> Option<usize> {
        let cycle = usize::try_from(cycle).ok()?;
        if self.rows.len() <= cycle {
            self.rows.resize_with(cycle + 1, Instruction::default);
        }
        Some(cycle)
    }

    /// Whether `socket` joins `bus`; quick enough to ask before anything else.
    fn joined(&self, socket: Option<SocketId>, bus: BusId, way: Direction) -> bool {
        self.machine.joins(socket, bus, way)
    }

    fn file_joined(&self, ports: &[FilePort], bus: BusId, way: Direction) -> bool {
        ports.iter().any(|p| self.machine.joins(p.socket, bus, way))
    }

    /// Whether a bus can carry from `source` to `destination` at all.
    fn carries(&self, bus: BusId, source: Source, destination: Destination) -> bool {
        let machine = self.machine;
        let from = match source {
            Source::Register { file, .. } => {
                self.file_joined(&machine.register_files[file.index()].ports, bus, Direction::Output)
            }
            Source::Immediate { unit, .. } => {
                self.file_joined(&machine.immediate_units[unit.index()].ports, bus, Direction::Output)
            }
            Source::Port { unit, port } => {
                let socket = machine.units[unit.index()].ports[usize::from(port)].output;
                self.joined(socket, bus, Direction::Output)
            }
            Source::Constant(value) => fits(&machine.buses[bus.index()], value),
        };
        from && match destination {
            Destination::Register { file, .. } => {
                self.file_joined(&machine.register_files[file.index()].ports, bus, Direction::Input)
            }
            Destination::Port { unit, port, .. } => {
                let socket = machine.units[unit.index()].ports[usize::from(port)].input;
                self.joined(socket, bus, Direction::Input)
            }
        }
    }

    /// Whether any bus connects `source` with `destination`.
    pub(super) fn connected(&self, source: Source, destination: Destination) -> bool {
        self.machine.buses().any(|(bus, _)| self.carries(bus, source, destination))
    }

    /// Puts a move into a cycle, on the first bus that bears it.
    pub(super) fn transport(
        &mut self,
        cycle: i64,
        source: Source,
        destination: Destination,
        guard: Guard,
    ) -> bool {
        let Some(row) = self.row(cycle) else { return false };
        for (bus, facts) in self.machine.buses() {
            let taken = self.rows[row].moves.iter().any(|m| m.bus == bus);
            if taken || !facts.bears(guard) || !self.carries(bus, source, destination) {
                continue;
            }
            self.rows[row].moves.push(Move { bus, guard, source, destination, producer: None });
            if problems(self.machine, &self.rows[row]).is_empty() {
                self.log.push(Undo::Move { cycle: row });
                return true;
            }
            self.rows[row].moves.pop();
        }
        false
    }

    /// Brings `value` into an immediate register that holds it in `cycle`, and does so at least `ahead` cycles before it must;
    /// gives the register.
    pub(super) fn long(&mut self, cycle: i64, value: u64, ahead: i64) -> Option<Source> {
        for (id, unit) in self.machine.immediate_units() {
            for index in 0..unit.size {
                let held = self.longs.get(&(id, index)).map_or(&[][..], Vec::as_slice);
                let last = held.last().copied();
                if let Some((position, held)) = held.iter().enumerate().next_back()
                    && held.value == value
                    && held.from <= cycle
                {
                    let was = held.last_read;
                    self.log.push(Undo::LongRead { unit: id, index, position, was });
                    if let Some(held) = self.longs.get_mut(&(id, index)) {
                        held[position].last_read = was.max(cycle);
                    }
                    return Some(Source::Immediate { unit: id, index });
                }
                let latency = i64::from(unit.latency);
                // The new value may arrive only after the old one was read for the last time.
                let earliest = last.map_or(0, |h| h.last_read + 1 - latency).max(0);
                for at in (earliest.max(cycle - latency - 8)..=cycle - latency - ahead).rev() {
                    if last.is_some_and(|h| at + latency <= h.from) {
                        break;
                    }
                    if self.place_long(at, id, index, value) {
                        let held = Held { value, from: at + latency, last_read: cycle };
                        self.longs.entry((id, index)).or_default().push(held);
                        return Some(Source::Immediate { unit: id, index });
                    }
                }
            }
        }
        None
    }

    fn place_long(&mut self, cycle: i64, unit: ImmediateUnitId, index: u32, value: u64) -> bool {
        let Some(row) = self.row(cycle) else { return false };
        if !self.rows[row].immediates.is_empty() {
            return false;
        }
        self.rows[row].immediates.push(LongImmediate { unit, index, value });
        if problems(self.machine, &self.rows[row]).is_empty() {
            self.log.push(Undo::Long { cycle: row, unit, index });
            return true;
        }
        self.rows[row].immediates.pop();
        false
    }

    /// The last result on its way to a port or there.
    pub(super) fn last_arrival(&self, port: (UnitId, u16)) -> Option<Arrival> {
        self.arrivals.get(&port).and_then(|a| a.last()).copied()
    }

    /// Whether a result that arrived at `arrived` is still at its port in `cycle`.
    pub(super) fn shows(&self, port: (UnitId, u16), arrived: i64, cycle: i64) -> bool {
        cycle >= arrived
            && self
                .arrivals
                .get(&port)
                .is_none_or(|all| all.iter().all(|a| a.cycle <= arrived || a.cycle > cycle))
    }

    /// Notes a result; results reach a port in the order in which they are noted.
    pub(super) fn arrive(&mut self, port: (UnitId, u16), cycle: i64) -> bool {
        let list = self.arrivals.entry(port).or_default();
        if list.last().is_some_and(|a| a.cycle >= cycle || a.last_read >= cycle) {
            return false;
        }
        list.push(Arrival { cycle, last_read: cycle - 1 });
        self.log.push(Undo::Arrival { port });
        true
    }

    /// Notes that a result is read.
    pub(super) fn read(&mut self, port: (UnitId, u16), arrived: i64, cycle: i64) {
        let Some(list) = self.arrivals.get_mut(&port) else { return };
        if let Some(position) = list.iter().position(|a| a.cycle == arrived) {
            let was = list[position].last_read;
            list[position].last_read = was.max(cycle);
            self.log.push(Undo::ArrivalRead { port, position, was });
        }
    }

    /// Takes the resources of an operation that is triggered in `cycle`.
    pub(super) fn occupy(&mut self, unit: UnitId, operation: u16, cycle: i64) -> bool {
        let facts = &self.machine.units[unit.index()].operations[usize::from(operation)];
        for resource in &facts.resources {
            for ahead in resource.start..resource.start + resource.cycles {
                let key = (unit, resource.name.clone(), cycle + i64::from(ahead));
                if self.busy.insert(key.clone(), ()).is_some() {
                    return false;
                }
                self.log.push(Undo::Busy { key });
            }
        }
        true
    }

    /// The last cycle in which anything happens or arrives.
    pub(super) fn last(&self) -> i64 {
        let used = |r: &Instruction| !r.moves.is_empty() || !r.immediates.is_empty();
        let row = self.rows.iter().rposition(used).map_or(-1, |r| i64::try_from(r).unwrap_or(i64::MAX));
        let arrival = self.arrivals.values().flatten().map(|a| a.cycle - 1).max().unwrap_or(-1);
        let busy = self.busy.keys().map(|k| k.2).max().unwrap_or(-1);
        row.max(arrival).max(busy)
    }

    /// A constant as a bus of 32 bits carries it.
    pub(super) fn constant(value: u32) -> u64 {
        u64::from(value) & mask(32)
    }
}
