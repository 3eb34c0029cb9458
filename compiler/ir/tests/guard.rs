//! LLVM failing: in a pass, over what is no module. Each is an error with LLVM's words; after a crash what it was at work on is
//! refused and left as it is, and everything else works. Changed bitcode is in the test suite's `fuzz_corpus.rs`.

use oxcl_ir::module::{print, run_passes};
use oxcl_ir::{Context, Function, IrError, Module, has_llvm_failed, read_module};
use std::panic::{AssertUnwindSafe, catch_unwind};

const TEXT: &str = "
define i32 @f(i32 %a) {
entry:
  %twice = add i32 %a, %a
  ret i32 %twice
}
";

fn module(context: &Context) -> Module<'_> {
    read_module(context, TEXT.as_bytes(), "test").expect("valid IR")
}

fn panics<R>(use_it: impl FnOnce() -> R) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(use_it)) else { panic!("a misuse was not caught") };
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

#[test]
fn a_pass_that_crashes_is_an_error_and_its_module_is_refused() {
    for pass in ["trigger-crash-module", "function(trigger-crash-function)"] {
        let context = Context::create();
        let module = module(&context);
        let other = read_module(&context, TEXT.as_bytes(), "other").expect("valid IR");
        let function = Function::find(&module, "f").expect("f");
        let instruction = function.instructions()[0];
        let error = run_passes(&module, pass).unwrap_err();
        assert!(matches!(error, IrError::Crash { doing: "a pass", .. }), "{error}");
        assert!(has_llvm_failed());
        assert!(panics(|| function.name()).contains("had been deleted"));
        assert!(panics(|| instruction.ty()).contains("had been deleted"));
        assert!(panics(|| print(&module)).contains("LLVM failed in"));
        assert!(panics(|| Function::all(&other)).contains("LLVM failed in"));
        assert!(panics(|| read_module(&context, b"", "more")).contains("LLVM failed in"));
    }
    let context = Context::create();
    assert!(print(&module(&context)).contains("define"));
}

/// The verifier runs after each pass where debug assertions are on, and ends the process by itself.
#[test]
#[cfg(debug_assertions)]
fn a_pass_that_leaves_broken_ir_is_an_error() {
    let context = Context::create();
    let module = module(&context);
    let error = run_passes(&module, "function(trigger-verifier-error)").unwrap_err();
    assert!(matches!(&error, IrError::Crash { message, .. } if message.contains("roken")), "{error}");
}

#[test]
fn what_is_no_module_is_an_error() {
    let context = Context::create();
    let refused = |bytes: &[u8], words: &str| {
        let error = read_module(&context, bytes, "test").unwrap_err();
        assert!(matches!(&error, IrError::Read { message } if message.contains(words)), "{error}");
    };
    refused(b"define void @f() {", "found end of file");
    refused(b"BC\xc0\xde", "module");
    refused(b"BC\xc0\xde\x35\x14\0\0\x05\0\0\0", "");
    refused(b"\xde\xc0\x17\x0b\0\0\0\0", "");
    let without_end = "define i32 @f() {\n  %a = add i32 %b, 1\n  %b = add i32 %a, 1\n  ret i32 %a\n}";
    refused(without_end.as_bytes(), "dominate");
    assert!(read_module(&context, b"", "empty").is_ok());
}
