//! OpenCL C to LLVM modules: clang in process.
//!
//! ```text
//! options string -> BuildOptions ─┐
//! source, headers ────────────────┼─ compile() -> Module + Diagnostics ─ link() -> Module ─ kernels() -> signatures
//! Context ────────────────────────┘
//! ```
//!
//! Clang is reached through a small bridge in C++ (`bridge/`), because libclang's stable interface generates no code.
//! No process is started and no file written.

mod bridge;
mod compile;
mod diagnostics;
mod features;
mod later;
mod libclang;
mod link;
mod options;
mod render;
mod signature;
mod words;

pub use compile::{
    Bits, CompileError, CompileErrorKind, Compiled, Source, VirtualHeader, compile, compile_c,
};
pub use diagnostics::{Diagnostic, Diagnostics, FixIt, Location, Position, Severity, Span};
pub use features::{FEATURES, Feature, Kind as FeatureKind, features};
pub use libclang::{DescribeError, SourceFunction, SourceParameter, describe};
pub use link::{KERNEL_BODY_PREFIX, LinkError, link, link_into};
pub use options::{
    BuildOptions, ExtensionToggle, Macro, OptLevel, OptionError, QuoteError, Standard, Switch, Switches,
    Warnings,
};
pub use render::{Colour, render, render_one};
pub use signature::{KernelSignature, kernels};
