//! Executes the operations that lifting makes of machine IR, one after the other, before they have registers.
//!
//! In: modules and the [`World`] of the program that was made of them. Out: memory, output and result. Functions are lifted
//! and tidied when they are first called, as the compiler does it.

use super::{STACK_POINTER, Stop, World, Wrong};
use crate::code::{Callee, Class, Condition, FIXED, Function, Input, Node, Place, Terminator, Value, tidy};
use crate::lift::{Ability, Symbols, lift};
use crate::machine_ir::{self, Module};
use crate::ops::{Atomic, Semantics};
use std::collections::BTreeMap;
use std::rc::Rc;

/// An execution of lifted code.
#[derive(Debug)]
pub struct Interpreter<'a> {
    /// Memory, fixed registers, output.
    pub world: World<'a>,
    ability: &'a Ability,
    symbols: Symbols,
    sources: BTreeMap<&'a str, &'a machine_ir::Function>,
    lifted: BTreeMap<String, Rc<Function>>,
    operations: u64,
}

/// A call that has not returned.
struct Frame {
    function: Rc<Function>,
    block: usize,
    values: Vec<u32>,
    /// Addresses of the objects on the stack.
    objects: Vec<u32>,
    /// The stack pointer at the entry.
    entry: u32,
}

impl<'a> Interpreter<'a> {
    /// Prepares the execution of modules on a machine. Symbols of earlier modules hide those of later ones.
    #[must_use]
    pub fn new(world: World<'a>, ability: &'a Ability, modules: &'a [Module]) -> Self {
        let (mut symbols, mut sources) = (Symbols::new(), BTreeMap::new());
        for module in modules {
            for data in &module.data {
                if let Some(space) = ability.space(data.space) {
                    symbols.entry(data.name.clone()).or_insert(space);
                }
            }
            for function in &module.functions {
                sources.entry(function.name.as_str()).or_insert(function);
            }
        }
        Self { world, ability, symbols, sources, lifted: BTreeMap::new(), operations: 0 }
    }

    /// How many operations were executed, copies and jumps included.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Calls `entry` with the stack below `stack` and gives what it returns.
    ///
    /// # Errors
    /// See [`Stop`].
    pub fn run(&mut self, entry: &str, stack: u32, limit: u64) -> Result<u32, Stop> {
        self.world.registers[STACK_POINTER] = stack;
        let mut frames = vec![self.enter(entry)?];
        let limit = self.operations.saturating_add(limit);
        while let Some(frame) = frames.last_mut() {
            let function = Rc::clone(&frame.function);
            let block = function.blocks.get(frame.block).ok_or(Stop::Missing("a block"))?;
            self.operations += block.nodes.len() as u64 + 1;
            if self.operations > limit {
                return Err(Stop::Limit(limit));
            }
            for node in &block.nodes {
                self.node(frame, node).map_err(|wrong| place(frame, node, wrong))?;
            }
            match &block.terminator {
                Terminator::Jump(to) => frame.block = *to,
                Terminator::Branch { condition, taken, otherwise } => {
                    frame.block = if self.holds(frame, *condition) { *taken } else { *otherwise };
                }
                Terminator::Call { callee, next, .. } => {
                    frame.block = *next;
                    let name = match callee {
                        Callee::Symbol(symbol) => {
                            let symbol = function.symbols.get(*symbol as usize);
                            symbol.ok_or(Stop::Missing("a symbol"))?.name.clone()
                        }
                        Callee::Value(value) => {
                            let address = self.value(frame, *value);
                            self.world.function(address)?.to_owned()
                        }
                    };
                    let called = self.enter(&name)?;
                    frames.push(called);
                }
                Terminator::Return { .. } => {
                    self.world.registers[STACK_POINTER] = frame.entry;
                    frames.pop();
                }
                Terminator::Halt { .. } => break,
            }
        }
        Ok(self.world.registers[10])
    }

    fn enter(&mut self, name: &str) -> Result<Frame, Stop> {
        if !self.lifted.contains_key(name) {
            let source = self.sources.get(name).ok_or_else(|| Stop::Undefined(name.to_owned()))?;
            let mut code = lift(self.ability, source, &self.symbols)?;
            tidy::tidy(&mut code);
            self.lifted.insert(name.to_owned(), Rc::new(code));
        }
        let function = self.lifted.get(name).ok_or_else(|| Stop::Undefined(name.to_owned()))?;
        let function = Rc::clone(function);
        let objects = function.stack.iter().map(|o| (o.size, o.align));
        let (objects, entry) = self.world.frame(function.outgoing, objects);
        let values = vec![0; function.classes.len()];
        Ok(Frame { function, block: 0, values, objects, entry })
    }

    fn value(&self, frame: &Frame, value: Value) -> u32 {
        if value.0 < FIXED {
            self.world.registers[value.0 as usize]
        } else {
            frame.values.get(value.0 as usize).copied().unwrap_or(0)
        }
    }

    fn set(&mut self, frame: &mut Frame, value: Value, word: u32) {
        let bit = frame.function.classes.get(value.0 as usize) == Some(&Class::Bit);
        let word = if bit { word & 1 } else { word };
        if value.0 < FIXED {
            self.world.registers[value.0 as usize] = word;
        } else if let Some(place) = frame.values.get_mut(value.0 as usize) {
            *place = word;
        }
    }

    fn holds(&self, frame: &Frame, condition: Condition) -> bool {
        (self.value(frame, condition.value) & 1 == 1) != condition.inverted
    }

    fn input(&self, frame: &Frame, input: &Input) -> Result<u32, Wrong> {
        Ok(match input {
            Input::Value(value) => self.value(frame, *value),
            Input::Constant(number) => *number,
            Input::Symbol { symbol, addend } => {
                let symbol = frame.function.symbols.get(*symbol as usize).ok_or(Wrong::Operands)?;
                self.world.address(&symbol.name)?.wrapping_add_signed(*addend)
            }
            Input::Frame { place, offset } => {
                let address = match place {
                    Place::Object(object) => *frame.objects.get(*object as usize).ok_or(Wrong::Operands)?,
                    Place::Caller => frame.entry,
                };
                address.wrapping_sub(self.world.registers[STACK_POINTER]).wrapping_add_signed(*offset)
            }
            Input::ReturnAddress => 0,
        })
    }

    fn node(&mut self, frame: &mut Frame, node: &Node) -> Result<(), Wrong> {
        if node.condition.is_some_and(|c| !self.holds(frame, c)) {
            return Ok(());
        }
        let inputs = node.inputs.iter().map(|i| self.input(frame, i)).collect::<Result<Vec<u32>, Wrong>>()?;
        let input = |k: usize| inputs.get(k).copied().ok_or(Wrong::Operands);
        let space = node.memory.as_ref().map(|m| m.space).ok_or(Wrong::Operands);
        let results = match node.op.map(|op| (op, op.info().semantics)) {
            None => vec![u64::from(input(0)?)],
            Some((_, Semantics::Load(access))) => {
                let address = input(0)?.wrapping_add(if access.offset { input(1)? } else { 0 });
                let word = self.world.load(space?, address, u32::from(access.bytes))?;
                let unused = 32 - 8 * u32::from(access.bytes).min(4);
                let signed = (word.cast_signed() << unused >> unused).cast_unsigned();
                vec![u64::from(if access.signed { signed } else { word })]
            }
            Some((_, Semantics::Store(access))) => {
                let (address, value) = match access.offset {
                    true => (input(0)?.wrapping_add(input(1)?), input(2)?),
                    false => (input(0)?, input(1)?),
                };
                self.world.store(space?, address, u32::from(access.bytes), value)?;
                Vec::new()
            }
            Some((_, Semantics::Atomic(atomic))) => {
                let (space, address, with) = (space?, input(0)?, input(1)?);
                let old = self.world.load(space, address, 4)?;
                let new = match atomic {
                    Atomic::Update(f) => (f(u64::from(old), u64::from(with)) & 0xffff_ffff) as u32,
                    Atomic::CompareExchange if old == with => input(2)?,
                    Atomic::CompareExchange => old,
                };
                self.world.store(space, address, 4, new)?;
                vec![u64::from(old)]
            }
            Some((op, _)) => self.world.operate(op, &inputs)?,
        };
        for (output, result) in node.outputs.iter().zip(results) {
            self.set(frame, *output, (result & 0xffff_ffff) as u32);
        }
        Ok(())
    }
}

fn place(frame: &Frame, node: &Node, wrong: Wrong) -> Stop {
    let (function, line) = (frame.function.name.clone(), frame.block);
    match wrong {
        Wrong::Operands => {
            let opcode = node.op.map_or("copy", |op| op.info().name).to_owned();
            Stop::Instruction { function, line, opcode }
        }
        Wrong::Access { address, bytes } => Stop::Access { function, line, address, bytes },
        Wrong::Stop(stop) => stop,
    }
}
