//! Machine IR to a program: what the entry reaches is lifted, gets its registers, is scheduled and linked.
//!
//! In: modules of machine IR and a machine. Out: a program that sets the stack pointer up, calls the entry, and halts with
//! the entry's result. Functions are compiled callees first, so that a caller knows which registers its callees write.

mod unit;

pub use unit::{UnitCompiler, UnitProgram};

use crate::allocate::{AllocateError, Allocated, Clobbers, Convention, allocate};
use crate::code::shape::Shape;
use crate::code::{
    self, Block, Callee, Class, FIXED, Input, Node, STACK_POINTER, Terminator, Value, advance, constants,
    predicate, reassociate, tidy,
};
use crate::device_main::MainError;
use crate::lift::{Ability, LiftError, Symbols, Unsuitable, lift};
use crate::link::{DataBases, DataObject, LinkError, Piece, link};
use crate::machine_ir::{self, Module};
use crate::model::{Machine, SpaceId};
use crate::program::{Program, SymbolValue};
use crate::schedule::mir::SymbolRef;
use crate::schedule::{BlockReport, Options, ScheduleError, Scheduled, reaches, schedule};
use std::collections::{BTreeMap, BTreeSet};

/// The name of the code that runs first.
const START: &str = "oxcl_start";

/// Why a program cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// Nothing can be compiled for the machine.
    #[error(transparent)]
    Unsuitable(#[from] Unsuitable),
    /// The machine has too few registers of one kind.
    #[error("the machine has too few registers, or none that a guard can test and a bus can write")]
    NoRegisters,
    /// A function cannot be lifted.
    #[error(transparent)]
    Lift(#[from] LiftError),
    /// A function finds no registers.
    #[error(transparent)]
    Allocate(#[from] AllocateError),
    /// A function cannot be scheduled.
    #[error("function '{function}': {error}")]
    Schedule {
        /// The function.
        function: String,
        /// Why.
        error: ScheduleError,
    },
    /// The parts do not make a program.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// An object in a space that the machine does not have.
    #[error("'{object}' is in OpenCL's address space {space}, for which the machine has none")]
    Space {
        /// The object.
        object: String,
        /// The space.
        space: u32,
    },
    /// There is no device program for the machine.
    #[error("the device program: {0}")]
    DeviceMain(#[from] MainError),
    /// The data and the stack do not fit.
    #[error(
        "the stack of {stack} bytes does not fit above {data} bytes of data in the address space '{space}' of {room} bytes"
    )]
    StackFull {
        /// Bytes of stack.
        stack: u64,
        /// Bytes of data.
        data: u64,
        /// The space.
        space: String,
        /// Bytes of the space.
        room: u64,
    },
}

impl CompileError {
    /// Whether code is farther away than the jumps to it were scheduled for.
    fn is_out_of_reach(&self) -> bool {
        let far = matches!(self, Self::Link(LinkError::OutOfReach { .. }));
        far || matches!(self, Self::Schedule { error: ScheduleError::TooLong { .. }, .. })
    }

    /// Whether the machine lacks a way for something.
    fn is_pathless(&self) -> bool {
        matches!(self, Self::Schedule { error: ScheduleError::NoPlace { .. }, .. })
    }
}

/// A compiled program.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// The program.
    pub program: Program,
    /// The first address above the data, in each space that has data.
    pub data_ends: BTreeMap<SpaceId, u64>,
    /// The stack's lowest address.
    pub stack_bottom: u64,
    /// The blocks of all functions in the order of the instructions; `start` counts from the program's first.
    pub blocks: Vec<CompiledBlock>,
}

/// A block of a compiled program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompiledBlock {
    /// Its function.
    pub function: String,
    /// Where it is and how long, and how short it could be.
    pub report: BlockReport,
}

/// Bytes of stack where functions call themselves or through pointers, so that its depth is not known.
const DEEP_STACK: u64 = 1 << 16;

/// Everything up to scheduled code, for one machine.
#[derive(Debug)]
struct Compiler<'a> {
    machine: &'a Machine,
    ability: Ability,
    convention: Convention,
    options: Options,
    symbols: Symbols,
    objects: BTreeMap<&'a str, &'a machine_ir::Data>,
    functions: BTreeMap<&'a str, &'a machine_ir::Function>,
    clobbers: Clobbers,
    /// Finished functions in the order of their names, and the bytes of stack that each takes with its callees.
    done: Vec<(Allocated, Scheduled)>,
    depths: BTreeMap<String, u64>,
    /// Functions on the way to the current one.
    open: BTreeSet<String>,
    /// What compiles functions that are not among [`Self::functions`], for units that several share.
    routines: Option<Box<Compiler<'a>>>,
    /// Routines that were reached.
    reached: BTreeSet<String>,
}

/// Compiles what `entry` reaches in `modules`. Symbols of earlier modules hide those of later ones.
///
/// # Errors
/// See [`CompileError`].
pub fn compile(machine: &Machine, modules: &[Module], entry: &str) -> Result<Compiled, CompileError> {
    compile_within(machine, modules, entry, &reaches(machine))
}

/// Compiles as [`compile`] does, with jumps for the first of these largest instruction addresses that the program gets along
/// with.
///
/// # Errors
/// See [`CompileError`].
pub fn compile_within(
    machine: &Machine,
    modules: &[Module],
    entry: &str,
    limits: &[u64],
) -> Result<Compiled, CompileError> {
    widened(limits, |limit| compile_for(machine, modules, entry, limit))
}

/// What `attempt` gives for the first limit within which all code is in reach.
fn widened<T>(
    limits: &[u64],
    mut attempt: impl FnMut(u64) -> Result<T, CompileError>,
) -> Result<T, CompileError> {
    let (last, nearer) = limits.split_last().map_or((0x7fff, &[][..]), |(last, nearer)| (*last, nearer));
    let mut far = None;
    for limit in nearer {
        match attempt(*limit) {
            Err(error) if error.is_out_of_reach() => far = Some(error),
            other => return other,
        }
    }
    attempt(last).map_err(|error| match far {
        // A machine may have constants of that width, and no way for them to the control unit.
        Some(far) if error.is_pathless() => far,
        _ => error,
    })
}

fn compile_for(
    machine: &Machine,
    modules: &[Module],
    entry: &str,
    limit: u64,
) -> Result<Compiled, CompileError> {
    let mut compiler = Compiler::new(machine, modules, limit)?;
    let named = compiler.reach(entry)?;
    let space = compiler.ability.space(0).ok_or(AllocateError::NoStack)?;
    let data = compiler.data(&named);
    let depth = compiler.depths.get(entry).copied().unwrap_or(DEEP_STACK) + 64;
    let facts = &machine.spaces[space.index()];
    let align = u64::from(compiler.convention.stack_align);
    let top = (facts.max_address.min(0xffff_ffff) + 1) / align * align;
    let room = facts.max_address.saturating_sub(facts.min_address);
    let stack = depth.min(if depth >= DEEP_STACK { room / 2 } else { depth }).next_multiple_of(align);
    let bases: DataBases = machine
        .spaces()
        .map(|(id, s)| {
            let end = s.max_address.saturating_add(1);
            let from = s.min_address.max(16);
            (id, (from, if id == space { top.saturating_sub(stack).max(from) } else { end }))
        })
        .collect();
    if top < stack + bases[&space].0 {
        let used = data.iter().filter(|o| o.space == space).map(|o| o.size).sum();
        return Err(CompileError::StackFull { stack, data: used, space: facts.name.clone(), room: top });
    }
    let top = u32::try_from(top.min(0xffff_ff80)).unwrap_or(0xffff_ff80);
    compiler.start(entry, top)?;
    let pieces: Vec<Piece<'_>> = compiler
        .done
        .iter()
        .rev()
        .map(|(allocated, code)| Piece {
            name: &allocated.function.name,
            symbols: &allocated.function.symbols,
            code,
        })
        .collect();
    let program = link(machine, &pieces, &data.iter().collect::<Vec<_>>(), &bases, &BTreeMap::new(), START)?;
    let mut data_ends: BTreeMap<SpaceId, u64> = bases.iter().map(|(id, (from, _))| (*id, *from)).collect();
    for object in &data {
        if let Some(SymbolValue::Data { space, address }) = program.symbol(&object.name) {
            let end = data_ends.entry(space).or_default();
            *end = (*end).max(address + object.size);
        }
    }
    let blocks = compiler.blocks(&program);
    Ok(Compiled { program, data_ends, stack_bottom: u64::from(top).saturating_sub(stack), blocks })
}

fn data_object(data: &machine_ir::Data, space: SpaceId) -> DataObject {
    let mut bytes = data.bytes.clone();
    let end = data.relocations.iter().map(|r| r.offset as usize + 4).max().unwrap_or(0);
    bytes.resize(bytes.len().max(end), 0);
    DataObject {
        name: data.name.clone(),
        space,
        align: data.align.max(4),
        bytes,
        size: u64::from(data.size),
        relocations: data
            .relocations
            .iter()
            .map(|r| (r.offset, r.symbol.clone(), r.addend.cast_unsigned()))
            .collect(),
    }
}

impl<'a> Compiler<'a> {
    fn new(
        machine: &'a Machine,
        modules: impl IntoIterator<Item = &'a Module>,
        limit: u64,
    ) -> Result<Self, CompileError> {
        let ability = Ability::of(machine)?;
        let mut objects = BTreeMap::new();
        let mut symbols = Symbols::new();
        let mut functions = BTreeMap::new();
        let mut align = 16;
        for module in modules {
            for data in &module.data {
                let space = ability.space(data.space);
                let space = space
                    .ok_or_else(|| CompileError::Space { object: data.name.clone(), space: data.space })?;
                symbols.entry(data.name.clone()).or_insert(space);
                objects.entry(data.name.as_str()).or_insert(data);
            }
            for function in &module.functions {
                functions.entry(function.name.as_str()).or_insert(function);
                align = function.stack.iter().map(|o| o.align).fold(align, u32::max);
            }
        }
        let convention = Convention::of(machine, align).ok_or(CompileError::NoRegisters)?;
        Ok(Self {
            machine,
            ability,
            convention,
            options: Options { code_limit: limit, ..Options::new(machine) },
            symbols,
            objects,
            functions,
            clobbers: Clobbers::new(),
            done: Vec::new(),
            depths: BTreeMap::new(),
            open: BTreeSet::new(),
            routines: None,
            reached: BTreeSet::new(),
        })
    }

    /// Compiles what `entry` reaches; gives the names that are reached.
    fn reach(&mut self, entry: &str) -> Result<BTreeSet<String>, CompileError> {
        // Functions whose addresses are taken are reached through data as well.
        let mut named: BTreeSet<String> = BTreeSet::from([entry.to_owned()]);
        let mut waiting = vec![entry.to_owned()];
        self.function(entry, &mut named, &mut waiting)?;
        while let Some(name) = waiting.pop() {
            if let Some(data) = self.objects.get(name.as_str()) {
                for relocation in &data.relocations {
                    if named.insert(relocation.symbol.clone()) {
                        waiting.push(relocation.symbol.clone());
                    }
                }
            } else {
                self.function(&name, &mut named, &mut waiting)?;
            }
        }
        Ok(named)
    }

    /// The objects among these names, in the order in which they are placed.
    fn data(&self, named: &BTreeSet<String>) -> Vec<DataObject> {
        let objects = named.iter().filter_map(|name| self.objects.get(name.as_str()));
        let mut data: Vec<DataObject> =
            objects.map(|object| data_object(object, self.symbols[object.name.as_str()])).collect();
        data.sort_by_key(|object| (object.space, std::cmp::Reverse(object.align), object.name.clone()));
        data
    }

    /// Compiles a function and first what it calls. Names that it mentions are added to `named`, new ones to `waiting`.
    fn function(
        &mut self,
        name: &str,
        named: &mut BTreeSet<String>,
        waiting: &mut Vec<String>,
    ) -> Result<(), CompileError> {
        if self.depths.contains_key(name) || self.open.contains(name) {
            return Ok(());
        }
        // Functions that are missing are the linker's to report.
        let Some(source) = self.functions.get(name).copied() else { return self.routine(name) };
        let mut code = lift(&self.ability, source, &self.symbols)?;
        tidy::tidy(&mut code);
        self.shape_code(&mut code);
        self.open.insert(name.to_owned());
        let mut depth = 0_u64;
        let mut reached = BTreeSet::new();
        for block in &code.blocks {
            match &block.terminator {
                Terminator::Call { callee: Callee::Symbol(symbol), .. } => {
                    reached.insert(code.symbols[*symbol as usize].name.clone());
                }
                Terminator::Call { callee: Callee::Value(_), .. } => depth = DEEP_STACK,
                _ => {}
            }
        }
        for callee in reached {
            self.function(&callee, named, waiting)?;
            // One that is open calls itself in the end.
            depth = depth.max(self.depths.get(&callee).copied().unwrap_or(DEEP_STACK));
        }
        for symbol in &code.symbols {
            if named.insert(symbol.name.clone()) {
                waiting.push(symbol.name.clone());
            }
        }
        self.open.remove(name);
        self.finish(code, depth)
    }

    /// Gives a function the form that suits the machine.
    fn shape_code(&self, code: &mut code::Function) {
        // With hardly any registers nothing is gained by having more to do at once.
        if self.ability.is_small() {
            return;
        }
        let shape = Shape::of(self.machine, &self.convention);
        predicate::convert(code, &shape);
        reassociate::reassociate(code, &shape);
        advance::advance(code, &shape);
        tidy::tidy(code);
        constants::keep(code, self.machine, self.convention.words.len());
    }

    /// Registers and schedule of a function whose callees are done.
    fn finish(&mut self, code: code::Function, depth: u64) -> Result<(), CompileError> {
        let allocated = allocate(&self.ability, &self.convention, code, &self.clobbers)?;
        let name = allocated.function.name.clone();
        let scheduled = schedule(self.machine, &allocated.function, &self.options)
            .map_err(|error| CompileError::Schedule { function: name.clone(), error })?;
        self.depths.insert(name.clone(), depth.min(DEEP_STACK) + u64::from(allocated.frame));
        self.clobbers.insert(name, allocated.clobbers.clone());
        self.done.push((allocated, scheduled));
        Ok(())
    }

    /// Where the blocks are in the linked program.
    fn blocks(&self, program: &Program) -> Vec<CompiledBlock> {
        let mut all = Vec::new();
        for (allocated, code) in &self.done {
            let function = &allocated.function.name;
            let Some(SymbolValue::Code(first)) = program.symbol(function) else { continue };
            let place = |report: &BlockReport| CompiledBlock {
                function: function.clone(),
                report: BlockReport { start: report.start + first, ..*report },
            };
            all.extend(code.blocks.iter().map(place));
        }
        all.sort_by_key(|block| block.report.start);
        all
    }

    /// The code that runs first.
    fn start(&mut self, entry: &str, top: u32) -> Result<(), CompileError> {
        let result = Value(10);
        let first = Block {
            nodes: vec![Node::copy(Input::Constant(top), STACK_POINTER)],
            terminator: Terminator::Call {
                callee: Callee::Symbol(0),
                arguments: Vec::new(),
                results: vec![result],
                next: 1,
            },
            weight: 1,
        };
        let last =
            Block { nodes: Vec::new(), terminator: Terminator::Halt { results: vec![result] }, weight: 1 };
        let code = code::Function {
            name: START.to_owned(),
            blocks: vec![first, last],
            classes: vec![Class::Word; FIXED as usize],
            symbols: vec![SymbolRef { name: entry.to_owned(), space: None }],
            ..code::Function::default()
        };
        let allocated =
            crate::allocate::allocate_start(&self.ability, &self.convention, &code, &self.clobbers)?;
        let scheduled = schedule(self.machine, &allocated.function, &self.options)
            .map_err(|error| CompileError::Schedule { function: START.to_owned(), error })?;
        self.done.push((allocated, scheduled));
        Ok(())
    }
}
