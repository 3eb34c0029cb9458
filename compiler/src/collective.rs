//! The local memory of work-group functions.
//!
//! In: a program with its builtins linked. Out: the same, in which `oxcl_collective_memory` gives a block of local memory
//! with eight bytes for each work-item that a group can have. It is a `__local` variable like any other from here on: a
//! kernel that reaches no work-group function has none.

use oxcl_binary::abi::MAX_ALIGNMENT;
use oxcl_ir::module as ir_module;
use oxcl_ir::{Builder, Function, Module, Place};

use crate::pack::MAX_GROUP;

/// Address space of `__local`.
const LOCAL: u32 = 3;

/// Bytes of the largest value that a work-group function takes.
const VALUE: u64 = 8;

/// Defines the function where the program calls it.
pub(crate) fn lower(module: &Module<'_>) {
    let Some(function) = Function::find(module, "oxcl_collective_memory").filter(|f| f.is_declaration())
    else {
        return;
    };
    let types = function.types();
    let bytes = types.i8().array(MAX_GROUP * VALUE);
    let memory = ir_module::add_undefined(module, "oxcl_collective", bytes, LOCAL, MAX_ALIGNMENT as u32);
    function.set_internal(true);
    function.add_attribute(Place::Function, "alwaysinline");
    Builder::at_end(function.append_block("entry")).return_value(memory);
}
