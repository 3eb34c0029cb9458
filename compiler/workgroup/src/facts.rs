//! What a kernel does with its parameters: facts for the runtime.
//!
//! In: a prepared kernel, barriers still in place.

use crate::Facts;
use crate::prepare::Prepared;
use crate::sub_groups::is_meeting;
use crate::workitem::{Query, dimension, is_barrier, range_of_small};
use oxcl_binary::meta::{Access, AccessBound, ArgFacts};
use oxcl_ir::access::{PRINT, accesses};
use oxcl_ir::affine::{Forms, Id};
use oxcl_ir::cfg::Cfg;
use oxcl_ir::{Opcode, TypeKind, Value};

/// Bounds that are kept for one parameter at most; a kernel of more is generated, and the first say enough.
const BOUNDS: usize = 32;

/// Collects the facts of a kernel.
pub(crate) fn collect(kernel: &Prepared<'_, '_>) -> Facts {
    let found = accesses(kernel.function);
    let bounds = bounds(kernel);
    let args = kernel
        .function
        .parameters()
        .iter()
        .zip(&found.parameters)
        .zip(bounds)
        .zip(0_u32..)
        .map(|(((parameter, access), bounds), index)| {
            let is_value = !matches!(parameter.ty().kind(), TypeKind::Pointer(_))
                || kernel.function.by_value(index).is_some();
            let access = match (access.read, access.write) {
                _ if is_value => Access::None,
                (false, false) => Access::None,
                (true, false) => Access::Read,
                (false, true) => Access::Write,
                (true, true) => Access::ReadWrite,
            };
            // What is accessed through an image's parameter is its description.
            let has_bounds = !is_value && kernel.function.image_parameter(index).is_none();
            ArgFacts { access, bounds: if has_bounds { bounds } else { Vec::new() } }
        })
        .collect();
    let instructions = kernel.function.instructions();
    Facts {
        args,
        opaque: found.opaque,
        globals: found.globals,
        printf: instructions.iter().any(|&call| is_printf(call)),
        barrier: instructions.iter().any(|&call| is_barrier(call)),
        sub_groups: instructions.iter().any(|&call| is_meeting(call)),
        any_groups: !instructions.iter().any(|&call| is_of_group(call)),
        columns: false,
    }
}

/// Whether a call's result or effect depends on which work-items make a group. Calls that touch nothing of that kind may be
/// left; all others were inlined.
fn is_of_group(call: Value<'_>) -> bool {
    is_barrier(call) || is_meeting(call) || Query::of(call).is_some_and(Query::is_of_group)
}

fn is_printf(call: Value<'_>) -> bool {
    call.callee().is_some_and(|callee| callee.name().starts_with(PRINT))
}

/// The id that a call asks for.
pub(crate) fn id_of(call: Value<'_>) -> Option<Id> {
    let query = Query::of(call)?;
    let dimension = usize::try_from(dimension(call)?).ok().filter(|&d| d < 3)?;
    match query {
        Query::GlobalId => Some(Id::Global(dimension)),
        Query::LocalId => Some(Id::Local(dimension)),
        Query::GroupId => Some(Id::Group(dimension)),
        _ => None,
    }
}

/// The accesses that every work-item certainly makes, parameter by parameter.
fn bounds(kernel: &Prepared<'_, '_>) -> Vec<Vec<AccessBound>> {
    let cfg = Cfg::of(kernel.function);
    let forms = Forms::of(kernel.function, kernel.layout, &id_of, &range_of_small);
    let mut all: Vec<Vec<AccessBound>> = vec![Vec::new(); kernel.function.parameters().len()];
    for &block in &cfg.order {
        if !cfg.post_dominates(block, 0) {
            continue;
        }
        for access in cfg.blocks[block].instructions() {
            let (pointer, ty) = match access.opcode() {
                Some(Opcode::LLVMLoad) => (access.operand(0), access.ty()),
                Some(Opcode::LLVMStore) => (access.operand(1), access.operand(0).ty()),
                Some(Opcode::LLVMAtomicRMW) => (access.operand(0), access.ty()),
                _ => continue,
            };
            let Some((parameter, form)) = forms.address(pointer) else { continue };
            let bound = AccessBound {
                constant: form.constant,
                global: form.global,
                local: form.local,
                group: form.group,
                bytes: kernel.layout.store_size(ty),
                line: access.line(),
            };
            let known = &mut all[parameter];
            let again = known.iter().any(|other| AccessBound { line: bound.line, ..other.clone() } == bound);
            if !again && known.len() < BOUNDS {
                known.push(bound);
            }
        }
    }
    all
}
