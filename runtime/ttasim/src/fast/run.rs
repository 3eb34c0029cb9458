//! Executes decoded programs.
//!
//! A cycle has three parts, which several cores do in turn: [`FastCore::execute`] does an instruction's moves and starts its
//! operations; the caller then performs the stores that are queued, in the order of the cores; [`FastCore::finish`] shows the
//! results that arrive and goes to the next instruction.

use super::decode::{Decoded, Out, Rare, RareKind, Step};
use crate::effect::{Access, World};
use crate::fault::{Fault, FaultKind};
use crate::memory::{AccessError, Memory};
use oxcl_tta::model::Machine;
use std::sync::Arc;

/// The word that stands for the program counter among results on their way.
const PROGRAM_COUNTER: u32 = u32::MAX;

/// A core of the fast engine.
#[derive(Debug)]
pub(crate) struct FastCore {
    machine: Arc<Machine>,
    /// For each address space of the machine the memory behind it.
    memories: Vec<usize>,
    /// The machine's state, then scratch words, then constants.
    pub(crate) state: Vec<u64>,
    /// Results on their way, by the cycle at whose end they arrive, modulo its length.
    ring: Vec<Vec<(u32, u64)>>,
    pub(crate) pc: usize,
    pub(crate) cycle: u64,
    pub(crate) halted: bool,
    /// The core takes part in this cycle.
    pub(crate) active: bool,
    pub(crate) world: World,
    /// How often each instruction was executed.
    pub(crate) counts: Vec<u64>,
    /// How often each guarded move did not happen.
    pub(crate) squashed: Vec<u64>,
    /// Accesses at the end of this cycle.
    pub(crate) queue: Vec<Access>,
}

/// What may go wrong in a step, without its place.
type Outcome = Result<(), FaultKind>;

impl FastCore {
    pub(crate) fn new(machine: Arc<Machine>, program: &Decoded, memories: Vec<usize>, entry: usize) -> Self {
        let mut state = vec![0; program.constants_at];
        state.extend_from_slice(&program.constants);
        let ring = (program.longest as usize + 2).next_power_of_two();
        Self {
            counts: vec![0; program.ranges.len()],
            squashed: vec![0; program.squashes],
            machine,
            memories,
            state,
            ring: vec![Vec::new(); ring],
            pc: entry,
            cycle: 0,
            halted: false,
            active: true,
            world: World::default(),
            queue: Vec::new(),
        }
    }

    /// How often a move of an instruction did not happen.
    pub(crate) fn squash_count(&self, program: &Decoded, instruction: usize, position: usize) -> u64 {
        program.squash(instruction, position).map_or(0, |at| self.squashed[at as usize])
    }

    /// The first part of a cycle.
    #[inline]
    pub(crate) fn execute(&mut self, program: &Decoded, memories: &[Memory]) -> Result<(), Box<Fault>> {
        let range = program.ranges[self.pc];
        self.counts[self.pc] += 1;
        let steps = &program.steps[range.start as usize..range.end as usize];
        let mut at = 0;
        while let Some(step) = steps.get(at) {
            at += 1;
            match *step {
                Step::Move { from, to, mask } => self.state[to as usize] = self.state[from as usize] & mask,
                Step::Skip { guard, wanted, count, squash } => {
                    if (self.state[guard as usize] & 1 == 1) != wanted {
                        self.squashed[squash as usize] += 1;
                        at += usize::from(count);
                    }
                }
                Step::SkipOperation { guard, wanted } => {
                    at += usize::from((self.state[guard as usize] & 1 == 1) != wanted);
                }
                Step::Later { from, to, latency } => self.later(to, self.state[from as usize], latency),
                Step::Unary { function, a, out } => self.result(out, function(self.state[a as usize])),
                Step::Binary { function, a, b, out } => {
                    self.result(out, function(self.state[a as usize], self.state[b as usize]));
                }
                Step::Load { address, access, unit, out } => {
                    let address = self.state[address as usize];
                    let memory = &memories[self.memory_of(program, unit)];
                    match memory.load(address, access.bytes, access.order) {
                        Ok(value) => self.result(out, widened(access, value)),
                        Err(error) => {
                            return Err(self.fault(self.access(unit, address, access.bytes, error)));
                        }
                    }
                }
                Step::Store { address, value, access, unit } => {
                    let address = self.state[address as usize];
                    let memory = self.memory_of(program, unit);
                    if let Err(error) = memories[memory].check(address, access.bytes) {
                        return Err(self.fault(self.access(unit, address, access.bytes, error)));
                    }
                    let value = self.state[value as usize];
                    let (bytes, order) = (access.bytes, access.order);
                    self.queue.push(Access::Store { memory, address, bytes, order, value });
                }
                Step::Jump { target, links } => {
                    let target = self.state[target as usize] & 0xffff_ffff;
                    self.jump(program, target, links);
                }
                Step::Rare(position) => {
                    let rare = &program.rare[position as usize];
                    if let Err(kind) = self.rare(program, rare, position, memories) {
                        return Err(self.fault(kind));
                    }
                }
            }
        }
        if range.halts {
            self.halted = true;
        }
        Ok(())
    }

    /// The last part of a cycle.
    #[inline]
    pub(crate) fn finish(&mut self) -> Result<(), Box<Fault>> {
        let executed = self.pc;
        self.pc += 1;
        let bucket = self.cycle as usize & (self.ring.len() - 1);
        if !self.ring[bucket].is_empty() {
            for (slot, value) in self.ring[bucket].drain(..) {
                if slot == PROGRAM_COUNTER {
                    self.pc = value as usize;
                } else {
                    self.state[slot as usize] = value;
                }
            }
        }
        if self.pc >= self.counts.len() {
            if self.pc > self.counts.len() {
                let (target, count) = (self.pc as u64, self.counts.len());
                self.pc = executed;
                return Err(self.fault(FaultKind::BadTarget { target, count }));
            }
            self.halted = true;
        }
        self.cycle += 1;
        Ok(())
    }

    /// Runs until the program ends or `until` is reached; only for a core that shares no memory with a running one.
    pub(crate) fn run(
        &mut self,
        program: &Decoded,
        memories: &mut [Memory],
        until: u64,
    ) -> Result<(), Box<Fault>> {
        while !self.halted && self.cycle < until {
            self.execute(program, memories)?;
            if !self.queue.is_empty() {
                self.perform(program, memories);
            }
            self.finish()?;
        }
        Ok(())
    }

    /// The middle part of a cycle: the accesses queued, in order.
    pub(crate) fn perform(&mut self, program: &Decoded, memories: &mut [Memory]) {
        let mut queue = std::mem::take(&mut self.queue);
        for access in queue.drain(..) {
            if let Some((request, old)) = crate::system::perform(memories, access) {
                self.results(&program.rare[request as usize], &[old]);
            }
        }
        self.queue = queue;
    }

    #[inline]
    fn memory_of(&self, program: &Decoded, unit: u16) -> usize {
        // A memory operation of a unit without a space does not decode.
        program.spaces[usize::from(unit)].map_or(0, |space| self.memories[usize::from(space)])
    }

    #[inline]
    fn later(&mut self, slot: u32, value: u64, latency: u32) {
        let bucket = (self.cycle as usize + latency as usize - 1) & (self.ring.len() - 1);
        self.ring[bucket].push((slot, value));
    }

    #[inline]
    fn result(&mut self, out: Out, value: u64) {
        let value = value & (u64::MAX >> out.shift);
        // Nothing in this instruction reads the port any more, so the shortest way needs no queue.
        if out.latency == 1 {
            self.state[out.slot as usize] = value;
        } else {
            self.later(out.slot, value, u32::from(out.latency));
        }
    }

    fn results(&mut self, rare: &Rare, values: &[u64]) {
        for (out, value) in rare.outs.iter().zip(values) {
            self.result(*out, *value);
        }
        for (which, slot, delay) in &rare.followers {
            let (out, value) = (rare.outs[*which], values[*which]);
            let value = value & (u64::MAX >> out.shift);
            self.later(*slot, value, u32::from(out.latency) + delay);
        }
    }

    fn jump(&mut self, program: &Decoded, target: u64, links: bool) {
        if links && let Some(slot) = program.return_address {
            self.state[slot as usize] = self.pc as u64 + u64::from(program.jump_latency);
        }
        self.later(PROGRAM_COUNTER, target, program.jump_latency);
    }

    fn rare(&mut self, program: &Decoded, rare: &Rare, position: u32, memories: &[Memory]) -> Outcome {
        let mut inputs = [0; 16];
        for (value, slot) in inputs.iter_mut().zip(&rare.inputs) {
            *value = self.state[*slot as usize];
        }
        let inputs = &inputs[..rare.inputs.len()];
        match rare.kind {
            RareKind::Unary(f) => self.results(rare, &[f(inputs[0])]),
            RareKind::Binary(f) => self.results(rare, &[f(inputs[0], inputs[1])]),
            RareKind::Ternary(f) => self.results(rare, &[f(inputs[0], inputs[1], inputs[2])]),
            RareKind::Pair(f) => {
                let (first, second) = f(inputs[0], inputs[1]);
                self.results(rare, &[first, second]);
            }
            RareKind::Load(access) => {
                let mut values = [0; 8];
                let count = usize::from(access.words);
                let base = address(access, inputs);
                let memory = &memories[self.memory_of(program, rare.unit)];
                for (address, value) in (base..).step_by(usize::from(access.bytes)).zip(&mut values[..count])
                {
                    let word = memory.load(address, access.bytes, access.order);
                    let word = word.map_err(|e| self.access(rare.unit, address, access.bytes, e))?;
                    *value = widened(access, word);
                }
                self.results(rare, &values[..count]);
            }
            RareKind::Store(access) => {
                let base = address(access, inputs);
                let memory = self.memory_of(program, rare.unit);
                let data = &inputs[1 + usize::from(access.offset)..];
                for (address, value) in (base..).step_by(usize::from(access.bytes)).zip(data) {
                    let (bytes, order) = (access.bytes, access.order);
                    let possible = memories[memory].check(address, bytes);
                    possible.map_err(|e| self.access(rare.unit, address, bytes, e))?;
                    self.queue.push(Access::Store { memory, address, bytes, order, value: *value });
                }
            }
            RareKind::Atomic(atomic) => {
                let memory = self.memory_of(program, rare.unit);
                let possible = memories[memory].check(inputs[0], 4);
                possible.map_err(|e| self.access(rare.unit, inputs[0], 4, e))?;
                let replacement = inputs.get(2).copied().unwrap_or(0);
                let (address, operand) = (inputs[0], inputs[1]);
                self.queue.push(Access::Atomic {
                    memory,
                    address,
                    atomic,
                    operand,
                    replacement,
                    request: position,
                });
            }
            RareKind::Control(control) => {
                if (control.taken)(inputs) {
                    let target = (control.target)(self.pc as u64, inputs);
                    self.jump(program, target, control.links);
                }
            }
            RareKind::ProgramCounter => {
                let sum = (self.pc as u64).wrapping_add(inputs[0]);
                self.results(rare, &[sum]);
            }
            RareKind::Device(device) => {
                let value = self.world.act(device, inputs[0], self.cycle);
                self.results(rare, &[value]);
            }
        }
        Ok(())
    }

    #[cold]
    fn access(&self, unit: u16, address: u64, bytes: u8, error: AccessError) -> FaultKind {
        crate::system::access_fault(&self.machine, unit, address, bytes, error)
    }

    #[cold]
    fn fault(&self, kind: FaultKind) -> Box<Fault> {
        let instruction = u32::try_from(self.pc).unwrap_or(u32::MAX);
        Box::new(Fault { core: 0, cycle: self.cycle, instruction, place: None, kind })
    }
}

/// The address of an access: its first operand, or the sum of the first two.
pub(crate) fn address(access: oxcl_tta::ops::Access, inputs: &[u64]) -> u64 {
    if access.offset { inputs[0].wrapping_add(inputs[1]) & 0xffff_ffff } else { inputs[0] }
}

/// A loaded word with its top bit repeated, if it is signed.
#[inline]
pub(crate) fn widened(access: oxcl_tta::ops::Access, value: u64) -> u64 {
    if access.signed {
        let shift = 64 - 8 * u32::from(access.bytes);
        (value.cast_signed() << shift >> shift).cast_unsigned()
    } else {
        value
    }
}
