//! Answers of the `clGet…Info` functions: one rule for all of them.

use crate::args::{Memory, Out};
use crate::cl;
use crate::handle::Handle;
use crate::status::{Answer, ensure};
use crate::types::NameVersion;

/// A type whose bytes are what C expects, without padding.
///
/// # Safety
/// Every byte of a value is initialised.
pub(crate) unsafe trait Plain: Copy {}

// SAFETY: integers have no padding.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for i32 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}
// SAFETY: as above.
unsafe impl Plain for usize {}
// SAFETY: as above.
unsafe impl Plain for isize {}
// SAFETY: a pointer has no padding.
unsafe impl<T> Plain for Handle<T> {}
// SAFETY: a pointer has no padding.
unsafe impl Plain for Memory {}
// SAFETY: a number and 64 bytes, without padding.
unsafe impl Plain for NameVersion {}

/// Where an answer goes.
#[derive(Clone, Copy)]
pub(crate) struct Reply {
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
}

impl Reply {
    pub(crate) fn new(size: usize, value: Memory, size_ret: Out<usize>) -> Self {
        Self { size, value, size_ret }
    }

    pub(crate) fn bytes(self, bytes: &[u8]) -> Answer {
        // CL_INVALID_VALUE where there is a place for the value and it is too small (every query of the specification).
        ensure(self.value.is_null() || self.size >= bytes.len(), cl::INVALID_VALUE)?;
        self.value.write(bytes);
        self.size_ret.set(bytes.len());
        Ok(())
    }

    pub(crate) fn value<T: Plain>(self, value: T) -> Answer {
        self.slice(&[value])
    }

    pub(crate) fn slice<T: Plain>(self, values: &[T]) -> Answer {
        // SAFETY: `Plain` says that every byte is initialised; the slice is borrowed for the call.
        self.bytes(unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) })
    }

    pub(crate) fn bool(self, value: bool) -> Answer {
        self.value(u32::from(value))
    }

    /// A text and its NUL.
    pub(crate) fn text(self, text: &str) -> Answer {
        let mut bytes = text.as_bytes().to_vec();
        bytes.push(0);
        self.bytes(&bytes)
    }
}
