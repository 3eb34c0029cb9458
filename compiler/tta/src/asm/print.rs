//! A program to assembly text.

use crate::model::{Extension, FileId, Guard, ImmediateUnitId, Machine, mask};
use crate::program::{DataArea, Destination, Instruction, Move, Program, Source, SymbolValue};
use std::fmt::Write;

/// Bytes of data in a line.
const DATA_LINE: usize = 16;

/// Writes `program` as text that [`super::parse()`] reads back as the same program.
#[must_use]
pub fn print(machine: &Machine, program: &Program) -> String {
    let mut text = String::from("CODE 0 ;\n\n");
    let labels_at = |text: &mut String, at: u32| {
        for symbol in program.symbols.iter().filter(|s| s.value == SymbolValue::Code(at)) {
            let _ = writeln!(text, "{}:", symbol.name);
        }
    };
    for (number, instruction) in (0u32..).zip(&program.instructions) {
        labels_at(&mut text, number);
        if program.entry == number && number != 0 {
            text.push_str(":entry;\n");
        }
        for exit in program.exits.iter().filter(|e| e.instruction == number) {
            match exit.result {
                Some((file, index)) => {
                    let _ = writeln!(text, ":halt {};", register(machine, file, index));
                }
                None => text.push_str(":halt;\n"),
            }
        }
        let _ = writeln!(text, "{} ;", print_instruction(machine, instruction));
    }
    labels_at(&mut text, u32::try_from(program.instructions.len()).unwrap_or(u32::MAX));
    for (number, area) in program.data.iter().enumerate() {
        let _ = writeln!(text, "\nDATA {} {} ;\n", machine.spaces[area.space.index()].name, area.start);
        data(&mut text, program, number);
    }
    text
}

/// The area in whose text a data symbol stands: the one that holds its address, else one that ends there.
fn home(program: &Program, value: SymbolValue) -> Option<usize> {
    let SymbolValue::Data { space, address } = value else { return None };
    let within = |area: &DataArea, last: u64| {
        area.space == space && (area.start..area.start + area.bytes.len() as u64 + last).contains(&address)
    };
    let find = |last| program.data.iter().position(|area| within(area, last));
    find(0).or_else(|| find(1))
}

fn data(text: &mut String, program: &Program, number: usize) {
    let area = &program.data[number];
    let end = area.start + area.bytes.len() as u64;
    let here = || program.symbols.iter().filter(|s| home(program, s.value) == Some(number));
    let mut places: Vec<u64> = here()
        .filter_map(|s| match s.value {
            SymbolValue::Data { address, .. } => Some(address),
            SymbolValue::Code(_) => None,
        })
        .collect();
    places.push(area.start);
    places.push(end);
    places.sort_unstable();
    places.dedup();
    for (position, from) in places.iter().enumerate() {
        for symbol in here() {
            if symbol.value == (SymbolValue::Data { space: area.space, address: *from }) {
                let _ = writeln!(text, "{}:", symbol.name);
            }
        }
        let to = places.get(position + 1).copied().unwrap_or(end);
        let range = (from - area.start) as usize..(to - area.start) as usize;
        for line in area.bytes[range].chunks(DATA_LINE) {
            let _ = write!(text, "DA {}", line.len());
            for byte in line {
                let _ = write!(text, " 1:{byte:#04x}");
            }
            text.push_str(" ;\n");
        }
    }
}

/// Writes one instruction without the mark that ends it.
#[must_use]
pub fn print_instruction(machine: &Machine, instruction: &Instruction) -> String {
    let mut slots = Vec::with_capacity(machine.buses.len());
    for (id, _) in machine.buses() {
        match instruction.moves.iter().find(|m| m.bus == id) {
            Some(m) => slots.push(transport(machine, m)),
            None => slots.push("...".to_owned()),
        }
    }
    let mut text = slots.join(", ");
    for immediate in &instruction.immediates {
        let unit = &machine.immediate_units[immediate.unit.index()];
        let value = literal(immediate.value, unit.extension, unit.width);
        let _ = write!(text, " [{}={value}]", immediate_register(machine, immediate.unit, immediate.index));
    }
    text
}

fn register(machine: &Machine, file: FileId, index: u32) -> String {
    format!("{}.{index}", machine.register_files[file.index()].name)
}

fn immediate_register(machine: &Machine, unit: ImmediateUnitId, index: u32) -> String {
    format!("{}.{index}", machine.immediate_units[unit.index()].name)
}

/// A value in decimal, with its sign where the field has one.
fn literal(value: u64, extension: Extension, width: u32) -> String {
    match extension {
        Extension::Zero => value.to_string(),
        Extension::Sign => Extension::Sign.extend(value & mask(width), width).cast_signed().to_string(),
    }
}

fn transport(machine: &Machine, m: &Move) -> String {
    let mut text = match m.guard {
        Guard::Always => String::new(),
        Guard::Never => "?never ".to_owned(),
        Guard::If { source, inverted } => {
            format!("{}{} ", if inverted { '!' } else { '?' }, machine.guard_name(source))
        }
    };
    text.push_str(&match m.source {
        Source::Register { file, index } => register(machine, file, index),
        Source::Immediate { unit, index } => immediate_register(machine, unit, index),
        Source::Port { unit, port } => {
            let unit = &machine.units[unit.index()];
            format!("{}.{}", unit.name, unit.ports[usize::from(port)].name)
        }
        Source::Constant(value) => {
            let bus = &machine.buses[m.bus.index()];
            literal(value, bus.short_immediate.extension, bus.width)
        }
    });
    text.push_str(" -> ");
    text.push_str(&match m.destination {
        Destination::Register { file, index } => register(machine, file, index),
        Destination::Port { unit, port, operation } => {
            let unit = &machine.units[unit.index()];
            let mut name = format!("{}.{}", unit.name, unit.ports[usize::from(port)].name);
            if let Some(operation) = operation {
                name.push('.');
                name.push_str(&unit.operations[usize::from(operation)].name);
            }
            name
        }
    });
    if let Some(producer) = m.producer {
        let _ = write!(text, " {{from {producer}}}");
    }
    text
}
