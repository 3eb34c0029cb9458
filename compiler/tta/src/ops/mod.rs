//! The base operation set: what every operation that we know by name computes.
//!
//! Values are 64-bit carriers. An operation on 32 bits looks at the low half of its inputs and leaves the upper half of
//! its result zero; comparisons give one bit. Latency and port widths belong to the machine, not to the operation. The
//! table is in `table.rs`, floating point in `float.rs`.
//!
//! Where hardware leaves a result open, this set does not: division by zero gives all ones, a remainder by zero the
//! dividend, and the smallest integer divided by -1 itself, as RISC-V has it; shifts by the width or more give zero;
//! conversions to integers saturate and turn NaN into the largest value; a NaN result is always the canonical quiet NaN.

mod float;
mod table;

use std::collections::HashMap;
use std::sync::OnceLock;

/// An operation that we know, by its position in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Op(u16);

/// The order of bytes in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteOrder {
    /// Lowest byte first.
    Little,
    /// Highest byte first.
    Big,
}

/// A load or store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// Bytes of each word.
    pub bytes: u8,
    /// Words, one operand each, at rising addresses.
    pub words: u8,
    /// A loaded word repeats its top bit in the bits above.
    pub signed: bool,
    /// Order of the bytes.
    pub order: ByteOrder,
    /// The address is the sum of operands 1 and 2.
    pub offset: bool,
}

/// A read and a write of one word that no other core comes between.
#[derive(Debug, Clone, Copy)]
pub enum Atomic {
    /// Writes operand 2 combined with the old value by this function.
    Update(fn(u64, u64) -> u64),
    /// Writes operand 3 if the old value equals operand 2.
    CompareExchange,
}

/// A change of the program counter.
#[derive(Debug, Clone, Copy)]
pub struct Control {
    /// Whether it happens, from the inputs.
    pub taken: fn(&[u64]) -> bool,
    /// The target, from the address of the triggering instruction and the inputs.
    pub target: fn(u64, &[u64]) -> u64,
    /// The return address is written.
    pub links: bool,
}

/// What reaches outside the core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Device {
    /// Writes the low byte of operand 1 to the output.
    WriteByte,
    /// Writes operand 1 as a signed decimal number and a newline.
    WriteNumber,
    /// Reads a byte of the input; 0 at its end.
    ReadByte,
    /// 1 while the input has bytes left, else 0.
    InputStatus,
    /// 1: the output always takes more.
    OutputStatus,
    /// Cycles since the start, low 32 bits.
    Cycles,
    /// Cycles since the last trigger with 0; that trigger restarts the count.
    Clock,
    /// Counts down from the last operand that was not 0, one a cycle, to 0.
    Timer,
    /// 0: the simulated core is never stalled.
    Stalls,
    /// Takes its operand and does nothing.
    Ignore,
}

/// How an operation computes.
#[derive(Debug, Clone, Copy)]
pub enum Semantics {
    /// One input, one result.
    Unary(fn(u64) -> u64),
    /// Two inputs, one result.
    Binary(fn(u64, u64) -> u64),
    /// Three inputs, one result.
    Ternary(fn(u64, u64, u64) -> u64),
    /// Two inputs, two results.
    Pair(fn(u64, u64) -> (u64, u64)),
    /// Reads memory when it is triggered.
    Load(Access),
    /// Writes memory at the end of the cycle in which it is triggered.
    Store(Access),
    /// Reads and writes a 32-bit word at the end of the cycle in which it is triggered.
    Atomic(Atomic),
    /// Changes the program counter after the delay slots.
    Control(Control),
    /// The address of the triggering instruction plus operand 1.
    ProgramCounter,
    /// Reaches outside.
    Device(Device),
}

impl Semantics {
    /// The results, where they depend on the inputs only; `None` for what does more. `input` gives an input by its number from
    /// 0 on.
    ///
    /// # Errors
    /// What `input` fails with.
    pub fn values<E>(&self, input: impl Fn(usize) -> Result<u64, E>) -> Result<Option<Vec<u64>>, E> {
        Ok(Some(match self {
            Self::Unary(f) => vec![f(input(0)?)],
            Self::Binary(f) => vec![f(input(0)?, input(1)?)],
            Self::Ternary(f) => vec![f(input(0)?, input(1)?, input(2)?)],
            Self::Pair(f) => {
                let (a, b) = f(input(0)?, input(1)?);
                vec![a, b]
            }
            _ => return Ok(None),
        }))
    }
}

/// The facts of an operation.
#[derive(Debug, Clone, Copy)]
pub struct OpInfo {
    /// The name in lower case.
    pub name: &'static str,
    /// Inputs: operands 1 to this number.
    pub inputs: u16,
    /// Results: the operands after the inputs.
    pub outputs: u16,
    /// Two inputs that may be exchanged.
    pub swap: Option<(u16, u16)>,
    /// What it does.
    pub semantics: Semantics,
}

impl OpInfo {
    /// Whether the operation reads or writes memory.
    #[must_use]
    pub fn is_memory(&self) -> bool {
        matches!(self.semantics, Semantics::Load(_) | Semantics::Store(_) | Semantics::Atomic(_))
    }

    /// Whether the operation may be left out or done early: its result depends on its inputs only and nothing else changes.
    #[must_use]
    pub fn is_pure(&self) -> bool {
        matches!(
            self.semantics,
            Semantics::Unary(_) | Semantics::Binary(_) | Semantics::Ternary(_) | Semantics::Pair(_)
        )
    }

    /// Whether the operation changes the program counter.
    #[must_use]
    pub fn is_control(&self) -> bool {
        matches!(self.semantics, Semantics::Control(_))
    }
}

impl Op {
    /// The operation with this name, in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        static BY_NAME: OnceLock<HashMap<&'static str, Op>> = OnceLock::new();
        let map =
            BY_NAME.get_or_init(|| (0u16..).zip(table::TABLE).map(|(i, info)| (info.name, Op(i))).collect());
        map.get(name.to_ascii_lowercase().as_str()).copied()
    }

    /// Its facts.
    #[must_use]
    pub fn info(self) -> &'static OpInfo {
        &table::TABLE[usize::from(self.0)]
    }

    /// Every operation, in table order.
    pub fn all() -> impl Iterator<Item = Op> {
        (0u16..).zip(table::TABLE).map(|(i, _)| Op(i))
    }
}

#[cfg(test)]
mod tests {
    use super::{Op, Semantics};

    fn unary(name: &str, a: u64) -> u64 {
        match Op::named(name).map(|o| o.info().semantics) {
            Some(Semantics::Unary(f)) => f(a),
            _ => panic!("{name} is no unary operation"),
        }
    }

    fn binary(name: &str, a: u64, b: u64) -> u64 {
        match Op::named(name).map(|o| o.info().semantics) {
            Some(Semantics::Binary(f)) => f(a, b),
            _ => panic!("{name} is no binary operation"),
        }
    }

    fn ternary(name: &str, a: u64, b: u64, c: u64) -> u64 {
        match Op::named(name).map(|o| o.info().semantics) {
            Some(Semantics::Ternary(f)) => f(a, b, c),
            _ => panic!("{name} is no ternary operation"),
        }
    }

    fn bits(x: f32) -> u64 {
        u64::from(x.to_bits())
    }

    const MINUS_ONE: u64 = 0xffff_ffff;
    const SMALLEST: u64 = 0x8000_0000;
    const NAN: u64 = 0x7fc0_0000;

    #[test]
    fn names_are_unique_and_found_in_any_case() {
        let mut names: Vec<&str> = Op::all().map(|o| o.info().name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for op in Op::all() {
            assert_eq!(Op::named(&op.info().name.to_ascii_uppercase()), Some(op));
            assert_eq!(op.info().name, op.info().name.to_ascii_lowercase());
        }
        assert_eq!(Op::named("no such operation"), None);
    }

    #[test]
    fn integers_wrap_at_32_bits() {
        assert_eq!(binary("add", MINUS_ONE, 2), 1);
        assert_eq!(binary("add", u64::MAX, 2), 1);
        assert_eq!(binary("sub", 1, 2), MINUS_ONE);
        assert_eq!(binary("add64", MINUS_ONE, 2), 0x1_0000_0001);
        assert_eq!(unary("neg", 1), MINUS_ONE);
        assert_eq!(unary("abs", SMALLEST), SMALLEST);
        assert_eq!(binary("mul", 0x1_0001, 0x1_0001), 0x2_0001);
        assert_eq!(binary("mulhi", MINUS_ONE, MINUS_ONE), 0);
        assert_eq!(binary("mulhiu", MINUS_ONE, MINUS_ONE), 0xffff_fffe);
        assert_eq!(binary("mulhisu", MINUS_ONE, MINUS_ONE), MINUS_ONE);
        assert_eq!(ternary("mac", 1, 3, 4), 13);
        assert_eq!(binary("shl1add", 3, 4), 10);
        assert_eq!(binary("andn", 0b1100, 0b0100), 0b1000);
    }

    #[test]
    fn division_never_traps() {
        assert_eq!(binary("div", 7, 0), MINUS_ONE);
        assert_eq!(binary("divu", 7, 0), MINUS_ONE);
        assert_eq!(binary("mod", 7, 0), 7);
        assert_eq!(binary("modu", 7, 0), 7);
        assert_eq!(binary("div", SMALLEST, MINUS_ONE), SMALLEST);
        assert_eq!(binary("mod", SMALLEST, MINUS_ONE), 0);
        assert_eq!(binary("div", 0xffff_fff9, 2), 0xffff_fffd);
        assert_eq!(binary("rem", 0xffff_fff9, 2), MINUS_ONE);
    }

    #[test]
    fn shifts_beyond_the_width_give_zero() {
        assert_eq!(binary("shl", 1, 31), SMALLEST);
        assert_eq!(binary("shl", 1, 32), 0);
        assert_eq!(binary("shr", SMALLEST, 31), MINUS_ONE);
        assert_eq!(binary("shr", SMALLEST, 33), 0);
        assert_eq!(binary("shru", SMALLEST, 31), 1);
        assert_eq!(binary("rotl", SMALLEST | 1, 1), 3);
        assert_eq!(binary("rotr", 3, 33), SMALLEST | 1);
        assert_eq!(unary("shr1_32", SMALLEST), 0xc000_0000);
        assert_eq!(unary("shru1_32", SMALLEST), 0x4000_0000);
        assert_eq!(unary("shl16_32", 0x1_0001), 0x1_0000);
    }

    #[test]
    fn extensions_and_selection() {
        assert_eq!(unary("sxqw", 0x80), 0xffff_ff80);
        assert_eq!(unary("sxhw", 0x8000), 0xffff_8000);
        assert_eq!(unary("sxbw", 1), MINUS_ONE);
        assert_eq!(unary("truncwh", 0x1_2345), 0x2345);
        assert_eq!(ternary("select", 5, 6, 1), 5);
        assert_eq!(ternary("select", 5, 6, 2), 6);
        assert_eq!(binary("lmbd", 0x0010_0000, 1), 11);
        assert_eq!(binary("lmbd", 0, 0), 0);
    }

    #[test]
    fn comparisons_give_one_bit() {
        assert_eq!(binary("gt", 1, MINUS_ONE), 1);
        assert_eq!(binary("gtu", 1, MINUS_ONE), 0);
        assert_eq!(binary("le", MINUS_ONE, 0), 1);
        assert_eq!(binary("eq", 0x1_0000_0001, 1), 1);
        assert_eq!(binary("eq64", 0x1_0000_0001, 1), 0);
    }

    #[test]
    fn floats_follow_the_standard_and_nan_is_canonical() {
        assert_eq!(binary("addf", bits(1.5), bits(2.25)), bits(3.75));
        assert_eq!(binary("divf", bits(1.0), bits(0.0)), bits(f32::INFINITY));
        assert_eq!(binary("subf", bits(f32::INFINITY), bits(f32::INFINITY)), NAN);
        assert_eq!(unary("sqrtf", bits(-1.0)), NAN);
        assert_eq!(unary("negf", bits(0.0)), bits(-0.0));
        assert_eq!(binary("gtf", NAN, bits(1.0)), 0);
        assert_eq!(binary("gtuf", NAN, bits(1.0)), 1);
        assert_eq!(binary("nef", NAN, NAN), 0);
        assert_eq!(binary("neuf", NAN, NAN), 1);
        assert_eq!(binary("minf", bits(2.0), bits(1.0)), bits(1.0));
        assert_eq!(unary("cfi", bits(-1.75)), MINUS_ONE);
        assert_eq!(unary("cfi", bits(3e10)), 0x7fff_ffff);
        assert_eq!(unary("cfi", NAN), 0x7fff_ffff);
        assert_eq!(unary("cfiu", bits(-3.0)), 0);
        assert_eq!(unary("cif", MINUS_ONE), bits(-1.0));
        assert_eq!(unary("cifu", MINUS_ONE), bits(4_294_967_296.0));
        assert_eq!(ternary("macf", bits(1.0), bits(2.0), bits(3.0)), bits(7.0));
        assert_eq!(ternary("msuf", bits(1.0), bits(2.0), bits(3.0)), bits(-5.0));
        // The multiply-add rounds twice: fused it would keep the lowest bit of the product.
        let x = 1.0 + f32::EPSILON;
        assert_eq!(ternary("macf", bits(-1.0 - 2.0 * f32::EPSILON), bits(x), bits(x)), bits(0.0));
    }
}
