//! The linker: scheduled functions and data objects to one program.
//!
//! In: pieces of code with places that wait for addresses, and objects of bytes. Out: a [`Program`] in which every address is
//! known. Nothing is scheduled here: an address goes where the schedule has left room for it, and an address that does not fit
//! there is refused with its name. Code comes in the order of the pieces; objects at rising addresses from where their space's
//! data begins. Neither machine code nor LLVM is needed.

use crate::model::{Machine, SpaceId};
use crate::program::{DataArea, Exit, Instruction, Program, Source, Symbol, SymbolValue};
use crate::schedule::mir::SymbolRef;
use crate::schedule::{Base, Scheduled, Slot};
use std::collections::{BTreeMap, HashMap};

/// A scheduled function with its name and what it names.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    /// The function's name.
    pub name: &'a str,
    /// What its relocations count from.
    pub symbols: &'a [SymbolRef],
    /// Its code.
    pub code: &'a Scheduled,
}

/// Bytes with a name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DataObject {
    /// The name.
    pub name: String,
    /// The machine's address space.
    pub space: SpaceId,
    /// Its address is a multiple of this.
    pub align: u32,
    /// The bytes that it begins with.
    pub bytes: Vec<u8>,
    /// How long it is; what is beyond `bytes` is zero.
    pub size: u64,
    /// Words of four bytes that hold the address of a symbol: offset, symbol, what is added.
    pub relocations: Vec<(u32, String, u32)>,
}

/// Where data goes in each space: from the first address to before the second.
pub type DataBases = BTreeMap<SpaceId, (u64, u64)>;

/// Why a program cannot be linked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// A symbol that nobody defines.
    #[error("'{symbol}', which '{by}' refers to, is not defined")]
    Undefined {
        /// The symbol.
        symbol: String,
        /// Who refers to it.
        by: String,
    },
    /// A symbol that is defined more than once.
    #[error("'{0}' is defined more than once")]
    Twice(String),
    /// An address that does not fit where it is needed.
    #[error("the address of '{symbol}', {value:#x}, does not fit where '{by}' needs it: at most {limit:#x}")]
    OutOfReach {
        /// The symbol.
        symbol: String,
        /// Who needs it.
        by: String,
        /// The address.
        value: u64,
        /// The largest that fits.
        limit: u64,
    },
    /// Data that does not fit into its space.
    #[error(
        "'{object}' needs {size} bytes in the address space '{space}', which has {left} of {room} bytes left for data"
    )]
    DataFull {
        /// The object.
        object: String,
        /// Its bytes.
        size: u64,
        /// The space.
        space: String,
        /// Bytes left.
        left: u64,
        /// Bytes for data in all.
        room: u64,
    },
    /// More instructions than the memory for them holds.
    #[error("the program has {count} instructions; the memory for instructions, '{space}', holds {room}")]
    CodeFull {
        /// Instructions.
        count: usize,
        /// The space.
        space: String,
        /// How many it holds.
        room: u64,
    },
    /// A place that waits for an address and does not exist.
    #[error("'{0}' has a relocation outside its code or data")]
    BadPlace(String),
}

/// Puts pieces and objects together. The program begins with the function `entry`. `known` are symbols with addresses that are
/// defined elsewhere.
///
/// # Errors
/// A name that is missing or given twice, an address out of reach, data that is too large.
pub fn link(
    machine: &Machine,
    pieces: &[Piece<'_>],
    objects: &[&DataObject],
    bases: &DataBases,
    known: &BTreeMap<String, u64>,
    entry: &str,
) -> Result<Program, LinkError> {
    let mut program = Program::default();
    let mut addresses: HashMap<&str, u64> = known.iter().map(|(name, at)| (name.as_str(), *at)).collect();
    let mut starts = Vec::with_capacity(pieces.len());
    let mut count = 0usize;
    for piece in pieces {
        let start = u32::try_from(count).unwrap_or(u32::MAX);
        starts.push(start);
        define(&mut addresses, piece.name, u64::from(start))?;
        program.symbols.push(Symbol { name: piece.name.to_owned(), value: SymbolValue::Code(start) });
        count += piece.code.instructions.len();
    }
    if let Some((space, room)) = machine.instruction_room()
        && count as u64 > room
    {
        return Err(LinkError::CodeFull { count, space: space.to_owned(), room });
    }
    place_objects(machine, objects, bases, &mut addresses, &mut program)?;
    program.instructions.reserve_exact(count);
    for (piece, start) in pieces.iter().zip(&starts) {
        program.instructions.extend_from_slice(&piece.code.instructions);
        let exits = piece.code.exits.iter();
        program.exits.extend(exits.map(|e| Exit { instruction: e.instruction + start, ..*e }));
        relocate(&mut program, piece, *start, &addresses)?;
    }
    let undefined =
        |symbol: &str, by: &str| LinkError::Undefined { symbol: symbol.to_owned(), by: by.to_owned() };
    for (position, object) in objects.iter().enumerate() {
        for (offset, symbol, addend) in &object.relocations {
            let value = addresses.get(symbol.as_str()).ok_or_else(|| undefined(symbol, &object.name))?;
            let word = (*value & 0xffff_ffff) as u32;
            let at = *offset as usize;
            let place = program.data[position].bytes.get_mut(at..at.saturating_add(4));
            let place = place.ok_or_else(|| LinkError::BadPlace(object.name.clone()))?;
            let value = word.wrapping_add(*addend);
            let bytes = if machine.little_endian { value.to_le_bytes() } else { value.to_be_bytes() };
            place.copy_from_slice(&bytes);
        }
    }
    program.data.retain(|area| !area.bytes.is_empty());
    program.entry = match program.symbol(entry) {
        Some(SymbolValue::Code(at)) => at,
        _ => return Err(undefined(entry, "the start of the program")),
    };
    Ok(program)
}

fn define<'a>(addresses: &mut HashMap<&'a str, u64>, name: &'a str, address: u64) -> Result<(), LinkError> {
    match addresses.insert(name, address) {
        None => Ok(()),
        Some(_) => Err(LinkError::Twice(name.to_owned())),
    }
}

fn place_objects<'a>(
    machine: &Machine,
    objects: &[&'a DataObject],
    bases: &DataBases,
    addresses: &mut HashMap<&'a str, u64>,
    program: &mut Program,
) -> Result<(), LinkError> {
    let mut next: BTreeMap<SpaceId, u64> = bases.iter().map(|(space, (from, _))| (*space, *from)).collect();
    for object in objects {
        let facts = machine.spaces.get(object.space.index());
        let facts = facts.ok_or_else(|| LinkError::BadPlace(object.name.clone()))?;
        let default = (facts.min_address.max(4), facts.max_address.saturating_add(1));
        let (from, until) = bases.get(&object.space).copied().unwrap_or(default);
        let at = next.entry(object.space).or_insert(from);
        let size = object.size.max(object.bytes.len() as u64);
        let start = at.next_multiple_of(u64::from(object.align.max(1)));
        if start.saturating_add(size) > until {
            return Err(LinkError::DataFull {
                object: object.name.clone(),
                size,
                space: facts.name.clone(),
                left: until.saturating_sub(*at),
                room: until.saturating_sub(from),
            });
        }
        *at = start + size;
        define(addresses, &object.name, start)?;
        let value = SymbolValue::Data { space: object.space, address: start };
        program.symbols.push(Symbol { name: object.name.clone(), value });
        program.data.push(DataArea { space: object.space, start, bytes: object.bytes.clone() });
    }
    Ok(())
}

fn relocate(
    program: &mut Program,
    piece: &Piece<'_>,
    start: u32,
    addresses: &HashMap<&str, u64>,
) -> Result<(), LinkError> {
    let bad = || LinkError::BadPlace(piece.name.to_owned());
    for relocation in &piece.code.relocations {
        let (base, name) = match relocation.base {
            Base::Function => (u64::from(start), piece.name),
            Base::Symbol(symbol) => {
                let name = &piece.symbols.get(symbol as usize).ok_or_else(bad)?.name;
                let address = addresses.get(name.as_str()).ok_or_else(|| LinkError::Undefined {
                    symbol: name.clone(),
                    by: piece.name.to_owned(),
                })?;
                (*address, name.as_str())
            }
        };
        let value = base.wrapping_add_signed(relocation.addend) & 0xffff_ffff;
        if value > relocation.limit {
            return Err(LinkError::OutOfReach {
                symbol: name.to_owned(),
                by: piece.name.to_owned(),
                value,
                limit: relocation.limit,
            });
        }
        let at = start as usize + relocation.instruction as usize;
        let instruction = program.instructions.get_mut(at).ok_or_else(bad)?;
        if !place(instruction, relocation.slot, value) {
            return Err(bad());
        }
    }
    Ok(())
}

/// Puts an address into an instruction; false where it has no such place.
pub(crate) fn place(instruction: &mut Instruction, slot: Slot, value: u64) -> bool {
    let found = match slot {
        Slot::Move(position) => {
            let found = instruction.moves.get_mut(usize::from(position));
            found.map(|place| place.source = Source::Constant(value))
        }
        Slot::Long(position) => {
            let found = instruction.immediates.get_mut(usize::from(position));
            found.map(|place| place.value = value)
        }
    };
    found.is_some()
}
