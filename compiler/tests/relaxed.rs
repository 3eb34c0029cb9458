//! Calls that may be approximate go to native functions, by the calls' own options and not by those of a program that they are linked
//! into.

use oxcl_compiler::{BuildOptions, Emit, Request, SourceFile, compile};

const SOURCE: &str = "kernel void k(global float *a, global float4 *b, global double *c, global float *d) {
  size_t i = get_global_id(0);
  a[i] = sin(a[i]);
  b[i] = cos(b[i]);
  c[i] = sin(c[i]);
  d[i] = exp(d[i]);
}
";

/// The names of the functions that the program calls, as they are before kernels are made.
fn called(options: &str) -> String {
    let sources = vec![SourceFile { name: "k.cl".into(), text: SOURCE.into() }];
    let options = BuildOptions::parse(options).unwrap();
    let request = Request { options, ..Request::new(sources) };
    let compiled = compile(&request, Emit::Llvm, None).unwrap_or_else(|e| panic!("{e}"));
    String::from_utf8(compiled.bytes).unwrap()
}

#[test]
fn only_calls_that_may_be_approximate_are_of_native_functions() {
    let has = |text: &str, symbol: &str| text.contains(&format!("@{symbol}("));
    for options in ["", "-cl-mad-enable", "-cl-finite-math-only -cl-no-signed-zeros", "-cl-denorms-are-zero"]
    {
        let text = called(options);
        assert!(has(&text, "_Z3sinf") && has(&text, "_Z3cosDv4_f"), "{options}");
        assert!(!text.contains("native_"), "{options}");
    }
    for options in ["-cl-unsafe-math-optimizations", "-cl-fast-relaxed-math"] {
        let text = called(options);
        assert!(has(&text, "_Z10native_sinf") && has(&text, "_Z10native_cosDv4_f"), "{options}");
        assert!(!has(&text, "_Z3sinf") && !has(&text, "_Z3cosDv4_f"), "{options}");
        // Of doubles there are none, and those of exponentials are no faster.
        assert!(has(&text, "_Z3sind") && has(&text, "_Z3expf"), "{options}");
    }
}
