//! Native kernels: functions of the application as commands.

use crate::args::{In, Memory, Out, list as listed};
use crate::cl;
use crate::command::wait_list;
use crate::context;
use crate::event::Event;
use crate::handle::{Handle, Shared};
use crate::mem::Mem;
use crate::queue::Queue;
use crate::status::{Answer, Status, ensure, refuse};
use crate::transfer::run;
use crate::types::Uint;

/// A function of the application that is a kernel.
pub(crate) type NativeKernel = Option<unsafe extern "C" fn(Memory)>;

/// `clEnqueueNativeKernel`.
#[expect(clippy::too_many_arguments, reason = "as many as OpenCL gives it")]
pub(crate) fn enqueue(
    queue: Handle<Queue>,
    call: NativeKernel,
    args: Memory,
    size: usize,
    count: Uint,
    objects: In<Handle<Mem>>,
    places: In<Memory>,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let queue = queue.get()?;
    // CL_INVALID_VALUE if there is no function; if there are arguments of no size or a size without arguments; if there
    // are objects without arguments, or without their places (5.10).
    let Some(call) = call else { return refuse(cl::INVALID_VALUE) };
    ensure(args.is_null() == (size == 0), cl::INVALID_VALUE)?;
    ensure(count == 0 || !args.is_null(), cl::INVALID_VALUE)?;
    let handles = listed(count, objects).ok_or(Status(cl::INVALID_VALUE))?;
    let places = listed(count, places).ok_or(Status(cl::INVALID_VALUE))?;
    let mut all: Vec<Shared<Mem>> = Vec::with_capacity(handles.len());
    for handle in handles {
        // CL_INVALID_MEM_OBJECT if one is not valid (5.10).
        let object = handle.get()?;
        context::same(&queue.context, &object.context)?;
        all.push(object);
    }
    let waits = wait_list(&queue.context, waits, list)?;
    // The arguments are copied, and the places in the copy get the objects' addresses (5.10).
    let mut copy = args.copy(size).unwrap_or_default();
    for (object, place) in all.iter().zip(places) {
        let at = place.address().wrapping_sub(args.address());
        let end = at.checked_add(size_of::<usize>()).filter(|end| *end <= size);
        // CL_INVALID_VALUE if a place is not in the arguments.
        let bytes = end.and_then(|end| copy.get_mut(at..end)).ok_or(Status(cl::INVALID_VALUE))?;
        bytes.copy_from_slice(&(object.buffer.host_address() as usize).to_ne_bytes());
    }
    let work = move || {
        let args = copy.clone();
        let place = if args.is_empty() { Memory::NULL } else { Memory(args.as_ptr().cast_mut().cast()) };
        // SAFETY: the application gave the function to be called with a copy of its arguments.
        unsafe { call(place) };
        Ok(())
    };
    let buffers = all.iter().map(|object| object.buffer.clone()).collect();
    let enqueue = || queue.runtime.call("native kernel", work, buffers, &waits);
    let kept: Vec<&Shared<Mem>> = all.iter().collect();
    run(&queue, cl::COMMAND_NATIVE_KERNEL, false, &kept, enqueue, event)
}
