//! The example under the system's OpenCL loader and our library, which `cargo test --workspace` builds.

use std::path::Path;
use std::process::Command;

#[test]
fn no_heat_is_lost() {
    let program = Path::new(env!("CARGO_BIN_EXE_oxcl-example-opencl3"));
    let built = program.parent().unwrap();
    let vendors = tempfile::tempdir().unwrap();
    let library = built.join("deps/liboxcl.so");
    assert!(library.exists(), "{} is not there: cargo build -p oxcl-icd", library.display());
    std::fs::write(vendors.path().join("oxcl.icd"), format!("{}\n", library.display())).unwrap();
    let output = Command::new(program)
        .env("OCL_ICD_VENDORS", vendors.path())
        .env("OXCL_COMPILER", built.join("oxcl"))
        .env("OXCL_CACHE", "off")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("heat 1024 before, 1024 after"), "{said}");
}
