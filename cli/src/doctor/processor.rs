//! The processor: whether it has what the built-in functions are compiled for.

use super::{Problem, Report, System};

/// The features of x86-64-v2, as the kernel calls them.
const V2: [&str; 7] = ["cx16", "lahf_lm", "popcnt", "pni", "ssse3", "sse4_1", "sse4_2"];
/// Beyond these, the features of x86-64-v3.
const V3: [&str; 8] = ["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"];
/// Beyond these, the features of x86-64-v4.
const V4: [&str; 5] = ["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"];

/// Looks at it.
pub(super) fn examine(system: &System, report: &mut Report) {
    let text = system.text("/proc/cpuinfo").unwrap_or_default();
    let value = |name: &str| {
        let line = text.lines().find(|line| line.split(':').next().is_some_and(|key| key.trim() == name));
        line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned())
    };
    let Some(flags) = value("flags") else { return };
    let flags: Vec<&str> = flags.split_whitespace().collect();
    let lacks = |level: &[&'static str]| -> Vec<&'static str> {
        level.iter().filter(|feature| !flags.contains(*feature)).copied().collect()
    };
    let missing = lacks(&V2);
    let level = if !missing.is_empty() {
        "x86-64"
    } else if !lacks(&V3).is_empty() {
        "x86-64-v2"
    } else if !lacks(&V4).is_empty() {
        "x86-64-v3"
    } else {
        "x86-64-v4"
    };
    report.fact("processor", format!("{}, {level}", value("model name").unwrap_or_default()));
    // A machine's own processor cannot be mended.
    if missing.is_empty() || !flags.contains(&"hypervisor") {
        return;
    }
    report.find(
        Problem::OldProcessor,
        format!(
            "the virtual machine's processor lacks {}, which its host's may have: built-in mathematics is compiled into each \
             program, and is slower",
            missing.join(", ")
        ),
        "qemu-system-x86_64 -cpu host    # or in libvirt's domain: <cpu mode='host-passthrough'/>",
    );
}
