//! Link options of the extension: the interpreter may take it from memory, and its threads run code of it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
