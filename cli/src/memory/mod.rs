//! The programs of `oxcl bench memory` on device `discrete`: moving buffers between host and devices, and commands whose
//! buffers are more than the device's memory holds. Results are checked.

mod bound;

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use oxcl_runtime::{
    ArgValue, Buffer, Coded, CommandRecord, Context, ContextOptions, Device, Event, Kernel, Migration,
    NdRange, Observer, Program, Queue, QueueProperties,
};

use crate::ui::timeline::{Span, Timeline, Unit};

pub(crate) use bound::{Moves, least_moves};

/// The kernel's source.
#[cfg(feature = "compiler")]
pub(crate) const SOURCE: &str = include_str!("kernels.cl");

/// Buffers that the device's memory holds.
pub(crate) const HELD: usize = 8;
/// How often a program goes through its buffers.
const PASSES: usize = 4;
/// Rounds of the kernel's chain.
const ROUNDS: u32 = 1;
const FACTOR: u32 = 1_664_525;
const LOCAL: u64 = 256;
const KERNEL: &str = "step";

/// An error of the runtime as text, with its code.
#[expect(clippy::needless_pass_by_value, reason = "`map_err` hands the error over")]
pub(crate) fn told<E: Coded>(error: E) -> String {
    format!("{error} [{}]", error.code())
}

fn failed(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// In which order a program goes through its buffers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Forth and back.
    Zigzag,
    /// From the first to the last, again and again.
    Cyclic,
}

impl Order {
    pub(crate) const ALL: [Self; 2] = [Self::Zigzag, Self::Cyclic];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Zigzag => "zigzag",
            Self::Cyclic => "cyclic",
        }
    }

    /// The buffers of all commands.
    pub(crate) fn uses(self, buffers: usize) -> Vec<usize> {
        let pass = |pass: usize| {
            let back = self == Self::Zigzag && pass % 2 == 1;
            (0..buffers).map(move |at| if back { buffers - 1 - at } else { at })
        };
        (0..PASSES).flat_map(pass).collect()
    }
}

/// Keeps what a program's kernels and pages did.
#[derive(Debug, Default)]
struct Recorder {
    spans: Mutex<Vec<Span>>,
}

impl Recorder {
    fn keep(&self, lane: &'static str, label: String, times: Range<u64>) {
        let mut spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        spans.push(Span { lane: lane.to_owned(), label, start: times.start, end: times.end });
    }
}

impl Observer for Recorder {
    fn command(&self, record: &CommandRecord<'_>) {
        let lane = if record.label == KERNEL { "commands" } else { "copies" };
        self.keep(lane, record.event.0.to_string(), record.times.started..record.times.ended);
    }

    fn paged(&self, what: &'static str, bytes: u64, times: Range<u64>) {
        self.keep(what, format!("{} KiB", bytes >> 10), times);
    }
}

/// A device with a memory of its own, and what runs on it.
pub(crate) struct Small {
    context: Context,
    device: Device,
    queue: Queue,
    kernel: Kernel,
    memory: u64,
    recorder: Arc<Recorder>,
}

/// A program that has run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ran {
    pub(crate) seconds: f64,
    /// Every byte is as it should be.
    pub(crate) right: bool,
    pub(crate) paged_out: u64,
    pub(crate) paged_in: u64,
}

/// The value of element `at` of buffer `buffer` before the first command.
fn first(buffer: usize, at: usize) -> u32 {
    (buffer as u32).wrapping_mul(0x9E37_79B9) ^ (at as u32).wrapping_mul(0x85EB_CA6B)
}

fn addend(command: usize) -> u32 {
    command as u32 * 2 + 1
}

impl Small {
    /// A device with `memory` bytes.
    pub(crate) fn new(memory: u64, program: &Program) -> Result<Self, String> {
        let recorder = Arc::new(Recorder::default());
        let observer = Arc::clone(&recorder) as Arc<dyn Observer>;
        let options = ContextOptions { observer: Some(observer), ..ContextOptions::default() };
        let context = Context::new(options).map_err(told)?;
        let device = context.device(&format!("discrete:{}K", memory >> 10)).map_err(told)?;
        let queue = context.queue(&device, QueueProperties::default()).map_err(told)?;
        let kernel = program.kernel(KERNEL).map_err(told)?;
        Ok(Self { context, device, queue, kernel, memory, recorder })
    }

    /// Bytes of a buffer.
    pub(crate) fn size(&self) -> u64 {
        self.memory / HELD as u64
    }

    fn buffer(&self, number: usize) -> Result<Buffer, String> {
        let elements = self.size() as usize / 4;
        let bytes: Vec<u8> = (0..elements).flat_map(|at| first(number, at).to_le_bytes()).collect();
        Buffer::from_bytes(&bytes).map_err(told)
    }

    fn step(&self, queue: &Queue, buffer: &Buffer, command: usize, waits: &[Event]) -> Result<Event, String> {
        let range = NdRange::new(&[buffer.size() / 4]).and_then(|range| range.with_local(&[LOCAL]));
        let (factor, addend, rounds) =
            (FACTOR.to_le_bytes(), addend(command).to_le_bytes(), ROUNDS.to_le_bytes());
        let arguments = [
            ArgValue::Buffer(buffer),
            ArgValue::Value(&factor),
            ArgValue::Value(&addend),
            ArgValue::Value(&rounds),
        ];
        queue.kernel(&self.kernel, &range.map_err(told)?, &arguments, waits).map_err(told)
    }

    /// Seconds that a command takes whose buffer is resident.
    pub(crate) fn compute(&self) -> Result<f64, String> {
        let buffer = self.buffer(0)?;
        let mut best = f64::INFINITY;
        for round in 0..5 {
            let begin = Instant::now();
            self.step(&self.queue, &buffer, round, &[])?;
            self.queue.finish().map_err(told)?;
            best = best.min(begin.elapsed().as_secs_f64());
        }
        Ok(best)
    }

    /// Runs a program over `count` buffers: the host fills them, commands go through them, the host reads them.
    pub(crate) fn run(&self, order: Order, count: usize) -> Result<Ran, String> {
        let buffers: Vec<Buffer> = (0..count).map(|number| self.buffer(number)).collect::<Result<_, _>>()?;
        let before = self.device.memory_counters();
        let begin = Instant::now();
        let uses = order.uses(count);
        let mut events: Vec<Event> = Vec::with_capacity(uses.len());
        for (command, &buffer) in uses.iter().enumerate() {
            // Each command waits for the last but one: the order is the program's, and one may get its memory while another
            // runs.
            let waits: Vec<Event> = command.checked_sub(2).map(|at| events[at].clone()).into_iter().collect();
            events.push(self.step(&self.queue, &buffers[buffer], command, &waits)?);
        }
        self.queue.migrate(&buffers, Migration::ToHost, &[]).map_err(told)?;
        self.queue.finish().map_err(told)?;
        let seconds = begin.elapsed().as_secs_f64();
        let after = self.device.memory_counters();
        let mut right = true;
        for (number, buffer) in buffers.iter().enumerate() {
            // The commands of a buffer are one multiplication and one addition.
            let (mut by, mut plus) = (1u32, 0u32);
            for (command, _) in uses.iter().enumerate().filter(|&(_, &used)| used == number) {
                for _ in 0..ROUNDS {
                    by = by.wrapping_mul(FACTOR);
                    plus = plus.wrapping_mul(FACTOR).wrapping_add(addend(command));
                }
            }
            let bytes = buffer.contents().map_err(told)?;
            right &= bytes.chunks_exact(4).enumerate().all(|(at, bytes)| {
                bytes == first(number, at).wrapping_mul(by).wrapping_add(plus).to_le_bytes()
            });
        }
        Ok(Ran {
            seconds,
            right,
            paged_out: after.paged_out - before.paged_out,
            paged_in: after.paged_in - before.paged_in,
        })
    }

    /// Two buffers more than fit, forth and back: what ran and moved when.
    pub(crate) fn timeline(&self) -> Result<Timeline, String> {
        // Whose memory has been used once is not waited for by anything but the copies.
        self.run(Order::Zigzag, HELD + 2)?;
        let profiling = QueueProperties { profiling: true, ..QueueProperties::default() };
        let watched = Self {
            context: self.context.clone(),
            device: self.device.clone(),
            queue: self.context.queue(&self.device, profiling).map_err(told)?,
            kernel: self.kernel.clone(),
            memory: self.memory,
            recorder: Arc::clone(&self.recorder),
        };
        self.recorder.spans.lock().unwrap_or_else(PoisonError::into_inner).clear();
        watched.run(Order::Zigzag, HELD + 2)?;
        let mut spans =
            std::mem::take(&mut *self.recorder.spans.lock().unwrap_or_else(PoisonError::into_inner));
        // Events are numbered in the order of the program's commands: they are shown by the buffers they use.
        spans.sort_by_key(|span| span.label.parse::<u64>().unwrap_or(0));
        let uses = Order::Zigzag.uses(HELD + 2);
        for (span, buffer) in spans.iter_mut().filter(|span| span.lane == "commands").zip(uses) {
            span.label = buffer.to_string();
        }
        Ok(Timeline {
            title: format!("{} buffers in memory for {HELD}, forth and back", HELD + 2),
            unit: Unit::Milliseconds,
            lanes: ["commands", "page out", "page in", "copies"].map(str::to_owned).to_vec(),
            spans,
        })
    }

    /// Seconds to bring one buffer to the device, back to the host, and to another device; the best of `runs`.
    pub(crate) fn migrations(&self, runs: u32) -> Result<[(&'static str, f64); 3], String> {
        let other = self.context.device(&format!("discrete:{}K", self.memory >> 10)).map_err(told)?;
        let other = self.context.queue(&other, QueueProperties::default()).map_err(told)?;
        let mut best =
            [("upload", f64::INFINITY), ("download", f64::INFINITY), ("device-to-device", f64::INFINITY)];
        for run in 0..runs {
            let buffer = self.buffer(run as usize)?;
            let moved = |queue: &Queue, to: Migration, best: &mut f64| {
                let begin = Instant::now();
                queue
                    .migrate(std::slice::from_ref(&buffer), to, &[])
                    .map_err(told)?
                    .wait()
                    .map_err(failed)?;
                *best = best.min(begin.elapsed().as_secs_f64());
                Ok::<_, String>(())
            };
            // Not the first time: memory that nobody has touched yet has to be found by the system.
            self.step(&self.queue, &buffer, 0, &[])?;
            self.step(&other, &buffer, 1, &[])?;
            other.migrate(std::slice::from_ref(&buffer), Migration::ToHost, &[]).map_err(told)?;
            other.finish().map_err(told)?;
            moved(&self.queue, Migration::ToDevice, &mut best[0].1)?;
            self.step(&self.queue, &buffer, 2, &[])?;
            self.queue.finish().map_err(told)?;
            moved(&other, Migration::ToDevice, &mut best[2].1)?;
            self.step(&other, &buffer, 3, &[])?;
            other.finish().map_err(told)?;
            moved(&other, Migration::ToHost, &mut best[1].1)?;
        }
        Ok(best)
    }
}

/// Bytes a second that one thread copies, block by block of `size` bytes, from and to `total` bytes each.
pub(crate) fn copy_bandwidth(size: u64, total: u64) -> f64 {
    let size = size as usize;
    let blocks = (total as usize / size).max(1);
    let from: Vec<Vec<u8>> = (0..blocks).map(|at| vec![at as u8 | 1; size]).collect();
    let mut to: Vec<Vec<u8>> = (0..blocks).map(|_| vec![1; size]).collect();
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let begin = Instant::now();
        for (to, from) in to.iter_mut().zip(&from) {
            to.copy_from_slice(std::hint::black_box(from));
        }
        std::hint::black_box(&mut to);
        best = best.min(begin.elapsed().as_secs_f64());
    }
    (blocks * size) as f64 / best
}
