//! Which statement stands where.

use super::{Here, Maker, Use};
use crate::ast::{Expr, ExprKind, Init, Stmt, StmtKind};
use crate::types::{Scalar, Space, Type};

/// Loops and branches in one another.
const DEEPEST: u32 = 4;

impl Maker {
    /// So many statements; what they declare stays known to the caller.
    pub(super) fn statements(&mut self, here: Here, count: u64, out: &mut Vec<Stmt>) {
        for _ in 0..count {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.statement(here, out);
        }
    }

    /// A block with a scope of its own.
    pub(super) fn block(&mut self, here: Here) -> Vec<Stmt> {
        let mark = self.scope.known.len();
        let mut out = Vec::new();
        let count = self.random.between(1, 3);
        self.statements(here, count, &mut out);
        self.scope.known.truncate(mark);
        out
    }

    fn statement(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let theme = self.theme;
        let deep = here.depth >= DEEPEST;
        let nested = |weight: u32| if deep { 0 } else { weight };
        let shared = |weight: u32| if here.together { weight } else { 0 };
        let weights = [
            9,                                                     // 0 declare a scalar
            12,                                                    // 1 assign to one
            2,                                                     // 2 one without a value
            theme.arrays,                                          // 3 arrays
            theme.arrays,                                          // 4
            theme.vectors,                                         // 5 vectors
            theme.vectors,                                         // 6
            theme.structs,                                         // 7 structures
            theme.structs / 2,                                     // 8
            theme.pointers,                                        // 9
            nested(8),                                             // 10 branch
            nested(8),                                             // 11 loop
            nested(4),                                             // 12 switch
            nested(4),                                             // 13 flag
            shared(theme.barriers / 2),                            // 14 barrier
            shared(theme.barriers),                                // 15 exchange
            shared(theme.barriers / 3),                            // 16 broadcast
            shared(nested(theme.barriers / 4)),                    // 17 reduction
            shared(theme.collectives),                             // 18
            shared(theme.copies),                                  // 19
            theme.atomics,                                         // 20
            shared(theme.atomics / 2),                             // 21
            theme.atomics / 2,                                     // 22
            theme.calls,                                           // 23
            if here.in_loop || here.in_switch { 4 } else { 0 },    // 24 exit
            nested((theme.arrays + theme.barriers) / 5),           // 25 window
            (theme.vectors + theme.arrays) / 4,                    // 26 vstore
            2,                                                     // 27 output
            if here.may_return && here.depth > 0 { 1 } else { 0 }, // 28 return
            if self.scope.ids.is_none() {
                0
            } else if here.together {
                theme.sub_groups
            } else {
                3 * theme.sub_groups
            }, // 29 sub-groups
            if self.scope.out.is_some() { theme.generics } else { 0 }, // 30 generic pointers
        ];
        match self.random.weighted(&weights) {
            0 => self.declare_scalar(here, out),
            2 => self.declare_late(here, out),
            3 => self.declare_array(here, out),
            4 => self.assign_element(here, out),
            5 => self.declare_vector(here, out),
            6 => self.assign_vector(here, out),
            7 => self.declare_struct(here, out),
            8 => self.assign_field(here, out),
            9 => self.pointer(here, out),
            10 => self.branch(here, out),
            11 => self.repeat(here, out),
            12 => self.switch(here, out),
            13 => self.flagged(here, out),
            14 => out.push(self.barrier()),
            15 => self.exchange(out),
            16 => self.broadcast(out),
            17 => self.reduction(out),
            18 => self.collective(out),
            19 => self.copy(here, out),
            20 => self.atomic(out),
            21 => self.local_atomic(out),
            22 => self.own_atomic(out),
            23 => self.call_statement(here, out),
            24 => {
                let stmt = self.exit(here);
                out.push(stmt);
            }
            25 => self.window(here, out),
            26 => self.store_vector(here, out),
            27 => self.write_output(out),
            28 => {
                let stmt = self.guard(here);
                out.push(stmt);
            }
            29 => self.sub_group(here, out),
            30 => self.generic_pointer(here, out),
            _ => self.assign_scalar(here, out),
        }
    }

    fn branch(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let condition = if self.random.chance(12) { self.with_effect(here) } else { self.condition(here) };
        let together = here.together && self.random.chance(70);
        let inside = Here { together, depth: here.depth + 1, ..here };
        let then = self.block(inside);
        let otherwise = if self.random.chance(45) { self.block(inside) } else { vec![] };
        out.push(Stmt::new(StmtKind::If { condition, then, otherwise }));
    }

    /// `if (…) return …;`
    fn guard(&mut self, here: Here) -> Stmt {
        let condition = self.condition(here);
        let value = self.result_value();
        let then = vec![Stmt::new(StmtKind::Return(value))];
        Stmt::new(StmtKind::If { condition, then, otherwise: vec![] })
    }

    fn write_output(&mut self, out: &mut Vec<Stmt>) {
        let Some(place) = self.own_output() else {
            return;
        };
        let value = self.value(false, 1);
        out.push(Stmt::expr(Expr::assign(place, value)));
    }

    /// A call that stands alone, or gives a variable its value.
    fn call_statement(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let fits: Vec<_> = self
            .helpers
            .iter()
            .filter(|helper| helper.use_ != Use::Together || (here.together && !self.scope.tiles.is_empty()))
            .filter(|helper| helper.use_ != Use::Writes || self.scope.out.is_some())
            .copied()
            .collect();
        if fits.is_empty() {
            return self.assign_scalar(here, out);
        }
        let helper = self.random.pick(&fits);
        let function = &self.program.functions[helper.function];
        let (count, result) = (function.parameters, function.result.clone());
        let parameters = function.variables[..count].to_vec();
        let mut arguments: Vec<Expr> = Vec::new();
        for parameter in &parameters {
            let argument = match &parameter.ty {
                Type::Pointer(space, pointee) => self.pointer_to(*space, pointee, out),
                Type::Struct(_) => {
                    let mut known = self.those(|known, variable| known.ready && variable.ty == parameter.ty);
                    if known.is_empty() {
                        self.declare_struct(here, out);
                        known = self.those(|known, variable| known.ready && variable.ty == parameter.ty);
                    }
                    known.last().map(|known| self.of(known.variable))
                }
                Type::Vector(..) => Some(self.vector(&parameter.ty, false, 2)),
                ty => match (parameter.name.as_str(), self.scope.ids) {
                    ("li", Some(ids)) => Some(self.of(ids.local)),
                    ("ls", Some(ids)) => Some(self.of(ids.size)),
                    ("together", _) => Some(self.of_type(ty, true, 2)),
                    _ => Some(self.of_type(ty, false, 2)),
                },
            };
            let Some(argument) = argument else {
                return;
            };
            arguments.push(argument);
        }
        let target = match &result {
            Type::Void => None,
            ty => {
                let mut variable = None;
                if matches!(ty, Type::Scalar(_)) && self.random.chance(50) {
                    let fits = self
                        .those(|known, v| known.assignable && !known.uniform && v.ty == *ty && !v.volatile);
                    variable = fits.first().map(|known| known.variable);
                }
                Some(variable.unwrap_or_else(|| {
                    let variable = self.variable("r", ty.clone(), Space::Private);
                    out.push(Stmt::new(StmtKind::Declare { variable, init: Init::None }));
                    variable
                }))
            }
        };
        out.push(Stmt::new(StmtKind::Call { target, function: helper.function, arguments }));
        if let Some(target) = target
            && self.scope.known.iter().all(|known| known.variable != target)
        {
            self.know(target, false, true);
        }
    }

    /// A pointer for a parameter: to a private array, to the tile, or to one's own output.
    pub(super) fn pointer_to(&mut self, space: Space, pointee: &Type, out: &mut Vec<Stmt>) -> Option<Expr> {
        let ty = pointee.clone().pointer(space);
        match space {
            Space::Private => {
                let fits = self.those(|known, variable| {
                    known.assignable
                        && !known.uniform
                        && matches!(&variable.ty, Type::Array(element, length) if **element == *pointee && *length >= 4)
                });
                let variable = if fits.is_empty() || self.random.chance(20) {
                    let array = Type::Array(Box::new(pointee.clone()), 4);
                    let values = (0..4).map(|_| self.of_type(pointee, false, 3)).collect();
                    let variable = self.variable("a", array, Space::Private);
                    out.push(Stmt::new(StmtKind::Declare { variable, init: Init::List(values) }));
                    self.know(variable, false, true);
                    variable
                } else {
                    self.random.pick(&fits).variable
                };
                Some(Expr::new(ty, ExprKind::Decay(self.of(variable).boxed())))
            }
            Space::Local => {
                let tile = self.scope.tiles.iter().find(|tile| Type::Scalar(tile.scalar) == *pointee)?;
                let base = self.of(tile.variable);
                Some(if matches!(base.ty, Type::Array(..)) {
                    Expr::new(ty, ExprKind::Decay(base.boxed()))
                } else {
                    base
                })
            }
            Space::Global => {
                let place = self.own_output()?;
                if place.ty != *pointee {
                    return None;
                }
                Some(Expr::new(ty, ExprKind::AddressOf(place.boxed())))
            }
            Space::Generic => self.generic_argument(pointee, out),
            Space::Constant => None,
        }
    }

    /// The type of what helpers write to global memory.
    pub(super) const WRITTEN: Type = Type::Scalar(Scalar::Int);
}
