//! Functions and their blocks.

use crate::check::fits;
use crate::context::Module;
use crate::handle::{self, Handle};
use crate::raw::{
    attribute, c_name, counted_text, llvm, owned_text, oxcl_ir_byval_type, oxcl_ir_delete_function,
    oxcl_ir_give_debug_scope, oxcl_ir_is_irreducible, oxcl_ir_split_atomics, oxcl_ir_split_before,
    oxcl_ir_verify,
};
use crate::types::{Type, Types};
use crate::value::Value;
use inkwell::llvm_sys::core as c;
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMModuleRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMLinkage, LLVMVisibility};
use std::fmt;

/// Where an attribute of a function belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The function as a whole.
    Function,
    /// The parameter of this index.
    Parameter(u32),
}

impl Place {
    fn raw(self) -> u32 {
        match self {
            Place::Function => u32::MAX,
            // An index beyond those that LLVM has is refused with the others that the function lacks.
            Place::Parameter(index) => index.saturating_add(1),
        }
    }
}

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Block<'c>(Handle<'c>);

impl<'c> Block<'c> {
    pub(crate) fn from_raw(raw: LLVMBasicBlockRef) -> Self {
        assert!(!raw.is_null(), "LLVM gave no block where it always gives one");
        Block(Handle::new(llvm!(c::LLVMBasicBlockAsValue; raw)))
    }

    pub(crate) fn maybe(raw: LLVMBasicBlockRef) -> Option<Self> {
        (!raw.is_null()).then(|| Block::from_raw(raw))
    }

    pub(crate) fn raw(self) -> LLVMBasicBlockRef {
        llvm!(c::LLVMValueAsBasicBlock; self.0.raw())
    }

    /// Whether LLVM has deleted the block, so that nothing may be asked of it any more.
    #[must_use]
    pub fn is_stale(self) -> bool {
        self.0.is_stale()
    }

    /// The block as an operand.
    pub(crate) fn value(self) -> Value<'c> {
        Value::from_handle(self.0)
    }

    /// The block's name.
    #[must_use]
    pub fn name(self) -> String {
        let mut length = 0;
        let text = llvm!(c::LLVMGetValueName2; self.0.raw(), &raw mut length);
        counted_text(text, length)
    }

    /// The function the block is in.
    #[must_use]
    pub fn function(self) -> Function<'c> {
        Function::from_raw(llvm!(c::LLVMGetBasicBlockParent; self.raw()))
    }

    /// The block's instructions, in order.
    #[must_use]
    pub fn instructions(self) -> Vec<Value<'c>> {
        let mut all = Vec::new();
        let mut next = Value::maybe(llvm!(c::LLVMGetFirstInstruction; self.raw()));
        while let Some(instruction) = next {
            all.push(instruction);
            next = instruction.next();
        }
        all
    }

    /// The PHI nodes the block begins with.
    #[must_use]
    pub fn phis(self) -> Vec<Value<'c>> {
        self.instructions().into_iter().take_while(|instruction| instruction.is_phi()).collect()
    }

    /// The terminator; `None` while the block is being built.
    #[must_use]
    pub fn terminator(self) -> Option<Value<'c>> {
        Value::maybe(llvm!(c::LLVMGetBasicBlockTerminator; self.raw()))
    }

    /// The blocks that may run next.
    #[must_use]
    pub fn successors(self) -> Vec<Block<'c>> {
        self.terminator().map(Value::successors).unwrap_or_default()
    }

    /// Splits this block before one of its instructions (no PHI node); returns the new block that begins with it.
    ///
    /// # Panics
    /// Where the instruction is another's or a PHI node, or the block has no terminator yet.
    #[must_use]
    pub fn split_before(self, instruction: Value<'c>, name: &str) -> Block<'c> {
        let splits =
            instruction.block() == Some(self) && !instruction.is_phi() && self.terminator().is_some();
        fits(splits, "splitting a block");
        Block::from_raw(llvm!(oxcl_ir_split_before; instruction.raw(), c_name(name).as_ptr()))
    }

    /// Moves the block behind another in the function's list.
    ///
    /// # Panics
    /// Where the other is this block, or one of another function.
    pub fn move_after(self, other: Block<'c>) {
        fits(self != other && self.function() == other.function(), "moving a block");
        llvm!(c::LLVMMoveBasicBlockAfter; self.raw(), other.raw());
    }
}

impl fmt::Debug for Block<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_stale() {
            return f.write_str(handle::STALE);
        }
        f.write_str(&self.name())
    }
}

/// A function, defined or declared.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Function<'c>(Handle<'c>);

impl<'c> Function<'c> {
    pub(crate) fn from_raw(raw: LLVMValueRef) -> Self {
        Function(Handle::new(raw))
    }

    pub(crate) fn from_handle(handle: Handle<'c>) -> Self {
        Function(handle)
    }

    pub(crate) fn raw(self) -> LLVMValueRef {
        self.0.raw()
    }

    /// Whether LLVM has deleted the function, so that nothing may be asked of it any more.
    #[must_use]
    pub fn is_stale(self) -> bool {
        self.0.is_stale()
    }

    pub(crate) fn module_raw(self) -> LLVMModuleRef {
        llvm!(c::LLVMGetGlobalParent; self.raw())
    }

    /// The function of this name.
    #[must_use]
    pub fn find(module: &Module<'c>, name: &str) -> Option<Function<'c>> {
        let raw = llvm!(c::LLVMGetNamedFunction; module.as_mut_ptr(), c_name(name).as_ptr());
        (!raw.is_null()).then(|| Function::from_raw(raw))
    }

    /// Adds a function to a module; LLVM renames it if the name is taken.
    ///
    /// # Panics
    /// Where `ty` is no function type of the module's context.
    #[must_use]
    pub fn add(module: &Module<'c>, name: &str, ty: Type<'c>) -> Function<'c> {
        fits(ty.is_function() && ty.types() == crate::module::types(module), "the type of a function");
        Function::from_raw(llvm!(c::LLVMAddFunction; module.as_mut_ptr(), c_name(name).as_ptr(), ty.raw()))
    }

    /// All functions of a module, in its order.
    #[must_use]
    pub fn all(module: &Module<'c>) -> Vec<Function<'c>> {
        let mut all = Vec::new();
        let mut next = llvm!(c::LLVMGetFirstFunction; module.as_mut_ptr());
        while !next.is_null() {
            all.push(Function::from_raw(next));
            next = llvm!(c::LLVMGetNextFunction; next);
        }
        all
    }

    /// The function as a value (its address).
    #[must_use]
    pub fn value(self) -> Value<'c> {
        Value::from_handle(self.0)
    }

    /// The function's name.
    #[must_use]
    pub fn name(self) -> String {
        self.value().name()
    }

    /// The context's types.
    #[must_use]
    pub fn types(self) -> Types<'c> {
        self.value().types()
    }

    /// The function's type.
    #[must_use]
    pub fn ty(self) -> Type<'c> {
        Type::from_raw(llvm!(c::LLVMGlobalGetValueType; self.raw()))
    }

    /// What the function returns.
    #[must_use]
    pub fn result(self) -> Type<'c> {
        Type::from_raw(llvm!(c::LLVMGetReturnType; self.ty().raw()))
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(self) -> Vec<Value<'c>> {
        (0..llvm!(c::LLVMCountParams; self.raw()))
            .map(|index| Value::from_raw(llvm!(c::LLVMGetParam; self.raw(), index)))
            .collect()
    }

    /// The type that parameter `index` is a by-value copy of.
    #[must_use]
    pub fn by_value(self, index: u32) -> Option<Type<'c>> {
        self.check(Place::Parameter(index));
        let raw = llvm!(oxcl_ir_byval_type; self.raw(), index);
        (!raw.is_null()).then(|| Type::from_raw(raw))
    }

    /// The alignment in bytes that parameter `index` is declared with; 0 where it is not.
    #[must_use]
    pub fn parameter_alignment(self, index: u32) -> u32 {
        let kind = llvm!(c::LLVMGetEnumAttributeKindForName; c"align".as_ptr(), 5);
        self.check(Place::Parameter(index));
        let place = Place::Parameter(index).raw();
        let attribute = llvm!(c::LLVMGetEnumAttributeAtIndex; self.raw(), place, kind);
        if attribute.is_null() {
            return 0;
        }
        u32::try_from(llvm!(c::LLVMGetEnumAttributeValue; attribute)).unwrap_or(0)
    }

    /// Whether parameter `index` is a pointer that nothing else leads to what it points to: `restrict`.
    #[must_use]
    pub fn is_restricted(self, index: u32) -> bool {
        self.has_attribute(Place::Parameter(index), "noalias")
    }

    /// Whether a loop has several entries.
    #[must_use]
    pub fn is_irreducible(self) -> bool {
        llvm!(oxcl_ir_is_irreducible; self.raw())
    }

    /// Lets another function stand for this one in debug information, if any is made.
    pub fn give_debug_scope(self, to: Function<'c>) {
        llvm!(oxcl_ir_give_debug_scope; self.raw(), to.raw());
    }

    /// Only declared, not defined here.
    #[must_use]
    pub fn is_declaration(self) -> bool {
        llvm!(c::LLVMIsDeclaration; self.raw()) != 0
    }

    /// One of LLVM's intrinsics.
    #[must_use]
    pub fn is_intrinsic(self) -> bool {
        llvm!(c::LLVMGetIntrinsicID; self.raw()) != 0
    }

    /// The blocks, in the function's order, the entry first.
    #[must_use]
    pub fn blocks(self) -> Vec<Block<'c>> {
        let mut all = Vec::new();
        let mut next = llvm!(c::LLVMGetFirstBasicBlock; self.raw());
        while !next.is_null() {
            all.push(Block::from_raw(next));
            next = llvm!(c::LLVMGetNextBasicBlock; next);
        }
        all
    }

    /// Appends an empty block.
    #[must_use]
    pub fn append_block(self, name: &str) -> Block<'c> {
        let context = self.types().raw();
        Block::from_raw(llvm!(c::LLVMAppendBasicBlockInContext; context, self.raw(), c_name(name).as_ptr()))
    }

    /// All instructions, block by block.
    #[must_use]
    pub fn instructions(self) -> Vec<Value<'c>> {
        self.blocks().into_iter().flat_map(Block::instructions).collect()
    }

    /// Sets the calling convention.
    pub fn set_convention(self, convention: u32) {
        llvm!(c::LLVMSetFunctionCallConv; self.raw(), convention);
    }

    /// Makes the function visible to its own module only, or to all.
    pub fn set_internal(self, internal: bool) {
        let linkage =
            if internal { LLVMLinkage::LLVMInternalLinkage } else { LLVMLinkage::LLVMExternalLinkage };
        llvm!(c::LLVMSetLinkage; self.raw(), linkage);
    }

    /// Visible to its own module only.
    #[must_use]
    pub fn is_internal(self) -> bool {
        matches!(
            llvm!(c::LLVMGetLinkage; self.raw()),
            LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage
        )
    }

    /// Makes the declaration one that need not be defined: its address is null then.
    pub fn set_weak(self) {
        llvm!(c::LLVMSetLinkage; self.raw(), LLVMLinkage::LLVMExternalWeakLinkage);
    }

    /// Adds an attribute that has no value.
    pub fn add_attribute(self, place: Place, name: &str) {
        self.add_attribute_value(place, name, 0);
    }

    /// Adds an attribute with an integer value, such as `align`.
    pub fn add_attribute_value(self, place: Place, name: &str, value: u64) {
        let attribute = llvm!(c::LLVMCreateEnumAttribute; self.types().raw(), attribute(name), value);
        self.check(place);
        llvm!(c::LLVMAddAttributeAtIndex; self.raw(), place.raw(), attribute);
    }

    /// Adds a target-dependent attribute.
    pub fn add_string_attribute(self, name: &str, value: &str) {
        let name_length = u32::try_from(name.len()).unwrap_or(0);
        let value_length = u32::try_from(value.len()).unwrap_or(0);
        let attribute = llvm!(
            c::LLVMCreateStringAttribute;
            self.types().raw(),
            name.as_ptr().cast(),
            name_length,
            value.as_ptr().cast(),
            value_length
        );
        llvm!(c::LLVMAddAttributeAtIndex; self.raw(), Place::Function.raw(), attribute);
    }

    /// The value of a target-dependent attribute.
    #[must_use]
    pub fn string_attribute(self, name: &str) -> Option<String> {
        self.string_attribute_at(Place::Function, name)
    }

    /// What parameter `index` was before it became a pointer to its description: an image that the function may read or write.
    #[must_use]
    pub fn image_parameter(self, index: u32) -> Option<crate::access::Access> {
        self.check(Place::Parameter(index));
        let access = self.string_attribute_at(Place::Parameter(index), "oxcl-image")?;
        let (read, write) = (access != "1", access != "0");
        Some(crate::access::Access { read, write })
    }

    fn string_attribute_at(self, place: Place, name: &str) -> Option<String> {
        let length = u32::try_from(name.len()).unwrap_or(0);
        let found = llvm!(
            c::LLVMGetStringAttributeAtIndex; self.raw(), place.raw(), name.as_ptr().cast(), length
        );
        if found.is_null() {
            return None;
        }
        let mut length = 0;
        let text = llvm!(c::LLVMGetStringAttributeValue; found, &raw mut length);
        Some(counted_text(text, length as usize))
    }

    /// The function is not seen by other objects that it may be linked with.
    pub fn set_hidden(self) {
        llvm!(c::LLVMSetVisibility; self.raw(), LLVMVisibility::LLVMHiddenVisibility);
    }

    /// Whether an attribute without a value is there.
    #[must_use]
    pub fn has_attribute(self, place: Place, name: &str) -> bool {
        self.check(place);
        !llvm!(c::LLVMGetEnumAttributeAtIndex; self.raw(), place.raw(), attribute(name)).is_null()
    }

    /// Removes an attribute; nothing happens where it is absent.
    pub fn remove_attribute(self, place: Place, name: &str) {
        self.check(place);
        llvm!(c::LLVMRemoveEnumAttributeAtIndex; self.raw(), place.raw(), attribute(name));
    }

    fn check(self, place: Place) {
        let there = match place {
            Place::Function => true,
            Place::Parameter(index) => index < llvm!(c::LLVMCountParams; self.raw()),
        };
        fits(there, "an attribute of a parameter that the function does not have");
    }

    /// Makes an atomic load, arithmetic and an atomic store of each atomic operation on objects of an address space. Right where
    /// one thread uses these objects alone.
    pub fn split_atomics(self, space: u32) {
        llvm!(oxcl_ir_split_atomics; self.raw(), space);
    }

    /// Removes the function for good; its handles, and those of all that is in it, are stale then.
    ///
    /// # Panics
    /// Where something outside of it uses the function or what is in it.
    pub fn delete(self) {
        fits(llvm!(oxcl_ir_delete_function; self.raw()), "deleting a function that is used");
    }

    /// Checks the function; the message names what is wrong.
    ///
    /// # Errors
    /// The verifier's words, where the function is not valid IR.
    pub fn verify(self) -> Result<(), crate::IrError> {
        let message = llvm!(oxcl_ir_verify; self.raw());
        if message.is_null() {
            return Ok(());
        }
        let message = owned_text(message).trim_end().to_owned();
        Err(crate::IrError::Invalid { what: self.name(), message })
    }
}

impl fmt::Display for Function<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&owned_text(llvm!(c::LLVMPrintValueToString; self.raw())))
    }
}

impl fmt::Debug for Function<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_stale() {
            return f.write_str(handle::STALE);
        }
        f.write_str(&self.name())
    }
}
