//! Programs from sources and archives, for a device: the compile service of this process, and what makes better code while
//! kernels run.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use oxcl_runtime::{
    BuildRequest, BuildTarget, Built, CompilerService as _, Context, Device, Improver, Program, Quality,
    Service, ServiceOptions,
};

use oxcl_workload::device;

use crate::raised::Raised;

#[derive(Clone)]
struct Compilers {
    service: Service,
    improver: Option<Improver>,
}

static COMPILERS: Mutex<Option<(u32, Compilers)>> = Mutex::new(None);

/// The compilers of this process. A child of a fork gets its own: the parent's pipes are the parent's.
fn compilers() -> Compilers {
    let mut known = COMPILERS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if let Some((owner, compilers)) = &*known
        && *owner == process
    {
        return compilers.clone();
    }
    let service = Service::new(ServiceOptions::from_environment());
    let improves = std::env::var("OXCL_IMPROVE").map_or(true, |value| value.trim() != "off");
    let improver = improves.then(|| Improver::new(service.clone(), None));
    let compilers = Compilers { service, improver };
    // Dropping the parent's would end servers that the parent uses.
    std::mem::forget(known.replace((process, compilers.clone())));
    compilers
}

/// A device by the name that the command line and workloads use, or as `OXCL_DEVICES` names it.
pub(crate) fn device(name: &str) -> Result<Device, Raised> {
    let word = match device::Device::of_name(name, Path::new("")) {
        Some(known) => known.word(),
        None => name,
    };
    Ok(Context::shared()?.device(word)?)
}

/// Has code made for what these devices are.
pub(crate) fn for_devices(mut request: BuildRequest, devices: &[Device]) -> BuildRequest {
    let is_reference = |device: &&Device| device.info().name == "ref";
    let machines = devices.iter().filter_map(|device| device.info().machine.as_ref());
    request.machines = machines.map(|machine| machine.text.clone()).collect();
    request.machines.dedup();
    let references = devices.iter().filter(is_reference).count();
    let processors = devices.iter().filter(|device| device.info().machine.is_some()).count();
    request.target = match (references, devices.len() - references - processors) {
        (0, 0) => BuildTarget::Machines,
        (0, _) => BuildTarget::Cpu,
        (_, 0) => BuildTarget::Reference,
        _ => BuildTarget::Both,
    };
    request
}

/// Builds a program, as fast as it can be begun with; better code is made while it runs.
pub(crate) fn build(request: BuildRequest) -> Result<(Program, Built), Raised> {
    let compilers = compilers();
    let quality = if compilers.improver.is_some() { Quality::First } else { Quality::Full };
    let request = BuildRequest { quality, ..request };
    let built = compilers.service.build(&request)?;
    let program = Program::from_archive(&built.archive)?;
    if let Some(improver) = &compilers.improver {
        program.improve_with(improver, request, built.quality, built.processor, built.cached);
    }
    Ok((program, built))
}

/// The archive of a program in full quality: it is kept for longer than this process lives.
pub(crate) fn complete(request: &BuildRequest) -> Result<Vec<u8>, Raised> {
    let request = BuildRequest { quality: Quality::Full, ..request.clone() };
    Ok(compilers().service.build(&request)?.archive)
}
