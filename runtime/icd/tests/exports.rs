//! What `liboxcl.so` shows to the outside: exactly the functions of the list in `table.rs`, and no library that would
//! bring a compiler into the host's process.

use std::collections::BTreeSet;
use std::path::PathBuf;

fn library() -> Vec<u8> {
    let test = std::env::current_exe().expect("a test program");
    let path: PathBuf = test.parent().expect("a folder").join("liboxcl.so");
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The names of the lines `[kind name(…` between two words of the list.
fn listed(from: &str, to: &str) -> BTreeSet<String> {
    let text = include_str!("../src/table.rs");
    let list = text.split_once(from).and_then(|(_, rest)| rest.split_once(to)).expect("the list").0;
    let mut names = BTreeSet::new();
    for line in list.lines().map(str::trim).filter(|line| line.starts_with('[')) {
        let (kind, rest) = line[1..].split_once(' ').expect("a kind and a name");
        if kind != "absent" {
            let name = rest.split(['(', ']']).next().expect("a name");
            names.insert(name.to_owned());
        }
    }
    names
}

#[test]
fn the_library_exports_the_list_and_nothing_else() {
    let bytes = library();
    let elf = goblin::elf::Elf::parse(&bytes).expect("an ELF file");
    let exported: BTreeSet<String> = elf
        .dynsyms
        .iter()
        .filter(|symbol| !symbol.is_import() && symbol.st_bind() != goblin::elf::sym::STB_LOCAL)
        .filter_map(|symbol| elf.dynstrtab.get_at(symbol.st_name).map(str::to_owned))
        .collect();
    let wanted = listed("dispatch {", "extensions {");
    assert!(wanted.len() > 100, "the list was not found");
    assert_eq!(exported, wanted);
}

#[test]
fn the_library_needs_neither_a_compiler_nor_the_cpp_library() {
    let bytes = library();
    let elf = goblin::elf::Elf::parse(&bytes).expect("an ELF file");
    for needed in &elf.libraries {
        let known = ["libc.so", "libm.so", "libgcc_s.so", "ld-linux", "libdl.so", "libpthread.so"];
        assert!(known.iter().any(|name| needed.starts_with(name)), "{needed}");
    }
    assert_eq!(elf.soname, Some("liboxcl.so.1"));
    let flags = elf.dynamic.as_ref().expect("a dynamic section").info.flags_1;
    assert_ne!(flags & goblin::elf::dynamic::DF_1_NODELETE, 0, "the library stays loaded");
}
