//! `liboxcl.so`: the OpenCL C interface, under the ICD loader or linked directly.
//!
//! The entry points are listed once, in `table.rs`. Each object has a file; the functions there check what the
//! specification asks for, each check below the rule that it follows, and call the runtime. Handles are checked in
//! `handle.rs`, C pointers are read and written in `args.rs`, panics stop in `border.rs`, and `status.rs` knows the
//! numbers of errors. Raw handles and OpenCL's numbers are in this crate and nowhere else.

mod absent;
mod args;
mod border;
mod buffer;
mod build;
mod callback;
mod calls;
mod cl;
mod command;
mod compiler;
mod context;
mod device;
mod device_info;
#[macro_use]
mod entry;
mod event;
mod extension;
mod handle;
mod host;
mod image;
mod image_commands;
mod info;
mod kernel;
mod kernel_info;
mod launch;
mod log;
mod map;
mod mem;
mod mem_info;
mod names;
mod native;
mod partition;
mod platform;
mod printing;
mod program;
mod program_info;
mod queue;
mod rect;
mod report;
mod reported;
mod sampler;
mod shortage;
mod status;
mod sub_group;
mod svm;
mod svm_commands;
mod table;
mod timer;
mod topology;
mod transfer;
mod types;
mod usm;
mod usm_commands;

/// What `oxcl doctor` looks for in the library's file, to say which version a program would load.
#[used]
static MARK: [u8; TEXT.len()] = {
    let mut bytes = [0; TEXT.len()];
    bytes.copy_from_slice(TEXT.as_bytes());
    bytes
};
const TEXT: &str = concat!("\0oxcl library version ", env!("CARGO_PKG_VERSION"), "\n");
