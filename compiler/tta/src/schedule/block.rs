//! Schedules one block: every operation onto a unit and a cycle, every value onto a bus.
//!
//! List scheduling, cycle by cycle, by critical path. An operation is placed as a whole: its operand moves, its trigger, and,
//! only once somebody cannot do without it, the move of its result to a register. A reader that can take the result from the
//! port does so; a value whose readers all did and that nobody needs later never reaches a register; an operand that its port
//! still holds is not moved again. What does not fit in a cycle is taken back and tried in the next. This file sees what depends
//! on what; `place.rs` places operations, `moves.rs` their moves.

mod bound;
mod moves;
mod place;
mod rename;

use super::mir::{Block, Memory, Node, Operand, Register, Terminator};
use super::table::{Number, Table};
use super::wires::{Buses, Wires};
use super::{Addresses, Options, Saved, ScheduleError};
use crate::model::{Machine, SpaceId, UnitId, mask};
use crate::ops::{Op, Semantics};
pub(super) use bound::{Jump, Limits};
pub(super) use place::{Order, Target};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How many cycles may pass without anything being placed before we give up.
const HORIZON: i64 = 400;
/// The same where operations may get into each other's way, and other orders are left to try.
const IMPATIENT: i64 = 40;
/// How many cycles before its trigger an operand may be moved.
const OPERAND_WINDOW: i64 = 6;

/// An input: a value of the block, a number, or the address to return to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Input {
    Value(usize),
    Number(Number),
    ReturnAddress,
}

/// What a register holds from one definition to the next.
#[derive(Debug, Clone, Copy)]
struct Value {
    register: Register,
    /// The value that the register held before.
    previous: Option<usize>,
    /// The value that the register holds next.
    next: Option<usize>,
    /// It must be in this register: it is there when the block begins or needed there after it, or stays where a condition
    /// does not hold.
    fixed: bool,
    /// Reads by operations that are not placed yet.
    readers: usize,
    /// Needed after the block.
    live_out: bool,
    /// The cycle of its move to the register; -1 for values from before the block.
    written: Option<i64>,
    /// The port that shows it, and from when.
    arrival: Option<((UnitId, u16), i64)>,
    /// The last cycle in which the register is read or guards with this value.
    last_read: i64,
}

/// What an input port holds from one write to the next.
#[derive(Debug, Clone, Copy)]
struct Latch {
    write: i64,
    key: Option<Input>,
    last_use: i64,
}

/// A node with its inputs and outputs as values.
#[derive(Debug)]
struct Work {
    inputs: Vec<Input>,
    outputs: Vec<usize>,
    predicate: Option<(usize, bool)>,
    successors: Vec<Edge>,
    placed: bool,
    /// The units that it can go to, and the number of the operation there.
    offers: Offers,
    waits: usize,
    earliest: i64,
    height: i64,
}

/// What must be placed before what, at least how many cycles before, and how long the way from there to here is in truth.
#[derive(Debug, Clone, Copy)]
struct Edge {
    to: usize,
    cycles: i64,
    length: i64,
    /// It is there for the order of effects, not for a value.
    ordered: bool,
}

/// An edge that is there because of the register that a value is written to: the value, and the edge with where it begins.
type Tied = (usize, (usize, Edge));

/// What a mistaken placement has changed beside the table.
#[derive(Debug)]
enum Undo {
    Value(usize, Value),
    Latched(usize, usize),
    LatchUsed(usize, usize, i64),
    Temporary(usize),
    Top(usize, Option<usize>),
    AddressRead(Option<i64>),
}

/// Which operations are placed in the order of the code because of the registers that they write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ties {
    /// Those whose results must be in a certain register; others may take another.
    Fixed,
    /// Those that write the same register.
    Writes,
    /// Those that write a register after those that read it, too.
    All,
}

/// The scheduler of a block.
pub(super) struct Scheduler<'a> {
    machine: &'a Machine,
    wires: &'a Wires,
    options: &'a Options,
    nodes: &'a [Node],
    pub(super) table: Table<'a>,
    work: Vec<Work>,
    values: Vec<Value>,
    finals: BTreeMap<Register, usize>,
    /// By register: its last value, renamed ones included.
    tops: Vec<Option<usize>>,
    /// Registers that nobody needs after the block.
    pool: Vec<Register>,
    /// For each value the operations that read it, with the buses to where they can; empty where buses join everything.
    wanted: Vec<Vec<(usize, Buses)>>,
    /// By port: what is written to it, in the order of time.
    latches: Vec<Vec<Latch>>,
    temporaries: Vec<Vec<(i64, i64)>>,
    /// When the return address is read last; a call that is triggered earlier replaces it.
    address_read: Option<i64>,
    log: Vec<Undo>,
    /// Nothing is placed whose results have no register to go to.
    reserves: bool,
    /// Numbers that a bus or an immediate unit brings straight to where they are wanted take no other way.
    frugal: bool,
    /// After how many cycles without anything being placed it is given up.
    patience: i64,
    /// Results that never needed a register.
    eliminated: usize,
    /// Operands that a port still held.
    shared: usize,
}

/// The order of what the block does beside computing: loads, stores and whatever reaches outside.
#[derive(Default)]
struct Effects<'a> {
    done: Vec<(usize, bool, Option<&'a Memory>)>,
}

impl<'a> Scheduler<'a> {
    /// Sees what depends on what. `live_out` are the registers needed after the block, `pool` those that values may be renamed to.
    pub(super) fn new(
        machine: &'a Machine,
        wires: &'a Wires,
        options: &'a Options,
        block: &'a Block,
        (live_out, pool): (&BTreeSet<Register>, &BTreeSet<Register>),
        addresses: &mut Addresses<'_>,
        ties: Ties,
    ) -> Self {
        let mut scheduler = Self {
            machine,
            wires,
            options,
            nodes: &block.nodes,
            table: Table::new(machine, wires),
            work: Vec::new(),
            values: Vec::new(),
            finals: BTreeMap::new(),
            tops: Vec::new(),
            pool: Vec::new(),
            wanted: Vec::new(),
            latches: vec![Vec::new(); wires.port_count()],
            temporaries: vec![Vec::new(); options.temporaries.len()],
            address_read: None,
            log: Vec::new(),
            reserves: ties == Ties::Fixed,
            frugal: false,
            patience: if ties == Ties::Fixed { IMPATIENT } else { HORIZON },
            eliminated: 0,
            shared: 0,
        };
        let (mut edges, tied) = scheduler.dependences(addresses, ties);
        for register in live_out {
            let last = scheduler.value_in(*register);
            (scheduler.values[last].live_out, scheduler.values[last].fixed) = (true, true);
        }
        let values = &scheduler.values;
        let kept = tied.into_iter().filter(|(value, _)| ties != Ties::Fixed || values[*value].fixed);
        edges.extend(kept.map(|(_, edge)| edge));
        scheduler.tops = vec![None; wires.register_count()];
        for (register, value) in &scheduler.finals {
            scheduler.tops[wires.register_number(*register)] = Some(*value);
        }
        scheduler.pool = pool.iter().copied().filter(|r| !live_out.contains(r)).collect();
        scheduler.heights(&edges, &block.terminator);
        if options.rename && !options.temporaries.is_empty() {
            scheduler.note_wanted(wires);
        }
        scheduler
    }

    /// The value that a register holds after what has been seen so far.
    fn value_in(&mut self, register: Register) -> usize {
        if let Some(value) = self.finals.get(&register) {
            return *value;
        }
        self.values.push(Value {
            register,
            previous: None,
            next: None,
            fixed: true,
            readers: 0,
            live_out: false,
            written: Some(-1),
            arrival: None,
            last_read: -1,
        });
        self.finals.insert(register, self.values.len() - 1);
        self.values.len() - 1
    }

    /// What depends on what; apart from that, with the value that is written, what is in order because of registers.
    fn dependences(&mut self, addresses: &mut Addresses<'_>, ties: Ties) -> (Vec<(usize, Edge)>, Vec<Tied>) {
        let mut definer: BTreeMap<usize, usize> = BTreeMap::new();
        let mut readers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut effects = Effects::default();
        let mut edges: Vec<(usize, Edge)> = Vec::new();
        let mut tied: Vec<Tied> = Vec::new();
        let mut offered: Vec<(Offered, Offers)> = Vec::new();
        for (number, node) in self.nodes.iter().enumerate() {
            let mut inputs = Vec::new();
            for input in &node.inputs {
                inputs.push(match *input {
                    Operand::Register(register) => {
                        let value = self.value_in(register);
                        self.values[value].readers += 1;
                        if let Some(from) = definer.get(&value) {
                            let length = self.latency(*from, value);
                            edges.push((*from, Edge { to: number, cycles: 1, length, ordered: false }));
                        }
                        readers.entry(value).or_default().push(number);
                        Input::Value(value)
                    }
                    Operand::Constant(constant) => {
                        Input::Number(Number { value: u64::from(constant), tag: None })
                    }
                    Operand::Symbol { symbol, addend } => Input::Number(addresses.symbol(symbol, addend)),
                    Operand::ReturnAddress => Input::ReturnAddress,
                });
            }
            let predicate = node.predicate.map(|p| {
                let value = self.value_in(p.register);
                self.values[value].readers += 1;
                if let Some(from) = definer.get(&value) {
                    let wait = i64::from(self.machine.register_guard_latency(p.register.file));
                    let length = self.latency(*from, value) + wait;
                    edges.push((*from, Edge { to: number, cycles: 1, length, ordered: false }));
                }
                readers.entry(value).or_default().push(number);
                (value, p.inverted)
            });
            let mut outputs = Vec::new();
            for register in &node.outputs {
                let previous = self.value_in(*register);
                if node.predicate.is_some() {
                    // What stays if the predicate does not hold is read, in a way.
                    self.values[previous].readers += 1;
                }
                let mut before: Vec<(usize, Edge)> = Vec::new();
                // A write that is sure to happen must not happen after this one.
                let edge = Edge { to: number, cycles: 1, length: 1, ordered: false };
                before.extend(definer.get(&previous).map(|d| (*d, edge)));
                if ties == Ties::All || node.predicate.is_some() || node.op.is_none() {
                    let reads = readers.get(&previous).into_iter().flatten();
                    let edge = Edge { to: number, cycles: 0, length: 0, ordered: false };
                    before.extend(reads.map(|r| (*r, edge)));
                }
                self.finals.remove(register);
                let value = self.value_in(*register);
                let new = &mut self.values[value];
                (new.previous, new.written) = (Some(previous), None);
                new.fixed = node.predicate.is_some();
                self.values[previous].next = Some(value);
                self.values[previous].fixed |= node.predicate.is_some();
                tied.extend(before.into_iter().map(|edge| (value, edge)));
                definer.insert(value, number);
                if node.predicate.is_some() {
                    readers.entry(previous).or_default().push(number);
                }
                outputs.push(value);
            }
            edges.extend(
                effects
                    .before(number, node)
                    .map(|(from, c)| (from, Edge { to: number, cycles: c, length: c, ordered: true })),
            );
            let offers = match offered.iter().find(|(key, _)| *key == offer_key(node)) {
                Some((_, offers)) => Rc::clone(offers),
                None => {
                    let offers: Offers = self.find_offers(node).into();
                    offered.push((offer_key(node), Rc::clone(&offers)));
                    offers
                }
            };
            self.work.push(Work {
                inputs,
                outputs,
                predicate,
                successors: Vec::new(),
                placed: false,
                offers,
                waits: 0,
                earliest: 0,
                height: 0,
            });
        }
        (edges, tied)
    }

    /// How long the way from each operation to the end of the block is.
    fn heights(&mut self, edges: &[(usize, Edge)], terminator: &Terminator) {
        for (from, edge) in edges {
            if *from != edge.to {
                self.work[*from].successors.push(*edge);
                self.work[edge.to].waits += 1;
            }
        }
        let slots = i64::from(self.machine.control.delay_slots);
        let mut tails: BTreeMap<usize, i64> = BTreeMap::new();
        let guards = matches!(terminator, Terminator::Branch { .. });
        for register in terminator.reads() {
            let value = self.value_in(register);
            let wait = i64::from(self.machine.register_guard_latency(register.file));
            tails.insert(value, slots + if guards { wait } else { 0 });
        }
        for number in (0..self.work.len()).rev() {
            let outputs = &self.work[number].outputs;
            // A copy writes at once; what only operations of the block read need not be written.
            let copied = self.nodes[number].op.is_none();
            let written = |o: &usize| match (tails.get(o), self.values[*o].live_out) {
                (None, false) => 0,
                (tail, _) => {
                    let after = if copied { 0 } else { self.latency(number, *o) };
                    after + tail.copied().unwrap_or(0)
                }
            };
            let own = outputs.iter().map(written).max().unwrap_or(0);
            let below = self.work[number].successors.iter();
            let below = below.map(|e| self.work[e.to].height + e.length).max();
            self.work[number].height = own.max(below.unwrap_or(0));
        }
    }

    /// What has been saved.
    pub(super) fn saved(&self) -> Saved {
        Saved { eliminated: self.eliminated, shared: self.shared }
    }

    /// The longest way from an operation to the end of the block.
    pub(super) fn longest_way(&self) -> i64 {
        self.work.iter().map(|w| w.height).max().unwrap_or(0)
    }

    /// Operations are placed as if the ways from them to the end were so much longer.
    pub(super) fn prefer(&mut self, biases: &[i64]) {
        for (work, bias) in self.work.iter_mut().zip(biases) {
            work.height += bias;
        }
    }

    /// The shortest latency that any unit offers for a node's result.
    fn latency(&self, number: usize, value: usize) -> i64 {
        let node = &self.nodes[number];
        let Some(op) = node.op else { return 1 };
        let register = self.values[value].register;
        let position = node.outputs.iter().position(|o| *o == register).unwrap_or(0);
        shortest_latency(self.machine, op, position).map_or(1, i64::from)
    }
}

/// An operation, and the space that it accesses.
type Offered = (Option<Op>, Option<SpaceId>);

/// The units that have an operation, and its number there.
type Offers = Rc<[(UnitId, u16)]>;

/// What decides which units a node can go to.
fn offer_key(node: &Node) -> Offered {
    (node.op, node.memory.as_ref().map(|m| m.space))
}

/// The shortest latency that any unit offers for a result of an operation, counted from 0.
pub(super) fn shortest_latency(machine: &Machine, op: Op, position: usize) -> Option<u32> {
    let info = op.info();
    let number = info.inputs + 1 + u16::try_from(position).ok()?;
    let latencies = machine.offering(info.name).filter_map(|(unit, operation)| {
        machine.units[unit.index()].operations[usize::from(operation)].latency_of(number)
    });
    latencies.min()
}

impl<'a> Effects<'a> {
    /// The nodes that a node must come after, and how many cycles at least.
    fn before(&mut self, number: usize, node: &'a Node) -> impl Iterator<Item = (usize, i64)> + use<> {
        let mut all = Vec::new();
        if let Some(info) = node.op.map(Op::info)
            && !info.is_pure()
        {
            let load = matches!(info.semantics, Semantics::Load(_));
            let memory = node.memory.as_ref().filter(|_| info.is_memory());
            for (earlier, loaded, other) in &self.done {
                let conflict = match (memory, other) {
                    (Some(a), Some(b)) => a.conflicts(b) && !(load && *loaded && !(a.volatile && b.volatile)),
                    _ => !(load && *loaded),
                };
                if conflict {
                    all.push((*earlier, i64::from(!loaded || load)));
                }
            }
            self.done.push((number, load, memory));
        }
        all.into_iter()
    }
}

/// The number that stands for an address of at most `limit`.
pub(super) fn wide_number(limit: u64, tag: u32) -> Number {
    Number { value: mask(64 - limit.leading_zeros()), tag: Some(tag) }
}

impl ScheduleError {
    fn stuck(what: &str) -> Self {
        Self::NoPlace { what: what.to_owned() }
    }
}
