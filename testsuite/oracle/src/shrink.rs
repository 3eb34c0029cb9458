//! Makes a program smaller for as long as it still does what someone looks for.
//!
//! Candidates come from large to small: functions, launches, statements, parts of statements, expressions, sizes. Each is
//! tried by the evaluator first, which gives its new results: a candidate that is not legal is none.

use crate::Case;
use crate::ast::{Argument, Expr, ExprKind, Init, Program, Stmt, StmtKind};
use crate::evaluate::evaluate;
use crate::types::Type;

/// The smallest case that is found in so many tries for which `holds` is still true.
pub fn shrink(case: &Case, tries: u32, holds: &mut dyn FnMut(&Case) -> bool) -> Case {
    let mut best = case.clone();
    best.program.number();
    let mut left = tries;
    loop {
        let before = size(&best.program);
        for pass in PASSES {
            let mut at = 0;
            // After a change the same position holds something else.
            while let Some(candidate) = pass(&best.program, at) {
                if left == 0 {
                    return best;
                }
                match accepted(candidate, holds, &mut left) {
                    Some(smaller) => best = smaller,
                    None => at += 1,
                }
            }
        }
        if size(&best.program) >= before {
            return best;
        }
    }
}

fn accepted(
    candidate: Option<Program>,
    holds: &mut dyn FnMut(&Case) -> bool,
    left: &mut u32,
) -> Option<Case> {
    let mut program = candidate?;
    program.number();
    let outcome = evaluate(&program).ok()?;
    let case = Case { program, outcome };
    *left -= 1;
    holds(&case).then_some(case)
}

/// Nodes, launches and items: what passes make less of.
fn size(program: &Program) -> usize {
    let mut nodes = 0;
    program.each_stmt(&mut |_, _| nodes += 3);
    program.each_expr(&mut |_, expr| nodes += if matches!(expr.kind, ExprKind::Literal(_)) { 1 } else { 2 });
    let items: u32 = program.launches.iter().map(|launch| launch.global.iter().product::<u32>()).sum();
    nodes + 50 * (program.functions.len() + program.launches.len() + program.globals.len()) + items as usize
}

/// The candidate number `at` of a pass; `None` behind the last, `Some(None)` where there is nothing to change.
type Pass = fn(&Program, usize) -> Option<Option<Program>>;

const PASSES: [Pass; 7] = [launches, functions, statements, parts, lists, expressions, shapes];

fn launches(program: &Program, at: usize) -> Option<Option<Program>> {
    if at >= program.launches.len() {
        return None;
    }
    let mut program = program.clone();
    program.launches.remove(at);
    Some((!program.launches.is_empty()).then_some(program))
}

/// Takes a function away that nobody calls.
fn functions(program: &Program, at: usize) -> Option<Option<Program>> {
    if at >= program.functions.len() {
        return None;
    }
    let mut used = program.launches.iter().any(|launch| launch.kernel == at);
    program.each_expr(&mut |_, expr| used |= matches!(expr.kind, ExprKind::Call(callee, _) if callee == at));
    program.each_stmt(&mut |_, stmt| {
        used |= matches!(stmt.kind, StmtKind::Call { function, .. } if function == at);
    });
    if used {
        return Some(None);
    }
    let mut program = program.clone();
    program.functions.remove(at);
    let lower = |callee: &mut usize| *callee -= usize::from(*callee > at);
    program.launches.iter_mut().for_each(|launch| lower(&mut launch.kernel));
    program.each_expr_mut(&mut |_, expr| {
        if let ExprKind::Call(callee, _) = &mut expr.kind {
            lower(callee);
        }
    });
    program.each_stmt_mut(&mut |_, stmt| {
        if let StmtKind::Call { function, .. } = &mut stmt.kind {
            lower(function);
        }
    });
    Some(Some(program))
}

/// Calls `change` with the list that holds the statement of this number, and its place; `None` behind the last.
fn at_statement(
    program: &Program,
    at: usize,
    change: &mut dyn FnMut(&mut Vec<Stmt>, usize) -> bool,
) -> Option<Option<Program>> {
    fn visit(
        body: &mut Vec<Stmt>,
        left: &mut usize,
        change: &mut dyn FnMut(&mut Vec<Stmt>, usize) -> bool,
    ) -> Option<bool> {
        for index in 0..body.len() {
            if *left == 0 {
                return Some(change(body, index));
            }
            *left -= 1;
            for block in body[index].blocks_mut() {
                if let Some(done) = visit(block, left, change) {
                    return Some(done);
                }
            }
        }
        None
    }
    let mut program = program.clone();
    let mut left = at;
    for function in program.functions.iter_mut().rev() {
        if let Some(done) = visit(&mut function.body, &mut left, change) {
            return Some(done.then_some(program));
        }
    }
    None
}

fn statements(program: &Program, at: usize) -> Option<Option<Program>> {
    at_statement(program, at, &mut |body, index| {
        body.remove(index);
        true
    })
}

/// A statement becomes what is in it.
fn parts(program: &Program, at: usize) -> Option<Option<Program>> {
    at_statement(program, at / 3, &mut |body, index| {
        let stmt = body[index].clone();
        let inner: Vec<Stmt> = match (stmt.kind, at % 3) {
            (StmtKind::If { then, .. }, 0) => then,
            (StmtKind::If { otherwise, .. }, 1) => otherwise,
            (StmtKind::If { condition, then, otherwise }, 2) if !otherwise.is_empty() => {
                vec![Stmt::new(StmtKind::If { condition, then, otherwise: vec![] })]
            }
            (StmtKind::Loop { init, body, .. }, 0) => {
                init.map(|init| *init).into_iter().chain(body).collect()
            }
            (StmtKind::Loop { init, body, .. }, 1) => {
                init.map(|init| *init).into_iter().chain([Stmt::new(StmtKind::Block(body))]).collect()
            }
            (StmtKind::Switch { cases, .. }, part) => match cases.get(part) {
                Some(case) => {
                    case.body.iter().filter(|s| !matches!(s.kind, StmtKind::Break)).cloned().collect()
                }
                None => return false,
            },
            (StmtKind::Copy { meanwhile, .. }, 0) => meanwhile,
            (StmtKind::Block(inner), 0) => inner,
            _ => return false,
        };
        body.splice(index..=index, inner);
        true
    })
}

/// Takes cases and elements of initialisers away.
fn lists(program: &Program, at: usize) -> Option<Option<Program>> {
    at_statement(program, at / 4, &mut |body, index| match &mut body[index].kind {
        StmtKind::Switch { cases, .. } if cases.len() > at % 4 => {
            cases.remove(at % 4);
            true
        }
        StmtKind::Declare { init: Init::List(values), .. } if values.len() > 1 && at.is_multiple_of(4) => {
            values.pop();
            true
        }
        _ => false,
    })
}

/// An expression becomes a literal, or one of its own parts.
fn expressions(program: &Program, at: usize) -> Option<Option<Program>> {
    const WAYS: usize = 5;
    let mut program = program.clone();
    let (mut left, way) = (at / WAYS, at % WAYS);
    let mut outcome: Option<bool> = None;
    program.each_expr_mut(&mut |_, expr| {
        if outcome.is_some() {
            return;
        }
        if left > 0 {
            left -= 1;
            return;
        }
        outcome = Some(simplify(expr, way));
    });
    outcome.map(|changed| changed.then_some(program))
}

fn simplify(expr: &mut Expr, way: usize) -> bool {
    if matches!(expr.kind, ExprKind::Literal(0 | 1)) {
        return false;
    }
    if way < 2 {
        let atom = matches!(&expr.kind, ExprKind::Cast(inner) if matches!(inner.kind, ExprKind::Literal(_)));
        let value =
            if atom || matches!(expr.ty, Type::Void) { None } else { Expr::constant(&expr.ty, way as i128) };
        return value.is_some_and(|value| {
            *expr = value;
            true
        });
    }
    let ty = expr.ty.clone();
    let children = expr.children();
    let Some(child) = children.get(way - 2).map(|child| (*child).clone()) else { return false };
    let fits = child.ty == ty || (child.ty.scalar().is_some() && ty.scalar().is_some());
    if !fits {
        return false;
    }
    *expr = child.cast(ty);
    true
}

/// Smaller index spaces and simpler data.
fn shapes(program: &Program, at: usize) -> Option<Option<Program>> {
    const WAYS: usize = 8;
    let number = at / WAYS;
    if number >= program.launches.len() {
        return None;
    }
    let mut program = program.clone();
    let launch = &mut program.launches[number];
    let before = launch.clone();
    match at % WAYS {
        0 => launch.global.clone_from(&launch.local),
        1 => launch.offset.clear(),
        2 => {
            launch.global.truncate(1);
            launch.local.truncate(1);
            launch.offset.truncate(1);
        }
        3 | 4 => {
            for d in 0..launch.local.len() {
                let groups = launch.global[d].div_ceil(launch.local[d]);
                launch.local[d] =
                    if at % WAYS == 3 { launch.local[d].div_ceil(2) } else { (launch.local[d] - 1).max(1) };
                launch.global[d] = groups * launch.local[d];
            }
        }
        5 => {
            for argument in &mut launch.arguments {
                if let Argument::Buffer(_, values) = argument
                    && values.iter().any(|value| *value > 1)
                    && values.len() < 200
                {
                    values.iter_mut().for_each(|value| *value = u64::from(*value != 0));
                }
            }
        }
        6 => {
            for argument in &mut launch.arguments {
                if let Argument::Value(_, values) = argument {
                    values.iter_mut().for_each(|value| *value = 1);
                }
            }
        }
        _ => {
            let kernel = launch.kernel;
            if program.functions[kernel].required.take().is_none() {
                return Some(None);
            }
            return Some(Some(program));
        }
    }
    let items: u32 = launch.global.iter().product();
    for argument in &mut launch.arguments {
        if let Argument::Buffer(_, values) = argument {
            // The output is as long as the items need.
            let old: u32 = before.global.iter().product();
            if values.len() == (old * 12) as usize {
                values.truncate((items * 12) as usize);
            }
        }
    }
    let kernel = launch.kernel;
    let (changed, local) = (*launch != before, launch.local.clone());
    if let Some(required) = &mut program.functions[kernel].required {
        *required = std::array::from_fn(|d| local.get(d).copied().unwrap_or(1));
    }
    Some(changed.then_some(program))
}
