//! The choice of W: several plans are made and the cheapest wins.
//!
//! In: a kernel, cut into regions, and what the target's vectors can do. Out: [`Choice`], the plan to follow, and why.
//! W = 1 is a candidate like the others: LLVM's vectorisers then do what they can with the loop over work-items and the
//! loops inside. Others are half a register of 32-bit lanes, one and two; where no number in lanes takes more than 8 bits, a
//! register of these; and four registers where two wait for a loop's chain of dependences and all that it needs fits, or where
//! rounds are made one register after the other.

use super::space::Space;
use super::{Form, Plan, cost, pressure};
use crate::error::FormError;
use crate::prepare::Prepared;
use crate::regions::Regions;
use crate::slots::Slots;
use crate::workitem::{Query, dimension};
use crate::{Options, Vectors, Width};
use oxcl_ir::{Function, Module, Opcode, TypeKind, Value};
use std::collections::{HashMap, VecDeque};

/// Vectors must be this much cheaper, in percent of one work-item at a time: costs are estimates, and W = 1 takes less time to
/// compile. With registers of fewer than 512 bits they need not be: what LLVM makes of the loop over work-items there is less good.
const WORTH: f64 = 95.0;
const WORTH_SHORT: f64 = 100.0;
/// Two of them may even cost this much: LLVM's loop has one chain of dependences at a time.
const WORTH_SHORT_TWO: f64 = 110.0;
/// Vectors of several registers must be this much cheaper, in percent of those of one register.
const WORTH_TWO: f64 = 85.0;
/// The same where a loop holds all of its numbers in registers.
const WORTH_TWO_HELD: f64 = 95.0;
/// Two registers of fewer than 512 bits may even cost this much, in percent of one: the loop over chunks, addresses and masks are
/// shared by few lanes, and chains of dependences and the costs of gathers by half as many.
const WORTH_TWO_SHORT: f64 = 115.0;
/// Lanes along columns must be this much cheaper, in percent of those along rows, which may go through runs of groups.
const WORTH_COLUMNS: f64 = 95.0;
/// Two registers that take no more than this, in percent of what one takes, wait for a chain of dependences.
const WAITING: f64 = 65.0;

/// What a candidate came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    /// W.
    pub(crate) width: u32,
    /// The cost of a work-item, in cycles.
    pub(crate) cost: f64,
}

/// The plan to follow.
#[derive(Debug)]
pub(crate) struct Choice<'c> {
    /// The plan.
    pub(crate) plan: Plan<'c>,
    /// What was compared, W = 1 first.
    pub(crate) candidates: Vec<Candidate>,
    /// The best plan of vectors, where one work-item at a time is better.
    pub(crate) considered: Option<Plan<'c>>,
    /// Why no vectors were tried.
    pub(crate) declined: Option<FormError>,
}

impl<'c> Choice<'c> {
    /// The longest row that takes longer in lanes than one work-item at a time does, where the kernel may well be launched with
    /// such rows: code for any local size, of work-items that differ in another dimension too, whose lanes end with the group. Only
    /// where W was chosen: what was asked for is done.
    pub(crate) fn short_rows(&self, kernel: &Prepared<'_, 'c>, options: &Options) -> Option<u32> {
        let width = self.plan.width;
        let of = |width: u32| self.candidates.iter().find(|candidate| candidate.width == width);
        let (one, lanes) = (of(1)?.cost, of(width)?.cost);
        let is_open = options.local_size.is_none() && self.plan.space == Space::Group && width > 1;
        let likely = || kernel.function.instructions().into_iter().any(is_along_others);
        (is_open && one > 0.0 && likely()).then(|| {
            // Whatever the costs say: half of the lanes are worth more than that.
            let most = (f64::from(width) * lanes / one).min(f64::from(width / 4)).max(1.0);
            most as u32
        })
    }

    /// What a work-item of the plan costs, in cycles; `None`: nothing was compared.
    pub(crate) fn cost(&self) -> Option<f64> {
        let own = self.candidates.iter().find(|candidate| candidate.width == self.plan.width);
        own.map(|candidate| candidate.cost)
    }

    /// Whether a plan along columns is to be followed rather than this one along rows, which may be too short for lanes.
    pub(crate) fn is_worse_than(&self, columns: &Self) -> bool {
        match (self.cost(), columns.cost()) {
            (Some(rows), Some(columns)) => columns < rows * WORTH_COLUMNS / 100.0,
            (None, Some(_)) => true,
            (_, None) => false,
        }
    }

    /// A plan that was asked for.
    pub(crate) fn of(plan: Plan<'c>) -> Self {
        Choice { plan, candidates: Vec::new(), considered: None, declined: None }
    }
}

/// Instructions that a kernel may have with everything inlined that it calls: lanes need it so, and what is larger takes long
/// to compile.
const LARGEST: usize = 20_000;

/// Instructions that a prepared kernel may have. LLVM takes ten seconds and more to emit 16 lanes of what its loops become when
/// they are written out: 1900 instructions with loops of 16 rounds took 9.5 s, against 0.1 s for one work-item at a time.
pub(crate) const LARGEST_PREPARED: usize = 1_200;

/// Whether a kernel is worth a plan: its work-items differ by their ids, there are vectors, and it is not too large.
pub(crate) fn is_worth_a_plan(module: &Module<'_>, kernel: &str, options: &Options) -> bool {
    let differs =
        |call: Value<'_>| call.is(Opcode::LLVMCall) && Query::of(call).is_some_and(Query::differs_in_group);
    let asks = |function: Function<'_>| {
        !function.is_declaration() && function.instructions().into_iter().any(differs)
    };
    let has_vectors = options.target.vectors.bits > 0 || matches!(options.width, Width::Preferred(_));
    has_vectors
        && Function::all(module).into_iter().any(asks)
        && Function::find(module, kernel)
            .is_some_and(|kernel| inlined_size(kernel, &mut HashMap::new()) <= LARGEST)
}

/// The instructions of a function with everything inlined that it calls; a function that reaches itself counts once.
pub(crate) fn inlined_size<'c>(function: Function<'c>, known: &mut HashMap<Function<'c>, usize>) -> usize {
    if let Some(&size) = known.get(&function) {
        return size;
    }
    known.insert(function, 0);
    let mut size: usize = 0;
    for instruction in function.instructions() {
        let callee = instruction.callee().filter(|callee| !callee.is_declaration());
        size = size.saturating_add(callee.map_or(1, |callee| inlined_size(callee, known)));
    }
    known.insert(function, size);
    size
}

/// Makes the plans and takes the cheapest, or that of the W that is preferred.
///
/// # Errors
/// LLVM's failure in an analysis.
pub(crate) fn choose<'c>(
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    slots: &Slots<'c>,
    space: Space,
    options: &Options,
) -> Result<Choice<'c>, FormError> {
    let vectors = &options.target.vectors;
    let scalar = Plan::scalar(regions, space);
    let mut candidates = Vec::new();
    if kernel.function.instructions().len() > LARGEST_PREPARED {
        return Ok(Choice { candidates, ..Choice::of(scalar) });
    }
    if let Width::Preferred(width) = options.width {
        return match Plan::make(kernel, regions, slots, space, width) {
            Ok(plan) => Ok(Choice::of(plan)),
            Err(declined @ FormError::CannotVectorise { .. }) => {
                Ok(Choice { declined: Some(declined), ..Choice::of(scalar) })
            }
            Err(error) => Err(error),
        };
    }
    let shapes = regions.row_shapes(kernel)?;
    let whole = vectors.bits / 32;
    let mut widths: VecDeque<u32> = [whole / 2, whole, whole * 2].into();
    widths.retain(|&width| is_wanted(width, longest_row(vectors, space, options)));
    let mut plans: Vec<Plan<'c>> = Vec::new();
    // The bits of the widest of the kernel's lanes, and the lanes of a register where they are as wide as that.
    let mut widest = 32;
    let mut register = whole;
    while let Some(width) = widths.pop_front() {
        match Plan::with_shapes(kernel, regions, slots, space, shapes, width) {
            Ok(plan) => plans.push(plan),
            Err(declined @ FormError::CannotVectorise { .. }) => {
                return Ok(Choice { declined: Some(declined), ..Choice::of(scalar) });
            }
            Err(error) => return Err(error),
        }
        if let [first] = plans.as_slice() {
            // Who wrote the kernel knows which of its numbers count.
            widest = widest_lane(first, kernel);
            let bits = options.hinted_bits.unwrap_or(widest.min(32));
            register = vectors.bits / bits.clamp(8, 64);
            let more = is_wanted(register, longest_row(vectors, space, options));
            widths.extend((more && register > whole * 2).then_some(register));
        }
    }
    let Some(first) = plans.first() else { return Ok(Choice::of(scalar)) };
    let cost = |plan: &Plan<'c>| cost::of(plan, first, kernel, regions, vectors);
    let is_short = vectors.bits < 512;
    // LLVM may widen the loop over work-items: then it does about what the plan of one register does. It does not where loops are
    // inside, which this form of the kernel has no more.
    let by_llvm = plans.iter().find(|plan| plan.width == whole && !kernel.unrolled);
    let by_llvm = by_llvm.map(|plan| (cost::of_llvm(plan, kernel, regions, vectors), whole));
    let one = cost(&scalar).of_one(kernel, regions, slots, by_llvm.as_ref());
    candidates.push(Candidate { width: 1, cost: one });
    let mut costs: Vec<f64> = plans.iter().map(|plan| cost(plan).total() / f64::from(plan.width)).collect();
    // What two registers can do four can. Where numbers have 64 bits two of 32 are four.
    let waits = || {
        !carries_long_lanes(first, kernel)
            && waiting(&plans, &costs, whole).is_some_and(|two| pressure::fits(two, regions, vectors, 4))
    };
    let by_parts = || {
        let two = plans.iter().find(|plan| plan.width == whole * 2);
        two.is_some_and(|two| pressure::rounds_by_parts(two, kernel, regions, vectors))
    };
    let has_four = plans.iter().any(|plan| plan.width == whole * 4);
    if !has_four && is_wanted(whole * 4, longest_row(vectors, space, options)) && (waits() || by_parts()) {
        let plan = Plan::with_shapes(kernel, regions, slots, space, shapes, whole * 4)?;
        costs.push(cost(&plan).total() / f64::from(plan.width));
        plans.push(plan);
    }
    candidates.extend(plans.iter().zip(&costs).map(|(plan, &cost)| Candidate { width: plan.width, cost }));
    let mut best: Option<(usize, f64)> = None;
    let has_loops = !regions.cfg.loops.is_empty();
    for (number, (plan, &cost)) in plans.iter().zip(&costs).enumerate() {
        let limit = match best {
            None => f64::INFINITY,
            Some((_, so_far)) if plan.width > register => {
                let each = (plan.width * widest).div_ceil(vectors.bits);
                let held = has_loops && pressure::fits(plan, regions, vectors, each as usize);
                let worth = match held {
                    _ if is_short && plan.width == register * 2 => WORTH_TWO_SHORT,
                    true => WORTH_TWO_HELD,
                    false => WORTH_TWO,
                };
                so_far * worth / 100.0
            }
            Some((_, so_far)) => so_far,
        };
        if cost < limit {
            best = Some((number, cost));
        }
    }
    let Some((number, cost)) = best else { return Ok(Choice { candidates, ..Choice::of(scalar) }) };
    let vectors = plans.swap_remove(number);
    let worth = match is_short {
        true if vectors.width == register * 2 => WORTH_SHORT_TWO,
        true => WORTH_SHORT,
        false => WORTH,
    };
    Ok(if cost < one * worth / 100.0 {
        Choice { candidates, ..Choice::of(vectors) }
    } else {
        Choice { candidates, considered: Some(vectors), ..Choice::of(scalar) }
    })
}

/// The plan of two registers where they take hardly longer than one, and there is none of four.
fn waiting<'a, 'c>(plans: &'a [Plan<'c>], costs: &[f64], whole: u32) -> Option<&'a Plan<'c>> {
    let of = |width: u32| plans.iter().zip(costs).find(|(plan, _)| plan.width == width);
    let ((_, one), (plan, two)) = of(whole).zip(of(whole * 2))?;
    (*two < one * WAITING / 100.0 && of(whole * 4).is_none()).then_some(plan)
}

/// Whether an instruction asks for an id in dimension 1 or 2.
pub(super) fn is_along_others(call: Value<'_>) -> bool {
    let asks = matches!(Query::of(call), Some(Query::LocalId | Query::GlobalId | Query::GroupId));
    asks && dimension(call) != Some(0)
}

/// The longest row of lanes that is tried: no more than a row is known to have.
fn longest_row(vectors: &Vectors, space: Space, options: &Options) -> u32 {
    match options.local_size {
        _ if space == Space::Run => u32::MAX,
        Some([x, y, _]) => u32::try_from(if space == Space::Columns { y } else { x }).unwrap_or(u32::MAX),
        // Most groups of a kernel that leaves its size open have rows of 16 or more.
        None => 16.max(vectors.bits / 32),
    }
}

fn is_wanted(width: u32, longest: u32) -> bool {
    (2..=64).contains(&width) && width <= longest
}

/// The bits of the widest number that a plan keeps in lanes; addresses are no numbers.
fn widest_lane<'c>(plan: &Plan<'c>, kernel: &Prepared<'_, 'c>) -> u32 {
    let bits = |value: Value<'c>| match value.ty().scalar().kind() {
        TypeKind::Int(bits) => Some(bits),
        TypeKind::Void | TypeKind::Pointer(_) => None,
        _ => Some(32),
    };
    let in_lanes = kernel.function.instructions().into_iter().filter(|&i| plan.form(i) == Form::Vector);
    in_lanes.filter_map(bits).max().unwrap_or(32)
}

/// Whether lanes carry numbers of 64 bits from round to round of a loop, or from block to block.
fn carries_long_lanes<'c>(plan: &Plan<'c>, kernel: &Prepared<'_, 'c>) -> bool {
    let is_long = |value: Value<'c>| {
        let ty = value.ty().scalar();
        matches!(ty.kind(), TypeKind::Int(_) | TypeKind::Float) && kernel.layout.size(ty) > 4
    };
    let instructions = kernel.function.instructions();
    instructions.into_iter().any(|i| i.is_phi() && plan.form(i) == Form::Vector && is_long(i))
}
