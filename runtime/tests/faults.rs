//! Faults of kernels become errors, and everything goes on. (A test program of its own: catching faults is for the
//! whole process.)

#[path = "../drivers/cpu/tests/support/mod.rs"]
mod support;

use oxcl_binary::archive::Version;
use oxcl_runtime::{
    ArgValue, Buffer, Device, Failure, Fault, FaultSignal, Kernel, LaunchError, NdRange, Program,
    catch_faults,
};
use support::{
    baseline, buffer, foreign_archive, foreign_kernel, kernel, our_archive, our_kernel, program_meta, value,
};

/// `fault(global int *out, int how)`; 0 does not fault.
const BODY: &str = "
void *memset(void *, int, size_t);
static __attribute__((noinline)) int dig(volatile char *above, int depth) {
    volatile char mine[4096];
    mine[depth % 4096] = above[0] + 1;
    return depth < 0 ? mine[7] : dig(mine, depth + 1) + mine[3];
}
static void fault(int *out, int how, u64 group) {
    volatile int zero = 0;
    if (how == 1) *(volatile int *)16 = 1;
    if (how == 2) out[group] = 7 / zero;
    if (how == 3) __builtin_trap();
    if (how == 5) out[group] = *(volatile int *)0x8000000000000000ull;
    void *volatile nowhere = (void *)32;
    if (how == 6) memset(nowhere, 1, 100000 + how);
    if (how == 4) { volatile char start[1] = {0}; out[group] = dig(start, 0); }
    out[group] = 1;
}
";

fn ours(barrier: bool) -> Kernel {
    let barrier_call = if barrier { "item->barrier(item, 1);" } else { "" };
    let source = format!(
        "{BODY}
         META(fault, 0, 0, 1)
         NATIVE(fault) {{ for (u64 g = gx; g < gx + n; g++) fault(BUF(int, 0), VAL(int, 1) * (g == 3), g); }}
         REF(fault) {{
             u64 me = GLOBAL_ID(0);
             {barrier_call}
             fault(BUF(int, 0), VAL(int, 1) * (me == 3), me);
             {barrier_call}
         }}"
    );
    let record = our_kernel(kernel("fault", vec![buffer("out"), value("how", "int", 4)]), barrier, &source);
    let bytes = our_archive(&program_meta(baseline()), vec![record]).write().unwrap();
    Program::from_archive(&bytes).unwrap().kernel("fault").unwrap()
}

fn foreign() -> Kernel {
    let source = format!("{BODY} POCL(fault) {{ fault(BUF(int, 0), VAL(int, 1) * (gx == 3), gx); }}");
    let record = foreign_kernel(kernel("fault", vec![buffer("out"), value("how", "int", 4)]), &source);
    let bytes = foreign_archive(Version::V12, vec![record]).write().unwrap();
    Program::from_archive(&bytes).unwrap().kernel("fault").unwrap()
}

fn run(device: &Device, kernel: &Kernel, local: u64, how: i32) -> Option<Fault> {
    let out = Buffer::zeroed(4 * 8).unwrap();
    let range = NdRange::new(&[8]).unwrap().with_local(&[local]).unwrap();
    match device.launch(kernel, &range, &[ArgValue::Buffer(&out), ArgValue::Value(&how.to_le_bytes())]) {
        Ok(_) => None,
        Err(LaunchError::Failed(Failure::Fault(fault))) => Some(fault),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn faults_become_errors_on_every_device() {
    catch_faults().unwrap();
    let cases = [
        ("cpu", ours(false), 1),
        ("basic", ours(false), 1),
        ("ref", ours(false), 1),
        ("ref", ours(true), 4),
        ("cpu", foreign(), 1),
        ("basic", foreign(), 1),
    ];
    for (name, kernel, local) in cases {
        let device = Device::by_name(name).unwrap();
        for _ in 0..3 {
            for (how, signal) in [
                (1, FaultSignal::Segmentation),
                (2, FaultSignal::Arithmetic),
                (3, FaultSignal::IllegalInstruction),
                (4, FaultSignal::Segmentation),
                (5, FaultSignal::Segmentation),
                (6, FaultSignal::Segmentation),
            ] {
                let fault = run(&device, &kernel, local, how).expect("the kernel faults");
                assert_eq!(
                    (fault.signal, fault.stack_overflow),
                    (signal, how == 4),
                    "{name} {how} {fault:?}"
                );
                assert_eq!(fault.kernel, "fault");
                if how == 1 {
                    assert_eq!(fault.address, Some(16));
                }
                assert_eq!(fault.address.is_none(), how == 5, "{fault:?}");
                assert_eq!(fault.instruction.is_none(), how == 6, "{fault:?}");
                let first = fault.groups.first[0];
                let group = if local == 4 { 0 } else { 3 };
                assert!((first..first + fault.groups.count).contains(&group), "{name} {fault:?}");
                assert_eq!(run(&device, &kernel, local, 0), None, "{name} goes on");
            }
        }
    }
}

#[test]
fn faults_on_many_host_threads_keep_apart() {
    catch_faults().unwrap();
    let kernel = ours(false);
    let device = Device::by_name("cpu").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for how in [1, 0, 2, 3, 0, 1] {
                    assert_eq!(run(&device, &kernel, 1, how).is_some(), how != 0);
                }
            });
        }
    });
}

/// Not a test of its own: what the test below has a child process do.
#[test]
#[ignore = "ends its process"]
fn fault_outside_kernels() {
    catch_faults().unwrap();
    let device = Device::by_name("basic").unwrap();
    assert!(run(&device, &ours(false), 1, 1).is_some());
    let nowhere = std::hint::black_box(std::ptr::without_provenance_mut::<i32>(16));
    // SAFETY: there is no such memory, which is the point.
    unsafe { nowhere.write_volatile(1) };
}

#[test]
fn faults_outside_kernels_go_their_usual_way() {
    use std::os::unix::process::ExitStatusExt as _;
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    let output = child.args(["--ignored", "--exact", "fault_outside_kernels"]).output().unwrap();
    assert_eq!(output.status.signal(), Some(11), "{}", output.status);
}
