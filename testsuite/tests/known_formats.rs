//! Functions that are made for formats and samplers give the bytes of those for any: every format that can be read or written, in
//! floats or whole numbers, by samplers of each kind; and every kind of image, with pitches of its own and with levels.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use oxcl_binary::known::FEW_PIXELS;
use oxcl_compiler::{BuildOptions, Emit, Request, SourceFile, compile};
use oxcl_driver::image::ImageUse;
use oxcl_runtime::{
    Addressing, ArgValue, Buffer, Context, ContextOptions, Image, ImageFormat, ImageKind, ImageShape,
    KnownOf, LaunchShape, NdRange, Program, Sampler, channel, order,
};
use oxcl_testsuite::value::SplitMix;

const WIDTH: u64 = 37;
const HEIGHT: u64 = 5;
const LOCAL: [u64; 2] = [37, 1];

/// Each reads pixels, says what they are, and writes others. Coordinates are also outside of the image.
const SOURCE: &str = "
#define KERNEL(NAME, T4, READ, WRITE, OTHER)                                                                           \\
  kernel void NAME(read_only image2d_t in, sampler_t how, write_only image2d_t out, global T4 *seen) {                 \\
    int x = get_global_id(0), y = get_global_id(1);                                                                    \\
    float2 at = (float2)(x * 1.3f - 5.0f, y * 1.7f - 1.0f);                                                            \\
    T4 c = READ(in, how, x & 1 ? at : at / (float2)(37.0f, 5.0f));                                                     \\
    T4 d = READ(in, (int2)(x, y));                                                                                     \\
    int place = y * get_global_size(0) + x;                                                                            \\
    seen[2 * place] = c, seen[2 * place + 1] = d;                                                                      \\
    WRITE(out, (int2)(x + 3, y), OTHER);                                                                               \\
  }
KERNEL(floats, float4, read_imagef, write_imagef, d * 1.5f - (float)x * 0.03f)
KERNEL(ints, int4, read_imagei, write_imagei, d * 3 - x)
KERNEL(uints, uint4, read_imageui, write_imageui, d * 3u + (uint)x)
";

/// The same for kinds of images: coordinates of each are some of four numbers.
const KINDS: &str = "
#define KERNEL(NAME, KIND, PLACE, LEVEL)                                                                               \
  kernel void NAME(read_only KIND in, sampler_t how, write_only image2d_t out, global float4 *seen) {                  \
    int x = get_global_id(0), y = get_global_id(1);                                                                    \
    int4 whole = (int4)((x * 7 + y) % 9, (x + y) % 4, (x * 3 + y) % 3, 0);                                             \
    float4 real = (float4)(x * 1.3f - 5.0f, y * 1.7f - 1.0f, x * 0.1f + y * 0.7f - 1.0f, 0);                           \
    float4 c = read_imagef(in, how, real PLACE);                                                                       \
    float4 d = read_imagef(in, whole PLACE) LEVEL;                                                                     \
    int place = y * get_global_size(0) + x;                                                                            \
    seen[2 * place] = c, seen[2 * place + 1] = d;                                                                      \
    write_imagef(out, (int2)(x, y), d);                                                                                \
  }
KERNEL(one, image1d_t, .x, )
KERNEL(one_array, image1d_array_t, .xy, )
KERNEL(two, image2d_t, .xy, )
KERNEL(two_array, image2d_array_t, , )
KERNEL(three, image3d_t, , )
KERNEL(levels, image3d_t, , + read_imagef(in, how, real, (float)(x % 3)))
";

/// The kernel for a format.
fn kernel_of(format: ImageFormat) -> &'static str {
    match format.channel_type {
        channel::SIGNED_INT8 | channel::SIGNED_INT16 | channel::SIGNED_INT32 => "ints",
        channel::UNSIGNED_INT8 | channel::UNSIGNED_INT16 | channel::UNSIGNED_INT32 => "uints",
        _ => "floats",
    }
}

/// A launch: what is read, how, and what is written.
struct Case {
    kernel: &'static str,
    images: [ImageShape; 2],
    sampler: Sampler,
}

/// One that is right for its addressing mode: those that repeat need normalised coordinates.
fn sampler(addressing: Addressing, linear: bool) -> Sampler {
    let normalised = matches!(addressing, Addressing::Repeat | Addressing::MirroredRepeat);
    Sampler::new(normalised, addressing, linear)
}

/// Each format is read and, where that can be, written; samplers come in turns.
fn cases() -> Vec<Case> {
    let modes = [
        Addressing::ClampToEdge,
        Addressing::Clamp,
        Addressing::Repeat,
        Addressing::MirroredRepeat,
        Addressing::Clamp,
    ];
    let plain = ImageFormat { channel_order: order::RGBA, channel_type: channel::FLOAT };
    let formats = ImageFormat::all(ImageKind::Image2d, ImageUse::Read);
    let formats = formats.filter(|format| format.channel_order != order::DEPTH);
    let case = |(number, format): (usize, ImageFormat)| {
        let kernel = kernel_of(format);
        let addressing = modes[number % modes.len()];
        let linear = kernel == "floats" && number % 2 == 1;
        let writable = format.is_supported(ImageKind::Image2d, ImageUse::Write);
        let images = [format, if writable { format } else { plain }]
            .map(|format| ImageShape::plane(format, WIDTH, HEIGHT));
        Case { kernel, images, sampler: sampler(addressing, linear) }
    };
    formats.enumerate().map(case).collect()
}

/// Each kind of image, of formats that have functions of their own and of one that has none, by samplers in turns.
fn kinds() -> Vec<Case> {
    let format = |channel_order, channel_type| ImageFormat { channel_order, channel_type };
    let formats = [
        format(order::R, channel::FLOAT),
        format(order::RGBA, channel::UNORM_INT8),
        format(order::RGBA, channel::FLOAT),
        format(order::R, channel::UNORM_INT8),
        format(order::RG, channel::SNORM_INT16),
    ];
    let kinds = [
        ("one", ImageKind::Image1d, 0),
        ("one_array", ImageKind::Image1dArray, 0),
        ("two", ImageKind::Image2d, 0),
        ("two_array", ImageKind::Image2dArray, 0),
        ("three", ImageKind::Image3d, 0),
        ("levels", ImageKind::Image3d, 3),
    ];
    let modes = [Addressing::ClampToEdge, Addressing::Clamp, Addressing::Repeat, Addressing::MirroredRepeat];
    let all = kinds.iter().flat_map(|kind| formats.iter().map(move |format| (*kind, *format)));
    let case = |(number, ((kernel, kind, levels), format)): (usize, ((_, ImageKind, u32), ImageFormat))| {
        let pixel = format.element_size().unwrap();
        // Rows of 11 pixels, and slices of five rows or, of one-dimensional ones, of one.
        let rows = if kind == ImageKind::Image1dArray { 1 } else { 5 };
        let (row_pitch, slice_pitch) = if levels > 0 { (0, 0) } else { (11 * pixel, 11 * rows * pixel) };
        let flat = matches!(kind, ImageKind::Image1d | ImageKind::Image2d);
        let from = ImageShape {
            kind,
            format,
            size: [9, 4, 3],
            array_size: if kind.is_array() { 4 } else { 1 },
            row_pitch: if kind == ImageKind::Image1d { 0 } else { row_pitch },
            slice_pitch: if flat { 0 } else { slice_pitch },
            levels,
        };
        let addressing = modes[number % modes.len()];
        let to = ImageShape::plane(formats[2], WIDTH, HEIGHT);
        Case { kernel, images: [from, to], sampler: sampler(addressing, number % 3 != 0) }
    };
    all.enumerate().map(case).collect()
}

fn image(shape: ImageShape) -> Image {
    let image = Image::new(&shape).unwrap();
    // Of floats any bits, infinities and what is not a number among them.
    let mut random = SplitMix(18);
    let bytes: Vec<u8> = (0..image.buffer().size()).map(|_| random.next() as u8).collect();
    image.buffer().write(0, &bytes).unwrap();
    image
}

struct Launched {
    shape: LaunchShape,
    specialised: bool,
    left: [Vec<u8>; 2],
}

fn launch(program: &Program, context: &Context, case: &Case) -> Launched {
    let device = context.device("cpu").unwrap();
    let [from, to] = case.images.map(image);
    let seen = Buffer::zeroed(32 * WIDTH * HEIGHT).unwrap();
    let arguments =
        [from.argument(), ArgValue::Sampler(case.sampler), to.argument(), ArgValue::Buffer(&seen)];
    let range = NdRange::new(&[WIDTH, HEIGHT]).unwrap().with_local(&LOCAL).unwrap();
    let kernel = program.kernel(case.kernel).unwrap();
    let report = device.launch(&kernel, &range, &arguments).unwrap();
    Launched {
        shape: LaunchShape::of([LOCAL[0], LOCAL[1], 1], &arguments),
        specialised: report.specialised,
        left: [seen.to_vec(), to.buffer().to_vec()],
    }
}

#[test]
fn every_format_gives_the_same_bytes_where_it_is_known() {
    let cases = cases();
    assert!(cases.len() > 60);
    same_where_known(SOURCE, &cases);
}

#[test]
fn every_kind_of_image_gives_the_same_bytes_where_it_is_small() {
    let cases = kinds();
    let few = |case: &Case| case.images[0].describe().unwrap().known_value().unwrap() & FEW_PIXELS != 0;
    assert!(cases.iter().all(few));
    same_where_known(KINDS, &cases);
}

fn same_where_known(source: &str, cases: &[Case]) {
    let sources = vec![SourceFile { name: "known.cl".to_owned(), text: source.to_owned() }];
    let mut request = Request::new(sources);
    request.options = BuildOptions::parse("-cl-std=CL3.0").unwrap();
    let made = |request: &Request<'_>| {
        Program::from_archive(&compile(request, Emit::Archive, None).unwrap().bytes).unwrap()
    };
    let general = made(&request);
    let context = Context::new(ContextOptions { workers: 1, ..ContextOptions::default() }).unwrap();
    let wanted: Vec<Launched> = cases.iter().map(|case| launch(&general, &context, case)).collect();
    request.local_sizes = vec![[LOCAL[0], LOCAL[1], 1]];
    let known = cases.iter().zip(&wanted);
    let known = known.map(|(case, launched)| KnownOf {
        kernel: case.kernel.to_owned(),
        arguments: launched.shape.known.clone(),
    });
    request.known = known.collect();
    let special = made(&request);
    for (case, wanted) in cases.iter().zip(&wanted) {
        let found = launch(&special, &context, case);
        assert!(found.specialised && !wanted.specialised);
        assert!(found.left == wanted.left, "{:?}, {:?}", case.images, case.sampler);
    }
}
