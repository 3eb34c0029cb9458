//! Kernels: parameters, ids, a body, and the results of all variables at its end. And variables of program scope.

use super::{Here, Ids, Maker, Output, Scope, Source, Tile};
use crate::ast::{Binary, Expr, ExprKind, Function, Global, Init, Linkage, Query, Stmt, StmtKind};
use crate::types::{Scalar, Space, Type};

/// Elements of a tile: one for each item of the largest group.
pub(super) const TILE: u32 = 64;

/// Elements of an input.
pub(super) const INPUT: u32 = 128;

/// Counters for atomic operations.
pub(super) const COUNTERS: u32 = 8;

fn item(query: Query, dimension: u8) -> Expr {
    Expr::new(Type::INT, ExprKind::Item(query, dimension))
}

impl Maker {
    pub(super) fn program_variables(&mut self) {
        for _ in 0..self.random.pick(&[0, 1, 1, 2]) {
            let scalar =
                self.random.pick(&[Scalar::Int, Scalar::Int, Scalar::Uint, Scalar::Uchar, Scalar::Short]);
            let length = self.random.pick(&[4_u32, 8, 8, 5]);
            let values = (0..length)
                .map(|_| {
                    let value = match self.random.below(3) {
                        0 => i128::from(self.random.bits() as i32),
                        _ => i128::from(self.random.below(256)),
                    };
                    scalar.wrap(value)
                })
                .collect();
            let name = self.name("tab");
            let ty = Type::Array(Box::new(Type::Scalar(scalar)), length);
            self.program.globals.push(Global { name, ty, space: Space::Constant, values });
        }
        if self.is_new() && self.random.chance(18) {
            let name = self.name("state");
            let ty = Type::Array(Box::new(Type::INT), 4);
            let values = (0..4).map(|_| Scalar::Int.wrap(i128::from(self.random.below(100)))).collect();
            self.program.globals.push(Global { name, ty, space: Space::Global, values });
        }
    }

    fn kernel_parameter(&mut self, name: &str, ty: Type, read_only: bool) -> usize {
        let variable = self.variable("", ty, Space::Private);
        name.clone_into(&mut self.scope.variables[variable].name);
        self.scope.variables[variable].read_only = read_only;
        variable
    }

    pub(super) fn kernel(&mut self, number: u32) {
        self.scope = Scope::default();
        let theme = self.theme;
        let global = |scalar: Scalar| Type::Scalar(scalar).pointer(Space::Global);
        let input = self.kernel_parameter("in", global(Scalar::Int), true);
        self.scope.sources.push(Source { variable: input, scalar: Scalar::Int, length: INPUT, small: true });
        if self.random.chance(50) {
            let scalar = self.integer_type();
            let scalar = if scalar == Scalar::Bool { Scalar::Uchar } else { scalar };
            let wide = self.kernel_parameter("wide", global(scalar), true);
            self.scope.sources.push(Source { variable: wide, scalar, length: INPUT, small: false });
        }
        let scalar = self.random.pick(&[Scalar::Int, Scalar::Int, Scalar::Int, Scalar::Uint, Scalar::Ulong]);
        let out = self.kernel_parameter("out", global(scalar), false);
        if theme.atomics > 0 {
            let scalar = self.random.pick(&[Scalar::Int, Scalar::Uint]);
            self.scope.counters = Some(self.kernel_parameter("acc", global(scalar), false));
        }
        for (name, ty) in [("n", Type::INT), ("m", Type::UINT)] {
            let variable = self.kernel_parameter(name, ty, false);
            self.know(variable, true, false);
        }
        if theme.vectors > 0 && self.random.chance(40) {
            let ty = self.random.pick(&[
                Type::Vector(Scalar::Int, 4),
                Type::Vector(Scalar::Uchar, 4),
                Type::Vector(Scalar::Short, 2),
                Type::Vector(Scalar::Uint, 3),
            ]);
            let variable = self.kernel_parameter("vec", ty, false);
            self.know(variable, true, false);
        }
        let mut body = Vec::new();
        let mut locals = Vec::new();
        if theme.barriers + theme.copies > 0 {
            if self.random.chance(35) {
                let tile = self.kernel_parameter("sl", Type::INT.pointer(Space::Local), false);
                self.scope.tiles.push(Tile { variable: tile, scalar: Scalar::Int });
            } else {
                locals.push(Scalar::Int);
            }
            if self.random.chance(30) {
                let scalar = self.integer_type();
                locals.push(if scalar == Scalar::Bool { Scalar::Uint } else { scalar });
            }
        }
        let parameters = self.scope.variables.len();
        for scalar in locals {
            let ty = Type::Array(Box::new(Type::Scalar(scalar)), TILE);
            let variable = self.variable("sl", ty, Space::Local);
            body.push(Stmt::new(StmtKind::Declare { variable, init: Init::None }));
            self.scope.tiles.push(Tile { variable, scalar });
        }
        if theme.barriers > 0 && self.random.chance(60) {
            let ty = Type::Array(Box::new(Type::INT), 2);
            let variable = self.variable("us", ty, Space::Local);
            body.push(Stmt::new(StmtKind::Declare { variable, init: Init::None }));
            self.scope.shared = Some(variable);
        }
        if theme.generics > 0 && self.random.chance(70) {
            self.own_local(&mut body);
        }
        self.ids(&mut body);
        self.fill_own_local(&mut body);
        self.state(&mut body);
        self.budget = self.random.between(4, 22) as u32;
        let here = Here {
            together: true,
            depth: 0,
            in_loop: false,
            in_switch: false,
            may_continue: false,
            may_return: self.random.chance(50),
        };
        // The number of results is known at the end only, so that places in the output get their multiplier now.
        let each = 12;
        self.scope.out = Some(Output { variable: out, scalar, each });
        let count = u64::from(self.budget);
        self.statements(here, count, &mut body);
        self.results(&mut body);
        let name = if number == 0 { "k".to_owned() } else { format!("k{number}") };
        let scope = std::mem::take(&mut self.scope);
        self.program.functions.push(Function {
            name,
            linkage: Linkage::Kernel,
            variables: scope.variables,
            parameters,
            result: Type::Void,
            body,
            required: None,
        });
    }

    /// Variables with the ids: of all items, of the group, and the group's size.
    fn ids(&mut self, body: &mut Vec<Stmt>) {
        let linear = self.is_new() && self.random.chance(25);
        let global = if linear {
            item(Query::GlobalLinear, 0)
        } else {
            let from_zero =
                |d: u8| Expr::binary(Binary::Sub, item(Query::GlobalId, d), item(Query::Offset, d));
            let size = |d: u8| item(Query::GlobalSize, d);
            let plane = Expr::binary(Binary::Mul, from_zero(2), size(1));
            let rows = Expr::binary(Binary::Add, plane, from_zero(1));
            Expr::binary(Binary::Add, Expr::binary(Binary::Mul, rows, size(0)), from_zero(0))
        };
        let local = if linear {
            item(Query::LocalLinear, 0)
        } else {
            let plane = Expr::binary(Binary::Mul, item(Query::LocalId, 2), item(Query::LocalSize, 1));
            let rows = Expr::binary(Binary::Add, plane, item(Query::LocalId, 1));
            Expr::binary(
                Binary::Add,
                Expr::binary(Binary::Mul, rows, item(Query::LocalSize, 0)),
                item(Query::LocalId, 0),
            )
        };
        let product = Expr::binary(Binary::Mul, item(Query::LocalSize, 0), item(Query::LocalSize, 1));
        let size = Expr::binary(Binary::Mul, product, item(Query::LocalSize, 2));
        let mut numbers = Vec::new();
        for (name, value, uniform) in [("gl", global, false), ("li", local, false), ("LS", size, true)] {
            let variable = self.variable("", Type::INT, Space::Private);
            name.clone_into(&mut self.scope.variables[variable].name);
            body.push(Stmt::new(StmtKind::Declare { variable, init: Init::Value(value) }));
            self.know(variable, uniform, false);
            numbers.push(variable);
        }
        self.scope.ids = Some(Ids { global: numbers[0], local: numbers[1], size: numbers[2] });
    }

    /// The first item of all changes a variable of program scope: the next launch finds it changed.
    fn state(&mut self, body: &mut Vec<Stmt>) {
        let Some(number) = self.program.globals.iter().position(|global| global.space == Space::Global)
        else {
            return;
        };
        let ids = self.scope.ids.map_or(0, |ids| ids.global);
        let ty = self.program.globals[number].ty.clone();
        let global = Expr::new(ty, ExprKind::Global(number));
        let index = Expr::int(self.random.below(2) as i32);
        let place = self.element(global.clone(), index);
        let value = self.random.below(50) as i32;
        let changed =
            Expr::new(Type::INT, ExprKind::Compound(Binary::Xor, place.boxed(), Expr::int(value).boxed()));
        let condition = Expr::binary(Binary::Equal, self.of(ids), Expr::int(0));
        body.push(Stmt::new(StmtKind::If { condition, then: vec![Stmt::expr(changed)], otherwise: vec![] }));
        let variable = self.variable("x", Type::INT, Space::Private);
        let index = Expr::int(2 + self.random.below(2) as i32);
        let value = self.element(global, index);
        body.push(Stmt::new(StmtKind::Declare { variable, init: Init::Value(value) }));
        self.know(variable, true, false);
    }

    /// Writes what variables hold to the output.
    fn results(&mut self, body: &mut Vec<Stmt>) {
        let (Some(ids), Some(output)) = (self.scope.ids, self.scope.out) else { return };
        let mut values: Vec<Expr> = Vec::new();
        for known in self.scope.known.clone().into_iter().rev() {
            let value = self.of(known.variable);
            match &value.ty {
                Type::Scalar(scalar) if scalar.is_float() => {
                    values.push(Expr::new(Type::Scalar(scalar.signed()), ExprKind::As(value.boxed())));
                }
                Type::Scalar(_) => values.push(value),
                Type::Vector(scalar, lanes) if !scalar.is_float() => {
                    let mut sum: Option<Expr> = None;
                    for lane in 0..*lanes {
                        let part = Expr::new(
                            Type::Scalar(*scalar),
                            ExprKind::Swizzle(value.clone().boxed(), vec![lane]),
                        );
                        let part = part.cast(Type::Scalar(if scalar.bits() == 64 {
                            Scalar::Ulong
                        } else {
                            Scalar::Uint
                        }));
                        sum = Some(match sum {
                            None => part,
                            Some(sum) => {
                                let scaled = Expr::binary(Binary::Mul, sum, Expr::literal(Scalar::Uint, 3));
                                Expr::binary(Binary::Add, scaled, part)
                            }
                        });
                    }
                    values.extend(sum);
                }
                &Type::Vector(scalar, lanes) => {
                    let lane = self.random.below(u64::from(lanes)) as u8;
                    let part = Expr::new(Type::Scalar(scalar), ExprKind::Swizzle(value.boxed(), vec![lane]));
                    values.push(Expr::new(Type::Scalar(scalar.signed()), ExprKind::As(part.boxed())));
                }
                Type::Array(element, length) if element.scalar().is_some_and(|s| !s.is_float()) => {
                    let index = self.random.below(u64::from(*length)) as i32;
                    values.push(self.element(value, Expr::int(index)));
                }
                Type::Struct(_) => {
                    values.push(Expr::new(Type::INT, ExprKind::Field(value.boxed(), 0)));
                }
                _ => {}
            }
        }
        // What came last is written in any case; the others share the elements that are left.
        let each = output.each as usize;
        let mut places: Vec<Option<Expr>> = vec![None; each];
        for (index, value) in values.into_iter().enumerate() {
            let place = &mut places[index % each];
            *place = Some(match place.take() {
                None => value,
                Some(sum) => {
                    let wide = Type::Scalar(Scalar::Ulong);
                    let scaled =
                        Expr::binary(Binary::Mul, sum.cast(wide.clone()), Expr::literal(Scalar::Ulong, 5));
                    Expr::binary(Binary::Xor, scaled, value.cast(wide))
                }
            });
        }
        for (number, value) in places.into_iter().enumerate() {
            let Some(value) = value else { continue };
            let start = Expr::binary(Binary::Mul, self.of(ids.global), Expr::int(output.each as i32));
            let place = self.element(
                self.of(output.variable),
                Expr::binary(Binary::Add, start, Expr::int(number as i32)),
            );
            body.push(Stmt::expr(Expr::assign(place, value.cast(Type::Scalar(output.scalar)))));
        }
    }
}
