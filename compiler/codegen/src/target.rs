//! CPUs that code is made for: this host, or any x86-64 or AArch64 CPU or level that LLVM knows by name.
//!
//! A target is data: a name and its instruction set features. The same name gives the same target on every machine;
//! only [`CpuTarget::host`] asks the machine. What names mean beyond LLVM's is in `architecture.rs`.

use std::sync::OnceLock;

use oxcl_binary::meta::Level;

use crate::architecture::{ARMV8, Architecture, parts};
use crate::bridge::{self, Heard, Text};

/// A CPU to make code for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CpuTarget {
    architecture: Architecture,
    /// As it is called in requests and archives.
    name: String,
    /// LLVM's name.
    cpu: String,
    /// What the code may use, sorted.
    features: Vec<String>,
    /// For LLVM, beside the name: what this very machine, or one of the whole name, has more or less than LLVM's name says.
    adjustment: String,
    /// The length of SVE registers, where it is known.
    sve_bits: Option<u32>,
}

/// A CPU name that is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown CPU '{name}'{}", suggestion(.nearest))]
pub struct UnknownCpu {
    /// The name given.
    pub name: String,
    /// The known name that looks most like it.
    pub nearest: Option<String>,
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(
        || "; try x86-64-v2, x86-64-v3, x86-64-v4, armv8-a, armv8-a+sve256 or host".to_owned(),
        |name| format!("; the nearest known one is '{name}'"),
    )
}

fn host() -> &'static CpuTarget {
    static HOST: OnceLock<CpuTarget> = OnceLock::new();
    HOST.get_or_init(|| {
        let mut name = Heard::default();
        // SAFETY: the sink is called with the `Heard` that `user` comes from, before the call returns.
        unsafe { bridge::oxcl_host_cpu(bridge::hear_message, name.user()) };
        let mut has = Heard::default();
        // SAFETY: as above.
        unsafe { bridge::oxcl_host_features(bridge::hear_message, has.user()) };
        let cpu = name.message();
        let features: Vec<String> =
            has.messages.iter().filter_map(|f| f.strip_prefix('+')).map(str::to_owned).collect();
        // LLVM reads the string for every function: only what the name does not say goes into it.
        let architecture = Architecture::X86_64;
        let by_name = features_of(architecture, &cpu, "");
        let more = features.iter().filter(|f| !by_name.contains(f)).map(|f| format!("+{f}"));
        let less = by_name.iter().filter(|f| !features.contains(f)).map(|f| format!("-{f}"));
        let adjustment: Vec<String> = more.chain(less).collect();
        let (name, adjustment) = (cpu.clone(), adjustment.join(","));
        CpuTarget { architecture, name, cpu, features, adjustment, sve_bits: None }
    })
}

/// The instruction set features that a CPU has by LLVM's name and what is said beside it, sorted.
fn features_of(architecture: Architecture, cpu: &str, adjustment: &str) -> Vec<String> {
    let mut features = Heard::default();
    let (number, cpu, adjustment) = (architecture.number(), Text::new(cpu), Text::new(adjustment));
    // SAFETY: the sink is called with the `Heard` that `user` comes from, before the call returns; so long the texts live.
    unsafe { bridge::oxcl_cpu_features(number, cpu, adjustment, bridge::hear_message, features.user()) };
    features.messages
}

/// LLVM's names of an architecture's CPUs, sorted.
fn names(architecture: Architecture) -> Vec<String> {
    let mut names = Heard::default();
    // SAFETY: the sink is called with the `Heard` that `user` comes from, before the call returns.
    unsafe { bridge::oxcl_cpu_names(architecture.number(), bridge::hear_message, names.user()) };
    names.messages
}

impl CpuTarget {
    /// The CPU that this process runs on, with exactly its features.
    #[must_use]
    pub fn host() -> Self {
        host().clone()
    }

    /// `host`, a level (`x86-64-v3`, `armv8-a`, `armv8-a+sve256`) or a CPU (`znver4`, `neoverse-v1+sve256`).
    ///
    /// # Errors
    /// LLVM knows no such CPU of x86-64 or AArch64, or it has no vectors of this length.
    pub fn named(name: &str) -> Result<Self, UnknownCpu> {
        if name == "host" || name == "native" {
            return Ok(Self::host());
        }
        let mut known = names(Architecture::X86_64);
        if !known.iter().any(|known| known == name) {
            if let Some(target) = Self::of_aarch64(name) {
                return Ok(target);
            }
            known.extend(names(Architecture::Aarch64));
            known.push(ARMV8.to_owned());
            let nearest = nearest(name, &known);
            return Err(UnknownCpu { name: name.to_owned(), nearest });
        }
        let architecture = Architecture::X86_64;
        let features = features_of(architecture, name, "");
        let (name, cpu, adjustment) = (name.to_owned(), name.to_owned(), String::new());
        Ok(Self { architecture, name, cpu, features, adjustment, sve_bits: None })
    }

    fn of_aarch64(name: &str) -> Option<Self> {
        let architecture = Architecture::Aarch64;
        let parts = parts(name)?;
        // What LLVM calls generic has a name of the architecture's.
        if name.starts_with(parts.cpu) && parts.cpu == "generic"
            || !names(architecture).iter().any(|known| known == parts.cpu)
        {
            return None;
        }
        let adjustment = if parts.sve_bits.is_some() { "+sve" } else { "" }.to_owned();
        let features = features_of(architecture, parts.cpu, &adjustment);
        let (name, cpu, sve_bits) = (name.to_owned(), parts.cpu.to_owned(), parts.sve_bits);
        Some(Self { architecture, name, cpu, features, adjustment, sve_bits })
    }

    /// Its architecture.
    #[must_use]
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// Its name in requests and archives.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// LLVM's name for it.
    #[must_use]
    pub fn cpu(&self) -> &str {
        &self.cpu
    }

    /// The features that the code may use, in LLVM's names, sorted.
    #[must_use]
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// The features as LLVM's `target-features` wants them, beside the name; may be empty.
    #[must_use]
    pub fn feature_string(&self) -> &str {
        &self.adjustment
    }

    /// Whether the code may use a feature.
    #[must_use]
    pub fn has(&self, feature: &str) -> bool {
        self.features.binary_search_by(|known| known.as_str().cmp(feature)).is_ok()
    }

    /// The record of it in an archive.
    #[must_use]
    pub fn level(&self) -> Level {
        Level { cpu: self.name.clone(), features: self.features.clone() }
    }

    /// Whether this machine has every feature of it.
    #[must_use]
    pub fn runs_here(&self) -> bool {
        self.architecture == host().architecture && self.features.iter().all(|feature| host().has(feature))
    }

    /// The length in bits of its SVE registers, where the code rests on one.
    #[must_use]
    pub fn sve_bits(&self) -> Option<u32> {
        self.sve_bits
    }

    /// Width in bits of its widest vector registers.
    #[must_use]
    pub fn vector_bits(&self) -> u32 {
        if let Some(bits) = self.sve_bits {
            bits
        } else if self.has("avx512f") {
            512
        } else if self.has("avx") {
            256
        } else {
            128
        }
    }

    /// The name that PoCL, built for distribution with several kernel libraries, gives this CPU in its device string.
    #[must_use]
    pub fn distribution_cpu(&self) -> &'static str {
        if self.architecture == Architecture::Aarch64 {
            return "generic";
        }
        const AVX512: [&str; 5] = ["avx512f", "avx512cd", "avx512bw", "avx512dq", "avx512vl"];
        if AVX512.iter().all(|feature| self.has(feature)) {
            "skylake-avx512"
        } else if self.has("avx2") {
            "haswell"
        } else if self.has("avx") && self.has("fma4") {
            "bdver1"
        } else if self.has("avx") && self.has("f16c") {
            "ivybridge"
        } else if self.has("avx") {
            "sandybridge"
        } else if self.has("sse4.1") {
            "penryn"
        } else if self.has("ssse3") {
            "core2"
        } else {
            "x86-64"
        }
    }
}

/// The known name with the fewest letters changed, if at most a third of them are.
fn nearest(name: &str, known: &[String]) -> Option<String> {
    known
        .iter()
        .map(|candidate| (distance(name.as_bytes(), candidate.as_bytes()), candidate))
        .filter(|(distance, candidate)| distance * 3 <= candidate.len())
        .min()
        .map(|(_, candidate)| candidate.clone())
}

/// Levenshtein's distance.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = (diagonal + usize::from(x != y)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = cost;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::CpuTarget;

    #[test]
    fn levels_have_their_features() {
        let v3 = CpuTarget::named("x86-64-v3").unwrap();
        assert!(v3.has("avx2") && v3.has("fma") && !v3.has("avx512f"), "{:?}", v3.features());
        assert_eq!((v3.distribution_cpu(), v3.vector_bits()), ("haswell", 256));
        let v4 = CpuTarget::named("x86-64-v4").unwrap();
        assert_eq!((v4.distribution_cpu(), v4.vector_bits()), ("skylake-avx512", 512));
        let v2 = CpuTarget::named("x86-64-v2").unwrap();
        assert_eq!((v2.distribution_cpu(), v2.vector_bits()), ("penryn", 128));
        assert!(v2.features().is_sorted() && v2.runs_here());
        assert_eq!(CpuTarget::named("x86-64").unwrap().distribution_cpu(), "x86-64");
        assert!(CpuTarget::named("znver4").unwrap().has("avx512bf16"));
    }

    #[test]
    fn aarch64_has_levels_for_lengths_of_sve() {
        let neon = CpuTarget::named("armv8-a").unwrap();
        assert_eq!((neon.cpu(), neon.vector_bits(), neon.sve_bits()), ("generic", 128, None));
        assert!(neon.has("neon") && !neon.has("sve") && !neon.runs_here(), "{:?}", neon.features());
        let sve = CpuTarget::named("armv8-a+sve512").unwrap();
        assert_eq!((sve.name(), sve.vector_bits(), sve.feature_string()), ("armv8-a+sve512", 512, "+sve"));
        assert!(sve.has("sve") && sve.has("fullfp16") && sve.features().is_sorted());
        assert_eq!(CpuTarget::named("neoverse-v1").unwrap().vector_bits(), 128);
        assert_eq!(CpuTarget::named("neoverse-v1+sve256").unwrap().vector_bits(), 256);
        for wrong in
            ["generic", "armv8-a+sve", "armv8-a+sve384", "x86-64-v3+sve256", "+sve256", "generic+sve256"]
        {
            assert!(CpuTarget::named(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_host_runs_its_own_code() {
        let host = CpuTarget::host();
        assert!(host.runs_here() && host.has("sse2") && host.features().is_sorted());
        assert_eq!(CpuTarget::named("host"), Ok(host));
    }

    #[test]
    fn unknown_names_get_the_nearest() {
        let error = CpuTarget::named("x86-64-v5").unwrap_err();
        assert_eq!(error.to_string(), "unknown CPU 'x86-64-v5'; the nearest known one is 'x86-64-v2'");
        assert_eq!(CpuTarget::named("znver").unwrap_err().nearest.as_deref(), Some("znver1"));
        assert!(CpuTarget::named("power10").unwrap_err().nearest.is_none());
        assert_eq!(CpuTarget::named("cortex-a720ae2").unwrap_err().nearest.as_deref(), Some("cortex-a720ae"));
        assert!(CpuTarget::named("i486").is_err(), "32-bit only");
    }
}
