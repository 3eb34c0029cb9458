//! Accesses whose lanes exchange places: `a[i ^ bits]`, where `i` grows by one from lane to lane and all lanes share the bits.
//!
//! In: the index of such an access. Out: where lane 0's `i` is a multiple of W, the place of one vector, in which lanes have
//! exchanged places by the bits below W; the bits above move all lanes alike. Elsewhere the access is a gather or scatter: see
//! [`super::tested`]. Sums and sorts in stages, and transforms, are made of such accesses; a gather would wait for each vector
//! that was just stored, as its elements are not taken from stores that are under way.

use super::items::RegionEmitter;
use super::tested::VaryingIndex;
use crate::plan::{Form, Plan};
use oxcl_ir::{Builder, IntPredicate, Opcode, Value};

/// The parts of an index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exchange<'c> {
    /// What grows by one from lane to lane.
    pub(super) linear: Value<'c>,
    /// The bits, the same for all lanes.
    pub(crate) bits: Value<'c>,
}

impl<'c> VaryingIndex<'c> {
    /// The exchange that an index is, if it is one.
    pub(crate) fn exchange(&self, plan: &Plan<'c>) -> Option<Exchange<'c>> {
        if !self.index.is(Opcode::LLVMXor) {
            return None;
        }
        let (one, other) = (self.index.operand(0), self.index.operand(1));
        match (plan.form(one), plan.form(other)) {
            (Form::Strided(1), Form::Uniform) => Some(Exchange { linear: one, bits: other }),
            (Form::Uniform, Form::Strided(1)) => Some(Exchange { linear: other, bits: one }),
            _ => None,
        }
    }
}

impl<'c> RegionEmitter<'_, '_, 'c> {
    /// Whether lane 0's place is a multiple of W, and the index of the vector's first element then; `first`: lane 0's number
    /// before the exchange.
    pub(super) fn whole_block(
        &self,
        b: &Builder<'c>,
        first: Value<'c>,
        bits: Value<'c>,
    ) -> (Value<'c>, Value<'c>) {
        let below = i64::from(self.width()) - 1;
        let int = first.ty();
        let rest = b.and(first, int.int(below), "");
        let aligned = b.compare(IntPredicate::LLVMIntEQ, rest, int.int(0), "aligned");
        let above = b.and(bits, int.int(!below), "");
        (aligned, b.binary(Opcode::LLVMXor, first, above, "begin"))
    }

    /// A vector whose lanes have exchanged places by the bits below W.
    pub(super) fn exchange(&self, b: &Builder<'c>, vector: Value<'c>, bits: Value<'c>) -> Value<'c> {
        let width = self.width() as i32;
        let exchanged = |vector: Value<'c>, by: i32| {
            let places: Vec<i32> = (0..width).map(|lane| lane ^ by).collect();
            b.shuffle(vector, vector.ty().poison(), &places, "")
        };
        if let Some(known) = bits.as_int() {
            let by = (known & i64::from(width - 1)) as i32;
            return if by == 0 { vector } else { exchanged(vector, by) };
        }
        let stages = (0..width.trailing_zeros()).map(|stage| 1 << stage);
        stages.fold(vector, |vector, by| {
            let bit = b.and(bits, bits.ty().int(i64::from(by)), "");
            let is_set = b.compare(IntPredicate::LLVMIntNE, bit, bits.ty().int(0), "");
            b.select(is_set, exchanged(vector, by), vector, "")
        })
    }
}
