//! Launches: every check that the specification asks for, then the driver.
//!
//! In: a kernel, an index space, arguments. Out: a report, or an error that says what is wrong and with which
//! parameter. Nothing runs before every check has passed.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use oxcl_binary::archive;
use oxcl_binary::meta::{self, AccessBound, ArgFacts, KernelMeta};
use oxcl_driver::printer::{PrintSink, Printed, Printer};
use oxcl_driver_cpu::{
    Argument, DiscreteArgument, DiscreteLaunch, EntryKind, Failure, Geometry, KernelTraits,
    LoadError as CodeError, PreparedLaunch, Watch,
};
use oxcl_scheduler::{Access, Command, EnqueueError, Event, Facts, Fence, Touch};

use crate::argument::{self, ArgValue};
use crate::bounds;
use crate::buffer::{Buffer, BufferError, Held};
use crate::device::Device;
use crate::error::{Coded, ErrorCode};
use crate::guarded::Guarded;
use crate::launch_work::LaunchWork;
use crate::local_size;
use crate::ndrange::NdRange;
use crate::processor;
use crate::program::Kernel;
use crate::queue::QueueError;
use crate::residence::{self, At, Order, Part};
use crate::shared::SharedMemory;

/// How a launch went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchReport {
    /// Time from the first work-group's start to the last one's end.
    pub elapsed: Duration,
    /// Cycles that it took on a simulated device, whose time `elapsed` is not.
    pub cycles: Option<u64>,
    /// Number of work-groups in each dimension.
    pub groups: [u64; 3],
    /// Local size in each dimension.
    pub local: [u64; 3],
    /// Who chose the local size.
    pub local_from: SizeSource,
    /// Which of the kernel's entries ran.
    pub entry: EntryKind,
    /// LLVM's name for the CPU that the code is for, where it is known.
    pub cpu: Option<String>,
    /// W: work-items that the code runs at a time.
    pub width: u32,
    /// Whether the function that ran is specialised for this local size.
    pub specialised: bool,
    /// What the kernel printed, where no sink took it.
    pub printed: Vec<u8>,
    /// Calls of printf that found no room in the print buffer.
    pub print_dropped: u64,
}

/// Who chose a launch's local size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SizeSource {
    /// The user.
    Given,
    /// The kernel's `reqd_work_group_size`.
    Required,
    /// The runtime.
    Chosen,
}

/// A launch was refused, or failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// Too few or too many arguments.
    #[error("kernel '{kernel}' takes {want} arguments ({}), {given} were given", parameters.join(", "))]
    ArgumentCount {
        /// The kernel's name.
        kernel: String,
        /// Parameters that it has.
        want: usize,
        /// Arguments given.
        given: usize,
        /// The parameters' names.
        parameters: Vec<String>,
    },
    /// An argument of the wrong kind.
    #[error("argument '{argument}' of kernel '{kernel}' has type {type_name}: it takes {want}, not {given}")]
    ArgumentKind {
        /// The kernel's name.
        kernel: String,
        /// The parameter's name.
        argument: String,
        /// The parameter's type.
        type_name: String,
        /// What it takes.
        want: &'static str,
        /// What was given.
        given: &'static str,
    },
    /// A value of the wrong size.
    #[error(
        "argument '{argument}' of kernel '{kernel}' has type {type_name} of {want} bytes, {given} were given"
    )]
    ArgumentSize {
        /// The kernel's name.
        kernel: String,
        /// The parameter's name.
        argument: String,
        /// The parameter's type.
        type_name: String,
        /// Its size in bytes.
        want: u32,
        /// The size given.
        given: usize,
    },
    /// A parameter of a kind that no device takes yet.
    #[error("argument '{argument}' of kernel '{kernel}' has type {type_name}: {what} are not supported yet")]
    ArgumentNotYet {
        /// The kernel's name.
        kernel: String,
        /// The parameter's name.
        argument: String,
        /// The parameter's type.
        type_name: String,
        /// What is not supported.
        what: &'static str,
    },
    /// No local memory for a `local` pointer.
    #[error("argument '{argument}' of kernel '{kernel}' points to local memory: give it at least one byte")]
    EmptyLocal {
        /// The kernel's name.
        kernel: String,
        /// The parameter's name.
        argument: String,
    },
    /// The local size must divide the global size, and does not.
    #[error(
        "local size {local} does not divide global size {global} in dimension {dimension}, as {reason} demands"
    )]
    DoesNotDivide {
        /// The dimension, from 0.
        dimension: usize,
        /// Global size in it.
        global: u64,
        /// Local size in it.
        local: u64,
        /// What demands it.
        reason: String,
    },
    /// Too many work-items in a work-group.
    #[error("a work-group of {items} work-items is too large: {whose} takes at most {limit}")]
    GroupTooLarge {
        /// Work-items asked for.
        items: u64,
        /// Most that are possible.
        limit: u64,
        /// Whose limit it is.
        whose: String,
    },
    /// The kernel requires another local size.
    #[error("kernel '{kernel}' requires local size {}, {} was given", Size(*required), Size(*given))]
    RequiredSize {
        /// The kernel's name.
        kernel: String,
        /// What its `reqd_work_group_size` says.
        required: [u64; 3],
        /// The local size given.
        given: [u64; 3],
    },
    /// Too much local memory.
    #[error("kernel '{kernel}' needs {needed} bytes of local memory, the device has {limit}")]
    LocalMemory {
        /// The kernel's name.
        kernel: String,
        /// Bytes of all `local` arguments and variables.
        needed: u64,
        /// What the device has.
        limit: u64,
    },
    /// A global id that our machine code does not bear.
    #[error(
        "global ids of kernel '{kernel}' reach {last} in dimension {dimension}: 2^31 and more are not supported yet"
    )]
    IdTooLarge {
        /// The kernel's name.
        kernel: String,
        /// The dimension, from 0.
        dimension: usize,
        /// The largest global id there.
        last: u64,
    },
    /// The launch would certainly leave a buffer.
    #[error("{0}")]
    OutOfBounds(Box<OutOfBounds>),
    /// A buffer's memory cannot be had.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// The device knows no addresses of the host.
    #[error(
        "argument '{argument}' of kernel '{kernel}' is an address, and device '{device}' shares no memory"
    )]
    NotShared {
        /// The kernel's name.
        kernel: String,
        /// The parameter's name.
        argument: String,
        /// The device's name.
        device: &'static str,
    },
    /// Its buffers do not fit the device's memory, or it could not be enqueued for another reason.
    #[error(transparent)]
    Queue(#[from] QueueError),
    /// The machine code cannot be used.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// The launch began and did not end well, or found no memory.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// The launch could not be enqueued.
    #[error(transparent)]
    Enqueue(#[from] EnqueueError),
    /// The command failed otherwise: because of another, or by a fault of the program's own.
    #[error("{0}")]
    Command(Arc<oxcl_driver::Failure>),
}

/// An access that every work-item makes lies outside its buffer for some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutOfBounds {
    /// The kernel's name.
    pub kernel: String,
    /// The parameter's name.
    pub argument: String,
    /// Bytes that the buffer would need; `None` where the access begins before the buffer.
    pub needed: Option<u128>,
    /// Where the lowest access begins, in bytes from the buffer's start.
    pub lowest: i128,
    /// Bytes that the buffer has; `None` for the null pointer.
    pub available: Option<u64>,
    /// Line of the access in the source; 0 if unknown.
    pub line: u32,
}

impl fmt::Display for OutOfBounds {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, argument, lowest, available, line, .. } = self;
        write!(out, "argument '{argument}' of kernel '{kernel}': ")?;
        match (self.needed, available) {
            (Some(needed), Some(available)) => {
                write!(out, "this launch accesses {needed} bytes, the buffer has {available}")?;
            }
            (Some(needed), None) => write!(out, "this launch accesses {needed} bytes, the pointer is null")?,
            (None, _) => write!(out, "this launch accesses byte {lowest}, before the buffer's start")?,
        }
        if *line > 0 { write!(out, " (line {line})") } else { Ok(()) }
    }
}

/// Three sizes as users write them.
struct Size([u64; 3]);

impl fmt::Display for Size {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.0;
        write!(out, "{x},{y},{z}")
    }
}

impl Coded for LaunchError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::ArgumentCount { .. } => ErrorCode("OX0540"),
            Self::ArgumentKind { .. } => ErrorCode("OX0541"),
            Self::ArgumentSize { .. } => ErrorCode("OX0542"),
            Self::ArgumentNotYet { .. } => ErrorCode("OX0543"),
            Self::EmptyLocal { .. } => ErrorCode("OX0544"),
            Self::DoesNotDivide { .. } => ErrorCode("OX0550"),
            Self::GroupTooLarge { .. } => ErrorCode("OX0552"),
            Self::RequiredSize { .. } => ErrorCode("OX0553"),
            Self::LocalMemory { .. } => ErrorCode("OX0554"),
            Self::IdTooLarge { .. } => ErrorCode("OX0555"),
            Self::OutOfBounds(_) => ErrorCode("OX0560"),
            Self::Buffer(error) => error.code(),
            Self::NotShared { .. } => ErrorCode("OX0546"),
            Self::Queue(error) => error.code(),
            Self::Code(error) => error.code(),
            Self::Failed(error) => error.code(),
            Self::Enqueue(error) => error.code(),
            Self::Command(error) => error.code(),
        }
    }
}

/// A launch that has passed every check and can be run, any number of times.
#[derive(Debug)]
pub struct Launch {
    device: Device,
    work: LaunchWork,
    /// Its buffers and what it does to them, where somebody keeps track.
    parts: Box<[(Buffer, Access)]>,
    touches: Box<[Touch]>,
    facts: Facts,
    local_from: SizeSource,
    cpu: Option<String>,
    /// Knows whether there is a better function by now.
    watch: Option<Arc<Watch>>,
    /// What it said when this launch was made ready.
    number: u32,
}

impl Device {
    /// Checks a launch and makes it ready.
    ///
    /// # Errors
    /// The launch breaks a rule, would leave a buffer, or the kernel has no code for this device.
    pub fn prepare(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        arguments: &[ArgValue<'_>],
    ) -> Result<Launch, LaunchError> {
        let record = kernel.record();
        // Devices with memory of their own find buffers when they run.
        let own_memory = self.own_memory().is_some();
        let nowhere = |_: &Buffer| Ok(std::ptr::null_mut());
        let checked = if own_memory {
            argument::check(record, arguments, &nowhere)?
        } else {
            argument::check(record, arguments, &Buffer::address)?
        };
        let (local, local_from) = self.local_size(kernel, range)?;
        self.check_local_memory(record, arguments)?;
        let global = range.global();
        let geometry = Geometry {
            work_dim: range.work_dim(),
            groups: std::array::from_fn(|dimension| global[dimension].div_ceil(local[dimension])),
            local,
            global,
            offset: range.offset(),
        };
        let meta = kernel.meta();
        if let Some(meta) = meta {
            check_ids(record, &geometry)?;
            check_bounds(record, &meta.args, arguments, &geometry)?;
        }
        let traits = KernelTraits::of(meta);
        let buffers: Vec<Buffer> = arguments
            .iter()
            .filter_map(|argument| match argument {
                ArgValue::Buffer(buffer) => Some(Buffer::clone(buffer)),
                ArgValue::Pointer(pointer) => {
                    SharedMemory::find(*pointer).map(|(memory, _)| memory.buffer().clone())
                }
                _ => None,
            })
            .collect();
        let (touches, facts) = facts(meta, arguments);
        let parts = if self.context().keeps_track() {
            let known = arguments.iter().enumerate();
            known.filter_map(|(index, argument)| part(meta, index, argument)).collect()
        } else {
            buffers.iter().for_each(|buffer| buffer.storage().use_untracked());
            Box::default()
        };
        if let Some(processor) = self.processor_core() {
            residence::check_fit(self, buffers.iter())?;
            let work = processor::prepare(self, processor, kernel, &geometry, arguments, &checked)?;
            let work = LaunchWork::Device(Arc::new(Guarded::new(work, buffers)), geometry);
            let (cpu, watch, number) = (None, None, 0);
            return Ok(Launch {
                device: self.clone(),
                work,
                parts,
                touches,
                facts,
                local_from,
                cpu,
                watch,
                number,
            });
        }
        // The watch's number first: what comes in between is then found at the next launch, not missed.
        let watch = kernel.watch(self.target(), &geometry).filter(|_| self.cpu().is_some());
        let number = watch.as_ref().map_or(0, |watch| watch.number());
        let code = kernel.code(self.target())?;
        let function = code.function_for(&geometry)?;
        let memory = kernel.program().memory(self.info().name).map_err(Failure::from)?;
        let work = match self.cpu() {
            Some(cpu) => {
                let prepared = PreparedLaunch::new(function, geometry, &checked, &record.local_sizes, traits);
                let prepared = prepared.map(|prepared| prepared.with_variables(memory));
                // SAFETY: the work is executed with its buffers only, which are kept beside it; who else touches them is
                // for the order of commands to say. That the kernel keeps to them is the claim of whoever wrote it.
                let work = unsafe { cpu.work(prepared.map_err(Failure::from)?) };
                let work = work.watched(watch.clone());
                LaunchWork::Host(Arc::new(Guarded::new(Arc::new(work), buffers)))
            }
            None => {
                residence::check_fit(self, buffers.iter())?;
                let bound = self.bind(kernel, arguments, &checked)?;
                let work = DiscreteLaunch::new(function, geometry, bound, &record.local_sizes, traits);
                let work = Arc::new(work.map_err(Failure::from)?.with_variables(memory));
                LaunchWork::Discrete(Arc::new(Guarded::new(work, buffers)))
            }
        };
        let cpu = code.cpu().map(str::to_owned);
        Ok(Launch { device: self.clone(), work, parts, touches, facts, local_from, cpu, watch, number })
    }

    /// The arguments of a launch on a device with memory of its own.
    fn bind(
        &self,
        kernel: &Kernel,
        arguments: &[ArgValue<'_>],
        checked: &[Argument<'_>],
    ) -> Result<Vec<DiscreteArgument>, LaunchError> {
        let bind = |(index, (argument, checked)): (usize, (&ArgValue<'_>, &Argument<'_>))| match checked {
            Argument::Local(bytes) => Ok(DiscreteArgument::Local(*bytes)),
            Argument::Value(bytes) => Ok(DiscreteArgument::Value(bytes.to_vec())),
            Argument::Pointer(_) => match argument {
                ArgValue::Buffer(buffer) => {
                    let (allocation, offset) = residence::memory_on(buffer, self)?;
                    let writes = argument_access(kernel.meta(), index) == Some(Access::ReadWrite);
                    Ok(DiscreteArgument::Memory { allocation, offset, writes })
                }
                ArgValue::Pointer(_) => Err(LaunchError::NotShared {
                    kernel: kernel.record().name.clone(),
                    argument: argument::parameter_name(kernel.record(), index),
                    device: self.info().name,
                }),
                _ => Ok(DiscreteArgument::Null),
            },
        };
        arguments.iter().zip(checked).enumerate().map(bind).collect()
    }

    /// Checks a launch, runs it, and returns when it is over.
    ///
    /// # Errors
    /// As for [`Self::prepare`] and [`Launch::run`].
    pub fn launch(
        &self,
        kernel: &Kernel,
        range: &NdRange,
        arguments: &[ArgValue<'_>],
    ) -> Result<LaunchReport, LaunchError> {
        self.prepare(kernel, range, arguments)?.run()
    }

    /// The most work-items that a group of `kernel` may have.
    #[must_use]
    pub fn max_work_group_size(&self, kernel: &Kernel) -> u64 {
        let own = kernel.record().work_group.map_or(0, |facts| u64::from(facts.max_size));
        let device = self.info().max_work_group_size;
        let kept = kernel.record().work_group.map_or(0, |facts| u64::from(facts.private_mem));
        let device = self.processor_core().map_or(device, |core| device.min(core.most_items(kept)));
        if own == 0 { device } else { own.min(device) }
    }

    /// The local size that a launch of this index space gets: the one it names, the kernel's own, or the runtime's choice.
    ///
    /// # Errors
    /// It breaks a rule.
    pub fn local_size_for(&self, kernel: &Kernel, range: &NdRange) -> Result<[u64; 3], LaunchError> {
        Ok(self.local_size(kernel, range)?.0)
    }

    fn local_size(&self, kernel: &Kernel, range: &NdRange) -> Result<([u64; 3], SizeSource), LaunchError> {
        let record = kernel.record();
        let global = range.global();
        let limit = self.max_work_group_size(kernel);
        let required = Some(record.reqd_wg_size).filter(|size| *size != [0; 3]);
        let (local, source) = match (range.local(), required) {
            // CL_INVALID_WORK_GROUP_SIZE if local_work_size does not match the required work-group size.
            (Some(given), Some(required)) if given != required => {
                let kernel = record.name.clone();
                return Err(LaunchError::RequiredSize { kernel, required, given });
            }
            (Some(given), _) => (given, SizeSource::Given),
            (None, Some(required)) => (required, SizeSource::Required),
            (None, None) => {
                let threads = self.info().compute_units as u64;
                (local_size::choose(global, limit, threads), SizeSource::Chosen)
            }
        };
        // CL_INVALID_WORK_GROUP_SIZE if the number of work-items is greater than CL_KERNEL_WORK_GROUP_SIZE.
        let items =
            local.iter().try_fold(1_u64, |product, &size| product.checked_mul(size)).unwrap_or(u64::MAX);
        if items > limit {
            let own = limit < self.info().max_work_group_size;
            let whose = if own {
                format!("kernel '{}'", record.name)
            } else {
                format!("device '{}'", self.info().name)
            };
            return Err(LaunchError::GroupTooLarge { items, limit, whose });
        }
        check_divides(kernel, global, local)?;
        Ok((local, source))
    }

    fn check_local_memory(
        &self,
        record: &archive::Kernel,
        arguments: &[ArgValue<'_>],
    ) -> Result<(), LaunchError> {
        let given = arguments.iter().map(|argument| match argument {
            ArgValue::Local(bytes) => *bytes,
            _ => 0,
        });
        let own = record.local_sizes.iter().copied();
        let needed = given.chain(own).fold(0, u64::saturating_add);
        let limit = self.info().local_memory;
        if needed > limit {
            return Err(LaunchError::LocalMemory { kernel: record.name.clone(), needed, limit });
        }
        Ok(())
    }
}

/// What a kernel does to what an argument points to; none if it leaves it alone. A kernel that writes may write some bytes
/// only.
fn argument_access(meta: Option<&KernelMeta>, index: usize) -> Option<Access> {
    match meta.and_then(|meta| meta.args.get(index)).map(|facts| facts.access) {
        Some(meta::Access::None) => None,
        Some(meta::Access::Read) => Some(Access::Read),
        Some(meta::Access::Write | meta::Access::ReadWrite) | None => Some(Access::ReadWrite),
    }
}

/// The buffer of an argument and what the kernel does to it.
fn part(meta: Option<&KernelMeta>, index: usize, argument: &ArgValue<'_>) -> Option<(Buffer, Access)> {
    let buffer = match argument {
        ArgValue::Buffer(buffer) => Buffer::clone(buffer),
        ArgValue::Pointer(pointer) => SharedMemory::find(*pointer)?.0.buffer().clone(),
        _ => return None,
    };
    Some((buffer, argument_access(meta, index)?))
}

/// What the launch touches, for the order of its queue. Nothing is known of kernels that other compilers made.
fn facts(meta: Option<&KernelMeta>, arguments: &[ArgValue<'_>]) -> (Box<[Touch]>, Facts) {
    // Where memory that an argument leads to ends is not known, nor whose it is.
    let mut anywhere = false;
    let touch = |(index, argument): (usize, &ArgValue<'_>)| {
        let shared;
        let buffer = match argument {
            ArgValue::Buffer(buffer) => *buffer,
            ArgValue::Pointer(pointer) => {
                let Some((memory, _)) = SharedMemory::find(*pointer) else {
                    anywhere = true;
                    return None;
                };
                shared = memory;
                shared.buffer()
            }
            _ => return None,
        };
        Some(buffer.touch(0, buffer.size(), argument_access(meta, index)?))
    };
    let touches = arguments.iter().enumerate().filter_map(touch).collect();
    let facts = meta.map_or(Facts::UNKNOWN, |meta| Facts {
        opaque: meta.opaque || anywhere,
        globals: meta.globals,
        printf: meta.printf,
    });
    (touches, facts)
}

fn check_divides(kernel: &Kernel, global: [u64; 3], local: [u64; 3]) -> Result<(), LaunchError> {
    let Some(dimension) = (0..3).find(|&d| !global[d].is_multiple_of(local[d])) else { return Ok(()) };
    let (global, local) = (global[dimension], local[dimension]);
    let meta = kernel.program().meta();
    if kernel.program().allows_non_uniform() {
        return Ok(());
    }
    // CL_INVALID_WORK_GROUP_SIZE if global_work_size is not evenly divisible by local_work_size (OpenCL 1.2, or
    // -cl-uniform-work-group-size).
    let reason = match meta {
        Some(meta) if meta.uniform_work_group_size => "-cl-uniform-work-group-size".to_owned(),
        Some(meta) => format!("-cl-std={}", meta.cl_std),
        None => "an archive of another compiler".to_owned(),
    };
    Err(LaunchError::DoesNotDivide { dimension, global, local, reason })
}

/// Our compiler's code computes with 32-bit ids where the source does, and relies on their being exact.
fn check_ids(record: &archive::Kernel, geometry: &Geometry) -> Result<(), LaunchError> {
    for (dimension, (size, offset)) in geometry.global.iter().zip(geometry.offset).enumerate() {
        let last = offset.saturating_add(size.saturating_sub(1));
        if last >= 1 << 31 {
            return Err(LaunchError::IdTooLarge { kernel: record.name.clone(), dimension, last });
        }
    }
    Ok(())
}

fn check_bounds(
    record: &archive::Kernel,
    facts: &[ArgFacts],
    arguments: &[ArgValue<'_>],
    geometry: &Geometry,
) -> Result<(), LaunchError> {
    for (index, (facts, argument)) in facts.iter().zip(arguments).enumerate() {
        let available = match argument {
            ArgValue::Buffer(buffer) => Some(buffer.size()),
            ArgValue::Null => None,
            ArgValue::Pointer(pointer) => match SharedMemory::find(*pointer) {
                Some((memory, offset)) => Some(memory.size() - offset),
                None => continue,
            },
            ArgValue::Local(bytes) => Some(*bytes),
            ArgValue::Value(_) => continue,
        };
        for bound in &facts.bounds {
            if let Some(mut error) = out_of_bounds(bound, available, geometry) {
                error.kernel.clone_from(&record.name);
                error.argument = argument::parameter_name(record, index);
                return Err(LaunchError::OutOfBounds(Box::new(error)));
            }
        }
    }
    Ok(())
}

fn out_of_bounds(bound: &AccessBound, available: Option<u64>, geometry: &Geometry) -> Option<OutOfBounds> {
    let span = bounds::span(bound, geometry)?;
    if span.low >= 0 && span.high <= i128::from(available.unwrap_or(0)) {
        return None;
    }
    Some(OutOfBounds {
        kernel: String::new(),
        argument: String::new(),
        needed: u128::try_from(span.high).ok().filter(|_| span.low >= 0),
        lowest: span.low,
        available,
        line: bound.line,
    })
}

impl Launch {
    /// Runs the launch, and returns when it is over.
    ///
    /// # Errors
    /// The kernel failed, or memory or threads could not be had.
    pub fn run(&self) -> Result<LaunchReport, LaunchError> {
        let held = Held::new(self.work.buffers().iter());
        let begin = Instant::now();
        let outcome = if self.device.context().keeps_track() {
            self.enqueue(self.device.direct(), self.work.command(), &[])?.wait()
        } else {
            let command =
                Command { work: Some(self.work.command()), facts: self.facts, ..Command::default() };
            self.device.direct().enqueue_and_wait(command)?
        };
        let elapsed = begin.elapsed();
        drop(held);
        outcome.map_err(|cause| self.failure(cause))?;
        Ok(self.report(elapsed))
    }

    /// Enqueues the launch as `work`.
    pub(crate) fn enqueue(
        &self,
        queue: &oxcl_scheduler::Queue,
        work: Arc<dyn oxcl_driver::Launch>,
        waits: &[Event],
    ) -> Result<Event, QueueError> {
        let (touches, facts, fence) = (&self.touches[..], self.facts, Fence::None);
        if !self.device.context().keeps_track() {
            let work = Some(work);
            return Ok(queue.enqueue(Command { work, touches, facts, waits, fence })?);
        }
        let whole = |buffer, access| Part { buffer, bytes: 0..buffer.size(), access, at: At::Device };
        // A launch that was prepared before anybody kept track: it may do anything.
        let known = !self.parts.is_empty();
        let parts: Vec<Part<'_>> = if known {
            self.parts.iter().map(|(buffer, access)| whole(buffer, *access)).collect()
        } else {
            self.work.buffers().iter().map(|buffer| whole(buffer, Access::ReadWrite)).collect()
        };
        let order = Order { queue, device: &self.device, waits, touches, facts, fence };
        residence::enqueue(&order, &parts, |_| Some(work))
    }

    /// Whether it is worth making the same launch ready anew: there is a better function for it, or it is time to ask
    /// for one. The launch itself stays as it is.
    #[must_use]
    pub fn is_outdated(&self) -> bool {
        self.watch.as_ref().is_some_and(|watch| watch.number() != self.number)
    }

    /// Gives what the kernel prints to `sink`, while it runs; the first sink given stays. Without one it is kept for
    /// [`Self::report`].
    pub fn print_to(&self, sink: PrintSink) {
        if let Some(printer) = self.work.printer() {
            printer.print_to(sink);
        }
    }

    /// The report of an execution that has ended well, where it took `elapsed`. What the kernel has printed since the
    /// last report is in it.
    #[must_use]
    pub fn report(&self, elapsed: Duration) -> LaunchReport {
        let prepared = self.work.prepared();
        let geometry = self.work.geometry();
        let Printed { text, dropped } = self.work.printer().map(Printer::take).unwrap_or_default();
        LaunchReport {
            elapsed,
            cycles: self.work.cycles(),
            groups: geometry.groups,
            local: geometry.local,
            local_from: self.local_from,
            entry: prepared.map_or(EntryKind::Native, PreparedLaunch::entry_kind),
            cpu: self.cpu.clone(),
            width: prepared.map_or(1, |prepared| prepared.function().width()),
            specialised: prepared.is_some_and(|prepared| prepared.function().is_specialised()),
            printed: text,
            print_dropped: dropped,
        }
    }

    /// Why an execution that ended with `cause` failed, with all that is known; once for each.
    #[must_use]
    pub fn failure(&self, cause: Arc<oxcl_driver::Failure>) -> LaunchError {
        match self.work.take_failure() {
            Some(failure) => LaunchError::Failed(failure),
            None => LaunchError::Command(cause),
        }
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn work(&self) -> &LaunchWork {
        &self.work
    }

    pub(crate) fn facts(&self) -> (&[Touch], Facts) {
        (&self.touches, self.facts)
    }
}
