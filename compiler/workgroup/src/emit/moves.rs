//! How far an access moves from one work-item of a row to the next, wherever LLVM can tell.
//!
//! In: a kernel's values and their shapes among neighbours. Out: bytes. Shapes have no stride behind a conversion where the
//! number may have wrapped around. Here it is taken for one that has not: the distance is the same for all neighbours but
//! those between which it wraps, and there it is no small one. So LLVM, which finds the distance between
//! all neighbours or none, finds this one or none. No address may be computed by it.

use oxcl_ir::module::Layout;
use oxcl_ir::shape::{Shape, Shapes};
use oxcl_ir::{Opcode, TypeKind, Value};
use std::collections::HashMap;

/// Finds distances between neighbours.
pub(super) struct Moves<'a, 'c> {
    shapes: &'a Shapes<'c>,
    layout: Layout<'a>,
    known: HashMap<Value<'c>, Option<i64>>,
}

impl<'a, 'c> Moves<'a, 'c> {
    pub(super) fn new(shapes: &'a Shapes<'c>, layout: Layout<'a>) -> Self {
        Moves { shapes, layout, known: HashMap::new() }
    }

    /// By how much a value grows from one work-item to the next, of pointers in bytes; `None`: by different numbers, or unknown ones.
    pub(super) fn of(&mut self, value: Value<'c>) -> Option<i64> {
        match self.shapes.of(value) {
            Shape::Uniform => return Some(0),
            Shape::Strided(stride) => return Some(stride.step),
            Shape::Varying => {}
        }
        if !value.ty().is_scalar() {
            return None;
        }
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        let found = self.find(value).map(|step| in_type(value, step));
        self.known.insert(value, found);
        found
    }

    fn find(&mut self, value: Value<'c>) -> Option<i64> {
        let constant = |index: u32| value.operand(index).as_int();
        match value.opcode()? {
            Opcode::LLVMAdd => self.sum(value, i64::wrapping_add),
            Opcode::LLVMOr if value.is_disjoint_or() => self.sum(value, i64::wrapping_add),
            Opcode::LLVMSub => self.sum(value, i64::wrapping_sub),
            Opcode::LLVMMul => match (constant(0), constant(1)) {
                (_, Some(factor)) => Some(self.of(value.operand(0))?.wrapping_mul(factor)),
                (Some(factor), _) => Some(self.of(value.operand(1))?.wrapping_mul(factor)),
                _ => None,
            },
            Opcode::LLVMShl => match constant(1) {
                Some(by @ 0..=62) => Some(self.of(value.operand(0))?.wrapping_mul(1 << by)),
                _ => None,
            },
            Opcode::LLVMSExt
            | Opcode::LLVMZExt
            | Opcode::LLVMTrunc
            | Opcode::LLVMFreeze
            | Opcode::LLVMAddrSpaceCast => self.of(value.operand(0)),
            Opcode::LLVMGetElementPtr => self.address(value),
            _ => None,
        }
    }

    fn sum(&mut self, value: Value<'c>, combine: fn(i64, i64) -> i64) -> Option<i64> {
        Some(combine(self.of(value.operand(0))?, self.of(value.operand(1))?))
    }

    fn address(&mut self, gep: Value<'c>) -> Option<i64> {
        let mut total = self.of(gep.operand(0))?;
        let mut ty = gep.gep_element()?;
        for (position, index) in gep.operands().into_iter().skip(1).enumerate() {
            if position > 0 {
                ty = match (ty.kind(), index.as_int()) {
                    (TypeKind::Struct(_), Some(field)) => ty.field(u32::try_from(field).ok()?)?,
                    _ => ty.element()?,
                };
            }
            let size = self.layout.size(ty).cast_signed();
            total = total.wrapping_add(self.of(index)?.wrapping_mul(size));
        }
        Some(total)
    }
}

/// A difference in the arithmetic of a value's type.
fn in_type(value: Value<'_>, step: i64) -> i64 {
    match value.ty().kind() {
        TypeKind::Int(bits @ 1..=63) => step << (64 - bits) >> (64 - bits),
        _ => step,
    }
}
