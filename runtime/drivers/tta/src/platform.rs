//! A platform: devices that share a memory, the thread that simulates them, and a thread for each device that executes what the
//! host does for it.
//!
//! Commands arrive in any order and from any thread. A command for a device goes into one of its slots as soon as nothing outside
//! the platform holds it back and everything that it waits for will end by itself; from then on only devices act on it. A
//! transfer is executed by its device's thread once the scheduler says that nothing holds it back; then its event's word lets
//! devices go on that wait for it.
//!
//! Locks: the host's threads take `gate`, then `state`; the simulating thread takes `gate` and gives it back before each stretch,
//! so that it does not starve them. Nobody calls out of the driver with `state` held.

use crate::device::{TtaDriver, next_space};
use crate::events::Events;
use crate::launch::TtaLaunch;
use crate::map::{MapError, plan};
use crate::simulation::{Command, LinkTimes, Notice, Pause, Simulation};
use oxcl_driver::command::SubmitResult;
use oxcl_driver::error::Outcome;
use oxcl_driver::printer::{Printed, Printer};
use oxcl_driver::{DriverError, EventId, Failure, Lane, Submission, command, lock};
use oxcl_memory::bufalloc::{BufAlloc, Chunk, Strategy};
use oxcl_tta::device_main::WAITS;
use oxcl_tta::model::Machine;
use oxcl_tta::unit::UnitLinkError;
use oxcl_ttasim::{Engine, Memory};
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread::JoinHandle;

/// Cycles that are simulated before the host gets a chance to look in.
const STRETCH: u64 = 20_000;
/// Alignment of buffers.
const ALIGNMENT: u64 = 128;
/// Stack of the simulator's threads, which link programs.
const STACK: usize = 8 << 20;

/// Why there is no platform, or a kernel cannot be loaded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlatformError {
    /// A memory map is not possible.
    #[error(transparent)]
    Map(#[from] MapError),
    /// The device's own program cannot be made for a machine.
    #[error("the device program cannot run on this machine: {reason}")]
    Main {
        /// Why.
        reason: String,
    },
    /// Units do not link.
    #[error(transparent)]
    Link(#[from] UnitLinkError),
    /// A thread cannot be started.
    #[error("a driver thread cannot be started: {reason}")]
    Thread {
        /// What the system said.
        reason: String,
    },
}

/// When a device executed a command, in cycles of the platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The device's position in the platform.
    pub device: usize,
    /// The kernel.
    pub kernel: String,
    /// The cycle in which it began.
    pub started: u64,
    /// The cycle in which it had ended.
    pub ended: u64,
    /// It waited in its slot for events of this platform, without the host.
    pub chained: bool,
    /// How often the host had accessed the platform's memories or loaded programs when it began and when it had ended: while
    /// the number stays, devices act alone.
    pub host_accesses: [u64; 2],
}

/// What the threads share.
pub(crate) struct Shared {
    gate: Mutex<()>,
    state: Mutex<State>,
    changed: Condvar,
}

pub(crate) struct State {
    pub(crate) simulation: Simulation,
    pub(crate) buffers: BufAlloc,
    pub(crate) chunks: BTreeMap<u64, Chunk>,
    pub(crate) next_token: u64,
    events: Events,
    /// Launches for whose events there was no word, oldest first. While there are any nothing younger gets a word, so that
    /// those who have one wait for none of these.
    backlog: VecDeque<(usize, Arc<dyn Submission>)>,
    /// Transfers that something holds back.
    transfers: BTreeMap<EventId, (usize, Arc<dyn Submission>)>,
    spans: Vec<Span>,
    senders: Vec<mpsc::Sender<Arc<dyn Submission>>>,
    stop: bool,
}

/// Devices with a shared memory and their threads.
#[derive(Debug)]
pub struct Platform {
    shared: Arc<Shared>,
    devices: Vec<Arc<TtaDriver>>,
    threads: Vec<JoinHandle<()>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").finish_non_exhaustive()
    }
}

impl Platform {
    /// A platform of these machines, each with a name for its device.
    ///
    /// # Errors
    /// A machine that cannot be a device, or no thread.
    pub fn new(machines: Vec<(String, Machine)>, engine: Engine) -> Result<Self, PlatformError> {
        let (names, machines): (Vec<String>, Vec<Machine>) = machines.into_iter().unzip();
        let (plans, region) = plan(&machines)?;
        let simulation = Simulation::new(&machines, &plans, engine)?;
        let buffers = BufAlloc::new(region.start, region.size, ALIGNMENT, Strategy::Wasteful);
        let buffers = buffers.map_err(|e| PlatformError::Main { reason: e.to_string() })?;
        let (senders, receivers): (Vec<_>, Vec<_>) = machines.iter().map(|_| mpsc::channel()).unzip();
        let state = State {
            simulation,
            buffers,
            chunks: BTreeMap::new(),
            next_token: 1,
            events: Events::new(),
            backlog: VecDeque::new(),
            transfers: BTreeMap::new(),
            spans: Vec::new(),
            senders,
            stop: false,
        };
        let shared =
            Arc::new(Shared { gate: Mutex::new(()), state: Mutex::new(state), changed: Condvar::new() });
        let space = next_space();
        let devices: Vec<Arc<TtaDriver>> = names
            .iter()
            .zip(machines.iter().zip(&plans))
            .enumerate()
            .map(|(at, (name, (machine, plan)))| {
                Arc::new(TtaDriver::new(Arc::clone(&shared), at, name, machine, plan, region, space))
            })
            .collect();
        let mut platform = Self { shared, devices, threads: Vec::new() };
        let simulating = Arc::clone(&platform.shared);
        platform.start("oxcl-ttasim", move || simulating.simulate())?;
        for receiver in receivers {
            let shared = Arc::clone(&platform.shared);
            platform.start("oxcl-tta", move || shared.serve(&receiver))?;
        }
        Ok(platform)
    }

    fn start(&mut self, name: &str, body: impl FnOnce() + Send + 'static) -> Result<(), PlatformError> {
        let thread = oxcl_scheduler::thread::spawn(name, STACK, body);
        let thread = thread.map_err(|e| PlatformError::Thread { reason: e.to_string() })?;
        self.threads.push(thread);
        Ok(())
    }

    /// The devices, in the order of their machines.
    #[must_use]
    pub fn devices(&self) -> &[Arc<TtaDriver>] {
        &self.devices
    }

    /// What has been executed so far, in the order in which it ended.
    #[must_use]
    pub fn timeline(&self) -> Vec<Span> {
        self.shared.lock().spans.clone()
    }

    /// How often each device's program was linked.
    #[must_use]
    pub fn links(&self) -> Vec<u64> {
        self.shared.lock().simulation.cores.iter().map(|c| c.links).collect()
    }

    /// How long it took to link what commands needed and to load it, on all devices together.
    #[must_use]
    pub fn link_times(&self) -> LinkTimes {
        self.shared.lock().simulation.link_times
    }

    /// From now on a command that is executed for more cycles than this is given up, and all others in slots with it.
    pub fn give_up_after(&self, cycles: u64) {
        self.shared.lock().simulation.longest_command = cycles;
    }

    /// Cycles that each device has spent waiting.
    #[must_use]
    pub fn idle_cycles(&self) -> Vec<u64> {
        self.shared.lock().simulation.cores.iter().map(|c| c.idle_cycles).collect()
    }
}

impl Drop for Platform {
    fn drop(&mut self) {
        {
            let mut state = self.shared.lock();
            state.stop = true;
            state.senders.clear();
        }
        self.shared.changed.notify_all();
        let own = std::thread::current().id();
        for thread in self.threads.drain(..) {
            // The last handle may go away in one of these threads, with the command that held it: it ends by itself.
            if thread.thread().id() != own {
                // A thread that panicked has nothing left to say.
                drop(thread.join());
            }
        }
    }
}

impl Shared {
    /// The state, for a thread of the host.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        let gate = lock(&self.gate);
        let state = lock(&self.state);
        drop(gate);
        state
    }

    /// Copies between the shared memory and whatever `action` does with it.
    pub(crate) fn with_memory(
        &self,
        action: impl FnOnce(&mut Memory) -> Result<(), DriverError>,
    ) -> Result<(), DriverError> {
        let mut state = self.lock();
        state.simulation.host_accesses += 1;
        let gone = || DriverError::Device { reason: "the platform has no memory".to_owned() };
        action(state.simulation.shared().ok_or_else(gone)?)
    }

    /// Takes a command in.
    pub(crate) fn submit(&self, device: usize, submission: Arc<dyn Submission>) -> SubmitResult {
        let mut state = self.lock();
        if launch_of(submission.as_ref()).is_some() {
            state.backlog.push_back((device, submission));
            state.admit();
        } else {
            let event = submission.event();
            // A transfer does not need a word: who waits for it does so on the host then.
            if state.backlog.is_empty() {
                state.open(event);
            }
            state.transfers.insert(event, (device, submission));
            self.release_transfer(&mut state, event);
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Something that a command waits for has ended.
    pub(crate) fn notify(&self, waiting: &Arc<dyn Submission>) {
        let mut state = self.lock();
        let event = waiting.event();
        if state.transfers.contains_key(&event) {
            self.release_transfer(&mut state, event);
            return;
        }
        let State { simulation, events, .. } = &mut *state;
        if waiting.refusal().is_some() {
            simulation.disarm_refused();
        }
        let commands = simulation.cores.iter_mut().flat_map(|c| &mut c.queue);
        for command in commands.filter(|c| c.submission.event() == event) {
            command.host_ready |= is_host_ready(command.submission.as_ref(), &command.waits, events);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Hands a transfer that nothing holds back to its device's thread.
    fn release_transfer(&self, state: &mut State, event: EventId) {
        let ready = state.transfers.get(&event).is_some_and(|(_, s)| s.holders() == 0 && s.claim());
        if !ready {
            return;
        }
        if let Some((device, submission)) = state.transfers.remove(&event) {
            state.events.make_certain(event);
            if let Some(sender) = state.senders.get(device) {
                // The receiver lives as long as the senders.
                drop(sender.send(submission));
            }
        }
        self.changed.notify_all();
    }

    /// The thread of a device: executes transfers.
    fn serve(&self, receiver: &mpsc::Receiver<Arc<dyn Submission>>) {
        for submission in receiver {
            let outcome = command::perform(submission.as_ref(), Lane { index: 0 });
            // Commands that wait for it count what the scheduler holds against what the platform will end: from before
            // the scheduler hears of the end it is not among the latter.
            self.lock().events.end(submission.event());
            submission.ended(outcome);
            let mut state = self.lock();
            let State { simulation, events, .. } = &mut *state;
            // Whatever depended on it and is refused now must do nothing, so the word comes after that.
            simulation.disarm_refused();
            if let Some(word) = events.close(submission.event()) {
                simulation.set_event(word, 1);
            }
            drop(state);
            self.changed.notify_all();
        }
    }

    /// The simulating thread.
    fn simulate(&self) {
        loop {
            drop(lock(&self.gate));
            let mut state = lock(&self.state);
            let ends = state.schedule();
            let mut notices = Vec::new();
            let pause = if state.simulation.is_busy() {
                state.simulation.advance(STRETCH, &mut notices)
            } else {
                Pause::Idle
            };
            let quiet = ends.is_empty() && notices.is_empty();
            if let (Pause::Idle, true) = (&pause, quiet) {
                if state.stop {
                    return;
                }
                drop(self.changed.wait(state).unwrap_or_else(PoisonError::into_inner));
                continue;
            }
            let reports = state.note(notices, pause);
            drop(state);
            for Report { submission, printed, outcome } in ends.into_iter().chain(reports) {
                if let Some((printer, printed)) = printed {
                    printer.add(&printed.text, printed.dropped);
                }
                match outcome {
                    None => submission.started(),
                    Some(outcome) => submission.ended(outcome),
                }
            }
        }
    }
}

/// What to tell the scheduler: a command, what it printed, and how it ended or that it has begun.
struct Report {
    submission: Arc<dyn Submission>,
    printed: Option<(Arc<Printer>, Printed)>,
    outcome: Option<Outcome>,
}

impl Report {
    fn silent(submission: Arc<dyn Submission>, outcome: Option<Outcome>) -> Self {
        Self { submission, printed: None, outcome }
    }
}

/// What a device is to execute, unless the command is a transfer.
fn launch_of(submission: &dyn Submission) -> Option<&TtaLaunch> {
    submission.work()?.as_any()?.downcast_ref()
}

/// Whether nothing outside the platform holds a command back: all that the scheduler counts are events that the platform
/// has not reported yet.
fn is_host_ready(submission: &dyn Submission, waits: &[(EventId, u64)], events: &Events) -> bool {
    let ours = waits.iter().filter(|(id, _)| events.is_live(*id)).count();
    u64::from(submission.holders()) <= ours as u64
}

impl State {
    /// A word for an event, if there is one.
    fn open(&mut self, event: EventId) -> Option<u64> {
        let word = self.events.open(event)?;
        self.simulation.set_event(word, 0);
        Some(word)
    }

    /// Gives launches to their devices as far as there are words for their events.
    fn admit(&mut self) {
        while let Some((device, submission)) = self.backlog.front() {
            let (device, submission) = (*device, Arc::clone(submission));
            let Some(event) = self.open(submission.event()) else { return };
            self.backlog.pop_front();
            let Some(launch) = launch_of(submission.as_ref()).map(TtaLaunch::share) else { continue };
            let mut waits = Vec::new();
            for id in submission.waits_on().iter().take(WAITS as usize) {
                if let Some(number) = self.events.wait_for(*id) {
                    waits.push((*id, number));
                }
            }
            let host_ready = is_host_ready(submission.as_ref(), &waits, &self.events);
            let launch = Arc::new(launch);
            let command = Command { submission, launch, event, waits, host_ready, loaded: false };
            self.simulation.cores[device].accept(command);
        }
    }

    /// Loads what is needed and puts commands into slots; gives the commands that cannot be executed.
    fn schedule(&mut self) -> Vec<Report> {
        let mut ends = Vec::new();
        self.admit();
        let Self { simulation, events, .. } = self;
        let mut refused = Vec::new();
        for core in &mut simulation.cores {
            while let Some(at) = core.queue.iter().position(Command::is_refused) {
                refused.extend(core.queue.remove(at));
            }
        }
        for command in refused {
            let cause = command.submission.refusal();
            ends.push(Report::silent(give_up(simulation, events, &command), cause.map(Err)));
        }
        let ready = |c: &Command| c.host_ready && c.waits.iter().all(|(id, _)| events.is_certain(*id));
        let (renewed, failed) = simulation.renew(&ready);
        for (command, error) in failed {
            let failure = Failure::Driver(DriverError::BadBinary { reason: error.to_string() });
            ends.push(Report::silent(give_up(simulation, events, &command), Some(Err(Arc::new(failure)))));
        }
        if !renewed || !ends.is_empty() {
            // What is in slots ends first; and what depends on the failed commands has to hear of it before it may begin.
            return ends;
        }
        // A command goes into a slot behind what it waits for, which may be on a later device.
        let mut device = 0;
        let mut unchanged = 0;
        while unchanged < simulation.cores.len() {
            let before = simulation.cores[device].queue.len();
            simulation.fill_slots(device, &mut |command| {
                let certain = command.waits.iter().all(|(id, _)| events.is_certain(*id));
                if certain {
                    events.make_certain(command.submission.event());
                }
                certain
            });
            let took = simulation.cores[device].queue.len() < before;
            unchanged = if took { 0 } else { unchanged + 1 };
            device = (device + 1) % simulation.cores.len();
        }
        ends
    }

    /// What has begun and ended, in order.
    fn note(&mut self, notices: Vec<Notice>, pause: Pause) -> Vec<Report> {
        let mut reports: Vec<Report> = Vec::new();
        for notice in notices {
            match notice {
                Notice::Started(submission) => reports.push(Report::silent(submission, None)),
                Notice::Ended { device, command, printed, started, ended } => {
                    let kernel = command.launch.name.clone();
                    let chained = !command.waits.is_empty();
                    let (host_accesses, started, ended) = ([started.1, ended.1], started.0, ended.0);
                    command.launch.took(ended.saturating_sub(started));
                    self.spans.push(Span { device, kernel, started, ended, chained, host_accesses });
                    let cause = command.submission.refusal();
                    let printed = Some((Arc::clone(&command.launch.printer), printed));
                    let outcome = Some(cause.map_or(Ok(()), Err));
                    let submission = close(&mut self.events, &command);
                    reports.push(Report { submission, printed, outcome });
                }
            }
        }
        let reason = match pause {
            Pause::Idle | Pause::More => None,
            Pause::Fault(fault) => Some(fault.to_string()),
            Pause::RunAway { device, at, cycles } => Some(format!(
                "device {device} has executed it for {cycles} cycles without an end and is at instruction {at}"
            )),
        };
        if let Some(reason) = reason {
            for (command, printed) in self.simulation.give_up() {
                let (kernel, reason) = (command.launch.name.clone(), reason.clone());
                let failure = Arc::new(Failure::Kernel { kernel, reason });
                let printed = Some((Arc::clone(&command.launch.printer), printed));
                let submission = give_up(&mut self.simulation, &mut self.events, &command);
                reports.push(Report { submission, printed, outcome: Some(Err(failure)) });
            }
        }
        reports
    }
}

/// A command has ended that no device has executed: its word is set here, as devices may wait for it.
fn give_up(simulation: &mut Simulation, events: &mut Events, command: &Command) -> Arc<dyn Submission> {
    simulation.set_event(command.event, 1);
    close(events, command)
}

/// A command has ended: its word and those it waited for may go back.
fn close(events: &mut Events, command: &Command) -> Arc<dyn Submission> {
    events.close(command.submission.event());
    for (id, number) in &command.waits {
        events.done_waiting(*id, *number);
    }
    Arc::clone(&command.submission)
}
