//! Threads that run work-groups together: each takes the next chunk, large ones first, until none is left.
//!
//! N workers are N threads that may execute, the launching one included; the pool has N - 1 threads of its own, made
//! at the first launch that can use them, and for foreign code one more that takes the launching thread's place, which
//! has neither a stack of the right size nor the right to be at risk. Launches of several threads take turns.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use crate::error::{Failure, OutOfResources, Resource};
use crate::launch::{EntryKind, PreparedLaunch};
use crate::worker::Worker;

/// Stack of a pool thread: what foreign code may take; committed as it is touched.
const STACK_BYTES: usize = 64 << 20;

/// A chunk is this part of a worker's share of what is left.
const CHUNKS_PER_WORKER: u64 = 4;

/// The threads of a device.
#[derive(Debug)]
pub(crate) struct Pool {
    shared: Arc<Shared>,
    /// Held during a launch. Lock rank 1.
    turn: Mutex<Threads>,
}

#[derive(Debug, Default)]
struct Threads {
    handles: Vec<JoinHandle<()>>,
    /// Which of the workers have a thread; 0 is the stand-in for the launching thread.
    started: Vec<bool>,
}

#[derive(Debug)]
struct Shared {
    /// One for each worker, 0 being that of the launching thread or its stand-in. Lock rank 2: a launch prepares
    /// them before it is published, then each thread holds its own.
    workers: Vec<Mutex<Worker>>,
    /// Lock rank 3.
    state: Mutex<State>,
    /// A job was published, or the pool ends.
    changed: Condvar,
    /// A thread has left the job.
    left: Condvar,
}

#[derive(Debug, Default)]
struct State {
    job: Option<Arc<Job>>,
    /// Counts jobs, so that a thread does not take one twice.
    number: u64,
    /// Threads inside the job.
    inside: usize,
    ends: bool,
}

/// One launch being run.
#[derive(Debug)]
struct Job {
    launch: Arc<PreparedLaunch>,
    parties: u64,
    stand_in: bool,
    next: AtomicU64,
    stop: AtomicBool,
    failure: Mutex<Option<Failure>>,
    printed: Mutex<Vec<u8>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing under these locks is left half-changed by a panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Job {
    /// The next chunk of groups: first and count.
    fn take(&self) -> Option<(u64, u64)> {
        let total = self.launch.group_count();
        // Relaxed throughout: the counter hands out numbers and publishes nothing.
        let mut first = self.next.load(Ordering::Relaxed);
        loop {
            let rest = total.checked_sub(first).filter(|&rest| rest > 0)?;
            let count = (rest / (self.parties * CHUNKS_PER_WORKER)).max(1);
            match self.next.compare_exchange_weak(first, first + count, Ordering::Relaxed, Ordering::Relaxed)
            {
                Ok(_) => return Some((first, count)),
                Err(seen) => first = seen,
            }
        }
    }

    fn work(&self, worker: &mut Worker) {
        // Relaxed: a thread that sees the flag late runs a chunk more.
        while !self.stop.load(Ordering::Relaxed) {
            let Some((first, count)) = self.take() else { break };
            // SAFETY: the launch prepared every worker before the job was published; the buffers live and are guarded
            // by the promise of whoever called `Pool::run`; foreign code reaches only threads with large stacks.
            let result = unsafe { self.launch.run_groups(first, count, worker) };
            if let Err(failure) = result {
                self.stop.store(true, Ordering::Relaxed);
                lock(&self.failure).get_or_insert(failure);
            }
        }
        if self.launch.entry_kind() == EntryKind::Foreign {
            let text = worker.take_printed();
            lock(&self.printed).extend(text);
        }
    }
}

impl Pool {
    /// A pool of `workers` workers. Threads come with the first launch.
    pub(crate) fn new(workers: NonZeroUsize) -> Self {
        let shared = Shared {
            workers: (0..workers.get()).map(|_| Mutex::new(Worker::new())).collect(),
            state: Mutex::default(),
            changed: Condvar::new(),
            left: Condvar::new(),
        };
        let started = vec![false; workers.get()];
        Self { shared: Arc::new(shared), turn: Mutex::new(Threads { handles: Vec::new(), started }) }
    }

    pub(crate) fn workers(&self) -> usize {
        self.shared.workers.len()
    }

    /// Runs a launch and waits for its end. Gives what it printed.
    ///
    /// # Safety
    /// As for [`PreparedLaunch::run_groups`], for all groups; preparing workers and choosing threads is done here.
    pub(crate) unsafe fn run(&self, launch: &Arc<PreparedLaunch>) -> Result<Vec<u8>, Failure> {
        let stand_in = launch.entry_kind() == EntryKind::Foreign;
        let parties = launch.group_count().min(self.workers() as u64);
        let mut threads = lock(&self.turn);
        for worker in &self.shared.workers[..parties as usize] {
            launch.prepare(&mut lock(worker))?;
        }
        let job = Arc::new(Job {
            launch: Arc::clone(launch),
            parties: parties.max(1),
            stand_in,
            next: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            failure: Mutex::new(None),
            printed: Mutex::default(),
        });
        for index in usize::from(!stand_in)..parties as usize {
            self.start(&mut threads, index)?;
        }
        let published = stand_in || parties > 1;
        if published {
            let mut state = lock(&self.shared.state);
            state.job = Some(Arc::clone(&job));
            state.number += 1;
            drop(state);
            self.shared.changed.notify_all();
        }
        if !stand_in {
            job.work(&mut lock(&self.shared.workers[0]));
        }
        if published {
            self.finish(&job);
        }
        if let Some(failure) = lock(&job.failure).take() {
            return Err(failure);
        }
        let printed = std::mem::take(&mut *lock(&job.printed));
        Ok(printed)
    }

    /// Waits until every chunk is taken and every thread has left the job; then nobody can enter it any more.
    fn finish(&self, job: &Job) {
        let over = || {
            job.stop.load(Ordering::Relaxed) || job.next.load(Ordering::Relaxed) >= job.launch.group_count()
        };
        let mut state = lock(&self.shared.state);
        while state.inside > 0 || !over() {
            state = self.shared.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.job = None;
    }

    fn start(&self, threads: &mut Threads, index: usize) -> Result<(), OutOfResources> {
        if threads.started[index] {
            return Ok(());
        }
        let shared = Arc::clone(&self.shared);
        let builder = thread::Builder::new().name(format!("oxcl-cpu-{index}")).stack_size(STACK_BYTES);
        let handle = builder.spawn(move || shared.serve(index));
        threads.handles.push(handle.map_err(|_| OutOfResources { resource: Resource::Threads, amount: 1 })?);
        threads.started[index] = true;
        Ok(())
    }
}

impl Shared {
    /// A pool thread's life.
    fn serve(&self, index: usize) {
        let mut seen = 0;
        let mut state = lock(&self.state);
        loop {
            if state.ends {
                return;
            }
            let job = state.job.as_ref().filter(|job| state.number != seen && job.admits(index)).cloned();
            let Some(job) = job else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            seen = state.number;
            state.inside += 1;
            drop(state);
            job.work(&mut lock(&self.workers[index]));
            state = lock(&self.state);
            state.inside -= 1;
            self.left.notify_one();
        }
    }
}

impl Job {
    fn admits(&self, index: usize) -> bool {
        (index as u64) < self.parties && (index > 0 || self.stand_in)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        lock(&self.shared.state).ends = true;
        self.shared.changed.notify_all();
        for handle in lock(&self.turn).handles.drain(..) {
            // A thread that panicked has said so already.
            let _ = handle.join();
        }
    }
}
