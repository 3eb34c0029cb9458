//! Barriers, fences, clocks, and copies between global and local memory.

use rspirv::spirv::{Op, Scope};

use crate::atomics::order_number;
use crate::error::{Result, invalid, not_supported};
use crate::function::{Function, Used};
use crate::mangle::Param;
use crate::words::Instruction;

/// Which memory semantics are about, as OpenCL C's flags.
fn flags(semantics: Option<u64>) -> u32 {
    let Some(bits) = semantics else { return 7 };
    let pairs = [(0x100, 1), (0x200, 2), (0x800, 4)];
    pairs.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, flag)| flag).sum()
}

/// OpenCL C's number of a scope.
fn scope_number(scope: Scope) -> u32 {
    match scope {
        Scope::CrossDevice => 3,
        Scope::Workgroup => 1,
        Scope::Subgroup => 4,
        Scope::Invocation => 0,
        _ => 2,
    }
}

fn number(number: u32) -> (String, String) {
    ("i32".to_owned(), number.to_string())
}

impl Function<'_, '_> {
    /// A scope among the operands; all devices' where it is not known.
    pub(crate) fn scope_at(&self, i: &Instruction, index: usize) -> Result<Scope> {
        let Some(bits) = self.constant_at(i, index)? else { return Ok(Scope::CrossDevice) };
        let known = u32::try_from(bits).ok().and_then(Scope::from_u32);
        known.ok_or_else(|| invalid(i.word, format!("scope {bits} is not known")))
    }

    /// The group that an instruction is executed by.
    pub(crate) fn group_scope(&self, i: &Instruction) -> Result<Scope> {
        match self.scope_at(i, 0)? {
            scope @ (Scope::Workgroup | Scope::Subgroup) => Ok(scope),
            other => Err(not_supported(i.word, format!("Op{} of scope {other:?}", i.name))),
        }
    }

    /// Barriers, fences, clocks and copies; false where it is another instruction.
    pub(crate) fn synchronisation(&mut self, i: &Instruction) -> Result<bool> {
        match i.op {
            Op::ControlBarrier => {
                let name = match self.group_scope(i)? {
                    Scope::Subgroup => "sub_group_barrier",
                    _ => "work_group_barrier",
                };
                let scope = scope_number(self.scope_at(i, 1)?);
                let flags = flags(self.constant_at(i, 2)?);
                let params = [Param::UINT, Param::Enum("memory_scope")];
                let call = self.library(i, name, &params, "void", &[number(flags), number(scope)])?;
                self.line(i, &call);
            }
            Op::MemoryBarrier => {
                let scope = scope_number(self.scope_at(i, 0)?);
                let semantics = self.constant_at(i, 1)?;
                let arguments = [number(flags(semantics)), number(order_number(semantics)), number(scope)];
                let params = [Param::UINT, Param::Enum("memory_order"), Param::Enum("memory_scope")];
                let call = self.library(i, "atomic_work_item_fence", &params, "void", &arguments)?;
                self.line(i, &call);
            }
            Op::ReadClockKHR => self.clock(i)?,
            Op::GroupAsyncCopy => self.async_copy(i)?,
            Op::GroupWaitEvents => {
                self.group_scope(i)?;
                let (count, events) = (self.operand(i, 1)?, self.operand(i, 2)?);
                let (space, _) = self.t.types.pointee(i.word, events.ty)?;
                let event = Param::Opaque("ocl_event".to_owned());
                let params = [Param::INT, Param::pointer(space, event)];
                let count = self.resized_to(i, &count, 32)?;
                let call = self.library(
                    i,
                    "wait_group_events",
                    &params,
                    "void",
                    &[("i32".to_owned(), count), events.argument()],
                )?;
                self.line(i, &call);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A clock of the device or the group, as one number or as its halves.
    fn clock(&mut self, i: &Instruction) -> Result<()> {
        let whose = match self.scope_at(i, 0)? {
            Scope::Device => "device",
            Scope::Workgroup => "work_group",
            other => return Err(not_supported(i.word, format!("Op{} of scope {other:?}", i.name))),
        };
        let result = self.result_text(i)?;
        let halves = match &*result {
            "i64" => "",
            "<2 x i32>" => "hilo_",
            _ => return Err(invalid(i.word, "a clock gives 64 bits or two halves of them")),
        };
        let call = self.library(i, &format!("clock_read_{halves}{whose}"), &[], &result, &[])?;
        self.define(i, &call)
    }

    /// An unsigned integer in so many bits, without its type.
    pub(crate) fn resized_to(&mut self, i: &Instruction, value: &Used, bits: u32) -> Result<String> {
        let own = self.t.types.int_bits(i.word, value.ty)?;
        Ok(match own.cmp(&bits) {
            std::cmp::Ordering::Less => self.temporary(i, &format!("zext {} to i{bits}", value.typed())),
            std::cmp::Ordering::Equal => value.text.clone(),
            std::cmp::Ordering::Greater => self.temporary(i, &format!("trunc {} to i{bits}", value.typed())),
        })
    }

    fn async_copy(&mut self, i: &Instruction) -> Result<()> {
        if self.group_scope(i)? != Scope::Workgroup {
            return Err(not_supported(i.word, "a copy by a sub-group"));
        }
        let (to, from) = (self.operand(i, 1)?, self.operand(i, 2)?);
        let (count, stride, event) = (self.operand(i, 3)?, self.operand(i, 4)?, self.operand(i, 5)?);
        let (to_space, held) = self.t.types.pointee(i.word, to.ty)?;
        let (from_space, _) = self.t.types.pointee(i.word, from.ty)?;
        let element = self.t.types.param(i.word, held, true)?;
        let size = Param::Int { bits: self.t.bits(), signed: false };
        let mut params = vec![
            Param::pointer(to_space, element.clone()),
            Param::const_pointer(from_space, element),
            size.clone(),
        ];
        let size_type = self.t.size_type();
        let count = self.resized_to(i, &count, self.t.bits())?;
        let mut arguments = vec![to.argument(), from.argument(), (size_type.clone(), count)];
        let is_strided = self.constant_at(i, 4)? != Some(1);
        if is_strided {
            let stride = self.resized_to(i, &stride, self.t.bits())?;
            params.push(size);
            arguments.push((size_type, stride));
        }
        params.push(Param::Opaque("ocl_event".to_owned()));
        arguments.push(event.argument());
        let name = if is_strided { "async_work_group_strided_copy" } else { "async_work_group_copy" };
        let result = self.result_text(i)?;
        let call = self.library(i, name, &params, &result, &arguments)?;
        self.define(i, &call)
    }
}
