//! Register allocation: code on values to machine code on the machine's registers.
//!
//! In: a [`code::Function`](crate::code::Function), and for its callees which registers they write. Out: a [`mir::Function`],
//! the registers that it and its callees write, and its stack frame, laid out. By colouring an interference graph over all
//! register files at once; what finds no register lives in the frame, or is computed anew at each use. All registers belong to
//! the callee: a value that lives across a call is in a register that the callee leaves alone, or in the frame.

mod colour;
mod convention;
mod finish;
mod graph;
mod near;
mod spill;

pub use convention::Convention;

use crate::code::{Function, Input, Node, Place, STACK_POINTER, Terminator};
use crate::lift::Ability;
use crate::ops::Op;
use crate::schedule::mir::{self, Register};
use std::collections::{BTreeMap, BTreeSet};

/// Why registers cannot be assigned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AllocateError {
    /// Too few registers.
    #[error(
        "function '{function}': {words} registers and {bits} guard registers do not suffice for its code"
    )]
    Registers {
        /// The function.
        function: String,
        /// Registers of 32 bits.
        words: usize,
        /// Registers that guards test.
        bits: usize,
    },
    /// No space for the stack.
    #[error("the machine has no address space for the stack")]
    NoStack,
}

/// A function with its registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allocated {
    /// The code.
    pub function: mir::Function,
    /// The registers that it or a callee writes.
    pub clobbers: BTreeSet<Register>,
    /// The bytes of stack that it takes, its callees not counted.
    pub frame: u32,
}

/// The registers that functions write, by name. A function that is not listed may write all.
pub type Clobbers = BTreeMap<String, BTreeSet<Register>>;

/// How often what finds no register is moved to the frame before allocation is given up.
const ROUNDS: usize = 40;

/// Assigns registers.
///
/// # Errors
/// The code needs more registers at one place than there are.
pub fn allocate(
    ability: &Ability,
    convention: &Convention,
    mut function: Function,
    clobbers: &Clobbers,
) -> Result<Allocated, AllocateError> {
    let space = ability.space(0).ok_or(AllocateError::NoStack)?;
    let ops = spill::Ops::of(ability, space).ok_or(AllocateError::NoStack)?;
    pass_in_memory(convention, &ops, &mut function);
    keep_return_address(&mut function, &ops);
    let mut temporary = BTreeSet::new();
    for _ in 0..ROUNDS {
        let graph = graph::build(&function, convention, clobbers);
        let coloured = colour::colour(&function, convention, &graph, &temporary);
        if coloured.spilled.is_empty() {
            return Ok(finish::finish(convention, &function, &coloured.registers, clobbers));
        }
        if coloured.spilled.iter().any(|v| temporary.contains(v)) {
            break;
        }
        spill::spill(&mut function, &coloured.spilled, &ops, &mut temporary);
    }
    Err(AllocateError::Registers {
        function: function.name,
        words: convention.words.len(),
        bits: convention.bits.len(),
    })
}

/// Assigns registers to code that only names fixed values and has no caller: nothing is kept for one.
///
/// # Errors
/// The machine has no space for a stack.
pub fn allocate_start(
    ability: &Ability,
    convention: &Convention,
    function: &Function,
    clobbers: &Clobbers,
) -> Result<Allocated, AllocateError> {
    ability.space(0).ok_or(AllocateError::NoStack)?;
    let graph = graph::build(function, convention, clobbers);
    let coloured = colour::colour(function, convention, &graph, &BTreeSet::new());
    Ok(finish::finish(convention, function, &coloured.registers, clobbers))
}

/// Arguments for which there is no register are passed below the stack pointer.
fn pass_in_memory(convention: &Convention, ops: &spill::Ops, function: &mut Function) {
    let below = |value: crate::code::Value| {
        let unmapped = (10..18).contains(&value.0) && convention.argument(value).is_none();
        unmapped.then(|| -4 * (i32::try_from(value.0).unwrap_or(0) - 9))
    };
    let mut shared = 0;
    for number in 0..function.blocks.len() {
        let nodes = std::mem::take(&mut function.blocks[number].nodes);
        let mut out = Vec::with_capacity(nodes.len());
        for mut node in nodes {
            for at in 0..node.inputs.len() {
                if let Input::Value(value) = node.inputs[at]
                    && let Some(offset) = below(value)
                {
                    shared = shared.max(offset.unsigned_abs());
                    let distance = Input::Frame { place: Place::Caller, offset };
                    node.inputs[at] = Input::Value(ops.load(function, distance, None, &mut out));
                }
            }
            let stored = node.outputs.first().copied().and_then(below);
            let Some(offset) = stored else {
                out.push(node);
                continue;
            };
            let value = function.value(crate::code::Class::Word);
            node.outputs[0] = value;
            out.push(node);
            ops.store(function, Input::Constant(offset.cast_unsigned()), value, None, &mut out);
        }
        let block = &mut function.blocks[number];
        block.nodes = out;
        if let Terminator::Call { arguments, .. } = &mut block.terminator {
            arguments.retain(|a| below(*a).is_none());
        }
    }
    function.shared = function.shared.max(shared);
}

/// A function that calls keeps its return address and moves the stack pointer.
fn keep_return_address(function: &mut Function, ops: &spill::Ops) {
    if !function.calls() {
        return;
    }
    let kept = function.value(crate::code::Class::Word);
    let size = Input::Frame { place: Place::Caller, offset: 0 };
    let adjust = |op: Op| Node {
        op: Some(op),
        inputs: vec![Input::Value(STACK_POINTER), size],
        outputs: vec![STACK_POINTER],
        condition: None,
        memory: None,
    };
    let mut returns = false;
    for number in 0..function.blocks.len() {
        if !matches!(function.blocks[number].terminator, Terminator::Return { .. }) {
            continue;
        }
        // Read while the stack pointer still finds it.
        let target = function.value(crate::code::Class::Word);
        let block = &mut function.blocks[number];
        block.nodes.push(Node::copy(Input::Value(kept), target));
        block.nodes.push(adjust(ops.add));
        if let Terminator::Return { address, .. } = &mut block.terminator {
            *address = Input::Value(target);
        }
        returns = true;
    }
    let mut begin = vec![adjust(ops.sub)];
    if returns {
        begin.push(Node::copy(Input::ReturnAddress, kept));
    }
    if let Some(first) = function.blocks.first_mut() {
        first.nodes.splice(0..0, begin);
    }
}
