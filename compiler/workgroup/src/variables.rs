//! Variables at program scope that the program's kernels share.
//!
//! In: a prepared kernel, and the offsets that the whole program agrees on. Out: the same kernel, in which every use of
//! such a variable is a direct operand of an instruction, and the list of those used. The body takes their addresses
//! from the context.

use crate::Options;
use crate::prepare::Prepared;
use oxcl_ir::Value;
use oxcl_ir::module as ir_module;

/// A variable that the kernel uses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variable<'c> {
    pub(crate) variable: Value<'c>,
    /// Its place in the program's memory.
    pub(crate) offset: u64,
}

/// The offset of a module's variable, if it is one of these.
pub(crate) fn offset_of(variable: Value<'_>, options: &Options) -> Option<u64> {
    let name = variable.name();
    options.variables.iter().find(|(known, _)| *known == name).map(|(_, offset)| *offset)
}

/// Finds the shared variables that a kernel uses, in the module's order.
pub(crate) fn collect<'c>(kernel: &Prepared<'_, 'c>, options: &Options) -> Vec<Variable<'c>> {
    let mut found = Vec::new();
    if options.variables.is_empty() {
        return found;
    }
    for variable in ir_module::globals(kernel.module) {
        let Some(offset) = offset_of(variable, options) else { continue };
        ir_module::expand_constant_users(variable, kernel.function);
        let own = |user: &Value<'c>| user.block().is_some_and(|block| block.function() == kernel.function);
        if variable.users().iter().any(own) {
            found.push(Variable { variable, offset });
        }
    }
    found
}
