//! Simulated transport-triggered processors as devices: their descriptions, and the platforms that they are cores of.
//!
//! Processors that are named together are cores of one platform: they share a memory, so a buffer that one has written
//! another reads without the host, and they execute in lock step.

use std::path::Path;
use std::sync::Arc;

use oxcl_driver::Driver;
use oxcl_driver_tta::{Engine, LinkTimes, MachineError, MachineFile, Platform, Span, TtaDriver};

use crate::device::{DeviceError, DeviceInfo};
use crate::registry::DriverRow;

/// What follows a path where the simulation looks for hazards.
const STRICT: &str = ",strict";

/// After how many cycles a command is given up; see `docs/env.md`.
pub(crate) const CYCLES_VARIABLE: &str = "OXCL_TTA_CYCLES";

/// The limit of cycles that the environment sets, if any.
fn cycles(value: Option<&str>) -> Result<Option<u64>, DeviceError> {
    let Some(value) = value.filter(|value| !value.is_empty()) else { return Ok(None) };
    let parsed = value.parse().ok().filter(|cycles| *cycles > 0);
    parsed.map(Some).ok_or_else(|| DeviceError::Cycles { value: value.to_owned() })
}

/// The file that describes a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineText {
    /// Its path.
    pub path: String,
    /// What it holds.
    pub text: Arc<str>,
    /// The digest of the machine, whatever its file looks like.
    pub digest: String,
}

/// A core of a platform. Clones share it.
#[derive(Debug, Clone)]
pub struct Processor {
    driver: Arc<TtaDriver>,
    platform: Arc<Platform>,
    file: MachineText,
    position: usize,
}

impl Processor {
    pub(crate) fn driver(&self) -> Arc<dyn Driver> {
        Arc::clone(&self.driver) as Arc<dyn Driver>
    }

    pub(crate) fn info(&self, row: &'static DriverRow) -> DeviceInfo {
        of(row, self.driver.capabilities(), self.file.clone())
    }

    /// Its number among the cores of its platform.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// When cores of the platform executed kernels, in cycles, in the order in which they ended.
    #[must_use]
    pub fn timeline(&self) -> Vec<Span> {
        self.platform.timeline()
    }

    /// From now on a kernel that is executed for more cycles than this is given up.
    pub fn give_up_after(&self, cycles: u64) {
        self.platform.give_up_after(cycles);
    }

    /// Cycles that each core of the platform has spent waiting.
    #[must_use]
    pub fn idle_cycles(&self) -> Vec<u64> {
        self.platform.idle_cycles()
    }

    /// How long it took to link what commands needed and to load it, on all cores together.
    #[must_use]
    pub fn link_times(&self) -> LinkTimes {
        self.platform.link_times()
    }

    /// How often each core's program was linked.
    #[must_use]
    pub fn links(&self) -> Vec<u64> {
        self.platform.links()
    }
}

fn of(row: &'static DriverRow, capabilities: &oxcl_driver::Capabilities, file: MachineText) -> DeviceInfo {
    let machine = capabilities.device_name.clone();
    DeviceInfo {
        processor: machine,
        level: "",
        features: Vec::new(),
        machine: Some(file),
        ..DeviceInfo::of(row.name, row.description, capabilities)
    }
}

fn unusable(path: &Path, reason: &impl ToString) -> DeviceError {
    DeviceError::Machine { path: path.display().to_string(), reason: reason.to_string() }
}

fn read(path: &Path) -> Result<MachineFile, DeviceError> {
    let path = path.to_str().and_then(|path| path.strip_suffix(STRICT)).map_or(path, Path::new);
    MachineFile::read(path).map_err(|error: MachineError| unusable(path, &error))
}

fn text_of(file: &MachineFile) -> MachineText {
    MachineText {
        path: file.path.display().to_string(),
        text: Arc::from(file.text.as_str()),
        digest: file.digest(),
    }
}

/// What the device of a description would be. Simulates nothing.
pub(crate) fn ask(row: &'static DriverRow, path: &Path) -> Result<DeviceInfo, DeviceError> {
    let file = read(path)?;
    let capabilities = file.describe().map_err(|error| unusable(path, &error))?;
    Ok(of(row, &capabilities, text_of(&file)))
}

/// A platform of these machines; one core for each, in their order. Where one path ends in [`STRICT`], every hazard is an
/// error.
pub(crate) fn platform(paths: &[&Path]) -> Result<Vec<Processor>, DeviceError> {
    let Some(first) = paths.first() else { return Ok(Vec::new()) };
    let strict = |path: &&Path| path.to_str().is_some_and(|path| path.ends_with(STRICT));
    let engine = if paths.iter().any(strict) { Engine::Strict } else { Engine::Fast };
    let files = paths.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let machines = files.iter().map(|file| (file.name(), file.machine.clone())).collect();
    let limit = std::env::var_os(CYCLES_VARIABLE);
    let limit = cycles(limit.as_ref().map(|value| value.to_string_lossy()).as_deref())?;
    let platform = Arc::new(Platform::new(machines, engine).map_err(|error| unusable(first, &error))?);
    if let Some(limit) = limit {
        platform.give_up_after(limit);
    }
    let cores = files.iter().zip(platform.devices()).enumerate();
    let processor = |(position, (file, driver)): (usize, (&MachineFile, &Arc<TtaDriver>))| Processor {
        driver: Arc::clone(driver),
        platform: Arc::clone(&platform),
        file: text_of(file),
        position,
    };
    Ok(cores.map(processor).collect())
}

#[cfg(test)]
mod tests {
    use super::{DeviceError, cycles};

    #[test]
    fn a_limit_of_cycles_is_a_number_or_an_error() {
        assert_eq!(cycles(None), Ok(None));
        assert_eq!(cycles(Some("")), Ok(None));
        assert_eq!(cycles(Some("1000")), Ok(Some(1000)));
        for bad in ["0", "-1", "many", "1e6"] {
            assert_eq!(cycles(Some(bad)), Err(DeviceError::Cycles { value: bad.to_owned() }));
        }
    }
}
