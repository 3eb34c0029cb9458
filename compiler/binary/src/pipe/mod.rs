//! What a compiler process and the runtime say to each other over a pipe.
//!
//! ```text
//! server -> client   Hello                       once, when it has started
//! client -> server   Job                         one at a time
//! server -> client   Done | Failed               one for each job
//! client -> server   Tidy                        no answer: look after the cache while nobody waits
//! client -> server   StepBack                    no answer: let everything else on the machine go first
//! client -> server   Keep                        no answer: keep the next job's result, whether the client lives or not
//! ```
//!
//! Each message is a frame: the four bytes `oxcl`, the protocol's version, a kind, a length, and so many bytes. Integers
//! are little-endian, texts and blobs have their length in front. The reader trusts nothing: a frame of another version,
//! of an unknown kind, too long, with a length that its contents do not have or with bytes left over is an error, and
//! memory is taken as bytes arrive, not as a length announces them.

mod frame;
mod message;
mod wire;

pub use frame::{Frame, FrameError, Kind, MAX_FRAME, PROTOCOL, read_frame, write_frame};
pub use message::{
    Action, Dependency, Done, FailKind, Failed, Hello, Il, Job, Kernels, Library, Quality, Seen, Text,
};
pub use wire::WireError;

/// So many kernels share an object where code is made in a hurry; each has a copy of it in the archive.
const TOGETHER: usize = 8;
/// Objects of hurried code that there are at least, so that two compilers have something to do.
const OBJECTS: usize = 2;

/// How many objects the kernels of a program are put into where code is made in a hurry: what can be divided among compilers.
/// Host and compilers must agree, so the rule is part of the protocol.
#[must_use]
pub fn hurried_objects(kernels: usize) -> usize {
    kernels.div_ceil(TOGETHER).max(OBJECTS)
}
