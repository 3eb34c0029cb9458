//! Assembly text to a program.
//!
//! In: a text and the machine that it is for. Out: a program that the machine can execute, or the first line that is wrong.
//! Labels may be used before they are defined, so their uses are filled in at the end.

use super::lex::{Spot, Token, lex};
use super::operand::{self, Part, Term};
use super::{AsmError, AsmProblem};
use crate::check::problems;
use crate::model::{BusId, Guard, ImmediateUnitId, Machine, SpaceId, mask};
use crate::program::{
    DataArea, Exit, Instruction, LongImmediate, Move, Program, Source, Symbol, SymbolValue,
};
use std::collections::BTreeMap;

/// A value that is known, or that a label gives.
#[derive(Debug, Clone)]
enum Value {
    Known(u64),
    Label { name: String, offset: u64, line: usize },
}

/// A place whose value waits for the labels.
enum Patch {
    Move { instruction: usize, bus: BusId },
    Long { instruction: usize, unit: ImmediateUnitId, index: u32 },
    Data { area: usize, offset: usize, size: usize },
}

struct Parser<'a> {
    machine: &'a Machine,
    words: Vec<Spot>,
    at: usize,
    program: Program,
    labels: BTreeMap<String, u64>,
    patches: Vec<(Patch, Value)>,
    lines: Vec<usize>,
    pending: Vec<(String, usize)>,
}

/// Reads `text` as a program for `machine`.
///
/// # Errors
/// The first line that is malformed, names nothing, or asks for what the machine cannot do.
pub fn parse(machine: &Machine, text: &str) -> Result<Program, AsmError> {
    let mut parser = Parser {
        machine,
        words: lex(text)?,
        at: 0,
        program: Program::default(),
        labels: BTreeMap::new(),
        patches: Vec::new(),
        lines: Vec::new(),
        pending: Vec::new(),
    };
    parser.file()?;
    parser.patch()?;
    for (position, instruction) in parser.program.instructions.iter().enumerate() {
        if let Some(problem) = problems(machine, instruction).into_iter().next() {
            return Err(AsmError { line: parser.lines[position], problem: AsmProblem::Illegal { problem } });
        }
    }
    Ok(parser.program)
}

impl Parser<'_> {
    fn line(&self) -> usize {
        self.words.get(self.at).or(self.words.last()).map_or(1, |w| w.line)
    }

    fn fail<T>(&self, problem: AsmProblem) -> Result<T, AsmError> {
        Err(AsmError { line: self.line(), problem })
    }

    fn located<T>(&self, result: Result<T, AsmProblem>) -> Result<T, AsmError> {
        result.map_err(|problem| AsmError { line: self.line(), problem })
    }

    fn peek(&self) -> Option<&Token> {
        self.words.get(self.at).map(|w| &w.token)
    }

    fn peek_at(&self, distance: usize) -> Option<&Token> {
        self.words.get(self.at + distance).map(|w| &w.token)
    }

    fn is(&self, mark: char) -> bool {
        self.peek() == Some(&Token::Mark(mark))
    }

    fn take(&mut self, mark: char) -> bool {
        let found = self.is(mark);
        self.at += usize::from(found);
        found
    }

    fn expected<T>(&self, wanted: &'static str) -> Result<T, AsmError> {
        let found = self.peek().map_or("the end of the file".to_owned(), Token::shown);
        self.fail(AsmProblem::Expected { wanted, found })
    }

    fn need(&mut self, mark: char, wanted: &'static str) -> Result<(), AsmError> {
        if self.take(mark) { Ok(()) } else { self.expected(wanted) }
    }

    fn name(&mut self, wanted: &'static str) -> Result<String, AsmError> {
        match self.peek() {
            Some(Token::Name(name)) => {
                let name = name.clone();
                self.at += 1;
                Ok(name)
            }
            _ => self.expected(wanted),
        }
    }

    fn number(&mut self) -> Option<u64> {
        let Some(Token::Number(value, _)) = self.peek() else { return None };
        let value = *value;
        self.at += 1;
        Some(value)
    }

    /// Areas. An area begins with its word, which no line of an area can begin with.
    fn file(&mut self) -> Result<(), AsmError> {
        while self.at < self.words.len() {
            match self.name("'CODE' or 'DATA'")?.as_str() {
                "CODE" => {
                    if self.number().is_some_and(|first| first != 0) {
                        return self.fail(AsmProblem::Unsupported { feature: "code that begins after 0" });
                    }
                    self.need(';', "';'")?;
                    while self.at < self.words.len() && !self.area_begins() {
                        self.code_line()?;
                    }
                    let end = self.program.instructions.len() as u64;
                    self.define(|_| None, end)?;
                }
                "DATA" => self.data_area()?,
                _ => {
                    self.at -= 1;
                    return self.expected("'CODE' or 'DATA'");
                }
            }
        }
        Ok(())
    }

    fn area_begins(&self) -> bool {
        let Some(Token::Name(word)) = self.peek() else { return false };
        match word.as_str() {
            "CODE" => matches!(self.peek_at(1), Some(Token::Number(..) | Token::Mark(';'))),
            "DATA" => matches!(self.peek_at(1), Some(Token::Name(_))),
            _ => false,
        }
    }

    /// Gives the labels that wait the value of the place reached.
    fn define(&mut self, data: impl Fn(u64) -> Option<SpaceId>, at: u64) -> Result<(), AsmError> {
        for (name, line) in std::mem::take(&mut self.pending) {
            let value = match data(at) {
                Some(space) => SymbolValue::Data { space, address: at },
                None => SymbolValue::Code(u32::try_from(at).unwrap_or(u32::MAX)),
            };
            if self.labels.insert(name.clone(), at).is_some() {
                return Err(AsmError { line, problem: AsmProblem::DuplicateLabel { name } });
            }
            self.program.symbols.push(Symbol { name, value });
        }
        Ok(())
    }

    /// `:name arguments ;`
    fn directive(&mut self) -> Result<(), AsmError> {
        let here = u32::try_from(self.program.instructions.len()).unwrap_or(u32::MAX);
        match self.name("the name of a directive")?.as_str() {
            "entry" => self.program.entry = here,
            "halt" => {
                let result = match self.peek() {
                    Some(Token::Name(_)) => {
                        let term = self.term()?;
                        match self.located(operand::resolve(self.machine, &term))? {
                            Some(Part::Register(file, index)) => Some((file, index)),
                            _ => {
                                let name = term.shown();
                                return self.fail(AsmProblem::WrongRole { name, role: "program's result" });
                            }
                        }
                    }
                    _ => None,
                };
                self.program.exits.push(Exit { instruction: here, result });
            }
            // Linkage says nothing here: every label is known to the whole program.
            "procedure" | "global" | "extern" => {
                self.name("a label")?;
            }
            _ => {
                self.at -= 1;
                return self.expected("'entry', 'halt', 'procedure', 'global' or 'extern'");
            }
        }
        self.need(';', "';'")
    }

    /// Labels before a line; true if the words went on to a directive, which is then read.
    fn labels(&mut self) -> Result<bool, AsmError> {
        loop {
            if self.take(':') {
                self.directive()?;
                return Ok(true);
            }
            match (self.peek(), self.peek_at(1)) {
                (Some(Token::Name(name)), Some(Token::Mark(':'))) => {
                    let name = name.clone();
                    self.pending.push((name, self.line()));
                    self.at += 2;
                }
                _ => return Ok(false),
            }
        }
    }

    fn code_line(&mut self) -> Result<(), AsmError> {
        if self.labels()? || self.at >= self.words.len() || self.area_begins() {
            return Ok(());
        }
        let position = self.program.instructions.len();
        self.define(|_| None, position as u64)?;
        let line = self.line();
        let buses = self.machine.buses.len();
        let mut instruction = Instruction::default();
        let mut longs: BTreeMap<(u16, u32), Vec<Value>> = BTreeMap::new();
        let mut slots = 0;
        loop {
            let bus = BusId(u16::try_from(slots).unwrap_or(u16::MAX));
            slots += 1;
            if self.peek() == Some(&Token::Empty) {
                self.at += 1;
            } else if self.is('[') {
                self.long(&mut longs)?;
            } else if slots > buses {
                return self.fail(AsmProblem::SlotCount { found: slots, buses });
            } else {
                let value = self.transport(bus, &mut instruction)?;
                if let Some(value @ Value::Label { .. }) = value {
                    self.patches.push((Patch::Move { instruction: position, bus }, value));
                }
            }
            self.annotation(&mut instruction)?;
            while self.is('[') {
                self.long(&mut longs)?;
            }
            if !self.take(',') {
                break;
            }
        }
        self.need(';', "',' or ';'")?;
        // A whole line may be written as one empty slot.
        let empty = instruction.moves.is_empty();
        if slots != buses && !(slots == 1 && empty) {
            return Err(AsmError { line, problem: AsmProblem::SlotCount { found: slots, buses } });
        }
        for ((unit, index), values) in longs {
            let id = ImmediateUnitId(unit);
            let facts = &self.machine.immediate_units[id.index()];
            let [value] = values.as_slice() else {
                let problem =
                    AsmProblem::LongValues { name: format!("{}.{index}", facts.name), count: values.len() };
                return Err(AsmError { line, problem });
            };
            let known = match value {
                Value::Known(known) => known & mask(facts.width),
                Value::Label { .. } => {
                    let patch = Patch::Long { instruction: position, unit: id, index };
                    self.patches.push((patch, value.clone()));
                    0
                }
            };
            instruction.immediates.push(LongImmediate { unit: id, index, value: known });
        }
        self.program.instructions.push(instruction);
        self.lines.push(line);
        Ok(())
    }

    /// `{...}`: `{from N}` names the instruction whose result the move reads; anything else is skipped.
    fn annotation(&mut self, instruction: &mut Instruction) -> Result<(), AsmError> {
        while self.take('{') {
            if self.peek() == Some(&Token::Name("from".to_owned())) {
                self.at += 1;
                let producer = self.number().and_then(|n| u32::try_from(n).ok());
                match (producer, instruction.moves.last_mut()) {
                    (Some(number), Some(last)) => last.producer = Some(number),
                    _ => return self.expected("the number of an instruction, behind a move"),
                }
            }
            while !self.is('}') {
                if self.at >= self.words.len() {
                    return self.expected("'}'");
                }
                self.at += 1;
            }
            self.at += 1;
        }
        Ok(())
    }

    /// `[unit.index=value]` or, for the slots beside the one with the value, `[unit.index]`.
    fn long(&mut self, longs: &mut BTreeMap<(u16, u32), Vec<Value>>) -> Result<(), AsmError> {
        self.need('[', "'['")?;
        let term = self.term()?;
        let part = self.located(operand::resolve(self.machine, &term))?;
        let Some(Part::Immediate(unit, index)) = part else {
            return self.fail(AsmProblem::UnknownName { name: term.shown() });
        };
        let values = longs.entry((unit.0, index)).or_default();
        let value = if self.take('=') { Some(self.value()?) } else { None };
        values.extend(value);
        self.need(']', "']'")
    }

    /// A dotted name.
    fn term(&mut self) -> Result<Term, AsmError> {
        let mut words = vec![self.name("a name")?];
        while self.is('.') {
            match self.peek_at(1) {
                Some(Token::Name(name)) => {
                    words.push(name.clone());
                    self.at += 2;
                }
                Some(Token::Number(number, _)) => {
                    let number = *number;
                    self.at += 2;
                    return Ok(Term { words, number: Some(number) });
                }
                _ => break,
            }
        }
        Ok(Term { words, number: None })
    }

    /// A number, or a label with an optional offset. `label=number` gives the number.
    fn value(&mut self) -> Result<Value, AsmError> {
        if let Some(number) = self.number() {
            return Ok(Value::Known(number));
        }
        let line = self.line();
        let name = self.name("a number or a label")?;
        self.label(name, line)
    }

    fn label(&mut self, name: String, line: usize) -> Result<Value, AsmError> {
        if self.take('=') {
            return match self.number() {
                Some(number) => Ok(Value::Known(number)),
                None => self.expected("a number"),
            };
        }
        let offset = if self.take('+') {
            match self.number() {
                Some(number) => number,
                None => return self.expected("a number"),
            }
        } else {
            match self.peek() {
                Some(Token::Number(value, None)) if value.cast_signed() < 0 => {
                    let value = *value;
                    self.at += 1;
                    value
                }
                _ => 0,
            }
        };
        Ok(Value::Label { name, offset, line })
    }

    /// `[guard] source -> destination`; gives the value that waits for a label.
    fn transport(&mut self, bus: BusId, into: &mut Instruction) -> Result<Option<Value>, AsmError> {
        let guard = if self.is('?') || self.is('!') {
            let inverted = self.is('!');
            self.at += 1;
            let term = self.term()?;
            match self.located(operand::resolve(self.machine, &term))? {
                Some(part) => {
                    let source = self.located(operand::guard(&term, &part))?;
                    Guard::If { source, inverted }
                }
                None if !inverted && term.shown() == "never" => Guard::Never,
                None => return self.fail(AsmProblem::UnknownName { name: term.shown() }),
            }
        } else {
            Guard::Always
        };
        if self.is('{') {
            return self.fail(AsmProblem::Unsupported { feature: "a bridge between buses" });
        }
        let mut waiting = None;
        let source = if let Some(number) = self.number() {
            Source::Constant(self.widened(bus, number))
        } else {
            let line = self.line();
            let term = self.term()?;
            match self.located(operand::resolve(self.machine, &term))? {
                Some(part) => self.located(operand::source(&term, &part))?,
                None if term.words.len() == 1 && term.number.is_none() => {
                    match self.label(term.shown(), line)? {
                        Value::Known(number) => Source::Constant(self.widened(bus, number)),
                        value => {
                            waiting = Some(value);
                            Source::Constant(0)
                        }
                    }
                }
                None => return self.fail(AsmProblem::UnknownName { name: term.shown() }),
            }
        };
        if self.peek() != Some(&Token::Arrow) {
            return self.expected("'->'");
        }
        self.at += 1;
        let term = self.term()?;
        let Some(part) = self.located(operand::resolve(self.machine, &term))? else {
            return self.fail(AsmProblem::UnknownName { name: term.shown() });
        };
        let destination = self.located(operand::destination(self.machine, &term, &part))?;
        into.moves.push(Move { bus, guard, source, destination, producer: None });
        Ok(waiting)
    }

    /// A literal as its bus carries it: cut to the bus.
    fn widened(&self, bus: BusId, value: u64) -> u64 {
        self.machine.buses.get(bus.index()).map_or(value, |b| value & mask(b.width))
    }

    fn data_area(&mut self) -> Result<(), AsmError> {
        let name = self.name("the name of an address space")?;
        let Some((space, facts)) = self.machine.spaces().find(|(_, s)| s.name == name) else {
            return self.fail(AsmProblem::UnknownName { name });
        };
        if facts.unit_width != 8 {
            return self
                .fail(AsmProblem::Unsupported { feature: "data in a space whose units are not bytes" });
        }
        let start = self.number().unwrap_or(facts.min_address);
        self.need(';', "';'")?;
        let area = self.program.data.len();
        let mut bytes = Vec::new();
        self.program.data.push(DataArea { space, start, bytes: Vec::new() });
        while self.at < self.words.len() && !self.area_begins() {
            if self.labels()? || self.at >= self.words.len() || self.area_begins() {
                continue;
            }
            self.define(|_| Some(space), start.saturating_add(bytes.len() as u64))?;
            self.data_line(area, &mut bytes)?;
        }
        self.define(|_| Some(space), start.saturating_add(bytes.len() as u64))?;
        let end = start.checked_add(bytes.len() as u64);
        if end.is_none_or(|end| end > facts.max_address.saturating_add(1)) {
            return self.fail(AsmProblem::Data { reason: "it ends beyond its address space" });
        }
        self.program.data[area].bytes = bytes;
        Ok(())
    }

    /// `DA size [n:]value ... ;`
    fn data_line(&mut self, area: usize, bytes: &mut Vec<u8>) -> Result<(), AsmError> {
        if self.peek() != Some(&Token::Name("DA".to_owned())) {
            return self.expected("'DA'");
        }
        self.at += 1;
        let size = match self.number().and_then(|n| usize::try_from(n).ok()) {
            Some(size) if size <= 1 << 30 => size,
            Some(_) => return self.fail(AsmProblem::Data { reason: "it is larger than 1 GiB" }),
            None => return self.expected("a size"),
        };
        let begin = bytes.len();
        let mut first = true;
        while !self.take(';') {
            if let Some(Token::Text(text)) = self.peek() {
                bytes.extend_from_slice(text);
                self.at += 1;
                first = false;
                continue;
            }
            let width = match (self.peek(), self.peek_at(1)) {
                (Some(Token::Number(width, _)), Some(Token::Mark(':'))) => {
                    let width = *width;
                    self.at += 2;
                    Some(width)
                }
                _ => None,
            };
            let value = self.value()?;
            // One value alone fills the whole size; several are a unit each unless they say otherwise.
            let alone = first && self.is(';');
            let width = match width {
                Some(width) => usize::try_from(width).unwrap_or(usize::MAX),
                None if alone => size,
                None => 1,
            };
            first = false;
            if width > size {
                return self.fail(AsmProblem::Data { reason: "a value is larger than the whole" });
            }
            let offset = bytes.len();
            bytes.resize(offset + width, 0);
            match value {
                Value::Known(known) => self.place(bytes, offset, width, known),
                waiting => self.patches.push((Patch::Data { area, offset, size: width }, waiting)),
            }
        }
        if bytes.len() - begin > size {
            return self.fail(AsmProblem::Data { reason: "the values are larger than the size" });
        }
        bytes.resize(begin + size, 0);
        Ok(())
    }

    /// Writes a value in the machine's order of bytes, its sign repeated beyond 64 bits.
    fn place(&self, bytes: &mut [u8], offset: usize, size: usize, value: u64) {
        let extended = i128::from(value.cast_signed()).to_le_bytes();
        let fill = extended[15];
        for position in 0..size {
            let byte = extended.get(position).copied().unwrap_or(fill);
            let at = if self.machine.little_endian { position } else { size - 1 - position };
            bytes[offset + at] = byte;
        }
    }

    fn patch(&mut self) -> Result<(), AsmError> {
        for (patch, value) in std::mem::take(&mut self.patches) {
            let Value::Label { name, offset, line } = value else { continue };
            let Some(base) = self.labels.get(&name) else {
                return Err(AsmError { line, problem: AsmProblem::UnknownName { name } });
            };
            let value = base.wrapping_add(offset);
            match patch {
                Patch::Move { instruction, bus } => {
                    let value = self.widened(bus, value);
                    let moves = &mut self.program.instructions[instruction].moves;
                    for m in moves.iter_mut().filter(|m| m.bus == bus) {
                        m.source = Source::Constant(value);
                    }
                }
                Patch::Long { instruction, unit, index } => {
                    let width = self.machine.immediate_units[unit.index()].width;
                    let longs = &mut self.program.instructions[instruction].immediates;
                    for i in longs.iter_mut().filter(|i| i.unit == unit && i.index == index) {
                        i.value = value & mask(width);
                    }
                }
                Patch::Data { area, offset, size } => {
                    let mut bytes = std::mem::take(&mut self.program.data[area].bytes);
                    self.place(&mut bytes, offset, size, value);
                    self.program.data[area].bytes = bytes;
                }
            }
        }
        Ok(())
    }
}
