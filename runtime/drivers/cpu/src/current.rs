//! A launch whose function is the best that there is at the time: work-groups that begin after better code came run that.
//!
//! In: a [`PreparedLaunch`] and, where its program takes better code, where that comes from. Out: the same work-groups with the
//! same results, whichever function runs them; long executions are cut into steps of a fraction of a millisecond, so that a launch
//! of seconds is measured while it runs and does not end in the code that it began with. Does not know what better code is,
//! nor who makes it.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, TryLockError, Weak};

use oxcl_driver::fault::KernelFailure;
use oxcl_driver::program::{LaunchRequest, LaunchShape, Program};
use oxcl_driver::watch::Watch;

use crate::launch::PreparedLaunch;
use crate::program::CpuProgram;
use crate::worker::Worker;

/// How often a launch takes better code: full quality, and a function for its local size.
const TIMES: usize = 2;

/// Where better code for a launch comes from.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// It goes when its last kernel does; launches keep the functions that they have.
    program: Weak<dyn Program>,
    kernel: usize,
    watch: Arc<Watch>,
    shape: LaunchShape,
    /// What the watch said before the function was chosen.
    number: u32,
}

impl Source {
    /// Of a launch of this shape that is about to be bound to a function.
    pub(crate) fn of(request: &LaunchRequest<'_>, shape: &LaunchShape) -> Option<Self> {
        let watch = Arc::clone(request.watch.as_ref()?);
        let (number, shape) = (watch.number(), shape.clone());
        Some(Self { program: Arc::downgrade(request.program), kernel: request.kernel, watch, shape, number })
    }
}

/// A launch, and what took its place while it ran.
#[derive(Debug)]
pub(crate) struct CurrentLaunch {
    first: Arc<PreparedLaunch>,
    source: Option<Source>,
    /// The number of the watch that was looked into last.
    number: AtomicU32,
    /// Held by who looks.
    looking: Mutex<()>,
    /// Filled from the first on.
    later: [OnceLock<PreparedLaunch>; TIMES],
}

thread_local! {
    /// The memory that work-groups need, of the thread that runs them.
    static WORKER: RefCell<Worker> = RefCell::new(Worker::new());
}

fn with_worker<R>(mut call: impl FnMut(&mut Worker) -> R) -> R {
    let kept = WORKER.try_with(|worker| worker.try_borrow_mut().ok().map(|mut worker| call(&mut worker)));
    match kept {
        Ok(Some(result)) => result,
        // A thread that ends has no memory of its own any more.
        _ => call(&mut Worker::new()),
    }
}

impl CurrentLaunch {
    pub(crate) fn new(first: PreparedLaunch, source: Option<Source>) -> Self {
        // Code that came later need not serve ids of 2^31 and more.
        let source = source.filter(|_| first.geometry().has_small_ids());
        let number = AtomicU32::new(source.as_ref().map_or(0, |source| source.number));
        Self { first: Arc::new(first), source, number, looking: Mutex::default(), later: Default::default() }
    }

    /// The launch as it was made ready.
    pub(crate) fn first(&self) -> &Arc<PreparedLaunch> {
        &self.first
    }

    /// The launch as work-groups that begin now run it.
    pub(crate) fn now(&self) -> &PreparedLaunch {
        self.later.iter().rev().find_map(OnceLock::get).unwrap_or(&self.first)
    }

    /// Takes better code if there is some.
    fn look(&self, source: &Source) {
        let number = source.watch.number();
        // Relaxed, here and below: it only says whether to look; what was found is published by its cell.
        if number == self.number.load(Ordering::Relaxed) {
            return;
        }
        let _looking = match self.looking.try_lock() {
            Ok(looking) => looking,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // The others go on with what there is.
            Err(TryLockError::WouldBlock) => return,
        };
        self.number.store(number, Ordering::Relaxed);
        let Some(program) = source.program.upgrade() else { return };
        let Some(program) = program.as_any().downcast_ref::<CpuProgram>() else { return };
        let now = self.now();
        let geometry = now.geometry();
        // What cannot be loaded or finds no memory is as good as none: the launch goes on as it is.
        let Ok(function) = program.function_for(source.kernel, geometry, &source.shape) else { return };
        if now.has_function(&function) {
            return;
        }
        if let (Ok(better), Some(cell)) =
            (now.with_function(function), self.later.iter().find(|cell| cell.get().is_none()))
        {
            // Nobody else fills it while this looks.
            let _ = cell.set(better);
        }
    }

    /// Runs `count` work-groups, from the one with linear index `first` on, on this thread.
    ///
    /// # Errors
    /// The kernel's failure, or a lack of memory; groups after the failing one are not run.
    ///
    /// # Safety
    /// The groups exist. The buffers that the arguments point to are alive, and whoever else touches them now synchronises
    /// with the kernel. The kernel keeps to them: nothing here stops it from writing elsewhere.
    pub(crate) unsafe fn run(&self, first: u64, count: u64) -> Result<(), KernelFailure> {
        with_worker(|worker| {
            let Some(source) = &self.source else {
                self.first.prepare(worker)?;
                // SAFETY: the worker is prepared; the rest by the caller's promise.
                return unsafe { self.first.run_groups(first, count, worker) };
            };
            let (end, mut next) = (first + count, first);
            let mut turn = worker.turn;
            let outcome = loop {
                self.look(source);
                let step = source.watch.step(self.first.grain()).min(end - next);
                let launch = self.now();
                // SAFETY: by the caller's promise.
                let run = || unsafe { run_on(launch, &self.first, next, step, worker) };
                let outcome = source.watch.run(next == 0, step, &mut turn, run);
                next += step;
                if outcome.is_err() || next == end {
                    break outcome;
                }
            };
            worker.turn = turn;
            outcome
        })
    }
}

/// Runs work-groups of `launch`, or of `first` where the other finds no memory.
///
/// # Safety
/// As for [`CurrentLaunch::run`]; both are the same launch.
unsafe fn run_on(
    launch: &PreparedLaunch,
    first: &PreparedLaunch,
    from: u64,
    count: u64,
    worker: &mut Worker,
) -> Result<(), KernelFailure> {
    let launch = if launch.prepare(worker).is_ok() {
        launch
    } else {
        first.prepare(worker)?;
        first
    };
    // SAFETY: the worker is prepared; the rest by the caller's promise.
    unsafe { launch.run_groups(from, count, worker) }
}
