//! Code for a machine before its registers are assigned: the machine's operations on values, of which there are any number.
//!
//! In: what [`lift`](crate::lift) makes of machine IR. Every operation is one that the machine has. A value may be written more
//! than once. Values 0 to 31 are the registers `x0` to `x31` of the machine IR: those that hold arguments and results
//! ([`Convention`](crate::allocate::Convention) says where), and `x2`, the stack pointer. [`tidy`] removes what is not needed.

pub mod advance;
pub mod constants;
pub mod predicate;
pub mod reassociate;
pub mod shape;
pub mod tidy;

use crate::ops::Op;
use crate::schedule::mir::{Memory, SymbolRef};

/// A value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(pub u32);

/// How many values have a fixed meaning.
pub const FIXED: u32 = 32;

/// The stack pointer.
pub const STACK_POINTER: Value = Value(2);

/// The kind of register that a value needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// 32 bits.
    Word,
    /// One bit that guards can test.
    Bit,
}

/// A place in the stack frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// An object of [`Function::stack`].
    Object(u32),
    /// The stack pointer as it was when the function was called.
    Caller,
}

/// What an operation works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Input {
    /// A value.
    Value(Value),
    /// A number.
    Constant(u32),
    /// An address.
    Symbol {
        /// Its position in [`Function::symbols`].
        symbol: u32,
        /// Added to it.
        addend: i32,
    },
    /// The distance of a place in the frame from the stack pointer, known once registers are assigned.
    Frame {
        /// The place.
        place: Place,
        /// Added to it.
        offset: i32,
    },
    /// The address that the function returns to; before the first call only.
    ReturnAddress,
}

/// Something holds if bit 0 of a value is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Condition {
    /// The value, of class [`Class::Bit`].
    pub value: Value,
    /// It holds if the bit is not set.
    pub inverted: bool,
}

/// An operation or a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// What it does; `None` copies its input.
    pub op: Option<Op>,
    /// Inputs in the order of the operation set.
    pub inputs: Vec<Input>,
    /// Results in the order of the operation set.
    pub outputs: Vec<Value>,
    /// It happens only if this holds; the outputs keep their values otherwise.
    pub condition: Option<Condition>,
    /// What is known of its access to memory.
    pub memory: Option<Memory>,
}

/// Whom a call reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callee {
    /// A function by its position in [`Function::symbols`].
    Symbol(u32),
    /// The function with this address.
    Value(Value),
}

/// How a block ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Terminator {
    /// With another block.
    Jump(usize),
    /// With `taken` if the condition holds, else with `otherwise`.
    Branch {
        /// The condition.
        condition: Condition,
        /// The block if it holds.
        taken: usize,
        /// The block if not.
        otherwise: usize,
    },
    /// With a call.
    Call {
        /// Whom.
        callee: Callee,
        /// The fixed values that it reads.
        arguments: Vec<Value>,
        /// The fixed values that it leaves.
        results: Vec<Value>,
        /// The block that goes on.
        next: usize,
    },
    /// With the caller, to the address that the function was called with or that is in a value.
    Return {
        /// The address: [`Input::ReturnAddress`] or a value.
        address: Input,
        /// The fixed values that it reads.
        results: Vec<Value>,
    },
    /// With the program.
    Halt {
        /// The fixed values that are of interest.
        results: Vec<Value>,
    },
}

/// A block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The operations in order.
    pub nodes: Vec<Node>,
    /// What comes after.
    pub terminator: Terminator,
    /// How often it runs, estimated.
    pub weight: u64,
}

/// An object in the stack frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackObject {
    /// The size in bytes.
    pub size: u32,
    /// The alignment in bytes.
    pub align: u32,
}

/// A function; its first block is the entry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Function {
    /// The name.
    pub name: String,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// The class of each value.
    pub classes: Vec<Class>,
    /// What the stack frame holds.
    pub stack: Vec<StackObject>,
    /// Bytes at the stack pointer that hold arguments of calls.
    pub outgoing: u32,
    /// Bytes below the caller's stack pointer that hold arguments or results and must stay free.
    pub shared: u32,
    /// What inputs and callees name.
    pub symbols: Vec<SymbolRef>,
}

impl Node {
    /// A copy.
    #[must_use]
    pub fn copy(input: Input, output: Value) -> Self {
        Self { op: None, inputs: vec![input], outputs: vec![output], condition: None, memory: None }
    }

    /// The values that it reads, including those that it may leave as they are.
    pub fn reads(&self) -> impl Iterator<Item = Value> + '_ {
        let inputs = self.inputs.iter().filter_map(|i| match i {
            Input::Value(v) => Some(*v),
            _ => None,
        });
        let kept = self.outputs.iter().copied().filter(|_| self.condition.is_some());
        inputs.chain(self.condition.map(|c| c.value)).chain(kept)
    }

    /// Whether nothing but its outputs depends on it.
    #[must_use]
    pub fn is_removable(&self) -> bool {
        use crate::ops::Semantics;
        self.op.is_none_or(|op| {
            let info = op.info();
            let load = matches!(info.semantics, Semantics::Load(_));
            info.is_pure() || (load && !self.memory.as_ref().is_some_and(|m| m.volatile))
        })
    }
}

impl Terminator {
    /// The blocks that may come next.
    #[must_use]
    pub fn successors(&self) -> Vec<usize> {
        match self {
            Self::Jump(to) => vec![*to],
            Self::Branch { taken, otherwise, .. } => vec![*taken, *otherwise],
            Self::Call { next, .. } => vec![*next],
            Self::Return { .. } | Self::Halt { .. } => Vec::new(),
        }
    }

    /// The values that it reads.
    #[must_use]
    pub fn reads(&self) -> Vec<Value> {
        match self {
            Self::Jump(_) => Vec::new(),
            Self::Branch { condition, .. } => vec![condition.value],
            Self::Call { callee, arguments, .. } => {
                let mut all = arguments.clone();
                if let Callee::Value(value) = callee {
                    all.push(*value);
                }
                all.push(STACK_POINTER);
                all
            }
            Self::Return { address, results } => {
                let mut all = results.clone();
                if let Input::Value(value) = address {
                    all.push(*value);
                }
                all.push(STACK_POINTER);
                all
            }
            Self::Halt { results } => results.clone(),
        }
    }

    /// The values that it leaves.
    #[must_use]
    pub fn writes(&self) -> &[Value] {
        match self {
            Self::Call { results, .. } => results,
            _ => &[],
        }
    }
}

impl Function {
    /// A new value.
    pub fn value(&mut self, class: Class) -> Value {
        let value = Value(u32::try_from(self.classes.len()).unwrap_or(u32::MAX));
        self.classes.push(class);
        value
    }

    /// The position of a symbol, which is added if it is not there.
    pub fn symbol(&mut self, symbol: SymbolRef) -> u32 {
        let at = self.symbols.iter().position(|s| *s == symbol).unwrap_or_else(|| {
            self.symbols.push(symbol);
            self.symbols.len() - 1
        });
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    /// Whether it calls anything.
    #[must_use]
    pub fn calls(&self) -> bool {
        self.blocks.iter().any(|b| matches!(b.terminator, Terminator::Call { .. }))
    }
}
