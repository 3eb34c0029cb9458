//! The host's side: what it knows of the nodes, and its commands on their way ([`Shared`]).
//!
//! A command goes to its node as soon as nothing holds it back but commands of nodes; for those it waits there. The host
//! knows a command until it has said that it has ended, and says *forget* to whoever knows its event before it says so. Who
//! waits for an event of another node hears of its end from that one, which is told to say so (*tell*) before it is told to
//! forget. As everything that the host says to a rank comes in its order, no rank is asked for an event that it has forgotten.
//!
//! Locks: `state` first, then the post's. Nobody calls out of the driver with `state` locked.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, SyncSender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use oxcl_driver::error::Outcome;
use oxcl_driver::memory::MemoryCounters;
use oxcl_driver::{DriverError, Failure, Lane, Submission, command, lock};
use oxcl_scheduler::thread::{SMALL_STACK, spawn};

use crate::arrival::{self, Arrivals};
use crate::courier::Handler;
use crate::device::MpiLaunch;
use crate::job::{HostEnd, Job};
use crate::message::{Ending, Hello, Message, Work};
use crate::node::HOST;
use crate::order::ByNumber;
use crate::post::{Exchange, Post, nanoseconds};
use crate::stamp::{self, Step};
use crate::transport::Rank;

/// Numbers from here on are events of calls, which no scheduler has.
const CALLS: u64 = 1 << 63;

/// How long a thread that waits for an answer looks for it itself.
const LOOKING: Duration = Duration::from_micros(200);

/// Who wants to know how a command has ended.
#[derive(Clone)]
pub(crate) enum Customer {
    Submission(Arc<dyn Submission>),
    Caller(SyncSender<Result<(), Failure>>),
}

/// A command that has not ended.
struct Pending {
    customer: Customer,
    node: Rank,
    job: Job,
    waits: Box<[u64]>,
    /// The node has it, or the host is at it.
    is_on_its_way: bool,
    /// Other ranks that were given its event.
    told: Vec<Rank>,
    /// Of a download: whether the bytes are here.
    has_arrived: bool,
    ending: Option<Ending>,
}

#[derive(Debug, Default)]
struct NodeState {
    hello: Option<Hello>,
    lost: Option<Failure>,
}

#[derive(Default)]
struct State {
    nodes: BTreeMap<Rank, NodeState>,
    commands: ByNumber<Pending>,
    /// Programs whose building was asked for: none while the answer is not there.
    built: HashMap<(Rank, u64), Option<Result<(), Failure>>>,
    /// How long an exchange of bytes took, by who began it.
    exchanged: HashMap<Rank, u64>,
}

/// Something to do when the state is not locked any more.
enum Effect {
    End { customer: Customer, ending: Ending },
    Errand(Arc<dyn Submission>),
    Upload { node: Rank, transfer: u64, from: HostEnd },
}

/// What the host's threads share.
pub(crate) struct Shared {
    pub(crate) post: Arc<Post>,
    arrivals: Arrivals,
    state: Mutex<State>,
    changed: Condvar,
    errands: Mutex<Option<Sender<Arc<dyn Submission>>>>,
    next: AtomicU64,
    counters: Mutex<BTreeMap<Rank, MemoryCounters>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("post", &self.post).finish_non_exhaustive()
    }
}

fn failed(failure: Failure) -> Ending {
    Ending { outcome: Err(failure), ages: [0, 0], printed: Box::default(), dropped: 0 }
}

/// A failure as an answer to a call.
pub(crate) fn refusal(failure: Failure) -> DriverError {
    match failure {
        Failure::Driver(error) => error,
        other => DriverError::Device { reason: other.to_string() },
    }
}

impl Shared {
    pub(crate) fn new(post: Arc<Post>, nodes: impl Iterator<Item = Rank>) -> Arc<Self> {
        let nodes = nodes.map(|rank| (rank, NodeState::default())).collect();
        Arc::new(Self {
            post,
            arrivals: Arrivals::default(),
            state: Mutex::new(State { nodes, ..State::default() }),
            changed: Condvar::new(),
            errands: Mutex::default(),
            next: AtomicU64::new(1),
            counters: Mutex::default(),
        })
    }

    /// A number that nothing of the host's has.
    pub(crate) fn number(&self) -> u64 {
        // Relaxed: it only has to differ from all others.
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn counters(&self, node: Rank) -> MemoryCounters {
        lock(&self.counters).get(&node).copied().unwrap_or_default()
    }

    /// Waits until every node has said what it is, or is lost, for so long.
    pub(crate) fn hellos(&self, patience: Duration) -> BTreeMap<Rank, Result<Hello, Failure>> {
        let deadline = Instant::now() + patience;
        let mut state = lock(&self.state);
        while state.nodes.values().any(|node| node.hello.is_none() && node.lost.is_none()) {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let silent = || DriverError::Device { reason: "it has not said what it is".to_owned() };
        let of = |node: &NodeState| match (&node.hello, &node.lost) {
            (_, Some(failure)) => Err(failure.clone()),
            (Some(hello), None) => Ok(hello.clone()),
            (None, None) => Err(silent().into()),
        };
        state.nodes.iter().map(|(rank, node)| (*rank, of(node))).collect()
    }

    /// Why a node is lost, if it is.
    pub(crate) fn lost(&self, node: Rank) -> Option<Failure> {
        lock(&self.state).nodes.get(&node).and_then(|node| node.lost.clone())
    }

    /// Says something to a node, unless that is lost.
    pub(crate) fn say(&self, node: Rank, message: &Message) -> Result<(), DriverError> {
        match self.lost(node) {
            Some(failure) => Err(DriverError::Device { reason: failure.to_string() }),
            None => {
                self.post.say(node, message);
                Ok(())
            }
        }
    }

    /// Has a node build a program, and waits for that.
    pub(crate) fn build(&self, node: Rank, program: u64, archive: &[u8]) -> Result<(), DriverError> {
        let key = (node, program);
        lock(&self.state).built.insert(key, None);
        self.say(node, &Message::Program { program, archive: archive.into() })?;
        let mut state = lock(&self.state);
        loop {
            if let Some(Some(_)) = state.built.get(&key)
                && let Some(Some(outcome)) = state.built.remove(&key)
            {
                return outcome.map_err(|failure| DriverError::BadBinary { reason: failure.to_string() });
            }
            if let Some(failure) = state.nodes.get(&node).and_then(|node| node.lost.clone()) {
                return Err(DriverError::Device { reason: failure.to_string() });
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Has two ranks exchange bytes, so many times there and back, and waits; how long that took. One of them may be this.
    pub(crate) fn exchange(
        self: &Arc<Self>,
        one: Rank,
        other: Rank,
        bytes: u64,
        turns: u64,
    ) -> Option<Duration> {
        lock(&self.state).exchanged.remove(&one);
        // The other is told before this rank, which says nothing more until the exchange is over.
        let both = if one == HOST { [(other, one), (one, other)] } else { [(one, other), (other, one)] };
        for (rank, with) in both {
            let first = rank == one;
            if rank != HOST {
                self.post.say(rank, &Message::Exchange { with, bytes, turns, first });
                continue;
            }
            let shared = Arc::downgrade(self);
            let told = Box::new(move |took| {
                if let Some(shared) = shared.upgrade().filter(|_| first) {
                    lock(&shared.state).exchanged.insert(one, nanoseconds(took));
                    shared.changed.notify_all();
                }
            });
            self.post.exchange(Exchange { with, bytes, turns, first, told });
        }
        let mut state = lock(&self.state);
        loop {
            if let Some(took) = state.exchanged.remove(&one) {
                return (took > 0).then_some(Duration::from_nanos(took));
            }
            let is_lost = |rank: &Rank| state.nodes.get(rank).is_some_and(|node| node.lost.is_some());
            if is_lost(&one) || is_lost(&other) {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Looks for messages until one has brought about what is awaited, but not for long.
    fn look_for<R>(&self, awaited: impl Fn() -> Option<R>) -> Option<R> {
        let begin = Instant::now();
        let seat = self.post.seat().filter(|seat| seat.may_look())?;
        while begin.elapsed() < LOOKING {
            seat.look();
            if let Some(found) = awaited() {
                return Some(found);
            }
        }
        None
    }

    /// Hears what has come, on the calling thread, if nobody else is at it.
    pub(crate) fn look(&self) {
        if let Some(seat) = self.post.seat() {
            seat.look();
        }
    }

    /// Whether threads may look for messages while they wait.
    pub(crate) fn may_look(&self) -> bool {
        self.post.seat().is_some_and(|seat| seat.may_look())
    }

    /// Takes a command.
    pub(crate) fn submit(self: &Arc<Self>, submission: Arc<dyn Submission>, node: Rank) {
        stamp::mark(Step::Submit);
        let job = Job::of(submission.work());
        let event = submission.event().0;
        let waits = submission.waits_on().iter().map(|event| event.0).collect();
        self.enter(event, Customer::Submission(submission), node, job, waits);
    }

    /// Has a job done, and waits for its end.
    pub(crate) fn call(self: &Arc<Self>, node: Rank, job: Job) -> Result<(), DriverError> {
        let (reply, answer) = std::sync::mpsc::sync_channel(1);
        self.enter(CALLS | self.number(), Customer::Caller(reply), node, job, Box::default());
        let gone = |_| DriverError::Device { reason: "the thread that talks to nodes has ended".to_owned() };
        self.look_for(|| answer.try_recv().ok())
            .map_or_else(|| answer.recv().map_err(gone), Ok)?
            .map_err(refusal)
    }

    fn enter(self: &Arc<Self>, event: u64, customer: Customer, node: Rank, job: Job, waits: Box<[u64]>) {
        let pending = Pending {
            customer,
            node,
            job,
            waits,
            is_on_its_way: false,
            told: Vec::new(),
            has_arrived: false,
            ending: None,
        };
        let mut state = lock(&self.state);
        state.commands.insert(event, pending);
        self.go_on(state, event);
    }

    /// Something that a command waited for has ended.
    pub(crate) fn notify(self: &Arc<Self>, event: u64) {
        self.go_on(lock(&self.state), event);
    }

    /// Lets a command go on if it can.
    fn go_on(self: &Arc<Self>, mut state: MutexGuard<'_, State>, event: u64) {
        let effect = self.advance(&mut state, event);
        drop(state);
        if let Some(effect) = effect {
            self.take_effect(effect);
        }
    }

    /// Sends a command to its node, once nothing but commands of nodes holds it back.
    fn advance(self: &Arc<Self>, state: &mut State, event: u64) -> Option<Effect> {
        let pending = state.commands.get(&event).filter(|pending| !pending.is_on_its_way)?;
        let node = pending.node;
        if let Some(failure) = state.nodes.get(&node).and_then(|node| node.lost.clone()) {
            return self.end(state, event, failed(failure));
        }
        let is_nodes =
            |wait: &u64| state.commands.get(wait).is_some_and(|other| !matches!(other.job, Job::Errand));
        let live: Vec<u64> = pending.waits.iter().copied().filter(is_nodes).collect();
        if let Customer::Submission(submission) = &pending.customer {
            if pending.job.waits_here() {
                if submission.holders() > 0 || !submission.claim() {
                    return None;
                }
            } else if submission.holders() as usize > live.len() {
                return None;
            }
            if let Some(cause) = submission.refusal() {
                return self.end(state, event, failed((*cause).clone()));
            }
        }
        let transfer = self.number();
        let pending = state.commands.get_mut(&event)?;
        pending.is_on_its_way = true;
        let (work, other, effect) = match &pending.job {
            Job::Node(work) => (work.clone(), None, None),
            Job::Upload { memory, region, from } => {
                let work = Work::Receive { memory: *memory, region: *region, from: 0, transfer };
                (work, None, Some(Effect::Upload { node, transfer, from: *from }))
            }
            Job::Download { memory, region, to } => {
                let (to, work) = (*to, Work::Send { memory: *memory, region: *region, to: 0, transfer });
                match to.room() {
                    Ok(room) => self.expect(event, node, transfer, to, room),
                    Err(error) => {
                        pending.is_on_its_way = false;
                        return self.end(state, event, failed(error.into()));
                    }
                }
                (work, None, None)
            }
            Job::Peer { source, from, memory, region } => {
                let send = Work::Send { memory: *from, region: *region, to: node, transfer };
                let receive = Work::Receive { memory: *memory, region: *region, from: *source, transfer };
                (receive, Some((*source, send)), None)
            }
            Job::Errand => {
                let Customer::Submission(submission) = &pending.customer else { return None };
                return Some(Effect::Errand(Arc::clone(submission)));
            }
        };
        let ranks = [Some(node), other.as_ref().map(|(rank, _)| *rank)];
        for wait in &live {
            if let Some(awaited) = state.commands.get_mut(wait) {
                for rank in ranks.into_iter().flatten().filter(|rank| *rank != awaited.node) {
                    if !awaited.told.contains(&rank) {
                        awaited.told.push(rank);
                        self.post.say(awaited.node, &Message::Tell { event: *wait, to: rank });
                    }
                }
            }
        }
        if let Some((rank, work)) = other {
            self.count(node, |counters| counters.device_to_device += bytes_of(&work));
            self.post.say(rank, &Message::Run { event: None, waits: live.clone(), work });
        }
        self.post.say(node, &Message::Run { event: Some(event), waits: live, work });
        effect
    }

    /// Bytes of a download are to come.
    fn expect(
        self: &Arc<Self>,
        event: u64,
        node: Rank,
        transfer: u64,
        to: HostEnd,
        room: (oxcl_driver::HostSpan, Option<Arc<oxcl_driver::HostMemory>>),
    ) {
        let (shared, block) = (Arc::clone(self), room.1.clone());
        let over = Box::new(move |outcome: Result<(), Failure>| {
            let scattered = outcome.and_then(|()| match &block {
                Some(block) => to.scatter(block).map_err(Failure::Driver),
                None => Ok(()),
            });
            shared.arrived(event, scattered);
        });
        self.count(node, |counters| counters.downloaded += room.0.length());
        self.arrivals.expect(&self.post, node, transfer, Some(room), over);
    }

    fn count(&self, node: Rank, count: impl FnOnce(&mut MemoryCounters)) {
        count(lock(&self.counters).entry(node).or_default());
    }

    /// The bytes of a download are there, or do not come.
    fn arrived(self: &Arc<Self>, event: u64, outcome: Result<(), Failure>) {
        let mut state = lock(&self.state);
        let Some(pending) = state.commands.get_mut(&event) else { return };
        pending.has_arrived = true;
        let effect = match (outcome, pending.ending.take()) {
            (Err(failure), _) => self.end(&mut state, event, failed(failure)),
            (Ok(()), Some(ending)) => self.end(&mut state, event, ending),
            (Ok(()), None) => None,
        };
        drop(state);
        effect.into_iter().for_each(|effect| self.take_effect(effect));
    }

    /// A node says that a command has ended.
    fn ended(self: &Arc<Self>, event: u64, ending: Ending) {
        let mut state = lock(&self.state);
        let Some(pending) = state.commands.get_mut(&event) else { return };
        if matches!(pending.job, Job::Download { .. }) && !pending.has_arrived && ending.outcome.is_ok() {
            pending.ending = Some(ending);
            return;
        }
        let effect = self.end(&mut state, event, ending);
        drop(state);
        effect.into_iter().for_each(|effect| self.take_effect(effect));
    }

    /// A command is over: whoever knows its event may forget it, and waits no longer if its node says nothing.
    fn end(&self, state: &mut State, event: u64, ending: Ending) -> Option<Effect> {
        let pending = state.commands.remove(&event)?;
        let Pending { customer, node, told, is_on_its_way, job, .. } = pending;
        let is_lost = state.nodes.get(&node).is_some_and(|node| node.lost.is_some());
        if !matches!(job, Job::Errand) {
            if !is_on_its_way || is_lost {
                let done = Message::Done { event, outcome: ending.outcome.clone() };
                told.iter().chain([&node]).for_each(|rank| self.post.say(*rank, &done));
            }
            told.iter().chain([&node]).for_each(|rank| self.post.mention(*rank, &Message::Forget { event }));
        }
        Some(Effect::End { customer, ending })
    }

    fn take_effect(self: &Arc<Self>, effect: Effect) {
        match effect {
            Effect::End { customer: Customer::Caller(reply), ending } => drop(reply.send(ending.outcome)),
            Effect::End { customer: Customer::Submission(submission), ending } => {
                report(submission.as_ref(), ending);
                stamp::mark(Step::Reported);
            }
            Effect::Errand(submission) => self.run_errand(submission),
            Effect::Upload { node, transfer, from } => {
                let sent = from.gathered();
                match sent {
                    Ok((span, keep)) => {
                        self.count(node, |counters| counters.uploaded += span.length());
                        // The command ends when the node has them.
                        arrival::send(&self.post, node, transfer, span, keep, Box::new(|_| ()));
                    }
                    Err(error) => {
                        let failure = error.into();
                        self.post.say(node, &Message::NoData { transfer, failure });
                    }
                }
            }
        }
    }

    /// Work that no node does, on a thread for such.
    fn run_errand(self: &Arc<Self>, submission: Arc<dyn Submission>) {
        let mut errands = lock(&self.errands);
        if errands.is_none() {
            let (sender, receiver) = channel::<Arc<dyn Submission>>();
            let shared = Arc::downgrade(self);
            let thread = spawn("mpi-errands", SMALL_STACK, move || {
                for submission in receiver {
                    let outcome = command::perform(submission.as_ref(), Lane { index: 0 });
                    if let Some(shared) = shared.upgrade() {
                        lock(&shared.state).commands.remove(&submission.event().0);
                    }
                    submission.ended(outcome);
                }
            });
            if thread.is_err() {
                drop(errands);
                lock(&self.state).commands.remove(&submission.event().0);
                return submission.ended(Err(Arc::new(Failure::OutOfHostMemory)));
            }
            *errands = Some(sender);
        }
        if let Some(sender) = errands.as_ref() {
            // The receiver lives as long as the sender.
            let _ = sender.send(submission);
        }
    }

    /// What ends when the courier does: every command that is left.
    pub(crate) fn shut_down(self: &Arc<Self>) {
        let ranks: Vec<Rank> = lock(&self.state).nodes.keys().copied().collect();
        ranks.into_iter().for_each(|rank| self.give_up(rank, &Failure::ShutDown));
    }

    /// Nothing comes from a node any more.
    fn give_up(self: &Arc<Self>, rank: Rank, failure: &Failure) {
        let mut state = lock(&self.state);
        let others: Vec<Rank> = state.nodes.keys().copied().filter(|other| *other != rank).collect();
        let Some(node) = state.nodes.get_mut(&rank).filter(|node| node.lost.is_none()) else { return };
        node.lost = Some(failure.clone());
        let message = Message::Lost { rank, failure: failure.clone() };
        others.iter().for_each(|other| self.post.say(*other, &message));
        let is_there =
            |(_, pending): &(&u64, &Pending)| pending.node == rank && !matches!(pending.job, Job::Errand);
        let events: Vec<u64> = state.commands.iter().filter(is_there).map(|(event, _)| *event).collect();
        let ends = events.into_iter();
        let ends: Vec<Effect> =
            ends.filter_map(|event| self.end(&mut state, event, failed(failure.clone()))).collect();
        drop(state);
        // The bytes that were to come to commands' memory must not come any more when these end.
        self.arrivals.lost(rank, failure);
        self.changed.notify_all();
        ends.into_iter().for_each(|effect| self.take_effect(effect));
    }
}

fn bytes_of(work: &Work) -> u64 {
    match work {
        Work::Send { region, .. } | Work::Receive { region, .. } => region.bytes(),
        _ => 0,
    }
}

/// Tells the scheduler how a command went.
fn report(submission: &dyn Submission, ending: Ending) {
    let Ending { outcome, ages, printed, dropped } = ending;
    let launch =
        submission.work().and_then(|work| work.as_any()).and_then(|any| any.downcast_ref::<MpiLaunch>());
    if let Some(launch) = launch {
        launch.printer_here().add(&printed, dropped);
    }
    let [began, ended] = ages.map(Duration::from_nanos);
    // What failed before it began was not begun.
    if outcome.is_ok() || began > Duration::ZERO {
        submission.started();
    }
    if began > Duration::ZERO {
        submission.took(began, ended);
    }
    let outcome: Outcome =
        outcome.map_err(|failure| submission.refusal().unwrap_or_else(|| Arc::new(failure)));
    submission.ended(outcome);
}

/// Hears what nodes say.
pub(crate) struct HostHandler(pub(crate) Arc<Shared>);

impl Handler for HostHandler {
    fn hear(&self, from: Rank, message: Message) {
        let shared = &self.0;
        match message {
            Message::Hello { hello } => {
                if let Some(node) = lock(&shared.state).nodes.get_mut(&from) {
                    node.hello = Some(hello);
                }
                shared.changed.notify_all();
            }
            Message::Built { program, outcome } => {
                lock(&shared.state).built.insert((from, program), Some(outcome));
                shared.changed.notify_all();
            }
            Message::Ended { event, ending } => shared.ended(event, ending),
            Message::Data { transfer, length, bytes } => {
                shared.arrivals.announced(&shared.post, from, transfer, length, bytes);
            }
            Message::NoData { transfer, failure } => shared.arrivals.refused(from, transfer, failure),
            Message::Exchanged { nanoseconds } => {
                lock(&shared.state).exchanged.insert(from, nanoseconds);
                shared.changed.notify_all();
            }
            // The host has no other business with nodes.
            _ => {}
        }
    }

    fn failure(&self, rank: Rank, reason: String) -> Failure {
        let machine = {
            let state = lock(&self.0.state);
            let hello = state.nodes.get(&rank).and_then(|node| node.hello.as_ref());
            hello.map_or_else(String::new, |hello| format!(" ({})", hello.machine))
        };
        let cause = DriverError::Device { reason: format!("the node is lost: {reason}") };
        Failure::Elsewhere { place: format!("rank {rank}{machine}"), cause: Box::new(cause.into()) }
    }

    fn lost(&self, rank: Rank, failure: &Failure) {
        self.0.give_up(rank, failure);
    }
}
