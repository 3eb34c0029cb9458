//! Barriers behind branches that not all work-items of a group take alike, as `if (i < n) { …; barrier(…); … }`.
//!
//! In: a prepared kernel. Out: where that is possible all work-items meet at such barriers, and what lies between them is guarded
//! instead (`ir/bridge/guarded_barriers.cpp`): the flow is regular then, and lanes can run it. `OpenCL` leaves such a kernel to the
//! programmer: all work-items of a group take the branch, or none. Programs for GPUs do not keep to that at the edge, where
//! who skips the blocks just does not take part; that stays as it is. Kernels in which the work-items of sub-groups meet are left alone.

use crate::error::FormError;
use crate::prepare::Prepared;
use crate::workitem::{Together, is_barrier, is_group_barrier};
use oxcl_ir::Value;
use oxcl_ir::cfg::Cfg;
use oxcl_ir::module::open_guard;
use oxcl_ir::shape::Shapes;

/// Branches of a kernel that are opened, at most.
const MOST: usize = 8;

/// Opens the branches that barriers lie behind, the inner ones first.
///
/// # Errors
/// LLVM's failure in an analysis.
pub(crate) fn open(kernel: &Prepared<'_, '_>) -> Result<(), FormError> {
    for _ in 0..MOST {
        if !open_one(kernel)? {
            break;
        }
    }
    Ok(())
}

fn open_one(kernel: &Prepared<'_, '_>) -> Result<bool, FormError> {
    let barriers: Vec<Value<'_>> =
        kernel.function.instructions().into_iter().filter(|&i| is_barrier(i)).collect();
    if barriers.is_empty() || !barriers.iter().all(|&barrier| is_group_barrier(barrier)) {
        return Ok(false);
    }
    let cfg = Cfg::of(kernel.function);
    let deciders = cfg.control_dependences();
    // All branches that decide whether work-items meet at a barrier, and those that decide about these.
    let mut decides = vec![false; cfg.blocks.len()];
    let mut work: Vec<usize> =
        barriers.iter().filter_map(|b| b.block()).map(|block| cfg.number(block)).collect();
    while let Some(block) = work.pop() {
        for &branch in &deciders[block] {
            if !std::mem::replace(&mut decides[branch], true) {
                work.push(branch);
            }
        }
    }
    if !decides.contains(&true) {
        return Ok(false);
    }
    let shapes = Shapes::compute(&cfg, kernel.layout, &[], &Together::Group)?;
    let divergent = |&&block: &&usize| decides[block] && shapes.is_divergent(block);
    let guards: Vec<usize> = cfg.order.iter().rev().filter(divergent).copied().collect();
    if guards.is_empty() {
        return Ok(false);
    }
    let all = kernel.function.instructions();
    let uniform: Vec<Value<'_>> =
        all.into_iter().filter(|&instruction| shapes.of(instruction).is_uniform()).collect();
    let branches: Vec<Value<'_>> =
        guards.iter().filter_map(|&block| cfg.blocks[block].terminator()).collect();
    Ok(branches.into_iter().any(|branch| open_guard(branch, &uniform, &barriers)))
}
