//! Who leads the work-items of a sub-group that have met, and who has come.
//!
//! In: the library's question, right behind a meeting, where W is 1. Out: a bit for each work-item that has met, for the first of them; 0 for
//! the others. Where the flow is the group's everybody has met, and the first work-item of the sub-group leads. Otherwise those
//! have who are pending in this region; it runs them in the order of their numbers, so that the first who asks leads. It notes
//! of the others that they are served, because it is in another region by the time they ask. What looks at them all is one
//! function ([`WAITING`]) for all questions of a kernel.

use super::items::RegionEmitter;
use super::lanes::Lanes;
use crate::prepare::mark_target;
use oxcl_ir::{Builder, Function, IntPredicate, Opcode, Place};

/// Who of a sub-group waits in a region, as a leader asks: 0 if the one who asks is served already, else a bit for each, and all
/// others are noted as served. Takes where the sub-group's continuations and notes are, how many work-items it has, which
/// of them asks, and the region.
const WAITING: &str = "oxcl_sub_group_waiting";

impl<'c> RegionEmitter<'_, '_, 'c> {
    /// Answers the question who leads.
    pub(super) fn lead(&self, b: &Builder<'c>) -> Lanes<'c> {
        let frame = self.frame;
        let size = i64::from(frame.sub_group_size);
        let [x, y, z] = frame.ids.local_size;
        let items = b.mul_no_wrap(b.mul_no_wrap(x, y, ""), z, "items");
        let linear = self.ids.linear;
        let (Some(continuation), Some(served)) = (frame.slots.continuation, frame.slots.served) else {
            let is_first =
                b.compare(IntPredicate::LLVMIntEQ, b.and(linear, b.i64(size - 1), ""), b.i64(0), "first");
            let rest = b.binary(Opcode::LLVMSub, items, linear, "");
            let is_short = b.compare(IntPredicate::LLVMIntULT, rest, b.i64(size), "");
            let here = b.select(is_short, rest, b.i64(size), "here");
            let lanes =
                b.binary(Opcode::LLVMLShr, b.i64(-1), b.binary(Opcode::LLVMSub, b.i64(64), here, ""), "");
            return Lanes::One(b.select(is_first, lanes, b.i64(0), "lanes"));
        };
        let own = b.and(linear, b.i64(size - 1), "own");
        let first = b.binary(Opcode::LLVMSub, linear, own, "first");
        let rest = b.binary(Opcode::LLVMSub, items, first, "");
        let is_short = b.compare(IntPredicate::LLVMIntULT, rest, b.i64(size), "");
        let here = b.select(is_short, rest, b.i64(size), "here");
        let region = b.types().i32().int(self.number as i64);
        let places = [continuation, served].map(|slot| frame.slot_address(b, slot, first));
        let arguments = [places[0], places[1], here, own, region];
        Lanes::One(b.call(self.waiting(), &arguments, "lanes"))
    }

    /// The function that looks at all work-items of a sub-group.
    fn waiting(&self) -> Function<'c> {
        let kernel = self.frame.kernel;
        if let Some(made) = Function::find(kernel.module, WAITING) {
            return made;
        }
        let types = kernel.function.types();
        let (pointer, i64_type, i32_type, i8_type) = (types.pointer(0), types.i64(), types.i32(), types.i8());
        let ty = types.function(i64_type, &[pointer, pointer, i64_type, i64_type, i32_type]);
        let function = Function::add(kernel.module, WAITING, ty);
        function.set_internal(true);
        mark_target(function, self.frame.target);
        for name in ["noinline", "nounwind", "willreturn", "nofree", "nosync"] {
            function.add_attribute(Place::Function, name);
        }
        for slot in 0..2 {
            function.add_attribute(Place::Parameter(slot), "noalias");
        }
        let [continuations, notes, here, own, region] = function.parameters()[..] else { return function };
        let [entry, each, end] = ["entry", "each", "end"].map(|name| function.append_block(name));

        let b = Builder::at_end(entry);
        let is_served = b.load(i8_type, b.byte_offset(notes, own, ""), 1, "served");
        let leads = b.compare(IntPredicate::LLVMIntEQ, is_served, i8_type.zero(), "leads");
        b.conditional_branch(leads, each, end);

        b.position_at_end(each);
        let (lane, so_far) = (b.phi(i64_type, "lane"), b.phi(i64_type, "so.far"));
        let place = b.byte_offset(continuations, b.mul_no_wrap(lane, b.i64(4), ""), "");
        let pending = b.load(i32_type, place, 4, "pending");
        let waits = b.compare(IntPredicate::LLVMIntEQ, pending, region, "waits");
        let bit = b.binary(Opcode::LLVMShl, b.cast(Opcode::LLVMZExt, waits, i64_type, ""), lane, "bit");
        let lanes = b.or(so_far, bit, "lanes");
        let note = b.byte_offset(notes, lane, "");
        let is_other = b.compare(IntPredicate::LLVMIntNE, lane, own, "");
        let noted = b.load(i8_type, note, 1, "");
        b.store(b.select(b.and(waits, is_other, ""), i8_type.int(1), noted, ""), note, 1);
        let next = b.add_no_wrap(lane, b.i64(1), "next");
        let more = b.compare(IntPredicate::LLVMIntULT, next, here, "more");
        b.conditional_branch(more, each, end);
        for (phi, first, later) in [(lane, b.i64(0), next), (so_far, b.i64(0), lanes)] {
            phi.add_incoming(first, entry);
            phi.add_incoming(later, each);
        }

        b.position_at_end(end);
        let result = b.phi(i64_type, "");
        result.add_incoming(b.i64(0), entry);
        result.add_incoming(lanes, each);
        b.return_value(result);
        function
    }
}
