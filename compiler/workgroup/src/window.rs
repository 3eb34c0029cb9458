//! What the work-items of a region have to do, and which of them: the others the loops over work-items leave out.
//!
//! In: a kernel cut into regions, homes assigned. Out: whether there is anything to do at all, and the *windows* ([`Windows`]):
//! bounds of local ids, from the guards that all of a region's work stands behind (`if (l < k)`). A work-item outside of the
//! window does nothing in the region. A tree of a reduction with n work-items takes n - 1 steps that way, not n log n.
//!
//! Kernels of one region have no windows: they cost LLVM time and gained none where it was measured. A window is for launches
//! whose global ids are less than 2^31 only. What this file does not do: it emits nothing (see `emit/window.rs`).

use crate::emit::is_marker;
use crate::facts::id_of;
use crate::prepare::Prepared;
use crate::regions::{End, Regions};
use crate::slots::{Home, Slots, is_cheap_operation, is_entry_phi, is_external};
use crate::workitem::{Query, range_of_small};
use oxcl_ir::affine::{Affine, Forms};
use oxcl_ir::range::{Range, Ranges};
use oxcl_ir::{IntPredicate, Opcode, TypeKind, Value};
use std::fmt;

/// Guards one behind another that are looked at, and blocks that they may stand behind.
const BLOCKS: usize = 16;
/// How deep a condition is taken apart.
const DEPTH: u32 = 4;
/// Instructions that the group computes once more for one bound, at most.
const CHEAP: usize = 8;
/// Beyond this, sums of 64 bits might wrap around.
const WIDE: i128 = 1 << 60;

/// How a work-item's number must compare with the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    Below,
    AtMost,
    Above,
    AtLeast,
    Equal,
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Relation::Below => "<",
            Relation::AtMost => "<=",
            Relation::Above => ">",
            Relation::AtLeast => ">=",
            Relation::Equal => "==",
        })
    }
}

/// A condition that every work-item with work in a region meets: `number relation limit`, as integers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound<'c> {
    /// The dimension whose local id enters `number`, with factor 1.
    pub(crate) dimension: usize,
    /// Its other terms are the same for all work-items of a group.
    pub(crate) number: Affine,
    pub(crate) relation: Relation,
    /// The group knows it when it enters the region.
    pub(crate) limit: Value<'c>,
    /// The limit is read as unsigned.
    pub(crate) unsigned: bool,
    /// The comparison that says so.
    pub(crate) condition: Value<'c>,
    /// What it gives for work-items that meet it.
    pub(crate) truth: bool,
}

/// Whether an instruction acts: more than itself depends on its being run by every work-item.
fn acts<'c>(regions: &Regions<'c>, slots: &Slots<'c>, instruction: Value<'c>) -> bool {
    let kept = !is_entry_phi(regions, instruction)
        && !instruction.is(Opcode::LLVMAlloca)
        && matches!(slots.home(instruction), Some(Home::Group(_) | Home::Item(_)));
    let harmless = is_marker(instruction) || Query::of(instruction).is_some();
    kept || (!harmless && instruction.effects().side_effects())
}

fn block_acts<'c>(regions: &Regions<'c>, slots: &Slots<'c>, block: usize) -> bool {
    let instructions = regions.cfg.blocks[block].instructions();
    instructions.into_iter().any(|instruction| acts(regions, slots, instruction))
}

/// Whether the work-items have anything to do in a region that the group cannot do for them.
pub(crate) fn has_work<'c>(regions: &Regions<'c>, slots: &Slots<'c>, number: usize) -> bool {
    if !regions.regular {
        return true;
    }
    let region = &regions.regions[number];
    region.ends.is_empty()
        || region.blocks.iter().any(|&block| block_acts(regions, slots, block))
        || ends_store(regions, slots, number)
}

/// Whether work-items store something when they leave a region.
fn ends_store<'c>(regions: &Regions<'c>, slots: &Slots<'c>, number: usize) -> bool {
    let ends = &regions.regions[number].ends;
    ends.iter().flat_map(|end| edges(regions, end)).any(|(from, to)| {
        let mut phis = regions.cfg.blocks[to].phis().into_iter();
        phis.any(|phi| stores_live_out(regions, slots, number, phi, from, to))
    })
}

/// The edges to other regions that an end stands for.
fn edges(regions: &Regions<'_>, end: &End) -> Vec<(usize, usize)> {
    match *end {
        End::Return { .. } => Vec::new(),
        End::Edge { from, to } => vec![(from, to)],
        End::Branch { block } => regions.cfg.successors[block].iter().map(|&to| (block, to)).collect(),
    }
}

/// Whether the work-items store what a PHI node of the next region takes from here: where each has its own, unless what it
/// takes is in the PHI node's slot already; and for the group's where only they know which way they came.
pub(crate) fn stores_live_out<'c>(
    regions: &Regions<'c>,
    slots: &Slots<'c>,
    number: usize,
    phi: Value<'c>,
    from: usize,
    to: usize,
) -> bool {
    match slots.home(phi) {
        Some(home @ Home::Item(_)) => {
            let mut incoming = phi.incoming().into_iter();
            let taken = incoming.find(|(_, block)| regions.cfg.number(*block) == from);
            taken.is_none_or(|(value, _)| slots.home(value) != Some(home))
        }
        Some(Home::Group(_)) => {
            let ends = &regions.regions[number].ends;
            let all: Vec<usize> = ends
                .iter()
                .flat_map(|end| edges(regions, end))
                .filter(|edge| edge.1 == to)
                .map(|edge| edge.0)
                .collect();
            debug_assert!(all.contains(&from));
            incoming_for_group(regions, phi, &all).is_none()
        }
        _ => false,
    }
}

/// The one value that a PHI node of the group's takes on the ways from these blocks; `None` where they differ, so that
/// the work-items must say.
pub(crate) fn incoming_for_group<'c>(
    regions: &Regions<'c>,
    phi: Value<'c>,
    from: &[usize],
) -> Option<Value<'c>> {
    let mut values = phi
        .incoming()
        .into_iter()
        .filter(|(_, block)| from.contains(&regions.cfg.number(*block)))
        .map(|(value, _)| value);
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// The windows of a kernel's regions.
#[derive(Debug, Default)]
pub(crate) struct Windows<'c> {
    /// For each region; empty where no region has a window.
    bounds: Vec<Vec<Bound<'c>>>,
}

impl<'c> Windows<'c> {
    /// Finds the windows of a kernel.
    pub(crate) fn of(kernel: &Prepared<'_, 'c>, regions: &Regions<'c>, slots: &Slots<'c>) -> Self {
        // Between barriers work-items are gone through again and again. Where that is done once, a guard costs as little as a bound.
        if regions.regions.len() == 1 || !regions.regular {
            return Windows::default();
        }
        let numbers = 0..regions.regions.len();
        Windows { bounds: numbers.map(|number| find(kernel, regions, slots, number)).collect() }
    }

    /// The bounds of a region's window; none where every work-item may have work.
    pub(crate) fn bounds(&self, region: usize) -> &[Bound<'c>] {
        self.bounds.get(region).map_or(&[], Vec::as_slice)
    }
}

fn find<'c>(
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    slots: &Slots<'c>,
    number: usize,
) -> Vec<Bound<'c>> {
    let mut bounds = Vec::new();
    if ends_store(regions, slots, number) {
        return bounds;
    }
    let finder = Finder {
        regions,
        slots,
        number,
        forms: Forms::of(kernel.function, kernel.layout, &id_of, &range_of_small),
        ranges: Ranges::new(&range_of_small),
    };
    let cfg = &regions.cfg;
    let mut block = regions.regions[number].entry;
    for _ in 0..BLOCKS {
        if block_acts(regions, slots, block) || finder.is_left_by_group(block) {
            break;
        }
        let Some(terminator) = cfg.blocks[block].terminator() else { break };
        let (next, known) = match (cfg.successors[block].as_slice(), terminator.condition()) {
            (&[next], _) => (next, None),
            (&[yes, no], Some(condition)) if finder.is_idle(block, no) => (yes, Some((condition, true))),
            (&[yes, no], Some(condition)) if finder.is_idle(block, yes) => (no, Some((condition, false))),
            _ => break,
        };
        if let Some((condition, truth)) = known {
            finder.conditions(condition, truth, DEPTH, &mut bounds);
        }
        if finder.leaves(block, next) || cfg.is_back_edge(block, next) {
            break;
        }
        block = next;
    }
    bounds
}

struct Finder<'r, 'c> {
    regions: &'r Regions<'c>,
    slots: &'r Slots<'c>,
    number: usize,
    forms: Forms<'r, 'c>,
    ranges: Ranges<'r, 'c>,
}

impl<'c> Finder<'_, 'c> {
    fn ends(&self) -> &[End] {
        &self.regions.regions[self.number].ends
    }

    fn leaves(&self, from: usize, to: usize) -> bool {
        self.ends().contains(&End::Edge { from, to })
    }

    fn is_left_by_group(&self, block: usize) -> bool {
        self.ends().contains(&End::Branch { block })
    }

    /// Whether a work-item that takes this edge does nothing more in the region.
    fn is_idle(&self, mut from: usize, mut to: usize) -> bool {
        let cfg = &self.regions.cfg;
        for _ in 0..BLOCKS {
            if self.leaves(from, to) {
                return true;
            }
            if cfg.is_back_edge(from, to) || block_acts(self.regions, self.slots, to) {
                return false;
            }
            if self.is_left_by_group(to) || self.ends().contains(&End::Return { block: to }) {
                return true;
            }
            let &[next] = cfg.successors[to].as_slice() else { return false };
            (from, to) = (to, next);
        }
        false
    }

    /// The bounds that follow from a condition's being as `truth` says.
    fn conditions(&self, condition: Value<'c>, truth: bool, depth: u32, bounds: &mut Vec<Bound<'c>>) {
        let is = |value: Value<'c>, number: i64| value.as_int().is_some_and(|known| (known & 1) == number);
        let both = match condition.opcode() {
            Some(Opcode::LLVMICmp) => return bounds.extend(self.bound(condition, truth)),
            Some(Opcode::LLVMAnd) if truth => [condition.operand(0), condition.operand(1)],
            Some(Opcode::LLVMOr) if !truth => [condition.operand(0), condition.operand(1)],
            Some(Opcode::LLVMSelect) if truth && is(condition.operand(2), 0) => {
                [condition.operand(0), condition.operand(1)]
            }
            Some(Opcode::LLVMSelect) if !truth && is(condition.operand(1), 1) => {
                [condition.operand(0), condition.operand(2)]
            }
            _ => return,
        };
        if depth > 0 {
            both.into_iter().for_each(|part| self.conditions(part, truth, depth - 1, bounds));
        }
    }

    /// The bound that a comparison's being as `truth` says is.
    fn bound(&self, condition: Value<'c>, truth: bool) -> Option<Bound<'c>> {
        let (left, right) = (condition.operand(0), condition.operand(1));
        let (relation, unsigned) = relation(condition.int_predicate()?, truth)?;
        let (number, limit, relation) = if self.is_known(right, &mut CHEAP.clone()) {
            (left, right, relation)
        } else {
            (right, left, mirrored(relation))
        };
        if !matches!(number.ty().kind(), TypeKind::Int(32 | 64)) || !self.is_known(limit, &mut CHEAP.clone())
        {
            return None;
        }
        let range = self.ranges.of(number)?;
        if !range.is_in(Range::new(-WIDE, WIDE)) || (unsigned && !range.is_natural()) {
            return None;
        }
        let number = self.forms.number(number)?;
        Some(Bound { dimension: one_local_id(&number)?, number, relation, limit, unsigned, condition, truth })
    }

    /// Whether the group knows a value when it enters the region, or computes it cheaply.
    fn is_known(&self, value: Value<'c>, budget: &mut usize) -> bool {
        if !value.is_instruction() {
            return true;
        }
        if let Some(Home::Group(_)) = self.slots.home(value) {
            return is_external(self.regions, self.number, value);
        }
        // What has a slot is never cheap.
        if *budget == 0 || value.is_phi() {
            return false;
        }
        *budget -= 1;
        let cheap = match Query::of(value) {
            Some(query) => !query.differs_in_group(),
            None => is_cheap_operation(value),
        };
        let operands = if value.is(Opcode::LLVMCall) { value.arguments() } else { value.operands() };
        cheap && operands.into_iter().all(|operand| self.is_known(operand, budget))
    }
}

/// The dimension whose local id, or global id, is the only one that differs inside a group, with factor 1.
fn one_local_id(number: &Affine) -> Option<usize> {
    let mut factors = (0..3).map(|d| (d, number.local[d], number.global[d])).filter(|f| (f.1, f.2) != (0, 0));
    let (dimension, local, global) = factors.next()?;
    (matches!((local, global), (1, 0) | (0, 1)) && factors.next().is_none()).then_some(dimension)
}

/// What a comparison's being as `truth` says means, and whether it is of unsigned numbers; none for two numbers that differ.
fn relation(predicate: IntPredicate, truth: bool) -> Option<(Relation, bool)> {
    let (positive, negative, unsigned) = match predicate {
        IntPredicate::LLVMIntSLT => (Relation::Below, Relation::AtLeast, false),
        IntPredicate::LLVMIntSLE => (Relation::AtMost, Relation::Above, false),
        IntPredicate::LLVMIntSGT => (Relation::Above, Relation::AtMost, false),
        IntPredicate::LLVMIntSGE => (Relation::AtLeast, Relation::Below, false),
        IntPredicate::LLVMIntULT => (Relation::Below, Relation::AtLeast, true),
        IntPredicate::LLVMIntULE => (Relation::AtMost, Relation::Above, true),
        IntPredicate::LLVMIntUGT => (Relation::Above, Relation::AtMost, true),
        IntPredicate::LLVMIntUGE => (Relation::AtLeast, Relation::Below, true),
        IntPredicate::LLVMIntEQ => return truth.then_some((Relation::Equal, false)),
        IntPredicate::LLVMIntNE => return (!truth).then_some((Relation::Equal, false)),
    };
    Some((if truth { positive } else { negative }, unsigned))
}

/// The relation with its sides exchanged.
fn mirrored(relation: Relation) -> Relation {
    match relation {
        Relation::Below => Relation::Above,
        Relation::AtMost => Relation::AtLeast,
        Relation::Above => Relation::Below,
        Relation::AtLeast => Relation::AtMost,
        Relation::Equal => Relation::Equal,
    }
}
