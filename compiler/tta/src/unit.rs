//! Units as archives hold them ([`oxcl_binary::unit`]) from scheduled functions and back, and the linking of units.
//!
//! In one direction everything becomes positions in the machine file; in the other the program has these positions again. All of
//! them are held against the machine, before the linking or when the program is loaded, so a unit that was tampered with is refused.

use crate::check::{Illegal, problems};
use crate::image::digest;
use crate::link::{DataBases, DataObject, LinkError, Piece, link, place};
use crate::model::{BusId, FileId, Guard, GuardSource, ImmediateUnitId, Machine, SpaceId, UnitId, mask};
use crate::program::{Destination, Exit, Instruction, LongImmediate, Move, Program, Source};
use crate::schedule::mir::{Register, SymbolRef};
use crate::schedule::{Base, Relocation, Scheduled, Slot};
use oxcl_binary::unit::{self, digest_text};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Why units cannot be put together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitLinkError {
    /// A unit for another machine.
    #[error("'{unit}' was compiled for the machine {found}, this is the machine {machine}")]
    OtherMachine {
        /// The unit's entry.
        unit: String,
        /// The digest in the unit.
        found: String,
        /// The digest of the machine.
        machine: String,
    },
    /// An instruction that the machine cannot execute.
    #[error("'{unit}': {illegal}")]
    Illegal {
        /// The unit's entry.
        unit: String,
        /// The instruction, counted from the beginning of its function.
        illegal: Illegal,
    },
    /// The addresses do not come out.
    #[error(transparent)]
    Link(#[from] LinkError),
}

/// A scheduled function with its name and symbols, to be put into a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The name.
    pub name: String,
    /// What its relocations count from.
    pub symbols: Vec<SymbolRef>,
    /// The code.
    pub code: Scheduled,
}

/// Makes a unit of functions and objects; the first function is its entry.
#[must_use]
pub fn pack(
    machine: &Machine,
    parts: &[Part],
    objects: &[DataObject],
    clobbers: &[Register],
    needs: unit::Needs,
) -> unit::Unit {
    let mut symbols: Vec<unit::Symbol> = Vec::new();
    let mut number = |name: &str, space: Option<SpaceId>| {
        let found = symbols.iter().position(|(n, _)| n == name).unwrap_or_else(|| {
            symbols.push((name.to_owned(), space.map(|s| s.0)));
            symbols.len() - 1
        });
        u32::try_from(found).unwrap_or(u32::MAX)
    };
    let functions = parts.iter().map(|part| function(part, &mut number)).collect();
    let objects = objects
        .iter()
        .map(|object| unit::Object {
            name: object.name.clone(),
            space: object.space.0,
            align: object.align,
            bytes: object.bytes.clone(),
            size: object.size.max(object.bytes.len() as u64),
            relocations: object
                .relocations
                .iter()
                .map(|(offset, symbol, addend)| (*offset, number(symbol, None), *addend))
                .collect(),
        })
        .collect();
    unit::Unit {
        machine: digest(machine),
        entry: parts.first().map(|p| p.name.clone()).unwrap_or_default(),
        needs,
        locals: Vec::new(),
        clobbers: clobbers.iter().map(|r| (r.file.0, r.index)).collect(),
        functions,
        objects,
        symbols,
    }
}

fn function(part: &Part, number: &mut impl FnMut(&str, Option<SpaceId>) -> u32) -> unit::Function {
    let instruction = |i: &Instruction| unit::Instruction {
        moves: i.moves.iter().map(packed_move).collect(),
        longs: i.immediates.iter().map(|l| (l.unit.0, l.index, l.value)).collect(),
    };
    let relocations = part.code.relocations.iter().map(|r| {
        let (long, position) = match r.slot {
            Slot::Move(position) => (false, position),
            Slot::Long(position) => (true, position),
        };
        let symbol = match r.base {
            Base::Function => None,
            Base::Symbol(symbol) => part.symbols.get(symbol as usize).map(|s| number(&s.name, s.space)),
        };
        let (instruction, addend, limit) = (r.instruction, r.addend, r.limit);
        unit::Relocation { instruction, long, position, symbol, addend, limit }
    });
    let relocations = relocations.collect();
    unit::Function {
        name: part.name.clone(),
        instructions: part.code.instructions.iter().map(instruction).collect(),
        relocations,
        exits: part
            .code
            .exits
            .iter()
            .map(|e| (e.instruction, e.result.map(|(file, index)| (file.0, index))))
            .collect(),
    }
}

fn packed_move(m: &Move) -> unit::Move {
    let guard = match m.guard {
        Guard::Always => unit::Guard::Always,
        Guard::Never => unit::Guard::Never,
        Guard::If { source: GuardSource::Register { file, index }, inverted } => {
            unit::Guard::Register { file: file.0, index, inverted }
        }
        Guard::If { source: GuardSource::Port { unit, port }, inverted } => {
            unit::Guard::Port { unit: unit.0, port, inverted }
        }
    };
    let source = match m.source {
        Source::Register { file, index } => unit::Source::Register(file.0, index),
        Source::Immediate { unit, index } => unit::Source::Immediate(unit.0, index),
        Source::Port { unit, port } => unit::Source::Port(unit.0, port),
        Source::Constant(value) => unit::Source::Constant(value),
    };
    let destination = match m.destination {
        Destination::Register { file, index } => unit::Destination::Register(file.0, index),
        Destination::Port { unit, port, operation: None } => unit::Destination::Port(unit.0, port),
        Destination::Port { unit, port, operation: Some(operation) } => {
            unit::Destination::Trigger(unit.0, port, operation)
        }
    };
    unit::Move { bus: m.bus.0, guard, source, destination }
}

fn unpacked_move(m: &unit::Move) -> Move {
    let of = |source, inverted| Guard::If { source, inverted };
    let guard = match m.guard {
        unit::Guard::Always => Guard::Always,
        unit::Guard::Never => Guard::Never,
        unit::Guard::Register { file, index, inverted } => {
            of(GuardSource::Register { file: FileId(file), index }, inverted)
        }
        unit::Guard::Port { unit, port, inverted } => {
            of(GuardSource::Port { unit: UnitId(unit), port }, inverted)
        }
    };
    let source = match m.source {
        unit::Source::Register(file, index) => Source::Register { file: FileId(file), index },
        unit::Source::Immediate(unit, index) => Source::Immediate { unit: ImmediateUnitId(unit), index },
        unit::Source::Port(unit, port) => Source::Port { unit: UnitId(unit), port },
        unit::Source::Constant(value) => Source::Constant(value),
    };
    let destination = match m.destination {
        unit::Destination::Register(file, index) => Destination::Register { file: FileId(file), index },
        unit::Destination::Port(unit, port) => {
            Destination::Port { unit: UnitId(unit), port, operation: None }
        }
        unit::Destination::Trigger(unit, port, operation) => {
            Destination::Port { unit: UnitId(unit), port, operation: Some(operation) }
        }
    };
    Move { bus: BusId(m.bus), guard, source, destination, producer: None }
}

/// The code of a function in a unit.
fn unpacked(function: &unit::Function) -> Scheduled {
    let instruction = |i: &unit::Instruction| Instruction {
        moves: i.moves.iter().map(unpacked_move).collect(),
        immediates: i
            .longs
            .iter()
            .map(|(unit, index, value)| LongImmediate {
                unit: ImmediateUnitId(*unit),
                index: *index,
                value: *value,
            })
            .collect(),
    };
    let relocation = |r: &unit::Relocation| Relocation {
        instruction: r.instruction,
        slot: if r.long { Slot::Long(r.position) } else { Slot::Move(r.position) },
        base: r.symbol.map_or(Base::Function, Base::Symbol),
        addend: r.addend,
        limit: r.limit,
    };
    let exit = |(instruction, result): &(u32, Option<(u16, u32)>)| Exit {
        instruction: *instruction,
        result: result.map(|(file, index)| (FileId(file), index)),
    };
    Scheduled {
        instructions: function.instructions.iter().map(instruction).collect(),
        relocations: function.relocations.iter().map(relocation).collect(),
        exits: function.exits.iter().map(exit).collect(),
        ..Scheduled::default()
    }
}

/// A unit as the linker takes it, so that nothing but addresses is left to do when it is linked.
#[derive(Debug, Clone)]
pub struct UnitCode {
    entry: String,
    machine: [u8; 20],
    functions: Vec<(u64, Part)>,
    objects: Vec<DataObject>,
    illegal: Option<Illegal>,
}

impl UnitCode {
    /// The code and data of a unit.
    #[must_use]
    pub fn new(unit: &unit::Unit) -> Self {
        let symbol =
            |(name, space): &unit::Symbol| SymbolRef { name: name.clone(), space: space.map(SpaceId) };
        let symbols: Vec<SymbolRef> = unit.symbols.iter().map(symbol).collect();
        let part = |function: &unit::Function| {
            let (code, symbols) = (unpacked(function), symbols.clone());
            (nearest(&symbols, &code), Part { name: function.name.clone(), symbols, code })
        };
        Self {
            entry: unit.entry.clone(),
            machine: unit.machine,
            functions: unit.functions.iter().map(part).collect(),
            objects: unit.objects.iter().map(|object| unpacked_object(object, &unit.symbols)).collect(),
            illegal: None,
        }
    }

    /// Holds every instruction against the machine, whatever addresses come into it. What the machine cannot execute is refused
    /// when it is linked; a program of units that were checked can be loaded as it is.
    #[must_use]
    pub fn checked(mut self, machine: &Machine) -> Self {
        self.illegal = self.functions.iter().find_map(|(_, part)| illegal(machine, &part.code));
        self
    }

    /// The name of its entry.
    #[must_use]
    pub fn entry(&self) -> &str {
        &self.entry
    }
}

/// The first instruction that a machine cannot execute, each address as large as its place may hold.
fn illegal(machine: &Machine, code: &Scheduled) -> Option<Illegal> {
    let mut relocations: Vec<&Relocation> = code.relocations.iter().collect();
    relocations.sort_by_key(|r| r.instruction);
    let mut waiting = relocations.into_iter().peekable();
    (0u32..).zip(&code.instructions).find_map(|(number, instruction)| {
        let mut filled = None;
        while let Some(relocation) = waiting.next_if(|r| r.instruction <= number) {
            let largest = mask(64 - relocation.limit.leading_zeros()) & 0xffff_ffff;
            place(filled.get_or_insert_with(|| instruction.clone()), relocation.slot, largest);
        }
        let problem = problems(machine, filled.as_ref().unwrap_or(instruction)).into_iter().next()?;
        Some(Illegal { instruction: number, problem })
    })
}

/// Links units into one program that begins with `entry`, for a machine with this [`digest`]. A function or object that several
/// units bring is there once if it is the same in all of them. Loading the program checks that the machine can execute it.
///
/// # Errors
/// A unit for another machine, a name that is missing or means two things, an address out of reach, data that is too large.
pub fn link_units(
    machine: &Machine,
    own: &[u8; 20],
    units: &[&unit::Unit],
    bases: &DataBases,
    known: &BTreeMap<String, u64>,
    entry: &str,
) -> Result<Program, UnitLinkError> {
    let codes: Vec<UnitCode> = units.iter().map(|unit| UnitCode::new(unit)).collect();
    link_code(machine, own, &codes.iter().collect::<Vec<_>>(), bases, known, entry)
}

/// The same for units that are unpacked already.
///
/// # Errors
/// As for [`link_units`], and an instruction that the machine cannot execute, in a unit that was checked.
pub fn link_code(
    machine: &Machine,
    own: &[u8; 20],
    units: &[&UnitCode],
    bases: &DataBases,
    known: &BTreeMap<String, u64>,
    entry: &str,
) -> Result<Program, UnitLinkError> {
    let mut functions: HashMap<&str, &Part> = HashMap::new();
    let mut data: HashMap<&str, &DataObject> = HashMap::new();
    let mut pieces: Vec<(u64, Piece<'_>)> = Vec::new();
    let mut objects: Vec<&DataObject> = Vec::new();
    for unit in units {
        if unit.machine != *own {
            return Err(UnitLinkError::OtherMachine {
                unit: unit.entry.clone(),
                found: digest_text(&unit.machine),
                machine: digest_text(own),
            });
        }
        if let Some(illegal) = &unit.illegal {
            return Err(UnitLinkError::Illegal { unit: unit.entry.clone(), illegal: illegal.clone() });
        }
        for (nearest, part) in &unit.functions {
            let Part { name, symbols, code } = part;
            match functions.insert(name, part) {
                None => pieces.push((*nearest, Piece { name, symbols, code })),
                // Symbols are counted per unit, so equal code may have other numbers; instructions say enough.
                Some(other) if other.code.instructions == code.instructions => {}
                Some(_) => return Err(LinkError::Twice(name.clone()).into()),
            }
        }
        for object in &unit.objects {
            match data.insert(&object.name, object) {
                None => objects.push(object),
                Some(other) if other.bytes == object.bytes && other.size == object.size => {}
                Some(_) => return Err(LinkError::Twice(object.name.clone()).into()),
            }
        }
    }
    // Code whose jumps reach less far comes first, and before it what has no jumps and may be where they go.
    pieces.sort_by_key(|(nearest, _)| *nearest);
    let pieces: Vec<Piece<'_>> = pieces.into_iter().map(|(_, piece)| piece).collect();
    Ok(link(machine, &pieces, &objects, bases, known, entry)?)
}

/// The largest instruction address that every jump of a function can have; 0 where it has none.
fn nearest(symbols: &[SymbolRef], code: &Scheduled) -> u64 {
    let to_code = |r: &&Relocation| match r.base {
        Base::Function => true,
        Base::Symbol(symbol) => symbols.get(symbol as usize).is_none_or(|s| s.space.is_none()),
    };
    code.relocations.iter().filter(to_code).map(|r| r.limit).min().unwrap_or(0)
}

fn unpacked_object(object: &unit::Object, symbols: &[unit::Symbol]) -> DataObject {
    let relocation = |(offset, symbol, addend): &(u32, u32, u32)| {
        let name = symbols.get(*symbol as usize).map(|(name, _)| name.clone());
        (*offset, name.unwrap_or_default(), *addend)
    };
    DataObject {
        name: object.name.clone(),
        space: SpaceId(object.space),
        align: object.align,
        bytes: object.bytes.clone(),
        size: object.size,
        relocations: object.relocations.iter().map(relocation).collect(),
    }
}

/// The names that units refer to and none of them defines.
#[must_use]
pub fn undefined(units: &[&unit::Unit]) -> BTreeSet<String> {
    let defined = |name: &str| {
        units
            .iter()
            .any(|u| u.functions.iter().any(|f| f.name == name) || u.objects.iter().any(|o| o.name == name))
    };
    units.iter().flat_map(|u| &u.symbols).map(|(n, _)| n.clone()).filter(|n| !defined(n)).collect()
}
