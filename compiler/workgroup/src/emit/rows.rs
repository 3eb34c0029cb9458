//! The loop nest over the work-items of a group: z, y, x, with x innermost and W work-items a step.
//!
//! Every id is an induction variable that cannot wrap, so that arithmetic on ids costs what it costs in a C loop. A
//! group has at least one work-item in each dimension, so the loops test at their ends; where a window leaves fewer, a test
//! before the nest asks whether any are left.

use super::Frame;
use super::window::{Span, Window};
use oxcl_ir::metadata::{LoopHint, Node};
use oxcl_ir::{Block, Builder, IntPredicate, Opcode, Value};

/// Work-items in a row that are enough for a vector.
const SHORTEST_VECTOR: i64 = 8;

/// The ids of the work-item (of lane 0) that an iteration runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct ItemIds<'c> {
    pub(super) local: [Value<'c>; 3],
    pub(super) linear: Value<'c>,
}

/// The loop nest of a region; each body is still an empty block, and whoever fills it jumps to its end.
#[derive(Debug)]
pub(super) struct Rows<'c> {
    /// For W work-items, all lanes active.
    pub(super) whole: Body<'c>,
    /// For what is left at the end of a row, fewer than W; none at W = 1.
    pub(super) rest: Option<Body<'c>>,
}

/// A place for a copy of a region.
#[derive(Debug, Clone, Copy)]
pub(super) struct Body<'c> {
    pub(super) ids: ItemIds<'c>,
    pub(super) begin: Block<'c>,
    pub(super) end: Block<'c>,
    /// The active lanes; `None`: all.
    pub(super) mask: Option<Value<'c>>,
}

/// A loop that counts to a limit, testing at its end.
struct Counted<'c> {
    counter: Value<'c>,
    header: Block<'c>,
    latch: Block<'c>,
    after: Block<'c>,
}

/// What a loop goes over.
#[derive(Clone, Copy)]
enum Kind<'c> {
    /// Rows or planes: LLVM would repeat the loops inside eight times and gain nothing but code.
    Outer,
    /// Work-items.
    Items(Items<'c>),
}

/// What LLVM is told of a loop over work-items.
#[derive(Clone, Copy)]
pub(super) struct Items<'c> {
    /// The accesses of this group do not depend on one another.
    pub(super) parallel: Option<Node<'c>>,
    /// What each does to the elements of its arrays is joined, not work-items.
    pub(super) joins: bool,
}

/// Makes the loop nest of a region at the builder's place; the builder goes on where all work-items are done.
pub(super) fn make<'c>(
    frame: &Frame<'_, 'c>,
    b: &Builder<'c>,
    region: usize,
    items: Items<'c>,
    window: &Window<'c>,
) -> Rows<'c> {
    let name = |dimension: &str| format!("r{region}.{dimension}");
    let over = window.empty.map(|empty| {
        let (enter, over) = (frame.body.append_block(&name("some")), frame.body.append_block(&name("over")));
        b.conditional_branch(empty, over, enter);
        b.position_at_end(enter);
        over
    });
    // The length of rows, and the number of rows in a plane.
    let size = [frame.ids.row, frame.ids.local_size[1]];
    let z = count(frame, b, &name("z"), window.spans[2], 1, Kind::Outer);
    let planes = b.mul_no_wrap(z.counter, size[1], "");
    let y = count(frame, b, &name("y"), window.spans[1], 1, Kind::Outer);
    let row = b.add_no_wrap(planes, y.counter, "");
    let start = b.mul_no_wrap(row, size[0], "row");
    let ids = |x: Value<'c>| ItemIds {
        local: [x, y.counter, z.counter],
        linear: b.add_no_wrap(start, x, "linear"),
    };
    let rows = if frame.width == 1 {
        let x = count(frame, b, &name("x"), window.spans[0], 1, Kind::Items(items));
        let whole = Body { ids: ids(x.counter), begin: x.header, end: x.latch, mask: None };
        b.position_at_end(x.after);
        b.branch(y.latch);
        Rows { whole, rest: None }
    } else {
        lanes(frame, b, &name("x"), window.spans[0], &ids, &y, items)
    };
    b.position_at_end(y.after);
    b.branch(z.latch);
    b.position_at_end(z.after);
    if let Some(over) = over {
        b.branch(over);
        b.position_at_end(over);
    }
    rows
}

/// A row in steps of W, and its rest under a mask. `span` begins with a multiple of W.
fn lanes<'c>(
    frame: &Frame<'_, 'c>,
    b: &Builder<'c>,
    name: &str,
    span: Span<'c>,
    ids: &dyn Fn(Value<'c>) -> ItemIds<'c>,
    y: &Counted<'c>,
    items: Items<'c>,
) -> Rows<'c> {
    let width = i64::from(frame.width);
    let whole_end = b.and(span.to, b.i64(-width), "whole");
    let block = |part: &str| frame.body.append_block(&format!("{name}.{part}"));
    let (enter, check, rest) = (block("enter"), block("check"), block("rest"));
    let any = b.compare(IntPredicate::LLVMIntNE, span.from, whole_end, "");
    b.conditional_branch(any, enter, check);
    b.position_at_end(enter);
    let whole = Span { to: whole_end, ..span };
    let x = count(frame, b, name, whole, width, Kind::Items(items));
    let whole = Body { ids: ids(x.counter), begin: x.header, end: x.latch, mask: None };
    b.position_at_end(x.after);
    b.branch(check);
    b.position_at_end(check);
    let left = b.compare(IntPredicate::LLVMIntNE, whole_end, span.to, "");
    b.conditional_branch(left, rest, y.latch);
    b.position_at_end(rest);
    let remaining = b.binary(Opcode::LLVMSub, span.to, whole_end, "");
    let short = b.cast(Opcode::LLVMTrunc, remaining, b.types().i8(), "");
    let limit = b.splat(short, frame.width, "");
    let lane_numbers: Vec<Value<'c>> = (0..width).map(|lane| b.types().i8().int(lane)).collect();
    let lane_numbers = b.types().const_vector(&lane_numbers);
    let mask = b.compare(IntPredicate::LLVMIntULT, lane_numbers, limit, "rest");
    let rest = Body { ids: ids(whole_end), begin: rest, end: y.latch, mask: Some(mask) };
    Rows { whole, rest: Some(rest) }
}

/// Whether LLVM's loop vectoriser is to meet this row as a loop: it is known to be as long as a vector, and its work-items are
/// independent. Written out, it would leave the loop over rows as the innermost one, whose lanes lie a row apart.
fn is_row_of_vectors(frame: &Frame<'_, '_>, parallel: Option<Node<'_>>) -> bool {
    let length = frame.ids.row.as_int();
    frame.width == 1 && parallel.is_some() && length.is_some_and(|length| length >= SHORTEST_VECTOR)
}

/// Begins and ends a counted loop; the builder goes on in its header, which is otherwise empty.
fn count<'c>(
    frame: &Frame<'_, 'c>,
    b: &Builder<'c>,
    name: &str,
    span: Span<'c>,
    step: i64,
    kind: Kind<'c>,
) -> Counted<'c> {
    let header = frame.body.append_block(name);
    let latch = frame.body.append_block(&format!("{name}.next"));
    let after = frame.body.append_block(&format!("{name}.done"));
    let before = b.block();
    b.branch(header);
    b.position_at_end(header);
    let counter = b.phi(b.types().i64(), "l");
    counter.add_incoming(span.from, before);
    b.position_at_end(latch);
    let next = b.add_no_wrap(counter, b.i64(step), "");
    counter.add_incoming(next, latch);
    let more = b.compare(IntPredicate::LLVMIntULT, next, span.to, "");
    let branch = b.conditional_branch(more, header, after);
    let id = match kind {
        Kind::Outer => Node::loop_id(b.types(), None, LoopHint::Whole),
        Kind::Items(Items { parallel, joins: false }) => Node::loop_id(
            b.types(),
            parallel,
            if is_row_of_vectors(frame, parallel) { LoopHint::Once } else { LoopHint::None },
        ),
        Kind::Items(Items { parallel, joins: true }) => Node::loop_id(b.types(), parallel, LoopHint::Apart),
    };
    branch.set_metadata("llvm.loop", id);
    b.position_at_end(header);
    Counted { counter, header, latch, after }
}
