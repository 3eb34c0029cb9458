//! What a module still lacks: symbols that are declared and used, but not defined. Decides which builtins are linked,
//! and names what nothing defines.

use oxcl_builtins::{MACHINE_OPERATIONS, QUESTIONS};
use oxcl_ir::Module;
use oxcl_ir::inkwell::values::BasicValue;

use crate::error::CompileError;

/// Built-in functions that the later stages define, by the beginning of their mangled names.
const LOWERED_LATER: [&str; 21] = [
    "_Z13get_global_id",
    "_Z12get_local_id",
    "_Z12get_group_id",
    "_Z14get_num_groups",
    "_Z14get_local_size",
    "_Z15get_global_size",
    "_Z17get_global_offset",
    "_Z12get_work_dim",
    "_Z20get_global_linear_id",
    "_Z19get_local_linear_id",
    "_Z23get_enqueued_local_size",
    "_Z7barrier",
    "_Z18work_group_barrier",
    "_Z9mem_fence",
    "_Z14read_mem_fence",
    "_Z15write_mem_fence",
    "_Z22atomic_work_item_fence",
    "llvm.",
    "oxcl_memory_ranges",
    "oxcl_print_block",
    "oxcl_sub_group_",
];

/// Whether a later stage defines a symbol.
fn is_lowered_later(symbol: &str) -> bool {
    let operations = MACHINE_OPERATIONS.iter().map(|operation| &operation.prefix);
    LOWERED_LATER.iter().chain(&QUESTIONS).chain(operations).any(|start| symbol.starts_with(start))
}

/// The names of the functions and variables that `module` declares, uses and does not define, in its order.
pub(crate) fn undefined(module: &Module<'_>) -> Vec<String> {
    let functions = module.get_functions().filter(|f| {
        f.count_basic_blocks() == 0 && f.as_global_value().as_pointer_value().get_first_use().is_some()
    });
    let mut names: Vec<String> = functions.map(|f| f.get_name().to_string_lossy().into_owned()).collect();
    names.extend(
        module
            .get_globals()
            .filter(|g| g.is_declaration() && g.as_pointer_value().get_first_use().is_some())
            .map(|g| g.get_name().to_string_lossy().into_owned()),
    );
    names
}

/// Fails if `module` still lacks something that no later stage defines; `linked` knows what the linker does.
pub(crate) fn check(module: &Module<'_>, linked: impl Fn(&str) -> bool) -> Result<(), CompileError> {
    let mut builtin = Vec::new();
    let mut own = Vec::new();
    for symbol in undefined(module) {
        if is_lowered_later(&symbol) || linked(&symbol) {
            continue;
        }
        match source_name(&symbol) {
            Some(name) => builtin.push(name),
            None => own.push(symbol),
        }
    }
    for list in [&mut builtin, &mut own] {
        list.sort_unstable();
        list.dedup();
    }
    if !own.is_empty() {
        return Err(CompileError::Undefined { symbols: own });
    }
    if !builtin.is_empty() {
        return Err(CompileError::NotYet { symbols: builtin });
    }
    Ok(())
}

/// The name inside an Itanium-mangled one. OpenCL C functions of users are not mangled, built-in overloads are.
fn source_name(symbol: &str) -> Option<String> {
    let rest = symbol.strip_prefix("_Z")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    let length: usize = rest[..digits].parse().ok()?;
    rest.get(digits..digits + length).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::source_name;

    #[test]
    fn mangled_names_are_read() {
        assert_eq!(source_name("_Z4sqrtf").as_deref(), Some("sqrt"));
        assert_eq!(source_name("_Z12convert_int4Dv4_f").as_deref(), Some("convert_int4"));
        assert_eq!(source_name("helper"), None);
        assert_eq!(source_name("_Z99x"), None);
    }
}
