//! Launches: every check that the specification asks for, then the driver.
//!
//! In: a kernel, an index space, arguments. Out: a report, or an error that says what is wrong and with which
//! parameter. Nothing runs before every check has passed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use oxcl_binary::archive;
use oxcl_driver::capability::Features;
use oxcl_driver::command::{EntryKind, LaunchFacts};
use oxcl_driver::printer::{PrintSink, Printed, Printer};
use oxcl_driver::program::{ArgMemory, LaunchRequest, LaunchShape, Program as DriverProgram};
use oxcl_driver::watch::Watch;
use oxcl_driver::{Geometry, History, Launch as _};
use oxcl_scheduler::{Access, Command, Event, Facts, Fence, Touch};

use crate::argument::{self, ArgValue};
use crate::buffer::{Buffer, Held};
use crate::compiler::Quality;
use crate::device::Device;
use crate::guarded::Guarded;
use crate::local_size;
use crate::ndrange::NdRange;
use crate::program::Kernel;
use crate::queue::QueueError;
use crate::regroup::Cutting;
use crate::residence::{self, At, Order, Part};
use crate::shared::SharedMemory;

mod check;
mod error;

pub use error::{LaunchError, OutOfBounds};

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

/// A launch that has passed every check and can be run, any number of times.
#[derive(Debug)]
pub struct Launch {
    device: Device,
    /// Holds its buffers.
    work: Arc<Guarded<dyn oxcl_driver::Launch>>,
    geometry: Geometry,
    /// Its buffers and what it does to them, where somebody keeps track.
    parts: Box<[(Buffer, Access)]>,
    touches: Box<[Touch]>,
    facts: Facts,
    /// Accesses that leave a buffer.
    beyond: Box<[OutOfBounds]>,
    local_from: SizeSource,
    /// Knows whether there is a better function by now.
    watch: Option<Arc<Watch>>,
    /// What it said when this launch was made ready.
    number: u32,
    /// How it was cut, if it can be.
    cutting: Option<Cutting>,
}

impl Drop for Launch {
    fn drop(&mut self) {
        // The next launch of the kernel wants to know.
        if let Some((cutting, time)) = self.cut_and_time() {
            cutting.note(time);
        }
    }
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
        argument::check(record, arguments)?;
        check::images(self, record, arguments)?;
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
        let mut beyond = Vec::new();
        if let Some(meta) = meta {
            if geometry.has_small_ids() {
                beyond = check::bounds(self, record, &meta.args, arguments, &geometry)?;
            } else {
                // The compiler's bounds are those of small ids.
                check::ids(self, kernel, &geometry)?;
            }
        }
        check::addresses(self, record, arguments)?;
        let buffers: Vec<Buffer> = arguments
            .iter()
            .filter_map(|argument| match argument {
                ArgValue::Pointer(address) => {
                    SharedMemory::at(*address).map(|(memory, _)| memory.buffer().clone())
                }
                other => other.memory().map(|buffer| Buffer::clone(buffer)),
            })
            .collect();
        residence::check_fit(self, buffers.iter())?;
        let (touches, facts) = check::facts(record, meta, arguments, &geometry);
        let parts = if self.context().keeps_track() {
            let known = arguments.iter().enumerate();
            known.filter_map(|(index, argument)| check::part(record, meta, index, argument)).collect()
        } else {
            buffers.iter().for_each(|buffer| buffer.storage().use_untracked());
            Box::default()
        };
        let driver = self.driver();
        let program = kernel.program().on(driver.as_ref())?;
        let (cut, cutting) = self.cut(kernel, program.as_ref(), arguments, &geometry);
        // The watch's number first: what comes in between is then found at the next launch, not missed.
        let watch = kernel.watch(program.as_ref(), &cut, arguments);
        let number = watch.as_ref().map_or(0, |watch| watch.number());
        let memory = |index, buffer: &Buffer| {
            let (allocation, offset) = residence::argument_memory(buffer, self)?;
            let writes = check::argument_access(record, meta, index) == Some(Access::ReadWrite);
            Ok::<_, QueueError>(ArgMemory { allocation, offset, writes })
        };
        let named = arguments.iter().enumerate();
        let named = named.map(|(index, argument)| argument.rename(|buffer| memory(index, buffer)));
        let args = named.collect::<Result<Vec<_>, _>>()?;
        let request = LaunchRequest {
            program: &program,
            kernel: kernel.index(),
            geometry: cut,
            args: &args,
            watch: watch.clone(),
        };
        let work = Arc::new(Guarded::new(driver.prepare_launch(&request)?, buffers));
        Ok(Launch {
            device: self.clone(),
            work,
            geometry,
            parts,
            touches,
            facts,
            beyond: beyond.into_boxed_slice(),
            local_from,
            watch,
            number,
            cutting,
        })
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
        let device = device.min(self.driver().max_group_size(kept));
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
                let columns = kernel.meta().is_some_and(|meta| meta.columns);
                (local_size::choose(global, limit, threads, columns), SizeSource::Chosen)
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
        check::divides(kernel, global, local)?;
        Ok((local, source))
    }

    /// The index space as it is cut into groups for the device: finer than it was given where no work-item can tell, and few large
    /// groups would leave threads without work.
    fn cut(
        &self,
        kernel: &Kernel,
        program: &dyn DriverProgram,
        arguments: &[ArgValue<'_>],
        geometry: &Geometry,
    ) -> (Geometry, Option<Cutting>) {
        let record = kernel.record();
        let has_local = !record.local_sizes.is_empty()
            || arguments.iter().any(|argument| matches!(argument, ArgValue::Local(_)));
        let is_free = self.driver().capabilities().features.has(Features::GROUPS_ON_THREADS)
            && kernel.meta().is_some_and(|meta| meta.any_groups)
            && !has_local
            && record.reqd_wg_size == [0; 3]
            && geometry.is_uniform();
        if !is_free {
            return (*geometry, None);
        }
        let threads = self.info().compute_units as u64;
        let (cut, cutting) =
            Cutting::choose(geometry, threads, kernel.pace(), || kernel.quality() == Quality::First);
        // A function that is there for the local size as it was given is worth more.
        let is_specialised =
            || program.is_specialised_for(kernel.index(), &LaunchShape::of(geometry.local, arguments));
        if cut != *geometry && is_specialised() { (*geometry, None) } else { (cut, cutting) }
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

impl Launch {
    /// Runs the launch, and returns when it is over.
    ///
    /// # Errors
    /// The kernel failed, or memory or threads could not be had.
    pub fn run(&self) -> Result<LaunchReport, LaunchError> {
        let held = Held::new(self.work.buffers().iter());
        let begin = Instant::now();
        let outcome = if self.device.context().keeps_track() {
            self.enqueue(self.device.direct(), self.command(), &[])?.wait()
        } else {
            let command = Command { work: Some(self.command()), facts: self.facts, ..Command::default() };
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
        if self.watch.as_ref().is_some_and(|watch| watch.number() != self.number) {
            return true;
        }
        let Some((cutting, time)) = self.cut_and_time().filter(|(cutting, time)| !cutting.holds(*time))
        else {
            return false;
        };
        // It is made ready anew before this one goes.
        cutting.note(time);
        true
    }

    /// How it was cut, if it can be, and what its executions have taken, if that is known.
    fn cut_and_time(&self) -> Option<(&Cutting, Duration)> {
        Some((self.cutting.as_ref()?, self.work.history().and_then(History::time)?))
    }

    /// Accesses that leave a buffer and stay within its memory, at most one for each argument; none where such launches are
    /// refused, or nobody looks.
    #[must_use]
    pub fn beyond(&self) -> &[OutOfBounds] {
        &self.beyond
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
        let LaunchFacts { entry, cpu, width, specialised } = self.work.facts();
        let Printed { text, dropped } = self.work.printer().map(Printer::take).unwrap_or_default();
        LaunchReport {
            elapsed,
            cycles: self.work.cycles(),
            groups: self.geometry.groups,
            local: self.geometry.local,
            local_from: self.local_from,
            entry,
            cpu: cpu.map(str::to_owned),
            width,
            specialised,
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

    /// Its work, for a command.
    pub(crate) fn command(&self) -> Arc<dyn oxcl_driver::Launch> {
        Arc::clone(&self.work) as Arc<dyn oxcl_driver::Launch>
    }

    pub(crate) fn facts(&self) -> (&[Touch], Facts) {
        (&self.touches, self.facts)
    }
}
