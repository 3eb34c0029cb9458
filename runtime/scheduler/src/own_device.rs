//! For tests and models: a device that executes commands itself. Its memory is the null driver's; what it does with commands
//! is up to each test. Checks nothing.

use std::fmt::Debug;
use std::sync::Arc;

use oxcl_driver::capability::Execution;
use oxcl_driver::command::SubmitResult;
use oxcl_driver::{
    Allocation, AllocationRequest, Capabilities, Driver, DriverError, EventId, NullDriver, Submission,
};

/// What a device does with commands.
pub(crate) trait Executes: Send + Sync + Debug {
    /// See [`Driver::submit`].
    fn submit(&self, submission: Arc<dyn Submission>) -> SubmitResult;

    /// See [`Driver::notify`].
    fn notify(&self, _waiting: &Arc<dyn Submission>, _ended: EventId) {}

    /// See [`Driver::can_look`].
    fn can_look(&self) -> bool {
        false
    }

    /// See [`Driver::look`].
    fn look(&self) {}
}

/// The device.
#[derive(Debug)]
pub(crate) struct OwnDevice<E> {
    null: NullDriver,
    /// What it does with commands.
    pub(crate) own: E,
}

/// What a device was given and does not end: that is up to the test.
#[cfg(not(loom))]
#[derive(Default)]
pub(crate) struct Kept(std::sync::Mutex<Vec<Arc<dyn Submission>>>);

#[cfg(not(loom))]
impl Debug for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

#[cfg(not(loom))]
impl Executes for Kept {
    fn submit(&self, submission: Arc<dyn Submission>) -> SubmitResult {
        self.0.lock().unwrap().push(submission);
        Ok(())
    }
}

#[cfg(not(loom))]
impl Kept {
    /// Ends everything that the device has.
    pub(crate) fn end_all(&self) {
        let all = std::mem::take(&mut *self.0.lock().unwrap());
        all.iter().for_each(|submission| submission.ended(Ok(())));
    }
}

impl<E> OwnDevice<E> {
    pub(crate) fn new(execution: Execution, own: E) -> Self {
        let capabilities = Capabilities { execution, ..Capabilities::host("test device") };
        Self { null: NullDriver::with(capabilities), own }
    }
}

impl<E: Executes> Driver for OwnDevice<E> {
    fn name(&self) -> &str {
        "test"
    }

    fn probe(&self) -> Result<u32, DriverError> {
        self.null.probe()
    }

    fn init(&self) -> Result<(), DriverError> {
        self.null.init()
    }

    fn capabilities(&self) -> &Capabilities {
        self.null.capabilities()
    }

    fn allocate(&self, request: &AllocationRequest) -> Result<Allocation, DriverError> {
        self.null.allocate(request)
    }

    fn free(&self, allocation: Allocation) {
        self.null.free(allocation);
    }

    fn submit(&self, submission: Arc<dyn Submission>) -> SubmitResult {
        self.own.submit(submission)
    }

    fn notify(&self, waiting: &Arc<dyn Submission>, ended: EventId) {
        self.own.notify(waiting, ended);
    }

    fn can_look(&self) -> bool {
        self.own.can_look()
    }

    fn look(&self) {
        self.own.look();
    }
}
