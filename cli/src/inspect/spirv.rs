//! What there is to say about a module of SPIR-V: the constants that the host may specialise, and a listing.

use oxcl_binary::il::spec_constants;
use serde::Serialize;
use std::fmt;

/// A module of SPIR-V.
#[derive(Debug, Serialize)]
pub(crate) struct SpirvReport {
    bytes: usize,
    /// Number and size of each constant that the host may specialise.
    spec_constants: Vec<(u32, usize)>,
    /// Each instruction in a line; only a compiler has it.
    listing: Option<String>,
}

impl SpirvReport {
    /// Looks at a module.
    pub(crate) fn of(bytes: &[u8]) -> Result<Self, String> {
        let constants = spec_constants(bytes).ok_or("the module is cut short")?;
        let spec_constants = constants.into_iter().map(|one| (one.number, one.bytes)).collect();
        Ok(Self { bytes: bytes.len(), spec_constants, listing: listing(bytes)? })
    }
}

#[cfg(feature = "compiler")]
fn listing(bytes: &[u8]) -> Result<Option<String>, String> {
    oxcl_compiler::spirv_listing(bytes).map(Some).map_err(|error| format!("{error} [{}]", error.code()))
}

#[cfg(not(feature = "compiler"))]
#[expect(clippy::unnecessary_wraps, reason = "a compiler may refuse the module")]
fn listing(_bytes: &[u8]) -> Result<Option<String>, String> {
    Ok(None)
}

impl fmt::Display for SpirvReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "SPIR-V, {} bytes", self.bytes)?;
        for (number, bytes) in &self.spec_constants {
            writeln!(f, "constant {number} of {bytes} bytes may be specialised")?;
        }
        match &self.listing {
            Some(listing) => f.write_str(listing),
            None => writeln!(f, "this oxcl was built without the compiler, which has the listing"),
        }
    }
}
