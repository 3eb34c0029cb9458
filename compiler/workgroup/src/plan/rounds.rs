//! Loops whose rounds a group goes through together, where work-items run one at a time.
//!
//! In: a kernel with barriers, cut into regions, at W = 1. Out: the headers of the loops that are worth a cut more. A work-item that goes
//! through all rounds of a loop alone takes one element of each line that it comes to, where its neighbours want the next ones, and the
//! group comes back to each line as often as it has work-items. Cut at its header, the loop is the group's: in each round
//! the work-items walk along a line one after the other. A histogram of bytes in local memory takes 0.9 of the time.
//!
//! Rounds must be many for all work-items alike, and must leave them nothing to keep until the next one: what the group would have to keep
//! for each work-item is more than what lines bring (see [`crate::cut`], which looks at the slots). Rows must not be short, as each round
//! goes through all of them. What has no barriers runs along runs of groups, which cuts would end.

use super::access_cost::{LINE, address};
use super::choose::is_along_others;
use super::pressure::{inside, is_innermost};
use super::strides::{Step, Steps, Variable};
use crate::Options;
use crate::prepare::Prepared;
use crate::regions::Regions;
use crate::workitem::Query;
use oxcl_ir::{Opcode, TypeKind, Value};

/// Work-items of a row that is long enough.
const LONG: u64 = 16;

/// The headers of the loops whose rounds should be the group's.
pub(crate) fn shared<'c>(kernel: &Prepared<'_, 'c>, regions: &Regions<'c>, options: &Options) -> Vec<usize> {
    let has_barriers = regions.regular && !regions.meets && !regions.after_barriers.is_empty();
    if !has_barriers || !has_long_rows(kernel, options) {
        return Vec::new();
    }
    let cfg = &regions.cfg;
    let headers =
        (0..cfg.loops.len()).filter(|&number| is_innermost(cfg, number) && is_worth(kernel, regions, number));
    headers.map(|number| cfg.loops[number].header).collect()
}

/// Whether rows are long, or the kernel's are all there is to a group as far as it can tell.
fn has_long_rows(kernel: &Prepared<'_, '_>, options: &Options) -> bool {
    match options.local_size {
        Some([x, ..]) => x >= LONG,
        None => !kernel.function.instructions().into_iter().any(is_along_others),
    }
}

fn is_worth<'c>(kernel: &Prepared<'_, 'c>, regions: &Regions<'c>, number: usize) -> bool {
    let cfg = &regions.cfg;
    let around = &cfg.loops[number];
    let members = || (0..cfg.blocks.len()).filter(|&block| around.contains(block));
    let leaves = |block: usize| cfg.successors[block].iter().any(|&to| !around.contains(to));
    let is_apart = members().any(|block| regions.is_entry(block));
    let parts = members().any(|block| leaves(block) && regions.shapes.is_divergent(block));
    let instructions = inside(cfg, number);
    if is_apart || parts || instructions.iter().any(|&instruction| is_unknown_call(instruction)) {
        return false;
    }
    let counters = cfg.blocks[around.header]
        .phis()
        .into_iter()
        .filter(|phi| matches!(phi.ty().kind(), TypeKind::Int(_)));
    let mut along = Steps::new(cfg, kernel.layout, Variable::Id(0));
    let mut rounds: Vec<_> =
        counters.map(|counter| Steps::new(cfg, kernel.layout, Variable::Counter(counter))).collect();
    instructions.into_iter().filter_map(address).any(|pointer| {
        let Step::By(step) = along.of(pointer) else { return false };
        let is_near = step.as_number().is_some_and(|by| (1..LINE).contains(&by.unsigned_abs()));
        is_near && rounds.iter_mut().any(|round| is_far(&round.of(pointer)))
    })
}

/// Whether each round comes to another line.
fn is_far(step: &Step<'_>) -> bool {
    let Step::By(sum) = step else { return false };
    sum.as_number().is_none_or(|by| by.unsigned_abs() >= LINE)
}

/// Whether something is called that may do more than compute: print, say.
fn is_unknown_call(instruction: Value<'_>) -> bool {
    let effects = instruction.effects();
    let acts = effects.side_effects() || effects.reads();
    instruction.is(Opcode::LLVMCall) && Query::of(instruction).is_none() && acts
}
