//! The instructions of `OpenCL.std`: the library's functions, by the parameters that OpenCL C gives them.

use rspirv::grammar::ext_inst_table;
use rspirv::spirv::FPRoundingMode;

use crate::error::{Result, invalid, malformed, not_supported};
use crate::function::{Function, Used, with_lanes};
use crate::mangle::Param;
use crate::types::Shape;
use crate::words::Instruction;

/// Where the operands of the extended instruction begin.
const FIRST: usize = 2;

impl Function<'_, '_> {
    /// `OpExtInst` of `OpenCL.std`.
    pub(crate) fn extended(&mut self, i: &Instruction) -> Result<()> {
        if !self.t.module.sets.contains_key(&i.id_at(0)?) {
            return Err(invalid(i.word, "a set of instructions that was not imported"));
        }
        let number = i.number_at(1)?;
        let known = ext_inst_table("OpenCL.std").and_then(|table| table.lookup_opcode(number));
        let name =
            known.ok_or_else(|| malformed(i.word, format!("OpenCL.std has no instruction {number}")))?.opname;
        match name {
            "printf" => self.printf(i),
            "prefetch" => self.prefetch(i),
            "vloadn" => self.vector_load(i, "vload"),
            "vload_half" | "vload_halfn" | "vloada_halfn" => self.half_load(i, name),
            "vstoren" => self.vector_store(i),
            "vstore_half" | "vstore_half_r" | "vstore_halfn" | "vstore_halfn_r" | "vstorea_halfn"
            | "vstorea_halfn_r" => self.half_store(i, name),
            "shuffle" | "shuffle2" => self.shuffled(i, name),
            _ => self.function(i, name),
        }
    }

    /// A pointer among the operands, and its address space.
    fn pointer_at(&mut self, i: &Instruction, index: usize) -> Result<(Used, u32)> {
        let pointer = self.operand(i, index)?;
        let (space, _) = self.t.types.pointee(i.word, pointer.ty)?;
        Ok((pointer, space))
    }

    /// What takes and gives values, and at most a pointer that a second result goes to.
    fn function(&mut self, i: &Instruction, name: &str) -> Result<()> {
        let (name, signed) = match name {
            "fclamp" => ("clamp", true),
            "fmax_common" => ("max", true),
            "fmin_common" => ("min", true),
            _ => match (name.strip_prefix("s_"), name.strip_prefix("u_")) {
                (Some(rest), _) => (rest, true),
                (_, Some(rest)) => (rest, false),
                _ => (name, name != "nan"),
            },
        };
        let (mut params, mut arguments) = (Vec::new(), Vec::new());
        for index in FIRST..i.operands.len() {
            let value = self.operand(i, index)?;
            let param = match self.shape(i, value.ty)? {
                Shape::Pointer { space, .. } => {
                    // What a pointer is said to point to may be bytes: the function tells.
                    let whole = i.result_type()?;
                    let to = match name {
                        "frexp" | "remquo" | "lgamma_r" => Param::INT.lanes(self.scalar(i, whole)?.1),
                        _ => self.t.types.param(i.word, whole, true)?,
                    };
                    Param::pointer(space, to)
                }
                // The lower half of what is put together has no sign.
                _ if name == "upsample" && index > FIRST => self.t.types.param(i.word, value.ty, false)?,
                _ => self.t.types.param(i.word, value.ty, signed)?,
            };
            params.push(param);
            arguments.push(value.argument());
        }
        let result = self.result_text(i)?;
        let call = self.library(i, name, &params, &result, &arguments)?;
        self.define(i, &call)
    }

    /// A number of elements among the operands, as functions' names have it.
    fn count_at(&self, i: &Instruction, index: usize, lanes: u32) -> Result<String> {
        if i.literal_at(index)? != lanes {
            return Err(invalid(i.word, "another number of elements than the vector has"));
        }
        Ok(lanes.to_string())
    }

    fn size_at(&mut self, i: &Instruction, index: usize) -> Result<(Param, (String, String))> {
        let size = self.operand(i, index)?;
        let bits = self.t.bits();
        let text = self.resized_to(i, &size, bits)?;
        Ok((Param::Int { bits, signed: false }, (self.t.size_type(), text)))
    }

    fn vector_load(&mut self, i: &Instruction, name: &str) -> Result<()> {
        let (element, lanes) = self.t.types.scalar(i.word, i.result_type()?)?;
        let element = match element.shape {
            Shape::Int(bits) => Param::Int { bits, signed: true },
            Shape::Float(bits) => Param::Float(bits),
            _ => return Err(invalid(i.word, "a vector of numbers was expected")),
        };
        let name = format!("{name}{}", self.count_at(i, FIRST + 2, lanes)?);
        let (param, offset) = self.size_at(i, FIRST)?;
        let (pointer, space) = self.pointer_at(i, FIRST + 1)?;
        let params = [param, Param::const_pointer(space, element)];
        let result = self.result_text(i)?;
        let call = self.library(i, &name, &params, &result, &[offset, pointer.argument()])?;
        self.define(i, &call)
    }

    fn half_load(&mut self, i: &Instruction, name: &str) -> Result<()> {
        let lanes = self.scalar(i, i.result_type()?)?.1;
        let name = match name.strip_suffix('n') {
            Some(stem) => format!("{stem}{}", self.count_at(i, FIRST + 2, lanes)?),
            None => name.to_owned(),
        };
        let (param, offset) = self.size_at(i, FIRST)?;
        let (pointer, space) = self.pointer_at(i, FIRST + 1)?;
        let params = [param, Param::const_pointer(space, Param::Float(16))];
        let result = with_lanes("float", lanes);
        if *self.result_text(i)? != *result {
            return Err(invalid(i.word, "halves are loaded as floats"));
        }
        let call = self.library(i, &name, &params, &result, &[offset, pointer.argument()])?;
        self.define(i, &call)
    }

    fn vector_store(&mut self, i: &Instruction) -> Result<()> {
        let data = self.operand(i, FIRST)?;
        let (element, lanes) = self.t.types.scalar(i.word, data.ty)?;
        let element = match element.shape {
            Shape::Int(bits) => Param::Int { bits, signed: true },
            Shape::Float(bits) => Param::Float(bits),
            _ => return Err(invalid(i.word, "a vector of numbers was expected")),
        };
        let (param, offset) = self.size_at(i, FIRST + 1)?;
        let (pointer, space) = self.pointer_at(i, FIRST + 2)?;
        let params = [element.clone().lanes(lanes), param, Param::pointer(space, element)];
        let arguments = [data.argument(), offset, pointer.argument()];
        let call = self.library(i, &format!("vstore{lanes}"), &params, "void", &arguments)?;
        self.line(i, &call);
        Ok(())
    }

    fn half_store(&mut self, i: &Instruction, name: &str) -> Result<()> {
        let data = self.operand(i, FIRST)?;
        let (bits, lanes) = (self.t.types.float_bits(i.word, data.ty)?, self.scalar(i, data.ty)?.1);
        let stem = name.strip_suffix("_r").unwrap_or(name);
        let mut full = match stem.strip_suffix('n') {
            Some(stem) => format!("{stem}{lanes}"),
            None => stem.to_owned(),
        };
        if name.ends_with("_r") {
            let mode = FPRoundingMode::from_u32(i.literal_at(FIRST + 3)?);
            full.push_str(suffix(mode.ok_or_else(|| malformed(i.word, "a rounding mode was expected"))?));
        }
        let (param, offset) = self.size_at(i, FIRST + 1)?;
        let (pointer, space) = self.pointer_at(i, FIRST + 2)?;
        let params = [Param::Float(bits).lanes(lanes), param, Param::pointer(space, Param::Float(16))];
        let arguments = [data.argument(), offset, pointer.argument()];
        let call = self.library(i, &full, &params, "void", &arguments)?;
        self.line(i, &call);
        Ok(())
    }

    /// Masks have no sign.
    fn shuffled(&mut self, i: &Instruction, name: &str) -> Result<()> {
        let count = i.operands.len() - FIRST;
        let (mut params, mut arguments) = (Vec::new(), Vec::new());
        for index in 0..count {
            let value = self.operand(i, FIRST + index)?;
            params.push(self.t.types.param(i.word, value.ty, index + 1 < count)?);
            arguments.push(value.argument());
        }
        let result = self.result_text(i)?;
        let call = self.library(i, name, &params, &result, &arguments)?;
        self.define(i, &call)
    }

    fn prefetch(&mut self, i: &Instruction) -> Result<()> {
        let (pointer, space) = self.pointer_at(i, FIRST)?;
        let (_, to) = self.t.types.pointee(i.word, pointer.ty)?;
        let to = self.t.types.param(i.word, to, true)?;
        let (param, count) = self.size_at(i, FIRST + 1)?;
        let params = [Param::const_pointer(space, to), param];
        let call = self.library(i, "prefetch", &params, "void", &[pointer.argument(), count])?;
        self.line(i, &call);
        Ok(())
    }

    /// The format, and strings, are the variables that pointers lead to: they are read when the program is compiled.
    fn printf(&mut self, i: &Instruction) -> Result<()> {
        let mut list = Vec::new();
        let mut format_type = String::new();
        for index in FIRST..i.operands.len() {
            let id = i.id_at(index)?;
            let value = self.used(i, id)?;
            let root = match self.shape(i, value.ty)? {
                Shape::Pointer { space: 2, .. } => self.string_root(id),
                _ => None,
            };
            if index == FIRST {
                format_type = value.type_text.to_string();
                if format_type != "ptr addrspace(2)" {
                    return Err(not_supported(i.word, "a format of printf that is not in constant memory"));
                }
            }
            let text = root.map_or_else(|| value.text.clone(), |root| root.to_string());
            list.push(format!("{} {text}", value.type_text));
        }
        if list.is_empty() {
            return Err(malformed(i.word, "printf without a format"));
        }
        let declared = format!("declare spir_func i32 @printf({format_type}, ...) convergent nounwind");
        self.t.declared.entry("printf".to_owned()).or_insert((i.word, declared));
        let call = format!(
            "call spir_func i32 ({format_type}, ...) @printf({}) convergent nounwind",
            list.join(", ")
        );
        self.define(i, &call)
    }
}

fn suffix(mode: FPRoundingMode) -> &'static str {
    match mode {
        FPRoundingMode::RTE => "_rte",
        FPRoundingMode::RTZ => "_rtz",
        FPRoundingMode::RTP => "_rtp",
        FPRoundingMode::RTN => "_rtn",
    }
}
