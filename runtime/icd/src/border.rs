//! The border to C: panics stop here, results become what C expects, and what finds no memory is tried again (`shortage.rs`).

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::args::{Memory, Out};
use crate::cl;
use crate::handle::Handle;
use crate::shortage;
use crate::status::{Answer, Status};
use crate::types::Int;

/// A panic is a fault of ours; the application hears that its call failed.
fn guarded<T>(call: impl Fn() -> Answer<T>) -> Answer<T> {
    // What a panic leaves behind is behind locks, whose users do not mind.
    let caught = || catch_unwind(AssertUnwindSafe(&call)).unwrap_or(Err(Status(cl::OUT_OF_RESOURCES)));
    let answer = caught();
    if answer.is_ok() { answer } else { shortage::again(answer, caught) }
}

/// A function that returns a status.
pub(crate) fn status(call: impl Fn() -> Answer) -> Int {
    match guarded(call) {
        Ok(()) => cl::SUCCESS,
        Err(Status(code)) => code,
    }
}

/// A function that returns an object, and its status through a pointer.
pub(crate) fn object<T>(errcode: Out<Int>, call: impl Fn() -> Answer<Handle<T>>) -> Handle<T> {
    let (handle, code) = match guarded(call) {
        Ok(handle) => (handle, cl::SUCCESS),
        Err(Status(code)) => (Handle::NULL, code),
    };
    errcode.set(code);
    handle
}

/// A function that returns an object, and its status through a pointer; there may be an object beside an error.
pub(crate) fn linked<T>(errcode: Out<Int>, call: impl Fn() -> Answer<(Handle<T>, Int)>) -> Handle<T> {
    let (handle, code) = guarded(call).unwrap_or_else(|Status(code)| (Handle::NULL, code));
    errcode.set(code);
    handle
}

/// A function that returns an address, and its status through a pointer.
pub(crate) fn mapped(errcode: Out<Int>, call: impl Fn() -> Answer<Memory>) -> Memory {
    let (memory, code) = match guarded(call) {
        Ok(memory) => (memory, cl::SUCCESS),
        Err(Status(code)) => (Memory::NULL, code),
    };
    errcode.set(code);
    memory
}

/// A function that returns an address, NULL where it fails.
pub(crate) fn address(call: impl Fn() -> Answer<Memory>) -> Memory {
    guarded(call).unwrap_or(Memory::NULL)
}

/// A function that returns nothing.
pub(crate) fn nothing(call: impl Fn() -> Answer) {
    let _ = guarded(call);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panics_become_errors() {
        let silent = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let code = status(|| panic!("a fault"));
        nothing(|| panic!("a fault"));
        std::panic::set_hook(silent);
        assert_eq!(code, cl::OUT_OF_RESOURCES);
        assert_eq!(status(|| Err(Status(cl::INVALID_VALUE))), cl::INVALID_VALUE);
        assert_eq!(status(|| Ok(())), cl::SUCCESS);
    }
}
