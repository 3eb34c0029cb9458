//! The index space of a launch as its user gives it, with the checks that need neither kernel nor device.

use crate::error::{Coded, ErrorCode};

/// Global size, offset and local size of a launch, in 1 to 3 dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NdRange {
    work_dim: u32,
    global: [u64; 3],
    offset: [u64; 3],
    local: Option<[u64; 3]>,
}

/// An index space that no device could run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NdRangeError {
    /// Not 1 to 3 dimensions.
    #[error("an index space has 1, 2 or 3 dimensions, not {0}")]
    Dimensions(usize),
    /// Offset or local size have other dimensions than the global size.
    #[error("the {what} has {given} dimensions, the global size has {dimensions}")]
    Mismatch {
        /// `local size` or `global offset`.
        what: &'static str,
        /// Its number of dimensions.
        given: usize,
        /// That of the global size.
        dimensions: u32,
    },
    /// A size is zero.
    #[error("the {what} is zero in dimension {dimension}")]
    Zero {
        /// `local size` or `global size`.
        what: &'static str,
        /// The dimension, from 0.
        dimension: usize,
    },
    /// Ids or their number do not fit 64 bits.
    #[error("the {what} does not fit 64 bits")]
    Overflow {
        /// What does not fit.
        what: &'static str,
    },
}

impl Coded for NdRangeError {
    fn code(&self) -> ErrorCode {
        ErrorCode(match self {
            Self::Dimensions(_) => "OX0530",
            Self::Mismatch { .. } => "OX0531",
            Self::Zero { .. } => "OX0532",
            Self::Overflow { .. } => "OX0533",
        })
    }
}

#[inline]
fn widen(sizes: &[u64], missing: u64) -> [u64; 3] {
    std::array::from_fn(|dimension| sizes.get(dimension).copied().unwrap_or(missing))
}

#[inline]
fn not_zero(what: &'static str, sizes: &[u64]) -> Result<(), NdRangeError> {
    match sizes.iter().position(|&size| size == 0) {
        Some(dimension) => Err(NdRangeError::Zero { what, dimension }),
        None => Ok(()),
    }
}

#[inline]
fn product(what: &'static str, sizes: [u64; 3]) -> Result<u64, NdRangeError> {
    let [x, y, z] = sizes;
    let product = x.checked_mul(y).and_then(|area| area.checked_mul(z));
    product.ok_or(NdRangeError::Overflow { what })
}

impl NdRange {
    /// An index space of this global size, without offset, whose local size the runtime chooses.
    ///
    /// # Errors
    /// Not 1 to 3 dimensions, a size of zero, or more than 64 bits' worth of work-items.
    #[inline]
    pub fn new(global: &[u64]) -> Result<Self, NdRangeError> {
        // CL_INVALID_WORK_DIMENSION if work_dim is not a value between 1 and 3.
        let work_dim = match global.len() {
            1 => 1,
            2 => 2,
            3 => 3,
            other => return Err(NdRangeError::Dimensions(other)),
        };
        // CL_INVALID_GLOBAL_WORK_SIZE if any of the sizes is 0 (OpenCL 1.2).
        not_zero("global size", global)?;
        let sizes = widen(global, 1);
        product("number of work-items", sizes)?;
        Ok(Self { work_dim, global: sizes, offset: [0; 3], local: None })
    }

    /// The same with a local size.
    ///
    /// # Errors
    /// It has other dimensions, or is zero in one.
    #[inline]
    pub fn with_local(self, local: &[u64]) -> Result<Self, NdRangeError> {
        self.same_dimensions("local size", local)?;
        // CL_INVALID_WORK_GROUP_SIZE or CL_INVALID_WORK_ITEM_SIZE for a size of 0.
        not_zero("local size", local)?;
        let local = widen(local, 1);
        product("number of work-items in a work-group", local)?;
        Ok(Self { local: Some(local), ..self })
    }

    /// The same with a global offset.
    ///
    /// # Errors
    /// It has other dimensions, or takes ids past 64 bits.
    #[inline]
    pub fn with_offset(self, offset: &[u64]) -> Result<Self, NdRangeError> {
        self.same_dimensions("global offset", offset)?;
        let offset = widen(offset, 0);
        // CL_INVALID_GLOBAL_OFFSET if offset plus size does not fit size_t.
        if self.global.iter().zip(offset).any(|(size, offset)| size.checked_add(offset).is_none()) {
            return Err(NdRangeError::Overflow { what: "global offset plus the global size" });
        }
        Ok(Self { offset, ..self })
    }

    #[inline]
    fn same_dimensions(&self, what: &'static str, sizes: &[u64]) -> Result<(), NdRangeError> {
        if sizes.len() == self.work_dim as usize {
            return Ok(());
        }
        Err(NdRangeError::Mismatch { what, given: sizes.len(), dimensions: self.work_dim })
    }

    /// Number of dimensions, 1 to 3.
    #[must_use]
    pub fn work_dim(&self) -> u32 {
        self.work_dim
    }

    /// Global size; 1 in further dimensions.
    #[must_use]
    pub fn global(&self) -> [u64; 3] {
        self.global
    }

    /// Global offset; 0 in further dimensions.
    #[must_use]
    pub fn offset(&self) -> [u64; 3] {
        self.offset
    }

    /// Local size, where the user gave one; 1 in further dimensions.
    #[must_use]
    pub fn local(&self) -> Option<[u64; 3]> {
        self.local
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_that_no_device_could_run_are_errors() {
        assert_eq!(NdRange::new(&[]).unwrap_err(), NdRangeError::Dimensions(0));
        assert_eq!(NdRange::new(&[1; 4]).unwrap_err(), NdRangeError::Dimensions(4));
        let zero = |what, dimension| NdRangeError::Zero { what, dimension };
        assert_eq!(NdRange::new(&[4, 0]).unwrap_err(), zero("global size", 1));
        assert!(matches!(NdRange::new(&[1 << 40, 1 << 40]).unwrap_err(), NdRangeError::Overflow { .. }));
        let range = NdRange::new(&[8, 8]).unwrap();
        assert!(matches!(range.with_local(&[2]).unwrap_err(), NdRangeError::Mismatch { given: 1, .. }));
        assert_eq!(range.with_local(&[0, 2]).unwrap_err(), zero("local size", 0));
        assert!(matches!(range.with_offset(&[0, u64::MAX]).unwrap_err(), NdRangeError::Overflow { .. }));
        let full = range.with_local(&[2, 4]).unwrap().with_offset(&[1, 2]).unwrap();
        assert_eq!((full.local(), full.offset(), full.global()), (Some([2, 4, 1]), [1, 2, 0], [8, 8, 1]));
    }
}
