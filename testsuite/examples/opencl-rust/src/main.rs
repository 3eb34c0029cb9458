//! Heat that spreads in a plate: an OpenCL program in Rust with the crate `opencl3`. Each step is a launch that waits for the one
//! before; the host waits once, at the end. The borders let nothing out, so as much heat must be there then as at the beginning.

#![allow(clippy::print_stdout, reason = "it is what an example is for")]

use opencl3::command_queue::CommandQueue;
use opencl3::context::Context;
use opencl3::device::{CL_DEVICE_TYPE_ALL, Device, get_all_devices};
use opencl3::error_codes::ClError;
use opencl3::kernel::{ExecuteKernel, Kernel};
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE};
use opencl3::program::Program;
use opencl3::types::{CL_BLOCKING, cl_float, cl_int};
use std::error::Error;
use std::ptr;
use std::time::Instant;

const SOURCE: &str = r"
kernel void spread(global const float *from, global float *to, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  int left = max(x - 1, 0), right = min(x + 1, width - 1), above = max(y - 1, 0), below = min(y + 1, height - 1);
  float here = from[y * width + x];
  float around = from[y * width + left] + from[y * width + right] + from[above * width + x] + from[below * width + x];
  to[y * width + x] = here + 0.2f * (around - 4 * here);
}";

const WIDTH: usize = 256;
const HEIGHT: usize = 192;
const STEPS: usize = 500;

fn main() -> Result<(), Box<dyn Error>> {
    let devices = get_all_devices(CL_DEVICE_TYPE_ALL)?;
    let device = Device::new(*devices.first().ok_or("no OpenCL device")?);
    let context = Context::from_device(&device)?;
    let queue = CommandQueue::create_default_with_properties(&context, 0, 0)?;
    let program = Program::create_and_build_from_source(&context, SOURCE, "")?;
    let kernel = Kernel::create(&program, "spread")?;

    // A hot square in a cold plate.
    let mut plate = vec![0.0; WIDTH * HEIGHT];
    for y in 80..112 {
        plate[y * WIDTH + 112..y * WIDTH + 144].fill(1.0);
    }
    let before: cl_float = plate.iter().sum();

    let mut from = buffer(&context)?;
    let mut to = buffer(&context)?;
    // SAFETY: the call blocks until the plate has been copied.
    unsafe { queue.enqueue_write_buffer(&mut from, CL_BLOCKING, 0, &plate, &[]) }?;
    let begin = Instant::now();
    for _ in 0..STEPS {
        step(&kernel, &queue, &from, &to)?;
        std::mem::swap(&mut from, &mut to);
    }
    queue.finish()?;
    let spent = begin.elapsed();
    // SAFETY: the call blocks until everything is in the plate.
    unsafe { queue.enqueue_read_buffer(&from, CL_BLOCKING, 0, &mut plate, &[]) }?;

    let after: cl_float = plate.iter().sum();
    let hottest = plate.iter().copied().fold(0.0, cl_float::max);
    println!("{}: {STEPS} steps, {:.1} us each", device.name()?, spent.as_secs_f64() * 1e6 / STEPS as f64);
    println!("heat {before:.0} before, {after:.0} after; the hottest place has {hottest:.2}");
    if (after - before).abs() > 1e-3 * before { Err("heat was lost".into()) } else { Ok(()) }
}

fn buffer(context: &Context) -> Result<Buffer<cl_float>, ClError> {
    // SAFETY: no memory of the host's is handed over.
    unsafe { Buffer::create(context, CL_MEM_READ_WRITE, WIDTH * HEIGHT, ptr::null_mut()) }
}

/// One step; the queue is in order, so it waits for the one before.
fn step(
    kernel: &Kernel,
    queue: &CommandQueue,
    from: &Buffer<cl_float>,
    to: &Buffer<cl_float>,
) -> Result<(), ClError> {
    let (width, height) = (WIDTH as cl_int, HEIGHT as cl_int);
    let mut launch = ExecuteKernel::new(kernel);
    for buffer in [from, to] {
        // SAFETY: these two parameters of the kernel are pointers to global memory.
        unsafe { launch.set_arg(buffer) };
    }
    for number in [&width, &height] {
        // SAFETY: these two are of type int.
        unsafe { launch.set_arg(number) };
    }
    launch.set_global_work_sizes(&[WIDTH, HEIGHT]);
    // SAFETY: the work-items stay within the buffers, which live until the queue has been waited for.
    unsafe { launch.enqueue_nd_range(queue) }?;
    Ok(())
}
