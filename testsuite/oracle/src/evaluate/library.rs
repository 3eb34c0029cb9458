//! What the functions of the library give, by the specification.

use super::arithmetic::{fitting, real};
use super::refusal::Why;
use crate::ast::{Builtin, Family};
use crate::types::Scalar;

/// The lanes of the result, given the element type of each argument and their lanes, which are equally many but for
/// shuffles.
pub(crate) fn call(builtin: Builtin, types: &[Scalar], arguments: &[Vec<u64>]) -> Result<Vec<u64>, Why> {
    let first = *types.first().ok_or(Why::Malformed)?;
    let lanes = arguments[0].len();
    let vector = lanes > 1;
    let truth = |value: bool| match (value, vector) {
        (false, _) => 0,
        (true, false) => 1,
        (true, true) => u64::MAX,
    };
    let is_negative = |scalar: Scalar, bits: u64| bits >> (scalar.bits() - 1) & 1 == 1;
    match builtin.family() {
        Family::Truth => {
            let mut signs = arguments[0].iter().map(|bits| is_negative(first, *bits));
            let found = if builtin == Builtin::Any { signs.any(|s| s) } else { signs.all(|s| s) };
            return Ok(vec![u64::from(found)]);
        }
        Family::Shuffle => {
            let pick = |mask: &u64| arguments[0][(*mask as usize) & (lanes - 1)];
            return Ok(arguments[1].iter().map(pick).collect());
        }
        Family::Shuffle2 => {
            let both: Vec<u64> = arguments[0].iter().chain(&arguments[1]).copied().collect();
            return Ok(arguments[2].iter().map(|mask| both[(*mask as usize) & (2 * lanes - 1)]).collect());
        }
        _ => {}
    }
    let mut result = Vec::with_capacity(lanes);
    for lane in 0..lanes {
        let a: Vec<u64> = arguments.iter().map(|argument| argument[lane]).collect();
        result.push(match builtin.family() {
            Family::Integer | Family::Absolute | Family::Short24 => integer(builtin, first, &a)?,
            Family::Upsample => {
                let wide = first.wider().ok_or(Why::Malformed)?;
                let low = types[1].integer(a[1]);
                wide.wrap((first.integer(a[0]) << first.bits()) | low)
            }
            Family::Float => floating(builtin, first, &a)?,
            Family::Compare => {
                let (x, y) = (first.real(a[0]), first.real(a[1]));
                truth(match builtin {
                    Builtin::IsEqual => x == y,
                    Builtin::IsNotEqual => x != y,
                    Builtin::IsLess => x < y,
                    _ => x >= y,
                })
            }
            Family::Select => {
                let second = if vector { is_negative(types[2], a[2]) } else { a[2] != 0 };
                if second { a[1] } else { a[0] }
            }
            Family::BitSelect => {
                let bits = (a[0] & !a[2]) | (a[1] & a[2]);
                if first.is_float() { real(first, first.real(bits))? } else { first.wrap(i128::from(bits)) }
            }
            Family::Truth | Family::Shuffle | Family::Shuffle2 => return Err(Why::Malformed),
        });
    }
    Ok(result)
}

fn integer(builtin: Builtin, scalar: Scalar, a: &[u64]) -> Result<u64, Why> {
    let at = |index: usize| a.get(index).map_or(0, |bits| scalar.integer(*bits));
    let (x, y, z) = (at(0), at(1), at(2));
    let (low, high) = scalar.range();
    let bits = scalar.bits();
    let pattern = x as u64 & (u64::MAX >> (64 - bits));
    // Exact, even of two unsigned numbers of 64 bits.
    let high_half = || {
        if scalar.is_signed() { (x * y) >> bits } else { ((x as u128 * y as u128) >> bits) as i128 }
    };
    Ok(match builtin {
        Builtin::Abs => scalar.unsigned().wrap(x.abs()),
        Builtin::AbsDiff => scalar.unsigned().wrap((x - y).abs()),
        Builtin::AddSat => scalar.wrap((x + y).clamp(low, high)),
        Builtin::SubSat => scalar.wrap((x - y).clamp(low, high)),
        Builtin::Hadd => scalar.wrap((x + y) >> 1),
        Builtin::Rhadd => scalar.wrap((x + y + 1) >> 1),
        Builtin::Clamp => {
            if y > z {
                return Err(Why::Range);
            }
            scalar.wrap(x.clamp(y, z))
        }
        Builtin::Clz => u64::from(pattern.leading_zeros() - (64 - bits)),
        Builtin::Ctz => u64::from(pattern.trailing_zeros().min(bits)),
        Builtin::Popcount => u64::from(pattern.count_ones()),
        Builtin::MulHi => scalar.wrap(high_half()),
        Builtin::MadHi => fitting(scalar, high_half() + z)?,
        Builtin::MadSat => {
            if scalar.is_signed() {
                scalar.wrap((x * y + z).clamp(low, high))
            } else {
                let exact = x as u128 * y as u128 + z as u128;
                scalar.wrap(exact.min(high as u128) as i128)
            }
        }
        Builtin::Max => scalar.wrap(x.max(y)),
        Builtin::Min => scalar.wrap(x.min(y)),
        Builtin::Rotate => {
            let by = y.rem_euclid(i128::from(bits)) as u32;
            let turned = u128::from(pattern) << by;
            scalar.wrap((turned | turned >> bits) as i128)
        }
        Builtin::Mul24 | Builtin::Mad24 => {
            let range = if scalar.is_signed() { -(1 << 23)..1 << 23 } else { 0..1 << 24 };
            if !range.contains(&x) || !range.contains(&y) {
                return Err(Why::Range);
            }
            // An unsigned product of more than 32 bits loses the others; a signed one may not have more.
            let product = fitting(scalar, x * y)?;
            fitting(scalar, scalar.integer(product) + z)?
        }
        _ => return Err(Why::Malformed),
    })
}

fn floating(builtin: Builtin, scalar: Scalar, a: &[u64]) -> Result<u64, Why> {
    let at = |index: usize| a.get(index).map_or(0.0, |bits| scalar.real(*bits));
    let (x, y) = (at(0), at(1));
    let value = match builtin {
        Builtin::Fabs => x.abs(),
        // Of two zeros with different signs either may be taken.
        Builtin::Fmin | Builtin::Fmax if x == y && x.to_bits() != y.to_bits() => return Err(Why::Float),
        Builtin::Fmin => x.min(y),
        Builtin::Fmax => x.max(y),
        Builtin::Floor => x.floor(),
        Builtin::Ceil => x.ceil(),
        Builtin::Trunc => x.trunc(),
        Builtin::Rint => x.round_ties_even(),
        Builtin::Round => x.round(),
        Builtin::Copysign => x.copysign(y),
        Builtin::Fma if scalar == Scalar::Float => {
            let [x, y, z] = [a[0], a[1], a[2]].map(|bits| f32::from_bits(bits as u32));
            f64::from(x.mul_add(y, z))
        }
        Builtin::Fma => x.mul_add(y, at(2)),
        _ => return Err(Why::Malformed),
    };
    real(scalar, value)
}

#[cfg(test)]
mod tests {
    use super::{Builtin, Scalar, call};

    fn one(builtin: Builtin, scalar: Scalar, arguments: &[i128]) -> i128 {
        let types = vec![scalar; arguments.len()];
        let arguments: Vec<Vec<u64>> = arguments.iter().map(|a| vec![scalar.wrap(*a)]).collect();
        let result = call(builtin, &types, &arguments).unwrap()[0];
        if builtin == Builtin::Abs { scalar.unsigned().integer(result) } else { scalar.integer(result) }
    }

    #[test]
    fn edges_of_integers() {
        assert_eq!(one(Builtin::Abs, Scalar::Char, &[-128]), 128);
        assert_eq!(one(Builtin::AddSat, Scalar::Char, &[-100, -100]), -128);
        assert_eq!(one(Builtin::Hadd, Scalar::Int, &[-3, 0]), -2);
        assert_eq!(one(Builtin::Rhadd, Scalar::Uchar, &[255, 255]), 255);
        assert_eq!(one(Builtin::Clz, Scalar::Short, &[0]), 16);
        assert_eq!(one(Builtin::Clz, Scalar::Char, &[-1]), 0);
        assert_eq!(one(Builtin::Ctz, Scalar::Ulong, &[0]), 64);
        assert_eq!(one(Builtin::Rotate, Scalar::Uchar, &[0x81, 1]), 3);
        assert_eq!(one(Builtin::Rotate, Scalar::Int, &[1, -1]), i128::from(i32::MIN));
        let most = i128::from(u64::MAX);
        assert_eq!(one(Builtin::MulHi, Scalar::Ulong, &[most, most]), most - 1);
        assert_eq!(one(Builtin::MadSat, Scalar::Ulong, &[most, most, most]), most);
        assert_eq!(one(Builtin::MulHi, Scalar::Long, &[i128::from(i64::MIN), -1]), 0);
    }
}
