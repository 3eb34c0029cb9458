//! Pointers of the generic address space that lead to another memory in each work-item: to a private variable, to the
//! work-item's own part of local memory, or to its own results in global memory.
//!
//! What they lead to is the work-item's own, so that no other meets it; which memory that is, the program asks as well.

use super::{Here, Maker};
use crate::ast::{Binary, Expr, ExprKind, Init, Stmt, StmtKind};
use crate::types::{Scalar, Space, Type};

/// Elements of each work-item in a kernel's array in local memory that generic pointers lead to: as many as helpers take.
const OWN: u32 = 4;

/// Memories that a pointer may lead to.
const SPACES: [Space; 3] = [Space::Private, Space::Local, Space::Global];

impl Maker {
    /// An array in local memory with elements for each work-item, declared where kernels declare such.
    pub(super) fn own_local(&mut self, body: &mut Vec<Stmt>) {
        let scalar = self.random.pick(&[Scalar::Int, Scalar::Int, Scalar::Uint, Scalar::Short]);
        let ty = Type::Array(Box::new(Type::Scalar(scalar)), OWN * super::kernel::TILE);
        let variable = self.variable("gen", ty, Space::Local);
        body.push(Stmt::new(StmtKind::Declare { variable, init: Init::None }));
        self.scope.own_local = Some(variable);
    }

    /// Gives each work-item's elements of it values.
    pub(super) fn fill_own_local(&mut self, body: &mut Vec<Stmt>) {
        for number in 0..OWN {
            let Some(place) = self.own_local_element(number as i32) else { return };
            let value = self.of_type(&place.ty.clone(), false, 3);
            body.push(Stmt::expr(Expr::assign(place, value)));
        }
    }

    fn own_local_element(&self, number: i32) -> Option<Expr> {
        let (ids, variable) = (self.scope.ids?, self.scope.own_local?);
        let start = Expr::binary(Binary::Mul, self.of(ids.local), Expr::int(OWN as i32));
        Some(self.element(self.of(variable), Expr::binary(Binary::Add, start, Expr::int(number))))
    }

    /// The address of something of this type in a memory, as a generic pointer.
    fn generic_address(&mut self, space: Space, scalar: Scalar) -> Option<Expr> {
        let ty = Type::Scalar(scalar);
        let place = match space {
            Space::Private => {
                let fits = self.those(|known, variable| {
                    known.assignable
                        && known.ready
                        && !known.uniform
                        && !variable.volatile
                        && variable.ty == ty
                });
                if fits.is_empty() {
                    return None;
                }
                let variable = self.random.pick(&fits).variable;
                self.of(variable)
            }
            Space::Local => {
                let number = self.random.below(u64::from(OWN)) as i32;
                let own = self.own_local_element(number).filter(|place| place.ty == ty);
                let tiles: Vec<_> =
                    self.scope.tiles.iter().filter(|tile| tile.scalar == scalar).copied().collect();
                match (own, self.scope.ids) {
                    (Some(own), _) => own,
                    (None, Some(ids)) if !tiles.is_empty() => {
                        let tile = self.random.pick(&tiles);
                        self.element(self.of(tile.variable), self.of(ids.local))
                    }
                    _ => return None,
                }
            }
            _ => self.own_output().filter(|place| place.ty == ty)?,
        };
        let address = Expr::new(ty.clone().pointer(space), ExprKind::AddressOf(place.boxed()));
        Some(address.cast(ty.pointer(Space::Generic)))
    }

    /// A question about where a generic pointer leads to.
    fn leads_to(&mut self, pointer: Expr) -> Expr {
        let space = self.random.pick(&SPACES);
        Expr::new(Type::INT, ExprKind::LeadsTo(space, pointer.boxed()))
    }

    /// A pointer that leads to one of several memories, and accesses through it.
    pub(super) fn generic_pointer(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let output = self.scope.out.map_or(Scalar::Int, |output| output.scalar);
        let own = self.scope.own_local.and_then(|variable| match &self.scope.variables[variable].ty {
            Type::Array(element, _) => element.scalar(),
            _ => None,
        });
        let scalar = self.random.pick(&[output, own.unwrap_or(output)]);
        let mut chosen: Option<Expr> = None;
        for space in SPACES {
            if !self.random.chance(80) {
                continue;
            }
            let Some(address) = self.generic_address(space, scalar) else { continue };
            chosen = Some(match chosen {
                None => address,
                Some(other) => {
                    let ty = address.ty.clone();
                    let condition = self.parting();
                    let (a, b) = if self.random.chance(50) { (address, other) } else { (other, address) };
                    Expr::new(ty, ExprKind::Conditional(condition.boxed(), a.boxed(), b.boxed()))
                }
            });
        }
        let Some(value) = chosen else { return self.declare_scalar(here, out) };
        let variable = self.variable("g", value.ty.clone(), Space::Private);
        out.push(Stmt::new(StmtKind::Declare { variable, init: Init::Value(value) }));
        if here.together && self.theme.barriers > 0 && self.random.chance(30) {
            // The address lives across the barrier, and so may what it leads to.
            out.push(self.barrier());
        }
        self.generic_accesses(variable, Expr::int(0), 1, out);
    }

    /// Reads, writes and questions through a generic pointer with so many elements, as helpers and kernels make them.
    pub(super) fn generic_accesses(
        &mut self,
        pointer: usize,
        index: Expr,
        elements: u32,
        out: &mut Vec<Stmt>,
    ) {
        let pointer = self.of(pointer);
        let ty = match &pointer.ty {
            Type::Pointer(_, pointee) => (**pointee).clone(),
            other => other.clone(),
        };
        let scalar = ty.scalar().unwrap_or(Scalar::Int);
        let place = if elements > 1 {
            self.element(pointer.clone(), index)
        } else {
            Expr::new(ty.clone(), ExprKind::Deref(pointer.clone().boxed()))
        };
        let value = self.value_of(scalar, false, 2);
        let changed = if self.random.chance(50) {
            let operation = self.compound_operation(scalar);
            Expr::new(ty.clone(), ExprKind::Compound(operation, place.clone().boxed(), value.boxed()))
        } else {
            Expr::assign(place.clone(), value)
        };
        if self.random.chance(30) {
            // Only where it leads to one memory.
            let condition = self.leads_to(pointer.clone());
            let then = vec![Stmt::expr(changed)];
            out.push(Stmt::new(StmtKind::If { condition, then, otherwise: vec![] }));
        } else {
            out.push(Stmt::expr(changed));
        }
        if self.random.chance(40) {
            let variable = self.variable("x", Type::INT, Space::Private);
            let told = self.leads_to(pointer);
            out.push(Stmt::new(StmtKind::Declare { variable, init: Init::Value(told) }));
            self.know(variable, false, true);
        }
        let variable = self.variable("x", ty, Space::Private);
        out.push(Stmt::new(StmtKind::Declare { variable, init: Init::Value(place) }));
        self.know(variable, false, true);
    }

    /// A generic pointer to at least [`OWN`] elements, for a helper's parameter.
    pub(super) fn generic_argument(&mut self, pointee: &Type, out: &mut Vec<Stmt>) -> Option<Expr> {
        let ty = pointee.clone().pointer(Space::Generic);
        let space = self.random.pick(&SPACES);
        let of = |place: Expr| Expr::new(place.ty.clone().pointer(space), ExprKind::AddressOf(place.boxed()));
        let other = match space {
            Space::Local => self.own_local_element(0).filter(|place| place.ty == *pointee).map(of),
            Space::Global => {
                let (ids, output) = (self.scope.ids?, self.scope.out);
                let output = output.filter(|output| Type::Scalar(output.scalar) == *pointee);
                output.map(|output| {
                    let start = Expr::binary(Binary::Mul, self.of(ids.global), Expr::int(output.each as i32));
                    of(self.element(self.of(output.variable), start))
                })
            }
            _ => None,
        };
        let address = match other {
            Some(address) => address,
            None => self.pointer_to(Space::Private, pointee, out)?,
        };
        Some(address.cast(ty))
    }
}
