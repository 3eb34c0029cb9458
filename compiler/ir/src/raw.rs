//! The border to LLVM: the one macro through which handles reach LLVM's C interface, and the bridge's functions.
//!
//! On entry and exit: what the crate's types give as LLVM's own handles is live (see `handle.rs`) and, where the call
//! needs a kind of value, of that kind: the caller has asked (see `check.rs`).

use crate::IrError;
use crate::check::fits;
use crate::handle::Slot;
use inkwell::llvm_sys::LLVMOpcode;
use inkwell::llvm_sys::prelude::{
    LLVMBasicBlockRef, LLVMContextRef, LLVMModuleRef, LLVMTypeRef, LLVMValueRef,
};
use std::ffi::{CStr, CString, c_char, c_void};

/// Calls one function of LLVM's C interface or of the bridge.
macro_rules! llvm {
    ($function:path; $($argument:expr),* $(,)?) => {{
        // SAFETY: every handle passed is live (see `handle.rs`) and of the kind the function names (see `check.rs`); pointers to arrays come with their own length and outlive the call.
        #[allow(unused_unsafe, reason = "arguments may be calls of this macro themselves")]
        #[allow(clippy::multiple_unsafe_ops_per_block, reason = "arguments may be calls of this macro themselves")]
        unsafe { $function($($argument),*) }
    }};
}
pub(crate) use llvm;

/// Is told of a pointer in an initialiser: the user's own, offset, variable, and what is added to its address.
pub(crate) type PointerTaker = unsafe extern "C" fn(*mut c_void, u64, LLVMValueRef, i64);

/// What `bridge/uniformity.cpp` is asked and where it answers; see there.
#[repr(C)]
pub(crate) struct UniformityTables {
    pub(crate) calls: *const LLVMValueRef,
    pub(crate) answers: *const u8,
    pub(crate) call_count: usize,
    pub(crate) after_barrier: *const u8,
    pub(crate) in_lock_step: u8,
    pub(crate) divergent: *mut u8,
    pub(crate) terminators: *mut u8,
    pub(crate) joins: *mut u8,
    pub(crate) cycle_of: *mut i32,
    pub(crate) header: *mut i32,
    pub(crate) parent: *mut i32,
    pub(crate) divergent_exit: *mut u8,
}

unsafe extern "C" {
    pub(crate) fn oxcl_ir_enter_targets();
    pub(crate) fn oxcl_ir_slot(value: LLVMValueRef) -> *const Slot;
    pub(crate) fn oxcl_ir_are_usable(
        block: LLVMBasicBlockRef,
        values: *mut LLVMValueRef,
        count: usize,
    ) -> bool;
    pub(crate) fn oxcl_ir_is_constant_of(module: LLVMModuleRef, value: LLVMValueRef) -> bool;
    pub(crate) fn oxcl_ir_can_replace(from: LLVMValueRef, to: LLVMValueRef) -> bool;
    pub(crate) fn oxcl_ir_operand(value: LLVMValueRef, index: u32) -> LLVMValueRef;
    pub(crate) fn oxcl_ir_operand_count(value: LLVMValueRef) -> u32;
    pub(crate) fn oxcl_ir_set_operand(user: LLVMValueRef, index: u32, value: LLVMValueRef) -> bool;
    pub(crate) fn oxcl_ir_is_valid_binary(left: LLVMValueRef, right: LLVMValueRef, floats: bool) -> bool;
    pub(crate) fn oxcl_ir_is_valid_comparison(left: LLVMValueRef, right: LLVMValueRef, floats: bool) -> bool;
    pub(crate) fn oxcl_ir_is_valid_cast(opcode: LLVMOpcode, value: LLVMValueRef, ty: LLVMTypeRef) -> bool;
    pub(crate) fn oxcl_ir_is_valid_select(
        condition: LLVMValueRef,
        yes: LLVMValueRef,
        no: LLVMValueRef,
    ) -> bool;
    pub(crate) fn oxcl_ir_is_valid_gep(
        element: LLVMTypeRef,
        pointer: LLVMValueRef,
        indices: *mut LLVMValueRef,
        count: usize,
    ) -> bool;
    pub(crate) fn oxcl_ir_is_valid_shuffle(
        first: LLVMValueRef,
        second: LLVMValueRef,
        mask: LLVMValueRef,
    ) -> bool;
    pub(crate) fn oxcl_ir_is_valid_extract(vector: LLVMValueRef, lane: LLVMValueRef) -> bool;
    pub(crate) fn oxcl_ir_is_valid_insert(
        vector: LLVMValueRef,
        value: LLVMValueRef,
        lane: LLVMValueRef,
    ) -> bool;
    pub(crate) fn oxcl_ir_field_type(aggregate: LLVMValueRef, index: u32) -> LLVMTypeRef;
    pub(crate) fn oxcl_ir_is_valid_call(
        callee: LLVMTypeRef,
        arguments: *mut LLVMValueRef,
        count: usize,
    ) -> bool;
    pub(crate) fn oxcl_ir_type_uses(ty: LLVMTypeRef) -> u32;
    pub(crate) fn oxcl_ir_attribute(name: *const c_char, length: usize) -> u32;
    pub(crate) fn oxcl_ir_intrinsic(
        module: LLVMModuleRef,
        name: *const c_char,
        length: usize,
        types: *mut LLVMTypeRef,
        count: usize,
    ) -> LLVMValueRef;
    pub(crate) fn oxcl_ir_delete_function(function: LLVMValueRef) -> bool;
    pub(crate) fn oxcl_ir_delete_global(global: LLVMValueRef) -> bool;
    pub(crate) fn oxcl_ir_alignment(value: LLVMValueRef) -> u32;
    pub(crate) fn oxcl_ir_set_alignment(value: LLVMValueRef, bytes: u32) -> bool;
    pub(crate) fn oxcl_ir_has_whole_blocks(function: LLVMValueRef) -> bool;
    pub(crate) fn oxcl_ir_set_target(
        module: LLVMModuleRef,
        triple: *const c_char,
        layout: *const c_char,
    ) -> bool;
    pub(crate) fn oxcl_ir_uniformity(
        function: LLVMValueRef,
        tables: *const UniformityTables,
        message: *mut *mut c_char,
    ) -> i32;
    pub(crate) fn oxcl_ir_dominators(function: LLVMValueRef, idom: *mut i32, ipdom: *mut i32);
    pub(crate) fn oxcl_ir_loops(
        function: LLVMValueRef,
        innermost: *mut i32,
        header: *mut i32,
        parent: *mut i32,
    ) -> i32;
    pub(crate) fn oxcl_ir_is_irreducible(function: LLVMValueRef) -> bool;
    pub(crate) fn oxcl_ir_give_debug_scope(from: LLVMValueRef, to: LLVMValueRef);
    pub(crate) fn oxcl_ir_verify(function: LLVMValueRef) -> *mut c_char;
    pub(crate) fn oxcl_ir_split_before(instruction: LLVMValueRef, name: *const c_char) -> LLVMBasicBlockRef;
    pub(crate) fn oxcl_ir_copy_flags(to: LLVMValueRef, from: LLVMValueRef);
    pub(crate) fn oxcl_ir_drop_poison_flags(instruction: LLVMValueRef);
    pub(crate) fn oxcl_ir_effects(instruction: LLVMValueRef) -> u32;
    pub(crate) fn oxcl_ir_may_capture(call: LLVMValueRef, argument: u32) -> bool;
    pub(crate) fn oxcl_ir_byval_type(function: LLVMValueRef, parameter: u32) -> LLVMTypeRef;
    pub(crate) fn oxcl_ir_expand_constant_users(global: LLVMValueRef, function: LLVMValueRef);
    pub(crate) fn oxcl_ir_initial_bytes(
        global: LLVMValueRef,
        image: *mut u8,
        size: u64,
        user: *mut c_void,
        take: PointerTaker,
    ) -> bool;
    pub(crate) fn oxcl_ir_distinct_node(context: LLVMContextRef) -> LLVMValueRef;
    pub(crate) fn oxcl_ir_loop_id(
        context: LLVMContextRef,
        group: LLVMValueRef,
        ends: bool,
        word: *const c_char,
        apart: bool,
    ) -> LLVMValueRef;
    pub(crate) fn oxcl_ir_add_loop_word(branch: LLVMValueRef, word: *const c_char);
    pub(crate) fn oxcl_ir_split_atomics(function: LLVMValueRef, space: u32);
    pub(crate) fn oxcl_ir_has_scopes(function: LLVMValueRef) -> bool;
    pub(crate) fn oxcl_ir_declared_scope(instruction: LLVMValueRef) -> LLVMValueRef;
    pub(crate) fn oxcl_ir_clone_scope(scope: LLVMValueRef) -> LLVMValueRef;
    pub(crate) fn oxcl_ir_adapt_scopes(
        instruction: LLVMValueRef,
        old: *const LLVMValueRef,
        new: *const LLVMValueRef,
        count: u32,
    );
    pub(crate) fn oxcl_ir_lower_opaque_types(module: LLVMModuleRef);
    pub(crate) fn oxcl_ir_know_arguments(
        kernel: LLVMValueRef,
        indices: *const u32,
        values: *const u64,
        count: u32,
    );
    pub(crate) fn oxcl_ir_open_guard(
        guard: LLVMValueRef,
        uniform: *const LLVMValueRef,
        uniform_count: usize,
        barriers: *const LLVMValueRef,
        barrier_count: usize,
    ) -> bool;
    pub(crate) fn oxcl_ir_lower_half(module: LLVMModuleRef, converts: bool);
    pub(crate) fn oxcl_ir_clear_memory(module: LLVMModuleRef, of_items: bool, of_groups: bool);
    pub(crate) fn oxcl_ir_run_passes(
        module: LLVMModuleRef,
        pipeline: *const c_char,
        verify: bool,
        message: *mut *mut c_char,
    ) -> u32;
    pub(crate) fn oxcl_ir_read_module(
        context: LLVMContextRef,
        data: *const c_char,
        size: usize,
        name: *const c_char,
        seconds: u32,
        bytes: u64,
        made: *mut LLVMModuleRef,
        message: *mut *mut c_char,
    ) -> u32;
    pub(crate) fn oxcl_ir_is_wreck(context: LLVMContextRef) -> bool;
    pub(crate) fn oxcl_ir_has_failed() -> bool;
    pub(crate) fn oxcl_ir_clone_reached(module: LLVMModuleRef, root: LLVMValueRef) -> LLVMModuleRef;
    pub(crate) fn oxcl_ir_link_needed(
        module: LLVMModuleRef,
        data: *const c_char,
        size: usize,
        message: *mut *mut c_char,
    ) -> u32;
}

/// How a guarded piece of the bridge ended (`bridge/guarded.h`): well, or with what `refused` makes of its words, or with a crash
/// while it was `doing` something. The words are freed.
pub(crate) fn ended(
    how: u32,
    message: *mut c_char,
    doing: &'static str,
    refused: impl FnOnce(String) -> IrError,
) -> Result<(), IrError> {
    match how {
        0 => Ok(()),
        1 => Err(refused(owned_text(message))),
        _ => Err(IrError::Crash { doing, message: owned_text(message) }),
    }
}

/// The number of an attribute that holds nothing or an integer.
///
/// # Panics
/// Where LLVM has no such attribute of this name.
pub(crate) fn attribute(name: &str) -> u32 {
    let kind = llvm!(oxcl_ir_attribute; name.as_ptr().cast(), name.len());
    fits(kind != 0, "an attribute that LLVM does not have");
    kind
}

/// A name as LLVM wants it; what follows a NUL is cut off, as LLVM would.
pub(crate) fn c_name(name: &str) -> CString {
    let bytes: Vec<u8> = name.bytes().take_while(|&byte| byte != 0).collect();
    CString::new(bytes).unwrap_or_default()
}

/// Copies a string that LLVM owns; null is empty.
pub(crate) fn borrowed_text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: LLVM returns NUL-terminated strings that live at least until the next change of the object.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Copies and frees a message that LLVM allocated for the caller.
pub(crate) fn owned_text(text: *mut c_char) -> String {
    let copy = borrowed_text(text);
    if !text.is_null() {
        llvm!(inkwell::llvm_sys::core::LLVMDisposeMessage; text);
    }
    copy
}

/// Copies a string that LLVM owns and gives with its length.
pub(crate) fn counted_text(text: *const c_char, length: usize) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: LLVM returned `length` bytes at `text`, which live at least until the next change of the object.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}
