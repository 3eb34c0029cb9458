//! What the runtime reports, in the command line's terms: errors with exit codes and help, buffers from data and back.

use crate::data::HostData;
use crate::data::element::Element;
use crate::error::CliError;
use oxcl_binary::meta::Access;
use oxcl_runtime::{
    Buffer, BufferError, Coded, Device, DeviceError, Kernel, LaunchError, LaunchReport, NdRange,
};

use crate::ui::Ui;

/// A device of the runtime.
pub(crate) fn device(device: crate::device::Device) -> Result<Device, CliError> {
    Device::by_name(device.word()).map_err(|e| device_error(&e))
}

/// Several devices of the runtime. Simulated processors among them share a memory and a clock.
pub(crate) fn devices(devices: &[crate::device::Device]) -> Result<Vec<Device>, CliError> {
    let words: Vec<&str> = devices.iter().map(|device| device.word()).collect();
    Device::by_names(&words).map_err(|e| device_error(&e))
}

/// A device that cannot be had.
pub(crate) fn device_error(error: &DeviceError) -> CliError {
    CliError::Device { message: format!("{error} [{}]", error.code()), help: None }
}

/// A buffer that cannot be had, or a command beyond its end.
pub(crate) fn buffer_error(error: &BufferError) -> CliError {
    CliError::Device { message: format!("{error} [{}]", error.code()), help: None }
}

/// A launch that was refused or failed. Code that is not for this machine is the file's fault, not the device's.
pub(crate) fn launch_error(error: &LaunchError) -> CliError {
    let message = format!("{error} [{}]", error.code());
    match error {
        LaunchError::Code(_) => CliError::Code { message, help: launch_help(error) },
        _ => CliError::Device { message, help: launch_help(error) },
    }
}

fn launch_help(error: &LaunchError) -> Option<String> {
    let help = match error {
        LaunchError::DoesNotDivide { .. } => {
            "choose a local size that divides the global size, or leave it out"
        }
        LaunchError::GroupTooLarge { .. } => "choose a smaller local size, or leave it out",
        LaunchError::RequiredSize { .. } => "give the size that the kernel requires, or leave it out",
        LaunchError::LocalMemory { .. } => "give smaller local arguments",
        LaunchError::OutOfBounds(_) => "give a larger buffer, or a smaller global size",
        LaunchError::Code(_) => "compile it for this machine: oxcl compile FILE.cl -o FILE.poclbin",
        LaunchError::Failed(_) => "try --device ref, which checks more",
        _ => return None,
    };
    Some(help.to_owned())
}

/// Says so where calls of printf found no room.
pub(crate) fn tell_dropped(ui: &mut Ui, report: &LaunchReport) {
    if report.print_dropped > 0 {
        let dropped = report.print_dropped;
        ui.message(&format!("the print buffer of a work-group was full: {dropped} calls of printf are lost"));
    }
}

/// The index space of a launch.
pub(crate) fn range(
    global: &[u64],
    local: Option<&[u64]>,
    offset: Option<&[u64]>,
) -> Result<NdRange, CliError> {
    let wrong = |e: oxcl_runtime::NdRangeError| CliError::usage(format!("{e} [{}]", e.code()));
    let mut range = NdRange::new(global).map_err(wrong)?;
    if let Some(local) = local {
        range = range.with_local(local).map_err(wrong)?;
    }
    if let Some(offset) = offset {
        range = range.with_offset(offset).map_err(wrong)?;
    }
    Ok(range)
}

/// A buffer that holds data.
pub(crate) fn upload(data: &HostData) -> Result<Buffer, CliError> {
    Buffer::from_bytes(&data.bytes).map_err(|e| buffer_error(&e))
}

/// What a buffer holds, as elements; a picture's size is kept.
pub(crate) fn download(buffer: &Buffer, element: Element, like: &HostData) -> HostData {
    HostData { element, bytes: buffer.to_vec(), picture: like.picture }
}

/// What a kernel does with the memory behind a parameter; without facts, anything.
pub(crate) fn access(kernel: &Kernel, position: usize) -> Access {
    kernel.meta().and_then(|meta| meta.args.get(position)).map_or(Access::ReadWrite, |facts| facts.access)
}

/// Whether memory is read, and whether it is written.
pub(crate) fn reads_writes(access: Access) -> (bool, bool) {
    match access {
        Access::None => (false, false),
        Access::Read => (true, false),
        Access::Write => (false, true),
        Access::ReadWrite => (true, true),
    }
}
