//! Where kernels print: the host program's standard output, or the function that the context was made with (cl_arm_printf).
//!
//! In: text as parts of a launch end, from the threads that execute it. Nothing is kept, and what did not fit the buffer is lost
//! without a word, as the specification has it.

use std::ffi::{c_char, c_void};
use std::sync::{Arc, LazyLock};

use oxcl_runtime::PrintSink;

use crate::types::UserData;

/// The function of a context: characters, how many, whether these were all that the buffer held, and the user's data.
pub(crate) type PrintNotify = unsafe extern "C" fn(*const c_char, usize, usize, UserData);

/// The standard output.
pub(crate) fn standard_output() -> PrintSink {
    static PRINTER: LazyLock<PrintSink> = LazyLock::new(|| {
        Arc::new(|text, _dropped| {
            // SAFETY: the text is that long, and is not kept. C's own stream keeps the order with what the host prints.
            unsafe { libc::fwrite(text.as_ptr().cast(), 1, text.len(), stdout) };
            // SAFETY: the stream is the C library's standard output.
            unsafe { libc::fflush(stdout) };
        })
    });
    Arc::clone(&PRINTER)
}

// SAFETY: the C library's own variable of that name.
unsafe extern "C" {
    static stdout: *mut libc::FILE;
}

/// The function at an address that a context property gives; `None` for none.
pub(crate) fn function(address: isize) -> Option<PrintNotify> {
    let address = address as usize as *const c_void;
    if address.is_null() {
        return None;
    }
    // SAFETY: the property's value is a pointer to a function of this type (cl_arm_printf); a pointer that is not null is one.
    Some(unsafe { std::mem::transmute::<*const c_void, PrintNotify>(address) })
}

/// A sink that gives everything to a function.
pub(crate) fn to_function(call: PrintNotify, data: UserData) -> PrintSink {
    Arc::new(move |text, _dropped| {
        if text.is_empty() {
            return;
        }
        // SAFETY: the application gave the function for this call; the text is that long, and is not used after it.
        unsafe { call(text.as_ptr().cast(), text.len(), 1, data) };
    })
}
