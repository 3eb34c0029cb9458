//! Guards: branches that all lanes of a vector take alike nearly always, as `if (i < n)` around a kernel's work.
//!
//! In: a prepared kernel. Out: in front of each guard there is a test whether all lanes pass it, and what it guards is there
//! twice: once for all lanes, without masks and with real loops, and once as before, for the vectors at the edge. The test
//! is a call of [`TEST`], which is the same for all lanes. Nothing is done where the guarded blocks hold barriers, or many
//! instructions.
//!
//! A guard goes by ids, arguments and constants alone: what depends on memory parts the lanes as often as not.

use crate::error::FormError;
use crate::plan::choose::LARGEST_PREPARED;
use crate::prepare::Prepared;
use crate::workitem::{Query, is_barrier};
use oxcl_ir::cfg::Cfg;
use oxcl_ir::shape::Shapes;
use oxcl_ir::{Block, Builder, Function, IntPredicate, Module, Opcode, Place, Types, Value};
use std::collections::HashMap;

/// The function that says whether a condition holds for all lanes that are at work.
const TEST: &str = "oxcl_all_lanes";

/// Instructions that a kernel may gain.
const MOST: usize = 400;

/// Guards inside of what is guarded, at most.
const DEPTH: usize = 3;

/// The instructions that a condition is looked at for.
const LONGEST_CONDITION: usize = 40;

/// A branch, and what it guards.
struct Guard<'c> {
    branch: Value<'c>,
    /// Which successor is guarded.
    side: u32,
    /// The guarded blocks, the first of them first.
    blocks: Vec<Block<'c>>,
}

/// Whether a call asks if all lanes pass a guard.
pub(crate) fn is_test(call: Value<'_>) -> bool {
    call.is(Opcode::LLVMCall) && call.callee().is_some_and(|callee| callee.name() == TEST)
}

/// Gives every guard of a kernel a test.
///
/// # Errors
/// LLVM's failure in an analysis.
pub(crate) fn test_together(kernel: &Prepared<'_, '_>) -> Result<(), FormError> {
    let size = kernel.function.instructions().len();
    let mut room = MOST.min(LARGEST_PREPARED.saturating_sub(size));
    for _ in 0..DEPTH {
        let found = find(kernel, &mut room)?;
        if found.is_empty() {
            break;
        }
        for guard in &found {
            split(kernel.module, guard);
        }
    }
    Ok(())
}

/// The guards that all lanes come to together and that have no test yet.
fn find<'c>(kernel: &Prepared<'_, 'c>, room: &mut usize) -> Result<Vec<Guard<'c>>, FormError> {
    let cfg = Cfg::of(kernel.function);
    let row = kernel.lanes;
    let shapes = Shapes::compute(&cfg, kernel.layout, &[], &row)?;
    let mut divided = vec![false; cfg.blocks.len()];
    for &block in cfg.order.iter().filter(|&&block| shapes.is_divergent(block)) {
        for between in cfg.between(block, shapes.uniformity().reconvergence(&cfg, block)) {
            divided[between] = true;
        }
    }
    let mut found = Vec::new();
    for &block in cfg.order.iter().filter(|&&block| shapes.is_divergent(block) && !divided[block]) {
        let Some(guard) = guard(&cfg, &shapes, block) else { continue };
        let size: usize = guard.blocks.iter().map(|block| block.instructions().len()).sum();
        if size <= *room {
            *room -= size;
            found.push(guard);
        }
    }
    Ok(found)
}

/// The guard at the end of a block.
fn guard<'c>(cfg: &Cfg<'c>, shapes: &Shapes<'c>, block: usize) -> Option<Guard<'c>> {
    let branch = cfg.blocks[block].terminator()?;
    let condition = branch.condition()?;
    let join = shapes.uniformity().reconvergence(cfg, block)?;
    let &[yes, no] = cfg.successors[block].as_slice() else { return None };
    let side = match (yes == join, no == join) {
        (false, true) => 0,
        (true, false) => 1,
        _ => return None,
    };
    let first = cfg.successors[block][side as usize];
    let inside = cfg.between(block, Some(join));
    let alone = cfg.predecessors[first] == [block] && inside.iter().all(|&inner| cfg.dominates(first, inner));
    // A test in front of every guard would not pass twice: the way without it is the one that is tested already.
    let tested = cfg.idom(block).is_some_and(|before| {
        let by = cfg.blocks[before].terminator().and_then(Value::condition);
        by.is_some_and(is_test) && cfg.successors[before][1] == block
    });
    let fits = |instruction: Value<'c>| {
        !is_barrier(instruction) && !instruction.effects().convergent() && !instruction.is(Opcode::LLVMAlloca)
    };
    let blocks: Vec<Block<'c>> = inside.iter().map(|&inner| cfg.blocks[inner]).collect();
    let all_fit = blocks.iter().all(|block| block.instructions().into_iter().all(fits));
    let likely = passes_together(condition, side == 0);
    (alone && !tested && all_fit && likely).then_some(Guard { branch, side, blocks })
}

/// Whether lanes mostly agree on a condition, and on `wanted`: it goes by ids and arguments, and is no equation.
fn passes_together(condition: Value<'_>, wanted: bool) -> bool {
    let equation = if wanted { IntPredicate::LLVMIntEQ } else { IntPredicate::LLVMIntNE };
    if condition.int_predicate() == Some(equation) {
        return false;
    }
    let mut known = vec![condition];
    let mut next = 0;
    while let Some(&value) = known.get(next) {
        next += 1;
        if !value.is_instruction() || Query::of(value).is_some() {
            continue;
        }
        let effects = value.effects();
        let plain =
            !value.is_phi() && !value.is(Opcode::LLVMCall) && !effects.reads() && !effects.side_effects();
        if !plain || known.len() > LONGEST_CONDITION {
            return false;
        }
        for operand in value.operands() {
            if !known.contains(&operand) {
                known.push(operand);
            }
        }
    }
    true
}

/// Puts the test in front of a guard, and a copy of what is guarded behind it.
fn split<'c>(module: &Module<'c>, guard: &Guard<'c>) {
    let Some(block) = guard.branch.block() else { return };
    let function = block.function();
    let some = block.split_before(guard.branch, &format!("{}.some", block.name()));
    let Some(jump) = block.terminator() else { return };
    let b = Builder::before(jump);
    let condition = guard.branch.operand(0);
    let passes = if guard.side == 0 { condition } else { b.not(condition, "") };
    let all = b.call(test(module, function.types()), &[passes], "all");
    let copies = copy(function, &guard.blocks, block);
    b.conditional_branch(all, copies[&guard.blocks[0]], some);
    jump.erase();
}

/// The test's declaration.
fn test<'c>(module: &Module<'c>, types: Types<'c>) -> Function<'c> {
    Function::find(module, TEST).unwrap_or_else(|| {
        let made = Function::add(module, TEST, types.function(types.bool(), &[types.bool()]));
        for name in ["nounwind", "willreturn", "nofree", "nosync"] {
            made.add_attribute(Place::Function, name);
        }
        made.add_attribute_value(Place::Function, "memory", 0);
        made
    })
}

/// Copies blocks, which control shall come to from `before`; what follows them learns of the copies' ways in.
fn copy<'c>(
    function: Function<'c>,
    blocks: &[Block<'c>],
    before: Block<'c>,
) -> HashMap<Block<'c>, Block<'c>> {
    let mut copies = HashMap::new();
    let mut last = blocks[blocks.len() - 1];
    for &block in blocks {
        let copy = function.append_block(&format!("{}.all", block.name()));
        copy.move_after(last);
        last = copy;
        copies.insert(block, copy);
    }
    let mut values: HashMap<Value<'c>, Value<'c>> = HashMap::new();
    for block in blocks {
        let b = Builder::at_end(copies[block]);
        for instruction in block.instructions() {
            let made = if instruction.is_phi() {
                b.phi(instruction.ty(), &instruction.name())
            } else {
                b.insert_clone(instruction)
            };
            values.insert(instruction, made);
        }
    }
    let copy_of = |value: Value<'c>| values.get(&value).copied().unwrap_or(value);
    for block in blocks {
        for instruction in block.instructions() {
            let made = values[&instruction];
            if instruction.is_phi() {
                for (value, from) in instruction.incoming() {
                    made.add_incoming(copy_of(value), copies.get(&from).copied().unwrap_or(before));
                }
            } else {
                for (index, operand) in (0..).zip(instruction.operands()) {
                    if values.contains_key(&operand) {
                        made.set_operand(index, copy_of(operand));
                    }
                }
            }
        }
        let Some(terminator) = copies[block].terminator() else { continue };
        for (index, to) in (0..).zip(block.successors()) {
            match copies.get(&to) {
                Some(&copy) => terminator.set_successor(index, copy),
                None => {
                    for phi in to.phis() {
                        let found = phi.incoming().into_iter().find(|(_, from)| from == block);
                        if let Some((value, _)) = found {
                            phi.add_incoming(copy_of(value), copies[block]);
                        }
                    }
                }
            }
        }
    }
    copies
}
