//! Where the variables at program scope lie: one block of memory that all kernels of the program share.
//!
//! In: the whole program, linked. Out: an offset for each variable that a kernel may write, and for each constant that is
//! bound to such a variable by a pointer in an initial value, either way; and what the block holds at first. All other
//! constants stay in the kernels' code.

use oxcl_binary::abi::MAX_ALIGNMENT;
use oxcl_binary::meta::{InitialPointer, InitialValue, ProgramVariables};
use oxcl_ir::module::{self as ir_module, Layout};
use oxcl_ir::{Module, Value};

use crate::error::CompileError;
use crate::names::shown;

/// Address space of `__local`.
const LOCAL: u32 = 3;

/// The variables of a program.
#[derive(Debug, Default, Clone)]
pub(crate) struct Variables {
    /// Their names and offsets.
    pub(crate) offsets: Vec<(String, u64)>,
    /// What the block holds at first; none where there are no variables.
    pub(crate) initial: Option<ProgramVariables>,
}

/// A variable of the module, read.
struct Global<'c> {
    variable: Value<'c>,
    bytes: Vec<u8>,
    pointers: Vec<ir_module::InitialPointer<'c>>,
}

/// Lays out the variables of a program.
///
/// # Errors
/// An initial value is one that no compiler can know.
pub(crate) fn lay_out(module: &Module<'_>) -> Result<Variables, CompileError> {
    let layout = Layout::of(module);
    let mut globals = Vec::new();
    for variable in ir_module::globals(module) {
        let of_llvm = variable.name().starts_with("llvm.");
        if ir_module::global_space(variable) == LOCAL || of_llvm {
            continue;
        }
        match ir_module::initial_bytes(variable, layout) {
            Some((bytes, pointers)) => globals.push(Global { variable, bytes, pointers }),
            // A constant may hold what only a linker knows; it stays where it is.
            None if ir_module::is_constant_global(variable) => {}
            None => return Err(CompileError::InitialValue { variable: shown(&variable.name()).to_owned() }),
        }
    }
    let mut shared: Vec<bool> =
        globals.iter().map(|global| !ir_module::is_constant_global(global.variable)).collect();
    while let Some(next) = bound_to_shared(&globals, &shared) {
        shared[next] = true;
    }
    let mut offsets: Vec<(Value<'_>, u64)> = Vec::new();
    let mut bytes = 0_u64;
    for (global, _) in globals.iter().zip(&shared).filter(|(_, shared)| **shared) {
        let ty = ir_module::global_type(global.variable);
        let alignment = layout.alignment(ty).max(ir_module::global_alignment(global.variable)).max(1);
        let alignment = u64::from(alignment).min(MAX_ALIGNMENT as u64);
        let offset = bytes.next_multiple_of(alignment);
        offsets.push((global.variable, offset));
        // No two variables share an address, not even empty ones.
        bytes = offset + (global.bytes.len() as u64).max(1);
    }
    if offsets.is_empty() {
        return Ok(Variables::default());
    }
    let offset_of = |variable: Value<'_>| {
        offsets.iter().find(|(known, _)| *known == variable).map_or(0, |(_, offset)| *offset)
    };
    let mut initial = ProgramVariables { bytes, ..ProgramVariables::default() };
    for (global, _) in globals.iter().zip(&shared).filter(|(_, shared)| **shared) {
        let start = offset_of(global.variable);
        if let Some(last) = global.bytes.iter().rposition(|byte| *byte != 0) {
            initial.values.push(InitialValue::new(start, &global.bytes[..=last]));
        }
        for pointer in &global.pointers {
            initial.pointers.push(InitialPointer {
                offset: start + pointer.offset,
                target: offset_of(pointer.target).wrapping_add_signed(pointer.added),
            });
        }
    }
    let offsets = offsets.into_iter().map(|(variable, offset)| (variable.name(), offset)).collect();
    Ok(Variables { offsets, initial: Some(initial) })
}

/// A constant that points to a shared variable, or that one points to.
fn bound_to_shared(globals: &[Global<'_>], shared: &[bool]) -> Option<usize> {
    let number = |variable: Value<'_>| globals.iter().position(|global| global.variable == variable);
    globals.iter().enumerate().find_map(|(index, global)| {
        let targets = || global.pointers.iter().filter_map(|pointer| number(pointer.target));
        if shared[index] {
            targets().find(|target| !shared[*target])
        } else {
            targets().any(|target| shared[target]).then_some(index)
        }
    })
}
