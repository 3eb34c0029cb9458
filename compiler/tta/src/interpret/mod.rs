//! Two executions that a compiled program is held against: of the machine IR that it was made of, and of the operations that
//! lifting made of that. What differs between two of the three shows which half of the compiler is wrong.
//!
//! In: modules and the program that was linked of them, which says where symbols are. Out: memory, output and result. The
//! stacks of the executions are laid out each in its own way, so what is on them is not to be compared.

mod compute;
pub mod lifted;
pub mod machine_ir;

use crate::lift::Ability;
use crate::lift::OPERATION;
use crate::machine_ir::Module;
use crate::model::{Machine, SpaceId};
use crate::ops::{Device, Op, Semantics};
use crate::program::{Program, SymbolValue};
use std::collections::BTreeMap;

/// Bytes of a piece of memory.
const PAGE: usize = 1 << 12;

/// The stack pointer's register.
const STACK_POINTER: usize = 2;

/// The function that ends the program with its argument as the result.
const HALT: &str = "__tta_halt";

/// Why an execution ended early.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// The limit of instructions was reached.
    #[error("the code has not ended after {0} instructions")]
    Limit(u64),
    /// A symbol that is not there.
    #[error("'{0}' is not defined")]
    Undefined(String),
    /// A function that cannot be lifted.
    #[error(transparent)]
    Lift(#[from] crate::lift::LiftError),
    /// An instruction that cannot be executed.
    #[error("function '{function}', line {line}: '{opcode}' cannot be executed on these operands")]
    Instruction {
        /// The function.
        function: String,
        /// The line, or the block of lifted code.
        line: usize,
        /// The opcode or operation.
        opcode: String,
    },
    /// An access outside of its memory, or at an address that is no multiple of its size.
    #[error("function '{function}', line {line}: an access of {bytes} bytes at {address:#x}")]
    Access {
        /// The function.
        function: String,
        /// The line, or the block of lifted code.
        line: usize,
        /// The address.
        address: u32,
        /// How many bytes.
        bytes: u32,
    },
    /// A block, or the target of an indirect call, that does not exist.
    #[error("the code refers to {0} that does not exist")]
    Missing(&'static str),
}

/// What goes wrong inside an instruction, before its place is known.
enum Wrong {
    Operands,
    Access { address: u32, bytes: u32 },
    Stop(Stop),
}

impl From<Stop> for Wrong {
    fn from(stop: Stop) -> Self {
        Self::Stop(stop)
    }
}

/// What an execution reads and changes beside its values: memory, the registers of the calling convention, output.
#[derive(Debug, Clone)]
pub struct World<'a> {
    /// The functions behind code addresses.
    at: BTreeMap<u32, &'a str>,
    addresses: BTreeMap<&'a str, u32>,
    /// The memory of each OpenCL space.
    spaces: Vec<Option<SpaceId>>,
    /// First and last address of each memory.
    bounds: Vec<(u64, u64)>,
    memory: BTreeMap<(SpaceId, u32), Box<[u8; PAGE]>>,
    registers: [u32; 32],
    output: Vec<u8>,
}

impl<'a> World<'a> {
    /// The world of `program`: memories hold the data of the modules that it was made of at the program's addresses. Data of
    /// earlier modules hide those of later ones.
    #[must_use]
    pub fn new(machine: &Machine, ability: &Ability, modules: &[Module], program: &'a Program) -> Self {
        let mut made = Self {
            at: BTreeMap::new(),
            addresses: BTreeMap::new(),
            spaces: (0..6).map(|n| ability.space(n)).collect(),
            bounds: machine.spaces.iter().map(|s| (s.min_address, s.max_address)).collect(),
            memory: BTreeMap::new(),
            registers: [0; 32],
            output: Vec::new(),
        };
        for symbol in &program.symbols {
            let address = match symbol.value {
                SymbolValue::Code(at) => at,
                SymbolValue::Data { address, .. } => (address & 0xffff_ffff) as u32,
            };
            made.addresses.entry(&symbol.name).or_insert(address);
            if matches!(symbol.value, SymbolValue::Code(_)) {
                made.at.entry(address).or_insert(&symbol.name);
            }
        }
        let mut seen = BTreeMap::new();
        for data in modules.iter().flat_map(|m| &m.data) {
            seen.entry(data.name.as_str()).or_insert(data);
        }
        for (name, data) in seen {
            let (Some(at), Some(space)) = (made.addresses.get(name).copied(), ability.space(data.space))
            else {
                continue;
            };
            made.write(space, at, &data.bytes);
            for relocation in &data.relocations {
                let target = made.addresses.get(relocation.symbol.as_str()).copied().unwrap_or(0);
                let word = target.wrapping_add_signed(relocation.addend);
                made.write(space, at.wrapping_add(relocation.offset), &word.to_le_bytes());
            }
        }
        made
    }

    fn put(&mut self, space: SpaceId, address: u32, byte: u8) {
        let page = self.memory.entry((space, address / PAGE as u32)).or_insert_with(|| Box::new([0; PAGE]));
        page[address as usize % PAGE] = byte;
    }

    fn get(&self, space: SpaceId, address: u32) -> u8 {
        self.memory.get(&(space, address / PAGE as u32)).map_or(0, |page| page[address as usize % PAGE])
    }

    /// Writes bytes.
    pub fn write(&mut self, space: SpaceId, address: u32, bytes: &[u8]) {
        for (k, byte) in (0u32..).zip(bytes) {
            self.put(space, address.wrapping_add(k), *byte);
        }
    }

    /// Reads bytes.
    #[must_use]
    pub fn read(&self, space: SpaceId, address: u32, count: u32) -> Vec<u8> {
        (0..count).map(|k| self.get(space, address.wrapping_add(k))).collect()
    }

    /// What was written to the output.
    #[must_use]
    pub fn output(&self) -> &[u8] {
        &self.output
    }

    fn address(&self, name: &str) -> Result<u32, Stop> {
        self.addresses.get(name).copied().ok_or_else(|| Stop::Undefined(name.to_owned()))
    }

    fn function(&self, address: u32) -> Result<&'a str, Stop> {
        self.at.get(&address).copied().ok_or(Stop::Missing("a function"))
    }

    /// Whether an access is inside its memory and at a multiple of its size.
    fn check(&self, memory: SpaceId, address: u32, bytes: u32) -> Result<(), Wrong> {
        let (first, last) = self.bounds[memory.index()];
        let inside =
            u64::from(address) >= first && u64::from(address) + u64::from(bytes) <= last.saturating_add(1);
        if inside && address.is_multiple_of(bytes) { Ok(()) } else { Err(Wrong::Access { address, bytes }) }
    }

    fn load(&self, memory: SpaceId, address: u32, bytes: u32) -> Result<u32, Wrong> {
        self.check(memory, address, bytes)?;
        Ok((0..bytes).map(|k| u32::from(self.get(memory, address + k)) << (8 * k)).sum())
    }

    fn store(&mut self, memory: SpaceId, address: u32, bytes: u32, value: u32) -> Result<(), Wrong> {
        self.check(memory, address, bytes)?;
        for (k, byte) in (0..bytes).zip(value.to_le_bytes()) {
            self.put(memory, address + k, byte);
        }
        Ok(())
    }

    fn memory_of(&self, space: u32) -> Result<SpaceId, Wrong> {
        self.spaces.get(space as usize).copied().flatten().ok_or(Wrong::Operands)
    }

    /// What an operation gives that needs no memory; `None` for one without a result.
    fn operate(&mut self, op: Op, inputs: &[u32]) -> Result<Vec<u64>, Wrong> {
        let input = |k: usize| inputs.get(k).copied().map(u64::from).ok_or(Wrong::Operands);
        let semantics = op.info().semantics;
        Ok(match semantics {
            Semantics::Unary(_) | Semantics::Binary(_) | Semantics::Ternary(_) | Semantics::Pair(_) => {
                semantics.values(input)?.unwrap_or_default()
            }
            Semantics::Device(Device::WriteByte) => {
                self.output.push((input(0)? & 0xff) as u8);
                Vec::new()
            }
            Semantics::Device(Device::WriteNumber) => {
                let number = ((input(0)? & 0xffff_ffff) as u32).cast_signed();
                self.output.extend(format!("{number}\n").into_bytes());
                Vec::new()
            }
            Semantics::Device(Device::Ignore) => Vec::new(),
            _ => return Err(Wrong::Operands),
        })
    }

    /// A call that stands for an operation of the machine.
    fn named_operation(&mut self, name: &str) -> Result<(), Wrong> {
        let op = Op::named(name).ok_or_else(|| Stop::Undefined(name.to_owned()))?;
        let arguments: Vec<u32> = self.registers[10..18].to_vec();
        if let Some(result) = self.operate(op, &arguments)?.first() {
            self.registers[10] = (result & 0xffff_ffff) as u32;
        }
        Ok(())
    }

    /// A new call of a function with these objects on its stack, above `passed` bytes for what it passes on. Gives their
    /// addresses and the stack pointer before the call.
    fn frame(&mut self, passed: u32, objects: impl Iterator<Item = (u32, u32)>) -> (Vec<u32>, u32) {
        let (mut size, mut most) = (passed, 16);
        let mut places = Vec::new();
        for (bytes, align) in objects {
            size = size.next_multiple_of(align.max(1));
            places.push(size);
            size += bytes;
            most = most.max(align);
        }
        let entry = self.registers[STACK_POINTER];
        let bottom = entry.wrapping_sub(size) / most * most;
        self.registers[STACK_POINTER] = bottom;
        (places.into_iter().map(|at| at.wrapping_add(bottom)).collect(), entry)
    }
}
