//! TTA units: scheduled, relocatable code for one transport-triggered machine, as archives hold it.
//!
//! A kernel's unit is the file `/<kernel>/0-0-0/<kernel>.<machine>.ttau`, with the first 16 digits of the machine's digest, so
//! that an archive can serve several machines; those of device main and run-time routines are under
//! `/tta/<digest>/` in the archive's root. Machine parts are named by their position in the machine file whose digest the
//! unit carries; what the positions mean is `oxcl-tta`'s business. [`Unit::read`] and [`Unit::write`] are exact inverses. The
//! reader trusts nothing: every length is held against what is left before memory is taken, every position of a relocation
//! against the code or data it points into.

mod read;
mod write;

pub use read::UnitError;

/// The first bytes of every unit.
pub const MAGIC: &[u8; 8] = b"oxclttau";
/// The version that is written, and the only one that is read.
pub const VERSION: u32 = 2;

/// When a move happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Guard {
    /// Always.
    Always,
    /// Never.
    Never,
    /// By bit 0 of a register.
    Register {
        /// The register file.
        file: u16,
        /// The register.
        index: u32,
        /// If the bit is zero.
        inverted: bool,
    },
    /// By bit 0 of an output port.
    Port {
        /// The unit.
        unit: u16,
        /// The port.
        port: u16,
        /// If the bit is zero.
        inverted: bool,
    },
}

/// Where a move takes its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// A register: file, number.
    Register(u16, u32),
    /// A register of an immediate unit: unit, number.
    Immediate(u16, u32),
    /// An output port: unit, port.
    Port(u16, u16),
    /// A short immediate.
    Constant(u64),
}

/// Where a move puts its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Destination {
    /// A register: file, number.
    Register(u16, u32),
    /// An input port: unit, port.
    Port(u16, u16),
    /// A trigger: unit, port, operation.
    Trigger(u16, u16, u16),
}

/// A move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    /// The bus.
    pub bus: u16,
    /// When.
    pub guard: Guard,
    /// From where.
    pub source: Source,
    /// To where.
    pub destination: Destination,
}

/// A long immediate: unit, register, value.
pub type Long = (u16, u32, u64);

/// An instruction.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Instruction {
    /// Its moves.
    pub moves: Vec<Move>,
    /// Its long immediates.
    pub longs: Vec<Long>,
}

/// A place in code that waits for an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Relocation {
    /// The instruction, counted from the function's first.
    pub instruction: u32,
    /// In a long immediate rather than in a move.
    pub long: bool,
    /// The position of the move or immediate in the instruction.
    pub position: u16,
    /// The symbol by position in [`Unit::symbols`]; none for the function's own first instruction.
    pub symbol: Option<u32>,
    /// Added.
    pub addend: i64,
    /// The largest value that fits.
    pub limit: u64,
}

/// A function.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its instructions.
    pub instructions: Vec<Instruction>,
    /// What waits for addresses.
    pub relocations: Vec<Relocation>,
    /// Instructions that end the program, with the register of its result: file, number.
    pub exits: Vec<(u32, Option<(u16, u32)>)>,
}

/// An object in memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// The machine's address space, by position.
    pub space: u16,
    /// Its address is a multiple of this.
    pub align: u32,
    /// The bytes that it begins with.
    pub bytes: Vec<u8>,
    /// How long it is, at least as long as `bytes`; zeros follow.
    pub size: u64,
    /// Words of four bytes that hold a symbol's address: offset, symbol by position, addend.
    pub relocations: Vec<(u32, u32, u32)>,
}

/// A name that code or data refers to, and the address space of an object or none for a function.
pub type Symbol = (String, Option<u16>);

/// What a kernel needs beside its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Needs {
    /// Scratch bytes whatever the local size.
    pub scratch_fixed: u64,
    /// Scratch bytes for each work-item.
    pub scratch_per_item: u64,
    /// Work-items that the code runs at a time.
    pub width: u32,
    /// Stack bytes, callees included.
    pub stack: u64,
}

/// A unit.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Unit {
    /// The SHA-1 of the machine's canonical file.
    pub machine: [u8; 20],
    /// The function that the unit is there for.
    pub entry: String,
    /// Its figures.
    pub needs: Needs,
    /// Sizes of the kernel's own `__local` variables, in the order in which they follow the arguments.
    pub locals: Vec<u64>,
    /// Registers that it may change: file, number.
    pub clobbers: Vec<(u16, u32)>,
    /// What is referred to.
    pub symbols: Vec<Symbol>,
    /// The functions.
    pub functions: Vec<Function>,
    /// The objects.
    pub objects: Vec<Object>,
}

/// The path of a kernel's unit for a machine in its archive; `directory` is the kernel's, as the container names it.
#[must_use]
pub fn kernel_path(directory: &str, machine: &[u8; 20]) -> String {
    format!("/{directory}/0-0-0/{directory}{}", machine_ending(&digest_text(machine)))
}

/// How the paths of kernels' units for a machine end; `digest` is as [`digest_text`] gives it.
#[must_use]
pub fn machine_ending(digest: &str) -> String {
    format!(".{}{UNIT_ENDING}", digest.get(..16).unwrap_or(digest))
}

/// How the paths of units end.
pub const UNIT_ENDING: &str = ".ttau";

/// The path of a routine's unit in the archive's root.
#[must_use]
pub fn routine_path(machine: &[u8; 20], routine: &str) -> String {
    format!("{}{routine}{UNIT_ENDING}", routine_folder(machine))
}

/// The folder of a machine's routines in an archive's root.
#[must_use]
pub fn routine_folder(machine: &[u8; 20]) -> String {
    format!("/tta/{}/", digest_text(machine))
}

/// A machine's digest as paths and messages name it.
#[must_use]
pub fn digest_text(digest: &[u8; 20]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
