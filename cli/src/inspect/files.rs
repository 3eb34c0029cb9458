//! Files going in and out of `oxcl inspect`.

use crate::error::CliError;
use oxcl_binary::archive::Archive;
use serde::Serialize;
use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

/// What a file is, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// An ELF file.
    Object,
    /// LLVM bitcode.
    Bitcode,
    /// A module of SPIR-V.
    Spirv,
    /// Facts that the compiler recorded, as JSON.
    Facts,
    /// Anything else.
    Data,
}

impl Kind {
    /// The word for it in tables.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Bitcode => "bitcode",
            Self::Spirv => "SPIR-V",
            Self::Facts => "facts",
            Self::Data => "data",
        }
    }
}

/// Looks at the first bytes.
pub(crate) fn kind(bytes: &[u8]) -> Kind {
    const BITCODE: [&[u8]; 2] = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b"];
    if bytes.starts_with(b"\x7fELF") {
        Kind::Object
    } else if BITCODE.iter().any(|magic| bytes.starts_with(magic)) {
        Kind::Bitcode
    } else if oxcl_binary::il::is_spirv(bytes) {
        Kind::Spirv
    } else if bytes.starts_with(b"{") {
        Kind::Facts
    } else {
        Kind::Data
    }
}

/// The bytes of a file, or of standard input.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    let read = if path == Path::new("-") {
        io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    read.map_err(|source| CliError::Read { path: path.to_owned(), source })
}

/// Writes the files of an archive below a new folder. The archive's reader lets no path out of it.
pub(crate) fn extract(archive: &Archive, folder: &Path) -> Result<(), CliError> {
    let fail = |path: &Path, source| CliError::Write { path: path.to_owned(), source };
    fs::create_dir(folder).map_err(|source| fail(folder, source))?;
    for file in archive.files() {
        let path = folder.join(file.path.trim_start_matches('/'));
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|source| fail(parent, source))?;
        }
        fs::write(&path, &file.data).map_err(|source| fail(&path, source))?;
    }
    Ok(())
}
