//! Safe OpenCL objects: devices, programs, kernels, buffers, launches, and every check that the specification asks for.
//!
//! The way of a program: a [`CompilerService`] makes an archive from sources (or a file holds one),
//! [`Program::from_archive`] reads it, [`Program::kernel`] names a kernel, [`Buffer`] holds data, and
//! [`Device::launch`] checks the index space and the arguments and runs the kernel.
//!
//! ```no_run
//! # use oxcl_runtime::{ArgValue, Buffer, Device, NdRange, Program};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let device = Device::by_name("cpu")?;
//! let program = Program::from_archive(&std::fs::read("scale.poclbin")?)?;
//! let kernel = program.kernel("scale")?;
//! let data = Buffer::zeroed(4096)?;
//! let range = NdRange::new(&[1024])?;
//! device.launch(&kernel, &range, &[ArgValue::Buffer(&data), ArgValue::Value(&3_i32.to_le_bytes())])?;
//! # Ok(())
//! # }
//! ```
//!
//! Commands that overlap go to queues: [`Context::queue`] makes a [`Queue`], whose commands give an [`Event`] each.
//!
//! The runtime knows neither LLVM nor clang, and prints nothing.

mod argument;
mod bounds;
mod buffer;
mod cache;
mod compiler;
mod compilers;
mod context;
mod device;
mod direct;
mod error;
mod exclusion;
mod forked;
mod guarded;
mod image;
mod improve;
mod launch;
mod limited;
mod local_size;
mod mapped;
mod ndrange;
#[cfg(feature = "mpi")]
mod nodes;
mod processor;
mod program;
mod queue;
mod rect;
mod registry;
mod regroup;
mod residence;
mod service;
mod shared;
mod storage;

pub use argument::ArgValue;
pub use buffer::{Buffer, BufferError};
pub use cache::{
    Cache, CacheInfo, CacheRow, CacheStats, Claimed, Damage, Key as CacheKey, Pruned, Stored as CachedBuild,
    Told,
};
pub use compiler::{
    BuildAction, BuildError, BuildFault, BuildRequest, BuildTarget, Built, CompilerService, Il, Quality,
    Source,
};
pub use compilers::{Compilers, ProcessCompilers};
pub use context::{Bounds, Context, ContextOptions};
pub use device::{Device, DeviceError, DeviceInfo};
pub use error::{Coded, ErrorCode};
pub use forked::survive_forks;
pub use image::{
    Image, ImageError, ImagePlace, ImageRegion, ImageShape, MAX_ELEMENTS, MAX_IN_BUFFER, MAX_LEVELS,
    MAX_PLANE, MAX_VOLUME,
};
pub use improve::{Better, Ended, Improvement, ImprovementObserver, Improver, Why};
pub use launch::{Launch, LaunchError, LaunchReport, OutOfBounds, SizeSource};
pub use ndrange::{NdRange, NdRangeError};
#[cfg(feature = "mpi")]
pub use nodes::{NodeSetup, be_node, cluster, ranks};
pub use oxcl_binary::archive::{AccessQualifier, AddressQualifier, ArgKind, BinaryType};
pub use oxcl_binary::il::{
    CAPABILITIES as IL_CAPABILITIES, EXTENSIONS as IL_EXTENSIONS, INSTRUCTION_SETS as IL_INSTRUCTION_SETS,
    SpecConstant, spec_constants,
};
pub use oxcl_binary::known::{KnownArgument, KnownArguments, KnownOf};
pub use oxcl_binary::meta::SUB_GROUP_SIZES;
pub use oxcl_driver::account::{device_memory, returns as memory_returns};
pub use oxcl_driver::command::EntryKind;
pub use oxcl_driver::fault::{
    Fault, FaultSignal, GroupRun, KernelFailure as Failure, OutOfResources, Resource,
};
pub use oxcl_driver::image::{
    Addressing, ImageDescription, ImageFormat, ImageKind, ImageUse, Mip, SamplerDescription as Sampler,
    channel, order,
};
pub use oxcl_driver::memory::MemoryCounters;
pub use oxcl_driver::printer::{PrintSink, Printed};
pub use oxcl_driver::program::LaunchShape;
pub use oxcl_driver::watch::Heat;
pub use oxcl_driver::{CodeError, DriverError, Failure as CommandFailure, HostSpan};
pub use oxcl_driver_cpu::{DiscreteDriver, catch_faults, faults_are_caught};
pub use oxcl_driver_tta::{LinkTimes, Span as ProcessorSpan};
pub use oxcl_scheduler::{
    CommandRecord, EnqueueError, Event, Observer, Prepared, QueueProperties, ShareRecord, Stage, Status,
    Times, UserEvent, try_box,
};
pub use oxcl_scheduler::{allowed_processors, fork, thread};
pub use processor::{MachineText, Processor};
pub use program::{Kernel, LoadError, Program, binary_type, binary_type_for, has_module};
pub use queue::{MapAccess, Mapping, Migration, Queue, QueueError, ReadBack};
pub use rect::RectRegion;
pub use service::{
    CompilerSearch, Environment as ServiceEnvironment, Service, ServiceOptions, seek_compiler,
};
pub use shared::{SharedKind, SharedMemory};

/// The page `docs/add-a-driver.md`: its examples are compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../docs/add-a-driver.md")]
mod page {}
