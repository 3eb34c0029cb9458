//! A module's parts: what its sections say, gathered by the ids that they say it of.
//!
//! In: instructions. Out: entry points, modes, names, decorations, texts, and where types, constants, variables and functions
//! are. Capabilities, extensions and sets that are not supported are refused here, by name.

use std::collections::{BTreeMap, BTreeSet};

use oxcl_binary::il::{CAPABILITIES, EXTENSIONS, INSTRUCTION_SETS, NON_SEMANTIC, OPENCL_STD};
use rspirv::dr::Operand;
use rspirv::spirv::{
    AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, LinkageType, MemoryModel, Op,
};

use crate::error::{Reason, Result, SpirvError, invalid, malformed, not_supported};
use crate::words::{Instruction, parse};

/// Size of an address in device code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addresses {
    /// 32 bits.
    Bits32,
    /// 64 bits.
    Bits64,
}

impl Addresses {
    /// The number of bits.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::Bits32 => 32,
            Self::Bits64 => 64,
        }
    }
}

/// A kernel.
#[derive(Debug)]
pub(crate) struct EntryPoint {
    pub(crate) word: usize,
    pub(crate) function: u32,
    pub(crate) name: String,
}

/// What is said of an id beside its definition.
#[derive(Debug, Clone)]
pub(crate) struct Decorated {
    pub(crate) word: usize,
    pub(crate) what: Decoration,
    pub(crate) operands: Vec<Operand>,
}

impl Decorated {
    pub(crate) fn number(&self) -> Option<u32> {
        match self.operands.first() {
            Some(Operand::LiteralBit32(number)) => Some(*number),
            _ => None,
        }
    }
}

/// How a function or variable is seen from other modules.
#[derive(Debug, Clone)]
pub(crate) struct Linkage {
    pub(crate) name: String,
    pub(crate) how: LinkageType,
}

/// A set of instructions beyond the core's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Set {
    OpenCl,
    /// Says nothing about what is computed.
    Debug,
}

/// A function: its instructions, from `OpFunction` to before `OpFunctionEnd`.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) id: u32,
    pub(crate) instructions: std::ops::Range<usize>,
}

/// A module in parts.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) addresses: Addresses,
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) capabilities: BTreeSet<&'static str>,
    pub(crate) extensions: BTreeSet<String>,
    pub(crate) entry_points: Vec<EntryPoint>,
    pub(crate) modes: BTreeMap<u32, Vec<(ExecutionMode, Vec<u32>, usize)>>,
    pub(crate) names: BTreeMap<u32, String>,
    pub(crate) texts: BTreeMap<u32, String>,
    pub(crate) sets: BTreeMap<u32, Set>,
    decorations: BTreeMap<u32, Vec<Decorated>>,
    /// Types, constants and variables, by their places among the instructions.
    pub(crate) globals: Vec<usize>,
    pub(crate) functions: Vec<Body>,
}

impl Module {
    /// Everything that is said of an id.
    pub(crate) fn decorations(&self, id: u32) -> &[Decorated] {
        self.decorations.get(&id).map_or(&[], Vec::as_slice)
    }

    /// One thing that is said of an id.
    pub(crate) fn decoration(&self, id: u32, what: Decoration) -> Option<&Decorated> {
        self.decorations(id).iter().find(|one| one.what == what)
    }

    pub(crate) fn has(&self, id: u32, what: Decoration) -> bool {
        self.decoration(id, what).is_some()
    }

    /// How an id is seen from other modules, if it is.
    ///
    /// Some compilers write a kernel as two functions: one that is exported by the kernel's name, and the entry point of that
    /// name, which calls it. The name is the kernel's then, and the exported one is the module's own.
    pub(crate) fn linkage(&self, id: u32) -> Option<Linkage> {
        match self.decoration(id, Decoration::LinkageAttributes)?.operands.as_slice() {
            [Operand::LiteralString(name), Operand::LinkageType(LinkageType::Export)]
                if self.entry_points.iter().any(|kernel| kernel.name == *name) =>
            {
                None
            }
            [Operand::LiteralString(name), Operand::LinkageType(how)] => {
                Some(Linkage { name: name.clone(), how: *how })
            }
            _ => None,
        }
    }

    pub(crate) fn name(&self, id: u32) -> Option<&str> {
        self.names.get(&id).map(String::as_str).filter(|name| !name.is_empty())
    }
}

/// Reads a module's parts.
///
/// # Errors
/// The bytes are no SPIR-V, its sections are out of order, or it asks for what is not supported.
pub(crate) fn read(bytes: &[u8]) -> Result<Module> {
    let instructions = parse(bytes)?.instructions;
    let mut reader = Reader {
        module: Module {
            addresses: Addresses::Bits64,
            instructions: Vec::new(),
            capabilities: BTreeSet::new(),
            extensions: BTreeSet::new(),
            entry_points: Vec::new(),
            modes: BTreeMap::new(),
            names: BTreeMap::new(),
            texts: BTreeMap::new(),
            sets: BTreeMap::new(),
            decorations: BTreeMap::new(),
            globals: Vec::new(),
            functions: Vec::new(),
        },
        groups: Vec::new(),
        memory_model: false,
        open: None,
        defined: BTreeSet::new(),
    };
    for (index, instruction) in instructions.iter().enumerate() {
        reader.take(index, instruction)?;
    }
    reader.finish(instructions)
}

struct Reader {
    module: Module,
    /// Members of groups: the group and the target.
    groups: Vec<(u32, u32)>,
    memory_model: bool,
    /// The function that instructions are in: its id, and where it begins.
    open: Option<(u32, usize)>,
    defined: BTreeSet<u32>,
}

impl Reader {
    fn take(&mut self, index: usize, i: &Instruction) -> Result<()> {
        if let Some(id) = i.id
            && !self.defined.insert(id)
        {
            return Err(invalid(i.word, format!("id {id} is defined twice")));
        }
        let module = &mut self.module;
        if let Some((id, start)) = self.open {
            match i.op {
                Op::Function => return Err(invalid(i.word, "a function in a function")),
                Op::FunctionEnd => {
                    module.functions.push(Body { id, instructions: start..index });
                    self.open = None;
                }
                _ => {}
            }
            return Ok(());
        }
        match i.op {
            Op::Capability => {
                if let Some(Operand::Capability(capability)) = i.operands.first() {
                    module.capabilities.insert(supported(i.word, *capability)?);
                }
            }
            Op::Extension => {
                let name = i.text_at(0)?;
                if !EXTENSIONS.iter().any(|known| known.to_bytes() == name.as_bytes()) {
                    return Err(not_supported(i.word, format!("extension {name}")));
                }
                module.extensions.insert(name.to_owned());
            }
            Op::ExtInstImport => {
                let name = i.text_at(0)?;
                let is = |known: &std::ffi::CStr| known.to_bytes() == name.as_bytes();
                let set = if is(OPENCL_STD) {
                    Set::OpenCl
                } else if INSTRUCTION_SETS.iter().any(|known| is(known)) || name.starts_with(NON_SEMANTIC) {
                    Set::Debug
                } else {
                    return Err(not_supported(i.word, format!("the set of instructions {name}")));
                };
                module.sets.insert(i.result()?, set);
            }
            Op::MemoryModel => self.memory_model(i)?,
            Op::EntryPoint => self.entry_point(i)?,
            Op::ExecutionMode | Op::ExecutionModeId => {
                let Some(Operand::ExecutionMode(mode)) = i.operands.get(1) else {
                    return Err(malformed(i.word, "an execution mode was expected"));
                };
                let rest = if i.op == Op::ExecutionMode { i.numbers_from(2)? } else { i.ids_from(2)? };
                module.modes.entry(i.id_at(0)?).or_default().push((*mode, rest, i.word));
            }
            Op::String => {
                module.texts.insert(i.result()?, i.text_at(0)?.to_owned());
            }
            Op::Name => {
                module.names.insert(i.id_at(0)?, i.text_at(1)?.to_owned());
            }
            Op::Decorate | Op::DecorateId => self.decorate(i)?,
            Op::GroupDecorate => {
                let group = i.id_at(0)?;
                self.groups.extend(i.ids_from(1)?.into_iter().map(|target| (group, target)));
            }
            Op::Function => self.open = Some((i.result()?, index)),
            Op::Nop
            | Op::Source
            | Op::SourceContinued
            | Op::SourceExtension
            | Op::MemberName
            | Op::MemberDecorate
            | Op::MemberDecorateString
            | Op::DecorateString
            | Op::GroupMemberDecorate
            | Op::DecorationGroup
            | Op::ModuleProcessed
            | Op::Line
            | Op::NoLine
            // Hints on memory that accesses do not share: [`crate::access`] reads over them.
            | Op::AliasDomainDeclINTEL
            | Op::AliasScopeDeclINTEL
            | Op::AliasScopeListDeclINTEL => {}
            Op::ExtInst => {
                let set = i.id_at(0)?;
                if module.sets.get(&set) != Some(&Set::Debug) {
                    return Err(invalid(i.word, "an instruction outside of functions"));
                }
            }
            _ => module.globals.push(index),
        }
        Ok(())
    }

    fn memory_model(&mut self, i: &Instruction) -> Result<()> {
        let [Operand::AddressingModel(addressing), Operand::MemoryModel(memory)] = i.operands.as_slice()
        else {
            return Err(malformed(i.word, "a memory model was expected"));
        };
        self.module.addresses = match addressing {
            AddressingModel::Physical32 => Addresses::Bits32,
            AddressingModel::Physical64 => Addresses::Bits64,
            other => return Err(not_supported(i.word, format!("addressing model {other:?}"))),
        };
        if *memory != MemoryModel::OpenCL {
            return Err(not_supported(i.word, format!("memory model {memory:?}")));
        }
        self.memory_model = true;
        Ok(())
    }

    fn entry_point(&mut self, i: &Instruction) -> Result<()> {
        match i.operands.first() {
            Some(Operand::ExecutionModel(ExecutionModel::Kernel)) => {}
            Some(Operand::ExecutionModel(other)) => {
                return Err(not_supported(i.word, format!("execution model {other:?}")));
            }
            _ => return Err(malformed(i.word, "an execution model was expected")),
        }
        let name = i.text_at(2)?.to_owned();
        if name.is_empty() {
            return Err(invalid(i.word, "a kernel without a name"));
        }
        if self.module.entry_points.iter().any(|entry| entry.name == name) {
            return Err(invalid(i.word, format!("two kernels are called '{name}'")));
        }
        self.module.entry_points.push(EntryPoint { word: i.word, function: i.id_at(1)?, name });
        Ok(())
    }

    fn decorate(&mut self, i: &Instruction) -> Result<()> {
        let Some(Operand::Decoration(what)) = i.operands.get(1) else {
            return Err(malformed(i.word, "a decoration was expected"));
        };
        let decorated = Decorated { word: i.word, what: *what, operands: i.operands[2..].to_vec() };
        self.module.decorations.entry(i.id_at(0)?).or_default().push(decorated);
        Ok(())
    }

    fn finish(mut self, instructions: Vec<Instruction>) -> Result<Module> {
        let end = instructions.last().map_or(0, |last| last.word);
        if let Some((_, start)) = self.open {
            return Err(invalid(instructions[start].word, "a function without an end"));
        }
        if !self.memory_model {
            return Err(invalid(end, "the module has no memory model"));
        }
        for (group, target) in self.groups {
            if let Some(decorations) = self.module.decorations.get(&group).cloned() {
                self.module.decorations.entry(target).or_default().extend(decorations);
            }
        }
        for entry in &self.module.entry_points {
            if !self.module.functions.iter().any(|body| body.id == entry.function) {
                return Err(invalid(entry.word, format!("kernel '{}' has no function", entry.name)));
            }
        }
        self.module.instructions = instructions;
        Ok(self.module)
    }
}

impl Module {
    /// Fails where the module's addresses are not the device's.
    pub(crate) fn check_addresses(&self, device: Addresses) -> Result<()> {
        if self.addresses == device {
            return Ok(());
        }
        let model = self.instructions.iter().find(|i| i.op == Op::MemoryModel);
        let reason = Reason::Addresses { module: self.addresses.bits(), device: device.bits() };
        Err(SpirvError { word: model.map_or(0, |i| i.word), reason })
    }
}

fn supported(word: usize, capability: Capability) -> Result<&'static str> {
    let found = CAPABILITIES.iter().find(|(known, _)| *known == capability as u32);
    found.map(|(_, name)| *name).ok_or_else(|| not_supported(word, format!("capability {capability:?}")))
}
