//! What a program gets after it was built: each kernel in full quality where the program was built in a hurry, and functions
//! for the local sizes that are launched.
//!
//! Everything comes in whole or not at all. Launches that were made ready keep the functions that they have.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use oxcl_binary::archive::Archive;
use oxcl_binary::meta::ProgramMeta;
use oxcl_driver_cpu::{Geometry, KernelCode, LoadError as CodeError, Target, Watch};

use super::{Inner, Kernel, Program, lock};
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
    /// The kernel in full quality, where the first code was not.
    full: Option<Full>,
    /// Functions for local sizes.
    functions: Vec<([u64; 3], Arc<Archive>)>,
    /// What its launches take while its code is a hurried one.
    watch: Option<Arc<Watch>>,
    /// What they take with a local size, once it is not.
    sizes: BTreeMap<[u64; 3], Arc<Watch>>,
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

#[derive(Debug)]
struct Full {
    archive: Arc<Archive>,
    meta: Option<ProgramMeta>,
    /// Which of the archive's kernels it is.
    index: usize,
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
        let kernels = inner.archive.kernels.len();
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

    /// Takes the code of an archive that was made of the same request in full quality.
    ///
    /// # Errors
    /// It is the archive of another program; the message says how one sees that. Nothing has changed then.
    pub fn replace_code(&self, archive: &[u8]) -> Result<(), String> {
        let inner = &self.inner;
        let (later, meta) = inner.read_later(archive)?;
        if later.kernels.len() != inner.archive.kernels.len() {
            return Err("what was made later has other kernels".to_owned());
        }
        let archive = Arc::new(later);
        let all = (0..inner.archive.kernels.len())
            .map(|kernel| inner.full(kernel, &archive, meta.as_ref()))
            .collect::<Result<Vec<_>, _>>()?;
        for (kernel, full) in all.into_iter().enumerate() {
            inner.take_full(kernel, full);
        }
        Ok(())
    }
}

impl Inner {
    pub(crate) fn improving(&self) -> Option<&Improving> {
        self.improving.get()
    }

    pub(crate) fn kernel_name(&self, kernel: usize) -> String {
        self.archive.kernels.get(kernel).map_or_else(String::new, |record| record.name.clone())
    }

    /// Begins with a kernel that nobody makes yet and that is not hot: one that is launched, if there is one.
    pub(crate) fn begin_any(&self, attempt: &Arc<Attempt>) -> Option<usize> {
        let mut better = lock(&self.better);
        let waits =
            |kernel: &Better| kernel.hurried && !kernel.hot && matches!(kernel.making, Making::Nobody);
        let launched = better.iter().position(|kernel| waits(kernel) && kernel.watch.is_some());
        let kernel = launched.or_else(|| better.iter().position(waits))?;
        better[kernel].making = Making::Somebody(Arc::clone(attempt));
        Some(kernel)
    }

    /// Begins with a kernel that is hot.
    pub(crate) fn begin(&self, kernel: usize, attempt: &Arc<Attempt>) -> Begun {
        let mut better = lock(&self.better);
        let Some(kernel) = better.get_mut(kernel) else { return Begun::Over };
        kernel.hot = true;
        match &kernel.making {
            Making::Nobody if kernel.hurried => {
                kernel.making = Making::Somebody(Arc::clone(attempt));
                Begun::Yes
            }
            Making::Nobody | Making::Over => Begun::Over,
            Making::Somebody(other) => Begun::Others(Arc::clone(other)),
        }
    }

    /// The end of what was begun: `over` if nobody is to begin again.
    pub(crate) fn end(&self, kernel: usize, over: bool) {
        if let Some(kernel) = lock(&self.better).get_mut(kernel) {
            kernel.making = if over { Making::Over } else { Making::Nobody };
        }
    }

    /// Reads an archive that was made later of the same program.
    fn read_later(&self, archive: &[u8]) -> Result<(Archive, Option<ProgramMeta>), String> {
        let later = Archive::read(archive).map_err(|error| error.to_string())?;
        let meta = later.program_meta().map_err(|error| error.to_string())?;
        let facts = |meta: Option<&ProgramMeta>| {
            meta.map(|meta| (meta.levels.clone(), meta.variables.clone(), meta.triple.clone()))
        };
        if facts(meta.as_ref()) != facts(self.meta.as_ref()) {
            return Err("what was made later is of another program".to_owned());
        }
        Ok((later, meta))
    }

    /// A kernel of ours in an archive that was made later, checked: whatever cannot be used shall be found out here, not by
    /// a launch.
    fn full(
        &self,
        kernel: usize,
        archive: &Arc<Archive>,
        meta: Option<&ProgramMeta>,
    ) -> Result<Full, String> {
        let own = self.archive.kernels.get(kernel).ok_or("the program has no such kernel")?;
        let index = archive.kernels.iter().position(|record| record.name == own.name);
        let index = index.ok_or("what was made later lacks a kernel")?;
        let later = &archive.kernels[index];
        if later.args != own.args || later.local_sizes != own.local_sizes {
            return Err("what was made later has other parameters or variables".to_owned());
        }
        KernelCode::select(Arc::clone(archive), meta, index, Target::Native)
            .map_err(|error| error.to_string())?;
        let any_ids = later.meta().map_err(|error| error.to_string())?.is_some_and(|meta| meta.any_ids);
        Ok(Full { archive: Arc::clone(archive), meta: meta.cloned(), index, any_ids })
    }

    /// Takes a kernel in full quality from an archive.
    pub(crate) fn replace_kernel(&self, kernel: usize, archive: &[u8]) -> Result<(), String> {
        let (later, meta) = self.read_later(archive)?;
        let full = self.full(kernel, &Arc::new(later), meta.as_ref())?;
        self.take_full(kernel, full);
        Ok(())
    }

    fn take_full(&self, kernel: usize, full: Full) {
        let mut better = lock(&self.better);
        let Some(known) = better.get_mut(kernel) else { return };
        if known.full.as_ref().is_some_and(|known| known.any_ids || !full.any_ids) {
            return;
        }
        known.full = Some(full);
        known.hurried = false;
        let watch = known.watch.take();
        drop(better);
        *lock(&self.code[kernel][0]) = None;
        // The last step: who sees it finds the new code.
        if let Some(watch) = watch {
            watch.improved();
        }
    }

    /// Takes a kernel's function for a local size from an archive that was made later.
    pub(crate) fn add_function(&self, kernel: usize, local: [u64; 3], archive: &[u8]) -> Result<(), String> {
        let (later, _) = self.read_later(archive)?;
        let code = self.code(kernel, Target::Native).map_err(|error| error.to_string())?;
        code.add(&later, local).map_err(|error| error.to_string())?;
        let mut better = lock(&self.better);
        let Some(known) = better.get_mut(kernel) else { return Ok(()) };
        // For code that takes the place of that above.
        known.functions.push((local, Arc::new(later)));
        if let Some(watch) = known.sizes.get(&local) {
            watch.improved();
        }
        Ok(())
    }

    /// A kernel's code, the best that there is.
    pub(super) fn code(&self, kernel: usize, target: Target) -> Result<Arc<KernelCode>, CodeError> {
        let mut slot = lock(&self.code[kernel][usize::from(target == Target::Reference)]);
        if let Some(code) = &*slot {
            return Ok(Arc::clone(code));
        }
        let better = lock(&self.better);
        let code = match &better[kernel].full {
            Some(Full { archive, meta, index, .. }) if target == Target::Native => {
                KernelCode::select(Arc::clone(archive), meta.as_ref(), *index, target)?
            }
            _ => KernelCode::select(Arc::clone(&self.archive), self.meta.as_ref(), kernel, target)?,
        };
        if target == Target::Native {
            for (local, function) in &better[kernel].functions {
                code.add(function, *local)?;
            }
        }
        drop(better);
        Ok(Arc::clone(slot.insert(Arc::new(code))))
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

    /// What watches the launches with this index space; none where no better function will be made for them. Comes before
    /// the choice of the code.
    pub(crate) fn watch(&self, target: Target, geometry: &Geometry) -> Option<Arc<Watch>> {
        let inner = &self.program.inner;
        let improving = inner.improving()?;
        if target != Target::Native || inner.meta.is_none() {
            return None;
        }
        let kernel = self.index;
        inner.look_for_kernel(kernel);
        let mut better = lock(&inner.better);
        let known = &mut better[kernel];
        if known.hurried {
            let watch = known.watch.get_or_insert_with(|| Arc::new(improving.watch_kernel(inner, kernel)));
            return Some(Arc::clone(watch));
        }
        if !geometry.is_uniform() {
            return None;
        }
        let local = geometry.local;
        if let Some(watch) = known.sizes.get(&local) {
            return Some(Arc::clone(watch));
        }
        if known.sizes.len() >= SIZES {
            return None;
        }
        let watch = Arc::new(improving.watch_function(inner, kernel, local));
        known.sizes.insert(local, Arc::clone(&watch));
        drop(better);
        if inner.code(kernel, target).is_ok_and(|code| code.is_specialised_for(local)) {
            // The program was built with it: there is nothing better to be had.
            watch.improved();
        } else if let Some(archive) = improving.kept_function(self.name(), local)
            && inner.add_function(kernel, local, &archive).is_ok()
        {
            watch.improved();
        }
        Some(watch)
    }
}
