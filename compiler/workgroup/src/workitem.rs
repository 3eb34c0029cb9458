//! The work-item functions and barriers, which the front end leaves declared and undefined, by their mangled names.

use crate::emit::has_wide_forms;
use crate::guards::is_test;
use oxcl_ir::range::Range;
use oxcl_ir::shape::{Asked, Queries, Shape, Stride};
use oxcl_ir::{Function, Opcode, Value};

/// What a work-item function asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Query {
    GlobalId,
    LocalId,
    GroupId,
    GroupCount,
    LocalSize,
    EnqueuedLocalSize,
    GlobalSize,
    GlobalOffset,
    Dimensions,
    GlobalLinearId,
    LocalLinearId,
    PrintBlock,
    MemoryRanges,
}

impl Query {
    /// The query that a function of this name makes.
    fn by_name(name: &str) -> Option<Query> {
        Some(match name {
            "_Z13get_global_idj" => Query::GlobalId,
            "_Z12get_local_idj" => Query::LocalId,
            "_Z12get_group_idj" => Query::GroupId,
            "_Z14get_num_groupsj" => Query::GroupCount,
            "_Z14get_local_sizej" => Query::LocalSize,
            "_Z23get_enqueued_local_sizej" => Query::EnqueuedLocalSize,
            "_Z15get_global_sizej" => Query::GlobalSize,
            "_Z17get_global_offsetj" => Query::GlobalOffset,
            "_Z12get_work_dimv" => Query::Dimensions,
            "_Z20get_global_linear_idv" => Query::GlobalLinearId,
            "_Z19get_local_linear_idv" => Query::LocalLinearId,
            "oxcl_print_block" => Query::PrintBlock,
            "oxcl_memory_ranges" => Query::MemoryRanges,
            _ => return None,
        })
    }

    /// The query that a call makes.
    pub(crate) fn of(call: Value<'_>) -> Option<Query> {
        Query::by_name(&call.callee()?.name())
    }

    /// Whether the answer may differ between the work-items of a group.
    pub(crate) fn differs_in_group(self) -> bool {
        matches!(self, Query::GlobalId | Query::LocalId | Query::GlobalLinearId | Query::LocalLinearId)
    }

    /// The answer for a dimension that does not exist.
    pub(crate) fn beyond(self) -> i64 {
        match self {
            Query::GroupCount | Query::LocalSize | Query::EnqueuedLocalSize | Query::GlobalSize => 1,
            _ => 0,
        }
    }
}

/// A function that answers a query or is a barrier.
pub(crate) fn is_work_item_function(function: Function<'_>) -> bool {
    let name = function.name();
    Query::by_name(&name).is_some() || is_barrier_name(&name)
}

fn is_barrier_name(name: &str) -> bool {
    matches!(
        name,
        "_Z7barrierj"
            | "_Z7barrierj12memory_scope"
            | "_Z18work_group_barrierj"
            | "_Z18work_group_barrierj12memory_scope"
    )
}

/// A function that is a barrier.
pub(crate) fn is_barrier_function(function: Function<'_>) -> bool {
    is_barrier_name(&function.name())
}

/// A call that every work-item of the group makes together.
pub(crate) fn is_barrier(instruction: Value<'_>) -> bool {
    instruction.is(Opcode::LLVMCall) && instruction.callee().is_some_and(is_barrier_function)
}

/// More work-items than any device takes in one group, so that `y * width + x` of local ids and sizes fits into an `int`.
const LARGEST_GROUP: i128 = 1 << 15;

/// Between which numbers the answer to a query lies in a launch whose global ids are all less than 2^31.
pub(crate) fn range_of_small(call: Value<'_>) -> Option<Range> {
    const SMALL: i128 = 1 << 31;
    Some(match Query::of(call)? {
        Query::GlobalId | Query::GroupId | Query::GlobalOffset => Range::new(0, SMALL - 1),
        Query::LocalId | Query::LocalLinearId => Range::new(0, LARGEST_GROUP - 1),
        Query::LocalSize | Query::EnqueuedLocalSize => Range::new(1, LARGEST_GROUP),
        // An id is less than the size, so that this may be one more.
        Query::GroupCount | Query::GlobalSize => Range::new(1, SMALL),
        Query::Dimensions => Range::new(1, 3),
        Query::GlobalLinearId => Range::unsigned(63),
        Query::PrintBlock | Query::MemoryRanges => return None,
    })
}

/// Between which numbers the answer to a query lies in any launch.
pub(crate) fn range_of_any(call: Value<'_>) -> Option<Range> {
    Some(match Query::of(call)? {
        // No group is larger.
        Query::LocalId
        | Query::LocalLinearId
        | Query::LocalSize
        | Query::EnqueuedLocalSize
        | Query::Dimensions
        | Query::PrintBlock
        | Query::MemoryRanges => return range_of_small(call),
        Query::GlobalId | Query::GroupId | Query::GlobalOffset | Query::GlobalLinearId => Range::unsigned(63),
        Query::GroupCount | Query::GlobalSize => Range::new(1, Range::unsigned(63).high),
    })
}

/// Work-items that run together: which ids differ between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Together {
    /// A whole group: what barriers ask.
    Group,
    /// Neighbours in a dimension of one group: what lanes ask.
    Row(usize),
}

impl<'c> Queries<'c> for Together {
    fn query(&self, call: Value<'c>) -> Option<Asked> {
        if is_barrier(call) {
            return Some(Asked::Barrier);
        }
        if is_test(call) {
            let lanes = matches!(self, Together::Row(_));
            return Some(Asked::Shape(if lanes { Shape::Uniform } else { Shape::Varying }));
        }
        let Some(query) = Query::of(call) else {
            let mathematics = call.callee().is_some_and(has_wide_forms);
            return mathematics.then_some(Asked::AsArguments);
        };
        if !query.differs_in_group() {
            return Some(if call.arguments().is_empty() {
                Asked::Shape(Shape::Uniform)
            } else {
                Asked::AsArguments
            });
        }
        let Together::Row(along) = *self else { return Some(Asked::Shape(Shape::Varying)) };
        let next = Shape::Strided(Stride { step: 1, signed: true });
        Some(Asked::Shape(match query {
            Query::GlobalId | Query::LocalId => match call.operand(0).as_int().map(usize::try_from) {
                Some(Ok(dimension)) if dimension == along => next,
                Some(_) => Shape::Uniform,
                None => Shape::Varying,
            },
            // Linear ids count along dimension 0.
            _ if along == 0 => next,
            _ => Shape::Varying,
        }))
    }

    fn range(&self, call: Value<'c>) -> Option<Range> {
        range_of_small(call)
    }
}
