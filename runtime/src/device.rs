//! Devices: what runs kernels, and what it can do.

use std::num::NonZeroUsize;
use std::sync::Arc;

use oxcl_driver_cpu::{Executor, HostCpu, Kind, Target};

use crate::error::{Coded, ErrorCode};

/// Names of the devices, in the order in which they are listed.
const NAMES: [(&str, Kind); 3] = [("cpu", Kind::Cpu), ("basic", Kind::Basic), ("ref", Kind::Reference)];

/// Work-items in a group on `cpu` and `basic`.
const MAX_GROUP: u64 = 4096;
/// Work-items in a group on `ref`, where each is a thread.
const MAX_REFERENCE_GROUP: u64 = 1024;
/// Local memory of a work-group, in bytes.
const LOCAL_MEMORY: u64 = 1 << 20;
/// More threads than any machine has.
const MAX_THREADS: usize = 4096;
/// How many threads `cpu` uses, if not as many as there are CPUs for this process.
const THREADS_VARIABLE: &str = "OXCL_NUM_THREADS";

/// A device. Clones share it.
#[derive(Debug, Clone)]
pub struct Device {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    info: DeviceInfo,
    executor: Executor,
}

/// What a device is and can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// `cpu`, `basic` or `ref`.
    pub name: &'static str,
    /// What it is, in a line.
    pub description: &'static str,
    /// The processor's name.
    pub processor: String,
    /// Threads that run work-groups at the same time.
    pub compute_units: usize,
    /// Most work-items in a work-group, in all and in each dimension.
    pub max_work_group_size: u64,
    /// Most local memory of a work-group, in bytes.
    pub local_memory: u64,
    /// The highest portable CPU level that the processor has, such as `x86-64-v3`.
    pub level: &'static str,
    /// The processor's features, in LLVM's names, sorted.
    pub features: Vec<&'static str>,
}

/// A device cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// There is no device of that name.
    #[error("there is no device '{name}'; there are {}", NAMES.map(|(name, _)| name).join(", "))]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// The environment asks for a number of threads that makes no sense.
    #[error("{THREADS_VARIABLE} is '{value}'; it must be a number from 1 to {MAX_THREADS}")]
    ThreadCount {
        /// What the variable says.
        value: String,
    },
}

impl Coded for DeviceError {
    fn code(&self) -> ErrorCode {
        ErrorCode(match self {
            Self::Unknown { .. } => "OX0501",
            Self::ThreadCount { .. } => "OX0502",
        })
    }
}

impl Device {
    /// All devices of this machine.
    ///
    /// # Errors
    /// The environment asks for something impossible.
    pub fn list() -> Result<Vec<Self>, DeviceError> {
        let threads = thread_count()?;
        Ok(NAMES.iter().map(|(name, kind)| Self::new(name, *kind, threads)).collect())
    }

    /// The device `cpu`, `basic` or `ref`.
    ///
    /// # Errors
    /// There is no device of that name, or the environment asks for something impossible.
    pub fn by_name(name: &str) -> Result<Self, DeviceError> {
        let known = NAMES.iter().find(|(known, _)| *known == name);
        let (name, kind) = known.ok_or_else(|| DeviceError::Unknown { name: name.to_owned() })?;
        Ok(Self::new(name, *kind, thread_count()?))
    }

    fn new(name: &'static str, kind: Kind, threads: NonZeroUsize) -> Self {
        let executor = Executor::new(kind, threads);
        let host = HostCpu::get();
        let info = DeviceInfo {
            name,
            description: match kind {
                Kind::Cpu => "all CPUs, work-groups in parallel",
                Kind::Basic => "one thread, in the caller",
                Kind::Reference => "reference executor, one thread for each work-item",
            },
            processor: host.name().to_owned(),
            compute_units: executor.workers(),
            max_work_group_size: if kind == Kind::Reference { MAX_REFERENCE_GROUP } else { MAX_GROUP },
            local_memory: LOCAL_MEMORY,
            level: level(host),
            features: host.features().to_vec(),
        };
        Self { inner: Arc::new(Inner { info, executor }) }
    }

    /// What the device is and can do.
    #[must_use]
    pub fn info(&self) -> &DeviceInfo {
        &self.inner.info
    }

    pub(crate) fn executor(&self) -> &Executor {
        &self.inner.executor
    }

    pub(crate) fn target(&self) -> Target {
        match self.inner.executor.kind() {
            Kind::Cpu | Kind::Basic => Target::Native,
            Kind::Reference => Target::Reference,
        }
    }
}

/// Threads for `cpu`: as many as there are CPUs that this process may use, or what the environment says.
fn thread_count() -> Result<NonZeroUsize, DeviceError> {
    let Some(value) = std::env::var_os(THREADS_VARIABLE) else {
        // Knows the affinity mask and the control group's share.
        return Ok(std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN));
    };
    parse_threads(&value.to_string_lossy())
}

fn parse_threads(value: &str) -> Result<NonZeroUsize, DeviceError> {
    let count = value.trim().parse::<NonZeroUsize>().ok().filter(|count| count.get() <= MAX_THREADS);
    count.ok_or_else(|| DeviceError::ThreadCount { value: value.to_owned() })
}

fn level(host: &HostCpu) -> &'static str {
    const LEVELS: [(&str, &[&str]); 3] = [
        ("x86-64-v4", &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"]),
        ("x86-64-v3", &["avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe", "xsave"]),
        ("x86-64-v2", &["cx16", "sahf", "popcnt", "sse3", "sse4.1", "sse4.2", "ssse3"]),
    ];
    // Each level contains those below it.
    let has = |from: usize| LEVELS[from..].iter().all(|(_, features)| host.missing(features).is_empty());
    (0..LEVELS.len()).find(|&from| has(from)).map_or("x86-64", |from| LEVELS[from].0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_counts_are_checked() {
        assert_eq!(parse_threads(" 3 ").map(NonZeroUsize::get), Ok(3));
        for value in ["", "0", "-1", "many", "100000"] {
            assert!(parse_threads(value).is_err(), "{value}");
        }
    }

    #[test]
    fn devices_are_found_by_name() {
        let names: Vec<_> = Device::list().unwrap().iter().map(|device| device.info().name).collect();
        assert_eq!(names, ["cpu", "basic", "ref"]);
        let error = Device::by_name("gpu").unwrap_err().to_string();
        assert_eq!(error, "there is no device 'gpu'; there are cpu, basic, ref");
        assert_eq!(Device::by_name("basic").unwrap().info().compute_units, 1);
    }
}
