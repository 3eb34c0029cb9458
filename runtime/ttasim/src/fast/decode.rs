//! Instructions to steps.
//!
//! An instruction reads all its sources before it writes any destination. Its moves are put into an order in which doing
//! them one after the other has the same effect; where two moves wait for each other (a swap), a value is set aside
//! first. Then come the operations that the moves have started. A guard becomes a step that skips others.

use crate::fault::LoadError;
use crate::layout::Layout;
use oxcl_tta::model::{Guard, Machine, mask};
use oxcl_tta::ops::{Access, Atomic, Control, Device, Semantics};
use oxcl_tta::program::{Destination, Move, Program, Source};
use std::collections::HashMap;

/// A result of an operation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Out {
    /// The word of the port.
    pub(crate) slot: u32,
    /// 64 less the port's width.
    pub(crate) shift: u8,
    /// Cycles until it can be read.
    pub(crate) latency: u16,
}

/// What an operation does that has no step of its own.
#[derive(Debug, Clone)]
pub(crate) struct Rare {
    /// Words of the inputs.
    pub(crate) inputs: Vec<u32>,
    /// The results.
    pub(crate) outs: Vec<Out>,
    /// Further words that show a result later: the word, and how much later than the result.
    pub(crate) followers: Vec<(usize, u32, u32)>,
    /// The unit, for messages.
    pub(crate) unit: u16,
    /// What it does.
    pub(crate) kind: RareKind,
}

/// Kinds of [`Rare`].
#[derive(Debug, Clone, Copy)]
pub(crate) enum RareKind {
    Unary(fn(u64) -> u64),
    Binary(fn(u64, u64) -> u64),
    Ternary(fn(u64, u64, u64) -> u64),
    Pair(fn(u64, u64) -> (u64, u64)),
    Load(Access),
    Store(Access),
    Atomic(Atomic),
    Control(Control),
    ProgramCounter,
    Device(Device),
}

/// A step.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    /// Copies a word, cut to the bits of `mask`.
    Move { from: u32, to: u32, mask: u64 },
    /// Leaves out the next `count` steps unless bit 0 of the guard's word is as wanted, and counts that.
    Skip { guard: u32, wanted: bool, count: u16, squash: u32 },
    /// As `Skip`, without counting: the move that started the operation has been counted.
    SkipOperation { guard: u32, wanted: bool },
    /// Shows a word in another one after some cycles.
    Later { from: u32, to: u32, latency: u32 },
    /// An operation on one input.
    Unary { function: fn(u64) -> u64, a: u32, out: Out },
    /// An operation on two inputs.
    Binary { function: fn(u64, u64) -> u64, a: u32, b: u32, out: Out },
    /// A load of one word.
    Load { address: u32, access: Access, unit: u16, out: Out },
    /// A store of one word.
    Store { address: u32, value: u32, access: Access, unit: u16 },
    /// A jump to where a word says, with or without the return address.
    Jump { target: u32, links: bool },
    /// Anything else, by its position in [`Decoded::rare`].
    Rare(u32),
}

/// Where an instruction's steps are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    /// The first step.
    pub(crate) start: u32,
    /// The step after the last.
    pub(crate) end: u32,
    /// The program ends with this instruction.
    pub(crate) halts: bool,
}

/// A decoded program.
#[derive(Debug)]
pub(crate) struct Decoded {
    /// Every instruction's steps.
    pub(crate) steps: Vec<Step>,
    /// Where they are.
    pub(crate) ranges: Vec<Range>,
    /// Operations without a step of their own.
    pub(crate) rare: Vec<Rare>,
    /// The words behind the machine's state: constants.
    pub(crate) constants: Vec<u64>,
    /// The first constant's word.
    pub(crate) constants_at: usize,
    /// Words in all.
    pub(crate) size: usize,
    /// For each move of each instruction the number of its squash counter.
    squash_of: Vec<Option<u32>>,
    /// Where the moves of each instruction begin among them.
    squash_from: Vec<u32>,
    /// Squash counters in all.
    pub(crate) squashes: usize,
    /// The word of the return address.
    pub(crate) return_address: Option<u32>,
    /// Cycles until a jump takes effect.
    pub(crate) jump_latency: u32,
    /// The longest time anything is on its way.
    pub(crate) longest: u32,
    /// The address space of each unit.
    pub(crate) spaces: Vec<Option<u16>>,
}

impl Decoded {
    /// The squash counter of a move.
    pub(crate) fn squash(&self, instruction: usize, position: usize) -> Option<u32> {
        let from = *self.squash_from.get(instruction)? as usize;
        self.squash_of.get(from + position).copied().flatten()
    }
}

/// A move in the making.
#[derive(Clone, Copy)]
struct Transfer {
    from: u32,
    to: u32,
    mask: u64,
    guard: Option<(u32, bool)>,
    squash: Option<u32>,
    never: bool,
}

/// Constants below this are small.
const SMALL: usize = 256;

struct Decoder<'a> {
    machine: &'a Machine,
    layout: &'a Layout,
    decoded: Decoded,
    /// Words that hold values set aside within an instruction.
    scratch: u32,
    /// A word that nothing reads.
    sink: u32,
    constant_words: HashMap<u64, u32>,
    /// The same for small constants, which most are; 0 for those that have not been met.
    small_words: [u32; SMALL],
    /// The steps of operations that have been met, by unit and position.
    operations: Vec<Vec<Option<Step>>>,
}

/// How many values one instruction can set aside; each bus has at most one move, with a source and a guard.
fn scratch_words(machine: &Machine) -> usize {
    2 * machine.buses.len() + machine.immediate_units.len() + 1
}

fn word(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Decodes `program`, which [`oxcl_tta::check`] has passed.
pub(crate) fn decode(machine: &Machine, layout: &Layout, program: &Program) -> Result<Decoded, LoadError> {
    let sink = layout.size;
    let scratch = sink + 1;
    let constants_at = scratch + scratch_words(machine);
    let control = machine.control_unit();
    let decoded = Decoded {
        steps: Vec::with_capacity(program.instructions.iter().map(|i| 2 * i.moves.len()).sum()),
        ranges: Vec::with_capacity(program.instructions.len()),
        rare: Vec::new(),
        constants: Vec::new(),
        constants_at,
        size: constants_at,
        squash_of: Vec::new(),
        squash_from: Vec::with_capacity(program.instructions.len()),
        squashes: 0,
        return_address: machine.control.return_address.map(|port| word(layout.output(control, port))),
        jump_latency: machine.control.delay_slots + 1,
        longest: machine.longest_latency() + layout.followers.iter().map(|f| f.delay).max().unwrap_or(0) + 1,
        spaces: machine.units.iter().map(|u| u.space.map(|s| s.0)).collect(),
    };
    let mut decoder = Decoder {
        machine,
        layout,
        decoded,
        scratch: word(scratch),
        sink: word(sink),
        constant_words: HashMap::new(),
        small_words: [0; SMALL],
        operations: machine.units.iter().map(|unit| vec![None; unit.operations.len()]).collect(),
    };
    for number in 0..program.instructions.len() {
        decoder.instruction(program, number)?;
    }
    for exit in &program.exits {
        if let Some(range) = decoder.decoded.ranges.get_mut(exit.instruction as usize) {
            range.halts = true;
        }
    }
    let mut decoded = decoder.decoded;
    decoded.size = decoded.constants_at + decoded.constants.len();
    Ok(decoded)
}

impl Decoder<'_> {
    fn constant(&mut self, value: u64) -> u32 {
        let next = word(self.decoded.constants_at + self.decoded.constants.len());
        let small = usize::try_from(value).ok().and_then(|at| self.small_words.get_mut(at));
        let found = match small {
            // Words of constants are behind those of the state, so none is 0.
            Some(known) if *known == 0 => {
                *known = next;
                next
            }
            Some(known) => *known,
            None => *self.constant_words.entry(value).or_insert(next),
        };
        if found == next {
            self.decoded.constants.push(value);
        }
        found
    }

    fn guard(&self, guard: Guard) -> Option<(u32, bool)> {
        match guard {
            Guard::If { source, inverted } => self.layout.guard(source).map(|slot| (word(slot), !inverted)),
            _ => None,
        }
    }

    fn transfer(&mut self, m: &Move) -> Transfer {
        let bus = mask(self.machine.buses[m.bus.index()].width);
        let from = match m.source {
            Source::Register { file, index } => {
                let zero = self.machine.register_files[file.index()].zero_register && index == 0;
                if zero { self.constant(0) } else { word(self.layout.register(file, index)) }
            }
            Source::Immediate { unit, index } => word(self.layout.immediate(unit, index)),
            Source::Port { unit, port } => word(self.layout.output(unit, port)),
            Source::Constant(value) => self.constant(value & bus),
        };
        let (to, width) = match m.destination {
            Destination::Register { file, index } => {
                let facts = &self.machine.register_files[file.index()];
                let gone = facts.zero_register && index == 0;
                (if gone { self.sink } else { word(self.layout.register(file, index)) }, facts.width)
            }
            Destination::Port { unit, port, .. } => {
                let facts = &self.machine.units[unit.index()].ports[usize::from(port)];
                let slot = if facts.special {
                    self.layout.output(unit, port)
                } else {
                    self.layout.input(unit, port)
                };
                (word(slot), facts.width)
            }
        };
        Transfer {
            from,
            to,
            mask: bus & mask(width),
            guard: self.guard(m.guard),
            squash: None,
            never: m.guard == Guard::Never,
        }
    }

    fn instruction(&mut self, program: &Program, number: usize) -> Result<(), LoadError> {
        let instruction = &program.instructions[number];
        let start = word(self.decoded.steps.len());
        let mut transfers = Vec::with_capacity(instruction.moves.len() + instruction.immediates.len());
        self.decoded.squash_from.push(word(self.decoded.squash_of.len()));
        for m in &instruction.moves {
            let mut transfer = self.transfer(m);
            if transfer.guard.is_some() || transfer.never {
                transfer.squash = Some(word(self.decoded.squashes));
                self.decoded.squashes += 1;
            }
            self.decoded.squash_of.push(transfer.squash);
            transfers.push(transfer);
        }
        let guarded = transfers.iter().any(|t: &Transfer| t.guard.is_some());

        // Results of this instruction's operations that its own end shows: a guard must be looked at before.
        let mut shown: Vec<u32> = transfers.iter().filter(|_| guarded).map(|t| t.to).collect();
        for m in instruction.moves.iter().filter(|_| guarded) {
            if let Destination::Port { unit, operation: Some(operation), .. } = m.destination {
                let facts = &self.machine.units[unit.index()].operations[usize::from(operation)];
                let ports = facts.writes.iter().filter_map(|w| facts.port_of(w.operand));
                shown.extend(ports.map(|p| word(self.layout.output(unit, p))));
            }
        }
        let mut aside = self.scratch;
        let mut kept: Vec<(u32, u32)> = Vec::new();
        for transfer in &mut transfers {
            if let Some((slot, _)) = &mut transfer.guard
                && shown.contains(slot)
            {
                let known = kept.iter().find(|(s, _)| s == slot).map(|(_, k)| *k);
                *slot = known.unwrap_or_else(|| {
                    let new = aside;
                    aside += 1;
                    self.decoded.steps.push(Step::Move { from: *slot, to: new, mask: 1 });
                    kept.push((*slot, new));
                    new
                });
            }
        }
        let guards: Vec<Option<(u32, bool)>> =
            transfers.iter().filter(|_| guarded).map(|t| t.guard).collect();

        for immediate in &instruction.immediates {
            let unit = &self.machine.immediate_units[immediate.unit.index()];
            let to = word(self.layout.immediate(immediate.unit, immediate.index));
            let from = self.constant(immediate.value & mask(unit.width));
            match unit.latency {
                0 => self.decoded.steps.push(Step::Move { from, to, mask: u64::MAX }),
                1 => transfers.push(Transfer {
                    from,
                    to,
                    mask: u64::MAX,
                    guard: None,
                    squash: None,
                    never: false,
                }),
                latency => self.decoded.steps.push(Step::Later { from, to, latency }),
            }
        }
        self.order(transfers, aside);

        for (position, m) in instruction.moves.iter().enumerate() {
            let Destination::Port { unit, operation: Some(operation), .. } = m.destination else { continue };
            if m.guard == Guard::Never {
                continue;
            }
            let place = (unit.index(), usize::from(operation));
            let step = match self.operations[place.0][place.1] {
                Some(step) => step,
                None => self.operation(word(number), unit.0, operation)?,
            };
            self.operations[place.0][place.1] = Some(step);
            // Loads look at memory before this instruction's stores, which wait in a queue anyway; the queue keeps the
            // order of the buses.
            if let Some((guard, wanted)) = guards.get(position).copied().flatten() {
                self.decoded.steps.push(Step::SkipOperation { guard, wanted });
            }
            self.decoded.steps.push(step);
        }
        let end = word(self.decoded.steps.len());
        self.decoded.ranges.push(Range { start, end, halts: false });
        Ok(())
    }

    /// Writes the transfers in an order that reads every word before it is overwritten.
    fn order(&mut self, mut waiting: Vec<Transfer>, mut aside: u32) {
        let layout = self.layout;
        // The words that show what is written to a word some cycles later.
        let followers = |to: u32| layout.followers.iter().filter(move |f| word(f.source) == to);
        while !waiting.is_empty() {
            let free = (0..waiting.len()).find(|i| {
                let to = waiting[*i].to;
                waiting.iter().enumerate().all(|(k, other)| k == *i || other.from != to)
            });
            let next = free.unwrap_or_else(|| {
                // Every destination is still to be read: set the first one's old value aside for its readers.
                let to = waiting[0].to;
                self.decoded.steps.push(Step::Move { from: to, to: aside, mask: u64::MAX });
                for other in waiting.iter_mut().skip(1).filter(|o| o.from == to) {
                    other.from = aside;
                }
                aside += 1;
                0
            });
            let transfer = waiting.remove(next);
            if transfer.never {
                // A skip that always skips keeps the count right.
                let guard = self.constant(0);
                let squash = transfer.squash.unwrap_or(0);
                self.decoded.steps.push(Step::Skip { guard, wanted: true, count: 0, squash });
                continue;
            }
            if let (Some((guard, wanted)), Some(squash)) = (transfer.guard, transfer.squash) {
                let count = u16::try_from(1 + followers(transfer.to).count()).unwrap_or(u16::MAX);
                self.decoded.steps.push(Step::Skip { guard, wanted, count, squash });
            }
            let Transfer { from, to, mask, .. } = transfer;
            self.decoded.steps.push(Step::Move { from, to, mask });
            for f in followers(to) {
                let latency = f.delay + 1;
                self.decoded.steps.push(Step::Later { from: to, to: word(f.slot), latency });
            }
        }
    }

    fn operation(&mut self, number: u32, unit: u16, operation: u16) -> Result<Step, LoadError> {
        let id = oxcl_tta::model::UnitId(unit);
        let facts = &self.machine.units[id.index()];
        let found = &facts.operations[usize::from(operation)];
        let names = || (number, facts.name.clone(), found.name.clone());
        let Some(op) = found.op else {
            let (instruction, unit, operation) = names();
            return Err(LoadError::UnknownOperation { instruction, unit, operation });
        };
        let info = op.info();
        if info.is_memory() && facts.space.is_none() {
            let (instruction, unit, operation) = names();
            return Err(LoadError::NoSpace { instruction, unit, operation });
        }
        let unbound = || {
            let (instruction, unit, operation) = names();
            LoadError::UnboundOperand { instruction, unit, operation }
        };
        let mut inputs = Vec::new();
        for k in 1..=info.inputs {
            let port = found.port_of(k).ok_or_else(unbound)?;
            inputs.push(word(self.layout.input(id, port)));
        }
        let (mut outs, mut followers) = (Vec::new(), Vec::new());
        for k in info.inputs + 1..=info.inputs + info.outputs {
            let port = found.port_of(k).ok_or_else(unbound)?;
            let latency = found.latency_of(k).ok_or_else(unbound)?;
            let slot = self.layout.output(id, port);
            let width = facts.ports[usize::from(port)].width;
            for f in self.layout.followers.iter().filter(|f| f.source == slot) {
                followers.push((outs.len(), word(f.slot), f.delay));
            }
            outs.push(Out {
                slot: word(slot),
                shift: u8::try_from(64 - width.min(64)).unwrap_or(0),
                latency: u16::try_from(latency).unwrap_or(u16::MAX),
            });
        }
        let kind = match info.semantics {
            Semantics::Unary(f) => RareKind::Unary(f),
            Semantics::Binary(f) => RareKind::Binary(f),
            Semantics::Ternary(f) => RareKind::Ternary(f),
            Semantics::Pair(f) => RareKind::Pair(f),
            Semantics::Load(access) => RareKind::Load(access),
            Semantics::Store(access) => RareKind::Store(access),
            Semantics::Atomic(atomic) => RareKind::Atomic(atomic),
            Semantics::Control(control) => RareKind::Control(control),
            Semantics::ProgramCounter => RareKind::ProgramCounter,
            Semantics::Device(device) => RareKind::Device(device),
        };
        if followers.is_empty() {
            // What most instructions do has steps of its own.
            match (kind, inputs.as_slice(), outs.as_slice()) {
                (RareKind::Unary(function), [a], [out]) => {
                    return Ok(Step::Unary { function, a: *a, out: *out });
                }
                (RareKind::Binary(function), [a, b], [out]) => {
                    return Ok(Step::Binary { function, a: *a, b: *b, out: *out });
                }
                (RareKind::Load(access), [address], [out]) => {
                    return Ok(Step::Load { address: *address, access, unit, out: *out });
                }
                (RareKind::Store(access), [address, value], []) => {
                    return Ok(Step::Store { address: *address, value: *value, access, unit });
                }
                (RareKind::Control(_), [target], []) if found.name == "jump" || found.name == "call" => {
                    return Ok(Step::Jump { target: *target, links: found.name == "call" });
                }
                _ => {}
            }
        }
        let position = word(self.decoded.rare.len());
        self.decoded.rare.push(Rare { inputs, outs, followers, unit, kind });
        Ok(Step::Rare(position))
    }
}
