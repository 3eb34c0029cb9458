//! What operators and conversions do to scalars, by the specification. Refused is what has no defined result, and of
//! floating point what a device may do in its own way.

use super::refusal::Why;
use crate::ast::{Binary, Unary};
use crate::half;
use crate::types::Scalar;

type Bits = Result<u64, Why>;

/// A float as bits, unless devices may treat it differently: no number, infinite, or so small that it may become zero.
pub(crate) fn real(scalar: Scalar, value: f64) -> Bits {
    match scalar {
        Scalar::Half => half(value),
        Scalar::Float => single(value as f32),
        _ => double(value),
    }
}

fn half(value: f64) -> Bits {
    half::rounded(value).map(u64::from).ok_or(Why::Float)
}

fn single(value: f32) -> Bits {
    if value.is_normal() || value == 0.0 { Ok(u64::from(value.to_bits())) } else { Err(Why::Float) }
}

fn double(value: f64) -> Bits {
    if value.is_normal() || value == 0.0 { Ok(value.to_bits()) } else { Err(Why::Float) }
}

/// A conversion as a cast or an assignment makes it.
pub(crate) fn convert(from: Scalar, to: Scalar, bits: u64) -> Bits {
    if from == to {
        return Ok(bits);
    }
    match (from.is_float(), to.is_float()) {
        (_, _) if to == Scalar::Bool => {
            Ok(u64::from(if from.is_float() { from.real(bits) != 0.0 } else { bits != 0 }))
        }
        (false, false) => Ok(to.wrap(from.integer(bits))),
        (false, true) => {
            let value = from.integer(bits);
            // Each rounds once, to the nearest even; what a double has no room for is no half.
            match to {
                Scalar::Half => half(value as f64),
                Scalar::Float => single(value as f32),
                _ => double(value as f64),
            }
        }
        (true, false) => whole(from.real(bits).trunc(), to),
        (true, true) => real(to, from.real(bits)),
    }
}

/// A whole number as an integer that must be able to hold it.
pub(crate) fn whole(value: f64, to: Scalar) -> Bits {
    let (low, high) = to.range();
    let value = value as i128;
    if value < low || value > high { Err(Why::Range) } else { Ok(to.wrap(value)) }
}

/// An integer result that a signed type must be able to hold.
pub(crate) fn fitting(scalar: Scalar, value: i128) -> Bits {
    let (low, high) = scalar.range();
    if scalar.is_signed() && !(low..=high).contains(&value) {
        Err(Why::Overflow)
    } else {
        Ok(scalar.wrap(value))
    }
}

/// An operation on two values of one type that gives a value of that type. A shift's second operand may be of any
/// integer type: `by`.
pub(crate) fn operate(operation: Binary, scalar: Scalar, a: u64, b: u64, by: Scalar) -> Bits {
    if scalar.is_float() {
        return floating(operation, scalar, a, b);
    }
    let (x, y) = (scalar.integer(a), scalar.integer(b));
    match operation {
        Binary::Add => fitting(scalar, x + y),
        Binary::Sub => fitting(scalar, x - y),
        Binary::Mul => fitting(scalar, x.wrapping_mul(y)),
        Binary::Div | Binary::Rem => {
            if y == 0 || x / y > scalar.range().1 {
                return Err(Why::DivideByZero);
            }
            Ok(scalar.wrap(if operation == Binary::Div { x / y } else { x % y }))
        }
        Binary::And => Ok(scalar.wrap(x & y)),
        Binary::Or => Ok(scalar.wrap(x | y)),
        Binary::Xor => Ok(scalar.wrap(x ^ y)),
        Binary::Shl | Binary::Shr => {
            // By as many of the low bits of the count as the width has.
            let count = by.integer(b).rem_euclid(i128::from(scalar.bits())) as u32;
            Ok(scalar.wrap(if operation == Binary::Shl { x << count } else { x >> count }))
        }
        _ => Err(Why::Malformed),
    }
}

fn floating(operation: Binary, scalar: Scalar, a: u64, b: u64) -> Bits {
    if scalar == Scalar::Float {
        let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
        return single(match operation {
            Binary::Add => x + y,
            Binary::Sub => x - y,
            Binary::Mul => x * y,
            _ => return Err(Why::Float),
        });
    }
    // Of two halves each result is exact as a double, and rounded once.
    let (x, y) = (scalar.real(a), scalar.real(b));
    let value = match operation {
        Binary::Add => x + y,
        Binary::Sub => x - y,
        Binary::Mul => x * y,
        _ => return Err(Why::Float),
    };
    real(scalar, value)
}

/// A comparison of two values of one type; none for other operations.
pub(crate) fn compare(operation: Binary, scalar: Scalar, a: u64, b: u64) -> Option<bool> {
    let order = if scalar.is_float() {
        scalar.real(a).partial_cmp(&scalar.real(b))?
    } else {
        scalar.integer(a).cmp(&scalar.integer(b))
    };
    Some(match operation {
        Binary::Less => order.is_lt(),
        Binary::LessEqual => order.is_le(),
        Binary::Greater => order.is_gt(),
        Binary::GreaterEqual => order.is_ge(),
        Binary::Equal => order.is_eq(),
        Binary::NotEqual => order.is_ne(),
        _ => return None,
    })
}

/// A unary operation but `!` on a value whose type is the result's.
pub(crate) fn unary(operation: Unary, scalar: Scalar, a: u64) -> Bits {
    match operation {
        Unary::Minus if scalar.is_float() => real(scalar, -scalar.real(a)),
        Unary::Minus => fitting(scalar, -scalar.integer(a)),
        Unary::Complement => Ok(scalar.wrap(!scalar.integer(a))),
        Unary::Not => Err(Why::Malformed),
    }
}

/// `convert_T` with a rounding mode, perhaps saturating.
pub(crate) fn convert_with(from: Scalar, to: Scalar, bits: u64, saturate: bool, rounding: &str) -> Bits {
    let (low, high) = to.range();
    if from.is_float() && !to.is_float() {
        let value = from.real(bits);
        let value = match rounding {
            "_rte" => value.round_ties_even(),
            "_rtp" => value.ceil(),
            "_rtn" => value.floor(),
            _ => value.trunc(),
        };
        return if saturate { Ok(to.wrap((value as i128).clamp(low, high))) } else { whole(value, to) };
    }
    if saturate && !to.is_float() {
        return Ok(to.wrap(from.integer(bits).clamp(low, high)));
    }
    convert(from, to, bits)
}
