//! `OXCL_*` variables that have no effect: names that nothing reads, values that nothing takes, those that another
//! variable makes idle, and those that ask for what the system does not give.

use super::{Problem, Report, System, cache, limits};
use oxcl_runtime::{Coded as _, DeviceInfo};
use oxcl_workload::nearest::nearest;
use std::path::Path;

/// What a variable takes.
enum Takes {
    /// One of these words.
    Words(&'static [&'static str]),
    /// A whole number between these.
    Number(u64, u64),
    /// `off`, or a whole number of KiB whose bytes 64 bits hold.
    Kibibytes,
    /// A power of two up to 64.
    Width,
    /// Printable ASCII, 127 bytes at most without blanks around it.
    Name,
    /// Words for devices.
    Devices,
    /// Anything.
    Any,
}

/// The variables of `docs/env.md` that programs read.
const VARIABLES: [(&str, Takes); 21] = [
    ("OXCL_BOUNDS", Takes::Words(&["warn", "error", "off"])),
    ("OXCL_BUILD_MEMORY", Takes::Number(1, u64::MAX)),
    ("OXCL_BUILD_TIMEOUT", Takes::Number(1, u64::MAX)),
    ("OXCL_CACHE", Takes::Words(&["off", "0", "no", "false", "on", "1", "yes", "true"])),
    ("OXCL_CACHE_DIR", Takes::Any),
    ("OXCL_CACHE_SIZE", Takes::Number(0, u64::MAX)),
    ("OXCL_COMPILER", Takes::Any),
    ("OXCL_COMPILERS", Takes::Number(1, 64)),
    ("OXCL_CPU", Takes::Any),
    ("OXCL_DEVICES", Takes::Devices),
    ("OXCL_IMPROVE", Takes::Words(&["off", "on"])),
    ("OXCL_LOG", Takes::Words(&["build"])),
    ("OXCL_MEMORY", Takes::Number(1, u64::MAX >> 20)),
    ("OXCL_MPI_WINDOW", Takes::Kibibytes),
    ("OXCL_NUM_THREADS", Takes::Number(1, 1024)),
    ("OXCL_PIN", Takes::Words(&["0", "1"])),
    ("OXCL_PLATFORM_NAME", Takes::Name),
    ("OXCL_PLATFORM_VENDOR", Takes::Name),
    ("OXCL_REPRO_DIR", Takes::Any),
    ("OXCL_TTA_CYCLES", Takes::Number(1, u64::MAX)),
    ("OXCL_WIDTH", Takes::Width),
];

/// Variables that only builds and tests of oxcl read.
const OF_TESTS: [&str; 15] = [
    "OXCL_AARCH64",
    "OXCL_AARCH64_FILES",
    "OXCL_ADF_DIRS",
    "OXCL_BLESS",
    "OXCL_KEEP_IR",
    "OXCL_PROGRAMS",
    "OXCL_REQUIRE_AARCH64",
    "OXCL_REQUIRE_POCL",
    "OXCL_SEED",
    "OXCL_SHARED_LLVM",
    "OXCL_TEST_BUILDS",
    "OXCL_TEST_GOES_ON",
    "OXCL_TEST_PROCESSES",
    "OXCL_TEST_STACKS",
    "OXCL_TTA_MACHINES",
];

/// Looks at all that are set.
pub(super) fn examine(system: &System, report: &mut Report) {
    for (name, value) in system.environment.iter().filter(|(name, _)| name.starts_with("OXCL_")) {
        if OF_TESTS.contains(&name.as_str()) {
            continue;
        }
        let Some((_, takes)) = VARIABLES.iter().find(|(known, _)| known == name) else {
            let near = nearest(name, VARIABLES.iter().map(|(known, _)| *known));
            let meant = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            let mend = match near {
                Some(near) => format!("export {near}='{value}'; unset {name}"),
                None => format!("unset {name}"),
            };
            report.find(Problem::UnknownVariable, format!("nothing reads {name}{meant}"), mend);
            continue;
        };
        if !value.is_empty()
            && let Some(wanted) = takes.refuses(value.trim())
        {
            report.find(
                Problem::IdleVariable,
                format!("{name} is '{value}', which has no effect or is an error: it takes {wanted}"),
                format!("unset {name}"),
            );
        }
    }
    let off = system
        .variable("OXCL_CACHE")
        .is_some_and(|value| ["off", "0", "no", "false"].contains(&value.trim()));
    for name in ["OXCL_CACHE_DIR", "OXCL_CACHE_SIZE"] {
        if off && system.variable(name).is_some() {
            report.find(
                Problem::IdleVariable,
                format!("{name} has no effect, because OXCL_CACHE turns the cache off"),
                format!("unset {name}"),
            );
        }
    }
    let wanted = system.variable("OXCL_MEMORY").and_then(|value| value.trim().parse::<u64>().ok());
    if let (Some(wanted), Some((most, whose))) = (wanted, limits::memory(system))
        && wanted > most
    {
        report.find(
            Problem::IdleVariable,
            format!("OXCL_MEMORY is {wanted}, which has no effect: {whose} {most} MiB"),
            "unset OXCL_MEMORY",
        );
    }
    if let Some(folder) = system.variable("OXCL_REPRO_DIR")
        && let Err(error) = cache::writable(Path::new(folder))
    {
        report.find(
            Problem::IdleVariable,
            format!("OXCL_REPRO_DIR has no effect, and no failed build is kept: {folder}: {error}"),
            "unset OXCL_REPRO_DIR",
        );
    }
}

impl Takes {
    /// What is taken, where the value is not.
    fn refuses(&self, value: &str) -> Option<String> {
        match self {
            Takes::Any => None,
            Takes::Words(words) => {
                (!value.split(',').all(|word| words.contains(&word.trim()))).then(|| words.join(", "))
            }
            Takes::Number(low, high) => {
                let fits = value.parse().is_ok_and(|number: u64| (*low..=*high).contains(&number));
                (!fits).then(|| match high {
                    &u64::MAX => format!("a whole number from {low} on"),
                    high => format!("a whole number from {low} to {high}"),
                })
            }
            Takes::Kibibytes => {
                let fits = value == "off" || value.parse().is_ok_and(|number: u64| number <= u64::MAX / 1024);
                (!fits).then(|| "off or a number of KiB".to_owned())
            }
            Takes::Width => {
                let fits = value.parse().is_ok_and(|width: u64| width.is_power_of_two() && width <= 64);
                (!fits).then(|| "a power of two up to 64".to_owned())
            }
            Takes::Name => {
                let fits = value.len() <= 127 && value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
                (!fits).then(|| "printable ASCII, 127 characters at most".to_owned())
            }
            Takes::Devices => value
                .split_whitespace()
                .find_map(|word| DeviceInfo::ask(word).err())
                .map(|error| format!("devices, and: {error} [{}]", error.code())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_those_of_the_page() {
        let page = include_str!("../../../docs/env.md");
        let mut named: Vec<&str> = page
            .lines()
            .filter_map(|line| line.strip_prefix("| ")?.split(" | ").next())
            .flat_map(|cell| cell.split(", "))
            .map(|name| name.trim_matches('`'))
            .filter(|name| name.starts_with("OXCL_"))
            .collect();
        named.sort_unstable();
        named.dedup();
        let mut known: Vec<&str> = VARIABLES.iter().map(|(name, _)| *name).chain(OF_TESTS).collect();
        known.sort_unstable();
        assert_eq!(named, known);
    }
}
