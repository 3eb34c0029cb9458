//! The features of the CPU that we run on, in LLVM's names.
//!
//! In: a list of names that code may use. Out: those that this CPU (or its operating system) lacks. A name that is
//! not in the table counts as lacking: to refuse is better than an illegal instruction.

use std::arch::x86_64::{__cpuid, __cpuid_count, _xgetbv};
use std::sync::OnceLock;

/// The CPU that this process runs on.
#[derive(Debug)]
pub struct HostCpu {
    name: String,
    features: Vec<&'static str>,
}

#[derive(Clone, Copy)]
enum Register {
    A,
    B,
    C,
    D,
}
use Register::{A, B, C, D};

/// What the operating system has to save for a feature to be usable.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// Nothing beyond what it always saves.
    Base,
    /// The upper halves of the 256-bit registers.
    Avx,
    /// The 512-bit and mask registers.
    Avx512,
    /// The tile registers.
    Amx,
}
use State::{Amx, Avx, Avx512, Base};

struct Row {
    leaf: u32,
    subleaf: u32,
    register: Register,
    state: State,
    features: &'static [(u32, &'static str)],
}

const fn row(
    leaf: u32,
    subleaf: u32,
    register: Register,
    state: State,
    features: &'static [(u32, &'static str)],
) -> Row {
    Row { leaf, subleaf, register, state, features }
}

/// Where CPUID reports each feature: leaf, sub-leaf, register, and bits with names.
const TABLE: &[Row] = &[
    row(1, 0, D, Base, &[(0, "x87"), (8, "cx8"), (15, "cmov"), (23, "mmx"), (24, "fxsr"), (25, "sse")]),
    row(1, 0, D, Base, &[(26, "sse2")]),
    row(1, 0, C, Base, &[(0, "sse3"), (1, "pclmul"), (9, "ssse3"), (13, "cx16"), (19, "sse4.1")]),
    row(1, 0, C, Base, &[(20, "sse4.2"), (20, "crc32"), (22, "movbe"), (23, "popcnt"), (25, "aes")]),
    row(1, 0, C, Base, &[(27, "xsave"), (30, "rdrnd")]),
    row(1, 0, C, Avx, &[(12, "fma"), (28, "avx"), (29, "f16c")]),
    row(7, 0, B, Base, &[(0, "fsgsbase"), (2, "sgx"), (3, "bmi"), (8, "bmi2"), (10, "invpcid"), (11, "rtm")]),
    row(7, 0, B, Base, &[(18, "rdseed"), (19, "adx"), (23, "clflushopt"), (24, "clwb"), (29, "sha")]),
    row(7, 0, B, Avx, &[(5, "avx2")]),
    row(7, 0, B, Avx512, &[(16, "avx512f"), (16, "evex512"), (17, "avx512dq"), (21, "avx512ifma")]),
    row(7, 0, B, Avx512, &[(28, "avx512cd"), (30, "avx512bw"), (31, "avx512vl")]),
    row(7, 0, C, Base, &[(4, "pku"), (5, "waitpkg"), (7, "shstk"), (8, "gfni"), (22, "rdpid"), (23, "kl")]),
    row(7, 0, C, Base, &[(25, "cldemote"), (27, "movdiri"), (28, "movdir64b"), (29, "enqcmd")]),
    row(7, 0, C, Avx, &[(9, "vaes"), (10, "vpclmulqdq")]),
    row(7, 0, C, Avx512, &[(1, "avx512vbmi"), (6, "avx512vbmi2"), (11, "avx512vnni")]),
    row(7, 0, C, Avx512, &[(12, "avx512bitalg"), (14, "avx512vpopcntdq")]),
    row(7, 0, D, Base, &[(5, "uintr"), (14, "serialize"), (16, "tsxldtrk"), (18, "pconfig")]),
    row(7, 0, D, Avx512, &[(8, "avx512vp2intersect"), (23, "avx512fp16")]),
    row(7, 0, D, Amx, &[(22, "amx-bf16"), (24, "amx-tile"), (25, "amx-int8")]),
    row(7, 1, A, Base, &[(3, "raoint"), (7, "cmpccxadd"), (22, "hreset")]),
    row(7, 1, A, Avx, &[(0, "sha512"), (1, "sm3"), (2, "sm4"), (4, "avxvnni"), (23, "avxifma")]),
    row(7, 1, A, Avx512, &[(5, "avx512bf16")]),
    row(7, 1, A, Amx, &[(21, "amx-fp16")]),
    row(7, 1, D, Base, &[(14, "prefetchi"), (15, "usermsr")]),
    row(7, 1, D, Avx, &[(4, "avxvnniint8"), (5, "avxneconvert"), (10, "avxvnniint16")]),
    row(7, 1, D, Avx512, &[(19, "avx10.1")]),
    row(7, 1, D, Amx, &[(8, "amx-complex")]),
    row(0xd, 1, A, Base, &[(0, "xsaveopt"), (1, "xsavec"), (3, "xsaves")]),
    row(0x14, 0, B, Base, &[(4, "ptwrite")]),
    row(0x19, 0, B, Base, &[(2, "widekl")]),
    row(0x8000_0001, 0, C, Base, &[(0, "sahf"), (5, "lzcnt"), (6, "sse4a"), (8, "prfchw"), (15, "lwp")]),
    row(0x8000_0001, 0, C, Base, &[(21, "tbm"), (29, "mwaitx")]),
    row(0x8000_0001, 0, C, Avx, &[(11, "xop"), (16, "fma4")]),
    row(0x8000_0001, 0, D, Base, &[(29, "64bit")]),
    row(0x8000_0008, 0, B, Base, &[(0, "clzero"), (4, "rdpru"), (9, "wbnoinvd")]),
];

/// Bits of the extended control register for each kind of state.
const XCR0_AVX: u64 = 0x6;
const XCR0_AVX512: u64 = 0xe6;
const XCR0_AMX: u64 = 0x6_0000;

impl HostCpu {
    /// This machine's.
    #[must_use]
    pub fn get() -> &'static Self {
        static HOST: OnceLock<HostCpu> = OnceLock::new();
        HOST.get_or_init(Self::detect)
    }

    fn detect() -> Self {
        let highest = __cpuid(0).eax;
        let highest_extended = __cpuid(0x8000_0000).eax;
        let saved = saved_state();
        let mut features = Vec::new();
        for row in TABLE {
            let limit = if row.leaf < 0x8000_0000 { highest } else { highest_extended };
            if row.leaf > limit || (row.subleaf > 0 && row.leaf == 7 && __cpuid_count(7, 0).eax < row.subleaf)
            {
                continue;
            }
            let enabled = match row.state {
                Base => true,
                Avx => saved & XCR0_AVX == XCR0_AVX,
                Avx512 => saved & XCR0_AVX512 == XCR0_AVX512,
                Amx => saved & XCR0_AMX == XCR0_AMX,
            };
            let answer = __cpuid_count(row.leaf, row.subleaf);
            let bits = match row.register {
                A => answer.eax,
                B => answer.ebx,
                C => answer.ecx,
                D => answer.edx,
            };
            features.extend(
                row.features.iter().filter(|(bit, _)| enabled && bits >> bit & 1 == 1).map(|(_, name)| *name),
            );
        }
        features.sort_unstable();
        Self { name: brand(highest_extended), features }
    }

    /// The processor's name as it reports it itself.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The features, in LLVM's names, sorted.
    #[must_use]
    pub fn features(&self) -> &[&'static str] {
        &self.features
    }

    /// Those of `wanted` that this CPU lacks, in the order given.
    #[must_use]
    pub fn missing<S: AsRef<str>>(&self, wanted: &[S]) -> Vec<String> {
        let has = |name: &str| self.features.binary_search(&name).is_ok();
        wanted.iter().map(AsRef::as_ref).filter(|name| !has(name)).map(str::to_owned).collect()
    }
}

/// Which register state the operating system saves: the extended control register 0, or nothing without it.
fn saved_state() -> u64 {
    #[target_feature(enable = "xsave")]
    fn read() -> u64 {
        // SAFETY: the caller has checked that the operating system enabled XGETBV.
        unsafe { _xgetbv(0) }
    }
    if __cpuid(1).ecx >> 27 & 1 == 0 {
        return 0;
    }
    // SAFETY: OSXSAVE is set, so the CPU has XSAVE and the system enabled it.
    unsafe { read() }
}

fn brand(highest_extended: u32) -> String {
    if highest_extended < 0x8000_0004 {
        return "x86-64 processor".to_owned();
    }
    let mut text = Vec::with_capacity(48);
    for leaf in 0x8000_0002..=0x8000_0004 {
        let part = __cpuid(leaf);
        for register in [part.eax, part.ebx, part.ecx, part.edx] {
            text.extend(register.to_le_bytes());
        }
    }
    text.retain(|&byte| byte != 0);
    let text = String::from_utf8_lossy(&text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_standard_library() {
        let host = HostCpu::get();
        let has = |name: &str| host.missing(&[name]).is_empty();
        assert!(has("sse2") && has("64bit") && has("cx8"));
        assert_eq!(has("avx2"), is_x86_feature_detected!("avx2"));
        assert_eq!(has("fma"), is_x86_feature_detected!("fma"));
        assert_eq!(has("bmi2"), is_x86_feature_detected!("bmi2"));
        assert_eq!(has("avx512f"), is_x86_feature_detected!("avx512f"));
        assert_eq!(has("avx512vl"), is_x86_feature_detected!("avx512vl"));
        assert_eq!(has("amx-tile"), std::fs::read_to_string("/proc/cpuinfo").unwrap().contains("amx_tile"));
        assert!(!host.name().is_empty());
    }

    #[test]
    fn a_name_that_nobody_knows_is_missing() {
        assert_eq!(HostCpu::get().missing(&["sse2", "warp-drive"]), ["warp-drive"]);
    }
}
