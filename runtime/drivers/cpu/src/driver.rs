//! The devices `cpu`, `basic` and `ref` behind the driver interface: memory is the host's, and the scheduler's threads
//! execute. Several objects are several devices, which share those threads and one address space.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use oxcl_binary::abi::MAX_ALIGNMENT;
use oxcl_driver::capability::{Execution, Features};
use oxcl_driver::program::{ArgMemory, Binary, LaunchRequest, LaunchShape, Program};
use oxcl_driver::{
    Allocation, AllocationRequest, Capabilities, Driver, DriverError, HostMemory, HostSpan, Launch, account,
};

use crate::current::{CurrentLaunch, Source};
use crate::features::HostCpu;
use crate::image;
use crate::launch::PreparedLaunch;
use crate::loader::Target;
use crate::program::CpuProgram;
use crate::work::{KernelWork, Kind, Unit};

/// Work-items in a group on `cpu` and `basic`.
const MAX_GROUP: u64 = 4096;
/// Work-items in a group on `ref`, where each is a thread.
const MAX_REFERENCE_GROUP: u64 = 1024;
/// Local memory of a work-group, in bytes.
const LOCAL_MEMORY: u64 = 1 << 20;

/// A device on the host's CPU.
#[derive(Debug)]
pub struct CpuDriver {
    unit: Arc<Unit>,
    capabilities: Capabilities,
    blocks: Mutex<BTreeMap<u64, HostMemory>>,
    next: AtomicU64,
}

impl CpuDriver {
    /// A device; `threads` is how many the scheduler has.
    #[must_use]
    pub fn new(kind: Kind, threads: u32) -> Self {
        // Whoever loads code later, on whatever thread, reads no environment.
        let _ = image::folders();
        let memory = account::device_memory();
        let group = if kind == Kind::Reference { MAX_REFERENCE_GROUP } else { MAX_GROUP };
        let usual = Features::OUT_OF_ORDER | Features::FP64 | Features::IMAGES;
        let capabilities = Capabilities {
            features: if kind == Kind::Cpu { usual | Features::GROUPS_ON_THREADS } else { usual },
            execution: if kind == Kind::Basic { Execution::Caller } else { Execution::Host },
            compute_units: if kind == Kind::Basic { 1 } else { threads.max(1) },
            max_work_group_size: group,
            max_work_item_sizes: [group; 3],
            global_memory: memory,
            max_allocation: memory,
            local_memory: LOCAL_MEMORY,
            base_alignment: MAX_ALIGNMENT as u64,
            triple: "x86_64-unknown-linux-gnu".to_owned(),
            ..Capabilities::host(HostCpu::get().name())
        };
        Self {
            unit: Arc::new(Unit::new(kind)),
            capabilities,
            blocks: Mutex::default(),
            next: AtomicU64::new(1),
        }
    }

    /// The manner in which it runs.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.unit.kind
    }

    /// Which code runs on it.
    #[must_use]
    pub fn target(&self) -> Target {
        match self.unit.kind {
            Kind::Cpu | Kind::Basic => Target::Native,
            Kind::Reference => Target::Reference,
        }
    }

    /// A launch as work for the scheduler.
    ///
    /// # Safety
    /// Whenever the work is executed, the buffers that the arguments point to are alive, and whoever else touches them
    /// synchronises with the kernel. The kernel keeps to them: nothing here stops it from writing elsewhere.
    #[must_use]
    pub unsafe fn work(&self, launch: PreparedLaunch) -> KernelWork {
        // SAFETY: by the caller's promise.
        unsafe { self.current(launch, None) }
    }

    /// # Safety
    /// As for [`Self::work`].
    unsafe fn current(&self, launch: PreparedLaunch, source: Option<Source>) -> KernelWork {
        // SAFETY: by the caller's promise.
        unsafe { KernelWork::new(CurrentLaunch::new(launch, source), Arc::clone(&self.unit)) }
    }

    fn blocks(&self) -> MutexGuard<'_, BTreeMap<u64, HostMemory>> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Driver for CpuDriver {
    fn name(&self) -> &str {
        match self.unit.kind {
            Kind::Cpu => "cpu",
            Kind::Basic => "basic",
            Kind::Reference => "ref",
        }
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
        let available = self.capabilities.max_allocation;
        let out = || DriverError::OutOfMemory { needed: request.size, available };
        if request.size > available {
            return Err(out());
        }
        // Relaxed: the number only has to differ from all others.
        let token = self.next.fetch_add(1, Ordering::Relaxed);
        let span = match request.host {
            Some(span) => span.part(0, request.size)?,
            None => {
                // Blocks are aligned to the widest type; more takes room to move the start.
                let more = if request.alignment > MAX_ALIGNMENT as u64 { request.alignment } else { 0 };
                let bytes = request.size.checked_add(more).ok_or_else(out)?;
                let block = HostMemory::zeroed(bytes)?;
                let start = block.as_ptr();
                let shift = if more == 0 { 0 } else { start.align_offset(more as usize) };
                let start = std::ptr::NonNull::new(start.wrapping_add(shift)).ok_or_else(out)?;
                self.blocks().insert(token, block);
                // SAFETY: the block has that many bytes from the aligned start on, and is kept until it is freed.
                unsafe { HostSpan::new(start, request.size) }
            }
        };
        Ok(Allocation { size: request.size, address: span.pointer() as u64, host: Some(span), token })
    }

    fn free(&self, allocation: Allocation) {
        self.blocks().remove(&allocation.token);
    }

    fn build_binary(&self, binary: &Arc<Binary>) -> Result<Arc<dyn Program>, DriverError> {
        Ok(Arc::new(CpuProgram::new(binary, self.target())?))
    }

    fn prepare_launch(&self, request: &LaunchRequest<'_>) -> Result<Arc<dyn Launch>, DriverError> {
        let program = CpuProgram::of(request)?;
        for argument in request.args {
            if let Some(ArgMemory { allocation, offset, .. }) = argument.memory() {
                allocation.host_span(*offset, 0)?;
            }
        }
        let place = |memory: &ArgMemory| match memory.allocation.host {
            Some(host) => host.pointer().wrapping_add(memory.offset as usize),
            None => std::ptr::null_mut(),
        };
        let shape = LaunchShape::of(request.geometry.local, request.args);
        let source = Source::of(request, &shape);
        let launch = program.bind(request, &shape, place)?;
        // SAFETY: the request promises that its memory lives until the last command that executes the launch has ended; who
        // else touches it is for the commands' order to say. That the kernel keeps to it is the claim of whoever wrote it.
        Ok(Arc::new(unsafe { self.current(launch, source) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_device_conforms() {
        for kind in [Kind::Cpu, Kind::Basic, Kind::Reference] {
            let driver: Arc<dyn Driver> = Arc::new(CpuDriver::new(kind, 2));
            let report = oxcl_driver::conformance::run(&driver);
            assert!(report.passed(), "{}: {report}", driver.name());
        }
    }

    #[test]
    fn alignments_above_the_widest_type_are_kept() {
        let driver = CpuDriver::new(Kind::Cpu, 1);
        let request = AllocationRequest { alignment: 1 << 16, ..AllocationRequest::bytes(100) };
        let memory = driver.allocate(&request).unwrap();
        assert_eq!(memory.address % (1 << 16), 0);
        driver.free(memory);
        assert!(driver.blocks().is_empty());
    }
}
