//! What a server does when its host ends: nothing, unless other processes will want what it makes. Then it finishes the job at
//! hand, does what the host has listed and nobody else does, keeps the results, and ends.
//!
//! In: the job that is begun and ended, a file of jobs, and word from the watch that the host has gone. Out: results in the
//! cache; nothing more after [`PATIENCE`]. Jobs that only the host wanted are not finished.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use oxcl_binary::pipe::{Done, Failed, Job, read_frame};
use oxcl_runtime::{Cache, CacheKey, Claimed};

use super::limits;

/// How long jobs go on after their host has ended. On a machine with idle processors all but the largest kernels take less than
/// a second.
const PATIENCE: Duration = Duration::from_secs(10);
/// So long a server without work leaves it to those that have some to say what they go on with.
const FIRST: Duration = Duration::from_millis(50);

/// What watch and server know of each other.
#[derive(Debug, Default)]
pub(super) struct Orphan {
    /// Where results are kept; none: nowhere.
    cache: Option<Cache>,
    /// What the host wants and has not got yet.
    waiting: Option<File>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The job at hand is for the cache.
    job: Option<AtWork>,
    /// Everything else on the machine goes first.
    stepped_back: bool,
    host_has_ended: bool,
    /// The claim on the job at hand, once the host has ended.
    claimed: Option<Claimed>,
}

/// A job whose result is kept.
#[derive(Debug)]
struct AtWork {
    key: CacheKey,
    identity: [u8; 32],
    since: Instant,
    /// Processor time that the process had had then.
    before: Duration,
}

impl AtWork {
    /// Whether it gets less than half of a processor.
    fn is_starved(&self) -> bool {
        limits::processor_time_of_all().saturating_sub(self.before) * 2 < self.since.elapsed()
    }
}

impl Orphan {
    /// `waiting` is opened while the host lives.
    pub(super) fn new(cache: Option<Cache>, waiting: Option<File>) -> Self {
        Self { cache, waiting, state: Mutex::default() }
    }

    pub(super) fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing under this lock is left half-changed by a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on everything else on the machine goes first.
    pub(super) fn has_stepped_back(&self) {
        self.lock().stepped_back = true;
    }

    /// A job begins whose result is to be kept.
    pub(super) fn begin(&self, job: &Job, identity: &[u8; 32]) {
        let (key, before) = (CacheKey::of(job, identity), limits::processor_time_of_all());
        if self.cache.is_some() {
            self.lock().job = Some(AtWork { key, identity: *identity, since: Instant::now(), before });
        }
    }

    /// The job is done, or was not to be done. Keeps the result, and says whether that wrote anything. If nobody is left to take
    /// it, does with `run` what is listed, and ends the process.
    pub(super) fn end(&self, done: Option<&Done>, run: impl FnMut(&Job) -> Result<Done, Failed>) -> bool {
        let known = self.lock().job.as_ref().map(|job| (job.key, job.identity));
        let (Some((key, identity)), Some(cache)) = (known, &self.cache) else { return false };
        let written = done.map_or(0, |done| cache.keep(&key, done));
        let mut state = self.lock();
        if state.host_has_ended {
            drop(state.claimed.take());
            drop(state);
            self.do_listed(cache, &identity, run);
            limits::end();
        }
        state.job = None;
        written > 0
    }

    /// The host has ended while there was nothing to do: does what is listed.
    pub(super) fn inherit(&self, identity: &[u8; 32], run: impl FnMut(&Job) -> Result<Done, Failed>) {
        if let (Some(cache), true) = (&self.cache, self.has_listed()) {
            self.lock().host_has_ended = true;
            thread::sleep(FIRST);
            self.do_listed(cache, identity, run);
        }
    }

    fn has_listed(&self) -> bool {
        self.listed().next().is_some()
    }

    /// The jobs of the list. The last may be cut off.
    fn listed(&self) -> impl Iterator<Item = Job> {
        let mut from = self.waiting.as_ref().map(|file| Reader { file, at: 0 });
        std::iter::from_fn(move || Job::decode(&read_frame(from.as_mut()?).ok()?.payload).ok())
    }

    /// Does the jobs of the list that nobody else has done or does.
    fn do_listed(
        &self,
        cache: &Cache,
        identity: &[u8; 32],
        mut run: impl FnMut(&Job) -> Result<Done, Failed>,
    ) {
        if self.lock().stepped_back {
            // For others, who have a processor.
            return;
        }
        for job in self.listed() {
            let key = CacheKey::of(&job, identity);
            let Some(claimed) = cache.claim_at_once(&key) else { continue };
            self.lock().claimed = Some(claimed);
            if let Ok(done) = run(&job) {
                cache.keep(&key, &done);
            }
            drop(self.lock().claimed.take());
        }
    }

    /// The host has ended. Returns when this process is to end too: at once if there is nothing to do for others.
    pub(super) fn host_has_ended(&self) {
        let mut state = self.lock();
        state.host_has_ended = true;
        let State { job, claimed, stepped_back, .. } = &mut *state;
        match (job, &self.cache) {
            (Some(job), Some(cache)) => {
                // Whoever wants the same now waits for this process, as it would have for the host.
                *claimed = cache.take_over(&job.key);
                let is_listed = |key| self.listed().any(|other| CacheKey::of(&other, &job.identity) == key);
                if *stepped_back && job.is_starved() && is_listed(job.key) {
                    // Others do it sooner.
                    drop(claimed.take());
                    return;
                }
            }
            _ if self.has_listed() => limits::close_input(),
            _ => return,
        }
        drop(state);
        thread::sleep(PATIENCE);
        drop(self.lock().claimed.take());
    }
}

/// Reads a file that others read too, from its beginning.
struct Reader<'f> {
    file: &'f File,
    at: u64,
}

impl std::io::Read for Reader<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        let count = self.file.read_at(into, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}
