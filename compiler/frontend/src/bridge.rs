//! The C interface of `bridge/clang.h`, as it is: twins of its structures and its functions, nothing more.
//! Each structure here has the layout of the structure of the same name there.

use std::ffi::{c_char, c_void};

use oxcl_ir::inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMModuleRef};

/// Text borrowed for the length of a call; not terminated by a zero.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Text {
    pub(crate) data: *const c_char,
    pub(crate) size: usize,
}

impl Text {
    pub(crate) fn new(text: &str) -> Self {
        Self { data: text.as_ptr().cast(), size: text.len() }
    }

    /// The bytes.
    ///
    /// # Safety
    /// `data` points to `size` readable bytes (or `size` is 0), for as long as the result is used.
    pub(crate) unsafe fn bytes<'a>(self) -> &'a [u8] {
        if self.size == 0 {
            return &[];
        }
        // SAFETY: the caller promises that `size` bytes are readable at `data`, which is not null then.
        unsafe { std::slice::from_raw_parts(self.data.cast::<u8>(), self.size) }
    }

    /// The text, with what is no UTF-8 replaced.
    ///
    /// # Safety
    /// `data` points to `size` readable bytes (or `size` is 0).
    pub(crate) unsafe fn to_string(self) -> String {
        // SAFETY: the caller promises what `bytes` asks for; the result is used here only.
        let bytes = unsafe { self.bytes() };
        String::from_utf8_lossy(bytes).into_owned()
    }
}

#[repr(C)]
pub(crate) struct File {
    pub(crate) path: Text,
    pub(crate) text: Text,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Position {
    pub(crate) offset: u32,
    pub(crate) line: u32,
    pub(crate) column: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Range {
    pub(crate) begin: Position,
    pub(crate) end: Position,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct FixIt {
    pub(crate) replace: Range,
    pub(crate) text: Text,
}

#[repr(C)]
pub(crate) struct Diagnostic {
    pub(crate) severity: u32,
    pub(crate) message: Text,
    pub(crate) option: Text,
    pub(crate) file: Text,
    pub(crate) source_line: Text,
    pub(crate) position: Position,
    pub(crate) ranges: *const Range,
    pub(crate) range_count: usize,
    pub(crate) fix_its: *const FixIt,
    pub(crate) fix_it_count: usize,
}

pub(crate) const NOTE: u32 = 0;
pub(crate) const REMARK: u32 = 1;
pub(crate) const WARNING: u32 = 2;
pub(crate) const ERROR: u32 = 3;

pub(crate) type DiagnosticSink = unsafe extern "C" fn(user: *mut c_void, diagnostic: *const Diagnostic);

/// Nothing is at the path.
pub(crate) const MISSING: u32 = 0;
/// A file is there, and was read.
pub(crate) const READ: u32 = 1;

#[repr(C)]
pub(crate) struct Dependency {
    pub(crate) path: Text,
    pub(crate) present: u32,
    pub(crate) contents: Text,
}

pub(crate) type DependencySink = unsafe extern "C" fn(user: *mut c_void, dependency: *const Dependency);

pub(crate) const COMPILED: u32 = 0;
pub(crate) const REJECTED: u32 = 1;

#[repr(C)]
pub(crate) struct Job {
    pub(crate) context: LLVMContextRef,
    pub(crate) files: *const File,
    pub(crate) file_count: usize,
    pub(crate) arguments: *const *const c_char,
    pub(crate) argument_count: usize,
}

#[repr(C)]
pub(crate) struct KernelArg {
    pub(crate) name: Text,
    pub(crate) type_name: Text,
    pub(crate) access: Text,
    pub(crate) qualifiers: Text,
    pub(crate) opaque_type: Text,
    pub(crate) address_space: u32,
    pub(crate) is_pointer: u32,
    pub(crate) size: u64,
}

#[repr(C)]
pub(crate) struct Kernel {
    pub(crate) name: Text,
    pub(crate) args: *const KernelArg,
    pub(crate) arg_count: usize,
    pub(crate) reqd_work_group_size: [u64; 3],
    pub(crate) work_group_size_hint: [u64; 3],
    pub(crate) reqd_sub_group_size: u64,
    pub(crate) vec_type_hint: Text,
}

pub(crate) type KernelSink = unsafe extern "C" fn(user: *mut c_void, kernel: *const Kernel);
pub(crate) const LINKED: u32 = 0;
pub(crate) const LINK_DUPLICATE: u32 = 1;

pub(crate) type MessageSink = unsafe extern "C" fn(user: *mut c_void, message: Text);

unsafe extern "C" {
    pub(crate) fn oxcl_clang_compile(
        job: *const Job,
        module: *mut LLVMModuleRef,
        sink: DiagnosticSink,
        dependencies: DependencySink,
        user: *mut c_void,
    ) -> u32;

    pub(crate) fn oxcl_kernels(module: LLVMModuleRef, sink: KernelSink, user: *mut c_void);

    pub(crate) fn oxcl_link_module(
        into: LLVMModuleRef,
        from: LLVMModuleRef,
        sink: MessageSink,
        user: *mut c_void,
    ) -> u32;
}
