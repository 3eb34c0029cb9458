//! Arguments of a launch and their check against the kernel's parameters.

use oxcl_binary::archive::{AddressQualifier, Arg, ArgKind, Kernel};
use oxcl_driver_cpu::Argument;

use crate::buffer::{Buffer, BufferError};
use crate::launch::LaunchError;

/// One argument, in the order of the kernel's parameters.
#[derive(Debug, Clone, Copy)]
pub enum ArgValue<'a> {
    /// A buffer, for a `global` or `constant` pointer.
    Buffer(&'a Buffer),
    /// The null pointer, for a `global` or `constant` pointer.
    Null,
    /// An address, for a `global` or `constant` pointer: of shared memory, or of memory of the host program, for which the
    /// kernel's promises are the program's. See [`crate::SharedMemory`].
    Pointer(*mut u8),
    /// This many bytes of local memory, for a `local` pointer.
    Local(u64),
    /// The bytes of a scalar, vector or structure.
    Value(&'a [u8]),
}

impl ArgValue<'_> {
    fn describe(self) -> &'static str {
        match self {
            Self::Buffer(_) => "a buffer",
            Self::Null => "a null pointer",
            Self::Pointer(_) => "an address",
            Self::Local(_) => "a size of local memory",
            Self::Value(_) => "a value",
        }
    }
}

/// How messages call a parameter: its name, or its position where the archive does not know the name.
pub(crate) fn parameter_name(record: &Kernel, index: usize) -> String {
    match record.args.get(index) {
        Some(arg) if !arg.name.is_empty() => arg.name.clone(),
        _ => format!("#{index}"),
    }
}

/// Checks `values` against the kernel's parameters, and turns them into what the driver takes; `address` says where
/// buffers are.
pub(crate) fn check<'a>(
    record: &Kernel,
    values: &[ArgValue<'a>],
    address: &dyn Fn(&Buffer) -> Result<*mut u8, BufferError>,
) -> Result<Vec<Argument<'a>>, LaunchError> {
    // CL_INVALID_KERNEL_ARGS if an argument has not been set.
    if values.len() != record.args.len() {
        return Err(LaunchError::ArgumentCount {
            kernel: record.name.clone(),
            want: record.args.len(),
            given: values.len(),
            parameters: (0..record.args.len()).map(|index| parameter_name(record, index)).collect(),
        });
    }
    let arguments = record.args.iter().zip(values).enumerate();
    arguments.map(|(index, (arg, value))| check_one(record, index, arg, *value, address)).collect()
}

fn check_one<'a>(
    record: &Kernel,
    index: usize,
    arg: &Arg,
    value: ArgValue<'a>,
    address: &dyn Fn(&Buffer) -> Result<*mut u8, BufferError>,
) -> Result<Argument<'a>, LaunchError> {
    let kernel = || record.name.clone();
    let argument = || parameter_name(record, index);
    let type_name = || arg.type_name.clone();
    let wrong_kind = |want: &'static str| LaunchError::ArgumentKind {
        kernel: kernel(),
        argument: argument(),
        type_name: type_name(),
        want,
        given: value.describe(),
    };
    let not_yet = |what| LaunchError::ArgumentNotYet {
        kernel: kernel(),
        argument: argument(),
        type_name: type_name(),
        what,
    };
    match arg.kind {
        ArgKind::Image => Err(not_yet("images")),
        ArgKind::Sampler => Err(not_yet("samplers")),
        ArgKind::Pipe => Err(not_yet("pipes")),
        ArgKind::Pointer if arg.address == AddressQualifier::Local => match value {
            // CL_INVALID_ARG_SIZE if arg_size is zero and the argument is declared with the local qualifier.
            ArgValue::Local(0) => Err(LaunchError::EmptyLocal { kernel: kernel(), argument: argument() }),
            ArgValue::Local(bytes) => Ok(Argument::Local(bytes)),
            _ => Err(wrong_kind("a size of local memory")),
        },
        ArgKind::Pointer => match value {
            ArgValue::Buffer(buffer) => Ok(Argument::Pointer(address(buffer)?)),
            ArgValue::Pointer(pointer) => Ok(Argument::Pointer(pointer)),
            ArgValue::Null => Ok(Argument::Pointer(std::ptr::null_mut())),
            _ => Err(wrong_kind("a buffer")),
        },
        ArgKind::Value => match value {
            // CL_INVALID_ARG_SIZE if arg_size does not match the size of the data type. Archives of PoCL 3.1 say 0 for
            // structures: nobody knows their size.
            ArgValue::Value(bytes) if arg.size != 0 && bytes.len() as u64 != u64::from(arg.size) => {
                Err(LaunchError::ArgumentSize {
                    kernel: kernel(),
                    argument: argument(),
                    type_name: type_name(),
                    want: arg.size,
                    given: bytes.len(),
                })
            }
            ArgValue::Value(bytes) => Ok(Argument::Value(bytes)),
            _ => Err(wrong_kind("a value")),
        },
    }
}
