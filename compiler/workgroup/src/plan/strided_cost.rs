//! What accesses cost whose lanes lie a few elements apart, in cycles.
//!
//! Code generation makes consecutive loads and stores of such gathers and scatters, and shuffles (`strides.cpp`), where no mask is in
//! the way. In: an access of a plan. Out: what it takes for one register of lanes, if it is made so. See [`super::cost`].

use super::How;
use super::access_cost::address;
use super::cost::Costs;
use crate::plan::Form;
use oxcl_ir::{Opcode, Value};

/// Elements from lane to lane, at most.
const LONGEST: u64 = 8;
/// A load or a store of a register that may cross lines.
const LOAD: f64 = 0.75;
const STORE: f64 = 1.0;
/// A shuffle of two registers, and one that only blends them.
const SHUFFLE: f64 = 1.0;
const BLEND: f64 = 0.5;
/// What a lane of a gather may take, for shuffles to be chosen.
const GATHERED_LANE: f64 = 0.75;

impl<'c> Costs<'_, 'c> {
    /// An access whose lanes lie a few elements apart, for all lanes; none where it stays a gather or a scatter.
    pub(super) fn strided(&self, access: Value<'c>) -> Option<f64> {
        let ty = Self::moved(access);
        let pointer = address(access)?;
        let Form::Strided(step) = self.plan.form(pointer) else { return None };
        let size = self.kernel.layout.size(ty);
        if !matches!(size, 1 | 2 | 4 | 8) || self.parts(ty) != 1.0 || self.vectors.bits < 128 {
            return None;
        }
        let stride = u64::try_from(step).ok().filter(|step| step.is_multiple_of(size))? / size;
        if !(2..=LONGEST).contains(&stride) {
            return None;
        }
        let held = (u64::from(self.vectors.bits) / 8 / size).min(u64::from(self.plan.width));
        let registers = u64::from(self.plan.width) as f64 / held as f64;
        // Registers are turned once and blended.
        let odd = (stride % 2 == 1).then(|| SHUFFLE + BLEND * (stride - 1) as f64);
        let each = if access.is(Opcode::LLVMStore) {
            // All elements must be written.
            if self.neighbours(access, step) < stride || !(odd.is_some() || stride.is_power_of_two()) {
                return None;
            }
            odd.unwrap_or(f64::from(stride.ilog2()) * SHUFFLE) + STORE
        } else {
            let together = self.neighbours(access, step).min(stride);
            // LLVM's own loop over work-items needs all of them.
            if self.by_llvm && together < stride {
                return None;
            }
            let shuffles = odd.unwrap_or_else(|| {
                // Where most elements are wanted all are taken apart together.
                let all = f64::from((stride as u32) * stride.ilog2()) / together as f64;
                let all = if stride.is_power_of_two() { all } else { f64::INFINITY };
                all.min((stride - 1) as f64) * SHUFFLE
            });
            let each = shuffles + LOAD * stride as f64 / together as f64;
            if each > GATHERED_LANE * held as f64 {
                return None;
            }
            each
        };
        Some(each * registers)
    }

    /// The accesses of the block that are of the same kind, from the same variable or argument on and as far apart from lane to lane.
    fn neighbours(&self, access: Value<'c>, step: i64) -> u64 {
        let Some((block, pointer)) = access.block().zip(address(access)) else { return 1 };
        let (base, ty) = (base(pointer), Self::moved(access));
        let alike = |other: &Value<'c>| {
            other.opcode() == access.opcode()
                && Self::moved(*other) == ty
                && matches!(self.plan.how(*other), How::Gather)
                && address(*other).is_some_and(|pointer| {
                    self.plan.form(pointer) == Form::Strided(step) && self::base(pointer) == base
                })
        };
        block.instructions().iter().filter(|other| alike(other)).count() as u64
    }
}

/// What an address is computed from.
pub(super) fn base(pointer: Value<'_>) -> Value<'_> {
    let mut at = pointer;
    while at.is(Opcode::LLVMGetElementPtr) {
        at = at.operand(0);
    }
    at
}
