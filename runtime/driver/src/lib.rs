//! What a device is to the runtime: one object-safe trait, [`Driver`], in nine groups of operations; the table of what
//! a device can do, [`Capabilities`]; a driver that computes nothing, [`NullDriver`]; and [`conformance`], the tests
//! that every driver must pass.
//!
//! A driver validates nothing that the OpenCL specification gives to the API layer: whoever calls it has checked
//! sizes, flags and handles. It knows neither queues nor contexts; it sees commands ([`Submission`]), memory
//! ([`Allocation`]) and launches ([`Launch`]). How to write one: `docs/add-a-driver.md`.

pub mod account;
mod block;
pub mod capability;
pub mod code;
pub mod command;
pub mod conformance;
pub mod control_group;
mod driver;
pub mod error;
pub mod fault;
pub mod geometry;
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
pub mod watch;

pub use block::{HostMemory, NoBlock};
pub use capability::Capabilities;
pub use code::CodeError;
pub use command::{EventId, Lane, Launch, QueueToken, Submission};
pub use driver::Driver;
pub use error::{DriverError, Failure};
pub use geometry::Geometry;
pub use history::History;
pub use lock::lock;
pub use memory::{Allocation, AllocationRequest, HostSpan};
pub use null::NullDriver;
