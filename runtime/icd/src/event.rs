//! Events: those of commands, and those whose status the application sets.

use oxcl_runtime::{Stage, Status as EventStatus, UserEvent};

use crate::args::{In, Memory, Out, list};
use crate::cl;
use crate::context::Context;
use crate::handle::{Handle, Live, Object, Shared};
use crate::info::Reply;
use crate::queue::Queue;
use crate::report;
use crate::status::{Answer, Status, ensure, of_failure, refuse};
use crate::types::{Int, Uint, UserData};

/// What is called when an event reaches a status.
pub(crate) type EventNotify = Option<unsafe extern "C" fn(Handle<Event>, Int, UserData)>;

/// An event.
pub(crate) struct Event {
    pub(crate) context: Shared<Context>,
    /// None for user events.
    pub(crate) queue: Option<Shared<Queue>>,
    command: Uint,
    pub(crate) runtime: oxcl_runtime::Event,
    /// What sets the status of a user event.
    user: Option<UserEvent>,
}

impl Object for Event {
    const TAG: u32 = 0x6f78_0005;
    const INVALID: Int = cl::INVALID_EVENT;
}

impl Event {
    /// The event of a command.
    pub(crate) fn of_command(
        queue: &Shared<Queue>,
        command: Uint,
        runtime: oxcl_runtime::Event,
    ) -> Answer<Shared<Event>> {
        let (context, queue) = (queue.context.clone(), Some(queue.clone()));
        Live::begin(Event { context, queue, command, runtime, user: None })
    }

    /// The status as C reads it.
    pub(crate) fn status(&self) -> Int {
        match self.runtime.status() {
            EventStatus::Complete => cl::COMPLETE,
            EventStatus::Failed(cause) => of_failure(&cause),
            EventStatus::Pending(Stage::Queued) => cl::QUEUED,
            EventStatus::Pending(Stage::Submitted) => cl::SUBMITTED,
            EventStatus::Pending(_) => cl::RUNNING,
        }
    }
}

/// `clCreateUserEvent`.
pub(crate) fn create_user(context: Handle<Context>) -> Answer<Handle<Event>> {
    let context = context.get()?;
    let user = context.pool.context.user_event()?;
    let runtime = user.event().clone();
    let event = Event { context, queue: None, command: cl::COMMAND_USER, runtime, user: Some(user) };
    Ok(Live::begin(event)?.give())
}

/// `clSetUserEventStatus`.
pub(crate) fn set_user_status(event: Handle<Event>, status: Int) -> Answer {
    // Kept: setting the status may call functions that release the event.
    let event = event.get()?;
    // CL_INVALID_EVENT if event is no user event (5.11).
    let Some(user) = &event.user else { return refuse(cl::INVALID_EVENT) };
    // CL_INVALID_VALUE if the status is neither CL_COMPLETE nor negative (5.11).
    ensure(status <= cl::COMPLETE, cl::INVALID_VALUE)?;
    let set = if status == cl::COMPLETE { user.complete() } else { user.fail(status) };
    // CL_INVALID_OPERATION if the status was set before (5.11).
    ensure(set, cl::INVALID_OPERATION)
}

/// `clWaitForEvents`.
pub(crate) fn wait(count: Uint, events: In<Handle<Event>>) -> Answer {
    // CL_INVALID_VALUE if there are no events (5.11).
    let handles = list(count, events).filter(|all| !all.is_empty()).ok_or(Status(cl::INVALID_VALUE))?;
    let mut all: Vec<Shared<Event>> = Vec::with_capacity(handles.len());
    for handle in handles {
        all.push(handle.get()?);
    }
    // CL_INVALID_CONTEXT if events are of different contexts (5.11).
    for event in &all {
        ensure(event.context == all[0].context, cl::INVALID_CONTEXT)?;
    }
    let mut failed = false;
    for event in &all {
        if let Err(cause) = event.runtime.wait() {
            report::tell(&event.context, event.queue.as_deref().map(|queue| &**queue), &cause);
            failed = true;
        }
    }
    // CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST if the status of an event is negative (5.11).
    ensure(!failed, cl::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
}

/// `clRetainEvent`.
pub(crate) fn retain(event: Handle<Event>) -> Answer {
    event.retain()
}

/// `clReleaseEvent`.
pub(crate) fn release(event: Handle<Event>) -> Answer {
    event.release()
}

/// `clGetEventInfo`.
pub(crate) fn get_info(
    event: Handle<Event>,
    name: Uint,
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
) -> Answer {
    let event = event.get()?;
    let reply = Reply::new(size, value, size_ret);
    match name {
        // A user event has no queue: NULL (5.11).
        cl::EVENT_COMMAND_QUEUE => {
            reply.value(event.queue.as_ref().map_or(Handle::NULL, |queue| queue.handle()))
        }
        cl::EVENT_CONTEXT => reply.value(event.context.handle()),
        cl::EVENT_COMMAND_TYPE => reply.value(event.command),
        cl::EVENT_COMMAND_EXECUTION_STATUS => reply.value(event.status()),
        cl::EVENT_REFERENCE_COUNT => reply.value(event.references()),
        // CL_INVALID_VALUE if param_name is none of the supported values (5.11).
        _ => refuse(cl::INVALID_VALUE),
    }
}
