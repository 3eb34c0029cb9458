//! Programs as text: the assembly that OpenASIP's tools print, read and printed.
//!
//! A file is a list of areas, `CODE [first] ;` and `DATA space [first] ;`, each followed by lines that end with `;`. A code
//! line has one slot for each bus in the machine's order, joined by commas: `...` for no move, else
//! `[guard] source -> destination`. Long immediates stand in a slot or after the last one, as `[unit.index=value]`.
//! `#` begins a comment. Our own directives: `:entry;` before the instruction that runs first, and `:halt [file.index];`
//! before one that ends the program, with the register that then holds its result.
//!
//! [`parse()`] and [`print()`] are inverse to each other: what is printed reads back as the same program.

mod lex;
mod operand;
mod parse;
mod print;

pub use parse::parse;
pub use print::{print, print_instruction};

/// Why a text is no program for the machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct AsmError {
    /// The line, from 1.
    pub line: usize,
    /// The problem.
    pub problem: AsmProblem,
}

/// What is wrong in a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AsmProblem {
    /// A character that no word begins with.
    #[error("unexpected character '{found}'")]
    Character {
        /// The character.
        found: char,
    },
    /// Another word than needed.
    #[error("expected {wanted}, found {found}")]
    Expected {
        /// What was needed.
        wanted: &'static str,
        /// What stands there.
        found: String,
    },
    /// A number that does not fit 64 bits.
    #[error("'{text}' is not a 64-bit number")]
    Number {
        /// The text.
        text: String,
    },
    /// A name that nothing in the machine and no label has.
    #[error("nothing is named '{name}'")]
    UnknownName {
        /// The name.
        name: String,
    },
    /// A part of the machine that exists, but not in this role.
    #[error("'{name}' cannot be a {role}")]
    WrongRole {
        /// The name.
        name: String,
        /// The role.
        role: &'static str,
    },
    /// A label or symbol defined twice.
    #[error("label '{name}' is defined twice")]
    DuplicateLabel {
        /// The label.
        name: String,
    },
    /// A line with another number of slots than the machine has buses.
    #[error("the line has {found} slots, the machine has {buses} buses")]
    SlotCount {
        /// Slots found.
        found: usize,
        /// Buses of the machine.
        buses: usize,
    },
    /// An immediate unit that gets its value twice, or never.
    #[error("the long immediate '{name}' has {count} values; it needs one")]
    LongValues {
        /// The immediate unit and register.
        name: String,
        /// Values found.
        count: usize,
    },
    /// A destination that needs an operation without one, or the reverse.
    #[error("port '{name}' {}", if *.needs { "needs the name of an operation" } else { "starts no operations" })]
    Opcode {
        /// The port.
        name: String,
        /// Whether one is needed.
        needs: bool,
    },
    /// Data larger than its size says, or out of its space.
    #[error("the data does not fit: {reason}")]
    Data {
        /// Why.
        reason: &'static str,
    },
    /// Something that the format has and we do not support.
    #[error("{feature} is not supported")]
    Unsupported {
        /// The feature.
        feature: &'static str,
    },
    /// An instruction that the machine cannot execute.
    #[error("{problem}")]
    Illegal {
        /// Why.
        problem: crate::check::Problem,
    },
}
