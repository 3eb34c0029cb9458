//! Words to instructions.
//!
//! In: the bytes of a module, of either order. Out: its instructions with the word that each begins at, operands told
//! apart by the grammar. Lengths are checked here first: the parser behind trusts them.

use oxcl_binary::il::is_spirv;
use rspirv::binary::{Consumer, ParseAction, ParseState, parse_words};
use rspirv::dr::{ModuleHeader, Operand};
use rspirv::spirv::{self, Op};

use crate::error::{Result, SpirvError, invalid, malformed};

/// Words before the first instruction.
const HEADER: usize = 5;
/// The largest bound of ids that a module may have, by the specification's universal limits.
pub(crate) const MOST_IDS: u32 = 0x3F_FFFF;

/// The widths of integers that OpenCL C has types for.
pub(crate) const COMMON_WIDTHS: [u32; 4] = [8, 16, 32, 64];

/// One instruction.
#[derive(Debug, Clone)]
pub(crate) struct Instruction {
    /// The word that it begins at.
    pub(crate) word: usize,
    pub(crate) op: Op,
    pub(crate) name: &'static str,
    /// The type of the result.
    pub(crate) ty: Option<u32>,
    /// The result.
    pub(crate) id: Option<u32>,
    pub(crate) operands: Vec<Operand>,
}

impl Instruction {
    /// The result's type.
    pub(crate) fn result_type(&self) -> Result<u32> {
        self.ty.ok_or_else(|| malformed(self.word, format!("Op{} has no type", self.name)))
    }

    /// The result.
    pub(crate) fn result(&self) -> Result<u32> {
        self.id.ok_or_else(|| malformed(self.word, format!("Op{} has no result", self.name)))
    }

    fn lacks(&self, index: usize, what: &str) -> SpirvError {
        malformed(self.word, format!("operand {index} of Op{} is no {what}", self.name))
    }

    /// An operand that is an id.
    pub(crate) fn id_at(&self, index: usize) -> Result<u32> {
        let id = self.operands.get(index).and_then(Operand::id_ref_any);
        id.ok_or_else(|| self.lacks(index, "id"))
    }

    /// The ids from an operand on.
    pub(crate) fn ids_from(&self, index: usize) -> Result<Vec<u32>> {
        (index..self.operands.len()).map(|index| self.id_at(index)).collect()
    }

    /// An operand that is a number of 32 bits.
    pub(crate) fn number_at(&self, index: usize) -> Result<u32> {
        match self.operands.get(index) {
            Some(Operand::LiteralBit32(number) | Operand::LiteralExtInstInteger(number)) => Ok(*number),
            _ => Err(self.lacks(index, "number")),
        }
    }

    /// A number among the operands of an extended instruction, which the grammar takes for ids.
    pub(crate) fn literal_at(&self, index: usize) -> Result<u32> {
        self.id_at(index).or_else(|_| self.number_at(index))
    }

    /// The numbers from an operand on.
    pub(crate) fn numbers_from(&self, index: usize) -> Result<Vec<u32>> {
        (index..self.operands.len()).map(|index| self.number_at(index)).collect()
    }

    /// An operand that is a number of up to 64 bits.
    pub(crate) fn wide_number_at(&self, index: usize) -> Result<u64> {
        match self.operands.get(index) {
            Some(Operand::LiteralBit32(number)) => Ok(u64::from(*number)),
            Some(Operand::LiteralBit64(number)) => Ok(*number),
            _ => Err(self.lacks(index, "number")),
        }
    }

    /// An operand that is a text.
    pub(crate) fn text_at(&self, index: usize) -> Result<&str> {
        match self.operands.get(index) {
            Some(Operand::LiteralString(text)) => Ok(text),
            _ => Err(self.lacks(index, "text")),
        }
    }

    /// An operand that is a storage class.
    pub(crate) fn storage_at(&self, index: usize) -> Result<spirv::StorageClass> {
        match self.operands.get(index) {
            Some(Operand::StorageClass(class)) => Ok(*class),
            _ => Err(self.lacks(index, "storage class")),
        }
    }
}

/// A module as words say it.
#[derive(Debug)]
pub(crate) struct Parsed {
    /// Major and minor.
    pub(crate) version: (u8, u8),
    /// The tool that made it, by its registered number.
    pub(crate) generator: u32,
    pub(crate) bound: u32,
    pub(crate) instructions: Vec<Instruction>,
}

/// The module's words in this machine's order.
pub(crate) fn words(bytes: &[u8]) -> Result<Vec<u32>> {
    if !is_spirv(bytes) {
        return Err(malformed(0, "this is no SPIR-V: it does not begin with 0x07230203"));
    }
    let (whole, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(malformed(whole.len(), "the last word is cut short"));
    }
    let mut words: Vec<u32> = whole.iter().map(|word| u32::from_le_bytes(*word)).collect();
    if words[0] != spirv::MAGIC_NUMBER {
        words.iter_mut().for_each(|word| *word = word.swap_bytes());
    }
    if words.len() < HEADER {
        return Err(malformed(words.len(), "the header is cut short"));
    }
    Ok(words)
}

/// Where each instruction begins.
pub(crate) fn starts(words: &[u32]) -> Result<Vec<usize>> {
    let mut starts = Vec::new();
    let mut at = HEADER;
    while let Some(first) = words.get(at) {
        let length = (first >> 16) as usize;
        if length == 0 {
            return Err(malformed(at, "an instruction of no words"));
        }
        if length > words.len() - at {
            return Err(malformed(
                at,
                format!("an instruction of {length} words, of which {} are there", words.len() - at),
            ));
        }
        starts.push(at);
        at += length;
    }
    Ok(starts)
}

/// The words as the parser takes them: it cannot tell how many operands an operation on constants has, and is given a value
/// without any in its place. Of integers it knows four widths, and takes the literals of others by the next one of whole words.
fn for_parser(words: &[u32], starts: &[usize]) -> Result<Vec<u32>> {
    let mut fed = words[..HEADER].to_vec();
    for (index, start) in starts.iter().enumerate() {
        let end = starts.get(index + 1).copied().unwrap_or(words.len());
        if words[*start] & 0xFFFF != Op::SpecConstantOp as u32 {
            fed.extend_from_slice(&words[*start..end]);
            if words[*start] & 0xFFFF == Op::TypeInt as u32
                && end - start > 2
                && !COMMON_WIDTHS.contains(&words[start + 2])
            {
                let width = fed.len() - (end - start) + 2;
                fed[width] = if words[start + 2] > 32 { 64 } else { 32 };
            }
        } else if end - start < 4 {
            return Err(malformed(*start, "OpSpecConstantOp lacks an operand"));
        } else {
            fed.extend([3 << 16 | Op::Undef as u32, words[start + 1], words[start + 2]]);
        }
    }
    Ok(fed)
}

/// Takes what the parser gives.
struct Taker<'s> {
    words: &'s [u32],
    starts: &'s [usize],
    parsed: Parsed,
}

impl Consumer for Taker<'_> {
    fn initialize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn finalize(&mut self) -> ParseAction {
        ParseAction::Continue
    }

    fn consume_header(&mut self, header: ModuleHeader) -> ParseAction {
        self.parsed.version = header.version();
        self.parsed.bound = header.bound;
        ParseAction::Continue
    }

    fn consume_instruction(&mut self, given: rspirv::dr::Instruction) -> ParseAction {
        let index = self.parsed.instructions.len();
        let Some(word) = self.starts.get(index) else { return ParseAction::Stop };
        if self.words[*word] & 0xFFFF == Op::SpecConstantOp as u32 {
            let end = self.starts.get(index + 1).copied().unwrap_or(self.words.len());
            self.parsed.instructions.push(Instruction {
                word: *word,
                op: Op::SpecConstantOp,
                name: "SpecConstantOp",
                ty: given.result_type,
                id: given.result_id,
                operands: self.words[word + 3..end].iter().map(|word| Operand::LiteralBit32(*word)).collect(),
            });
            return ParseAction::Continue;
        }
        let mut operands = given.operands;
        if given.class.opcode == Op::TypeInt
            && let (Some(width), Some(own)) = (operands.first_mut(), self.words.get(word + 2))
        {
            *width = Operand::LiteralBit32(*own);
        }
        self.parsed.instructions.push(Instruction {
            word: *word,
            op: given.class.opcode,
            name: given.class.opname,
            ty: given.result_type,
            id: given.result_id,
            operands,
        });
        ParseAction::Continue
    }
}

/// Reads a module's instructions.
///
/// # Errors
/// The bytes are no SPIR-V, or hold words that no version of it has.
pub(crate) fn parse(bytes: &[u8]) -> Result<Parsed> {
    let words = words(bytes)?;
    let starts = starts(&words)?;
    let parsed =
        Parsed { version: (0, 0), generator: words[2] >> 16, bound: words[3], instructions: Vec::new() };
    let fed = for_parser(&words, &starts)?;
    let mut taker = Taker { words: &words, starts: &starts, parsed };
    let state = parse_words(&fed, &mut taker);
    let parsed = taker.parsed;
    if let Err(state) = state {
        // The parser stopped in the instruction behind the last one that it gave.
        let word = starts.get(parsed.instructions.len()).copied().unwrap_or(HEADER);
        return Err(malformed(word, said(&state, words[word.min(words.len() - 1)])));
    }
    if parsed.bound > MOST_IDS {
        return Err(malformed(3, format!("ids up to {}, where {MOST_IDS} are the most", parsed.bound)));
    }
    if parsed.version.0 != 1 || parsed.version.1 > 6 {
        let (major, minor) = parsed.version;
        return Err(malformed(1, format!("SPIR-V {major}.{minor} is not known")));
    }
    for instruction in &parsed.instructions {
        if let Some(id) = instruction.id
            && (id == 0 || id >= parsed.bound)
        {
            return Err(invalid(instruction.word, format!("id {id} is out of the module's bound")));
        }
    }
    Ok(parsed)
}

/// The parser's words without its own count of bytes and instructions.
fn said(state: &ParseState, first: u32) -> String {
    match state {
        ParseState::OpcodeUnknown(_, _, opcode) => format!("instruction {opcode} is not known"),
        ParseState::OperandExpected(..) => format!("instruction {} lacks an operand", first & 0xFFFF),
        ParseState::OperandExceeded(..) => format!("instruction {} has too many operands", first & 0xFFFF),
        ParseState::TypeUnsupported(..) => "a constant of a type that has none".to_owned(),
        ParseState::SpecConstantOpIntegerIncorrect(..) => {
            "an operation on constants that is not known".to_owned()
        }
        ParseState::OperandError(error) => format!("instruction {}: {error}", first & 0xFFFF),
        other => other.to_string(),
    }
}
