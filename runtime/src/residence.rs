//! Where buffers' content is in contexts with devices that have memory of their own, and bringing it to where commands
//! use it.
//!
//! Decided when a command is enqueued: for each of its buffers the place (the host's memory, or the device's own), what
//! has to be brought there, and the cheapest way: nothing, from device to device, or through the host. The moves are
//! commands on their devices' hidden queues, linked to others by events only. Contexts without such devices keep no
//! track: their commands pay nothing.
//!
//! Lock rank: a buffer's `access`, then the residences of all buffers of a command in the order of their numbers, then
//! the queue's own. Nobody waits for an event with residences locked.

use std::ops::Range;
use std::sync::Arc;

use oxcl_driver::{Allocation, AllocationRequest, DriverError, Failure, Lane, Launch, lock};
use oxcl_memory::NoMemory;
use oxcl_memory::residency::{Contents, End, Missing, Place};
use oxcl_scheduler::transfer::{Movement, Transfer};
use oxcl_scheduler::{Access, Command, EnqueueError, Event, Facts, Fence, Touch};

use crate::buffer::{Buffer, BufferError};
use crate::device::Device;
use crate::queue::QueueError;
use crate::storage::Storage;

/// Where a command wants a buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum At {
    /// In the memory of the queue's device.
    Device,
    /// There, or in the host's memory if that alone has the content.
    Nearest,
    /// In the host's memory.
    Host,
}

/// A buffer of a command: which of its bytes, and what is done to them.
#[derive(Debug, Clone)]
pub(crate) struct Part<'a> {
    pub(crate) buffer: &'a Buffer,
    pub(crate) bytes: Range<u64>,
    pub(crate) access: Access,
    pub(crate) at: At,
}

impl<'a> Part<'a> {
    /// All of a buffer.
    pub(crate) fn whole(buffer: &'a Buffer, access: Access, at: At) -> Self {
        Self { buffer, bytes: 0..buffer.size(), access, at }
    }
}

/// Where a part's buffer lies: an allocation, and the buffer's first byte in it.
pub(crate) type Placement = (Arc<Allocation>, u64);

/// A command but for its buffers.
pub(crate) struct Order<'a> {
    pub(crate) queue: &'a oxcl_scheduler::Queue,
    pub(crate) device: &'a Device,
    pub(crate) waits: &'a [Event],
    pub(crate) touches: &'a [Touch],
    pub(crate) facts: Facts,
    pub(crate) fence: Fence,
}

/// A buffer's memory on a device, given back with the buffer.
#[derive(Debug)]
struct DeviceMemory {
    device: Device,
    allocation: Arc<Allocation>,
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        self.device.driver().free(self.allocation.again());
    }
}

/// What is known of one buffer's memory everywhere.
#[derive(Debug)]
pub(crate) struct Residences {
    /// The context that keeps track, once one does.
    context: Option<u64>,
    contents: Contents<Event>,
    memories: Vec<(Place, DeviceMemory)>,
}

/// A move of content, which keeps the buffer.
struct Move {
    work: Arc<dyn Launch>,
    _storage: Arc<Storage>,
    label: &'static str,
}

impl Launch for Move {
    fn groups(&self) -> u64 {
        // A device that executes pieces gets all of them.
        self.work.groups()
    }

    fn run(&self, first: u64, count: u64, lane: Lane) -> Result<(), Failure> {
        self.work.run(first, count, lane)
    }

    fn label(&self) -> &str {
        self.label
    }

    fn as_any(&self) -> Option<&dyn std::any::Any> {
        self.work.as_any()
    }
}

/// What an access means for content.
fn content_access(access: Access) -> oxcl_memory::Access {
    match access {
        Access::Read => oxcl_memory::Access::Read,
        Access::Write => oxcl_memory::Access::Discard,
        Access::ReadWrite => oxcl_memory::Access::Write,
    }
}

fn end(event: &Event) -> End {
    if !event.is_complete() {
        return End::Pending;
    }
    match event.wait() {
        Ok(()) => End::Done,
        Err(_) => End::Failed,
    }
}

impl Residences {
    pub(crate) fn new(size: u64, at_host: bool) -> Result<Self, NoMemory> {
        let contents = Contents::new(size, at_host.then_some(Place::HOST))?;
        Ok(Self { context: None, contents, memories: Vec::new() })
    }

    /// A device of a context is to use it. Events of two contexts cannot wait for each other, so a buffer stays with the
    /// first one whose devices have memory of their own.
    fn belong_to(&mut self, device: &Device) -> Result<(), QueueError> {
        let context = device.context().number();
        if *self.context.get_or_insert(context) == context { Ok(()) } else { Err(QueueError::OtherContext) }
    }

    fn memory(&self, place: Place) -> Option<&DeviceMemory> {
        self.memories.iter().find(|(at, _)| *at == place).map(|(_, memory)| memory)
    }

    /// The buffer's memory on a device, made now if there is none.
    fn on(&mut self, storage: &Storage, device: &Device) -> Result<Arc<Allocation>, QueueError> {
        let place = device.place();
        if let Some(memory) = self.memory(place) {
            return Ok(Arc::clone(&memory.allocation));
        }
        // Content that came from the host's memory need not be saved when the device gives the place away.
        let host =
            if storage.has_host() { Some(storage.host_span().map_err(BufferError::from)?) } else { None };
        self.memories.try_reserve(1).map_err(|_| NoMemory)?;
        let request = AllocationRequest { host, ..AllocationRequest::bytes(storage.size()) };
        let allocation = device.driver().allocate(&request).map_err(|error| refused(device, error))?;
        let allocation = Arc::new(allocation);
        let memory = DeviceMemory { device: device.clone(), allocation: Arc::clone(&allocation) };
        self.memories.push((place, memory));
        Ok(allocation)
    }

    /// Enqueues what brings `bytes` to a place that has not their latest content.
    fn bring(
        &mut self,
        storage: &Arc<Storage>,
        bytes: &Range<u64>,
        to: Option<&Device>,
        also: &[Event],
    ) -> Result<(), QueueError> {
        let place = to.map_or(Place::HOST, Device::place);
        for Missing { bytes, at } in self.contents.missing(bytes, place)? {
            let direct = |place: &&Place| {
                let source = self.memory(**place);
                let pair = to.zip(source);
                pair.is_some_and(|(to, from)| to.driver().can_receive(from.device.driver().as_ref()))
            };
            if at.is_empty() {
                continue;
            }
            // From the host, as that leaves a copy there to fall back on; else directly; else through the host.
            let from = if at.contains(&Place::HOST) { Some(&Place::HOST) } else { at.iter().find(direct) };
            let from = match (from, to) {
                (Some(from), Some(_)) => *from,
                (None, Some(_)) => {
                    self.bring(storage, &bytes, None, also)?;
                    Place::HOST
                }
                (_, None) => at.first().copied().unwrap_or(Place::HOST),
            };
            self.move_between(storage, &bytes, from, to, also)?;
        }
        Ok(())
    }

    fn move_between(
        &mut self,
        storage: &Arc<Storage>,
        bytes: &Range<u64>,
        from: Place,
        to: Option<&Device>,
        also: &[Event],
    ) -> Result<(), QueueError> {
        let (offset, length) = (bytes.start, bytes.end - bytes.start);
        let host = |storage: &Storage| -> Result<_, QueueError> {
            let span = storage.host_span().map_err(BufferError::from)?;
            span.part(offset, length).map_err(|error| EnqueueError::Driver(error).into())
        };
        let source = self.memory(from).map(|memory| (memory.device.clone(), Arc::clone(&memory.allocation)));
        let (work, device, label): (Arc<dyn Launch>, Device, _) = match (source, to) {
            (None, Some(to)) => {
                let from = host(storage)?;
                let movement = Movement::Write { to: self.on(storage, to)?, offset, from };
                (Arc::new(Transfer::new(Arc::clone(to.driver()), movement)), to.clone(), "migrate to device")
            }
            (Some((device, from)), None) => {
                let movement = Movement::Read { from, offset, to: host(storage)? };
                (Arc::new(Transfer::new(Arc::clone(device.driver()), movement)), device, "migrate to host")
            }
            (Some((device, from)), Some(to)) => {
                let target = self.on(storage, to)?;
                let work = to.driver().receive(device.driver().as_ref(), &from, &target, offset, length);
                (work.map_err(EnqueueError::Driver)?, to.clone(), "migrate device to device")
            }
            (None, None) => return Ok(()),
        };
        let place = to.map_or(Place::HOST, Device::place);
        let mut waits = self.contents.move_waits(bytes, from, place)?;
        extend(&mut waits, also.iter().cloned())?;
        self.contents.prepare(bytes, &[from, place], 1)?;
        let work: Arc<dyn Launch> = Arc::new(Move { work, _storage: Arc::clone(storage), label });
        let command = Command { work: Some(work), waits: &waits, ..Command::default() };
        let event = device.direct().enqueue(command)?;
        Ok(self.contents.record_move(bytes, from, place, &event)?)
    }
}

/// Adds to a list.
fn extend<T>(list: &mut Vec<T>, more: impl ExactSizeIterator<Item = T>) -> Result<(), NoMemory> {
    list.try_reserve(more.len()).map_err(|_| NoMemory)?;
    list.extend(more);
    Ok(())
}

impl From<NoMemory> for QueueError {
    fn from(_: NoMemory) -> Self {
        EnqueueError::OutOfHostMemory.into()
    }
}

/// Why memory on a device was refused.
fn refused(device: &Device, error: DriverError) -> QueueError {
    match error {
        DriverError::OutOfMemory { needed, available } => {
            let pinned = device.driver().pinned();
            QueueError::DeviceMemory { needed, available, pinned }
        }
        error => EnqueueError::Driver(error).into(),
    }
}

/// The memory of a buffer as a device's launches use it, bound before they are enqueued: the host's, or on the device.
pub(crate) fn argument_memory(buffer: &Buffer, device: &Device) -> Result<Placement, QueueError> {
    let storage = buffer.storage();
    if device.own_memory().is_none() {
        return Ok(buffer.allocation()?);
    }
    let mut residences = lock(storage.residences()?);
    residences.belong_to(device)?;
    Ok((residences.on(storage, device)?, buffer.origin()))
}

/// Whether a device can hold all of these buffers at the same time.
pub(crate) fn check_fit<'a>(
    device: &Device,
    buffers: impl Iterator<Item = &'a Buffer>,
) -> Result<(), QueueError> {
    let Some(driver) = device.own_memory() else { return Ok(()) };
    let capabilities = driver.capabilities();
    let mut sizes: Vec<_> = buffers.map(|buffer| (buffer.number(), buffer.storage().size())).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let rounded = sizes.iter().map(|(_, size)| size.next_multiple_of(capabilities.base_alignment));
    let needed = rounded.fold(0, u64::saturating_add);
    if needed <= capabilities.global_memory {
        return Ok(());
    }
    Err(refused(device, DriverError::OutOfMemory { needed, available: capabilities.global_memory }))
}

/// Enqueues a command: brings what its buffers hold to where it will use it, and keeps track. `make` gets where the parts
/// lie, in their order.
pub(crate) fn enqueue(
    order: &Order<'_>,
    parts: &[Part<'_>],
    make: impl FnOnce(&[Placement]) -> Option<Arc<dyn Launch>>,
) -> Result<Event, QueueError> {
    let mut storages: Vec<&Arc<Storage>> = Vec::new();
    extend(&mut storages, parts.iter().map(|part| part.buffer.storage()))?;
    storages.sort_unstable_by_key(|storage| storage.number());
    storages.dedup_by_key(|storage| storage.number());
    // Commands that were enqueued while nobody kept track: whatever they were ordered by comes first.
    let mut before = Vec::new();
    if storages.iter().any(|storage| storage.take_untracked()) {
        extend(&mut before, order.waits.iter().cloned())?;
        before.try_reserve(1).map_err(|_| NoMemory)?;
        before.push(order.queue.enqueue(Command { fence: Fence::Marker, ..Command::default() })?);
    }
    let mut known = Vec::new();
    known.try_reserve(storages.len()).map_err(|_| NoMemory)?;
    for storage in &storages {
        known.push(lock(storage.residences()?));
    }
    known.iter_mut().try_for_each(|residences| residences.belong_to(order.device))?;
    let index = |part: &Part<'_>| {
        storages.partition_point(|storage| storage.number() < part.buffer.storage().number())
    };
    let own = order.device.place();
    let (mut placements, mut places) = (Vec::new(), Vec::new());
    placements.try_reserve(parts.len()).map_err(|_| NoMemory)?;
    places.try_reserve(parts.len()).map_err(|_| NoMemory)?;
    for part in parts {
        let (storage, residences) = (part.buffer.storage(), &mut *known[index(part)]);
        let origin = part.buffer.origin();
        let bytes = origin + part.bytes.start..origin + part.bytes.end;
        residences.contents.settle(&bytes, end);
        let contents = &residences.contents;
        let only_host = !contents.has_latest(&bytes, own) && contents.has_latest(&bytes, Place::HOST);
        let here = match part.at {
            At::Host => false,
            At::Device => own != Place::HOST,
            At::Nearest => own != Place::HOST && !only_host,
        };
        let device = Some(order.device).filter(|_| here);
        let allocation = match device {
            Some(device) => residences.on(storage, device)?,
            None => Arc::clone(storage.host_allocation().map_err(BufferError::from)?),
        };
        placements.push((allocation, origin));
        places.push((bytes, device));
    }
    let on_device = parts.iter().zip(&places).filter(|(_, (_, device))| device.is_some());
    check_fit(order.device, on_device.map(|(part, _)| part.buffer))?;
    let mut waits = Vec::new();
    extend(&mut waits, order.waits.iter().cloned())?;
    for (part, (bytes, device)) in parts.iter().zip(&places) {
        let residences = &mut *known[index(part)];
        if part.access != Access::Write {
            residences.bring(part.buffer.storage(), bytes, *device, &before)?;
        }
        let place = device.map_or(Place::HOST, Device::place);
        let moves = residences.contents.command_waits(bytes, place, content_access(part.access))?;
        extend(&mut waits, moves.into_iter())?;
        // From here on nothing may be missing: a command that has been enqueued has to be known. A buffer may be in several
        // parts.
        residences.contents.prepare(bytes, &[place], parts.len())?;
    }
    let work = make(&placements);
    let Order { touches, facts, fence, .. } = *order;
    let event = order.queue.enqueue(Command { work, touches, facts, waits: &waits, fence })?;
    for (part, (bytes, device)) in parts.iter().zip(places) {
        let place = device.map_or(Place::HOST, Device::place);
        let contents = &mut known[index(part)].contents;
        if place == own || part.access != Access::Read {
            contents.record(&bytes, place, content_access(part.access), Some(&event))?;
        } else {
            // A device that reads the host's memory does so beside all that keeps threads of the host apart.
            contents.record_foreign_read(&bytes, place, &event)?;
        }
    }
    Ok(event)
}

/// Forgets what buffers hold, so that nothing has to be brought anywhere before it is overwritten.
pub(crate) fn discard(buffers: &[Buffer]) -> Result<(), QueueError> {
    for buffer in buffers {
        let bytes = buffer.origin()..buffer.origin() + buffer.size();
        lock(buffer.storage().residences()?).contents.discard(&bytes)?;
    }
    Ok(())
}

/// Why the host cannot have content.
fn lost(error: QueueError) -> BufferError {
    match error {
        QueueError::Buffer(error) => error,
        QueueError::Enqueue(EnqueueError::OutOfHostMemory) => {
            BufferError::Lost(Arc::new(Failure::OutOfHostMemory))
        }
        other => {
            BufferError::Lost(Arc::new(Failure::Driver(DriverError::Device { reason: other.to_string() })))
        }
    }
}

/// Makes the host's memory hold the latest of `bytes`, unless they are to be overwritten, and calls `use_it` when no device
/// with memory of its own uses them there; until it returns, none can begin to. `hold` locks the buffer for that; nothing
/// is locked while a command is waited for, because the thread that waits executes others, whose callbacks may want the
/// same buffer.
pub(crate) fn at_host<G, R>(
    storage: &Arc<Storage>,
    bytes: &Range<u64>,
    access: Access,
    hold: impl Fn() -> G,
    use_it: impl FnOnce() -> Result<R, BufferError>,
) -> Result<R, BufferError> {
    loop {
        let held = hold();
        let Some(tracked) = storage.tracked() else { return use_it() };
        let mut residences = lock(tracked);
        residences.contents.settle(bytes, end);
        if access != Access::Write {
            residences.bring(storage, bytes, None, &[]).map_err(lost)?;
        }
        let users = residences.contents.command_waits(bytes, Place::HOST, content_access(access));
        let users = users.map_err(|error| lost(error.into()))?;
        if users.iter().all(Event::is_complete) {
            residences.contents.prepare(bytes, &[Place::HOST], 1).map_err(|error| lost(error.into()))?;
            let result = use_it()?;
            if access != Access::Read {
                let recorded = residences.contents.record(bytes, Place::HOST, content_access(access), None);
                recorded.map_err(|error| lost(error.into()))?;
            }
            return Ok(result);
        }
        drop(residences);
        drop(held);
        for user in users {
            // A command of the program that failed is no reason not to look; a move that failed is.
            let failed = user.wait().err();
            let mut residences = lock(tracked);
            residences.contents.settle(bytes, end);
            if let Some(failure) = failed.filter(|_| !residences.contents.has_latest(bytes, Place::HOST)) {
                return Err(BufferError::Lost(failure));
            }
        }
    }
}
