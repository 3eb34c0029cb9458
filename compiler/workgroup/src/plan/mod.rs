//! The plan: what a kernel's blocks, values, accesses and calls become where W work-items run at a time.
//!
//! In: a prepared kernel, cut into regions, and W. Out: [`Plan`], data that emission follows and decides nothing beside:
//! which blocks run under a mask and in which order ([`chunks`]), the [`Form`] of each value and [`How`] each instruction
//! is made ([`decide`]), what that costs ([`cost`]). [`choose()`] makes several plans and takes the cheapest; [`show`] prints
//! one, [`read`] reads one that somebody may have edited and [`forced`] makes it the plan to follow, [`verify`] says whether
//! a plan holds together, [`remarks`] explains one by the lines of the source. At W = 1 a plan is trivial: everything is uniform and made once.
//!
//! The lanes are neighbours in dimension 0, of one group or of a run of groups ([`space`]).

mod access_cost;
pub(crate) mod choose;
pub(crate) mod chunks;
mod cost;
mod decide;
pub(crate) mod forced;
mod interleaved;
pub(crate) mod pressure;
pub(crate) mod read;
pub(crate) mod remarks;
pub(crate) mod rounds;
pub(crate) mod show;
pub(crate) mod space;
mod strided_cost;
mod strides;
mod verify;

pub(crate) use choose::{Choice, choose};

use crate::emit::WideForm;
use crate::error::FormError;
use crate::prepare::Prepared;
use crate::regions::Regions;
use crate::slots::{Home, Slots};
use crate::workitem::AnyIds;
use crate::woven::{Weave, Woven};
use chunks::Chunks;
use oxcl_ir::Value;
use oxcl_ir::shape::{Shape, Shapes};
use space::Space;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::rc::Rc;

/// How the lanes of a value are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// One value for all lanes.
    Uniform,
    /// Lane 0's value; the others differ by a constant, in bytes for pointers.
    Strided(i64),
    /// A vector for each scalar component.
    Vector,
}

/// How an instruction is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// A query of ids or sizes, which emission has at hand.
    Query,
    /// Whether a condition holds for all lanes at work.
    Test,
    /// Once for all lanes.
    Once,
    /// Once, for lane 0.
    First,
    /// One operation for each component.
    Vector,
    /// A call of a vector form of the function.
    Wide(WideForm),
    /// A load or store of one vector.
    Consecutive,
    /// A gather or scatter.
    Gather,
    /// The same, or one vector where a test finds the addresses one behind the other.
    GatherUnlessConsecutive,
    /// One vector whose lanes are exchanged, where lane 0's place is a multiple of W; a gather or scatter elsewhere.
    Butterfly,
    /// A store to one address, where the last active lane's value stays.
    Last,
    /// An operation among the lanes of a sub-group.
    Collective,
    /// Once for each active lane.
    EachLane,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Uniform => f.write_str("uniform"),
            Form::Strided(step) => write!(f, "strided {step}"),
            Form::Vector => f.write_str("vector"),
        }
    }
}

/// A kernel's plan for one W.
#[derive(Debug)]
pub(crate) struct Plan<'c> {
    /// W.
    pub(crate) width: u32,
    /// What a row of lanes runs through.
    pub(crate) space: Space,
    /// The chunks of each region.
    pub(crate) chunks: Vec<Chunks>,
    /// Shapes among the lanes; none at W = 1, where a lane is alone.
    shapes: Option<Rc<Shapes<'c>>>,
    forms: HashMap<Value<'c>, Form>,
    hows: HashMap<Value<'c>, How>,
    /// How instructions shall be made, where somebody says so.
    forced: HashMap<Value<'c>, How>,
    /// Private arrays whose lanes lie beside one another; none at W = 1.
    woven: Rc<Woven<'c>>,
    /// Where values live between regions.
    homes: Rc<HashMap<Value<'c>, Home>>,
    /// Vectors whose lanes are kept as memory has them.
    interleaved: HashSet<Value<'c>>,
}

impl<'c> Plan<'c> {
    /// The trivial plan: one work-item at a time.
    pub(crate) fn scalar(regions: &Regions<'c>, space: Space) -> Self {
        Plan {
            width: 1,
            space,
            chunks: regions.regions.iter().map(|_| Chunks::none(&regions.cfg)).collect(),
            shapes: None,
            forms: HashMap::new(),
            hows: HashMap::new(),
            forced: HashMap::new(),
            woven: Rc::default(),
            homes: Rc::default(),
            interleaved: HashSet::new(),
        }
    }

    /// The plan for `width` lanes.
    ///
    /// # Errors
    /// [`FormError::CannotVectorise`] where lanes cannot run the kernel as its work-items would.
    pub(crate) fn make(
        kernel: &Prepared<'_, 'c>,
        regions: &Regions<'c>,
        slots: &Slots<'c>,
        space: Space,
        width: u32,
    ) -> Result<Self, FormError> {
        if width == 1 {
            return Ok(Plan::scalar(regions, space));
        }
        Plan::with_shapes(kernel, regions, slots, space, regions.row_shapes(kernel)?, width)
    }

    /// The plan for launches with ids of any size: what neighbours have in common is known without them being small.
    ///
    /// # Errors
    /// As [`Plan::make`].
    pub(crate) fn for_any_ids(
        kernel: &Prepared<'_, 'c>,
        regions: &Regions<'c>,
        slots: &Slots<'c>,
        space: Space,
        width: u32,
    ) -> Result<Self, FormError> {
        let whose = AnyIds(kernel.lanes);
        let shapes = Shapes::compute(&regions.cfg, kernel.layout, &regions.after_barriers, &whose)?;
        Plan::with_shapes(kernel, regions, slots, space, &Rc::new(shapes), width)
    }

    fn with_shapes(
        kernel: &Prepared<'_, 'c>,
        regions: &Regions<'c>,
        slots: &Slots<'c>,
        space: Space,
        shapes: &Rc<Shapes<'c>>,
        width: u32,
    ) -> Result<Self, FormError> {
        let mut plan = Plan::undecided(kernel, regions, slots, space, shapes, width)?;
        plan.decide(kernel, regions, slots);
        verify::verify(&plan, kernel, regions, slots)?;
        Ok(plan)
    }

    /// A plan that says nothing yet of single instructions, where lanes can run the kernel.
    fn undecided(
        kernel: &Prepared<'_, 'c>,
        regions: &Regions<'c>,
        slots: &Slots<'c>,
        space: Space,
        shapes: &Rc<Shapes<'c>>,
        width: u32,
    ) -> Result<Self, FormError> {
        verify::can_run_in_lanes(kernel, regions, shapes)?;
        let chunks = regions.regions.iter().map(|region| Chunks::find(&regions.cfg, region, shapes));
        Ok(Plan {
            width,
            space,
            chunks: chunks.collect(),
            shapes: Some(Rc::clone(shapes)),
            forms: HashMap::new(),
            hows: HashMap::new(),
            forced: HashMap::new(),
            woven: Rc::clone(&slots.woven),
            homes: slots.homes(),
            interleaved: HashSet::new(),
        })
    }

    /// Decides what each value's form is and how each instruction is made.
    fn decide(&mut self, kernel: &Prepared<'_, 'c>, regions: &Regions<'c>, slots: &Slots<'c>) {
        decide::decide(self, kernel, regions);
        self.interleaved = interleaved::find(self, regions, slots);
    }

    /// The form of a value: what is no instruction is uniform.
    pub(crate) fn form(&self, value: Value<'c>) -> Form {
        self.forms.get(&value).copied().unwrap_or(Form::Uniform)
    }

    /// Whether lanes' values differ by their step as signed numbers: none wraps around.
    pub(crate) fn is_even(&self, value: Value<'c>) -> bool {
        let shape = self.shapes.as_ref().map_or(Shape::Uniform, |shapes| shapes.of(value));
        matches!(shape, Shape::Strided(stride) if stride.signed)
    }

    /// Whether work-items compute a value again in regions that use it and do not make it.
    pub(crate) fn is_computed_again(&self, value: Value<'c>) -> bool {
        self.homes.get(&value) == Some(&Home::AgainForItem)
    }

    /// How the variable that an address is in is woven; `None`: it is in no such variable.
    pub(crate) fn woven(&self, address: Value<'c>) -> Option<Weave> {
        self.woven.of(address)
    }

    /// Whether the lanes of a vector are kept as memory has them: all components of one, then those of the next.
    pub(crate) fn is_interleaved(&self, value: Value<'c>) -> bool {
        self.interleaved.contains(&value)
    }

    /// How an instruction is made.
    pub(crate) fn how(&self, instruction: Value<'c>) -> How {
        self.hows.get(&instruction).copied().unwrap_or(How::Once)
    }

    /// Whether lanes may leave a block by different ways.
    pub(crate) fn is_divergent(&self, block: usize) -> bool {
        self.shapes.as_ref().is_some_and(|shapes| shapes.is_divergent(block))
    }

    /// Whether lanes leave the loop of this header in different rounds.
    fn is_divergent_loop(&self, header: usize) -> bool {
        self.shapes.as_ref().is_some_and(|shapes| shapes.uniformity().is_divergent_cycle(header))
    }
}
