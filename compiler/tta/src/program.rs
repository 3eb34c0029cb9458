//! A program for a machine: instructions of moves, initial data, symbols.
//!
//! Every operand is an index into the machine that the program is for; the text form is [`crate::asm`], the file form
//! [`crate::image`]. Whether the machine has the connections that the moves need is [`crate::check`]'s question.

use crate::model::{BusId, FileId, Guard, ImmediateUnitId, SpaceId, UnitId};

/// Where a move takes its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// A register.
    Register {
        /// The file.
        file: FileId,
        /// The register.
        index: u32,
    },
    /// A register of an immediate unit.
    Immediate {
        /// The unit.
        unit: ImmediateUnitId,
        /// The register.
        index: u32,
    },
    /// A unit's output port.
    Port {
        /// The unit.
        unit: UnitId,
        /// The port, by position.
        port: u16,
    },
    /// A short immediate, widened to its bus.
    Constant(u64),
}

/// Where a move puts its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Destination {
    /// A register.
    Register {
        /// The file.
        file: FileId,
        /// The register.
        index: u32,
    },
    /// A unit's input port.
    Port {
        /// The unit.
        unit: UnitId,
        /// The port, by position.
        port: u16,
        /// The operation that the write starts, by position; present exactly at trigger ports.
        operation: Option<u16>,
    },
}

/// A move over a bus.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    /// The bus.
    pub bus: BusId,
    /// When it happens.
    pub guard: Guard,
    /// From where.
    pub source: Source,
    /// To where.
    pub destination: Destination,
    /// The instruction whose trigger made the result that this move reads, where the compiler says so. A strict
    /// simulation checks it.
    pub producer: Option<u32>,
}

/// A write of a long immediate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LongImmediate {
    /// The immediate unit.
    pub unit: ImmediateUnitId,
    /// Its register.
    pub index: u32,
    /// The value, widened to the register.
    pub value: u64,
}

/// An instruction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Instruction {
    /// The moves in the order of their buses; at most one a bus.
    pub moves: Vec<Move>,
    /// The long immediates.
    pub immediates: Vec<LongImmediate>,
}

/// Initial contents of memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataArea {
    /// The address space.
    pub space: SpaceId,
    /// The first address.
    pub start: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// What a symbol stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SymbolValue {
    /// An instruction.
    Code(u32),
    /// An address.
    Data {
        /// The space.
        space: SpaceId,
        /// The address.
        address: u64,
    },
}

/// A named place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The name.
    pub name: String,
    /// The place.
    pub value: SymbolValue,
}

/// An instruction after which the program has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// The instruction.
    pub instruction: u32,
    /// The register that then holds the program's result.
    pub result: Option<(FileId, u32)>,
}

/// A program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// The instructions.
    pub instructions: Vec<Instruction>,
    /// The instruction that runs first.
    pub entry: u32,
    /// Where it ends, by rising instruction. Running off the last instruction ends it too.
    pub exits: Vec<Exit>,
    /// Initial data.
    pub data: Vec<DataArea>,
    /// Symbols in order of definition.
    pub symbols: Vec<Symbol>,
}

impl Program {
    /// The symbol with this name.
    #[must_use]
    pub fn symbol(&self, name: &str) -> Option<SymbolValue> {
        self.symbols.iter().find(|s| s.name == name).map(|s| s.value)
    }

    /// The nearest code symbol at or before an instruction, and how far before.
    #[must_use]
    pub fn place(&self, instruction: u32) -> Option<(&str, u32)> {
        self.symbols
            .iter()
            .filter_map(|s| match s.value {
                SymbolValue::Code(at) if at <= instruction => Some((s.name.as_str(), instruction - at)),
                _ => None,
            })
            .min_by_key(|(_, distance)| *distance)
    }
}

/// Whether two moves can never both happen, so that they may share what only one can have.
#[must_use]
pub fn exclusive(a: Guard, b: Guard) -> bool {
    match (a, b) {
        (Guard::Never, _) | (_, Guard::Never) => true,
        (Guard::If { source: x, inverted: i }, Guard::If { source: y, inverted: j }) => x == y && i != j,
        _ => false,
    }
}
