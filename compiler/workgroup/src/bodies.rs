//! Which function runs a group. Most launches have global ids less than 2^31, and code that rests on that is much better where
//! a kernel counts in `int`. Where it does, a second body stands beside it for all other launches. And lanes that have a row of
//! one or two work-items between them take as long as for a whole row: where such groups are likely, one work-item at a time runs
//! them, in a body of its own.
//!
//! In: the bodies, and the context of a launch. Out: in an entry, the questions whether it has large ids and short rows, once for
//! a run of groups, and calls of the right body. What this file does not do: it makes no body (see `emit`).

use crate::Options;
use crate::context::Fields;
use crate::workitem::{range_of_any, range_of_small};
use oxcl_ir::range::{Range, Ranges};
use oxcl_ir::{Builder, Function, IntPredicate, Opcode, Place, TypeKind, Value};

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

impl Ids {
    /// Between which numbers a kernel's integers lie in such launches.
    pub(crate) fn ranges<'a, 'c>(self) -> Ranges<'a, 'c> {
        match self {
            Ids::Small => Ranges::new(&range_of_small),
            Ids::Any => Ranges::new(&range_of_any),
        }
    }
}

/// The functions that run one group of a kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bodies<'c> {
    /// For launches of small ids, and for all where there is no other.
    pub(crate) first: Function<'c>,
    /// For launches of small ids whose rows have at most so many work-items.
    pub(crate) short_rows: Option<(Function<'c>, u32)>,
    /// For any launch.
    pub(crate) any: Option<Function<'c>>,
    /// All launches are served.
    pub(crate) serve_any: bool,
}

/// Whether code for launches of small ids may be wrong in others, where it runs `width` work-items at a time. Everything that rests
/// on small ids begins with a conversion to fewer bits: at W = 1 with one that only small ids show to lose nothing, and what
/// neighbours have in common is known from the numbers that are converted.
pub(crate) fn rests_on_small_ids<'c>(kernel: Function<'c>, width: u32) -> bool {
    let (small, any) = (Ids::Small.ranges(), Ids::Any.ranges());
    let rests = |cut: Value<'c>| {
        let TypeKind::Int(bits @ 1..=63) = cut.ty().kind() else { return false };
        let whole = cut.operand(0);
        let (Some(small), Some(any)) = (small.of(whole), any.of(whole)) else { return false };
        let differs = |kept: Range| small.is_in(kept) && !any.is_in(kept);
        if width == 1 { differs(Range::signed(bits)) || differs(Range::unsigned(bits)) } else { small != any }
    };
    kernel.instructions().into_iter().any(|value| value.is(Opcode::LLVMTrunc) && rests(value))
}

/// Makes a body one that costs next to nothing to compile.
pub(crate) fn mark_rare(body: Function<'_>) {
    for attribute in ["noinline", "optnone", "cold"] {
        body.add_attribute(Place::Function, attribute);
    }
    body.add_string_attribute(RARE, "");
}

/// What an entry knows of its launch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Launch<'c> {
    /// Whether a global id may be 2^31 or more; none where that makes no difference.
    has_large_ids: Option<Value<'c>>,
    /// Whether rows are short; none where that makes no difference.
    has_short_rows: Option<Value<'c>>,
}

impl<'c> Bodies<'c> {
    /// Asks what decides about the body.
    pub(crate) fn ask(self, b: &Builder<'c>, context: Value<'c>, options: &Options) -> Launch<'c> {
        let has_short_rows = self.short_rows.map(|(_, most)| {
            let fields = Fields::of(options.pocl);
            let row = fields.load(b, context, fields.local_size, 0, "");
            b.compare(IntPredicate::LLVMIntULE, row, b.i64(i64::from(most)), "has.short.rows")
        });
        Launch { has_large_ids: self.ask_ids(b, context, options), has_short_rows }
    }

    fn ask_ids(self, b: &Builder<'c>, context: Value<'c>, options: &Options) -> Option<Value<'c>> {
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
        Some(b.compare(IntPredicate::LLVMIntUGE, all, b.i64(1 << 31), "has.large.ids"))
    }

    /// Calls the body for a launch, of which [`Bodies::ask`] knows; the builder goes on behind that, in `entry`.
    pub(crate) fn call(self, b: &Builder<'c>, entry: Function<'c>, launch: Launch<'c>, values: &[Value<'c>]) {
        // Each question, whom it sends where if the answer is yes, and else on to the next.
        let large = launch.has_large_ids.zip(self.any).map(|(answer, body)| (answer, body, "large.ids"));
        let short = launch.has_short_rows.zip(self.short_rows);
        let short = short.map(|(answer, (body, _))| (answer, body, "short.rows"));
        let ways: Vec<_> = large.into_iter().chain(short).collect();
        let done = (!ways.is_empty()).then(|| entry.append_block("done"));
        for (answer, body, name) in ways {
            let (own, others) = (entry.append_block(name), entry.append_block("others"));
            b.conditional_branch(answer, own, others);
            b.position_at_end(own);
            b.call(body, values, "");
            if let Some(done) = done {
                b.branch(done);
            }
            b.position_at_end(others);
        }
        b.call(self.first, values, "");
        if let Some(done) = done {
            b.branch(done);
            b.position_at_end(done);
        }
    }
}
