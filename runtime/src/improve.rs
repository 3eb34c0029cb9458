//! Better functions for programs that run already: made in the background, taken by the launches that come after.
//!
//! In: a program, the request that it was built from, and how much processor time its launches take
//! ([`oxcl_driver_cpu::Watch`]). Out: functions that are specialised for the local sizes that are launched. A launch that
//! was made ready keeps its function; nobody waits for anything here. Whatever goes wrong (the compiler is killed, the
//! program goes away meanwhile) leaves the program as it was.
//!
//! One thread asks a server of its own, which has a low priority. Both start with the first need and end when nothing
//! was wanted for a while.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use oxcl_driver_cpu::Watch;

use crate::compiler::BuildRequest;
use crate::program::Inner;
use crate::service::Service;

/// Processor time of its launches that makes a function worth a specialised one: about what making it costs.
pub(crate) const ENOUGH: Duration = Duration::from_millis(20);
/// For so many local sizes of a kernel, the first ones that are launched, functions are made.
pub(crate) const SIZES: usize = 4;
/// How long thread and server are kept without work.
const LINGER: Duration = Duration::from_secs(5);

/// What became of the making of a better function.
#[derive(Debug, Clone)]
pub struct Improvement {
    /// The kernel's name.
    pub kernel: String,
    /// The local size that it is for.
    pub local: [u64; 3],
    /// When it was begun with.
    pub begun: Instant,
    /// How long it took.
    pub elapsed: Duration,
    /// Whether launches take it from now on; if not, why not.
    pub outcome: Result<(), String>,
}

/// Is told of every improvement, on a thread of the improver's.
pub type ImprovementObserver = Arc<dyn Fn(&Improvement) + Send + Sync>;

/// Makes better functions in the background. Clones are the same.
#[derive(Clone)]
pub struct Improver {
    shared: Arc<Shared>,
}

struct Shared {
    /// A child of a fork has no such thread, and may find the lock held for ever.
    process: u32,
    service: Service,
    observer: Option<ImprovementObserver>,
    state: Mutex<State>,
    more: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Task>,
    /// There is a thread.
    at_work: bool,
}

/// A function to make.
struct Task {
    program: Weak<Inner>,
    kernel: usize,
    local: [u64; 3],
    watch: Arc<Watch>,
}

/// What a program needs to become better.
#[derive(Debug)]
pub(crate) struct Improving {
    improver: Improver,
    request: BuildRequest,
    /// The program was in the cache, and so may be what was made of it.
    cached: bool,
}

impl fmt::Debug for Improver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Improver").field("service", &self.shared.service).finish_non_exhaustive()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Improver {
    /// An improver that builds as `service` does, and keeps results where it does, with a server of its own.
    #[must_use]
    pub fn new(service: Service, observer: Option<ImprovementObserver>) -> Self {
        let (process, state, more) = (std::process::id(), Mutex::default(), Condvar::new());
        Self { shared: Arc::new(Shared { process, service, observer, state, more }) }
    }

    /// The thread begins with the first task.
    fn ask(&self, task: Task) {
        if self.shared.process != std::process::id() {
            return;
        }
        let mut state = self.shared.lock();
        state.waiting.push_back(task);
        if state.at_work {
            drop(state);
            self.shared.more.notify_one();
            return;
        }
        state.at_work = true;
        drop(state);
        let shared = Arc::clone(&self.shared);
        let started = thread::Builder::new().name("oxcl-improve".into()).spawn(move || shared.work());
        if started.is_err() {
            // Without a thread the program stays as it is.
            let mut state = self.shared.lock();
            state.at_work = false;
            let forgotten = std::mem::take(&mut state.waiting);
            drop(state);
            drop(forgotten);
        }
    }
}

impl Shared {
    fn work(&self) {
        let service = self.service.in_background();
        while let Some(task) = self.next() {
            // A program that is gone needs nothing any more.
            let Some(program) = task.program.upgrade() else { continue };
            let begun = Instant::now();
            let outcome = task.make(&program, &service);
            if let Some(observer) = &self.observer {
                let kernel = program.kernel_name(task.kernel);
                let elapsed = begun.elapsed();
                observer(&Improvement { kernel, local: task.local, begun, elapsed, outcome });
            }
        }
    }

    /// The next task; `None`, and the thread is to end, if there was none for a while.
    fn next(&self) -> Option<Task> {
        let mut state = self.lock();
        loop {
            if let Some(task) = state.waiting.pop_front() {
                return Some(task);
            }
            let (back, waited) =
                self.more.wait_timeout(state, LINGER).unwrap_or_else(PoisonError::into_inner);
            state = back;
            if waited.timed_out() && state.waiting.is_empty() {
                state.at_work = false;
                return None;
            }
        }
    }
}

impl Task {
    fn make(&self, program: &Inner, service: &Service) -> Result<(), String> {
        let improving = program.improving().ok_or("nothing is known of its sources")?;
        let request = improving.request_for(self.local);
        let built = service.specialise(&request, &program.kernel_name(self.kernel));
        let built = built.map_err(|error| error.to_string())?;
        program.add_function(self.kernel, self.local, &built.archive)?;
        self.watch.improved();
        Ok(())
    }
}

impl Improving {
    pub(crate) fn new(improver: Improver, request: BuildRequest, cached: bool) -> Self {
        Self { improver, request, cached }
    }

    fn request_for(&self, local: [u64; 3]) -> BuildRequest {
        BuildRequest { local_sizes: vec![local], ..self.request.clone() }
    }

    /// Has a function made for a kernel of `program`.
    pub(crate) fn ask(&self, program: &Arc<Inner>, kernel: usize, local: [u64; 3], watch: Arc<Watch>) {
        self.improver.ask(Task { program: Arc::downgrade(program), kernel, local, watch });
    }

    /// The archive with the function for a local size, where an earlier process had it made.
    pub(crate) fn kept(&self, kernel: &str, local: [u64; 3]) -> Option<Vec<u8>> {
        if !self.cached {
            return None;
        }
        let service = &self.improver.shared.service;
        service.kept_specialisation(&self.request_for(local), kernel).map(|built| built.archive)
    }
}
