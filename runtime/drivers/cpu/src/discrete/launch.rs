//! Kernels whose arguments get their addresses when they run: what is known before is kept, and the argument cells are
//! made of it each time.

use std::any::Any;
use std::sync::{Arc, Mutex};

use oxcl_driver::{Allocation, Failure as Cause, Lane, Launch, lock};

use super::operation::Addresses;
use crate::arguments::Argument;
use crate::error::{Failure, OutOfResources};
use crate::geometry::Geometry;
use crate::launch::{KernelTraits, PreparedLaunch};
use crate::loader::Function;
use crate::variables::ProgramMemory;
use crate::work::{cause, with_worker};

/// An argument that may lie in memory that moves.
#[derive(Debug, Clone)]
pub enum DiscreteArgument {
    /// The null pointer.
    Null,
    /// `offset` bytes into memory of the device.
    Memory {
        /// The memory.
        allocation: Arc<Allocation>,
        /// Where the argument points to in it.
        offset: u64,
        /// Whether the kernel may write there.
        writes: bool,
    },
    /// This many bytes of local memory.
    Local(u64),
    /// A value's bytes.
    Value(Vec<u8>),
}

/// A launch on a device with memory of its own.
#[derive(Debug)]
pub struct DiscreteLaunch {
    arguments: Vec<DiscreteArgument>,
    automatic: Vec<u64>,
    /// The launch as it looks from outside; its addresses are null.
    shape: PreparedLaunch,
    failure: Mutex<Option<Failure>>,
}

impl DiscreteLaunch {
    /// Binds a function to its arguments and sizes, as [`PreparedLaunch::new`] does.
    ///
    /// # Errors
    /// The arguments find no memory.
    pub fn new(
        function: Arc<Function>,
        geometry: Geometry,
        arguments: Vec<DiscreteArgument>,
        automatic: &[u64],
        traits: KernelTraits,
    ) -> Result<Self, OutOfResources> {
        let nowhere: Vec<_> =
            arguments.iter().map(|argument| plain(argument, std::ptr::null_mut())).collect();
        let shape = PreparedLaunch::new(function, geometry, &nowhere, automatic, traits)?;
        Ok(Self { arguments, automatic: automatic.to_vec(), shape, failure: Mutex::default() })
    }

    /// The same with the memory of the program's variables at program scope, which stays the host's.
    #[must_use]
    pub fn with_variables(self, variables: Option<Arc<ProgramMemory>>) -> Self {
        Self { shape: self.shape.with_variables(variables), ..self }
    }

    /// The launch as it looks from outside.
    #[must_use]
    pub fn prepared(&self) -> &PreparedLaunch {
        &self.shape
    }

    /// Why the last execution failed, with all that is known; once.
    #[must_use]
    pub fn take_failure(&self) -> Option<Failure> {
        lock(&self.failure).take()
    }

    /// The memory that it uses, and whether it may write there.
    pub fn memory(&self) -> impl Iterator<Item = (&Arc<Allocation>, bool)> {
        self.arguments.iter().filter_map(|argument| match argument {
            DiscreteArgument::Memory { allocation, writes, .. } => Some((allocation, *writes)),
            _ => None,
        })
    }

    /// Makes the argument cells for where things lie now, and runs all work-groups on this thread.
    pub(super) fn execute(&self, addresses: &dyn Addresses) -> Result<(), Cause> {
        let patch = |argument: &_| match argument {
            DiscreteArgument::Memory { allocation, offset, .. } => {
                addresses.span(allocation).map(|span| span.pointer().wrapping_add(*offset as usize))
            }
            _ => Ok(std::ptr::null_mut()),
        };
        let places = self.arguments.iter().map(patch).collect::<Result<Vec<_>, _>>()?;
        let arguments: Vec<_> =
            self.arguments.iter().zip(places).map(|(argument, place)| plain(argument, place)).collect();
        let run = || -> Result<(), Failure> {
            let launch = self.shape.with_arguments(&arguments, &self.automatic)?;
            with_worker(|worker| {
                launch.prepare(worker)?;
                // SAFETY: the worker is prepared; these are all groups there are; the memory is resident and stays until
                // this returns, and who else uses it is for the commands' order to say. The thread has a large stack.
                unsafe { launch.run_groups(0, launch.group_count(), worker) }
            })
        };
        run().map_err(|failure| {
            let cause = cause(&failure);
            lock(&self.failure).get_or_insert(failure);
            cause
        })
    }
}

fn plain(argument: &DiscreteArgument, place: *mut u8) -> Argument<'_> {
    match argument {
        DiscreteArgument::Null | DiscreteArgument::Memory { .. } => Argument::Pointer(place),
        DiscreteArgument::Local(bytes) => Argument::Local(*bytes),
        DiscreteArgument::Value(bytes) => Argument::Value(bytes),
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

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}
