//! The program that every OpenCL device of this kind runs: it takes commands from its slots, one after the other, for as long as there
//! is a device. The compiler schedules it once for each machine of an archive; whoever loads the archive's units links it with
//! them and says where its symbols are.
//!
//! In: a machine. Out: a unit that any machine bears that code is compiled for: it keeps everything in
//! memory and needs three registers. A slot has, in words: 0 state, 1 the entry of the kernel's start-up, 2 arguments, 3 context,
//! 4 groups in dimension 0, 5 in 1, 6 in 2, 7 the word of the command's event, 8 to 15 the words of events to wait for. A
//! state of 1 is a command, 2 one that is executed, 0 nothing or one that has been; any other is the end. Before it waits for a word to be other
//! than zero, the program leaves the word's address in the launch words, so that the simulator's driver can see what it waits
//! for.

use crate::allocate::Convention;
use crate::link::DataObject;
use crate::model::{Guard, GuardSource, Machine, SpaceId};
use crate::ops::Op;
use crate::schedule::mir::{
    Block, Function, Memory, Node, Operand, Predicate, Register, SymbolRef, Terminator,
};
use crate::schedule::{Options, ScheduleError, schedule, temporaries};
use crate::unit::{Part, pack};
use oxcl_binary::abi::LAUNCH_SYMBOL;
use oxcl_binary::unit::{Needs, Unit};

/// The name of the program.
pub const NAME: &str = "oxcl_device_main";
/// The function that a slot calls instead of a kernel whose command has failed before it began.
pub const NOTHING: &str = "oxcl_nothing";
/// The symbol of the command slots.
pub const SLOTS_SYMBOL: &str = "oxcl_slots";
/// The symbol of scratch memory.
pub const SCRATCH_SYMBOL: &str = "oxcl_scratch";
/// The symbol of the address above the stack.
pub const STACK_SYMBOL: &str = "oxcl_stack_top";
/// The object that describes the program: [`VERSION`], and where its two waiting loops begin, counted from its first
/// instruction: that for a command, and that for an event.
pub const FACTS: &str = "oxcl_device_main_facts";
/// What slots and launch words mean. A driver refuses a program of another version.
pub const VERSION: u32 = 1;
/// Bytes of a command slot.
pub const SLOT: u32 = 64;
/// Command slots of a device.
pub const SLOTS: u32 = 16;

/// Why there is no such program for a machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MainError {
    /// A kind of register is missing.
    #[error("the machine has too few registers or no guards")]
    Registers,
    /// A memory is missing.
    #[error(transparent)]
    Space(#[from] NoSpace),
    /// It cannot be scheduled.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
}

/// No memory of a machine stands for an address space.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the machine has {count} data memories and none lists the address space {number} ({name})")]
pub struct NoSpace {
    /// The address space's number.
    pub number: u32,
    /// Its name in OpenCL.
    pub name: &'static str,
    /// How many data memories there are.
    pub count: usize,
}

/// The spaces of a machine by OpenCL's numbers: the one that lists the number; else the one that lists 1 (for 2, 3 and 5); else
/// the only data space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spaces {
    /// 0.
    pub private: SpaceId,
    /// 1.
    pub global: SpaceId,
    /// 2.
    pub constant: SpaceId,
    /// 3.
    pub local: SpaceId,
    /// 5, where command slots are.
    pub queue: SpaceId,
}

impl Spaces {
    /// The spaces of a machine.
    ///
    /// # Errors
    /// Nothing stands for private or global memory.
    pub fn of(machine: &Machine) -> Result<Self, NoSpace> {
        let mut data: Vec<SpaceId> = machine.units.iter().filter_map(|u| u.space).collect();
        data.sort_unstable();
        data.dedup();
        data.retain(|s| Some(*s) != machine.control.space);
        let listing =
            |number: u32| data.iter().copied().find(|s| machine.spaces[s.index()].numbers.contains(&number));
        let only = || if let [one] = data.as_slice() { Some(*one) } else { None };
        let missing = |number, name| NoSpace { number, name, count: data.len() };
        let global = listing(1).or_else(only).ok_or_else(|| missing(1, "global"))?;
        let private = listing(0).or_else(only).ok_or_else(|| missing(0, "private"))?;
        let or_global = |number| listing(number).unwrap_or(global);
        Ok(Self { private, global, constant: or_global(2), local: or_global(3), queue: or_global(5) })
    }
}

/// States of a slot.
pub mod state {
    /// Nothing, or a command that has been executed.
    pub const FREE: u32 = 0;
    /// A command that waits to be executed.
    pub const READY: u32 = 1;
    /// A command that is being executed.
    pub const RUNNING: u32 = 2;
}

/// Words of a slot.
pub mod word {
    /// What the slot holds.
    pub const STATE: u32 = 0;
    /// The entry of the kernel's start-up.
    pub const ENTRY: u32 = 1;
    /// The addresses of the arguments.
    pub const ARGS: u32 = 2;
    /// The context.
    pub const CONTEXT: u32 = 3;
    /// Groups in dimension 0; the two words behind it are those in 1 and 2.
    pub const GROUPS: u32 = 4;
    /// The word of the command's event.
    pub const EVENT: u32 = 7;
    /// The first of the words of events to wait for.
    pub const WAITS: u32 = 8;
}

/// Most events that a slot can wait for.
pub const WAITS: u32 = 8;

/// Launch words: 0 to 6 are arguments, context, group ids, count, scratch; the others are main's own.
mod launch {
    pub(super) const ARGS: u32 = 0;
    pub(super) const CONTEXT: u32 = 1;
    pub(super) const GY: u32 = 3;
    pub(super) const GZ: u32 = 4;
    pub(super) const COUNT: u32 = 5;
    pub(super) const SCRATCH: u32 = 6;
    pub(super) const SLOT: u32 = 8;
    pub(super) const POLLED: u32 = 9;
    pub(super) const ENTRY: u32 = 10;
}

/// The byte among the launch words from which the current slot's address is.
pub const SLOT_AT: u64 = launch::SLOT as u64 * 4;
/// The byte among the launch words from which the address of what is waited for is.
pub const POLLED_AT: u64 = launch::POLLED as u64 * 4;

/// The blocks that wait; each does nothing but look at a word and come back: for a command, and for an event.
const WAITING: [usize; 2] = [1, 4];

struct Writer {
    spaces: Spaces,
    /// The predicate that comparisons go to.
    p: Register,
    nodes: Vec<Node>,
}

impl Writer {
    fn push(
        &mut self,
        op: Option<&str>,
        inputs: Vec<Operand>,
        outputs: Vec<Register>,
        memory: Option<Memory>,
    ) {
        let op = op.and_then(Op::named);
        self.nodes.push(Node { op, inputs, outputs, predicate: None, memory });
    }

    fn global(&self) -> Memory {
        Memory { volatile: true, ..Memory::unknown(self.spaces.global, 4) }
    }

    fn in_slots(&self) -> Memory {
        Memory { volatile: true, ..Memory::unknown(self.spaces.queue, 4) }
    }

    fn launch(word: u32) -> Operand {
        Operand::Symbol { symbol: symbol::LAUNCH, addend: word * 4 }
    }

    fn load(&mut self, from: Operand, to: Register, memory: Memory) {
        self.push(Some("ld32"), vec![from], vec![to], Some(memory));
    }

    fn store(&mut self, at: Operand, value: Operand, memory: Memory) {
        self.push(Some("st32"), vec![at, value], Vec::new(), Some(memory));
    }

    /// Loads a launch word.
    fn get(&mut self, word: u32, to: Register) {
        self.load(Self::launch(word), to, self.global());
    }

    /// Stores a launch word.
    fn set(&mut self, word: u32, value: Operand) {
        self.store(Self::launch(word), value, self.global());
    }

    /// `to` = the address of a word of the current slot.
    fn slot(&mut self, word: u32, to: Register) {
        self.get(launch::SLOT, to);
        if word > 0 {
            self.add(to, Operand::Constant(word * 4));
        }
    }

    fn add(&mut self, to: Register, summand: Operand) {
        self.push(Some("add"), vec![Operand::Register(to), summand], vec![to], None);
    }

    /// `p` = the register equals the operand.
    fn equal(&mut self, register: Register, other: Operand) {
        self.push(Some("eq"), vec![Operand::Register(register), other], vec![self.p], None);
    }

    /// Counts a launch word up; `p` = it has reached the slot's word `limit`. Two registers are free for it.
    fn count(&mut self, counter: u32, limit: u32, (a, b): (Register, Register)) {
        self.get(counter, a);
        self.add(a, Operand::Constant(1));
        self.set(counter, Operand::Register(a));
        self.slot(limit, b);
        self.load(Operand::Register(b), b, self.in_slots());
        self.equal(a, Operand::Register(b));
    }

    fn block(&mut self, terminator: Terminator) -> Block {
        Block { nodes: std::mem::take(&mut self.nodes), terminator, weight: 1 }
    }

    fn branch(&mut self, taken: usize, otherwise: usize) -> Block {
        let predicate = Predicate { register: self.p, inverted: false };
        self.block(Terminator::Branch { predicate, taken, otherwise })
    }
}

/// The program's symbols, by their places in its list.
mod symbol {
    pub(super) const LAUNCH: u32 = 0;
    pub(super) const SLOTS: u32 = 1;
    pub(super) const SCRATCH: u32 = 2;
    pub(super) const STACK: u32 = 3;
}

/// The program for a machine.
///
/// # Errors
/// The machine lacks what it needs.
pub fn unit(machine: &Machine) -> Result<Unit, MainError> {
    let spaces = Spaces::of(machine)?;
    let function = program(machine, spaces).ok_or(MainError::Registers)?;
    let options = Options::new(machine);
    let code = schedule(machine, &function, &options)?;
    let head = |block| code.blocks.iter().find(|b| b.block == Some(block)).map_or(0, |b| b.start);
    let facts = [VERSION, head(WAITING[0]), head(WAITING[1])];
    let facts = DataObject {
        name: FACTS.to_owned(),
        space: spaces.global,
        align: 4,
        bytes: facts.iter().flat_map(|word| word.to_le_bytes()).collect(),
        size: 12,
        relocations: Vec::new(),
    };
    let back = Terminator::Return { to: Operand::ReturnAddress, reads: Vec::new() };
    let nothing = Function {
        name: NOTHING.to_owned(),
        blocks: vec![Block { nodes: Vec::new(), terminator: back, weight: 1 }],
        ..Function::default()
    };
    let nothing_code = schedule(machine, &nothing, &options)?;
    let part = |function: Function, code| Part { name: function.name, symbols: function.symbols, code };
    let parts = [part(function, code), part(nothing, nothing_code)];
    Ok(pack(machine, &parts, &[facts], &[], Needs::default()))
}

/// What a unit of the program says of itself: its version, and where its waiting loops begin.
#[must_use]
pub fn facts(unit: &Unit) -> Option<(u32, [u32; 2])> {
    let object = unit.objects.iter().find(|object| object.name == FACTS)?;
    let mut words = object.bytes.chunks_exact(4).map(|b| b.try_into().map_or(0, u32::from_le_bytes));
    Some((words.next()?, [words.next()?, words.next()?]))
}

fn program(machine: &Machine, spaces: Spaces) -> Option<Function> {
    let stack = Convention::of(machine, 16)?.stack;
    let busy = temporaries(machine);
    let free = machine.register_files().filter(|(_, f)| f.width >= 32).flat_map(|(file, f)| {
        (u32::from(f.zero_register)..f.size).map(move |index| Register { file, index })
    });
    let mut free = free.filter(|r| *r != stack && !busy.contains(r));
    let (a, b) = (free.next()?, free.next()?);
    let p = machine.buses.iter().flat_map(|bus| &bus.guards).find_map(|g| match *g {
        Guard::If { source: GuardSource::Register { file, index }, .. } => Some(Register { file, index }),
        _ => None,
    })?;
    let all: Vec<Register> = machine
        .register_files()
        .flat_map(|(file, f)| (0..f.size).map(move |index| Register { file, index }))
        .collect();
    let mut w = Writer { spaces, p, nodes: Vec::new() };
    let (ra, rb) = (Operand::Register(a), Operand::Register(b));
    let zero = Operand::Constant(0);
    let mut blocks = Vec::new();
    // 0: what the slot's state word is, is waited for.
    w.slot(word::STATE, a);
    w.set(launch::POLLED, ra);
    blocks.push(w.block(Terminator::Jump(1)));
    // 1: wait for it.
    w.load(ra, b, w.in_slots());
    w.equal(b, zero);
    blocks.push(w.branch(1, 2));
    // 2: a command, or the end.
    w.equal(b, Operand::Constant(state::READY));
    w.slot(word::WAITS, a);
    w.set(launch::ENTRY, ra);
    blocks.push(w.branch(3, 12));
    // 3: the next event to wait for; the word that says where the list goes on serves as its place.
    w.get(launch::ENTRY, a);
    w.load(ra, a, w.in_slots());
    w.set(launch::POLLED, ra);
    w.equal(a, zero);
    blocks.push(w.branch(6, 4));
    // 4: wait for it.
    w.load(ra, b, w.global());
    w.equal(b, zero);
    blocks.push(w.branch(4, 5));
    // 5: go on in the list, to its end: the slot's.
    w.get(launch::ENTRY, a);
    w.add(a, Operand::Constant(4));
    w.set(launch::ENTRY, ra);
    w.slot(word::WAITS + WAITS, b);
    w.equal(a, rb);
    blocks.push(w.branch(6, 3));
    // 6: execute: what the start-up takes, and the first group.
    w.slot(word::STATE, a);
    w.store(ra, Operand::Constant(state::RUNNING), w.in_slots());
    for (from, to) in [
        (word::ENTRY, launch::ENTRY),
        (word::ARGS, launch::ARGS),
        (word::CONTEXT, launch::CONTEXT),
        (word::GROUPS, launch::COUNT),
    ] {
        w.slot(from, a);
        w.load(ra, b, w.in_slots());
        w.set(to, rb);
    }
    w.set(launch::SCRATCH, Operand::Symbol { symbol: symbol::SCRATCH, addend: 0 });
    w.set(2, zero);
    w.set(launch::GY, zero);
    w.set(launch::GZ, zero);
    blocks.push(w.block(Terminator::Jump(7)));
    // 7: a row of groups.
    let stack_top = Operand::Symbol { symbol: symbol::STACK, addend: 0 };
    w.push(None, vec![stack_top], vec![stack], None);
    w.get(launch::ENTRY, a);
    blocks.push(w.block(Terminator::Call { callee: ra, next: 8, reads: vec![stack], clobbers: all }));
    // 8: the next row.
    w.count(launch::GY, word::GROUPS + 1, (a, b));
    blocks.push(w.branch(9, 7));
    // 9: the next plane.
    w.set(launch::GY, zero);
    w.count(launch::GZ, word::GROUPS + 2, (a, b));
    blocks.push(w.branch(10, 7));
    // 10: done: the event first, then the slot, then the next slot.
    w.slot(word::EVENT, a);
    w.load(ra, a, w.in_slots());
    w.store(ra, Operand::Constant(1), w.global());
    w.slot(word::STATE, a);
    w.store(ra, Operand::Constant(state::FREE), w.in_slots());
    w.add(a, Operand::Constant(SLOT));
    w.set(launch::SLOT, ra);
    w.equal(a, Operand::Symbol { symbol: symbol::SLOTS, addend: SLOTS * SLOT });
    blocks.push(w.branch(11, 0));
    // 11: the first slot again.
    w.set(launch::SLOT, Operand::Symbol { symbol: symbol::SLOTS, addend: 0 });
    blocks.push(w.block(Terminator::Jump(0)));
    // 12: the end.
    blocks.push(w.block(Terminator::Halt));
    let symbols = [
        (LAUNCH_SYMBOL, spaces.global),
        (SLOTS_SYMBOL, spaces.queue),
        (SCRATCH_SYMBOL, spaces.private),
        (STACK_SYMBOL, spaces.private),
    ];
    let symbols = symbols.map(|(name, space)| SymbolRef { name: name.to_owned(), space: Some(space) });
    let symbols = symbols.to_vec();
    Some(Function { name: NAME.to_owned(), blocks, symbols, results: Vec::new() })
}
