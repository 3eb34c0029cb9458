//! Program images: a machine and a program for it in one file, `.ttaimg`.
//!
//! Layout, all numbers little-endian: the magic, the version, the SHA-1 of everything after it, the machine as ADF text,
//! then instructions, entry, exits, data and symbols, each list behind its length. The reader trusts nothing: lengths are
//! checked against what is left, indices against the machine, and the program against what the machine can execute.

use crate::adf;
use crate::check::{Illegal, check};
use crate::model::{BusId, FileId, Guard, GuardSource, ImmediateUnitId, Machine, SpaceId, UnitId};
use crate::program::{
    DataArea, Destination, Exit, Instruction, LongImmediate, Move, Program, Source, Symbol, SymbolValue,
};
use sha1::{Digest, Sha1};
use std::sync::Arc;

/// The first bytes of every image.
pub const MAGIC: &[u8; 8] = b"ttaimg\r\n";
/// The version that is written, and the only one that is read.
pub const VERSION: u32 = 1;

/// A machine and a program for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// The machine.
    pub machine: Arc<Machine>,
    /// The program.
    pub program: Program,
}

/// Why bytes are no image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The magic is missing.
    #[error("this is not a TTA program image")]
    Magic,
    /// Another version.
    #[error("the image has version {found}; this program reads version {VERSION}")]
    Version {
        /// The version found.
        found: u32,
    },
    /// The checksum differs.
    #[error("the image is damaged: its checksum does not match its contents")]
    Checksum,
    /// The bytes end within a part.
    #[error("the image ends within {part}: {need} more bytes are needed, {left} are left")]
    TooShort {
        /// The part.
        part: &'static str,
        /// Bytes needed.
        need: usize,
        /// Bytes left.
        left: usize,
    },
    /// Bytes behind the last part.
    #[error("{count} bytes follow the last part")]
    Trailing {
        /// How many.
        count: usize,
    },
    /// A code that stands for nothing.
    #[error("{code} is no code for {part}")]
    BadCode {
        /// The part.
        part: &'static str,
        /// The code.
        code: u8,
    },
    /// A name that is no UTF-8 text.
    #[error("a name is not UTF-8 text")]
    BadName,
    /// An index or address that does not exist.
    #[error("{part} {index} does not exist")]
    OutOfRange {
        /// The part.
        part: &'static str,
        /// The index.
        index: u64,
    },
    /// The machine inside cannot be loaded.
    #[error("the machine in the image cannot be loaded: {0}")]
    Machine(#[from] adf::AdfError),
    /// The machine cannot execute the program.
    #[error(transparent)]
    Illegal(#[from] Illegal),
}

/// The digest that names a machine: the SHA-1 of its canonical ADF text.
#[must_use]
pub fn digest(machine: &Machine) -> [u8; 20] {
    Sha1::digest(adf::write(machine).as_bytes()).into()
}

/// Writes an image.
#[must_use]
pub fn write(image: &Image) -> Vec<u8> {
    let mut out = Writer { bytes: Vec::new() };
    out.text(&adf::write(&image.machine));
    let program = &image.program;
    out.length(program.instructions.len());
    for instruction in &program.instructions {
        out.instruction(instruction);
    }
    out.u32(program.entry);
    out.length(program.exits.len());
    for exit in &program.exits {
        out.u32(exit.instruction);
        out.u8(u8::from(exit.result.is_some()));
        if let Some((file, index)) = exit.result {
            out.u16(file.0);
            out.u32(index);
        }
    }
    out.length(program.data.len());
    for area in &program.data {
        out.u16(area.space.0);
        out.u64(area.start);
        out.length(area.bytes.len());
        out.bytes.extend_from_slice(&area.bytes);
    }
    out.length(program.symbols.len());
    for symbol in &program.symbols {
        out.text(&symbol.name);
        match symbol.value {
            SymbolValue::Code(at) => {
                out.u8(0);
                out.u32(at);
            }
            SymbolValue::Data { space, address } => {
                out.u8(1);
                out.u16(space.0);
                out.u64(address);
            }
        }
    }
    let mut file = MAGIC.to_vec();
    file.extend_from_slice(&VERSION.to_le_bytes());
    file.extend_from_slice(&Sha1::digest(&out.bytes));
    file.extend_from_slice(&out.bytes);
    file
}

struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    fn u16(&mut self, value: u16) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    fn length(&mut self, value: usize) {
        self.u64(value as u64);
    }

    fn text(&mut self, text: &str) {
        self.length(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn instruction(&mut self, instruction: &Instruction) {
        self.length(instruction.moves.len());
        for m in &instruction.moves {
            self.u16(m.bus.0);
            self.guard(m.guard);
            match m.source {
                Source::Register { file, index } => self.indexed(0, file.0, index),
                Source::Immediate { unit, index } => self.indexed(1, unit.0, index),
                Source::Port { unit, port } => self.indexed(2, unit.0, u32::from(port)),
                Source::Constant(value) => {
                    self.u8(3);
                    self.u64(value);
                }
            }
            match m.destination {
                Destination::Register { file, index } => self.indexed(0, file.0, index),
                Destination::Port { unit, port, operation: None } => {
                    self.indexed(1, unit.0, u32::from(port));
                }
                Destination::Port { unit, port, operation: Some(operation) } => {
                    self.indexed(2, unit.0, u32::from(port));
                    self.u16(operation);
                }
            }
            self.u8(u8::from(m.producer.is_some()));
            if let Some(producer) = m.producer {
                self.u32(producer);
            }
        }
        self.length(instruction.immediates.len());
        for immediate in &instruction.immediates {
            self.u16(immediate.unit.0);
            self.u32(immediate.index);
            self.u64(immediate.value);
        }
    }

    fn indexed(&mut self, code: u8, part: u16, index: u32) {
        self.u8(code);
        self.u16(part);
        self.u32(index);
    }

    fn guard(&mut self, guard: Guard) {
        match guard {
            Guard::Always => self.u8(0),
            Guard::Never => self.u8(1),
            Guard::If { source, inverted } => {
                let inverted = u8::from(inverted);
                match source {
                    GuardSource::Register { file, index } => self.indexed(2 + inverted, file.0, index),
                    GuardSource::Port { unit, port } => self.indexed(4 + inverted, unit.0, u32::from(port)),
                }
            }
        }
    }
}

/// Reads an image.
///
/// # Errors
/// The first thing that is missing, damaged, out of range, or more than the machine can execute.
pub fn read(file: &[u8]) -> Result<Image, ImageError> {
    let mut input = Reader { bytes: file };
    if input.take(MAGIC.len(), "the magic").map_err(|_| ImageError::Magic)? != MAGIC {
        return Err(ImageError::Magic);
    }
    let version = input.u32("the version")?;
    if version != VERSION {
        return Err(ImageError::Version { found: version });
    }
    let stored = input.take(20, "the checksum")?;
    if stored != Sha1::digest(input.bytes).as_slice() {
        return Err(ImageError::Checksum);
    }
    let machine = adf::read(input.text("the machine")?)?.machine;
    let mut program = Program::default();
    for _ in 0..input.length("instructions", 16)? {
        program.instructions.push(input.instruction()?);
    }
    let count = program.instructions.len() as u64;
    program.entry = input.u32("the entry")?;
    if u64::from(program.entry) > count {
        return Err(ImageError::OutOfRange { part: "instruction", index: u64::from(program.entry) });
    }
    for _ in 0..input.length("exits", 5)? {
        program.exits.push(input.exit(&machine, count)?);
    }
    for _ in 0..input.length("data areas", 18)? {
        program.data.push(input.data_area(&machine)?);
    }
    for _ in 0..input.length("symbols", 13)? {
        program.symbols.push(input.symbol(&machine, count)?);
    }
    if !input.bytes.is_empty() {
        return Err(ImageError::Trailing { count: input.bytes.len() });
    }
    if let Some(first) = check(&machine, &program, 1).into_iter().next() {
        return Err(first.into());
    }
    Ok(Image { machine: Arc::new(machine), program })
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize, part: &'static str) -> Result<&'a [u8], ImageError> {
        match self.bytes.split_at_checked(count) {
            Some((head, tail)) => {
                self.bytes = tail;
                Ok(head)
            }
            None => Err(ImageError::TooShort { part, need: count, left: self.bytes.len() }),
        }
    }

    fn array<const N: usize>(&mut self, part: &'static str) -> Result<[u8; N], ImageError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N, part)?);
        Ok(array)
    }

    fn u8(&mut self, part: &'static str) -> Result<u8, ImageError> {
        self.array::<1>(part).map(|[byte]| byte)
    }

    fn u16(&mut self, part: &'static str) -> Result<u16, ImageError> {
        self.array(part).map(u16::from_le_bytes)
    }

    fn u32(&mut self, part: &'static str) -> Result<u32, ImageError> {
        self.array(part).map(u32::from_le_bytes)
    }

    fn u64(&mut self, part: &'static str) -> Result<u64, ImageError> {
        self.array(part).map(u64::from_le_bytes)
    }

    /// The length of a list whose items have at least `least` bytes: so a length cannot ask for more than is left.
    fn length(&mut self, part: &'static str, least: usize) -> Result<usize, ImageError> {
        let count = self.u64(part)?;
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let need = count.saturating_mul(least);
        if need > self.bytes.len() {
            return Err(ImageError::TooShort { part, need, left: self.bytes.len() });
        }
        Ok(count)
    }

    fn text(&mut self, part: &'static str) -> Result<&'a str, ImageError> {
        let length = self.length(part, 1)?;
        std::str::from_utf8(self.take(length, part)?).map_err(|_| ImageError::BadName)
    }

    fn indexed(&mut self, part: &'static str) -> Result<(u16, u32), ImageError> {
        Ok((self.u16(part)?, self.u32(part)?))
    }

    fn port(&mut self) -> Result<(UnitId, u16), ImageError> {
        let (unit, port) = self.indexed("a port")?;
        let port = u16::try_from(port)
            .map_err(|_| ImageError::OutOfRange { part: "port", index: u64::from(port) })?;
        Ok((UnitId(unit), port))
    }

    fn guard(&mut self) -> Result<Guard, ImageError> {
        let code = self.u8("a guard")?;
        let (source, inverted) = match code {
            0 => return Ok(Guard::Always),
            1 => return Ok(Guard::Never),
            2 | 3 => {
                let (file, index) = self.indexed("a guard")?;
                (GuardSource::Register { file: FileId(file), index }, code == 3)
            }
            4 | 5 => {
                let (unit, port) = self.port()?;
                (GuardSource::Port { unit, port }, code == 5)
            }
            code => return Err(ImageError::BadCode { part: "a guard", code }),
        };
        Ok(Guard::If { source, inverted })
    }

    fn instruction(&mut self) -> Result<Instruction, ImageError> {
        let mut instruction = Instruction::default();
        for _ in 0..self.length("moves", 18)? {
            let bus = BusId(self.u16("a move")?);
            let guard = self.guard()?;
            let source = match self.u8("a source")? {
                0 => {
                    let (file, index) = self.indexed("a source")?;
                    Source::Register { file: FileId(file), index }
                }
                1 => {
                    let (unit, index) = self.indexed("a source")?;
                    Source::Immediate { unit: ImmediateUnitId(unit), index }
                }
                2 => {
                    let (unit, port) = self.port()?;
                    Source::Port { unit, port }
                }
                3 => Source::Constant(self.u64("a source")?),
                code => return Err(ImageError::BadCode { part: "a source", code }),
            };
            let destination = match self.u8("a destination")? {
                0 => {
                    let (file, index) = self.indexed("a destination")?;
                    Destination::Register { file: FileId(file), index }
                }
                1 => {
                    let (unit, port) = self.port()?;
                    Destination::Port { unit, port, operation: None }
                }
                2 => {
                    let (unit, port) = self.port()?;
                    Destination::Port { unit, port, operation: Some(self.u16("an operation")?) }
                }
                code => return Err(ImageError::BadCode { part: "a destination", code }),
            };
            let producer = match self.u8("a move")? {
                0 => None,
                1 => Some(self.u32("a move")?),
                code => return Err(ImageError::BadCode { part: "a producer", code }),
            };
            instruction.moves.push(Move { bus, guard, source, destination, producer });
        }
        for _ in 0..self.length("long immediates", 14)? {
            let (unit, index) = self.indexed("a long immediate")?;
            let value = self.u64("a long immediate")?;
            instruction.immediates.push(LongImmediate { unit: ImmediateUnitId(unit), index, value });
        }
        Ok(instruction)
    }

    fn exit(&mut self, machine: &Machine, instructions: u64) -> Result<Exit, ImageError> {
        let instruction = self.u32("an exit")?;
        if u64::from(instruction) >= instructions {
            return Err(ImageError::OutOfRange { part: "instruction", index: u64::from(instruction) });
        }
        let result = match self.u8("an exit")? {
            0 => None,
            1 => {
                let (file, index) = self.indexed("an exit")?;
                if machine.register_files.get(usize::from(file)).is_none_or(|f| index >= f.size) {
                    return Err(ImageError::OutOfRange { part: "register", index: u64::from(index) });
                }
                Some((FileId(file), index))
            }
            code => return Err(ImageError::BadCode { part: "an exit", code }),
        };
        Ok(Exit { instruction, result })
    }

    fn space(&mut self, machine: &Machine) -> Result<SpaceId, ImageError> {
        let space = self.u16("an address space")?;
        if usize::from(space) >= machine.spaces.len() {
            return Err(ImageError::OutOfRange { part: "address space", index: u64::from(space) });
        }
        Ok(SpaceId(space))
    }

    fn data_area(&mut self, machine: &Machine) -> Result<DataArea, ImageError> {
        let space = self.space(machine)?;
        let start = self.u64("a data area")?;
        let length = self.length("a data area", 1)?;
        let bytes = self.take(length, "a data area")?.to_vec();
        let facts = &machine.spaces[space.index()];
        let end = start.checked_add(length as u64);
        if start < facts.min_address || end.is_none_or(|end| end > facts.max_address.saturating_add(1)) {
            return Err(ImageError::OutOfRange { part: "address", index: start });
        }
        Ok(DataArea { space, start, bytes })
    }

    fn symbol(&mut self, machine: &Machine, instructions: u64) -> Result<Symbol, ImageError> {
        let name = self.text("a symbol")?.to_owned();
        let value = match self.u8("a symbol")? {
            0 => {
                let at = self.u32("a symbol")?;
                if u64::from(at) > instructions {
                    return Err(ImageError::OutOfRange { part: "instruction", index: u64::from(at) });
                }
                SymbolValue::Code(at)
            }
            1 => {
                let space = self.space(machine)?;
                SymbolValue::Data { space, address: self.u64("a symbol")? }
            }
            code => return Err(ImageError::BadCode { part: "a symbol", code }),
        };
        Ok(Symbol { name, value })
    }
}
