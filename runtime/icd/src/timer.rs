//! Times of commands, and the clocks of device and host, which are one.

use crate::args::{Memory, Out};
use crate::cl;
use crate::device::{Device, Pool};
use crate::event::Event;
use crate::handle::Handle;
use crate::info::Reply;
use crate::status::{Answer, ensure, refuse};
use crate::types::Uint;

/// `clGetEventProfilingInfo`.
pub(crate) fn get_profiling(
    event: Handle<Event>,
    name: Uint,
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
) -> Answer {
    let event = event.get()?;
    // CL_PROFILING_INFO_NOT_AVAILABLE for user events, where the queue keeps no times, and before the command is
    // complete (5.14).
    let profiles = event.queue.as_ref().is_some_and(|queue| queue.profiles());
    ensure(profiles && event.status() == cl::COMPLETE, cl::PROFILING_INFO_NOT_AVAILABLE)?;
    let times = event.runtime.times();
    // Commands that are nothing but their place in the queue have an end, but no execution of their own.
    let end = times.ended.max(times.queued);
    let or_end = |time: u64| if time == 0 { end } else { time };
    let reply = Reply::new(size, value, size_ret);
    match name {
        cl::PROFILING_COMMAND_QUEUED => reply.value(times.queued),
        cl::PROFILING_COMMAND_SUBMIT => reply.value(or_end(times.submitted)),
        cl::PROFILING_COMMAND_START => reply.value(or_end(times.started)),
        // No command has others that it started on the device: it is complete when it ends.
        cl::PROFILING_COMMAND_END | cl::PROFILING_COMMAND_COMPLETE => reply.value(end),
        // CL_INVALID_VALUE if param_name is none of the supported values (5.14).
        _ => refuse(cl::INVALID_VALUE),
    }
}

/// `clGetDeviceAndHostTimer`.
pub(crate) fn device_and_host(device: Handle<Device>, device_time: Out<u64>, host_time: Out<u64>) -> Answer {
    device.get()?;
    // CL_INVALID_VALUE if a place is NULL (4.2).
    ensure(!device_time.is_null() && !host_time.is_null(), cl::INVALID_VALUE)?;
    let now = Pool::get()?.context.clock();
    device_time.set(now);
    host_time.set(now);
    Ok(())
}

/// `clGetHostTimer`.
pub(crate) fn host(device: Handle<Device>, host_time: Out<u64>) -> Answer {
    device.get()?;
    // CL_INVALID_VALUE if the place is NULL (4.2).
    ensure(!host_time.is_null(), cl::INVALID_VALUE)?;
    host_time.set(Pool::get()?.context.clock());
    Ok(())
}
