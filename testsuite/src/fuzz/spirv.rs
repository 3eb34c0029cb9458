//! Fuzz target: any bytes as a module of SPIR-V.

use oxcl_ir::Context;
use oxcl_ir::module::{print, verify};
use oxcl_spirv::{Addresses, Reason, Source, listing, read};

/// Reads `bytes` as a module: an error at a word that there is, or a module that LLVM finds in order.
///
/// # Panics
///
/// One of these promises is broken.
pub fn read_spirv(bytes: &[u8]) {
    let constants = [(0, vec![3; 4]), (1, vec![1])];
    for (addresses, constants) in
        [(Addresses::Bits64, &constants[..]), (Addresses::Bits64, &[]), (Addresses::Bits32, &[])]
    {
        let context = Context::create();
        match read(&context, &Source { name: "module", bytes, constants }, addresses) {
            Ok(module) => {
                assert!(verify(&module).is_ok() && !print(&module).is_empty());
                assert!(listing(bytes).is_ok(), "a module without a listing");
            }
            Err(error) => {
                assert!(error.word <= bytes.len() / 4 && !error.to_string().is_empty(), "{error}");
                assert!(!matches!(error.reason, Reason::Crashed(_)), "{error}");
            }
        }
    }
}
