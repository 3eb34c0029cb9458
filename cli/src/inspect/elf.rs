//! The report on an ELF file: sections, symbols, libraries, notes, and the constants that our kernels export.

use crate::ui::table::Table;
use goblin::elf::header::{EM_RISCV, EM_X86_64, ET_DYN, ET_EXEC, ET_REL};
use goblin::elf::note::Note;
use goblin::elf::section_header::{SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE, SHT_NOBITS, SHT_STRTAB, SHT_SYMTAB};
use goblin::elf::sym::{STB_LOCAL, STT_FUNC, STT_OBJECT, STT_SECTION};
use goblin::elf::{Elf, Sym};
use goblin::strtab::Strtab;
use oxcl_binary::abi::constants_symbol;
use serde::Serialize;
use std::fmt;

/// What is in an ELF file.
#[derive(Debug, Serialize)]
pub(crate) struct ElfReport {
    kind: &'static str,
    machine: String,
    bits: u32,
    bytes: usize,
    libraries: Vec<String>,
    sections: Vec<Section>,
    symbols: Vec<Symbol>,
    notes: Vec<NoteReport>,
    kernels: Vec<Constants>,
}

#[derive(Debug, Serialize)]
struct Section {
    name: String,
    bytes: u64,
    /// Any of `read`, `write`, `execute`; none where it is not loaded.
    access: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
struct Symbol {
    name: String,
    kind: &'static str,
    defined: bool,
    local: bool,
    bytes: u64,
}

#[derive(Debug, Serialize)]
struct NoteReport {
    owner: String,
    kind: u32,
    /// In hexadecimal.
    description: String,
}

/// What `oxcl_meta_<kernel>` says.
#[derive(Debug, Serialize)]
struct Constants {
    kernel: String,
    abi: u32,
    width: u32,
    scratch_fixed: u64,
    scratch_per_item: u64,
    local_size: [u64; 3],
}

impl ElfReport {
    /// Reads the file; the error is a sentence.
    pub(crate) fn of(bytes: &[u8]) -> Result<Self, String> {
        let elf = Elf::parse(bytes).map_err(|error| format!("it is a broken ELF file: {error}"))?;
        let kind = match elf.header.e_type {
            ET_REL => "object",
            ET_DYN => "shared object",
            ET_EXEC => "program",
            _ => "other",
        };
        let machine = match elf.header.e_machine {
            EM_X86_64 => "x86-64".to_owned(),
            EM_RISCV => "RISC-V".to_owned(),
            other => format!("machine {other}"),
        };
        let mut symbols: Vec<Symbol> = list(&elf.dynsyms.to_vec(), &elf.dynstrtab);
        let known = symbols.len();
        let more = list(&elf.syms.to_vec(), &elf.strtab);
        let new = |symbol: &Symbol| symbols[..known].iter().all(|s| s.name != symbol.name);
        let more: Vec<Symbol> = more.into_iter().filter(new).collect();
        symbols.extend(more);
        Ok(Self {
            kind,
            machine,
            bits: if elf.is_64 { 64 } else { 32 },
            bytes: bytes.len(),
            libraries: elf.libraries.iter().map(|&name| name.to_owned()).collect(),
            sections: sections(&elf),
            symbols,
            notes: notes(&elf, bytes),
            kernels: constants(&elf, bytes),
        })
    }
}

fn sections(elf: &Elf<'_>) -> Vec<Section> {
    let tables = [SHT_STRTAB, SHT_SYMTAB];
    let sections = elf.section_headers.iter().filter(|section| section.sh_size > 0);
    let sections = sections.filter(|section| !tables.contains(&section.sh_type));
    sections
        .map(|section| {
            let has = |flag: u32| section.sh_flags & u64::from(flag) != 0;
            let access = [(SHF_ALLOC, "read"), (SHF_WRITE, "write"), (SHF_EXECINSTR, "execute")];
            Section {
                name: elf.shdr_strtab.get_at(section.sh_name).unwrap_or_default().to_owned(),
                bytes: section.sh_size,
                access: access.into_iter().filter(|&(flag, _)| has(flag)).map(|(_, word)| word).collect(),
            }
        })
        .collect()
}

fn list(symbols: &[Sym], names: &Strtab<'_>) -> Vec<Symbol> {
    let symbols = symbols.iter().filter(|symbol| symbol.st_type() != STT_SECTION);
    let mut list: Vec<Symbol> = symbols
        .map(|symbol| Symbol {
            name: names.get_at(symbol.st_name).unwrap_or_default().to_owned(),
            kind: match symbol.st_type() {
                STT_FUNC => "function",
                STT_OBJECT => "data",
                _ => "other",
            },
            defined: symbol.st_shndx != 0,
            local: symbol.st_bind() == STB_LOCAL,
            bytes: symbol.st_size,
        })
        .filter(|symbol| !symbol.name.is_empty())
        .collect();
    list.sort_by(|a, b| (!a.defined, &a.name).cmp(&(!b.defined, &b.name)));
    list
}

fn notes(elf: &Elf<'_>, bytes: &[u8]) -> Vec<NoteReport> {
    let report = |note: Note<'_>| NoteReport {
        owner: note.name.to_owned(),
        kind: note.n_type,
        description: note.desc.iter().map(|byte| format!("{byte:02x}")).collect(),
    };
    let segments = elf.iter_note_headers(bytes).into_iter().flatten();
    let mut notes: Vec<NoteReport> = segments.filter_map(Result::ok).map(report).collect();
    if notes.is_empty() {
        let sections = elf.iter_note_sections(bytes, None).into_iter().flatten();
        notes = sections.filter_map(Result::ok).map(report).collect();
    }
    notes
}

/// The constants of our kernels: exported data, read from the file.
fn constants(elf: &Elf<'_>, bytes: &[u8]) -> Vec<Constants> {
    let prefix = constants_symbol("");
    let mut kernels: Vec<Constants> = elf
        .dynsyms
        .iter()
        .filter_map(|symbol| {
            let kernel = elf.dynstrtab.get_at(symbol.st_name)?.strip_prefix(&prefix)?.to_owned();
            let section = elf.section_headers.get(symbol.st_shndx)?;
            let inside =
                symbol.st_value.checked_sub(section.sh_addr).filter(|_| section.sh_type != SHT_NOBITS)?;
            let start = usize::try_from(section.sh_offset.checked_add(inside)?).ok()?;
            let data = bytes.get(start..start.checked_add(48)?)?;
            let word = |at: usize| data[at..at + 4].try_into().map(u32::from_le_bytes).ok();
            let long = |at: usize| data[at..at + 8].try_into().map(u64::from_le_bytes).ok();
            Some(Constants {
                kernel,
                abi: word(0)?,
                width: word(4)?,
                scratch_fixed: long(8)?,
                scratch_per_item: long(16)?,
                local_size: [long(24)?, long(32)?, long(40)?],
            })
        })
        .collect();
    kernels.sort_by(|a, b| a.kernel.cmp(&b.kernel));
    kernels
}

impl fmt::Display for ElfReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "ELF {} for {}, {} bits, {} bytes", self.kind, self.machine, self.bits, self.bytes)?;
        for library in &self.libraries {
            writeln!(f, "needs         {library}")?;
        }
        for note in &self.notes {
            writeln!(f, "note          {} {}: {}", note.owner, note.kind, note.description)?;
        }
        for kernel in &self.kernels {
            let [x, y, z] = kernel.local_size;
            let size =
                if kernel.local_size == [0; 3] { "any".to_owned() } else { format!("{x} x {y} x {z}") };
            writeln!(
                f,
                "kernel        {}: {} items at a time, scratch {} + {} bytes for each item, local size: {size}",
                kernel.kernel, kernel.width, kernel.scratch_fixed, kernel.scratch_per_item
            )?;
        }
        let mut table = Table::new(&["section", "bytes", "access"]).right(1);
        for section in &self.sections {
            table.row(vec![section.name.clone(), section.bytes.to_string(), section.access.join(" ")]);
        }
        write!(f, "\n{table}")?;
        let mut table = Table::new(&["symbol", "kind", "bytes", ""]).right(2);
        for symbol in &self.symbols {
            let word = match (symbol.defined, symbol.local) {
                (false, _) => "undefined",
                (true, true) => "local",
                (true, false) => "",
            };
            table.row(vec![
                symbol.name.clone(),
                symbol.kind.to_owned(),
                symbol.bytes.to_string(),
                word.to_owned(),
            ]);
        }
        write!(f, "\n{table}")
    }
}
