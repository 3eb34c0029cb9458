//! The memory of a program's variables at program scope, on one device.
//!
//! In: the archive's facts. Out: a block that lives as long as the program or a launch needs it, with the variables'
//! initial values. Kernels write to it; nobody else does.

use oxcl_binary::meta::ProgramMeta;

use oxcl_driver::HostMemory;
use oxcl_driver::fault::{OutOfResources, Resource};

/// The variables of one program on one device.
#[derive(Debug)]
pub struct ProgramMemory {
    memory: HostMemory,
}

impl ProgramMemory {
    /// The variables with their initial values; none where the program has no variables.
    ///
    /// # Errors
    /// [`OutOfResources`] where there is no memory, or the facts contradict each other.
    pub fn new(program: Option<&ProgramMeta>) -> Result<Option<Self>, OutOfResources> {
        let Some(variables) = program.and_then(|program| program.variables.as_ref()) else { return Ok(None) };
        let memory = OutOfResources::zeroed(variables.bytes.max(1), Resource::Variables)?;
        let image = variables.image(memory.as_ptr() as u64);
        let image = image.ok_or(OutOfResources::of(Resource::Variables, variables.bytes))?;
        // SAFETY: the block has as many bytes as the image, and is memory that nobody else knows.
        unsafe { memory.as_ptr().copy_from_nonoverlapping(image.as_ptr(), image.len()) };
        Ok(Some(Self { memory }))
    }

    /// Where it begins.
    pub(crate) fn address(&self) -> *mut u8 {
        self.memory.as_ptr()
    }
}
