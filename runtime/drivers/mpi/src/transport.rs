//! What carries packets and bytes between ranks ([`Transport`]), and one that carries them between threads of a process
//! ([`mesh`]), for tests and models. The one over the system's MPI is `system.rs`.
//!
//! A packet is delivered once, and packets between two ranks in their order. Bytes go from a send to the receive of the same
//! pair of ranks and the same tag, in order. Neither end copies bytes for longer than it must.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::Thread;
use std::time::Duration;

use oxcl_driver::{HostSpan, lock};

/// A process of the job.
pub type Rank = u32;

/// A send or a receive that was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ticket(pub u64);

/// What has happened.
#[derive(Debug)]
pub enum Happening {
    /// A packet is there.
    Packet {
        /// From whom.
        from: Rank,
        /// What it says.
        bytes: Vec<u8>,
    },
    /// A send or receive is over: nobody uses its memory any more.
    Over {
        /// Which.
        ticket: Ticket,
        /// Why its bytes have not arrived.
        failed: Option<String>,
    },
    /// A rank cannot be reached any more.
    Unreachable {
        /// Which.
        rank: Rank,
        /// Why.
        reason: String,
    },
    /// This rank itself is to end at once and say nothing more.
    Ended,
}

/// Carries packets and bytes. Used by one thread at a time.
pub trait Transport {
    /// This rank.
    fn rank(&self) -> Rank;

    /// How many there are.
    fn ranks(&self) -> u32;

    /// There are more ranks on this machine than processors, so that nobody should wait awake.
    fn is_crowded(&self) -> bool;

    /// How many of them are on this machine.
    fn neighbours(&self) -> usize {
        1
    }

    /// Packets that were sent and are not away yet, about.
    fn backlog(&self) -> usize {
        0
    }

    /// Whether it is known that a rank's process is no more.
    fn has_ended(&self, rank: Rank) -> bool {
        let _ = rank;
        false
    }

    /// How long may be slept at most without a look at [`Transport::poll`], where nothing was heard for `idle`. `None`: who
    /// sends wakes this thread.
    fn nap(&self, idle: Duration) -> Option<Duration>;

    /// Sends a packet, and gives back room for another one: that of this one, where it is away already.
    fn packet(&mut self, to: Rank, bytes: Vec<u8>) -> Vec<u8>;

    /// The bytes of a packet that came are not needed any more: room for another one.
    fn heard(&mut self, bytes: Vec<u8>) {
        drop(bytes);
    }

    /// Begins to send bytes, which stay as they are until that is over.
    fn send(&mut self, to: Rank, tag: u32, bytes: HostSpan) -> Ticket;

    /// Begins to receive bytes, as many as there is room for.
    fn receive(&mut self, from: Rank, tag: u32, room: HostSpan) -> Ticket;

    /// Gives up what was begun, so that nobody uses its memory from here on, as far as that can be had.
    fn cancel(&mut self, ticket: Ticket);

    /// What has happened, oldest first; none where nothing has.
    fn poll(&mut self) -> Option<Happening>;

    /// Sends bytes to a rank and waits for as many of its, so many times, or the other way round where that one is `first`:
    /// what commands are held against. How long that took; none where there is no such measure.
    fn exchange(&mut self, with: Rank, bytes: u64, turns: u64, first: bool) -> Option<Duration> {
        let _ = (with, bytes, turns, first);
        None
    }

    /// The last call. `all`: every rank is there, and does the same.
    fn close(&mut self, all: bool);
}

#[derive(Debug, Default)]
struct Mailbox {
    packets: VecDeque<(Rank, Vec<u8>)>,
    bytes: VecDeque<(Rank, u32, Vec<u8>)>,
    thread: Option<Thread>,
    killed: bool,
}

#[derive(Debug)]
struct Mesh(Mutex<Vec<Mailbox>>);

/// One rank's end of a mesh.
#[derive(Debug)]
pub struct MeshEnd {
    mesh: Arc<Mesh>,
    rank: Rank,
    ranks: u32,
    is_roomy: bool,
    next: u64,
    wanted: VecDeque<(Ticket, Rank, u32, HostSpan)>,
    over: VecDeque<Ticket>,
}

/// Ends a rank of a mesh as a signal ends a process.
#[derive(Debug, Clone)]
pub struct Killer(Arc<Mesh>);

impl Killer {
    /// The rank says nothing from here on.
    pub fn kill(&self, rank: Rank) {
        let mut boxes = lock(&self.0.0);
        if let Some(mailbox) = boxes.get_mut(rank as usize) {
            mailbox.killed = true;
            mailbox.thread.iter().for_each(Thread::unpark);
        }
    }
}

/// So many ranks in this process.
#[must_use]
pub fn mesh(ranks: u32) -> (Vec<MeshEnd>, Killer) {
    mesh_of(ranks, false)
}

/// So many ranks in this process; `is_roomy`: they behave as if there were a processor for each.
#[must_use]
pub fn mesh_of(ranks: u32, is_roomy: bool) -> (Vec<MeshEnd>, Killer) {
    let mesh = Arc::new(Mesh(Mutex::new((0..ranks).map(|_| Mailbox::default()).collect())));
    let end = |rank| MeshEnd {
        mesh: Arc::clone(&mesh),
        rank,
        ranks,
        is_roomy,
        next: 0,
        wanted: VecDeque::new(),
        over: VecDeque::new(),
    };
    ((0..ranks).map(end).collect(), Killer(Arc::clone(&mesh)))
}

impl MeshEnd {
    fn ticket(&mut self) -> Ticket {
        self.next += 1;
        Ticket(self.next)
    }

    fn give(&self, to: Rank, put: impl FnOnce(&mut Mailbox)) {
        let mut boxes = lock(&self.mesh.0);
        if boxes.get(self.rank as usize).is_none_or(|own| own.killed) {
            return;
        }
        if let Some(mailbox) = boxes.get_mut(to as usize).filter(|mailbox| !mailbox.killed) {
            put(mailbox);
            mailbox.thread.iter().for_each(Thread::unpark);
        }
    }

    /// A receive whose bytes are there.
    fn arrived(&mut self, boxes: &mut MutexGuard<'_, Vec<Mailbox>>) -> Option<Ticket> {
        let own = boxes.get_mut(self.rank as usize)?;
        for at in 0..self.wanted.len() {
            let (ticket, from, tag, room) = self.wanted[at];
            let found = own.bytes.iter().position(|(sender, sent, _)| (*sender, *sent) == (from, tag));
            let Some((_, _, bytes)) = found.and_then(|found| own.bytes.remove(found)) else { continue };
            self.wanted.remove(at);
            copy_in(&bytes, room);
            return Some(ticket);
        }
        None
    }
}

/// Copies bytes to memory of the host; as many as there is room for.
pub(crate) fn copy_in(bytes: &[u8], room: HostSpan) {
    let length = room.length().min(bytes.len() as u64);
    // SAFETY: the slice is borrowed for the whole call.
    let from = unsafe { HostSpan::new(std::ptr::NonNull::from(bytes).cast(), length) };
    if let Ok(to) = room.part(0, length) {
        to.copy_from(from);
    }
}

/// Copies memory of the host.
pub(crate) fn copy_out(from: HostSpan) -> Vec<u8> {
    let mut bytes = vec![0; usize::try_from(from.length()).unwrap_or(0)];
    let length = bytes.len() as u64;
    // SAFETY: the vector is borrowed for the whole call.
    let to = unsafe { HostSpan::new(std::ptr::NonNull::from(bytes.as_mut_slice()).cast(), length) };
    to.copy_from(from);
    bytes
}

impl Transport for MeshEnd {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn ranks(&self) -> u32 {
        self.ranks
    }

    fn is_crowded(&self) -> bool {
        !self.is_roomy
    }

    fn nap(&self, _idle: Duration) -> Option<Duration> {
        None
    }

    fn packet(&mut self, to: Rank, bytes: Vec<u8>) -> Vec<u8> {
        let from = self.rank;
        self.give(to, |mailbox| mailbox.packets.push_back((from, bytes)));
        Vec::new()
    }

    fn send(&mut self, to: Rank, tag: u32, bytes: HostSpan) -> Ticket {
        let (from, copy) = (self.rank, copy_out(bytes));
        self.give(to, |mailbox| mailbox.bytes.push_back((from, tag, copy)));
        let ticket = self.ticket();
        self.over.push_back(ticket);
        ticket
    }

    fn receive(&mut self, from: Rank, tag: u32, room: HostSpan) -> Ticket {
        let ticket = self.ticket();
        self.wanted.push_back((ticket, from, tag, room));
        ticket
    }

    fn cancel(&mut self, ticket: Ticket) {
        self.wanted.retain(|(wanted, ..)| *wanted != ticket);
        self.over.retain(|over| *over != ticket);
    }

    fn poll(&mut self) -> Option<Happening> {
        if let Some(ticket) = self.over.pop_front() {
            return Some(Happening::Over { ticket, failed: None });
        }
        let mesh = Arc::clone(&self.mesh);
        let mut boxes = lock(&mesh.0);
        let own = boxes.get_mut(self.rank as usize)?;
        own.thread.get_or_insert_with(std::thread::current);
        if own.killed {
            return Some(Happening::Ended);
        }
        if let Some((from, bytes)) = own.packets.pop_front() {
            return Some(Happening::Packet { from, bytes });
        }
        self.arrived(&mut boxes).map(|ticket| Happening::Over { ticket, failed: None })
    }

    fn close(&mut self, _all: bool) {}
}
