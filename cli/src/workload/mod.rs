//! Workloads: a task graph on real data in one TOML file.
//!
//! `schema` is what the file may say, key by key; `resolve` turns it into a `plan`, in which every name is resolved and
//! every rule checked that needs neither data nor kernels; `graph` puts the commands in an order in which they can be
//! enqueued; `session` loads programs and data and checks what depends on them; `execute` runs it; `formula` evaluates the figures from which bandwidth is computed. docs/workloads.md describes the file to
//! its author.

pub(crate) mod execute;
pub(crate) mod formula;
pub(crate) mod graph;
pub(crate) mod plan;
pub(crate) mod problem;
pub(crate) mod resolve;
mod resolve_command;
mod schema;
pub(crate) mod session;

#[cfg(test)]
mod tests;
