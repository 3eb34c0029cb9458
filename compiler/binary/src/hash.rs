//! The hashes of the container, computed as PoCL computes them: the device's id, the name of the directory an archive
//! is unpacked into, and the short form of long kernel names.

use std::borrow::Cow;
use std::ops::Range;

use sha1::{Digest, Sha1};
use sha2::Sha256 as Digest256;

use crate::archive::Version;

/// The first bytes of every archive.
pub const MAGIC: &[u8; 8] = b"poclbin\0";

/// Where the build hash is in an archive, with the zero that ends it.
pub const BUILD_HASH_FIELD: Range<usize> = 36..77;

/// Characters of a build hash.
pub const BUILD_HASH_LENGTH: usize = 40;

/// Longest name, in bytes, that a kernel's directory and file have.
const LONGEST_NAME: usize = 59;

/// The device's id: 64-bit FNV-1 over the device's string.
#[must_use]
pub fn device_id(device: &str) -> u64 {
    device.bytes().fold(0xcbf2_9ce4_8422_2325, |id, byte| id.wrapping_mul(0x100_0000_01b3) ^ u64::from(byte))
}

/// The device's string within what a PoCL device answers to `CL_DEVICE_VERSION`: what follows `HSTR: `.
#[must_use]
pub fn device_string_of(cl_device_version: &str) -> Option<&str> {
    let (_, device) = cl_device_version.split_once("HSTR:")?;
    let device = device.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!device.is_empty()).then_some(device)
}

/// The container version that a PoCL with this device string reads and writes.
#[must_use]
pub fn version_of(device: &str) -> Version {
    // PoCL 3.1 names its drivers; from 4.0 on all host CPUs are `cpu-`.
    if device.starts_with("pthread-") || device.starts_with("basic-") { Version::V9 } else { Version::V12 }
}

/// The device string of a host CPU where nobody asked PoCL for it. `cpu` is LLVM's name for the CPU, or for version 9
/// the name of the distribution's kernel library ([`distribution_cpu`]).
#[must_use]
pub fn device_string(version: Version, triple: &str, cpu: &str) -> String {
    match version {
        Version::V9 => format!("pthread-{triple}-{cpu}"),
        Version::V11 | Version::V12 => format!("cpu-{triple}-{cpu}"),
    }
}

/// The device string of a transport-triggered processor with this digest.
#[must_use]
pub fn processor_string(digest: &str) -> String {
    format!("ttasim-riscv32-{digest}")
}

/// The CPU name that distributions' builds of PoCL use for an x86-64 CPU with these features (LLVM's names).
#[must_use]
pub fn distribution_cpu(has: impl Fn(&str) -> bool) -> &'static str {
    const CPUS: [(&str, &str); 7] = [
        ("avx512f", "skylake-avx512"),
        ("avx2", "haswell"),
        ("fma4", "bdver1"),
        ("f16c", "ivybridge"),
        ("avx", "sandybridge"),
        ("sse4.1", "penryn"),
        ("ssse3", "core2"),
    ];
    CPUS.iter().find(|(feature, _)| has(feature)).map_or("x86-64", |&(_, cpu)| cpu)
}

/// The build hash of an archive whose own field for it is zero: the name of the directory it is unpacked into.
#[must_use]
pub fn build_hash_text(archive: &[u8]) -> String {
    let mut text = letters(archive);
    // Two levels of directories: the third letter gives way to the separator.
    text.replace_range(2..3, "/");
    text
}

/// A kernel's name as PoCL 7 puts it into paths: itself, or if it is too long its beginning and the hash of the whole.
/// (PoCL cuts at a byte. Where that is inside a character we cut before it: paths are UTF-8.)
#[must_use]
pub fn clipped_name(kernel: &str) -> Cow<'_, str> {
    if kernel.len() <= LONGEST_NAME {
        return Cow::Borrowed(kernel);
    }
    let mut kept = LONGEST_NAME - BUILD_HASH_LENGTH - 1;
    while !kernel.is_char_boundary(kept) {
        kept -= 1;
    }
    Cow::Owned(format!("{}.{}", &kernel[..kept], letters(kernel.as_bytes())))
}

/// SHA-1 in 40 letters from `A` to `P`, the low half of each byte first.
fn letters(bytes: &[u8]) -> String {
    Sha1::digest(bytes)
        .iter()
        .flat_map(|byte| [byte & 15, byte >> 4])
        .map(|half| char::from(b'A' + half))
        .collect()
}

/// SHA-256 over several parts. Where one ends and the next begins counts: `ab`, `c` is not `a`, `bc`.
#[derive(Debug, Clone, Default)]
pub struct Sha256 {
    state: Digest256,
}

impl Sha256 {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a part.
    pub fn part(&mut self, bytes: &[u8]) {
        self.state.update((bytes.len() as u64).to_le_bytes());
        self.state.update(bytes);
    }

    /// The digest of all parts.
    #[must_use]
    pub fn finish(self) -> [u8; 32] {
        self.state.finalize().into()
    }

    /// The plain SHA-256 of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> [u8; 32] {
        Digest256::digest(bytes).into()
    }
}

/// A digest as 64 hexadecimal digits.
#[must_use]
pub fn hex(digest: &[u8; 32]) -> String {
    digest
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|half| char::from(b"0123456789abcdef"[usize::from(half)]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{
        build_hash_text, clipped_name, device_id, device_string, device_string_of, distribution_cpu,
        version_of,
    };
    use crate::archive::Version;

    #[test]
    fn the_device_id_is_that_of_a_known_machine() {
        let device = device_string(Version::V9, "x86_64-pc-linux-gnu", "skylake-avx512");
        assert_eq!(device, "pthread-x86_64-pc-linux-gnu-skylake-avx512");
        assert_eq!(device_id(&device), 0x02ee_5be9_5d30_7b0c);
        assert_eq!(device_id(""), 0xcbf2_9ce4_8422_2325);
    }

    #[test]
    fn the_device_string_is_read_from_the_version() {
        let version = "OpenCL 3.0 PoCL HSTR: cpu-x86_64-unknown-linux-gnu-znver4\0";
        assert_eq!(device_string_of(version), Some("cpu-x86_64-unknown-linux-gnu-znver4"));
        assert_eq!(device_string_of("OpenCL 3.0 (Build 0)"), None);
        assert_eq!(device_string_of("OpenCL 3.0 PoCL HSTR: "), None);
        assert_eq!(version_of("pthread-x86_64-pc-linux-gnu-haswell"), Version::V9);
        assert_eq!(version_of("cpu-x86_64-unknown-linux-gnu-znver4"), Version::V12);
    }

    #[test]
    fn distributions_name_cpus_by_their_best_feature() {
        assert_eq!(distribution_cpu(|_| false), "x86-64");
        assert_eq!(distribution_cpu(|f| ["ssse3", "avx", "avx2"].contains(&f)), "haswell");
        assert_eq!(distribution_cpu(|_| true), "skylake-avx512");
    }

    #[test]
    fn build_hashes_are_a_directory_of_two_levels() {
        // SHA-1 of nothing is da39a3ee 5e6b4b0d 3255bfef 95601890 afd80709.
        assert_eq!(build_hash_text(b""), "KN/DDKOOOFLGLENACDFFPLPOFJAGIBAJPKINHAJA".to_owned());
    }

    #[test]
    fn long_names_are_clipped_and_hashed() {
        let name = "k".repeat(59);
        assert_eq!(clipped_name(&name), name);
        let name = "k".repeat(60);
        let clipped = clipped_name(&name);
        assert_eq!(clipped.len(), 59);
        assert!(clipped.starts_with("kkkkkkkkkkkkkkkkkk."));
        // A clip in the middle of a character keeps whole characters only.
        assert!(clipped_name(&"ä€".repeat(30)).starts_with("ä€ä€ä€ä."));
    }
}
