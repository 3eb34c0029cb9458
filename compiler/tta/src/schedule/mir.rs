//! Machine code before it is scheduled: operations of the machine on its registers, in blocks, in order.
//!
//! In: what register allocation leaves. An operation names no unit and no bus; that is the scheduler's choice. [`interpret()`]
//! executes a function one operation at a time: what a schedule computes is held against it.

use crate::model::{FileId, Machine};
use crate::ops::{ByteOrder, Op, Semantics};
use std::collections::BTreeMap;

/// A register of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register {
    /// The file.
    pub file: FileId,
    /// The register.
    pub index: u32,
}

/// What an operation works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operand {
    /// A register.
    Register(Register),
    /// A number of 32 bits.
    Constant(u32),
}

/// A condition: bit 0 of a guard register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Predicate {
    /// The register.
    pub register: Register,
    /// True for "if zero".
    pub inverted: bool,
}

/// An operation, or a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// What it does; `None` copies its only input to its only output.
    pub op: Option<Op>,
    /// Inputs in the order of the operation set.
    pub inputs: Vec<Operand>,
    /// Where the results go, in the order of the operation set.
    pub outputs: Vec<Register>,
    /// It happens only if this holds. Its outputs then keep their old values otherwise.
    pub predicate: Option<Predicate>,
}

/// How a block ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Terminator {
    /// With another block.
    Jump(usize),
    /// With `taken` if the predicate holds, else with `otherwise`.
    Branch {
        /// The condition.
        predicate: Predicate,
        /// The block if it holds.
        taken: usize,
        /// The block if not.
        otherwise: usize,
    },
    /// With the program.
    Halt,
}

/// A sequence of operations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The operations in order.
    pub nodes: Vec<Node>,
    /// What comes after.
    pub terminator: Terminator,
}

/// A function. The first block is the entry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Function {
    /// The blocks.
    pub blocks: Vec<Block>,
    /// Registers whose values are asked for when the function halts.
    pub results: Vec<Register>,
}

impl Node {
    /// The registers that the node reads, its predicate included; also those that it may leave as they are.
    pub fn reads(&self) -> impl Iterator<Item = Register> + '_ {
        let inputs = self.inputs.iter().filter_map(|i| match i {
            Operand::Register(r) => Some(*r),
            Operand::Constant(_) => None,
        });
        let kept = self.outputs.iter().copied().filter(|_| self.predicate.is_some());
        inputs.chain(self.predicate.map(|p| p.register)).chain(kept)
    }
}

impl Terminator {
    /// The blocks that may come next.
    #[must_use]
    pub fn successors(&self) -> Vec<usize> {
        match *self {
            Self::Jump(to) => vec![to],
            Self::Branch { taken, otherwise, .. } => vec![taken, otherwise],
            Self::Halt => Vec::new(),
        }
    }
}

/// The registers and the memory that a function works on. One memory stands for all spaces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct State {
    /// Registers that have been written.
    pub registers: BTreeMap<Register, u64>,
    /// Bytes that have been written.
    pub memory: BTreeMap<u64, u8>,
}

impl State {
    fn load(&self, address: u64, bytes: u8, order: ByteOrder) -> u64 {
        let byte = |k: u8| u64::from(self.memory.get(&(address + u64::from(k))).copied().unwrap_or(0));
        let shift = |k: u8| match order {
            ByteOrder::Little => 8 * u32::from(k),
            ByteOrder::Big => 8 * u32::from(bytes - 1 - k),
        };
        (0..bytes).map(|k| byte(k) << shift(k)).sum()
    }

    fn store(&mut self, address: u64, bytes: u8, order: ByteOrder, value: u64) {
        for k in 0..bytes {
            let shift = match order {
                ByteOrder::Little => 8 * u32::from(k),
                ByteOrder::Big => 8 * u32::from(bytes - 1 - k),
            };
            self.memory.insert(address + u64::from(k), (value >> shift & 0xff) as u8);
        }
    }

    fn holds(&self, predicate: Predicate) -> bool {
        (self.registers.get(&predicate.register).copied().unwrap_or(0) & 1 == 1) != predicate.inverted
    }
}

/// Executes `function` one operation at a time; gives up after `limit` of them. Loads and stores of one word, pure operations
/// and copies; `None` for anything else.
pub fn interpret(machine: &Machine, function: &Function, state: &mut State, limit: usize) -> Option<()> {
    let mut block = 0;
    let mut left = limit;
    loop {
        let current = function.blocks.get(block)?;
        for node in &current.nodes {
            left = left.checked_sub(1)?;
            if node.predicate.is_some_and(|p| !state.holds(p)) {
                continue;
            }
            let values: Vec<u64> = node
                .inputs
                .iter()
                .map(|i| match i {
                    Operand::Register(r) => state.registers.get(r).copied().unwrap_or(0),
                    Operand::Constant(c) => u64::from(*c),
                })
                .collect();
            let results = match node.op.map(|op| op.info().semantics) {
                None => vec![values[0]],
                Some(Semantics::Unary(f)) => vec![f(values[0])],
                Some(Semantics::Binary(f)) => vec![f(values[0], values[1])],
                Some(Semantics::Ternary(f)) => vec![f(values[0], values[1], values[2])],
                Some(Semantics::Pair(f)) => {
                    let (a, b) = f(values[0], values[1]);
                    vec![a, b]
                }
                Some(Semantics::Load(access)) if access.words == 1 && !access.offset => {
                    let raw = state.load(values[0], access.bytes, access.order);
                    let shift = 64 - 8 * u32::from(access.bytes);
                    let wide = (raw.cast_signed() << shift >> shift).cast_unsigned();
                    vec![if access.signed { wide } else { raw }]
                }
                Some(Semantics::Store(access)) if access.words == 1 && !access.offset => {
                    state.store(values[0], access.bytes, access.order, values[1]);
                    vec![]
                }
                Some(_) => return None,
            };
            for (register, value) in node.outputs.iter().zip(results) {
                let width = machine.register_files[register.file.index()].width;
                state.registers.insert(*register, value & crate::model::mask(width.min(32)));
            }
        }
        left = left.checked_sub(1)?;
        block = match current.terminator {
            Terminator::Jump(to) => to,
            Terminator::Branch { predicate, taken, otherwise } => {
                if state.holds(predicate) {
                    taken
                } else {
                    otherwise
                }
            }
            Terminator::Halt => return Some(()),
        };
    }
}
