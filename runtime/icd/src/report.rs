//! Says why commands failed: to the function that a context was made with, or on standard error where it has none. The status of an
//! event is one of a handful of numbers; what a device found wrong is in the text.
//!
//! Launches that leave a buffer are told of in the same way, whether they run or not, each access once.
//!
//! Each cause is told once, whatever failed because of it. Commands on simulated processors, and in contexts with a
//! function, are watched; of others the causes are told that a blocking function or a wait comes upon.

use std::collections::BTreeSet;
use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use oxcl_runtime::{CommandFailure, OutOfBounds, Stage};

use crate::context::{Context, ContextNotify};
use crate::handle::Shared;
use crate::queue::Queue;
use crate::types::UserData;

/// Whom a context tells, and what it has told.
pub(crate) struct Reports {
    notify: ContextNotify,
    data: UserData,
    told: Mutex<Vec<Weak<CommandFailure>>>,
    /// Accesses beyond a buffer: kernel, parameter, and line.
    beyond: Mutex<BTreeSet<(String, String, u32)>>,
    /// Memory that was refused, where there is no function.
    short: AtomicBool,
}

impl Reports {
    pub(crate) fn to(notify: ContextNotify, data: UserData) -> Self {
        Self { notify, data, told: Mutex::default(), beyond: Mutex::default(), short: AtomicBool::new(false) }
    }

    /// Whether there is somebody to tell.
    pub(crate) fn has_function(&self) -> bool {
        self.notify.is_some()
    }

    /// Whether this is the first time that a cause is told.
    fn is_new(&self, cause: &Arc<CommandFailure>) -> bool {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.retain(|known| known.strong_count() > 0);
        let new = !told.iter().any(|known| std::ptr::eq(known.as_ptr(), Arc::as_ptr(cause)));
        if new {
            told.push(Arc::downgrade(cause));
        }
        new
    }
}

/// Tells why a command of a context failed.
pub(crate) fn tell(context: &Context, queue: Option<&Queue>, cause: &Arc<CommandFailure>) {
    // What the application did itself it knows.
    let own = matches!(*cause.here(), CommandFailure::UserEvent { .. } | CommandFailure::Abandoned);
    if own || !context.reports.is_new(cause) {
        return;
    }
    let device = queue.map(|queue| format!(" on {}", queue.device.whole().info.name));
    say(context, &format!("a command{} failed: {cause}", device.unwrap_or_default()));
}

/// Tells of a launch that leaves a buffer; it runs all the same, or is refused.
pub(crate) fn tell_beyond(context: &Context, access: &OutOfBounds, runs: bool) {
    let key = (access.kernel.clone(), access.argument.clone(), access.line);
    let new = context.reports.beyond.lock().unwrap_or_else(PoisonError::into_inner).insert(key);
    if new {
        let end = if runs { "; it stays within memory of the buffer, and runs" } else { "; it is refused" };
        say(context, &format!("{access}{end} (OXCL_BOUNDS)"));
    }
}

/// Tells of a call that found no memory: the context's function each time, standard error once.
pub(crate) fn tell_shortage(context: &Context, text: &str) {
    let reports = &context.reports;
    // Relaxed: two threads may tell, which does no harm.
    if reports.has_function() || !reports.short.swap(true, Ordering::Relaxed) {
        say(context, text);
    }
}

/// Calls the context's function.
#[expect(clippy::print_stderr, reason = "the application has named nobody else to tell")]
fn say(context: &Context, text: &str) {
    let Some(call) = context.reports.notify else {
        eprintln!("oxcl: {text}");
        return;
    };
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    let data = context.reports.data;
    context.pool.calls.post(move || {
        // SAFETY: the application registered the function for this call, and the text is kept until it returns.
        unsafe { call(text.as_ptr(), std::ptr::null(), 0, data) };
    });
}

/// Whether the ends of a queue's commands are looked at.
pub(crate) fn watches(queue: &Queue) -> bool {
    queue.context.reports.notify.is_some() || queue.device.whole().info.machine.is_some()
}

/// Tells why a command failed, if it will, without anybody having to ask.
pub(crate) fn watch(queue: &Shared<Queue>, event: &oxcl_runtime::Event) {
    if !watches(queue) {
        return;
    }
    let queue = queue.clone();
    // Where there is no memory for that nobody is told; the event has the failure all the same.
    let _ = event.on_stage(Stage::Complete, move |_, outcome| {
        if let Err(cause) = outcome {
            tell(&queue.context, Some(&queue), cause);
        }
        let calls = queue.context.pool.calls.clone();
        calls.let_go(queue);
    });
}
