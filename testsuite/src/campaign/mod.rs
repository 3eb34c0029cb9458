//! Campaigns of random programs: each program of [`oxcl_oracle`] is compiled and run in several ways, in processes that
//! may crash or hang, and must leave the bytes that the oracle says.

mod engine;
mod pool;
mod shrunk;
mod trial;
mod worker;

pub use engine::{Configuration, CpuLevel, Engine, spirv_of};
pub use pool::{Campaign, Failure, Report, Worker};
pub use shrunk::shrink;
pub use trial::{Trial, Verdict, file_test};
pub use worker::serve;
