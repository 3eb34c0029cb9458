//! Devices of an MPI job's other ranks, and this process as such a rank. Everything about MPI is the driver's; here is what
//! only the runtime knows: which devices a node has, and what must be the same on all ranks.

use std::sync::Arc;
use std::time::Duration;

use oxcl_driver::{Capabilities, Driver, DriverError};
use oxcl_driver_cpu::HostCpu;
use oxcl_driver_mpi::{Cluster, MpiDriver, NodeDevice, NodeOptions};
use oxcl_scheduler::{Options, Scheduler};

use crate::context::{Context, thread_count};
use crate::device::{Device, DeviceError, level};
use crate::registry::Nodes;

/// The name of this machine.
fn machine() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}

/// What this rank says of itself.
fn own() -> NodeOptions {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    NodeOptions { machine: machine(), version, level: level(HostCpu::get()).to_owned() }
}

fn absent(error: &DriverError) -> DeviceError {
    let reason = match error {
        DriverError::Device { reason } => reason.clone(),
        other => other.to_string(),
    };
    DeviceError::Absent { name: "mpi".to_owned(), reason }
}

/// How many ranks the job has that this process was started in; 1 where it was not.
#[must_use]
pub fn ranks() -> u32 {
    oxcl_driver_mpi::ranks()
}

/// The job that this process is the host of: for measurements.
///
/// # Errors
/// There is none.
pub fn cluster() -> Result<Arc<Cluster>, DeviceError> {
    oxcl_driver_mpi::job(&own()).map_err(|error| absent(&error))
}

/// A device of a node, and what it is.
pub(crate) struct Known {
    driver: Arc<MpiDriver>,
    pub(crate) description: String,
}

impl Known {
    pub(crate) fn name(&self) -> &str {
        self.driver.name()
    }

    pub(crate) fn capabilities(&self) -> &Capabilities {
        self.driver.capabilities()
    }
}

/// The drivers of the nodes that were asked for, in the order of their ranks.
pub(crate) fn drivers(nodes: &Nodes) -> Result<Vec<Known>, DeviceError> {
    let job = cluster()?;
    let ranks: Vec<u32> = match nodes.rank {
        Some(rank) => vec![rank],
        None => job.ranks().collect(),
    };
    let mut known = Vec::new();
    for rank in ranks {
        for driver in chosen(&job, rank, nodes.device.as_deref())? {
            let description = format!("a device of rank {rank}, on {}", driver.machine());
            known.push(Known { driver: Arc::clone(driver), description });
        }
    }
    Ok(known)
}

/// Their devices for a context.
pub(crate) fn open(context: &Context, nodes: &Nodes) -> Result<Vec<Device>, DeviceError> {
    let open =
        |Known { driver, description }| Device::described(context, driver as Arc<dyn Driver>, &description);
    drivers(nodes)?.into_iter().map(open).collect()
}

fn chosen<'a>(
    job: &'a Cluster,
    rank: u32,
    word: Option<&str>,
) -> Result<Vec<&'a Arc<MpiDriver>>, DeviceError> {
    let devices = job.devices(rank).map_err(|error| absent(&error))?;
    let name = word.map(|word| format!("mpi:{rank}/{word}"));
    let is_it = |device: &&Arc<MpiDriver>| name.as_deref().is_none_or(|name| device.name() == name);
    let chosen: Vec<_> = devices.iter().filter(is_it).collect();
    if chosen.is_empty() {
        let known: Vec<&str> = devices.iter().map(|device| device.name()).collect();
        let (wanted, known) = (name.unwrap_or_default(), known.join(", "));
        let reason = format!("rank {rank} has no device '{wanted}'; it has {known}");
        return Err(DeviceError::Absent { name: "mpi".to_owned(), reason });
    }
    Ok(chosen)
}

/// What a node is to be.
#[derive(Debug, Clone, Default)]
pub struct NodeSetup {
    /// Its devices, as `OXCL_DEVICES` names them; empty: one `cpu`.
    pub devices: Vec<String>,
    /// How long the host may take until it first uses OpenCL.
    pub patience: Duration,
    /// For tests: it says that this is its CPU's level.
    pub claimed_level: Option<String>,
}

/// Is a node of an MPI job until that ends. Whether the end was orderly.
///
/// # Errors
/// A device cannot be had, or this is no rank of a job, or its rank 0.
pub fn be_node(setup: &NodeSetup) -> Result<bool, DeviceError> {
    let context = Context::shared()?;
    let words: Vec<&str> = match &setup.devices[..] {
        [] => vec!["cpu"],
        some => some.iter().map(String::as_str).collect(),
    };
    let device = |device: Device| {
        let word = device.info().name.clone();
        NodeDevice { word, driver: Arc::clone(device.driver()) }
    };
    let devices = Device::all_on(&context, &words)?.into_iter().map(device).collect();
    // The thread that talks executes nothing.
    let workers = thread_count()?.get() + 1;
    let scheduler = Scheduler::start(Options { workers, ..Options::default() });
    let scheduler = scheduler.map_err(|error| DeviceError::Start { reason: error.to_string() })?;
    let mut own = own();
    own.level = setup.claimed_level.clone().unwrap_or(own.level);
    oxcl_driver_mpi::node(&own, Arc::new(scheduler), devices, setup.patience).map_err(|error| absent(&error))
}
