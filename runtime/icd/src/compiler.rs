//! The compile service of this process: `oxcl serve` in other processes.

use std::sync::{Mutex, MutexGuard, PoisonError};

use oxcl_runtime::{
    BuildRequest, Built, CompilerService as _, Improver, Program, Quality, Service, ServiceOptions,
};

use crate::log;

/// What builds, and what makes better functions later unless the environment says otherwise.
#[derive(Clone)]
struct Compilers {
    service: Service,
    improver: Option<Improver>,
    /// Standard error is told of builds.
    logs: bool,
}

static COMPILERS: Mutex<Option<(u32, Compilers)>> = Mutex::new(None);

/// The lock, to keep all others from it.
pub(crate) fn lock() -> impl std::any::Any {
    known()
}

fn known() -> MutexGuard<'static, Option<(u32, Compilers)>> {
    COMPILERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The compilers of this process. A child of a fork gets its own: the parent's pipes are the parent's.
fn compilers() -> Compilers {
    let mut known = known();
    let process = std::process::id();
    if let Some((owner, compilers)) = &*known
        && *owner == process
    {
        return compilers.clone();
    }
    let service = Service::new(ServiceOptions::from_environment());
    let improves = std::env::var("OXCL_IMPROVE").map_or(true, |value| value.trim() != "off");
    let logs = std::env::var("OXCL_LOG").is_ok_and(|value| log::wants_builds(&value));
    let improver = improves.then(|| Improver::new(service.clone(), logs.then(log::observer)));
    let compilers = Compilers { service, improver, logs };
    // Dropping the parent's would end servers that the parent uses.
    std::mem::forget(known.replace((process, compilers.clone())));
    compilers
}

/// The service of this process.
pub(crate) fn service() -> Service {
    compilers().service
}

/// How good the code of a build shall be that somebody waits for: good enough to begin with, where better code is made
/// meanwhile.
pub(crate) fn quality() -> Quality {
    if compilers().improver.is_some() { Quality::First } else { Quality::Full }
}

/// A program was built: better functions may be made of it.
pub(crate) fn improve(program: &Program, request: BuildRequest, built: &Built) {
    let compilers = compilers();
    if compilers.logs {
        log::built(built, program.kernel_names().count());
    }
    if let Some(improver) = compilers.improver {
        program.improve_with(&improver, request, built.quality, built.processor, built.cached);
    }
}

/// Nothing will be built soon.
pub(crate) fn end_idle() {
    service().end_idle();
}

/// Something will be built soon.
pub(crate) fn expect_builds() {
    service().prewarm();
}
