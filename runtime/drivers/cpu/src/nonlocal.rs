//! Leaving a kernel before it returns: a call that can be ended from inside, or by a signal handler.
//!
//! [`enter`] saves the registers that a callee must keep and calls, on the thread's stack or another; [`leave`] (or a signal handler that arranges to
//! continue at [`resume_address`] with the frame in the first argument register) takes the stack back to where
//! `enter` was, and `enter` returns 1. Frames between the two vanish without being unwound: there must be none with a
//! destructor. Kernel code has none, and the callbacks here keep to it.

use std::arch::global_asm;
use std::ffi::c_void;

/// Where a call that may be left has its stack.
#[repr(C)]
#[derive(Debug, Default)]
pub(crate) struct Frame {
    stack: u64,
}

impl Frame {
    /// The stack pointer with which execution goes on after leaving.
    pub(crate) fn stack(&self) -> u64 {
        self.stack
    }
}

global_asm!(
    ".text",
    ".balign 16",
    ".hidden oxcl_nonlocal_enter",
    ".global oxcl_nonlocal_enter",
    ".type oxcl_nonlocal_enter, @function",
    "oxcl_nonlocal_enter:",
    ".cfi_startproc",
    "push rbp",
    ".cfi_def_cfa_offset 16",
    ".cfi_offset rbp, -16",
    "mov rbp, rsp",
    ".cfi_def_cfa_register rbp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    "sub rsp, 8",
    "stmxcsr [rsp]",
    "fnstcw [rsp + 4]",
    "mov [rdi], rsp",
    "mov rbx, rsp",
    "mov rdi, rdx",
    "test rcx, rcx",
    "cmovnz rsp, rcx",
    "call rsi",
    "mov rsp, rbx",
    "xor eax, eax",
    "2:",
    "add rsp, 8",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    ".cfi_def_cfa rsp, 8",
    "ret",
    ".cfi_endproc",
    ".hidden oxcl_nonlocal_leave",
    ".global oxcl_nonlocal_leave",
    ".type oxcl_nonlocal_leave, @function",
    "oxcl_nonlocal_leave:",
    "mov rsp, [rdi]",
    "cld",
    "fninit",
    "fldcw [rsp + 4]",
    "ldmxcsr [rsp]",
    "mov eax, 1",
    "jmp 2b",
);

unsafe extern "C" {
    fn oxcl_nonlocal_enter(
        frame: *mut Frame,
        function: unsafe extern "C" fn(*mut c_void),
        data: *mut c_void,
        stack: u64,
    ) -> u32;
    fn oxcl_nonlocal_leave(frame: *const Frame) -> !;
}

/// Calls `function(data)`, on the stack that ends at `stack` unless that is 0. Gives whether it was left instead of
/// returning.
///
/// # Safety
/// The call `function(data)` must be sound. `stack` must be a multiple of 16, and nobody else may use what is below it
/// until this returns. `frame` must be writable and stay where it is until this returns. Whoever
/// leaves must do so on this thread, while this call runs, with no frame in between that has a destructor.
pub(crate) unsafe fn enter(
    frame: *mut Frame,
    function: unsafe extern "C" fn(*mut c_void),
    data: *mut c_void,
    stack: u64,
) -> bool {
    // SAFETY: by the caller's promise.
    unsafe { oxcl_nonlocal_enter(frame, function, data, stack) != 0 }
}

/// Ends the call that was entered with `frame`.
///
/// # Safety
/// That call runs on this thread, and no frame between here and there has a destructor.
pub(crate) unsafe fn leave(frame: *const Frame) -> ! {
    // SAFETY: by the caller's promise.
    unsafe { oxcl_nonlocal_leave(frame) }
}

/// Where a signal handler continues to leave, with the frame's address in the first argument register and its stack
/// in the stack pointer.
pub(crate) fn resume_address() -> u64 {
    oxcl_nonlocal_leave as *const () as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Call {
        frame: Frame,
        leaves: bool,
        done: bool,
        /// Where the body's variables were.
        at: u64,
    }

    unsafe extern "C" fn body(data: *mut c_void) {
        let call = data.cast::<Call>();
        let here = std::hint::black_box(0_u8);
        // SAFETY: `data` is the test's call.
        unsafe { (*call).at = &raw const here as u64 };
        // SAFETY: `data` is the test's call.
        let leaves = unsafe { (*call).leaves };
        if leaves {
            // SAFETY: the field lies inside the structure.
            let frame = unsafe { &raw const (*call).frame };
            // SAFETY: the frame is that of the call that runs this function.
            unsafe { leave(frame) };
        }
        // SAFETY: `data` is the test's call.
        unsafe { (*call).done = true };
    }

    #[test]
    fn a_call_returns_or_is_left() {
        let stack = crate::stack::KernelStack::new().unwrap();
        for (leaves, stack) in [false, true, true, false].into_iter().flat_map(|l| [(l, 0), (l, stack.top())])
        {
            let mut call = Call { frame: Frame::default(), leaves, done: false, at: 0 };
            let data = &raw mut call;
            // SAFETY: the field lies inside the structure.
            let frame = unsafe { &raw mut (*data).frame };
            // SAFETY: the frame lives until the call is over, and `body` has no destructors.
            let left = unsafe { enter(frame, body, data.cast(), stack) };
            assert_eq!((left, call.done), (leaves, !leaves));
            let within = (stack.saturating_sub(1 << 16)..stack).contains(&call.at);
            assert_eq!(within, stack != 0, "{:#x} {stack:#x}", call.at);
        }
    }
}
