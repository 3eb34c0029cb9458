//! The loop nest over the work-items of a group: z, y, x, with x innermost and W work-items a step.
//!
//! Every id is an induction variable that cannot wrap, so that arithmetic on ids costs what it costs in a C loop. A
//! group has at least one work-item in each dimension, so the loops test at their ends.

use super::Frame;
use oxcl_ir::metadata::Node;
use oxcl_ir::{Block, Builder, IntPredicate, Opcode, Value};

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

/// A loop that counts from 0 to a limit, testing at its end.
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
    /// Work-items; the accesses of the group do not depend on one another.
    Items(Option<Node<'c>>),
}

/// Makes the loop nest of a region at the builder's place; the builder goes on where all work-items are done.
/// `parallel` is the access group of the memory accesses that work-items make independently of one another.
pub(super) fn make<'c>(
    frame: &Frame<'_, 'c>,
    b: &Builder<'c>,
    region: usize,
    parallel: Option<Node<'c>>,
) -> Rows<'c> {
    // The length of rows, and the numbers of rows and planes.
    let size = [frame.ids.row, frame.ids.local_size[1], frame.ids.local_size[2]];
    let name = |dimension: &str| format!("r{region}.{dimension}");
    let z = count(frame, b, &name("z"), size[2], 1, Kind::Outer);
    let planes = b.mul_no_wrap(z.counter, size[1], "");
    let y = count(frame, b, &name("y"), size[1], 1, Kind::Outer);
    let row = b.add_no_wrap(planes, y.counter, "");
    let start = b.mul_no_wrap(row, size[0], "row");
    let ids = |x: Value<'c>| ItemIds {
        local: [x, y.counter, z.counter],
        linear: b.add_no_wrap(start, x, "linear"),
    };
    let rows = if frame.width == 1 {
        let x = count(frame, b, &name("x"), size[0], 1, Kind::Items(parallel));
        let whole = Body { ids: ids(x.counter), begin: x.header, end: x.latch, mask: None };
        b.position_at_end(x.after);
        b.branch(y.latch);
        Rows { whole, rest: None }
    } else {
        lanes(frame, b, &name("x"), &ids, &y, parallel)
    };
    b.position_at_end(y.after);
    b.branch(z.latch);
    b.position_at_end(z.after);
    rows
}

/// A row in steps of W, and its rest under a mask.
fn lanes<'c>(
    frame: &Frame<'_, 'c>,
    b: &Builder<'c>,
    name: &str,
    ids: &dyn Fn(Value<'c>) -> ItemIds<'c>,
    y: &Counted<'c>,
    parallel: Option<Node<'c>>,
) -> Rows<'c> {
    let (length, width) = (frame.ids.row, i64::from(frame.width));
    let whole_length = b.and(length, b.i64(-width), "whole");
    let block = |part: &str| frame.body.append_block(&format!("{name}.{part}"));
    let (enter, check, rest) = (block("enter"), block("check"), block("rest"));
    let any = b.compare(IntPredicate::LLVMIntNE, whole_length, b.i64(0), "");
    b.conditional_branch(any, enter, check);
    b.position_at_end(enter);
    let x = count(frame, b, name, whole_length, width, Kind::Items(parallel));
    let whole = Body { ids: ids(x.counter), begin: x.header, end: x.latch, mask: None };
    b.position_at_end(x.after);
    b.branch(check);
    b.position_at_end(check);
    let left = b.compare(IntPredicate::LLVMIntNE, whole_length, length, "");
    b.conditional_branch(left, rest, y.latch);
    b.position_at_end(rest);
    let remaining = b.binary(Opcode::LLVMSub, length, whole_length, "");
    let short = b.cast(Opcode::LLVMTrunc, remaining, b.types().i8(), "");
    let limit = b.splat(short, frame.width, "");
    let lane_numbers: Vec<Value<'c>> = (0..width).map(|lane| b.types().i8().int(lane)).collect();
    let lane_numbers = b.types().const_vector(&lane_numbers);
    let mask = b.compare(IntPredicate::LLVMIntULT, lane_numbers, limit, "rest");
    let rest = Body { ids: ids(whole_length), begin: rest, end: y.latch, mask: Some(mask) };
    Rows { whole, rest: Some(rest) }
}

/// Begins and ends a counted loop; the builder goes on in its header, which is otherwise empty.
fn count<'c>(
    frame: &Frame<'_, 'c>,
    b: &Builder<'c>,
    name: &str,
    limit: Value<'c>,
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
    counter.add_incoming(b.i64(0), before);
    b.position_at_end(latch);
    let next = b.add_no_wrap(counter, b.i64(step), "");
    counter.add_incoming(next, latch);
    let more = b.compare(IntPredicate::LLVMIntULT, next, limit, "");
    let branch = b.conditional_branch(more, header, after);
    let id = match kind {
        Kind::Outer => Node::loop_id(b.types(), None, true),
        Kind::Items(parallel) => Node::loop_id(b.types(), parallel, false),
    };
    branch.set_metadata("llvm.loop", id);
    b.position_at_end(header);
    Counted { counter, header, latch, after }
}
