//! What the items of a group do together: barriers, exchanges through local memory, group functions, copies, atomics.

use super::{Here, Maker, Tile};
use crate::ast::{
    AtomicOp, Binary, Collective, Combine, Expr, ExprKind, Extent, Init, LoopForm, Stmt, StmtKind,
};
use crate::types::{Scalar, Space, Type};

impl Maker {
    pub(super) fn barrier(&mut self) -> Stmt {
        let global = self.random.chance(15);
        let local = !global || self.random.chance(40);
        let new_name = self.is_new() && self.random.chance(35);
        Stmt::new(StmtKind::Barrier { local, global, new_name })
    }

    fn local_barrier(&mut self) -> Stmt {
        let new_name = self.is_new() && self.random.chance(35);
        Stmt::new(StmtKind::Barrier { local: true, global: self.random.chance(10), new_name })
    }

    fn tile_element(&self, tile: Tile, index: Expr) -> Expr {
        self.element(self.of(tile.variable), index)
    }

    /// The element of a tile some items further on, around the group.
    fn neighbour(&mut self, tile: Tile, uniform_step: bool) -> Option<Expr> {
        let ids = self.scope.ids?;
        let (local, size) = (self.of(ids.local), self.of(ids.size));
        let step = if uniform_step || self.random.chance(70) {
            Expr::int(1 + self.random.below(3) as i32)
        } else {
            Expr::binary(Binary::And, self.value(false, 3), Expr::int(7)).cast(Type::INT)
        };
        let index = match self.random.below(3) {
            0 => {
                let reversed = Expr::binary(Binary::Sub, size, Expr::int(1));
                Expr::binary(Binary::Sub, reversed, local)
            }
            _ => {
                let sum = Expr::binary(Binary::Add, local, step).cast(Type::UINT);
                Expr::binary(Binary::Rem, sum, size.cast(Type::UINT))
            }
        };
        Some(self.tile_element(tile, index))
    }

    /// A scalar variable that a value of this place may go to.
    fn target(&mut self) -> Option<usize> {
        let targets = self.those(|known, variable| {
            known.assignable
                && !known.uniform
                && known.ready
                && variable.ty.scalar().is_some_and(|scalar| !scalar.is_float() && scalar != Scalar::Bool)
        });
        if targets.is_empty() { None } else { Some(self.random.pick(&targets).variable) }
    }

    fn give(&mut self, value: Expr, out: &mut Vec<Stmt>) {
        match self.target() {
            Some(target) => {
                let place = self.of(target);
                let ty = place.ty.clone();
                let expr = if self.random.chance(60) {
                    let operation = self.random.pick(&[Binary::Xor, Binary::Xor, Binary::Add, Binary::Or]);
                    Expr::new(ty, ExprKind::Compound(operation, place.boxed(), value.boxed()))
                } else {
                    Expr::assign(place, value)
                };
                out.push(Stmt::expr(expr));
            }
            None => {
                let variable = self.variable("x", value.ty.clone(), Space::Private);
                out.push(Stmt::new(StmtKind::Declare { variable, init: Init::Value(value) }));
                self.know(variable, false, true);
            }
        }
    }

    /// Items write an element each and read those of others behind a barrier.
    pub(super) fn exchange(&mut self, out: &mut Vec<Stmt>) {
        let (Some(ids), false) = (self.scope.ids, self.scope.tiles.is_empty()) else {
            return out.push(self.barrier());
        };
        let tile = self.random.pick(&self.scope.tiles.clone());
        let value = self.of_type(&Type::Scalar(tile.scalar), false, 1);
        let mine = self.tile_element(tile, self.of(ids.local));
        out.push(Stmt::expr(Expr::assign(mine, value)));
        out.push(self.local_barrier());
        if let Some(other) = self.neighbour(tile, false) {
            self.give(other, out);
        }
        if self.random.chance(90) {
            out.push(self.local_barrier());
        }
    }

    /// One item writes what all read.
    pub(super) fn broadcast(&mut self, out: &mut Vec<Stmt>) {
        let (Some(ids), Some(shared)) = (self.scope.ids, self.scope.shared) else {
            return self.exchange(out);
        };
        let index = Expr::int(self.random.below(2) as i32);
        let place = self.element(self.of(shared), index);
        let who = if self.random.chance(60) {
            Expr::int(0)
        } else {
            Expr::binary(Binary::Sub, self.of(ids.size), Expr::int(1))
        };
        let condition = Expr::binary(Binary::Equal, self.of(ids.local), who);
        let value = self.value(false, 1);
        let then = vec![Stmt::expr(Expr::assign(place.clone(), value))];
        out.push(Stmt::new(StmtKind::If { condition, then, otherwise: vec![] }));
        out.push(self.local_barrier());
        if self.random.chance(40) {
            // The same for the group, though it comes from memory.
            let variable = self.variable("u", Type::INT, Space::Private);
            out.push(Stmt::new(StmtKind::Declare { variable, init: Init::Value(place) }));
            self.know(variable, true, false);
        } else {
            self.give(place, out);
        }
        out.push(self.local_barrier());
    }

    /// A sum over the group in halving steps, for any size of it.
    pub(super) fn reduction(&mut self, out: &mut Vec<Stmt>) {
        let (Some(ids), false) = (self.scope.ids, self.scope.tiles.is_empty()) else {
            return out.push(self.barrier());
        };
        let tile = self.random.pick(&self.scope.tiles.clone());
        let value = self.of_type(&Type::Scalar(tile.scalar), false, 1);
        let mine = self.tile_element(tile, self.of(ids.local));
        out.push(Stmt::expr(Expr::assign(mine.clone(), value)));
        out.push(self.local_barrier());
        let counter = self.variable("k", Type::INT, Space::Private);
        let of_counter = self.of(counter);
        let init = Stmt::new(StmtKind::Declare { variable: counter, init: Init::Value(Expr::int(1)) });
        let condition = Expr::binary(Binary::Less, of_counter.clone(), self.of(ids.size));
        let step = Expr::new(
            Type::INT,
            ExprKind::Compound(Binary::Mul, of_counter.clone().boxed(), Expr::int(2).boxed()),
        );
        let scalar = tile.scalar;
        let held = self.variable("t", Type::Scalar(scalar), Space::Private);
        let other = Expr::binary(Binary::Add, self.of(ids.local), of_counter);
        let inside = Expr::binary(Binary::Less, other.clone(), self.of(ids.size));
        let element = self.tile_element(tile, other);
        let zero = Expr::literal(scalar, 0);
        let ty = Type::Scalar(scalar.promoted());
        let chosen = Expr::new(ty, ExprKind::Conditional(inside.boxed(), element.boxed(), zero.boxed()));
        let operation = self.random.pick(&[Binary::Xor, Binary::Xor, Binary::Or, Binary::Add]);
        let operation = if scalar.is_float() { Binary::Add } else { operation };
        let joined = Expr::new(
            Type::Scalar(scalar),
            ExprKind::Compound(operation, mine.clone().boxed(), self.of(held).boxed()),
        );
        let body = vec![
            Stmt::new(StmtKind::Declare { variable: held, init: Init::Value(chosen) }),
            self.local_barrier(),
            Stmt::expr(joined),
            self.local_barrier(),
        ];
        out.push(Stmt::new(StmtKind::Loop {
            form: LoopForm::For,
            init: Some(Box::new(init)),
            condition: Some(condition),
            step: Some(step),
            body,
            unroll: false,
        }));
        self.give(self.tile_element(tile, Expr::int(0)), out);
        out.push(self.local_barrier());
    }

    /// A value that the group computes together.
    pub(super) fn collective(&mut self, out: &mut Vec<Stmt>) {
        use Collective as C;
        if !self.is_new() || self.scope.ids.is_none() {
            return self.exchange(out);
        }
        let operation = self.random.pick(&[
            C::Combined(Extent::All, Combine::Add),
            C::Combined(Extent::All, Combine::Min),
            C::Combined(Extent::All, Combine::Max),
            C::Combined(Extent::Inclusive, Combine::Add),
            C::Combined(Extent::Inclusive, Combine::Min),
            C::Combined(Extent::Inclusive, Combine::Max),
            C::Combined(Extent::Exclusive, Combine::Add),
            C::Combined(Extent::Exclusive, Combine::Min),
            C::Combined(Extent::Exclusive, Combine::Max),
            C::Broadcast,
            C::Broadcast,
            C::All,
            C::Any,
            C::All,
            C::Any,
        ]);
        let truth = matches!(operation, C::All | C::Any);
        let scalar = if truth {
            Scalar::Int
        } else {
            self.random.pick(&[Scalar::Int, Scalar::Uint, Scalar::Uint, Scalar::Long, Scalar::Ulong])
        };
        let mut value = if truth { self.parting().cast(Type::INT) } else { self.value_of(scalar, false, 1) };
        let sums = matches!(operation, C::Combined(_, Combine::Add));
        if sums && scalar.is_signed() {
            value = Expr::binary(Binary::And, value, Expr::literal(scalar, 0xfff));
        }
        let mut arguments = vec![value];
        if operation == C::Broadcast {
            // As many ids as the launch has dimensions: the first item of each is always there.
            let id = Expr::literal(Scalar::Uint, 0);
            arguments.push(id);
        }
        let uniform = !matches!(operation, C::Combined(Extent::Inclusive | Extent::Exclusive, _));
        let variable = self.variable("c", Type::Scalar(scalar), Space::Private);
        out.push(Stmt::new(StmtKind::Declare { variable, init: Init::None }));
        out.push(Stmt::new(StmtKind::Collective { target: variable, operation, arguments }));
        self.know(variable, uniform, !uniform);
    }

    /// A copy by the group from a buffer to local memory, and what is read of it.
    pub(super) fn copy(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let fits: Vec<_> = self
            .scope
            .tiles
            .iter()
            .flat_map(|tile| self.scope.sources.iter().map(move |source| (*tile, *source)))
            .filter(|(tile, source)| tile.scalar == source.scalar)
            .collect();
        let (Some(ids), false) = (self.scope.ids, fits.is_empty()) else {
            return self.exchange(out);
        };
        let (tile, source) = self.random.pick(&fits);
        out.push(self.local_barrier());
        let pointer = |space| Type::Scalar(tile.scalar).pointer(space);
        let base = self.of(tile.variable);
        let to = match &base.ty {
            Type::Array(..) => Expr::new(pointer(Space::Local), ExprKind::Decay(base.boxed())),
            _ => base,
        };
        let start = Expr::int(self.random.below(u64::from(source.length / 2)) as i32);
        let from = Expr::new(
            pointer(Space::Global),
            ExprKind::Offset(self.of(source.variable).boxed(), start.boxed()),
        );
        let count = self.of(ids.size);
        let stride = if self.random.chance(20) { Some(Expr::literal(Scalar::Uint, 1)) } else { None };
        let mut meanwhile = Vec::new();
        let mark = self.scope.known.len();
        if self.random.chance(40) {
            self.assign_scalar(Here { together: false, ..here }, &mut meanwhile);
            // What it declares would be in scope behind the copy.
            meanwhile.retain(|stmt| !matches!(stmt.kind, StmtKind::Declare { .. }));
            self.scope.known.truncate(mark);
        }
        let event = self.name("e");
        out.push(Stmt::new(StmtKind::Copy { to, from, count, stride, meanwhile, event }));
        if let Some(other) = self.neighbour(tile, true) {
            self.give(other, out);
        }
        out.push(self.local_barrier());
    }

    /// Atomic operations that may happen in any order.
    pub(super) fn atomic(&mut self, out: &mut Vec<Stmt>) {
        let Some(counters) = self.scope.counters else {
            return;
        };
        let operations = [
            (0, AtomicOp::Add),
            (0, AtomicOp::Sub),
            (0, AtomicOp::Inc),
            (0, AtomicOp::Dec),
            (1, AtomicOp::And),
            (2, AtomicOp::Or),
            (3, AtomicOp::Xor),
            (4, AtomicOp::Min),
            (5, AtomicOp::Max),
            (6, AtomicOp::Add),
            (7, AtomicOp::Xor),
        ];
        let (cell, operation) = self.random.pick(&operations);
        let place = self.element(self.of(counters), Expr::int(cell));
        let atomic = self.atomic_on(operation, place, Space::Global, false);
        out.push(Stmt::expr(atomic));
    }

    fn atomic_on(&mut self, operation: AtomicOp, place: Expr, space: Space, used: bool) -> Expr {
        let ty = place.ty.clone();
        let operands = match operation {
            AtomicOp::Inc | AtomicOp::Dec => 0,
            AtomicOp::CompareExchange => 2,
            _ => 1,
        };
        let operands = (0..operands).map(|_| self.of_type(&ty, false, 2)).collect();
        let pointer = Expr::new(ty.clone().pointer(space), ExprKind::AddressOf(place.boxed()));
        Expr::new(ty, ExprKind::Atomic { operation, place: pointer.boxed(), operands, used })
    }

    /// Atomic operations on a counter in local memory, which all read behind a barrier.
    pub(super) fn local_atomic(&mut self, out: &mut Vec<Stmt>) {
        let (Some(ids), Some(shared)) = (self.scope.ids, self.scope.shared) else {
            return self.atomic(out);
        };
        let place = self.element(self.of(shared), Expr::int(0));
        let condition = Expr::binary(Binary::Equal, self.of(ids.local), Expr::int(0));
        let then = vec![Stmt::expr(Expr::assign(place.clone(), Expr::int(5)))];
        out.push(Stmt::new(StmtKind::If { condition, then, otherwise: vec![] }));
        out.push(self.local_barrier());
        let operation =
            self.random.pick(&[AtomicOp::Add, AtomicOp::Inc, AtomicOp::Or, AtomicOp::Min, AtomicOp::Max]);
        let atomic = Stmt::expr(self.atomic_on(operation, place.clone(), Space::Local, false));
        if self.random.chance(50) {
            let condition = self.parting();
            out.push(Stmt::new(StmtKind::If { condition, then: vec![atomic], otherwise: vec![] }));
        } else {
            out.push(atomic);
        }
        out.push(self.local_barrier());
        self.give(place, out);
        out.push(self.local_barrier());
    }

    /// An atomic operation on a place of one's own, whose old value is used.
    pub(super) fn own_atomic(&mut self, out: &mut Vec<Stmt>) {
        let operations =
            [AtomicOp::Exchange, AtomicOp::CompareExchange, AtomicOp::Add, AtomicOp::Max, AtomicOp::Xor];
        let operation = self.random.pick(&operations);
        match self.own_output() {
            Some(place) if matches!(place.ty, Type::Scalar(Scalar::Int | Scalar::Uint)) => {
                let atomic = self.atomic_on(operation, place, Space::Global, true);
                let variable = self.variable("o", atomic.ty.clone(), Space::Private);
                out.push(Stmt::new(StmtKind::Declare { variable, init: Init::Value(atomic) }));
                self.know(variable, false, true);
            }
            _ => self.atomic(out),
        }
    }

    /// One of the item's own elements of the output.
    pub(super) fn own_output(&mut self) -> Option<Expr> {
        let (ids, output) = (self.scope.ids?, self.scope.out?);
        let number = self.random.below(u64::from(output.each)) as i32;
        let start = Expr::binary(Binary::Mul, self.of(ids.global), Expr::int(output.each as i32));
        Some(self.element(self.of(output.variable), Expr::binary(Binary::Add, start, Expr::int(number))))
    }
}
