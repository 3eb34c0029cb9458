//! What an address adds to the one that it is made from.
//!
//! In: a GEP, and the layout of types. Out: bytes that are known, and indices with the bytes for which one counts.

use crate::Opcode;
use crate::module::Layout;
use crate::types::TypeKind;
use crate::value::Value;

/// What a GEP adds to its base.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GepSteps {
    /// Bytes.
    pub constant: i64,
    /// The operands that are indices of other numbers, and the bytes for which one counts.
    pub variable: Vec<(usize, i64)>,
}

impl Value<'_> {
    /// The steps of a GEP; `None` of any other value, and where a number leaves 64 bits.
    #[must_use]
    pub fn gep_steps(self, layout: Layout<'_>) -> Option<GepSteps> {
        if !self.is(Opcode::LLVMGetElementPtr) {
            return None;
        }
        let mut steps = GepSteps { constant: 0, variable: Vec::new() };
        let mut ty = self.gep_element()?;
        for (position, index) in self.operands().into_iter().enumerate().skip(1) {
            if position > 1 {
                if let TypeKind::Struct(_) = ty.kind() {
                    let field = u32::try_from(index.as_int()?).ok()?;
                    steps.constant =
                        steps.constant.checked_add(layout.field_offset(ty, field).cast_signed())?;
                    ty = ty.field(field)?;
                    continue;
                }
                ty = ty.element()?;
            }
            let size = layout.size(ty).cast_signed();
            match index.as_int() {
                Some(number) => steps.constant = steps.constant.checked_add(number.checked_mul(size)?)?,
                None => steps.variable.push((position, size)),
            }
        }
        Some(steps)
    }
}
