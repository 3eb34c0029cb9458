//! Smooths a row of numbers with kernels from an archive: the runtime is linked in, and there is no compiler, no LLVM and no loader.

#![allow(clippy::print_stdout, reason = "it is what an example is for")]

use oxcl_runtime::{ArgValue, Buffer, Context, Device, NdRange, Program, QueueProperties};
use std::error::Error;

const COUNT: i32 = 4096;
const STEPS: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name the archive")?;
    let program = Program::from_archive(&std::fs::read(path)?)?;
    let kernel = program.kernel("smooth")?;
    let device = Device::by_name("cpu")?;

    // A comb: every second number is 2.
    let comb: Vec<u8> = (0..COUNT).flat_map(|i| (2.0 * (i % 2) as f32).to_le_bytes()).collect();
    let rows = [Buffer::from_bytes(&comb)?, Buffer::zeroed(comb.len() as u64)?];
    let range = NdRange::new(&[COUNT as u64])?;
    let count = COUNT.to_le_bytes();
    let there = [ArgValue::Buffer(&rows[0]), ArgValue::Buffer(&rows[1]), ArgValue::Value(&count)];
    let back = [ArgValue::Buffer(&rows[1]), ArgValue::Buffer(&rows[0]), ArgValue::Value(&count)];

    // One launch, waited for.
    let report = device.launch(&kernel, &range, &there)?;
    println!("one step: {} work-items at a time, groups of {}", report.width, report.local[0]);

    // Many: checked and made ready once, enqueued often. The queue is in order.
    let launches = [device.prepare(&kernel, &range, &back)?, device.prepare(&kernel, &range, &there)?];
    let queue = Context::shared()?.queue(&device, QueueProperties::default())?;
    let mut last = None;
    for step in 0..STEPS {
        last = Some(queue.launch(&launches[step % 2], &[])?);
    }
    if let Some(event) = last {
        event.wait()?;
    }

    let numbers = rows[(STEPS + 1) % 2].contents()?;
    let numbers: Vec<f32> =
        numbers.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    let middle = numbers[COUNT as usize / 2];
    println!("{} steps: the middle is {middle:.4}", STEPS + 1);
    if (middle - 1.0).abs() > 1e-4 { Err("that is not smooth".into()) } else { Ok(()) }
}
