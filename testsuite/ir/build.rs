//! One `#[test]` for each file of IR under `testsuite/filetests/ir/`.

#[path = "../listing.rs"]
mod listing;

use std::path::PathBuf;

fn main() {
    let own = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let testsuite = own.parent().expect("it lies in the testsuite");
    println!("cargo::rerun-if-changed={}", testsuite.join("listing.rs").display());
    listing::write_tests(&testsuite.join("filetests/ir"), "ll", "files.rs");
}
