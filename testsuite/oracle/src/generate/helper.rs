//! Helper functions.

use super::{AWKWARD, Helper, Here, Maker, Scope, Use};
use crate::ast::{Binary, Expr, ExprKind, Function, Linkage, Stmt, StmtKind};
use crate::types::{Scalar, Space, Type};

impl Maker {
    fn parameter(&mut self, prefix: &str, ty: Type) -> usize {
        let variable = self.variable(prefix, ty, Space::Private);
        self.know(variable, false, true);
        variable
    }

    fn named_parameter(&mut self, name: &str, ty: Type) -> usize {
        let variable = self.parameter("", ty);
        name.clone_into(&mut self.scope.variables[variable].name);
        self.scope.known.pop();
        variable
    }

    pub(super) fn helper(&mut self) {
        self.scope = Scope::default();
        let theme = self.theme;
        let structs = if theme.structs > 0 { 3 } else { 0 };
        let together = if theme.barriers > 0 { 3 } else { 0 };
        let use_ = match self.random.weighted(&[6, 4, structs, together, 2]) {
            0 => Use::Pure,
            1 => Use::Pointers,
            2 => Use::Structs,
            3 => Use::Together,
            _ => Use::Writes,
        };
        let result = match use_ {
            Use::Structs if self.random.chance(60) => Type::Struct(0),
            Use::Writes => Type::Void,
            _ if theme.floats > 4 && self.random.chance(20) => Type::Scalar(Scalar::Float),
            _ => Type::Scalar(self.integer_type()),
        };
        // An expression takes integers only.
        let result =
            if use_ == Use::Pure && result == Type::Scalar(Scalar::Float) { Type::INT } else { result };
        let mut body = Vec::new();
        let mut restrict = Vec::new();
        match use_ {
            Use::Pure => {
                for _ in 0..self.random.between(1, 3) {
                    let ty = Type::Scalar(self.integer_type());
                    self.parameter("p", ty);
                }
            }
            Use::Pointers => {
                let element =
                    Type::Scalar(self.random.pick(&[Scalar::Int, Scalar::Int, Scalar::Uint, Scalar::Short]));
                let space = if theme.generics > 0 { Space::Generic } else { Space::Private };
                for _ in 0..self.random.between(1, 2) {
                    let pointer = self.parameter("p", element.clone().pointer(space));
                    self.scope.known.pop();
                    if self.random.chance(50) {
                        self.scope.variables[pointer].restrict = true;
                    }
                    restrict.push(pointer);
                }
                self.parameter("p", Type::INT);
            }
            Use::Structs => {
                self.parameter("s", Type::Struct(0));
                self.parameter("p", Type::INT);
            }
            Use::Together => {
                let tile = self.named_parameter("tile", Type::INT.pointer(Space::Local));
                let local = self.named_parameter("li", Type::INT);
                let size = self.named_parameter("ls", Type::INT);
                let together = self.named_parameter("together", Type::INT);
                self.know(together, true, false);
                self.know(local, false, false);
                let value = self.parameter("p", Type::INT);
                self.scope.ids = Some(super::Ids { global: local, local, size });
                self.scope.tiles.push(super::Tile { variable: tile, scalar: Scalar::Int });
                let _ = value;
            }
            Use::Writes => {
                let place = self.parameter("p", Self::WRITTEN.pointer(Space::Global));
                self.scope.known.pop();
                let value = self.parameter("p", Type::INT);
                let to = Expr::new(Self::WRITTEN, ExprKind::Deref(self.of(place).boxed()));
                let value = self.of(value);
                let expr = if self.random.chance(50) {
                    Expr::assign(to, value)
                } else {
                    Expr::new(Self::WRITTEN, ExprKind::Compound(Binary::Xor, to.boxed(), value.boxed()))
                };
                body.push(Stmt::expr(expr));
            }
        }
        let parameters = self.scope.variables.len();
        self.scope.result = (result != Type::Void).then(|| result.clone());
        self.budget = self.random.between(1, 7) as u32;
        let here = Here {
            together: use_ == Use::Together,
            depth: 1,
            in_loop: false,
            in_switch: false,
            may_continue: false,
            may_return: true,
        };
        for pointer in restrict {
            self.through(pointer, &mut body);
        }
        if use_ != Use::Writes {
            let count = self.random.between(1, 4);
            self.statements(here, count, &mut body);
        }
        if use_ == Use::Together {
            self.exchange(&mut body);
        }
        if result != Type::Void {
            let value = self.result_value();
            body.push(Stmt::new(StmtKind::Return(value)));
        }
        let linkage = self.random.pick(&[
            Linkage::Plain,
            Linkage::StaticInline,
            Linkage::NoInline,
            Linkage::AlwaysInline,
        ]);
        let number = self.program.functions.len();
        let taken: Vec<&str> = self.program.functions.iter().map(|f| f.name.as_str()).collect();
        let awkward: Vec<&str> = AWKWARD.iter().copied().filter(|name| !taken.contains(name)).collect();
        let name =
            if self.random.chance(35) { self.random.pick(&awkward).to_owned() } else { format!("h{number}") };
        let scope = std::mem::take(&mut self.scope);
        self.program.functions.push(Function {
            name,
            linkage,
            variables: scope.variables,
            parameters,
            result,
            body,
            required: None,
        });
        self.helpers.push(Helper { function: number, use_ });
    }

    /// Reads and writes what a parameter points to.
    fn through(&mut self, pointer: usize, out: &mut Vec<Stmt>) {
        for _ in 0..self.random.between(1, 3) {
            let index = if self.random.chance(60) {
                Expr::int(self.random.below(4) as i32)
            } else {
                self.index(4, false, 2)
            };
            if matches!(self.scope.variables[pointer].ty, Type::Pointer(Space::Generic, _)) {
                self.generic_accesses(pointer, index, 4, out);
                continue;
            }
            let place = self.element(self.of(pointer), index);
            let ty = place.ty.clone();
            let scalar = ty.scalar().unwrap_or(Scalar::Int);
            if self.random.chance(40) {
                let variable = self.variable("x", ty, Space::Private);
                let init = crate::ast::Init::Value(place);
                out.push(Stmt::new(StmtKind::Declare { variable, init }));
                self.know(variable, false, true);
                continue;
            }
            let value = self.value_of(scalar, false, 2);
            let expr = if self.random.chance(50) {
                let operation = self.compound_operation(scalar);
                Expr::new(ty, ExprKind::Compound(operation, place.boxed(), value.boxed()))
            } else {
                Expr::assign(place, value)
            };
            out.push(Stmt::expr(expr));
        }
    }
}
