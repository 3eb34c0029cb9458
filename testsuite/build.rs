//! One `#[test]` for each OpenCL C file under `filetests/`.

#[path = "listing.rs"]
mod listing;

use std::path::PathBuf;

fn main() {
    let own = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    println!("cargo::rerun-if-changed={}", own.join("listing.rs").display());
    listing::write_tests(&own.join("filetests"), "cl", "filetests.rs");
}
