//! Strings in a module that say what SPIR-V has no words for: the types of kernels' parameters as their source has them.
//!
//! In: a module's words, and for each kernel what its parameters are. Out: the same with `kernel_arg_type.KERNEL.first,second,`
//! and `kernel_arg_type_qual.KERNEL.…`, which other tools write and read as well.

use rspirv::spirv::Op;

use crate::error::SpirvError;
use crate::words::{parse, words};

/// A kernel's parameters.
#[derive(Debug, Clone)]
pub struct Parameters {
    /// The kernel.
    pub kernel: String,
    /// Types and qualifiers, in order.
    pub types: Vec<(String, String)>,
}

/// The module with such strings, in this machine's order of bytes.
///
/// # Errors
/// The bytes are no SPIR-V.
pub fn with_parameters(module: &[u8], kernels: &[Parameters]) -> Result<Vec<u8>, SpirvError> {
    let parsed = parse(module)?;
    let mut words = words(module)?;
    // Strings come behind execution modes and before names, decorations and types.
    let before = [
        Op::Capability,
        Op::Extension,
        Op::ExtInstImport,
        Op::MemoryModel,
        Op::EntryPoint,
        Op::ExecutionMode,
        Op::ExecutionModeId,
    ];
    let place = parsed.instructions.iter().find(|i| !before.contains(&i.op)).map_or(words.len(), |i| i.word);
    let mut added = Vec::new();
    for one in kernels {
        let list = |pick: fn(&(String, String)) -> &str| {
            one.types.iter().map(|pair| format!("{},", pick(pair))).collect::<String>()
        };
        for (kind, list) in
            [("kernel_arg_type", list(|pair| &pair.0)), ("kernel_arg_type_qual", list(|pair| &pair.1))]
        {
            let text = format!("{kind}.{}.{list}", one.kernel);
            // With a zero behind it, to whole words.
            let mut bytes = text.into_bytes();
            bytes.resize(bytes.len() / 4 * 4 + 4, 0);
            let length = u32::try_from(bytes.len() / 4 + 2).unwrap_or(u32::MAX);
            if length > 0xFFFF {
                continue;
            }
            added.extend([length << 16 | Op::String as u32, words[3]]);
            added.extend(bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)));
            words[3] += 1;
        }
    }
    words.splice(place..place, added);
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}
