//! Every file under `testsuite/filetests/ir/` as a test of its own. See `docs/testing.md` for the directives and how to
//! bless.

use std::path::Path;

fn check(path: &str) {
    if let Err(failure) = oxcl_irtest::check(Path::new(path)) {
        panic!("{path}: {failure}");
    }
}

include!(concat!(env!("OUT_DIR"), "/files.rs"));
