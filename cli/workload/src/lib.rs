//! Workloads: a task graph on real data in one TOML file; and data for kernels, as files, numbers and text.
//!
//! `schema` is what the file may say, key by key; `resolve` turns it into a `plan`, in which every name is resolved and
//! every rule checked that needs neither data nor kernels; `graph` puts the commands in an order in which they can be
//! enqueued; `session` loads programs and data and checks what depends on them; `execute` runs it; `formula` evaluates the
//! figures from which bandwidth is computed. docs/workloads.md describes the file to its author.
//!
//! `data` is what buffers hold before and after; `value` is how a person writes it, `param` what a kernel takes.
//!
//! Nothing here prints or compiles: the program around it does, through [`host::Host`].

pub mod data;
pub mod device;
pub mod execute;
pub mod formula;
mod graph;
pub mod host;
pub mod nearest;
pub mod param;
pub mod plan;
pub mod problem;
mod resolve;
mod resolve_command;
mod schema;
pub mod session;
pub mod value;

pub use resolve::resolve;

#[cfg(test)]
mod tests;
