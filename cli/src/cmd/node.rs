//! `oxcl node`: this process's devices for the host program of an MPI job, until that ends.
//!
//! The process that the starter knows only waits; a child of it is the node. MPICH's starter ends a whole job, whatever it was told,
//! when a process that it started is ended by a signal, and not when one ends in another way: so a node that is killed, or
//! falls over, takes down nobody else. If the process that waits is killed the node ends with it.

use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitStatus};
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
    /// This is the child that is the node
    #[arg(long, hide = true)]
    guarded: bool,
}

/// The node, as a child of this process, which has the child's exit code for its own.
fn guard() -> Result<i32, CliError> {
    let failed = |error: std::io::Error| CliError::Device {
        message: format!("the node cannot be started: {error}"),
        help: None,
    };
    // SAFETY: no function is installed. The starter tells of ranks that are gone with this signal; the child inherits that.
    unsafe { libc::signal(libc::SIGUSR1, libc::SIG_IGN) };
    let mut command = Command::new("/proc/self/exe");
    command.args(std::env::args_os().skip(1)).arg("--guarded");
    let ends_with_its_parent = || {
        // SAFETY: the call takes numbers.
        let asked = unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        if asked == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
    };
    // SAFETY: the function makes one system call and allocates nothing.
    unsafe { command.pre_exec(ends_with_its_parent) };
    let status: ExitStatus = command.status().map_err(failed)?;
    Ok(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0)))
}

/// Serves until the job ends.
pub(crate) fn run(args: &NodeArgs) -> Result<Outcome, CliError> {
    if !args.guarded && oxcl_runtime::ranks() > 1 {
        std::process::exit(guard()?);
    }
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
