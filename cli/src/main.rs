//! The `oxcl` program.
fn main() {}
