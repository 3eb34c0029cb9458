//! Fuzz target: any bytes as LLVM bitcode. Uses the crate of the IR only.

use oxcl_ir::module::{link_needed, print, run_passes, verify};
use oxcl_ir::{Context, IrError, read_module};

/// Reads `bytes` as a module: an error with a text, or a module that can be simplified, printed, and linked as a library is.
///
/// # Panics
///
/// One of these promises is broken.
pub fn read_bitcode(bytes: &[u8]) {
    if let Err(error) = work(bytes) {
        assert!(!error.to_string().is_empty());
    }
}

fn work(bytes: &[u8]) -> Result<(), IrError> {
    let context = Context::create();
    let module = read_module(&context, bytes, "bitcode")?;
    let declared = |name: &str| format!("declare void @{name}()\n@uses.{name} = global ptr @{name}\n");
    let text: String = ["scale", "reduce", "helper"].map(declared).concat();
    run_passes(&module, "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>)")?;
    assert!(!print(&module).is_empty());
    let caller = read_module(&context, text.as_bytes(), "caller")?;
    link_needed(&caller, bytes)?;
    verify(&caller)
}
