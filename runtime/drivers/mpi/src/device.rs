//! A node's device as the host's runtime sees it.

use std::any::Any;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use oxcl_driver::capability::AddressSpace;
use oxcl_driver::command::SubmitResult;
use oxcl_driver::memory::{MemoryCounters, Names};
use oxcl_driver::printer::Printer;
use oxcl_driver::program::{ArgMemory, ArgValue, Binary, LaunchRequest, Program};
use oxcl_driver::rect::Rect;
use oxcl_driver::{
    Allocation, AllocationRequest, Capabilities, Driver, DriverError, EventId, Failure, HostSpan, Lane,
    Launch, Submission, lock,
};
use oxcl_scheduler::transfer::Movement;

use crate::host::Shared;
use crate::job::Job;
use crate::message::{At, Message, Region};
use crate::transport::Rank;

/// Where the numbers of nodes' address spaces begin: no other driver's come so far.
static NEXT_SPACE: AtomicU64 = AtomicU64::new(3 << 30);

/// A device of a node.
#[derive(Debug)]
pub struct MpiDriver {
    shared: Arc<Shared>,
    node: Rank,
    /// Which of the node's.
    device: u32,
    name: String,
    machine: String,
    capabilities: Capabilities,
    names: Names,
}

/// A program that nodes build when they first launch one of its kernels.
#[derive(Debug)]
struct MpiProgram {
    shared: Arc<Shared>,
    number: u64,
    archive: Box<[u8]>,
    kernels: Vec<String>,
    scope_bytes: u64,
    /// Nodes that have it.
    at: Mutex<BTreeSet<Rank>>,
}

/// A launch that its node knows.
pub(crate) struct MpiLaunch {
    shared: Arc<Shared>,
    node: Rank,
    number: u64,
    kernel: String,
    printer: Printer,
    _program: Arc<dyn Program>,
}

/// A copy from another node, or another device of the same.
pub(crate) struct PeerCopy {
    source: Rank,
    from: Arc<Allocation>,
    to: Arc<Allocation>,
    offset: u64,
    length: u64,
}

impl MpiLaunch {
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn printer_here(&self) -> &Printer {
        &self.printer
    }
}

impl PeerCopy {
    pub(crate) fn job(&self) -> Job {
        let region = Region::Linear { offset: self.offset, length: self.length };
        Job::Peer { source: self.source, from: self.from.token, memory: self.to.token, region }
    }
}

fn another() -> Failure {
    let reason = "work of a node was given to another device".to_owned();
    DriverError::BadLaunch { reason }.into()
}

impl Launch for MpiLaunch {
    fn groups(&self) -> u64 {
        1
    }

    fn run(&self, _first: u64, _count: u64, _lane: Lane) -> Result<(), Failure> {
        Err(another())
    }

    fn label(&self) -> &str {
        &self.kernel
    }

    fn printer(&self) -> Option<&Printer> {
        Some(&self.printer)
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl Drop for MpiLaunch {
    fn drop(&mut self) {
        // A node that is lost needs no such thing.
        let _ = self.shared.say(self.node, &Message::DropLaunch { launch: self.number });
    }
}

impl Launch for PeerCopy {
    fn groups(&self) -> u64 {
        1
    }

    fn run(&self, _first: u64, _count: u64, _lane: Lane) -> Result<(), Failure> {
        Err(another())
    }

    fn label(&self) -> &str {
        "migrate node to node"
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl Program for MpiProgram {
    fn kernels(&self) -> Vec<String> {
        self.kernels.clone()
    }

    fn program_scope_bytes(&self) -> u64 {
        self.scope_bytes
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl MpiProgram {
    /// Makes sure that a node has it.
    fn bring_to(&self, node: Rank) -> Result<(), DriverError> {
        let mut at = lock(&self.at);
        if !at.contains(&node) {
            self.shared.build(node, self.number, &self.archive)?;
            at.insert(node);
        }
        Ok(())
    }
}

impl Drop for MpiProgram {
    fn drop(&mut self) {
        for node in lock(&self.at).iter() {
            let _ = self.shared.say(*node, &Message::DropProgram { program: self.number });
        }
    }
}

/// The same allocation, for operations that keep it.
fn kept(allocation: &Allocation) -> Arc<Allocation> {
    Arc::new(allocation.again())
}

impl MpiDriver {
    pub(crate) fn new(
        shared: Arc<Shared>,
        (node, machine): (Rank, &str),
        device: u32,
        name: String,
        capabilities: Capabilities,
    ) -> Self {
        // Relaxed: the number only has to differ from all others.
        let address_space = AddressSpace(NEXT_SPACE.fetch_add(1, Ordering::Relaxed));
        let capabilities = Capabilities { address_space, ..capabilities };
        let names = Names::new(&capabilities);
        Self { shared, node, device, name, machine: machine.to_owned(), capabilities, names }
    }

    /// The rank whose device it is.
    #[must_use]
    pub fn rank(&self) -> Rank {
        self.node
    }

    /// The name of its machine.
    #[must_use]
    pub fn machine(&self) -> &str {
        &self.machine
    }

    fn call(&self, movement: &Movement) -> Result<(), DriverError> {
        self.shared.call(self.node, Job::moving(movement))
    }
}

impl Driver for MpiDriver {
    fn name(&self) -> &str {
        &self.name
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn probe(&self) -> Result<u32, DriverError> {
        Ok(1)
    }

    fn init(&self) -> Result<(), DriverError> {
        match self.shared.lost(self.node) {
            Some(failure) => Err(DriverError::Device { reason: failure.to_string() }),
            None => Ok(()),
        }
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn allocate(&self, request: &AllocationRequest) -> Result<Allocation, DriverError> {
        let (size, address) = (request.size, self.names.next(request, &self.capabilities)?);
        let token = self.shared.number();
        self.shared.say(self.node, &Message::Create { device: self.device, memory: token, size })?;
        Ok(Allocation { size, address, host: None, token })
    }

    fn free(&self, allocation: Allocation) {
        let _ = self.shared.say(self.node, &Message::Free { memory: allocation.token });
    }

    fn memory_counters(&self) -> MemoryCounters {
        self.shared.counters(self.node)
    }

    fn submit(&self, submission: Arc<dyn Submission>) -> SubmitResult {
        self.shared.submit(submission, self.node);
        Ok(())
    }

    fn notify(&self, waiting: &Arc<dyn Submission>, _ended: EventId) {
        self.shared.notify(waiting.event().0);
    }

    fn can_look(&self) -> bool {
        self.shared.may_look()
    }

    fn look(&self) {
        self.shared.look();
    }

    /// A program is sent to each node that needs it.
    fn program_key(&self) -> &str {
        "mpi"
    }

    fn build_binary(&self, binary: &Arc<Binary>) -> Result<Arc<dyn Program>, DriverError> {
        let archive = binary.archive();
        let bad = |reason: String| DriverError::BadBinary { reason };
        let bytes = archive.write().map_err(|error| bad(error.to_string()))?;
        let variables = binary.meta().and_then(|meta| meta.variables.as_ref());
        Ok(Arc::new(MpiProgram {
            shared: Arc::clone(&self.shared),
            number: self.shared.number(),
            archive: bytes.into_boxed_slice(),
            kernels: archive.kernels.iter().map(|kernel| kernel.name.clone()).collect(),
            scope_bytes: variables.map_or(0, |variables| variables.bytes),
            at: Mutex::default(),
        }))
    }

    fn prepare_launch(&self, request: &LaunchRequest<'_>) -> Result<Arc<dyn Launch>, DriverError> {
        let bad = |reason: &str| DriverError::BadLaunch { reason: reason.to_owned() };
        let program = request.program.as_any().downcast_ref::<MpiProgram>();
        let program = program.ok_or_else(|| bad("the program is another driver's"))?;
        let missing = || DriverError::NoSuchKernel { kernel: format!("#{}", request.kernel) };
        let kernel = program.kernels.get(request.kernel).ok_or_else(missing)?.clone();
        program.bring_to(self.node)?;
        let name = |memory: &ArgMemory| {
            let ArgMemory { allocation, offset, writes } = memory;
            if allocation.host.is_some() {
                return Err(bad("an argument is in the host's memory"));
            }
            Ok(At { memory: allocation.token, offset: *offset, writes: *writes })
        };
        let args = request.args.iter().map(|argument| argument.rename(name).map(|renamed| renamed.kept()));
        let args: Vec<ArgValue<At, Box<[u8]>>> = args.collect::<Result<_, _>>()?;
        let (number, geometry) = (self.shared.number(), request.geometry);
        let message = Message::Launch {
            launch: number,
            device: self.device,
            program: program.number,
            kernel: request.kernel as u64,
            geometry,
            args,
        };
        self.shared.say(self.node, &message)?;
        Ok(Arc::new(MpiLaunch {
            shared: Arc::clone(&self.shared),
            node: self.node,
            number,
            kernel,
            printer: Printer::default(),
            _program: Arc::clone(request.program),
        }))
    }

    fn read(&self, from: &Allocation, offset: u64, to: HostSpan) -> Result<(), DriverError> {
        from.check(offset, to.length())?;
        if from.host.is_some() {
            to.copy_from(from.host_span(offset, to.length())?);
            return Ok(());
        }
        self.call(&Movement::Read { from: kept(from), offset, to })
    }

    fn write(&self, to: &Allocation, offset: u64, from: HostSpan) -> Result<(), DriverError> {
        to.check(offset, from.length())?;
        if to.host.is_some() {
            to.host_span(offset, from.length())?.copy_from(from);
            return Ok(());
        }
        self.call(&Movement::Write { to: kept(to), offset, from })
    }

    fn copy(
        &self,
        from: &Allocation,
        from_offset: u64,
        to: &Allocation,
        to_offset: u64,
        length: u64,
    ) -> Result<(), DriverError> {
        from.check(from_offset, length)?;
        to.check(to_offset, length)?;
        match (from.host, to.host) {
            (Some(_), _) => self.write(to, to_offset, from.host_span(from_offset, length)?),
            (None, Some(_)) => self.read(from, from_offset, to.host_span(to_offset, length)?),
            (None, None) => {
                let (from, to) = (kept(from), kept(to));
                self.call(&Movement::Copy { from, from_offset, to, to_offset, length })
            }
        }
    }

    fn fill(&self, to: &Allocation, offset: u64, length: u64, pattern: &[u8]) -> Result<(), DriverError> {
        to.check(offset, length)?;
        if pattern.is_empty() || length == 0 {
            return Ok(());
        }
        if let Some(host) = to.host {
            let mut at = offset;
            while at < offset + length {
                let part = (pattern.len() as u64).min(offset + length - at);
                crate::transport::copy_in(&pattern[..part as usize], host.part(at, part)?);
                at += part;
            }
            return Ok(());
        }
        self.call(&Movement::Fill { to: kept(to), offset, length, pattern: pattern.into() })
    }

    fn copy_rect(&self, from: &Allocation, to: &Allocation, rect: &Rect) -> Result<(), DriverError> {
        if from.host.is_none() && to.host.is_none() {
            return self.call(&Movement::CopyRect { from: kept(from), to: kept(to), rect: *rect });
        }
        rect.rows().try_for_each(|row| self.copy(from, row.from, to, row.to, row.length))
    }

    fn can_receive(&self, source: &dyn Driver) -> bool {
        let other = source.as_any().and_then(|any| any.downcast_ref::<Self>());
        other.is_some_and(|other| Arc::ptr_eq(&other.shared, &self.shared))
    }

    fn receive(
        &self,
        source: &dyn Driver,
        from: &Arc<Allocation>,
        to: &Arc<Allocation>,
        offset: u64,
        length: u64,
    ) -> Result<Arc<dyn Launch>, DriverError> {
        let source = source.as_any().and_then(|any| any.downcast_ref::<Self>());
        let source = source.ok_or_else(|| DriverError::unsupported(self.name(), "receive"))?.node;
        let (from, to) = (Arc::clone(from), Arc::clone(to));
        Ok(Arc::new(PeerCopy { source, from, to, offset, length }))
    }
}
