//! Writes units: numbers little-endian, every list behind its length, in the order of the fields.

use super::{Destination, Function, Guard, MAGIC, Object, Source, Unit, VERSION};

impl Unit {
    /// The unit as bytes; the same unit gives the same bytes.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        let mut out = Writer(MAGIC.to_vec());
        out.u32(VERSION);
        out.0.extend_from_slice(&self.machine);
        out.text(&self.entry);
        out.u64(self.needs.scratch_fixed);
        out.u64(self.needs.scratch_per_item);
        out.u32(self.needs.width);
        out.u64(self.needs.stack);
        out.length(self.locals.len());
        for size in &self.locals {
            out.u64(*size);
        }
        out.length(self.clobbers.len());
        for (file, index) in &self.clobbers {
            out.u16(*file);
            out.u32(*index);
        }
        out.length(self.symbols.len());
        for (name, space) in &self.symbols {
            out.text(name);
            out.option(space.map(u32::from));
        }
        out.length(self.functions.len());
        for function in &self.functions {
            out.function(function);
        }
        out.length(self.objects.len());
        for object in &self.objects {
            out.object(object);
        }
        out.0
    }
}

struct Writer(Vec<u8>);

impl Writer {
    fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    fn u16(&mut self, value: u16) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn u32(&mut self, value: u32) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn u64(&mut self, value: u64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn length(&mut self, length: usize) {
        self.u32(u32::try_from(length).unwrap_or(u32::MAX));
    }

    fn text(&mut self, text: &str) {
        self.length(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    fn option(&mut self, value: Option<u32>) {
        self.u8(u8::from(value.is_some()));
        self.u32(value.unwrap_or(0));
    }

    fn guard(&mut self, guard: Guard) {
        match guard {
            Guard::Always => self.u8(0),
            Guard::Never => self.u8(1),
            Guard::Register { file, index, inverted } => {
                self.u8(2 + u8::from(inverted));
                self.u16(file);
                self.u32(index);
            }
            Guard::Port { unit, port, inverted } => {
                self.u8(4 + u8::from(inverted));
                self.u16(unit);
                self.u16(port);
            }
        }
    }

    fn source(&mut self, source: Source) {
        match source {
            Source::Register(file, index) => {
                self.u8(0);
                self.u16(file);
                self.u32(index);
            }
            Source::Immediate(unit, index) => {
                self.u8(1);
                self.u16(unit);
                self.u32(index);
            }
            Source::Port(unit, port) => {
                self.u8(2);
                self.u16(unit);
                self.u16(port);
            }
            Source::Constant(value) => {
                self.u8(3);
                self.u64(value);
            }
        }
    }

    fn destination(&mut self, destination: Destination) {
        match destination {
            Destination::Register(file, index) => {
                self.u8(0);
                self.u16(file);
                self.u32(index);
            }
            Destination::Port(unit, port) => {
                self.u8(1);
                self.u16(unit);
                self.u16(port);
            }
            Destination::Trigger(unit, port, operation) => {
                self.u8(2);
                self.u16(unit);
                self.u16(port);
                self.u16(operation);
            }
        }
    }

    fn function(&mut self, function: &Function) {
        self.text(&function.name);
        self.length(function.instructions.len());
        for instruction in &function.instructions {
            self.length(instruction.moves.len());
            for m in &instruction.moves {
                self.u16(m.bus);
                self.guard(m.guard);
                self.source(m.source);
                self.destination(m.destination);
            }
            self.length(instruction.longs.len());
            for (unit, index, value) in &instruction.longs {
                self.u16(*unit);
                self.u32(*index);
                self.u64(*value);
            }
        }
        self.length(function.relocations.len());
        for relocation in &function.relocations {
            self.u32(relocation.instruction);
            self.u8(u8::from(relocation.long));
            self.u16(relocation.position);
            self.option(relocation.symbol);
            self.u64(relocation.addend.cast_unsigned());
            self.u64(relocation.limit);
        }
        self.length(function.exits.len());
        for (instruction, result) in &function.exits {
            self.u32(*instruction);
            self.u8(u8::from(result.is_some()));
            let (file, index) = result.unwrap_or((0, 0));
            self.u16(file);
            self.u32(index);
        }
    }

    fn object(&mut self, object: &Object) {
        self.text(&object.name);
        self.u16(object.space);
        self.u32(object.align);
        self.length(object.bytes.len());
        self.0.extend_from_slice(&object.bytes);
        self.u64(object.size);
        self.length(object.relocations.len());
        for (offset, symbol, addend) in &object.relocations {
            self.u32(*offset);
            self.u32(*symbol);
            self.u32(*addend);
        }
    }
}
