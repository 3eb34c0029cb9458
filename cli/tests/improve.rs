//! Better code that is made in the background for programs that run: who gets it when, what is kept of it, and that nothing
//! depends on it.

#![cfg(feature = "compiler")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use oxcl_runtime::{
    Addressing, ArgValue, Better, Buffer, BuildRequest, BuildTarget, Built, Cache, CompilerService as _,
    Context, ContextOptions, Device, Ended, Image, ImageFormat, ImageShape, Improvement, ImprovementObserver,
    Improver, Kernel, KnownArguments, Launch, NdRange, Program, Quality, Sampler, Service, ServiceOptions,
    Why, channel, order,
};

/// Adds to every element what depends on the local size, in a loop that takes a while.
const BUSY: &str = "kernel void busy(global uint *x, uint rounds) {
    uint value = x[get_global_id(0)];
    for (uint i = 0; i < rounds; i++) value = value * 3u + (uint)get_local_size(0);
    x[get_global_id(0)] = value;
}";

const ITEMS: usize = 4096;
const ROUNDS: u32 = 200;
/// What is made at idle priority waits for an idle processor, on machines that have other things to do as well.
const PATIENCE: Duration = Duration::from_secs(600);

fn service(cache: Option<&Path>, arguments: &[&str]) -> Service {
    Service::new(ServiceOptions {
        compiler: Some(PathBuf::from(env!("CARGO_BIN_EXE_oxcl"))),
        cache: cache.map(|folder| Cache::at(folder, 1 << 30)),
        servers: 2,
        timeout: Duration::from_secs(60),
        memory: 4 << 30,
        arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
        ..ServiceOptions::from_environment()
    })
}

fn improver(service: &Service) -> (Improver, Receiver<Improvement>) {
    let (tell, told) = channel();
    let tell = Mutex::new(tell);
    let observer: ImprovementObserver = Arc::new(move |improvement| {
        let _ = tell.lock().unwrap().send(improvement.clone());
    });
    (Improver::new(service.clone(), Some(observer)), told)
}

fn request() -> BuildRequest {
    BuildRequest::new("program.cl", BUSY, BuildTarget::Cpu)
}

fn program(built: &Built, improver: &Improver) -> Program {
    let program = Program::from_archive(&built.archive).unwrap();
    program.improve_with(improver, request(), built.quality, built.processor, built.cached);
    program
}

fn device() -> Device {
    Context::new(ContextOptions { workers: 2, ..ContextOptions::default() }).unwrap().device("cpu").unwrap()
}

/// A launch with work-groups of 64, made ready with the code that is there now.
fn prepared(device: &Device, kernel: &Kernel, data: &Buffer) -> Launch {
    let range = NdRange::new(&[ITEMS as u64]).unwrap().with_local(&[64]).unwrap();
    let rounds = ROUNDS.to_le_bytes();
    device.prepare(kernel, &range, &[ArgValue::Buffer(data), ArgValue::Value(&rounds)]).unwrap()
}

/// Launches the kernel once, checks what it did, and says whether its function was a specialised one.
fn run(device: &Device, kernel: &Kernel, local: u64) -> bool {
    let bytes: Vec<u8> = (0..ITEMS as u32).flat_map(u32::to_le_bytes).collect();
    let data = Buffer::from_bytes(&bytes).unwrap();
    let range = NdRange::new(&[ITEMS as u64]).unwrap().with_local(&[local]).unwrap();
    let rounds = ROUNDS.to_le_bytes();
    let report = device.launch(kernel, &range, &[ArgValue::Buffer(&data), ArgValue::Value(&rounds)]).unwrap();
    for (index, bytes) in data.to_vec().chunks_exact(4).enumerate() {
        let step = |value: u32, _| value.wrapping_mul(3).wrapping_add(local as u32);
        let want = (0..ROUNDS).fold(index as u32, step);
        assert_eq!(u32::from_le_bytes(bytes.try_into().unwrap()), want, "{index}");
    }
    report.specialised
}

/// The next improvement that has ended, if one has; not those that were given up.
fn ended(told: &Receiver<Improvement>) -> Option<(Improvement, Ended)> {
    let left = |ended: &Ended| ended.outcome.as_ref().is_err_and(|error| error.contains("given up"));
    let mut all = told.try_iter();
    all.find_map(|improvement| Some((improvement.clone(), improvement.end.filter(|ended| !left(ended))?)))
}

/// Launches until an improvement has ended.
fn run_until_told(
    device: &Device,
    kernel: &Kernel,
    local: u64,
    told: &Receiver<Improvement>,
) -> (Improvement, Ended) {
    let begin = Instant::now();
    loop {
        assert!(begin.elapsed() < PATIENCE, "nothing was made");
        run(device, kernel, local);
        if let Some(known) = ended(told) {
            return known;
        }
    }
}

/// The program in full quality as a process has it that finds it in the cache: it may spend more on it than it would
/// otherwise.
fn kept(service: &Service) -> Built {
    service.build(&request()).unwrap();
    let built = service.build(&request()).unwrap();
    assert!(built.cached && built.processor > Duration::ZERO);
    built
}

#[test]
fn servers_in_the_background_are_taken_over_and_let_everything_else_go_first() {
    let service = service(None, &[]);
    let two = "kernel void a(global int *x) { *x = 1; } kernel void b(global int *x) { *x = 2; }";
    service.build(&BuildRequest::new("two.cl", two, BuildTarget::Cpu)).unwrap();
    let before = service.idle_processes();
    assert_eq!(before.len(), 2);
    let behind = service.in_background();
    behind.build(&request()).unwrap();
    let [process] = behind.idle_processes()[..] else { panic!("not one server") };
    assert!(before.contains(&process), "another was started");
    assert_eq!(service.idle_processes().len(), 1);
    let process = libc::pid_t::try_from(process).unwrap();
    // SAFETY: takes a number.
    assert_eq!(unsafe { libc::sched_getscheduler(process) }, libc::SCHED_IDLE);
    // Linux divides processors among sessions before it looks at priorities.
    // SAFETY: takes a number.
    let sessions = [process, 0].map(|process| unsafe { libc::getsid(process) });
    assert_eq!(sessions[0], sessions[1]);
    // Builds keep the last one.
    let another = service.in_background();
    another.build(&request()).unwrap();
    assert!(!before.contains(&another.idle_processes()[0]));
    assert_eq!(service.idle_processes().len(), 1);
}

#[test]
fn launches_take_what_was_made_and_so_do_those_that_were_made_ready_before() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(Some(folder.path()), &[]);
    let (improver, told) = improver(&service);
    let program = program(&kept(&service), &improver);
    let (device, kernel) = (device(), program.kernel("busy").unwrap());
    let data = Buffer::zeroed(ITEMS as u64 * 4).unwrap();
    let old = prepared(&device, &kernel, &data);
    assert!(!old.is_outdated());
    assert!(!run(&device, &kernel, 64), "made before anybody could know that it is wanted");
    let (improvement, ended) = run_until_told(&device, &kernel, 64, &told);
    assert_eq!(
        improvement.better,
        Better::Function { kernel: "busy".to_owned(), local: [64, 1, 1], known: KnownArguments::NONE }
    );
    assert_eq!(ended.outcome, Ok(()));
    let Why::Hot { heat, expected } = improvement.why else { panic!("{improvement:?}") };
    assert!(heat.launches > 1 && heat.spent > expected, "{improvement:?}");
    assert!(run(&device, &kernel, 64));
    // A launch that was made ready before says that it is old, and its work-groups take the better function all the same.
    assert!(old.is_outdated());
    assert!(old.run().unwrap().specialised);
    // Other local sizes, and groups that are not all alike, have the generic function.
    assert!(!run(&device, &kernel, 32));
    assert!(told.try_recv().is_err(), "asked twice");
}

#[test]
fn a_second_process_has_it_at_once_and_nothing_is_made_for_few_launches() {
    let folder = tempfile::tempdir().unwrap();
    let device = device();
    let first = service(Some(folder.path()), &[]);
    let (improver_one, told) = improver(&first);
    let one = program(&kept(&first), &improver_one);
    run_until_told(&device, &one.kernel("busy").unwrap(), 128, &told).1.outcome.unwrap();

    // What another process sees.
    let second = service(Some(folder.path()), &[]);
    let (improver_two, told) = improver(&second);
    let built = second.build(&request()).unwrap();
    assert!(built.cached);
    let two = program(&built, &improver_two);
    let kernel = two.kernel("busy").unwrap();
    assert!(run(&device, &kernel, 128), "the first launch");
    assert!(!run(&device, &kernel, 16), "a local size that nobody had");
    assert!(told.recv_timeout(Duration::from_millis(300)).is_err(), "made for one launch");
    assert!(second.idle_processes().is_empty(), "a server was started");
}

#[test]
fn a_process_spends_little_more_than_full_code_of_the_program_costs() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(Some(folder.path()), &[]);
    let (improver, told) = improver(&service);
    let built = hurried(&service);
    let cost = built.processor;
    let program = program(&built, &improver);
    let (device, kernel) = (device(), program.kernel("busy").unwrap());
    let (improvement, ended) = run_until_told(&device, &kernel, 64, &told);
    assert_eq!(improvement.better, Better::Kernel("busy".to_owned()));
    ended.outcome.unwrap();
    // Ten times as long as a function costs, which is more than one takes where there is room for it.
    let begin = Instant::now();
    while begin.elapsed() < cost * 40 {
        run(&device, &kernel, 64);
    }
    assert!(ended_function(&told).is_none(), "the function is above what may be spent");
}

/// Turns every group's elements around, many times.
const TURN: &str = "kernel void busy(global uint *x, uint rounds) {
    local uint t[256];
    uint l = get_local_id(0), n = get_local_size(0);
    t[l] = x[get_global_id(0)] * 3u + n;
    for (uint i = 0; i < rounds; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint value = t[n - 1 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = value;
    }
    x[get_global_id(0)] = t[l];
}";

#[test]
fn a_hot_kernel_with_barriers_gets_the_function_for_its_local_size_in_place_of_the_one_for_all() {
    let folder = tempfile::tempdir().unwrap();
    let one = service(Some(folder.path()), &[]);
    let (improver_one, told) = improver(&one);
    let request =
        BuildRequest { quality: Quality::First, ..BuildRequest::new("turn.cl", TURN, BuildTarget::Cpu) };
    let load = |service: &Service, improver: &Improver| {
        let built = service.build(&request).unwrap();
        let program = Program::from_archive(&built.archive).unwrap();
        let full = BuildRequest { quality: Quality::Full, ..request.clone() };
        program.improve_with(improver, full, built.quality, built.processor, built.cached);
        program
    };
    let device = device();
    let turn = |kernel: &Kernel, local: u64| {
        let bytes: Vec<u8> = (0..ITEMS as u32).flat_map(u32::to_le_bytes).collect();
        let data = Buffer::from_bytes(&bytes).unwrap();
        let range = NdRange::new(&[ITEMS as u64]).unwrap().with_local(&[local]).unwrap();
        let rounds = 201_u32.to_le_bytes();
        let report =
            device.launch(kernel, &range, &[ArgValue::Buffer(&data), ArgValue::Value(&rounds)]).unwrap();
        for (index, bytes) in data.to_vec().chunks_exact(4).enumerate() {
            let index = index as u64;
            let turned = index / local * local + (local - 1 - index % local);
            assert_eq!(u32::from_le_bytes(bytes.try_into().unwrap()), (turned * 3 + local) as u32, "{index}");
        }
        report.specialised
    };
    let until_made = |kernel: &Kernel, local: u64, told: &Receiver<Improvement>| {
        let begin = Instant::now();
        loop {
            assert!(begin.elapsed() < PATIENCE, "nothing was made");
            turn(kernel, local);
            if let Some((improvement, ended)) = ended(told) {
                assert_eq!(ended.outcome, Ok(()));
                return improvement.better;
            }
        }
    };
    let whole = Better::Kernel("busy".to_owned());
    let for_64 =
        Better::Function { kernel: "busy".to_owned(), local: [64, 1, 1], known: KnownArguments::NONE };
    let mut program = load(&one, &improver_one);
    assert_eq!(until_made(&program.kernel("busy").unwrap(), 64, &told), for_64);
    let kernel = program.kernel("busy").unwrap();
    assert_eq!(kernel.quality(), Quality::First, "there is no code for all sizes");
    assert!(turn(&kernel, 64));
    // Another size needs the code for all.
    assert_eq!(until_made(&kernel, 32, &told), whole);
    assert_eq!(kernel.quality(), Quality::Full);
    assert!(turn(&kernel, 64), "the function was lost");
    assert!(!turn(&kernel, 32));
    // The next process has both at its first launches.
    let two = service(Some(folder.path()), &[]);
    let (improver_two, told) = improver(&two);
    program = load(&two, &improver_two);
    let kernel = program.kernel("busy").unwrap();
    assert!(turn(&kernel, 64) && !turn(&kernel, 32));
    assert!(told.try_iter().next().is_none());
}

#[test]
fn a_kernel_with_barriers_is_made_at_idle_priority_for_the_local_size_that_it_was_launched_with() {
    // Where no processor is idle for long, what is made at idle priority is given up for good.
    assert!((0..20).any(|_| made_at_idle_priority()), "no processor was ever idle");
}

/// Whether all that was wanted at idle priority was made there.
fn made_at_idle_priority() -> bool {
    let service = service(None, &[]);
    let (improver, told) = improver(&service);
    let both = "kernel void a(global int *x) { *x = 1; }
        kernel void b(global int *x) {
            local int t[64];
            int l = get_local_id(0);
            t[l] = l;
            barrier(CLK_LOCAL_MEM_FENCE);
            x[l] = t[get_local_size(0) - 1 - l];
        }";
    let request = BuildRequest::new("both.cl", both, BuildTarget::Cpu);
    let built = service.build(&BuildRequest { quality: Quality::First, ..request.clone() }).unwrap();
    let program = Program::from_archive(&built.archive).unwrap();
    program.improve_with(&improver, request, built.quality, built.processor, built.cached);
    let kernel = program.kernel("b").unwrap();
    let device = device();
    let launch = |local: u64| {
        let data = Buffer::zeroed(4 * 64).unwrap();
        let range = NdRange::new(&[local]).unwrap().with_local(&[local]).unwrap();
        let report = device.launch(&kernel, &range, &[ArgValue::Buffer(&data)]).unwrap();
        let first = (local as u32 - 1).to_le_bytes();
        assert_eq!(data.to_vec()[..4], first);
        report.specialised
    };
    let is_next = |wanted: &Better| {
        while let Ok(improvement) = told.recv_timeout(Duration::from_secs(15)) {
            assert_eq!((&improvement.better, improvement.why), (wanted, Why::Idle));
            if improvement.end.is_some_and(|ended| ended.outcome.is_ok()) {
                return true;
            }
        }
        false
    };
    // The other needs no launch. Of this one nothing is made before: it is not known what for.
    if !is_next(&Better::Kernel("a".to_owned())) {
        return false;
    }
    assert!(told.recv_timeout(Duration::from_millis(400)).is_err());
    assert!(!launch(32));
    let for_32 = Better::Function { kernel: "b".to_owned(), local: [32, 1, 1], known: KnownArguments::NONE };
    if !is_next(&for_32) {
        return false;
    }
    assert_eq!(kernel.quality(), Quality::First, "there is no code for all sizes");
    assert!(launch(32));
    // Other sizes need that.
    assert!(!launch(64));
    if !is_next(&Better::Kernel("b".to_owned())) {
        return false;
    }
    assert_eq!(kernel.quality(), Quality::Full);
    assert!(launch(32), "the function was lost");
    assert!(!launch(64));
    true
}

#[test]
fn what_was_launched_for_a_while_is_made_although_the_program_is_released() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(Some(folder.path()), &[]);
    let (improver, told) = improver(&service);
    let device = device();
    // Launches the kernel for a time, with a program that is said to have cost one second: full code of it costs 2.5, so it is hot
    // after 78 ms, and worth making for later processes after 10.
    let launch_for = |time: Duration| {
        let built = hurried(&service);
        let program = Program::from_archive(&built.archive).unwrap();
        program.improve_with(&improver, request(), built.quality, Duration::from_secs(1), false);
        let kernel = program.kernel("busy").unwrap();
        let begin = Instant::now();
        run(&device, &kernel, 64);
        while begin.elapsed() < time {
            run(&device, &kernel, 64);
        }
    };
    launch_for(Duration::ZERO);
    assert!(told.recv_timeout(Duration::from_millis(400)).is_err(), "made for one launch");
    let is_made = || {
        launch_for(Duration::from_millis(30));
        let wait = || told.recv_timeout(Duration::from_secs(15)).ok();
        std::iter::from_fn(wait).any(|improvement| {
            assert_eq!(improvement.better, Better::Kernel("busy".to_owned()));
            improvement.end.is_some_and(|ended| ended.outcome.is_ok())
        })
    };
    assert!((0..20).any(|_| is_made()), "no processor was ever idle");
    let next = self::service(Some(folder.path()), &[]);
    let built = next.complete(&request(), "busy").unwrap();
    assert!(built.cached, "the next process does not find it");
}

fn ended_function(told: &Receiver<Improvement>) -> Option<Improvement> {
    told.try_iter().find(|improvement| matches!(improvement.better, Better::Function { .. }))
}

#[test]
fn a_compiler_that_dies_leaves_the_program_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let good = service(Some(folder.path()), &[]);
    let bad = service(None, &["--fault=kill"]);
    let (improver, told) = improver(&bad);
    let program = program(&kept(&good), &improver);
    let (device, kernel) = (device(), program.kernel("busy").unwrap());
    let (_, ended) = run_until_told(&device, &kernel, 64, &told);
    assert!(ended.outcome.unwrap_err().contains("OX0714"));
    for _ in 0..20 {
        assert!(!run(&device, &kernel, 64));
    }
    assert!(told.try_recv().is_err(), "asked twice");
}

#[test]
fn programs_go_and_threads_launch_while_functions_are_made() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(Some(folder.path()), &[]);
    let (improver, told) = improver(&service);
    let built = kept(&service);
    let device = device();
    let shared = program(&built, &improver);
    std::thread::scope(|scope| {
        for thread in 0..2_u64 {
            let (device, built, improver, shared) = (&device, &built, &improver, &shared);
            scope.spawn(move || {
                let begin = Instant::now();
                while begin.elapsed() < Duration::from_millis(1500) {
                    // One that lives, and one that goes as soon as something may have been asked for.
                    let own = program(built, improver);
                    for _ in 0..8 {
                        run(device, &shared.kernel("busy").unwrap(), 16);
                        run(device, &own.kernel("busy").unwrap(), 256 << thread);
                    }
                }
            });
        }
    });
    // What is wanted and still has a program is made, however long a busy machine takes.
    let begin = Instant::now();
    while !run(&device, &shared.kernel("busy").unwrap(), 16) {
        assert!(begin.elapsed() < PATIENCE, "nothing was made");
    }
    let made: Vec<Ended> = told.try_iter().filter_map(|improvement| improvement.end).collect();
    assert!(made.iter().all(|ended| ended.outcome.is_ok()), "{made:?}");
}

fn hurried(service: &Service) -> Built {
    let built = service.build(&BuildRequest { quality: Quality::First, ..request() }).unwrap();
    assert_eq!(built.quality, Quality::First);
    built
}

/// Takes what processors there are while it exists.
struct Hogs(Arc<AtomicBool>);

impl Hogs {
    fn new() -> Self {
        let over = Arc::new(AtomicBool::new(false));
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            let over = Arc::clone(&over);
            // Relaxed: the flag guards nothing but itself.
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        Self(over)
    }
}

impl Drop for Hogs {
    fn drop(&mut self) {
        // Relaxed: as above.
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn what_was_built_in_a_hurry_is_made_again_kernel_by_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(Some(folder.path()), &[]);
    let two = "kernel void a(global int *x) { *x = 1; } kernel void b(global int *x) { *x = 2; }";
    let request = BuildRequest::new("two.cl", two, BuildTarget::Cpu);
    let build = |service: &Service| {
        service.build(&BuildRequest { quality: Quality::First, ..request.clone() }).unwrap()
    };
    let load = |built: &Built, improver: &Improver| {
        let program = Program::from_archive(&built.archive).unwrap();
        program.improve_with(improver, request.clone(), built.quality, built.processor, built.cached);
        program
    };
    let (improver_one, told) = improver(&service);
    let mut program = load(&build(&service), &improver_one);
    assert_eq!(program.kernel("a").unwrap().quality(), Quality::First);
    // Without a launch, when a processor is idle.
    let mut made = Vec::new();
    while made.len() < 2 {
        let improvement = told.recv_timeout(PATIENCE).unwrap();
        assert_eq!(improvement.why, Why::Idle);
        match improvement.end {
            None => {}
            // No processor was idle for long: it is begun again with the program.
            Some(ended) if ended.outcome.as_ref().is_err_and(|error| error.contains("given up")) => {
                program = load(&build(&service), &improver_one);
            }
            Some(ended) => {
                assert_eq!(ended.outcome, Ok(()));
                if !made.contains(&improvement.better) {
                    made.push(improvement.better);
                }
            }
        }
    }
    assert_eq!(made, ["a", "b"].map(|name| Better::Kernel(name.to_owned())));
    for name in ["a", "b"] {
        assert_eq!(program.kernel(name).unwrap().quality(), Quality::Full);
    }
    // Another process has each of them when it launches it first.
    let second = self::service(Some(folder.path()), &[]);
    let built = build(&second);
    assert_eq!((built.cached, built.quality), (true, Quality::First));
    let (improver, _told) = improver(&second);
    let program = load(&built, &improver);
    let kernel = program.kernel("b").unwrap();
    let data = Buffer::zeroed(4).unwrap();
    let range = NdRange::new(&[1]).unwrap();
    device().launch(&kernel, &range, &[ArgValue::Buffer(&data)]).unwrap();
    assert_eq!((kernel.quality(), &data.to_vec()[..]), (Quality::Full, &[2, 0, 0, 0][..]));
}

#[test]
fn a_program_that_is_built_again_for_every_launch_becomes_hot_too() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(Some(folder.path()), &[]);
    let (improver, told) = improver(&service);
    let device = device();
    let begin = Instant::now();
    let mut launches = 0;
    // Each program has one launch, goes at once, and alone would never be hot.
    loop {
        assert!(begin.elapsed() < PATIENCE, "nothing was made");
        let built = hurried(&service);
        let program = program(&built, &improver);
        let kernel = program.kernel("busy").unwrap();
        run(&device, &kernel, 64);
        launches += 1;
        if kernel.quality() == Quality::Full {
            break;
        }
    }
    assert!(launches > 2, "one launch is not hot");
    let hot = told.try_iter().find_map(|improvement| match improvement.why {
        Why::Hot { heat, .. } => Some(heat),
        _ => None,
    });
    assert!(hot.is_some_and(|heat| heat.launches > 1), "{hot:?}");
}

#[test]
fn a_hot_kernel_is_made_where_no_processor_is_idle() {
    let service = service(None, &[]);
    let (improver, told) = improver(&service);
    let built = hurried(&service);
    let device = device();
    let _hogs = Hogs::new();
    let program = program(&built, &improver);
    let kernel = program.kernel("busy").unwrap();
    let data = Buffer::zeroed(ITEMS as u64 * 4).unwrap();
    let old = prepared(&device, &kernel, &data);
    let begin = Instant::now();
    while kernel.quality() == Quality::First {
        assert!(begin.elapsed() < PATIENCE, "nothing was made");
        run(&device, &kernel, 64);
    }
    assert!(old.is_outdated());
    old.run().unwrap();
    run(&device, &kernel, 64);
    // What was begun at idle priority did not get on: it ended without a word of complaint but that.
    let all: Vec<Improvement> = told.try_iter().collect();
    let is_hot = |one: &&Improvement| matches!(one.why, Why::Hot { .. }) && one.end.is_some();
    let hot = all.iter().find(is_hot).unwrap_or_else(|| panic!("{all:?}"));
    assert_eq!(hot.end.as_ref().unwrap().outcome, Ok(()));
    let Why::Hot { heat, expected } = hot.why else { unreachable!("it was looked for") };
    assert!(heat.launches >= 1 && expected >= built.processor, "{hot:?}");
    assert!(service.idle_processes().len() <= 2);
}

#[test]
fn code_made_in_a_hurry_runs_on_where_no_other_can_be_made() {
    let good = service(None, &[]);
    let bad = service(None, &["--fault=kill"]);
    let (improver, told) = improver(&bad);
    let program = program(&hurried(&good), &improver);
    let (device, kernel) = (device(), program.kernel("busy").unwrap());
    // Even without launches it is made again after a while.
    let ended = loop {
        let improvement = told.recv_timeout(PATIENCE).unwrap();
        assert_eq!(improvement.better, Better::Kernel("busy".to_owned()));
        if let Some(ended) = improvement.end {
            break ended;
        }
    };
    assert!(ended.outcome.is_err());
    for _ in 0..20 {
        assert!(!run(&device, &kernel, 64));
    }
    assert_eq!(kernel.quality(), Quality::First);
    // What another program has is no better code for this one.
    let other = BuildRequest::new("program.cl", "kernel void other(global int *x) {}", BuildTarget::Cpu);
    assert!(program.replace_code(&good.build(&other).unwrap().archive).is_err());
    // Nor is what has sub-groups of another size: queries have told the size, and results depend on it.
    let sized = format!("__attribute__((intel_reqd_sub_group_size(64))) {BUSY}");
    let sized = BuildRequest::new("program.cl", &sized, BuildTarget::Cpu);
    let refused = program.replace_code(&good.build(&sized).unwrap().archive).unwrap_err();
    assert_eq!(refused, "what was made later has sub-groups of another size");
    assert_eq!(kernel.quality(), Quality::First);
    program.replace_code(&good.build(&request()).unwrap().archive).unwrap();
    assert_eq!(kernel.quality(), Quality::Full);
    run(&device, &kernel, 64);
}

#[test]
fn a_launch_with_large_ids_waits_for_code_that_serves_them() {
    const CUT: &str = "kernel void cut(global long *out) {
        int i = get_global_id(0);
        out[get_global_id(0) - get_global_offset(0)] = i;
    }";
    let service = service(None, &[]);
    let (improver, told) = improver(&service);
    let request = BuildRequest::new("cut.cl", CUT, BuildTarget::Cpu);
    let built = service.build(&BuildRequest { quality: Quality::First, ..request.clone() }).unwrap();
    let edge = 1_u64 << 31;
    let run = |program: &Program, offset: u64| {
        let kernel = program.kernel("cut").unwrap();
        let data = Buffer::zeroed(4 * 8).unwrap();
        let range = NdRange::new(&[4]).unwrap().with_offset(&[offset]).unwrap();
        device().launch(&kernel, &range, &[ArgValue::Buffer(&data)]).map(|_| data.to_vec())
    };
    let cut = |offset: u64| -> Vec<u8> {
        (offset..offset + 4).flat_map(|id| i64::from((id as u32).cast_signed()).to_ne_bytes()).collect()
    };
    // Where nothing better can be had, such a launch is refused, and no other.
    let alone = Program::from_archive(&built.archive).unwrap();
    assert!(run(&alone, edge - 2).unwrap_err().to_string().contains("its code is for less than 2^31"));
    assert_eq!(run(&alone, edge - 4).unwrap(), cut(edge - 4));
    let program = Program::from_archive(&built.archive).unwrap();
    program.improve_with(&improver, request, built.quality, built.processor, built.cached);
    for offset in [0, edge - 2, edge, 3 * edge - 1, 1 << 40] {
        assert_eq!(run(&program, offset).unwrap(), cut(offset), "offset {offset}");
    }
    let all: Vec<Improvement> = told.try_iter().filter(|one| one.why == Why::LargeIds).collect();
    assert_eq!(all.len(), 2, "{all:?}");
    assert_eq!(all[1].end.as_ref().unwrap().outcome, Ok(()));
    // Ids that are no `long` are nobody's.
    assert!(run(&program, (1 << 63) - 2).is_err());
}

/// Reads pixels through a sampler, many times over.
const PICTURE: &str = "kernel void picture(read_only image2d_t in, sampler_t how, global float4 *out, uint rounds) {
    float at = (float)get_global_id(0);
    float4 sum = 0.0f;
    for (uint i = 0; i < rounds; i++) sum += read_imagef(in, how, (float2)(at + 0.25f * (float)(i & 7), 0.5f));
    out[get_global_id(0)] = sum;
}";

/// A launch of the picture's kernel: whether its function was a specialised one, and what it left.
fn picture(device: &Device, kernel: &Kernel, channel_order: u32, sampler: Sampler) -> (bool, Vec<u8>) {
    const WIDTH: u64 = 1024;
    let format = ImageFormat { channel_order, channel_type: channel::UNORM_INT8 };
    let image = Image::new(&ImageShape::plane(format, WIDTH, 1)).unwrap();
    let bytes: Vec<u8> = (0..4 * WIDTH as u32).map(|n| (n * 37) as u8).collect();
    image.buffer().write(0, &bytes).unwrap();
    let out = Buffer::zeroed(16 * WIDTH).unwrap();
    let range = NdRange::new(&[WIDTH]).unwrap().with_local(&[64]).unwrap();
    let rounds = 50_u32.to_le_bytes();
    let arguments =
        [image.argument(), ArgValue::Sampler(sampler), ArgValue::Buffer(&out), ArgValue::Value(&rounds)];
    let report = device.launch(kernel, &range, &arguments).unwrap();
    (report.specialised, out.to_vec())
}

#[test]
fn functions_are_made_for_the_formats_and_samplers_that_are_launched() {
    let folder = tempfile::tempdir().unwrap();
    let service_one = service(Some(folder.path()), &[]);
    let (improver_one, told) = improver(&service_one);
    let device = device();
    let request = BuildRequest::new("picture.cl", PICTURE, BuildTarget::Cpu);
    let load = |service: &Service, improver: &Improver| {
        let built = service.build(&request).unwrap();
        let program = Program::from_archive(&built.archive).unwrap();
        program.improve_with(improver, request.clone(), built.quality, built.processor, built.cached);
        program
    };
    service_one.build(&request).unwrap();
    let program = load(&service_one, &improver_one);
    let kernel = program.kernel("picture").unwrap();
    let nearest = Sampler::new(false, Addressing::ClampToEdge, false);
    let smooth = Sampler { linear: true, ..nearest };
    let others = [(order::BGRA, nearest), (order::RGBA, smooth)];
    let wanted = picture(&device, &kernel, order::RGBA, nearest);
    let wanted_of_others = others.map(|(order, sampler)| picture(&device, &kernel, order, sampler));
    assert!(!wanted.0 && wanted_of_others.iter().all(|(special, left)| !special && *left != wanted.1));
    let begin = Instant::now();
    let (improvement, ended) = loop {
        assert!(begin.elapsed() < PATIENCE, "nothing was made");
        assert_eq!(picture(&device, &kernel, order::RGBA, nearest).1, wanted.1);
        if let Some(known) = ended(&told) {
            break known;
        }
    };
    assert_eq!(ended.outcome, Ok(()));
    let Better::Function { kernel: name, local, known } = improvement.better else {
        panic!("{improvement:?}")
    };
    assert_eq!((name.as_str(), local), ("picture", [64, 1, 1]));
    assert_eq!(known.to_string(), "0=8001000410d210b5.1=12");
    assert_eq!(picture(&device, &kernel, order::RGBA, nearest), (true, wanted.1.clone()));
    for ((order, sampler), wanted) in others.into_iter().zip(&wanted_of_others) {
        assert_eq!(picture(&device, &kernel, order, sampler), *wanted);
    }
    // The next process has it at its first launch.
    let service_two = service(Some(folder.path()), &[]);
    let (improver_two, _) = improver(&service_two);
    let program = load(&service_two, &improver_two);
    let kernel = program.kernel("picture").unwrap();
    assert_eq!(picture(&device, &kernel, order::RGBA, nearest), (true, wanted.1));
    assert!(!picture(&device, &kernel, order::BGRA, nearest).0);
}
