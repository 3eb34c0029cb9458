//! Transport scheduling: machine code in blocks to a program of moves.
//!
//! In: a [`mir::Function`] on the machine's registers, after allocation. Out: a [`Program`] for which the machine has every
//! connection and port it uses, and that runs without a hazard. Blocks are scheduled one by one; results and resources
//! do not reach from one into the next. Loops are not overlapped.

mod block;
pub mod mir;
mod table;

use crate::model::Machine;
use crate::program::{Destination, Exit, Instruction, Program, Source, Symbol, SymbolValue};
use block::Scheduler;
use mir::{Function, Operand, Predicate, Register, Terminator};
use std::collections::BTreeSet;

/// Choices of the scheduler; the switches are there to measure what each is worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Registers that no operation uses, for values on their way where buses do not connect; at least one in each file.
    pub temporaries: Vec<Register>,
    /// Readers take results from ports.
    pub bypass: bool,
    /// Operands that a port still holds are not moved again.
    pub share_operands: bool,
}

/// Why a function cannot be scheduled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// An operation that no unit has.
    #[error("no unit of the machine has the operation '{operation}'")]
    NoUnit {
        /// The operation.
        operation: String,
    },
    /// Something that fits into no cycle: the machine lacks a way.
    #[error("the machine has no place or way for {what}")]
    NoPlace {
        /// What does not fit.
        what: String,
    },
    /// More instructions than a jump can reach.
    #[error("the function has {count} instructions; at most {limit} can be reached by jumps")]
    TooLong {
        /// Instructions.
        count: usize,
        /// The limit.
        limit: usize,
    },
}

/// A scheduled function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheduled {
    /// The program.
    pub program: Program,
    /// Results that never needed a register.
    pub eliminated: usize,
}

/// What jumps are scheduled for until the addresses are known: the largest numbers that a signed field of 16 bits holds.
const LARGEST_TARGET: u32 = 0x7fff;

/// Schedules `function` for `machine`.
///
/// # Errors
/// An operation that the machine lacks, or a value that it has no way for.
pub fn schedule(
    machine: &Machine,
    function: &Function,
    options: &Options,
) -> Result<Scheduled, ScheduleError> {
    let live = liveness(function);
    let mut program = Program::default();
    let mut starts = Vec::new();
    let mut patches: Vec<(usize, usize, u32, usize)> = Vec::new();
    let mut eliminated = 0;
    for (number, block) in function.blocks.iter().enumerate() {
        let begin = program.instructions.len();
        starts.push(begin);
        let name = format!("block_{number}");
        let at = u32::try_from(begin).unwrap_or(u32::MAX);
        program.symbols.push(Symbol { name, value: SymbolValue::Code(at) });
        let mut scheduler = Scheduler::new(machine, options, block, &live[number]);
        scheduler.run()?;
        eliminated += scheduler.eliminated;
        let mut jumps: Vec<(u32, usize)> = Vec::new();
        let mut end = scheduler.table.last();
        for (predicate, to) in exits(block.terminator, number + 1) {
            let placeholder = unused(block, &jumps);
            let not_before = if jumps.is_empty() { 0 } else { end - i64::from(machine.control.delay_slots) };
            let cycle = scheduler.jump(placeholder, predicate, not_before)?;
            end = end.max(cycle + i64::from(machine.control.delay_slots));
            jumps.push((placeholder, to));
        }
        let mut rows = std::mem::take(&mut scheduler.table.rows);
        let least = usize::from(matches!(block.terminator, Terminator::Halt));
        rows.resize_with(usize::try_from(end + 1).unwrap_or(0).max(least), Instruction::default);
        for row in &mut rows {
            row.moves.sort_by_key(|m| m.bus);
        }
        program.instructions.append(&mut rows);
        let until = program.instructions.len();
        patches.extend(jumps.iter().map(|(placeholder, to)| (begin, until, *placeholder, *to)));
        if block.terminator == Terminator::Halt {
            let result = function.results.first().map(|r| (r.file, r.index));
            let instruction = u32::try_from(until - 1).unwrap_or(u32::MAX);
            program.exits.push(Exit { instruction, result });
        }
    }
    let count = program.instructions.len();
    if count > LARGEST_TARGET as usize {
        return Err(ScheduleError::TooLong { count, limit: LARGEST_TARGET as usize });
    }
    for (begin, until, placeholder, to) in patches {
        patch(machine, &mut program.instructions[begin..until], placeholder, starts[to]);
    }
    Ok(Scheduled { program, eliminated })
}

/// The jumps that a terminator needs where `next` is the block behind.
fn exits(terminator: Terminator, next: usize) -> Vec<(Option<Predicate>, usize)> {
    match terminator {
        Terminator::Halt => Vec::new(),
        Terminator::Jump(to) if to == next => Vec::new(),
        Terminator::Jump(to) => vec![(None, to)],
        Terminator::Branch { predicate, taken, otherwise } => {
            let not = Predicate { inverted: !predicate.inverted, ..predicate };
            if taken == otherwise {
                exits(Terminator::Jump(taken), next)
            } else if otherwise == next {
                vec![(Some(predicate), taken)]
            } else if taken == next {
                vec![(Some(not), otherwise)]
            } else {
                vec![(Some(predicate), taken), (Some(not), otherwise)]
            }
        }
    }
}

/// A number that stands for a jump's target and that the block has no other use for.
fn unused(block: &mir::Block, jumps: &[(u32, usize)]) -> u32 {
    let used: BTreeSet<u32> = block
        .nodes
        .iter()
        .flat_map(|n| &n.inputs)
        .filter_map(|i| match i {
            Operand::Constant(c) => Some(*c),
            Operand::Register(_) => None,
        })
        .chain(jumps.iter().map(|(p, _)| *p))
        .collect();
    (0..=LARGEST_TARGET).rev().find(|p| !used.contains(p)).unwrap_or(LARGEST_TARGET)
}

/// Puts an address where its placeholder stands.
fn patch(machine: &Machine, rows: &mut [Instruction], placeholder: u32, target: usize) {
    let target = target as u64;
    let control = machine.control_unit();
    for row in rows {
        for m in &mut row.moves {
            let stands = m.source == Source::Constant(u64::from(placeholder));
            let jumps = matches!(m.destination, Destination::Port { unit, .. } if unit == control);
            // A constant that goes to a temporary register on its way is the jump's as well: the block has no other use for it.
            if stands && (jumps || matches!(m.destination, Destination::Register { .. })) {
                m.source = Source::Constant(target);
            }
        }
        for long in &mut row.immediates {
            if long.value == u64::from(placeholder) {
                long.value = target;
            }
        }
    }
}

/// The registers that are needed after each block.
fn liveness(function: &Function) -> Vec<BTreeSet<Register>> {
    let count = function.blocks.len();
    let mut live_in: Vec<BTreeSet<Register>> = vec![BTreeSet::new(); count];
    let mut live_out = live_in.clone();
    loop {
        let mut changed = false;
        for number in (0..count).rev() {
            let block = &function.blocks[number];
            let mut live: BTreeSet<Register> = match block.terminator {
                Terminator::Halt => function.results.iter().copied().collect(),
                _ => BTreeSet::new(),
            };
            for successor in block.terminator.successors() {
                live.extend(live_in[successor].iter().copied());
            }
            if let Terminator::Branch { predicate, .. } = block.terminator {
                live.insert(predicate.register);
            }
            live_out[number].clone_from(&live);
            for node in block.nodes.iter().rev() {
                for output in &node.outputs {
                    live.remove(output);
                }
                live.extend(node.reads());
            }
            changed |= live != live_in[number];
            live_in[number] = live;
        }
        if !changed {
            return live_out;
        }
    }
}
