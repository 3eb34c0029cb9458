//! What must hold of a program before it is evaluated: names in scope, jumps with a target, effects in an order.
//!
//! The generator makes no other programs; steps that shrink or mend one may.

use super::refusal::{Refusal, Why};
use crate::ast::{Expr, ExprKind, Function, Init, Program, Stmt, StmtKind};
use crate::types::{Space, Type};

pub(super) fn check(program: &Program) -> Result<(), Refusal> {
    let impure: Vec<bool> =
        program.functions.iter().map(|f| f.body.iter().any(|s| has_effects(program, s))).collect();
    for function in &program.functions {
        let mut scope = vec![false; function.variables.len()];
        scope[..function.parameters].fill(true);
        let mut checker =
            Checker { function, scope, seen: vec![false; function.variables.len()], impure: &impure };
        checker.block(&function.body, Inside::default(), true)?;
    }
    Ok(())
}

/// Whether a function with this statement may change what its caller sees, or needs the whole group.
fn has_effects(program: &Program, stmt: &Stmt) -> bool {
    stmt.any(&|stmt| {
        let together = matches!(
            stmt.kind,
            StmtKind::Barrier { .. }
                | StmtKind::Collective { .. }
                | StmtKind::SubGroup { .. }
                | StmtKind::Copy { .. }
        );
        let calls = matches!(stmt.kind, StmtKind::Call { .. });
        together
            || calls
            || stmt.expressions().into_iter().any(|expr| {
                expr.any(&|expr| match &expr.kind {
                    ExprKind::Assign(place, _) | ExprKind::Compound(_, place, _) => leaves(place),
                    ExprKind::Step { place, .. } => leaves(place),
                    ExprKind::Store(..) | ExprKind::Atomic { .. } => true,
                    ExprKind::Call(callee, _) => {
                        program.functions[*callee].body.iter().any(|stmt| has_effects(program, stmt))
                    }
                    _ => false,
                })
            })
    })
}

/// Whether a place may belong to someone else.
fn leaves(place: &Expr) -> bool {
    match &place.kind {
        ExprKind::Variable(_) => false,
        ExprKind::Field(base, _) | ExprKind::Swizzle(base, _) => leaves(base),
        ExprKind::Index(base, _) => !matches!(base.ty, Type::Array(..)) || leaves(base),
        _ => true,
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Inside {
    a_loop: bool,
    a_switch: bool,
    a_copy: bool,
}

struct Checker<'p> {
    function: &'p Function,
    scope: Vec<bool>,
    /// Variables that were declared.
    seen: Vec<bool>,
    impure: &'p [bool],
}

impl Checker<'_> {
    fn block(&mut self, body: &[Stmt], inside: Inside, outermost: bool) -> Result<(), Refusal> {
        let before = self.scope.clone();
        for stmt in body {
            self.stmt(stmt, inside, outermost)?;
        }
        self.scope = before;
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt, inside: Inside, outermost: bool) -> Result<(), Refusal> {
        let node = stmt.id;
        let malformed = Err(Refusal { node, why: Why::Malformed });
        // The counter of a loop is in scope in the loop.
        let before = self.scope.clone();
        if let StmtKind::Loop { init: Some(init), .. } = &stmt.kind {
            self.stmt(init, inside, false)?;
        }
        for expr in stmt.expressions() {
            self.expr(expr)?;
        }
        let of_loop = Inside { a_loop: true, ..Inside::default() };
        match &stmt.kind {
            StmtKind::Declare { variable, init } => {
                if self.seen[*variable] {
                    return malformed;
                }
                (self.seen[*variable], self.scope[*variable]) = (true, true);
                let local = self.function.variables[*variable].space == Space::Local;
                if local && (!outermost || !self.function.is_kernel() || !matches!(init, Init::None)) {
                    return malformed;
                }
            }
            StmtKind::Break if !inside.a_loop && !inside.a_switch => return malformed,
            StmtKind::Continue if !inside.a_loop => return malformed,
            StmtKind::Return(value) => {
                if inside.a_copy || value.is_some() != (self.function.result != Type::Void) {
                    return malformed;
                }
            }
            StmtKind::Loop { body, .. } => self.block(body, of_loop, false)?,
            StmtKind::Switch { cases, .. } => {
                let mut labels = Vec::new();
                for case in cases {
                    for label in &case.labels {
                        if labels.contains(label) {
                            return malformed;
                        }
                        labels.push(*label);
                    }
                    self.block(&case.body, Inside { a_switch: true, ..inside }, false)?;
                }
            }
            StmtKind::Copy { meanwhile, .. } => {
                // Its declarations are in scope behind it in the text, but nobody uses them there.
                self.block(meanwhile, Inside { a_copy: true, ..Inside::default() }, false)?;
            }
            StmtKind::Call { target, .. } => {
                if target.is_some_and(|target| !self.scope[target]) {
                    return malformed;
                }
            }
            StmtKind::Collective { target, .. } | StmtKind::SubGroup { target, .. }
                if !self.scope[*target] =>
            {
                return malformed;
            }
            _ => {
                for block in stmt.blocks() {
                    self.block(block, inside, false)?;
                }
            }
        }
        if matches!(stmt.kind, StmtKind::Loop { .. }) {
            self.scope = before;
        }
        Ok(())
    }

    fn expr(&self, expr: &Expr) -> Result<(), Refusal> {
        let fail = |why| Err(Refusal { node: expr.id, why });
        if let ExprKind::Variable(variable) = &expr.kind
            && !self.scope[*variable]
        {
            return fail(Why::Malformed);
        }
        let must_be_place = match &expr.kind {
            ExprKind::Assign(place, _)
            | ExprKind::Compound(_, place, _)
            | ExprKind::Step { place, .. }
            | ExprKind::AddressOf(place)
            | ExprKind::Decay(place) => Some(place),
            _ => None,
        };
        if must_be_place.is_some_and(|place| !place.is_place()) {
            return fail(Why::Malformed);
        }
        let children = expr.children();
        let ordered = match &expr.kind {
            ExprKind::AndAlso(..) | ExprKind::OrElse(..) => true,
            ExprKind::Conditional(c, ..) => matches!(c.ty, Type::Scalar(_)),
            // What is assigned is known before it is: a call, or an assignment inside, has ended by then.
            ExprKind::Assign(place, _) => matches!(place.kind, ExprKind::Variable(_)),
            _ => false,
        };
        if !ordered && children.len() > 1 && children.iter().any(|child| self.has_effect(child)) {
            let others = children.iter().filter(|child| !is_fixed(child)).count();
            if others > 1 {
                return fail(Why::Unsequenced);
            }
        }
        children.into_iter().try_for_each(|child| self.expr(child))
    }

    fn has_effect(&self, expr: &Expr) -> bool {
        expr.any(&|expr| match &expr.kind {
            ExprKind::Assign(..)
            | ExprKind::Compound(..)
            | ExprKind::Step { .. }
            | ExprKind::Store(..)
            | ExprKind::Atomic { .. } => true,
            ExprKind::Call(callee, _) => self.impure[*callee],
            _ => false,
        })
    }
}

/// Whether nothing that happens can change its value.
fn is_fixed(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Item(..) => true,
        ExprKind::AddressOf(place) | ExprKind::Decay(place) => {
            matches!(place.kind, ExprKind::Variable(_) | ExprKind::Global(_))
        }
        _ => expr.children().iter().all(|child| is_fixed(child)) && !expr.children().is_empty(),
    }
}
