//! Emission: from regions and slots to the body function.
//!
//! Out: an internal function `oxcl_body_<kernel>` with the kernel's parameters, then a pointer for each `__local`
//! variable, then the context, the group's ids, the number of dimensions and the scratch memory. One call runs one
//! work-group; where rows go through several, there is their number as well, and one call runs these.
//!
//! The body has two levels. At *group level* ([`group`]) control goes from region to region; a region's work-items run
//! in a loop nest ([`rows`]), W of them at a time, through a copy of the region's blocks ([`items`]): one operation for all lanes
//! where they agree, vectors where they do not ([`lanes`], [`wide`], [`memory`], [`calls`]), masks where they go different
//! ways ([`masked`]). Which of these each instruction and block becomes stands in the plan ([`crate::plan`]).

mod butterfly;
mod calls;
mod collective;
mod conversions;
mod group;
pub(crate) mod independent;
mod interleaved;
mod items;
pub(crate) mod joined;
mod lanes;
mod leader;
mod long_quotients;
mod masked;
mod memory;
mod moves;
mod quotients;
mod recurrence;
mod rows;
mod scopes;
mod tested;
mod together;
mod wide;
mod window;
mod woven;

pub(crate) use calls::{WideForm, has_wide_forms};
pub(crate) use interleaved::is_by_element;
pub(crate) use long_quotients::long_divisor;
pub(crate) use memory::{is_dense, is_simple_access};
pub(crate) use quotients::{by_floating, divides};
pub(crate) use tested::varying_index;
pub(crate) use wide::is_componentwise;
pub(crate) use woven::component_offsets;

use crate::bodies::{Bodies, Ids, mark_rare, rests_on_small_ids};
use crate::context::Fields;
use crate::cut::Cut;
use crate::error::FormError;
use crate::plan::Plan;
use crate::plan::space::Space;
use crate::prepare::{Prepared, mark_target};
use crate::regions::Regions;
use crate::slots::Slots;
use crate::window::Windows;
use crate::workitem::{Query, Together};
use crate::{Options, Target, space};
use oxcl_binary::abi::MAX_ALIGNMENT;
use oxcl_ir::module as ir_module;
use oxcl_ir::range::Ranges;
use oxcl_ir::{Builder, Function, IntPredicate, Opcode, Place, Value};
use std::collections::HashMap;

/// What the group knows in every region: the answers of the queries that do not differ inside it.
#[derive(Debug)]
struct GroupIds<'c> {
    group: [Value<'c>; 3],
    counts: [Value<'c>; 3],
    offset: [Value<'c>; 3],
    /// The local size as enqueued.
    enqueued: [Value<'c>; 3],
    /// This group's local size: at the edge it may be smaller.
    local_size: [Value<'c>; 3],
    global_size: [Value<'c>; 3],
    /// The length of a row of work-items: the local size in dimension 0, or that of all groups of a run.
    row: Value<'c>,
    /// Global id of the group's first work-item.
    first: [Value<'c>; 3],
    dimensions: Value<'c>,
    /// Where the group prints to.
    print: Value<'c>,
    /// Work-items of the group, rounded up to W.
    rounded: Value<'c>,
}

/// Everything that emission of any region needs.
struct Frame<'a, 'c> {
    kernel: &'a Prepared<'a, 'c>,
    regions: &'a Regions<'c>,
    slots: &'a Slots<'c>,
    windows: &'a Windows<'c>,
    /// What everything becomes.
    plan: &'a Plan<'c>,
    width: u32,
    /// Between which numbers the kernel's integers lie in the launches that the code is for.
    ranges: Ranges<'a, 'c>,
    launches: Ids,
    knows_local_size: bool,
    sub_group_size: u32,
    /// What the code is for.
    target: &'a Target,
    /// The function being made.
    body: Function<'c>,
    /// Adds to the function's first block, which every block is dominated by.
    entry: Builder<'c>,
    ids: GroupIds<'c>,
    /// What stands for the kernel's parameters and `__local` variables.
    leaves: HashMap<Value<'c>, Value<'c>>,
    /// The group's variables: the current value, and what the regions' end makes current.
    variables: Vec<Variable<'c>>,
    /// Where the work-items' slots are.
    scratch: Value<'c>,
    /// Where `MemoryRanges` are, if the kernel asks for them.
    ranges_at: Value<'c>,
    scopes: scopes::Scopes<'c>,
}

/// A variable of the group: two stack cells that LLVM turns into registers.
#[derive(Debug, Clone, Copy)]
struct Variable<'c> {
    current: Value<'c>,
    next: Value<'c>,
}

/// A function that is being made, and the launches that it is for.
#[derive(Clone, Copy)]
struct Made<'c> {
    body: Function<'c>,
    launches: Ids,
}

/// What the names of bodies begin with: for launches of small ids, of these with short rows, of any ids.
const NAMES: [&str; 3] = ["oxcl_body_", "oxcl_short_rows_body_", "oxcl_any_body_"];

/// Emits the body of a kernel; a second one for rows of at most `short_rows` work-items where these are given; and another for large
/// ids where the first rests on small ones.
pub(crate) fn emit<'c>(
    cut: &Cut<'_, 'c>,
    plan: &Plan<'c>,
    short_rows: Option<u32>,
    options: &Options,
) -> Result<Bodies<'c>, FormError> {
    let [first_name, short_name, any_name] = NAMES;
    let make = |launches: Ids, plan: &Plan<'c>, name: &str| {
        let body = declare(cut, plan, options, name);
        let frame = open(cut, plan, options, Made { body, launches });
        group::emit(&frame)?;
        // One thread runs a group, so nobody else uses its local memory. (The lanes' atomic operations are in lane loops by now.)
        body.split_atomics(space::LOCAL);
        body.verify()?;
        Ok::<_, FormError>(body)
    };
    let first = make(Ids::Small, plan, first_name)?;
    let one_at_a_time = || Plan::scalar(&cut.regions, plan.space);
    let short_rows = match short_rows {
        Some(most) => Some((make(Ids::Small, &one_at_a_time(), short_name)?, most)),
        None => None,
    };
    let rests = rests_on_small_ids(cut.kernel.function, plan.width);
    if !rests || !options.large_ids {
        return Ok(Bodies { first, short_rows, any: None, serve_any: !rests });
    }
    let seldom = match cut.kernel.lanes {
        // Lanes that are a sub-group have no meetings left, by which they could run one at a time.
        Together::SubGroup(_) if plan.width > 1 => {
            Plan::for_any_ids(&cut.kernel, &cut.regions, &cut.slots, plan.space, plan.width)?
        }
        // One work-item at a time is good enough.
        _ => one_at_a_time(),
    };
    let any = make(Ids::Any, &seldom, any_name)?;
    mark_rare(any);
    Ok(Bodies { first, short_rows, any: Some(any), serve_any: true })
}

fn declare<'c>(cut: &Cut<'_, 'c>, plan: &Plan<'c>, options: &Options, name: &str) -> Function<'c> {
    let Cut { kernel, locals, .. } = cut;
    let types = kernel.function.types();
    let own = kernel.function.parameters();
    let mut parameters: Vec<_> = own.iter().map(|parameter| parameter.ty()).collect();
    parameters.extend(locals.iter().map(|_| types.pointer(space::LOCAL)));
    let context = parameters.len();
    parameters.extend([
        types.pointer(Fields::of(options.pocl).space),
        types.i64(),
        types.i64(),
        types.i64(),
        types.i32(),
        types.pointer(0),
    ]);
    if plan.space.is_run() {
        parameters.push(types.i64());
    }
    let ty = types.function(types.void(), &parameters);
    let function = Function::add(kernel.module, &format!("{name}{}", kernel.name), ty);
    function.set_internal(true);
    mark_target(function, &options.target);
    function.add_attribute(Place::Function, "nounwind");
    kernel.function.give_debug_scope(function);
    let index = |number: usize| Place::Parameter(u32::try_from(number).unwrap_or(u32::MAX));
    for (number, local) in locals.iter().enumerate() {
        // Each is an object of its own that nothing else points to.
        let place = index(own.len() + number);
        function.add_attribute(place, "noalias");
        function.add_attribute_value(place, "align", MAX_ALIGNMENT as u64);
        function.add_attribute_value(place, "dereferenceable", local.size.max(1));
    }
    function.add_attribute(index(context), "noalias");
    if !cut.prints {
        function.add_attribute(index(context), "readonly");
    }
    function.add_attribute(index(context + 5), "noalias");
    function.add_attribute_value(index(context + 5), "align", MAX_ALIGNMENT as u64);
    function
}

fn open<'a, 'c>(
    cut: &'a Cut<'a, 'c>,
    plan: &'a Plan<'c>,
    options: &'a Options,
    made: Made<'c>,
) -> Frame<'a, 'c> {
    let Cut { kernel, locals, variables: shared, regions, slots, windows, .. } = cut;
    let Made { body, launches } = made;
    let entry = Builder::at_end(body.append_block("entry"));
    let parameters = body.parameters();
    let own = kernel.function.parameters();
    let mut leaves = HashMap::new();
    for (number, parameter) in own.iter().enumerate() {
        parameters[number].set_name(&parameter.name());
        leaves.insert(*parameter, parameters[number]);
    }
    for (number, local) in locals.iter().enumerate() {
        leaves.insert(local.variable, parameters[own.len() + number]);
    }
    let rest = &parameters[own.len() + locals.len()..];
    for (parameter, name) in rest.iter().zip(["ctx", "gx", "gy", "gz", "work_dim", "scratch", "run"]) {
        parameter.set_name(name);
    }
    if !shared.is_empty() {
        let fields = Fields::of(options.pocl);
        let at = entry.byte_offset(rest[0], entry.i64(fields.variables as i64), "");
        let memory = entry.load(entry.types().pointer(fields.space), at, fields.word, "variables");
        for &crate::variables::Variable { variable: shown, offset } in shared {
            let own = entry.byte_offset(memory, entry.i64(offset.cast_signed()), &shown.name());
            leaves.insert(shown, entry.cast(Opcode::LLVMAddrSpaceCast, own, shown.ty(), ""));
        }
    }
    let ids = group_ids(&entry, plan, rest, options);
    let variables = slots
        .group
        .iter()
        .map(|value| {
            let name = value.name();
            Variable {
                current: entry.alloca(value.ty(), &format!("{name}.now")),
                next: entry.alloca(value.ty(), &format!("{name}.next")),
            }
        })
        .collect();
    let (scratch, ranges_at) = match slots.fixed {
        0 => (rest[5], rest[5]),
        bytes => {
            let slots = entry.byte_offset(rest[5], entry.i64(bytes.cast_signed()), "slots");
            let constant = entry.types().pointer(space::CONSTANT);
            (slots, entry.cast(Opcode::LLVMAddrSpaceCast, rest[5], constant, "ranges"))
        }
    };
    Frame {
        kernel,
        regions,
        slots,
        windows,
        plan,
        width: plan.width,
        launches,
        sub_group_size: options.sub_group_size,
        target: &options.target,
        knows_local_size: options.local_size.is_some(),
        ranges: launches.ranges(),
        body,
        entry,
        ids,
        leaves,
        variables,
        scratch,
        ranges_at,
        scopes: scopes::Scopes::of(kernel.function, plan.width == 1),
    }
}

fn group_ids<'c>(b: &Builder<'c>, plan: &Plan<'c>, rest: &[Value<'c>], options: &Options) -> GroupIds<'c> {
    let context = rest[0];
    let fields = Fields::of(options.pocl);
    // The launch's dimensions, in the order that the kernel has them in.
    let order = if plan.space == Space::Columns { [1, 0, 2] } else { [0, 1, 2] };
    let each =
        |field: usize, name: &str| order.map(|d| fields.load(b, context, field, d, &format!("{name}.{d}")));
    let counts = each(fields.num_groups, "groups");
    let offset = each(fields.global_offset, "offset");
    let enqueued = match options.local_size {
        Some(size) => order.map(|d| b.i64(size[d].cast_signed())),
        None => each(fields.local_size, "local"),
    };
    let group = order.map(|d| rest[1 + d]);
    let start = [0, 1, 2].map(|d| b.mul_no_wrap(group[d], enqueued[d], ""));
    let first = [0, 1, 2].map(|d| b.add_no_wrap(start[d], offset[d], &format!("first.{d}")));
    let (global_size, local_size) = if options.has_edges() {
        let global_size = each(fields.global_size, "global");
        let own = |d: usize| {
            let left = b.binary(Opcode::LLVMSub, global_size[d], start[d], "");
            let at_edge = b.compare(IntPredicate::LLVMIntULT, left, enqueued[d], "");
            b.select(at_edge, left, enqueued[d], &format!("own.{d}"))
        };
        (global_size, [0, 1, 2].map(own))
    } else {
        ([0, 1, 2].map(|d| b.mul_no_wrap(counts[d], enqueued[d], "")), enqueued)
    };
    let row = match rest.get(6) {
        Some(&run) if plan.space.is_run() => {
            let whole = b.mul_no_wrap(enqueued[0], run, "row");
            if options.has_edges() {
                // The last group of the row may be smaller.
                let left = b.binary(Opcode::LLVMSub, global_size[0], start[0], "");
                let at_edge = b.compare(IntPredicate::LLVMIntULT, left, whole, "");
                b.select(at_edge, left, whole, "row")
            } else {
                whole
            }
        }
        _ => local_size[0],
    };
    let print = b.byte_offset(context, b.i64(fields.printf_buffer as i64), "print");
    let plane = b.mul_no_wrap(local_size[0], local_size[1], "plane");
    let items = b.mul_no_wrap(plane, local_size[2], "items");
    let width = i64::from(options.lanes());
    let up = b.add_no_wrap(items, b.i64(width - 1), "");
    let rounded = b.and(up, b.i64(-width), "rounded");
    GroupIds {
        group,
        counts,
        offset,
        enqueued,
        local_size,
        global_size,
        first,
        row,
        dimensions: rest[4],
        print,
        rounded,
    }
}

impl<'c> Frame<'_, 'c> {
    /// The value for dimension `dimension` (any integer) of three.
    fn choose(&self, b: &Builder<'c>, query: Query, of: [Value<'c>; 3], dimension: Value<'c>) -> Value<'c> {
        let beyond = b.i64(query.beyond());
        if let Some(constant) = dimension.as_int() {
            return usize::try_from(constant).ok().and_then(|d| of.get(d).copied()).unwrap_or(beyond);
        }
        let mut chosen = beyond;
        for (number, value) in (0..).zip(of) {
            let here = dimension.ty().int(number);
            let is_here = b.compare(IntPredicate::LLVMIntEQ, dimension, here, "");
            chosen = b.select(is_here, value, chosen, "");
        }
        chosen
    }

    /// The answer to a query that does not differ inside the group.
    fn query_for_group(&self, b: &Builder<'c>, query: Query, dimension: Option<Value<'c>>) -> Value<'c> {
        let ids = &self.ids;
        let of = match query {
            Query::GroupId => ids.group,
            Query::GroupCount => ids.counts,
            Query::LocalSize => ids.local_size,
            Query::EnqueuedLocalSize => ids.enqueued,
            Query::GlobalSize => ids.global_size,
            Query::GlobalOffset => ids.offset,
            Query::Dimensions => return ids.dimensions,
            Query::PrintBlock => return ids.print,
            Query::MemoryRanges => return self.ranges_at,
            Query::GlobalId
            | Query::LocalId
            | Query::GlobalLinearId
            | Query::LocalLinearId
            | Query::SubGroupLane
            | Query::SubGroupNumber => ids.first,
        };
        match dimension {
            Some(dimension) => self.choose(b, query, of, dimension),
            None => of[0],
        }
    }

    /// The address of a work-item's element of a scratch slot.
    fn slot_address(&self, b: &Builder<'c>, slot: usize, linear: Value<'c>) -> Value<'c> {
        let slot = &self.slots.items[slot];
        let base = b.mul_no_wrap(self.ids.rounded, b.i64(slot.offset.cast_signed()), "");
        let own = b.mul_no_wrap(linear, b.i64(slot.size.cast_signed()), "");
        let at = b.add_no_wrap(base, own, "");
        b.byte_offset(self.scratch, at, "slot")
    }

    /// What stands for a value that is not an instruction.
    fn leaf(&self, value: Value<'c>) -> Value<'c> {
        self.leaves.get(&value).copied().unwrap_or(value)
    }
}

/// Whether an instruction mostly becomes a part of others: an operand, or an address.
fn is_mostly_free(instruction: Value<'_>) -> bool {
    matches!(
        instruction.opcode(),
        Some(
            Opcode::LLVMPHI
                | Opcode::LLVMGetElementPtr
                | Opcode::LLVMSExt
                | Opcode::LLVMZExt
                | Opcode::LLVMTrunc
        )
    )
}

/// A marker, or a debug record, that has no meaning after emission.
pub(crate) fn is_marker(value: Value<'_>) -> bool {
    value.callee().is_some_and(|callee| {
        let name = callee.name();
        name.starts_with("llvm.lifetime.")
            || name.starts_with("llvm.dbg.")
            || name == "llvm.experimental.noalias.scope.decl"
    })
}

/// Memory accesses that other work-items may not be reordered with.
fn is_ordered(value: Value<'_>) -> bool {
    value.is(Opcode::LLVMFence) || value.effects().ordered()
}

/// Turns the group's variables into registers.
const TO_REGISTERS: &str = "globaldce,function(sroa,early-cse<memssa>,simplifycfg)";

/// Takes away what emission left over.
const CLEAN_UP: &str = "function(instcombine<no-verify-fixpoint>,adce,simplifycfg)";

/// Brings the emitted functions into SSA form and simplifies them.
pub(crate) fn clean_up(kernel: &Prepared<'_, '_>) -> Result<(), FormError> {
    ir_module::run_passes(kernel.module, TO_REGISTERS)?;
    conversions::cancel(kernel.module);
    Ok(ir_module::run_passes(kernel.module, CLEAN_UP)?)
}
