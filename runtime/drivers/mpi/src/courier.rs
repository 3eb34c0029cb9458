//! The one thread of a rank that talks to others. Everybody else leaves orders with it ([`Post`]); it sends them, hears what
//! comes, and says who has been silent for too long.
//!
//! Messages that lie there at the same time for the same rank go in one packet. Bytes go in pieces of [`PIECE`], of which
//! several are under way. Where nothing is to be done the thread naps, longer the longer that lasts; it spins for a moment
//! before only where there is a processor for every rank.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::Thread;
use std::time::{Duration, Instant};

use oxcl_driver::{DriverError, Failure, HostMemory, HostSpan, lock};

use crate::message::{self, Message};
use crate::transport::{Happening, Rank, Ticket, Transport};

/// Bytes of a transfer that go at once.
pub(crate) const PIECE: u64 = 1 << 20;
/// Pieces of a transfer that are under way at the same time.
const WINDOW: usize = 4;
/// A packet that has so many bytes goes without waiting for more.
const FULL: usize = 64 << 10;
/// How often a rank says that it is there.
const BEAT: Duration = Duration::from_millis(500);
/// How long the thread looks for something to do before it naps, where it may.
const SPIN: Duration = Duration::from_micros(50);
/// Tags below are not used for bytes.
const FIRST_TAG: u64 = 16;
/// How many tags there are; MPI promises 32767.
const TAGS: u64 = 32_000;

/// Called when a transfer is over, from the courier's thread.
pub(crate) type Over = Box<dyn FnOnce(Result<(), Failure>) + Send>;

/// Bytes that are to move.
pub(crate) struct Flow {
    pub(crate) peer: Rank,
    pub(crate) transfer: u64,
    pub(crate) span: HostSpan,
    /// Bytes that come; what is beyond the span is thrown away.
    pub(crate) length: u64,
    /// Held until that is over.
    pub(crate) _keep: Option<Arc<HostMemory>>,
    pub(crate) over: Over,
}

/// Bytes that go there and back to measure how long that takes.
pub(crate) struct Exchange {
    pub(crate) with: Rank,
    pub(crate) bytes: u64,
    pub(crate) turns: u64,
    pub(crate) first: bool,
    /// Called with the time where this rank is first.
    pub(crate) told: Box<dyn FnOnce(Option<Duration>) + Send>,
}

/// A time as it is told; 0 for none.
pub(crate) fn nanoseconds(time: Option<Duration>) -> u64 {
    time.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

/// Messages that were given to a rank's post, by what they are: what of the commands of nodes passes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Said {
    /// Commands that were given to nodes.
    pub commands: u64,
    /// That an event has ended.
    pub ends: u64,
    /// Everything else.
    pub other: u64,
}

enum Order {
    Message(Rank, Vec<u8>),
    Send(Flow),
    Receive(Flow),
    Exchange(Exchange),
    /// Nothing goes to the rank any more, nor comes from it.
    Drop(Rank, Failure),
    Stop,
}

/// Where orders are left.
#[derive(Default)]
pub(crate) struct Post {
    orders: Mutex<Vec<Order>>,
    thread: OnceLock<Thread>,
    said: Mutex<Said>,
}

impl std::fmt::Debug for Post {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Post").finish_non_exhaustive()
    }
}

impl Post {
    fn give(&self, order: Order) {
        lock(&self.orders).push(order);
        // Before the thread has begun nobody needs to wake it.
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    /// What has been said so far.
    pub(crate) fn said(&self) -> Said {
        *lock(&self.said)
    }

    pub(crate) fn exchange(&self, exchange: Exchange) {
        self.give(Order::Exchange(exchange));
    }

    pub(crate) fn say(&self, to: Rank, message: &Message) {
        {
            let mut said = lock(&self.said);
            match message {
                Message::Run { .. } => said.commands += 1,
                Message::Done { .. } => said.ends += 1,
                _ => said.other += 1,
            }
        }
        let mut bytes = Vec::new();
        message::append(&mut bytes, message);
        self.give(Order::Message(to, bytes));
    }

    pub(crate) fn send(&self, flow: Flow) {
        self.give(Order::Send(flow));
    }

    pub(crate) fn receive(&self, flow: Flow) {
        self.give(Order::Receive(flow));
    }

    /// Whatever goes to or comes from a rank fails from here on.
    pub(crate) fn drop_rank(&self, rank: Rank, failure: Failure) {
        self.give(Order::Drop(rank, failure));
    }

    /// The thread ends once what was ordered has been sent.
    pub(crate) fn stop(&self) {
        self.give(Order::Stop);
    }
}

/// Gets what comes. Called from the courier's thread.
pub(crate) trait Handler {
    fn hear(&self, from: Rank, message: Message);
    /// How what is done with a rank fails that was not heard for too long, or cannot be reached.
    fn failure(&self, rank: Rank, reason: String) -> Failure;
    /// Nothing goes to such a rank any more, nor comes from it; transfers have failed.
    fn lost(&self, rank: Rank, failure: &Failure);
    /// All messages that had come have been handled.
    fn settled(&self) {}
}

/// Whose silence is noticed, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Watch {
    /// Only this rank's, or everybody's.
    pub(crate) only: Option<Rank>,
    pub(crate) patience: Duration,
}

struct Stream {
    flow: Flow,
    /// Bytes whose pieces were begun.
    begun: u64,
    under_way: VecDeque<Ticket>,
    sends: bool,
    failed: Option<String>,
}

/// The thread's own.
pub(crate) struct Courier<T> {
    transport: T,
    post: Arc<Post>,
    watch: Watch,
    batches: BTreeMap<Rank, Vec<u8>>,
    streams: HashMap<u64, Stream>,
    tickets: HashMap<Ticket, u64>,
    next: u64,
    /// When each rank was heard last.
    heard: Vec<Instant>,
    gone: BTreeMap<Rank, Failure>,
    stop: bool,
    /// Ended without a word.
    ended: bool,
}

impl<T: Transport> Courier<T> {
    pub(crate) fn new(transport: T, post: Arc<Post>, watch: Watch) -> Self {
        let heard = vec![Instant::now(); transport.ranks() as usize];
        Self {
            transport,
            post,
            watch,
            batches: BTreeMap::new(),
            streams: HashMap::new(),
            tickets: HashMap::new(),
            next: 0,
            heard,
            gone: BTreeMap::new(),
            stop: false,
            ended: false,
        }
    }

    /// Works until it is stopped. Whether that was orderly.
    pub(crate) fn run(mut self, handler: &dyn Handler) -> bool {
        let _ = self.post.thread.set(std::thread::current());
        let mut last = Instant::now();
        let mut looked = last;
        let mut beaten: Option<Instant> = None;
        loop {
            let worked = self.obey() | self.listen(handler);
            self.flush();
            let now = Instant::now();
            // Where this thread itself has stood still nobody else was silent.
            let stood = now.duration_since(looked);
            if stood > BEAT * 2 {
                self.heard.iter_mut().for_each(|heard| *heard += stood);
            }
            looked = now;
            if self.ended || (self.stop && self.streams.is_empty()) {
                break;
            }
            if beaten.is_none_or(|beaten| now.duration_since(beaten) >= BEAT) {
                beaten = Some(now);
                self.beat(handler, now);
                self.flush();
            }
            if worked {
                last = now;
                continue;
            }
            self.nap(now.duration_since(last));
        }
        let orderly = !self.ended && self.gone.is_empty();
        for (_, stream) in std::mem::take(&mut self.streams) {
            (stream.flow.over)(Err(Failure::ShutDown));
        }
        self.transport.close(orderly);
        orderly
    }

    fn nap(&mut self, idle: Duration) {
        if !self.transport.is_crowded() && idle < SPIN {
            std::hint::spin_loop();
            return;
        }
        if !lock(&self.post.orders).is_empty() {
            return;
        }
        let nap = self.transport.nap(idle).unwrap_or(BEAT).min(BEAT);
        std::thread::park_timeout(nap);
    }

    /// Says that this rank is there, and looks who has not for long.
    fn beat(&mut self, handler: &dyn Handler, now: Instant) {
        let own = self.transport.rank();
        for rank in 0..self.transport.ranks() {
            let watched = rank != own && self.watch.only.is_none_or(|only| only == rank);
            if !watched || self.gone.contains_key(&rank) {
                continue;
            }
            let silent = now.saturating_duration_since(self.heard[rank as usize]);
            if silent > self.watch.patience {
                let seconds = silent.as_secs_f64();
                self.lose(handler, rank, format!("no sign of life for {seconds:.1} s"));
            } else {
                self.say(rank, &Message::Alive {});
            }
        }
    }

    fn lose(&mut self, handler: &dyn Handler, rank: Rank, reason: String) {
        let failure = handler.failure(rank, reason);
        self.drop_rank(rank, &failure);
        handler.lost(rank, &failure);
    }

    fn say(&mut self, to: Rank, message: &Message) {
        message::append(self.batches.entry(to).or_default(), message);
    }

    fn flush(&mut self) {
        // Other nodes may wait for what they are told; the host, rank 0, hears the same for its records.
        for (to, packet) in std::mem::take(&mut self.batches).into_iter().rev() {
            if !packet.is_empty() {
                self.transport.packet(to, packet);
            }
        }
    }

    /// Does what was ordered. Whether there was anything.
    fn obey(&mut self) -> bool {
        let orders = std::mem::take(&mut *lock(&self.post.orders));
        let any = !orders.is_empty();
        for order in orders {
            match order {
                Order::Message(to, bytes) => {
                    if self.gone.contains_key(&to) {
                        continue;
                    }
                    let batch = self.batches.entry(to).or_default();
                    batch.extend_from_slice(&bytes);
                    if batch.len() >= FULL {
                        let packet = std::mem::take(batch);
                        self.transport.packet(to, packet);
                    }
                }
                Order::Send(flow) => self.begin(flow, true),
                Order::Receive(flow) => self.begin(flow, false),
                Order::Exchange(Exchange { with, bytes, turns, first, told }) => {
                    // The other is told to do the same before.
                    self.flush();
                    let took = self.transport.exchange(with, bytes, turns, first);
                    told(took);
                }
                Order::Drop(rank, failure) => self.drop_rank(rank, &failure),
                Order::Stop => self.stop = true,
            }
        }
        any
    }

    fn begin(&mut self, flow: Flow, sends: bool) {
        if let Some(failure) = self.gone.get(&flow.peer) {
            (flow.over)(Err(failure.clone()));
            return;
        }
        self.next += 1;
        let stream = Stream { flow, begun: 0, under_way: VecDeque::new(), sends, failed: None };
        self.streams.insert(self.next, stream);
        self.go_on(self.next);
    }

    /// Begins as many pieces as may be under way; ends the transfer when none is left.
    fn go_on(&mut self, number: u64) {
        let Some(stream) = self.streams.get_mut(&number) else { return };
        let Flow { peer, transfer, span, length, .. } = stream.flow;
        let tag = u32::try_from(FIRST_TAG + transfer % TAGS).unwrap_or(u32::MAX);
        while stream.begun < length && stream.under_way.len() < WINDOW && stream.failed.is_none() {
            let piece = PIECE.min(length - stream.begun);
            // What is thrown away comes to the same place, a piece at a time.
            let thrown = span.length() < length;
            let Ok(part) = span.part(if thrown { 0 } else { stream.begun }, piece) else { break };
            if thrown && !stream.under_way.is_empty() {
                break;
            }
            let ticket = if stream.sends {
                self.transport.send(peer, tag, part)
            } else {
                self.transport.receive(peer, tag, part)
            };
            stream.begun += piece;
            stream.under_way.push_back(ticket);
            self.tickets.insert(ticket, number);
        }
        if stream.under_way.is_empty()
            && let Some(stream) = self.streams.remove(&number)
        {
            let outcome = stream.failed.map_or(Ok(()), |reason| Err(DriverError::Device { reason }.into()));
            (stream.flow.over)(outcome);
        }
    }

    fn drop_rank(&mut self, rank: Rank, failure: &Failure) {
        self.gone.insert(rank, failure.clone());
        self.batches.remove(&rank);
        let with = |stream: &Stream| stream.flow.peer == rank;
        let numbers: Vec<u64> = self.streams.iter().filter(|(_, s)| with(s)).map(|(n, _)| *n).collect();
        for number in numbers {
            let Some(stream) = self.streams.remove(&number) else { continue };
            for ticket in stream.under_way {
                self.tickets.remove(&ticket);
                self.transport.cancel(ticket);
            }
            (stream.flow.over)(Err(failure.clone()));
        }
    }

    /// Hears what has come. Whether there was anything.
    fn listen(&mut self, handler: &dyn Handler) -> bool {
        let mut any = false;
        while let Some(happening) = self.transport.poll() {
            any = true;
            match happening {
                Happening::Packet { from, bytes } => self.packet(handler, from, &bytes),
                Happening::Over { ticket, failed } => {
                    let Some(number) = self.tickets.remove(&ticket) else { continue };
                    if let Some(stream) = self.streams.get_mut(&number) {
                        stream.under_way.retain(|other| *other != ticket);
                        stream.failed = stream.failed.take().or(failed);
                    }
                    self.go_on(number);
                }
                Happening::Unreachable { rank, reason } => {
                    if !self.gone.contains_key(&rank) {
                        self.lose(handler, rank, reason);
                    }
                }
                Happening::Ended => {
                    self.ended = true;
                    return true;
                }
            }
        }
        if any {
            handler.settled();
        }
        any
    }

    fn packet(&mut self, handler: &dyn Handler, from: Rank, bytes: &[u8]) {
        if self.gone.contains_key(&from) {
            return;
        }
        if let Some(heard) = self.heard.get_mut(from as usize) {
            *heard = Instant::now();
        }
        for message in message::messages(bytes) {
            match message {
                Ok(message) => handler.hear(from, message),
                Err(malformed) => self.lose(handler, from, format!("what it sent is wrong: {malformed}")),
            }
        }
    }
}
