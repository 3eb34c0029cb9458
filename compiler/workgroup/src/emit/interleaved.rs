//! Values whose lanes are kept as memory has them (`plan/interleaved.rs`): what an instruction takes for one component of W lanes it
//! takes for one vector of W times as many elements.

use super::items::RegionEmitter;
use super::lanes::{Lanes, components, widen};
use super::wide::is_componentwise;
use oxcl_ir::{Builder, Opcode, Type, TypeKind, Value};

/// Whether an instruction without effects is the same operation on each element of its vectors, and on no other.
pub(crate) fn is_by_element(instruction: Value<'_>) -> bool {
    // Divisors of lanes that are off are replaced component by component.
    let is_apart = matches!(
        instruction.opcode(),
        Some(
            Opcode::LLVMSDiv
                | Opcode::LLVMUDiv
                | Opcode::LLVMSRem
                | Opcode::LLVMURem
                | Opcode::LLVMBitCast
                | Opcode::LLVMExtractElement
                | Opcode::LLVMInsertElement
                | Opcode::LLVMShuffleVector
                | Opcode::LLVMExtractValue
                | Opcode::LLVMInsertValue
                | Opcode::LLVMGetElementPtr
        )
    );
    !is_apart && is_componentwise(instruction)
}

impl<'c> RegionEmitter<'_, '_, 'c> {
    /// The elements that a vector of this type has for all lanes.
    fn elements(&self, ty: Type<'c>) -> u32 {
        if let TypeKind::Vector(count) = ty.kind() { self.width() * count } else { self.width() }
    }

    /// The vectors in which the lanes of a value are kept.
    pub(super) fn lane_types(&self, value: Value<'c>) -> Vec<Type<'c>> {
        if self.frame.plan.is_interleaved(value) {
            return vec![value.ty().scalar().vector(self.elements(value.ty()))];
        }
        let parts = components(value.ty()).unwrap_or_default();
        parts.into_iter().map(|part| part.vector(self.width())).collect()
    }

    /// Lanes as `like` keeps its own.
    pub(super) fn widen_like(&self, b: &Builder<'c>, lanes: &Lanes<'c>, like: Value<'c>) -> Vec<Value<'c>> {
        match lanes {
            Lanes::One(value) if self.frame.plan.is_interleaved(like) => vec![self.repeat(b, *value)],
            lanes => widen(b, lanes, self.width()),
        }
    }

    /// A vector that is the same for all lanes, for each of them.
    fn repeat(&self, b: &Builder<'c>, value: Value<'c>) -> Value<'c> {
        let all = self.elements(value.ty());
        if value.is_undef() {
            return value.ty().scalar().vector(all).poison();
        }
        let count = all / self.width();
        let order: Vec<i32> = (0..all).map(|at| (at % count).cast_signed()).collect();
        b.shuffle(value, value.ty().poison(), &order, "")
    }

    /// What an instruction whose lanes are kept so takes, its vectors as one component each; and the elements of that.
    pub(super) fn interleaved_inputs(
        &self,
        b: &Builder<'c>,
        instruction: Value<'c>,
        operands: &[Value<'c>],
        inputs: &[Lanes<'c>],
    ) -> (Vec<Lanes<'c>>, u32) {
        let inputs = operands.iter().zip(inputs).map(|(operand, lanes)| match (operand.ty().kind(), lanes) {
            (TypeKind::Vector(_), Lanes::One(value)) => Lanes::Each(vec![self.repeat(b, *value)]),
            // What is kept so, or a condition or flag for all.
            (_, lanes) => lanes.clone(),
        });
        (inputs.collect(), self.elements(instruction.ty()))
    }
}
