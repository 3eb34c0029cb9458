//! Kernels whose arguments get their addresses when they run: what is known before is kept, and the argument cells are
//! made of it each time.

use std::any::Any;
use std::sync::{Arc, Mutex};

use oxcl_driver::command::LaunchFacts;
use oxcl_driver::fault::KernelFailure;
use oxcl_driver::printer::Printer;
use oxcl_driver::program::{ArgMemory, ArgValue, LaunchRequest, LaunchShape};
use oxcl_driver::{Allocation, DriverError, Failure as Cause, Lane, Launch, lock};

use super::operation::Addresses;
use crate::arguments::Argument;
use crate::current::{CurrentLaunch, Source};
use crate::launch::PreparedLaunch;
use crate::program::CpuProgram;
use crate::work::cause;

/// A launch on a device with memory of its own.
#[derive(Debug)]
pub(super) struct DiscreteLaunch {
    arguments: Box<[ArgValue<ArgMemory, Box<[u8]>>]>,
    automatic: Box<[u64]>,
    /// The launch as it looks from outside; its addresses are null.
    shape: PreparedLaunch,
    source: Option<Source>,
    failure: Mutex<Option<KernelFailure>>,
}

impl DiscreteLaunch {
    /// Binds a function to its arguments and sizes.
    pub(super) fn new(request: &LaunchRequest<'_>) -> Result<Self, DriverError> {
        let program = CpuProgram::of(request)?;
        let known = LaunchShape::of(request.geometry.local, request.args);
        let source = Source::of(request, &known);
        let shape = program.bind(request, &known, |_| std::ptr::null_mut())?;
        let arguments = request.args.iter().map(ArgValue::kept).collect();
        let automatic = program.automatic(request.kernel)?.into();
        Ok(Self { arguments, automatic, shape, source, failure: Mutex::default() })
    }

    /// The memory that it uses, and whether it may write there.
    pub(super) fn memory(&self) -> impl Iterator<Item = (&Arc<Allocation>, bool)> {
        let memories = self.arguments.iter().filter_map(ArgValue::memory);
        memories.map(|memory| (&memory.allocation, memory.writes))
    }

    /// Makes the argument cells for where things lie now, and runs all work-groups on this thread.
    pub(super) fn execute(&self, addresses: &dyn Addresses) -> Result<(), Cause> {
        let place = |memory: &ArgMemory| {
            let span = addresses.span(&memory.allocation)?;
            Ok::<_, DriverError>(span.pointer().wrapping_add(memory.offset as usize))
        };
        let patched = self.arguments.iter().map(|argument| argument.rename(place));
        let arguments: Vec<Argument<'_>> = patched.collect::<Result<_, _>>()?;
        let run = || -> Result<(), KernelFailure> {
            let launch = self.shape.with_arguments(&arguments, &self.automatic)?;
            let groups = launch.group_count();
            // SAFETY: these are all groups there are; the memory is resident and stays until this returns, and who else uses
            // it is for the commands' order to say. The thread has a large stack.
            unsafe { CurrentLaunch::new(launch, self.source.clone()).run(0, groups) }
        };
        run().map_err(|failure| {
            let cause = cause(&failure);
            lock(&self.failure).get_or_insert(failure);
            cause
        })
    }
}

impl Launch for DiscreteLaunch {
    fn groups(&self) -> u64 {
        1
    }

    fn run(&self, _first: u64, _count: u64, _lane: Lane) -> Result<(), Cause> {
        let reason = "a launch on memory of a device was given to another".to_owned();
        Err(oxcl_driver::DriverError::BadLaunch { reason }.into())
    }

    fn label(&self) -> &str {
        self.shape.kernel()
    }

    fn facts(&self) -> LaunchFacts<'_> {
        self.shape.facts()
    }

    fn take_failure(&self) -> Option<KernelFailure> {
        lock(&self.failure).take()
    }

    fn printer(&self) -> Option<&Printer> {
        Some(self.shape.printer())
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}
