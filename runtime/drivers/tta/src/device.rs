//! The driver interface of one device.

use crate::launch::TtaLaunch;
use crate::map::{PRINT_HEAD, Plan, Region};
use crate::platform::Shared;
use crate::program::TtaProgram;
use oxcl_binary::unit::digest_text;
use oxcl_driver::capability::{AddressSpace, Capabilities, DeviceKind, Execution, Features};
use oxcl_driver::command::SubmitResult;
use oxcl_driver::program::{Binary, LaunchRequest, Program};
use oxcl_driver::{
    Allocation, AllocationRequest, Driver, DriverError, EventId, HostSpan, Launch, Submission,
};
use oxcl_memory::bufalloc::AllocError;
use oxcl_tta::image::digest;
use oxcl_tta::model::Machine;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Address spaces of platforms; other drivers count theirs from 0.
static NEXT_SPACE: AtomicU64 = AtomicU64::new(1 << 31);

/// The number of a platform's address space.
pub(crate) fn next_space() -> u64 {
    // Relaxed: only distinct numbers are needed.
    NEXT_SPACE.fetch_add(1, Ordering::Relaxed)
}

/// What a device of a machine with this map can do; the devices of a platform have one address space.
pub(crate) fn capabilities(name: &str, plan: &Plan, buffers: Region, space: u64) -> Capabilities {
    Capabilities {
        device_name: name.to_owned(),
        kind: DeviceKind::Accelerator,
        execution: Execution::DeviceOrdered,
        features: Features::OUT_OF_ORDER,
        address_space: AddressSpace(space),
        address_bits: 32,
        compute_units: 1,
        max_work_group_size: 1024,
        max_work_item_sizes: [1024; 3],
        global_memory: buffers.size,
        max_allocation: buffers.size,
        local_memory: plan.local_memory.size / 128 * 128,
        base_alignment: 128,
        printf_buffer: plan.print.size - PRINT_HEAD,
        triple: "riscv32".to_owned(),
        ..Capabilities::host(name)
    }
}

/// A device.
#[derive(Debug)]
pub struct TtaDriver {
    shared: Arc<Shared>,
    position: usize,
    capabilities: Capabilities,
    facts: Machine,
    machine: [u8; 20],
    plan: Plan,
    /// Code for the machine is code for every device of it.
    program_key: String,
}

impl TtaDriver {
    pub(crate) fn new(
        shared: Arc<Shared>,
        position: usize,
        name: &str,
        machine: &Machine,
        plan: &Plan,
        buffers: Region,
        space: u64,
    ) -> Self {
        let capabilities = capabilities(name, plan, buffers, space);
        let (facts, machine, plan) = (machine.clone(), digest(machine), plan.clone());
        let program_key = digest_text(&machine);
        Self { shared, position, capabilities, facts, machine, plan, program_key }
    }

    /// The device's memory map.
    #[must_use]
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The digest of the device's machine, which units name.
    #[must_use]
    pub fn machine(&self) -> &[u8; 20] {
        &self.machine
    }
}

fn outside(address: u64, length: u64) -> DriverError {
    DriverError::Device { reason: format!("{length} bytes at {address:#x} leave the shared memory") }
}

impl Driver for TtaDriver {
    fn name(&self) -> &str {
        "ttasim"
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
        let mut state = self.shared.lock();
        let found = state.buffers.allocate_aligned(request.size, request.alignment.max(128));
        let chunk = found.map_err(|error| match error {
            AllocError::OutOfMemory { largest, .. } => {
                DriverError::OutOfMemory { needed: request.size, available: largest }
            }
            other => DriverError::Device { reason: other.to_string() },
        })?;
        let token = state.next_token;
        state.next_token += 1;
        state.chunks.insert(token, chunk);
        Ok(Allocation { size: request.size, address: chunk.address, host: None, token })
    }

    fn free(&self, allocation: Allocation) {
        let mut state = self.shared.lock();
        if let Some(chunk) = state.chunks.remove(&allocation.token) {
            let freed = state.buffers.free(chunk);
            debug_assert!(freed.is_ok(), "a chunk is freed once");
        }
    }

    fn submit(&self, submission: Arc<dyn Submission>) -> SubmitResult {
        self.shared.submit(self.position, submission)
    }

    fn notify(&self, waiting: &Arc<dyn Submission>, _ended: EventId) {
        self.shared.notify(waiting);
    }

    fn program_key(&self) -> &str {
        &self.program_key
    }

    fn build_binary(&self, binary: &Arc<Binary>) -> Result<Arc<dyn Program>, DriverError> {
        Ok(Arc::new(TtaProgram::new(binary.archive(), &self.facts, &self.machine)?))
    }

    fn max_group_size(&self, bytes_each: u64) -> u64 {
        let room = self.plan.scratch.size;
        let fitting = room.checked_div(bytes_each).unwrap_or(u64::MAX).max(1);
        self.capabilities.max_work_group_size.min(fitting)
    }

    fn prepare_launch(&self, request: &LaunchRequest<'_>) -> Result<Arc<dyn Launch>, DriverError> {
        let program = request.program.as_any().downcast_ref::<TtaProgram>();
        let program = program
            .ok_or_else(|| DriverError::BadLaunch { reason: "the program is another device's".to_owned() })?;
        let variables = program.memory(&self.shared, self.capabilities.address_space, self.position)?;
        Ok(Arc::new(TtaLaunch::new(request, program, &self.plan, variables)?))
    }

    fn read(&self, from: &Allocation, offset: u64, to: HostSpan) -> Result<(), DriverError> {
        if from.host.is_some() {
            // Content that only the host has is used where it is, without a copy on the device.
            to.copy_from(from.host_span(offset, to.length())?);
            return Ok(());
        }
        from.check(offset, to.length())?;
        let (at, length) = (from.address + offset, to.length());
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| outside(at, length))?];
        self.shared.with_memory(|m| m.read(at, &mut bytes).map_err(|_| outside(at, length)))?;
        // SAFETY: the vector is borrowed for the rest of the call.
        let span = unsafe { HostSpan::new(std::ptr::NonNull::from(bytes.as_mut_slice()).cast(), length) };
        to.copy_from(span);
        Ok(())
    }

    fn write(&self, to: &Allocation, offset: u64, from: HostSpan) -> Result<(), DriverError> {
        if to.host.is_some() {
            to.host_span(offset, from.length())?.copy_from(from);
            return Ok(());
        }
        to.check(offset, from.length())?;
        let (at, length) = (to.address + offset, from.length());
        let mut bytes = vec![0; usize::try_from(length).map_err(|_| outside(at, length))?];
        // SAFETY: the vector is borrowed for the rest of the call.
        let span = unsafe { HostSpan::new(std::ptr::NonNull::from(bytes.as_mut_slice()).cast(), length) };
        span.copy_from(from);
        self.shared.with_memory(|m| m.write(at, &bytes).map_err(|_| outside(at, length)))
    }
}
