//! Operations on floats that machine IR has and machines do not: signs, extremes, classes, rounding to integers.

use super::expand::{Compare, ZERO};
use super::{Lifter, To, Wrong};
use crate::code::Input;

impl Lifter<'_> {
    pub(super) fn integer_of(&mut self, name: &str, a: Input, mode: Input, to: To) -> Result<(), Wrong> {
        // Towards zero is what the operation does; whatever else is rounded first.
        let rounded = if mode == Input::Constant(1) { a } else { self.round(a, mode)? };
        self.operation(name, &[rounded], to);
        Ok(())
    }

    pub(super) fn sign(&mut self, opcode: &str, a: Input, b: Input, to: To) {
        const SIGN: Input = Input::Constant(0x8000_0000);
        match opcode {
            "FSGNJ_S_INX" if a == b => return self.copy(a, to),
            "FSGNJN_S_INX" if a == b => return self.operation("negf", &[a], to),
            "FSGNJX_S_INX" if a == b => return self.operation("absf", &[a], to),
            _ => {}
        }
        let sign = self.made("and", &[b, SIGN]);
        if opcode == "FSGNJX_S_INX" {
            return self.operation("xor", &[a, sign], to);
        }
        let sign = if opcode == "FSGNJN_S_INX" { self.made("xor", &[sign, SIGN]) } else { sign };
        let size = self.made("and", &[a, Input::Constant(0x7fff_ffff)]);
        self.operation("ior", &[size, sign], to);
    }

    /// The smaller or larger number: the other operand if one is no number, and -0 below +0.
    pub(super) fn float_extreme(&mut self, least: bool, a: Input, b: Input, to: To) {
        let chosen = self.fresh();
        self.copy(a, To::plain(chosen));
        let (x, y) = if least { (b, a) } else { (a, b) };
        let below = self.fresh_bit();
        self.operation("ltf", &[x, y], To::plain(below));
        let taking =
            |value| To { value: chosen, condition: Some(crate::code::Condition { value, inverted: false }) };
        self.copy(b, taking(below));
        // Equal numbers differ at most in the sign of zero.
        let equal = self.fresh_bit();
        self.operation("eqf", &[a, b], To::plain(equal));
        let both = self.made(if least { "ior" } else { "and" }, &[a, b]);
        self.copy(both, taking(equal));
        let number = self.fresh_bit();
        self.operation("eqf", &[a, a], To::plain(number));
        self.copy(
            b,
            To { value: chosen, condition: Some(crate::code::Condition { value: number, inverted: true }) },
        );
        let other = self.fresh_bit();
        self.operation("eqf", &[b, b], To::plain(other));
        let none = self.made("and", &[a, Input::Constant(0x7fff_ffff)]);
        let none = self.condition(Compare::LessUnsigned, Input::Constant(0x7f80_0000), none);
        let neither = self.fresh();
        self.copy(Input::Constant(0), To::plain(neither));
        self.copy(Input::Constant(1), To { value: neither, condition: Some(none) });
        self.copy(
            ZERO,
            To { value: neither, condition: Some(crate::code::Condition { value: other, inverted: false }) },
        );
        let neither = self.condition(Compare::NotEqual, Input::Value(neither), ZERO);
        self.copy(Input::Constant(0x7fc0_0000), To { value: chosen, condition: Some(neither) });
        self.copy(Input::Value(chosen), to);
    }

    /// The class of a float as one bit of ten.
    pub(super) fn classify(&mut self, a: Input, to: To) {
        let size = self.made("and", &[a, Input::Constant(0x7fff_ffff)]);
        let at_least = |s: &mut Self, bound: u32| {
            let value = s.fresh();
            s.comparison(Compare::LessUnsigned, Input::Constant(bound - 1), size, To::plain(value));
            Input::Value(value)
        };
        let (some, normal, infinite) =
            (at_least(self, 1), at_least(self, 0x0080_0000), at_least(self, 0x7f80_0000));
        let sum = self.made("add", &[some, normal]);
        let class = self.made("add", &[sum, infinite]);
        let index = self.fresh();
        self.operation("add", &[class, Input::Constant(4)], To::plain(index));
        let negative = self.condition(Compare::Less, a, ZERO);
        self.operation("sub", &[Input::Constant(3), class], To { value: index, condition: Some(negative) });
        let no_number = self.condition(Compare::LessUnsigned, Input::Constant(0x7f80_0000), size);
        self.copy(Input::Constant(8), To { value: index, condition: Some(no_number) });
        let quiet = self.condition(Compare::LessUnsigned, Input::Constant(0x7fbf_ffff), size);
        self.copy(Input::Constant(9), To { value: index, condition: Some(quiet) });
        self.operation("shl", &[Input::Constant(1), Input::Value(index)], to);
    }

    /// A float rounded to an integer, as a float.
    pub(super) fn round(&mut self, a: Input, mode: Input) -> Result<Input, Wrong> {
        const WHOLE: Input = Input::Constant(0x4b00_0000);
        let size = self.made("absf", &[a]);
        let rounded = match mode {
            // To the nearest, ties to even: where the addition leaves no room for a fraction.
            Input::Constant(0 | 7) => {
                let up = self.made("addf", &[size, WHOLE]);
                self.made("subf", &[up, WHOLE])
            }
            Input::Constant(1..=4) => {
                let whole = self.made("cfi", &[size]);
                self.made("cif", &[whole])
            }
            _ => return Err(Wrong::Operands),
        };
        let result = self.fresh();
        self.copy(rounded, To::plain(result));
        if mode == Input::Constant(4) {
            let rest = self.made("subf", &[size, rounded]);
            let half = self.fresh_bit();
            self.operation("lef", &[Input::Constant(0x3f00_0000), rest], To::plain(half));
            let up = self.made("addf", &[rounded, Input::Constant(0x3f80_0000)]);
            self.copy(
                up,
                To {
                    value: result,
                    condition: Some(crate::code::Condition { value: half, inverted: false }),
                },
            );
        }
        let signed = self.fresh();
        self.sign("FSGNJ_S_INX", Input::Value(result), a, To::plain(signed));
        if let Input::Constant(mode @ (2 | 3)) = mode {
            let wrong = self.fresh_bit();
            let order = if mode == 2 { [a, Input::Value(signed)] } else { [Input::Value(signed), a] };
            self.operation("ltf", &order, To::plain(wrong));
            let step = if mode == 2 { "subf" } else { "addf" };
            let other = self.made(step, &[Input::Value(signed), Input::Constant(0x3f80_0000)]);
            let condition = Some(crate::code::Condition { value: wrong, inverted: false });
            self.copy(other, To { value: signed, condition });
            // The sign of what was rounded to zero is that of the operand.
            let unsigned = Input::Value(signed);
            let whole = self.fresh();
            self.sign("FSGNJ_S_INX", unsigned, a, To::plain(whole));
            self.copy(Input::Value(whole), To::plain(signed));
        }
        // What is large already, or no number, is left as it is.
        let small = self.fresh_bit();
        self.operation("ltf", &[size, WHOLE], To::plain(small));
        let out = self.fresh();
        self.copy(a, To::plain(out));
        let condition = Some(crate::code::Condition { value: small, inverted: false });
        self.copy(Input::Value(signed), To { value: out, condition });
        Ok(Input::Value(out))
    }
}
