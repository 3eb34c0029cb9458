//! Running with a hand on the brake: breakpoints, watched places, and a trace of every bus in every cycle.

use crate::fault::Fault;
use crate::system::System;
use oxcl_tta::asm::print_instruction;
use oxcl_tta::image::Image;
use oxcl_tta::model::{FileId, SpaceId, UnitId};
use oxcl_tta::program::SymbolValue;

/// A place whose value is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A register.
    Register {
        /// The file.
        file: FileId,
        /// The register.
        index: u32,
    },
    /// What a unit's port shows.
    Port {
        /// The unit.
        unit: UnitId,
        /// The port.
        port: u16,
    },
    /// Bytes of memory, at most eight.
    Memory {
        /// The address space.
        space: SpaceId,
        /// The first byte.
        address: u64,
        /// How many.
        bytes: u8,
    },
}

impl Place {
    /// The place that a text names: `file.register`, `unit.port`, the name of a data symbol, or `space+address`, the last
    /// two with `:bytes` behind them where it is not four bytes.
    #[must_use]
    pub fn parse(image: &Image, text: &str) -> Option<Self> {
        let (machine, program) = (&image.machine, &image.program);
        let (name, bytes) = match text.split_once(':') {
            Some((name, bytes)) => (name, bytes.parse().ok().filter(|b| (1..=8).contains(b))?),
            None => (text, 4),
        };
        if let Some(SymbolValue::Data { space, address }) = program.symbol(name) {
            return Some(Self::Memory { space, address, bytes });
        }
        if let Some((space, address)) = name.split_once('+') {
            let (space, _) = machine.spaces().find(|(_, s)| s.name == space)?;
            let address = match address.strip_prefix("0x") {
                Some(hex) => u64::from_str_radix(hex, 16).ok()?,
                None => address.parse().ok()?,
            };
            return Some(Self::Memory { space, address, bytes });
        }
        let (part, inside) = text.split_once('.')?;
        if let Some((file, facts)) = machine.register_files().find(|(_, f)| f.name == part) {
            let index = inside.parse().ok().filter(|i| *i < facts.size)?;
            return Some(Self::Register { file, index });
        }
        let (unit, facts) = machine.units().find(|(_, u)| u.name == part)?;
        Some(Self::Port { unit, port: facts.port(inside)? })
    }
}

/// The instruction that a text names: the name of a code symbol, with `+n` behind it or not, or a number.
#[must_use]
pub fn parse_instruction(image: &Image, text: &str) -> Option<usize> {
    let count = image.program.instructions.len();
    let (name, offset) = text.split_once('+').unwrap_or((text, "0"));
    let base = match image.program.symbol(name) {
        Some(SymbolValue::Code(at)) => at as usize,
        _ => name.parse().ok()?,
    };
    Some(base + offset.parse::<usize>().ok()?).filter(|at| *at < count)
}

/// Why a run came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    /// Every program has ended.
    Ended,
    /// The cycle asked for is reached.
    Limit,
    /// A core is about to execute an instruction with a breakpoint.
    Breakpoint {
        /// The core.
        core: usize,
        /// The instruction.
        instruction: usize,
    },
    /// A watched place has another value than before the last cycle.
    Changed {
        /// The watch, by its number.
        watch: usize,
        /// The value before.
        old: u64,
        /// The value now.
        new: u64,
    },
}

/// A system and where it is to pause.
#[derive(Debug)]
pub struct Debugger {
    /// The system.
    pub system: System,
    breakpoints: Vec<(usize, usize)>,
    watches: Vec<(usize, Place, u64)>,
}

impl Debugger {
    /// A debugger without breakpoints and watches.
    #[must_use]
    pub fn new(system: System) -> Self {
        Self { system, breakpoints: Vec::new(), watches: Vec::new() }
    }

    /// Pauses whenever a core is about to execute an instruction.
    pub fn break_at(&mut self, core: usize, instruction: usize) {
        if !self.breakpoints.contains(&(core, instruction)) {
            self.breakpoints.push((core, instruction));
        }
    }

    /// Pauses whenever the value of a place changes; gives the watch's number.
    pub fn watch(&mut self, core: usize, place: Place) -> usize {
        let value = self.value(core, place);
        self.watches.push((core, place, value));
        self.watches.len() - 1
    }

    /// The value of a place; zero for memory outside its space.
    #[must_use]
    pub fn value(&self, core: usize, place: Place) -> u64 {
        match place {
            Place::Register { file, index } => self.system.register(core, file, index),
            Place::Port { unit, port } => self.system.port(core, unit, port),
            Place::Memory { space, address, bytes } => {
                let mut buffer = [0; 8];
                let part = &mut buffer[..usize::from(bytes.min(8))];
                // A place outside its space never changes.
                let _ = self.system.memory(core, space).read(address, part);
                u64::from_le_bytes(buffer)
            }
        }
    }

    /// Runs to the next pause, at least one cycle unless the programs have ended; `each` sees the system after every cycle.
    ///
    /// # Errors
    /// The first fault.
    pub fn run(&mut self, until: u64, mut each: impl FnMut(&System)) -> Result<Pause, Box<Fault>> {
        loop {
            if self.system.ended() {
                return Ok(Pause::Ended);
            }
            if self.system.cycle() >= until {
                return Ok(Pause::Limit);
            }
            self.system.step()?;
            each(&self.system);
            let mut changed = None;
            for watch in 0..self.watches.len() {
                let (core, place, old) = self.watches[watch];
                let new = self.value(core, place);
                if new != old {
                    self.watches[watch].2 = new;
                    changed = changed.or(Some(Pause::Changed { watch, old, new }));
                }
            }
            if let Some(pause) = changed {
                return Ok(pause);
            }
            for (core, instruction) in &self.breakpoints {
                let here = self.system.program_counter(*core) == *instruction;
                if here && !self.system.halted(*core) {
                    return Ok(Pause::Breakpoint { core: *core, instruction: *instruction });
                }
            }
        }
    }
}

/// A line for one core and one cycle: the cycle, the instruction, its text, and what each bus carried. `instruction` is the
/// one that was executed in the last cycle. Empty unless the engine is strict.
#[must_use]
pub fn trace_line(system: &System, core: usize, instruction: usize) -> String {
    let Some(buses) = system.buses(core) else { return String::new() };
    let image = system.image(core);
    let Some(line) = image.program.instructions.get(instruction) else { return String::new() };
    let values: Vec<String> =
        buses.iter().map(|b| b.map_or_else(|| "-".to_owned(), |v| format!("{v:#x}"))).collect();
    format!(
        "{:>8} {core} {instruction:>6}  {}  | {}",
        system.cycle() - 1,
        values.join(" "),
        print_instruction(&image.machine, line)
    )
}
