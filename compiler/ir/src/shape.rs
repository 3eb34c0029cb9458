//! Shapes: by how much a value differs between the work-items that run together.
//!
//! *Uniform*: all have the same. *Strided*: neighbours differ by a constant. *Varying*: nothing is known. What is uniform,
//! and where work-items that went different ways meet again, is [`crate::uniformity`]'s; strides are found here, for values
//! that are not uniform. The caller gives the shape of each work-item query.
//!
//! In: any function in SSA form. The strides are optimistic and the analysis ends, for shapes only rise.

use crate::cfg::Cfg;
use crate::function::Block;
use crate::module::Layout;
use crate::range::{Range, Ranges};
use crate::types::TypeKind;
use crate::uniformity::{Answer, Uniformity};
use crate::value::Value;
use crate::{IrError, Opcode, Type};
use std::collections::HashMap;
use std::fmt;

/// How a value differs between work-items that run together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// The same for all.
    Uniform,
    /// `first + stride * lane`, in bytes for pointers.
    Strided(Stride),
    /// Any.
    Varying,
}

/// A constant difference between neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stride {
    /// The difference; never 0. In the arithmetic of the type, where it may wrap around.
    pub step: i64,
    /// It is the difference of the signed numbers: none wraps around.
    pub signed: bool,
}

impl Shape {
    /// The same for all.
    #[must_use]
    pub fn is_uniform(self) -> bool {
        self == Shape::Uniform
    }

    fn strided(step: i64, signed: bool) -> Shape {
        if step == 0 { Shape::Uniform } else { Shape::Strided(Stride { step, signed }) }
    }

    fn join(self, other: Shape) -> Shape {
        match (self, other) {
            (a, b) if a == b => a,
            (Shape::Strided(a), Shape::Strided(b)) if a.step == b.step => {
                Shape::strided(a.step, a.signed && b.signed)
            }
            _ => Shape::Varying,
        }
    }

    fn step(self) -> Option<Stride> {
        match self {
            Shape::Uniform => Some(Stride { step: 0, signed: true }),
            Shape::Strided(stride) => Some(stride),
            Shape::Varying => None,
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Uniform => f.write_str("uniform"),
            Shape::Varying => f.write_str("varying"),
            Shape::Strided(Stride { step, signed }) => {
                write!(f, "strided {step}")?;
                f.write_str(if *signed { " signed" } else { "" })
            }
        }
    }
}

/// The shapes of a function's values.
#[derive(Debug)]
pub struct Shapes<'c> {
    uniformity: Uniformity<'c>,
    /// Of values that are not uniform.
    values: HashMap<Value<'c>, Shape>,
}

/// What the analysis asks its caller: which ids vary, and how.
pub trait Queries<'c> {
    /// Of a call that asks for an id or a size, or that is a barrier; `None` for any other call.
    fn query(&self, call: Value<'c>) -> Option<Asked>;

    /// Between which numbers the result of a call lies, where that is known.
    fn range(&self, call: Value<'c>) -> Option<Range>;

    /// Whether one instruction is made for all who run together.
    fn in_lock_step(&self) -> bool {
        false
    }
}

/// What the analysis goes by.
struct Given<'a, 'c> {
    cfg: &'a Cfg<'c>,
    layout: Layout<'a>,
    queries: &'a dyn Queries<'c>,
    ranges: Ranges<'a, 'c>,
}

/// What is known of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Its result has this shape.
    Shape(Shape),
    /// Its result is the same for all that ask for the same.
    AsArguments,
    /// It is a barrier.
    Barrier,
}

impl<'c> Shapes<'c> {
    /// Computes the shapes of a function's values. The blocks of `after_barriers` begin behind a barrier that
    /// is no longer there.
    ///
    /// # Errors
    /// [`IrError::Crash`] where LLVM fails; the function is then only good for being dropped.
    pub fn compute(
        cfg: &Cfg<'c>,
        layout: Layout<'_>,
        after_barriers: &[Block<'c>],
        queries: &dyn Queries<'c>,
    ) -> Result<Self, IrError> {
        let answer = |call| {
            Some(match queries.query(call)? {
                Asked::Shape(Shape::Uniform) => Answer::Uniform,
                Asked::Shape(_) => Answer::Varies,
                Asked::AsArguments => Answer::AsArguments,
                Asked::Barrier => Answer::Barrier,
            })
        };
        let uniformity = Uniformity::compute(cfg, after_barriers, queries.in_lock_step(), &answer)?;
        let mut shapes = Shapes { uniformity, values: HashMap::new() };
        shapes.find_values_read_behind_cycles(cfg);
        let range = |call| queries.range(call);
        let given = Given { cfg, layout, queries, ranges: Ranges::new(&range) };
        loop {
            let mut changed = false;
            for &number in &cfg.order {
                for instruction in cfg.blocks[number].instructions() {
                    if !shapes.uniformity.is_divergent(instruction) {
                        continue;
                    }
                    let Some(new) = shapes.transfer(&given, number, instruction) else {
                        continue;
                    };
                    let old = shapes.values.get(&instruction).copied();
                    let joined = old.map_or(new, |old| old.join(new));
                    if old != Some(joined) {
                        shapes.values.insert(instruction, joined);
                        changed = true;
                    }
                }
            }
            if !changed {
                return Ok(shapes);
            }
        }
    }

    /// The shape of a value; constants and parameters are uniform.
    #[must_use]
    pub fn of(&self, value: Value<'c>) -> Shape {
        if self.uniformity.is_divergent(value) {
            self.values.get(&value).copied().unwrap_or(Shape::Varying)
        } else {
            Shape::Uniform
        }
    }

    /// Whether work-items that reach this block's end together may leave it by different ways.
    #[must_use]
    pub fn is_divergent(&self, block: usize) -> bool {
        self.uniformity.has_divergent_terminator(block)
    }

    /// What the shapes rest on.
    #[must_use]
    pub fn uniformity(&self) -> &Uniformity<'c> {
        &self.uniformity
    }

    /// Work-items that leave a cycle in different rounds have a strided value from different rounds: where it is read behind
    /// the cycle but by a PHI node at the way out, it is not strided.
    fn find_values_read_behind_cycles(&mut self, cfg: &Cfg<'c>) {
        for (number, block) in cfg.blocks.iter().enumerate() {
            if !self.uniformity.is_in_divergent_cycle(number) {
                continue;
            }
            for value in block.instructions() {
                let outside = |reader: Block<'c>| self.uniformity.is_read_behind(number, cfg.number(reader));
                let read = value.users().into_iter().any(|user| {
                    if user.is_phi() {
                        let mut ways = user.incoming().into_iter();
                        ways.any(|(incoming, from)| incoming == value && outside(from))
                    } else {
                        user.block().is_some_and(outside)
                    }
                });
                if read {
                    self.values.insert(value, Shape::Varying);
                }
            }
        }
    }

    /// The shape as far as it is known; `None`: not reached yet.
    fn known(&self, value: Value<'c>) -> Option<Shape> {
        if self.uniformity.is_divergent(value) {
            self.values.get(&value).copied()
        } else {
            Some(Shape::Uniform)
        }
    }

    fn transfer(&self, given: &Given<'_, 'c>, block: usize, value: Value<'c>) -> Option<Shape> {
        match value.opcode()? {
            Opcode::LLVMPHI => self.phi(given.cfg, block, value),
            Opcode::LLVMCall => Some(match given.queries.query(value) {
                Some(Asked::Shape(shape)) => shape,
                _ => Shape::Varying,
            }),
            Opcode::LLVMSelect => {
                let condition = self.known(value.operand(0))?;
                let (yes, no) = (self.known(value.operand(1))?, self.known(value.operand(2))?);
                Some(if condition.is_uniform() { yes.join(no) } else { Shape::Varying })
            }
            Opcode::LLVMGetElementPtr => self.gep(value, given.layout),
            opcode => self.arithmetic(value, opcode, &given.ranges),
        }
        .map(|shape| self.unless_all_operands_are_uniform(value, shape))
    }

    /// The values at hand are those that differ. Where no operand does, there is another reason than arithmetic.
    fn unless_all_operands_are_uniform(&self, value: Value<'c>, shape: Shape) -> Shape {
        let is_uniform = |operand: &Value<'c>| !self.uniformity.is_divergent(*operand);
        let by_itself = value.is(Opcode::LLVMCall);
        if !by_itself && value.operands().iter().all(is_uniform) { Shape::Varying } else { shape }
    }

    fn phi(&self, cfg: &Cfg<'c>, block: usize, phi: Value<'c>) -> Option<Shape> {
        let incoming = phi.incoming();
        let first = incoming.first()?.0;
        let same = incoming.iter().all(|(value, _)| *value == first);
        if self.uniformity.is_divergent_join(block) && !same {
            return Some(Shape::Varying);
        }
        let behind = |value: Value<'c>| {
            let defined = value.block().map(|defined| cfg.number(defined));
            defined.is_some_and(|defined| self.uniformity.is_read_behind(defined, block))
        };
        if incoming.iter().any(|(value, _)| behind(*value)) {
            return Some(Shape::Varying);
        }
        incoming.iter().filter_map(|(value, _)| self.known(*value)).reduce(Shape::join)
    }

    fn gep(&self, gep: Value<'c>, layout: Layout<'_>) -> Option<Shape> {
        let mut shape = self.known(gep.operand(0))?;
        let mut total = match shape.step() {
            Some(stride) if gep.ty().is_scalar() => stride.step,
            _ => {
                shape = Shape::Varying;
                0
            }
        };
        let mut ty = gep.gep_element();
        for (position, index) in gep.operands().into_iter().skip(1).enumerate() {
            let known = self.known(index)?;
            if position > 0 {
                ty = match (ty.map(Type::kind), index.as_int()) {
                    (Some(TypeKind::Struct(_)), Some(field)) => {
                        ty.and_then(|ty| ty.field(u32::try_from(field).ok()?))
                    }
                    _ => ty.and_then(Type::element),
                };
            }
            let Some(stepped) = ty else { return Some(Shape::Varying) };
            let narrow = index.ty() != gep.types().i64();
            match known.step() {
                Some(stride) if stride.step == 0 => {}
                Some(stride) if !narrow || stride.signed => {
                    let size = layout.size(stepped).cast_signed();
                    total = total.wrapping_add(stride.step.wrapping_mul(size));
                }
                _ => shape = Shape::Varying,
            }
        }
        Some(if shape == Shape::Varying { shape } else { Shape::strided(total, true) })
    }

    fn arithmetic(&self, value: Value<'c>, opcode: Opcode, ranges: &Ranges<'_, 'c>) -> Option<Shape> {
        let operands = value.operands();
        let mut known = Vec::with_capacity(operands.len());
        for &operand in &operands {
            known.push(self.known(operand)?);
        }
        let steps: Option<Vec<Stride>> = known.iter().map(|shape| shape.step()).collect();
        let Some(steps) = steps.filter(|_| value.ty().is_scalar()) else { return Some(Shape::Varying) };
        let no_wrap = value.no_signed_wrap() || ranges.never_wraps(value);
        let lies_in = |range| ranges.of(operands[0]).is_some_and(|own| own.is_in(range));
        let constant = operands.get(1).and_then(|operand| operand.as_int());
        Some(match opcode {
            Opcode::LLVMAdd => linear(steps[0].step.wrapping_add(steps[1].step), no_wrap, &steps),
            Opcode::LLVMOr if value.is_disjoint_or() => {
                linear(steps[0].step.wrapping_add(steps[1].step), true, &steps)
            }
            Opcode::LLVMSub => linear(steps[0].step.wrapping_sub(steps[1].step), no_wrap, &steps),
            Opcode::LLVMMul => match (operands[0].as_int(), constant) {
                (_, Some(factor)) => linear(steps[0].step.wrapping_mul(factor), no_wrap, &steps[..1]),
                (Some(factor), _) => linear(steps[1].step.wrapping_mul(factor), no_wrap, &steps[1..]),
                _ => Shape::Varying,
            },
            Opcode::LLVMShl => match constant {
                Some(by @ 0..=62) => linear(steps[0].step.wrapping_shl(by as u32), no_wrap, &steps[..1]),
                _ => Shape::Varying,
            },
            Opcode::LLVMTrunc => match value.ty().kind() {
                TypeKind::Int(bits @ 8..=64) => {
                    Shape::strided(steps[0].step, steps[0].signed && lies_in(Range::signed(bits)))
                }
                _ => Shape::Varying,
            },
            Opcode::LLVMSExt if steps[0].signed => Shape::Strided(steps[0]),
            Opcode::LLVMZExt => match operands[0].ty().kind() {
                // A number that is never negative is the same in both senses; one cut to its type is too if it was small.
                TypeKind::Int(_) if steps[0].signed && lies_in(Range::unsigned(63)) => {
                    Shape::Strided(steps[0])
                }
                TypeKind::Int(bits) if operands[0].is(Opcode::LLVMTrunc) => {
                    let whole = operands[0].operand(0);
                    let fits = ranges.of(whole).is_some_and(|range| range.is_in(Range::unsigned(bits)));
                    match self.known(whole)? {
                        Shape::Strided(stride) if fits && stride.signed => Shape::Strided(stride),
                        _ => Shape::Varying,
                    }
                }
                _ => Shape::Varying,
            },
            Opcode::LLVMFreeze | Opcode::LLVMAddrSpaceCast => Shape::Strided(steps[0]),
            _ => Shape::Varying,
        })
    }
}

fn linear(step: i64, no_wrap: bool, operands: &[Stride]) -> Shape {
    let signed = no_wrap && operands.iter().all(|operand| operand.signed);
    Shape::strided(step, signed)
}
