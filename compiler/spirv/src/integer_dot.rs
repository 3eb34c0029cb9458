//! Products of vectors of small integers: the library's `dot` and `dot_acc_sat`.

use rspirv::spirv::Op;

use crate::error::{Result, invalid};
use crate::function::Function;
use crate::mangle::Param;
use crate::types::Shape;
use crate::words::Instruction;

impl Function<'_, '_> {
    /// Products of integer vectors; false where it is another instruction.
    pub(crate) fn dot_product(&mut self, i: &Instruction) -> Result<bool> {
        let (first, second, accumulates) = match i.op {
            Op::SDot => (true, true, false),
            Op::UDot => (false, false, false),
            Op::SUDot => (true, false, false),
            Op::SDotAccSat => (true, true, true),
            Op::UDotAccSat => (false, false, true),
            Op::SUDotAccSat => (true, false, true),
            _ => return Ok(false),
        };
        let signed = first || second;
        let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
        if a.type_text != b.type_text {
            return Err(invalid(i.word, "a product of vectors of different types"));
        }
        let mut params =
            vec![self.t.types.param(i.word, a.ty, first)?, self.t.types.param(i.word, b.ty, second)?];
        let mut arguments = vec![a.argument(), b.argument()];
        let mut name = if accumulates { "dot_acc_sat" } else { "dot" }.to_owned();
        if matches!(self.shape(i, a.ty)?, Shape::Int(32)) {
            let sign = |signed: bool| if signed { 's' } else { 'u' };
            let result = if signed { "int" } else { "uint" };
            name.push_str(&format!("_4x8packed_{}{}_{result}", sign(first), sign(second)));
            params = vec![Param::UINT, Param::UINT];
        }
        // The library's products are of 32 bits; wider sums of them are exact, narrower ones their lowest bits.
        let own = match self.t.types.int_bits(i.word, a.ty)? {
            8 | 32 => 32,
            bits => bits * 2,
        };
        let wanted = self.t.types.int_bits(i.word, i.result_type()?)?;
        if accumulates {
            if wanted != 32 {
                return Err(crate::error::not_supported(i.word, format!("Op{} of {wanted} bits", i.name)));
            }
            let so_far = self.operand(i, 2)?;
            self.same_type(i, &so_far)?;
            params.push(Param::Int { bits: 32, signed });
            arguments.push(so_far.argument());
        }
        let ty = format!("i{own}");
        let call = self.library(i, &name, &params, &ty, &arguments)?;
        let value = self.temporary(i, &call);
        let result = self.result_text(i)?;
        match wanted.cmp(&own) {
            std::cmp::Ordering::Less => self.define(i, &format!("trunc {ty} {value} to {result}"))?,
            std::cmp::Ordering::Equal => self.alias(i, &value)?,
            std::cmp::Ordering::Greater if signed => {
                self.define(i, &format!("sext {ty} {value} to {result}"))?
            }
            std::cmp::Ordering::Greater => self.define(i, &format!("zext {ty} {value} to {result}"))?,
        }
        Ok(true)
    }
}
