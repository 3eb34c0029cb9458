//! Fuzz target: any bytes as a pocl-binary. Uses the container crate only, so that the fuzzer need not build LLVM.

use oxcl_binary::archive::slots::{ANY_SIZE, Code, PoclSlot};
use oxcl_binary::archive::{Archive, Kernel};

/// Reads `bytes` as an archive. An error must lie inside the bytes and have a text; what is accepted must write back
/// to the same bytes, be refused when cut short, and answer every look-up.
///
/// # Panics
///
/// One of these promises is broken.
pub fn read_archive(bytes: &[u8]) {
    let archive = match Archive::read(bytes) {
        Ok(archive) => archive,
        Err(error) => {
            assert!(error.offset <= bytes.len(), "{error}");
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    assert!(archive.write().as_deref() == Ok(bytes), "an archive does not write back");
    for cut in [bytes.len() - 1, bytes.len() / 2, 77.min(bytes.len() - 1)] {
        assert!(Archive::read(&bytes[..cut]).is_err(), "a cut at {cut} is accepted");
    }
    let mut sealed = archive.clone();
    let written = sealed.seal();
    let written = written.expect("what was read can be written");
    assert!(Archive::read(&written).as_ref() == Ok(&sealed), "a sealed archive differs");

    // Facts may be anything; reading them gives a value or an error.
    drop(archive.program_meta());
    for kernel in &archive.kernels {
        look_up(&archive, kernel);
    }
}

fn look_up(archive: &Archive, kernel: &Kernel) {
    assert!(archive.kernel(&kernel.name) == Some(kernel));
    drop(kernel.meta());
    for code in [Code::First, Code::Level(&kernel.attributes), Code::Ref] {
        if let Some(file) = kernel.best_object(code, kernel.reqd_wg_size) {
            assert!(archive.file(&file.path) == Some(file));
        }
    }
    let mut slots = PoclSlot::all_of(ANY_SIZE).to_vec();
    slots.extend(PoclSlot::all_of(kernel.reqd_wg_size));
    for slot in slots {
        if let Some(file) = kernel.pocl_object(slot) {
            assert!(archive.file(&file.path) == Some(file));
        }
    }
}
