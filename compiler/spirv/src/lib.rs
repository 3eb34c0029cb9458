//! SPIR-V to LLVM modules.
//!
//! ```text
//! bytes ─ words ─▶ instructions ─ module ─▶ parts ─┬─ types, constants ─┐
//!         (rspirv)                                 │  specialised       ├─ function ─▶ LLVM IR as text ─ LLVM's reader ─▶ module
//!                                                  └────────────────────┘  one file a family of instructions
//! ```
//!
//! In: a module for OpenCL, and the constants that the host has specialised. Out: LLVM IR as the front end for OpenCL C leaves
//! it: `spir` or `spir64`, kernels with `!kernel_arg_*`, built-in functions as calls by OpenCL C's mangled names.
//!
//! IR is written as text. LLVM's own constructors check nothing in a released LLVM; its reader checks every type and every
//! use, under a guard (`oxcl-ir`), and each line of the text knows the word that it came of. So there is no module, however
//! damaged, that is taken for another one, and nothing here needs `unsafe`.

mod access;
mod arithmetic;
mod atomics;
mod builtin_variables;
mod calls;
mod claims;
mod constants;
mod conversions;
mod debug;
mod error;
mod extended;
mod flow;
mod fold;
mod function;
mod groups;
mod images;
mod instruction;
mod integer_dot;
mod kernels;
mod labels;
mod listing;
mod mangle;
mod mended;
mod metadata;
mod module;
mod order;
mod strings;
mod synchronisation;
mod text;
mod translate;
mod types;
mod vectors;
mod words;

use oxcl_ir::{Context, IrError, Module, read_module};

pub use error::{Reason, SpirvError};
pub use labels::with_own_labels;
pub use listing::listing;
pub use mended::{ALIGNED, LEVEL, UNSIGNED_READ, UNSIGNED_WRITTEN, mended};
pub use module::Addresses;
pub use strings::{Parameters, with_parameters};

/// A module of SPIR-V.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    /// What messages call it.
    pub name: &'a str,
    /// Its bytes, in either order.
    pub bytes: &'a [u8],
    /// The constants that are specialised: number, and bytes of the constant's size.
    pub constants: &'a [(u32, Vec<u8>)],
}

/// Reads a module for a device with such addresses into `context`.
///
/// # Errors
/// [`SpirvError`] with the word where it shows.
pub fn read<'ctx>(
    context: &'ctx Context,
    source: &Source<'_>,
    addresses: Addresses,
) -> Result<Module<'ctx>, SpirvError> {
    let text = translate::translate(source, addresses)?;
    read_module(context, text.text.as_bytes(), "spirv").map_err(|error| match error {
        IrError::Read { message } => refused(&text, &message),
        other => SpirvError { word: 0, reason: Reason::Crashed(other.to_string()) },
    })
}

/// The module as LLVM IR in text, before LLVM has read it.
///
/// # Errors
/// As for [`read`], where it is not LLVM that refuses.
pub fn ir(source: &Source<'_>, addresses: Addresses) -> Result<String, SpirvError> {
    Ok(translate::translate(source, addresses)?.text)
}

/// What LLVM's reader says of a line, said of the word that the line came of.
fn refused(text: &text::Text, message: &str) -> SpirvError {
    let place = message.split_once("spirv:").and_then(|(_, rest)| rest.split_once(':'));
    let line = place.and_then(|(line, _)| line.parse().ok());
    let said = message.split_once("error: ").map_or(message, |(_, said)| said);
    let said = said.lines().next().unwrap_or_default().to_owned();
    SpirvError { word: line.map_or(0, |line| text.word_of(line)), reason: Reason::Refused(said) }
}
