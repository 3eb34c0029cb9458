//! Ways over trees: the children of a node, and every node in the order of the text.

use crate::ast::{Expr, ExprKind, Init, Program, Stmt, StmtKind};

/// The operands of an expression, in the order of the text; with `mut`, to be changed.
macro_rules! children {
    ($expr:expr, $iter:ident $(, $mut:tt)?) => {
        match &$($mut)? $expr.kind {
            ExprKind::Literal(_) | ExprKind::Variable(_) | ExprKind::Global(_) | ExprKind::Item(..) => vec![],
            ExprKind::Field(a, _)
            | ExprKind::Swizzle(a, _)
            | ExprKind::Deref(a)
            | ExprKind::AddressOf(a)
            | ExprKind::Decay(a)
            | ExprKind::Unary(_, a)
            | ExprKind::Cast(a)
            | ExprKind::Step { place: a, .. }
            | ExprKind::Convert { value: a, .. }
            | ExprKind::LeadsTo(_, a)
            | ExprKind::As(a) => vec![a],
            ExprKind::Index(a, b)
            | ExprKind::Offset(a, b)
            | ExprKind::Binary(_, a, b)
            | ExprKind::AndAlso(a, b)
            | ExprKind::OrElse(a, b)
            | ExprKind::Assign(a, b)
            | ExprKind::Compound(_, a, b)
            | ExprKind::Load(a, b) => vec![a, b],
            ExprKind::Conditional(a, b, c) | ExprKind::Store(a, b, c) => vec![a, b, c],
            ExprKind::Compose(parts) | ExprKind::Call(_, parts) | ExprKind::Builtin(_, parts) => {
                parts.$iter().collect()
            }
            ExprKind::Atomic { place, operands, .. } => {
                std::iter::once(&$($mut)? **place).chain(operands).collect()
            },
        }
    };
}

/// The expressions that are a statement's own, not those of statements in it; with `mut`, to be changed.
macro_rules! expressions {
    ($stmt:expr, $iter:ident $(, $mut:tt)?) => {
        match &$($mut)? $stmt.kind {
            StmtKind::Declare { init, .. } => match init {
                Init::None => vec![],
                Init::Value(value) => vec![value],
                Init::List(values) => values.$iter().collect(),
            },
            StmtKind::Expr(expr) => vec![expr],
            StmtKind::If { condition, .. } => vec![condition],
            StmtKind::Loop { condition, step, .. } => condition.$iter().chain(step).collect(),
            StmtKind::Switch { value, .. } => vec![value],
            StmtKind::Return(value) => value.$iter().collect(),
            StmtKind::Call { arguments, .. }
            | StmtKind::Collective { arguments, .. }
            | StmtKind::SubGroup { arguments, .. } => arguments.$iter().collect(),
            StmtKind::Copy { to, from, count, stride, .. } => {
                [to, from, count].into_iter().chain(stride).collect()
            }
            StmtKind::Break | StmtKind::Continue | StmtKind::Block(_) | StmtKind::Barrier { .. } => vec![],
        }
    };
}

/// The lists of statements in a statement; with `mut`, to be changed.
macro_rules! blocks {
    ($stmt:expr, $iter:ident $(, $mut:tt)?) => {
        match &$($mut)? $stmt.kind {
            StmtKind::If { then, otherwise, .. } => vec![then, otherwise],
            StmtKind::Loop { body, .. } | StmtKind::Block(body) => vec![body],
            StmtKind::Copy { meanwhile, .. } => vec![meanwhile],
            StmtKind::Switch { cases, .. } => cases.$iter().map(|case| &$($mut)? case.body).collect(),
            _ => vec![],
        }
    };
}

impl Expr {
    pub(crate) fn children(&self) -> Vec<&Self> {
        children!(self, iter)
    }

    pub(crate) fn children_mut(&mut self) -> Vec<&mut Self> {
        children!(self, iter_mut, mut)
    }

    /// Calls `visit` on it and on everything in it.
    pub(crate) fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        for child in self.children() {
            child.walk(visit);
        }
    }

    pub(crate) fn walk_mut(&mut self, visit: &mut dyn FnMut(&mut Self)) {
        visit(self);
        for child in self.children_mut() {
            child.walk_mut(visit);
        }
    }

    /// Whether anything in it fulfils the condition.
    pub(crate) fn any(&self, condition: &dyn Fn(&Self) -> bool) -> bool {
        condition(self) || self.children().into_iter().any(|child| child.any(condition))
    }
}

impl Stmt {
    /// The expressions that are its own, not those of statements in it.
    pub(crate) fn expressions(&self) -> Vec<&Expr> {
        expressions!(self, iter)
    }

    pub(crate) fn expressions_mut(&mut self) -> Vec<&mut Expr> {
        expressions!(self, iter_mut, mut)
    }

    /// The lists of statements in it.
    pub(crate) fn blocks(&self) -> Vec<&Vec<Self>> {
        blocks!(self, iter)
    }

    pub(crate) fn blocks_mut(&mut self) -> Vec<&mut Vec<Self>> {
        blocks!(self, iter_mut, mut)
    }

    /// Calls `visit` on it and on every statement in it, the `init` of loops too.
    pub(crate) fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        visit(self);
        if let StmtKind::Loop { init: Some(init), .. } = &self.kind {
            init.walk(visit);
        }
        for block in self.blocks() {
            for stmt in block {
                stmt.walk(visit);
            }
        }
    }

    pub(crate) fn walk_mut(&mut self, visit: &mut dyn FnMut(&mut Self)) {
        visit(self);
        if let StmtKind::Loop { init: Some(init), .. } = &mut self.kind {
            init.walk_mut(visit);
        }
        for block in self.blocks_mut() {
            for stmt in block {
                stmt.walk_mut(visit);
            }
        }
    }

    /// Whether it or a statement in it fulfils the condition.
    pub(crate) fn any(&self, condition: &dyn Fn(&Self) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |stmt| found |= condition(stmt));
        found
    }
}

impl Program {
    /// Numbers every statement and expression, from 1 on.
    pub(crate) fn number(&mut self) {
        let mut next = 1_u32;
        for function in &mut self.functions {
            for stmt in &mut function.body {
                stmt.walk_mut(&mut |stmt| {
                    stmt.id = next;
                    next += 1;
                    for expr in stmt.expressions_mut() {
                        expr.walk_mut(&mut |expr| {
                            expr.id = next;
                            next += 1;
                        });
                    }
                });
            }
        }
    }

    pub(crate) fn each_stmt<'a>(&'a self, visit: &mut dyn FnMut(usize, &'a Stmt)) {
        for (number, function) in self.functions.iter().enumerate() {
            for stmt in &function.body {
                stmt.walk(&mut |stmt| visit(number, stmt));
            }
        }
    }

    pub(crate) fn each_stmt_mut(&mut self, visit: &mut dyn FnMut(usize, &mut Stmt)) {
        for (number, function) in self.functions.iter_mut().enumerate() {
            for stmt in &mut function.body {
                stmt.walk_mut(&mut |stmt| visit(number, stmt));
            }
        }
    }

    pub(crate) fn each_expr<'a>(&'a self, visit: &mut dyn FnMut(usize, &'a Expr)) {
        self.each_stmt(&mut |function, stmt| {
            for expr in stmt.expressions() {
                expr.walk(&mut |expr| visit(function, expr));
            }
        });
    }

    pub(crate) fn each_expr_mut(&mut self, visit: &mut dyn FnMut(usize, &mut Expr)) {
        self.each_stmt_mut(&mut |function, stmt| {
            for expr in stmt.expressions_mut() {
                expr.walk_mut(&mut |expr| visit(function, expr));
            }
        });
    }
}
