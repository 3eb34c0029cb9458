//! Executes machine code one operation at a time: what a schedule computes, and what register allocation keeps, is held
//! against this.
//!
//! In: functions that call each other by name, and a [`State`]. Out: the state after the halt. Every operation but those
//! that reach outside is executed as the operation set says; nothing takes time.

use super::mir::{Function, Memory, Operand, Predicate, Register, SymbolRef, Terminator};
use crate::model::{Machine, SpaceId, mask};
use crate::ops::{Access, Atomic, ByteOrder, Device, Semantics};
use std::collections::BTreeMap;

/// The registers and the memories that functions work on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct State {
    /// Registers that have been written.
    pub registers: BTreeMap<Register, u64>,
    /// Bytes that have been written, by space and address.
    pub memory: BTreeMap<(SpaceId, u64), u8>,
    /// Bytes given to the output.
    pub output: Vec<u8>,
    /// Operations and jumps executed.
    pub steps: u64,
    /// How often each block of each function was entered.
    pub entered: BTreeMap<(usize, usize), u64>,
}

/// Why execution ended before its halt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The limit of steps was reached.
    #[error("the code has not ended after {0} operations")]
    Limit(u64),
    /// A symbol that nobody has given an address.
    #[error("'{0}' is not defined")]
    Undefined(String),
    /// An operation that cannot be executed here.
    #[error("the operation '{0}' cannot be executed one at a time")]
    Operation(String),
    /// A block, function, register or operand that does not exist.
    #[error("the code refers to {0} that does not exist")]
    Missing(&'static str),
}

impl State {
    /// Reads a word.
    #[must_use]
    pub fn load(&self, space: SpaceId, address: u64, bytes: u8, order: ByteOrder) -> u64 {
        let byte = |k: u8| u64::from(self.memory.get(&(space, address + u64::from(k))).copied().unwrap_or(0));
        (0..bytes).map(|k| byte(k) << shift(k, bytes, order)).sum()
    }

    /// Writes a word.
    pub fn store(&mut self, space: SpaceId, address: u64, bytes: u8, order: ByteOrder, value: u64) {
        for k in 0..bytes {
            let byte = (value >> shift(k, bytes, order) & 0xff) as u8;
            self.memory.insert((space, address + u64::from(k)), byte);
        }
    }

    fn holds(&self, predicate: Predicate) -> bool {
        (self.registers.get(&predicate.register).copied().unwrap_or(0) & 1 == 1) != predicate.inverted
    }
}

fn shift(k: u8, bytes: u8, order: ByteOrder) -> u32 {
    match order {
        ByteOrder::Little => 8 * u32::from(k),
        ByteOrder::Big => 8 * u32::from(bytes - 1 - k),
    }
}

/// Where symbols are: the addresses of objects.
pub type Addresses = BTreeMap<String, u64>;

/// What stands for the address of a function: its number times this.
const FUNCTION_STRIDE: u64 = 4;

/// Functions that call each other.
struct Run<'a> {
    machine: &'a Machine,
    functions: &'a [Function],
    addresses: &'a Addresses,
}

/// Executes `functions[0]` until it halts or returns; gives up after `limit` operations. `addresses` says where objects are.
///
/// # Errors
/// See [`Stop`].
pub fn interpret(
    machine: &Machine,
    functions: &[Function],
    addresses: &Addresses,
    state: &mut State,
    limit: u64,
) -> Result<(), Stop> {
    let run = Run { machine, functions, addresses };
    let mut calls: Vec<(usize, usize)> = Vec::new();
    let (mut function, mut block) = (0, 0);
    loop {
        let here = run.functions.get(function).ok_or(Stop::Missing("a function"))?;
        let current = here.blocks.get(block).ok_or(Stop::Missing("a block"))?;
        *state.entered.entry((function, block)).or_default() += 1;
        for node in &current.nodes {
            state.steps += 1;
            if node.predicate.is_some_and(|p| !state.holds(p)) {
                continue;
            }
            let inputs =
                node.inputs.iter().map(|i| run.value(here, state, *i)).collect::<Result<Vec<_>, _>>()?;
            let results = match node.op {
                None => vec![*inputs.first().ok_or(Stop::Missing("an operand"))?],
                Some(op) => {
                    run.execute(op.info().name, op.info().semantics, &inputs, node.memory.as_ref(), state)?
                }
            };
            for (register, value) in node.outputs.iter().zip(results) {
                let file = run.machine.register_files.get(register.file.index());
                let width = file.ok_or(Stop::Missing("a register file"))?.width;
                state.registers.insert(*register, value & mask(width));
            }
        }
        state.steps += 1;
        if state.steps > limit {
            return Err(Stop::Limit(limit));
        }
        match &current.terminator {
            Terminator::Jump(to) => block = *to,
            Terminator::Branch { predicate, taken, otherwise } => {
                block = if state.holds(*predicate) { *taken } else { *otherwise };
            }
            Terminator::Call { callee, next, .. } => {
                calls.push((function, *next));
                function = match callee {
                    Operand::Symbol { symbol, .. } => run.function(run.symbol(here, *symbol)?)?,
                    other => {
                        let address = run.value(here, state, *other)? / FUNCTION_STRIDE;
                        usize::try_from(address).map_err(|_| Stop::Missing("a function"))?
                    }
                };
                block = 0;
            }
            Terminator::Return { .. } => match calls.pop() {
                Some(back) => (function, block) = back,
                None => return Ok(()),
            },
            Terminator::Halt => return Ok(()),
        }
    }
}

impl Run<'_> {
    fn symbol<'f>(&self, function: &'f Function, symbol: u32) -> Result<&'f SymbolRef, Stop> {
        function.symbols.get(symbol as usize).ok_or(Stop::Missing("a symbol"))
    }

    fn function(&self, symbol: &SymbolRef) -> Result<usize, Stop> {
        let found = self.functions.iter().position(|f| f.name == symbol.name);
        found.ok_or_else(|| Stop::Undefined(symbol.name.clone()))
    }

    fn value(&self, function: &Function, state: &State, operand: Operand) -> Result<u64, Stop> {
        Ok(match operand {
            Operand::Register(r) => state.registers.get(&r).copied().unwrap_or(0),
            Operand::Constant(c) => u64::from(c),
            Operand::Symbol { symbol, addend } => {
                let symbol = self.symbol(function, symbol)?;
                let address = match self.addresses.get(&symbol.name) {
                    Some(address) => *address,
                    None => self.function(symbol)? as u64 * FUNCTION_STRIDE,
                };
                address.wrapping_add(u64::from(addend)) & mask(32)
            }
            // Who returns where is remembered beside the code.
            Operand::ReturnAddress => 0,
        })
    }

    /// The space of an access: the one it names, or the first that any unit has.
    fn space(&self, memory: Option<&Memory>) -> Result<SpaceId, Stop> {
        let named = memory.map(|m| m.space);
        named
            .or_else(|| self.machine.units.iter().find_map(|u| u.space))
            .ok_or(Stop::Missing("an address space"))
    }

    fn execute(
        &self,
        name: &str,
        semantics: Semantics,
        inputs: &[u64],
        memory: Option<&Memory>,
        state: &mut State,
    ) -> Result<Vec<u64>, Stop> {
        let input = |k: usize| inputs.get(k).copied().ok_or(Stop::Missing("an operand"));
        Ok(match semantics {
            Semantics::Unary(_) | Semantics::Binary(_) | Semantics::Ternary(_) | Semantics::Pair(_) => {
                semantics.values(input)?.unwrap_or_default()
            }
            Semantics::Load(access) => {
                let (space, address) = (self.space(memory)?, address(access, inputs)?);
                let word = |k: u8| {
                    let at = address + u64::from(k) * u64::from(access.bytes);
                    let raw = state.load(space, at, access.bytes, access.order);
                    let unused = 64 - 8 * u32::from(access.bytes);
                    if access.signed { (raw.cast_signed() << unused >> unused).cast_unsigned() } else { raw }
                };
                (0..access.words).map(word).collect()
            }
            Semantics::Store(access) => {
                let (space, address) = (self.space(memory)?, address(access, inputs)?);
                let first = 1 + usize::from(access.offset);
                for k in 0..access.words {
                    let at = address + u64::from(k) * u64::from(access.bytes);
                    state.store(space, at, access.bytes, access.order, input(first + usize::from(k))?);
                }
                Vec::new()
            }
            Semantics::Atomic(kind) => {
                let (space, address) = (self.space(memory)?, input(0)?);
                let old = state.load(space, address, 4, ByteOrder::Little);
                let new = match kind {
                    Atomic::Update(f) => Some(f(old, input(1)?)),
                    Atomic::CompareExchange => (old == input(1)?).then_some(input(2)?),
                };
                if let Some(new) = new {
                    state.store(space, address, 4, ByteOrder::Little, new);
                }
                vec![old]
            }
            Semantics::Device(Device::WriteByte) => {
                state.output.push((input(0)? & 0xff) as u8);
                Vec::new()
            }
            Semantics::Device(Device::WriteNumber) => {
                let number = input(0)? as u32;
                state.output.extend(format!("{}\n", number.cast_signed()).bytes());
                Vec::new()
            }
            Semantics::Device(Device::Ignore) => Vec::new(),
            Semantics::Device(_) | Semantics::Control(_) | Semantics::ProgramCounter => {
                return Err(Stop::Operation(name.to_owned()));
            }
        })
    }
}

fn address(access: Access, inputs: &[u64]) -> Result<u64, Stop> {
    let input = |k: usize| inputs.get(k).copied().ok_or(Stop::Missing("an operand"));
    let base = input(0)?;
    Ok(if access.offset { base.wrapping_add(input(1)?) & mask(32) } else { base })
}
