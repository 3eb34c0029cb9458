//! Elements that are taken out of OpenCL vectors which numbers were put into: coordinates of pixels mostly, `at + (int2)(x, y)`.
//!
//! A vector has one shape among lanes. Of the coordinates of a pixel one grows by one from lane to lane and the other is the same for
//! all lanes of a row; in one vector both differ, and each read of a pixel is a gather. So what is computed of vectors element by element,
//! and is only taken out again, is computed of the elements.
//!
//! In and out: a kernel before its analyses. Nothing is done where an element comes from memory, a parameter, a call or a loop's
//! variable: real vectors stay vectors. Vectors that nobody else uses are dead afterwards.

use oxcl_ir::{Builder, Function, Opcode, TypeKind, Value};
use std::collections::HashMap;

/// Operations between an element that is taken out and what was put in, at most.
const DEEPEST: u32 = 12;

/// Rewrites the elements that a kernel takes out of vectors.
pub(crate) fn take_out(kernel: Function<'_>) {
    let mut made = HashMap::new();
    for extract in kernel.instructions() {
        if !extract.is(Opcode::LLVMExtractElement) {
            continue;
        }
        let vector = extract.operand(0);
        let Some(index) = index_of(extract.operand(1)) else { continue };
        // Others would need the vector all the same.
        let is_taken_apart = |user: &Value<'_>| user.is(Opcode::LLVMExtractElement);
        if operation(vector) && vector.users().iter().all(is_taken_apart) && is_put_in(vector, index, DEEPEST)
        {
            let element = element(vector, index, &mut made);
            extract.replace_uses_with(element);
        }
    }
}

fn index_of(value: Value<'_>) -> Option<u32> {
    value.as_int().and_then(|index| u32::try_from(index).ok())
}

/// LLVM's functions of elements that coordinates are computed with.
const INTRINSICS: [&str; 6] =
    ["llvm.floor", "llvm.fmuladd", "llvm.smax", "llvm.smin", "llvm.umax", "llvm.umin"];

/// Such a function that a value is a call of.
fn intrinsic(value: Value<'_>) -> Option<&'static str> {
    let callee = value.callee().filter(|_| value.is(Opcode::LLVMCall))?.name();
    INTRINSICS.into_iter().find(|name| callee.strip_prefix(name).is_some_and(|rest| rest.starts_with(".v")))
}

/// Whether a value is computed element by element of others. Divisions may be inexact, which their elements would not know.
fn operation(value: Value<'_>) -> bool {
    match value.opcode() {
        Some(Opcode::LLVMSelect | Opcode::LLVMFNeg) => true,
        Some(Opcode::LLVMCall) => intrinsic(value).is_some(),
        Some(Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast | Opcode::LLVMFDiv | Opcode::LLVMFRem)
        | None => false,
        _ => value.is_instruction() && (value.is_binary_operation() || value.is_conversion()),
    }
}

/// The elements that a vector has.
fn length(value: Value<'_>) -> u32 {
    match value.ty().kind() {
        TypeKind::Vector(length) => length,
        _ => 0,
    }
}

/// Where an element of a shuffle comes from; `None`: from nowhere.
fn source<'c>(shuffle: Value<'c>, index: u32) -> Option<(Value<'c>, u32)> {
    let from = u32::try_from(*shuffle.shuffle_mask().get(index as usize)?).ok()?;
    let first = length(shuffle.operand(0));
    Some(if from < first { (shuffle.operand(0), from) } else { (shuffle.operand(1), from - first) })
}

/// Whether an element is made of numbers that were put in.
fn is_put_in(vector: Value<'_>, index: u32, depth: u32) -> bool {
    if depth == 0 || index >= length(vector) {
        return false;
    }
    match vector.opcode() {
        _ if vector.is_constant() => vector.constant_element(index).is_some(),
        Some(Opcode::LLVMInsertElement) => match index_of(vector.operand(2)) {
            Some(at) => at == index || is_put_in(vector.operand(0), index, depth - 1),
            None => false,
        },
        Some(Opcode::LLVMShuffleVector) => {
            source(vector, index).is_none_or(|(from, at)| is_put_in(from, at, depth - 1))
        }
        _ => {
            let is_there = |operand: Value<'_>| length(operand) == 0 || is_put_in(operand, index, depth - 1);
            operation(vector) && taken(vector).into_iter().all(is_there)
        }
    }
}

/// What an operation computes with.
fn taken(operation: Value<'_>) -> Vec<Value<'_>> {
    if operation.is(Opcode::LLVMCall) { operation.arguments() } else { operation.operands() }
}

/// What an element is, made where the vector is.
fn element<'c>(vector: Value<'c>, index: u32, made: &mut HashMap<(Value<'c>, u32), Value<'c>>) -> Value<'c> {
    if length(vector) == 0 {
        // A condition that decides for all elements.
        return vector;
    }
    if let Some(constant) = vector.constant_element(index) {
        return constant;
    }
    if let Some(&known) = made.get(&(vector, index)) {
        return known;
    }
    let own = match vector.opcode() {
        Some(Opcode::LLVMInsertElement) if index_of(vector.operand(2)) == Some(index) => vector.operand(1),
        Some(Opcode::LLVMInsertElement) => element(vector.operand(0), index, made),
        Some(Opcode::LLVMShuffleVector) => match source(vector, index) {
            Some((from, at)) => element(from, at, made),
            None => vector.ty().scalar().poison(),
        },
        _ => {
            let operands: Vec<Value<'c>> =
                taken(vector).into_iter().map(|operand| element(operand, index, made)).collect();
            let b = Builder::before(vector);
            let name = vector.name();
            let own = match vector.opcode() {
                Some(Opcode::LLVMSelect) => b.select(operands[0], operands[1], operands[2], &name),
                Some(Opcode::LLVMFNeg) => b.float_negate(operands[0], &name),
                Some(Opcode::LLVMCall) => {
                    let ty = vector.ty().scalar();
                    let made = intrinsic(vector).and_then(|of| b.intrinsic(of, &[ty], &operands, &name));
                    made.unwrap_or_else(|| ty.poison())
                }
                Some(opcode) if vector.is_conversion() => {
                    b.cast(opcode, operands[0], vector.ty().scalar(), &name)
                }
                Some(opcode) => b.binary(opcode, operands[0], operands[1], &name),
                None => return vector,
            };
            if own.is_instruction() {
                own.copy_flags(vector);
            }
            own
        }
    };
    made.insert((vector, index), own);
    own
}
