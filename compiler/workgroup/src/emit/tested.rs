//! Accesses that find out whether the lanes' addresses lie one behind the other, or are those of one vector but for an exchange
//! of lanes ([`super::butterfly`]).
//!
//! In: a load or store whose address has one index that differs among lanes, and is not known to be a linear function of their
//! ids: a quotient or remainder, some bits, a choice, or a sum in too few bits. What is added to all lanes' addresses alike may
//! stand around it. Out: a test of the indices, with one vector where they are consecutive, and a gather or scatter where not.
//! Lanes that are off do not count.

use super::items::RegionEmitter;
use super::lanes::{Lanes, resize, spread, widen};
use super::memory::is_dense;
use crate::error::FormError;
use crate::plan::{Form, How, Plan};
use crate::regions::Regions;
use crate::slots::is_external;
use crate::space;
use oxcl_ir::module::Layout;
use oxcl_ir::{Block, Builder, IntPredicate, Opcode, Type, TypeKind, Value};

/// The index of an address that differs among lanes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VaryingIndex<'c> {
    /// The address that has it, to which others may add what is the same for all lanes.
    address: Value<'c>,
    /// Which operand of the address it is.
    operand: u32,
    /// The index before it was extended to the size of an address.
    pub(super) index: Value<'c>,
    /// How it was extended.
    extension: Option<Opcode>,
}

impl<'c> VaryingIndex<'c> {
    /// What a test of it says, it says of all indices that are the same number extended in the same way, where lanes exchange
    /// places in the same way.
    fn key(&self, exchanges: bool) -> Key<'c> {
        (self.index, self.extension.map(|opcode| opcode == Opcode::LLVMSExt), exchanges)
    }
}

/// What tests are known by.
pub(super) type Key<'c> = (Value<'c>, Option<bool>, bool);

/// Offsets that are added one after another, at most.
const MOST_OFFSETS: usize = 4;

/// The index of an access, if it is the only part of its address that differs among lanes, and counts elements of the type that
/// is accessed, and none of a woven variable. The address must be made in the regions that the access is in, or be computed again there:
/// of others what they are made of may not be kept.
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
    let size = layout.size(ty);
    if plan.woven(pointer).is_some() || !is_dense(layout, ty, size.cast_signed()) {
        return None;
    }
    let block = access.block().map(|block| regions.cfg.number(block))?;
    let around = |number: &usize| regions.regions[*number].contains(block);
    let made_here = |value: Value<'c>| {
        (0..regions.regions.len()).filter(around).all(|number| !is_external(regions, number, value))
    };
    // All that such a value is made of is computed again with it.
    let with_pointer = plan.is_computed_again(pointer);
    let is_there = |value: Value<'c>| with_pointer || made_here(value) || plan.is_computed_again(value);
    // What offsets are added to.
    let mut address = pointer;
    for _ in 0..MOST_OFFSETS {
        if !address.is(Opcode::LLVMGetElementPtr) || !is_there(address) {
            return None;
        }
        let mut indices = address.operands().into_iter().skip(1);
        if !indices.all(|index| plan.form(index) == Form::Uniform) {
            break;
        }
        address = address.operand(0);
    }
    if !address.is(Opcode::LLVMGetElementPtr) || !is_there(address) {
        return None;
    }
    let mut found = None;
    let mut stepped = address.gep_element();
    for (position, operand) in (0..).zip(address.operands()) {
        if position > 1 {
            stepped = match stepped.map(Type::kind) {
                Some(TypeKind::Array(_)) => stepped.and_then(Type::element),
                _ => return None,
            };
        }
        match plan.form(operand) {
            Form::Uniform => {}
            Form::Vector if position > 0 && found.is_none() => {
                let own = stepped.map(|stepped| layout.size(stepped));
                found = (own == Some(size)).then_some((position, operand));
                found?;
            }
            Form::Vector | Form::Strided(_) => return None,
        }
    }
    let (operand, index) = found?;
    let extension = index.opcode().filter(|opcode| matches!(opcode, Opcode::LLVMSExt | Opcode::LLVMZExt));
    if extension.is_some() && !is_there(index) {
        return None;
    }
    let index = if extension.is_some() { index.operand(0) } else { index };
    // A number that grows by one from lane to lane, before it is extended, may only wrap around on its way.
    let fits = match plan.form(index) {
        Form::Vector => true,
        Form::Strided(step) => step == 1 && extension.is_some(),
        Form::Uniform => false,
    };
    fits.then_some(VaryingIndex { address, operand, index, extension })
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
    /// Where the lanes' addresses are those of one vector, and that of its first element there.
    pub(super) consecutive: Block<'c>,
    pub(super) first: Value<'c>,
    /// The bits by which lanes exchange places there.
    pub(super) exchanged: Option<Value<'c>>,
    /// Where they do not.
    pub(super) apart: Block<'c>,
    /// Where both come together.
    pub(super) done: Block<'c>,
    /// What the address with the varying index is made of: its parts that are the same for all lanes, and the lanes' indices.
    parts: Vec<Value<'c>>,
    /// What is added to that address for all lanes, first what is added first: the addresses, and their indices.
    offsets: Vec<(Value<'c>, Vec<Value<'c>>)>,
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
        let index = self.value(b, varying.index)?;
        let lanes = widen(b, &index, self.width())[0];
        let exchange = match self.how(access) {
            How::Butterfly => varying.exchange(frame.plan),
            _ => None,
        };
        let exchanged = match exchange {
            Some(exchange) => {
                Some((self.value(b, exchange.linear)?, self.same_for_all(b, access, exchange.bits)?))
            }
            None => None,
        };
        let key = varying.key(exchange.is_some());
        let (consecutive, begin) = match (self.known_test(access, &key), &exchanged, index) {
            (Some(tested), ..) => (tested.consecutive, tested.begin),
            (None, Some((linear, bits)), _) => match linear {
                Lanes::Strided { first, step: 1 } => self.whole_block(b, *first, *bits),
                _ => return Err(self.decline(access, "its plan cannot be followed")),
            },
            (None, None, Lanes::Strided { first, step: 1 }) => {
                (self.ascends(b, first, varying.extension), first)
            }
            (None, None, _) => self.are_consecutive(b, lanes, varying.extension),
        };
        let block = access.block().map(|block| self.frame.regions.cfg.number(block));
        if let Some(block) = block.filter(|&block| self.chunks.of(block).is_none()) {
            self.tested.insert(key, Tested { block, consecutive, begin });
        }
        // What is asked for here is known on both ways.
        let mut parts = Vec::new();
        for (position, operand) in (0..).zip(varying.address.operands()) {
            parts.push(match (position == varying.operand, varying.extension) {
                (true, Some(opcode)) => b.cast(opcode, begin, operand.ty(), ""),
                (true, None) => begin,
                (false, _) => self.same_for_all(b, access, operand)?,
            });
        }
        let mut offsets = Vec::new();
        let mut address = pointer;
        while address != varying.address {
            let indices = address.operands().into_iter().skip(1);
            let indices: Result<_, FormError> =
                indices.map(|index| self.same_for_all(b, access, index)).collect();
            offsets.push((address, indices?));
            address = address.operand(0);
        }
        offsets.reverse();
        let new = |name: &str| self.frame.body.append_block(&format!("r{}.{name}", self.number));
        let (near, apart, done) = (new("consecutive"), new("apart"), new("together"));
        b.conditional_branch(consecutive, near, apart);
        b.position_at_end(near);
        let mut first = self.clone_with(b, varying.address, &parts);
        // The work-item of lane 0 may be off, and its address none that it would have.
        if self.mask.is_some() {
            first.drop_poison_flags();
        }
        for (address, indices) in &offsets {
            let mut operands = vec![first];
            operands.extend(indices);
            first = self.clone_with(b, *address, &operands);
            if self.mask.is_some() {
                first.drop_poison_flags();
            }
        }
        let exchanged = exchanged.map(|(_, bits)| bits);
        Ok(Ways { consecutive: near, first, exchanged, apart, done, parts, offsets, varying, lanes })
    }

    /// A part of an address that is the same for all lanes.
    fn same_for_all(
        &mut self,
        b: &Builder<'c>,
        access: Value<'c>,
        part: Value<'c>,
    ) -> Result<Value<'c>, FormError> {
        match self.value(b, part)? {
            Lanes::One(value) | Lanes::Strided { first: value, .. } => Ok(value),
            Lanes::Each(_) => Err(self.decline(access, "its plan cannot be followed")),
        }
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
        // What is added to all goes into the base, which may lie outside of the object then.
        for (address, indices) in &ways.offsets {
            if let Some(element) = address.gep_element() {
                parts[0] = b.gep(element, parts[0], indices, 0, "");
            }
        }
        let address = ways.varying.address;
        let flags = if ways.offsets.is_empty() { address.gep_flags() } else { 0 };
        match address.gep_element() {
            Some(element) => {
                let made = b.gep(element, parts[0], &parts[1..], flags, &pointer.name());
                Lanes::Each(vec![made])
            }
            None => Lanes::One(pointer),
        }
    }

    /// A test of the same index that was made before, for all lanes.
    fn known_test(&self, access: Value<'c>, key: &Key<'c>) -> Option<Tested<'c>> {
        let cfg = &self.frame.regions.cfg;
        let tested = self.tested.get(key).copied()?;
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
        (b.and(self.ascends(b, begin, extension), all, "consecutive"), begin)
    }

    /// Whether an index that grows by one from lane to lane does not wrap around before it is extended.
    fn ascends(&self, b: &Builder<'c>, begin: Value<'c>, extension: Option<Opcode>) -> Value<'c> {
        let ascends = match extension {
            Some(Opcode::LLVMSExt) => IntPredicate::LLVMIntSLT,
            Some(_) => IntPredicate::LLVMIntULT,
            None => return b.types().bool().int(1),
        };
        let last = b.add(begin, begin.ty().int(i64::from(self.width()) - 1), "");
        b.compare(ascends, begin, last, "ascends")
    }
}
