//! The C interface of `bridge/machine.h`, as it is: twins of its structures and its functions, and the collecting of
//! what it says into strings and vectors.

use std::ffi::{c_char, c_void};

use inkwell::llvm_sys::prelude::LLVMModuleRef;

/// Text or bytes borrowed for the length of a call; not terminated by a zero.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Text {
    pub(crate) data: *const c_char,
    pub(crate) size: usize,
}

impl Text {
    pub(crate) fn new(text: &str) -> Self {
        Self::bytes(text.as_bytes())
    }

    pub(crate) fn bytes(bytes: &[u8]) -> Self {
        Self { data: bytes.as_ptr().cast(), size: bytes.len() }
    }

    /// The text, with what is no UTF-8 replaced.
    ///
    /// # Safety
    /// `data` points to `size` readable bytes (or `size` is 0).
    pub(crate) unsafe fn to_string(self) -> String {
        if self.size == 0 {
            return String::new();
        }
        // SAFETY: the caller promises that `size` bytes are readable at `data`, which is not null then.
        let bytes = unsafe { std::slice::from_raw_parts(self.data.cast::<u8>(), self.size) };
        String::from_utf8_lossy(bytes).into_owned()
    }
}

pub(crate) type TextSink = unsafe extern "C" fn(user: *mut c_void, text: Text);

pub(crate) type InstructionSink =
    unsafe extern "C" fn(user: *mut c_void, address: u64, size: u64, text: Text);

pub(crate) const DONE: u32 = 0;
pub(crate) const CRASHED: u32 = 2;

/// An opaque LLVM target machine.
#[repr(C)]
pub(crate) struct RawMachine {
    private: [u8; 0],
}

#[repr(C)]
pub(crate) struct MachineDescription {
    pub(crate) triple: Text,
    pub(crate) cpu: Text,
    pub(crate) features: Text,
    pub(crate) level: u32,
}

#[repr(C)]
pub(crate) struct Pipeline {
    pub(crate) level: u32,
    pub(crate) vectorise: u32,
    pub(crate) verify: u32,
    pub(crate) widen: u32,
    pub(crate) whole_program: u32,
    pub(crate) generic: u32,
    pub(crate) exports: *const Text,
    pub(crate) export_count: usize,
}

#[repr(C)]
pub(crate) struct LinkResult {
    pub(crate) outcome: u32,
    pub(crate) can_run_again: u32,
}

unsafe extern "C" {
    pub(crate) fn oxcl_cpu_names(architecture: u32, sink: TextSink, user: *mut c_void);
    pub(crate) fn oxcl_host_cpu(sink: TextSink, user: *mut c_void);
    pub(crate) fn oxcl_host_features(sink: TextSink, user: *mut c_void);
    pub(crate) fn oxcl_cpu_features(
        architecture: u32,
        cpu: Text,
        adjustment: Text,
        sink: TextSink,
        user: *mut c_void,
    );

    pub(crate) fn oxcl_machine_new(
        description: *const MachineDescription,
        message: TextSink,
        user: *mut c_void,
    ) -> *mut RawMachine;
    pub(crate) fn oxcl_machine_free(machine: *mut RawMachine);
    pub(crate) fn oxcl_machine_layout(machine: *mut RawMachine, sink: TextSink, user: *mut c_void);
    pub(crate) fn oxcl_retarget(
        module: LLVMModuleRef,
        machine: *mut RawMachine,
        prefer_vector_width: u32,
        vscale: u32,
    );
    pub(crate) fn oxcl_optimise(
        module: LLVMModuleRef,
        machine: *mut RawMachine,
        pipeline: *const Pipeline,
        message: TextSink,
        user: *mut c_void,
    ) -> u32;
    pub(crate) fn oxcl_emit(
        module: LLVMModuleRef,
        machine: *mut RawMachine,
        assembly: u32,
        bytes: TextSink,
        message: TextSink,
        user: *mut c_void,
    ) -> u32;
    pub(crate) fn oxcl_spirv(
        module: LLVMModuleRef,
        triple: Text,
        extensions: *const Text,
        count: usize,
        attempt: usize,
        bytes: TextSink,
        message: TextSink,
        user: *mut c_void,
    ) -> u32;
    pub(crate) fn oxcl_tap(
        module: LLVMModuleRef,
        machine: *mut RawMachine,
        bytes: TextSink,
        message: TextSink,
        user: *mut c_void,
    ) -> u32;
    pub(crate) fn oxcl_disassemble(
        architecture: u32,
        code: Text,
        address: u64,
        sink: InstructionSink,
        user: *mut c_void,
    ) -> u32;
    pub(crate) fn oxcl_lld(
        arguments: *const *const c_char,
        argument_count: usize,
        message: TextSink,
        user: *mut c_void,
    ) -> LinkResult;
}

/// What a call of the bridge says: pieces of bytes, and messages.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    pub(crate) bytes: Vec<u8>,
    pub(crate) messages: Vec<String>,
}

impl Heard {
    /// The `user` to pass with [`hear_bytes`] and [`hear_message`].
    pub(crate) fn user(&mut self) -> *mut c_void {
        std::ptr::from_mut(self).cast()
    }

    /// All messages as one line.
    pub(crate) fn message(&self) -> String {
        self.messages.join("; ")
    }
}

/// Appends bytes to [`Heard::bytes`].
///
/// # Safety
/// `user` is from [`Heard::user`], and that `Heard` is not touched otherwise during the call; `text` is readable.
pub(crate) unsafe extern "C" fn hear_bytes(user: *mut c_void, text: Text) {
    // SAFETY: `user` is a `Heard` that nothing else touches now, as the caller promises.
    let heard = unsafe { &mut *user.cast::<Heard>() };
    if text.size > 0 {
        // SAFETY: the text is readable and not empty, so its pointer is valid for its size.
        heard.bytes.extend_from_slice(unsafe { std::slice::from_raw_parts(text.data.cast(), text.size) });
    }
}

/// Adds a message to [`Heard::messages`].
///
/// # Safety
/// `user` is from [`Heard::user`], and that `Heard` is not touched otherwise during the call; `text` is readable.
pub(crate) unsafe extern "C" fn hear_message(user: *mut c_void, text: Text) {
    // SAFETY: `user` is a `Heard` that nothing else touches now, as the caller promises.
    let heard = unsafe { &mut *user.cast::<Heard>() };
    // SAFETY: the text is readable, as the caller promises.
    heard.messages.push(unsafe { text.to_string() });
}
