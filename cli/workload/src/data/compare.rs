//! Comparing what a kernel made with what was expected.
//!
//! Two lanes agree when `|got - want| <= tolerance * max(1, |want|)`; infinities agree with themselves, NaN with NaN.
//! With tolerance 0 integers must be equal and floats equal as numbers (so -0 agrees with 0).

use super::HostData;
use super::number::{self, Number};

/// What a comparison found.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Lanes compared.
    pub lanes: usize,
    /// Lanes that disagree.
    pub wrong: usize,
    /// The first of them.
    pub first: Option<Mismatch>,
    /// The largest `|got - want| / max(1, |want|)` seen; infinite where one side is no finite number.
    pub worst: f64,
}

/// A lane that disagrees.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch {
    /// Which element.
    pub element: usize,
    /// Which lane of it.
    pub lane: usize,
    /// What is there.
    pub got: String,
    /// What should be there.
    pub want: String,
}

/// Compares two buffers of the same scalar type, over the lanes of the shorter one.
pub fn compare(got: &HostData, want: &HostData, tolerance: f64) -> Comparison {
    let scalar = got.element.scalar;
    let per_element = usize::from(got.element.lanes);
    let mut result = Comparison { lanes: 0, wrong: 0, first: None, worst: 0.0 };
    for (index, (a, b)) in got.lanes().zip(want.lanes()).enumerate() {
        result.lanes += 1;
        if a == b {
            continue;
        }
        let error = distance(number::decode(a, scalar), number::decode(b, want.element.scalar));
        result.worst = result.worst.max(error);
        if error > tolerance {
            result.wrong += 1;
            if result.first.is_none() {
                result.first = Some(Mismatch {
                    element: index / per_element,
                    lane: index % per_element,
                    got: number::text(a, scalar),
                    want: number::text(b, want.element.scalar),
                });
            }
        }
    }
    result
}

/// `|got - want| / max(1, |want|)`; 0 for two NaNs, infinite where only one side is NaN or they differ by infinity.
fn distance(got: Number, want: Number) -> f64 {
    match (got, want) {
        (Number::Int { value: a, .. }, Number::Int { value: b, .. }) => {
            (a - b).unsigned_abs() as f64 / (b.unsigned_abs() as f64).max(1.0)
        }
        (a, b) => {
            let (a, b) = (a.to_f64(), b.to_f64());
            if a == b || (a.is_nan() && b.is_nan()) {
                0.0
            } else if a.is_finite() && b.is_finite() {
                (a - b).abs() / b.abs().max(1.0)
            } else {
                f64::INFINITY
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::element::{Element, Scalar};
    use super::*;

    fn floats(values: &[f32]) -> HostData {
        HostData::new(Element::scalar(Scalar::Float), values.iter().flat_map(|v| v.to_le_bytes()).collect())
    }

    #[test]
    fn tolerance_is_absolute_below_one_and_relative_above() {
        assert_eq!(compare(&floats(&[0.001]), &floats(&[0.0]), 0.01).wrong, 0);
        assert_eq!(compare(&floats(&[1001.0]), &floats(&[1000.0]), 0.01).wrong, 0);
        assert_eq!(compare(&floats(&[1.1]), &floats(&[1.0]), 0.01).wrong, 1);
    }

    #[test]
    fn special_values() {
        let nan = f32::NAN;
        let inf = f32::INFINITY;
        assert_eq!(compare(&floats(&[nan, inf, -0.0]), &floats(&[nan, inf, 0.0]), 0.0).wrong, 0);
        let found = compare(&floats(&[1.0, nan, inf, inf]), &floats(&[1.0, 1.0, 1.0, -inf]), 1e9);
        assert_eq!(found.wrong, 3);
        assert_eq!(found.first.map(|m| (m.element, m.got)), Some((1, "nan".to_owned())));
    }

    #[test]
    fn large_integers_compare_exactly() {
        let element = Element::scalar(Scalar::ULong);
        let a = HostData::new(element, u64::MAX.to_le_bytes().to_vec());
        let b = HostData::new(element, (u64::MAX - 1).to_le_bytes().to_vec());
        assert_eq!(compare(&a, &b, 0.0).wrong, 1);
    }
}
