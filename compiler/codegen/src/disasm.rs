//! Machine code as text, for `inspect`.
//!
//! In: an ELF object or shared object for x86-64 or AArch64, any one. Out: a row for each instruction of its executable sections,
//! in address order, with the symbol that begins there. In objects, operands that relocations fill are zeros.

use std::collections::BTreeMap;
use std::ffi::c_void;

use object::{Object, ObjectSection, ObjectSymbol, SectionKind};

use crate::architecture::Architecture;
use crate::bridge::{self, Text};

/// One instruction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its address in the image (in an object: in its section).
    pub address: u64,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The instruction, that of x86-64 in Intel's notation; empty where the bytes are none.
    pub text: String,
    /// The symbol that begins here.
    pub symbol: Option<String>,
}

/// Why there is no listing.
#[derive(Debug, thiserror::Error)]
pub enum DisasmError {
    /// The file is not ELF, or damaged.
    #[error("not a readable object: {0}")]
    Read(#[from] object::read::Error),
    /// The code is for another machine.
    #[error("the code is for {0}, not for x86-64 or AArch64")]
    Machine(String),
    /// LLVM's disassembler is missing.
    #[error("LLVM has no disassembler for {}", .0.name())]
    NoDisassembler(Architecture),
}

/// Disassembles all executable sections.
///
/// # Errors
/// The file cannot be read, or is for another machine.
pub fn disassemble(image: &[u8]) -> Result<Vec<Row>, DisasmError> {
    let file = object::File::parse(image)?;
    let architecture = match file.architecture() {
        object::Architecture::X86_64 => Architecture::X86_64,
        object::Architecture::Aarch64 => Architecture::Aarch64,
        other => return Err(DisasmError::Machine(format!("{other:?}").to_lowercase())),
    };
    let mut rows = Vec::new();
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        let code = section.data()?;
        let mut names: BTreeMap<u64, String> = BTreeMap::new();
        for symbol in file.symbols().chain(file.dynamic_symbols()) {
            let here = symbol.section_index() == Some(section.index());
            match symbol.name() {
                Ok(name) if here && symbol.kind() == object::SymbolKind::Text => {
                    names.entry(symbol.address()).or_insert_with(|| name.to_owned());
                }
                _ => {}
            }
        }
        let mut listing = Listing { code, base: section.address(), names, rows: &mut rows };
        let user: *mut c_void = (&raw mut listing).cast();
        let (number, begin) = (architecture.number(), section.address());
        // SAFETY: the code lives until the call returns; the sink gets the `Listing` of `user`, the only way to it.
        let done =
            unsafe { bridge::oxcl_disassemble(number, Text::bytes(code), begin, take_instruction, user) };
        if done == 0 {
            return Err(DisasmError::NoDisassembler(architecture));
        }
    }
    Ok(rows)
}

/// What a running disassembly fills.
struct Listing<'a> {
    code: &'a [u8],
    base: u64,
    names: BTreeMap<u64, String>,
    rows: &'a mut Vec<Row>,
}

/// Takes one instruction in.
///
/// # Safety
/// `user` is the `Listing` of the running call, and `text` is readable.
unsafe extern "C" fn take_instruction(user: *mut c_void, address: u64, size: u64, text: Text) {
    // SAFETY: `user` is what `disassemble` passed: a `Listing` that nothing else touches during the call.
    let listing = unsafe { &mut *user.cast::<Listing<'_>>() };
    // SAFETY: the bridge passes a text that is readable during this call.
    let text = unsafe { text.to_string() };
    let begin = usize::try_from(address - listing.base).unwrap_or(usize::MAX);
    let end = begin.saturating_add(usize::try_from(size).unwrap_or(usize::MAX)).min(listing.code.len());
    listing.rows.push(Row {
        address,
        bytes: listing.code.get(begin..end).unwrap_or_default().to_vec(),
        text: text.trim().replace('\t', " "),
        symbol: listing.names.get(&address).cloned(),
    });
}
