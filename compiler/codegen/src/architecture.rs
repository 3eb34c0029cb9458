//! Instruction set architectures that code is made for, and how their CPUs are named.
//!
//! In: the name of a CPU as users write it. Out: what LLVM is told instead, and how wide vectors are where the name says so.
//! Whether LLVM knows the CPU is not asked here.
//!
//! CPUs of x86-64 go by LLVM's names alone. One of AArch64 may have a suffix, in the grammar of compilers' `-mcpu`:
//! `neoverse-v1+sve256` has SVE registers of exactly 256 bits. SVE's architecture leaves their length open (a multiple of 128
//! bits, at most 2048), and code for a known number of lanes needs it; so each length is a level of its own in an archive.
//! Without the suffix vectors are NEON's, of 128 bits. `armv8-a` is what every processor of AArch64 has.

/// An instruction set architecture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Architecture {
    /// x86-64.
    X86_64,
    /// 64-bit Arm, little-endian.
    Aarch64,
}

impl Architecture {
    /// All.
    pub const ALL: [Self; 2] = [Self::X86_64, Self::Aarch64];

    /// The triple of code for it.
    #[must_use]
    pub fn triple(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64-unknown-linux-gnu",
            Self::Aarch64 => "aarch64-unknown-linux-gnu",
        }
    }

    /// The triple in the strings that PoCL's builds for Debian name their devices by.
    #[must_use]
    pub fn debian_triple(self) -> &'static str {
        match self {
            Self::X86_64 => "x86_64-pc-linux-gnu",
            Self::Aarch64 => "aarch64-unknown-linux-gnu",
        }
    }

    /// Its name in messages.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::X86_64 => "x86-64",
            Self::Aarch64 => "AArch64",
        }
    }

    /// The bridge's number for it.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::X86_64 => 0,
            Self::Aarch64 => 1,
        }
    }
}

/// The least AArch64 processor, by the name that compilers call it.
pub(crate) const ARMV8: &str = "armv8-a";

/// What LLVM calls it.
const GENERIC: &str = "generic";

/// A name taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parts<'n> {
    /// LLVM's name for the CPU.
    pub(crate) cpu: &'n str,
    /// The length of SVE registers in bits, where the name says it.
    pub(crate) sve_bits: Option<u32>,
}

/// Takes a name apart; `None` where its suffix says no length that SVE registers can have.
pub(crate) fn parts(name: &str) -> Option<Parts<'_>> {
    let (cpu, sve_bits) = match name.split_once("+sve") {
        None => (name, None),
        Some((cpu, bits)) => {
            let bits: u32 = bits.parse().ok()?;
            // The architecture allows up to 2048; code for more lanes than 16 of 32 bits is not tried.
            if ![128, 256, 512].contains(&bits) {
                return None;
            }
            (cpu, Some(bits))
        }
    };
    Some(Parts { cpu: if cpu == ARMV8 { GENERIC } else { cpu }, sve_bits })
}

#[cfg(test)]
mod tests {
    use super::{Parts, parts};

    #[test]
    fn suffixes_say_the_length_of_sve_registers() {
        assert_eq!(parts("znver4"), Some(Parts { cpu: "znver4", sve_bits: None }));
        assert_eq!(parts("armv8-a"), Some(Parts { cpu: "generic", sve_bits: None }));
        assert_eq!(parts("armv8-a+sve512"), Some(Parts { cpu: "generic", sve_bits: Some(512) }));
        assert_eq!(parts("a64fx+sve512"), Some(Parts { cpu: "a64fx", sve_bits: Some(512) }));
        for wrong in ["a64fx+sve", "a64fx+sve0", "a64fx+sve384", "a64fx+sve2", "a64fx+sve-256"] {
            assert_eq!(parts(wrong), None, "{wrong}");
        }
    }
}
