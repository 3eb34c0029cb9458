//! Floating-point expressions: operations that every device rounds in the same way, on numbers of moderate size.

use super::Maker;
use crate::ast::{Binary, Builtin, Expr, ExprKind, Family};
use crate::half;
use crate::types::{Scalar, Type};

/// The rounding modes of conversions to integers.
pub(super) const ROUNDINGS: [&str; 5] = ["", "_rte", "_rtz", "_rtp", "_rtn"];

/// A literal of this type, which the number is rounded to.
fn real(scalar: Scalar, value: f64) -> Expr {
    let bits = match scalar {
        Scalar::Half => u64::from(half::rounded(value).unwrap_or_default()),
        Scalar::Float => u64::from((value as f32).to_bits()),
        _ => f64::to_bits(value),
    };
    Expr::new(Type::Scalar(scalar), ExprKind::Literal(bits))
}

/// Functions that give a whole number.
const ROUNDING: [Builtin; 5] = [Builtin::Floor, Builtin::Ceil, Builtin::Trunc, Builtin::Rint, Builtin::Round];

impl Maker {
    fn real_literal(&mut self, scalar: Scalar) -> Expr {
        let value = self.random.pick(&[0.0, 1.0, 0.5, -2.0, 3.25, -0.75, 100.0, 7.0, 0.125, -33.5, 1.1, 0.3]);
        real(scalar, value)
    }

    /// One of the types that the program has.
    pub(super) fn float_type(&mut self) -> Scalar {
        if self.theme.halves && self.random.chance(50) {
            Scalar::Half
        } else if self.theme.doubles && self.random.chance(50) {
            Scalar::Double
        } else {
            Scalar::Float
        }
    }

    /// A `half`, `float` or `double`.
    pub(super) fn float(&mut self, scalar: Scalar, uniform: bool, depth: u32) -> Expr {
        let ty = Type::Scalar(scalar);
        if depth >= 4 || self.random.chance(25) {
            let fits = self.those(|known, variable| {
                known.ready && (known.uniform || !uniform) && variable.ty == Type::Scalar(scalar)
            });
            if !fits.is_empty() && self.random.chance(60) {
                let known = self.random.pick(&fits);
                return self.of(known.variable);
            }
            if self.random.chance(50) {
                return self.real_literal(scalar);
            }
            let value = Expr::binary(Binary::And, self.value(uniform, 3), Expr::int(1023));
            return match self.random.below(2) {
                0 => value.cast(ty),
                _ => Expr::new(ty, ExprKind::Convert { saturate: false, rounding: "", value: value.boxed() }),
            };
        }
        match self.random.below(8) {
            0..=3 => {
                let operation = self.random.pick(&[Binary::Add, Binary::Sub, Binary::Mul]);
                let (a, b) = (self.float(scalar, uniform, depth + 1), self.float(scalar, uniform, depth + 1));
                Expr::binary(operation, a, b)
            }
            4 => {
                let condition = self.comparison(uniform, 3);
                let (a, b) = (self.float(scalar, uniform, depth + 1), self.float(scalar, uniform, depth + 1));
                Expr::new(ty, ExprKind::Conditional(condition.boxed(), a.boxed(), b.boxed()))
            }
            5 if self.theme.doubles || self.theme.halves => {
                let other = match scalar {
                    Scalar::Float if self.theme.halves && (!self.theme.doubles || self.random.chance(50)) => {
                        Scalar::Half
                    }
                    Scalar::Float => Scalar::Double,
                    Scalar::Half if self.theme.doubles && self.random.chance(50) => Scalar::Double,
                    _ => Scalar::Float,
                };
                self.float(other, uniform, depth + 1).cast(ty)
            }
            _ => self.float_builtin(ty, uniform, depth),
        }
    }

    /// A function of the library that is exact, on floats or vectors of them.
    pub(super) fn float_builtin(&mut self, ty: Type, uniform: bool, depth: u32) -> Expr {
        let chosen: Vec<Builtin> =
            Builtin::EVERY.iter().copied().filter(|b| b.family() == Family::Float).collect();
        let builtin = self.random.pick(&chosen);
        let rounds = ROUNDING.contains(&builtin);
        let arguments = (0..builtin.arguments())
            .map(|_| match ty {
                Type::Scalar(scalar) if rounds => {
                    let value = self.float(scalar, uniform, depth + 1);
                    self.worth_rounding(scalar, value)
                }
                _ => self.of_type(&ty, uniform, depth + 1),
            })
            .collect();
        Expr::new(ty, ExprKind::Builtin(builtin, arguments))
    }

    /// A float of this type that is mostly no whole number, as most others are; often one half way between two.
    fn worth_rounding(&mut self, scalar: Scalar, value: Expr) -> Expr {
        if !self.random.chance(60) {
            return value;
        }
        let factor = if self.random.chance(50) { real(scalar, 0.5) } else { self.real_literal(scalar) };
        Expr::binary(Binary::Mul, value, factor)
    }

    /// An integer that depends on a float.
    pub(super) fn integer_of_float(&mut self, uniform: bool, depth: u32) -> Expr {
        let scalar = if self.theme.halves && self.random.chance(50) { Scalar::Half } else { Scalar::Float };
        let value = self.float(scalar, uniform, depth);
        match self.random.below(6) {
            0 => Expr::new(Type::Scalar(scalar.signed()), ExprKind::As(value.boxed())),
            1..=3 => {
                let value = self.worth_rounding(scalar, value);
                // Where a function rounds, its result is seen as it is.
                let value = if self.random.chance(30) {
                    let builtin = self.random.pick(&ROUNDING);
                    Expr::new(value.ty.clone(), ExprKind::Builtin(builtin, vec![value]))
                } else {
                    value
                };
                let rounding = self.random.pick(&ROUNDINGS);
                let saturate = self.random.chance(60);
                let kind = ExprKind::Convert { saturate, rounding, value: value.boxed() };
                Expr::new(
                    Type::Scalar(self.random.pick(&[
                        Scalar::Int,
                        Scalar::Uchar,
                        Scalar::Short,
                        Scalar::Uint,
                    ])),
                    kind,
                )
            }
            4 => {
                let other = self.float(scalar, uniform, depth);
                let chosen =
                    [Builtin::IsEqual, Builtin::IsNotEqual, Builtin::IsLess, Builtin::IsGreaterEqual];
                Expr::new(Type::INT, ExprKind::Builtin(self.random.pick(&chosen), vec![value, other]))
            }
            _ => value.cast(Type::INT),
        }
    }
}
