//! `oxcl node`: this process's devices for the host program of an MPI job, until that ends.

use std::time::Duration;

use clap::Args;
use oxcl_runtime::{NodeSetup, be_node};

use crate::error::CliError;
use crate::exit::Outcome;
use crate::launching;

/// Be a node of an MPI job, for a host program that is its rank 0
#[derive(Debug, Args)]
#[command(after_help = "Example: OXCL_DEVICES='cpu mpi:*' mpirun -n 1 ./app : -n 3 oxcl node\n\n\
    A node's devices are mpi:RANK/DEVICE there; more in docs/cluster.md")]
pub(crate) struct NodeArgs {
    /// A device of this node, as OXCL_DEVICES names it; cpu if there is none
    #[arg(long = "device", value_name = "DEVICE")]
    devices: Vec<String>,
    /// How long the host may take until it first uses OpenCL
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    patience: u64,
    /// Say this of the CPU, for tests
    #[arg(long, value_name = "LEVEL", hide = true)]
    claim_level: Option<String>,
}

/// Serves until the job ends.
pub(crate) fn run(args: &NodeArgs) -> Result<Outcome, CliError> {
    let setup = NodeSetup {
        devices: args.devices.clone(),
        patience: Duration::from_secs(args.patience),
        claimed_level: args.claim_level.clone(),
    };
    let is_orderly = be_node(&setup).map_err(|error| launching::device_error(&error))?;
    if is_orderly {
        return Ok(Outcome::Ok);
    }
    // What MPI registered for the process's end waits for ranks that are gone.
    // SAFETY: the process ends at once; nothing of it is left to be written.
    unsafe { libc::_exit(0) }
}
