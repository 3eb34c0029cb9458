//! Machine IR to code of a machine's own operations.
//!
//! In: a function of [`crate::machine_ir`] and the [`Ability`] of a machine. Out: a [`Function`]. An
//! opcode that is not known, and one that the machine can neither execute nor replace, is an error with its line. Each block of
//! the machine IR becomes one or more: a call ends a block.

mod ability;
mod bits;
mod expand;
mod float;
mod opcodes;

pub use ability::{Ability, Unsuitable};
pub use opcodes::OPERATION;

use crate::code::Node;
use crate::code::{Block, Callee, Class, Condition, FIXED, Function, Input, StackObject, Terminator, Value};
use crate::machine_ir::{self, Instruction, Operand, Part, Register};
use crate::model::SpaceId;
use crate::schedule::mir::SymbolRef;
use expand::{Comparison, KnownCompare};
use std::collections::BTreeMap;

/// Why a function cannot be lifted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LiftError {
    /// An opcode that the lifter does not know.
    #[error("function '{function}', line {line}: the opcode '{opcode}' is not known")]
    Opcode {
        /// The function.
        function: String,
        /// The line.
        line: usize,
        /// The opcode.
        opcode: String,
    },
    /// Operands that the opcode does not take.
    #[error("function '{function}', line {line}: the opcode '{opcode}' does not take these operands")]
    Operands {
        /// The function.
        function: String,
        /// The line.
        line: usize,
        /// The opcode.
        opcode: String,
    },
    /// An operation that the machine lacks and that nothing replaces.
    #[error(
        "function '{function}', line {line}: the machine lacks the operation '{operation}' and what could replace it"
    )]
    Missing {
        /// The function.
        function: String,
        /// The line.
        line: usize,
        /// The operation.
        operation: String,
    },
    /// An access to a memory that the machine does not have.
    #[error(
        "function '{function}', line {line}: the machine has no address space for OpenCL's space {space}"
    )]
    Space {
        /// The function.
        function: String,
        /// The line.
        line: usize,
        /// The space.
        space: u32,
    },
}

/// The spaces of objects by their names. What is not listed is a function.
pub type Symbols = BTreeMap<String, SpaceId>;

/// Where a result goes, and under which condition.
#[derive(Debug, Clone, Copy)]
struct To {
    value: Value,
    condition: Option<Condition>,
}

impl To {
    fn plain(value: Value) -> Self {
        Self { value, condition: None }
    }
}

/// What goes wrong with an instruction.
enum Wrong {
    Opcode,
    Operands,
    Space(u32),
}

/// Lifts a function.
///
/// # Errors
/// See [`LiftError`].
pub fn lift(
    ability: &Ability,
    source: &machine_ir::Function,
    symbols: &Symbols,
) -> Result<Function, LiftError> {
    let mut classes = vec![Class::Word; FIXED as usize];
    let highest = source.blocks.iter().flat_map(|b| &b.instructions).flat_map(registers).max().unwrap_or(0);
    classes.resize(FIXED as usize + highest as usize + 1, Class::Word);
    let versions = vec![0; classes.len()];
    let mut lifter = Lifter {
        ability,
        symbols,
        source,
        function: Function { name: source.name.clone(), classes, ..Function::default() },
        nodes: Vec::new(),
        blocks: Vec::new(),
        current: 0,
        labels: source.blocks.len(),
        versions,
        known: BTreeMap::new(),
        compares: BTreeMap::new(),
        bits: BTreeMap::new(),
        sums: BTreeMap::new(),
        bases: BTreeMap::new(),
        missing: None,
    };
    lifter.function.stack =
        source.stack.iter().map(|o| StackObject { size: o.size, align: o.align }).collect();
    lifter.find_constants();
    for (number, block) in source.blocks.iter().enumerate() {
        lifter.current = number;
        lifter.forget();
        let mut ended = false;
        for instruction in &block.instructions {
            let done = lifter.instruction(instruction);
            ended = done.map_err(|wrong| lifter.error(instruction, &wrong))?;
            if let Some(operation) = lifter.missing.take() {
                let (function, line) = (source.name.clone(), instruction.line);
                return Err(LiftError::Missing { function, line, operation });
            }
            if ended {
                break;
            }
        }
        if !ended {
            let end = if number + 1 < source.blocks.len() {
                Terminator::Jump(number + 1)
            } else {
                // Code that is never reached may end without a jump.
                Terminator::Halt { results: Vec::new() }
            };
            lifter.end_block(end, number);
        }
    }
    Ok(lifter.finish())
}

fn registers(instruction: &Instruction) -> impl Iterator<Item = u32> + '_ {
    let operands = instruction.operands.iter().filter_map(|o| match o {
        Operand::Register(r) => Some(*r),
        _ => None,
    });
    instruction.outputs.iter().copied().chain(operands).filter_map(|r| match r {
        Register::Virtual(n) => Some(n),
        Register::Physical(_) => None,
    })
}

/// A sum of an address and an offset, with the versions of what went in and of the result.
type Sum = (Value, u32, u32);

struct Lifter<'a> {
    ability: &'a Ability,
    symbols: &'a Symbols,
    source: &'a machine_ir::Function,
    function: Function,
    nodes: Vec<Node>,
    /// Finished blocks with their labels; terminators name labels.
    blocks: Vec<(usize, Block)>,
    current: usize,
    labels: usize,
    /// How often each value was written so far.
    versions: Vec<u32>,
    /// Registers that are written once, with what is known at compile time.
    known: BTreeMap<u32, Input>,
    /// What is known in the current block.
    compares: BTreeMap<Value, KnownCompare>,
    bits: BTreeMap<(Comparison, Input, Input), (Condition, [u32; 2])>,
    sums: BTreeMap<(Input, u32), Sum>,
    /// Numbers of the IR values that addresses are counted from.
    bases: BTreeMap<String, u32>,
    missing: Option<String>,
}

impl Lifter<'_> {
    fn error(&self, instruction: &Instruction, wrong: &Wrong) -> LiftError {
        let (function, line, opcode) =
            (self.source.name.clone(), instruction.line, instruction.opcode.clone());
        match *wrong {
            Wrong::Opcode => LiftError::Opcode { function, line, opcode },
            Wrong::Operands => LiftError::Operands { function, line, opcode },
            Wrong::Space(space) => LiftError::Space { function, line, space },
        }
    }

    /// Finds the registers whose value is known at compile time and cheaper to write where it is needed than to keep.
    fn find_constants(&mut self) {
        let source = self.source;
        let mut writes: BTreeMap<u32, usize> = BTreeMap::new();
        let mut uses: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (number, block) in source.blocks.iter().enumerate() {
            for instruction in &block.instructions {
                for output in &instruction.outputs {
                    if let Register::Virtual(n) = output {
                        *writes.entry(*n).or_default() += 1;
                    }
                }
                for operand in &instruction.operands {
                    if let Operand::Register(Register::Virtual(n)) = operand {
                        uses.entry(*n).or_default().push(number);
                    }
                }
            }
        }
        let mut all: BTreeMap<u32, (Input, usize)> = BTreeMap::new();
        let mut changed = true;
        while changed {
            changed = false;
            for (number, block) in source.blocks.iter().enumerate() {
                for instruction in &block.instructions {
                    let [Register::Virtual(output)] = instruction.outputs[..] else { continue };
                    if writes.get(&output) != Some(&1) || all.contains_key(&output) {
                        continue;
                    }
                    if let Some(value) = self.constant_result(instruction, &all) {
                        all.insert(output, (value, number));
                        changed = true;
                    }
                }
            }
        }
        for (register, (value, block)) in all {
            let uses = uses.get(&register).map_or(&[][..], Vec::as_slice);
            let everywhere = match value {
                Input::Constant(c) => self.ability.is_cheap(c) || self.ability.is_small(),
                _ => true,
            };
            if everywhere || uses.iter().all(|u| *u == block) && uses.len() < 2 {
                self.known.insert(register, value);
            }
        }
    }

    fn constant_result(
        &mut self,
        instruction: &Instruction,
        all: &BTreeMap<u32, (Input, usize)>,
    ) -> Option<Input> {
        let word = |operand: &Operand| match operand {
            Operand::Register(Register::Physical(0)) => Some(Input::Constant(0)),
            Operand::Register(Register::Virtual(n)) => all.get(n).map(|k| k.0),
            Operand::Number(n) => Some(Input::Constant((n & 0xffff_ffff) as u32)),
            _ => None,
        };
        match (instruction.opcode.as_str(), instruction.operands.as_slice()) {
            ("IMPLICIT_DEF", []) => Some(Input::Constant(0)),
            ("COPY", [from]) => word(from),
            ("LUI", [Operand::Number(n)]) => Some(Input::Constant(((n << 12) & 0xffff_ffff) as u32)),
            ("LUI" | "PseudoMovAddr" | "PseudoLLA", [Operand::Symbol { name, addend, .. }, ..]) => {
                Some(self.symbol(name, *addend))
            }
            ("ADDI", [from, Operand::Symbol { part: Part::Low, addend, .. }]) => match word(from)? {
                Input::Symbol { symbol, .. } => Some(Input::Symbol { symbol, addend: *addend }),
                _ => None,
            },
            ("ADDI", [from, Operand::Number(n)]) => match word(from)? {
                Input::Constant(c) => Some(Input::Constant(c.wrapping_add((n & 0xffff_ffff) as u32))),
                Input::Symbol { symbol, addend } => {
                    Some(Input::Symbol { symbol, addend: addend.wrapping_add(i32::try_from(*n).ok()?) })
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn symbol(&mut self, name: &str, addend: i32) -> Input {
        let space = self.symbols.get(name).copied();
        let symbol = self.function.symbol(SymbolRef { name: name.to_owned(), space });
        Input::Symbol { symbol, addend }
    }

    /// A new label.
    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels - 1
    }

    /// Ends the block and begins the one with the label `next`.
    fn end_block(&mut self, terminator: Terminator, next: usize) {
        let nodes = std::mem::take(&mut self.nodes);
        self.blocks.push((self.current, Block { nodes, terminator, weight: 1 }));
        self.current = next;
        self.forget();
    }

    fn forget(&mut self) {
        self.compares.clear();
        self.bits.clear();
        self.sums.clear();
    }

    fn call(&mut self, callee: Callee, instruction: &Instruction) {
        let words = |all: &[u8]| -> Vec<Value> {
            all.iter().filter(|n| (10..18).contains(*n)).map(|n| Value(u32::from(*n))).collect()
        };
        let next = self.label();
        let (arguments, results) = (words(&instruction.implied_inputs), words(&instruction.implied_outputs));
        for value in &results {
            self.versions[value.0 as usize] += 1;
        }
        self.end_block(Terminator::Call { callee, arguments, results, next }, next);
    }

    fn finish(mut self) -> Function {
        let mut places = vec![0; self.labels];
        for (place, (label, _)) in self.blocks.iter().enumerate() {
            places[*label] = place;
        }
        self.function.blocks = self
            .blocks
            .into_iter()
            .map(|(_, mut block)| {
                match &mut block.terminator {
                    Terminator::Jump(to) | Terminator::Call { next: to, .. } => *to = places[*to],
                    Terminator::Branch { taken, otherwise, .. } => {
                        *taken = places[*taken];
                        *otherwise = places[*otherwise];
                    }
                    Terminator::Return { .. } | Terminator::Halt { .. } => {}
                }
                block
            })
            .collect();
        self.function
    }
}
