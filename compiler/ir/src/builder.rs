//! Making instructions. Every operation folds constants as LLVM's builder does, so a result need not be an
//! instruction.

use crate::function::{Block, Function};
use crate::raw::{c_name, llvm};
use crate::types::{Type, Types};
use crate::value::Value;
use inkwell::context::Context;
use inkwell::llvm_sys::core as c;
use inkwell::llvm_sys::prelude::{LLVMBuilderRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};
use std::fmt;
use std::marker::PhantomData;

/// A place in a function where instructions are added.
pub struct Builder<'c> {
    raw: LLVMBuilderRef,
    types: Types<'c>,
    context: PhantomData<&'c Context>,
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl<'c> Builder<'c> {
    /// A builder without a place yet.
    #[must_use]
    pub fn new(types: Types<'c>) -> Self {
        Builder { raw: llvm!(c::LLVMCreateBuilderInContext; types.raw()), types, context: PhantomData }
    }

    /// A builder at the end of a block.
    #[must_use]
    pub fn at_end(block: Block<'c>) -> Self {
        let builder = Builder::new(block.function().types());
        builder.position_at_end(block);
        builder
    }

    /// A builder before an instruction.
    #[must_use]
    pub fn before(instruction: Value<'c>) -> Self {
        let builder = Builder::new(instruction.types());
        llvm!(c::LLVMPositionBuilderBefore; builder.raw, instruction.raw());
        builder
    }

    /// The context's types.
    #[must_use]
    pub fn types(&self) -> Types<'c> {
        self.types
    }

    /// Goes on at the end of a block.
    pub fn position_at_end(&self, block: Block<'c>) {
        llvm!(c::LLVMPositionBuilderAtEnd; self.raw, block.raw());
    }

    /// The block that instructions are added to.
    ///
    /// # Panics
    /// Where the builder has no place yet.
    #[must_use]
    pub fn block(&self) -> Block<'c> {
        Block::from_raw(llvm!(c::LLVMGetInsertBlock; self.raw))
    }

    /// A 64-bit constant.
    #[must_use]
    pub fn i64(&self, value: i64) -> Value<'c> {
        self.types.i64().int(value)
    }

    /// An operation on two values of one type.
    pub fn binary(&self, opcode: LLVMOpcode, left: Value<'c>, right: Value<'c>, name: &str) -> Value<'c> {
        debug_assert_eq!(left.ty(), right.ty());
        let name = c_name(name);
        Value::from_raw(llvm!(c::LLVMBuildBinOp; self.raw, opcode, left.raw(), right.raw(), name.as_ptr()))
    }

    /// `left + right`.
    pub fn add(&self, left: Value<'c>, right: Value<'c>, name: &str) -> Value<'c> {
        self.binary(LLVMOpcode::LLVMAdd, left, right, name)
    }

    /// `left + right`, which the caller knows not to wrap either way.
    pub fn add_no_wrap(&self, left: Value<'c>, right: Value<'c>, name: &str) -> Value<'c> {
        let sum = self.add(left, right, name);
        sum.set_no_wrap();
        sum
    }

    /// `left * right`.
    pub fn mul(&self, left: Value<'c>, right: Value<'c>, name: &str) -> Value<'c> {
        self.binary(LLVMOpcode::LLVMMul, left, right, name)
    }

    /// `left * right`, which the caller knows not to wrap either way.
    pub fn mul_no_wrap(&self, left: Value<'c>, right: Value<'c>, name: &str) -> Value<'c> {
        let product = self.mul(left, right, name);
        product.set_no_wrap();
        product
    }

    /// `left & right`.
    pub fn and(&self, left: Value<'c>, right: Value<'c>, name: &str) -> Value<'c> {
        self.binary(LLVMOpcode::LLVMAnd, left, right, name)
    }

    /// `left | right`.
    pub fn or(&self, left: Value<'c>, right: Value<'c>, name: &str) -> Value<'c> {
        self.binary(LLVMOpcode::LLVMOr, left, right, name)
    }

    /// `!value`, bit by bit.
    pub fn not(&self, value: Value<'c>, name: &str) -> Value<'c> {
        let ones = value.ty().int(-1);
        self.binary(LLVMOpcode::LLVMXor, value, ones, name)
    }

    /// `-value` of a floating-point value.
    pub fn float_negate(&self, value: Value<'c>, name: &str) -> Value<'c> {
        Value::from_raw(llvm!(c::LLVMBuildFNeg; self.raw, value.raw(), c_name(name).as_ptr()))
    }

    /// A value that is not poison.
    pub fn freeze(&self, value: Value<'c>, name: &str) -> Value<'c> {
        Value::from_raw(llvm!(c::LLVMBuildFreeze; self.raw, value.raw(), c_name(name).as_ptr()))
    }

    /// A conversion.
    pub fn cast(&self, opcode: LLVMOpcode, value: Value<'c>, ty: Type<'c>, name: &str) -> Value<'c> {
        let name = c_name(name);
        Value::from_raw(llvm!(c::LLVMBuildCast; self.raw, opcode, value.raw(), ty.raw(), name.as_ptr()))
    }

    /// A comparison of integers or pointers.
    pub fn compare(
        &self,
        predicate: LLVMIntPredicate,
        left: Value<'c>,
        right: Value<'c>,
        name: &str,
    ) -> Value<'c> {
        debug_assert_eq!(left.ty(), right.ty());
        let name = c_name(name);
        Value::from_raw(llvm!(c::LLVMBuildICmp; self.raw, predicate, left.raw(), right.raw(), name.as_ptr()))
    }

    /// A comparison of floating-point values.
    pub fn compare_float(
        &self,
        predicate: LLVMRealPredicate,
        left: Value<'c>,
        right: Value<'c>,
        name: &str,
    ) -> Value<'c> {
        let name = c_name(name);
        Value::from_raw(llvm!(c::LLVMBuildFCmp; self.raw, predicate, left.raw(), right.raw(), name.as_ptr()))
    }

    /// `condition ? yes : no`, for the whole or lane by lane.
    pub fn select(&self, condition: Value<'c>, yes: Value<'c>, no: Value<'c>, name: &str) -> Value<'c> {
        debug_assert_eq!(yes.ty(), no.ty());
        let name = c_name(name);
        Value::from_raw(
            llvm!(c::LLVMBuildSelect; self.raw, condition.raw(), yes.raw(), no.raw(), name.as_ptr()),
        )
    }

    /// An address; `flags` as from [`Value::gep_flags`], 0 for none.
    pub fn gep(
        &self,
        element: Type<'c>,
        pointer: Value<'c>,
        indices: &[Value<'c>],
        flags: u32,
        name: &str,
    ) -> Value<'c> {
        let mut raw: Vec<LLVMValueRef> = indices.iter().map(|index| index.raw()).collect();
        let length = count(raw.len());
        let name = c_name(name);
        Value::from_raw(llvm!(
            c::LLVMBuildGEPWithNoWrapFlags;
            self.raw, element.raw(), pointer.raw(), raw.as_mut_ptr(), length, name.as_ptr(), flags
        ))
    }

    /// `pointer + offset` bytes, within one object.
    pub fn byte_offset(&self, pointer: Value<'c>, offset: Value<'c>, name: &str) -> Value<'c> {
        let mut raw = [offset.raw()];
        let name = c_name(name);
        let byte = self.types.i8().raw();
        Value::from_raw(llvm!(
            c::LLVMBuildInBoundsGEP2; self.raw, byte, pointer.raw(), raw.as_mut_ptr(), 1, name.as_ptr()
        ))
    }

    /// A load.
    pub fn load(&self, ty: Type<'c>, pointer: Value<'c>, alignment: u32, name: &str) -> Value<'c> {
        let name = c_name(name);
        let load =
            Value::from_raw(llvm!(c::LLVMBuildLoad2; self.raw, ty.raw(), pointer.raw(), name.as_ptr()));
        load.set_alignment(alignment);
        load
    }

    /// A store.
    pub fn store(&self, value: Value<'c>, pointer: Value<'c>, alignment: u32) -> Value<'c> {
        let store = Value::from_raw(llvm!(c::LLVMBuildStore; self.raw, value.raw(), pointer.raw()));
        store.set_alignment(alignment);
        store
    }

    /// Memory on the stack for one value.
    pub fn alloca(&self, ty: Type<'c>, name: &str) -> Value<'c> {
        Value::from_raw(llvm!(c::LLVMBuildAlloca; self.raw, ty.raw(), c_name(name).as_ptr()))
    }

    /// Memory on the stack for as many values as `length` says.
    pub fn array_alloca(&self, ty: Type<'c>, length: Value<'c>, name: &str) -> Value<'c> {
        let name = c_name(name);
        Value::from_raw(llvm!(c::LLVMBuildArrayAlloca; self.raw, ty.raw(), length.raw(), name.as_ptr()))
    }

    /// Copies bytes.
    pub fn copy_memory(&self, to: Value<'c>, from: Value<'c>, alignment: u32, bytes: u64) -> Value<'c> {
        let size = self.i64(bytes.cast_signed());
        Value::from_raw(llvm!(
            c::LLVMBuildMemCpy; self.raw, to.raw(), alignment, from.raw(), alignment, size.raw()
        ))
    }

    /// A jump.
    pub fn branch(&self, to: Block<'c>) -> Value<'c> {
        Value::from_raw(llvm!(c::LLVMBuildBr; self.raw, to.raw()))
    }

    /// A conditional jump.
    pub fn conditional_branch(&self, condition: Value<'c>, yes: Block<'c>, no: Block<'c>) -> Value<'c> {
        Value::from_raw(llvm!(c::LLVMBuildCondBr; self.raw, condition.raw(), yes.raw(), no.raw()))
    }

    /// A jump by value; `cases` are constants of the value's type.
    pub fn switch(
        &self,
        value: Value<'c>,
        otherwise: Block<'c>,
        cases: &[(Value<'c>, Block<'c>)],
    ) -> Value<'c> {
        let switch = llvm!(c::LLVMBuildSwitch; self.raw, value.raw(), otherwise.raw(), count(cases.len()));
        for (case, block) in cases {
            llvm!(c::LLVMAddCase; switch, case.raw(), block.raw());
        }
        Value::from_raw(switch)
    }

    /// Returns a value.
    pub fn return_value(&self, value: Value<'c>) -> Value<'c> {
        Value::from_raw(llvm!(c::LLVMBuildRet; self.raw, value.raw()))
    }

    /// Returns nothing.
    pub fn return_void(&self) -> Value<'c> {
        Value::from_raw(llvm!(c::LLVMBuildRetVoid; self.raw))
    }

    /// A PHI node without incoming pairs.
    pub fn phi(&self, ty: Type<'c>, name: &str) -> Value<'c> {
        Value::from_raw(llvm!(c::LLVMBuildPhi; self.raw, ty.raw(), c_name(name).as_ptr()))
    }

    /// A call.
    pub fn call(&self, function: Function<'c>, arguments: &[Value<'c>], name: &str) -> Value<'c> {
        let mut raw: Vec<LLVMValueRef> = arguments.iter().map(|argument| argument.raw()).collect();
        let length = count(raw.len());
        let name = if function.result().is_void() { c_name("") } else { c_name(name) };
        let ty = function.ty().raw();
        Value::from_raw(llvm!(
            c::LLVMBuildCall2; self.raw, ty, function.raw(), raw.as_mut_ptr(), length, name.as_ptr()
        ))
    }

    /// A call of an LLVM intrinsic, overloaded for `types`; `None` if LLVM has none of that name.
    pub fn intrinsic(
        &self,
        intrinsic: &str,
        types: &[Type<'c>],
        arguments: &[Value<'c>],
        name: &str,
    ) -> Option<Value<'c>> {
        let id = llvm!(c::LLVMLookupIntrinsicID; intrinsic.as_ptr().cast(), intrinsic.len());
        if id == 0 {
            return None;
        }
        let mut raw: Vec<_> = types.iter().map(|ty| ty.raw()).collect();
        let module = self.block().function().module_raw();
        let declared = llvm!(c::LLVMGetIntrinsicDeclaration; module, id, raw.as_mut_ptr(), types.len());
        Some(self.call(Function::from_raw(declared), arguments, name))
    }

    /// One lane of a vector.
    pub fn extract_lane(&self, vector: Value<'c>, lane: Value<'c>, name: &str) -> Value<'c> {
        let name = c_name(name);
        Value::from_raw(llvm!(c::LLVMBuildExtractElement; self.raw, vector.raw(), lane.raw(), name.as_ptr()))
    }

    /// A vector with one lane replaced.
    pub fn insert_lane(&self, vector: Value<'c>, value: Value<'c>, lane: Value<'c>, name: &str) -> Value<'c> {
        let name = c_name(name);
        Value::from_raw(llvm!(
            c::LLVMBuildInsertElement; self.raw, vector.raw(), value.raw(), lane.raw(), name.as_ptr()
        ))
    }

    /// The lanes of two vectors in the order of `mask`; -1 is "any".
    pub fn shuffle(&self, first: Value<'c>, second: Value<'c>, mask: &[i32], name: &str) -> Value<'c> {
        let i32_type = self.types.i32();
        let lanes: Vec<Value<'c>> = mask
            .iter()
            .map(|&lane| if lane < 0 { i32_type.poison() } else { i32_type.int(i64::from(lane)) })
            .collect();
        let mask = self.types.const_vector(&lanes);
        let name = c_name(name);
        Value::from_raw(llvm!(
            c::LLVMBuildShuffleVector; self.raw, first.raw(), second.raw(), mask.raw(), name.as_ptr()
        ))
    }

    /// A vector with the same scalar in every lane.
    pub fn splat(&self, scalar: Value<'c>, lanes: u32, name: &str) -> Value<'c> {
        if scalar.is_constant() {
            return self.types.const_vector(&vec![scalar; lanes as usize]);
        }
        let poison = scalar.ty().vector(lanes).poison();
        let first = self.insert_lane(poison, scalar, self.i64(0), name);
        self.shuffle(first, poison, &vec![0; lanes as usize], name)
    }

    /// A field of an aggregate.
    pub fn extract_field(&self, aggregate: Value<'c>, index: u32, name: &str) -> Value<'c> {
        let name = c_name(name);
        Value::from_raw(llvm!(c::LLVMBuildExtractValue; self.raw, aggregate.raw(), index, name.as_ptr()))
    }

    /// An aggregate with one field replaced.
    pub fn insert_field(&self, aggregate: Value<'c>, value: Value<'c>, index: u32, name: &str) -> Value<'c> {
        let name = c_name(name);
        Value::from_raw(
            llvm!(c::LLVMBuildInsertValue; self.raw, aggregate.raw(), value.raw(), index, name.as_ptr()),
        )
    }

    /// A copy of an instruction, operands, flags and metadata included; the caller replaces the operands.
    pub fn insert_clone(&self, instruction: Value<'c>) -> Value<'c> {
        debug_assert!(instruction.is_instruction());
        let copy = llvm!(c::LLVMInstructionClone; instruction.raw());
        let name = if instruction.ty().is_void() { c_name("") } else { c_name(&instruction.name()) };
        llvm!(c::LLVMInsertIntoBuilderWithName; self.raw, copy, name.as_ptr());
        Value::from_raw(copy)
    }
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        llvm!(c::LLVMDisposeBuilder; self.raw);
    }
}

impl fmt::Debug for Builder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Builder")
    }
}
