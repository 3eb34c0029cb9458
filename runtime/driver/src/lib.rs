//! What a device is to the runtime: one object-safe trait, [`Driver`], in ten groups of operations; the table of what
//! a device can do, [`Capabilities`]; a driver that computes nothing, [`NullDriver`]; and [`conformance`], the tests
//! that every driver must pass.
//!
//! A driver validates nothing that the OpenCL specification gives to the API layer: whoever calls it has checked
//! sizes, flags and handles. It knows neither queues nor contexts; it sees commands ([`Submission`]), memory
//! ([`Allocation`]) and launches ([`Launch`]). How to write one: `docs/add-a-driver.md`.

mod block;
pub mod capability;
pub mod command;
pub mod conformance;
mod driver;
pub mod error;
pub mod history;
pub mod image;
mod lock;
pub mod memory;
mod null;
pub mod print;
mod print_float;
pub mod printer;
pub mod program;
pub mod rect;

pub use block::HostMemory;
pub use capability::Capabilities;
pub use command::{EventId, Lane, Launch, QueueToken, Submission};
pub use driver::Driver;
pub use error::{DriverError, Failure};
pub use history::History;
pub use lock::lock;
pub use memory::{Allocation, AllocationRequest, HostSpan};
pub use null::NullDriver;

/// The page `docs/add-a-driver.md`: its examples are compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/add-a-driver.md")]
mod page {}
