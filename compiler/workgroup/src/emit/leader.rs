//! Who leads the work-items of a sub-group that have met, and who has come.
//!
//! In: the library's question, right behind a meeting. Out: a bit for each work-item that has met, for the first of them; 0 for
//! the others. Where the flow is the group's everybody has met, and the first work-item of the sub-group leads. Otherwise those
//! have who are pending in this region; it runs them in the order of their numbers, so that the first who asks leads. It notes
//! of the others that they are served, because it is in another region by the time they ask.

use super::items::RegionEmitter;
use super::lanes::Lanes;
use crate::error::FormError;
use oxcl_ir::{Builder, IntPredicate, Opcode, Value};

impl<'c> RegionEmitter<'_, '_, 'c> {
    /// Answers the question who leads.
    pub(super) fn lead(&mut self, b: &Builder<'c>, question: Value<'c>) -> Result<Lanes<'c>, FormError> {
        if self.width() != 1 {
            return Err(self.decline(question, "work-items of a sub-group meet"));
        }
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
            return Ok(Lanes::One(b.select(is_first, lanes, b.i64(0), "lanes")));
        };
        let (i8_type, i32_type) = (b.types().i8(), b.types().i32());
        let note = |item: Value<'c>| frame.slot_address(b, served, item);
        let is_served = b.load(i8_type, note(linear), 1, "served");
        let leads = b.compare(IntPredicate::LLVMIntEQ, is_served, i8_type.zero(), "leads");
        let first = b.and(linear, b.i64(-size), "first");
        let region = i32_type.int(self.number as i64);
        let mut lanes = b.i64(0);
        for lane in 0..size {
            let other = b.add_no_wrap(first, b.i64(lane), "");
            let exists = b.compare(IntPredicate::LLVMIntULT, other, items, "");
            let place = b.select(exists, other, linear, "");
            let pending = b.load(i32_type, frame.slot_address(b, continuation, place), 4, "");
            let waits = b.compare(IntPredicate::LLVMIntEQ, pending, region, "");
            let waits = b.and(b.and(waits, exists, ""), leads, "waits");
            let bit = b.select(waits, b.i64(1_i64.wrapping_shl(lane as u32)), b.i64(0), "");
            lanes = b.or(lanes, bit, "lanes");
            let is_other = b.compare(IntPredicate::LLVMIntNE, place, linear, "");
            let so_far = b.load(i8_type, note(place), 1, "");
            let noted = b.select(b.and(waits, is_other, ""), i8_type.int(1), so_far, "");
            b.store(noted, note(place), 1);
        }
        Ok(Lanes::One(lanes))
    }
}
