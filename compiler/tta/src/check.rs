//! Whether a machine can execute a program's instructions as they stand: connections, widths, guards, templates, ports.
//!
//! In: a program whose indices are in range or not. Out: every instruction's faults. What depends on the course of the
//! run (results that collide, operands read too early) is left to the strict simulation.

use crate::model::{Direction, FilePort, Guard, Machine, Template, mask};
use crate::program::{Destination, Instruction, Move, Program, Source, exclusive};

/// Why an instruction cannot be executed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("instruction {instruction}: {problem}")]
pub struct Illegal {
    /// The instruction.
    pub instruction: u32,
    /// The problem.
    pub problem: Problem,
}

/// What is wrong with an instruction. Parts are named as the machine file names them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// An index that the machine does not have.
    #[error("{what} {index} does not exist")]
    OutOfRange {
        /// The kind of thing.
        what: &'static str,
        /// The index.
        index: u32,
    },
    /// Two moves on one bus.
    #[error("bus '{bus}' carries two moves")]
    BusTwice {
        /// The bus.
        bus: String,
    },
    /// A guard that the bus does not offer.
    #[error("bus '{bus}' does not offer this guard")]
    NoGuard {
        /// The bus.
        bus: String,
    },
    /// No socket joins the source to the bus.
    #[error("'{part}' cannot be read over bus '{bus}'")]
    SourceUnconnected {
        /// The register file, immediate unit or port.
        part: String,
        /// The bus.
        bus: String,
    },
    /// No socket joins the bus to the destination.
    #[error("'{part}' cannot be written over bus '{bus}'")]
    DestinationUnconnected {
        /// The register file or port.
        part: String,
        /// The bus.
        bus: String,
    },
    /// An immediate wider than the bus's field.
    #[error("{value:#x} does not fit the {width}-bit immediates of bus '{bus}'")]
    ImmediateTooWide {
        /// The value.
        value: u64,
        /// Bits of the field.
        width: u32,
        /// The bus.
        bus: String,
    },
    /// An operation named at a port that starts none, or none named at one that does.
    #[error("port '{part}' {}", if *.triggers { "starts operations, but the move names none" } else { "starts no operations" })]
    Opcode {
        /// The port.
        part: String,
        /// Whether the port triggers.
        triggers: bool,
    },
    /// More simultaneous accesses than ports.
    #[error("the moves need more {way} ports than '{part}' has on their buses")]
    PortsExceeded {
        /// The register file, immediate unit or port.
        part: String,
        /// `read` or `write`.
        way: &'static str,
    },
    /// Two writes to one place.
    #[error("'{part}' is written twice")]
    WrittenTwice {
        /// The register or port.
        part: String,
    },
    /// No template has these long immediates and leaves the buses of the moves free.
    #[error("no instruction template holds these long immediates beside these moves")]
    NoTemplate,
    /// An instruction beyond the memory for instructions.
    #[error("the memory for instructions, '{space}', holds {room}; the program has {count}")]
    NoRoom {
        /// The space.
        space: String,
        /// How many instructions it holds.
        room: u64,
        /// The program's instructions.
        count: usize,
    },
    /// A long immediate wider than its template's bits.
    #[error("{value:#x} does not fit the {width} bits of a long immediate of '{unit}'")]
    LongTooWide {
        /// The value.
        value: u64,
        /// Bits of the template's slots.
        width: u32,
        /// The immediate unit.
        unit: String,
    },
}

/// Everything wrong with the instructions of `program` on `machine`, at most `limit` faults.
#[must_use]
pub fn check(machine: &Machine, program: &Program, limit: usize) -> Vec<Illegal> {
    let mut all = Vec::new();
    let count = program.instructions.len();
    if let Some((space, room)) = machine.instruction_room()
        && count as u64 > room
    {
        let problem = Problem::NoRoom { space: space.to_owned(), room, count };
        all.push(Illegal { instruction: u32::try_from(room).unwrap_or(u32::MAX), problem });
    }
    for (number, instruction) in (0u32..).zip(&program.instructions) {
        for problem in problems(machine, instruction) {
            if all.len() >= limit {
                return all;
            }
            all.push(Illegal { instruction: number, problem });
        }
    }
    all
}

/// Everything wrong with one instruction.
#[must_use]
pub fn problems(machine: &Machine, instruction: &Instruction) -> Vec<Problem> {
    let mut all: Vec<Problem> = instruction.moves.iter().filter_map(|m| out_of_range(machine, m)).collect();
    for immediate in &instruction.immediates {
        match machine.immediate_units.get(immediate.unit.index()) {
            Some(unit) if immediate.index < unit.size => {}
            Some(_) => all.push(Problem::OutOfRange { what: "immediate register", index: immediate.index }),
            None => {
                all.push(Problem::OutOfRange { what: "immediate unit", index: u32::from(immediate.unit.0) });
            }
        }
    }
    if !all.is_empty() {
        return all;
    }
    for (position, m) in instruction.moves.iter().enumerate() {
        let bus = &machine.buses[m.bus.index()];
        if instruction.moves[..position].iter().any(|other| other.bus == m.bus) {
            all.push(Problem::BusTwice { bus: bus.name.clone() });
        }
        if !bus.bears(m.guard) {
            all.push(Problem::NoGuard { bus: bus.name.clone() });
        }
        source(machine, m, &mut all);
        destination(machine, m, &mut all);
    }
    conflicts(machine, instruction, &mut all);
    if template_for(machine, instruction).is_none() {
        all.push(Problem::NoTemplate);
    }
    long_immediates(machine, instruction, &mut all);
    all
}

fn out_of_range(machine: &Machine, m: &Move) -> Option<Problem> {
    let missing = |what, index| Some(Problem::OutOfRange { what, index });
    if m.bus.index() >= machine.buses.len() {
        return missing("bus", u32::from(m.bus.0));
    }
    match m.source {
        Source::Register { file, index } => match machine.register_files.get(file.index()) {
            None => return missing("register file", u32::from(file.0)),
            Some(f) if index >= f.size => return missing("register", index),
            Some(_) => {}
        },
        Source::Immediate { unit, index } => match machine.immediate_units.get(unit.index()) {
            None => return missing("immediate unit", u32::from(unit.0)),
            Some(u) if index >= u.size => return missing("immediate register", index),
            Some(_) => {}
        },
        Source::Port { unit, port } => match machine.units.get(unit.index()) {
            None => return missing("unit", u32::from(unit.0)),
            Some(u) if usize::from(port) >= u.ports.len() => return missing("port", u32::from(port)),
            Some(_) => {}
        },
        Source::Constant(_) => {}
    }
    match m.destination {
        Destination::Register { file, index } => match machine.register_files.get(file.index()) {
            None => missing("register file", u32::from(file.0)),
            Some(f) if index >= f.size => missing("register", index),
            Some(_) => None,
        },
        Destination::Port { unit, port, operation } => match machine.units.get(unit.index()) {
            None => missing("unit", u32::from(unit.0)),
            Some(u) if usize::from(port) >= u.ports.len() => missing("port", u32::from(port)),
            Some(u) => match operation {
                Some(op) if usize::from(op) >= u.operations.len() => missing("operation", u32::from(op)),
                _ => None,
            },
        },
    }
}

fn port_name(machine: &Machine, unit: crate::model::UnitId, port: u16) -> String {
    let unit = &machine.units[unit.index()];
    format!("{}.{}", unit.name, unit.ports[usize::from(port)].name)
}

fn source(machine: &Machine, m: &Move, all: &mut Vec<Problem>) {
    let bus = &machine.buses[m.bus.index()];
    let unconnected = |part: String| Problem::SourceUnconnected { part, bus: bus.name.clone() };
    match m.source {
        Source::Register { file, .. } => {
            let file = &machine.register_files[file.index()];
            if machine.file_ports(&file.ports, m.bus, Direction::Output) == 0 {
                all.push(unconnected(file.name.clone()));
            }
        }
        Source::Immediate { unit, .. } => {
            let unit = &machine.immediate_units[unit.index()];
            if machine.file_ports(&unit.ports, m.bus, Direction::Output) == 0 {
                all.push(unconnected(unit.name.clone()));
            }
        }
        Source::Port { unit, port } => {
            let socket = machine.units[unit.index()].ports[usize::from(port)].output;
            if !machine.joins(socket, m.bus, Direction::Output) {
                all.push(unconnected(port_name(machine, unit, port)));
            }
        }
        Source::Constant(value) => {
            if !fits(bus, value) {
                let width = bus.short_immediate.width;
                all.push(Problem::ImmediateTooWide { value, width, bus: bus.name.clone() });
            }
        }
    }
}

/// Whether `value`, already widened to the bus, is what a short immediate of the bus can give.
#[must_use]
pub fn fits(bus: &crate::model::Bus, value: u64) -> bool {
    let field = bus.short_immediate;
    let wide = field.extension.extend(value, field.width) & mask(bus.width);
    field.width > 0 && wide == value & mask(bus.width) && value & !mask(bus.width) == 0
}

fn destination(machine: &Machine, m: &Move, all: &mut Vec<Problem>) {
    let bus = &machine.buses[m.bus.index()].name;
    match m.destination {
        Destination::Register { file, .. } => {
            let file = &machine.register_files[file.index()];
            if machine.file_ports(&file.ports, m.bus, Direction::Input) == 0 {
                let part = file.name.clone();
                all.push(Problem::DestinationUnconnected { part, bus: bus.clone() });
            }
        }
        Destination::Port { unit, port, operation } => {
            let facts = &machine.units[unit.index()];
            let found = &facts.ports[usize::from(port)];
            let part = port_name(machine, unit, port);
            if !machine.joins(found.input, m.bus, Direction::Input) {
                all.push(Problem::DestinationUnconnected { part: part.clone(), bus: bus.clone() });
            }
            if found.triggers != operation.is_some() {
                all.push(Problem::Opcode { part, triggers: found.triggers });
            }
        }
    }
}

/// Whether two moves need the same read port of a file: they read different registers and can both happen.
fn compete(a: &(u32, Guard), b: &(u32, Guard)) -> bool {
    a.0 != b.0 && !exclusive(a.1, b.1)
}

/// Whether every access finds a port on its bus that no competing access holds.
pub(crate) fn assign(
    machine: &Machine,
    ports: &[FilePort],
    accesses: &[(crate::model::BusId, (u32, Guard))],
    way: Direction,
) -> bool {
    fn place(
        machine: &Machine,
        ports: &[FilePort],
        accesses: &[(crate::model::BusId, (u32, Guard))],
        way: Direction,
        taken: &mut Vec<usize>,
    ) -> bool {
        let position = taken.len();
        let Some((bus, access)) = accesses.get(position) else { return true };
        for (port, facts) in ports.iter().enumerate() {
            let free = accesses[..position]
                .iter()
                .zip(taken.iter())
                .all(|((_, other), held)| *held != port || !compete(access, other));
            if free && machine.joins(facts.socket, *bus, way) {
                taken.push(port);
                if place(machine, ports, accesses, way, taken) {
                    return true;
                }
                taken.pop();
            }
        }
        false
    }
    place(machine, ports, accesses, way, &mut Vec::new())
}

fn conflicts(machine: &Machine, instruction: &Instruction, all: &mut Vec<Problem>) {
    let moves = &instruction.moves;
    for (id, file) in machine.register_files() {
        let reads: Vec<_> = moves
            .iter()
            .filter_map(|m| match m.source {
                Source::Register { file, index } if file == id => Some((m.bus, (index, m.guard))),
                _ => None,
            })
            .collect();
        let writes: Vec<_> = moves
            .iter()
            .filter_map(|m| match m.destination {
                Destination::Register { file, index } if file == id => Some((m.bus, (index, m.guard))),
                _ => None,
            })
            .collect();
        if reads.len() > 1 && !assign(machine, &file.ports, &reads, Direction::Output) {
            all.push(Problem::PortsExceeded { part: file.name.clone(), way: "read" });
        }
        if writes.len() > 1 && !assign(machine, &file.ports, &writes, Direction::Input) {
            all.push(Problem::PortsExceeded { part: file.name.clone(), way: "write" });
        }
        for (position, (_, write)) in writes.iter().enumerate() {
            let twice = writes[..position].iter().any(|(_, w)| w.0 == write.0 && !exclusive(w.1, write.1));
            if twice {
                all.push(Problem::WrittenTwice { part: format!("{}.{}", file.name, write.0) });
            }
        }
    }
    for (id, unit) in machine.immediate_units() {
        let reads: Vec<_> = moves
            .iter()
            .filter_map(|m| match m.source {
                Source::Immediate { unit, index } if unit == id => Some((m.bus, (index, m.guard))),
                _ => None,
            })
            .collect();
        if reads.len() > 1 && !assign(machine, &unit.ports, &reads, Direction::Output) {
            all.push(Problem::PortsExceeded { part: unit.name.clone(), way: "read" });
        }
    }
    for (position, m) in moves.iter().enumerate() {
        if let Destination::Port { unit, port, .. } = m.destination {
            let twice = moves[..position].iter().any(|other| {
                matches!(other.destination, Destination::Port { unit: u, port: p, .. } if u == unit && p == port)
                    && !exclusive(other.guard, m.guard)
            });
            if twice {
                all.push(Problem::WrittenTwice { part: port_name(machine, unit, port) });
            }
        }
    }
}

/// The template that holds the long immediates of `instruction` and leaves the buses of its moves free; for an
/// instruction without long immediates any template that takes no bus, or none at all.
#[must_use]
pub fn template_for<'a>(machine: &'a Machine, instruction: &Instruction) -> Option<Option<&'a Template>> {
    if instruction.immediates.is_empty() {
        return Some(machine.templates.iter().find(|t| t.writes.is_empty()));
    }
    let fitting = |t: &&Template| {
        t.writes.len() == instruction.immediates.len()
            && instruction.immediates.iter().all(|i| t.writes.iter().any(|w| w.unit == i.unit))
            && instruction.moves.iter().all(|m| !t.takes(m.bus))
            && instruction.immediates.iter().all(|i| long_fits(machine, t, i))
    };
    let exact = machine.templates.iter().find(fitting);
    // A template that is only too narrow is still the one meant: the width is reported on its own.
    exact
        .or_else(|| {
            machine.templates.iter().find(|t| {
                t.writes.len() == instruction.immediates.len()
                    && instruction.immediates.iter().all(|i| t.writes.iter().any(|w| w.unit == i.unit))
                    && instruction.moves.iter().all(|m| !t.takes(m.bus))
            })
        })
        .map(Some)
}

fn long_fits(machine: &Machine, template: &Template, immediate: &crate::program::LongImmediate) -> bool {
    let unit = &machine.immediate_units[immediate.unit.index()];
    template.writes.iter().filter(|w| w.unit == immediate.unit).all(|w| {
        let wide = unit.extension.extend(immediate.value, w.width()) & mask(unit.width);
        wide == immediate.value
    })
}

fn long_immediates(machine: &Machine, instruction: &Instruction, all: &mut Vec<Problem>) {
    let Some(Some(template)) = template_for(machine, instruction) else { return };
    for immediate in &instruction.immediates {
        if !long_fits(machine, template, immediate) {
            let unit = &machine.immediate_units[immediate.unit.index()];
            let width = template.writes.iter().find(|w| w.unit == immediate.unit).map_or(0, |w| w.width());
            all.push(Problem::LongTooWide { value: immediate.value, width, unit: unit.name.clone() });
        }
    }
}
