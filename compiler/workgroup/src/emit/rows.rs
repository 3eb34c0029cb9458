//! The loop nest over the work-items of a group: z, y, x, with x innermost and W work-items a step.
//!
//! Every id is an induction variable that cannot wrap, so that arithmetic on ids costs what it costs in a C loop. A
//! group has at least one work-item in each dimension, so the loops test at their ends.

use super::Frame;
use oxcl_ir::metadata::Node;
use oxcl_ir::{Block, Builder, IntPredicate, Value};

/// The ids of the work-item (of lane 0) that an iteration runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct ItemIds<'c> {
    pub(super) local: [Value<'c>; 3],
    pub(super) linear: Value<'c>,
}

/// A loop nest whose innermost body is still empty.
#[derive(Debug)]
pub(super) struct Rows<'c> {
    pub(super) ids: ItemIds<'c>,
    /// Where the body begins.
    pub(super) body: Block<'c>,
    /// Where the body must end up.
    pub(super) latch: Block<'c>,
    loops: [OpenLoop<'c>; 3],
}

#[derive(Debug, Clone, Copy)]
struct OpenLoop<'c> {
    counter: Value<'c>,
    header: Block<'c>,
    latch: Block<'c>,
    after: Block<'c>,
    limit: Value<'c>,
    step: i64,
}

/// Begins the loop nest of a region at the builder's place.
pub(super) fn open<'c>(frame: &Frame<'_, 'c>, b: &Builder<'c>, region: usize) -> Rows<'c> {
    let size = frame.ids.local_size;
    let zero = b.i64(0);
    let name = |dimension: &str, part: &str| format!("r{region}.{dimension}{part}");
    let begin = |after_name: &str, dimension: &str, limit: Value<'c>, step: i64| {
        let header = frame.body.append_block(&name(dimension, ""));
        let latch = frame.body.append_block(&name(dimension, ".next"));
        let after = frame.body.append_block(&name(dimension, after_name));
        let before = b.block();
        b.branch(header);
        b.position_at_end(header);
        let counter = b.phi(b.types().i64(), &format!("l{dimension}"));
        counter.add_incoming(zero, before);
        OpenLoop { counter, header, latch, after, limit, step }
    };
    let z = begin(".done", "z", size[2], 1);
    let planes = b.mul_no_wrap(z.counter, size[1], "");
    let y = begin(".done", "y", size[1], 1);
    let row = b.add_no_wrap(planes, y.counter, "");
    let start = b.mul_no_wrap(row, size[0], "row");
    let x = begin(".done", "x", size[0], i64::from(frame.width));
    let linear = b.add_no_wrap(start, x.counter, "linear");
    let ids = ItemIds { local: [x.counter, y.counter, z.counter], linear };
    Rows { ids, body: x.header, latch: x.latch, loops: [x, y, z] }
}

/// Ends the loop nest; the builder goes on where all work-items are done. `parallel` is the access group of the memory
/// accesses that work-items make independently of one another.
pub(super) fn close<'c>(b: &Builder<'c>, rows: &Rows<'c>, parallel: Option<Node<'c>>) {
    let types = b.types();
    for (number, open) in rows.loops.iter().enumerate() {
        b.position_at_end(open.latch);
        let next = b.add_no_wrap(open.counter, b.i64(open.step), "");
        open.counter.add_incoming(next, open.latch);
        let more = b.compare(IntPredicate::LLVMIntULT, next, open.limit, "");
        let branch = b.conditional_branch(more, open.header, open.after);
        let own = if number == 0 { parallel } else { None };
        branch.set_metadata("llvm.loop", Node::loop_id(types, own));
        b.position_at_end(open.after);
        if let Some(outer) = rows.loops.get(number + 1) {
            b.branch(outer.latch);
        }
    }
}
