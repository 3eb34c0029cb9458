//! Cores and memories together: loading, lock step, and a view of the state.
//!
//! All cores execute cycle t before any executes cycle t + 1. Loads of cycle t see the stores of earlier cycles, of any core;
//! stores and atomic operations of one cycle take effect at its end in the order of the cores, and within a core in the
//! order of the buses. So of two stores to one word in one cycle that of the core with the highest number remains. A
//! core whose program has ended stands still.

use crate::effect::{self, Access};
use crate::fast::{Decoded, FastCore, decode};
use crate::fault::{Fault, FaultKind, LoadError};
use crate::layout::Layout;
use crate::memory::{AccessError, Memory};
use crate::strict::{Prepared, StrictCore};
use oxcl_tta::check::check;
use oxcl_tta::image::Image;
use oxcl_tta::model::{FileId, Machine, SpaceId, UnitId};
use std::sync::Arc;

/// How a system executes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Ends at the first hazard.
    Strict,
    /// Takes it that there are none.
    Fast,
}

/// A core to be made: its program, and for each address space of its machine the memory behind it.
#[derive(Debug, Clone)]
pub struct CoreSetup {
    /// The machine and the program.
    pub image: Arc<Image>,
    /// Positions among the system's memories, one for each address space in the machine's order.
    pub memories: Vec<usize>,
    /// Every instruction has been held against the machine already ([`oxcl_tta::check`]).
    pub checked: bool,
}

/// Why [`System::run`] came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// Every core's program has ended.
    Ended,
    /// The cycle asked for is reached.
    Limit,
}

/// A core and what it executes.
#[derive(Debug)]
enum Cores {
    Strict(Vec<(StrictCore, Prepared)>),
    Fast(Vec<(FastCore, Decoded)>),
}

/// Cores in lock step and their memories.
#[derive(Debug)]
pub struct System {
    setups: Vec<CoreSetup>,
    layouts: Vec<Arc<Layout>>,
    cores: Cores,
    memories: Vec<Memory>,
    cycle: u64,
    /// Cores that stand still although their programs have not ended.
    paused: Vec<bool>,
}

/// What the counters of a core hold: for each instruction how often it was executed, for each of its moves how often the
/// guard kept it from happening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    /// Cycles.
    pub cycles: u64,
    /// Executions by instruction.
    pub executed: Vec<u64>,
    /// Moves that did not happen, by instruction and move.
    pub squashed: Vec<Vec<u64>>,
    /// Results overwritten before they were read; only the strict engine counts them.
    pub unread: Option<u64>,
}

impl System {
    /// A system in which every address space marked as shared is one memory for all cores that name one like it, and
    /// every other space is a memory of its core.
    ///
    /// # Errors
    /// A program that its machine cannot execute, or that uses operations without a known meaning.
    pub fn with_own_memories(images: &[Arc<Image>], engine: Engine) -> Result<Self, LoadError> {
        let mut memories = Vec::new();
        let mut shared: Vec<(String, usize)> = Vec::new();
        let mut setups = Vec::new();
        for image in images {
            let mut positions = Vec::new();
            for space in &image.machine.spaces {
                let found = shared.iter().find(|(name, _)| space.shared && *name == space.name);
                if let Some((_, position)) = found {
                    positions.push(*position);
                    continue;
                }
                // One memory for several cores ends where the smallest of their spaces does.
                let ends = images
                    .iter()
                    .flat_map(|i| &i.machine.spaces)
                    .filter(|s| space.shared && s.shared && s.name == space.name)
                    .map(|s| s.max_address);
                let max = ends.min().unwrap_or(space.max_address);
                if space.shared {
                    shared.push((space.name.clone(), memories.len()));
                }
                positions.push(memories.len());
                memories.push(Memory::new(space.min_address, max));
            }
            setups.push(CoreSetup { image: Arc::clone(image), memories: positions, checked: false });
        }
        Self::new(setups, memories, engine)
    }

    /// A system of these cores and memories, with the programs' initial data in place.
    ///
    /// # Errors
    /// A program that its machine cannot execute, or that uses operations without a known meaning.
    pub fn new(setups: Vec<CoreSetup>, mut memories: Vec<Memory>, engine: Engine) -> Result<Self, LoadError> {
        Self::over(setups, &mut memories, engine)
    }

    /// The same, which takes the memories only if there is a system; else they are as they were.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn over(
        setups: Vec<CoreSetup>,
        memories: &mut Vec<Memory>,
        engine: Engine,
    ) -> Result<Self, LoadError> {
        let (mut strict, mut fast, mut layouts) = (Vec::new(), Vec::new(), Vec::new());
        for setup in &setups {
            let Image { machine, program } = &*setup.image;
            if !setup.checked
                && let Some(first) = check(machine, program, 1).into_iter().next()
            {
                return Err(first.into());
            }
            let count = program.instructions.len();
            if program.entry as usize >= count {
                return Err(LoadError::NoEntry { entry: program.entry, count });
            }
            for area in &program.data {
                let memory = &memories[setup.memories[area.space.index()]];
                if !memory.has(area.start, area.bytes.len() as u64) {
                    let space = machine.spaces[area.space.index()].name.clone();
                    return Err(LoadError::DataOutside { space, address: area.start });
                }
            }
            let layout = Arc::new(Layout::new(machine));
            let machine = Arc::clone(machine);
            let (places, entry) = (setup.memories.clone(), program.entry as usize);
            match engine {
                Engine::Strict => {
                    let prepared = Prepared::new(&machine, &layout, program)?;
                    let core = StrictCore::new(machine, Arc::clone(&layout), &prepared, places, entry);
                    strict.push((core, prepared));
                }
                Engine::Fast => {
                    let decoded = decode(&machine, &layout, program)?;
                    fast.push((FastCore::new(machine, &decoded, places, entry), decoded));
                }
            }
            layouts.push(layout);
        }
        let cores = match engine {
            Engine::Strict => Cores::Strict(strict),
            Engine::Fast => Cores::Fast(fast),
        };
        for setup in &setups {
            for area in &setup.image.program.data {
                let written = memories[setup.memories[area.space.index()]].write(area.start, &area.bytes);
                debug_assert!(written.is_ok(), "it was checked above");
            }
        }
        let paused = vec![false; setups.len()];
        Ok(Self { setups, layouts, cores, memories: std::mem::take(memories), cycle: 0, paused })
    }

    /// Cores.
    #[must_use]
    pub fn cores(&self) -> usize {
        self.setups.len()
    }

    /// The machine and the program of a core.
    #[must_use]
    pub fn image(&self, core: usize) -> &Arc<Image> {
        &self.setups[core].image
    }

    /// Cycles executed so far.
    #[must_use]
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Whether every core's program has ended.
    #[must_use]
    pub fn ended(&self) -> bool {
        (0..self.cores()).all(|core| self.halted(core))
    }

    /// Whether a core's program has ended.
    #[must_use]
    pub fn halted(&self, core: usize) -> bool {
        match &self.cores {
            Cores::Strict(cores) => cores[core].0.halted,
            Cores::Fast(cores) => cores[core].0.halted,
        }
    }

    /// Lets a core stand still, or go on where it stood. Whoever does that to a core that waits in a loop, and lets it go on after a
    /// whole number of rounds, changes nothing but the counts. Only [`Self::step`] heeds it.
    pub fn pause(&mut self, core: usize, paused: bool) {
        self.paused[core] = paused;
    }

    /// Whether a core stands still.
    #[must_use]
    pub fn paused(&self, core: usize) -> bool {
        self.paused[core]
    }

    /// Lets time pass in which no core does anything.
    pub fn skip(&mut self, cycles: u64) {
        self.cycle += cycles;
    }

    /// Gives the memories back, with what the programs have left in them.
    #[must_use]
    pub fn into_memories(self) -> Vec<Memory> {
        self.memories
    }

    /// The instruction that a core executes next.
    #[must_use]
    pub fn program_counter(&self, core: usize) -> usize {
        match &self.cores {
            Cores::Strict(cores) => cores[core].0.pc,
            Cores::Fast(cores) => cores[core].0.pc,
        }
    }

    /// Runs until every program has ended or `until` cycles have passed in all.
    ///
    /// # Errors
    /// The first fault; the system then stands where it happened.
    pub fn run(&mut self, until: u64) -> Result<Stop, Box<Fault>> {
        if let (Cores::Fast(cores), true) = (&mut self.cores, self.setups.len() == 1)
            && let Some((core, program)) = cores.first_mut()
        {
            let outcome = core.run(program, &mut self.memories, until);
            self.cycle = core.cycle;
            outcome.map_err(|fault| fault.locate(0, &self.setups[0].image.program))?;
        } else {
            while self.cycle < until && !self.ended() {
                self.step()?;
            }
        }
        Ok(if self.ended() { Stop::Ended } else { Stop::Limit })
    }

    /// Executes one cycle on every core whose program has not ended and that does not stand still.
    ///
    /// # Errors
    /// The first fault, that of the core with the lowest number.
    pub fn step(&mut self) -> Result<(), Box<Fault>> {
        let memories = &mut self.memories;
        let outcome = match &mut self.cores {
            Cores::Strict(cores) => step_strict(cores, memories, &self.paused),
            Cores::Fast(cores) => step_fast(cores, memories, &self.paused),
        };
        outcome.map_err(|(core, fault)| fault.locate(core, &self.setups[core].image.program))?;
        self.cycle += 1;
        Ok(())
    }

    /// The value of a register.
    #[must_use]
    pub fn register(&self, core: usize, file: FileId, index: u32) -> u64 {
        self.word(core, self.layouts[core].register(file, index))
    }

    /// What a port shows.
    #[must_use]
    pub fn port(&self, core: usize, unit: UnitId, port: u16) -> u64 {
        self.word(core, self.layouts[core].output(unit, port))
    }

    fn word(&self, core: usize, slot: usize) -> u64 {
        match &self.cores {
            Cores::Strict(cores) => cores[core].0.state[slot],
            Cores::Fast(cores) => cores[core].0.state[slot],
        }
    }

    /// Every word of a core's state, in an order that both engines share.
    #[must_use]
    pub fn state(&self, core: usize) -> &[u64] {
        let size = self.layouts[core].size;
        match &self.cores {
            Cores::Strict(cores) => &cores[core].0.state[..size],
            Cores::Fast(cores) => &cores[core].0.state[..size],
        }
    }

    /// The result of a core's program: the register that the exit names where it stands.
    #[must_use]
    pub fn result(&self, core: usize) -> Option<u64> {
        let program = &self.setups[core].image.program;
        let counts = self.counts(core);
        let reached = |at: u32| counts.executed.get(at as usize).is_some_and(|n| *n > 0);
        let exit = program.exits.iter().find(|e| reached(e.instruction))?;
        exit.result.map(|(file, index)| self.register(core, file, index))
    }

    /// Takes what a core has written to its output.
    pub fn take_output(&mut self, core: usize) -> Vec<u8> {
        match &mut self.cores {
            Cores::Strict(cores) => std::mem::take(&mut cores[core].0.world.output),
            Cores::Fast(cores) => std::mem::take(&mut cores[core].0.world.output),
        }
    }

    /// Adds bytes to what a core can read from its input.
    pub fn add_input(&mut self, core: usize, bytes: &[u8]) {
        match &mut self.cores {
            Cores::Strict(cores) => cores[core].0.world.input.extend(bytes),
            Cores::Fast(cores) => cores[core].0.world.input.extend(bytes),
        }
    }

    /// The memory behind an address space of a core.
    #[must_use]
    pub fn memory(&self, core: usize, space: SpaceId) -> &Memory {
        &self.memories[self.setups[core].memories[space.index()]]
    }

    /// The memory behind an address space of a core, to be changed between cycles.
    pub fn memory_mut(&mut self, core: usize, space: SpaceId) -> &mut Memory {
        &mut self.memories[self.setups[core].memories[space.index()]]
    }

    /// Every memory.
    #[must_use]
    pub fn memories(&self) -> &[Memory] {
        &self.memories
    }

    /// The values that the buses of a core carried in the last cycle, where the engine is strict.
    #[must_use]
    pub fn buses(&self, core: usize) -> Option<&[Option<u64>]> {
        match &self.cores {
            Cores::Strict(cores) => Some(&cores[core].0.buses),
            Cores::Fast(_) => None,
        }
    }

    /// The counters of a core.
    #[must_use]
    pub fn counts(&self, core: usize) -> Counts {
        let program = &self.setups[core].image.program;
        let per_move = |squashed: &dyn Fn(usize, usize) -> u64| -> Vec<Vec<u64>> {
            let lines = program.instructions.iter().enumerate();
            lines.map(|(i, line)| (0..line.moves.len()).map(|k| squashed(i, k)).collect()).collect()
        };
        match &self.cores {
            Cores::Strict(cores) => {
                let (core, prepared) = &cores[core];
                Counts {
                    cycles: core.cycle,
                    executed: core.counts.clone(),
                    squashed: per_move(&|i, k| core.squash_count(prepared, i, k)),
                    unread: Some(core.unread),
                }
            }
            Cores::Fast(cores) => {
                let (core, decoded) = &cores[core];
                Counts {
                    cycles: core.cycle,
                    executed: core.counts.clone(),
                    squashed: per_move(&|i, k| core.squash_count(decoded, i, k)),
                    unread: None,
                }
            }
        }
    }
}

fn step_strict(
    cores: &mut [(StrictCore, Prepared)],
    memories: &mut [Memory],
    paused: &[bool],
) -> Result<(), (usize, Box<Fault>)> {
    for (number, (core, program)) in cores.iter_mut().enumerate() {
        core.active = !core.halted && !paused[number];
        if core.active {
            core.execute(program, memories).map_err(|fault| (number, fault))?;
        }
    }
    for (number, (core, program)) in cores.iter_mut().enumerate() {
        if !core.queue.is_empty() {
            core.perform(program, memories).map_err(|fault| (number, fault))?;
        }
    }
    for (number, (core, _)) in cores.iter_mut().enumerate().filter(|(_, (core, _))| core.active) {
        core.finish().map_err(|fault| (number, fault))?;
    }
    Ok(())
}

fn step_fast(
    cores: &mut [(FastCore, Decoded)],
    memories: &mut [Memory],
    paused: &[bool],
) -> Result<(), (usize, Box<Fault>)> {
    for (number, (core, program)) in cores.iter_mut().enumerate() {
        core.active = !core.halted && !paused[number];
        if core.active {
            core.execute(program, memories).map_err(|fault| (number, fault))?;
        }
    }
    for (core, program) in cores.iter_mut() {
        if !core.queue.is_empty() {
            core.perform(program, memories);
        }
    }
    for (number, (core, _)) in cores.iter_mut().enumerate().filter(|(_, (core, _))| core.active) {
        core.finish().map_err(|fault| (number, fault))?;
    }
    Ok(())
}

/// Performs one access; for an atomic operation gives its request and the old value. Alignment and range were checked when
/// the access was queued.
pub(crate) fn perform(memories: &mut [Memory], access: Access) -> Option<(u32, u64)> {
    match access {
        Access::Store { memory, address, bytes, order, value } => {
            let stored = memories[memory].store(address, bytes, order, value);
            debug_assert!(stored.is_ok(), "a queued store was checked");
            None
        }
        Access::Atomic { memory, address, atomic, operand, replacement, request } => {
            let order = oxcl_tta::ops::ByteOrder::Little;
            let old = memories[memory].load(address, 4, order).unwrap_or(0);
            let new = effect::exchanged(atomic, old, operand, replacement);
            let stored = memories[memory].store(address, 4, order, new);
            debug_assert!(stored.is_ok(), "a queued access was checked");
            Some((request, old))
        }
    }
}

/// The fault of an access that is not possible.
#[cold]
pub(crate) fn access_fault(
    machine: &Machine,
    unit: u16,
    address: u64,
    bytes: u8,
    error: AccessError,
) -> FaultKind {
    let facts = &machine.units[usize::from(unit)];
    let space = facts.space.map_or_else(String::new, |s| machine.spaces[s.index()].name.clone());
    let unit = facts.name.clone();
    match error {
        AccessError::Misaligned => FaultKind::Misaligned { unit, space, address, bytes },
        AccessError::OutOfRange => FaultKind::OutOfRange { unit, space, address, bytes },
    }
}
