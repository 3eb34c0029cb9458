//! The pool's threads: how they begin, what they do while there is nothing to do, and how they end.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use super::affinity::Elsewhere;
use super::aside::Aside;
use super::parker::Parker;
use super::wait::Search;
use super::{Core, Local, affinity};
use crate::thread::spawn;

/// Stack of a worker, on which functions of the program's may run as commands. Kernels have stacks of their own.
const STACK: usize = 8 << 20;

/// How long an enqueued command may lie untaken while a sleeping worker keeps watch.
const WATCH_INTERVAL: Duration = Duration::from_micros(50);

/// How long a worker that does not keep watch sleeps at first without being woken; each time twice as long.
const SHORTEST_SLEEP: Duration = Duration::from_micros(50);

/// The longest such sleep; after 10 ms in all the worker sleeps until it is woken.
const LONGEST_SLEEP: Duration = Duration::from_micros(6400);

/// After so many looks without any change the watcher sleeps until it is woken: 10 ms.
const QUIET_LOOKS: u32 = if cfg!(loom) { 0 } else { 200 };

/// The pool's threads; dropping this ends them.
#[derive(Debug)]
pub(crate) struct Threads {
    core: Arc<Core>,
    handles: Vec<JoinHandle<()>>,
}

impl Threads {
    /// Starts N-1 threads, bound to the processors of `pinning` in turn (after the first, which is left to the host
    /// thread) unless it is empty.
    pub(crate) fn start(core: Arc<Core>, pinning: &[usize]) -> std::io::Result<Threads> {
        let mut threads = Threads { core, handles: Vec::new() };
        threads.core.spare.belongs_to(&threads.core);
        threads.core.begin_threads();
        let cpu = |slot: usize| pinning.get(slot % pinning.len().max(1)).copied();
        if let Some(host) = cpu(0) {
            let bound = (1..threads.core.workers).filter_map(cpu).filter(|cpu| *cpu != host);
            threads.core.host_place.is_left_to_host(host, bound);
        }
        for slot in 1..threads.core.workers {
            let core = Arc::clone(&threads.core);
            let cpu = cpu(slot);
            let place = Arc::new(Elsewhere::default());
            let own = Arc::clone(&place);
            let main = move || {
                own.runs();
                drop(own);
                affinity::precise_sleeps();
                if let Some(cpu) = cpu {
                    affinity::pin(cpu);
                }
                core.work(slot);
            };
            // On an error the threads so far end as `threads` is dropped.
            let thread = spawn(format!("oxcl-worker-{slot}"), STACK, main)?;
            // One that is bound goes to its own processor when it runs.
            place.send_new(&thread);
            threads.handles.push(thread);
        }
        Ok(threads)
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.core.stop_threads();
        let own = self.core.current_slot().is_some();
        let spare = self.core.spare.end();
        for handle in self.handles.drain(..).chain(spare) {
            // A callback that ends the scheduler must not wait for the thread it is on, nor for what that one waits
            // for: then the threads end by themselves.
            if !own {
                let _ = handle.join();
            }
        }
        self.core.help_out();
    }
}

impl Core {
    /// A worker's life.
    pub(crate) fn work(&self, slot: usize) {
        let local = Local::new(slot);
        let parker = Arc::new(Parker::going_elsewhere());
        let aside = Aside::default();
        let mut searching = false;
        loop {
            if !searching {
                if let Some(task) = self.find(&local) {
                    self.run(&local, task, || false);
                    continue;
                }
                if !self.has_threads() {
                    return;
                }
                if let Some(found) = self.linger(&local, || !self.has_threads()) {
                    self.run(&local, found, || false);
                    continue;
                }
                self.idle.begin_search();
            }
            let found = self.search(&local, false, || !self.has_threads());
            searching = matches!(found, Search::Nothing);
            if searching {
                self.doze(slot, &parker, &aside);
            } else {
                self.stop_searching();
            }
            if let Search::Found(task) = found {
                self.run(&local, task, || false);
            }
        }
    }

    /// Sleeps until there may be work. The caller counts as searching before and after.
    fn doze(&self, slot: usize, parker: &Arc<Parker>, aside: &Aside) {
        let watches = self.idle.sleep(slot, parker, !cfg!(loom));
        if !self.has_work() && self.has_threads() {
            if watches {
                self.watch(slot, parker, aside);
            } else {
                self.sleep_lightly(parker, aside);
            }
        }
        self.idle.rise(slot);
    }

    /// Sleeps, at first for short times, so that the processor is not put to a sleep from which it comes back late.
    fn sleep_lightly(&self, parker: &Parker, aside: &Aside) {
        let mut limit = SHORTEST_SLEEP;
        while limit <= LONGEST_SLEEP && !cfg!(loom) {
            let told = parker.park_timeout(limit);
            aside.step(&self.host_place);
            if told || self.has_work() || !self.has_threads() {
                return;
            }
            limit *= 2;
        }
        parker.park();
        aside.step(&self.host_place);
    }

    /// Sleeps, and looks from time to time whether something was enqueued that nobody takes.
    pub(super) fn watch(&self, slot: usize, parker: &Parker, aside: &Aside) {
        let mut takes = self.inject.takes();
        let mut quiet = 0;
        while quiet < QUIET_LOOKS {
            let told = parker.park_timeout(WATCH_INTERVAL);
            aside.step(&self.host_place);
            if told {
                return;
            }
            let now = self.inject.takes();
            if now != takes {
                takes = now;
                quiet = 0;
            } else if self.has_work() {
                return;
            } else {
                quiet += 1;
            }
        }
        self.idle.stop_watching(slot);
        if !self.has_work() && self.has_threads() {
            parker.park();
            aside.step(&self.host_place);
        }
    }
}
