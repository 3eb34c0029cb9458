//! Calls that find no memory. What is short may come back by itself: the application has released objects that commands in
//! flight still use, or another context has. So such a call is made again when memory came back, as long as there is
//! something in flight that can bring it; then the context is told why, and the call fails as the specification says.
//!
//! In: a call that has changed nothing where it fails for want of memory, and says so by [`refused`]. No lock of ours is held
//! at the border, where the call waits.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use oxcl_runtime::{BufferError, QueueError, memory_returns};

use crate::context::Context;
use crate::handle::Shared;
use crate::report;
use crate::status::Answer;

/// How long nothing is executed and no memory comes back until it is given up: commands wait for an event that the
/// application may only set after this call.
const PATIENCE: Duration = Duration::from_millis(200);

/// How long it is waited for at most, whatever is executed.
const LONGEST: Duration = Duration::from_secs(60);

/// Between two looks, at least and at most.
const PAUSES: [Duration; 2] = [Duration::from_micros(50), Duration::from_millis(2)];

/// What the last call of this thread was refused.
struct Refused {
    context: Shared<Context>,
    text: String,
    may_come_back: bool,
}

thread_local! {
    static REFUSED: RefCell<Option<Refused>> = const { RefCell::new(None) };
}

fn take() -> Option<Refused> {
    REFUSED.try_with(|place| place.borrow_mut().take()).ok().flatten()
}

/// The call that is being made fails because of this, if it is memory.
pub(crate) fn refused(context: &Shared<Context>, error: &QueueError) {
    let (text, may_come_back) = match error {
        QueueError::Buffer(BufferError::OutOfMemory(cause)) => (cause.to_string(), true),
        QueueError::DeviceMemory { .. } => (error.to_string(), false),
        _ => return,
    };
    let refused = Refused { context: context.clone(), text, may_come_back };
    let _ = REFUSED.try_with(|place| place.replace(Some(refused)));
}

/// The same for memory that is made outside of a queue.
pub(crate) fn refused_buffer(context: &Shared<Context>, error: BufferError) -> BufferError {
    refused(context, &QueueError::Buffer(error.clone()));
    error
}

/// What becomes of a call that failed: what it was answered, or what it is answered when it is made again.
pub(crate) fn again<T>(mut answer: Answer<T>, call: impl Fn() -> Answer<T>) -> Answer<T> {
    let Some(mut refused) = take() else { return answer };
    let mut wait = Wait::new();
    while refused.may_come_back && wait.next(&refused.context) {
        answer = call();
        match take() {
            Some(once_more) if answer.is_err() => refused = once_more,
            _ => return answer,
        }
    }
    report::tell_shortage(&refused.context, &refused.text);
    answer
}

/// Waiting for memory.
struct Wait {
    began: Instant,
    /// Since when nothing has been executed.
    idle: Option<Instant>,
    /// How often memory had come back when the call was made last.
    seen: Option<u64>,
    /// There was nothing in flight when the call was made last.
    is_last: bool,
}

impl Wait {
    fn new() -> Self {
        Self { began: Instant::now(), idle: None, seen: None, is_last: false }
    }

    /// Waits until it is worth while to make the call again. False where it is not.
    fn next(&mut self, context: &Shared<Context>) -> bool {
        if self.is_last {
            return false;
        }
        // Without memory for the list there is none for the call either.
        let Ok(queues) = context.all_queues() else { return false };
        // What nobody has flushed may wait for this thread.
        for queue in &queues {
            // A queue that cannot be flushed brings nothing.
            let _ = queue.flush();
        }
        let mut pause = PAUSES[0];
        loop {
            // Before memory is looked at: what was in flight may have brought some as it ended.
            let in_flight = queues.iter().any(|queue| !queue.is_idle());
            let returns = memory_returns();
            if self.seen != Some(returns) || !in_flight {
                self.seen = Some(returns);
                self.is_last = !in_flight;
                return true;
            }
            if context.pool.context.is_busy() {
                self.idle = None;
            } else if self.idle.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                return false;
            }
            if self.began.elapsed() > LONGEST {
                return false;
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(PAUSES[1]);
        }
    }
}
