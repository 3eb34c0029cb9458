//! Devices: what runs kernels, and what it can do.

use std::sync::Arc;

use oxcl_driver::capability::{AddressSpace, Features};
use oxcl_driver::memory::MemoryCounters;
use oxcl_driver::{Capabilities, Driver};
use oxcl_driver_cpu::{CpuDriver, DiscreteDriver, HostCpu, Kind};
use oxcl_memory::residency::Place;
use oxcl_scheduler::QueueProperties;

use crate::context::Context;
use crate::error::{Coded, ErrorCode};
use crate::processor::{self, MachineText, Processor};
use crate::registry::{self, DeviceRequest, DriverRow, Make};

/// The most threads that the environment may ask for.
const MAX_THREADS: usize = oxcl_scheduler::MAX_WORKERS;
/// How many threads execute, if not as many as there are CPUs for this process.
const THREADS_VARIABLE: &str = "OXCL_NUM_THREADS";

/// A device. Clones share it.
#[derive(Debug, Clone)]
pub struct Device {
    inner: Arc<Inner>,
}

/// The driver behind a device, by its own type. What is asked of all drivers is asked through their interface; this is for
/// making devices, and for who asks one of them about itself.
#[derive(Debug, Clone)]
enum Maker {
    /// In the host's address space.
    Host(Kind),
    /// With memory of its own.
    Discrete(Arc<DiscreteDriver>),
    /// A core of a simulated platform.
    Processor(Processor),
    /// Another one, of which nothing is known but its interface.
    BroughtAlong(Arc<dyn Driver>),
}

impl Maker {
    /// The driver, for devices of a context.
    fn driver(&self, context: &Context) -> Arc<dyn Driver> {
        match self {
            // It has no state beside its context's threads.
            Self::Host(kind) => {
                let threads = u32::try_from(context.workers()).unwrap_or(u32::MAX);
                Arc::new(CpuDriver::new(*kind, threads))
            }
            Self::Discrete(driver) => Arc::clone(driver) as Arc<dyn Driver>,
            Self::Processor(processor) => processor.driver(),
            Self::BroughtAlong(driver) => Arc::clone(driver),
        }
    }
}

#[derive(Debug)]
struct Inner {
    info: DeviceInfo,
    driver: Arc<dyn Driver>,
    maker: Maker,
    /// Launches that their callers wait for. Out-of-order: callers of several threads do not wait for each other.
    direct: oxcl_scheduler::Queue,
    context: Context,
}

/// What a device is and can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its driver's name: `cpu`, `basic`, `ref`, `discrete`, `ttasim`, or that of a driver that the program brought along
    /// ([`Context::open`]). Two devices may have the same one.
    pub name: String,
    /// What it is, in a line.
    pub description: String,
    /// The processor's name.
    pub processor: String,
    /// Threads that run work-groups at the same time.
    pub compute_units: usize,
    /// Most work-items in a work-group, in all and in each dimension.
    pub max_work_group_size: u64,
    /// Most local memory of a work-group, in bytes.
    pub local_memory: u64,
    /// Bytes of memory for buffers.
    pub global_memory: u64,
    /// Whether kernels take images.
    pub has_images: bool,
    /// The memory is the device's own, and not the host's.
    pub own_memory: bool,
    /// Bytes that kernels can print before somebody reads them.
    pub printf_buffer: u64,
    /// Bits of an address: 32 or 64.
    pub address_bits: u32,
    /// The file that describes the machine, where one does: what code for the device is made from.
    pub machine: Option<MachineText>,
    /// The highest portable CPU level that the processor has, such as `x86-64-v3`.
    pub level: &'static str,
    /// The processor's features, in LLVM's names, sorted.
    pub features: Vec<&'static str>,
}

/// A device cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// There is no device of that name.
    #[error("there is no device '{name}'; there are {}", registry::driver_names())]
    Unknown {
        /// The name asked for.
        name: String,
    },
    /// A driver has no device on this machine, or cannot make it ready.
    #[error("driver '{name}' has no device here: {reason}")]
    Absent {
        /// The driver's name.
        name: String,
        /// Why not.
        reason: String,
    },
    /// A word for a device has a parameter that its driver does not take, or lacks one.
    #[error(
        "'{word}' is no device: {}",
        match wanted {
            Some(wanted) => format!("this driver takes {wanted} after a colon"),
            None => "this driver takes no parameter".to_owned(),
        }
    )]
    Parameter {
        /// The word.
        word: String,
        /// What the driver takes.
        wanted: Option<&'static str>,
    },
    /// The environment asks for a number of threads that makes no sense.
    #[error("{THREADS_VARIABLE} is '{value}'; it must be a number from 1 to {MAX_THREADS}")]
    ThreadCount {
        /// What the variable says.
        value: String,
    },
    /// The environment says something else than whether threads are bound to CPUs.
    #[error("OXCL_PIN is '{value}'; it must be 0 or 1")]
    Pin {
        /// What the variable says.
        value: String,
    },
    /// The environment asks for a limit of cycles that makes no sense.
    #[error("{variable} is '{value}'; it must be a number of cycles, at least 1", variable = crate::processor::CYCLES_VARIABLE)]
    Cycles {
        /// What the variable says.
        value: String,
    },
    /// The worker threads could not be started.
    #[error("the worker threads cannot be started: {reason}")]
    Start {
        /// What the system said.
        reason: String,
    },
    /// A machine's description cannot be used.
    #[error("'{path}' describes no device: {reason}")]
    Machine {
        /// The file.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// The shared pool was to be started in a certain way and is running already.
    #[error("the worker threads are running already")]
    AlreadyStarted,
}

impl Coded for DeviceError {
    fn code(&self) -> ErrorCode {
        ErrorCode(match self {
            Self::Unknown { .. } => "OX0501",
            Self::ThreadCount { .. } => "OX0502",
            Self::Start { .. } => "OX0503",
            Self::AlreadyStarted => "OX0504",
            Self::Parameter { .. } => "OX0505",
            Self::Pin { .. } => "OX0506",
            Self::Machine { .. } => "OX0507",
            Self::Cycles { .. } => "OX0508",
            Self::Absent { .. } => "OX0509",
        })
    }
}

impl DeviceInfo {
    /// What a device of this word would be, on as many threads as the environment asks for. Starts nothing.
    ///
    /// # Errors
    /// There is no such device, or the environment asks for something impossible.
    pub fn ask(word: &str) -> Result<Self, DeviceError> {
        let request = registry::parse_word(word)?;
        let capabilities = match request.make {
            Make::Host(kind) => {
                let threads = crate::context::thread_count()?.get();
                let driver = CpuDriver::new(kind, u32::try_from(threads).unwrap_or(u32::MAX));
                driver.capabilities().clone()
            }
            Make::Discrete(memory) => DiscreteDriver::describe(memory),
            Make::Processor(path) => return processor::ask(request.driver, &path),
            #[cfg(feature = "mpi")]
            Make::Nodes(_) => {
                let missing = || DeviceError::Unknown { name: word.to_owned() };
                return Self::ask_all(word)?.into_iter().next().ok_or_else(missing);
            }
        };
        Ok(Self::of(request.driver.name, request.driver.description, &capabilities))
    }

    /// What the devices of this word would be: most words are one.
    ///
    /// # Errors
    /// As for [`Self::ask`].
    pub fn ask_all(word: &str) -> Result<Vec<Self>, DeviceError> {
        #[cfg(feature = "mpi")]
        if let Make::Nodes(nodes) = registry::parse_word(word)?.make {
            let known = crate::nodes::drivers(&nodes)?.into_iter();
            return Ok(known
                .map(|known| Self::of(known.name(), &known.description, known.capabilities()))
                .collect());
        }
        Ok(vec![Self::ask(word)?])
    }

    pub(crate) fn of(name: &str, description: &str, capabilities: &Capabilities) -> Self {
        let host = HostCpu::get();
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            processor: capabilities.device_name.clone(),
            compute_units: capabilities.compute_units as usize,
            max_work_group_size: capabilities.max_work_group_size,
            local_memory: capabilities.local_memory,
            global_memory: capabilities.global_memory,
            has_images: capabilities.features.has(Features::IMAGES),
            own_memory: capabilities.address_space != AddressSpace::HOST,
            printf_buffer: capabilities.printf_buffer,
            address_bits: capabilities.address_bits,
            machine: None,
            level: level(host),
            features: host.features().to_vec(),
        }
    }
}

impl Device {
    /// The devices that the environment asks for in `OXCL_DEVICES`; without it one of each driver.
    ///
    /// # Errors
    /// The environment asks for something impossible.
    pub fn list() -> Result<Vec<Self>, DeviceError> {
        let context = Context::shared()?;
        Self::open_all(&context, &registry::requested()?)
    }

    /// A device of the driver `cpu`, `basic`, `ref` or `discrete:SIZE` on the process's pool, whatever `OXCL_DEVICES` says. Drivers
    /// that take a parameter get it after a colon.
    ///
    /// # Errors
    /// There is no driver of that name, or the environment asks for something impossible.
    pub fn by_name(name: &str) -> Result<Self, DeviceError> {
        let request = registry::parse_word(name)?;
        Self::open(&Context::shared()?, &request)
    }

    /// A device for each of these names, which are as for [`Self::by_name`]. Simulated processors among them share a memory and
    /// a clock.
    ///
    /// # Errors
    /// As for [`Self::by_name`].
    pub fn by_names(names: &[&str]) -> Result<Vec<Self>, DeviceError> {
        Self::all_on(&Context::shared()?, names)
    }

    /// Devices on a context's pool.
    pub(crate) fn all_on(context: &Context, names: &[&str]) -> Result<Vec<Self>, DeviceError> {
        let requests = names.iter().map(|name| registry::parse_word(name));
        Self::open_all(context, &requests.collect::<Result<Vec<_>, _>>()?)
    }

    /// A device on a context's pool.
    pub(crate) fn on(context: &Context, name: &str) -> Result<Self, DeviceError> {
        Self::open(context, &registry::parse_word(name)?)
    }

    fn open_all(context: &Context, requests: &[DeviceRequest]) -> Result<Vec<Self>, DeviceError> {
        let files = requests.iter().filter_map(|request| match &request.make {
            Make::Processor(path) => Some(path.as_path()),
            _ => None,
        });
        let mut processors = processor::platform(&files.collect::<Vec<_>>())?.into_iter();
        let mut devices = Vec::new();
        for request in requests {
            match &request.make {
                Make::Processor(_) => devices.push(match processors.next() {
                    Some(processor) => Self::processor(context, request.driver, processor)?,
                    None => Self::open(context, request)?,
                }),
                #[cfg(feature = "mpi")]
                Make::Nodes(nodes) => devices.extend(crate::nodes::open(context, nodes)?),
                _ => devices.push(Self::open(context, request)?),
            }
        }
        Ok(devices)
    }

    fn processor(
        context: &Context,
        row: &'static DriverRow,
        processor: Processor,
    ) -> Result<Self, DeviceError> {
        let info = processor.info(row);
        let maker = Maker::Processor(processor);
        let driver = begin(maker.driver(context))?;
        Self::with(context, maker, driver, info)
    }

    fn open(context: &Context, request: &DeviceRequest) -> Result<Self, DeviceError> {
        let maker = match request.make {
            Make::Processor(_) => {
                let mut one = Self::open_all(context, std::slice::from_ref(request))?;
                let missing = || DeviceError::Unknown { name: request.driver.name.to_owned() };
                return one.pop().ok_or_else(missing);
            }
            #[cfg(feature = "mpi")]
            Make::Nodes(ref nodes) => {
                let missing = || DeviceError::Unknown { name: request.driver.name.to_owned() };
                return crate::nodes::open(context, nodes)?.into_iter().next().ok_or_else(missing);
            }
            Make::Host(kind) => Maker::Host(kind),
            Make::Discrete(memory) => {
                let driver = DiscreteDriver::new(memory, Some(context.paging_observer()));
                Maker::Discrete(Arc::new(driver.map_err(|error| cannot_start(&error))?))
            }
        };
        let driver = begin(maker.driver(context))?;
        let row = request.driver;
        let info = DeviceInfo::of(row.name, row.description, driver.capabilities());
        Self::with(context, maker, driver, info)
    }

    /// A device of a driver that this crate does not know.
    pub(crate) fn brought_along(context: &Context, driver: Arc<dyn Driver>) -> Result<Self, DeviceError> {
        let description = driver.capabilities().device_name.clone();
        Self::described(context, driver, &description)
    }

    /// The same, where more is known of what it is.
    pub(crate) fn described(
        context: &Context,
        driver: Arc<dyn Driver>,
        description: &str,
    ) -> Result<Self, DeviceError> {
        let maker = Maker::BroughtAlong(driver);
        let driver = begin(maker.driver(context))?;
        let info = DeviceInfo::of(driver.name(), description, driver.capabilities());
        Self::with(context, maker, driver, info)
    }

    /// The same device for the commands of another context.
    pub(crate) fn shared_with(&self, context: &Context) -> Result<Self, DeviceError> {
        let maker = self.inner.maker.clone();
        let driver = maker.driver(context);
        let driver = if matches!(maker, Maker::Host(_)) { begin(driver)? } else { driver };
        let compute_units = driver.capabilities().compute_units as usize;
        let info = DeviceInfo { compute_units, ..self.info().clone() };
        Self::with(context, maker, driver, info)
    }

    fn with(
        context: &Context,
        maker: Maker,
        driver: Arc<dyn Driver>,
        info: DeviceInfo,
    ) -> Result<Self, DeviceError> {
        if has_own_memory(driver.as_ref()) {
            // From now on it matters where buffers' content is.
            context.keep_track();
        }
        let properties = QueueProperties { out_of_order: true, profiling: false };
        let direct = context.scheduler().queue(Arc::clone(&driver), properties);
        let direct = direct.map_err(|error| cannot_start(&error))?;
        Ok(Self { inner: Arc::new(Inner { info, driver, maker, direct, context: context.clone() }) })
    }

    /// What the device is and can do.
    #[must_use]
    pub fn info(&self) -> &DeviceInfo {
        &self.inner.info
    }

    /// Whether both are the same device in the same context.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    pub(crate) fn context(&self) -> &Context {
        &self.inner.context
    }

    /// Bytes that the device has moved into and out of its memory; all zero for devices that use the host's.
    #[must_use]
    pub fn memory_counters(&self) -> MemoryCounters {
        self.driver().memory_counters()
    }

    /// The driver of a device with memory of its own. Tests have it fail through this.
    #[must_use]
    pub fn discrete(&self) -> Option<&DiscreteDriver> {
        match &self.inner.maker {
            Maker::Discrete(driver) => Some(driver),
            _ => None,
        }
    }

    /// The processor, for devices that are simulated.
    #[must_use]
    pub fn processor_core(&self) -> Option<&Processor> {
        match &self.inner.maker {
            Maker::Processor(processor) => Some(processor),
            _ => None,
        }
    }

    /// The driver of a device with memory of its own, whatever it is.
    pub(crate) fn own_memory(&self) -> Option<&dyn Driver> {
        let driver = self.inner.driver.as_ref();
        has_own_memory(driver).then_some(driver)
    }

    /// Where its memory is.
    pub(crate) fn place(&self) -> Place {
        // The number of an address space is its driver's count, far below the limit.
        self.own_memory().map_or(Place::HOST, |driver| {
            Place(u32::try_from(driver.capabilities().address_space.0).unwrap_or(u32::MAX))
        })
    }

    pub(crate) fn driver(&self) -> &Arc<dyn Driver> {
        &self.inner.driver
    }

    pub(crate) fn direct(&self) -> &oxcl_scheduler::Queue {
        &self.inner.direct
    }
}

fn has_own_memory(driver: &dyn Driver) -> bool {
    driver.capabilities().address_space != AddressSpace::HOST
}

fn cannot_start(error: &impl ToString) -> DeviceError {
    DeviceError::Start { reason: error.to_string() }
}

/// Makes a driver's device ready, once for each.
fn begin(driver: Arc<dyn Driver>) -> Result<Arc<dyn Driver>, DeviceError> {
    let absent = |reason: String| DeviceError::Absent { name: driver.name().to_owned(), reason };
    if driver.probe().map_err(|error| absent(error.to_string()))? == 0 {
        return Err(absent("it finds none".to_owned()));
    }
    driver.init().map_err(|error| absent(error.to_string()))?;
    Ok(driver)
}

pub(crate) fn level(host: &HostCpu) -> &'static str {
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
    fn devices_are_found_by_name() {
        let names: Vec<_> = Device::list().unwrap().iter().map(|device| device.info().name.clone()).collect();
        assert_eq!(names, ["cpu", "basic", "ref"]);
        let error = Device::by_name("gpu").unwrap_err().to_string();
        assert_eq!(error, "there is no device 'gpu'; there are cpu, basic, ref, discrete, ttasim");
        assert_eq!(Device::by_name("basic").unwrap().info().compute_units, 1);
    }
}
