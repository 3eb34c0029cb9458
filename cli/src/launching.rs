//! What the runtime reports, in the command line's terms: errors with exit codes and help, buffers from data and back.

use crate::error::CliError;
use oxcl_runtime::{Buffer, BufferError, Device, DeviceError, LaunchError, LaunchReport, NdRange};
use oxcl_workload::data::HostData;
use oxcl_workload::data::element::Element;
use oxcl_workload::host::{self, Refused};

use crate::ui::Ui;

/// A device of the runtime.
pub(crate) fn device(device: oxcl_workload::device::Device) -> Result<Device, CliError> {
    Device::by_name(device.word()).map_err(|e| device_error(&e))
}

/// A device that cannot be had.
pub(crate) fn device_error(error: &DeviceError) -> CliError {
    Refused::device(error).into()
}

/// A buffer that cannot be had, or a command beyond its end.
pub(crate) fn buffer_error(error: &BufferError) -> CliError {
    Refused::device(error).into()
}

/// A launch that was refused or failed.
pub(crate) fn launch_error(error: &LaunchError) -> CliError {
    Refused::launch(error).into()
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
    host::range(global, local, offset).map_err(|error| Refused::from(error).into())
}

/// A buffer that holds data.
pub(crate) fn upload(data: &HostData) -> Result<Buffer, CliError> {
    Buffer::from_bytes(&data.bytes).map_err(|e| buffer_error(&e))
}

/// What a buffer holds, as elements; a picture's size is kept.
pub(crate) fn download(buffer: &Buffer, element: Element, like: &HostData) -> HostData {
    HostData { element, bytes: buffer.to_vec(), picture: like.picture }
}
