//! The value of an expression for one work-item.

use super::arithmetic::{compare, convert, convert_with, operate, unary};
use super::library;
use super::place::Place;
use super::refusal::{Refusal, Why};
use super::value::{Frame, Value};
use super::{Machine, set};
use crate::ast::{AtomicOp, Binary, Expr, ExprKind, Query, Unary};
use crate::types::{Scalar, Type};

/// A scalar or vector converted to another type; a scalar becomes every lane of a vector.
pub(super) fn convert_value(value: Value, from: &Type, to: &Type) -> Result<Value, Why> {
    let (Some(a), Some(b)) = (from.element(), to.element()) else {
        return if from == to || matches!((from, to), (Type::Pointer(..), Type::Pointer(..))) {
            Ok(value)
        } else {
            Err(Why::Malformed)
        };
    };
    match (from, to) {
        (Type::Scalar(_), Type::Scalar(_)) => Ok(Value::Scalar(convert(a, b, value.scalar()?)?)),
        (Type::Scalar(_), Type::Vector(_, lanes)) => {
            Ok(Value::Vector(vec![convert(a, b, value.scalar()?)?; usize::from(*lanes)]))
        }
        (Type::Vector(..), Type::Vector(..)) if from == to => Ok(value),
        _ => Err(Why::Malformed),
    }
}

impl<'p> Machine<'p> {
    pub(super) fn eval(&mut self, f: &Frame, lane: u32, expr: &Expr) -> Result<Value, Refusal> {
        let node = expr.id;
        let fail = |why| Refusal { node, why };
        match &expr.kind {
            ExprKind::Literal(bits) => Ok(Value::Scalar(*bits)),
            ExprKind::Variable(_) | ExprKind::Global(_) | ExprKind::Index(..) | ExprKind::Deref(_) => {
                let place = self.place(f, lane, expr)?;
                self.read_place(&place, &expr.ty, lane).map_err(fail)
            }
            ExprKind::Field(..) | ExprKind::Swizzle(..) if expr.is_place() => {
                let place = self.place(f, lane, expr)?;
                self.read_place(&place, &expr.ty, lane).map_err(fail)
            }
            ExprKind::Swizzle(base, parts) => {
                let lanes = self.eval(f, lane, base)?.lanes().map_err(fail)?;
                Ok(Value::of_lanes(parts.iter().map(|part| lanes[usize::from(*part)]).collect()))
            }
            ExprKind::AddressOf(place) => match self.place(f, lane, place)? {
                Place::Memory(at) => Ok(Value::Pointer(at)),
                Place::Parts(..) => Err(fail(Why::Malformed)),
            },
            ExprKind::Decay(array) => match self.place(f, lane, array)? {
                Place::Memory(at) => Ok(Value::Pointer(at)),
                Place::Parts(..) => Err(fail(Why::Malformed)),
            },
            ExprKind::Offset(pointer, by) => {
                let at = self.eval(f, lane, pointer)?.pointer().map_err(fail)?;
                let by = self.index(f, lane, by)?;
                let Type::Pointer(_, pointee) = &expr.ty else { return Err(fail(Why::Malformed)) };
                let size = self.size_of(pointee);
                self.advance(at, by, size, 0).map(Value::Pointer).map_err(fail)
            }
            ExprKind::Unary(operation, value) => {
                self.unary(f, lane, *operation, value, &expr.ty).map_err(|e| e.at(node))
            }
            ExprKind::Binary(operation, a, b) => {
                let (x, y) = (self.eval(f, lane, a)?, self.eval(f, lane, b)?);
                binary(*operation, x, &a.ty, y, &b.ty).map_err(fail)
            }
            ExprKind::AndAlso(a, b) | ExprKind::OrElse(a, b) => {
                let stops_at = matches!(expr.kind, ExprKind::OrElse(..));
                let first = self.truth(f, lane, a)?;
                let value = if first == stops_at { first } else { self.truth(f, lane, b)? };
                Ok(Value::Scalar(u64::from(value)))
            }
            ExprKind::Conditional(c, a, b) => {
                if let Type::Vector(scalar, _) = c.ty {
                    let c = self.eval(f, lane, c)?.lanes().map_err(fail)?;
                    let [a, b] = [self.eval(f, lane, a)?, self.eval(f, lane, b)?];
                    let (a, b) = (a.lanes().map_err(fail)?, b.lanes().map_err(fail)?);
                    let pick = |i: usize| if scalar.integer(c[i]) < 0 { a[i] } else { b[i] };
                    return Ok(Value::of_lanes((0..c.len()).map(pick).collect()));
                }
                let chosen = if self.truth(f, lane, c)? { a } else { b };
                let value = self.eval(f, lane, chosen)?;
                convert_value(value, &chosen.ty, &expr.ty).map_err(fail)
            }
            ExprKind::Cast(value) => {
                let from = value.ty.clone();
                let value = self.eval(f, lane, value)?;
                convert_value(value, &from, &expr.ty).map_err(fail)
            }
            ExprKind::Compose(parts) => {
                let to = expr.ty.element().ok_or(fail(Why::Malformed))?;
                let mut lanes = Vec::new();
                for part in parts {
                    let from = part.ty.element().ok_or(fail(Why::Malformed))?;
                    for bits in self.eval(f, lane, part)?.lanes().map_err(fail)? {
                        lanes.push(convert(from, to, bits).map_err(fail)?);
                    }
                }
                if lanes.len() == expr.ty.lanes() {
                    Ok(Value::Vector(lanes))
                } else {
                    Err(fail(Why::Malformed))
                }
            }
            ExprKind::Assign(place, value) => {
                let from = value.ty.clone();
                let value = self.eval(f, lane, value)?;
                let value = convert_value(value, &from, &expr.ty).map_err(fail)?;
                let place = self.place(f, lane, place)?;
                self.write_place(&place, &expr.ty, &value, lane).map_err(fail)?;
                Ok(value)
            }
            ExprKind::Compound(operation, place, value) => {
                let right = self.eval(f, lane, value)?;
                let to = self.place(f, lane, place)?;
                let left = self.read_place(&to, &place.ty, lane).map_err(fail)?;
                let ty = Expr::binary_type(*operation, &place.ty, &value.ty);
                let result = binary(*operation, left, &place.ty, right, &value.ty).map_err(fail)?;
                let result = convert_value(result, &ty, &place.ty).map_err(fail)?;
                self.write_place(&to, &place.ty, &result, lane).map_err(fail)?;
                Ok(result)
            }
            ExprKind::Step { up, prefix, place } => {
                let to = self.place(f, lane, place)?;
                let old = self.read_place(&to, &place.ty, lane).map_err(fail)?;
                let operation = if *up { Binary::Add } else { Binary::Sub };
                let ty = Expr::binary_type(operation, &place.ty, &Type::INT);
                let result =
                    binary(operation, old.clone(), &place.ty, Value::Scalar(1), &Type::INT).map_err(fail)?;
                let result = convert_value(result, &ty, &place.ty).map_err(fail)?;
                self.write_place(&to, &place.ty, &result, lane).map_err(fail)?;
                Ok(if *prefix { result } else { old })
            }
            ExprKind::Call(function, arguments) => {
                let mut values = Vec::new();
                for argument in arguments {
                    values.push(self.eval(f, lane, argument)?);
                }
                let values = vec![values];
                let results = self.call(*function, arguments, values, lane, 1, 1 << lane, node)?;
                Ok(results.into_iter().next().flatten().unwrap_or(Value::Void))
            }
            ExprKind::Builtin(builtin, arguments) => {
                let mut types = Vec::new();
                let mut values = Vec::new();
                for argument in arguments {
                    types.push(argument.ty.element().ok_or(fail(Why::Malformed))?);
                    values.push(self.eval(f, lane, argument)?.lanes().map_err(fail)?);
                }
                library::call(*builtin, &types, &values).map(Value::of_lanes).map_err(fail)
            }
            ExprKind::Item(query, dimension) => {
                let value = self.item(*query, usize::from(*dimension), lane);
                let to = expr.ty.scalar().ok_or(fail(Why::Malformed))?;
                Ok(Value::Scalar(convert(Scalar::Ulong, to, value).map_err(fail)?))
            }
            ExprKind::Convert { saturate, rounding, value } => {
                let from = value.ty.element().ok_or(fail(Why::Malformed))?;
                let to = expr.ty.element().ok_or(fail(Why::Malformed))?;
                let lanes = self.eval(f, lane, value)?.lanes().map_err(fail)?;
                let lanes = lanes.into_iter().map(|bits| convert_with(from, to, bits, *saturate, rounding));
                lanes.collect::<Result<_, _>>().map(Value::of_lanes).map_err(fail)
            }
            ExprKind::As(value) => {
                let from = value.ty.element().ok_or(fail(Why::Malformed))?;
                let to = expr.ty.element().ok_or(fail(Why::Malformed))?;
                let lanes = self.eval(f, lane, value)?.lanes().map_err(fail)?;
                let bytes: Vec<u8> = lanes.into_iter().flat_map(|bits| from.store(bits)).collect();
                let lanes = bytes.chunks(to.size()).map(|chunk| {
                    let bits = to.load(chunk);
                    if to.is_float() { super::arithmetic::real(to, to.real(bits)) } else { Ok(bits) }
                });
                lanes.collect::<Result<_, _>>().map(Value::of_lanes).map_err(fail)
            }
            ExprKind::LeadsTo(space, pointer) => {
                let at = self.eval(f, lane, pointer)?.pointer().map_err(fail)?;
                let leads_to = self.memory.space(at).map_err(fail)?;
                Ok(Value::Scalar(u64::from(leads_to == *space)))
            }
            ExprKind::Load(offset, pointer) => {
                let by = self.index(f, lane, offset)?;
                let at = self.eval(f, lane, pointer)?.pointer().map_err(fail)?;
                let scalar = expr.ty.element().ok_or(fail(Why::Malformed))?;
                let size = (scalar.size() * expr.ty.lanes()) as u32;
                let at = self.advance(at, by, size, size).map_err(fail)?;
                // Elements, not a vector: three take the room of three.
                let mut lanes = Vec::new();
                for part in 0..expr.ty.lanes() {
                    let offset = at.offset + (part * scalar.size()) as u32;
                    let at = super::memory::Pointer { offset, ..at };
                    let value = self.load(at, &Type::Scalar(scalar), lane).map_err(fail)?;
                    lanes.push(value.scalar().map_err(fail)?);
                }
                Ok(Value::Vector(lanes))
            }
            ExprKind::Store(value, offset, pointer) => {
                let scalar = value.ty.element().ok_or(fail(Why::Malformed))?;
                let size = (scalar.size() * value.ty.lanes()) as u32;
                let lanes = self.eval(f, lane, value)?.lanes().map_err(fail)?;
                let by = self.index(f, lane, offset)?;
                let at = self.eval(f, lane, pointer)?.pointer().map_err(fail)?;
                let at = self.advance(at, by, size, size).map_err(fail)?;
                let bytes: Vec<u8> = lanes.into_iter().flat_map(|bits| scalar.store(bits)).collect();
                let who = self.who(lane);
                self.memory.write(at, &bytes, who).map_err(fail)?;
                Ok(Value::Void)
            }
            ExprKind::Atomic { operation, place, operands, used } => {
                let at = self.eval(f, lane, place)?.pointer().map_err(fail)?;
                let mut values = Vec::new();
                for operand in operands {
                    values.push(self.eval(f, lane, operand)?.scalar().map_err(fail)?);
                }
                let scalar = expr.ty.scalar().ok_or(fail(Why::Malformed))?;
                self.atomic(*operation, scalar, at, &values, *used, lane).map(Value::Scalar).map_err(fail)
            }
            ExprKind::Field(..) => Err(fail(Why::Malformed)),
        }
    }

    fn index(&mut self, f: &Frame, lane: u32, expr: &Expr) -> Result<i128, Refusal> {
        let fail = |why| Refusal { node: expr.id, why };
        let scalar = expr.ty.scalar().filter(|scalar| !scalar.is_float()).ok_or(fail(Why::Malformed))?;
        Ok(scalar.integer(self.eval(f, lane, expr)?.scalar().map_err(fail)?))
    }

    /// Whether a scalar is not zero.
    pub(super) fn truth(&mut self, f: &Frame, lane: u32, expr: &Expr) -> Result<bool, Refusal> {
        let fail = |why| Refusal { node: expr.id, why };
        let scalar = expr.ty.scalar().ok_or(fail(Why::Malformed))?;
        let bits = self.eval(f, lane, expr)?.scalar().map_err(fail)?;
        Ok(if scalar.is_float() { scalar.real(bits) != 0.0 } else { bits != 0 })
    }

    fn unary(
        &mut self,
        f: &Frame,
        lane: u32,
        operation: Unary,
        value: &Expr,
        ty: &Type,
    ) -> Result<Value, Refusal> {
        let fail = |why| Refusal { node: 0, why };
        let from = value.ty.element().ok_or(fail(Why::Malformed))?;
        let lanes = self.eval(f, lane, value)?.lanes().map_err(fail)?;
        let is_vector = lanes.len() > 1;
        let to = ty.element().ok_or(fail(Why::Malformed))?;
        let lanes = lanes.into_iter().map(|bits| {
            if operation == Unary::Not {
                let zero = if from.is_float() { from.real(bits) == 0.0 } else { bits == 0 };
                return Ok(if zero && is_vector { u64::MAX } else { u64::from(zero) });
            }
            unary(operation, to, convert(from, to, bits)?)
        });
        lanes.collect::<Result<_, _>>().map(Value::of_lanes).map_err(fail)
    }

    fn item(&self, query: Query, dimension: usize, lane: u32) -> u64 {
        let size = self.group.size;
        let local = [lane % size[0], lane / size[0] % size[1], lane / (size[0] * size[1])];
        let shape = &self.shape;
        let from_zero: [u32; 3] = std::array::from_fn(|d| self.group.id[d] * shape.local[d] + local[d]);
        let d = dimension;
        u64::from(match query {
            Query::GlobalId => from_zero[d] + shape.offset[d],
            Query::LocalId => local[d],
            Query::GroupId => self.group.id[d],
            Query::GlobalSize => shape.global[d],
            Query::LocalSize => size[d],
            Query::EnqueuedLocalSize => shape.local[d],
            Query::NumGroups => shape.global[d].div_ceil(shape.local[d]),
            Query::Offset => shape.offset[d],
            Query::WorkDim => shape.dimensions,
            Query::GlobalLinear => {
                (from_zero[2] * shape.global[1] + from_zero[1]) * shape.global[0] + from_zero[0]
            }
            Query::LocalLinear => lane,
        })
    }

    fn atomic(
        &mut self,
        operation: AtomicOp,
        scalar: Scalar,
        at: super::memory::Pointer,
        operands: &[u64],
        used: bool,
        lane: u32,
    ) -> Result<u64, Why> {
        let operand = |index: usize| operands.get(index).copied().unwrap_or(0);
        let (x, y) = (operand(0), operand(1));
        let commutes = match operation {
            AtomicOp::Add | AtomicOp::Sub | AtomicOp::Inc | AtomicOp::Dec => Some(1),
            AtomicOp::And => Some(2),
            AtomicOp::Or => Some(3),
            AtomicOp::Xor => Some(4),
            AtomicOp::Min => Some(5),
            AtomicOp::Max => Some(6),
            AtomicOp::Exchange | AtomicOp::CompareExchange => None,
        };
        let kind = commutes.filter(|_| !used);
        let change = |old: &[u8]| {
            let old = scalar.load(old);
            let (o, v) = (scalar.integer(old), scalar.integer(x));
            // Atomic arithmetic wraps, for signed integers too.
            scalar.store(scalar.wrap(match operation {
                AtomicOp::Add => o + v,
                AtomicOp::Sub => o - v,
                AtomicOp::Inc => o + 1,
                AtomicOp::Dec => o - 1,
                AtomicOp::And => o & v,
                AtomicOp::Or => o | v,
                AtomicOp::Xor => o ^ v,
                AtomicOp::Min => o.min(v),
                AtomicOp::Max => o.max(v),
                AtomicOp::Exchange => v,
                AtomicOp::CompareExchange => {
                    if old == x {
                        scalar.integer(y)
                    } else {
                        o
                    }
                }
            }))
        };
        let who = self.who(lane);
        let old = self.memory.update(at, scalar.size() as u32, who, kind, change)?;
        Ok(scalar.load(&old))
    }

    /// Notes whether a condition parts the items of the group.
    pub(super) fn note_parting(&mut self, node: u32, some: u64, all: u64) {
        if some != 0 && some != all {
            set(&mut self.facts.diverged, node);
        }
    }
}

impl Refusal {
    fn at(self, node: u32) -> Self {
        if self.node == 0 { Self { node, ..self } } else { self }
    }
}

/// A binary operation on scalars or vectors; where one is a scalar, it stands for every lane.
fn binary(operation: Binary, a: Value, a_type: &Type, b: Value, b_type: &Type) -> Result<Value, Why> {
    let (x, y) = (a_type.element().ok_or(Why::Malformed)?, b_type.element().ok_or(Why::Malformed)?);
    let is_shift = matches!(operation, Binary::Shl | Binary::Shr);
    let one = |common: Scalar, a: u64, b: u64, yes: u64| -> Result<u64, Why> {
        if is_shift {
            return operate(operation, common, convert(x, common, a)?, b, y);
        }
        let (a, b) = (convert(x, common, a)?, convert(y, common, b)?);
        match compare(operation, common, a, b) {
            Some(true) => Ok(yes),
            Some(false) => Ok(0),
            None => operate(operation, common, a, b, common),
        }
    };
    if let (Type::Scalar(_), Type::Scalar(_)) = (a_type, b_type) {
        let common = if is_shift { x.promoted() } else { x.common(y) };
        return one(common, a.scalar()?, b.scalar()?, 1).map(Value::Scalar);
    }
    let lanes = a_type.lanes().max(b_type.lanes());
    let common = if let Type::Vector(scalar, _) = a_type { *scalar } else { y };
    let (mut a, mut b) = (a.lanes()?, b.lanes()?);
    if a.len() == 1 {
        a = vec![a[0]; lanes];
    }
    if b.len() == 1 {
        b = vec![b[0]; lanes];
    }
    let lanes = a.into_iter().zip(b).map(|(a, b)| one(common, a, b, u64::MAX));
    lanes.collect::<Result<_, _>>().map(Value::Vector)
}
