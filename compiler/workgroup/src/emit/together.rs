//! Tests whether a condition holds for all lanes.
//!
//! In: a condition of the kernel, which some lanes may fail. Out: one truth for all lanes. Comparisons of numbers that rise or fall
//! evenly from lane to lane, without wrapping around, are made for one scalar: that of the first lane or of the last, whichever
//! is nearer to failing. So a guard like `x >= 1 && x < w - 1` takes two scalar comparisons instead of two vectors', a mask's
//! packing and its comparison. What is no such comparison goes by its mask, as does everything where some lanes are off.

use super::items::RegionEmitter;
use super::lanes::{Lanes, widen};
use crate::error::FormError;
use crate::plan::Form;
use crate::slots::is_external;
use oxcl_ir::range::Range;
use oxcl_ir::{Builder, IntPredicate, Opcode, Type, TypeKind, Value};

impl<'c> RegionEmitter<'_, '_, 'c> {
    /// Whether a condition holds for all lanes at work.
    pub(super) fn all_pass(&mut self, b: &Builder<'c>, condition: Value<'c>) -> Result<Value<'c>, FormError> {
        if self.mask.is_none() {
            return self.all_are(b, condition, true);
        }
        self.all_by_mask(b, condition, true)
    }

    /// Whether a condition comes to `wanted` in every lane, where all are at work.
    fn all_are(
        &mut self,
        b: &Builder<'c>,
        condition: Value<'c>,
        wanted: bool,
    ) -> Result<Value<'c>, FormError> {
        if self.form(condition) == Form::Uniform
            && let Lanes::One(value) = self.value(b, condition)?
        {
            return Ok(if wanted { value } else { b.not(value, "") });
        }
        // What a condition of an earlier region, or of a masked block before this one, was made of need not be there any more.
        if is_external(self.frame.regions, self.number, condition) || self.in_cell(condition) {
            return self.all_by_mask(b, condition, wanted);
        }
        let is = |value: Value<'c>, truth: bool| value.as_int() == Some(-i64::from(truth));
        let operand = |index: u32| condition.operand(index);
        let both = |this: &mut Self, one: u32, other: u32| {
            let one = this.all_are(b, operand(one), wanted)?;
            let other = this.all_are(b, operand(other), wanted)?;
            Ok(match condition.is(Opcode::LLVMSelect) {
                true => b.select(one, other, b.types().bool().zero(), ""),
                false => b.and(one, other, ""),
            })
        };
        match condition.opcode() {
            Some(Opcode::LLVMXor) if is(operand(1), true) => self.all_are(b, operand(0), !wanted),
            Some(Opcode::LLVMAnd) if wanted => both(self, 0, 1),
            Some(Opcode::LLVMOr) if !wanted => both(self, 0, 1),
            // Conjunctions whose right side may have no value where the left one fails.
            Some(Opcode::LLVMSelect) if wanted && is(operand(2), false) => both(self, 0, 1),
            Some(Opcode::LLVMSelect) if !wanted && is(operand(1), true) => both(self, 0, 2),
            Some(Opcode::LLVMICmp) => match self.by_one_lane(b, condition, wanted)? {
                Some(truth) => Ok(truth),
                None => self.all_by_mask(b, condition, wanted),
            },
            _ => self.all_by_mask(b, condition, wanted),
        }
    }

    /// A comparison that holds for all lanes where it holds for the first, or for the last.
    fn by_one_lane(
        &mut self,
        b: &Builder<'c>,
        comparison: Value<'c>,
        wanted: bool,
    ) -> Result<Option<Value<'c>>, FormError> {
        let predicate = comparison.int_predicate().map(|asked| if wanted { asked } else { opposite(asked) });
        let Some((predicate, (is_less, signed))) = predicate.and_then(|p| Some((p, order(p)?))) else {
            return Ok(None);
        };
        let (left, right) = (comparison.operand(0), comparison.operand(1));
        let even = |value: Value<'c>| {
            // Without signs, what stays on one side of 0 does not wrap around either.
            let natural = || self.frame.ranges.of(value).is_some_and(Range::is_natural);
            self.even_step(value).filter(|&step| signed || step == 0 || natural())
        };
        let (Some(rise), Some(other_rise)) = (even(left), even(right)) else { return Ok(None) };
        // The lane whose left side is nearest to the wrong side of the right one.
        let is_last = if is_less { rise > other_rise } else { rise < other_rise };
        let lane = if is_last { i64::from(self.width()) - 1 } else { 0 };
        let mut sides = Vec::with_capacity(2);
        for (value, step) in [(left, rise), (right, other_rise)] {
            let (Lanes::One(first) | Lanes::Strided { first, .. }) = self.value(b, value)? else {
                return Ok(None);
            };
            let distance = step.wrapping_mul(lane);
            sides.push(if distance == 0 { first } else { b.add(first, wrapped(first.ty(), distance), "") });
        }
        Ok(Some(b.compare(predicate, sides[0], sides[1], "all")))
    }

    /// By how much a scalar integer rises from lane to lane, as a signed number that does not wrap around.
    fn even_step(&self, value: Value<'c>) -> Option<i64> {
        matches!(value.ty().kind(), TypeKind::Int(2..=64)).then_some(())?;
        match self.form(value) {
            Form::Uniform => Some(0),
            Form::Strided(step) => self.frame.plan.is_even(value).then_some(step),
            Form::Vector => None,
        }
    }

    fn all_by_mask(
        &mut self,
        b: &Builder<'c>,
        condition: Value<'c>,
        wanted: bool,
    ) -> Result<Value<'c>, FormError> {
        let lanes = self.value(b, condition)?;
        let condition = widen(b, &lanes, self.width())[0];
        let condition = if wanted { condition } else { b.not(condition, "") };
        Ok(self.all_set(b, condition))
    }
}

/// A number in the bits of a type.
fn wrapped<'c>(ty: Type<'c>, number: i64) -> Value<'c> {
    match ty.kind() {
        TypeKind::Int(bits @ 1..=63) => ty.int(number << (64 - bits) >> (64 - bits)),
        _ => ty.int(number),
    }
}

/// Whether a relation asks for the lesser, and whether it goes by signs; none for equations.
fn order(predicate: IntPredicate) -> Option<(bool, bool)> {
    Some(match predicate {
        IntPredicate::LLVMIntSLT | IntPredicate::LLVMIntSLE => (true, true),
        IntPredicate::LLVMIntSGT | IntPredicate::LLVMIntSGE => (false, true),
        IntPredicate::LLVMIntULT | IntPredicate::LLVMIntULE => (true, false),
        IntPredicate::LLVMIntUGT | IntPredicate::LLVMIntUGE => (false, false),
        IntPredicate::LLVMIntEQ | IntPredicate::LLVMIntNE => return None,
    })
}

/// The relation that holds where another does not.
fn opposite(predicate: IntPredicate) -> IntPredicate {
    match predicate {
        IntPredicate::LLVMIntEQ => IntPredicate::LLVMIntNE,
        IntPredicate::LLVMIntNE => IntPredicate::LLVMIntEQ,
        IntPredicate::LLVMIntSLT => IntPredicate::LLVMIntSGE,
        IntPredicate::LLVMIntSLE => IntPredicate::LLVMIntSGT,
        IntPredicate::LLVMIntSGT => IntPredicate::LLVMIntSLE,
        IntPredicate::LLVMIntSGE => IntPredicate::LLVMIntSLT,
        IntPredicate::LLVMIntULT => IntPredicate::LLVMIntUGE,
        IntPredicate::LLVMIntULE => IntPredicate::LLVMIntUGT,
        IntPredicate::LLVMIntUGT => IntPredicate::LLVMIntULE,
        IntPredicate::LLVMIntUGE => IntPredicate::LLVMIntULT,
    }
}
