//! Reads units out of any bytes.

use super::{
    Destination, Function, Guard, Instruction, MAGIC, Move, Needs, Object, Relocation, Source, Unit, VERSION,
};

/// Why bytes are no unit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// The magic is missing.
    #[error("this is no TTA unit")]
    Magic,
    /// Another version.
    #[error("the TTA unit has version {found}, this program reads version {VERSION}")]
    Version {
        /// The version found.
        found: u32,
    },
    /// The bytes end within a part.
    #[error("the TTA unit ends within {part}: {need} more bytes are needed, {left} are left")]
    TooShort {
        /// The part.
        part: &'static str,
        /// Bytes needed, at least.
        need: u64,
        /// Bytes left.
        left: u64,
    },
    /// Bytes behind the last part.
    #[error("{count} bytes follow the last part of the TTA unit")]
    Trailing {
        /// How many.
        count: u64,
    },
    /// A code that stands for nothing.
    #[error("{code} is no code for {part} of a TTA unit")]
    BadCode {
        /// The part.
        part: &'static str,
        /// The code.
        code: u32,
    },
    /// A name that is no UTF-8 text.
    #[error("a name in the TTA unit is not UTF-8 text")]
    BadName,
    /// A place or symbol that does not exist.
    #[error("the TTA unit refers to {part} {index}, which does not exist")]
    Missing {
        /// What.
        part: &'static str,
        /// Its number.
        index: u64,
    },
}

impl Unit {
    /// Reads a unit.
    ///
    /// # Errors
    ///
    /// The bytes are not what [`Unit::write`] gives.
    pub fn read(bytes: &[u8]) -> Result<Unit, UnitError> {
        let mut input = Reader { bytes };
        if input.take("the magic", 8).map_err(|_| UnitError::Magic)? != MAGIC {
            return Err(UnitError::Magic);
        }
        let found = input.u32("the version")?;
        if found != VERSION {
            return Err(UnitError::Version { found });
        }
        let mut unit = Unit::default();
        unit.machine.copy_from_slice(input.take("the machine's digest", 20)?);
        unit.entry = input.text("the entry")?;
        unit.needs = Needs {
            scratch_fixed: input.u64("the figures")?,
            scratch_per_item: input.u64("the figures")?,
            width: input.u32("the figures")?,
            stack: input.u64("the figures")?,
        };
        unit.locals = input.list("the local variables", 8, |i| i.u64("a local variable"))?;
        unit.clobbers = input.list("the clobbered registers", 6, |i| {
            Ok((i.u16("a clobbered register")?, i.u32("a clobbered register")?))
        })?;
        unit.symbols = input.list("the symbols", 9, |i| {
            let name = i.text("a symbol")?;
            let space = i.option("a symbol")?.map(|space| {
                let missing = UnitError::Missing { part: "address space", index: u64::from(space) };
                u16::try_from(space).map_err(|_| missing)
            });
            Ok((name, space.transpose()?))
        })?;
        let symbols = unit.symbols.len();
        unit.functions = input.list("the functions", 16, |i| i.function(symbols))?;
        unit.objects = input.list("the objects", 26, |i| i.object(symbols))?;
        if !input.bytes.is_empty() {
            return Err(UnitError::Trailing { count: input.bytes.len() as u64 });
        }
        Ok(unit)
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, part: &'static str, count: usize) -> Result<&'a [u8], UnitError> {
        let left = self.bytes.len() as u64;
        let short = UnitError::TooShort { part, need: count as u64, left };
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or(short)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, part: &'static str) -> Result<[u8; N], UnitError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(part, N)?);
        Ok(array)
    }

    fn u8(&mut self, part: &'static str) -> Result<u8, UnitError> {
        Ok(u8::from_le_bytes(self.array(part)?))
    }

    fn u16(&mut self, part: &'static str) -> Result<u16, UnitError> {
        Ok(u16::from_le_bytes(self.array(part)?))
    }

    fn u32(&mut self, part: &'static str) -> Result<u32, UnitError> {
        Ok(u32::from_le_bytes(self.array(part)?))
    }

    fn u64(&mut self, part: &'static str) -> Result<u64, UnitError> {
        Ok(u64::from_le_bytes(self.array(part)?))
    }

    fn text(&mut self, part: &'static str) -> Result<String, UnitError> {
        let length = self.u32(part)? as usize;
        let bytes = self.take(part, length)?;
        String::from_utf8(bytes.to_vec()).map_err(|_| UnitError::BadName)
    }

    fn flag(&mut self, part: &'static str) -> Result<bool, UnitError> {
        match self.u8(part)? {
            0 => Ok(false),
            1 => Ok(true),
            code => Err(UnitError::BadCode { part, code: u32::from(code) }),
        }
    }

    /// A number that may be missing; the field of a missing one is zero.
    fn option(&mut self, part: &'static str) -> Result<Option<u32>, UnitError> {
        let there = self.flag(part)?;
        let value = self.u32(part)?;
        match (there, value) {
            (true, _) => Ok(Some(value)),
            (false, 0) => Ok(None),
            (false, code) => Err(UnitError::BadCode { part, code }),
        }
    }

    /// A list whose elements have at least `least` bytes each: a length that cannot be is refused before memory is taken.
    fn list<T>(
        &mut self,
        part: &'static str,
        least: u64,
        mut element: impl FnMut(&mut Self) -> Result<T, UnitError>,
    ) -> Result<Vec<T>, UnitError> {
        let count = u64::from(self.u32(part)?);
        let left = self.bytes.len() as u64;
        if count * least > left {
            return Err(UnitError::TooShort { part, need: count * least, left });
        }
        (0..count).map(|_| element(self)).collect()
    }

    fn guard(&mut self) -> Result<Guard, UnitError> {
        const PART: &str = "a guard";
        Ok(match self.u8(PART)? {
            0 => Guard::Always,
            1 => Guard::Never,
            code @ (2 | 3) => {
                Guard::Register { file: self.u16(PART)?, index: self.u32(PART)?, inverted: code == 3 }
            }
            code @ (4 | 5) => {
                Guard::Port { unit: self.u16(PART)?, port: self.u16(PART)?, inverted: code == 5 }
            }
            code => return Err(UnitError::BadCode { part: PART, code: u32::from(code) }),
        })
    }

    fn source(&mut self) -> Result<Source, UnitError> {
        const PART: &str = "a source";
        Ok(match self.u8(PART)? {
            0 => Source::Register(self.u16(PART)?, self.u32(PART)?),
            1 => Source::Immediate(self.u16(PART)?, self.u32(PART)?),
            2 => Source::Port(self.u16(PART)?, self.u16(PART)?),
            3 => Source::Constant(self.u64(PART)?),
            code => return Err(UnitError::BadCode { part: PART, code: u32::from(code) }),
        })
    }

    fn destination(&mut self) -> Result<Destination, UnitError> {
        const PART: &str = "a destination";
        Ok(match self.u8(PART)? {
            0 => Destination::Register(self.u16(PART)?, self.u32(PART)?),
            1 => Destination::Port(self.u16(PART)?, self.u16(PART)?),
            2 => Destination::Trigger(self.u16(PART)?, self.u16(PART)?, self.u16(PART)?),
            code => return Err(UnitError::BadCode { part: PART, code: u32::from(code) }),
        })
    }

    fn instruction(&mut self) -> Result<Instruction, UnitError> {
        let moves = self.list("the moves", 12, |i| {
            Ok(Move {
                bus: i.u16("a move")?,
                guard: i.guard()?,
                source: i.source()?,
                destination: i.destination()?,
            })
        })?;
        let longs = self.list("the long immediates", 14, |i| {
            const PART: &str = "a long immediate";
            Ok((i.u16(PART)?, i.u32(PART)?, i.u64(PART)?))
        })?;
        Ok(Instruction { moves, longs })
    }

    fn function(&mut self, symbols: usize) -> Result<Function, UnitError> {
        let name = self.text("a function")?;
        let instructions = self.list("the instructions", 8, Self::instruction)?;
        let relocations = self.list("the relocations", 28, |i| {
            const PART: &str = "a relocation";
            let relocation = Relocation {
                instruction: i.u32(PART)?,
                long: i.flag(PART)?,
                position: i.u16(PART)?,
                symbol: i.option(PART)?,
                addend: i.u64(PART)?.cast_signed(),
                limit: i.u64(PART)?,
            };
            let index = u64::from(relocation.instruction);
            let place = instructions.get(relocation.instruction as usize);
            let place = place.ok_or(UnitError::Missing { part: "instruction", index })?;
            let count = if relocation.long { place.longs.len() } else { place.moves.len() };
            if usize::from(relocation.position) >= count {
                let index = u64::from(relocation.position);
                return Err(UnitError::Missing { part: "place for an address", index });
            }
            match relocation.symbol {
                Some(symbol) if symbol as usize >= symbols => {
                    Err(UnitError::Missing { part: "symbol", index: u64::from(symbol) })
                }
                _ => Ok(relocation),
            }
        })?;
        let exits = self.list("the exits", 11, |i| {
            const PART: &str = "an exit";
            let instruction = i.u32(PART)?;
            let there = i.flag(PART)?;
            let (file, index) = (i.u16(PART)?, i.u32(PART)?);
            if instruction as usize >= instructions.len() {
                return Err(UnitError::Missing { part: "instruction", index: u64::from(instruction) });
            }
            match (there, (file, index)) {
                (true, result) => Ok((instruction, Some(result))),
                (false, (0, 0)) => Ok((instruction, None)),
                (false, _) => Err(UnitError::BadCode { part: PART, code: index }),
            }
        })?;
        Ok(Function { name, instructions, relocations, exits })
    }

    fn object(&mut self, symbols: usize) -> Result<Object, UnitError> {
        const PART: &str = "an object";
        let name = self.text(PART)?;
        let (space, align) = (self.u16(PART)?, self.u32(PART)?);
        let length = self.u32(PART)? as usize;
        let bytes = self.take(PART, length)?.to_vec();
        let size = self.u64(PART)?;
        if size < bytes.len() as u64 {
            return Err(UnitError::Missing { part: "byte", index: size });
        }
        let relocations = self.list("the relocations of an object", 12, |i| {
            let (offset, symbol, addend) = (i.u32(PART)?, i.u32(PART)?, i.u32(PART)?);
            if u64::from(offset) + 4 > bytes.len() as u64 {
                return Err(UnitError::Missing { part: "byte", index: u64::from(offset) });
            }
            if symbol as usize >= symbols {
                return Err(UnitError::Missing { part: "symbol", index: u64::from(symbol) });
            }
            Ok((offset, symbol, addend))
        })?;
        Ok(Object { name, space, align, bytes, size, relocations })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Destination, Function, Guard, Instruction, Move, Object, Relocation, Source, Unit};
    use super::UnitError;

    pub(crate) fn sample() -> Unit {
        let m = Move {
            bus: 1,
            guard: Guard::Register { file: 2, index: 1, inverted: true },
            source: Source::Constant(0),
            destination: Destination::Trigger(3, 0, 1),
        };
        let place = Relocation {
            instruction: 0,
            long: true,
            position: 0,
            symbol: Some(0),
            addend: -4,
            limit: 0xffff,
        };
        let instruction = Instruction { moves: vec![m], longs: vec![(0, 1, 0)] };
        Unit {
            machine: [7; 20],
            entry: "oxcl_wg_k".to_owned(),
            locals: vec![64, 4],
            clobbers: vec![(0, 3)],
            symbols: vec![("table".to_owned(), Some(0)), ("helper".to_owned(), None)],
            functions: vec![Function {
                name: "oxcl_wg_k".to_owned(),
                instructions: vec![instruction, Instruction::default()],
                relocations: vec![place, Relocation { long: false, symbol: None, ..place }],
                exits: vec![(1, Some((0, 2)))],
            }],
            objects: vec![Object {
                name: "table".to_owned(),
                align: 4,
                bytes: vec![0; 8],
                size: 12,
                relocations: vec![(4, 1, 0)],
                ..Object::default()
            }],
            ..Unit::default()
        }
    }

    #[test]
    fn what_is_written_is_read_and_no_cut_is() {
        let unit = sample();
        let bytes = unit.write();
        assert_eq!(Unit::read(&bytes), Ok(unit));
        for length in 0..bytes.len() {
            assert!(Unit::read(&bytes[..length]).is_err(), "a cut at {length} is accepted");
        }
        let longer = [bytes.as_slice(), &[0]].concat();
        assert_eq!(Unit::read(&longer), Err(UnitError::Trailing { count: 1 }));
    }

    #[test]
    fn places_that_do_not_exist_are_refused() {
        let refused = |change: fn(&mut Unit)| {
            let mut unit = sample();
            change(&mut unit);
            matches!(Unit::read(&unit.write()), Err(UnitError::Missing { .. }))
        };
        assert!(refused(|u| u.functions[0].relocations[0].instruction = 2));
        assert!(refused(|u| u.functions[0].relocations[0].position = 1));
        assert!(refused(|u| u.functions[0].relocations[0].symbol = Some(2)));
        assert!(refused(|u| u.functions[0].exits[0].0 = 2));
        assert!(refused(|u| u.objects[0].size = 7));
        assert!(refused(|u| u.objects[0].relocations[0].0 = 5));
        assert!(refused(|u| u.objects[0].relocations[0].1 = 9));
    }
}
