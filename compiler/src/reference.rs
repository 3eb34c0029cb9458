//! The reference executor's functions: the kernel at -O0, work-item functions through a thread-local block.

use oxcl_ir::Module;
use oxcl_workgroup::Target;

use crate::error::CompileError;

/// Makes `module` the reference executor's for `kernel`; gives the sizes of its `__local` variables.
pub(crate) fn build(_module: &Module<'_>, kernel: &str, _target: &Target) -> Result<Vec<u64>, CompileError> {
    Err(CompileError::Request(format!("no reference code for '{kernel}' yet")))
}
