//! What dotted names mean: registers, ports and operations of the machine.

use super::AsmProblem;
use crate::model::{FileId, GuardSource, ImmediateUnitId, Machine, UnitId};
use crate::program::{Destination, Source};

/// A dotted name: its words, the last of which may be a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    /// The names.
    pub(super) words: Vec<String>,
    /// The number behind them.
    pub(super) number: Option<u64>,
}

impl Term {
    /// The term as it was written.
    pub(super) fn shown(&self) -> String {
        let mut text = self.words.join(".");
        if let Some(number) = self.number {
            text.push('.');
            text.push_str(&number.to_string());
        }
        text
    }
}

/// A part of the machine that a term names.
pub(super) enum Part {
    /// A register.
    Register(FileId, u32),
    /// A register of an immediate unit.
    Immediate(ImmediateUnitId, u32),
    /// A port, with the operation that a write of it starts.
    Port(UnitId, u16, Option<u16>),
}

fn index(term: &Term, size: u32) -> Option<u32> {
    term.number.and_then(|n| u32::try_from(n).ok()).filter(|n| *n < size)
}

/// What `term` names; `None` if its first word names nothing in the machine (it may then be a label).
pub(super) fn resolve(machine: &Machine, term: &Term) -> Result<Option<Part>, AsmProblem> {
    let unknown = || AsmProblem::UnknownName { name: term.shown() };
    let Some(first) = term.words.first() else { return Ok(None) };
    // Register files win over units of the same name. A port may stand between the file and the register.
    if let Some((id, file)) = machine.register_files().find(|(_, f)| f.name == *first) {
        let through = term.words.get(1).is_none_or(|p| file.ports.iter().any(|q| q.name == *p));
        if let (Some(number), true, true) = (index(term, file.size), through, term.words.len() <= 2) {
            return Ok(Some(Part::Register(id, number)));
        }
    }
    if let Some((id, unit)) = machine.immediate_units().find(|(_, u)| u.name == *first) {
        let through = term.words.get(1).is_none_or(|p| unit.ports.iter().any(|q| q.name == *p));
        if let (Some(number), true, true) = (index(term, unit.size), through, term.words.len() <= 2) {
            return Ok(Some(Part::Immediate(id, number)));
        }
    }
    let named = machine.units().find(|(_, u)| u.name == *first).map(|(id, _)| id);
    let control = || first.eq_ignore_ascii_case("gcu").then(|| machine.control_unit());
    let Some(id) = named.or_else(control) else {
        let known = machine.register_files.iter().any(|f| f.name == *first)
            || machine.immediate_units.iter().any(|u| u.name == *first);
        return if known { Err(unknown()) } else { Ok(None) };
    };
    let unit = machine.units.get(id.index()).ok_or_else(unknown)?;
    match (term.words.get(1), term.words.get(2), term.number) {
        // unit.port
        (Some(port), None, None) => {
            let port = unit.port(port).ok_or_else(unknown)?;
            Ok(Some(Part::Port(id, port, None)))
        }
        // unit.port.operation
        (Some(port), Some(operation), None) if term.words.len() == 3 => {
            let port = unit.port(port).ok_or_else(unknown)?;
            let operation = unit.operation(operation).ok_or_else(unknown)?;
            Ok(Some(Part::Port(id, port, Some(operation))))
        }
        // unit.operation.operand
        (Some(operation), None, Some(operand)) => {
            let operation = unit.operation(operation).ok_or_else(unknown)?;
            let number = u16::try_from(operand).map_err(|_| unknown())?;
            let port = unit.operations[usize::from(operation)].port_of(number).ok_or_else(unknown)?;
            let triggers = unit.ports[usize::from(port)].triggers;
            Ok(Some(Part::Port(id, port, triggers.then_some(operation))))
        }
        _ => Err(unknown()),
    }
}

/// The part as a source.
pub(super) fn source(term: &Term, part: &Part) -> Result<Source, AsmProblem> {
    match *part {
        Part::Register(file, index) => Ok(Source::Register { file, index }),
        Part::Immediate(unit, index) => Ok(Source::Immediate { unit, index }),
        Part::Port(unit, port, None) => Ok(Source::Port { unit, port }),
        Part::Port(_, _, Some(_)) => Err(AsmProblem::WrongRole { name: term.shown(), role: "source" }),
    }
}

/// The part as a destination.
pub(super) fn destination(machine: &Machine, term: &Term, part: &Part) -> Result<Destination, AsmProblem> {
    match *part {
        Part::Register(file, index) => Ok(Destination::Register { file, index }),
        Part::Immediate(..) => Err(AsmProblem::WrongRole { name: term.shown(), role: "destination" }),
        Part::Port(unit, port, operation) => {
            let facts = &machine.units[unit.index()];
            let triggers = facts.ports[usize::from(port)].triggers;
            // A unit with one operation needs no name for it.
            let operation = match operation {
                None if triggers && facts.operations.len() == 1 => Some(0),
                other => other,
            };
            if triggers != operation.is_some() {
                return Err(AsmProblem::Opcode { name: term.shown(), needs: triggers });
            }
            Ok(Destination::Port { unit, port, operation })
        }
    }
}

/// The part as what a guard looks at.
pub(super) fn guard(term: &Term, part: &Part) -> Result<GuardSource, AsmProblem> {
    match *part {
        Part::Register(file, index) => Ok(GuardSource::Register { file, index }),
        Part::Port(unit, port, None) => Ok(GuardSource::Port { unit, port }),
        _ => Err(AsmProblem::WrongRole { name: term.shown(), role: "guard" }),
    }
}
