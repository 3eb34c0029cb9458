//! The device registry: which drivers this build has, and which devices the environment asks for.
//!
//! In: `OXCL_DEVICES`, words such as `cpu cpu basic`; every word is a device, and two equal words are two devices. A
//! driver that takes a parameter gets what follows a colon: `driver:parameter`. Out: one row of [`DRIVERS`] for each
//! word, with its parameter read. Devices themselves are made in `device.rs`.
//!
//! A new driver is a Cargo feature, a variant of [`Make`], and a row.

use oxcl_driver_cpu::Kind;
use std::path::PathBuf;

use crate::device::DeviceError;

/// The devices of a process, in order. Not set or without a word: one device of each driver.
const DEVICES_VARIABLE: &str = "OXCL_DEVICES";

/// How a device is made: its driver, with the parameter where there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(
    not(all(
        any(feature = "basic", feature = "cpu", feature = "ref"),
        feature = "discrete",
        feature = "tta"
    )),
    expect(dead_code, reason = "a build without drivers makes no device")
)]
pub(crate) enum Make {
    /// On the host's processor.
    Host(Kind),
    /// On the host's processor, behind so many bytes of memory of its own.
    Discrete(u64),
    /// A transport-triggered processor, simulated, by the path of its description.
    Processor(PathBuf),
    /// Devices of other ranks of an MPI job.
    #[cfg(feature = "mpi")]
    Nodes(Nodes),
}

/// Devices of other ranks.
#[cfg(feature = "mpi")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Nodes {
    /// Whose; none: every node's.
    pub(crate) rank: Option<u32>,
    /// Which, as the node calls it; none: all of them.
    pub(crate) device: Option<String>,
}

/// A driver that this build has.
#[derive(Debug)]
pub(crate) struct DriverRow {
    /// Its word in the variable, and its devices' name.
    pub(crate) name: &'static str,
    /// What its devices are, in a line.
    pub(crate) description: &'static str,
    /// What has to follow the colon, for drivers that take a parameter.
    pub(crate) parameter: Option<&'static str>,
    /// Reads the parameter, which is empty exactly for drivers that take none; `None` where it makes no sense.
    pub(crate) make: fn(&str) -> Option<Make>,
}

/// All of them, in the order in which they are listed.
pub(crate) const DRIVERS: &[DriverRow] = &[
    #[cfg(feature = "cpu")]
    DriverRow {
        name: "cpu",
        description: "all CPUs, work-groups in parallel",
        parameter: None,
        make: |_| Some(Make::Host(Kind::Cpu)),
    },
    #[cfg(feature = "basic")]
    DriverRow {
        name: "basic",
        description: "one thread, in the caller",
        parameter: None,
        make: |_| Some(Make::Host(Kind::Basic)),
    },
    #[cfg(feature = "ref")]
    DriverRow {
        name: "ref",
        description: "reference executor, one thread for each work-item",
        parameter: None,
        make: |_| Some(Make::Host(Kind::Reference)),
    },
    #[cfg(feature = "discrete")]
    DriverRow {
        name: "discrete",
        description: "one thread, behind a memory of its own",
        parameter: Some("a size of at least 64K, such as 64M,"),
        make: |text| parse_size(text).map(Make::Discrete),
    },
    #[cfg(feature = "tta")]
    DriverRow {
        name: "ttasim",
        description: "a transport-triggered processor, simulated cycle by cycle",
        parameter: Some("the path of a machine's description, such as M.adf,"),
        make: |text| Some(Make::Processor(text.into())),
    },
    #[cfg(feature = "mpi")]
    DriverRow {
        name: "mpi",
        description: "devices of other ranks of an MPI job",
        parameter: Some("* or a rank with or without its device, such as 2 or 2/cpu,"),
        make: |text| parse_nodes(text).map(Make::Nodes),
    },
];

/// `*`, `2`, `2/cpu`.
#[cfg(feature = "mpi")]
fn parse_nodes(text: &str) -> Option<Nodes> {
    if text == "*" {
        return Some(Nodes { rank: None, device: None });
    }
    let (rank, device) = text.split_once('/').map_or((text, None), |(rank, device)| (rank, Some(device)));
    let rank = rank.parse().ok().filter(|rank| *rank > 0)?;
    if device == Some("") {
        None
    } else {
        Some(Nodes { rank: Some(rank), device: device.map(str::to_owned) })
    }
}

/// A number of bytes, with `K`, `M` or `G` behind it where they are so many.
#[cfg(feature = "discrete")]
fn parse_size(text: &str) -> Option<u64> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let shift = match unit {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return None,
    };
    let bytes = number.parse::<u64>().ok()?.checked_mul(1 << shift)?;
    (oxcl_driver_cpu::MIN_DISCRETE_MEMORY..1 << 40).contains(&bytes).then_some(bytes)
}

/// A device that was asked for.
#[derive(Debug)]
pub(crate) struct DeviceRequest {
    pub(crate) driver: &'static DriverRow,
    pub(crate) make: Make,
}

/// The names of all drivers, for messages.
pub(crate) fn driver_names() -> String {
    let names: Vec<&str> = DRIVERS.iter().map(|driver| driver.name).collect();
    if names.is_empty() { "none in this build".to_owned() } else { names.join(", ") }
}

/// One word: a driver's name, with its parameter where it takes one.
pub(crate) fn parse_word(word: &str) -> Result<DeviceRequest, DeviceError> {
    let (name, parameter) = word.split_once(':').map_or((word, None), |(name, rest)| (name, Some(rest)));
    let driver = DRIVERS.iter().find(|driver| driver.name == name);
    let driver = driver.ok_or_else(|| DeviceError::Unknown { name: name.to_owned() })?;
    // A colon with nothing behind it is a mistake for every driver.
    let fits = driver.parameter.is_some() == parameter.is_some() && parameter != Some("");
    let make = if fits { (driver.make)(parameter.unwrap_or_default()) } else { None };
    let make =
        make.ok_or_else(|| DeviceError::Parameter { word: word.to_owned(), wanted: driver.parameter })?;
    Ok(DeviceRequest { driver, make })
}

/// The words of the variable; without any, one device of each driver that needs no parameter.
pub(crate) fn parse(words: &str) -> Result<Vec<DeviceRequest>, DeviceError> {
    let requests = words.split_whitespace().map(parse_word).collect::<Result<Vec<_>, _>>()?;
    if requests.is_empty() {
        let plain = DRIVERS.iter().filter(|driver| driver.parameter.is_none());
        return plain.map(|driver| parse_word(driver.name)).collect();
    }
    Ok(requests)
}

/// What the environment asks for.
pub(crate) fn requested() -> Result<Vec<DeviceRequest>, DeviceError> {
    parse(&std::env::var_os(DEVICES_VARIABLE).unwrap_or_default().to_string_lossy())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &str) -> Vec<&'static str> {
        parse(words).unwrap().iter().map(|request| request.driver.name).collect()
    }

    #[test]
    fn every_word_is_a_device() {
        assert_eq!(names("cpu cpu basic"), ["cpu", "cpu", "basic"]);
        assert_eq!(names("  ref\tcpu\n"), ["ref", "cpu"]);
        assert_eq!(names(" "), ["cpu", "basic", "ref"]);
    }

    #[test]
    fn words_that_name_no_device_are_errors() {
        assert_eq!(parse("cpu gpu").unwrap_err(), DeviceError::Unknown { name: "gpu".to_owned() });
        assert_eq!(parse("CPU").unwrap_err(), DeviceError::Unknown { name: "CPU".to_owned() });
        for word in ["cpu:4", "cpu:"] {
            let error = DeviceError::Parameter { word: word.to_owned(), wanted: None };
            assert_eq!(parse(word).unwrap_err(), error);
        }
        for word in ["discrete", "discrete:", "discrete:63K", "discrete:4T", "discrete:M", "discrete:-1"] {
            assert!(matches!(parse(word).unwrap_err(), DeviceError::Parameter { .. }), "{word}");
        }
        assert_eq!(parse("discrete:64M").unwrap()[0].make, Make::Discrete(64 << 20));
    }

    #[cfg(feature = "mpi")]
    #[test]
    fn devices_of_other_ranks_are_all_or_a_ranks_or_one() {
        let nodes =
            |rank, device: Option<&str>| Make::Nodes(Nodes { rank, device: device.map(str::to_owned) });
        let requests = parse("mpi:* mpi:2 mpi:12/cpu#2").unwrap();
        let made: Vec<_> = requests.into_iter().map(|request| request.make).collect();
        assert_eq!(made, [nodes(None, None), nodes(Some(2), None), nodes(Some(12), Some("cpu#2"))]);
        for word in ["mpi", "mpi:", "mpi:0", "mpi:x", "mpi:2/", "mpi:*/cpu"] {
            assert!(matches!(parse(word).unwrap_err(), DeviceError::Parameter { .. }), "{word}");
        }
    }
}
