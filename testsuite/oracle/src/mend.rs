//! Makes a program legal: what the evaluator refuses is changed where it stands, and the program tried again.
//!
//! So a sum is written so that it wraps only where it would overflow, an index is reduced only where it would leave its
//! array, and a barrier is taken away only where the group really parts. A change never makes a program longer than by a
//! few nodes.

use crate::ast::{Binary, Expr, ExprKind, Init, Program, Query, Stmt, StmtKind, Unary};
use crate::evaluate::{Facts, Outcome, Refusal, Why, run};
use crate::random::Random;
use crate::types::{Scalar, Type};

/// How many changes a program may need.
const MOST_CHANGES: u32 = 80;

/// Mends a program until the evaluator takes it; none if that takes too many changes.
pub(crate) fn settle(mut program: Program, random: &mut Random) -> Option<(Program, Outcome)> {
    for _ in 0..MOST_CHANGES {
        program.number();
        match run(&program) {
            Ok(outcome) => return Some((program, outcome)),
            Err(failed) => mend(&mut program, failed.refusal, &failed.facts, random),
        }
    }
    None
}

fn mend(program: &mut Program, refusal: Refusal, facts: &Facts, random: &mut Random) {
    let Refusal { node, why } = refusal;
    if why == Why::TooLong && shorten(program, node) {
        return;
    }
    if why == Why::Divergence && random.chance(50) && gather(program, node, facts) {
        return;
    }
    let mut done = false;
    program.each_expr_mut(&mut |_, expr| {
        if expr.id == node {
            done = mend_expr(expr, why);
        }
    });
    if !done {
        remove(program, node);
    }
}

fn unsigned(ty: &Type) -> Type {
    ty.with_element(ty.element().map_or(Scalar::Uint, Scalar::unsigned))
}

/// A value with the bits of another, of the unsigned type; vectors cannot be cast.
fn as_unsigned(value: Expr, ty: &Type) -> Expr {
    match &value.ty {
        Type::Vector(..) => Expr::new(unsigned(ty), ExprKind::As(value.boxed())),
        _ => value.cast(Type::Scalar(ty.element().map_or(Scalar::Uint, Scalar::unsigned))),
    }
}

/// An operation that wraps, with the type that the signed one has.
fn wrapping(operation: Binary, a: Expr, b: Expr, ty: &Type) -> Expr {
    let (a, b) = (as_unsigned(a, ty), as_unsigned(b, ty));
    let result = Expr::binary(operation, a, b);
    if matches!(ty, Type::Vector(..)) {
        Expr::new(ty.clone(), ExprKind::As(result.boxed()))
    } else {
        result.cast(ty.clone())
    }
}

fn below(index: Expr, length: u32) -> Expr {
    let length = Expr::literal(Scalar::Uint, i128::from(length));
    Expr::binary(Binary::Rem, index.cast(Type::UINT), length).cast(Type::INT)
}

/// Changes an expression; false if its statement has to go.
fn mend_expr(expr: &mut Expr, why: Why) -> bool {
    let old = expr.clone();
    let new = match (why, old.kind.clone()) {
        (Why::Overflow, ExprKind::Binary(operation, a, b)) => Some(wrapping(operation, *a, *b, &old.ty)),
        (Why::Overflow, ExprKind::Compound(operation, place, value)) => {
            let common = Expr::binary_type(operation, &place.ty, &value.ty);
            let result = wrapping(operation, (*place).clone(), *value, &common);
            Some(Expr::assign(*place, result))
        }
        (Why::Overflow, ExprKind::Step { up, place, .. }) => {
            let operation = if up { Binary::Add } else { Binary::Sub };
            let common = Expr::binary_type(operation, &place.ty, &Type::INT);
            Some(Expr::assign((*place).clone(), wrapping(operation, *place, Expr::int(1), &common)))
        }
        (Why::Overflow, ExprKind::Unary(Unary::Minus, a)) => {
            let zero = Expr::constant(&a.ty, 0).unwrap_or_else(|| Expr::int(0));
            Some(wrapping(Binary::Sub, zero, *a, &old.ty))
        }
        (Why::DivideByZero, ExprKind::Binary(operation, a, b)) if matches!(old.ty, Type::Scalar(_)) => {
            let masked = Expr::binary(Binary::And, *b, Expr::int(15));
            Some(Expr::binary(operation, *a, Expr::binary(Binary::Add, masked, Expr::int(1))))
                .filter(|new| new.ty == old.ty)
        }
        (Why::OutOfBounds(length), ExprKind::Index(base, index)) if length > 0 && !is_reduced(&index) => {
            Some(Expr::new(old.ty.clone(), ExprKind::Index(base, below(*index, length).boxed())))
        }
        (Why::OutOfBounds(length), ExprKind::Offset(base, index)) if length > 0 && !is_reduced(&index) => {
            Some(Expr::new(old.ty.clone(), ExprKind::Offset(base, below(*index, length).boxed())))
        }
        (Why::OutOfBounds(length), ExprKind::Load(index, base)) if length > 0 && !is_reduced(&index) => {
            Some(Expr::new(old.ty.clone(), ExprKind::Load(below(*index, length).boxed(), base)))
        }
        (Why::OutOfBounds(length), ExprKind::Store(value, index, base))
            if length > 0 && !is_reduced(&index) =>
        {
            Some(Expr::new(old.ty.clone(), ExprKind::Store(value, below(*index, length).boxed(), base)))
        }
        (Why::Uninitialised, ExprKind::Compound(_, place, value)) => Some(Expr::assign(*place, *value)),
        (_, ExprKind::Assign(..) | ExprKind::Compound(..) | ExprKind::Step { .. }) => None,
        _ => None,
    };
    let effect = matches!(
        old.kind,
        ExprKind::Assign(..)
            | ExprKind::Compound(..)
            | ExprKind::Step { .. }
            | ExprKind::Store(..)
            | ExprKind::Atomic { .. }
    );
    // A constant is no place: what is malformed goes as a whole.
    let keeps = effect || why == Why::Malformed;
    let new = new.or_else(|| if keeps { None } else { Expr::constant(&old.ty, 1) });
    match new {
        Some(new) => {
            *expr = new;
            true
        }
        None => false,
    }
}

fn is_reduced(index: &Expr) -> bool {
    matches!(&index.kind, ExprKind::Cast(inner) if matches!(inner.kind, ExprKind::Binary(Binary::Rem, ..)))
}

/// A condition that is the same for the group.
fn together() -> Expr {
    let size = Expr::new(Type::INT, ExprKind::Item(Query::LocalSize, 0));
    Expr::binary(Binary::Equal, Expr::binary(Binary::And, size, Expr::int(1)), Expr::int(0))
}

/// The variable that a loop counts in.
fn counter(stmt: &Stmt) -> Option<Expr> {
    let StmtKind::Loop { init, step, body, .. } = &stmt.kind else { return None };
    let stepped = |expr: &Expr| match &expr.kind {
        ExprKind::Step { up: true, place, .. } | ExprKind::Compound(Binary::Add, place, _)
            if matches!(place.kind, ExprKind::Variable(_)) =>
        {
            Some((**place).clone())
        }
        _ => None,
    };
    if init.is_some() {
        return step.as_ref().and_then(stepped);
    }
    match &body.first()?.kind {
        StmtKind::Expr(expr) => stepped(expr),
        _ => None,
    }
}

/// Lets a loop count to three; false if it has no counter.
fn shorten(program: &mut Program, node: u32) -> bool {
    let mut done = false;
    program.each_stmt_mut(&mut |_, stmt| {
        if stmt.id != node {
            return;
        }
        let Some(counter) = counter(stmt) else { return };
        let few = Expr::binary(Binary::Less, counter, Expr::int(3));
        if let StmtKind::Loop { condition, .. } = &mut stmt.kind {
            let same = condition.as_ref().is_some_and(|old| {
                matches!(&old.kind, ExprKind::Binary(Binary::Less, _, b) if matches!(b.kind, ExprKind::Literal(3)))
            });
            *condition = Some(few);
            done = !same;
        }
    });
    done
}

/// Whether a statement may send work-items elsewhere.
fn leaves(stmt: &Stmt) -> bool {
    stmt.any(&|stmt| matches!(stmt.kind, StmtKind::Break | StmtKind::Continue | StmtKind::Return(_)))
}

/// Lets the group stay together up to a statement: conditions around it and of exits that parted it become uniform.
fn gather(program: &mut Program, node: u32, facts: &Facts) -> bool {
    let mut of = None;
    program.each_stmt(&mut |function, stmt| {
        if stmt.id == node {
            of = Some(function);
        }
    });
    let Some(of) = of else { return false };
    let mut done = false;
    program.each_stmt_mut(&mut |function, stmt| {
        if function != of || !facts.has_diverged(stmt.id) {
            return;
        }
        let around = stmt.any(&|stmt| stmt.id == node);
        if !around && !leaves(stmt) {
            return;
        }
        let few = counter(stmt).map(|counter| Expr::binary(Binary::Less, counter, Expr::int(2)));
        match &mut stmt.kind {
            StmtKind::If { condition, .. } => *condition = together(),
            StmtKind::Switch { value, .. } => {
                *value = Expr::new(Type::INT, ExprKind::Item(Query::GroupId, 0))
            }
            StmtKind::Loop { condition, .. } if around => match few {
                Some(few) => *condition = Some(few),
                None => return,
            },
            _ => return,
        }
        done = true;
    });
    done
}

/// Takes away the statement that has this number or an expression with it.
fn remove(program: &mut Program, node: u32) {
    for function in &mut program.functions {
        let variables: Vec<Type> = function.variables.iter().map(|variable| variable.ty.clone()).collect();
        if remove_from(&mut function.body, node, &variables) {
            return;
        }
    }
}

pub(crate) fn holds(stmt: &Stmt, node: u32) -> bool {
    stmt.id == node || stmt.expressions().into_iter().any(|expr| expr.any(&|expr| expr.id == node))
}

fn remove_from(body: &mut Vec<Stmt>, node: u32, variables: &[Type]) -> bool {
    for at in 0..body.len() {
        let stmt = &mut body[at];
        if holds(stmt, node) {
            match &mut stmt.kind {
                // Others use the variable.
                StmtKind::Declare { variable, init } => {
                    let value = Expr::constant(&variables[*variable], 1);
                    *init = match (value, &variables[*variable]) {
                        (Some(value), _) => Init::Value(value),
                        _ => Init::None,
                    };
                }
                _ => {
                    body.remove(at);
                }
            }
            return true;
        }
        if let StmtKind::Loop { init: Some(init), .. } = &stmt.kind
            && holds(init, node)
        {
            body.remove(at);
            return true;
        }
        for block in stmt.blocks_mut() {
            if remove_from(block, node, variables) {
                return true;
            }
        }
    }
    false
}
