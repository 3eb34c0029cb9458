//! Tiles of one image that have no pixel in common do not wait for each other in one in-order queue, whether commands or kernels
//! touch them; those that have one do.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::{Duration, Instant};

use oxcl_compiler::{BuildOptions, Emit, Request, SourceFile, compile};
use oxcl_runtime::{
    ArgValue, Buffer, Context, ContextOptions, Event, Image, ImageFormat, ImageRegion, ImageShape, Kernel,
    NdRange, Program, Queue, QueueProperties, channel, order,
};

const SIDE: u64 = 64;
const TILE: u64 = 32;
const PATIENCE: Duration = Duration::from_secs(60);
/// The pixel of the kernel that takes a while, and the rounds that it needs for that.
const PIXEL: ImageRegion = ImageRegion { origin: [0, 8, 0], size: [1; 3], level: 0 };
const ROUNDS: u32 = 100_000_000;

const SOURCE: &str = "
// The coordinates are plain.
kernel void plain(write_only image2d_t out, uint colour) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(out, at, (uint4)(colour));
}
// One further to the left, and one that is asked for.
kernel void shifted(write_only image2d_t out, uint colour) {
  int x = get_global_id(0);
  if (x < get_image_width(out)) write_imageui(out, (int2)(x, get_global_id(1)) - (int2)(1, 0), (uint4)(colour));
}
// In its place, with what is to the right.
kernel void turned(read_write image2d_t both, uint colour) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imageui(both, at, (uint4)(colour) + (read_imageui(both, at + (int2)(1, 0)) & 0));
}
// Nobody knows where.
kernel void anywhere(write_only image2d_t out, uint colour) {
  write_imageui(out, (int2)(get_global_id(0) + (colour >> 8), get_global_id(1)), (uint4)(colour));
}
// In a level of a mipmap, whichever: there the pixel is another one.
kernel void levelled(write_only image2d_t out, uint colour) {
  write_imageui(out, (int2)(get_global_id(0), get_global_id(1)), (int)(colour >> 8), (uint4)(colour));
}
// One work-item that takes a while, and writes one pixel.
kernel void slow(write_only image2d_t out, uint rounds) {
  uint value = rounds;
  for (uint i = 0; i < rounds; i++) value = value * 3u + (value >> 7);
  write_imageui(out, (int2)(get_global_id(0), get_global_id(1)), (uint4)(value));
}";

struct Bench {
    program: Program,
    queue: Queue,
    image: Image,
}

fn image() -> Image {
    let format = ImageFormat { channel_order: order::RGBA, channel_type: channel::UNSIGNED_INT8 };
    Image::new(&ImageShape::plane(format, SIDE, SIDE)).unwrap()
}

fn bench() -> Bench {
    let sources = vec![SourceFile { name: "tiles.cl".to_owned(), text: SOURCE.to_owned() }];
    let mut request = Request::new(sources);
    request.options = BuildOptions::parse("-cl-std=CL3.0").unwrap();
    let archive = compile(&request, Emit::Archive, None).unwrap().bytes;
    let program = Program::from_archive(&archive).unwrap();
    let context = Context::new(ContextOptions { workers: 3, ..ContextOptions::default() }).unwrap();
    let device = context.device("cpu").unwrap();
    let properties = QueueProperties { out_of_order: false, profiling: true };
    let queue = context.queue(&device, properties).unwrap();
    Bench { program, queue, image: image() }
}

fn tile(x: u64, y: u64) -> ImageRegion {
    ImageRegion { origin: [x, y, 0], size: [TILE, TILE, 1], level: 0 }
}

/// Whether two commands were executed at one time for a while.
fn overlap(one: &Event, other: &Event) -> bool {
    let (one, other) = (one.times(), other.times());
    one.started.max(other.started) < one.ended.min(other.ended)
}

/// Whether a command was begun when another had ended.
fn follows(one: &Event, other: &Event) -> bool {
    one.times().started >= other.times().ended
}

impl Bench {
    fn kernel(&self, kernel: &Kernel, region: &ImageRegion, colour: u32, after: &[Event]) -> Event {
        let [x, y, _] = region.origin;
        let range = NdRange::new(&region.size[..2]).unwrap().with_offset(&[x, y]).unwrap();
        let colour = colour.to_le_bytes();
        let arguments = [self.image.argument(), ArgValue::Value(&colour)];
        self.queue.kernel(kernel, &range, &arguments, after).unwrap()
    }

    /// The first channel of a pixel.
    fn at(&self, x: u64, y: u64) -> u8 {
        self.image.buffer().to_vec()[(4 * (y * SIDE + x)) as usize]
    }
}

/// Enqueues commands until all of the second list were executed beside the first one: other work on the machine may keep threads from
/// running, but not for ever. Those of the third list must always follow it.
fn until_side_by_side(queue: &Queue, enqueue: impl Fn() -> (Event, Vec<Event>, Vec<Event>)) {
    let begun = Instant::now();
    loop {
        let (first, beside, behind) = enqueue();
        queue.finish().unwrap();
        assert!(behind.iter().all(|event| follows(event, &first)), "it touches the same pixels");
        if beside.iter().all(|event| overlap(event, &first)) {
            return;
        }
        let times: Vec<_> = beside.iter().map(Event::times).collect();
        assert!(begun.elapsed() < PATIENCE, "one after the other: {:?}, {times:?}", first.times());
    }
}

#[test]
fn commands_on_disjoint_tiles_are_executed_side_by_side() {
    let bench = bench();
    let (queue, image) = (&bench.queue, &bench.image);
    let (other, buffer) = (self::image(), Buffer::zeroed(4 * TILE * TILE).unwrap());
    let slow = bench.program.kernel("slow").unwrap();
    until_side_by_side(queue, || {
        let first = bench.kernel(&slow, &PIXEL, ROUNDS, &[]);
        let beside = vec![
            queue.fill_image(image, [2; 4], &tile(TILE, 0), &[]).unwrap(),
            queue
                .copy_image(&other, image, tile(0, 0).place(), tile(0, TILE).place(), [TILE, TILE, 1], &[])
                .unwrap(),
            queue.copy_image_to_buffer(image, &tile(TILE, 0), &buffer, 0, &[]).unwrap(),
        ];
        let behind = vec![
            queue.fill_image(image, [3; 4], &tile(0, 0), &[]).unwrap(),
            queue.copy_image_to_buffer(image, &tile(0, 0), &buffer, 0, &[]).unwrap(),
        ];
        (first, beside, behind)
    });
    let found = [(0, 0), (TILE, 0), (0, TILE), (TILE - 1, TILE - 1)].map(|(x, y)| bench.at(x, y));
    assert_eq!(found, [3, 2, 0, 3]);
    assert_eq!(buffer.to_vec()[..4], [3; 4]);
}

#[test]
fn kernels_wait_only_for_those_that_write_the_same_pixels() {
    let bench = bench();
    let [slow, plain, shifted, turned, anywhere, levelled] =
        ["slow", "plain", "shifted", "turned", "anywhere", "levelled"]
            .map(|name| bench.program.kernel(name).unwrap());
    until_side_by_side(&bench.queue, || {
        let first = bench.kernel(&slow, &PIXEL, ROUNDS, &[]);
        let beside = vec![
            bench.kernel(&plain, &tile(TILE, 0), 2, &[]),
            bench.kernel(&turned, &tile(TILE - 1, TILE), 7, &[]),
            // From the pixel left of the tile on.
            bench.kernel(&shifted, &tile(TILE / 2 + 1, 0), 3, &[]),
            bench.queue.fill_image(&bench.image, [4; 4], &tile(0, TILE), &[]).unwrap(),
        ];
        // Its first pixel is the slow kernel's.
        let behind = vec![
            bench.kernel(&shifted, &tile(1, 0), 5, &[]),
            bench.kernel(&anywhere, &tile(TILE, TILE), 6, &[]),
            bench.kernel(&levelled, &tile(TILE, TILE), 6, &[]),
        ];
        (first, beside, behind)
    });
    let places = [(0, 0), (TILE, 0), (2 * TILE - 1, 0), (TILE, 2 * TILE - 1), (0, TILE)];
    assert_eq!(places.map(|(x, y)| bench.at(x, y)), [5, 3, 2, 6, 4]);
}
