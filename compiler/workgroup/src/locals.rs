//! Kernel-scope `__local` variables become hidden arguments.
//!
//! In: a prepared kernel. Out: the same kernel, in which every use of such a variable is a direct operand of an
//! instruction, and the list of the variables in declaration order. The body takes a pointer for each; the launchers
//! read them from `args[num_args + i]`.

use crate::prepare::Prepared;
use crate::space;
use oxcl_ir::Value;
use oxcl_ir::module as ir_module;

/// A `__local` variable that the kernel uses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Local<'c> {
    pub(crate) variable: Value<'c>,
    pub(crate) size: u64,
}

/// Finds the `__local` variables of a kernel, in declaration order.
pub(crate) fn collect<'c>(kernel: &Prepared<'_, 'c>) -> Vec<Local<'c>> {
    let mut locals = Vec::new();
    for variable in ir_module::globals(kernel.module) {
        if ir_module::global_space(variable) != space::LOCAL {
            continue;
        }
        ir_module::expand_constant_users(variable, kernel.function);
        let used = variable
            .users()
            .iter()
            .any(|user| user.block().is_some_and(|block| block.function() == kernel.function));
        if used {
            let size = kernel.layout.size(ir_module::global_type(variable));
            locals.push(Local { variable, size });
        }
    }
    locals
}
