//! One archive of several, each with a part of a program's kernels.
//!
//! The result has the bytes that one compiler with all kernels would have made: the facts of the program are the same
//! in all parts, the kernels are put into the order of the sources, and the archive is sealed anew.

use oxcl_binary::archive::{Archive, ReadError, WriteError};
use oxcl_binary::pipe::Done;

/// Parts that do not make a program.
#[derive(Debug, thiserror::Error)]
pub(super) enum MergeError {
    /// A part is no archive.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The whole is none.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// No part has this kernel.
    #[error("no part has the kernel '{0}'")]
    Missing(String),
    /// There is no part.
    #[error("there is no part")]
    Nothing,
}

/// Puts the parts together. What they depend on and what they warn of is the same in all.
pub(super) fn merge(parts: Vec<Done>) -> Result<Done, MergeError> {
    let mut parts = parts.into_iter();
    let mut first = parts.next().ok_or(MergeError::Nothing)?;
    if parts.len() == 0 {
        return Ok(first);
    }
    let mut whole = Archive::read(&first.archive)?;
    let mut kernels = std::mem::take(&mut whole.kernels);
    for part in parts {
        kernels.extend(Archive::read(&part.archive)?.kernels);
        first.repeatable &= part.repeatable;
        first.processor = first.processor.saturating_add(part.processor);
    }
    for name in &first.kernels {
        let at = kernels.iter().position(|kernel| kernel.name == *name);
        let at = at.ok_or_else(|| MergeError::Missing(name.clone()))?;
        whole.kernels.push(kernels.swap_remove(at));
    }
    first.archive = whole.seal()?;
    Ok(first)
}
