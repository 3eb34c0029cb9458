//! Handles that cannot dangle: what [`Value`](crate::Value), [`Block`](crate::Block) and [`Function`](crate::Function)
//! hold instead of an address of LLVM's.
//!
//! A handle is a slot of its context and the generation that the slot had when the handle was made. LLVM itself says when
//! what a slot names is deleted, by whomever: an edit, a pass, the linker, the end of the module. The slot's generation
//! is raised then, and every handle of the old one is *stale*: to use it is a panic that says so. Comparing, hashing and
//! copying stale handles is harmless.
//!
//! On entry: a live value of LLVM. On exit: a handle; two handles are equal where they name the same value. What this
//! file does not do: say of what kind a value is, or whether it fits where it is put (see `check.rs`).

use crate::check::{fail, fits};
use crate::raw::oxcl_ir_slot;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// The twin of `Slot` in `bridge/handles.cpp`, which writes it.
#[repr(C)]
pub(crate) struct Slot {
    raw: Cell<LLVMValueRef>,
    generation: Cell<u32>,
}

/// What a stale handle is printed as for a programmer.
pub(crate) const STALE: &str = "(deleted)";

/// Names one value of LLVM for as long as LLVM has it. The lifetime is the context's, with which the slots end.
#[derive(Clone, Copy)]
pub(crate) struct Handle<'c> {
    slot: NonNull<Slot>,
    generation: u32,
    context: PhantomData<&'c Slot>,
}

impl<'c> Handle<'c> {
    /// The handle of a live value.
    pub(crate) fn new(raw: LLVMValueRef) -> Self {
        fits(!raw.is_null(), "a value that is not there");
        // SAFETY: the value is live: it is from LLVM's own interface, which gives no others, or from a live handle.
        let slot = unsafe { oxcl_ir_slot(raw) };
        let Some(slot) = NonNull::new(slot.cast_mut()) else { fail("a value without a slot") };
        let mut handle = Handle { slot, generation: 0, context: PhantomData };
        handle.generation = handle.slot().generation.get();
        handle
    }

    #[inline]
    fn slot(&self) -> &Slot {
        // SAFETY: slots live until their context ends, which is after 'c: whoever makes a handle has the value from a
        // module, a type or a handle of that lifetime. They are written on this thread only (handles cannot be sent) and
        // outside of Rust; their fields are cells.
        unsafe { self.slot.as_ref() }
    }

    /// The value.
    ///
    /// # Panics
    /// Where the handle is stale.
    #[inline]
    pub(crate) fn raw(self) -> LLVMValueRef {
        if self.is_stale() {
            stale();
        }
        self.slot().raw.get()
    }

    /// Whether LLVM has deleted the value.
    #[inline]
    pub(crate) fn is_stale(self) -> bool {
        self.slot().generation.get() != self.generation
    }
}

#[cold]
#[inline(never)]
fn stale() -> ! {
    panic!("a handle was used after what it names had been deleted: this is a bug of the compiler")
}

impl PartialEq for Handle<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.slot == other.slot && self.generation == other.generation
    }
}

impl Eq for Handle<'_> {}

impl Hash for Handle<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.slot.hash(state);
        self.generation.hash(state);
    }
}
