//! Ranges of integers: between which numbers, read as signed, a value of at most 64 bits lies.
//!
//! In: any function, and what the caller knows of calls (the ids of a launch). Out: a [`Range`] for each integer; where nothing
//! is known, that of its type. Found by following operands, on demand, each once; PHI nodes of loops by their step. A value
//! that may be poison has the range that it has where it is not.

use crate::types::TypeKind;
use crate::value::Value;
use crate::{Opcode, Type};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

/// How deep operands are followed.
const DEPTH: u32 = 12;

/// The numbers from `low` to `high`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub low: i128,
    /// The greatest.
    pub high: i128,
}

impl Range {
    /// The numbers from `low` to `high`, both included.
    #[must_use]
    pub const fn new(low: i128, high: i128) -> Range {
        Range { low, high }
    }

    /// One number.
    #[must_use]
    pub const fn just(number: i128) -> Range {
        Range::new(number, number)
    }

    /// All that `bits` bits hold, read as signed.
    #[must_use]
    pub const fn signed(bits: u32) -> Range {
        let half = 1_i128 << (bits - 1);
        Range::new(-half, half - 1)
    }

    /// All that `bits` bits hold, read as unsigned.
    #[must_use]
    pub const fn unsigned(bits: u32) -> Range {
        Range::new(0, (1_i128 << bits) - 1)
    }

    /// Whether every number is in another range too.
    #[must_use]
    pub const fn is_in(self, other: Range) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    /// Never less than 0.
    #[must_use]
    pub const fn is_natural(self) -> bool {
        self.low >= 0
    }

    fn hull(self, other: Range) -> Range {
        Range::new(self.low.min(other.low), self.high.max(other.high))
    }

    fn plus(self, other: Range) -> Range {
        Range::new(self.low + other.low, self.high + other.high)
    }

    fn minus(self, other: Range) -> Range {
        Range::new(self.low - other.high, self.high - other.low)
    }

    fn times(self, other: Range) -> Range {
        let corners = [
            self.low.saturating_mul(other.low),
            self.low.saturating_mul(other.high),
            self.high.saturating_mul(other.low),
            self.high.saturating_mul(other.high),
        ];
        corners.into_iter().map(Range::just).reduce(Range::hull).unwrap_or(self)
    }

    /// What is left of the range in another; the other where nothing is.
    fn within(self, other: Range) -> Range {
        let (low, high) = (self.low.max(other.low), self.high.min(other.high));
        if low <= high { Range::new(low, high) } else { other }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.low, self.high)
    }
}

/// The ranges of one function's integers.
pub struct Ranges<'a, 'c> {
    asked: &'a dyn Fn(Value<'c>) -> Option<Range>,
    known: RefCell<HashMap<Value<'c>, Range>>,
}

impl fmt::Debug for Ranges<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ranges").field("known", &self.known).finish_non_exhaustive()
    }
}

/// The bits of an integer type of at most 64.
fn bits(ty: Type<'_>) -> Option<u32> {
    match ty.kind() {
        TypeKind::Int(bits) if (1..=64).contains(&bits) => Some(bits),
        _ => None,
    }
}

impl<'a, 'c> Ranges<'a, 'c> {
    /// `asked` tells of calls, first of all those that ask for ids.
    #[must_use]
    pub fn new(asked: &'a dyn Fn(Value<'c>) -> Option<Range>) -> Self {
        Ranges { asked, known: RefCell::default() }
    }

    /// The range of an integer of at most 64 bits; `None` for anything else.
    #[must_use]
    pub fn of(&self, value: Value<'c>) -> Option<Range> {
        bits(value.ty()).map(|bits| self.within(value, bits, DEPTH))
    }

    /// Whether an addition, subtraction, multiplication or shift by a constant stays within the signed numbers of its type
    /// whatever its flags say.
    #[must_use]
    pub fn never_wraps(&self, value: Value<'c>) -> bool {
        let Some(bits) = bits(value.ty()) else { return false };
        self.exact(value, DEPTH).is_some_and(|range| range.is_in(Range::signed(bits)))
    }

    fn within(&self, value: Value<'c>, bits: u32, depth: u32) -> Range {
        if let Some(constant) = value.as_int() {
            return Range::just(i128::from(constant));
        }
        let all = Range::signed(bits);
        if !value.is_instruction() || depth == 0 {
            return all;
        }
        if let Some(&known) = self.known.borrow().get(&value) {
            return known;
        }
        // What comes back to the value on the way, through PHI nodes, finds this.
        self.known.borrow_mut().insert(value, all);
        let found = self.compute(value, bits, depth - 1).unwrap_or(all).within(all);
        self.known.borrow_mut().insert(value, found);
        found
    }

    fn operand(&self, value: Value<'c>, index: u32, depth: u32) -> Option<Range> {
        let operand = value.operand(index);
        bits(operand.ty()).map(|bits| self.within(operand, bits, depth))
    }

    /// The result as a number, were there no end to the bits.
    fn exact(&self, value: Value<'c>, depth: u32) -> Option<Range> {
        let operand = |index| self.operand(value, index, depth);
        Some(match value.opcode()? {
            Opcode::LLVMAdd => operand(0)?.plus(operand(1)?),
            Opcode::LLVMOr if value.is_disjoint_or() => operand(0)?.plus(operand(1)?),
            Opcode::LLVMSub => operand(0)?.minus(operand(1)?),
            Opcode::LLVMMul => operand(0)?.times(operand(1)?),
            Opcode::LLVMShl => {
                let by = value.operand(1).as_int().filter(|by| (0..63).contains(by))?;
                operand(0)?.times(Range::just(1 << by))
            }
            _ => return None,
        })
    }

    fn compute(&self, value: Value<'c>, bits: u32, depth: u32) -> Option<Range> {
        let operand = |index| self.operand(value, index, depth);
        let signed = Range::signed(bits);
        Some(match value.opcode()? {
            Opcode::LLVMCall => match (self.asked)(value) {
                Some(range) => range,
                None => self.intrinsic(value, bits, depth)?,
            },
            Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMMul | Opcode::LLVMShl => {
                let exact = self.exact(value, depth)?;
                match exact.is_in(signed) || value.no_signed_wrap() {
                    true => exact.within(signed),
                    false => return None,
                }
            }
            Opcode::LLVMOr | Opcode::LLVMXor => match self.exact(value, depth) {
                Some(exact) if exact.is_in(signed) => exact,
                _ => {
                    // No bit above the highest of both, and all that are in either.
                    let (left, right) = (operand(0)?, operand(1)?);
                    let both = left.hull(right);
                    let most = both.is_natural().then(|| Range::unsigned(128 - both.high.leading_zeros()))?;
                    let least = if value.is(Opcode::LLVMOr) { left.low.max(right.low) } else { 0 };
                    Range::new(least, most.high)
                }
            },
            Opcode::LLVMTrunc => operand(0).filter(|range| range.is_in(signed))?,
            Opcode::LLVMSExt | Opcode::LLVMFreeze => operand(0)?,
            Opcode::LLVMZExt => {
                let from = self::bits(value.operand(0).ty())?;
                operand(0).filter(|range| range.is_natural()).unwrap_or(Range::unsigned(from))
            }
            Opcode::LLVMAnd => {
                let natural = [operand(0)?, operand(1)?].into_iter().filter(|range| range.is_natural());
                Range::new(0, natural.map(|range| range.high).min()?)
            }
            Opcode::LLVMLShr | Opcode::LLVMAShr => {
                let by = value.operand(1).as_int().filter(|&by| (0..i64::from(bits)).contains(&by))?;
                let whole = operand(0)?;
                match value.opcode() {
                    Some(Opcode::LLVMLShr) if !whole.is_natural() && by > 0 => {
                        Range::new(0, Range::unsigned(bits).high >> by)
                    }
                    _ => Range::new(whole.low >> by, whole.high >> by),
                }
            }
            Opcode::LLVMUDiv | Opcode::LLVMSDiv => {
                let whole = operand(0).filter(|range| range.is_natural())?;
                // Whoever divides by 0 gets no number.
                let divisor = operand(1).filter(|range| range.is_natural() && range.high > 0)?;
                Range::new(whole.low / divisor.high, whole.high / divisor.low.max(1))
            }
            Opcode::LLVMURem | Opcode::LLVMSRem => {
                let divisor = operand(1).filter(|range| range.low > 0)?;
                let whole = operand(0)?;
                let top = divisor.high - 1;
                match whole.is_natural() {
                    true => Range::new(0, top.min(whole.high)),
                    false if value.is(Opcode::LLVMURem) => Range::new(0, top),
                    false => Range::new(-top, top),
                }
            }
            Opcode::LLVMSelect => operand(1)?.hull(operand(2)?),
            Opcode::LLVMPHI => self.phi(value, depth)?,
            _ => return None,
        })
    }

    /// What LLVM's intrinsics for the least, the greatest and the absolute number give.
    fn intrinsic(&self, call: Value<'c>, bits: u32, depth: u32) -> Option<Range> {
        let name = call.callee().filter(|callee| callee.is_intrinsic())?.name();
        let word = name.strip_prefix("llvm.")?.split('.').next()?;
        let argument = |index: usize| Some(self.within(*call.arguments().get(index)?, bits, depth));
        let one = argument(0)?;
        if word == "abs" {
            let far = one.low.abs().max(one.high);
            let near = if one.is_natural() { one.low } else { 0 };
            // The least number has no positive one.
            return Some(Range::new(near, far)).filter(|range| range.is_in(Range::signed(bits)));
        }
        let other = argument(1)?;
        let least = Range::new(one.low.min(other.low), one.high.min(other.high));
        let greatest = Range::new(one.low.max(other.low), one.high.max(other.high));
        match (word, one.is_natural(), other.is_natural()) {
            ("smin", ..) | ("umin", true, true) => Some(least),
            ("smax", ..) | ("umax", true, true) => Some(greatest),
            // What is negative is large where it is read without its sign.
            ("umin", true, false) => Some(Range::new(0, one.high)),
            ("umin", false, true) => Some(Range::new(0, other.high)),
            _ => None,
        }
    }

    /// A PHI node: what comes in; where a way brings the node itself plus what is never negative, and cannot wrap, only the
    /// end is open.
    fn phi(&self, phi: Value<'c>, depth: u32) -> Option<Range> {
        let bits = self::bits(phi.ty())?;
        let mut range: Option<Range> = None;
        let mut grows = false;
        for (value, _) in phi.incoming() {
            if value == phi {
                continue;
            }
            if self.is_step_up(phi, value, depth) {
                grows = true;
                continue;
            }
            let way = self.within(value, bits, depth);
            range = Some(range.map_or(way, |range| range.hull(way)));
        }
        let range = range?;
        Some(if grows { Range::new(range.low, Range::signed(bits).high) } else { range })
    }

    fn is_step_up(&self, phi: Value<'c>, next: Value<'c>, depth: u32) -> bool {
        if !next.is(Opcode::LLVMAdd) || !next.no_signed_wrap() {
            return false;
        }
        let (left, right) = (next.operand(0), next.operand(1));
        let step = if left == phi { right } else { left };
        let other = bits(step.ty()).map(|bits| self.within(step, bits, depth));
        (left == phi || right == phi) && step != phi && other.is_some_and(Range::is_natural)
    }
}
