//! What a thread that runs work-groups has of its own: a stack, scratch memory, local memory, its copy of the arguments.
//!
//! Growing comes before a command starts ([`Worker::reserve`]) and may fail; binding to a launch
//! ([`Worker::bind`]) happens while it runs and cannot.

use std::ffi::c_void;

use oxcl_binary::abi::{MAX_ALIGNMENT, MemoryRanges, PrintBlock};

use crate::arguments::Cells;
use crate::memory;
use crate::stack::KernelStack;
use oxcl_driver::HostMemory;
use oxcl_driver::fault::{OutOfResources, Resource};

/// Bytes of printf records, or text, that one thread can hold for one work-group; text for one command.
const PRINTF_BYTES: u32 = 1 << 20;

/// A thread's memory for running work-groups.
#[derive(Debug)]
pub struct Worker {
    scratch: HostMemory,
    locals: HostMemory,
    arguments: Vec<*mut c_void>,
    bound_to: u64,
    printf: HostMemory,
    /// What kernels run on.
    stack: Option<KernelStack>,
    /// Bytes used of the printf buffer.
    printed: Box<u32>,
    /// Counts executions, so that some can be measured.
    pub(crate) turn: u8,
}

// SAFETY: the pointers lead into memory that the worker owns or that its launch keeps; none is tied to a thread.
unsafe impl Send for Worker {}

impl Default for Worker {
    fn default() -> Self {
        Self::new()
    }
}

impl Worker {
    /// A worker without memory.
    #[must_use]
    pub fn new() -> Self {
        Self {
            scratch: HostMemory::empty(),
            locals: HostMemory::empty(),
            arguments: Vec::new(),
            bound_to: 0,
            printf: HostMemory::empty(),
            stack: None,
            printed: Box::new(0),
            turn: 0,
        }
    }

    /// Makes room for `scratch` bytes of scratch memory, for `cells`' local memory, for printf text, and a stack.
    pub(crate) fn reserve(
        &mut self,
        scratch: u64,
        cells: &Cells,
        prints: bool,
    ) -> Result<(), OutOfResources> {
        if self.stack.is_none() {
            self.stack = Some(KernelStack::new()?);
        }
        memory::grow(&mut self.scratch, scratch, Resource::Scratch)?;
        if cells.local_bytes > self.locals.len() as u64 {
            // The cells of the launch that it is bound to move.
            self.bound_to = 0;
            memory::grow(&mut self.locals, cells.local_bytes, Resource::Local)?;
        }
        self.arguments.clear();
        self.bound_to = 0;
        self.arguments.reserve(cells.pointers.len());
        if prints {
            memory::grow(&mut self.printf, u64::from(PRINTF_BYTES), Resource::Printf)?;
        }
        Ok(())
    }

    /// Whether it has all that launch number `launch` needs, because that was the last to run here.
    pub(crate) fn is_bound_to(&self, launch: u64) -> bool {
        self.bound_to == launch
    }

    /// Points the arguments at launch number `launch`'s cells and at the worker's local memory; gives whether they were not yet.
    pub(crate) fn bind(&mut self, launch: u64, cells: &Cells) -> bool {
        if self.is_bound_to(launch) {
            return false;
        }
        debug_assert!(
            cells.local_bytes <= self.locals.len() as u64,
            "memory is reserved before the launch runs"
        );
        self.arguments.clear();
        self.arguments.extend_from_slice(&cells.pointers);
        let block = self.locals.as_ptr();
        for (number, slot) in cells.locals.iter().enumerate() {
            let cell = block.wrapping_add(number * MAX_ALIGNMENT).cast::<*mut u8>();
            // SAFETY: the block begins with a 128-byte cell for each slot; it is the worker's alone.
            unsafe { cell.write(block.wrapping_add(slot.offset)) };
            self.arguments[slot.index] = cell.cast();
        }
        self.bound_to = launch;
        true
    }

    /// The local memory of launches with these cells: where it begins, and its bytes. Comes after [`Self::bind`].
    pub(crate) fn local_memory(&self, cells: &Cells) -> (*mut u8, usize) {
        // The cells come first, then the memory in their order.
        let offset = cells.locals.first().map_or(cells.local_bytes as usize, |slot| slot.offset);
        (self.locals.as_ptr().wrapping_add(offset), cells.local_bytes as usize - offset)
    }

    /// Where local and private memory lie for launches with these cells and so many bytes of scratch memory.
    pub(crate) fn ranges(&self, cells: &Cells, scratch: u64) -> MemoryRanges {
        let from = |start: *mut u8, bytes: u64| [start as u64, start as u64 + bytes];
        MemoryRanges {
            local: from(self.locals.as_ptr(), cells.local_bytes),
            stack: self.stack.as_ref().map_or([0; 2], |stack| [stack.low(), stack.top()]),
            scratch: from(self.scratch.as_ptr(), scratch),
        }
    }

    /// Writes them to where a kernel that asks for them looks. Comes after [`Self::bind`].
    pub(crate) fn write_ranges(&mut self, cells: &Cells, scratch: u64) {
        let ranges = self.ranges(cells, scratch);
        assert!(size_of::<MemoryRanges>() <= self.scratch.len(), "a kernel that asks has room for them");
        // SAFETY: the block is the worker's own, has the room, and is aligned to `MAX_ALIGNMENT`.
        unsafe { self.scratch.as_ptr().cast::<MemoryRanges>().write(ranges) };
    }

    pub(crate) fn arguments(&self) -> *const *mut c_void {
        self.arguments.as_ptr()
    }

    /// What kernels run on, once memory was reserved.
    pub(crate) fn stack(&self) -> Option<&KernelStack> {
        self.stack.as_ref()
    }

    pub(crate) fn scratch(&self) -> *mut u8 {
        self.scratch.as_ptr()
    }

    /// The printf buffer, where its fill is kept, and its size.
    pub(crate) fn print_block(&mut self) -> PrintBlock {
        let capacity = u32::try_from(self.printf.len()).unwrap_or_default();
        let buffer = if capacity == 0 { std::ptr::null_mut() } else { self.printf.as_ptr() };
        PrintBlock { buffer, position: &raw mut *self.printed, capacity, dropped: 0 }
    }

    /// Takes the text that the kernel printed since the last call.
    pub(crate) fn take_printed(&mut self) -> Vec<u8> {
        let bytes = (*self.printed as usize).min(self.printf.len());
        *self.printed = 0;
        let mut text = vec![0; bytes];
        // SAFETY: the kernel has written that many bytes from the buffer's start, and they do not exceed its size.
        unsafe { self.printf.as_ptr().copy_to_nonoverlapping(text.as_mut_ptr(), bytes) };
        text
    }
}
