//! The driver trait. One object is one device. Operations come in eight groups; those without a default body are
//! required, every other default either does the obvious thing through the required ones or answers
//! [`DriverError::Unsupported`].
//!
//! The runtime and the scheduler call every operation but those of group 6, which is marked: devices that share addresses with the
//! host and have memory of their own need them. Images are memory in rows, and samplers are values: they have no operations.
//!
//! All operations may be called from any thread, at the same time.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::block::HostMemory;
use crate::capability::Capabilities;
use crate::command::{EventId, Lane, Launch, QueueToken, Submission, SubmitResult};
use crate::error::DriverError;
use crate::memory::{Allocation, AllocationRequest, HostSpan, MemoryCounters};
use crate::program::{Binary, LaunchRequest, Program};
use crate::rect::Rect;

/// Bytes that the default copy and fill move at a time.
const BOUNCE: u64 = 64 << 10;

/// A device. See the module's header.
pub trait Driver: Send + Sync + fmt::Debug {
    // Group 1: probe and initialisation.

    /// The driver's name, as `OXCL_DEVICES` spells it.
    fn name(&self) -> &str;

    /// The driver's own type, for drivers that know each other.
    fn as_any(&self) -> Option<&dyn Any> {
        None
    }

    /// How many devices of this kind the machine has. Cheap, and without effect.
    fn probe(&self) -> Result<u32, DriverError>;

    /// Makes the device ready. Called once, before anything but [`Driver::name`] and [`Driver::probe`].
    fn init(&self) -> Result<(), DriverError>;

    /// What the device can do. Constant after [`Driver::init`].
    fn capabilities(&self) -> &Capabilities;

    // Group 2: memory.

    /// Allocates device memory.
    fn allocate(&self, request: &AllocationRequest) -> Result<Allocation, DriverError>;

    /// Frees it. No command that uses it is pending.
    fn free(&self, allocation: Allocation);

    /// Bytes of the device's memory that commands keep in place now, for messages.
    fn pinned(&self) -> u64 {
        0
    }

    /// Bytes moved so far into, out of and within the device's memory.
    fn memory_counters(&self) -> MemoryCounters {
        MemoryCounters::default()
    }

    // Group 3: events.

    /// Takes a command, for devices that do not leave execution to the host (see
    /// [`crate::capability::Execution`]). Must not block. The default executes on the calling thread.
    fn submit(&self, submission: Arc<dyn Submission>) -> SubmitResult {
        crate::command::execute(submission.as_ref(), Lane { index: 0 });
        Ok(())
    }

    /// Every command submitted from the queue so far will be executed without further calls.
    fn flush(&self, _queue: QueueToken) -> Result<(), DriverError> {
        Ok(())
    }

    /// Returns when every command submitted from the queue has been executed. The scheduler calls it for devices that
    /// execute by themselves, before it waits for the queue's last event.
    fn join(&self, _queue: QueueToken) -> Result<(), DriverError> {
        Ok(())
    }

    /// An event that `waiting` waits for has ended; `waiting` tells how many others still hold it back, and
    /// [`Submission::claim`] who is to execute it. Called at least once for every command, also for one whose end was
    /// reported already. Only for devices with [`crate::capability::Execution::DeviceOrdered`].
    fn notify(&self, _waiting: &Arc<dyn Submission>, _ended: EventId) {}

    /// Whether a thread that waits for commands may look for their ends itself, with [`Driver::look`]: for devices whose ends
    /// come by messages, and would come to that thread by way of another.
    fn can_look(&self) -> bool {
        false
    }

    /// A thread waits for commands and has nothing to do: it looks whether any has ended, and reports that on itself. Cheap, and
    /// without effect where another thread is at it.
    fn look(&self) {}

    /// An event has ended: tells the driver of every command that waits for it.
    fn broadcast(&self, ended: EventId, waiting: &[Arc<dyn Submission>]) {
        for submission in waiting {
            submission.driver().notify(submission, ended);
        }
    }

    // Group 4: programs and launches.

    /// Programs that a driver with this key has made are also this driver's: the runtime builds a binary once for all of them.
    fn program_key(&self) -> &str {
        self.name()
    }

    /// Builds from a binary.
    fn build_binary(&self, _binary: &Arc<Binary>) -> Result<Arc<dyn Program>, DriverError> {
        Err(DriverError::unsupported(self.name(), "build_binary"))
    }

    /// The most work-items that a group may have whose items each keep so many bytes across barriers.
    fn max_group_size(&self, _bytes_each: u64) -> u64 {
        self.capabilities().max_work_group_size
    }

    /// Binds a kernel to its arguments and sizes. The result is executed by any thread, or by [`Driver::submit`].
    fn prepare_launch(&self, _request: &LaunchRequest<'_>) -> Result<Arc<dyn Launch>, DriverError> {
        Err(DriverError::unsupported(self.name(), "prepare_launch"))
    }

    // Group 5: command execution. Synchronous; the scheduler splits large transfers and calls from several threads.

    /// Copies device memory to the host.
    fn read(&self, from: &Allocation, offset: u64, to: HostSpan) -> Result<(), DriverError> {
        to.copy_from(from.host_span(offset, to.length())?);
        Ok(())
    }

    /// Copies host memory to the device.
    fn write(&self, to: &Allocation, offset: u64, from: HostSpan) -> Result<(), DriverError> {
        to.host_span(offset, from.length())?.copy_from(from);
        Ok(())
    }

    /// Copies within the device, or between the device and memory of the host, which a side may be. The default goes through the
    /// host where the host reaches neither side.
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
        if from.host.is_some() && to.host.is_some() {
            to.host_span(to_offset, length)?.copy_from(from.host_span(from_offset, length)?);
            return Ok(());
        }
        if from.host.is_some() {
            return self.write(to, to_offset, from.host_span(from_offset, length)?);
        }
        if to.host.is_some() {
            return self.read(from, from_offset, to.host_span(to_offset, length)?);
        }
        let bounce = HostMemory::passing(BOUNCE.min(length))?;
        let mut done = 0;
        while done < length {
            let part = bounce.span().part(0, BOUNCE.min(length - done))?;
            self.read(from, from_offset + done, part)?;
            self.write(to, to_offset + done, part)?;
            done += part.length();
        }
        Ok(())
    }

    /// Fills `offset..offset+length` with copies of `pattern`; `length` is a multiple of the pattern's.
    fn fill(&self, to: &Allocation, offset: u64, length: u64, pattern: &[u8]) -> Result<(), DriverError> {
        to.check(offset, length)?;
        if pattern.is_empty() || length == 0 {
            return Ok(());
        }
        let unit = pattern.len() as u64;
        let block = (BOUNCE / unit).max(1) * unit;
        let bounce = HostMemory::passing(block.min(length))?;
        let mut at = 0;
        while at < bounce.span().length() {
            // SAFETY: the pattern is borrowed for the whole call.
            let source = unsafe { HostSpan::new(std::ptr::NonNull::from(pattern).cast(), unit) };
            let part = unit.min(bounce.span().length() - at);
            bounce.span().part(at, part)?.copy_from(source.part(0, part)?);
            at += part;
        }
        let mut done = 0;
        while done < length {
            let part = bounce.span().part(0, bounce.span().length().min(length - done))?;
            self.write(to, offset + done, part)?;
            done += part.length();
        }
        Ok(())
    }

    /// Reads a rectangle; `rect.to` addresses the host memory.
    fn read_rect(&self, from: &Allocation, to: HostSpan, rect: &Rect) -> Result<(), DriverError> {
        rect.rows().try_for_each(|row| self.read(from, row.from, to.part(row.to, row.length)?))
    }

    /// Writes a rectangle; `rect.from` addresses the host memory.
    fn write_rect(&self, to: &Allocation, from: HostSpan, rect: &Rect) -> Result<(), DriverError> {
        rect.rows().try_for_each(|row| self.write(to, row.to, from.part(row.from, row.length)?))
    }

    /// Copies a rectangle within the device.
    fn copy_rect(&self, from: &Allocation, to: &Allocation, rect: &Rect) -> Result<(), DriverError> {
        rect.rows().try_for_each(|row| self.copy(from, row.from, to, row.to, row.length))
    }

    // Group 6: shared virtual memory. Not called yet: memory that is the same addresses on host and device has been the host's
    // own so far. For GPUs.

    /// Allocates memory that host and device address alike.
    fn svm_alloc(&self, _size: u64, _alignment: u64) -> Result<Allocation, DriverError> {
        Err(DriverError::unsupported(self.name(), "svm_alloc"))
    }

    /// Frees it.
    fn svm_free(&self, allocation: Allocation) {
        self.free(allocation);
    }

    /// The host is about to access it.
    fn svm_map(&self, _memory: HostSpan) -> Result<(), DriverError> {
        Err(DriverError::unsupported(self.name(), "svm_map"))
    }

    /// The host has accessed it.
    fn svm_unmap(&self, _memory: HostSpan) -> Result<(), DriverError> {
        Err(DriverError::unsupported(self.name(), "svm_unmap"))
    }

    /// Copies between two pieces of it of equal length.
    fn svm_copy(&self, _from: HostSpan, _to: HostSpan) -> Result<(), DriverError> {
        Err(DriverError::unsupported(self.name(), "svm_copy"))
    }

    /// Fills it with copies of `pattern`.
    fn svm_fill(&self, _to: HostSpan, _pattern: &[u8]) -> Result<(), DriverError> {
        Err(DriverError::unsupported(self.name(), "svm_fill"))
    }

    /// Brings it near the device, or back to the host.
    fn svm_migrate(&self, _memory: HostSpan, _to_host: bool) -> Result<(), DriverError> {
        Err(DriverError::unsupported(self.name(), "svm_migrate"))
    }

    // Group 7: objects come and go. The number is the runtime's name for the object.

    /// A queue was created for the device.
    fn init_queue(&self, _queue: QueueToken) -> Result<(), DriverError> {
        Ok(())
    }

    /// The queue is gone, and empty.
    fn free_queue(&self, _queue: QueueToken) {}

    /// The event's last handle is gone.
    fn free_event_data(&self, _event: EventId) {}

    // Group 8: migration from device to device.

    /// Whether [`Driver::receive`] can bring memory here from `source` without passing through the host.
    fn can_receive(&self, _source: &dyn Driver) -> bool {
        false
    }

    /// Work that copies `length` bytes from `offset` on, which `source` has in `from`, to the same bytes of `to`, which is
    /// here. It is submitted to this device.
    fn receive(
        &self,
        _source: &dyn Driver,
        _from: &Arc<Allocation>,
        _to: &Arc<Allocation>,
        _offset: u64,
        _length: u64,
    ) -> Result<Arc<dyn Launch>, DriverError> {
        Err(DriverError::unsupported(self.name(), "receive"))
    }
}
