//! When every operation can start at the earliest, and how much of the block must follow it.
//!
//! Both count a result from its trigger by the shortest latency of any unit and a cycle for every stop on the way that the
//! value cannot avoid. A result under a condition is at hand only in its register: after the condition, and not before
//! what the register holds otherwise.

use super::{Jump, Limits};
use crate::schedule::block::place::Target;
use crate::schedule::block::{Input, Scheduler};
use crate::schedule::mir::Operand;
use crate::schedule::wires::Buses;

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// It is in its register when the block begins.
    Before,
    /// A copy moves it there.
    Copied,
    /// An operation leaves it in a port, as its result of this position.
    Shown(usize, usize),
    /// An operation with a condition leaves it in a port, and the register has it after that and the condition.
    Merged(usize, usize),
}

/// Who wants a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// An operation, or a copy: over one of these buses.
    Operand { node: usize, to: Buses },
    /// The condition of an operation, or of a copy.
    Guard { node: usize },
    /// The value that the same register has afterwards, if its condition does not hold.
    Kept { by: usize },
    /// The condition of a jump.
    Branch,
    /// The address of a jump: over one of these buses.
    Address { to: Buses },
}

/// Times of a block's operations and values.
#[derive(Debug)]
pub(super) struct Paths {
    pub(super) origins: Vec<Origin>,
    pub(super) uses: Vec<Vec<Use>>,
    /// For each operation the earliest cycle of its trigger, or of its move if it is a copy.
    pub(super) starts: Vec<i64>,
    /// For each value the earliest cycle in which it can be moved to its register.
    pub(super) writes: Vec<i64>,
    /// For each operation how many cycles follow that of its trigger.
    pub(super) tails: Vec<i64>,
    /// For each value how many cycles follow its move to its register.
    pub(super) after: Vec<i64>,
    slots: i64,
    /// The earliest cycle of the jump, if there is one.
    jump: Option<i64>,
}

impl Paths {
    pub(super) fn new(limits: &mut Limits<'_>, scheduler: &Scheduler<'_>, exits: &[Jump]) -> Self {
        let (nodes, values) = (scheduler.work.len(), scheduler.values.len());
        let mut paths = Self {
            origins: vec![Origin::Before; values],
            uses: vec![Vec::new(); values],
            starts: vec![0; nodes],
            writes: vec![-1; values],
            tails: vec![0; nodes],
            after: vec![0; values],
            slots: i64::from(limits.machine.control.delay_slots),
            jump: None,
        };
        for number in 0..nodes {
            paths.forward(limits, scheduler, number);
        }
        paths.jumps(limits, scheduler, exits);
        for number in (0..nodes).rev() {
            paths.backward(limits, scheduler, number);
        }
        paths
    }

    /// The length of the longest way.
    pub(super) fn length(&self) -> i64 {
        let jump = self.jump.map_or(0, |cycle| cycle + self.slots + 1);
        let nodes = self.starts.iter().zip(&self.tails).map(|(start, tail)| start + tail + 1);
        nodes.max().unwrap_or(0).max(jump)
    }

    /// The earliest cycle of the jump.
    pub(super) fn jump(&self) -> i64 {
        self.jump.unwrap_or(0)
    }

    /// The cycles after a jump.
    pub(super) fn slots(&self) -> i64 {
        self.slots
    }

    fn forward(&mut self, limits: &mut Limits<'_>, scheduler: &Scheduler<'_>, number: usize) {
        let work = &scheduler.work[number];
        let facts = limits.facts(scheduler, number);
        let into = |value: usize| limits.wires.file_input(scheduler.values[value].register.file);
        let pure = scheduler.nodes[number].op.is_some_and(|op| op.info().is_pure());
        let mut start = self.starts[number];
        for (at, input) in work.inputs.iter().enumerate() {
            let to = match &facts {
                Some(facts) => facts.operands.get(at).copied().unwrap_or(0),
                None => work.outputs.first().map_or(0, |o| into(*o)),
            };
            start = start.max(self.arrival(limits, scheduler, *input, to));
            if let Input::Value(value) = input {
                self.uses[*value].push(Use::Operand { node: number, to });
            }
        }
        let ready = work.predicate.map(|(value, _)| {
            self.uses[value].push(Use::Guard { node: number });
            self.guard(scheduler, limits, value)
        });
        if !pure {
            start = start.max(ready.unwrap_or(0));
        }
        self.starts[number] = start;
        for (position, value) in work.outputs.iter().enumerate() {
            let mut write = start;
            self.origins[*value] = Origin::Copied;
            if let Some(facts) = &facts {
                self.origins[*value] = Origin::Shown(number, position);
                let to = limits.wires.file_input(scheduler.values[*value].register.file);
                write += least(limits, &facts.results[position], to);
            }
            if let Some(ready) = ready {
                if facts.is_some() {
                    self.origins[*value] = Origin::Merged(number, position);
                }
                write = write.max(ready);
                if let Some(previous) = scheduler.values[*value].previous {
                    write = write.max(self.writes[previous]);
                    self.uses[previous].push(Use::Kept { by: *value });
                }
            }
            self.writes[*value] = write;
        }
        for edge in work.successors.iter().filter(|edge| edge.ordered) {
            self.starts[edge.to] = self.starts[edge.to].max(start + edge.length);
        }
    }

    /// The earliest cycle in which a move over one of these buses can bring an input to where it is wanted.
    pub(super) fn arrival(
        &self,
        limits: &mut Limits<'_>,
        scheduler: &Scheduler<'_>,
        input: Input,
        to: Buses,
    ) -> i64 {
        match input {
            Input::Number(number) => limits.distances.number(limits.machine, limits.wires, number.value, to),
            Input::ReturnAddress => limits.distances.between(return_address(limits), to),
            Input::Value(value) => match self.origins[value] {
                Origin::Before | Origin::Copied | Origin::Merged(..) => {
                    let from = limits.wires.file_output(scheduler.values[value].register.file);
                    self.writes[value] + 1 + limits.distances.between(from, to)
                }
                Origin::Shown(node, position) => {
                    let facts = limits.facts(scheduler, node);
                    self.starts[node] + facts.map_or(0, |f| least(limits, &f.results[position], to))
                }
            },
        }
    }

    /// The earliest cycle in which a guard can look at a value.
    fn guard(&self, scheduler: &Scheduler<'_>, limits: &Limits<'_>, value: usize) -> i64 {
        if self.origins[value] == Origin::Before {
            return 0;
        }
        let file = scheduler.values[value].register.file;
        self.writes[value] + i64::from(limits.machine.register_guard_latency(file))
    }

    fn jumps(&mut self, limits: &mut Limits<'_>, scheduler: &Scheduler<'_>, exits: &[Jump]) {
        let to = into_control(limits);
        for (_, predicate, target) in exits {
            let mut earliest = 0;
            if let Some(value) = predicate.and_then(|p| scheduler.finals.get(&p.register).copied()) {
                self.uses[value].push(Use::Branch);
                earliest = self.guard(scheduler, limits, value);
            }
            let input = match target {
                Target::Number(number) => Some(Input::Number(*number)),
                Target::Operand(Operand::Register(register)) => {
                    scheduler.finals.get(register).map(|value| Input::Value(*value))
                }
                Target::Operand(Operand::ReturnAddress) => Some(Input::ReturnAddress),
                Target::Operand(_) => None,
            };
            if let Some(input) = input {
                earliest = earliest.max(self.arrival(limits, scheduler, input, to));
                if let Input::Value(value) = input {
                    self.uses[value].push(Use::Address { to });
                }
            }
            self.jump = Some(self.jump.unwrap_or(0).max(earliest));
        }
    }

    fn backward(&mut self, limits: &mut Limits<'_>, scheduler: &Scheduler<'_>, number: usize) {
        let work = &scheduler.work[number];
        let ordered = work.successors.iter().filter(|edge| edge.ordered);
        let mut tail = ordered.map(|edge| edge.length + self.tails[edge.to]).max().unwrap_or(0);
        for (position, value) in work.outputs.iter().enumerate() {
            self.after[*value] = self.after_write(limits, scheduler, *value);
            let Some(facts) = limits.facts(scheduler, number) else {
                tail = tail.max(self.after[*value]);
                continue;
            };
            let results = &facts.results[position];
            // No result reaches its port once the block is over.
            tail = tail.max(results.iter().map(|r| r.0).min().unwrap_or(1) - 1);
            if self.in_register(scheduler, *value) {
                let to = limits.wires.file_input(scheduler.values[*value].register.file);
                tail = tail.max(least(limits, results, to) + self.after[*value]);
            }
            if matches!(self.origins[*value], Origin::Shown(..)) {
                for wanted in &self.uses[*value] {
                    tail = tail.max(match wanted {
                        Use::Operand { node, to } => least(limits, results, *to) + self.tails[*node],
                        Use::Address { to } => least(limits, results, *to) + self.slots,
                        Use::Guard { .. } | Use::Kept { .. } | Use::Branch => 0,
                    });
                }
            }
        }
        self.tails[number] = tail;
    }

    /// Whether a value must be moved to its register.
    pub(super) fn in_register(&self, scheduler: &Scheduler<'_>, value: usize) -> bool {
        let wanted = |wanted: &Use| matches!(wanted, Use::Guard { .. } | Use::Kept { .. } | Use::Branch);
        match self.origins[value] {
            Origin::Before => false,
            Origin::Copied | Origin::Merged(..) => true,
            Origin::Shown(..) => scheduler.values[value].live_out || self.uses[value].iter().any(wanted),
        }
    }

    /// How many cycles follow the move of a value to its register, for its own sake.
    fn after_write(&self, limits: &mut Limits<'_>, scheduler: &Scheduler<'_>, value: usize) -> i64 {
        let file = scheduler.values[value].register.file;
        let latency = i64::from(limits.machine.register_guard_latency(file));
        let only_there = !matches!(self.origins[value], Origin::Shown(..));
        let from = limits.wires.file_output(file);
        let mut after = 0;
        for wanted in &self.uses[value] {
            after = after.max(match wanted {
                Use::Operand { node, to } if only_there => {
                    1 + limits.distances.between(from, *to) + self.tails[*node]
                }
                Use::Address { to } if only_there => 1 + limits.distances.between(from, *to) + self.slots,
                Use::Operand { .. } | Use::Address { .. } => 0,
                Use::Guard { node } => {
                    let pure = scheduler.nodes[*node].op.is_some_and(|op| op.info().is_pure());
                    let outputs = scheduler.work[*node].outputs.iter().map(|o| self.after[*o]);
                    latency + if pure { outputs.max().unwrap_or(0) } else { self.tails[*node] }
                }
                Use::Kept { by } => self.after[*by],
                Use::Branch => latency + self.slots,
            });
        }
        after
    }
}

/// The least cycles from a trigger to a move of a result over one of the buses `to`.
fn least(limits: &mut Limits<'_>, results: &[(i64, Buses)], to: Buses) -> i64 {
    let all = results.iter().map(|(latency, from)| latency + limits.distances.between(*from, to));
    all.min().unwrap_or(1)
}

/// The buses that a jump's address goes over.
pub(super) fn into_control(limits: &Limits<'_>) -> Buses {
    let control = limits.machine.control_unit();
    let port = limits.machine.units[control.index()].trigger();
    port.map_or(0, |port| limits.wires.port(control, port).0)
}

/// The buses that read the return address.
fn return_address(limits: &Limits<'_>) -> Buses {
    let control = limits.machine.control_unit();
    limits.machine.control.return_address.map_or(0, |port| limits.wires.port(control, port).1)
}
