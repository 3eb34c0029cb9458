//! Making instructions. Every operation folds constants as LLVM's builder does, so a result need not be an
//! instruction.
//!
//! On entry: operands that are live, of the types that the operation wants, and of the function that the builder is in (or
//! constants of its module). Anything else is a panic, as is a builder whose place was deleted.

use crate::check::{fail, fits, raw_of};
use crate::function::{Block, Function};
use crate::raw::{
    c_name, llvm, oxcl_ir_are_usable, oxcl_ir_field_type, oxcl_ir_intrinsic, oxcl_ir_is_valid_binary,
    oxcl_ir_is_valid_call, oxcl_ir_is_valid_cast, oxcl_ir_is_valid_comparison, oxcl_ir_is_valid_extract,
    oxcl_ir_is_valid_gep, oxcl_ir_is_valid_insert, oxcl_ir_is_valid_select, oxcl_ir_is_valid_shuffle,
};
use crate::types::{Type, TypeKind, Types};
use crate::value::Value;
use inkwell::llvm_sys::core as c;
use inkwell::llvm_sys::prelude::{LLVMBuilderRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMIntPredicate, LLVMOpcode, LLVMRealPredicate};
use std::cell::Cell;
use std::fmt;

/// Where a builder adds instructions.
#[derive(Clone, Copy)]
enum Place<'c> {
    End(Block<'c>),
    Before(Value<'c>),
}

/// A place in a function where instructions are added.
pub struct Builder<'c> {
    raw: LLVMBuilderRef,
    types: Types<'c>,
    place: Cell<Option<Place<'c>>>,
}

fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl<'c> Builder<'c> {
    /// A builder without a place yet.
    #[must_use]
    pub fn new(types: Types<'c>) -> Self {
        let raw = llvm!(c::LLVMCreateBuilderInContext; types.raw());
        Builder { raw, types, place: Cell::new(None) }
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
        fits(instruction.block().is_some(), "a place before what is not an instruction of a block");
        let builder = Builder::new(instruction.types());
        llvm!(c::LLVMPositionBuilderBefore; builder.raw, instruction.raw());
        builder.place.set(Some(Place::Before(instruction)));
        builder
    }

    /// The context's types.
    #[must_use]
    pub fn types(&self) -> Types<'c> {
        self.types
    }

    /// Goes on at the end of a block.
    pub fn position_at_end(&self, block: Block<'c>) {
        fits(block.function().types() == self.types, "a block of another context");
        llvm!(c::LLVMPositionBuilderAtEnd; self.raw, block.raw());
        self.place.set(Some(Place::End(block)));
    }

    /// The block that instructions are added to.
    ///
    /// # Panics
    /// Where the builder has no place yet, or the place was deleted.
    #[must_use]
    pub fn block(&self) -> Block<'c> {
        match self.place.get() {
            Some(Place::End(block)) => block,
            Some(Place::Before(instruction)) => {
                instruction.block().unwrap_or_else(|| fail("the place of the builder is in no block"))
            }
            None => fail("the builder has no place yet"),
        }
    }

    /// LLVM's builder, at its place, for an instruction that uses `operands`.
    fn with<const N: usize>(&self, operands: [Value<'c>; N]) -> LLVMBuilderRef {
        self.with_all(&mut operands.map(Value::raw))
    }

    fn with_all(&self, operands: &mut [LLVMValueRef]) -> LLVMBuilderRef {
        let block = self.block().raw();
        // The block may have been split since: LLVM's builder would take the old one's part for the place.
        if let Some(Place::Before(instruction)) = self.place.get()
            && llvm!(c::LLVMGetInsertBlock; self.raw) != block
        {
            llvm!(c::LLVMPositionBuilderBefore; self.raw, instruction.raw());
        }
        let usable = llvm!(oxcl_ir_are_usable; block, operands.as_mut_ptr(), operands.len());
        fits(usable, "an operand belongs to another function, module or context");
        self.raw
    }

    /// A 64-bit constant.
    #[must_use]
    pub fn i64(&self, value: i64) -> Value<'c> {
        self.types.i64().int(value)
    }

    /// An operation on two values of one type.
    pub fn binary(&self, opcode: LLVMOpcode, left: Value<'c>, right: Value<'c>, name: &str) -> Value<'c> {
        let valid = |floats| llvm!(oxcl_ir_is_valid_binary; left.raw(), right.raw(), floats);
        fits(binary_on_floats(opcode).is_some_and(valid), "operands of an operation on two values");
        let name = c_name(name);
        let b = self.with([left, right]);
        Value::from_raw(llvm!(c::LLVMBuildBinOp; b, opcode, left.raw(), right.raw(), name.as_ptr()))
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
        fits(llvm!(oxcl_ir_is_valid_binary; value.raw(), value.raw(), true), "the operand of a negation");
        let b = self.with([value]);
        Value::from_raw(llvm!(c::LLVMBuildFNeg; b, value.raw(), c_name(name).as_ptr()))
    }

    /// A value that is not poison.
    pub fn freeze(&self, value: Value<'c>, name: &str) -> Value<'c> {
        fits(value.ty().can_be_used(), "the operand of freeze");
        let b = self.with([value]);
        Value::from_raw(llvm!(c::LLVMBuildFreeze; b, value.raw(), c_name(name).as_ptr()))
    }

    /// A conversion.
    pub fn cast(&self, opcode: LLVMOpcode, value: Value<'c>, ty: Type<'c>, name: &str) -> Value<'c> {
        fits(llvm!(oxcl_ir_is_valid_cast; opcode, value.raw(), ty.raw()), "a conversion");
        let name = c_name(name);
        let b = self.with([value]);
        Value::from_raw(llvm!(c::LLVMBuildCast; b, opcode, value.raw(), ty.raw(), name.as_ptr()))
    }

    /// A comparison of integers or pointers.
    pub fn compare(
        &self,
        predicate: LLVMIntPredicate,
        left: Value<'c>,
        right: Value<'c>,
        name: &str,
    ) -> Value<'c> {
        let valid = llvm!(oxcl_ir_is_valid_comparison; left.raw(), right.raw(), false);
        fits(valid, "operands of a comparison");
        let name = c_name(name);
        let b = self.with([left, right]);
        Value::from_raw(llvm!(c::LLVMBuildICmp; b, predicate, left.raw(), right.raw(), name.as_ptr()))
    }

    /// A comparison of floating-point values.
    pub fn compare_float(
        &self,
        predicate: LLVMRealPredicate,
        left: Value<'c>,
        right: Value<'c>,
        name: &str,
    ) -> Value<'c> {
        let valid = llvm!(oxcl_ir_is_valid_comparison; left.raw(), right.raw(), true);
        fits(valid, "operands of a comparison");
        let name = c_name(name);
        let b = self.with([left, right]);
        Value::from_raw(llvm!(c::LLVMBuildFCmp; b, predicate, left.raw(), right.raw(), name.as_ptr()))
    }

    /// `condition ? yes : no`, for the whole or lane by lane.
    pub fn select(&self, condition: Value<'c>, yes: Value<'c>, no: Value<'c>, name: &str) -> Value<'c> {
        let valid = llvm!(oxcl_ir_is_valid_select; condition.raw(), yes.raw(), no.raw());
        fits(valid, "operands of a selection");
        let name = c_name(name);
        let b = self.with([condition, yes, no]);
        Value::from_raw(llvm!(c::LLVMBuildSelect; b, condition.raw(), yes.raw(), no.raw(), name.as_ptr()))
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
        let mut raw = raw_of(indices);
        let valid = llvm!(oxcl_ir_is_valid_gep; element.raw(), pointer.raw(), raw.as_mut_ptr(), raw.len());
        fits(valid && element.types() == self.types, "operands of an address");
        self.with([pointer]);
        let b = self.with_all(&mut raw);
        let length = count(raw.len());
        let name = c_name(name);
        Value::from_raw(llvm!(
            c::LLVMBuildGEPWithNoWrapFlags;
            b, element.raw(), pointer.raw(), raw.as_mut_ptr(), length, name.as_ptr(), flags
        ))
    }

    /// `pointer + offset` bytes, within one object.
    pub fn byte_offset(&self, pointer: Value<'c>, offset: Value<'c>, name: &str) -> Value<'c> {
        let mut raw = [offset.raw()];
        let name = c_name(name);
        let byte = self.types.i8().raw();
        let valid = llvm!(oxcl_ir_is_valid_gep; byte, pointer.raw(), raw.as_mut_ptr(), 1);
        fits(valid, "operands of an address");
        let b = self.with([pointer, offset]);
        Value::from_raw(llvm!(
            c::LLVMBuildInBoundsGEP2; b, byte, pointer.raw(), raw.as_mut_ptr(), 1, name.as_ptr()
        ))
    }

    /// A load.
    pub fn load(&self, ty: Type<'c>, pointer: Value<'c>, alignment: u32, name: &str) -> Value<'c> {
        fits(pointer.ty().is_pointer() && self.is_in_memory(ty), "a load of this type");
        let name = c_name(name);
        let b = self.with([pointer]);
        let load = Value::from_raw(llvm!(c::LLVMBuildLoad2; b, ty.raw(), pointer.raw(), name.as_ptr()));
        load.set_alignment(alignment);
        load
    }

    /// A store.
    pub fn store(&self, value: Value<'c>, pointer: Value<'c>, alignment: u32) -> Value<'c> {
        fits(pointer.ty().is_pointer() && self.is_in_memory(value.ty()), "a store of this type");
        let b = self.with([value, pointer]);
        let store = Value::from_raw(llvm!(c::LLVMBuildStore; b, value.raw(), pointer.raw()));
        store.set_alignment(alignment);
        store
    }

    /// Memory on the stack for one value.
    pub fn alloca(&self, ty: Type<'c>, name: &str) -> Value<'c> {
        fits(self.is_in_memory(ty), "memory of this type");
        let b = self.with([]);
        Value::from_raw(llvm!(c::LLVMBuildAlloca; b, ty.raw(), c_name(name).as_ptr()))
    }

    /// Memory on the stack for as many values as `length` says.
    pub fn array_alloca(&self, ty: Type<'c>, length: Value<'c>, name: &str) -> Value<'c> {
        let valid = self.is_in_memory(ty) && matches!(length.ty().kind(), TypeKind::Int(_));
        fits(valid, "memory of this type and length");
        let name = c_name(name);
        let b = self.with([length]);
        Value::from_raw(llvm!(c::LLVMBuildArrayAlloca; b, ty.raw(), length.raw(), name.as_ptr()))
    }

    /// Copies bytes.
    pub fn copy_memory(&self, to: Value<'c>, from: Value<'c>, alignment: u32, bytes: u64) -> Value<'c> {
        fits(to.ty().is_pointer() && from.ty().is_pointer(), "the ends of a copy");
        fits(alignment == 0 || alignment.is_power_of_two(), "an alignment");
        let size = self.i64(bytes.cast_signed());
        let b = self.with([to, from]);
        Value::from_raw(llvm!(
            c::LLVMBuildMemCpy; b, to.raw(), alignment, from.raw(), alignment, size.raw()
        ))
    }

    /// A jump.
    pub fn branch(&self, to: Block<'c>) -> Value<'c> {
        let b = self.with([to.value()]);
        Value::from_raw(llvm!(c::LLVMBuildBr; b, to.raw()))
    }

    /// A conditional jump.
    pub fn conditional_branch(&self, condition: Value<'c>, yes: Block<'c>, no: Block<'c>) -> Value<'c> {
        fits(condition.ty().kind() == TypeKind::Int(1), "the condition of a branch");
        let b = self.with([condition, yes.value(), no.value()]);
        Value::from_raw(llvm!(c::LLVMBuildCondBr; b, condition.raw(), yes.raw(), no.raw()))
    }

    /// A jump by value; `cases` are constants of the value's type.
    pub fn switch(
        &self,
        value: Value<'c>,
        otherwise: Block<'c>,
        cases: &[(Value<'c>, Block<'c>)],
    ) -> Value<'c> {
        fits(matches!(value.ty().kind(), TypeKind::Int(_)), "the value of a switch");
        let mut blocks: Vec<LLVMValueRef> = cases.iter().map(|(_, block)| block.value().raw()).collect();
        self.with_all(&mut blocks);
        let b = self.with([value, otherwise.value()]);
        let switch = llvm!(c::LLVMBuildSwitch; b, value.raw(), otherwise.raw(), count(cases.len()));
        for (case, block) in cases {
            fits(case.is_constant_int() && case.ty() == value.ty(), "a case of a switch");
            llvm!(c::LLVMAddCase; switch, case.raw(), block.raw());
        }
        Value::from_raw(switch)
    }

    /// Returns a value.
    pub fn return_value(&self, value: Value<'c>) -> Value<'c> {
        fits(self.block().function().result() == value.ty(), "what the function returns");
        let b = self.with([value]);
        Value::from_raw(llvm!(c::LLVMBuildRet; b, value.raw()))
    }

    /// Returns nothing.
    pub fn return_void(&self) -> Value<'c> {
        fits(self.block().function().result().is_void(), "what the function returns");
        Value::from_raw(llvm!(c::LLVMBuildRetVoid; self.with([])))
    }

    /// A PHI node without incoming pairs.
    pub fn phi(&self, ty: Type<'c>, name: &str) -> Value<'c> {
        fits(ty.can_be_used() && ty.types() == self.types, "the type of a PHI node");
        let b = self.with([]);
        Value::from_raw(llvm!(c::LLVMBuildPhi; b, ty.raw(), c_name(name).as_ptr()))
    }

    /// A call.
    pub fn call(&self, function: Function<'c>, arguments: &[Value<'c>], name: &str) -> Value<'c> {
        let mut raw = raw_of(arguments);
        let valid = llvm!(oxcl_ir_is_valid_call; function.ty().raw(), raw.as_mut_ptr(), raw.len());
        fits(valid, "arguments of a call");
        self.with([function.value()]);
        let b = self.with_all(&mut raw);
        let length = count(raw.len());
        let name = if function.result().is_void() { c_name("") } else { c_name(name) };
        let ty = function.ty().raw();
        Value::from_raw(llvm!(
            c::LLVMBuildCall2; b, ty, function.raw(), raw.as_mut_ptr(), length, name.as_ptr()
        ))
    }

    /// A call of an LLVM intrinsic, overloaded for `types`; `None` if LLVM has none of that name
    /// for these types.
    pub fn intrinsic(
        &self,
        intrinsic: &str,
        types: &[Type<'c>],
        arguments: &[Value<'c>],
        name: &str,
    ) -> Option<Value<'c>> {
        let mut raw: Vec<_> = types.iter().map(|ty| ty.raw()).collect();
        let module = self.block().function().module_raw();
        let declared = llvm!(
            oxcl_ir_intrinsic;
            module, intrinsic.as_ptr().cast(), intrinsic.len(), raw.as_mut_ptr(), types.len()
        );
        if declared.is_null() {
            return None;
        }
        Some(self.call(Function::from_raw(declared), arguments, name))
    }

    /// One lane of a vector.
    pub fn extract_lane(&self, vector: Value<'c>, lane: Value<'c>, name: &str) -> Value<'c> {
        fits(llvm!(oxcl_ir_is_valid_extract; vector.raw(), lane.raw()), "a lane of a vector");
        let name = c_name(name);
        let b = self.with([vector, lane]);
        Value::from_raw(llvm!(c::LLVMBuildExtractElement; b, vector.raw(), lane.raw(), name.as_ptr()))
    }

    /// A vector with one lane replaced.
    pub fn insert_lane(&self, vector: Value<'c>, value: Value<'c>, lane: Value<'c>, name: &str) -> Value<'c> {
        fits(llvm!(oxcl_ir_is_valid_insert; vector.raw(), value.raw(), lane.raw()), "a lane of a vector");
        let name = c_name(name);
        let b = self.with([vector, value, lane]);
        Value::from_raw(llvm!(
            c::LLVMBuildInsertElement; b, vector.raw(), value.raw(), lane.raw(), name.as_ptr()
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
        let valid = llvm!(oxcl_ir_is_valid_shuffle; first.raw(), second.raw(), mask.raw());
        fits(valid, "the operands of a shuffle");
        let name = c_name(name);
        let b = self.with([first, second]);
        Value::from_raw(llvm!(
            c::LLVMBuildShuffleVector; b, first.raw(), second.raw(), mask.raw(), name.as_ptr()
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
        fits(!llvm!(oxcl_ir_field_type; aggregate.raw(), index).is_null(), "a field of an aggregate");
        let name = c_name(name);
        let b = self.with([aggregate]);
        Value::from_raw(llvm!(c::LLVMBuildExtractValue; b, aggregate.raw(), index, name.as_ptr()))
    }

    /// An aggregate with one field replaced.
    pub fn insert_field(&self, aggregate: Value<'c>, value: Value<'c>, index: u32, name: &str) -> Value<'c> {
        let field = llvm!(oxcl_ir_field_type; aggregate.raw(), index);
        fits(field == value.ty().raw(), "a field of an aggregate");
        let name = c_name(name);
        let b = self.with([aggregate, value]);
        Value::from_raw(llvm!(c::LLVMBuildInsertValue; b, aggregate.raw(), value.raw(), index, name.as_ptr()))
    }

    /// A copy of an instruction of the same module, operands, flags and metadata included; the caller replaces the
    /// operands. A function cannot be deleted while a copy still uses what is in it.
    pub fn insert_clone(&self, instruction: Value<'c>) -> Value<'c> {
        let source = instruction.block().map(|block| block.function().module_raw());
        fits(source == Some(self.block().function().module_raw()), "a copy of an instruction of this module");
        let b = self.with([]);
        let copy = llvm!(c::LLVMInstructionClone; instruction.raw());
        let name = if instruction.ty().is_void() { c_name("") } else { c_name(&instruction.name()) };
        llvm!(c::LLVMInsertIntoBuilderWithName; b, copy, name.as_ptr());
        Value::from_raw(copy)
    }

    fn is_in_memory(&self, ty: Type<'c>) -> bool {
        ty.can_be_used() && ty.is_sized() && ty.types() == self.types
    }
}

/// Whether an operation on two values is one of floating-point numbers; `None` if it is no such operation.
fn binary_on_floats(opcode: LLVMOpcode) -> Option<bool> {
    match opcode {
        LLVMOpcode::LLVMFAdd
        | LLVMOpcode::LLVMFSub
        | LLVMOpcode::LLVMFMul
        | LLVMOpcode::LLVMFDiv
        | LLVMOpcode::LLVMFRem => Some(true),
        LLVMOpcode::LLVMAdd
        | LLVMOpcode::LLVMSub
        | LLVMOpcode::LLVMMul
        | LLVMOpcode::LLVMUDiv
        | LLVMOpcode::LLVMSDiv
        | LLVMOpcode::LLVMURem
        | LLVMOpcode::LLVMSRem
        | LLVMOpcode::LLVMShl
        | LLVMOpcode::LLVMLShr
        | LLVMOpcode::LLVMAShr
        | LLVMOpcode::LLVMAnd
        | LLVMOpcode::LLVMOr
        | LLVMOpcode::LLVMXor => Some(false),
        _ => None,
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
