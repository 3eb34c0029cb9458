//! Names of the program's own functions and variables.
//!
//! In: a program as the front end made it, linked with others or not. Out: the same, in which every function and variable
//! that it defines, kernels aside, has a name that no library knows: what the program calls `free`, `memcpy` or `sqrt` is
//! neither the C library's, which launchers and the code generator call, nor one that LLVM thinks it knows. Declarations
//! that nothing uses are gone, for their names are as free as their types.
//!
//! Kernels keep the names that they are found by until each has a module of its own. Compiled objects and libraries keep
//! all names: others are linked with them. Messages show names as the program has them ([`shown`]).

use oxcl_frontend::{KERNEL_BODY_PREFIX, kernels};
use oxcl_ir::module::globals;
use oxcl_ir::{Function, Module};
use oxcl_workgroup::PROGRAM_NAMES;

/// Gives the program's own functions and variables names of their own.
pub(crate) fn set_apart(module: &Module<'_>) {
    let exported: Vec<String> = kernels(module).into_iter().map(|kernel| kernel.name).collect();
    for function in Function::all(module) {
        let name = function.name();
        if function.is_declaration() {
            if !function.is_intrinsic() && function.value().users().is_empty() {
                function.delete();
            }
        } else if !exported.contains(&name) && !is_apart(&name) {
            function.value().set_name(&format!("{PROGRAM_NAMES}{name}"));
        }
    }
    for variable in globals(module) {
        let name = variable.name();
        if !name.is_empty() && !is_apart(&name) && !oxcl_ir::module::is_declared_global(variable) {
            variable.set_name(&format!("{PROGRAM_NAMES}{name}"));
        }
    }
}

/// A name as the program has it.
pub(crate) fn shown(name: &str) -> &str {
    name.strip_prefix(PROGRAM_NAMES).unwrap_or(name)
}

/// Whether a name is no library's: no name of C has a dot in it, and the front end's own prefix is reserved.
fn is_apart(name: &str) -> bool {
    name.contains('.') || name.starts_with(KERNEL_BODY_PREFIX)
}
