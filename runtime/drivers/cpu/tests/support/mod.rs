//! Archives for tests of loading and running, made from C by gcc: kernels as our compiler and as others would make
//! them, without either.
#![allow(dead_code, reason = "each test program uses its part of it")]

use std::process::Command;
use std::sync::Arc;

use oxcl_binary::archive::slots::{ANY_SIZE, Code, PoclSlot};
use oxcl_binary::archive::{
    AccessQualifier, AddressQualifier, Archive, Arg, ArgKind, BinaryType, File, Kernel, Version,
};
use oxcl_binary::meta::{
    Access, ArgFacts, KernelCode, KernelMeta, Level, PROGRAM_META_PATH, ProgramMeta, SCHEMA,
};

/// Declarations that every kernel's C source begins with.
const PREAMBLE: &str = r#"
#include <stdint.h>
#include <stddef.h>
typedef uint64_t u64; typedef uint32_t u32; typedef uint8_t u8;
struct ctx {
    u64 groups[3], offset[3], local[3];
    u8 *printf_buffer; u32 *printf_position; u32 printf_capacity, pad; u8 *globals; u32 work_dim, failed;
    u8 pad2[16]; u32 abi, pad3; u64 global[3];
};
struct ctx96 {
    u64 groups[3], offset[3], local[3];
    u8 *printf_buffer; u32 *printf_position; u32 printf_capacity, work_dim;
};
struct item {
    u32 abi, work_dim; u64 lid[3], group[3], groups[3], offset[3], local[3], global[3], sub_group;
    void (*barrier)(const struct item *, u32); void *executor;
};
struct meta { u32 abi, width; u64 fixed, per_item; u64 local[3]; };
#define META(name, f, p, w) const struct meta oxcl_meta_##name = {1, w, f, p, {0, 0, 0}};
#define META_FOR(name, x, y, z) const struct meta oxcl_meta_##name = {1, 1, 0, 0, {x, y, z}};
#define NATIVE(name) void oxcl_wg_##name(void **args, const struct ctx *ctx, u64 gx, u64 gy, u64 gz, u64 n, u8 *scratch)
#define POCL(name) void _pocl_kernel_##name##_workgroup(void **args, struct ctx *ctx, u64 gx, u64 gy, u64 gz)
#define POCL96(name) void _pocl_kernel_##name##_workgroup(void **args, struct ctx96 *ctx, u64 gx, u64 gy, u64 gz)
#define REF(name) void oxcl_ref_##name(void **args, const struct item *item)
#define BUF(type, i) (*(type **)args[i])
#define VAL(type, i) (*(type *)args[i])
#define GLOBAL_ID(d) (item->group[d] * item->local[d] + item->lid[d] + item->offset[d])
"#;

/// A shared object from C, with further arguments for gcc.
pub(crate) fn object_with(source: &str, flags: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("kernel.c");
    let output = folder.path().join("kernel.so");
    std::fs::write(&input, format!("{PREAMBLE}{source}")).unwrap();
    let mut gcc = Command::new("gcc");
    gcc.args(["-shared", "-fPIC", "-O1", "-nostartfiles", "-fno-math-errno", "-Wall", "-Werror"]);
    let status = gcc.args(flags).arg(&input).arg("-o").arg(&output).args(["-lm"]).status().unwrap();
    assert!(status.success(), "gcc failed on\n{source}");
    std::fs::read(output).unwrap()
}

/// A shared object from C.
pub(crate) fn object(source: &str) -> Vec<u8> {
    object_with(source, &["-Wl,--as-needed"])
}

/// A pointer parameter.
pub(crate) fn pointer(name: &str, address: AddressQualifier) -> Arg {
    let type_name = "int*".to_owned();
    let access = AccessQualifier::None;
    Arg {
        name: name.to_owned(),
        type_name,
        address,
        access,
        type_qualifier: 0,
        kind: ArgKind::Pointer,
        size: 8,
    }
}

/// A buffer parameter.
pub(crate) fn buffer(name: &str) -> Arg {
    pointer(name, AddressQualifier::Global)
}

/// A parameter by value.
pub(crate) fn value(name: &str, type_name: &str, size: u32) -> Arg {
    Arg {
        name: name.to_owned(),
        type_name: type_name.to_owned(),
        address: AddressQualifier::Private,
        access: AccessQualifier::None,
        type_qualifier: 0,
        kind: ArgKind::Value,
        size,
    }
}

/// A kernel's record without files.
pub(crate) fn kernel(name: &str, args: Vec<Arg>) -> Kernel {
    Kernel {
        name: name.to_owned(),
        args,
        local_sizes: Vec::new(),
        reqd_wg_size: [0; 3],
        attributes: String::new(),
        has_arg_metadata: Kernel::ALL_ARG_METADATA,
        work_group: None,
        sub_groups: None,
        reqd_sub_group_size: None,
        files: Vec::new(),
    }
}

/// Facts of a kernel about which there is nothing to say but whether it has barriers.
pub(crate) fn kernel_meta(kernel: &Kernel, barrier: bool) -> KernelMeta {
    let facts = || ArgFacts { access: Access::ReadWrite, bounds: Vec::new() };
    KernelMeta {
        schema: SCHEMA,
        args: kernel.args.iter().map(|_| facts()).collect(),
        opaque: false,
        globals: false,
        printf: false,
        barrier,
        any_ids: false,
        any_groups: false,
        columns: false,
        zero_local: false,
        sub_groups: false,
        sub_group_size: 0,
        narrow_sub_group_size: 0,
        required_sub_group_size: 0,
        pixels: Vec::new(),
        code: vec![KernelCode {
            cpu: "x86-64".to_owned(),
            width: 1,
            scratch_fixed: 0,
            scratch_per_item: 0,
            specialised: Vec::new(),
        }],
    }
}

/// A kernel of ours: native and reference code in one source.
pub(crate) fn our_kernel(mut kernel: Kernel, barrier: bool, source: &str) -> Kernel {
    let code = object(source);
    kernel.add_object(Code::First, ANY_SIZE, &code);
    kernel.add_object(Code::Ref, ANY_SIZE, &code);
    let meta = kernel_meta(&kernel, barrier);
    kernel.add_meta(&meta).unwrap();
    kernel
}

/// A kernel that another compiler made.
pub(crate) fn foreign_kernel(mut kernel: Kernel, source: &str) -> Kernel {
    let path = PoclSlot::GENERIC.path(&kernel.name);
    kernel.files.push(File { path, data: object(source) });
    kernel
}

/// Facts about a program with code for one level.
pub(crate) fn program_meta(level: Level) -> ProgramMeta {
    ProgramMeta {
        schema: SCHEMA,
        compiler: "test".to_owned(),
        triple: "x86_64-unknown-linux-gnu".to_owned(),
        levels: vec![level],
        has_ref: true,
        cl_std: "CL1.2".to_owned(),
        uniform_work_group_size: false,
        options: String::new(),
        variables: None,
        narrow_variables: None,
    }
}

/// Any x86-64 CPU.
pub(crate) fn baseline() -> Level {
    Level { cpu: "x86-64".to_owned(), features: vec!["sse2".to_owned()] }
}

/// An archive of ours.
pub(crate) fn our_archive(meta: &ProgramMeta, kernels: Vec<Kernel>) -> Archive {
    let data = meta.to_json().unwrap();
    let root = vec![vec![File { path: PROGRAM_META_PATH.to_owned(), data }]];
    Archive {
        version: Version::V12,
        device_id: 0,
        flush_denorms: false,
        program_scope_bytes: Some(0),
        binary_type: BinaryType::Executable,
        build_hash: format!("AB/{}", "C".repeat(37)),
        root,
        kernels,
    }
}

/// An archive that another compiler made.
pub(crate) fn foreign_archive(version: Version, kernels: Vec<Kernel>) -> Archive {
    let root = vec![vec![File { path: "/program.bc".to_owned(), data: b"BC".to_vec() }]];
    let program_scope_bytes = (version > Version::V9).then_some(0);
    Archive { version, root, program_scope_bytes, ..our_archive(&program_meta(baseline()), kernels) }
}

/// An archive of ours with one kernel, shared.
pub(crate) fn single(kernel: Kernel) -> Arc<Archive> {
    Arc::new(our_archive(&program_meta(baseline()), vec![kernel]))
}

/// `step(global int *out)`: out[i] = 3 * out[i] + 1 for every work-item.
const STEP: &str = "
META(step, 0, 0, 1)
static void one(int *out, u64 i) { out[i] = 3 * out[i] + 1; }
NATIVE(step) {
    for (u64 g = gx; g < gx + n; g++)
        for (u64 x = 0; x < ctx->local[0]; x++) one(BUF(int, 0), g * ctx->local[0] + x);
}
REF(step) { one(BUF(int, 0), GLOBAL_ID(0)); }
";

/// An archive with the kernel `step`.
pub(crate) fn step_archive() -> Vec<u8> {
    let record = our_kernel(kernel("step", vec![buffer("out")]), false, STEP);
    our_archive(&program_meta(baseline()), vec![record]).write().unwrap()
}
