//! The servers of a process: those that wait for work, and how many there are.
//!
//! What a process has is bound to it: after a fork the child sees that the process is another one, leaves the parent's
//! servers (and locks that some thread of the parent's may have held) alone, and begins with none.

use std::io;
use std::path::PathBuf;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use super::ServiceOptions;
use super::locate::{LocateError, locate};
use super::server::Server;
use super::waiting::Waiting;

/// How many servers are started ahead of need.
const PREWARMED: usize = 2;

/// So long a program that may need servers, or may not, is given to build something before they are started: those that find all
/// in the cache mostly do so sooner, and servers that start take processors from their first launches.
pub(super) const PATIENCE: Duration = Duration::from_millis(5);

/// No server can be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum StartError {
    /// There is no program to start.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// It cannot be started.
    #[error("the compiler '{}' cannot be started: {source}", program.display())]
    Spawn {
        /// The program.
        program: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// All servers.
pub(super) struct Pool {
    options: ServiceOptions,
    here: AtomicPtr<Here>,
    /// Servers of this pool let everything else go first, and come from that one if two wait there.
    lender: Option<Arc<Pool>>,
}

/// The servers of one process.
struct Here {
    process: u32,
    state: Mutex<State>,
    freed: Condvar,
    /// `State::needed` is known.
    decided: Condvar,
    /// What servers do when the process has ended; none where the system gives no file for it.
    waiting: OnceLock<Option<Arc<Waiting>>>,
}

#[derive(Default)]
struct State {
    /// The last one is the one that was used last, whose memory is warm.
    idle: Vec<Server>,
    /// Those that are working, and those that are being started.
    busy: usize,
    /// Those of `busy` that are being started ahead of need: whoever needs one now waits for it.
    coming: usize,
    /// A thread starts servers ahead of need.
    prewarming: bool,
    /// Whether builds need a server, as far as they have shown it.
    needed: Option<bool>,
}

impl State {
    /// Takes the servers out of those that wait that have ended, as servers without work do after a while. They are to be
    /// dropped without the lock.
    fn ended(&mut self) -> Vec<Server> {
        self.idle.extract_if(.., |server| server.has_ended()).collect()
    }
}

impl Here {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pool {
    pub(super) fn new(options: ServiceOptions) -> Self {
        Self { options, here: AtomicPtr::new(ptr::null_mut()), lender: None }
    }

    /// A pool of one server that lets everything else go first. It is taken from `lender` if that can do without: one that
    /// has had work already does the next in half the time.
    pub(super) fn behind(lender: &Arc<Self>) -> Self {
        let options = ServiceOptions { servers: 1, ..lender.options.clone() };
        let mut pool = Self::new(options);
        pool.lender = Some(Arc::clone(lender));
        pool
    }

    /// Gives a server away for good, unless it is the last that waits.
    fn give_away(&self) -> Option<Server> {
        let mut state = self.here().lock();
        if state.idle.len() < 2 { None } else { state.idle.pop() }
    }

    pub(super) fn options(&self) -> &ServiceOptions {
        &self.options
    }

    fn here(&self) -> &Here {
        let process = std::process::id();
        loop {
            // Acquire: pairs with the exchange below, so that what it points to is seen whole.
            let seen = self.here.load(Ordering::Acquire);
            if !seen.is_null() {
                // SAFETY: the pointer came from a box that is freed only when the pool is dropped.
                let here = unsafe { &*seen };
                if here.process == process {
                    return here;
                }
            }
            let (state, freed, decided) = (Mutex::default(), Condvar::new(), Condvar::new());
            let fresh = Here { process, state, freed, decided, waiting: OnceLock::new() };
            let fresh = Box::into_raw(Box::new(fresh));
            // AcqRel: publishes the new one (pairs with the load above); what was there belongs to another process
            // and is left alone for good.
            if self.here.compare_exchange(seen, fresh, Ordering::AcqRel, Ordering::Relaxed).is_err() {
                // SAFETY: the box was made here and nobody has seen it.
                drop(unsafe { Box::from_raw(fresh) });
            }
        }
    }

    /// A server: one that waits, or a new one, or the next to be given back.
    pub(super) fn take(&self) -> Result<Server, StartError> {
        let here = self.here();
        let mut state = here.lock();
        loop {
            state = match self.at_once(state) {
                Ok(server) => return server,
                Err(state) => here.freed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// A server that can be had without waiting for one to be given back by who works with it.
    pub(super) fn try_take(&self) -> Option<Server> {
        let here = self.here();
        let mut state = here.lock();
        loop {
            state = match self.at_once(state) {
                // Where one cannot be started, the one that is there does all.
                Ok(server) => return server.ok(),
                Err(state) if state.coming == 0 => return None,
                Err(state) => here.freed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// A server that waits, or a new one; the state comes back where there are as many as may be and all have work.
    fn at_once<'h>(
        &self,
        mut state: MutexGuard<'h, State>,
    ) -> Result<Result<Server, StartError>, MutexGuard<'h, State>> {
        let ended = state.ended();
        if let Some(server) = state.idle.pop() {
            state.busy += 1;
            drop(state);
            drop(ended);
            return Ok(Ok(server));
        }
        if state.busy >= self.options.servers {
            return Err(state);
        }
        state.busy += 1;
        drop(state);
        Ok(self.start().inspect_err(|_| self.lost_one()))
    }

    /// A server that waits, if there is one.
    pub(super) fn try_take_idle(&self) -> Option<Server> {
        let mut state = self.here().lock();
        let ended = state.ended();
        let server = state.idle.pop();
        state.busy += usize::from(server.is_some());
        drop(state);
        drop(ended);
        server
    }

    /// Ends the servers that wait.
    pub(super) fn end_idle(&self) {
        let idle = std::mem::take(&mut self.here().lock().idle);
        drop(idle);
    }

    /// Takes back a server that can go on.
    pub(super) fn give_back(&self, server: Server) {
        let here = self.here();
        let mut state = here.lock();
        state.busy = state.busy.saturating_sub(1);
        state.idle.push(server);
        drop(state);
        here.freed.notify_one();
    }

    /// One that was taken will not be given back.
    pub(super) fn lost_one(&self) {
        let here = self.here();
        let mut state = here.lock();
        state.busy = state.busy.saturating_sub(1);
        drop(state);
        here.freed.notify_one();
    }

    /// Whether servers are to be started ahead of need, by the caller: there are too few, and nobody else does it.
    pub(super) fn begin_prewarming(&self) -> bool {
        let mut state = self.here().lock();
        let ended = state.ended();
        let begins = !state.prewarming && !self.has_enough(&state);
        state.prewarming |= begins;
        drop(state);
        drop(ended);
        begins
    }

    pub(super) fn end_prewarming(&self) {
        self.here().lock().prewarming = false;
    }

    fn has_enough(&self, state: &State) -> bool {
        state.idle.len() + state.busy >= self.options.servers.min(PREWARMED)
    }

    /// A build has shown whether it needs a server. The first one to need one decides.
    pub(super) fn expect(&self, need: bool) {
        let here = self.here();
        let mut state = here.lock();
        let before = state.needed;
        state.needed = Some(before.unwrap_or(false) || need);
        let known = state.needed != before;
        drop(state);
        if known {
            here.decided.notify_all();
        }
    }

    /// Starts two, or as many as may be, so that they are warm when they are wanted; after so long, unless a build has shown
    /// before that it needs one, or that it needs none. On a machine that has more to do than it can do already, a build starts
    /// what it needs. [`Self::begin_prewarming`] has said that it is to be done.
    pub(super) fn prewarm(&self, patience: Duration) {
        let here = self.here();
        let (state, _) = here
            .decided
            .wait_timeout_while(here.lock(), patience, |state| state.needed.is_none())
            .unwrap_or_else(PoisonError::into_inner);
        let in_vain = !patience.is_zero() && state.needed == Some(false);
        drop(state);
        if !in_vain && !is_overloaded() {
            self.start_ahead();
        }
        self.end_prewarming();
    }

    fn start_ahead(&self) {
        let here = self.here();
        loop {
            let mut state = here.lock();
            if self.has_enough(&state) {
                return;
            }
            state.busy += 1;
            state.coming += 1;
            drop(state);
            let started = self.start();
            let mut state = here.lock();
            state.busy = state.busy.saturating_sub(1);
            state.coming = state.coming.saturating_sub(1);
            // A build will say what is wrong.
            let failed = started.map(|server| state.idle.push(server)).is_err();
            drop(state);
            // All: some wait for any server, some for this one only.
            here.freed.notify_all();
            if failed {
                return;
            }
        }
    }

    pub(super) fn idle_processes(&self) -> Vec<u32> {
        self.here().lock().idle.iter().map(Server::process).collect()
    }

    /// The program that servers are.
    pub(super) fn program(&self) -> Result<PathBuf, LocateError> {
        match &self.options.compiler {
            Some(program) => Ok(program.clone()),
            None => locate(&self.options.environment),
        }
    }

    /// Where results are kept, as servers are told; none where they would not find it.
    fn cache(&self) -> Option<[String; 2]> {
        let cache = self.options.cache.as_ref()?;
        let folder = cache.folder().to_str().filter(|_| cache.folder().is_absolute())?;
        Some([format!("--cache={folder}"), format!("--cache-limit={}", cache.limit())])
    }

    /// Whether servers know where results are kept.
    pub(super) fn tells_of_the_cache(&self) -> bool {
        self.cache().is_some()
    }

    /// The list of what other processes will want and that waits for a server; none where servers could not keep it.
    pub(super) fn waiting(&self) -> Option<Arc<Waiting>> {
        if let Some(lender) = &self.lender {
            return lender.waiting();
        }
        self.cache()?;
        self.here().waiting.get_or_init(|| Waiting::new().map(Arc::new)).clone()
    }

    fn start(&self) -> Result<Server, StartError> {
        let given = self.lender.as_ref().and_then(|lender| lender.give_away());
        let mut server = match given {
            Some(server) => server,
            None => {
                let program = self.program()?;
                let ServiceOptions { memory, arguments, environment, .. } = &self.options;
                let mut arguments = arguments.clone();
                arguments.extend(self.cache().into_iter().flatten());
                arguments.extend(self.waiting().map(|waiting| format!("--waiting={}", waiting.path())));
                Server::start(&program, *memory, &arguments, &environment.variables)
                    .map_err(|source| StartError::Spawn { program, source })?
            }
        };
        if self.lender.is_some() {
            server.step_back();
        }
        Ok(server)
    }
}

/// Whether twice as many threads want to run as there are CPUs: many programs are starting at once.
fn is_overloaded() -> bool {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let running =
        text.split_whitespace().nth(3).and_then(|both| both.split_once('/')?.0.parse::<usize>().ok());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    running.is_some_and(|running| running > 2 * cores + 1)
}

impl Drop for Pool {
    fn drop(&mut self) {
        let here = *self.here.get_mut();
        if here.is_null() {
            return;
        }
        // SAFETY: the pointer came from a box, and nobody can use the pool any more.
        let own = unsafe { &*here }.process == std::process::id();
        if own {
            // SAFETY: as above; what belongs to this process is freed by it once.
            drop(unsafe { Box::from_raw(here) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of servers that end at once.
    fn pool() -> Pool {
        let options = ServiceOptions { servers: 2, cache: None, ..ServiceOptions::from_environment() };
        Pool::new(ServiceOptions { compiler: Some("/bin/true".into()), ..options })
    }

    #[test]
    fn servers_wait_for_what_the_first_build_shows() {
        const LONG: Duration = Duration::from_secs(3600);
        let in_vain = pool();
        assert!(in_vain.begin_prewarming());
        in_vain.expect(false);
        in_vain.prewarm(LONG);
        assert!(in_vain.idle_processes().is_empty());

        let wanted = pool();
        assert!(wanted.begin_prewarming());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| wanted.prewarm(LONG));
            wanted.expect(true);
            waiting.join().unwrap();
        });
        // Later hits take nothing back.
        wanted.expect(false);
        assert_eq!(wanted.here().lock().needed, Some(true));
    }
}
