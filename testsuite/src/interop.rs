//! The cases of interoperation with PoCL: programs whose launches touch every part of the launch interface, with the
//! results worked out here. The same cases run in both directions: our archives in PoCL, PoCL's in our runtime.

use std::error::Error;

use oxcl_runtime::{
    Addressing, ArgValue, Buffer, Device, ImageError, ImageFormat, ImageShape, NdRange, Program, Sampler,
    channel, order,
};

use crate::opencl::{Launch, Value};

/// A program, its launches, and what the buffers hold after them.
#[derive(Debug)]
pub struct Case {
    /// Name of the case: that of its file in `interop/`.
    pub name: &'static str,
    /// OpenCL C.
    pub source: &'static str,
    /// Launches, each with what its buffers hold afterwards.
    pub launches: Vec<(Launch, Vec<Vec<u8>>)>,
}

/// Every case.
#[must_use]
pub fn cases() -> Vec<Case> {
    vec![ids(), large_ids(), locals(), values(), two_kernels(), across(), images(), long_name()]
}

/// Runs the launches of a case with our runtime, each on buffers of its own, and gives what the buffers hold after it.
///
/// # Errors
///
/// The archive cannot be loaded, or a launch is refused or fails.
pub fn run_here(device: &str, binary: &[u8], case: &Case) -> Result<Vec<Vec<Vec<u8>>>, Box<dyn Error>> {
    let device = Device::by_name(device)?;
    let program = Program::from_archive(binary)?;
    case.launches.iter().map(|(launch, _)| launch_here(&device, &program, launch)).collect()
}

/// Launches once on buffers of its own, and gives what they hold after it.
pub(crate) fn launch_here(
    device: &Device,
    program: &Program,
    launch: &Launch,
) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let kernel = program.kernel(&launch.kernel)?;
    let sizes = |sizes: &[usize]| sizes.iter().map(|&size| size as u64).collect::<Vec<u64>>();
    let range = NdRange::new(&sizes(&launch.global))?
        .with_local(&sizes(&launch.local))?
        .with_offset(&sizes(&launch.offset))?;
    let mut buffers = Vec::new();
    for value in &launch.args {
        buffers.push(match value {
            Value::Buffer(bytes) | Value::Image { pixels: bytes, .. } => Some(Buffer::from_bytes(bytes)?),
            Value::Value(_) | Value::Local(_) | Value::Sampler(_) => None,
        });
    }
    let args: Vec<ArgValue<'_>> = launch
        .args
        .iter()
        .zip(&buffers)
        .map(|(value, buffer)| match (value, buffer) {
            (Value::Local(size), _) => Ok(ArgValue::Local(*size as u64)),
            (Value::Value(bytes), _) => Ok(ArgValue::Value(bytes)),
            (Value::Buffer(_), Some(buffer)) => Ok(ArgValue::Buffer(buffer)),
            (Value::Image { format, size, .. }, Some(buffer)) => {
                let [channel_order, channel_type] = *format;
                let format = ImageFormat { channel_order, channel_type };
                let shape = ImageShape::plane(format, size[0] as u64, size[1] as u64);
                Ok(ArgValue::Image(buffer, shape.describe()?))
            }
            (Value::Sampler(words), _) => Ok(ArgValue::Sampler(sampler(*words))),
            (Value::Buffer(_) | Value::Image { .. }, None) => Ok(ArgValue::Null),
        })
        .collect::<Result<_, ImageError>>()?;
    device.launch(&kernel, &range, &args)?;
    Ok(buffers.iter().flatten().map(Buffer::to_vec).collect())
}

/// OpenCL's numbers of addressing modes and filters that the cases have.
const CLAMP: u32 = 0x1132;
const NEAREST: u32 = 0x1140;

/// A sampler of these numbers.
fn sampler([normalised, addressing, filter]: [u32; 3]) -> Sampler {
    let addressing = if addressing == CLAMP { Addressing::Clamp } else { Addressing::None };
    Sampler::new(normalised != 0, addressing, filter != NEAREST)
}

fn launch(kernel: &str, sizes: [&[usize]; 3], args: Vec<Value>) -> Launch {
    let [global, local, offset] = sizes.map(<[usize]>::to_vec);
    Launch { kernel: kernel.to_owned(), global, local, offset, args }
}

/// The bytes of the numbers one after another, as the device stores them.
macro_rules! bytes {
    ($numbers:expr) => {
        ($numbers).into_iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>()
    };
}

fn ids() -> Case {
    let shapes: [[&[usize]; 3]; 6] = [
        [&[24], &[4], &[0]],
        [&[21], &[7], &[5]],
        [&[12, 6], &[4, 2], &[3, 7]],
        [&[9, 4], &[1, 4], &[0, 0]],
        [&[8, 4, 6], &[2, 4, 3], &[1, 2, 3]],
        [&[5, 3, 2], &[5, 1, 1], &[0, 0, 9]],
    ];
    let launches = shapes.map(|shape| {
        let items: usize = shape[0].iter().product();
        let args = vec![Value::Buffer(vec![0xff; items * 22 * 8])];
        (launch("ids", shape, args), vec![bytes!(facts(shape))])
    });
    Case { name: "ids", source: include_str!("../interop/ids.cl"), launches: launches.into_iter().collect() }
}

fn large_ids() -> Case {
    const EDGE: usize = 1 << 31;
    let shapes: [[&[usize]; 3]; 4] = [
        [&[8, 1], &[8, 1], &[0, EDGE - 1]],
        [&[8, 1], &[4, 1], &[EDGE - 4, 0]],
        [&[4, 2], &[4, 1], &[3 * EDGE, 2 * EDGE - 1]],
        [&[8, 2], &[8, 2], &[EDGE - 8, 5]],
    ];
    let launches = shapes.map(|shape| {
        let [global, _, offset] = shape;
        let ids = (0..global[1]).flat_map(|y| (0..global[0]).map(move |x| (x + offset[0], y + offset[1])));
        let cut = ids.flat_map(|(x, y)| {
            let (low, high) = (x as u32, (y as u32).wrapping_add(1));
            [i64::from(low.cast_signed()), i64::from(high)]
        });
        let args = vec![Value::Buffer(vec![0xff; global[0] * global[1] * 16])];
        (launch("large_ids", shape, args), vec![bytes!(cut)])
    });
    let source = include_str!("../interop/large_ids.cl");
    Case { name: "large_ids", source, launches: launches.into_iter().collect() }
}

/// What the work-items of a launch are told, item by item, x fastest.
fn facts([global, local, offset]: [&[usize]; 3]) -> Vec<u64> {
    let at = |sizes: &[usize], dimension: usize, default| sizes.get(dimension).copied().unwrap_or(default);
    let items: usize = global.iter().product();
    let mut facts = Vec::new();
    for item in 0..items {
        let mut rest = item;
        for d in 0..3 {
            let (size, group, start) = (at(global, d, 1), at(local, d, 1), at(offset, d, 0));
            let id = rest % size;
            rest /= size;
            facts.extend([start + id, id % group, id / group, group, size / group, size, start]);
        }
        facts.push(global.len());
    }
    facts.into_iter().map(|fact| fact as u64).collect()
}

fn locals() -> Case {
    let launches = [(64_usize, 16_usize), (128, 64), (6, 1)].map(|(items, group)| {
        let input: Vec<i32> = (0..items as i32).map(|i| i * i - 40 * i).collect();
        let output = (0..items).map(|i| {
            let (start, item) = (i / group * group, i % group);
            let turned = input[start + group - 1 - item];
            let doubled = input[start + (item + 1) % group] * 2;
            turned + doubled + (i / group) as i32 * 1000 - 17
        });
        let args = vec![
            Value::Buffer(bytes!(input.clone())),
            Value::Buffer(vec![0; items * 4]),
            Value::Local(group * 4),
            Value::Value((-17_i32).to_le_bytes().to_vec()),
        ];
        let after = vec![bytes!(input.clone()), bytes!(output)];
        (launch("exchange", [&[items], &[group], &[0]], args), after)
    });
    Case {
        name: "locals",
        source: include_str!("../interop/locals.cl"),
        launches: launches.into_iter().collect(),
    }
}

fn values() -> Case {
    let (scale, tag, shift, wide, tail) = (-3_i32, 77_i16, [5, -6, 7, -8_i32], 1_i64 << 40, [-1_i8, 2, -3]);
    let mut parameters = vec![0xaa_u8; 48];
    parameters[0..4].copy_from_slice(&scale.to_le_bytes());
    parameters[4..6].copy_from_slice(&tag.to_le_bytes());
    parameters[16..32].copy_from_slice(&bytes!(shift));
    parameters[32..40].copy_from_slice(&wide.to_le_bytes());
    parameters[40..43].copy_from_slice(&bytes!(tail));
    let vector = [100, 200, -300, 0x7777_i32];
    let output = (0..24_usize).map(|item| {
        item as i64 * i64::from(scale)
            + i64::from(tag)
            + i64::from(shift[item & 3])
            + wide
            + i64::from(tail[item % 3])
            + 250
            + i64::from(vector[0] * 3 + vector[1] * 5 + vector[2] * 7)
    });
    let args = vec![
        Value::Buffer(vec![0; 24 * 8]),
        Value::Value(parameters),
        Value::Value(vec![250]),
        Value::Value(bytes!(vector)),
    ];
    Case {
        name: "values",
        source: include_str!("../interop/values.cl"),
        launches: vec![(launch("values", [&[24], &[6], &[0]], args), vec![bytes!(output)])],
    }
}

fn two_kernels() -> Case {
    let first = (0..40_u32).map(|i| i * 3);
    let input: Vec<u32> = (0..32).map(|i| i * 7).collect();
    let second: Vec<u32> = input.iter().zip(0..).map(|(value, i)| value + i % 8 + 8).collect();
    let launches = vec![
        (launch("first", [&[40], &[10], &[0]], vec![Value::Buffer(vec![0; 160])]), vec![bytes!(first)]),
        (
            launch(
                "second",
                [&[32], &[8], &[0]],
                vec![Value::Buffer(bytes!(input.clone())), Value::Buffer(vec![0; 128])],
            ),
            vec![bytes!(input), bytes!(second)],
        ),
    ];
    Case { name: "two_kernels", source: include_str!("../interop/two_kernels.cl"), launches }
}

fn across() -> Case {
    const GROUP: usize = 4096;
    let input: Vec<u32> = (0..2 * GROUP as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
    let mine: Vec<u32> = input.iter().map(|i| i.wrapping_mul(3).wrapping_add(1)).collect();
    let output = (0..input.len()).map(|i| {
        let item = i % GROUP;
        let other = u64::from(mine[i - item + GROUP - 1 - item]);
        let (mine, item) = (u64::from(mine[i]), item as u64);
        mine + other * 7 + mine + item * 3 + (mine + item) * 5 + mine * 5
    });
    let args = vec![
        Value::Buffer(bytes!(input.clone())),
        Value::Buffer(vec![0; input.len() * 8]),
        Value::Local(GROUP * 4),
    ];
    let after = vec![bytes!(input.clone()), bytes!(output)];
    Case {
        name: "across",
        source: include_str!("../interop/across.cl"),
        launches: vec![(launch("across", [&[input.len()], &[GROUP], &[0]], args), after)],
    }
}

fn images() -> Case {
    const WIDTH: usize = 13;
    const HEIGHT: usize = 7;
    let pixel = |x: usize, y: usize| [0, 1, 2, 3].map(|c| (((y * WIDTH + x) * 4 + c) * 7) as u8);
    let plane = |width: usize, height: usize, of: &dyn Fn(usize, usize) -> [u8; 4]| -> Vec<u8> {
        (0..width * height).flat_map(|at| of(at % width, at / width)).collect()
    };
    let picture = plane(WIDTH, HEIGHT, &pixel);
    let turned = plane(HEIGHT, WIDTH, &|x, y| pixel(y, x));
    // Formats that PoCL has too.
    let other = plane(2, 2, &|x, y| [9, 8, (x * y * 255) as u8, 7]);
    let counts = bytes!((0..6_u16).map(|n| n * 5000));
    let image = |format, size, pixels: &[u8]| Value::Image { format, size, pixels: pixels.to_vec() };
    let args = vec![
        image([order::RGBA, channel::UNORM_INT8], [WIDTH, HEIGHT], &picture),
        image([order::RGBA, channel::UNORM_INT8], [HEIGHT, WIDTH], &vec![0; picture.len()]),
        Value::Sampler([0, CLAMP, NEAREST]),
        image([order::BGRA, channel::UNORM_INT8], [2, 2], &other),
        image([order::R, channel::UNSIGNED_INT16], [3, 2], &counts),
        Value::Buffer(vec![0; 28]),
    ];
    let said = [13.0_f32, 7.0, order::RGBA as f32, channel::UNSIGNED_INT16 as f32, 0.0, 1.0, 25000.0];
    let after = vec![picture, turned, other, counts, bytes!(said)];
    let launches = vec![(launch("turn", [&[HEIGHT, WIDTH], &[1, 1], &[0, 0]], args), after)];
    Case { name: "images", source: include_str!("../interop/images.cl"), launches }
}

fn long_name() -> Case {
    let kernel = "a_kernel_whose_name_is_longer_than_the_fifty_nine_characters_that_paths_keep";
    let launches =
        vec![(launch(kernel, [&[8], &[4], &[0]], vec![Value::Buffer(vec![0; 32])]), vec![bytes!(1..9_i32)])];
    Case { name: "long_name", source: include_str!("../interop/long_name.cl"), launches }
}
