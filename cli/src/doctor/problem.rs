//! What can be wrong with an installation: each kind's code, which `docs/errors.md` explains, and how bad it is.

use serde::{Serialize, Serializer};

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    /// Programs do not find the platform, or cannot build or run kernels.
    Error,
    /// They can, and something else is not as it should be.
    Warning,
}

/// A kind of fault. What keeps programs from the library comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Problem {
    /// There is no OpenCL loader.
    NoLoader,
    /// No file that loaders read names oxcl.
    NotNamed,
    /// A variable sends the loader elsewhere.
    Hidden,
    /// A file names our library, which is not there.
    LibraryGone,
    /// A file names another platform's library, which is not there.
    OtherLibraryGone,
    /// The library is for another processor, or not whole.
    LibraryBroken,
    /// Several files name oxcl.
    NamedTwice,
    /// Programs load a library of another version.
    OtherLibrary,
    /// The library finds no compiler, or it does not start.
    NoCompiler,
    /// The compiler is not run, because others may have written it.
    CompilerRefused,
    /// Library and compiler are of different versions.
    OtherCompiler,
    /// There is no place for the cache, or it cannot be written.
    CacheUnusable,
    /// Everybody may write into the cache.
    CacheOpen,
    /// Files of the cache are damaged.
    CacheDamaged,
    /// The cache is too large, or its disk is full.
    CacheFull,
    /// A limit on processes or on open files is too low.
    FewProcesses,
    /// A limit on addresses is too low.
    FewAddresses,
    /// The control group's limit on memory or processes is too low.
    SmallGroup,
    /// A virtual machine's processor lacks features.
    OldProcessor,
    /// Nothing reads a variable.
    UnknownVariable,
    /// A variable's value has no effect.
    IdleVariable,
    /// A loader's file cannot be read, or is not one line.
    BadFile,
    /// The loader cannot be asked, or does not list oxcl.
    LoaderFails,
    /// A first kernel does not run.
    KernelFails,
}

impl Problem {
    /// Its code and how bad it is.
    fn row(self) -> (&'static str, Severity) {
        use Severity::{Error, Warning};
        match self {
            Problem::NoLoader => ("OX0801", Error),
            Problem::NotNamed => ("OX0802", Error),
            Problem::Hidden => ("OX0803", Error),
            Problem::LibraryGone => ("OX0804", Error),
            Problem::OtherLibraryGone => ("OX0805", Warning),
            Problem::LibraryBroken => ("OX0806", Error),
            Problem::NamedTwice => ("OX0807", Warning),
            Problem::OtherLibrary => ("OX0808", Error),
            Problem::NoCompiler => ("OX0809", Error),
            Problem::CompilerRefused => ("OX0810", Error),
            Problem::OtherCompiler => ("OX0811", Error),
            Problem::CacheUnusable => ("OX0812", Warning),
            Problem::CacheOpen => ("OX0813", Warning),
            Problem::CacheDamaged => ("OX0814", Warning),
            Problem::CacheFull => ("OX0815", Warning),
            Problem::FewProcesses => ("OX0816", Warning),
            Problem::FewAddresses => ("OX0817", Warning),
            Problem::SmallGroup => ("OX0818", Warning),
            Problem::OldProcessor => ("OX0819", Warning),
            Problem::UnknownVariable => ("OX0820", Warning),
            Problem::IdleVariable => ("OX0821", Warning),
            Problem::BadFile => ("OX0822", Warning),
            Problem::LoaderFails => ("OX0823", Error),
            Problem::KernelFails => ("OX0824", Error),
        }
    }

    /// Its code.
    pub(crate) fn code(self) -> &'static str {
        self.row().0
    }

    /// How bad it is.
    pub(crate) fn severity(self) -> Severity {
        self.row().1
    }
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}
