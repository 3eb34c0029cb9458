//! A host and nodes in one process: each node has a scheduler, devices and a thread that talks, as a process would.
#![allow(dead_code, reason = "each test program uses its part of it")]

use std::sync::Arc;
use std::thread::JoinHandle;

use oxcl_driver::Driver;
use oxcl_driver_cpu::{CpuDriver, DiscreteDriver, Kind};
use oxcl_driver_mpi::transport::{Killer, Rank, mesh_of};
use oxcl_driver_mpi::{Cluster, NodeDevice, NodeOptions, serve};
use oxcl_runtime::{Context, Device};
use oxcl_scheduler::{Options, Scheduler};

/// The host's end, and the nodes' threads, which say at their ends whether these were orderly.
pub(crate) struct Job {
    pub(crate) cluster: Cluster,
    pub(crate) killer: Killer,
    pub(crate) nodes: Vec<JoinHandle<bool>>,
}

pub(crate) fn options() -> NodeOptions {
    let text = |text: &str| text.to_owned();
    NodeOptions { machine: text("here"), version: text("1"), level: text("x86-64-v3") }
}

fn device(word: &str) -> NodeDevice {
    let (name, size) = word.split_once(':').unwrap_or((word, ""));
    let driver: Arc<dyn Driver> = match name {
        "discrete" => Arc::new(DiscreteDriver::new(size.parse().unwrap(), None).unwrap()),
        _ => Arc::new(CpuDriver::new(Kind::Cpu, 2)),
    };
    driver.init().unwrap();
    NodeDevice { word: name.to_owned(), driver }
}

/// A job with a node for each of these, which have such devices and say such things of themselves.
pub(crate) fn job(nodes: &[(&[&'static str], NodeOptions)]) -> Job {
    job_of(nodes, false)
}

/// The same; `is_roomy`: as if there were a processor for every rank, so that whoever waits looks for messages.
pub(crate) fn job_of(nodes: &[(&[&'static str], NodeOptions)], is_roomy: bool) -> Job {
    let (mut ends, killer) = mesh_of(nodes.len() as u32 + 1, is_roomy);
    let host = ends.remove(0);
    let begin = |(end, (words, options)): (_, &(&[&'static str], NodeOptions))| {
        let (words, options) = (words.to_vec(), options.clone());
        std::thread::spawn(move || {
            let scheduler = Scheduler::start(Options { workers: 3, ..Options::default() }).unwrap();
            let devices = words.iter().map(|word| device(word)).collect();
            serve(end, &options, Arc::new(scheduler), devices).unwrap()
        })
    };
    let nodes = ends.into_iter().zip(nodes).map(begin).collect();
    let cluster = Cluster::begin(&options(), move || Ok(host)).unwrap();
    Job { cluster, killer, nodes }
}

impl Job {
    /// The devices of a node for a context.
    pub(crate) fn devices(&self, context: &Context, rank: Rank) -> Vec<Device> {
        let drivers = self.cluster.devices(rank).unwrap().iter();
        drivers.map(|driver| context.open(Arc::clone(driver) as Arc<dyn Driver>).unwrap()).collect()
    }

    /// Ends the job. Whether each node ended in order.
    pub(crate) fn end(self) -> Vec<bool> {
        self.cluster.end();
        self.nodes.into_iter().map(|node| node.join().unwrap()).collect()
    }
}
