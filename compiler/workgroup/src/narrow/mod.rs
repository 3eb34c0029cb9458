//! Narrow lanes: arithmetic on what bytes and shorts hold, in as many bits as its numbers take.
//!
//! In: a prepared kernel that lanes may run. C computes with bytes in 32 bits, so a vector holds a quarter of the numbers that
//! it could. Out: the same kernel in which chains of operations are done in 8, 16 or 32 bits where that gives the same results:
//! where ranges show that a number fits, or where only its low bits are asked for. What needs a number in full extends it.
//!
//! A *member* is an instruction that is done in fewer bits. Its operands are members, constants, arguments, or conversions from
//! no more bits. Members that hang together are a *chain*; one is made narrow if that saves more than the conversions at its end
//! cost ([`Chains`]), by [`rewrite`]. No chain is made of ids alone: those are addresses mostly, whose lanes need no vectors.
//!
//! Not done: OpenCL's own vectors; loops whose carried numbers have no known range.

mod rewrite;

use crate::FormError;
use crate::emit::by_floating;
use crate::plan::choose::LARGEST_PREPARED;
use crate::prepare::Prepared;
use crate::workitem::range_of_any;
use oxcl_ir::cfg::Cfg;
use oxcl_ir::module as ir_module;
use oxcl_ir::range::{Range, Ranges};
use oxcl_ir::{Function, Opcode, TypeKind, Value};
use std::collections::HashMap;

/// A chain must save so many times what the conversions at its end take: those cross from one half of a register to another.
const WORTH: f64 = 1.5;

/// Only now are some operations seen to do nothing: the greater one of `x / y` and `x` is `x`, if these are numbers without a sign.
/// The PHI nodes at loop exits, which this folds away, are made again.
const SIMPLIFY: &str = "function(instsimplify,lcssa)";

/// Makes the chains of a kernel narrow.
///
/// # Errors
/// LLVM's failure in a pass.
pub(crate) fn narrow(kernel: &Prepared<'_, '_>) -> Result<(), FormError> {
    if kernel.function.instructions().len() <= LARGEST_PREPARED && make_narrow(kernel.function) {
        ir_module::run_passes(kernel.module, SIMPLIFY)?;
    }
    Ok(())
}

/// Gives whether there was any chain.
fn make_narrow(kernel: Function<'_>) -> bool {
    let mut any = false;
    // What ends a chain in few bits may be in the middle of one in more.
    for bits in [8, 16, 32] {
        let begins =
            |&value: &Value<'_>| own_bits(value).is_some_and(|own| own > bits) && is_short(value, bits);
        if !kernel.instructions().iter().any(begins) {
            continue;
        }
        let cfg = Cfg::of(kernel);
        let ranges = Ranges::new(&range_of_any);
        let mut search = Search { bits, ranges, members: HashMap::new(), order: Vec::new() };
        search.find(&cfg);
        let kept = Chains::of(&search).kept(&search);
        if !kept.is_empty() {
            rewrite::rewrite(kernel, &search, &kept);
            any = true;
        }
    }
    any
}

/// How the low bits of a number give it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fit {
    /// By its sign.
    signed: bool,
    /// By zeros.
    unsigned: bool,
}

impl Fit {
    const ALL: Fit = Fit { signed: true, unsigned: true };

    fn of(range: Range, bits: u32) -> Fit {
        Fit { signed: range.is_in(Range::signed(bits)), unsigned: range.is_in(Range::unsigned(bits)) }
    }

    fn and(self, other: Fit) -> Fit {
        Fit { signed: self.signed && other.signed, unsigned: self.unsigned && other.unsigned }
    }

    /// Whether the low bits are all that there is.
    fn is_whole(self) -> bool {
        self.signed || self.unsigned
    }
}

/// What an instruction asks of its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asks {
    /// Low bits of the result come of low bits of the operands.
    LowBits,
    /// The numbers, which must fit in one of these ways.
    Numbers(Fit),
}

/// The bits of a scalar integer of more than one and at most 64.
fn own_bits(value: Value<'_>) -> Option<u32> {
    match value.ty().kind() {
        TypeKind::Int(bits @ 2..=64) => Some(bits),
        _ => None,
    }
}

/// A conversion to more bits from at most so many, and not from a condition.
fn is_short(value: Value<'_>, bits: u32) -> bool {
    extended_from(value).is_some_and(|from| (2..=bits).contains(&from))
}

/// The bits that a conversion to more begins with.
fn extended_from(value: Value<'_>) -> Option<u32> {
    match (value.opcode()?, value.operand(0).ty().kind()) {
        (Opcode::LLVMZExt | Opcode::LLVMSExt, TypeKind::Int(from)) if value.is_instruction() => Some(from),
        _ => None,
    }
}

/// LLVM's intrinsic that a call is of, for the least and the greatest of two numbers.
fn least_or_greatest(call: Value<'_>) -> Option<&'static str> {
    let name = call.callee()?.name();
    let is = |base: &&str| name.strip_prefix(base).is_some_and(|rest| rest.starts_with('.'));
    ["llvm.smin", "llvm.smax", "llvm.umin", "llvm.umax"].into_iter().find(is)
}

/// Whether a call is of LLVM's intrinsic for the absolute number.
fn is_absolute(call: Value<'_>) -> bool {
    call.callee().is_some_and(|callee| callee.name().starts_with("llvm.abs."))
}

/// What could be done in fewer bits.
struct Search<'a, 'c> {
    bits: u32,
    ranges: Ranges<'a, 'c>,
    /// The members, and how they fit.
    members: HashMap<Value<'c>, Fit>,
    /// The same, every one behind what it is made of, but for PHI nodes.
    order: Vec<Value<'c>>,
}

impl<'c> Search<'_, 'c> {
    /// Finds all members: whatever could be one, without what turns out not to be.
    fn find(&mut self, cfg: &Cfg<'c>) {
        for &block in &cfg.order {
            for value in cfg.blocks[block].instructions() {
                let wide = own_bits(value).is_some_and(|own| own > self.bits);
                if wide && self.asks(value).is_some() {
                    let fit = self.ranges.of(value).map(|range| Fit::of(range, self.bits));
                    self.members.insert(value, fit.unwrap_or(Fit { signed: false, unsigned: false }));
                    self.order.push(value);
                }
            }
        }
        loop {
            let out: Vec<Value<'c>> =
                self.order.iter().copied().filter(|&value| !self.belongs(value)).collect();
            if out.is_empty() {
                return;
            }
            for value in &out {
                self.members.remove(value);
            }
            self.order.retain(|value| self.members.contains_key(value));
        }
    }

    /// Whether a member is one as things stand.
    fn belongs(&self, value: Value<'c>) -> bool {
        self.operands(value).is_some()
            && (self.members[&value].is_whole() || value.users().into_iter().all(|user| self.cuts(user)))
    }

    /// Whether a user of a member takes its low bits alone.
    fn cuts(&self, user: Value<'c>) -> bool {
        if user.is(Opcode::LLVMTrunc) {
            return matches!(user.ty().kind(), TypeKind::Int(bits) if bits <= self.bits);
        }
        self.members.contains_key(&user) && self.asks(user) == Some(Asks::LowBits)
    }

    /// What an instruction asks of its operands where it is done in fewer bits; none where it cannot be.
    fn asks(&self, value: Value<'c>) -> Option<Asks> {
        // Bytes have no divisions by constants and no shifts by signs.
        let long = self.bits > 8;
        let by = |most: i64| value.operand(1).as_int().is_some_and(|number| (0..most).contains(&number));
        let numbers = |signed: bool, unsigned: bool| Some(Asks::Numbers(Fit { signed, unsigned }));
        match value.opcode()? {
            Opcode::LLVMSelect | Opcode::LLVMPHI | Opcode::LLVMFreeze => Some(Asks::LowBits),
            _ if asks_low_bits(value) => Some(Asks::LowBits),
            Opcode::LLVMShl if by(i64::from(self.bits)) => Some(Asks::LowBits),
            Opcode::LLVMLShr if by(i64::from(self.bits)) => numbers(false, true),
            Opcode::LLVMAShr if by(i64::from(self.bits)) => numbers(long, true),
            Opcode::LLVMUDiv | Opcode::LLVMURem if long && self.is_small_divisor(value) => {
                numbers(false, true)
            }
            Opcode::LLVMSDiv | Opcode::LLVMSRem if long && self.is_small_divisor(value) => {
                numbers(true, true)
            }
            // By floating numbers; with a sign, the lowest number by -1 would have no quotient.
            Opcode::LLVMUDiv | Opcode::LLVMURem | Opcode::LLVMSDiv | Opcode::LLVMSRem
                if by_floating(value).is_some() =>
            {
                numbers(false, true)
            }
            Opcode::LLVMCall if least_or_greatest(value).is_some() => numbers(true, true),
            Opcode::LLVMCall if is_absolute(value) => numbers(true, false),
            Opcode::LLVMICmp => numbers(true, true),
            _ => None,
        }
    }

    /// Whether a division is by a positive constant of the bits at hand.
    fn is_small_divisor(&self, division: Value<'c>) -> bool {
        let divisor = division.operand(1).as_int().map(i128::from);
        divisor.is_some_and(|divisor| divisor > 0 && divisor <= Range::signed(self.bits).high)
    }

    /// The operands that an instruction takes in fewer bits, and how these fit together; none where it cannot take them.
    fn operands(&self, value: Value<'c>) -> Option<(Vec<Value<'c>>, Fit)> {
        let taken = match value.opcode()? {
            Opcode::LLVMPHI => value.incoming().into_iter().map(|(value, _)| value).collect(),
            Opcode::LLVMSelect => vec![value.operand(1), value.operand(2)],
            // The second operand is a constant, which is as small.
            Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAShr => vec![value.operand(0)],
            Opcode::LLVMCall if is_absolute(value) => vec![value.operand(0)],
            Opcode::LLVMCall => value.arguments(),
            _ => value.operands(),
        };
        let mut together = Fit::ALL;
        for &operand in &taken {
            together = together.and(self.fit(operand)?);
        }
        match self.asks(value)? {
            Asks::LowBits => Some((taken, together)),
            Asks::Numbers(fit) => {
                let together = together.and(fit);
                together.is_whole().then_some((taken, together))
            }
        }
    }

    /// How an operand fits that is there in fewer bits, or can be for nothing.
    fn fit(&self, value: Value<'c>) -> Option<Fit> {
        if let Some(constant) = value.as_int() {
            return Some(Fit::of(Range::just(i128::from(constant)), self.bits));
        }
        if let Some(&fit) = self.members.get(&value) {
            return Some(fit);
        }
        if value.is_parameter() && own_bits(value).is_some() {
            return Some(Fit { signed: false, unsigned: false });
        }
        extended_from(value).filter(|&from| from <= self.bits)?;
        self.ranges.of(value).map(|range| Fit::of(range, self.bits))
    }

    /// Whether a comparison can be done in fewer bits, of which at least one side is a member.
    fn is_comparison(&self, value: Value<'c>) -> bool {
        value.is(Opcode::LLVMICmp)
            && value.operands().iter().any(|operand| self.members.contains_key(operand))
            && self.operands(value).is_some()
    }

    /// Whether a user takes a member as it is in fewer bits, so that nothing has to be extended for it.
    fn takes(&self, user: Value<'c>, is_member: impl Fn(Value<'c>) -> bool) -> bool {
        let cut = user.is(Opcode::LLVMTrunc)
            && matches!(user.ty().kind(), TypeKind::Int(bits) if bits <= self.bits);
        cut || is_member(user) || self.is_comparison(user)
    }

    /// What an instruction takes in its own bits, in operations on whole registers.
    fn weight(value: Value<'c>) -> f64 {
        match value.opcode() {
            Some(Opcode::LLVMPHI | Opcode::LLVMFreeze) => 0.0,
            Some(Opcode::LLVMMul) => 2.0,
            Some(Opcode::LLVMUDiv | Opcode::LLVMSDiv | Opcode::LLVMURem | Opcode::LLVMSRem) => 6.0,
            _ => 1.0,
        }
    }
}

/// Members that hang together: all of a chain are done in fewer bits, or none.
struct Chains<'c> {
    numbers: HashMap<Value<'c>, usize>,
    /// The number of a chain that this one is part of, or its own.
    parents: Vec<usize>,
}

impl<'c> Chains<'c> {
    fn of(search: &Search<'_, 'c>) -> Self {
        let numbers = search.order.iter().enumerate().map(|(number, &value)| (value, number)).collect();
        let mut chains = Chains { numbers, parents: (0..search.order.len()).collect() };
        for &value in &search.order {
            for user in value.users() {
                if chains.numbers.contains_key(&user) {
                    chains.join(value, user);
                } else if search.is_comparison(user) {
                    for other in user.operands() {
                        chains.join(value, other);
                    }
                }
            }
        }
        chains
    }

    fn join(&mut self, one: Value<'c>, other: Value<'c>) {
        if let (Some(one), Some(other)) = (self.chain(one), self.chain(other)) {
            self.parents[one.max(other)] = one.min(other);
        }
    }

    /// The chain of a member.
    fn chain(&self, value: Value<'c>) -> Option<usize> {
        let mut number = *self.numbers.get(&value)?;
        while self.parents[number] != number {
            number = self.parents[number];
        }
        Some(number)
    }

    /// The members of all chains that are worth it.
    fn kept(&self, search: &Search<'_, 'c>) -> HashMap<Value<'c>, Fit> {
        let mut saved = vec![0.0; self.parents.len()];
        let mut spent = vec![0.0; self.parents.len()];
        let mut has_loaded = vec![false; self.parents.len()];
        let share =
            |value: Value<'c>, bits: u32| 1.0 - f64::from(bits) / f64::from(own_bits(value).unwrap_or(bits));
        let is_member = |value: Value<'c>| search.members.contains_key(&value);
        let mut seen = Vec::new();
        for &value in &search.order {
            let Some(chain) = self.chain(value) else { continue };
            saved[chain] += Search::weight(value) * share(value, search.bits);
            for user in value.users() {
                if user.is(Opcode::LLVMTrunc) || search.is_comparison(user) {
                    saved[chain] += share(value, search.bits) / 2.0;
                }
            }
            if value.users().into_iter().any(|user| !search.takes(user, is_member)) {
                spent[chain] += 1.0;
            }
            let operands = search.operands(value).map_or_else(Vec::new, |(operands, _)| operands);
            for operand in operands {
                let Some(from) = extended_from(operand) else { continue };
                has_loaded[chain] |= from > 1;
                if seen.contains(&operand) {
                    continue;
                }
                seen.push(operand);
                let left = operand.users().into_iter().any(|user| !search.takes(user, is_member));
                match (from == search.bits, left) {
                    (true, true) => {}
                    (true, false) => saved[chain] += 1.0,
                    (false, false) => saved[chain] += share(operand, search.bits),
                    (false, true) => spent[chain] += 1.0 - share(operand, search.bits),
                }
            }
        }
        let worth = |chain: usize| has_loaded[chain] && saved[chain] > spent[chain] * WORTH;
        let kept = search.order.iter().filter(|&&value| self.chain(value).is_some_and(worth));
        kept.map(|&value| (value, search.members[&value])).collect()
    }
}

/// An operation whose low bits follow from the low bits of its operands.
pub(crate) fn asks_low_bits(value: Value<'_>) -> bool {
    matches!(
        value.opcode(),
        Some(
            Opcode::LLVMAdd
                | Opcode::LLVMSub
                | Opcode::LLVMMul
                | Opcode::LLVMAnd
                | Opcode::LLVMOr
                | Opcode::LLVMXor
        )
    )
}
