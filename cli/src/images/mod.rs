//! The programs of `oxcl bench images`: five kernels on images and on buffers, and what a scalar reference in double precision
//! says of their results.

mod reference;

use std::time::Duration;

use oxcl_runtime::{
    ArgValue, Buffer, Context, ContextOptions, Image, ImageFormat, ImageKind, ImageShape, Kernel,
    LaunchShape, NdRange, Program, Queue, QueueProperties, channel, order,
};

use crate::together::{self, told};

/// The kernels' source.
pub(crate) const SOURCE: &str = include_str!("kernels.cl");

const RGBA_BYTES: ImageFormat = ImageFormat { channel_order: order::RGBA, channel_type: channel::UNORM_INT8 };
const BGRA_BYTES: ImageFormat = ImageFormat { channel_order: order::BGRA, channel_type: channel::UNORM_INT8 };
const RGBA_SHORTS: ImageFormat =
    ImageFormat { channel_order: order::RGBA, channel_type: channel::UNORM_INT16 };
const FLOATS: ImageFormat = ImageFormat { channel_order: order::R, channel_type: channel::FLOAT };

/// A kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// 3x3 pixels, weighed.
    Convolution,
    /// Half as large again in each direction, between four pixels.
    Resize,
    /// Pixels at random places.
    Gather,
    /// A volume turned, between eight pixels.
    Volume,
    /// Four shorts to four bytes in another order.
    Format,
}

impl Work {
    pub(crate) const ALL: [Self; 5] =
        [Self::Convolution, Self::Resize, Self::Gather, Self::Volume, Self::Format];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Convolution => "convolution",
            Self::Resize => "resize",
            Self::Gather => "gather",
            Self::Volume => "volume",
            Self::Format => "format",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|work| work.name() == name)
    }

    /// Work-items in each direction, for a picture of `side` by `side` pixels.
    fn global(self, side: u64) -> [u64; 2] {
        match self {
            Self::Resize => [wide(side), wide(side)],
            Self::Volume => [deep(side), deep(side) * deep(side)],
            Self::Convolution | Self::Gather | Self::Format => [side, side],
        }
    }
}

/// The side of the larger picture.
fn wide(side: u64) -> u64 {
    side + side / 2
}

/// The side of the volume, which has twice as many pixels as the picture where that has 1024 by 1024, and no more for larger ones: its
/// layers lie below each other in the result, which can have 16,384 rows.
fn deep(side: u64) -> u64 {
    (side / 8).min(128)
}

const WEIGHTS: [f32; 9] = [0.0625, 0.125, 0.0625, 0.125, 0.25, 0.125, 0.0625, 0.125, 0.0625];

/// What the kernels read, by seed.
pub(crate) struct Inputs {
    side: u64,
    /// Four bytes a pixel.
    picture: Vec<u8>,
    /// Two coordinates for each pixel, some of them a little outside.
    places: Vec<i32>,
    /// Four shorts a pixel.
    shorts: Vec<u16>,
    /// From 0 to 1.
    volume: Vec<f32>,
}

impl Inputs {
    pub(crate) fn new(side: u64) -> Self {
        let mut state = 18_u64;
        let mut next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 33
        };
        let pixels = side * side;
        Self {
            side,
            picture: (0..4 * pixels).map(|_| next() as u8).collect(),
            places: (0..2 * pixels).map(|_| (next() % (side + 16)) as i32 - 8).collect(),
            shorts: (0..4 * pixels).map(|_| next() as u16).collect(),
            volume: (0..deep(side).pow(3)).map(|_| (next() % 65_536) as f32 / 65_536.0).collect(),
        }
    }
}

fn bytes<const N: usize, T: Copy>(values: &[T], of: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.iter().flat_map(|&value| of(value)).collect()
}

/// Where kernels run, and the program that they are in.
pub(crate) struct Pictures {
    context: Context,
    program: Program,
    pub(crate) inputs: Inputs,
}

/// A kernel's best time, and how far its results are from the reference's at most: in steps of a byte, or, of floats, in
/// thousandths.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ran {
    pub(crate) best: Duration,
    pub(crate) far: f64,
}

impl Pictures {
    /// With as many workers as are said, the waiting thread included.
    pub(crate) fn new(archive: &[u8], workers: usize, inputs: Inputs) -> Result<Self, String> {
        let context = Context::new(ContextOptions { workers, ..ContextOptions::default() });
        let context = context.map_err(|error| error.to_string())?;
        let program = Program::from_archive(archive).map_err(|error| told(&error))?;
        Ok(Self { context, program, inputs })
    }

    /// Takes the program's kernels from another archive.
    pub(crate) fn take(&mut self, archive: &[u8]) -> Result<(), String> {
        self.program = Program::from_archive(archive).map_err(|error| told(&error))?;
        Ok(())
    }

    /// The kernel's name, and what a function for its launches is made for.
    pub(crate) fn shape(&self, work: Work, on_images: bool) -> Result<(String, LaunchShape), String> {
        self.with(work, on_images, |kernel, range, arguments, _| {
            let device = self.context.device("cpu").map_err(|error| told(&error))?;
            let local = device.local_size_for(kernel, range).map_err(|error| told(&error))?;
            Ok((kernel.name().to_owned(), LaunchShape::of(local, arguments)))
        })
    }

    /// Runs a kernel, on images or on buffers, with the local size of `shape`, and compares what it leaves.
    pub(crate) fn run(
        &self,
        work: Work,
        on_images: bool,
        shape: &LaunchShape,
        runs: u32,
    ) -> Result<Ran, String> {
        self.with(work, on_images, |kernel, range, arguments, to| {
            let [x, y, _] = shape.local;
            let range = range.with_local(&[x, y]).map_err(|error| told(&error))?;
            let best = self.time(kernel, &range, arguments, runs)?;
            let left = to.contents().map_err(|error| told(&error))?;
            Ok(Ran { best, far: reference::distance(work, &self.inputs, &left) })
        })
    }

    /// Does something with a kernel, its index space, its arguments, and the memory of its result.
    fn with<R>(
        &self,
        work: Work,
        on_images: bool,
        act: impl FnOnce(&Kernel, &NdRange, &[ArgValue<'_>], &Buffer) -> Result<R, String>,
    ) -> Result<R, String> {
        let side = self.inputs.side;
        let global = work.global(side);
        let buffer = |bytes: &[u8]| Buffer::from_bytes(bytes).map_err(|error| told(&error));
        let image = |format, [width, height]: [u64; 2], content: Option<&Buffer>| {
            let shape = ImageShape::plane(format, width, height);
            match content {
                Some(content) => Image::in_buffer(content, &shape),
                None => Image::new(&shape),
            }
            .map_err(|error| told(&error))
        };
        let picture = buffer(&self.inputs.picture)?;
        let places = buffer(&bytes(&self.inputs.places, i32::to_le_bytes))?;
        let shorts = buffer(&bytes(&self.inputs.shorts, u16::to_le_bytes))?;
        let volume = buffer(&bytes(&self.inputs.volume, f32::to_le_bytes))?;
        let weights = buffer(&bytes(&WEIGHTS, f32::to_le_bytes))?;
        let step = (1.0 / (if work == Work::Volume { deep(side) } else { wide(side) }) as f32).to_le_bytes();
        let size = (if work == Work::Volume { deep(side) } else { side } as i32).to_le_bytes();
        let (step, size) = (ArgValue::Value(&step[..]), ArgValue::Value(&size[..]));
        let (in_format, out_format, content) = match work {
            Work::Volume => (FLOATS, FLOATS, &volume),
            Work::Format => (RGBA_SHORTS, BGRA_BYTES, &shorts),
            _ => (RGBA_BYTES, RGBA_BYTES, &picture),
        };
        let from = if work == Work::Volume {
            let size = [deep(side); 3];
            let shape = ImageShape { kind: ImageKind::Image3d, size, ..ImageShape::plane(FLOATS, 1, 1) };
            Image::in_buffer(content, &shape).map_err(|error| told(&error))?
        } else {
            image(in_format, [side, side], Some(content))?
        };
        let to = image(out_format, global, None)?;
        let (input, output) = if on_images {
            (from.argument(), to.argument())
        } else {
            (ArgValue::Buffer(content), ArgValue::Buffer(to.buffer()))
        };
        let (weights, places) = (ArgValue::Buffer(&weights), ArgValue::Buffer(&places));
        let arguments = match (work, on_images) {
            (Work::Convolution, true) => vec![input, output, weights],
            (Work::Convolution, false) => vec![input, output, weights, size, size],
            (Work::Resize, true) => vec![input, output, step, step],
            (Work::Resize, false) => vec![input, output, step, step, size, size],
            (Work::Gather, true) => vec![input, places, output],
            (Work::Gather, false) => vec![input, places, output, size, size],
            (Work::Volume, _) => vec![input, output, step, size],
            (Work::Format, _) => vec![input, output],
        };
        let name = format!("{}_{}", work.name(), if on_images { "image" } else { "buffer" });
        let kernel = self.program.kernel(&name).map_err(|error| told(&error))?;
        let range = NdRange::new(&global).map_err(|error| told(&error))?;
        act(&kernel, &range, &arguments, to.buffer())
    }

    /// The times of a kernel on images in one of the programs that run at the same time.
    pub(crate) fn run_in(
        &self,
        member: &together::Member<'_>,
        work: Work,
        shape: &LaunchShape,
    ) -> Result<(), String> {
        self.with(work, true, |kernel, range, arguments, _| {
            let [x, y, _] = shape.local;
            let range = range.with_local(&[x, y]).map_err(|error| told(&error))?;
            let queue = self.queue()?;
            let launch = || together::timed(&queue, kernel, &range, arguments);
            launch()?;
            member.run(launch)
        })
    }

    fn queue(&self) -> Result<Queue, String> {
        let device = self.context.device("cpu").map_err(|error| told(&error))?;
        let properties = QueueProperties { out_of_order: false, profiling: false };
        self.context.queue(&device, properties).map_err(|error| error.to_string())
    }

    fn time(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        arguments: &[ArgValue<'_>],
        runs: u32,
    ) -> Result<Duration, String> {
        let queue = self.queue()?;
        let launch = || together::timed(&queue, kernel, range, arguments);
        // The first run brings memory and code to where they are used.
        launch()?;
        (0..runs).try_fold(Duration::MAX, |best, _| Ok(best.min(launch()?)))
    }
}
