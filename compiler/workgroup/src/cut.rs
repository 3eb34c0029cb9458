//! A kernel that is cut into regions, with what is found out about it before anything is planned.
//!
//! In: a kernel in the form that `prepare` gives, with what several lanes need of `guards`. Out: [`Cut`], which plans, reports
//! and emission borrow: each analysis runs once. The kernel has no barriers any more. Decides nothing, and emits nothing.

use crate::locals::{self, Local};
use crate::plan::rounds;
use crate::plan::space::shares_lines_across_rows;
use crate::prepare::Prepared;
use crate::regions::{self, Regions};
use crate::slots::{self, Slots};
use crate::variables::{self, Variable};
use crate::window::Windows;
use crate::{FormError, Options, space};
use oxcl_ir::{TypeKind, Value};

/// A kernel that is cut into regions, and not emitted yet.
#[derive(Debug)]
pub(crate) struct Cut<'m, 'c> {
    pub(crate) kernel: Prepared<'m, 'c>,
    pub(crate) locals: Vec<Local<'c>>,
    pub(crate) variables: Vec<Variable<'c>>,
    pub(crate) regions: Regions<'c>,
    pub(crate) slots: Slots<'c>,
    pub(crate) windows: Windows<'c>,
    /// It is one row of work-items, each of which accesses lines of its own that those of the next row access too.
    pub(crate) shares_lines: bool,
    /// It calls printf, which counts in the context what finds no room.
    pub(crate) prints: bool,
}

impl<'m, 'c> Cut<'m, 'c> {
    /// Whether no work-item waits for another or keeps anything, and none shares local memory: then nothing but its ids tells one
    /// that it is in a group.
    pub(crate) fn is_one_row(&self) -> bool {
        let local = |value: &Value<'_>| value.ty().kind() == TypeKind::Pointer(space::LOCAL);
        let one =
            self.regions.regular && self.regions.regions.len() == 1 && self.regions.after_barriers.is_empty();
        let shared = !self.locals.is_empty() || self.kernel.function.parameters().iter().any(local);
        one && self.slots.per_item == 0 && !shared
    }

    /// Cuts a kernel.
    ///
    /// # Errors
    /// LLVM's failure in an analysis.
    pub(crate) fn of(kernel: Prepared<'m, 'c>, prints: bool, options: &Options) -> Result<Self, FormError> {
        let locals = locals::collect(&kernel);
        let variables = variables::collect(&kernel, options);
        let barriers = regions::split_at_barriers(&kernel);
        let mut regions = regions::form(&kernel, &barriers, &[])?;
        regions::fold_copies(&regions);
        let mut slots = slots::assign(&kernel, &regions);
        let rounds =
            if options.has_lanes() { Vec::new() } else { rounds::shared(&kernel, &regions, options) };
        if !rounds.is_empty() {
            let closer = regions::form(&kernel, &barriers, &rounds)?;
            if closer.regular && slots::assign(&kernel, &closer).per_item == slots.per_item {
                regions::fold_copies(&closer);
                slots = slots::assign(&kernel, &closer);
                regions = closer;
            }
        }
        let windows = Windows::of(&kernel, &regions, &slots);
        let mut cut = Cut { kernel, locals, variables, regions, slots, windows, shares_lines: false, prints };
        cut.shares_lines = cut.is_one_row() && shares_lines_across_rows(&cut.kernel, &cut.regions.cfg);
        Ok(cut)
    }
}
