//! Conversions between types of numbers, and between pointers.
//!
//! What neither saturates nor names a rounding is LLVM's conversion; the others are the library's.

use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, FPRoundingMode, Op};

use crate::error::{Result, invalid, not_supported};
use crate::function::{Function, Used};
use crate::mangle::Param;
use crate::types::Shape;
use crate::words::Instruction;

/// What sides of a conversion are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Signed,
    Unsigned,
    Float,
}

impl Function<'_, '_> {
    /// Conversions; false where it is another instruction.
    pub(crate) fn conversion(&mut self, i: &Instruction) -> Result<bool> {
        use Side::{Float, Signed, Unsigned};
        let (from, to) = match i.op {
            Op::ConvertFToS => (Float, Signed),
            Op::ConvertFToU => (Float, Unsigned),
            Op::ConvertSToF => (Signed, Float),
            Op::ConvertUToF => (Unsigned, Float),
            Op::SConvert => (Signed, Signed),
            Op::UConvert => (Unsigned, Unsigned),
            Op::FConvert => (Float, Float),
            Op::SatConvertSToU => (Signed, Unsigned),
            Op::SatConvertUToS => (Unsigned, Signed),
            _ => return self.pointer_conversion(i),
        };
        let value = self.operand(i, 0)?;
        let bits = |ty: u32, side: Side| match side {
            Float => self.t.types.float_bits(i.word, ty),
            _ => self.t.types.int_bits(i.word, ty),
        };
        let (own, wanted) = (bits(value.ty, from)?, bits(i.result_type()?, to)?);
        let (_, lanes) = self.scalar(i, value.ty)?;
        if lanes != self.scalar(i, i.result_type()?)?.1 {
            return Err(invalid(i.word, "a conversion between vectors of different lengths"));
        }
        let saturates = self.is_said(i, Decoration::SaturatedConversion)
            || matches!(i.op, Op::SatConvertSToU | Op::SatConvertUToS);
        let rounding = self.rounding(i)?;
        // Rounding to even is what LLVM's conversions do, but for those to integers, which cut.
        let is_plain = match (to, rounding) {
            (_, None) | (Float, Some(FPRoundingMode::RTE)) => true,
            (_, Some(FPRoundingMode::RTZ)) => to != Float,
            _ => false,
        };
        if !saturates && is_plain {
            return self.plain_conversion(i, &value, (from, own), (to, wanted)).map(|()| true);
        }
        let number = |side: Side, bits: u32| match side {
            Float => Param::Float(bits),
            _ => Param::Int { bits, signed: side == Signed },
        };
        let mut name = format!("convert_{}", opencl_name(to, wanted));
        if lanes > 1 {
            name.push_str(&lanes.to_string());
        }
        if saturates && to != Float {
            name.push_str("_sat");
        }
        if from == Float || to == Float {
            name.push_str(match rounding {
                None => "",
                Some(FPRoundingMode::RTE) => "_rte",
                Some(FPRoundingMode::RTZ) => "_rtz",
                Some(FPRoundingMode::RTP) => "_rtp",
                Some(FPRoundingMode::RTN) => "_rtn",
            });
        }
        let result = self.result_text(i)?;
        let call = self.library(i, &name, &[number(from, own).lanes(lanes)], &result, &[value.argument()])?;
        self.define(i, &call)?;
        Ok(true)
    }

    fn rounding(&self, i: &Instruction) -> Result<Option<FPRoundingMode>> {
        let said = i.id.and_then(|id| self.t.module.decoration(id, Decoration::FPRoundingMode));
        Ok(match said.and_then(|said| said.operands.first()) {
            Some(Operand::FPRoundingMode(mode)) => Some(*mode),
            _ => None,
        })
    }

    fn plain_conversion(
        &mut self,
        i: &Instruction,
        value: &Used,
        (from, own): (Side, u32),
        (to, wanted): (Side, u32),
    ) -> Result<()> {
        let result = self.result_text(i)?;
        let name = match (from, to) {
            (Side::Float, Side::Signed) => "fptosi",
            (Side::Float, Side::Unsigned) => "fptoui",
            (Side::Signed, Side::Float) => "sitofp",
            (Side::Unsigned, Side::Float) => "uitofp",
            _ if own == wanted => return self.alias(i, &value.text),
            (Side::Float, Side::Float) if own > wanted => "fptrunc",
            (Side::Float, Side::Float) => "fpext",
            _ if own > wanted => "trunc",
            (Side::Signed, _) => "sext",
            (Side::Unsigned, _) => "zext",
        };
        self.define(i, &format!("{name} {} to {result}", value.typed()))
    }

    /// Conversions of pointers and of bits.
    fn pointer_conversion(&mut self, i: &Instruction) -> Result<bool> {
        match i.op {
            Op::Bitcast => self.bit_cast(i)?,
            Op::ConvertPtrToU => {
                let value = self.pointer(i)?;
                self.t.types.int_bits(i.word, i.result_type()?)?;
                let result = self.result_text(i)?;
                self.define(i, &format!("ptrtoint {} to {result}", value.typed()))?;
            }
            Op::ConvertUToPtr => {
                let value = self.operand(i, 0)?;
                self.t.types.int_bits(i.word, value.ty)?;
                self.t.types.pointee(i.word, i.result_type()?)?;
                let result = self.result_text(i)?;
                self.define(i, &format!("inttoptr {} to {result}", value.typed()))?;
            }
            Op::PtrCastToGeneric | Op::GenericCastToPtr => {
                let value = self.pointer(i)?;
                self.t.types.pointee(i.word, i.result_type()?)?;
                let result = self.result_text(i)?;
                if let Some(root) = self.string_root(i.id_at(0)?) {
                    self.strings.insert(i.result()?, root);
                }
                if value.type_text == result {
                    self.alias(i, &value.text)?;
                } else {
                    self.define(i, &format!("addrspacecast {} to {result}", value.typed()))?;
                }
            }
            Op::GenericCastToPtrExplicit => {
                let value = self.pointer(i)?;
                let (space, _) = self.t.types.pointee(i.word, i.result_type()?)?;
                let name = match space {
                    0 => "__to_private",
                    1 => "__to_global",
                    3 => "__to_local",
                    _ => return Err(not_supported(i.word, "a cast to this storage class")),
                };
                let result = self.result_text(i)?;
                let call = self.t.call(i.word, name, &result, &[value.argument()], "")?;
                self.define(i, &call)?;
            }
            Op::GenericPtrMemSemantics => {
                let value = self.pointer(i)?;
                let (space, _) = self.t.types.pointee(i.word, value.ty)?;
                let flags = match space {
                    1 => "2".to_owned(),
                    3 => "1".to_owned(),
                    0 | 2 => "0".to_owned(),
                    _ => {
                        let param = Param::const_pointer(4, Param::Void);
                        let call = self.library(i, "get_fence", &[param], "i32", &[value.argument()])?;
                        self.temporary(i, &call)
                    }
                };
                // Flags of fences are 1 for local, 2 for global memory; as semantics they are at 0x100 and 0x200.
                self.define(i, &format!("shl i32 {flags}, 8"))?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn pointer(&mut self, i: &Instruction) -> Result<Used> {
        let value = self.operand(i, 0)?;
        self.t.types.pointee(i.word, value.ty)?;
        Ok(value)
    }

    fn bit_cast(&mut self, i: &Instruction) -> Result<()> {
        let value = self.operand(i, 0)?;
        let result = self.result_text(i)?;
        let is_pointer = |shape: &Shape| matches!(shape, Shape::Pointer { .. });
        let (own, wanted) = (self.shape(i, value.ty)?, self.shape(i, i.result_type()?)?);
        if is_pointer(&own)
            && is_pointer(&wanted)
            && let Some(root) = self.string_root(i.id_at(0)?)
        {
            self.strings.insert(i.result()?, root);
        }
        match (is_pointer(&own), is_pointer(&wanted)) {
            _ if value.type_text == result => self.alias(i, &value.text),
            (true, true) => Err(invalid(i.word, "a cast to another storage class")),
            // By way of one integer: vectors may stand for addresses too.
            (true, false) => {
                let whole = self.t.size_type();
                let address = self.temporary(i, &format!("ptrtoint {} to {whole}", value.typed()));
                self.define(i, &format!("bitcast {whole} {address} to {result}"))
            }
            (false, true) => {
                let whole = self.t.size_type();
                let address = self.temporary(i, &format!("bitcast {} to {whole}", value.typed()));
                self.define(i, &format!("inttoptr {whole} {address} to {result}"))
            }
            (false, false) => self.define(i, &format!("bitcast {} to {result}", value.typed())),
        }
    }
}

fn opencl_name(side: Side, bits: u32) -> String {
    let name = match (side, bits) {
        (Side::Float, 16) => "half",
        (Side::Float, 32) => "float",
        (Side::Float, _) => "double",
        (_, 8) => "char",
        (_, 16) => "short",
        (_, 32) => "int",
        _ => "long",
    };
    if side == Side::Unsigned { format!("u{name}") } else { name.to_owned() }
}
