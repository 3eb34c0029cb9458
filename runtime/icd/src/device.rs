//! Devices: the CPU, and parts of it.
//!
//! A device costs nothing until a context is made for it: asking what there is starts no threads. The worker threads
//! belong to the process; a child of a fork, which has none of them, gets a pool of its own with its first context.

use std::sync::{Mutex, MutexGuard, PoisonError};

use oxcl_runtime::{Bounds, ContextOptions, DeviceInfo, allowed_processors};

use crate::args::{Memory, Out};
use crate::calls::Calls;
use crate::cl;
use crate::device_info;
use crate::handle::{Handle, Live, Object, Shared};
use crate::info::Reply;
use crate::platform::{self, Platform};
use crate::status::{Answer, Status, ensure, refuse};
use crate::types::{Bitfield, Int, Uint};

/// A device, or a part of one.
pub(crate) struct Device {
    /// The device that this one is a part of.
    pub(crate) parent: Option<Shared<Device>>,
    /// Its place among the platform's devices.
    pub(crate) index: usize,
    /// What the runtime knows of it.
    pub(crate) info: DeviceInfo,
    /// Compute units.
    pub(crate) units: usize,
    /// How it was cut out of its parent, as `CL_DEVICE_PARTITION_TYPE` says it.
    pub(crate) partition: Vec<isize>,
    /// The CPUs that its threads run on, one for each compute unit; empty where threads and CPUs are not the same.
    pub(crate) cpus: Vec<usize>,
}

impl Object for Device {
    const TAG: u32 = 0x6f78_0002;
    const INVALID: Int = cl::INVALID_DEVICE;
}

/// The process's worker pool and the device on it.
#[derive(Clone)]
pub(crate) struct Pool {
    process: u32,
    pub(crate) context: oxcl_runtime::Context,
    /// In the order of the platform's devices.
    pub(crate) devices: Vec<oxcl_runtime::Device>,
    pub(crate) calls: Calls,
}

static POOL: Mutex<Option<Pool>> = Mutex::new(None);

/// The lock of the process's pool.
pub(crate) fn lock() -> MutexGuard<'static, Option<Pool>> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Binds each worker to one CPU where the variable is set to anything but 0.
const PIN_VARIABLE: &str = "OXCL_PIN";

impl Pool {
    /// The pool of this process, started if this is the first that asks.
    pub(crate) fn get() -> Answer<Pool> {
        let mut pool = lock();
        let process = std::process::id();
        if let Some(pool) = &*pool
            && pool.process == process
        {
            return Ok(pool.clone());
        }
        let pin = std::env::var_os(PIN_VARIABLE).is_some_and(|value| !value.is_empty() && value != "0");
        let options = ContextOptions { pin, bounds: bounds(), ..ContextOptions::default() };
        let context = oxcl_runtime::Context::new(options)?;
        let words = words();
        let devices = context.devices(&words.iter().map(String::as_str).collect::<Vec<_>>())?;
        let new = Pool { process, context, devices, calls: Calls::default() };
        // The parent's pool has no threads in this process, so ending it would wait for nobody's end.
        std::mem::forget(pool.replace(new.clone()));
        Ok(new)
    }
}

/// What becomes of launches that leave a buffer.
const BOUNDS_VARIABLE: &str = "OXCL_BOUNDS";

/// All other implementations run programs that read or write a few bytes too many.
fn bounds() -> Bounds {
    match std::env::var(BOUNDS_VARIABLE).as_deref().map(str::trim) {
        Ok("error") => Bounds::Refuse,
        Ok("off") => Bounds::Ignore,
        _ => Bounds::Tell,
    }
}

/// The devices that the environment asks for; the CPU where it asks for none.
const DEVICES_VARIABLE: &str = "OXCL_DEVICES";

fn words() -> Vec<String> {
    let value = std::env::var_os(DEVICES_VARIABLE).unwrap_or_default();
    let words: Vec<String> = value.to_string_lossy().split_whitespace().map(str::to_owned).collect();
    if words.is_empty() { vec!["cpu".to_owned()] } else { words }
}

/// All devices of the platform.
pub(crate) fn all() -> Answer<Vec<Shared<Device>>> {
    let mut devices = Vec::new();
    let mut infos = Vec::new();
    for word in &words() {
        infos.extend(DeviceInfo::ask_all(word)?);
    }
    for (index, info) in infos.into_iter().enumerate() {
        let units = info.compute_units;
        // Another number of threads was asked for, or the control group allows less time than there are CPUs.
        let cpus = if info.name == "cpu" { allowed_processors() } else { Vec::new() };
        let cpus = if cpus.len() == units { cpus } else { Vec::new() };
        devices.push(Live::begin(Device { parent: None, index, info, units, partition: Vec::new(), cpus })?);
    }
    Ok(devices)
}

impl Device {
    /// Its type: a simulated processor is an accelerator.
    pub(crate) fn kind(&self) -> Bitfield {
        if self.info.machine.is_some() { cl::DEVICE_TYPE_ACCELERATOR } else { cl::DEVICE_TYPE_CPU }
    }

    /// Whether its addresses have 32 bits; then it does not compute with 64-bit floats.
    pub(crate) fn is_narrow(&self) -> bool {
        self.info.address_bits == 32
    }

    /// Whether it works on the host's memory, at the host's addresses.
    pub(crate) fn shares_memory(&self) -> bool {
        !self.info.own_memory
    }
}

impl Live<Device> {
    /// The device, the one that it is a part of, and so on.
    pub(crate) fn lineage(&self) -> impl Iterator<Item = &Live<Device>> {
        std::iter::successors(Some(self), |device| device.parent.as_deref())
    }

    /// Whether it has CPUs of its own: it was cut along a domain, or is a part of one that was.
    pub(crate) fn is_bound(&self) -> bool {
        self.cpus.len() < self.whole().cpus.len()
    }

    /// The whole device that this one is, or is a part of.
    pub(crate) fn whole(&self) -> &Live<Device> {
        self.lineage().last().unwrap_or(self)
    }
}

/// `clGetDeviceIDs`.
pub(crate) fn get_ids(
    platform: Handle<Platform>,
    kind: Bitfield,
    entries: Uint,
    devices: Out<Handle<Device>>,
    count: Out<Uint>,
) -> Answer {
    let root = platform::known(platform)?;
    // CL_INVALID_DEVICE_TYPE if device_type is not a valid value (4.2).
    let known = cl::DEVICE_TYPE_DEFAULT
        | cl::DEVICE_TYPE_CPU
        | cl::DEVICE_TYPE_GPU
        | cl::DEVICE_TYPE_ACCELERATOR
        | cl::DEVICE_TYPE_CUSTOM;
    ensure(kind == cl::DEVICE_TYPE_ALL || (kind != 0 && kind & !known == 0), cl::INVALID_DEVICE_TYPE)?;
    // CL_INVALID_VALUE if there is a list of no entries, or if nothing is asked for (4.2).
    ensure(devices.is_null() || entries > 0, cl::INVALID_VALUE)?;
    ensure(!devices.is_null() || !count.is_null(), cl::INVALID_VALUE)?;
    let found = matching(&root.devices, kind)?;
    for (index, device) in found.iter().take(entries as usize).enumerate() {
        devices.set_at(index, device.handle());
    }
    count.set(found.len() as Uint);
    Ok(())
}

/// The devices of a type.
pub(crate) fn matching(devices: &[Shared<Device>], kind: Bitfield) -> Answer<Vec<Shared<Device>>> {
    // The first is the default.
    let fits = |device: &&Shared<Device>| kind & device.kind() != 0;
    let fitting: Vec<_> = devices.iter().filter(fits).cloned().collect();
    let found: Vec<_> = if !fitting.is_empty() {
        fitting
    } else if kind & cl::DEVICE_TYPE_DEFAULT != 0 {
        devices.iter().take(1).cloned().collect()
    } else {
        Vec::new()
    };
    // CL_DEVICE_NOT_FOUND if no device of the type was found (4.2).
    if found.is_empty() { refuse(cl::DEVICE_NOT_FOUND) } else { Ok(found) }
}

/// `clRetainDevice`: devices that are no parts are not counted.
pub(crate) fn retain(device: Handle<Device>) -> Answer {
    if device.get()?.parent.is_none() { Ok(()) } else { device.retain() }
}

/// `clReleaseDevice`.
pub(crate) fn release(device: Handle<Device>) -> Answer {
    if device.get()?.parent.is_none() { Ok(()) } else { device.release() }
}

/// `clGetDeviceInfo`.
pub(crate) fn get_info(
    device: Handle<Device>,
    name: Uint,
    size: usize,
    value: Memory,
    size_ret: Out<usize>,
) -> Answer {
    device_info::get(&*device.get()?, name, Reply::new(size, value, size_ret))
}

/// The devices of a list, which must be given and hold no duplicates' worth of trouble.
pub(crate) fn listed(handles: Vec<Handle<Device>>) -> Answer<Vec<Shared<Device>>> {
    let mut devices: Vec<Shared<Device>> = Vec::new();
    for handle in handles {
        let device = handle.get()?;
        if !devices.contains(&device) {
            devices.push(device);
        }
    }
    Ok(devices)
}

/// The device's place in a list.
pub(crate) fn position(devices: &[Shared<Device>], device: &Live<Device>) -> Answer<usize> {
    let found = devices.iter().position(|known| std::ptr::eq(&raw const **known, device));
    found.ok_or(Status(cl::INVALID_DEVICE))
}
