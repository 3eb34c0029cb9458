//! The compilers of a process: the service that builds its programs, and what makes better functions later unless the environment
//! says otherwise. Made when first asked for, and anew in a child of `fork`: the parent's pipes are the parent's.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::compiler::{BuildRequest, Built, Quality};
use crate::improve::{ImprovementObserver, Improver};
use crate::program::Program;
use crate::service::{Service, ServiceOptions};

/// What builds the programs of one process.
#[derive(Clone)]
pub struct Compilers {
    /// What builds.
    pub service: Service,
    /// Somebody is told of improvements.
    pub is_observed: bool,
    improver: Option<Improver>,
}

impl std::fmt::Debug for Compilers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Compilers").field("improves", &self.improver.is_some()).finish_non_exhaustive()
    }
}

impl Compilers {
    fn new(observer: Option<ImprovementObserver>) -> Self {
        let service = Service::new(ServiceOptions::from_environment());
        let improves = std::env::var("OXCL_IMPROVE").map_or(true, |value| value.trim() != "off");
        let is_observed = observer.is_some();
        let improver = improves.then(|| Improver::new(service.clone(), observer));
        Self { service, is_observed, improver }
    }

    /// How good the code of a build shall be that somebody waits for: good enough to begin with, where better code is made
    /// meanwhile.
    #[must_use]
    pub fn quality(&self) -> Quality {
        if self.improver.is_some() { Quality::First } else { Quality::Full }
    }

    /// A program was built: better functions may be made of it.
    pub fn improve(&self, program: &Program, request: BuildRequest, built: &Built) {
        if let Some(improver) = &self.improver {
            program.improve_with(improver, request, built.quality, built.processor, built.cached);
        }
    }
}

/// The place where a process has its compilers: a static variable.
#[derive(Debug)]
pub struct ProcessCompilers {
    /// With the process that they are of.
    known: Mutex<Option<(u32, Compilers)>>,
}

impl ProcessCompilers {
    /// A place that has none yet.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a static variable, which no default makes")]
    pub const fn new() -> Self {
        Self { known: Mutex::new(None) }
    }

    /// The compilers of this process. `observer` is asked when they are made.
    pub fn get(&self, observer: impl FnOnce() -> Option<ImprovementObserver>) -> Compilers {
        let mut known = self.lock();
        let process = std::process::id();
        if let Some((owner, compilers)) = &*known
            && *owner == process
        {
            return compilers.clone();
        }
        let compilers = Compilers::new(observer());
        // Dropping the parent's would end servers that the parent uses.
        std::mem::forget(known.replace((process, compilers.clone())));
        compilers
    }

    /// The lock, to keep all others from it.
    pub fn lock(&self) -> MutexGuard<'_, Option<(u32, Compilers)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
