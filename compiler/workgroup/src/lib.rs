//! The heart: kernels become work-group functions.
//!
//! In: a module for the OpenCL front-end target (`spir64`, `spir`), builtins linked, that is this kernel's alone. Out
//! ([`form`]): the same module for the real target, which exports the three symbols of `oxcl_binary::abi` for the
//! kernel; everything else in it is internal.
//!
//! Steps, each borrowing what the earlier ones made:
//! `prepare` (inline, SSA, simplified loops) -> `cut`, which is `locals` (`__local` variables) -> `regions` (cut at barriers) ->
//! `slots` (what lives across, with `privates`) -> `window` (which work-items have work); then `plan` (what everything becomes
//! at W lanes, and which W) -> `emit` (work-item loops, W lanes at a time) -> `launch` (the two entries).
//!
//! Most launches have global ids less than 2^31, which makes `int` arithmetic on ids exact. Where the code rests on that, there is
//! other code for the rest if the options ask for it (see `bodies`); otherwise such launches must be refused.
//!
//! W is a parameter throughout. At W = 1 every value is one scalar and every mask is trivially true, so the emitter's
//! output is the work-item loop; at larger W the same walk over the same regions makes vectors and masks.

#![forbid(unsafe_code)]

pub mod analysis;
mod any_format;
mod bodies;
mod collectives;
mod context;
mod cut;
mod divide;
mod elements;
mod emit;
mod error;
mod facts;
mod guards;
mod indices;
mod launch;
mod locals;
mod low_bits;
mod narrow;
mod opened;
mod parts;
mod pixels;
mod plan;
mod pocl_print;
mod prepare;
mod privates;
mod reductions;
mod regions;
mod report;
mod share;
mod slots;
pub mod sub_groups;
mod turn;
mod variables;
mod window;
mod workitem;
mod woven;

use cut::Cut;
pub use divide::guard as guard_divisions;
pub use error::FormError;
use oxcl_binary::meta::ArgFacts;
use oxcl_ir::Module;
pub use pixels::{has_images, pixels};
pub use plan::read::{KernelPlan, PlanError, PlanText};
pub use plan::remarks::{KERNEL as REMARK_ON_KERNEL, Remark};
use plan::space::Space;
use std::sync::Arc;
use workitem::Together;

/// What the names of a program's own functions begin with in the modules that are given to [`form`], so that they meet no
/// library's: messages leave it out.
pub const PROGRAM_NAMES: &str = "program.";

/// Address spaces of the front-end target, which x86 code keeps.
mod space {
    /// `__global`.
    pub(crate) const GLOBAL: u32 = 1;
    /// `__constant`.
    pub(crate) const CONSTANT: u32 = 2;
    /// `__local`.
    pub(crate) const LOCAL: u32 = 3;
}

/// What the vectors of a target can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Vectors {
    /// The size of a register; 0: there are none.
    pub bits: u32,
    /// Gathers of 32 and 64 bits.
    pub gathers: bool,
    /// Scatters of 32 and 64 bits.
    pub scatters: bool,
    /// Loads and stores of 32 and 64 bits under a mask.
    pub masks: bool,
    /// Loads and stores of bytes and shorts under a mask.
    pub masks_bytes: bool,
}

/// W: how many work-items run at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// So many, a power of two.
    Fixed(u32),
    /// So many where lanes can run the kernel and it is not too large for that, otherwise 1.
    Preferred(u32),
    /// The compiler's choice, by what its plans cost.
    Chosen,
}

/// The real target of the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Target triple.
    pub triple: String,
    /// LLVM data layout.
    pub data_layout: String,
    /// LLVM's name for the CPU; may be empty.
    pub cpu: String,
    /// Features in LLVM's notation, `+avx2,-fma`; may be empty.
    pub features: String,
    /// What its vectors can do.
    pub vectors: Vectors,
}

/// The layout of the context that PoCL's entry is called with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoclAbi {
    /// 96 bytes: container version 9, PoCL 3.1.
    Context96,
    /// 112 bytes: container versions 11 and 12, PoCL 4.0 and later.
    Context112,
    /// 60 bytes: 32-bit devices, whose arguments and context are in global memory. There is a start-up for the device's own
    /// program instead of PoCL's entry, and the native entry takes its numbers in 32 bits.
    Context60,
}

/// How to form a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// W: work-items that run at a time.
    pub width: Width,
    /// What shall be done, W included.
    pub plan: Option<Arc<KernelPlan>>,
    /// The only local size that the code must serve; `None`: any.
    pub local_size: Option<[u64; 3]>,
    /// Every work-group is whole: the local size divides the global size. Otherwise those at the edge may be smaller, but
    /// for code that serves one local size only: launchers take that for launches without such groups.
    pub uniform: bool,
    /// Variables at program scope that live in the program's own memory, by name, with their offsets there.
    pub variables: Vec<(String, u64)>,
    /// The context layout of PoCL's entry, or that of 32-bit devices.
    pub pocl: PoclAbi,
    /// Launches with global ids of 2^31 and more are served even if that takes code of its own.
    pub large_ids: bool,
    /// The size of sub-groups: a power of two, at most [`sub_groups::LARGEST`].
    pub sub_group_size: u32,
    /// Bits of the numbers that the kernel's author says it mostly computes with (`vec_type_hint`).
    pub hinted_bits: Option<u32>,
    /// The real target.
    pub target: Target,
    /// Remarks on the plan are wanted.
    pub remarks: bool,
    /// A chosen plan whose emission fails is an error. Otherwise its kernel is formed for one work-item at a time.
    pub strict: bool,
}

impl Options {
    /// W; 1 where nothing is chosen yet.
    pub(crate) fn lanes(&self) -> u32 {
        match (&self.plan, self.width) {
            (Some(plan), _) => plan.width,
            (None, Width::Fixed(width)) => width,
            (None, Width::Preferred(_) | Width::Chosen) => 1,
        }
    }

    /// Whether several lanes may come of these options, so that the kernel must be in the form that lanes need.
    pub(crate) fn has_lanes(&self) -> bool {
        let is_open = self.plan.is_none() && !matches!(self.width, Width::Fixed(_));
        is_open || self.lanes() > 1
    }

    /// Who runs together where W work-items do: a sub-group, where the kernel knows of sub-groups, W may be their size, and rows are
    /// made of them; else neighbours of a row.
    pub(crate) fn who_lanes_are(&self, module: &Module<'_>) -> Together {
        let size = self.sub_group_size;
        let wanted = match (&self.plan, self.width) {
            (Some(plan), _) => plan.width == size,
            (None, Width::Fixed(width) | Width::Preferred(width)) => width == size,
            (None, Width::Chosen) => self.target.vectors.bits > 0,
        };
        let fits = self.local_size.is_some_and(|local| collectives::are_rows_of(local, size));
        if wanted && fits && size > 1 && sub_groups::are_used(module) {
            Together::SubGroup(size)
        } else {
            Together::Row(0)
        }
    }

    /// The same for a known W.
    pub(crate) fn fixed(&self, width: u32) -> Options {
        Options { width: Width::Fixed(width), ..self.clone() }
    }

    /// Whether the code must ask how large a work-group is that lies at the edge.
    pub(crate) fn has_edges(&self) -> bool {
        !self.uniform && self.local_size.is_none()
    }
}

/// What [`form`] found out about the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// One for each parameter.
    pub args: Vec<ArgFacts>,
    /// May touch memory that no argument names.
    pub opaque: bool,
    /// Touches variables at program scope.
    pub globals: bool,
    /// Calls printf.
    pub printf: bool,
    /// Work-items meet: those of the group at a barrier, or those of a sub-group.
    pub barrier: bool,
    /// Work-items of sub-groups meet.
    pub sub_groups: bool,
    /// Nothing depends on which work-items make a group.
    pub any_groups: bool,
    /// Work-items of a column share lines of memory that those of a row do not, and lanes may run along either: with code for one
    /// local size.
    pub columns: bool,
}

/// A formed kernel: the module holds its code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formed {
    /// Sizes of the kernel's own `__local` variables, in declaration order.
    pub local_sizes: Vec<u64>,
    /// Scratch bytes whatever the local size.
    pub scratch_fixed: u64,
    /// Scratch bytes for each work-item.
    pub scratch_per_item: u64,
    /// W.
    pub width: u32,
    /// The size of sub-groups.
    pub sub_group_size: u32,
    /// Launches may have global ids of 2^31 and more.
    pub any_ids: bool,
    /// What the kernel does with its parameters; bounds hold in launches whose global ids are all less than 2^31.
    pub facts: Facts,
    /// The regions, slots and group-level branches as text, for people and snapshots.
    pub regions_report: String,
    /// The plan as text: W, why, and what accesses, calls and blocks became.
    pub plan_report: String,
    /// What the plan means for the source, where that is wanted.
    pub remarks: Vec<Remark>,
}

/// Makes the work-group functions of `kernel`; where W is to be chosen, it is 1.
///
/// # Errors
/// [`FormError`] where the kernel is not valid OpenCL C, cannot run W work-items at a time or as its plan says, or does not
/// exist. The module is then half-way and only good for being dropped.
pub fn form(module: &Module<'_>, kernel: &str, options: &Options) -> Result<Formed, FormError> {
    let width = options.lanes();
    check_width(width)?;
    let options = &options.fixed(width);
    let lanes = options.who_lanes_are(module);
    if width > 1 && !matches!(lanes, Together::SubGroup(_)) && sub_groups::meets(module) {
        let reason = "work-items of a sub-group meet".to_owned();
        return Err(FormError::CannotVectorise { kernel: kernel.to_owned(), reason, line: 0 });
    }
    let columns = options.plan.as_ref().filter(|plan| plan.space == Space::Columns);
    if let Some(plan) = columns {
        let copy = module.clone();
        let (rows, _) = cut(&copy, kernel, options, lanes, false)?;
        plan::forced::can_have_columns(&rows, plan)?;
    }
    form_along(module, kernel, options, lanes, columns.is_some())
}

/// Makes the work-group functions along rows, or along columns, for a W that is known.
fn form_along(
    module: &Module<'_>,
    kernel: &str,
    options: &Options,
    lanes: Together,
    is_turned: bool,
) -> Result<Formed, FormError> {
    let width = options.lanes();
    let (cut, facts) = cut(module, kernel, options, lanes, is_turned)?;
    let space = Space::of(&cut, options);
    let plan = match &options.plan {
        Some(text) => plan::forced::plan(&cut.kernel, &cut.regions, &cut.slots, space, text)?,
        None => plan::Plan::make(&cut.kernel, &cut.regions, &cut.slots, space, width)?,
    };
    let choice = plan::Choice::of(plan);
    let plan_report = plan::show::text(&cut.kernel, &cut.regions, &choice);
    finish(&cut, facts, &choice, plan_report, options)
}

fn check_width(width: u32) -> Result<(), FormError> {
    if width.is_power_of_two() && width <= 64 { Ok(()) } else { Err(FormError::Width { width }) }
}

/// Makes the work-group functions of `kernel`, W chosen where the options leave it open, in the module that it gives back.
///
/// # Errors
/// As [`form`].
pub fn form_best<'c>(
    module: Module<'c>,
    kernel: &str,
    options: &Options,
) -> Result<(Module<'c>, Formed), FormError> {
    if let Width::Preferred(width) = options.width {
        check_width(width)?;
    }
    let lanes = options.who_lanes_are(&module);
    let changed = match lanes {
        // There is nothing to choose.
        Together::SubGroup(size) if options.width == Width::Chosen => {
            Some(Options { width: Width::Preferred(size), ..options.clone() })
        }
        Together::SubGroup(_) => None,
        // Work-items of a sub-group that meet and are not the lanes run one at a time between their meetings.
        _ => sub_groups::meets(&module).then(|| options.fixed(options.lanes())),
    };
    let options = changed.as_ref().unwrap_or(options);
    let mut considered = None;
    let is_open = options.plan.is_none() && !matches!(options.width, Width::Fixed(_));
    if is_open && plan::choose::is_worth_a_plan(&module, kernel, options) {
        // Lanes need a form of the kernel that is not the best one for LLVM: it is made of a copy.
        let copy = module.clone();
        let (cut, facts) = cut(&copy, kernel, options, lanes, false)?;
        let choice = choose(&cut, options)?;
        if facts.columns
            && may_have_columns(options)
            && let Some(columns) = form_columns(&module, kernel, options, lanes, &choice)?
        {
            return Ok(columns);
        }
        let shown = plan::show::text(&cut.kernel, &cut.regions, &choice);
        let remarks = remarks(&cut, &choice, options);
        if choice.plan.width > 1 {
            match finish(&cut, facts, &choice, shown.clone(), options) {
                Ok(formed) => return Ok((copy, formed)),
                Err(error) if options.strict => return Err(error),
                // A fault of this compiler, but no reason to refuse the kernel: the copy is dropped.
                Err(_) => {}
            }
        }
        considered = Some((shown, remarks));
    }
    let formed = form(&module, kernel, options)?;
    let formed = match considered {
        Some((plan_report, remarks)) => Formed { plan_report, remarks, ..formed },
        None => formed,
    };
    Ok((module, formed))
}

/// The kernel along columns, W chosen, in a copy of the module; `None` where the choice along rows is better.
fn form_columns<'c>(
    module: &Module<'c>,
    kernel: &str,
    options: &Options,
    lanes: Together,
    rows: &plan::Choice<'c>,
) -> Result<Option<(Module<'c>, Formed)>, FormError> {
    let copy = module.clone();
    let (cut, facts) = cut(&copy, kernel, options, lanes, true)?;
    let choice = choose(&cut, options)?;
    if !rows.is_worse_than(&choice) {
        return Ok(None);
    }
    let plan_report = plan::show::text(&cut.kernel, &cut.regions, &choice);
    if choice.plan.width == 1 {
        // LLVM's loops have another form of the kernel than lanes.
        let remarks = remarks(&cut, &choice, options);
        let copy = module.clone();
        let formed = form_along(&copy, kernel, &options.fixed(1), lanes, true)?;
        return Ok(Some((copy, Formed { plan_report, remarks, ..formed })));
    }
    match finish(&cut, facts, &choice, plan_report, options) {
        Ok(formed) => Ok(Some((copy, formed))),
        Err(error) if options.strict => Err(error),
        // A fault of this compiler: there are rows.
        Err(_) => Ok(None),
    }
}

fn choose<'c>(cut: &Cut<'_, 'c>, options: &Options) -> Result<plan::Choice<'c>, FormError> {
    plan::choose(&cut.kernel, &cut.regions, &cut.slots, Space::of(cut, options), options)
}

/// Whether columns are known not to be short. Code for any local size has lanes along rows: most groups are wide, and many have rows
/// alone.
fn may_have_columns(options: &Options) -> bool {
    let long = u64::from(options.target.vectors.bits / 64);
    options.width == Width::Chosen && options.local_size.is_some_and(|[_, y, _]| y >= long)
}

/// Prepares a kernel and cuts it, turned or not; what is known of its parameters is found on the way, while barriers and the launch's
/// dimensions are still there.
fn cut<'m, 'c>(
    module: &'m Module<'c>,
    kernel: &str,
    options: &Options,
    lanes: Together,
    is_turned: bool,
) -> Result<(Cut<'m, 'c>, Facts), FormError> {
    // Lanes that are a sub-group have no meetings left.
    let has_met = options.has_lanes() && matches!(lanes, Together::SubGroup(_)) && sub_groups::meets(module);
    let mut kernel = prepare::prepare(module, kernel, options, lanes)?;
    let facts = facts::collect(&kernel);
    let facts = Facts {
        barrier: facts.barrier || has_met,
        sub_groups: facts.sub_groups || has_met,
        any_groups: facts.any_groups && !has_met,
        ..facts
    };
    if is_turned {
        turn::turn(&mut kernel);
    }
    opened::open(&kernel)?;
    if options.has_lanes() {
        narrow::narrow(&kernel)?;
        guards::test_together(&kernel)?;
    }
    let cut = Cut::of(kernel, facts.printf, options)?;
    let columns = is_turned || (cut.shares_lines && turn::is_possible(&cut));
    Ok((cut, Facts { columns, ..facts }))
}

/// The remarks on a choice, where they are wanted.
fn remarks<'c>(cut: &Cut<'_, 'c>, choice: &plan::Choice<'c>, options: &Options) -> Vec<Remark> {
    if !options.remarks {
        return Vec::new();
    }
    plan::remarks::of(&cut.kernel, &cut.regions, choice, &options.target.vectors)
}

/// Emits a kernel as a plan says, which `plan_report` shows.
fn finish<'c>(
    cut: &Cut<'_, 'c>,
    facts: Facts,
    choice: &plan::Choice<'c>,
    plan_report: String,
    options: &Options,
) -> Result<Formed, FormError> {
    let remarks = remarks(cut, choice, options);
    let options = &options.fixed(choice.plan.width);
    let regions_report = report::regions(cut, options);
    // A part of a program is made again for the local size that it is launched with.
    let short_rows = if options.large_ids { choice.short_rows(&cut.kernel, options) } else { None };
    let bodies = emit::emit(cut, &choice.plan, short_rows, options)?;
    launch::finish(cut, bodies, choice.plan.space, options)?;
    Ok(Formed {
        local_sizes: cut.locals.iter().map(|local| local.size).collect(),
        scratch_fixed: cut.slots.fixed,
        scratch_per_item: cut.slots.per_item,
        width: choice.plan.width,
        sub_group_size: options.sub_group_size,
        any_ids: bodies.serve_any,
        facts,
        regions_report,
        plan_report,
        remarks,
    })
}
