//! Safe IR editing over inkwell, and analyses of kernels.
//!
//! inkwell gives contexts and modules (re-exported here, the interchange between the compiler's crates). Inside a
//! module this crate has its own thin handles, one type for all values, so that passes stay generic over them:
//! [`Value`], [`Type`], [`Block`], [`Function`], [`Builder`]. Where LLVM's C interface lacks something (dominators,
//! loops, block splitting, lazy linking) a small C++ bridge reaches LLVM's own. All `unsafe` of the work-group passes
//! lives here.
//!
//! Analyses, one file each: [`mod@cfg`] (dominators, loops, control dependence), [`uniformity`] (what differs between
//! work-items, with sync dependence and temporal divergence), [`shape`] (by how much), [`range`] (between which
//! numbers integers lie), [`affine`] (addresses as affine
//! forms of the ids), [`access`] (what a kernel does with the memory behind its parameters). [`report`] shows what they
//! find beside the IR.
//!
//! # What is guaranteed
//!
//! No safe function of this crate reaches freed memory or takes one kind of value for another:
//!
//! - LLVM says when it deletes a value, for whatever reason. A handle of a deleted value is *stale*; using it, or a
//!   [`Builder`] whose place was deleted, panics (`handle.rs`). Functions, blocks and instructions that live through a run of
//!   passes or through linking keep their handles.
//! - No handle outlives its context, by its lifetime; nor a [`module::Layout`] its module:
//!
//!   ```compile_fail,E0505
//!   let context = oxcl_ir::Context::create();
//!   let module = oxcl_ir::read_module(&context, b"define void @f() {\n  ret void\n}", "text").unwrap();
//!   let function = oxcl_ir::Function::find(&module, "f").unwrap();
//!   drop(context);
//!   function.blocks();
//!   ```
//!
//!   ```compile_fail,E0505
//!   let context = oxcl_ir::Context::create();
//!   let module = oxcl_ir::read_module(&context, b"@g = global i32 0", "text").unwrap();
//!   let layout = oxcl_ir::module::Layout::of(&module);
//!   drop(module);
//!   layout.size(oxcl_ir::Types::of(&context).i32());
//!   ```
//! - What is asked of a value of the wrong kind, put where its type does not belong, or used in a function, module or
//!   context that is not its own, is refused by a panic, in every profile (`check.rs`).
//!
//! - LLVM fails in a pass, an analysis or over bitcode with an error, whatever it does (`bridge/guarded.h`). What it was at work on
//!   is neither used nor freed any more (`context.rs`).
//!
//! Not guaranteed: that a module is valid. Blocks without a terminator, PHI nodes that lack a predecessor, values that do not
//! dominate their uses and attributes that contradict each other can be made, and are the verifier's to find
//! ([`module::verify`]); passes may do anything with such a module. The same holds for what is done by way of inkwell's own
//! types, except that handles notice what it deletes.

pub mod access;
pub mod affine;
pub mod builder;
pub mod cfg;
mod check;
mod context;
pub mod function;
pub mod gep;
mod handle;
pub mod metadata;
pub mod module;
pub mod range;
mod raw;
pub mod report;
pub mod shape;
pub mod types;
pub mod uniformity;
pub mod value;

pub use builder::Builder;
pub use context::{Context, Module, enter_targets, has_llvm_failed, read_module};
pub use function::{Block, Function, Place};
pub use inkwell;
pub use inkwell::llvm_sys::{
    LLVMIntPredicate as IntPredicate, LLVMOpcode as Opcode, LLVMRealPredicate as RealPredicate,
};
pub use types::{Type, TypeKind, Types};
pub use value::{Effects, Location, Value};

/// What can go wrong with a module as a whole.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IrError {
    /// LLVM does not know the pipeline: a mistake of ours.
    #[error("cannot run the passes '{pipeline}': {message}")]
    Passes {
        /// The pipeline.
        pipeline: String,
        /// LLVM's words.
        message: String,
    },
    /// The module is not valid IR: a mistake of ours.
    #[error("the module is not valid: {message}")]
    Verify {
        /// The verifier's words.
        message: String,
    },
    /// A function is not valid IR: a mistake of ours.
    #[error("the function '{what}' is not valid: {message}")]
    Invalid {
        /// The function.
        what: String,
        /// The verifier's words.
        message: String,
    },
    /// LLVM gave up or crashed: a mistake of ours or of LLVM's.
    #[error("LLVM failed in {doing}: {message}")]
    Crash {
        /// The piece of LLVM.
        doing: &'static str,
        /// LLVM's words.
        message: String,
    },
    /// What was to be a module is none.
    #[error("it cannot be read: {message}")]
    Read {
        /// LLVM's words.
        message: String,
    },
    /// The bitcode of a library cannot be linked.
    #[error("cannot link the library: {message}")]
    Link {
        /// LLVM's words.
        message: String,
    },
}
