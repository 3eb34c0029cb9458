//! The iteration space: which work-items a row of lanes runs through.
//!
//! In: a kernel, cut into regions. Out: [`Space`]. Where no work-item can tell its group from its neighbours in dimension 0, the
//! groups that a launch gives at once are one long row: small groups then fill vectors as well as large ones do, and
//! every loop, LLVM's included, runs longer. The row is cut into pieces where rows of work-items one above the other share lines
//! of memory that those of one row do not, as in a transposition: such lines are still in the nearest cache for the next row then.

use super::access_cost::{LINE, address};
use super::strides::{Step, Steps, Variable};
use crate::collectives;
use crate::cut::Cut;
use crate::prepare::Prepared;
use crate::workitem::{Query, dimension};
use crate::{Options, PoclAbi};
use oxcl_ir::Value;
use oxcl_ir::cfg::Cfg;
use std::fmt;

/// The work-items of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Space {
    /// Those of one group with the same ids in dimensions 1 and 2.
    Group,
    /// Those of a run of groups.
    Run,
    /// Those of some groups of a run: [`PIECE`] work-items, or one group.
    Pieces,
    /// Those of one group with the same ids in dimensions 0 and 2 ([`crate::turn`]).
    Columns,
}

/// Work-items of a piece of a row.
pub(crate) const PIECE: i64 = 16;

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Group => "rows of a group",
            Space::Run => "rows of a run of groups",
            Space::Pieces => "pieces of rows of a run of groups",
            Space::Columns => "columns of a group",
        })
    }
}

impl Space {
    /// Every one.
    pub(crate) const ALL: [Space; 4] = [Space::Group, Space::Run, Space::Pieces, Space::Columns];

    /// Whether a row goes through several groups.
    pub(crate) fn is_run(self) -> bool {
        matches!(self, Space::Run | Space::Pieces)
    }

    /// The iteration space of a kernel.
    pub(crate) fn of(cut: &Cut<'_, '_>, options: &Options) -> Space {
        if cut.kernel.turned {
            return Space::Columns;
        }
        let asks = || cut.kernel.function.instructions().into_iter().any(|call| tells_groups(call, options));
        // 32-bit devices get their groups one by one.
        let runs = options.pocl != PoclAbi::Context60;
        let is_run = runs && cut.is_one_row() && !asks();
        match is_run {
            false => Space::Group,
            true if cut.shares_lines => Space::Pieces,
            true => Space::Run,
        }
    }
}

/// Whether work-items of a row each access a line of their own, which those of the next row access too.
pub(crate) fn shares_lines_across_rows<'c>(kernel: &Prepared<'_, 'c>, cfg: &Cfg<'c>) -> bool {
    let steps = |dimension| Steps::new(cfg, kernel.layout, Variable::Id(dimension));
    let (mut along, mut across) = (steps(0), steps(1));
    kernel.function.instructions().into_iter().any(|instruction| {
        let Some(pointer) = address(instruction) else { return false };
        let Step::By(across) = across.of(pointer) else { return false };
        let near = across.as_number().is_some_and(|by| (1..LINE).contains(&by.unsigned_abs()));
        let far = |step: Step<'c>| match step {
            Step::By(sum) => sum.as_number().is_none_or(|by| by.unsigned_abs() >= LINE),
            Step::Loaded(_) | Step::NotLinear(_) => false,
        };
        near && far(along.of(pointer))
    })
}

/// Whether the answer to a query tells the groups of a row apart, or the work-items of one from those of the next.
fn tells_groups(call: Value<'_>, options: &Options) -> bool {
    let Some(query) = Query::of(call) else { return collectives::is_call(call) };
    let along = || dimension(call).is_none_or(|dimension| dimension == 0);
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
