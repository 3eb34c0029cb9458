//! What our archives print in PoCL since version 7: every record of a work-group goes to the function that PoCL has for it,
//! and none stays in the buffer; where there is no such function, all stay.
//!
//! PoCL is played by a small C library here, so that this runs where no such PoCL is installed.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use oxcl_binary::abi::{PoclContext112, PoclEntry};
use oxcl_binary::archive::slots::{ANY_SIZE, Code};
use oxcl_binary::archive::{Archive, Version};
use oxcl_compiler::{Emit, Request, SourceFile, compile};

const KERNEL: &str = "kernel void say(global const int *x) {
  local int sum;
  if (get_local_id(0) == 0) sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&sum, x[get_local_id(0)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) < 2) printf(\"%d of %s\\n\", sum, \"us\");
}";

/// Counts records and their bytes.
const POCL: &str = "unsigned records, bytes;
void pocl_flush_printf_buffer(char *record, unsigned size) {
  if (*(unsigned *)record >> 8 == size) records++;
  bytes += size;
}";

/// Runs one group of four and gives how many bytes it left in the buffer.
fn run(library: &Library) -> u32 {
    let name = oxcl_binary::abi::pocl_symbol("say");
    // SAFETY: the archive says that this is the kernel's entry.
    let entry = unsafe { library.get::<PoclEntry>(name.as_bytes()) }.unwrap();
    let mut data = [1_i32, 2, 3, 4];
    let mut tile = [0_u64; 64];
    let mut cells = [data.as_mut_ptr().cast::<u8>(), tile.as_mut_ptr().cast::<u8>()];
    let start = cells.as_mut_ptr();
    let args = [start.cast(), start.wrapping_add(1).cast()];
    let (mut buffer, mut position) = (vec![0_u8; 4096], 0_u32);
    let mut context = PoclContext112 {
        num_groups: [1; 3],
        global_offset: [0; 3],
        local_size: [4, 1, 1],
        printf_buffer: buffer.as_mut_ptr(),
        printf_buffer_position: &raw mut position,
        printf_buffer_capacity: 4096,
        printf_dropped: 0,
        global_var_buffer: std::ptr::null_mut(),
        work_dim: 1,
        execution_failed: 0,
    };
    // SAFETY: arguments and context are what the kernel takes, and live until it returns.
    unsafe { entry(args.as_ptr(), (&raw mut context).cast(), 0, 0, 0) };
    position
}

fn open(path: &Path) -> Library {
    // SAFETY: a library of ours, which does nothing when it is loaded.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }.unwrap()
}

#[test]
fn every_record_goes_to_pocl_and_none_stays() {
    let mut request = Request::new(vec![SourceFile { name: "say.cl".into(), text: KERNEL.into() }]);
    request.version = Some(Version::V12);
    let compiled = compile(&request, Emit::Archive, None).unwrap();
    let archive = Archive::read(&compiled.bytes).unwrap();
    let object = archive.kernel("say").unwrap().object(Code::First, ANY_SIZE).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("alone.so"), &object.data).unwrap();
    let left = run(&open(&path("alone.so")));
    assert!(left > 0, "where nobody takes records they stay");

    std::fs::write(path("pocl.c"), POCL).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"]).args([path("pocl.so"), path("pocl.c")]);
    assert!(cc.status().unwrap().success());
    let pocl = open(&path("pocl.so"));
    // Another file: a library that is loaded already would not look for the function again.
    std::fs::write(path("printing.so"), &object.data).unwrap();
    assert_eq!(run(&open(&path("printing.so"))), 0);
    let number = |name: &str| {
        // SAFETY: the library above has variables of these names and type.
        let variable = unsafe { pocl.get::<*const u32>(name.as_bytes()) }.unwrap();
        // SAFETY: as above, and the library is loaded; nothing runs that would change it.
        unsafe { **variable }
    };
    assert_eq!((number("records"), number("bytes")), (2, left));
}
