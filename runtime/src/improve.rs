//! Better functions for programs that run already: made in the background, taken by the launches that come after.
//!
//! In: a program, the request that it was built from, and how much processor time its launches take
//! ([`oxcl_driver_cpu::Watch`]). Out: all functions in full quality, where the program was built in a hurry, and then
//! functions that are specialised for the local sizes that are launched. A launch that was made ready keeps its function;
//! nobody waits for anything here. Whatever goes wrong (the compiler is killed, the program goes away meanwhile) leaves the
//! program as it was.
//!
//! Two threads ask: one a server that lets everything else on the machine go first, for whole programs, which nobody has
//! waited for yet; the other the servers that builds have, for functions that take long already, because where these
//! run there is no idle processor. Each starts with the first need and ends when nothing was wanted for a while.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use oxcl_driver_cpu::Watch;
use oxcl_scheduler::thread::{SMALL_STACK, spawn};

use crate::compiler::{BuildRequest, CompilerService as _, Quality};
use crate::program::Inner;
use crate::service::Service;

/// Processor time of its launches that makes a function worth a specialised one: three times what making it costs or so, since
/// it is made beside them and slows them down meanwhile.
pub(crate) const HOT: Duration = Duration::from_millis(150);
/// When a program that was built in a hurry is built again, if it is still there: at once, but for programs that only look. Until the first launches there is often a processor with nothing to do, and the next process finds the result.
const REST: Duration = Duration::from_millis(10);
/// For so many local sizes of a kernel, the first ones that are launched, functions are made.
pub(crate) const SIZES: usize = 4;
/// How long a thread, and the server in the background, are kept without work.
const LINGER: Duration = Duration::from_secs(5);

/// What is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Better {
    /// All functions of a program that was built in a hurry.
    Program,
    /// A kernel's function for one local size.
    Function {
        /// The kernel's name.
        kernel: String,
        /// The local size.
        local: [u64; 3],
    },
}

/// What became of the making of something better.
#[derive(Debug, Clone)]
pub struct Improvement {
    /// What was to be made.
    pub better: Better,
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
    /// What can wait for an idle processor.
    cold: Line,
    /// What takes processors away from launches that need it.
    hot: Line,
}

/// What one thread has to do.
#[derive(Default)]
struct Line {
    state: Mutex<State>,
    more: Condvar,
}

#[derive(Default)]
struct State {
    /// Tasks and when each is due, in the order of these times.
    waiting: VecDeque<(Instant, Task)>,
    /// There is a thread.
    at_work: bool,
}

/// Something to make for a program.
struct Task {
    program: Weak<Inner>,
    what: What,
}

enum What {
    Program,
    Function { kernel: usize, local: [u64; 3], watch: Arc<Watch> },
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

impl Line {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Improver {
    /// An improver that builds as `service` does, and keeps results where it does, with a server of its own.
    #[must_use]
    pub fn new(service: Service, observer: Option<ImprovementObserver>) -> Self {
        let (process, cold, hot) = (std::process::id(), Line::default(), Line::default());
        Self { shared: Arc::new(Shared { process, service, observer, cold, hot }) }
    }

    /// Hands a task to the thread that is for it, which begins with the first one.
    fn ask(&self, task: Task) {
        if self.shared.process != std::process::id() {
            return;
        }
        // All of a line are put off for the same time, so the order is that of their coming.
        let (line, due) = match task.what {
            What::Program => (&self.shared.cold, Instant::now() + REST),
            What::Function { .. } => (&self.shared.hot, Instant::now()),
        };
        let mut state = line.lock();
        state.waiting.push_back((due, task));
        if state.at_work {
            drop(state);
            line.more.notify_one();
            return;
        }
        state.at_work = true;
        drop(state);
        let is_cold = std::ptr::eq(line, &self.shared.cold);
        let shared = Arc::clone(&self.shared);
        let work = move || {
            if is_cold {
                shared.work(&shared.cold, &shared.service.in_background());
            } else {
                shared.work(&shared.hot, &shared.service);
            }
        };
        if spawn("oxcl-improve", SMALL_STACK, work).is_err() {
            // Without a thread programs stay as they are.
            let forgotten = std::mem::take(&mut *line.lock());
            drop(forgotten);
        }
    }
}

impl Shared {
    fn work(&self, line: &Line, service: &Service) {
        while let Some(task) = line.next() {
            // A program that is gone needs nothing any more.
            let Some(program) = task.program.upgrade() else { continue };
            let begun = Instant::now();
            let outcome = match task.make(&program, service) {
                Ok(true) => Ok(()),
                Ok(false) => continue,
                Err(reason) => Err(reason),
            };
            if let Some(observer) = &self.observer {
                let better = match task.what {
                    What::Program => Better::Program,
                    What::Function { kernel, local, .. } => {
                        Better::Function { kernel: program.kernel_name(kernel), local }
                    }
                };
                observer(&Improvement { better, begun, elapsed: begun.elapsed(), outcome });
            }
        }
    }
}

impl Line {
    /// The next task; `None`, and the thread is to end, if there was none for a while.
    fn next(&self) -> Option<Task> {
        let mut state = self.lock();
        let mut idle = Instant::now();
        loop {
            let now = Instant::now();
            let due = state.waiting.front().map(|(at, _)| at.saturating_duration_since(now));
            if due == Some(Duration::ZERO) {
                return state.waiting.pop_front().map(|(_, task)| task);
            }
            if due.is_some() {
                idle = now;
            } else if idle.elapsed() >= LINGER {
                state.at_work = false;
                return None;
            }
            let (back, _) =
                self.more.wait_timeout(state, due.unwrap_or(LINGER)).unwrap_or_else(PoisonError::into_inner);
            state = back;
        }
    }
}

impl Task {
    /// Makes it, and says whether anything was left to make.
    fn make(&self, program: &Inner, service: &Service) -> Result<bool, String> {
        let improving = program.improving().ok_or("nothing is known of its sources")?;
        match &self.what {
            What::Program => {
                if !program.is_hurried() {
                    return Ok(false);
                }
                let built = service.build(&improving.full()).map_err(|error| error.to_string())?;
                program.replace_code(&built.archive)?;
            }
            What::Function { kernel, local, watch } => {
                let request = improving.request_for(*local);
                let built = service.specialise(&request, &program.kernel_name(*kernel));
                program.add_function(*kernel, *local, &built.map_err(|error| error.to_string())?.archive)?;
                watch.improved();
            }
        }
        Ok(true)
    }
}

impl Improving {
    pub(crate) fn new(improver: Improver, request: BuildRequest, cached: bool) -> Self {
        Self { improver, request, cached }
    }

    /// The request for all code in full quality.
    fn full(&self) -> BuildRequest {
        BuildRequest { quality: Quality::Full, ..self.request.clone() }
    }

    fn request_for(&self, local: [u64; 3]) -> BuildRequest {
        BuildRequest { local_sizes: vec![local], ..self.full() }
    }

    /// Has a function made for a kernel of `program`.
    pub(crate) fn ask(&self, program: &Arc<Inner>, kernel: usize, local: [u64; 3], watch: Arc<Watch>) {
        let what = What::Function { kernel, local, watch };
        self.improver.ask(Task { program: Arc::downgrade(program), what });
    }

    /// Has all code of `program` made again when a processor is idle.
    pub(crate) fn ask_program(&self, program: &Arc<Inner>) {
        self.improver.ask(Task { program: Arc::downgrade(program), what: What::Program });
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
