//! Objects to shared objects.
//!
//! In: an object of the code generator's. Out: [`run`] gives the shared object that a device loads, [`relocatable`] the object
//! that others link; both hold what the code calls of the library's machine code.

use oxcl_codegen::{link_relocatable, link_with};

use crate::error::CompileError;
use crate::native::Native;

/// Runs the stage.
pub(crate) fn run(
    object: &[u8],
    kernel: &str,
    exports: &[&str],
    native: Option<Native>,
) -> Result<Vec<u8>, CompileError> {
    let library = |symbol: &str| native?.object_of(symbol);
    let linked = link_with(&[object], &library, exports);
    linked.map_err(|error| CompileError::Link { kernel: kernel.to_owned(), error })
}

/// An object together with what it calls of the library's machine code.
pub(crate) fn relocatable(
    object: Vec<u8>,
    kernel: &str,
    exports: &[&str],
    native: Option<Native>,
) -> Result<Vec<u8>, CompileError> {
    let Some(native) = native else { return Ok(object) };
    let library = |symbol: &str| native.object_of(symbol);
    let linked = link_relocatable(&object, &library, exports);
    linked.map_err(|error| CompileError::Link { kernel: kernel.to_owned(), error })
}
