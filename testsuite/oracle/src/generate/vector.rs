//! Vectors: literals, swizzles, operators lane by lane, functions of the library, loads and shuffles.

use super::Maker;
use super::float::ROUNDINGS;
use crate::ast::{Binary, Builtin, Expr, ExprKind, Family};
use crate::types::{INTEGERS, Scalar, Type};

pub(super) const WIDTHS: [u8; 5] = [2, 3, 4, 8, 16];

impl Maker {
    pub(super) fn vector_type(&mut self) -> Type {
        let scalar = match self.random.below(6) {
            0 if self.theme.halves && self.random.chance(50) => Scalar::Half,
            0 if self.theme.floats > 0 => Scalar::Float,
            0..=2 => Scalar::Int,
            3 => Scalar::Uint,
            _ => self.random.pick(&INTEGERS),
        };
        let lanes = self.random.pick(&[2, 3, 4, 4, 8, 16]);
        Type::Vector(scalar, lanes)
    }

    /// A vector of this very type.
    pub(super) fn vector(&mut self, ty: &Type, uniform: bool, depth: u32) -> Expr {
        let Type::Vector(scalar, lanes) = *ty else { return Expr::int(0) };
        let fits =
            self.those(|known, variable| known.ready && (known.uniform || !uniform) && variable.ty == *ty);
        if !fits.is_empty() && self.random.chance(35) {
            let known = self.random.pick(&fits);
            return self.of(known.variable);
        }
        if depth >= 4 || self.random.chance(30) {
            return self.composed(scalar, lanes, uniform, depth);
        }
        match self.random.below(10) {
            0..=2 => {
                use Binary::{Add, And, Mul, Or, Shl, Shr, Sub, Xor};
                let operation = if scalar.is_float() {
                    self.random.pick(&[Add, Sub, Mul])
                } else {
                    self.random.pick(&[Add, Sub, Mul, And, Or, Xor, Shl, Shr])
                };
                let a = self.vector(ty, uniform, depth + 1);
                let b = if self.random.chance(25) {
                    self.of_type(&Type::Scalar(scalar), uniform, depth + 1)
                } else {
                    self.vector(ty, uniform, depth + 1)
                };
                Expr::binary(operation, a, b)
            }
            3 if !scalar.is_float() => {
                let chosen: Vec<Builtin> = Builtin::EVERY
                    .iter()
                    .copied()
                    .filter(|b| matches!(b.family(), Family::Integer | Family::Select | Family::BitSelect))
                    .filter(|b| *b != Builtin::Ctz || self.is_new())
                    .collect();
                let builtin = self.random.pick(&chosen);
                self.builtin_of(builtin, ty.clone(), uniform, depth + 1)
            }
            3 => self.float_builtin(ty.clone(), uniform, depth),
            4 => self
                .swizzled(scalar, lanes, uniform, depth)
                .unwrap_or_else(|| self.composed(scalar, lanes, uniform, depth)),
            5 if !scalar.is_float() => {
                let of_float = self.random.chance(30);
                let from = if of_float { Scalar::Float } else { self.random.pick(&INTEGERS) };
                let rounding = if of_float { self.random.pick(&ROUNDINGS) } else { "" };
                let value = self.vector(&Type::Vector(from, lanes), uniform, depth + 1).boxed();
                let saturate = self.random.chance(50);
                Expr::new(ty.clone(), ExprKind::Convert { saturate, rounding, value })
            }
            6 if !scalar.is_float() && lanes != 3 => {
                let to = if scalar.is_signed() { scalar.unsigned() } else { scalar.signed() };
                let value = self.vector(&Type::Vector(to, lanes), uniform, depth + 1);
                Expr::new(ty.clone(), ExprKind::As(value.boxed()))
            }
            7 if !scalar.is_float() && lanes != 3 => {
                let from = Type::Vector(scalar, self.random.pick(&[2, 4, 8]));
                let mask = Type::Vector(scalar.unsigned(), lanes);
                if self.random.chance(50) {
                    let [a, b] = [(); 2].map(|()| self.vector(&from, uniform, depth + 1));
                    let mask = self.vector(&mask, uniform, depth + 1);
                    return Expr::new(ty.clone(), ExprKind::Builtin(Builtin::Shuffle2, vec![a, b, mask]));
                }
                let (a, mask) =
                    (self.vector(&from, uniform, depth + 1), self.vector(&mask, uniform, depth + 1));
                Expr::new(ty.clone(), ExprKind::Builtin(Builtin::Shuffle, vec![a, mask]))
            }
            8 if !scalar.is_float() => {
                let condition = Type::Vector(scalar.signed(), lanes);
                let [a, b] = [(); 2].map(|()| self.vector(ty, uniform, depth + 1));
                let c = self.vector(&condition, uniform, depth + 1);
                Expr::new(ty.clone(), ExprKind::Conditional(c.boxed(), a.boxed(), b.boxed()))
            }
            9 => self
                .loaded(scalar, lanes, uniform)
                .unwrap_or_else(|| self.composed(scalar, lanes, uniform, depth)),
            _ => self.composed(scalar, lanes, uniform, depth),
        }
    }

    fn composed(&mut self, scalar: Scalar, lanes: u8, uniform: bool, depth: u32) -> Expr {
        let ty = Type::Vector(scalar, lanes);
        let element = Type::Scalar(scalar);
        if self.random.chance(40) || lanes > 4 {
            return self.of_type(&element, uniform, depth + 1).cast(ty);
        }
        if lanes == 4 && self.random.chance(30) {
            let half = Type::Vector(scalar, 2);
            let parts = vec![
                self.of_type(&element, uniform, depth + 1),
                self.vector(&half, uniform, depth + 2),
                self.of_type(&element, uniform, depth + 1),
            ];
            return Expr::new(ty, ExprKind::Compose(parts));
        }
        let parts = (0..lanes).map(|_| self.of_type(&element, uniform, depth + 1)).collect();
        Expr::new(ty, ExprKind::Compose(parts))
    }

    fn swizzled(&mut self, scalar: Scalar, lanes: u8, uniform: bool, depth: u32) -> Option<Expr> {
        let fits = self.those(|known, variable| {
            known.ready
                && (known.uniform || !uniform)
                && matches!(variable.ty, Type::Vector(element, _) if element == scalar)
        });
        let base = if fits.is_empty() {
            self.vector(&Type::Vector(scalar, 4), uniform, depth + 2)
        } else {
            let known = self.random.pick(&fits);
            self.of(known.variable)
        };
        let from = base.ty.lanes() as u64;
        // In one swizzle the letters of the first four or the digits of all are written.
        let parts = (0..lanes).map(|_| self.random.below(from) as u8).collect();
        Some(Expr::new(Type::Vector(scalar, lanes), ExprKind::Swizzle(base.boxed(), parts)))
    }

    /// `vloadn` from an input or a private array.
    fn loaded(&mut self, scalar: Scalar, lanes: u8, uniform: bool) -> Option<Expr> {
        let source = self.scope.sources.iter().find(|source| source.scalar == scalar).copied();
        let (pointer, length) = match source {
            Some(source) => (self.of(source.variable), source.length),
            None => {
                let arrays = self.those(|known, variable| {
                    known.ready
                        && (known.uniform || !uniform)
                        && matches!(&variable.ty, Type::Array(element, count)
                            if **element == Type::Scalar(scalar) && *count >= u32::from(lanes))
                });
                let known = arrays.first()?;
                let array = self.of(known.variable);
                let Type::Array(_, length) = array.ty else { return None };
                let ty = Type::Scalar(scalar).pointer(crate::types::Space::Private);
                (Expr::new(ty, ExprKind::Decay(array.boxed())), length)
            }
        };
        let places = length / u32::from(lanes);
        if places == 0 {
            return None;
        }
        let offset = self.index(places, uniform, 2);
        Some(Expr::new(Type::Vector(scalar, lanes), ExprKind::Load(offset.boxed(), pointer.boxed())))
    }

    /// A scalar that is a lane of a vector, or says something about its lanes.
    pub(super) fn scalar_of_vector(&mut self, uniform: bool, depth: u32) -> Expr {
        let mut ty = self.vector_type();
        if ty.element().is_some_and(Scalar::is_float) {
            ty = ty.with_element(Scalar::Int);
        }
        let scalar = ty.element().unwrap_or(Scalar::Int);
        if self.random.chance(25) {
            let ty = ty.with_element(scalar.signed());
            let (a, b) = (self.vector(&ty, uniform, depth + 1), self.vector(&ty, uniform, depth + 1));
            let compared =
                Expr::binary(self.random.pick(&[Binary::Less, Binary::Equal, Binary::GreaterEqual]), a, b);
            let builtin = self.random.pick(&[Builtin::Any, Builtin::All]);
            return Expr::new(Type::INT, ExprKind::Builtin(builtin, vec![compared]));
        }
        let vector = self.vector(&ty, uniform, depth + 1);
        let lane = self.random.below(ty.lanes() as u64) as u8;
        Expr::new(Type::Scalar(scalar), ExprKind::Swizzle(vector.boxed(), vec![lane]))
    }
}
