//! What whoever talks has before him ([`Desk`]): the transport, packets that are being filled, transfers that are under way,
//! and when each rank was heard last. One thread at a time is at it.
//!
//! Messages that lie there at the same time for the same rank go in one packet. Bytes go in pieces of [`PIECE`], of which
//! several are under way. Who receives from one rank asks for few pieces at a time, in the order in which the transfers began, as
//! commands wait for the first ones: of hundreds that share the way none is there before all nearly are. Who sends offers all.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::time::{Duration, Instant};

use oxcl_driver::{DriverError, Failure};

use crate::courier::{Handler, Watch};
use crate::message::{self, Message};
use crate::node::HOST;
use crate::post::{Exchange, Flow, Haste, Order, Orders, Post, nanoseconds};
use crate::stamp::{self, Step};
use crate::transport::{Happening, Rank, Ticket, Transport};

/// Bytes of a transfer that go at once.
pub(crate) const PIECE: u64 = 1 << 20;
/// Pieces of a transfer that are under way at the same time.
const WINDOW: usize = 4;
/// Pieces that one rank is asked for at the same time.
const ASKED: usize = 4;
/// Transfers of so many bytes are not held back behind longer ones.
const SHORT: u64 = 64 << 10;
/// A packet that has so many bytes goes without waiting for more.
const FULL: usize = 64 << 10;
/// A packet of messages that nobody waits for goes when it has so many bytes.
const ENOUGH: usize = 4 << 10;
/// What is to go soon goes after so long.
const SOON: Duration = Duration::from_micros(10);
/// Where so many packets are under way, others are left to gather.
const BACKLOG: usize = 16;
/// How often a rank says that it is there.
pub(crate) const BEAT: Duration = Duration::from_millis(500);
/// Tags below are not used for bytes.
const FIRST_TAG: u64 = 16;
/// How many tags there are; MPI promises 32767.
const TAGS: u64 = 32_000;

struct Stream {
    flow: Flow,
    /// Bytes whose pieces were begun.
    begun: u64,
    under_way: VecDeque<Ticket>,
    sends: bool,
    failed: Option<String>,
}

impl Stream {
    /// Its pieces count as asked for.
    fn is_counted(&self) -> bool {
        !self.sends && self.flow.length > SHORT
    }

    /// There is a piece to begin.
    fn goes_on(&self) -> bool {
        self.begun < self.flow.length && self.under_way.len() < WINDOW && self.failed.is_none()
    }
}

/// What is to come from a rank.
#[derive(Default)]
struct Coming {
    /// Pieces that it was asked for.
    asked: usize,
    /// Transfers that have pieces to ask for; the oldest has the lowest number.
    waiting: BTreeSet<u64>,
}

/// A packet that is being filled.
#[derive(Default)]
struct Packet {
    bytes: Vec<u8>,
    /// Somebody waits for what it says.
    is_urgent: bool,
    /// Ends of commands in it that grow older: where they begin, and when they were said.
    growing: Vec<(usize, Instant)>,
}

impl Packet {
    /// Its bytes, to be sent at once.
    fn bytes(&mut self) -> Vec<u8> {
        if !self.growing.is_empty() {
            let now = Instant::now();
            for (begin, said) in self.growing.drain(..) {
                let waited = now.saturating_duration_since(said);
                message::older(&mut self.bytes, begin, nanoseconds(Some(waited)));
            }
        }
        std::mem::take(&mut self.bytes)
    }
}

/// See the module's header.
pub(crate) struct Desk<T> {
    transport: T,
    watch: Watch,
    /// By rank.
    packets: Vec<Packet>,
    /// Ranks whose packets somebody waits for, or are long enough.
    urgent: Vec<Rank>,
    /// Room for orders.
    orders: Orders,
    streams: HashMap<u64, Stream>,
    /// By rank.
    coming: Vec<Coming>,
    tickets: HashMap<Ticket, u64>,
    next: u64,
    /// When each rank was heard last.
    heard: Vec<Instant>,
    /// When somebody was at the desk last.
    looked: Instant,
    beaten: Option<Instant>,
    gone: BTreeMap<Rank, Failure>,
    stop: bool,
    /// Ended without a word.
    ended: bool,
    closed: bool,
}

impl<T: Transport> Desk<T> {
    pub(crate) fn new(transport: T, watch: Watch) -> Self {
        let now = Instant::now();
        let ranks = transport.ranks() as usize;
        Self {
            transport,
            watch,
            packets: (0..ranks).map(|_| Packet::default()).collect(),
            urgent: Vec::new(),
            orders: Orders::default(),
            streams: HashMap::new(),
            coming: (0..ranks).map(|_| Coming::default()).collect(),
            tickets: HashMap::new(),
            next: 0,
            heard: vec![now; ranks],
            looked: now,
            beaten: None,
            gone: BTreeMap::new(),
            stop: false,
            ended: false,
            closed: false,
        }
    }

    /// Hears what has come, does what was ordered, and sends what is to be said. Whether there was anything.
    pub(crate) fn turn(&mut self, post: &Post, handler: &dyn Handler) -> bool {
        if self.is_over() {
            return false;
        }
        let heard = self.listen(handler);
        // What was heard gives rise to orders.
        let obeyed = self.obey(post);
        self.flush(false);
        heard | obeyed
    }

    /// Sends the messages that were left at the post. Whether nothing is left there.
    pub(crate) fn send(&mut self, post: &Post) -> bool {
        if self.is_over() {
            // Nobody hears it any more.
            return post.take_messages(|_, _, _| ());
        }
        if self.transport.backlog() > BACKLOG {
            return false;
        }
        let all = post.take_messages(|to, bytes, haste| self.put(to, bytes, haste));
        self.flush(false);
        all
    }

    /// Nothing more is to be done here.
    pub(crate) fn is_over(&self) -> bool {
        self.closed || self.ended || (self.stop && self.streams.is_empty())
    }

    /// Bytes are under way.
    pub(crate) fn is_moving(&self) -> bool {
        !self.streams.is_empty()
    }

    pub(crate) fn nap(&self, idle: Duration) -> Option<Duration> {
        self.transport.nap(idle)
    }

    /// The last call: everything that is under way fails. Whether the end was orderly.
    pub(crate) fn close(&mut self) -> bool {
        let orderly = !self.ended && self.gone.is_empty();
        self.flush(true);
        self.closed = true;
        for (_, stream) in std::mem::take(&mut self.streams) {
            (stream.flow.over)(Err(Failure::ShutDown));
        }
        stamp::write(self.transport.rank());
        self.transport.close(orderly);
        orderly
    }

    /// Now and then says that this rank is there, and looks who has not for long.
    pub(crate) fn beat(&mut self, handler: &dyn Handler, now: Instant) {
        // Where this rank itself has stood still nobody else was silent.
        let stood = now.saturating_duration_since(self.looked);
        if stood > BEAT * 2 {
            self.heard.iter_mut().for_each(|heard| *heard += stood);
        }
        self.looked = now;
        if self.is_over() || self.beaten.is_some_and(|beaten| now.saturating_duration_since(beaten) < BEAT) {
            return;
        }
        self.beaten = Some(now);
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
            } else if self.transport.has_ended(rank) {
                self.lose(handler, rank, "its process has ended".to_owned());
            } else if let Some(packet) = self.packets.get_mut(rank as usize) {
                message::append(&mut packet.bytes, &Message::Alive {});
            }
        }
        self.flush(true);
    }

    fn lose(&mut self, handler: &dyn Handler, rank: Rank, reason: String) {
        let failure = handler.failure(rank, reason);
        self.drop_rank(rank, &failure);
        handler.lost(rank, &failure);
    }

    /// Puts a message into the packet for its rank.
    fn put(&mut self, to: Rank, bytes: &[u8], haste: Haste) {
        if !self.gone.is_empty() && self.gone.contains_key(&to) {
            return;
        }
        let Some(packet) = self.packets.get_mut(to as usize) else { return };
        if let Haste::Soon(said) = haste {
            packet.growing.push((packet.bytes.len(), said));
        }
        packet.bytes.extend_from_slice(bytes);
        if !packet.is_urgent && (haste == Haste::Now || packet.bytes.len() >= ENOUGH) {
            packet.is_urgent = true;
            self.urgent.push(to);
        }
        if packet.bytes.len() >= FULL {
            let bytes = packet.bytes();
            packet.bytes = self.transport.packet(to, bytes);
        }
    }

    /// Sends packets, without `all` only those that somebody waits for.
    pub(crate) fn flush(&mut self, all: bool) {
        if all {
            let filled = (0..).zip(&self.packets).filter(|(_, packet)| !packet.bytes.is_empty());
            self.urgent = filled.map(|(rank, _)| rank).collect();
        }
        // Other nodes may wait for what they are told; the host, rank 0, hears the same for its records.
        self.urgent.sort_unstable();
        while let Some(to) = self.urgent.pop() {
            let Some(packet) = self.packets.get_mut(to as usize) else { continue };
            packet.is_urgent = false;
            if !packet.bytes.is_empty() {
                let bytes = packet.bytes();
                packet.bytes = self.transport.packet(to, bytes);
            }
        }
    }

    /// Sends what is to go soon, which is for the host, once it is time.
    pub(crate) fn hurry(&mut self, now: Instant) {
        let oldest = self.packets.get(HOST as usize).and_then(|packet| packet.growing.first());
        if oldest.is_some_and(|(_, said)| now.saturating_duration_since(*said) >= SOON) {
            self.urgent.push(HOST);
            self.flush(false);
        }
    }

    /// Does what was ordered. Whether there was anything.
    fn obey(&mut self, post: &Post) -> bool {
        if post.is_empty() {
            return false;
        }
        let mut orders = post.take(std::mem::take(&mut self.orders));
        for order in orders.list.drain(..) {
            match order {
                Order::Message { to, bytes, haste } => {
                    self.put(to, orders.bytes.get(bytes).unwrap_or_default(), haste);
                }
                Order::Send(flow) => self.begin(flow, true),
                Order::Receive(flow) => self.begin(flow, false),
                Order::Exchange(Exchange { with, bytes, turns, first, told }) => {
                    // The other is told to do the same before.
                    self.flush(true);
                    let took = self.transport.exchange(with, bytes, turns, first);
                    told(took);
                }
                Order::Drop(rank, failure) => self.drop_rank(rank, &failure),
                Order::Stop => self.stop = true,
            }
        }
        orders.clear();
        self.orders = orders;
        true
    }

    fn begin(&mut self, flow: Flow, sends: bool) {
        if let Some(failure) = self.gone.get(&flow.peer) {
            (flow.over)(Err(failure.clone()));
            return;
        }
        if flow.peer as usize >= self.coming.len() {
            let reason = format!("there is no rank {}", flow.peer);
            (flow.over)(Err(DriverError::Device { reason }.into()));
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
        let Some(coming) = self.coming.get_mut(peer as usize) else { return };
        let tag = u32::try_from(FIRST_TAG + transfer % TAGS).unwrap_or(u32::MAX);
        while stream.goes_on() {
            let is_counted = stream.is_counted();
            if is_counted && coming.asked >= ASKED {
                coming.waiting.insert(number);
                return;
            }
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
            coming.asked += usize::from(is_counted);
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

    /// A piece has come or gone, or will not: what it was of goes on, and then what waits for the same rank.
    fn piece_over(&mut self, number: u64, ticket: Ticket, failed: Option<String>) {
        let Some(stream) = self.streams.get_mut(&number) else { return };
        stream.under_way.retain(|other| *other != ticket);
        stream.failed = stream.failed.take().or(failed);
        let (peer, is_counted) = (stream.flow.peer as usize, stream.is_counted());
        if is_counted {
            self.coming[peer].asked -= 1;
        }
        self.go_on(number);
        while self.coming[peer].asked < ASKED
            && let Some(oldest) = self.coming[peer].waiting.pop_first()
        {
            self.go_on(oldest);
        }
    }

    fn drop_rank(&mut self, rank: Rank, failure: &Failure) {
        self.gone.insert(rank, failure.clone());
        if let Some(packet) = self.packets.get_mut(rank as usize) {
            *packet = Packet::default();
        }
        if let Some(coming) = self.coming.get_mut(rank as usize) {
            *coming = Coming::default();
        }
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
        // What has come and is short is done before anything else is heard.
        while !handler.has_work()
            && let Some(happening) = self.transport.poll()
        {
            any = true;
            match happening {
                Happening::Packet { from, bytes } => {
                    self.hear(handler, from, &bytes);
                    self.transport.heard(bytes);
                    stamp::mark(Step::Heard);
                }
                Happening::Over { ticket, failed } => {
                    if let Some(number) = self.tickets.remove(&ticket) {
                        self.piece_over(number, ticket, failed);
                    }
                    // What that sets free begins before more is heard: the next piece may be over as soon as this one is
                    // dealt with, and so on for as long as bytes come.
                    break;
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

    fn hear(&mut self, handler: &dyn Handler, from: Rank, bytes: &[u8]) {
        if !self.gone.is_empty() && self.gone.contains_key(&from) {
            return;
        }
        // Somebody looks more often than silence is noticed, so that this is as good as the time now.
        if let Some(heard) = self.heard.get_mut(from as usize) {
            *heard = self.looked;
        }
        for message in message::messages(bytes) {
            match message {
                Ok(message) => handler.hear(from, message),
                Err(malformed) => self.lose(handler, from, format!("what it sent is wrong: {malformed}")),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use oxcl_driver::{HostMemory, lock};

    use super::*;
    use crate::message::Ending;
    use crate::transport::mesh;

    struct Nobody;

    impl Handler for Nobody {
        fn hear(&self, _from: Rank, _message: Message) {}

        fn failure(&self, _rank: Rank, reason: String) -> Failure {
            DriverError::Device { reason }.into()
        }

        fn lost(&self, _rank: Rank, _failure: &Failure) {}
    }

    #[test]
    fn ends_that_are_gathered_go_in_one_packet_and_grow_older_until_then() {
        let (mut ends, _) = mesh(2);
        let (own, mut host) = (ends.pop().unwrap(), ends.pop().unwrap());
        let post = Post::default();
        let mut desk = Desk::new(own, Watch { only: None, patience: Duration::from_secs(60) });
        let said = Instant::now();
        for (event, ages) in [(1, [70, 50]), (2, [0, 0])] {
            let ending = Ending { outcome: Ok(()), ages, printed: Box::default(), dropped: 0 };
            post.gather(&Message::Ended { event, ending }, Instant::now());
        }
        assert!(desk.turn(&post, &Nobody));
        assert!(host.poll().is_none(), "nobody waits for them");
        desk.hurry(said);
        assert!(host.poll().is_none(), "it is early");
        std::thread::sleep(SOON);
        desk.hurry(Instant::now());
        let longest = nanoseconds(Some(said.elapsed()));
        let Some(Happening::Packet { bytes, .. }) = host.poll() else { panic!("there is no packet") };
        let ends = message::messages(&bytes).map(|message| match message {
            Ok(Message::Ended { event, ending }) => (event, ending.ages),
            other => panic!("{other:?} is no end"),
        });
        let [(1, [began, ended]), (2, [0, 0])] = ends.collect::<Vec<_>>()[..] else {
            panic!("they are others")
        };
        let grown = ended - 50;
        assert_eq!(began, 70 + grown);
        assert!(grown >= nanoseconds(Some(SOON)) && grown <= longest);
        assert!(host.poll().is_none());
    }

    #[test]
    fn a_rank_is_asked_for_few_pieces_and_what_was_wanted_first_comes_first() {
        const LONG: u64 = 10;
        let (mut ends, _) = mesh(2);
        let watch = || Watch { only: None, patience: Duration::from_secs(60) };
        let (to, from) = (ends.pop().unwrap(), ends.pop().unwrap());
        let (mut to, mut from) = (Desk::new(to, watch()), Desk::new(from, watch()));
        let (own, other) = (Post::default(), Post::default());
        let ended = Arc::new(Mutex::new(Vec::new()));
        let blocks: Vec<Arc<HostMemory>> =
            (0..2 * (LONG + 1)).map(|_| Arc::new(HostMemory::arbitrary(PIECE).unwrap())).collect();
        let flow = |transfer: u64, peer: Rank, block: u64, notes: bool| {
            let ended = Arc::clone(&ended);
            let over = Box::new(move |outcome: Result<(), Failure>| {
                outcome.unwrap();
                if notes {
                    lock(&ended).push(transfer);
                }
            });
            let block = &blocks[usize::try_from(block).unwrap()];
            let length = if transfer < LONG { PIECE } else { SHORT };
            let span = block.span().part(0, length).unwrap();
            Flow { peer, transfer, span, length, _keep: Some(Arc::clone(block)), over }
        };
        // The short one is wanted last, and all is sent the other way round.
        for transfer in 0..=LONG {
            own.receive(flow(transfer, 0, transfer, true));
        }
        to.turn(&own, &Nobody);
        assert_eq!((to.coming[0].asked, to.coming[0].waiting.len()), (ASKED, 6));
        for transfer in (0..=LONG).rev() {
            other.send(flow(transfer, 1, LONG + 1 + transfer, false));
        }
        from.turn(&other, &Nobody);
        // All of that is there, and what a piece sets free begins before the next one is looked at.
        to.turn(&own, &Nobody);
        assert_eq!(lock(&ended).len(), 1);
        while from.turn(&other, &Nobody) | to.turn(&own, &Nobody) {}
        let ended = lock(&ended).clone();
        let place = |transfer: u64| ended.iter().position(|other| *other == transfer).unwrap();
        assert_eq!(ended.len() as u64, LONG + 1);
        assert!((0..4).all(|first| (4..LONG).all(|later| place(first) < place(later))), "{ended:?}");
        assert!(place(LONG) < place(4), "{ended:?}");
        assert!(to.coming[0].asked == 0 && to.coming[0].waiting.is_empty() && !to.is_moving());
    }
}
