//! The programs of `oxcl bench scaling`: three kernels with much arithmetic, one launch of which is executed by one worker, by
//! several, or by one worker each in as many programs as there are to be workers, all at the same time.

use std::time::Duration;

use oxcl_runtime::{
    ArgValue, Buffer, Context, ContextOptions, Kernel, NdRange, Program, Queue, QueueProperties,
};

use crate::together::{self, told};

/// The kernels' source.
pub(crate) const SOURCE: &str = include_str!("kernels.cl");

/// A kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Work {
    /// Prices of a million options.
    Options,
    /// A picture of a megapixel.
    Mandelbrot,
    /// Forces between 8,192 bodies.
    Bodies,
}

impl Work {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Options => "options",
            Self::Mandelbrot => "mandelbrot",
            Self::Bodies => "bodies",
        }
    }

    /// Work-items in each direction.
    fn global(self) -> &'static [u64] {
        match self {
            Self::Options => &[1 << 20],
            Self::Mandelbrot => &[1024, 1024],
            Self::Bodies => &[8192],
        }
    }

    /// Work-items of a group.
    pub(crate) fn local(self) -> [u64; 3] {
        match self {
            Self::Options => [256, 1, 1],
            Self::Mandelbrot | Self::Bodies => [64, 1, 1],
        }
    }

    fn items(self) -> u64 {
        self.global().iter().product()
    }

    /// Bytes of a work-item's result.
    fn result_bytes(self) -> u64 {
        match self {
            Self::Options => 8,
            Self::Mandelbrot => 4,
            Self::Bodies => 16,
        }
    }

    /// What the kernel reads: four floats for each work-item, between 0.1 and 1.1; nothing of a picture.
    fn input(self) -> Vec<u8> {
        let mut state = 16_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            0.1 + (state >> 40) as f32 / 16_777_216.0
        };
        let floats = if self == Self::Mandelbrot { 0 } else { 4 * self.items() };
        (0..floats).flat_map(|_| next().to_le_bytes()).collect()
    }
}

/// A program that launches one kernel, with workers of its own.
pub(crate) struct Launcher {
    kernel: Kernel,
    range: NdRange,
    input: Option<Buffer>,
    output: Buffer,
    /// Of bodies.
    count: Option<[u8; 4]>,
    queue: Queue,
    /// The last: queues end first.
    _context: Context,
}

impl Launcher {
    /// With so many workers, the waiting thread included.
    pub(crate) fn new(archive: &[u8], workers: usize, work: Work) -> Result<Self, String> {
        let context = Context::new(ContextOptions { workers, ..ContextOptions::default() });
        let context = context.map_err(|error| error.to_string())?;
        let program = Program::from_archive(archive).map_err(|error| told(&error))?;
        let device = context.device("cpu").map_err(|error| told(&error))?;
        let properties = QueueProperties { out_of_order: false, profiling: false };
        let queue = context.queue(&device, properties).map_err(|error| error.to_string())?;
        let range = NdRange::new(work.global())
            .and_then(|range| range.with_local(&work.local()[..work.global().len()]));
        let input = work.input();
        let input = if input.is_empty() { None } else { Some(Buffer::from_bytes(&input)) };
        Ok(Self {
            kernel: program.kernel(work.name()).map_err(|error| told(&error))?,
            range: range.map_err(|error| told(&error))?,
            input: input.transpose().map_err(|error| told(&error))?,
            output: Buffer::zeroed(work.items() * work.result_bytes()).map_err(|error| told(&error))?,
            count: (work == Work::Bodies).then(|| (work.items() as u32).to_le_bytes()),
            queue,
            _context: context,
        })
    }

    /// Launches the kernel, and waits for it.
    pub(crate) fn launch(&self) -> Result<Duration, String> {
        let mut arguments = vec![ArgValue::Buffer(&self.output)];
        arguments.extend(self.input.as_ref().map(ArgValue::Buffer));
        arguments.extend(self.count.as_ref().map(|count| ArgValue::Value(&count[..])));
        together::timed(&self.queue, &self.kernel, &self.range, &arguments)
    }

    /// What the last launch left.
    pub(crate) fn result(&self) -> Result<Vec<u8>, String> {
        self.output.contents().map_err(|error| told(&error))
    }
}

/// The times of `runs` launches by each of these programs, all at the same time.
pub(crate) fn at_once(programs: &[Launcher], runs: u32) -> Result<Vec<Duration>, String> {
    together::run(programs.len(), runs, |member| member.run(|| programs[member.number].launch()))
}
