//! Commands on unified shared memory: those on shared virtual memory under other names.

use crate::args::{In, Memory, Out};
use crate::cl;
use crate::command::{conclude, wait_list};
use crate::event::Event;
use crate::handle::Handle;
use crate::map::direction;
use crate::queue::Queue;
use crate::status::Answer;
use crate::svm_commands::{copy_as, fill_as, with_shared_memory};
use crate::types::{Bitfield, Uint};
use crate::usm::check_range;

/// `clEnqueueMemcpyINTEL`.
#[expect(clippy::too_many_arguments, reason = "as many as the extension gives it")]
pub(crate) fn copy(
    queue: Handle<Queue>,
    blocking: Uint,
    to: Memory,
    from: Memory,
    size: usize,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    copy_as(cl::COMMAND_MEMCPY_INTEL, queue, blocking, [to, from], size, waits, list, event)
}

/// `clEnqueueMemFillINTEL`.
#[expect(clippy::too_many_arguments, reason = "as many as the extension gives it")]
pub(crate) fn fill(
    queue: Handle<Queue>,
    to: Memory,
    pattern: Memory,
    pattern_size: usize,
    size: usize,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    fill_as(cl::COMMAND_MEMFILL_INTEL, queue, to, (pattern, pattern_size), size, waits, list, event)
}

/// `clEnqueueMigrateMemINTEL`: host and device share the memory, so nothing moves.
pub(crate) fn migrate(
    queue: Handle<Queue>,
    pointer: Memory,
    size: usize,
    flags: Bitfield,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let queue = with_shared_memory(queue)?;
    check_range(&queue.context, pointer, size)?;
    // CL_INVALID_VALUE if the flags are not valid.
    direction(flags)?;
    let waits = wait_list(&queue.context, waits, list)?;
    conclude(&queue, cl::COMMAND_MIGRATEMEM_INTEL, false, queue.runtime.hold(&[], false, &waits), event)
}

/// `clEnqueueMemAdviseINTEL`: advice that needs no action.
pub(crate) fn advise(
    queue: Handle<Queue>,
    pointer: Memory,
    size: usize,
    _advice: Uint,
    waits: Uint,
    list: In<Handle<Event>>,
    event: Out<Handle<Event>>,
) -> Answer {
    let queue = with_shared_memory(queue)?;
    check_range(&queue.context, pointer, size)?;
    let waits = wait_list(&queue.context, waits, list)?;
    conclude(&queue, cl::COMMAND_MEMADVISE_INTEL, false, queue.runtime.hold(&[], false, &waits), event)
}
