//! Values, and the frame of a function's variables.

use super::memory::Pointer;
use super::refusal::Why;

/// The value of an expression.
#[derive(Debug, Clone)]
pub(super) enum Value {
    Void,
    Scalar(u64),
    Vector(Vec<u64>),
    Pointer(Pointer),
    /// A structure: its bytes, and which of them were written.
    Bytes(Vec<u8>, Vec<bool>),
}

impl Value {
    pub(super) fn scalar(&self) -> Result<u64, Why> {
        if let Self::Scalar(bits) = self { Ok(*bits) } else { Err(Why::Malformed) }
    }

    /// The lanes of a scalar or vector.
    pub(super) fn lanes(self) -> Result<Vec<u64>, Why> {
        match self {
            Self::Scalar(bits) => Ok(vec![bits]),
            Self::Vector(lanes) => Ok(lanes),
            _ => Err(Why::Malformed),
        }
    }

    pub(super) fn of_lanes(lanes: Vec<u64>) -> Self {
        if let [one] = lanes[..] { Self::Scalar(one) } else { Self::Vector(lanes) }
    }

    pub(super) fn pointer(&self) -> Result<Pointer, Why> {
        if let Self::Pointer(pointer) = self { Ok(*pointer) } else { Err(Why::Malformed) }
    }
}

/// The variables of a function that runs for some work-items of the group.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) function: usize,
    /// The first of the work-items.
    pub(super) first: u32,
    /// How many.
    pub(super) lanes: u32,
    /// Objects, variable by variable, item by item.
    pub(super) slots: Vec<u32>,
    /// What the function returned.
    pub(super) results: Vec<Option<Value>>,
}

impl Frame {
    pub(super) fn slot(&self, variable: usize, lane: u32) -> u32 {
        self.slots[variable * self.lanes as usize + (lane - self.first) as usize]
    }
}
