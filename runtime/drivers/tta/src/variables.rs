//! The memory of a program's variables at program scope, on one device.
//!
//! In: the archive's facts. Out: a block of the platform's shared memory that lives as long as the program or a launch needs
//! it, with the variables' initial values. Kernels write to it; nobody else does.

use crate::platform::Shared;
use oxcl_binary::meta::ProgramVariables;
use oxcl_driver::DriverError;
use oxcl_memory::bufalloc::{AllocError, Chunk};
use std::sync::{Arc, Weak};

/// The variables of one program on one device.
#[derive(Debug)]
pub(crate) struct ProgramMemory {
    /// The platform may be gone before the program.
    shared: Weak<Shared>,
    chunk: Chunk,
}

impl ProgramMemory {
    /// The variables with their initial values.
    pub(crate) fn new(shared: &Arc<Shared>, variables: &ProgramVariables) -> Result<Self, DriverError> {
        let size = variables.bytes.max(1);
        let chunk = shared.lock().buffers.allocate(size).map_err(|error| match error {
            AllocError::OutOfMemory { largest, .. } => {
                DriverError::OutOfMemory { needed: size, available: largest }
            }
            other => DriverError::Device { reason: other.to_string() },
        })?;
        let memory = Self { shared: Arc::downgrade(shared), chunk };
        let bad = || DriverError::BadBinary {
            reason: "the facts about variables at program scope contradict each other".to_owned(),
        };
        let address = u32::try_from(chunk.address).map_err(|_| bad())?;
        let image = variables.narrow_image(address).ok_or_else(bad)?;
        shared.with_memory(|m| m.write(chunk.address, &image).map_err(|_| bad()))?;
        Ok(memory)
    }

    /// Where it begins.
    pub(crate) fn address(&self) -> u64 {
        self.chunk.address
    }
}

impl Drop for ProgramMemory {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.upgrade() {
            let freed = shared.lock().buffers.free(self.chunk);
            debug_assert!(freed.is_ok(), "a chunk is freed once");
        }
    }
}
