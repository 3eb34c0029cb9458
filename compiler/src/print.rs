//! Calls of printf become records in the launch's print buffer (`oxcl_binary::abi::PrintBlock`).
//!
//! In: a program from the front end. Out: the same, without calls of variable arguments: for each call of printf a
//! function of its own, `oxcl_print.N`, which takes the arguments, asks the library's `oxcl_print_reserve` for room and
//! stores them. Formatting is for the host. A format that is no string literal is refused, as OpenCL C demands one; its
//! conversions are only looked at to tell strings from other pointers. On 32-bit devices records are in global memory and
//! have no doubles.

use oxcl_binary::abi::{PRINT_DOUBLES, PRINT_FLOATS, PRINT_FORMAT_POINTER, PRINT_SIZE_SHIFT};
use oxcl_frontend::Bits;
use oxcl_ir::access::PRINT;
use oxcl_ir::module::{self as ir_module, Layout};
use oxcl_ir::{Builder, Function, IntPredicate, Module, Opcode, Type, TypeKind, Value};

use crate::error::CompileError;

/// The calling convention of the front end's functions.
pub(crate) const SPIR_FUNCTION: u32 = 75;

/// Where a launch prints to; answered when work-groups are formed.
const BLOCK: &str = "oxcl_print_block";

/// How an argument is stored.
#[derive(Debug, Clone, Copy)]
enum Stored<'c> {
    /// As an integer of 64 bits.
    Integer,
    /// As a double.
    Double,
    /// As a float, in the first half of eight bytes.
    Float,
    /// As the address.
    Pointer,
    /// The text and its terminating zero.
    Text,
    /// So many elements of this type, in this many bytes.
    Elements { count: u32, bytes: u64, element: Type<'c> },
}

/// Replaces every call of printf in `module`.
///
/// # Errors
/// A format is no string literal, or an argument has a type that cannot be printed.
pub(crate) fn lower<'c>(module: &Module<'c>, bits: Bits) -> Result<(), CompileError> {
    let Some(printf) = Function::find(module, "printf").filter(|function| function.is_declaration()) else {
        return Ok(());
    };
    let calls = printf.value().users().into_iter().filter(|user| user.is(Opcode::LLVMCall));
    let mut calls: Vec<Value<'c>> = calls.filter(|call| call.callee() == Some(printf)).collect();
    // The list of users begins with the last one.
    calls.reverse();
    for (number, call) in calls.into_iter().enumerate() {
        let recorder = recorder(module, number, call, bits)?;
        let b = Builder::before(call);
        let block = declare(module, BLOCK, b.types().pointer(space(bits)), &[]);
        let place = b.call(block, &[], "");
        place.set_call_convention(SPIR_FUNCTION);
        let mut arguments = vec![place];
        arguments.extend(call.arguments());
        let result = b.call(recorder, &arguments, "");
        call.replace_uses_with(result);
        call.erase();
    }
    Ok(())
}

/// The address space that records are in.
fn space(bits: Bits) -> u32 {
    match bits {
        Bits::Bits32 => 1,
        Bits::Bits64 => 0,
    }
}

/// A function of the library, as declared in the module.
fn declare<'c>(module: &Module<'c>, name: &str, result: Type<'c>, parameters: &[Type<'c>]) -> Function<'c> {
    Function::find(module, name).unwrap_or_else(|| {
        let function = Function::add(module, name, result.types().function(result, parameters));
        function.set_convention(SPIR_FUNCTION);
        function
    })
}

fn library_call<'c>(
    module: &Module<'c>,
    b: &Builder<'c>,
    name: &str,
    result: Type<'c>,
    arguments: &[Value<'c>],
) -> Value<'c> {
    let types: Vec<Type<'c>> = arguments.iter().map(|argument| argument.ty()).collect();
    let call = b.call(declare(module, name, result, &types), arguments, "");
    call.set_call_convention(SPIR_FUNCTION);
    call
}

/// Defines the function that records what `call` prints: it takes the block and the call's arguments, and gives what
/// printf does.
fn recorder<'c>(
    module: &Module<'c>,
    number: usize,
    call: Value<'c>,
    bits: Bits,
) -> Result<Function<'c>, CompileError> {
    let line = call.line();
    let arguments = call.arguments();
    let format = arguments.first().and_then(|format| literal(*format));
    let format = format.ok_or(CompileError::PrintfFormat { line })?;
    let is_text = texts(&format);
    let layout = Layout::of(module);
    let plan = arguments[1..].iter().enumerate().map(|(index, argument)| {
        let text = is_text.get(index).copied().unwrap_or(false);
        let stored = stored(layout, argument.ty(), text, bits);
        stored.ok_or(CompileError::PrintfArgument { position: index + 1, line })
    });
    let plan = plan.collect::<Result<Vec<_>, _>>()?;

    let types = ir_module::types(module);
    let records = types.pointer(space(bits));
    let mut parameters = vec![records];
    parameters.extend(arguments.iter().map(|argument| argument.ty()));
    let function =
        Function::add(module, &format!("{PRINT}.{number}"), types.function(types.i32(), &parameters));
    function.set_internal(true);
    function.add_attribute(oxcl_ir::Place::Function, "noinline");
    function.add_attribute(oxcl_ir::Place::Function, "nounwind");
    let own = function.parameters();
    let b = Builder::at_end(function.append_block("entry"));

    // The word in front and the format's address, then the arguments.
    let fixed: u64 = 4 + 8 + plan.iter().map(|stored| stored.bytes()).sum::<u64>();
    let mut size = types.i32().int(fixed.cast_signed());
    for (stored, &value) in plan.iter().zip(&own[2..]) {
        if matches!(stored, Stored::Text) {
            let text = in_constant(&b, value);
            let length = library_call(module, &b, "oxcl_print_length", types.i32(), &[text]);
            size = b.add(size, length, "size");
        }
    }
    let room = library_call(module, &b, "oxcl_print_reserve", records, &[own[0], size]);
    let (full, fill) = (function.append_block("full"), function.append_block("fill"));
    let none = b.compare(IntPredicate::LLVMIntEQ, room, records.zero(), "");
    b.conditional_branch(none, full, fill);
    b.position_at_end(full);
    b.return_value(types.i32().int(-1));
    b.position_at_end(fill);
    let shifted = b.binary(Opcode::LLVMShl, size, types.i32().int(i64::from(PRINT_SIZE_SHIFT)), "");
    let floats = if bits == Bits::Bits32 { PRINT_FLOATS } else { PRINT_DOUBLES };
    let flags = types.i32().int(i64::from(PRINT_FORMAT_POINTER | floats));
    b.store(b.or(shifted, flags, ""), room, 1);
    let mut at = b.byte_offset(room, b.i64(4), "");
    let address = b.cast(Opcode::LLVMPtrToInt, own[1], types.i64(), "");
    b.store(address, at, 1);
    at = b.byte_offset(at, b.i64(8), "");
    for (stored, &value) in plan.iter().zip(&own[2..]) {
        at = stored.store(module, &b, value, at);
    }
    b.return_value(types.i32().zero());
    Ok(function)
}

/// A pointer to a string as the library takes it.
fn in_constant<'c>(b: &Builder<'c>, text: Value<'c>) -> Value<'c> {
    let ty = b.types().pointer(2);
    if text.ty() == ty { text } else { b.cast(Opcode::LLVMAddrSpaceCast, text, ty, "") }
}

fn stored<'c>(layout: Layout<'_>, ty: Type<'c>, is_text: bool, bits: Bits) -> Option<Stored<'c>> {
    Some(match ty.kind() {
        TypeKind::Int(_) => Stored::Integer,
        TypeKind::Float if bits == Bits::Bits32 => Stored::Float,
        TypeKind::Float => Stored::Double,
        TypeKind::Pointer(_) if is_text => Stored::Text,
        TypeKind::Pointer(_) => Stored::Pointer,
        TypeKind::Vector(count) => {
            let element = ty.element()?;
            if matches!(element.kind(), TypeKind::Pointer(_)) {
                return None;
            }
            let room = if count == 3 { 4 } else { count };
            let bytes = (u64::from(room) * layout.size(element)).max(8);
            Stored::Elements { count, bytes, element }
        }
        _ => return None,
    })
}

impl<'c> Stored<'c> {
    /// Bytes of it in the record, but for a text, whose length only run time knows.
    fn bytes(self) -> u64 {
        match self {
            Stored::Integer | Stored::Double | Stored::Float | Stored::Pointer => 8,
            Stored::Text => 0,
            Stored::Elements { bytes, .. } => bytes,
        }
    }

    /// Stores `value` at `at`; gives the place behind it.
    fn store(self, module: &Module<'c>, b: &Builder<'c>, value: Value<'c>, at: Value<'c>) -> Value<'c> {
        let types = b.types();
        match self {
            Stored::Text => {
                let text = in_constant(b, value);
                return library_call(module, b, "oxcl_print_string", at.ty(), &[at, text]);
            }
            Stored::Integer => {
                let wide = if value.ty() == types.i64() {
                    value
                } else {
                    b.cast(Opcode::LLVMZExt, value, types.i64(), "")
                };
                b.store(wide, at, 1);
            }
            Stored::Double => {
                let double = types.double();
                let wide =
                    if value.ty() == double { value } else { b.cast(Opcode::LLVMFPExt, value, double, "") };
                b.store(wide, at, 1);
            }
            Stored::Float => {
                // A half as well: the width of a float is what the host reads.
                let float = types.float();
                let single =
                    if value.ty() == float { value } else { b.cast(Opcode::LLVMFPExt, value, float, "") };
                let bits = b.cast(Opcode::LLVMBitCast, single, types.i32(), "");
                b.store(b.cast(Opcode::LLVMZExt, bits, types.i64(), ""), at, 1);
            }
            Stored::Pointer => {
                let address = b.cast(Opcode::LLVMPtrToInt, value, types.i64(), "");
                b.store(address, at, 1);
            }
            Stored::Elements { count, bytes, element } => {
                // The host reads no further than the elements; what fills up is zero all the same.
                for offset in (0..bytes).step_by(8) {
                    b.store(types.i64().zero(), b.byte_offset(at, b.i64(offset.cast_signed()), ""), 1);
                }
                let size = Layout::of(module).size(element).cast_signed();
                for index in 0..i64::from(count) {
                    let lane = b.extract_lane(value, b.i64(index), "");
                    b.store(lane, b.byte_offset(at, b.i64(index * size), ""), 1);
                }
            }
        }
        b.byte_offset(at, b.i64(self.bytes().cast_signed()), "")
    }
}

/// The text that a pointer constant leads to.
fn literal(mut pointer: Value<'_>) -> Option<Vec<u8>> {
    while pointer.is_constant_expression() && pointer.opcode() == Some(Opcode::LLVMAddrSpaceCast) {
        pointer = pointer.operand(0);
    }
    if pointer.is_global_variable() { ir_module::constant_text(pointer) } else { None }
}

/// For each argument that a format takes, whether its conversion is `%s`.
fn texts(format: &[u8]) -> Vec<bool> {
    let mut found = Vec::new();
    let mut rest = format.iter();
    while let Some(&byte) = rest.next() {
        if byte != b'%' {
            continue;
        }
        // Flags, width, precision, vector and length come before the conversion.
        let conversion = rest.find(|byte| !b"-+ #0123456789.vhlzt".contains(byte));
        match conversion {
            Some(b'%') | None => {}
            Some(conversion) => found.push(*conversion == b's'),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::texts;

    #[test]
    fn strings_are_told_from_other_arguments() {
        assert_eq!(texts(b"%d %s %%%-10.3s|%v4hld %p%"), [false, true, true, false, false]);
        assert_eq!(texts(b"100%% %"), [false; 0]);
    }
}
