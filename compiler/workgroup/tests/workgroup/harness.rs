//! Runs kernels through `form` and a C compiler, and gives their results: shared by the tests of this crate.

use libloading::Library;
use oxcl_binary::abi::{
    Context, KernelConstants, NativeEntry, PoclContext96, PoclContext112, PoclEntry, constants_symbol,
    native_symbol, pocl_symbol,
};
use oxcl_ir::{Context as IrContext, read_module};
use oxcl_workgroup::{FormError, Formed, Options, PoclAbi, Remark, Target, Vectors, Width, form};
use std::ffi::c_void;
use std::path::Path;
use std::process::Command;

/// Which entry a launch uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// `oxcl_wg_<kernel>`, a row of groups at a time.
    Native,
    /// `_pocl_kernel_<kernel>_workgroup`.
    Pocl,
}

/// An argument: bytes of a buffer (read back), of a value, or the size of a `__local` block.
#[derive(Debug, Clone)]
pub(crate) enum Arg {
    Buffer(Vec<u8>),
    Value(Vec<u8>),
    Local(usize),
}

pub(crate) fn buffer<T: Copy>(items: &[T]) -> Arg {
    Arg::Buffer(bytes_of(items))
}

pub(crate) fn value<T: Copy>(item: T) -> Arg {
    Arg::Value(bytes_of(&[item]))
}

fn bytes_of<T: Copy>(items: &[T]) -> Vec<u8> {
    let size = size_of_val(items);
    // SAFETY: `items` spans `size` bytes; the tests pass types without padding.
    unsafe { std::slice::from_raw_parts(items.as_ptr().cast(), size) }.to_vec()
}

pub(crate) fn read<T: Copy>(arg: &Arg) -> Vec<T> {
    let Arg::Buffer(bytes) = arg else { return Vec::new() };
    bytes
        .chunks_exact(size_of::<T>())
        .map(|chunk| {
            // SAFETY: the chunk holds one `T`, of which every bit pattern is valid in these tests.
            unsafe { chunk.as_ptr().cast::<T>().read_unaligned() }
        })
        .collect()
}

/// The size of a launch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    pub(crate) groups: [u64; 3],
    pub(crate) local: [u64; 3],
    pub(crate) offset: [u64; 3],
}

pub(crate) fn grid(groups: [u64; 3], local: [u64; 3]) -> Grid {
    Grid { groups, local, offset: [0; 3] }
}

/// A compiled kernel.
#[derive(Debug)]
pub(crate) struct Kernel {
    name: String,
    pub(crate) formed: Formed,
    abi: PoclAbi,
    library: Library,
}

#[repr(C, align(128))]
#[derive(Clone)]
struct Line([u8; 128]);

struct Memory(Vec<Line>);

impl Memory {
    fn new(bytes: usize) -> Self {
        Memory(vec![Line([0xA5; 128]); bytes.div_ceil(128).max(1)])
    }
    fn with(content: &[u8]) -> Self {
        let mut memory = Memory::new(content.len());
        // SAFETY: the allocation has at least `content.len()` bytes and no other view of it exists.
        let view = unsafe { std::slice::from_raw_parts_mut(memory.pointer().cast::<u8>(), content.len()) };
        view.copy_from_slice(content);
        memory
    }
    fn pointer(&mut self) -> *mut c_void {
        self.0.as_mut_ptr().cast()
    }
    fn bytes(&mut self, length: usize) -> Vec<u8> {
        // SAFETY: the allocation has at least `length` bytes, all initialised.
        unsafe { std::slice::from_raw_parts(self.pointer().cast::<u8>(), length) }.to_vec()
    }
}

pub(crate) fn options(width: u32) -> Options {
    Options {
        width: Width::Fixed(width),
        plan: None,
        local_size: None,
        uniform: true,
        variables: Vec::new(),
        pocl: PoclAbi::Context112,
        large_ids: false,
        sub_group_size: 8,
        hinted_bits: None,
        target: Target {
            triple: "x86_64-pc-linux-gnu".to_owned(),
            data_layout: "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
                .to_owned(),
            cpu: String::new(),
            features: String::new(),
            vectors: Vectors::default(),
        },
        remarks: false,
        strict: true,
    }
}

/// Clang's output for a source, as the front end makes it.
pub(crate) fn front_end(folder: &Path, source: &str) -> Vec<u8> {
    let (input, output) = (folder.join("k.cl"), folder.join("k.bc"));
    std::fs::write(&input, source).expect("the folder is writable");
    let status = Command::new("clang-22")
        .args(["-cc1", "-triple", "spir64-unknown-unknown", "-O1", "-disable-llvm-passes"])
        .args([
            "-fdeclare-opencl-builtins",
            "-finclude-default-header",
            "-cl-std=CL2.0",
            "-cl-kernel-arg-info",
        ])
        .args(["-internal-isystem", "/usr/lib/llvm-22/lib/clang/22/include"])
        .args(["-debug-info-kind=line-tables-only", "-emit-llvm-bc", "-o"])
        .args([&output, &input])
        .status()
        .expect("clang-22 is installed");
    assert!(status.success(), "clang refused the source");
    std::fs::read(&output).expect("clang wrote its output")
}

/// Forms a kernel without making code.
pub(crate) fn form_only(source: &str, kernel: &str, options: &Options) -> Result<Formed, FormError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let context = IrContext::create();
    let module =
        read_module(&context, &front_end(folder.path(), source), "test").expect("clang's bitcode is valid");
    form(&module, kernel, options)
}

/// The code of a kernel for each of some options, and what is remarked of it.
pub(crate) fn codes_and_remarks<const N: usize>(
    source: &str,
    kernel: &str,
    options: [&Options; N],
) -> [(String, Vec<Remark>); N] {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bitcode = front_end(folder.path(), source);
    options.map(|options| {
        let context = IrContext::create();
        let module = read_module(&context, &bitcode, "test").expect("clang's bitcode is valid");
        let formed = form(&module, kernel, options).expect("the kernel has this width");
        (oxcl_ir::module::print(&module), formed.remarks)
    })
}

impl Kernel {
    pub(crate) fn build(source: &str, kernel: &str, options: &Options) -> Result<Kernel, FormError> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let context = IrContext::create();
        let module = read_module(&context, &front_end(folder.path(), source), "test")
            .expect("clang's bitcode is valid");
        let formed = form(&module, kernel, options)?;
        let (ir, object) = (folder.path().join("k.ll"), folder.path().join("k.so"));
        std::fs::write(&ir, oxcl_ir::module::print(&module)).expect("the folder is writable");
        if let Ok(keep) = std::env::var("OXCL_KEEP_IR") {
            std::fs::write(
                Path::new(&keep).join(format!("{kernel}.{:?}.ll", options.width)),
                oxcl_ir::module::print(&module),
            )
            .expect("the folder exists");
        }
        let status = Command::new("clang-22")
            .args(["-O2", "-w", "-march=native", "-shared", "-fPIC", "-o"])
            .args([&object, &ir])
            .args(["-lm"])
            .status()
            .expect("clang-22 is installed");
        assert!(status.success(), "clang refused our module");
        // SAFETY: the library has no initialisers beside the C runtime's.
        let library = unsafe { Library::new(&object) }.expect("the library loads");
        Ok(Kernel { name: kernel.to_owned(), formed, abi: options.pocl, library })
    }

    /// The plan that its code was made by.
    pub(crate) fn plan(&self) -> String {
        self.formed.plan_report.clone()
    }

    pub(crate) fn constants(&self) -> KernelConstants {
        // SAFETY: the symbol is a constant of this type.
        let symbol =
            unsafe { self.library.get::<*const KernelConstants>(constants_symbol(&self.name).as_bytes()) }
                .expect("the constants are exported");
        // SAFETY: it points to a constant that lives as long as the library.
        unsafe { **symbol }
    }

    /// Runs a launch group by group and returns the arguments as they are afterwards.
    pub(crate) fn run(&self, entry: Entry, size: Grid, args: &[Arg]) -> Vec<Arg> {
        let mut memories: Vec<Memory> = args
            .iter()
            .map(|arg| match arg {
                Arg::Buffer(bytes) | Arg::Value(bytes) => Memory::with(bytes),
                Arg::Local(bytes) => Memory::new(*bytes),
            })
            .collect();
        memories.extend(self.formed.local_sizes.iter().map(|&bytes| Memory::new(bytes as usize)));
        let is_value = |index: usize| matches!(args.get(index), Some(Arg::Value(_)));
        let mut cells: Vec<*mut c_void> = memories.iter_mut().map(Memory::pointer).collect();
        let cell_starts: Vec<*mut c_void> = cells
            .iter_mut()
            .enumerate()
            .map(|(index, cell)| if is_value(index) { *cell } else { std::ptr::from_mut(cell).cast() })
            .collect();
        let (mut printed, mut position) = ([0_u8; 16], 0_u32);
        let pocl = PoclContext112 {
            num_groups: size.groups,
            global_offset: size.offset,
            local_size: size.local,
            printf_buffer: printed.as_mut_ptr(),
            printf_buffer_position: &raw mut position,
            printf_buffer_capacity: 16,
            printf_dropped: 0,
            global_var_buffer: std::ptr::null_mut(),
            work_dim: 3,
            execution_failed: 0,
        };
        let mut old = PoclContext96 {
            num_groups: size.groups,
            global_offset: size.offset,
            local_size: size.local,
            printf_buffer: pocl.printf_buffer,
            printf_buffer_position: pocl.printf_buffer_position,
            printf_buffer_capacity: 16,
            work_dim: 3,
        };
        let mut context = Context { pocl, reserved: [0; 16], abi: 1, reserved2: 0, global_size: [0; 3] };
        let scratch_bytes = self.constants().scratch_bytes(size.local).expect("scratch fits 64 bits");
        let mut scratch = Memory::new(usize::try_from(scratch_bytes).expect("scratch fits memory"));
        for z in 0..size.groups[2] {
            for y in 0..size.groups[1] {
                match entry {
                    Entry::Native => {
                        // SAFETY: the symbol has this type by the crate's contract.
                        let run =
                            unsafe { self.library.get::<NativeEntry>(native_symbol(&self.name).as_bytes()) }
                                .expect("the native entry is exported");
                        // SAFETY: cells, context and scratch are as the ABI asks and outlive the call.
                        unsafe {
                            run(
                                cell_starts.as_ptr(),
                                &raw const context,
                                0,
                                y,
                                z,
                                size.groups[0],
                                scratch.pointer().cast(),
                            );
                        }
                    }
                    Entry::Pocl => {
                        // SAFETY: the symbol has this type by the crate's contract.
                        let run =
                            unsafe { self.library.get::<PoclEntry>(pocl_symbol(&self.name).as_bytes()) }
                                .expect("PoCL's entry is exported");
                        let context: *mut c_void = match self.abi {
                            PoclAbi::Context96 => (&raw mut old).cast(),
                            PoclAbi::Context112 | PoclAbi::Context60 => (&raw mut context.pocl).cast(),
                        };
                        for x in 0..size.groups[0] {
                            // SAFETY: cells and context are as the ABI asks and outlive the call.
                            unsafe { run(cell_starts.as_ptr(), context, x, y, z) };
                        }
                    }
                }
            }
        }
        args.iter()
            .zip(&mut memories)
            .map(|(arg, memory)| match arg {
                Arg::Buffer(bytes) => Arg::Buffer(memory.bytes(bytes.len())),
                other => other.clone(),
            })
            .collect()
    }
}

/// Builds a kernel at each width; PoCL's entry takes its old context layout at the first width, the new one after.
pub(crate) fn build(source: &str, kernel: &str, widths: &[u32]) -> Vec<Kernel> {
    widths
        .iter()
        .enumerate()
        .map(|(position, &width)| {
            let pocl = if position == 0 { PoclAbi::Context96 } else { PoclAbi::Context112 };
            Kernel::build(source, kernel, &Options { pocl, ..options(width) }).unwrap_or_else(|error| {
                panic!("width {width}: {} {error} (line {:?})", error.code(), error.line())
            })
        })
        .collect()
}

/// Runs built kernels through both entries and gives the results to a check.
pub(crate) fn check_built(kernels: &[Kernel], size: Grid, args: &[Arg], test: impl Fn(&[Arg])) {
    for kernel in kernels {
        for entry in [Entry::Native, Entry::Pocl] {
            test(&kernel.run(entry, size, args));
        }
    }
}

/// Builds a kernel at each width, runs it through both entries and gives the results to a check.
pub(crate) fn check(
    source: &str,
    kernel: &str,
    widths: &[u32],
    size: Grid,
    args: &[Arg],
    test: impl Fn(&[Arg]),
) {
    check_built(&build(source, kernel, widths), size, args, test);
}
