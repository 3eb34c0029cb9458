//! Devices of other machines. Rank 0 of an MPI job is a host program; the others are nodes, whose devices are devices of the
//! host's one platform. How to use it: `docs/cluster.md`.
//!
//! The way of a command: [`MpiDriver`] takes it when it is enqueued; `job.rs` says what it is; `host.rs` sends it to its node as
//! a message (`message.rs`) as soon as nothing holds it back but commands of nodes; `node.rs` puts it in order behind those
//! (`order.rs`), has it executed, and says when it has ended. One thread at a time of each rank talks to others (`courier.rs`):
//! what it has before it is `desk.rs`, and what others leave for it `post.rs`. It does so over anything that is a
//! [`transport::Transport`]: the system's MPI with the feature `mpi` (`system.rs`; between ranks of one machine `near.rs` and
//! `ring.rs`), or threads of one process. Bytes go from the rank that has them to the one that wants them (`arrival.rs`), never by way
//! of the host's memory.
//!
//! Nothing here checks what the specification asks the API to check, and nothing compiles.

mod arrival;
mod brief;
mod cluster;
mod courier;
mod desk;
mod device;
mod host;
mod job;
mod message;
pub mod model;
#[cfg(feature = "mpi")]
mod near;
mod node;
mod order;
mod post;
#[cfg_attr(not(feature = "mpi"), allow(dead_code, reason = "only MPI's own transport sends that way"))]
mod ring;
#[cfg(feature = "mpi")]
mod shared;
#[cfg_attr(
    not(feature = "mpi"),
    allow(dead_code, unused_imports, reason = "only MPI's own transport takes these steps")
)]
mod stamp;
#[cfg(feature = "mpi")]
mod system;
pub mod transport;
#[cfg(feature = "mpi")]
mod watcher;
mod wire;

pub use cluster::{Cluster, NodeOptions, serve};
pub use device::MpiDriver;
pub use node::NodeDevice;
pub use post::Said;
#[cfg(feature = "mpi")]
pub use shared::{job, node};

/// How many ranks the job has that this process belongs to, by what its starter says; 1 without one.
#[must_use]
pub fn ranks() -> u32 {
    const VARIABLES: [&str; 4] = ["PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "PMIX_SIZE", "SLURM_NTASKS"];
    let size = |name| std::env::var(name).ok()?.parse().ok();
    VARIABLES.into_iter().find_map(size).unwrap_or(1)
}
