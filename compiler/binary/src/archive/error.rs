//! What can be wrong with an archive: where, and what was expected there.

use std::fmt;

use super::{PathFault, Version};

/// The part of an archive that was being read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The header.
    Header,
    /// The root entry of this index, from 0.
    RootEntry(u32),
    /// A kernel's record.
    Kernel {
        /// Its index, from 0.
        index: u32,
        /// Its name, once that was read.
        name: Option<String>,
    },
    /// Behind the last record.
    End,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Header => f.write_str("the header"),
            Place::RootEntry(index) => write!(f, "root entry {index}"),
            Place::Kernel { index, name: None } => write!(f, "kernel record {index}"),
            Place::Kernel { index, name: Some(name) } => {
                write!(f, "kernel record {index} ('{}')", name.escape_debug())
            }
            Place::End => f.write_str("the end"),
        }
    }
}

/// An archive that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}, in {place}: {kind}")]
pub struct ReadError {
    /// Offset in bytes of the field at fault.
    pub offset: usize,
    /// The part of the archive that the field belongs to.
    pub place: Place,
    /// What is wrong with it.
    pub kind: ReadErrorKind,
}

/// What is wrong with an archive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadErrorKind {
    /// The bytes end too early.
    #[error("the archive ends inside {field}: {need} bytes expected, {have} left")]
    Truncated {
        /// What was to be read.
        field: &'static str,
        /// The bytes that it needs.
        need: u64,
        /// The bytes that are left.
        have: u64,
    },
    /// A field crosses the end that its record's size gives.
    #[error("{field} crosses the end of its record: {need} bytes expected, {have} left")]
    Overrun {
        /// What was to be read.
        field: &'static str,
        /// The bytes that it needs.
        need: u64,
        /// The bytes left in the record.
        have: u64,
    },
    /// A record's contents do not have the size that the record states.
    #[error("{record} should have {stated} bytes and has {found}")]
    RecordSize {
        /// The record.
        record: &'static str,
        /// The size in its header.
        stated: u64,
        /// The size of its contents.
        found: u64,
    },
    /// More elements are announced than the bytes left could hold.
    #[error("{count} {elements} cannot fit in the {have} bytes left")]
    ImpossibleCount {
        /// The elements.
        elements: &'static str,
        /// How many are announced.
        count: u64,
        /// The bytes left.
        have: u64,
    },
    /// The first bytes are not those of a pocl-binary.
    #[error("not a pocl-binary: it should begin with 'poclbin' and a zero byte")]
    Magic,
    /// A container version that we do not know.
    #[error("container version {0} is not known (9, 11 and 12 are)")]
    Version(u32),
    /// A flag that this version does not have.
    #[error("{flags} has bits {bits:#x}, which version {version} does not have")]
    Flags {
        /// The flags' field.
        flags: &'static str,
        /// The bits that are not known.
        bits: u64,
        /// The archive's version.
        version: Version,
    },
    /// A value that an enumeration does not have.
    #[error("{value:#x} is not a value of {field}")]
    Value {
        /// The enumeration.
        field: &'static str,
        /// The value.
        value: u64,
    },
    /// The build hash is not the name of a directory, or has bytes behind its end.
    #[error("the build hash is not a directory's name padded with zeros")]
    BuildHash,
    /// Version 9 has exactly one root entry.
    #[error("version 9 has exactly one root entry, this archive says {0}")]
    RootEntries(u32),
    /// A root entry without a file.
    #[error("a root entry must hold a file")]
    EmptyRootEntry,
    /// A text that is not UTF-8, or has a NUL in it.
    #[error("{0} is not UTF-8 text, or has a NUL")]
    Text(&'static str),
    /// A path that is not allowed.
    #[error("path '{}' is not allowed: {fault}", path.escape_debug())]
    Path {
        /// The path.
        path: String,
        /// Why.
        fault: PathFault,
    },
    /// A text that cannot be a kernel's name.
    #[error("'{}' cannot be a kernel's name", .0.escape_debug())]
    KernelName(String),
    /// Two kernels of the same name.
    #[error("a second kernel of the name '{}'", .0.escape_debug())]
    DuplicateKernel(String),
    /// Bytes behind the last record.
    #[error("{0} bytes follow the last record")]
    TrailingBytes(u64),
}

/// An archive that the format cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// A field that the version does not have.
    #[error("version {version} cannot hold {field}")]
    NotInVersion {
        /// The field.
        field: &'static str,
        /// The archive's version.
        version: Version,
    },
    /// Version 9 has exactly one root entry.
    #[error("version 9 has exactly one root entry, not {0}")]
    RootEntries(usize),
    /// A root entry without a file.
    #[error("a root entry must hold a file")]
    EmptyRootEntry,
    /// A length or count that does not fit its field of 32 bits.
    #[error("{field} does not fit: {length}, the most is 4294967295")]
    TooLong {
        /// The field.
        field: &'static str,
        /// Its length or count.
        length: usize,
    },
    /// A text with a NUL in it, which ends texts in PoCL.
    #[error("{0} has a NUL")]
    Nul(&'static str),
    /// The build hash is not the name of a directory.
    #[error("'{}' cannot be a build hash", .0.escape_debug())]
    BuildHash(String),
    /// A path that is not allowed.
    #[error("path '{}' is not allowed: {fault}", path.escape_debug())]
    Path {
        /// The path.
        path: String,
        /// Why.
        fault: PathFault,
    },
    /// A text that cannot be a kernel's name.
    #[error("'{}' cannot be a kernel's name", .0.escape_debug())]
    KernelName(String),
    /// Two kernels of the same name.
    #[error("two kernels of the name '{}'", .0.escape_debug())]
    DuplicateKernel(String),
}
