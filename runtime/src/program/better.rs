//! What a program gets after it was built: functions in full quality for code that was made in a hurry, and functions for
//! the local sizes that are launched.
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
use crate::improve::{HOT, Improver, Improving, SIZES};

/// What of a kernel is watched: its launches with a local size, or, while its code is a hurried one, all others.
type Watched = (usize, Option<[u64; 3]>);

/// What launches take, and what was made later.
#[derive(Debug, Default)]
pub(super) struct Better {
    /// The program's code was made in a hurry, and there is no other yet.
    hurried: bool,
    /// The same program in full quality, where the first one was not.
    full: Option<Full>,
    /// Functions for local sizes, for code that takes the place of the first.
    early: Vec<(usize, [u64; 3], Arc<Archive>)>,
    watches: BTreeMap<Watched, Arc<Watch>>,
}

#[derive(Debug)]
struct Full {
    archive: Arc<Archive>,
    meta: Option<ProgramMeta>,
}

impl Program {
    /// Has better functions made in the background: all in full quality if `quality` says that the program was built in a
    /// hurry, and functions for the local sizes that are launched, once launches take long enough. `request` is what the
    /// program was built from, and `cached` says that it was in the cache. Only the first call counts.
    pub fn improve_with(&self, improver: &Improver, request: BuildRequest, quality: Quality, cached: bool) {
        let inner = &self.inner;
        if inner.improving.set(Improving::new(improver.clone(), request, cached)).is_err() {
            return;
        }
        if quality != Quality::Full
            && let Some(improving) = inner.improving()
        {
            lock(&inner.better).hurried = true;
            improving.ask_program(inner);
        }
    }

    /// Takes the code of an archive that was made of the same request in full quality.
    ///
    /// # Errors
    /// It is the archive of another program; the message says how one sees that. Nothing has changed then.
    pub fn replace_code(&self, archive: &[u8]) -> Result<(), String> {
        self.inner.replace_code(archive)
    }
}

impl Inner {
    pub(crate) fn improving(&self) -> Option<&Improving> {
        self.improving.get()
    }

    pub(crate) fn kernel_name(&self, kernel: usize) -> String {
        self.archive.kernels.get(kernel).map_or_else(String::new, |record| record.name.clone())
    }

    /// Whether the program waits for code in full quality.
    pub(crate) fn is_hurried(&self) -> bool {
        lock(&self.better).hurried
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

    /// Takes a kernel's function for a local size from an archive that was made later.
    pub(crate) fn add_function(&self, kernel: usize, local: [u64; 3], archive: &[u8]) -> Result<(), String> {
        let (later, _) = self.read_later(archive)?;
        let code = self.code(kernel, Target::Native).map_err(|error| error.to_string())?;
        code.add(&later, local).map_err(|error| error.to_string())?;
        let mut better = lock(&self.better);
        if better.hurried || better.full.is_some() {
            // The code above is to be replaced, or may just have been.
            better.early.push((kernel, local, Arc::new(later)));
        }
        // Launches may have got another watch with the full code meanwhile.
        if let Some(watch) = better.watches.get(&(kernel, Some(local))) {
            watch.improved();
        }
        Ok(())
    }

    /// Takes all code from an archive in full quality.
    pub(crate) fn replace_code(&self, archive: &[u8]) -> Result<(), String> {
        let (later, meta) = self.read_later(archive)?;
        let kernels = later.kernels.iter().zip(&self.archive.kernels);
        let same = later.kernels.len() == self.archive.kernels.len()
            && kernels.clone().all(|(one, other)| {
                one.name == other.name && one.args == other.args && one.local_sizes == other.local_sizes
            });
        if !same {
            return Err("what was made later has other kernels, parameters or variables".to_owned());
        }
        let archive = Arc::new(later);
        // Whatever cannot be used shall be found out here, not by a launch.
        for kernel in 0..self.code.len() {
            KernelCode::select(Arc::clone(&archive), meta.as_ref(), kernel, Target::Native)
                .map_err(|error| error.to_string())?;
        }
        let mut better = lock(&self.better);
        if better.full.is_some() {
            return Ok(());
        }
        better.full = Some(Full { archive, meta });
        better.hurried = false;
        let watches = std::mem::take(&mut better.watches);
        drop(better);
        for [native, _] in &self.code {
            *lock(native) = None;
        }
        // The last step: who sees it finds the new code.
        watches.values().for_each(|watch| watch.improved());
        Ok(())
    }

    /// A kernel's code, the best that there is.
    pub(super) fn code(&self, kernel: usize, target: Target) -> Result<Arc<KernelCode>, CodeError> {
        let mut slot = lock(&self.code[kernel][usize::from(target == Target::Reference)]);
        if let Some(code) = &*slot {
            return Ok(Arc::clone(code));
        }
        let better = lock(&self.better);
        let code = match &better.full {
            Some(full) if target == Target::Native => {
                let code = KernelCode::select(Arc::clone(&full.archive), full.meta.as_ref(), kernel, target)?;
                for (_, local, early) in better.early.iter().filter(|(known, ..)| *known == kernel) {
                    code.add(early, *local)?;
                }
                code
            }
            _ => KernelCode::select(Arc::clone(&self.archive), self.meta.as_ref(), kernel, target)?,
        };
        drop(better);
        Ok(Arc::clone(slot.insert(Arc::new(code))))
    }
}

impl Kernel {
    /// What watches the launches with this index space; none where no better function will be made for them. Asks for
    /// one if it is time. Comes before the choice of the code.
    pub(crate) fn watch(&self, target: Target, geometry: &Geometry) -> Option<Arc<Watch>> {
        let inner = &self.program.inner;
        let improving = inner.improving()?;
        if target != Target::Native || inner.meta.is_none() {
            return None;
        }
        let kernel = self.index;
        let mut better = lock(&inner.better);
        let hurried = better.hurried;
        if !hurried && !geometry.is_uniform() {
            return None;
        }
        let mut local = geometry.is_uniform().then_some(geometry.local);
        let sizes = (kernel, Some([0; 3]))..=(kernel, Some([u64::MAX; 3]));
        if !better.watches.contains_key(&(kernel, local)) && better.watches.range(sizes).count() >= SIZES {
            if !hurried {
                return None;
            }
            local = None;
        }
        let watched = (kernel, local);
        if let Some(watch) = better.watches.get(&watched) {
            let watch = Arc::clone(watch);
            drop(better);
            if let Some(local) = local
                && watch.is_due()
            {
                improving.ask(inner, kernel, local, Arc::clone(&watch));
            }
            return Some(watch);
        }
        let watch = Arc::new(Watch::new(if local.is_some() { HOT } else { Duration::MAX }));
        better.watches.insert(watched, Arc::clone(&watch));
        drop(better);
        let Some(local) = local.filter(|_| !hurried) else { return Some(watch) };
        if inner.code(kernel, target).is_ok_and(|code| code.is_specialised_for(local)) {
            // The program was built with it: there is nothing better to be had.
            watch.improved();
        } else if let Some(archive) = improving.kept(self.name(), local)
            && inner.add_function(kernel, local, &archive).is_ok()
        {
            watch.improved();
        }
        Some(watch)
    }
}
