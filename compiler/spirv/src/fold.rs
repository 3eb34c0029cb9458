//! Operations on constants: what `OpSpecConstantOp` gives.

use rspirv::spirv::Op;

use crate::constants::{Constant, Constants, Value, cut, part_types, text};
use crate::error::{Result, invalid, malformed, not_supported};
use crate::types::{Shape, Types};
use crate::words::Instruction;

/// A number's value with its sign.
pub(crate) fn signed(bits: u64, width: u32) -> i64 {
    let shift = 64 - width.clamp(1, 64);
    (bits << shift).cast_signed() >> shift
}

/// Computes an operation on constants.
pub(crate) fn operation(constants: &Constants, types: &Types, i: &Instruction) -> Result<Constant> {
    let word = i.word;
    let numbers = i.numbers_from(0)?;
    let (number, operands) =
        numbers.split_first().ok_or_else(|| malformed(word, "an operation was expected"))?;
    let op =
        Op::from_u32(*number).ok_or_else(|| malformed(word, format!("operation {number} is not known")))?;
    let folder = Folder { constants, types, word, op, ty: i.result_type()?, operands };
    folder.run()
}

/// The most parts that are made of one that has none, to be changed.
const MOST_MADE: usize = 1 << 16;

struct Folder<'a> {
    constants: &'a Constants,
    types: &'a Types,
    word: usize,
    op: Op,
    ty: u32,
    operands: &'a [u32],
}

impl Folder<'_> {
    fn at(&self, index: usize) -> Result<&Constant> {
        let id = self.operands.get(index).ok_or_else(|| malformed(self.word, "an operand is missing"))?;
        self.constants.of(self.word, *id)
    }

    fn made(&self, value: Value) -> Constant {
        Constant::new(self.ty, value)
    }

    fn run(&self) -> Result<Constant> {
        match self.op {
            Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                self.address()
            }
            Op::ConvertPtrToU => self.cast("ptrtoint"),
            Op::ConvertUToPtr => self.cast("inttoptr"),
            Op::PtrCastToGeneric | Op::GenericCastToPtr => self.cast("addrspacecast"),
            Op::CompositeExtract => self.part(self.at(0)?.clone(), &self.operands[1..]),
            Op::CompositeInsert => {
                let whole = self.at(1)?;
                self.with_part(whole, self.at(0)?, self.operands.get(2..).unwrap_or(&[]))
            }
            Op::VectorShuffle => self.shuffle(),
            Op::Bitcast if self.is_address(0)? => {
                let is_pointer = matches!(self.types.get(self.word, self.ty)?.shape, Shape::Pointer { .. });
                if is_pointer { Ok(self.made((*self.at(0)?.value).clone())) } else { self.cast("ptrtoint") }
            }
            Op::Select => self.select(),
            _ => self.by_element(),
        }
    }

    fn is_address(&self, index: usize) -> Result<bool> {
        let constant = self.at(index)?;
        Ok(matches!(self.types.get(self.word, constant.ty)?.shape, Shape::Pointer { .. }))
    }

    fn typed(&self, constant: &Constant) -> Result<String> {
        Ok(format!("{} {}", self.types.text(self.word, constant.ty)?, text(self.types, self.word, constant)?))
    }

    fn cast(&self, how: &str) -> Result<Constant> {
        let from = self.typed(self.at(0)?)?;
        let to = self.types.text(self.word, self.ty)?;
        Ok(self.made(Value::Address(format!("{how} ({from} to {to})"))))
    }

    fn address(&self) -> Result<Constant> {
        let base = self.at(0)?;
        let (_, to) = self.types.pointee(self.word, base.ty)?;
        let mut indices = Vec::new();
        if matches!(self.op, Op::AccessChain | Op::InBoundsAccessChain) {
            indices.push("i32 0".to_owned());
        }
        let mut reached = to;
        for index in 1..self.operands.len() {
            let number = self.at(index)?;
            indices.push(self.typed(number)?);
            if indices.len() == 1 {
                continue;
            }
            let bits = number.bits().ok_or_else(|| invalid(self.word, "an index that is no number"))?;
            reached = match &self.types.get(self.word, reached)?.shape {
                Shape::Array { of, .. } | Shape::Vector { of, .. } => *of,
                Shape::Struct { members, .. } => {
                    let member = usize::try_from(bits).ok().and_then(|bits| members.get(bits));
                    *member
                        .ok_or_else(|| invalid(self.word, format!("the structure has no member {bits}")))?
                }
                _ => return Err(invalid(self.word, "an index into what has no parts")),
            };
        }
        if self.types.text(self.word, reached)?
            != self.types.text(self.word, self.types.pointee(self.word, self.ty)?.1)?
        {
            return Err(invalid(self.word, "an address of another type than what it leads to"));
        }
        let inbounds = matches!(self.op, Op::InBoundsAccessChain | Op::InBoundsPtrAccessChain);
        let inbounds = if inbounds { "inbounds " } else { "" };
        let (element, base) = (self.types.text(self.word, to)?, self.typed(base)?);
        let text = format!("getelementptr {inbounds}({element}, {base}, {})", indices.join(", "));
        Ok(self.made(Value::Address(text)))
    }

    /// A constant's parts, those of nulls and undefined ones made.
    fn parts(&self, whole: &Constant) -> Result<Vec<Constant>> {
        match &*whole.value {
            Value::Parts(parts) => Ok(parts.clone()),
            Value::Null | Value::Undef => {
                let types = part_types(self.types, self.word, whole.ty, MOST_MADE)?;
                if types.len() > MOST_MADE {
                    return Err(not_supported(self.word, "an operation on so long an array in a constant"));
                }
                Ok(types.into_iter().map(|ty| Constant::new(ty, (*whole.value).clone())).collect())
            }
            _ => Err(invalid(self.word, "a constant that has no parts")),
        }
    }

    fn part(&self, mut whole: Constant, path: &[u32]) -> Result<Constant> {
        for index in path {
            let mut parts = self.parts(&whole)?;
            if *index as usize >= parts.len() {
                return Err(invalid(self.word, format!("a constant has no part {index}")));
            }
            whole = parts.swap_remove(*index as usize);
        }
        Ok(whole)
    }

    fn with_part(&self, whole: &Constant, part: &Constant, path: &[u32]) -> Result<Constant> {
        let Some((index, rest)) = path.split_first() else { return Ok(part.clone()) };
        if rest.len() > 255 {
            return Err(invalid(self.word, "more indices than types can be nested"));
        }
        let mut parts = self.parts(whole)?;
        let place = parts.get_mut(*index as usize);
        let place = place.ok_or_else(|| invalid(self.word, format!("a constant has no part {index}")))?;
        *place = self.with_part(place, part, rest)?;
        Ok(Constant::new(whole.ty, Value::Parts(parts)))
    }

    fn shuffle(&self) -> Result<Constant> {
        let mut all = self.parts(self.at(0)?)?;
        all.extend(self.parts(self.at(1)?)?);
        let Shape::Vector { of, .. } = self.types.get(self.word, self.ty)?.shape else {
            return Err(invalid(self.word, "a shuffle gives a vector"));
        };
        let pick = |index: &u32| match all.get(*index as usize) {
            Some(part) => Ok(part.clone()),
            None if *index == u32::MAX => Ok(Constant::new(of, Value::Undef)),
            None => Err(invalid(self.word, format!("the vectors have no element {index}"))),
        };
        let parts = self.operands[2..].iter().map(pick).collect::<Result<Vec<_>>>()?;
        Ok(self.made(Value::Parts(parts)))
    }

    fn select(&self) -> Result<Constant> {
        let (condition, yes, no) = (self.at(0)?, self.at(1)?, self.at(2)?);
        if let Some(bits) = condition.bits()
            && !matches!(self.types.get(self.word, condition.ty)?.shape, Shape::Vector { .. })
        {
            return Ok(self.made((*if bits & 1 == 1 { yes } else { no }.value).clone()));
        }
        let (conditions, yes, no) = (self.parts(condition)?, self.parts(yes)?, self.parts(no)?);
        let choose = |((condition, yes), no): ((&Constant, &Constant), &Constant)| {
            if condition.bits().unwrap_or(0) & 1 == 1 { yes.clone() } else { no.clone() }
        };
        Ok(self.made(Value::Parts(conditions.iter().zip(&yes).zip(&no).map(choose).collect())))
    }

    /// Operations on numbers, and on vectors of them element by element.
    fn by_element(&self) -> Result<Constant> {
        let operands = (0..self.operands.len()).map(|index| self.at(index)).collect::<Result<Vec<_>>>()?;
        let Shape::Vector { of, lanes } = self.types.get(self.word, self.ty)?.shape else {
            return Ok(self.made(Value::Bits(self.scalar(self.ty, &operands)?)));
        };
        let all = operands.iter().map(|operand| self.parts(operand)).collect::<Result<Vec<_>>>()?;
        let lane = |lane: usize| {
            let own = all.iter().map(|parts| parts.get(lane)).collect::<Option<Vec<_>>>();
            let own = own.ok_or_else(|| invalid(self.word, "vectors of different lengths"))?;
            Ok(Constant::new(of, Value::Bits(self.scalar(of, &own)?)))
        };
        Ok(self.made(Value::Parts((0..lanes as usize).map(lane).collect::<Result<_>>()?)))
    }

    fn scalar(&self, ty: u32, operands: &[&Constant]) -> Result<u64> {
        let mut numbers = Vec::new();
        for operand in operands {
            let bits = operand.bits().ok_or_else(|| {
                not_supported(self.word, format!("Op{:?} of addresses in a constant", self.op))
            })?;
            numbers.push(Number { bits, shape: self.types.get(self.word, operand.ty)?.shape.clone() });
        }
        let result = &self.types.get(self.word, ty)?.shape;
        let computed = compute(self.op, result, &numbers);
        let bits =
            computed.ok_or_else(|| not_supported(self.word, format!("Op{:?} in a constant", self.op)))?;
        Ok(cut(bits, width(result)))
    }
}

struct Number {
    bits: u64,
    shape: Shape,
}

fn width(shape: &Shape) -> u32 {
    match shape {
        Shape::Int(bits) | Shape::Float(bits) => *bits,
        _ => 1,
    }
}

impl Number {
    fn unsigned(&self) -> u64 {
        cut(self.bits, width(&self.shape))
    }

    fn signed(&self) -> i64 {
        signed(self.bits, width(&self.shape))
    }

    fn float(&self) -> Option<f64> {
        match self.shape {
            Shape::Float(32) => Some(f64::from(f32::from_bits(u32::try_from(cut(self.bits, 32)).ok()?))),
            Shape::Float(64) => Some(f64::from_bits(self.bits)),
            _ => None,
        }
    }
}

/// The bits of a number of floating point; sums, products and quotients of floats are computed as doubles, which rounds
/// the same.
#[expect(clippy::cast_possible_truncation, reason = "rounds, as the type asks for")]
fn float_bits(shape: &Shape, value: f64) -> Option<u64> {
    match shape {
        Shape::Float(32) => Some(u64::from((value as f32).to_bits())),
        Shape::Float(64) => Some(value.to_bits()),
        _ => None,
    }
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "conversions round and saturate, as they are asked to"
)]
fn compute(op: Op, result: &Shape, n: &[Number]) -> Option<u64> {
    let (a, b) = (n.first()?, n.get(1));
    let unsigned = |f: fn(u64, u64) -> Option<u64>| f(a.unsigned(), b?.unsigned());
    let with_sign = |f: fn(i64, i64) -> Option<i64>| f(a.signed(), b?.signed()).map(i64::cast_unsigned);
    let floats = |f: fn(f64, f64) -> f64| float_bits(result, f(a.float()?, b?.float()?));
    let truth = |value: bool| Some(u64::from(value));
    match op {
        Op::IAdd => unsigned(|a, b| Some(a.wrapping_add(b))),
        Op::ISub => unsigned(|a, b| Some(a.wrapping_sub(b))),
        Op::IMul => unsigned(|a, b| Some(a.wrapping_mul(b))),
        // What is divided by zero is undefined: zero is as good as any.
        Op::UDiv => unsigned(|a, b| Some(a.checked_div(b).unwrap_or(0))),
        Op::UMod => unsigned(|a, b| Some(a.checked_rem(b).unwrap_or(0))),
        Op::SDiv => with_sign(|a, b| Some(a.checked_div(b).unwrap_or(0))),
        Op::SRem => with_sign(|a, b| Some(a.checked_rem(b).unwrap_or(0))),
        Op::SMod => with_sign(|a, b| {
            let rest = a.checked_rem(b).unwrap_or(0);
            Some(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }),
        Op::SNegate => Some(a.signed().wrapping_neg().cast_unsigned()),
        Op::Not => Some(!a.unsigned()),
        Op::BitwiseAnd | Op::LogicalAnd => unsigned(|a, b| Some(a & b)),
        Op::BitwiseOr | Op::LogicalOr => unsigned(|a, b| Some(a | b)),
        Op::BitwiseXor | Op::LogicalNotEqual => unsigned(|a, b| Some(a ^ b)),
        Op::LogicalEqual => unsigned(|a, b| Some(u64::from(a == b))),
        Op::LogicalNot => truth(a.unsigned() == 0),
        Op::ShiftLeftLogical => {
            unsigned(|a, b| Some(u32::try_from(b).ok().and_then(|b| a.checked_shl(b)).unwrap_or(0)))
        }
        Op::ShiftRightLogical => {
            unsigned(|a, b| Some(u32::try_from(b).ok().and_then(|b| a.checked_shr(b)).unwrap_or(0)))
        }
        Op::ShiftRightArithmetic => {
            let by = u32::try_from(b?.unsigned()).unwrap_or(u32::MAX).min(63);
            Some((a.signed() >> by).cast_unsigned())
        }
        Op::IEqual => truth(a.unsigned() == b?.unsigned()),
        Op::INotEqual => truth(a.unsigned() != b?.unsigned()),
        Op::UGreaterThan => truth(a.unsigned() > b?.unsigned()),
        Op::UGreaterThanEqual => truth(a.unsigned() >= b?.unsigned()),
        Op::ULessThan => truth(a.unsigned() < b?.unsigned()),
        Op::ULessThanEqual => truth(a.unsigned() <= b?.unsigned()),
        Op::SGreaterThan => truth(a.signed() > b?.signed()),
        Op::SGreaterThanEqual => truth(a.signed() >= b?.signed()),
        Op::SLessThan => truth(a.signed() < b?.signed()),
        Op::SLessThanEqual => truth(a.signed() <= b?.signed()),
        Op::UConvert => Some(a.unsigned()),
        Op::SConvert => Some(a.signed().cast_unsigned()),
        Op::FConvert => float_bits(result, a.float()?),
        Op::ConvertFToU => Some(a.float()? as u64),
        Op::ConvertFToS => Some((a.float()? as i64).cast_unsigned()),
        // Rounded once: to a float by way of a double would be twice.
        Op::ConvertUToF => match result {
            Shape::Float(32) => Some(u64::from((a.unsigned() as f32).to_bits())),
            _ => float_bits(result, a.unsigned() as f64),
        },
        Op::ConvertSToF => match result {
            Shape::Float(32) => Some(u64::from((a.signed() as f32).to_bits())),
            _ => float_bits(result, a.signed() as f64),
        },
        Op::Bitcast if width(&a.shape) == width(result) => Some(a.bits),
        Op::FNegate => float_bits(result, -a.float()?),
        Op::FAdd => floats(|a, b| a + b),
        Op::FSub => floats(|a, b| a - b),
        Op::FMul => floats(|a, b| a * b),
        Op::FDiv => floats(|a, b| a / b),
        Op::FRem => floats(|a, b| a % b),
        Op::FMod => floats(|a, b| {
            let rest = a % b;
            if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
        }),
        _ => None,
    }
}
