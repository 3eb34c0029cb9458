//! The spans of local ids that a region's loops go over: all of the group, or what the region's window leaves of it.
//!
//! In: the bounds that [`crate::window`] found. Out: for each dimension from where to where, computed where the group enters
//! the region. At W = 1 the spans are exact, so that what the bounds say is known inside; at more they begin and end with whole
//! vectors, and the guards decide as before. The body for launches with large ids goes over everything.

use super::{Frame, group};
use crate::bodies::Ids;
use crate::window::{Bound, Relation};
use oxcl_ir::{Builder, IntPredicate, Opcode, TypeKind, Value};
use std::collections::HashMap;

/// Limits beyond this are as good as this: no id is as large, and differences of two do not wrap around.
const FAR: i64 = 1 << 61;

/// The numbers from `from` to `to`, without that.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span<'c> {
    pub(super) from: Value<'c>,
    pub(super) to: Value<'c>,
}

/// What the loops of a region go over.
#[derive(Debug)]
pub(super) struct Window<'c> {
    /// In each dimension.
    pub(super) spans: [Span<'c>; 3],
    /// Whether nothing is left; none where something always is.
    pub(super) empty: Option<Value<'c>>,
    /// Conditions that all work-items in the window meet, and what they are.
    pub(super) decided: HashMap<Value<'c>, bool>,
}

/// The window of a region, computed at the builder's place.
pub(super) fn find<'c>(frame: &Frame<'_, 'c>, b: &Builder<'c>, region: usize) -> Window<'c> {
    let size = [frame.ids.row, frame.ids.local_size[1], frame.ids.local_size[2]];
    let spans = size.map(|size| Span { from: b.i64(0), to: size });
    let mut made = Window { spans, empty: None, decided: HashMap::new() };
    if frame.launches == Ids::Any {
        return made;
    }
    let bounds = frame.windows.bounds(region);
    let mut known = HashMap::new();
    for bound in bounds {
        let limit = limit(frame, b, bound, &mut known);
        narrow(b, &mut made.spans[bound.dimension], bound.relation, limit);
        if frame.width == 1 {
            made.decided.insert(bound.condition, bound.truth);
        }
    }
    if frame.width > 1 && bounds.iter().any(|bound| bound.dimension == 0) {
        let (row, width) = (&mut made.spans[0], i64::from(frame.width));
        row.from = b.and(row.from, b.i64(-width), "");
        let up = b.binary(Opcode::LLVMAdd, row.to, b.i64(width - 1), "");
        row.to = least(b, b.and(up, b.i64(-width), ""), frame.ids.row);
    }
    for (dimension, span) in made.spans.iter().enumerate() {
        if bounds.iter().any(|bound| bound.dimension == dimension) {
            let none = b.compare(IntPredicate::LLVMIntSGE, span.from, span.to, "");
            made.empty = Some(made.empty.map_or(none, |other| b.or(other, none, "")));
        }
    }
    made
}

/// What the local id of the bound's dimension is compared with, as a number of 64 bits that is not far from 0.
fn limit<'c>(
    frame: &Frame<'_, 'c>,
    b: &Builder<'c>,
    bound: &Bound<'c>,
    known: &mut HashMap<Value<'c>, Value<'c>>,
) -> Value<'c> {
    let given = group::value(frame, b, bound.limit, known);
    // Where no work-item comes to the comparison, its limit may be poison.
    let given = b.freeze(given, "");
    let i64_type = b.types().i64();
    let limit = match (given.ty().kind(), bound.unsigned) {
        (TypeKind::Int(64), true) => {
            let near = b.compare(IntPredicate::LLVMIntULT, given, b.i64(FAR), "");
            b.select(near, given, b.i64(FAR), "")
        }
        (TypeKind::Int(64), false) => most(b, least(b, given, b.i64(FAR)), b.i64(-FAR)),
        (_, true) => b.cast(Opcode::LLVMZExt, given, i64_type, ""),
        (_, false) => b.cast(Opcode::LLVMSExt, given, i64_type, ""),
    };
    // The number of the work-item whose local id is 0.
    let number = &bound.number;
    let mut first = b.i64(number.constant);
    for d in 0..3 {
        if number.group[d] != 0 {
            let of_group = b.binary(Opcode::LLVMMul, frame.ids.group[d], b.i64(number.group[d]), "");
            first = b.binary(Opcode::LLVMAdd, first, of_group, "");
        }
        if number.global[d] == 1 {
            first = b.binary(Opcode::LLVMAdd, first, frame.ids.first[d], "");
        }
    }
    b.binary(Opcode::LLVMSub, limit, first, "")
}

/// Leaves of a span what stands in a relation to a limit.
fn narrow<'c>(b: &Builder<'c>, span: &mut Span<'c>, relation: Relation, limit: Value<'c>) {
    let next = b.binary(Opcode::LLVMAdd, limit, b.i64(1), "");
    let (from, to) = match relation {
        Relation::Below => (None, Some(limit)),
        Relation::AtMost => (None, Some(next)),
        Relation::Above => (Some(next), None),
        Relation::AtLeast => (Some(limit), None),
        Relation::Equal => (Some(limit), Some(next)),
    };
    if let Some(from) = from {
        span.from = most(b, span.from, from);
    }
    if let Some(to) = to {
        span.to = least(b, span.to, to);
    }
}

fn least<'c>(b: &Builder<'c>, left: Value<'c>, right: Value<'c>) -> Value<'c> {
    b.select(b.compare(IntPredicate::LLVMIntSLT, left, right, ""), left, right, "")
}

fn most<'c>(b: &Builder<'c>, left: Value<'c>, right: Value<'c>) -> Value<'c> {
    b.select(b.compare(IntPredicate::LLVMIntSGT, left, right, ""), left, right, "")
}
