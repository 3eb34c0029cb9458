//! What a function of the C interface returns: nothing, or one of the specification's negative numbers; and which
//! number each error of the runtime is.

use oxcl_runtime::{
    BufferError, CodeError, CommandFailure, DeviceError, DriverError, EnqueueError, Failure, ImageError,
    LaunchError, LoadError, NdRangeError, QueueError,
};

use crate::cl;
use crate::types::Int;

/// A negative status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Status(pub(crate) Int);

/// What a function answers.
pub(crate) type Answer<T = ()> = Result<T, Status>;

/// An error, unless `holds`.
pub(crate) fn ensure(holds: bool, otherwise: Int) -> Answer {
    if holds { Ok(()) } else { Err(Status(otherwise)) }
}

/// An error as an answer.
pub(crate) fn refuse<T>(code: Int) -> Answer<T> {
    Err(Status(code))
}

impl From<DeviceError> for Status {
    fn from(_: DeviceError) -> Self {
        Self(cl::OUT_OF_RESOURCES)
    }
}

impl From<BufferError> for Status {
    fn from(error: BufferError) -> Self {
        Self(match error {
            BufferError::ZeroSize => cl::INVALID_BUFFER_SIZE,
            BufferError::OutOfMemory(_) => cl::MEM_OBJECT_ALLOCATION_FAILURE,
            BufferError::Overlap { .. } | BufferError::OverlapAt { .. } => cl::MEM_COPY_OVERLAP,
            BufferError::Lost(_) => cl::OUT_OF_RESOURCES,
            _ => cl::INVALID_VALUE,
        })
    }
}

impl From<ImageError> for Status {
    fn from(error: ImageError) -> Self {
        Self(match error {
            ImageError::Format { .. } => cl::INVALID_IMAGE_FORMAT_DESCRIPTOR,
            ImageError::Size { .. } | ImageError::BufferTooSmall { .. } => cl::INVALID_IMAGE_SIZE,
            ImageError::OtherFormat => cl::IMAGE_FORMAT_MISMATCH,
            ImageError::Overlap => cl::MEM_COPY_OVERLAP,
            ImageError::Level { .. } => cl::INVALID_MIP_LEVEL,
            ImageError::Levels { .. } => cl::INVALID_IMAGE_DESCRIPTOR,
            ImageError::Pitch { .. } | ImageError::Region { .. } => cl::INVALID_VALUE,
            ImageError::Buffer(error) => return error.into(),
        })
    }
}

impl From<QueueError> for Status {
    fn from(error: QueueError) -> Self {
        match error {
            QueueError::Buffer(error) => error.into(),
            QueueError::Image(error) => error.into(),
            QueueError::Enqueue(EnqueueError::Driver(error)) => error.into(),
            QueueError::OtherContext => Self(cl::INVALID_CONTEXT),
            QueueError::DeviceMemory { .. } => Self(cl::MEM_OBJECT_ALLOCATION_FAILURE),
            _ => Self(cl::OUT_OF_HOST_MEMORY),
        }
    }
}

impl From<DriverError> for Status {
    fn from(error: DriverError) -> Self {
        Self(match error {
            DriverError::OutOfMemory { .. } | DriverError::DeviceMemory { .. } => {
                cl::MEM_OBJECT_ALLOCATION_FAILURE
            }
            DriverError::OutOfRange { .. } => cl::INVALID_VALUE,
            DriverError::Unsupported { .. } => cl::INVALID_OPERATION,
            _ => cl::OUT_OF_RESOURCES,
        })
    }
}

impl From<LoadError> for Status {
    fn from(error: LoadError) -> Self {
        Self(match error {
            LoadError::NoKernel { .. } => cl::INVALID_KERNEL_NAME,
            LoadError::NotExecutable { .. } => cl::INVALID_PROGRAM_EXECUTABLE,
            _ => cl::INVALID_BINARY,
        })
    }
}

impl From<NdRangeError> for Status {
    fn from(error: NdRangeError) -> Self {
        Self(match error {
            NdRangeError::Dimensions(_) | NdRangeError::Mismatch { .. } => cl::INVALID_WORK_DIMENSION,
            NdRangeError::Zero { what: "global size", .. } => cl::INVALID_GLOBAL_WORK_SIZE,
            NdRangeError::Zero { .. } => cl::INVALID_WORK_ITEM_SIZE,
            NdRangeError::Overflow { what } if what.contains("offset") => cl::INVALID_GLOBAL_OFFSET,
            NdRangeError::Overflow { what } if what.contains("work-group") => cl::INVALID_WORK_GROUP_SIZE,
            NdRangeError::Overflow { .. } => cl::INVALID_GLOBAL_WORK_SIZE,
        })
    }
}

impl From<LaunchError> for Status {
    fn from(error: LaunchError) -> Self {
        Self(match error {
            LaunchError::ArgumentCount { .. }
            | LaunchError::ArgumentKind { .. }
            | LaunchError::ArgumentSize { .. }
            | LaunchError::EmptyLocal { .. } => cl::INVALID_KERNEL_ARGS,
            LaunchError::ArgumentNotYet { .. } | LaunchError::NoImages { .. } => cl::INVALID_OPERATION,
            LaunchError::DoesNotDivide { .. }
            | LaunchError::GroupTooLarge { .. }
            | LaunchError::RequiredSize { .. } => cl::INVALID_WORK_GROUP_SIZE,
            LaunchError::LocalMemory { .. } | LaunchError::OutOfBounds(_) => cl::OUT_OF_RESOURCES,
            LaunchError::IdTooLarge { .. } => cl::INVALID_GLOBAL_WORK_SIZE,
            LaunchError::Code(CodeError::NoCode { .. }) => cl::INVALID_PROGRAM_EXECUTABLE,
            LaunchError::Failed(Failure::OutOfResources(_)) => cl::OUT_OF_RESOURCES,
            LaunchError::Enqueue(_) => cl::OUT_OF_HOST_MEMORY,
            LaunchError::Queue(error) => return error.into(),
            _ => cl::OUT_OF_RESOURCES,
        })
    }
}

/// The status of a command that failed, as its event shows it.
pub(crate) fn of_failure(failure: &CommandFailure) -> Int {
    match failure.here() {
        CommandFailure::UserEvent { status } => *status,
        CommandFailure::Driver(DriverError::OutOfMemory { .. } | DriverError::DeviceMemory { .. }) => {
            cl::MEM_OBJECT_ALLOCATION_FAILURE
        }
        CommandFailure::OutOfHostMemory => cl::OUT_OF_HOST_MEMORY,
        _ => cl::OUT_OF_RESOURCES,
    }
}
