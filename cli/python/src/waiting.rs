//! Waiting for what takes long: other threads of Python go on meanwhile, and Ctrl-C ends the waiting.
//!
//! Only the main thread is told of signals, and only between its own instructions. So there another thread does the work, the
//! same each time, and the main thread looks for signals while it waits. The work itself cannot be ended: it goes on, with what it uses, and
//! nobody takes its result.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use oxcl_runtime::thread::spawn;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often it is looked for signals.
const PERIOD: Duration = Duration::from_millis(50);
/// What a thread needs that runs kernels on the reference executor and loads programs.
const STACK: usize = 8 << 20;

/// Whether this is the thread that Python tells of signals.
fn is_main_thread() -> bool {
    // SAFETY: takes nothing, and cannot fail.
    let thread = unsafe { libc::gettid() };
    u32::try_from(thread) == Ok(std::process::id())
}

type Job = Box<dyn FnOnce() + Send>;

/// A thread that does the main thread's work, and waits for more of it.
struct Helper {
    jobs: Sender<Job>,
    /// A child of a fork has the channel without the thread.
    process: u32,
}

/// The one that has nothing to do. Starting a thread for each launch takes longer than many a launch.
static IDLE: Mutex<Option<Helper>> = Mutex::new(None);

fn idle() -> MutexGuard<'static, Option<Helper>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Helper {
    fn start() -> PyResult<Self> {
        let (jobs, waiting) = channel::<Job>();
        let run = move || waiting.into_iter().for_each(|job| job());
        spawn("oxcl-python", STACK, run)
            .map_err(|error| PyRuntimeError::new_err(format!("a thread cannot be started: {error}")))?;
        Ok(Self { jobs, process: std::process::id() })
    }

    /// The idle one, or a new one.
    fn get() -> PyResult<Self> {
        let known = idle().take().filter(|helper| helper.process == std::process::id());
        known.map_or_else(Self::start, Ok)
    }
}

/// Does `work` without holding the interpreter.
///
/// # Errors
/// A signal's handler raised one, such as `KeyboardInterrupt`; or there is no thread.
pub(crate) fn wait_for<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> R + Send + 'static,
) -> PyResult<R> {
    if !is_main_thread() {
        return Ok(py.detach(work));
    }
    let failed = || PyRuntimeError::new_err("oxcl failed in a thread of its own");
    let (give, take) = sync_channel(1);
    let run = move || {
        // Who was interrupted takes nothing any more.
        let _ = give.send(work());
    };
    // Where the waiting is interrupted it goes with this call, and its thread with the work.
    let helper = Helper::get()?;
    helper.jobs.send(Box::new(run)).map_err(|_| failed())?;
    // `Receiver` is for one thread, and that is this one.
    let take = Mutex::new(take);
    loop {
        let next = py.detach(|| {
            let take = take.lock().unwrap_or_else(PoisonError::into_inner);
            take.recv_timeout(PERIOD)
        });
        match next {
            Ok(result) => {
                *idle() = Some(helper);
                return Ok(result);
            }
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(failed()),
        }
    }
}
