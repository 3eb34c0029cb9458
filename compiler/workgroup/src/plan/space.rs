//! The iteration space: which work-items a row of lanes runs through.
//!
//! In: a kernel, cut into regions. Out: [`Space`]. Where no work-item can tell its group from its neighbours in dimension 0, the
//! groups that a launch gives at once are one long row: small groups then fill vectors as well as large ones do, and
//! every loop, LLVM's included, runs longer.

use crate::collectives;
use crate::cut::Cut;
use crate::workitem::Query;
use crate::{Options, PoclAbi, space};
use oxcl_ir::{TypeKind, Value};
use std::fmt;

/// The work-items of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    /// Those of one group with the same ids in dimensions 1 and 2.
    Group,
    /// Those of a run of groups.
    Run,
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Group => "rows of a group",
            Space::Run => "rows of a run of groups",
        })
    }
}

impl Space {
    /// The iteration space of a kernel.
    pub(crate) fn of(cut: &Cut<'_, '_>, options: &Options) -> Space {
        let Cut { kernel, locals, regions, slots, .. } = cut;
        let local = |value: &Value<'_>| value.ty().kind() == TypeKind::Pointer(space::LOCAL);
        let one = regions.regular && regions.regions.len() == 1 && regions.after_barriers.is_empty();
        let shared = !locals.is_empty() || kernel.function.parameters().iter().any(local);
        let asks = || kernel.function.instructions().into_iter().any(|call| tells_groups(call, options));
        // 32-bit devices get their groups one by one.
        let runs = options.pocl != PoclAbi::Context60;
        if runs && one && slots.per_item == 0 && !shared && !asks() { Space::Run } else { Space::Group }
    }
}

/// Whether the answer to a query tells the groups of a row apart, or the work-items of one from those of the next.
fn tells_groups(call: Value<'_>, options: &Options) -> bool {
    let Some(query) = Query::of(call) else { return collectives::is_call(call) };
    let along = || match call.arguments().first() {
        Some(dimension) => dimension.as_int().is_none_or(|dimension| dimension == 0),
        None => true,
    };
    match query {
        Query::LocalId | Query::GroupId => along(),
        Query::LocalLinearId | Query::SubGroupLane | Query::SubGroupNumber => true,
        // The last group may be smaller.
        Query::LocalSize => options.has_edges() && along(),
        Query::GlobalId
        | Query::GroupCount
        | Query::EnqueuedLocalSize
        | Query::GlobalSize
        | Query::GlobalOffset
        | Query::Dimensions
        | Query::GlobalLinearId
        | Query::PrintBlock
        | Query::MemoryRanges => false,
    }
}
