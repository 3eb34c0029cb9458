//! One instruction for W lanes.
//!
//! What is the same for all lanes stays one scalar instruction, what is strided is computed for lane 0, and the rest
//! becomes one operation on each component's lanes. At W = 1 everything is the first case.

use super::items::Copy;
use super::lanes::{Lanes, component_of, components, deinterleave, interleave, spread, widen};
use crate::bodies::Ids;
use crate::error::FormError;
use crate::workitem::Query;
use oxcl_ir::range::{Range, Ranges};
use oxcl_ir::shape::Shape;
use oxcl_ir::{Builder, IntPredicate, Opcode, TypeKind, Value};

/// LLVM intrinsics that work lane by lane and exist for vectors, without the type suffix.
const LANEWISE: &[&str] = &[
    "llvm.abs",
    "llvm.bitreverse",
    "llvm.bswap",
    "llvm.canonicalize",
    "llvm.ceil",
    "llvm.copysign",
    "llvm.cos",
    "llvm.ctlz",
    "llvm.ctpop",
    "llvm.cttz",
    "llvm.exp",
    "llvm.exp2",
    "llvm.fabs",
    "llvm.floor",
    "llvm.fma",
    "llvm.fmuladd",
    "llvm.fshl",
    "llvm.fshr",
    "llvm.log",
    "llvm.log10",
    "llvm.log2",
    "llvm.maximum",
    "llvm.maxnum",
    "llvm.minimum",
    "llvm.minnum",
    "llvm.nearbyint",
    "llvm.pow",
    "llvm.rint",
    "llvm.round",
    "llvm.roundeven",
    "llvm.sadd.sat",
    "llvm.sin",
    "llvm.smax",
    "llvm.smin",
    "llvm.sqrt",
    "llvm.ssub.sat",
    "llvm.trunc",
    "llvm.uadd.sat",
    "llvm.umax",
    "llvm.umin",
    "llvm.usub.sat",
];

impl<'c> Copy<'_, '_, 'c> {
    /// Copies an instruction to the builder's place.
    pub(super) fn make(&mut self, b: &Builder<'c>, instruction: Value<'c>) -> Result<Lanes<'c>, FormError> {
        if let Some(query) = Query::of(instruction) {
            return self.answer(b, instruction, query);
        }
        let (operands, inputs) = self.inputs(b, instruction)?;
        if self.width() == 1 {
            return Ok(Lanes::One(self.clone_with(b, instruction, &first_of_each(&inputs))));
        }
        match instruction.opcode() {
            Some(Opcode::LLVMLoad) => return self.load(b, instruction, &inputs[0]),
            Some(Opcode::LLVMStore) => {
                self.store(b, instruction, &inputs[0], &inputs[1])?;
                return Ok(Lanes::One(operands[0].ty().zero()));
            }
            _ => {}
        }
        let pure = !instruction.effects().side_effects() && !instruction.effects().reads();
        match self.shape(instruction) {
            Shape::Uniform if pure && inputs.iter().all(|lanes| matches!(lanes, Lanes::One(_))) => {
                Ok(Lanes::One(self.clone_with(b, instruction, &first_of_each(&inputs))))
            }
            Shape::Strided(stride) if pure && inputs.iter().all(|lanes| !matches!(lanes, Lanes::Each(_))) => {
                let first = self.clone_with(b, instruction, &first_of_each(&inputs));
                // In a divided block lane 0 need not be active: its value must not be poison because of a flag that only
                // holds for lanes that are.
                if self.mask != self.base {
                    first.drop_poison_flags();
                }
                Ok(Lanes::Strided { first, step: stride.step })
            }
            _ => self.each(b, instruction, &operands, &inputs),
        }
    }

    /// The operands and what stands for each; a call's callee is no operand.
    fn inputs(
        &mut self,
        b: &Builder<'c>,
        instruction: Value<'c>,
    ) -> Result<(Vec<Value<'c>>, Vec<Lanes<'c>>), FormError> {
        let operands = match instruction.opcode() {
            Some(Opcode::LLVMCall) => instruction.arguments(),
            _ => instruction.operands(),
        };
        let mut inputs = Vec::with_capacity(operands.len());
        for &operand in &operands {
            inputs.push(self.value(b, operand)?);
        }
        Ok((operands, inputs))
    }

    /// A copy with other operands.
    pub(super) fn clone_with(
        &self,
        b: &Builder<'c>,
        instruction: Value<'c>,
        operands: &[Value<'c>],
    ) -> Value<'c> {
        let copy = b.insert_clone(instruction);
        for (index, &operand) in (0..).zip(operands) {
            copy.set_operand(index, operand);
        }
        self.note_lossless_cut(instruction, copy);
        let effects = instruction.effects();
        if effects.reads() || effects.writes() {
            self.scopes.adapt(self.frame.regions, instruction, copy);
            self.mark(copy);
        }
        copy
    }

    /// Says of a conversion to fewer bits that it loses nothing where the ranges of ids show it.
    fn note_lossless_cut(&self, cut: Value<'c>, copy: Value<'c>) {
        let TypeKind::Int(bits @ 1..=63) = cut.ty().kind() else { return };
        if !cut.is(Opcode::LLVMTrunc) {
            return;
        }
        let (frame, whole) = (self.frame, cut.operand(0));
        let loses_nothing = |kept: Range| {
            let fits = |ranges: &Ranges<'_, 'c>| ranges.of(whole).is_some_and(|range| range.is_in(kept));
            if fits(&frame.ranges) {
                return true;
            }
            let fits_small = frame.launches == Ids::Small && fits(&frame.small_ranges);
            if fits_small {
                frame.rests_on_small_ids.set(true);
            }
            fits_small
        };
        if loses_nothing(Range::signed(bits)) {
            copy.set_no_signed_wrap();
        }
        if loses_nothing(Range::unsigned(bits)) {
            copy.set_no_unsigned_wrap();
        }
    }

    /// The answer to a query, for all lanes.
    fn answer(&mut self, b: &Builder<'c>, call: Value<'c>, query: Query) -> Result<Lanes<'c>, FormError> {
        let frame = self.frame;
        let dimension = match call.arguments().first() {
            Some(&dimension) => match self.value(b, dimension)? {
                Lanes::One(dimension) if self.shape(call) != Shape::Varying => Some(dimension),
                lanes => return Ok(self.answer_by_lane(b, query, &lanes)),
            },
            None => None,
        };
        let global = |d: usize| b.add_no_wrap(frame.ids.first[d], self.ids.local[d], &format!("g{d}"));
        let first = match (query, dimension) {
            (Query::LocalId, Some(dimension)) => frame.choose(b, query, self.ids.local, dimension),
            (Query::GlobalId, Some(dimension)) => {
                frame.choose(b, query, [global(0), global(1), global(2)], dimension)
            }
            (Query::LocalLinearId, _) => self.ids.linear,
            (Query::GlobalLinearId, _) => {
                let own = |d: usize| {
                    let group = b.mul_no_wrap(frame.ids.group[d], frame.ids.enqueued[d], "");
                    b.add_no_wrap(group, self.ids.local[d], "")
                };
                let size = |d: usize| frame.ids.global_size[d];
                let plane = b.add_no_wrap(b.mul_no_wrap(own(2), size(1), ""), own(1), "");
                b.add_no_wrap(b.mul_no_wrap(plane, size(0), ""), own(0), "global.linear")
            }
            _ => frame.answer_for_group(b, query, dimension),
        };
        Ok(match self.shape(call) {
            Shape::Strided(stride) => Lanes::Strided { first, step: stride.step },
            _ => Lanes::One(first),
        })
    }

    /// The answer to a query about a dimension that is not known here, or not the same for all lanes.
    fn answer_by_lane(&self, b: &Builder<'c>, query: Query, dimension: &Lanes<'c>) -> Lanes<'c> {
        let (frame, width) = (self.frame, self.width());
        let asked = widen(b, dimension, width)[0];
        let mut chosen = b.splat(b.i64(query.beyond()), width, "");
        for (d, number) in (0..3).zip(0_i64..) {
            let (first, step) = match query {
                Query::LocalId => (self.ids.local[d], i64::from(d == 0)),
                Query::GlobalId => {
                    (b.add_no_wrap(frame.ids.first[d], self.ids.local[d], ""), i64::from(d == 0))
                }
                _ => (frame.answer_for_group(b, query, Some(b.i64(number))), 0),
            };
            let here = b.compare(IntPredicate::LLVMIntEQ, asked, asked.ty().int(number), "");
            chosen = b.select(here, spread(b, first, step, width), chosen, "");
        }
        Lanes::Each(vec![chosen])
    }

    /// An instruction whose lanes differ: one operation for each component.
    fn each(
        &mut self,
        b: &Builder<'c>,
        instruction: Value<'c>,
        operands: &[Value<'c>],
        inputs: &[Lanes<'c>],
    ) -> Result<Lanes<'c>, FormError> {
        let width = self.width();
        let Some(opcode) = instruction.opcode() else {
            return self.lane_by_lane(b, instruction, operands, inputs);
        };
        let wide = |index: usize| widen(b, &inputs[index], width);
        let name = instruction.name();
        let made: Vec<Value<'c>> = match opcode {
            Opcode::LLVMAdd
            | Opcode::LLVMSub
            | Opcode::LLVMMul
            | Opcode::LLVMShl
            | Opcode::LLVMLShr
            | Opcode::LLVMAShr
            | Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMXor
            | Opcode::LLVMFAdd
            | Opcode::LLVMFSub
            | Opcode::LLVMFMul
            | Opcode::LLVMFDiv
            | Opcode::LLVMFRem
            | Opcode::LLVMSDiv
            | Opcode::LLVMUDiv
            | Opcode::LLVMSRem
            | Opcode::LLVMURem => {
                let right = self.safe_divisors(b, opcode, wide(1));
                wide(0)
                    .into_iter()
                    .zip(right)
                    .map(|(left, right)| flagged(b.binary(opcode, left, right, &name), instruction))
                    .collect()
            }
            Opcode::LLVMFNeg => {
                wide(0).into_iter().map(|value| flagged(b.float_negate(value, &name), instruction)).collect()
            }
            Opcode::LLVMFreeze => wide(0).into_iter().map(|value| b.freeze(value, &name)).collect(),
            Opcode::LLVMICmp | Opcode::LLVMFCmp => {
                let pairs: Vec<_> = wide(0).into_iter().zip(wide(1)).collect();
                let compare =
                    |(left, right)| match (instruction.int_predicate(), instruction.float_predicate()) {
                        (Some(predicate), _) => b.compare(predicate, left, right, &name),
                        (_, Some(predicate)) => {
                            flagged(b.compare_float(predicate, left, right, &name), instruction)
                        }
                        _ => left,
                    };
                pairs.into_iter().map(compare).collect()
            }
            Opcode::LLVMSelect => self.select(b, instruction, inputs),
            Opcode::LLVMBitCast => match self.reinterpret(b, instruction, operands[0], &wide(0)) {
                Some(made) => made,
                None => return self.lane_by_lane(b, instruction, operands, inputs),
            },
            Opcode::LLVMTrunc
            | Opcode::LLVMZExt
            | Opcode::LLVMSExt
            | Opcode::LLVMFPToUI
            | Opcode::LLVMFPToSI
            | Opcode::LLVMUIToFP
            | Opcode::LLVMSIToFP
            | Opcode::LLVMFPTrunc
            | Opcode::LLVMFPExt
            | Opcode::LLVMPtrToInt
            | Opcode::LLVMIntToPtr
            | Opcode::LLVMAddrSpaceCast => {
                let to = instruction.ty().scalar().vector(width);
                wide(0)
                    .into_iter()
                    .map(|value| flagged(b.cast(opcode, value, to, &name), instruction))
                    .collect()
            }
            Opcode::LLVMGetElementPtr if instruction.ty().is_scalar() => match instruction.gep_element() {
                Some(element) => {
                    let base = narrow_or_wide(b, &inputs[0], width);
                    let indices: Vec<_> =
                        inputs[1..].iter().map(|index| narrow_or_wide(b, index, width)).collect();
                    vec![b.gep(element, base, &indices, instruction.gep_flags(), &name)]
                }
                None => return self.lane_by_lane(b, instruction, operands, inputs),
            },
            Opcode::LLVMExtractElement => vec![choose_component(b, &wide(0), &inputs[1], width)],
            Opcode::LLVMInsertElement => insert_component(b, wide(0), wide(1)[0], &inputs[2], width),
            Opcode::LLVMShuffleVector => {
                let parts: Vec<_> = wide(0).into_iter().chain(wide(1)).collect();
                let poison = instruction.ty().scalar().vector(width).poison();
                let from =
                    |index: i32| usize::try_from(index).ok().and_then(|index| parts.get(index).copied());
                instruction.shuffle_mask().into_iter().map(|index| from(index).unwrap_or(poison)).collect()
            }
            Opcode::LLVMExtractValue => match component_of(operands[0].ty(), &instruction.indices()) {
                Some((before, ty)) => {
                    let count = components(ty).map_or(0, |parts| parts.len());
                    wide(0).into_iter().skip(before).take(count).collect()
                }
                None => return self.lane_by_lane(b, instruction, operands, inputs),
            },
            Opcode::LLVMInsertValue => match component_of(operands[0].ty(), &instruction.indices()) {
                Some((before, _)) => {
                    let mut whole = wide(0);
                    for (place, part) in whole.iter_mut().skip(before).zip(wide(1)) {
                        *place = part;
                    }
                    whole
                }
                None => return self.lane_by_lane(b, instruction, operands, inputs),
            },
            Opcode::LLVMCall => match self.lanewise_call(b, instruction, inputs) {
                Some(made) => made,
                None => return self.lane_by_lane(b, instruction, operands, inputs),
            },
            _ => return self.lane_by_lane(b, instruction, operands, inputs),
        };
        Ok(Lanes::Each(made))
    }

    /// Lanes that are not active divide by 1: whatever they hold, they must not trap.
    fn safe_divisors(&self, b: &Builder<'c>, opcode: Opcode, divisors: Vec<Value<'c>>) -> Vec<Value<'c>> {
        let divides =
            matches!(opcode, Opcode::LLVMSDiv | Opcode::LLVMUDiv | Opcode::LLVMSRem | Opcode::LLVMURem);
        match self.mask {
            Some(mask) if divides => divisors
                .into_iter()
                .map(|divisor| b.select(mask, divisor, divisor.ty().int(1), "divisor"))
                .collect(),
            _ => divisors,
        }
    }

    fn select(&self, b: &Builder<'c>, instruction: Value<'c>, inputs: &[Lanes<'c>]) -> Vec<Value<'c>> {
        let width = self.width();
        let (yes, no) = (widen(b, &inputs[1], width), widen(b, &inputs[2], width));
        let per_component = instruction.operand(0).ty().is_scalar();
        let conditions = match &inputs[0] {
            Lanes::One(condition) if per_component => vec![*condition],
            lanes => widen(b, lanes, width),
        };
        let condition = |index: usize| conditions.get(index).or(conditions.first()).copied();
        yes.into_iter()
            .zip(no)
            .enumerate()
            .map(|(index, (yes, no))| match condition(index) {
                Some(condition) => flagged(b.select(condition, yes, no, &instruction.name()), instruction),
                None => yes,
            })
            .collect()
    }

    /// The bits of each lane as another type.
    fn reinterpret(
        &self,
        b: &Builder<'c>,
        instruction: Value<'c>,
        operand: Value<'c>,
        parts: &[Value<'c>],
    ) -> Option<Vec<Value<'c>>> {
        let (from, to) = (operand.ty(), instruction.ty());
        let count = components(to)?.len();
        if from.scalar() == to.scalar() {
            return Some(parts.to_vec());
        }
        let width = self.width();
        let joined = interleave(b, parts, width);
        let ty = to.scalar().vector(width * u32::try_from(count).ok()?);
        let cast = b.cast(Opcode::LLVMBitCast, joined, ty, &instruction.name());
        Some(deinterleave(b, cast, count, width))
    }

    /// A call of an intrinsic that works lane by lane, once for each component.
    fn lanewise_call(
        &self,
        b: &Builder<'c>,
        call: Value<'c>,
        inputs: &[Lanes<'c>],
    ) -> Option<Vec<Value<'c>>> {
        let name = call.callee()?.name();
        let base = LANEWISE
            .iter()
            .find(|base| name.strip_prefix(**base).is_some_and(|rest| rest.starts_with('.')))?;
        let width = self.width();
        let scalar = call.ty().scalar();
        let columns: Vec<Vec<Value<'c>>> = inputs
            .iter()
            .map(|lanes| match lanes {
                // The flag of `abs`, `ctlz` and `cttz`: a constant, not a lane.
                Lanes::One(flag) if flag.ty() == b.types().bool() => vec![*flag],
                lanes => widen(b, lanes, width),
            })
            .collect();
        let count = components(call.ty())?.len();
        (0..count)
            .map(|index| {
                let row: Vec<Value<'c>> = columns
                    .iter()
                    .filter_map(|column| column.get(index).or(column.first()).copied())
                    .collect();
                let made = b.intrinsic(base, &[scalar.vector(width)], &row, &call.name())?;
                Some(flagged(made, call))
            })
            .collect()
    }
}

/// The scalar that stands for each input: lane 0's, where they are strided.
fn first_of_each<'c>(inputs: &[Lanes<'c>]) -> Vec<Value<'c>> {
    inputs
        .iter()
        .filter_map(|lanes| match lanes {
            Lanes::One(value) | Lanes::Strided { first: value, .. } => Some(*value),
            Lanes::Each(_) => None,
        })
        .collect()
}

fn flagged<'c>(made: Value<'c>, like: Value<'c>) -> Value<'c> {
    made.copy_flags(like);
    made
}

/// A scalar where all lanes agree, else the lanes: address arithmetic takes both.
fn narrow_or_wide<'c>(b: &Builder<'c>, lanes: &Lanes<'c>, width: u32) -> Value<'c> {
    match lanes {
        Lanes::One(value) => *value,
        lanes => widen(b, lanes, width)[0],
    }
}

/// The component that an index, constant or not, names.
fn choose_component<'c>(b: &Builder<'c>, parts: &[Value<'c>], index: &Lanes<'c>, width: u32) -> Value<'c> {
    if let Lanes::One(index) = index
        && let Some(known) = index.as_int()
    {
        let found = usize::try_from(known).ok().and_then(|known| parts.get(known).copied());
        return found.unwrap_or_else(|| parts[0].ty().poison());
    }
    let index = widen(b, index, width)[0];
    let mut chosen = parts[0];
    for (number, &part) in (1..).zip(&parts[1..]) {
        let here = b.compare(IntPredicate::LLVMIntEQ, index, index.ty().int(number), "");
        chosen = b.select(here, part, chosen, "");
    }
    chosen
}

/// The components with the one that an index names replaced.
fn insert_component<'c>(
    b: &Builder<'c>,
    parts: Vec<Value<'c>>,
    new: Value<'c>,
    index: &Lanes<'c>,
    width: u32,
) -> Vec<Value<'c>> {
    if let Lanes::One(index) = index
        && let Some(known) = index.as_int()
    {
        let replace = |(number, part)| if number == known { new } else { part };
        return (0..).zip(parts).map(replace).collect();
    }
    let index = widen(b, index, width)[0];
    (0..)
        .zip(parts)
        .map(|(number, part)| {
            let here = b.compare(IntPredicate::LLVMIntEQ, index, index.ty().int(number), "");
            b.select(here, new, part, "")
        })
        .collect()
}
