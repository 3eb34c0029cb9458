//! Random programs of buffers, parts of buffers, kernels, copies and mappings: on devices of every kind at once, two of
//! them with a quarter of the memory that the buffers take, they leave the bytes that a serial run on `basic` leaves.
//!
//! Commands that conflict are ordered by their wait lists, or by the order of a queue, and by nothing else. A failing
//! program prints its seed: `OXCL_SEED=N` runs it alone, `OXCL_PROGRAMS=N` that many.

#![allow(clippy::print_stderr, reason = "a long run says what was moved")]

mod mesh;
#[path = "../drivers/cpu/tests/support/mod.rs"]
mod support;

use std::ops::Range;

use oxcl_binary::archive::slots::{ANY_SIZE, Code};
use oxcl_binary::meta;
use oxcl_runtime::{
    ArgValue, Buffer, Context, ContextOptions, Device, Event, Kernel, MapAccess, Migration, NdRange, Program,
    Queue, QueueProperties, RectRegion,
};
use support::{baseline, buffer, kernel, our_archive, program_meta};

/// `step(global int *out)`: out[i] = 3 * out[i] + 1. `add(global const int *in, global int *out)`: out[i] += in[i].
const SOURCE: &str = "
META(step, 0, 0, 1)
META(add, 0, 0, 1)
static void one(int *out, u64 i) { out[i] = (int)(3u * (unsigned)out[i] + 1u); }
static void sum(const int *in, int *out, u64 i) { out[i] = (int)((unsigned)out[i] + (unsigned)in[i]); }
NATIVE(step) {
    for (u64 g = gx; g < gx + n; g++)
        for (u64 x = 0; x < ctx->local[0]; x++) one(BUF(int, 0), g * ctx->local[0] + x);
}
REF(step) { one(BUF(int, 0), GLOBAL_ID(0)); }
NATIVE(add) {
    for (u64 g = gx; g < gx + n; g++)
        for (u64 x = 0; x < ctx->local[0]; x++) sum(BUF(int, 0), BUF(int, 1), g * ctx->local[0] + x);
}
REF(add) { sum(BUF(int, 0), BUF(int, 1), GLOBAL_ID(0)); }
";

struct Kernels {
    step: Kernel,
    add: Kernel,
}

fn kernels() -> Kernels {
    let code = support::object(SOURCE);
    let make = |name: &str, names: &[&str]| {
        let mut record = kernel(name, names.iter().map(|name| buffer(name)).collect());
        record.add_object(Code::First, ANY_SIZE, &code);
        record.add_object(Code::Ref, ANY_SIZE, &code);
        let mut facts = support::kernel_meta(&record, false);
        if let [input, _] = &mut facts.args[..] {
            input.access = meta::Access::Read;
        }
        record.add_meta(&facts).unwrap();
        record
    };
    let records = vec![make("step", &["out"]), make("add", &["in", "out"])];
    let program = Program::from_archive(&our_archive(&program_meta(baseline()), records).write().unwrap());
    let program = program.unwrap();
    Kernels { step: program.kernel("step").unwrap(), add: program.kernel("add").unwrap() }
}

/// Buffers of a program, and bytes of each: four times the smallest memory.
const BUFFERS: u64 = 16;
const BYTES: u64 = 16 << 10;
/// Bytes that a kernel works on at a time: a multiple of these.
const UNIT: u64 = 1 << 10;
const LENGTH: usize = 24;

#[derive(Debug, Clone)]
enum Step {
    Kernel { out: Span },
    Add { from: Span, to: Span },
    Write { to: Span, value: u8 },
    Fill { to: Span, value: u8 },
    Copy { from: Span, to: Span },
    Rect { from: Span, to: Span },
    Map { at: Span, value: u8 },
    Migrate { at: Span, to_host: bool },
    Host { at: Span, value: u8 },
}

/// Bytes of a buffer.
#[derive(Debug, Clone)]
struct Span {
    buffer: u64,
    bytes: Range<u64>,
}

impl Span {
    fn length(&self) -> u64 {
        self.bytes.end - self.bytes.start
    }
}

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn span(&mut self) -> Span {
        let units = BYTES / UNIT;
        let (buffer, whole) = (self.below(BUFFERS), self.below(2) == 0);
        let start = if whole { 0 } else { self.below(units) };
        let length = if whole { units } else { 1 + self.below(units - start) };
        Span { buffer, bytes: start * UNIT..(start + length) * UNIT }
    }

    /// Two spans of one length in different buffers.
    fn pair(&mut self) -> (Span, Span) {
        let from = self.span();
        let buffer = (from.buffer + 1 + self.below(BUFFERS - 1)) % BUFFERS;
        let start = self.below((BYTES - from.length()) / UNIT + 1) * UNIT;
        let to = Span { buffer, bytes: start..start + from.length() };
        (from, to)
    }

    fn step(&mut self) -> Step {
        let value = self.below(256) as u8;
        match self.below(14) {
            0..=3 => Step::Kernel { out: self.span() },
            4..=6 => {
                let (from, to) = self.pair();
                Step::Add { from, to }
            }
            7 => Step::Write { to: self.span(), value },
            8 => Step::Fill { to: self.span(), value },
            9 => {
                let (from, to) = self.pair();
                Step::Copy { from, to }
            }
            10 => {
                let (from, to) = self.pair();
                Step::Rect { from, to }
            }
            11 => Step::Map { at: self.span(), value },
            12 => Step::Migrate { at: self.span(), to_host: value < 128 },
            _ => Step::Host { at: self.span(), value },
        }
    }
}

impl Step {
    /// What it reads and what it writes.
    fn uses(&self) -> (Vec<&Span>, Vec<&Span>) {
        match self {
            Self::Kernel { out } => (vec![out], vec![out]),
            Self::Add { from, to } | Self::Rect { from, to } => (vec![from, to], vec![to]),
            Self::Copy { from, to } => (vec![from], vec![to]),
            Self::Write { to, .. } | Self::Fill { to, .. } => (vec![], vec![to]),
            Self::Map { at, .. } | Self::Host { at, .. } => (vec![at], vec![at]),
            Self::Migrate { at, .. } => (vec![at], vec![]),
        }
    }

    fn run(&self, kernels: &Kernels, buffers: &[Buffer], queue: &Queue, waits: &[Event]) -> Option<Event> {
        let part = |span: &Span| buffers[span.buffer as usize].part(span.bytes.start, span.length()).unwrap();
        let range = |span: &Span| NdRange::new(&[span.length() / 4]).unwrap().with_local(&[64]).unwrap();
        let event = match self {
            Self::Kernel { out } => {
                queue.kernel(&kernels.step, &range(out), &[ArgValue::Buffer(&part(out))], waits).unwrap()
            }
            Self::Add { from, to } => {
                let (input, output) = (part(from), part(to));
                let arguments = [ArgValue::Buffer(&input), ArgValue::Buffer(&output)];
                queue.kernel(&kernels.add, &range(to), &arguments, waits).unwrap()
            }
            Self::Write { to, value } => {
                let data: Vec<u8> = (0..to.length()).map(|at| (at as u8).wrapping_mul(*value)).collect();
                queue.write(&buffers[to.buffer as usize], to.bytes.start, data, waits).unwrap()
            }
            Self::Fill { to, value } => queue.fill(&part(to), &[*value, 1], 0, to.length(), waits).unwrap(),
            Self::Copy { from, to } => {
                queue.copy(&part(from), 0, &part(to), 0, from.length(), waits).unwrap()
            }
            Self::Rect { from, to } => {
                let (from_pitch, to_pitch) = ([64, 0], [128, 0]);
                let size = [50, to.length() / 128, 1];
                let region = RectRegion { size, from_pitch, to_pitch, ..RectRegion::default() };
                queue.copy_rect(&part(from), &part(to), &region, waits).unwrap()
            }
            Self::Map { at, value } => {
                let map = queue.map(&part(at), MapAccess::ReadWrite, 0, at.length(), waits).unwrap();
                map.event().wait().unwrap();
                let mut seen = [0; 2];
                map.read(0, &mut seen).unwrap();
                map.write(1, &[seen[0].wrapping_add(*value)]).unwrap();
                queue.unmap(&map, &[]).unwrap()
            }
            Self::Migrate { at, to_host } => {
                let to = if *to_host { Migration::ToHost } else { Migration::ToDevice };
                queue.migrate(&[part(at)], to, waits).unwrap()
            }
            Self::Host { at, value } => {
                waits.iter().for_each(|event| event.wait().unwrap());
                let mut byte = [0];
                part(at).read(3, &mut byte).unwrap();
                part(at).write(5, &[byte[0] ^ value]).unwrap();
                return None;
            }
        };
        Some(event)
    }
}

fn overlap(one: &Span, other: &Span) -> bool {
    one.buffer == other.buffer && one.bytes.start < other.bytes.end && other.bytes.start < one.bytes.end
}

/// Runs a program: each command in a queue of the seed's choice, behind those with which it conflicts.
fn run(kernels: &Kernels, queues: &[Queue], seed: u64) -> Vec<Vec<u8>> {
    let mut random = Random(seed);
    let steps: Vec<Step> = (0..LENGTH).map(|_| random.step()).collect();
    let buffers: Vec<Buffer> = (0..BUFFERS)
        .map(|number| match number % 3 {
            0 => Buffer::zeroed(BYTES).unwrap(),
            _ => Buffer::from_bytes(&vec![number as u8; BYTES as usize]).unwrap(),
        })
        .collect();
    let mut done: Vec<(&Step, Option<Event>)> = Vec::new();
    for step in &steps {
        let (reads, writes) = step.uses();
        let conflicts = |other: &Step| {
            let (their_reads, their_writes) = other.uses();
            let any = |ours: &[&Span], theirs: &[&Span]| {
                ours.iter().any(|one| theirs.iter().any(|other| overlap(one, other)))
            };
            any(&writes, &their_reads) || any(&writes, &their_writes) || any(&reads, &their_writes)
        };
        let waits = done.iter().filter(|(other, _)| conflicts(other)).filter_map(|(_, event)| event.clone());
        let waits: Vec<Event> = waits.collect();
        let queue = &queues[random.below(queues.len() as u64) as usize];
        let event = step.run(kernels, &buffers, queue, &waits);
        done.push((step, event));
    }
    if seed.is_multiple_of(2) {
        queues.iter().for_each(|queue| queue.finish().unwrap());
    } else {
        done.iter().filter_map(|(_, event)| event.as_ref()).for_each(|event| event.wait().unwrap());
    }
    buffers.iter().map(|buffer| buffer.contents().unwrap()).collect()
}

/// Runs programs on `basic` and on devices of a context, and compares; `OXCL_PROGRAMS` says how many, else `few`.
fn compare(context: &Context, devices: &[&Device], also: &[&Device], few: u64) -> u64 {
    let kernels = kernels();
    let serial = Context::new(ContextOptions { workers: 1, ..ContextOptions::default() }).unwrap();
    let basic = serial.device("basic").unwrap();
    let in_order = QueueProperties { out_of_order: false, profiling: false };
    let serial = [serial.queue(&basic, in_order).unwrap()];
    let both = [in_order, QueueProperties { out_of_order: true, profiling: false }];
    let pairs = devices.iter().flat_map(|device| both.map(|properties| (*device, properties)));
    let pairs = pairs.chain(also.iter().map(|device| (*device, in_order)));
    let queues: Vec<Queue> =
        pairs.map(|(device, properties)| context.queue(device, properties).unwrap()).collect();
    let first = from_environment("OXCL_SEED");
    let count = first.map_or_else(|| from_environment("OXCL_PROGRAMS").unwrap_or(few), |_| 1);
    for seed in (first.unwrap_or(0)..).take(count as usize) {
        let want = run(&kernels, &serial, seed);
        let found = run(&kernels, &queues, seed);
        let differs = want.iter().zip(&found).position(|(want, found)| want != found);
        assert!(differs.is_none(), "OXCL_SEED={seed}: buffer {differs:?} differs");
    }
    count
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn random_programs_leave_the_bytes_of_a_serial_run() {
    let context = Context::new(ContextOptions { workers: 3, ..ContextOptions::default() }).unwrap();
    let words = ["discrete:64K", "discrete:64K", "cpu", "basic", "discrete:1M", "ref"];
    let devices = words.map(|word| context.device(word).unwrap());
    let [one, two, cpu, basic, large, reference] = &devices;
    // `ref` takes long: one queue of ten.
    let count = compare(&context, &[one, two, cpu, basic, large], &[reference], 300);
    let counters = devices.each_ref().map(|device| device.memory_counters());
    if count >= 100 {
        assert!(counters[..2].iter().all(|counters| counters.paged_out > 0 && counters.paged_in > 0));
        assert!(counters[..2].iter().all(|counters| counters.device_to_device > 0), "{counters:?}");
    }
    let objects = || -> usize {
        devices.iter().filter_map(|device| device.discrete()).map(|d| d.usage().unwrap().objects).sum()
    };
    // A thread that has completed an event gives up what the command kept a moment later.
    let moment = std::time::Duration::from_millis(1);
    let given_back = (0..10_000).any(|_| {
        let given_back = objects() == 0;
        if !given_back {
            std::thread::sleep(moment);
        }
        given_back
    });
    assert!(given_back, "memory was not given back: {} objects", objects());
    eprintln!("{count} programs: {:?}", &counters[..2]);
}

/// The same with the system's MPI: this test once more as rank 0 of a job, with nodes beside it. The program `oxcl` must have been
/// built with MPI: `make test-mpi`.
#[cfg(feature = "mpi")]
#[test]
fn random_programs_over_ranks_leave_the_bytes_of_a_serial_run() {
    const NAME: &str = "random_programs_over_ranks_leave_the_bytes_of_a_serial_run";
    if oxcl_runtime::ranks() == 1 {
        let test = std::env::current_exe().unwrap();
        let node = test.parent().unwrap().join("../oxcl");
        // A job whose nodes never begin with MPI does not end.
        let known = std::process::Command::new(&node).args(["node", "--help"]).output().expect("oxcl");
        assert!(known.status.success(), "{} was built without MPI: make test-mpi", node.display());
        let mut command = std::process::Command::new("mpirun");
        command.args(["-n", "1"]).arg(&test).args(["--exact", NAME, "--nocapture"]);
        command.args([":", "-n", "2"]).arg(&node).args([
            "node",
            "--device",
            "cpu",
            "--device",
            "discrete:64K",
        ]);
        command.args([":", "-n", "1"]).arg(&node).args(["node", "--device", "discrete:64K"]);
        let status = command.env("OXCL_NUM_THREADS", "2").status().expect("mpirun");
        assert!(status.success(), "{status}");
        return;
    }
    let context = Context::new(ContextOptions { workers: 3, ..ContextOptions::default() }).unwrap();
    let devices = context.devices(&["mpi:*", "cpu", "discrete:64K"]).unwrap();
    let count = compare(&context, &devices.iter().collect::<Vec<_>>(), &[], 100);
    let counters: Vec<_> = devices.iter().map(Device::memory_counters).collect();
    if count >= 100 {
        assert!(counters[..5].iter().all(|counters| counters.device_to_device > 0), "{counters:?}");
    }
    eprintln!("{count} programs over {} ranks: {counters:?}", oxcl_runtime::ranks());
}

#[test]
fn random_programs_over_nodes_leave_the_bytes_of_a_serial_run() {
    [false, true].into_iter().for_each(programs_over_nodes);
}

fn programs_over_nodes(is_roomy: bool) {
    let options = mesh::options;
    let nodes: [(&[&str], _); 3] =
        [(&["cpu"], options()), (&["cpu", "discrete:65536"], options()), (&["discrete:65536"], options())];
    let job = mesh::job_of(&nodes, is_roomy);
    let context = Context::new(ContextOptions { workers: 3, ..ContextOptions::default() }).unwrap();
    let mut devices: Vec<Device> = (1..=3).flat_map(|rank| job.devices(&context, rank)).collect();
    devices.push(context.device("cpu").unwrap());
    devices.push(context.device("discrete:64K").unwrap());
    let count = compare(&context, &devices.iter().collect::<Vec<_>>(), &[], 200);
    let counters: Vec<_> = devices.iter().map(Device::memory_counters).collect();
    if count >= 100 {
        assert!(counters[..4].iter().all(|counters| counters.device_to_device > 0), "{counters:?}");
    }
    drop(devices);
    assert_eq!(job.end(), [true, true, true]);
    eprintln!("{count} programs: {counters:?}");
}
