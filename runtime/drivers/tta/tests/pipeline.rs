//! Devices through the scheduler: the driver's conformance, chains over several devices without the host, faults and refusals.

mod support;

use oxcl_binary::archive::Archive;
use oxcl_binary::unit::Unit;
use oxcl_driver::program::{ArgMemory, ArgValue, Binary, LaunchRequest, Program};
use oxcl_driver::{
    Allocation, AllocationRequest, Driver, DriverError, Failure, Geometry, HostSpan, Lane, Launch,
    conformance,
};
use oxcl_driver_tta::{Engine, Platform, PlatformError};
use oxcl_scheduler::{
    Access, Command, Event, Options as SchedulerOptions, Queue, QueueProperties, Scheduler, Touch,
};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;
use support::{archive, machine};

fn platform(names: &[&str], engine: Engine) -> Platform {
    let machines = names.iter().map(|n| ((*n).to_owned(), machine(n))).collect();
    Platform::new(machines, engine).expect("there is a platform")
}

fn span(bytes: &mut [u8]) -> HostSpan {
    let length = bytes.len() as u64;
    // SAFETY: the vectors of these tests live until the commands that use them have ended.
    unsafe { HostSpan::new(NonNull::from(bytes).cast(), length) }
}

fn build(device: &impl Driver, archive: &Archive) -> Result<Arc<dyn Program>, DriverError> {
    device.build_binary(&Arc::new(Binary::new(archive.clone()).expect("its facts are right")))
}

/// `count` work-items in one group or in groups of one, in one dimension.
fn geometry(count: u64, local: u64) -> Geometry {
    let (groups, local) = ([count / local, 1, 1], [local, 1, 1]);
    Geometry { work_dim: 1, groups, local, global: [count, 1, 1], offset: [0; 3] }
}

type Args = Vec<ArgValue<ArgMemory, Box<[u8]>>>;

fn launch(
    device: &Arc<impl Driver + 'static>,
    program: &Arc<dyn Program>,
    name: &str,
    args: &[ArgValue<ArgMemory, Box<[u8]>>],
) -> Arc<dyn Launch> {
    let kernel = program.kernels().iter().position(|kernel| kernel == name).expect("it is there");
    let memory = |memory: &ArgMemory| Ok::<_, DriverError>(memory.clone());
    let args = args.iter().map(|argument| argument.rename(memory)).collect::<Result<Vec<_>, _>>();
    let args = args.expect("nothing is refused");
    let request = LaunchRequest { program, kernel, geometry: geometry(64, 64), args: &args, watch: None };
    device.prepare_launch(&request).expect("it can be launched")
}

fn word(value: u32) -> ArgValue<ArgMemory, Box<[u8]>> {
    ArgValue::Value(value.to_le_bytes().into())
}

fn arguments(from: &Arc<Allocation>, to: &Arc<Allocation>, count: u32, add: u32) -> Args {
    let memory = |allocation: &Arc<Allocation>, writes| {
        ArgValue::Buffer(ArgMemory { allocation: Arc::clone(allocation), offset: 0, writes })
    };
    vec![memory(from, false), memory(to, true), word(count), word(add)]
}

fn enqueue(queue: &Queue, work: Arc<dyn Launch>, waits: &[Event]) -> Event {
    let command = Command { work: Some(work), waits, ..Command::default() };
    queue.enqueue(command).expect("it can be enqueued")
}

/// A transfer, as the host makes one.
struct Transfer {
    driver: Arc<dyn Driver>,
    memory: Arc<Allocation>,
    host: HostSpan,
    out: bool,
    fails: bool,
}

impl Launch for Transfer {
    fn groups(&self) -> u64 {
        1
    }

    fn run(&self, _first: u64, _count: u64, _lane: Lane) -> Result<(), Failure> {
        if self.fails {
            return Err(Failure::Driver(DriverError::Device { reason: "told to fail".to_owned() }));
        }
        if self.out {
            Ok(self.driver.read(&self.memory, 0, self.host)?)
        } else {
            Ok(self.driver.write(&self.memory, 0, self.host)?)
        }
    }
}

fn scheduler() -> Scheduler {
    Scheduler::start(SchedulerOptions { workers: 1, ..SchedulerOptions::default() }).expect("it starts")
}

fn queue(scheduler: &Scheduler, driver: &Arc<dyn Driver>) -> Queue {
    let properties = QueueProperties { out_of_order: true, profiling: false };
    scheduler.queue(Arc::clone(driver), properties).expect("there is a queue")
}

#[test]
fn every_machine_of_ours_conforms() {
    for name in ["tiny", "one_bus", "three_bus", "wide_float", "sparse", "split"] {
        let platform = platform(&[name], Engine::Strict);
        let driver = Arc::clone(&platform.devices()[0]) as Arc<dyn Driver>;
        let report = conformance::run(&driver);
        assert!(report.passed(), "{name}:\n{report}");
    }
}

/// Host in, device 1, device 2, device 3, host out: `rounds` of it.
fn run_pipeline(engine: Engine, names: &[&str], rounds: usize) -> (Platform, Vec<Vec<u32>>) {
    const COUNT: usize = 100;
    let platform = platform(names, engine);
    let scheduler = scheduler();
    let devices = platform.devices();
    let drivers: Vec<Arc<dyn Driver>> = devices.iter().map(|d| Arc::clone(d) as Arc<dyn Driver>).collect();
    let queues: Vec<Queue> = drivers.iter().map(|d| queue(&scheduler, d)).collect();
    let programs: Vec<Arc<dyn Program>> = names
        .iter()
        .zip(devices)
        .map(|(name, device)| {
            let archive = archive(&machine(name), &["stage"]);
            build(device.as_ref(), &archive).expect("it can be built")
        })
        .collect();
    let memory =
        |_| Arc::new(drivers[0].allocate(&AllocationRequest::bytes(4 * COUNT as u64)).expect("room"));
    let buffers: Vec<Arc<Allocation>> = (0..=names.len()).map(memory).collect();
    let mut results: Vec<Vec<u8>> = vec![vec![0; 4 * COUNT]; rounds];
    let mut sources: Vec<Vec<u8>> = (0..rounds)
        .map(|round| (0..COUNT).flat_map(|i| ((i * 3 + round) as u32).to_le_bytes()).collect())
        .collect();
    // Nothing begins before all is enqueued, so that every stage waits for the one before.
    let gate = scheduler.user_event().expect("there is memory");
    let mut last: Vec<Event> = vec![gate.event().clone()];
    for (source, result) in sources.iter_mut().zip(&mut results) {
        let transfer = |at: usize, host, out| -> Arc<dyn Launch> {
            let memory = Arc::clone(&buffers[at]);
            let driver = Arc::clone(&drivers[if out { names.len() - 1 } else { 0 }]);
            Arc::new(Transfer { driver, memory, host, out, fails: false })
        };
        let mut event = enqueue(&queues[0], transfer(0, span(source), false), &last);
        for (stage, device) in devices.iter().enumerate() {
            let add = 10u32.pow(u32::try_from(stage).expect("few stages"));
            let args = arguments(&buffers[stage], &buffers[stage + 1], COUNT as u32, add);
            let work = launch(device, &programs[stage], "stage", &args);
            event = enqueue(&queues[stage], work, &[event]);
        }
        let out = transfer(names.len(), span(result), true);
        last = vec![enqueue(&queues[names.len() - 1], out, &[event])];
    }
    gate.complete();
    for event in last {
        assert_eq!(event.wait(), Ok(()));
    }
    let words = |bytes: &Vec<u8>| {
        bytes.chunks_exact(4).map(|w| u32::from_le_bytes([w[0], w[1], w[2], w[3]])).collect()
    };
    let results = results.iter().map(words).collect();
    (platform, results)
}

#[test]
fn a_chain_over_three_devices_needs_no_host() {
    for names in [["three_bus", "three_bus", "wide_float"], ["split", "one_bus", "tiny"]] {
        let (platform, results) = run_pipeline(Engine::Strict, &names, 3);
        for (round, result) in results.iter().enumerate() {
            let expected: Vec<u32> = (0..100).map(|i| (i * 3 + round) as u32 + 111).collect();
            assert_eq!(*result, expected, "{names:?}, round {round}");
        }
        let timeline = platform.timeline();
        assert_eq!(timeline.len(), 9);
        for stages in timeline.chunks_exact(3) {
            assert_eq!([stages[0].device, stages[1].device, stages[2].device], [0, 1, 2]);
            for (before, after) in stages.iter().zip(&stages[1..]) {
                // The next stage was in its slot before this one ended, and began within a few rounds of its waiting loop.
                assert!(
                    after.chained && after.started >= before.ended - 40,
                    "{names:?}: {before:?} {after:?}"
                );
                assert!(after.started < before.ended + 400, "{names:?}: {before:?} {after:?}");
            }
        }
        assert!(platform.idle_cycles().iter().all(|c| *c > 0), "{:?}", platform.idle_cycles());
    }
}

/// A command that the host executes for a device, and that takes until it is told to end.
struct Patient(Mutex<mpsc::Receiver<()>>);

impl Launch for Patient {
    fn groups(&self) -> u64 {
        1
    }

    fn run(&self, _first: u64, _count: u64, _lane: Lane) -> Result<(), Failure> {
        drop(self.0.lock().map(|receiver| receiver.recv()));
        Ok(())
    }
}

/// An event of an in-order queue is complete when all before it are: a kernel on another device that waits for it waits for
/// them too, although its own device knows only that the event's kernel has been executed.
#[test]
fn a_kernel_waits_for_what_is_before_the_event_in_the_other_device_s_queue() {
    let names = ["three_bus", "one_bus"];
    let platform = platform(&names, Engine::Fast);
    let scheduler = scheduler();
    let devices = platform.devices();
    let drivers: Vec<Arc<dyn Driver>> = devices.iter().map(|d| Arc::clone(d) as Arc<dyn Driver>).collect();
    let queues = [0, 1].map(|at: usize| {
        scheduler.queue(Arc::clone(&drivers[at]), QueueProperties::default()).expect("there is a queue")
    });
    let buffer = Arc::new(drivers[0].allocate(&AllocationRequest::bytes(400)).expect("there is room"));
    let stage = |at: usize| {
        let archive = archive(&machine(names[at]), &["stage"]);
        let program = build(devices[at].as_ref(), &archive).expect("it can be built");
        launch(&devices[at], &program, "stage", &arguments(&buffer, &buffer, 100, 5))
    };
    let touches = [0; 2].map(|_| [Touch::whole(scheduler.resource(), Access::Write)]);
    let enqueue = |at: usize, work, touches: &[Touch], waits: &[Event]| {
        let command = Command { work: Some(work), touches, waits, ..Command::default() };
        queues[at].enqueue(command).expect("it can be enqueued")
    };
    let (end, receiver) = mpsc::channel();
    let before = enqueue(0, Arc::new(Patient(Mutex::new(receiver))), &touches[0], &[]);
    let first = enqueue(0, stage(0), &touches[1], &[]);
    let second = enqueue(1, stage(1), &[], std::slice::from_ref(&first));
    while platform.timeline().is_empty() {
        std::thread::yield_now();
    }
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(platform.timeline().len(), 1, "the second kernel waits for an event that is not complete");
    end.send(()).expect("it waits");
    assert_eq!((before.wait(), first.wait(), second.wait()), (Ok(()), Ok(()), Ok(())));
    assert_eq!(platform.timeline().iter().map(|span| span.device).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn kernels_take_the_same_cycles_whenever_they_run_and_on_both_engines() {
    let lengths = |engine| {
        let (platform, _) = run_pipeline(engine, &["three_bus", "sparse"], 4);
        let spans = platform.timeline();
        spans.iter().map(|s| (s.device, s.ended - s.started)).collect::<Vec<_>>()
    };
    let strict = lengths(Engine::Strict);
    assert!(strict[2..].iter().zip(&strict).all(|(a, b)| a == b), "{strict:?}");
    assert_eq!(strict, lengths(Engine::Fast));
}

#[test]
fn a_fault_fails_its_commands_and_the_device_goes_on() {
    let platform = platform(&["three_bus", "one_bus"], Engine::Fast);
    let scheduler = scheduler();
    let device = &platform.devices()[0];
    let driver = Arc::clone(device) as Arc<dyn Driver>;
    let queue = queue(&scheduler, &driver);
    let archive = archive(&machine("three_bus"), &["stage"]);
    let program = build(device.as_ref(), &archive).expect("it can be built");
    let buffer = Arc::new(driver.allocate(&AllocationRequest::bytes(400)).expect("there is room"));
    let mut bad = arguments(&buffer, &buffer, 10, 1);
    bad[0] = word(0xffff_0000);
    let failing = enqueue(&queue, launch(device, &program, "stage", &bad), &[]);
    let depends = launch(device, &program, "stage", &arguments(&buffer, &buffer, 10, 1));
    let depends = enqueue(&queue, depends, std::slice::from_ref(&failing));
    let cause = failing.wait().expect_err("the address is outside");
    assert!(matches!(&*cause, Failure::Kernel { kernel, .. } if kernel == "stage"), "{cause}");
    assert!(depends.wait().is_err());
    let again = launch(device, &program, "stage", &arguments(&buffer, &buffer, 100, 5));
    assert_eq!(enqueue(&queue, again, &[]).wait(), Ok(()));
    let mut bytes = vec![0; 4];
    driver.read(&buffer, 396, span(&mut bytes)).expect("it is inside");
    assert_eq!(bytes, [5, 0, 0, 0]);
}

#[test]
fn a_launch_behind_a_failed_transfer_does_nothing() {
    let platform = platform(&["three_bus"], Engine::Fast);
    let scheduler = scheduler();
    let device = &platform.devices()[0];
    let driver = Arc::clone(device) as Arc<dyn Driver>;
    let queue = queue(&scheduler, &driver);
    let archive = archive(&machine("three_bus"), &["stage"]);
    let program = build(device.as_ref(), &archive).expect("it can be built");
    let buffer = Arc::new(driver.allocate(&AllocationRequest::bytes(400)).expect("there is room"));
    let mut zeros = vec![0; 400];
    let transfer = |fails, host| {
        let (driver, memory) = (Arc::clone(&driver), Arc::clone(&buffer));
        Arc::new(Transfer { driver, memory, host, out: false, fails }) as Arc<dyn Launch>
    };
    let clear = enqueue(&queue, transfer(false, span(&mut zeros)), &[]);
    let fails = enqueue(&queue, transfer(true, span(&mut zeros)), &[clear]);
    let work = launch(device, &program, "stage", &arguments(&buffer, &buffer, 100, 5));
    let kernel = enqueue(&queue, work, &[fails]);
    assert!(kernel.wait().is_err());
    let mut bytes = vec![1; 4];
    driver.read(&buffer, 0, span(&mut bytes)).expect("it is inside");
    assert_eq!(bytes, [0; 4]);
}

#[test]
fn a_unit_that_the_machine_cannot_execute_fails_its_launch_only() {
    let platform = platform(&["three_bus"], Engine::Fast);
    let scheduler = scheduler();
    let device = &platform.devices()[0];
    let driver = Arc::clone(device) as Arc<dyn Driver>;
    let queue = queue(&scheduler, &driver);
    let mut bad = archive(&machine("three_bus"), &["broken"]);
    let mut unit = Unit::read(&bad.kernels[0].files[0].data).expect("it is one");
    unit.functions[0].instructions.iter_mut().flat_map(|i| &mut i.moves).for_each(|m| m.bus = 77);
    bad.kernels[0].files[0].data = unit.write();
    let buffer = Arc::new(driver.allocate(&AllocationRequest::bytes(400)).expect("there is room"));
    for (archive, name) in [(&bad, "broken"), (&archive(&machine("three_bus"), &["stage"]), "stage")] {
        let program = build(device.as_ref(), archive).expect("its form is right");
        let work = launch(device, &program, name, &arguments(&buffer, &buffer, 100, 5));
        let outcome = enqueue(&queue, work, &[]).wait();
        assert_eq!(outcome.is_ok(), name == "stage", "{outcome:?}");
    }
}

/// Instructions of a unit.
fn instructions(unit: &[u8]) -> usize {
    Unit::read(unit).expect("it is one").functions.iter().map(|f| f.instructions.len()).sum()
}

#[test]
fn kernels_that_do_not_fit_beside_each_other_run_one_after_the_other() {
    let names = ["a", "b", "c", "d", "e"];
    let mut small = machine("three_bus");
    let all = archive(&small, &names);
    let (main, one) = (instructions(&all.root[0][0].data), instructions(&all.kernels[0].files[0].data));
    let space = small.control.space.expect("it has one").index();
    for (kernels, runs) in [(2, true), (1, true), (0, false)] {
        // Not one instruction more.
        small.spaces[space].max_address = (main + kernels * one) as u64;
        let all = archive(&small, &names);
        let platform = Platform::new(vec![("small".to_owned(), small.clone())], Engine::Strict);
        let platform = platform.expect("there is a platform");
        let scheduler = scheduler();
        let device = &platform.devices()[0];
        let driver = Arc::clone(device) as Arc<dyn Driver>;
        let queue = queue(&scheduler, &driver);
        let program = build(device.as_ref(), &all).expect("its form is right");
        let buffer = Arc::new(driver.allocate(&AllocationRequest::bytes(400)).expect("there is room"));
        let gate = scheduler.user_event().expect("there is memory");
        let mut last = gate.event().clone();
        let mut events = Vec::new();
        // Backwards, so that what comes first is not always what waits; and all of it twice.
        for name in names.iter().rev().chain(&names) {
            let work = launch(device, &program, name, &arguments(&buffer, &buffer, 100, 5));
            last = enqueue(&queue, work, std::slice::from_ref(&last));
            events.push(last.clone());
        }
        assert!(gate.complete());
        for event in events {
            assert_eq!(event.wait().is_ok(), runs, "room for {kernels}");
        }
        if runs {
            let mut bytes = vec![0; 400];
            driver.read(&buffer, 0, span(&mut bytes)).expect("it is inside");
            assert!(bytes.chunks_exact(4).all(|w| w == 50_u32.to_le_bytes()), "each ran twice");
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_with_its_reason() {
    let error = Platform::new(vec![("b".to_owned(), machine("big_endian"))], Engine::Fast);
    assert!(matches!(error, Err(PlatformError::Map(_))));
    let platform = platform(&["three_bus"], Engine::Fast);
    let device = &platform.devices()[0];
    let other = archive(&machine("one_bus"), &["stage"]);
    let error = build(device.as_ref(), &other).expect_err("it is another machine's");
    assert!(error.to_string().contains("was compiled for the machine"), "{error}");
    let own = archive(&machine("three_bus"), &["stage"]);
    let program = build(device.as_ref(), &own).expect("it can be built");
    let geometry = geometry(1 << 32, 1);
    let request = LaunchRequest { program: &program, kernel: 0, geometry, args: &[], watch: None };
    let error = device.prepare_launch(&request).expect_err("it is too large");
    assert!(matches!(error, DriverError::BadLaunch { .. }));
}
