//! What all commands have in common: the queue, the wait list, the event, and blocking. And the commands that are
//! nothing but that: markers and barriers.

use oxcl_runtime::QueueError;

use crate::args::{In, Out, list};
use crate::cl;
use crate::context::{self, Context};
use crate::event::Event;
use crate::handle::{Handle, Shared};
use crate::queue::Queue;
use crate::report;
use crate::shortage;
use crate::status::{Answer, Status, ensure};
use crate::types::{Int, Uint};

/// The events that a command waits for.
pub(crate) fn wait_list(
    context: &Shared<Context>,
    count: Uint,
    events: In<Handle<Event>>,
) -> Answer<Vec<oxcl_runtime::Event>> {
    if count == 0 && events.is_null() {
        return Ok(Vec::new());
    }
    // CL_INVALID_EVENT_WAIT_LIST if the list is NULL and its length is not 0 or the other way round, or if an event in
    // it is not valid (5.11 and every command).
    let invalid = cl::INVALID_EVENT_WAIT_LIST;
    let handles = list(count, events).ok_or(Status(invalid))?;
    events_of(context, &handles, invalid)
}

/// The events behind handles; `invalid` is the error for one that is none.
fn events_of(
    context: &Shared<Context>,
    handles: &[Handle<Event>],
    invalid: Int,
) -> Answer<Vec<oxcl_runtime::Event>> {
    let event = |handle: &Handle<Event>| {
        let event = handle.get().map_err(|_| Status(invalid))?;
        // CL_INVALID_CONTEXT if the queue and an event are of different contexts (every command).
        context::same(context, &event.context)?;
        Ok(event.runtime.clone())
    };
    handles.iter().map(event).collect()
}

/// Gives the application the event of a command that was enqueued, if it wants it.
pub(crate) fn publish(
    queue: &Shared<Queue>,
    command: Uint,
    event: oxcl_runtime::Event,
    out: Out<Handle<Event>>,
) -> Answer {
    if !out.is_null() {
        out.set(Event::of_command(queue, command, event)?.give());
    }
    Ok(())
}

/// The end of every function that enqueues: gives the event, and waits where the call blocks.
pub(crate) fn conclude(
    queue: &Shared<Queue>,
    command: Uint,
    blocking: bool,
    enqueued: Result<oxcl_runtime::Event, QueueError>,
    out: Out<Handle<Event>>,
) -> Answer {
    let event = enqueued.inspect_err(|error| shortage::refused(&queue.context, error))?;
    report::watch(queue, &event);
    if blocking {
        let outcome = event.wait();
        publish(queue, command, event, out)?;
        // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if the call blocks and an event that it waits for failed.
        outcome.map_err(|cause| {
            report::tell(&queue.context, Some(queue), &cause);
            Status(cl::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
        })
    } else {
        publish(queue, command, event, out)
    }
}

/// `clEnqueueMarkerWithWaitList`.
pub(crate) fn marker(
    queue: Handle<Queue>,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let queue = queue.get()?;
    let waits = wait_list(&queue.context, waits, list)?;
    conclude(&queue, cl::COMMAND_MARKER, false, queue.runtime.marker(&waits), event)
}

/// `clEnqueueBarrierWithWaitList`.
pub(crate) fn barrier(
    queue: Handle<Queue>,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let queue = queue.get()?;
    let waits = wait_list(&queue.context, waits, list)?;
    conclude(&queue, cl::COMMAND_BARRIER, false, queue.runtime.barrier(&waits), event)
}

/// `clEnqueueMarker`, of OpenCL 1.1.
pub(crate) fn marker_plain(queue: Handle<Queue>, event: Out<Handle<Event>>) -> Answer {
    let queue = queue.get()?;
    // CL_INVALID_VALUE if event is NULL (1.1, 5.10).
    ensure(!event.is_null(), cl::INVALID_VALUE)?;
    conclude(&queue, cl::COMMAND_MARKER, false, queue.runtime.marker(&[]), event)
}

/// `clEnqueueBarrier`, of OpenCL 1.1.
pub(crate) fn barrier_plain(queue: Handle<Queue>) -> Answer {
    let queue = queue.get()?;
    queue.runtime.barrier(&[])?;
    Ok(())
}

/// `clEnqueueWaitForEvents`, of OpenCL 1.1: a barrier that waits for events.
pub(crate) fn wait_for_events(queue: Handle<Queue>, count: Uint, events: In<Handle<Event>>) -> Answer {
    let queue = queue.get()?;
    // CL_INVALID_VALUE if there are no events (1.1, 5.10).
    let handles = list(count, events).filter(|all| !all.is_empty()).ok_or(Status(cl::INVALID_VALUE))?;
    queue.runtime.barrier(&events_of(&queue.context, &handles, cl::INVALID_EVENT)?)?;
    Ok(())
}
