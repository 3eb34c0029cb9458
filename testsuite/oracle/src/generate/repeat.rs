//! Loops, the ways out of them, and `switch`.

use super::{Here, Maker};
use crate::ast::{Binary, Case, Expr, ExprKind, Init, LoopForm, Stmt, StmtKind};
use crate::types::{Scalar, Space, Type};

impl Maker {
    /// A loop of a few rounds, with exits of any kind.
    pub(super) fn repeat(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let together = here.together && self.random.chance(55);
        let form =
            self.random.pick(&[LoopForm::For, LoopForm::For, LoopForm::For, LoopForm::While, LoopForm::Do]);
        let scalar = self.random.pick(&[Scalar::Int, Scalar::Int, Scalar::Int, Scalar::Uint, Scalar::Short]);
        let counter = self.variable("i", Type::Scalar(scalar), Space::Private);
        let (start, step) = match self.random.below(6) {
            0 => (self.random.below(3) as i32, 2),
            1 => (0, 5),
            _ => (0, 1),
        };
        let mut bound = self.bound(together, step);
        // A bound in a variable of its own stays what it was.
        if self.random.chance(50) && !matches!(bound.kind, ExprKind::Literal(_)) {
            let variable = self.variable("n", Type::INT, Space::Private);
            out.push(Stmt::new(StmtKind::Declare { variable, init: Init::Value(bound.cast(Type::INT)) }));
            self.know(variable, together, false);
            bound = self.of(variable);
        }
        let mark = self.scope.known.len();
        let endless = form != LoopForm::Do && self.random.chance(10);
        let of_counter = self.of(counter);
        let init = Stmt::new(StmtKind::Declare { variable: counter, init: Init::Value(Expr::int(start)) });
        let down = form == LoopForm::For && self.random.chance(10);
        let advance = Expr::new(
            of_counter.ty.clone(),
            if step == 1 {
                ExprKind::Step { up: true, prefix: self.random.chance(50), place: of_counter.clone().boxed() }
            } else {
                ExprKind::Compound(Binary::Add, of_counter.clone().boxed(), Expr::int(step).boxed())
            },
        );
        let mut condition = Expr::binary(Binary::Less, of_counter.clone(), bound.clone());
        if !together && self.random.chance(25) {
            // Another way out in the same place.
            let other = self.parting();
            condition = Expr::new(Type::INT, ExprKind::AndAlso(condition.boxed(), other.boxed()));
        } else if together && self.random.chance(15) {
            let other = self.in_fact(true);
            condition = Expr::new(Type::INT, ExprKind::AndAlso(condition.boxed(), other.boxed()));
        }
        self.know(counter, together, false);
        let inside = Here {
            together,
            depth: here.depth + 1,
            in_loop: true,
            in_switch: false,
            may_continue: true,
            may_return: here.may_return,
        };
        let count = self.random.between(1, 3);
        let mut body = Vec::new();
        self.statements(inside, count, &mut body);
        for _ in 0..self.random.pick(&[0, 0, 1, 1, 2]) {
            let exit = self.exit(inside);
            let at = self.random.index(body.len() + 1);
            // Behind declarations that it may use: at the end, or where nothing was declared before.
            let at = if self.random.chance(50) { body.len() } else { at };
            if Self::uses_only_outer(&exit, &body[..at], &body) {
                body.insert(at, exit);
            } else {
                body.push(exit);
            }
            if self.random.chance(50) {
                self.statements(inside, 1, &mut body);
            }
        }
        if let (true, true) = (together, self.random.chance(30)) {
            body.push(self.barrier());
        }
        let unroll = form == LoopForm::For && self.random.chance(6);
        let known = mark.min(self.scope.known.len());
        self.scope.known.truncate(known);
        match form {
            LoopForm::For if down => {
                let begin = Expr::int(1 + self.random.below(4) as i32);
                let init = Stmt::new(StmtKind::Declare { variable: counter, init: Init::Value(begin) });
                let down = ExprKind::Step { up: false, prefix: false, place: of_counter.clone().boxed() };
                let step = Expr::new(of_counter.ty.clone(), down);
                let condition = Expr::binary(Binary::NotEqual, of_counter, Expr::int(0));
                out.push(self.loop_of(form, Some(init), Some(condition), Some(step), body, unroll));
            }
            LoopForm::For if endless => {
                let stop = Expr::binary(Binary::GreaterEqual, of_counter, bound);
                let exit = StmtKind::If {
                    condition: stop,
                    then: vec![Stmt::new(StmtKind::Break)],
                    otherwise: vec![],
                };
                body.insert(0, Stmt::new(exit));
                out.push(self.loop_of(form, Some(init), None, Some(advance), body, unroll));
            }
            LoopForm::For => {
                out.push(self.loop_of(form, Some(init), Some(condition), Some(advance), body, unroll));
            }
            LoopForm::While | LoopForm::Do => {
                // First, so that `continue` does not leave it out.
                body.insert(0, Stmt::expr(advance));
                let mut whole = vec![init];
                if endless {
                    let stop = Expr::binary(Binary::Greater, of_counter, bound);
                    let then = vec![Stmt::new(StmtKind::Break)];
                    body.insert(1, Stmt::new(StmtKind::If { condition: stop, then, otherwise: vec![] }));
                    condition = Expr::int(1);
                }
                whole.push(self.loop_of(form, None, Some(condition), None, body, unroll));
                out.append(&mut whole);
                self.know(counter, together, false);
            }
        }
    }

    fn loop_of(
        &self,
        form: LoopForm,
        init: Option<Stmt>,
        condition: Option<Expr>,
        step: Option<Expr>,
        body: Vec<Stmt>,
        unroll: bool,
    ) -> Stmt {
        let init = init.map(Box::new);
        Stmt::new(StmtKind::Loop { form, init, condition, step, body, unroll })
    }

    /// Whether a statement uses nothing that `body` declares behind `before`.
    fn uses_only_outer(stmt: &Stmt, before: &[Stmt], body: &[Stmt]) -> bool {
        let declared = |part: &[Stmt]| -> Vec<usize> {
            part.iter()
                .filter_map(|stmt| match stmt.kind {
                    StmtKind::Declare { variable, .. } => Some(variable),
                    _ => None,
                })
                .collect()
        };
        let late = declared(&body[before.len()..]);
        let mut fine = true;
        stmt.walk(&mut |stmt| {
            for expr in stmt.expressions() {
                expr.walk(&mut |expr| {
                    if let ExprKind::Variable(variable) = expr.kind {
                        fine &= !late.contains(&variable);
                    }
                });
            }
            if let StmtKind::Call { target: Some(target), .. } = &stmt.kind {
                fine &= !late.contains(target);
            }
        });
        fine
    }

    /// How far a loop counts.
    fn bound(&mut self, uniform: bool, step: i32) -> Expr {
        let most = if step == 5 { 25 } else { 5 };
        match self.random.below(5) {
            0 | 1 => Expr::int(1 + self.random.below(most) as i32),
            2 => {
                let value = self.value(uniform, 2);
                let mask = if step == 5 { 15 } else { 3 };
                Expr::binary(Binary::And, value, Expr::int(mask)).cast(Type::INT)
            }
            3 => {
                let value = self.value(uniform, 2).cast(Type::UINT);
                let rest = Expr::binary(Binary::Rem, value, Expr::literal(Scalar::Uint, 4));
                rest.cast(Type::INT)
            }
            _ => {
                // May be long, may be negative.
                let value = self.leaf(uniform, 2).cast(Type::INT);
                if self.random.chance(50) { value } else { Expr::binary(Binary::And, value, Expr::int(7)) }
            }
        }
    }

    /// `if (…) { …; break; }` and the like.
    pub(super) fn exit(&mut self, here: Here) -> Stmt {
        let condition = self.condition(here);
        let mut then = Vec::new();
        let mark = self.scope.known.len();
        let inner = Here { together: false, depth: here.depth + 1, ..here };
        if self.random.chance(60) {
            // Something that tells the ways out apart.
            for _ in 0..self.random.between(1, 2) {
                self.flag(inner, &mut then);
            }
        }
        let mut ways = vec![StmtKind::Break];
        if here.may_continue {
            ways.push(StmtKind::Continue);
        }
        if here.may_return && self.random.chance(if here.together { 15 } else { 30 }) {
            let value = self.result_value();
            ways = vec![StmtKind::Return(value)];
        }
        let way = ways.swap_remove(self.random.index(ways.len()));
        then.push(Stmt::new(way));
        self.scope.known.truncate(mark);
        if self.random.chance(12) {
            // Inside a branch of its own.
            let outer = self.parting();
            let inside = vec![Stmt::new(StmtKind::If { condition, then, otherwise: vec![] })];
            return Stmt::new(StmtKind::If { condition: outer, then: inside, otherwise: vec![] });
        }
        Stmt::new(StmtKind::If { condition, then, otherwise: vec![] })
    }

    pub(super) fn result_value(&mut self) -> Option<Expr> {
        let result = self.scope.result.clone()?;
        match result {
            Type::Struct(_) => {
                let known = self.those(|known, variable| known.ready && variable.ty == result);
                known.first().map(|known| self.of(known.variable))
            }
            _ => Some(self.of_type(&result, false, 2)),
        }
    }

    /// Gives a variable a constant, or a counter one more.
    fn flag(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let targets = self.those(|known, variable| {
            known.assignable
                && !known.uniform
                && variable.ty.scalar().is_some_and(|scalar| !scalar.is_float())
        });
        if targets.is_empty() || self.random.chance(25) {
            return self.assign_scalar(here, out);
        }
        let chosen = self.random.pick(&targets).variable;
        let place = self.of(chosen);
        let value = if self.random.chance(60) {
            Expr::int(self.random.below(9) as i32)
        } else {
            self.value(false, 2)
        };
        out.push(Stmt::expr(Expr::assign(place, value)));
    }

    /// A flag before a loop that some items leave early, a barrier, and the flag's use.
    pub(super) fn flagged(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let scalar = self.random.pick(&[Scalar::Int, Scalar::Int, Scalar::Bool, Scalar::Uchar, Scalar::Uint]);
        let flag = self.variable("f", Type::Scalar(scalar), Space::Private);
        let before = if self.random.chance(70) { Expr::int(0) } else { self.value(here.together, 2) };
        out.push(Stmt::new(StmtKind::Declare { variable: flag, init: Init::Value(before) }));
        let counter = self.variable("i", Type::INT, Space::Private);
        let init = Stmt::new(StmtKind::Declare { variable: counter, init: Init::Value(Expr::int(0)) });
        let bound = self.bound(true, 1);
        let condition = Expr::binary(Binary::Less, self.of(counter), bound);
        let step =
            Expr::new(Type::INT, ExprKind::Step { up: true, prefix: false, place: self.of(counter).boxed() });
        let mark = self.scope.known.len();
        self.know(counter, false, false);
        let mut body = Vec::new();
        if self.random.chance(40) {
            let inside =
                Here { together: false, depth: here.depth + 2, in_loop: true, may_continue: true, ..here };
            self.statements(inside, 1, &mut body);
        }
        let condition_of_exit = match self.random.below(3) {
            0 => {
                let input = self.input(false, 2);
                let id = self.leaf(false, 3);
                Expr::binary(Binary::Equal, input, id)
            }
            1 => {
                let id = self.parting();
                let at = Expr::binary(
                    Binary::GreaterEqual,
                    self.of(counter),
                    Expr::int(self.random.below(3) as i32),
                );
                Expr::new(Type::INT, ExprKind::AndAlso(at.boxed(), id.boxed()))
            }
            _ => self.parting(),
        };
        let set = match self.random.below(3) {
            0 => Expr::assign(self.of(flag), self.of(counter)),
            _ => Expr::assign(self.of(flag), Expr::int(1 + self.random.below(7) as i32)),
        };
        let mut then = vec![Stmt::expr(set)];
        if self.random.chance(85) {
            then.push(Stmt::new(StmtKind::Break));
        }
        body.push(Stmt::new(StmtKind::If { condition: condition_of_exit, then, otherwise: vec![] }));
        self.scope.known.truncate(mark);
        out.push(self.loop_of(LoopForm::For, Some(init), Some(condition), Some(step), body, false));
        if here.together && self.theme.barriers > 0 {
            out.push(self.barrier());
        }
        self.know(flag, false, true);
    }

    /// A private array that is filled round by round, with barriers between.
    pub(super) fn window(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let Some(ids) = self.scope.ids else {
            return self.repeat(here, out);
        };
        let length = self.random.pick(&[2_i32, 3, 4, 4, 8]);
        let scalar = self.random.pick(&[Scalar::Int, Scalar::Int, Scalar::Uint, Scalar::Short]);
        let ty = Type::Array(Box::new(Type::Scalar(scalar)), length as u32);
        let array = self.variable("w", ty, Space::Private);
        out.push(Stmt::new(StmtKind::Declare { variable: array, init: Init::None }));
        let sum = self.variable("x", Type::UINT, Space::Private);
        out.push(Stmt::new(StmtKind::Declare {
            variable: sum,
            init: Init::Value(Expr::literal(Scalar::Uint, 0)),
        }));
        let counter = self.variable("i", Type::INT, Space::Private);
        let init = Stmt::new(StmtKind::Declare { variable: counter, init: Init::Value(Expr::int(0)) });
        let rounds = length + self.random.below(4) as i32;
        let i = self.of(counter);
        let slot = |i: Expr| {
            let length = Expr::literal(Scalar::Uint, i128::from(length));
            Expr::binary(Binary::Rem, i.cast(Type::UINT), length)
        };
        let back = self.random.below(length as u64) as i32;
        let one = Expr::binary(Binary::Add, self.of(ids.local), Expr::int(1));
        let two = Expr::binary(Binary::Add, i.clone(), Expr::int(1));
        let written =
            Expr::assign(self.element(self.of(array), slot(i.clone())), Expr::binary(Binary::Mul, one, two));
        let old = self.element(self.of(array), slot(Expr::binary(Binary::Sub, i.clone(), Expr::int(back))));
        let taken = Expr::new(Type::UINT, ExprKind::Compound(Binary::Add, self.of(sum).boxed(), old.boxed()));
        let condition = Expr::binary(Binary::GreaterEqual, i.clone(), Expr::int(back));
        let mut body = vec![
            Stmt::expr(written),
            Stmt::new(StmtKind::If { condition, then: vec![Stmt::expr(taken)], otherwise: vec![] }),
        ];
        if here.together {
            if self.random.chance(50) && !self.scope.tiles.is_empty() {
                self.exchange(&mut body);
            } else {
                body.push(self.barrier());
            }
        }
        let rounds = Expr::binary(Binary::Less, i.clone(), Expr::int(rounds));
        let step = Expr::new(Type::INT, ExprKind::Step { up: true, prefix: false, place: i.boxed() });
        self.scope.known.retain(|known| known.variable != counter);
        out.push(self.loop_of(LoopForm::For, Some(init), Some(rounds), Some(step), body, false));
        self.know(sum, false, true);
    }

    pub(super) fn switch(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let together = here.together && self.random.chance(60);
        let value = self.value(together, 1);
        let value = match self.random.below(3) {
            0 => Expr::binary(Binary::And, value, Expr::int(7)),
            1 => Expr::binary(Binary::Rem, value, Expr::int(5)),
            _ => value,
        };
        let value = if together && self.random.chance(25) {
            // Differs by its form, not in fact.
            let never = self.in_fact(false);
            Expr::binary(Binary::Add, value.cast(Type::UINT), never).cast(Type::INT)
        } else {
            value
        };
        let value = if value.ty == Type::Scalar(Scalar::Bool) { value.cast(Type::INT) } else { value };
        let mut labels: Vec<Option<i64>> = [-1, 0, 1, 2, 3, 4, 5, 8].into_iter().map(Some).collect();
        let unsigned = value.ty.scalar().is_some_and(|scalar| !scalar.promoted().is_signed());
        if unsigned {
            labels.retain(|label| *label != Some(-1));
        }
        let count = self.random.between(2, 4);
        let default = if self.random.chance(75) { Some(self.random.below(count)) } else { None };
        let mut cases = Vec::new();
        for number in 0..count {
            let mut own = Vec::new();
            // Each of the cases that follow needs a label too.
            let free = labels.len() as u64 - (count - number - 1);
            for _ in 0..self.random.pick(&[1, 1, 2]).min(free) {
                own.push(labels.swap_remove(self.random.index(labels.len())));
            }
            if default == Some(number) {
                own.insert(self.random.index(own.len() + 1), None);
            }
            let inside = Here { together, depth: here.depth + 1, in_switch: true, ..here };
            let mut body = Vec::new();
            let mark = self.scope.known.len();
            let statements = self.random.between(0, 2);
            self.statements(inside, statements, &mut body);
            if here.in_loop && here.may_continue && self.random.chance(12) {
                body.push(Stmt::new(StmtKind::Continue));
            } else if self.random.chance(60) {
                body.push(Stmt::new(StmtKind::Break));
            }
            self.scope.known.truncate(mark);
            cases.push(Case { labels: own, body });
        }
        out.push(Stmt::new(StmtKind::Switch { value, cases }));
    }
}
