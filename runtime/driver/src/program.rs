//! Programs, kernels and launches as drivers hold them.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use oxcl_binary::archive::Archive;

use crate::memory::Allocation;

/// A program built for a device: the driver's own object.
pub trait Program: Send + Sync + fmt::Debug {
    /// The names of its kernels, in the binary's order.
    fn kernels(&self) -> Vec<String>;

    /// Bytes of variables at program scope.
    fn program_scope_bytes(&self) -> u64 {
        0
    }

    /// The driver gets its own type back through this.
    fn as_any(&self) -> &dyn Any;
}

/// What to build a program from.
#[derive(Debug, Clone, Copy)]
pub enum BinarySource<'a> {
    /// A pocl-binary that has been read.
    Archive(&'a Archive),
    /// Any other binary, which [`crate::Driver::supports_binary`] accepted.
    Other(&'a [u8]),
}

/// One argument of a launch.
#[derive(Debug, Clone)]
pub enum ArgValue {
    /// A value passed by copying.
    Bytes(Vec<u8>),
    /// A pointer into device memory, `offset` bytes from its start.
    Memory {
        /// The memory.
        allocation: Arc<Allocation>,
        /// Offset in bytes.
        offset: u64,
    },
    /// A null pointer.
    Null,
    /// Local memory of this many bytes for each work-group.
    Local {
        /// Size in bytes.
        size: u64,
    },
}

/// A kernel launch to prepare.
#[derive(Debug, Clone)]
pub struct LaunchRequest {
    /// The program.
    pub program: Arc<dyn Program>,
    /// The kernel's name.
    pub kernel: String,
    /// Number of dimensions, 1 to 3.
    pub work_dim: u32,
    /// Global size in work-items.
    pub global_size: [u64; 3],
    /// Local size in work-items.
    pub local_size: [u64; 3],
    /// Global offset in work-items.
    pub global_offset: [u64; 3],
    /// The arguments, in order.
    pub args: Vec<ArgValue>,
}

impl LaunchRequest {
    /// Work-groups in each dimension; those at the edge may be smaller. `None` where the product exceeds 64 bits.
    #[must_use]
    pub fn group_counts(&self) -> Option<([u64; 3], u64)> {
        let mut counts = [1u64; 3];
        let mut total = 1u64;
        for (d, count) in counts.iter_mut().enumerate() {
            *count = self.global_size[d].div_ceil(self.local_size[d].max(1));
            total = total.checked_mul(*count)?;
        }
        Some((counts, total))
    }
}
