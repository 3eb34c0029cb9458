//! The capability table of a device: what the runtime answers queries from and plans by.

use std::ops::BitOr;

/// The kind of a device, as applications choose by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeviceKind {
    /// A host processor.
    Cpu,
    /// A graphics processor.
    Gpu,
    /// Any other accelerator that runs kernels.
    Accelerator,
    /// A device that runs built-in kernels only.
    Custom,
}

/// Who executes a device's ready commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Execution {
    /// Threads of the host: the scheduler's workers call [`crate::Launch::run`] and the command execution operations.
    Host,
    /// Threads of the host program that wait, flush, ask for a status or set a user event, one command at a time and each
    /// in one thread. What was flushed and becomes ready while no such thread is there is executed by one of the scheduler's
    /// workers.
    Caller,
    /// The driver itself: commands go to [`crate::Driver::submit`] when nothing on the host holds them back.
    Device,
    /// The driver itself, which also orders commands on the device: [`crate::Driver::submit`] gets every command at
    /// once and [`crate::Driver::notify`] says when an event it waits for has ended.
    DeviceOrdered,
}

impl Execution {
    /// The driver executes its commands itself.
    #[must_use]
    pub fn is_by_driver(self) -> bool {
        matches!(self, Execution::Device | Execution::DeviceOrdered)
    }
}

/// Optional features, as a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Features(u32);

impl Features {
    /// No feature.
    pub const NONE: Features = Features(0);
    /// Kernels take images, in all formats of [`crate::image::ImageFormat::all`].
    pub const IMAGES: Features = Features(1);
    /// Coarse-grained shared virtual memory.
    pub const SVM_COARSE: Features = Features(2);
    /// Fine-grained shared virtual memory in buffers.
    pub const SVM_FINE: Features = Features(4);
    /// Fine-grained shared virtual memory everywhere.
    pub const SVM_SYSTEM: Features = Features(8);
    /// Double precision.
    pub const FP64: Features = Features(16);
    /// Half precision.
    pub const FP16: Features = Features(32);
    /// The device prints by itself.
    pub const DEVICE_PRINTF: Features = Features(64);
    /// Several commands may be executed at the same time.
    pub const OUT_OF_ORDER: Features = Features(128);
    /// Threads of the host's execute work-groups, each one as a whole: more and smaller ones keep more of them busy.
    pub const GROUPS_ON_THREADS: Features = Features(256);

    /// Whether all of `other` is here.
    #[must_use]
    pub fn has(self, other: Features) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Features {
    type Output = Features;

    fn bitor(self, other: Features) -> Features {
        Features(self.0 | other.0)
    }
}

/// An address space that devices may share: devices with the same one see each other's allocations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AddressSpace(pub u64);

impl AddressSpace {
    /// The memory of the host process.
    pub const HOST: AddressSpace = AddressSpace(0);
}

/// What a device is and can do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    /// The device's name as applications see it.
    pub device_name: String,
    /// The vendor's name.
    pub vendor: String,
    /// Its kind.
    pub kind: DeviceKind,
    /// Who executes its commands.
    pub execution: Execution,
    /// Optional features.
    pub features: Features,
    /// The address space its global memory is in.
    pub address_space: AddressSpace,
    /// 32 or 64.
    pub address_bits: u32,
    /// Number of compute units.
    pub compute_units: u32,
    /// The largest number of work-items in a work-group.
    pub max_work_group_size: u64,
    /// The largest local size in each dimension.
    pub max_work_item_sizes: [u64; 3],
    /// Bytes of global memory.
    pub global_memory: u64,
    /// The largest single allocation in bytes.
    pub max_allocation: u64,
    /// Bytes of local memory for a work-group.
    pub local_memory: u64,
    /// Alignment of allocations in bytes, a power of two.
    pub base_alignment: u64,
    /// Bytes that kernels can print before somebody reads them.
    pub printf_buffer: u64,
    /// Target triple of the device code; empty where no code is compiled for it.
    pub triple: String,
}

impl Capabilities {
    /// A table with a 64-bit host device's usual values; a driver overwrites what differs.
    #[must_use]
    pub fn host(device_name: &str) -> Capabilities {
        Capabilities {
            device_name: device_name.to_owned(),
            vendor: "oxcl".to_owned(),
            kind: DeviceKind::Cpu,
            execution: Execution::Host,
            features: Features::OUT_OF_ORDER,
            address_space: AddressSpace::HOST,
            address_bits: 64,
            compute_units: 1,
            max_work_group_size: 4096,
            max_work_item_sizes: [4096; 3],
            global_memory: 1 << 30,
            max_allocation: 1 << 28,
            local_memory: 64 << 10,
            base_alignment: 128,
            printf_buffer: 1 << 20,
            triple: String::new(),
        }
    }
}
