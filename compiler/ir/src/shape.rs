//! Shapes: how a value differs between the work-items that run together.
//!
//! *Uniform*: all have the same. *Strided*: neighbours differ by a constant. *Varying*: nothing is known. What "together"
//! means is the caller's: for barriers it is the work-group (every id varies), for W lanes of a row it is the row (the
//! ids of the other dimensions are uniform). The caller gives the shape of each work-item query; everything else
//! follows.
//!
//! Two ways of becoming different are not visible in operands. *Sync dependence*: work-items that took different ways
//! from a divergent branch meet at a join, where a PHI node tells them apart. *Temporal divergence*: work-items leave a
//! loop in different iterations, so that what the loop computed differs outside even if it never differed inside.
//!
//! In: reducible control flow, loop-closed SSA. Relies on OpenCL's memory model: a plain load from one address gives
//! all work-items of a race-free kernel the same value. The analysis is optimistic and ends, for shapes only rise.

use crate::cfg::Cfg;
use crate::function::Function;
use crate::module::Layout;
use crate::types::TypeKind;
use crate::value::Value;
use crate::{Opcode, Type};
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
    /// The difference; never 0.
    pub step: i64,
    /// No lane's value wraps around in the signed sense.
    pub signed: bool,
    /// Every lane's value is in `0 .. 2^31`.
    pub small: bool,
}

impl Shape {
    /// The same for all.
    #[must_use]
    pub fn is_uniform(self) -> bool {
        self == Shape::Uniform
    }

    fn strided(step: i64, signed: bool, small: bool) -> Shape {
        if step == 0 { Shape::Uniform } else { Shape::Strided(Stride { step, signed, small }) }
    }

    fn join(self, other: Shape) -> Shape {
        match (self, other) {
            (a, b) if a == b => a,
            (Shape::Strided(a), Shape::Strided(b)) if a.step == b.step => {
                Shape::strided(a.step, a.signed && b.signed, a.small && b.small)
            }
            _ => Shape::Varying,
        }
    }

    fn step(self) -> Option<Stride> {
        match self {
            Shape::Uniform => Some(Stride { step: 0, signed: true, small: false }),
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
            Shape::Strided(Stride { step, signed, small }) => {
                write!(f, "strided {step}")?;
                f.write_str(if *signed { " signed" } else { "" })?;
                f.write_str(if *small { " small" } else { "" })
            }
        }
    }
}

/// The shapes of a function's values.
#[derive(Debug)]
pub struct Shapes<'c> {
    values: HashMap<Value<'c>, Shape>,
    divergent: Vec<bool>,
    divergent_loops: Vec<bool>,
    joins: Vec<bool>,
}

/// What the analysis asks its caller.
pub trait Queries<'c> {
    /// The shape of a call that asks for an id or a size; `None` for any other call.
    fn query(&self, call: Value<'c>) -> Option<Shape>;
}

impl<'c> Shapes<'c> {
    /// Computes the shapes of a function's values.
    #[must_use]
    pub fn compute(function: Function<'c>, cfg: &Cfg<'c>, layout: Layout, queries: &dyn Queries<'c>) -> Self {
        let blocks = cfg.blocks.len();
        let mut shapes = Shapes {
            values: HashMap::new(),
            divergent: vec![false; blocks],
            divergent_loops: vec![false; cfg.loops.len()],
            joins: vec![false; blocks],
        };
        debug_assert_eq!(cfg.blocks.first().map(|block| block.function()), Some(function));
        loop {
            let mut changed = false;
            for &number in &cfg.order {
                for instruction in cfg.blocks[number].instructions() {
                    if instruction.ty().is_void() {
                        continue;
                    }
                    let Some(new) = shapes.transfer(cfg, number, instruction, layout, queries) else {
                        continue;
                    };
                    let old = shapes.values.get(&instruction).copied();
                    let joined = old.map_or(new, |old| old.join(new));
                    if old != Some(joined) {
                        shapes.values.insert(instruction, joined);
                        changed = true;
                    }
                }
                changed |= shapes.update_branch(cfg, number);
            }
            if !changed {
                return shapes;
            }
        }
    }

    /// The shape of a value; constants, parameters and what was never reached are uniform.
    #[must_use]
    pub fn of(&self, value: Value<'c>) -> Shape {
        self.values.get(&value).copied().unwrap_or(Shape::Uniform)
    }

    /// Whether work-items that reach this block's end together may leave it by different ways.
    #[must_use]
    pub fn is_divergent(&self, block: usize) -> bool {
        self.divergent[block]
    }

    /// Whether work-items may leave this loop in different iterations.
    #[must_use]
    pub fn is_divergent_loop(&self, number: usize) -> bool {
        self.divergent_loops[number]
    }

    /// Records what a replaced instruction's successor inherits.
    pub fn inherit(&mut self, new: Value<'c>, old: Value<'c>) {
        let shape = self.of(old);
        self.values.insert(new, shape);
    }

    fn update_branch(&mut self, cfg: &Cfg<'c>, number: usize) -> bool {
        if self.divergent[number] || cfg.successors[number].len() < 2 {
            return false;
        }
        let Some(terminator) = cfg.blocks[number].terminator() else { return false };
        let decider = terminator.operand(0);
        if self.known(decider).is_none_or(Shape::is_uniform) {
            return false;
        }
        self.divergent[number] = true;
        for join in joins_of(cfg, number) {
            self.joins[join] = true;
        }
        let stop = cfg.ipdom(number);
        for (index, found) in cfg.loops.iter().enumerate() {
            if found.contains(number) && !stop.is_some_and(|stop| found.contains(stop)) {
                self.divergent_loops[index] = true;
            }
        }
        true
    }

    fn known(&self, value: Value<'c>) -> Option<Shape> {
        if value.is_instruction() { self.values.get(&value).copied() } else { Some(Shape::Uniform) }
    }

    fn transfer(
        &self,
        cfg: &Cfg<'c>,
        block: usize,
        value: Value<'c>,
        layout: Layout,
        queries: &dyn Queries<'c>,
    ) -> Option<Shape> {
        match value.opcode()? {
            Opcode::LLVMPHI => self.phi(cfg, block, value),
            Opcode::LLVMAlloca | Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg | Opcode::LLVMVAArg => {
                Some(Shape::Varying)
            }
            Opcode::LLVMLoad => {
                let address = self.known(value.operand(0))?;
                let plain = !value.effects().ordered();
                Some(if plain && address.is_uniform() { Shape::Uniform } else { Shape::Varying })
            }
            Opcode::LLVMCall => {
                if let Some(shape) = queries.query(value) {
                    return Some(shape);
                }
                let effects = value.effects();
                if effects.reads() || effects.writes() || effects.convergent() {
                    return Some(Shape::Varying);
                }
                self.uniform_if_all(&value.arguments())
            }
            Opcode::LLVMSelect => {
                let condition = self.known(value.operand(0))?;
                let (yes, no) = (self.known(value.operand(1))?, self.known(value.operand(2))?);
                Some(if condition.is_uniform() { yes.join(no) } else { Shape::Varying })
            }
            Opcode::LLVMGetElementPtr => self.gep(value, layout),
            opcode => self.arithmetic(value, opcode),
        }
    }

    fn phi(&self, cfg: &Cfg<'c>, block: usize, phi: Value<'c>) -> Option<Shape> {
        let incoming = phi.incoming();
        let first = incoming.first()?.0;
        let same = incoming.iter().all(|(value, _)| *value == first);
        if self.joins[block] && !same {
            return Some(Shape::Varying);
        }
        let leaves_divergent_loop = incoming.iter().any(|(value, from)| {
            let Some(defined) = value.block() else { return false };
            let (from, defined) = (cfg.number(*from), cfg.number(defined));
            cfg.loops.iter().enumerate().any(|(index, l)| {
                self.divergent_loops[index] && l.contains(from) && !l.contains(block) && l.contains(defined)
            })
        });
        if leaves_divergent_loop {
            return Some(Shape::Varying);
        }
        incoming.iter().filter_map(|(value, _)| self.known(*value)).reduce(Shape::join)
    }

    fn uniform_if_all(&self, values: &[Value<'c>]) -> Option<Shape> {
        let mut shape = Shape::Uniform;
        for &value in values {
            if !self.known(value)?.is_uniform() {
                shape = Shape::Varying;
            }
        }
        Some(shape)
    }

    fn gep(&self, gep: Value<'c>, layout: Layout) -> Option<Shape> {
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
        Some(if shape == Shape::Varying { shape } else { Shape::strided(total, true, false) })
    }

    fn arithmetic(&self, value: Value<'c>, opcode: Opcode) -> Option<Shape> {
        let operands = value.operands();
        let mut known = Vec::with_capacity(operands.len());
        for &operand in &operands {
            known.push(self.known(operand)?);
        }
        if known.iter().all(|shape| shape.is_uniform()) {
            return Some(Shape::Uniform);
        }
        let steps: Option<Vec<Stride>> = known.iter().map(|shape| shape.step()).collect();
        let Some(steps) = steps.filter(|_| value.ty().is_scalar()) else { return Some(Shape::Varying) };
        let no_wrap = value.no_signed_wrap();
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
            Opcode::LLVMTrunc => match (steps[0].small, value.ty().kind()) {
                (small, TypeKind::Int(bits)) if bits >= 32 => Shape::strided(steps[0].step, small, small),
                (_, TypeKind::Int(bits)) if bits >= 8 => Shape::strided(steps[0].step, false, false),
                _ => Shape::Varying,
            },
            Opcode::LLVMSExt if steps[0].signed || steps[0].small => Shape::Strided(steps[0]),
            Opcode::LLVMZExt if steps[0].small => Shape::Strided(steps[0]),
            Opcode::LLVMFreeze | Opcode::LLVMAddrSpaceCast => Shape::Strided(steps[0]),
            _ => Shape::Varying,
        })
    }
}

fn linear(step: i64, no_wrap: bool, operands: &[Stride]) -> Shape {
    let signed = no_wrap && operands.iter().all(|operand| operand.signed);
    Shape::strided(step, signed, false)
}

/// The blocks where ways from a branch meet that do not meet before.
fn joins_of(cfg: &Cfg<'_>, branch: usize) -> Vec<usize> {
    let stop = cfg.ipdom(branch);
    let mut label: Vec<Option<usize>> = vec![None; cfg.blocks.len()];
    let mut joins = Vec::new();
    for &successor in &cfg.successors[branch] {
        label[successor] = Some(successor);
    }
    // A block's label is final when the walk reaches it: its forward predecessors come before it in the order.
    for &block in &cfg.order {
        let Some(own) = label[block] else { continue };
        if Some(block) == stop {
            continue;
        }
        for &next in &cfg.successors[block] {
            if cfg.is_back_edge(block, next) {
                continue;
            }
            match label[next] {
                None => label[next] = Some(own),
                Some(other) if other == own => {}
                Some(_) => {
                    label[next] = Some(next);
                    if !joins.contains(&next) {
                        joins.push(next);
                    }
                }
            }
        }
    }
    joins
}
