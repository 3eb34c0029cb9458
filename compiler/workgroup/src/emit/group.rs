//! The group level: from region to region, what the group decides, and what it keeps.

use super::independent;
use super::items::{self, Site};
use super::joined;
use super::rows::{self, Items};
use super::window;
use super::{Frame, Variable};
use crate::error::FormError;
use crate::regions::End;
use crate::slots::Home;
use crate::window::{has_work, incoming_for_group};
use crate::workitem::Query;
use oxcl_ir::metadata::Node;
use oxcl_ir::{Block, Builder, IntPredicate, Value};
use std::collections::HashMap;

/// The continuation of a work-item that is done, in an irregular kernel.
pub(super) const DONE: i64 = -1;

/// How an irregular kernel's work-items say where they go on: one `i32` for each, beside the slots.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dispatch<'c> {
    /// The least continuation of all work-items so far.
    pub(super) pending: Value<'c>,
}

/// Emits the whole body.
pub(super) fn emit(frame: &Frame<'_, '_>) -> Result<(), FormError> {
    let starts: Vec<Block<'_>> = (0..frame.regions.regions.len())
        .map(|number| frame.body.append_block(&format!("r{number}")))
        .collect();
    let exit = frame.body.append_block("exit");
    Builder::at_end(exit).return_void();
    let dispatch = (!frame.regions.regular)
        .then(|| Dispatch { pending: frame.entry.alloca(frame.entry.types().i32(), "pending") });
    let dispatcher = dispatch.map(|dispatch| dispatch_block(frame, dispatch, &starts, exit));
    for number in 0..starts.len() {
        let b = Builder::at_end(starts[number]);
        if let Some(dispatch) = dispatch {
            let none = b.types().i32().int(DONE);
            b.store(none, dispatch.pending, 4);
        }
        if has_work(frame.regions, frame.slots, number) {
            let parallel = independent::group(frame, number)?;
            let window = window::find(frame, &b, number);
            let array = joined::array(frame.kernel, frame.regions, frame.slots, number);
            let joins = frame.width == 1 && array.is_some();
            let nest = rows::make(frame, &b, number, Items { parallel, joins }, &window);
            for body in std::iter::once(nest.whole).chain(nest.rest) {
                let site = Site {
                    ids: body.ids,
                    begin: body.begin,
                    end: body.end,
                    mask: body.mask,
                    head: starts[number],
                    decided: &window.decided,
                };
                items::emit(frame, number, &site, parallel, dispatch)?;
            }
        }
        match dispatcher {
            Some(dispatcher) => {
                b.branch(dispatcher).set_metadata(items::LOOP, Node::loop_of_its_own(b.types()));
            }
            None => leave(frame, &b, number, &starts, exit),
        }
    }
    frame.entry.branch(starts[0]);
    Ok(())
}

/// Where an irregular kernel's group chooses the next pending region: the least.
fn dispatch_block<'c>(
    frame: &Frame<'_, 'c>,
    dispatch: Dispatch<'c>,
    starts: &[Block<'c>],
    exit: Block<'c>,
) -> Block<'c> {
    let block = frame.body.append_block("dispatch");
    let b = Builder::at_end(block);
    let i32_type = b.types().i32();
    let next = b.load(i32_type, dispatch.pending, 4, "next");
    let cases: Vec<_> =
        (1_i64..).zip(&starts[1..]).map(|(number, &start)| (i32_type.int(number), start)).collect();
    b.switch(next, exit, &cases);
    block
}

/// Leaves a region of a regular kernel.
fn leave<'c>(frame: &Frame<'_, 'c>, b: &Builder<'c>, number: usize, starts: &[Block<'c>], exit: Block<'c>) {
    let region = &frame.regions.regions[number];
    let start_of = |block: usize| frame.regions.starting_at(block).map_or(exit, |region| starts[region]);
    let Some(end) = region.ends.first() else {
        // An endless loop inside the region: control never comes here.
        b.branch(exit);
        return;
    };
    match *end {
        End::Return { .. } => {
            b.branch(exit);
        }
        End::Edge { to, .. } => {
            let from: Vec<usize> = region
                .ends
                .iter()
                .filter_map(|end| match *end {
                    End::Edge { from, .. } => Some(from),
                    _ => None,
                })
                .collect();
            pass_on(frame, b, &from, to);
            go_on(frame, b, number, to, start_of(to));
        }
        End::Branch { block } => {
            let cfg = &frame.regions.cfg;
            let Some(terminator) = cfg.blocks[block].terminator() else { return };
            let mut known = HashMap::new();
            let decider = terminator.decider().map(|decider| value(frame, b, decider, &mut known));
            let ways: Vec<Block<'c>> = cfg.successors[block]
                .iter()
                .map(|&to| {
                    let way = frame.body.append_block(&format!("r{number}.to.{to}"));
                    let b = Builder::at_end(way);
                    pass_on(frame, &b, &[block], to);
                    go_on(frame, &b, number, to, start_of(to));
                    way
                })
                .collect();
            let copy = b.insert_clone(terminator);
            if let Some(decider) = decider {
                copy.set_operand(0, decider);
            }
            for (index, way) in (0..).zip(ways) {
                copy.set_successor(index, way);
            }
            // A loop of the group's is none of those that the hints are about: each round runs all work-items.
            copy.clear_metadata(items::LOOP);
        }
    }
}

/// Goes from region `number` on to what begins with block `to`.
fn go_on<'c>(frame: &Frame<'_, 'c>, b: &Builder<'c>, number: usize, to: usize, start: Block<'c>) {
    let branch = b.branch(start);
    if frame.regions.starting_at(to).is_none_or(|region| region > number) {
        return;
    }
    // With a known local size LLVM may write out rounds of a loop, which helps where the counts of the loops over work-items follow
    // from the round. Rounds of a loop that has loops of the group's inside are hundreds, and as long to compile.
    let id = if frame.knows_local_size && has_group_loop(frame, to) {
        Node::loop_written_once(b.types())
    } else {
        Node::loop_of_its_own(b.types())
    };
    branch.set_metadata(items::LOOP, id);
}

/// Whether the loop with this header has another loop of the group's inside.
fn has_group_loop(frame: &Frame<'_, '_>, header: usize) -> bool {
    let loops = &frame.regions.cfg.loops;
    loops.iter().filter(|outer| outer.header == header).any(|outer| {
        let mut headers = loops.iter().map(|inner| inner.header);
        headers.any(|inner| inner != header && outer.contains(inner) && frame.regions.is_entry(inner))
    })
}

/// Gives the group's PHI nodes at the beginning of `to` their values, all at once.
fn pass_on<'c>(frame: &Frame<'_, 'c>, b: &Builder<'c>, from: &[usize], to: usize) {
    let mut known = HashMap::new();
    let mut moves = Vec::new();
    for phi in frame.regions.cfg.blocks[to].phis() {
        let Some(Home::Group(variable)) = frame.slots.home(phi) else { continue };
        let variable = frame.variables[variable];
        let new = match incoming_for_group(frame.regions, phi, from) {
            Some(incoming) => value(frame, b, incoming, &mut known),
            None => load(frame, b, variable.next, phi),
        };
        moves.push((variable, new));
    }
    for (variable, new) in moves {
        store(frame, b, variable.current, new);
    }
}

/// A value of the group's, computed again or loaded at the builder's place. `known` holds what this place has already.
pub(super) fn value<'c>(
    frame: &Frame<'_, 'c>,
    b: &Builder<'c>,
    wanted: Value<'c>,
    known: &mut HashMap<Value<'c>, Value<'c>>,
) -> Value<'c> {
    if !wanted.is_instruction() {
        return frame.leaf(wanted);
    }
    if let Some(&value) = known.get(&wanted) {
        return value;
    }
    let made = match frame.slots.home(wanted) {
        Some(Home::Group(variable)) => load(frame, b, frame.variables[variable].current, wanted),
        Some(Home::Item(slot)) => {
            let address = frame.slot_address(b, slot, b.i64(0));
            b.load(wanted.ty(), address, frame.slots.items[slot].alignment, &wanted.name())
        }
        _ => match Query::of(wanted) {
            Some(query) => {
                let dimension =
                    wanted.arguments().first().map(|&dimension| value(frame, b, dimension, known));
                frame.query_for_group(b, query, dimension)
            }
            None => {
                let operands: Vec<_> =
                    wanted.operands().into_iter().map(|operand| value(frame, b, operand, known)).collect();
                let copy = b.insert_clone(wanted);
                for (index, operand) in (0..).zip(operands) {
                    copy.set_operand(index, operand);
                }
                copy
            }
        },
    };
    known.insert(wanted, made);
    made
}

fn load<'c>(frame: &Frame<'_, 'c>, b: &Builder<'c>, cell: Value<'c>, like: Value<'c>) -> Value<'c> {
    b.load(like.ty(), cell, frame.kernel.layout.alignment(like.ty()), &like.name())
}

/// Stores into a cell of a variable of the group.
pub(super) fn store<'c>(frame: &Frame<'_, 'c>, b: &Builder<'c>, cell: Value<'c>, new: Value<'c>) {
    b.store(new, cell, frame.kernel.layout.alignment(new.ty()));
}

/// The cell that a work-item writes for the group: at a PHI node the next value, else the current one.
pub(super) fn cell_for(variable: Variable<'_>, phi: bool) -> Value<'_> {
    if phi { variable.next } else { variable.current }
}

/// Notes a work-item's continuation as pending unless it is this region, which is about to run it.
pub(super) fn note_pending_unless<'c>(
    b: &Builder<'c>,
    dispatch: Dispatch<'c>,
    mine: Value<'c>,
    region: usize,
) {
    let i32_type = b.types().i32();
    let here = b.compare(IntPredicate::LLVMIntEQ, mine, i32_type.int(region as i64), "");
    let waiting = b.select(here, i32_type.int(DONE), mine, "");
    note_pending(b, dispatch, waiting);
}

/// Lowers the group's pending continuation to a work-item's.
pub(super) fn note_pending<'c>(b: &Builder<'c>, dispatch: Dispatch<'c>, next: Value<'c>) {
    let i32_type = b.types().i32();
    let so_far = b.load(i32_type, dispatch.pending, 4, "");
    let less = b.compare(IntPredicate::LLVMIntULT, next, so_far, "");
    let least = b.select(less, next, so_far, "pending");
    b.store(least, dispatch.pending, 4);
}
