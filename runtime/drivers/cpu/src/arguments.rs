//! Argument cells: what the elements of a kernel's `args` array point to.
//!
//! In: a launch's arguments, in the kernel's order, and the sizes of its automatic locals. Out: one block of cells,
//! each aligned to [`MAX_ALIGNMENT`], shared by all threads; elements for `__local` memory are left for each thread to
//! fill, because each has memory of its own.

use std::ffi::c_void;

use oxcl_binary::abi::{ImageData, MAX_ALIGNMENT};

use oxcl_driver::HostMemory;
use oxcl_driver::fault::{OutOfResources, Resource};
use oxcl_driver::program::ArgValue;

/// An argument whose memory has its address.
pub type Argument<'a> = ArgValue<*mut u8, &'a [u8]>;

/// A `__local` argument or automatic local.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalSlot {
    /// Index in `args`.
    pub(crate) index: usize,
    /// Offset of its memory in a thread's block of local memory.
    pub(crate) offset: usize,
}

/// The arguments of a launch in memory.
#[derive(Debug)]
pub(crate) struct Cells {
    /// Keeps the cells.
    _memory: HostMemory,
    /// What a thread copies: pointers to cells; null for local memory.
    pub(crate) pointers: Vec<*mut c_void>,
    pub(crate) locals: Vec<LocalSlot>,
    /// Bytes of local memory that a thread needs: a cell for each slot, then their blocks.
    pub(crate) local_bytes: u64,
}

// SAFETY: the pointers lead into the cells' own memory, which nobody writes after it was made; what that holds are addresses of
// buffers, which whoever runs a launch keeps alive and says who else may touch.
unsafe impl Send for Cells {}
// SAFETY: as above; cells are not changed after they were made.
unsafe impl Sync for Cells {}

fn round_up(bytes: u64) -> Option<u64> {
    bytes.checked_next_multiple_of(MAX_ALIGNMENT as u64)
}

impl Cells {
    /// The cells of `arguments`; `place` says where their memory is.
    pub(crate) fn new<M, V: AsRef<[u8]>>(
        arguments: &[ArgValue<M, V>],
        place: impl Fn(&M) -> *mut u8,
        automatic: &[u64],
    ) -> Result<Self, OutOfResources> {
        let too_large = |resource| OutOfResources::of(resource, u64::MAX);
        let cell_size = |argument: &ArgValue<M, V>| match argument {
            ArgValue::Buffer(_) | ArgValue::Null | ArgValue::Pointer(_) => Some(MAX_ALIGNMENT as u64),
            ArgValue::Local(_) => Some(0),
            ArgValue::Value(bytes) => round_up((bytes.as_ref().len() as u64).max(1)),
            // The address of the descriptions, and a description for each level.
            ArgValue::Image(_, image) => {
                let all = u64::from(image.level_count()) * size_of::<ImageData>() as u64;
                round_up(all).map(|all| MAX_ALIGNMENT as u64 + all)
            }
            ArgValue::Sampler(_) => Some(MAX_ALIGNMENT as u64),
        };
        let total = arguments.iter().try_fold(0_u64, |sum, argument| sum.checked_add(cell_size(argument)?));
        let total = total.ok_or(too_large(Resource::Arguments))?;
        let memory = HostMemory::uncounted(total);
        let memory = memory.map_err(|error| OutOfResources::no_block(Resource::Arguments, error))?;

        let local_count = arguments.iter().filter(|argument| matches!(argument, ArgValue::Local(_))).count();
        let mut local_bytes = ((local_count + automatic.len()) * MAX_ALIGNMENT) as u64;
        let mut locals = Vec::with_capacity(local_count + automatic.len());
        let mut pointers = Vec::with_capacity(arguments.len() + automatic.len());
        let mut add_local = |bytes: u64, index: usize| {
            // Empty blocks get memory too, so that no two slots share an address.
            let end = round_up(bytes.max(1)).and_then(|bytes| local_bytes.checked_add(bytes));
            let end = end.filter(|&end| isize::try_from(end).is_ok()).ok_or(too_large(Resource::Local))?;
            locals.push(LocalSlot { index, offset: local_bytes as usize });
            local_bytes = end;
            Ok(())
        };
        let mut next = memory.as_ptr();
        for (index, argument) in arguments.iter().enumerate() {
            let cell = next;
            let size = cell_size(argument).unwrap_or_default();
            next = next.wrapping_add(usize::try_from(size).unwrap_or_default());
            match argument {
                ArgValue::Buffer(_) | ArgValue::Null | ArgValue::Pointer(_) => {
                    let pointer = match argument {
                        ArgValue::Buffer(memory) => place(memory),
                        ArgValue::Pointer(address) => {
                            std::ptr::with_exposed_provenance_mut(*address as usize)
                        }
                        _ => std::ptr::null_mut(),
                    };
                    // SAFETY: the cell has 128 bytes inside the block, aligned to 128.
                    unsafe { cell.cast::<*mut u8>().write(pointer) };
                    pointers.push(cell.cast());
                }
                ArgValue::Value(bytes) => {
                    let bytes = bytes.as_ref();
                    // SAFETY: the cell has room for the value's bytes, and is memory that nobody else knows.
                    unsafe { cell.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
                    pointers.push(cell.cast());
                }
                ArgValue::Image(memory, description) => {
                    let data = cell.wrapping_add(MAX_ALIGNMENT).cast::<ImageData>();
                    for (level, described) in description.data(place(memory)).enumerate() {
                        let at = data.wrapping_add(level);
                        // SAFETY: behind the first 128 bytes of the argument's part of the block there is room for as many
                        // descriptions as there are levels, aligned to 128.
                        unsafe { at.write(described) };
                    }
                    // SAFETY: the cell has 128 bytes inside the block, aligned to 128.
                    unsafe { cell.cast::<*mut ImageData>().write(data) };
                    pointers.push(cell.cast());
                }
                ArgValue::Sampler(sampler) => {
                    let bits = sampler.bits();
                    // SAFETY: the cell has room for the 8 bytes, and is memory that nobody else knows.
                    unsafe { cell.copy_from_nonoverlapping(bits.as_ptr(), bits.len()) };
                    pointers.push(cell.cast());
                }
                ArgValue::Local(bytes) => {
                    add_local(*bytes, index)?;
                    pointers.push(std::ptr::null_mut());
                }
            }
        }
        for bytes in automatic {
            add_local(*bytes, pointers.len())?;
            pointers.push(std::ptr::null_mut());
        }
        Ok(Self { _memory: memory, pointers, locals, local_bytes })
    }
}
