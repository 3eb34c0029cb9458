//! Mapping memory, and starting LLVM's slow first steps beside the front end.
//!
//! In: nothing. Out: the process has room for a compilation, and another core, which would be idle, initialises LLVM until
//! the guard is dropped.

use oxcl_codegen::{WarmUp, reserve_heap};

/// Runs the stage. `alone`: no other process works on this program, so that there are idle cores.
pub(crate) fn run(alone: bool) -> Option<WarmUp> {
    reserve_heap();
    let warming = alone.then(WarmUp::start);
    WarmUp::forgo();
    warming
}
