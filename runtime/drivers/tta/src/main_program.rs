//! The program that every device runs: it takes commands from its slots, one after the other, for as long as there is a device.
//!
//! In: a machine and its memory map. Out: machine code that any machine bears that code is compiled for: it keeps everything in
//! memory and needs three registers. A slot has, in words: 0 state, 1 the entry of the kernel's start-up, 2 arguments, 3 context,
//! 4 groups in dimension 0, 5 in 1, 6 in 2, 7 the word of the command's event, 8 to 15 the words of events to wait for. A
//! state of 1 is a command, 2 one that is executed, 0 nothing or one that has been; any other is the end. Before it waits for a word to be other
//! than zero, the program leaves the word's address in the launch words, so that the simulator's driver can see what it waits
//! for.

use crate::map::Plan;
use oxcl_tta::allocate::Convention;
use oxcl_tta::model::{Guard, GuardSource, Machine};
use oxcl_tta::ops::Op;
use oxcl_tta::schedule::mir::{
    Block, Function, Memory, Node, Operand, Predicate, Register, SymbolRef, Terminator,
};

/// States of a slot.
pub(crate) mod state {
    /// Nothing, or a command that has been executed.
    pub(crate) const FREE: u32 = 0;
    /// A command that waits to be executed.
    pub(crate) const READY: u32 = 1;
    /// A command that is being executed.
    pub(crate) const RUNNING: u32 = 2;
}

/// Words of a slot.
pub(crate) mod word {
    pub(crate) const STATE: u32 = 0;
    pub(crate) const ENTRY: u32 = 1;
    pub(crate) const ARGS: u32 = 2;
    pub(crate) const CONTEXT: u32 = 3;
    pub(crate) const GROUPS: u32 = 4;
    pub(crate) const EVENT: u32 = 7;
    pub(crate) const WAITS: u32 = 8;
}

/// Most events that a slot can wait for.
pub(crate) const WAITS: u32 = 8;
/// The name of the program.
pub(crate) const NAME: &str = "oxcl_device_main";

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

/// The word among the launch words that holds the current slot's address.
pub(crate) fn slot_word(plan: &Plan) -> u64 {
    plan.launch.start + u64::from(launch::SLOT) * 4
}

/// The word among the launch words that holds the address of what is waited for.
pub(crate) fn polled_word(plan: &Plan) -> u64 {
    plan.launch.start + u64::from(launch::POLLED) * 4
}

/// The blocks that wait; each does nothing but look at a word and come back: for a command, and for an event.
pub(crate) const WAITING: [usize; 2] = [1, 4];

struct Writer<'a> {
    plan: &'a Plan,
    /// The predicate that comparisons go to.
    p: Register,
    nodes: Vec<Node>,
}

impl Writer<'_> {
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
        Memory { volatile: true, ..Memory::unknown(self.plan.global, 4) }
    }

    fn in_slots(&self) -> Memory {
        Memory { volatile: true, ..Memory::unknown(self.plan.queue, 4) }
    }

    fn constant(address: u64) -> Operand {
        Operand::Constant(u32::try_from(address).unwrap_or(u32::MAX))
    }

    fn launch(&self, word: u32) -> Operand {
        Self::constant(self.plan.launch.start + u64::from(word) * 4)
    }

    fn load(&mut self, from: Operand, to: Register, memory: Memory) {
        self.push(Some("ld32"), vec![from], vec![to], Some(memory));
    }

    fn store(&mut self, at: Operand, value: Operand, memory: Memory) {
        self.push(Some("st32"), vec![at, value], Vec::new(), Some(memory));
    }

    /// Loads a launch word.
    fn get(&mut self, word: u32, to: Register) {
        self.load(self.launch(word), to, self.global());
    }

    /// Stores a launch word.
    fn set(&mut self, word: u32, value: Operand) {
        self.store(self.launch(word), value, self.global());
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

    fn block(&mut self, terminator: Terminator) -> Block {
        Block { nodes: std::mem::take(&mut self.nodes), terminator, weight: 1 }
    }

    fn branch(&mut self, taken: usize, otherwise: usize) -> Block {
        let predicate = Predicate { register: self.p, inverted: false };
        self.block(Terminator::Branch { predicate, taken, otherwise })
    }
}

/// Device main for a machine; `None` where the machine lacks registers for it.
pub(crate) fn main_program(machine: &Machine, plan: &Plan) -> Option<Function> {
    let stack = Convention::of(machine, 16)?.stack;
    let busy = oxcl_tta::schedule::temporaries(machine);
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
    let mut w = Writer { plan, p, nodes: Vec::new() };
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
    w.set(launch::SCRATCH, Writer::constant(plan.scratch.start));
    w.set(2, zero);
    w.set(launch::GY, zero);
    w.set(launch::GZ, zero);
    blocks.push(w.block(Terminator::Jump(7)));
    // 7: a row of groups.
    let stack_top = Writer::constant(plan.stack_top());
    w.push(None, vec![stack_top], vec![stack], None);
    w.get(launch::ENTRY, a);
    blocks.push(w.block(Terminator::Call { callee: ra, next: 8, reads: vec![stack], clobbers: all }));
    // 8: the next row.
    w.get(launch::GY, a);
    w.add(a, Operand::Constant(1));
    w.set(launch::GY, ra);
    w.slot(word::GROUPS + 1, b);
    w.load(rb, b, w.in_slots());
    w.equal(a, rb);
    blocks.push(w.branch(9, 7));
    // 9: the next plane.
    w.set(launch::GY, zero);
    w.get(launch::GZ, a);
    w.add(a, Operand::Constant(1));
    w.set(launch::GZ, ra);
    w.slot(word::GROUPS + 2, b);
    w.load(rb, b, w.in_slots());
    w.equal(a, rb);
    blocks.push(w.branch(10, 7));
    // 10: done: the event first, then the slot, then the next slot.
    w.slot(word::EVENT, a);
    w.load(ra, a, w.in_slots());
    w.store(ra, Operand::Constant(1), w.global());
    w.slot(word::STATE, a);
    w.store(ra, Operand::Constant(state::FREE), w.in_slots());
    w.add(a, Operand::Constant(u32::try_from(crate::map::SLOT).unwrap_or(64)));
    w.set(launch::SLOT, ra);
    w.equal(a, Writer::constant(plan.slots.start + plan.slots.size));
    blocks.push(w.branch(11, 0));
    // 11: the first slot again.
    w.set(launch::SLOT, Writer::constant(plan.slots.start));
    blocks.push(w.block(Terminator::Jump(0)));
    // 12: the end.
    blocks.push(w.block(Terminator::Halt));
    let symbols: Vec<SymbolRef> = Vec::new();
    Some(Function { name: NAME.to_owned(), blocks, symbols, results: Vec::new() })
}
