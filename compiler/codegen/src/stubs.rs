//! The C libraries that kernels are linked against, by their functions' names.
//!
//! In: the list of functions outside that code may call (`externals.txt`). Out: which library has a function, and a stub of a
//! library: for x86-64 a shared object that was made at build time, for others an object that is linked to one where it is
//! needed. A stub has names and nothing else, so it is the same on every machine.

use object::write::{Object, Symbol, SymbolSection};
use object::{BinaryFormat, Endianness, SectionKind, SymbolFlags, SymbolKind, SymbolScope};

use crate::architecture::Architecture;

/// Library and symbol of each function outside that code may call, sorted.
const EXTERNALS: &str = include_str!("externals.txt");

const STUBS: [(&str, &[u8]); 2] = [
    ("libc.so.6", include_bytes!(concat!(env!("OUT_DIR"), "/libc.so.6.stub"))),
    ("libm.so.6", include_bytes!(concat!(env!("OUT_DIR"), "/libm.so.6.stub"))),
];

/// Libraries and their functions.
fn functions() -> impl Iterator<Item = (&'static str, &'static str)> {
    EXTERNALS.lines().filter_map(|line| line.split_once(' '))
}

/// The library that has a function.
pub(crate) fn library_of(symbol: &str) -> Option<&'static str> {
    functions().find_map(|(library, known)| (known == symbol).then_some(library))
}

/// The stub of a library for x86-64.
pub(crate) fn of_x86(library: &str) -> Option<&'static [u8]> {
    STUBS.iter().find_map(|(known, stub)| (*known == library).then_some(*stub))
}

/// An object that defines the functions of a library.
pub(crate) fn object(architecture: Architecture, library: &str) -> Result<Vec<u8>, object::write::Error> {
    let architecture = match architecture {
        Architecture::X86_64 => object::Architecture::X86_64,
        Architecture::Aarch64 => object::Architecture::Aarch64,
    };
    let mut object = Object::new(BinaryFormat::Elf, architecture, Endianness::Little);
    let code = object.add_section(Vec::new(), b".text".to_vec(), SectionKind::Text);
    // Nobody runs it; but a symbol lies somewhere.
    let value = object.append_section_data(code, &[0; 4], 4);
    for (_, name) in functions().filter(|(known, _)| *known == library) {
        object.add_symbol(Symbol {
            name: name.as_bytes().to_vec(),
            value,
            size: 0,
            kind: SymbolKind::Text,
            scope: SymbolScope::Dynamic,
            weak: false,
            section: SymbolSection::Section(code),
            flags: SymbolFlags::None,
        });
    }
    object.write()
}

#[cfg(test)]
mod tests {
    use super::{library_of, object, of_x86};
    use crate::architecture::Architecture;

    #[test]
    fn functions_have_a_library() {
        assert_eq!(library_of("memcpy"), Some("libc.so.6"));
        assert_eq!(library_of("sinf"), Some("libm.so.6"));
        assert_eq!(library_of("system"), None);
        assert!(of_x86("libm.so.6").is_some() && of_x86("libz.so.1").is_none());
        let stub = object(Architecture::Aarch64, "libm.so.6").unwrap();
        assert!(
            stub.windows(5).any(|name| name == b"sinf\0") && !stub.windows(7).any(|name| name == b"memcpy\0")
        );
    }
}
