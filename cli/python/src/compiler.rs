//! Programs from sources and archives, for a device: the compile service of this process, and what makes better code while
//! kernels run.

use oxcl_runtime::{
    BuildRequest, BuildTarget, Built, CompilerService as _, Compilers, Context, Device, ProcessCompilers,
    Program, Quality,
};
use std::path::Path;

use oxcl_workload::device;

use crate::raised::Raised;

static COMPILERS: ProcessCompilers = ProcessCompilers::new();

/// The compilers of this process; nobody is told of improvements.
fn compilers() -> Compilers {
    COMPILERS.get(|| None)
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
    let request = BuildRequest { quality: compilers.quality(), ..request };
    let built = compilers.service.build(&request)?;
    let program = Program::from_archive(&built.archive)?;
    compilers.improve(&program, request, &built);
    Ok((program, built))
}

/// The archive of a program in full quality: it is kept for longer than this process lives.
pub(crate) fn complete(request: &BuildRequest) -> Result<Vec<u8>, Raised> {
    let request = BuildRequest { quality: Quality::Full, ..request.clone() };
    Ok(compilers().service.build(&request)?.archive)
}
