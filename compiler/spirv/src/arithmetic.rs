//! Arithmetic, comparisons, logic and bits.

use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, FPFastMathMode, Op};

use crate::error::{Result, invalid};
use crate::function::{Function, Used, splat, with_lanes};
use crate::mangle::Param;
use crate::types::Shape;
use crate::words::Instruction;

/// Operations on two integers or truth values that LLVM has as well.
fn on_integers(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::IAdd => "add",
        Op::ISub => "sub",
        Op::IMul => "mul",
        Op::UDiv => "udiv",
        Op::SDiv => "sdiv",
        Op::UMod => "urem",
        Op::SRem => "srem",
        Op::BitwiseOr | Op::LogicalOr => "or",
        Op::BitwiseXor | Op::LogicalNotEqual => "xor",
        Op::BitwiseAnd | Op::LogicalAnd => "and",
        _ => return None,
    })
}

fn on_floats(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::FAdd => "fadd",
        Op::FSub => "fsub",
        Op::FMul => "fmul",
        Op::FDiv => "fdiv",
        _ => return None,
    })
}

fn comparison(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::IEqual | Op::LogicalEqual => "icmp eq",
        Op::INotEqual => "icmp ne",
        Op::UGreaterThan => "icmp ugt",
        Op::UGreaterThanEqual => "icmp uge",
        Op::ULessThan => "icmp ult",
        Op::ULessThanEqual => "icmp ule",
        Op::SGreaterThan => "icmp sgt",
        Op::SGreaterThanEqual => "icmp sge",
        Op::SLessThan => "icmp slt",
        Op::SLessThanEqual => "icmp sle",
        Op::FOrdEqual => "fcmp oeq",
        Op::FUnordEqual => "fcmp ueq",
        Op::FOrdNotEqual | Op::LessOrGreater => "fcmp one",
        Op::FUnordNotEqual => "fcmp une",
        Op::FOrdLessThan => "fcmp olt",
        Op::FUnordLessThan => "fcmp ult",
        Op::FOrdGreaterThan => "fcmp ogt",
        Op::FUnordGreaterThan => "fcmp ugt",
        Op::FOrdLessThanEqual => "fcmp ole",
        Op::FUnordLessThanEqual => "fcmp ule",
        Op::FOrdGreaterThanEqual => "fcmp oge",
        Op::FUnordGreaterThanEqual => "fcmp uge",
        Op::Ordered => "fcmp ord",
        Op::Unordered => "fcmp uno",
        _ => return None,
    })
}

impl Function<'_, '_> {
    /// Instructions on numbers; false where it is another one.
    pub(crate) fn arithmetic(&mut self, i: &Instruction) -> Result<bool> {
        if let Some(name) = on_integers(i.op) {
            let (a, b) = self.two(i)?;
            self.same_type(i, &a)?;
            let wraps = if matches!(name, "add" | "sub" | "mul") { self.wraps(i) } else { String::new() };
            self.define(i, &format!("{name}{wraps} {}, {}", a.typed(), b.text))?;
            return Ok(true);
        }
        if let Some(name) = on_floats(i.op) {
            let (a, b) = self.two(i)?;
            self.same_type(i, &a)?;
            let fast = self.fast(i);
            self.define(i, &format!("{name}{fast} {}, {}", a.typed(), b.text))?;
            return Ok(true);
        }
        if let Some(name) = comparison(i.op) {
            let (a, b) = self.two(i)?;
            self.truth(i, &a)?;
            let fast = if name.starts_with('f') { self.fast(i) } else { String::new() };
            let (how, predicate) = name.split_once(' ').unwrap_or((name, ""));
            self.define(i, &format!("{how}{fast} {predicate} {}, {}", a.typed(), b.text))?;
            return Ok(true);
        }
        match i.op {
            Op::SMod => self.floored_rest(i)?,
            Op::FRem => {
                let rest = self.float_rest(i)?;
                self.alias(i, &rest)?;
            }
            Op::FMod => self.floored_float_rest(i)?,
            Op::SNegate => {
                let a = self.one(i)?;
                let (element, lanes) = self.scalar(i, a.ty)?;
                let wraps = self.wraps(i);
                self.define(
                    i,
                    &format!("sub{wraps} {} {}, {}", a.type_text, splat(&element, "0", lanes), a.text),
                )?;
            }
            Op::FNegate => {
                let a = self.one(i)?;
                let fast = self.fast(i);
                self.define(i, &format!("fneg{fast} {}", a.typed()))?;
            }
            Op::Not | Op::LogicalNot => {
                let a = self.one(i)?;
                let (element, lanes) = self.scalar(i, a.ty)?;
                let ones = if &*element == "i1" { "true" } else { "-1" };
                self.define(i, &format!("xor {}, {}", a.typed(), splat(&element, ones, lanes)))?;
            }
            Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic => self.shift(i)?,
            Op::Select => {
                let (c, a, b) = (self.operand(i, 0)?, self.operand(i, 1)?, self.operand(i, 2)?);
                self.same_type(i, &a)?;
                self.define(i, &format!("select {}, {}, {}", c.typed(), a.typed(), b.typed()))?;
            }
            Op::IAddCarry | Op::ISubBorrow => self.with_carry(i)?,
            Op::UMulExtended | Op::SMulExtended => self.extended_product(i)?,
            Op::VectorTimesScalar => {
                let (vector, number) = (self.operand(i, 0)?, self.operand(i, 1)?);
                self.same_type(i, &vector)?;
                let (_, lanes) = self.scalar(i, vector.ty)?;
                let all = self.in_all_lanes(i, &number, lanes);
                let fast = self.fast(i);
                self.define(i, &format!("fmul{fast} {}, {all}", vector.typed()))?;
            }
            Op::Dot => {
                let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
                self.t.types.float_bits(i.word, a.ty)?;
                let param = self.t.types.param(i.word, a.ty, true)?;
                let result = self.result_text(i)?;
                let call =
                    self.library(i, "dot", &[param.clone(), param], &result, &[a.argument(), b.argument()])?;
                self.define(i, &call)?;
            }
            Op::IsNan => {
                let a = self.operand(i, 0)?;
                self.truth(i, &a)?;
                self.define(i, &format!("fcmp uno {}, {}", a.typed(), a.text))?;
            }
            Op::IsInf | Op::IsFinite | Op::IsNormal => self.classify(i)?,
            Op::SignBitSet => {
                let a = self.operand(i, 0)?;
                self.truth(i, &a)?;
                let (_, lanes) = self.scalar(i, a.ty)?;
                let element = format!("i{}", self.t.types.float_bits(i.word, a.ty)?);
                let ty = with_lanes(&element, lanes);
                let bits = self.temporary(i, &format!("bitcast {} to {ty}", a.typed()));
                self.define(i, &format!("icmp slt {ty} {bits}, {}", splat(&element, "0", lanes)))?;
            }
            Op::Any | Op::All => self.any_or_all(i)?,
            Op::BitCount => {
                let a = self.operand(i, 0)?;
                let param = self.t.types.param(i.word, a.ty, true)?;
                let call = self.library(i, "popcount", &[param], &a.type_text, &[a.argument()])?;
                self.resized(i, &call, &a)?;
            }
            Op::BitReverse => {
                let a = self.one(i)?;
                let param = self.t.types.param(i.word, a.ty, true)?;
                let call = self.library(i, "bit_reverse", &[param], &a.type_text, &[a.argument()])?;
                self.define(i, &call)?;
            }
            Op::BitFieldInsert | Op::BitFieldSExtract | Op::BitFieldUExtract => self.bit_field(i)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The operand of an operation on one, of the result's type.
    fn one(&mut self, i: &Instruction) -> Result<Used> {
        let a = self.operand(i, 0)?;
        self.same_type(i, &a)?;
        Ok(a)
    }

    /// The operands of an operation on two of one type.
    fn two(&mut self, i: &Instruction) -> Result<(Used, Used)> {
        let (a, b) = (self.operand(i, 0)?, self.operand(i, 1)?);
        if a.type_text != b.type_text {
            return Err(invalid(i.word, format!("operands of types {} and {}", a.type_text, b.type_text)));
        }
        Ok((a, b))
    }

    /// Fails where the result is not as many truth values as the operand has lanes.
    fn truth(&self, i: &Instruction, operand: &Used) -> Result<()> {
        let (_, lanes) = self.scalar(i, operand.ty)?;
        if *self.result_text(i)? == *with_lanes("i1", lanes) {
            return Ok(());
        }
        Err(invalid(i.word, format!("Op{} gives truth values", i.name)))
    }

    fn wraps(&self, i: &Instruction) -> String {
        let words = [(Decoration::NoUnsignedWrap, " nuw"), (Decoration::NoSignedWrap, " nsw")];
        words.iter().filter(|(what, _)| self.is_said(i, *what)).map(|(_, word)| *word).collect()
    }

    /// What is allowed of the mathematics of an instruction.
    fn fast(&self, i: &Instruction) -> String {
        let module = self.t.module;
        let said = i.id.and_then(|id| module.decoration(id, Decoration::FPFastMathMode));
        let Some(Operand::FPFastMathMode(mode)) = said.and_then(|said| said.operands.first()) else {
            return String::new();
        };
        if mode.contains(FPFastMathMode::FAST) {
            return " fast".to_owned();
        }
        let words = [
            (FPFastMathMode::NOT_NAN, " nnan"),
            (FPFastMathMode::NOT_INF, " ninf"),
            (FPFastMathMode::NSZ, " nsz"),
            (FPFastMathMode::ALLOW_RECIP, " arcp"),
            (FPFastMathMode::ALLOW_CONTRACT, " contract"),
            (FPFastMathMode::ALLOW_REASSOC, " reassoc"),
        ];
        words.iter().filter(|(bit, _)| mode.contains(*bit)).map(|(_, word)| *word).collect()
    }

    /// One number in all lanes, without its type.
    pub(crate) fn in_all_lanes(&mut self, i: &Instruction, number: &Used, lanes: u32) -> String {
        let mut vector = "undef".to_owned();
        for lane in 0..lanes {
            let ty = with_lanes(&number.type_text, lanes);
            vector =
                self.temporary(i, &format!("insertelement {ty} {vector}, {}, i32 {lane}", number.typed()));
        }
        vector
    }

    /// The rest that has the divisor's sign.
    fn floored_rest(&mut self, i: &Instruction) -> Result<()> {
        let (a, b) = self.two(i)?;
        self.same_type(i, &a)?;
        let (element, lanes) = self.scalar(i, a.ty)?;
        let (ty, zero) = (a.type_text.clone(), splat(&element, "0", lanes));
        let truth = with_lanes("i1", lanes);
        let rest = self.temporary(i, &format!("srem {}, {}", a.typed(), b.text));
        let signs = self.temporary(i, &format!("xor {ty} {rest}, {}", b.text));
        let differ = self.temporary(i, &format!("icmp slt {ty} {signs}, {zero}"));
        let some = self.temporary(i, &format!("icmp ne {ty} {rest}, {zero}"));
        let both = self.temporary(i, &format!("and {truth} {differ}, {some}"));
        let other = self.temporary(i, &format!("add {ty} {rest}, {}", b.text));
        self.define(i, &format!("select {truth} {both}, {ty} {other}, {ty} {rest}"))
    }

    fn float_rest(&mut self, i: &Instruction) -> Result<String> {
        let (a, b) = self.two(i)?;
        self.same_type(i, &a)?;
        let param = self.t.types.param(i.word, a.ty, true)?;
        let call =
            self.library(i, "fmod", &[param.clone(), param], &a.type_text, &[a.argument(), b.argument()])?;
        Ok(self.temporary(i, &call))
    }

    fn floored_float_rest(&mut self, i: &Instruction) -> Result<()> {
        let rest = self.float_rest(i)?;
        let (a, b) = self.two(i)?;
        let (element, lanes) = self.scalar(i, a.ty)?;
        let (ty, zero) = (a.type_text.clone(), splat(&element, "0.0", lanes));
        let truth = with_lanes("i1", lanes);
        let below = self.temporary(i, &format!("fcmp olt {ty} {rest}, {zero}"));
        let divisor_below = self.temporary(i, &format!("fcmp olt {ty} {}, {zero}", b.text));
        let differ = self.temporary(i, &format!("xor {truth} {below}, {divisor_below}"));
        let some = self.temporary(i, &format!("fcmp one {ty} {rest}, {zero}"));
        let both = self.temporary(i, &format!("and {truth} {differ}, {some}"));
        let other = self.temporary(i, &format!("fadd {ty} {rest}, {}", b.text));
        self.define(i, &format!("select {truth} {both}, {ty} {other}, {ty} {rest}"))
    }

    /// A value of the result's type with as many bits of an integer as it has.
    fn resized(&mut self, i: &Instruction, call: &str, from: &Used) -> Result<()> {
        let own = self.t.types.int_bits(i.word, from.ty)?;
        let wanted = self.t.types.int_bits(i.word, i.result_type()?)?;
        let value = self.temporary(i, call);
        let result = self.result_text(i)?;
        match wanted.cmp(&own) {
            std::cmp::Ordering::Less => {
                self.define(i, &format!("trunc {} {value} to {result}", from.type_text))
            }
            std::cmp::Ordering::Equal => self.alias(i, &value),
            std::cmp::Ordering::Greater => {
                self.define(i, &format!("zext {} {value} to {result}", from.type_text))
            }
        }
    }

    /// The amount of a shift may have another width than what is shifted.
    fn shift(&mut self, i: &Instruction) -> Result<()> {
        let (a, by) = (self.operand(i, 0)?, self.operand(i, 1)?);
        self.same_type(i, &a)?;
        let (own, other) = (self.t.types.int_bits(i.word, a.ty)?, self.t.types.int_bits(i.word, by.ty)?);
        let amount = match other.cmp(&own) {
            std::cmp::Ordering::Equal => by.text,
            std::cmp::Ordering::Less => self.temporary(i, &format!("zext {} to {}", by.typed(), a.type_text)),
            std::cmp::Ordering::Greater => {
                self.temporary(i, &format!("trunc {} to {}", by.typed(), a.type_text))
            }
        };
        let (name, wraps) = match i.op {
            Op::ShiftLeftLogical => ("shl", self.wraps(i)),
            Op::ShiftRightLogical => ("lshr", String::new()),
            _ => ("ashr", String::new()),
        };
        self.define(i, &format!("{name}{wraps} {}, {amount}", a.typed()))
    }

    /// The type of both members of a result.
    fn pair(&self, i: &Instruction, member: &Used) -> Result<()> {
        if let Shape::Struct { members, .. } = self.shape(i, i.result_type()?)?
            && let [first, second] = members.as_slice()
            && self.t.types.text(i.word, *first)? == member.type_text
            && self.t.types.text(i.word, *second)? == member.type_text
        {
            return Ok(());
        }
        Err(invalid(i.word, format!("Op{} gives a pair of its operands' type", i.name)))
    }

    fn give_pair(&mut self, i: &Instruction, ty: &str, first: &str, second: &str) -> Result<()> {
        let result = self.result_text(i)?;
        let half = self.temporary(i, &format!("insertvalue {result} undef, {ty} {first}, 0"));
        self.define(i, &format!("insertvalue {result} {half}, {ty} {second}, 1"))
    }

    fn with_carry(&mut self, i: &Instruction) -> Result<()> {
        let (a, b) = self.two(i)?;
        self.pair(i, &a)?;
        let ty = a.type_text.to_string();
        let truth = with_lanes("i1", self.scalar(i, a.ty)?.1);
        let name = if i.op == Op::IAddCarry { "add" } else { "sub" };
        let value = self.temporary(i, &format!("{name} {}, {}", a.typed(), b.text));
        let carries = match i.op {
            Op::IAddCarry => self.temporary(i, &format!("icmp ult {ty} {value}, {}", a.text)),
            _ => self.temporary(i, &format!("icmp ult {}, {}", a.typed(), b.text)),
        };
        let carry = self.temporary(i, &format!("zext {truth} {carries} to {ty}"));
        self.give_pair(i, &ty, &value, &carry)
    }

    fn extended_product(&mut self, i: &Instruction) -> Result<()> {
        let (a, b) = self.two(i)?;
        self.pair(i, &a)?;
        let ty = a.type_text.to_string();
        let signed = i.op == Op::SMulExtended;
        let low = self.temporary(i, &format!("mul {}, {}", a.typed(), b.text));
        let param = self.t.types.param(i.word, a.ty, signed)?;
        let call = self.library(i, "mul_hi", &[param.clone(), param], &ty, &[a.argument(), b.argument()])?;
        let high = self.temporary(i, &call);
        self.give_pair(i, &ty, &low, &high)
    }

    /// Functions that tell kinds of numbers apart give integers, of all ones in vectors.
    fn classify(&mut self, i: &Instruction) -> Result<()> {
        let a = self.operand(i, 0)?;
        self.truth(i, &a)?;
        let (_, lanes) = self.scalar(i, a.ty)?;
        let bits = if lanes > 1 { self.t.types.float_bits(i.word, a.ty)? } else { 32 };
        let (element, param) = (format!("i{bits}"), self.t.types.param(i.word, a.ty, true)?);
        let ty = with_lanes(&element, lanes);
        let name = match i.op {
            Op::IsInf => "isinf",
            Op::IsFinite => "isfinite",
            _ => "isnormal",
        };
        let call = self.library(i, name, &[param], &ty, &[a.argument()])?;
        let value = self.temporary(i, &call);
        self.define(i, &format!("icmp ne {ty} {value}, {}", splat(&element, "0", lanes)))
    }

    fn any_or_all(&mut self, i: &Instruction) -> Result<()> {
        let a = self.operand(i, 0)?;
        let (_, lanes) = self.scalar(i, a.ty)?;
        if *a.type_text != *with_lanes("i1", lanes) {
            return Err(invalid(i.word, "a vector of truth values was expected"));
        }
        let name = if i.op == Op::Any { "or" } else { "and" };
        let mut so_far = None;
        for lane in 0..lanes {
            let one = match lanes {
                1 => a.text.clone(),
                _ => self.temporary(i, &format!("extractelement {}, i32 {lane}", a.typed())),
            };
            so_far = Some(match so_far {
                None => one,
                Some(others) => self.temporary(i, &format!("{name} i1 {others}, {one}")),
            });
        }
        self.alias(i, &so_far.unwrap_or_default())
    }

    fn bit_field(&mut self, i: &Instruction) -> Result<()> {
        let inserts = i.op == Op::BitFieldInsert;
        let base = self.one(i)?;
        let param = self.t.types.param(i.word, base.ty, i.op == Op::BitFieldSExtract || inserts)?;
        let (mut params, mut arguments) = (vec![param.clone()], vec![base.argument()]);
        if inserts {
            params.push(param);
            arguments.push(self.operand(i, 1)?.argument());
        }
        let first = usize::from(inserts) + 1;
        for index in [first, first + 1] {
            let number = self.operand(i, index)?;
            let bits = self.t.types.int_bits(i.word, number.ty)?;
            let text = match bits {
                32 => number.text,
                0..32 => self.temporary(i, &format!("zext {} to i32", number.typed())),
                _ => self.temporary(i, &format!("trunc {} to i32", number.typed())),
            };
            params.push(Param::UINT);
            arguments.push(("i32".to_owned(), text));
        }
        let name = match i.op {
            Op::BitFieldInsert => "bitfield_insert",
            Op::BitFieldSExtract => "bitfield_extract_signed",
            _ => "bitfield_extract_unsigned",
        };
        let call = self.library(i, name, &params, &base.type_text, &arguments)?;
        self.define(i, &call)
    }
}
