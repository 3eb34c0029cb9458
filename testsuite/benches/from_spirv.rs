//! What it costs to come from SPIR-V: eight kernels, built from OpenCL C and from the module that `--emit spirv` makes of it, and
//! launched. Both take turns; the best of each counts. Products and sums are not joined on either side, as SPIR-V says nothing of
//! that; so both must leave the same bytes.
//!
//! Run: `cargo bench -p oxcl-testsuite --bench from_spirv [-- ROUNDS]`.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::time::{Duration, Instant};

use oxcl_compiler::{Emit, IlFile, Request, SourceFile, compile};
use oxcl_runtime::{ArgValue, Buffer, Device, Launch, NdRange, Program};

/// Floats that each kernel reads, and that it writes at most.
const FLOATS: usize = 1 << 20;

/// A kernel `k(in, out, n)`.
struct Kernel {
    name: &'static str,
    text: &'static str,
    global: &'static [u64],
    local: &'static [u64],
    n: i32,
}

const KERNELS: [Kernel; 8] = [
    Kernel {
        name: "scaled sum",
        text: "kernel void k(global const float *in, global float *out, int n) {
  size_t i = get_global_id(0);
  out[i] = 0.5f * in[i] + in[n - 1 - (int)i];
}",
        global: &[FLOATS as u64],
        local: &[256],
        n: 1 << 20,
    },
    Kernel {
        name: "tiled product",
        text: "kernel void k(global const float *in, global float *out, int n) {
  local float a[16][16], b[16][16];
  int column = get_local_id(0), row = get_local_id(1);
  int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int tile = 0; tile < n; tile += 16) {
    a[row][column] = in[y * n + tile + column];
    b[row][column] = in[n * n + (tile + row) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 16; i++) sum += a[row][i] * b[i][column];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  out[y * n + x] = sum;
}",
        global: &[512, 512],
        local: &[16, 16],
        n: 512,
    },
    Kernel {
        name: "tree of sums",
        text: "kernel void k(global const float *in, global float *out, int n) {
  local float part[256];
  int id = get_local_id(0);
  part[id] = in[get_global_id(0)];
  for (int half_size = 128; half_size > 0; half_size >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < half_size) part[id] += part[id + half_size];
  }
  if (id == 0) out[get_group_id(0)] = part[0] * n;
}",
        global: &[FLOATS as u64],
        local: &[256],
        n: 3,
    },
    Kernel {
        name: "nine points",
        text: "kernel void k(global const float *in, global float *out, int n) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  float sum = 0;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) sum += in[(y + j) * n + x + i] * (i == 0 || j == 0 ? 0.15f : 0.0625f);
  out[y * n + x] = sum;
}",
        global: &[1024, 1024],
        local: &[64, 4],
        n: 1024,
    },
    Kernel {
        name: "counts",
        text: "kernel void k(global const float *in, global float *out, int n) {
  local uint counts[256];
  int id = get_local_id(0);
  counts[id] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < n; i++) atomic_inc(&counts[as_uint(in[get_group_id(0) * n * 256 + i * 256 + id]) >> 8 & 255]);
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = counts[id];
}",
        global: &[1 << 14],
        local: &[256],
        n: 64,
    },
    Kernel {
        name: "functions",
        text: "kernel void k(global const float *in, global float *out, int n) {
  size_t i = get_global_id(0);
  float x = in[i] * n;
  out[i] = sin(x) * exp(-x) + sqrt(x + 1.0f) * atan2(x, 2.0f);
}",
        global: &[FLOATS as u64],
        local: &[256],
        n: 5,
    },
    Kernel {
        name: "steps of its own",
        text: "kernel void k(global const float *in, global float *out, int n) {
  size_t i = get_global_id(0);
  uint value = as_uint(in[i]) | 1;
  int steps = 0;
  while (value != 1 && steps < n) {
    value = value & 1 ? value + (value >> 1) + 1 : value >> 1;
    steps++;
  }
  out[i] = steps;
}",
        global: &[1 << 18],
        local: &[128],
        n: 100,
    },
    Kernel {
        name: "vectors",
        text: "kernel void k(global const float4 *in, global float4 *out, int n) {
  size_t i = get_global_id(0);
  float4 a = in[i], sum = 0;
  for (int j = 0; j < n; j++) {
    float3 d = in[j].xyz - a.xyz;
    sum.xyz += d * (in[j].w * rsqrt(dot(d, d) + 0.01f));
  }
  out[i] = sum;
}",
        global: &[4096],
        local: &[64],
        n: 1024,
    },
];

/// One of the two ways.
struct Way {
    request: Request<'static>,
    build: Duration,
    run: Duration,
}

impl Way {
    fn new(request: Request<'static>) -> Self {
        Self { request, build: Duration::MAX, run: Duration::MAX }
    }

    fn archive(&mut self) -> Vec<u8> {
        let start = Instant::now();
        let compiled = compile(&self.request, Emit::Archive, None).expect("the kernel compiles");
        self.build = self.build.min(start.elapsed());
        compiled.bytes
    }
}

fn main() {
    let rounds = std::env::args().filter_map(|word| word.parse().ok()).next().unwrap_or(7);
    let device = Device::by_name("cpu").expect("the device");
    println!("kernel: run from source and from SPIR-V in us, ratio; build in ms, ratio");
    let (mut run, mut build) = (0.0, 0.0);
    for kernel in &KERNELS {
        let mut ways = ways(kernel);
        let ready = ways.each_mut().map(|way| prepare(kernel, &way.archive(), &device));
        for _ in 0..rounds {
            for (way, (launch, _)) in ways.iter_mut().zip(&ready) {
                way.archive();
                way.run = way.run.min(launched(launch));
            }
        }
        let [source, spirv] = &ready;
        assert!(source.1.to_vec() == spirv.1.to_vec(), "{}: other bytes from SPIR-V", kernel.name);
        let [source, spirv] = ways;
        println!(
            "{:18} {:9.1} {:9.1} {:5.2}   {:7.1} {:7.1} {:5.2}",
            kernel.name,
            source.run.as_secs_f64() * 1e6,
            spirv.run.as_secs_f64() * 1e6,
            ratio(spirv.run, source.run),
            source.build.as_secs_f64() * 1e3,
            spirv.build.as_secs_f64() * 1e3,
            ratio(spirv.build, source.build)
        );
        run += ratio(spirv.run, source.run).ln();
        build += ratio(spirv.build, source.build).ln();
    }
    let mean = |sum: f64| (sum / KERNELS.len() as f64).exp();
    println!("geometric means: run {:.3}, build {:.3}", mean(run), mean(build));
}

fn ratio(a: Duration, b: Duration) -> f64 {
    a.as_secs_f64() / b.as_secs_f64().max(1e-9)
}

/// From source, and from the module that is made of it.
fn ways(kernel: &Kernel) -> [Way; 2] {
    let text = format!("#pragma OPENCL FP_CONTRACT OFF\n{}", kernel.text);
    let source = Request::new(vec![SourceFile { name: "k.cl".to_owned(), text }]);
    let module = compile(&source, Emit::Spirv, None).expect("a module");
    let mut spirv = Request::new(Vec::new());
    spirv.il = vec![IlFile { name: "k.spv".to_owned(), bytes: module.bytes, constants: Vec::new() }];
    [Way::new(source), Way::new(spirv)]
}

/// A launch, and the buffer that it writes.
fn prepare(kernel: &Kernel, archive: &[u8], device: &Device) -> (Launch, Buffer) {
    let program = Program::from_archive(archive).expect("an archive");
    let entry = program.kernel("k").expect("the kernel");
    let range = NdRange::new(kernel.global).and_then(|range| range.with_local(kernel.local)).expect("sizes");
    let floats = (0..FLOATS).map(|i| (i * 7919 % 10_007) as f32 / 10_007.0);
    let input: Vec<u8> = floats.flat_map(f32::to_le_bytes).collect();
    let input = Buffer::from_bytes(&input).expect("memory");
    let output = Buffer::zeroed(4 * FLOATS as u64).expect("memory");
    let n = kernel.n.to_le_bytes();
    let arguments = [ArgValue::Buffer(&input), ArgValue::Buffer(&output), ArgValue::Value(&n)];
    let launch = device.prepare(&entry, &range, &arguments).expect("a launch");
    // Once without a clock: pages, caches, threads.
    launched(&launch);
    (launch, output)
}

fn launched(launch: &Launch) -> Duration {
    launch.run().expect("the kernel runs").elapsed
}
