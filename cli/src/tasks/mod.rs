//! The platform of `oxcl bench tasks`: compiled kernels on device `cpu` or another, through the runtime's own interface, with every
//! check that it makes. The kernels come from an archive, or are compiled where the compiler is linked in.

use oxcl_runtime::{
    ArgValue, Buffer, Coded, Context, ContextOptions, Device, Event, Kernel, Launch, NdRange, Program, Queue,
    QueueProperties, UserEvent,
};
use oxcl_scheduler::Access;
use oxcl_scheduler::bench::{BenchError, ELEMENTS, EMPTY_ITEMS, Platform, Work};
use std::sync::Arc;

/// The kernels' source.
#[cfg(feature = "compiler")]
pub(crate) const SOURCE: &str = include_str!("kernels.cl");

/// The kernels, found in a program.
#[derive(Debug, Clone)]
pub(crate) struct Kernels {
    increment: Kernel,
    work: Kernel,
    empty: Kernel,
}

impl Kernels {
    /// Finds them.
    pub(crate) fn of(program: &Program) -> Result<Self, oxcl_runtime::LoadError> {
        let kernel = |name| program.kernel(name);
        Ok(Self { increment: kernel("increment")?, work: kernel("work")?, empty: kernel("empty")? })
    }
}

/// A pool of workers of its own, with a device on it.
#[derive(Debug)]
pub(crate) struct Compiled {
    context: Context,
    device: Device,
    kernels: Kernels,
    /// Elements of the largest piece of work.
    elements: u64,
}

/// Elements of the piece that shows how fast a simulated processor is.
const SAMPLE: u64 = 16;

/// An error of the runtime, with its code.
#[derive(Debug, thiserror::Error)]
#[error("{error} [{}]", error.code())]
struct WithCode<E: Coded> {
    error: E,
}

fn refused<E: Coded + Send + Sync + 'static>(error: E) -> BenchError {
    BenchError::Platform(Box::new(WithCode { error }))
}

impl Compiled {
    /// Starts `workers` workers. On a simulated processor the largest piece of work takes about `piece` cycles at most.
    pub(crate) fn start(
        workers: usize,
        device: oxcl_workload::device::Device,
        kernels: &Kernels,
        piece: u64,
    ) -> Result<Self, BenchError> {
        let options = ContextOptions { workers, ..ContextOptions::default() };
        let context = Context::new(options).map_err(refused)?;
        let device = context.device(device.word()).map_err(refused)?;
        let mut platform = Self { context, device, kernels: kernels.clone(), elements: ELEMENTS };
        platform.elements = platform.bearable(piece)?;
        Ok(platform)
    }

    /// Elements of the largest piece of work: a power of two, and fewer than all on a simulated processor that takes too many
    /// cycles for them. Counted in cycles, so that every run takes the same number.
    fn bearable(&self, piece: u64) -> Result<u64, BenchError> {
        let Some(processor) = self.device.processor_core() else { return Ok(ELEMENTS) };
        let (input, to) = (self.input(Access::Read)?, self.cells(2)?);
        let sample = Work { input: &input, to: &to, elements: SAMPLE, groups: 1, uneven: false };
        let queue = self.queue(false)?;
        let launch = Platform::work(self, &sample)?;
        self.enqueue_silently(&queue, &launch, &[])?;
        self.finish(&queue)?;
        let cycles = processor.timeline().last().map_or(0, |span| span.ended - span.started);
        let most = (piece.saturating_mul(SAMPLE) / cycles.max(1)).clamp(1, ELEMENTS);
        Ok(1 << most.ilog2())
    }

    fn prepare(
        &self,
        kernel: &Kernel,
        items: u64,
        local: u64,
        arguments: &[ArgValue<'_>],
    ) -> Result<Launch, BenchError> {
        let range = NdRange::new(&[items]).and_then(|range| range.with_local(&[local])).map_err(refused)?;
        self.device.prepare(kernel, &range, arguments).map_err(refused)
    }
}

fn ones() -> Vec<u8> {
    (0..ELEMENTS).flat_map(|_| 1.0_f32.to_le_bytes()).collect()
}

impl Platform for Compiled {
    type Queue = Queue;
    type Buffer = Buffer;
    type Launch = Launch;

    fn elements(&self) -> u64 {
        self.elements
    }

    fn queue(&self, out_of_order: bool) -> Result<Queue, BenchError> {
        let properties = QueueProperties { out_of_order, profiling: false };
        self.context.queue(&self.device, properties).map_err(refused)
    }

    fn gate(&self) -> Result<UserEvent, BenchError> {
        self.context.user_event().map_err(refused)
    }

    fn cells(&self, count: u64) -> Result<Buffer, BenchError> {
        Buffer::zeroed(4 * count).map_err(refused)
    }

    fn input(&self, _flags: Access) -> Result<Buffer, BenchError> {
        // What counts is that the kernel only reads it, which the compiler has found out; flags add nothing.
        Buffer::from_bytes(&ones()).map_err(refused)
    }

    fn read(&self, cells: &Buffer) -> Result<Vec<u32>, BenchError> {
        let bytes = cells.to_vec();
        let word = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_le_bytes);
        Ok(bytes.chunks_exact(4).map(word).collect())
    }

    fn increment(&self, from: &Buffer, to: &Buffer) -> Result<Launch, BenchError> {
        self.prepare(&self.kernels.increment, 1, 1, &[ArgValue::Buffer(from), ArgValue::Buffer(to)])
    }

    fn work(&self, work: &Work<'_, Buffer>) -> Result<Launch, BenchError> {
        let elements = u32::try_from(work.elements).unwrap_or(u32::MAX).to_le_bytes();
        let uneven = u32::from(work.uneven).to_le_bytes();
        let arguments = [
            ArgValue::Buffer(work.input),
            ArgValue::Buffer(work.to),
            ArgValue::Value(&elements),
            ArgValue::Value(&uneven),
        ];
        self.prepare(&self.kernels.work, work.groups, 1, &arguments)
    }

    fn empty(&self, groups: u64) -> Result<Launch, BenchError> {
        self.prepare(&self.kernels.empty, groups * EMPTY_ITEMS, EMPTY_ITEMS, &[])
    }

    fn enqueue(&self, queue: &Queue, launch: &Launch, waits: &[Event]) -> Result<Event, BenchError> {
        queue.launch(launch, waits).map_err(refused)
    }

    fn enqueue_silently(&self, queue: &Queue, launch: &Launch, waits: &[Event]) -> Result<(), BenchError> {
        queue.launch_silently(launch, waits).map_err(refused)
    }

    fn overwrite(&self, queue: &Queue, input: &Buffer, waits: &[Event]) -> Result<(), BenchError> {
        queue.write(input, 0, Arc::<[u8]>::from(ones()), waits).map(drop).map_err(refused)
    }

    fn flush(&self, queue: &Queue) -> Result<(), BenchError> {
        queue.flush().map_err(refused)
    }

    fn finish(&self, queue: &Queue) -> Result<(), BenchError> {
        queue.finish().map_err(refused)
    }
}
