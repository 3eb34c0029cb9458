//! Devices of other ranks, over threads of this process in place of MPI: content follows its users from node to node, failures
//! come back with their rank, and a node that is lost takes down its own commands and what depends on them.

mod mesh;
mod step;

use std::sync::Arc;
use std::time::{Duration, Instant};

use mesh::{job, job_of, options};
use oxcl_driver::Driver;
use oxcl_runtime::{
    ArgValue, Buffer, Context, ContextOptions, Device, Event, MapAccess, NdRange, QueueProperties, RectRegion,
};
use step::{bytes, step};

const IN_ORDER: QueueProperties = QueueProperties { out_of_order: false, profiling: true };

fn context() -> Context {
    Context::new(ContextOptions { workers: 2, ..ContextOptions::default() }).unwrap()
}

#[test]
fn every_device_of_a_node_conforms() {
    let job = job(&[(&["cpu", "discrete:16777216"], options())]);
    for device in job.cluster.devices(1).unwrap() {
        let driver = Arc::clone(device) as Arc<dyn Driver>;
        let report = oxcl_driver::conformance::run(&driver);
        assert!(report.passed(), "{}: {report}", driver.name());
    }
    assert_eq!(job.end(), [true]);
}

#[test]
fn devices_have_names_and_what_their_nodes_say() {
    let job = job(&[(&["cpu"], options()), (&["cpu", "cpu", "discrete:131072"], options())]);
    let names = |rank| -> Vec<String> {
        job.cluster.devices(rank).unwrap().iter().map(|device| device.name().to_owned()).collect()
    };
    assert_eq!(names(1), ["mpi:1/cpu"]);
    assert_eq!(names(2), ["mpi:2/cpu", "mpi:2/cpu#2", "mpi:2/discrete"]);
    assert_eq!(job.cluster.devices(2).unwrap()[2].capabilities().global_memory, 131_072);
    let error = job.cluster.devices(3).unwrap_err().to_string();
    assert_eq!(error, "device error: there is no rank 3; nodes are ranks 1 to 2");
    assert_eq!(job.end(), [true, true]);
}

#[test]
fn ranks_that_differ_are_refused_with_both_named() {
    let older = mesh::job(&[
        (&["cpu"], oxcl_driver_mpi::NodeOptions { version: "0.9".to_owned(), ..options() }),
        (
            &["cpu"],
            oxcl_driver_mpi::NodeOptions {
                level: "x86-64-v2".to_owned(),
                machine: "old".to_owned(),
                ..options()
            },
        ),
        (&["cpu"], options()),
    ]);
    let error = |rank| older.cluster.devices(rank).unwrap_err().to_string();
    let version = "device error: rank 1 (here) cannot work for this host: its version is 0.9, and that of rank 0 (here) is 1";
    assert_eq!(error(1), version);
    let level = "device error: rank 2 (old) cannot work for this host: its CPU's level is x86-64-v2, and that of rank 0 \
                 (here) is x86-64-v3";
    assert_eq!(error(2), level);
    assert_eq!(older.cluster.devices(3).unwrap().len(), 1);
    assert_eq!(older.end(), [true, true, true]);
}

#[test]
fn content_follows_its_users_from_node_to_node() {
    [false, true].into_iter().for_each(content_follows);
}

fn content_follows(is_roomy: bool) {
    let (context, kernel) = (context(), step());
    let job = job_of(&[(&["cpu", "discrete:65536"], options()), (&["cpu"], options())], is_roomy);
    let range = NdRange::new(&[4096]).unwrap().with_local(&[64]).unwrap();
    let mut devices = job.devices(&context, 1);
    devices.extend(job.devices(&context, 2));
    devices.push(context.device("cpu").unwrap());
    devices.push(context.device("discrete:64K").unwrap());
    let queues: Vec<_> = devices.iter().map(|device| context.queue(device, IN_ORDER).unwrap()).collect();
    let data = Buffer::from_bytes(&bytes(0..4096)).unwrap();
    let mut want: Vec<i32> = (0..4096).collect();
    let mut last: Vec<Event> = Vec::new();
    for round in 0..60_usize {
        let queue = &queues[round * 7 % queues.len()];
        last = vec![queue.kernel(&kernel, &range, &[ArgValue::Buffer(&data)], &last).unwrap()];
        want.iter_mut().for_each(|value| *value = value.wrapping_mul(3).wrapping_add(1));
        if round % 20 == 19 {
            last.pop().unwrap().wait().unwrap();
            assert_eq!(data.to_vec(), bytes(want.iter().copied()), "round {round}");
        }
    }
    let counters: Vec<_> = devices.iter().map(Device::memory_counters).collect();
    assert!(counters[..3].iter().any(|counters| counters.device_to_device > 0), "{counters:?}");
    drop((queues, devices, data));
    assert_eq!(job.end(), [true, true]);
}

#[test]
fn large_and_small_transfers_maps_and_rectangles_reach_their_bytes() {
    [false, true].into_iter().for_each(transfers_reach_their_bytes);
}

fn transfers_reach_their_bytes(is_roomy: bool) {
    let context = context();
    let job = job_of(&[(&["cpu", "discrete:16777216"], options()), (&["cpu"], options())], is_roomy);
    let mut devices = job.devices(&context, 1);
    devices.extend(job.devices(&context, 2));
    let queues: Vec<_> = devices.iter().map(|device| context.queue(device, IN_ORDER).unwrap()).collect();
    let sample = |bytes: usize, seed: usize| -> Vec<u8> {
        (0..bytes).map(|at| (at * 31 + seed + (at >> 9)) as u8).collect()
    };
    for size in [1_usize, 100, 8 << 10, (8 << 10) + 1, (3 << 20) + 77] {
        let data = Buffer::uninitialised(size as u64).unwrap();
        let want = sample(size, size);
        let mut last = queues[0].write(&data, 0, want.clone(), &[]).unwrap();
        // To each device by a command that writes a byte there.
        for (number, queue) in queues.iter().enumerate().chain([(9, &queues[0])]) {
            last = queue.fill(&data, &[number as u8], 0, 1, &[last]).unwrap();
            let found =
                queue.read(&data, 0, size as u64, std::slice::from_ref(&last)).unwrap().wait().unwrap();
            let mut want = want.clone();
            want[0] = number as u8;
            assert!(found == want, "{size} bytes on {}", queue.device().info().name);
        }
    }
    let plane = Buffer::from_bytes(&sample(64 * 64, 5)).unwrap();
    let other = Buffer::zeroed(64 * 64).unwrap();
    let region = RectRegion {
        size: [10, 7, 1],
        from_origin: [3, 4, 0],
        to_origin: [20, 30, 0],
        from_pitch: [64, 0],
        to_pitch: [64, 0],
    };
    let mut want = vec![0; 64 * 64];
    let source = sample(64 * 64, 5);
    for row in 0..7 {
        let (from, to) = ((4 + row) * 64 + 3, (30 + row) * 64 + 20);
        want[to..to + 10].copy_from_slice(&source[from..from + 10]);
    }
    for queue in &queues {
        queue.fill(&other, &[0], 0, 64 * 64, &[]).unwrap().wait().unwrap();
        queue.copy_rect(&plane, &other, &region, &[]).unwrap().wait().unwrap();
        assert!(other.contents().unwrap() == want, "{}", queue.device().info().name);
        let map = queue.map(&other, MapAccess::ReadWrite, 100, 50, &[]).unwrap();
        map.event().wait().unwrap();
        map.write(7, &[200]).unwrap();
        queue.unmap(&map, &[]).unwrap().wait().unwrap();
        let byte = queue.read(&other, 107, 1, &[]).unwrap().wait().unwrap();
        assert_eq!(byte, [200]);
    }
    drop((queues, devices, plane, other));
    assert_eq!(job.end(), [true, true]);
}

#[test]
fn times_of_commands_are_the_nodes_on_the_hosts_clock() {
    let (context, kernel) = (context(), step());
    let job = job(&[(&["cpu"], options())]);
    let device = job.devices(&context, 1).remove(0);
    let queue = context.queue(&device, IN_ORDER).unwrap();
    let data = Buffer::zeroed(1 << 16).unwrap();
    let range = NdRange::new(&[1 << 14]).unwrap().with_local(&[64]).unwrap();
    for _ in 0..5 {
        let before = context.clock();
        let event = queue.kernel(&kernel, &range, &[ArgValue::Buffer(&data)], &[]).unwrap();
        event.wait().unwrap();
        let (times, after) = (event.times(), context.clock());
        let order = [before, times.queued, times.submitted, times.started, times.ended, after];
        assert!(order.is_sorted() && times.started < times.ended, "{order:?}");
    }
    drop((queue, device, data));
    job.end();
}

#[test]
fn a_lost_node_takes_down_its_commands_and_what_depends_on_them() {
    let (context, kernel) = (context(), step());
    let job = job(&[(&["cpu"], options()), (&["cpu"], options()), (&["cpu"], options())]);
    let range = NdRange::new(&[4096]).unwrap().with_local(&[64]).unwrap();
    let devices: Vec<Device> = (1..=3).map(|rank| job.devices(&context, rank).remove(0)).collect();
    let queues: Vec<_> = devices.iter().map(|device| context.queue(device, IN_ORDER).unwrap()).collect();
    let (moving, staying) = (Buffer::zeroed(1 << 14).unwrap(), Buffer::zeroed(1 << 14).unwrap());
    let gate = context.user_event().unwrap();
    let launch = |queue: usize, data: &Buffer, waits: &[Event]| {
        queues[queue].kernel(&kernel, &range, &[ArgValue::Buffer(data)], waits).unwrap()
    };
    // Rank 2 is to do its part once it is gone; rank 3 depends on that, rank 1 does not.
    let first = launch(1, &moving, &[launch(0, &moving, &[])]);
    first.wait().unwrap();
    job.killer.kill(2);
    let begin = Instant::now();
    let lost = launch(1, &moving, &[first, gate.event().clone()]);
    let after = launch(2, &moving, std::slice::from_ref(&lost));
    gate.complete();
    let alone: Vec<Event> = (0..50).map(|_| launch(0, &staying, &[])).collect();
    let (lost, after) = (lost.wait().unwrap_err(), after.wait().unwrap_err());
    assert!(begin.elapsed() < Duration::from_secs(6), "{:?}", begin.elapsed());
    for failure in [lost, after] {
        let text = failure.to_string();
        assert!(text.starts_with("rank 2 (here): device error: the node is lost: no sign of life"), "{text}");
    }
    alone.iter().for_each(|event| event.wait().unwrap());
    // Whoever is left goes on, on buffers that the lost one had no part in.
    launch(2, &staying, &[]).wait().unwrap();
    assert_eq!(
        staying.to_vec()[..4],
        0_i32.wrapping_add((0..51).fold(0_i32, |v, _| v.wrapping_mul(3).wrapping_add(1))).to_le_bytes()
    );
    drop((queues, devices, moving, staying));
    // Where somebody is gone nobody can finalise MPI.
    assert_eq!(job.end(), [false, false, false]);
}
