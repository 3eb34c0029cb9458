//! The built-in functions that a program reaches.
//!
//! In: a module of the front end's. Out: the same, in which the program's own names are set apart, printf is lowered, calls that may be
//! approximate go to other functions, built-in functions are defined but for those that `native` has as machine code, events, images and
//! samplers have types that targets know and work-group functions their memory; nothing is missing but the work-item functions and barriers.

use oxcl_builtins::AddressBits;
use oxcl_frontend::Bits;
use oxcl_ir::Module;
use oxcl_ir::module::{link_needed, lower_opaque_types};
use oxcl_tta::lift::OPERATION;

use crate::error::CompileError;
use crate::native::{self, Native};
use crate::{collective, names, print, relaxed, undefined};

/// Runs the stage.
pub(crate) fn run(module: &Module<'_>, bits: Bits, native: Option<Native>) -> Result<(), CompileError> {
    names::set_apart(module);
    relaxed::lower(module);
    print::lower(module, bits)?;
    let is_native = |symbol: &str| native.is_some_and(|native| native.has(symbol));
    // Only processors of 32 bits have operations that kernels name.
    let narrow = matches!(bits, Bits::Bits32);
    let bits = match bits {
        Bits::Bits32 => AddressBits::Bits32,
        Bits::Bits64 => AddressBits::Bits64,
    };
    // Again where a unit calls others.
    loop {
        let mut undefined = undefined::undefined(module);
        if let Some(native) = native {
            for symbol in undefined.extract_if(.., |symbol| is_native(symbol)) {
                native::mark(module, native, &symbol);
            }
        }
        let units = oxcl_builtins::units_for(bits, undefined.iter().map(String::as_str));
        for unit in &units {
            link_needed(module, unit.bitcode)?;
        }
        if !units.iter().any(|unit| unit.calls_others) {
            break;
        }
    }
    collective::lower(module);
    lower_opaque_types(module);
    undefined::check(module, |symbol| is_native(symbol) || (narrow && symbol.starts_with(OPERATION)))
}
