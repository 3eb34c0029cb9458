//! Functions of the application that are called when an event reaches a status: by the thread of `calls.rs`.

use oxcl_runtime::Stage;

use crate::cl;
use crate::event::{Event, EventNotify};
use crate::handle::Handle;
use crate::status::{Answer, Status, of_failure, refuse};
use crate::types::{Int, UserData};

/// `clSetEventCallback`.
pub(crate) fn set(event: Handle<Event>, kind: Int, notify: EventNotify, data: UserData) -> Answer {
    let event = event.get()?;
    // CL_INVALID_VALUE if pfn_notify is NULL, or the status is none of the three (5.11).
    let Some(call) = notify else { return refuse(cl::INVALID_VALUE) };
    let stage = match kind {
        cl::SUBMITTED => Stage::Submitted,
        cl::RUNNING => Stage::Running,
        cl::COMPLETE => Stage::Complete,
        _ => return refuse(cl::INVALID_VALUE),
    };
    let calls = event.context.pool.calls.clone();
    calls.expect()?;
    let promise = calls.promise()?;
    // Kept until the call, so that the handle that the function gets is valid.
    let kept = event.clone();
    let function = promise.of(move |status| {
        // SAFETY: the application registered the function for this call.
        unsafe { call(kept.handle(), status, data) };
    })?;
    let registered = event.runtime.on_stage(stage, move |_, outcome| {
        // A command that failed is reported so to every function (5.11).
        function.call(outcome.as_ref().err().map_or(kind, |cause| of_failure(cause)));
    });
    registered.map_err(|_| Status(cl::OUT_OF_HOST_MEMORY))
}
