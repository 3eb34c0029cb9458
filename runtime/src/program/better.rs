//! What a program gets after it was built: each kernel in full quality where the program was built in a hurry, and functions
//! for the local sizes that are launched.
//!
//! Everything comes in whole or not at all. Launches that were made ready take it between work-groups.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use oxcl_binary::archive::Archive;
use oxcl_binary::meta::{KernelMeta, ProgramMeta};
use oxcl_driver::program::{Binary, LaunchShape};
use oxcl_driver::watch::Watch;
use oxcl_driver::{DriverError, Geometry, lock};

use super::{DriverProgram, Inner, Kernel, Program};
use crate::argument::ArgValue;
use crate::compiler::{BuildRequest, Quality};
use crate::improve::{Improver, Improving, SIZES};
use crate::service::Attempt;

/// What a kernel got later.
#[derive(Debug, Default)]
pub(super) struct Better {
    /// Its code was made in a hurry, and there is no other yet.
    hurried: bool,
    /// It has been looked for in the cache.
    looked: bool,
    /// It is hot: nobody begins with it at idle priority any more.
    hot: bool,
    making: Making,
    /// The launches whose function is made in place of its full code, or could not be.
    instead: Option<LaunchShape>,
    /// The kernel in full quality, where the first code was not.
    full: Option<Full>,
    /// Functions for local sizes and known arguments.
    functions: Vec<(LaunchShape, Arc<Binary>)>,
    /// What its launches take while its code is a hurried one.
    watch: Option<Arc<Watch>>,
    /// What they take with a local size and known arguments, once it is not; and before, with the first ones, if the kernel has barriers.
    sizes: BTreeMap<LaunchShape, Arc<Watch>>,
}

/// Who makes a kernel in full quality.
#[derive(Debug, Default)]
enum Making {
    #[default]
    Nobody,
    Somebody(Arc<Attempt>),
    /// It is made, or cannot be.
    Over,
}

impl Better {
    fn has_function(&self, shape: &LaunchShape) -> bool {
        self.functions.iter().any(|(known, _)| known == shape)
    }

    fn is_launched(&self) -> bool {
        self.watch.is_some() || !self.sizes.is_empty()
    }

    /// Whether there is something to make, of what nobody makes and what is not hot.
    fn waits(&self) -> bool {
        let has_function = self.instead.as_ref().is_some_and(|shape| self.has_function(shape));
        let has_all = self.watch.is_none() && has_function;
        self.hurried && !self.hot && matches!(self.making, Making::Nobody) && !has_all
    }

    /// Begins with the kernel, if it waits, at idle priority: with its full code, if there is no shape in what this gives.
    fn begin_idle(&mut self, attempt: &Arc<Attempt>) -> Option<Option<LaunchShape>> {
        if !self.waits() {
            return None;
        }
        self.making = Making::Somebody(Arc::clone(attempt));
        if self.watch.is_some() || self.instead.is_some() {
            return Some(None);
        }
        self.instead = self.sizes.keys().next().cloned();
        Some(self.instead.clone())
    }

    /// Begins with the kernel, which is hot.
    fn begin(&mut self, attempt: &Arc<Attempt>) -> Begun {
        self.hot = true;
        match &self.making {
            Making::Nobody if self.hurried => {
                self.making = Making::Somebody(Arc::clone(attempt));
                Begun::Yes
            }
            Making::Nobody | Making::Over => Begun::Over,
            Making::Somebody(other) => Begun::Others(Arc::clone(other)),
        }
    }
}

/// What came of wanting to make a kernel.
#[derive(Debug)]
pub(crate) enum Begun {
    /// It is the caller's to make.
    Yes,
    /// Somebody else is at it.
    Others(Arc<Attempt>),
    /// There is nothing to make.
    Over,
}

#[derive(Debug, Clone)]
struct Full {
    later: Arc<Binary>,
    /// Which of its kernels it is.
    position: usize,
    /// It serves launches with global ids of 2^31 and more.
    any_ids: bool,
}

impl Program {
    /// Has better functions made in the background: every kernel in full quality if `quality` says that the program was
    /// built in a hurry, and functions for the local sizes that are launched, once launches take long enough. `request` is
    /// what the program was built from, `cost` the processor time that this took, in this process unless `cached` says that
    /// the program was in the cache. Only the first call counts.
    pub fn improve_with(
        &self,
        improver: &Improver,
        request: BuildRequest,
        quality: Quality,
        cost: Duration,
        cached: bool,
    ) {
        let inner = &self.inner;
        let kernels = inner.binary.archive().kernels.len();
        let improving = Improving::new(improver.clone(), request, kernels, quality, cost, cached);
        if inner.improving.set(improving).is_err() {
            return;
        }
        if quality != Quality::Full
            && let Some(improving) = inner.improving()
        {
            lock(&inner.better).iter_mut().for_each(|kernel| kernel.hurried = true);
            improving.ask_rest(inner);
        }
    }
}

impl Program {
    /// Takes the code of an archive that was made of the same request in full quality.
    ///
    /// # Errors
    /// It is the archive of another program; the message says how one sees that. Nothing has changed then.
    pub fn replace_code(&self, archive: &[u8]) -> Result<(), String> {
        let inner = &self.inner;
        let later = Arc::new(inner.read_later(archive)?);
        let kernels = inner.binary.archive().kernels.len();
        if later.archive().kernels.len() != kernels {
            return Err("what was made later has other kernels".to_owned());
        }
        let all = (0..kernels).map(|kernel| inner.full(kernel, &later)).collect::<Result<Vec<_>, _>>()?;
        all.iter().enumerate().try_for_each(|(kernel, full)| inner.take_full(kernel, full))
    }
}

impl Inner {
    pub(crate) fn improving(&self) -> Option<&Improving> {
        self.improving.get()
    }

    pub(crate) fn kernel_name(&self, kernel: usize) -> String {
        self.binary.archive().kernels.get(kernel).map_or_else(String::new, |record| record.name.clone())
    }

    /// Begins with a kernel that nobody makes yet and that is not hot: one that is launched, if there is one, and where its local size decides
    /// only such a one. What there is to make is as [`Self::begin_idle`] says.
    pub(crate) fn begin_any(&self, attempt: &Arc<Attempt>) -> Option<(usize, Option<LaunchShape>)> {
        let mut better = lock(&self.better);
        let wants_shape =
            |kernel: usize| self.binary.kernel_meta(kernel).is_some_and(KernelMeta::wants_local_size);
        let mut waiting = better.iter().enumerate().filter(|(_, kernel)| kernel.waits());
        let launched = waiting.clone().find(|(_, kernel)| kernel.is_launched());
        let first = launched.or_else(|| waiting.find(|(index, _)| !wants_shape(*index)));
        let index = first.map(|(index, _)| index)?;
        Some((index, better[index].begin_idle(attempt)?))
    }

    /// Begins with a kernel at idle priority, if nobody makes it and it is not hot: its full code or, if its local size decides and its launches
    /// have one shape, its function for that ([`Self::begin_function_instead`]).
    pub(crate) fn begin_idle(&self, kernel: usize, attempt: &Arc<Attempt>) -> Option<Option<LaunchShape>> {
        lock(&self.better).get_mut(kernel)?.begin_idle(attempt)
    }

    /// Begins with a kernel that is hot, or with its function for launches of a shape: with that at once, but where it takes the place
    /// of full code.
    pub(crate) fn begin(&self, kernel: usize, shape: Option<&LaunchShape>, attempt: &Arc<Attempt>) -> Begun {
        let mut better = lock(&self.better);
        let Some(known) = better.get_mut(kernel) else { return Begun::Over };
        match shape {
            Some(shape) if known.has_function(shape) => Begun::Over,
            Some(_) if !known.hurried => Begun::Yes,
            _ => known.begin(attempt),
        }
    }

    /// Whether a function for a shape is to take the place of a kernel's full code, which nobody makes at idle priority then. Not
    /// if somebody has begun with the full code.
    pub(crate) fn begin_function_instead(&self, kernel: usize, shape: &LaunchShape) -> bool {
        let mut better = lock(&self.better);
        let Some(kernel) = better.get_mut(kernel) else { return false };
        let begins = kernel.hurried
            && match kernel.making {
                Making::Nobody => kernel.instead.is_none(),
                Making::Somebody(_) => kernel.instead.as_ref() == Some(shape),
                Making::Over => false,
            };
        if begins {
            (kernel.hot, kernel.instead) = (true, Some(shape.clone()));
        }
        begins
    }

    /// Whether a kernel's code was made in a hurry, and there is no other for any local size yet.
    pub(crate) fn is_hurried(&self, kernel: usize) -> bool {
        lock(&self.better).get(kernel).is_some_and(|kernel| kernel.hurried)
    }

    /// The end of what was begun: `over` if nobody is to begin again.
    pub(crate) fn end(&self, kernel: usize, over: bool) {
        if let Some(kernel) = lock(&self.better).get_mut(kernel) {
            kernel.making = if over { Making::Over } else { Making::Nobody };
        }
    }

    /// The end of a function that was begun: `abandoned` if it was given up, and is to be begun again when the kernel is hot.
    pub(crate) fn end_function(&self, kernel: usize, abandoned: bool) {
        if let Some(kernel) = lock(&self.better).get_mut(kernel) {
            kernel.making = Making::Nobody;
            if abandoned && !kernel.hot {
                kernel.instead = None;
            }
        }
    }

    /// Reads an archive that was made later of the same program.
    fn read_later(&self, archive: &[u8]) -> Result<Binary, String> {
        let later = Archive::read(archive).map_err(|error| error.to_string())?;
        let later = Binary::new(later).map_err(|error| error.to_string())?;
        let facts = |meta: Option<&ProgramMeta>| {
            meta.map(|meta| (meta.levels.clone(), meta.variables.clone(), meta.triple.clone()))
        };
        if facts(later.meta()) != facts(self.binary.meta()) {
            return Err("what was made later is of another program".to_owned());
        }
        Ok(later)
    }

    /// A kernel of ours in an archive that was made later.
    fn full(&self, kernel: usize, later: &Arc<Binary>) -> Result<Full, String> {
        let own = self.binary.archive().kernels.get(kernel).ok_or("the program has no such kernel")?;
        let position = later.position(&own.name).ok_or("what was made later lacks a kernel")?;
        let record = &later.archive().kernels[position];
        if record.args != own.args || record.local_sizes != own.local_sizes {
            return Err("what was made later has other parameters or variables".to_owned());
        }
        let size =
            |binary: &Binary, kernel: usize| binary.kernel_meta(kernel).map(|meta| meta.sub_group_size);
        if size(later, position) != size(&self.binary, kernel) {
            return Err("what was made later has sub-groups of another size".to_owned());
        }
        let any_ids = later.kernel_meta(position).is_some_and(|meta| meta.any_ids);
        Ok(Full { later: Arc::clone(later), position, any_ids })
    }

    /// The programs of drivers that take better code.
    fn takers(&self) -> Vec<Arc<dyn DriverProgram>> {
        let programs = lock(&self.programs);
        programs.values().filter(|program| program.takes_better_code()).cloned().collect()
    }

    /// Gives better code to all programs of drivers: to those that are there, whatever cannot be used shall be found out here and
    /// not by a launch; and, once `known` has made it known, to those that were made meanwhile.
    fn give(
        &self,
        to: impl Fn(&dyn DriverProgram) -> Result<(), DriverError>,
        known: impl FnOnce(),
    ) -> Result<(), String> {
        let given = self.takers();
        given.iter().try_for_each(|program| to(program.as_ref())).map_err(|error| error.to_string())?;
        known();
        let is_new = |program: &Arc<dyn DriverProgram>| !given.iter().any(|old| Arc::ptr_eq(old, program));
        for program in self.takers().into_iter().filter(is_new) {
            // Others could use it; launches of this one keep the code that they have.
            let _ = to(program.as_ref());
        }
        Ok(())
    }

    /// Gives a program of a driver's all better code that there is. What it cannot use is as good as none.
    pub(super) fn bring_up_to_date(&self, program: &dyn DriverProgram) {
        if !program.takes_better_code() {
            return;
        }
        let better = lock(&self.better);
        let all: Vec<_> = better.iter().map(|known| (known.full.clone(), known.functions.clone())).collect();
        drop(better);
        for (kernel, (full, functions)) in all.iter().enumerate() {
            if let Some(Full { later, position, .. }) = full {
                let _ = program.replace_kernel(kernel, later, *position);
            }
            for (shape, later) in functions {
                let _ = program.add_function(kernel, shape, later);
            }
        }
    }

    /// Takes a kernel in full quality from an archive.
    pub(crate) fn replace_kernel(&self, kernel: usize, archive: &[u8]) -> Result<(), String> {
        let later = Arc::new(self.read_later(archive)?);
        self.take_full(kernel, &self.full(kernel, &later)?)
    }

    fn take_full(&self, kernel: usize, full: &Full) -> Result<(), String> {
        let serves_as_much = |known: &Full| known.any_ids || !full.any_ids;
        if lock(&self.better)[kernel].full.as_ref().is_some_and(serves_as_much) {
            return Ok(());
        }
        let (mut over, mut waiting) = (Vec::new(), Vec::new());
        let to = |program: &dyn DriverProgram| program.replace_kernel(kernel, &full.later, full.position);
        self.give(to, || {
            let known = &mut lock(&self.better)[kernel];
            known.full = Some(full.clone());
            known.hurried = false;
            over.extend(known.watch.take());
            // A local size that nobody makes a function for is watched anew, for what that is worth now.
            let instead = known.instead.as_ref().and_then(|shape| known.sizes.remove_entry(shape));
            over.extend(std::mem::take(&mut known.sizes).into_values());
            waiting.extend(instead.iter().map(|(_, watch)| Arc::clone(watch)));
            known.sizes.extend(instead);
        })?;
        // The last step: who sees it finds the new code.
        over.iter().for_each(|watch| watch.improved());
        waiting.iter().for_each(|watch| watch.changed());
        Ok(())
    }

    /// Takes a kernel's function for a local size and known arguments from an archive that was made later.
    pub(crate) fn add_function(
        &self,
        kernel: usize,
        shape: &LaunchShape,
        archive: &[u8],
    ) -> Result<(), String> {
        let later = Arc::new(self.read_later(archive)?);
        let mut watch = None;
        let to = |program: &dyn DriverProgram| program.add_function(kernel, shape, &later);
        self.give(to, || {
            if let Some(known) = lock(&self.better).get_mut(kernel) {
                known.functions.push((shape.clone(), Arc::clone(&later)));
                watch = known.sizes.get(shape).cloned();
            }
        })?;
        if let Some(watch) = watch {
            watch.improved();
        }
        Ok(())
    }

    /// What an earlier process had made of a kernel, the first time that somebody wants the kernel.
    pub(super) fn look_for_kernel(&self, kernel: usize) {
        let Some(improving) = self.improving() else { return };
        let mut better = lock(&self.better);
        let known = &mut better[kernel];
        if !known.hurried || std::mem::replace(&mut known.looked, true) {
            return;
        }
        drop(better);
        if let Some(archive) = improving.kept_kernel(&self.kernel_name(kernel))
            // What cannot be used is as good as none.
            && self.replace_kernel(kernel, &archive).is_ok()
        {
            let mut better = lock(&self.better);
            if matches!(better[kernel].making, Making::Nobody) {
                better[kernel].making = Making::Over;
            }
        }
    }
}

impl Kernel {
    /// What the code is that launches made ready now get.
    #[must_use]
    pub fn quality(&self) -> Quality {
        if lock(&self.program.inner.better)[self.index].hurried { Quality::First } else { Quality::Full }
    }

    /// Whether the work-group functions serve launches with global ids of 2^31 and more. Code made in a hurry, and kernels that
    /// were made one by one, need not: then the whole program is made, and the caller waits for that.
    pub(crate) fn serves_any_ids(&self) -> bool {
        let (inner, kernel) = (&self.program.inner, self.index);
        if self.meta().is_none_or(|meta| meta.any_ids) {
            return true;
        }
        let full_does = || lock(&inner.better)[kernel].full.as_ref().is_some_and(|full| full.any_ids);
        if !full_does()
            && let Some(improving) = inner.improving()
        {
            improving.make_whole(&self.program, self.name().to_owned());
        }
        full_does()
    }

    /// What watches the launches with this index space and arguments; none where no better function will be made for them. Comes before
    /// the choice of the code.
    pub(crate) fn watch(
        &self,
        program: &dyn DriverProgram,
        geometry: &Geometry,
        arguments: &[ArgValue<'_>],
    ) -> Option<Arc<Watch>> {
        let inner = &self.program.inner;
        let improving = inner.improving()?;
        if !program.takes_better_code() {
            return None;
        }
        let kernel = self.index;
        inner.look_for_kernel(kernel);
        let shape = LaunchShape::of(geometry.local, arguments);
        let mut better = lock(&inner.better);
        let known = &mut better[kernel];
        let hurried = known.hurried;
        let has_function = geometry.is_uniform() && geometry.has_small_ids();
        if hurried {
            let is_first = known.sizes.is_empty() || known.sizes.contains_key(&shape);
            if !(has_function && is_first && self.meta().is_some_and(KernelMeta::wants_local_size)) {
                let begin = || {
                    let watch = Arc::new(improving.watch_hurried(inner, kernel, None));
                    improving.glance_at(&watch);
                    watch
                };
                return Some(Arc::clone(known.watch.get_or_insert_with(begin)));
            }
        } else if !has_function {
            return None;
        }
        if let Some(watch) = known.sizes.get(&shape) {
            return Some(Arc::clone(watch));
        }
        if known.sizes.len() >= SIZES {
            return None;
        }
        let watch = if hurried {
            improving.watch_hurried(inner, kernel, Some(shape.clone()))
        } else {
            improving.watch_function(inner, kernel, shape.clone())
        };
        let watch = Arc::new(watch);
        known.sizes.insert(shape.clone(), Arc::clone(&watch));
        drop(better);
        if program.is_specialised_for(kernel, &shape) {
            // The program was built with it: there is nothing better to be had.
            watch.improved();
        } else if let Some(archive) = improving.kept_function(self.name(), &shape)
            && inner.add_function(kernel, &shape, &archive).is_ok()
        {
            if hurried {
                improving.was_kept();
            }
            watch.improved();
        } else if hurried {
            improving.glance_at(&watch);
        }
        Some(watch)
    }
}
