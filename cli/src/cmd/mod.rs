//! The commands, one file each: arguments, and a `run` from them to an outcome.

pub(crate) mod check;
pub(crate) mod generate;
