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
use crate::program::{BinarySource, LaunchRequest, Program};

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

    fn build_binary(&self, binary: BinarySource<'_>) -> Result<Arc<dyn Program>, DriverError> {
        match binary {
            BinarySource::Archive(archive) => Ok(Arc::new(NullProgram {
                kernels: archive.kernels.iter().map(|k| k.name.clone()).collect(),
            })),
            BinarySource::Other(_) => {
                Err(DriverError::BadBinary { reason: "only pocl-binaries are accepted".to_owned() })
            }
        }
    }

    fn prepare_launch(&self, request: &LaunchRequest) -> Result<Arc<dyn Launch>, DriverError> {
        if !request.program.kernels().contains(&request.kernel) {
            return Err(DriverError::NoSuchKernel { kernel: request.kernel.clone() });
        }
        let (_, groups) = request.group_counts().ok_or_else(|| DriverError::BadLaunch {
            reason: "the number of work-groups exceeds 64 bits".to_owned(),
        })?;
        Ok(Arc::new(NullLaunch { kernel: request.kernel.clone(), groups }))
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
