//! Integer expressions.

use super::{Maker, Use};
use crate::ast::{Binary, Builtin, Expr, ExprKind, Family, Query, Unary};
use crate::types::{INTEGERS, Scalar, Type};

/// How deep expressions go.
const DEEPEST: u32 = 4;

impl Maker {
    /// A literal of a type, often at an edge.
    pub(super) fn literal(&mut self, scalar: Scalar) -> Expr {
        let (low, high) = scalar.range();
        if scalar == Scalar::Int && !self.program.macros.is_empty() && self.random.chance(30) {
            let (_, value) = self.random.pick(&self.program.macros.clone());
            return Expr::literal(scalar, i128::from(value));
        }
        let value = match self.random.below(12) {
            0 => low,
            1 => high,
            2 => -1,
            3 => i128::from(self.random.bits() as i32),
            4 => i128::from(self.random.below(256)),
            5 => 1 << self.random.below(u64::from(scalar.bits())),
            _ => i128::from(self.random.below(10)),
        };
        Expr::literal(scalar, scalar.integer(scalar.wrap(value)))
    }

    /// Any scalar integer expression; a uniform one has the same value for the whole group.
    pub(super) fn value(&mut self, uniform: bool, depth: u32) -> Expr {
        if depth >= DEEPEST || self.random.chance(20 + 15 * u64::from(depth)) {
            return self.leaf(uniform, depth);
        }
        let theme = self.theme;
        let weights = [30, 6, 6, 4, 6, 8, 2 + theme.vectors, theme.calls * 2, 4, 3, theme.floats];
        match self.random.weighted(&weights) {
            0 => self.arithmetic(uniform, depth + 1),
            1 => {
                let value = self.value(uniform, depth + 1);
                let operation = self.random.pick(&[Unary::Minus, Unary::Complement, Unary::Not]);
                let ty = match operation {
                    Unary::Not => Scalar::Int,
                    _ => value.ty.scalar().map_or(Scalar::Int, Scalar::promoted),
                };
                Expr::new(Type::Scalar(ty), ExprKind::Unary(operation, value.boxed()))
            }
            2 => {
                let condition = self.comparison(uniform, depth + 1);
                let (a, b) = (self.value(uniform, depth + 1), self.value(uniform, depth + 1));
                let ty = match (a.ty.scalar(), b.ty.scalar()) {
                    (Some(a), Some(b)) => Type::Scalar(a.common(b)),
                    _ => Type::INT,
                };
                Expr::new(ty, ExprKind::Conditional(condition.boxed(), a.boxed(), b.boxed()))
            }
            3 => {
                let to = self.integer_type();
                let value = self.value(uniform, depth + 1);
                Expr::new(Type::Scalar(to), ExprKind::Cast(value.boxed()))
            }
            4 => {
                let to = self.random.pick(&INTEGERS);
                let value = self.value(uniform, depth + 1);
                if value.ty == Type::Scalar(Scalar::Bool) {
                    return value;
                }
                let saturate = self.random.chance(60);
                let kind = ExprKind::Convert { saturate, rounding: "", value: value.boxed() };
                Expr::new(Type::Scalar(to), kind)
            }
            5 => self.builtin(uniform, depth + 1),
            6 => self.scalar_of_vector(uniform, depth + 1),
            7 => self.call(uniform, depth + 1).unwrap_or_else(|| self.leaf(uniform, depth)),
            8 => self.comparison(uniform, depth + 1),
            9 => {
                let value = self.value(uniform, depth + 1);
                let scalar = value.ty.scalar().filter(|s| *s != Scalar::Bool).unwrap_or(Scalar::Int);
                let to = if scalar.is_signed() { scalar.unsigned() } else { scalar.signed() };
                let value = value.cast(Type::Scalar(scalar));
                Expr::new(Type::Scalar(to), ExprKind::As(value.boxed()))
            }
            _ => self.integer_of_float(uniform, depth + 1),
        }
    }

    /// A value of this very type.
    pub(super) fn value_of(&mut self, scalar: Scalar, uniform: bool, depth: u32) -> Expr {
        self.value(uniform, depth).cast(Type::Scalar(scalar))
    }

    fn arithmetic(&mut self, uniform: bool, depth: u32) -> Expr {
        use Binary::{Add, And, Div, Mul, Or, Rem, Shl, Shr, Sub, Xor};
        let operation = self.random.pick(&[Add, Add, Sub, Sub, Mul, And, Or, Xor, Shl, Shr, Div, Rem]);
        let (a, mut b) = (self.value(uniform, depth), self.value(uniform, depth));
        if matches!(operation, Div | Rem) && self.random.chance(70) {
            let masked = Expr::binary(And, b, Expr::int(15));
            b = Expr::binary(Add, masked, Expr::int(1));
        }
        if self.random.chance(35) && matches!(operation, Add | Sub | Mul) {
            // Wraps by its type instead of being undefined.
            let unsigned = if self.random.chance(80) { Scalar::Uint } else { Scalar::Ulong };
            let a = a.cast(Type::Scalar(unsigned));
            let sum = Expr::binary(operation, a, b);
            return if self.random.chance(60) { sum.cast(Type::INT) } else { sum };
        }
        Expr::binary(operation, a, b)
    }

    pub(super) fn leaf(&mut self, uniform: bool, depth: u32) -> Expr {
        for _ in 0..4 {
            if let Some(leaf) = self.try_leaf(uniform, depth) {
                return leaf;
            }
        }
        let scalar = self.integer_type();
        self.literal(scalar)
    }

    fn try_leaf(&mut self, uniform: bool, depth: u32) -> Option<Expr> {
        let theme = self.theme;
        match self.random.weighted(&[12, 40, 12, 8 + theme.arrays * 2, theme.structs * 3, 4, 3]) {
            0 => {
                let scalar = self.integer_type();
                Some(self.literal(scalar))
            }
            1 => {
                let fits = self.those(|known, variable| {
                    known.ready
                        && (known.uniform || !uniform)
                        && variable.ty.scalar().is_some_and(|scalar| !scalar.is_float())
                });
                if fits.is_empty() {
                    return None;
                }
                let known = self.random.pick(&fits);
                Some(self.of(known.variable))
            }
            2 => Some(self.input(uniform, depth)),
            3 => self.array_element(uniform, depth),
            4 => self.field(uniform, depth),
            5 if self.scope.ids.is_some() => Some(self.item(uniform)),
            _ => self.table(uniform, depth),
        }
    }

    fn item(&mut self, uniform: bool) -> Expr {
        let query = if uniform && self.is_new() && self.random.chance(15) {
            Query::EnqueuedLocalSize
        } else if uniform {
            self.random.pick(&[
                Query::GroupId,
                Query::LocalSize,
                Query::NumGroups,
                Query::GlobalSize,
                Query::WorkDim,
            ])
        } else {
            self.random.pick(&[Query::GlobalId, Query::LocalId, Query::LocalId, Query::Offset])
        };
        let scalar = self.random.pick(&[Scalar::Int, Scalar::Int, Scalar::Uint, Scalar::Long]);
        let dimension = if self.random.chance(60) { 0 } else { self.random.below(3) as u8 };
        Expr::new(Type::Scalar(scalar), ExprKind::Item(query, dimension))
    }

    /// An index below a length.
    pub(super) fn index(&mut self, length: u32, uniform: bool, depth: u32) -> Expr {
        let value = self.value(uniform, depth + 2);
        match self.random.below(10) {
            0 => Expr::int(self.random.below(u64::from(length)) as i32),
            // It may be too large; then it is mended.
            1 | 2 => value.cast(Type::INT),
            _ if length.is_power_of_two() => Expr::binary(Binary::And, value, Expr::int(length as i32 - 1)),
            _ => {
                let length = Expr::literal(Scalar::Uint, i128::from(length));
                Expr::binary(Binary::Rem, value.cast(Type::UINT), length).cast(Type::INT)
            }
        }
    }

    /// An element of an input buffer.
    pub(super) fn input(&mut self, uniform: bool, depth: u32) -> Expr {
        if self.scope.sources.is_empty() {
            return self.literal(Scalar::Int);
        }
        let source = self.random.pick(&self.scope.sources.clone());
        let index = match self.scope.ids {
            Some(ids) if !uniform && self.random.chance(50) => {
                let id = self.random.pick(&[ids.global, ids.local]);
                let id = self.of(id);
                // Sizes are drawn later: the index stays in range whatever they are.
                Expr::binary(Binary::And, id, Expr::int(source.length as i32 - 1))
            }
            _ => self.index(source.length, uniform, depth),
        };
        self.element(self.of(source.variable), index)
    }

    fn table(&mut self, uniform: bool, depth: u32) -> Option<Expr> {
        let is_table = |ty: &Type| matches!(ty, Type::Array(..));
        let constant = |space| space == crate::types::Space::Constant;
        let tables: Vec<usize> = (0..self.program.globals.len())
            .filter(|g| constant(self.program.globals[*g].space) && is_table(&self.program.globals[*g].ty))
            .collect();
        if tables.is_empty() {
            return None;
        }
        let table = self.random.pick(&tables);
        let ty = self.program.globals[table].ty.clone();
        let Type::Array(_, length) = ty else { return None };
        let index = self.index(length, uniform, depth);
        Some(self.element(Expr::new(ty, ExprKind::Global(table)), index))
    }

    fn builtin(&mut self, uniform: bool, depth: u32) -> Expr {
        let chosen: Vec<Builtin> = Builtin::EVERY
            .iter()
            .copied()
            .filter(|b| {
                matches!(
                    b.family(),
                    Family::Integer
                        | Family::Absolute
                        | Family::Short24
                        | Family::Upsample
                        | Family::Select
                        | Family::BitSelect
                )
            })
            .filter(|b| *b != Builtin::Ctz || self.is_new())
            .collect();
        let builtin = self.random.pick(&chosen);
        let mut scalar = self.integer_type();
        if scalar == Scalar::Bool {
            scalar = Scalar::Uchar;
        }
        self.builtin_of(builtin, Type::Scalar(scalar), uniform, depth)
    }

    /// A function of the library on values of a scalar or vector type.
    pub(super) fn builtin_of(&mut self, builtin: Builtin, ty: Type, uniform: bool, depth: u32) -> Expr {
        let mut ty = ty;
        let mut scalar = ty.element().unwrap_or(Scalar::Int);
        match builtin.family() {
            Family::Short24 => scalar = if scalar.is_signed() { Scalar::Int } else { Scalar::Uint },
            Family::Upsample if scalar.wider().is_none() => scalar = Scalar::Int,
            _ => {}
        }
        ty = ty.with_element(scalar);
        let mut arguments = Vec::new();
        for index in 0..builtin.arguments() {
            let wanted = match (builtin.family(), index) {
                (Family::Upsample, 1) => ty.with_element(scalar.unsigned()),
                (Family::Select, 2) if self.random.chance(50) => ty.with_element(scalar.unsigned()),
                (Family::Select, 2) => ty.with_element(scalar.signed()),
                _ => ty.clone(),
            };
            let value = self.of_type(&wanted, uniform, depth);
            arguments.push(match (builtin, index) {
                (Builtin::Mad24 | Builtin::Mul24, 0 | 1) => {
                    let mask = if index == 0 { 0x7fff } else { 0x7ff };
                    let mask = Expr::constant(&wanted, mask).unwrap_or_else(|| Expr::int(mask as i32));
                    let masked =
                        Expr::new(wanted.clone(), ExprKind::Binary(Binary::And, value.boxed(), mask.boxed()));
                    masked.cast(wanted)
                }
                (Builtin::Clamp, 1) => Expr::constant(&wanted, 3).unwrap_or(value),
                (Builtin::Clamp, 2) => Expr::constant(&wanted, 99).unwrap_or(value),
                _ => value,
            });
        }
        let result = match builtin.family() {
            Family::Absolute => ty.with_element(scalar.unsigned()),
            Family::Upsample => ty.with_element(scalar.wider().unwrap_or(Scalar::Long)),
            _ => ty,
        };
        Expr::new(result, ExprKind::Builtin(builtin, arguments))
    }

    /// A value of this scalar or vector type.
    pub(super) fn of_type(&mut self, ty: &Type, uniform: bool, depth: u32) -> Expr {
        match ty {
            Type::Vector(..) => self.vector(ty, uniform, depth),
            Type::Scalar(scalar) if scalar.is_float() => self.float(*scalar, uniform, depth),
            Type::Scalar(scalar) => self.value_of(*scalar, uniform, depth),
            _ => Expr::int(0),
        }
    }

    /// A call of a helper without effects.
    fn call(&mut self, uniform: bool, depth: u32) -> Option<Expr> {
        let pure: Vec<_> = self.helpers.iter().filter(|helper| helper.use_ == Use::Pure).copied().collect();
        if pure.is_empty() {
            return None;
        }
        let helper = self.random.pick(&pure);
        let function = &self.program.functions[helper.function];
        let (count, result) = (function.parameters, function.result.clone());
        let types: Vec<Type> = function.variables[..count].iter().map(|v| v.ty.clone()).collect();
        let arguments = types.iter().map(|ty| self.of_type(ty, uniform, depth + 1)).collect();
        Some(Expr::new(result, ExprKind::Call(helper.function, arguments)))
    }
}
