//! Contexts: the worker pool, and what is made for it. A process has one pool, that of [`Context::shared`]; tests and
//! measurements make contexts with pools of their own.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use oxcl_driver::Driver;
use oxcl_driver_cpu::{PagingKind, PagingObserver};
use oxcl_scheduler::{Observer, Options, QueueProperties, Scheduler, UserEvent};

use crate::device::{Device, DeviceError};
use crate::queue::{Queue, QueueError};

/// More threads than any machine has.
const MAX_THREADS: usize = oxcl_scheduler::MAX_WORKERS;
/// How many threads execute, if not as many as there are CPUs for this process.
const THREADS_VARIABLE: &str = "OXCL_NUM_THREADS";
/// Whether each thread of the pool is bound to one CPU.
const PIN_VARIABLE: &str = "OXCL_PIN";

/// How a context's pool is started.
#[derive(Debug, Clone, Default)]
pub struct ContextOptions {
    /// Threads that may execute, a waiting one included; 0: what `OXCL_NUM_THREADS` says, else as many as there are
    /// CPUs for this process.
    pub workers: usize,
    /// Bind each thread of the pool to one CPU, as `OXCL_PIN=1` does.
    pub pin: bool,
    /// Sees every executed command.
    pub observer: Option<Arc<dyn Observer>>,
    /// What becomes of launches that would leave a buffer.
    pub bounds: Bounds,
}

/// What becomes of a launch that leaves a buffer, as far as that can be told before it runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Bounds {
    /// It is an error.
    #[default]
    Refuse,
    /// It runs, and says so ([`Launch::beyond`](crate::Launch::beyond)), where it stays within memory that belongs to the
    /// buffer; else it is an error.
    Tell,
    /// Nobody looks.
    Ignore,
}

/// A pool of workers. Clones share it; its threads end with the last clone, device and queue.
#[derive(Debug, Clone)]
pub struct Context {
    scheduler: Arc<Scheduler>,
    /// Tells it from all other contexts.
    number: u64,
    /// There are devices with memory of their own.
    tracked: Arc<AtomicBool>,
    bounds: Bounds,
    observer: Option<Arc<dyn Observer>>,
}

static SHARED: Mutex<Option<Context>> = Mutex::new(None);

pub(crate) fn lock() -> MutexGuard<'static, Option<Context>> {
    SHARED.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Context {
    /// A context with a pool of its own.
    ///
    /// # Errors
    /// The environment asks for something impossible, or the system gives no threads.
    pub fn new(options: ContextOptions) -> Result<Self, DeviceError> {
        let workers = match options.workers {
            0 => thread_count()?.get(),
            given => given,
        };
        let ContextOptions { pin, observer, bounds, .. } = options;
        let pin = pin || environment_pins()?;
        let tracked = Arc::new(AtomicBool::new(false));
        let seen = observer.clone();
        let scheduler = Scheduler::start(Options { workers, pin, observer })
            .map_err(|error| DeviceError::Start { reason: reason(&error) })?;
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // Relaxed: the number only has to differ from all others.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        Ok(Self { scheduler: Arc::new(scheduler), number, tracked, bounds, observer: seen })
    }

    /// The context that devices get by name. Its pool starts when it is first asked for.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn shared() -> Result<Self, DeviceError> {
        let mut shared = lock();
        if let Some(context) = &*shared {
            return Ok(context.clone());
        }
        Ok(shared.insert(Self::new(ContextOptions::default())?).clone())
    }

    /// Starts the pool of [`Self::shared`] in a way of the caller's choice.
    ///
    /// # Errors
    /// It is running already; or as for [`Self::new`].
    pub fn start_shared(options: ContextOptions) -> Result<Self, DeviceError> {
        let mut shared = lock();
        if shared.is_some() {
            return Err(DeviceError::AlreadyStarted);
        }
        Ok(shared.insert(Self::new(options)?).clone())
    }

    /// Threads that may execute, a waiting one included.
    #[must_use]
    pub fn workers(&self) -> usize {
        self.scheduler.workers()
    }

    /// The device `cpu`, `basic` or `ref` on this pool. Each call makes another device; all share the pool.
    ///
    /// # Errors
    /// There is no device of that name.
    pub fn device(&self, name: &str) -> Result<Device, DeviceError> {
        Device::on(self, name)
    }

    /// A device for each of these names, as for [`Self::device`]; simulated processors among them share a memory and a clock.
    ///
    /// # Errors
    /// As for [`Self::device`].
    pub fn devices(&self, names: &[&str]) -> Result<Vec<Device>, DeviceError> {
        Device::all_on(self, names)
    }

    /// A device of a driver that the program brings along: what docs/add-a-driver.md makes runs kernels this way without a
    /// change to this crate. Where it has memory of its own its address space is a number that no other device has.
    ///
    /// # Errors
    /// The driver finds no device, or cannot make it ready.
    pub fn open(&self, driver: Arc<dyn Driver>) -> Result<Device, DeviceError> {
        Device::brought_along(self, driver)
    }

    /// A device of another context as a device of this one, too: the same memory and the same threads execute the
    /// commands of both, in the order in which they become ready. What is short is short for both. Pages that move are
    /// told to the observer of the context that the device was made for.
    ///
    /// # Errors
    /// There is no memory.
    pub fn share(&self, device: &Device) -> Result<Device, DeviceError> {
        device.shared_with(self)
    }

    /// A command queue for a device of this context.
    ///
    /// # Errors
    /// The device is another context's, or there is no memory.
    pub fn queue(&self, device: &Device, properties: QueueProperties) -> Result<Queue, QueueError> {
        if !Arc::ptr_eq(&self.scheduler, &device.context().scheduler) {
            return Err(QueueError::OtherContext);
        }
        Ok(Queue::new(self.scheduler.queue(Arc::clone(device.driver()), properties)?, device.clone()))
    }

    /// An event whose status the program sets.
    ///
    /// # Errors
    /// There is no memory.
    pub fn user_event(&self) -> Result<UserEvent, QueueError> {
        Ok(self.scheduler.user_event()?)
    }

    /// The clock of the times that events have: nanoseconds since the pool began.
    #[must_use]
    pub fn clock(&self) -> u64 {
        self.scheduler.clock()
    }

    /// Whether a thread of the pool executes commands, as far as that can be told.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.scheduler.is_busy()
    }

    /// The number that tells it from all other contexts.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// What becomes of launches that would leave a buffer.
    pub(crate) fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// From now on it is tracked where buffers' content is.
    pub(crate) fn keep_track(&self) {
        // Relaxed: whoever hands a device to another thread synchronises with it.
        self.tracked.store(true, Ordering::Relaxed);
    }

    /// Whether it is tracked where buffers' content is.
    pub(crate) fn keeps_track(&self) -> bool {
        self.tracked.load(Ordering::Relaxed)
    }

    /// Who tells the context's observer of pages that move.
    pub(crate) fn paging_observer(&self) -> Arc<dyn PagingObserver> {
        Arc::new(Pages { scheduler: Arc::downgrade(&self.scheduler), observer: self.observer.clone() })
    }

    pub(crate) fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }
}

/// Passes pages that move on to a context's observer.
#[derive(Debug)]
struct Pages {
    /// Devices live as long as their contexts, and not the other way round.
    scheduler: Weak<Scheduler>,
    observer: Option<Arc<dyn Observer>>,
}

impl PagingObserver for Pages {
    fn now(&self) -> u64 {
        self.scheduler.upgrade().map_or(0, |scheduler| scheduler.clock())
    }

    fn paged(&self, kind: PagingKind, bytes: u64, times: Range<u64>) {
        // A device that another context shares may be there longer than the context whose clock this is.
        if let Some(observer) = self.observer.as_ref().filter(|_| self.scheduler.strong_count() > 0) {
            let what = match kind {
                PagingKind::Upload => "upload",
                PagingKind::Download => "download",
                PagingKind::DeviceToDevice => "device to device",
                PagingKind::Out => "page out",
                PagingKind::In => "page in",
                PagingKind::Within => "move in memory",
            };
            observer.paged(what, bytes, times);
        }
    }
}

/// An error and its cause, on one line.
fn reason(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// As many threads as there are CPUs that this process may use, or what the environment says.
pub(crate) fn thread_count() -> Result<NonZeroUsize, DeviceError> {
    let Some(value) = std::env::var_os(THREADS_VARIABLE) else {
        // Knows the affinity mask and the control groups' shares.
        return Ok(NonZeroUsize::new(oxcl_scheduler::available_processors()).unwrap_or(NonZeroUsize::MIN));
    };
    parse_threads(&value.to_string_lossy())
}

/// Whether the environment asks for bound threads.
fn environment_pins() -> Result<bool, DeviceError> {
    std::env::var_os(PIN_VARIABLE).map_or(Ok(false), |value| parse_pin(&value.to_string_lossy()))
}

fn parse_pin(value: &str) -> Result<bool, DeviceError> {
    match value.trim() {
        "" | "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(DeviceError::Pin { value: value.to_owned() }),
    }
}

fn parse_threads(value: &str) -> Result<NonZeroUsize, DeviceError> {
    let count = value.trim().parse::<NonZeroUsize>().ok().filter(|count| count.get() <= MAX_THREADS);
    count.ok_or_else(|| DeviceError::ThreadCount { value: value.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_counts_are_checked() {
        assert_eq!(parse_threads(" 3 ").map(NonZeroUsize::get), Ok(3));
        for value in ["", "0", "-1", "many", "100000"] {
            assert!(parse_threads(value).is_err(), "{value}");
        }
    }

    #[test]
    fn threads_are_bound_where_the_environment_says_so() {
        assert_eq!([parse_pin(""), parse_pin("0"), parse_pin(" 1 ")], [Ok(false), Ok(false), Ok(true)]);
        assert_eq!(parse_pin("yes"), Err(DeviceError::Pin { value: "yes".to_owned() }));
    }

    #[test]
    fn devices_of_one_context_share_its_pool_and_queues_stay_in_it() {
        let one = Context::new(ContextOptions { workers: 2, ..ContextOptions::default() }).unwrap();
        let other = Context::new(ContextOptions { workers: 1, ..ContextOptions::default() }).unwrap();
        assert_eq!((one.workers(), other.workers()), (2, 1));
        let device = one.device("cpu").unwrap();
        assert_eq!(device.info().compute_units, 2);
        assert!(one.queue(&device, QueueProperties::default()).is_ok());
        let error = other.queue(&device, QueueProperties::default()).unwrap_err();
        assert!(matches!(error, QueueError::OtherContext));
    }
}
