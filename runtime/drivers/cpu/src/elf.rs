//! Looks a kernel's shared object over before the system's loader sees it.
//!
//! In: the file's bytes. Out: [`Object`], or the reason why this machine cannot load it. The system's loader trusts
//! its input (a segment past the end of the file is a SIGBUS), and takes undefined symbols from wherever the process
//! has them; here both are errors.

use goblin::elf::header::{ELFCLASS64, ELFDATA2LSB, EM_X86_64, ET_DYN};
use goblin::elf::program_header::{PT_INTERP, PT_LOAD};
use goblin::elf::section_header::SHN_UNDEF;
use goblin::elf::sym::STB_WEAK;
use goblin::elf::{Elf, Sym};

use crate::needed::is_host_library;
use oxcl_driver::CodeError;

/// Libraries that a kernel's object may ask for, by the beginning of their names.
const ALLOWED_LIBRARIES: [&str; 4] = ["libc.so.", "libm.so.", "libmvec.so.", "ld-linux-x86-64.so."];

/// By this hook a kernel of PoCL 7 or later hands a full printf buffer over.
const PRINTF_HOOK: &str = "pocl_flush_printf_buffer";

/// More memory than any kernel's code and constants take; a file that asks for more is broken.
const MAX_EXTENT: u64 = 1 << 32;

/// What the loader needs to know about a checked file.
#[derive(Debug)]
pub(crate) struct Object {
    /// Dynamic symbols that it defines, sorted.
    defined: Vec<String>,
}

impl Object {
    pub(crate) fn defines(&self, symbol: &str) -> bool {
        self.defined.binary_search_by(|name| name.as_str().cmp(symbol)).is_ok()
    }
}

/// Checks `bytes`, the file `path` of an archive. `provided` says whether the C or the maths library has a symbol.
pub(crate) fn check(path: &str, bytes: &[u8], provided: impl Fn(&str) -> bool) -> Result<Object, CodeError> {
    let refuse = |reason: String| CodeError::NotLoadable { path: path.to_owned(), reason };
    let elf = Elf::parse(bytes).map_err(|error| refuse(error.to_string()))?;
    let class = elf.header.e_ident[goblin::elf::header::EI_CLASS];
    let order = elf.header.e_ident[goblin::elf::header::EI_DATA];
    if class != ELFCLASS64 || order != ELFDATA2LSB {
        return Err(refuse("it is not a 64-bit little-endian ELF file".to_owned()));
    }
    if elf.header.e_machine != EM_X86_64 {
        return Err(refuse(format!("it is for machine type {}, not x86-64 (62)", elf.header.e_machine)));
    }
    if elf.header.e_type != ET_DYN {
        return Err(refuse(format!("it has ELF type {}, not shared object (3)", elf.header.e_type)));
    }
    check_segments(&elf, bytes.len() as u64).map_err(refuse)?;
    check_libraries(path, &elf)?;
    let name = |symbol: &Sym| elf.dynstrtab.get_at(symbol.st_name).unwrap_or_default().to_owned();
    let (undefined, defined): (Vec<Sym>, Vec<Sym>) =
        elf.dynsyms.iter().filter(|symbol| symbol.st_name != 0).partition(is_undefined);
    let strong = undefined.iter().filter(|symbol| symbol.st_bind() != STB_WEAK).map(name);
    let mut symbols: Vec<String> = strong.filter(|symbol| !provided(symbol)).collect();
    if symbols.iter().any(|symbol| symbol == PRINTF_HOOK) {
        return Err(CodeError::PrintfNotYet { path: path.to_owned(), symbol: PRINTF_HOOK.to_owned() });
    }
    if !symbols.is_empty() {
        symbols.sort_unstable();
        symbols.dedup();
        return Err(CodeError::UndefinedSymbols { path: path.to_owned(), symbols });
    }
    let mut defined: Vec<String> = defined.iter().map(name).collect();
    defined.sort_unstable();
    Ok(Object { defined })
}

fn is_undefined(symbol: &Sym) -> bool {
    symbol.st_shndx == SHN_UNDEF as usize
}

/// Every loaded segment lies inside the file, and together they take a sensible amount of memory.
fn check_segments(elf: &Elf<'_>, file_size: u64) -> Result<(), String> {
    if elf.program_headers.iter().any(|header| header.p_type == PT_INTERP) {
        return Err("it is a program, not a shared object".to_owned());
    }
    let mut low = u64::MAX;
    let mut high = 0;
    for header in elf.program_headers.iter().filter(|header| header.p_type == PT_LOAD) {
        let end = header.p_offset.checked_add(header.p_filesz);
        if end.is_none_or(|end| end > file_size) {
            return Err(format!("it is cut short: a segment reaches past its {file_size} bytes"));
        }
        let top = header.p_vaddr.checked_add(header.p_memsz);
        let top = top.filter(|_| header.p_memsz >= header.p_filesz);
        high = top.ok_or("a segment is larger in the file than in memory")?.max(high);
        low = header.p_vaddr.min(low);
    }
    match high.checked_sub(low) {
        None => Err("it has nothing to load".to_owned()),
        Some(extent) if extent > MAX_EXTENT => Err(format!("it asks for {extent} bytes of memory")),
        Some(_) => Ok(()),
    }
}

fn check_libraries(path: &str, elf: &Elf<'_>) -> Result<(), CodeError> {
    let allowed = |library: &str| {
        is_host_library(library) || ALLOWED_LIBRARIES.iter().any(|prefix| library.starts_with(prefix))
    };
    let libraries: Vec<String> =
        elf.libraries.iter().filter(|library| !allowed(library)).map(|&library| library.to_owned()).collect();
    if libraries.is_empty() {
        return Ok(());
    }
    Err(CodeError::ForbiddenLibraries { path: path.to_owned(), libraries })
}
