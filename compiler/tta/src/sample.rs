//! Random machines and random programs that run without a hazard: raw material for differential tests.
//!
//! Everything follows from a seed. A program made here obeys the rules that the strict simulation checks, by construction:
//! nothing is read before it is written, no two results reach a port at once, addresses are constants in range, and where
//! control flow joins all results have arrived. Such a program must behave alike in every engine.

use crate::check::problems;
use crate::compose::{FilePlan, LongPlan, Plan, UnitPlan};
use crate::model::{Extension, Guard, GuardSource, Machine, UnitId, mask};
use crate::ops::Semantics;
use crate::program::{
    Destination, Exit, Instruction, LongImmediate, Move, Program, Source, Symbol, SymbolValue,
};
use std::collections::{BTreeMap, BTreeSet};

/// A small generator of random numbers: the same seed gives the same numbers everywhere.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// A generator that begins at `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits (the SplitMix64 sequence).
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`; 0 if `limit` is 0.
    pub fn below(&mut self, limit: u64) -> u64 {
        if limit == 0 { 0 } else { self.bits() % limit }
    }

    /// A number in a range, both ends included.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        let span = u64::from(high.saturating_sub(low)) + 1;
        low + u32::try_from(self.below(span)).unwrap_or(0)
    }

    /// True once in `n`.
    pub fn once_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// One of the items.
    pub fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(usize::try_from(self.below(items.len() as u64)).unwrap_or(0))
    }
}

/// Operations that a random arithmetic unit may have beyond those that every machine needs.
const EXTRA: &[&str] = &[
    "mul", "shl", "shr", "shru", "ne", "ge", "lt", "ltu", "min", "maxu", "sxqw", "sxhw", "andn", "shl2add",
    "mac", "addsub", "select", "rotl", "addf", "mulf", "subf", "gtf", "cif", "cfi", "divu", "mod",
];

/// A random machine: little-endian, 32 bits, at least what every machine needs.
#[must_use]
pub fn plan(random: &mut Random) -> Plan {
    let count = random.between(1, 6);
    let mut buses: Vec<(Extension, u32)> = (0..count)
        .map(|_| {
            let extension = if random.once_in(2) { Extension::Zero } else { Extension::Sign };
            (extension, random.between(0, 12))
        })
        .collect();
    let long = (!random.once_in(4)).then(|| LongPlan {
        registers: random.between(1, 3),
        slots: if count == 1 { vec![(0, 32)] } else { vec![(0, 16), (1, 16)] },
        extension: if random.once_in(2) { Extension::Zero } else { Extension::Sign },
        latency: random.between(0, 3),
    });
    if long.is_none() {
        buses[0] = (Extension::Zero, 32);
    }
    let mut files: Vec<FilePlan> = (0..random.between(1, 4))
        .map(|k| FilePlan {
            name: format!("f{k}"),
            size: random.between(5, 16),
            width: 32,
            reads: random.between(1, 3),
            writes: random.between(1, 2),
            guards: false,
            guard_latency: 0,
        })
        .collect();
    files.push(FilePlan {
        name: "pred".to_owned(),
        size: random.between(2, 4),
        width: 1,
        reads: 1,
        writes: 1,
        guards: true,
        guard_latency: random.between(0, 1),
    });
    let least = ["add", "sub", "eq", "gt", "gtu", "and", "ior", "xor", "shr1_32", "shru1_32"];
    let mut units = Vec::new();
    for k in 0..random.between(1, 3) {
        let names = least.iter().filter(|_| k == 0).chain(EXTRA.iter().filter(|_| random.once_in(3)));
        let operations: Vec<(String, u32)> = names.map(|n| ((*n).to_owned(), 0)).collect();
        let operations: Vec<(String, u32)> =
            operations.into_iter().map(|(n, _)| (n, random.between(1, 6))).collect();
        let exclusive = operations.iter().filter(|_| random.once_in(6)).map(|(n, _)| n.clone()).collect();
        if !operations.is_empty() {
            units.push(UnitPlan { name: format!("alu{k}"), operations, exclusive, space: None });
        }
    }
    let latency = random.between(1, 5);
    let mut memory: Vec<(String, u32)> =
        ["ld8", "ldu8", "ld16", "ldu16", "ld32"].map(|n| (n.to_owned(), latency)).into();
    memory.extend(["st8", "st16", "st32"].map(|n| (n.to_owned(), 1)));
    memory.push(("atom_add32".to_owned(), latency));
    units.push(UnitPlan {
        name: "lsu".to_owned(),
        operations: memory,
        exclusive: Vec::new(),
        space: Some("data".to_owned()),
    });
    let narrow = if random.once_in(2) { dropouts(random, count, &files, &units) } else { Vec::new() };
    Plan {
        buses,
        files,
        units,
        spaces: vec![("data".to_owned(), 0xffff, true, vec![0, 1, 2, 3])],
        long,
        delay_slots: random.between(0, 5),
        guard_latency: random.between(0, 2),
        narrow,
        little_endian: true,
    }
}

/// Sockets that join some buses only. The first register file keeps all of its connections, so that there is a way for every
/// value, with a stop there.
fn dropouts(
    random: &mut Random,
    buses: u32,
    files: &[FilePlan],
    units: &[UnitPlan],
) -> Vec<(String, Vec<u16>)> {
    let mut names = vec!["gcu_pc".to_owned(), "gcu_ra_in".to_owned(), "gcu_ra_out".to_owned()];
    names.push("imm_r1".to_owned());
    for file in files.iter().skip(1) {
        names.extend((1..=file.writes).map(|k| format!("{}_w{k}", file.name)));
        names.extend((1..=file.reads).map(|k| format!("{}_r{k}", file.name)));
    }
    for unit in units {
        names.push(format!("{}_t", unit.name));
        names.extend((2..=3).map(|k| format!("{}_o{k}", unit.name)));
        names.extend((1..=2).map(|k| format!("{}_r{k}", unit.name)));
    }
    let mut narrow = Vec::new();
    for name in names {
        let mut joined: Vec<u16> =
            (0..buses).filter(|_| !random.once_in(2)).filter_map(|b| u16::try_from(b).ok()).collect();
        if joined.is_empty() {
            joined.push(u16::try_from(random.below(u64::from(buses))).unwrap_or(0));
        }
        narrow.push((name, joined));
    }
    narrow
}

/// What is known about the machine's state at a point of a program in the making.
#[derive(Clone, Default)]
struct Known {
    /// Registers written, by file and index, and when.
    registers: BTreeMap<(u16, u32), u64>,
    /// Immediate registers, and from when they can be read.
    immediates: BTreeMap<(u16, u32), u64>,
    /// Input ports written.
    operands: BTreeSet<(u16, u16)>,
    /// Output ports, and from when they hold a result for certain.
    results: BTreeMap<(u16, u16), u64>,
    /// Registers that a guard may look at from this time on; later while a write is on its way.
    guards: BTreeMap<(u16, u32), u64>,
}

/// Makes one program.
struct Maker<'a> {
    machine: &'a Machine,
    random: Random,
    known: Known,
    /// Arrivals of results at output ports.
    arrivals: BTreeSet<(u16, u16, u64)>,
    /// Resources of units in use.
    busy: BTreeSet<(u16, String, u64)>,
    instructions: Vec<Instruction>,
}

/// The addresses that random programs touch: 8-byte aligned words below this.
const ADDRESSES: u64 = 256;

/// A random program for `machine` of about `length` instructions, fewer where its memory for them is smaller.
#[must_use]
pub fn program(machine: &Machine, seed: u64, length: usize) -> Program {
    let room = machine.instruction_room().map_or(u64::MAX, |(_, room)| room);
    let mut made = program_of(machine, seed, length);
    for attempt in 1..32 {
        if made.instructions.len() as u64 <= room {
            break;
        }
        made = program_of(machine, seed ^ attempt << 40, length >> attempt);
    }
    made
}

fn program_of(machine: &Machine, seed: u64, length: usize) -> Program {
    let mut maker = Maker {
        machine,
        random: Random::new(seed),
        known: Known::default(),
        arrivals: BTreeSet::new(),
        busy: BTreeSet::new(),
        instructions: Vec::new(),
    };
    let mut symbols = vec![Symbol { name: "start".to_owned(), value: SymbolValue::Code(0) }];
    while maker.instructions.len() < length {
        for _ in 0..maker.random.between(4, 24) {
            maker.instruction();
        }
        if maker.random.once_in(2) {
            let place = maker.branch();
            if let Some(at) = place {
                let name = format!("join_{at}");
                symbols.push(Symbol { name, value: SymbolValue::Code(at) });
            }
        }
    }
    maker.drain();
    let last = u32::try_from(maker.instructions.len()).unwrap_or(1) - 1;
    Program {
        instructions: maker.instructions,
        entry: 0,
        exits: vec![Exit { instruction: last, result: None }],
        data: Vec::new(),
        symbols,
    }
}

impl Maker<'_> {
    fn now(&self) -> u64 {
        self.instructions.len() as u64
    }

    /// Empty instructions until everything on its way has arrived.
    fn drain(&mut self) {
        for _ in 0..=self.machine.longest_latency() + 1 {
            self.instructions.push(Instruction::default());
        }
    }

    fn guard(&mut self) -> Guard {
        if !self.random.once_in(4) {
            return Guard::Always;
        }
        let now = self.now();
        let ready: Vec<(u16, u32)> =
            self.known.guards.iter().filter(|(_, from)| **from <= now).map(|(k, _)| *k).collect();
        match self.random.choose(&ready) {
            Some((file, index)) => Guard::If {
                source: GuardSource::Register { file: crate::model::FileId(*file), index: *index },
                inverted: self.random.once_in(2),
            },
            None => Guard::Always,
        }
    }

    /// Sources that can be read now, besides constants.
    fn sources(&self) -> Vec<Source> {
        let now = self.now();
        let registers =
            self.known.registers.iter().filter(|(_, at)| **at < now).map(|((file, index), _)| {
                Source::Register { file: crate::model::FileId(*file), index: *index }
            });
        let immediates =
            self.known.immediates.iter().filter(|(_, at)| **at <= now).map(|((unit, index), _)| {
                Source::Immediate { unit: crate::model::ImmediateUnitId(*unit), index: *index }
            });
        let results = self
            .known
            .results
            .iter()
            .filter(|(_, at)| **at <= now)
            .map(|((unit, port), _)| Source::Port { unit: UnitId(*unit), port: *port });
        registers.chain(immediates).chain(results).collect()
    }

    fn constant(&mut self, bus: crate::model::BusId) -> Source {
        let facts = &self.machine.buses[bus.index()];
        let field = facts.short_immediate;
        Source::Constant(field.extension.extend(self.random.bits(), field.width) & mask(facts.width))
    }

    /// Adds an instruction of random moves.
    fn instruction(&mut self) {
        let mut instruction = Instruction::default();
        let now = self.now();
        if self.random.once_in(5) {
            let writes: Vec<_> = self.machine.templates.iter().flat_map(|t| t.writes.clone()).collect();
            if let Some(write) = self.random.choose(&writes).cloned() {
                let unit = &self.machine.immediate_units[write.unit.index()];
                let wide = unit.extension.extend(self.random.bits(), write.width());
                let index = self.random.between(0, unit.size - 1);
                let value = wide & mask(unit.width);
                instruction.immediates.push(LongImmediate { unit: write.unit, index, value });
                if problems(self.machine, &instruction).is_empty() {
                    let from = now + u64::from(unit.latency);
                    self.known.immediates.insert((write.unit.0, index), from);
                } else {
                    instruction.immediates.clear();
                }
            }
        }
        for (bus, _) in self.machine.buses() {
            for _ in 0..4 {
                let Some(new) = self.attempt(bus) else { continue };
                instruction.moves.push(new);
                if problems(self.machine, &instruction).is_empty() && self.commit(&new, now) {
                    break;
                }
                instruction.moves.pop();
            }
        }
        self.instructions.push(instruction);
    }

    /// A random move over `bus` that reads only what is there before the instruction.
    fn attempt(&mut self, bus: crate::model::BusId) -> Option<Move> {
        let guard = self.guard();
        let all = self.sources();
        let source = match self.random.choose(&all) {
            Some(found) if !self.random.once_in(3) => *found,
            _ => self.constant(bus),
        };
        let files = self.machine.register_files.len() as u64;
        let destination = if self.random.once_in(3) {
            let file = u16::try_from(self.random.below(files)).ok()?;
            let size = self.machine.register_files.get(usize::from(file))?.size;
            let index = self.random.between(0, size - 1);
            Destination::Register { file: crate::model::FileId(file), index }
        } else {
            let unit = u16::try_from(self.random.below(self.machine.units.len() as u64 - 1)).ok()?;
            let facts = &self.machine.units[usize::from(unit)];
            let port = u16::try_from(self.random.below(facts.ports.len() as u64)).ok()?;
            let triggers = facts.ports.get(usize::from(port))?.triggers;
            let operation = u16::try_from(self.random.below(facts.operations.len() as u64)).ok()?;
            Destination::Port { unit: UnitId(unit), port, operation: triggers.then_some(operation) }
        };
        let mut new = Move { bus, guard, source, destination, producer: None };
        if let Destination::Port { unit, operation: Some(operation), .. } = destination {
            let facts = &self.machine.units[unit.index()];
            let found = facts.operations.get(usize::from(operation))?;
            let info = found.op?.info();
            if found.inputs().len() != usize::from(info.inputs)
                || found.results().len() != usize::from(info.outputs)
            {
                return None;
            }
            if info.is_memory() {
                // The address is what the trigger carries: a constant in range. Other bindings are left alone.
                let space = &self.machine.spaces[facts.space?.index()];
                let port = found.port_of(1)?;
                if !facts.ports[usize::from(port)].triggers || space.unit_width != 8 {
                    return None;
                }
                let width = self.machine.buses[bus.index()].short_immediate;
                let limit = match width.extension {
                    Extension::Zero => 1u64 << width.width.min(16),
                    Extension::Sign => 1u64 << width.width.saturating_sub(1).min(16),
                };
                // The widest access takes eight words of eight bytes.
                let last = limit.min(ADDRESSES).min(space.max_address.saturating_sub(63));
                let first = space.min_address.div_ceil(8) * 8;
                let words = last.saturating_sub(first) / 8;
                new.source = Source::Constant(first + self.random.below(words) * 8);
            } else if matches!(info.semantics, Semantics::Device(_) | Semantics::Control(_)) {
                return None;
            }
        }
        Some(new)
    }

    /// Takes note of a move; false if it would be a hazard.
    fn commit(&mut self, m: &Move, now: u64) -> bool {
        match m.destination {
            Destination::Register { file, index } => {
                let latency = u64::from(self.machine.register_guard_latency(file));
                if m.guard == Guard::Always {
                    self.known.registers.insert((file.0, index), now);
                    self.known.guards.insert((file.0, index), now + latency);
                } else if let Some(from) = self.known.guards.get_mut(&(file.0, index)) {
                    *from = now + latency;
                }
                true
            }
            Destination::Port { unit, port, operation: None } => {
                if m.guard == Guard::Always {
                    self.known.operands.insert((unit.0, port));
                }
                true
            }
            Destination::Port { unit, port, operation: Some(operation) } => {
                self.trigger(unit, port, operation, m.guard == Guard::Always, now)
            }
        }
    }

    fn trigger(&mut self, unit: UnitId, port: u16, operation: u16, certain: bool, now: u64) -> bool {
        let facts = &self.machine.units[unit.index()].operations[usize::from(operation)];
        let ready = facts.inputs().iter().filter_map(|k| facts.port_of(*k)).all(|p| {
            // An operand that is written later in this instruction counts only from the next one on; one that is not
            // kept would have to arrive now.
            let kept = self.machine.units[unit.index()].ports[usize::from(p)].registered;
            p == port || (kept && self.known.operands.contains(&(unit.0, p)))
        });
        let arrivals: Vec<(u16, u16, u64)> = facts
            .writes
            .iter()
            .filter_map(|w| Some((unit.0, facts.port_of(w.operand)?, now + u64::from(w.start + w.cycles))))
            .collect();
        let needs: Vec<(u16, String, u64)> = facts
            .resources
            .iter()
            .flat_map(|r| (r.start..r.start + r.cycles).map(|c| (unit.0, r.name.clone(), now + u64::from(c))))
            .collect();
        if !ready
            || arrivals.iter().any(|a| self.arrivals.contains(a))
            || needs.iter().any(|n| self.busy.contains(n))
        {
            return false;
        }
        for arrival in arrivals {
            if certain {
                let from = self.known.results.entry((arrival.0, arrival.1)).or_insert(arrival.2);
                *from = (*from).min(arrival.2);
            }
            self.arrivals.insert(arrival);
        }
        self.busy.extend(needs);
        if certain {
            self.known.operands.insert((unit.0, port));
        }
        true
    }

    /// A guarded jump over a few instructions; gives where the two ways join.
    fn branch(&mut self) -> Option<u32> {
        let control = self.machine.control_unit();
        let unit = &self.machine.units[control.index()];
        let jump = unit.operation("jump")?;
        let port = unit.operations[usize::from(jump)].port_of(1)?;
        let guard = self.guard();
        let slots = usize::try_from(self.machine.control.delay_slots).ok()?;
        let skipped = usize::try_from(self.random.between(1, 6)).ok()?;
        let at = self.instructions.len();
        let target = u32::try_from(at + 1 + slots + skipped).ok()?;
        // A narrow program counter cannot reach everywhere.
        if u64::from(target) > mask(unit.ports[usize::from(port)].width) {
            return None;
        }
        let destination = Destination::Port { unit: control, port, operation: Some(jump) };
        let mut instruction = Instruction::default();
        for (bus, _) in self.machine.buses() {
            let source = Source::Constant(u64::from(target));
            instruction.moves = vec![Move { bus, guard, source, destination, producer: None }];
            if problems(self.machine, &instruction).is_empty() {
                break;
            }
            instruction.moves.clear();
        }
        if instruction.moves.is_empty() {
            return None;
        }
        self.instructions.push(instruction);
        for _ in 0..slots {
            self.instruction();
        }
        let mut kept = self.known.clone();
        for _ in 0..skipped {
            self.instruction();
        }
        // What the skipped instructions wrote is uncertain from here on, and so is what a guard sees of it.
        self.drain();
        let now = self.now();
        for map in [&mut kept.registers, &mut kept.guards] {
            map.values_mut().for_each(|from| *from = (*from).min(now.saturating_sub(1)));
        }
        kept.results.values_mut().for_each(|from| *from = (*from).min(now));
        kept.immediates.values_mut().for_each(|from| *from = (*from).min(now));
        self.known = kept;
        Some(target)
    }
}
