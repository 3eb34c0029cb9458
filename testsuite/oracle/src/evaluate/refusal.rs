//! Why the evaluator refuses a program: something that the specification leaves undefined, unspecified or to an
//! implementation, or that would take too long.

use std::fmt;

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// A signed result that its type cannot hold.
    Overflow,
    DivideByZero,
    /// An index or a pointer past one of so many elements.
    OutOfBounds(u32),
    Uninitialised,
    /// An object used after its scope.
    Dangling,
    /// Two work-items use one place without order.
    Race,
    /// Only some work-items meet a barrier, or what else all must meet.
    Divergence,
    /// A group operation whose arguments differ between work-items.
    NotUniform,
    /// A float that is not a number, infinite, too small, or not the same on every device.
    Float,
    /// A value that a conversion or function does not take.
    Range,
    /// Pointers declared `restrict` that lead to one object.
    Alias,
    /// Effects of operands that are evaluated in no order.
    Unsequenced,
    TooLong,
    /// A function ends without the value that is used.
    NoResult,
    /// A tree that is no program.
    Malformed,
}

/// A refusal with the number of the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    pub(crate) node: u32,
    pub(crate) why: Why,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.why {
            Why::Overflow => "a signed result overflows",
            Why::DivideByZero => "a division has no result",
            Why::OutOfBounds(_) => "an access is out of bounds",
            Why::Uninitialised => "a value is used that was never written",
            Why::Dangling => "an object is used after its scope",
            Why::Race => "two work-items use one place without order",
            Why::Divergence => "only some work-items come to a barrier or group function",
            Why::NotUniform => "the arguments of a group function differ",
            Why::Float => "a floating-point result is not the same everywhere",
            Why::Range => "a function is given what it does not take",
            Why::Alias => "restrict pointers lead to one object",
            Why::Unsequenced => "effects have no order",
            Why::TooLong => "it takes too long",
            Why::NoResult => "a function ends without a value",
            Why::Malformed => "the tree is no program",
        };
        write!(f, "node {}: {why}", self.node)
    }
}

impl std::error::Error for Refusal {}
