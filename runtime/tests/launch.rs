//! Launches from the outside: what kernels see, on every device, and what is refused before they run.

#[path = "../drivers/cpu/tests/support/mod.rs"]
mod support;

use oxcl_binary::archive::{AddressQualifier, ArgKind, Kernel as Record, Version, WorkGroupMeta};
use oxcl_binary::meta::{AccessBound, KernelMeta, ProgramMeta};
use oxcl_runtime::{
    ArgValue, Buffer, Coded as _, Device, EntryKind, Kernel, LaunchError, NdRange, Program, SizeSource,
};
use support::{
    baseline, buffer, foreign_archive, foreign_kernel, kernel, our_archive, our_kernel, pointer,
    program_meta, value,
};

const DEVICES: [&str; 3] = ["cpu", "basic", "ref"];

/// The kernel of a program of ours that has this one.
fn program(record: Record) -> Kernel {
    with_meta(&program_meta(baseline()), record)
}

fn with_meta(meta: &ProgramMeta, record: Record) -> Kernel {
    let name = record.name.clone();
    let bytes = our_archive(meta, vec![record]).write().unwrap();
    Program::from_archive(&bytes).unwrap().kernel(&name).unwrap()
}

fn foreign(version: Version, record: Record) -> Kernel {
    let name = record.name.clone();
    let bytes = foreign_archive(version, vec![record]).write().unwrap();
    Program::from_archive(&bytes).unwrap().kernel(&name).unwrap()
}

fn numbers(buffer: &Buffer) -> Vec<i32> {
    buffer.to_vec().chunks_exact(4).map(|bytes| i32::from_le_bytes(bytes.try_into().unwrap())).collect()
}

/// `visits(global int *out)`: adds one to the element of each work-item, in linear order over the global size.
const VISITS: &str = "
META(visits, 0, 0, 1)
static void visit(int *out, const u64 *gid, const u64 *offset, const u64 *global) {
    __atomic_fetch_add(&out[(gid[0] - offset[0]) + global[0] * ((gid[1] - offset[1]) + global[1] * (gid[2] - offset[2]))],
                       1, __ATOMIC_RELAXED);
}
NATIVE(visits) {
    for (u64 g = gx; g < gx + n; g++)
        for (u64 z = 0; z < ctx->local[2]; z++) for (u64 y = 0; y < ctx->local[1]; y++) for (u64 x = 0; x < ctx->local[0]; x++) {
            u64 gid[3] = {g * ctx->local[0] + x + ctx->offset[0], gy * ctx->local[1] + y + ctx->offset[1],
                          gz * ctx->local[2] + z + ctx->offset[2]};
            visit(BUF(int, 0), gid, ctx->offset, ctx->global);
        }
}
REF(visits) {
    u64 gid[3] = {GLOBAL_ID(0), GLOBAL_ID(1), GLOBAL_ID(2)};
    visit(BUF(int, 0), gid, item->offset, item->global);
}
";

#[test]
fn every_work_item_runs_once() {
    for barrier in [false, true] {
        let kernel = program(our_kernel(kernel("visits", vec![buffer("out")]), barrier, VISITS));
        type Space = (&'static [u64], Option<&'static [u64]>, Option<&'static [u64]>);
        let spaces: [Space; 7] = [
            (&[1], None, None),
            (&[97], None, Some(&[13])),
            (&[96], Some(&[8]), None),
            (&[30, 7], Some(&[5, 7]), Some(&[1, 2])),
            (&[6, 4, 5], Some(&[3, 2, 1]), None),
            (&[6, 4, 5], None, Some(&[9, 0, 100])),
            (&[1, 1, 12], Some(&[1, 1, 4]), None),
        ];
        for name in DEVICES {
            let device = Device::by_name(name).unwrap();
            for (global, local, offset) in spaces {
                let mut range = NdRange::new(global).unwrap();
                if let Some(local) = local {
                    range = range.with_local(local).unwrap();
                }
                if let Some(offset) = offset {
                    range = range.with_offset(offset).unwrap();
                }
                let items: u64 = global.iter().product();
                let out = Buffer::zeroed(items * 4).unwrap();
                let report = device.launch(&kernel, &range, &[ArgValue::Buffer(&out)]).unwrap();
                assert_eq!(numbers(&out), vec![1; items as usize], "{name} {global:?}");
                let chosen = if local.is_some() { SizeSource::Given } else { SizeSource::Chosen };
                assert_eq!(report.local_from, chosen);
                let kind = if name == "ref" { EntryKind::Reference } else { EntryKind::Native };
                assert_eq!(report.entry, kind);
            }
        }
    }
}

#[test]
fn many_launches_on_many_threads_keep_apart() {
    let kernel = program(our_kernel(kernel("visits", vec![buffer("out")]), false, VISITS));
    let device = Device::by_name("cpu").unwrap();
    let range = NdRange::new(&[1024]).unwrap().with_local(&[2]).unwrap();
    let shared = Buffer::zeroed(4096).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let own = Buffer::zeroed(4096).unwrap();
                for _ in 0..100 {
                    device.launch(&kernel, &range, &[ArgValue::Buffer(&shared)]).unwrap();
                    device.launch(&kernel, &range, &[ArgValue::Buffer(&own)]).unwrap();
                }
                assert_eq!(numbers(&own), vec![100; 1024]);
            });
        }
    });
    assert_eq!(numbers(&shared), vec![400; 1024]);
}

/// `locals(global int *out, int first, local int *given, struct { int a; long b; char c[20]; } s)` with one automatic
/// local of 40 bytes: the sum over a group by way of both local memories, as a barrier kernel keeps it.
const LOCALS: &str = "
struct s { int a; int64_t b; char c[24]; };
META(locals, 64, 12, 4)
NATIVE(locals) {
    for (u64 g = gx; g < gx + n; g++) {
        int *given = BUF(int, 2), *own = BUF(int, 4);
        struct s *s = args[3];
        u64 items = ctx->local[0];
        u64 bytes = 64 + 12 * ((items + 3) / 4 * 4);
        int bad = ((uintptr_t)given | (uintptr_t)own | (uintptr_t)scratch | (uintptr_t)args[1] | (uintptr_t)s) & 127;
        for (u64 i = 0; i < bytes; i++) scratch[i] = 0x55;
        for (u64 i = 0; i < items; i++) given[i] = (int)(g * items + i) + VAL(int, 1);
        own[9] = 0;
        for (u64 i = 0; i < items; i++) own[9] += given[i];
        BUF(int, 0)[g] = bad ? -1 : own[9] + s->a + (int)s->b + s->c[19];
    }
}
REF(locals) {
    int *given = BUF(int, 2), *own = BUF(int, 4);
    struct s *s = args[3];
    given[item->lid[0]] = (int)GLOBAL_ID(0) + VAL(int, 1);
    item->barrier(item, 1);
    if (item->lid[0] == 0) {
        own[9] = 0;
        for (u64 i = 0; i < item->local[0]; i++) own[9] += given[i];
    }
    item->barrier(item, 1);
    if (item->lid[0] == item->local[0] - 1) BUF(int, 0)[item->group[0]] = own[9] + s->a + (int)s->b + s->c[19];
}
";

fn locals() -> Kernel {
    let local = pointer("given", AddressQualifier::Local);
    let structure = value("s", "struct s", 40);
    let mut record = kernel("locals", vec![buffer("out"), value("first", "int", 4), local, structure]);
    record.local_sizes = vec![40];
    program(our_kernel(record, true, LOCALS))
}

#[test]
fn local_memory_scratch_and_structures_arrive() {
    let kernel = locals();
    let mut structure = [0; 40];
    structure[0] = 100;
    structure[8] = 200;
    structure[35] = 3;
    for name in DEVICES {
        let device = Device::by_name(name).unwrap();
        for items in [1_u64, 2, 33, 256] {
            let range = NdRange::new(&[items * 5]).unwrap().with_local(&[items]).unwrap();
            let out = Buffer::zeroed(20).unwrap();
            let seven = 7_i32.to_le_bytes();
            let arguments = [
                ArgValue::Buffer(&out),
                ArgValue::Value(&seven),
                ArgValue::Local(items * 4),
                ArgValue::Value(&structure),
            ];
            device.launch(&kernel, &range, &arguments).unwrap();
            let sum =
                |group: u64| (0..items).map(|item| (group * items + item) as i32 + 7).sum::<i32>() + 303;
            assert_eq!(numbers(&out), (0..5).map(sum).collect::<Vec<_>>(), "{name} {items}");
        }
    }
}

/// Where the calling thread's stack begins and ends. Other threads' stacks may lie right below and above it.
fn own_stack() -> (u64, u64) {
    // SAFETY: the attributes are plain data, which the call below fills in.
    let mut attributes: libc::pthread_attr_t = unsafe { std::mem::zeroed() };
    // SAFETY: takes and touches nothing.
    let thread = unsafe { libc::pthread_self() };
    // SAFETY: the thread is the calling one, and the attributes are writable.
    assert_eq!(unsafe { libc::pthread_getattr_np(thread, &raw mut attributes) }, 0);
    let (mut low, mut size) = (std::ptr::null_mut(), 0);
    // SAFETY: the attributes were filled in above, and both results are writable.
    assert_eq!(unsafe { libc::pthread_attr_getstack(&raw const attributes, &raw mut low, &raw mut size) }, 0);
    // SAFETY: they were filled in above and are not used any more.
    assert_eq!(unsafe { libc::pthread_attr_destroy(&raw mut attributes) }, 0);
    (low as u64, low as u64 + size as u64)
}

#[test]
fn foreign_code_gets_its_own_layout_and_thread() {
    // The failure place of the longer layout lies past the end of the shorter one.
    let body = "
        int *out = BUF(int, 0);
        char deep[32 << 20];
        __asm__ volatile(\"\" :: \"r\"(deep) : \"memory\");
        for (u64 i = 0; i < sizeof deep; i += 4096) deep[i] = (char)i;
        u64 items = ctx->local[0];
        for (u64 i = 0; i < items; i++) out[gx * items + i] = (int)(gx * items + i + ctx->offset[0]) * VAL(int, 1);
        if (gx == 0) out[0] = (int)ctx->work_dim;
        int stack_is_callers = (uintptr_t)&out >= VAL(u64, 2) && (uintptr_t)&out < VAL(u64, 3);
        if (stack_is_callers) out[0] = -1;
    ";
    let args = || {
        let bound = |name| value(name, "ulong", 8);
        vec![buffer("out"), value("factor", "int", 4), bound("low"), bound("high")]
    };
    let (low, high) = own_stack();
    let here = &raw const low as u64;
    assert!((low..high).contains(&here), "the bounds are this thread's stack's");
    for (version, macro_name) in [(Version::V9, "POCL96"), (Version::V11, "POCL"), (Version::V12, "POCL")] {
        let source = format!("{macro_name}(k) {{ {body} }}");
        let kernel = foreign(version, foreign_kernel(kernel("k", args()), &source));
        for name in ["cpu", "basic"] {
            let out = Buffer::zeroed(4 * 64).unwrap();
            let range =
                NdRange::new(&[64, 1]).unwrap().with_local(&[8, 1]).unwrap().with_offset(&[3, 0]).unwrap();
            let values = (10_i32.to_le_bytes(), low.to_le_bytes(), high.to_le_bytes());
            let arguments = [
                ArgValue::Buffer(&out),
                ArgValue::Value(&values.0),
                ArgValue::Value(&values.1),
                ArgValue::Value(&values.2),
            ];
            let report = Device::by_name(name).unwrap().launch(&kernel, &range, &arguments).unwrap();
            assert_eq!(report.entry, EntryKind::Foreign);
            let mut want: Vec<i32> = (0..64).map(|id| (id + 3) * 10).collect();
            want[0] = 2;
            assert_eq!(numbers(&out), want, "{name} {version:?}");
        }
    }
}

#[test]
fn foreign_text_comes_back_and_foreign_failure_is_an_error() {
    let prints = "POCL96(k) { for (const char *t = \"hi \"; *t; t++) ctx->printf_buffer[(*ctx->printf_position)++] = *t; }";
    let kernel_9 = foreign(Version::V9, foreign_kernel(kernel("k", vec![]), prints));
    let range = NdRange::new(&[6]).unwrap().with_local(&[2]).unwrap();
    for _ in 0..2 {
        let report = Device::by_name("cpu").unwrap().launch(&kernel_9, &range, &[]).unwrap();
        assert_eq!(report.printed, b"hi hi hi ");
    }
    let gives_up = "POCL(k) { if (gx == 2) ctx->failed = 1; }";
    let kernel_12 = foreign(Version::V12, foreign_kernel(kernel("k", vec![]), gives_up));
    let error = Device::by_name("basic").unwrap().launch(&kernel_12, &range, &[]).unwrap_err();
    assert_eq!(error.to_string(), "kernel 'k' gave up in work-group (2, 0, 0)");
    assert_eq!(error.code().to_string(), "OX0512");
}

#[test]
fn denormals_are_flushed_where_the_archive_says_so() {
    let source = "
        META(k, 0, 0, 1)
        static void half(float *v) { __asm__ volatile(\"\" ::: \"memory\"); v[0] = v[0] * 0.5f; }
        NATIVE(k) { half(BUF(float, 0)); } REF(k) { half(BUF(float, 0)); }";
    let record = our_kernel(kernel("k", vec![buffer("v")]), false, source);
    for flush in [false, true] {
        let mut archive = our_archive(&program_meta(baseline()), vec![record.clone()]);
        archive.flush_denorms = flush;
        let kernel = Program::from_archive(&archive.write().unwrap()).unwrap().kernel("k").unwrap();
        for name in DEVICES {
            let data = Buffer::from_bytes(&f32::MIN_POSITIVE.to_le_bytes()).unwrap();
            let range = NdRange::new(&[1]).unwrap();
            Device::by_name(name).unwrap().launch(&kernel, &range, &[ArgValue::Buffer(&data)]).unwrap();
            let result = f32::from_le_bytes(data.to_vec().try_into().unwrap());
            assert_eq!(result, if flush { 0.0 } else { f32::MIN_POSITIVE / 2.0 }, "{name}");
            let denormal = std::hint::black_box(f32::MIN_POSITIVE) / 2.0;
            assert!(denormal > 0.0, "the caller's mode came back");
        }
    }
}

#[test]
fn too_much_scratch_is_an_error_and_the_device_goes_on() {
    let source = "META(k, 0, 1ull << 58, 1) NATIVE(k) {} REF(k) {}";
    let kernel_large = program(our_kernel(kernel("k", vec![]), false, source));
    let device = Device::by_name("cpu").unwrap();
    for items in [2, 64] {
        let range = NdRange::new(&[64]).unwrap().with_local(&[items]).unwrap();
        let error = device.launch(&kernel_large, &range, &[]).unwrap_err();
        assert_eq!(error.code().to_string(), "OX0510", "{error}");
    }
    let kernel = program(our_kernel(kernel("visits", vec![buffer("out")]), false, VISITS));
    let out = Buffer::zeroed(256).unwrap();
    device.launch(&kernel, &NdRange::new(&[64]).unwrap(), &[ArgValue::Buffer(&out)]).unwrap();
    assert_eq!(numbers(&out), vec![1; 64]);
}

fn refused(kernel: &Kernel, range: &NdRange, arguments: &[ArgValue<'_>]) -> String {
    let error = Device::by_name("cpu").unwrap().launch(kernel, range, arguments).unwrap_err();
    format!("{}: {error}", error.code())
}

#[test]
fn wrong_arguments_are_named() {
    let kernel = locals();
    let out = Buffer::zeroed(20).unwrap();
    let range = NdRange::new(&[4]).unwrap();
    let int = 7_i32.to_le_bytes();
    let structure = [0; 40];
    let good =
        [ArgValue::Buffer(&out), ArgValue::Value(&int), ArgValue::Local(16), ArgValue::Value(&structure)];
    let with = |index: usize, value| {
        let mut arguments = good;
        arguments[index] = value;
        refused(&kernel, &range, &arguments)
    };
    assert_eq!(
        refused(&kernel, &range, &good[..2]),
        "OX0540: kernel 'locals' takes 4 arguments (out, first, given, s), 2 were given"
    );
    assert_eq!(
        with(0, ArgValue::Value(&int)),
        "OX0541: argument 'out' of kernel 'locals' has type int*: it takes a buffer, not a value"
    );
    assert_eq!(
        with(2, ArgValue::Buffer(&out)),
        "OX0541: argument 'given' of kernel 'locals' has type int*: it takes a size of local memory, not a buffer"
    );
    assert_eq!(
        with(1, ArgValue::Value(&[0; 8])),
        "OX0542: argument 'first' of kernel 'locals' has type int of 4 bytes, 8 were given"
    );
    assert_eq!(
        with(2, ArgValue::Local(0)),
        "OX0544: argument 'given' of kernel 'locals' points to local memory: give it at least one byte"
    );
    assert_eq!(
        with(2, ArgValue::Local(1 << 40)),
        "OX0554: kernel 'locals' needs 1099511627816 bytes of local memory, the device has 1048576"
    );
    let mut image = value("picture", "image2d_t", 8);
    image.kind = ArgKind::Image;
    let kernel = program(our_kernel(support::kernel("visits", vec![image]), false, VISITS));
    assert_eq!(
        refused(&kernel, &range, &[ArgValue::Buffer(&out)]),
        "OX0541: argument 'picture' of kernel 'visits' has type image2d_t: it takes an image, not a buffer"
    );
}

#[test]
fn wrong_sizes_are_named() {
    let record = our_kernel(kernel("visits", vec![buffer("out")]), false, VISITS);
    let out = Buffer::zeroed(1 << 20).unwrap();
    let arguments = [ArgValue::Buffer(&out)];
    let range = NdRange::new(&[100]).unwrap().with_local(&[8]).unwrap();
    let mut meta = program_meta(baseline());
    assert_eq!(
        refused(&with_meta(&meta, record.clone()), &range, &arguments),
        "OX0550: local size 8 does not divide global size 100 in dimension 0, as -cl-std=CL1.2 demands"
    );
    meta.cl_std = "CL2.0".to_owned();
    let device = Device::by_name("cpu").unwrap();
    let launch = device.prepare(&with_meta(&meta, record.clone()), &range, &arguments);
    assert!(launch.is_ok(), "{launch:?}");
    meta.uniform_work_group_size = true;
    assert_eq!(
        refused(&with_meta(&meta, record.clone()), &range, &arguments),
        "OX0550: local size 8 does not divide global size 100 in dimension 0, as -cl-uniform-work-group-size demands"
    );
    let large = NdRange::new(&[8192]).unwrap().with_local(&[8192]).unwrap();
    assert_eq!(
        refused(&program(record.clone()), &large, &arguments),
        "OX0552: a work-group of 8192 work-items is too large: device 'cpu' takes at most 4096"
    );
    let far = NdRange::new(&[8]).unwrap().with_offset(&[(1 << 31) - 7]).unwrap();
    assert_eq!(
        refused(&program(record.clone()), &far, &arguments),
        "OX0555: global ids of kernel 'visits' reach 2147483648 in dimension 0: its code is for less than 2^31"
    );
    let mut small = record.clone();
    let facts =
        WorkGroupMeta { max_size: 64, preferred_multiple: 1, local_mem: 0, private_mem: 0, spill_mem: 0 };
    small.work_group = Some(facts);
    let kernel = program(small);
    let range = NdRange::new(&[128]).unwrap();
    assert_eq!(
        refused(&kernel, &range.with_local(&[128]).unwrap(), &arguments),
        "OX0552: a work-group of 128 work-items is too large: kernel 'visits' takes at most 64"
    );
    let report = Device::by_name("cpu").unwrap().launch(&kernel, &range, &arguments).unwrap();
    assert!(report.local[0] <= 64);

    let mut required = record;
    required.reqd_wg_size = [16, 1, 1];
    let kernel = program(required);
    assert_eq!(
        refused(&kernel, &range.with_local(&[32]).unwrap(), &arguments),
        "OX0553: kernel 'visits' requires local size 16,1,1, 32,1,1 was given"
    );
    let report = Device::by_name("cpu").unwrap().launch(&kernel, &range, &arguments).unwrap();
    assert_eq!((report.local, report.local_from), ([16, 1, 1], SizeSource::Required));
    assert!(matches!(
        Device::by_name("cpu").unwrap().launch(&kernel, &NdRange::new(&[100]).unwrap(), &arguments),
        Err(LaunchError::DoesNotDivide { .. })
    ));
}

#[test]
fn accesses_outside_buffers_are_refused_before_anything_runs() {
    let mut record = our_kernel(kernel("visits", vec![buffer("out")]), false, VISITS);
    let mut meta: KernelMeta = record.meta().unwrap().unwrap();
    record.files.retain(|file| !file.path.ends_with("oxcl.meta"));
    let bound =
        AccessBound { constant: -8, global: [4, 0, 0], local: [0; 3], group: [0; 3], bytes: 4, line: 12 };
    meta.args[0].bounds = vec![bound];
    record.add_meta(&meta).unwrap();
    let kernel = program(record);
    let out = Buffer::zeroed(400).unwrap();
    let range = NdRange::new(&[100]).unwrap();
    assert_eq!(
        refused(&kernel, &range, &[ArgValue::Buffer(&out)]),
        "OX0560: argument 'out' of kernel 'visits': this launch accesses byte -8, before the buffer's start (line 12)"
    );
    let shifted = range.with_offset(&[3]).unwrap();
    assert_eq!(
        refused(&kernel, &shifted, &[ArgValue::Buffer(&out)]),
        "OX0560: argument 'out' of kernel 'visits': this launch accesses 404 bytes, the buffer has 400 (line 12)"
    );
    assert_eq!(
        refused(&kernel, &shifted, &[ArgValue::Null]),
        "OX0560: argument 'out' of kernel 'visits': this launch accesses 404 bytes, the pointer is null (line 12)"
    );
    assert_eq!(numbers(&out), vec![0; 100]);
    let fits = range.with_offset(&[2]).unwrap();
    Device::by_name("cpu").unwrap().launch(&kernel, &fits, &[ArgValue::Buffer(&out)]).unwrap();
    assert_eq!(numbers(&out), vec![1; 100]);
}

#[test]
fn programs_say_what_they_have() {
    let kernel = locals();
    let error = kernel.program().kernel("scale").unwrap_err();
    assert_eq!(error.to_string(), "the program has no kernel 'scale'; it has locals");
    assert_eq!(error.code().to_string(), "OX0604");
    assert!(Program::from_archive(b"poclbin\0").is_err());
}
