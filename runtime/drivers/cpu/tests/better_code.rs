//! Better code that comes while a launch runs: its work-groups that begin later run it.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::thread;
use std::time::Duration;

use oxcl_binary::archive::slots::{ANY_SIZE, Code};
use oxcl_driver::memory::AllocationRequest;
use oxcl_driver::program::{ArgMemory, ArgValue, Binary, LaunchRequest};
use oxcl_driver::watch::Watch;
use oxcl_driver::{Driver as _, Geometry, Lane};
use oxcl_driver_cpu::{CpuDriver, Kind};
use support::{buffer, kernel, object, single};

const GROUPS: usize = 40;

/// An archive whose kernel is this.
fn binary(source: &str) -> Arc<Binary> {
    let mut record = kernel("k", vec![buffer("out")]);
    record.add_object(Code::First, ANY_SIZE, &object(source));
    Arc::new(Binary::new((*single(record)).clone()).unwrap())
}

/// Each group writes 1; the fourth says that it has begun, and waits until it is told to go on.
fn first() -> Arc<Binary> {
    binary(&format!(
        "META(k, 0, 0, 1) NATIVE(k) {{
            for (u64 g = gx; g < gx + n; g++) {{
                volatile int *out = BUF(int, 0);
                out[g] = 1;
                if (g == 3) {{ out[{GROUPS}] = 1; while (!out[{GROUPS} + 1]) {{}} }}
            }}
        }}"
    ))
}

/// Each group writes 2, by way of scratch memory, which the first code does not have.
fn later() -> Arc<Binary> {
    binary(
        "META(k, 64, 4096, 4) NATIVE(k) {
            for (u64 g = gx; g < gx + n; g++) {
                for (int i = 0; i < 4096; i++) scratch[i] = 2;
                BUF(int, 0)[g] = scratch[4095];
            }
        }",
    )
}

/// What the groups wrote, where `improve` is called while the fourth waits, and the width of the code that ran last.
fn run(kind: Kind, improve: impl FnOnce(&dyn oxcl_driver::program::Program, &Watch)) -> (Vec<i32>, u32) {
    let driver = CpuDriver::new(kind, 1);
    let memory = driver.allocate(&AllocationRequest::bytes(4 * (GROUPS as u64 + 2))).unwrap();
    let memory = Arc::new(memory);
    let program = driver.build_binary(&first()).unwrap();
    let watch = Arc::new(Watch::new(Duration::MAX, |_| None));
    let sizes = [GROUPS as u64, 1, 1];
    let geometry = Geometry { work_dim: 1, groups: sizes, local: [1; 3], global: sizes, offset: [0; 3] };
    let out = ArgMemory { allocation: Arc::clone(&memory), offset: 0, writes: true };
    let args = [ArgValue::Buffer(out)];
    let watched = Some(Arc::clone(&watch));
    let request = LaunchRequest { program: &program, kernel: 0, geometry, args: &args, watch: watched };
    let launch = driver.prepare_launch(&request).unwrap();
    let cell = |index: usize| {
        let address = (memory.address as *mut i32).wrapping_add(index);
        // SAFETY: the memory has that many ints, lives until the end of this function, and is written by the kernel with
        // plain stores of aligned ints, which this processor does not tear.
        unsafe { AtomicI32::from_ptr(address) }
    };
    thread::scope(|scope| {
        let runs = scope.spawn(|| launch.run(0, launch.groups(), Lane { index: 0 }));
        while cell(GROUPS).load(Ordering::Acquire) == 0 {
            thread::yield_now();
        }
        improve(program.as_ref(), &watch);
        cell(GROUPS + 1).store(1, Ordering::Release);
        runs.join().unwrap().unwrap();
    });
    let wrote = (0..GROUPS).map(|group| cell(group).load(Ordering::Relaxed)).collect();
    let width = launch.facts().width;
    drop((launch, args));
    driver.free(Arc::into_inner(memory).expect("the launch has let go of it"));
    (wrote, width)
}

#[test]
fn groups_that_begin_after_better_code_came_run_it() {
    for kind in [Kind::Cpu, Kind::Basic] {
        let (wrote, width) = run(kind, |program, watch| {
            program.replace_kernel(0, &later(), 0).unwrap();
            watch.improved();
        });
        let changed = wrote.iter().position(|&value| value == 2).expect("some group ran the better code");
        assert!((4..GROUPS).contains(&changed), "{wrote:?}");
        assert!(wrote[..changed].iter().all(|&value| value == 1), "{wrote:?}");
        assert!(wrote[changed..].iter().all(|&value| value == 2), "{wrote:?}");
        assert_eq!(width, 4);
    }
}

#[test]
fn groups_run_what_there_is_where_nothing_better_came() {
    let (wrote, width) = run(Kind::Cpu, |_, watch| watch.changed());
    assert_eq!((wrote, width), (vec![1; GROUPS], 1));
}
