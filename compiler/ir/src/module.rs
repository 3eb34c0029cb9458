//! Whole modules: passes, linking, layout, global variables.

use crate::IrError;
use crate::check::fits;
use crate::context::Module;
use crate::function::Function;
use crate::raw::{
    c_name, ended, llvm, oxcl_ir_clear_memory, oxcl_ir_clone_reached, oxcl_ir_delete_global,
    oxcl_ir_expand_constant_users, oxcl_ir_initial_bytes, oxcl_ir_is_constant_of, oxcl_ir_know_arguments,
    oxcl_ir_link_needed, oxcl_ir_lower_half, oxcl_ir_lower_opaque_types, oxcl_ir_open_guard,
    oxcl_ir_run_passes, oxcl_ir_set_target,
};
use crate::types::{Type, TypeKind, Types};
use crate::value::Value;
use inkwell::llvm_sys::core as c;
use inkwell::llvm_sys::prelude::LLVMModuleRef;
use inkwell::llvm_sys::target as layout;
use inkwell::llvm_sys::target::LLVMTargetDataRef;
use inkwell::llvm_sys::{LLVMLinkage, LLVMValueKind};
use std::fmt;
use std::marker::PhantomData;

/// The context's types, by way of a module.
#[must_use]
pub fn types<'c>(module: &Module<'c>) -> Types<'c> {
    Types::from_raw(llvm!(c::LLVMGetModuleContext; module.as_mut_ptr()))
}

/// Links into `module` what it declares and `bitcode` defines, transitively; nothing else of the bitcode is read.
///
/// # Errors
/// [`IrError::Link`] where the bitcode cannot be read or does not fit, [`IrError::Crash`] where LLVM fails over it.
pub fn link_needed(module: &Module<'_>, bitcode: &[u8]) -> Result<(), IrError> {
    let mut message = std::ptr::null_mut();
    let (data, size) = (bitcode.as_ptr().cast(), bitcode.len());
    let how = llvm!(oxcl_ir_link_needed; module.as_mut_ptr(), data, size, &raw mut message);
    ended(how, message, "linking the library", |message| IrError::Link { message })
}

/// A copy of `module` with what `root`, one of its functions, reaches, and with no other function or variable.
///
/// # Panics
/// Where `root` is of another module.
#[must_use]
pub fn clone_reached<'c>(module: &Module<'c>, root: Function<'c>) -> Module<'c> {
    fits(root.module_raw() == module.as_mut_ptr(), "the root of a copy");
    let copy = llvm!(oxcl_ir_clone_reached; module.as_mut_ptr(), root.raw());
    // SAFETY: the bridge gives the copy away; it is valid and of the module's context.
    unsafe { Module::new(copy) }
}

/// Replaces the front end's opaque types by what they are in memory, which real targets can hold: events and images by pointers,
/// samplers by their bits. Takes the calls away by which the library asks for that.
pub fn lower_opaque_types(module: &Module<'_>) {
    llvm!(oxcl_ir_lower_opaque_types; module.as_mut_ptr());
}

/// Puts values of arguments in that `kernel` shall be made for: by the argument's number, of an image its format as
/// `oxcl_binary::known` has it, of a sampler its bits. Other arguments stay. Opaque types must have been lowered; what the values make
/// needless is still there.
pub fn know_arguments(kernel: Function<'_>, known: &[(u32, u64)]) {
    let (indices, values): (Vec<u32>, Vec<u64>) = known.iter().copied().unzip();
    let count = indices.len() as u32;
    llvm!(oxcl_ir_know_arguments; kernel.raw(), indices.as_ptr(), values.as_ptr(), count);
}

/// Has all work-items go through the blocks that a conditional branch skips or does not, and that have barriers in them: what lies between two
/// barriers gets the branch's condition in front of it. `uniform`: instructions that are the same for all work-items of a group;
/// `barriers`: all calls of barriers. Whether that was possible; if not, blocks were split at most.
#[must_use]
pub fn open_guard(branch: Value<'_>, uniform: &[Value<'_>], barriers: &[Value<'_>]) -> bool {
    let raw = |values: &[Value<'_>]| values.iter().map(|value| value.raw()).collect::<Vec<_>>();
    let (uniform, barriers) = (raw(uniform), raw(barriers));
    let (count, barrier_count) = (uniform.len(), barriers.len());
    llvm!(oxcl_ir_open_guard; branch.raw(), uniform.as_ptr(), count, barriers.as_ptr(), barrier_count)
}

/// Makes arithmetic on `half` of operations that a machine without it has: on float, with each result rounded once. `converts`: the
/// machine converts between half and float.
pub fn lower_half(module: &Module<'_>, converts: bool) {
    llvm!(oxcl_ir_lower_half; module.as_mut_ptr(), converts);
}

/// Makes the variables of functions hold zeros where their lives begin (`of_items`), and gives those in local memory zeros for initial
/// values (`of_groups`), which is true where whoever runs a work-group clears its memory. Comes before any pass: for these a
/// variable that nothing was stored to has any value.
pub fn clear_memory(module: &Module<'_>, of_items: bool, of_groups: bool) {
    llvm!(oxcl_ir_clear_memory; module.as_mut_ptr(), of_items, of_groups);
}

/// Runs a pipeline in the notation of `opt -passes=`, target-independently. With debug assertions the verifier runs
/// after every pass.
///
/// # Errors
/// [`IrError::Passes`] where LLVM does not know the pipeline, [`IrError::Crash`] where a pass fails: the module is a wreck then,
/// and to use it is a panic.
pub fn run_passes(module: &Module<'_>, pipeline: &str) -> Result<(), IrError> {
    let (text, verify) = (c_name(pipeline), cfg!(debug_assertions));
    let mut message = std::ptr::null_mut();
    let how = llvm!(oxcl_ir_run_passes; module.as_mut_ptr(), text.as_ptr(), verify, &raw mut message);
    let refused = |message| IrError::Passes { pipeline: pipeline.to_owned(), message };
    ended(how, message, "a pass", refused)
}

/// Checks the whole module.
///
/// # Errors
/// [`IrError::Verify`] with the verifier's words.
pub fn verify(module: &Module<'_>) -> Result<(), IrError> {
    module.verify().map_err(|message| IrError::Verify { message: message.to_string() })
}

/// The module as text.
#[must_use]
pub fn print(module: &Module<'_>) -> String {
    module.print_to_string().to_string()
}

/// Sets the target triple and the data layout.
///
/// # Panics
/// Where LLVM cannot read the layout.
pub fn set_target(module: &Module<'_>, triple: &str, data_layout: &str) {
    let (triple, text) = (c_name(triple), c_name(data_layout));
    let known = llvm!(oxcl_ir_set_target; module.as_mut_ptr(), triple.as_ptr(), text.as_ptr());
    fits(known, "a data layout that LLVM cannot read");
}

/// Sizes and alignments under a module's data layout.
#[derive(Clone, Copy)]
pub struct Layout<'m> {
    module: LLVMModuleRef,
    borrowed: PhantomData<&'m LLVMModuleRef>,
}

impl<'m> Layout<'m> {
    /// The layout of a module.
    #[must_use]
    pub fn of(module: &'m Module<'_>) -> Self {
        Layout { module: module.as_mut_ptr(), borrowed: PhantomData }
    }

    /// The layout, to be asked about a type.
    fn about(self, ty: Type<'_>) -> LLVMTargetDataRef {
        let context = llvm!(c::LLVMGetModuleContext; self.module);
        fits(ty.is_sized() && ty.types().raw() == context, "the size of a type that has none here");
        llvm!(layout::LLVMGetModuleDataLayout; self.module)
    }

    /// Bytes from one element of an array of this type to the next.
    #[must_use]
    pub fn size(self, ty: Type<'_>) -> u64 {
        llvm!(layout::LLVMABISizeOfType; self.about(ty), ty.raw())
    }

    /// Bytes that a load or a store of this type touches.
    #[must_use]
    pub fn store_size(self, ty: Type<'_>) -> u64 {
        llvm!(layout::LLVMStoreSizeOfType; self.about(ty), ty.raw())
    }

    /// Alignment in bytes.
    #[must_use]
    pub fn alignment(self, ty: Type<'_>) -> u32 {
        llvm!(layout::LLVMABIAlignmentOfType; self.about(ty), ty.raw())
    }

    /// Byte offset of a field of a structure.
    #[must_use]
    pub fn field_offset(self, structure: Type<'_>, field: u32) -> u64 {
        let known = matches!(structure.kind(), TypeKind::Struct(count) if field < count);
        fits(known, "a field that the structure does not have");
        llvm!(layout::LLVMOffsetOfElement; self.about(structure), structure.raw(), field)
    }
}

impl fmt::Debug for Layout<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Layout")
    }
}

/// The module's global variables, in its order.
#[must_use]
pub fn globals<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    let mut all = Vec::new();
    let mut next = Value::maybe(llvm!(c::LLVMGetFirstGlobal; module.as_mut_ptr()));
    while let Some(global) = next {
        all.push(global);
        next = Value::maybe(llvm!(c::LLVMGetNextGlobal; global.raw()));
    }
    all
}

/// The type of a global variable's contents.
#[must_use]
pub fn global_type(global: Value<'_>) -> Type<'_> {
    check_variable(global);
    Type::from_raw(llvm!(c::LLVMGlobalGetValueType; global.raw()))
}

fn check_variable(global: Value<'_>) {
    fits(global.is_global_variable(), "what is no global variable");
}

/// The address space of a global variable.
#[must_use]
pub fn global_space(global: Value<'_>) -> u32 {
    check_variable(global);
    llvm!(c::LLVMGetPointerAddressSpace; global.ty().raw())
}

/// Turns the constant expressions that use `global`, inside `function`, into instructions.
pub fn expand_constant_users(global: Value<'_>, function: Function<'_>) {
    check_variable(global);
    let module = llvm!(c::LLVMGetGlobalParent; global.raw());
    fits(module == function.module_raw(), "a variable and a function of another module");
    llvm!(oxcl_ir_expand_constant_users; global.raw(), function.raw());
}

/// A global variable that is never written.
#[must_use]
pub fn is_constant_global(global: Value<'_>) -> bool {
    global.is_global_variable() && llvm!(c::LLVMIsGlobalConstant; global.raw()) != 0
}

/// The bytes of a constant array of bytes that ends with a zero, without the zero; `None` for any other variable.
#[must_use]
pub fn constant_text(global: Value<'_>) -> Option<Vec<u8>> {
    if !is_constant_global(global) {
        return None;
    }
    let value = Value::maybe(llvm!(c::LLVMGetInitializer; global.raw()))?;
    if llvm!(c::LLVMIsNull; value.raw()) != 0 {
        return Some(Vec::new());
    }
    let array = llvm!(c::LLVMGetValueKind; value.raw()) == LLVMValueKind::LLVMConstantDataArrayValueKind;
    if !array || llvm!(c::LLVMIsConstantString; value.raw()) == 0 {
        return None;
    }
    let mut length = 0;
    let text = llvm!(c::LLVMGetAsString; value.raw(), &raw mut length);
    // SAFETY: LLVM gives as many bytes as it says; they live as long as the constant.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    bytes.iter().position(|byte| *byte == 0).map(|end| bytes[..end].to_vec())
}

/// A pointer to a variable in another's initial value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InitialPointer<'c> {
    /// Where it stands, in bytes from the variable's start.
    pub offset: u64,
    /// The variable that it points to.
    pub target: Value<'c>,
    /// Bytes added to that variable's address.
    pub added: i64,
}

/// The initial bytes of a global variable, and the pointers in it, whose bytes are zero; `None` where it has no initial
/// value, or one that only a loader could compute.
#[must_use]
pub fn initial_bytes<'c>(
    global: Value<'c>,
    layout: Layout<'_>,
) -> Option<(Vec<u8>, Vec<InitialPointer<'c>>)> {
    let size = layout.size(global_type(global));
    let mut image = vec![0; usize::try_from(size).ok()?];
    let mut pointers: Vec<InitialPointer<'c>> = Vec::new();
    let user: *mut std::ffi::c_void = (&raw mut pointers).cast();
    let known = llvm!(oxcl_ir_initial_bytes; global.raw(), image.as_mut_ptr(), size, user, take_pointer);
    known.then_some((image, pointers))
}

/// # Safety
/// `user` is the list of the running [`initial_bytes`].
unsafe extern "C" fn take_pointer(
    user: *mut std::ffi::c_void,
    offset: u64,
    target: inkwell::llvm_sys::prelude::LLVMValueRef,
    added: i64,
) {
    // SAFETY: by the caller's promise; nothing else touches the list during the call.
    let pointers = unsafe { &mut *user.cast::<Vec<InitialPointer<'_>>>() };
    pointers.push(InitialPointer { offset, target: Value::from_raw(target), added });
}

/// The alignment in bytes that a global variable asks for; 0 where it does not.
#[must_use]
pub fn global_alignment(global: Value<'_>) -> u32 {
    check_variable(global);
    global.alignment()
}

/// A global variable that this module only declares.
#[must_use]
pub fn is_declared_global(global: Value<'_>) -> bool {
    check_variable(global);
    llvm!(c::LLVMIsDeclaration; global.raw()) != 0
}

/// Makes a global variable visible to its own module only.
pub fn set_internal_global(global: Value<'_>) {
    if !is_declared_global(global) {
        llvm!(c::LLVMSetLinkage; global.raw(), LLVMLinkage::LLVMInternalLinkage);
    }
}

/// Adds an exported constant.
pub fn export_constant<'c>(module: &Module<'c>, name: &str, value: Value<'c>, alignment: u32) -> Value<'c> {
    let constant = llvm!(oxcl_ir_is_constant_of; module.as_mut_ptr(), value.raw());
    fits(constant, "the initial value of a variable");
    let variable = add_variable(module, name, value.ty(), 0);
    llvm!(c::LLVMSetInitializer; variable.raw(), value.raw());
    llvm!(c::LLVMSetGlobalConstant; variable.raw(), 1);
    variable.set_alignment(alignment);
    variable
}

/// Declares a variable that another module defines, in an address space.
pub fn declare_variable<'c>(module: &Module<'c>, name: &str, ty: Type<'c>, space: u32) -> Value<'c> {
    add_variable(module, name, ty, space)
}

fn add_variable<'c>(module: &Module<'c>, name: &str, ty: Type<'c>, space: u32) -> Value<'c> {
    let known = ty.can_be_used() && ty.is_sized() && ty.types() == types(module);
    fits(known, "the type of a variable");
    fits(space < 1 << 24, "an address space");
    let name = c_name(name);
    Value::from_raw(llvm!(
        c::LLVMAddGlobalInAddressSpace; module.as_mut_ptr(), ty.raw(), name.as_ptr(), space
    ))
}

/// Adds a variable in an address space that holds nothing in particular at first, visible to the module only.
pub fn add_undefined<'c>(
    module: &Module<'c>,
    name: &str,
    ty: Type<'c>,
    space: u32,
    alignment: u32,
) -> Value<'c> {
    let variable = add_variable(module, name, ty, space);
    llvm!(c::LLVMSetInitializer; variable.raw(), llvm!(c::LLVMGetUndef; ty.raw()));
    llvm!(c::LLVMSetLinkage; variable.raw(), LLVMLinkage::LLVMInternalLinkage);
    variable.set_alignment(alignment);
    variable
}

/// Adds a variable that each thread has its own of, zero at first, visible to the module only.
pub fn add_thread_local<'c>(module: &Module<'c>, name: &str, ty: Type<'c>) -> Value<'c> {
    let variable = add_variable(module, name, ty, 0);
    llvm!(c::LLVMSetInitializer; variable.raw(), ty.zero().raw());
    llvm!(c::LLVMSetThreadLocal; variable.raw(), 1);
    llvm!(c::LLVMSetLinkage; variable.raw(), LLVMLinkage::LLVMInternalLinkage);
    variable
}

/// Removes a global variable that nothing uses any more, for good; its handles are stale then.
///
/// # Panics
/// Where something uses it, or it is no global variable.
pub fn delete_global(global: Value<'_>) {
    check_variable(global);
    fits(llvm!(oxcl_ir_delete_global; global.raw()), "deleting a variable that is used");
}
