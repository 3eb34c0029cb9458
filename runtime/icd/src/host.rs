//! Facts about the machine that queries report: read once, without starting anything.

use std::sync::OnceLock;

use oxcl_runtime::device_memory;

use crate::platform;

/// What is said at least: no program of OpenCL works with less.
const LEAST_MEMORY: u64 = 64 << 20;

/// The machine as this process may use it.
pub(crate) struct Host {
    /// Bytes of memory that the process may have.
    pub(crate) memory: u64,
    /// Bytes of the last cache that one core reaches.
    pub(crate) cache: u64,
    /// Bytes of a cache line.
    pub(crate) line: u32,
    /// Bytes of a vector register.
    pub(crate) vector: u32,
    /// A number for the machine and this version, as `CL_DEVICE_UUID_KHR` wants it.
    pub(crate) uuid: [u8; 16],
}

impl Host {
    pub(crate) fn get() -> &'static Host {
        static HOST: OnceLock<Host> = OnceLock::new();
        HOST.get_or_init(Host::read)
    }

    fn read() -> Host {
        let devices = platform::root().map(|root| root.devices.as_slice()).unwrap_or_default();
        let has = |feature: &str| devices.iter().any(|device| device.info.features.contains(&feature));
        let processor = devices.first().map_or("", |device| device.info.processor.as_str());
        let vector = match () {
            () if has("avx512f") => 64,
            () if has("avx") => 32,
            () => 16,
        };
        let uuid = uuid(&[processor, env!("CARGO_PKG_VERSION"), &text("/etc/machine-id")]);
        let (cache, line) =
            (cache(), number("/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size"));
        Host {
            memory: device_memory().max(LEAST_MEMORY),
            cache,
            line: line.and_then(|line| u32::try_from(line).ok()).unwrap_or(64),
            vector,
            uuid,
        }
    }
}

fn text(path: &str) -> String {
    std::fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default()
}

fn number(path: &str) -> Option<u64> {
    text(path).parse().ok()
}

/// The highest clock in MHz: what the system's governor says, else what the CPU runs at now. Read when it is asked for: without a governor
/// that takes the longer the more processors there are.
pub(crate) fn clock() -> u32 {
    static CLOCK: OnceLock<u32> = OnceLock::new();
    *CLOCK.get_or_init(read_clock)
}

fn read_clock() -> u32 {
    let governed = number("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq").map(|khz| khz / 1000);
    let running = || {
        let all = text("/proc/cpuinfo");
        let line = all.lines().find(|line| line.starts_with("cpu MHz"))?;
        line.split(':').nth(1)?.trim().split('.').next()?.parse::<u64>().ok()
    };
    let mhz = governed.or_else(running).unwrap_or(0);
    u32::try_from(mhz).unwrap_or(0).max(1)
}

/// The largest cache that CPU 0 reaches.
fn cache() -> u64 {
    let size = |index: u32| {
        let text = text(&format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size"));
        let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
        let factor = match unit {
            "K" => 1 << 10,
            "M" => 1 << 20,
            _ => 1,
        };
        digits.parse::<u64>().ok().map(|number| number * factor)
    };
    (0..8).map_while(size).max().unwrap_or(0)
}

/// FNV-1a over the parts, twice with different starts: enough to tell machines apart.
fn uuid(parts: &[&str]) -> [u8; 16] {
    let mut halves = [0xcbf2_9ce4_8422_2325_u64, 0x6c62_272e_07bb_0142];
    for half in &mut halves {
        for byte in parts.iter().flat_map(|part| part.bytes().chain([0])) {
            *half = (*half ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    let mut uuid = [0; 16];
    for (place, half) in uuid.chunks_exact_mut(8).zip(halves) {
        place.copy_from_slice(&half.to_le_bytes());
    }
    uuid
}
