//! The launch interface: what a loaded kernel object exports and how it is called.
//!
//! A kernel's shared object for `cpu` and `basic` exports, over one body,
//!
//! * `oxcl_wg_<kernel>` ([`NativeEntry`]): runs `n` work-groups `(gx..gx+n, gy, gz)` one after another;
//! * `_pocl_kernel_<kernel>_workgroup` ([`PoclEntry`]): runs one work-group, in the context layout of the archive's
//!   version;
//! * `oxcl_meta_<kernel>` ([`KernelConstants`]): what a caller must know before the first call.
//!
//! The shared object for `ref` exports `oxcl_ref_<kernel>` ([`RefEntry`]) instead.
//!
//! `args` has `num_args + num_locals` elements; every element points at the argument's *value*: for a buffer a cell
//! that holds the device pointer, for an image one that holds the address of an [`ImageData`], for `__local` (and for each automatic local, after the arguments) a cell that holds
//! the pointer to its 128-aligned block, for anything else the value itself. Cells are aligned to 128 bytes.

use std::ffi::c_void;

/// Alignment in bytes of argument cells, of local memory blocks and of scratch memory (that of `double16`/`long16`).
pub const MAX_ALIGNMENT: usize = 128;

/// The largest scratch memory, in bytes, that the PoCL entry takes from the stack; more comes from `aligned_alloc`.
pub const POCL_STACK_SCRATCH: u64 = 16 * 1024;

/// Value of [`Context::abi`] and [`KernelConstants::abi`] that this source describes. A loader refuses any other.
pub const ABI_VERSION: u32 = 1;

/// PoCL's context of container version 9 (PoCL 3.1): 96 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PoclContext96 {
    /// Number of work-groups in each dimension.
    pub num_groups: [u64; 3],
    /// Global offset in each dimension, in work-items.
    pub global_offset: [u64; 3],
    /// Local size in each dimension, in work-items.
    pub local_size: [u64; 3],
    /// Where printf text goes; may be null where the kernel does not print.
    pub printf_buffer: *mut u8,
    /// Bytes used of `printf_buffer`.
    pub printf_buffer_position: *mut u32,
    /// Size of `printf_buffer` in bytes.
    pub printf_buffer_capacity: u32,
    /// Number of dimensions of the launch, 1 to 3.
    pub work_dim: u32,
}

/// PoCL's context of container versions 11 and 12 (PoCL 4.0 and later): 112 bytes.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PoclContext112 {
    /// Number of work-groups in each dimension.
    pub num_groups: [u64; 3],
    /// Global offset in each dimension, in work-items.
    pub global_offset: [u64; 3],
    /// Local size in each dimension, in work-items.
    pub local_size: [u64; 3],
    /// Where printf records go; may be null where the kernel does not print.
    pub printf_buffer: *mut u8,
    /// Bytes used of `printf_buffer`.
    pub printf_buffer_position: *mut u32,
    /// Size of `printf_buffer` in bytes.
    pub printf_buffer_capacity: u32,
    /// Records that found no room; padding to PoCL.
    pub printf_dropped: u32,
    /// The program's variables at program scope.
    pub global_var_buffer: *mut u8,
    /// Number of dimensions of the launch, 1 to 3.
    pub work_dim: u32,
    /// Set to non-zero by a kernel that cannot go on.
    pub execution_failed: u32,
}

/// Our own context: PoCL's 112 bytes, then, from offset 128, what only the native entry reads.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Context {
    /// The part that PoCL knows.
    pub pocl: PoclContext112,
    /// Padding up to offset 128.
    pub reserved: [u8; 16],
    /// [`ABI_VERSION`].
    pub abi: u32,
    /// Padding.
    pub reserved2: u32,
    /// Global size in each dimension, in work-items (work-groups at the edge may be smaller than `local_size`).
    pub global_size: [u64; 3],
}

/// The context of 32-bit devices: PoCL's 60 bytes, then, from offset 64, what only the native entry reads.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Context32 {
    /// Number of work-groups in each dimension.
    pub num_groups: [u32; 3],
    /// Global offset in each dimension, in work-items.
    pub global_offset: [u32; 3],
    /// Local size in each dimension, in work-items.
    pub local_size: [u32; 3],
    /// Address of the printf buffer.
    pub printf_buffer: u32,
    /// Address of the number of bytes used of it.
    pub printf_buffer_position: u32,
    /// Size of it in bytes.
    pub printf_buffer_capacity: u32,
    /// Address of the program's variables at program scope.
    pub global_var_buffer: u32,
    /// Number of dimensions of the launch, 1 to 3.
    pub work_dim: u32,
    /// Set to non-zero by a kernel that cannot go on.
    pub execution_failed: u32,
    /// Records that found no room; padding to PoCL.
    pub printf_dropped: u32,
    /// [`ABI_VERSION`].
    pub abi: u32,
    /// Global size in each dimension, in work-items.
    pub global_size: [u32; 3],
}

const _: () = assert!(std::mem::offset_of!(Context32, printf_dropped) == 60);
const _: () = assert!(std::mem::offset_of!(Context32, abi) == 64);
const _: () = assert!(size_of::<PoclContext96>() == 96);
const _: () = assert!(size_of::<PoclContext112>() == 112);
const _: () = assert!(std::mem::offset_of!(Context, abi) == 128);

/// Where a launch prints to: the part of the contexts that begins at [`PoclContext112::printf_buffer`].
///
/// The buffer holds *records*, one after another, unaligned. A record begins with a 32-bit word: its size in bytes, this
/// word included, shifted left by [`PRINT_SIZE_SHIFT`], and flags ([`PRINT_FORMAT_POINTER`], [`PRINT_DOUBLES`]). Then
/// comes the format, and then the arguments: integers in 64 bits, floating-point numbers as `double`, pointers in 64 bits,
/// strings with their terminating zero in place, vectors element by element, those of three as four and those of less than
/// eight bytes filled up to eight. PoCL 7 and later write and read the same.
///
/// On 32-bit devices the block is the part of [`Context32`] from [`Context32::printf_buffer`] to
/// [`Context32::printf_dropped`], and scalar floating-point numbers are as [`PRINT_FLOATS`] says.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct PrintBlock {
    /// The records; null where nothing is printed.
    pub buffer: *mut u8,
    /// Bytes used of `buffer`; taken atomically.
    pub position: *mut u32,
    /// Size of `buffer` in bytes.
    pub capacity: u32,
    /// Records that found no room. PoCL has padding here, and does not look.
    pub dropped: u32,
}

/// How far the size is shifted in a record's first word.
pub const PRINT_SIZE_SHIFT: u32 = 8;
/// The record has a 64-bit pointer to the format, which is a constant, and not the format itself.
pub const PRINT_FORMAT_POINTER: u32 = 1 << 1;
/// Scalar floating-point arguments are doubles.
pub const PRINT_DOUBLES: u32 = 1 << 3;
/// Scalar floating-point arguments are floats, in the first four of eight bytes; what 32-bit devices write.
pub const PRINT_FLOATS: u32 = 1 << 7;

const _: () = assert!(std::mem::offset_of!(PoclContext112, printf_buffer) == 72);
const _: () = assert!(std::mem::offset_of!(PoclContext112, printf_dropped) == 72 + 20);
const _: () = assert!(std::mem::offset_of!(PrintBlock, dropped) == 20);

/// Where the memory of address spaces lies for the work-items of a group, for functions that ask it of a generic pointer
/// (`to_local` and its like; OpenCL C 3.0, section 6.15.8). Each pair is the first address and the one after the last. What
/// lies in none of them is global.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MemoryRanges {
    /// Local memory.
    pub local: [u64; 2],
    /// The stack that the group runs on: private memory.
    pub stack: [u64; 2],
    /// Scratch memory: private memory that lives across barriers.
    pub scratch: [u64; 2],
}

/// [`KernelConstants::scratch_fixed`] of a kernel that asks for [`MemoryRanges`]: its caller writes them to the beginning of the
/// scratch memory. Other kernels have 0 there.
pub const RANGES_BYTES: u64 = MAX_ALIGNMENT as u64;

const _: () = assert!(size_of::<MemoryRanges>() as u64 <= RANGES_BYTES);

/// `oxcl_wg_<kernel>`: runs the work-groups `(gx..gx+n, gy, gz)`.
///
/// `scratch` is aligned to [`MAX_ALIGNMENT`] and holds at least [`KernelConstants::scratch_bytes`].
pub type NativeEntry = unsafe extern "C" fn(
    args: *const *mut c_void,
    ctx: *const Context,
    gx: u64,
    gy: u64,
    gz: u64,
    n: u64,
    scratch: *mut u8,
);

/// `_pocl_kernel_<kernel>_workgroup`: runs the work-group `(gx, gy, gz)`. `ctx` is a [`PoclContext96`] or a
/// [`PoclContext112`], by the archive's version.
pub type PoclEntry =
    unsafe extern "C" fn(args: *const *mut c_void, ctx: *mut c_void, gx: u64, gy: u64, gz: u64);

/// What an argument of an image's type points to: in its cell is the address of this. PoCL has the same. A sampler's cell holds
/// its bits, those of OpenCL C's literals, in 64 bits.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ImageData {
    /// The first pixel.
    pub data: *mut u8,
    /// Pixels of a row.
    pub width: u32,
    /// Rows; 0 for images of one dimension.
    pub height: u32,
    /// Slices; 0 for images of one or two dimensions.
    pub depth: u32,
    /// Elements of an array; 0 for others.
    pub array_size: u32,
    /// Bytes from row to row.
    pub row_pitch: u32,
    /// Bytes from slice to slice, or from element to element.
    pub slice_pitch: u32,
    /// Levels of a mipmap, whose descriptions lie one behind the other, this one's first; 0 and 1: there is this one only.
    pub levels: u32,
    /// Samples; 0.
    pub samples: u32,
    /// `cl_channel_order`.
    pub order: u32,
    /// `cl_channel_type`.
    pub channel_type: u32,
    /// Elements of a pixel in memory: its channels, or one where all are in one number.
    pub channels: u32,
    /// Bytes of such an element.
    pub element_size: u32,
}

const _: () = assert!(size_of::<ImageData>() == 56);
const _: () = assert!(std::mem::offset_of!(ImageData, order) == 40);

/// The exported constant `oxcl_meta_<kernel>`.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelConstants {
    /// [`ABI_VERSION`].
    pub abi: u32,
    /// W: the number of work-items that the code runs at a time.
    pub width: u32,
    /// Scratch bytes whatever the local size: 0, or [`RANGES_BYTES`].
    pub scratch_fixed: u64,
    /// Scratch bytes for each work-item.
    pub scratch_per_item: u64,
    /// The local size that the code is specialised for; zeros: any.
    pub local_size: [u64; 3],
}

impl KernelConstants {
    /// The scratch memory, in bytes, that one work-group of `local_size` needs; `None` where it exceeds 64 bits.
    #[must_use]
    pub fn scratch_bytes(&self, local_size: [u64; 3]) -> Option<u64> {
        let items = local_size[0].checked_mul(local_size[1])?.checked_mul(local_size[2])?;
        let items = items.checked_next_multiple_of(u64::from(self.width.max(1)))?;
        items.checked_mul(self.scratch_per_item)?.checked_add(self.scratch_fixed)
    }
}

/// One work-item of the reference executor: what `oxcl_ref_<kernel>` and the work-item functions it calls read.
/// The kernel's object keeps the current item in a thread-local variable that the entry sets.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct RefItem {
    /// [`ABI_VERSION`].
    pub abi: u32,
    /// Number of dimensions of the launch, 1 to 3.
    pub work_dim: u32,
    /// The work-item's id within its group.
    pub local_id: [u64; 3],
    /// The group's id.
    pub group_id: [u64; 3],
    /// Number of work-groups.
    pub num_groups: [u64; 3],
    /// Global offset in work-items.
    pub global_offset: [u64; 3],
    /// Local size in work-items, as enqueued.
    pub local_size: [u64; 3],
    /// Global size in work-items.
    pub global_size: [u64; 3],
    /// The size of a sub-group.
    pub sub_group_size: u64,
    /// Called for every work-group barrier with this item and the fence flags; returns when all items met it.
    /// May leave by a non-local exit of the executor's where the barrier was not met by all.
    pub barrier: Option<unsafe extern "C" fn(item: *const RefItem, flags: u32)>,
    /// The executor's own.
    pub executor: *mut c_void,
    /// Where the kernel prints to.
    pub print: *mut PrintBlock,
    /// The program's variables at program scope.
    pub program_variables: *mut u8,
    /// Called where work-items of a sub-group meet, with this item and the place's number, which is the smaller the earlier the
    /// place comes in the kernel; returns when all have come that can, and has put into `met` who they are.
    pub meet: Option<unsafe extern "C" fn(item: *mut RefItem, number: u32)>,
    /// [`REF_CELL_BYTES`] for each work-item of the group, whose number is rounded up to 128: what work-items of a sub-group show
    /// one another.
    pub cells: *mut u8,
    /// Who met last, a bit for each work-item of the sub-group.
    pub met: u64,
    /// What generic pointers lead to.
    pub ranges: MemoryRanges,
}

/// What the cells of one work-item take together: one of each power of two up to 128.
pub const REF_CELL_BYTES: usize = 255;

/// `oxcl_ref_<kernel>`: runs one work-item on the calling thread. `args` as for the other entries.
pub type RefEntry = unsafe extern "C" fn(args: *const *mut c_void, item: *const RefItem);

/// The symbol of the native entry.
#[must_use]
pub fn native_symbol(kernel: &str) -> String {
    format!("oxcl_wg_{kernel}")
}

/// The symbol of the start-up of a kernel on a device that calls kernels from a program of its own: it takes nothing and
/// finds what the native entry takes at [`LAUNCH_SYMBOL`].
#[must_use]
pub fn start_symbol(kernel: &str) -> String {
    format!("oxcl_start_{kernel}")
}

/// The symbol of the words that a kernel's start-up reads: arguments, context, group ids, number of groups in dimension 0,
/// scratch. The program that calls it owns them.
pub const LAUNCH_SYMBOL: &str = "oxcl_launch";

/// How many words there are at [`LAUNCH_SYMBOL`].
pub const LAUNCH_WORDS: u64 = 7;

/// The symbol of PoCL's entry.
#[must_use]
pub fn pocl_symbol(kernel: &str) -> String {
    format!("_pocl_kernel_{kernel}_workgroup")
}

/// The symbol of the kernel's constants.
#[must_use]
pub fn constants_symbol(kernel: &str) -> String {
    format!("oxcl_meta_{kernel}")
}

/// The symbol of the reference executor's entry.
#[must_use]
pub fn ref_symbol(kernel: &str) -> String {
    format!("oxcl_ref_{kernel}")
}
