//! The end of register allocation: the frame is laid out, and every value gives way to its register.
//!
//! From the caller's stack pointer down: what functions share to pass arguments, the frame's objects, and at the stack pointer
//! the arguments of calls. A function that calls nothing leaves the stack pointer alone and uses what is below it: nothing
//! interrupts a program.

use super::{Allocated, Clobbers, Convention};
use crate::code::{Callee, Function, Input, Node, Place, STACK_POINTER, Terminator, Value};
use crate::schedule::mir::{self, Operand, Predicate, Register};
use std::collections::{BTreeMap, BTreeSet};

struct Frame {
    /// Distances of objects below the caller's stack pointer.
    objects: Vec<u32>,
    /// How far the stack pointer is below the caller's.
    size: u32,
    /// Everything.
    whole: u32,
}

fn lay_out(function: &Function, convention: &Convention) -> Frame {
    let mut at = function.shared;
    let mut objects = vec![0; function.stack.len()];
    let order = by_heat(function);
    // A function that calls has its stack pointer below the frame, a leaf above it: what is accessed most for its size is next to
    // it either way, where short immediates reach.
    let order: Vec<usize> = if function.calls() { order.into_iter().rev().collect() } else { order };
    for k in order {
        let object = function.stack[k];
        at = (at + object.size).next_multiple_of(object.align.max(1));
        objects[k] = at;
    }
    let whole = (at + function.outgoing).next_multiple_of(convention.stack_align);
    let size = if function.calls() { whole } else { 0 };
    Frame { objects, size, whole }
}

/// The objects of a frame, those first that are accessed most for their size; of those that are accessed as often the small ones.
fn by_heat(function: &Function) -> Vec<usize> {
    let mut heat = vec![0_u64; function.stack.len()];
    for block in &function.blocks {
        for input in block.nodes.iter().flat_map(|n| &n.inputs) {
            if let Input::Frame { place: Place::Object(object), .. } = input {
                let sum = &mut heat[*object as usize];
                *sum = sum.saturating_add(block.weight.max(1));
            }
        }
    }
    let size = |k: usize| u128::from(function.stack[k].size.max(1));
    let mut order: Vec<usize> = (0..heat.len()).collect();
    order.sort_by(|a, b| {
        let (one, other) = (u128::from(heat[*a]) * size(*b), u128::from(heat[*b]) * size(*a));
        other.cmp(&one).then(size(*a).cmp(&size(*b))).then(a.cmp(b))
    });
    order
}

/// Finishes a function.
pub(super) fn finish(
    convention: &Convention,
    function: &Function,
    registers: &BTreeMap<Value, Register>,
    clobbers: &Clobbers,
) -> Allocated {
    let frame = lay_out(function, convention);
    let mut finisher = Finisher { convention, function, registers, frame, in_place: BTreeSet::new() };
    finisher.find_in_place();
    let everything: BTreeSet<Register> = convention.words.iter().chain(&convention.bits).copied().collect();
    let mut written = BTreeSet::new();
    let mut blocks = Vec::with_capacity(function.blocks.len());
    let mut results = Vec::new();
    for block in &function.blocks {
        let nodes: Vec<mir::Node> = block.nodes.iter().filter_map(|n| finisher.node(n)).collect();
        written.extend(nodes.iter().flat_map(|n| &n.outputs).copied().filter(|r| *r != convention.stack));
        let terminator = match &block.terminator {
            Terminator::Jump(to) => mir::Terminator::Jump(*to),
            Terminator::Branch { condition, taken, otherwise } => mir::Terminator::Branch {
                predicate: finisher.predicate(condition.value, condition.inverted),
                taken: *taken,
                otherwise: *otherwise,
            },
            Terminator::Call { callee, arguments, results, next } => {
                let (callee, changed) = match callee {
                    Callee::Symbol(symbol) => {
                        let name = &function.symbols[*symbol as usize].name;
                        (
                            Operand::Symbol { symbol: *symbol, addend: 0 },
                            clobbers.get(name).unwrap_or(&everything),
                        )
                    }
                    Callee::Value(value) => (Operand::Register(finisher.register(*value)), &everything),
                };
                written.extend(changed.iter().copied());
                let mut reads: Vec<Register> = arguments.iter().map(|a| finisher.register(*a)).collect();
                reads.push(convention.stack);
                let mut all = changed.clone();
                all.extend(results.iter().map(|r| finisher.register(*r)));
                mir::Terminator::Call { callee, next: *next, reads, clobbers: all.into_iter().collect() }
            }
            Terminator::Return { address, results } => {
                let to = match address {
                    Input::Value(value) => Operand::Register(finisher.register(*value)),
                    _ => Operand::ReturnAddress,
                };
                let mut reads: Vec<Register> = results.iter().map(|r| finisher.register(*r)).collect();
                reads.push(convention.stack);
                mir::Terminator::Return { to, reads }
            }
            Terminator::Halt { results: all } => {
                results = all.iter().map(|r| finisher.register(*r)).collect();
                mir::Terminator::Halt
            }
        };
        blocks.push(mir::Block { nodes, terminator, weight: block.weight });
    }
    let frame = finisher.frame.whole;
    let function =
        mir::Function { name: function.name.clone(), blocks, symbols: function.symbols.clone(), results };
    Allocated { function, clobbers: written, frame }
}

struct Finisher<'a> {
    convention: &'a Convention,
    function: &'a Function,
    registers: &'a BTreeMap<Value, Register>,
    frame: Frame,
    /// Values that equal the stack pointer wherever they are read.
    in_place: BTreeSet<Value>,
}

impl Finisher<'_> {
    /// Every value that is read has a register: colouring gave it one, or would have been repeated.
    fn register(&self, value: Value) -> Register {
        self.registers.get(&value).copied().unwrap_or(self.convention.stack)
    }

    fn distance(&self, place: Place, offset: i32) -> u32 {
        let below = match place {
            Place::Caller => 0,
            Place::Object(object) => self.frame.objects[object as usize],
        };
        self.frame.size.wrapping_sub(below).wrapping_add_signed(offset)
    }

    fn is_at_stack_pointer(&self, node: &Node) -> bool {
        matches!(node.inputs.as_slice(), [Input::Value(STACK_POINTER), Input::Frame { place, offset }]
            if node.op.is_some() && node.condition.is_none() && self.distance(*place, *offset) == 0)
    }

    fn find_in_place(&mut self) {
        let mut writes: BTreeMap<Value, u32> = BTreeMap::new();
        for output in self.function.blocks.iter().flat_map(|b| &b.nodes).flat_map(|n| &n.outputs) {
            *writes.entry(*output).or_default() += 1;
        }
        let nodes = self.function.blocks.iter().flat_map(|b| &b.nodes);
        let found: BTreeSet<Value> = nodes
            .filter(|n| self.is_at_stack_pointer(n))
            .filter_map(|n| n.outputs.first().copied())
            .filter(|v| writes.get(v) == Some(&1))
            .collect();
        self.in_place = found;
    }

    fn operand(&self, input: Input) -> Operand {
        match input {
            Input::Value(v) if self.in_place.contains(&v) => Operand::Register(self.convention.stack),
            Input::Value(v) => Operand::Register(self.register(v)),
            Input::Constant(c) => Operand::Constant(c),
            Input::Symbol { symbol, addend } => Operand::Symbol { symbol, addend: addend.cast_unsigned() },
            Input::Frame { place, offset } => Operand::Constant(self.distance(place, offset)),
            Input::ReturnAddress => Operand::ReturnAddress,
        }
    }

    fn predicate(&self, value: Value, inverted: bool) -> Predicate {
        Predicate { register: self.register(value), inverted }
    }

    fn node(&self, node: &Node) -> Option<mir::Node> {
        if let [output] = node.outputs.as_slice()
            && (self.in_place.contains(output) || *output == STACK_POINTER && self.is_at_stack_pointer(node))
        {
            return None;
        }
        let inputs: Vec<Operand> = node.inputs.iter().map(|i| self.operand(*i)).collect();
        let outputs: Vec<Register> = node.outputs.iter().map(|o| self.register(*o)).collect();
        if node.op.is_none() && inputs.first() == outputs.first().map(|o| Operand::Register(*o)).as_ref() {
            return None;
        }
        Some(mir::Node {
            op: node.op,
            inputs,
            outputs,
            predicate: node.condition.map(|c| self.predicate(c.value, c.inverted)),
            memory: node.memory.clone(),
        })
    }
}
