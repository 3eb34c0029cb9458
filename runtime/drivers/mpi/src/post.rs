//! Where what is to be said is left ([`Post`]). Whoever leaves it sends it at once where nobody else is at the transport, and
//! else leaves it to who is, or to the thread that talks, which is woken.
//!
//! What is left goes out in the order in which it was left: everybody adds to one list, and takes from it only at the desk.

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::thread::Thread;
use std::time::{Duration, Instant};

use oxcl_driver::{Failure, HostMemory, HostSpan, lock};

use crate::message::{self, Message};
use crate::node::HOST;
use crate::transport::Rank;

/// Called when a transfer is over, by who is at the desk.
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

impl Said {
    fn count(&mut self, message: &Message) {
        match message {
            Message::Run { .. } => self.commands += 1,
            Message::Done { .. } => self.ends += 1,
            _ => self.other += 1,
        }
    }
}

/// How long a message may wait for others that go to the same rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Haste {
    /// Not at all.
    Now,
    /// For some microseconds. Ends of commands for the host only, whose ages are as they were at that time.
    Soon(Instant),
    /// Until there is nothing else to do.
    Whenever,
}

pub(crate) enum Order {
    /// `bytes`: where it stands in the row of those that were left with it.
    Message {
        to: Rank,
        bytes: Range<usize>,
        haste: Haste,
    },
    Send(Flow),
    Receive(Flow),
    Exchange(Exchange),
    /// Nothing goes to the rank any more, nor comes from it.
    Drop(Rank, Failure),
    Stop,
}

/// The transport, with who is at it.
pub(crate) trait Seat: Send + Sync {
    /// Sends the messages that were left, if nobody is at the transport. Whether nothing is left.
    fn send(&self) -> bool;

    /// Does what is to be done, and hears what has come, if nobody else is at it. Whether there was anything.
    fn look(&self) -> bool;

    /// Whether threads of this rank may look for messages while they wait.
    fn may_look(&self) -> bool;
}

/// What was left, oldest first, with the bytes of its messages in a row.
#[derive(Default)]
pub(crate) struct Orders {
    pub(crate) list: Vec<Order>,
    pub(crate) bytes: Vec<u8>,
}

/// Room for more bytes is not kept.
const KEPT: usize = 256 << 10;

impl Orders {
    /// All was done.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
        if self.bytes.capacity() > KEPT {
            self.bytes = Vec::new();
        }
        self.bytes.clear();
    }
}

#[derive(Default)]
struct Left {
    orders: Orders,
    said: Said,
}

/// See the module's header.
#[derive(Default)]
pub(crate) struct Post {
    left: Mutex<Left>,
    /// Something was left. Written with `left` locked; read without, as those who talk ask all the time. Who leaves something while
    /// another talks wakes the thread that talks: nobody has to see it at once.
    has_some: AtomicBool,
    thread: OnceLock<Thread>,
    seat: OnceLock<Weak<dyn Seat>>,
}

impl std::fmt::Debug for Post {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Post").finish_non_exhaustive()
    }
}

thread_local! {
    /// The post whose desk this thread is at: what it leaves there it sends itself, later. 0: none.
    static AT_DESK: Cell<usize> = const { Cell::new(0) };
}

/// Marks the calling thread as the one at the desk of a post.
pub(crate) struct AtDesk(usize);

impl AtDesk {
    pub(crate) fn of(post: &Post) -> Self {
        Self(AT_DESK.replace(std::ptr::from_ref(post).addr()))
    }
}

impl Drop for AtDesk {
    fn drop(&mut self) {
        AT_DESK.set(self.0);
    }
}

impl Post {
    /// Who talks; said before it begins.
    pub(crate) fn belongs_to(&self, seat: Weak<dyn Seat>, thread: Thread) {
        let _ = self.seat.set(seat);
        let _ = self.thread.set(thread);
    }

    pub(crate) fn seat(&self) -> Option<Arc<dyn Seat>> {
        self.seat.get().and_then(Weak::upgrade)
    }

    /// Whether the calling thread is at the desk.
    pub(crate) fn is_at_desk(&self) -> bool {
        AT_DESK.get() == std::ptr::from_ref(self).addr()
    }

    /// Wakes the thread that talks. Before it has begun nobody needs to.
    pub(crate) fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    fn give(&self, order: Order) {
        let mut left = lock(&self.left);
        left.orders.list.push(order);
        self.note(&left);
        drop(left);
        if !self.is_at_desk() {
            self.wake();
        }
    }

    /// Keeps what is asked without the lock.
    fn note(&self, left: &Left) {
        let has_some = !left.orders.list.is_empty();
        // Relaxed, here and below: what was left is behind the lock.
        if self.has_some.load(Ordering::Relaxed) != has_some {
            self.has_some.store(has_some, Ordering::Relaxed);
        }
    }

    fn add(&self, to: Rank, message: &Message, haste: Haste) {
        let mut left = lock(&self.left);
        left.said.count(message);
        let Orders { list, bytes } = &mut left.orders;
        let begin = bytes.len();
        message::append(bytes, message);
        list.push(Order::Message { to, bytes: begin..bytes.len(), haste });
        self.note(&left);
    }

    /// What has been said so far.
    pub(crate) fn said(&self) -> Said {
        lock(&self.left).said
    }

    pub(crate) fn exchange(&self, exchange: Exchange) {
        self.give(Order::Exchange(exchange));
    }

    /// Says something, at once if nobody is at the transport.
    pub(crate) fn say(&self, to: Rank, message: &Message) {
        self.add(to, message, Haste::Now);
        if !self.is_at_desk() {
            self.send_left();
        }
    }

    /// Sends what was left, if nobody is at the transport; else who is does that, or the thread that talks.
    pub(crate) fn send_left(&self) {
        if !self.seat().is_some_and(|seat| seat.send()) {
            self.wake();
        }
    }

    /// Says something that nobody waits for: with what is said next, or when there is nothing else to do.
    pub(crate) fn mention(&self, to: Rank, message: &Message) {
        self.add(to, message, Haste::Whenever);
    }

    /// Tells the host the end of a command that others follow, which end soon as well: together with those. The calling thread is
    /// the one that talks.
    pub(crate) fn gather(&self, message: &Message, now: Instant) {
        self.add(HOST, message, Haste::Soon(now));
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

    /// All that was left; `room` has nothing in it, and is for what comes next.
    pub(crate) fn take(&self, room: Orders) -> Orders {
        let mut left = lock(&self.left);
        let orders = std::mem::replace(&mut left.orders, room);
        self.note(&left);
        orders
    }

    /// The messages that stand before anything else. Whether they are all.
    pub(crate) fn take_messages(&self, mut each: impl FnMut(Rank, &[u8], Haste)) -> bool {
        let mut left = lock(&self.left);
        let Orders { list, bytes: row } = &mut left.orders;
        let is_message = |order: &Order| matches!(order, Order::Message { .. });
        let count = list.iter().take_while(|order| is_message(order)).count();
        for order in list.drain(..count) {
            if let Order::Message { to, bytes, haste } = order {
                each(to, row.get(bytes).unwrap_or_default(), haste);
            }
        }
        self.note(&left);
        if !left.orders.list.is_empty() {
            return false;
        }
        left.orders.clear();
        true
    }

    /// Whether nothing was left, as far as the calling thread knows.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_some.load(Ordering::Relaxed)
    }
}
