//! The compile service of this process: `oxcl serve` in other processes.

use std::sync::{Mutex, PoisonError};

use oxcl_runtime::{CompilerService as _, Service, ServiceOptions};

/// The service of this process. A child of a fork gets one of its own: the parent's pipes are the parent's.
pub(crate) fn service() -> Service {
    static SERVICE: Mutex<Option<(u32, Service)>> = Mutex::new(None);
    let mut known = SERVICE.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((owner, service)) = &*known
        && *owner == process
    {
        return service.clone();
    }
    let service = Service::new(ServiceOptions::from_environment());
    // Dropping the parent's would end servers that the parent uses.
    std::mem::forget(known.replace((process, service.clone())));
    service
}

/// Something will be built soon.
pub(crate) fn expect_builds() {
    service().prewarm();
}
