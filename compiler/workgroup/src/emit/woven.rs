//! Woven variables ([`crate::woven`]): their addresses, and accesses of them, for W lanes.
//!
//! A step of a grain is one of a row here; the lanes' addresses of one offset lie a grain apart. What is loaded or stored in several
//! components, OpenCL's vectors, is a row for each.

use super::items::RegionEmitter;
use super::lanes::{Lanes, components, spread, widen};
use super::memory::offsets;
use crate::error::FormError;
use crate::plan::Form;
use crate::slots::Home;
use crate::woven::Weave;
use oxcl_ir::module::Layout;
use oxcl_ir::{Builder, Opcode, Type, TypeKind, Value};

/// The alignment of a woven variable on the stack, at most: a cache line.
const LINE: u64 = 64;

/// The components of a type that lanes can have, with their offsets in bytes.
pub(crate) fn component_offsets<'c>(layout: Layout<'_>, ty: Type<'c>) -> Option<Vec<(Type<'c>, u64)>> {
    Some(components(ty)?.into_iter().zip(offsets(layout, ty)).collect())
}

impl<'c> RegionEmitter<'_, '_, 'c> {
    /// The memory of a woven variable: of the group's work-items, or of this copy of a region.
    pub(super) fn woven_variable(
        &self,
        b: &Builder<'c>,
        variable: Value<'c>,
        home: Option<Home>,
        weave: Weave,
    ) -> Lanes<'c> {
        let (frame, step) = (self.frame, weave.grain.cast_signed());
        if let Some(Home::Item(slot)) = home {
            let begin = frame.slot_address(b, slot, b.i64(0));
            let own = b.mul_no_wrap(self.ids.linear, b.i64(step), "");
            return Lanes::Strided { first: b.byte_offset(begin, own, "woven"), step };
        }
        let size = variable.allocated().map_or(weave.grain, |ty| frame.kernel.layout.size(ty));
        let all = frame.entry.alloca(b.types().i8().array(size * u64::from(self.width())), &variable.name());
        all.set_alignment(variable.alignment().max(self.row_alignment(weave)));
        Lanes::Strided { first: all, step }
    }

    /// The alignment of what the lanes have in a row.
    fn row_alignment(&self, weave: Weave) -> u32 {
        // All are powers of two. The group's rows begin anywhere for a row of lanes.
        let bytes = if weave.of_group { weave.grain } else { weave.grain * u64::from(self.width()) };
        bytes.min(LINE) as u32
    }

    /// So many grains of a work-item are that many grains of rows.
    fn by_rows(&self, b: &Builder<'c>, grains: i64, weave: Weave) -> Value<'c> {
        match weave.of_group {
            true if grains == 1 => self.frame.ids.rounded,
            true => b.mul(self.frame.ids.rounded, b.i64(grains), ""),
            false => b.i64(grains.wrapping_mul(i64::from(self.width()))),
        }
    }

    /// The lanes' addresses of a GEP in a woven variable.
    pub(super) fn woven_address(
        &self,
        b: &Builder<'c>,
        gep: Value<'c>,
        weave: Weave,
        inputs: &[Lanes<'c>],
    ) -> Result<Lanes<'c>, FormError> {
        let width = self.width();
        let Some(steps) = gep.gep_steps(self.frame.kernel.layout) else {
            return Err(self.decline(gep, "its plan cannot be followed"));
        };
        let (i64_type, name, operands) = (b.types().i64(), gep.name(), gep.operands());
        let is_one = self.form(gep) != Form::Vector;
        let splat = |value: Value<'c>| if is_one { value } else { b.splat(value, width, "") };
        let rows = |bytes: i64| splat(self.by_rows(b, bytes / weave.grain.cast_signed(), weave));
        let mut sum = rows(steps.constant);
        for &(position, bytes) in &steps.variable {
            let index = match &inputs[position] {
                Lanes::One(index) if is_one => *index,
                lanes => widen(b, lanes, width)[0],
            };
            let to = if is_one { i64_type } else { i64_type.vector(width) };
            let index = match operands[position].ty().kind() {
                TypeKind::Int(64) => index,
                // As a GEP takes its indices.
                TypeKind::Int(bits) if bits < 64 => b.cast(Opcode::LLVMSExt, index, to, ""),
                _ => b.cast(Opcode::LLVMTrunc, index, to, ""),
            };
            sum = b.add(sum, b.mul(index, rows(bytes), ""), "");
        }
        let element = b.types().int((weave.grain * 8) as u32);
        Ok(match &inputs[0] {
            Lanes::Strided { first, step } if is_one => {
                Lanes::Strided { first: b.gep(element, *first, &[sum], 0, &name), step: *step }
            }
            // One base, and what each lane adds: what a gather takes.
            Lanes::Strided { first, .. } => {
                let own = b.add(sum, spread(b, b.i64(0), 1, width), "");
                Lanes::Each(vec![b.gep(element, *first, &[own], 0, &name)])
            }
            bases => Lanes::Each(vec![b.gep(element, widen(b, bases, width)[0], &[sum], 0, &name)]),
        })
    }

    /// A load from a woven variable.
    pub(super) fn load_woven(
        &self,
        b: &Builder<'c>,
        load: Value<'c>,
        pointer: &Lanes<'c>,
        weave: Weave,
    ) -> Result<Lanes<'c>, FormError> {
        let Some(parts) = component_offsets(self.frame.kernel.layout, load.ty()) else {
            return Err(self.decline(load, "a value of this type has no lanes"));
        };
        let Lanes::Strided { first, .. } = pointer else {
            let parts: Vec<Type<'c>> = parts.into_iter().map(|(part, _)| part).collect();
            return Ok(Lanes::Each(self.gather(b, load, pointer, &parts, Some(weave))?));
        };
        let row = |(part, offset): (Type<'c>, u64)| {
            let at = self.row(b, *first, offset, weave);
            self.load_vector(b, part.vector(self.width()), at, self.row_alignment(weave), self.mask, 1)
        };
        Ok(Lanes::Each(parts.into_iter().map(row).collect()))
    }

    /// A store to a woven variable; `wide` has each component's lanes.
    pub(super) fn store_woven(
        &self,
        b: &Builder<'c>,
        store: Value<'c>,
        wide: Vec<Value<'c>>,
        pointer: &Lanes<'c>,
        weave: Weave,
    ) -> Result<(), FormError> {
        let Lanes::Strided { first, .. } = pointer else {
            return self.scatter(b, store, pointer, wide, Some(weave));
        };
        let behind = offsets(self.frame.kernel.layout, store.operand(0).ty());
        for (part, offset) in wide.into_iter().zip(behind) {
            let at = self.row(b, *first, offset, weave);
            self.store_vector(b, part, at, self.row_alignment(weave), self.mask, 1);
        }
        Ok(())
    }

    /// The addresses of a component of what stands at `places`: one for all lanes, or one for each.
    pub(super) fn row(&self, b: &Builder<'c>, places: Value<'c>, offset: u64, weave: Weave) -> Value<'c> {
        if offset == 0 {
            return places;
        }
        b.gep(b.types().i8(), places, &[self.by_rows(b, offset.cast_signed(), weave)], 0, "")
    }
}
