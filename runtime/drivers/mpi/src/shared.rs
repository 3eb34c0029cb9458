//! The process's end of its MPI job, with the system's MPI: begun when somebody first asks for devices of nodes, ended when the
//! process ends or its application finalises MPI.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use oxcl_driver::{DriverError, lock};
use oxcl_scheduler::Scheduler;

use crate::cluster::{Cluster, NodeOptions, serve};
use crate::node::NodeDevice;
use crate::system::System;
use crate::watcher;

type Begun = Result<Arc<Cluster>, DriverError>;

static JOB: Mutex<Option<Begun>> = Mutex::new(None);

/// The job as its host has it; every call gives the same.
///
/// # Errors
/// This is no job with nodes, or not its rank 0, or its application uses MPI in a way that leaves no room for this.
pub fn job(own: &NodeOptions) -> Result<Arc<Cluster>, DriverError> {
    let mut job = lock(&JOB);
    if let Some(begun) = &*job {
        return begun.clone();
    }
    let begun = Cluster::begin(own, || System::host(end)).map(Arc::new);
    // SAFETY: the function takes nothing and unwinds nowhere: it joins a thread.
    unsafe { libc::atexit(end_at_exit) };
    job.insert(begun).clone()
}

fn end() {
    let begun = lock(&JOB).replace(Err(DriverError::Device { reason: "the job has ended".to_owned() }));
    if let Some(Ok(cluster)) = begun {
        cluster.end();
    }
}

extern "C" fn end_at_exit() {
    end();
}

/// Is a node of the job until that ends. Whether the end was orderly. `patience` is how long the host may take until it first
/// uses OpenCL; a node that nobody uses by then ends the process.
///
/// # Errors
/// There is no MPI or no memory.
pub fn node(
    own: &NodeOptions,
    scheduler: Arc<Scheduler>,
    devices: Vec<NodeDevice>,
    patience: Duration,
) -> Result<bool, DriverError> {
    let watch = watcher::begin(patience);
    let transport = System::node()?;
    watch.end();
    serve(transport, own, scheduler, devices)
}
