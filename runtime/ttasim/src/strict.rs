//! The strict engine: executes instructions as the machine would, and ends with a fault at the first hazard.
//!
//! It is written for being right: guards, sources, destinations, operations and arrivals follow each other as the timing
//! rules say, each in a loop of its own, with nothing reordered. What the fast engine computes is held against this. The
//! names of parts are only looked up when there is a fault.

mod prepare;

pub(crate) use prepare::Prepared;

use crate::effect::{Access, World};
use crate::fast::{address, widened};
use crate::fault::{Fault, FaultKind};
use crate::layout::Layout;
use crate::memory::Memory;
use oxcl_tta::model::Machine;
use oxcl_tta::ops::Semantics;
use prepare::{Operation, Transfer};
use std::sync::Arc;

/// A value on its way to a word.
#[derive(Debug, Clone, Copy)]
struct Arrival {
    slot: u32,
    value: u64,
    /// The instruction whose trigger made it.
    producer: u32,
    /// The operation, by its position in the prepared program; `u32::MAX` for a long immediate.
    operation: u32,
}

/// What is known about a word beside its value.
#[derive(Debug, Clone, Copy, Default)]
struct Mark {
    /// Something has been written.
    written: bool,
    /// Something has been read since.
    read: bool,
    /// The instruction whose trigger made the value.
    producer: u32,
    /// The cycle of the last write, plus one.
    when: u64,
}

/// A core of the strict engine.
#[derive(Debug)]
pub(crate) struct StrictCore {
    pub(crate) machine: Arc<Machine>,
    layout: Arc<Layout>,
    memories: Vec<usize>,
    pub(crate) state: Vec<u64>,
    marks: Vec<Mark>,
    /// Results on their way, by the cycle at whose end they arrive, modulo its length.
    ring: Vec<Vec<Arrival>>,
    /// Resources in use, by cycle, modulo its length.
    busy: Vec<Vec<u32>>,
    /// Where the next jump goes and in how many cycles.
    jump: Option<(u64, u32)>,
    /// Old values of sources that guards see late: for each follower the last `delay` values.
    history: Vec<std::collections::VecDeque<u64>>,
    /// Values of the buses in the last cycle; `None` where nothing was moved.
    pub(crate) buses: Vec<Option<u64>>,
    pub(crate) pc: usize,
    pub(crate) cycle: u64,
    pub(crate) halted: bool,
    /// The core takes part in this cycle.
    pub(crate) active: bool,
    pub(crate) world: World,
    pub(crate) counts: Vec<u64>,
    pub(crate) squashed: Vec<u64>,
    pub(crate) queue: Vec<Access>,
    /// Results overwritten before anything read them.
    pub(crate) unread: u64,
    /// Values read in this cycle, one for each move; kept to save its allocation.
    values: Vec<Option<u64>>,
}

impl StrictCore {
    pub(crate) fn new(
        machine: Arc<Machine>,
        layout: Arc<Layout>,
        program: &Prepared,
        memories: Vec<usize>,
        entry: usize,
    ) -> Self {
        let longest = (machine.longest_latency() as usize + 2).next_power_of_two();
        Self {
            state: vec![0; layout.size],
            marks: vec![Mark::default(); layout.size],
            ring: vec![Vec::new(); longest],
            busy: vec![Vec::new(); (program.longest_resource + 2).next_power_of_two()],
            jump: None,
            history: layout.followers.iter().map(|f| vec![0; f.delay as usize].into()).collect(),
            buses: vec![None; machine.buses.len()],
            pc: entry,
            cycle: 0,
            halted: false,
            active: true,
            world: World::default(),
            counts: vec![0; program.instructions.len()],
            squashed: vec![0; program.transfers.len()],
            queue: Vec::new(),
            unread: 0,
            values: Vec::new(),
            machine,
            layout,
            memories,
        }
    }

    /// How often a move of an instruction did not happen.
    pub(crate) fn squash_count(&self, program: &Prepared, instruction: usize, position: usize) -> u64 {
        self.squashed[program.instructions[instruction].moves.start + position]
    }

    /// The first part of a cycle: one instruction's moves, and the operations that they start.
    pub(crate) fn execute(&mut self, program: &Prepared, memories: &[Memory]) -> Result<(), Box<Fault>> {
        let instruction = &program.instructions[self.pc];
        self.counts[self.pc] += 1;
        for long in program.longs[instruction.longs.clone()].iter().filter(|l| l.latency == 0) {
            self.arrive(Arrival { slot: long.slot, value: long.value, producer: 0, operation: u32::MAX });
        }
        let moves = &program.transfers[instruction.moves.clone()];
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        for (position, transfer) in moves.iter().enumerate() {
            if self.holds(program, transfer)? {
                values.push(Some(self.source(program, transfer)?));
            } else {
                self.squashed[instruction.moves.start + position] += 1;
                values.push(None);
            }
        }
        self.buses.fill(None);
        for (transfer, value) in moves.iter().zip(&values) {
            let Some(value) = *value else { continue };
            let value = value & transfer.bus_mask;
            self.buses[transfer.bus] = Some(value);
            if let Some(slot) = transfer.destination {
                self.state[slot] = value & transfer.mask;
                let mark = &mut self.marks[slot];
                (mark.written, mark.when) = (true, self.cycle + 1);
            }
        }
        for (transfer, value) in moves.iter().zip(&values) {
            if let (Some(_), Some(operation)) = (value, transfer.operation) {
                self.start(program, operation, memories)?;
            }
        }
        self.values = values;
        for long in program.longs[instruction.longs.clone()].iter().filter(|l| l.latency > 0) {
            let bucket = self.bucket(long.latency);
            let arrival = Arrival { slot: long.slot, value: long.value, producer: 0, operation: u32::MAX };
            self.ring[bucket].push(arrival);
        }
        self.halted |= instruction.halts;
        Ok(())
    }

    /// The last part of a cycle: arrivals, guards, the program counter.
    pub(crate) fn finish(&mut self) -> Result<(), Box<Fault>> {
        let bucket = self.cycle as usize & (self.ring.len() - 1);
        let mut arrivals = std::mem::take(&mut self.ring[bucket]);
        for arrival in arrivals.drain(..) {
            self.arrive(arrival);
        }
        self.ring[bucket] = arrivals;
        self.advance_guards();
        let resources = self.cycle as usize & (self.busy.len() - 1);
        self.busy[resources].clear();

        let executed = self.pc;
        self.pc += 1;
        if let Some((target, left)) = self.jump {
            if left == 0 {
                self.pc = target as usize;
                self.jump = None;
            } else {
                self.jump = Some((target, left - 1));
            }
        }
        let count = self.counts.len();
        if self.pc >= count {
            if self.pc > count {
                let target = self.pc as u64;
                self.pc = executed;
                return self.fail(FaultKind::BadTarget { target, count });
            }
            self.halted = true;
        }
        self.cycle += 1;
        Ok(())
    }

    /// Puts into the followers' words what guards see in the next cycle: what their sources were `delay` cycles before it.
    fn advance_guards(&mut self) {
        for (follower, history) in self.layout.followers.iter().zip(&mut self.history) {
            history.push_back(self.state[follower.source]);
            self.state[follower.slot] = history.pop_front().unwrap_or(0);
        }
    }

    fn bucket(&self, latency: u32) -> usize {
        (self.cycle as usize + latency as usize - 1) & (self.ring.len() - 1)
    }

    fn arrive(&mut self, arrival: Arrival) {
        let mark = &mut self.marks[arrival.slot as usize];
        if mark.written && !mark.read && arrival.operation != u32::MAX {
            self.unread += 1;
        }
        *mark = Mark { written: true, read: false, producer: arrival.producer, when: self.cycle + 1 };
        self.state[arrival.slot as usize] = arrival.value;
    }

    /// Whether a move's guard lets it happen.
    fn holds(&self, program: &Prepared, transfer: &Transfer) -> Result<bool, Box<Fault>> {
        if transfer.never {
            return Ok(false);
        }
        let Some(guard) = &transfer.guard else { return Ok(true) };
        let mark = self.marks[guard.source];
        if !mark.written {
            return self.fail(program.unwritten(&self.machine, guard.source));
        }
        // A write in cycle t (marked t + 1) is seen from t + 1 + delay on.
        if guard.delay > 0 && self.cycle < mark.when + u64::from(guard.delay) {
            let part = program.part(&self.machine, guard.source);
            return self.fail(FaultKind::GuardEarly { part, ago: self.cycle + 1 - mark.when });
        }
        Ok((self.state[guard.slot] & 1 == 1) != guard.inverted)
    }

    fn source(&mut self, program: &Prepared, transfer: &Transfer) -> Result<u64, Box<Fault>> {
        let Some(slot) = transfer.source else { return Ok(transfer.constant) };
        let mark = self.marks[slot];
        if !mark.written {
            return self.fail(program.unwritten(&self.machine, slot));
        }
        if let Some(wanted) = transfer.producer
            && mark.producer != wanted
        {
            let part = program.part(&self.machine, slot);
            return self.fail(FaultKind::WrongProducer { part, wanted, found: mark.producer });
        }
        self.marks[slot].read = true;
        Ok(self.state[slot])
    }

    /// Starts an operation with what its operand ports now hold.
    fn start(&mut self, program: &Prepared, position: u32, memories: &[Memory]) -> Result<(), Box<Fault>> {
        let operation = &program.operations[position as usize];
        let mut inputs = [0; 16];
        for (value, (slot, registered)) in inputs.iter_mut().zip(&operation.inputs) {
            let mark = self.marks[*slot];
            if !mark.written || !(*registered || mark.when == self.cycle + 1) {
                return self.fail(program.no_operand(&self.machine, operation, *slot));
            }
            *value = self.state[*slot];
        }
        let inputs = &inputs[..operation.inputs.len()];
        for (resource, start, cycles) in &operation.resources {
            for ahead in *start..*start + *cycles {
                let bucket = (self.cycle as usize + ahead as usize) & (self.busy.len() - 1);
                if self.busy[bucket].contains(resource) {
                    return self.fail(program.resource(&self.machine, operation, *resource));
                }
                self.busy[bucket].push(*resource);
            }
        }
        match operation.semantics {
            Semantics::Unary(f) => self.result(program, position, 0, f(inputs[0])),
            Semantics::Binary(f) => self.result(program, position, 0, f(inputs[0], inputs[1])),
            Semantics::Ternary(f) => self.result(program, position, 0, f(inputs[0], inputs[1], inputs[2])),
            Semantics::Pair(f) => {
                let (first, second) = f(inputs[0], inputs[1]);
                self.result(program, position, 0, first)?;
                self.result(program, position, 1, second)
            }
            Semantics::Load(_) | Semantics::Store(_) | Semantics::Atomic(_) => {
                self.memory(program, position, inputs, memories)
            }
            Semantics::Control(control) => {
                if !(control.taken)(inputs) {
                    return Ok(());
                }
                if self.jump.is_some() {
                    return self.fail(FaultKind::JumpOverlap);
                }
                if let (true, Some(slot)) = (control.links, program.return_address) {
                    self.state[slot] = self.pc as u64 + u64::from(self.machine.control.delay_slots) + 1;
                    (self.marks[slot].written, self.marks[slot].when) = (true, self.cycle + 1);
                }
                let target = (control.target)(self.pc as u64, inputs);
                self.jump = Some((target, self.machine.control.delay_slots));
                Ok(())
            }
            Semantics::ProgramCounter => {
                self.result(program, position, 0, (self.pc as u64).wrapping_add(inputs[0]))
            }
            Semantics::Device(device) => {
                let value = self.world.act(device, inputs[0], self.cycle);
                if operation.outs.is_empty() { Ok(()) } else { self.result(program, position, 0, value) }
            }
        }
    }

    fn memory(
        &mut self,
        program: &Prepared,
        position: u32,
        inputs: &[u64],
        memories: &[Memory],
    ) -> Result<(), Box<Fault>> {
        let operation = &program.operations[position as usize];
        let memory = operation.space.map_or(0, |space| self.memories[space]);
        let fault = |core: &Self, address, bytes, error| {
            core.fail(crate::system::access_fault(&core.machine, operation.unit, address, bytes, error))
        };
        match operation.semantics {
            Semantics::Load(access) => {
                let mut at = address(access, inputs);
                for which in 0..usize::from(access.words) {
                    match memories[memory].load(at, access.bytes, access.order) {
                        Ok(word) => self.result(program, position, which, widened(access, word))?,
                        Err(error) => return fault(self, at, access.bytes, error),
                    }
                    at = at.wrapping_add(u64::from(access.bytes));
                }
            }
            Semantics::Store(access) => {
                let mut at = address(access, inputs);
                for value in &inputs[1 + usize::from(access.offset)..] {
                    if let Err(error) = memories[memory].check(at, access.bytes) {
                        return fault(self, at, access.bytes, error);
                    }
                    let (bytes, order) = (access.bytes, access.order);
                    self.queue.push(Access::Store { memory, address: at, bytes, order, value: *value });
                    at = at.wrapping_add(u64::from(access.bytes));
                }
            }
            Semantics::Atomic(atomic) => {
                let address = inputs[0];
                if let Err(error) = memories[memory].check(address, 4) {
                    return fault(self, address, 4, error);
                }
                let replacement = inputs.get(2).copied().unwrap_or(0);
                self.queue.push(Access::Atomic {
                    memory,
                    address,
                    atomic,
                    operand: inputs[1],
                    replacement,
                    request: position,
                });
            }
            _ => {}
        }
        Ok(())
    }

    /// The middle part of a cycle: the accesses queued, in order.
    pub(crate) fn perform(&mut self, program: &Prepared, memories: &mut [Memory]) -> Result<(), Box<Fault>> {
        let mut queue = std::mem::take(&mut self.queue);
        for access in queue.drain(..) {
            if let Some((request, old)) = crate::system::perform(memories, access) {
                self.result(program, request, 0, old)?;
            }
        }
        self.queue = queue;
        Ok(())
    }

    /// Sends a result to its port.
    fn result(
        &mut self,
        program: &Prepared,
        position: u32,
        which: usize,
        value: u64,
    ) -> Result<(), Box<Fault>> {
        let operation: &Operation = &program.operations[position as usize];
        let out = operation.outs[which];
        let bucket = self.bucket(out.latency);
        if self.ring[bucket].iter().any(|a| a.slot == out.slot) {
            return self.fail(program.collision(&self.machine, operation, out.slot));
        }
        let producer = u32::try_from(self.pc).unwrap_or(u32::MAX);
        let value = value & out.mask;
        self.ring[bucket].push(Arrival { slot: out.slot, value, producer, operation: position });
        Ok(())
    }

    #[cold]
    fn fail<T>(&self, kind: FaultKind) -> Result<T, Box<Fault>> {
        let instruction = u32::try_from(self.pc).unwrap_or(u32::MAX);
        Err(Box::new(Fault { core: 0, cycle: self.cycle, instruction, place: None, kind }))
    }
}
