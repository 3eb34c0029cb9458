//! Handing PoCL what a kernel has printed. In: a builder at the end of PoCL's entry, after the work-group, and the context.
//! Out: the same builder in a block in which the records are printed and the buffer is empty.
//!
//! PoCL since version 7 has a function that prints one record, and where it was built to print at once, which is its default,
//! it looks into the buffer at no other time. Older ones and those that were built otherwise have no such function, or read
//! the buffer themselves: then nothing happens here. So the function is named weakly.

use oxcl_binary::abi::{PRINT_SIZE_SHIFT, PoclContext112};
use oxcl_ir::{Builder, Function, IntPredicate, Module, Opcode, Value};
use std::mem::offset_of;

/// PoCL's function: the address of a record, and its size.
const PRINT: &str = "pocl_flush_printf_buffer";

/// Prints the records of the group that has just run.
pub(crate) fn print<'c>(b: &Builder<'c>, module: &Module<'c>, context: Value<'c>) {
    let types = b.types();
    let (pointer, int) = (types.pointer(0), types.i32());
    let print = Function::find(module, PRINT).unwrap_or_else(|| {
        let print = Function::add(module, PRINT, types.function(types.void(), &[pointer, int]));
        print.set_weak();
        print
    });
    let function = b.block().function();
    let block = |name: &str| function.append_block(name);
    let (begin, next, record, end, done) =
        (block("print"), block("print.next"), block("print.record"), block("print.end"), block("printed"));
    let absent = b.compare(IntPredicate::LLVMIntEQ, print.value(), pointer.zero(), "");
    b.conditional_branch(absent, done, begin);

    b.position_at_end(begin);
    let field = |offset: usize| b.load(pointer, b.byte_offset(context, b.i64(offset as i64), ""), 8, "");
    let buffer = field(offset_of!(PoclContext112, printf_buffer));
    let position = field(offset_of!(PoclContext112, printf_buffer_position));
    let used = b.load(int, position, 4, "used");
    b.branch(next);

    b.position_at_end(next);
    let at = b.phi(int, "at");
    at.add_incoming(int.int(0), begin);
    let more = b.compare(IntPredicate::LLVMIntULT, at, used, "");
    b.conditional_branch(more, record, end);

    b.position_at_end(record);
    let address = b.byte_offset(buffer, b.cast(Opcode::LLVMZExt, at, types.i64(), ""), "");
    let shift = int.int(i64::from(PRINT_SIZE_SHIFT));
    let size = b.binary(Opcode::LLVMLShr, b.load(int, address, 1, ""), shift, "size");
    b.call(print, &[address, size], "");
    at.add_incoming(b.add(at, size, ""), record);
    b.branch(next);

    b.position_at_end(end);
    b.store(int.int(0), position, 4);
    b.branch(done);
    b.position_at_end(done);
}
