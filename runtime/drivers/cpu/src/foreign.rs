//! Archives of other compilers: which CPU they are for, and how their context is laid out.
//!
//! Such an archive has no list of CPU features. It has a device id, a hash of the device's description, in which the
//! CPU's name is one of few where a distribution built PoCL; we try those.

use oxcl_binary::archive::Version;
use oxcl_binary::hash::device_id;

use crate::features::HostCpu;

/// Layout of the context that a PoCL entry takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PoclLayout {
    /// 96 bytes, container version 9.
    Bytes96,
    /// 112 bytes, container versions 11 and 12.
    Bytes112,
}

impl PoclLayout {
    pub(crate) fn of(version: Version) -> Self {
        match version {
            Version::V9 => Self::Bytes96,
            Version::V11 | Version::V12 => Self::Bytes112,
        }
    }
}

const TRIPLES: [&str; 3] = ["x86_64-pc-linux-gnu", "x86_64-unknown-linux-gnu", "x86_64-linux-gnu"];
const PREFIXES: [&str; 4] = ["pthread", "basic", "cpu", "cpu-minimal"];

/// CPUs for which distributions build, with the features that tell them from the one before.
const CPUS: [(&str, &[&str]); 8] = [
    ("x86-64", &[]),
    ("core2", &["ssse3"]),
    ("penryn", &["sse4.1"]),
    ("sandybridge", &["avx", "popcnt"]),
    ("ivybridge", &["avx", "f16c", "popcnt"]),
    ("bdver1", &["avx", "fma4", "xop"]),
    ("haswell", &["avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"]),
    ("skylake-avx512", &["avx2", "avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl", "bmi2", "fma"]),
];

/// The CPU that `id` stands for and those of its features that `host` lacks; `None` where the id is unknown.
pub(crate) fn missing_features(id: u64, host: &HostCpu) -> Option<(&'static str, Vec<String>)> {
    for (cpu, features) in CPUS {
        for triple in TRIPLES {
            for prefix in PREFIXES {
                if device_id(&format!("{prefix}-{triple}-{cpu}")) == id {
                    return Some((cpu, host.missing(features)));
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debians_identifier_is_known() {
        let (cpu, _) = missing_features(0x02ee_5be9_5d30_7b0c, HostCpu::get()).unwrap();
        assert_eq!(cpu, "skylake-avx512");
        assert_eq!(missing_features(1, HostCpu::get()), None);
    }
}
