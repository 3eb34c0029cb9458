//! The driver interface of one device.

use crate::launch::TtaLaunch;
use crate::map::{PRINT_HEAD, Plan, Region};
use crate::platform::Shared;
use crate::program::TtaProgram;
use oxcl_driver::capability::{AddressSpace, Capabilities, DeviceKind, Execution, Features};
use oxcl_driver::command::SubmitResult;
use oxcl_driver::program::{BinarySource, LaunchRequest, Program};
use oxcl_driver::{
    Allocation, AllocationRequest, Driver, DriverError, EventId, HostMemory, HostSpan, Launch, Submission,
};
use oxcl_memory::bufalloc::AllocError;
use oxcl_tta::image::digest;
use oxcl_tta::model::Machine;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

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
    mappings: Mutex<BTreeMap<usize, HostMemory>>,
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
        Self { shared, position, capabilities, facts, machine, plan, mappings: Mutex::new(BTreeMap::new()) }
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

    fn mapping(&self, allocation: &Allocation, offset: u64, length: u64) -> Result<HostSpan, DriverError> {
        allocation.check(offset, length)?;
        let memory = HostMemory::zeroed(length)?;
        let span = memory.span();
        let mut mappings = self.mappings.lock().unwrap_or_else(PoisonError::into_inner);
        mappings.insert(span.pointer().addr(), memory);
        Ok(span)
    }

    fn free_mapping(&self, _allocation: &Allocation, mapping: HostSpan) {
        let mut mappings = self.mappings.lock().unwrap_or_else(PoisonError::into_inner);
        mappings.remove(&mapping.pointer().addr());
    }

    fn submit(&self, submission: Arc<dyn Submission>) -> SubmitResult {
        self.shared.submit(self.position, submission)
    }

    fn notify(&self, waiting: &Arc<dyn Submission>, _ended: EventId) {
        self.shared.notify(waiting);
    }

    fn build_binary(&self, binary: BinarySource<'_>) -> Result<Arc<dyn Program>, DriverError> {
        match binary {
            BinarySource::Archive(archive) => {
                Ok(Arc::new(TtaProgram::new(archive, &self.facts, &self.machine)?))
            }
            BinarySource::Other(_) => {
                Err(DriverError::BadBinary { reason: "only pocl-binaries are accepted".to_owned() })
            }
        }
    }

    fn prepare_launch(&self, request: &LaunchRequest) -> Result<Arc<dyn Launch>, DriverError> {
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

    fn can_migrate_d2d(&self, source: &dyn Driver) -> bool {
        source.capabilities().address_space == self.capabilities.address_space
    }

    fn migrate_d2d(
        &self,
        _source: &dyn Driver,
        from: &Allocation,
        to: &Allocation,
    ) -> Result<(), DriverError> {
        // Both are in the one memory that the devices of a platform share.
        self.copy(from, 0, to, 0, from.size.min(to.size))
    }
}
