//! Safe IR editing over inkwell, with what LLVM's C API lacks, and our own analyses.

pub use inkwell::{self, context::Context, module::Module};
