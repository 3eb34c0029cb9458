//! What the devices do not have: pipes, queues on the device, constructors. The functions are there, as
//! OpenCL 3.0 demands, and return the errors that it names for absent features.

use crate::args::{In, Memory, Out};
use crate::cl;
use crate::context::Context;
use crate::device::Device;
use crate::handle::Handle;
use crate::mem::Mem;
use crate::program::{Program, ProgramNotify};
use crate::queue::Queue;
use crate::status::{Answer, ensure, refuse};
use crate::types::{Bitfield, Uint, UserData};

/// CL_INVALID_OPERATION if no device of the context has the feature (5.3.1, 5.4.1, 5.7).
fn not_in<T>(context: Handle<Context>) -> Answer<T> {
    context.get()?;
    refuse(cl::INVALID_OPERATION)
}

/// `clCreatePipe`.
pub(crate) fn create_pipe(
    context: Handle<Context>,
    _: Bitfield,
    _: Uint,
    _: Uint,
    _: In<isize>,
) -> Answer<Handle<Mem>> {
    not_in(context)
}

/// `clGetPipeInfo`: CL_INVALID_MEM_OBJECT for what is no pipe (5.4.2).
pub(crate) fn pipe_info(_: Handle<Mem>, _: Uint, _: usize, _: Memory, _: Out<usize>) -> Answer {
    refuse(cl::INVALID_MEM_OBJECT)
}

/// `clSetDefaultDeviceCommandQueue`: CL_INVALID_OPERATION if the device has no queues of its own (5.1).
pub(crate) fn set_default_queue(
    context: Handle<Context>,
    device: Handle<Device>,
    _: Handle<Queue>,
) -> Answer {
    let context = context.get()?;
    ensure(context.has(&*device.get()?), cl::INVALID_DEVICE)?;
    refuse(cl::INVALID_OPERATION)
}

/// `clSetProgramReleaseCallback`: CL_INVALID_OPERATION if no device has constructors at program scope (5.8.4).
pub(crate) fn release_callback(program: Handle<Program>, _: ProgramNotify, _: UserData) -> Answer {
    program.get()?;
    refuse(cl::INVALID_OPERATION)
}
