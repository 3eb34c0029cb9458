//! Instructions on OpenCL vectors whose lanes are kept as memory has them (`plan/interleaved.rs`): one operation on one vector of W
//! times as many elements, whatever the number of components is.

use super::items::RegionEmitter;
use super::lanes::Lanes;
use super::wide::{flagged, lanewise};
use oxcl_ir::{Builder, Opcode, Type, TypeKind, Value};

/// Whether an instruction without effects is the same operation on each element of its vectors.
pub(crate) fn is_by_element(instruction: Value<'_>) -> bool {
    match instruction.opcode() {
        // Divisors of lanes that are off are replaced component by component.
        Some(Opcode::LLVMSDiv | Opcode::LLVMUDiv | Opcode::LLVMSRem | Opcode::LLVMURem) => false,
        Some(Opcode::LLVMBitCast) => false,
        Some(
            Opcode::LLVMFNeg | Opcode::LLVMFreeze | Opcode::LLVMICmp | Opcode::LLVMFCmp | Opcode::LLVMSelect,
        ) => true,
        Some(Opcode::LLVMCall) => {
            lanewise(instruction).is_some_and(|base| !matches!(base, "llvm.is.fpclass" | "llvm.ldexp"))
        }
        _ => instruction.is_binary_operation() || instruction.is_conversion(),
    }
}

impl<'c> RegionEmitter<'_, '_, 'c> {
    /// The vector in which all lanes of a value are kept as memory has them, if they are.
    pub(super) fn interleaved_type(&self, value: Value<'c>) -> Option<Type<'c>> {
        self.frame.plan.is_interleaved(value).then(|| self.interleaved(value.ty()))
    }

    fn interleaved(&self, ty: Type<'c>) -> Type<'c> {
        let count = if let TypeKind::Vector(count) = ty.kind() { count } else { 1 };
        ty.scalar().vector(self.width() * count)
    }

    /// The lanes of an operand so: that is how they are kept, or they are all the same.
    pub(super) fn as_interleaved(&self, b: &Builder<'c>, lanes: &Lanes<'c>) -> Value<'c> {
        match lanes {
            Lanes::Each(parts) => parts[0],
            Lanes::One(value) | Lanes::Strided { first: value, .. } => {
                let wide = self.interleaved(value.ty());
                let (TypeKind::Vector(count), TypeKind::Vector(all)) = (value.ty().kind(), wide.kind())
                else {
                    return b.splat(*value, self.width(), "");
                };
                if value.is_undef() {
                    return wide.poison();
                }
                let order: Vec<i32> = (0..all).map(|at| (at % count).cast_signed()).collect();
                b.shuffle(*value, value.ty().poison(), &order, "")
            }
        }
    }

    /// An instruction that [`is_by_element`]. `None` where there is no such operation.
    pub(super) fn each_interleaved(
        &self,
        b: &Builder<'c>,
        instruction: Value<'c>,
        inputs: &[Lanes<'c>],
    ) -> Option<Lanes<'c>> {
        let (opcode, name) = (instruction.opcode()?, instruction.name());
        let wide = |index: usize| self.as_interleaved(b, &inputs[index]);
        let ty = self.interleaved(instruction.ty());
        let made = match opcode {
            _ if instruction.is_binary_operation() => b.binary(opcode, wide(0), wide(1), &name),
            Opcode::LLVMFNeg => b.float_negate(wide(0), &name),
            Opcode::LLVMFreeze => b.freeze(wide(0), &name),
            Opcode::LLVMICmp => b.compare(instruction.int_predicate()?, wide(0), wide(1), &name),
            Opcode::LLVMFCmp => b.compare_float(instruction.float_predicate()?, wide(0), wide(1), &name),
            Opcode::LLVMSelect => {
                let condition = match &inputs[0] {
                    Lanes::One(condition) if condition.ty().is_scalar() => *condition,
                    lanes => self.as_interleaved(b, lanes),
                };
                b.select(condition, wide(1), wide(2), &name)
            }
            Opcode::LLVMCall => {
                let base = lanewise(instruction)?;
                let overload = match base {
                    "llvm.fptosi.sat" | "llvm.fptoui.sat" => vec![ty, wide(0).ty()],
                    _ => vec![ty],
                };
                let row: Vec<Value<'c>> = inputs
                    .iter()
                    .map(|lanes| match lanes {
                        // The flag of `abs`, `ctlz` and `cttz`: a constant, not a lane.
                        Lanes::One(flag) if flag.ty() == b.types().bool() => *flag,
                        lanes => self.as_interleaved(b, lanes),
                    })
                    .collect();
                b.intrinsic(base, &overload, &row, &name)?
            }
            _ if instruction.is_conversion() => b.cast(opcode, wide(0), ty, &name),
            _ => return None,
        };
        Some(Lanes::Each(vec![flagged(made, instruction)]))
    }
}
