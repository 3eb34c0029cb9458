//! Counting and ordering of bits, for which hardly any machine has operations.
//!
//! Only the last operation of a sequence bears the condition of the whole; what comes before it writes new values.

use super::expand::{Compare, ZERO};
use super::{Lifter, To};
use crate::code::{Input, Value};

fn constant(value: u32) -> Input {
    Input::Constant(value)
}

impl Lifter<'_> {
    /// Halves where the highest bit may be, five times: what is above is shifted down and counted where there is anything.
    /// Gives what is left of the value, 0 or 1, and 32 less the bits that were shifted out.
    fn halved(&mut self, a: Input) -> (Value, Value) {
        let (rest, count) = (self.fresh(), self.fresh());
        self.copy(a, To::plain(rest));
        self.copy(constant(32), To::plain(count));
        for bits in [16_u32, 8, 4, 2, 1] {
            let above = self.condition(Compare::LessUnsigned, constant((1 << bits) - 1), Input::Value(rest));
            let shifted = self.made("shru", &[Input::Value(rest), constant(bits)]);
            let less = self.made("sub", &[Input::Value(count), constant(bits)]);
            self.copy(shifted, To { value: rest, condition: Some(above) });
            self.copy(less, To { value: count, condition: Some(above) });
        }
        (rest, count)
    }

    /// Zeros above the highest one; 32 if there is none.
    pub(super) fn leading_zeros(&mut self, a: Input, to: To) {
        let (rest, count) = self.halved(a);
        self.operation("sub", &[Input::Value(count), Input::Value(rest)], to);
    }

    /// Zeros below the lowest one; 32 if there is none.
    pub(super) fn trailing_zeros(&mut self, a: Input, to: To) {
        let negated = self.made("neg", &[a]);
        let lowest = self.made("and", &[a, negated]);
        let (rest, count) = self.halved(lowest);
        let above = self.made("sub", &[Input::Value(count), Input::Value(rest)]);
        let found = self.made("sub", &[constant(31), above]);
        let result = self.fresh();
        self.copy(found, To::plain(result));
        let none = self.condition(Compare::Equal, lowest, ZERO);
        self.copy(constant(32), To { value: result, condition: Some(none) });
        self.copy(Input::Value(result), to);
    }

    /// The number of ones: of pairs, of fours, of bytes, of all.
    pub(super) fn ones(&mut self, a: Input, to: To) {
        let odd = self.made("shru", &[a, constant(1)]);
        let odd = self.made("and", &[odd, constant(0x5555_5555)]);
        let pairs = self.made("sub", &[a, odd]);
        let low = self.made("and", &[pairs, constant(0x3333_3333)]);
        let high = self.made("shru", &[pairs, constant(2)]);
        let high = self.made("and", &[high, constant(0x3333_3333)]);
        let fours = self.made("add", &[low, high]);
        let high = self.made("shru", &[fours, constant(4)]);
        let bytes = self.made("add", &[fours, high]);
        let bytes = self.made("and", &[bytes, constant(0x0f0f_0f0f)]);
        let high = self.made("shru", &[bytes, constant(8)]);
        let halves = self.made("add", &[bytes, high]);
        let high = self.made("shru", &[halves, constant(16)]);
        let all = self.made("add", &[halves, high]);
        self.operation("and", &[all, constant(63)], to);
    }

    /// The bytes in the opposite order.
    pub(super) fn reversed(&mut self, a: Input, to: To) {
        let first = self.made("shl", &[a, constant(24)]);
        let second = self.made("and", &[a, constant(0xff00)]);
        let second = self.made("shl", &[second, constant(8)]);
        let third = self.made("shru", &[a, constant(8)]);
        let third = self.made("and", &[third, constant(0xff00)]);
        let fourth = self.made("shru", &[a, constant(24)]);
        let high = self.made("ior", &[first, second]);
        let low = self.made("ior", &[third, fourth]);
        self.operation("ior", &[high, low], to);
    }

    /// All ones in each byte that is not zero.
    pub(super) fn bytes_that_are_not_zero(&mut self, a: Input, to: To) {
        let low = self.made("and", &[a, constant(0x7f7f_7f7f)]);
        let carried = self.made("add", &[low, constant(0x7f7f_7f7f)]);
        let any = self.made("ior", &[a, carried]);
        let tops = self.made("and", &[any, constant(0x8080_8080)]);
        let ones = self.made("shru", &[tops, constant(7)]);
        let above = self.made("shl", &[tops, constant(1)]);
        self.operation("sub", &[above, ones], to);
    }
}
