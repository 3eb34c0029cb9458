//! The work-item functions and barriers, which the front end leaves declared and undefined, by their mangled names.

use crate::collectives::{self, Collective};
use crate::emit::has_wide_forms;
use crate::guards::is_test;
use crate::sub_groups::{self, is_meeting};
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
    /// The place of the work-item in its sub-group.
    SubGroupLane,
    /// The number of the sub-group in its group.
    SubGroupNumber,
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
            sub_groups::LANE => Query::SubGroupLane,
            sub_groups::NUMBER => Query::SubGroupNumber,
            _ => return None,
        })
    }

    /// The query that a call makes.
    pub(crate) fn of(call: Value<'_>) -> Option<Query> {
        Query::by_name(&call.callee()?.name())
    }

    /// Whether the answer may differ between the work-items of a group.
    pub(crate) fn differs_in_group(self) -> bool {
        matches!(
            self,
            Query::GlobalId
                | Query::LocalId
                | Query::GlobalLinearId
                | Query::LocalLinearId
                | Query::SubGroupLane
                | Query::SubGroupNumber
        )
    }

    /// Whether the answer depends on how the index space is cut into groups.
    pub(crate) fn is_of_group(self) -> bool {
        match self {
            Query::GlobalId
            | Query::GlobalSize
            | Query::GlobalOffset
            | Query::Dimensions
            | Query::GlobalLinearId
            | Query::PrintBlock => false,
            Query::LocalId
            | Query::GroupId
            | Query::GroupCount
            | Query::LocalSize
            | Query::EnqueuedLocalSize
            | Query::LocalLinearId
            | Query::MemoryRanges
            | Query::SubGroupLane
            | Query::SubGroupNumber => true,
        }
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
    Query::by_name(&name).is_some() || is_barrier_name(&name) || sub_groups::is_function(&name)
}

fn is_barrier_name(name: &str) -> bool {
    matches!(
        name,
        "_Z7barrierj"
            | "_Z7barrierj12memory_scope"
            | "_Z18work_group_barrierj"
            | "_Z18work_group_barrierj12memory_scope"
            | sub_groups::MEET
    )
}

/// The dimension that a query names, where it names one.
pub(crate) fn dimension(query: Value<'_>) -> Option<i64> {
    query.arguments().first().and_then(|dimension| dimension.as_int())
}

/// A function that is a barrier.
pub(crate) fn is_barrier_function(function: Function<'_>) -> bool {
    is_barrier_name(&function.name())
}

/// A call that every work-item of the group makes together, and not only those of a sub-group.
pub(crate) fn is_group_barrier(instruction: Value<'_>) -> bool {
    is_barrier(instruction) && !is_meeting(instruction)
}

/// A call that work-items make together: those of the group, or of a sub-group.
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
        Query::SubGroupLane => Range::new(0, i128::from(sub_groups::LARGEST) - 1),
        Query::SubGroupNumber => Range::new(0, LARGEST_GROUP - 1),
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
        | Query::MemoryRanges
        | Query::SubGroupLane
        | Query::SubGroupNumber => return range_of_small(call),
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
    /// Neighbours in dimension 0 that are one sub-group of so many.
    SubGroup(u32),
}

/// The same in launches whose ids may be of any size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnyIds(pub(crate) Together);

impl<'c> Queries<'c> for AnyIds {
    fn query(&self, call: Value<'c>) -> Option<Asked> {
        self.0.query(call)
    }

    fn range(&self, call: Value<'c>) -> Option<Range> {
        range_of_any(call)
    }

    fn in_lock_step(&self) -> bool {
        self.0.in_lock_step()
    }
}

impl<'c> Queries<'c> for Together {
    fn query(&self, call: Value<'c>) -> Option<Asked> {
        if is_barrier(call) {
            return Some(Asked::Barrier);
        }
        if is_test(call) {
            let lanes = !matches!(self, Together::Group);
            return Some(Asked::Shape(if lanes { Shape::Uniform } else { Shape::Varying }));
        }
        if collectives::is_call(call) {
            let same = |size: u32| Collective::of(call).is_some_and(|what| what.is_uniform(size));
            let uniform = matches!(*self, Together::SubGroup(size) if same(size));
            return Some(Asked::Shape(if uniform { Shape::Uniform } else { Shape::Varying }));
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
        let along = match *self {
            Together::Group => return Some(Asked::Shape(Shape::Varying)),
            Together::Row(along) => along,
            Together::SubGroup(_) => 0,
        };
        let next = Shape::Strided(Stride { step: 1, signed: true });
        Some(Asked::Shape(match query {
            Query::GlobalId | Query::LocalId => match call.operand(0).as_int().map(usize::try_from) {
                Some(Ok(dimension)) if dimension == along => next,
                Some(_) => Shape::Uniform,
                None => Shape::Varying,
            },
            Query::SubGroupLane | Query::SubGroupNumber => match (self, query) {
                (Together::SubGroup(_), Query::SubGroupLane) => next,
                (Together::SubGroup(_), _) => Shape::Uniform,
                _ => Shape::Varying,
            },
            // Linear ids count along dimension 0.
            _ if along == 0 => next,
            _ => Shape::Varying,
        }))
    }

    fn range(&self, call: Value<'c>) -> Option<Range> {
        range_of_small(call)
    }

    fn in_lock_step(&self) -> bool {
        *self != Together::Group
    }
}
