//! Constants: their values, and what of them depends on what the host has specialised.
//!
//! Everything is computed here: LLVM's own expressions of constants know little more than addresses.

use std::collections::BTreeMap;
use std::rc::Rc;

use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Op, SamplerAddressingMode, SamplerFilterMode};

use crate::error::{Result, invalid, malformed};
use crate::fold;
use crate::module::Module;
use crate::types::{Shape, Types};
use crate::words::Instruction;

/// The most numbers that a constant may consist of.
const MOST_PARTS: u64 = 1 << 22;

/// A constant's value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// A number's bits; 0 or 1 of a truth value.
    Bits(u64),
    Null,
    Undef,
    Parts(Vec<Constant>),
    /// An address, or what is computed of one, in LLVM's words.
    Address(String),
    /// A sampler's bits, as OpenCL C's literals have them.
    Sampler(u32),
}

/// A constant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Constant {
    pub(crate) ty: u32,
    pub(crate) value: Rc<Value>,
    /// Of how many numbers it consists.
    parts: u64,
}

impl Constant {
    pub(crate) fn new(ty: u32, value: Value) -> Self {
        let parts = match &value {
            Value::Parts(parts) => parts.iter().map(|part| part.parts).fold(1, u64::saturating_add),
            _ => 1,
        };
        Self { ty, value: Rc::new(value), parts }
    }

    /// The bits of a number; a null's are zero, and so may undefined ones be.
    pub(crate) fn bits(&self) -> Option<u64> {
        match *self.value {
            Value::Bits(bits) => Some(bits),
            Value::Null | Value::Undef => Some(0),
            _ => None,
        }
    }
}

/// All constants of a module, and the addresses of its variables.
#[derive(Debug, Default)]
pub(crate) struct Constants {
    known: BTreeMap<u32, Constant>,
    /// What the host has specialised, by the constants' own numbers.
    specialised: BTreeMap<u32, Vec<u8>>,
}

impl Constants {
    pub(crate) fn new(specialised: &[(u32, Vec<u8>)]) -> Self {
        Self { known: BTreeMap::new(), specialised: specialised.iter().cloned().collect() }
    }

    pub(crate) fn get(&self, id: u32) -> Option<&Constant> {
        self.known.get(&id)
    }

    /// A constant that was defined.
    pub(crate) fn of(&self, word: usize, id: u32) -> Result<&Constant> {
        self.known.get(&id).ok_or_else(|| invalid(word, format!("id {id} is no constant")))
    }

    /// An integer's value, without a sign.
    pub(crate) fn integer(&self, word: usize, id: u32) -> Result<u64> {
        let bits = self.of(word, id)?.bits();
        bits.ok_or_else(|| invalid(word, format!("id {id} is no constant number")))
    }

    /// Makes an address known.
    pub(crate) fn add_address(&mut self, id: u32, ty: u32, text: String) {
        self.known.insert(id, Constant::new(ty, Value::Address(text)));
    }

    /// Takes the definition of a constant; false where the instruction is none.
    pub(crate) fn define(&mut self, module: &Module, types: &Types, i: &Instruction) -> Result<bool> {
        let word = i.word;
        let value = match i.op {
            Op::ConstantTrue => Value::Bits(1),
            Op::ConstantFalse => Value::Bits(0),
            Op::SpecConstantTrue => Value::Bits(self.specialised(module, i, 1, 1)?),
            Op::SpecConstantFalse => Value::Bits(self.specialised(module, i, 0, 1)?),
            Op::Constant | Op::SpecConstant => {
                let width = match types.get(word, i.result_type()?)?.shape {
                    Shape::Int(bits) | Shape::Float(bits) => bits,
                    _ => return Err(invalid(word, "a constant of a type that is no number's")),
                };
                let bits = cut(i.wide_number_at(0)?, width);
                let is_special = i.op == Op::SpecConstant;
                let bytes = width.div_ceil(8);
                Value::Bits(if is_special { self.specialised(module, i, bits, bytes)? } else { bits })
            }
            Op::ConstantNull => Value::Null,
            Op::Undef => Value::Undef,
            Op::ConstantComposite | Op::SpecConstantComposite => {
                self.composite(types, word, i.result_type()?, &i.ids_from(0)?)?
            }
            Op::ConstantSampler => Value::Sampler(sampler(i)?),
            Op::SpecConstantOp => {
                let constant = fold::operation(self, types, i)?;
                self.known.insert(i.result()?, constant);
                return Ok(true);
            }
            _ => return Ok(false),
        };
        let ty = i.result_type()?;
        types.in_memory(word, ty)?;
        let fits = match types.get(word, ty)?.shape {
            Shape::Bool => matches!(value, Value::Bits(_) | Value::Null | Value::Undef),
            Shape::Sampler => matches!(value, Value::Sampler(_)),
            _ => !matches!(value, Value::Sampler(_)),
        };
        if !fits {
            return Err(invalid(word, format!("Op{} of another type", i.name)));
        }
        let constant = Constant::new(ty, value);
        if constant.parts > MOST_PARTS {
            return Err(invalid(word, format!("a constant of more than {MOST_PARTS} parts")));
        }
        self.known.insert(i.result()?, constant);
        Ok(true)
    }

    /// What the host said of a constant, or else its own value.
    fn specialised(&self, module: &Module, i: &Instruction, bits: u64, bytes: u32) -> Result<u64> {
        let number = module.decoration(i.result()?, Decoration::SpecId).and_then(|one| one.number());
        let Some(given) = number.and_then(|number| self.specialised.get(&number)) else { return Ok(bits) };
        if given.len() != bytes as usize {
            let said = format!("a constant of {bytes} bytes was given {}", given.len());
            return Err(invalid(i.word, said));
        }
        let mut whole = [0; 8];
        whole[..given.len()].copy_from_slice(given);
        let value = u64::from_le_bytes(whole);
        let is_truth = matches!(i.op, Op::SpecConstantTrue | Op::SpecConstantFalse);
        Ok(if is_truth { u64::from(value != 0) } else { value })
    }

    fn composite(&self, types: &Types, word: usize, ty: u32, ids: &[u32]) -> Result<Value> {
        let mut parts = ids.iter().map(|id| self.of(word, *id).cloned()).collect::<Result<Vec<_>>>()?;
        let wanted = part_types(types, word, ty, parts.len())?;
        for (part, wanted) in parts.iter_mut().zip(&wanted) {
            // A null is one whatever its type: modules of LLVM's back end have them as integers for pointers.
            if *part.value == Value::Null {
                part.ty = *wanted;
            }
        }
        let same = |(part, wanted): (&Constant, &u32)| match (
            types.text(word, part.ty),
            types.text(word, *wanted),
        ) {
            (Ok(own), Ok(wanted)) => own == wanted,
            _ => false,
        };
        if wanted.len() != parts.len() || !parts.iter().zip(&wanted).all(same) {
            return Err(invalid(word, "the parts of a constant do not fit its type"));
        }
        Ok(Value::Parts(parts))
    }
}

/// The types of a type's parts; of an array, as many as `most` at most and one more.
pub(crate) fn part_types(types: &Types, word: usize, ty: u32, most: usize) -> Result<Vec<u32>> {
    match &types.get(word, ty)?.shape {
        Shape::Vector { of, lanes } => Ok(vec![*of; *lanes as usize]),
        Shape::Array { of, length } => {
            let length = usize::try_from(*length).unwrap_or(usize::MAX);
            Ok(vec![*of; length.min(most + 1)])
        }
        Shape::Struct { members, .. } => Ok(members.clone()),
        _ => Err(invalid(word, "a type that has no parts")),
    }
}

/// A number's lowest bits.
pub(crate) fn cut(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

/// A literal sampler in the bits of OpenCL C's.
fn sampler(i: &Instruction) -> Result<u32> {
    match i.operands.as_slice() {
        [
            Operand::SamplerAddressingMode(addressing),
            Operand::LiteralBit32(normalised),
            Operand::SamplerFilterMode(filter),
        ] => {
            let addressing = match addressing {
                SamplerAddressingMode::None => 0,
                SamplerAddressingMode::ClampToEdge => 2,
                SamplerAddressingMode::Clamp => 4,
                SamplerAddressingMode::Repeat => 6,
                SamplerAddressingMode::RepeatMirrored => 8,
            };
            let filter = match filter {
                SamplerFilterMode::Nearest => 0x10,
                _ => 0x20,
            };
            Ok(addressing | (normalised & 1) | filter)
        }
        _ => Err(malformed(i.word, "a sampler was expected")),
    }
}

/// A constant in LLVM's words, without its type.
pub(crate) fn text(types: &Types, word: usize, constant: &Constant) -> Result<String> {
    Ok(match &*constant.value {
        Value::Null => "zeroinitializer".to_owned(),
        Value::Undef => "undef".to_owned(),
        Value::Address(text) => text.clone(),
        Value::Sampler(_) => return Err(invalid(word, "a sampler where none can be")),
        Value::Bits(bits) => match types.get(word, constant.ty)?.shape {
            Shape::Bool => if bits & 1 == 1 { "true" } else { "false" }.to_owned(),
            Shape::Int(width) => fold::signed(*bits, width).to_string(),
            Shape::Float(16) => format!("0xH{bits:04X}"),
            Shape::Float(32) => format!("0x{:016X}", widened(cut(*bits, 32))),
            Shape::Float(_) => format!("0x{bits:016X}"),
            _ => return Err(invalid(word, "a number of a type that is no number's")),
        },
        Value::Parts(parts) => {
            let inner = parts
                .iter()
                .map(|part| Ok(format!("{} {}", types.text(word, part.ty)?, text(types, word, part)?)))
                .collect::<Result<Vec<_>>>()?
                .join(", ");
            match types.get(word, constant.ty)?.shape {
                Shape::Vector { .. } => format!("<{inner}>"),
                Shape::Array { .. } => format!("[{inner}]"),
                Shape::Struct { packed: true, .. } => format!("<{{ {inner} }}>"),
                _ => format!("{{ {inner} }}"),
            }
        }
    })
}

/// The bits of a float as a double's, which is how LLVM's texts have them.
fn widened(bits: u64) -> u64 {
    let float = f32::from_bits(u32::try_from(bits).unwrap_or(0));
    if float.is_nan() {
        // The payload stays as it is, quiet or not.
        return (bits >> 31) << 63 | 0x7FF << 52 | (bits & 0x7F_FFFF) << 29;
    }
    f64::from(float).to_bits()
}
