//! Places: what can be assigned to, and typed reads and writes of memory.

use super::Machine;
use super::memory::Pointer;
use super::refusal::{Refusal, Why};
use super::value::{Frame, Value};
use crate::ast::{Expr, ExprKind};
use crate::types::{Type, field_offset, layout};

/// Where a value is kept.
#[derive(Debug, Clone)]
pub(super) enum Place {
    Memory(Pointer),
    /// Parts of a vector of this type.
    Parts(Pointer, Type, Vec<u8>),
}

impl<'p> Machine<'p> {
    pub(super) fn size_of(&self, ty: &Type) -> u32 {
        layout(ty, &self.program.structs).0 as u32
    }

    /// A pointer some elements further; the end of the object may be pointed to.
    pub(super) fn advance(&self, at: Pointer, by: i128, size: u32, last: u32) -> Result<Pointer, Why> {
        let bound = self.memory.size(at) / size.max(1);
        let target = i128::from(at.offset) + by * i128::from(size);
        if target < 0 || target + i128::from(last) > i128::from(self.memory.size(at)) {
            return Err(Why::OutOfBounds(bound));
        }
        Ok(Pointer { offset: target as u32, ..at })
    }

    pub(super) fn place(&mut self, f: &Frame, lane: u32, expr: &Expr) -> Result<Place, Refusal> {
        let node = expr.id;
        let fail = |why| Refusal { node, why };
        Ok(Place::Memory(match &expr.kind {
            ExprKind::Variable(variable) => self.memory.base(f.slot(*variable, lane)),
            ExprKind::Global(global) => self.globals[*global],
            ExprKind::Deref(pointer) => self.eval(f, lane, pointer)?.pointer().map_err(fail)?,
            ExprKind::Field(base, field) => {
                let Type::Struct(number) = base.ty else { return Err(fail(Why::Malformed)) };
                let at = self.memory_place(f, lane, base)?;
                let structure = &self.program.structs[number];
                let offset = field_offset(structure, *field, &self.program.structs) as u32;
                Pointer { offset: at.offset + offset, ..at }
            }
            ExprKind::Index(base, index) => {
                let at = match &base.ty {
                    Type::Array(..) => self.memory_place(f, lane, base)?,
                    _ => self.eval(f, lane, base)?.pointer().map_err(fail)?,
                };
                let scalar = index.ty.scalar().ok_or(fail(Why::Malformed))?;
                let by = scalar.integer(self.eval(f, lane, index)?.scalar().map_err(fail)?);
                if let Type::Array(_, count) = &base.ty
                    && (by < 0 || by >= i128::from(*count))
                {
                    return Err(fail(Why::OutOfBounds(*count)));
                }
                let size = self.size_of(&expr.ty);
                self.advance(at, by, size, size).map_err(fail)?
            }
            ExprKind::Swizzle(base, parts) => {
                let at = self.memory_place(f, lane, base)?;
                return Ok(Place::Parts(at, base.ty.clone(), parts.clone()));
            }
            _ => return Err(fail(Why::Malformed)),
        }))
    }

    fn memory_place(&mut self, f: &Frame, lane: u32, expr: &Expr) -> Result<Pointer, Refusal> {
        match self.place(f, lane, expr)? {
            Place::Memory(at) => Ok(at),
            Place::Parts(..) => Err(Refusal { node: expr.id, why: Why::Malformed }),
        }
    }

    pub(super) fn load(&mut self, at: Pointer, ty: &Type, lane: u32) -> Result<Value, Why> {
        let who = self.who(lane);
        let full = self.size_of(ty);
        match ty {
            Type::Scalar(scalar) | Type::Vector(scalar, _) => {
                let (size, lanes) = (scalar.size(), ty.lanes());
                // A vector of three is read as three.
                let (bytes, written) = self.memory.read(at, (size * lanes) as u32, who)?;
                if !written.iter().all(|written| *written) {
                    return Err(Why::Uninitialised);
                }
                Ok(Value::of_lanes(bytes.chunks(size).map(|chunk| scalar.load(chunk)).collect()))
            }
            Type::Pointer(..) => {
                let (bytes, written) = self.memory.read(at, full, who)?;
                if !written.iter().all(|written| *written) {
                    return Err(Why::Uninitialised);
                }
                let mut word = [0; 8];
                word.copy_from_slice(bytes);
                Ok(Value::Pointer(Pointer::decode(word)))
            }
            Type::Struct(_) => {
                let (bytes, written) = self.memory.read(at, full, who)?;
                Ok(Value::Bytes(bytes.to_vec(), written.to_vec()))
            }
            Type::Void | Type::Array(..) => Err(Why::Malformed),
        }
    }

    pub(super) fn store(&mut self, at: Pointer, ty: &Type, value: &Value, lane: u32) -> Result<(), Why> {
        let who = self.who(lane);
        match (ty, value) {
            (Type::Scalar(scalar), Value::Scalar(bits)) => {
                self.memory.write(at, &bits.to_le_bytes()[..scalar.size()], who)
            }
            (Type::Vector(scalar, _), Value::Vector(lanes)) => {
                let bytes: Vec<u8> = lanes.iter().flat_map(|bits| scalar.store(*bits)).collect();
                self.memory.write(at, &bytes, who)
            }
            (Type::Pointer(..), Value::Pointer(pointer)) => self.memory.write(at, &pointer.encode(), who),
            (Type::Struct(_), Value::Bytes(bytes, written)) => {
                self.memory.write_partly(at, bytes, Some(written), who)
            }
            _ => Err(Why::Malformed),
        }
    }

    pub(super) fn read_place(&mut self, place: &Place, ty: &Type, lane: u32) -> Result<Value, Why> {
        match place {
            Place::Memory(at) => self.load(*at, ty, lane),
            Place::Parts(at, vector, parts) => {
                let size = vector.element().map_or(1, |scalar| scalar.size() as u32);
                let scalar = Type::Scalar(vector.element().ok_or(Why::Malformed)?);
                let mut lanes = Vec::new();
                for part in parts {
                    let at = Pointer { offset: at.offset + size * u32::from(*part), ..*at };
                    lanes.push(self.load(at, &scalar, lane)?.scalar()?);
                }
                Ok(Value::of_lanes(lanes))
            }
        }
    }

    pub(super) fn write_place(
        &mut self,
        place: &Place,
        ty: &Type,
        value: &Value,
        lane: u32,
    ) -> Result<(), Why> {
        match place {
            Place::Memory(at) => self.store(*at, ty, value, lane),
            Place::Parts(at, vector, parts) => {
                let size = vector.element().map_or(1, |scalar| scalar.size() as u32);
                let scalar = Type::Scalar(vector.element().ok_or(Why::Malformed)?);
                for (part, bits) in parts.iter().zip(value.clone().lanes()?) {
                    let at = Pointer { offset: at.offset + size * u32::from(*part), ..*at };
                    self.store(at, &scalar, &Value::Scalar(bits), lane)?;
                }
                Ok(())
            }
        }
    }
}
