//! Operations among the lanes of a vector, where these are the work-items of one sub-group.
//!
//! The library makes every function of sub-groups of a few operations whose names begin with [`START`]
//! (`builtins/src/cl/sub_group_lanes.cl`). For one work-item at a time they are inlined: cells in memory, and meetings. Where the
//! work-items of a sub-group are the lanes of a vector they have met by being there: [`declare`] makes the operations functions
//! without a body and without effects, [`Collective`] says which operation a call is, and `emit/collective.rs` makes it. Both
//! combine numbers in the same order, so that results do not depend on who runs them.
//!
//! Lanes are a sub-group only where rows are whole sub-groups ([`are_rows_of`]).

use crate::sub_groups;
use oxcl_ir::{Function, Module, Opcode, Place, Value};

/// What the names of the operations begin with.
pub(crate) const START: &str = "oxcl_lanes_";

/// An operation among lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Collective {
    /// A bit for each lane at work whose condition holds.
    Votes,
    /// The value of one lane, the same for all.
    Pick,
    /// The value of a lane that each lane chooses.
    Take,
    /// All values of a sub-group, or of each of its clusters, combined.
    Reduce {
        /// How two of them are combined.
        by: Combine,
        /// The lanes of a cluster.
        cluster: u32,
    },
    /// The values of the lanes before, and a lane's own, combined.
    Inclusive(Combine),
    /// The values of the lanes before combined.
    Exclusive(Combine),
}

/// How two numbers become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Combine {
    Add,
    Multiply,
    /// Of integers without a sign where it says so.
    Minimum {
        unsigned: bool,
    },
    Maximum {
        unsigned: bool,
    },
    And,
    Or,
    ExclusiveOr,
    /// The same of truth values.
    LogicalAnd,
    LogicalOr,
    LogicalExclusiveOr,
}

impl Combine {
    /// Reads `add_float`: the operation and the type.
    fn by_name(name: &str) -> Option<Combine> {
        let (operation, ty) = name.rsplit_once('_')?;
        let unsigned = ty.starts_with('u');
        Some(match operation {
            "add" => Combine::Add,
            "mul" => Combine::Multiply,
            "min" => Combine::Minimum { unsigned },
            "max" => Combine::Maximum { unsigned },
            "and" => Combine::And,
            "or" => Combine::Or,
            "xor" => Combine::ExclusiveOr,
            "logical_and" => Combine::LogicalAnd,
            "logical_or" => Combine::LogicalOr,
            "logical_xor" => Combine::LogicalExclusiveOr,
            _ => return None,
        })
    }
}

impl Collective {
    /// The operation that a call is; none where a cluster's size is not known.
    pub(crate) fn of(call: Value<'_>) -> Option<Collective> {
        let name = call.callee()?.name();
        let name = name.strip_prefix(START)?;
        let (kind, rest) = name.split_once('_').unwrap_or((name, ""));
        Some(match kind {
            "votes" => Collective::Votes,
            "pick" => Collective::Pick,
            "take" => Collective::Take,
            "reduce" => {
                let cluster = u32::try_from(call.operand(1).as_int()?).ok()?;
                Collective::Reduce { by: Combine::by_name(rest)?, cluster: cluster.max(1) }
            }
            "inclusive" => Collective::Inclusive(Combine::by_name(rest)?),
            "exclusive" => Collective::Exclusive(Combine::by_name(rest)?),
            _ => return None,
        })
    }

    /// Whether the result is the same for all lanes at work in a sub-group of so many.
    pub(crate) fn is_uniform(self, size: u32) -> bool {
        match self {
            Collective::Votes | Collective::Pick => true,
            Collective::Reduce { cluster, .. } => cluster >= size,
            Collective::Take | Collective::Inclusive(_) | Collective::Exclusive(_) => false,
        }
    }
}

/// A call of an operation, whether it can be made or not.
pub(crate) fn is_call(instruction: Value<'_>) -> bool {
    instruction.is(Opcode::LLVMCall)
        && instruction.callee().is_some_and(|callee| callee.name().starts_with(START))
}

/// Whether `size` consecutive work-items of a row are a sub-group of that size, in groups of a known local size: rows are whole
/// sub-groups, or there is one row, whose end may be a short one.
pub(crate) fn are_rows_of(local: [u64; 3], size: u32) -> bool {
    local[0].is_multiple_of(u64::from(size)) || (local[1] == 1 && local[2] == 1)
}

/// Makes the operations functions that are only declared, compute from their arguments and from who calls, and have no effects;
/// lanes wait for nobody.
pub(crate) fn declare(module: &Module<'_>) {
    for function in Function::all(module) {
        let name = function.name();
        if !name.starts_with(START) || function.is_declaration() {
            continue;
        }
        function.value().set_name("");
        let declared = Function::add(module, &name, function.ty());
        for attribute in ["convergent", "nounwind", "willreturn", "nofree"] {
            declared.add_attribute(Place::Function, attribute);
        }
        // Its value, 0, is what LLVM writes as `none`.
        declared.add_attribute_value(Place::Function, "memory", 0);
        function.value().replace_uses_with(declared.value());
        function.delete();
    }
    for function in Function::all(module) {
        for call in function.instructions().into_iter().filter(|&call| sub_groups::is_meeting(call)) {
            call.erase();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Combine, are_rows_of};

    #[test]
    fn names_say_what_is_combined() {
        assert_eq!(Combine::by_name("add_float"), Some(Combine::Add));
        assert_eq!(Combine::by_name("min_uchar"), Some(Combine::Minimum { unsigned: true }));
        assert_eq!(Combine::by_name("max_long"), Some(Combine::Maximum { unsigned: false }));
        assert_eq!(Combine::by_name("logical_xor_int"), Some(Combine::LogicalExclusiveOr));
        assert_eq!(Combine::by_name("xor_int"), Some(Combine::ExclusiveOr));
        assert_eq!(Combine::by_name("pow_float"), None);
    }

    #[test]
    fn rows_are_sub_groups_where_they_begin_with_one() {
        assert!(are_rows_of([16, 4, 1], 8) && are_rows_of([100, 1, 1], 8) && are_rows_of([3, 1, 1], 8));
        assert!(!are_rows_of([12, 4, 1], 8) && !are_rows_of([4, 4, 1], 8) && !are_rows_of([4, 1, 2], 8));
    }
}
