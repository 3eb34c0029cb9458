//! Machine IR: instructions of 32-bit RISC-V on virtual registers, as LLVM prints them before it assigns registers, and the
//! data of the module.
//!
//! In ([`parse`]): the text of a module. Out: a [`Module`]. The format belongs to one LLVM release: whatever the parser does
//! not know is an error with its line. What instructions mean is the lifter's business.

mod line;
mod read;

pub use read::parse;

/// A module.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Module {
    /// Variables, in the order of the text.
    pub data: Vec<Data>,
    /// Functions, in the order of the text.
    pub functions: Vec<Function>,
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    /// The name.
    pub name: String,
    /// The OpenCL address space.
    pub space: u32,
    /// The alignment in bytes.
    pub align: u32,
    /// The size in bytes.
    pub size: u32,
    /// Other modules do not see it.
    pub internal: bool,
    /// The first bytes; the rest is zero.
    pub bytes: Vec<u8>,
    /// Addresses in it.
    pub relocations: Vec<Relocation>,
}

/// An address within a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relocation {
    /// Where it stands.
    pub offset: u32,
    /// Of what.
    pub symbol: String,
    /// Added to it.
    pub addend: i32,
}

/// A function.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Function {
    /// The name.
    pub name: String,
    /// What it keeps on the stack.
    pub stack: Vec<StackObject>,
    /// What its caller put on the stack.
    pub arguments: Vec<StackArgument>,
    /// The blocks in their order; one without a jump at its end goes on with the next.
    pub blocks: Vec<Block>,
}

/// An object on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackObject {
    /// The number by which instructions name it.
    pub id: u32,
    /// The size in bytes.
    pub size: u32,
    /// The alignment in bytes.
    pub align: u32,
}

/// An argument on the stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StackArgument {
    /// The number by which instructions name it.
    pub id: u32,
    /// The distance from the stack pointer at the function's entry.
    pub offset: i32,
}

/// A block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Its number.
    pub number: u32,
    /// The instructions.
    pub instructions: Vec<Instruction>,
}

/// An instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    /// Its line in the text.
    pub line: usize,
    /// The name of what it does.
    pub opcode: String,
    /// The registers that it writes.
    pub outputs: Vec<Register>,
    /// What it works on, without what is implied.
    pub operands: Vec<Operand>,
    /// Registers that it reads beside its operands.
    pub implied_inputs: Vec<u8>,
    /// Registers that it writes beside its outputs.
    pub implied_outputs: Vec<u8>,
    /// The accesses to memory.
    pub memory: Vec<Access>,
}

/// A register.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Register {
    /// One of any number.
    Virtual(u32),
    /// `x0` to `x31`.
    Physical(u8),
}

/// What an instruction works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// A register.
    Register(Register),
    /// A number.
    Number(i64),
    /// A block.
    Block(u32),
    /// An object on the stack.
    Stack(u32),
    /// An argument on the stack.
    Argument(u32),
    /// An address.
    Symbol {
        /// Of what.
        name: String,
        /// Added to it.
        addend: i32,
        /// Which part of it.
        part: Part,
    },
}

/// A part of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The upper 20 bits.
    High,
    /// The lower 12 bits.
    Low,
    /// All of it.
    Whole,
}

/// An access to memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Its order with other accesses must be kept.
    pub volatile: bool,
    /// Nobody writes there.
    pub invariant: bool,
    /// The size in bytes, where it is known.
    pub size: Option<u32>,
    /// The OpenCL address space.
    pub space: u32,
    /// What the address belongs to.
    pub base: Base,
    /// The distance from it.
    pub offset: i64,
}

/// What an address belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Base {
    /// It is not known.
    Unknown,
    /// A value of the IR.
    Value(String),
    /// An object on the stack.
    Stack(u32),
    /// A variable.
    Symbol(String),
}

/// Why a text is no machine IR that we know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("machine IR, line {line}: {what}")]
pub struct ReadError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}
