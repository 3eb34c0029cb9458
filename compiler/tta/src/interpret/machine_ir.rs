//! Executes machine IR as it is, before anything of ours has touched it.
//!
//! In: modules and the [`World`] of the program that was made of them. Out: memory, output and result. It shares no code with
//! the compiler but the reader. It also counts the instructions that a 32-bit RISC-V processor would execute if no register
//! had to be spilled.

use super::compute::{branch, compute, holds, updated};
use super::{HALT, OPERATION, STACK_POINTER, Stop, World, Wrong};
use crate::machine_ir::{Block, Function, Instruction, Module, Operand, Part, Register};
use std::collections::BTreeMap;

/// An execution of machine IR.
#[derive(Debug)]
pub struct Interpreter<'a> {
    /// Memory, fixed registers, output.
    pub world: World<'a>,
    functions: BTreeMap<&'a str, &'a Function>,
    instructions: u64,
}

/// A call that has not returned.
struct Frame<'a> {
    function: &'a Function,
    block: usize,
    next: usize,
    values: Vec<u32>,
    /// Addresses of the objects on the stack.
    objects: BTreeMap<u32, u32>,
    /// The stack pointer at the entry.
    entry: u32,
}

/// How execution goes on after an instruction.
enum Then {
    Next,
    Block(u32),
    Call(String),
    Tail(String),
    Return,
    End,
}

impl<'a> Interpreter<'a> {
    /// Prepares the execution of modules. Functions of earlier modules hide those of later ones.
    #[must_use]
    pub fn new(world: World<'a>, modules: &'a [Module]) -> Self {
        let mut functions = BTreeMap::new();
        for function in modules.iter().flat_map(|m| &m.functions) {
            functions.entry(function.name.as_str()).or_insert(function);
        }
        Self { world, functions, instructions: 0 }
    }

    /// The instructions that a RISC-V processor would have executed: copies and markers are not counted, an instruction with a
    /// condition counts for two, and so does an address.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Calls `entry` with the stack below `stack` and gives what it returns.
    ///
    /// # Errors
    /// See [`Stop`].
    pub fn run(&mut self, entry: &str, stack: u32, limit: u64) -> Result<u32, Stop> {
        self.world.registers[STACK_POINTER] = stack;
        let mut frames = vec![self.enter(entry)?];
        let limit = self.instructions.saturating_add(limit);
        while let Some(frame) = frames.last_mut() {
            let function = frame.function;
            let block: &'a Block = function.blocks.get(frame.block).ok_or(Stop::Missing("a block"))?;
            let Some(instruction) = block.instructions.get(frame.next) else {
                (frame.block, frame.next) = (frame.block + 1, 0);
                if frame.block == function.blocks.len() {
                    break;
                }
                continue;
            };
            frame.next += 1;
            self.instructions += cost(&instruction.opcode);
            if self.instructions > limit {
                return Err(Stop::Limit(limit));
            }
            match self.step(frame, instruction).map_err(|wrong| place(function, instruction, wrong))? {
                Then::Next => {}
                Then::Block(number) => {
                    let at = function.blocks.iter().position(|b| b.number == number);
                    (frame.block, frame.next) = (at.ok_or(Stop::Missing("a block"))?, 0);
                }
                Then::Call(name) => frames.push(self.enter(&name)?),
                Then::Tail(name) => {
                    self.world.registers[STACK_POINTER] = frame.entry;
                    frames.pop();
                    frames.push(self.enter(&name)?);
                }
                Then::Return => {
                    self.world.registers[STACK_POINTER] = frame.entry;
                    frames.pop();
                }
                Then::End => break,
            }
        }
        Ok(self.world.registers[10])
    }

    /// A new call: its objects lie above what it passes on the stack.
    fn enter(&mut self, name: &str) -> Result<Frame<'a>, Stop> {
        let function = *self.functions.get(name).ok_or_else(|| Stop::Undefined(name.to_owned()))?;
        let all = || function.blocks.iter().flat_map(|b| &b.instructions);
        let passed =
            all().filter(|i| i.opcode == "ADJCALLSTACKDOWN").filter_map(|i| match i.operands.first() {
                Some(Operand::Number(n)) => u32::try_from(*n).ok(),
                _ => None,
            });
        let passed = passed.max().unwrap_or(0);
        let (places, entry) = self.world.frame(passed, function.stack.iter().map(|o| (o.size, o.align)));
        let objects = function.stack.iter().map(|o| o.id).zip(places).collect();
        let named = |r: &Register| if let Register::Virtual(n) = r { Some(*n as usize + 1) } else { None };
        let operands = |i: &Instruction| -> Option<usize> {
            let read =
                i.operands.iter().filter_map(|o| if let Operand::Register(r) = o { named(r) } else { None });
            read.chain(i.outputs.iter().filter_map(named)).max()
        };
        let count = all().filter_map(operands).max().unwrap_or(0);
        Ok(Frame { function, block: 0, next: 0, values: vec![0; count], objects, entry })
    }

    fn register(&self, frame: &Frame<'_>, register: Register) -> u32 {
        match register {
            Register::Physical(0) => 0,
            Register::Physical(n) => self.world.registers[usize::from(n) % 32],
            Register::Virtual(n) => frame.values[n as usize],
        }
    }

    fn word(&self, frame: &Frame<'_>, operand: &Operand) -> Result<u32, Wrong> {
        Ok(match operand {
            Operand::Register(r) => self.register(frame, *r),
            Operand::Number(n) => (n & 0xffff_ffff) as u32,
            Operand::Stack(id) => *frame.objects.get(id).ok_or(Wrong::Operands)?,
            Operand::Argument(id) => {
                let argument =
                    frame.function.arguments.iter().find(|a| a.id == *id).ok_or(Wrong::Operands)?;
                frame.entry.wrapping_add_signed(argument.offset)
            }
            Operand::Symbol { name, addend, part } => {
                let whole = self.world.address(name)?.wrapping_add_signed(*addend);
                match part {
                    Part::Whole => whole,
                    // LUI shifts the upper part to its place; the lower part is signed.
                    Part::High => whole.wrapping_add(0x800) >> 12,
                    Part::Low => (whole.cast_signed() << 20 >> 20).cast_unsigned(),
                }
            }
            Operand::Block(_) => return Err(Wrong::Operands),
        })
    }

    fn set(&mut self, frame: &mut Frame<'_>, register: Register, value: u32) {
        match register {
            Register::Physical(n) => self.world.registers[usize::from(n) % 32] = value,
            Register::Virtual(n) => frame.values[n as usize] = value,
        }
    }

    fn step(&mut self, frame: &mut Frame<'_>, instruction: &Instruction) -> Result<Then, Wrong> {
        let opcode = instruction.opcode.as_str();
        let operands = instruction.operands.as_slice();
        let space = instruction.memory.first().map_or(0, |a| a.space);
        if let Some(compare) = branch(opcode) {
            let [a, b, Operand::Block(to)] = operands else { return Err(Wrong::Operands) };
            let (a, b) = (self.word(frame, a)?, self.word(frame, b)?);
            return Ok(if holds(compare, a, b) == Some(true) { Then::Block(*to) } else { Then::Next });
        }
        match opcode {
            "ADJCALLSTACKDOWN" | "ADJCALLSTACKUP" | "LIFETIME_START" | "LIFETIME_END" | "KILL"
            | "DBG_VALUE" | "FENCE" | "FENCE_TSO" => return Ok(Then::Next),
            "PseudoBR" => {
                let [Operand::Block(to)] = operands else { return Err(Wrong::Operands) };
                return Ok(Then::Block(*to));
            }
            "PseudoRET" => return Ok(Then::Return),
            "UNIMP" | "EBREAK" => return Ok(Then::End),
            "PseudoCALL" | "PseudoCALLIndirect" | "PseudoTAIL" | "PseudoTAILIndirect" => {
                let name = match operands.first().ok_or(Wrong::Operands)? {
                    Operand::Symbol { name, .. } => name.clone(),
                    other => {
                        let address = self.word(frame, other)?;
                        self.world.function(address)?.to_owned()
                    }
                };
                let tail = opcode.starts_with("PseudoTAIL");
                if name == HALT {
                    return Ok(Then::End);
                }
                if let Some(name) = name.strip_prefix(OPERATION) {
                    self.world.named_operation(name)?;
                    return Ok(if tail { Then::Return } else { Then::Next });
                }
                return Ok(if tail { Then::Tail(name) } else { Then::Call(name) });
            }
            "SB" | "SH" | "SW" | "SW_INX" => {
                let [value, base, offset] = operands else { return Err(Wrong::Operands) };
                let address = self.word(frame, base)?.wrapping_add(self.word(frame, offset)?);
                let value = self.word(frame, value)?;
                let memory = self.world.memory_of(space)?;
                self.world.store(memory, address, size(opcode), value)?;
                return Ok(Then::Next);
            }
            _ => {}
        }
        let output = *instruction.outputs.first().ok_or(Wrong::Operands)?;
        let value = match opcode {
            "LB" | "LBU" | "LH" | "LHU" | "LW" | "LW_INX" => {
                let [base, offset] = operands else { return Err(Wrong::Operands) };
                let address = self.word(frame, base)?.wrapping_add(self.word(frame, offset)?);
                let value = self.world.load(self.world.memory_of(space)?, address, size(opcode))?;
                match opcode {
                    "LB" => (value.cast_signed() << 24 >> 24).cast_unsigned(),
                    "LH" => (value.cast_signed() << 16 >> 16).cast_unsigned(),
                    _ => value,
                }
            }
            "PseudoCmpXchg32" => {
                let [address, expected, new, ..] = operands else { return Err(Wrong::Operands) };
                let address = self.word(frame, address)?;
                let (expected, new) = (self.word(frame, expected)?, self.word(frame, new)?);
                let old = self.world.load(self.world.memory_of(space)?, address, 4)?;
                if old == expected {
                    self.world.store(self.world.memory_of(space)?, address, 4, new)?;
                }
                old
            }
            _ if opcode.starts_with("AMO") => {
                let [address, with, ..] = operands else { return Err(Wrong::Operands) };
                let (address, with) = (self.word(frame, address)?, self.word(frame, with)?);
                let old = self.world.load(self.world.memory_of(space)?, address, 4)?;
                let new = updated(opcode, old, with).ok_or(Wrong::Operands)?;
                self.world.store(self.world.memory_of(space)?, address, 4, new)?;
                old
            }
            _ => {
                let all =
                    operands.iter().map(|o| self.word(frame, o)).collect::<Result<Vec<u32>, Wrong>>()?;
                match (opcode.strip_prefix("PseudoCC"), all.as_slice()) {
                    (Some(inner), [left, right, compare, otherwise, rest @ ..]) => {
                        if holds(*compare, *left, *right).ok_or(Wrong::Operands)? {
                            compute(inner, rest).ok_or(Wrong::Operands)?
                        } else {
                            *otherwise
                        }
                    }
                    _ => compute(opcode, &all).ok_or(Wrong::Operands)?,
                }
            }
        };
        self.set(frame, output, value);
        Ok(Then::Next)
    }
}

fn place(function: &Function, instruction: &Instruction, wrong: Wrong) -> Stop {
    let (function, line) = (function.name.clone(), instruction.line);
    match wrong {
        Wrong::Operands => Stop::Instruction { function, line, opcode: instruction.opcode.clone() },
        Wrong::Access { address, bytes } => Stop::Access { function, line, address, bytes },
        Wrong::Stop(stop) => stop,
    }
}

/// The bytes that a load or store moves.
fn size(opcode: &str) -> u32 {
    match opcode.as_bytes().get(1) {
        Some(b'B') => 1,
        Some(b'H') => 2,
        _ => 4,
    }
}

/// The instructions that an opcode becomes.
fn cost(opcode: &str) -> u64 {
    match opcode {
        "COPY" | "IMPLICIT_DEF" | "ADJCALLSTACKDOWN" | "ADJCALLSTACKUP" | "LIFETIME_START"
        | "LIFETIME_END" | "KILL" | "DBG_VALUE" | "INSERT_SUBREG" | "SUBREG_TO_REG" => 0,
        "PseudoMovAddr" | "PseudoLLA" => 2,
        _ if opcode.starts_with("PseudoCC") => 2,
        _ => 1,
    }
}
