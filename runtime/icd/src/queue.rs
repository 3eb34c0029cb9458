//! Command queues.

use oxcl_runtime::QueueProperties;

use crate::args::{In, Memory, Out};
use crate::cl;
use crate::context::Context;
use crate::device::Device;
use crate::handle::{Handle, Live, Object, Shared};
use crate::info::Reply;
use crate::status::{Answer, ensure, refuse};
use crate::types::{Bitfield, Int, Property, Uint};

/// A command queue of the host.
pub(crate) struct Queue {
    pub(crate) context: Shared<Context>,
    pub(crate) device: Shared<Device>,
    pub(crate) runtime: oxcl_runtime::Queue,
    pub(crate) properties: Bitfield,
    /// As given, with the 0 at the end; none where the queue was made without a list.
    list: Vec<Property>,
}

impl Object for Queue {
    const TAG: u32 = 0x6f78_0004;
    const INVALID: Int = cl::INVALID_COMMAND_QUEUE;

    fn gone(&mut self, _: Handle<Queue>) {
        self.context.leave(&self.runtime);
    }
}

impl Queue {
    /// Whether the queue keeps the times of its commands.
    pub(crate) fn profiles(&self) -> bool {
        self.properties & cl::QUEUE_PROFILING_ENABLE != 0
    }
}

fn make(
    context: &Shared<Context>,
    device: Shared<Device>,
    properties: Bitfield,
    list: Vec<Property>,
) -> Answer<Handle<Queue>> {
    let wanted = QueueProperties {
        out_of_order: properties & cl::QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE != 0,
        profiling: properties & cl::QUEUE_PROFILING_ENABLE != 0,
    };
    let pool = &context.pool;
    let mut runtime = pool.context.queue(&pool.devices[device.whole().index], wanted)?;
    if device.units < device.whole().units {
        runtime = runtime.limited_to(device.units as u64);
        if device.is_bound() {
            runtime = runtime.bound_to(&device.cpus);
        }
    }
    let queue = Live::begin(Queue { context: context.clone(), device, runtime, properties, list })?;
    context.add_queue(&queue);
    Ok(queue.give())
}

/// `clCreateCommandQueue`.
pub(crate) fn create_plain(
    context: Handle<Context>,
    device: Handle<Device>,
    properties: Bitfield,
) -> Answer<Handle<Queue>> {
    let (context, device) = (context.get()?, device.get()?);
    // CL_INVALID_DEVICE if the device is not of the context (5.1).
    ensure(context.has(&device), cl::INVALID_DEVICE)?;
    // CL_INVALID_VALUE if properties are not valid (5.1).
    let known = cl::QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::QUEUE_PROFILING_ENABLE;
    ensure(properties & !known == 0, cl::INVALID_VALUE)?;
    make(&context, device, properties, Vec::new())
}

/// `clCreateCommandQueueWithProperties`.
pub(crate) fn create(
    context: Handle<Context>,
    device: Handle<Device>,
    properties: In<Property>,
) -> Answer<Handle<Queue>> {
    let (context, device) = (context.get()?, device.get()?);
    // CL_INVALID_DEVICE if the device is not of the context (5.1).
    ensure(context.has(&device), cl::INVALID_DEVICE)?;
    let mut list = properties.until(64, 2, |name| *name == 0);
    let mut wanted = 0;
    for pair in list.chunks_exact(2) {
        let &[name, value] = pair else { continue };
        match name {
            cl::QUEUE_PROPERTIES => wanted = value,
            // Queues on the device are absent: CL_INVALID_QUEUE_PROPERTIES (5.1).
            cl::QUEUE_SIZE => return refuse(cl::INVALID_QUEUE_PROPERTIES),
            // cl_khr_priority_hints and cl_khr_throttle_hints: one of three values. They are hints; all threads serve
            // all queues.
            cl::QUEUE_PRIORITY_KHR | cl::QUEUE_THROTTLE_KHR => {
                ensure(matches!(value, 1 | 2 | 4), cl::INVALID_VALUE)?;
            }
            // CL_INVALID_VALUE if a property is not valid (5.1).
            _ => return refuse(cl::INVALID_VALUE),
        }
    }
    let on_device = cl::QUEUE_ON_DEVICE | cl::QUEUE_ON_DEVICE_DEFAULT;
    let known = cl::QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | cl::QUEUE_PROFILING_ENABLE;
    ensure(wanted & !(known | on_device) == 0, cl::INVALID_VALUE)?;
    // CL_INVALID_QUEUE_PROPERTIES if properties are valid and the device does not support them (5.1).
    ensure(wanted & on_device == 0, cl::INVALID_QUEUE_PROPERTIES)?;
    if !properties.is_null() {
        list.push(0);
    }
    make(&context, device, wanted, list)
}

/// `clRetainCommandQueue`.
pub(crate) fn retain(queue: Handle<Queue>) -> Answer {
    queue.retain()
}

/// `clReleaseCommandQueue`: flushes what is in it (5.1).
pub(crate) fn release(queue: Handle<Queue>) -> Answer {
    queue.get()?.runtime.flush()?;
    queue.release()
}

/// `clSetCommandQueueProperty`, of OpenCL 1.0.
pub(crate) fn set_property(queue: Handle<Queue>, _: Bitfield, _: Uint, _: Out<Bitfield>) -> Answer {
    queue.get()?;
    // CL_INVALID_OPERATION where the platform is newer than OpenCL 1.0 (1.1, appendix).
    refuse(cl::INVALID_OPERATION)
}

/// `clFlush`.
pub(crate) fn flush(queue: Handle<Queue>) -> Answer {
    Ok(queue.get()?.runtime.flush()?)
}

/// `clFinish`.
pub(crate) fn finish(queue: Handle<Queue>) -> Answer {
    Ok(queue.get()?.runtime.finish()?)
}

/// `clGetCommandQueueInfo`.
pub(crate) fn get_info(
    queue: Handle<Queue>,
    name: Uint,
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
) -> Answer {
    let queue = queue.get()?;
    let reply = Reply::new(size, value, size_ret);
    match name {
        cl::QUEUE_CONTEXT => reply.value(queue.context.handle()),
        cl::QUEUE_DEVICE => reply.value(queue.device.handle()),
        cl::QUEUE_REFERENCE_COUNT => reply.value(queue.references()),
        cl::QUEUE_PROPERTIES_INFO => reply.value(queue.properties),
        cl::QUEUE_PROPERTIES_ARRAY => reply.slice(&queue.list),
        cl::QUEUE_DEVICE_DEFAULT => reply.value(Handle::<Queue>::NULL),
        // CL_INVALID_COMMAND_QUEUE if a queue of the host is asked for the size of a queue on the device (5.1).
        cl::QUEUE_SIZE_INFO => refuse(cl::INVALID_COMMAND_QUEUE),
        // CL_INVALID_VALUE if param_name is none of the supported values (5.1).
        _ => refuse(cl::INVALID_VALUE),
    }
}
