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

const KERNELS: &str = "
kernel void free(global uint *x, local uint *t) {
    x[get_global_id(0) + get_global_size(0) * get_global_id(1)] = get_global_id(0) + 100 * get_global_id(1);
}
kernel void plain(global uint *x) { x[get_global_id(0)] = 7 * get_global_id(0); }
kernel void asks_size(global uint *x) { x[get_global_id(0)] = get_local_size(0); }
kernel void asks_group(global uint *x) { x[get_global_id(0)] = get_group_id(0); }
kernel void own_local(global uint *x) {
    local uint t[256];
    for (uint i = 0; i < 256; i++) t[i] = i;
    x[get_global_id(0)] = t[get_global_id(0) % 256];
}
kernel void meets(global uint *x) { x[get_global_id(0)] = 1; barrier(CLK_GLOBAL_MEM_FENCE); }
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void required(global uint *x) { x[get_global_id(0)] = 1; }
uint helper(uint v) { return v + (uint)get_local_id(0); }
kernel void by_a_call(global uint *x) { x[get_global_id(0)] = helper(3); }
";

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
    // 8 groups of 256 work-items.
    let launch = |kernel: &str, more: &[ArgValue<'_>], range: &NdRange| {
        let data = Buffer::zeroed(4 * 2048).unwrap();
        let kernel = program.kernel(kernel).unwrap();
        let arguments = [&[ArgValue::Buffer(&data)], more].concat();
        let report = device.launch(&kernel, range, &arguments).unwrap();
        let words =
            data.to_vec().chunks_exact(4).map(|w| u32::from_le_bytes(w.try_into().unwrap())).collect();
        let ran = seen.0.lock().unwrap().drain(..).sum::<u64>();
        (ran, report.groups.iter().product::<u64>(), words)
    };
    let row = NdRange::new(&[2048]).unwrap().with_local(&[256]).unwrap();
    let (ran, told, words): (u64, u64, Vec<u32>) = launch("plain", &[], &row);
    assert_eq!((ran, told), (64, 8));
    assert!((0..2048).all(|item| words[item as usize] == 7 * item));
    for kernel in ["asks_size", "asks_group", "own_local", "meets", "required", "by_a_call"] {
        let (ran, _, words) = launch(kernel, &[], &row);
        assert_eq!(ran, 8, "{kernel}");
        let want = |item: u32| match kernel {
            "asks_size" => 256,
            "asks_group" => item / 256,
            "own_local" => item % 256,
            "by_a_call" => 3 + item % 256,
            _ => 1,
        };
        assert!((0..2048).all(|item| words[item as usize] == want(item)), "{kernel}");
    }
    let square = NdRange::new(&[64, 32]).unwrap().with_local(&[16, 16]).unwrap();
    assert_eq!(launch("free", &[ArgValue::Local(64)], &square).0, 8, "memory of the group");
    // The last groups are smaller: nothing is cut.
    let uneven = NdRange::new(&[2000]).unwrap().with_local(&[256]).unwrap();
    let outcome = device.launch(
        &program.kernel("plain").unwrap(),
        &uneven,
        &[ArgValue::Buffer(&Buffer::zeroed(4 * 2048).unwrap())],
    );
    if outcome.is_ok() {
        assert_eq!(seen.0.lock().unwrap().drain(..).sum::<u64>(), 8);
    }
}
