//! The steps and analyses of this crate on their own, over IR that somebody wrote.
//!
//! In: a module in which a kernel is defined, as the front end makes it or already in the form that `prepare`
//! gives. Out: what the analyses find, as [`Fact`]s beside the IR, or the module after one step. What is found here is
//! what [`crate::form`] would go by: both run the same code.
//!
//! IR that is not in the form that an analysis relies on gets answers all the same; they mean nothing then.

use crate::cut::Cut;
use crate::emit::{self, independent, joined};
use crate::plan::space::Space;
use crate::plan::{self, Plan};
use crate::prepare::{self, Prepared};
use crate::regions::Regions;
use crate::slots::{Home, Slots};
use crate::workitem::{Together, range_of_small};
use crate::{FormError, Options, Width, facts, guards, launch, narrow, report};
use oxcl_ir::affine::{Affine, Forms};
use oxcl_ir::cfg::Cfg;
use oxcl_ir::module::Layout;
use oxcl_ir::range::Ranges;
use oxcl_ir::report::{self as ir_report, Fact};
use oxcl_ir::shape::Shapes;
use oxcl_ir::{Function, Module};

/// What can be asked about a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Analysis {
    /// Dominators, loops, control dependence.
    Cfg,
    /// How values differ between work-items.
    Shape,
    /// Between which numbers integers lie.
    Range,
    /// Addresses and integers as affine forms of the ids.
    Affine,
    /// What the kernel does with the memory behind its parameters.
    Access,
    /// The accesses that every work-item certainly makes.
    Bounds,
    /// The regions, and the ways between them.
    Regions,
    /// Where values live between regions.
    Homes,
    /// Whether the accesses of a region's work-items are marked as independent.
    Independent,
    /// What everything becomes at the W of the options, or which W is chosen.
    Plan,
}

impl Analysis {
    /// All, in the order in which their facts are given.
    pub const ALL: [Analysis; 10] = [
        Analysis::Cfg,
        Analysis::Shape,
        Analysis::Range,
        Analysis::Affine,
        Analysis::Access,
        Analysis::Bounds,
        Analysis::Regions,
        Analysis::Homes,
        Analysis::Independent,
        Analysis::Plan,
    ];

    /// The word that its facts carry.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Analysis::Cfg => "cfg",
            Analysis::Shape => "shape",
            Analysis::Range => "range",
            Analysis::Affine => "affine",
            Analysis::Access => "access",
            Analysis::Bounds => "bounds",
            Analysis::Regions => "regions",
            Analysis::Homes => "homes",
            Analysis::Independent => "independent",
            Analysis::Plan => "plan",
        }
    }

    /// The analysis of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Analysis> {
        Analysis::ALL.into_iter().find(|analysis| analysis.name() == name)
    }
}

/// Which work-items shapes are asked among: those whose ids differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Among {
    /// All of a group: every id differs. What barriers ask.
    #[default]
    Group,
    /// Neighbours in this dimension. What lanes ask, of dimension 0.
    Row(usize),
    /// A sub-group of so many neighbours in dimension 0.
    SubGroup(u32),
}

/// What can be done to a kernel, one step alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Brings it into the form that the others expect.
    Prepare,
    /// Does arithmetic in fewer bits where that gives the same results, where several lanes may come of the options.
    Narrow,
    /// Gives guards tests whether all lanes pass them, where several lanes may come of the options.
    Guards,
    /// Cuts it into regions and makes the body of the work-group function. The kernel stays beside it.
    Emit,
    /// [`Step::Emit`], then the entries; what is not needed any more goes.
    Launch,
}

/// Does one step with `kernel`, which is in the form that the step expects.
///
/// # Errors
/// [`FormError`], as [`crate::form`] gives it.
pub fn run_step(module: &Module<'_>, kernel: &str, options: &Options, step: Step) -> Result<(), FormError> {
    if step == Step::Prepare {
        prepare::prepare(module, kernel, options, options.who_lanes_are(module))?;
        return Ok(());
    }
    let given = given(module, kernel)?;
    if step == Step::Narrow {
        if options.has_lanes() {
            narrow::narrow(&given)?;
        }
        return Ok(());
    }
    if step == Step::Guards {
        return if options.has_lanes() { guards::test_together(&given) } else { Ok(()) };
    }
    let cut = cut(given, options)?;
    let space = Space::of(&cut, options);
    let plan = Plan::make(&cut.kernel, &cut.regions, &cut.slots, space, options.lanes())?;
    let bodies = emit::emit(&cut, &plan, None, options)?;
    if step == Step::Launch {
        launch::finish(&cut, bodies, plan.space, options)?;
    }
    Ok(())
}

/// What the analyses say of `kernel`, which is in the form that [`Step::Prepare`] gives. Regions, homes and marks are
/// found by cutting the kernel: it has no barriers any more where one of these was asked for.
///
/// # Errors
/// [`FormError::NoSuchKernel`], or an error of LLVM's.
pub fn analyse<'c>(
    module: &Module<'c>,
    kernel: &str,
    options: &Options,
    wanted: &[Analysis],
    among: Among,
) -> Result<Vec<Fact<'c>>, FormError> {
    let given = given(module, kernel)?;
    let function = given.function;
    let wants = |analysis: Analysis| wanted.contains(&analysis);
    let mut found = Vec::new();
    let cfg = Cfg::of(function);
    if wants(Analysis::Cfg) {
        found.extend(ir_report::cfg(&cfg));
    }
    if wants(Analysis::Shape) {
        let together = match among {
            Among::Group => Together::Group,
            Among::Row(along) => Together::Row(along),
            Among::SubGroup(size) => Together::SubGroup(size),
        };
        let shapes = Shapes::compute(&cfg, given.layout, &[], &together)?;
        found.extend(ir_report::shapes(&cfg, &shapes));
    }
    if wants(Analysis::Range) {
        found.extend(ir_report::ranges(function, &Ranges::new(&range_of_small)));
    }
    if wants(Analysis::Affine) {
        let forms = Forms::of(function, given.layout, &facts::id_of, &range_of_small);
        found.extend(ir_report::affine(function, &forms));
    }
    if wants(Analysis::Access) {
        found.extend(ir_report::access(function));
    }
    if wants(Analysis::Bounds) {
        found.extend(bounds(&given));
    }
    if [Analysis::Regions, Analysis::Homes, Analysis::Independent, Analysis::Plan].into_iter().any(wants) {
        let cut = cut(given, options)?;
        let Cut { kernel, regions, slots, .. } = &cut;
        // Barriers are gone, and PHI nodes that only passed a value on: nothing is left to say of them.
        found.retain(|fact| !fact.subject.is_stale());
        if wants(Analysis::Plan) {
            found.extend(plan::show::facts(regions, &choice(&cut, options)?));
        }
        if wants(Analysis::Regions) {
            let text = report::regions(&cut, options);
            let lines = text.lines().map(|line| line.strip_prefix("  ").unwrap_or(line));
            // Homes have facts of their own.
            let own = lines.take_while(|line| !is_home(line));
            found.extend(own.map(|line| Fact::of_function("regions", line.to_owned())));
        }
        if wants(Analysis::Homes) {
            found.extend(homes(function, regions, slots));
        }
        if wants(Analysis::Independent) {
            for number in 0..regions.regions.len() {
                let text = match independent::obstacle(kernel, regions, slots, number)? {
                    None => format!("region {number}: yes"),
                    Some(obstacle) => format!("region {number}: no, {obstacle}"),
                };
                found.push(Fact::of_function("independent", text));
                if let Some(array) = joined::array(kernel, regions, slots, number) {
                    let text = format!("region {number}: elements of %{} are joined", array.name());
                    found.push(Fact::of_function("independent", text));
                }
            }
        }
    }
    Ok(found)
}

/// The plan of `kernel`, which is in the form that [`Step::Prepare`] gives, as text: the one of the options, where they have
/// one, otherwise that of their W.
///
/// # Errors
/// As [`crate::form`].
pub fn plan_text(module: &Module<'_>, kernel: &str, options: &Options) -> Result<String, FormError> {
    let cut = cut(given(module, kernel)?, options)?;
    let choice = choice(&cut, options)?;
    Ok(plan::show::text(&cut.kernel, &cut.regions, &choice))
}

/// The plan of the options, or that of their W.
fn choice<'c>(cut: &Cut<'_, 'c>, options: &Options) -> Result<plan::Choice<'c>, FormError> {
    let Cut { kernel, regions, slots, .. } = cut;
    let space = Space::of(cut, options);
    if let Some(text) = &options.plan {
        return Ok(plan::Choice::of(plan::forced::plan(kernel, regions, slots, space, text)?));
    }
    match options.width {
        Width::Fixed(width) => Ok(plan::Choice::of(Plan::make(kernel, regions, slots, space, width)?)),
        Width::Preferred(_) | Width::Chosen => plan::choose(kernel, regions, slots, space, options),
    }
}

fn given<'m, 'c>(module: &'m Module<'c>, kernel: &str) -> Result<Prepared<'m, 'c>, FormError> {
    let function = Function::find(module, kernel)
        .filter(|function| !function.is_declaration())
        .ok_or_else(|| FormError::NoSuchKernel { kernel: kernel.to_owned() })?;
    Ok(Prepared {
        module,
        function,
        name: kernel.to_owned(),
        layout: Layout::of(module),
        lanes: Together::Row(0),
        unrolled: false,
        turned: false,
    })
}

/// Cuts a kernel that is in the form that steps and analyses are given.
fn cut<'m, 'c>(given: Prepared<'m, 'c>, options: &Options) -> Result<Cut<'m, 'c>, FormError> {
    let prints = facts::collect(&given).printf;
    Cut::of(given, prints, options)
}

fn bounds<'c>(kernel: &Prepared<'_, 'c>) -> Vec<Fact<'c>> {
    let mut found = Vec::new();
    for (parameter, facts) in kernel.function.parameters().iter().zip(facts::collect(kernel).args) {
        for bound in facts.bounds {
            let form = Affine {
                constant: bound.constant,
                global: bound.global,
                local: bound.local,
                group: bound.group,
            };
            let text = format!("{} bytes at %{} + {form}", bound.bytes, parameter.name());
            found.push(Fact::of_function("bounds", text));
        }
    }
    found
}

/// Whether a line of the regions report is about homes of values.
fn is_home(line: &str) -> bool {
    ["group variable ", "slot ", "scratch: "].iter().any(|start| line.starts_with(start))
}

/// The homes of values, in what form a slot is told of where its value is defined; and the scratch memory as a whole.
fn homes<'c>(function: Function<'c>, regions: &Regions<'c>, slots: &Slots<'c>) -> Vec<Fact<'c>> {
    let mut found = Vec::new();
    for value in function.instructions() {
        let Some(home) = slots.home(value) else { continue };
        let text = match home {
            Home::Group(_) => "group variable".to_owned(),
            Home::Item(slot) => {
                let slot = &slots.items[slot];
                format!("slot of {} bytes at {}", slot.size, slot.offset)
            }
            Home::AgainForGroup => "computed again by the group".to_owned(),
            Home::AgainForItem => "computed again by each work-item".to_owned(),
        };
        found.push(Fact::of_instruction("homes", value, text));
    }
    if let Some(slot) = slots.continuation {
        let slot = &slots.items[slot];
        let text = format!("continuation: slot of {} bytes at {}", slot.size, slot.offset);
        found.push(Fact::of_function("homes", text));
    }
    if regions.regions.len() > 1 {
        found.push(Fact::of_function("homes", format!("{} bytes for each work-item", slots.per_item)));
    }
    found
}
