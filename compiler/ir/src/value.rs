//! Values: one handle for constants, arguments, instructions and functions, so that passes stay generic over them.

use crate::check::{fail, fits};
use crate::function::{Block, Function};
use crate::handle::{self, Handle};
use crate::raw::{
    attribute, c_name, counted_text, llvm, owned_text, oxcl_ir_add_loop_word, oxcl_ir_alignment,
    oxcl_ir_are_usable, oxcl_ir_can_replace, oxcl_ir_copy_flags, oxcl_ir_drop_poison_flags, oxcl_ir_effects,
    oxcl_ir_may_capture, oxcl_ir_operand, oxcl_ir_operand_count, oxcl_ir_set_alignment, oxcl_ir_set_operand,
};
use crate::types::{Type, TypeKind, Types};
use inkwell::llvm_sys::core as c;
use inkwell::llvm_sys::debuginfo as di;
use inkwell::llvm_sys::prelude::LLVMValueRef;
use inkwell::llvm_sys::{
    LLVMFastMathApproxFunc, LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate, LLVMValueKind,
};
use std::fmt;

/// A place in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// The file's path as the front end has it.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// From 1; 0: unknown.
    pub column: u32,
}

/// What an instruction may do beside computing its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effects(u32);

impl Effects {
    /// May read memory.
    #[must_use]
    pub fn reads(self) -> bool {
        self.0 & 1 != 0
    }
    /// May write memory.
    #[must_use]
    pub fn writes(self) -> bool {
        self.0 & 2 != 0
    }
    /// Must not be left out or repeated.
    #[must_use]
    pub fn side_effects(self) -> bool {
        self.0 & 4 != 0
    }
    /// Volatile or atomic.
    #[must_use]
    pub fn ordered(self) -> bool {
        self.0 & 8 != 0
    }
    /// A call that all work-items of some set make together.
    #[must_use]
    pub fn convergent(self) -> bool {
        self.0 & 16 != 0
    }
}

/// A value of LLVM's IR.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value<'c>(Handle<'c>);

impl<'c> Value<'c> {
    pub(crate) fn from_raw(raw: LLVMValueRef) -> Self {
        Value(Handle::new(raw))
    }

    pub(crate) fn from_handle(handle: Handle<'c>) -> Self {
        Value(handle)
    }

    pub(crate) fn maybe(raw: LLVMValueRef) -> Option<Self> {
        (!raw.is_null()).then(|| Value::from_raw(raw))
    }

    pub(crate) fn raw(self) -> LLVMValueRef {
        self.0.raw()
    }

    /// Whether LLVM has deleted the value, so that nothing may be asked of it any more.
    #[must_use]
    pub fn is_stale(self) -> bool {
        self.0.is_stale()
    }

    /// The value's type.
    #[must_use]
    pub fn ty(self) -> Type<'c> {
        Type::from_raw(llvm!(c::LLVMTypeOf; self.raw()))
    }

    /// The context's types.
    #[must_use]
    pub fn types(self) -> Types<'c> {
        self.ty().types()
    }

    /// The name; empty if it has none.
    #[must_use]
    pub fn name(self) -> String {
        let mut length = 0;
        let text = llvm!(c::LLVMGetValueName2; self.raw(), &raw mut length);
        counted_text(text, length)
    }

    /// Gives the value a name; LLVM may append a number.
    pub fn set_name(self, name: &str) {
        // What has no value has no name.
        if self.ty().is_void() {
            return;
        }
        llvm!(c::LLVMSetValueName2; self.raw(), name.as_ptr().cast(), name.len());
    }

    /// An instruction.
    #[must_use]
    pub fn is_instruction(self) -> bool {
        !llvm!(c::LLVMIsAInstruction; self.raw()).is_null()
    }

    /// An arithmetic or bitwise instruction of two operands.
    #[must_use]
    pub fn is_binary_operation(self) -> bool {
        !llvm!(c::LLVMIsABinaryOperator; self.raw()).is_null()
    }

    /// An instruction that converts a value to another type.
    #[must_use]
    pub fn is_conversion(self) -> bool {
        !llvm!(c::LLVMIsACastInst; self.raw()).is_null()
    }

    /// A constant of any kind, functions and global variables included.
    #[must_use]
    pub fn is_constant(self) -> bool {
        llvm!(c::LLVMIsConstant; self.raw()) != 0
    }

    /// A parameter of a function.
    #[must_use]
    pub fn is_parameter(self) -> bool {
        !llvm!(c::LLVMIsAArgument; self.raw()).is_null()
    }

    /// A global variable.
    #[must_use]
    pub fn is_global_variable(self) -> bool {
        !llvm!(c::LLVMIsAGlobalVariable; self.raw()).is_null()
    }

    /// The function this value is.
    #[must_use]
    pub fn as_function(self) -> Option<Function<'c>> {
        (!llvm!(c::LLVMIsAFunction; self.raw()).is_null()).then(|| Function::from_handle(self.0))
    }

    /// Undefined or poison.
    #[must_use]
    pub fn is_undef(self) -> bool {
        llvm!(c::LLVMIsUndef; self.raw()) != 0
    }

    pub(crate) fn is_constant_int(self) -> bool {
        !llvm!(c::LLVMIsAConstantInt; self.raw()).is_null()
    }

    /// The value of an integer constant of at most 64 bits, sign-extended.
    #[must_use]
    pub fn as_int(self) -> Option<i64> {
        let small = matches!(self.ty().kind(), TypeKind::Int(bits) if bits <= 64);
        (small && self.is_constant_int()).then(|| llvm!(c::LLVMConstIntGetSExtValue; self.raw()))
    }

    /// The instruction's opcode, also of a constant expression.
    #[must_use]
    pub fn opcode(self) -> Option<LLVMOpcode> {
        if self.is_instruction() {
            Some(llvm!(c::LLVMGetInstructionOpcode; self.raw()))
        } else if self.is_constant_expression() {
            Some(llvm!(c::LLVMGetConstOpcode; self.raw()))
        } else {
            None
        }
    }

    /// A constant expression.
    #[must_use]
    pub fn is_constant_expression(self) -> bool {
        llvm!(c::LLVMGetValueKind; self.raw()) == LLVMValueKind::LLVMConstantExprValueKind
    }

    /// This opcode, as an instruction.
    #[must_use]
    pub fn is(self, opcode: LLVMOpcode) -> bool {
        self.is_instruction() && self.opcode() == Some(opcode)
    }

    /// A PHI node.
    #[must_use]
    pub fn is_phi(self) -> bool {
        self.is(LLVMOpcode::LLVMPHI)
    }

    /// Ends its block.
    #[must_use]
    pub fn is_terminator(self) -> bool {
        self.is_instruction() && !llvm!(c::LLVMIsATerminatorInst; self.raw()).is_null()
    }

    /// How many operands the value has.
    #[must_use]
    pub fn operand_count(self) -> u32 {
        llvm!(oxcl_ir_operand_count; self.raw())
    }

    /// Operand `index`. Blocks appear as operands too.
    ///
    /// # Panics
    /// Where `index` is not less than [`Value::operand_count`].
    #[must_use]
    pub fn operand(self, index: u32) -> Value<'c> {
        let operand = llvm!(oxcl_ir_operand; self.raw(), index);
        Value::maybe(operand).unwrap_or_else(|| fail("an operand that the value does not have"))
    }

    /// All operands.
    #[must_use]
    pub fn operands(self) -> Vec<Value<'c>> {
        (0..self.operand_count()).map(|index| self.operand(index)).collect()
    }

    /// Replaces operand `index` of an instruction.
    ///
    /// # Panics
    /// Where the instruction has no such operand, or it cannot be `value`: of another type, function or module, or no
    /// constant where only a constant may be.
    pub fn set_operand(self, index: u32, value: Value<'c>) {
        fits(llvm!(oxcl_ir_set_operand; self.raw(), index, value.raw()), "an operand of an instruction");
    }

    /// The instructions and constants that use this value, each once for every use; of numbers and other constants without
    /// parts, none.
    #[must_use]
    pub fn users(self) -> Vec<Value<'c>> {
        let mut users = Vec::new();
        // LLVM does not count who uses a number.
        if self.is_plain_constant() {
            return users;
        }
        let mut next = llvm!(c::LLVMGetFirstUse; self.raw());
        while !next.is_null() {
            users.push(Value::from_raw(llvm!(c::LLVMGetUser; next)));
            next = llvm!(c::LLVMGetNextUse; next);
        }
        users
    }

    /// A constant without parts: LLVM has one of each for a whole context.
    fn is_plain_constant(self) -> bool {
        matches!(
            llvm!(c::LLVMGetValueKind; self.raw()),
            LLVMValueKind::LLVMConstantIntValueKind
                | LLVMValueKind::LLVMConstantFPValueKind
                | LLVMValueKind::LLVMUndefValueValueKind
                | LLVMValueKind::LLVMPoisonValueKind
                | LLVMValueKind::LLVMConstantAggregateZeroValueKind
                | LLVMValueKind::LLVMConstantDataArrayValueKind
                | LLVMValueKind::LLVMConstantDataVectorValueKind
                | LLVMValueKind::LLVMConstantPointerNullValueKind
                | LLVMValueKind::LLVMConstantTokenNoneValueKind
                | LLVMValueKind::LLVMConstantTargetNoneValueKind
        )
    }

    /// Uses `other` wherever this value was used.
    ///
    /// # Panics
    /// Where `other` has another type, is not of the same function (or module, for functions and variables), or is this
    /// value; where this value is a constant without a name.
    pub fn replace_uses_with(self, other: Value<'c>) {
        fits(llvm!(oxcl_ir_can_replace; self.raw(), other.raw()), "a replacement of a value");
        llvm!(c::LLVMReplaceAllUsesWith; self.raw(), other.raw());
    }

    /// The block an instruction is in.
    #[must_use]
    pub fn block(self) -> Option<Block<'c>> {
        if !self.is_instruction() {
            return None;
        }
        Block::maybe(llvm!(c::LLVMGetInstructionParent; self.raw()))
    }

    /// The instruction after this one in its block.
    #[must_use]
    pub fn next(self) -> Option<Value<'c>> {
        if !self.is_instruction() {
            return None;
        }
        Value::maybe(llvm!(c::LLVMGetNextInstruction; self.raw()))
    }

    /// Removes an unused instruction for good; its handles are stale then.
    ///
    /// # Panics
    /// Where this is no instruction of a block, or something uses it.
    pub fn erase(self) {
        fits(self.block().is_some(), "erasing what is no instruction of a block");
        fits(llvm!(c::LLVMGetFirstUse; self.raw()).is_null(), "erasing an instruction that is used");
        llvm!(c::LLVMInstructionEraseFromParent; self.raw());
    }

    /// What the instruction may do.
    #[must_use]
    pub fn effects(self) -> Effects {
        Effects(llvm!(oxcl_ir_effects; self.raw()))
    }

    /// Copies wrapping, exactness and fast-math flags from another instruction.
    pub fn copy_flags(self, from: Value<'c>) {
        llvm!(oxcl_ir_copy_flags; self.raw(), from.raw());
    }

    /// Removes flags that could make the result poison.
    pub fn drop_poison_flags(self) {
        llvm!(oxcl_ir_drop_poison_flags; self.raw());
    }

    /// The predicate of an integer comparison.
    #[must_use]
    pub fn int_predicate(self) -> Option<LLVMIntPredicate> {
        self.is(LLVMOpcode::LLVMICmp).then(|| llvm!(c::LLVMGetICmpPredicate; self.raw()))
    }

    /// The predicate of a floating-point comparison.
    #[must_use]
    pub fn float_predicate(self) -> Option<LLVMRealPredicate> {
        self.is(LLVMOpcode::LLVMFCmp).then(|| llvm!(c::LLVMGetFCmpPredicate; self.raw()))
    }

    /// The arithmetic, or cutting bits off, loses nothing in the signed sense, by its flag.
    #[must_use]
    pub fn no_signed_wrap(self) -> bool {
        self.may_wrap() && llvm!(c::LLVMGetNSW; self.raw()) != 0
    }

    /// The arithmetic, or cutting bits off, loses nothing in the unsigned sense, by its flag.
    #[must_use]
    pub fn no_unsigned_wrap(self) -> bool {
        self.may_wrap() && llvm!(c::LLVMGetNUW; self.raw()) != 0
    }

    /// Claims that the arithmetic wraps neither way (true also when the operation was folded away).
    pub fn set_no_wrap(self) {
        self.set_no_signed_wrap();
        self.set_no_unsigned_wrap();
    }

    /// Claims that the arithmetic, or cutting bits off, loses nothing in the signed sense (true also when the operation was
    /// folded away).
    pub fn set_no_signed_wrap(self) {
        if self.may_wrap() {
            llvm!(c::LLVMSetNSW; self.raw(), 1);
        }
    }

    /// Claims that the arithmetic, or cutting bits off, loses nothing in the unsigned sense.
    pub fn set_no_unsigned_wrap(self) {
        if self.may_wrap() {
            llvm!(c::LLVMSetNUW; self.raw(), 1);
        }
    }

    fn may_wrap(self) -> bool {
        let wraps = matches!(
            self.opcode(),
            Some(
                LLVMOpcode::LLVMTrunc
                    | LLVMOpcode::LLVMAdd
                    | LLVMOpcode::LLVMSub
                    | LLVMOpcode::LLVMMul
                    | LLVMOpcode::LLVMShl
            )
        );
        wraps && self.is_instruction()
    }

    /// The `or` has no bit set on both sides, by its flag.
    #[must_use]
    pub fn is_disjoint_or(self) -> bool {
        self.is(LLVMOpcode::LLVMOr) && llvm!(c::LLVMGetIsDisjoint; self.raw()) != 0
    }

    /// The incoming pairs of a PHI node.
    #[must_use]
    pub fn incoming(self) -> Vec<(Value<'c>, Block<'c>)> {
        fits(self.is_phi(), "the incoming pairs of what is no PHI node");
        let count = llvm!(c::LLVMCountIncoming; self.raw());
        (0..count)
            .map(|index| {
                let value = Value::from_raw(llvm!(c::LLVMGetIncomingValue; self.raw(), index));
                (value, Block::from_raw(llvm!(c::LLVMGetIncomingBlock; self.raw(), index)))
            })
            .collect()
    }

    /// Adds an incoming pair to a PHI node.
    pub fn add_incoming(self, value: Value<'c>, block: Block<'c>) {
        fits(self.is_phi() && self.ty() == value.ty(), "a value of a PHI node");
        let function = self.block().map(Block::function);
        fits(function == Some(block.function()), "a PHI node and a block of another function");
        let usable = llvm!(oxcl_ir_are_usable; block.raw(), &mut value.raw(), 1);
        fits(usable, "a value of a PHI node belongs to another function, module or context");
        llvm!(c::LLVMAddIncoming; self.raw(), &mut value.raw(), &mut block.raw(), 1);
    }

    /// The function a call names, if it names one.
    #[must_use]
    pub fn callee(self) -> Option<Function<'c>> {
        if !self.is(LLVMOpcode::LLVMCall) {
            return None;
        }
        Value::maybe(llvm!(c::LLVMGetCalledValue; self.raw()))?.as_function()
    }

    /// The type of the function a call calls.
    #[must_use]
    pub fn callee_type(self) -> Option<Type<'c>> {
        self.is(LLVMOpcode::LLVMCall).then(|| Type::from_raw(llvm!(c::LLVMGetCalledFunctionType; self.raw())))
    }

    /// Whether an instruction's result, of floating numbers, may be that of a similar function (`afn`).
    #[must_use]
    pub fn may_be_approximate(self) -> bool {
        self.is_instruction()
            && llvm!(c::LLVMCanValueUseFastMathFlags; self.raw()) != 0
            && llvm!(c::LLVMGetFastMathFlags; self.raw()) & LLVMFastMathApproxFunc != 0
    }

    /// The arguments of a call.
    #[must_use]
    pub fn arguments(self) -> Vec<Value<'c>> {
        fits(self.is(LLVMOpcode::LLVMCall), "the arguments of what is no call");
        let count = llvm!(c::LLVMGetNumArgOperands; self.raw());
        (0..count).map(|index| self.operand(index)).collect()
    }

    /// Whether a call may keep argument `index`, a pointer, beyond its end: in memory, or in what it returns.
    #[must_use]
    pub fn may_keep_argument(self, index: u32) -> bool {
        self.check_argument(index);
        llvm!(oxcl_ir_may_capture; self.raw(), index)
    }

    /// Sets the calling convention of a call.
    pub fn set_call_convention(self, convention: u32) {
        fits(self.is(LLVMOpcode::LLVMCall), "the calling convention of what is no call");
        llvm!(c::LLVMSetInstructionCallConv; self.raw(), convention);
    }

    /// Removes an attribute of a call site as a whole.
    pub fn remove_call_attribute(self, name: &str) {
        fits(self.is(LLVMOpcode::LLVMCall), "an attribute of what is no call");
        let kind = attribute(name);
        llvm!(c::LLVMRemoveCallSiteEnumAttribute; self.raw(), u32::MAX, kind);
    }

    /// Has a call pass argument `index`, a pointer, as a copy of what it points to, a `ty`; `alignment` 0 is the type's
    /// own.
    pub fn set_call_by_value(self, index: u32, ty: Type<'c>, alignment: u32) {
        self.check_argument(index);
        let sized = ty.can_be_used() && ty.is_sized() && ty.types() == self.types();
        fits(sized, "what an argument is a copy of");
        let kind = llvm!(c::LLVMGetEnumAttributeKindForName; c"byval".as_ptr(), 5);
        let by_value = llvm!(c::LLVMCreateTypeAttribute; self.types().raw(), kind, ty.raw());
        llvm!(c::LLVMAddCallSiteAttribute; self.raw(), index + 1, by_value);
        if alignment != 0 {
            self.set_argument_alignment(index, alignment);
        }
    }

    /// Says how a pointer argument of a call is aligned, in bytes.
    pub fn set_argument_alignment(self, argument: u32, bytes: u32) {
        self.check_argument(argument);
        fits(bytes.is_power_of_two(), "the alignment of an argument");
        let context = self.types().raw();
        let attribute = llvm!(c::LLVMCreateEnumAttribute; context, attribute("align"), u64::from(bytes));
        llvm!(c::LLVMAddCallSiteAttribute; self.raw(), argument + 1, attribute);
    }

    fn check_argument(self, index: u32) {
        let pointer = self.is(LLVMOpcode::LLVMCall)
            && index < llvm!(c::LLVMGetNumArgOperands; self.raw())
            && matches!(self.operand(index).ty().scalar().kind(), TypeKind::Pointer(_));
        fits(pointer, "a pointer argument of a call");
    }

    /// The element type that a GEP steps over.
    #[must_use]
    pub fn gep_element(self) -> Option<Type<'c>> {
        (self.opcode() == Some(LLVMOpcode::LLVMGetElementPtr))
            .then(|| Type::from_raw(llvm!(c::LLVMGetGEPSourceElementType; self.raw())))
    }

    /// The no-wrap flags of a GEP, to be given to [`crate::Builder::gep`].
    #[must_use]
    pub fn gep_flags(self) -> u32 {
        if self.opcode() == Some(LLVMOpcode::LLVMGetElementPtr) {
            llvm!(c::LLVMGEPGetNoWrapFlags; self.raw())
        } else {
            0
        }
    }

    /// The constant indices of `extractvalue` and `insertvalue`.
    #[must_use]
    pub fn indices(self) -> Vec<u32> {
        if !matches!(self.opcode(), Some(LLVMOpcode::LLVMExtractValue | LLVMOpcode::LLVMInsertValue)) {
            return Vec::new();
        }
        let count = llvm!(c::LLVMGetNumIndices; self.raw()) as usize;
        let first = llvm!(c::LLVMGetIndices; self.raw());
        (0..count)
            .map(|index| {
                let at = first.wrapping_add(index);
                // SAFETY: `at` is one of the `count` indices that LLVM keeps with the instruction.
                unsafe { *at }
            })
            .collect()
    }

    /// The mask of a `shufflevector`; -1 is "any".
    #[must_use]
    pub fn shuffle_mask(self) -> Vec<i32> {
        fits(self.is(LLVMOpcode::LLVMShuffleVector), "the mask of what is no shuffle");
        let count = llvm!(c::LLVMGetNumMaskElements; self.raw());
        (0..count).map(|index| llvm!(c::LLVMGetMaskValue; self.raw(), index)).collect()
    }

    /// The type an alloca reserves.
    #[must_use]
    pub fn allocated(self) -> Option<Type<'c>> {
        self.is(LLVMOpcode::LLVMAlloca).then(|| Type::from_raw(llvm!(c::LLVMGetAllocatedType; self.raw())))
    }

    /// The alignment in bytes of a load, a store, an atomic access, an alloca or a global variable; 0 of anything else.
    #[must_use]
    pub fn alignment(self) -> u32 {
        llvm!(oxcl_ir_alignment; self.raw())
    }

    /// Sets the alignment in bytes of a load, a store, an atomic access, an alloca or a global variable.
    ///
    /// # Panics
    /// Where this is none of them, or `bytes` is no power of two.
    pub fn set_alignment(self, bytes: u32) {
        fits(bytes.is_power_of_two() && bytes <= 1 << 31, "an alignment");
        fits(llvm!(oxcl_ir_set_alignment; self.raw(), bytes), "the alignment of what has none");
    }

    /// A volatile load or store.
    #[must_use]
    pub fn is_volatile(self) -> bool {
        matches!(self.opcode(), Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore))
            && llvm!(c::LLVMGetVolatile; self.raw()) != 0
    }

    /// Makes a volatile load or store a plain one.
    pub fn make_plain(self) {
        fits(self.is_volatile(), "a volatile access");
        llvm!(c::LLVMSetVolatile; self.raw(), 0);
    }

    /// An element of a constant aggregate or vector.
    #[must_use]
    pub fn constant_element(self, index: u32) -> Option<Value<'c>> {
        if !self.is_constant() {
            return None;
        }
        Value::maybe(llvm!(c::LLVMGetAggregateElement; self.raw(), index))
    }

    /// The line in the source that the instruction comes from; 0 if unknown.
    #[must_use]
    pub fn line(self) -> u32 {
        if !self.is_instruction() {
            return 0;
        }
        let location = llvm!(di::LLVMInstructionGetDebugLoc; self.raw());
        if location.is_null() { 0 } else { llvm!(di::LLVMDILocationGetLine; location) }
    }

    /// Where in the source the instruction comes from, as far as that is known.
    #[must_use]
    pub fn location(self) -> Option<Location> {
        if !self.is_instruction() {
            return None;
        }
        let location = llvm!(di::LLVMInstructionGetDebugLoc; self.raw());
        if location.is_null() {
            return None;
        }
        let scope = llvm!(di::LLVMDILocationGetScope; location);
        let file = if scope.is_null() { scope } else { llvm!(di::LLVMDIScopeGetFile; scope) };
        let file = if file.is_null() {
            String::new()
        } else {
            let mut length = 0;
            let text = llvm!(di::LLVMDIFileGetFilename; file, &raw mut length);
            counted_text(text, length as usize)
        };
        let line = llvm!(di::LLVMDILocationGetLine; location);
        // Line 0 is LLVM's way to say that code comes of several places.
        (line != 0).then(|| Location { file, line, column: llvm!(di::LLVMDILocationGetColumn; location) })
    }

    /// Attaches a metadata node of a kind (see [`crate::metadata`]).
    pub fn set_metadata(self, kind: &str, node: crate::metadata::Node<'c>) {
        fits(self.is_instruction(), "metadata of what is no instruction");
        let name = c_name(kind);
        let length = u32::try_from(kind.len()).unwrap_or(0);
        let id = llvm!(c::LLVMGetMDKindIDInContext; self.types().raw(), name.as_ptr(), length);
        llvm!(c::LLVMSetMetadata; self.raw(), id, node.raw());
    }

    /// Forbids that LLVM repeats the body of the loop that a branch goes back in where the number of rounds is not known before
    /// the program runs. What the source says of it stays.
    pub fn forbid_runtime_unrolling(self) {
        fits(self.is_terminator(), "the branch back of a loop");
        llvm!(oxcl_ir_add_loop_word; self.raw(), c"llvm.loop.unroll.runtime.disable".as_ptr());
    }

    /// Whether there is metadata of a kind.
    #[must_use]
    pub fn has_metadata(self, kind: &str) -> bool {
        fits(self.is_instruction(), "metadata of what is no instruction");
        let name = c_name(kind);
        let length = u32::try_from(kind.len()).unwrap_or(0);
        let id = llvm!(c::LLVMGetMDKindIDInContext; self.types().raw(), name.as_ptr(), length);
        !llvm!(c::LLVMGetMetadata; self.raw(), id).is_null()
    }

    /// Removes the metadata of a kind.
    pub fn clear_metadata(self, kind: &str) {
        fits(self.is_instruction(), "metadata of what is no instruction");
        let name = c_name(kind);
        let length = u32::try_from(kind.len()).unwrap_or(0);
        let id = llvm!(c::LLVMGetMDKindIDInContext; self.types().raw(), name.as_ptr(), length);
        llvm!(c::LLVMSetMetadata; self.raw(), id, std::ptr::null_mut());
    }

    /// The successors of a terminator.
    #[must_use]
    pub fn successors(self) -> Vec<Block<'c>> {
        if !self.is_terminator() {
            return Vec::new();
        }
        let count = llvm!(c::LLVMGetNumSuccessors; self.raw());
        (0..count).map(|index| Block::from_raw(llvm!(c::LLVMGetSuccessor; self.raw(), index))).collect()
    }

    /// Has a terminator lead to another block in place of successor `index`.
    ///
    /// # Panics
    /// Where it has no such successor, or the block is another function's.
    pub fn set_successor(self, index: u32, block: Block<'c>) {
        let there = self.is_terminator() && index < llvm!(c::LLVMGetNumSuccessors; self.raw());
        fits(there, "a successor that the terminator does not have");
        let own = self.block().is_some_and(|own| own.function() == block.function());
        fits(own, "a successor in another function");
        llvm!(c::LLVMSetSuccessor; self.raw(), index, block.raw());
    }

    /// What a terminator chooses its successor by: the condition of a conditional branch, the value of a switch.
    #[must_use]
    pub fn decider(self) -> Option<Value<'c>> {
        if self.is(LLVMOpcode::LLVMSwitch) { Some(self.operand(0)) } else { self.condition() }
    }

    /// The condition of a conditional branch.
    #[must_use]
    pub fn condition(self) -> Option<Value<'c>> {
        if self.is(LLVMOpcode::LLVMBr) && llvm!(c::LLVMIsConditional; self.raw()) != 0 {
            return Some(Value::from_raw(llvm!(c::LLVMGetCondition; self.raw())));
        }
        None
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(owned_text(llvm!(c::LLVMPrintValueToString; self.raw())).trim())
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_stale() {
            return f.write_str(handle::STALE);
        }
        fmt::Display::fmt(self, f)
    }
}
