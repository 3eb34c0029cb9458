//! What the host of a job does with ten, a hundred, a thousand nodes: the programs of the task benchmark and a Cholesky
//! factorisation in tiles, with the real runtime, scheduler and driver, and modelled nodes and network.
//!
//! `cargo run --release -p oxcl-runtime --example cluster -- [NODES...]` prints a line for each program and number of nodes.

#![allow(clippy::print_stdout, reason = "a program for a terminal")]

#[path = "../drivers/cpu/tests/support/mod.rs"]
mod support;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use oxcl_driver::Driver;
use oxcl_driver_mpi::Cluster;
use oxcl_driver_mpi::model::{Costs, Model, options};
use oxcl_runtime::{
    ArgValue, Buffer, Context, ContextOptions, Event, Kernel, NdRange, Program, Queue, QueueProperties,
};

/// A fast network of today: 1.5 us, 12 GB/s, 0.3 us of each end's time for a message. Kernels take 100 us.
const COSTS: Costs = Costs { latency: 1500, bandwidth: 12_000, overhead: 300, kernel: 100_000 };
/// Bytes of a tile, which a kernel writes.
const TILE: u64 = 64 << 10;

struct Job {
    queues: Vec<Queue>,
    kernel: Kernel,
    range: NdRange,
}

impl Job {
    /// A kernel on a node, on a tile, behind others.
    fn task(&self, node: usize, tile: &Buffer, waits: &[Event]) -> Event {
        let queue = &self.queues[node % self.queues.len()];
        queue.kernel(&self.kernel, &self.range, &[ArgValue::Buffer(tile)], waits).expect("a kernel")
    }

    /// Brings a tile to a node for reading, behind who wrote it.
    fn bring(&self, node: usize, tile: &Buffer, waits: &[Event]) -> Event {
        let queue = &self.queues[node % self.queues.len()];
        queue.migrate(std::slice::from_ref(tile), oxcl_runtime::Migration::ToDevice, waits).expect("a move")
    }
}

fn tile() -> Buffer {
    Buffer::uninitialised(TILE).expect("memory")
}

/// One after another, from node to node, on one tile.
fn chain(job: &Job) -> usize {
    let (tile, mut last) = (tile(), Vec::new());
    for step in 0..2000 {
        last = vec![job.task(step, &tile, &last)];
    }
    last[0].wait().expect("an end");
    2000
}

/// Nothing depends on anything.
fn independent(job: &Job) -> usize {
    let tiles: Vec<Buffer> = job.queues.iter().map(|_| tile()).collect();
    let count = 40 * tiles.len().max(100);
    let events: Vec<Event> = (0..count).map(|step| job.task(step, &tiles[step % tiles.len()], &[])).collect();
    events.iter().for_each(|event| event.wait().expect("an end"));
    count
}

/// Steps over a row of tiles, a node each; `needs` says whose tiles of the step before a tile needs.
fn steps(job: &Job, steps: usize, needs: impl Fn(usize, usize, usize) -> Vec<usize>) -> usize {
    let width = job.queues.len();
    let tiles: Vec<Buffer> = (0..width).map(|_| tile()).collect();
    let mut before: Vec<Vec<Event>> = vec![Vec::new(); width];
    for step in 0..steps {
        let next = (0..width).map(|at| {
            let waits: Vec<Event> =
                needs(step, at, width).into_iter().flat_map(|n| before[n].clone()).collect();
            vec![job.task(at, &tiles[at], &waits)]
        });
        before = next.collect();
    }
    before.iter().flatten().for_each(|event| event.wait().expect("an end"));
    steps * width
}

/// A factorisation of tiles by tiles; a tile is its column's and row's node's. Tiles that several nodes read are brought there.
fn cholesky(job: &Job, tiles: usize) -> usize {
    let width = job.queues.len();
    let across = (1..=width).filter(|p| width.is_multiple_of(*p) && p * p <= width).max().unwrap_or(1);
    let owner = |i: usize, j: usize| (i % across) * (width / across) + j % (width / across);
    let data: Vec<Vec<Buffer>> = (0..tiles).map(|i| (0..=i).map(|_| tile()).collect()).collect();
    let mut last: Vec<Vec<Option<Event>>> = (0..tiles).map(|i| vec![None; i + 1]).collect();
    let mut count = 0;
    for k in 0..tiles {
        let waits: Vec<Event> = last[k][k].iter().cloned().collect();
        let potrf = job.task(owner(k, k), &data[k][k], &waits);
        count += 1;
        for i in k + 1..tiles {
            let mut waits: Vec<Event> = last[i][k].iter().cloned().collect();
            waits.push(job.bring(owner(i, k), &data[k][k], std::slice::from_ref(&potrf)));
            last[i][k] = Some(job.task(owner(i, k), &data[i][k], &waits));
            count += 2;
        }
        for i in k + 1..tiles {
            for j in k + 1..=i {
                let node = owner(i, j);
                let mut waits: Vec<Event> = last[i][j].iter().cloned().collect();
                for source in [i, j] {
                    let written: Vec<Event> = last[source][k].iter().cloned().collect();
                    if owner(source, k) == node {
                        waits.extend(written);
                    } else {
                        waits.push(job.bring(node, &data[source][k], &written));
                        count += 1;
                    }
                }
                last[i][j] = Some(job.task(node, &data[i][j], &waits));
                count += 1;
            }
        }
        last[k][k] = Some(potrf);
    }
    for event in last.iter().flatten().flatten() {
        event.wait().expect("an end");
    }
    count
}

/// A program; gives how many commands it had.
type Run<'a> = &'a dyn Fn(&Job) -> usize;

fn main() {
    let asked: Vec<u32> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let all = if asked.is_empty() { vec![10, 100, 1000] } else { asked };
    println!(
        "nodes  program        commands  time/s  us/command  nodes busy  packets from, to host, among nodes"
    );
    for nodes in all {
        let programs: [(&str, Run<'_>); 7] = [
            ("chain", &chain),
            ("independent", &independent),
            ("stencil", &|job| {
                steps(job, 40, |_, at, width| vec![(at + width - 1) % width, at, (at + 1) % width])
            }),
            ("butterfly", &|job| {
                steps(job, 40, |step, at, width| vec![at, (at ^ (1 << (step % 10))) % width])
            }),
            ("tree", &|job| steps(job, 40, |_, at, _| vec![at / 2])),
            ("all to one", &|job| {
                steps(
                    job,
                    10,
                    |step, at, width| if step % 2 == 0 || at > 0 { vec![0] } else { (0..width).collect() },
                )
            }),
            ("cholesky", &|job| cholesky(job, 60)),
        ];
        for (name, program) in programs {
            let (model, traffic) = Model::new(nodes, COSTS);
            let cluster = Cluster::begin(&options(), move || Ok(model)).expect("a job");
            let context =
                Context::new(ContextOptions { workers: 2, ..ContextOptions::default() }).expect("threads");
            let device = |rank| {
                let driver = Arc::clone(&cluster.devices(rank).expect("a node")[0]) as Arc<dyn Driver>;
                context.open(driver).expect("a device")
            };
            let properties = QueueProperties { out_of_order: true, profiling: false };
            let queue = |rank| context.queue(&device(rank), properties).expect("a queue");
            let queues: Vec<Queue> = (1..=nodes).map(queue).collect();
            let program_of = Program::from_archive(&support::step_archive()).expect("a program");
            let kernel = program_of.kernel("step").expect("a kernel");
            let range = NdRange::new(&[TILE / 4]).and_then(|range| range.with_local(&[64])).expect("a size");
            let job = Job { queues, kernel, range };
            // The program's archive goes to every node first.
            let warm = tile();
            (0..nodes as usize).for_each(|node| job.task(node, &warm, &[]).wait().expect("an end"));
            let figure = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
            let before =
                [&traffic.from_host, &traffic.to_host, &traffic.among_nodes, &traffic.busy].map(figure);
            let begin = Instant::now();
            let commands = program(&job);
            let seconds = begin.elapsed().as_secs_f64();
            let after =
                [&traffic.from_host, &traffic.to_host, &traffic.among_nodes, &traffic.busy].map(figure);
            let [from, to, among, busy] = std::array::from_fn(|at| after[at] - before[at]);
            let share = busy as f64 / 1e9 / seconds / f64::from(nodes) * 100.0;
            let each = seconds * 1e6 / commands as f64;
            println!(
                "{nodes:5}  {name:13} {commands:9}  {seconds:6.2}  {each:10.2}  {share:8.1} %  {from} {to} {among}"
            );
            drop(job);
            drop(cluster);
        }
    }
}
