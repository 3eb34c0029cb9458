//! What work-items of a sub-group do together: those of a set that come to a statement at a time.
//!
//! A sub-group is so many items one after another; the last one of a group may be short.

use super::Machine;
use super::execute::items;
use super::expression::convert_value;
use super::refusal::{Refusal, Why};
use super::value::{Frame, Value};
use crate::ast::{Combine, Expr, Extent, SubGroupOp};
use crate::types::{Scalar, Type};

impl<'p> Machine<'p> {
    /// Makes an operation in each sub-group that items of `mask` belong to.
    pub(super) fn sub_groups(
        &mut self,
        f: &Frame,
        node: u32,
        target: usize,
        operation: SubGroupOp,
        arguments: &'p [Expr],
        mask: u64,
    ) -> Result<(), Refusal> {
        let fail = |why| Refusal { node, why };
        let size = self.program.sub_group.ok_or(fail(Why::Malformed))?;
        let scalar = match arguments.first() {
            Some(first) => first.ty.scalar().ok_or(fail(Why::Malformed))?,
            None => Scalar::Int,
        };
        let gives_value = !matches!(
            operation,
            SubGroupOp::All | SubGroupOp::Any | SubGroupOp::AllEqual | SubGroupOp::Count | SubGroupOp::Elect
        );
        let from = if gives_value { Type::Scalar(scalar) } else { Type::INT };
        let to = self.program.functions[f.function].variables[target].ty.clone();
        for first in (0..self.group.items).step_by(size as usize) {
            let whole = u64::MAX >> (64 - size.min(self.group.items - first)) << first;
            let here = mask & whole;
            if here == 0 {
                continue;
            }
            let mut given = Vec::new();
            for lane in items(here) {
                let of_lane =
                    arguments.iter().map(|argument| self.eval(f, lane, argument)?.scalar().map_err(fail));
                given.push(of_lane.collect::<Result<Vec<u64>, _>>()?);
            }
            let results = together(operation, scalar, &given, here == whole, size as usize).map_err(fail)?;
            for (lane, bits) in items(here).zip(results) {
                let value = convert_value(Value::Scalar(bits), &from, &to).map_err(fail)?;
                self.assign(f, target, &value, lane).map_err(fail)?;
            }
        }
        Ok(())
    }
}

/// What each item of a sub-group of `size`, or less at a group's end, gets, of those that come by; `are_all`: they are all of it.
fn together(
    operation: SubGroupOp,
    scalar: Scalar,
    given: &[Vec<u64>],
    are_all: bool,
    size: usize,
) -> Result<Vec<u64>, Why> {
    let count = given.len();
    let value = |item: usize| given[item].first().copied().ok_or(Why::Malformed);
    let number = |item: usize| given[item].get(1).map(|number| *number as usize).ok_or(Why::Malformed);
    let holds = || (0..count).map(|item| Ok(value(item)? != 0)).collect::<Result<Vec<bool>, Why>>();
    let same = |result: u64| Ok(vec![result; count]);
    let needs_all = matches!(
        operation,
        SubGroupOp::Uniform(..) | SubGroupOp::Broadcast | SubGroupOp::Shuffle | SubGroupOp::Rotate
    );
    if needs_all && !are_all {
        return Err(Why::Divergence);
    }
    match operation {
        SubGroupOp::Uniform(extent, combine) | SubGroupOp::NonUniform(extent, combine) => {
            let values = (0..count).map(value).collect::<Result<Vec<u64>, Why>>()?;
            combined(extent, combine, scalar, &values)
        }
        SubGroupOp::All => same(u64::from(holds()?.iter().all(|holds| *holds))),
        SubGroupOp::Any => same(u64::from(holds()?.iter().any(|holds| *holds))),
        SubGroupOp::Count => same(holds()?.iter().filter(|holds| **holds).count() as u64),
        SubGroupOp::AllEqual => {
            let first = value(0)?;
            let values = (0..count).map(value).collect::<Result<Vec<u64>, Why>>()?;
            same(u64::from(values.iter().all(|value| *value == first)))
        }
        SubGroupOp::Elect => Ok((0..count).map(|item| u64::from(item == 0)).collect()),
        SubGroupOp::BroadcastFirst => same(value(0)?),
        SubGroupOp::Broadcast => {
            let from = number(0)?;
            if (0..count).any(|item| number(item) != Ok(from)) {
                return Err(Why::NotUniform);
            }
            same(value(from % count)?)
        }
        SubGroupOp::Shuffle => (0..count).map(|item| value(number(item)? % count)).collect(),
        // Numbers count around the whole size.
        SubGroupOp::Rotate if count < size => Err(Why::Divergence),
        SubGroupOp::Rotate => (0..count).map(|item| value((item + number(item)?) % count)).collect(),
    }
}

/// The numbers of each item's extent as one.
pub(super) fn combined(
    extent: Extent,
    combine: Combine,
    scalar: Scalar,
    values: &[u64],
) -> Result<Vec<u64>, Why> {
    let (low, high) = scalar.range();
    // Sums may be made in any order, so that no part of them may overflow.
    let sizes: i128 = values.iter().map(|bits| scalar.integer(*bits).abs()).sum();
    if combine == Combine::Add && scalar.is_signed() && sizes > high {
        return Err(Why::Overflow);
    }
    let join = |a: u64, b: u64| match combine {
        Combine::And => a & b,
        Combine::Or => a | b,
        Combine::Xor => a ^ b,
        Combine::Mul if scalar.bits() == 64 => a.wrapping_mul(b),
        _ => {
            let (a, b) = (scalar.integer(a), scalar.integer(b));
            scalar.wrap(match combine {
                Combine::Min => a.min(b),
                Combine::Max => a.max(b),
                Combine::Mul => a * b,
                _ => a + b,
            })
        }
    };
    let none = scalar.wrap(match combine {
        Combine::Mul => 1,
        Combine::Min => high,
        Combine::Max => low,
        Combine::And => -1,
        Combine::Add | Combine::Or | Combine::Xor => 0,
    });
    let up_to = |end: usize| values[..end].iter().fold(none, |sum, value| join(sum, *value));
    let count = values.len();
    Ok((0..count)
        .map(|item| match extent {
            Extent::All => up_to(count),
            Extent::Inclusive => up_to(item + 1),
            Extent::Exclusive => up_to(item),
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::{Combine, Extent, Scalar, SubGroupOp, Why, together};

    fn of(operation: SubGroupOp, values: &[u64]) -> Result<Vec<u64>, Why> {
        let given: Vec<Vec<u64>> = values.iter().map(|value| vec![*value]).collect();
        together(operation, Scalar::Uchar, &given, false, 4)
    }

    #[test]
    fn numbers_of_those_who_come_by_are_combined() {
        let non_uniform = |extent, combine| of(SubGroupOp::NonUniform(extent, combine), &[200, 100, 3]);
        assert_eq!(non_uniform(Extent::All, Combine::Add), Ok(vec![47; 3]));
        assert_eq!(non_uniform(Extent::Inclusive, Combine::Mul), Ok(vec![200, 32, 96]));
        assert_eq!(non_uniform(Extent::Exclusive, Combine::And), Ok(vec![255, 200, 64]));
        assert_eq!(non_uniform(Extent::Exclusive, Combine::Min), Ok(vec![255, 200, 100]));
        assert_eq!(of(SubGroupOp::Count, &[0, 7, 1]), Ok(vec![2; 3]));
        assert_eq!(of(SubGroupOp::Elect, &[0, 7]), Ok(vec![1, 0]));
        assert_eq!(of(SubGroupOp::BroadcastFirst, &[9, 7]), Ok(vec![9, 9]));
    }

    #[test]
    fn some_operations_need_the_whole_sub_group() {
        let given = [vec![5, 1], vec![6, 2], vec![7, 3]];
        let shuffle = |are_all| together(SubGroupOp::Shuffle, Scalar::Int, &given, are_all, 4);
        assert_eq!(shuffle(false), Err(Why::Divergence));
        assert_eq!(shuffle(true), Ok(vec![6, 7, 5]));
        let rotate = |size| together(SubGroupOp::Rotate, Scalar::Int, &given, true, size);
        assert_eq!((rotate(3), rotate(4)), (Ok(vec![6, 5, 7]), Err(Why::Divergence)));
        let broadcast = together(SubGroupOp::Broadcast, Scalar::Int, &given, true, 3);
        assert_eq!(broadcast, Err(Why::NotUniform));
    }
}
