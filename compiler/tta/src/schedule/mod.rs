//! Transport scheduling: machine code in blocks to instructions of moves.
//!
//! In: a [`mir::Function`] on the machine's registers, after allocation. Out: instructions for which the machine has every
//! connection and port they use and that run without a hazard, with every place that holds an address of the function
//! itself or of a symbol. Blocks are scheduled one by one; results and resources do not reach from one into the next. Loops
//! are not overlapped.

mod block;
pub mod interpret;
mod layout;
pub mod mir;
mod reach;
mod table;
mod ways;
mod wires;

use crate::model::{Direction, Machine, SpaceId};
use crate::program::{Exit, Instruction, LongImmediate};
use block::{Jump, Limits, Target, wide_number};
use mir::{Function, Predicate, Register, Terminator};
pub use reach::reaches;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use table::{Number, Row};
use ways::Around;
use wires::Wires;

/// Choices of the scheduler; the switches are there to measure what each is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Registers that no operation uses, for values on their way where buses do not connect; see [`temporaries`].
    pub temporaries: Vec<Register>,
    /// Some values need two temporary registers on their way.
    pub far: bool,
    /// Readers take results from ports.
    pub bypass: bool,
    /// Operands that a port still holds are not moved again.
    pub share_operands: bool,
    /// Results that nobody needs in a register do not reach one.
    pub eliminate: bool,
    /// Values that begin and end in a block may take other registers than they were given.
    pub rename: bool,
    /// The largest instruction address that jumps are scheduled for; see [`reaches`].
    pub code_limit: u64,
}

impl Options {
    /// Everything on, for a machine.
    #[must_use]
    pub fn new(machine: &Machine) -> Self {
        Self {
            temporaries: temporaries(machine),
            far: far(machine),
            bypass: true,
            share_operands: true,
            eliminate: true,
            rename: true,
            code_limit: reaches(machine)[0],
        }
    }
}

/// The registers that register allocation leaves to the scheduler: the last of each wide file where some bus or port lacks a
/// connection that a value may need, none where everything is connected.
#[must_use]
pub fn temporaries(machine: &Machine) -> Vec<Register> {
    let every: Vec<_> = machine.buses().map(|(bus, _)| bus).collect();
    let full = |socket: Option<crate::model::SocketId>| {
        socket.is_none_or(|s| every.iter().all(|b| machine.sockets[s.index()].buses.contains(b)))
    };
    let ports = machine.units.iter().flat_map(|u| &u.ports).flat_map(|p| [p.input, p.output]);
    let files = machine.register_files.iter().flat_map(|f| &f.ports).map(|p| p.socket);
    let immediates = machine.immediate_units.iter().flat_map(|u| &u.ports).map(|p| p.socket);
    let connected = ports.chain(files).chain(immediates).all(full);
    let wide = |f: &crate::model::RegisterFile| {
        let way = |way| f.ports.iter().any(|p| every.iter().any(|b| machine.joins(p.socket, *b, way)));
        f.width >= 32 && f.size > 1 && way(Direction::Input) && way(Direction::Output)
    };
    let all = machine.register_files().filter(|(_, f)| wide(f));
    all.filter(|_| !connected).map(|(file, f)| Register { file, index: f.size - 1 }).collect()
}

/// Whether there are places that no bus joins and that no single register file joins either.
fn far(machine: &Machine) -> bool {
    let way = |socket: Option<crate::model::SocketId>, way| -> Vec<crate::model::BusId> {
        machine.buses().map(|(bus, _)| bus).filter(|bus| machine.joins(socket, *bus, way)).collect()
    };
    let ports = |all: &[crate::model::FilePort], direction| -> Vec<_> {
        all.iter().flat_map(|p| way(p.socket, direction)).collect()
    };
    let (input, output) = (Direction::Input, Direction::Output);
    let files: Vec<_> = temporaries(machine)
        .iter()
        .map(|r| &machine.register_files[r.file.index()].ports)
        .map(|p| (ports(p, input), ports(p, output)))
        .collect();
    let units = || machine.units.iter().flat_map(|u| &u.ports);
    let all = || machine.register_files.iter().filter(|f| f.width >= 32).map(|f| &f.ports);
    let from = units().map(|p| way(p.output, output)).chain(all().map(|p| ports(p, output)));
    let from = from.chain(machine.immediate_units.iter().map(|u| ports(&u.ports, output)));
    let to: Vec<_> = units().map(|p| way(p.input, input)).chain(all().map(|p| ports(p, input))).collect();
    let meet = |a: &[crate::model::BusId], b: &[crate::model::BusId]| a.iter().any(|bus| b.contains(bus));
    !files.is_empty()
        && from.filter(|a| !a.is_empty()).any(|a| {
            let apart = |b: &Vec<_>| {
                !b.is_empty() && !meet(&a, b) && !files.iter().any(|(i, o)| meet(&a, i) && meet(o, b))
            };
            to.iter().any(apart)
        })
}

/// Why a function cannot be scheduled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// An operation that no unit has.
    #[error("no unit of the machine has the operation '{operation}'")]
    NoUnit {
        /// The operation.
        operation: String,
    },
    /// Something that fits into no cycle: the machine lacks a way.
    #[error("the machine has no place or way for {what}")]
    NoPlace {
        /// What does not fit.
        what: String,
    },
    /// More instructions than a jump can reach.
    #[error("the function has {count} instructions; at most {limit} can be reached by jumps")]
    TooLong {
        /// Instructions.
        count: usize,
        /// The limit.
        limit: u64,
    },
    /// More buses than the scheduler keeps account of.
    #[error("the machine has {0} buses; code is scheduled for at most 64")]
    TooManyBuses(usize),
}

/// What an address in the code is counted from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Base {
    /// The first instruction of the function.
    Function,
    /// A symbol, by its position in [`Function::symbols`].
    Symbol(u32),
}

/// Where in an instruction an address stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// In the constant of a move, by position in [`Instruction::moves`].
    Move(u16),
    /// In a long immediate, by position in [`Instruction::immediates`].
    Long(u16),
}

/// A place that holds an address once it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Relocation {
    /// The instruction, counted from the function's first.
    pub instruction: u32,
    /// Where in it.
    pub slot: Slot,
    /// What the address is counted from.
    pub base: Base,
    /// Added to that.
    pub addend: i64,
    /// The largest value that the place can hold.
    pub limit: u64,
}

/// What became of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlockReport {
    /// Which block of the function it is; the first, if it is several in one.
    pub block: Option<usize>,
    /// Its first instruction.
    pub start: u32,
    /// Its instructions.
    pub length: u32,
    /// The least number of instructions that it could take: see `block/bound.rs`.
    pub bound: u32,
    /// What the block says about how often it is executed.
    pub weight: u64,
}

/// What the optimisations of moves have saved, in the text of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Saved {
    /// Results that never needed a register.
    pub eliminated: usize,
    /// Operands that their port still held.
    pub shared: usize,
}

/// A scheduled function.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Scheduled {
    /// The instructions; addresses in them are zero.
    pub instructions: Vec<Instruction>,
    /// Where addresses stand.
    pub relocations: Vec<Relocation>,
    /// Instructions after which the program ends.
    pub exits: Vec<Exit>,
    /// The blocks in the order of the instructions; blocks of the function may have been merged and moved.
    pub blocks: Vec<BlockReport>,
    /// What was saved.
    pub saved: Saved,
}

/// The addresses that a function's code holds, by number.
#[derive(Clone)]
struct Addresses<'f> {
    machine: &'f Machine,
    function: &'f Function,
    code_limit: u64,
    list: Vec<(Place, i64, u64)>,
}

/// What an address names while blocks have no place yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Block(usize),
    Symbol(u32),
}

impl Addresses<'_> {
    fn number(&mut self, place: Place, addend: i64, limit: u64) -> Number {
        let entry = (place, addend, limit);
        let position = self.list.iter().position(|e| *e == entry).unwrap_or_else(|| {
            self.list.push(entry);
            self.list.len() - 1
        });
        wide_number(limit, u32::try_from(position).unwrap_or(u32::MAX))
    }

    fn block(&mut self, block: usize) -> Number {
        self.number(Place::Block(block), 0, self.code_limit)
    }

    fn symbol(&mut self, symbol: u32, addend: u32) -> Number {
        let space = self.function.symbols.get(symbol as usize).and_then(|s| s.space);
        let limit = space.map_or(self.code_limit, |s| self.data_limit(s));
        self.number(Place::Symbol(symbol), i64::from(addend.cast_signed()), limit)
    }

    fn data_limit(&self, space: SpaceId) -> u64 {
        let space = self.machine.spaces.get(space.index());
        space.map_or(0xffff_ffff, |s| s.max_address.min(0xffff_ffff))
    }
}

/// How many functions this process has scheduled.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// How many functions this process has scheduled so far: whoever must not schedule can be held to it.
#[must_use]
pub fn count() -> u64 {
    // Relaxed: a count that orders nothing.
    COUNT.load(Ordering::Relaxed)
}

/// Schedules `function` for `machine`.
///
/// # Errors
/// An operation that the machine lacks, or a value that it has no way for.
pub fn schedule(
    machine: &Machine,
    function: &Function,
    options: &Options,
) -> Result<Scheduled, ScheduleError> {
    // Relaxed: a count that orders nothing.
    COUNT.fetch_add(1, Ordering::Relaxed);
    let wires = Wires::new(machine).ok_or(ScheduleError::TooManyBuses(machine.buses.len()))?;
    let (function, origins) = &layout::arrange(function);
    let live = liveness(function);
    let mut addresses = Addresses { machine, function, code_limit: options.code_limit, list: Vec::new() };
    let pool: BTreeSet<Register> =
        function.blocks.iter().flat_map(|b| &b.nodes).flat_map(|n| n.outputs.iter().copied()).collect();
    let mut limits = Limits::new(machine, &wires);
    let mut done = Scheduled::default();
    let mut tags: Vec<(u32, Slot, u32)> = Vec::new();
    let around = Around { machine, wires: &wires, options, function, live: &live, pool: &pool };
    let found = ways::blocks(&around, &mut addresses, &mut limits)?;
    for (number, found) in found.into_iter().enumerate() {
        let start = index(done.instructions.len());
        for (at, row) in (start..).zip(found.rows) {
            done.instructions.push(finish(row, at, &mut tags));
        }
        let length = index(done.instructions.len()) - start;
        let (block, weight) = (origins[number], function.blocks[number].weight);
        done.blocks.push(BlockReport { block, start, length, bound: found.bound, weight });
        done.saved.eliminated += found.saved.eliminated;
        done.saved.shared += found.saved.shared;
        if function.blocks[number].terminator == Terminator::Halt {
            let result = function.results.first().map(|r| (r.file, r.index));
            done.exits.push(Exit { instruction: start + length - 1, result });
        }
    }
    let count = done.instructions.len();
    if count as u64 > options.code_limit {
        return Err(ScheduleError::TooLong { count, limit: options.code_limit });
    }
    for (instruction, slot, tag) in tags {
        let Some((place, addend, limit)) = addresses.list.get(tag as usize).copied() else { continue };
        let (base, addend) = match place {
            Place::Block(block) => (Base::Function, i64::from(done.blocks[block].start)),
            Place::Symbol(symbol) => (Base::Symbol(symbol), addend),
        };
        done.relocations.push(Relocation { instruction, slot, base, addend, limit });
    }
    Ok(done)
}

fn index(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The instruction of a row; what stands for addresses is noted in `tags` and zero in the instruction.
fn finish(row: Row, at: u32, tags: &mut Vec<(u32, Slot, u32)>) -> Instruction {
    let mut moves: Vec<_> = row.moves.into_iter().zip(row.tags).collect();
    moves.sort_by_key(|(m, _)| m.bus);
    for (position, (m, tag)) in (0u16..).zip(&mut moves) {
        if let Some(tag) = *tag {
            m.source = crate::program::Source::Constant(0);
            tags.push((at, Slot::Move(position), tag));
        }
    }
    let mut immediates: Vec<LongImmediate> = row.immediates;
    for ((position, long), tag) in (0u16..).zip(&mut immediates).zip(row.long_tags) {
        if let Some(tag) = tag {
            long.value = 0;
            tags.push((at, Slot::Long(position), tag));
        }
    }
    Instruction { moves: moves.into_iter().map(|(m, _)| m).collect(), immediates }
}

/// The jumps that a terminator needs where `next` is the block behind.
fn exits(terminator: &Terminator, next: usize, addresses: &mut Addresses<'_>) -> Vec<Jump> {
    let mut to = |block| Target::Number(addresses.block(block));
    match *terminator {
        Terminator::Halt => Vec::new(),
        Terminator::Jump(block) if block == next => Vec::new(),
        Terminator::Jump(block) => vec![("jump", None, to(block))],
        Terminator::Branch { predicate, taken, otherwise } => {
            let not = Predicate { inverted: !predicate.inverted, ..predicate };
            if taken == otherwise {
                exits(&Terminator::Jump(taken), next, addresses)
            } else if otherwise == next {
                vec![("jump", Some(predicate), to(taken))]
            } else if taken == next {
                vec![("jump", Some(not), to(otherwise))]
            } else {
                vec![("jump", Some(predicate), to(taken)), ("jump", Some(not), to(otherwise))]
            }
        }
        // What continues stands right behind.
        Terminator::Call { callee, .. } => vec![("call", None, Target::Operand(callee))],
        Terminator::Return { to, .. } => vec![("jump", None, Target::Operand(to))],
    }
}

/// The registers that are needed after each block.
fn liveness(function: &Function) -> Vec<BTreeSet<Register>> {
    let count = function.blocks.len();
    let mut live_in: Vec<BTreeSet<Register>> = vec![BTreeSet::new(); count];
    let mut live_out = live_in.clone();
    loop {
        let mut changed = false;
        for number in (0..count).rev() {
            let block = &function.blocks[number];
            let mut live: BTreeSet<Register> = match &block.terminator {
                Terminator::Return { reads, .. } => reads.iter().copied().collect(),
                Terminator::Halt => function.results.iter().copied().collect(),
                _ => BTreeSet::new(),
            };
            for successor in block.terminator.successors() {
                live.extend(live_in[successor].iter().copied());
            }
            if let Terminator::Call { reads, clobbers, .. } = &block.terminator {
                for register in clobbers {
                    live.remove(register);
                }
                live.extend(reads);
            }
            live.extend(block.terminator.reads());
            live_out[number].clone_from(&live);
            for node in block.nodes.iter().rev() {
                for output in &node.outputs {
                    live.remove(output);
                }
                live.extend(node.reads());
            }
            changed |= live != live_in[number];
            live_in[number] = live;
        }
        if !changed {
            return live_out;
        }
    }
}
