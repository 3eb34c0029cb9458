//! Which file an instruction of a block is translated in.

use rspirv::spirv::Op;

use crate::error::{Result, not_supported};
use crate::function::Function;
use crate::words::Instruction;

impl<'m> Function<'_, 'm> {
    /// Translates one instruction of a block.
    pub(crate) fn instruction(&mut self, i: &'m Instruction) -> Result<()> {
        if self.flow(i)?
            || self.memory(i)?
            || self.composite(i)?
            || self.arithmetic(i)?
            || self.conversion(i)?
            || self.atomic(i)?
            || self.synchronisation(i)?
            || self.group(i)?
            || self.image(i)?
            || self.dot_product(i)?
        {
            return Ok(());
        }
        match i.op {
            Op::FunctionCall => self.function_call(i),
            Op::ExtInst => self.extended(i),
            Op::Undef => self.alias(i, "undef"),
            Op::CopyObject => {
                let value = self.operand(i, 0)?;
                self.same_type(i, &value)?;
                self.alias(i, &value.text)
            }
            Op::ExpectKHR => {
                let value = self.operand(i, 0)?;
                self.same_type(i, &value)?;
                self.alias(i, &value.text)
            }
            // Says nothing about what is computed.
            Op::AssumeTrueKHR | Op::LifetimeStart | Op::LifetimeStop | Op::LoopControlINTEL => Ok(()),
            _ => Err(not_supported(i.word, format!("Op{}", i.name))),
        }
    }
}
