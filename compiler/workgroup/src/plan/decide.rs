//! What each value's form is and how each instruction is made.
//!
//! In: a plan with its shapes and chunks. Out: the plan with [`Form`]s and [`How`]s. A shape says what a value could be; its
//! form is that only if what it is computed from has such a form, too: what is made lane by lane is a vector even if all
//! lanes come to the same.

use super::forced::form_of_forced;
use super::strides::{Step, Steps, Variable};
use super::{Form, How, Plan};
use crate::collectives;
use crate::emit::{WideForm, is_componentwise, is_dense, is_marker, is_simple_access, varying_index};
use crate::guards::is_test;
use crate::prepare::Prepared;
use crate::regions::Regions;
use crate::workitem::Query;
use oxcl_ir::shape::Shape;
use oxcl_ir::{Opcode, TypeKind, Value};

/// Fills forms and hows.
pub(super) fn decide<'c>(plan: &mut Plan<'c>, kernel: &Prepared<'_, 'c>, regions: &Regions<'c>) {
    let cfg = &regions.cfg;
    // Forms only fall, from uniform or strided to vectors, so this ends.
    loop {
        let mut changed = false;
        for &block in &cfg.order {
            for instruction in cfg.blocks[block].instructions() {
                changed |= one(plan, kernel, regions, block, instruction);
            }
        }
        if !changed {
            return;
        }
    }
}

/// Decides about one instruction; gives whether that is news.
fn one<'c>(
    plan: &mut Plan<'c>,
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    block: usize,
    instruction: Value<'c>,
) -> bool {
    if instruction.is_terminator() || is_marker(instruction) {
        return false;
    }
    let shape = plan.shapes.as_ref().map_or(Shape::Uniform, |shapes| shapes.of(instruction));
    let (how, form) = if instruction.is_phi() {
        (How::Once, phi(plan, instruction, shape))
    } else if let Some(allocated) = instruction.allocated() {
        let whole =
            || kernel.layout.size(allocated).next_multiple_of(u64::from(instruction.alignment().max(1)));
        let bytes = plan.woven(instruction).map_or_else(whole, |weave| weave.grain);
        (How::Once, Form::Strided(bytes.cast_signed()))
    } else {
        instruction_form(plan, kernel, regions, block, instruction, shape)
    };
    let (how, form) = match plan.forced.get(&instruction) {
        Some(&forced) if forced != how => (forced, form_of_forced(forced, shape, instruction.ty().is_void())),
        _ => (how, form),
    };
    let news = plan.hows.insert(instruction, how) != Some(how);
    if instruction.ty().is_void() {
        return news;
    }
    plan.forms.insert(instruction, form) != Some(form) || news
}

fn phi<'c>(plan: &Plan<'c>, phi: Value<'c>, shape: Shape) -> Form {
    let wanted = form_of(shape);
    let incoming = phi.incoming();
    let fits = incoming.iter().all(|(value, _)| {
        let form = plan.form(*value);
        let known = !value.is_instruction() || plan.forms.contains_key(value);
        // What was not met yet is taken to be what the shape says.
        !known || form == wanted || value.is_undef()
    });
    if fits { wanted } else { Form::Vector }
}

fn form_of(shape: Shape) -> Form {
    match shape {
        Shape::Uniform => Form::Uniform,
        Shape::Strided(stride) => Form::Strided(stride.step),
        Shape::Varying => Form::Vector,
    }
}

fn instruction_form<'c>(
    plan: &Plan<'c>,
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    block: usize,
    instruction: Value<'c>,
    shape: Shape,
) -> (How, Form) {
    if Query::of(instruction).is_some() {
        let known = instruction.arguments().first().is_none_or(|&asked| plan.form(asked) == Form::Uniform);
        return (How::Query, if known { form_of(shape) } else { Form::Vector });
    }
    if is_test(instruction) {
        return (How::Test, Form::Uniform);
    }
    if collectives::is_call(instruction) {
        return (How::Collective, form_of(shape));
    }
    let operands = match instruction.opcode() {
        Some(Opcode::LLVMCall) => instruction.arguments(),
        _ => instruction.operands(),
    };
    let forms: Vec<Form> = operands.iter().map(|&operand| plan.form(operand)).collect();
    let all_uniform = forms.iter().all(|form| *form == Form::Uniform);
    let effects = instruction.effects();
    match instruction.opcode() {
        Some(Opcode::LLVMLoad) => {
            let how = access(plan, kernel, regions, instruction, instruction.ty());
            let once = how == How::Once && shape.is_uniform();
            return match how {
                // The lanes load together, and yet may not go by one of them where others order what they do.
                How::Once if !once => (How::Gather, Form::Vector),
                _ => (how, if once { Form::Uniform } else { Form::Vector }),
            };
        }
        Some(Opcode::LLVMGetElementPtr) if plan.woven(instruction).is_some() => {
            // The lanes of one offset lie a grain apart; those of different offsets anywhere.
            let apart = plan.woven(instruction).map(|weave| Form::Strided(weave.grain.cast_signed()));
            let one = Some(forms[0]) == apart && forms[1..].iter().all(|form| *form == Form::Uniform);
            return if one { (How::First, forms[0]) } else { (How::Vector, Form::Vector) };
        }
        Some(Opcode::LLVMStore) => {
            let how = access(plan, kernel, regions, instruction, instruction.operand(0).ty());
            return (if how == How::Once { How::Last } else { how }, Form::Uniform);
        }
        _ => {}
    }
    let pure = !effects.side_effects() && !effects.reads();
    match shape {
        Shape::Uniform if pure && all_uniform => return (How::Once, Form::Uniform),
        Shape::Strided(stride)
            if pure && !forms.contains(&Form::Vector) && can_be_first(plan, regions, block, instruction) =>
        {
            return (How::First, Form::Strided(stride.step));
        }
        _ => {}
    }
    if instruction.is(Opcode::LLVMCall)
        && pure
        && let Some(wide) = WideForm::of(instruction, plan.width)
    {
        return (How::Wide(wide), Form::Vector);
    }
    let vector = pure && is_componentwise(instruction);
    (if vector { How::Vector } else { How::EachLane }, Form::Vector)
}

/// How a load or store of `ty` through a pointer of this form is made; `Once`: all lanes at one address.
fn access<'c>(
    plan: &Plan<'c>,
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    instruction: Value<'c>,
    ty: oxcl_ir::Type<'c>,
) -> How {
    if !is_simple_access(instruction, ty) {
        return How::EachLane;
    }
    debug_assert!(plan.width > 1);
    let pointer = instruction.operand(if instruction.is(Opcode::LLVMStore) { 1 } else { 0 });
    let varying = || varying_index(plan, regions, kernel.layout, instruction);
    match plan.form(pointer) {
        Form::Uniform => How::Once,
        Form::Strided(_) if plan.woven(pointer).is_some() => How::Consecutive,
        Form::Strided(step) if is_dense(kernel.layout, ty, step) => How::Consecutive,
        Form::Vector if varying().is_some_and(|varying| varying.exchange(plan).is_some()) => How::Butterfly,
        Form::Vector if varying().is_some() && may_be_consecutive(kernel, regions, pointer, ty) => {
            How::GatherUnlessConsecutive
        }
        _ => How::Gather,
    }
}

/// Whether addresses that are not known to be one behind the other mostly are for all we know: they are a linear function of the
/// ids but for numbers that wrap around, or made of parts of ids, or of choices between such, not of what memory holds.
fn may_be_consecutive<'c>(
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    pointer: Value<'c>,
    ty: oxcl_ir::Type<'c>,
) -> bool {
    match Steps::new(&regions.cfg, kernel.layout, Variable::Id(0)).of(pointer) {
        Step::NotLinear(value) => matches!(
            value.opcode(),
            Some(
                Opcode::LLVMUDiv
                    | Opcode::LLVMSDiv
                    | Opcode::LLVMURem
                    | Opcode::LLVMSRem
                    | Opcode::LLVMAnd
                    | Opcode::LLVMOr
                    | Opcode::LLVMXor
                    | Opcode::LLVMLShr
                    | Opcode::LLVMAShr
                    | Opcode::LLVMSelect
                    | Opcode::LLVMCall
            )
        ),
        Step::By(step) => step.as_number() == Some(kernel.layout.size(ty).cast_signed()),
        Step::Loaded(_) => false,
    }
}

/// Whether lane 0's value tells those of the others although lane 0 may be off: an index that is narrower than an address is
/// extended, and what lane 0 would extend may have wrapped around. (A conversion takes the first active lane instead.)
pub(super) fn can_be_first<'c>(
    plan: &Plan<'c>,
    regions: &Regions<'c>,
    block: usize,
    instruction: Value<'c>,
) -> bool {
    let divided = regions
        .regions
        .iter()
        .zip(&plan.chunks)
        .any(|(r, chunks)| r.contains(block) && chunks.is_divided(block));
    if !divided || !instruction.is(Opcode::LLVMGetElementPtr) {
        return true;
    }
    instruction
        .operands()
        .into_iter()
        .skip(1)
        .all(|index| matches!(index.ty().kind(), TypeKind::Int(64)) || plan.form(index) == Form::Uniform)
}
