//! What names this compiler: the build ids that linkers put into the program and into LLVM's and clang's libraries.
//! Two compilers with the same ids make the same code of the same job.

use std::ffi::{CStr, OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use oxcl_binary::hash::Sha256;
use oxcl_binary::pipe::{Library, PROTOCOL};

/// Libraries beside the program itself whose contents decide what code is made.
const LIBRARIES: [&str; 4] = ["libLLVM", "libclang-cpp", "liblld", "libclang"];

/// The type of the note that holds a build id, and the name it is under.
const BUILD_ID: (u32, &[u8]) = (3, b"GNU\0");

/// A part of the compiler that is loaded here.
struct Part {
    path: PathBuf,
    build_id: Vec<u8>,
}

/// The identity, and the files that it was made of.
pub(crate) fn identity() -> ([u8; 32], Vec<Library>) {
    let mut parts: Vec<Part> = Vec::new();
    // SAFETY: `take_part` gets the vector, which lives until the call returns and which nothing else uses meanwhile.
    unsafe { libc::dl_iterate_phdr(Some(take_part), (&raw mut parts).cast()) };
    let mut hash = Sha256::new();
    hash.part(b"oxcl compiler");
    hash.part(env!("CARGO_PKG_VERSION").as_bytes());
    hash.part(&PROTOCOL.to_le_bytes());
    let mut files = Vec::new();
    for part in &parts {
        let file = library(&part.path);
        let name = part.path.file_name().unwrap_or_default();
        hash.part(name.as_bytes());
        hash.part(&part.build_id);
        if part.build_id.is_empty() {
            // Built without: the next best.
            hash.part(&file.length.to_le_bytes());
            hash.part(&file.modified.to_le_bytes());
        }
        files.push(file);
    }
    (hash.finish(), files)
}

fn library(path: &Path) -> Library {
    let data = path.metadata().ok();
    let modified = data.as_ref().and_then(|data| data.modified().ok()?.duration_since(UNIX_EPOCH).ok());
    Library {
        path: path.to_string_lossy().into_owned(),
        length: data.map_or(0, |data| data.len()),
        modified: modified.map_or(0, |since| u64::try_from(since.as_nanos()).unwrap_or(0)),
    }
}

/// Adds one loaded object if it is a part of the compiler. The program comes first and has no name.
///
/// # Safety
/// `info` is what `dl_iterate_phdr` passes, `parts` the vector that was passed to it.
unsafe extern "C" fn take_part(info: *mut libc::dl_phdr_info, _: usize, parts: *mut c_void) -> c_int {
    // SAFETY: `identity` passes its vector, and calls nothing else that uses it meanwhile.
    let parts = unsafe { &mut *parts.cast::<Vec<Part>>() };
    // SAFETY: `dl_iterate_phdr` passes a valid structure.
    let info = unsafe { &*info };
    let path = if parts.is_empty() {
        std::env::current_exe().unwrap_or_default()
    } else if info.dlpi_name.is_null() {
        return 0;
    } else {
        // SAFETY: a name is a C string that lives as long as the object is loaded.
        let name = unsafe { CStr::from_ptr(info.dlpi_name) };
        let path = Path::new(OsStr::from_bytes(name.to_bytes()));
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        if !LIBRARIES.iter().any(|library| file.starts_with(library)) {
            return 0;
        }
        path.canonicalize().unwrap_or_else(|_| path.to_owned())
    };
    // SAFETY: a loaded object has so many program headers at that place.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) };
    let mut build_id = Vec::new();
    for header in headers.iter().filter(|header| header.p_type == libc::PT_NOTE) {
        let address = info.dlpi_addr.wrapping_add(header.p_vaddr);
        let Ok(length) = usize::try_from(header.p_memsz) else { continue };
        let begin = std::ptr::with_exposed_provenance::<u8>(address as usize);
        // SAFETY: notes are mapped where their header says, for as long as the object is loaded.
        let notes = unsafe { std::slice::from_raw_parts(begin, length) };
        if let Some(found) = find_build_id(notes) {
            build_id = found.to_vec();
        }
    }
    parts.push(Part { path, build_id });
    0
}

/// The build id among notes: name length, length, type, name and contents, each padded to four bytes.
fn find_build_id(mut notes: &[u8]) -> Option<&[u8]> {
    let number = |bytes: &[u8]| Some(u32::from_le_bytes(bytes.get(..4)?.try_into().ok()?));
    loop {
        let (name, length, kind) = (number(notes)?, number(notes.get(4..)?)?, number(notes.get(8..)?)?);
        let name_end = 12 + name as usize;
        let begin = name_end.next_multiple_of(4);
        let end = begin + length as usize;
        let (named, contents) = (notes.get(12..name_end)?, notes.get(begin..end)?);
        if (kind, named) == BUILD_ID {
            return Some(contents);
        }
        notes = notes.get(end.next_multiple_of(4)..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::{find_build_id, identity};

    #[test]
    fn the_build_id_is_found_behind_other_notes() {
        let mut notes = Vec::new();
        for (name, kind, contents) in [(&b"XY\0"[..], 3_u32, &b"no"[..]), (b"GNU\0", 3, b"id-of-it")] {
            for word in [name.len() as u32, contents.len() as u32, kind] {
                notes.extend(word.to_le_bytes());
            }
            notes.extend(name);
            notes.resize(notes.len().next_multiple_of(4), 0);
            notes.extend(contents);
            notes.resize(notes.len().next_multiple_of(4), 0);
        }
        assert_eq!(find_build_id(&notes), Some(&b"id-of-it"[..]));
        assert_eq!(find_build_id(&notes[..20]), None);
        assert_eq!(find_build_id(&[0xff; 40]), None);
    }

    #[test]
    fn the_compiler_knows_its_parts() {
        let (first, files) = identity();
        assert_eq!(first, identity().0);
        assert!(files.iter().any(|file| file.path.contains("libLLVM") && file.length > 0), "{files:?}");
        assert_eq!(std::env::current_exe().unwrap().to_string_lossy(), files[0].path);
    }
}
