//! Arguments as C passes them: pointers that may be NULL, with lengths beside them. Reading and writing through them
//! happens here and nowhere else.
//!
//! On entry: values that came through the C border, where the specification makes the caller promise that a pointer is
//! NULL or leads to what it says. On exit: safe Rust values. Nothing here can tell a wild pointer; handles, which can
//! be told, are in `handle.rs`.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::NonNull;

use oxcl_runtime::HostSpan;

use crate::types::Uint;

/// A pointer to one `T` to read, or to an array of them; may be NULL.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct In<T>(*const T);

impl<T: Copy> In<T> {
    pub(crate) const NULL: In<T> = In(std::ptr::null());

    /// A pointer to a value of ours, for a call of our own functions.
    pub(crate) fn to(value: &T) -> In<T> {
        In(value)
    }

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The first `count` elements; none where the pointer is NULL.
    pub(crate) fn take(self, count: usize) -> Option<Vec<T>> {
        (!self.0.is_null()).then(|| (0..count).map(|index| self.at(index)).collect())
    }

    /// The first `count` elements, `N` at most, and `rest` for those that are missing; none where the pointer is NULL.
    pub(crate) fn few<const N: usize>(self, count: usize, rest: T) -> Option<[T; N]> {
        let value = |index| if index < count { self.at(index) } else { rest };
        (!self.0.is_null()).then(|| std::array::from_fn(value))
    }

    /// The value; none where the pointer is NULL.
    pub(crate) fn get(self) -> Option<T> {
        (!self.0.is_null()).then(|| self.at(0))
    }

    /// The elements before the first that `is_end`, at most `limit` of them; empty where the pointer is NULL.
    pub(crate) fn until(self, limit: usize, step: usize, is_end: impl Fn(&T) -> bool) -> Vec<T> {
        let mut all = Vec::new();
        while !self.0.is_null() && all.len() < limit {
            let next = self.at(all.len());
            if is_end(&next) {
                break;
            }
            all.push(next);
            for _ in 1..step {
                all.push(self.at(all.len()));
            }
        }
        all
    }

    fn at(self, index: usize) -> T {
        let place = self.0.wrapping_add(index);
        // SAFETY: the C caller promises that many elements at a pointer that is not NULL; their alignment is not
        // relied on.
        unsafe { place.read_unaligned() }
    }
}

/// A pointer to one `T` to write, or to an array of them; may be NULL.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Out<T>(*mut T);

impl<T: Copy> Out<T> {
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Writes the value, unless the pointer is NULL.
    pub(crate) fn set(self, value: T) {
        self.set_at(0, value);
    }

    /// Writes an element, unless the pointer is NULL.
    pub(crate) fn set_at(self, index: usize, value: T) {
        if !self.0.is_null() {
            let place = self.0.wrapping_add(index);
            // SAFETY: the C caller promises that many elements at a pointer that is not NULL; their alignment is not
            // relied on.
            unsafe { place.write_unaligned(value) }
        }
    }
}

/// Bytes of the host program, read or written as the function says; may be NULL.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Memory(pub(crate) *mut c_void);

impl Memory {
    pub(crate) const NULL: Memory = Memory(std::ptr::null_mut());

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    pub(crate) fn address(self) -> usize {
        self.0 as usize
    }

    /// A copy of the first `count` bytes; none where the pointer is NULL.
    pub(crate) fn copy(self, count: usize) -> Option<Vec<u8>> {
        In(self.0.cast_const().cast::<u8>()).take(count)
    }

    /// The first bytes as a handle or a number.
    pub(crate) fn read<T: Copy>(self) -> Option<T> {
        In(self.0.cast_const().cast::<T>()).get()
    }

    /// Writes bytes.
    pub(crate) fn write(self, bytes: &[u8]) {
        if !self.0.is_null() {
            // SAFETY: the C caller promises that many bytes at a pointer that is not NULL.
            unsafe { self.0.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
        }
    }

    /// The `length` bytes for a command that uses them later; none where the pointer is NULL.
    pub(crate) fn span(self, length: usize) -> Option<HostSpan> {
        let start = NonNull::new(self.0.cast::<u8>())?;
        // SAFETY: the C caller promises to keep the bytes, and to leave them alone as the command's kind asks, until
        // the command has ended.
        Some(unsafe { HostSpan::new(start, length as u64) })
    }
}

// SAFETY: an address; whoever uses it answers for the thread it is used in, as `HostSpan` says.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

/// A text that ends with NUL; may be NULL.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Text(*const c_char);

impl Text {
    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The text; none where the pointer is NULL. What is not UTF-8 is replaced.
    pub(crate) fn get(self) -> Option<String> {
        if self.0.is_null() {
            return None;
        }
        // SAFETY: the C caller promises a NUL at the end of the text.
        let text = unsafe { CStr::from_ptr(self.0) };
        Some(text.to_string_lossy().into_owned())
    }

    /// The text of a given length, or up to its NUL where the length is 0.
    pub(crate) fn get_sized(self, length: usize) -> Option<String> {
        if length == 0 {
            return self.get();
        }
        let bytes = In(self.0.cast::<u8>()).take(length)?;
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }
}

/// A pair of a count and a list: both or neither.
pub(crate) fn list<T: Copy>(count: Uint, items: In<T>) -> Option<Vec<T>> {
    match (count, items.is_null()) {
        (0, true) => Some(Vec::new()),
        (0, false) | (_, true) => None,
        (count, false) => items.take(count as usize),
    }
}
