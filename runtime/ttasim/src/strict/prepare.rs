//! Instructions with their words looked up, still in the program's order, and the names that faults need.

use crate::fault::{FaultKind, LoadError};
use crate::layout::Layout;
use oxcl_tta::model::{Guard, GuardSource, Machine, UnitId, mask};
use oxcl_tta::ops::Semantics;
use oxcl_tta::program::{Destination, Program, Source};
use std::ops::Range;

/// A guard.
#[derive(Debug)]
pub(super) struct GuardUse {
    /// The word that is looked at.
    pub(super) slot: usize,
    /// The word that it follows.
    pub(super) source: usize,
    /// How many cycles late.
    pub(super) delay: u32,
    /// True for "if zero".
    pub(super) inverted: bool,
}

/// A move.
#[derive(Debug)]
pub(super) struct Transfer {
    pub(super) bus: usize,
    pub(super) bus_mask: u64,
    pub(super) guard: Option<GuardUse>,
    /// The guard can never hold.
    pub(super) never: bool,
    /// The word read; `None` for a constant.
    pub(super) source: Option<usize>,
    pub(super) constant: u64,
    /// The word written; `None` for a register that stays zero.
    pub(super) destination: Option<usize>,
    /// The bits that the destination keeps.
    pub(super) mask: u64,
    /// The operation started, by position.
    pub(super) operation: Option<u32>,
    /// The instruction that must have made the value read.
    pub(super) producer: Option<u32>,
}

/// A result of an operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Out {
    pub(super) slot: u32,
    pub(super) mask: u64,
    pub(super) latency: u32,
}

/// An operation of a unit, once for all its uses.
#[derive(Debug)]
pub(super) struct Operation {
    pub(super) unit: u16,
    pub(super) number: u16,
    pub(super) semantics: Semantics,
    /// Words of the inputs, and whether the port keeps its value.
    pub(super) inputs: Vec<(usize, bool)>,
    pub(super) outs: Vec<Out>,
    /// Resources: the number, the first cycle, how many cycles.
    pub(super) resources: Vec<(u32, u32, u32)>,
    pub(super) space: Option<usize>,
}

/// A long immediate.
#[derive(Debug)]
pub(super) struct Long {
    pub(super) slot: u32,
    pub(super) value: u64,
    pub(super) latency: u32,
}

/// An instruction.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) moves: Range<usize>,
    pub(super) longs: Range<usize>,
    pub(super) halts: bool,
}

/// A program ready for the strict engine.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(super) instructions: Vec<Line>,
    pub(super) transfers: Vec<Transfer>,
    pub(super) longs: Vec<Long>,
    pub(super) operations: Vec<Operation>,
    pub(super) return_address: Option<usize>,
    /// The last cycle, counted from a trigger, in which any resource is in use.
    pub(super) longest_resource: usize,
    /// The names of resources, by number.
    resources: Vec<(u16, String)>,
    /// What each word is.
    words: Vec<Word>,
}

#[derive(Debug, Clone, Copy)]
enum Word {
    Register(u16, u32),
    Immediate(u16, u32),
    Input(u16, u16),
    Output(u16, u16),
    Follower,
}

impl Prepared {
    /// Prepares `program`, which [`oxcl_tta::check`] has passed.
    pub(crate) fn new(machine: &Machine, layout: &Layout, program: &Program) -> Result<Self, LoadError> {
        let control = machine.control_unit();
        let mut prepared = Self {
            instructions: Vec::new(),
            transfers: Vec::new(),
            longs: Vec::new(),
            operations: Vec::new(),
            return_address: machine.control.return_address.map(|port| layout.output(control, port)),
            longest_resource: 0,
            resources: Vec::new(),
            words: words(machine, layout),
        };
        let mut known = std::collections::BTreeMap::new();
        for (number, instruction) in (0u32..).zip(&program.instructions) {
            let first_move = prepared.transfers.len();
            for m in &instruction.moves {
                let bus = &machine.buses[m.bus.index()];
                let (source, constant) = match m.source {
                    Source::Register { file, index } => {
                        let zero = machine.register_files[file.index()].zero_register && index == 0;
                        ((!zero).then(|| layout.register(file, index)), 0)
                    }
                    Source::Immediate { unit, index } => (Some(layout.immediate(unit, index)), 0),
                    Source::Port { unit, port } => (Some(layout.output(unit, port)), 0),
                    Source::Constant(value) => (None, value),
                };
                let mut operation = None;
                let (destination, width) = match m.destination {
                    Destination::Register { file, index } => {
                        let facts = &machine.register_files[file.index()];
                        let zero = facts.zero_register && index == 0;
                        ((!zero).then(|| layout.register(file, index)), facts.width)
                    }
                    Destination::Port { unit, port, operation: which } => {
                        if let Some(which) = which {
                            let position = match known.get(&(unit, which)) {
                                Some(position) => *position,
                                None => {
                                    let new = prepared.operation(machine, layout, number, unit, which)?;
                                    known.insert((unit, which), new);
                                    new
                                }
                            };
                            operation = Some(position);
                        }
                        let facts = &machine.units[unit.index()].ports[usize::from(port)];
                        let slot =
                            if facts.special { layout.output(unit, port) } else { layout.input(unit, port) };
                        (Some(slot), facts.width)
                    }
                };
                prepared.transfers.push(Transfer {
                    bus: m.bus.index(),
                    bus_mask: mask(bus.width),
                    guard: guard(layout, m.guard),
                    never: m.guard == Guard::Never,
                    source,
                    constant,
                    destination,
                    mask: mask(width),
                    operation,
                    producer: m.producer,
                });
            }
            let first_long = prepared.longs.len();
            for immediate in &instruction.immediates {
                let unit = &machine.immediate_units[immediate.unit.index()];
                let slot = layout.immediate(immediate.unit, immediate.index);
                prepared.longs.push(Long {
                    slot: u32::try_from(slot).unwrap_or(u32::MAX),
                    value: immediate.value & mask(unit.width),
                    latency: unit.latency,
                });
            }
            prepared.instructions.push(Line {
                moves: first_move..prepared.transfers.len(),
                longs: first_long..prepared.longs.len(),
                halts: program.exits.iter().any(|e| e.instruction == number),
            });
        }
        Ok(prepared)
    }

    fn operation(
        &mut self,
        machine: &Machine,
        layout: &Layout,
        instruction: u32,
        unit: UnitId,
        number: u16,
    ) -> Result<u32, LoadError> {
        let facts = &machine.units[unit.index()];
        let found = &facts.operations[usize::from(number)];
        let names = || (facts.name.clone(), found.name.clone());
        let Some(op) = found.op else {
            let (unit, operation) = names();
            return Err(LoadError::UnknownOperation { instruction, unit, operation });
        };
        let info = op.info();
        if info.is_memory() && facts.space.is_none() {
            let (unit, operation) = names();
            return Err(LoadError::NoSpace { instruction, unit, operation });
        }
        let unbound = || {
            let (unit, operation) = names();
            LoadError::UnboundOperand { instruction, unit, operation }
        };
        let mut inputs = Vec::new();
        for k in 1..=info.inputs {
            let port = found.port_of(k).ok_or_else(unbound)?;
            inputs.push((layout.input(unit, port), facts.ports[usize::from(port)].registered));
        }
        let mut outs = Vec::new();
        for k in info.inputs + 1..=info.inputs + info.outputs {
            let port = found.port_of(k).ok_or_else(unbound)?;
            outs.push(Out {
                slot: u32::try_from(layout.output(unit, port)).unwrap_or(u32::MAX),
                mask: mask(facts.ports[usize::from(port)].width),
                latency: found.latency_of(k).ok_or_else(unbound)?,
            });
        }
        let mut resources = Vec::new();
        for resource in &found.resources {
            let name = (unit.0, resource.name.clone());
            let position = self.resources.iter().position(|r| *r == name).unwrap_or_else(|| {
                self.resources.push(name);
                self.resources.len() - 1
            });
            let position = u32::try_from(position).unwrap_or(u32::MAX);
            resources.push((position, resource.start, resource.cycles));
            self.longest_resource = self.longest_resource.max((resource.start + resource.cycles) as usize);
        }
        let position = u32::try_from(self.operations.len()).unwrap_or(u32::MAX);
        self.operations.push(Operation {
            unit: unit.0,
            number,
            semantics: info.semantics,
            inputs,
            outs,
            resources,
            space: facts.space.map(oxcl_tta::model::SpaceId::index),
        });
        Ok(position)
    }

    /// The name of a word.
    pub(super) fn part(&self, machine: &Machine, slot: usize) -> String {
        let port = |unit: u16, port: u16| {
            let unit = &machine.units[usize::from(unit)];
            format!("{}.{}", unit.name, unit.ports[usize::from(port)].name)
        };
        match self.words[slot] {
            Word::Register(file, index) => {
                format!("{}.{index}", machine.register_files[usize::from(file)].name)
            }
            Word::Immediate(unit, index) => {
                format!("{}.{index}", machine.immediate_units[usize::from(unit)].name)
            }
            Word::Input(unit, p) | Word::Output(unit, p) => port(unit, p),
            Word::Follower => "a guard".to_owned(),
        }
    }

    /// The fault of reading a word that nothing has written.
    pub(super) fn unwritten(&self, machine: &Machine, slot: usize) -> FaultKind {
        let part = self.part(machine, slot);
        match self.words[slot] {
            Word::Output(unit, port)
                if !machine.units[usize::from(unit)].ports[usize::from(port)].special =>
            {
                FaultKind::NoResult { part }
            }
            _ => FaultKind::Unwritten { part },
        }
    }

    fn names(&self, machine: &Machine, operation: &Operation) -> (String, String) {
        let unit = &machine.units[usize::from(operation.unit)];
        (unit.name.clone(), unit.operations[usize::from(operation.number)].name.clone())
    }

    pub(super) fn no_operand(&self, machine: &Machine, operation: &Operation, slot: usize) -> FaultKind {
        let (unit, name) = self.names(machine, operation);
        let port = match self.words[slot] {
            Word::Input(u, p) => machine.units[usize::from(u)].ports[usize::from(p)].name.clone(),
            _ => self.part(machine, slot),
        };
        FaultKind::NoOperand { unit, operation: name, port }
    }

    pub(super) fn resource(&self, machine: &Machine, operation: &Operation, resource: u32) -> FaultKind {
        let (unit, name) = self.names(machine, operation);
        let resource = self.resources[resource as usize].1.clone();
        FaultKind::ResourceConflict { unit, operation: name, resource }
    }

    pub(super) fn collision(&self, machine: &Machine, operation: &Operation, slot: u32) -> FaultKind {
        let (_, name) = self.names(machine, operation);
        FaultKind::ResultCollision { part: self.part(machine, slot as usize), operation: name }
    }
}

fn guard(layout: &Layout, guard: Guard) -> Option<GuardUse> {
    let Guard::If { source, inverted } = guard else { return None };
    let slot = layout.guard(source)?;
    let follower = layout.followers.iter().find(|f| f.slot == slot);
    let word = match source {
        GuardSource::Register { file, index } => layout.register(file, index),
        GuardSource::Port { unit, port } => layout.output(unit, port),
    };
    Some(GuardUse { slot, source: word, delay: follower.map_or(0, |f| f.delay), inverted })
}

fn words(machine: &Machine, layout: &Layout) -> Vec<Word> {
    let mut words = vec![Word::Follower; layout.size];
    for (id, file) in machine.register_files() {
        for index in 0..file.size {
            words[layout.register(id, index)] = Word::Register(id.0, index);
        }
    }
    for (id, unit) in machine.immediate_units() {
        for index in 0..unit.size {
            words[layout.immediate(id, index)] = Word::Immediate(id.0, index);
        }
    }
    for (id, unit) in machine.units() {
        for (port, _) in (0u16..).zip(&unit.ports) {
            words[layout.input(id, port)] = Word::Input(id.0, port);
            words[layout.output(id, port)] = Word::Output(id.0, port);
        }
    }
    words
}
