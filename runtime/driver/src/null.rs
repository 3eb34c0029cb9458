//! The null driver: memory is real, kernels do nothing. For measuring the runtime alone and for sequence tests.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::block::HostMemory;
use crate::capability::Capabilities;
use crate::command::{Lane, Launch};
use crate::driver::Driver;
use crate::error::{DriverError, Failure};
use crate::memory::{Allocation, AllocationRequest};
use crate::program::{Binary, LaunchRequest, Program};

/// A device that computes nothing.
#[derive(Debug)]
pub struct NullDriver {
    capabilities: Capabilities,
    blocks: Mutex<BTreeMap<u64, HostMemory>>,
    next: AtomicU64,
}

impl NullDriver {
    /// A new device.
    #[must_use]
    pub fn new() -> NullDriver {
        NullDriver::with(Capabilities::host("null device"))
    }

    /// A new device that says this of itself.
    #[must_use]
    pub fn with(capabilities: Capabilities) -> NullDriver {
        NullDriver { capabilities, blocks: Mutex::new(BTreeMap::new()), next: AtomicU64::new(1) }
    }

    /// Number of allocations that were not freed.
    #[must_use]
    pub fn live_allocations(&self) -> usize {
        self.blocks.lock().map_or(0, |blocks| blocks.len())
    }
}

impl Default for NullDriver {
    fn default() -> NullDriver {
        NullDriver::new()
    }
}

/// A program whose kernels do nothing.
#[derive(Debug)]
struct NullProgram {
    kernels: Vec<String>,
}

impl Program for NullProgram {
    fn kernels(&self) -> Vec<String> {
        self.kernels.clone()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A launch that does nothing.
struct NullLaunch {
    kernel: String,
    groups: u64,
}

impl Launch for NullLaunch {
    fn groups(&self) -> u64 {
        self.groups
    }

    fn run(&self, _first: u64, _count: u64, _lane: Lane) -> Result<(), Failure> {
        Ok(())
    }

    fn label(&self) -> &str {
        &self.kernel
    }
}

impl Driver for NullDriver {
    fn name(&self) -> &str {
        "null"
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
        let is_aligned = request.alignment <= self.capabilities.base_alignment;
        if request.size > self.capabilities.max_allocation || !is_aligned {
            return Err(DriverError::OutOfMemory {
                needed: request.size,
                available: self.capabilities.max_allocation,
            });
        }
        let token = self.next.fetch_add(1, Ordering::Relaxed);
        let span = match request.host {
            Some(span) => span.part(0, request.size)?,
            None => {
                let block = HostMemory::zeroed(request.size)?;
                let span = block.span().part(0, request.size)?;
                let mut blocks = self.blocks.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                blocks.insert(token, block);
                span
            }
        };
        Ok(Allocation { size: request.size, address: span.pointer() as u64, host: Some(span), token })
    }

    fn free(&self, allocation: Allocation) {
        let mut blocks = self.blocks.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        blocks.remove(&allocation.token);
    }

    fn build_binary(&self, binary: &Arc<Binary>) -> Result<Arc<dyn Program>, DriverError> {
        let kernels = binary.archive().kernels.iter().map(|kernel| kernel.name.clone()).collect();
        Ok(Arc::new(NullProgram { kernels }))
    }

    fn prepare_launch(&self, request: &LaunchRequest<'_>) -> Result<Arc<dyn Launch>, DriverError> {
        let number = request.kernel;
        let kernel = request.program.kernels().into_iter().nth(number);
        let kernel = kernel.ok_or_else(|| DriverError::NoSuchKernel { kernel: format!("#{number}") })?;
        Ok(Arc::new(NullLaunch { kernel, groups: request.geometry.group_count() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_null_driver_conforms() {
        let driver: Arc<dyn Driver> = Arc::new(NullDriver::new());
        let report = crate::conformance::run(&driver);
        assert!(report.passed(), "{report}");
    }

    #[test]
    fn freed_memory_is_gone() {
        let driver = NullDriver::new();
        let a = driver.allocate(&AllocationRequest::bytes(10)).unwrap();
        assert_eq!(driver.live_allocations(), 1);
        driver.free(a);
        assert_eq!(driver.live_allocations(), 0);
    }
}
