//! Memory accesses of W lanes: one vector where the addresses are consecutive, gathers and scatters where not, one lane
//! at a time where nothing else is right; and the scratch slots.

use super::items::RegionEmitter;
use super::lanes::{Lanes, components, deinterleave, interleave, pick, put_together, take_apart, widen};
use crate::error::FormError;
use crate::plan::{Form, How};
use crate::woven::Weave;
use oxcl_ir::module::Layout;
use oxcl_ir::{Builder, IntPredicate, Opcode, Type, TypeKind, Value};

impl<'c> RegionEmitter<'_, '_, 'c> {
    /// A load of all lanes.
    pub(super) fn load(
        &mut self,
        b: &Builder<'c>,
        load: Value<'c>,
        pointer: &Lanes<'c>,
    ) -> Result<Lanes<'c>, FormError> {
        let ty = load.ty();
        let Some(parts) = components(ty) else {
            return Err(self.decline(load, "a value of this type has no lanes"));
        };
        if let Some(weave) = self.frame.plan.woven(load.operand(0)) {
            return self.load_woven(b, load, pointer, weave);
        }
        let count = parts.len();
        if let (How::Consecutive, Lanes::Strided { first, .. }) = (self.how(load), pointer) {
            let lanes = self.width() * u32::try_from(count).unwrap_or(1);
            let joined =
                self.load_vector(b, parts[0].vector(lanes), *first, load.alignment(), self.mask, count);
            let apart = if self.frame.plan.is_interleaved(load) { 1 } else { count };
            return Ok(Lanes::Each(deinterleave(b, joined, apart, self.width())));
        }
        if matches!(self.how(load), How::GatherUnlessConsecutive | How::Butterfly) {
            let ways = self.test_addresses(b, load, load.operand(0))?;
            let lanes = self.width() * u32::try_from(count).unwrap_or(1);
            let joined = parts[0].vector(lanes);
            let moved = |vector| ways.exchanged.map_or(vector, |bits| self.exchange(b, vector, bits));
            let mask = self.mask.map(moved);
            let joined = self.load_vector(b, joined, ways.first, load.alignment(), mask, count);
            let near: Vec<Value<'c>> =
                deinterleave(b, joined, count, self.width()).into_iter().map(moved).collect();
            b.branch(ways.done);
            b.position_at_end(ways.apart);
            let addresses = self.addresses_apart(b, load.operand(0), &ways);
            let far = self.gather(b, load, &addresses, &parts, None)?;
            let apart = b.block();
            b.branch(ways.done);
            b.position_at_end(ways.done);
            let loaded = near.into_iter().zip(far).map(|(near, far)| {
                let loaded = b.phi(near.ty(), &load.name());
                loaded.add_incoming(near, ways.consecutive);
                loaded.add_incoming(far, apart);
                loaded
            });
            return Ok(Lanes::Each(loaded.collect()));
        }
        Ok(Lanes::Each(self.gather(b, load, pointer, &parts, None)?))
    }

    /// A load from an address for each lane, of a woven variable where it is said how.
    pub(super) fn gather(
        &self,
        b: &Builder<'c>,
        load: Value<'c>,
        pointer: &Lanes<'c>,
        parts: &[Type<'c>],
        weave: Option<Weave>,
    ) -> Result<Vec<Value<'c>>, FormError> {
        let (layout, ty) = (self.frame.kernel.layout, load.ty());
        let pointers = widen(b, pointer, self.width())[0];
        let mut made = Vec::with_capacity(parts.len());
        for (part, offset) in parts.iter().zip(offsets(layout, ty)) {
            let at = match weave {
                Some(weave) => self.row(b, pointers, offset, weave),
                None => offset_all(b, pointers, offset),
            };
            let vector = part.vector(self.width());
            let mask = self.full(self.mask);
            let arguments = [at, mask, vector.poison()];
            let name = load.name();
            let Some(gather) = b.intrinsic("llvm.masked.gather", &[vector, at.ty()], &arguments, &name)
            else {
                return Err(self.decline(load, "gathers are not available"));
            };
            gather.set_argument_alignment(0, component_alignment(load.alignment(), offset, weave));
            self.mark(gather);
            made.push(gather);
        }
        Ok(made)
    }

    /// A store of all lanes.
    pub(super) fn store(
        &mut self,
        b: &Builder<'c>,
        store: Value<'c>,
        value: &Lanes<'c>,
        pointer: &Lanes<'c>,
    ) -> Result<(), FormError> {
        let ty = store.operand(0).ty();
        let Some(parts) = components(ty) else {
            return Err(self.decline(store, "a value of this type has no lanes"));
        };
        if let (How::Last, Lanes::One(pointer)) = (self.how(store), pointer) {
            // All lanes store to one place: what the last one stores stays.
            let lane = self.last_lane(b);
            let last = pick(b, value, ty, lane);
            self.clone_with(b, store, &[last, *pointer]);
            return Ok(());
        }
        let wide = self.widen_like(b, value, store.operand(0));
        if let Some(weave) = self.frame.plan.woven(store.operand(1)) {
            return self.store_woven(b, store, wide, pointer, weave);
        }
        if let (How::Consecutive, Lanes::Strided { first, .. }) = (self.how(store), pointer) {
            let joined = interleave(b, &wide, self.width());
            self.store_vector(b, joined, *first, store.alignment(), self.mask, parts.len());
            return Ok(());
        }
        if matches!(self.how(store), How::GatherUnlessConsecutive | How::Butterfly) {
            let ways = self.test_addresses(b, store, store.operand(1))?;
            let moved = |vector| ways.exchanged.map_or(vector, |bits| self.exchange(b, vector, bits));
            let (near, mask): (Vec<_>, _) = (wide.iter().copied().map(moved).collect(), self.mask.map(moved));
            let joined = interleave(b, &near, self.width());
            self.store_vector(b, joined, ways.first, store.alignment(), mask, parts.len());
            b.branch(ways.done);
            b.position_at_end(ways.apart);
            let addresses = self.addresses_apart(b, store.operand(1), &ways);
            self.scatter(b, store, &addresses, wide, None)?;
            b.branch(ways.done);
            b.position_at_end(ways.done);
            return Ok(());
        }
        self.scatter(b, store, pointer, wide, None)
    }

    /// A store to an address for each lane, of a woven variable where it is said how.
    pub(super) fn scatter(
        &self,
        b: &Builder<'c>,
        store: Value<'c>,
        pointer: &Lanes<'c>,
        wide: Vec<Value<'c>>,
        weave: Option<Weave>,
    ) -> Result<(), FormError> {
        let ty = store.operand(0).ty();
        let pointers = widen(b, pointer, self.width())[0];
        for (part, offset) in wide.into_iter().zip(offsets(self.frame.kernel.layout, ty)) {
            let at = match weave {
                Some(weave) => self.row(b, pointers, offset, weave),
                None => offset_all(b, pointers, offset),
            };
            let arguments = [part, at, self.full(self.mask)];
            let Some(scatter) = b.intrinsic("llvm.masked.scatter", &[part.ty(), at.ty()], &arguments, "")
            else {
                return Err(self.decline(store, "scatters are not available"));
            };
            scatter.set_argument_alignment(1, component_alignment(store.alignment(), offset, weave));
            self.mark(scatter);
        }
        Ok(())
    }

    /// The mask of a vector that holds `count` components of each lane.
    fn stretch_mask(&self, b: &Builder<'c>, mask: Value<'c>, count: usize) -> Value<'c> {
        if count == 1 {
            return mask;
        }
        let order: Vec<i32> = (0..self.width() as usize * count).map(|at| (at / count) as i32).collect();
        b.shuffle(mask, mask.ty().poison(), &order, "")
    }

    pub(super) fn load_vector(
        &self,
        b: &Builder<'c>,
        ty: Type<'c>,
        pointer: Value<'c>,
        alignment: u32,
        mask: Option<Value<'c>>,
        count: usize,
    ) -> Value<'c> {
        let load = match mask {
            None => b.load(ty, pointer, alignment, ""),
            Some(mask) => {
                let mask = self.stretch_mask(b, mask, count);
                let arguments = [pointer, mask, ty.poison()];
                match b.intrinsic("llvm.masked.load", &[ty, pointer.ty()], &arguments, "") {
                    Some(load) => {
                        load.set_argument_alignment(0, alignment);
                        load
                    }
                    None => return ty.poison(),
                }
            }
        };
        self.mark(load);
        load
    }

    pub(super) fn store_vector(
        &self,
        b: &Builder<'c>,
        value: Value<'c>,
        pointer: Value<'c>,
        alignment: u32,
        mask: Option<Value<'c>>,
        count: usize,
    ) {
        let store = match mask {
            None => b.store(value, pointer, alignment),
            Some(mask) => {
                let mask = self.stretch_mask(b, mask, count);
                let arguments = [value, pointer, mask];
                match b.intrinsic("llvm.masked.store", &[value.ty(), pointer.ty()], &arguments, "") {
                    Some(store) => {
                        store.set_argument_alignment(1, alignment);
                        store
                    }
                    None => return,
                }
            }
        };
        self.mark(store);
    }

    /// The last active lane.
    fn last_lane(&self, b: &Builder<'c>) -> Value<'c> {
        let width = self.width();
        let last = b.i64(i64::from(width) - 1);
        let Some(mask) = self.mask else { return last };
        let bits = b.cast(Opcode::LLVMBitCast, mask, b.types().int(width), "");
        let wide = match width {
            64 => bits,
            _ => b.cast(Opcode::LLVMZExt, bits, b.types().i64(), ""),
        };
        let never = b.types().bool().int(0);
        match b.intrinsic("llvm.ctlz", &[b.types().i64()], &[wide, never], "") {
            Some(zeros) => b.binary(Opcode::LLVMSub, b.i64(63), zeros, "last"),
            None => last,
        }
    }

    /// The first active lane; W where none is.
    pub(super) fn first_lane(&self, b: &Builder<'c>, mask: Value<'c>) -> Value<'c> {
        let width = self.width();
        let bits = b.cast(Opcode::LLVMBitCast, mask, b.types().int(width), "");
        let wide = match width {
            64 => bits,
            _ => b.cast(Opcode::LLVMZExt, bits, b.types().i64(), ""),
        };
        let none = b.i64(i64::from(width));
        let never = b.types().bool().int(0);
        let Some(first) = b.intrinsic("llvm.cttz", &[b.types().i64()], &[wide, never], "") else {
            return none;
        };
        let any = b.compare(IntPredicate::LLVMIntNE, wide, b.i64(0), "");
        b.select(any, first, none, "first")
    }

    /// Runs an instruction once for each active lane, with that lane's operands.
    pub(super) fn lane_by_lane(
        &mut self,
        b: &Builder<'c>,
        instruction: Value<'c>,
        operands: &[Value<'c>],
        inputs: &[Lanes<'c>],
    ) -> Result<Lanes<'c>, FormError> {
        let Some(parts) = components_or_none(instruction.ty()) else {
            return Err(
                self.decline(instruction, "a value of this type cannot be kept for several work-items")
            );
        };
        let width = self.width();
        let frame = self.frame;
        let cells: Vec<Value<'c>> =
            parts.iter().map(|part| frame.entry.alloca(part.vector(width), &instruction.name())).collect();
        let block = |name: &str| frame.body.append_block(&format!("r{}.lane{name}", self.number));
        let (head, run, next, done) = (block(""), block(".run"), block(".next"), block(".done"));
        let before = b.block();
        let mask = self.mask;
        b.branch(head);
        b.position_at_end(head);
        let lane = b.phi(b.types().i64(), "lane");
        lane.add_incoming(b.i64(0), before);
        match mask {
            Some(mask) => {
                let active = b.extract_lane(mask, lane, "active");
                b.conditional_branch(active, run, next);
            }
            None => {
                b.branch(run);
            }
        }
        b.position_at_end(run);
        let scalars: Vec<Value<'c>> =
            inputs.iter().zip(operands).map(|(lanes, operand)| pick(b, lanes, operand.ty(), lane)).collect();
        let result = self.clone_with(b, instruction, &scalars);
        if !cells.is_empty() {
            for (&cell, part) in cells.iter().zip(take_apart(b, result)) {
                let ty = cell.allocated().unwrap_or_else(|| part.ty().vector(width));
                let alignment = frame.kernel.layout.alignment(ty);
                let old = b.load(ty, cell, alignment, "");
                b.store(b.insert_lane(old, part, lane, ""), cell, alignment);
            }
        }
        b.branch(next);
        b.position_at_end(next);
        let after = b.add_no_wrap(lane, b.i64(1), "");
        lane.add_incoming(after, next);
        let more = b.compare(IntPredicate::LLVMIntULT, after, b.i64(i64::from(width)), "");
        b.conditional_branch(more, head, done);
        b.position_at_end(done);
        let results = cells.iter().zip(&parts).map(|(&cell, part)| {
            let ty = part.vector(width);
            b.load(ty, cell, frame.kernel.layout.alignment(ty), &instruction.name())
        });
        Ok(Lanes::Each(results.collect()))
    }

    /// What a work-item's slot holds, for all lanes.
    pub(super) fn load_from_slot(&self, b: &Builder<'c>, slot: usize, like: Value<'c>) -> Lanes<'c> {
        let frame = self.frame;
        if self.width() == 1 {
            let address = frame.slot_address(b, slot, self.ids.linear);
            let load = b.load(like.ty(), address, frame.slots.items[slot].alignment, &like.name());
            self.mark(load);
            return Lanes::One(load);
        }
        let planes = self.planes(b, slot);
        let wide: Vec<Value<'c>> = planes
            .into_iter()
            .map(|(ty, kept, address)| {
                let alignment = frame.kernel.layout.alignment(kept);
                let loaded = self.load_vector(b, kept.vector(self.width()), address, alignment, self.base, 1);
                if kept == ty {
                    loaded
                } else {
                    b.cast(Opcode::LLVMTrunc, loaded, ty.vector(self.width()), "")
                }
            })
            .collect();
        let lane = |value: &Value<'c>| b.extract_lane(*value, b.i64(0), "");
        match self.form(like) {
            Form::Uniform => Lanes::One(put_together(b, like.ty(), &mut wide.iter().map(lane))),
            Form::Strided(step) => Lanes::Strided { first: lane(&wide[0]), step },
            Form::Vector => Lanes::Each(wide),
        }
    }

    /// Stores what a work-item keeps, for the lanes of a mask.
    pub(super) fn store_to_slot(
        &self,
        b: &Builder<'c>,
        slot: usize,
        lanes: &Lanes<'c>,
        mask: Option<Value<'c>>,
    ) {
        let frame = self.frame;
        if let (1, Lanes::One(value)) = (self.width(), lanes) {
            let address = frame.slot_address(b, slot, self.ids.linear);
            let store = b.store(*value, address, frame.slots.items[slot].alignment);
            self.mark(store);
            return;
        }
        let wide = widen(b, lanes, self.width());
        for ((ty, kept, address), value) in self.planes(b, slot).into_iter().zip(wide) {
            let alignment = frame.kernel.layout.alignment(kept);
            let value = if kept == ty {
                value
            } else {
                b.cast(Opcode::LLVMZExt, value, kept.vector(self.width()), "")
            };
            self.store_vector(b, value, address, alignment, mask, 1);
        }
    }

    /// The planes of a slot, one for each component: its type, the type kept in memory, and lane 0's address. A slot's
    /// planes lie inside its array: no component is larger than its share.
    fn planes(&self, b: &Builder<'c>, slot: usize) -> Vec<(Type<'c>, Type<'c>, Value<'c>)> {
        let frame = self.frame;
        let slot = &frame.slots.items[slot];
        let mut before = slot.offset;
        components(slot.ty)
            .unwrap_or_default()
            .into_iter()
            .map(|ty| {
                let kept = if ty.kind() == TypeKind::Int(1) { b.types().i8() } else { ty };
                let size = frame.kernel.layout.size(kept);
                let base = b.mul_no_wrap(frame.ids.rounded, b.i64(before.cast_signed()), "");
                let own = b.mul_no_wrap(self.ids.linear, b.i64(size.cast_signed()), "");
                let at = b.add_no_wrap(base, own, "");
                before += size;
                (ty, kept, b.byte_offset(frame.scratch, at, "slot"))
            })
            .collect()
    }
}

/// Whether the lanes' values of a type lie one after another without gaps where their addresses differ by `step`.
pub(crate) fn is_dense(layout: Layout<'_>, ty: Type<'_>, step: i64) -> bool {
    let scalar_or_vector = ty.is_scalar() || matches!(ty.kind(), TypeKind::Vector(_));
    let count = components(ty).map_or(0, |parts| parts.len() as u64);
    let bytes = layout.size(ty.scalar()) * count;
    scalar_or_vector && bytes == layout.size(ty) && step == bytes.cast_signed()
}

/// Whether an access of a type may be made by vectors at all: neither volatile nor atomic, and of components that memory
/// holds as lanes do.
pub(crate) fn is_simple_access(access: Value<'_>, ty: Type<'_>) -> bool {
    components(ty).is_some() && !access.effects().ordered() && !has_bits(ty)
}

/// The components of a result; none for no result.
fn components_or_none(ty: Type<'_>) -> Option<Vec<Type<'_>>> {
    if ty.is_void() { Some(Vec::new()) } else { components(ty) }
}

/// A type with components that memory packs differently from lanes.
fn has_bits(ty: Type<'_>) -> bool {
    components(ty).is_none_or(|parts| {
        parts.iter().any(|part| matches!(part.kind(), TypeKind::Int(bits) if bits % 8 != 0))
    })
}

/// The byte offset of each component.
pub(super) fn offsets(layout: Layout<'_>, ty: Type<'_>) -> Vec<u64> {
    let within = |base: u64, inner: Type<'_>| -> Vec<u64> {
        offsets(layout, inner).into_iter().map(|offset| base + offset).collect()
    };
    match ty.kind() {
        TypeKind::Vector(count) => {
            (0..u64::from(count)).map(|index| index * layout.size(ty.scalar())).collect()
        }
        TypeKind::Array(count) => (0..count)
            .filter_map(|index| ty.element().map(|element| within(index * layout.size(element), element)))
            .flatten()
            .collect(),
        TypeKind::Struct(count) => (0..count)
            .filter_map(|index| ty.field(index).map(|field| within(layout.field_offset(ty, index), field)))
            .flatten()
            .collect(),
        _ => vec![0],
    }
}

fn offset_all<'c>(b: &Builder<'c>, pointers: Value<'c>, offset: u64) -> Value<'c> {
    if offset == 0 {
        return pointers;
    }
    b.gep(b.types().i8(), pointers, &[b.i64(offset.cast_signed())], 0, "")
}

/// The alignment of a component; of a woven variable that of a grain.
fn component_alignment(whole: u32, offset: u64, weave: Option<Weave>) -> u32 {
    if let Some(weave) = weave {
        return weave.grain as u32;
    }
    if offset == 0 { whole } else { whole.min(1 << offset.trailing_zeros().min(7)) }
}
