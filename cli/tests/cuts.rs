//! Launches of few large work-groups whose kernels ask nothing of them run in more and smaller ones, with the same results;
//! all others in those that were asked for.

#![cfg(feature = "compiler")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use oxcl_runtime::{
    ArgValue, Buffer, BuildRequest, BuildTarget, CommandRecord, CompilerService as _, Context,
    ContextOptions, NdRange, Observer, Program, Service, ServiceOptions,
};

/// Each takes as long as it is told to; what it computes meanwhile is never seen.
const KERNELS: &str = "
uint busy(uint rounds) {
    uint value = get_global_id(0);
    for (uint i = 0; i < rounds; i++) value = value * 1664525u + 1013904223u;
    return value == 0x12345678u;
}
kernel void plain(global uint *x, uint rounds) { x[get_global_id(0)] = 7 * get_global_id(0) + busy(rounds); }
kernel void with_local(global uint *x, uint rounds, local uint *t) { x[get_global_id(0)] = busy(rounds); }
kernel void asks_size(global uint *x, uint rounds) { x[get_global_id(0)] = get_local_size(0) + busy(rounds); }
kernel void asks_group(global uint *x, uint rounds) { x[get_global_id(0)] = get_group_id(0) + busy(rounds); }
kernel void own_local(global uint *x, uint rounds) {
    local uint t[256];
    for (uint i = 0; i < 256; i++) t[i] = i;
    x[get_global_id(0)] = t[get_global_id(0) % 256] + busy(rounds);
}
kernel void meets(global uint *x, uint rounds) { x[get_global_id(0)] = 1 + busy(rounds); barrier(CLK_GLOBAL_MEM_FENCE); }
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void required(global uint *x, uint rounds) {
    x[get_global_id(0)] = 1 + busy(rounds);
}
uint helper(uint v) { return v + (uint)get_local_id(0); }
kernel void by_a_call(global uint *x, uint rounds) { x[get_global_id(0)] = helper(3) + busy(rounds); }
";
/// A work-group takes some tenths of a millisecond, or next to nothing.
const LONG: u32 = 500_000;
const SHORT: u32 = 1;

#[derive(Debug, Default)]
struct Groups(Mutex<Vec<u64>>);

impl Observer for Groups {
    fn command(&self, record: &CommandRecord<'_>) {
        self.0.lock().unwrap().push(record.groups);
    }
}

#[test]
fn who_cannot_tell_gets_smaller_groups() {
    let service = Service::new(ServiceOptions {
        compiler: Some(PathBuf::from(env!("CARGO_BIN_EXE_oxcl"))),
        cache: None,
        ..ServiceOptions::from_environment()
    });
    let built = service.build(&BuildRequest::new("cuts.cl", KERNELS, BuildTarget::Cpu)).unwrap();
    let program = Program::from_archive(&built.archive).unwrap();
    let seen = Arc::<Groups>::default();
    let observer: Option<Arc<dyn Observer>> = Some(Arc::clone(&seen) as _);
    let context = Context::new(ContextOptions { workers: 2, observer, ..ContextOptions::default() }).unwrap();
    let device = context.device("cpu").unwrap();
    // 8 groups of 256 work-items: how many ran, and what they wrote.
    let row = NdRange::new(&[2048]).unwrap().with_local(&[256]).unwrap();
    let launch = |kernel: &str, rounds: u32, more: &[ArgValue<'_>]| -> (u64, Vec<u32>) {
        let data = Buffer::zeroed(4 * 2048).unwrap();
        let rounds = rounds.to_le_bytes();
        let arguments = [&[ArgValue::Buffer(&data), ArgValue::Value(&rounds)], more].concat();
        let report = device.launch(&program.kernel(kernel).unwrap(), &row, &arguments).unwrap();
        assert_eq!(
            (report.groups, report.local),
            ([8, 1, 1], [256, 1, 1]),
            "what was asked for is what is told"
        );
        let words =
            data.to_vec().chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect();
        (seen.0.lock().unwrap().drain(..).sum(), words)
    };
    // What the first launch took decides on the second, and so on.
    for (rounds, groups) in
        [(LONG, 8), (LONG, 64), (SHORT, 64), (SHORT, 8), (SHORT, 8), (LONG, 8), (LONG, 64)]
    {
        let (ran, words) = launch("plain", rounds, &[]);
        assert_eq!(ran, groups, "{rounds} rounds");
        assert!((0..2048).all(|item| words[item as usize] == 7 * item));
    }
    for kernel in ["asks_size", "asks_group", "own_local", "meets", "required", "by_a_call", "with_local"] {
        let more: &[ArgValue<'_>] = if kernel == "with_local" { &[ArgValue::Local(64)] } else { &[] };
        for _ in 0..3 {
            let (ran, words) = launch(kernel, LONG, more);
            assert_eq!(ran, 8, "{kernel}");
            let want = |item: u32| match kernel {
                "asks_size" => 256,
                "asks_group" => item / 256,
                "own_local" => item % 256,
                "by_a_call" => 3 + item % 256,
                "with_local" => 0,
                _ => 1,
            };
            assert!((0..2048).all(|item| words[item as usize] == want(item)), "{kernel}");
        }
    }
}
