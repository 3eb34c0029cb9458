//! A job: the host's end of it ([`Cluster`]), and a node's ([`serve`]).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use oxcl_driver::{Capabilities, DriverError, Failure, lock};
use oxcl_scheduler::thread::{SMALL_STACK, spawn};
use oxcl_scheduler::{Scheduler, available_processors, online_processors};

use crate::courier::{Courier, Watch};
use crate::device::MpiDriver;
use crate::host::{HostHandler, Shared};
use crate::message::{DeviceFacts, Hello, Message};
use crate::node::{HOST, Node, NodeDevice};
use crate::post::{Post, Said};
use crate::transport::{Rank, Transport};

/// A node that says nothing for so long is lost.
const NODE_PATIENCE: Duration = Duration::from_secs(4);
/// A host that says nothing for so long is lost: it may stand in a debugger for a while.
const HOST_PATIENCE: Duration = Duration::from_secs(30);
/// How long nodes may take to begin.
const HELLO_PATIENCE: Duration = Duration::from_secs(60);
/// Stack of the thread that talks: it calls whoever waits for events.
const STACK: usize = 8 << 20;

/// What must be the same on all ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeOptions {
    /// The name of this machine.
    pub machine: String,
    /// The version of this program.
    pub version: String,
    /// Which portable level the CPU has.
    pub level: String,
}

/// A node's devices, or why it has none for this host.
type Devices = Result<Vec<Arc<MpiDriver>>, DriverError>;

/// The host's end.
pub struct Cluster {
    shared: Arc<Shared>,
    nodes: BTreeMap<Rank, Devices>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cluster").field("nodes", &self.nodes).finish_non_exhaustive()
    }
}

fn device_error(reason: &(impl ToString + ?Sized)) -> DriverError {
    DriverError::Device { reason: reason.to_string() }
}

impl Cluster {
    /// Begins to talk, on a thread of its own that makes the transport, and waits until the nodes have said what they are.
    ///
    /// # Errors
    /// There is no transport, or this is not rank 0.
    pub fn begin<T: Transport + Send + 'static>(
        own: &NodeOptions,
        make: impl FnOnce() -> Result<T, DriverError> + Send + 'static,
    ) -> Result<Self, DriverError> {
        let post = Arc::new(Post::default());
        let (reply, answer) = sync_channel(1);
        let posted = Arc::clone(&post);
        let thread = spawn("mpi", STACK, move || {
            let transport = match make() {
                Ok(transport) if transport.rank() == HOST => transport,
                Ok(mut other) => {
                    other.close(true);
                    let _ = reply.send(Err(device_error("only rank 0 can use the devices of others")));
                    return;
                }
                Err(error) => return drop(reply.send(Err(error))),
            };
            let shared = Shared::new(Arc::clone(&posted), 1..transport.ranks());
            let watch = Watch { only: None, patience: NODE_PATIENCE };
            let handler = Arc::new(HostHandler(Arc::clone(&shared)));
            let courier = Courier::new(transport, &posted, handler, watch, true);
            let _ = reply.send(Ok(Arc::clone(&shared)));
            courier.run();
            shared.shut_down();
        });
        let thread = thread.map_err(|error| device_error(&error))?;
        let shared = answer.recv().map_err(|error| device_error(&error))??;
        let hellos = shared.hellos(HELLO_PATIENCE).into_iter();
        let nodes = hellos.map(|(rank, hello)| (rank, devices(&shared, own, rank, hello))).collect();
        Ok(Self { shared, nodes, thread: Mutex::new(Some(thread)) })
    }

    /// The ranks that are nodes.
    pub fn ranks(&self) -> impl Iterator<Item = Rank> + '_ {
        self.nodes.keys().copied()
    }

    /// The devices of a node, in its order.
    ///
    /// # Errors
    /// There is no such node, or this host cannot use it.
    pub fn devices(&self, rank: Rank) -> Result<&[Arc<MpiDriver>], DriverError> {
        let last = self.nodes.keys().last().copied().unwrap_or(HOST);
        let none = || device_error(&format!("there is no rank {rank}; nodes are ranks 1 to {last}"));
        self.nodes.get(&rank).ok_or_else(none)?.as_deref().map_err(Clone::clone)
    }

    /// Has two ranks send each other so many bytes there and back, with nothing of this library between them and the transport,
    /// and says how long a turn took. None where the transport has no such measure, or a rank is lost.
    #[must_use]
    pub fn exchange(&self, one: Rank, other: Rank, bytes: u64, turns: u32) -> Option<Duration> {
        let is_there = |rank: &Rank| *rank == HOST || self.nodes.contains_key(rank);
        if one == other || turns == 0 || !is_there(&one) || !is_there(&other) {
            return None;
        }
        self.shared.exchange(one, other, bytes, turns.into()).map(|all| all / turns)
    }

    /// What the host has said to nodes so far.
    #[must_use]
    pub fn said(&self) -> Said {
        self.shared.post.said()
    }

    /// Has the nodes end, and stops talking.
    pub fn end(&self) {
        let Some(thread) = lock(&self.thread).take() else { return };
        for rank in self.nodes.keys() {
            self.shared.post.say(*rank, &Message::Stop {});
        }
        self.shared.post.stop();
        // Who ends the process from a callback is one that the thread waits for.
        if thread.thread().id() != std::thread::current().id() && !self.shared.post.is_at_desk() {
            let _ = thread.join();
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.end();
    }
}

/// The devices of a node, where it is like this host.
fn devices(shared: &Arc<Shared>, own: &NodeOptions, rank: Rank, hello: Result<Hello, Failure>) -> Devices {
    let Hello { machine, version, level, devices } = hello.map_err(crate::host::refusal)?;
    let differs = |what: &str, theirs: &str, ours: &str| {
        let here = &own.machine;
        Err(device_error(&format!(
            "rank {rank} ({machine}) cannot work for this host: its {what} is {theirs}, and that of rank 0 ({here}) is {ours}"
        )))
    };
    if version != own.version {
        return differs("version", &version, &own.version);
    }
    if level != own.level {
        return differs("CPU's level", &level, &own.level);
    }
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut made = Vec::new();
    for (device, DeviceFacts { word, capabilities }) in (0..).zip(devices) {
        let count = counts.entry(word.clone()).or_default();
        *count += 1;
        // The first of a word has the word alone for its name.
        let number = if *count == 1 { String::new() } else { format!("#{count}") };
        let name = format!("mpi:{rank}/{word}{number}");
        let place = (rank, machine.as_str());
        // So applications see whose it is.
        let device_name = format!("{name}: {}", capabilities.device_name);
        let capabilities = Capabilities { device_name, ..capabilities };
        made.push(Arc::new(MpiDriver::new(Arc::clone(shared), place, device, name, capabilities)));
    }
    Ok(made)
}

/// Is a node until the host says that the job is over, or is gone. Talks on the calling thread. Whether the end was orderly.
///
/// # Errors
/// There is no memory.
pub fn serve<T: Transport + Send + 'static>(
    transport: T,
    own: &NodeOptions,
    scheduler: Arc<Scheduler>,
    devices: Vec<NodeDevice>,
) -> Result<bool, DriverError> {
    let facts = |device: &NodeDevice| DeviceFacts {
        word: device.word.clone(),
        capabilities: device.driver.capabilities().clone(),
    };
    let NodeOptions { machine, version, level } = own.clone();
    let place = format!("rank {} ({machine})", transport.rank());
    let hello = Hello { machine, version, level, devices: devices.iter().map(facts).collect() };
    let post = Arc::new(Post::default());
    let has_processor = share(&transport) >= scheduler.workers();
    let node = Arc::new(Node::new(place, Arc::clone(&post), scheduler, devices)?);
    post.say(HOST, &Message::Hello { hello });
    let watch = Watch { only: Some(HOST), patience: HOST_PATIENCE };
    let courier = Courier::new(transport, &post, node, watch, has_processor);
    let other = Arc::clone(&courier);
    spawn("mpi-stand-in", SMALL_STACK, move || other.stand_in()).map_err(|error| device_error(&error))?;
    Ok(courier.run())
}

/// The processors that are for this rank, where no more are bound than it has.
fn share(transport: &impl Transport) -> usize {
    let (all, own) = (online_processors(), available_processors());
    if own < all { own } else { all / transport.neighbours().max(1) }
}
