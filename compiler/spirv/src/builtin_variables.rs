//! Built-in variables: what they hold are calls of work-item functions.
//!
//! A load of a vector of which only single elements are used becomes a call for each element; where a variable is used as a
//! pointer in any other way, the function has memory for it that is filled when it begins.

use std::collections::BTreeSet;

use rspirv::spirv::{BuiltIn, Op};

use crate::calls::PURE;
use crate::error::{Result, invalid, not_supported};
use crate::function::{Function, Used};
use crate::mangle::{Param, mangled};
use crate::words::Instruction;

/// What the functions behind a variable give.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gives {
    /// A size for each dimension.
    Sizes,
    Size,
    Number,
    /// `uint4`.
    Mask,
}

fn source(built_in: BuiltIn) -> Option<(&'static str, Gives)> {
    Some(match built_in {
        BuiltIn::GlobalInvocationId => ("get_global_id", Gives::Sizes),
        BuiltIn::LocalInvocationId => ("get_local_id", Gives::Sizes),
        BuiltIn::WorkgroupId => ("get_group_id", Gives::Sizes),
        BuiltIn::NumWorkgroups => ("get_num_groups", Gives::Sizes),
        BuiltIn::WorkgroupSize => ("get_local_size", Gives::Sizes),
        BuiltIn::EnqueuedWorkgroupSize => ("get_enqueued_local_size", Gives::Sizes),
        BuiltIn::GlobalSize => ("get_global_size", Gives::Sizes),
        BuiltIn::GlobalOffset => ("get_global_offset", Gives::Sizes),
        BuiltIn::GlobalLinearId => ("get_global_linear_id", Gives::Size),
        BuiltIn::LocalInvocationIndex => ("get_local_linear_id", Gives::Size),
        BuiltIn::WorkDim => ("get_work_dim", Gives::Number),
        BuiltIn::SubgroupSize => ("get_sub_group_size", Gives::Number),
        BuiltIn::SubgroupMaxSize => ("get_max_sub_group_size", Gives::Number),
        BuiltIn::NumSubgroups => ("get_num_sub_groups", Gives::Number),
        BuiltIn::NumEnqueuedSubgroups => ("get_enqueued_num_sub_groups", Gives::Number),
        BuiltIn::SubgroupId => ("get_sub_group_id", Gives::Number),
        BuiltIn::SubgroupLocalInvocationId => ("get_sub_group_local_id", Gives::Number),
        BuiltIn::SubgroupEqMask => ("get_sub_group_eq_mask", Gives::Mask),
        BuiltIn::SubgroupGeMask => ("get_sub_group_ge_mask", Gives::Mask),
        BuiltIn::SubgroupGtMask => ("get_sub_group_gt_mask", Gives::Mask),
        BuiltIn::SubgroupLeMask => ("get_sub_group_le_mask", Gives::Mask),
        BuiltIn::SubgroupLtMask => ("get_sub_group_lt_mask", Gives::Mask),
        _ => return None,
    })
}

impl Function<'_, '_> {
    /// Finds the loads of built-in variables that are used by their elements only.
    pub(crate) fn find_elements(&mut self) {
        let mut loads = Vec::new();
        let mut others = BTreeSet::new();
        for i in self.body {
            let is_element = i.op == Op::CompositeExtract && i.operands.len() == 2;
            for operand in i.operands.iter().skip(usize::from(is_element)) {
                others.extend(operand.id_ref_any());
            }
            if let (Op::Load, Some(id), Ok(variable)) = (i.op, i.id, i.id_at(0))
                && self.t.built_in.contains_key(&variable)
            {
                loads.push((id, variable));
            }
        }
        self.by_element.extend(loads.into_iter().filter(|(id, _)| !others.contains(id)));
    }

    /// One number of a built-in variable, in the variable's own type.
    fn element(&mut self, i: &Instruction, variable: u32, index: u32, at_entry: bool) -> Result<String> {
        let (built_in, held) = self.t.built_in[&variable];
        let (name, gives) = source(built_in)
            .ok_or_else(|| not_supported(i.word, format!("built-in variable {built_in:?}")))?;
        let (params, arguments) = match gives {
            Gives::Sizes => (vec![Param::UINT], vec![("i32".to_owned(), index.to_string())]),
            _ => (Vec::new(), Vec::new()),
        };
        let size = self.t.bits();
        let (result, bits) = match gives {
            Gives::Sizes | Gives::Size => (format!("i{size}"), size),
            Gives::Number => ("i32".to_owned(), 32),
            Gives::Mask => ("<4 x i32>".to_owned(), 32),
        };
        let call = self.t.call(i.word, &mangled(name, &params), &result, &arguments, PURE)?;
        let wanted = self.t.types.int_bits(i.word, held)?;
        let mut make =
            |text: &str| if at_entry { self.entry_temporary(i, text) } else { self.temporary(i, text) };
        let mut value = make(&call);
        if gives == Gives::Mask {
            value = make(&format!("extractelement <4 x i32> {value}, i32 {index}"));
        }
        Ok(if wanted > bits {
            make(&format!("zext i{bits} {value} to i{wanted}"))
        } else if wanted < bits {
            make(&format!("trunc i{bits} {value} to i{wanted}"))
        } else {
            value
        })
    }

    /// All that a built-in variable holds.
    fn whole(&mut self, i: &Instruction, variable: u32, at_entry: bool) -> Result<String> {
        let (_, held) = self.t.built_in[&variable];
        let (element, lanes) = self.scalar(i, held)?;
        if lanes == 1 {
            return self.element(i, variable, 0, at_entry);
        }
        let mut vector = "undef".to_owned();
        for lane in 0..lanes {
            let one = self.element(i, variable, lane, at_entry)?;
            let text = format!("insertelement <{lanes} x {element}> {vector}, {element} {one}, i32 {lane}");
            vector = if at_entry { self.entry_temporary(i, &text) } else { self.temporary(i, &text) };
        }
        Ok(vector)
    }

    /// A load, where it is one of a built-in variable.
    pub(crate) fn load_built_in(&mut self, i: &Instruction) -> Result<bool> {
        let variable = i.id_at(0)?;
        let Some((_, held)) = self.t.built_in.get(&variable).copied() else { return Ok(false) };
        if self.t.types.text(i.word, held)? != self.result_text(i)? {
            return Err(invalid(i.word, "a load of another type than the variable's"));
        }
        if self.by_element.contains_key(&i.result()?) && self.scalar(i, held)?.1 > 1 {
            return Ok(true);
        }
        let value = self.whole(i, variable, false)?;
        self.alias(i, &value)?;
        Ok(true)
    }

    /// An element, where it is one of a load that has no value as a whole.
    pub(crate) fn built_in_element(&mut self, i: &Instruction) -> Result<bool> {
        let Some(variable) = self.by_element.get(&i.id_at(0)?).copied() else { return Ok(false) };
        let (_, held) = self.t.built_in[&variable];
        let (element, lanes) = self.scalar(i, held)?;
        let index = i.number_at(1)?;
        if index >= lanes || self.result_text(i)? != element || lanes == 1 {
            return Err(invalid(i.word, format!("the variable has no element {index} of this type")));
        }
        let value = self.element(i, variable, index, false)?;
        self.alias(i, &value)?;
        Ok(true)
    }

    /// A built-in variable as a pointer.
    pub(crate) fn built_in_pointer(&mut self, i: &Instruction, variable: u32) -> Result<Used> {
        let (_, held) = self.t.built_in[&variable];
        let ty = self.variable_type(i, variable)?;
        let text = match self.built_in_memory.get(&variable) {
            Some(memory) => memory.clone(),
            None => {
                let held_text = self.t.types.text(i.word, held)?;
                let memory = self.entry_temporary(i, &format!("alloca {held_text}"));
                let value = self.whole(i, variable, true)?;
                self.entry.line(i.word, &format!("  store {held_text} {value}, ptr {memory}"));
                self.built_in_memory.insert(variable, memory.clone());
                memory
            }
        };
        Ok(Used { ty, type_text: self.t.types.text(i.word, ty)?, text })
    }

    fn variable_type(&self, i: &Instruction, variable: u32) -> Result<u32> {
        let module = self.t.module;
        let found = module
            .globals
            .iter()
            .map(|index| &module.instructions[*index])
            .find(|one| one.id == Some(variable));
        found.ok_or_else(|| invalid(i.word, format!("id {variable} is no variable")))?.result_type()
    }
}
