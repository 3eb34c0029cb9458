//! Types: one handle for all kinds, so that passes stay generic over them.

use crate::check::{fail, fits, raw_of};
use crate::context::Context;
use crate::raw::{llvm, owned_text, oxcl_ir_type_uses};
use crate::value::Value;
use inkwell::llvm_sys::LLVMTypeKind;
use inkwell::llvm_sys::core as c;
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMTypeRef};
use std::fmt;
use std::marker::PhantomData;

/// What kind of type a [`Type`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypeKind {
    /// No value.
    Void,
    /// An integer of this many bits.
    Int(u32),
    /// A binary floating-point number of any format.
    Float,
    /// A pointer into this address space.
    Pointer(u32),
    /// A vector of this many elements.
    Vector(u32),
    /// An array of this many elements.
    Array(u64),
    /// A structure of this many fields.
    Struct(u32),
    /// Anything else: labels, metadata, scalable vectors, functions.
    Other,
}

/// A type of LLVM's IR.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Type<'c> {
    raw: LLVMTypeRef,
    context: PhantomData<&'c Context>,
}

impl<'c> Type<'c> {
    pub(crate) fn from_raw(raw: LLVMTypeRef) -> Self {
        Type { raw, context: PhantomData }
    }

    pub(crate) fn raw(self) -> LLVMTypeRef {
        self.raw
    }

    /// The context, for making further types.
    #[must_use]
    pub fn types(self) -> Types<'c> {
        Types { raw: llvm!(c::LLVMGetTypeContext; self.raw), context: PhantomData }
    }

    /// The kind.
    #[must_use]
    pub fn kind(self) -> TypeKind {
        match llvm!(c::LLVMGetTypeKind; self.raw) {
            LLVMTypeKind::LLVMVoidTypeKind => TypeKind::Void,
            LLVMTypeKind::LLVMIntegerTypeKind => TypeKind::Int(llvm!(c::LLVMGetIntTypeWidth; self.raw)),
            LLVMTypeKind::LLVMHalfTypeKind
            | LLVMTypeKind::LLVMFloatTypeKind
            | LLVMTypeKind::LLVMDoubleTypeKind
            | LLVMTypeKind::LLVMBFloatTypeKind
            | LLVMTypeKind::LLVMX86_FP80TypeKind
            | LLVMTypeKind::LLVMFP128TypeKind => TypeKind::Float,
            LLVMTypeKind::LLVMPointerTypeKind => {
                TypeKind::Pointer(llvm!(c::LLVMGetPointerAddressSpace; self.raw))
            }
            LLVMTypeKind::LLVMVectorTypeKind => TypeKind::Vector(llvm!(c::LLVMGetVectorSize; self.raw)),
            LLVMTypeKind::LLVMArrayTypeKind => TypeKind::Array(llvm!(c::LLVMGetArrayLength2; self.raw)),
            LLVMTypeKind::LLVMStructTypeKind => {
                TypeKind::Struct(llvm!(c::LLVMCountStructElementTypes; self.raw))
            }
            _ => TypeKind::Other,
        }
    }

    /// The element type of a vector or an array.
    #[must_use]
    pub fn element(self) -> Option<Type<'c>> {
        match self.kind() {
            TypeKind::Vector(_) | TypeKind::Array(_) => {
                Some(Type::from_raw(llvm!(c::LLVMGetElementType; self.raw)))
            }
            _ => None,
        }
    }

    /// The type of field `index` of a structure.
    #[must_use]
    pub fn field(self, index: u32) -> Option<Type<'c>> {
        match self.kind() {
            TypeKind::Struct(count) if index < count => {
                Some(Type::from_raw(llvm!(c::LLVMStructGetTypeAtIndex; self.raw, index)))
            }
            _ => None,
        }
    }

    /// The scalar type of a vector, else the type itself.
    #[must_use]
    pub fn scalar(self) -> Type<'c> {
        match self.kind() {
            TypeKind::Vector(_) => self.element().unwrap_or(self),
            _ => self,
        }
    }

    /// An integer, a floating-point number or a pointer.
    #[must_use]
    pub fn is_scalar(self) -> bool {
        matches!(self.kind(), TypeKind::Int(_) | TypeKind::Float | TypeKind::Pointer(_))
    }

    fn may(self, use_: u32) -> bool {
        llvm!(oxcl_ir_type_uses; self.raw) & use_ != 0
    }

    /// A value can have the type.
    pub(crate) fn can_be_used(self) -> bool {
        self.may(1)
    }

    /// The type has a size.
    #[must_use]
    pub fn is_sized(self) -> bool {
        self.may(2)
    }

    pub(crate) fn is_function(self) -> bool {
        self.may(32)
    }

    /// A pointer, into whatever address space.
    #[must_use]
    pub fn is_pointer(self) -> bool {
        matches!(self.kind(), TypeKind::Pointer(_))
    }

    /// No value.
    #[must_use]
    pub fn is_void(self) -> bool {
        self.kind() == TypeKind::Void
    }

    /// A vector of `lanes` of this scalar type.
    #[must_use]
    pub fn vector(self, lanes: u32) -> Type<'c> {
        fits(self.may(4) && lanes > 0, "the elements of a vector");
        Type::from_raw(llvm!(c::LLVMVectorType; self.raw, lanes))
    }

    /// An array of `count` of this type.
    #[must_use]
    pub fn array(self, count: u64) -> Type<'c> {
        fits(self.may(8), "the elements of an array");
        Type::from_raw(llvm!(c::LLVMArrayType2; self.raw, count))
    }

    /// The zero of this type.
    #[must_use]
    pub fn zero(self) -> Value<'c> {
        fits(self.can_be_used(), "the zero of a type that has no values");
        Value::from_raw(llvm!(c::LLVMConstNull; self.raw))
    }

    /// A value that may be anything and must not be used.
    #[must_use]
    pub fn poison(self) -> Value<'c> {
        fits(self.can_be_used(), "the poison of a type that has no values");
        Value::from_raw(llvm!(c::LLVMGetPoison; self.raw))
    }

    /// An integer constant (sign-extended or cut to the width) of an integer type or, in every lane, of a vector.
    #[must_use]
    pub fn int(self, value: i64) -> Value<'c> {
        match self.kind() {
            TypeKind::Vector(lanes) => {
                let one = self.scalar().int(value);
                let mut all = vec![one.raw(); lanes as usize];
                Value::from_raw(llvm!(c::LLVMConstVector; all.as_mut_ptr(), lanes))
            }
            TypeKind::Int(_) => Value::from_raw(llvm!(c::LLVMConstInt; self.raw, value.cast_unsigned(), 1)),
            _ => fail("an integer of a type that has none"),
        }
    }
}

impl fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&owned_text(llvm!(c::LLVMPrintTypeToString; self.raw)))
    }
}

impl fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Where types come from: a context.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Types<'c> {
    raw: LLVMContextRef,
    context: PhantomData<&'c Context>,
}

impl<'c> Types<'c> {
    /// The types of a context.
    #[must_use]
    pub fn of(context: &'c Context) -> Self {
        Types { raw: context.raw(), context: PhantomData }
    }

    pub(crate) fn from_raw(raw: LLVMContextRef) -> Self {
        Types { raw, context: PhantomData }
    }

    pub(crate) fn raw(self) -> LLVMContextRef {
        self.raw
    }

    /// An integer type of `bits` bits.
    #[must_use]
    pub fn int(self, bits: u32) -> Type<'c> {
        fits((1..=1 << 23).contains(&bits), "the bits of an integer");
        Type::from_raw(llvm!(c::LLVMIntTypeInContext; self.raw, bits))
    }

    /// `i1`.
    #[must_use]
    pub fn bool(self) -> Type<'c> {
        self.int(1)
    }

    /// `i64`.
    #[must_use]
    pub fn i64(self) -> Type<'c> {
        self.int(64)
    }

    /// `i32`.
    #[must_use]
    pub fn i32(self) -> Type<'c> {
        self.int(32)
    }

    /// `i8`.
    #[must_use]
    pub fn i8(self) -> Type<'c> {
        self.int(8)
    }

    /// `float`.
    #[must_use]
    pub fn float(self) -> Type<'c> {
        Type::from_raw(llvm!(c::LLVMFloatTypeInContext; self.raw()))
    }

    /// `double`.
    #[must_use]
    pub fn double(self) -> Type<'c> {
        Type::from_raw(llvm!(c::LLVMDoubleTypeInContext; self.raw()))
    }

    /// No value.
    #[must_use]
    pub fn void(self) -> Type<'c> {
        Type::from_raw(llvm!(c::LLVMVoidTypeInContext; self.raw))
    }

    /// A pointer into an address space.
    #[must_use]
    pub fn pointer(self, space: u32) -> Type<'c> {
        Type::from_raw(llvm!(c::LLVMPointerTypeInContext; self.raw, space))
    }

    /// An anonymous structure.
    #[must_use]
    pub fn structure(self, fields: &[Type<'c>]) -> Type<'c> {
        fits(fields.iter().all(|field| field.may(8) && field.types() == self), "the fields of a structure");
        let mut raw: Vec<LLVMTypeRef> = fields.iter().map(|field| field.raw).collect();
        let count = u32::try_from(raw.len()).unwrap_or(u32::MAX);
        Type::from_raw(llvm!(c::LLVMStructTypeInContext; self.raw, raw.as_mut_ptr(), count, 0))
    }

    /// A function type.
    #[must_use]
    pub fn function(self, result: Type<'c>, parameters: &[Type<'c>]) -> Type<'c> {
        let known = |ty: &Type<'c>| ty.can_be_used() && ty.types() == self;
        fits(result.may(16) && result.types() == self, "what a function returns");
        fits(parameters.iter().all(known), "the parameters of a function");
        let mut raw: Vec<LLVMTypeRef> = parameters.iter().map(|parameter| parameter.raw).collect();
        let count = u32::try_from(raw.len()).unwrap_or(u32::MAX);
        Type::from_raw(llvm!(c::LLVMFunctionType; result.raw, raw.as_mut_ptr(), count, 0))
    }

    /// A constant vector.
    #[must_use]
    pub fn const_vector(self, elements: &[Value<'c>]) -> Value<'c> {
        let ty = elements.first().map(|first| first.ty());
        let same = elements.iter().all(|element| element.is_constant() && Some(element.ty()) == ty);
        let valid = same && ty.is_some_and(|ty| ty.may(4) && ty.types() == self);
        fits(valid, "the elements of a vector");
        let mut raw = raw_of(elements);
        let count = u32::try_from(raw.len()).unwrap_or(u32::MAX);
        Value::from_raw(llvm!(c::LLVMConstVector; raw.as_mut_ptr(), count))
    }

    /// A constant array of elements of one type.
    #[must_use]
    pub fn const_array(self, element: Type<'c>, elements: &[Value<'c>]) -> Value<'c> {
        let same = elements.iter().all(|value| value.is_constant() && value.ty() == element);
        fits(same && element.may(8) && element.types() == self, "the elements of an array");
        let mut raw = raw_of(elements);
        Value::from_raw(llvm!(c::LLVMConstArray2; element.raw(), raw.as_mut_ptr(), elements.len() as u64))
    }

    /// A constant anonymous structure.
    #[must_use]
    pub fn const_struct(self, fields: &[Value<'c>]) -> Value<'c> {
        let known = |field: &Value<'c>| {
            let ty = field.ty();
            field.is_constant() && ty.may(8) && ty.types() == self
        };
        fits(fields.iter().all(known), "the fields of a structure");
        let mut raw = raw_of(fields);
        let count = u32::try_from(raw.len()).unwrap_or(u32::MAX);
        Value::from_raw(llvm!(c::LLVMConstStructInContext; self.raw, raw.as_mut_ptr(), count, 0))
    }
}

impl fmt::Debug for Types<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Types")
    }
}
