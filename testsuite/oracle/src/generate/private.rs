//! Private memory: scalars, arrays that are filled only in part, structures, vectors, and pointers to them.

use super::{Here, Maker};
use crate::ast::{Binary, Expr, ExprKind, Init, Stmt, StmtKind};
use crate::types::{Scalar, Space, Type};

impl Maker {
    fn declare(&mut self, variable: usize, init: Init) -> Stmt {
        Stmt::new(StmtKind::Declare { variable, init })
    }

    /// A new scalar with a value.
    pub(super) fn declare_scalar(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let uniform = here.together && self.random.chance(35);
        let scalar = if self.random.below(20) < u64::from(self.theme.floats) {
            self.float_type()
        } else {
            self.integer_type()
        };
        let ty = Type::Scalar(scalar);
        let value = if scalar.is_float() || self.random.chance(40) {
            self.of_type(&ty, uniform, 1)
        } else {
            self.value(uniform, 1)
        };
        let variable = self.variable(if uniform { "u" } else { "x" }, ty, Space::Private);
        if self.random.chance(3) {
            self.scope.variables[variable].volatile = true;
        }
        out.push(self.declare(variable, Init::Value(value)));
        self.know(variable, uniform, true);
    }

    /// A new scalar without a value, and both ways of a branch that give it one.
    pub(super) fn declare_late(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let scalar = self.integer_type();
        let variable = self.variable("x", Type::Scalar(scalar), Space::Private);
        out.push(self.declare(variable, Init::None));
        let condition = if here.together { self.comparison(true, 1) } else { self.parting() };
        let [a, b] = [(); 2].map(|()| self.value(false, 2));
        let set = |value| vec![Stmt::expr(Expr::assign(self.of(variable), value))];
        let (then, otherwise) = (set(a), set(b));
        out.push(Stmt::new(StmtKind::If { condition, then, otherwise }));
        self.know(variable, false, true);
    }

    /// Assigns to a scalar, perhaps together with its old value.
    pub(super) fn assign_scalar(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let targets = self.those(|known, variable| {
            known.assignable && (!known.uniform || here.together) && variable.ty.scalar().is_some()
        });
        if targets.is_empty() {
            return self.declare_scalar(here, out);
        }
        let target = self.random.pick(&targets);
        let place = self.of(target.variable);
        let scalar = place.ty.scalar().unwrap_or(Scalar::Int);
        let ty = place.ty.clone();
        let value = if scalar.is_float() || self.random.chance(40) {
            self.of_type(&ty, target.uniform, 1)
        } else {
            self.value(target.uniform, 1)
        };
        let expr = match self.random.below(10) {
            0 if !scalar.is_float() && scalar != Scalar::Bool => {
                let (up, prefix) = (self.random.chance(60), self.random.chance(50));
                Expr::new(ty, ExprKind::Step { up, prefix, place: place.boxed() })
            }
            1..=5 if scalar != Scalar::Bool => {
                let operation = self.compound_operation(scalar);
                let shifts = matches!(operation, Binary::Shl | Binary::Shr);
                let value = if scalar.is_float() || shifts { value.cast(ty.clone()) } else { value };
                Expr::new(ty, ExprKind::Compound(operation, place.boxed(), value.boxed()))
            }
            _ => Expr::assign(place, value),
        };
        out.push(Stmt::expr(expr));
    }

    pub(super) fn compound_operation(&mut self, scalar: Scalar) -> Binary {
        if scalar.is_float() {
            return self.random.pick(&[Binary::Add, Binary::Sub]);
        }
        self.random.pick(&[
            Binary::Add,
            Binary::Sub,
            Binary::Xor,
            Binary::Xor,
            Binary::Or,
            Binary::And,
            Binary::Mul,
            Binary::Shl,
            Binary::Shr,
        ])
    }

    /// An array, of which perhaps only some elements are written.
    pub(super) fn declare_array(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let element = match self.random.below(6) {
            0 if self.theme.vectors > 0 => self.vector_type(),
            1 if !self.program.structs.is_empty() => Type::Struct(0),
            _ => Type::Scalar(self.integer_type()),
        };
        let length = self.random.pick(&[2, 3, 4, 4, 8, 9]);
        let uniform = here.together && self.random.chance(15);
        let ty = Type::Array(Box::new(element.clone()), length);
        let is_struct = matches!(element, Type::Struct(_));
        if !is_struct && self.random.chance(45) {
            let given = self.random.between(1, u64::from(length));
            let values = (0..given).map(|_| self.of_type(&element, uniform, 3)).collect();
            let variable = self.variable("a", ty, Space::Private);
            out.push(self.declare(variable, Init::List(values)));
            self.know(variable, uniform, true);
            return;
        }
        let variable = self.variable("a", ty, Space::Private);
        out.push(self.declare(variable, Init::None));
        if is_struct {
            // Members one by one; some are never written.
            for index in 0..length.min(3) {
                let place = self.element(self.of(variable), Expr::int(index as i32));
                let place = Expr::new(Type::INT, ExprKind::Field(place.boxed(), 0));
                let value = self.value(uniform, 2);
                out.push(Stmt::expr(Expr::assign(place, value)));
            }
            return;
        }
        for index in 0..length {
            if self.random.chance(80) {
                let place = self.element(self.of(variable), Expr::int(index as i32));
                let value = self.of_type(&element, uniform, 3);
                out.push(Stmt::expr(Expr::assign(place, value)));
            }
        }
        self.know(variable, uniform, true);
    }

    pub(super) fn array_element(&mut self, uniform: bool, depth: u32) -> Option<Expr> {
        let arrays = self.those(|known, variable| {
            known.ready
                && (known.uniform || !uniform)
                && matches!(&variable.ty, Type::Array(element, _)
                    if element.scalar().is_some_and(|scalar| !scalar.is_float()))
                && variable.space == Space::Private
        });
        if arrays.is_empty() {
            return None;
        }
        let known = self.random.pick(&arrays);
        let array = self.of(known.variable);
        let Type::Array(_, length) = array.ty else { return None };
        let index = self.index(length, uniform, depth + 1);
        Some(self.element(array, index))
    }

    pub(super) fn assign_element(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let arrays = self.those(|known, variable| {
            known.assignable
                && (!known.uniform || here.together)
                && matches!(&variable.ty, Type::Array(element, _) if element.element().is_some())
                && variable.space == Space::Private
        });
        if arrays.is_empty() {
            return self.declare_array(here, out);
        }
        let known = self.random.pick(&arrays);
        let array = self.of(known.variable);
        let Type::Array(_, length) = array.ty else { return };
        let index = self.index(length, known.uniform, 2);
        let place = self.element(array, index);
        let ty = place.ty.clone();
        let value = self.of_type(&ty, known.uniform, 2);
        let scalar = ty.scalar();
        let expr = match scalar {
            Some(scalar) if scalar != Scalar::Bool && self.random.chance(40) => {
                let operation = self.compound_operation(scalar);
                Expr::new(ty, ExprKind::Compound(operation, place.boxed(), value.boxed()))
            }
            _ => Expr::assign(place, value),
        };
        out.push(Stmt::expr(expr));
    }

    pub(super) fn declare_vector(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let uniform = here.together && self.random.chance(25);
        let ty = self.vector_type();
        let value = self.vector(&ty, uniform, 1);
        let variable = self.variable("v", ty, Space::Private);
        out.push(self.declare(variable, Init::Value(value)));
        self.know(variable, uniform, true);
    }

    /// Assigns to a vector or to some of its lanes.
    pub(super) fn assign_vector(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let vectors = self.those(|known, variable| {
            known.assignable && (!known.uniform || here.together) && matches!(variable.ty, Type::Vector(..))
        });
        if vectors.is_empty() {
            return self.declare_vector(here, out);
        }
        let known = self.random.pick(&vectors);
        let vector = self.of(known.variable);
        let ty = vector.ty.clone();
        let Type::Vector(scalar, lanes) = ty else { return };
        if self.random.chance(45) {
            let value = self.vector(&ty, known.uniform, 1);
            out.push(Stmt::expr(Expr::assign(vector, value)));
            return;
        }
        // Different lanes, as many as a vector may have.
        let mut order: Vec<u8> = (0..lanes).collect();
        for at in (1..order.len()).rev() {
            order.swap(at, self.random.index(at + 1));
        }
        let counts: Vec<u8> = [1, 2, 3, 4].into_iter().filter(|count| *count <= lanes).collect();
        order.truncate(usize::from(self.random.pick(&counts)));
        let target =
            if order.len() == 1 { Type::Scalar(scalar) } else { Type::Vector(scalar, order.len() as u8) };
        let value = self.of_type(&target, known.uniform, 1);
        let place = Expr::new(target, ExprKind::Swizzle(vector.boxed(), order));
        out.push(Stmt::expr(Expr::assign(place, value)));
    }

    /// A structure, perhaps with members that are never written.
    pub(super) fn declare_struct(&mut self, here: Here, out: &mut Vec<Stmt>) {
        if self.program.structs.is_empty() {
            return self.declare_scalar(here, out);
        }
        let others = self.those(|known, variable| known.ready && variable.ty == Type::Struct(0));
        if !others.is_empty() && self.random.chance(30) {
            let other = self.random.pick(&others);
            let value = self.of(other.variable);
            let variable = self.variable("s", Type::Struct(0), Space::Private);
            out.push(self.declare(variable, Init::Value(value)));
            self.know(variable, false, true);
            return;
        }
        let variable = self.variable("s", Type::Struct(0), Space::Private);
        out.push(self.declare(variable, Init::None));
        let fields = self.program.structs[0].fields.clone();
        for (number, (_, ty)) in fields.iter().enumerate() {
            if number > 0 && self.random.chance(15) {
                continue;
            }
            let field = Expr::new(ty.clone(), ExprKind::Field(self.of(variable).boxed(), number));
            if let Type::Array(element, length) = ty {
                for index in 0..*length {
                    let value = self.of_type(element, false, 3);
                    let place = self.element(field.clone(), Expr::int(index as i32));
                    out.push(Stmt::expr(Expr::assign(place, value)));
                }
                continue;
            }
            let value = self.of_type(ty, false, 2);
            out.push(Stmt::expr(Expr::assign(field, value)));
        }
        self.know(variable, false, true);
    }

    /// A member of a structure as a place.
    fn member(&mut self, depth: u32) -> Option<Expr> {
        let structs = self.those(|known, variable| known.ready && variable.ty == Type::Struct(0));
        if structs.is_empty() {
            return None;
        }
        let known = self.random.pick(&structs);
        let fields = self.program.structs[0].fields.clone();
        let number = self.random.index(fields.len());
        let ty = fields[number].1.clone();
        let field = Expr::new(ty.clone(), ExprKind::Field(self.of(known.variable).boxed(), number));
        if let Type::Array(_, length) = ty {
            let index = self.index(length, false, depth + 1);
            return Some(self.element(field, index));
        }
        Some(field)
    }

    pub(super) fn field(&mut self, uniform: bool, depth: u32) -> Option<Expr> {
        if uniform {
            return None;
        }
        let member = self.member(depth)?;
        match member.ty {
            Type::Scalar(_) => Some(member),
            Type::Vector(scalar, lanes) => {
                let lane = self.random.below(u64::from(lanes)) as u8;
                Some(Expr::new(Type::Scalar(scalar), ExprKind::Swizzle(member.boxed(), vec![lane])))
            }
            _ => None,
        }
    }

    pub(super) fn assign_field(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let Some(place) = self.member(2) else {
            return self.declare_struct(here, out);
        };
        let ty = place.ty.clone();
        let value = self.of_type(&ty, false, 2);
        out.push(Stmt::expr(Expr::assign(place, value)));
    }

    /// A pointer that leads to one of two variables, or into an array, and an access through it.
    pub(super) fn pointer(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let targets = self.those(|known, variable| {
            known.assignable
                && known.ready
                && !known.uniform
                && !variable.volatile
                && variable.ty.scalar().is_some_and(|scalar| !scalar.is_float() && scalar != Scalar::Bool)
        });
        let arrays = self.those(|known, variable| {
            known.assignable
                && !known.uniform
                && variable.space == Space::Private
                && matches!(&variable.ty, Type::Array(element, _)
                    if element.scalar().is_some_and(|scalar| !scalar.is_float() && scalar != Scalar::Bool))
        });
        let into_array = targets.is_empty() || (!arrays.is_empty() && self.random.chance(40));
        let (value, scalar) = if into_array {
            if arrays.is_empty() {
                return self.declare_array(here, out);
            }
            let chosen = self.random.pick(&arrays).variable;
            let array = self.of(chosen);
            let Type::Array(element, length) = array.ty.clone() else { return };
            let Some(scalar) = element.scalar() else { return };
            let index = self.index(length, false, 2);
            let ty = Type::Scalar(scalar).pointer(Space::Private);
            if self.random.chance(40) {
                let base = Expr::new(ty.clone(), ExprKind::Decay(array.boxed()));
                (Expr::new(ty, ExprKind::Offset(base.boxed(), index.boxed())), scalar)
            } else {
                let place = self.element(array, index);
                (Expr::new(ty, ExprKind::AddressOf(place.boxed())), scalar)
            }
        } else {
            let first = self.random.pick(&targets).variable;
            let scalar = self.scope.variables[first].ty.scalar().unwrap_or(Scalar::Int);
            let ty = Type::Scalar(scalar).pointer(Space::Private);
            let same = self.those(|known, variable| {
                known.assignable
                    && known.ready
                    && !known.uniform
                    && !variable.volatile
                    && variable.ty == Type::Scalar(scalar)
            });
            let second = self.random.pick(&same).variable;
            let address = |variable| {
                let place = self.of(variable).boxed();
                Expr::new(ty.clone(), ExprKind::AddressOf(place))
            };
            let (a, b) = (address(first), address(second));
            let condition = self.parting();
            (Expr::new(ty, ExprKind::Conditional(condition.boxed(), a.boxed(), b.boxed())), scalar)
        };
        let ty = value.ty.clone();
        let variable = self.variable("p", ty, Space::Private);
        out.push(self.declare(variable, Init::Value(value)));
        let place = Expr::new(Type::Scalar(scalar), ExprKind::Deref(self.of(variable).boxed()));
        if here.together && self.random.chance(40) {
            // The address lives across the barrier.
            out.push(self.barrier());
        }
        let value = self.value(false, 2);
        let expr = if self.random.chance(50) {
            let operation = self.compound_operation(scalar);
            let value = value.cast(Type::Scalar(scalar));
            Expr::new(Type::Scalar(scalar), ExprKind::Compound(operation, place.boxed(), value.boxed()))
        } else {
            Expr::assign(place, value)
        };
        out.push(Stmt::expr(expr));
    }

    /// `vstoren` into a private array.
    pub(super) fn store_vector(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let arrays = self.those(|known, variable| {
            known.assignable
                && !known.uniform
                && variable.space == Space::Private
                && matches!(&variable.ty, Type::Array(element, length)
                    if *length >= 2 && element.scalar().is_some_and(|scalar| scalar != Scalar::Bool))
        });
        if arrays.is_empty() {
            return self.declare_array(here, out);
        }
        let chosen = self.random.pick(&arrays).variable;
        let array = self.of(chosen);
        let Type::Array(element, length) = array.ty.clone() else { return };
        let Some(scalar) = element.scalar() else { return };
        let widths: Vec<u8> =
            super::vector::WIDTHS.into_iter().filter(|width| u32::from(*width) <= length).collect();
        let lanes = self.random.pick(&widths);
        let value = self.vector(&Type::Vector(scalar, lanes), false, 2);
        let offset = self.index(length / u32::from(lanes), false, 2);
        let pointer = Expr::new((*element).pointer(Space::Private), ExprKind::Decay(array.boxed()));
        out.push(Stmt::expr(Expr::new(
            Type::Void,
            ExprKind::Store(value.boxed(), offset.boxed(), pointer.boxed()),
        )));
    }
}
