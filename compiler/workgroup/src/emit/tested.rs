//! Accesses that find out whether the lanes' addresses lie one behind the other.
//!
//! In: a load or store of scalars whose address has one index that differs among lanes, and is no linear function of their ids: a
//! quotient or remainder, some bits, a choice. Out: a test of the indices, with one vector where they are consecutive, and a
//! gather or scatter where not. Lanes that are off do not count.

use super::items::RegionEmitter;
use super::lanes::{Lanes, resize, spread, widen};
use crate::error::FormError;
use crate::plan::{Form, Plan};
use crate::regions::Regions;
use crate::slots::is_external;
use crate::space;
use oxcl_ir::module::Layout;
use oxcl_ir::{Block, Builder, IntPredicate, Opcode, Type, TypeKind, Value};

/// The index of an address that differs among lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VaryingIndex<'c> {
    /// Which operand of the address it is.
    operand: u32,
    /// The index before it was extended to the size of an address.
    index: Value<'c>,
    /// How it was extended.
    extension: Option<Opcode>,
}

/// The index of an access of `ty`, if it is the only part of its address that differs among lanes, and counts elements of that
/// type. The address must be made in the regions that the access is in: of others what it is made of may not be kept.
pub(crate) fn varying_index<'c>(
    plan: &Plan<'c>,
    regions: &Regions<'c>,
    layout: Layout<'_>,
    access: Value<'c>,
) -> Option<VaryingIndex<'c>> {
    let (pointer, ty) = match access.opcode() {
        Some(Opcode::LLVMLoad) => (access.operand(0), access.ty()),
        Some(Opcode::LLVMStore) => (access.operand(1), access.operand(0).ty()),
        _ => return None,
    };
    let block = access.block().map(|block| regions.cfg.number(block))?;
    let around = |number: &usize| regions.regions[*number].contains(block);
    let made_here = |value: Value<'c>| {
        (0..regions.regions.len()).filter(around).all(|number| !is_external(regions, number, value))
    };
    if !pointer.is(Opcode::LLVMGetElementPtr) || !ty.is_scalar() || layout.size(ty) > 8 {
        return None;
    }
    let mut found = None;
    let mut stepped = pointer.gep_element();
    for (position, operand) in (0..).zip(pointer.operands()) {
        if position > 1 {
            stepped = match stepped.map(Type::kind) {
                Some(TypeKind::Array(_)) => stepped.and_then(Type::element),
                _ => return None,
            };
        }
        match plan.form(operand) {
            Form::Uniform => {}
            Form::Vector if position > 0 && found.is_none() => {
                let size = stepped.map(|stepped| layout.size(stepped));
                found = (size == Some(layout.size(ty))).then_some((position, operand));
                found?;
            }
            Form::Vector | Form::Strided(_) => return None,
        }
    }
    let (operand, index) = found?;
    let extension = index.opcode().filter(|opcode| matches!(opcode, Opcode::LLVMSExt | Opcode::LLVMZExt));
    if !made_here(pointer) || (extension.is_some() && !made_here(index)) {
        return None;
    }
    let index = if extension.is_some() { index.operand(0) } else { index };
    (plan.form(index) == Form::Vector).then_some(VaryingIndex { operand, index, extension })
}

/// What a test found, in a block that all lanes run together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tested<'c> {
    block: usize,
    consecutive: Value<'c>,
    begin: Value<'c>,
}

/// The ways of an access.
pub(super) struct Ways<'c> {
    /// Where the lanes' addresses lie one behind the other, and that of lane 0 there.
    pub(super) consecutive: Block<'c>,
    pub(super) first: Value<'c>,
    /// Where they do not.
    pub(super) apart: Block<'c>,
    /// Where both come together.
    pub(super) done: Block<'c>,
    /// What the address is made of: its parts that are the same for all lanes, and the lanes' indices.
    parts: Vec<Value<'c>>,
    varying: VaryingIndex<'c>,
    lanes: Value<'c>,
}

impl<'c> RegionEmitter<'_, '_, 'c> {
    /// Tests the lanes' addresses, ends the builder's block, and goes on where they lie one behind the other.
    pub(super) fn test_addresses(
        &mut self,
        b: &Builder<'c>,
        access: Value<'c>,
        pointer: Value<'c>,
    ) -> Result<Ways<'c>, FormError> {
        let frame = self.frame;
        let Some(varying) = varying_index(frame.plan, frame.regions, frame.kernel.layout, access) else {
            return Err(self.decline(access, "its plan cannot be followed"));
        };
        let lanes = self.value(b, varying.index)?;
        let lanes = widen(b, &lanes, self.width())[0];
        let (consecutive, begin) = match self.known_test(access, pointer) {
            Some(tested) => (tested.consecutive, tested.begin),
            None => self.are_consecutive(b, lanes, varying.extension),
        };
        let block = access.block().map(|block| self.frame.regions.cfg.number(block));
        if let Some(block) = block.filter(|&block| self.chunks.of(block).is_none()) {
            self.tested.insert(pointer, Tested { block, consecutive, begin });
        }
        // What is asked for here is known on both ways.
        let mut parts = Vec::new();
        for (position, operand) in (0..).zip(pointer.operands()) {
            parts.push(match (position == varying.operand, varying.extension) {
                (true, Some(opcode)) => b.cast(opcode, begin, operand.ty(), ""),
                (true, None) => begin,
                (false, _) => match self.value(b, operand)? {
                    Lanes::One(value) | Lanes::Strided { first: value, .. } => value,
                    Lanes::Each(_) => return Err(self.decline(access, "its plan cannot be followed")),
                },
            });
        }
        let new = |name: &str| self.frame.body.append_block(&format!("r{}.{name}", self.number));
        let (near, apart, done) = (new("consecutive"), new("apart"), new("together"));
        b.conditional_branch(consecutive, near, apart);
        b.position_at_end(near);
        let first = self.clone_with(b, pointer, &parts);
        // The work-item of lane 0 may be off, and its address none that it would have.
        if self.mask.is_some() {
            first.drop_poison_flags();
        }
        Ok(Ways { consecutive: near, first, apart, done, parts, varying, lanes })
    }

    /// The lanes' addresses where they lie apart: LLVM makes a gather of a base and indices if it sees both beside it.
    pub(super) fn addresses_apart(&self, b: &Builder<'c>, pointer: Value<'c>, ways: &Ways<'c>) -> Lanes<'c> {
        let mut parts = ways.parts.clone();
        let at = ways.varying.operand as usize;
        parts[at] = match ways.varying.extension {
            Some(opcode) => {
                let to = parts[at].ty().vector(self.width());
                // An index into local memory is small, and 32-bit indices of gathers have signs.
                let local = pointer.ty().scalar().kind() == TypeKind::Pointer(space::LOCAL);
                let opcode = if local { Opcode::LLVMSExt } else { opcode };
                b.cast(opcode, ways.lanes, to, "")
            }
            None => ways.lanes,
        };
        match pointer.gep_element() {
            Some(element) => {
                let made = b.gep(element, parts[0], &parts[1..], pointer.gep_flags(), &pointer.name());
                Lanes::Each(vec![made])
            }
            None => Lanes::One(pointer),
        }
    }

    /// A test of the same address that was made before, for all lanes.
    fn known_test(&self, access: Value<'c>, pointer: Value<'c>) -> Option<Tested<'c>> {
        let cfg = &self.frame.regions.cfg;
        let tested = self.tested.get(&pointer).copied()?;
        let here = cfg.number(access.block()?);
        let reaches = match self.chunks.of(here) {
            Some(chunk) => self.dominates_entries(tested.block, chunk),
            None => true,
        };
        (reaches && cfg.dominates(tested.block, here)).then_some(tested)
    }

    /// Whether the lanes' indices, as far as they are on, are one behind the other, and what lane 0's is then.
    fn are_consecutive(
        &self,
        b: &Builder<'c>,
        lanes: Value<'c>,
        extension: Option<Opcode>,
    ) -> (Value<'c>, Value<'c>) {
        let (width, int) = (self.width(), lanes.ty().scalar());
        // The lane that the others are compared with: the first that is on.
        let from = self.mask.map(|mask| self.first_lane(b, mask));
        let own = b.extract_lane(lanes, from.unwrap_or(b.i64(0)), "");
        let begin = match from {
            Some(from) => b.binary(Opcode::LLVMSub, own, resize(b, from, int), "begin"),
            None => own,
        };
        let wanted = spread(b, begin, 1, width);
        let same = b.compare(IntPredicate::LLVMIntEQ, lanes, wanted, "");
        let all = self.all_set(b, same);
        // What is extended must not wrap around on the way from the first lane to the last.
        let ascends = match extension {
            Some(Opcode::LLVMSExt) => IntPredicate::LLVMIntSLT,
            Some(_) => IntPredicate::LLVMIntULT,
            None => return (all, begin),
        };
        let last = b.add(begin, int.int(i64::from(width) - 1), "");
        (b.and(b.compare(ascends, begin, last, ""), all, "consecutive"), begin)
    }
}
