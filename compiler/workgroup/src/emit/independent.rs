//! Whether LLVM may be told that the memory accesses of different work-items do not depend on one another.
//!
//! In: a region of a kernel. Out: the access group that its accesses carry, which lets LLVM's loop vectoriser take
//! several rounds of the work-item loop together without proving that they are independent; or none.
//!
//! The mark speaks of different work-items only, but LLVM 22 takes it for more: in a marked loop it knows no order among
//! the accesses of *one* round either when it joins neighbouring accesses (an *interleave group*: `o[2*i]` and `o[2*i+1]`
//! become one access to both). Stores then move down to the last of their group and loads up to the first, past
//! accesses in between that may be to the same place. So a region is not marked in which that could happen; LLVM then
//! looks for dependences itself, at run time where it must.

use super::moves::Moves;
use super::{Frame, is_marker, is_ordered};
use crate::error::FormError;
use crate::prepare::Prepared;
use crate::regions::Regions;
use crate::slots::Slots;
use oxcl_ir::metadata::Node;
use oxcl_ir::module::Layout;
use oxcl_ir::{Function, Opcode, Type, TypeKind, Value};
use std::collections::HashMap;
use std::fmt;

/// Accesses of one region that are looked at, at most: their number enters squared.
const MOST: usize = 2048;

/// The access group that a region's memory accesses share, if different work-items' accesses are independent as far as
/// LLVM may know.
///
/// # Errors
/// LLVM's failure in an analysis.
pub(super) fn group<'c>(frame: &Frame<'_, 'c>, number: usize) -> Result<Option<Node<'c>>, FormError> {
    let obstacle = obstacle(frame.kernel, frame.regions, frame.slots, number)?;
    Ok(obstacle.is_none().then(|| Node::access_group(frame.body.types())))
}

/// Why a region's memory accesses are not marked as independent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// Work-items go through the region's blocks as the group's dispatch says, not in one loop.
    Irregular,
    /// A volatile or atomic access.
    Ordered,
    /// A call that touches memory.
    Call,
    /// A private variable on the stack, which all work-items share one after another.
    Stack,
    /// LLVM might put accesses of one work-item in another order.
    Reordered,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Obstacle::Irregular => "irregular flow",
            Obstacle::Ordered => "an ordered access",
            Obstacle::Call => "a call that touches memory",
            Obstacle::Stack => "a private variable on the stack",
            Obstacle::Reordered => "accesses that might be reordered",
        })
    }
}

/// What keeps a region's accesses from being marked, if anything does.
///
/// # Errors
/// LLVM's failure in an analysis.
pub(crate) fn obstacle<'c>(
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    slots: &Slots<'c>,
    number: usize,
) -> Result<Option<Obstacle>, FormError> {
    let obstacle = obstacle_at_sight(kernel, regions, slots, number);
    if obstacle != Some(Obstacle::Reordered) {
        return Ok(obstacle);
    }
    // The shapes take a while, and most regions need none.
    let mut accesses = Accesses::of(kernel, regions, number);
    accesses.keep_apart_neighbours(&mut Moves::new(regions.row_shapes(kernel)?, kernel.layout));
    Ok(accesses.may_be_reordered().then_some(Obstacle::Reordered))
}

/// The same without a look at how far work-items are apart. The costs of W = 1 go by this: of a filter of bytes behind a guard, whose
/// accesses only the distance shows to be independent, they would say that LLVM makes the same of it as lanes would, and that took
/// 1.28 times as long.
pub(crate) fn obstacle_at_sight<'c>(
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    slots: &Slots<'c>,
    number: usize,
) -> Option<Obstacle> {
    if !regions.regular {
        return Some(Obstacle::Irregular);
    }
    let found = |instruction: Value<'c>| {
        let effects = instruction.effects();
        if is_ordered(instruction) {
            Some(Obstacle::Ordered)
        } else if instruction.is(Opcode::LLVMCall)
            && !is_marker(instruction)
            && (effects.reads() || effects.writes())
        {
            Some(Obstacle::Call)
        } else {
            instruction
                .operands()
                .into_iter()
                .any(|operand| slots.is_on_stack(operand))
                .then_some(Obstacle::Stack)
        }
    };
    let blocks = regions.regions[number].blocks.iter();
    let first = blocks.flat_map(|&block| regions.cfg.blocks[block].instructions()).find_map(found);
    let reordered =
        || Accesses::of(kernel, regions, number).may_be_reordered().then_some(Obstacle::Reordered);
    first.or_else(reordered)
}

/// A load or a store.
#[derive(Debug, Clone, Copy)]
pub(super) struct Access<'c> {
    pub(super) writes: bool,
    address: Value<'c>,
    /// LLVM may join it with a neighbour.
    joins: bool,
    /// What the address is computed from.
    pub(super) root: Value<'c>,
    /// Accesses of one family differ by their `offset` only.
    pub(super) family: usize,
    /// Bytes.
    pub(super) offset: i64,
    pub(super) size: i64,
    /// In a loop inside the region, so that the address may change.
    repeats: bool,
}

/// The accesses of a region in their order, those of a loop inside the region twice.
pub(super) struct Accesses<'c> {
    kernel: Function<'c>,
    pub(super) list: Vec<Access<'c>>,
}

impl<'c> Accesses<'c> {
    pub(super) fn of(kernel: &Prepared<'_, 'c>, regions: &Regions<'c>, number: usize) -> Self {
        let (cfg, layout) = (&regions.cfg, kernel.layout);
        let region = &regions.regions[number];
        let inside = |header: usize| region.contains(header) && !regions.is_entry(header);
        // The outermost loop around a block that the region goes round by itself.
        let loop_around = |block: usize| {
            std::iter::successors(cfg.innermost[block], |&number| cfg.loops[number].parent)
                .map(|number| &cfg.loops[number])
                .filter(|found| inside(found.header))
                .last()
        };
        let mut families = HashMap::new();
        let mut list = Vec::new();
        let mut done = vec![false; cfg.blocks.len()];
        let mut take = |block: usize, repeats: bool| {
            for instruction in cfg.blocks[block].instructions() {
                let (pointer, ty) = match instruction.opcode() {
                    Some(Opcode::LLVMLoad) => (instruction.operand(0), instruction.ty()),
                    Some(Opcode::LLVMStore) => (instruction.operand(1), instruction.operand(0).ty()),
                    _ => continue,
                };
                let address = Address::of(pointer, layout);
                let next = families.len();
                let family = *families.entry((address.root, address.terms)).or_insert(next);
                list.push(Access {
                    writes: instruction.is(Opcode::LLVMStore),
                    address: pointer,
                    joins: true,
                    root: address.root,
                    family,
                    offset: address.offset,
                    size: layout.size(ty).cast_signed(),
                    repeats,
                });
            }
        };
        for &block in &region.blocks {
            if done[block] {
                continue;
            }
            let Some(around) = loop_around(block) else {
                take(block, false);
                continue;
            };
            let body = region.blocks.iter().filter(|&&block| around.contains(block));
            for &block in body.clone().chain(body) {
                done[block] = true;
                take(block, true);
            }
        }
        Accesses { kernel: kernel.function, list }
    }

    /// Whether two accesses that LLVM may join have one between them that must not change places with the one that
    /// moves.
    fn may_be_reordered(&self) -> bool {
        if !self.list.iter().any(|access| access.writes) {
            return false;
        }
        if self.list.len() > MOST {
            return true;
        }
        self.list.iter().enumerate().any(|(first, access)| {
            let mut in_between = false;
            self.list[first + 1..].iter().any(|other| {
                let joins = access.joins
                    && other.joins
                    && other.writes == access.writes
                    && other.root == access.root
                    && (other.repeats || other.family != access.family || other.offset != access.offset);
                let found = in_between && joins;
                // A store moves past loads and stores, a load past stores; which of the two moves does not matter here:
                // both are computed from one root.
                in_between |= (access.writes || other.writes) && self.may_overlap(access, other);
                found
            })
        })
    }

    /// What LLVM joins leaves gaps between one work-item's place and the next one's, which the others fill: accesses to the
    /// same place, or to places next to one another, are never among them.
    fn keep_apart_neighbours(&mut self, moves: &mut Moves<'_, 'c>) {
        for access in &mut self.list {
            access.joins =
                moves.of(access.address).is_none_or(|bytes| bytes != 0 && bytes.abs() != access.size);
        }
    }

    /// Whether two accesses of one work-item may be to the same place.
    fn may_overlap(&self, one: &Access<'c>, other: &Access<'c>) -> bool {
        if one.root != other.root {
            return !self.are_distinct(one.root, other.root);
        }
        if one.family != other.family || one.repeats || other.repeats {
            return true;
        }
        let (low, high) = if one.offset <= other.offset { (one, other) } else { (other, one) };
        high.offset - low.offset < low.size
    }

    /// Whether two roots lead to different memory.
    fn are_distinct(&self, one: Value<'c>, other: Value<'c>) -> bool {
        if let (Some(a), Some(b)) = (space_of(one.ty()), space_of(other.ty()))
            && a != b
            && a != GENERIC
            && b != GENERIC
        {
            return true;
        }
        let object = |root: Value<'c>| root.is(Opcode::LLVMAlloca) || root.is_global_variable();
        let parameters = self.kernel.parameters();
        let restricted = |root: Value<'c>| {
            (0..)
                .zip(&parameters)
                .any(|(index, parameter)| *parameter == root && self.kernel.is_restricted(index))
        };
        let known = |root: Value<'c>| object(root) || root.is_parameter();
        known(one) && known(other) && (object(one) || object(other) || restricted(one) || restricted(other))
    }
}

/// The address space that holds all others.
const GENERIC: u32 = 4;

fn space_of(ty: Type<'_>) -> Option<u32> {
    match ty.kind() {
        TypeKind::Pointer(space) => Some(space),
        _ => None,
    }
}

/// `root + offset + Σ factor · value`, in bytes, exact where it says so at all: what cannot be taken apart is a value.
#[derive(Debug)]
struct Address<'c> {
    root: Value<'c>,
    offset: i64,
    /// In the order in which the values were met; none is there twice.
    terms: Vec<(Value<'c>, i64)>,
}

impl<'c> Address<'c> {
    fn of(pointer: Value<'c>, layout: Layout<'_>) -> Self {
        let mut address = Address { root: pointer, offset: 0, terms: Vec::new() };
        while address.step(layout) {}
        address.terms.retain(|term| term.1 != 0);
        address
    }

    /// Takes the root apart; `false` where that cannot be done.
    fn step(&mut self, layout: Layout<'_>) -> bool {
        let pointer = self.root;
        if pointer.is(Opcode::LLVMAddrSpaceCast) {
            self.root = pointer.operand(0);
            return true;
        }
        let (true, Some(mut ty)) = (pointer.is(Opcode::LLVMGetElementPtr), pointer.gep_element()) else {
            return false;
        };
        let mut found: Vec<(Value<'c>, i64)> = Vec::new();
        let mut offset = 0_i64;
        for (position, index) in pointer.operands().into_iter().skip(1).enumerate() {
            if position > 0 {
                if let TypeKind::Struct(_) = ty.kind() {
                    let field = index.as_int().and_then(|field| u32::try_from(field).ok());
                    let Some((field, inner)) = field.and_then(|field| Some((field, ty.field(field)?))) else {
                        return false;
                    };
                    offset = offset.wrapping_add(layout.field_offset(ty, field).cast_signed());
                    ty = inner;
                    continue;
                }
                let Some(element) = ty.element() else { return false };
                ty = element;
            }
            found.push((index, layout.size(ty).cast_signed()));
        }
        self.offset = self.offset.wrapping_add(offset);
        for (index, factor) in found {
            self.add(index, factor);
        }
        self.root = pointer.operand(0);
        true
    }

    /// Adds `factor · value`. Sums that cannot wrap around are taken apart, also below an extension.
    fn add(&mut self, value: Value<'c>, factor: i64) {
        if let Some(constant) = value.as_int() {
            self.offset = self.offset.wrapping_add(constant.wrapping_mul(factor));
            return;
        }
        let inner = if value.is(Opcode::LLVMSExt) { value.operand(0) } else { value };
        let exact = inner.no_signed_wrap() || inner.is_disjoint_or();
        let constant = |index: u32| inner.operand(index).as_int();
        match inner.opcode() {
            Some(Opcode::LLVMAdd | Opcode::LLVMOr) if exact && constant(1).is_some() => {
                let by = constant(1).unwrap_or(0);
                self.offset = self.offset.wrapping_add(by.wrapping_mul(factor));
                self.add(inner.operand(0), factor);
            }
            Some(Opcode::LLVMAdd) if exact && inner == value => {
                self.add(inner.operand(0), factor);
                self.add(inner.operand(1), factor);
            }
            Some(Opcode::LLVMMul) if exact && constant(1).is_some() => {
                self.add(inner.operand(0), factor.wrapping_mul(constant(1).unwrap_or(0)));
            }
            Some(Opcode::LLVMShl) if exact && constant(1).is_some_and(|by| (0..62).contains(&by)) => {
                self.add(inner.operand(0), factor.wrapping_mul(1 << constant(1).unwrap_or(0)));
            }
            _ => match self.terms.iter_mut().find(|term| term.0 == inner) {
                Some(term) => term.1 = term.1.wrapping_add(factor),
                None => self.terms.push((inner, factor)),
            },
        }
    }
}
