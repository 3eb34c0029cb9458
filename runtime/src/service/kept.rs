//! The service's side of the cache: which compiler would do a job, and whether its result is there already.

use std::path::Path;
use std::sync::OnceLock;

use oxcl_binary::pipe::{Done, Hello, Job, Quality};
use oxcl_scheduler::thread::{SMALL_STACK, spawn};

use super::pool::Pool;
use crate::cache::{Cache, Claim, HostMark, Key, LastRun, Material, Stored, claim};
use crate::compiler::BuildError;

/// A cache, and what is known for it.
pub(super) struct Kept {
    cache: Cache,
    mark: HostMark,
    /// The identity of the compiler that would be started.
    identity: OnceLock<[u8; 32]>,
}

/// What became of a job.
pub(super) enum Outcome {
    /// It was kept.
    Stored(Stored),
    /// It was done.
    Done(Done),
}

impl Kept {
    pub(super) fn new(cache: Cache) -> Self {
        let mark = HostMark::of(&cache);
        Self { cache, mark, identity: OnceLock::new() }
    }

    /// Whether this program needed a compiler when it ran last.
    pub(super) fn last_run(&self) -> LastRun {
        self.mark.last_run()
    }

    /// The result of a job with this material, if it is kept. Starts no server.
    pub(super) fn find(&self, pool: &Pool, material: &Material, job: &Job) -> Option<Stored> {
        let known = || Some(self.cache.compiler(&pool.program().ok()?.canonicalize().ok()?)?.identity);
        let identity = self.identity.get().copied().or_else(known)?;
        self.cache.find(&Key::of_made_of(material, job, &identity))
    }

    /// Takes a job's result from the cache, or has `make` do the job and keeps what comes of it. `make` also says
    /// which compiler it was, if it was one for all parts.
    pub(super) fn get_or_make(
        &self,
        pool: &Pool,
        job: &Job,
        make: impl FnOnce() -> Result<(Done, Option<[u8; 32]>), BuildError>,
    ) -> Result<Outcome, BuildError> {
        let identity = self.identity(pool);
        let key = identity.map(|identity| Key::of(job, &identity));
        // Whoever is content with less takes the best that is there.
        let best = identity
            .filter(|_| job.quality != Quality::Full)
            .map(|identity| Key::of(&Job { quality: Quality::Full, ..job.clone() }, &identity));
        if let Some(stored) = best.into_iter().chain(key).find_map(|key| self.cache.find(&key)) {
            pool.expect(false);
            self.mark.hit();
            return Ok(Outcome::Stored(stored));
        }
        pool.expect(true);
        self.mark.missed();
        let claimed = match key.map(|key| claim(&self.cache, &key)) {
            Some(Claim::Made(stored)) => return Ok(Outcome::Stored(stored)),
            Some(Claim::Make(claimed)) => claimed,
            None => None,
        };
        let (done, identity) = make()?;
        if let Some(identity) = identity
            && self.cache.keep(&Key::of(job, &identity), &done) > 0
        {
            self.look_after(pool);
        }
        drop(claimed);
        Ok(Outcome::Done(done))
    }

    /// The compiler's identity: from what it once said of itself, as long as its files are the same; else a server is
    /// asked, which is wanted then anyway.
    fn identity(&self, pool: &Pool) -> Option<[u8; 32]> {
        if let Some(known) = self.identity.get() {
            return Some(*known);
        }
        let program = pool.program().ok()?.canonicalize().ok()?;
        let hello = match self.cache.compiler(&program) {
            Some(hello) => hello,
            None => self.ask(pool, &program)?,
        };
        Some(*self.identity.get_or_init(|| hello.identity))
    }

    fn ask(&self, pool: &Pool, program: &Path) -> Option<Hello> {
        let mut server = pool.take().ok()?;
        let timeout = pool.options().timeout;
        if let Ok(hello) = server.hello(timeout).cloned() {
            self.cache.keep_compiler(program, &hello);
            pool.give_back(server);
            return Some(hello);
        }
        // The build will find out what is wrong.
        pool.lost_one();
        None
    }

    /// Has somebody look after the cache's size, now and then: a server that has nothing else to do, so that the host
    /// does not wait.
    fn look_after(&self, pool: &Pool) {
        if !self.cache.wants_tidying() {
            return;
        }
        if let (true, Some(mut server)) = (pool.tells_of_the_cache(), pool.try_take_idle()) {
            server.tidy();
            pool.give_back(server);
            return;
        }
        let cache = self.cache.clone();
        // The next one will, without a thread.
        let _ = spawn("oxcl-cache", SMALL_STACK, move || cache.tidy());
    }
}
