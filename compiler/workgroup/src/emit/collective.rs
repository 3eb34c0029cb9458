//! Operations among lanes that are the work-items of a sub-group.
//!
//! In: a call of an operation (`collectives.rs`) and its arguments. Out: what it gives to each lane, made of shuffles: numbers are
//! combined as a tree, in the order in which the library's functions for one work-item at a time combine them, and a lane
//! that is off counts as the operation's identity.

use super::items::RegionEmitter;
use super::lanes::{Lanes, join, pick, widen};
use crate::collectives::{Collective, Combine};
use crate::plan::Form;
use oxcl_ir::{Builder, IntPredicate, Opcode, RealPredicate, Type, TypeKind, Value};

impl<'c> RegionEmitter<'_, '_, 'c> {
    /// Makes an operation.
    pub(super) fn collective(
        &self,
        b: &Builder<'c>,
        call: Value<'c>,
        inputs: &[Lanes<'c>],
    ) -> Option<Lanes<'c>> {
        let made = match Collective::of(call)? {
            Collective::Votes => Lanes::One(self.votes(b, &inputs[0])),
            Collective::Pick => {
                let lane = self.chosen_lane(b, &inputs[1]);
                Lanes::One(pick(b, &inputs[0], call.ty(), lane))
            }
            Collective::Take => self.take(b, call, &inputs[0], &inputs[1]),
            Collective::Reduce { by, cluster } => {
                self.reduce(b, &self.numbers(b, &inputs[0], by), by, cluster.min(self.width()))
            }
            Collective::Inclusive(by) => {
                Lanes::Each(vec![self.inclusive(b, &self.numbers(b, &inputs[0], by), by)])
            }
            Collective::Exclusive(by) => {
                let numbers = self.numbers(b, &inputs[0], by);
                let all = self.inclusive(b, &numbers, by);
                let before = b.splat(numbers.identity, self.width(), "");
                let order = self.order(|lane| if lane == 0 { self.width() } else { lane - 1 });
                Lanes::Each(vec![b.shuffle(all, before, &order, &call.name())])
            }
        };
        Some(match (self.form(call), made) {
            (Form::Vector, Lanes::One(value)) => Lanes::Each(widen(b, &Lanes::One(value), self.width())),
            (_, made) => made,
        })
    }

    /// The order of a shuffle: for each lane the one that it takes; those of the second operand follow those of the first.
    fn order(&self, from: impl Fn(u32) -> u32) -> Vec<i32> {
        (0..self.width()).map(|lane| from(lane).cast_signed()).collect()
    }

    /// A bit for each lane at work whose condition is not 0, in 64 bits.
    fn votes(&self, b: &Builder<'c>, condition: &Lanes<'c>) -> Value<'c> {
        let asked = widen(b, condition, self.width())[0];
        let holds = b.compare(IntPredicate::LLVMIntNE, asked, asked.ty().zero(), "holds");
        let counted = self.mask.map_or(holds, |mask| b.and(holds, mask, ""));
        let bits = self.packed(b, counted);
        if self.width() == 64 { bits } else { b.cast(Opcode::LLVMZExt, bits, b.types().i64(), "votes") }
    }

    /// The one lane that all lanes at work name, in 64 bits.
    fn chosen_lane(&self, b: &Builder<'c>, named: &Lanes<'c>) -> Value<'c> {
        let lane = match (named, self.mask) {
            (Lanes::One(lane), _) => *lane,
            (lanes, mask) => {
                let first = mask.map_or(b.i64(0), |mask| self.first_lane(b, mask));
                let vector = widen(b, lanes, self.width())[0];
                b.extract_lane(vector, first, "")
            }
        };
        b.and(to_64_bits(b, lane), b.i64(i64::from(self.width()) - 1), "lane")
    }

    /// What the lanes that `from` names have.
    fn take(&self, b: &Builder<'c>, call: Value<'c>, value: &Lanes<'c>, from: &Lanes<'c>) -> Lanes<'c> {
        match (value, from) {
            (Lanes::One(value), _) => Lanes::One(*value),
            (value, Lanes::One(_)) => Lanes::One(pick(b, value, call.ty(), self.chosen_lane(b, from))),
            (value, from) => {
                let named = widen(b, from, self.width())[0];
                let last = named.ty().scalar().int(i64::from(self.width()) - 1);
                let named = b.and(named, b.splat(last, self.width(), ""), "from");
                let parts = widen(b, value, self.width());
                Lanes::Each(parts.into_iter().map(|part| self.permute(b, part, named)).collect())
            }
        }
    }

    /// The elements of a vector that a vector of 32-bit numbers less than W names.
    fn permute(&self, b: &Builder<'c>, vector: Value<'c>, named: Value<'c>) -> Value<'c> {
        let width = self.width();
        let known: Option<Vec<i32>> = (0..width)
            .map(|lane| {
                i32::try_from(named.is_constant().then(|| named.constant_element(lane))??.as_int()?).ok()
            })
            .collect();
        if let Some(order) = known {
            return b.shuffle(vector, vector.ty().poison(), &order, "");
        }
        let Some(lanes) = self.permuted_at_once() else { return self.pick_each(b, vector, named) };
        let (ty, i32_type) = (vector.ty(), b.types().i32());
        match self.frame.kernel.layout.size(ty.scalar()) {
            4 => {
                let words = b.cast(Opcode::LLVMBitCast, vector, i32_type.vector(width), "");
                let moved = permute_words(b, words, named, width, lanes);
                b.cast(Opcode::LLVMBitCast, moved, ty, "")
            }
            8 => {
                let words = b.cast(Opcode::LLVMBitCast, vector, i32_type.vector(2 * width), "");
                let half = |odd: i32| {
                    let order: Vec<i32> = (0..width).map(|lane| 2 * lane.cast_signed() + odd).collect();
                    let own = b.shuffle(words, words.ty().poison(), &order, "");
                    permute_words(b, own, named, width, lanes)
                };
                let (low, high) = (half(0), half(1));
                let order: Vec<i32> =
                    (0..2 * width).map(|at| (at / 2 + at % 2 * width).cast_signed()).collect();
                b.cast(Opcode::LLVMBitCast, b.shuffle(low, high, &order, ""), ty, "")
            }
            bytes => {
                let bits = b.types().int(8 * u32::try_from(bytes).unwrap_or(1)).vector(width);
                let numbers = b.cast(Opcode::LLVMBitCast, vector, bits, "");
                let words = b.cast(Opcode::LLVMZExt, numbers, i32_type.vector(width), "");
                let moved = permute_words(b, words, named, width, lanes);
                let back = b.cast(Opcode::LLVMTrunc, moved, bits, "");
                b.cast(Opcode::LLVMBitCast, back, ty, "")
            }
        }
    }

    /// How many words an instruction of the target puts into an order that registers say; none if there is no such instruction.
    fn permuted_at_once(&self) -> Option<u32> {
        let target = self.frame.target;
        let vectors = target.vectors;
        let most = match vectors.bits {
            _ if !target.triple.starts_with("x86_64") || !vectors.gathers => return None,
            512.. => 16,
            256.. => 8,
            _ => return None,
        };
        (self.width() >= 8).then(|| self.width().min(most))
    }

    /// The same, element by element.
    fn pick_each(&self, b: &Builder<'c>, vector: Value<'c>, named: Value<'c>) -> Value<'c> {
        (0..i64::from(self.width())).fold(vector.ty().poison(), |made, lane| {
            let element = b.extract_lane(vector, b.extract_lane(named, b.i64(lane), ""), "");
            b.insert_lane(made, element, b.i64(lane), "")
        })
    }

    /// The numbers to combine: the identity for lanes that are off.
    fn numbers(&self, b: &Builder<'c>, value: &Lanes<'c>, by: Combine) -> Numbers<'c> {
        let width = self.width();
        let given = widen(b, value, width)[0];
        let given = if is_logical(by) {
            let holds = b.compare(IntPredicate::LLVMIntNE, given, given.ty().zero(), "");
            b.cast(Opcode::LLVMZExt, holds, given.ty(), "")
        } else {
            given
        };
        let identity = identity(b, given.ty().scalar(), by);
        let lanes = match self.mask {
            Some(mask) => b.select(mask, given, b.splat(identity, width, ""), "given"),
            None => given,
        };
        Numbers { lanes, identity }
    }

    /// The numbers of each cluster as one.
    fn reduce(&self, b: &Builder<'c>, numbers: &Numbers<'c>, by: Combine, cluster: u32) -> Lanes<'c> {
        let mut all = numbers.lanes;
        let mut step = cluster / 2;
        while step > 0 {
            let order = self.order(|lane| lane ^ step);
            let other = b.shuffle(all, all.ty().poison(), &order, "");
            all = combine(b, by, all, other);
            step /= 2;
        }
        if cluster == self.width() {
            return Lanes::One(b.extract_lane(all, b.i64(0), "all"));
        }
        // The order of two operands can be seen in zeros: the first lane's counts.
        let order = self.order(|lane| lane & !(cluster - 1));
        Lanes::Each(vec![b.shuffle(all, all.ty().poison(), &order, "all")])
    }

    /// The numbers up to each lane as one.
    fn inclusive(&self, b: &Builder<'c>, numbers: &Numbers<'c>, by: Combine) -> Value<'c> {
        let mut all = numbers.lanes;
        let mut step = 1;
        while step < self.width() {
            let behind = self.order(|lane| lane.saturating_sub(step));
            let before = b.shuffle(all, all.ty().poison(), &behind, "");
            let combined = combine(b, by, before, all);
            let blend = self.order(|lane| if lane < step { lane } else { self.width() + lane });
            all = b.shuffle(all, combined, &blend, "");
            step *= 2;
        }
        all
    }
}

/// Numbers of lanes to combine.
struct Numbers<'c> {
    lanes: Value<'c>,
    identity: Value<'c>,
}

/// Puts 32-bit words in the order that `named` says, `lanes` of them at a time.
fn permute_words<'c>(
    b: &Builder<'c>,
    words: Value<'c>,
    named: Value<'c>,
    width: u32,
    lanes: u32,
) -> Value<'c> {
    let intrinsic = if lanes == 16 { "llvm.x86.avx512.permvar.si.512" } else { "llvm.x86.avx2.permd" };
    let pieces = width / lanes;
    let piece = |of: Value<'c>, number: u32| {
        let order: Vec<i32> = (0..lanes).map(|lane| (number * lanes + lane).cast_signed()).collect();
        if pieces == 1 { of } else { b.shuffle(of, of.ty().poison(), &order, "") }
    };
    let made: Vec<Value<'c>> = (0..pieces)
        .map(|number| {
            let from = piece(named, number);
            let mut taken = words.ty().scalar().vector(lanes).poison();
            for source in 0..pieces {
                let Some(moved) = b.intrinsic(intrinsic, &[], &[piece(words, source), from], "") else {
                    continue;
                };
                let scalar = from.ty().scalar();
                let first = b.splat(scalar.int(i64::from(source * lanes)), lanes, "");
                let is_here = b.compare(IntPredicate::LLVMIntUGE, from, first, "");
                taken = if source == 0 { moved } else { b.select(is_here, moved, taken, "") };
            }
            taken
        })
        .collect();
    join(b, &made, lanes)
}

fn is_logical(by: Combine) -> bool {
    matches!(by, Combine::LogicalAnd | Combine::LogicalOr | Combine::LogicalExclusiveOr)
}

fn to_64_bits<'c>(b: &Builder<'c>, number: Value<'c>) -> Value<'c> {
    match number.ty().kind() {
        TypeKind::Int(64) => number,
        _ => b.cast(Opcode::LLVMZExt, number, b.types().i64(), ""),
    }
}

/// What changes nothing when it is combined with a number of a type; for sums of floating-point numbers a zero without a sign.
fn identity<'c>(b: &Builder<'c>, ty: Type<'c>, by: Combine) -> Value<'c> {
    let TypeKind::Int(bits) = ty.kind() else { return identity_of_float(b, ty, by) };
    let most = if bits == 64 { i64::MAX } else { (1 << (bits - 1)) - 1 };
    ty.int(match by {
        Combine::Add
        | Combine::Or
        | Combine::ExclusiveOr
        | Combine::LogicalOr
        | Combine::LogicalExclusiveOr
        | Combine::Maximum { unsigned: true } => 0,
        Combine::Multiply | Combine::LogicalAnd => 1,
        Combine::And | Combine::Minimum { unsigned: true } => -1,
        Combine::Minimum { unsigned: false } => most,
        Combine::Maximum { unsigned: false } => -most - 1,
    })
}

fn identity_of_float<'c>(b: &Builder<'c>, ty: Type<'c>, by: Combine) -> Value<'c> {
    let types = b.types();
    // The bits of 1 and of infinity.
    let (bits, one, infinity): (u32, u64, u64) = if ty == types.double() {
        (64, 0x3ff0_0000_0000_0000, 0x7ff0_0000_0000_0000)
    } else if ty == types.float() {
        (32, 0x3f80_0000, 0x7f80_0000)
    } else {
        (16, 0x3c00, 0x7c00)
    };
    let sign = 1_u64 << (bits - 1);
    let pattern = match by {
        Combine::Multiply => one,
        Combine::Minimum { .. } => infinity,
        Combine::Maximum { .. } => infinity | sign,
        _ => 0,
    };
    b.cast(Opcode::LLVMBitCast, types.int(bits).int(pattern.cast_signed()), ty, "")
}

/// Two numbers as one, in each lane.
fn combine<'c>(b: &Builder<'c>, by: Combine, left: Value<'c>, right: Value<'c>) -> Value<'c> {
    let is_int = matches!(left.ty().scalar().kind(), TypeKind::Int(_));
    let opcode = match by {
        Combine::Add if is_int => Opcode::LLVMAdd,
        Combine::Add => Opcode::LLVMFAdd,
        Combine::Multiply if is_int => Opcode::LLVMMul,
        Combine::Multiply => Opcode::LLVMFMul,
        Combine::And | Combine::LogicalAnd => Opcode::LLVMAnd,
        Combine::Or | Combine::LogicalOr => Opcode::LLVMOr,
        Combine::ExclusiveOr | Combine::LogicalExclusiveOr => Opcode::LLVMXor,
        Combine::Minimum { unsigned } | Combine::Maximum { unsigned } => {
            let (less, more) = match by {
                Combine::Minimum { .. } => (right, left),
                _ => (left, right),
            };
            let takes_right = if is_int {
                let predicate = if unsigned { IntPredicate::LLVMIntULT } else { IntPredicate::LLVMIntSLT };
                b.compare(predicate, less, more, "")
            } else {
                b.compare_float(RealPredicate::LLVMRealOLT, less, more, "")
            };
            return b.select(takes_right, right, left, "");
        }
    };
    b.binary(opcode, left, right, "")
}
