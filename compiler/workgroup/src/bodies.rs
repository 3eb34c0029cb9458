//! Which function runs a group: most launches have global ids less than 2^31, and code that rests on that is much better where
//! a kernel counts in `int`. Where it does, a second body stands beside it for all other launches.
//!
//! In: the bodies, and the context of a launch. Out: in an entry, the question whether its ids are small, once for a run of groups,
//! and calls of the right body. What this file does not do: it makes no body (see `emit`).

use crate::context::Fields;
use crate::{Options, PoclAbi};
use oxcl_ir::{Builder, Function, IntPredicate, Opcode, Place, Value};

/// The attribute of code that is as good as never run: passes leave it alone (see `ir/bridge/rare.h`).
const RARE: &str = "oxcl-rare";

/// Which launches code is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ids {
    /// Every global id is less than 2^31: cut to 32 bits it is whole.
    Small,
    /// Any.
    Any,
}

/// The functions that run one group of a kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bodies<'c> {
    /// For launches of small ids, and for all where there is no other.
    pub(crate) first: Function<'c>,
    /// For any launch.
    pub(crate) any: Option<Function<'c>>,
}

/// Whether a launch may have ids of 2^31 and more: 32-bit devices have none.
pub(crate) fn may_be_large(options: &Options) -> bool {
    options.pocl != PoclAbi::Context60
}

/// Makes a body one that costs next to nothing to compile.
pub(crate) fn mark_rare(body: Function<'_>) {
    for attribute in ["noinline", "optnone", "cold"] {
        body.add_attribute(Place::Function, attribute);
    }
    body.add_string_attribute(RARE, "");
}

impl<'c> Bodies<'c> {
    /// Asks whether every global id of the launch is less than 2^31; none where all launches have the same body.
    pub(crate) fn ask(self, b: &Builder<'c>, context: Value<'c>, options: &Options) -> Option<Value<'c>> {
        self.any?;
        let fields = Fields::of(options.pocl);
        let last = |d: usize| {
            let count = fields.load(b, context, fields.num_groups, d, "");
            let local = match options.local_size {
                Some(size) => b.i64(size[d].cast_signed()),
                None => fields.load(b, context, fields.local_size, d, ""),
            };
            let offset = fields.load(b, context, fields.global_offset, d, "");
            let end = b.binary(Opcode::LLVMAdd, offset, b.binary(Opcode::LLVMMul, count, local, ""), "");
            b.binary(Opcode::LLVMSub, end, b.i64(1), &format!("last.{d}"))
        };
        let all = b.or(b.or(last(0), last(1), ""), last(2), "");
        Some(b.compare(IntPredicate::LLVMIntULT, all, b.i64(1 << 31), "small.ids"))
    }

    /// Calls the body that `is_small`, the answer of [`Bodies::ask`], stands for; the builder goes on behind that, in `entry`.
    pub(crate) fn call(
        self,
        b: &Builder<'c>,
        entry: Function<'c>,
        is_small: Option<Value<'c>>,
        values: &[Value<'c>],
    ) {
        let (Some(is_small), Some(any)) = (is_small, self.any) else {
            b.call(self.first, values, "");
            return;
        };
        let (small, large, done) =
            (entry.append_block("small.ids"), entry.append_block("large.ids"), entry.append_block("done"));
        b.conditional_branch(is_small, small, large);
        for (block, body) in [(small, self.first), (large, any)] {
            b.position_at_end(block);
            b.call(body, values, "");
            b.branch(done);
        }
        b.position_at_end(done);
    }
}
