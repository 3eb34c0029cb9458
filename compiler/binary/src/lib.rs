//! What compiler and runtime agree on, and nothing else: the pocl-binary container ([`archive`]), the facts that the
//! compiler records for the runtime ([`meta`]), and the binary interface of a loaded kernel ([`abi`]).
//!
//! Neither side sees the other: the compiler fills an [`archive::Archive`], the runtime reads one. Everything here is
//! plain data; no LLVM, no device handles, no terminal.

pub mod abi;
pub mod archive;
pub mod hash;
pub mod il;
pub mod known;
pub mod meta;
pub mod pipe;
pub mod unit;
