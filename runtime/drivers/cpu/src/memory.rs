//! Blocks of host memory for a purpose, which the error names when there is none.

use oxcl_driver::HostMemory;

use oxcl_driver::fault::{OutOfResources, Resource};

/// A block of `bytes` bytes with arbitrary contents.
///
/// # Errors
/// [`OutOfResources`] names `resource` when the memory cannot be had.
pub(crate) fn arbitrary(bytes: u64, resource: Resource) -> Result<HostMemory, OutOfResources> {
    HostMemory::arbitrary(bytes).map_err(|error| OutOfResources::no_block(resource, error))
}

/// Makes a block at least `bytes` long. What it held is lost when it has to grow.
///
/// # Errors
/// As for [`arbitrary`]; the block stays as it was.
pub(crate) fn grow(block: &mut HostMemory, bytes: u64, resource: Resource) -> Result<(), OutOfResources> {
    if usize::try_from(bytes).is_ok_and(|wanted| wanted <= block.len()) {
        return Ok(());
    }
    *block = arbitrary(bytes, resource)?;
    Ok(())
}
