//! The device `discrete`: the host's processor behind a memory of its own, so that everything that a device across a bus
//! asks of a runtime is exercised without one. Its memory is a block that kernels run in and that bytes are really
//! copied into and out of; it may be smaller than what programs keep in it.
//!
//! Four threads: one copies in, one copies out, one runs kernels, and one runs the device (`coordinator`). Allocations
//! are objects of an [`oxcl_memory::Pool`]; whether one lies in the memory, and where, is settled when a command that
//! uses it runs. The host's side of an allocation, its *home*, is what [`AllocationRequest::host`] names: content that
//! came from there need not be saved before its place is given away.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use oxcl_binary::abi::MAX_ALIGNMENT;
use oxcl_driver::capability::{AddressSpace, DeviceKind, Execution, Features};
use oxcl_driver::fault::{OutOfResources, Resource};
use oxcl_driver::memory::{MemoryCounters, Names};
use oxcl_driver::program::{Binary, LaunchRequest, Program};
use oxcl_driver::rect::Rect;
use oxcl_driver::{
    Allocation, AllocationRequest, Capabilities, Driver, DriverError, Failure, HostMemory, HostSpan, Launch,
    Submission,
};
use oxcl_memory::policy::Adaptive;
use oxcl_memory::{Pool, PoolUsage};
use oxcl_scheduler::thread::{SMALL_STACK, spawn};
use oxcl_scheduler::transfer::Movement;

use self::coordinator::{Coordinator, Message};
use self::engine::Engines;
use self::lending::DeviceCopy;
pub use self::lending::hold_at_fork;
use self::operation::Operation;
use crate::features::HostCpu;
use crate::image;
use crate::loader::Target;
use crate::program::CpuProgram;

mod coordinator;
mod engine;
mod launch;
mod lending;
mod operation;
mod paging;
mod presence;

use launch::DiscreteLaunch;

/// Work-items in a group.
const MAX_GROUP: u64 = 4096;
/// Local memory of a work-group, in bytes.
const LOCAL_MEMORY: u64 = 1 << 20;
/// The smallest memory that makes sense.
pub const MIN_DISCRETE_MEMORY: u64 = 64 << 10;

/// Why bytes moved across the border of a device's memory, or in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PagingKind {
    /// A command copied them in.
    Upload,
    /// A command copied them out.
    Download,
    /// A command copied them in from another device.
    DeviceToDevice,
    /// Memory was short: from the device's memory to the host's.
    Out,
    /// Back.
    In,
    /// Memory was short: from place to place in the device's memory.
    Within,
}

/// Sees the bytes that move. Called from the device's threads; must not block.
pub trait PagingObserver: Send + Sync + fmt::Debug {
    /// The time, in whatever [`Self::paged`] should be told.
    fn now(&self) -> u64;

    /// So many bytes were moved between two times.
    fn paged(&self, kind: PagingKind, bytes: u64, times: Range<u64>);
}

#[derive(Debug, Default)]
struct Counters {
    uploaded: AtomicU64,
    downloaded: AtomicU64,
    device_to_device: AtomicU64,
    paged_out: AtomicU64,
    paged_in: AtomicU64,
    moved: AtomicU64,
    clobbered: AtomicU64,
}

/// What the device's threads share.
#[derive(Debug)]
struct Shared {
    region: HostMemory,
    counters: Counters,
    observer: Option<Arc<dyn PagingObserver>>,
    /// Steps until one fails; negative: none does.
    steps_to_fault: AtomicI64,
    /// Blocks of host memory for pages until one cannot be had; negative: all can.
    blocks_to_fault: AtomicI64,
    /// Lists until there is no memory for one; negative: there is for all.
    lists_to_fault: AtomicI64,
}

fn counts_down(counter: &AtomicI64) -> bool {
    // Relaxed: tests set the counters before they cause what is counted.
    counter.load(Ordering::Relaxed) >= 0 && counter.fetch_sub(1, Ordering::Relaxed) == 0
}

impl Shared {
    /// `size` bytes of the device's memory from an address on.
    fn span(&self, address: u64, size: u64) -> Option<HostSpan> {
        let start = std::ptr::NonNull::new(self.region.as_ptr())?;
        // SAFETY: the block has that many bytes and lives as long as the device's threads; who may use which of them
        // is what the pool says.
        let all = unsafe { HostSpan::new(start, self.region.len() as u64) };
        all.part(address, size).ok()
    }

    fn now(&self) -> u64 {
        self.observer.as_ref().map_or(0, |observer| observer.now())
    }

    fn paged(&self, kind: PagingKind, bytes: u64, begin: u64) {
        let counter = match kind {
            PagingKind::Upload => &self.counters.uploaded,
            PagingKind::Download => &self.counters.downloaded,
            PagingKind::DeviceToDevice => &self.counters.device_to_device,
            PagingKind::Out => &self.counters.paged_out,
            PagingKind::In => &self.counters.paged_in,
            PagingKind::Within => &self.counters.moved,
        };
        // Relaxed: figures only.
        counter.fetch_add(bytes, Ordering::Relaxed);
        if let Some(observer) = &self.observer {
            observer.paged(kind, bytes, begin..observer.now());
        }
    }

    fn clobbered(&self, bytes: u64) {
        self.counters.clobbered.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Counts what an operation that began at a time has moved across the device's border.
    fn count(&self, operation: &Operation, begin: u64) {
        let (kind, bytes) = match operation {
            Operation::Move(Movement::Read { from, to, .. }) if from.host.is_none() => {
                (PagingKind::Download, to.length())
            }
            Operation::Move(Movement::ReadRect { from, rect, .. }) if from.host.is_none() => {
                (PagingKind::Download, rect.size.iter().product())
            }
            Operation::Move(Movement::Write { to, from, .. }) if to.host.is_none() => {
                (PagingKind::Upload, from.length())
            }
            Operation::Move(Movement::WriteRect { to, rect, .. }) if to.host.is_none() => {
                (PagingKind::Upload, rect.size.iter().product())
            }
            Operation::Receive { length, .. } => (PagingKind::DeviceToDevice, *length),
            _ => return,
        };
        self.paged(kind, bytes, begin);
    }

    /// The device's fault, where a test asked for one now.
    fn fault(&self) -> Result<(), DriverError> {
        if counts_down(&self.steps_to_fault) {
            return Err(DriverError::Device { reason: "a fault that a test asked for".to_owned() });
        }
        Ok(())
    }

    /// Room for `more` members of a list that a command needs.
    fn room<T>(&self, list: &mut Vec<T>, more: usize) -> Result<(), Failure> {
        if counts_down(&self.lists_to_fault) {
            return Err(Failure::OutOfHostMemory);
        }
        list.try_reserve(more).map_err(|_| Failure::OutOfHostMemory)
    }

    /// The lack of host memory for pages, where a test asked for one now.
    fn fault_of_memory(&self, needed: u64) -> Result<(), DriverError> {
        if counts_down(&self.blocks_to_fault) {
            return Err(DriverError::OutOfMemory { needed, available: 0 });
        }
        Ok(())
    }
}

/// A device with a memory of its own.
#[derive(Debug)]
pub struct DiscreteDriver {
    capabilities: Capabilities,
    shared: Arc<Shared>,
    inbox: Sender<Message>,
    coordinator: Mutex<Option<JoinHandle<()>>>,
    names: Names,
}

fn gone() -> DriverError {
    DriverError::Device { reason: "the device's thread has ended".to_owned() }
}

impl DiscreteDriver {
    /// A device with `memory` bytes. `observer` sees the pages that move.
    ///
    /// # Errors
    /// There is no memory, or the system gives no threads.
    pub fn new(memory: u64, observer: Option<Arc<dyn PagingObserver>>) -> Result<Self, DriverError> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // As the driver of the processor does.
        let _ = image::folders();
        let alignment = MAX_ALIGNMENT as u64;
        let memory = memory.max(MIN_DISCRETE_MEMORY) / alignment * alignment;
        let out = |_| DriverError::OutOfMemory { needed: memory, available: 0 };
        let region = OutOfResources::zeroed(memory, Resource::Buffer).map_err(out)?;
        let device = |reason: String| DriverError::Device { reason };
        let pool = Pool::new(0..memory, alignment, Box::new(Adaptive::new(memory)));
        let pool = pool.map_err(|error| device(error.to_string()))?;
        // Relaxed: the number only has to differ from all others.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let address_space = AddressSpace(number);
        let capabilities = Capabilities { address_space, ..Self::describe(memory) };
        let shared = Arc::new(Shared {
            region,
            counters: Counters::default(),
            observer,
            steps_to_fault: AtomicI64::new(-1),
            blocks_to_fault: AtomicI64::new(-1),
            lists_to_fault: AtomicI64::new(-1),
        });
        let (inbox, messages) = channel();
        let name = format!("discrete-{number}");
        let failed = |error: std::io::Error| device(error.to_string());
        let engines = Engines::start(&name, &inbox).map_err(failed)?;
        let coordinator = Coordinator::new(Arc::clone(&shared), pool, engines, messages, inbox.clone());
        let thread = spawn(format!("{name}-completion"), SMALL_STACK, move || coordinator.run());
        let thread = thread.map_err(failed)?;
        let (coordinator, names) = (Mutex::new(Some(thread)), Names::new(&capabilities));
        Ok(Self { capabilities, shared, inbox, coordinator, names })
    }

    /// What a device with so many bytes can do; its address space is a number that no device has.
    #[must_use]
    pub fn describe(memory: u64) -> Capabilities {
        Capabilities {
            kind: DeviceKind::Accelerator,
            execution: Execution::Device,
            features: Features::OUT_OF_ORDER | Features::FP64 | Features::IMAGES,
            address_space: AddressSpace(u64::MAX),
            max_work_group_size: MAX_GROUP,
            max_work_item_sizes: [MAX_GROUP; 3],
            global_memory: memory,
            max_allocation: memory,
            local_memory: LOCAL_MEMORY,
            base_alignment: MAX_ALIGNMENT as u64,
            triple: "x86_64-unknown-linux-gnu".to_owned(),
            ..Capabilities::host(HostCpu::get().name())
        }
    }

    /// How full the memory is.
    ///
    /// # Errors
    /// The device's thread has ended.
    pub fn usage(&self) -> Result<PoolUsage, DriverError> {
        let (reply, answer) = sync_channel(1);
        self.inbox.send(Message::Usage { reply }).map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())
    }

    /// For tests: the step of a copy or command after `steps` others fails, as if the device had failed.
    pub fn fail_after(&self, steps: u32) {
        // Relaxed: see `counts_down`.
        self.shared.steps_to_fault.store(i64::from(steps), Ordering::Relaxed);
    }

    /// For tests: after `blocks` others no host memory is had for pages, once.
    pub fn refuse_pages_after(&self, blocks: u32) {
        self.shared.blocks_to_fault.store(i64::from(blocks), Ordering::Relaxed);
    }

    /// For tests: after `lists` others there is no host memory for a list that a command needs, once.
    pub fn refuse_lists_after(&self, lists: u32) {
        self.shared.lists_to_fault.store(i64::from(lists), Ordering::Relaxed);
    }

    /// For tests: nothing fails any more on purpose. Whether anything had been left to fail.
    pub fn stop_failing(&self) -> bool {
        let steps = self.shared.steps_to_fault.swap(-1, Ordering::Relaxed);
        let blocks = self.shared.blocks_to_fault.swap(-1, Ordering::Relaxed);
        let lists = self.shared.lists_to_fault.swap(-1, Ordering::Relaxed);
        steps >= 0 || blocks >= 0 || lists >= 0
    }

    /// Has an operation executed, and waits for it.
    fn call(&self, operation: Operation) -> Result<(), DriverError> {
        let (reply, answer) = sync_channel(1);
        self.inbox.send(Message::Call { operation, reply }).map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())?.map_err(|failure| match failure {
            Failure::Driver(error) => error,
            other => DriverError::Device { reason: other.to_string() },
        })
    }
}

impl Drop for DiscreteDriver {
    fn drop(&mut self) {
        let _ = self.inbox.send(Message::Stop);
        let thread = self.coordinator.lock().unwrap_or_else(PoisonError::into_inner).take();
        // The last user may be that thread itself, having ended a command.
        if let Some(thread) = thread.filter(|thread| thread.thread().id() != std::thread::current().id()) {
            let _ = thread.join();
        }
    }
}

/// The same allocation, for operations that keep it.
fn kept(allocation: &Allocation) -> Arc<Allocation> {
    Arc::new(allocation.again())
}

impl Driver for DiscreteDriver {
    fn name(&self) -> &str {
        "discrete"
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }

    fn probe(&self) -> Result<u32, DriverError> {
        Ok(1)
    }

    fn init(&self) -> Result<(), DriverError> {
        Ok(())
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn allocate(&self, request: &AllocationRequest) -> Result<Allocation, DriverError> {
        // Where it lies changes.
        let (size, address) = (request.size, self.names.next(request, &self.capabilities)?);
        let token = address;
        let home = request.host.map(|host| host.part(0, size)).transpose()?;
        let (reply, answer) = sync_channel(1);
        self.inbox.send(Message::Create { token, size, home, reply }).map_err(|_| gone())?;
        answer.recv().map_err(|_| gone())??;
        Ok(Allocation { size, address, host: None, token })
    }

    fn free(&self, allocation: Allocation) {
        let _ = self.inbox.send(Message::Free { token: allocation.token });
    }

    fn pinned(&self) -> u64 {
        self.usage().map_or(0, |usage| usage.pinned)
    }

    fn memory_counters(&self) -> MemoryCounters {
        let Counters { uploaded, downloaded, device_to_device, paged_out, paged_in, moved, clobbered } =
            &self.shared.counters;
        // Relaxed: figures only.
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        MemoryCounters {
            uploaded: get(uploaded),
            downloaded: get(downloaded),
            device_to_device: get(device_to_device),
            paged_out: get(paged_out),
            paged_in: get(paged_in),
            moved: get(moved),
            clobbered: get(clobbered),
        }
    }

    fn submit(&self, submission: Arc<dyn Submission>) -> Result<(), DriverError> {
        self.inbox.send(Message::Submit(submission)).map_err(|_| gone())
    }

    fn read(&self, from: &Allocation, offset: u64, to: HostSpan) -> Result<(), DriverError> {
        from.check(offset, to.length())?;
        self.call(Operation::Move(Movement::Read { from: kept(from), offset, to }))
    }

    fn write(&self, to: &Allocation, offset: u64, from: HostSpan) -> Result<(), DriverError> {
        to.check(offset, from.length())?;
        self.call(Operation::Move(Movement::Write { to: kept(to), offset, from }))
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
        let (from, to) = (kept(from), kept(to));
        self.call(Operation::Move(Movement::Copy { from, from_offset, to, to_offset, length }))
    }

    fn fill(&self, to: &Allocation, offset: u64, length: u64, pattern: &[u8]) -> Result<(), DriverError> {
        to.check(offset, length)?;
        let (to, pattern) = (kept(to), pattern.into());
        self.call(Operation::Move(Movement::Fill { to, offset, length, pattern }))
    }

    fn copy_rect(&self, from: &Allocation, to: &Allocation, rect: &Rect) -> Result<(), DriverError> {
        self.call(Operation::Move(Movement::CopyRect { from: kept(from), to: kept(to), rect: *rect }))
    }

    fn build_binary(&self, binary: &Arc<Binary>) -> Result<Arc<dyn Program>, DriverError> {
        Ok(Arc::new(CpuProgram::new(binary, Target::Native)?))
    }

    fn prepare_launch(&self, request: &LaunchRequest<'_>) -> Result<Arc<dyn Launch>, DriverError> {
        Ok(Arc::new(DiscreteLaunch::new(request)?))
    }

    fn can_receive(&self, source: &dyn Driver) -> bool {
        source.as_any().is_some_and(|any| any.is::<Self>())
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
        let source = source.ok_or_else(|| DriverError::unsupported(self.name(), "receive"))?;
        let (source, from, to) = (source.inbox.clone(), Arc::clone(from), Arc::clone(to));
        Ok(Arc::new(DeviceCopy { source, from, to, offset, length }))
    }
}

#[cfg(test)]
mod tests;
