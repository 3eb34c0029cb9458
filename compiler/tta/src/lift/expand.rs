//! Operations for a machine that may not have them: each is emitted as it is where the machine has it, else as others.
//!
//! Only the last operation of a sequence bears the condition of the whole; what comes before it writes new values.

use super::{Lifter, To};
use crate::code::{Class, Condition, Input, Node, Terminator, Value};
use crate::ops::Op;

/// A comparison of two words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Compare {
    Equal,
    NotEqual,
    Less,
    GreaterEqual,
    LessUnsigned,
    GreaterEqualUnsigned,
}

impl Compare {
    /// From the number that machine IR has for it.
    pub(super) fn from_number(number: i64) -> Option<Self> {
        Some(match number {
            0 => Self::Equal,
            1 => Self::NotEqual,
            2 => Self::Less,
            3 => Self::GreaterEqual,
            4 => Self::LessUnsigned,
            5 => Self::GreaterEqualUnsigned,
            _ => return None,
        })
    }

    fn holds(self, a: u32, b: u32) -> bool {
        match self {
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::Less => a.cast_signed() < b.cast_signed(),
            Self::GreaterEqual => a.cast_signed() >= b.cast_signed(),
            Self::LessUnsigned => a < b,
            Self::GreaterEqualUnsigned => a >= b,
        }
    }

    /// The operations that decide it: name, whether the inputs are exchanged, whether the result is inverted.
    fn ways(self) -> &'static [(&'static str, bool, bool)] {
        match self {
            Self::Equal => &[("eq", false, false), ("ne", false, true)],
            Self::NotEqual => &[("ne", false, false), ("eq", false, true)],
            Self::Less => {
                &[("lt", false, false), ("gt", true, false), ("ge", false, true), ("le", true, true)]
            }
            Self::GreaterEqual => {
                &[("ge", false, false), ("le", true, false), ("lt", false, true), ("gt", true, true)]
            }
            Self::LessUnsigned => {
                &[("ltu", false, false), ("gtu", true, false), ("geu", false, true), ("leu", true, true)]
            }
            Self::GreaterEqualUnsigned => {
                &[("geu", false, false), ("leu", true, false), ("ltu", false, true), ("gtu", true, true)]
            }
        }
    }
}

pub(super) const ZERO: Input = Input::Constant(0);

pub(super) fn number(value: i64) -> Input {
    Input::Constant((value & 0xffff_ffff) as u32)
}

impl Lifter<'_> {
    /// A new word.
    pub(super) fn fresh(&mut self) -> Value {
        let value = self.function.value(Class::Word);
        self.versions.push(0);
        value
    }

    pub(super) fn fresh_bit(&mut self) -> Value {
        let value = self.function.value(Class::Bit);
        self.versions.push(0);
        value
    }

    /// Emits a node.
    pub(super) fn push(&mut self, node: Node) {
        for output in &node.outputs {
            self.versions[output.0 as usize] += 1;
        }
        self.nodes.push(node);
    }

    pub(super) fn emit(&mut self, op: Op, inputs: &[Input], to: To) {
        if to.condition.is_some() && self.ability.is_small() {
            // Its inputs and what it may leave as it is need not be in registers together.
            let value = self.fresh();
            self.emit(op, inputs, To::plain(value));
            return self.copy(Input::Value(value), to);
        }
        self.push(Node {
            op: Some(op),
            inputs: inputs.to_vec(),
            outputs: vec![to.value],
            condition: to.condition,
            memory: None,
        });
    }

    pub(super) fn copy(&mut self, input: Input, to: To) {
        if to.condition.is_none() && input == Input::Value(to.value) {
            return;
        }
        self.push(Node { condition: to.condition, ..Node::copy(input, to.value) });
    }

    /// An operation whose result is a new value.
    pub(super) fn made(&mut self, name: &str, inputs: &[Input]) -> Input {
        let value = self.fresh();
        self.operation(name, inputs, To::plain(value));
        Input::Value(value)
    }

    fn emit_named(&mut self, name: &str, inputs: &[Input], to: To) -> bool {
        match self.ability.op(name) {
            Some(op) => {
                self.emit(op, inputs, to);
                true
            }
            None => false,
        }
    }

    /// An operation of the machine's or what stands for it. What nothing stands for is kept as an error.
    pub(super) fn operation(&mut self, name: &str, inputs: &[Input], to: To) {
        if let Some(result) = fold(name, inputs) {
            return self.copy(Input::Constant(result), to);
        }
        match (name, inputs) {
            ("add" | "ior" | "xor" | "sub", [a, ZERO]) | ("add" | "ior" | "xor", [ZERO, a]) => {
                return self.copy(*a, to);
            }
            ("shl" | "shr" | "shru", [a, Input::Constant(n)]) => return self.shift_by(name, *a, n & 31, to),
            ("shl" | "shr" | "shru", [a, n]) => return self.shift(name, *a, *n, to),
            ("rotl" | "rotr", [a, n]) => return self.rotate(name == "rotl", *a, *n, to),
            _ => {}
        }
        if self.emit_named(name, inputs, to) {
            return;
        }
        match (name, inputs) {
            ("not", [a]) => self.operation("xor", &[*a, Input::Constant(u32::MAX)], to),
            ("neg", [a]) => self.operation("sub", &[ZERO, *a], to),
            ("andn", [a, b]) => {
                let not = self.made("not", &[*b]);
                self.operation("and", &[*a, not], to);
            }
            ("shl1add" | "shl2add" | "shl3add", [a, b]) => {
                let by = u32::from(name.as_bytes()[3] - b'0');
                let shifted = match (name, self.ability.op("shl2add")) {
                    ("shl3add", Some(_)) => {
                        let once = self.made("add", &[*a, *a]);
                        return self.operation("shl2add", &[once, *b], to);
                    }
                    _ => self.made("shl", &[*a, Input::Constant(by)]),
                };
                self.operation("add", &[shifted, *b], to);
            }
            ("sxqw", [a]) => self.extend(*a, 24, to),
            ("sxhw", [a]) => self.extend(*a, 16, to),
            ("min" | "max" | "minu" | "maxu", [a, b]) => {
                let compare = if name.ends_with('u') { Compare::LessUnsigned } else { Compare::Less };
                let less = if name.starts_with("min") {
                    self.condition(compare, *a, *b)
                } else {
                    self.condition(compare, *b, *a)
                };
                let chosen = self.fresh();
                self.copy(*b, To::plain(chosen));
                self.copy(*a, To { value: chosen, condition: Some(less) });
                self.copy(Input::Value(chosen), to);
            }
            ("mulhi" | "mulhiu" | "mulhisu", [a, b]) => self.multiply_high(name, *a, *b, to),
            ("rem", [a, b]) => self.operation_or_missing("mod", &[*a, *b], to),
            ("remu", [a, b]) => self.operation_or_missing("modu", &[*a, *b], to),
            ("negf", [a]) => self.operation("xor", &[*a, Input::Constant(0x8000_0000)], to),
            ("absf", [a]) => self.operation("and", &[*a, Input::Constant(0x7fff_ffff)], to),
            ("ltf", [a, b]) => self.operation_or_missing("gtf", &[*b, *a], to),
            ("lef", [a, b]) => self.operation_or_missing("gef", &[*b, *a], to),
            _ => self.missing(name),
        }
    }

    fn operation_or_missing(&mut self, name: &str, inputs: &[Input], to: To) {
        if !self.emit_named(name, inputs, to) {
            self.missing(name);
        }
    }

    fn missing(&mut self, name: &str) {
        self.missing.get_or_insert_with(|| name.to_owned());
    }

    fn extend(&mut self, a: Input, by: u32, to: To) {
        let up = self.made("shl", &[a, Input::Constant(by)]);
        self.operation("shr", &[up, Input::Constant(by)], to);
    }

    /// A shift by a number that is known.
    fn shift_by(&mut self, name: &str, a: Input, by: u32, to: To) {
        if by == 0 {
            return self.copy(a, to);
        }
        if self.ability.has(name) {
            let one_step = self.ability.op(&format!("{name}{by}_32")).is_some() && !self.ability.is_cheap(by);
            if !one_step {
                self.emit_named(name, &[a, Input::Constant(by)], to);
                return;
            }
        }
        let mut left = by;
        let mut now = a;
        while left > 0 {
            let step = [16, 8, 4, 2, 1]
                .into_iter()
                .find(|k| *k <= left && self.ability.has(&format!("{name}{k}_32")));
            let taken = step.unwrap_or(1);
            left -= taken;
            let target = if left == 0 { to } else { To::plain(self.fresh()) };
            match step {
                Some(k) => {
                    self.emit_named(&format!("{name}{k}_32"), &[now], target);
                }
                None if name == "shl" => {
                    self.emit_named("add", &[now, now], target);
                }
                None => self.missing(name),
            }
            now = Input::Value(target.value);
        }
    }

    /// A shift by a value, of which the low five bits count.
    fn shift(&mut self, name: &str, a: Input, by: Input, to: To) {
        let by = self.made("and", &[by, Input::Constant(31)]);
        if self.emit_named(name, &[a, by], to) {
            return;
        }
        // One step after the other.
        let (shifted, left) = (self.fresh(), self.fresh());
        self.copy(a, To::plain(shifted));
        self.copy(by, To::plain(left));
        let (head, body, done) = (self.label(), self.label(), self.label());
        self.end_block(Terminator::Jump(head), head);
        let zero = self.condition(Compare::Equal, Input::Value(left), ZERO);
        self.end_block(Terminator::Branch { condition: zero, taken: done, otherwise: body }, body);
        self.shift_by(name, Input::Value(shifted), 1, To::plain(shifted));
        self.operation("sub", &[Input::Value(left), Input::Constant(1)], To::plain(left));
        self.end_block(Terminator::Jump(head), done);
        self.copy(Input::Value(shifted), to);
    }

    fn rotate(&mut self, left: bool, a: Input, by: Input, to: To) {
        let (same, other) = if left { ("rotl", "rotr") } else { ("rotr", "rotl") };
        if self.emit_named(same, &[a, by], to) {
            return;
        }
        let back = match by {
            Input::Constant(n) => Input::Constant(n.wrapping_neg() & 31),
            _ => self.made("neg", &[by]),
        };
        if self.emit_named(other, &[a, back], to) {
            return;
        }
        let (up, down) = if left { (by, back) } else { (back, by) };
        let high = self.made("shl", &[a, up]);
        let low = self.made("shru", &[a, down]);
        self.operation("ior", &[high, low], to);
    }

    fn multiply_high(&mut self, name: &str, a: Input, b: Input, to: To) {
        let unsigned = match name {
            "mulhiu" => to,
            _ => To::plain(self.fresh()),
        };
        if name == "mulhiu" || !self.emit_named("mulhiu", &[a, b], unsigned) {
            let low = |s: &mut Self, x| s.made("and", &[x, Input::Constant(0xffff)]);
            let high = |s: &mut Self, x| s.made("shru", &[x, Input::Constant(16)]);
            let (al, ah) = (low(self, a), high(self, a));
            let (bl, bh) = (low(self, b), high(self, b));
            let first = self.made("mul", &[al, bl]);
            let second = self.made("mul", &[ah, bl]);
            let carry = high(self, first);
            let second = self.made("add", &[second, carry]);
            let third = self.made("mul", &[al, bh]);
            let middle = low(self, second);
            let third = self.made("add", &[third, middle]);
            let fourth = self.made("mul", &[ah, bh]);
            let (x, y) = (high(self, second), high(self, third));
            let sum = self.made("add", &[fourth, x]);
            self.operation("add", &[sum, y], unsigned);
        }
        if name == "mulhiu" {
            return;
        }
        let negative = |s: &mut Self, x, y| {
            let sign = s.made("shr", &[x, Input::Constant(31)]);
            s.made("and", &[sign, y])
        };
        let less = negative(self, a, b);
        if name == "mulhisu" {
            return self.operation("sub", &[Input::Value(unsigned.value), less], to);
        }
        let first = self.made("sub", &[Input::Value(unsigned.value), less]);
        let less = negative(self, b, a);
        self.operation("sub", &[first, less], to);
    }

    /// Emits a comparison: its result is a bit or a word, and what says whether it is inverted comes back.
    fn decide(&mut self, compare: Compare, a: Input, b: Input, to: Value) -> bool {
        let mut ways = compare.ways().iter();
        let Some((op, swap, inverted)) =
            ways.find_map(|(name, swap, inverted)| Some((self.ability.op(name)?, *swap, *inverted)))
        else {
            self.missing(compare.ways()[0].0);
            return false;
        };
        let inputs = if swap { [b, a] } else { [a, b] };
        self.emit(op, &inputs, To::plain(to));
        inverted
    }

    /// The condition that a comparison holds.
    pub(super) fn condition(&mut self, compare: Compare, a: Input, b: Input) -> Condition {
        if let (Compare::Equal | Compare::NotEqual, Input::Value(value), ZERO) = (compare, a, b)
            && let Some(known) = self.compares.get(&value).copied()
            && known.version == self.version(a)
            && known.versions == [self.version(known.a), self.version(known.b)]
        {
            // The value is itself the result of a comparison, whose operands are still there.
            let mut condition = self.condition_of(known.compare, known.a, known.b);
            condition.inverted ^= compare == Compare::Equal;
            return condition;
        }
        self.condition_of(compare.into(), a, b)
    }

    fn condition_of(&mut self, compare: Comparison, a: Input, b: Input) -> Condition {
        let key = (compare, a, b);
        let versions = [self.version(a), self.version(b)];
        if let Some((bit, known)) = self.bits.get(&key)
            && *known == versions
        {
            return *bit;
        }
        let value = self.fresh_bit();
        let inverted = match compare {
            Comparison::Word(compare) => self.decide(compare, a, b, value),
            Comparison::Float(name) => {
                self.operation(name, &[a, b], To::plain(value));
                false
            }
        };
        let condition = Condition { value, inverted };
        self.bits.insert(key, (condition, versions));
        condition
    }

    /// A comparison whose result is the word 0 or 1.
    pub(super) fn comparison(&mut self, compare: Compare, a: Input, b: Input, to: To) {
        if let (Input::Constant(x), Input::Constant(y)) = (a, b) {
            return self.copy(Input::Constant(u32::from(compare.holds(x, y))), to);
        }
        let inverts = {
            let way = compare.ways().iter().find(|w| self.ability.has(w.0));
            way.is_some_and(|w| w.2)
        };
        if !inverts && to.condition.is_none() {
            self.decide(compare, a, b, to.value);
        } else {
            let value = self.fresh();
            let inverted = self.decide(compare, a, b, value);
            self.operation("xor", &[Input::Value(value), Input::Constant(u32::from(inverted))], to);
        }
        self.remember(to, Comparison::Word(compare), a, b);
    }

    /// A comparison of floats whose result is the word 0 or 1.
    pub(super) fn float_comparison(&mut self, name: &'static str, a: Input, b: Input, to: To) {
        self.operation(name, &[a, b], to);
        self.remember(to, Comparison::Float(name), a, b);
    }

    fn remember(&mut self, to: To, compare: Comparison, a: Input, b: Input) {
        let versions = [self.version(a), self.version(b)];
        let reads_itself = a == Input::Value(to.value) || b == Input::Value(to.value);
        if to.condition.is_none() && !reads_itself {
            let version = self.version(Input::Value(to.value));
            self.compares.insert(to.value, KnownCompare { compare, a, b, version, versions });
        }
    }

    pub(super) fn version(&self, input: Input) -> u32 {
        match input {
            Input::Value(v) => self.versions[v.0 as usize],
            _ => 0,
        }
    }
}

/// What is compared how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Comparison {
    Word(Compare),
    Float(&'static str),
}

impl From<Compare> for Comparison {
    fn from(compare: Compare) -> Self {
        Self::Word(compare)
    }
}

/// A comparison that made a word.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownCompare {
    pub(super) compare: Comparison,
    pub(super) a: Input,
    pub(super) b: Input,
    pub(super) version: u32,
    pub(super) versions: [u32; 2],
}

/// The result of an operation on constants.
fn fold(name: &str, inputs: &[Input]) -> Option<u32> {
    let [Input::Constant(a), Input::Constant(b)] = inputs else { return None };
    Some(match name {
        "add" => a.wrapping_add(*b),
        "sub" => a.wrapping_sub(*b),
        "and" => a & b,
        "ior" => a | b,
        "xor" => a ^ b,
        "shl" => a << (b & 31),
        "shru" => a >> (b & 31),
        "shr" => (a.cast_signed() >> (b & 31)).cast_unsigned(),
        _ => return None,
    })
}
