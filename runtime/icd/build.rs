//! Link options of `liboxcl.so`: the name that programs linked directly ask for, and that the library stays loaded. Its
//! threads run code of it, so a host program that closes it must not take that code away.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,liboxcl.so.1");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
