//! Look-up of functions by name.

use crate::args::{Memory, Text};
use crate::cl;
use crate::handle::Handle;
use crate::platform::{self, Platform};
use crate::status::{Answer, Status};
use crate::table;

/// `clGetExtensionFunctionAddress`.
pub(crate) fn address(name: Text) -> Answer<Memory> {
    // NULL if there is no such function (5.18 of OpenCL 1.2).
    let name = name.get().ok_or(Status(cl::INVALID_VALUE))?;
    Ok(table::find(&name).map_or(Memory::NULL, Memory))
}

/// `clGetExtensionFunctionAddressForPlatform`.
pub(crate) fn address_for_platform(platform: Handle<Platform>, name: Text) -> Answer<Memory> {
    // NULL if the platform is not valid (4.1).
    platform::known(platform)?;
    address(name)
}
