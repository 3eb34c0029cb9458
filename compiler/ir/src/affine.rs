//! Addresses as affine forms of the ids: `parameter + constant + Σ factor · id`.
//!
//! In: a kernel after inlining, and the ranges that ids have. A form is exact as long as these hold, which is what integer
//! conversions of ids need; where arithmetic might wrap otherwise there is no form.

use crate::module::Layout;
use crate::range::{Range, Ranges};
use crate::types::TypeKind;
use crate::value::Value;
use crate::{Function, Opcode};
use std::fmt;

/// Which id a call asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Id {
    /// `get_global_id` of a dimension.
    Global(usize),
    /// `get_local_id` of a dimension.
    Local(usize),
    /// `get_group_id` of a dimension.
    Group(usize),
}

/// `constant + Σ factor · id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Affine {
    /// The constant part.
    pub constant: i64,
    /// Factors of the global ids.
    pub global: [i64; 3],
    /// Factors of the local ids.
    pub local: [i64; 3],
    /// Factors of the group ids.
    pub group: [i64; 3],
}

impl Affine {
    fn constant(constant: i64) -> Affine {
        Affine { constant, ..Affine::default() }
    }

    fn factors(&self) -> impl Iterator<Item = i64> {
        self.global.into_iter().chain(self.local).chain(self.group)
    }

    fn combine(self, other: Affine, by: impl Fn(i64, i64) -> Option<i64>) -> Option<Affine> {
        let each = |a: [i64; 3], b: [i64; 3]| Some([by(a[0], b[0])?, by(a[1], b[1])?, by(a[2], b[2])?]);
        Some(Affine {
            constant: by(self.constant, other.constant)?,
            global: each(self.global, other.global)?,
            local: each(self.local, other.local)?,
            group: each(self.group, other.group)?,
        })
    }

    fn scaled(self, factor: i64) -> Option<Affine> {
        self.combine(Affine::default(), |a, _| a.checked_mul(factor))
    }

    /// The sum; none where a number of it leaves 64 bits.
    #[must_use]
    pub fn plus(self, other: Affine) -> Option<Affine> {
        self.combine(other, i64::checked_add)
    }

    /// The difference, in the same way.
    #[must_use]
    pub fn minus(self, other: Affine) -> Option<Affine> {
        self.combine(other, i64::checked_sub)
    }

    fn is_never_negative(&self) -> bool {
        self.constant >= 0 && self.factors().all(|factor| factor >= 0)
    }
}

/// A sum, the constant last; `0` where nothing is left.
impl fmt::Display for Affine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut terms = Vec::new();
        for (factors, id) in [(self.global, "global"), (self.local, "local"), (self.group, "group")] {
            for (dimension, factor) in factors.into_iter().enumerate().filter(|(_, factor)| *factor != 0) {
                terms.push(format!("{factor}*{id}{dimension}"));
            }
        }
        if self.constant != 0 || terms.is_empty() {
            terms.push(self.constant.to_string());
        }
        f.write_str(&terms.join(" + "))
    }
}

/// Finds affine forms in one kernel.
pub struct Forms<'a, 'c> {
    parameters: Vec<Value<'c>>,
    layout: Layout<'a>,
    id: &'a dyn Fn(Value<'c>) -> Option<Id>,
    ranges: Ranges<'a, 'c>,
}

impl std::fmt::Debug for Forms<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Forms").field("parameters", &self.parameters).finish_non_exhaustive()
    }
}

impl<'a, 'c> Forms<'a, 'c> {
    /// For a kernel; `id` tells which calls ask for ids, `range` between which numbers a call's result lies.
    #[must_use]
    pub fn of(
        kernel: Function<'c>,
        layout: Layout<'a>,
        id: &'a dyn Fn(Value<'c>) -> Option<Id>,
        range: &'a dyn Fn(Value<'c>) -> Option<Range>,
    ) -> Self {
        Forms { parameters: kernel.parameters(), layout, id, ranges: Ranges::new(range) }
    }

    /// The parameter that an address is relative to, and its form in bytes.
    #[must_use]
    pub fn address(&self, pointer: Value<'c>) -> Option<(usize, Affine)> {
        if let Some(index) = self.parameters.iter().position(|&parameter| parameter == pointer) {
            return Some((index, Affine::default()));
        }
        match pointer.opcode()? {
            Opcode::LLVMGetElementPtr => {
                let (base, form) = self.address(pointer.operand(0))?;
                let steps = pointer.gep_steps(self.layout)?;
                let operands = pointer.operands();
                let add = |form: Affine, &(position, size): &(usize, i64)| {
                    form.plus(self.number(operands[position])?.scaled(size)?)
                };
                let form =
                    steps.variable.iter().try_fold(form.plus(Affine::constant(steps.constant))?, add)?;
                Some((base, form))
            }
            Opcode::LLVMAddrSpaceCast => self.address(pointer.operand(0)),
            _ => None,
        }
    }

    /// Whether a conversion to fewer bits loses nothing, in the sense of `of_bits`.
    fn fits(&self, cut: Value<'c>, of_bits: fn(u32) -> Range) -> bool {
        let TypeKind::Int(bits @ 32..=64) = cut.ty().kind() else { return false };
        self.ranges.of(cut.operand(0)).is_some_and(|range| range.is_in(of_bits(bits)))
    }

    /// The form of an integer.
    #[must_use]
    pub fn number(&self, value: Value<'c>) -> Option<Affine> {
        if let Some(constant) = value.as_int() {
            return Some(Affine::constant(constant));
        }
        if !value.is_instruction() {
            return None;
        }
        if value.is(Opcode::LLVMCall) {
            let mut form = Affine::default();
            match (self.id)(value)? {
                Id::Global(dimension) => *form.global.get_mut(dimension)? = 1,
                Id::Local(dimension) => *form.local.get_mut(dimension)? = 1,
                Id::Group(dimension) => *form.group.get_mut(dimension)? = 1,
            }
            return Some(form);
        }
        let exact = value.ty() == value.types().i64() || value.no_signed_wrap();
        let operand = |index: u32| self.number(value.operand(index));
        match value.opcode()? {
            Opcode::LLVMAdd if exact => operand(0)?.plus(operand(1)?),
            Opcode::LLVMOr if value.is_disjoint_or() => operand(0)?.plus(operand(1)?),
            Opcode::LLVMSub if exact => operand(0)?.minus(operand(1)?),
            Opcode::LLVMMul if exact => match (value.operand(0).as_int(), value.operand(1).as_int()) {
                (_, Some(factor)) => operand(0)?.scaled(factor),
                (Some(factor), _) => operand(1)?.scaled(factor),
                _ => None,
            },
            Opcode::LLVMShl if exact => {
                let by = value.operand(1).as_int().filter(|by| (0..62).contains(by))?;
                operand(0)?.scaled(1 << by)
            }
            Opcode::LLVMSExt | Opcode::LLVMFreeze => operand(0),
            Opcode::LLVMZExt => match value.operand(0) {
                // What was cut is whole again.
                cut if cut.is(Opcode::LLVMTrunc) && self.fits(cut, Range::unsigned) => {
                    self.number(cut.operand(0))
                }
                _ => operand(0).filter(Affine::is_never_negative),
            },
            // Exact for an id, which is small; sums and products may already be too large.
            Opcode::LLVMTrunc if self.fits(value, Range::signed) => operand(0),
            _ => None,
        }
    }
}
