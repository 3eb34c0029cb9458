//! Contexts: devices that share objects.

use std::ffi::{c_char, c_void};
use std::sync::{Mutex, PoisonError};

use oxcl_runtime::{PrintSink, SharedMemory};

use crate::args::{In, Memory, Out};
use crate::cl;
use crate::compiler;
use crate::device::{self, Device, Pool};
use crate::handle::{Handle, Live, Object, Shared, Weak};
use crate::info::Reply;
use crate::kernel::Kernel;
use crate::platform;
use crate::printing;
use crate::queue::Queue;
use crate::report::Reports;
use crate::status::{Answer, Status, ensure, refuse};
use crate::types::{Bitfield, Int, Uint, UserData};
use crate::usm::Allocations;

/// What is told why commands of a context failed.
pub(crate) type ContextNotify = Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, UserData)>;
/// What is called when a context goes.
pub(crate) type Destructor = Option<unsafe extern "C" fn(Handle<Context>, UserData)>;

/// A context.
pub(crate) struct Context {
    pub(crate) devices: Vec<Shared<Device>>,
    /// As given, with the 0 at the end; empty where none were.
    properties: Vec<isize>,
    pub(crate) pool: Pool,
    /// Memory that host and devices address alike.
    pub(crate) allocations: Allocations,
    pub(crate) reports: Reports,
    /// What takes what kernels print.
    printer: PrintSink,
    /// Which memory is zero at first, by the bits of `CL_CONTEXT_MEMORY_INITIALIZE_KHR`.
    zeroed: isize,
    destructors: Mutex<Vec<(unsafe extern "C" fn(Handle<Context>, UserData), UserData)>>,
    queues: Mutex<Vec<Weak<Queue>>>,
    /// Queues that the application has released while there were commands in them.
    left: Mutex<Vec<oxcl_runtime::Queue>>,
    /// Kernels that remember launches with memory known by its address.
    sharers: Mutex<Vec<Weak<Kernel>>>,
}

impl Object for Context {
    const TAG: u32 = 0x6f78_0003;
    const INVALID: Int = cl::INVALID_CONTEXT;

    fn gone(&mut self, handle: Handle<Context>) {
        let calls = std::mem::take(self.destructors.get_mut().unwrap_or_else(PoisonError::into_inner));
        // The last one registered is called first (4.4).
        for (call, data) in calls.into_iter().rev() {
            // SAFETY: the application registered the function for this call.
            unsafe { call(handle, data) };
        }
    }
}

impl Context {
    /// Remembers a queue that was made.
    pub(crate) fn add_queue(&self, queue: &Shared<Queue>) {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        queues.retain(|known| known.is_live());
        queues.push(queue.downgrade());
    }

    /// A queue goes: what is in it is still executed.
    pub(crate) fn leave(&self, queue: &oxcl_runtime::Queue) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let over: Vec<_> = left.extract_if(.., |queue| queue.is_idle()).collect();
        if !queue.is_idle() {
            left.push(queue.clone());
        }
        drop(left);
        drop(over);
    }

    /// All queues with commands that were enqueued and may not have ended, released ones too.
    pub(crate) fn all_queues(&self) -> Answer<Vec<oxcl_runtime::Queue>> {
        let shortage = |_| Status(cl::OUT_OF_HOST_MEMORY);
        let mut all = Vec::new();
        // What goes is let go of when the list is free.
        let mut live = Vec::new();
        let known = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        live.try_reserve_exact(known.len()).map_err(shortage)?;
        live.extend(known.iter().filter_map(|known| known.upgrade()));
        drop(known);
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        all.try_reserve_exact(live.len() + left.len()).map_err(shortage)?;
        all.extend(live.iter().map(|queue| queue.runtime.clone()));
        all.extend(left.iter().cloned());
        Ok(all)
    }

    /// Has the kernel forget launches when memory goes that is known by its address.
    pub(crate) fn shared_with(&self, kernel: &Shared<Kernel>) {
        let mut sharers = self.sharers.lock().unwrap_or_else(PoisonError::into_inner);
        let kernel = kernel.downgrade();
        if !sharers.contains(&kernel) {
            sharers.retain(|known| known.is_live());
            sharers.push(kernel);
        }
    }

    /// Gives memory back that is known by its address. What was remembered of it is forgotten; commands that use it keep
    /// it.
    pub(crate) fn release_memory(&self, pointer: *const u8) {
        // First: memory that is given back may be another piece at once.
        self.allocations.forget(pointer as usize);
        if !SharedMemory::release(pointer) {
            return;
        }
        let sharers = std::mem::take(&mut *self.sharers.lock().unwrap_or_else(PoisonError::into_inner));
        sharers.iter().filter_map(|known| known.upgrade()).for_each(|kernel| kernel.forget_launches());
    }

    /// What takes what kernels print.
    pub(crate) fn printer(&self) -> PrintSink {
        self.printer.clone()
    }

    /// The options that every program of the context is built with, beside its own: code, and what is kept of it, differs by them.
    pub(crate) fn build_options(&self) -> impl Iterator<Item = &'static str> {
        let options = [
            (cl::CONTEXT_MEMORY_INITIALIZE_LOCAL, "-oxcl-zero-local"),
            (cl::CONTEXT_MEMORY_INITIALIZE_PRIVATE, "-oxcl-zero-private"),
        ];
        options.into_iter().filter(|(bit, _)| self.zeroed & bit != 0).map(|(_, option)| option)
    }

    /// Whether any of the devices has shared virtual memory.
    pub(crate) fn shares_memory(&self) -> bool {
        self.devices.iter().any(|device| device.whole().shares_memory())
    }

    /// Whether the device is one of the context's.
    pub(crate) fn has(&self, device: &Live<Device>) -> bool {
        device::position(&self.devices, device).is_ok()
    }
}

/// Checks properties, and gives them as they are to be reported.
fn check_properties(properties: In<isize>) -> Answer<Vec<isize>> {
    if properties.is_null() {
        return Ok(Vec::new());
    }
    let mut list = properties.until(64, 2, |name| *name == 0);
    let mut seen = Vec::new();
    for pair in list.chunks_exact(2) {
        let &[name, value] = pair else { continue };
        // CL_INVALID_PROPERTY if a name is not supported, or given twice (4.4).
        ensure(!seen.contains(&name), cl::INVALID_PROPERTY)?;
        seen.push(name);
        match name {
            // CL_INVALID_PLATFORM if the platform is not valid (4.4).
            cl::CONTEXT_PLATFORM => {
                let ours = platform::root()?.platform.handle();
                ensure(ours.address() == value as usize, cl::INVALID_PLATFORM)?;
            }
            // CL_INVALID_PROPERTY if the value is not supported (4.4).
            cl::CONTEXT_INTEROP_USER_SYNC => ensure(value == 0 || value == 1, cl::INVALID_PROPERTY)?,
            // CL_INVALID_PROPERTY if there are other bits than those of the two kinds of memory (cl_khr_initialize_memory).
            cl::CONTEXT_MEMORY_INITIALIZE => {
                let known = cl::CONTEXT_MEMORY_INITIALIZE_LOCAL | cl::CONTEXT_MEMORY_INITIALIZE_PRIVATE;
                ensure(value & !known == 0, cl::INVALID_PROPERTY)?;
            }
            // Any address may be a function's; the size of the buffer is a wish (cl_arm_printf).
            cl::PRINTF_CALLBACK_ARM | cl::PRINTF_BUFFERSIZE_ARM => {}
            _ => return refuse(cl::INVALID_PROPERTY),
        }
    }
    list.push(0);
    Ok(list)
}

/// What takes what kernels print: the function among the properties, if there is one, which gets the user's data.
fn printer(properties: &[isize], data: UserData) -> PrintSink {
    let function = value_of(properties, cl::PRINTF_CALLBACK_ARM).and_then(printing::function);
    function.map_or_else(printing::standard_output, |call| printing::to_function(call, data))
}

/// The value of a property that is given.
fn value_of(properties: &[isize], name: isize) -> Option<isize> {
    properties.chunks_exact(2).find(|pair| pair[0] == name).map(|pair| pair[1])
}

fn make(
    properties: Vec<isize>,
    devices: Vec<Shared<Device>>,
    notify: ContextNotify,
    data: UserData,
) -> Answer<Handle<Context>> {
    let reports = Reports::to(notify, data);
    let printer = printer(&properties, data);
    // CL_INVALID_PROPERTY if a device does not clear memory (4.4): those with addresses of 32 bits report no such extension.
    let zeroed = value_of(&properties, cl::CONTEXT_MEMORY_INITIALIZE).unwrap_or(0);
    ensure(zeroed == 0 || !devices.iter().any(|device| device.whole().is_narrow()), cl::INVALID_PROPERTY)?;
    let pool = Pool::get()?;
    if reports.has_function() {
        pool.calls.expect()?;
    }
    // A program that makes a context is likely to build something.
    compiler::expect_builds();
    let (allocations, destructors) = (Allocations::default(), Mutex::default());
    let (queues, left, sharers) = (Mutex::default(), Mutex::default(), Mutex::default());
    let context = Context {
        devices,
        properties,
        pool,
        allocations,
        reports,
        printer,
        zeroed,
        destructors,
        queues,
        left,
        sharers,
    };
    Ok(Live::begin(context)?.give())
}

/// `clCreateContext`.
pub(crate) fn create(
    properties: In<isize>,
    count: Uint,
    devices: In<Handle<Device>>,
    notify: ContextNotify,
    data: UserData,
) -> Answer<Handle<Context>> {
    let properties = check_properties(properties)?;
    // CL_INVALID_VALUE if devices is NULL, num_devices is 0, or there is data without a function (4.4).
    ensure(notify.is_some() || data.is_null(), cl::INVALID_VALUE)?;
    let Some(handles) = devices.take(count as usize).filter(|handles| !handles.is_empty()) else {
        return refuse(cl::INVALID_VALUE);
    };
    // CL_INVALID_DEVICE if devices has an invalid device (4.4). Duplicates are ignored.
    make(properties, device::listed(handles)?, notify, data)
}

/// `clCreateContextFromType`.
pub(crate) fn create_from_type(
    properties: In<isize>,
    kind: Bitfield,
    notify: ContextNotify,
    data: UserData,
) -> Answer<Handle<Context>> {
    let properties = check_properties(properties)?;
    ensure(notify.is_some() || data.is_null(), cl::INVALID_VALUE)?;
    let known = cl::DEVICE_TYPE_DEFAULT
        | cl::DEVICE_TYPE_CPU
        | cl::DEVICE_TYPE_GPU
        | cl::DEVICE_TYPE_ACCELERATOR
        | cl::DEVICE_TYPE_CUSTOM;
    // CL_INVALID_DEVICE_TYPE if device_type is not a valid value (4.4).
    ensure(kind == cl::DEVICE_TYPE_ALL || (kind != 0 && kind & !known == 0), cl::INVALID_DEVICE_TYPE)?;
    make(properties, device::matching(&platform::root()?.devices, kind)?, notify, data)
}

/// `clRetainContext`.
pub(crate) fn retain(context: Handle<Context>) -> Answer {
    context.retain()
}

/// `clReleaseContext`.
pub(crate) fn release(context: Handle<Context>) -> Answer {
    context.release()
}

/// `clSetContextDestructorCallback`.
pub(crate) fn set_destructor(context: Handle<Context>, notify: Destructor, data: UserData) -> Answer {
    let context = context.get()?;
    // CL_INVALID_VALUE if pfn_notify is NULL (4.4).
    let Some(call) = notify else { return refuse(cl::INVALID_VALUE) };
    context.destructors.lock().unwrap_or_else(PoisonError::into_inner).push((call, data));
    Ok(())
}

/// `clGetContextInfo`.
pub(crate) fn get_info(
    context: Handle<Context>,
    name: Uint,
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
) -> Answer {
    let context = context.get()?;
    let reply = Reply::new(size, value, size_ret);
    match name {
        cl::CONTEXT_REFERENCE_COUNT => reply.value(context.references()),
        cl::CONTEXT_NUM_DEVICES => reply.value(context.devices.len() as Uint),
        cl::CONTEXT_DEVICES => {
            let handles: Vec<_> = context.devices.iter().map(|device| device.handle()).collect();
            reply.slice(&handles)
        }
        cl::CONTEXT_PROPERTIES => reply.slice(&context.properties),
        // CL_INVALID_VALUE if param_name is none of the supported values (4.4).
        _ => refuse(cl::INVALID_VALUE),
    }
}

/// Two objects must be of the same context.
pub(crate) fn same(one: &Shared<Context>, other: &Shared<Context>) -> Answer {
    ensure(one == other, cl::INVALID_CONTEXT)
}
