//! One instruction for W lanes.
//!
//! What is the same for all lanes stays one scalar instruction, what is strided is computed for lane 0, and the rest
//! becomes one operation on each component's lanes. At W = 1 everything is the first case.

use super::items::RegionEmitter;
use super::lanes::{Lanes, component_of, components, deinterleave, interleave, spread, widen};
use super::long_quotients::{self, long_divisor};
use super::quotients::{self, by_floating};
use crate::error::FormError;
use crate::guards::is_test;
use crate::plan::{Form, How};
use crate::sub_groups::is_lead;
use crate::workitem::Query;
use oxcl_ir::range::Range;
use oxcl_ir::{Builder, IntPredicate, Opcode, Type, TypeKind, Value};

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
    "llvm.fptosi.sat",
    "llvm.fptoui.sat",
    "llvm.fshl",
    "llvm.fshr",
    "llvm.is.fpclass",
    "llvm.ldexp",
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

impl<'c> RegionEmitter<'_, '_, 'c> {
    /// Copies an instruction to the builder's place.
    pub(super) fn make(&mut self, b: &Builder<'c>, instruction: Value<'c>) -> Result<Lanes<'c>, FormError> {
        if let Some(query) = Query::of(instruction) {
            return self.query(b, instruction, query);
        }
        if is_lead(instruction) {
            return Ok(self.lead(b));
        }
        let (operands, inputs) = self.inputs(b, instruction)?;
        if self.width() == 1 {
            // A body of one lane, beside one of several, asks at the guard itself.
            let made = match is_test(instruction) {
                true => instruction.ty().zero(),
                false => self.clone_with(b, instruction, &first_of_each(&inputs)),
            };
            return Ok(Lanes::One(made));
        }
        if instruction.is(Opcode::LLVMGetElementPtr)
            && let Some(weave) = self.frame.plan.woven(instruction)
        {
            return self.woven_address(b, instruction, weave, &inputs);
        }
        let made = match self.how(instruction) {
            How::Query | How::Once => {
                Some(Lanes::One(self.clone_with(b, instruction, &first_of_each(&inputs))))
            }
            How::Test => Some(Lanes::One(self.all_pass(b, operands[0])?)),
            How::First => Some(self.first(b, instruction, &inputs)),
            How::Vector if self.frame.plan.is_interleaved(instruction) => {
                let (inputs, lanes) = self.interleaved_inputs(b, instruction, &operands, &inputs);
                self.each(b, instruction, &operands, &inputs, lanes)
            }
            How::Vector => self.each(b, instruction, &operands, &inputs, self.width()),
            How::Wide(form) => self.wide_call(b, instruction, &inputs, form),
            How::Consecutive | How::Gather | How::GatherUnlessConsecutive | How::Butterfly | How::Last
                if instruction.is(Opcode::LLVMLoad) =>
            {
                Some(self.load(b, instruction, &inputs[0])?)
            }
            How::Consecutive | How::Gather | How::GatherUnlessConsecutive | How::Butterfly | How::Last => {
                self.store(b, instruction, &inputs[0], &inputs[1])?;
                Some(Lanes::One(operands[0].ty().zero()))
            }
            How::Collective => self.collective(b, instruction, &inputs),
            How::EachLane => Some(self.lane_by_lane(b, instruction, &operands, &inputs)?),
        };
        made.ok_or_else(|| self.decline(instruction, "its plan cannot be followed"))
    }

    /// A strided value, made for lane 0.
    fn first(&self, b: &Builder<'c>, instruction: Value<'c>, inputs: &[Lanes<'c>]) -> Lanes<'c> {
        let Form::Strided(step) = self.form(instruction) else {
            return Lanes::One(self.clone_with(b, instruction, &first_of_each(inputs)));
        };
        let extends = instruction.is(Opcode::LLVMSExt) || instruction.is(Opcode::LLVMZExt);
        match (self.mask, &inputs[0]) {
            // Lane 0 may be off, and what it would extend may have wrapped around: the first active lane's has not.
            (Some(mask), Lanes::Strided { first, step: narrow }) if extends && self.mask != self.base => {
                let lane = self.first_lane(b, mask);
                let ty = first.ty();
                let ahead = b.mul(super::lanes::resize(b, lane, ty), ty.int(*narrow), "");
                let own = self.clone_with(b, instruction, &[b.add(*first, ahead, "")]);
                own.drop_poison_flags();
                let behind = b.mul(super::lanes::resize(b, lane, own.ty()), own.ty().int(step), "");
                let first = b.binary(Opcode::LLVMSub, own, behind, &instruction.name());
                Lanes::Strided { first, step }
            }
            _ => {
                let first = self.clone_with(b, instruction, &first_of_each(inputs));
                // In a divided block lane 0 need not be active: its value must not be poison because of a flag that only
                // holds for lanes that are.
                if self.mask != self.base {
                    first.drop_poison_flags();
                }
                Lanes::Strided { first, step }
            }
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
        let Some(range) = self.frame.ranges.of(cut.operand(0)) else { return };
        if range.is_in(Range::signed(bits)) {
            copy.set_no_signed_wrap();
        }
        if range.is_in(Range::unsigned(bits)) {
            copy.set_no_unsigned_wrap();
        }
    }

    /// The answer to a query, for all lanes.
    fn query(&mut self, b: &Builder<'c>, call: Value<'c>, query: Query) -> Result<Lanes<'c>, FormError> {
        let frame = self.frame;
        let dimension = match call.arguments().first() {
            Some(&dimension) => match self.value(b, dimension)? {
                Lanes::One(dimension) if self.form(call) != Form::Vector => Some(dimension),
                lanes => return Ok(self.query_by_lane(b, query, &lanes)),
            },
            None => None,
        };
        if let Query::SubGroupLane | Query::SubGroupNumber = query {
            return Ok(self.place_in_sub_groups(b, call, query));
        }
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
            _ => frame.query_for_group(b, query, dimension),
        };
        Ok(match self.form(call) {
            Form::Strided(step) => Lanes::Strided { first, step },
            _ => Lanes::One(first),
        })
    }

    /// A work-item's place in its sub-group, or its sub-group's number in the group.
    fn place_in_sub_groups(&self, b: &Builder<'c>, call: Value<'c>, query: Query) -> Lanes<'c> {
        let size = i64::from(self.frame.sub_group_size);
        let place = |linear: Value<'c>, last: Value<'c>, bits: Value<'c>| match query {
            Query::SubGroupLane => b.and(linear, last, "lane"),
            _ => b.binary(Opcode::LLVMLShr, linear, bits, "sub.group"),
        };
        let (linear, last, bits) =
            (self.ids.linear, b.i64(size - 1), b.i64(i64::from(self.frame.sub_group_size.ilog2())));
        match self.form(call) {
            Form::Uniform => Lanes::One(place(linear, last, bits)),
            // Lanes that are a sub-group begin with its first work-item.
            Form::Strided(step) => Lanes::Strided { first: b.i64(0), step },
            Form::Vector => {
                let width = self.width();
                let all = |value: Value<'c>| b.splat(value, width, "");
                Lanes::Each(vec![place(spread(b, linear, 1, width), all(last), all(bits))])
            }
        }
    }

    /// The answer to a query about a dimension that is not known here, or not the same for all lanes.
    fn query_by_lane(&self, b: &Builder<'c>, query: Query, dimension: &Lanes<'c>) -> Lanes<'c> {
        let (frame, width) = (self.frame, self.width());
        let asked = widen(b, dimension, width)[0];
        let mut chosen = b.splat(b.i64(query.beyond()), width, "");
        for (d, number) in (0..3).zip(0_i64..) {
            let (first, step) = match query {
                Query::LocalId => (self.ids.local[d], i64::from(d == 0)),
                Query::GlobalId => {
                    (b.add_no_wrap(frame.ids.first[d], self.ids.local[d], ""), i64::from(d == 0))
                }
                _ => (frame.query_for_group(b, query, Some(b.i64(number))), 0),
            };
            let here = b.compare(IntPredicate::LLVMIntEQ, asked, asked.ty().int(number), "");
            chosen = b.select(here, spread(b, first, step, width), chosen, "");
        }
        Lanes::Each(vec![chosen])
    }

    /// An instruction whose lanes differ: one operation for each component. `None` where [`is_componentwise`] says that
    /// there are no such operations.
    fn each(
        &self,
        b: &Builder<'c>,
        instruction: Value<'c>,
        operands: &[Value<'c>],
        inputs: &[Lanes<'c>],
        width: u32,
    ) -> Option<Lanes<'c>> {
        let opcode = instruction.opcode()?;
        let wide = |index: usize| widen(b, &inputs[index], width);
        let name = instruction.name();
        let made: Vec<Value<'c>> = match opcode {
            _ if by_floating(instruction).is_some() => {
                let one = quotients::same_for_all(&inputs[1]);
                let pairs = wide(0).into_iter().zip(wide(1));
                pairs.map(|(left, right)| quotients::divide(b, opcode, left, right, one, width)).collect()
            }
            _ if long_divisor(instruction).is_some() => {
                let by = long_divisor(instruction)?;
                wide(0).into_iter().map(|left| long_quotients::divide(b, opcode, left, by, width)).collect()
            }
            _ if instruction.is_binary_operation() => {
                let right = self.safe_divisors(b, instruction, wide(1));
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
            Opcode::LLVMSelect => self.select(b, instruction, inputs, width),
            Opcode::LLVMBitCast => self.reinterpret(b, instruction, operands[0], &wide(0))?,
            _ if instruction.is_conversion() => {
                let to = instruction.ty().scalar().vector(width);
                wide(0)
                    .into_iter()
                    .map(|value| flagged(b.cast(opcode, value, to, &name), instruction))
                    .collect()
            }
            Opcode::LLVMGetElementPtr if instruction.ty().is_scalar() => {
                let element = instruction.gep_element()?;
                let base = narrow_or_wide(b, &inputs[0], width);
                let indices: Vec<_> =
                    inputs[1..].iter().map(|index| narrow_or_wide(b, index, width)).collect();
                vec![b.gep(element, base, &indices, instruction.gep_flags(), &name)]
            }
            Opcode::LLVMExtractElement => vec![choose_component(b, &wide(0), &inputs[1], width)],
            Opcode::LLVMInsertElement => insert_component(b, wide(0), wide(1)[0], &inputs[2], width),
            Opcode::LLVMShuffleVector => {
                let parts: Vec<_> = wide(0).into_iter().chain(wide(1)).collect();
                let poison = instruction.ty().scalar().vector(width).poison();
                let from =
                    |index: i32| usize::try_from(index).ok().and_then(|index| parts.get(index).copied());
                instruction.shuffle_mask().into_iter().map(|index| from(index).unwrap_or(poison)).collect()
            }
            Opcode::LLVMExtractValue => {
                let (before, ty) = component_of(operands[0].ty(), &instruction.indices())?;
                let count = components(ty).map_or(0, |parts| parts.len());
                wide(0).into_iter().skip(before).take(count).collect()
            }
            Opcode::LLVMInsertValue => {
                let (before, _) = component_of(operands[0].ty(), &instruction.indices())?;
                let mut whole = wide(0);
                for (place, part) in whole.iter_mut().skip(before).zip(wide(1)) {
                    *place = part;
                }
                whole
            }
            Opcode::LLVMCall => self.lanewise_call(b, instruction, inputs, width)?,
            _ => return None,
        };
        Some(Lanes::Each(made))
    }

    /// Lanes that are not active divide by 1: whatever they hold, they must not trap. Constants that nothing traps with stay
    /// what they are, for LLVM divides by a constant without a division.
    fn safe_divisors(
        &self,
        b: &Builder<'c>,
        division: Value<'c>,
        divisors: Vec<Value<'c>>,
    ) -> Vec<Value<'c>> {
        let divides = matches!(
            division.opcode(),
            Some(Opcode::LLVMSDiv | Opcode::LLVMUDiv | Opcode::LLVMSRem | Opcode::LLVMURem)
        );
        let safe = |number: i64| number != 0 && number != -1;
        match self.mask {
            Some(mask) if divides && !division.operand(1).as_int().is_some_and(safe) => divisors
                .into_iter()
                .map(|divisor| b.select(mask, divisor, divisor.ty().int(1), "divisor"))
                .collect(),
            _ => divisors,
        }
    }

    fn select(
        &self,
        b: &Builder<'c>,
        instruction: Value<'c>,
        inputs: &[Lanes<'c>],
        width: u32,
    ) -> Vec<Value<'c>> {
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
        width: u32,
    ) -> Option<Vec<Value<'c>>> {
        let base = lanewise(call)?;
        let vector_of = |value: Value<'c>| value.ty().scalar().vector(width);
        let (result, operands) = (call.ty().scalar().vector(width), call.arguments());
        let overload = match base {
            "llvm.is.fpclass" => vec![vector_of(operands[0])],
            "llvm.fptosi.sat" | "llvm.fptoui.sat" => vec![result, vector_of(operands[0])],
            "llvm.ldexp" => vec![result, vector_of(operands[1])],
            _ => vec![result],
        };
        let columns: Vec<Vec<Value<'c>>> = inputs
            .iter()
            .enumerate()
            .map(|(index, lanes)| match lanes {
                // The flag of `abs`, `ctlz` and `cttz`, and the classes that are asked for: a constant, not a lane.
                Lanes::One(flag) if flag.ty() == b.types().bool() => vec![*flag],
                Lanes::One(classes) if base == "llvm.is.fpclass" && index == 1 => vec![*classes],
                lanes => widen(b, lanes, width),
            })
            .collect();
        let count = columns.iter().map(Vec::len).max()?;
        (0..count)
            .map(|index| {
                let row: Vec<Value<'c>> = columns
                    .iter()
                    .filter_map(|column| column.get(index).or(column.first()).copied())
                    .collect();
                let made = b.intrinsic(base, &overload, &row, &call.name())?;
                Some(flagged(made, call))
            })
            .collect()
    }
}

/// The intrinsic that a call is of, if it works lane by lane.
fn lanewise(call: Value<'_>) -> Option<&'static str> {
    let name = call.callee()?.name();
    let is = |base: &&str| name.strip_prefix(base).is_some_and(|rest| rest.starts_with('.'));
    LANEWISE.iter().copied().find(is)
}

/// Whether an instruction without effects can be made by one operation for each component.
pub(crate) fn is_componentwise(instruction: Value<'_>) -> bool {
    let has_components = |ty: Type<'_>| components(ty).is_some();
    let all =
        || has_components(instruction.ty()) && instruction.operands().iter().all(|v| has_components(v.ty()));
    match instruction.opcode() {
        Some(Opcode::LLVMCall) => has_components(instruction.ty()) && lanewise(instruction).is_some(),
        Some(Opcode::LLVMGetElementPtr) => {
            instruction.ty().is_scalar() && instruction.gep_element().is_some()
        }
        Some(Opcode::LLVMExtractValue | Opcode::LLVMInsertValue) => {
            all() && component_of(instruction.operand(0).ty(), &instruction.indices()).is_some()
        }
        Some(
            Opcode::LLVMFNeg
            | Opcode::LLVMFreeze
            | Opcode::LLVMICmp
            | Opcode::LLVMFCmp
            | Opcode::LLVMSelect
            | Opcode::LLVMExtractElement
            | Opcode::LLVMInsertElement
            | Opcode::LLVMShuffleVector,
        ) => all(),
        _ => (instruction.is_binary_operation() || instruction.is_conversion()) && all(),
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
