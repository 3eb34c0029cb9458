//! Conditions: comparisons, what is the same for the whole group by its form or only in fact, and conditions with
//! effects behind `&&` and `||`.

use super::{Here, Maker};
use crate::ast::{Binary, Expr, ExprKind};
use crate::types::{Scalar, Type};

const COMPARE: [Binary; 6] =
    [Binary::Less, Binary::LessEqual, Binary::Greater, Binary::GreaterEqual, Binary::Equal, Binary::NotEqual];

impl Maker {
    pub(super) fn comparison(&mut self, uniform: bool, depth: u32) -> Expr {
        let operation = self.random.pick(&COMPARE);
        match self.random.below(6) {
            0 if self.theme.floats > 0 => {
                let (a, b) =
                    (self.float(Scalar::Float, uniform, depth), self.float(Scalar::Float, uniform, depth));
                Expr::binary(operation, a, b)
            }
            1 => {
                // Often true and often false.
                let value = self.value(uniform, depth + 1);
                let mask = self.random.pick(&[1, 3, 3, 7]);
                let masked = Expr::binary(Binary::And, value, Expr::int(mask));
                Expr::binary(operation, masked, Expr::int(self.random.below(3) as i32))
            }
            2 if depth < 3 => self.both(uniform, depth + 1),
            _ => {
                let a = self.value(uniform, depth);
                let b = if self.random.chance(50) {
                    self.literal(Scalar::Int)
                } else {
                    self.value(uniform, depth)
                };
                Expr::binary(operation, a, b)
            }
        }
    }

    fn both(&mut self, uniform: bool, depth: u32) -> Expr {
        let (a, b) = (self.comparison(uniform, depth), self.comparison(uniform, depth));
        let kind = if self.random.chance(50) {
            ExprKind::AndAlso(a.boxed(), b.boxed())
        } else {
            ExprKind::OrElse(a.boxed(), b.boxed())
        };
        Expr::new(Type::INT, kind)
    }

    /// A condition that may part the group, often in about half.
    pub(super) fn parting(&mut self) -> Expr {
        match (self.random.below(5), self.scope.ids) {
            (0, Some(ids)) => self.of(ids.local),
            (1, Some(ids)) => {
                let id = self.random.pick(&[ids.local, ids.global]);
                let id = self.of(id);
                let mask = self.random.pick(&[1, 3]);
                let masked = Expr::binary(Binary::And, id, Expr::int(mask));
                Expr::binary(Binary::Equal, masked, Expr::int(self.random.below(2) as i32))
            }
            (2, Some(ids)) => {
                let id = self.of(ids.local);
                Expr::binary(self.random.pick(&COMPARE), id, Expr::int(self.random.below(8) as i32))
            }
            _ => self.comparison(false, 1),
        }
    }

    /// A condition that looks as if it could part the group, and has this value for every item.
    pub(super) fn in_fact(&mut self, truth: bool) -> Expr {
        let small: Vec<_> = self.scope.sources.iter().filter(|source| source.small).copied().collect();
        let ids = self.scope.ids;
        let choice = self.random.below(5);
        let (never, always) = match (choice, small.first(), ids) {
            (0 | 1, Some(source), _) => {
                let index = self.index(source.length, false, 2);
                let element = self.element(self.of(source.variable), index);
                let bound = 256 + self.random.below(4) as i32;
                (
                    Expr::binary(Binary::Greater, element.clone(), Expr::int(bound)),
                    Expr::binary(Binary::LessEqual, element, Expr::int(bound)),
                )
            }
            (2, Some(source), _) => {
                let index = self.index(source.length, false, 2);
                let element = self.element(self.of(source.variable), index);
                let masked = Expr::binary(Binary::And, element, Expr::int(0x300));
                (masked.clone(), Expr::binary(Binary::Equal, masked, Expr::int(0)))
            }
            (3, _, Some(ids)) => {
                let (id, size) = (self.of(ids.local), self.of(ids.size));
                (
                    Expr::binary(Binary::GreaterEqual, id.clone(), size.clone()),
                    Expr::binary(Binary::Less, id, size),
                )
            }
            _ => {
                let value = self.value(false, 2).cast(Type::Scalar(Scalar::Long));
                let masked = Expr::binary(Binary::And, value, Expr::int(0xff));
                (
                    Expr::binary(Binary::Less, masked.clone(), Expr::int(0)),
                    Expr::binary(Binary::GreaterEqual, masked, Expr::int(0)),
                )
            }
        };
        let chosen = if truth { always } else { never };
        match self.random.below(5) {
            // Together with something that does part it.
            0 if !truth => {
                let other = self.parting();
                Expr::new(Type::INT, ExprKind::AndAlso(other.boxed(), chosen.boxed()))
            }
            0 => {
                let other = self.parting();
                Expr::new(Type::INT, ExprKind::OrElse(other.boxed(), chosen.boxed()))
            }
            _ => chosen,
        }
    }

    /// A condition for an exit or a branch at this place.
    pub(super) fn condition(&mut self, here: Here) -> Expr {
        if !here.together {
            return match self.random.below(8) {
                0 => self.comparison(true, 1),
                1 => self.with_effect(here),
                2 => {
                    let truth = self.random.chance(20);
                    self.in_fact(truth)
                }
                _ => self.parting(),
            };
        }
        match self.random.below(10) {
            0..=4 => self.comparison(true, 1),
            5..=8 => {
                let truth = self.random.chance(40);
                self.in_fact(truth)
            }
            _ => self.parting(),
        }
    }

    /// `a && (x = b) > c`: an effect that happens for some items only.
    pub(super) fn with_effect(&mut self, here: Here) -> Expr {
        let targets = self.those(|known, variable| {
            known.assignable
                && known.ready
                && !known.uniform
                && variable.ty.scalar().is_some_and(|scalar| !scalar.is_float() && scalar != Scalar::Bool)
        });
        let first = if here.together { self.comparison(true, 2) } else { self.parting() };
        if targets.is_empty() {
            return first;
        }
        let target = self.random.pick(&targets);
        let place = self.of(target.variable);
        let value = self.value(false, 2);
        let changed = if self.random.chance(30) {
            let up = self.random.chance(50);
            let prefix = self.random.chance(50);
            let ty = place.ty.clone();
            Expr::new(ty, ExprKind::Step { up, prefix, place: place.boxed() })
        } else {
            Expr::assign(place, value)
        };
        let operation = self.random.pick(&COMPARE);
        let second = Expr::binary(operation, changed, Expr::int(self.random.below(10) as i32));
        let kind = if self.random.chance(60) {
            ExprKind::AndAlso(first.boxed(), second.boxed())
        } else {
            ExprKind::OrElse(first.boxed(), second.boxed())
        };
        Expr::new(Type::INT, kind)
    }
}
