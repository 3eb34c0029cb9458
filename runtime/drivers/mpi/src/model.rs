//! A model of a cluster behind the host's real side: nodes that do nothing but take time, and a network of latency, bandwidth and
//! cost for each message. The host's runtime, scheduler and driver are the real ones and run in real time, so it shows where
//! the host becomes what all wait for. Nothing is computed; bytes do not travel, but the time that they would take does.
//!
//! The model is a [`Transport`]: it lives on the thread that talks, and moves on whenever that looks for messages. A rank's messages
//! leave one after another, and come in one after another; each costs its overhead at both ends.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use oxcl_driver::{Capabilities, HostSpan};

use crate::cluster::NodeOptions;
use crate::message::{self, DeviceFacts, Ending, Hello, Message, Work};
use crate::transport::{Happening, Rank, Ticket, Transport};

/// What things cost, in nanoseconds.
#[derive(Debug, Clone, Copy)]
pub struct Costs {
    /// From the last byte's leaving to its arrival.
    pub latency: u64,
    /// Bytes of a microsecond.
    pub bandwidth: u64,
    /// Of each message, at each end.
    pub overhead: u64,
    /// Of each kernel.
    pub kernel: u64,
}

/// What has happened in a model.
#[derive(Debug, Default)]
pub struct Traffic {
    /// Packets that left the host.
    pub from_host: AtomicU64,
    /// Packets that came to the host.
    pub to_host: AtomicU64,
    /// Packets among nodes.
    pub among_nodes: AtomicU64,
    /// Nanoseconds that nodes' kernels took.
    pub busy: AtomicU64,
}

/// Something that happens at a time.
enum Due {
    Arrives { from: Rank, to: Rank, bytes: Vec<u8> },
    Over { node: Rank, event: u64 },
    Sent(Ticket),
}

#[derive(Default)]
struct Known {
    is_over: bool,
    is_forgotten: bool,
    tell: Vec<Rank>,
    /// Commands that wait for it, by their numbers here.
    waiting: Vec<u64>,
}

struct Waiting {
    event: Option<u64>,
    work: Work,
    left: usize,
}

#[derive(Default)]
struct Node {
    /// When its device, its way out and its way in are free.
    free: [u64; 3],
    events: HashMap<u64, Known>,
    commands: HashMap<u64, Waiting>,
    /// Transfers that have come, or that a command waits for.
    came: HashMap<u64, u64>,
    wanted: HashMap<u64, u64>,
}

/// The model, as the host's transport.
pub struct Model {
    begun: Instant,
    costs: Costs,
    nodes: Vec<Node>,
    due: BinaryHeap<(Reverse<u64>, Reverse<u64>)>,
    happens: HashMap<u64, Due>,
    next: u64,
    heard: VecDeque<Happening>,
    traffic: Arc<Traffic>,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("nodes", &self.nodes.len()).field("costs", &self.costs).finish()
    }
}

/// What all ranks of a model say of themselves.
#[must_use]
pub fn options() -> NodeOptions {
    let text = |text: &str| text.to_owned();
    NodeOptions { machine: text("model"), version: text("1"), level: text("1") }
}

/// Places in [`Node::free`].
const DEVICE: usize = 0;
const OUT: usize = 1;
const IN: usize = 2;

impl Model {
    /// So many nodes, of one device each, and what will have happened.
    #[must_use]
    pub fn new(nodes: u32, costs: Costs) -> (Self, Arc<Traffic>) {
        let traffic = Arc::new(Traffic::default());
        let mut model = Self {
            begun: Instant::now(),
            costs,
            nodes: (0..=nodes).map(|_| Node::default()).collect(),
            due: BinaryHeap::new(),
            happens: HashMap::new(),
            next: 0,
            heard: VecDeque::new(),
            traffic: Arc::clone(&traffic),
        };
        for rank in 1..=nodes {
            let NodeOptions { machine, version, level } = options();
            let capabilities = Capabilities {
                global_memory: 1 << 40,
                max_allocation: 1 << 38,
                ..Capabilities::host("model")
            };
            let devices = vec![DeviceFacts { word: "cpu".to_owned(), capabilities }];
            model.say(0, rank, 0, &[Message::Hello { hello: Hello { machine, version, level, devices } }]);
        }
        (model, traffic)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn at(&mut self, time: u64, due: Due) {
        self.next += 1;
        self.due.push((Reverse(time), Reverse(self.next)));
        self.happens.insert(self.next, due);
    }

    /// Uses one of a rank's resources from a time on; when that is over.
    fn take(&mut self, rank: Rank, resource: usize, from: u64, time: u64) -> u64 {
        let Some(node) = self.nodes.get_mut(rank as usize) else { return from };
        let end = from.max(node.free[resource]) + time;
        node.free[resource] = end;
        end
    }

    /// Sends a packet of so many bytes more than it has.
    fn carry(&mut self, now: u64, from: Rank, to: Rank, bytes: Vec<u8>, more: u64) {
        let Costs { latency, bandwidth, overhead, .. } = self.costs;
        let time = overhead + (bytes.len() as u64 + more) * 1000 / bandwidth.max(1);
        let left = self.take(from, OUT, now, time);
        let here = self.take(to, IN, left + latency, overhead);
        let count = match (from, to) {
            (0, _) => &self.traffic.from_host,
            (_, 0) => &self.traffic.to_host,
            _ => &self.traffic.among_nodes,
        };
        // Relaxed: figures only.
        count.fetch_add(1, Ordering::Relaxed);
        self.at(here, Due::Arrives { from, to, bytes });
    }

    fn say(&mut self, now: u64, from: Rank, to: Rank, messages: &[Message]) {
        let mut packet = Vec::new();
        let mut more = 0;
        for message in messages {
            message::append(&mut packet, message);
            if let Message::Data { length, bytes: None, .. } = message {
                more += length;
            }
        }
        self.carry(now, from, to, packet, more);
    }

    /// Everything that has happened by now.
    fn go_on(&mut self) {
        let now = self.now();
        while self.due.peek().is_some_and(|(time, _)| time.0 <= now) {
            let Some((Reverse(time), Reverse(number))) = self.due.pop() else { return };
            match self.happens.remove(&number) {
                Some(Due::Arrives { from, to: 0, bytes }) => {
                    self.heard.push_back(Happening::Packet { from, bytes });
                }
                Some(Due::Arrives { from, to, bytes }) => {
                    let messages: Vec<Message> = message::messages(&bytes).flatten().collect();
                    messages.into_iter().for_each(|message| self.hear(time, from, to, message));
                }
                Some(Due::Over { node, event }) => self.over(time, node, event, true),
                Some(Due::Sent(ticket)) => self.heard.push_back(Happening::Over { ticket, failed: None }),
                None => {}
            }
        }
    }

    fn known(&mut self, node: Rank, event: u64) -> Option<&mut Known> {
        self.nodes.get_mut(node as usize).map(|node| node.events.entry(event).or_default())
    }

    /// A node gets a message.
    fn hear(&mut self, now: u64, _from: Rank, node: Rank, message: Message) {
        match message {
            Message::Alive {} => self.say(now, node, 0, &[Message::Alive {}]),
            Message::Program { program, .. } => {
                self.say(now, node, 0, &[Message::Built { program, outcome: Ok(()) }]);
            }
            Message::Run { event, waits, work } => {
                self.next += 1;
                let (number, mut left) = (self.next, 0);
                for wait in waits {
                    if let Some(known) = self.known(node, wait).filter(|known| !known.is_over) {
                        known.waiting.push(number);
                        left += 1;
                    }
                }
                if let Some(node) = self.nodes.get_mut(node as usize) {
                    node.commands.insert(number, Waiting { event, work, left });
                }
                if left == 0 {
                    self.begin(now, node, number);
                }
            }
            Message::Tell { event, to } => {
                let Some(known) = self.known(node, event) else { return };
                if known.is_over {
                    self.say(now, node, to, &[Message::Done { event, outcome: Ok(()) }]);
                } else {
                    known.tell.push(to);
                }
            }
            Message::Done { event, .. } => self.over(now, node, event, false),
            Message::Forget { event } => {
                let Some(known) = self.known(node, event) else { return };
                known.is_forgotten = true;
                if known.is_over
                    && let Some(node) = self.nodes.get_mut(node as usize)
                {
                    node.events.remove(&event);
                }
            }
            Message::Data { transfer, length, .. } => {
                let Some(there) = self.nodes.get_mut(node as usize) else { return };
                match there.wanted.remove(&transfer) {
                    Some(event) => self.at(now, Due::Over { node, event }),
                    None => drop(there.came.insert(transfer, length)),
                }
            }
            _ => {}
        }
    }

    /// A command of a node may begin.
    fn begin(&mut self, now: u64, node: Rank, number: u64) {
        let command = self.nodes.get_mut(node as usize).and_then(|node| node.commands.remove(&number));
        let Some(Waiting { event, work, .. }) = command else { return };
        match (work, event) {
            (Work::Send { region, to, transfer, .. }, event) => {
                let data = Message::Data { transfer, length: region.bytes(), bytes: None };
                self.say(now, node, to, &[data]);
                if let Some(event) = event {
                    self.over(now, node, event, true);
                }
            }
            (Work::Receive { transfer, .. }, Some(event)) => {
                let Some(there) = self.nodes.get_mut(node as usize) else { return };
                if there.came.remove(&transfer).is_some() {
                    self.over(now, node, event, true);
                } else {
                    there.wanted.insert(transfer, event);
                }
            }
            (Work::Kernel { .. }, Some(event)) => {
                let kernel = self.costs.kernel;
                self.traffic.busy.fetch_add(kernel, Ordering::Relaxed);
                let end = self.take(node, DEVICE, now, kernel);
                self.at(end, Due::Over { node, event });
            }
            (_, Some(event)) => self.over(now, node, event, true),
            (_, None) => {}
        }
    }

    /// An event is over on a node; `own`: it is a command of that node, of which the host hears.
    fn over(&mut self, now: u64, node: Rank, event: u64, own: bool) {
        let Some(known) = self.known(node, event).filter(|known| !known.is_over) else { return };
        known.is_over = true;
        let (tell, waiting) = (std::mem::take(&mut known.tell), std::mem::take(&mut known.waiting));
        let is_forgotten = known.is_forgotten;
        for rank in tell {
            self.say(now, node, rank, &[Message::Done { event, outcome: Ok(()) }]);
        }
        let Some(there) = self.nodes.get_mut(node as usize) else { return };
        if is_forgotten {
            there.events.remove(&event);
        }
        let ready: Vec<u64> = waiting
            .into_iter()
            .filter(|number| {
                there.commands.get_mut(number).is_some_and(|command| {
                    command.left -= 1;
                    command.left == 0
                })
            })
            .collect();
        for number in ready {
            self.begin(now, node, number);
        }
        if own {
            let ending = Ending { outcome: Ok(()), ages: [1, 0], printed: Box::default(), dropped: 0 };
            self.say(now, node, 0, &[Message::Ended { event, ending }]);
        }
    }
}

impl Transport for Model {
    fn rank(&self) -> Rank {
        0
    }

    fn ranks(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    fn is_crowded(&self) -> bool {
        true
    }

    fn nap(&self, _idle: Duration) -> Option<Duration> {
        let next = self.due.peek().map_or(u64::MAX, |(time, _)| time.0);
        Some(Duration::from_nanos(next.saturating_sub(self.now())).min(Duration::from_millis(1)))
    }

    fn packet(&mut self, to: Rank, bytes: Vec<u8>) -> Vec<u8> {
        let now = self.now();
        self.carry(now, 0, to, bytes, 0);
        Vec::new()
    }

    fn send(&mut self, to: Rank, _tag: u32, bytes: HostSpan) -> Ticket {
        let now = self.now();
        self.next += 1;
        let ticket = Ticket(self.next);
        let sent = self.take(0, OUT, now, bytes.length() * 1000 / self.costs.bandwidth.max(1));
        self.take(to, IN, sent, 0);
        self.at(sent, Due::Sent(ticket));
        ticket
    }

    fn receive(&mut self, _from: Rank, _tag: u32, _room: HostSpan) -> Ticket {
        let now = self.now();
        self.next += 1;
        let ticket = Ticket(self.next);
        self.at(now, Due::Sent(ticket));
        ticket
    }

    fn cancel(&mut self, _ticket: Ticket) {}

    fn poll(&mut self) -> Option<Happening> {
        if self.heard.is_empty() {
            self.go_on();
        }
        self.heard.pop_front()
    }

    fn close(&mut self, _all: bool) {}
}

#[cfg(test)]
mod tests {
    use super::{Costs, Model, options};
    use crate::cluster::Cluster;

    #[test]
    fn nodes_of_a_model_say_what_they_are() {
        let costs = Costs { latency: 1500, bandwidth: 12_000, overhead: 300, kernel: 1000 };
        let (model, traffic) = Model::new(20, costs);
        let cluster = Cluster::begin(&options(), move || Ok(model)).unwrap();
        assert_eq!(cluster.ranks().count(), 20);
        assert!(cluster.devices(20).unwrap().len() == 1);
        drop(cluster);
        assert!(traffic.to_host.load(std::sync::atomic::Ordering::Relaxed) >= 20);
    }
}
