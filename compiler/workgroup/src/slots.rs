//! Where values live that one region computes and another uses.
//!
//! In: a kernel cut into regions. Out: [`Slots`]: for each such value its [`Home`], and the layout of the scratch
//! memory: structure of arrays, one array for each slot, indexed by the linear local id, slots of larger alignment
//! first. What is uniform lives once for the group; what follows cheaply from ids and arguments is computed again; only
//! the rest takes scratch memory, where values that a PHI node joins may share a slot ([`share`]).

use crate::prepare::Prepared;
use crate::privates;
use crate::regions::{End, Regions};
use crate::share;
use crate::workitem::Query;
use crate::woven::Woven;
use oxcl_binary::abi::RANGES_BYTES;
use oxcl_ir::{Function, Opcode, Type, TypeKind, Value};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// Instructions that may be computed again rather than kept, at most, for one value: so many that differ among work-items,
/// and as many that do not, which LLVM takes out of the loops over work-items.
const CHEAP: usize = 10;

/// Bytes of the number of a region.
const CONTINUATION: u64 = 4;

/// Where a value lives between regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Home {
    /// One variable for the group.
    Group(usize),
    /// Scratch slot of this number, one element for each work-item.
    Item(usize),
    /// Nowhere: computed again, once for the group.
    AgainForGroup,
    /// Nowhere: computed again by each work-item.
    AgainForItem,
}

/// An array in scratch memory with one element for each work-item.
#[derive(Debug, Clone)]
pub(crate) struct Slot<'c> {
    /// The values, or the alloca, that live here; none: what the dispatch keeps.
    pub(crate) values: Vec<Value<'c>>,
    /// The element's type.
    pub(crate) ty: Type<'c>,
    /// Bytes of one element.
    pub(crate) size: u64,
    /// Alignment of one element.
    pub(crate) alignment: u32,
    /// The array's offset, in bytes for each work-item of the rounded group.
    pub(crate) offset: u64,
}

/// The homes of a kernel's values.
#[derive(Debug, Default)]
pub(crate) struct Slots<'c> {
    homes: Rc<HashMap<Value<'c>, Home>>,
    /// The private variables on the stack, which work-items use one after another, and all addresses in them.
    on_stack: HashSet<Value<'c>>,
    /// Variables of the group, in the order of their definitions.
    pub(crate) group: Vec<Value<'c>>,
    /// Scratch slots, in layout order.
    pub(crate) items: Vec<Slot<'c>>,
    /// The slot that holds the region that a work-item continues in, where the flow is irregular.
    pub(crate) continuation: Option<usize>,
    /// The slot that says that a leader has worked for the work-item, where the flow is irregular and sub-groups meet.
    pub(crate) served: Option<usize>,
    /// The private variables whose elements lanes keep side by side.
    pub(crate) woven: Rc<Woven<'c>>,
    /// Scratch bytes for each work-item.
    pub(crate) per_item: u64,
    /// Scratch bytes before the slots: where the kernel asks for them, `MemoryRanges`.
    pub(crate) fixed: u64,
}

impl<'c> Slots<'c> {
    /// All homes, for who keeps them longer.
    pub(crate) fn homes(&self) -> Rc<HashMap<Value<'c>, Home>> {
        Rc::clone(&self.homes)
    }

    /// Where a value lives; `None`: only inside regions.
    pub(crate) fn home(&self, value: Value<'c>) -> Option<Home> {
        self.homes.get(&value).copied()
    }

    /// Whether a value may be an address on the stack, where all work-items have their variables in turn.
    pub(crate) fn is_on_stack(&self, value: Value<'c>) -> bool {
        self.on_stack.contains(&value)
    }
}

/// Whether a use of `value` in `region` refers to what an earlier region computed, and whether the region may also
/// compute it anew on the way to the use.
pub(crate) fn is_external(regions: &Regions<'_>, region: usize, value: Value<'_>) -> bool {
    let Some(block) = value.block() else { return false };
    let defined = regions.cfg.number(block);
    let here = &regions.regions[region];
    if defined == here.entry {
        return value.is_phi() && here.entry != 0;
    }
    !here.contains(defined) || regions.cfg.dominates(defined, here.entry)
}

/// Finds the values that live between regions and gives each its home.
pub(crate) fn assign<'c>(kernel: &Prepared<'_, 'c>, regions: &Regions<'c>) -> Slots<'c> {
    let mut finder = Finder { regions, slots: Slots::default(), wanted: HashSet::new() };
    for number in 0..regions.regions.len() {
        finder.region(number);
    }
    finder.private_variables(kernel.function);
    let wanted = std::mem::take(&mut finder.wanted);
    let mut slots = finder.slots;
    let mut items = Vec::new();
    // Definition order makes the layout deterministic; the order of the set does not matter.
    for value in kernel.function.instructions().into_iter().filter(|value| wanted.contains(value)) {
        match slots.homes.get(&value) {
            Some(Home::Group(_)) => {
                Rc::make_mut(&mut slots.homes).insert(value, Home::Group(slots.group.len()));
                slots.group.push(value);
            }
            Some(Home::Item(_)) => items.push(value),
            _ => {}
        }
    }
    for values in share::classes(regions, &items) {
        let value = values[0];
        let ty = value.allocated().unwrap_or_else(|| value.ty());
        let alignment = match value.allocated() {
            Some(_) => value.alignment().max(kernel.layout.alignment(ty)),
            None => kernel.layout.alignment(ty),
        };
        let size = kernel.layout.size(ty).next_multiple_of(u64::from(alignment));
        slots.items.push(Slot { values, ty, size, alignment, offset: 0 });
    }
    if !regions.regular {
        let ty = kernel.function.types().i32();
        slots.items.push(Slot { values: Vec::new(), ty, size: CONTINUATION, alignment: 4, offset: 0 });
        if regions.meets {
            let ty = kernel.function.types().i8();
            slots.items.push(Slot { values: Vec::new(), ty, size: 1, alignment: 1, offset: 0 });
        }
    }
    lay_out(&mut slots);
    let asks = |call: &Value<'c>| Query::of(*call) == Some(Query::MemoryRanges);
    if kernel.function.instructions().iter().any(asks) {
        slots.fixed = RANGES_BYTES;
    }
    slots.woven = Rc::new(Woven::find(kernel, |variable| slots.home(variable)));
    slots
}

fn lay_out(slots: &mut Slots<'_>) {
    slots.items.sort_by_key(|slot| std::cmp::Reverse(slot.alignment));
    let mut offset = 0;
    for (number, slot) in slots.items.iter_mut().enumerate() {
        slot.offset = offset;
        offset += slot.size;
        if slot.values.is_empty() && slot.size == CONTINUATION {
            slots.continuation = Some(number);
        } else if slot.values.is_empty() {
            slots.served = Some(number);
        }
        Rc::make_mut(&mut slots.homes).extend(slot.values.iter().map(|&value| (value, Home::Item(number))));
    }
    slots.per_item = offset;
}

struct Finder<'r, 'c> {
    regions: &'r Regions<'c>,
    slots: Slots<'c>,
    wanted: HashSet<Value<'c>>,
}

impl<'c> Finder<'_, 'c> {
    fn region(&mut self, number: usize) {
        let cfg = &self.regions.cfg;
        let region = &self.regions.regions[number];
        for &block in &region.blocks {
            for instruction in cfg.blocks[block].instructions() {
                if instruction.is_phi() {
                    if block == region.entry && region.entry != 0 {
                        self.keep_phi(instruction);
                        continue;
                    }
                    for (value, from) in instruction.incoming() {
                        if region.contains(cfg.number(from)) {
                            self.used_by_item(number, value);
                        }
                    }
                    continue;
                }
                let branch = region.ends.contains(&End::Branch { block }) && instruction.is_terminator();
                for operand in instruction.operands() {
                    if branch {
                        self.used_by_group(operand);
                    } else {
                        self.used_by_item(number, operand);
                    }
                }
            }
        }
        for end in &region.ends {
            let targets: Vec<(usize, usize)> = match *end {
                End::Return { .. } => Vec::new(),
                End::Edge { from, to } => vec![(from, to)],
                End::Branch { block } => cfg.successors[block].iter().map(|&to| (block, to)).collect(),
            };
            for (from, to) in targets {
                for phi in cfg.blocks[to].phis() {
                    self.keep_phi(phi);
                    let group = matches!(self.slots.homes.get(&phi), Some(Home::Group(_)));
                    for (value, block) in phi.incoming() {
                        if cfg.number(block) != from {
                            continue;
                        }
                        if group {
                            self.used_by_group(value);
                        } else {
                            self.used_by_item(number, value);
                        }
                    }
                }
            }
        }
    }

    /// A PHI node at a region's entry: its ways in come from other regions.
    fn keep_phi(&mut self, phi: Value<'c>) {
        let uniform = self.regions.regular && self.regions.shapes.of(phi).is_uniform();
        self.keep(phi, if uniform { Home::Group(0) } else { Home::Item(0) });
    }

    fn used_by_item(&mut self, region: usize, value: Value<'c>) {
        if value.is(Opcode::LLVMAlloca)
            || !is_external(self.regions, region, value)
            || is_entry_phi(self.regions, value)
        {
            return;
        }
        let uniform = self.regions.shapes.of(value).is_uniform();
        if uniform && self.is_cheap(value, false) {
            self.keep(value, Home::AgainForGroup);
        } else if self.is_cheap(value, true) {
            self.keep(value, Home::AgainForItem);
        } else {
            let here = &self.regions.regions[region];
            let both = value.block().is_some_and(|block| here.contains(self.regions.cfg.number(block)));
            let group = uniform && self.regions.regular && !both;
            self.keep(value, if group { Home::Group(0) } else { Home::Item(0) });
        }
    }

    /// The group itself needs a uniform value.
    fn used_by_group(&mut self, value: Value<'c>) {
        if !value.is_instruction() || is_entry_phi(self.regions, value) {
            return;
        }
        let home = if self.is_cheap(value, false) { Home::AgainForGroup } else { Home::Group(0) };
        self.keep(value, home);
    }

    /// Private variables live in scratch memory where they cross into a region, or where an address in them is kept: the
    /// stack cells of two regions are not one place. The others stay on the stack.
    fn private_variables(&mut self, function: Function<'c>) {
        let crossing = privates::crossing(function, self.regions);
        for variable in function.instructions() {
            if !variable.is(Opcode::LLVMAlloca) {
                continue;
            }
            let addresses = privates::addresses(variable);
            let is_kept = |address: &Value<'c>| {
                matches!(self.slots.homes.get(address), Some(Home::Item(_) | Home::Group(_)))
            };
            if crossing.contains(&variable) || addresses.iter().any(is_kept) {
                self.keep(variable, Home::Item(0));
            } else {
                self.slots.on_stack.extend(addresses);
            }
        }
    }

    fn keep(&mut self, value: Value<'c>, home: Home) {
        self.wanted.insert(value);
        let slot = Rc::make_mut(&mut self.slots.homes).entry(value).or_insert(home);
        // A slot for each work-item serves every kind of use: where the value is uniform, the group reads the first
        // work-item's.
        let strength = |home: Home| match home {
            Home::AgainForItem | Home::AgainForGroup => 0,
            Home::Group(_) => 1,
            Home::Item(_) => 2,
        };
        if strength(home) > strength(*slot) {
            *slot = home;
        }
    }

    /// Whether a value follows in few, harmless steps from arguments, constants and ids: of the group only, or of the
    /// work-item too.
    fn is_cheap(&self, value: Value<'c>, by_item: bool) -> bool {
        self.cheap_within(value, by_item, &mut Budget::default())
    }

    fn cheap_within(&self, value: Value<'c>, by_item: bool, budget: &mut Budget<'c>) -> bool {
        if !value.is_instruction() {
            return true;
        }
        let is_uniform = self.regions.shapes.of(value).is_uniform();
        if is_entry_phi(self.regions, value) {
            return self.regions.regular && is_uniform;
        }
        if value.is(Opcode::LLVMAlloca) {
            return by_item;
        }
        if !budget.paid.insert(value) {
            return true;
        }
        // Conversions between integers are mostly of ids, and cost nothing there.
        if !value.is(Opcode::LLVMTrunc) && !value.is(Opcode::LLVMSExt) && !value.is(Opcode::LLVMZExt) {
            let spent = if is_uniform { &mut budget.uniform } else { &mut budget.varying };
            *spent += 1;
            if *spent > CHEAP {
                return false;
            }
        }
        if let Some(query) = Query::of(value) {
            return (by_item || !query.differs_in_group())
                && value.arguments().iter().all(|&argument| self.cheap_within(argument, by_item, budget));
        }
        is_cheap_operation(value)
            && value.operands().iter().all(|operand| self.cheap_within(*operand, by_item, budget))
    }
}

/// What computing a value again takes, as far as it was counted.
#[derive(Default)]
struct Budget<'c> {
    /// What was counted: once, as one that is used twice is computed once.
    paid: HashSet<Value<'c>>,
    uniform: usize,
    varying: usize,
}

/// A PHI node at the entry of a region other than the first.
pub(crate) fn is_entry_phi(regions: &Regions<'_>, value: Value<'_>) -> bool {
    value.is_phi()
        && value.block().is_some_and(|block| {
            let number = regions.cfg.number(block);
            number != 0 && regions.is_entry(number)
        })
}

/// Whether computing a value again gives the same wherever its operands are the same: a query or a cheap operation.
pub(crate) fn is_repeatable(value: Value<'_>) -> bool {
    Query::of(value).is_some() || is_cheap_operation(value)
}

/// An operation that neither touches memory nor can trap nor costs much.
pub(crate) fn is_cheap_operation(value: Value<'_>) -> bool {
    if !matches!(value.ty().kind(), TypeKind::Int(_) | TypeKind::Pointer(_) | TypeKind::Float) {
        return false;
    }
    matches!(
        value.opcode(),
        Some(
            Opcode::LLVMAdd
                | Opcode::LLVMSub
                | Opcode::LLVMMul
                | Opcode::LLVMShl
                | Opcode::LLVMLShr
                | Opcode::LLVMAShr
                | Opcode::LLVMAnd
                | Opcode::LLVMOr
                | Opcode::LLVMXor
                | Opcode::LLVMICmp
                | Opcode::LLVMSelect
                | Opcode::LLVMTrunc
                | Opcode::LLVMZExt
                | Opcode::LLVMSExt
                | Opcode::LLVMGetElementPtr
                | Opcode::LLVMAddrSpaceCast
                | Opcode::LLVMSIToFP
                | Opcode::LLVMUIToFP
        )
    )
}

/// A marker that only says where a private variable begins or ends.
pub(crate) fn is_lifetime_marker(value: Value<'_>) -> bool {
    value.callee().is_some_and(|callee| callee.name().starts_with("llvm.lifetime."))
}
