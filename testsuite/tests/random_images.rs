//! Random programs over images of all kinds, buffers that images lie in, kernels, copies, fills and mappings: on devices of every
//! kind at once, two of them with a quarter of the memory that the images take, they leave the bytes that a serial run on
//! `basic` leaves, and read what it reads.
//!
//! Commands that conflict are ordered by their wait lists, or by the order of a queue, and by nothing else. A failing
//! program prints its seed: `OXCL_SEED=N` runs it alone, `OXCL_PROGRAMS=N` that many.

#![allow(clippy::print_stderr, reason = "a long run says what was moved")]

use std::ops::Range;

use oxcl_compiler::{BuildOptions, Devices, Emit, Request, SourceFile, compile};
use oxcl_runtime::{
    Addressing, ArgValue, Buffer, Context, ContextOptions, Device, Event, Image, ImageFormat, ImageKind,
    ImageRegion, ImageShape, Kernel, MapAccess, Migration, NdRange, Program, Queue, QueueProperties, Sampler,
    channel, order,
};
use oxcl_testsuite::value::SplitMix;

/// Bytes of each memory, whatever images are in it; all of them are more than five times the smallest device memory.
const BYTES: u64 = 16 << 10;
const LENGTH: usize = 24;

/// What an image is made of; a program has one of each.
struct Plan {
    kind: ImageKind,
    order: u32,
    channel: u32,
    size: [u64; 3],
    elements: u64,
    /// 0: as small as can be.
    row_pitch: u64,
    levels: u32,
    /// The number of the memory that it lies in. Two images in one memory are two views of it.
    memory: usize,
}

const fn plan(kind: ImageKind, order: u32, channel: u32, size: [u64; 3], memory: usize) -> Plan {
    Plan { kind, order, channel, size, elements: 1, row_pitch: 0, levels: 0, memory }
}

const PLANS: [Plan; 24] = [
    plan(ImageKind::Image2d, order::RGBA, channel::UNORM_INT8, [64, 64, 1], 0),
    plan(ImageKind::Image2d, order::RGBA, channel::UNORM_INT8, [128, 32, 1], 1),
    plan(ImageKind::Image2d, order::BGRA, channel::UNORM_INT8, [64, 64, 1], 2),
    plan(ImageKind::Image2d, order::R, channel::UNORM_INT8, [100, 160, 1], 3),
    plan(ImageKind::Image2d, order::RGBA, channel::UNORM_INT16, [32, 64, 1], 4),
    plan(ImageKind::Image2d, order::RGBA, channel::FLOAT, [32, 32, 1], 5),
    plan(ImageKind::Image2d, order::R, channel::FLOAT, [64, 60, 1], 6),
    plan(ImageKind::Image3d, order::RGBA, channel::UNORM_INT8, [16, 16, 16], 7),
    plan(ImageKind::Image3d, order::RGBA, channel::UNORM_INT8, [5, 25, 31], 8),
    Plan { elements: 4, ..plan(ImageKind::Image2dArray, order::RGBA, channel::UNORM_INT8, [32, 32, 1], 9) },
    Plan { elements: 7, ..plan(ImageKind::Image2dArray, order::RG, channel::UNORM_INT8, [32, 32, 1], 10) },
    Plan { elements: 64, ..plan(ImageKind::Image1dArray, order::RGBA, channel::UNORM_INT8, [64, 1, 1], 11) },
    Plan { elements: 64, ..plan(ImageKind::Image1dArray, order::RG, channel::HALF_FLOAT, [64, 1, 1], 12) },
    plan(ImageKind::Image1d, order::RGBA, channel::UNORM_INT8, [4096, 1, 1], 13),
    // Mipmaps.
    Plan { levels: 6, ..plan(ImageKind::Image2d, order::RGBA, channel::UNORM_INT8, [60, 45, 1], 16) },
    Plan { levels: 4, ..plan(ImageKind::Image3d, order::RGBA, channel::UNORM_INT8, [16, 9, 20], 17) },
    Plan {
        levels: 3,
        elements: 5,
        ..plan(ImageKind::Image2dArray, order::RG, channel::UNORM_INT8, [33, 20, 1], 18)
    },
    Plan {
        levels: 7,
        elements: 20,
        ..plan(ImageKind::Image1dArray, order::RG, channel::HALF_FLOAT, [70, 1, 1], 19)
    },
    Plan { levels: 12, ..plan(ImageKind::Image1d, order::RGBA, channel::UNORM_INT8, [2048, 1, 1], 20) },
    // Two planes and a row in a buffer's bytes, the planes with bytes between the rows.
    Plan { row_pitch: 512, ..plan(ImageKind::Image2d, order::RGBA, channel::UNORM_INT8, [100, 32, 1], 14) },
    Plan { row_pitch: 256, ..plan(ImageKind::Image2d, order::RGBA, channel::SNORM_INT8, [60, 64, 1], 14) },
    plan(ImageKind::Image1dBuffer, order::RGBA, channel::UNORM_INT8, [4000, 1, 1], 14),
    // A buffer, which a plane is also in.
    plan(ImageKind::Image2d, order::RGBA, channel::UNORM_INT8, [64, 64, 1], 15),
    plan(ImageKind::Image1dBuffer, order::R, channel::UNORM_INT16, [8192, 1, 1], 15),
];
const MEMORIES: usize = 21;

/// Memories and the images in them.
struct Pictures {
    memories: Vec<Buffer>,
    images: Vec<Image>,
}

impl Pictures {
    fn new() -> Self {
        let memories: Vec<Buffer> = (0..MEMORIES)
            .map(|number| match number % 3 {
                0 => Buffer::zeroed(BYTES).unwrap(),
                _ => Buffer::from_bytes(&vec![number as u8 + 0x30; BYTES as usize]).unwrap(),
            })
            .collect();
        let images = PLANS.iter().map(|plan| {
            let format = ImageFormat { channel_order: plan.order, channel_type: plan.channel };
            let &Plan { kind, size, elements, row_pitch, levels, memory, .. } = plan;
            let shape =
                ImageShape { kind, format, size, array_size: elements, row_pitch, slice_pitch: 0, levels };
            Image::in_buffer(&memories[memory], &shape).unwrap()
        });
        let images = images.collect();
        Self { memories, images }
    }
}

/// Numbers from a seed.
struct Random(SplitMix);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0.next() % limit
    }

    fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }

    /// Pixels of an image: all of a level, or a box at any place.
    fn region(&mut self, image: &Image) -> ImageRegion {
        let level = self.below(image.description().level_count().into()) as u32;
        self.region_of(image, level)
    }

    fn region_of(&mut self, image: &Image, level: u32) -> ImageRegion {
        let whole = image.whole_level(level);
        if self.below(3) == 0 {
            return whole;
        }
        let mut region = whole;
        for d in 0..3 {
            region.origin[d] = self.below(whole.size[d]);
            region.size[d] = 1 + self.below(whole.size[d] - region.origin[d]);
        }
        region
    }

    /// An image for which something holds.
    fn image(&mut self, holds: impl Fn(&Plan) -> bool) -> usize {
        let fitting: Vec<usize> = (0..PLANS.len()).filter(|&image| holds(&PLANS[image])).collect();
        self.one_of(&fitting)
    }

    /// Two regions of one size in images in different memories, for which something holds.
    fn pair(
        &mut self,
        images: &[Image],
        holds: impl Fn(&Plan, &Plan) -> bool,
    ) -> Option<[(usize, ImageRegion); 2]> {
        let from = self.image(|_| true);
        let fits = |to: &Plan| to.memory != PLANS[from].memory && holds(&PLANS[from], to);
        if !PLANS.iter().any(fits) {
            return None;
        }
        let to = self.image(fits);
        let mut sides = [self.region(&images[from]), self.region(&images[to])];
        for d in 0..3 {
            let size = sides[0].size[d].min(sides[1].size[d]);
            sides.iter_mut().for_each(|side| side.size[d] = size);
        }
        Some([(from, sides[0]), (to, sides[1])])
    }

    fn step(&mut self, images: &[Image]) -> Step {
        let value = self.below(256) as u8;
        let same_kind =
            |one: &Plan, other: &Plan| one.kind == other.kind && one.kind != ImageKind::Image1dBuffer;
        let same_format = |one: &Plan, other: &Plan| one.order == other.order && one.channel == other.channel;
        let image = self.image(|_| true);
        let region = self.region(&images[image]);
        let plane = self.image(|plan| plan.kind == ImageKind::Image2d && plan.memory != 15);
        let part = self.region(&images[plane]);
        let first = self.region_of(&images[plane], 0);
        match self.below(20) {
            0..=4 => match self.pair(images, same_kind) {
                Some([from, to]) => Step::Move { from, to, by: value as i8 >> 4, sampled: value % 4 },
                None => Step::Turn { image, region },
            },
            5..=7 => Step::Turn { image, region },
            8 => Step::Pack { plane, region: first },
            9 => Step::Unpack { plane, region: first },
            10 => Step::Fill { image, region, value },
            11 => Step::Write { image, region, value, padding: u64::from(value % 3) * 8 },
            12 => Step::Read { image, region, padding: u64::from(value % 3) * 8 },
            // From a level to the next.
            13 if images[image].description().level_count() > region.level + 1 => {
                let mut to = images[image].whole_level(region.level + 1);
                for d in 0..3 {
                    to.size[d] = to.size[d].min(region.size[d]);
                }
                Step::Copy { from: (image, region), to: (image, to) }
            }
            13 | 14 => match self.pair(images, same_format) {
                Some([from, to]) => Step::Copy { from, to },
                None => Step::Fill { image, region, value },
            },
            15 => Step::ToBuffer { image: plane, region: part, offset: 3 * u64::from(value) },
            16 => Step::FromBuffer { image: plane, region: part, offset: 3 * u64::from(value) },
            17 => Step::Map { image, region, value },
            18 => Step::Migrate { image, to_host: value < 128 },
            _ => Step::Host { image, value },
        }
    }
}

#[derive(Debug, Clone)]
enum Step {
    Move { from: (usize, ImageRegion), to: (usize, ImageRegion), by: i8, sampled: u8 },
    Turn { image: usize, region: ImageRegion },
    Pack { plane: usize, region: ImageRegion },
    Unpack { plane: usize, region: ImageRegion },
    Fill { image: usize, region: ImageRegion, value: u8 },
    Write { image: usize, region: ImageRegion, value: u8, padding: u64 },
    Read { image: usize, region: ImageRegion, padding: u64 },
    Copy { from: (usize, ImageRegion), to: (usize, ImageRegion) },
    ToBuffer { image: usize, region: ImageRegion, offset: u64 },
    FromBuffer { image: usize, region: ImageRegion, offset: u64 },
    Map { image: usize, region: ImageRegion, value: u8 },
    Migrate { image: usize, to_host: bool },
    Host { image: usize, value: u8 },
}

/// Bytes of a memory.
#[derive(Debug, Clone)]
struct Span {
    memory: usize,
    bytes: Range<u64>,
}

/// The memory that buffers' sides of steps are in.
const BUFFER: usize = 15;

/// Where a region's bytes begin and end in its image.
fn bytes_of(image: &Image, region: &ImageRegion) -> Range<u64> {
    let [row, slice] = image.level_pitches(region.level);
    let (start, _) = image.description().level(region.level);
    let pixel = image.description().element_size;
    let at = |[x, y, z]: [u64; 3]| start + x * pixel + y * row + z * slice;
    let last: [u64; 3] = std::array::from_fn(|d| region.origin[d] + region.size[d] - 1);
    at(region.origin)..at(last) + pixel
}

impl Step {
    /// What it reads and what it writes: kernels may touch whole images.
    fn uses(&self, images: &[Image]) -> (Vec<Span>, Vec<Span>) {
        let span = |image: usize, bytes| Span { memory: PLANS[image].memory, bytes };
        let whole = |image: usize| span(image, 0..BYTES);
        let part = |image: usize, region| span(image, bytes_of(&images[image], region));
        let buffer = Span { memory: BUFFER, bytes: 0..BYTES };
        match self {
            Self::Move { from, to, .. } => (vec![whole(from.0)], vec![whole(to.0)]),
            Self::Turn { image, .. } => (vec![], vec![whole(*image)]),
            Self::Pack { plane, .. } => (vec![whole(*plane)], vec![buffer]),
            Self::Unpack { plane, .. } => (vec![buffer], vec![whole(*plane)]),
            Self::Fill { image, region, .. }
            | Self::Write { image, region, .. }
            | Self::Map { image, region, .. } => (vec![], vec![part(*image, region)]),
            Self::Read { image, region, .. } => (vec![part(*image, region)], vec![]),
            Self::Copy { from, to } => (vec![part(from.0, &from.1)], vec![part(to.0, &to.1)]),
            Self::ToBuffer { image, region, .. } => (vec![part(*image, region)], vec![buffer]),
            Self::FromBuffer { image, region, .. } => (vec![buffer], vec![part(*image, region)]),
            Self::Migrate { image, .. } => (vec![whole(*image)], vec![]),
            Self::Host { image, .. } => (vec![], vec![whole(*image)]),
        }
    }

    fn conflicts(&self, other: &Self, images: &[Image]) -> bool {
        let ((reads, writes), (their_reads, their_writes)) = (self.uses(images), other.uses(images));
        let any = |ours: &[Span], theirs: &[Span]| {
            ours.iter().any(|one| theirs.iter().any(|other| overlap(one, other)))
        };
        any(&writes, &their_reads) || any(&writes, &their_writes) || any(&reads, &their_writes)
    }

    fn run(&self, program: &Program, pictures: &Pictures, on: On<'_>) -> Option<Event> {
        let On { queue, waits, host } = on;
        let Pictures { memories, images } = pictures;
        let launch = |name: &str, region: &ImageRegion, arguments: &[ArgValue<'_>]| {
            let kernel: Kernel = program.kernel(name).unwrap();
            let range = NdRange::new(&region.size).unwrap().with_offset(&region.origin).unwrap();
            queue.kernel(&kernel, &range, arguments, waits).unwrap()
        };
        let event = match self {
            Self::Move { from, to, by, sampled } => {
                let (input, output) = (images[from.0].argument(), images[to.0].argument());
                let by = i32::from(*by).to_le_bytes();
                let by = ArgValue::Value(&by[..]);
                let name = kind_name(to.0);
                let addressing = [Addressing::None, Addressing::ClampToEdge, Addressing::Clamp];
                let levels = [from.1.level, to.1.level].map(u32::to_le_bytes);
                match addressing.get(usize::from(*sampled)) {
                    _ if levels != [[0; 4]; 2] => {
                        let sampler = ArgValue::Sampler(Sampler::new(false, Addressing::Clamp, false));
                        let [first, second] = levels.each_ref().map(|level| ArgValue::Value(&level[..]));
                        let arguments = [input, sampler, output, by, first, second];
                        launch(&format!("level_{name}"), &to.1, &arguments)
                    }
                    None | Some(Addressing::None) => {
                        launch(&format!("move_{name}"), &to.1, &[input, output, by])
                    }
                    Some(&addressing) => {
                        let sampler = Sampler::new(false, addressing, false);
                        let arguments = [input, ArgValue::Sampler(sampler), output, by];
                        launch(&format!("sampled_{name}"), &to.1, &arguments)
                    }
                }
            }
            Self::Turn { image, region } => {
                let (name, argument) = (kind_name(*image), images[*image].argument());
                if region.level == 0 {
                    launch(&format!("turn_{name}"), region, &[argument])
                } else {
                    let level = region.level.to_le_bytes();
                    launch(&format!("turn_level_{name}"), region, &[argument, ArgValue::Value(&level[..])])
                }
            }
            Self::Pack { plane, region } | Self::Unpack { plane, region } => {
                // Only as many pixels as the buffer has words.
                let width = images[*plane].description().size[0] as i32;
                let rows = (BYTES / 4 / images[*plane].description().size[0]).min(region.size[1]);
                let mut region = *region;
                (region.origin[1], region.size[1]) = (0, rows);
                let (image, width) = (images[*plane].argument(), width.to_le_bytes());
                let (buffer, width) = (ArgValue::Buffer(&memories[BUFFER]), ArgValue::Value(&width[..]));
                match self {
                    Self::Pack { .. } => launch("pack", &region, &[image, buffer, width]),
                    _ => launch("unpack", &region, &[buffer, image, width]),
                }
            }
            Self::Fill { image, region, value } => {
                let colour = [0.25, f32::from(*value) / 255.0, 0.5, 1.0].map(f32::to_bits);
                queue.fill_image(&images[*image], colour, region, waits).unwrap()
            }
            Self::Write { image, region, value, padding } => {
                let image = &images[*image];
                let (pitch, bytes) = host_side(image, region, *padding);
                let data = host.keep(bytes, *value);
                // SAFETY: nobody changes the bytes, which are kept until the queues have finished.
                unsafe { queue.write_image_from(image, region, data, pitch, waits) }.unwrap()
            }
            Self::Read { image, region, padding } => {
                let image = &images[*image];
                let (pitch, bytes) = host_side(image, region, *padding);
                let data = host.keep(bytes, 0);
                // SAFETY: nobody looks at the bytes, which are kept, until the queues have finished.
                unsafe { queue.read_image_to(image, region, data, pitch, waits) }.unwrap()
            }
            Self::Copy { from, to } => {
                let ((image, region), (target, place)) = ((from.0, from.1), (to.0, to.1.place()));
                let (image, target) = (&images[image], &images[target]);
                queue.copy_image(image, target, region.place(), place, to.1.size, waits).unwrap()
            }
            Self::ToBuffer { image, region, offset } => {
                let (region, offset) = packed(&images[*image], region, *offset);
                queue
                    .copy_image_to_buffer(&images[*image], &region, &memories[BUFFER], offset, waits)
                    .unwrap()
            }
            Self::FromBuffer { image, region, offset } => {
                let (region, offset) = packed(&images[*image], region, *offset);
                queue
                    .copy_buffer_to_image(&memories[BUFFER], offset, &images[*image], &region, waits)
                    .unwrap()
            }
            Self::Map { image, region, value } => {
                let map = queue.map_image(&images[*image], MapAccess::ReadWrite, region, waits).unwrap();
                map.event().wait().unwrap();
                let mut seen = [0];
                map.read(0, &mut seen).unwrap();
                map.write(map.bytes() - 1, &[seen[0] ^ value]).unwrap();
                queue.unmap(&map, &[]).unwrap()
            }
            Self::Migrate { image, to_host } => {
                let to = if *to_host { Migration::ToHost } else { Migration::ToDevice };
                queue.migrate(&[images[*image].buffer().clone()], to, waits).unwrap()
            }
            Self::Host { image, value } => {
                waits.iter().for_each(|event| event.wait().unwrap());
                let mut byte = [0];
                let buffer = images[*image].buffer();
                buffer.read(3, &mut byte).unwrap();
                buffer.write(5, &[byte[0] ^ value]).unwrap();
                return None;
            }
        };
        Some(event)
    }
}

/// Where a step runs.
struct On<'a> {
    queue: &'a Queue,
    waits: &'a [Event],
    host: &'a mut Host,
}

/// Memory of the host program that commands read and write.
#[derive(Default)]
struct Host(Vec<Box<[u8]>>);

impl Host {
    /// Bytes that stay where they are.
    fn keep(&mut self, bytes: u64, value: u8) -> *mut u8 {
        let data: Box<[u8]> = (0..bytes).map(|at| (at as u8 & 0x3f).wrapping_mul(value)).collect();
        self.0.push(data);
        self.0.last_mut().unwrap().as_mut_ptr()
    }
}

fn kind_name(image: usize) -> &'static str {
    PLANS[image].kind.type_name(false).trim_end_matches("_t")
}

/// Pitches in the host's memory, with some bytes between rows and between slices, and the bytes of all.
fn host_side(image: &Image, region: &ImageRegion, padding: u64) -> ([u64; 2], u64) {
    let row = region.size[0] * image.description().element_size + padding;
    // The rows of an array of rows are its elements: what is between them is the slice pitch.
    let [slice, slices] = match image.description().kind {
        ImageKind::Image1dArray => [row + padding, region.size[1]],
        _ => [row * region.size[1] + padding, region.size[2]],
    };
    ([row, slice], slice * slices)
}

/// A region whose pixels have room in the buffer, and where they begin there.
fn packed(image: &Image, region: &ImageRegion, offset: u64) -> (ImageRegion, u64) {
    let mut region = *region;
    while region.size.iter().product::<u64>() * image.description().element_size + offset > BYTES {
        region.size[1] = region.size[1].div_ceil(2);
        region.size[0] = region.size[0].div_ceil(2);
    }
    (region, offset)
}

fn overlap(one: &Span, other: &Span) -> bool {
    one.memory == other.memory && one.bytes.start < other.bytes.end && other.bytes.start < one.bytes.end
}

/// A queue, and whether its order alone holds conflicting commands apart.
struct Lane {
    queue: Queue,
    in_order: bool,
}

/// Runs a program: each command in a queue of the seed's choice, behind those with which it conflicts. What is left in memory, and
/// what was read.
fn run(program: &Program, lanes: &[Lane], seed: u64) -> Left {
    let mut random = Random(SplitMix(seed));
    let pictures = Pictures::new();
    let mut host = Host::default();
    let mut done: Vec<(Step, usize, Option<Event>)> = Vec::new();
    for _ in 0..LENGTH {
        let step = random.step(&pictures.images);
        let lane = random.below(lanes.len() as u64) as usize;
        let waits = done.iter().filter(|(other, theirs, _)| {
            // The order of a queue is enough for what is in it; the host's own accesses are in none.
            let ordered = *theirs == lane && lanes[lane].in_order && !matches!(step, Step::Host { .. });
            !ordered && step.conflicts(other, &pictures.images)
        });
        let waits: Vec<Event> = waits.filter_map(|(_, _, event)| event.clone()).collect();
        let on = On { queue: &lanes[lane].queue, waits: &waits, host: &mut host };
        let event = step.run(program, &pictures, on);
        done.push((step, lane, event));
    }
    if seed.is_multiple_of(2) {
        lanes.iter().for_each(|lane| lane.queue.finish().unwrap());
    } else {
        done.iter().filter_map(|(_, _, event)| event.as_ref()).for_each(|event| event.wait().unwrap());
    }
    let memories = pictures.memories.iter().map(|memory| memory.contents().unwrap()).collect();
    Left { memories, read: host.0, steps: done.into_iter().map(|(step, lane, _)| (lane, step)).collect() }
}

/// What a program leaves.
struct Left {
    memories: Vec<Vec<u8>>,
    read: Vec<Box<[u8]>>,
    /// What it did, and in which queue.
    steps: Vec<(usize, Step)>,
}

impl Left {
    /// Says where two runs of a program differ, and what they did there.
    fn same(&self, found: &Self, seed: u64) {
        for (number, (want, got)) in self.memories.iter().zip(&found.memories).enumerate() {
            let Some(byte) = want.iter().zip(got).position(|(want, got)| want != got) else { continue };
            let images = Pictures::new().images;
            let here = |step: &Step| {
                let (reads, writes) = step.uses(&images);
                reads.iter().chain(&writes).any(|span| span.memory == number)
            };
            let steps = found.steps.iter().filter(|(_, step)| here(step));
            let steps: String = steps.map(|(lane, step)| format!("queue {lane}: {step:?}\n")).collect();
            panic!(
                "OXCL_SEED={seed}: memory {number} differs from byte {byte} on, {} instead of {}\n{steps}",
                got[byte], want[byte]
            );
        }
        let differs = self.read.iter().zip(&found.read).position(|(want, got)| want != got);
        assert!(differs.is_none(), "OXCL_SEED={seed}: what was read differs, {differs:?}");
    }
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn program() -> Program {
    let text = include_str!("random_images/kernels.cl").to_owned();
    let mut request = Request::new(vec![SourceFile { name: "kernels.cl".to_owned(), text }]);
    request.options = BuildOptions::parse("-cl-std=CL3.0").unwrap();
    request.devices = Devices { cpu: true, reference: true };
    Program::from_archive(&compile(&request, Emit::Archive, None).unwrap().bytes).unwrap()
}

#[test]
fn random_programs_over_images_leave_the_bytes_of_a_serial_run() {
    let program = program();
    let alone = Context::new(ContextOptions { workers: 1, ..ContextOptions::default() }).unwrap();
    let lane = |context: &Context, device: &Device, in_order: bool| {
        let properties = QueueProperties { out_of_order: !in_order, profiling: false };
        Lane { queue: context.queue(device, properties).unwrap(), in_order }
    };
    let serial = [lane(&alone, &alone.device("basic").unwrap(), true)];
    let context = Context::new(ContextOptions { workers: 3, ..ContextOptions::default() }).unwrap();
    let words = ["discrete:64K", "discrete:64K", "cpu", "basic", "discrete:1M", "ref"];
    let devices = words.map(|word| context.device(word).unwrap());
    let (reference, quick) = devices.split_last().unwrap();
    let mut lanes: Vec<Lane> = quick
        .iter()
        .flat_map(|device| [true, false].map(|in_order| lane(&context, device, in_order)))
        .collect();
    // `ref` takes long, a thread for each work-item: one queue of eleven.
    lanes.push(lane(&context, reference, true));
    let first = from_environment("OXCL_SEED");
    let count = first.map_or_else(|| from_environment("OXCL_PROGRAMS").unwrap_or(60), |_| 1);
    for seed in (first.unwrap_or(0)..).take(count as usize) {
        let want = run(&program, &serial, seed);
        want.same(&run(&program, &lanes, seed), seed);
    }
    let counters = devices.each_ref().map(|device| device.memory_counters());
    if count >= 50 {
        assert!(counters[..2].iter().all(|counters| counters.paged_out > 0 && counters.paged_in > 0));
        assert!(counters[..2].iter().all(|counters| counters.device_to_device > 0), "{counters:?}");
    }
    eprintln!("{count} programs: {:?}", &counters[..2]);
}
