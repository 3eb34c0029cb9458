//! Takes PoCL itself off the list of libraries that a kernel's shared object asks for.
//!
//! PoCL after 7.2 links every kernel with its own library, for the printf hook. The system's loader would bring a second
//! OpenCL runtime into the process, of whatever version it finds, or refuse the kernel. Nothing of that library is
//! used: the check before loading has found every symbol that the kernel needs in the C and maths libraries.

use std::borrow::Cow;

use goblin::elf::Elf;
use goblin::elf::dynamic::{DT_NEEDED, DT_NULL};
use goblin::elf::program_header::PT_DYNAMIC;

/// Bytes of an entry of the dynamic section in 64-bit files.
const ENTRY: usize = 16;

/// Whether this is PoCL's own library.
pub(crate) fn is_host_library(library: &str) -> bool {
    library.starts_with("libpocl.so.")
}

/// The file without the entries that ask for PoCL's library. A file that cannot be read so far is left as it is, for the
/// system's loader to refuse.
pub(crate) fn without_host_library(bytes: &[u8]) -> Cow<'_, [u8]> {
    rewritten(bytes).map_or(Cow::Borrowed(bytes), Cow::Owned)
}

fn rewritten(bytes: &[u8]) -> Option<Vec<u8>> {
    let elf = Elf::parse(bytes).ok()?;
    if !elf.libraries.iter().any(|library| is_host_library(library)) {
        return None;
    }
    let section = elf.program_headers.iter().find(|header| header.p_type == PT_DYNAMIC)?;
    let start = usize::try_from(section.p_offset).ok()?;
    let entries: Vec<(u64, u64)> = elf.dynamic.as_ref()?.dyns.iter().map(|d| (d.d_tag, d.d_val)).collect();
    let unwanted = |&&(tag, value): &&(u64, u64)| {
        let name = usize::try_from(value).ok().and_then(|at| elf.dynstrtab.get_at(at));
        tag == DT_NEEDED && name.is_some_and(is_host_library)
    };
    let kept = entries.iter().filter(|entry| !unwanted(entry));
    // The list stays as long as it was: it ends earlier, at the first of the empty entries behind those kept.
    let padded = kept.copied().chain(std::iter::repeat((DT_NULL, 0))).take(entries.len());
    let mut out = bytes.to_vec();
    let section = out.get_mut(start..start.checked_add(entries.len() * ENTRY)?)?;
    for (place, (tag, value)) in section.chunks_exact_mut(ENTRY).zip(padded) {
        place[..8].copy_from_slice(&tag.to_le_bytes());
        place[8..].copy_from_slice(&value.to_le_bytes());
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// A shared object linked with an empty library of this name.
    fn object(library: &str) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("empty.c"), "").unwrap();
        std::fs::write(path("kernel.c"), "int answer(void) { return 42; }").unwrap();
        let cc = |arguments: &[&std::ffi::OsStr]| {
            let status =
                Command::new("cc").args(["-shared", "-fPIC", "-Wl,--no-as-needed"]).args(arguments).status();
            assert!(status.unwrap().success());
        };
        let soname = format!("-Wl,-soname,{library}");
        let [empty, so, source, out] = ["empty.c", "empty.so", "kernel.c", "kernel.so"].map(path);
        cc(&[soname.as_ref(), "-o".as_ref(), so.as_ref(), empty.as_ref()]);
        cc(&["-o".as_ref(), out.as_ref(), source.as_ref(), so.as_ref()]);
        std::fs::read(out).unwrap()
    }

    #[test]
    fn pocls_library_goes_and_others_stay() {
        let bytes = object("libpocl.so.2");
        let before = Elf::parse(&bytes).unwrap().libraries;
        assert!(before.contains(&"libpocl.so.2"), "{before:?}");
        let rewritten = without_host_library(&bytes);
        let after = Elf::parse(&rewritten).unwrap();
        let kept: Vec<&str> = before.iter().copied().filter(|name| !is_host_library(name)).collect();
        assert_eq!(after.libraries, kept);
        assert_eq!(after.dynsyms.len(), Elf::parse(&bytes).unwrap().dynsyms.len());

        let bytes = object("libother.so.2");
        assert!(matches!(without_host_library(&bytes), Cow::Borrowed(_)));
        assert!(matches!(without_host_library(b"no ELF"), Cow::Borrowed(_)));
    }
}
