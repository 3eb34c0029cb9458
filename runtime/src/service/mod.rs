//! The compiler in other processes: [`Service`] starts `oxcl serve`, keeps some of them warm, and hands them jobs.
//!
//! ```text
//! Service -- pool -- Server ==socket pair== oxcl serve      one job at a time each, several servers at once
//! ```
//!
//! A server that crashes, is killed, or takes too long costs the build that it was doing and nothing else: the next
//! one gets another server. The host program never sees them: they are no children of it, send it no signal, inherit
//! none of its files and write nothing to its terminal. They end with it, however it ends. A process that the host
//! forks off starts its own.

mod attempt;
mod environment;
mod kept;
mod locate;
mod merge;
mod pool;
mod repro;
mod server;
mod spawn;
mod waiting;

pub(crate) use environment::is_privileged;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use oxcl_binary::pipe::{Done, FailKind, Failed, Job, Kernels, Text, hurried_objects};
use oxcl_scheduler::thread::{SMALL_STACK, spawn};

use crate::cache::{Cache, Key, LastRun, Material, Stored};
use crate::compiler::{
    BuildAction, BuildError, BuildFault, BuildRequest, BuildTarget, Built, CompilerService, Quality, Source,
};
use crate::error::Coded as _;
pub use environment::Environment;
use kept::{Kept, Outcome};
pub use locate::{CompilerSearch, seek as seek_compiler};
use pool::Pool;
use server::{Answer, Lost, Server};

pub(crate) use attempt::Attempt;
pub(crate) use waiting::Announced;

/// Seconds that a build may take, if `OXCL_BUILD_TIMEOUT` does not say otherwise.
const TIMEOUT: u64 = 300;
/// MiB of memory that a server may have, if `OXCL_BUILD_MEMORY` does not say otherwise.
const MEMORY: u64 = 4096;
/// How many servers may be found dead before something else must be wrong.
const MOST_STALE: u32 = 100;
/// How many servers may die between being handed a job and beginning with it, before something else must be wrong.
const MOST_UNBEGUN: u32 = 4;

/// How servers are started and what they may use.
#[derive(Debug, Clone)]
pub struct ServiceOptions {
    /// The program to start; none: the `oxcl` found by [`ServiceOptions::from_environment`]'s rules.
    pub compiler: Option<PathBuf>,
    /// How many servers there may be at once; at least 1.
    pub servers: usize,
    /// Where results are kept; none: nowhere.
    pub cache: Option<Cache>,
    /// How long one build may take.
    pub timeout: Duration,
    /// How many bytes of memory a server may have.
    pub memory: u64,
    /// Work-items at a time in the kernels that can run so; 0: the compiler's choice.
    pub width: u32,
    /// LLVM's name of the CPU to make code for where a request names none; none: this machine's.
    pub cpu: Option<String>,
    /// What else was read of the environment.
    #[doc(hidden)]
    pub environment: Arc<Environment>,
    /// More arguments for `oxcl serve`; tests make it fail with them.
    #[doc(hidden)]
    pub arguments: Vec<String>,
}

impl ServiceOptions {
    /// What the environment says: `OXCL_COMPILER`, `OXCL_COMPILERS`, `OXCL_BUILD_TIMEOUT`, `OXCL_BUILD_MEMORY`, `OXCL_WIDTH`, `OXCL_CPU` and
    /// the variables of the cache (see `docs/env.md`). A value that makes no sense counts as not set.
    #[must_use]
    pub fn from_environment() -> Self {
        let number = |name: &str| {
            let value = std::env::var(name).ok()?;
            value.trim().parse::<u64>().ok().filter(|n| *n > 0)
        };
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let servers = number("OXCL_COMPILERS").and_then(|n| usize::try_from(n).ok()).unwrap_or(cores);
        Self {
            compiler: None,
            cache: Cache::from_environment(),
            servers: servers.clamp(1, 64),
            timeout: Duration::from_secs(number("OXCL_BUILD_TIMEOUT").unwrap_or(TIMEOUT)),
            memory: number("OXCL_BUILD_MEMORY").unwrap_or(MEMORY).saturating_mul(1 << 20),
            width: number("OXCL_WIDTH").and_then(width).unwrap_or(0),
            cpu: std::env::var("OXCL_CPU").ok().filter(|name| !name.is_empty()),
            environment: Arc::new(Environment::read()),
            arguments: Vec::new(),
        }
    }
}

/// The compile service of a process. Clones share the servers.
#[derive(Clone)]
pub struct Service {
    pool: Arc<Pool>,
    kept: Option<Arc<Kept>>,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("options", self.pool.options()).finish_non_exhaustive()
    }
}

impl Service {
    /// A service with servers of its own; none is started yet.
    #[must_use]
    pub fn new(options: ServiceOptions) -> Self {
        let kept = options.cache.clone().map(|cache| Arc::new(Kept::new(cache)));
        Self { pool: Arc::new(Pool::new(options)), kept }
    }

    /// Builds on a thread of its own and calls `done` there.
    ///
    /// # Errors
    /// The system gives no thread; then `done` is never called.
    pub fn build_in_background(
        &self,
        request: BuildRequest,
        done: impl FnOnce(Result<Built, BuildError>) + Send + 'static,
    ) -> std::io::Result<()> {
        let service = self.clone();
        let work = move || done(service.build(&request));
        spawn("oxcl-build", SMALL_STACK, work).map(drop)
    }

    /// Makes one kernel's functions for the request's local sizes and nothing else: what a program that runs its generic
    /// functions already can be given later. The archive has the kernel with these functions only.
    ///
    /// # Errors
    /// As for a build; [`BuildFault::Request`] if there is no such kernel.
    pub fn specialise(&self, request: &BuildRequest, kernel: &str) -> Result<Built, BuildError> {
        self.make_unless(request, Kernels::Specialised(kernel.to_owned()), &Attempt::default())
    }

    /// Makes one kernel in full quality and nothing else.
    ///
    /// # Errors
    /// As for [`Self::specialise`].
    pub fn complete(&self, request: &BuildRequest, kernel: &str) -> Result<Built, BuildError> {
        self.make_unless(request, Kernels::One(kernel.to_owned()), &Attempt::default())
    }

    /// As [`Self::complete`] or [`Self::specialise`], as `kernels` says, unless `attempt` is abandoned: then the error says nothing.
    pub(crate) fn make_unless(
        &self,
        request: &BuildRequest,
        kernels: Kernels,
        attempt: &Attempt,
    ) -> Result<Built, BuildError> {
        self.for_all(&self.job_for(request, kernels), attempt)
    }

    /// What [`Self::complete`] gives of these kernels, or [`Self::specialise`], where it is kept already. Of `request` all but the
    /// material is looked at.
    pub(crate) fn kept(
        &self,
        material: &Material,
        request: &BuildRequest,
        kernels: Kernels,
    ) -> Option<Built> {
        let job = self.job_for(request, kernels);
        Some(from_cache(self.kept.as_ref()?.find(&self.pool, material, &job)?))
    }

    /// Whether results are kept.
    pub(crate) fn keeps(&self) -> bool {
        self.kept.is_some()
    }

    /// What tells a request's program apart from all others in this process. Of `request` all but the material is looked at.
    pub(crate) fn key(&self, material: &Material, request: &BuildRequest) -> Key {
        // All of this process have one compiler.
        Key::of_made_of(material, &self.job_for(request, Kernels::All), &[0; 32])
    }

    /// What a request's program is made of.
    pub(crate) fn material(&self, request: &BuildRequest) -> Material {
        Material::of(&self.job(request))
    }

    /// Says that [`Self::make_unless`] will be asked for this: should this process end before that is done, a server does it. As
    /// long as the value lives.
    pub(crate) fn announce(&self, request: &BuildRequest, kernels: Kernels) -> Option<Announced> {
        Some(self.pool.waiting()?.announce(&self.job_for(request, kernels)))
    }

    /// How many servers builds may have at once.
    pub(crate) fn servers(&self) -> usize {
        self.pool.options().servers
    }

    /// Ends the servers that wait for work. The next build starts one.
    pub fn end_idle(&self) {
        self.pool.end_idle();
    }

    /// The same service for work that nobody waits for: one server, which lets everything else on the machine go first.
    #[doc(hidden)]
    #[must_use]
    pub fn in_background(&self) -> Self {
        Self { pool: Arc::new(Pool::behind(&self.pool)), kept: self.kept.clone() }
    }

    /// The processes of the servers that wait for work; for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn idle_processes(&self) -> Vec<u32> {
        self.pool.idle_processes()
    }

    /// Takes what comes of a job from the cache, or does it.
    fn cached(&self, job: &Job) -> Result<Built, BuildError> {
        let outcome = match &self.kept {
            Some(kept) => kept.get_or_make(&self.pool, job, || self.run(job))?,
            None => Outcome::Done(self.run(job)?.0),
        };
        Ok(outcome.into())
    }

    /// The same for a result that other processes will want whatever becomes of this one: the server finishes it though this
    /// process ends, and keeps it.
    fn for_all(&self, job: &Job, attempt: &Attempt) -> Result<Built, BuildError> {
        let outcome = match &self.kept {
            Some(kept) => {
                let keeps = self.pool.tells_of_the_cache();
                let make = || {
                    let (done, identity) = self.run_for_all(job, keeps, attempt)?;
                    // What the server has kept need not be kept again.
                    Ok((done, identity.filter(|_| !keeps)))
                };
                kept.get_or_make(&self.pool, job, make)?
            }
            None => Outcome::Done(self.run_for_all(job, false, attempt)?.0),
        };
        Ok(outcome.into())
    }

    /// Does a job with one server, which keeps the result itself if `keeps` says so.
    fn run_for_all(
        &self,
        job: &Job,
        keeps: bool,
        attempt: &Attempt,
    ) -> Result<(Done, Option<[u8; 32]>), BuildError> {
        let payload = job.encode();
        let (mut dead, mut unbegun) = (0, 0);
        loop {
            let mut server = self.pool.take().map_err(|error| unavailable(&error))?;
            if !attempt.begin(server.handle()) {
                attempt.end();
                self.pool.give_back(server);
                return Err(abandoned());
            }
            if keeps {
                server.keep();
            }
            let time = attempt.time(self.pool.options().timeout);
            let answer = server.send(&payload, time).and_then(|()| server.receive());
            attempt.end();
            let lost = match answer {
                Ok(Answer::Done(done)) => {
                    let identity = server.identity();
                    self.pool.give_back(server);
                    return Ok((done, identity));
                }
                Ok(Answer::Failed(failed)) => {
                    if failed.last {
                        self.pool.lost_one();
                    } else {
                        self.pool.give_back(server);
                    }
                    return Err(self.refused(failed, job, &payload));
                }
                Err(lost) => lost,
            };
            if lost.timed_out() {
                attempt.timed_out();
            }
            unbegun += u32::from(server.is_first());
            dead += 1;
            self.pool.lost_one();
            if attempt.is_abandoned() {
                // A host that adopts orphans waits for the server's end, which may take long at idle priority. Without a
                // thread it waits here.
                let _ = spawn("oxcl-end", SMALL_STACK, move || drop(server));
                return Err(abandoned());
            }
            drop(server);
            // One that died while it waited, or before it had begun, is replaced.
            if !lost.before_it_began() || dead > MOST_STALE || unbegun > MOST_UNBEGUN {
                return Err(self.lost_error(&lost, job, &payload));
            }
        }
    }

    /// Does a job, with several servers if the program has several kernels and the servers are free.
    fn run(&self, job: &Job) -> Result<(Done, Option<[u8; 32]>), BuildError> {
        let whole =
            job.action == BuildAction::Build && job.kernels == Kernels::All && job.machines.is_empty();
        let parts = if whole { parts_of(job, self.pool.options().servers) } else { 1 };
        let mut servers = vec![self.pool.take().map_err(|error| unavailable(&error))?];
        while servers.len() < parts {
            let Some(server) = self.pool.try_take() else { break };
            servers.push(server);
        }
        let of = u32::try_from(servers.len()).unwrap_or(1);
        let mut at_work = Vec::new();
        let mut lost = None;
        for (index, server) in (0..).zip(servers) {
            let mut part = job.clone();
            if of > 1 {
                part.kernels = Kernels::Share { index, of };
            }
            let payload = part.encode();
            match self.send(server, &payload) {
                Ok(server) => at_work.push((server, part, payload)),
                Err(error) => lost = lost.or_else(|| Some(self.lost_error(&error, &part, &payload))),
            }
        }
        let mut done = Vec::new();
        let mut identities = Vec::new();
        let mut failed = None;
        for (server, part, payload) in at_work {
            match self.receive(server, &payload) {
                Ok((server, Answer::Done(answer))) => {
                    identities.push(server.identity());
                    self.pool.give_back(server);
                    done.push(answer);
                }
                Ok((server, Answer::Failed(answer))) => {
                    if answer.last {
                        self.pool.lost_one();
                    } else {
                        self.pool.give_back(server);
                    }
                    failed = failed.or_else(|| Some(self.refused(answer, &part, &payload)));
                }
                Err(error) => {
                    lost = lost.or_else(|| Some(self.lost_error(&error, &part, &payload)));
                }
            }
        }
        // What is wrong with the program says more than what happened to a server.
        match failed.or(lost) {
            Some(error) => Err(error),
            None => merge::merge(done).map(|done| (done, one(&identities))).map_err(|error| {
                let payload = job.encode();
                let message = format!("the parts of the program do not fit together: {error}");
                let log = message.clone();
                self.refused(Failed { kind: FailKind::Internal, message, log, last: false }, job, &payload)
            }),
        }
    }

    /// Waits for the answer to a job; a server that died before it had begun with it is replaced.
    fn receive(&self, mut server: Server, payload: &[u8]) -> Result<(Server, Answer), Lost> {
        let mut unbegun = 0;
        loop {
            let lost = match server.receive() {
                Ok(answer) => return Ok((server, answer)),
                Err(lost) => lost,
            };
            self.pool.lost_one();
            unbegun += 1;
            if !lost.before_it_began() || unbegun > MOST_UNBEGUN {
                return Err(lost);
            }
            let Ok(another) = self.pool.take() else { return Err(lost) };
            server = self.send(another, payload)?;
        }
    }

    /// Sends a job to a server; one that died while it waited is replaced.
    fn send(&self, mut server: Server, payload: &[u8]) -> Result<Server, Lost> {
        let (mut dead, mut fresh) = (0, 0);
        loop {
            fresh += u32::from(server.is_fresh());
            let Err(lost) = server.send(payload, self.pool.options().timeout) else { return Ok(server) };
            self.pool.lost_one();
            dead += 1;
            if lost.timed_out() || dead > MOST_STALE || fresh > MOST_UNBEGUN {
                return Err(lost);
            }
            match self.pool.take() {
                Ok(another) => server = another,
                Err(_) => return Err(lost),
            }
        }
    }

    fn refused(&self, failed: Failed, job: &Job, payload: &[u8]) -> BuildError {
        let fault = match failed.kind {
            FailKind::Source => BuildFault::Source,
            FailKind::Options => BuildFault::Options,
            FailKind::Request => BuildFault::Request,
            FailKind::Internal => BuildFault::Crashed,
        };
        let mut log = if failed.log.trim().is_empty() { failed.message.clone() } else { failed.log };
        let repro =
            (fault == BuildFault::Crashed).then(|| self.keep(job, payload, &failed.message, &log)).flatten();
        add_repro(&mut log, repro.as_ref());
        BuildError { fault, message: failed.message, log, repro }
    }

    fn lost_error(&self, lost: &Lost, job: &Job, payload: &[u8]) -> BuildError {
        let message = lost.to_string();
        let repro = self.keep(job, payload, &message, lost.last_words());
        let mut log = message.clone();
        let said = lost.last_words().trim();
        if !said.is_empty() {
            log.push_str("\nIts last words:\n");
            log.push_str(said);
        }
        add_repro(&mut log, repro.as_ref());
        let fault = if lost.timed_out() { BuildFault::TimedOut } else { BuildFault::Crashed };
        finish(BuildError { fault, message, log, repro })
    }

    /// Keeps a build that the compiler failed in.
    fn keep(&self, job: &Job, payload: &[u8], reason: &str, messages: &str) -> Option<PathBuf> {
        repro::keep(&self.pool.options().environment.repro, job, payload, reason, messages)
    }
}

fn from_cache(stored: Stored) -> Built {
    let Stored { archive, log, quality, processor } = stored;
    Built { archive, log, cached: true, quality, processor }
}

impl From<Outcome> for Built {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Stored(stored) => from_cache(stored),
            Outcome::Done(done) => {
                let processor = Duration::from_micros(done.processor);
                let Done { archive, log, quality, .. } = done;
                Self { archive, log, cached: false, quality, processor }
            }
        }
    }
}

/// What all have in common.
fn one(identities: &[Option<[u8; 32]>]) -> Option<[u8; 32]> {
    let first = identities.first().copied().flatten()?;
    identities.iter().all(|other| *other == Some(first)).then_some(first)
}

/// Into how many parts a program's kernels are worth dividing: no more than there seem to be.
fn parts_of(job: &Job, servers: usize) -> usize {
    let kernels: usize = job.sources.iter().map(|source| source.text.matches("kernel").count()).sum();
    let is_hurried = job.quality == Quality::First;
    let pieces = if is_hurried { kernels.min(hurried_objects(kernels)) } else { kernels };
    pieces.clamp(1, servers.max(1))
}

/// Puts the code of a failure that the compiler could not report itself into its texts.
fn finish(mut error: BuildError) -> BuildError {
    let code = error.code();
    let first = format!("{} [{code}]", error.message);
    error.log = error.log.replacen(&error.message, &first, 1);
    error.message = first;
    error
}

fn add_repro(log: &mut String, repro: Option<&PathBuf>) {
    if let Some(folder) = repro {
        log.push_str(&format!("\nSources, options and messages are kept in '{}'", folder.display()));
    }
}

/// Whoever abandoned the work does it, or nobody wants it any more.
fn abandoned() -> BuildError {
    let message = "it was given up".to_owned();
    finish(BuildError { fault: BuildFault::Unavailable, log: message.clone(), message, repro: None })
}

fn unavailable(error: &pool::StartError) -> BuildError {
    let message = error.to_string();
    finish(BuildError { fault: BuildFault::Unavailable, log: message.clone(), message, repro: None })
}

impl CompilerService for Service {
    fn build(&self, request: &BuildRequest) -> Result<Built, BuildError> {
        self.cached(&self.job(request))
    }

    fn prewarm(&self) {
        let patience = match self.kept.as_ref().map_or(LastRun::Unknown, |kept| kept.last_run()) {
            LastRun::Hit => return,
            LastRun::Missed => pool::PATIENCE,
            LastRun::Unknown => Duration::ZERO,
        };
        if !self.pool.begin_prewarming() {
            return;
        }
        let pool = Arc::clone(&self.pool);
        if spawn("oxcl-prewarm", SMALL_STACK, move || pool.prewarm(patience)).is_err() {
            // Without a thread it is only slower.
            self.pool.end_prewarming();
        }
    }
}

fn texts(sources: &[Source]) -> Vec<Text> {
    sources.iter().map(|s| Text { name: s.name.clone(), text: s.text.clone() }).collect()
}

/// A number of work-items at a time that code can be made for.
fn width(number: u64) -> Option<u32> {
    u32::try_from(number).ok().filter(|width| width.is_power_of_two() && *width <= 64)
}

impl Service {
    /// What is made of single kernels later is made well.
    fn job_for(&self, request: &BuildRequest, kernels: Kernels) -> Job {
        Job { kernels, quality: Quality::Full, ..self.job(request) }
    }

    fn job(&self, request: &BuildRequest) -> Job {
        let options = self.pool.options();
        let mut job = job(request, options.width);
        if job.cpu && job.cpus.is_empty() {
            job.cpus.extend(options.cpu.clone());
        }
        job
    }
}

fn job(request: &BuildRequest, width: u32) -> Job {
    let directory = std::env::current_dir().ok().and_then(|path| path.into_os_string().into_string().ok());
    Job {
        action: request.action,
        directory: directory.unwrap_or_default(),
        sources: texts(&request.sources),
        il: request.il.clone(),
        headers: texts(&request.headers),
        inputs: request.inputs.clone(),
        options: request.options.clone(),
        cpu: matches!(request.target, BuildTarget::Cpu | BuildTarget::Both),
        reference: matches!(request.target, BuildTarget::Reference | BuildTarget::Both),
        cpus: request.cpus.clone(),
        local_sizes: request.local_sizes.clone(),
        known: request.known.clone(),
        version: request.version.map_or(0, |version| version.number()),
        kernels: Kernels::All,
        // There is one way to make code for processors.
        quality: if request.machines.is_empty() { request.quality } else { Quality::Full },
        width,
        machines: request.machines.iter().map(|machine| machine.as_ref().to_owned()).collect(),
    }
}
