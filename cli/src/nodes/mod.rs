//! The programs of `oxcl bench nodes`: what devices of other ranks do, beside MPI alone and beside one device of this process.
//! Results are held against this process's, byte for byte.

use std::time::{Duration, Instant};

use oxcl_runtime::{
    ArgValue, Buffer, Context, ContextOptions, Device, Event, Kernel, Launch, Migration, NdRange, Program,
    Queue, QueueProperties,
};

/// The kernels' source.
#[cfg(feature = "compiler")]
pub(crate) const SOURCE: &str = include_str!("kernels.cl");

/// Rows and columns of a tile of a matrix.
const TILE: u64 = 512;
/// Rows that a work-item of the product has.
const ROWS: u64 = 8;
/// Blocks that the bodies are in, and steps that they make.
const BLOCKS: usize = 8;
const STEPS: usize = 2;

/// Anything that goes wrong, as text.
pub(crate) type Told<T> = Result<T, String>;

fn told(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// Devices of one context, with a queue each, and the kernels.
pub(crate) struct Bench {
    context: Context,
    devices: Vec<Device>,
    queues: Vec<Queue>,
    increment: Kernel,
    multiply: Kernel,
    attract: Kernel,
    advance: Kernel,
}

/// What a chain between two nodes did.
pub(crate) struct Chain {
    /// From the moment that lets the first kernel go until the last has ended, for each kernel.
    pub(crate) each: Duration,
    /// How many commands, and how many ends of commands, the host said to nodes in that time.
    pub(crate) through_host: [u64; 2],
}

/// Bytes of floats that are like no others.
fn sample(floats: u64, seed: u32) -> Vec<u8> {
    let value = |at: u64| {
        let mixed = (at as u32).wrapping_add(seed).wrapping_mul(0x9e37_79b9);
        ((mixed >> 16) as f32 / 65536.0 - 0.5).to_le_bytes()
    };
    (0..floats).flat_map(value).collect()
}

impl Bench {
    /// On devices of these words, on a pool of so many threads.
    pub(crate) fn new(archive: &[u8], words: &[&str], workers: usize) -> Told<Self> {
        let context = Context::new(ContextOptions { workers, ..ContextOptions::default() }).map_err(told)?;
        let devices = context.devices(words).map_err(told)?;
        let properties = QueueProperties { out_of_order: true, profiling: false };
        let queue = |device: &Device| context.queue(device, properties).map_err(told);
        let queues = devices.iter().map(queue).collect::<Told<Vec<_>>>()?;
        let program = Program::from_archive(archive).map_err(told)?;
        let kernel = |name: &str| program.kernel(name).map_err(told);
        let [increment, multiply, attract, advance] =
            [kernel("increment")?, kernel("multiply")?, kernel("attract")?, kernel("move")?];
        let bench = Self { context, devices, queues, increment, multiply, attract, advance };
        // The program goes to each device before anything is measured.
        for device in 0..bench.devices.len() {
            let cell = Buffer::zeroed(4).map_err(told)?;
            let launch = bench.cell(device, &cell)?;
            bench.queues[device].launch(&launch, &[]).map_err(told)?.wait().map_err(told)?;
        }
        Ok(bench)
    }

    pub(crate) fn devices(&self) -> usize {
        self.devices.len()
    }

    fn cell(&self, device: usize, cell: &Buffer) -> Told<Launch> {
        let range = NdRange::new(&[1]).and_then(|range| range.with_local(&[1])).map_err(told)?;
        let arguments = [ArgValue::Buffer(cell)];
        self.devices[device].prepare(&self.increment, &range, &arguments).map_err(told)
    }

    /// Launches a kernel on a device and waits, so often; the median.
    pub(crate) fn launch_and_wait(&self, device: usize, turns: usize) -> Told<Duration> {
        let cell = Buffer::zeroed(4).map_err(told)?;
        let launch = self.cell(device, &cell)?;
        let mut times = Vec::with_capacity(turns);
        for turn in 0..turns + turns / 4 {
            let begin = Instant::now();
            self.queues[device].launch(&launch, &[]).map_err(told)?.wait().map_err(told)?;
            if turn >= turns / 4 {
                times.push(begin.elapsed());
            }
        }
        if cell.to_vec() != u32::try_from(turns + turns / 4).unwrap_or(0).to_le_bytes() {
            return Err("a kernel ran too often or not often enough".to_owned());
        }
        times.sort_unstable();
        Ok(times[turns / 2])
    }

    /// A chain of kernels on two devices in turn, all enqueued before the first may begin. They write one buffer, whose content goes
    /// to and fro, or each device one of its own.
    pub(crate) fn chain(
        &self,
        pair: [usize; 2],
        length: usize,
        moves: bool,
        said: &dyn Fn() -> [u64; 2],
    ) -> Told<Chain> {
        let cells = [Buffer::zeroed(4).map_err(told)?, Buffer::zeroed(4).map_err(told)?];
        let cell = |at: usize| if moves { &cells[0] } else { &cells[at] };
        let launches = [self.cell(pair[0], cell(0))?, self.cell(pair[1], cell(1))?];
        let gate = self.context.user_event().map_err(told)?;
        let mut last = gate.event().clone();
        for step in 0..length {
            let queue = &self.queues[pair[step % 2]];
            last = queue.launch(&launches[step % 2], &[last]).map_err(told)?;
        }
        // What can be said before the first begins has been said then.
        std::thread::sleep(Duration::from_millis(100));
        let before = said();
        let begin = Instant::now();
        gate.complete();
        last.wait().map_err(told)?;
        let took = begin.elapsed();
        let after = said();
        let count = |buffer: &Buffer| buffer.to_vec().try_into().map_or(0, u32::from_le_bytes);
        let sum: u32 = cells.iter().map(count).sum();
        if sum as usize != length {
            return Err(format!("a chain of {length} kernels left {sum}"));
        }
        let each = took / u32::try_from(length).unwrap_or(1);
        Ok(Chain { each, through_host: [after[0] - before[0], after[1] - before[1]] })
    }

    /// Brings bytes from one device to another and back, so often; the time of the fastest.
    pub(crate) fn copy(&self, pair: [usize; 2], bytes: u64, turns: usize) -> Told<Duration> {
        let data = Buffer::zeroed(bytes).map_err(told)?;
        let mut best = Duration::MAX;
        for turn in 0..turns + 4 {
            let [from, to] = [pair[turn % 2], pair[1 - turn % 2]];
            // Whoever has written all of it has the only copy; of what others have as well nothing moves.
            let written = self.queues[from].fill(&data, &[turn as u8], 0, bytes, &[]).map_err(told)?;
            written.wait().map_err(told)?;
            let begin = Instant::now();
            let moved = self.queues[to].migrate(std::slice::from_ref(&data), Migration::ToDevice, &[]);
            moved.map_err(told)?.wait().map_err(told)?;
            if turn >= 4 {
                best = best.min(begin.elapsed());
            }
        }
        // The last turn's bytes, at both ends.
        let last = (turns + 3) as u8;
        let found = data.to_vec();
        if found.first() != Some(&last) || found.last() != Some(&last) {
            return Err("bytes were copied that are not the ones that were written".to_owned());
        }
        Ok(best)
    }

    /// The product of two matrices of tiles on the first so many devices, rows of tiles in turn. The inputs are with the host at
    /// first. The time until all tiles are there, and the tiles.
    pub(crate) fn product(&self, size: u64, devices: usize) -> Told<(Duration, Vec<Vec<u8>>)> {
        let across = (size / TILE) as usize;
        let tile = |seed: usize| Buffer::from_bytes(&sample(TILE * TILE, seed as u32 * 977)).map_err(told);
        let tiles =
            |first: usize| -> Told<Vec<Buffer>> { (first..first + across * across).map(tile).collect() };
        let (a, b) = (tiles(1)?, tiles(5000)?);
        let zeroed = |_| Buffer::zeroed(4 * TILE * TILE).map_err(told);
        let c = (0..across * across).map(zeroed).collect::<Told<Vec<_>>>()?;
        let range = NdRange::new(&[TILE, TILE / ROWS]).and_then(|range| range.with_local(&[64, 16]));
        let range = range.map_err(told)?;
        let k = (TILE as u32).to_le_bytes();
        let begin = Instant::now();
        let mut last: Vec<Option<Event>> = vec![None; across * across];
        for inner in 0..across {
            for row in 0..across {
                for column in 0..across {
                    let (device, at) = (row % devices, row * across + column);
                    let arguments = [
                        ArgValue::Buffer(&a[row * across + inner]),
                        ArgValue::Buffer(&b[inner * across + column]),
                        ArgValue::Buffer(&c[at]),
                        ArgValue::Value(&k),
                    ];
                    let launch = self.devices[device].prepare(&self.multiply, &range, &arguments);
                    let waits: Vec<Event> = last[at].take().into_iter().collect();
                    let event = self.queues[device].launch(&launch.map_err(told)?, &waits).map_err(told)?;
                    last[at] = Some(event);
                }
            }
        }
        for event in last.iter().flatten() {
            event.wait().map_err(told)?;
        }
        let took = begin.elapsed();
        Ok((took, c.iter().map(Buffer::to_vec).collect()))
    }

    /// Bodies that pull each other, in blocks, on the first so many devices. Every block's place goes to every device in each step.
    /// The time of all steps, and where the blocks are then.
    pub(crate) fn bodies(&self, count: u64, devices: usize) -> Told<(Duration, Vec<Vec<u8>>)> {
        let each = count / BLOCKS as u64;
        let block = |seed: usize| Buffer::from_bytes(&sample(4 * each, seed as u32 * 131)).map_err(told);
        let empty = |_| Buffer::zeroed(16 * each).map_err(told);
        let all = |make: &dyn Fn(usize) -> Told<Buffer>| (0..BLOCKS).map(make).collect::<Told<Vec<_>>>();
        let mut places = vec![all(&block)?];
        for _ in 0..STEPS {
            places.push(all(&empty)?);
        }
        let (speeds, pulls) = (all(&empty)?, all(&empty)?);
        let range = NdRange::new(&[each]).and_then(|range| range.with_local(&[64])).map_err(told)?;
        let number = u32::try_from(each).unwrap_or(u32::MAX).to_le_bytes();
        let begin = Instant::now();
        let mut moved: Vec<Option<Event>> = vec![None; BLOCKS];
        for step in 0..STEPS {
            let (now, then) = (&places[step], &places[step + 1]);
            let mut next = Vec::new();
            for own in 0..BLOCKS {
                let device = own * devices / BLOCKS;
                let (at, queue) = (&self.devices[device], &self.queues[device]);
                let mut last = moved[own].clone();
                // Its own first: others' places may be on their way meanwhile.
                for other in (own..own + BLOCKS).map(|other| other % BLOCKS) {
                    let arguments = [
                        ArgValue::Buffer(&now[own]),
                        ArgValue::Buffer(&now[other]),
                        ArgValue::Buffer(&pulls[own]),
                        ArgValue::Value(&number),
                    ];
                    let launch = at.prepare(&self.attract, &range, &arguments).map_err(told)?;
                    let waits: Vec<Event> = last.into_iter().chain(moved[other].clone()).collect();
                    last = Some(queue.launch(&launch, &waits).map_err(told)?);
                }
                let arguments = [&now[own], &speeds[own], &pulls[own], &then[own]].map(ArgValue::Buffer);
                let launch = at.prepare(&self.advance, &range, &arguments).map_err(told)?;
                let waits: Vec<Event> = last.into_iter().collect();
                next.push(Some(queue.launch(&launch, &waits).map_err(told)?));
            }
            moved = next;
        }
        for event in moved.iter().flatten() {
            event.wait().map_err(told)?;
        }
        let took = begin.elapsed();
        Ok((took, places[STEPS].iter().map(Buffer::to_vec).collect()))
    }
}
