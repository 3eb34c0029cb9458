//! The parts of `oxcl inspect`: what a file is, and a report on each kind, which prints as text and serialises as JSON.

pub(crate) mod archive;
pub(crate) mod bitcode;
pub(crate) mod elf;
pub(crate) mod files;
pub(crate) mod listing;
pub(crate) mod spirv;

use crate::cmd::inspect::chosen;
use crate::error::CliError;
use oxcl_binary::archive::{Archive, File};
use serde::Serialize;
use std::fmt;
use std::path::Path;

/// A file that was looked at.
#[derive(Debug)]
pub(crate) enum Contents {
    /// A pocl-binary.
    Archive(Box<Archive>),
    /// A shared object, an object or a program.
    Elf(Vec<u8>),
    /// LLVM bitcode.
    Bitcode(Vec<u8>),
    /// A module of SPIR-V.
    Spirv(Vec<u8>),
    /// A text or other data inside an archive, with its path.
    Data(File),
}

/// What there is to say about a file.
#[derive(Debug, Serialize)]
#[serde(tag = "format", rename_all = "kebab-case")]
pub(crate) enum Report {
    /// A pocl-binary.
    PoclBinary(archive::ArchiveReport),
    /// An ELF file.
    Elf(elf::ElfReport),
    /// LLVM bitcode.
    Bitcode(bitcode::BitcodeReport),
    /// A module of SPIR-V.
    Spirv(spirv::SpirvReport),
    /// Something else inside an archive.
    Data(DataReport),
}

/// A file of an archive that is neither code nor bitcode.
#[derive(Debug, Serialize)]
pub(crate) struct DataReport {
    path: String,
    bytes: usize,
    /// The contents where they are text.
    text: Option<String>,
}

impl Contents {
    /// Looks at the first bytes; an archive is read.
    pub(crate) fn of(path: &Path, bytes: Vec<u8>) -> Result<Self, CliError> {
        let refuse = |reason: String| CliError::File { path: path.to_owned(), reason, help: None };
        if bytes.is_empty() {
            return Err(refuse("it is empty".to_owned()));
        }
        if crate::program::is_archive(&bytes) {
            let archive = Archive::read(&bytes).map_err(|error| refuse(error.to_string()))?;
            return Ok(Self::Archive(Box::new(archive)));
        }
        Self::of_code(bytes)
            .map_err(|_| refuse("it is no pocl-binary, ELF file, LLVM bitcode or SPIR-V".to_owned()))
    }

    /// The same for a file of an archive, which may also be data.
    pub(crate) fn of_member(path: &Path, file: File) -> Result<Self, CliError> {
        if crate::program::is_archive(&file.data) {
            return Self::of(path, file.data);
        }
        Ok(Self::of_code(file.data).unwrap_or_else(|data| Self::Data(File { path: file.path, data })))
    }

    fn of_code(bytes: Vec<u8>) -> Result<Self, Vec<u8>> {
        match files::kind(&bytes) {
            files::Kind::Object => Ok(Self::Elf(bytes)),
            files::Kind::Bitcode => Ok(Self::Bitcode(bytes)),
            files::Kind::Spirv => Ok(Self::Spirv(bytes)),
            files::Kind::Facts | files::Kind::Data => Err(bytes),
        }
    }

    /// The report; of an archive, on this kernel only where one is named.
    pub(crate) fn report(&self, path: &Path, kernel: Option<&str>) -> Result<Report, CliError> {
        let refuse = |reason| CliError::File { path: path.to_owned(), reason, help: None };
        Ok(match self {
            Self::Archive(archive) => {
                let kernels = chosen(path, archive, kernel)?;
                Report::PoclBinary(archive::ArchiveReport::of(archive, &kernels))
            }
            Self::Elf(bytes) => Report::Elf(elf::ElfReport::of(bytes).map_err(refuse)?),
            Self::Bitcode(bytes) => Report::Bitcode(bitcode::BitcodeReport::of(bytes).map_err(refuse)?),
            Self::Spirv(bytes) => Report::Spirv(spirv::SpirvReport::of(bytes).map_err(refuse)?),
            Self::Data(file) => Report::Data(DataReport {
                path: file.path.clone(),
                bytes: file.data.len(),
                text: std::str::from_utf8(&file.data).ok().map(str::to_owned),
            }),
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PoclBinary(report) => report.fmt(f),
            Self::Elf(report) => report.fmt(f),
            Self::Bitcode(report) => report.fmt(f),
            Self::Spirv(report) => report.fmt(f),
            Self::Data(DataReport { text: Some(text), .. }) => writeln!(f, "{}", text.trim_end()),
            Self::Data(report) => writeln!(f, "{}: {} bytes of data", report.path, report.bytes),
        }
    }
}
