//! Machine code before it is scheduled: operations of the machine on its registers, in blocks, in order.
//!
//! In: what register allocation leaves. An operation names no unit and no bus; that is the scheduler's choice.
//! [`super::interpret`] executes functions one operation at a time: what a schedule computes is held against it.

use crate::model::{FileId, SpaceId};
use crate::ops::Op;

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
    /// The address of a symbol, known once the function is linked.
    Symbol {
        /// Its position in [`Function::symbols`].
        symbol: u32,
        /// Added to the address, modulo 2^32.
        addend: u32,
    },
    /// The address that the function returns to; an input of copies only, before the first call.
    ReturnAddress,
}

/// A condition: bit 0 of a guard register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Predicate {
    /// The register.
    pub register: Register,
    /// True for "if zero".
    pub inverted: bool,
}

/// What an address is counted from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Base {
    /// Nothing is known.
    Unknown,
    /// An object of the function's stack frame; different ones never overlap.
    Stack(u32),
    /// A global object, by its symbol's position in [`Function::symbols`]; different ones never overlap.
    Symbol(u32),
    /// A pointer that keeps its value through an execution of the block.
    Value(u32),
}

/// The alias scope of places that no pointer points at, such as those of spilled registers: disjoint from all that is not in it.
pub const SPILLED: u32 = u32::MAX;

/// What is known about a memory access.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// The machine's address space.
    pub space: SpaceId,
    /// What the address is counted from.
    pub base: Base,
    /// How far from there; without meaning where nothing is known about the base.
    pub offset: i64,
    /// How many bytes are accessed.
    pub size: u32,
    /// It keeps its place among all other accesses that are volatile, and nothing is assumed of it.
    pub volatile: bool,
    /// Nobody writes there while the function runs.
    pub read_only: bool,
    /// The alias scopes that the access belongs to.
    pub scopes: Vec<u32>,
    /// The alias scopes that it is disjoint from.
    pub no_alias: Vec<u32>,
}

impl Memory {
    /// An access of which no more is known than its space and size.
    #[must_use]
    pub fn unknown(space: SpaceId, size: u32) -> Self {
        let (base, offset, volatile, read_only) = (Base::Unknown, 0, false, false);
        Self { space, base, offset, size, volatile, read_only, scopes: Vec::new(), no_alias: Vec::new() }
    }

    /// Whether the accesses can touch a byte in common, or must keep their order for another reason.
    #[must_use]
    pub fn conflicts(&self, other: &Self) -> bool {
        if self.volatile && other.volatile {
            return true;
        }
        if self.space != other.space || self.read_only || other.read_only {
            return false;
        }
        if self.scopes.contains(&SPILLED) != other.scopes.contains(&SPILLED) {
            return false;
        }
        let apart = |a: &Self, b: &Self| a.scopes.iter().any(|s| b.no_alias.contains(s));
        if !self.volatile && !other.volatile && (apart(self, other) || apart(other, self)) {
            return false;
        }
        let identified = |base| matches!(base, Base::Stack(_) | Base::Symbol(_));
        if self.base != other.base {
            return !(identified(self.base) && identified(other.base));
        }
        self.base == Base::Unknown
            || (self.offset < other.offset + i64::from(other.size)
                && other.offset < self.offset + i64::from(self.size))
    }
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
    /// Of a memory access what is known; one without it goes to any space and keeps its order among all.
    pub memory: Option<Memory>,
}

/// How a block ends.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// With a call, after which another block continues.
    Call {
        /// Whom: a symbol, or a register that holds the address.
        callee: Operand,
        /// The block that continues.
        next: usize,
        /// The registers that the callee reads.
        reads: Vec<Register>,
        /// The registers that it may write, its results among them.
        clobbers: Vec<Register>,
    },
    /// With the caller.
    Return {
        /// [`Operand::ReturnAddress`], or the register that it has been brought to.
        to: Operand,
        /// The registers that the caller reads.
        reads: Vec<Register>,
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
    /// How often it is executed, estimated or counted; 1 where nothing is known.
    pub weight: u64,
}

/// A function or object that a function names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolRef {
    /// The name.
    pub name: String,
    /// The space of an object; none for a function.
    pub space: Option<SpaceId>,
}

/// A function. The first block is the entry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Function {
    /// The name.
    pub name: String,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// What operands and callees name.
    pub symbols: Vec<SymbolRef>,
    /// Registers whose values are asked for when the function halts.
    pub results: Vec<Register>,
}

impl Node {
    /// The registers that the node reads, its predicate included; also those that it may leave as they are.
    pub fn reads(&self) -> impl Iterator<Item = Register> + '_ {
        let inputs = self.inputs.iter().filter_map(|i| match i {
            Operand::Register(r) => Some(*r),
            Operand::Constant(_) | Operand::Symbol { .. } | Operand::ReturnAddress => None,
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
            Self::Call { next, .. } => vec![next],
            Self::Halt | Self::Return { .. } => Vec::new(),
        }
    }

    /// The registers that are read by the jump itself.
    pub fn reads(&self) -> impl Iterator<Item = Register> {
        let read = match *self {
            Self::Branch { predicate, .. } => Some(predicate.register),
            Self::Call { callee: Operand::Register(register), .. }
            | Self::Return { to: Operand::Register(register), .. } => Some(register),
            _ => None,
        };
        read.into_iter()
    }
}
